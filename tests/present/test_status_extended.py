"""What is said of limits where extensions may be run beside the base plan: state, glance, table and terminal."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reckon.present.budget.status import Standing
from reckon.present.render.numbers import format_sentence
from reckon.present.terminal.summary import status as lines
from reckon.present.view import View
from tests.present.test_status import status

PLAN = """\
base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}
more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 50}}}
"""
HALF = "- {date: 2025-01-0%s, item: a, gpu_hours: 52, progress: {done: 5, total: 10}}\n"
BASE, MORE = HALF % 2, "- {date: 2025-01-03, item: b, gpu_hours: 5, progress: {done: 1, total: 10}}\n"


def said(book: Any) -> tuple[str, str]:
    """The state in a word, and why."""
    state = Standing(View(book, book.ledger.projects["p"])).state
    return state.word.capitalize(), f"{format_sentence(state.why)}."


def test_what_only_the_extensions_exceed_is_said_without_alarm(ledger: Any) -> None:
    """135 are less than 100 of the base and 50 of extensions, and more than the base alone is likely to take."""
    book = ledger(project="contingency: 20%\nceiling: 135\n", plan=PLAN, runs=BASE).book()
    word, why = said(book)
    assert word == "Within budget"
    assert re.fullmatch(
        r"the chance of exceeding the final budget is \d+% \(\d+% before any run\); with the extensions, which have "
        r"not begun, the chance of exceeding the ceiling is \d\d% \(67% before any run\)\.",
        why,
    ), why
    assert Standing(View(book, book.ledger.projects["p"])).state.tone == "NOTE"
    told = (
        r"Planned work has a \d+% risk of exceeding the final budget; optional extensions, not begun, would likely "
        r"exceed the ceiling \(\d\d%\)\."
    )
    assert re.search(rf"^\*\*Within budget\*\*\. {told}$", status(book), re.MULTILINE)


def test_it_is_a_risk_once_extensions_have_begun(ledger: Any) -> None:
    book = ledger(project="contingency: 20%\nceiling: 135\n", plan=PLAN, runs=BASE + MORE).book()
    word, why = said(book)
    assert word == "At risk"
    assert why.startswith("with the extensions, which have begun, the chance of exceeding the ceiling is ")


@pytest.mark.parametrize(("runs", "begun"), [(BASE, "have not begun"), (BASE + MORE, "have begun")])
@pytest.mark.parametrize("risky", [None, 1, 20])
def test_a_stricter_threshold_never_says_less(ledger: Any, runs: str, begun: str, risky: int | None) -> None:
    """What the base plan likely exceeds by a chance of 1% does not take the place of what extensions exceed."""
    own = f"at_risk: {{budget: {risky}%}}\n" if risky else ""
    word, why = said(ledger(project=f"contingency: 20%\nceiling: 135\n{own}", plan=PLAN, runs=runs).book())
    chance = re.search(rf"with the extensions, which {begun}, .*the ceiling (?:is )?(\d\d)%", why)
    assert chance, why
    assert int(chance[1]) >= 50
    assert begun == "have begun" or "at risk from" not in why.partition("with the extensions")[2]
    assert word == ("At risk" if begun == "have begun" or risky == 1 else "Within budget"), why


def test_what_neither_exceeds_is_within_plan(ledger: Any) -> None:
    word, why = said(ledger(project="contingency: 40%\nceiling: 400\n", plan=PLAN, runs=BASE).book())
    assert word == "Within plan"
    assert re.search(
        r"; with the extensions, the chance of exceeding the extended budget is [\d–]+% \(\d+% before any run\)\.$", why
    )


def test_a_day_that_comes_with_the_extensions_alone_says_so(ledger: Any) -> None:
    """83 of 135 are left at 52 in seven days."""
    week = BASE.replace("date: 2025-01-02", "start: 2024-12-27, end: 2025-01-02")
    book = ledger(project="contingency: 20%\nceiling: 135\n", plan=PLAN, runs=week).book()
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", status(book))
    row = next(line for line in page.splitlines() if line.startswith("| Ceiling |") and "GPU-h" not in line)
    planned = r"<br>\d\d% before any run"
    day = "2025-01-14 with extensions"
    said = rf"\| Ceiling \| (0–)?\d+%{planned} \| 83 \| 135 \| \d\d%{planned} \| {day} \|"
    assert re.fullmatch(said, row), row
    final = next(line for line in page.splitlines() if line.startswith("| Final budget |") and "| 120 |" in line)
    assert "the base plan ends first" in final, "the final budget was not made for extensions"
    told = "\n".join(lines(book))
    assert re.search(r"^Ceiling +0–1% +83 +135  2025-01-14 with extensions$", told, re.MULTILINE)
    told = "\n".join(lines(book, items=True))
    assert re.search(
        r"^Ceiling .*\n    risk 18% before any run; risk with extensions \d\d%, 67% before any run$", told, re.MULTILINE
    )


@pytest.mark.parametrize("text", ["with extensions", "If extended", "The same"])
def test_a_plan_without_extensions_says_nothing_of_them(ledger: Any, text: str) -> None:
    book = ledger(project="ceiling: 135\n", plan=PLAN.splitlines()[0] + "\n", runs=BASE).book()
    assert text not in status(book) + "\n".join(lines(book))
    assert "| Limit | Risk | Left | Size | Runs out |" in status(book)


def test_limits_stand_by_size(ledger: Any) -> None:
    """A ceiling of 110 is below the final budget of 120, and that below the extended one."""
    page = status(ledger(project="contingency: 20%\nceiling: 110\n", plan=PLAN, runs=BASE).book())
    rows = page.partition("| Limit |")[2].split("\n\n")[0].splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == ["| Ceiling", "| Final budget", "| Extended budget"]


def test_a_plan_above_its_ceiling_is_not_simply_within_plan(ledger: Any) -> None:
    """The final budget of 120 is above a ceiling of 119, which is an open error; 100 are likely taken of either."""
    base = PLAN.splitlines()[0] + "\n"
    book = ledger(project="contingency: 20%\nceiling: 119\n", plan=base, runs=BASE).book()
    state = Standing(View(book, book.ledger.projects["p"])).state
    assert (state.word, state.tone) == ("planned above a limit", "WARNING")
    assert said(book)[1].startswith(
        "the final budget is 120 GPU-h, the ceiling 119 GPU-h: short by 1 GPU-h; the chance "
    )
    assert said(book)[1].endswith("; 1 error is open.")
    accepted = "accept: [{finding: 'plan-above-limit:p.budget.final', reason: It will be raised.}]\n"
    book = ledger(project=f"contingency: 20%\nceiling: 119\n{accepted}", plan=base, runs=BASE).book()
    assert Standing(View(book, book.ledger.projects["p"])).state.word == "within plan"


def test_a_limit_that_is_likelier_exceeded_than_the_budget_is_named(ledger: Any) -> None:
    """Of 240 with 20% of contingency, a ceiling of 210 is nearer to the 200 that are likely taken."""
    plan = "base: {title: Base, items: {a: {title: A, scope: one-time, gpu_hours: 200, estimate: 160-240}}}\n"
    runs = "- {date: 2025-01-02, item: a, gpu_hours: 100, progress: {done: 5, total: 10}}\n"
    book = ledger(project="contingency: 20%\nceiling: 210\n", plan=plan, runs=runs).book()
    planned = r"\(\d+% before any run\)"
    words = (
        rf"the chance of exceeding the final budget is [\d–]+% {planned}, of exceeding the ceiling [\d–]+% {planned}"
    )
    assert re.search(f"; {words}", said(book)[1])
