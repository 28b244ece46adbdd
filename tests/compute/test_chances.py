"""The chances that limits are exceeded: by the base plan, and with its extensions."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.book import Book
from reckon.model.kinds import TOTALS
from reckon.present.budget.limits import reach, reach_grant
from tests.trying import examples

HOURS = st.integers(1, 60)
ITEM = "    i{0}: {{title: I{0}, scope: one-time, gpu_hours: {{low: {1}, use: {2}, high: {3}}}}}\n"
RUN = "- {{item: i{0}, date: 2025-01-0{1}, gpu_hours: {2}, progress: {{done: {3}, total: 10}}}}\n"
PHASE = "{0}:\n  title: P{0}\n{1}  items:\n{2}"


@st.composite
def project(draw: Any) -> dict[str, str]:
    """A plan of base and extension, in the midst of its work, with limits near where it may end."""
    phases, runs, number = "", "", 0
    for name, extension in (("base", False), ("more", True), ("last", draw(st.booleans()))):
        items = ""
        for _ in range(draw(st.integers(1, 2))):
            use, below, above = draw(HOURS), draw(st.integers(0, 9)), draw(st.integers(0, 9))
            items += ITEM.format(number, use * (10 - below) / 10, use, use * (10 + above) / 10)
            if draw(st.booleans()):
                runs += RUN.format(number, draw(st.integers(1, 9)), draw(HOURS), draw(st.integers(1, 10)))
            number += 1
        phases += PHASE.format(name, "  extension: true\n" * extension, items)
    rest = f"contingency: {draw(st.integers(0, 40))}%\nceiling: {draw(st.integers(20, 250))}\n"
    grant = f"g: {{title: G, gpu_hours: {draw(st.integers(20, 250))}, projects: [p]}}\n"
    return {"project": rest, "plan": phases, "runs": runs or RUN.format(0, 1, 1, 1), "allocations": grant}


def table(book: Book) -> list[tuple[F, F, F]]:
    """The limits of a project with their two chances, the lowest first; what is passed is certain."""
    found = [(book[f"p.{total.hours}"].use, reach(book, "p", total)) for total in TOTALS.values()]
    found.append((book["allocations.g.gpu_hours"].use, reach_grant(book, "g")))
    rows = []
    for hours, near in found:
        assert near is not None
        assert near.chance is not None
        assert near.extended is not None
        assert hours is not None
        base, extended = (F(1) if near.passed else chance.use for chance in (near.chance, near.extended))
        assert base is not None
        assert extended is not None
        rows.append((hours, base, extended))
    return sorted(rows, key=lambda row: row[0])


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=project())
def test_in_each_column_chance_never_rises_with_the_limit(ledger: Any, texts: dict[str, str]) -> None:
    rows = table(ledger(**texts).book())
    for (low, *before), (high, *after) in pairwise(rows):
        assert low == high or all(then <= first for first, then in zip(before, after, strict=True)), rows


PLAN = """\
base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}
more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 50}}}
"""
LIMITS = {"project": "ceiling: 120\n", "allocations": "g: {title: G, gpu_hours: 130, projects: [p]}\n"}
NAMES = (
    "p.forecast.probability_over_final",
    "p.forecast.probability_over_extended",
    "p.forecast.probability_over_ceiling",
    "p.forecast.extended.probability_over_final",
    "p.forecast.extended.probability_over_plan",
    "p.forecast.extended.probability_over_ceiling",
    "allocations.g.probability_over",
    "allocations.g.extended.probability_over",
)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        # All is done: 100 of the base and 40 of the extension make 140, which is above 100, 120 and 130, and not above 150.  # noqa: E501
        ("- {item: a, gpu_hours: 100}\n- {item: b, gpu_hours: 40}\n", (1, 0, 1, 1, 0, 1, 1, 1)),
        # The base is done with 100, as budgeted; little of the extension is to come.
        (
            "- {item: a, gpu_hours: 100}\n- {item: b, gpu_hours: 5, progress: {done: 9, total: 10}}\n",
            (1, 0, 0, 1, 0, 0, 0, 0),
        ),
    ],
)
def test_what_extensions_have_spent_counts_in_both_columns(ledger: Any, runs: str, expected: tuple[int, ...]) -> None:
    book = ledger(plan=PLAN, runs=runs, **LIMITS).book()
    assert tuple(book[name].use for name in NAMES) == expected
    assert book["p.forecast.probability_over_plan"].use == 0, "the base work alone is at its budget, not above it"


def test_grants_have_their_ends_of_the_forecast(ledger: Any) -> None:
    """With one project, a grant is charged what the project is."""
    runs = "- {item: a, gpu_hours: 60, progress: {done: 1, total: 2}}\n"
    book = ledger(plan=PLAN, runs=runs, **LIMITS).book()
    for percent in (10, 50, 90):
        own, granted = f"p.forecast.p{percent}", f"allocations.g.forecast_p{percent}"
        assert book[granted].value == book[own].value
        extended = f"allocations.g.extended.forecast_p{percent}"
        assert book[extended].value == book[f"p.forecast.extended.p{percent}"].value


def test_a_plan_without_extensions_has_one_chance_of_each_limit(ledger: Any) -> None:
    book = ledger(plan=PLAN.splitlines()[0] + "\n", runs="- {item: a, gpu_hours: 1}\n", **LIMITS).book()
    assert [name for name in NAMES if name in book.figures] == [NAMES[2], "allocations.g.probability_over"]
    near = reach(book, "p", TOTALS["final"])
    assert near is not None
    assert (near.chance, near.extended) == (book["p.forecast.probability_over_plan"], None)
