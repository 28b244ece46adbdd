"""Any table of jobs, as CSV or JSON: which column holds what, and in which unit, is stated under `columns:` of the
source, or by the preset of its format (`model/presets`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from reckon.language.calendar_days import HOUR
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import Text, plural
from reckon.model.records.imports import DATE_ORDERS, ENERGY, HOURS, MATCHED, MOMENTS, MONEY, PROGRESS, Gpus
from reckon.model.release import checksum

from ..formats import Row, csv_rows
from . import clock, tres
from .decimals import Mark, Unreadable, find_mark, parse_number
from .job import PENDING, STATES, Extras, Job, state_word, status_of
from .job_records import whole
from .json_rows import is_json, parse, read_rows
from .merging import NO_GPU
from .reading import (
    NO_STATE_LINE,
    SKIP,
    BadRow,
    Cells,
    NotAnExport,
    Reading,
    ReadRow,
    full_rows,
    job_row,
    plain,
    table_rows,
)

MOST_GPUS = 1_000_000
_NAME = re.compile(r"(?=.*[A-Za-z])[A-Za-z_#][A-Za-z0-9_ .()/%#-]{0,79}|")
_JOB = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+/@:-]{0,99}")
_STATED = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,12})?")
_PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(ms|sec|min|[dhms])")
_PARTS = re.compile(rf"{_PART.pattern}(?: ?{_PART.pattern})*")
_MILLISECONDS = {"ms": 1, "s": 1000, "sec": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_INSTANT = re.compile(r"([0-9]{9,10})(?:\.[0-9]{1,9})?|([0-9]{10})[0-9]{3}")
DATE = re.compile(r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})\b")
_SLASHED = re.compile(r"^([0-9]{4})/([0-9]{2})/([0-9]{2})\b")
DAYS = re.compile(r"([0-9]{1,5}) days? (?=[0-9]{1,2}:)")
"""As pandas writes a duration: `0 days 01:02:03`."""
_ANY_DATE = re.compile(rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|{DATE.pattern}")
_CLOCKS = (" %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", "")
"""What may follow a date in a sheet."""
DOLLARS = ("cost_usd", "effective_usd")
DURATIONS = frozenset({"wall_hours", "gpu_hours"})
AMOUNTS = ("done", "total", "energy_kwh", *DOLLARS, "utilisation")
PERCENT = Fraction(1, 100)
NUMBERS = (*DURATIONS, "gpus", *AMOUNTS)
HIDDEN = "PERSON"
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[A-Za-z][\w-]{1,62}){1,4}")
NO_END = "without an end"
"""What a row is that has a start alone: its job is still running, or nobody wrote down when it ended."""
DURATION = f"write it as 1-02:03:04, or as a number, and its unit under `columns:`{SKIP}"


class Column(NamedTuple):
    """Where a column stands, and the hours or kWh that one of its unit is."""

    at: int
    unit: Fraction


Holds = Mapping[str, Column]
_NEEDED = {PROGRESS: ["done", "total"], ENERGY: ["energy_kwh"], MONEY: ["cost_usd or effective_usd"]}
"""What a table has to hold of what it adds."""


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of a table. Raises NotRows."""
    rows = _read_cells(text, reading)
    head = next(rows, ())
    holds = _find_columns(head, reading, text)
    key = [head.index(name) for name in reading.source.key]
    reading.mark = reading.source.decimal or _find_mark(text, holds, reading)
    return reading.jobs(full_rows(rows, len(head), reading), partial(_read_row, reading, holds, key))


def _read_cells(text: str, reading: Reading) -> Iterator[Row]:
    """The names of the columns of a table, then its rows. Raises NotRows."""
    if not is_json(text):
        yield from table_rows(text, reading)
        return
    rows = read_rows(parse(text, reading.file), reading.source.path or "")
    yield next(rows)
    yield from (row for row in rows if not reading.skips(row[0].place.line, row))


