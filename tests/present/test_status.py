"""The status page of a small ledger, worked by hand; what it says when there is little; and the state in a word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reckon.present.budget.state import dangers, state_of
from reckon.present.budget.status import Standing
from reckon.present.pages import present
from reckon.present.render.numbers import format_sentence
from reckon.present.terminal import summary
from reckon.present.view import View
from tests.booked import standing
from tests.present.test_traced import marked, without_marked

ROOT = Path(__file__).resolve().parents[2]

# Final budget: 20 + 2 × 40 = 100, and 10 of contingency.
PROJECT = """
seeds: 2
contingency: 10%
ceiling: 130
prices: [list]
policies:
  waste: {title: Little waste, require: actual.waste_share <= 10%, message: Checkpoint more often., severity: note}
  ceiling: {require: actual.total <= ceiling, message: Stop.}
  future: {title: Kept to the end, require: forecast.extended.p50 <= 500 gpu_hours, message: Wait.}
descope: [{item: train, seed: 2, why: One seed shows it.}]
"""
PLAN = """
one:
  title: First
  since: 2025-01-01
  until: 2025-01-10
  items: {prep: {title: Preparation, scope: one-time, gpu_hours: 20}}
two:
  title: Second
  since: 2025-01-11
  until: 2025-01-31
  items: {train: {title: Training, scope: per-seed, gpu_hours: 40}}
more:
  title: More
  extension: true
  items: {larger: {title: Larger, scope: one-time, gpu_hours: unknown}}
"""
RUNS = """
- {date: 2025-01-02, item: prep, gpu_hours: 25, progress: {done: 1, total: 1}}
- {date: 2025-01-10, item: train, seed: 1, gpu_hours: 30, progress: {done: 4, total: 4}}
- {date: 2025-01-20, item: train, seed: 2, gpu_hours: 10, status: failed, note: A disk was full.}
- {date: 2025-01-25, item: train, seed: 2, gpu_hours: 10, progress: {done: 1, total: 4}}
- {date: 2025-02-01, item: detour, gpu_hours: 2, unplanned: true}
"""
PRICES = "list: {title: List, usd_per_gpu_hour: {card: 2}}\n"
GRANT = "grant: {title: Grant, gpu_hours: 100, since: 2025-01-01, until: 2025-06-30, projects: [p]}\n"


def files_of(book: Any) -> dict[str, str]:
    return present(book, [ROOT / "templates"], lambda path: None)


def status(book: Any) -> str:
    """The status page and those that go with it, without their links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", standing(files_of(book)))


@pytest.fixture
def worked(ledger: Any) -> Any:
    more = {"ledger/catalog/prices.yaml": PRICES}
    return ledger(project=PROJECT, plan=PLAN, runs=RUNS, allocations=GRANT, **more).book()


