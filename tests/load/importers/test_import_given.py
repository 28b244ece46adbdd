"""Inputs as people have them: each gives its figure, if need be after pasting what the import printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from reckon.compute.calculation import calculate
from reckon.load.importers import sacct
from reckon.load.reader import load
from reckon.model.digests import digest_of
from tests.commands import given
from tests.exported import HAND, export, files, kept, seconds, skipped, sound, source_of, take, told
from tests.small import plant

TREE = {
    "ledger/catalog/gpus.yaml": "a100: {title: A100, vram_gib: 80}\n",
    "ledger/p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2026-01-01\ngpu: a100\n",
    "ledger/p/plan.yaml": (
        "w:\n  title: W\n  items:\n    sweep: {title: Sweep, scope: one-time, gpu_hours: 9000}\n"
        "    other: {title: Other, scope: one-time, gpu_hours: 9}\n"
    ),
}
ALL = "  rules: {all: {when: {name: '.*'}, item: sweep}}\n"
TABLE = "s:\n  format: csv\n  timezone: UTC\n  cards: {untyped: a100}\n"
SLURM = "s:\n  format: sacct\n  timezone: UTC\n  cards: {untyped: a100}\n"
HOURS = "  columns: {id: job, state: state, h: wall_hours, gpus: gpus}\n"
LINE = re.compile(r"`((?:statuses|decimal): [^`]*)`")


class Imported(NamedTuple):
    """What an import said, the GPU-hours and the dollars that the engine has then, and the source as it was at last."""

    code: int
    said: str
    hours: float
    dollars: float
    source: str


def imported(root: Path, source: str, text: str, **more: str) -> Imported:
    """A table imported into a tree of its own, with these files of a ledger beside those that are always there."""
    plant(root, {**TREE, "ledger/p/imports.yaml": source, "export.txt": text, **more})
    done = given(root, "--root", ".", "import", "export.txt")
    book, problems = calculate(load(root)[0])
    assert problems == []

    def use(address: str) -> float:
        figure = book.get(address)
        return round(float(figure.use or 0), 4) if figure else 0

    return Imported(done.returncode, done.stdout + done.stderr, use("p.actual.total"), use("p.actual.cost"), source)


def pasted(root: Path, source: str, text: str, skip: str = "") -> Imported:
    """An import that is refused, and then imported with the line that it offers; `skip` is what a person writes."""
    first = imported(root / "first", source, text)
    assert first.code == 2
    assert (first.hours, first.dollars) == (0, 0)
    line = LINE.search(first.said)
    written = f"skip: {skip}" if skip else line[1] if line else ""
    assert written
    assert "`skip:`" in first.said or not skip
    return imported(root / "then", f"{source}  {written}\n", text)


FIGURES = {
    "a header with words for states": (
        TABLE + "  columns: {id: job, state: state, h: wall_hours}\n",
        "id,state,h,completed,failed\na,COMPLETED,3,5,0\n",
        3,
    ),
    "a header with letters, signs and brackets": (
        TABLE + "  columns: {id: job, état: state, 'util [%]': name, h: wall_hours, '#GPUs': gpus}\n",
        "id,état,util [%],#GPUs,h,\na,COMPLETED,x,2,3,\n",
        6,
    ),
    "a sign that is named": (TABLE + "  delimiter: ':'\n" + HOURS, "id:state:h:gpus\na:COMPLETED:3:4\n", 12),
    "a decimal comma": (
        TABLE + HOURS,
        "id;state;h;gpus\na;CD;2,5;2\nb;CD;1.000,25;2\nc;CD;2.000;2\n",
        6005.5,
    ),
    "commas between thousands": (
        TABLE + HOURS,
        'id,state,h,gpus\na,CD,"1,000.5",2\nb,CD,"2,000",1\nc,CD,1.5,2\n',
        4004,
    ),
    "a semicolon": (TABLE + HOURS, "id;state;h;gpus\na;COMPLETED;3;4\n", 12),
    "start and end": (
        TABLE + "  columns: {id: job, state: state, start: start, end: end, gpus: gpus}\n",
        "id,state,start,end,gpus\na,COMPLETED,2025-05-01T10:00:00Z,2025-05-01T13:30:00Z,4\n",
        14,
    ),
    "shares of a GPU": (
        TABLE + HOURS,
        "id,state,h,gpus\na,COMPLETED,3,0.25\nb,COMPLETED,1,1.5\nc,FAILED,2,2.0\n",
        6.25,
    ),
    "a preamble": (TABLE + HOURS, "Report,of May,\nUnit,h,\n\nid,state,h,gpus\na,COMPLETED,3,4\n", 12),
    "no Submit and no Start": (
        SLURM,
        "JobID|JobName|State|Elapsed|AllocTRES\n7_1|a|COMPLETED|01:30:00|cpu=2,gres/gpu=2\n7_1.batch|b|COMPLETED|1|\n"
        "8|a|TIMEOUT|00:00:36|gres/gpu=1\n",
        3.01,
    ),
    "GPUs of each node": (
        SLURM.replace("{", "{k80: a100, "),
        "JobIDRaw|Submit|Start|End|State|ElapsedRaw|AllocGRES|NNodes|JobName\n"
        "1|2020-05-01T09:00:00|2020-05-01T10:00:00|2020-05-01T12:00:00|COMPLETED|7200|gpu:3|2|a\n"
        "2|2020-05-01T09:00:00|2020-05-01T10:00:00|2020-05-01T11:00:00|COMPLETED|3600|craynetwork:1,gpu:k80:2|1|a\n"
        "3|2020-05-01T09:00:00|2020-05-01T10:00:00|2020-05-01T11:00:00|COMPLETED|3600|7696487:1|3|a\n"
        "4|2020-05-01T09:00:00|2020-05-01T10:00:00|2020-05-01T11:00:00|COMPLETED|3600||1|a\n",
        12 + 2 + 3,
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_what_was_refused_gives_its_figure(tmp_path: Path, name: str) -> None:
    source, text, hours = FIGURES[name]
    first = imported(tmp_path, source + ALL, text)
    assert (first.code, first.hours) == (0, hours), first.said
    assert (
        "Nothing written: everything is already imported."
        in given(tmp_path, "--root", ".", "import", "export.txt").stdout
    )
    assert given(tmp_path, "--root", ".", "import", "--check").returncode == 0
    assert "+ 0 new  ~ 0 replaced" not in first.said


NO_STATE = TABLE + "  columns: {id: job, start: start, h: wall_hours, gpus: gpus}\n" + ALL
PASTED = {
    "no column of a state": (NO_STATE, "id,start,h,gpus\na,2025-05-01T10:00:00Z,3,4\n", "", 12),
    "an empty state": (TABLE + HOURS + ALL, "id,state,h,gpus\na,,3,4\nb,FAILED,1,1\n", "", 13),
    "periods of a pod": (
        TABLE + "  columns: {Name: job, From: submit, To: end, GPU Hours: gpu_hours}\n" + ALL,
        "Name,From,To,GPU Hours\nx,2024-03-19T00:00:00Z,2024-03-20T00:00:00Z,48\n"
        "x,2024-03-20T00:00:00Z,2024-03-21T00:00:00Z,30.5\n",
        "",
        78.5,
    ),
    "thousands or parts": (TABLE + HOURS + ALL, "id;state;h;gpus\na;CD;2.500;2\n", "", 5000),
    "commas that may be either": (TABLE + HOURS + ALL, 'id,state,h,gpus\na,CD,"1,500",2\n', "", 3),
    "a sum below a table": (TABLE + HOURS + ALL, "id,state,h,gpus\na,CD,3,4\n,,12,Total\n", "Total", 12),
    "a sum with a name": (TABLE + HOURS + ALL, "id,state,h,gpus\na,CD,3,4\nTotal,,12,\n", "Total", 12),
    "a line that is no row": (
        SLURM + "  columns: [JobID, State, Elapsed, AllocTRES, JobName]\n" + ALL,
        "1|COMPLETED|02:00:00|gres/gpu=2|a\nno row at all\n",
        "no row.*",
        4,
    ),
    "a line that is no row in pairs": (
        SLURM + ALL,
        'JobID=1,State=COMPLETED,Elapsed=02:00:00,"AllocTRES=gres/gpu=2",Submit=0,Start=0\nfoo=Total\n',
        "Total",
        4,
    ),
}


@pytest.mark.parametrize("name", PASTED)
def test_a_line_that_an_import_offers_gives_the_figure(tmp_path: Path, name: str) -> None:
    source, text, skip, hours = PASTED[name]
    then = pasted(tmp_path, source, text, skip)
    assert (then.code, then.hours) == (0, hours), then.said
    assert ("skipped by pattern 1" in then.said) == bool(skip)
    assert given(tmp_path / "then", "--root", ".", "import", "--check").returncode == 0


INVOICE = """\
Invoice number,77,
Currency,USD,
Total amount due,$9.99,

