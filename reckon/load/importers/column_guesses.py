"""What the columns of an unknown table probably hold, by their names and cells: for a draft of a source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reckon.model.presets import NAMES as PRESETS
from reckon.model.presets import read_preset
from reckon.model.records.imports import MOMENTS

from .clock import Unclear, seconds_of
from .decimals import Unreadable, parse_number
from .job import STATES, state_word
from .tres import gpus_of_words

MOST_CELLS = 1000
"""Rows of a table that are looked at."""
PERSON = "person"
_SYNONYMS = {
    "job": "jobid jobidraw id job runid run_id identifier",
    "name": "name jobname runname displayname run experiment project task title what",
    "state": "state status result outcome état etat",
    "submit": "submit submitted submittime queued",
    "start": "windowstart start starttime started startdate startedat begin from created createdat date day",
    "end": "windowend end endtime ended enddate endedat finish finished stop stopped until to",
    "wall_hours": "duration runtime elapsed elapsedraw walltime wall hours time h",
    "gpu_hours": "gpuhours gpuh gpuhrs",
    "gpus": "gpus gpucount numgpus numberofgpus ngpus ngpu num_gpus gpu",
    "gpu": "gputype gpumodel gpuname card cardtype accelerator acceleratortype gpu gpus",
    "nodes": "nodes nnodes numnodes",
    "partition": "partition queue",
    "account": "account project",
    "cluster": "cluster",
    "group": "group experiment",
    "tags": "tags labels",
    "seed": "seed",
    "cost_usd": "cost costusd totalcost price amount charge usd",
    "energy_kwh": "energy energykwh kwh energyconsumed",
    PERSON: "user username who owner email mail author submitter person member student name_of_user",
}
"""What a column may be called, without spaces and signs, the surest name first."""
_UNITS = {
    "s": "s sec secs second seconds",
    "min": "m min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
}
_STATUSES = {
    "completed": "completed complete done finished finish success succeeded successful ok fini passed",
    "failed": "failed fail error errored crashed crash broken",
    "cancelled": "cancelled canceled killed stopped aborted terminated",
    "running": "running active ongoing started",
    "queued": "queued pending waiting scheduled",
    "timeout": "timeout timedout",
    "preempted": "preempted evicted",
    "out-of-memory": "oom outofmemory",
}
_DATE = re.compile(r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-][0-9]{4}\b")
_YEAR_FIRST = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{9,10}(?:\.[0-9]+)?|[0-9]{13}")
_IN_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_TOTAL = re.compile(r"(?i)(grand )?(total|totals|sum|summe|subtotal)\b.*")


@dataclass
class Guesses:
    """What is guessed of a table: settings of its source as they are written, and what to tell of each."""

    columns: dict[str, str | dict[str, str]] = field(default_factory=dict)
    statuses: dict[str, str] = field(default_factory=dict)
    persons: dict[str, int] = field(default_factory=dict)
    unmapped: list[str] = field(default_factory=list)
    dates: str = ""
    skip: str = ""
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def held(self) -> set[str]:
        """What the columns hold."""
        return {column["is"] if isinstance(column, dict) else column for column in self.columns.values()}


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """The number of the row that names the columns; None where the table has no such row.

    It has two known names, or no number, date or state in it while a row below has one.
    """
    for number, row in enumerate(rows):
        if sum(1 for cell in row if _is_known(cell)) >= 2:
            return number
    for number, row in enumerate(rows[:-1]):
        below = rows[number + 1]
        texts = [cell for cell in row if cell]
        if (
            len(row) == len(below) > 1
            and len(texts) > 1
            and not any(map(_is_value, texts))
            and any(map(_is_value, below))
        ):
            return number
    return None


def guess_columns(names: Sequence[str], rows: Iterable[Sequence[str]]) -> Guesses:
    """What columns of these names hold, whose cells are in the rows."""
    found = Guesses()
    cells: dict[str, list[str]] = {name: [] for name in names if name}
    for number, row in enumerate(rows):
        filled = [cell for cell in row if cell]
        if filled and _TOTAL.fullmatch(filled[0]) and len(filled) < len(row) // 2 + 1:
            found.skip = filled[0]
        elif number < MOST_CELLS:
            for name, cell in zip(names, row, strict=False):
                if name and cell:
                    cells[name].append(cell)
    candidates: dict[str, list[tuple[int, str]]] = {}
    for name, values in cells.items():
        for held, rank in _meanings(name, values):
            candidates.setdefault(held, []).append((rank, name))
    for name, values in cells.items():
        if any(name == other for _, other in candidates.get(PERSON, [])):
            found.persons[name] = len(set(values))
    for held, options in candidates.items():
        free = [(rank, name) for rank, name in options if name not in found.columns and name not in found.persons]
        if free and held != PERSON:
            name = min(free)[1]
            found.columns[name] = _with_unit(held, name, cells[name], found)
    found.columns = {name: found.columns[name] for name in cells if name in found.columns}
    found.unmapped = [name for name in cells if name not in found.columns and name not in found.persons]
    _guess_dates(cells, found)
    _guess_statuses(cells, found)
    return found


def name_units(name: str) -> tuple[str, str]:
    """The name of a column in small letters and digits alone, without its unit; and this, empty for none."""
    in_brackets = _IN_BRACKETS.search(name)
    bare = _plain(_IN_BRACKETS.sub("", name))
    if in_brackets and (unit := _unit(_plain(in_brackets[1]))):
        return bare, unit
    words = re.split(r"[\s_.-]+", name.strip().lower())
    if len(words) > 1 and (unit := _unit(words[-1])) and "gpu" not in words[0]:
        return _plain("".join(words[:-1])), unit
    return bare, ""


def nearest_preset(names: Sequence[str]) -> tuple[str, list[str]]:
    """The preset of which most columns are there, and those that it needs and are not."""
    found: tuple[int, str, list[str]] = (0, "", [])
    for preset in PRESETS:
        wanted = [[name] if isinstance(name, str) else name for name in read_preset(preset).detect]
        lacking = [alternatives[0] for alternatives in wanted if not set(alternatives) & set(names)]
        there = len(wanted) - len(lacking)
        if there > found[0]:
            found = (there, preset, lacking)
    return found[1:]


def _meanings(name: str, cells: Sequence[str]) -> list[tuple[str, int]]:
    """What a column may hold, each with the rank of its name."""
    if sum(1 for cell in cells if "@" in cell) * 2 > len(cells):
        return [(PERSON, 0)]
    bare, _ = name_units(name)
    spelled = {bare, _plain(name)}
    found = []
    for held, words in _SYNONYMS.items():
        ranks = [rank for rank, word in enumerate(words.split()) if word in spelled]
        if ranks and _can_hold(held, cells):
            found.append((held, ranks[0]))
    return found


def _can_hold(held: str, cells: Sequence[str]) -> bool:
    """Whether what is in a column can be what its name says."""
    if held in MOMENTS:
        return _most(map(_is_moment, cells), cells)
    if held in ("wall_hours", "gpu_hours"):
        return _most(map(_is_duration, cells), cells)
    if held in ("cost_usd", "energy_kwh", "nodes"):
        return _most((_is_number(cell.replace("$", "")) for cell in cells), cells)
    if held == "gpus":
        return _most((_is_number(cell) or bool(gpus_of_words(cell)) for cell in cells), cells)
    if held == "gpu":
        return not _most(map(_is_number, cells), cells)
    return True


def _most(is_so: Iterable[bool], cells: Sequence[str]) -> bool:
    return sum(is_so) * 10 >= len(cells) * 8


def _with_unit(held: str, name: str, cells: Sequence[str], found: Guesses) -> str | dict[str, str]:
    """What a column holds, as a source states it."""
    unit = name_units(name)[1]
    if held in ("wall_hours", "gpu_hours") and unit and unit != "h":
        return {"is": held, "unit": unit}
    bare_numbers = all(map(_is_number, cells))
    if held == "wall_hours" and bare_numbers and not unit and _plain(name) not in ("hours", "h"):
        found.comments[name] = "assumed: in hours"
    return held


def _guess_dates(cells: dict[str, list[str]], found: Guesses) -> None:
    """Which part of a date is first, by dates that are clear."""
    moments = [name for name, held in found.columns.items() if held in MOMENTS]
    dates = [match for name in moments for cell in cells[name] if (match := _DATE.match(cell))]
    if not dates:
        return
    day_first = any(int(date[1]) > 12 for date in dates)
    month_first = any(int(date[2]) > 12 for date in dates)
    found.dates = "month-first" if month_first and not day_first else "day-first"
    if day_first == month_first:
        found.comments["dates"] = "assumed: no date shows which part is the day"


def _guess_statuses(cells: dict[str, list[str]], found: Guesses) -> None:
    """What the words for states mean that Slurm does not have."""
    for name, held in found.columns.items():
        if held == "state":
            for word in sorted({state_word(cell) for cell in cells[name]} - set(STATES)):
                meant = next((status for status, words in _STATUSES.items() if _plain(word) in words.split()), "")
                found.statuses[word.lower()] = meant or "completed"
                if not meant:
                    found.comments["statuses"] = "assumed for unknown words: check"


def _is_known(cell: str) -> bool:
    return any({name_units(cell)[0], _plain(cell)} & set(words.split()) for words in _SYNONYMS.values())


def _is_value(cell: str) -> bool:
    return _is_number(cell) or _is_moment(cell) or _is_duration(cell) or state_word(cell) in STATES


def _is_moment(cell: str) -> bool:
    return bool(_DATE.match(cell) or _YEAR_FIRST.match(cell))


def _is_duration(cell: str) -> bool:
    try:
        seconds_of(cell)
    except Unclear:
        return _is_number(cell) or bool(re.fullmatch(r"(?:[0-9.]+ ?[dhms] ?)+", cell))
    return True


def _is_number(cell: str) -> bool:
    try:
        return parse_number(cell) is not None
    except Unreadable as error:
        return bool(str(error))


def _unit(word: str) -> str:
    return next((unit for unit, words in _UNITS.items() if word in words.split()), "")


def _plain(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
