"""Texts of a record: ids, words, flags, dates and times; each read from its scalar, or refused at its place."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TypeVar

from reckon.language.lazy import regex
from reckon.language.parser import KEYWORDS
from reckon.language.text import Text, place_of
from reckon.language.units import value_unit

from .finding import Problem, nearest

RESERVED = ("low", "use", "high", "formula")
T = TypeVar("T")


class Wrong(ValueError):
    """What is wrong with something that was read: problems; none where they are told elsewhere."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("not valid")
        self.problems = problems


def complain(text: object, what: str, right: str = "") -> Wrong:
    """One problem at the place of a text."""
    return Wrong([Problem(place_of(text), what, right)])


def attempt(problems: list[Problem], read: Callable[..., T], *raw: object) -> T | None:
    """What a reader makes of something; None where it refuses that, and then its problems are appended."""
    try:
        return read(*raw)
    except Wrong as error:
        problems += error.problems
        return None


class Unread(Text):
    """Stands for a value that was refused when the file was read: no further problem is reported for it."""

    __slots__ = ()


def scalar(raw: object) -> Text:
    """The text of a scalar; a map or list there is refused."""
    if isinstance(raw, Unread):
        raise Wrong([])
    if isinstance(raw, str):
        return raw if isinstance(raw, Text) else Text(raw)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return Text(str(raw))
    # YAML makes a map of prose that holds a colon.
    prose = isinstance(raw, Mapping) and any(" " in str(key) for key in raw)
    right = "put text that holds `: ` in quotes" if prose else "write it on the same line as the key"
    raise complain(raw, "a single value is expected here", right)


def read_text(raw: object) -> Text:
    """Non-empty text of at most 20,000 characters."""
    text = scalar(raw)
    if not text.strip():
        raise complain(text, "the text is empty", "write it, or remove the key")
    if len(text) > 20_000:
        raise complain(text, "the text is longer than 20,000 characters", "shorten it, or split it into several texts")
    return text


ID = regex(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def read_id(raw: object) -> Text:
    """An id: lower-case letters, digits and single dashes, a letter first, at most 80 characters."""
    text = scalar(raw)
    if not ID.fullmatch(text) or len(text) > 80:
        better = _as_id(text)
        rule = "start with a lower-case letter, then use letters, digits and dashes"
        raise complain(text, f"`{text[:40]}` is not an id", f"write `{better}`" if better else rule)
    if text in RESERVED:
        raise complain(text, f"`{text}` is a reserved word", "choose another id: ranges and formulas use this word")
    return text


ADDRESSED = regex(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*")


def read_reference(raw: object) -> Text:
    """The id of another record. A text that is not an id, but could be part of an address, is looked up all the same:
    of `H100` the check of references says which ids there are."""
    text = read_text(raw)
    if not ADDRESSED.fullmatch(text):
        better = _as_id(text)
        such = f", such as `{better}`" if better else ": lower-case letters, digits and single dashes"
        raise complain(text, f"`{text[:40]}` is not an id", f"write the id of a record{such}")
    return text


def _as_id(text: str) -> str:
    """The id that a text may be meant to be; empty where nothing is left of it."""
    better = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80]
    return better if ID.fullmatch(better) else ""


def read_column_field(raw: object) -> Text:
    """The field that a column of a table holds."""
    text = scalar(raw)
    if not text.strip():
        right = "write a field of a run, or skip the column with `add runs --map COLUMN=`"
        raise complain(text, "this column has no field", right)
    return read_text(text)


def read_notes(raw: object) -> tuple[Text, ...]:
    """One note, or a list of notes."""
    return tuple(read_text(note) for note in raw) if isinstance(raw, list | tuple) else (read_text(raw),)


def refuse_grouped(text: Text) -> None:
    """Names the commas of a whole number such as `1,000`."""
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", text):
        raise complain(text, f"`{text[:40]}` has commas", f"write `{text[:40].replace(',', '')}`")


def read_whole(least: int, raw: object) -> int:
    """A whole number from `least` up, with at most six digits."""
    text = scalar(raw)
    refuse_grouped(text)
    if re.fullmatch(r"[1-9][0-9]{6,}", text):
        raise complain(text, f"`{text[:40]}` is too large", "write at most six digits")
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < least:
        right = "write digits, such as `28`"
        raise complain(text, f"`{text[:40]}` is not a whole number of at least {least}", right)
    return int(text)


def read_flag(raw: object) -> bool:
    """`true` or `false`."""
    text = scalar(raw)
    if text not in ("true", "false"):
        raise complain(text, f"`{text[:40]}` is not `true` or `false`", "write `true` or `false`")
    return text == "true"


DAY = regex("([0-9]{4})(?:-([0-9][0-9])(?:-([0-9][0-9]))?)?")


def read_date(raw: object) -> Text:
    """A day, month or year that exists: 2025-08-13, 2026-01, 2022."""
    text = scalar(raw)
    if said := _no_date(str(text)):
        raise complain(text, *said)
    return text


@lru_cache(maxsize=4096)
def _no_date(text: str) -> tuple[str, str] | None:
    """Why a text is not a date, and what would be right; cached, because many runs share a day."""
    found = DAY.fullmatch(text)
    if not found:
        if turned := re.fullmatch(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})", text):
            day, month, year = turned.groups()
            return f"`{text}` is not a date", f"write the year first: `{year}-{month:0>2}-{day:0>2}`"
        return f"`{text[:40]}` is not a date", "write a day as `2025-08-13`, a month as `2025-08`"
    year, month, day = (int(part) if part else 1 for part in found.groups())
    if not year or not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return f"{text} is not in the calendar", "check the date"
    return None


