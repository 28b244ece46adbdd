"""The types of the fields of records: how each is read, and what an editor is told about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from msgspec import Struct
from pydantic import AfterValidator, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from reckon.language.expression import Comparison, Formula, Logic
from reckon.language.quantity import Quantity, read_quantity
from reckon.language.text import Place, Text, place_of
from reckon.language.units import key_unit

from . import amounts, scalars, shares
from .amounts import AmountValue, Setting, amount, each_of, read_formula
from .fields import ReadBy
from .finding import Problem, nearest
from .scalars import Wrong, attempt, complain, read_text, scalar

MOST_SEEDS = 1000
MOST_ROWS = 100_000


class Seeds(Struct, frozen=True):
    """The seeds of a project by name; `3` means 1, 2 and 3."""

    names: tuple[str, ...]
    quantity: Quantity


def read_seeds(raw: object) -> Seeds:
    """A whole number of seeds from 1 to 1000, or a list of their names."""
    if isinstance(raw, list | tuple):
        return _listed_seeds(raw, [read_text(name) for name in raw])
    text = scalar(raw)
    if text.startswith("["):
        right = "write their number; put a list in project.yaml, without quotes"
        raise complain(text, f"`{text[:40]}` is a text, not a list of seeds", right)
    scalars.refuse_grouped(text)
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text) or int(text) > MOST_SEEDS:
        right = f"write a whole number from 1 to {MOST_SEEDS}, or a list `[0, 1, 2]`"
        raise complain(text, f"`{text[:40]}` is not a number of seeds", right)
    return Seeds(tuple(str(n) for n in range(1, int(text) + 1)), read_quantity(text, key_unit("seeds"), place_of(text)))


def _listed_seeds(raw: object, texts: list[Text]) -> Seeds:
    if not texts or len(texts) > MOST_SEEDS:
        raise complain(raw, f"this lists {len(texts)} seeds", f"name 1 to {MOST_SEEDS} seeds, or remove `seeds`")
    for index, text in enumerate(texts):
        # A seed is part of an address: plan.sft.seeds.1.actual.
        if not re.fullmatch(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*", text):
            raise complain(
                text, f"`{text[:40]}` is not a name for a seed", "use letters, digits, `_` and single dashes"
            )
        if text in texts[:index]:
            raise complain(text, f"seed `{text}` is listed twice", "name each seed once")
    count = Text(str(len(texts)), place_of(raw))
    return Seeds(tuple(str(text) for text in texts), read_quantity(count, key_unit("seeds"), place_of(raw)))


class RefersTo(Struct, frozen=True):
    """Marks a field whose text is the id of another record; `kind` says in which collection."""

    kind: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The words of the tree, where the text is no more than the id."""
        told = handler(schema)
        return takes(self.kind) if told == _TEXT else told


class Required(Struct, frozen=True):
    """A condition as it stands in a ledger."""

    formula: Formula
    place: Place


def read_condition(raw: object) -> Required:
    """A condition in the expression language: a comparison, or several joined by `and`, `or`, `not`."""
    formula = read_formula(raw)
    if not isinstance(formula.tree, Comparison | Logic):
        right = "compare two figures, such as `forecast.p90 <= ceiling`"
        raise complain(raw, f"`{formula.text[:60]}` is not a condition", right)
    return Required(formula, place_of(raw))


@dataclass(frozen=True, slots=True)
class Counted:
    """A whole number from one upwards, with its place."""

    number: int
    place: Place = field(compare=False)

    def __str__(self) -> str:
        return str(self.number)


def read_count(raw: object) -> Counted:
    """How many of something there are."""
    return Counted(scalars.read_whole(1, raw), place_of(raw))


def read_whole_quantity(key: str, raw: object) -> Quantity:
    """How many runs something takes, or how many GPUs a run: a whole number from one upwards."""
    scalars.read_whole(1, raw)
    found = amount(raw, key_unit(key))
    assert isinstance(found, Quantity)
    return found


class MeasuredRow(Struct, frozen=True):
    """One row: a number for each column, in the unit that the column carries, and its place."""

    values: Mapping[str, Quantity]
    place: Place


