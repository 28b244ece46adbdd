"""A draft of imports.yaml for an export: its format, its cards, its time zone to be filled in, a rule for each name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from reckon.language.text import Text
from reckon.model.records import ImportSource

from . import clock, sacct, taking
from .reading import NotAnExport, Reading

MOST_RULES = 15
_DIGITS = re.compile("[0-9]+")


def draft(raw: bytes, file: str) -> Iterator[str]:
    """The lines of the draft."""
    text = raw.decode("utf-8-sig", "replace")
    form = "sacct-json" if text.lstrip()[:1] == "{" else "sacct" if _is_sacct(text) else "csv"
    yield "# yaml-language-server: $schema=../.schema/imports.schema.json"
    yield "cluster-name:"
    yield f"  format: {form}"
    if form == "csv":
        yield from _table(text)
        return
    if form == "sacct":
        yield "  timezone: ???        # of the clock that wrote these times: Europe/Oslo, or UTC after `TZ=UTC sacct`"
    source = ImportSource.model_construct(format=Text(form), timezone=Text("UTC"))
    reading = Reading(file, source, clock.zone_of("UTC"))
    try:
        jobs = list(taking.READERS[form](text, reading))
    except NotAnExport as error:
        yield f"  # {error}"
        return
    kinds = sorted({kind for job in jobs for kind, _ in job.gpus})
    named = ", ".join(f"{kind or 'untyped'}: ???" for kind in kinds)
    yield f"  cards: {{{named}}}        # the card of the catalogue for each type of GPU"
    yield "  rules:"
    heaps: Counter[str] = Counter()
    for job in jobs:
        if job.gpus:
            count = sum(count for _, count in job.gpus)
            heaps[_pattern(job.says.get("name", ""))] += int(count * Fraction(job.elapsed))
    for number, (pattern, seconds) in enumerate(heaps.most_common(MOST_RULES), 1):
        hours = f"{seconds / 3600:,.1f} GPU-h"
        yield f"    rule-{number}: {{when: {{name: '{pattern}'}}, item: ???}}        # {hours}"


def _is_sacct(text: str) -> bool:
    first = text.split("\n", 1)[0]
    return any(name in first for name in ("JobID", "JobIDRaw")) or bool(sacct.ID.match(first))


def _pattern(name: str) -> str:
    """A pattern for names that are alike but for their numbers."""
    plain = "".join(f"\\{sign}" if sign in r"\.+*?()|[]{}^$" else sign for sign in name)
    return _DIGITS.sub(r"\\d+", plain).replace("'", "''")


def _table(text: str) -> Iterator[str]:
    names = text.split("\n", 1)[0].rstrip("\r").split(",")
    yield "  columns:        # what each column holds; leave out those that mean nothing here"
    yield from (f"    {name.strip()}: ???" for name in names[:40])
