"""What a table can say: in JSON, compressed, in other encodings; without a header, with numbers of one convention."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load.importers.column_guesses import guess_columns
from reckon.load.importers.decimals import ASK, find_mark
from reckon.load.reader import load
from tests.exported import files, kept, planted, seconds, skipped, sound, source_of, take, told

SOURCE = "s:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100-40gb, A100: a100-40gb, H100: l40s}\n"
ALL = "  rules: {all: {when: {name: '.*'}, item: data}}\n"
COLUMNS = "  columns: {id: job, h: wall_hours, n: gpus}\n  constants: {state: completed}\n"
TABLE = "id,h,n\na,2,4\nb,1,1\n"


def hours(source: str, raw: bytes) -> float:
    return float(seconds(sound(SOURCE + source + ALL, raw)) / 3600)


@pytest.mark.parametrize(
    "raw",
    [TABLE.encode(), TABLE.encode("utf-16"), TABLE.encode("utf-8-sig"), gzip.compress(TABLE.encode())],
    ids=["utf-8", "utf-16", "with a mark", "gzip"],
)
def test_a_table_is_read_in_the_encodings_that_programs_write(raw: bytes) -> None:
    assert hours(COLUMNS, raw) == 9


def test_exports_that_were_joined_are_read_over_their_headers() -> None:
    taken = sound(SOURCE + COLUMNS + ALL, (TABLE + TABLE.replace("a,2", "c,3").replace("b,1", "d,1")).encode())
    assert seconds(taken) == 3600 * (8 + 1 + 12 + 1)
    assert not skipped(taken)


@pytest.mark.parametrize("delimiter", ["'\\t'", '"\\t"', "tab"])
def test_a_table_of_tabs(delimiter: str) -> None:
    source = f"{SOURCE}  delimiter: {delimiter}\n{COLUMNS}{ALL}"
    assert seconds(sound(source, TABLE.replace(",", "\t").encode())) == 9 * 3600


def test_cells_are_separated_by_one_character() -> None:
    source = f"{SOURCE}  delimiter: '::'\n{COLUMNS}{ALL}"
    assert "`::` is not one character; correct `delimiter:`" in told(take(source, TABLE.encode()))[0]


def test_latin_1_is_read_where_the_source_says_so() -> None:
    raw = "id,durée,n\na,2,4\n".encode("latin-1")
    source = COLUMNS.replace("h: wall", "durée: wall")
    assert hours(source + "  encoding: latin-1\n", raw) == 8
    assert (
        "is not UTF-8; export with LC_ALL=C.UTF-8, save it as UTF-8, or state `encoding: latin-1`"
        in told(take(SOURCE + source, raw))[0]
    )


def test_what_is_cut_off_or_no_gzip_is_told() -> None:
    whole = gzip.compress(TABLE.encode())
    for raw in (whole[:-9], whole[:10], b"\x1f\x8bnothing"):
        assert "cannot be decompressed" in told(take(SOURCE + COLUMNS, raw))[0]


NESTED = {
    "data": [{"a": {"name": "x", "use": {"hours": 2, "n": 4}}, "b": {"name": "y", "use": {"hours": 1.5, "n": 2}}}]
}


@pytest.mark.parametrize(
    ("path", "tree"),
    [
        ("data.*.*", NESTED),
        ("", [NESTED["data"][0]["a"], NESTED["data"][0]["b"]]),
        ("jobs", {"jobs": list(NESTED["data"][0].values()), "more": [1, {"name": "no"}]}),
        ("jobs.*", {"jobs": NESTED["data"][0]}),
    ],
)
def test_rows_in_json_stand_at_a_path_and_their_names_have_dots(path: str, tree: object) -> None:
    columns = "  columns: {name: job, use.hours: wall_hours, use.n: gpus}\n  constants: {state: completed}\n"
    stated = f"  path: '{path}'\n" if path else ""
    assert hours(columns + stated, json.dumps(tree).encode()) == 11


def test_json_without_rows_there_is_told() -> None:
    said = told(take(f"{SOURCE}{COLUMNS}  path: data.items\n", b'{"data": {"item": []}}'))[0]
    assert (
        said == "dump.txt:1:1: there are no rows at `data.items`; state where the list of rows is: `path: data.items`"
    )
    assert "this is not JSON" in told(take(SOURCE + COLUMNS, b'[{"id": 1,]'))[0]


def test_a_row_of_json_is_told_by_its_line() -> None:
    raw = b'[\n {"id": "a", "h": 1, "n": 1},\n {"id": "b", "h": "soon", "n": 1}\n]'
    assert told(take(SOURCE + COLUMNS, raw))[0].startswith("dump.txt:3:1: the duration is not readable")


def test_a_source_names_the_columns_of_a_file_without_a_header() -> None:
    source = COLUMNS + "  header: [id, owner, h, n]\n  delimiter: ':'\n  skip: '#.*'\n"
    taken = sound(SOURCE + source + ALL, b"# written by the scheduler\na:zz:2:4\nb:zz:1:1\n")
    assert seconds(taken) == 9 * 3600
    assert skipped(taken) == {"skipped by pattern": 1}


@pytest.mark.parametrize(
    ("cells", "spreadsheet", "mark"),
    [
        (["1.234,5", "1.500"], True, ","),
        (["1,5", "2"], False, ","),
        (["1,234.5", "1,500"], False, "."),
        (["0.500", "1,500"], False, "."),
        (["1.500"], True, ASK),
        (["1.500"], False, None),
        (["1,5", "1.5"], True, None),
        (["2", "x", ""], False, None),
    ],
)
def test_the_decimal_mark_is_that_of_the_file(cells: list[str], spreadsheet: bool, mark: str | None) -> None:
    assert find_mark(cells, is_spreadsheet=spreadsheet) == mark


def test_one_number_says_how_all_of_its_file_are_meant() -> None:
    assert hours(COLUMNS, b"id;h;n\na;1.234,5;2\nb;1.500;1\n") == 2469 + 1500
    said = told(take(SOURCE + COLUMNS, b"id;h;n\nb;1.500;1\n"))[0]
    assert said.endswith("the duration is not readable; state the decimal mark: `decimal: ','` or `decimal: '.'`")


@pytest.mark.parametrize(
    ("text", "count"),
    [("8x A100", 8), ("A100 x 8", 8), ("8 × A100", 8), ("gres/gpu:A100=4", 4), ("gpu:A100:2", 2), ("3", 3)],
)
def test_a_cell_states_gpus_with_their_type(text: str, count: int) -> None:
    assert hours(COLUMNS, f"id,h,n\na,1,{text}\n".encode()) == count


def test_a_part_of_a_card_is_stated_with_the_card() -> None:
    source = SOURCE.replace("H100: l40s", "1g.5gb: {card: a100-40gb, share: 1/7}")
    columns = "  columns: {id: job, h: wall_hours, n: gpus, kind: gpu}\n  constants: {state: completed}\n"
    taken = sound(source + columns + ALL, b"id,h,n,kind\na,7,1,1g.5gb\nb,7,2,A100\n")
    assert seconds(taken) == 15 * 3600
    with pytest.raises(AssertionError, match="this is not a part of a card"):
        source_of(source.replace(", share: 1/7", "") + columns + ALL)


def test_a_date_in_place_of_a_duration_is_called_a_date() -> None:
    said = told(take(SOURCE + COLUMNS, b"id,h,n\na,16/10/2026 09:00,1\n"))[0]
    assert said == "dump.txt:2:1: this is a date, not a duration; map the column as `start` or `end`"


def test_two_columns_may_hold_the_same_if_a_file_has_one_of_them() -> None:
    columns = COLUMNS.replace("h: wall_hours", "h: wall_hours, hours: wall_hours")
    assert hours(columns, TABLE.encode()) == hours(columns, TABLE.replace("h,", "hours,", 1).encode()) == 9
    said = told(take(SOURCE + columns, b"id,h,hours,n\na,1,1,1\n"))[0]
    assert said == "dump.txt:1:1: two columns of this file hold `wall_hours`; remove one of them: `hours`"


def test_a_job_of_any_other_state_waits_where_the_source_says_so() -> None:
    columns = "  columns: {id: job, h: wall_hours, s: state}\n  constants: {gpus: 1}\n"
    source = SOURCE + columns + "  statuses: {done: completed, '*': queued}\n" + ALL
    taken = sound(source, b"id,h,s\na,2,done\nb,1,held\nc,,new\n")
    assert seconds(taken) == 2 * 3600
    assert skipped(taken) == {"pending": 2}


def test_a_bill_without_discounts_shows_what_is_billed_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = "  counts: money\n  columns: {id: job, paid: cost_usd}\n  constants: {state: completed}\n"
    root = planted(tmp_path, SOURCE + columns + ALL)
    (tmp_path / "bill.csv").write_text("id,paid\na,98.325\nb,0.5\n", "utf-8")
    assert main(["--root", str(root), "import", str(tmp_path / "bill.csv"), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "billed $\n" in said
    assert "  98.82 USD as read: 98.82 new" in said


def test_a_person_chooses_a_rule_and_is_stored_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = (
        "  rules:\n    ida: {when: {person: 'zz-ida'}, item: sft, seed: 1}\n    rest: {when: {name: '.*'}, item: rft}\n"
    )
    columns = (
        "  columns: {run: name, who: person, h: wall_hours, from: start}\n  constants: {state: completed, gpus: 2}\n"
    )
    root = planted(tmp_path, SOURCE + columns + rules)
    table = tmp_path / "runs.csv"
    table.write_text("run,who,h,from\na,zz-ida,2,2026-01-05\nb,zz-bo,1,2026-01-06\n", "utf-8")
    outcome = str(tmp_path / "rows.csv")
    for words in (["--suggest", str(table)], [str(table), "--rows", outcome], ["--explain", "a"], ["--check"]):
        assert main(["--root", str(root), "import", *words]) == 0
    said = capsys.readouterr()
    files = [path.read_text("utf-8") for path in (root / "ledger").rglob("*") if path.is_file()]
    written = [text for text in files if "person: " not in text]
    for text in (*written, said.out, said.err, Path(outcome).read_text("utf-8")):
        assert "zz-ida" not in text.replace("person: 'zz-ida'", "")
        assert "zz-bo" not in text
    runs = load(root)[0].projects["demo"].written[0].runs
    assert {(str(run.item), str(run.seed or "")) for run in runs} == {("sft", "1"), ("rft", "")}


def test_a_person_is_taken_out_of_what_is_stored(tmp_path: Path) -> None:
    columns = "  columns: {id: job, run: name, who: person, h: wall_hours}\n  constants: {state: completed, gpus: 1}\n"
    taken = sound(SOURCE + columns + ALL, b"id,run,who,h\na,zz-ida,zz-ida,1\nb,fit /home/zz-ida/x,zz-ida,1\nc,o,o,1\n")
    assert sorted(job.job.says["name"] for job in kept(taken)) == ["PERSON", "fit /home/PERSON/x", "o"]


def test_a_name_that_stands_for_an_id_is_stored_without_its_person(tmp_path: Path) -> None:
    columns = "  columns: {run: name, who: person, h: wall_hours}\n  constants: {state: completed, gpus: 1}\n"
    rows = b"run,who,h\nfit-zz-ida,zz-ida,1\nfit-zz-bo,zz-bo,2\nby zz-cy@lab.org,zz-bo,4\n"
    for key in ("", "  key: [run, h]\n"):
        taken = sound(SOURCE + columns + key + ALL, rows)
        assert seconds(taken) == 7 * 3600, "two persons have two runs"
        assert "zz-" not in str(kept(taken)) + str(list(taken.merged.jobs))


def test_persons_are_no_key(tmp_path: Path) -> None:
    source = SOURCE + COLUMNS.replace("n: gpus", "n: gpus, who: person") + "  rows: parts\n  key: [who, id]\n" + ALL
    problems = [str(problem) for problem in load(planted(tmp_path, source))[1]]
    assert len(problems) == 1
    assert "a key is stored, and this column holds persons; use columns that name the run" in problems[0]


LOG = """\
02/03/2026 10:00:00;Q;11.pbs;queue=gpu
02/03/2026 11:00:00;S;11.pbs;user=zz-ida queue=gpu jobname=sft start=1770116400
02/03/2026 13:00:00;E;11.pbs;user=zz-ida queue=gpu jobname=sft qtime=1770112800 start=1770116400 end=1770123600 \
Exit_status=0 Resource_List.ngpus=4 Resource_List.gpu_type=A100 resources_used.walltime=01:59:00
02/03/2026 13:30:00;E;12[3].pbs;user=zz-bo queue=gpu jobname="eval, short" start=1770123600 end=1770125400 \
Exit_status=271 Resource_List.ngpus=1 Resource_List.gpu_type=A100 resources_used.walltime=00:30:00
02/03/2026 14:30:00;R;13.pbs;user=zz-bo queue=gpu jobname=sft start=1770123600 end=1770127200 \
Resource_List.ngpus=2 Resource_List.gpu_type=A100 resources_used.walltime=01:00:00
02/03/2026 14:30:00;E;14.pbs;user=zz-bo queue=cpu jobname=prep start=1770123600 end=1770127200 \
Exit_status=1 resources_used.walltime=01:00:00
"""
PBS = SOURCE.replace("format: csv", "format: pbs") + ALL


def test_the_log_of_pbs_is_read_where_jobs_end() -> None:
    taken = sound(PBS, LOG.encode())
    assert float(seconds(taken) / 3600) == pytest.approx(4 * 119 / 60 + 0.5 + 2)
    assert {job.job.id: job.status for job in kept(taken) if job.ran} == {
        "11": "completed",
        "12[3]": "cancelled",
        "13": "preempted",
    }
    assert skipped(taken) == {"other events": 2, "without a GPU": 1}
    assert "zz-" not in "".join(line for job in kept(taken) for line in job.lines("s", None))
    assert "this is not an accounting log of PBS" in told(take(PBS, b"a,b\n1,2\n"))[0]
    assert "this is not a line of an accounting log" in told(take(PBS, LOG.encode() + b"cut o"))[0]


def test_a_run_without_an_id_that_was_renamed_is_told() -> None:
    columns = "  columns: {run: name, from: start, h: wall_hours}\n  constants: {state: completed}\n"
    first = b"run,from,h\na,2026-01-05,2\nb,2026-01-06,2\n"
    again = sound(SOURCE + columns + ALL, first, first)
    assert again.notes == []
    renamed = sound(SOURCE + columns + ALL, first, first.replace(b"\nb,", b"\nbest,"))
    assert [note.partition(": ")[2] for note in renamed.notes] == [
        "s/best@2026-01-06T00:00:00Z has the start, hours and GPUs of s/b@2026-01-06T00:00:00Z, which is not in this "
        "file: renamed? Both count"
    ]


def test_a_constant_name_stands_for_the_run() -> None:
    columns = "  columns: {from: start, h: wall_hours}\n  constants: {state: completed, name: cycle}\n"
    assert hours(columns, b"from,h\n2026-01-05T09:00,2\n2026-01-06T09:00,3\n") == 5


USED = "id,h,n,used\na,2,4,87.5\nb,1,1,\nc,1,1,0\n"


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("{is: utilisation, unit: percent}", USED),
        ("utilisation", USED.replace("87.5", "0.875")),
        ("utilisation", USED.replace("87.5", "87.5 %")),
    ],
)
def test_the_utilisation_of_a_row_becomes_that_of_its_entry(column: str, text: str) -> None:
    source = SOURCE + COLUMNS.replace("n: gpus", f"n: gpus, used: {column}") + ALL
    taken = sound(source, text.encode())
    entries = "".join(files(taken).values())
    assert "wall_hours: 7200 s, utilisation: 87.5%, job: s/a" in entries
    assert entries.count("utilisation:") == 2, "none is stated of b; that of c is 0"
    assert "utilisation: 0%" in entries


def test_utilisation_above_all_is_refused() -> None:
    source = SOURCE + COLUMNS.replace("n: gpus", "n: gpus, used: utilisation") + ALL
    wrong = "`utilisation` is more than 100%; state its unit: `{is: utilisation, unit: percent}`"
    assert wrong in told(take(source, USED.encode()))[0]


def test_what_is_kept_of_a_job_has_its_utilisation(tmp_path: Path) -> None:
    """So an import again finds the same, also of a job that is no run of the project."""
    ignored = "  rules:\n    none: {when: {name: b}, ignore: true}\n    all: {when: {name: '.*'}, item: data}\n"
    used = COLUMNS.replace("n: gpus", "n: gpus, used: {is: utilisation, unit: percent}")
    columns = used.replace("id: job", "id: name")
    taken = sound(SOURCE + columns + ignored, USED.replace("b,1,1,", "b,1,1,30").encode())
    assert "wall_seconds: 3600, utilisation: 30%" in files(taken)["lock"]
    again = {record.name: record for record in kept(taken)}
    assert len(again) == 3
    assert all(record.is_same(again[record.name]) for record in taken.merged.jobs.values())


@pytest.mark.parametrize(
    ("name", "cells", "guessed"),
    [
        ("GPU util %", ["87.5", "0.4"], {"is": "utilisation", "unit": "percent"}),
        ("avg_gpu_utilization", ["0.875", "0.4"], "utilisation"),
        ("Utilisation", ["87.5 %", "3 %"], "utilisation"),
        ("GPU util", ["high", "low"], None),
    ],
)
def test_utilisation_is_guessed_with_its_unit(name: str, cells: list[str], guessed: object) -> None:
    assert guess_columns([name], [[cell] for cell in cells]).columns.get(name) == guessed