def read_rows(raw: object) -> tuple[MeasuredRow, ...]:
    """A list of rows with the same columns, each a single number that is not negative."""
    if not isinstance(raw, list | tuple):
        right = "write `- {generation_seconds: 28.1, output_tokens: 86}` lines below the key"
        raise complain(raw, "a list of rows is expected here", right)
    if not raw or len(raw) > MOST_ROWS:
        right = f"write 1 to {MOST_ROWS:,} rows, or remove `rows`"
        raise complain(raw, f"this lists {len(raw):,} rows", right)
    problems: list[Problem] = []
    rows: list[MeasuredRow] = []
    for row in raw:
        values = attempt(problems, each_of, row, _number)
        rows += [MeasuredRow(values, place_of(row))] if values is not None else []
    problems += [problem for row in rows for problem in _unlike(row, list(rows[0].values))]
    if problems:
        raise Wrong(problems)
    return tuple(rows)


def _number(key: str, raw: object) -> Quantity:
    found = amount(raw, key_unit(key))
    if not isinstance(found, Quantity) or not found.value.exact or found.value.use is None:
        raise complain(raw, f"`{key}` of a measurement must be one number", "write the measured number")
    if found.value.use < 0:
        raise complain(raw, f"`{found.text}` is negative", "write zero or more")
    return found


def _unlike(row: MeasuredRow, columns: list[str]) -> list[Problem]:
    """A column that only some rows have: its mean would not be that of all rows."""
    same = "give all rows the same columns"
    for key in row.values:
        if key not in columns:
            return [Problem(place_of(key), f"the first row has no `{key}`", nearest(key, columns) or same)]
    missing = [column for column in columns if column not in row.values]
    return [Problem(row.place, f"this row has no `{missing[0]}`", same)] if missing else []


def whole_of(total: Sequence[str]) -> str:
    """The name of the column that holds the whole of each row: `total_seconds`; empty where no columns are summed."""
    if not total:
        return ""
    words, kinds = total[0].split("_"), key_unit(total[0]).kinds
    size = next((n for n in range(1, len(words) + 1) if key_unit("_".join(words[-n:])).kinds == kinds), 1)
    return "_".join(["total", *words[-size:]])


def not_summed(total: Sequence[str], rows: Sequence[MeasuredRow]) -> Iterator[Problem]:
    """What is wrong with the columns that are to make the whole of each row."""
    columns = list(rows[0].values) if rows else []
    for number, name in enumerate(total):
        if name not in columns:
            right = nearest(name, columns) or "name columns of `rows`"
            yield Problem(place_of(name), f"the rows have no column `{name[:60]}` to sum", right)
        elif name in total[:number]:
            yield Problem(place_of(name), f"`{name}` is summed twice", "name each column once")
        elif (key_unit(name).kinds, key_unit(name).counts) != (key_unit(total[0]).kinds, key_unit(total[0]).counts):
            right = "sum columns of one kind, such as times"
            yield Problem(place_of(name), f"`{name}` does not measure what `{total[0]}` does", right)
    if (whole := whole_of(total)) in columns:
        right = f"remove `{whole}` from the rows, or remove `total`"
        yield Problem(place_of(total[0]), f"the rows already have a column `{whole}`, the sum of these", right)


def takes(grammar: str) -> dict[str, str]:
    """What an editor is told of a field: the name of what it takes, which `scripts/grammar.py` spells out."""
    return {"type": "string", "grammar": grammar}


def _map_of(grammar: str, keys: str = "id") -> dict[str, Any]:
    return {"type": "object", "propertyNames": takes(keys), "additionalProperties": takes(grammar)}


_TEXT = takes("text")
_BY_CARD = "catalog.gpus"
_COLUMNS = {"type": "object", "additionalProperties": takes("number")}

