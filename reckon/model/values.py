"""The types of a record's fields: each reads its text and says, at the place, what is wrong with it."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, TypeVar

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from reckon.language.expression import Formula
from reckon.language.parser import read_expression
from reckon.language.quantity import Quantity, Value, read_quantity
from reckon.language.text import NOWHERE, Place, Refusal, Text, place_of
from reckon.language.units import GPU_HOURS, PLAIN, Unit, key_unit

from .problem import Problem, nearest, refused

RESERVED = ("low", "use", "high", "formula")
NUMBER_OR_TEXT: dict[str, Any] = {"type": ["number", "string"]}


@dataclass(frozen=True, slots=True)
class Derived:
    """A quantity that a formula in the ledger gives: the formula, its own inputs, the unit its key asks for."""

    formula: Formula
    inputs: Mapping[str, Amount]
    unit: Unit
    place: Place = NOWHERE
    formula_place: Place = NOWHERE


AmountValue = Quantity | Derived
Amount = AmountValue
Setting = AmountValue | Text | tuple[Text, ...]


def wrong(problems: list[Problem]) -> PydanticCustomError:
    """Problems as the error that a validator raises; the reader takes them out again."""
    return PydanticCustomError("ledger", "not valid", {"problems": problems})


def complain(text: object, what: str, right: str = "") -> PydanticCustomError:
    """One problem at the place of a text."""
    return wrong([Problem(place_of(text), what, right)])


def scalar(raw: object) -> Text:
    """The text of a scalar; a map or list there is refused."""
    if isinstance(raw, str):
        return raw if isinstance(raw, Text) else Text(raw)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return Text(str(raw))
    raise complain(raw, "a single value is expected here", "write it on the same line as the key")


def read_text(raw: object) -> Text:
    """Non-empty text of at most 20,000 characters."""
    text = scalar(raw)
    if not text.strip():
        raise complain(text, "the text is empty", "write it, or leave the key out")
    if len(text) > 20_000:
        raise complain(text, "the text is longer than 20,000 characters", "put it into a file under prose/")
    return text


ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def read_id(raw: object) -> Text:
    """An id: small letters, digits and single dashes, a letter first, at most 80 characters."""
    text = scalar(raw)
    if not ID.fullmatch(text) or len(text) > 80:
        better = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80]
        hint = f"write `{better}`" if ID.fullmatch(better) else "begin with a small letter; small letters, digits and single dashes"
        raise complain(text, f"`{text[:40]}` is no id", hint)
    if text in RESERVED:
        raise complain(text, f"`{text}` is a word of the language", "choose another id")
    return text


def read_notes(raw: object) -> tuple[Text, ...]:
    """One note, or a list of notes."""
    return tuple(read_text(one) for one in raw) if isinstance(raw, list | tuple) else (read_text(raw),)


def read_flag(raw: object) -> bool:
    """`true` or `false`."""
    text = scalar(raw)
    if text not in ("true", "false"):
        raise complain(text, f"`{text}` is neither true nor false", "write `true` or `false`")
    return text == "true"


def read_date(raw: object) -> Text:
    """A day, month or year that exists: 2025-08-13, 2026-01, 2022."""
    text = scalar(raw)
    found = re.fullmatch(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", text)
    if not found:
        raise complain(text, f"`{text[:40]}` is no date", "write a day as `2025-08-13`, a month as `2025-08`")
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    if month is not None and not 1 <= month <= 12 or day is not None and not 1 <= day <= monthrange(year, month or 1)[1]:
        raise complain(text, f"there is no {text}", "look at the calendar")
    return text


def read_time(raw: object) -> Text:
    """A date, or a date with a time of day and an optional offset: 2025-09-03T14:30, 2025-09-03 14:30:00+02:00."""
    text = scalar(raw)
    day, _, clock = text.replace("T", " ").partition(" ")
    read_date(Text(day, place_of(text)))
    if clock and not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(Z|[+-]\d\d:\d\d)?", clock.strip()):
        raise complain(text, f"`{clock[:40]}` is no time of day", "write `14:30` or `14:30:00+02:00`")
    return text


def amount(raw: object, unit: Unit) -> AmountValue:
    """A quantity or formula under a key of this unit."""
    if isinstance(raw, Mapping):
        return _formula(raw, unit) if "formula" in raw else _bounds(raw, unit)
    if isinstance(raw, list | tuple):
        raise complain(raw, "a list stands where one quantity is expected", "write a number, a range or a formula")
    text = scalar(raw)
    try:
        return read_quantity(text, unit, place_of(text))
    except Refusal as refusal:
        raise wrong([refused(refusal, text)]) from None


def _bounds(raw: Mapping[str, object], unit: Unit) -> Quantity:
    strange = [key for key in raw if key not in RESERVED]
    if strange or not raw:
        where = strange[0] if strange else raw
        said = f"`{strange[0]}` is not part of a quantity" if strange else "the quantity is empty"
        raise complain(where, said, "write `{low: …, high: …, use: …}`, or `{formula: …, inputs}`")
    ends: dict[str, Fraction | None] = {}
    form = ""
    for key, written in raw.items():
        quantity = amount(written, unit)
        if isinstance(quantity, Derived) or not (quantity.value.exact or quantity.value.unknown):
            raise complain(written, f"`{key}` is one number", "write the number alone")
        ends[key], form = quantity.value.use, quantity.form or form
    low, high = ends.get("low"), ends.get("high")
    use = ends["use"] if "use" in ends else (low + high) / 2 if low is not None and high is not None else None
    known = [end for end in (low, use, high) if end is not None]
    if known != sorted(known):
        raise complain(raw, "low, use and high are not in order", "low <= use <= high")
    text = ", ".join(f"{key}: {written}" for key, written in raw.items())
    return Quantity(Value(low, use, high), unit, text, place_of(raw), form)


def _formula(raw: Mapping[str, object], unit: Unit) -> Derived:
    problems: list[Problem] = []
    text = scalar(raw["formula"])
    formula = Formula("", None)  # type: ignore[arg-type]
    try:
        formula = read_expression(text)
    except Refusal as refusal:
        problems.append(refused(refusal, text))
    inputs: dict[str, AmountValue] = {}
    for key, written in raw.items():
        if key == "formula":
            continue
        try:
            inputs[input_key(key)] = amount(written, key_unit(key))
        except PydanticCustomError as error:
            problems += (error.context or {})["problems"]
    if problems:
        raise wrong(problems)
    return Derived(formula, inputs, unit, place_of(raw), place_of(text))


def input_key(key: str) -> Text:
    """The name of a free input: what a formula can call it."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*([-.][A-Za-z0-9_]+)*", key) or len(key) > 80:
        raise complain(key, f"`{key[:40]}` is no name for an input", "small letters, digits and `_`, the unit last: `hours_per_epoch`")
    if key in ("low", "use", "high"):
        raise complain(key, f"`{key}` is a word of the language", "choose another name")
    return key if isinstance(key, Text) else Text(key)


