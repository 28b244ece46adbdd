"""Conditions on columns, in the forms that engines work out fastest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from reckon.language.lazy import late

if TYPE_CHECKING:
    import ibis as ibis
else:
    ibis = late("ibis")  # takes part of a second to load, and few imports need it


def is_one_of(column: Any, values: Iterable[Any]) -> Any:
    """Whether a column has one of some values; none has one of none.

    A list of comparisons: DuckDB makes a join, with a table of its own, of each `IN` with more than two values.
    """
    return ibis.or_(*(column == value for value in values))
