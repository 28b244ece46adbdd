"""What new runs and measurements did to a project, in lines of 80 columns: what `add` tells.

Of runs: before and after, from the item up to the ceiling. Of a measurement: the statistics of each column, the
bottleneck, and the figures that moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.measuring.results import bottleneck
from reckon.language.units import key_unit, label
from reckon.model.figure import OUTSIDE
from reckon.model.finding import Finding
from reckon.model.kinds import TOTALS, called
from reckon.model.lazy import LateMapping
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..render.escape import terminal
from ..render.numbers import figure_text, format_sentence, number_text, use_text, value_text
from .lines import Lines, contingency, counts, cut, list_entry, use

TITLE = 31
MOST_ROWS = 40
SEED = "  seed "
HEADS = ("complete", "contingency", "forecast")
AddedRow = tuple[str, str, str, str]
"""A title, and the addresses of what is planned, actual and remaining."""
WHOLE = (
    *((each.title, "", f"actual.{each.key}", "") for each in OUTSIDE),
    *((total.title, total.hours, total.actual, total.remaining) for total in TOTALS.values()),
)


class Earlier(NamedTuple):
    """Where a project stood before runs were added or changed, in words: actual hours by address, work done,
    contingency and forecast; and the ids of its findings, which are only sought for who asks for them."""

    actual: Mapping[str, str]
    whole: tuple[str, ...]
    findings: Collection[str]


def earlier(before: Book, project_id: str, keys: Iterable[tuple[str, str]]) -> Earlier:
    """Where a project stands, as far as `added` tells it of runs of these items and seeds."""
    rows = _addresses(before.ledger.projects[project_id], keys)
    actual = {at: use(before.get(at)) for _, _, at, _ in rows}
    found = LateMapping(lambda: {finding.id: "" for finding in before.findings.get(project_id, ())})
    return Earlier(actual, _known_totals(before, project_id), found)


def added(was: Earlier, after: Book, project_id: str, keys: Iterable[tuple[str, str]]) -> Lines:
    """The rows that changed, what is over its plan, what it did to the whole, and findings that are new.

    `was` is how the project stood before; `keys` are items with their seeds, those of which it tells that.
    """
    whole, found = _known_totals(after, project_id), after.findings.get(project_id, ())
    rows = []
    for row in _addresses(after.ledger.projects[project_id], keys):
        if all(at in after.figures for at in row[1:3] if at):
            rows.append(row)
    yield f"  {'GPU-hours':{TITLE}}{'planned':>9}{'before':>10}{'now':>10}{'left':>11}"
    for title, planned, actual, left in rows[:MOST_ROWS]:
        cells = [use(after.get(planned)), was.actual[actual], use(after.get(actual)), use(after.get(left))]
        numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, (9, 10, 10, 11), strict=True))
        yield terminal(f"  {cut(title, TITLE - 1):{TITLE}}{numbers}".rstrip())
    if len(rows) > MOST_ROWS:
        yield f"  … and {len(rows) - MOST_ROWS:,} more rows"
    for lines in (_overruns(after, rows), _moves(was, whole), _findings(was, found, after, project_id)):
        yield from map(terminal, lines)


AMOUNTS = (("Energy", "energy.actual", "actual.energy"), ("Money", "money.actual", "actual.cost"))
"""Titles with where the whole of a sum stands, and where what runs state of it."""


def added_amounts(before: Book, after: Book, project_id: str) -> Lines:
    """What entries without hours did to a project: to its energy and money, to the work done, and new findings."""
    for title, *places in AMOUNTS:
        at = next((f"{project_id}.{at}" for at in places if f"{project_id}.{at}" in after.figures), "")
        if not at:
            continue
        now, was = after.figures[at], before.get(at)
        said = f"{figure_text(was) if was else 'none stated'} before, {figure_text(now)} now"
        yield terminal(f"  {title + ':':15} {said}")
    stood = earlier(before, project_id, ())
    whole, found = _known_totals(after, project_id), after.findings.get(project_id, ())
    for lines in (_moves(stood, whole), _findings(stood, found, after, project_id)):
        yield from map(terminal, lines)


def _addresses(project: ProjectLedger, keys: Iterable[tuple[str, str]]) -> Iterator[AddedRow]:
    """Title, and addresses of planned, actual and remaining: items with their seeds, phases, the project."""
    seeds: dict[str, set[str]] = defaultdict(set)
    for item, seed in keys:
        seeds[item].add(seed)
    for name, phase in project.plan.items():
        chosen = [item for item in phase.items if item in seeds]
        for item in chosen:
            at, title = f"{project.id}.plan.{item}", str(phase.items[item].title)
            if phase.items[item].currency:
                yield f"{title}, in money", f"{at}.money.planned", f"{at}.money.actual", f"{at}.money.to_do"
                continue
            yield title, f"{at}.total", f"{at}.actual", f"{at}.remaining"
            for seed in sorted(seeds[item] - {""}):
                of_seed = f"{at}.seeds.{seed}"
                yield f"{SEED}{seed}", f"{of_seed}.bac", f"{of_seed}.actual", f"{of_seed}.remaining"
        if {*chosen} & {*phase.hour_items}:
            at = f"{project.id}.phases.{name}"
            yield str(phase.title), f"{at}.planned", f"{at}.actual", f"{at}.remaining"
    strange = any(item not in project.items for item in seeds)
    for title, *addresses in WHOLE if strange else WHOLE[len(OUTSIDE) :]:
        planned, actual, left = (f"{project.id}.{address}" if address else "" for address in addresses)
        yield called(project.project, title), planned, actual, left


def _overruns(book: Book, rows: list[AddedRow]) -> Lines:
    """What is spent beyond its plan; a seed with the item that it is of, whose row stands above."""
    item = ""
    for title, _, _, at in rows:
        seed = title.startswith(SEED)
        item, name = (item, f"{item}, {title.strip()}") if seed else (title, title)
        left = book.get(at)
        if left and left.use is not None and left.use < 0:
            yield f"  over by {number_text(-left.use, False)} GPU-h: {name}"


def _moves(earlier: Earlier, whole: tuple[str, ...]) -> Lines:
    """What the runs did to the project: work done, contingency, forecast; each as it was, where that has changed."""
    for head, was, now in zip(HEADS, earlier.whole, whole, strict=True):
        said = now or ("not known: nothing tells how much is done" if was and head == HEADS[0] else "")
        if said:
            yield from list_entry(head, said)
        if said and was and was != said:
            yield from list_entry("  before", was)


def _known_totals(book: Book, project_id: str) -> tuple[str, ...]:
    """Work done, contingency and forecast of a project; what is not known is empty."""
    return tuple(say(book, project_id) for say in (_complete, contingency, _forecast))


def _complete(book: Book, project_id: str) -> str:
    done = book.get(f"{project_id}.performance.complete_share")
    return f"{figure_text(done)} of the work" if done and not done.missing else ""


def _forecast(book: Book, project_id: str) -> str:
    """The forecast, from the first run on: that from the plan alone knows no more than the plan."""
    if not any(file.runs for file in book.ledger.projects[project_id].runs):
        return ""
    low, middle, high = (book.get(f"{project_id}.forecast.{name}") for name in ("p10", "p50", "p90"))
    if low is None or middle is None or high is None or middle.missing:
        return ""
    return f"{use_text(low)}–{use_text(high)} GPU-h (P10–P90), P50 {use_text(middle)}"


def _findings(was: Earlier, findings: Sequence[Finding], after: Book, project_id: str) -> Lines:
    """The findings that were not there before, by their first line, and how many there are now."""
    new = [finding for finding in findings if not finding.accepted and finding.id not in was.findings]
    for finding in new[:10]:
        yield f"  {finding.severity}: {format_sentence(finding.title)} ({finding.id})"
    if new:
        yield f"  findings: {counts(after, project_id)}"


COLUMN = 24
WIDTHS = (6, 12, 20, 9)
MOST_MOVED = 20


def measured(before: Book, after: Book, project_id: str, name: str) -> Lines:
    """The lines about a measurement that was added to a project."""
    record, at = after.ledger.projects[project_id].measurements[name], f"{project_id}.measurements.{name}"
    whole = whole_of(record.total)
    columns = [*record.columns, *([whole] if whole else [])]
    if columns:
        yield f"  {'':{COLUMN}}{'rows':>7}{'mean':>13}{'95% interval':>21}{'share':>10}"
    yield from (terminal(_column(after, f"{at}.{column}", column)) for column in columns)
    if part := bottleneck(record):
        yield terminal(f"  bottleneck: {label(part)}")
    yield from (terminal(f"  {label(key)}: {figure_text(after[f'{at}.{key}'])}") for key in record.figures)
    yield from _moved(before, after, project_id, at)


def _column(book: Book, at: str, column: str) -> str:
    unit, mean = key_unit(column), book[f"{at}.mean"]
    title = label(column) + (f", {unit.symbol}" if unit.kinds else "")
    spread = "" if mean.value.exact else value_text(mean)
    texts = (use_text(book[f"{at}.n"]), use_text(mean), spread, use(book.get(f"{at}.share")))
    cells = "".join(f" {text:>{width}}" for text, width in zip(texts, WIDTHS, strict=True))
    return f"  {cut(title, COLUMN - 1):{COLUMN}}{cells}".rstrip()


def _moved(before: Book, after: Book, project_id: str, at: str) -> Lines:
    """The figures of the project, other than those of the measurement itself, that are not what they were."""
    figures = (
        (before.get(address), now)
        for address, now in after.figures.items()
        if address.startswith(f"{project_id}.") and not address.startswith(f"{at}.")
    )
    moved = [(was, now) for was, now in figures if was is None or was.value != now.value]
    for was, now in moved[:MOST_MOVED]:
        old = figure_text(was) if was else "none"
        yield terminal(f"  {now.address}: {old} before, {figure_text(now)} now")
    if len(moved) > MOST_MOVED:
        yield f"  … and {len(moved) - MOST_MOVED:,} more figures"
    if not moved:
        yield "  No projection names it yet: add it to the `measurements` of one in projections.yaml."
