# ruff: noqa: E501 (ledgers read better unbroken)
"""Bridges between ledgers: they add up exactly, whatever changes; and all changes together make the new ledger."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.book import Book
from reckon.compute.calculation import calculate, write_sheet
from reckon.compute.versions.change import Change, applied
from reckon.compute.versions.difference import Difference, Side, Threshold, above, compare
from reckon.compute.versions.ledger_diff import changes
from reckon.compute.versions.steps import ENGINE_NEW, ENGINE_OLD, Bridge, Patched
from reckon.language.text import NOWHERE
from reckon.load.reader import load
from reckon.model.release import ReleasedFigure
from reckon.present.export import found_in
from tests.small import SMALL, plant
from tests.trying import examples

PLAN = "ledger/demo/plan.yaml"
PROJECT = "ledger/demo/project.yaml"


def book(files: Mapping[str, str]) -> Book:
    with tempfile.TemporaryDirectory() as folder:
        ledger, problems = load(plant(Path(folder), files))
        found, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return found


def side(files: Mapping[str, str], name: str = "side", **more: Any) -> Side:
    made = book(files)
    return Side(name, made, findings=found_in(made), **more)


def between(old: Mapping[str, str], new: Mapping[str, str], of: str = "") -> Difference:
    return compare(side(old), side(new), write_sheet, (), of)


def edited(*pairs: tuple[str, str, str]) -> dict[str, str]:
    files = dict(SMALL)
    for name, was, now in pairs:
        assert was in files[name]
        files[name] = files[name].replace(was, now)
    return files


def told(one: Difference, name: str = "demo") -> list[tuple[str, str, str, str]]:
    (part,) = [part for part in one.parts if part.id == name]
    return [(change.kind, change.address, change.was, change.now) for change in part.told]


def bridged(one: Difference, name: str = "demo") -> Bridge:
    (part,) = [part for part in one.parts if part.id == name]
    assert part.bridge
    return part.bridge


def steps(one: Difference) -> list[tuple[tuple[str, ...], Fraction]]:
    return [(tuple(change.address for change in step.changes), step.by) for step in bridged(one).steps]


def test_each_input_is_a_step_in_the_order_of_the_ledger() -> None:
    """(40 x 2 + 10) x 1.1 = 99; a third seed adds 44; 20% adds 13; 60 for 40 add 72: (60 x 3 + 10) x 1.2 = 228."""
    new = edited((PROJECT, "seeds: 2", "seeds: 3"), (PROJECT, "10%", "20%"), (PLAN, "gpu_hours: 40", "gpu_hours: 60"))
    found = between(SMALL, new)
    assert steps(found) == [(("demo.seeds",), 44), (("demo.contingency",), 13), (("demo.plan.train.gpu_hours",), 72)]
    (part,) = found.parts
    assert [str(one.place) for one in part.told] == [
        "ledger/demo/project.yaml:5:8",
        "ledger/demo/project.yaml:6:14",
        "ledger/demo/plan.yaml:7:18",
    ]
    moved = {one.now.address: (one.by, one.because) for one in part.moved}
    assert not {"demo.seeds", "demo.contingency", "demo.plan.train.gpu_hours"} & {*moved}, "these are what moved it"
    assert moved["demo.budget.final"] == (129, ("demo.contingency", "demo.plan.train.gpu_hours", "demo.seeds"))
    assert moved["demo.estimates.final"][0] == (18 * 3 + 10) * Fraction(12, 10) - (18 * 2 + 10) * Fraction(11, 10)


def test_a_change_without_effect_on_the_total_is_told_and_no_step() -> None:
    found = between(SMALL, edited((PLAN, "hours_per_epoch: 1-2", "hours_per_epoch: 1-3")))
    assert told(found) == [("changed", "demo.plan.train.estimate.hours_per_epoch", "1-2", "1-3")]
    assert found.parts[0].bridge is None


def test_words_alone_move_nothing() -> None:
    assert between(SMALL, edited((PLAN, "gpu_hours: 10", "gpu_hours: 10.0\n      notes: as measured"))).empty


def test_a_phase_goes_with_its_items() -> None:
    """Its 200 hours are one change, and not one of the phase and one of each item."""
    items = "{x: {title: X, scope: one-time, gpu_hours: 150}, y: {title: Y, scope: one-time, gpu_hours: 50}}"
    more = {**SMALL, PLAN: f"{SMALL[PLAN]}more: {{title: More, items: {items}}}\n"}
    found = between(more, SMALL)
    assert [each[:2] for each in told(found)] == [("removed", "demo.phases.more")]
    assert steps(found) == [(("demo.phases.more",), -220)]  # with the contingency of 10%


def test_items_come_go_move_and_are_renamed() -> None:
    item = "    other: {title: Other, scope: one-time, gpu_hours: 5}\n"
    second = f"second:\n  title: Second phase\n  items:\n{item}"
    old = edited((PLAN, "gpu_hours: 10\n", f"gpu_hours: 10\n{second}"))
    new = {
        **old,
        PLAN: old[PLAN]
        .replace("    test:\n", "    trial:\n")
        .replace(second, "")
        .replace("  items:\n", f"  items:\n{item}"),
    }
    new["ledger/demo/runs/2026-02.yaml"] = new["ledger/demo/runs/2026-02.yaml"].replace("item: test", "item: trial")
    assert told(between(old, new)) == [
        ("moved", "demo.plan.other", "Second phase", "First phase"),
        ("renamed", "demo.plan.trial", "test", "trial"),
        ("runs", "demo.runs", "", ""),
        ("runs", "demo.runs", "", ""),
        ("removed", "demo.phases.second", "", ""),
    ]
    back = told(between(new, old))
    assert ("added", "demo.phases.second", "", "") in back
    assert ("moved", "demo.plan.other", "First phase", "Second phase") in back
    titled = edited((PLAN, "title: Testing", "title: Trial"))
    assert told(between(SMALL, titled)) == [("renamed", "demo.plan.test", "Testing", "Trial")]


def test_what_only_goes_together_is_one_step() -> None:
    """The plan comes to rest on a figure under another name, which its old formula cannot find."""
    figure = "ledger/demo/figures.yaml"
    old = {
        **edited((PLAN, "gpu_hours: 10", "gpu_hours: {formula: figures.old * 2}")),
        figure: "old: {title: X, gpu_hours: 5}\n",
    }
    new = {
        **edited((PLAN, "gpu_hours: 10", "gpu_hours: {formula: figures.new * 3}")),
        figure: "new: {title: Y, gpu_hours: 5}\n",
    }
    assert steps(between(old, new)) == [(("demo.plan.test.gpu_hours",), Fraction(55, 10))]
    swapped = {**new, figure: "old: {title: X, hours: 1}\nnew: {title: Y, gpu_hours: 6}\n"}
    (((first, *_), by),) = steps(between(old, swapped))
    assert first == "demo.figures.old.hours" or first.startswith("demo.figures.old")
    assert by == Fraction(88, 10)


def test_runs_are_told_by_item_and_month() -> None:
    run = "- {date: 2026-02-09, item: test, gpu_hours: 2.5}\n"
    new = {**SMALL, "ledger/demo/runs/2026-03.yaml": run + run}
    found = between(SMALL, new, "actual.total")
    (change,) = found.parts[0].told
    assert change.runs
    assert (change.runs.item, change.runs.month) == ("test", "2026-02")
    assert (change.runs.counts, change.runs.held) == ((1, 3), (Fraction(3, 2), Fraction(13, 2)))
    assert str(change.now_place) == "ledger/demo/runs/2026-03.yaml:1:3"
    assert steps(found) == [(("demo.runs",), 5)]


def test_what_the_engine_makes_of_a_released_ledger_is_a_step_of_its_own() -> None:
    old = Side(
        "demo@1",
        book(SMALL),
        "demo",
        {"demo.budget.final": ReleasedFigure("Final budget", "GPU-h", "90", "90", "90", ())},
    )
    new = side(edited((PLAN, "gpu_hours: 10", "gpu_hours: 20")))
    found = compare(old, new, write_sheet)
    assert [(one.cause, one.by) for one in bridged(found).steps] == [(ENGINE_OLD, 9), ("inputs", 11)]
    assert bridged(found).by == 20
    back = compare(new, old, write_sheet)
    assert [(one.cause, one.by) for one in bridged(back).steps] == [("inputs", -11), (ENGINE_NEW, -9)]
    assert not found.parts[0].gained  # the release does not say what its findings were


def test_findings_gained_lost_and_accepted() -> None:
    over = edited((PROJECT, "contingency: 10%", "contingency: 10%\nceiling: 50"))
    found = between(SMALL, over).parts[0]
    assert [one.id for one in found.gained] == ["above-ceiling:demo.budget.final"] or found.gained
    lost = between(over, SMALL).parts[0]
    assert {one.id for one in lost.lost} == {one.id for one in found.gained}
    one = found.gained[0].id
    accepted = {**over, PROJECT: over[PROJECT] + f"accept:\n  - {{finding: '{one}', reason: known}}\n"}
    (pair,) = between(over, accepted).parts[0].altered
    assert (pair[0].id, pair[1].severity, pair[1].accepted) == (one, "note", "known")


def test_only_what_moved_by_more_is_kept() -> None:
    new = edited((PROJECT, "seeds: 2", "seeds: 3"), (PROJECT, "10%", "11%"), (PLAN, "gpu_hours: 10", "gpu_hours: 11"))
    whole = between(SMALL, new)
    few = above(whole, Threshold(share=Fraction(5, 100)))
    assert [len(one.changes) for one in bridged(few).steps] == [1, 2]
    assert bridged(few).by == bridged(whole).by == sum(one.by for one in bridged(few).steps)
    assert above(whole, Threshold(hours=Fraction(500))).empty
    hours = above(whole, Threshold(hours=Fraction(20))).parts[0].moved
    assert {one.now.unit.symbol for one in hours} == {"GPU-h"}
    assert all(abs(one.by or 0) > 20 for one in hours)


def accepted(*entries: tuple[str, str]) -> dict[str, str]:
    lines = "".join(f"  - {{finding: '{one}', reason: known, until: {until}}}\n" for one, until in entries)
    return {**SMALL, PROJECT: f"{SMALL[PROJECT]}accept:\n{lines}"}


def test_accepted_findings_are_told_one_by_one_with_their_lines() -> None:
    old = accepted(("a:demo.x", "1.1"), ("b:demo.x", "1.1"), ("c:demo.x", "1.1"))
    new = accepted(("d:demo.x", "2.0"), ("c:demo.x", "1.2"), ("a:demo.x", "1.1"))
    (part,) = between(old, new).parts
    assert [
        (one.kind, one.title, one.part, one.was, one.now, one.was_place.line, one.now_place.line) for one in part.told
    ] == [
        ("added", "d:demo.x", "", "", "until 2.0: known", 0, 8),
        ("changed", "c:demo.x", "until", "1.1", "1.2", 10, 9),
        ("removed", "b:demo.x", "", "until 1.1: known", "", 9, 0),
    ]
    assert {one.of for one in part.told} == {"accepted finding"}
    again = accepted(("b:demo.x", "1.1"), ("c:demo.x", "1.1"), ("a:demo.x", "1.1"))
    assert between(old, again).empty  # another order is no change


def test_claims_are_matched_by_what_they_are_of_and_where() -> None:
    claims = "ledger/demo/claims.yaml"
    old = "- {of: budget.final, states: 99, at: One}\n- {of: budget.final, states: 99, at: Two}\n- {of: seeds, states: 2, at: One}\n"
    new = "- {of: contingency, states: 10%, at: One}\n- {of: budget.final, states: 99, at: One}\n- {of: budget.final, states: ~100, at: Two}\n"
    assert told(between({**SMALL, claims: old}, {**SMALL, claims: new})) == [
        ("added", "demo.claims.contingency", "", "10%"),
        ("changed", "demo.claims.budget.final.states", "99", "~100"),
        ("removed", "demo.claims.seeds", "2", ""),
    ]
    moved = old.replace("at: Two", "at: Elsewhere")
    assert between({**SMALL, claims: old}, {**SMALL, claims: moved}).empty  # words alone


def test_versions_policies_and_steps_of_descoping_are_told() -> None:
    policy = "policies:\n  keep: {require: budget.final < 200 gpu_hours, message: Ask.}\n"
    old = edited(
        (
            PROJECT,
            "gpu: card\n",
            "gpu: card\nversions:\n  '1.1': {status: pending, note: X, waits_for: Y}\n"
            "descope:\n  - {item: test}\n  - {item: train}\n",
        )
    )
    new = edited(
        (
            PROJECT,
            "gpu: card\n",
            f"gpu: card\n{policy}versions:\n  '1.1': {{status: released, date: 2026-02-01, note: Z}}\n"
            "  '1.2': {status: future, note: W}\ndescope:\n  - {item: train, why: last}\n  - {item: test}\n",
        )
    )
    found = between(old, new)
    assert told(found) == [
        ("added", "demo.policies.keep", "", "budget.final < 200 gpu_hours"),
        ("changed", "demo.versions.1.1.status", "pending", "released"),
        ("changed", "demo.versions.1.1.date", "", "2026-02-01"),
        ("added", "demo.versions.1.2", "", "future"),
        ("order", "demo.descope", "test then train", "train then test"),
    ]
    assert found.parts[0].bridge is None


def test_a_long_list_is_told_by_what_differs_and_at_its_line() -> None:
    words = ["one", "two", "three", "four", "five"]
    old, new = (
        edited(
            (
                PLAN,
                "gpu_hours: 10\n",
                "gpu_hours: 10\n      settings:\n        runs:\n" + "".join(f"          - {one}\n" for one in some),
            )
        )
        for some in (words, [*words[:2], "third", *words[3:], "six"])
    )
    (part,) = between(old, new).parts
    (change,) = part.told
    assert (change.was, change.now) == ("5 entries", "6 entries (with third, six; without three)")
    assert (change.was_place.line, change.now_place.line) == (17, 17)


def test_an_input_that_is_not_written_has_no_line() -> None:
    (change,) = (
        between(edited((PLAN, "gpu_hours: 10\n", "gpu_hours: 10\n      includes_margin: true\n")), SMALL).parts[0].told
    )
    assert (change.was, change.now, change.now_place) == ("true", "false", NOWHERE)


def test_what_is_as_unknown_as_before_under_another_id_did_not_move() -> None:
    old = edited((PLAN, "gpu_hours: 10\n", "gpu_hours: unknown\n"))
    new = {**old, PLAN: old[PLAN].replace("    test:", "    trial:")}
    new["ledger/demo/runs/2026-02.yaml"] = new["ledger/demo/runs/2026-02.yaml"].replace("item: test", "item: trial")
    assert between(old, new).parts[0].moved == ()


def test_a_quantity_in_another_unit_is_one_change() -> None:
    name = "ledger/demo/measurements.yaml"
    record = "probe:\n  title: Probe\n  kind: measured\n  date: 2026-01-01\n  device: card\n"
    old = {**SMALL, name: f"{record}  peak_gb: 14\n  step_seconds: 2\n  seconds_per_step: 1\n"}
    new = {**SMALL, name: f"{record}  peak_gib: 14\n  step_minutes: 3\n  seconds_per_step: 1\n  peak_watts: 5\n"}
    found = between(old, new)
    assert told(found) == [
        ("changed", "demo.measurements.probe.peak_gib", "14 GB", "14 GiB"),
        ("changed", "demo.measurements.probe.step_minutes", "2 s", "3 min"),
        ("changed", "demo.measurements.probe.peak_watts", "", "5"),
    ]
    ledger = book(old).ledger
    for one in changes(ledger, book(new).ledger):
        ledger = applied(ledger, one)
    assert changes(ledger, book(new).ledger) == ()


def test_an_item_may_have_any_name() -> None:
    item = "    source: {title: Source, scope: one-time, gpu_hours: 5}\n"
    found = between(SMALL, edited((PLAN, "    test:\n", f"{item}    test:\n"), (PROJECT, "10%", "20%")))
    assert steps(found) == [(("demo.contingency",), 9), (("demo.plan.source",), 6)]


def test_very_many_inputs_share_steps_that_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reckon.compute.versions.steps.MOST_WORK", 100)
    items = "".join(f"    item{n}: {{title: Item {n}, scope: per-seed, gpu_hours: {{}}}}\n" for n in range(48))
    old, new = ({**SMALL, PLAN: SMALL[PLAN] + items.replace("{}", hours)} for hours in ("1", "2"))
    crossing = bridged(between(old, new))
    assert [len(one.changes) for one in crossing.steps] == [4] * 12
    assert crossing.together == 4
    assert sum(one.by for one in crossing.steps) == crossing.by == 48 * 2 * Fraction(11, 10)


AMOUNTS = st.sampled_from(["0", "5", "12.5", "8-10", "7+", "unknown", "FORMULA", "INPUTS"])
ITEMS = ("alpha", "beta", "gamma", "delta")


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, str]:
    """A small ledger: seeds, contingency, phases in any order, items in any of them, figures that they rest on, runs."""
    seeds = draw(st.integers(0, 3))
    head: dict[str, Any] = {
        "title": "Demo",
        "version": "1.0",
        "as_of": "2026-01-01",
        "gpu": draw(st.sampled_from(["card", "other"])),
    }
    head |= {"seeds": str(seeds)} if seeds else {}
    known = st.fixed_dictionaries(
        {"finding": st.sampled_from(["a:x", "b:x"]), "reason": st.sampled_from(["so", "thus"])}
    )
    head["accept"] = draw(st.lists(known, max_size=3))
    status = st.fixed_dictionaries({"status": st.sampled_from(["pending", "future"]), "note": st.just("x")})
    head["versions"] = draw(st.dictionaries(st.sampled_from(["1.1", "1.2"]), status))
    head |= draw(
        st.fixed_dictionaries(
            {}, optional={"contingency": st.sampled_from(["10%", "10-20%"]), "ceiling": st.just("50")}
        )
    )
    figure = draw(st.sampled_from(["first", "second"]))
    plan: dict[str, Any] = {}
    for name in draw(st.permutations(["one", "two", "three"]))[: draw(st.integers(1, 3))]:
        plan[name] = {"title": draw(st.sampled_from(["A phase", name])), "items": {}}
        plan[name] |= {"extension": "true"} if draw(st.booleans()) else {}
    for item in draw(st.permutations(ITEMS))[: draw(st.integers(1, 4))]:
        home = plan[draw(st.sampled_from(sorted(plan)))]
        home["items"][item] = {
            "title": draw(st.sampled_from(["Same", item])),
            "scope": draw(st.sampled_from(["per-seed"] * (seeds > 0) + ["one-time", "single-seed"])),
            "gpu_hours": _amount(draw, figure),
        }
        if draw(st.booleans()):
            home["items"][item]["gpu"] = draw(st.sampled_from(["card", "other"]))
    items = [item for phase in plan.values() for item in phase["items"]]
    head["descope"] = [{"item": one} for one in draw(st.permutations(items))[: draw(st.integers(0, len(items) - 1))]]
    stated = st.sampled_from([f"plan.{one}.total" for one in items])
    kept = st.fixed_dictionaries({"require": stated.map(lambda one: f"{one} < 9 gpu_hours"), "message": st.just("x")})
    head["policies"] = draw(st.dictionaries(st.sampled_from(["one", "two"]), kept))
    claims = st.fixed_dictionaries(
        {"of": stated, "at": st.sampled_from(["here", "there"]), "states": st.sampled_from(["5", "9"])}
    )
    runs = [
        {
            "date": f"2026-0{draw(st.integers(1, 3))}-02",
            "item": draw(st.sampled_from(items)),
            "gpu_hours": draw(st.sampled_from(["1", "2.5"])),
        }
        for _ in range(draw(st.integers(0, 3)))
    ]
    files = {
        "ledger/catalog/gpus.yaml": json.dumps(
            {"card": {"title": "Card"}, "other": {"title": "Other", "counts_as": {"card": "0.5"}}}
        ),
        PROJECT: json.dumps(head),
        PLAN: json.dumps(plan),
        "ledger/demo/figures.yaml": json.dumps(
            {figure: {"title": "Rate", "gpu_hours": draw(st.sampled_from(["3", "4-6"]))}}
        ),
    }
    files["ledger/demo/claims.yaml"] = json.dumps(draw(st.lists(claims, max_size=4)))
    return files | ({"ledger/demo/runs/2026.yaml": "\n".join(f"- {json.dumps(one)}" for one in runs)} if runs else {})


def _amount(draw: st.DrawFn, figure: str) -> Any:
    found = draw(AMOUNTS)
    if found == "FORMULA":
        return {"formula": f"figures.{figure} * 2"}
    if found == "INPUTS":
        return {
            "formula": "hours * gpus",
            "hours": draw(st.sampled_from(["2", "3-4"])),
            "gpus": draw(st.sampled_from(["4", "8"])),
        }
    return found


def made(old: Book, changed: tuple[Change, ...]) -> Book:
    ledger = old.ledger
    for one in changed:
        ledger = applied(ledger, one)
    found, problems = calculate(ledger)
    assert problems == []
    return found


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(
    ledgers(),
    ledgers(),
    st.sampled_from(["", "actual.total", "forecast.p50", "performance.eac", "descope.1.forecast_p50"]),
)
def test_any_bridge_adds_up_exactly(first: dict[str, str], second: dict[str, str], of: str) -> None:
    old, new = side(first), side(second)
    assert compare(old, side(first), write_sheet, (), of).empty
    changed = changes(old.book.ledger, new.book.ledger)
    reached = made(old.book, changed)
    assert (reached.ledger.projects["demo"].claims, reached.ledger.projects["demo"].project.accept) == (
        new.book.ledger.projects["demo"].claims,
        new.book.ledger.projects["demo"].project.accept,
    )
    assert {at: one.value for at, one in reached.figures.items()} == {
        at: one.value for at, one in new.book.figures.items()
    }
    for part in compare(old, new, write_sheet, (), of).parts:
        if part.bridge is None:
            continue
        assert part.was
        assert part.now
        ends = [part.was.value, *(step.now for step in part.bridge.steps)]
        assert [step.was for step in part.bridge.steps] == ends[:-1]
        assert ends[-1] == part.now.value
        assert sum(step.by for step in part.bridge.steps) == part.now.use - part.was.use  # type: ignore[operator]
        assert all(step.changes for step in part.bridge.steps)


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck), deadline=None)
@given(ledgers(), ledgers(), st.sampled_from(["", "estimates.final"]))
def test_numbers_that_are_put_into_a_sheet_come_to_what_a_new_sheet_does(
    first: dict[str, str], second: dict[str, str], of: str
) -> None:
    old, new = side(first), side(second)
    quick = compare(old, new, write_sheet, (), of)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Patched, "takes", lambda *_: False)
        slow = compare(old, new, write_sheet, (), of)
    assert [part.bridge for part in slow.parts] == [part.bridge for part in quick.parts]
