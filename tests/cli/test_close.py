"""`budget close` from the outside: a period stays closed, what is learned later adjusts it, and both add up."""

from __future__ import annotations

import csv
import io
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.model.closing import by_row, items_of, read_closing, total_of
from reckon.publish import journal
from reckon.publish.files import Blocked
from tests.commands import given
from tests.exported import FOX, SAMPLES, planted
from tests.killing import COMMAND, killed
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
GRANT = "spring: {title: Spring grant, gpu_hours: 2000, projects: [demo, other]}\n"
OTHER = {
    "ledger/other/project.yaml": "title: Other\nversion: 1.0\nas_of: 2025-09-01\ngpu: a100-40gb\ncontingency: 10%\n",
    "ledger/other/plan.yaml": "p: {title: P, items: {work: {title: Work, scope: one-time, gpu_hours: 50}}}\n",
    "ledger/other/runs/2025-09.yaml": "- {date: 2025-09-03, item: work, gpu_hours: 10, cost_usd: 7.5}\n"
    "- {date: 2025-10-03, item: work, gpu_hours: 4, status: failed}\n",
}
Q3 = "ledger/demo/closings/spring.2025-Q3.json"
# Of the sample: a job that had run for 4,656 s on one L40S when it was exported, and of which a later export says that
# it failed after 600,000 s: 403,105 s of these, from 2025-09-26 08:01:35 to midnight, belong to the third quarter.
RUNNING = "|RUNNING|2025-09-26T08:01:35|Unknown||||||4656|"
FAILED = "|FAILED|2025-09-26T08:01:35|2025-10-03T06:41:35||||||600000|"
JOB = "1956895|1956895|"
CLOSED_S, LATER_S, OPEN_S, WAS_S = 3_360_033, 398_449, 196_895, 4_656
HOUR = 3600


def ran(root: Path, *words: str) -> tuple[int, str, str]:
    """A command in this process: its code, and what it printed."""
    done = given(ROOT, "--root", str(root), *words)
    return done.returncode, done.stdout, done.stderr


def fox(root: Path) -> Path:
    """A tree with a grant of two projects, of which one imports the sample of Fox."""
    plant(root, {**OTHER, "ledger/allocations.yaml": GRANT})
    return planted(root, FOX)


def later(root: Path) -> Path:
    """The sample as it is exported some days later: one of its jobs has failed."""
    lines = (SAMPLES / "fox.txt").read_text("utf-8").splitlines(keepends=True)
    (at,) = [number for number, line in enumerate(lines) if line.startswith(JOB)]
    assert RUNNING in lines[at]
    lines[at] = lines[at].replace(RUNNING, FAILED)
    file = root / "later.txt"
    file.write_text("".join(lines), "utf-8")
    return file


def tree_of(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def rows(root: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((root / "docs/allocations/spring.csv").read_text("utf-8"))))


def seconds(some: list[dict[str, str]], column: str = "used_gpu_hours") -> int:
    """GPU-seconds of some rows of the csv."""
    return round(sum(Fraction(row[column]) for row in some) * HOUR)


