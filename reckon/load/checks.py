"""What records say of each other must fit: fields that name another (RefersTo), sections of pages, runs and the plan,
settings and their columns, levers, reported figures, parts of memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from reckon.language.calendar_days import first_day, last_day
from reckon.language.text import NOWHERE, Place, Text, place_of
from reckon.language.units import key_unit, kind_words
from reckon.model.fields import parts_of
from reckon.model.finding import Problem, ProblemList, Problems, nearest
from reckon.model.kinds import CATALOG, INSIDE, PROJECT
from reckon.model.ledger import Ledger, ProjectLedger, chain
from reckon.model.record import Record
from reckon.model.records import NOBODY, Configuration, Drop, Projection, Run, SettingSpec
from reckon.model.runs import AllRuns
from reckon.model.values import RefersTo

from .currencies import check_currencies
from .importers.rule_validation import check_imported, check_sources
from .jobs import jobs_of_two_projects, jobs_twice
from .overrides import record_kind
from .pages import check_pages
from .payer_checks import check_allocations, check_payers
from .plan_checks import check_runs, hint_record, no_seed
from .proposals import check_proposals
from .run_format import COLUMNS
from .workloads import check_workloads

Known: TypeAlias = Mapping[str, Iterable[str]]
TIME = (("time", 1),)
SIZES = ("gb", "gib", "pool", "share", "reckoned")
REST = "rest"


def check_records(ledger: Ledger) -> ProblemList:
    """A problem for each reference to a record that is not there, and for what does not suit the rest of the ledger.

    Nothing is reported that may stand in a part that could not be read.
    """
    catalog = (getattr(ledger.catalog, name) for name in CATALOG)
    problems = list(_check(ledger, "", _known_records(ledger), *catalog, ledger.allocations))
    problems += [*_cards(ledger), *check_currencies(ledger), *check_allocations(ledger), *jobs_of_two_projects(ledger)]
    problems += [problem for grant in ledger.allocations.values() for problem in _backwards(grant.since, grant.until)]
    for framework, frame in ledger.catalog.settings.items():
        for name, spec in frame.settings.items():
            if not ledger.unread(f"catalog.settings.{framework}.settings.{name}"):
                problems += _spec(name, place_of(name), spec)
    for project in ledger.projects.values():
        records = [getattr(project, name) for name, kind in PROJECT.items() if not kind.listed]
        known = _known_records(ledger, project)
        runs = {number: project.rows.run(number) for number in sorted(_referring(project.rows, known))}
        own = {"": project.project}, *records, runs, dict(enumerate(project.claims))
        problems += _check(ledger, project.id, known, *own)
        problems += check_runs(ledger, project)
        for check in CHECKS:
            problems += check(ledger, project)
    return problems


def _known_records(ledger: Ledger, *projects: ProjectLedger) -> Known:
    """What the records of a project, or those that all share, can refer to, by the name that RefersTo has for it."""
    found = {f"catalog.{name}": getattr(ledger.catalog, name) for name in CATALOG}
    found |= {"projects": ledger.projects, "allocations": (*ledger.allocations, NOBODY)}
    for project in projects:
        found |= {name: getattr(project, name) for name, kind in PROJECT.items() if not kind.listed}
        found |= {name: getattr(project.project, name) for name, kind in INSIDE.items() if not kind.listed}
        found |= {"phases": project.plan, "items": project.items}
    return found


def _cards(ledger: Ledger) -> Problems:
    """The cards that price lists, throughputs and markets name must be in the catalogue."""
    catalog = ledger.catalog
    prices = catalog.prices.values()
    named = [card for each in prices for card in (*each.usd_per_month, *each.market)]
    for each in prices:
        named += [card for _, _, by_card in each.tables() for card in by_card]
    named += [card for rates in catalog.throughputs.values() for card in rates.tokens_per_second_per_gpu]
    named += [card for provider in catalog.providers.values() if provider.search for card in provider.search.names]
    for card in named:
        if card not in catalog.gpus and not ledger.unread(f"catalog.gpus.{card}"):
            right = hint_record(card, catalog.gpus)
            yield Problem(place_of(card), f"there is no `{card[:60]}` in {_describe_kind('catalog.gpus')}", right)


def _phases(ledger: Ledger, project: ProjectLedger) -> Problems:
    """The dates of phases must be in order, and each entry of `descope` must name one piece of the plan."""
    for phase in project.plan.values():
        yield from _backwards(phase.since, phase.until)
    for drop in project.project.descope:
        yield from _dropped(ledger, project, drop)


def _dropped(ledger: Ledger, project: ProjectLedger, drop: Drop) -> Problems:
    """An entry of `descope` names one piece of the plan; nothing is missed in a list of which parts are unread."""
    if drop.phase is not None and (drop.item is not None or drop.seed is not None):
        yield Problem(
            drop.place,
            "this entry drops two things",
            "write one entry for each; only `item:` and `seed:` combine",
        )
    elif drop.phase is drop.item is drop.seed is None and not ledger.unread(f"{project.id}.descope"):
        yield Problem(drop.place, "this entry drops nothing", "write `item:`, `phase:` or `seed:`")
    if drop.seed is None:
        return
    seeds = project.seeds
    item = project.items.get(str(drop.item))
    if drop.seed not in seeds and not ledger.unread(f"{project.id}.seeds"):
        yield no_seed(drop.seed, seeds)
    elif item and item.scope != "per-seed" and not ledger.unread(f"{project.id}.plan.{drop.item}"):
        yield Problem(
            place_of(drop.seed),
            f"item `{drop.item}` is not planned by seed (its scope is {item.scope})",
            "remove `seed:` to drop all of it",
        )


def _backwards(since: Text | None, until: Text | None) -> Problems:
    """A problem if something ends before it begins."""
    if since and until and last_day(until) < first_day(since):
        yield Problem(place_of(until), f"it ends before it begins ({since})", "write an `until` after `since`")


def _check(ledger: Ledger, project: str, known: Known, *collections: Mapping[Any, Record]) -> Problems:
    for collection in collections:
        for record in collection.values():
            for kind, text in references(record):
                if text in known[kind] or place_of(text) is NOWHERE:  # it stands in for what could not be read
                    continue
                if kind == "projects":
                    above = ""
                elif "." in kind or kind == "allocations":
                    above = f"{kind}."
                else:
                    above = f"{project}.{kind}."
                if not ledger.unread(f"{above.replace('.items.', '.plan.')}{text}"):
                    right = hint_record(text, known[kind])
                    yield Problem(place_of(text), f"there is no `{text[:60]}` in {_describe_kind(kind)}", right)


def _describe_kind(kind: str) -> str:
    places = {"items": "the plan", "phases": "the plan", "projects": "ledger/"}
    places |= {key: f"`{key}:` of project.yaml" for key in INSIDE}
    file = f"ledger/{kind.replace('.', '/')}.yaml" if kind.startswith("catalog.") else f"{kind}.yaml"
    return places.get(kind, file)


@cache
def _reference_fields(kind: type[Record]) -> tuple[tuple[str, str], ...]:
    """The fields of a record that refer to others; and, with an empty kind, those that hold records."""
    fields = []
    for name, field in kind.model_fields.items():
        parts = parts_of(field)
        if marks := [mark.kind for mark in parts if isinstance(mark, RefersTo)]:
            fields.append((name, marks[0]))
        elif record_kind(kind, name):
            fields.append((name, ""))
    return tuple(fields)


def references(record: Record) -> Iterator[tuple[str, Text]]:
    """Every reference in a record and the records in it: what kind of record it names, and the text."""
    for name, kind in _reference_fields(type(record)):
        value = getattr(record, name)
        parts: Iterable[Any]
        if isinstance(value, dict):
            parts = value.values()
        elif isinstance(value, tuple):
            parts = value
        else:
            parts = (value,)
        for part in parts:
            if kind and isinstance(part, Text):
                yield kind, part
            elif isinstance(part, Record):
                yield from references(part)


def _circles(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A record cannot take its fields over from itself, however long the way round."""
    for kind, of in PROJECT.items():
        records: Mapping[str, Projection | Configuration] = getattr(project, kind, {})
        if not records or "base" not in of.record.model_fields:
            continue
        for name, record in records.items():
            if record.base is not None and records[chain(records, name)[-1]].base == name:
                yield Problem(
                    place_of(record.base),
                    f"the {kind} depend on each other in a circle",
                    "remove `base` from one of them",
                )


