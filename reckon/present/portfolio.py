"""The portfolio: all projects of a tree on shelves by whose they are, and the tables of its first page.

No clock is read: that data is old is seen by how far it lies behind the newest of another project that goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from reckon.compute.audit.payers import why_unknown
from reckon.compute.book import Book
from reckon.compute.statements.text_blocks import Saying
from reckon.compute.statements.words import Word
from reckon.language.calendar_days import last_day
from reckon.language.groups import group_by
from reckon.model.figure import Figure
from reckon.model.finding import SEVERITIES, Sentence
from reckon.model.pages import STATEMENT
from reckon.model.records.shared import DOCUMENT, EXAMPLE

from .budget.budget_headline import budget_answer
from .budget.limits import NOT_KNOWN
from .budget.status import Standing
from .choosing import Choosing
from .table import DASH, As, Bold, Cell, CellRow, Columns, Link, Table, figures, joined, words
from .view import Causes, View
from .word_templates import compose

STALE_DAYS = 28
"""A project that goes on is said to have old data where its newest is more days before the newest of another."""

LITTLE_LEFT, SOON_DAYS = Fraction(1, 5), 60
"""An allocation stands on the first page where less than this share of it is left, or where it ends at most so many
days after the newest data of its projects."""

BOLD = "**"
TONES = ("CAUTION", "WARNING")
"""The tones of states that somebody should look at, the gravest first (`budget/state`)."""


@dataclass(frozen=True)
class Portfolio:
    """All projects, by what they are about, and what they share. A shelf of it has those of one origin alone."""

    book: Book
    every: Sequence[Standing]
    """The projects, in the order of the ledger."""
    closed: Sequence[str] = ()
    """The allocations that have a statement."""
    origin: str = ""
    """Of a shelf: whose its projects are; empty for the team's own, and for all together."""

    @cached_property
    def standings(self) -> list[Standing]:
        """Those that have a budget."""
        return [standing for standing in self.every if standing.view.kind == "budget"]

    @property
    def views(self) -> list[View]:
        """All its projects."""
        return [standing.view for standing in self.every]

    @cached_property
    def shelves(self) -> list[Portfolio]:
        """The team's own projects, examples, and published documents: those that there are, never mixed."""
        by_origin = group_by(self.every, lambda standing: str(standing.view.project.origin or ""))
        origins = [origin for origin in ("", EXAMPLE, DOCUMENT) if origin in by_origin]
        return [Portfolio(self.book, by_origin[origin], self.closed, origin) for origin in origins]

    @property
    def heading(self) -> str:
        """What a shelf is called."""
        if self.origin == EXAMPLE:
            return "Example" if len(self.every) == 1 else "Examples"
        return "Published documents, recalculated" if self.origin else "Your projects"

    @property
    def wrong(self) -> Cell:
        """How many documents of a shelf have errors, without the full stop."""
        return compose("home", "wrong", sum(bool(view.sourced("error")) for view in self.views), len(self.views))

    @property
    def projects(self) -> Table:
        """Where each project stands, those that somebody should look at first."""
        days = [last_day(standing.view.through) for standing in self.standings if standing.view.dated]
        newest = max(days, default=0)
        rows = [(_find_rank(standing, newest), _make_row(standing, newest)) for standing in self.every]
        columns: Columns = [
            "Project",
            "Verdict",
            *map(figures, ("Left, GPU-h", "Risk of overrun", "Done by")),
            "Findings",
        ]
        return Table(columns, [row for _, row in sorted(rows, key=lambda ranked: ranked[0])])

    @property
    def documents(self) -> Table:
        """What each published document comes to, calculated again; those with most errors first."""
        views = sorted(self.views, key=lambda view: [-len(view.sourced(name)) for name in ("error", "warning")])
        rows: list[CellRow] = []
        for view in views:
            rows.append([Link(view.project.title, f"{view.id}/index.md"), _find_answer(view), _link_findings(view)])
        return Table(["Document", words("Answer", nothing=DASH), words("Errors, warnings", nothing="none")], rows)

    @property
    def expiring(self) -> list[Sentence]:
        """The allocations of which little is left, or that end soon, each without a full stop."""
        through = {each.view.id: last_day(each.view.through) for each in self.standings if each.view.dated}
        return [
            _describe_grant(self.book, name)
            for name, grant in self.book.allocations.items()
            if _is_scarce(self.book, name, [through[id] for id in grant.projects if id in through])
        ]

    @property
    def allocations(self) -> Table:
        """How much is used and left of each allocation, and who draws on it."""
        numbers = map(figures, ("Left", "Used", "GPU-hours", "Last day", "Unused then"))
        columns: Columns = ["Allocation", words("Share used", nothing=DASH), *numbers, "Projects"]
        names = self.book.allocations
        return Table(columns, [_make_allocation_row(self.book, name, name in self.closed) for name in names])


def _is_scarce(book: Book, name: str, days: Sequence[int]) -> bool:
    """Whether little is left of an allocation, or it ends soon after the newest of the days of its projects' data."""
    until, share = book.allocations[name].until, book.get(f"allocations.{name}.used_share")
    if until and days and last_day(str(until)) - max(days) <= SOON_DAYS:
        return True
    return bool(share and share.use is not None and share.use > 1 - LITTLE_LEFT)


def _describe_grant(book: Book, name: str) -> Sentence:
    grant = book.allocations[name]
    left, granted, unused, through = book.get_all(f"allocations.{name}", "left", "granted", "unused", "pace.through")
    return compose("home", "expiring", grant.title, left, granted, grant.until, unused, through)


