"""A draft of imports.yaml for an export, complete enough to import with: format, columns, cards, and a rule for each
group of names. What is assumed has a comment that says so."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC
from itertools import islice
from pathlib import Path
from statistics import mode
from typing import Any, NamedTuple

from reckon.language.text import flow_map, plural
from reckon.model.ledger import Catalog, ProjectLedger
from reckon.model.patterns import literal
from reckon.model.presets import NAMES as PRESETS
from reckon.model.presets import find_preset, nearest_preset, read_preset
from reckon.model.records import ImportSource
from reckon.model.records.imports import HOURS, MOMENTS, UNTYPED

from ..formats import NotRows, csv_rows, likely_separator
from ..run_format import scalar
from . import codecarbon, focus, pbs, sacct, tables, taking
from .column_guesses import MOST_CELLS, Guesses, find_header, guess_columns, guess_date_order
from .decoding import decode
from .job import Job
from .json_rows import find_path, is_json, parse, read_rows
from .reading import MOST_ABOVE, Reading, lines_of

Settings = Mapping[str, Any]
"""Settings of a source by their names, as they are written."""
MOST_RULES = 15
LONGEST_NAME = 200
SCHEMA = "# yaml-language-server: $schema=../.schema/imports.schema.json"
UNKNOWN = "???"
_CLOCKS = {
    "sacct": "of the clock that wrote these times: Europe/Oslo, or UTC after `TZ=UTC sacct`",
    "codecarbon": "of the machine that wrote these times: Europe/Oslo, or UTC",
    "csv": "of the clock that wrote its times: Europe/Oslo, or UTC",
}
"""Formats whose times name no offset, and what is said of their clock."""
_AMOUNTS = {"cost_usd": "money", "energy_kwh": "energy"}
_DIGITS = re.compile("[0-9]+")
_SEED = re.compile(r"(?i)((?:^|[^a-z])s(?:eed)?[-_ =]?)\\d\+(?![^']*\\d\+)")
"""The last number in a pattern, where it is that of a seed."""
_SACCT_ROW = re.compile(rf"(?:{sacct.ID.pattern})[^\w .,;:\t/-]")
"""How a line of `sacct` without a header begins: an id, and a separator that no other table has."""
_SLICE = re.compile(r"(?i)[ _:.-]*([1-7])g\.[0-9]+gb.*")
"""A slice of a card (MIG) at the end of its type: as `1g.5gb`, one of seven."""


class Known(NamedTuple):
    """What a draft can name of a ledger: items and cards by id with their titles, seeds, the card of the project."""

    items: Mapping[str, str] = {}
    seeds: tuple[str, ...] = ()
    cards: Mapping[str, str] = {}
    card: str = UNKNOWN


def known_of(project: ProjectLedger, catalog: Catalog) -> Known:
    """What a draft can name of a project, and of the catalogue."""
    items = {id: str(item.title) for id, item in project.items.items()}
    cards = {id: str(card.title) for id, card in catalog.gpus.items()}
    return Known(items, tuple(project.seeds), cards, str(project.project.gpu))


def draft(raw: bytes, file: str, known: Known) -> Iterator[str]:
    """The lines of the draft. Raises NotRows where the file is not a text."""
    text = decode(raw)
    form = _find_format(text, file)
    yield SCHEMA
    yield f"{_source_name(file)}:"
    if form in PRESETS and (preset := read_preset(form)).instead:
        yield f"  # This is {preset.title}, which has no runs. {preset.instead}"
        return
    guesses = Guesses()
    settings: dict[str, Any] = {"format": form}
    if form in _CLOCKS or (form in PRESETS and "timezone" not in read_preset(form).settings):
        settings["timezone"] = "UTC"
    if form == "csv":
        guesses = _guess_table(text, file, settings)
    elif form in PRESETS and _needs_dates(settings, text, file):
        guess_date_order(re.split(r'[",;|\s]', text), guesses)
        settings["dates"] = guesses.dates or "day-first"
    guesses.comments["timezone"] = f"assumed: {_CLOCKS.get(form, _CLOCKS['csv'])}"
    yield from _setting_lines(settings, guesses)
    if form == "csv" and (lacking := _list_lacking(guesses, settings)):
        yield f"  # add the column of {' and that of '.join(lacking)}"
        return
    reading = _reading_of(settings, file)
    try:
        jobs = list(taking.READERS.get(form, tables.read)(text, reading))
    except NotRows as error:
        yield f"  # {error}"
        return
    for problem in reading.all_problems()[:5]:
        yield f"  # line {problem.place.line}: {problem.wrong}; {problem.right}"
    if reading.source.counted == HOURS:
        yield from _card_lines(jobs, known)
    yield from _rule_lines(jobs, reading.source, known)


def _reading_of(settings: Settings, file: str) -> Reading:
    """The reading of a file by a source with these settings."""
    source = ImportSource.model_validate({"timezone": "UTC", **settings})
    return Reading(file, source, UTC)


def _needs_dates(settings: Settings, text: str, file: str) -> bool:
    """Whether a table that is read so has dates with the day or the month first."""
    reading = _reading_of(settings, file)
    with suppress(NotRows):
        list(tables.read(text, reading))
    return "day-first" in str(reading.wrongs)


def _find_format(text: str, file: str) -> str:
    """The format of an export, by its beginning: one that is known here, or a table."""
    if is_json(text):
        return _json_format(text, file)
    for _, line in islice(lines_of(text), MOST_ABOVE):
        try:
            head = next(csv_rows(line, file), ())
        except NotRows:
            continue
        if codecarbon.is_codecarbon(head):
            return "codecarbon"
        if focus.is_focus(head):
            return "focus"
        if preset := find_preset(head):
            return preset
    first = next((line for _, line in lines_of(text) if not line.startswith("#")), "")
    if preset := _headerless_preset(first):
        return preset
    if pbs.is_log(first):
        return "pbs"
    return "sacct" if "JobID" in first or _SACCT_ROW.match(first) else "csv"


def _headerless_preset(line: str) -> str:
    """The preset of a table without a header whose rows have as many cells as this line; empty for none."""
    for preset in PRESETS:
        settings = read_preset(preset).settings
        if "header" in settings and line.count(settings["delimiter"]) + 1 == len(settings["header"]):
            return preset
    return ""


def _json_format(text: str, file: str) -> str:
    """The format of an export in JSON: the preset that fits what stands at its path, else Slurm's or a table."""
    tree = parse(text, file)
    for preset in PRESETS:
        known = read_preset(preset)
        with suppress(NotRows):
            if known.fits(next(read_rows(tree, known.settings.get("path", "")))):
                return preset
    return "sacct-json" if text.lstrip()[:1] == "{" and '"job_id"' in text else "csv"


