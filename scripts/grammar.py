"""What the readers of values take, as JSON Schemas for editors: their patterns are made of those of the readers.

A pattern keeps to what ECMAScript and Python share. It takes all that its reader takes, but for a unit that comes out
right only when divided (`kWh/kW` are hours), a long one in odd letters (`hOURS`), a range of equal ends where one
number is asked for, and a zero with a minus sign. It takes more: the order of a range, the number of digits and what
fields say of each other only the reader tells. Numbers have their own limits, because editors do not count them as
text. A date has no type, because some servers read a day as a date and others as text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reckon.language.quantity import FORM, NUMBER, PLAIN_NUMBER, SUFFIX, WORDS, ZERO_FIRST, takes_suffix
from reckon.language.units import CURRENCIES, GPU_HOURS, PLAIN, Powers, key_unit, kind_words, spellings, value_unit
from reckon.model.amounts import PART_OF_ONE
from reckon.model.scalars import ADDRESSED, CLOCK, DAY, ID, INPUT, RESERVED
from reckon.model.shares import PART_OF_A_GPU_SECOND, PART_OF_A_SECOND, PORTION
from reckon.model.values import MOST_SEEDS

Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""

LONG = 4
"""Above so many letters a unit is in small letters, in capitals, or has one capital first; below in any letters."""
_TIME = (("time", 1),)
_ZERO = r"0(?:\.0+)?"
_NEGATIVE, _NOT_ABOVE = r"(?!\s*-)", rf"(?!\s*(?:[<-]|{_ZERO}[^0-9.]*(?:[+-].*)?$))"
_END = r"(?!(?:[^-]*-)?\s*<?\s*{}(?:\.[0-9]*)?\s*%(?!\s*\+))"
"""Refuses a range with an end, in percent, that such a pattern fits."""
_ABOVE_ALL = _END.format("(?:[2-9][0-9]{2}|1(?:0[1-9]|[1-9][0-9])|[1-9][0-9]{3,})")
_ABOVE_HALF = _END.format("(?:5[1-9]|[6-9][0-9]|[1-9][0-9]{2,})")


class Measured(NamedTuple):
    """A kind of quantity: the limits of its numbers, what its text cannot begin with, what else is taken; whether it
    is one number; whether `%` or `x` must stand after it; and its units, where they are not those of the key."""

    limits: Schema
    refused: str = ""
    also: str = ""
    single: bool = False
    share: bool = False
    units: Sequence[Powers] = ()
    example: object = "8-10"


_OF_SHARES: Schema = {"minimum": 0, "maximum": 0}
_ANY: Sequence[Powers] = ((("any", 1),),)
MEASURED: Mapping[str, Measured] = {
    "quantity": Measured({}, units=_ANY),
    "amount": Measured({"minimum": 0}, _NEGATIVE),
    "above": Measured({"exclusiveMinimum": 0}, _NOT_ABOVE),
    "counts-as": Measured({"minimum": 0}, _NEGATIVE, PART_OF_ONE.pattern, example=0.5),
    "gpu-hours": Measured({"minimum": 0}, _NEGATIVE, units=[GPU_HOURS.kinds]),
    "limit": Measured(
        {"minimum": 0}, _NEGATIVE, units=[GPU_HOURS.kinds, *(key_unit(each).kinds for each in CURRENCIES)]
    ),
    "number": Measured({"minimum": 0}, _NEGATIVE, single=True, example=12.5),
    "positive": Measured({"exclusiveMinimum": 0}, _NOT_ABOVE, single=True, example=4),
    "signed": Measured({}, single=True, example=-12.5),
    "lasting": Measured({"minimum": 0}, _NEGATIVE, PART_OF_A_SECOND.pattern, single=True, example=12.5),
    "charged": Measured({"minimum": 0}, _NEGATIVE, PART_OF_A_GPU_SECOND.pattern, single=True, example=50),
    "held": Measured({"minimum": 0}, _NEGATIVE, PART_OF_ONE.pattern, single=True, example=4),
    "pue": Measured({"minimum": 1}, r"(?!\s*-|\s*0(?![0-9])[^kMBT]*$|.*[%x])", units=[()], example=1.2),
    "ratio": Measured(_OF_SHARES, _NEGATIVE, share=True, example="15%"),
    "share": Measured(_OF_SHARES, _NEGATIVE + _ABOVE_ALL, share=True, example="60%"),
    "efficiency": Measured(_OF_SHARES, _NOT_ABOVE + _ABOVE_ALL, share=True, example="90%"),
    "chance": Measured(_OF_SHARES, _NOT_ABOVE + _ABOVE_HALF, single=True, share=True, example="30%"),
}

_IN_CALENDAR = (
    r"(?!0000|....-(?:00|1[3-9]|[2-9]|..-(?:00|3[2-9]|[4-9])|02-3|(?:0[469]|11)-31))"
    r"(?=(?!....-02-29)|(?:..(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-)"
)
_EXPRESSION = r"[A-Za-z0-9_\s.,()+*/<>=%-]+$"
_NO_TEXT: Schema = {"not": {"type": ["array", "object", "boolean", "null"]}}
_YEAR: Schema = {"multipleOf": 1, "minimum": 1000, "maximum": 9999}


def _whole(least: int, pattern: str) -> Schema:
    return {"type": ["integer", "string"], "minimum": least, "maximum": 999_999, "pattern": f"^{pattern}[0-9]{{1,6}}$"}


_SEED: Schema = {"type": ["integer", "string", "boolean"], "minimum": 0, "pattern": f"^{ADDRESSED.pattern}$"}
FIXED: Mapping[str, Schema] = {
    "text": {"type": ["string", "number", "boolean"], "pattern": r"\S", "maxLength": 20_000},
    "id": {"type": "string", "pattern": f"^{ID.pattern}$", "maxLength": 80, "not": {"enum": list(RESERVED)}},
    "name": {"type": ["string", "number", "boolean"], "pattern": f"^{INPUT.pattern}$", "maxLength": 80},
    "date": {
        "description": "a day, month or year: 2025-08-13, 2025-08 or 2025",
        "pattern": f"^{_IN_CALENDAR}{DAY.pattern}$",
        **_YEAR,
        **_NO_TEXT,
        "examples": ["2025-08-13"],
    },
    "moment": {
        "description": "a day, or a day and time: 2025-09-03, 2025-09-03T14:30 or 2025-09-03 14:30:00+02:00",
        "pattern": f"^{_IN_CALENDAR}(?:{DAY.pattern}|.{{10}}[T ]{CLOCK.pattern})$",
        **_YEAR,
        **_NO_TEXT,
        "examples": ["2025-09-03T14:30"],
    },
    "flag": {
        "description": "true or false",
        "type": ["boolean", "string"],
        "pattern": "^(?:true|false)$",
        "examples": [True],
    },
    "count": {"description": "a whole number of at least 1", **_whole(1, "(?!0+$)"), "examples": [28]},
    "whole": {"description": "a whole number", **_whole(0, ""), "examples": [0]},
    "seed-list": {
        "description": f"a number of seeds from 1 to {MOST_SEEDS}, or a list of their names",
        "type": ["integer", "string", "array"],
        "minimum": 1,
        "maximum": MOST_SEEDS,
        "pattern": "^[1-9][0-9]{0,3}$",
        "minItems": 1,
        "maxItems": MOST_SEEDS,
        "uniqueItems": True,
        "items": _SEED,
        "examples": [3],
    },
    "reference": {"type": ["string", "boolean"], "pattern": f"^{ADDRESSED.pattern}$"},
    "seed": _SEED,
    "formula": {"type": ["string", "number"], "pattern": f"^{_EXPRESSION}"},
    "condition": {
        "description": "such as `forecast.p90 <= ceiling and waste_share <= 25%`",
        "type": "string",
        "pattern": rf"^(?=[\s\S]*(?:[<>]|\b(?:is|inside|and|or|not)\b)){_EXPRESSION}",
        "examples": ["forecast.p90 <= ceiling"],
    },
    "portion": {
        "description": "a share, such as 1/7, 50% or 0.5",
        "type": ["string", "number"],
        "exclusiveMinimum": 0,
        "maximum": 1,
        "pattern": f"^{_ABOVE_ALL}(?:{PORTION.pattern})$",
        "examples": ["50%"],
    },
    "zone": {"type": "string", "pattern": "^[A-Za-z0-9_+/-]+$", "examples": ["Europe/Oslo"]},
}


def definition(name: str, key: str) -> tuple[str, Schema]:
    """What a field with this key takes, by the name of its kind: the name under which a schema defines it, and that."""
    if name in FIXED:
        fixed = FIXED[name]
        return name, {**fixed, "errorMessage": f"write {fixed['description']}"} if "description" in fixed else fixed
    measured = MEASURED[name]
    units = measured.units or ([PLAIN.kinds] if measured.share else [key_unit(key).kinds])
    own = name if measured.units or measured.share else "-".join([name, *_slug(units[0])])
    return own, _quantity(own, measured, units)


def _slug(kinds: Powers) -> list[str]:
    above = [kind.split(":")[-1] for kind, power in kinds if power > 0]
    below = [kind.split(":")[-1] for kind, power in kinds if power < 0]
    return [*above, *(["per", *below] if below else [])]


def _quantity(own: str, measured: Measured, units: Sequence[Powers]) -> Schema:
    """The schema of a quantity: one number or text; and, unless it is a single number, a map of ends or a formula."""
    forms = "" if measured.single else " or range"
    what = f"a share{forms} with its sign" if measured.share else f"a number{forms}"
    if units[0] and not measured.units:
        what += f" in {kind_words(units[0])}"
    what += f", such as {measured.example}"
    maps = "" if measured.single else "; 5+, <0.1, unknown, {low, high, use}, or {formula, inputs}"
    schema = {
        "description": what + maps,
        "errorMessage": f"write {what}",
        "type": ["number", "string", *([] if measured.single else ["object"])],
        **measured.limits,
        "pattern": _pattern(measured, units),
        "maxLength": 100,
        "examples": [measured.example],
    }
    if not measured.single:
        end = {"$ref": f"#/$defs/{own}"}
        inputs = {
            "properties": {"formula": {"$ref": "#/$defs/formula"}},
            "additionalProperties": {"$ref": "#/$defs/quantity"},
        }
        ends = {"properties": dict.fromkeys(("low", "use", "high"), end), "additionalProperties": False}
        schema |= {
            "if": {"type": "object", "required": ["formula"]},
            "then": inputs,
            "else": {**ends, "minProperties": 1},
        }
    return schema


def _pattern(measured: Measured, units: Sequence[Powers]) -> str:
    """What the reader of quantities takes in these units."""
    number = f"(?!{ZERO_FIRST}){NUMBER}"
    if measured.share:
        form = rf"\s*(?:{FORM})"
        ends = "" if measured.single else rf"(?:{number}(?:{form})?\s*-\s*)?"
        body = rf"{ends}{number}{form}\s*"
        zero = rf"{_ZERO}\s*(?:(?:{SUFFIX})\s*)?"
        body = f"{zero}|{body}" if measured.single else rf"unknown\s*|(?:{zero}|(?:<\s*)?{body})(?:\+\s*)?"
        return rf"^{measured.refused}\s*(?:{body})$"
    marks = "|".join(([FORM] if not any(units) or units is _ANY else []) + [SUFFIX] * any(map(takes_suffix, units)))
    one = rf"{number}\s*" + (rf"(?:(?:{marks})\s*)?" if marks else "")
    words = WORDS if units is _ANY else "|".join(filter(None, map(_words, units)))
    last = one if measured.single else rf"(?:<\s*)?{one}(?:-\s*{one}|\+\s*)?"
    # Several parts, as `2 h 30 min`, each have their unit.
    parts = rf"(?!.*[A-Za-z]\s+[0-9.]+\s*$)(?:{PLAIN_NUMBER}\s*(?:{words})\s+)*" if words else ""
    body = parts + last + (rf"(?:(?:{words})\s*)?" if words else "")
    also = "".join(f"|{each}" for each in (measured.also, "" if measured.single else "unknown") if each)
    return rf"^{measured.refused}\s*(?:{body}{also})\s*$"


def _words(kinds: Powers) -> str:
    """The units of these kinds that can stand after a number; empty where there are none."""
    found = [_named(kinds)]
    above = tuple((kind, power) for kind, power in kinds if power > 0)
    if above != kinds and _named(above):
        found.append(rf"(?:{_named(above)})(?:/|[_ -]{_any_case('per')}[_ -]){WORDS}")
    return "|".join(filter(None, found))


def _named(kinds: Powers) -> str:
    """The words for a unit of these kinds, behind others that say nothing (`wall hours`)."""
    for device in ("gpu", "node"):
        if kinds == tuple(sorted([(device, 1), *_TIME])):
            return rf"(?:[A-Za-z]+[_ -]+)*{_any_case(device)}[_ -](?:{_spelled(_TIME)})"
    words = _spelled(kinds)
    other = f"(?!(?:{_any_case('gpu')}|{_any_case('node')})[_ -])" if kinds == _TIME else ""
    return rf"(?:{other}[A-Za-z]+[_ -]+)*(?:{words})" if words else ""


def _spelled(kinds: Powers) -> str:
    found = []
    for word in spellings():
        if _measures(word, kinds):
            plural = "[sS]?" if _measures(f"{word}s", kinds) else ""
            if len(word) > LONG:
                first, capitals = _any_case(word[0]), word.upper().removesuffix("S")
                found.append(f"(?:{first}{word[1:]}|{capitals}{'[sS]' * word.endswith('s')}){plural}")
            else:
                found.append(_any_case(word) + plural)
    return "|".join(found)


def _measures(word: str, kinds: Powers) -> bool:
    unit = value_unit(word)
    return unit is not None and unit.kinds == kinds


def _any_case(word: str) -> str:
    return "".join(f"[{letter}{letter.upper()}]" for letter in word)