Account,SKU ID,Service,Kind,Start,Usage,Cost ($)
x,A1,Compute,Usage,2026-05-01,"6,282.708",700.25
x,B2,Storage,Usage,2026-05-01,10,$0.125
,,,Rounding,,,-0.003
,,,Total,,,700.375
"""


def test_an_invoice_gives_its_money_without_the_sums_below_it(tmp_path: Path) -> None:
    columns = "{SKU ID: job, Service: name, Start: start, Cost ($): cost_usd}"
    source = f"s:\n  format: csv\n  counts: money\n  timezone: UTC\n  columns: {columns}\n{ALL}"
    then = pasted(tmp_path, source, INVOICE, "Total|Rounding")
    assert (then.code, then.dollars) == (0, 700.375)
    assert "8 lines read (1 header)\n+ 2 new  ~ 0 replaced  = 0 same  – 5 skipped (" in then.said
    assert "(above the header 3, skipped by pattern 2)\n" in then.said


def test_a_charge_with_a_comma_is_read(tmp_path: Path) -> None:
    source = "s:\n  format: csv\n  counts: money\n  timezone: UTC\n  columns: {id: job, at: start, c: cost_usd}\n" + ALL
    assert imported(tmp_path, source, "id;at;c\na;2025-05-01;12,50\n").dollars == 12.5


@pytest.mark.parametrize("text", ["1,234", "1.234"])
def test_a_number_that_may_be_two_is_never_guessed(text: str) -> None:
    right = "state the decimal mark: `decimal: ','` or `decimal: '.'`"
    table = f"id;state;h;gpus\na;COMPLETED;{text};1\nb;COMPLETED;1;{text}\n".encode()
    assert told(take(TABLE + HOURS, table)) == [
        f"dump.txt:2:1: the duration is not readable; {right}",
        f"dump.txt:3:1: the count of GPUs is not a number from 0 to 1,000,000; {right}",
    ]


@pytest.mark.parametrize(
    ("mark", "text"), [(",", "1.5"), (",", "1,234.5"), (".", "1,5"), (".", "1.234,5"), (",", "1.50")]
)
def test_a_number_with_another_mark_than_its_source_says_is_refused(mark: str, text: str) -> None:
    table = f"id;state;h;gpus\na;COMPLETED;{text};1\n".encode()
    right = "write it as 1-02:03:04, or as a number, and its unit under `columns:`, or skip it with `skip:`"
    assert told(take(f"{TABLE}  decimal: '{mark}'\n{HOURS}", table)) == [
        f"dump.txt:2:1: the duration is not readable; {right}"
    ]


def test_what_a_number_of_gpus_can_be() -> None:
    right = "the count of GPUs is not a number from 0 to 1,000,000; check the column for `gpus`"
    for text in ("two", "-1", "1000001", "1e9", "²"):
        table = f"id,state,h,gpus\na,COMPLETED,1,{text}\n".encode()
        assert told(take(TABLE + HOURS, table)) == [f"dump.txt:2:1: {right}, or skip it with `skip:`"]


def test_a_part_of_a_gpu_is_read_back_as_it_was() -> None:
    taken = sound(TABLE.replace("a100", "a100-40gb") + HOURS, b"id,state,h,gpus\na,COMPLETED,1,0.25\n")
    assert seconds(taken) == 900
    assert "gpus: 1/4" in files(taken)["ledger/demo/runs/import/s-undated.yaml"]
    assert kept(taken)[0].job.gpus == next(iter(taken.merged.jobs.values())).job.gpus


def test_an_empty_state_may_mean_anything_and_keeps_its_meaning() -> None:
    text = TABLE + HOURS + "  statuses: {'': failed}\n"
    taken = sound(text, b"id,state,h,gpus\na,,1,1\nb, ,1,1\n")
    assert [job.status for job in taken.merged.jobs.values()] == ["failed", "failed"]
    assert [job.status for job in kept(taken)] == ["failed", "failed"]
    wrong = "the state is empty; map it: `statuses: {'': completed}`, or skip it with `skip:`"
    assert told(take(HAND, export({"State": ""}))) == [f"dump.txt:2:1: {wrong}"]


def test_an_end_before_the_start_and_an_hour_that_is_there_twice_are_told() -> None:
    text = TABLE.replace("UTC", "Europe/Oslo") + "  columns: {id: job, state: state, start: start, end: end}\n"
    rows = [
        "a,CD,2025-05-01T10:00:00,2025-05-01T09:00:00",
        "b,CD,2025-10-26T01:00:00,2025-10-26T02:30:00",
        "c,CD,2025-10-26T01:00:00,2025-10-26T02:30:00+01:00",
        "d,CD,16/10/2025,17/10/2025",
        "e,R,2025-10-26T01:00:00,",
    ]
    taken = take(text, ("id,state,start,end\n" + "\n".join(rows) + "\n").encode())
    assert told(taken) == [
        "dump.txt:2:1: the end is before the start; correct or remove the row in a copy of the export",
        "dump.txt:3:1: the duration is not readable; "
        "its start or end is in an hour that occurs twice; add the offset from UTC",
        "dump.txt:5:1: `start` is a date with the day or the month first; "
        "state which in the source: `dates: day-first` or `dates: month-first`",
    ]
    assert [(fate.line, fate.word) for fate in taken.left] == [(1, "header"), (6, "without an end")]


def test_a_header_is_asked_for_by_the_columns_that_are_mapped() -> None:
    wrong = "dump.txt:1:1: there is no column `h`; "
    assert told(take(TABLE + HOURS, b"id,state,gpus\na,CD,1\n")) == [wrong + "the columns are id, state, gpus"]
    assert told(take(TABLE + HOURS, "id,état,gpus\na,CD,1\n".encode())) == [
        "dump.txt:1:1: there is no column `state`; check its first line"
    ]
    below = b"x\n" * 50 + b"id,state,h,gpus\na,CD,1,1\n"
    assert told(take(TABLE + HOURS, below)) == ["dump.txt:1:1: there is no column `id`; check its first line"]


def test_what_an_export_without_dates_loses_is_told() -> None:
    taken = sound(HAND, b"JobID|State|Elapsed|AllocTRES|Submit\n7|CD|01:00:00|gres/gpu=1|2025-03-01T09:00:00\n")
    assert taken.notes == [
        "dump.txt has no Start: without Start, jobs have no day and rows of one id cannot be ordered; next time, "
        f"export with: {sacct.EXPORT}"
    ]
    assert sound(HAND, export({})).notes == []


def test_gpus_of_each_node_need_the_number_of_nodes() -> None:
    head = "JobIDRaw|Submit|Start|End|State|ElapsedRaw|AllocGRES"
    row = "1|2020-05-01T09:00:00|2020-05-01T10:00:00|2020-05-01T11:00:00|COMPLETED|3600|gpu:4"
    wrong = "the count of GPUs is not a whole number; AllocGRES counts GPUs per node; export NNodes too"
    assert told(take(HAND, f"{head}\n{row}\n".encode())) == [f"dump.txt:2:1: {wrong}"]
    assert seconds(sound(HAND, f"{head}|NNodes\n{row}|2\n".encode())) == 8 * 3600
    for odd in ("gpu", "gpu:many", "gpu:-1", "gpu:9999999999999"):
        assert told(take(HAND, f"{head}|NNodes\n{row.replace('gpu:4', odd)}|2\n".encode())) == [
            f"dump.txt:2:1: {wrong}"
        ]
    assert skipped(sound(HAND, f"{head}|NNodes\n{row.replace('gpu:4', 'mic:1')}|2\n".encode())) == {"without a GPU": 1}


MIG = (
    "JobIDRaw|Submit|Start|End|State|ElapsedRaw|AllocTRES|JobName\n"
    "20|2025-05-01T10:00:00|2025-05-01T11:00:00|2025-05-01T18:00:00|COMPLETED|25200|gres/gpu=1,gres/gpu:one=1|mig\n"
    "21|2025-05-01T10:00:00|2025-05-01T11:00:00|2025-05-01T13:00:00|COMPLETED|7200|gres/gpu=2|big\n"
)
UNUSED = """\
s:
  format: sacct
  timezone: UTC
  cards: {untyped: a100, one: a100, h100: a100}
  statuses: {odd: failed, completed: completed}
  skip: Total
  gpus: {slice: {when: {name: mig}, if: untyped, share: 1/7}, none: {when: {name: x}, if: unstated, count: 0}}
  rules:
    early: {when: {name: nobody}, item: other}
    all: {when: {name: '.*'}, item: sweep}
    late: {when: {name: big}, item: other}
