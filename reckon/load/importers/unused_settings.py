"""What a source says that was for nothing in an export: a line for each, since it may be a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.records.imports import UNTYPED

from .job import NO_STATE
from .reading import BY_PATTERN
from .taking import Taken


def describe_unused(taken: Taken) -> Iterator[str]:
    """A line for each setting that matched nothing in what was read, nor in what was imported before: of jobs that are
    counted together this is not known, and nothing is told."""
    source = taken.source
    if source.stated.skip is not None and all(fate.word != BY_PATTERN for fate in taken.left):
        yield f"`skip: {source.skip}` matched nothing in this export"
    if any(not month.opened for month in taken.merged.months.values()):
        return
    jobs = [record.job for record in taken.merged.jobs.values()]
    types = {kind or UNTYPED for job in jobs for kind, _ in job.gpus or [("", 0)]}
    states = taken.states | {job.state for job in jobs}
    rules = {record.made.rule for record in taken.merged.jobs.values()}
    gaps = set(taken.filled)
    if source.gpus:
        gaps |= {taken.rules.find_match(job).gap for job in jobs}
    words = {str(word) for word in source.statuses if (word.upper() or NO_STATE) in states}
    used = {"rules": rules, "gpus": gaps, "cards": types, "statuses": words}
    for field, names in used.items():
        for name in getattr(source.stated, field):
            if name not in names:
                text = str(name)[:40] or "''"
                yield f"`{field}: {text}` matched nothing in this export{_why(field, types)}"


def _why(field: str, types: set[str]) -> str:
    """What else can be so where a setting matched nothing."""
    if field == "rules":
        return ", or an earlier rule took all its jobs"
    if field == "gpus":
        stated = ", ".join(sorted(types - {UNTYPED}))
        if stated:
            part = "a part of a GPU is a separate card, with `counts_as: {CARD: 1/7}`"
            return f": jobs state the type {stated}, and {part}"
    return ""
