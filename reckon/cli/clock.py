"""Today, as entries are held against it: what an entry tells of has happened. This is the one place that looks at the
clock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from reckon.language.text import Place
from reckon.model.finding import Problem

MOMENTS = ("date", "end", "start")
APART = timedelta(minutes=1)
"""By how much the clocks of two machines may differ, and a moment be rounded."""


def current_time() -> datetime:
    """The time here, with its offset."""
    return datetime.now().astimezone()


def day_of(fields: Mapping[str, str], today: datetime | None = None) -> str:
    """The day that an entry is filed under: of its date, else end, else start; today where none can be read, if that
    is told. It can be a month or a year, where the entry says no more."""
    for name in MOMENTS:
        if found := re.match(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", fields.get(name, "")):
            return found[0]
    return f"{today:%Y-%m-%d}" if today else ""


def ahead(fields: Mapping[str, str], file: str, line: int, text: str, today: datetime) -> Iterator[Problem]:
    """A problem for each moment of a new entry that has not come yet, at its place in the line that says it."""
    for name in MOMENTS:
        if later(moment := fields.get(name, ""), today):
            place = Place(file, line, text.find(f"{name}: ") + len(name) + 3)
            yield Problem(place, f"`{moment[:40]}` has not come yet", f"today is {today:%Y-%m-%d}")


def later(moment: str, today: datetime) -> bool:
    """Whether a moment lies ahead, by more than clocks differ. One that names no offset is meant as the clock here."""
    try:
        if len(moment) > 10:
            return datetime.fromisoformat(moment).astimezone() > today + APART
    except (ValueError, OverflowError):
        return False  # the reader says what is wrong with it
    return re.fullmatch(r"[0-9-]*", moment) is not None and moment > f"{today:%Y-%m-%d}"[: len(moment)]
