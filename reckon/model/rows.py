"""Rows of measured numbers: each a map of columns, all with the same ones; the column carries the unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from reckon.language.quantity import Quantity
from reckon.language.text import Place, place_of
from reckon.language.units import key_unit

from .amounts import amount, each_of
from .problem import Problem, nearest
from .scalars import complain, wrong
from .values import NUMBER_OR_TEXT

MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """One row: a number for each column, in the unit that the column carries, and its place."""

    values: Mapping[str, Quantity]
    place: Place


def read_rows(raw: object) -> tuple[Row, ...]:
    """A list of rows with the same columns, each a single number that is not negative."""
    if not isinstance(raw, list | tuple):
        right = "write `- {generation_seconds: 28.1, output_tokens: 86}` lines below the key"
        raise complain(raw, "a list of rows is expected here", right)
    if not raw or len(raw) > MOST_ROWS:
        right = f"write 1 to {MOST_ROWS:,} rows, or leave `rows` out"
        raise complain(raw, f"this lists {len(raw):,} rows", right)
    problems: list[Problem] = []
    rows: list[Row] = []
    for one in raw:
        try:
            rows.append(Row(each_of(one, _number), place_of(one)))
        except PydanticCustomError as error:
            problems += (error.context or {})["problems"]
    problems += [problem for row in rows for problem in _unlike(row, list(rows[0].values))]
    if problems:
        raise wrong(problems)
    return tuple(rows)


def _number(key: str, raw: object) -> Quantity:
    found = amount(raw, key_unit(key))
    if not isinstance(found, Quantity) or not found.value.exact or found.value.use is None:
        raise complain(raw, f"`{key}` of what was measured is one number", "write the number that was measured")
    if found.value.use < 0:
        raise complain(raw, f"`{found.text}` is negative", "write zero or more")
    return found


def _unlike(row: Row, columns: list[str]) -> list[Problem]:
    """A column that only some rows have: the mean of what is there would not be that of all."""
    for key in row.values:
        if key not in columns:
            right = nearest(key, columns) or "give all rows the same columns"
            return [Problem(place_of(key), f"the first row has no `{key}`", right)]
    missing = [one for one in columns if one not in row.values]
    return [Problem(row.place, f"this row has no `{missing[0]}`", "give all rows the same columns")] if missing else []


_COLUMNS: dict[str, Any] = {"type": "object", "additionalProperties": NUMBER_OR_TEXT}
Rows = Annotated[
    tuple[Row, ...],
    PlainValidator(read_rows),
    WithJsonSchema({"type": "array", "items": _COLUMNS}),
]