def test_the_page_is_what_one_reckons_by_hand(worked: Any) -> None:
    """Seed 2 took 20 for a quarter of its work: 80 at its end. All: 25 + 30 + 80 + 2 unplanned = 137."""
    page = status(worked)
    for line in (
        'Data to <time datetime="2025-02-01">2025-02-01</time> · version 1.0.0 · GPU-h = hours on Card',
        "- **33 GPU-h** left of 110; 70% spent",
        "| **First** | 20 | 25 | −5 | 25 | 100% |",
        "| Preparation | 20 | 25 | −5 | – | 100% |",
        "| Training | 80 | 50 | 30 | – | 62.5% |",
        "| ↳ seed 1 | 40 | 30 | 10 | – | 100% |",
        "| ↳ seed 2 | 40 | 20 | 20 | – | 25% |",
        "| Larger | – | 0 | – | – | 0% |",
        "| **Unplanned** | – | 2 | – | – | – |",
        "| **Contingency** | 10 | 7 drawn | 3 |",
        "| 2025-01 | 75 | 75 |",
        "| 2025-02 | 2 | 77 |",
        "| First | 2 | 5 | −3 | −150% | 0 |",
        "| Second | 8 | 0 | 8 | 100% | 10 |",
        "| **All** | 10 | 7 | 3 | 30% | 10 |",
        "| 1 · Preparation | 5 | 20 | 25 | 2025-01-02 | First |",
        "| 2 · Unplanned runs | 2 | – | 2 | 2025-02-01 |  |",
        "| other failure | 10 |",
        "13% of all hours charged are lost: those of failed attempts and of GPUs held idle, less what the plan gives "
        "for the progress that is kept.",
        "| Little waste | the project | **breached**: share of the actual hours lost "
        "is 13% and must be at most 10%"
        "<br>Checkpoint more often. | <code>actual.waste_share &lt;= 10%</code> |",
        "| **Total charged** | | $154 |",
        "| **First** | 20 | 20 | 25 | 80% | 25 | 0 | −5 |",
        "| Training | 80 | 50 | 50 | 100% | 110 |",
        "| ↳ seed 1 | 40 | 40 | 30 | 133% | 30 | 0 | 10 |",
        "| ↳ seed 2 | 40 | 10 | 20 | 50% | 80 | 60 | −40 |",
    ):
        assert any(row.startswith(line) for row in page.splitlines()), line
    assert "met: actual is 77 GPU-h and must be at most 130 GPU-h (ceiling)" in page
    assert "| Kept to the end | the project | unknown without " in page
    assert "| Training, seed 2<br>One seed shows it. |" in page
    assert "A disk was full." in page
    assert "- Larger: `plan.larger.gpu_hours`" in page


def test_no_numeral_of_it_is_untraced(worked: Any) -> None:
    pages = present(worked, [ROOT / "templates"], lambda path: None, marked)
    for name in ("docs/p/status.md", "docs/p/index.md", "docs/index.md"):
        assert not [line for line in without_marked(pages[name]).splitlines() if re.search(r"\d", line)], name


def test_every_picture_that_the_page_shows_is_there(worked: Any) -> None:
    files = files_of(worked)
    shown = set(re.findall(r"\]\(([\w-]+\.svg)\)", standing(files)))
    assert shown == {f"{name}.svg" for name in ("planned-and-actual", "burn-up", "contingency", "timeline")}
    assert {f"docs/p/{name}" for name in shown} <= set(files)
    assert {f"docs/p/{name.replace('.svg', '.vl.json')}" for name in shown} <= set(files)


def test_the_portfolio_says_the_same_at_a_glance(worked: Any) -> None:
    files = files_of(worked)
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", files["docs/index.md"])
    assert re.search(r"^\| \*\*P\*\* \| \*\*At risk\*\*: .* \| 33 of 110 \| ", page, re.MULTILINE)
    shared = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", files["docs/catalog.md"])
    assert "| Grant | 77% | 23 | 77 | 100 | 2025-06-30 | 0 | p |" in shared
    assert "Status: p/status.md" in files["docs/nav.yml"]


def test_giving_something_up_undoes_no_limit_that_is_passed(ledger: Any) -> None:
    """125 of 110 are spent, 130 is the ceiling. Nobody has a chance of what has happened."""
    more = {"ledger/catalog/prices.yaml": PRICES}
    spent = RUNS + "- {date: 2025-02-02, item: train, seed: 2, gpu_hours: 48, progress: {done: 2, total: 4}}\n"
    found = status(ledger(project=PROJECT, plan=PLAN, runs=spent, **more).book())
    rows = found.partition("Risk to the budget")[2].splitlines()[2:4]
    assert len(rows) == 2
    assert all(row.count("| passed |") == 1 for row in rows), "the budget is passed, the ceiling is not"


def test_rows_of_money_add_up_with_what_nobody_planned(worked: Any) -> None:
    """2 unplanned hours at $2, beside 50 + 100 dollars of the phases."""
    rows = status(worked).partition("## In money")[2]
    assert "| Unplanned | | $4.00 |" in rows
    assert "| **Final budget**, contingency included | " in rows


