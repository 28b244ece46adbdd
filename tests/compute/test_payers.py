"""Which grants could be charged: work on their own card alone, and what is not known where several could be."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.language.calendar_days import first_day, iso
from reckon.present.budget.grants import unknown_of_grants
from reckon.present.budget.limits import NOT_KNOWN, reach_grant
from reckon.present.budget.state import state_of
from reckon.present.paper.blocks import Blocks
from reckon.present.paper.risks import add_risks
from reckon.present.render.numbers import format_sentence
from reckon.present.terminal.summary import status
from reckon.present.view import View
from tests.booked import paged
from tests.trying import examples

GPUS = "a100: {title: A100}\nh100: {title: H100, counts_as: {a100: 2x}}\n"
HEAD = "title: P\nversion: 1.0.0\nas_of: 2026-01-01\ngpu: a100\n"
MIXED = """\
work:
  title: Work
  items:
    small: {title: Small, scope: one-time, gpu_hours: 1000}
    big: {title: Big, scope: one-time, gpu: h100, gpu_hours: 1000}
"""
ALIKE = """\
work:
  title: Work
  items:
    train: {title: Train, scope: one-time, gpu_hours: 1000}
    evaluate: {title: Evaluate, scope: one-time, gpu_hours: 100}
"""
DONE = "{done: 1, total: 1}"


def book(ledger: Any, grants: str, runs: str, plan: str = MIXED, project: str = "") -> Book:
    texts = {"gpus": GPUS, "project": HEAD + project, "plan": plan, "runs": runs, "allocations": grants}
    found: Book = ledger(**texts).book()
    return found


def grant(name: str, hours: int, more: str = "") -> str:
    return f"{name}: {{title: Grant {name.upper()}, gpu_hours: {hours}, projects: [p]{more}}}\n"


def run(item: str, hours: int, progress: str = "", day: str = "2026-02-06", card: str = "") -> str:
    more = (f", progress: {progress}" if progress else "") + (f", gpu: {card}" if card else "")
    return f"- {{date: {day}, item: {item}, gpu_hours: {hours}{more}}}\n"


def use(found: Book, *names: str) -> list[object]:
    return [found[f"allocations.{name}"].use for name in names]


def lacks(found: Book, *names: str) -> set[tuple[str, ...]]:
    return {found[f"allocations.{name}"].missing for name in names}


def findings(found: Book) -> dict[str, str]:
    return {each.id: each.severity for each in found.findings["p"]}


def test_a_grant_whose_work_is_done_is_not_exceeded_by_work_on_another_card(ledger: Any) -> None:
    """1,000 of 1,100 A100-hours did the free work; 2,000 counted hours of rented work are to come: that was 99–100%
    likely to exceed the grant, used up the next day."""
    found = book(ledger, grant("uni", 1100, ", gpu: a100, until: 2026-03"), run("small", 1000, DONE))
    assert use(found, "uni.forecast_p10", "uni.forecast_p90", "uni.probability_over") == [1000, 1000, 0]
    assert use(found, "uni.unused") == [100]
    near = reach_grant(found, "uni")
    assert near is not None
    assert (near.day, near.instead) == (None, "the work ends first")
    assert not [name for name in findings(found) if name.startswith("date-cannot-be-met")]


def test_a_grant_is_forecast_from_the_work_on_its_card(ledger: Any) -> None:
    """The rented work is done; the free work is to come, as much as a grant of its own would expect."""
    runs = run("big", 1000, DONE, card="h100")
    found = book(ledger, grant("uni", 1100, ", gpu: a100"), runs)
    assert use(found, "uni.used") == [0]
    (median,) = use(found, "uni.forecast_p50")
    assert median == found["p.forecast.p50"].use - found["p.actual.total"].use  # type: ignore[operator]
    assert 0 < found["allocations.uni.probability_over"].use < F(1, 2)  # type: ignore[operator]


def test_a_grant_on_another_card_is_forecast_in_its_own_hours(ledger: Any) -> None:
    """Half of the rented work is done; 500 H100-hours are to come, which count 1,000."""
    runs = run("big", 500, "{done: 1, total: 2}", card="h100") + run("small", 1000, DONE)
    found = book(ledger, grant("rent", 900, ", gpu: h100, until: 2026-12"), runs)
    (median,) = use(found, "rent.forecast_p50")
    to_come = (found["p.forecast.p50"].use - found["p.actual.total"].use) / 2  # type: ignore[operator]
    assert abs(median - 500 - to_come) < 3, "quantiles have four digits"  # type: ignore[operator]
    assert found["allocations.rent.probability_over"].use > F(1, 2)  # type: ignore[operator]


def test_what_ran_elsewhere_than_planned_does_not_move_what_is_to_come(ledger: Any) -> None:
    """510 H100-hours are charged, 10 of them for work that is planned on the other card. The plan says where the rest
    runs: half of the rented work, 500 hours, is to be done on the H100."""
    runs = run("big", 500, "{done: 1, total: 2}", card="h100") + run("small", 10, "{done: 1, total: 50}", card="h100")
    found = book(ledger, grant("rent", 900, ", gpu: h100"), runs)
    assert use(found, "rent.used", "rent.left", "rent.to_do", "rent.short_by") == [510, 390, 500, 110]
    (median,) = use(found, "rent.forecast_p50")
    assert 980 < median < 1060  # type: ignore[operator]


def test_the_end_of_a_grant_is_judged_by_the_work_on_its_card(ledger: Any) -> None:
    """100 A100-hours on ten days are 10 a day; 900 to come take ninety more. Rented work alone made it end sooner."""
    runs = "".join(run("small", 10, f"{{done: {done}, total: 100}}", f"2026-02-{done:02d}") for done in range(1, 11))
    runs += run("big", 10, "{done: 1, total: 100}", "2026-02-10", "h100")
    for until, late in (("2026-04", True), ("2026-12", False)):
        found = book(ledger, grant("uni", 1200, f", gpu: a100, until: {until}"), runs)
        assert ("date-cannot-be-met:allocations.uni" in findings(found)) == late


TWO = grant("a", 600, ", gpu: a100") + grant("b", 600, ", gpu: a100")
SEVEN = run("train", 700, "{done: 7, total: 10}", "2025-02-10")
COULD = "700 GPU-h could be charged to “Grant A” or “Grant B”"


def test_what_two_grants_have_used_is_not_known_and_together_it_is(ledger: Any) -> None:
    """700 of 600 were charged to each of them, and both were overdrawn."""
    found = book(ledger, TWO, SEVEN, ALIKE)
    names = ("used", "left", "used_share", "forecast_p50", "probability_over", "reached", "days_left")
    assert lacks(found, *(f"a.{name}" for name in names)) == {("allocations.a.shared",)}
    assert lacks(found, *(f"b.{name}" for name in names)) == {("allocations.b.shared",)}
    assert use(found, "a.together.left", "a.together.granted", "a.together.used") == [500, 1200, 700]
    assert use(found, "a.shared", "a.used_at_least", "a.left_at_most", "b.left_at_most") == [700, 0, 600, 600]
    assert findings(found) == {"payer-not-named:allocations.a": "warning"}
    (finding,) = found.findings["p"]
    assert format_sentence(finding.arithmetic) == (
        f"{COULD}; 500 GPU-h of 1,200 GPU-h are left of them together; at most 600 GPU-h of “Grant A” and 600 GPU-h of "
        "“Grant B” are left"
    )


def test_the_reason_is_where_the_figures_would_be(ledger: Any) -> None:
    found = book(ledger, TWO, SEVEN, ALIKE)
    near = reach_grant(found, "b")
    assert near is not None
    assert (near.day, near.chance, near.instead, format_sentence(near.unknown)) == (None, None, NOT_KNOWN, COULD)
    lines = " ".join(" ".join(status(found)).split())
    assert lines.count(COULD) == 1, "once below the table"
    assert " not known " in lines


def test_the_reason_is_on_the_pages_and_on_paper(ledger: Any) -> None:
    """On paper a warning has it; of a note, which is not told there, the reason stands by itself."""
    found = book(ledger, TWO, SEVEN, ALIKE)
    pages = paged(found)
    linked = "[700 GPU-h](../catalog.md#allocations.{}.shared) could be charged to “Grant A” or “Grant B”"
    told = f"not known: {linked.format('a')}"
    row, charged = (line for line in pages["docs/p/status.md"].splitlines() if line.startswith("| Grant A |"))
    granted, left = (f"[600](../catalog.md#allocations.a.{name})" for name in ("granted", "left_at_most"))
    assert row == f"| Grant A | {told} | at most {left} | {granted} | not known |"
    assert charged.startswith("| Grant A | not known |")
    assert f"Unknown: {linked.format('a')}." in pages["docs/p/status.md"]
    assert COULD in printed(found)
    grants = grant("a", 600, ", gpu: a100") + grant("b", 600, ", gpu: a100, since: 2026-03")
    later = book(ledger, grants, run("train", 300, "{done: 3, total: 10}", "2026-02-10"), ALIKE)
    assert "Not known of allocations" in printed(later)
    assert "the work to come could be charged to “Grant A” or “Grant B”" in printed(later)


def printed(found: Book) -> str:
    """What an edition on paper says of risks."""
    blocks = Blocks()
    add_risks(View(found, found.ledger.projects["p"]), blocks)
    return str(blocks.parts)


def test_a_policy_that_is_undecided_by_it_is_that_warning(ledger: Any) -> None:
    policy = "policies: {few: {title: Few, require: allocations.a.used <= 650 gpu_hours, message: Stop.}}\n"
    found = book(ledger, TWO, SEVEN, ALIKE, policy)
    assert [result.holds for result in found.policies["p"]] == [None]
    (finding,) = found.findings["p"]
    assert format_sentence(finding.arithmetic).endswith("; the policy “Few” cannot be decided")


@pytest.mark.parametrize(("second", "above"), [(600, False), (300, True)])
def test_more_is_planned_than_grants_have_is_judged_by_their_sum(ledger: Any, second: int, above: bool) -> None:
    """400 of 1,100 are to come: 500 are left of 600 and 600, 200 of 600 and 300."""
    found = book(ledger, grant("a", 600, ", gpu: a100") + grant("b", second, ", gpu: a100"), SEVEN, ALIKE)
    assert ("plan-above-limit:p.payers.unnamed" in findings(found)) == above


def test_more_is_to_be_done_than_can_be_left_of_the_one_grant_that_is_open(ledger: Any) -> None:
    """200 hours of January could be of either grant; 10 of February, and the 800 + 90 to come, are of the first: of its
    600 hours at most 590 are left."""
    grants = grant("a", 600, ", gpu: a100") + grant("b", 600, ", gpu: a100, until: 2026-01")
    runs = run("train", 200, "{done: 2, total: 10}", "2026-01-10") + run("evaluate", 10, "{done: 1, total: 10}")
    found = book(ledger, grants, runs, ALIKE)
    (above,) = (each for each in found.findings["p"] if each.rule == "plan-above-limit")
    assert (above.id, above.severity) == ("plan-above-limit:allocations.a", "error")
    assert format_sentence(above.arithmetic) == (
        "890 GPU-h of the work that it pays for are still to be done, at most 590 GPU-h are left of it"
    )


def test_grants_of_two_projects_share_nothing(ledger: Any) -> None:
    """700 hours could be of two grants of one project, 50 of two of the other: 1,200 - 700 and 200 - 50 are left."""
    others = (grant("c", 100) + grant("d", 100)).replace("[p]", "[q]")
    files = {"project": HEAD, "plan": ALIKE, "runs": SEVEN, "allocations": TWO + others, "gpus": GPUS}
    more = {"project.yaml": HEAD, "plan.yaml": ALIKE, "runs/2025.yaml": run("train", 50)}
    found = ledger(**files, **{f"ledger/q/{name}": text for name, text in more.items()}).book()
    assert use(found, "a.together.granted", "a.together.left") == [1200, 500]
    assert use(found, "c.together.granted", "c.together.left") == [200, 150]
    (finding,) = (each for each in found.findings["q"] if each.rule == "payer-not-named")
    assert format_sentence(finding.arithmetic).startswith(
        "50 GPU-h could be charged to “Grant C” or “Grant D”; 150 GPU-h"
    )


def test_grants_that_are_overdrawn_together_are_found(ledger: Any) -> None:
    found = book(ledger, TWO, run("train", 1300, "{done: 7, total: 10}"), ALIKE)
    assert findings(found)["limit-passed:allocations.a.together"] == "error"
    state = state_of(View(found, found.ledger.projects["p"]))
    assert (state.word, format_sentence(state.why)) == (
        "over allocation",
        "1,300 GPU-h of 1,200 GPU-h are used of “Grant A” and “Grant B”",
    )


def test_a_grant_that_is_overdrawn_for_certain_is_found(ledger: Any) -> None:
    """650 hours are from before the other grant; 10 could be charged to either."""
    grants = grant("a", 600, ", gpu: a100") + grant("b", 600, ", gpu: a100, since: 2026-02")
    found = book(ledger, grants, run("train", 650, day="2026-01-31") + run("train", 10, day="2026-02-01"), ALIKE)
    assert use(found, "a.used_at_least", "a.shared", "b.used_at_least") == [650, 10, 0]
    assert findings(found)["limit-passed:allocations.a"] == "error"
    assert state_of(View(found, found.ledger.projects["p"])).word == "over allocation"


def test_grants_of_different_days_share_nothing(ledger: Any) -> None:
    """Each quarter is charged its own hours, the last day of one and the first of the next included."""
    grants = grant("a", 600, ", until: 2026-03") + grant("b", 600, ", since: 2026-04")
    found = book(ledger, grants, run("train", 30, day="2026-03-31") + run("train", 40, day="2026-04-01"), ALIKE)
    assert use(found, "a.used", "b.used") == [30, 40]
    assert not found.shared_grants
    assert "allocations.b.left_to_spend" not in found.figures


def test_hours_without_a_date_lie_in_every_grant(ledger: Any) -> None:
    grants = grant("a", 600, ", until: 2026-03") + grant("b", 600, ", since: 2026-04")
    found = book(ledger, grants, "- {item: train, gpu_hours: 5}\n" + run("train", 40, day="2026-04-01"), ALIKE)
    assert lacks(found, "a.used", "b.used") == {("allocations.a.shared",), ("allocations.b.shared",)}
    assert use(found, "a.shared", "b.used_at_least") == [5, 40]


def test_of_a_grant_that_has_ended_nobody_knows_what_it_left(ledger: Any) -> None:
    """What is left together may be of the one that has ended, and can be used no more."""
    grants = grant("a", 600, ", until: 2026-03") + grant("b", 600)
    found = book(ledger, grants, run("train", 30, day="2026-03-31") + run("train", 40, day="2026-04-01"), ALIKE)
    assert use(found, "a.together.granted", "a.together.used") == [1200, 70]
    assert "allocations.a.together.left" not in found.figures
    assert "together" not in format_sentence(found.findings["p"][0].arithmetic)


def test_a_grant_on_a_card_and_one_without_share_that_card(ledger: Any) -> None:
    """100 H100-hours count 200: of 500 H100-hours and 1,000 counted hours, 2,000 together, 300 are used."""
    grants = grant("a", 500, ", gpu: h100") + grant("b", 1000)
    found = book(ledger, grants, run("big", 100, card="h100") + run("small", 100))
    assert use(found, "a.shared", "b.shared", "b.used_at_least") == [100, 200, 100]
    assert use(found, "a.together.granted", "a.together.used", "a.together.left") == [2000, 300, 1700]


def test_a_second_project_counts_into_what_grants_have_together(ledger: Any) -> None:
    """It draws on one of them alone; its hours are that grant's for certain."""
    tree = {
        "ledger/q/project.yaml": HEAD.replace("P", "Q"),
        "ledger/q/plan.yaml": ALIKE,
        "ledger/q/runs/2026.yaml": run("train", 50),
    }
    grants = TWO.replace("[p]", "[p, q]", 1)
    found = ledger(gpus=GPUS, project=HEAD, plan=ALIKE, runs=SEVEN, allocations=grants, **tree).book()
    assert use(found, "a.used_at_least", "a.shared", "a.together.used", "a.together.left") == [50, 700, 750, 450]
    assert "payer-not-named:allocations.a" in {each.id for each in found.findings["q"]}