def test_a_closed_quarter_keeps_its_sums_through_a_later_import(tmp_path: Path) -> None:
    root = fox(tmp_path)
    assert ran(root, "import", "demo", str(SAMPLES / "fox.txt"))[0] == 0
    code, out, err = ran(root, "close", "2025-Q3", "--date", "2025-10-02", "-m", "For the funder")
    assert (code, err) == (0, "")
    incomplete = "29 failed"
    assert (
        f"Closed 2025-Q3 of Spring grant: 943 GPU-h used, 914 completed or running, {incomplete}, $7.50 stated"
        in out.splitlines()
    )
    assert ran(root, "render")[0] == 0
    sealed = (root / Q3).read_bytes()
    closed = read_closing(sealed.decode(), Q3)
    assert total_of(closed.sums, "used") == Fraction(CLOSED_S, HOUR)

    export = later(root)
    code, out, err = ran(root, "import", "demo", str(export))
    assert (code, err) == (0, "")
    said = "+111 GPU-h (data on l40s +111 and −1.3 completed or running and +112 failed) in demo, −111 GPU-h left"
    assert out.splitlines()[-1] == f"2025-Q3 of Spring grant is closed: adjusted by {said}"
    assert (root / Q3).read_bytes() == sealed, "what is closed never changes"
    (file,) = (root / "ledger/demo/closings").glob("*adjusted*")
    assert file.name.startswith("spring.2025-Q3.adjusted-2025-10-03-"), "the last moment of the newest export"
    adjustment = read_closing(file.read_text("utf-8"), f"ledger/demo/closings/{file.name}")
    moved = by_row(adjustment.sums)
    assert moved == {
        ("", ""): {"left": Fraction(-LATER_S, HOUR)},
        ("data", "l40s"): {
            "used": Fraction(LATER_S, HOUR),
            "held": Fraction(LATER_S, HOUR),
            "useful": Fraction(-WAS_S, HOUR),
            "failed": Fraction(LATER_S + WAS_S, HOUR),
        },
    }

    assert ran(root, "render")[0] == 0
    by = {state: [row for row in rows(root) if row["state"] == state] for state in ("closed", "adjusted", "open")}
    assert seconds([row for row in by["closed"] if row["project"] == "demo"]) == CLOSED_S
    assert (seconds(by["adjusted"]), seconds(by["adjusted"], "useful_gpu_hours")) == (LATER_S, -WAS_S)
    assert {row["day"] for row in by["adjusted"]} == {"2025-10-03"}
    assert seconds(by["open"]) == OPEN_S + 4 * HOUR
    now = CLOSED_S + 600_000 - WAS_S + 14 * HOUR  # all of the later export, and the two runs of the other project
    assert seconds(rows(root)) == now
    _, used, _ = ran(root, "explain", "allocations.spring.used")
    assert f"{now / HOUR:,.0f} GPU-h" in used
    page = (root / "docs/allocations/spring.md").read_text("utf-8").splitlines()
    assert (
        "| 2025-Q3 | closed on 2025-10-02 | 943.34 | 110.68 | 1,054.02 | 913.09 | 140.93 | 2,000.00 | 945.98 | 7.50 |"
        in page
    )
    assert "| since 2025-10-01 | open |  |  | 58.69 | 0.00 | 58.69 | 2,000.00 | 887.28 | – |" in page
    assert "| 2025-10-03 | 2025-Q3 | Demo | `data` | 110.68 | −1.29 | 111.97 | −110.68 | import from fox |" in page

    before = tree_of(root)
    for words in (["import", "demo", str(export)], ["close", "--adjust"], ["render"], ["render", "--check"]):
        assert ran(root, *words)[0] == 0
    assert ran(root, "close", "2025-Q3")[0] == 2
    assert tree_of(root) == before, "the second run of everything changes nothing"


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """The small tree with a grant, its first quarter closed: 13 GPU-h of training and 3.5 of others."""
    grant = {"ledger/allocations.yaml": "spring: {title: Spring grant, gpu_hours: 100, projects: [demo]}\n"}
    late = {"ledger/demo/runs/2026-04.yaml": "- {date: 2026-04-02, item: test, gpu_hours: 1}\n"}
    root = plant(tmp_path / "tree", {**SMALL, **grant, **late})
    assert does(root, "close", "2026-Q1", "--date", "2026-04-05") == 0
    return root


def does(root: Path, *words: str) -> int:
    return main(["--root", str(root), *words])


FIRST = "ledger/demo/closings/spring.2026-Q1.json"
ENTRY = ["add", "run", "demo", "--date", "2026-03-03", "--item", "test", "--gpu-hours", "1"]