def read_amount(raw: object, info: ValidationInfo) -> AmountValue:
    """A quantity in the unit that the field's own name carries."""
    return amount(raw, key_unit(info.field_name or ""))


def read_gpu_hours(raw: object) -> AmountValue:
    """A quantity in GPU-hours."""
    return amount(raw, GPU_HOURS)


def read_ratio(raw: object) -> AmountValue:
    """A share, which must be written with a percent sign (15%), as a factor (1.3x), or as 0."""
    found = amount(raw, PLAIN)
    if isinstance(found, Quantity) and not found.form and found.value.use:
        shown = f"{float(found.value.use * 100):g}%"
        raise complain(raw, f"`{found.text}` lacks its percent sign", f"write `{shown}`, or `{found.text}%` if that is what was meant")
    return found


def read_number(raw: object, info: ValidationInfo) -> Fraction:
    """One number, not a range, in the unit of the field's name; not negative."""
    found = amount(raw, key_unit(info.field_name or ""))
    if isinstance(found, Derived) or not found.value.exact:
        raise complain(raw, f"`{info.field_name}` of what happened is one number", "write the number that was measured")
    assert found.value.use is not None
    if found.value.use < 0:
        raise complain(raw, f"`{found.text}` is negative", "what was spent is zero or more")
    return found.value.use


def read_free(raw: object, info: ValidationInfo) -> dict[str, AmountValue]:
    """A free map of inputs, each in the unit of its own key."""
    return _each(raw, lambda key, written: amount(written, key_unit(key)))


def read_settings(raw: object, info: ValidationInfo) -> dict[str, Setting]:
    """A free map of settings: a quantity where it reads as one, else text or a list of texts."""
    return _each(raw, setting)


def read_under(raw: object, info: ValidationInfo) -> dict[str, AmountValue]:
    """A map under a unit key, which gives each entry its unit."""
    unit = key_unit(info.field_name or "")
    return _each(raw, lambda key, written: amount(written, unit), read_id)


def setting(key: str, raw: object) -> Setting:
    """One setting: quantities are those texts that read as one."""
    if isinstance(raw, list | tuple):
        return tuple(read_text(one) for one in raw)
    if isinstance(raw, Mapping):
        return amount(raw, key_unit(key))
    text = read_text(raw)
    if not re.match(r"[-<]?\s*\d", text):
        return text
    try:
        return read_quantity(text, key_unit(key), place_of(text))
    except Refusal:
        return text