def _find_columns(names: Sequence[str], reading: Reading, text: str) -> Holds:
    """The place of the column that holds something, with its unit."""
    source = reading.source
    stated = reading.stated_columns
    is_csv = source.format == "csv"
    named = are_names(names)
    # Where none of them is there, the first line may be a row, and what a row says may be private.
    is_header = not source.columns_held.keys().isdisjoint(names)
    if not is_header and not named and is_csv:
        wrong = f"the first line does not name the columns ({len(names)} cells)"
        raise NotAnExport(wrong, "write a line of names above the rows, or list them in the source: `header: [Run, …]`")
    holds: dict[str, Column] = {}
    for column, meaning in source.columns_held.items():
        if column not in names:
            continue
        if column in stated and meaning.holds in holds:
            wrong = f"two columns of this file hold `{meaning.holds}`"
            raise NotAnExport(wrong, f"remove one of them: `{column[:60]}`")
        holds.setdefault(meaning.holds, Column(names.index(column), meaning.hours))
    for column in (*stated, *source.key):
        held = source.columns_held.get(column)
        if column not in names and (held is None or held.holds not in holds):
            right = "check its first line"
            if is_header and named:
                right = f"the columns are {', '.join(filter(None, names[:12]))}"
            raise NotAnExport(f"there is no column `{column[:60]}`", right)
    if "job" not in holds and "name" in holds:
        holds["job"] = holds["name"]
        reading.by_name = True
        if not is_csv:
            right = "a renamed run is another run. Show the column of ids and export again"
            reading.notes.append(f"{reading.file} has no ids: name and start identify a run; {right}")
    hours = source.counted == HOURS
    if hours and DURATIONS.isdisjoint(holds) and not {"start", "end"} <= holds.keys():
        wrong = "there is no column for the duration"
        right = "name the one that does: `columns: {Runtime: {is: wall_hours, unit: s}}`"
        if not is_csv:
            right += ", or write `counts: progress`"
            runs = sum(1 for _ in csv_rows(text, reading.file)) - 1
            wrong += f" ({plural(runs, 'run')})"
        raise NotAnExport(wrong, right)
    needs = [] if "name" in source.constants else ["job"]
    if hours and "" not in source.statuses and "state" not in source.constants:
        needs.append("state")
    needs += _NEEDED.get(source.counted, ())
    if lacks := [need for need in needs if not any(map(holds.get, need.split(" or ")))]:
        right = "name it under `columns:`"
        if "state" in lacks:
            right += f", or map rows without a state: {NO_STATE_LINE}"
        wrong = "` and `".join(lacks).replace(" or ", "` or `")
        raise NotAnExport(f"there is no column for `{wrong}`", right)
    return holds


def _find_mark(text: str, holds: Holds, reading: Reading) -> Mark:
    """The decimal mark of all numbers of a file, by those of its cells that can be read with one alone."""
    places = [column.at for name, column in holds.items() if name in NUMBERS]
    scratch = Reading(reading.file, reading.source, reading.zone)
    rows = _read_cells(text, scratch)
    next(rows, ())
    cells = (row[at].strip() for row in rows for at in places if at < len(row))
    return find_mark(cells, is_spreadsheet=";" in text.partition("\n")[0])


def are_names(cells: Sequence[str]) -> bool:
    """Whether the first line of a table names its columns. The cells of a row may be private: they are not repeated."""
    return bool(cells) and all(_NAME.fullmatch(cell) and cell.upper() not in STATES for cell in cells)


def _read_row(reading: Reading, holds: Holds, key: Sequence[int], line: int, row: tuple[Text, ...]) -> ReadRow | None:
    """The cells of a row that make a job. Raises BadRow where a count or a duration cannot be read."""
    source = reading.source
    cells: dict[str, str] = dict(source.constants)
    for name, column in holds.items():
        cells[name] = row[column.at].strip() or cells.get(name, "")
    for name in MOMENTS:
        if name in cells:
            cells[name] = _read_moment(name, cells[name], source.dates)
    cells["job"] = cells.get("job") or str(source.constants.get("name", ""))
    if not cells["job"]:
        raise BadRow("this row has no job", f"check the column for `job`{SKIP}")
    person = cells.get("person", "")
    cells["job"] = _id_without(person, cells["job"])
    hours = source.counted == HOURS
    is_csv = source.format == "csv"
    gpus = _read_gpus(cells, "1" if hours and is_csv else "", reading.mark)
    elapsed = _read_elapsed(line, cells, holds, reading, sum(count for _, count in gpus))
    if not is_csv and not gpus and cells.get("gpus"):
        reading.skip(NO_GPU, line, cells["job"])
        return None
    extras = _read_extras(cells, holds, reading.mark)
    if elapsed is None:
        return None
    if not cells.get("state") and not hours:
        words = (word.upper() for word, status in source.statuses.items() if word and status == "completed")
        cells["state"] = next(words, "COMPLETED")
    says = {name: _without(person, cells[name]) for name in MATCHED if cells.get(name)}
    if person:
        says["person"] = person
    if not is_csv and "name" not in holds:
        says["name"] = cells["job"]
    id = _id_without(person, "/".join(row[at].strip() for at in key)) or cells["job"]
    if key and "key" in source.from_preset:  # bills name resources by long paths, which nobody has to read
        id = f"{cells['job'][:40]}-{checksum(id.encode())[:12]}"
    return job_row(line, id, elapsed, cells, gpus=gpus, says=says, extras=extras)


