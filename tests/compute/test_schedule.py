"""The plan as a duration: when phases can end with the GPUs that there are, and which dates cannot be met."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.language.calendar_days import iso
from reckon.present.budget.status import Standing
from reckon.present.render.numbers import format_sentence
from reckon.present.terminal.summary import status as lines
from reckon.present.view import View
from tests.present.test_status import status

GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
EIGHT = "gpus: 8\n"  # 192 GPU-hours a day
CARD = ", gpu: other"


def phase(name: str, hours: int, dates: str = "", more: str = "") -> str:
    item = f"{{title: Work, scope: one-time, gpu_hours: {hours}{more}}}"
    return f"{name}: {{title: P{name}, {dates}items: {{{name}1: {item}}}}}\n"


def run(name: str, day: str, hours: int, done: int) -> str:
    """A run of a phase after which so many percent of it are done."""
    return f"- {{item: {name}1, date: {day}, gpu_hours: {hours}, progress: {{done: {done}, total: 100}}}}\n"


def book(ledger: Any, plan: str, project: str = EIGHT, runs: str = "", **more: str) -> Any:
    return ledger(project=project, gpus=GPUS, plan=plan, **({"runs": runs} if runs else {}), **more).book()


def ends(found: Any, *names: str) -> list[str]:
    return [iso(int(found[f"p.phases.{name}.earliest_end"].use))[5:] for name in names]


JANUARY = "since: 2025-01-01, until: 2025-01-31, "
A = phase("a", 960, JANUARY)  # five days


@pytest.mark.parametrize(
    ("why", "plan", "project", "runs", "expected"),
    [
        (
            "five days from the day of the plan, then two and a half",
            phase("a", 960) + phase("b", 480),
            EIGHT,
            "",
            "01-05 01-08",
        ),
        ("from the day on which the project began", phase("a", 960), "began: 2025-03-01\ngpus: 8\n", "", "03-05"),
        (
            "from its own day, later than the end of the one before",
            phase("a", 960) + phase("b", 192, "since: 2025-02-01, "),
            EIGHT,
            "",
            "01-05 02-01",
        ),
        (
            "not before the end of the one before",
            phase("a", 960) + phase("b", 192, "since: 2025-01-03, "),
            EIGHT,
            "",
            "01-05 01-06",
        ),
        (
            "beside each other: by the eighth day, three and five days of work",
            phase("a", 960, "since: 2025-01-01, until: 2025-01-10, ")
            + phase("b", 576, "since: 2025-01-03, until: 2025-01-08, "),
            EIGHT,
            "",
            "01-08 01-05",
        ),
        (
            "half is done by the fourth: two and a half days from that day",
            A,
            EIGHT,
            run("a", "2025-01-04", 700, 50),
            "01-06",
        ),
        (
            "nothing says how much is done: what is not spent, three days",
            A,
            EIGHT,
            "- {item: a1, date: 2025-01-04, gpu_hours: 384, status: running}\n",
            "01-06",
        ),
        (
            "what is done ended on the day of its last run",
            A + phase("b", 192),
            EIGHT,
            run("a", "2025-01-04", 100, 100),
            "01-04 01-04",
        ),
        ("extensions come last", phase("a", 192, "extension: true, ") + phase("b", 960), EIGHT, "", "01-06 01-05"),
        (
            "in hours of its own card: 192 there count 96, and hold 8 for a day",
            phase("a", 192, "", CARD),
            EIGHT,
            "",
            "01-01",
        ),
    ],
)
def test_the_earliest_end_of_each_phase(
    ledger: Any, why: str, plan: str, project: str, runs: str, expected: str
) -> None:
    found = book(ledger, plan, project, runs)
    assert ends(found, *"ab"[: len(expected.split())]) == expected.split(), why


@pytest.mark.parametrize(
    ("grants", "gpus"),
    [
        ("g: {title: G, gpu_hours: 9000, gpus: 4, projects: [p]}\n", 4),
        (
            "g: {title: G, gpu_hours: 9000, gpus: 4, gpu: card, projects: [p]}\n"
            "h: {title: H, gpu_hours: 9000, gpus: 12, gpu: card, projects: [p]}\n",
            16,
        ),
        (
            "g: {title: G, gpu_hours: 9000, gpus: 4, projects: [p]}\nh: {title: H, gpu_hours: 9000, projects: [p]}\n",
            None,
        ),
        ("g: {title: G, gpu_hours: 9000, gpus: 4, gpu: other, projects: [p]}\n", None),
        ("g: {title: G, gpu_hours: 9000, gpus: 4, projects: []}\n", None),
    ],
)
def test_the_capacity_is_that_of_the_grants_where_the_project_states_none(
    ledger: Any, grants: str, gpus: int | None
) -> None:
    found = book(ledger, A, "", allocations=grants)
    capacity = found.get("p.schedule.gpus")
    assert (capacity and capacity.use) == gpus


def dated(found: Any) -> dict[str, str]:
    """What is said of dates, by subject."""
    mine = [finding for finding in found.findings["p"] if finding.rule == "date-cannot-be-met"]
    assert {finding.was or finding.severity for finding in mine} <= {"warning"}
    return {finding.subject: format_sentence(finding.arithmetic) for finding in mine}


LATE = phase("a", 960, "since: 2025-01-01, until: 2025-01-04, ")
ACCEPTED = "accept: [{finding: 'date-cannot-be-met:p.phases.a', reason: It waits., by: Mira}]\n"
WEEK = run("a", "2025-01-01", 30, 3) + run("a", "2025-01-08", 50, 8)  # 80 hours in 8 days


@pytest.mark.parametrize(
    ("why", "plan", "project", "runs", "subjects"),
    [
        ("five days do not go into four", LATE, EIGHT, "", ["p.phases.a"]),
        ("five days go into five", phase("a", 960, "since: 2025-01-01, until: 2025-01-05, "), EIGHT, "", []),
        ("no capacity, no run: nothing is known", LATE, "", "", []),
        (
            "the next is late because of it alone",
            LATE + phase("b", 192, "since: 2025-01-05, until: 2025-01-05, "),
            EIGHT,
            "",
            ["p.phases.a"],
        ),
        (
            "the next is late by itself too",
            LATE + phase("b", 400, "since: 2025-01-05, until: 2025-01-06, "),
            EIGHT,
            "",
            ["p.phases.a", "p.phases.b"],
        ),
        (
            "the days of both are past",
            LATE + phase("b", 92, "since: 2025-01-05, until: 2025-01-05, "),
            EIGHT,
            run("a", "2025-01-07", 100, 10),
            ["p.phases.a", "p.phases.b"],
        ),
        (
            "the day of the next is that of the last data",
            LATE + phase("b", 92, "since: 2025-01-05, until: 2025-01-07, "),
            EIGHT,
            run("a", "2025-01-07", 100, 10),
            ["p.phases.a"],
        ),
        (
            "each would fit alone, and not beside each other",
            phase("a", 960, "since: 2025-01-01, until: 2025-01-08, ")
            + phase("b", 960, "since: 2025-01-01, until: 2025-01-09, "),
            EIGHT,
            "",
            ["p.phases.b"],
        ),
        (
            "with work done, three days are left for it from the fourth",
            phase("a", 960, "since: 2025-01-01, until: 2025-01-06, "),
            EIGHT,
            run("a", "2025-01-04", 500, 40),
            [],
        ),
        (
            "with less done, it is late",
            phase("a", 960, "since: 2025-01-01, until: 2025-01-06, "),
            EIGHT,
            run("a", "2025-01-04", 500, 39),
            ["p.phases.a"],
        ),
        ("its day is past, and it is not done", LATE, "", run("a", "2025-01-05", 900, 99), ["p.phases.a"]),
        (
            "its day is past, and it is an extension that may never be run",
            phase("a", 90) + phase("b", 90, "extension: true, until: 2025-01-02, "),
            "",
            run("a", "2025-01-05", 90, 100),
            [],
        ),
        (
            "its day is past, and it is an extension that has begun",
            phase("a", 90) + phase("b", 90, "extension: true, until: 2025-01-02, "),
            "",
            run("b", "2025-01-05", 9, 10),
            ["p.phases.b"],
        ),
        ("its day is past, and it is done", LATE, "", run("a", "2025-01-05", 900, 100), []),
        (
            "its day is past, and nothing says how much is done",
            LATE,
            "",
            "- {item: a1, date: 2025-01-05, gpu_hours: 900, status: running}\n",
            [],
        ),
        (
            "its day is past, and all that was done failed",
            LATE,
            "",
            "- {item: a1, date: 2025-01-05, gpu_hours: 900, status: failed}\n",
            ["p.phases.a"],
        ),
        ("at the pace of a week it ends in spring", A, "", WEEK, ["p.phases.a"]),
        ("at the pace of a week it ends in time", phase("a", 960, "until: 2025-12, "), "", WEEK, []),
        ("the pace of some days says nothing yet", A, "", run("a", "2025-01-01", 10, 1), []),
        (
            "a phase that has not begun is not held against the pace of others",
            phase("a", 90) + phase("b", 960, "since: 2025-01-15, until: 2025-01-31, "),
            "",
            WEEK,
            [],
        ),
        ("with a capacity the pace is judged too", A, EIGHT, WEEK, ["p.phases.a"]),
        (
            "the next is late because of one alone that is accepted",
            LATE + phase("b", 192, "since: 2025-01-05, until: 2025-01-05, "),
            EIGHT + ACCEPTED,
            "",
            ["p.phases.b", "p.phases.a"],
        ),
    ],
)
def test_which_dates_cannot_be_met(
    ledger: Any, why: str, plan: str, project: str, runs: str, subjects: list[str]
) -> None:
    assert list(dated(book(ledger, plan, project, runs))) == subjects, why


@pytest.mark.parametrize("gpus", ["", "gpus: 8, "])
def test_a_capacity_of_a_grant_removes_no_lateness(ledger: Any, gpus: str) -> None:
    """At 10 GPU-hours a day neither the phase nor the grant is met, whether the grant says how many GPUs it has or
    not; on eight GPUs both would be."""
    grant = f"g: {{title: G, gpu_hours: 9000, {gpus}until: 2025-01-31, projects: [p]}}\n"
    found = dated(book(ledger, A, "", WEEK, allocations=grant))
    assert list(found) == ["p.phases.a", "allocations.g"]
    assert all("at the present pace of 10 GPU-h/d" in said for said in found.values())


GRANT = "g: {{title: G, gpu_hours: 9000, until: {0}, projects: [p]}}\n"


@pytest.mark.parametrize(
    ("until", "project", "runs", "says"),
    [
        (
            "2025-01-04",
            EIGHT,
            "",
            "the planned work can end on 2025-01-05 at the earliest, on 8 GPUs; the grant ends on 2025-01-04",
        ),
        ("2025-01-05", EIGHT, "", ""),
        ("2025-01", "", WEEK, "at the present pace of 10 GPU-h/d the work ends on"),
        ("2026", "", WEEK, ""),
        ("2025-01-04", EIGHT, run("a", "2025-01-10", 900, 100), ""),
    ],
)
def test_a_grant_that_ends_before_the_work_can(ledger: Any, until: str, project: str, runs: str, says: str) -> None:
    found = dated(book(ledger, phase("a", 960), project, runs, allocations=GRANT.format(until)))
    assert found.get("allocations.g", "").startswith(says)
    assert bool(found) is bool(says)


@pytest.mark.parametrize(("planned", "done", "is_late"), [(80, 100, False), (960, 8, True)])
def test_a_grant_is_not_late_for_work_on_another_card(ledger: Any, planned: int, done: int, is_late: bool) -> None:
    """80 hours on the card of the grant in eight days, all of what is planned there or 8%; on another card 920 are to
    come, which count half, at 12.5 a day: they end in February, after the grant does."""
    plan = phase("a", planned) + phase("b", 960, more=CARD)
    runs = run("a", "2025-01-01", 30, done // 2) + run("a", "2025-01-08", 50, done) + run("b", "2025-01-08", 40, 4)
    grant = GRANT.format("2025-01").replace("gpu_hours", "gpu: card, gpu_hours")
    found = book(ledger, plan, "", runs, allocations=grant)
    assert iso(int(found["p.pace.end"].use)) > "2025-01-31"
    assert ("allocations.g" in dated(found)) is is_late


def test_another_grant_that_ends_later_is_drawn_on_then(ledger: Any) -> None:
    two = GRANT.format("2025-01-04") + GRANT.format("2025-02").replace("g:", "h:")
    assert dated(book(ledger, phase("a", 960), allocations=two)) == {}


def test_what_is_said(ledger: Any) -> None:
    assert dated(book(ledger, LATE)) == {
        "p.phases.a": "960 GPU-h are still to be done, which take 5 d on 8 GPUs; it can end on 2025-01-05 at the "
        "earliest; the planned end is 2025-01-04"
    }


def test_pages_and_terminal_show_dates_where_a_capacity_is_known(ledger: Any) -> None:
    found = book(ledger, A + phase("b", 480))
    table = Standing(View(found, found.ledger.projects["p"])).dates
    assert [row[3:5] for row in table.rows] == [["2025-01-01", "2025-01-31"], ["", ""]]
    assert "| Pa | 2025-01-05 | 2025-01-01 | 2025-01-31 | 960 | 5 |" in status(found)
    said = list(lines(found))
    assert said[2] == "At the earliest done by 2025-01-08."
    assert "  Pa: at the earliest 2025-01-05" in list(lines(found, items=True))
    without = book(ledger, A + phase("b", 480), "")
    assert "## Dates" not in status(without)
    assert not [line for line in lines(without, items=True) if "earliest" in line or "done by" in line]


TWO = phase("a", 70, "until: 2025-01-12, ") + phase("b", 70, "until: 2025-02-28, ")
CALM = "contingency: 0%\n"


def done_by(found: Any, *names: str) -> list[str]:
    return [iso(int(found[f"p.{name}"].use))[5:] for name in names]


def test_each_phase_is_done_after_those_before_it(ledger: Any) -> None:
    """35 hours in seven days are 5 a day, by which half of the first phase is done: 35 hours more of it are about
    seven days, and with the 70 of the second about 21. The last phase is done when all is."""
    found = book(ledger, TWO, CALM, run("a", "2025-01-01", 5, 7) + run("a", "2025-01-07", 30, 50))
    assert found["p.pace.gpu_hours_per_day"].use == 5
    at_a, at_b = (found[f"p.phases.{name}.days_to_end"].use for name in "ab")
    assert abs(at_a - 7) <= 1
    assert abs(at_b - 21) <= 2
    spread = ("phases.a.end_p10", "phases.a.end", "phases.a.end_p90", "phases.b.end_p10", "phases.b.end")
    assert done_by(found, *spread) == sorted(done_by(found, *spread)), "a range around the median, phase after phase"
    for suffix in ("", "_p10", "_p90"):
        assert found[f"p.phases.b.end{suffix}"].use == found[f"p.pace.end{suffix}"].use
    assert dated(found)["p.phases.a"].startswith(
        "at the present pace of 5 GPU-h/d, earlier phases first, it ends on 2025-01-1"
    )
    assert "p.phases.b" not in dated(found)
    assert "(2025-" in next(line for line in lines(found) if line.startswith("Done by"))
    row = next(line for line in status(found).splitlines() if line.startswith("| Pa | **late**"))
    assert row.count("**late**: ") == 1


def test_late_is_said_against_both(ledger: Any) -> None:
    """On one GPU, 35 hours more end on the eighth at the earliest: that is said beside the day at the present pace."""
    late = TWO.replace("2025-01-12", "2025-01-07")
    found = book(ledger, late, CALM + "gpus: 1\n", run("a", "2025-01-01", 5, 7) + run("a", "2025-01-07", 30, 50))
    said = dated(found)["p.phases.a"]
    assert "it can end on 2025-01-08 at the earliest" in said
    assert "at the present pace of 5 GPU-h/d, earlier phases first, it ends on 2025-01-1" in said
    assert said.endswith("; the planned end is 2025-01-07")


def test_a_phase_that_is_done_has_the_last_day_of_its_runs(ledger: Any) -> None:
    found = book(ledger, TWO, CALM, run("a", "2025-01-01", 60, 100) + run("b", "2025-01-07", 10, 10))
    assert done_by(found, "phases.a.end_p10", "phases.a.end", "phases.a.end_p90") == ["01-01"] * 3
    assert "p.phases.a" not in dated(found)


def test_under_seven_days_of_data_no_date_is_told(ledger: Any) -> None:
    found = book(ledger, TWO, CALM, run("a", "2025-01-01", 5, 7) + run("a", "2025-01-06", 30, 50))
    assert found["p.pace.end"].missing == ("p.pace.days_of_data",)
    assert any(line.startswith("Too few days of data to say when the work is done; ") for line in lines(found))
    assert "Too few days of data to say when the work is done" in status(found)
    assert dated(found) == {}


def test_a_policy_may_name_the_end_at_the_present_pace_before_there_is_one(ledger: Any) -> None:
    project = "policies: {day: {require: phases.a.days_to_end <= 100 days, message: Hurry.}}\n"
    holds = [book(ledger, A, project, runs).policies["p"][0].holds for runs in ("", WEEK)]
    assert holds == [None, True]


@pytest.mark.parametrize("ratio", ["2", "1.5-2.5", "1-4"])
def test_a_range_between_cards_is_not_counted_again_in_what_is_to_do(ledger: Any, ratio: str) -> None:
    """100 hours on another card, of which 40% are done: 60 hours there are to do, whatever one of them counts as."""
    cards = GPUS.replace("0.5", ratio)
    done = "- {item: a1, date: 2025-01-04, gpu: other, gpu_hours: 40, progress: {done: 40, total: 100}}\n"
    found = ledger(project=EIGHT, gpus=cards, plan=phase("a", 100, more=CARD), runs=done).book()["p.phases.a.to_do"]
    assert found.value.exact
    assert found.use == 60
