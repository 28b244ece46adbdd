"""The tables of a book, for notebooks and for files of other programs: projects, runs, figures, plan and findings.

`TABLES` is the one place that says which tables and columns there are, and how each column is read off its rows. Where
a number is unknown, `missing` says which inputs it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import attrgetter, itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from reckon.compute.audit import data_through
from reckon.compute.book import Book
from reckon.language.days import DATE, since_1970
from reckon.language.quantity import Quantity
from reckon.language.units import GPU_HOURS
from reckon.model.figure import USEFUL, Figure
from reckon.model.finding import SEVERITIES
from reckon.model.release import Snapshot

from .budget.limits import state_of
from .frames import (
    COUNT,
    FLAG,
    HOURS,
    NUMBER,
    RANGE,
    TEXT,
    TIME,
    FindingRecord,
    FrameColumn,
    FrameTable,
    PlannedItem,
    figure_rows,
    finding_rows,
    framed,
    lacking,
    plan_rows,
    project_rows,
    released_rows,
    run_rows,
    use_of,
)
from .render.numbers import told
from .view import View

if TYPE_CHECKING:
    import pandas


def _whole(text: object) -> int | None:
    """The number that a text is, as `1` or `42`; None for other words, and for what no column of numbers can hold."""
    plain = str(text or "")
    return int(plain) if plain.isdecimal() and plain == str(int(plain[:19])) and int(plain) < 2**63 else None


def _written(pue: Fraction | str) -> str:
    """A number or an id as a text."""
    return pue if isinstance(pue, str) else f"{float(pue):.12g}"


def _counted(severity: str) -> Callable[[View], int]:
    return lambda view: len(view.severity(severity))


def _maybe(address: str) -> Callable[[View], Figure | None]:
    return lambda view: view.maybe(address)


def _use(address: str) -> Callable[[View], Fraction | None]:
    return lambda view: use_of(view.maybe(address))


def _part(name: str) -> Callable[[PlannedItem], Figure | None]:
    return lambda item: item.figure(name)


def _share(amount: object) -> Fraction | None:
    return amount.value.use if isinstance(amount, Quantity) else None


PROJECTS = (
    FrameColumn("title", TEXT, "its title", attrgetter("project.title")),
    FrameColumn("version", TEXT, "the version that its ledger is at", attrgetter("project.version")),
    FrameColumn("kind", TEXT, "`budget`, `comparison` or `measured`", attrgetter("kind")),
    FrameColumn("state", TEXT, "the state of a budget, as its status page has it",
                lambda view: state_of(view).word if view.kind == "budget" else None),
    FrameColumn("as_of", TIME, "the date of the plan", lambda view: since_1970(str(view.project.as_of))),
    FrameColumn("data_through", TIME, "the date of the newest run or measurement",
                lambda view: since_1970(data_through(view.ledger))),
    FrameColumn("gpu", TEXT, "the GPU whose hours the budget counts", attrgetter("project.gpu")),
    FrameColumn("seeds", COUNT, "how many seeds it has",
                lambda view: len(view.project.seeds.names) if view.project.seeds else None),
    FrameColumn("runs", COUNT, "how many runs are recorded",
                lambda view: sum(len(file.runs) for file in view.ledger.runs)),
    FrameColumn("final", RANGE, "the final budget, in GPU-hours", _maybe("budget.final")),
    FrameColumn("extended", RANGE, "the budget with extensions, in GPU-hours", _maybe("budget.extended")),
    FrameColumn("ceiling", RANGE, "the most GPU-hours that it may take", _maybe("ceiling")),
    FrameColumn("actual", HOURS, "what was charged, in GPU-hours", _use("actual.total")),
    FrameColumn("remaining", RANGE, "final budget less what was charged, in GPU-hours", _maybe("budget.remaining")),
    FrameColumn("waste_share", NUMBER, "the share of what was charged that came to nothing, 0 to 1",
                _use("actual.waste_share")),
    FrameColumn("complete_share", NUMBER, "the share of the work that is complete, 0 to 1",
                _use("performance.complete_share")),
    FrameColumn("eac", RANGE, "the estimate at completion, in GPU-hours", _maybe("performance.eac")),
    FrameColumn("p10", HOURS, "the forecast that one case in ten stays below, in GPU-hours", _use("forecast.p10")),
    FrameColumn("p50", HOURS, "the same for five in ten", _use("forecast.p50")),
    FrameColumn("p90", HOURS, "the same for nine in ten", _use("forecast.p90")),
    *(FrameColumn(f"{severity}s", COUNT, f"how many open findings are of severity `{severity}`", _counted(severity))
      for severity in SEVERITIES),
    FrameColumn("accepted", COUNT, "how many findings are accepted", lambda view: len(view.accepted)),
    FrameColumn("missing", TEXT, "the addresses that the figures of this row lack",
                lambda view: lacking(*(view.maybe(address) for address in (
                    "budget.final", "budget.extended", "ceiling", "actual.total", "performance.eac", "forecast.p50")))),
)  # fmt: skip
RUNS = (
    FrameColumn("project", TEXT, "the id of its project", attrgetter("project.id")),
    FrameColumn("phase", TEXT, "the phase of its item; missing for unplanned work", attrgetter("phase")),
    FrameColumn("item", TEXT, "the item of the plan, or the name of unplanned work", attrgetter("run.item")),
    FrameColumn("seed", COUNT, "its seed, where that is a whole number", lambda record: _whole(record.run.seed)),
    FrameColumn("seed_name", TEXT, "its seed as it is written", attrgetter("run.seed")),
    FrameColumn("status", TEXT, "what came of it, as `completed` or `failed`", attrgetter("run.status")),
    FrameColumn("useful", FLAG, "whether its hours count as useful, not as wasted",
                lambda record: record.run.status in USEFUL),
    FrameColumn("unplanned", FLAG, "whether it belongs to no item of the plan", attrgetter("run.unplanned")),
    FrameColumn("date", TIME, "the day that it counts on; the last one of a month, or of several days",
                lambda record: since_1970(str(record.run.end or record.run.date or record.run.start or "")[:10])),
    FrameColumn("start", TIME, "when it began; in UTC if the ledger names an offset",
                lambda record: since_1970(str(record.run.start or ""))),
    FrameColumn("end", TIME, "when it ended, likewise", lambda record: since_1970(str(record.run.end or ""))),
    FrameColumn("gpu", TEXT, "the GPU that it was on", attrgetter("gpu")),
    FrameColumn("gpus", NUMBER, "how many it held", attrgetter("run.gpus")),
    FrameColumn("wall_hours", NUMBER, "how long it held them, in hours", attrgetter("run.wall_hours")),
    FrameColumn("gpu_hours", HOURS, "what was charged, in GPU-hours on that GPU",
                attrgetter("held")),
    FrameColumn("counted_hours", HOURS, "the same in GPU-hours on the project's GPU, which budgets count",
                attrgetter("counted")),
    FrameColumn("cost_usd", NUMBER, "what it cost, in dollars, where that is stated", attrgetter("run.cost_usd")),
    FrameColumn("energy_kwh", NUMBER, "the energy that it took, in kWh, where that is stated",
                attrgetter("run.energy_kwh")),
    FrameColumn("energy_of", TEXT, "what that is of: `machine`, or `facility`", attrgetter("run.energy_of")),
    FrameColumn("watts", NUMBER, "what each GPU drew, in W, where that is stated", attrgetter("run.watts")),
    FrameColumn("pue", TEXT, "the PUE of where it ran, where it has its own",
                lambda record: None if record.run.pue is None else _written(record.run.pue)),
    FrameColumn("grid", TEXT, "the grid that it drew on, where it has its own", attrgetter("run.grid")),
    FrameColumn("utilisation", NUMBER, "the share of the GPUs that was measured to be in use, 0 to 1",
                lambda record: _share(record.run.utilisation)),
    FrameColumn("progress_done", NUMBER, "how much of its work was done then",
                lambda record: record.run.progress and record.run.progress.done),
    FrameColumn("progress_total", NUMBER, "how much work there is",
                lambda record: record.run.progress and record.run.progress.total),
    FrameColumn("run", TEXT, "its name", attrgetter("run.run")),
    FrameColumn("attempt", TEXT, "which attempt of it", attrgetter("run.attempt")),
    FrameColumn("job", TEXT, "its job in a scheduler", attrgetter("run.job")),
    FrameColumn("kind", TEXT, "whether it was measured or stated", attrgetter("run.kind")),
    FrameColumn("note", TEXT, "a note", attrgetter("run.note")),
    FrameColumn("source", TEXT, "where it was taken from", attrgetter("run.source")),
    FrameColumn("missing", TEXT, "the address that `counted_hours` lacks", attrgetter("missing")),
)  # fmt: skip


def _joined(name: str) -> Callable[[dict[str, Any]], str]:
    return lambda entry: " ".join(entry.get(name) or ())


ENDS = (
    FrameColumn("project", TEXT, "the id of its project; missing for what projects share", itemgetter("project")),
    FrameColumn("title", TEXT, "what it is", itemgetter("title")),
    FrameColumn("low", NUMBER, "its lower end; missing where it is open, or the figure a date",
                lambda entry: entry.get("low")),
    FrameColumn("use", NUMBER, "the value to plan with", lambda entry: entry.get("use")),
    FrameColumn("high", NUMBER, "its upper end", lambda entry: entry.get("high")),
    FrameColumn("unit", TEXT, "the unit of these; missing for shares and factors", itemgetter("unit")),
    FrameColumn("date", TIME, "the value of a figure that is a date",
                lambda entry: since_1970(entry["use_exact"] or "") if entry["unit"] == DATE.symbol else None),
    *(FrameColumn(f"{end}_exact", TEXT, f"`{end}` exactly: a decimal, a fraction or a date", itemgetter(f"{end}_exact"))
      for end in ("low", "use", "high")),
    FrameColumn("missing", TEXT, "the addresses of the inputs that it lacks", _joined("missing")),
)  # fmt: skip
FIGURES = (
    *ENDS,
    FrameColumn("text", TEXT, "what pages print", itemgetter("text")),
    FrameColumn("formula", TEXT, "how it comes about", itemgetter("formula")),
    FrameColumn("lines", TEXT, "the ledger lines that it rests on", _joined("lines")),
)
PLAN = (
    FrameColumn("project", TEXT, "the id of its project", attrgetter("project.id")),
    FrameColumn("phase", TEXT, "the phase that it stands in", attrgetter("phase")),
    FrameColumn("item", TEXT, "the id of the item", attrgetter("name")),
    FrameColumn("title", TEXT, "its title", attrgetter("item.title")),
    FrameColumn("scope", TEXT, "`one-time`, `per-seed`, `single-seed` or `all-seeds`", attrgetter("item.scope")),
    FrameColumn("extension", FLAG, "whether it stands beside the base budget",
                lambda item: item.project.plan[item.phase].extension),
    FrameColumn("since", TIME, "the first day of its phase, as planned",
                lambda item: since_1970(str(item.project.plan[item.phase].since or ""))),
    FrameColumn("until", TIME, "the last day of its phase, as planned",
                lambda item: since_1970(str(item.project.plan[item.phase].until or ""))),
    FrameColumn("gpu", TEXT, "the GPU that `each` is counted on",
                lambda item: item.item.gpu or item.project.project.gpu),
    FrameColumn("each", RANGE, "what is planned for one seed, or for all where it counts them, in GPU-hours on `gpu`",
                _part("gpu_hours")),
    FrameColumn("planned", RANGE, "what is planned in all, on the project's GPU", _part("total")),
    FrameColumn("estimate", RANGE, "what the plan is held against, likewise", _part("estimate_total")),
    FrameColumn("actual", HOURS, "what was charged, likewise", lambda item: use_of(item.figure("actual"))),
    FrameColumn("waste", HOURS, "the part of it that came to nothing", lambda item: use_of(item.figure("waste"))),
    FrameColumn("remaining", RANGE, "planned less charged", _part("remaining")),
    FrameColumn("unit", TEXT, "the unit of these", lambda item: GPU_HOURS.symbol),
    FrameColumn("missing", TEXT, "the addresses that they lack", lambda item: lacking(*map(
        item.figure, ("gpu_hours", "total", "estimate_total", "actual", "remaining")))),
)  # fmt: skip


def _said(name: str) -> Callable[[FindingRecord], str]:
    return lambda found: told(getattr(found.finding, name))


FINDINGS = (
    FrameColumn("project", TEXT, "the id of its project", attrgetter("project")),
    FrameColumn("rule", TEXT, "the rule that found it", attrgetter("finding.rule")),
    FrameColumn("severity", TEXT, "`error`, `warning` or `note`; one that is accepted is a note",
                attrgetter("finding.severity")),
    FrameColumn("subject", TEXT, "the address that it is about", attrgetter("finding.subject")),
    FrameColumn("title", TEXT, "what does not hold", _said("title")),
    FrameColumn("arithmetic", TEXT, "the figures that show it", _said("arithmetic")),
    FrameColumn("meaning", TEXT, "what that means", _said("meaning")),
    FrameColumn("remedy", TEXT, "what to do", _said("remedy")),
    FrameColumn("accepted", TEXT, "why the authors accept it; missing while it is open",
                attrgetter("finding.accepted")),
    FrameColumn("was", TEXT, "the severity that it has otherwise", attrgetter("finding.was")),
    FrameColumn("until", TEXT, "the version or date up to which it is accepted", attrgetter("finding.until")),
    FrameColumn("places", TEXT, "the ledger lines that it is about",
                lambda found: " ".join(place.short for place in found.finding.places)),
)  # fmt: skip
TABLES: Mapping[str, FrameTable] = MappingProxyType({
    "figures": FrameTable("a figure", "address", FIGURES, figure_rows),
    "runs": FrameTable("a run", "place", RUNS, run_rows),
    "plan": FrameTable("an item of a plan", "address", PLAN, plan_rows),
    "findings": FrameTable("a finding", "id", FINDINGS, finding_rows),
    "projects": FrameTable("a project", "project", PROJECTS, project_rows),
})  # fmt: skip


def frame(name: str, book: Book) -> pandas.DataFrame:
    """One of TABLES as a DataFrame."""
    table = TABLES[name]
    return framed(table.index, table.columns, list(table.rows(book)))


def released_frame(snapshot: Snapshot) -> pandas.DataFrame:
    """The figures of a release, as `figures` has them, without what a release does not keep."""
    return framed("address", ENDS, list(released_rows(snapshot)))
