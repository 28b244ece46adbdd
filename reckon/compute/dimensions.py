"""What an expression measures: strict kinds must come out as the target's, counts may be left above but never below."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Powers, Unit, carries, combine, kind_words


class Measure(NamedTuple):
    """What an expression measures: strict kinds and counts; `bare` where it is a plain number without `%` or `x`."""

    kinds: Powers
    counts: Powers
    bare: bool = False


def measure(
    tree: Expression, units: Mapping[str, tuple[Unit, str]], counted: frozenset[str], literal: bool = False
) -> Measure:
    """The kinds and counts of an expression; `units` gives unit and form of each name, `counted` the counts in play.

    Raises Refusal where unlike things are added, or a plain input is added to a bare number without `%` or `x`.
    """
    match tree:
        case Number(quantity=quantity):
            return Measure(quantity.unit.kinds, (), not quantity.unit.kinds and not quantity.form)
        case Name(name=name):
            unit, form = units[name]
            carried = tuple((count, 1) for count in sorted(counted) if carries(name, count))
            return Measure(unit.kinds, combine(unit.counts, carried), False)
        case Negation(term=term):
            return measure(term, units, counted)
        case Binary(operator="*" | "/" as operator, left=left, right=right):
            one, two = measure(left, units, counted), measure(right, units, counted)
            sign = 1 if operator == "*" else -1
            return Measure(
                combine(one.kinds, two.kinds, sign), combine(one.counts, two.counts, sign), one.bare and two.bare
            )
        case Binary(left=left, right=right, at=at):
            _ratio_written(left, right, units)
            return _alike([measure(left, units, counted), measure(right, units, counted)], at)
        case Call(terms=terms, at=at):
            return _alike([measure(term, units, counted) for term in terms], at)
    raise Refusal(
        "a condition stands where a number is expected", "comparisons belong into `when:` and policies", tree.at
    )


def _ratio_written(left: Expression, right: Expression, units: Mapping[str, tuple[Unit, str]]) -> None:
    """`1 + x` means a share: an input there is written with its `%` or `x`, so that 10 is never taken for 10%."""
    for bare, other in ((left, right), (right, left)):
        if (
            isinstance(bare, Number)
            and not bare.quantity.form
            and not bare.quantity.unit.kinds
            and isinstance(other, Name)
        ):
            unit, form = units[other.name]
            if not unit.kinds and form not in ("%", "x"):
                raise Refusal(
                    f"`{other.name}` is added to a bare number",
                    "write its value with `%` (10%) or `x` (1.1x)",
                    other.at,
                )


def _alike(parts: list[Measure], at: int) -> Measure:
    first = parts[0]
    for part in parts[1:]:
        if part.kinds != first.kinds:
            wrong = f"{kind_words(first.kinds)} and {kind_words(part.kinds)} are put together"
            raise Refusal(wrong, "both sides must measure the same", at)
    shared = {
        count: min(dict(part.counts).get(count, 0) for part in parts) for part in parts for count, _ in part.counts
    }
    return Measure(first.kinds, combine((), tuple(shared.items())), all(part.bare for part in parts))


def check_target(found: Measure, target: Unit, at: int = 0) -> None:
    """Refuses a result that does not measure what its key says, or that leaves a count below."""
    if found.kinds != target.kinds:
        gpu_missing = combine(target.kinds, found.kinds, -1) == (("gpu", 1),)
        right = "multiply by the number of GPUs" if gpu_missing else "look for a factor that is missing or too many"
        raise Refusal(f"this gives {kind_words(found.kinds)}, its key asks for {kind_words(target.kinds)}", right, at)
    wanted = dict(target.counts)
    for count, exponent in found.counts:
        if exponent < min(wanted.get(count, 0), 0):
            raise Refusal(
                f"`per {count}` is left over",
                f"multiply by a number of {count}s, or look for a misspelt `_per_{count}`",
                at,
            )
    for count, exponent in wanted.items():
        if dict(found.counts).get(count, 0) != exponent:
            raise Refusal(
                f"its key says per {count}, the formula does not",
                f"divide by a number of {count}s, or rename the key",
                at,
            )


def counted_words(units: Mapping[str, tuple[Unit, str]], target: Unit = PLAIN) -> frozenset[str]:
    """The words that stand after `per` in an expression: names that end in one of them count it."""
    below = [count for unit, _ in units.values() for count, exponent in unit.counts if exponent < 0]
    return frozenset(below + [count for count, _ in target.counts])
