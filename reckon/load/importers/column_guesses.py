"""What the columns of an unknown table probably hold, by their names and cells: for a draft of a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from msgspec import Struct

from reckon.language.quantity import ONE
from reckon.language.text import plural
from reckon.model.records.imports import MOMENTS

from .clock import Unclear
from .decimals import Unreadable, parse_number
from .job import STATES, state_word
from .tables import DATE, DURATIONS, parse_seconds
from .tres import gpus_of_words

CellsByColumn = dict[str, list[str]]
"""The cells of columns that say anything, by their names."""
MOST_CELLS = 1000
"""Rows of a table that are looked at."""
PERSON = "person"
EXIT = "(.* )?(exit|return) ?code"
_NAMES = {
    PERSON: ("(.* )?(user|username|who|owner|e?mail|author|submitter|person|member|student|contact)( name| id)?",),
    "gpu_hours": ("(.* )?gpu ?(hours|hrs|h|minutes|seconds|secs)",),
    "gpus": (
        "(n|num|number|count)( of)? ?gpus?",
        "gpus?( count| number)?|(number|count)( of)? accelerators?",
        "(.* )?(num|number|count)( of)? gpus?|(.* )?gpu count|ngpus?",
        "(.* )?(tres|gres)( alloc)?",
    ),
    "gpu": ("(.* )?(gpu|accelerator|card) (type|model|name|kind)", "gpus?|accelerators?|card"),
    "job": ("(job|run) ?id( raw)?|id|identifier", "job", "(.* )?(id|identifier)"),
    "name": (
        "(job |run |display )?name",
        "run|experiment|project|task|title|what|item|posten|projekt|projet|proyecto|nom|nombre",
        "(.* )?(name|slug|run|experiment|description|method|label|condition|config|phase|step)",
        "resource|product|service",
    ),
    "state": ("state|status|result|outcome|état|etat", "(.* )?(state|status|phase)", EXIT),
    "submit": ("(submit|submitted|queued)( time| at| date)?",),
    "end": (
        "(window )?(end(ed)?|finish(ed)?|stop(ped)?|complet(ed|ion|e)|until|to)( time| at| date| ts)?",
        "(.* )?(end|complete|completed|finished)|bis|ende|fin",
    ),
    "start": (
        "(window )?(start|started|begin|began|from|created|creation)( time| at| date)?",
        "(.* )?(date|day|start|datum|fecha|time|timestamp|at)( time| utc)?|von|beginn|début|debut|inicio",
    ),
    "wall_hours": (
        "real ?time",
        "(.* )?(wall|duration|runtime|run time|elapsed|walltime|wall time)( time| raw)?",
        "(.* )?(train|training|host) (time|seconds|secs?|minutes|hours)",
        "(wall )?(hours|h|hrs|minutes|mins?|seconds|secs?)|time|stunden|dauer|heures|durée|duree|horas",
    ),
    "nodes": ("(n|num|number)( of)? ?nodes|nodes",),
    "partition": ("partition|queue",),
    "account": ("account|project",),
    "cluster": ("cluster",),
    "group": ("group|experiment",),
    "seed": ("(.* )?seed",),
    "cost_usd": ("(total |pre tax )?cost( usd)?", "(.* )?(cost|usd|amount|charge|price|kosten|coût)"),
    "currency": ("(.* )?currency( code)?",),
    "energy_kwh": ("(.* )?(energy|kwh)( consumed| kwh)?",),
    "utilisation": ("(mean |avg |average )?(gpu )?utili[sz]ation( gpu)?", "(mean |avg |average )?gpu util(ization)?"),
}
"""What a column is called that holds something, the surest patterns first."""
_UNITS = {
    "s": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "h": "h hr hrs hour hours stunden heures horas",
    "d": "d day days",
    "ms": "ms millis milliseconds",
}
_STATUSES = {
    "completed": "completed complete done finished finish success succeeded successful ok fini passed",
    "failed": "failed fail error errored crashed crash broken exit exited",
    "cancelled": "cancelled canceled killed stopped aborted terminated",
    "running": "running active ongoing started",
    "queued": "queued pending waiting scheduled",
    "timeout": "timeout timedout",
    "preempted": "preempted evicted",
    "out-of-memory": "oom outofmemory",
}
_YEAR_FIRST = re.compile(r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{9,10}(?:\.[0-9]+)?|[0-9]{13}")
_IN_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_PLAIN = re.compile(r"[0-9]+(\.[0-9]+)?")
_TOTAL = re.compile(r"(?i)(grand )?(total|totals|sum|summe|subtotal)\b.*")
_LONG = 100
"""Whole numbers without a unit that are usually larger than this are seconds."""


class Guesses(Struct):
    """What is guessed of a table: settings of its source as they are written, and what to tell of each."""

    columns: dict[str, Any] = {}
    statuses: dict[str, str] = {}
    unmapped: list[str] = []
    dates: str = ""
    skip: str = ""
    comments: dict[str, str] = {}

    @property
    def held(self) -> set[str]:
        """What the columns hold."""
        return {column["is"] if isinstance(column, dict) else column for column in self.columns.values()}

    @property
    def has_hours(self) -> bool:
        """Whether the columns say how long a run took."""
        return not DURATIONS.isdisjoint(self.held) or {"start", "end"} <= self.held


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """The number of the row that names the columns; None where the table has no such row.

    It has two known names, or no number, date or state in it while the row below has one.
    """
    with_values = [any(map(_is_value, row)) for row in rows]
    for number, row in enumerate(rows):
        if not with_values[number] and sum(map(bool, map(_ranks, row))) >= 2:
            return number
    for number, (row, below) in enumerate(pairwise(rows)):
        if len(row) == len(below) > 1 and all(row) and with_values[number : number + 2] == [False, True]:
            return number
    return None


def guess_columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Guesses:
    """What columns of these names hold, whose cells are in the rows."""
    found = Guesses()
    cells: CellsByColumn = {name: [] for name in names if name}
    for row in rows:
        filled = [cell for cell in row if cell]
        if filled and _TOTAL.fullmatch(filled[0]) and len(filled) <= len(row) // 2:
            found.skip = filled[0]
            continue
        for name, cell in zip(names, row, strict=False):
            if name and cell:
                cells[name].append(cell)
    _assign_columns(cells, found)
    moments = [name for name, held in found.columns.items() if held in MOMENTS]
    guess_date_order([cell for name in moments for cell in cells[name]], found)
    _guess_statuses(cells, found)
    return found


def _assign_columns(cells: CellsByColumn, found: Guesses) -> None:
    """Gives each thing that a row can hold the column whose name says it most surely."""
    meanings = {name: _meanings(name, values) for name, values in cells.items()}
    persons = [name for name in cells if PERSON in meanings[name]]
    free = {name: ranks for name, ranks in meanings.items() if PERSON not in ranks}
    chosen = dict.fromkeys(persons[:1], PERSON)
    for held in _NAMES:
        ranks = {name: meant[held] for name, meant in free.items() if held in meant}
        if ranks:
            name = min(ranks, key=ranks.__getitem__)
            chosen[name] = held
            del free[name]
    for name in persons[:1]:
        found.comments[name] = f"{plural(len(set(cells[name])), 'value')}; never stored"
    found.columns = {name: _with_unit(chosen[name], name, cells[name], found) for name in cells if name in chosen}
    found.unmapped = [*free, *persons[1:]]


def _meanings(name: str, cells: Sequence[str]) -> dict[str, int]:
    """What a column may hold, each with the rank of its name."""
    if cells and _most(lambda cell: "@" in cell, cells):
        return {PERSON: 0}
    return {held: rank for held, rank in _ranks(name).items() if _can_hold(held, cells)}


def _ranks(name: str) -> dict[str, int]:
    """What a name of a column says that it holds, with the rank of the pattern that it fits."""
    spelled = (_words(name), _split_unit(name)[0])
    found: dict[str, int] = {}
    for held, patterns in _NAMES.items():
        for rank, pattern in enumerate(patterns):
            if any(re.fullmatch(pattern, text) for text in spelled):
                found.setdefault(held, rank)
    return found


def _can_hold(held: str, cells: Sequence[str]) -> bool:
    """Whether what is in a column can be what its name says."""
    if not cells:
        return False
    if held in MOMENTS:
        return _most(_is_moment, cells)
    if held in DURATIONS:
        return _most(_is_duration, cells)
    if held in ("cost_usd", "energy_kwh", "nodes", "utilisation"):
        return _most(lambda cell: _is_number(cell.strip("$%")), cells)
    if held == "gpus":
        return _most(lambda cell: _is_number(cell) or "=" in cell or bool(gpus_of_words(cell)), cells)
    return held != "gpu" or not _most(_is_number, cells)


def _most(fits: Callable[[str], bool], cells: Sequence[str]) -> bool:
    return sum(map(fits, cells)) * 10 >= len(cells) * 8


def _with_unit(held: str, name: str, cells: Sequence[str], found: Guesses) -> Any:
    """What a column holds, as a source states it."""
    numbers = [float(cell) for cell in cells if _PLAIN.fullmatch(cell)]
    if held == "utilisation":
        return {"is": held, "unit": "percent"} if any(share > 1 for share in numbers) else held
    if held not in DURATIONS:
        return held
    unit = _split_unit(name)[1]
    if held == "wall_hours" and not unit and numbers:
        word = "seconds" if median(numbers) > _LONG else "hours"
        unit = word[0]
        found.comments[name] = f"assumed: {word}"
    return held if unit in ("", "h") else {"is": held, "unit": unit}


def guess_date_order(cells: Iterable[str], found: Guesses) -> None:
    """Which part of a date is first, by those of some cells that are clear dates."""
    dates = [match for cell in cells if (match := DATE.match(cell))]
    if not dates:
        return
    day_first = any(int(date[1]) > 12 for date in dates)
    month_first = any(int(date[2]) > 12 for date in dates)
    found.dates = "month-first" if month_first and not day_first else "day-first"
    if day_first == month_first:
        found.comments["dates"] = "assumed: no date shows which part is the day"


def _guess_statuses(cells: CellsByColumn, found: Guesses) -> None:
    """What the words for states mean that Slurm does not have, and an empty one."""
    for name, held in found.columns.items():
        if held != "state":
            continue
        if re.fullmatch(EXIT, _words(name)):
            found.statuses = {"0": "completed", "*": "failed"}
            return
        for word in sorted(set(map(state_word, cells[name])) - STATES.keys()):
            meant = _meaning_of(word.lower(), _STATUSES)
            found.statuses[word.lower()] = meant or "completed"
            if not meant:
                found.comments["statuses"] = "assumed for unknown words: check"
        if len(cells[name]) < max(map(len, cells.values())):
            found.statuses[""] = "completed"


def _split_unit(name: str) -> tuple[str, str]:
    """The words of a name without its unit; and this, empty for none."""
    in_brackets = _IN_BRACKETS.search(name)
    if in_brackets and (unit := _meaning_of(_words(in_brackets[1]), _UNITS)):
        return _words(_IN_BRACKETS.sub("", name)), unit
    words = _words(name)
    before, _, last = words.rpartition(" ")
    unit = _meaning_of(last, _UNITS)
    # `gpu h` are hours of GPUs, in the unit that their name says; `number of gpu h` is none.
    return (words if before.endswith("gpu") else before or words, unit) if unit else (words, "")


def _meaning_of(word: str, spelled: Mapping[str, str]) -> str:
    """Which of some things has this word among those that it is spelled with; empty for none."""
    return next((meant for meant, words in spelled.items() if word in words.split()), "")


def _words(name: str) -> str:
    """The words of a name in small letters, however they are joined."""
    text = re.sub("([a-z])([A-Z])", r"\1 \2", name.replace("#", " number "))
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text).lower().split())


def _is_value(cell: str) -> bool:
    is_state = len(cell) > 2 and state_word(cell) in STATES
    return bool(cell) and (is_state or _is_number(cell) or _is_moment(cell))


def _is_moment(cell: str) -> bool:
    return bool(DATE.match(cell) or _YEAR_FIRST.match(cell))


def _is_duration(cell: str) -> bool:
    try:
        parse_seconds(cell, ONE, None)
    except Unclear:
        return _is_number(cell)
    return True


def _is_number(cell: str) -> bool:
    try:
        return parse_number(cell) is not None
    except Unreadable as error:
        return bool(str(error))
