"""The tables of the budget page: what is planned, on which hardware, what it comes to, and what was charged."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.compute.book import Book
from reckon.compute.choosing.memory import Verdict
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Sentence
from reckon.model.finding_groups import FindingGroup
from reckon.model.release import Snapshot
from reckon.model.rules import PLAN, is_about

from ..choosing import Choosing
from ..table import As, Bold, Cell, CellRow, CellRows, Columns, Link, Table, below, figures, given, joined, words
from ..table_rows import BY_SETTINGS, estimate_called, findings_then, hours_then
from ..table_rows import words as worded
from ..view import OfProject
from ..word_templates import compose
from .budget_headline import MOST_CAUSES, UNLIKE_ESTIMATE, budget_answer
from .budget_table import SCOPE_WORDS, WholeBudget, is_converted
from .work import SEEDS, work_rows


@dataclass(frozen=True)
class Budget(OfProject):
    """The tables of a project's first page. They have no rows where there is nothing to say."""

    choosing: Choosing
    proposed: Book | None = None
    """The book as the one proposal would have it; None where there is none, or are several."""

    @property
    def about(self) -> Table:
        """The version, its dates, and what hours are counted on."""
        view, project = self.view, self.project
        budget = view.kind == "budget"
        rows: CellRows = [
            ("Status", project.status),
            ("Plan of" if view.planned and budget else "As of", project.as_of),
            ("Data through", view.through if view.dated and not view.released else None),
            ("Hours are counted on", view.card(project.gpu) if budget else None),
            ("Models", joined(view.model(name) for name in project.models)),
            ("Seeds", As(view.fig("seeds"), "bare") if project.seeds else None),
            ("Source", project.source),
        ]
        return Table(["Version", words(compose("status", "version", view))], [row for row in rows if row[1]])

    @property
    def answer(self) -> Sentence:
        """What is planned, spent, estimated and forecast, in one sentence without its full stop."""
        return budget_answer(self.view)

    @property
    def causes(self) -> list[FindingGroup]:
        """The first of the open errors that say why the estimates need other hours than the plan."""
        return [group for group in self.view.doubts if group.rule in UNLIKE_ESTIMATE][:MOST_CAUSES]

    @property
    def published(self) -> bool:
        """Whether anything is found in a plan that is a document's own."""
        return any(group.published and is_about(group.rule, PLAN) for group in self.view.in_source)

    @property
    def whole(self) -> Table:
        """All lines with their sums, planned, estimated, proposed and spent."""
        return WholeBudget(self.view, self.proposed).table

    @property
    def proposal(self) -> Figure | None:
        """The budget as the one proposal would have it."""
        return self.proposed.get(f"{self.view.id}.{self.view.budget.hours}") if self.proposed else None

    @property
    def unestimated(self) -> bool:
        """Whether some lines of the plan have no estimate."""
        return any(item.estimate is None for item in self.ledger.items.values())

    @property
    def configured(self) -> bool:
        """Whether the estimates are what the settings of a document give, not estimates of its authors."""
        return estimate_called(self.book, self.view.id) == BY_SETTINGS

    def stated(self, name: str) -> Figure | None:
        """What the source states for the estimate of an item, where that does not agree; None where nothing does."""
        checks = self.book.checks.get(self.view.id, ())
        address = f"{self.view.id}.plan.{name}.estimate"
        return next((check.stated for check in checks if check.figure.address == address and not check.holds), None)

    def converted(self, name: str) -> Figure | None:
        """What the hours of an item come to in all, where they are of another card than those of the budget."""
        total = self.view.fig(f"plan.{name}.total")
        return total if is_converted(total) else None

    def scope(self, item: r.Item) -> str:
        """How often an item counts, in words."""
        return SCOPE_WORDS[item.scope]

    @property
    def hardware(self) -> Table:
        """The hardware that the document names."""
        rows = [self._hardware(f"hardware.{name}", record) for name, record in self.project.hardware.items()]
        return Table(["Hardware", "GPUs", "Figures", "Details"], rows)

    def _hardware(self, at: str, record: r.Hardware) -> CellRow:
        view = self.view
        gpus: Cell = (view.fig(f"{at}.gpus"), " × " if record.cards else "") if record.gpus else None
        known = joined(((row.title, ": ", row.figure) for row in view.figures(record, at)), "; ")
        details: CellRow = [(worded(key), ": ", value, ". ") for key, value in record.details.items()]
        return [record.title, (gpus, joined(map(view.card, record.cards))), known, (*details, record.notes)]

    @property
    def memory(self) -> Table:
        """What work needs on each GPU."""
        needs = self.project.memory.items()
        rows = [[need.title, As(self.view.fig(f"memory.{name}.need_gib_per_gpu")), need.notes] for name, need in needs]
        return Table(["Work", figures("Need"), "Notes"], rows)

    @property
    def verdicts(self) -> Table:
        """Whether that fits on the cards."""
        columns: Columns = ["For", "GPU", "Verdict", figures("Need"), figures("Usable")]
        return Table(
            columns,
            [
                [
                    self._judged(verdict),
                    self.view.card(verdict.card),
                    verdict.words,
                    As(verdict.need),
                    As(verdict.usable),
                ]
                for verdict in self.book.verdicts[self.view.id]
            ],
        )

    def _judged(self, verdict: Verdict) -> Cell:
        kind, _, name = verdict.subject.partition(".")
        if kind != "hardware":
            return self.ledger.items[name].title
        need = self.project.memory[verdict.need.address.split(".")[2]]
        return (self.project.hardware[name].title, ": ", need.title)

    @property
    def actual(self) -> Table:
        """What was charged without a plan, by phase and item, and in all."""
        rows = [[row.marked, given(row.actual, "bare") or ""] for row in work_rows(self.view) if row.level not in SEEDS]
        return Table(["Work, GPU-h", figures("Spent")], [*rows, [Bold("Total"), self.bare("actual.total")]])

    @property
    def releases(self) -> Table:
        """What each release came to, the newest first."""
        return Table(
            ["Release", figures("Budget"), figures("Extended"), "Findings"],
            [_release(release) for release in self.view.releases],
        )


def _release(release: Snapshot) -> CellRow:
    page = Bold(Link(release.version, f"{release.version}/index.md"))
    paper = (", ", Link("on paper", f"{release.version}/{release.paper}")) if release.paper else ()
    dated = "as published " if release.as_published else "", release.date, ", with data through ", release.data_through
    what = below((page, ", ", *dated, *paper), release.reason)
    hours = (hours_then(release, f"budget.{name}") for name in ("final", "extended"))
    return [what, *hours, joined((As(many, "bare"), f" {kind}") for many, kind in findings_then(release)) or "none"]
