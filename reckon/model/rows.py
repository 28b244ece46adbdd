"""Rows of measured numbers: each a map of columns, all with the same ones; the column carries the unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from reckon.language.quantity import Quantity
from reckon.language.text import Place, place_of
from reckon.language.units import key_unit, kind_words

from .amounts import amount, each_of
from .problem import Problem, nearest
from .scalars import complain
from .scalars import wrong as refusal
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
        raise refusal(problems)
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


def whole_name(total: Sequence[str]) -> str:
    """The name of the column that holds the whole of each row: `total_seconds`; empty where no columns are summed."""
    if not total:
        return ""
    first = str(total[0])
    words, kinds = first.split("_"), key_unit(first).kinds
    size = next((n for n in range(1, len(words) + 1) if key_unit("_".join(words[-n:])).kinds == kinds), 1)
    return "_".join(["total", *words[-size:]])


def check_total(total: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """The columns whose sum is the whole of a row: there once each, of one kind, and none called as the sum is."""
    rows: tuple[Row, ...] | None = info.data.get("rows")
    if rows is None or not total:  # the rows were refused themselves
        return total
    columns = list(rows[0].values) if rows else []
    problems = []
    for number, name in enumerate(total):
        first, own = key_unit(total[0]), key_unit(name)
        if name not in columns:
            right = nearest(name, columns) or "name columns of the rows"
            problems.append(Problem(place_of(name), f"the rows have no column `{name}`", right))
        elif name in total[:number]:
            problems.append(Problem(place_of(name), f"`{name}` is summed twice", "name each column once"))
        elif own.kinds != first.kinds:
            wrong = f"`{name}` measures {kind_words(own.kinds)}, `{total[0]}` {kind_words(first.kinds)}"
            problems.append(Problem(place_of(name), wrong, "sum columns of one kind"))
    if not problems and (whole := whole_name(total)) in columns:
        right = "leave it out of the rows, or call it by another name"
        problems.append(Problem(place_of(total[0]), f"the sum would be called `{whole}`, as a column is", right))
    if problems:
        raise refusal(problems)
    return total


_COLUMNS: dict[str, Any] = {"type": "object", "additionalProperties": NUMBER_OR_TEXT}
Rows = Annotated[
    tuple[Row, ...],
    PlainValidator(read_rows),
    WithJsonSchema({"type": "array", "items": _COLUMNS}),
]
