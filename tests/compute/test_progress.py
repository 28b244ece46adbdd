"""How far work has come: a table by hand (progress.md), a sweep of sixty, and what completed runs say."""

from __future__ import annotations

import os
import re
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from reckon.model.finding_groups import by_cause

TABLE = Path(__file__).with_name("progress.md")
HEAD = "| Entries | `runs` | `finishes` | Complete | EAC | P50 | Since |"


def rows() -> list[list[str]]:
    lines = TABLE.read_text("utf-8").split(HEAD, 1)[1].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def entries(text: str, item: str = "a") -> str:
    """`2 × a: failed 3, 1/2; completed 10` as lines of a ledger."""
    found = ""
    for part in text.split("; ") if text != "none" else []:
        times, name, status, hours, done, total = re.fullmatch(  # type: ignore[union-attr]
            r"(?:(\d+) × )?(?:(\w+): )?([\w-]+) ([\d.]+)(?:, (\d+)/(\d+))?", part
        ).groups()
        run = f", run: {name}" if name else ""
        progress = f", progress: {{done: {done}, total: {total}}}" if done else ""
        line = f"- {{item: {item}, gpu_hours: {hours}, status: {status}{run}{progress}}}\n"
        found += "".join(line.replace("- {", f"- {{job: j{len(found)}-{number}, ") for number in range(int(times or 1)))
    return found


def plan(more: str = "", hours: str = "100") -> str:
    return f"one: {{title: One, items: {{a: {{title: A, scope: one-time, gpu_hours: {hours}{more}}}}}}}\n"


def fields(runs: str, finishes: str) -> str:
    return "".join(f", {key}: {value}" for key, value in (("runs", runs), ("finishes", finishes)) if value != "–")


@pytest.mark.parametrize("row", rows(), ids=lambda row: " ".join(row[:3]))
def test_the_table_by_hand(row: list[str], ledger: Any) -> None:
    told, runs, finishes, complete, eac, half, _ = row
    tree = ledger(plan=plan(fields(runs, finishes)), **({"runs": entries(told)} if told != "none" else {}))
    book = tree.book()
    for name, wanted in (("complete_share", complete), ("eac", eac)):
        figure = book[f"p.performance.{name}"]
        by_hand = None if wanted == "not known" else F(wanted.removesuffix("%")) / (100 if "%" in wanted else 1)
        assert figure.use == by_hand
    middle = book["p.forecast.p50"].use
    if os.environ.get("UPDATE"):
        text = TABLE.read_text("utf-8")
        new = [*row[:5], str(middle if middle.denominator == 1 else float(middle)), row[6]]
        TABLE.write_text(text.replace(" | ".join(row), " | ".join(new)), "utf-8")
        return
    assert middle == F(half)


SWEEP = """\
one:
  title: One
  items:
    sweep: {title: Sweep, scope: one-time, gpu_hours: 45, runs: 60}
    evaluation: {title: Evaluation, scope: one-time, gpu_hours: 10}
"""


def sweep(ledger: Any, completed: int) -> Any:
    runs = {"runs": entries(f"{completed} × completed 0.75", "sweep")} if completed else {}
    return ledger(project="contingency: 20%\n", plan=SWEEP, **runs).book()


def test_a_sweep_of_sixty(ledger: Any) -> None:
    """Of 45 + 10 hours 0.75 are done after one run, and 45 after sixty as after sixty-one."""
    before = sweep(ledger, 0)["p.forecast.p50"].use
    first = sweep(ledger, 1)
    assert first["p.performance.complete_share"].use == F("0.75") / 55
    assert first["p.plan.sweep.eac"].use == 45
    assert abs(first["p.forecast.p50"].use - before) <= before / 20
    for runs in (60, 61):
        found = sweep(ledger, runs)
        assert found["p.plan.sweep.complete_share"].use == 1
        assert found["p.performance.complete_share"].use == F(45, 55)
        assert found["p.plan.sweep.runs_done"].use == runs
    assert found["p.plan.sweep.eac"].use == 45 + F("0.75")


def share(ledger: Any, told: str, more: str = "", hours: str = "100", **texts: str) -> Any:
    return ledger(plan=plan(more, hours), runs=entries(told), **texts).book()["p.plan.a.complete_share"].use


@pytest.mark.parametrize(
    ("told", "wanted"),
    [
        ("completed 50", 1),
        ("completed 49.9", None),
        ("completed 200", 1),
        ("completed 200.1", None),
        ("failed 20; completed 30", 1),
        ("failed 20; completed 29", None),
        ("completed 30; completed 30", None),  # two that completed: one of them did not end it
        ("completed 98; completed 2", 1),
        ("a: completed 40; a: completed 40; b: completed 90", 1),
        ("a: completed 5; b: completed 5", None),
        ("a: completed 5; b: completed 5, 1/4", F(1, 4)),  # what says nothing is left out where another one tells
        ("a: completed 60; b: failed 5, 1/4", F(5, 8)),
        ("failed 40, 2/5; completed 5", F(2, 5)),
        ("failed 40, 2/5; completed 60", 1),
        ("completed 5; failed 30", None),
        ("a: completed 5; b: failed 90", None),  # it adds nothing, and tells nothing of the other
        ("a: failed 5; b: cancelled 90", 0),
        ("held-idle 40; completed 20", None),  # GPUs that were only held attempted nothing
    ],
)
def test_a_completed_run_ends_its_piece_only_near_the_plan(ledger: Any, told: str, wanted: object) -> None:
    assert share(ledger, told) == wanted