V100 = GPUS + "v100: {title: V100}\n"
TWO_CARDLESS = grant("a", 900) + grant("b", 200)


def test_grants_whose_hours_cannot_be_added_end_no_command(ledger: Any) -> None:
    """Of a card whose ratio is missing nobody knows what it counts; so there is no sum of both."""
    texts = {"gpus": V100, "project": HEAD, "plan": ALIKE, "allocations": TWO_CARDLESS}
    found = ledger(runs=run("train", 100, card="v100"), **texts).book()
    assert "allocations.a.together.used" not in found.figures
    assert "payer-not-named:allocations.a" in findings(found)
    assert "not known" in " ".join(status(found))


def test_many_grants_are_added_up(ledger: Any) -> None:
    """A formula of all of them would be too long to be read."""
    grants = "".join(grant(f"a-grant-of-the-national-computing-centre-{number}", 10) for number in range(60))
    found = book(ledger, grants, run("train", 100), ALIKE)
    assert use(found, "a-grant-of-the-national-computing-centre-0.together.granted") == [600]


def test_grants_without_a_card_count_as_their_projects_do(ledger: Any) -> None:
    """400 of one project and 300 of another, which counts in H100-hours, against 200: it is overdrawn, whoever pays."""
    tree = {
        "ledger/q/project.yaml": HEAD.replace("P", "Q").replace("gpu: a100", "gpu: h100"),
        "ledger/q/plan.yaml": ALIKE,
        "ledger/q/runs/2026.yaml": run("train", 300),
    }
    grants = (grant("a", 100) + grant("b", 100)).replace("[p]", "[p, q]")
    found = ledger(gpus=GPUS, project=HEAD, plan=ALIKE, runs=run("train", 400), allocations=grants, **tree).book()
    assert use(found, "a.together.used", "a.together.granted") == [700, 200]
    assert findings(found)["limit-passed:allocations.a.together"] == "error"
    told_of = [format_sentence(each.arithmetic) for each in found.findings["p"] if each.rule == "payer-not-named"]
    assert told_of[0].endswith("; 700 GPU-h of 200 GPU-h are used of them together")


