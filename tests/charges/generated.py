"""Ledgers as hypothesis makes them: up to four payers of hours and units, three cards, several items and runs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

CARDS = ("a100", "h100", "v100")
GPUS = {"a100": {}, "h100": {"counts_as": {"a100": "2x", "v100": "4x"}}, "v100": {"counts_as": {"a100": 0.5}}}
PAYERS = ("north", "south", "east", "west")
WINDOWS = ({}, {"since": "2026-01", "until": "2026-02"}, {"since": "2026-03", "until": "2026-04"}, {"until": "2026-02"})
STATUSES = ("completed", "completed", "completed", "failed", "preempted", "running")
DAYS = tuple(f"2026-0{month}-{day:02}" for month in (1, 2, 3) for day in (2, 9, 27))
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


@st.composite
def payer(draw: st.DrawFn) -> Record:
    """An allocation of hours on a card, of hours as the project counts them, or of units."""
    found: Record = {"projects": ["p"], **draw(st.sampled_from(WINDOWS))}
    charge = draw(st.one_of(st.none(), billing()))
    kind = draw(st.sampled_from(("card", "counted", "nodes", "credits")))
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


@st.composite
def run(draw: st.DrawFn, items: list[str], payers: list[str], number: int, done: dict[str, int]) -> Record:
    """A run, which may name who pays and what that booked. Each has a day of its own, so that it is plain which of the
    attempts at a piece of work is the latest."""
    found: Record = {"date": DAYS[number], "item": draw(st.sampled_from(items))}
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
        found["allocation"] = draw(st.sampled_from([*payers, "none"]))
        if found["allocation"] != "none" and draw(st.booleans()):
            found["charged"] = draw(st.integers(0, 40))
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
    for number in range(draw(st.integers(1, 4))):
        item: Record = {"gpu_hours": draw(st.integers(1, 900))}
        if draw(st.booleans()):
            item["gpu"] = draw(st.sampled_from(CARDS))
        if draw(st.integers(0, 2)) == 0:
            item["allocation"] = draw(st.sampled_from([*payers, "none"]))
        if draw(st.booleans()):
            item["gpus"] = draw(st.sampled_from((1, 6)))
        items[f"i{number}"] = item
    done: dict[str, int] = {}
    runs = [draw(run(list(items), payers, number, done)) for number in range(draw(st.integers(0, 8)))]
    project: Record = {"gpu": "a100", "contingency": "10%"}
    if draw(st.booleans()):
        project["allocation"] = draw(st.sampled_from(payers))
    plan = {"w": {"items": items}}
    return {"gpus": GPUS, "allocations": allocations, "project": project, "plan": plan, "runs": runs}
