"""Ratios between GPUs that are stated in both directions, held against each other."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from reckon.language.quantity import ZERO, Quantity
from reckon.model.amounts import AmountValue
from reckon.model.figure import Figure
from reckon.model.finding import Problem, Problems
from reckon.model.ledger import Ledger

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .agreement import tolerances


def check_ratios(sheet: Sheet, ledger: Ledger) -> Problems:
    """A problem for each two ratios that are no inverse of each other, however their last digits were rounded."""
    seen = {}
    for name, card in ledger.catalog.gpus.items():
        for target, ratio in card.counts_as.items():
            seen[name, target] = ratio
            there = seen.get((target, name))
            if there is None:
                continue
            first, second = (sheet.figures.get(ratio_address(*pair)) for pair in ((target, name), (name, target)))
            low, high = _ends(first, there)
            least, most = _ends(second, ratio)
            if not low * least <= 1 <= high * most:
                yield Problem(
                    ratio.place,
                    f"{name} counts as {_text(ratio)} of {target}, and {target} as {_text(there)} of {name}",
                    "keep one, which counts both ways, or let them be inverse: the other is in "
                    f"{there.place.file}, line {there.place.line}",
                    since=2,
                )


def _text(stated: AmountValue) -> str:
    return stated.text if isinstance(stated, Quantity) else stated.formula.text


def _ends(figure: Figure | None, stated: AmountValue) -> tuple[float | Fraction, float | Fraction]:
    """The least and the most that a ratio can be, as it is written; all there is where it has no such ends."""
    low, _, high = figure.value.ends if figure else (None, None, None)
    below = above = ZERO
    if isinstance(stated, Quantity) and not stated.value.unknown:
        below, above = tolerances(stated.text, stated)
    return (0 if low is None else low - below), (inf if high is None else high + above)