def test_of_two_grants_one_of_which_has_ended_the_plan_is_held_against_the_other(ledger: Any) -> None:
    """600 of 1,000 are to come. Nothing can be charged any more to the one that has ended, and at most 300 are left of
    the other: what is left for certain is not known, and more than that is planned."""
    grants = grant("a", 300, ", until: 2026-02-08") + grant("b", 300)
    runs = run("train", 200, day="2026-02-05") + run("train", 200, "{done: 2, total: 5}", "2026-02-10")
    found = book(ledger, grants, runs, ALIKE)
    assert use(found, "a.left_at_most", "b.left_at_most") == [0, 100]
    assert findings(found)["plan-above-limit:allocations.b"] == "error"


def test_grants_in_a_chain_share_with_their_neighbours_alone(ledger: Any) -> None:
    """30 hours of August are of the first or the second, 50 of October of the second or the third."""
    grants = (
        grant("a", 500, ", until: 2026-08")
        + grant("b", 500, ", since: 2026-08, until: 2026-10")
        + grant("c", 500, ", since: 2026-10")
    )
    runs = run("train", 100, day="2026-07-15") + run("train", 30, day="2026-08-15") + run("train", 50, day="2026-10-15")
    found = book(ledger, grants, runs, ALIKE)
    assert [format_sentence(why_unknown(found, name)) for name in ("a", "c")] == [
        "30 GPU-h could be charged to “Grant A” or “Grant B”",
        "50 GPU-h could be charged to “Grant B” or “Grant C”",
    ]


