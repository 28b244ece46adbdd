"""How an old total became a new one, as a waterfall: the old total, a bar for each step, the new total."""

from __future__ import annotations

from fractions import Fraction

from reckon.compute.bridge.difference import Difference
from reckon.compute.bridge.steps import INPUTS, Bridge, Step

from ..charts import Bar, Waterfall
from ..comparing.words import cut, places_of, signed, step_words
from ..numbers import decimal

MOST, NAMED = 60, 60


def crossed(of: Difference, one: Bridge, title: str) -> Waterfall | None:
    """The picture of a bridge; None where no step moves the value to plan with, or where there are too many to see."""
    steps = [step for step in one.steps if step.by]
    if not steps or len(steps) > MOST:
        return None
    places = places_of(one)
    ends = [end or Fraction(0) for end in (one.was.use, one.now.use)]
    printed = [decimal(end, places) for end in ends]
    bars = [Bar(of.old.name, 0.0, float(ends[0]), "total", printed[0])]
    for step in steps:
        start, end = (value.use or Fraction(0) for value in (step.was, step.now))
        by, total = signed(step.by, places), decimal(end, places)
        bars.append(Bar(cut(step_words(step, of), NAMED), float(start), float(end), _role(step), by, total))  # type: ignore[arg-type]
    bars.append(Bar(of.new.name, 0.0, float(ends[1]), "total", printed[1]))
    told = "; ".join(f"{cut(step_words(step, of), NAMED)} {signed(step.by, places)}" for step in steps)
    unit = one.unit.symbol
    said = f"From {printed[0]} to {printed[1]} {unit}".rstrip() + f": {told}."
    return Waterfall(title, "GPU-hours" if unit == "GPU-h" else unit, tuple(bars), said)


def _role(step: Step) -> str:
    if step.cause != INPUTS:
        return "reckoning"
    return "raises" if step.by > 0 else "lowers"
