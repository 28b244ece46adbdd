"""Which stated figures only follow from others of the same document, by its own arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from msgspec import structs

from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.model.figure import Figure, Figures, closure, planned

from .carried import (
    Carried,
    Statement,
    agrees,
    base_of,
    carried,
    is_below,
    is_share,
    off,
    rounding_of,
    same_value,
    shared,
    step_of,
)
from .claims import AGAIN, ARITHMETIC, CARRIED, DIVIDED, SLIGHT, Check, Checks
from .slips import UP, decimals_of, row_title

MOST_TRIED = 12
"""How many choices are tried among the values that a document states of one figure."""
LEAST_ROUNDED, MOST_ROUNDED = 3, 3
"""So many rows of a column have to be rounded up before it is told, and so many others are named."""
LEAST_ROWS = 3
"""Of so many figures at least, numbers below each other tell in which steps they are printed."""
MOST_CHECKS = 2_000
"""Of so many stated figures that do not agree, the first are traced."""

_Stated = dict[str, list[Statement]]


def traced(checks: Checks, figures: Figures) -> list[Check]:
    """The checks, each that does not hold with what it follows from.

    It follows where the document's other stated figures give it: by the formula of the figure, by dividing what fewer
    GPUs take, or as the same figure stated again. Where none of these is wrong itself, it follows from right ones; who
    is off by a tenth or more is wrong all the same.
    """
    documents = group_by(_in_steps(checks), lambda statement: checks[statement.position].claim.document)
    found = list(checks)
    left = MOST_CHECKS
    for statements in documents.values():
        wrong = [statement for statement in statements if not statement.holds]
        if wrong:
            by_figure = group_by(statements, lambda statement: statement.figure.address)
            for statement in wrong[:left]:
                judged = _judged(checks[statement.position], statement, by_figure, figures)
                found[statement.position] = _rounded_up(judged, statement, statements, by_figure)
            left = max(0, left - len(wrong))
    return found


def _statement(position: int, check: Check) -> Statement:
    """What a check holds against a figure, with its tolerances in the unit in which it was written."""
    figure = check.figure
    stated = check.stated
    at = check.claim.at.rpartition(",")[0] or check.claim.at
    scale = figure.unit.scale / stated.unit.scale
    whole = stated if stated.value.exact else replace(stated, leaves={figure.address: 1})
    named = replace(whole, address=figure.address, title=figure.title)
    return Statement(position, figure, named, check.low * scale, check.high * scale, at, check.holds)


def _in_steps(checks: Checks) -> list[Statement]:
    """What is stated, each within half of the step of its column where that is less than half of its last digit: who
    prints 3.25, 4.5 and 8 in one column prints quarters."""
    every = [_statement(position, check) for position, check in enumerate(checks)]
    columns: dict[tuple[str, ...], list[int]] = {}
    for position, check in enumerate(checks):
        if check.stated.value.exact and check.stated.use:
            columns.setdefault((check.claim.document, *_column(every[position])), []).append(position)
    for rows in columns.values():
        if len({every[row].figure.address for row in rows}) < LEAST_ROWS:
            continue
        half = step_of([every[row].stated.use or ZERO for row in rows]) / 2
        for row in rows:
            if "~" not in str(checks[row].claim.states):
                every[row] = structs.replace(every[row], low=min(every[row].low, half), high=min(every[row].high, half))
    return every


def _judged(check: Check, target: Statement, stated: _Stated, figures: Figures) -> Check:
    """A check that does not hold, with what it follows from, or with what its document gives instead."""
    for earlier in stated[target.figure.address]:
        if earlier.position < target.position and not earlier.holds and same_value(earlier, target):
            return structs.replace(check, after=(earlier.position,), way=AGAIN, slip="")
    near: list[tuple[bool, bool, Fraction, Carried]] = []
    for found, instead in _found(target, stated, figures):
        wrong = tuple(statement.position for statement in found.used if not statement.holds)
        way = DIVIDED if is_share(found) else CARRIED if wrong else ARITHMETIC if check.off < SLIGHT else ""
        if agrees(target, found):
            return structs.replace(check, own=_beside(check, found), after=wrong, way=way, slip="")
        # Several GPUs cannot take less than what one takes, divided among them, even where that one agrees.
        bound = is_share(found) and is_below(target, found)
        near += [(instead, not bound, off(target, found), found)] if wrong or bound else []
    # What stands in the same table, or first, was calculated with; another value only where the sum proves it.
    best = min(near, key=lambda each: each[:3], default=None)
    if best is None:
        return check
    return structs.replace(check, own=_beside(check, best[3]), slip=_part_alone(target, best[3], stated))


def _part_alone(target: Statement, found: Carried, stated: _Stated) -> str:
    """That what is stated of several GPUs is a part of what fewer take, divided among all, without the other parts;
    empty where it is not. Such a part is stated in the same record, and more than half of the whole."""
    if not is_share(found):
        return ""
    (whole,) = found.used
    size = planned(whole.stated)
    share = planned(found.figure)
    times = size / share if share else ZERO
    record = whole.base.rpartition(".")[0]
    addresses = {part.address for part in closure(whole.figure) if part.address.rpartition(".")[0] == record}
    parts = [stated[at][0] for at in sorted(addresses) if at in stated and stated[at][0].base != whole.base]
    parts = [
        part for part in parts if part.figure.unit.kinds == whole.figure.unit.kinds and planned(part.stated) < size
    ]
    for part in parts:
        near = target.stated.unit.to_base(target.low) * times
        amount = planned(part.stated)
        if 2 * amount > size and abs(planned(target.stated) * times - amount) < near:
            of, _, name = part.figure.title.rpartition(": ")
            rest = " and ".join(other.figure.title.rpartition(": ")[2] for other in parts if other is not part)
            much = f"{float(part.stated.use or 0):g} {part.stated.unit.symbol}"
            return (
                f"it is the {name} alone{f' of {of}' if of else ''}, {much}, divided by {float(times):g}"
                f"{f': {rest} left out' if rest else ''}"
            )
    return ""


def _rounded_up(check: Check, target: Statement, statements: Sequence[Statement], stated: _Stated) -> Check:
    """A check that nothing explains, where its column was rounded up: it and two rows more at least are what the next
    digit makes of what is stated beside them."""
    if check.way or check.slip or check.own or not check.stated.value.exact:
        return check
    column = [each for each in statements if _column(each) == _column(target)]
    above = {each.position: each for each in column if _is_above(each, stated)}
    if target.position not in above or len(above) < LEAST_ROUNDED:
        return check
    others = [row_title(each.figure.title) for each in above.values() if each is not target]
    own = carried(target.figure, _given(target, stated))
    as_well = f", as that of {' and of '.join(others[:MOST_ROUNDED])} was"
    return structs.replace(check, own=_beside(check, own) if own else None, slip=UP + as_well)


def _column(statement: Statement) -> tuple[str, str, str]:
    return statement.at, statement.figure.address.rpartition(".")[2], statement.stated.unit.symbol


def _is_above(target: Statement, stated: _Stated) -> bool:
    """Whether what is stated is more than its rounding above what is stated beside it gives, and no whole digit."""
    given = _given(target, stated)
    found = carried(target.figure, given) if target.stated.value.exact else None
    if (
        found is None
        or found.figure.use is None
        or target.stated.use is None
        or any(statement.at != target.at for statement in found.used if not statement.is_input)
    ):
        return False
    unit = found.figure.unit
    half = target.low * target.stated.unit.scale / unit.scale
    over = unit.from_base(target.stated.unit.to_base(target.stated.use)) - found.figure.use
    return half + rounding_of(target.figure, given, found) < over < 2 * half


def _given(target: Statement, stated: _Stated) -> dict[str, Statement]:
    """What a document states of each figure; of several values the one that stands in the table of a target."""
    given = {at: _first(target, some) for at, some in stated.items()}
    # Who states a value to plan with calculates with it.
    return given | {base_of(at): one for at, one in given.items() if at.endswith(".use") and base_of(at) not in given}


def _beside(check: Check, found: Carried) -> Figure:
    """What stated figures give, to as many digits as are stated; it has no address, since no page derives it."""
    decimals = decimals_of(str(check.claim.states))
    if is_share(found) and found.figure.use and (100 * found.figure.use).denominator == 1:
        decimals = max(decimals, 0 if (10 * found.figure.use).denominator == 1 else 2)  # a quarter of 49 is 12.25
    return replace(found.figure, address="", decimals=decimals if decimals > 1 else None)


def _found(target: Statement, stated: _Stated, figures: Figures) -> Iterator[tuple[Carried, bool]]:
    """What stated figures give for one: by its formula, each value stated of an operand in turn; then by dividing. Each
    with whether it takes another value than that of the same table, or the first that is stated."""
    given = _given(target, stated)
    whole = carried(target.figure, given)
    if whole:
        yield whole, False
        tried = 0
        # Who has an operand in the same table calculates with that one.
        for used in (used for used in whole.used if used.at != target.at):
            for other in stated[used.figure.address]:
                if other is not used and other.stated.value != used.stated.value and tried < MOST_TRIED:
                    tried += 1
                    again = carried(target.figure, {**given, used.figure.address: other, used.base: other})
                    if again:
                        yield again, True
        # A document may state one amount twice, and calculate with that which the ledger has.
        for used in whole.used:
            if not used.holds and used.figure.is_stated:
                again = carried(target.figure, {at: one for at, one in given.items() if one is not used})
                if again:
                    yield again, True
    yield from ((found, False) for found in islice(shared(target, stated, figures), MOST_TRIED))


def _first(target: Statement, some: list[Statement]) -> Statement:
    """What is stated in the same table, else what is stated first."""
    return next((statement for statement in some if statement.at == target.at), some[0])