def test_one_reason_is_told_once_in_the_hours_of_one_of_them(ledger: Any) -> None:
    """500 H100-hours are 1,000 counted ones: said twice they would read as 1,500."""
    grants = grant("a", 2500) + grant("b", 1200, ", gpu: h100")
    found = book(ledger, grants, run("big", 500, "{done: 1, total: 2}", card="h100"))
    view = View(found, found.ledger.projects["p"])
    reasons = [format_sentence(each) for each in unknown_of_grants(view)]
    assert reasons == ["1,000 GPU-h could be charged to “Grant A” or “Grant B”"]
    (finding,) = (each for each in found.findings["p"] if each.rule == "payer-not-named")
    most = "at most 2,500 GPU-h of “Grant A” and 1,200 GPU-h of “Grant B” on H100 are left"
    assert format_sentence(finding.arithmetic).endswith(most)


def test_a_grant_without_a_card_pays_for_work_on_every_card_as_its_project_counts(ledger: Any) -> None:
    """900 A100-hours and 1,000 H100-hours, which count 2,000, are to be done: with the 100 that are used it is short of
    nothing; of one less it would be short."""
    found = book(ledger, grant("uni", 3000, ", until: 2026-12"), run("small", 100, "{done: 1, total: 10}"))
    assert use(found, "uni.used", "uni.left", "uni.to_do", "uni.short_by") == [100, 2900, 2900, 0]
    assert "payer-unknown:allocations.uni" not in findings(found)
    (median,) = use(found, "uni.forecast_p50")
    assert median == found["p.forecast.p50"].use
    less = book(ledger, grant("uni", 2999, ", until: 2026-12"), run("small", 100, "{done: 1, total: 10}"))
    assert use(less, "uni.short_by") == [1]


