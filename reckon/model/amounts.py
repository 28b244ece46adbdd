"""Quantities and formulas of a record, each in the unit that its key carries, and what a field allows of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from msgspec import Struct
from pydantic import ValidationInfo

from reckon.language.expression import Formula
from reckon.language.lazy import regex
from reckon.language.parser import read_expression
from reckon.language.quantity import Quantity, Value, read_quantity
from reckon.language.text import NOWHERE, Place, Refusal, Text, place_of
from reckon.language.units import CURRENCIES, GPU_HOURS, PLAIN, SIGNS, Unit, key_unit

from .finding import Problem, refused
from .scalars import RESERVED, T, Unread, Wrong, attempt, complain, input_key, read_id, read_text, scalar


class Derived(Struct, frozen=True):
    """A quantity that a formula in the ledger gives: the formula, its own inputs, the unit its key asks for."""

    formula: Formula
    inputs: Mapping[str, AmountValue]
    unit: Unit
    place: Place = NOWHERE
    formula_place: Place = NOWHERE


PART_OF_ONE = regex("[1-9][0-9]{0,8}/[1-9][0-9]{0,8}")
AmountValue = Quantity | Derived
Setting = AmountValue | Text | tuple[Text, ...]


def amount(raw: object, unit: Unit) -> AmountValue:
    """A quantity or formula under a key of this unit."""
    if isinstance(raw, dict):
        return _formula(raw, unit) if "formula" in raw else _bounds(raw, unit)
    if isinstance(raw, list | tuple):
        raise complain(raw, "this is a list, not one quantity", "write a number, a range or a formula")
    text = scalar(raw)
    try:
        return read_quantity(text, unit, place_of(text))
    except Refusal as refusal:
        raise Wrong([refused(refusal, text)]) from None


def _bounds(raw: Mapping[str, object], unit: Unit) -> Quantity:
    strange = next((key for key in raw if key not in RESERVED), None)
    if strange is not None or not raw:
        said = f"`{strange}` is not part of a quantity" if raw else "the quantity is empty"
        raise complain(strange if raw else raw, said, "write `{low: …, high: …, use: …}`, or `{formula: …, inputs}`")
    found = each_of(raw, lambda key, written: _end(key, written, unit), scalar)
    ends = {key: quantity.value.use for key, quantity in found.items()}
    forms = {quantity.form for quantity in found.values() if quantity.value.use}
    if len(forms) > 1:
        right = "write all with `%`, all with `x`, or none"
        raise complain(raw, "low, use and high are written in different ways", right)
    form = "".join(forms)
    low, high = ends.get("low"), ends.get("high")
    if "use" in ends:
        use = ends["use"]
    elif low is not None and high is not None:
        use = (low + high) / 2
    else:
        use = None
    known = [end for end in (low, use, high) if end is not None]
    if known != sorted(known):
        raise complain(raw, "low, use and high are not in order", "write low ≤ use ≤ high")
    text = ", ".join(f"{key}: {written}" for key, written in raw.items())
    return Quantity(Value(low, use, high), unit, text, place_of(raw), form)


def _end(key: str, written: object, unit: Unit) -> Quantity:
    quantity = amount(written, unit)
    if isinstance(quantity, Derived) or not (quantity.value.exact or quantity.value.unknown):
        raise complain(written, f"`{key}` must be one number", "write only the number")
    return quantity


def _formula(raw: Mapping[str, object], unit: Unit) -> Derived:
    problems: list[Problem] = []
    formula = attempt(problems, read_formula, raw["formula"])
    inputs = attempt(problems, read_free, {key: written for key, written in raw.items() if key != "formula"})
    if formula is None or inputs is None:
        raise Wrong(problems)
    return Derived(formula, inputs, unit, place_of(raw), place_of(raw["formula"]))


def read_formula(raw: object) -> Formula:
    """A formula or condition, as a tree."""
    text = scalar(raw)
    try:
        return read_expression(text)
    except Refusal as refusal:
        raise Wrong([refused(refusal, text)]) from None


def read_amount(raw: object, info: ValidationInfo) -> AmountValue:
    """A quantity in the unit that the field's own name carries; not negative."""
    return _not_negative(raw, amount(raw, key_unit(info.field_name or "")))


