"""Rows of measured numbers: each a map of columns, all with the same ones; the column carries the unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def whole_of(total: Sequence[str]) -> str:
    """The name of the column that holds the whole of each row: `total_seconds`; empty where no columns are summed."""
    if not total:
        return ""
    words, kinds = total[0].split("_"), key_unit(total[0]).kinds
    size = next((n for n in range(1, len(words) + 1) if key_unit("_".join(words[-n:])).kinds == kinds), 1)
    return "_".join(["total", *words[-size:]])


def not_summed(total: Sequence[str], rows: Sequence[Row]) -> Iterator[Problem]:
    """What is wrong with the columns that are to make the whole of each row."""
    columns = list(rows[0].values) if rows else []
    for number, name in enumerate(total):
        if name not in columns:
            right = nearest(name, columns) or "name columns of `rows`"
            yield Problem(place_of(name), f"the rows have no column `{name[:60]}` to sum", right)
        elif name in total[:number]:
            yield Problem(place_of(name), f"`{name}` is summed twice", "name each column once")
        elif _measures(name) != _measures(total[0]):
            right = "sum columns of one kind, as times"
            yield Problem(place_of(name), f"`{name}` does not measure what `{total[0]}` does", right)
    if (whole := whole_of(total)) in columns:
        right = f"leave `{whole}` out of the rows, or leave out `total`"
        yield Problem(place_of(total[0]), f"the rows have a column `{whole}` already, which this sums to", right)


def _measures(name: str) -> object:
    unit = key_unit(name)
    return unit.kinds, unit.counts


_COLUMNS: dict[str, Any] = {"type": "object", "additionalProperties": NUMBER_OR_TEXT}
Rows = Annotated[
    tuple[Row, ...],
    PlainValidator(read_rows),
    WithJsonSchema({"type": "array", "items": _COLUMNS}),
]