def _seedless(ledger: Ledger, project: ProjectLedger) -> Problems:
    """An item per seed needs seeds to multiply it by."""
    if project.project.seeds is None and not ledger.unread(f"{project.id}.seeds"):
        for item in project.items.values():
            if item.scope == "per-seed":
                yield Problem(
                    place_of(item.scope),
                    "this item is per seed, but the project has no seeds",
                    "add `seeds: 3` (or a list) to project.yaml, or use another scope",
                )


def _contradicting(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A piece of work that takes several runs is not ended by one of them."""
    for item in project.items.values():
        if item.runs is not None and item.finishes == "piece":
            yield Problem(
                place_of(item.finishes),
                f"`finishes: piece` contradicts `runs: {item.runs.text}`: one completed run would end all of them",
                "write `finishes: run`, or remove one of the two",
            )


def _ungranted(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A chance of exceeding grants is stated by a project that draws on one."""
    risk = project.project.at_risk
    if risk is None or risk.allocations is None or ledger.unread("allocations"):
        return
    if not ledger.grants_of(project.id):
        yield Problem(
            risk.allocations.place,
            "this project has no allocation",
            "add it under `projects` of one, or remove `allocations` from `at_risk`",
        )


def _columns(_: Ledger, project: ProjectLedger) -> Problems:
    """A column of a table holds a field of a run."""
    for field in project.project.csv.values():
        if field not in COLUMNS:
            right = nearest(field, COLUMNS) or "see `budget guide reference`"
            yield Problem(place_of(field), f"`{field[:60]}` is not a field of a run", right, since=2)


def _referring(rows: AllRuns, known: Known) -> set[int]:
    """The runs that name a record which is not known; no field of a record in a run names any."""
    found: set[int] = set()
    for name, kind in _reference_fields(Run):
        strange = rows.values(name) - {*known[kind], None} if kind else set()
        if strange:
            found.update(rows.where([name], strange.__contains__))
    return found


def _spec(name: str, place: Place, spec: SettingSpec) -> Problems:
    """A time-out is a time, and what limits a column measures what the column does."""
    kinds = spec.measure(name).kinds
    if spec.role == "request-timeout" and kinds != TIME:
        yield Problem(
            place if spec.unit is None else place_of(spec.unit),
            f"a time-out is a time, and `{name[:60]}` measures {kind_words(kinds)}",
            "write `unit: seconds`",
        )
    elif spec.of is not None and key_unit(spec.of).kinds != kinds:
        column = f"`{spec.of[:60]}` {kind_words(key_unit(spec.of).kinds)}"
        yield Problem(
            place_of(spec.of),
            f"`{name[:60]}` measures {kind_words(kinds)}, the column {column}",
            "name the column that it limits, or correct its `unit:`",
        )


def _levers(ledger: Ledger, project: ProjectLedger) -> Problems:
    """What a lever is said to lower is among what it sets."""
    for id_, lever in project.levers.items():
        for name in lever.lowers:
            if name not in lever.sets and not ledger.unread(f"{project.id}.levers.{id_}"):
                right = nearest(name, lever.sets) or "add it"
                yield Problem(place_of(name), f"this lever does not set `{name[:60]}`", right)


def _reported(ledger: Ledger, project: ProjectLedger) -> Problems:
    """What was reported for a projection is a time, as the projection is."""
    for projection in project.projections.values():
        named = project.figures.get(projection.reported) if projection.reported is not None else None
        for written in named.figures.values() if named else ():
            if written.unit.kinds != TIME:
                measures = kind_words(written.unit.kinds)
                yield Problem(
                    place_of(projection.reported),
                    f"`{str(projection.reported)[:60]}` measures {measures}, a projection time",
                    "name a figure in hours or another time",
                )


def _memory(ledger: Ledger, project: ProjectLedger) -> Problems:
    """The parts of the memory of configurations fit together."""
    if not ledger.unread(f"{project.id}.configurations"):
        for name, configuration in project.configurations.items():
            yield from _check_parts(project, name, configuration)


def _check_parts(project: ProjectLedger, name: str, record: Configuration) -> Problems:
    """What the parts of a configuration say: each its size in one way, and what holds it is a pool."""
    held = (project.configurations[each].memory for each in reversed(chain(project.configurations, name)))
    whole = {part: each for memory in held for part, each in memory.items()}  # its own take a base's place
    pools = [part for part, each in whole.items() if each.is_pool]
    rests: dict[str, str] = {}
    for part, each in record.memory.items():
        sizes = each.list_stated(SIZES)
        if len(sizes) > 1:
            yield Problem(place_of(part), f"`{part}` has two sizes: `{sizes[0]}` and `{sizes[1]}`", "keep one of them")
        elif each.within is not None and each.is_pool:
            yield Problem(
                place_of(each.within), f"`{part}` is a pool, which cannot be inside another pool", "remove `within`"
            )
        elif each.within is not None and each.within not in pools:
            hint = nearest(each.within, pools) or "name a part with `pool` or `share`"
            yield Problem(place_of(each.within), f"`{each.within[:60]}` is not a pool of this configuration", hint)
        elif each.reckoned == REST and each.within is None:
            yield Problem(place_of(part), f"`{part}` is the rest of a pool that is not named", "write `within:`")
        elif each.reckoned == REST:
            first = rests.setdefault(str(each.within), part)
            if first != part:
                yield Problem(
                    place_of(part),
                    f"`{part}` and `{first}` are both the rest of `{each.within}`",
                    "state the size of one of them",
                )


CHECKS = (
    jobs_twice,
    _seedless,
    _contradicting,
    _ungranted,
    _columns,
    _circles,
    _phases,
    check_pages,
    _levers,
    _reported,
    _memory,
    check_imported,
    check_payers,
    check_proposals,
    check_workloads,
    check_sources,
)
"""What is checked of each project as a whole."""