CLOCK = regex(r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?(Z|[+-][0-9][0-9]:[0-9][0-9])?")


def read_time(raw: object) -> Text:
    """A date, or a date with a time of day and an optional offset: 2025-09-03T14:30, 2025-09-03 14:30:00+02:00."""
    text = scalar(raw)
    day, between, clock = re.fullmatch(r"([^T ]*)([T ]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    read_date(Text(day, place_of(text)))
    if between and not (len(day) == 10 and CLOCK.fullmatch(clock)):
        right = "write `2025-09-03T14:30` or `2025-09-03T14:30:00+02:00`"
        raise complain(text, f"`{text[:40]}` is not a day and time", right)
    return text


INPUT = regex(r"[A-Za-z_][A-Za-z0-9_]*([-.][A-Za-z0-9_]+)*")


def input_key(key: str) -> Text:
    """The name of a free input: what a formula can call it."""
    if not INPUT.fullmatch(key) or len(key) > 80:
        right = "use lower-case letters, digits and `_`, the unit last: `hours_per_epoch`"
        raise complain(key, f"`{key[:40]}` is not a name for an input", right)
    if key in ("low", "use", "high", *KEYWORDS):
        raise complain(key, f"`{key}` is a reserved word", "choose another name: ranges and formulas use this word")
    return key if isinstance(key, Text) else Text(key)


def read_unit(raw: object) -> Text:
    """A unit, as `seconds` or `GiB`, or the word of what is counted, as `tokens`."""
    text = read_text(raw)
    if value_unit(text) is None and not re.fullmatch(r"[a-z]+([ _-][a-z]+)*", text):
        right = "write a unit such as `seconds`, `GiB` or `usd`, or what it counts, such as `tokens`"
        raise complain(text, f"`{text[:40]}` is not a unit", right)
    return text


OTHER_WORDS = {
    "oom": "out-of-memory",
    "done": "completed",
    "finished": "completed",
    "ok": "completed",
    "success": "completed",
    "succeeded": "completed",
    "error": "failed",
    "crashed": "failed",
    "killed": "cancelled",
    "aborted": "cancelled",
    "node_fail": "node-failure",
}
"""What people write for a word of a list, where no letters tell it."""


def read_word(words: tuple[str, ...], raw: object) -> Text:
    """A word of a closed list."""
    text = scalar(raw)
    if text not in words:
        known = OTHER_WORDS.get(str(text).lower(), "")
        right = f"did you mean `{known}`?" if known in words else nearest(text, words, 30)
        raise complain(text, f"`{text[:40]}` is not allowed here", right)
    return text


def read_zone(raw: object) -> Text:
    """The name of a time zone, as the database of time zones has it."""
    from zoneinfo import ZoneInfo

    text = scalar(raw)
    try:
        ZoneInfo(str(text))
    except (KeyError, ValueError, OSError):
        raise complain(text, f"`{text[:40]}` is not a time zone", "write it as Europe/Oslo, or UTC") from None
    return text
