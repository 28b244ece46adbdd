"""What new runs and measurements did to a project, in lines of a terminal: what `add` tells.

Of runs: before and after, from the item up to the ceiling. Of a measurement: the statistics of each column, the
bottleneck, and the figures that moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from reckon.compute.book import Book
from reckon.compute.measuring.results import bottleneck
from reckon.language.text import list_first
from reckon.language.units import key_unit, label
from reckon.model.figure import OUTSIDE, is_known
from reckon.model.kinds import TOTALS, called
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..render.numbers import figure_text, format_sentence, number_text, use_text, value_text
from .lines import LEAST_TITLE, Lines, contingency, counts, cut, line_width, list_entry, use

TITLE = 31
NUMBERS_WIDTH = 49
MOST_ROWS = 40
SEED = "  seed "
AddedRow = tuple[str, str, str, str]
"""A title, and the addresses of what is planned, actual and remaining."""
WHOLE = (
    *((each.title, "", f"actual.{each.key}", "") for each in OUTSIDE),
    *((total.title, total.hours, total.actual, total.remaining) for total in TOTALS.values()),
)


def describe_added(before: Book, after: Book, project_id: str, keys: Iterable[tuple[str, str]]) -> Lines:
    """The rows that changed, what is over its plan, what it did to the whole, and findings that are new.

    `keys` are the items, with their seeds, whose rows are told.
    """
    every = _addresses(after.projects[project_id], keys)
    rows = [row for row in every if all(at in after.figures for at in row[1:3] if at)]
    longest = max([TITLE, *(len(title) + 1 for title, *_ in rows)])
    title_width = max(min(longest, line_width() - NUMBERS_WIDTH), LEAST_TITLE)
    yield f"  {'GPU-hours':{title_width}}{'planned':>9}{'before':>10}{'now':>10}{'left':>11}"
    lines = []
    for title, planned, actual, left in rows:
        cells = [use(after.get(planned)), use(before.get(actual)), use(after.get(actual)), use(after.get(left))]
        numbers = "".join(f"{cell:>{width}}" for cell, width in zip(cells, (9, 10, 10, 11), strict=True))
        lines.append(f"  {cut(title, title_width - 1):{title_width}}{numbers}".rstrip())
    yield from list_first(lines, MOST_ROWS, "  … and {} more rows")
    yield from _overruns(after, rows)
    yield from _effects(before, after, project_id)


AMOUNTS = (("Energy", "energy.actual", "actual.energy"), ("Money", "money.actual", "actual.cost"))
"""Titles with where the whole of a sum stands, and where what runs state of it."""


def describe_amounts(before: Book, after: Book, project_id: str) -> Lines:
    """What entries without hours did to a project: to its energy and money, to the work done, and new findings."""
    for title, *places in AMOUNTS:
        at = next((f"{project_id}.{at}" for at in places if f"{project_id}.{at}" in after.figures), "")
        if not at:
            continue
        now = after.figures[at]
        was = before.get(at)
        yield (f"  {title + ':':15} {figure_text(was) if was else 'none stated'} before, {figure_text(now)} now")
    yield from _effects(before, after, project_id)


def _addresses(project: ProjectLedger, keys: Iterable[tuple[str, str]]) -> Iterator[AddedRow]:
    """Title, and addresses of planned, actual and remaining: items with their seeds, phases, the project."""
    seeds: dict[str, set[str]] = defaultdict(set)
    for item, seed in keys:
        seeds[item].add(seed)
    for name, phase in project.plan.items():
        chosen = [item for item in phase.items if item in seeds]
        for item in chosen:
            at = f"{project.id}.plan.{item}"
            title = str(phase.items[item].title)
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
        if left and left.use and left.use < 0:
            yield f"  over by {number_text(-left.use)} GPU-h: {name}"


def _effects(before: Book, after: Book, project_id: str) -> Lines:
    """What entries did to the project: work done, contingency, forecast, each as it was where that has changed; and
    findings that are new. What is not known is empty."""
    for head, describe in (("complete", _complete), ("contingency", contingency), ("forecast", _forecast)):
        was = describe(before, project_id)
        now = describe(after, project_id)
        said = now or ("not known: the ledger does not say how much is done" if was and describe is _complete else "")
        if said:
            yield from list_entry(head, said)
        if said and was and was != said:
            yield from list_entry("  before", was)
    yield from describe_findings(before, after, project_id)


def _complete(book: Book, project_id: str) -> str:
    done = book.get(f"{project_id}.performance.complete_share")
    return f"{figure_text(done)} of the work" if is_known(done) else ""


def _forecast(book: Book, project_id: str) -> str:
    """The forecast, from the first run on: that from the plan alone knows no more than the plan."""
    if not book.projects[project_id].rows:
        return ""
    low, middle, high = book.get_all(f"{project_id}.forecast", "p10", "p50", "p90")
    if not (low and high and is_known(middle)):
        return ""
    return f"{use_text(low)}–{use_text(high)} GPU-h (P10–P90), P50 {use_text(middle)}"


def describe_findings(before: Book, after: Book, project_id: str) -> Lines:
    """The findings that were not there before, by their first line, and how many there are now."""
    unaccepted = [finding for finding in after.findings.get(project_id, ()) if not finding.accepted]
    known = {finding.id for finding in before.findings.get(project_id, ())} if unaccepted else set()
    new = [finding for finding in unaccepted if finding.id not in known]
    for finding in new[:10]:
        yield f"  {finding.severity}: {format_sentence(finding.title)} ({finding.id})"
    if new:
        yield f"  by cause: {counts(after, project_id)}"


COLUMN = 24
WIDTHS = (6, 12, 20, 9)
MOST_MOVED = 20


def describe_measured(before: Book, after: Book, project_id: str, name: str) -> Lines:
    """The lines about a measurement that was added to a project."""
    record = after.projects[project_id].measurements[name]
    at = f"{project_id}.measurements.{name}"
    whole = whole_of(record.total)
    columns = [*record.columns, *([whole] if whole else [])]
    if columns:
        yield f"  {'':{COLUMN}}{'rows':>7}{'mean':>13}{'95% interval':>21}{'share':>10}"
    yield from (_column(after, f"{at}.{column}", column) for column in columns)
    if part := bottleneck(record):
        yield f"  bottleneck: {label(part)}"
    yield from (f"  {label(key)}: {figure_text(after[f'{at}.{key}'])}" for key in record.figures)
    yield from _moved(before, after, project_id, at)


def _column(book: Book, at: str, column: str) -> str:
    unit = key_unit(column)
    mean = book[f"{at}.mean"]
    title = label(column) + (f", {unit.symbol}" if unit.kinds else "")
    spread = "" if mean.value.exact else value_text(mean)
    texts = (use_text(book[f"{at}.n"]), use_text(mean), spread, use(book.get(f"{at}.share")))
    cells = "".join(f" {text:>{width}}" for text, width in zip(texts, WIDTHS, strict=True))
    return f"  {cut(title, COLUMN - 1):{COLUMN}}{cells}".rstrip()


def _moved(before: Book, after: Book, project_id: str, at: str) -> Lines:
    """The figures of the project, other than those of the measurement itself, that are not what they were."""
    lines = []
    for address, now in after.figures.items():
        was = before.get(address)
        own = address.startswith(f"{project_id}.") and not address.startswith(f"{at}.")
        if own and (was is None or was.value != now.value):
            old = figure_text(was) if was else "none"
            lines.append(f"  {address}: {old} before, {figure_text(now)} now")
    yield from list_first(lines, MOST_MOVED, "  … and {} more figures")
    if not lines:
        yield "  No projection names it yet: add it to the `measurements` of one in projections.yaml."