"""


PART = ": jobs state the type one, and a part of a GPU is a separate card, with `counts_as: {CARD: 1/7}`"


def test_a_setting_that_matched_nothing_is_told(tmp_path: Path) -> None:
    first = imported(tmp_path, UNUSED, MIG)
    told = [line for line in first.said.splitlines() if "matched nothing" in line]
    assert told == [
        "`skip: Total` matched nothing in this export",
        "`rules: early` matched nothing in this export, or an earlier rule took all its jobs",
        "`rules: late` matched nothing in this export, or an earlier rule took all its jobs",
        f"`gpus: slice` matched nothing in this export{PART}",
        f"`gpus: none` matched nothing in this export{PART}",
        "`cards: h100` matched nothing in this export",
        "`statuses: odd` matched nothing in this export",
    ]
    assert first.hours == 7 + 4


def test_the_card_that_is_offered_for_a_slice_gives_its_hours(tmp_path: Path) -> None:
    said = imported(tmp_path / "first", UNUSED, MIG).said
    kind, counts = re.findall(r"the type (\w+), and .* with `(counts_as: .*)`", said)[0]
    source = UNUSED.replace(f"{kind}: a100", f"{kind}: part")
    cards = TREE["ledger/catalog/gpus.yaml"] + f"part: {{title: Part, {counts.replace('CARD', 'a100')}}}\n"
    then = imported(tmp_path / "then", source, MIG, **{"ledger/catalog/gpus.yaml": cards})
    assert (then.code, then.hours) == (0, 1 + 4), then.said


def test_what_matched_in_an_earlier_import_is_no_complaint(tmp_path: Path) -> None:
    source = SLURM.replace("{", "{one: a100, ") + (
        "  rules: {mig: {when: {name: mig}, item: sweep}, big: {when: {name: big}, item: other}}\n"
    )
    assert "matched nothing" not in imported(tmp_path, source, MIG).said
    head, _, big = MIG.splitlines()
    (tmp_path / "later.txt").write_text(f"{head}\n{big.replace('21|', '22|')}\n", "utf-8")
    assert "matched nothing" not in given(tmp_path, "--root", ".", "import", "later.txt").stdout


def test_jobs_of_a_rule_that_ignores_them_may_have_a_type_without_a_card(tmp_path: Path) -> None:
    slices = "  gpus: {slice: {when: {name: mig}, if: untyped, share: 1/7}}\n"
    ignored = "  rules: {mig: {when: {name: mig}, ignore: paid elsewhere}, all: {when: {name: '.*'}, item: sweep}}\n"
    first = imported(tmp_path, SLURM + slices + ignored, MIG)
    assert (first.code, first.hours) == (0, 4)
    assert f"`gpus: slice` matched nothing in this export{PART}" in first.said


def test_at_most_twelve_settings_are_told(tmp_path: Path) -> None:
    cards = ", ".join(f"c{number}: a100" for number in range(20))
    said = imported(tmp_path, SLURM.replace("{", f"{{one: a100, {cards}, ") + ALL, MIG).said
    assert said.count("matched nothing in this export") == 12
    assert "… and 8 more settings without a match" in said


def test_a_setting_for_other_exports_is_refused(tmp_path: Path) -> None:
    for text, wrong in (
        ("c: {format: codecarbon, decimal: ','}\n", "`decimal` does not apply to `codecarbon`; remove `decimal`"),
        ("c: {format: sacct-json, skip: x}\n", "`skip` does not apply to `sacct-json`; remove `skip`"),
    ):
        plant(tmp_path, {**TREE, "ledger/p/imports.yaml": text})
        assert [f"{problem.wrong}; {problem.right}" for problem in load(tmp_path)[1]] == [wrong]


def test_a_part_that_a_card_counts_as_is_a_fraction(tmp_path: Path) -> None:
    cards = "a100: {title: A}\npart: {title: B, counts_as: {a100: 2/7}}\n"
    runs = "- {date: 2025-01-02, item: sweep, gpu: part, gpus: 1, wall_hours: 7, job: a}\n"
    plant(tmp_path, {**TREE, "ledger/catalog/gpus.yaml": cards, "ledger/p/runs/2025-01.yaml": runs})
    assert calculate(load(tmp_path)[0])[0]["p.actual.total"].use == 2


def test_settings_that_a_source_does_not_state_leave_its_rules_as_they_were() -> None:
    assert digest_of(source_of(HAND)[1]) == "1186e20f4efc5160"
    assert digest_of(source_of(HAND + "  skip: Total\n")[1]) != "1186e20f4efc5160"


def test_an_engine_leaves_out_no_rows_by_a_pattern_and_asks_for_dates(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("ibis")
    plant(tmp_path, {**TREE, "ledger/p/imports.yaml": SLURM + "  skip: Total\n" + ALL, "export.txt": MIG})
    words = "--root", ".", "import", "export.txt", "--engine", "duckdb"
    assert "DuckDB does not support `skip`; import the file without --engine" in given(tmp_path, *words).stderr
    undated = "JobID|State|Elapsed|AllocTRES\n7|CD|01:00:00|gres/gpu=1\n"
    plant(tmp_path, {"ledger/p/imports.yaml": SLURM + ALL, "export.txt": undated})
    assert "there is no column for its submit time (Submit) and its start (Start)" in given(tmp_path, *words).stderr