def _find_answer(view: View) -> Cell:
    """What a project comes to: the bold beginning of its answer, else what its page says first, else its summary."""
    for text in view.texts("answer")[:1]:
        if lead := _cut_bold_lead(text.text):
            return lead
    if view.kind == "budget" and (answer := budget_answer(view)):
        return answer
    return _describe_best_setup(Choosing(view)) or view.project.summary


def _describe_best_setup(choosing: Choosing) -> Cell:
    """The setup of least cost × time, with its time and cost; None where nothing is compared or known."""
    main, rank = choosing.main, "fewest-dollar-hours"
    if main is None or rank not in main.found.ranks:
        return None
    best = f"setups.{main.found.name}.{rank}"
    hours, usd = (As(choosing.view.fig(f"{best}.{key}"), "planned") for key in ("hours", "usd"))
    return (main.title(main.found.ranks[rank]), ": ", hours, ", ", usd)


def _cut_bold_lead(text: Saying) -> Saying:
    """What stands in bold at the beginning of a text, without its full stop; empty where nothing does."""
    first, *others = text or ("",)
    if not isinstance(first, str) or not first.startswith(BOLD):
        return Saying()
    lead: list[str | Figure | Word] = []
    for part in (first.removeprefix(BOLD), *others):
        if isinstance(part, str) and BOLD in part:
            return Saying([*lead, part.partition(BOLD)[0].removesuffix(".")])
        lead.append(part)
    return Saying()


def _describe_old_data(standing: Standing, newest: int) -> Sentence:
    """That the data of a project which goes on are old; empty where they are not, or nothing goes on."""
    view = standing.view
    if not (view.dated and view.runs) or standing.done or not view.planned:
        return ()
    behind = newest - last_day(view.through)
    return compose("home", "old_data", view.through, behind) if behind > STALE_DAYS else ()


def _find_rank(standing: Standing, newest: int) -> int:
    """How urgently somebody should look at a project: 0 is first."""
    if standing.view.kind != "budget":
        return len(TONES) + 2
    if standing.state.tone in TONES:
        return TONES.index(standing.state.tone)
    return len(TONES) if _describe_old_data(standing, newest) else len(TONES) + 1


def _make_row(standing: Standing, newest: int) -> CellRow:
    view = standing.view
    if view.kind != "budget":
        return [_link_project(view, "index"), _find_answer(view), None, None, None, _count_findings(view)]
    word, _ = standing.verdict
    state = standing.state
    grave = state.tone in TONES
    why = joined([said for said in (state.why if grave else (), _describe_old_data(standing, newest)) if said], "; ")
    verdict: Cell = Bold(word) if grave else word
    return [
        _link_project(view, "status"),
        (verdict, ": ", why) if why else verdict,
        _describe_left(view),
        None if view.project.plan_is else view.maybe(view.budget.chance),
        "done" if standing.done else standing.whole.done,
        _count_findings(view),
    ]


def _describe_left(view: View) -> Cell:
    """What is left of what budget; what is spent where there is no plan, or it is no limit."""
    whole, left = view.maybe(view.budget.hours), view.maybe(view.budget.remaining)
    if view.project.plan_is or not (view.planned and whole and left):
        spent = view.maybe("actual.total")
        return (As(spent, "bare"), " spent") if spent else None
    return (As(left, "bare"), " of ", As(whole, "bare"))


def _link_project(view: View, page: str) -> Cell:
    return Bold(Link(view.project.title, f"{view.id}/{page}.md"))


def _link_findings(view: View) -> Cell:
    """The errors and warnings of a document, with a link to them."""
    counts = _count_by_severity(view, view.sourced, SEVERITIES[:2])
    return Link(joined(counts), f"{view.id}/findings.md") if counts else None


def _count_findings(view: View) -> Cell:
    """The open findings of a project by their kind, those of its source apart; and how many are accepted."""
    counts = _count_by_severity(view, view.severity)
    sourced = _count_by_severity(view, view.sourced)
    if sourced:
        counts.append(("in the source ", joined(sourced)))
    if view.accepted:
        counts.append(As(view.many(view.accepted, "accepted", "accepted")))
    return Link(joined(counts), f"{view.id}/findings.md") if counts else "none"


def _count_by_severity(view: View, find: Callable[[str], Causes], severities: Sequence[str] = SEVERITIES) -> CellRow:
    """How many causes of each severity there are, the gravest first, of those that `find` gives for one."""
    return [As(view.many(causes, severity)) for severity in severities if (causes := find(severity))]


def _make_allocation_row(book: Book, name: str, closed: bool) -> CellRow:
    grant, gpus = book.allocations[name], book.catalog.gpus
    at = f"allocations.{name}"
    title: Cell = Link(grant.title, f"{STATEMENT.name}/{name}.md") if closed else grant.title
    if grant.gpu:
        title = (title, " (", gpus[grant.gpu].title, ")")
    hours = As(book.get(f"{at}.granted") or book[f"{at}.{grant.amount_key}"], "bare")  # of no project: as it is stated
    until = grant.until or "none"
    projects = joined(grant.projects)
    if name in book.shared_grants:
        why = (f"{NOT_KNOWN}: ", *why_unknown(book, name))
        return [title, why, NOT_KNOWN, NOT_KNOWN, hours, until, NOT_KNOWN, projects]
    share, used, left, unused = book.get_all(at, "used_share", "used", "left", "unused")
    return [title, share, left, used, hours, until, unused, projects]
