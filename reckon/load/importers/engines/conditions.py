"""Conditions on columns, in the forms that engines work out fastest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def is_one_of(column: Any, values: Iterable[Any]) -> Any:
    """Whether a column has one of some values; none has one of none.

    A list of comparisons: DuckDB makes a join, with a table of its own, of each `IN` with more than two values.
    """
    import ibis

    return ibis.or_(*(column == value for value in values))


def fits_if(condition: Any, text: Any, pattern: str) -> Any:
    """Whether a text fits a pattern, which is looked for only where a cheaper condition holds that every text that
    fits meets."""
    return condition.ifelse(text.re_search(pattern), False)


def strip(text: Any) -> Any:
    """A text without white space at its ends, which few texts have: to look for it is faster than to take it away."""
    import ibis

    spaces = ibis.or_(*(text.contains(sign) for sign in " \t\n\r\v\f"))
    return spaces.ifelse(text.strip(), text)
