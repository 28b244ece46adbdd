"""What the page of a project shows of its workloads and setups, and where its texts stand among that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.setups import Choice
from reckon.compute.statements.text_blocks import Said
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.figure import Figure, operands

from ..render.printing import further
from ..table import MOST_ROWS, As, Bold, Cell, CellRow, CellRows, Columns, Table, figures, words
from ..table_rows import words as worded
from ..view import OfProject
from .comparison import SetupComparison

MOST_WORKLOADS = 6
WORK = (
    ("samples", "Samples over all models"),
    ("samples_per_model", "Samples of each model"),
    ("tokens_per_sample", "Tokens of each sample"),
    ("models", "Models"),
    ("tokens_per_model", "Tokens of each model"),
    ("tokens", "Total tokens"),
    ("runs", "Runs"),
    ("hours_per_run", "Hours of each run on its baseline"),
    ("gpus_per_run", "GPUs of each run"),
    ("overhead_minutes_per_run", "Fixed time of each run"),
    ("overhead", "Overhead, as a share of generation"),
    ("overhead_minutes_per_model", "Fixed time of each model"),
    ("efficiency", "Efficiency of several GPUs"),
    ("need_gb", "Memory of each {}"),
)


class Hunt(NamedTuple):
    """A search for a setup, as a command; or what is lacking for one."""

    title: str
    setup: str
    provider: str
    text: str
    lacking: tuple[str, ...]


class Choosing(OfProject):
    """The workloads of a project and the comparisons of their setups; both empty where it has none."""

    @cached_property
    def comparisons(self) -> list[SetupComparison]:
        """One for each record of setups; the first is shown in full."""
        return [SetupComparison(self.view, found) for found in self.book.tradeoffs.get(self.view.id, ())]

    @property
    def main(self) -> SetupComparison | None:
        """The comparison that is shown in full."""
        return self.comparisons[0] if self.comparisons else None

    @property
    def offers(self) -> Table:
        """What the setups of the main comparison cost an hour, how common they are, and the lists that say so."""
        rows = [self._offer(self.main, choice) for choice in self.main.shown] if self.main else []
        columns: Columns = [
            "Setup",
            figures("One GPU, $/h", "spread"),
            figures("The whole, $/h", "spread"),
            "On the market",
            words("Price list", shown=self.one_list is None),
        ]
        return Table(columns, rows, self.main.hidden if self.main else 0, "setups")

    @property
    def one_list(self) -> str | None:
        """The price list that all prices are from; of two, the one of most cards, and of which cards the other is."""
        cards: dict[str, dict[str, None]] = {}
        for choice in self.main.shown if self.main else ():
            if title := self._listed(choice):
                cards.setdefault(title, {})[self.view.catalog.gpus[choice.card].title] = None
        lists = sorted(cards, key=lambda title: -len(cards[title]))
        if len(lists) != 2 or cards[lists[0]].keys() & cards[lists[1]].keys():
            return lists[0] if len(lists) == 1 else None
        most, other = lists
        return f"{most}; for {', '.join(cards[other])} from {other}"

    def _listed(self, choice: Choice) -> str:
        """The title of the price list that has the price of a setup; empty where none has."""
        name, lists = self._list(choice), self.view.catalog.prices
        return (lists[name].title or name) if name in lists else ""

    def _list(self, choice: Choice) -> str:
        sources = operands(self.book[f"{choice.at}.usd_per_gpu_hour"])
        return next((source.address.split(".")[2] for source in sources), "")

    def _offer(self, main: SetupComparison, choice: Choice) -> CellRow:
        """A setup with the words of its record; one GPU that has none there, with those of its price list."""
        price = self.book[f"{choice.at}.usd_per_gpu_hour"]
        prices = self.view.catalog.prices.get(self._list(choice))
        common = main.record.market.get(Text(choice.id))
        if common is None and prices and choice.gpus == 1:
            common = prices.market.get(Text(choice.card))
        whole = main.fig(choice, "usd_per_hour") if choice.gpus > 1 else None
        return [main.title(choice.id), price, whole, common or None, self._listed(choice) or None]

    @property
    def searches(self) -> list[Hunt]:
        """The searches for them, at most two hundred."""
        if not self.main:
            return []
        providers, titles = self.view.catalog.providers, self.main.found.titles
        every = self.book.searches.get(self.view.id, ())
        mine = [command for command in every if command.setups == self.main.found.name]
        return [
            Hunt(
                command.title,
                titles.get(command.choice, ""),
                providers[command.provider].title,
                command.text,
                command.lacking,
            )
            for command in mine[:MOST_ROWS]
        ]

    @property
    def workloads(self) -> dict[str, r.Workload]:
        """The workloads that stand side by side, the first six."""
        return dict(self._shown[:MOST_WORKLOADS])

    @property
    def _shown(self) -> list[tuple[str, r.Workload]]:
        """The workloads without those that are only another reading: these have no tables of their own."""
        weighed = [found.record for found in self.book.tradeoffs.get(self.view.id, ())]
        read = {record.workload for record in weighed if record.reading_of}
        read -= {record.workload for record in weighed if not record.reading_of}
        return [(name, workload) for name, workload in self.ledger.workloads.items() if name not in read]

    @property
    def more_workloads(self) -> Figure | None:
        """How many workloads are not shown; None if all are."""
        return further(len(self._shown) - MOST_WORKLOADS, "workloads")

    @property
    def work(self) -> str:
        """The workload whose memory is shown part by part."""
        return self.main.record.workload if self.main else next(iter(self.ledger.workloads), "")

    @property
    def needs(self) -> Table:
        """The memory of one model or run of that workload part by part, and of all models."""
        at, parts = f"workloads.{self.work}", self.ledger.workloads[self.work].memory_gb
        needed: list[tuple[Cell, str]] = [(worded(part), f"memory_gb.{part}") for part in parts]
        piece = self.ledger.workloads[self.work].piece
        needed.append((Bold(f"One {piece}"), "need_gb"))
        if models := self.maybe(f"{at}.models"):
            needed.append((("All ", models, " together"), "need_of_all_gb"))
        rows = [[title, As(self.view.fig(f"{at}.{key}"), "bare")] for title, key in needed] if parts else ()
        return Table([words(f"Memory of one {piece}, GB"), figures("")], rows)

    @property
    def inputs(self) -> Table:
        """What each workload is made of; its columns are the workloads."""
        columns: Columns = ["", *(figures(workload.title, "full") for workload in self.workloads.values())]
        rows: CellRows = []
        for key, title in WORK:
            amounts = [self.maybe(f"workloads.{name}.{key}") for name in self.workloads]
            rows.append([title.format(self.pieces), *amounts])
        return Table(columns, [*(row for row in rows if any(row[1:])), *self._baselines()])

    def _baselines(self) -> Iterator[CellRow]:
        """The cards on which runs take their hours, where there is work in runs."""
        if "run" in self.pieces:
            cards = (work.baseline if work.runs else None for work in self.workloads.values())
            yield ["Baseline", *(self.view.card(card) if card else None for card in cards)]

    @property
    def pieces(self) -> str:
        """What the workloads are made of: `model`, `run`, or `model or run`."""
        return " or ".join(sorted({work.piece for work in self.workloads.values()}))

    def texts(self, section: str) -> list[Said]:
        """The texts under a heading that the page has already."""
        return [text for text in self.view.said if text.section.lower() == section]