Words = Annotated[Text, ReadBy(read_text, _TEXT)]
Seed = Annotated[Text, ReadBy(read_text, takes("seeds"))]
Reference = Annotated[Text, ReadBy(scalars.read_reference, _TEXT)]
ColumnField = Annotated[Text, ReadBy(scalars.read_column_field, _TEXT)]
UnitWords = Annotated[Text, ReadBy(scalars.read_unit, {"type": "string"})]
Id = Annotated[str, ReadBy(scalars.read_id, takes("id"))]
Name = Annotated[Text, ReadBy(scalars.input_key, takes("name"))]
_NOTES = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
Notes = Annotated[tuple[Text, ...], ReadBy(scalars.read_notes, _NOTES)]
Flag = Annotated[bool, ReadBy(scalars.read_flag, takes("flag"))]
Date = Annotated[Text, ReadBy(scalars.read_date, takes("date"))]
Moment = Annotated[Text, ReadBy(scalars.read_time, takes("moment"))]
Amounted = Annotated[AmountValue, ReadBy(amounts.read_amount, takes("amount"))]
Above = Annotated[AmountValue, ReadBy(amounts.read_above, takes("above"))]
GpuHours = Annotated[AmountValue, ReadBy(amounts.read_gpu_hours, takes("gpu-hours"))]
_CEILING = {"anyOf": [takes("limit"), {"type": "array", "items": takes("limit"), "minItems": 1, "maxItems": 2}]}
HoursCeiling = Annotated[AmountValue, ReadBy(amounts.read_ceiling_of_hours, _CEILING)]
MoneyCeiling = Annotated[AmountValue, ReadBy(amounts.read_ceiling_of_money, _CEILING)]
Ratio = Annotated[AmountValue, ReadBy(amounts.read_ratio, takes("ratio"))]
Efficiency = Annotated[AmountValue, ReadBy(amounts.read_efficiency, takes("efficiency"))]
Share = Annotated[AmountValue, ReadBy(amounts.read_share, takes("share"))]
Pue = Annotated[AmountValue, ReadBy(amounts.read_pue, takes("pue"))]
_FACILITY = RefersTo("catalog.facilities")
_NAMED_PUE = {"anyOf": [takes("pue"), takes(_FACILITY.kind)]}
NamedPue = Annotated[AmountValue | Text, ReadBy(amounts.read_named_pue, _NAMED_PUE), _FACILITY]
OnePue = Annotated[Fraction | Text, ReadBy(amounts.read_pue_of_run, _NAMED_PUE), _FACILITY]
Chance = Annotated[Quantity, ReadBy(shares.read_chance, takes("chance"))]
Condition = Annotated[Required, ReadBy(read_condition, takes("condition"))]
_WHOLE = takes("count")
Days = Annotated[int, ReadBy(partial(scalars.read_whole, 1), _WHOLE)]
Line = Annotated[int, ReadBy(partial(scalars.read_whole, 1), _WHOLE)]
Count = Annotated[Counted, ReadBy(read_count, _WHOLE)]
RunCount = Annotated[Quantity, ReadBy(partial(read_whole_quantity, "runs"), _WHOLE)]
GpusPerRun = Annotated[Quantity, ReadBy(partial(read_whole_quantity, "gpus_per_run"), _WHOLE)]
SomeRuns = Annotated[AmountValue, ReadBy(amounts.read_some_runs, takes("above"))]
Draw = Annotated[int, ReadBy(partial(scalars.read_whole, 0), takes("whole"))]
Exactly = Annotated[Fraction, ReadBy(amounts.read_number, takes("number"))]
Positive = Annotated[Fraction, ReadBy(amounts.read_positive, takes("positive"))]
Signed = Annotated[Fraction, ReadBy(amounts.read_signed, takes("signed"))]
Lasting = Annotated[Fraction, ReadBy(shares.read_lasting, takes("lasting"))]
Charged = Annotated[Fraction, ReadBy(shares.read_charged, takes("charged"))]
HeldGpus = Annotated[Fraction, ReadBy(shares.read_held, takes("held"))]
Free = Annotated[dict[str, AmountValue], ReadBy(amounts.read_free, _map_of("quantity"))]
One = Annotated[dict[str, AmountValue], ReadBy(amounts.read_one, _map_of("quantity"))]
_PARTS = {"anyOf": [{"type": "object", "additionalProperties": _TEXT}, {"type": "array", "items": _TEXT}]}
Parts = Annotated[dict[str, Text] | tuple[Text, ...], ReadBy(amounts.read_parts, _PARTS)]
Under = Annotated[dict[str, AmountValue], ReadBy(amounts.read_under, _map_of("amount"))]
ByCard = Annotated[dict[str, AmountValue], ReadBy(amounts.read_under, _map_of("amount", _BY_CARD))]
CountsAs = Annotated[dict[str, AmountValue], ReadBy(amounts.read_under, _map_of("counts-as"))]
Rates = Annotated[dict[str, AmountValue], ReadBy(amounts.read_rates, _map_of("above"))]
Once = AfterValidator(amounts.read_once)
_SETTING = {"anyOf": [takes("quantity"), _TEXT, {"type": "array", "items": _TEXT}]}
_SETTINGS = {"type": "object", "additionalProperties": _SETTING}
Settings = Annotated[dict[str, Setting], ReadBy(amounts.read_settings, _SETTINGS)]
SeedNames = Annotated[Seeds, ReadBy(read_seeds, takes("seed-list"))]
Rows = Annotated[tuple[MeasuredRow, ...], ReadBy(read_rows, {"type": "array", "minItems": 1, "items": _COLUMNS})]
