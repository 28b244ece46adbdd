"""What a field allows: what divides is above zero, a share is at most the whole, a list names each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from pydantic import ValidationInfo

from reckon.language.quantity import Quantity

from .amounts import AmountValue, read_amount, read_ratio, read_under
from .problem import Problem
from .scalars import complain, wrong

T = TypeVar("T")


def _zeros(*found: AmountValue) -> Iterator[Problem]:
    """A problem for each quantity that is zero, or has a low end that is. What a formula gives is not known yet."""
    for one in found:
        if isinstance(one, Quantity) and one.value.low == 0:
            yield Problem(one.place, f"`{one.text}` is not above zero", "write more than zero")


def read_above(raw: object, info: ValidationInfo) -> AmountValue:
    """A quantity in the unit that the field's own name carries; above zero."""
    found = read_amount(raw, info)
    if problems := list(_zeros(found)):
        raise wrong(problems)
    return found


def read_rates(raw: object, info: ValidationInfo) -> dict[str, AmountValue]:
    """A map under a unit key, which gives each entry its unit; all are above zero."""
    found = read_under(raw, info)
    if problems := list(_zeros(*found.values())):
        raise wrong(problems)
    return found


def read_efficiency(raw: object) -> AmountValue:
    """A share of what is perfect: above zero, and at most 100%."""
    found = read_ratio(raw)
    if problems := list(_zeros(found)):
        raise wrong(problems)
    if isinstance(found, Quantity) and any(end is not None and end > 1 for end in (found.value.use, found.value.high)):
        raise complain(raw, f"`{found.text}` is more than a perfect speed-up", "write a share of at most 100%")
    return found


def read_share(raw: object) -> AmountValue:
    """A share of a whole: from 0 to 100%."""
    found = read_ratio(raw)
    if isinstance(found, Quantity) and any(end is not None and end > 1 for end in (found.value.use, found.value.high)):
        raise complain(raw, f"`{found.text}` is more than the whole", "write a share of at most 100%")
    return found


def read_once(found: Sequence[T]) -> Sequence[T]:
    """A list that is not empty, and has nothing in it twice."""
    if not found:
        raise complain(found, "nothing is listed here", "write one or more, or leave the key out")
    for number, one in enumerate(found):
        if one in found[:number]:
            raise complain(one, f"`{one}` is listed twice", "name each once")
    return found