def test_extensions_on_another_card_are_forecast_beside_the_base_plan(ledger: Any) -> None:
    plan = MIXED.replace("    big:", "more:\n  title: More\n  extension: true\n  items:\n    big:")
    found = book(ledger, grant("uni", 1900), run("small", 400, "{done: 2, total: 5}"), plan)
    assert not lacks(found, "uni.probability_over", "uni.forecast_p50", "uni.extended.probability_over") - {()}
    assert use(found, "uni.to_do") == [600], "extensions to come may never be run"
    base, extended = use(found, "uni.forecast_p50", "uni.extended.forecast_p50")
    assert extended > base + 1500  # type: ignore[operator]


def test_which_of_two_grants_pays_for_work_to_come_is_not_known(ledger: Any) -> None:
    """So far each was charged its own hours: the second one begins on the last day of data."""
    grants = grant("a", 600, ", gpu: a100") + grant("b", 600, ", gpu: a100, since: 2026-03")
    found = book(ledger, grants, run("train", 300, "{done: 3, total: 10}", "2026-02-10"), ALIKE)
    assert use(found, "a.used", "a.left", "b.used") == [300, 300, 0]
    names = ("a.forecast_p50", "a.probability_over", "a.reached", "b.forecast_p50")
    assert lacks(found, *names) == {("allocations.a.payer",), ("allocations.b.payer",)}
    whys = [format_sentence(each.arithmetic) for each in found.findings["p"] if each.rule == "payer-unknown"]
    assert whys == ["the work to come could be charged to “Grant A” or “Grant B”"]


