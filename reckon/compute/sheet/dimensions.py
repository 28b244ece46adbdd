"""What an expression measures: strict kinds must come out as the target's, counts may be left above but never below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number
from reckon.language.text import Refusal
from reckon.language.units import PLAIN, Powers, Unit, carries, combine, kind_words


class Measure(NamedTuple):
    """What an expression measures: strict kinds and counts; `bare` where it is a plain number without `%` or `x`."""

    kinds: Powers
    counts: Powers
    bare: bool = False


def measure(tree: Expression, units: Mapping[str, tuple[Unit, str]], counted: frozenset[str]) -> Measure:
    """The kinds and counts of an expression; `units` gives unit and form of each name, `counted` the counts in play.

    Raises Refusal where unlike things are added, or a plain input is added to a bare number without `%` or `x`.
    """
    match tree:
        case Number(quantity=quantity):
            return Measure(quantity.unit.kinds, (), not quantity.unit.kinds and not quantity.form)
        case Name(name=name):
            unit, _ = units[name]
            carried = [(count, 1) for count in sorted(counted) if _counts(name, unit, count)] if counted else []
            return Measure(unit.kinds, combine(unit.counts, tuple(carried)))
        case Negation(term=term):
            return measure(term, units, counted)
        case Binary(operator="*" | "/" as operator, left=left, right=right):
            one, two = measure(left, units, counted), measure(right, units, counted)
            sign = 1 if operator == "*" else -1
            kinds, counts = combine(one.kinds, two.kinds, sign), combine(one.counts, two.counts, sign)
            return Measure(kinds, counts, one.bare and two.bare)
        case Binary(left=left, right=right, at=at):
            return _added([left, right], [measure(left, units, counted), measure(right, units, counted)], units, at)
        case Call(function="sum", terms=terms, at=at):
            return _added(terms, [measure(term, units, counted) for term in terms], units, at)
        case Call(function="power", terms=terms, at=at):
            return _powered([measure(term, units, counted) for term in terms], at)
        case Call(function=function, terms=terms, at=at):
            found = _alike([measure(term, units, counted) for term in terms], at)
            _whole(function, found, at)
            return found
    raise Refusal("a condition stands where a number is expected", "comparisons belong into `when:`", tree.at)


def _counts(name: str, unit: Unit, count: str) -> bool:
    """Whether a name counts something: by its own last word, or by the key of the named figure that it leads to."""
    return carries(name, count) or (not unit.kinds and carries(unit.symbol.split("/")[0], count))


def _whole(function: str, found: Measure, at: int) -> None:
    """What is rounded up or down to whole ones has to say which ones: whole hours, or whole seconds?"""
    if function in ("ceil", "floor") and any(kind not in ("gpu", "node") for kind, _ in found.kinds):
        right = f"divide by a unit first, as in `{function}(time / 1 hour) * 1 hour`"
        raise Refusal(f"`{function}` of {kind_words(found.kinds)} depends on the unit", right, at)


def _powered(parts: list[Measure], at: int) -> Measure:
    """A power has no unit, and is of something without one: of a ratio, or of a count."""
    for part in parts:
        if part.kinds:
            raise Refusal(f"`power` of {kind_words(part.kinds)}", "divide by what it is compared with", at)
    return Measure((), ())


def _added(
    terms: Sequence[Expression], parts: list[Measure], units: Mapping[str, tuple[Unit, str]], at: int
) -> Measure:
    """`1 + x` means a share: an input there is written with its `%` or `x`, so that 10 is never taken for 10%."""
    if any(part.bare for part in parts):
        for term in terms:
            if isinstance(term, Name) and not units[term.name][0].kinds and not units[term.name][1]:
                right = "write its value with `%` (10%) or `x` (1.1x)"
                raise Refusal(f"`{term.name}` is added to a bare number", right, term.at)
    return _alike(parts, at)


def _alike(parts: list[Measure], at: int) -> Measure:
    first = parts[0]
    for part in parts[1:]:
        if part.kinds != first.kinds:
            wrong = f"{kind_words(first.kinds)} and {kind_words(part.kinds)} are put together"
            raise Refusal(wrong, "both sides must measure the same", at)
    counts = [dict(part.counts) for part in parts]
    shared = {
        count: min(one.get(count, 0) for one in counts) for count in sorted({name for one in counts for name in one})
    }
    return Measure(first.kinds, combine((), tuple(shared.items())), all(part.bare for part in parts))


def check_target(found: Measure, target: Unit) -> None:
    """Refuses a result that does not measure what its key says, or that leaves a count below."""
    if found.kinds != target.kinds:
        gpu_missing = combine(target.kinds, found.kinds, -1) == (("gpu", 1),)
        right = "multiply by the number of GPUs" if gpu_missing else "look for a factor that is missing or too many"
        raise Refusal(f"this gives {kind_words(found.kinds)}, its key asks for {kind_words(target.kinds)}", right)
    given, wanted = dict(found.counts), dict(target.counts)
    for count, exponent in found.counts:
        if exponent < min(wanted.get(count, 0), 0):
            right = f"multiply by what counts each {count}, or look for a misspelt `_per_{count}`"
            raise Refusal(f"`per {count}` is left over", right)
    for count, exponent in target.counts:
        if given.get(count, 0) != exponent:
            right = f"divide by what counts each {count}, or rename the key"
            raise Refusal(f"its key says per {count}, the formula does not", right)


def counted_words(units: Mapping[str, tuple[Unit, str]], target: Unit = PLAIN) -> frozenset[str]:
    """The words that stand after `per` in an expression: names that end in one of them count it."""
    below = [count for unit, _ in units.values() for count, exponent in unit.counts if exponent < 0]
    return frozenset(below + [count for count, _ in target.counts])