def _list_lacking(guesses: Guesses, settings: Settings) -> list[str]:
    """What no column of a table is known to hold, without which it cannot be imported."""
    lacking = []
    if guesses.held.isdisjoint(("job", "name")):
        lacking.append("the run (`name`)")
    if not guesses.has_hours and (lacking or "counts" not in settings):
        lacking.append("its hours (`wall_hours`), or its start and end")
    return lacking


def _guess_table(text: str, file: str, settings: dict[str, Any]) -> Guesses:
    """Adds to the settings what is guessed of a table. Raises NotRows where no line names its columns."""
    path = separator = ""
    if is_json(text):
        tree = parse(text, file)
        path = find_path(tree)
        found = read_rows(tree, path)
    else:
        separator = _separator(text)
        found = csv_rows(text, file, separator=separator)
    rows = [[cell.strip() for cell in row] for row in islice(found, MOST_ABOVE + MOST_CELLS)]
    head = find_header(rows[:MOST_ABOVE])
    if head is None:
        raise _unknown_format(rows)
    guesses = guess_columns(rows[head], rows[head + 1 :])
    held = guesses.held
    comments = guesses.comments
    counted = next((what for amount, what in _AMOUNTS.items() if amount in held), "")
    if held.isdisjoint(MOMENTS):
        comments["columns"] = "no column holds a date: these runs are undated"
    if guesses.has_hours and held & {"gpus", "gpu", "gpu_hours"}:
        counted = ""
    constants = {}
    if guesses.has_hours and not counted:
        constants = {"state": "completed"} if "state" not in held else {}
        if held.isdisjoint({"gpus", "gpu_hours"}):
            constants["gpus"] = "1"
        comments["constants"] = f"assumed: no column holds {' or '.join(constants)}"
    comments["rows"] = "assumed: no column holds an id, and each row counts"
    guessed = {
        "counts": counted,
        "rows": "" if "job" in held else "parts",
        "dates": guesses.dates,
        "skip": literal(guesses.skip),
        "delimiter": ":" if separator == ":" else "",
        "path": path,
        "columns": guesses.columns,
        "constants": constants,
        "statuses": guesses.statuses,
    }
    settings |= {name: value for name, value in guessed.items() if value or name == "columns"}
    return guesses


