"""Setups for work in whole runs, by hand (see tests/sweep.py); and where more GPUs save no time."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.compute.choosing.choosing import Chosen, Reason, Request, choose
from reckon.compute.choosing.workload import caveats, told_runs
from reckon.compute.statements.claims import SHARED
from reckon.load.reader import load
from reckon.present.render.numbers import format_sentence
from tests.hardware import HARDWARE
from tests.small import plant
from tests.sweep import SWEEP

WORK = SWEEP["ledger/p/workloads.yaml"]
PAID = "All GPUs of a setup are paid for all of its time, also those that are without a run for part of it."


def book_of(root: Path, files: dict[str, str] = SWEEP, **changed: str) -> Book:
    ledger, problems = load(plant(root, {name: changed.get(Path(name).stem, text) for name, text in files.items()}))
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return book


def ends(book: Book, name: str, key: str) -> Any:
    """A figure of a setup: one number, or its low end, the value to plan with and its high end."""
    value = book[f"p.setups.sweep.{name}.{key}"].value
    found = [None if end is None else float(end) for end in (value.low, value.use, value.high)]
    return found[1] if found[0] == found[1] == found[2] else pytest.approx(found)


def answered(book: Book, **limits: Any) -> Chosen:
    return choose(book.figures, book.tradeoffs["p"][0], Request(**limits))


def reasons(answer: Chosen, name: str) -> list[Reason]:
    return next(list(one.reasons) for one in [*answer.ranked, *answer.rejected] if one.choice.id == name)


def said(book: Book) -> list[str]:
    found = book.tradeoffs["p"][0]
    name = str(found.record.workload)
    work = book.ledger.projects["p"].workloads[found.record.workload]
    return [format_sentence(one) for one in caveats(book.figures, f"p.workloads.{name}", work, found.choices.values())]


@pytest.mark.parametrize(
    ("name", "hours", "gpu_hours", "usd"),
    [
        ("rtx-4090-x1", 55, 55, 22),  # 60 x 55 min, at $0.40
        ("rtx-4090-x2", 27.5, 55, 22),  # 30 rounds
        ("rtx-4090-x7", 8.25, 57.75, 23.1),  # nine rounds: in the last three cards are idle, and paid
        ("a100-x1", [47.5, 55, 60], [47.5, 55, 60], [47.5, 66, 90]),  # 47.5 h at $1, 60 h at $1.50
        ("a100-x7", [7.125, 8.25, 9], [49.875, 57.75, 63], [49.875, 69.3, 94.5]),
        ("h100-x1", 32.5, 32.5, 65),
        ("h100-x2", 16.25, 32.5, 65),
    ],
)
def test_time_and_cost_are_those_of_the_hand(tmp_path: Path, name: str, hours: Any, gpu_hours: Any, usd: Any) -> None:
    book = book_of(tmp_path)
    assert [ends(book, name, key) for key in ("hours", "gpu_hours", "usd")] == [hours, gpu_hours, usd]


def test_the_stated_speed_goes_before_the_ratio_of_the_catalogue_and_ratios_count_both_ways(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    assert ends(book, "a100-x1", "relative_speed") == [0.9, 1, 1.2]  # not the 9x of the catalogue
    assert ends(book, "h100-x1", "relative_speed") == 2  # 1 / 0.5
    assert ends(book, "rtx-4090-x1", "relative_speed") == 1
    unsaid = WORK.replace("rtx-4090", "l4").replace("  speed: {a100: {low: 0.9, use: 1, high: 1.2}}\n", "")
    other = book_of(tmp_path / "other", workloads=unsaid)
    assert ends(other, "a100-x1", "relative_speed") == 3
    assert ends(other, "a100-x1", "hours") == 25  # 15 + 10 min


def test_a_card_whose_speed_nothing_says_is_undecided_and_the_input_is_named(tmp_path: Path) -> None:
    answer = answered(book_of(tmp_path))
    assert reasons(answer, "l4-x2") == [Reason("missing", other="p.workloads.sixty.speed.l4")]
    assert len(answer.ranked) == 9


def test_a_range_of_runs_is_rounded_up_at_each_end(tmp_path: Path) -> None:
    """40 to 61 runs on seven cards: 6 to 9 rounds; 50.5 to plan with are 8."""
    book = book_of(tmp_path, workloads=WORK.replace("runs: 60", "runs: 40-61"))
    assert ends(book, "rtx-4090-x7", "runs_per_gpu") == [6, 8, 9]
    assert ends(book, "rtx-4090-x7", "hours") == [5.5, pytest.approx(22 / 3), 8.25]


def test_a_run_on_several_gpus_has_room_on_as_many_and_fewer_are_no_choice(tmp_path: Path) -> None:
    """Ten cards have two runs of four at a time: 30 rounds of 55 min. Three cards have none."""
    setups = SWEEP["ledger/p/setups.yaml"].replace("[1, 2, 7]", "[3, 4, 10]")
    work = WORK.replace("  baseline", "  gpus_per_run: 4\n  baseline")
    book = book_of(tmp_path, workloads=work, setups=setups)
    assert [ends(book, f"rtx-4090-x{gpus}", "hours") for gpus in (4, 10)] == [55, 27.5]
    assert [ends(book, f"rtx-4090-x{gpus}", "usd") for gpus in (4, 10)] == [88, 110]
    assert book["p.setups.sweep.rtx-4090-x3.hours"].missing
    answer = answered(book)
    assert reasons(answer, "rtx-4090-x3") == [Reason("short", Fraction(3), Fraction(4))]
    assert reasons(answer, "l4-x3") == [Reason("short", Fraction(3), Fraction(4))]
    assert book.words["p.setups.sweep.rtx-4090-x3.standing"].id == "too-few-gpus"
    assert not any(setup.choice.gpus == 3 for setup in answer.ranked)
    sixty = book.ledger.projects["p"].workloads["sixty"]
    words = format_sentence(told_runs(book.figures, book.ledger, "p.workloads.sixty", sixty))
    assert words == "60 runs of 0.75 h on 4× RTX 4090 and 10 min each"


def test_a_deadline_that_the_fast_end_of_a_speed_keeps_is_told(tmp_path: Path) -> None:
    answer = answered(book_of(tmp_path), deadline=Fraction(50))
    assert reasons(answer, "a100-x1") == [Reason("deadline", Fraction(5), Fraction(50), unless=("low",))]
    assert reasons(answer, "rtx-4090-x1") == [Reason("deadline", Fraction(5), Fraction(50))]


def test_a_formula_says_how_many_and_how_long(tmp_path: Path) -> None:
    hours = "{formula: work_minutes_per_run + eval_minutes_per_run, work_minutes_per_run: 45, eval_minutes_per_run: 10}"
    work = WORK.replace("runs: 60", "runs: {formula: seeds * rates, seeds: 3, rates: 20}")
    work = work.replace("run: 0.75", f"run: {hours}").replace("  overhead_minutes_per_run: 10\n", "")
    book = book_of(tmp_path, workloads=work)
    assert ends(book, "rtx-4090-x7", "hours") == 8.25
    assert ends(book, "h100-x7", "hours") == 4.125  # all 55 minutes get shorter


def test_a_time_divided_by_the_gpus_follows_from_the_one_that_was_divided(tmp_path: Path) -> None:
    """81.2 h on one GPU are 11.6 h on seven, if nothing is lost; both are wrong, the second by the first alone."""
    stated = (("x1", "81.2"), ("x7", "11.60"))
    claims = [f"- {{of: setups.sweep.rtx-4090-{name}.hours, states: {hours}, at: Page 1}}\n" for name, hours in stated]
    found = book_of(tmp_path, {**SWEEP, "ledger/p/claims.yaml": "".join(claims)})
    first, second = found.checks["p"]
    assert (first.way, second.way, second.after) == ("", SHARED, (0,))
    assert [finding.follows for finding in found.findings["p"]] == [False, True]


def test_runs_of_an_unknown_number_leave_every_setup_undecided(tmp_path: Path) -> None:
    answer = answered(book_of(tmp_path, workloads=WORK.replace("runs: 60", "runs: unknown")))
    assert not answer.ranked
    assert reasons(answer, "rtx-4090-x1") == [Reason("missing", other="p.workloads.sixty.runs")]


def test_no_figure_of_it_is_of_tokens(tmp_path: Path) -> None:
    assert [address for address in book_of(tmp_path).figures if "token" in address or "model" in address] == [
        "p.workloads.sixty.memory_gb.model"
    ]


@pytest.mark.parametrize(
    ("work", "counts", "says"),
    [
        ("runs: 60", "[1, 2, 4]", []),
        ("runs: 60", "[1, 2, 7]", [PAID]),
        ("runs: 4\n  gpus_per_run: 2", "[2]", []),
        ("runs: 4\n  gpus_per_run: 2", "[1, 2]", []),  # one GPU has room for no run, and is no choice
        ("runs: 4\n  gpus_per_run: 2", "[3]", [PAID]),  # one run at a time, and a third GPU without one
        (
            "runs: 1",
            "[1, 4]",
            ["More than one GPU saves no time: there is only one run, and runs are not split.", PAID],
        ),
        (
            "runs: 3\n  gpus_per_run: 2",
            "[2, 8]",
            ["More than 6 GPUs save no time: they have room for all runs at a time.", PAID],
        ),
    ],
)
def test_gpus_that_save_no_time_and_idle_ones_are_told_of_runs(
    tmp_path: Path, work: str, counts: str, says: list[str]
) -> None:
    setups = SWEEP["ledger/p/setups.yaml"].replace("[1, 2, 7]", counts)
    assert said(book_of(tmp_path, workloads=WORK.replace("runs: 60", work), setups=setups)) == says


@pytest.mark.parametrize(
    ("models", "says"),
    [
        (
            "",
            [
                "More than one GPU saves no time: the ledger does not say that the work can be shared out. "
                "Say it with `models`, or state the work in `runs`."
            ],
        ),
        ("  models: 3\n", ["More than 3 GPUs save no time: the work is shared out among 3 `models`."]),
        ("  models: 4\n", []),
        ("  models: unknown\n", []),
    ],
)
def test_work_in_tokens_that_is_not_shared_out_says_so(tmp_path: Path, models: str, says: list[str]) -> None:
    work = HARDWARE["ledger/p/workloads.yaml"].replace("  models: 4\n", models)
    assert said(book_of(tmp_path, HARDWARE, workloads=work)) == says
