"""What a source says that was for nothing in an export: a line for each, since it may be a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.records.imports import UNTYPED

from .assign import fits
from .job import NO_STATE, Job
from .reading import BY_PATTERN
from .taking import Taken


def describe_unused(taken: Taken) -> Iterator[str]:
    """A line for each setting that matched nothing in what was read, nor in what was imported before: of jobs that are
    counted together this is not known, and nothing is told."""
    source = taken.rules.source
    if source.skip is not None and not taken.skipped[BY_PATTERN]:
        yield f"`skip: {source.skip}` matched nothing in this export"
    if any(not month.opened for month in taken.merged.months.values()):
        return
    jobs = [stored.job for stored in taken.merged.jobs.values()]
    states = taken.states | {job.state for job in jobs}
    used: dict[str, set[str]] = {
        "rules": {stored.made.rule for stored in taken.merged.jobs.values()},
        "gpus": set(taken.filled),
        "cards": {kind or UNTYPED for job in jobs for kind, _ in job.gpus or [("", 0)]},
        "statuses": {word for word in source.statuses if (word.upper() or NO_STATE) in states},
    }
    if source.gpus.keys() - used["gpus"]:
        used["gpus"] |= {taken.rules.matched(job).gap for job in jobs}
    for field, names in used.items():
        for name in getattr(source, field):
            if name not in names:
                shown = str(name)[:40] or "''"
                yield f"`{field}: {shown}` matched nothing in this export{_reason(taken, field, name, jobs)}"


def _reason(taken: Taken, field: str, name: str, jobs: list[Job]) -> str:
    """Why a setting cannot match, where that is known, and what would do instead."""
    source = taken.rules.source
    if field == "rules":
        names = list(source.rules)
        takes_all = (other for other in names if all(each.text == ".*" for each in source.rules[other].when.values()))
        first = next(takes_all, name)
        return f", and never can: `{first}` takes every job before it" if names.index(first) < names.index(name) else ""
    if field != "gpus" or source.gpus[name].gap != UNTYPED:
        return ""
    rule = source.gpus[name]
    typed = (kind for job in jobs if fits(rule.when, job.says) is not None for kind, _ in job.gpus)
    kind = next(typed, "")
    if not kind:
        return ""
    share = f", counts_as: {{{taken.rules.cards.get(kind, '…')}: {rule.share}}}" if rule.share else ""
    return (
        f": its jobs state the type `{kind[:40]}`. Give that its own card: `cards: {{{kind[:40]}: CARD}}` here, and "
        f"`CARD: {{title: CARD{share}}}` in catalog/gpus.yaml"
    )