def _without(person: str, text: str) -> str:
    """A text, such as the name of a run, without the person of its row and without e-mail addresses."""
    shown = text.replace(person, HIDDEN) if len(person) > 1 else text
    return _ADDRESS.sub(HIDDEN, shown)


def _id_without(person: str, text: str) -> str:
    """The same of an id, which stays another one than those of other persons."""
    shown = _without(person, text)
    return text if shown == text else f"{shown}-{checksum(text.encode())[:8]}"


def _read_gpus(cells: Cells, default: str, mark: Mark) -> Gpus:
    """The GPUs that a row states: a count, or counts by type, as `8x H100` or `gres/gpu:a100=4`. Raises BadRow."""
    text = cells.get("gpus", default)
    by_type = tres.gpus_of_words(text)
    if by_type or "=" in text:  # `cpu=8,mem=4G` states that there are none
        return by_type
    kind = cells.get("gpu", "")
    for named, _ in tres.gpus_of_words(kind)[:1]:
        kind = named
    count = read_count(text, mark)
    return ((kind, whole(count)),) if count else ()


def read_count(text: str, mark: Mark) -> Fraction:
    """How many GPUs a cell states. Raises BadRow."""
    try:
        count = parse_number(text, mark=mark) or ZERO
        if not 0 <= count <= MOST_GPUS:
            raise Unreadable
    except Unreadable as error:
        right = str(error) or f"check the column for `gpus`{SKIP}"
        raise BadRow(f"the count of GPUs is not a number from 0 to {MOST_GPUS:,}", right) from None
    return count


def _read_elapsed(line: int, cells: Cells, holds: Holds, reading: Reading, count: int | Fraction) -> Fraction | None:
    """The time for which a job held its GPUs, in seconds, 0 for one that waits; None, with a problem, where that cannot
    be read."""
    source = reading.source
    if status_of(source, state_word(cells.get("state", ""))) == PENDING:
        return ZERO
    wall_hours, shared = (cells.get(name, "") for name in ("wall_hours", "gpu_hours"))
    wrong = "the duration is not readable"
    right = DURATION
    by_clock = source.counted != HOURS or source.format != "csv" or DURATIONS.isdisjoint(holds)
    try:
        if wall_hours:
            return parse_seconds(wall_hours, holds["wall_hours"].unit, reading.mark)
        if shared:
            return parse_seconds(shared, holds["gpu_hours"].unit, reading.mark) / (count or 1)
        if by_clock:
            return _seconds_by_clock(line, cells, reading)
    except clock.Unclear as unclear:
        right = unclear.right
    if _ANY_DATE.match(wall_hours or shared):
        wrong = "this is a date, not a duration"
        right = "map the column as `start` or `end`"
    reading.wrong(line, wrong, right)
    return None


def _seconds_by_clock(line: int, cells: Cells, reading: Reading) -> Fraction | None:
    """The seconds from the start to the end of a job; None where it has not both. Raises Unclear where one of them may
    be two moments."""
    try:
        starts, ends = (clock.possible_moments(cells.get(name, ""), reading.zone) for name in ("start", "end"))
    except clock.Unclear:
        return ZERO  # what is wrong is told of the moment itself
    if len(starts) + len(ends) > 2:
        raise clock.Unclear("", "its start or end is in an hour that occurs twice; add the offset from UTC")
    if starts and ends:
        return Fraction(abs(ends[0] - starts[0]))  # an end before the start is told where both are read
    if reading.source.counted != HOURS:
        return ZERO
    reading.skip(NO_END if starts and not ends else "of no known duration", line, cells["job"])
    return None


