"""A draft of imports.yaml for an export: its format, its cards, its time zone to be filled in, a rule for each name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from reckon.language.text import Text, plural
from reckon.model.patterns import literal
from reckon.model.presets import find_preset
from reckon.model.records import ImportSource
from reckon.model.records.imports import HELD, UNTYPED

from ..formats import NotRows, csv_rows
from ..run_format import scalar
from . import clock, codecarbon, focus, sacct, tables, taking
from .job import Job
from .reading import Reading

MOST_RULES, LONGEST_NAME = 15, 200
# One of these stands in a line that names the columns of jobs. The cells of any other line may be private.
_USUAL = re.compile(
    r"(?<![a-z])(id|job|jobid|run|name|user|account|project|state|status|date|time|start|end|submit|"
    r"created|started|hours|minutes|seconds|duration|runtime|elapsed|gpu|gpus|cost)(?![a-z])",
    re.IGNORECASE,
)
_DIGITS = re.compile("[0-9]+")


def draft(raw: bytes, file: str) -> Iterator[str]:
    """The lines of the draft."""
    text = raw.decode("utf-8-sig", "replace")
    form = _find_format(text, file)
    yield "# yaml-language-server: $schema=../.schema/imports.schema.json"
    yield "cluster-name:" if form in ("sacct", "sacct-json", "csv") else f"{form}:"
    yield f"  format: {form}"
    if form == "csv":
        yield from _table_lines(text, file)
        return
    if form in _CLOCKS:
        yield f"  timezone: ???        # of the clock {_CLOCKS[form]}"
    source = ImportSource.model_validate({"format": Text(form), "timezone": Text("UTC")})
    reading = Reading(file, source, clock.zone_of("UTC"))
    try:
        jobs = list(taking.READERS.get(form, tables.read)(text, reading))
    except NotRows as error:
        yield f"  # {error.wrong}; {error.right}"
        return
    if form not in _WITHOUT_CARDS:
        yield _card_line(jobs)
    yield from _tracker_rules(form, jobs) if form in _TRACKERS else _name_rules(jobs)


def _find_format(text: str, file: str) -> str:
    """The format of an export, by its beginning."""
    if text.lstrip()[:1] == "{":
        return "sacct-json"
    try:
        head = [str(name) for name in next(csv_rows(text.partition("\n")[0], file), ())]
    except NotRows:
        head = []
    tests = {
        "codecarbon": codecarbon.is_codecarbon,
        "focus": focus.is_focus,
    }
    known_form = next((form for form, fits in tests.items() if fits(head)), "")
    return known_form or find_preset(head) or ("sacct" if _is_sacct(text) else "csv")


_TRACKERS = ("codecarbon", "mlflow", "wandb", "focus")
_WITHOUT_CARDS = ("codecarbon", "focus")
_CLOCKS = {
    "sacct": "that wrote these times: Europe/Oslo, or UTC after `TZ=UTC sacct`",
    "codecarbon": "of the machine that wrote these times: Europe/Oslo, or UTC",
}
"""Formats whose times name no offset, and what is said of their clock."""


def _tracker_rules(form: str, jobs: Sequence[Job]) -> Iterator[str]:
    """The rules of the draft for what a tracker writes: one for each name of runs."""
    yield "  rules:"
    pattern_of = _exact_pattern if form == "focus" else _pattern_of
    names = [name for job in jobs if _is_plain(name := job.says.get("name", ""))]
    noun = "charge" if form == "focus" else "run"
    yield from _rule_lines(Counter(map(pattern_of, names)), lambda many: plural(many, noun))
    if form not in _WITHOUT_CARDS and not all(job.gpus for job in jobs):
        yield "  gpus:        # what each run held: the table does not say it"
        yield "    each: {when: {name: '.*'}, if: unstated, count: 1, card: ???}"


def _card_line(jobs: Iterable[Job]) -> str:
    kinds = sorted({kind for job in jobs for kind, _ in job.gpus})
    cards = ", ".join(f"{scalar(kind or UNTYPED, True)}: ???" for kind in kinds)
    return f"  cards: {{{cards or f'{UNTYPED}: ???'}}}        # the card of the catalogue for each type of GPU"


def _is_plain(name: str) -> bool:
    """Whether a pattern in a line can state a name."""
    return name.isprintable() and 0 < len(name) <= LONGEST_NAME


def _name_rules(jobs: Iterable[Job]) -> Iterator[str]:
    """A rule for each of the names that held most; none for a name that no pattern in a line can state."""
    heaps: Counter[str] = Counter()
    for job in jobs:
        name = job.says.get("name", "")
        if job.gpus and _is_plain(name):
            heaps[_pattern_of(name)] += int(job.stated_gpu_seconds)
    yield from ["  rules:"] if heaps else []
    yield from _rule_lines(heaps, lambda seconds: f"{seconds / 3600:,.1f} GPU-h")


def _rule_lines(heaps: Counter[str], comment: Callable[[int], str]) -> Iterator[str]:
    """A rule for each of the patterns that have most, and a comment on how much that is."""
    for number, (pattern, most) in enumerate(heaps.most_common(MOST_RULES), 1):
        yield f"    rule-{number}: {{when: {{name: '{pattern}'}}, item: ???}}        # {comment(most)}"


def _is_sacct(text: str) -> bool:
    first = text.partition("\n")[0]
    return "JobID" in first or sacct.ID.match(first) is not None


def _exact_pattern(name: str) -> str:
    """A pattern for one name: the numbers in that of a service mean something."""
    return literal(name).replace("'", "''")


def _pattern_of(name: str) -> str:
    """A pattern for names that are alike but for their numbers."""
    return _DIGITS.sub(r"\\d+", _exact_pattern(name))


def _table_lines(text: str, file: str) -> Iterator[str]:
    try:
        head = [str(name) for name in next(csv_rows(text, file), ())]
    except NotRows as error:
        yield f"  # {error.wrong}; {error.right}"
        return
    if not (tables.are_names(head) and any(map(_USUAL.search, head))):
        yield f"  # the first line does not name the columns ({len(head)} cells); write a line of names above the rows"
        return
    yield "  timezone: ???        # of the clock that wrote its times: Europe/Oslo, or UTC"
    yield f"  columns:        # what each holds ({', '.join(HELD[:9])}, …); remove unused lines"
    yield from (f"    {scalar(name, True)}: ???" for name in head[:40] if name)
    yield f"  cards: {{{UNTYPED}: ???}}        # the card of the catalogue for each type of GPU"
