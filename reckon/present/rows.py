"""Rows of the tables of a page, and keys as the words that stand in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS, spoken
from reckon.model import records as r
from reckon.model.figure import Figure, Stated

from .printing import further
from .table import MOST_ROWS

MOST_COLUMNS = 12


class Row(NamedTuple):
    """A row of a table of figures: the words and the figure."""

    title: str
    figure: Figure | None


class Unclear(NamedTuple):
    """A part of the plan whose end is not defined: its title, what would settle it, and how many inputs more."""

    title: str
    wanted: tuple[str, ...]
    more: Figure | None


def hours_of(run: r.Run) -> Figure:
    """The GPU-hours of one run, which has no address: it is shown, never reckoned with."""
    return Figure("", "GPU-hours of a run", GPU_HOURS, point(run.charged_hours), Stated("", run.place))


def words(key: str) -> str:
    """A key as words, with a capital: `minimum_ram` -> Minimum RAM."""
    text = spoken(key)
    return text[:1].upper() + text[1:]


def shown(things: Mapping[str, object], names: bool = False) -> list[object]:
    """The first two hundred of some things that a table shows: pairs of id and thing, or ids alone."""
    return list(islice(things if names else things.items(), MOST_ROWS))


def beyond(things: Mapping[str, object], what: str) -> Figure | None:
    """How many of them are not shown; None if all are."""
    return further(len(things) - MOST_ROWS, what)


def union(tables: Iterable[Mapping[str, object]]) -> list[str]:
    """The keys of some tables, each once, as columns: in the order in which they first appear, at most twelve."""
    return list(dict.fromkeys(key for table in tables for key in table))[:MOST_COLUMNS]