def test_the_plan_is_that_of_the_piece_in_hours_of_the_project(ledger: Any) -> None:
    """Planned are 40 hours on another card, which are 20 of the project's; a run of 12 there is 6 of these."""
    gpus = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
    for hours, wanted in (("20", 1), ("19", None)):
        assert share(ledger, f"completed {hours}", ", gpu: other", "40", gpus=gpus) == wanted
    seeds = plan().replace("one-time", "per-seed")
    run = "- {item: a, seed: 2, gpu_hours: 60}\n"
    found = ledger(project="seeds: 3\n", plan=seeds, runs=run).book()
    assert found["p.plan.a.seeds.2.complete_share"].use == 1, "60 of the 100 of a seed, not of the 300 of all"
    size = "size: {title: Size, gpu_hours: 10}\n"
    assert share(ledger, "completed 12", hours="{formula: figures.size * 2}", figures=size) == 1


def test_without_a_known_plan_a_completed_run_ends_its_piece(ledger: Any) -> None:
    for hours in ("unknown", "0"):
        assert share(ledger, "completed 5", hours=hours) == 1


def test_a_completed_run_of_unknown_hours_ends_nothing(ledger: Any) -> None:
    """It is on a card without a ratio, and so not known to be near the plan."""
    gpus = "card: {title: Card}\nthird: {title: Third}\n"
    assert share(ledger, "completed 5", ", gpu: third", gpus=gpus) is None


def test_progress_that_is_stated_later_goes_before_a_completed_run(ledger: Any) -> None:
    first = "- {item: a, gpu_hours: 90, date: 2025-02-02}\n"
    again = "- {item: a, gpu_hours: 20, date: 2025-02-03, status: failed, progress: {done: 1, total: 5}}\n"
    for runs, wanted in ((first + again, F(1, 5)), (first + again.replace("-03", "-01"), 1)):
        assert ledger(plan=plan(), runs=runs).book()["p.plan.a.complete_share"].use == wanted


@pytest.mark.parametrize(
    ("attempt", "day", "share"),
    [
        ("", "2025-03-05", 1),  # later than all attempts that have a number
        (", attempt: 3", "2025-03-05", 1),
        ("", "2025-03-02", F(1, 2)),  # between them: the second attempt is the latest
        ("", "2025-02-01", F(1, 2)),
        (", attempt: 1", "2025-03-05", F(1, 2)),  # the number says that it is not the latest
    ],
)
def test_an_attempt_without_a_number_is_placed_by_its_day(ledger: Any, attempt: str, day: str, share: F) -> None:
    runs = "".join(
        f"- {{item: a, gpu_hours: 9, date: {date}, progress: {{done: {done}, total: 4}}{number}}}\n"
        for date, number, done in (
            ("2025-03-01", ", attempt: 1", 1),
            (day, attempt, 4),
            ("2025-03-03", ", attempt: 2", 2),
        )
    )
    assert ledger(plan=plan(), runs=runs).book()["p.performance.complete_share"].use == share


def test_what_complete_rests_on_is_counted(ledger: Any) -> None:
    assert not [at for at in ledger(plan=plan()).book().figures if ".basis." in at], "nothing has begun"
    items = {"a": "", "b": ", runs: 4", "c": ", finishes: piece", "d": "", "e": "", "f": ""}
    lines = "".join(f"    {name}: {{title: T, scope: one-time, gpu_hours: 10{more}}}\n" for name, more in items.items())
    told = {"a": "completed 9", "b": "completed 1", "c": "completed 1", "d": "failed 1, 1/9", "e": "completed 1"}
    runs = "".join(entries(text, name).replace("job: j", f"job: {name}") for name, text in told.items())
    found = ledger(plan=f"one:\n  title: One\n  items:\n{lines}", runs=runs).book()
    for name in ("progress", "runs", "completed", "hours", "nothing"):
        assert found[f"p.performance.basis.{name}"].use == 1, name
    assert found["p.performance.eac"].missing == ("p.plan.e.progress",)
    assert found["p.forecast.p50"].use == pytest.approx(9 + 4 + 1 + 9 + 10 + 10, rel=0.1)


def test_a_sweep_says_its_number_of_runs_once(ledger: Any) -> None:
    one = plan(", runs: 60", "{formula: runs * hours_per_run * gpus, hours_per_run: 45 min, gpus: 1}")
    assert ledger(plan=one).book()["p.plan.a.gpu_hours"].use == 45