def _not_negative(raw: object, found: AmountValue) -> AmountValue:
    """Hours, counts, memory, shares: none of the fields of a record can be below zero. Free inputs can."""
    if isinstance(found, Quantity) and found.value.low is not None and found.value.low.numerator < 0:
        raise complain(raw, f"`{found.text}` is negative", "write zero or more")
    return found


def read_gpu_hours(raw: object) -> AmountValue:
    """A quantity in GPU-hours; not negative."""
    return _not_negative(raw, amount(raw, GPU_HOURS))


def read_ceiling_of_hours(raw: object) -> AmountValue | None:
    """The ceiling in hours: all that is written, or the one of two that is not in a currency."""
    parts = _ceilings(raw)
    for part in parts:
        if isinstance(part, str) and _LIKE_MONEY.search(part) and not _currency_of(part):
            raise complain(
                part, f"`{part[:40]}` is not an amount of money", "write number, space and currency: `300 eur`"
            )
    found = [part for part in parts if not _currency_of(part)]
    if len(found) > 1 or len(parts) - len(found) > 1:
        raise complain(raw, "there are two ceilings of one kind", "write one in GPU-hours and one in money")
    return read_gpu_hours(found[0]) if found else None


def read_ceiling_of_money(raw: object) -> AmountValue | None:
    """The ceiling in money, in its own currency; what else is wrong with the list is told of the one in hours."""
    found = next(filter(_currency_of, _ceilings(raw)), None)
    return None if found is None else _not_negative(found, amount(found, key_unit(_currency_of(found))))


def _ceilings(raw: object) -> Sequence[object]:
    return raw if isinstance(raw, list | tuple) else (raw,)


_CODES = "|".join(CURRENCIES)
_NOUNS = "|".join(currency.one.split()[-1] for currency in CURRENCIES.values())
_MONEY = regex(rf".*?\b({_CODES})", re.IGNORECASE | re.DOTALL)
_LIKE_MONEY = regex(f"[{SIGNS}]|{_NOUNS}|{_CODES}", re.IGNORECASE)


def _currency_of(raw: object) -> str:
    """The currency that a ceiling ends in: `2400 usd`; empty where it is in hours."""
    found = _MONEY.fullmatch(raw) if isinstance(raw, str) else None
    return found[1].lower() if found else ""


def read_ratio(raw: object) -> AmountValue:
    """A share, which must be written with a percent sign (15%), as a factor (1.3x), or as 0."""
    found = amount(raw, PLAIN)
    ends = found.value.ends if isinstance(found, Quantity) else ()
    if isinstance(found, Quantity) and not found.form and any(ends):
        written = f"{found.text}%" if isinstance(raw, str) else "each number with `%`"
        most = max(end for end in ends if end)
        raise complain(raw, f"`{found.text}` lacks its percent sign", _with_percent(written, most))
    return _not_negative(raw, found)


def _with_percent(written: str, most: Fraction) -> str:
    """What was probably meant: both 15 and 0.15 are 15%."""
    if abs(most) >= 1:
        return f"write `{written}`, or `x` after it if it is a factor"
    return f"write it in hundredths, such as `{float(most * 100):g}%`; or `{written}` if you mean that"


UNMEASURED = "write the measured number, or remove the key if it is unknown"


def read_signed(raw: object, info: ValidationInfo) -> Fraction:
    """One number, not a range, in the unit of the field's name; negative for what was given back."""
    found = amount(raw, key_unit(info.field_name or ""))
    if isinstance(found, Derived) or not found.value.exact:
        raise complain(raw, f"`{info.field_name}` of a run must be one number", UNMEASURED)
    assert found.value.use is not None
    return found.value.use