def test_before_the_first_run_it_says_so_and_shows_the_plan(ledger: Any) -> None:
    page = status(ledger(project=PROJECT.replace("prices: [list]", ""), plan=PLAN).book())
    assert "**Not begun**: no runs are recorded yet." in page
    assert "↳ seed" not in page  # they would say the plan of the row above again
    parts = ("## Runs", "## Lost hours", "## Method", "Withdrawals")
    for gone in (*parts, "Nothing has drawn", "Pace:", "None"):
        assert gone not in page, gone


def test_before_the_first_run_of_an_unknown_plan_no_link_leads_nowhere(ledger: Any) -> None:
    page = status(ledger(project="seeds: 2\n", plan=PLAN.replace("gpu_hours: 20", "gpu_hours: unknown")).book())
    assert "#not-defined" not in page


def test_runs_without_dates_leave_out_what_needs_them(ledger: Any) -> None:
    page = status(
        ledger(project="seeds: 2\ncontingency: 5%\n", plan=PLAN, runs=re.sub(r"date: [-0-9]+, ", "", RUNS)).book()
    )
    limits = page.partition("## Limits")[2]
    assert re.search(r"^\| Final budget \| .*\| runs have no dates \|$", limits, re.MULTILINE)
    assert "| 1 · Preparation | 5 | 20 | 25 | no date | First |" in page
    for gone in ("Pace:", "Hours by month", "timeline.svg", "contingency.svg", "| When |", "None"):
        assert gone not in page, gone


def test_a_limit_that_was_passed_has_its_day(ledger: Any) -> None:
    page = status(ledger(project="seeds: 2\nceiling: 60\n", plan=PLAN, runs=RUNS).book())
    assert "> **Over ceiling**: 77 GPU-h are charged, the ceiling is 60 GPU-h." in page
    assert "| Ceiling | passed | −17 | 60 | passed | passed on 2025-01-20 |" in page


PIECE = "one: {title: One, items: {work: {title: Work, scope: one-time, gpu_hours: 10}}}\n"
FEW = "policies: {few: {require: actual.total <= 4 gpu_hours, message: Stop.}}\n"
HALF = "- {date: 2025-01-01, item: work, gpu_hours: %s, progress: {done: %s, total: 10}}\n"


@pytest.mark.parametrize(
    ("state", "project", "runs"),
    [
        ("not begun", "", ""),
        ("within plan", "contingency: 200%\n", HALF % (5, 5)),
        ("at risk", "", HALF % (9, 3)),
        ("done", "", HALF % (9, 10)),
        ("over budget", "", HALF % (11, 10)),
        ("above its best case", "plan_is: best-case\n", HALF % (11, 10)),
        ("over ceiling", "ceiling: 10\n", HALF % (11, 10)),
        (
            "policy breached",
            "policies: {few: {require: actual.total <= 4 gpu_hours, message: Stop.}}\n",
            HALF % (5, 10),
        ),
    ],
)
def test_the_state_in_a_word(ledger: Any, state: str, project: str, runs: str) -> None:
    book = ledger(project=project, plan=PIECE, **({"runs": runs} if runs else {})).book()
    assert Standing(View(book, book.ledger.projects["p"])).state.word == state


@pytest.mark.parametrize(
    ("project", "word"),
    [
        ("", "at risk"),
        ("plan_is: best-case\n", "likely above its best case"),
        ("plan_is: best-case\nceiling: 12\n", "at risk"),
    ],
)
def test_a_best_case_is_no_budget_and_no_risk(ledger: Any, project: str, word: str) -> None:
    """3 of 10 are done with 9 of 10 hours, so about 30 come: above the best case, which is no limit."""
    book = ledger(project=project, plan=PIECE, runs=HALF % (9, 3)).book()
    assert Standing(View(book, book.ledger.projects["p"])).state.word == word
    page = status(book)
    assert ("Final budget" in page) is not bool(project)
    assert ("Best case" in page) is bool(project)
    assert book["p.budget.final"].title == ("Best case" if project else "Final budget")
    assert book["p.budget.remaining"].title == f"Left of the {'best case' if project else 'final budget'}"
    if project and "ceiling" not in project:
        assert "## Limits" not in page


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("", "; the limit is the final budget 10 GPU-h"),
        ("ceiling: 12\n", "; the limits are ceiling 12 GPU-h and final budget 10 GPU-h"),
        ("plan_is: best-case\n", "; the best case is 10 GPU-h"),
        ("plan_is: best-case\nceiling: 12\n", "; the best case is 10 GPU-h; the limit is the ceiling 12 GPU-h"),
    ],
)
def test_the_picture_over_time_calls_no_best_case_a_limit(ledger: Any, project: str, said: str) -> None:
    runs = HALF % (4, 2) + (HALF % (5, 3)).replace("2025-01-01", "2025-02-01")
    page = files_of(ledger(project=project, plan=PIECE, runs=runs).book())["docs/p/status.md"]
    (alt,) = re.findall(r"!\[(.*)\]\(burn-up.svg\)", page)
    assert alt.split(" are charged")[1].split("; the forecast")[0].rstrip(".") == said


