"""The tables of the budget page: what is planned, on which hardware, what it comes to, and what was charged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from reckon.compute.budget.budget import BudgetLine, budget_lines, covers_seeds
from reckon.compute.choosing.memory import FITS, Verdict
from reckon.model import records as r
from reckon.model.figure import OUTSIDE, Figure
from reckon.model.finding import Sentence
from reckon.model.finding_groups import FindingGroup
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called
from reckon.model.pages import DETAILS
from reckon.model.release import Snapshot
from reckon.model.rules import PLAN, is_about

from ..choosing import Choosing
from ..table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Link, Table, below, figures, joined, words
from ..table_rows import BY_CONFIGURATION, estimate_called, findings_then, hours_then
from ..table_rows import words as worded
from ..view import View
from ..word_templates import compose
from .budget_headline import MOST_CAUSES, budget_answer
from .budget_table import SCOPE_WORDS, WholeBudget, factors_of, is_converted

SUMMARY = (
    ("subtotal", "Subtotal"),
    ("contingency", "Contingency"),
    (FINAL.id, FINAL.title),
    ("extensions", "Extensions"),
    ("extensions_contingency", "Contingency on extensions"),
    (EXTENDED.id, EXTENDED.title),
)
CHARGED = (
    (CEILING.actual, "Actual"),
    (FINAL.remaining, f"Remaining of the {FINAL.words}"),
    (EXTENDED.remaining, f"Remaining of the {EXTENDED.words}"),
    (CEILING.hours, CEILING.title),
    ("budget.below_ceiling", f"{CEILING.title} less {FINAL.words}"),
    (CEILING.remaining, f"{CEILING.title} less actual"),
)
ONLY_CHARGED = (CEILING.actual, CEILING.hours, CEILING.remaining)


@dataclass(frozen=True)
class Budget:
    """The tables of a project's first page. They have no rows where there is nothing to say."""

    view: View
    choosing: Choosing

    @property
    def about(self) -> Table:
        """The version, its dates, and what hours are counted on."""
        view, project = self.view, self.view.project
        budget = view.kind == "budget"
        rows: list[tuple[str, Cell]] = [
            ("Status", project.status),
            ("Plan of" if view.planned and budget else "As of", project.as_of),
            ("Data through", view.through if view.dated and not view.released else None),
            ("Hours are counted on", view.card(str(project.gpu)) if budget else None),
            ("Models", joined(view.model(name) for name in project.models)),
            ("Seeds", As(view.fig("seeds"), "bare") if project.seeds else None),
            ("Source", project.source),
        ]
        return Table([words("Version"), words(compose("status", "version", view))], [row for row in rows if row[1]])

    @property
    def answer(self) -> Sentence:
        """What is planned, spent, estimated and forecast, in one sentence without its full stop."""
        return budget_answer(self.view)

    @property
    def causes(self) -> list[FindingGroup]:
        """The first of the open errors that contradict the figures: why the answer is what it is."""
        return self.view.doubts[:MOST_CAUSES]

    @property
    def published(self) -> bool:
        """Whether anything is found in a plan that is a document's own."""
        return any(group.published and is_about(group.rule, PLAN) for group in self.view.in_source)

    @property
    def whole(self) -> Table:
        """All lines with their sums, planned, estimated and charged."""
        return WholeBudget(self.view).table

    @property
    def detailed(self) -> bool:
        """Whether the project has a page of details."""
        return any(page.name == DETAILS for page in self.view.fixed_pages)

    @property
    def unestimated(self) -> bool:
        """Whether some lines of the plan have no estimate."""
        return any(item.estimate is None for item in self.view.ledger.items.values())

    @property
    def configured(self) -> bool:
        """Whether the estimates are what the configuration of a document gives, not estimates of its authors."""
        return estimate_called(self.view.book, self.view.id) == BY_CONFIGURATION

    def stated(self, name: str) -> Figure | None:
        """What the source states for the estimate of an item, where that does not agree; None where nothing does."""
        checks = self.view.book.checks.get(self.view.id, ())
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
    def winners(self) -> Table:
        """The setup that each ranking picks; of single GPUs only where it is not that of all setups."""
        ranks = self.choosing.main.ranks if self.choosing.main else []
        columns = [words("At a glance"), words("Setup"), figures("Time, h"), figures("Cost, $")]
        rows: CellRows = []
        for rank in ranks:
            if not rank.again:
                hours, usd = self.view.fig(f"{rank.key}.hours"), self.view.fig(f"{rank.key}.usd")
                rows.append([rank.title, rank.winner, As(hours, "use"), As(usd, "use")])
        return Table(columns, rows)

    @property
    def summary(self) -> Table:
        """What the budget comes to, from the plan and from the estimates; else what was charged, without a plan."""
        view = self.view
        if view.maybe(FINAL.hours) is None:
            return Table([])
        estimated = view.maybe("estimates.final") is not None
        columns = [
            words("GPU-hours"),
            figures("From the plan" if view.planned else ""),
            figures("From the estimates", shown=view.planned and estimated),
        ]
        rows: CellRows = []
        for key, title in SUMMARY if view.planned else ():
            if key != "subtotal" or view.maybe("budget.contingency"):
                rows.append([self._title(key, title), self._bare(f"budget.{key}"), self._bare(f"estimates.{key}")])
        charged = [(at, title) for at, title in CHARGED if view.planned or at in ONLY_CHARGED]
        rows += [[called(view.project, title), self._bare(at), ""] for at, title in charged]
        known = [row for row in rows if row[1]]
        # What was used alone is told in the sentence above.
        return Table(columns, known if view.planned or len(known) > 1 else [])

    def _bare(self, address: str) -> Cell:
        """A figure without its unit; no cell where there is none."""
        figure = self.view.maybe(address)
        return As(figure, "bare") if figure else ""

    @property
    def allocations(self) -> Table:
        """The grants that the project draws on."""
        book = self.view.book
        columns = [words("Allocation"), *map(figures, ("Left", "Share used", "Used", "GPU-hours"))]
        rows: CellRows = []
        for name in self.view.allocations:
            amounts = (book[f"allocations.{name}.{key}"] for key in ("left", "used_share", "used", "granted"))
            rows.append([book.ledger.allocations[name].title, *(As(figure, "bare") for figure in amounts)])
        return Table(columns, rows)

    @property
    def hardware(self) -> Table:
        """The hardware that the document names."""
        rows = [self._hardware(f"hardware.{name}", record) for name, record in self.view.project.hardware.items()]
        return Table([*map(words, ("Hardware", "GPUs", "Figures", "Details"))], rows)

    def _hardware(self, at: str, record: r.Hardware) -> CellRow:
        view = self.view
        gpus: Cell = (view.fig(f"{at}.gpus"), " × " if record.cards else "") if record.gpus is not None else None
        known = joined(((row.title, ": ", row.figure) for row in view.figures(record, at)), "; ")
        details: list[Cell] = [(worded(key), ": ", value, ". ") for key, value in record.details.items()]
        return [record.title, (gpus, joined(map(view.card, record.cards))), known, (*details, record.notes)]

    @property
    def memory(self) -> Table:
        """What work needs on each GPU."""
        needs = self.view.project.memory.items()
        rows = [[need.title, As(self.view.fig(f"memory.{name}.need_gib_per_gpu")), need.notes] for name, need in needs]
        return Table([words("Work"), figures("Need"), words("Notes")], rows)

    @property
    def verdicts(self) -> Table:
        """Whether that fits on the cards."""
        return self._verdicts(self.view.book.verdicts[self.view.id])

    @property
    def unfitting(self) -> Table:
        """The same of those that it does not fit on, or not at the high end of what it needs."""
        return self._verdicts(verdict for verdict in self.view.book.verdicts[self.view.id] if verdict.words != FITS)

    def _verdicts(self, verdicts: Iterable[Verdict]) -> Table:
        columns = [words("For"), words("GPU"), words("Verdict"), figures("Need"), figures("Usable")]
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
                for verdict in verdicts
            ],
        )

    def _judged(self, verdict: Verdict) -> Cell:
        kind, _, name = verdict.subject.partition(".")
        if kind != "hardware":
            return self.view.ledger.items[name].title
        need = self.view.project.memory[verdict.need.address.split(".")[2]]
        return (self.view.project.hardware[name].title, ": ", need.title)

    def phase(self, name: str) -> Table:
        """The items of a phase, and what they come to, for each seed and in all."""
        view, phase, at = self.view, self.view.ledger.plan[name], f"phases.{name}"
        seeded, guessed = view.project.seeds is not None, view.maybe(f"{at}.estimated") is not None
        columns = [
            words("Item"),
            figures("Planned each" if seeded else "Planned"),
            figures("Planned in all", shown=seeded),
            figures("Estimate each" if seeded else "Estimate", shown=guessed),
            figures("Estimate in all", shown=guessed and seeded),
        ]
        rows = [self._item(str(name), item, seeded) for name, item in phase.items.items() if name in view.shown]
        whole = [self._bare(f"{at}.planned"), self._bare(f"{at}.estimated")]
        total = [Bold(phase.title), *(cell for figure in whole for cell in ("" if seeded else figure, figure))]
        return Table(columns, [*rows, total])

    def _item(self, name: str, item: r.Item, seeded: bool) -> CellRow:
        view, at = self.view, f"plan.{name}"
        estimate, whole = (view.maybe(f"{at}.{key}") for key in ("estimate", "estimate_total"))
        of_all = whole and seeded and item.scope == "per-seed" and covers_seeds(whole)
        each = As(estimate, "bare") if estimate and not of_all else None
        total = As(whole, "bare") if estimate and whole else None
        return [item.title, self._bare(f"{at}.gpu_hours"), self._bare(f"{at}.total"), each, total]

    @property
    def lines(self) -> Table:
        """The budget line by line, with what it adds up to."""
        view = self.view
        estimated = view.maybe("estimates.subtotal") or view.maybe("estimates.extended")
        columns = [
            words("Item"),
            words("Scope"),
            figures("GPU-hours each"),
            words(""),
            figures("Planned"),
            figures(estimate_called(view.book, view.id), shown=estimated is not None),
        ]
        keys = [key for key, _ in SUMMARY if key != "subtotal" or view.maybe("budget.contingency")]
        rows = [self._line(line) for line in view.lines if not line.extension and line.item in view.shown]
        rows += self._sums(key for key in keys if not key.startswith("exten"))
        rows += [self._line(line) for line in view.lines if line.extension and line.item in view.shown]
        rows += self._sums(key for key in keys if key.startswith("exten"))
        return Table(columns, rows, max(0, len(view.ledger.items) - MOST_ROWS), "items")

    def _line(self, line: BudgetLine) -> CellRow:
        at, title = f"plan.{line.item}", self.view.ledger.items[line.item].title
        factors = joined((("× ", factor) for factor in factors_of(self.view.fig(f"{at}.total"))), " ")
        each, total, estimate = (self._bare(f"{at}.{key}") for key in ("gpu_hours", "total", "estimate_total"))
        return [title, line.scope, each, factors, total, estimate or None]

    def _sums(self, keys: Iterator[str]) -> Iterator[CellRow]:
        titles = {**{key: self._title(key, title) for key, title in SUMMARY}, "subtotal": Bold("Subtotal")}
        for key in keys:
            if planned := self._bare(f"budget.{key}"):
                rate = self._rate() if key == "contingency" else None
                yield [titles[key], "", "", rate, planned, self._bare(f"estimates.{key}") or ()]

    def _title(self, key: str, title: str) -> Cell:
        """The title of a sum, bold where it is a whole budget."""
        name = called(self.view.project, title)
        return Bold(name) if key in (FINAL.id, EXTENDED.id) else name

    def _rate(self) -> Figure | None:
        """The contingency rate, if one covers every line of the base budget; the formula says how where they differ."""
        rates = {line.rate for line in budget_lines(self.view.ledger) if not line.extension}
        return self.view.fig(rates.pop()) if len(rates) == 1 and all(rates) else None

    @property
    def actual(self) -> Table:
        """Planned and actual hours by phase and item, with the budgets as a whole; actual ones where no plan is."""
        view, planned = self.view, self.view.planned
        columns = [
            words("GPU-hours"),
            figures("Planned", shown=planned),
            figures("Actual"),
            figures("Remaining", shown=planned),
        ]
        rows: CellRows = []
        for phase_id, phase in view.ledger.plan.items():
            if phase.items:
                rows.append([Bold(phase.title), *self._spent(f"phases.{phase_id}", "planned")])
            items = {name: item for name, item in phase.items.items() if name in view.shown or not planned}
            rows += [[item.title, *self._spent(f"plan.{name}", "total")] for name, item in items.items()]
        for each in OUTSIDE:
            if view.maybe(f"actual.{each.key}"):
                rows.append([each.title, "", self._bare(f"actual.{each.key}"), ""])
        rows += self._wholes() if planned else [[Bold("Actual"), "", self._bare("actual.total"), ""]]
        return Table(columns, rows)

    def _spent(self, at: str, planned: str) -> CellRow:
        return [self._bare(f"{at}.{key}") for key in (planned, "actual", "remaining")]

    def _wholes(self) -> Iterator[CellRow]:
        for total in (FINAL, EXTENDED):
            if self.view.maybe(total.hours):
                included = ", contingency included" if total is FINAL and self.view.project.contingency else ""
                hours = map(self._bare, (total.hours, total.actual, total.remaining))
                title = Bold(called(self.view.project, total.title))
                yield [(title, included) if included else title, *hours]

    @property
    def releases(self) -> Table:
        """What each release came to, the newest first."""
        columns = [words("Release"), figures("Budget"), figures("Extended"), words("Findings")]
        return Table(columns, [_release(release) for release in self.view.releases])

    @property
    def versions(self) -> Table:
        """The versions in the order of the ledger."""
        columns = [*map(words, ("Version", "Status", "Date", "What")), words("Waits for", optional=True)]
        return Table(
            columns,
            [
                [str(number), version.status, version.date, version.note, version.waits_for]
                for number, version in self.view.project.versions.items()
            ],
        )


def _release(release: Snapshot) -> CellRow:
    page = Bold(Link(release.version, f"{release.version}/index.md"))
    paper = (", ", Link("on paper", f"{release.version}/{release.paper}")) if release.paper else ()
    dated = "as published " if release.as_published else "", release.date, ", with data through ", release.data_through
    what = below((page, ", ", *dated, *paper), release.reason)
    hours = (hours_then(release, f"budget.{name}") for name in ("final", "extended"))
    return [what, *hours, joined((As(many, "bare"), f" {kind}") for many, kind in findings_then(release)) or "none"]