def _separator(text: str) -> str:
    """What most of the first lines of a text have between their cells; a colon where they have no other."""
    lines = [line for _, line in islice(lines_of(text), MOST_ABOVE)]
    return mode([sign for line in lines if (sign := likely_separator(line)) in line] or ":")


def _unknown_format(rows: Sequence[Sequence[str]]) -> NotRows:
    """Why nothing can be drafted, and what to do. The cells of a row may be private: they are not repeated."""
    preset, lacking = nearest_preset(rows[0] if rows else ())
    nearest = f"; the nearest is `{preset}`, which needs {', '.join(lacking)}" if preset else ""
    return NotRows(f"not a format that is known here{nearest}", "write a line of names above the rows")


def _setting_lines(settings: Settings, guesses: Guesses) -> Iterator[str]:
    """The lines of settings; a map of columns has a line for each."""
    for name, value in settings.items():
        comment = _comment(guesses.comments.get(name, ""))
        if name == "columns":
            yield f"  columns:{comment}"
            for column, held in value.items():
                yield f"    {scalar(column, True)}: {_flow(held)}{_comment(guesses.comments.get(column, ''))}"
            if guesses.unmapped:
                yield f"    # not used: {', '.join(scalar(column, True) for column in guesses.unmapped[:20])}"
        else:
            yield f"  {name}: {_flow(value)}{comment}"


def _flow(value: Any) -> str:
    """A text or a map, as it stands in one line."""
    if isinstance(value, Mapping):
        return flow_map({scalar(key, True) if key else "''": _flow(text) for key, text in value.items()})
    return UNKNOWN if value == UNKNOWN else scalar(str(value), not str(value).isdecimal())


def _comment(text: str) -> str:
    return f"        # {text}" if text else ""


def _source_name(file: str) -> str:
    """A name for the source, from that of the file."""
    name = re.sub("[^a-z0-9]+", "-", Path(file).stem.lower()).strip("-")
    return name[:40] if name[:1].isalpha() else "exports"


def _card_lines(jobs: Sequence[Job], known: Known) -> Iterator[str]:
    """The card of each type of GPU, or the share of one; and what jobs held that state none."""
    kinds = sorted({kind or UNTYPED for job in jobs for kind, _ in job.gpus})
    cards = {kind: _card_of(kind, known) for kind in kinds or [UNTYPED]}
    lacking = [kind for kind, card in cards.items() if card == UNKNOWN]
    told = "the card of the catalogue for each type of GPU"
    if UNTYPED in cards:
        told += "; untyped is assumed: these runs state no type"
    if lacking and known.cards:
        told = f"the catalogue has no card for {', '.join(lacking)}: add it to ledger/catalog/gpus.yaml"
    yield f"  cards: {_flow(cards)}{_comment(told)}"
    if not kinds:
        yield "  gpus:"
        rule = f"{{when: {{name: '.*'}}, if: unstated, count: 1, card: {known.card}}}"
        yield f"    each: {rule}{_comment('assumed: no GPUs are stated')}"