def test_what_cannot_be_forecast_is_not_said_to_be_well(ledger: Any) -> None:
    plan = PIECE.replace("}}}", "}, more: {title: More, scope: one-time, gpu_hours: unknown}}}")
    book = ledger(plan=plan, runs=HALF % (5, 5)).book()
    assert Standing(View(book, book.ledger.projects["p"])).state.word == "unclear"
    assert "- Forecast unknown without `p.plan.more.gpu_hours`" in status(book)


AGREED = """
policies: {few: {require: actual.total <= 4 gpu_hours, message: Stop.}}
accept: [{finding: policy-breached:p.policies.few, reason: It was agreed., by: Mira, until: 2.0}]
"""


def test_a_breach_that_is_accepted_is_no_state_and_is_said(ledger: Any) -> None:
    book = ledger(project=AGREED, plan=PIECE, runs=HALF % (5, 10)).book()
    view = View(book, book.ledger.projects["p"])
    said = "the policy “few” is breached: It was agreed (by Mira, until 2.0)"
    state = Standing(view).state
    assert state.word == "done"
    assert format_sentence(state.why).endswith(f"; accepted: {said}")
    page = status(book)
    assert f"; accepted: {said}." in page
    (row,) = [line for line in page.splitlines() if line.startswith("| few |")]
    assert "**breached**" in row
    assert "accepted: It was agreed (by Mira, until 2.0)" in row
    assert "Stop." not in page
    assert f"- Accepted: {said}" in page
    lines = " ".join(" ".join(summary.status(book)).split())
    assert f"accepted: {said}." in lines


def test_a_breach_is_no_word_against_the_plan(ledger: Any) -> None:
    doubt = "the findings contradict the plan"
    told = status(ledger(project=FEW, plan=PIECE, runs=HALF % (5, 10)).book())
    assert "**Policy breached**" in told
    assert doubt not in told
    low = PIECE.replace("gpu_hours: 10", "gpu_hours: 10, estimate: {formula: hours * gpus, hours: 10, gpus: 8}")
    assert doubt in status(ledger(plan=low, runs=HALF % (5, 10)).book())


def test_what_a_source_states_wrong_is_no_word_against_the_plan(ledger: Any) -> None:
    claim = "- {of: plan.work.total, states: 4, at: Proposal}\n"
    told = status(ledger(plan=PIECE, runs=HALF % (5, 10), claims=claim).book())
    assert "the findings contradict the plan" not in told
    assert "1 finding in the source" in told


CHAIN = "- {date: 2025-02-0%s, item: work, gpu_hours: 192, status: %s, progress: {done: %s, total: 4}}\n"


