"""The factors of a printed product, with so many digits that they give the result that is printed beside them.

A step of 0.423 s is printed as 0.4 s by itself; 0.4 s × 10,000 is 67 min, not the 70.5 min that stand behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from reckon.language.expression import Binary, Expression, Name
from reckon.language.quantity import ONE, Value
from reckon.language.units import HOURS
from reckon.model.figure import Calculated, Figure, Tallied, Worked

from .formulas import formula_text
from .numbers import CONVERSION, decimal, figure_text, in_unit, places_of, time_unit

MOST_MORE = 4
"""The most decimals that a factor gets beyond the usual ones."""
Factor = tuple[str, bool]
"""The name of an operand, and whether the result is divided by it."""


def finer(figure: Figure) -> Mapping[str, Figure]:
    """The operands of a product as they are printed in it, by name: where their usual digits would give another result
    than the one that is printed, with more decimals; and a ratio without the sign that stands before it anyway, `0.6`
    for `0.6×`. Operands of anything else stay as they are."""
    origin = figure.origin
    if not isinstance(origin, Calculated):
        return {}
    operands = dict(origin.operands)
    tree = origin.formula.tree
    times = {name for name, over in _factors(tree) if not over and isinstance(tree, Binary)}
    operands |= {name: replace(each, form="") for name, each in operands.items() if name in times and each.form == "x"}
    rough = [(name, over) for name, over in _factors(tree) if name in operands and _is_rough(operands[name])]
    if figure.missing or isinstance(tree, Name) or not rough or len({name for name, _ in rough}) < len(rough):
        return operands
    for more in range(MOST_MORE + 1):
        tried = {name: _with_more(operands[name], more) for name, _ in rough}
        if _gives_result(figure, [(operands[name], tried[name], over) for name, over in rough]):
            return {**operands, **tried} if more else operands
    return operands


def _factors(tree: Expression, over: bool = False) -> Iterator[Factor]:
    """The names that a product multiplies or divides by; of a sum nothing."""
    if isinstance(tree, Name):
        yield tree.name, over
    elif isinstance(tree, Binary) and tree.operator in "*/":
        yield from _factors(tree.left, over)
        yield from _factors(tree.right, over != (tree.operator == "/"))


def _ends(figure: Figure) -> tuple[Fraction, ...]:
    """The numbers that are printed of a figure: one, or both ends of a range."""
    value = figure.value
    found = (value.use,) if value.exact else (value.low, value.high)
    return tuple(end for end in found if end is not None)


def _is_rough(figure: Figure) -> bool:
    """Whether a figure is calculated, and printed with fewer digits than it has."""
    plain = figure.form != "%" and figure.decimals is None and CONVERSION not in figure.address
    sized = all(Fraction(1, 1000) <= abs(end) < 10**9 for end in _ends(figure))
    rounded = any(round(end, places_of(end)) != end for end in _ends(figure))
    return isinstance(figure.origin, Calculated) and not figure.missing and plain and sized and rounded


def _with_more(figure: Figure, more: int) -> Figure:
    return replace(figure, decimals=max(map(places_of, _ends(figure))) + more) if more else figure


def _gives_result(figure: Figure, factors: Iterable[tuple[Figure, Figure, bool]]) -> bool:
    """Whether the result is printed alike from the factors as they are printed, in its unit and as a time."""
    low, high = ONE, ONE
    for exact, shown, over in factors:
        places, ends = shown.decimals, _ends(exact)
        first, last = (round(end, places_of(end) if places is None else places) / end for end in (ends[0], ends[-1]))
        low, high = (low / last, high / first) if over else (low * first, high * last)
    value = figure.value
    shares = (low, low if value.exact else ONE, high)
    pairs = zip(value.ends, shares, strict=True)
    other = replace(figure, value=Value(*(None if end is None else end * share for end, share in pairs)))
    units = [figure.unit, *([time_unit(figure)] if figure.unit.kinds == HOURS.kinds else [])]
    return all(figure_text(in_unit(figure, unit)) == figure_text(in_unit(other, unit)) for unit in units)


def with_numbers(figure: Figure) -> str:
    """How a figure comes about, with the numbers put in: `3 epochs × 8–10 h/epoch × 8 GPUs = 192–240 GPU-h`."""
    match figure.origin:
        case Calculated(formula=formula):
            shown = formula_text(formula.tree, {name: figure_text(each) for name, each in finer(figure).items()})
            return f"{shown} = {figure_text(figure)}"
        case Tallied(count=count, files=files):
            parts = "; ".join(f"{file}: {decimal(amount)} in {rows:,}" for file, rows, amount in files)
            return f"{count:,} runs{' (' + parts + ')' if parts else ''} = {figure_text(figure)}"
        case Worked(how=how):
            return f"{how} = {figure_text(figure)}"
    return figure_text(figure)
