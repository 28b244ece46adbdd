"""Fields that name another record must name one that exists. The fields say what they refer to (RefersTo)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from reckon.language.text import Text, place_of
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.problem import Problem, nearest
from reckon.model.record import Record
from reckon.model.values import RefersTo


def check_references(ledger: Ledger) -> list[Problem]:
    """A problem for each reference to a record that is not there."""
    shared: dict[str, Iterable[str]] = {
        "catalog.gpus": ledger.catalog.gpus, "catalog.models": ledger.catalog.models, "projects": ledger.projects,
    }  # fmt: skip
    problems = _check(ledger, shared, ledger.catalog.gpus, ledger.catalog.models, ledger.allocations)
    for one in ledger.projects.values():
        known = {
            **shared,
            "items": one.items,
            "measurements": one.measurements,
            "projections": one.projections,
            "memory": one.project.memory,
        }
        lists = [dict(enumerate(file.runs)) for file in one.runs]
        problems += _check(
            ledger,
            known,
            {"": one.project},
            one.plan,
            one.measurements,
            one.projections,
            one.configurations,
            *lists,
            within=one,
        )
        problems += [problem for file in one.runs for problem in _runs(one, file.runs)]
    return problems


def _check(
    ledger: Ledger,
    known: Mapping[str, Iterable[str]],
    *collections: Mapping[Any, Any],
    within: ProjectLedger | None = None,
) -> list[Problem]:
    found = []
    for collection in collections:
        for record in collection.values():
            for kind, text in references(record):
                prefix = f"{within.id}." if within and not kind.startswith(("catalog", "projects")) else ""
                if text not in known[kind] and not _broken(ledger, prefix, kind, text):
                    found.append(
                        Problem(
                            place_of(text),
                            f"there is no `{text[:60]}` in {_where(kind)}",
                            nearest(text, known[kind]) or "add it there",
                        )
                    )
    return found


def _broken(ledger: Ledger, prefix: str, kind: str, text: str) -> bool:
    address = f"{prefix}{'plan' if kind == 'items' else kind}.{text}"
    return any(one == address or one.startswith(address + ".") for one in ledger.broken)


def _where(kind: str) -> str:
    return {"catalog.gpus": "ledger/catalog/gpus.yaml", "catalog.models": "ledger/catalog/models.yaml", "items": "the plan",
            "memory": "`memory:` of project.yaml", "projects": "ledger/"}.get(kind, f"{kind}.yaml")  # fmt: skip


@cache
def _reference_fields(kind: type[Record]) -> tuple[tuple[str, str], ...]:
    """The fields of a record that refer to others; and, with an empty kind, those that hold records."""
    fields = []
    for name, field in kind.model_fields.items():
        marks = [one for one in [*field.metadata, *_deep(field.annotation)] if isinstance(one, RefersTo)]
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
    return any(isinstance(one, type) and issubclass(one, Record) for one in [annotation, *_deep(annotation)])


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


def _runs(one: ProjectLedger, runs: Iterable[Any]) -> Iterator[Problem]:
    """A run belongs to an item and a seed of the plan, unless it says that it was not planned; and its time adds up."""
    items, seeds = one.items, one.project.seeds
    for run in runs:
        if run.item not in items and not run.unplanned:
            right = nearest(run.item, items) or "add it to plan.yaml"
            yield Problem(
                place_of(run.item),
                f"there is no item `{run.item[:60]}` in the plan",
                f"{right}, or say `unplanned: true`",
            )
        if run.seed is not None and (seeds is None or run.seed not in seeds.names):
            has = f"the seeds are {', '.join(seeds.names[:12])}" if seeds else "the project has no seeds"
            yield Problem(place_of(run.seed), f"`{run.seed[:40]}` is no seed of this project", has)
        if run.gpu_hours is None and (run.gpus is None or run.wall_hours is None):
            yield Problem(run.place, "the GPU-hours of this run are missing", "write gpus and wall_hours, or gpu_hours")
        if run.progress and run.progress.done > run.progress.total:
            yield Problem(run.progress.place, "more is done than there is to do", "done <= total")
        if run.start and run.end and run.end[:10] < run.start[:10]:
            yield Problem(place_of(run.end), "the run ends before it starts", "end >= start")
