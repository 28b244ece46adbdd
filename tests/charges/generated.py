"""Ledgers as hypothesis makes them: up to four payers of hours, units and money, three cards, two currencies, items of
hours and lines of money, runs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

CARDS = ("a100", "h100", "v100")
GPUS = {"a100": {}, "h100": {"counts_as": {"a100": "2x", "v100": "4x"}}, "v100": {"counts_as": {"a100": 0.5}}}
PAYERS = ("north", "south", "east", "west")
WINDOWS = ({}, {"since": "2026-01", "until": "2026-02"}, {"since": "2026-03", "until": "2026-04"}, {"until": "2026-02"})
STATUSES = ("completed", "completed", "completed", "failed", "preempted", "running")
DAYS = tuple(f"2026-0{month}-{day:02}" for month in (1, 2, 3) for day in (2, 9, 27))
RATES = {"2026-01-02": {"usd_per_eur": 1.10}, "2026-02-20": {"usd_per_eur": 1.25}}
LISTS = {
    "dollars": {"usd_per_gpu_hour": {"a100": 2, "h100": 3.5}},
    "euros": {"eur_per_gpu_hour": {"h100": 3, "v100": 0.5}, "since": {"2026-02-10": {"eur_per_gpu_hour": {"h100": 2}}}},
    "stepped": {
        "usd_per_gpu_hour": dict.fromkeys(CARDS, 2),
        "minimum_hours": 1,
        "step_hours": 0.5,
        "whole_gpus": 4,
    },
}
"""Price lists: two currencies, a change within the runs, and one that bills more than is held."""
Record = dict[str, Any]


@st.composite
def billing(draw: st.DrawFn) -> Record:
    """What is billed of each run."""
    found: Record = {}
    for key, values in (("minimum_hours", (1, 2)), ("step_hours", (0.25, 1)), ("whole_gpus", (4, 8))):
        if draw(st.booleans()):
            found[key] = draw(st.sampled_from(values))
    if draw(st.booleans()):
        found["factors"] = {"qos": {"low": 0.5, "high": 2}}
    return found


def lists(least: int = 0) -> st.SearchStrategy[list[str]]:
    """Some price lists, in any order."""
    return st.lists(st.sampled_from(tuple(LISTS)), min_size=least, unique=True)


@st.composite
def payer(draw: st.DrawFn) -> Record:
    """An allocation of hours on a card, of hours as the project counts them, of units, or of money."""
    found: Record = {"projects": ["p"], **draw(st.sampled_from(WINDOWS))}
    charge = draw(st.one_of(st.none(), billing()))
    kind = draw(st.sampled_from(("card", "counted", "nodes", "credits", "usd", "eur")))
    if kind in ("usd", "eur"):
        return {**found, kind: draw(st.integers(10, 5000)), "prices": draw(lists(least=1))}
    if draw(st.integers(0, 3)) == 0:
        found["prices"] = draw(lists(least=1))
    if kind in ("card", "nodes"):
        found["gpu"] = draw(st.sampled_from(CARDS))
    if kind in ("card", "counted"):
        found["gpu_hours"] = draw(st.integers(10, 2000))
        if charge:
            found["charge"] = {"unit": "GPU-hours", **charge}
        return found
    found["units"] = draw(st.integers(10, 2000))
    per: Record = {"gpus_per_unit": 4}
    if kind == "credits":
        per = {"units_per_gpu_hour": {card: draw(st.sampled_from((1, 2.5, 6))) for card in CARDS}}
    found["charge"] = {"unit": "units", **per, **(charge or {})}
    return found


@st.composite
def change(draw: st.DrawFn) -> Record:
    """Something that changed on a day."""
    kind = draw(st.sampled_from(("granted", "refunded", "charged")))
    return {"date": draw(st.sampled_from(DAYS)), "why": "made up", kind: draw(st.integers(1, 90))}


def _paying(item: Record, allocations: Record) -> list[str]:
    """The payers that an item can name: a line of money those in money."""
    in_money = "gpu_hours" not in item
    return [name for name, each in allocations.items() if not in_money or {"usd", "eur"} & each.keys()]


@st.composite
def run(draw: st.DrawFn, items: Record, allocations: Record, number: int, done: dict[str, int]) -> Record:
    """A run, which may name who pays and what that booked. Each has a day of its own, so that it is plain which of the
    attempts at a piece of work is the latest."""
    found: Record = {"date": DAYS[number], "item": draw(st.sampled_from(sorted(items)))}
    found["gpus"] = draw(st.sampled_from((1, 2, 3, 8)))
    found["wall_hours"] = draw(st.sampled_from((0.1, 0.5, 1.25, 7, 20)))
    found["status"] = draw(st.sampled_from(STATUSES))
    # A completed run that says nothing may have ended its work by its hours: a rule of progress, and not of charges.
    # Progress never goes back: how much of an attempt that loses is a question of test_losses.py.
    if found["status"] in ("completed", "running") or draw(st.booleans()):
        done[found["item"]] = min(done.get(found["item"], 0) + draw(st.integers(0, 5)), 10)
        found["progress"] = f"{done[found['item']]}/10"
    if draw(st.integers(0, 3)) == 0:
        found["gpu"] = draw(st.sampled_from(CARDS))
    if draw(st.integers(0, 2)) == 0:
        payers = _paying(items[found["item"]], allocations)
        found["allocation"] = draw(st.sampled_from([*payers, "none"]))
        if found["allocation"] != "none" and draw(st.booleans()):
            found["charged"] = draw(st.integers(0, 40))
    if draw(st.integers(0, 4)) == 0:
        found[draw(st.sampled_from(("cost_usd", "cost_eur")))] = draw(st.integers(0, 90))
    if draw(st.booleans()):
        found["qos"] = draw(st.sampled_from(("low", "normal")))
    return found


@st.composite
def ledgers(draw: st.DrawFn) -> Record:
    """A ledger in the shorthand of cases.yaml."""
    payers = list(PAYERS[: draw(st.integers(1, 4))])
    allocations = {name: draw(payer()) for name in payers}
    for record in allocations.values():
        if changes := draw(st.lists(change(), max_size=2)):
            record["changes"] = changes
    items: Record = {}
    currency = draw(st.sampled_from(("usd", "eur")))
    for number in range(draw(st.integers(1, 4))):
        # Money in another currency than that of the project: how far it is spent is a question of rates.
        item: Record = {draw(st.sampled_from(("gpu_hours", "gpu_hours", currency))): draw(st.integers(1, 900))}
        if draw(st.booleans()):
            item["gpu"] = draw(st.sampled_from(CARDS))
        if draw(st.integers(0, 2)) == 0:
            item["allocation"] = draw(st.sampled_from([*_paying(item, allocations), "none"]))
        if draw(st.booleans()):
            item["gpus"] = draw(st.sampled_from((1, 6)))
        items[f"i{number}"] = item
    done: dict[str, int] = {}
    runs = [draw(run(items, allocations, number, done)) for number in range(draw(st.integers(0, 8)))]
    project: Record = {"gpu": "a100", "contingency": "10%"}
    able = [*set.intersection(*({*_paying(item, allocations)} for item in items.values()))]
    if able and draw(st.booleans()):
        project["allocation"] = draw(st.sampled_from(sorted(able)))
    project |= {"prices": draw(lists()), "currency": currency}
    plan = {"w": {"items": items}}
    whole = {"gpus": GPUS, "prices": LISTS, "rates": RATES, "allocations": allocations}
    return {**whole, "project": project, "plan": plan, "runs": runs}