@pytest.mark.parametrize(
    ("status_word", "beside", "said"),
    [
        ("timeout", "", ""),
        ("failed", "- {date: 2025-02-05, unplanned: true, item: try, gpu_hours: 64, status: failed}\n", "7.7%"),
    ],
)
def test_what_checkpoints_kept_is_not_lost(ledger: Any, status_word: str, beside: str, said: str) -> None:
    """Four attempts of 192 h bring a quarter of 800 h each: three of them ran into their time-out, and nothing is
    lost. Of an attempt outside the plan nothing is kept: 64 of 832 hours."""
    runs = "".join(CHAIN % (n, "completed" if n == 4 else status_word, n) for n in (1, 2, 3, 4))
    book = ledger(plan=PIECE.replace("gpu_hours: 10", "gpu_hours: 800"), runs=runs + beside).book()
    lines = " ".join(" ".join(summary.status(book)).split())
    assert (f"runs, {said} of their hours lost · " if said else " 4 runs · ") in lines
    assert (f"{said} of all hours charged are lost: " if said else "No hours are lost: ") in status(book)
    assert "wasted" not in lines + status(book)


def test_an_overdrawn_grant_is_a_state(ledger: Any) -> None:
    grant = "grant: {title: Grant, gpu_hours: 4, projects: [p]}\n"
    book = ledger(plan=PIECE, runs=HALF % (5, 5), allocations=grant).book()
    assert Standing(View(book, book.ledger.projects["p"])).state.word == "over allocation"


def test_what_is_passed_has_no_chance_of_it(ledger: Any) -> None:
    """20 of 10 planned, with half of the work to do; a ceiling of 15, and a grant of 4 overdrawn on the same day."""
    grant = "grant: {title: Grant, gpu_hours: 4, projects: [p]}\n"
    runs = "- {date: 2025-01-02, item: work, gpu_hours: 20, progress: {done: 1, total: 2}}\n"
    page = status(ledger(project="ceiling: 15\n", plan=PIECE, runs=runs, allocations=grant).book())
    assert "| Final budget | passed | −10 | 10 | passed on 2025-01-02 |" in page
    assert "| Ceiling | passed | −5 | 15 | passed on 2025-01-02 |" in page
    assert "| Grant | passed | −16 | 4 | overdrawn since 2025-01-02 |" in page


def test_before_the_first_run_nothing_is_forecast(ledger: Any) -> None:
    """What is planned stands on the first page, and a forecast would know no more than that."""
    planned = ledger(plan=PLAN, project="seeds: 2\nceiling: 60\n").book()
    page, told = status(planned), list(summary.status(planned))
    assert not [line for line in told if "orecast" in line or "Risk" in line]
    assert "Ceiling: 60 GPU-h" in told
    assert "a forecast appear here after the first entry" in page
    assert not [word for word in ("forecast; eight", "Risk", "## Phases") if word in page]
    later = ledger(plan=PLAN, project="seeds: 2\nceiling: 60\n", runs=RUNS).book()
    begun = status(later)
    assert any(line.startswith("Limit ") and "Risk" in line for line in summary.status(later))
    assert "forecast; eight in ten simulations" in begun
    assert "## Phases" in begun


def test_a_long_plan_is_cut(ledger: Any) -> None:
    items = "".join(f"    i{n}: {{title: Item {n}, scope: one-time, gpu_hours: 1}}\n" for n in range(210))
    runs = "- {date: 2025-01-10, item: i0, gpu_hours: 1}\n"
    page = status(ledger(plan="one:\n  title: One\n  items:\n" + items, runs=runs).book()).partition("## Method")[0]
    assert sum(row.startswith(("| Item", "| ↳")) for row in page.splitlines()) == 199
    assert "11 more rows are in" in page


def test_what_complete_and_the_forecast_rest_on_is_said_once(ledger: Any) -> None:
    runs = RUNS.replace(", progress: {done: 1, total: 1}", "").replace("30, progress: {done: 4, total: 4}", "3")
    found = status(ledger(plan=PLAN, project="seeds: 2\n", runs=runs).book())
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", found)
    basis = (
        "How much of each piece of work (an item, or one seed of it) is done is known for 1 from "
        "the progress that its runs state, for 1 from a completed run whose hours suit its plan."
    )
    assert page.count(basis) == 1
    assert page.count("Nothing says how much of 1 pieces of work is done: their forecast is based on hours alone.") == 1
    assert "10 GPU-h are lost so far (losses of planned work: 1)." in page
    assert re.search(r"The forecast includes \d+ GPU-h lost to failed runs \(10 so far\)\.", page)