def _read_extras(cells: Cells, holds: Holds, mark: Mark) -> Extras:
    """What a row states beside hours. Raises BadRow where an amount or an id cannot be read."""
    if cells.get("currency", "") not in ("", "USD"):
        raise BadRow(f"this charge is in {plain(cells['currency'])[:12]}", "export it in USD, or convert it first")
    amounts = {name: _read_amount(name, cells[name], holds[name].unit, mark) for name in AMOUNTS if name in cells}
    done, total, energy, billed, effective, used = map(amounts.get, AMOUNTS)
    if done is not None and total is not None and done > total:
        raise BadRow("`done` is more than `total`", "check the columns for `done` and `total`")
    if used is not None and used > 1:
        raise BadRow("`utilisation` is more than 100%", "state its unit: `{is: utilisation, unit: percent}`")
    seed, parent, job = (cells.get(name, "").removesuffix(".0") for name in ("seed", "parent", "scheduler_job"))
    if job and not _JOB.fullmatch(job):
        raise BadRow("the job with its hours has no valid id", "check the column for `scheduler_job`")
    return Extras(seed, parent, job, done, total, energy, utilisation=used, billed_usd=billed, effective_usd=effective)


def _read_amount(name: str, text: str, unit: Fraction, mark: Mark) -> Fraction | None:
    """What a cell states, in hours, kWh, US dollars, steps or as a part of 1; None where it states nothing. Raises
    BadRow."""
    if name == "utilisation" and text.endswith("%"):
        text = text[:-1].rstrip()
        unit = PERCENT
    try:
        amount = parse_number(text.replace("$", "", 1) if name in DOLLARS else text, mark=mark)
    except Unreadable as error:
        right = str(error) or f"check the column for `{name}`{SKIP}"
        raise BadRow(f"`{name}` is not a number", right) from None
    if amount and amount < 0 and name not in DOLLARS:
        raise BadRow(f"`{name}` is negative", f"check the column for `{name}`")
    return amount and amount * unit


def _read_moment(name: str, text: str, order: str | None) -> str:
    """A time whose date stands in the order that a source states, with the year first; seconds or milliseconds since
    1970 as whole seconds. Raises BadRow where a date does not, or where no order is stated."""
    if match := _INSTANT.fullmatch(text):
        return match[1] or match[2]
    if text.isdecimal() or text.lower() in clock.NEVER:
        return text
    text = _SLASHED.sub(r"\1-\2-\3", text)
    if order is None:
        if DATE.match(text):
            right = "state which in the source: `dates: day-first` or `dates: month-first`"
            raise BadRow(f"`{name}` is a date with the day or the month first", right)
        return text
    plain = DATE.sub(r"\1/\2/\3", text, count=1)
    for form in _CLOCKS:
        with suppress(ValueError):
            return datetime.strptime(plain, DATE_ORDERS[order] + form).isoformat()
    raise BadRow(f"`{name}` is not a `{order}` date", f"correct `dates:`, or the cell in a copy{SKIP}")


def parse_seconds(text: str, factor: Fraction, mark: Mark) -> Fraction:
    """A duration in seconds: by the clock, as `1h 2m 3s`, or as a number in a unit of so many hours. Raises Unclear."""
    if ":" in text or re.fullmatch("[0-9]+-[0-9]+", text):
        return clock.seconds_of(DAYS.sub(r"\1-", text))
    if _PARTS.fullmatch(text):
        return add_up(Fraction(number) * _MILLISECONDS[unit] / 1000 for number, unit in _PART.findall(text))
    try:
        hours = parse_number(text, mark=mark)
        if hours is None or hours < 0:
            raise Unreadable
    except Unreadable as error:
        raise clock.Unclear("is not a duration", str(error) or DURATION) from None
    # What has more digits is a number of a program that knows no more than so many of them.
    seconds = hours * factor * HOUR
    return seconds if _STATED.fullmatch(text) else round(seconds, 9)
