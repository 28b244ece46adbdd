"""What an application asks for: units of a centre, and parts that add up to the whole."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.budget.application import NotRequested, Request, apportioned, requested
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.paper.application import describe_division
from tests.small import plant

PLAN = """\
only:
  title: All of it
  items:
    train: {title: Training, scope: one-time, gpu_hours: 7042.6}
"""
HEAD = "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n"
GRANT = """\
centre:
  title: Centre
  gpu_hours: unknown
  since: 2026-01
  until: 2026-12
  projects: [demo]
"""
STANDARD = "  charge: {unit: standard hours, units_per_gpu_hour: 6}\n"
NODES = "  charge: {unit: node-hours, gpus_per_unit: 4}\n"
CARDS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2}}\n"


def asked(
    root: Path,
    charge: str = "",
    plan: str = PLAN,
    grant: str = GRANT,
    by: str = "half-years",
    cards: str = CARDS,
    of: str = "demo.budget.final",
    head: str = HEAD,
) -> Request:
    files = {
        "ledger/demo/project.yaml": head,
        "ledger/demo/plan.yaml": plan,
        "ledger/catalog/gpus.yaml": cards,
        "ledger/allocations.yaml": grant + charge,
    }
    ledger, problems = load(plant(root, files))
    book, more = calculate(ledger)
    assert problems == more == []
    return requested(book.ledger, book.figures, "demo", "centre", of, by)


def test_six_standard_hours_each_of_7042_6_gpu_hours(tmp_path: Path) -> None:
    """181 and 184 days: 42,255.6 × 181 / 365 = 20,954.15, and 21,301.45; the first remainder is the larger."""
    found = asked(tmp_path, STANDARD)
    assert (found.hours, found.units, found.unit) == (F("7042.6"), F("42255.6"), "standard hours")
    assert [(part.title, part.units) for part in found.periods] == [
        ("2026 H1, 2026-01-01 to 2026-06-30", F("20954.1")),
        ("2026 H2, 2026-07-01 to 2026-12-31", F("21301.5")),
    ]
    assert sum(part.units for part in found.periods) == found.units
    assert sum(part.hours for part in found.periods) == found.hours
    assert [(part.title, part.hours, part.units) for part in found.phases] == [("All of it", found.hours, found.units)]


def test_node_hours_of_four_gpus(tmp_path: Path) -> None:
    found = asked(tmp_path, NODES, PLAN.replace("7042.6", "1001"))
    assert (found.hours, found.hour_places) == (1001, 0)
    assert (found.units, found.unit_places) == (F("250.2"), 1)  # 250.25, half to even


def test_without_a_charge_gpu_hours_are_asked_for(tmp_path: Path) -> None:
    found = asked(tmp_path)
    assert (found.unit, found.units) == ("GPU-h", F("7042.6"))


def test_hours_on_the_card_of_the_grant(tmp_path: Path) -> None:
    """An hour there counts as two: half as many are asked for."""
    found = asked(tmp_path, "  gpu: other\n" + STANDARD)
    assert found.units == F("21127.8")
    with pytest.raises(NotRequested, match=r"plan on card: write catalog\.gpus\.other\.counts_as\.card into the"):
        asked(tmp_path, "  gpu: other\n" + STANDARD, cards="card: {title: Card}\nother: {title: Other}\n")


PHASES = """\
first: {title: First, since: 2026-01-01, until: 2026-04-30, items: {a: {title: A, scope: one-time, gpu_hours: 120}}}
second: {title: Second, since: 2026-06, until: 2027-06, items: {b: {title: B, scope: one-time, gpu_hours: 214}}}
third: {title: Third, extension: true, items: {c: {title: C, scope: one-time, gpu_hours: 50}}}
"""


def test_quarters_follow_the_planned_days_of_phases(tmp_path: Path) -> None:
    """120 h on 120 days: 90 and 30. 214 h on the 214 days from June to the end of the grant: 30, 92 and 92."""
    found = asked(tmp_path, plan=PHASES, by="quarters")
    assert found.by_plan
    assert [part.hours for part in found.periods] == [90, 30 + 30, 92, 92]
    assert [part.title for part in found.phases] == ["First", "Second"]
    extended = asked(tmp_path, plan=PHASES, of="demo.budget.extended")
    assert [(part.title, part.hours) for part in extended.phases] == [("First", 120), ("Second", 214), ("Third", 50)]
    assert sum(part.hours for part in extended.periods) == 384
    assert asked(tmp_path, plan=PHASES, of="demo.phases.first.planned").phases == []


def test_periods_begin_and_end_with_the_grant(tmp_path: Path) -> None:
    grant = GRANT.replace("2026-01\n", "2025-11-15\n").replace("2026-12", "2026-02-10")
    titles = [part.title for part in asked(tmp_path, grant=grant, by="quarters").periods]
    assert titles == ["2025 Q4, 2025-11-15 to 2025-12-31", "2026 Q1, 2026-01-01 to 2026-02-10"]


RUNS = """\
- {date: 2026-05-31, item: a, gpus: 1, wall_hours: 130, status: completed}
- {date: 2026-05-31, item: b, gpus: 1, wall_hours: 14, progress: {done: 1, total: 20}}
"""
"""The first phase took 10 h above its 120 and is done; of the second 14 of 214 h are charged."""
LEFT = "demo.budget.remaining"


def asked_with_runs(root: Path, runs: str = RUNS, by: str = "quarters", **given: str) -> Request:
    plant(root, {"ledger/demo/runs/2026-05.yaml": runs})
    head = HEAD + "contingency: 10%\n"
    return asked(root, plan=given.pop("plan", PHASES), by=by, head=head, of=given.pop("of", LEFT), **given)


def test_what_is_left_begins_after_the_runs_and_fits_what_it_is_for(tmp_path: Path) -> None:
    """367.4 h with 10 % on 334, less 144: 223.4. To do are 200 of the second phase, and 33.4 less 10 of contingency.

    The 214 days from June to December: 30, 92 and 92. Nothing falls into the days before.
    """
    found = asked_with_runs(tmp_path)
    assert (found.hours, found.after, found.late, found.by_plan) == (F("223.4"), "2026-05-31", False, True)
    assert [(part.title, part.hours) for part in found.phases] == [("Second", 200), ("Contingency", F("23.4"))]
    assert [(part.title, part.hours) for part in found.periods] == [
        ("2026 Q2, 2026-06-01 to 2026-06-30", F("31.3")),
        ("2026 Q3, 2026-07-01 to 2026-09-30", F("96.1")),
        ("2026 Q4, 2026-10-01 to 2026-12-31", F("96.0")),
    ]


def test_hours_of_a_phase_that_is_over_its_dates_come_after_the_runs(tmp_path: Path) -> None:
    """Charged are 20 of the 120 h of the first phase, due in April: its 100 are spread up to the end of December, as
    are the 214 of the second; with the contingency 347.4 h, 30, 92 and 92 parts of 214."""
    late = "- {date: 2026-05-31, item: a, gpus: 1, wall_hours: 20, progress: {done: 1, total: 6}}\n"
    found = asked_with_runs(tmp_path, late)
    assert (found.late, found.by_plan) == (True, True)
    assert [(part.title, part.hours) for part in found.phases] == [
        ("First", 100),
        ("Second", 214),
        ("Contingency", F("33.4")),
    ]
    assert [part.hours for part in found.periods] == [F("48.7"), F("149.4"), F("149.3")]


def test_where_all_planned_days_are_past_hours_are_spread_over_the_call(tmp_path: Path) -> None:
    """A call of July to December, for phases that were to end in June: 92 of 184 days in each quarter."""
    plan = PHASES.replace("until: 2027-06", "until: 2026-06")
    grant = GRANT.replace("2026-01\n", "2026-07\n")
    found = asked_with_runs(tmp_path, plan=plan, grant=grant)
    assert (found.late, found.by_plan, found.after) == (True, False, "")
    assert [part.hours for part in found.periods] == [F("111.7"), F("111.7")]


def test_more_to_do_than_remains_is_cut_in_proportion(tmp_path: Path) -> None:
    """The first phase took 220 h for 120 and is done, the second has 214 to do: 367.4 - 220 = 147.4 remain for them."""
    runs = "- {date: 2026-05-31, item: a, gpus: 1, wall_hours: 220, status: completed}\n"
    found = asked_with_runs(tmp_path, runs)
    assert [(part.title, part.hours) for part in found.phases] == [("Second", F("147.4"))]


def test_a_plan_that_is_all_extension_has_what_its_finished_work_saved(tmp_path: Path) -> None:
    """Of 50 h in two lines of 30 and 20, the first is done with 26: 24 remain, 20 to do and 4 saved."""
    items = "{c: {title: C, scope: one-time, gpu_hours: 30}, d: {title: D, scope: one-time, gpu_hours: 20}}"
    plan = f"third: {{title: Third, extension: true, items: {items}}}\n"
    runs = "- {date: 2026-05-31, item: c, gpus: 1, wall_hours: 26, status: completed}\n"
    plant(tmp_path, {"ledger/demo/runs/2026-05.yaml": runs})
    found = asked(tmp_path, plan=plan, of="demo.budget.extended_remaining")
    assert [(part.title, part.hours) for part in found.phases] == [("Third", 20), ("Saved by finished work", 4)]


def test_what_finished_work_left_belongs_to_no_phase(tmp_path: Path) -> None:
    """The first phase is done with 90 of its 120 h: 30 are left beside the 214 and 33.4 of contingency."""
    runs = "- {date: 2026-05-31, item: a, gpus: 1, wall_hours: 90, status: completed}\n"
    found = asked_with_runs(tmp_path, runs)
    assert [(part.title, part.hours) for part in found.phases] == [
        ("Second", 214),
        ("Saved by finished work", 30),
        ("Contingency", F("33.4")),
    ]
    assert sum(part.hours for part in found.phases) == found.hours == F("277.4")


@pytest.mark.parametrize(
    ("since", "until", "beyond"),
    [
        # Of March to May 2027 none is in 2026, of December to January a half; a year ends with its last day.
        ("2027-03", "2027-05", ["Late"]),
        ("2026-12", "2027-01", ["Late"]),
        ("2027-03", "", ["Late"]),
        ("2026-11", "2026-12", []),
        ("2026", "2026", []),
    ],
)
def test_phases_that_are_planned_for_later_days_are_named(
    since: str, until: str, beyond: list[str], tmp_path: Path
) -> None:
    """Their 500 hours are among those of the periods, which is said."""
    days = f"  since: {since}\n" + (f"  until: {until}\n" if until else "")
    late = f"late:\n  title: Late\n{days}  items: {{l: {{title: L, scope: one-time, gpu_hours: 500}}}}\n"
    early = PLAN.replace("  title: All of it\n", "  title: Early\n  since: 2026-01\n  until: 2026-06\n")
    found = asked(tmp_path, plan=early + late)
    assert (found.beyond, found.hours) == (beyond, F("7542.6"))
    said = describe_division(found)
    assert said.endswith(". Planned for later days, but counted in these: Late") is bool(beyond)


@pytest.mark.parametrize(
    ("grant", "charge", "said"),
    [
        (GRANT.replace("  until: 2026-12\n", ""), "", "allocations.centre has no `since` and `until`"),
        (GRANT.replace("2026-12", "2999"), "", "write days that are 1 to 20 half-years"),
        (
            GRANT,
            "  charge: {unit: u, gpus_per_unit: 4-8}\n",
            "allocations.centre.charge.gpus_per_unit is not one number",
        ),
        (GRANT, "  charge: {unit: u, units_per_gpu_hour: unknown}\n", "units_per_gpu_hour is not one number above 0"),
    ],
)
def test_what_is_missing_is_said(tmp_path: Path, grant: str, charge: str, said: str) -> None:
    with pytest.raises(NotRequested) as raised:
        asked(tmp_path, charge, grant=grant)
    assert said in str(raised.value)


def test_an_unknown_plan_and_another_unit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotRequested, match=r"demo\.budget\.final is not known without demo\.plan\.train\.gpu_hours"):
        asked(tmp_path, plan=PLAN.replace("7042.6", "unknown"))
    with pytest.raises(NotRequested, match=r"nothing is left to ask for: demo\.actual\.total is not above 0"):
        asked(tmp_path, of="demo.actual.total")


def test_equal_remainders_go_to_the_earliest() -> None:
    assert apportioned(F(1), [F(1)] * 3, 1) == [F("0.4"), F("0.3"), F("0.3")]
    assert apportioned(F(5), [F(1), F(0), F(3)], 0) == [1, 0, 4]


@given(st.integers(0, 10**9), st.integers(0, 2), st.lists(st.fractions(0, 10**6), min_size=1, max_size=20))
def test_parts_add_up_and_none_is_a_digit_off(whole: int, places: int, weights: list[F]) -> None:
    if not any(weights):
        weights[0] = F(1)
    parts = apportioned(F(whole, 10**places), weights, places)
    assert sum(parts) * 10**places == whole
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part * 10**places - whole * weight / sum(weights)) < 1
        assert (part * 10**places).denominator == 1
