"""Choosing hardware: what each setup takes and costs, and the memory of each card beside what a model needs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.choosing.setups import Choice
from reckon.language.units import Unit, key_unit
from reckon.model.figure import Figure

from ..charts import Dot, Frontier, Memory, Part, Room
from ..charts.kinds.memory import MOST_PARTS
from ..choosing import Comparison
from ..numbers import figure_text, planned_text
from ..rows import words
from .said import listed

GIB = key_unit("gib")


def frontier(one: Comparison) -> Frontier | None:
    """Cost against time; None where fewer than two setups have both. Numbers are those of the page's tables."""
    dots = [_dot(one, choice) for choice in one.shown if choice.id in one.numbers]
    if len(dots) < 2:
        return None
    said = [f"{one.title(name)} ({_value(one, one.found.choices[name])})" for name in one.front]
    beside = len(dots) - len(said)
    others = {0: "no other is dominated", 1: "one other is dominated"}.get(beside, f"{beside} others are dominated")
    alt = f"On the frontier of time and cost, from the cheapest to the fastest: {listed(said)}; {others}."
    reference = one.found.reference if one.found.reference in one.numbers else ""
    return Frontier(f"{one.record.title}: cost against time", tuple(dots), "h", "$", alt, reference)


def _dot(one: Comparison, choice: Choice) -> Dot:
    _, time, cost = one.found.points[choice.id]
    usd = one.view.book[f"{choice.at}.usd"]
    low, high = (None if end is None else float(end) for end in (usd.value.low, usd.value.high))
    on = choice.id in one.found.front
    standing = "hull" if choice.id in one.found.hull else "frontier" if on else "dominated"
    label, number = one.title(choice.id), one.numbers[choice.id]
    value = _value(one, choice)
    return Dot(choice.id, label, float(time), float(cost), value, standing, number, low, high)  # type: ignore[arg-type]


def _value(one: Comparison, choice: Choice) -> str:
    return ", ".join(planned_text(one.view.book[f"{choice.at}.{key}"]) for key in ("hours", "usd"))


def memory(one: Comparison) -> Memory | None:
    """Each card's memory, the largest first, over what one model needs part by part; None where little is known."""
    at = f"workloads.{one.record.workload}"
    needed = [(str(part), one.view.fig(f"{at}.memory_gb.{part}")) for part in one.workload.memory_gb]
    need = one.work("need_gb")
    if need is None or len(needed) > MOST_PARTS or any(figure.use is None for _, figure in needed):
        return None
    parts = tuple(Part(words(name), _in(figure, GIB), figure_text(figure)) for name, figure in needed)
    rows = sorted(_rooms(one), key=lambda room: -(room.have or 0))
    if not rows:
        return None
    said = listed([f"{room.label} {room.value} ({room.verdict})" for room in rows])
    alt = f"One model needs {figure_text(need)} on its GPU. Memory of each: {said}."
    return Memory(f"{one.record.title}: memory of one model and of each GPU", "GiB", tuple(rows), parts, alt)


def _rooms(one: Comparison) -> Iterator[Room]:
    """A row for each card whose memory is known."""
    for choice in {choice.card: choice for choice in one.shown}.values():
        verdict = one.found.verdicts.get(choice.id)
        if verdict:
            have = verdict.usable
            label, size = one.view.card(choice.card), float(_in(have, GIB))
            yield Room(label, "", size, figure_text(have), verdict.use)  # type: ignore[arg-type]


def _in(figure: Figure, unit: Unit) -> Fraction:
    """The value to plan with in another unit of its kind."""
    return unit.from_base(figure.unit.to_base(figure.use or Fraction(0)))
