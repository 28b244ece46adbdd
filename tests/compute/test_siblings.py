"""Runs beside each other: each rule with the smallest ledger that sets it off, and its honest neighbour."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.audit.entries.siblings import LEAST_SPREAD, Siblings, _siblings, natural_log, rounded_log
from reckon.model.finding import Finding
from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence
from tests.compute.test_entries import runs
from tests.conftest import DEFAULTS, Tree, place

PLAN = """\
one:
  title: One
  since: 2025-02-01
  until: 2025-03-31
  items:
    sweep: {title: Sweep, scope: one-time, gpu_hours: 400, runs: 40}
    train: {title: Train, scope: per-seed, gpu_hours: 100}
    suites: {title: Suites, scope: all-seeds, gpu_hours: 48}
"""
HOURS, ORDER, TIME, GPUS = (
    "run-hours-doubtful",
    "attempts-out-of-order",
    "run-outside-its-dates",
    "run-unlike-its-siblings",
)
OURS = (HOURS, ORDER, TIME, GPUS, "run-entered-twice", "cost-far-from-price", "more-than-the-capacity")


def lines(item: str, *fields: str, gpus: int = 4) -> list[str]:
    """A run of an item for each text of fields, on the days from 2025-02-03 on."""
    found = []
    for number, text in enumerate(fields):
        date = "" if "date:" in text else f", date: 2025-02-{number + 3:02}"
        held = "" if "gpus:" in text else f", gpus: {gpus}"
        found.append(f"item: {item}{date}{held}, {text}")
    return found


def found(ledger: Any, *entries: str, **more: str) -> list[str]:
    """The rules of this file that find something, each with the number of the run."""
    told = ledger(**runs(*entries, plan=PLAN, **more)).findings()
    ids = [line.split(" ", 1) for line in told]
    return [
        f"{severity} {id.replace('p.runs.2025.', '')}"
        for severity, id in ids
        if id.partition(":")[0] in OURS and ".phases." not in id
    ]


SWEEP = [f"wall_hours: {hours}" for hours in ("2", "2.1", "1.9", "2.05")]
"""Four runs of about 8 GPU-hours: their logarithms are spread by less than ln 1.15, so that 2.5 times is odd."""


@pytest.mark.parametrize(
    ("last", "wanted"),
    [
        ("wall_hours: 2.02", []),
        # The median of five is 2.05 h: 2.5 times of it are 5.125 h.
        ("wall_hours: 5.12", []),
        ("wall_hours: 5.13", ["warning run-hours-doubtful:5"]),
        ("wall_hours: 8", ["warning run-hours-doubtful:5#gpu-hours"]),
        ("wall_hours: 20", ["warning run-hours-doubtful:5"]),
        ("wall_hours: 1 d 16 h, status: failed", []),
        # Two hours in minutes.
        ("wall_hours: 120", ["warning run-hours-doubtful:5#unit"]),
        ("wall_hours: 2.05, gpu_hours: 2.05", ["warning run-hours-doubtful:5#clock"]),
        ("gpus: 1, wall_hours: 2", ["warning run-hours-doubtful:5"]),
        ("gpus: 2, wall_hours: 2", []),
    ],
)
def test_a_run_beside_its_four_siblings(ledger: Any, last: str, wanted: list[str]) -> None:
    assert found(ledger, *lines("sweep", *SWEEP, last)) == wanted


def test_three_others_are_too_few(ledger: Any) -> None:
    assert found(ledger, *lines("sweep", *SWEEP[:3], "wall_hours: 20")) == []


def said(ledger: Any, *entries: str, rule: str = HOURS) -> str:
    (finding,) = [each for each in ledger(**runs(*entries, plan=PLAN)).book().findings["p"] if each.rule == rule]
    return format_sentence(finding.arithmetic)


def test_what_siblings_took_is_put_in(ledger: Any) -> None:
    """Ten times the median of 2.05 h on four GPUs: a digit. On one of four GPUs: a quarter."""
    beside = "it took {} GPU-h, its 4 siblings {} GPU-h in the median, {} times as much; read as {}"
    ten = beside.format("82", "8.2", "10", "ten times too many hours that is 2.05 h")
    assert said(ledger, *lines("sweep", *SWEEP, "wall_hours: 20.5")) == ten
    part = beside.format("2.1", "8", "0.3", "hours of a part of the GPUs that is 8.4 h")
    assert said(ledger, *lines("sweep", *SWEEP, "gpus: 1, wall_hours: 2.1")) == part


def test_progress_is_what_hours_are_compared_for(ledger: Any) -> None:
    """Two hours an epoch: ten epochs in 20 hours are as usual, and so is one in 2; one in 20 is not."""
    steps = [(4, 8), (8, 8), (10, 4), (20, 20), (21, 2)]
    fields = [f"seed: 1, progress: {{done: {done}, total: 40}}, wall_hours: {took}" for done, took in steps]
    assert found(ledger, *lines("train", *fields)) == []
    odd = "seed: 1, progress: {done: 22, total: 40}, wall_hours: 20"
    assert found(ledger, *lines("train", *fields, odd)) == ["warning run-hours-doubtful:6"]
    assert said(ledger, *lines("train", *fields, odd)).startswith(
        "for a unit of progress it took 80 GPU-h, its 5 siblings"
    )


def test_a_run_within_its_estimate_is_never_accused(ledger: Any) -> None:
    """Ten times its siblings, and what the configuration gives for one of the 40 runs."""
    plan = PLAN.replace("gpu_hours: 400", "gpu_hours: 400, estimate: 300-3300")
    told = ledger(**runs(*lines("sweep", *SWEEP, "wall_hours: 20.5"), plan=plan)).findings()
    assert not [line for line in told if "doubtful" in line]


def test_among_runs_that_differ_much_an_odd_one_is_a_note(ledger: Any) -> None:
    """Deviations of ln 1.25 are a spread of 0.33, above 0.3: six spreads are a factor of 7.3."""
    fields = [f"wall_hours: {hours}" for hours in ("2", "2.5", "1.6", "2", "2.5", "1.6")]
    assert found(ledger, *lines("sweep", *fields, "wall_hours: 14.5")) == []
    assert found(ledger, *lines("sweep", *fields, "wall_hours: 14.7")) == ["note run-hours-doubtful:7"]


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ("gpus: 1, wall_hours: 27", ""),  # on eight it is 216 GPU-hours, of 211 to 264
        ("gpus: 1, wall_hours: 26", None),
        ("gpus: 8, wall_hours: 27", None),
        ("gpus: 1, wall_hours: 27, status: failed", None),
        ("gpu_hours: 27", "#clock"),
    ],
)
def test_one_of_the_gpus_that_its_estimate_counts(ledger: Any, fields: str, rule: str | None) -> None:
    estimate = "{formula: hours * gpus, hours: 26.375-33, gpus: 8}"
    plan = PLAN.replace("gpu_hours: 100", f"gpu_hours: 240, estimate: {estimate}")
    told = ledger(**runs(f"item: train, seed: 1, date: 2025-02-05, {fields}", plan=plan)).findings()
    assert [line for line in told if "runs.2025" in line] == (
        [f"note {HOURS}:p.runs.2025.1{rule}"] if rule is not None else []
    )


def test_runs_that_agree_accuse_the_plan_and_not_each_other(ledger: Any) -> None:
    """Each takes eight times what is planned for one of 40, on eight GPUs: no run is told to divide by them."""
    eight = lines("sweep", *["wall_hours: 10"] * 5, gpus=8)
    apart = [f"{line}, seed: {number % 2 + 1}, run: r{number}" for number, line in enumerate(eight)]
    assert found(ledger, *apart) == []
    assert found(ledger, *apart[:4]) == ["warning run-hours-doubtful:p.runs#gpu-hours"]


# Attempts and progress


def attempts(*steps: str) -> list[str]:
    return lines("train", *(f"seed: 1, wall_hours: 5, {step}" for step in steps))


def steps(*done: int | str, total: int = 9) -> list[str]:
    return attempts(*(f"progress: {{done: {each}, total: {total}}}" for each in done))


@pytest.mark.parametrize(
    ("entries", "wanted"),
    [
        (attempts("attempt: 1", "attempt: 2", "attempt: 3"), []),
        (attempts("attempt: 1", "attempt: 2, date: 2025-02-06", "attempt: 3, date: 2025-02-05"), [2]),
        (attempts("attempt: 1", "attempt: 2, date: 2025-02-05", "attempt: 3, date: 2025-02-05"), []),
        (attempts("attempt: 1", "attempt: 2", "attempt: 2"), [3]),
        (attempts("attempt: 1", "attempt: 3"), [2]),
        (attempts("attempt: 2", "attempt: 3"), []),
        (steps(1, 2, 4), []),
        (steps(1, 4, 2), [3]),
        (attempts("progress: {done: 4, total: 9}, status: failed", "progress: {done: 2, total: 9}"), []),
        (attempts("progress: {done: 4, total: 9}", "progress: {done: 2, total: 9}, status: failed"), []),
        (steps(5, 9, 9), [3]),
        (steps(5, 9) + attempts("progress: {done: 6, total: 9}, status: preempted, date: 2025-02-09"), [3]),
        (steps(1, 2) + steps(3, total=90), [3]),
        (steps(1) + steps(3, total=90), []),
    ],
)
def test_attempts_and_progress_in_their_order(ledger: Any, entries: list[str], wanted: list[int]) -> None:
    assert found(ledger, *entries) == [f"warning attempts-out-of-order:{number}" for number in wanted]


def test_the_seed_whose_work_has_not_ended_is_named(ledger: Any) -> None:
    """Of the two seeds the first is at its end, and goes on: the run may be of the second."""
    told = said(ledger, *steps(5, 9, 9), rule=ORDER)
    assert told == "its progress is 9/9 on 2025-02-05, after the end: 9/9 on 2025-02-04; not at its end is seed 2"


def test_runs_without_a_name_may_have_the_same_attempt(ledger: Any) -> None:
    """Of a sweep of 40 runs, each of which begins with its first attempt."""
    assert found(ledger, *lines("sweep", *["attempt: 1, wall_hours: 2"] * 3)) == []


# Twins


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ("job: '50089'", "job: 50089.batch", True),
        ("job: '50089'", "job: '50090'", False),
        ("job: 50089.0", "job: 50089.1", False),
        ("job: '50089'", "note: The same.", True),
        ("job: '50089', seed: 1", "seed: 2", False),
    ],
)
def test_a_line_with_a_job_beside_one_like_it(ledger: Any, first: str, second: str, wanted: bool) -> None:
    same = "date: 2025-02-05, wall_hours: 2"
    told = found(ledger, *lines("sweep", f"{same}, {first}", f"{same}, {second}"))
    assert told == (["warning run-entered-twice:yaml:2"] if wanted else [])


# Cards, GPUs and dates


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        (["gpu: other", "gpu: other", ""], True),
        (["gpu: other", ""], False),
        (["gpu: other", "gpu: card", ""], False),
        (["gpu: card", "gpu: card", ""], False),
        (["gpu: other", "gpu: other", "", ""], False),
    ],
)
def test_a_run_without_a_card_where_others_name_one(ledger: Any, cards: list[str], wanted: bool) -> None:
    told = found(ledger, *lines("sweep", *(f"wall_hours: 2, {card}".rstrip(", ") for card in cards)))
    assert told == (["warning run-unlike-its-siblings:3"] if wanted else [])


@pytest.mark.parametrize(("gpus", "wanted"), [(16, True), (15, False)])
def test_four_times_the_gpus_of_all_others(ledger: Any, gpus: int, wanted: bool) -> None:
    told = found(ledger, *lines("sweep", *SWEEP[:3], f"gpus: {gpus}, wall_hours: 0.5"))
    assert told == (["warning run-unlike-its-siblings:4"] if wanted else [])


@pytest.mark.parametrize(
    ("date", "wanted"),
    [
        ("2025-01-06", False),  # 28 days before the next run, the 3rd of February
        ("2025-01-03", True),  # 31 days before it, and before the plan
        ("2024-02-08", True),
        ("2025-07-05", False),  # 149 days after the run before, the 6th
        ("2025-07-06", True),
    ],
)
def test_a_run_far_from_all_others(ledger: Any, date: str, wanted: bool) -> None:
    told = found(ledger, *lines("sweep", *SWEEP, f"wall_hours: 2, date: {date}"))
    assert told == (["warning run-outside-its-dates:5"] if wanted else [])


def test_the_only_run_before_the_plan_is_far_from_all_others(ledger: Any) -> None:
    assert found(ledger, *lines("sweep", "wall_hours: 2, date: 2024-02-05")) == ["warning run-outside-its-dates:1"]
    assert found(ledger, *lines("sweep", "wall_hours: 2, date: 2025-02-05")) == []


@pytest.mark.parametrize(
    ("date", "wanted"),
    [
        ("2025-06-03", True),  # the 6th of March, if day and month are swapped
        ("2025-04-03", False),  # within a week of March, as 2025-03-04 would be
        ("2025-05-01", False),
        ("2025-05-02", True),  # 32 days after the last of March
        ("2024-03-03", True),
    ],
)
def test_a_run_in_the_file_of_another_month(ledger: Any, date: str, wanted: bool) -> None:
    tree = ledger(**runs(*lines("sweep", *SWEEP), plan=PLAN))
    tree.write("ledger/p/runs/2025-03.yaml", f"- {{item: sweep, date: {date}, gpus: 4, wall_hours: 2}}\n")
    ids = [line for line in tree.findings() if TIME in line and ".phases." not in line]
    assert ids == (["warning run-outside-its-dates:p.runs.2025-03.1"] if wanted else [])


def test_a_run_without_a_date_is_of_no_other_month(ledger: Any) -> None:
    tree = ledger(**runs(*lines("sweep", *SWEEP), plan=PLAN))
    tree.write("ledger/p/runs/2025-03.yaml", "- {item: sweep, gpus: 4, wall_hours: 2}\n")
    assert not [line for line in tree.findings() if TIME in line and "2025-03" in line]


# Cost and capacity


@pytest.mark.parametrize(
    ("cost", "says"),
    [
        ("16", ""),  # 8 GPU-hours at 2 dollars
        ("4", "one GPU"),
        ("64", "all GPUs for each of them"),
        ("5", ""),
        ("100", "stated are"),
    ],
)
def test_the_cost_of_one_gpu_or_of_all_for_each(ledger: Any, cost: str, says: str) -> None:
    tree = ledger(**runs(*lines("sweep", f"wall_hours: 2, cost_usd: {cost}"), plan=PLAN))
    told = [format_sentence(each.arithmetic) for each in tree.book().findings["p"] if each.rule.startswith("cost")]
    assert (says in told[0]) if says else not told


def test_runs_of_one_day_do_not_fit_into_it(ledger: Any) -> None:
    """Eight GPUs: in 36 hours there are 288 GPU-hours, six runs of 12 hours on four of them."""
    day = [f"date: 2025-02-05, run: r{number}, wall_hours: 12" for number in range(7)]
    assert found(ledger, *lines("sweep", *day[:6]), project="gpus: 8\n") == []
    assert found(ledger, *lines("sweep", *day), project="gpus: 8\n") == ["warning more-than-the-capacity:p.gpus#gpus"]
    long = [f"date: 2025-02-05, run: r{number}, wall_hours: 48" for number in range(2)]
    assert found(ledger, *lines("sweep", *long), project="gpus: 8\n") == []


# What is odd together is told together


def test_all_that_is_odd_about_a_run_is_one_entry(ledger: Any) -> None:
    """Ten times its siblings' hours, on sixteen GPUs, and in the wrong year."""
    odd = "gpus: 16, wall_hours: 20.5, date: 2024-02-07"
    groups = by_cause(ledger(**runs(*lines("sweep", *SWEEP, odd), plan=PLAN)).book().findings["p"])
    (group,) = [group for group in groups if group.rule in OURS]
    assert {each.rule for each in group.all} >= {HOURS, GPUS, TIME}


