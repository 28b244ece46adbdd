# ruff: noqa: E501 (tables read better unbroken)
"""What is said to be faster, cheaper, larger or within a limit, and is not: errors that are found and near misses, in a
copy of the example project and in one of another kind, also under random names and at other sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence
from tests.variants import VARIANTS, Write, seeded, variant, written

RULES = ("order-contradicted",)
Files = dict[str, str]


def order(said: str, first: str, second: str = "", source: str = "") -> Files:
    """What one document states of two figures, each of 50 hours by the ledger, and how it says that they stand."""
    claims = f"- {{of: figures.«a», {said}, at: Page 9}}\n"
    for name, value in (("a", first), ("b", second)):
        claims += f"- {{of: figures.«{name}», states: {value}, at: Page 1{source}}}\n" if value else ""
    return {"figures": "«a»: {title: «The a», hours: <50.5>}\n«b»: {title: «The b», hours: <50.5>}\n", "claims": claims}


B = "figures.«b»"
CASES: list[tuple[str, Files, str]] = [
    ("faster, and slower", order(f"below: {B}", "<12.3>", "<11.1>"), "error"),
    ("faster, and as fast but for rounding", order(f"below: {B}", "<11.2>", "<11.1>"), ""),
    ("faster, and slower by more than rounding", order(f"below: {B}", "<11.3>", "<11.1>"), "error"),
    ("faster, and faster", order(f"below: {B}", "<9.8>", "<11.1>"), ""),
    (
        "faster, by a range that begins alike and ends later",
        order(f"below: {B}", "<2.1>-<8.5>", "<2.1>-<3.5>"),
        "warning",
    ),
    ("faster, by a range that begins earlier and ends later", order(f"below: {B}", "<1.1>-<8.5>", "<2.1>-<3.5>"), ""),
    ("faster, by an open range", order(f"below: {B}", "<2.1>+", "<3.5>"), ""),
    ("larger, and smaller", order(f"above: {B}", "<11.1>", "<12.3>"), "error"),
    ("larger, and larger", order(f"above: {B}", "<12.3>", "<11.1>"), ""),
    (
        "larger, by a range that ends alike and begins lower",
        order(f"above: {B}", "<2.1>-<8.5>", "<3.5>-<8.5>"),
        "warning",
    ),
    ("within a limit, and beyond it", order("within: <11.9>", "<12.1>"), "error"),
    ("within a limit, and at it but for rounding", order("within: <12.15>", "<12.2>"), ""),
    ("within a limit, and partly beyond it", order("within: <11.9>", "<9.1>-<12.1>"), "warning"),
    ("within a limit, and within", order("within: <12.9>", "<9.1>-<12.1>"), ""),
    ("within another figure that is not stated", order(f"within: {B}", "<50.7>"), "error"),
    ("by figures that nobody states", order(f"below: {B}", "", ""), ""),
    ("by what another document states", order(f"below: {B}", "<12.3>", "<11.1>", ", source: «Another»"), ""),
]


@pytest.mark.parametrize(("hours", "is_found"), [("7", False), ("8", True)])
def test_what_the_ledger_has_from_a_document_was_rounded_there(ledger: Any, hours: str, is_found: bool) -> None:
    """7 may be printed for 6.8, 8 is not."""
    figures = f"a: {{title: A, hours: {hours}}}\nb: {{title: B, hours: {{formula: 2 * 3.4 h}}}}\n"
    claims = "- {of: figures.a, within: figures.b, at: Page 9}\n"
    found = ledger(figures=figures, claims=claims).book().findings["p"]
    assert [each.rule for each in found] == ["order-contradicted"] * is_found


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "severity"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_what_is_said_of_two_figures_is_held_against_them(
    ledger: Any, files: Files, severity: str, write: Write
) -> None:
    found = ledger(**written(write, files)).book().findings["p"]
    said = [f"{each.severity} {each.id}" for each in found if each.rule in RULES]
    assert said == ([write(f"{severity} order-contradicted:p.figures.«a»")] if severity else [])


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        (
            "{of: plan.finetune.gpu_hours, above: plan.pretrain.gpu_hours, at: Page 2}",
            ["order-contradicted:birdsong.plan.finetune.gpu_hours"],
        ),
        ("{of: plan.finetune.gpu_hours, below: plan.pretrain.gpu_hours, at: Page 2}", []),
        ("{of: budget.final, within: 1300, at: Page 2}", ["order-contradicted:birdsong.budget.final"]),
        ("{of: budget.final, within: ceiling, at: Page 2}", []),
    ],
)
def test_an_error_in_the_example_is_found(tmp_path: Path, claim: str, wanted: list[str]) -> None:
    found = seeded(tmp_path, {"birdsong/claims.yaml": [("", f"- {claim}\n")]})
    assert [each for each in found if each.startswith(RULES)] == wanted


def test_two_orders_of_one_figure_are_two_findings(ledger: Any) -> None:
    files = written(variant(0), order(f"below: {B}", "<12.3>", "<11.1>"))
    more = "- {of: figures.a, within: 12, at: Page 10}\n"
    found = ledger(**{**files, "claims": files["claims"] + more}).findings()
    at = "error order-contradicted:p.figures.a"
    assert [each for each in found if "order-" in each] == [at, f"{at}#2"]


@pytest.mark.parametrize("order", [("80-207", "61.9-195.6"), ("61.9-195.6", "80-207")])
def test_an_order_shows_what_has_no_finding_of_its_own(ledger: Any, order: tuple[str, str]) -> None:
    """62 to 196 hours are not within 50; 80 to 207 are wrong themselves, whichever stands first."""
    claims = "".join(f"- {{of: figures.a, states: {states}, at: Page 1}}\n" for states in order)
    claims += "- {of: figures.a, within: 50 h, at: Page 9}\n"
    figures = "a: {title: A, hours: {formula: rounds * round_hours, rounds: 10, round_hours: 6.19-19.56}}\n"
    found = [each for each in ledger(figures=figures, claims=claims).book().findings["p"] if each.rule in RULES]
    assert [format_sentence(each.title) for each in found] == ["A: 61.9–195.6 h is not within 50 h"]
    remedies = [format_sentence(each.remedy) for each in found]
    assert remedies == ["Correct 61.9–195.6 h or 50 h, or leave the statement out."]


def by_cause_of(found: Any) -> list[tuple[str, list[str], list[str]]]:
    return [
        (group.lead.rule, [each.id for each in group.members], [each.id for each in group.following])
        for group in by_cause(found)
        if any(each.rule in RULES for each in group.all)
    ]


@pytest.mark.parametrize("write", VARIANTS)
def test_several_said_to_be_below_one_figure_are_one_entry(ledger: Any, write: Write) -> None:
    """Two times that are said to be below a third in one document; in two documents they are two matters."""
    figures = "".join(
        f"«{name}»: {{title: «The {name}», hours: <{hours}>}}\n"
        for name, hours in (("a", "12.3"), ("b", "11.1"), ("c", "13.1"))
    )
    for source, wanted in (("", 1), (", source: «Another»", 2)):
        claims = (
            f"- {{of: figures.«a», below: {B}, at: Page 9}}\n- {{of: figures.«c», below: {B}, at: Page 9{source}}}\n"
        )
        found = ledger(**written(write, {"figures": figures, "claims": claims})).book().findings["p"]
        entries = by_cause_of(found)
        assert len(entries) == wanted
        every = [name for _, members, _ in entries for name in members]
        assert every == [write(f"order-contradicted:p.figures.«{name}»") for name in "ac"]


FOLLOWING = {
    "figures": "«a»: {title: «The a», hours: {formula: «runs» * run_hours, «runs»: <6.2>, run_hours: 1}}\n«b»: {title: «The b», hours: <11.1>}\n",
}


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("stated", "follows"), [("<12.3>", True), ("", False)])
def test_an_order_that_only_a_stated_slip_turns_follows_from_it(
    ledger: Any, write: Write, stated: str, follows: bool
) -> None:
    """6.2 h are below 11.1 h; stated as 12.3 they are not. Where the calculated ones are above too, that is its own."""
    claims = f"- {{of: figures.«a», below: {B}, at: Page 9}}\n"
    claims += f"- {{of: figures.«a», states: {stated}, at: Page 1}}\n" if stated else ""
    entries = by_cause_of(ledger(**written(write, {**FOLLOWING, "claims": claims})).book().findings["p"])
    at = write("p.figures.«a»")
    wanted = [("claim-contradicted", [f"claim-contradicted:{at}"], [f"order-contradicted:{at}"])]
    assert entries == (wanted if follows else [])
    above = {"figures": FOLLOWING["figures"].replace("<6.2>", "<14.4>"), "claims": claims}
    (own, *_) = [
        each
        for each in by_cause_of(ledger(**written(write, above)).book().findings["p"])
        if each[0] == "order-contradicted"
    ]
    assert own[1] == [f"order-contradicted:{at}"]


ONE, TWO = "{title: One, parameters: 2B}", "{title: Two, parameters: 8B}"
STEP = "m: {title: M, kind: measured, model: one, seconds_per_step: 60, gpus: 1}\n"
PROJECTED = "q: {title: Q, measurements: [m], model: two, exponent: <1>, steps: 60}\n"


@pytest.mark.parametrize(("exponent", "said"), [("1", "note True"), ("", "error False")])
def test_what_only_a_supposition_of_the_ledger_contradicts_is_no_error(ledger: Any, exponent: str, said: str) -> None:
    """60 steps of 60 s are an hour; on four times the parameters, four, by an exponent that no source states."""
    projected = PROJECTED.replace("<1>", exponent) if exponent else "q: {title: Q, measurements: [m], steps: 240}\n"
    of = "- {of: projections.q.m.hours,"
    claims = f"{of} within: 3 h, at: Page 9, source: One}}\n{of} states: 2, at: Page 1, source: Another}}\n"
    found = ledger(models=f"one: {ONE}\ntwo: {TWO}\n", measurements=STEP, projections=projected, claims=claims)
    severities = {
        each.rule: f"{each.severity} {each.remark}"
        for each in found.book().findings["p"]
        if each.rule in (*RULES, "claim-contradicted")
    }
    assert severities == dict.fromkeys(("order-contradicted", "claim-contradicted"), said)


@pytest.mark.parametrize(("exponent", "said"), [("1", "warning"), ("", "error")])
def test_a_plan_far_from_what_a_supposition_gives_is_no_error(ledger: Any, exponent: str, said: str) -> None:
    """An hour, or four by an exponent that no source states; a plan of 50 GPU-hours is more than ten times either."""
    projected = PROJECTED.replace("<1>", exponent) if exponent else "q: {title: Q, measurements: [m], steps: 60}\n"
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 50}}}\n"
    found = ledger(
        models=f"one: {ONE}\ntwo: {TWO}\n",
        measurements=STEP,
        plan=plan,
        projections=projected.replace("title: Q,", "title: Q, compare: a,"),
    )
    (apart,) = [each for each in found.book().findings["p"] if each.rule == "records-far-apart"]
    assert apart.severity == said
    assert ("which no source states" in format_sentence(apart.arithmetic)) is (said == "warning")