T = TypeVar("T")


def _each(raw: object, read: Any, name: Any = input_key) -> dict[str, Any]:
    if not isinstance(raw, Mapping):
        raise complain(raw, "a map of names and values is expected here", "write `name: value` lines below the key")
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for key, written in raw.items():
        try:
            found[name(key)] = read(key, written)
        except PydanticCustomError as error:
            problems += (error.context or {})["problems"]
    if problems:
        raise wrong(problems)
    return found


@dataclass(frozen=True, slots=True)
class Seeds:
    """The seeds of a project by name; `3` means 1, 2 and 3."""

    names: tuple[str, ...]
    quantity: Quantity


def read_seeds(raw: object) -> Seeds:
    """A whole number of seeds from 1 to 1000, or a list of their names."""
    if isinstance(raw, list | tuple):
        texts = [read_text(one) for one in raw]
        doubled = next((one for index, one in enumerate(texts) if one in texts[:index]), None)
        if doubled or not texts:
            raise complain(doubled or raw, "the list of seeds names one twice" if doubled else "the list of seeds is empty", "name each seed once")
        count = Text(str(len(texts)), place_of(raw))
        return Seeds(tuple(str(one) for one in texts), read_quantity(count, key_unit("seeds"), place_of(raw)))
    text = scalar(raw)
    if not re.fullmatch(r"[1-9]\d{0,3}", text) or int(text) > 1000:
        raise complain(text, f"`{text[:40]}` is no number of seeds", "write a whole number from 1 to 1000, or a list `[0, 1, 2]`")
    return Seeds(tuple(str(n) for n in range(1, int(text) + 1)), read_quantity(text, key_unit("seeds"), place_of(text)))


@dataclass(frozen=True, slots=True)
class RefersTo:
    """Marks a field whose text is the id of another record; `kind` says in which collection."""

    kind: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """A closed list of words, checked with a hint."""

    words: tuple[str, ...] = field(default=())

    def __call__(self, raw: object) -> Text:
        """The word, if it is one of the list."""
        text = scalar(raw)
        if text not in self.words:
            raise complain(text, f"`{text[:40]}` is not one of the words for this", nearest(text, self.words))
        return text


_AMOUNT_SCHEMA: dict[str, Any] = {
    "description": "a number, a range 8-10, an open range 5+ or <0.1, unknown, {low, high, use}, or {formula, inputs}",
    "anyOf": [NUMBER_OR_TEXT, {"type": "object"}],
}
_MAP_OF_AMOUNTS = {"type": "object", "additionalProperties": _AMOUNT_SCHEMA}
_STRING: dict[str, Any] = {"type": ["string", "number"]}

Words = Annotated[Text, PlainValidator(read_text), WithJsonSchema(_STRING)]
Id = Annotated[Text, PlainValidator(read_id), WithJsonSchema({"type": "string", "pattern": f"^{ID.pattern}$"})]
Notes = Annotated[tuple[Text, ...], PlainValidator(read_notes), WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}})]
Flag = Annotated[bool, PlainValidator(read_flag), WithJsonSchema({"type": "boolean"})]
Date = Annotated[Text, PlainValidator(read_date), WithJsonSchema({"type": ["string", "integer"], "description": "2025-08-13, 2025-08 or 2025"})]
Moment = Annotated[Text, PlainValidator(read_time), WithJsonSchema({"type": "string", "description": "2025-09-03 or 2025-09-03T14:30"})]
Amounted = Annotated[AmountValue, PlainValidator(read_amount), WithJsonSchema(_AMOUNT_SCHEMA)]
GpuHours = Annotated[AmountValue, PlainValidator(read_gpu_hours), WithJsonSchema(_AMOUNT_SCHEMA)]
Ratio = Annotated[AmountValue, PlainValidator(read_ratio), WithJsonSchema(_AMOUNT_SCHEMA)]
Exactly = Annotated[Fraction, PlainValidator(read_number), WithJsonSchema(NUMBER_OR_TEXT)]
Free = Annotated[dict[str, AmountValue], PlainValidator(read_free), WithJsonSchema(_MAP_OF_AMOUNTS)]
Under = Annotated[dict[str, AmountValue], PlainValidator(read_under), WithJsonSchema(_MAP_OF_AMOUNTS)]
Settings = Annotated[dict[str, Setting], PlainValidator(read_settings), WithJsonSchema({"type": "object"})]
SeedNames = Annotated[Seeds, PlainValidator(read_seeds), WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "array"}]})]
