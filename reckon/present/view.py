"""What a project is about, which decides the pages that it has; and which of its records those pages show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from reckon.compute.audit import data_through
from reckon.compute.audit.common import is_done
from reckon.compute.book import Book
from reckon.compute.budget.budget import BudgetLine, budget_lines
from reckon.compute.statements.text_blocks import Said
from reckon.compute.statements.words import Word
from reckon.language.text import Text
from reckon.language.units import label
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure
from reckon.model.finding import SEVERITIES, Finding
from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.model.kinds import Total, as_planned, budget_of
from reckon.model.ledger import Catalog, ProjectLedger
from reckon.model.pages import ANSWER, TemplatePage, pages_of
from reckon.model.release import Snapshot

from .render.printing import counted, several
from .table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Columns, Table, below, figures, given, joined, words
from .table_rows import FigureRow, placed, use_of
from .table_rows import words as worded

# Sections of the budget page that texts can join by name, beside the ids of phases.
PLACED = (ANSWER, "hardware", "budget", "measurements", "configurations")
# The same of a project that chooses hardware; these are headings, so capitals do not matter.
CHOOSING = (
    "memory",
    "speed",
    "workload",
    "times and costs",
    "frontier",
    "best for",
    "dominated",
    "what is open",
    "sensitivity",
    "rankings",
    "where to look",
)

NOT_KEPT = ("policy-breached", "limit-passed", "plan-above-limit")
"""Rules about what the project is bound to, which say nothing against its figures."""
MOST_WANTED = 6
Causes = list[FindingGroup]
"""Findings by what causes them."""


@dataclass(frozen=True)
class View:
    """A project as its templates see it."""

    book: Book
    ledger: ProjectLedger
    releases: tuple[Snapshot, ...] = ()
    """Its releases, the newest first."""

    @property
    def one(self) -> ProjectLedger:
        """The old name of `ledger`, for templates."""
        return self.ledger

    @property
    def project(self) -> r.Project:
        """project.yaml."""
        return self.ledger.project

    @property
    def id(self) -> str:
        """The id of the project."""
        return self.ledger.id

    @property
    def catalog(self) -> Catalog:
        """What the projects of a tree share."""
        return self.book.catalog

    def fig(self, address: str) -> Figure:
        """A figure of this project by its address inside it."""
        return self.book[f"{self.id}.{address}"]

    def maybe(self, address: str) -> Figure | None:
        """The same, or None where there is no such figure."""
        return self.book.get(f"{self.id}.{address}")

    def maybe_all(self, at: str, *keys: str) -> list[Figure | None]:
        """The figures below an address inside it, or None for each that there is not."""
        return self.book.get_all(f"{self.id}.{at}", *keys)

    def as_planned(self, chance: Figure | None) -> Figure | None:
        """What a chance of exceeding a limit was as planned; None where that is not known."""
        found = self.book.get(as_planned(chance.address)) if chance else None
        return found if found and found.use is not None else None

    def known(self, address: str) -> Figure | None:
        """The same, or None also where it has no value to plan with."""
        figure = self.maybe(address)
        return figure if use_of(figure) is not None else None

    def word(self, address: str) -> Word | None:
        """A word of this project by its address inside it, or None where there is no such word."""
        return self.book.words.get(f"{self.id}.{address}")

    @cached_property
    def hours(self) -> str:
        """What its hours are called: where several cards are planned or were used, they are hours on one of them."""
        own = self.project.gpu
        used = {name for name in self.catalog.gpus if self.maybe(f"actual.by_gpu.{name}")}
        used |= {item.gpu for item in self.ledger.items.values() if item.gpu}
        return f"GPU-hours ({self.card(str(own))})" if used - {own} else "GPU-hours"

    def card(self, name: str) -> str:
        """The title of a card or another device, or the words that stand in its place."""
        catalog = self.catalog
        device = catalog.gpus.get(name) or catalog.devices.get(name)
        return str(device.title) if device else name

    def model(self, name: str) -> str:
        """The title of a model."""
        model = self.catalog.models.get(name)
        return str(model.title) if model else name

    @cached_property
    def through(self) -> str:
        """The date of the newest run or measurement, or of the plan."""
        return data_through(self.ledger)

    @property
    def dated(self) -> bool:
        """Whether a run or a measurement has a date; else `through` is the date of the plan."""
        measured = any(measurement.date for measurement in self.ledger.measurements.values())
        return measured or any(any(self.ledger.rows.column(name)) for name in ("end", "date", "start"))

    @property
    def released(self) -> str:
        """The newest released version; empty where there is none."""
        return self.releases[0].version if self.releases else ""

    @property
    def fixed_pages(self) -> list[TemplatePage]:
        """The pages that it has beside those that its ledger names."""
        ledger = self.ledger
        there = {"runs": self.runs, "costs": self.costs, "imports": ledger.imports}
        there |= {"releases": self.releases, "proposals": ledger.proposals}
        return pages_of(self.kind, there)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the audit found in this project."""
        return self.book.findings.get(self.id, ())

    @cached_property
    def groups(self) -> tuple[FindingGroup, ...]:
        """The same by cause: what is told once, however many findings it is."""
        return by_cause(self.findings)

    def severity(self, name: str) -> Causes:
        """What is open in the ledger as it is now, by cause, of one severity; `sourced` has what sources state."""
        return [group for group in self._find_open(name) if not group.of_source]

    def sourced(self, name: str) -> Causes:
        """What sources state wrongly, by cause: that on which most hangs first, then verdicts before numbers."""
        stated = [group for group in self._find_open(name) if group.of_source]
        return sorted(stated, key=lambda group: (-len(group.following), bool(group.lead.cells)))

    def _find_open(self, severity: str) -> Causes:
        """The causes of a severity that nobody accepts, and that are no remarks on suppositions of the ledger."""
        causes = [group for group in self.groups if group.severity == severity]
        return [group for group in causes if not (group.accepted or group.remark)]

    @property
    def in_source(self) -> Causes:
        """All that sources state and the ledger does not bear out, the gravest first."""
        return [group for name in SEVERITIES for group in self.sourced(name)]

    @property
    def doubts(self) -> Causes:
        """The open errors that concern figures, a document's own plan included, not what is kept to."""
        errors = [group for group in self._find_open("error") if group.rule not in NOT_KEPT]
        return [group for group in errors if group.published or not group.of_source]

    @property
    def notes(self) -> Causes:
        """The open notes, which say nothing against the figures."""
        return self.severity("note")

    @property
    def accepted(self) -> Causes:
        """The findings that somebody accepts, those of one reason together."""
        return [group for group in self.groups if group.accepted]

    def about(self, subject: str) -> list[Finding]:
        """The open errors and warnings about a part of the project."""
        prefix = f"{self.id}.{subject}."
        about = [finding for finding in self.findings if f"{finding.address}.".startswith(prefix)]
        grave = [finding for finding in about if finding.severity != "note"]
        return [finding for finding in grave if not (finding.accepted or finding.follows)]

    def count(self, things: Sized, of: str) -> Figure:
        """How many there are of something."""
        return counted(len(things), of)

    def many(self, things: Sized, single: str, more: str = "") -> Figure:
        """How many findings, with the word for one or for more."""
        return several(len(things), single, more)

    @property
    def allocations(self) -> list[str]:
        """The ids of the grants that this project draws on."""
        return [name for name, grant in self.book.allocations.items() if self.id in grant.projects]

    @property
    def lines(self) -> list[BudgetLine]:
        """The lines of the budget in the order of the formula: by scope as the plan has them, then the extensions."""
        scopes = [*r.SCOPES]
        last = len(scopes)
        return sorted(budget_lines(self.ledger), key=lambda line: last if line.extension else scopes.index(line.scope))

    @property
    def runs(self) -> bool:
        """Whether any run is recorded."""
        return bool(self.ledger.rows)

    @property
    def costs(self) -> bool:
        """Whether anything is known of what was spent in money or energy."""
        return any(self.maybe(f"{kind}.actual") for kind in ("money", "energy"))

    @property
    def shown(self) -> set[str]:
        """The items that tables and sections show: the first two hundred of a plan; the rest are in the export."""
        return set(list(self.ledger.items)[:MOST_ROWS])

    @property
    def in_hours(self) -> bool:
        """Whether anything is planned in hours: not where all lines of the plan are of money."""
        return not self.ledger.items or any(not item.currency for item in self.ledger.items.values())

    @property
    def planned(self) -> bool:
        """Whether pages speak of a plan: not where runs are all that is known, as with reports of spending."""
        if not self.runs:
            return True
        totals = (self.fig(f"plan.{name}.total") for name in self.ledger.items)
        return any(not total.value.unknown for total in totals)

    @property
    def done(self) -> bool:
        """Whether all planned work is done."""
        return is_done(self.book, self.id)

    @property
    def budget(self) -> Total:
        """The budget that hours are held against: the final one, or the extended where all is extension."""
        return budget_of(self.book.figures, self.id)

    @property
    def kind(self) -> str:
        """What the project is about: a `budget` where there is a plan or a run; else a `comparison` of hardware, or
        what was `measured` and projected.

        Only a budget has a status. A project that has nothing of all that is a budget that is yet to be written.
        """
        ledger = self.ledger
        if ledger.items or self.runs:
            return "budget"
        if ledger.workloads:
            return "comparison"
        return "measured" if self.project.pages or ledger.measurements or ledger.configurations else "budget"

    def spoken(self, phase: r.Phase) -> bool:
        """Whether any item of a phase has more to say than its hours."""
        return any(item.detailed or (self.planned and item.calculated) for item in phase.items.values())

    def versions(self, status: str) -> list[tuple[str, r.Version]]:
        """The versions of one status, the newest first, in numeric order."""
        versions = [
            (str(number), version) for number, version in self.project.versions.items() if version.status == status
        ]
        return sorted(versions, key=lambda pair: list(map(int, re.findall(r"\d+", pair[0]))), reverse=True)

    @property
    def every_text(self) -> list[Said]:
        """The texts that stand in the document, on whichever page."""
        return [text for text in self.book.texts.get(self.id, ()) if text.stands]

    @property
    def said(self) -> list[Said]:
        """The texts that stand on the first page."""
        return [text for text in self.every_text if text.passage.page is None]

    def texts(self, section: str) -> list[Said]:
        """The texts that stand under a heading."""
        return [text for text in self.said if text.section == section]

    def passages(self, texts: list[Said]) -> Table:
        """Texts as rows, where they are several with the same named parts and nothing else; else no rows."""
        parts = [dict(text.parts) if isinstance(text.parts, Mapping) else {} for text in texts]
        alike = all(named and list(named) == list(parts[0]) for named in parts)
        if len(texts) < 2 or not alike or any(text.text or text.rows for text in texts):
            return Table(())
        rows: CellRows = [
            [Bold(text.title or text.name), *named.values()] for text, named in zip(texts, parts, strict=True)
        ]
        return Table(["", *parts[0]], rows)

    @property
    def sections(self) -> list[str]:
        """The headings that texts bring with them, in the order of the ledger."""
        placed = (*PLACED, *self.ledger.plan)
        headings = CHOOSING if self.ledger.workloads else ()
        sections = dict.fromkeys(str(text.section) for text in self.said if text.section not in placed)
        return [section for section in sections if section.lower() not in headings]

    def rows(self, addresses: tuple[str, ...], workings: bool = True) -> Table:
        """A table of quoted figures, with notes and sources, and with how they come about."""
        columns: Columns = ["", figures("Figure", "full", nothing=""), words("How", optional=True)]
        return Table(columns, [self._make_quoted_row(address, workings) for address in addresses])

    def _make_quoted_row(self, address: str, worked: bool) -> CellRow:
        """A quoted figure with how it comes about; its address alone where there is no such figure."""
        figure = self.book.quoted(self.id, address)
        how: CellRow = []
        if worked and figure and isinstance(figure.origin, Calculated):
            how.append(As(figure, "workings"))
        if named := self.ledger.figures.get(address.removeprefix("figures.")):
            how += [named.notes, ("Source: ", named.source) if named.source else None]
        if figure is None:
            return [address, None, below(*how)]
        return [figure.title, As(figure), below(*how)]

    def settings(self, record: r.Item | r.Phase | r.Configuration, at: str) -> Table:
        """The settings of a record at an address."""
        rows: CellRows = []
        for key, value in record.settings.items():
            title, unit = self.setting(record, str(key))
            shown: Cell
            if isinstance(value, str):
                shown = value
            elif isinstance(value, list | tuple):
                shown = joined(value)
            else:
                shown = As(self.fig(f"{at}.settings.{key}"), "bare")
            rows.append([title, (shown, f" {unit}" if unit else "")])
        return Table(["Setting", "Value"], rows)

    def setting(self, record: object, key: str) -> tuple[str, str]:
        """A setting of a record in words, and its unit: as the framework has them, or else the words of its name."""
        from reckon.compute.fitting.effective_settings import framework_of  # few projects have a configuration

        framework = self.catalog.settings.get(framework_of(self.ledger, record))
        spec = framework.settings.get(Text(key)) if framework else None
        if spec is None:
            return worded(key), ""
        return str(spec.title or worded(key)), str(spec.unit or "")

    def figures(self, record: r.Measurement | r.Hardware, at: str) -> list[FigureRow]:
        """The free figures of a record, with their keys as words."""
        return [FigureRow(worded(label(key)), self.fig(f"{at}.{key}")) for key in record.figures]

    @property
    def loose(self) -> list[str]:
        """The named figures that no text quotes, and no table of any page shows."""
        shown = placed(self.ledger)
        for text in self.every_text:
            shown.update(text.rows)
            parts = text.parts.values() if isinstance(text.parts, Mapping) else text.parts
            for piece in chain(text.text, *parts):
                if isinstance(piece, Figure):
                    shown.add(piece.address.removeprefix(f"{self.id}."))
        addresses = [f"figures.{name}" for name in self.ledger.figures]
        return [address for address in addresses if address not in shown][:MOST_ROWS]


@dataclass(frozen=True)
class OfProject:
    """What pages show of a project."""

    view: View

    @property
    def ledger(self) -> ProjectLedger:
        """What the ledger says of it."""
        return self.view.ledger

    @property
    def project(self) -> r.Project:
        """project.yaml."""
        return self.view.project

    @property
    def book(self) -> Book:
        """The book that its figures stand in."""
        return self.view.book

    def maybe(self, address: str) -> Figure | None:
        """A figure of it by its address inside it, or None where there is no such figure."""
        return self.view.maybe(address)

    def bare(self, address: str) -> Cell:
        """The same without its unit; no cell where there is none."""
        return given(self.view.maybe(address), "bare") or ""


@dataclass(frozen=True)
class OfRecord(OfProject):
    """What pages show of a record of a project, by its id."""

    id: str
