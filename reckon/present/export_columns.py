"""The tables of a book, for notebooks and for files of other programs: projects, runs, figures, plan and findings.

`TABLES` is the one place that says which tables and columns there are, and how each column is read off its rows. Where
a number is unknown, `missing` says which inputs it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from reckon.compute.book import Book
from reckon.language.calendar_days import DATE, iso
from reckon.language.quantity import Quantity
from reckon.language.units import GPU_HOURS
from reckon.model.figure import USEFUL
from reckon.model.finding import SEVERITIES
from reckon.model.kinds import CEILING, EXTENDED, FINAL
from reckon.model.release import Snapshot

from . import dataframes
from .budget.state import state_of
from .dataframes import FrameColumn, FrameTable
from .export import TypedColumn
from .render.numbers import format_sentence

if TYPE_CHECKING:
    import pandas

Read = Callable[[Any], Any]


def _read_integer(text: object) -> int | None:
    """The number that a text is, as `1` or `42`; None for other words, and for what no column of numbers can hold."""
    digits = str(text or "")
    if not digits.isdecimal() or digits != str(int(digits[:19])):
        return None
    number = int(digits)
    return number if number < 2**63 else None


def _write_pue(pue: Fraction | str | None) -> str | None:
    """A number or an id as a text."""
    return f"{float(pue):.12g}" if isinstance(pue, Fraction) else pue


def _count_findings(severity: str) -> Read:
    return lambda view: len(view.severity(severity))


def _read_import(field: str, record: Any) -> str | None:
    """What an entry keeps of the job that it was imported from; None where it was not imported."""
    job = record.run.imported
    value = None if job is None else getattr(job, field)
    return None if value is None else str(value)


def _read_text(name: str) -> Read:
    return lambda found: format_sentence(getattr(found.finding, name))


PROJECTS = (
    FrameColumn("title", "text", "its title", "project.title"),
    FrameColumn("version", "text", "the version that its ledger is at", "project.version"),
    FrameColumn("kind", "text", "`budget`, `comparison` or `measured`"),
    FrameColumn(
        "state",
        "text",
        "the state of a budget, as its status page has it",
        lambda view: state_of(view).word if view.kind == "budget" else None,
    ),
    FrameColumn("as_of", "time", "the date of the plan", "project.as_of"),
    FrameColumn("data_through", "time", "the date of the newest run or measurement", "through"),
    FrameColumn("gpu", "text", "the GPU whose hours the budget counts", "project.gpu"),
    FrameColumn(
        "seeds",
        "count",
        "how many seeds it has",
        lambda view: len(view.project.seeds.names) if view.project.seeds else None,
    ),
    FrameColumn("runs", "count", "how many runs are recorded", lambda view: sum(view.ledger.rows.many)),
    *(
        FrameColumn(name, kind, description, methodcaller("maybe", address))
        for name, kind, description, address in (
            ("final", "range", "the final budget, in GPU-hours", FINAL.hours),
            ("extended", "range", "the budget with extensions, in GPU-hours", EXTENDED.hours),
            ("ceiling", "range", "the most GPU-hours that it may take", CEILING.hours),
            ("actual", "hours", "what was charged, in GPU-hours", CEILING.actual),
            ("remaining", "range", "final budget less what was charged, in GPU-hours", FINAL.remaining),
            ("waste_share", "number", "the share of what was charged that is lost, 0 to 1", "actual.waste_share"),
            ("complete_share", "number", "the share of the work that is complete, 0 to 1", FINAL.complete),
            ("eac", "range", "the estimate at completion, in GPU-hours", FINAL.eac),
            ("p10", "hours", "the forecast that one case in ten stays below, in GPU-hours", "forecast.p10"),
            ("p50", "hours", "the same for five in ten", "forecast.p50"),
            ("p90", "hours", "the same for nine in ten", "forecast.p90"),
        )
    ),
    *(
        FrameColumn(
            f"{severity}s",
            "count",
            f"how many causes of open findings are of severity `{severity}`; those of sources apart",
            _count_findings(severity),
        )
        for severity in SEVERITIES
    ),
    FrameColumn(
        "in_source",
        "count",
        "how many causes of open findings are in what sources state",
        lambda view: len(view.in_source),
    ),
    FrameColumn("accepted", "count", "how many causes of findings are accepted", lambda view: len(view.accepted)),
    FrameColumn(
        "missing",
        "text",
        "the addresses that the figures of this row lack",
        lambda view: dataframes.lacking(
            view.maybe(address)
            for address in (FINAL.hours, EXTENDED.hours, CEILING.hours, CEILING.actual, FINAL.eac, "forecast.p50")
        ),
    ),
)
RUNS = (
    FrameColumn("project", "text", "the id of its project", "project.id"),
    FrameColumn("phase", "text", "the phase of its item; missing for unplanned work"),
    FrameColumn("item", "text", "the item of the plan, or the name of unplanned work", "run.item"),
    FrameColumn(
        "seed", "count", "its seed, where that is a whole number", lambda record: _read_integer(record.run.seed)
    ),
    FrameColumn("seed_name", "text", "its seed as it is written", "run.seed"),
    FrameColumn("status", "text", "its outcome, as `completed` or `failed`", "run.status"),
    FrameColumn(
        "useful",
        "flag",
        "whether it completed or runs; of one that failed, hours may be lost",
        lambda record: record.run.status in USEFUL,
    ),
    FrameColumn("unplanned", "flag", "whether it belongs to no item of the plan", "run.unplanned"),
    FrameColumn(
        "unassigned", "flag", "whether it was imported and no rule says to which item it belongs", "run.unassigned"
    ),
    FrameColumn(
        "date",
        "time",
        "the day that it counts on; the last one of a month, or of several days",
        lambda record: str(record.run.end or record.run.date or record.run.start or "")[:10],
    ),
    FrameColumn("start", "time", "when it began; in UTC if the ledger names an offset", "run.start"),
    FrameColumn("end", "time", "when it ended, likewise", "run.end"),
    FrameColumn("gpu", "text", "the GPU that it was on"),
    FrameColumn("gpus", "number", "how many it held", "run.gpus"),
    FrameColumn("wall_hours", "number", "how long it held them, in hours", "run.wall_hours"),
    FrameColumn("gpu_hours", "hours", "what was charged, in GPU-hours on that GPU", "held"),
    FrameColumn("counted_hours", "hours", "the same in GPU-hours on the project's GPU, which budgets count", "counted"),
    FrameColumn("cost_usd", "number", "what it cost, in dollars, where that is stated", "run.cost_usd"),
    FrameColumn("energy_kwh", "number", "the energy that it took, in kWh, where that is stated", "run.energy_kwh"),
    FrameColumn("peak_gib", "number", "the most memory that was in use on one of its GPUs, in GiB", "run.peak_gib"),
    FrameColumn("energy_of", "text", "what that is of: `machine`, or `facility`", "run.energy_of"),
    FrameColumn("watts", "number", "what each GPU drew, in W, where that is stated", "run.watts"),
    FrameColumn(
        "pue",
        "text",
        "the PUE of where it ran, where it has its own",
        lambda record: _write_pue(record.run.pue),
    ),
    FrameColumn("grid", "text", "the grid that it drew on, where it has its own", "run.grid"),
    FrameColumn(
        "utilisation",
        "number",
        "the share of the GPUs that was measured to be in use, 0 to 1",
        lambda record: record.run.utilisation.value.use if isinstance(record.run.utilisation, Quantity) else None,
    ),
    FrameColumn(
        "progress_done",
        "number",
        "how much of its work was done then",
        lambda record: record.run.progress and record.run.progress.done,
    ),
    FrameColumn(
        "progress_total",
        "number",
        "how much work there is",
        lambda record: record.run.progress and record.run.progress.total,
    ),
    FrameColumn("run", "text", "its name", "run.run"),
    FrameColumn("attempt", "text", "which attempt of it", "run.attempt"),
    FrameColumn("job", "text", "its job in a scheduler", "run.job"),
    FrameColumn("jobs", "count", "how many runs it stands for", "run.many"),
    *(
        FrameColumn(name, "text", description, partial(_read_import, field))
        for name, field, description in (
            ("imported_source", "source", "the source that it was imported from"),
            ("imported_rule", "rule", "the rule of the source that took it"),
            ("job_name", "name", "the name of its job, where it was imported"),
            ("account", "account", "the account of its job, likewise"),
            ("partition", "partition", "the partition of its job, likewise"),
            ("qos", "qos", "the quality of service of its job, likewise"),
        )
    ),
    FrameColumn("kind", "text", "whether it was measured or stated", "run.kind"),
    FrameColumn("note", "text", "a note", "run.note"),
    FrameColumn("source", "text", "where it was taken from", "run.source"),
    FrameColumn("missing", "text", "the address that `counted_hours` lacks"),
)
ENDS = (
    FrameColumn("project", "text", "the id of its project; missing for what projects share"),
    FrameColumn("title", "text", "what it is"),
    FrameColumn("low", "number", "its lower end; missing where it is open, or the figure a date"),
    FrameColumn("use", "number", "the planning value"),
    FrameColumn("high", "number", "its upper end"),
    FrameColumn("unit", "text", "the unit of these; missing for shares and factors"),
    FrameColumn(
        "date",
        "time",
        "the value of a figure that is a date",
        lambda entry: entry.use_exact if entry.unit == DATE.symbol else None,
    ),
    *(
        FrameColumn(f"{end}_exact", "text", f"`{end}` exactly: a decimal, a fraction or a date")
        for end in dataframes.ENDS
    ),
    FrameColumn("missing", "text", "the addresses of the inputs that it lacks"),
)
FIGURES = (
    *ENDS,
    FrameColumn("text", "text", "what pages print"),
    FrameColumn("formula", "text", "how it is calculated"),
    FrameColumn("lines", "text", "the ledger lines that it is based on"),
)
PLAN = (
    FrameColumn("project", "text", "the id of its project", "project.id"),
    FrameColumn("phase", "text", "the phase that it belongs to"),
    FrameColumn("item", "text", "the id of the item", "name"),
    FrameColumn("title", "text", "its title", "item.title"),
    FrameColumn("scope", "text", "`one-time`, `per-seed`, `single-seed` or `all-seeds`", "item.scope"),
    FrameColumn("extension", "flag", "whether it is an extension, outside the budget", "planned.extension"),
    FrameColumn("since", "time", "the first day of its phase, as planned", "planned.since"),
    FrameColumn("until", "time", "the last day of its phase, as planned", "planned.until"),
    FrameColumn(
        "gpu", "text", "the GPU that `each` is counted on", lambda item: item.item.gpu or item.project.project.gpu
    ),
    FrameColumn(
        "each",
        "range",
        "what is planned for one seed, or for all where it counts them, in GPU-hours on `gpu`",
        methodcaller("figure", "gpu_hours"),
    ),
    FrameColumn("planned", "range", "the total planned, on the project's GPU", methodcaller("figure", "total")),
    FrameColumn(
        "estimate", "range", "what the plan is compared with, likewise", methodcaller("figure", "estimate_total")
    ),
    FrameColumn("actual", "hours", "what was charged, likewise", methodcaller("figure", "actual")),
    FrameColumn("waste", "hours", "the part of it that is lost", methodcaller("figure", "waste")),
    FrameColumn("remaining", "range", "planned less charged", methodcaller("figure", "remaining")),
    FrameColumn("unit", "text", "the unit of these", lambda item: GPU_HOURS.symbol),
    FrameColumn(
        "missing",
        "text",
        "the addresses that they lack",
        lambda item: dataframes.lacking(
            map(item.figure, ("gpu_hours", "total", "estimate_total", "actual", "remaining"))
        ),
    ),
)
CHARGES = (
    FrameColumn("project", "text", "the id of its project"),
    FrameColumn("item", "text", "the item; missing for work that is not planned, `?` where no rule assigns it"),
    FrameColumn("seed", "text", "its seed, as it is written"),
    FrameColumn("gpu", "text", "the GPU that it was on", "card"),
    FrameColumn("date", "time", "the day; missing for runs without one", lambda row: iso(row.day) if row.day else None),
    FrameColumn("payer", "text", "who pays: an allocation, `unnamed`, or missing for the project itself"),
    FrameColumn("held", "hours", "GPU-hours held on that GPU"),
    FrameColumn("booked", "hours", "what the payer booked, in `unit`; missing where it is not named"),
    FrameColumn("unit", "text", "the unit of the payer"),
    FrameColumn("price_list", "text", "the price list of the hours, where they are paid in money"),
    FrameColumn("amount", "hours", "what was paid in money, in `currency`: by the payer, or by the project itself"),
    FrameColumn("currency", "text", "the currency of that"),
    FrameColumn("rate", "number", "what one of it was in the currency of the project on that day"),
    FrameColumn("cost", "hours", "the amount in the currency of the project"),
)
FINDINGS = (
    FrameColumn("project", "text", "the id of its project"),
    FrameColumn("rule", "text", "the rule that found it", "finding.rule"),
    FrameColumn("severity", "text", "`error`, `warning` or `note`; one that is accepted is a note", "finding.severity"),
    FrameColumn("subject", "text", "the address that it is about", "finding.subject"),
    FrameColumn("title", "text", "what is wrong", _read_text("title")),
    FrameColumn("arithmetic", "text", "the figures that show it", _read_text("arithmetic")),
    FrameColumn("meaning", "text", "what that means", _read_text("meaning")),
    FrameColumn("remedy", "text", "what to do", _read_text("remedy")),
    FrameColumn("accepted", "text", "why it is accepted; missing while it is open", "finding.accepted"),
    FrameColumn("by", "text", "who accepts it", "finding.by"),
    FrameColumn("was", "text", "the severity that it has otherwise", "finding.was"),
    FrameColumn("until", "text", "the version or date up to which it is accepted", "finding.until"),
    FrameColumn(
        "cause",
        "text",
        "the id of the first finding of its cause, which heads its entry",
        lambda found: found.finding.common.key if found.finding.common else found.finding.id,
    ),
    FrameColumn("follows", "flag", "whether it only follows from that one", "finding.follows"),
    FrameColumn(
        "places",
        "text",
        "the ledger lines that it is about",
        lambda found: " ".join(place.short for place in found.finding.places),
    ),
)
TABLES: Mapping[str, FrameTable] = {
    "figures": FrameTable("a figure", "address", FIGURES, dataframes.figure_rows),
    "runs": FrameTable("a run", "place", RUNS, dataframes.run_rows),
    "plan": FrameTable("an item of a plan", "address", PLAN, dataframes.plan_rows),
    "charges": FrameTable(
        "the work of a day that is paid alike, without refunds", "charge", CHARGES, dataframes.charge_rows
    ),
    "findings": FrameTable("a finding", "id", FINDINGS, dataframes.finding_rows),
    "projects": FrameTable("a project", "project", PROJECTS, dataframes.project_rows),
}


def columns_of(name: str, book: Book) -> Iterator[TypedColumn]:
    """The columns of one of TABLES, its index first."""
    table = TABLES[name]
    return dataframes.typed_columns(table.index, table.columns, list(table.rows(book)))


def frame(name: str, book: Book) -> pandas.DataFrame:
    """One of TABLES as a DataFrame."""
    return dataframes.framed(columns_of(name, book))


def released_frame(snapshot: Snapshot) -> pandas.DataFrame:
    """The figures of a release, as `figures` has them, without what a release does not keep."""
    rows = list(dataframes.released_rows(snapshot))
    return dataframes.framed(dataframes.typed_columns("address", ENDS, rows))
