"""What the blocks of pages share: rows of figures, figures of runs and of releases that have no address, keys as words,
and the inputs that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from reckon.compute.audit import states_its_plan
from reckon.compute.book import Book
from reckon.compute.measuring.statistics import CONFIDENCE
from reckon.compute.sheet.inputs import ratio_address
from reckon.language.quantity import point
from reckon.language.text import NOWHERE, Place, capitalise
from reckon.language.units import GPU_HOURS, PLAIN, Unit, spoken
from reckon.model import records as r
from reckon.model.figure import Figure, Stated, Worked, missing_of
from reckon.model.ledger import ProjectLedger
from reckon.model.release import Snapshot

from .render.printing import counted, further
from .table import MOST_ROWS, As, Cell, CellRow, Form, known

MOST_COLUMNS = 12
BY_SETTINGS = "By its settings"


def estimate_called(book: Book, project_id: str) -> str:
    """What the estimates of a plan are called. A document that states its plan states its own totals, and what its
    settings give is calculated here: nobody but the ledger estimates that."""
    return BY_SETTINGS if states_its_plan(book.projects[project_id], book) else "Estimated"


class FigureRow(NamedTuple):
    """A row of a table of figures: the words and the figure."""

    title: str
    figure: Figure | None


class Unclear(NamedTuple):
    """A part of the plan whose end is not defined: its title, what would settle it, and how many inputs more."""

    title: str
    wanted: tuple[str, ...]
    more: Figure | None


def use_of(figure: Figure | None) -> Fraction | None:
    """The value to plan with; None where there is no such figure, or none that is known."""
    return None if figure is None or figure.missing else figure.use


def hours_of(run: r.Run) -> Figure:
    """The GPU-hours of one run, which has no address: it is shown, never calculated with."""
    return figure_of(run, "GPU-hours of a run", GPU_HOURS, run.charged_hours)


def figure_of(run: r.Run, title: str, unit: Unit, number: Fraction | int) -> Figure:
    """A number that a run states, as a figure without an address."""
    return Figure("", title, unit, point(number), Stated("", run.place))


def charged_of(book: Book, project: ProjectLedger, run: r.Run) -> Figure | None:
    """What one run was charged, in hours of the project's GPU; None where the ratio of its own is missing."""
    card, target = project.card_of(run), project.project.gpu
    hours = run.charged_hours
    if card != target:
        ratio = use_of(book.get(ratio_address(str(card), str(target))))
        if ratio is None:
            return None
        hours *= ratio or 1
    return figure_of(run, "GPU-hours charged for a run", GPU_HOURS, hours)


def are_abroad(project: ProjectLedger, runs: Iterable[r.Run]) -> bool:
    """Whether some runs were on another GPU than the project's, so that they are charged other hours than they held."""
    return any(project.card_of(run) != project.project.gpu for run in runs)


def hours_then(release: Snapshot, address: str) -> Figure | None:
    """GPU-hours of a release, by their address in the project; None where it has none or they were not known."""
    figure = release.figures.get(f"{release.project}.{address}")
    if figure is None or figure.missing or figure.use is None:
        return None
    return Figure("", figure.title, GPU_HOURS, figure.value, Worked("as it was released"))


def findings_then(release: Snapshot) -> Iterator[tuple[Figure, str]]:
    """How many findings of each kind a release has, with the word for them; those that were accepted at the end."""
    still_open = Counter(finding.severity for finding in release.findings if not finding.accepted)
    for severity in ("error", "warning", "note"):
        if many := still_open[severity]:
            yield counted(many, "findings"), severity if many == 1 else f"{severity}s"
    if accepted := sum(bool(finding.accepted) for finding in release.findings):
        yield counted(accepted, "findings"), "accepted"


def list_addresses(project: ProjectLedger) -> list[str]:
    """The addresses in sections of its pages, in their order."""
    sections = [section for page in project.project.pages.values() for section in page.sections.values()]
    return [address for section in sections for address in section]


def placed(project: ProjectLedger) -> set[str]:
    """The addresses that sections of its pages show."""
    addresses = list_addresses(project)
    return {*addresses, *(address.removesuffix(".result") for address in addresses)}


def words(key: str) -> str:
    """A key as words, with a capital: `minimum_ram` -> Minimum RAM."""
    return capitalise(spoken(key))


def limit_shown(things: Mapping[str, object]) -> list[object]:
    """The first two hundred of some things that a table shows: pairs of id and thing."""
    return list(islice(things.items(), MOST_ROWS))


def beyond(things: Mapping[str, object], what: str) -> Figure | None:
    """How many of them are not shown; None if all are."""
    return further(len(things) - MOST_ROWS, what)


def union(tables: Iterable[Mapping[str, object]]) -> list[str]:
    """The keys of some tables, each once, as columns: in the order in which they first appear, at most twelve."""
    return list(dict.fromkeys(key for table in tables for key in table))[:MOST_COLUMNS]


def only(values: Iterable[str]) -> str:
    """The value that is the same of all things; empty where they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else ""


INTERVAL = Figure("", "confidence", PLAIN, point(CONFIDENCE), Worked("the confidence of intervals"), "%")


@dataclass(frozen=True)
class FigureLine:
    """A line of a table of figures: their key, what it is called, and the figures; None where there is none.

    `form` prints them; `count` stands behind the title.
    """

    key: str
    title: str
    figures: Sequence[Figure | None]
    form: Form = "ranged"
    count: Figure | None = None

    @property
    def name(self) -> Cell:
        """The title with the count behind it, where that is known."""
        if self.count and not self.count.missing:
            return self.title, " (", As(self.count), ")"
        return self.title

    @property
    def cells(self) -> CellRow:
        """The figures as cells; what is not known is None."""
        return [known(figure, self.form) for figure in self.figures]


class Open(NamedTuple):
    """An input that is missing: its address, and the ledger line of the record that it belongs to."""

    address: str
    place: Place


def open_inputs(book: Book, figures: Iterable[Figure | None]) -> list[Open]:
    """The missing inputs that leave some figures without a value."""
    return opened(book, missing_of(figures))


def opened(book: Book, addresses: Iterable[str]) -> list[Open]:
    """Inputs that are missing, each with the ledger line that it belongs to."""
    return [Open(address, _find_place(book, address)) for address in islice(addresses, MOST_ROWS)]


def _find_place(book: Book, address: str) -> Place:
    """Where an input stands, or else the record that it belongs to."""
    figure = book.get(address)
    if figure and figure.place.line:
        return figure.place
    project, _, rest = address.partition(".")
    kind, _, name = rest.partition(".")
    owner = book.projects.get(project)
    records = getattr(owner or book.catalog, kind, {})
    record = records.get(name.partition(".")[0]) if hasattr(records, "get") else None
    record = record or (owner.project if owner else None)
    return record.place if record else NOWHERE