_PLAIN = regex(r"(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,9}))?")


def read_number(raw: object, info: ValidationInfo) -> Fraction:
    """One number, not a range, in the unit of the field's name; not negative."""
    plain = _PLAIN.fullmatch(raw) if isinstance(raw, str) else None
    if plain:  # as nearly all are written: in the unit of the field, whatever that is
        whole, decimals = plain.groups("")
        return Fraction(int(whole + decimals), 10 ** len(decimals))
    found = read_signed(raw, info)
    if found.numerator < 0:
        raise complain(raw, f"`{scalar(raw)}` is negative", "write zero or more")
    return found


def read_positive(raw: object, info: ValidationInfo) -> Fraction:
    """One number above zero, in the unit of the field's name."""
    found = read_number(raw, info)
    if not found:
        raise complain(raw, f"`{info.field_name}` is zero", "write a number above 0, or remove it")
    return found


def read_free(raw: object) -> dict[str, AmountValue]:
    """A free map of inputs, each in the unit of its own key."""
    return each_of(raw, lambda key, written: amount(written, key_unit(key)))


def read_one(raw: object) -> dict[str, AmountValue]:
    """A free map of a single input."""
    found = read_free(raw)
    if len(found) != 1:
        names = ", ".join(f"`{key}`" for key in found)
        said = f"there are {len(found)} quantities here: {names}" if found else "there is no quantity here"
        where = list(found)[1] if found else raw
        raise complain(where, said, "write one quantity with its unit in the key: `gb: 100`")
    return found


def read_parts(raw: object) -> dict[str, Text] | tuple[Text, ...]:
    """Texts in a list, or each under a label."""
    if isinstance(raw, list | tuple):
        return tuple(read_text(text) for text in raw)
    if not isinstance(raw, Mapping) and not isinstance(raw, Unread):
        raise complain(raw, "a list or a map is expected here", "write `- text` or `label: text` lines below the key")
    return each_of(raw, lambda key, written: read_text(written), read_text)


def read_settings(raw: object) -> dict[str, Setting]:
    """A free map of settings: a quantity where it reads as one, else text or a list of texts."""
    return each_of(raw, setting)


def read_under(raw: object, info: ValidationInfo) -> dict[str, AmountValue]:
    """A map under a unit key, which gives each entry its unit; no entry is negative. What a card counts as may be a
    part of one, as `1/7`."""
    unit = key_unit(info.field_name or "")
    if isinstance(raw, Mapping) and info.field_name == "counts_as":
        parts = {
            key: {"formula": text} for key, text in raw.items() if isinstance(text, str) and PART_OF_ONE.fullmatch(text)
        }
        raw = {**raw, **parts}
    return each_of(raw, lambda key, written: _not_negative(written, amount(written, unit)), read_id)


def setting(key: str, raw: object) -> Setting:
    """One setting: quantities are those texts that read as one."""
    if isinstance(raw, list | tuple):
        return tuple(read_text(text) for text in raw)
    if isinstance(raw, Mapping):
        return amount(raw, key_unit(key))
    text = read_text(raw)
    if not re.match(r"[-<]?\s*[0-9]", text):
        return text
    try:
        return read_quantity(text, key_unit(key), place_of(text))
    except Refusal:
        return text


def each_of(raw: object, read: Callable[[str, object], T], name: Callable[[str], Text] = input_key) -> dict[str, T]:
    """The entries of a map, each read by `read`; the problems of all names and values are raised together."""
    if isinstance(raw, Unread):
        raise Wrong([])
    if not isinstance(raw, Mapping):
        raise complain(raw, "a map of names and values is expected here", "write `name: value` lines below the key")
    found: dict[str, T] = {}
    problems: list[Problem] = []
    for key, written in raw.items():
        named, value = attempt(problems, name, key), attempt(problems, read, key, written)
        if named is not None and value is not None:
            found[named] = value
    if len(found) < len(raw):
        raise Wrong(problems)
    return found


