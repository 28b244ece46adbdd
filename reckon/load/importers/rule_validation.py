"""What imports.yaml says has to fit the plan, and itself: each rule says where hours go, once. What was imported stands
where the importer writes it, and names a source that there is; nothing else is there."""

from __future__ import annotations

from pathlib import PurePosixPath

from reckon.language.text import Text, place_of
from reckon.model.finding import Problem, Problems, nearest
from reckon.model.kinds import IMPORTED
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import GpuRule, ImportRule, ImportSource, Run
from reckon.model.records.imports import ENERGY, HOURS, MOMENTS, PARTS, TABLES, UNSTATED, UNTYPED

from .assignment import list_seeds

_APPLY_TO = {
    "decimal": TABLES,
    "dates": TABLES,
    "constants": TABLES,
    "header": TABLES,
    "path": TABLES,
    "skip": ("sacct", "pbs", *TABLES, "codecarbon", "focus"),
    "rows": ("sacct", "sacct-json", "pbs", *TABLES),
}
"""The formats to which a setting applies that does not apply to all."""
SAID = ("imported.source", "unassigned", "adds", "adds_to", "jobs")
"""What only imported entries say, or hardly any."""


def check_sources(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each rule that cannot do what it says. Nothing is told that may stand in a part that is unread."""
    yield from _check_clusters(project)
    for name, source in project.imports.items():
        at = f"{project.id}.imports.{name}"
        if not ledger.unread(f"{at}.columns"):
            yield from _check_source(source)
        for id, rule in source.rules.items():
            if not ledger.unread(f"{at}.rules.{id}") and not ledger.unread(f"{project.id}.plan"):
                yield from _check_rule(project, rule)
        for id, gap_rule in source.gpus.items():
            if not ledger.unread(f"{at}.gpus.{id}"):
                yield from _check_gap_rule(source, gap_rule)


def _check_clusters(project: ProjectLedger) -> Problems:
    """The hours of a cluster come from one source."""
    first: dict[str, str] = {}
    for name, source in project.imports.items():
        if source.counted != HOURS:
            continue
        cluster = source.cluster or name
        other = first.setdefault(cluster, name)
        if other != name:
            yield Problem(
                source.place,
                f"`{other}` and `{name[:60]}` both count the hours of `{cluster[:60]}`",
                "make one add to the other's jobs (`counts: progress`, energy or money), or give it its own `cluster:`",
            )


def _check_source(source: ImportSource) -> Problems:
    names = source.columns_named
    columns = source.columns_held
    if source.format in TABLES and names:
        yield Problem(
            place_of(names[0]),
            "the first line of a table names its columns",
            "name the fields: `columns: {Runtime: {is: wall_hours, unit: s}, Id: job}`",
        )
    elif source.format not in TABLES and columns:
        wrong = f"columns of `{source.format}` are known by name"
        right = "remove `columns`"
        if source.format == "sacct":
            right = "list the names if the file has no header: `[JobIDRaw, …]`"
        yield Problem(place_of(next(iter(columns))), wrong, right)
    elif source.format == "csv" and source.columns == ():
        yield Problem(
            source.place,
            "`columns` is missing: the fields of the table's columns",
            "add `columns:`; draft it with `budget import FILE --suggest`",
        )
    if source.key and source.row_kind != PARTS:
        yield Problem(place_of(source.key[0]), "`key` tells parts apart", f"write `rows: {PARTS}`, or remove `key`")
    elif source.key and source.format not in TABLES:
        right = "remove `key`; id and start separate the parts"
        yield Problem(place_of(source.key[0]), f"rows of `{source.format}` have no columns to name", right)
    for name, formats in _APPLY_TO.items():
        if getattr(source, name) and name not in source.from_preset and source.format not in formats:
            yield Problem(source.place, f"`{name}` does not apply to `{source.format}`", f"remove `{name}`")
    stated = source.stated
    for column, meaning in stated.columns_held.items():
        if meaning.holds in stated.constants:
            yield Problem(place_of(column), f"`{meaning.holds}` has a column and a constant", "remove one of them")
    for column in source.key:
        if column in columns and columns[Text(column)].holds == "person":
            right = "use columns that name the run, such as its start"
            yield Problem(place_of(column), "a key is stored, and this column holds persons", right)
    if source.dates and source.format == "csv" and all(column.holds not in MOMENTS for column in columns.values()):
        yield Problem(place_of(source.dates), "no column holds a date", "remove `dates`, or name a column for `start`")
    if source.counts and source.counts != source.counted_at_most:
        yield Problem(
            place_of(source.counts),
            f"an export of `{source.format}` has no {source.counts}",
            f"remove `counts`; it counts {source.counted_at_most}",
        )
    if source.meter and source.counted != ENERGY:
        yield Problem(place_of(source.meter), f"a source of {source.counted} reads no meter", "remove `meter`")


def _check_rule(project: ProjectLedger, rule: ImportRule) -> Problems:
    ways = [way for way in ("item", "items", "split", "ignore") if getattr(rule, way)]
    groups = {group for pattern in rule.when.values() for group in pattern.engine.groupindex}
    if len(ways) > 1:
        yield Problem(rule.place, f"this rule has both `{ways[0]}` and `{ways[1]}`", "keep one, or write two rules")
    elif not ways and "item" not in groups:
        yield Problem(
            rule.place,
            "this rule has no item for the hours of its jobs",
            "write `item:`, `split:`, `ignore:`, or `items:` with a group `(?P<item>…)` in a pattern",
        )
    if rule.items and "item" not in groups:
        yield Problem(
            place_of(next(iter(rule.items))),
            "no pattern captures the group `item` used here",
            "write `(?P<item>eval|embed)` in a pattern of `when`",
        )
    if rule.item is not None and rule.item not in project.items and not rule.unplanned:
        right = nearest(rule.item, project.items) or "add it to plan.yaml, or write `unplanned: true`"
        yield Problem(place_of(rule.item), f"there is no item `{rule.item[:60]}` in the plan", right)
    if rule.seed is not None and rule.seed not in project.seeds:
        wrong = f"`{rule.seed[:40]}` is not among the seeds of this project"
        yield Problem(place_of(rule.seed), wrong, list_seeds(project.seeds))


def _check_gap_rule(source: ImportSource, rule: GpuRule) -> Problems:
    if rule.gap == UNSTATED and rule.count is None:
        yield Problem(rule.place, "the number of GPUs of such a job is missing", "write `count: 1`")
    elif rule.gap == UNSTATED and rule.card is None and UNTYPED not in source.cards:
        yield Problem(rule.place, "the card of such a job is missing", "write `card: CARD`")
    elif rule.gap == UNTYPED and rule.count is not None:
        yield Problem(
            rule.place,
            "the source already states the GPUs of an untyped job",
            "remove `count`, or write `if: unstated`",
        )
    if rule.count is not None and rule.count.denominator != 1:
        yield Problem(
            rule.place,
            f"`{rule.count}` is not a whole number of GPUs",
            "write a whole number, and `share: 1/7` for parts",
        )


def check_imported(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each entry that is in the wrong folder, or was imported from no source of imports.yaml."""
    rows = project.rows
    said = rows.columns(*SAID)
    for file, first, last in rows.spans():
        inside = PurePosixPath(file).parent.name == IMPORTED
        for number, (source, unassigned, adds, adds_to, jobs) in zip(range(first, last), said, strict=False):
            fits = inside and source in project.imports
            if source is None:
                fits = not (inside or unassigned or jobs is not None)
            may_be_wrong = not fits or adds or adds_to
            if may_be_wrong and not ledger.unread(f"{project.id}.runs.{rows.place(number)}"):
                yield from _check_entry(ledger, project, rows.run(number), inside)


def _check_entry(ledger: Ledger, project: ProjectLedger, run: Run, inside: bool) -> Problems:
    imported = run.imported
    yield from _check_added(run)
    if imported is None:
        yield from _check_own_entry(run, inside)
    elif not inside:
        yield Problem(
            imported.place,
            f"an imported entry is outside runs/{IMPORTED}/",
            "remove it and import the export again, or remove `imported`",
        )
    elif imported.source not in project.imports and not ledger.unread(f"{project.id}.imports"):
        right = nearest(imported.source, project.imports) or "restore the source there, or undo its import first"
        wrong = f"there is no source `{imported.source[:60]}` in imports.yaml"
        yield Problem(place_of(imported.source), wrong, right)


def _check_own_entry(run: Run, inside: bool) -> Problems:
    """What is wrong with an entry that was not imported."""
    if inside:
        yield Problem(
            run.place,
            f"this entry in runs/{IMPORTED}/ was not imported",
            f"move it to a file in runs/; imports rewrite runs/{IMPORTED}/",
        )
    if run.jobs is not None:
        yield Problem(
            run.place,
            "`jobs` is for imported entries",
            "remove it; write a run for each, or one with all hours",
        )
    if run.unassigned:
        yield Problem(
            run.place,
            "`unassigned` is for imported runs that no rule fits",
            "name the item, or write `unplanned: true`",
        )


def _check_added(run: Run) -> Problems:
    """What is wrong with an entry that adds something to a job, or names one to add it to."""
    if run.adds_to and not run.adds:
        yield Problem(place_of(run.adds_to), "this entry adds nothing to a job", "remove `adds_to`")
    elif run.adds and run.imported is None:
        yield Problem(
            place_of(run.adds),
            "`adds` is for imported entries",
            "state `energy_kwh`, `cost_usd` or `progress` of a run with hours",
        )
    elif run.adds and (run.gpus is not None or run.gpu_hours is not None):
        yield Problem(
            place_of(run.adds),
            f"an entry that adds {run.adds} cannot have GPU-hours",
            "remove these, or import the export again",
        )