def test_what_is_applied_for_keeps_its_forecast(ledger: Any) -> None:
    """What a grant will be charged does not hang on how much of it is granted."""
    asked = "uni: {title: Uni, gpu_hours: unknown, projects: [p]}\n"
    found = book(ledger, asked, run("train", 300, "{done: 3, total: 10}"), ALIKE)
    assert found["allocations.uni.forecast_p50"].value == found["p.forecast.p50"].value


def test_what_is_only_applied_for_pays_for_nothing_yet(ledger: Any) -> None:
    """Its hours are not granted: `gpu_hours: unknown`."""
    grants = grant("a", 600, ", gpu: a100") + "b: {title: Grant B, gpu: a100, gpu_hours: unknown, projects: [p]}\n"
    found = book(ledger, grants, run("train", 300, "{done: 3, total: 10}"), ALIKE)
    assert use(found, "a.used", "a.left") == [300, 300]
    assert not lacks(found, "a.probability_over", "a.forecast_p50") - {()}
    assert use(found, "b.used", "a.to_do", "b.to_do") == [0, 800, 0]
    assert not found.shared_grants


def test_one_payer_has_no_figure_more(ledger: Any) -> None:
    found = book(ledger, grant("uni", 1200, ", gpu: a100"), run("train", 100), ALIKE)
    new = ("shared", "used_at_least", "left_at_most", "together", "left_to_spend")
    assert not [at for at in found.figures if at.startswith("allocations.") and any(word in at for word in new)]


def test_who_is_named_is_charged_outside_its_days_and_that_is_told(ledger: Any) -> None:
    grants = grant("a", 600, ", until: 2026-01") + grant("b", 600, ", since: 2026-02")
    runs = "- {date: 2026-02-06, item: train, gpu_hours: 40, allocation: a}\n" + run("train", 10)
    found = book(ledger, grants, runs, ALIKE)
    assert use(found, "a.used", "a.outside_its_days", "b.used") == [40, 40, 10]
    assert findings(found)["charged-outside-its-days:allocations.a"] == "warning"
    assert "allocations.b.outside_its_days" not in found.figures