@pytest.mark.parametrize("seed", range(12))
def test_correcting_a_run_removes_all_rows_of_its_entry(tmp_path_factory: Any, seed: int) -> None:
    """Slips by chance in a run of an honest history: what stands in an entry about it is gone once it is right."""
    drawn = random.Random(seed)
    honest = [
        f"item: sweep, date: 2025-02-{day:02}, gpus: 4, wall_hours: {round(drawn.gauss(2, 0.1), 2)}, cost_usd: 16"
        for day in range(3, 11)
    ]
    slips = [
        ("gpus: 4", "gpus: 16"),
        ("2025-02", "2024-02"),
        ("cost_usd: 16", "cost_usd: 4"),
        ("wall_hours: ", "wall_hours: 9"),
    ]
    at = drawn.randrange(len(honest))
    odd = list(honest)
    for old, new in drawn.sample(slips, drawn.randint(1, 4)):
        odd[at] = odd[at].replace(old, new)
    before, after = (_told(tmp_path_factory.mktemp("tree"), entries) for entries in (odd, honest))
    groups = [group for group in by_cause(before) if any(f"runs.2025.{at + 1}" in each.subject for each in group.all)]
    assert len(groups) == 1
    rows = {each.id for each in groups[0].all}
    assert rows
    assert rows.isdisjoint(each.id for each in after)