def edited(root: Path, file: str, old: str, new: str) -> None:
    path = root / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_what_is_closed_is_plain_to_read(closed: Path) -> None:
    text = (closed / FIRST).read_text("utf-8")
    assert text.splitlines()[:-2] == [
        "{",
        ' "format": 2,',
        ' "allocation": "spring",',
        ' "project": "demo",',
        ' "period": "2026-Q1",',
        ' "date": "2026-04-05",',
        ' "reason": "",',
        ' "through": "2026-04-02",',
        ' "number": 0,',
        ' "projects": ["demo"],',
        ' "unit": "GPU-h",',
        ' "balance": {"granted": "100", "left": "83.5"},',
        ' "sums": [',
        '  {"item": "(unplanned)", "gpu": "card", "used": "2", "useful": "2", "held": "2"},',
        '  {"item": "test", "gpu": "card", "used": "1.5", "useful": "1.5", "held": "1.5", "cost_usd": "3"},',
        '  {"item": "train", "gpu": "card", "used": "13", "useful": "10", "failed": "3", "held": "13"}',
        " ],",
    ]


def test_an_edit_of_a_closed_month_is_refused_until_it_is_adjusted(
    closed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert does(closed, "check") == 0
    edited(closed, "ledger/demo/runs/2026-01.yaml", "wall_hours: 3,", "wall_hours: 5,")
    capsys.readouterr()
    assert does(closed, "check") == 1
    said, right = capsys.readouterr().out.splitlines()[0].split("; ")
    changed = "+2 GPU-h (train on card +2 and +2 failed) in demo, −2 GPU-h left"
    assert said == f"{FIRST}:1:1: 2026-Q1 of spring is closed, and was changed by {changed}"
    assert right.endswith(" close --adjust` records the adjustment, or undo the edit [closed-changed]")
    assert does(closed, "review") == 0
    assert "2026-Q1 of spring is closed, and was changed by +2 GPU-h" in capsys.readouterr().out
    assert does(closed, "render") == 0
    assert "| 2026-Q1 | closed on 2026-04-05 | 16.50 | 0.00 | 2.00 | 18.50 |" in page_of(closed)
    assert does(closed, "close", "--adjust", "--date", "2026-04-09", "-m", "A slip of the pen") == 0
    assert does(closed, "check") == 0
    assert does(closed, "render") == 0
    assert "| 2026-Q1 | closed on 2026-04-05 | 16.50 | 2.00 | 18.50 |" in page_of(closed)
    assert "| 2026-04-09 | 2026-Q1 | Demo | `train` | 2.00 | 0.00 | 2.00 | −2.00 | A slip of the pen |" in page_of(
        closed
    )


def page_of(root: Path) -> str:
    return (root / "docs/allocations/spring.md").read_text("utf-8")


def test_a_changed_ratio_and_a_changed_status_are_adjusted_too(tmp_path: Path) -> None:
    files = {
        **SMALL,
        "ledger/catalog/gpus.yaml": "card: {title: Card}\nold: {title: Old, counts_as: {card: 0.5}}\n",
        "ledger/allocations.yaml": "spring: {title: Spring grant, gpu_hours: 100, projects: [demo]}\n",
        "ledger/demo/runs/2026-03.yaml": "- {date: 2026-03-02, item: test, gpu: old, gpu_hours: 8}\n"
        "- {date: 2026-04-02, item: test, gpu_hours: 1}\n",
    }
    root = plant(tmp_path, files)
    assert does(root, "close", "2026-03", "--date", "2026-04-05") == 0
    edited(root, "ledger/catalog/gpus.yaml", "0.5", "0.25")  # 8 h count as 2 and no more as 4
    assert does(root, "check") == 1
    assert does(root, "close", "2026-03", "--adjust", "--date", "2026-04-06") == 0
    edited(root, "ledger/demo/runs/2026-03.yaml", "gpu_hours: 8", "gpu_hours: 8, status: failed")
    assert does(root, "close", "--adjust", "--allocation", "spring", "--date", "2026-04-07") == 0
    found = [
        read_closing(path.read_text("utf-8"), f"ledger/demo/closings/{path.name}")
        for path in sorted((root / "ledger/demo/closings").glob("*adjusted*"))
    ]
    assert [(each.date, by_row(items_of(each.sums))) for each in found] == [
        ("2026-04-06", {("test", "old"): {"used": -2, "useful": -2}}),
        ("2026-04-07", {("test", "old"): {"useful": -2, "failed": 2}}),
    ]
    assert does(root, "check") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["2026-Q1"], "2026-Q1 of Spring grant was closed on 2026-04-05 and never changes"),
        (["2026-02"], "2026-02 of Spring grant meets 2026-Q1, closed on 2026-04-05; name one that does not overlap"),
        (["2025-12"], "Spring grant was charged nothing in 2025-12; there is nothing to close"),
        (
            ["2026-04"],
            "2026-04 of Spring grant has not ended: it goes to 2026-04-30, and its projects are known "
            "through 2026-04-02; import later runs, or set `as_of` of a project to a later day",
        ),
        (["2026-Q5"], "`2026-Q5` is not a period; write 2026, 2026-Q3 or 2026-09"),
        (["2025-Q4", "--date", "2025-12-31"], "2025-Q4 goes to 2025-12-31, and cannot be closed on 2025-12-31"),
        (["2025-Q4", "--date", "2999-01-01"], "`2999-01-01` has not come yet"),
        (["2025-Q4", "--allocation", "sprung"], "there is no allocation `sprung`; did you mean `spring`?"),
        (["2025-Q4", "--adjust"], "2025-Q4 is not closed and needs no adjustment"),
        (["2025-Q4", "-m", "\x1b[2J"], "U+001B is not allowed in a text; remove it from the reason"),
    ],
)
def test_what_cannot_be_closed_is_said(
    closed: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = tree_of(closed)
    capsys.readouterr()
    assert does(closed, "close", *words) == 2
    assert said in capsys.readouterr().err
    assert tree_of(closed) == before


def test_hours_that_two_allocations_could_be_charged_for_are_not_closed(tmp_path: Path) -> None:
    """14 GPU-h of the other project, of which 4 are of the fourth quarter, could be of either."""
    second = "second: {title: Second grant, gpu_hours: 100, since: 2025-10, projects: [other]}\n"
    fox(plant(tmp_path, {"ledger/allocations.yaml": GRANT + second}))
    plant(tmp_path, {"ledger/allocations.yaml": GRANT + second})
    assert ran(tmp_path, "close", "2025-Q3", "--date", "2025-10-05")[0] == 0
    before = tree_of(tmp_path)
    code, _, err = ran(tmp_path, "close", "2025-10", "--allocation", "second", "--date", "2025-12-05")
    said = "4 GPU-h of 2025-10 could be charged to “Spring grant” or “Second grant”"
    assert (code, err) == (2, f"{said}; name who pays for them, as `allocation: second`\n")
    assert tree_of(tmp_path) == before
    assert ran(tmp_path, "render")[0] == 0
    page = (tmp_path / "docs/allocations/spring.md").read_text("utf-8")
    assert "could be charged to “Spring grant” or “Second grant”" in page


def test_a_tree_without_allocations_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert does(plant(tmp_path), "close", "2026-01") == 2
    assert "there is no allocation to close; add one to ledger/allo" in capsys.readouterr().err


def test_an_adjustment_is_not_learned_before_the_period_was_closed(
    closed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edited(closed, "ledger/demo/runs/2026-01.yaml", "wall_hours: 3,", "wall_hours: 5,")
    assert does(closed, "close", "--adjust", "--date", "2026-04-01") == 2
    assert "2026-Q1 of Spring grant was closed on 2026-04-05, after 2026-04-01" in capsys.readouterr().err


def test_a_trial_writes_nothing(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edited(closed, "ledger/demo/runs/2026-01.yaml", "wall_hours: 3,", "wall_hours: 5,")
    before = tree_of(closed)
    assert does(closed, "close", "--adjust", "--dry-run") == 0
    assert does(closed, *ENTRY, "--dry-run") == 0
    assert capsys.readouterr().out.count("2026-Q1 of Spring grant is closed: adjusted by") == 2
    assert tree_of(closed) == before


def test_entries_that_commands_add_and_change_are_adjusted_with_them(closed: Path) -> None:
    assert does(closed, *ENTRY, "--job", "7") == 0
    assert does(closed, "update", "run", "demo", "--job", "7", "--gpu-hours", "4") == 0
    found = [
        read_closing(path.read_text("utf-8"), f"ledger/demo/closings/{path.name}")
        for path in (closed / "ledger/demo/closings").glob("*adjusted*")
    ]
    assert sorted((each.number, total_of(each.sums, "used"), each.reason) for each in found) == [
        (1, 1, "entries added"),
        (2, 3, "an entry changed"),
    ]
    assert does(closed, "check") == 0
    assert does(closed, "add", "run", "demo", "--date", "2026-04-03", "--item", "test", "--gpu-hours", "1") == 0
    assert len(list((closed / "ledger/demo/closings").iterdir())) == 3, "an open period needs no adjustment"


def test_an_edit_by_hand_is_not_hidden_by_the_next_command(closed: Path) -> None:
    edited(closed, "ledger/demo/runs/2026-01.yaml", "wall_hours: 3,", "wall_hours: 5,")
    assert does(closed, *ENTRY) == 0
    assert does(closed, "check") == 1


def test_what_two_people_learn_at_one_time_adds_up(closed: Path, tmp_path: Path) -> None:
    """Each adds a run in a copy of the tree; merged, both files are there and the sums are right."""
    for number, hours in enumerate(("1", "2")):
        copy = plant(tmp_path / f"copy{number}", {name: text.decode() for name, text in tree_of(closed).items()})
        assert does(copy, "add", "run", "demo", "--date", "2026-03-03", "--item", "test", "--gpu-hours", hours) == 0
    for number in (0, 1):
        new = tree_of(tmp_path / f"copy{number}")
        plant(closed, {name: text.decode() for name, text in new.items() if name not in tree_of(closed)})
    assert len(list((closed / "ledger/demo/closings").iterdir())) == 3
    assert does(closed, "check") == 0


def test_a_closing_that_is_not_as_it_was_is_refused(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = (closed / FIRST).read_text("utf-8")
    for text, said in (
        (whole.replace('"used": "13"', '"used": "12"'), "this closing was changed: its checksum differs"),
        (whole.replace('"format": 2', '"format": 3'), "newer format than this program knows; upgrade the program"),
        (f"<<<<<<< ours\n{whole}", "a merge conflict was left here; a closing cannot be merged"),
        ("[]", "this is not a closed period"),
    ):
        (closed / FIRST).write_text(text, "utf-8")
        for words in (["check"], ["render"], ["close", "2025-Q4"], ["close", "--adjust"], ENTRY):
            assert does(closed, *words) == 1, words
            shown = capsys.readouterr()
            assert said in shown.out + shown.err, words
    (closed / FIRST).unlink()
    assert does(closed, "check") == 0, "without git nobody knows that it was there"


def test_one_that_is_missing_or_misnamed_is_told(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert does(closed, *ENTRY) == 0
    (closed / FIRST).rename(closed / FIRST.replace("Q1", "Q2"))
    assert does(closed, "check") == 1
    assert f"this is the closing {FIRST}" in capsys.readouterr().out
    (closed / FIRST.replace("Q1", "Q2")).unlink()
    assert does(closed, "check") == 1
    assert f"{FIRST}:1:1: the closing of 2026-Q1 of spring is missing here" in capsys.readouterr().out
    (closed / FIRST).with_name("notes.txt").write_text("x", "utf-8")
    assert does(closed, "check") == 1
    assert "notes.txt:1:1: this file is not part of a closed period; remove it" in capsys.readouterr().out


def test_a_change_that_takes_a_closing_out_is_told(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where git knows it: for CI, which names the branch that the change goes into."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    (closed / FIRST).rename(kept := closed / "kept")
    for words in (["init", "-q"], ["add", "ledger"], [*who, "commit", "-qm", "open"]):
        subprocess.run(["git", "-C", str(closed), *words], check=True)
    kept.rename(closed / FIRST)
    for words in (["add", "ledger"], [*who, "commit", "-qm", "closed"]):
        subprocess.run(["git", "-C", str(closed), *words], check=True)
    capsys.readouterr()
    assert does(closed, "review", "HEAD~1") == 0
    assert "- 2026-Q1 of Spring grant is closed, with 16.5 GPU-h" in capsys.readouterr().out.splitlines()
    (closed / FIRST).unlink()
    subprocess.run(["git", "-C", str(closed), *who, "commit", "-qam", "gone"], check=True)
    assert does(closed, "check", "--against", "HEAD~1") == 1
    assert f"{FIRST}:1:1: this change alters or removes what was closed" in capsys.readouterr().out
    assert does(closed, "review", "HEAD~1") == 0
    assert "**This change alters or removes what was closed.**" in capsys.readouterr().out


def test_the_allocation_of_a_closed_period_stays(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edited(closed, "ledger/allocations.yaml", "spring:", "autumn:")
    assert does(closed, "check") == 1
    said = "2026-Q1 of `spring` is closed, and ledger/allocations.yaml does not have this allocation"
    assert said in capsys.readouterr().out


def test_a_tree_without_closings_has_no_statement(tmp_path: Path) -> None:
    grant = {"ledger/allocations.yaml": "spring: {title: Spring grant, gpu_hours: 100, projects: [demo]}\n"}
    root = plant(tmp_path, {**SMALL, **grant})
    assert does(root, "render") == 0
    assert not (root / "docs/allocations").exists()
    assert "allocations/" not in (root / "docs/nav.yml").read_text("utf-8")


def test_statements_that_are_left_over_are_removed(closed: Path) -> None:
    assert does(closed, "render") == 0
    assert 'Statements:\n      - "Spring grant": allocations/spring.md' in (closed / "docs/nav.yml").read_text("utf-8")
    (closed / FIRST).unlink()
    assert does(closed, "render") == 0
    assert not (closed / "docs/allocations").exists()


def test_a_journal_writes_over_no_closing(closed: Path) -> None:
    was = (closed / FIRST).read_text("utf-8")
    plan = journal.planned(
        "ledger/demo",
        [
            journal.FileChange(FIRST, was, was.replace("13", "14")),
            journal.FileChange("ledger/demo/runs/x.yaml", None, "[]\n"),
        ],
    )
    (closed / plan.name).write_bytes(plan.text())
    with pytest.raises(Blocked, match="was not written by `budget`; remove it"):
        journal.complete(closed)
    assert (closed / FIRST).read_text("utf-8") == was


@pytest.mark.full
@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_closing_that_is_cut_off_is_completed_or_was_never_there(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed after the journal is written, or after one or both of the files are in their places."""
    root = plant(tmp_path, {**OTHER, "ledger/allocations.yaml": GRANT})
    planted(root, FOX)
    words = ("close", "2025-09", "--date", "2025-10-05", "--root", root)
    assert killed(*COMMAND, "os.replace", number, "after", *words)
    assert does(root, "check") == 1
    assert "an earlier command was interrupted here" in capsys.readouterr().out
    assert does(root, "close", "2025-09", "--date", "2025-10-05") == 2
    shown = capsys.readouterr()
    assert "completed an interrupted change in the tree: 2 files" in shown.out
    assert "2025-09 of Spring grant was closed on 2025-10-05 and never changes" in shown.err
    assert sorted(str(path.relative_to(root)) for path in root.rglob("closings/*")) == [
        "ledger/demo/closings/spring.2025-09.json",
        "ledger/other/closings/spring.2025-09.json",
    ]
    assert does(root, "check") == 0