@pytest.mark.parametrize(("refunded", "told"), [(40, False), (41, True)])
def test_no_more_is_refunded_than_was_charged(ledger: Any, refunded: int, told: bool) -> None:
    change = f", changes: [{{date: 2026-01-07, refunded: {refunded}, why: failure}}]"
    found = book(ledger, grant("a", 100, change), "- {date: 2026-01-06, item: train, gpu_hours: 40}\n", ALIKE)
    assert use(found, "a.used", "a.left") == [40 - refunded, 60 + refunded]
    assert ("refunded-above-charged:allocations.a" in findings(found)) == told


DAY = st.integers(first_day("2026-01-01"), first_day("2026-01-20"))


@st.composite
def shared_tree(draw: Any) -> tuple[str, list[tuple[str, int, int]], list[tuple[str, str, int, int]]]:
    """Grants on either card or none, with days or without, and runs on either card."""
    grants, text = [], ""
    for number in range(draw(st.integers(1, 3))):
        card = draw(st.sampled_from(["", "a100", "h100"]))
        first, last = sorted((draw(DAY), draw(DAY)))
        grants.append((card, first, last))
        text += grant(f"g{number}", 100, f", since: {iso(first)}, until: {iso(last)}" + f", gpu: {card}" * bool(card))
    runs = [
        (
            draw(st.sampled_from(["small", "big"])),
            draw(st.sampled_from(["a100", "h100"])),
            draw(DAY),
            draw(st.integers(1, 30)),
        )
        for _ in range(draw(st.integers(1, 5)))
    ]
    return text, grants, runs


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=shared_tree())
def test_every_hour_that_a_grant_takes_is_its_own_or_shared(ledger: Any, case: Any) -> None:
    """Counted run by run: what a grant takes for certain, what others take as well, and what all take together."""
    text, grants, runs = case
    found = book(ledger, text, "".join(run(item, hours, day=iso(day), card=card) for item, card, day, hours in runs))
    takers = [
        [at for at, (own, first, last) in enumerate(grants) if own in ("", card) and first <= day <= last]
        for _, card, day, _ in runs
    ]
    for number, (own, _, _) in enumerate(grants):
        counted = [hours * (2 if card == "h100" and not own else 1) for _, card, _, hours in runs]
        mine = [(hours, len(those)) for hours, those in zip(counted, takers, strict=True) if number in those]
        alone, others = (sum(hours for hours, many in mine if (many > 1) == several) for several in (False, True))
        name = f"g{number}"
        if others:
            assert found[f"allocations.{name}.used"].missing == (f"allocations.{name}.shared",)
            assert use(found, f"{name}.used_at_least", f"{name}.shared") == [alone, others]
        else:
            assert use(found, f"{name}.used") == [alone]
    for name, group in found.shared_grants.items():
        members = {int(each[1:]) for each in group.names}
        single = {grants[at][0] for at in members}
        per = 1 if single in ({"a100"}, {"h100"}) else 2
        taken = [
            hours * (per if card == "h100" else 1)
            for (_, card, _, hours), those in zip(runs, takers, strict=True)
            if members & {*those}
        ]
        assert name in group.names
        assert group.used == sum(taken)


def test_several_policies_are_told_as_policies(ledger: Any) -> None:
    """Neither what `north` was charged nor what it has left is known."""
    payers = "".join(
        f"{name}: {{title: {name.title()}, gpu_hours: 500, projects: [p]}}\n" for name in ("north", "south")
    )
    policies = "one: {title: First, require: allocations.north.left >= 1 gpu_hours}, "
    policies += "two: {title: Second, require: allocations.north.used <= 9 gpu_hours}"
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}\n"
    runs = "- {date: 2025-01-02, item: a, gpu_hours: 3}\n"
    tree = ledger(project=f"policies: {{{policies}}}\n", plan=plan, runs=runs, allocations=payers)
    (found,) = (each for each in tree.book().findings["p"] if each.rule == "payer-not-named")
    assert format_sentence(found.arithmetic).endswith("; the policies “First”, “Second” cannot be decided")