def _refuse_zeros(*found: AmountValue) -> None:
    """Refuses each quantity that is zero, or has a low end that is. What a formula gives is not known yet."""
    zeros = [amount for amount in found if isinstance(amount, Quantity) and amount.value.low == 0]
    if zeros:
        right = "write more than zero"
        raise Wrong([Problem(zero.place, f"`{zero.text}` is not above zero", right) for zero in zeros])


def _at_most_all(raw: object, found: AmountValue, what: str) -> AmountValue:
    """Refuses a share above 100%."""
    if isinstance(found, Quantity) and any(end is not None and end > 1 for end in (found.value.use, found.value.high)):
        raise complain(raw, f"`{found.text}` is more than {what}", "write a share of at most 100%")
    return found


def read_above(raw: object, info: ValidationInfo) -> AmountValue:
    """A quantity in the unit that the field's own name carries; above zero."""
    found = read_amount(raw, info)
    _refuse_zeros(found)
    return found


def read_rates(raw: object, info: ValidationInfo) -> dict[str, AmountValue]:
    """A map under a unit key, which gives each entry its unit; all are above zero."""
    found = read_under(raw, info)
    _refuse_zeros(*found.values())
    return found


def read_some_runs(raw: object, info: ValidationInfo) -> AmountValue:
    """How many runs there are: a quantity or formula above zero, whose ends are whole numbers."""
    found = read_above(raw, info)
    ends = (found.value.low, found.value.high) if isinstance(found, Quantity) else ()
    if isinstance(found, Quantity) and any(end is not None and end.denominator != 1 for end in ends):
        raise complain(raw, f"`{found.text}` is not a whole number of runs", "write a whole number, such as 60")
    return found


def read_efficiency(raw: object) -> AmountValue:
    """A share of what is perfect: above zero, and at most 100%."""
    found = read_ratio(raw)
    _refuse_zeros(found)
    return _at_most_all(raw, found, "a perfect speed-up")


def read_share(raw: object) -> AmountValue:
    """A share of a whole: from 0 to 100%."""
    return _at_most_all(raw, read_ratio(raw), "the whole")


def read_pue(raw: object) -> AmountValue:
    """A power usage effectiveness: a plain number or range, 1 or more."""
    found = amount(raw, PLAIN)
    low = found.value.low if isinstance(found, Quantity) else None
    if isinstance(found, Quantity) and (found.form or (low is not None and low < 1)):
        right = "write 1 or more, such as 1.2: energy of the data centre ÷ energy of its machines"
        raise complain(raw, f"`{found.text}` is not a PUE", right)
    return found


def _facility(raw: object) -> Text | None:
    """The id of a facility, which begins with a letter; None for a quantity, or where it is said that none is known."""
    named = isinstance(raw, str) and re.match(r"[a-z]", raw) and raw != "unknown"
    return read_id(raw) if named else None


def read_named_pue(raw: object) -> AmountValue | Text:
    """A power usage effectiveness, or the id of a facility of the catalogue that has one."""
    return _facility(raw) or read_pue(raw)


def read_pue_of_run(raw: object, info: ValidationInfo) -> Fraction | Text:
    """The same for a run: one number, or the id of a facility."""
    if named := _facility(raw):
        return named
    read_pue(raw)
    return read_number(raw, info)


def read_once(found: Sequence[T]) -> Sequence[T]:
    """A list that is not empty and has no entry twice."""
    if not found:
        raise complain(found, "the list is empty", "write at least one entry, or remove the key")
    for number, entry in enumerate(found):
        if entry in found[:number]:
            raise complain(entry, f"`{entry}` is listed twice", "name each once")
    return found


def is_unknown(value: AmountValue | None) -> bool:
    """Whether nothing stands here, or `unknown`."""
    return value is None or (isinstance(value, Quantity) and value.value.unknown)