def _told(root: Path, entries: list[str]) -> tuple[Finding, ...]:
    tree = Tree(root)
    for name, text in {**DEFAULTS, **runs(*entries, plan=PLAN)}.items():
        tree.write(place(name), text)
    return tree.book().findings["p"]


# Exactness


def test_the_median_and_the_spread_are_worked_by_hand() -> None:
    """1, 2, 4, 8 and 64: the median is 4; it is 1, 2, 2, 4 and 16 times as far, so the middle one is 2."""
    found = _siblings([1, 2, 4, 8, 64], 2, Fraction(1))
    assert found.median == 2
    assert found.spread == Decimal("1.027660")  # 1.4826 × ln 2
    assert (
        _siblings([10, 10, 10, 11], 1, Fraction(1)).spread == LEAST_SPREAD == rounded_log(natural_log(Fraction(23, 20)))
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_spread_is_the_middle_of_all_deviations(seed: int) -> None:
    drawn = random.Random(seed)
    values = sorted(drawn.randint(1, 1000) for _ in range(drawn.randint(5, 30)))
    middle = (len(values) - 1) // 2
    ratios = sorted(max(Fraction(each, values[middle]), Fraction(values[middle], each)) for each in values)
    wanted = max(rounded_log(Decimal("1.4826") * natural_log(ratios[middle])), LEAST_SPREAD)
    assert _siblings(values, 1, Fraction(1)).spread == wanted


def test_honest_runs_are_hardly_ever_odd() -> None:
    """Histories of twelve runs, spread by a fifth: one in a thousand is odd at most; ten times is found."""
    drawn = random.Random(1)
    odd = slips = 0
    for _ in range(200):
        took = sorted(round(1000 * exp(drawn.gauss(0, 0.2))) for _ in range(12))
        siblings: Siblings = _siblings(took, 1, Fraction(1))
        odd += sum(siblings.is_odd(Fraction(each)) for each in took)
        slips += siblings.is_odd(Fraction(drawn.choice(took) * 10))
    assert odd <= 2
    assert slips >= 196
