"""Ratios between GPUs that are stated in both directions, held against each other."""

from __future__ import annotations

from fractions import Fraction

from reckon.language.quantity import ZERO, Quantity
from reckon.model.amounts import AmountValue
from reckon.model.figure import Figure
from reckon.model.finding import Problem, Problems
from reckon.model.ledger import Ledger

from ..sheet.inputs import ratio_address
from ..sheet.sheet import Sheet
from .agreement import tolerances

Ends = tuple[Fraction, Fraction] | None
"""The least and the most that something can be, where both are known."""


def check_ratios(sheet: Sheet, ledger: Ledger) -> Problems:
    """A problem for each two ratios that are no inverse of each other, however their last digits were rounded."""
    seen = set()
    for name, card in ledger.catalog.gpus.items():
        for target, ratio in card.counts_as.items():
            seen.add((name, target))
            there = ledger.catalog.gpus[target].counts_as.get(name) if target in ledger.catalog.gpus else None
            if there is None or (target, name) not in seen:
                continue
            first, second = (sheet.figures.get(ratio_address(*pair)) for pair in ((target, name), (name, target)))
            if first and second and not _inverse(_ends(first, there), _ends(second, ratio)):
                wrong = f"{name} counts as {_text(ratio)} of {target}, and {target} as {_text(there)} of {name}"
                other = f"{there.place.file}, line {there.place.line}"
                yield Problem(
                    ratio.place,
                    wrong,
                    f"keep one, which counts both ways, or let them be inverse: the other stands in {other}",
                    since=2,
                )


def _text(stated: AmountValue) -> str:
    return stated.text if isinstance(stated, Quantity) else stated.formula.text


def _ends(figure: Figure, stated: AmountValue) -> Ends:
    """The least and the most that a ratio can be, as it is written; None where it has no such ends."""
    low = figure.value.low
    high = figure.value.high
    if low is None or high is None:
        return None
    below, above = tolerances(stated.text, stated) if isinstance(stated, Quantity) else (ZERO, ZERO)
    return low - below, high + above


def _inverse(first: Ends, second: Ends) -> bool:
    """Whether two ranges can multiply to one."""
    return first is None or second is None or first[0] * second[0] <= 1 <= first[1] * second[1]