def test_a_project_without_failures_says_nothing_of_losses(ledger: Any) -> None:
    runs = RUNS.replace("status: failed, ", "progress: {done: 1, total: 8}, ")
    page = status(ledger(plan=PLAN, project="seeds: 2\n", runs=runs).book())
    assert "losses" not in page
    assert "based on hours alone" not in page


PHASES = "one: {title: One, until: %s, items: {work: {title: Work, scope: one-time, gpu_hours: 480}}}\n"
CLUSTER = "gpus: 1\n"


@pytest.mark.parametrize(("until", "late"), [("2025-01-20", True), ("2025-01-21", False)])
def test_a_phase_that_cannot_end_on_its_day_is_marked(ledger: Any, until: str, late: bool) -> None:
    """480 hours on one GPU are 20 days, of which none is done by the second: from then on to the twenty-first."""
    runs = "- {date: 2025-01-02, item: work, gpu_hours: 1, status: failed, progress: {done: 0, total: 10}}\n"
    book = ledger(project=CLUSTER, plan=PHASES % until, runs=runs).book()
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", status(book))
    assert ("| One | **late**: 2025-01-21 |" in page) == late
    assert ("| One | 2025-01-21 |" in page) != late
    assert "| Phase | Earliest possible end | From | To | To do, hours held |" in page


def test_what_only_some_runs_state_says_of_how_many(ledger: Any) -> None:
    runs = "- {item: work, gpu_hours: 2, energy_kwh: 3}\n- {item: work, gpu_hours: 2}\n"
    page = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", status(ledger(plan=PIECE, runs=runs).book()))
    assert "| Energy | 3 kWh, stated by 1 of 2 runs |" in page
    assert "Data to" not in page, "no run has a date"


def test_open_notes_are_told(ledger: Any) -> None:
    """A run of 49 hours has one date, which leaves 24: a note."""
    runs = "- {date: 2025-01-02, item: work, gpus: 1, wall_hours: 49, progress: {done: 1, total: 2}}\n"
    book = ledger(plan=PIECE.replace("10}", "100}"), runs=runs).book()
    assert [finding.severity for finding in book.findings["p"]] == ["note"]
    pages = files_of(book)
    told = "- Audit: nothing contradicts the figures, 1 note ([Findings](findings.md))"
    assert told in pages["docs/p/status.md"]
    assert " · [Findings](findings.md): 1 note · " in pages["docs/p/index.md"]
    assert "| [1 note](p/findings.md) |" in pages["docs/index.md"]


def test_what_is_wrong_in_the_source_alone_is_told_apart(ledger: Any) -> None:
    """10 hours in all; 50 are stated of them."""
    book = ledger(plan=PIECE, claims="- {of: budget.final, states: 50, at: Table 1}\n").book()
    first = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", files_of(book)["docs/p/index.md"])
    assert "> [!CAUTION]\n> Findings: 1 error.\n" in first


@pytest.mark.parametrize(
    ("project", "word", "why"),
    [
        ("", "not begun", "no runs are recorded yet"),
        (
            "at_risk: {budget: 20%}\n",
            "at risk",
            "the chance of exceeding the final budget is 51% (51% before any run; at risk from 20%)",
        ),
        ("ceiling: 5\n", "planned above a limit", "the final budget is 10 GPU-h, the ceiling 5 GPU-h"),
        (FEW.replace("actual.total", "budget.final"), "policy breached", "policy “few”: final budget is 10 GPU-h"),
    ],
)
def test_a_plan_that_has_not_begun_can_be_at_risk(ledger: Any, project: str, word: str, why: str) -> None:
    """10 are planned. That there are no runs is said beside, and is no reason to call a ceiling of 5 far away."""
    view = View(book := ledger(project=project, plan=PIECE).book(), book.ledger.projects["p"])
    assert state_of(view).word == word
    assert format_sentence(state_of(view).why).endswith("no runs are recorded yet")
    assert format_sentence(dangers(view)[0]).startswith(why)