def test_each_seed_takes_its_own_runs(ledger: Any) -> None:
    """Of 4 runs a seed, seed 1 has completed 4 and seed 2 one of them: 5 of 12 in all, as seed 3 has none."""
    runs = "".join(f"- {{item: a, seed: {seed}, gpu_hours: 25, job: {n}}}\n" for n, seed in enumerate([1, 1, 1, 1, 2]))
    found = ledger(project="seeds: 3\n", plan=plan(", runs: 4").replace("one-time", "per-seed"), runs=runs).book()
    assert [found[f"p.plan.a.seeds.{seed}.complete_share"].use for seed in "123"] == [1, F(1, 4), 0]
    assert found["p.performance.complete_share"].use == F(5, 12)
    assert found["p.forecast.finished"].use == 1


def test_a_piece_that_no_run_tells_of_is_one_finding(ledger: Any) -> None:
    """Of each cause one; none where a run failed without a word, nor a second one where hours do not suit the plan."""
    running, seeds = "running 40", plan().replace("one-time", "per-seed")
    for told, more, wanted in (
        (running, "", ["note progress-unknown:p.plan.a#unsaid"]),
        (f"{running}; {running}", "", ["note progress-unknown:p.plan.a#unsaid"]),
        (f"{running}; {running}, 1/2", "", []),
        (running, ", runs: 4", []),
        ("failed 40", "", []),
        ("completed 12", ", finishes: run", ["warning progress-unknown:p.plan.a#unsaid"]),
        ("completed 12", ", finishes: run, runs: 9", []),
        ("completed 12", ", finishes: never", []),
        ("completed 12", "", ["warning progress-unknown:p.plan.a#plan"]),
        (f"{running}; completed 12", "", ["note progress-unknown:p.plan.a#unsaid"]),
    ):
        found = ledger(plan=plan(more), runs=entries(told)).findings()
        assert [line for line in found if "limit" not in line] == wanted, (told, more)
    for run, wanted in (
        ("{item: a, gpu_hours: 60}", ["warning progress-unknown:p.plan.a#unsaid"]),
        ("{item: a, gpu_hours: 60, status: failed}", []),
        ("{item: a, gpu_hours: 60, seed: 2}", []),
    ):
        assert ledger(project="seeds: 3\n", plan=seeds, runs=f"- {run}\n").findings() == wanted, run


def test_runs_that_name_no_seed_are_said_to_with_the_seeds_that_there_are(ledger: Any) -> None:
    seeds = plan().replace("one-time", "per-seed")
    found = ledger(project="seeds: [7, 13]\n", plan=seeds, runs="- {item: a, gpu_hours: 60}\n").book()
    (finding,) = found.findings["p"]
    assert "".join(map(str, finding.title)).endswith(": runs name no seed, so it is not known how much is done")
    assert "`seed` of the run (7, 13)" in "".join(map(str, finding.remedy))


def test_a_note_on_the_length_of_a_run_hides_no_warning(ledger: Any) -> None:
    """49 hours with one date are a note; that they are less than half of 100 is another matter."""
    run = "- {date: 2026-01-03, item: a, gpus: 1, wall_hours: 49}\n"
    found = ledger(plan=plan(), runs=run).findings()
    assert found == ["warning progress-unknown:p.plan.a#plan", "note run-hours-doubtful:p.runs.2025.1#long"]


def test_items_of_which_the_same_is_left_unsaid_are_one_entry(ledger: Any) -> None:
    """Of six items a run of 1 h of 100 completed; that of a seventh finishes a run, of how many is not said."""
    names = "abcdefg"
    items = ", ".join(
        f"{name}: {{title: {name.upper()}, scope: one-time, gpu_hours: 100{', finishes: run' if name == 'g' else ''}}}"
        for name in names
    )
    runs = "".join(entries("completed 1", name).replace("j0-0", f"j-{name}") for name in names)
    book = ledger(plan=f"one: {{title: One, items: {{{items}}}}}\n", runs=runs).book()
    unsaid, counted = (group for group in by_cause(book.findings["p"]) if group.rule == "progress-unknown")
    assert unsaid.title == ("A, B and 4 more", ": it is not known what its completed runs finished")
    assert [finding.id for finding in unsaid.members] == [f"progress-unknown:p.plan.{name}#plan" for name in "abcdef"]
    assert [finding.id for finding in counted.members] == ["progress-unknown:p.plan.g#unsaid"]


def test_of_many_items_the_first_few_are_named(ledger: Any) -> None:
    names = "abcdefgh"
    items = ", ".join(f"{name}: {{title: {name.upper()}, scope: one-time, gpu_hours: 100}}" for name in names)
    runs = "".join(entries("completed 1", name).replace("j0-0", f"j-{name}") for name in names)
    book = ledger(plan=f"one: {{title: One, items: {{{items}}}}}\n", runs=runs).book()
    (group,) = (group for group in by_cause(book.findings["p"]) if group.lead.judgement == "progress-unknown#plan")
    assert group.title[0] == "A, B and 6 more"
