"""Fields that name another record must name one that exists, and so must the sections of pages.

The fields say what they refer to (RefersTo).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias, get_args

from reckon.language.days import first_day, last_day
from reckon.language.text import NOWHERE, Text, place_of
from reckon.model.finding import Problem, nearest
from reckon.model.kinds import CATALOG, INSIDE, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger, chain
from reckon.model.pages import TAKEN, showable
from reckon.model.records import Configuration, Drop, Projection, Run
from reckon.model.values import Record, RefersTo

Known: TypeAlias = Mapping[str, Iterable[str]]
SHOWN = (*(name for name, kind in {**PROJECT, **INSIDE}.items() if kind.block), "catalog.gpus")
"""Examples of what sections of pages can show, for messages."""


def check_references(ledger: Ledger) -> list[Problem]:
    """A problem for each reference to a record that is not there, and for each run that does not suit the plan.

    Nothing is reported that may stand in a part that could not be read.
    """
    shared = _shared(ledger)
    catalog = (getattr(ledger.catalog, name) for name in CATALOG)
    problems = list(_check(ledger, "", shared, *catalog, ledger.allocations))
    problems += _cards(ledger)
    problems += [problem for grant in ledger.allocations.values() for problem in _backwards(grant.since, grant.until)]
    for project in ledger.projects.values():
        runs = [dict(enumerate(file.runs)) for file in project.runs]
        records = [getattr(project, name) for name, kind in PROJECT.items() if not kind.listed]
        known = {**shared, **_own(project)}
        own = {"": project.project}, *records, *runs, dict(enumerate(project.claims))
        problems += _check(ledger, project.id, known, *own)
        problems += _seedless(ledger, project)
        problems += _circles(project)
        problems += [problem for file in project.runs for problem in _runs(ledger, project, file.runs)]
        problems += _jobs_twice(project)
        problems += _project(ledger, project)
        problems += _pages(ledger, project)
    return problems


def _shared(ledger: Ledger) -> Known:
    """What any record can refer to, by the name that RefersTo has for it."""
    return {**{f"catalog.{name}": getattr(ledger.catalog, name) for name in CATALOG}, "projects": ledger.projects}


def _own(project: ProjectLedger) -> Known:
    """What the records of a project can refer to of their own."""
    records = {name: getattr(project, name) for name, kind in PROJECT.items() if not kind.listed}
    inside = {name: getattr(project.project, name) for name, kind in INSIDE.items() if not kind.listed}
    return {**records, **inside, "phases": project.plan, "items": project.items}


def _pages(ledger: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """A problem for each page whose name is taken, and for each address of a section at which there is no record."""
    known = showable(ledger, project) if project.project.pages else {}
    for name, page in project.project.pages.items():
        if name in TAKEN:
            yield Problem(place_of(name), f"a page cannot be called `{name}`: each project has that one", "rename it")
        for address in (address for some in page.sections.values() for address in some):
            # What is wrong in a record that could not be read is told there.
            full = address if address.startswith("catalog.") else f"{project.id}.{address}"
            if address not in known and place_of(address) is not NOWHERE and not ledger.unread(full):
                right = nearest(address, known) or f"write the address of one of {', '.join(SHOWN)}, and so on"
                yield Problem(place_of(address), f"there is no record at `{address[:80]}`", right)


def _cards(ledger: Ledger) -> Iterator[Problem]:
    """The cards that price lists, throughputs and markets name must be in the catalogue."""
    catalog = ledger.catalog
    prices = catalog.prices.values()
    named = [card for each in prices for card in (*each.usd_per_gpu_hour, *each.usd_per_month, *each.market)]
    named += [card for each in prices for change in each.since.values() for card in change.usd_per_gpu_hour]
    named += [card for rates in catalog.throughputs.values() for card in rates.tokens_per_second_per_gpu]
    named += [card for provider in catalog.providers.values() if provider.search for card in provider.search.names]
    for card in named:
        if card not in catalog.gpus and not ledger.unread(f"catalog.gpus.{card}"):
            right = nearest(card, catalog.gpus) or "add it there"
            yield Problem(place_of(card), f"there is no `{card[:60]}` in {_where('catalog.gpus')}", right)


def _project(ledger: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """The dates of phases must be in order, and each entry of `descope` must name one piece of the plan."""
    for phase in project.plan.values():
        yield from _backwards(phase.since, phase.until)
    whole = not ledger.unread(f"{project.id}.descope")
    for drop in project.project.descope:
        yield from _dropped(ledger, project, drop, whole)


def _dropped(ledger: Ledger, project: ProjectLedger, drop: Drop, whole: bool) -> Iterator[Problem]:
    """An entry of `descope` names one piece of the plan; nothing is missed in a list of which parts are unread."""
    if drop.phase is not None and (drop.item is not None or drop.seed is not None):
        right = "give each an entry of its own; only `item:` and `seed:` go together"
        yield Problem(drop.place, "this drops two pieces at once", right)
    elif drop.phase is None and drop.item is None and drop.seed is None and whole:
        yield Problem(drop.place, "this drops nothing", "write `item:`, `phase:` or `seed:`")
    if drop.seed is None:
        return
    seeds, item = project.project.seeds.names if project.project.seeds else (), project.items.get(str(drop.item))
    if drop.seed not in seeds and not ledger.unread(f"{project.id}.seeds"):
        yield _no_seed(drop.seed, seeds)
    elif item and item.scope != "per-seed" and not ledger.unread(f"{project.id}.plan.{drop.item}"):
        wrong = f"item `{drop.item}` is not planned by seed (its scope is {item.scope})"
        yield Problem(place_of(drop.seed), wrong, "leave `seed:` out to drop all of it")


def _backwards(since: Text | None, until: Text | None) -> Iterator[Problem]:
    """A problem if something ends before it begins."""
    if since and until and last_day(str(until)) < first_day(str(since)):
        yield Problem(place_of(until), f"it ends before it begins ({since})", "since <= until")


def _no_seed(seed: Text, seeds: Collection[str]) -> Problem:
    has = f"the seeds are {', '.join([*seeds][:12])}" if seeds else "the project has no seeds"
    return Problem(place_of(seed), f"`{seed[:40]}` is no seed of this project", has)


def _check(ledger: Ledger, project: str, known: Known, *collections: Mapping[Any, Record]) -> Iterator[Problem]:
    for collection in collections:
        for record in collection.values():
            for kind, text in references(record):
                # A text from nowhere is a stand-in for one that could not be read.
                if (
                    text not in known[kind]
                    and place_of(text) is not NOWHERE
                    and not ledger.unread(_address(project, kind, text))
                ):
                    right = nearest(text, known[kind]) or "add it there"
                    yield Problem(place_of(text), f"there is no `{text[:60]}` in {_where(kind)}", right)


def _address(project: str, kind: str, text: str) -> str:
    if kind == "projects":
        return text
    return (
        f"{kind}.{text}" if kind.startswith("catalog.") else f"{project}.{'plan' if kind == 'items' else kind}.{text}"
    )


def _where(kind: str) -> str:
    places = {"items": "the plan", "phases": "the plan", "projects": "ledger/"}
    places |= {key: f"`{key}:` of project.yaml" for key in INSIDE}
    file = f"ledger/{kind.replace('.', '/')}.yaml" if kind.startswith("catalog.") else f"{kind}.yaml"
    return places.get(kind, file)


@cache
def _reference_fields(kind: type[Record]) -> tuple[tuple[str, str], ...]:
    """The fields of a record that refer to others; and, with an empty kind, those that hold records."""
    fields = []
    for name, field in kind.model_fields.items():
        marks = [mark for mark in [*field.metadata, *_deep(field.annotation)] if isinstance(mark, RefersTo)]
        if marks:
            fields.append((name, marks[0].kind))
        elif _holds_records(field.annotation):
            fields.append((name, ""))
    return tuple(fields)


def _deep(annotation: Any) -> Iterator[Any]:
    for part in get_args(annotation):
        yield part
        yield from _deep(part)


def _holds_records(annotation: Any) -> bool:
    return any(isinstance(part, type) and issubclass(part, Record) for part in [annotation, *_deep(annotation)])


def references(record: Record) -> Iterator[tuple[str, Text]]:
    """Every reference in a record and the records in it: what kind of record it names, and the text."""
    for name, kind in _reference_fields(type(record)):
        value = getattr(record, name)
        if value is None:
            continue
        parts = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
        for part in parts:
            if kind and isinstance(part, Text):
                yield kind, part
            elif isinstance(part, Record):
                yield from references(part)


def _circles(project: ProjectLedger) -> Iterator[Problem]:
    """A record cannot take its fields over from itself, however long the way round."""
    based: tuple[tuple[str, Mapping[str, Projection] | Mapping[str, Configuration]], ...] = (
        ("projections", project.projections),
        ("configurations", project.configurations),
    )
    for kind, records in based:
        for name, record in records.items():
            if record.base is not None and records[chain(records, name)[-1]].base == name:
                wrong = f"the {kind} rest on each other in a circle"
                yield Problem(place_of(record.base), wrong, "let one have no `base`")


def _seedless(ledger: Ledger, project: ProjectLedger) -> Iterator[Problem]:
    """An item per seed needs seeds to multiply it by."""
    if project.project.seeds is None and not ledger.unread(f"{project.id}.seeds"):
        for item in project.items.values():
            if item.scope == "per-seed":
                right = "add `seeds: 3` (or a list) to project.yaml, or take another scope"
                yield Problem(place_of(item.scope), "this item is per seed, but the project has no seeds", right)


def _runs(ledger: Ledger, project: ProjectLedger, runs: Iterable[Run]) -> Iterator[Problem]:
    """A run belongs to an item and a seed of the plan, unless it says that it was not planned; and its time adds up."""
    items, seeds = project.items, project.project.seeds
    for run in runs:
        if (
            run.item not in items
            and not run.unplanned
            and not ledger.unread(f"{project.id}.runs.{run.place}.unplanned")
            and not ledger.unread(f"{project.id}.plan.{run.item}")
        ):
            yield Problem(
                place_of(run.item), f"there is no item `{run.item[:60]}` in the plan", _not_planned(run.item, items)
            )
        if (
            run.seed is not None
            and run.seed not in (seeds.names if seeds else ())
            and not ledger.unread(f"{project.id}.seeds")
        ):
            yield _no_seed(run.seed, seeds.names if seeds else ())
        if (
            run.gpu_hours is None
            and (run.gpus is None or run.wall_hours is None)
            and not ledger.unread(f"{project.id}.runs.{run.place}")
        ):
            yield Problem(run.place, "the GPU-hours of this run are missing", "write gpus and wall_hours, or gpu_hours")
        if run.progress and run.progress.done > run.progress.total:
            yield Problem(run.progress.place, "more is done than there is to do", "done <= total")
        if run.energy_of and run.energy_kwh is None and not ledger.unread(f"{project.id}.runs.{run.place}.energy_kwh"):
            right = "write `energy_kwh`, or leave this out"
            yield Problem(place_of(run.energy_of), "this run states no energy", right)
        if run.start and run.end and _before(run.end, run.start):
            yield Problem(place_of(run.end), "the run ends before it starts", "end >= start")


def _jobs_twice(project: ProjectLedger) -> Iterator[Problem]:
    """A job is charged once: a second entry with its id is most likely the same run, added again."""
    first: dict[str, Text] = {}
    for job in (run.job for file in project.runs for run in file.runs if run.job is not None):
        if (stands := first.setdefault(job, job)) is not job:
            where = f"{place_of(stands).file}:{place_of(stands).line}"
            right = f"the first is {where}; keep one, or give each attempt an id of its own, as in `{job[:40]}-2`"
            yield Problem(place_of(job), f"job `{job[:60]}` is there twice", right)


def _not_planned(item: str, items: Iterable[str]) -> str:
    hint, otherwise = nearest(item, items), "add it to plan.yaml, or say `unplanned: true`"
    return f"{hint} Otherwise {otherwise}" if hint.endswith("?") else f"{hint}: {otherwise}" if hint else otherwise


def _before(this: str, other: str) -> bool:
    """Whether a moment lies before another; by the day only, where one has no time of day or they name offsets."""
    exact = len(this) >= 16 and len(other) >= 16 and this[16:] == other[16:]
    first, second = (moment.replace("T", " ")[: 16 if exact else 10] for moment in (this, other))
    return first < second