def _card_of(kind: str, known: Known) -> Any:
    """The card of the catalogue that a type of GPU names; that of the project for none."""
    if kind == UNTYPED:
        return known.card
    words = _words(kind)
    if (slice_ := _SLICE.search(kind)) and known.cards:
        whole = _card_of(kind[: slice_.start()], known)
        card = known.card if whole == UNKNOWN else whole
        return {"card": card, "share": f"{slice_[1]}/7"}
    return next((card for card, title in known.cards.items() if words <= _words(f"{card} {title}")), UNKNOWN)


def _words(text: str) -> set[str]:
    """The words of a text in small letters; digits stay with the letters before them."""
    return set(re.findall("[a-z]+[0-9]*|[0-9]+(?:gb)?", text.lower()))


def _rule_lines(jobs: Sequence[Job], source: ImportSource, known: Known) -> Iterator[str]:
    """A rule for each group of names that are alike but for their numbers, those first that hold most."""
    pattern_of = exact_pattern if source.format == "focus" else _pattern_of
    with_gpus = [job for job in jobs if job.gpus]
    measure = _seconds if with_gpus else len
    groups: dict[str, list[Job]] = defaultdict(list)
    for job in with_gpus or jobs:
        name = job.says.get("name", "")
        if name.isprintable() and len(name) <= LONGEST_NAME:
            groups[pattern_of(name)].append(job)
    if groups:
        yield "  rules:"
    ordered = sorted(groups.items(), key=lambda group: (not group[0], -measure(group[1]), group[0]))
    for number, (pattern, some) in enumerate(ordered[:MOST_RULES], 1):
        pattern = pattern or ".*"
        rule = f"{{when: {{name: '{_with_seed(pattern, some, known)}'}}, {_target_of(pattern, known)}}}"
        yield f"    rule-{number}: {rule}{_comment(_describe(some, source))}"
    if rest := [job for _, some in ordered[MOST_RULES:] for job in some]:
        what = f"{plural(len(ordered) - MOST_RULES, 'more group')} of names, {_describe(rest, source)}"
        yield f"    rest: {{when: {{name: '.*'}}, item: other, unplanned: true}}{_comment(what)}"


def _seconds(jobs: Iterable[Job]) -> float:
    return float(sum(job.stated_gpu_seconds for job in jobs))


def _describe(jobs: Sequence[Job], source: ImportSource) -> str:
    """What some jobs held, or how many they are."""
    if jobs[0].gpus:
        return f"{_seconds(jobs) / 3600:,.1f} GPU-h"
    return plural(len(jobs), "charge" if source.format == "focus" else "run")


def _target_of(pattern: str, known: Known) -> str:
    """The item that a group of names belongs to: the one whose id or title shares most words with it; else an item
    beside the plan."""
    words = [word for word in re.findall("[a-z]+", pattern.replace(r"\d", " ").lower()) if len(word) > 1]
    scores = {id: _shared(words, f"{id} {title}") for id, title in known.items.items()}
    best = max(scores, key=scores.__getitem__, default="")
    if scores.get(best):
        return f"item: {best}"
    name = "-".join(words)[:40].strip("-") or "other"
    return f"item: {name}, unplanned: true"


def _shared(words: Iterable[str], text: str) -> int:
    """How many of some words a text has; one of three letters or more may be the beginning of another."""
    others = re.findall("[a-z]+", text.lower())
    return sum(any(_alike(*sorted((word, other), key=len)) for other in others) for word in set(words))


def _alike(short: str, long: str) -> bool:
    return short == long or (len(short) > 2 and long.startswith(short))


def _with_seed(pattern: str, jobs: Iterable[Job], known: Known) -> str:
    """The pattern, with the group `seed` where its last number is a seed of the project in each name."""
    seeded = _SEED.sub(r"\1(?P<seed>\\d+)", pattern)
    if seeded == pattern:
        return pattern
    numbers = {_DIGITS.findall(job.says.get("name", ""))[-1] for job in jobs}
    return seeded if numbers <= set(known.seeds) else pattern


def exact_pattern(name: str) -> str:
    """A pattern for one name, as it stands in quotes: the numbers in that of a service mean something."""
    return literal(name).replace("'", "''")


def _pattern_of(name: str) -> str:
    """A pattern for names that are alike but for their numbers."""
    return _DIGITS.sub(r"\\d+", exact_pattern(name))
