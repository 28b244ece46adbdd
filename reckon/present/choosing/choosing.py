"""What the page of a project shows of its workloads and setups, and where its texts stand among that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from reckon.compute.statements.passages import Said
from reckon.model import records as r
from reckon.model.figure import Figure

from ..render.printing import further
from ..rows import FigureRow
from ..view import View
from .comparison import BEST_FOR, Comparison
from .market import offers, searches
from .rows import Hunt, Offer

MOST_WORKLOADS = 6
WHERE = "where to look"
WORK = (
    ("samples", "Samples over all models"), ("samples_per_model", "Samples of each model"),
    ("tokens_per_sample", "Tokens of each sample"), ("models", "Models"),
    ("tokens_per_model", "Tokens of each model"), ("tokens", "Tokens in all"),
    ("overhead", "Overhead, as a share of generation"),
    ("overhead_minutes_per_model", "Fixed time of each model, min"), ("efficiency", "Efficiency of several GPUs"),
    ("need_gb", "Memory of each model"),
)  # fmt: skip


@dataclass(frozen=True)
class Choosing:
    """The workloads of a project and the comparisons of their setups; both empty where it has none."""

    view: View

    @cached_property
    def comparisons(self) -> list[Comparison]:
        """One for each record of setups; the first is shown in full."""
        return [Comparison(self.view, found) for found in self.view.book.tradeoffs.get(self.view.id, ())]

    @property
    def main(self) -> Comparison | None:
        """The comparison that is shown in full."""
        return self.comparisons[0] if self.comparisons else None

    @property
    def offers(self) -> list[Offer]:
        """What the market has of the setups of the main comparison."""
        return offers(self.main) if self.main else []

    @property
    def searches(self) -> list[Hunt]:
        """The searches for them."""
        return searches(self.main) if self.main else []

    @property
    def workloads(self) -> dict[str, r.Workload]:
        """The workloads that stand side by side, the first six."""
        return dict(list(self.view.one.workloads.items())[:MOST_WORKLOADS])

    @property
    def more_workloads(self) -> Figure | None:
        """How many workloads are not shown; None if all are."""
        return further(len(self.view.one.workloads) - MOST_WORKLOADS, "workloads")

    @property
    def work(self) -> str:
        """The workload whose memory is shown part by part."""
        return str(self.main.record.workload if self.main else next(iter(self.view.one.workloads), ""))

    @property
    def all_models(self) -> Figure:
        """The memory of all models of that workload together."""
        return self.view.fig(f"workloads.{self.work}.need_of_all_gb")

    @property
    def inputs(self) -> list[tuple[str, list[FigureRow]]]:
        """What each workload is made of: the words, and the figure of each workload or None."""
        found = [(title, [FigureRow(title, self.view.maybe(f"workloads.{name}.{key}")) for name in self.workloads])
                 for key, title in WORK]  # fmt: skip
        return [(title, row) for title, row in found if any(one.figure for one in row)]

    def texts(self, section: str) -> list[Said]:
        """The texts under a heading that the page has already; of the best-for texts those that no row shows."""
        mine = [text for text in self.view.said if text.section.lower() == section]
        if section != BEST_FOR or not self.main:
            return mine
        shown = {text.name for row in self.main.frontier for text in row.best}
        return [text for text in mine if text.name not in shown]

    @cached_property
    def _split(self) -> tuple[list[str], list[str]]:
        """The headings that texts bring with them, before and after where to look."""
        order = list(dict.fromkeys(str(text.section) for text in self.view.said))
        here = next((at for at, one in enumerate(order) if one.lower() == WHERE), len(order))
        free = self.view.sections
        return [one for one in free if order.index(one) < here], [one for one in free if order.index(one) > here]

    @property
    def before(self) -> list[str]:
        """The headings of texts before where to look: all of them, where nothing is said of that."""
        return self._split[0]

    @property
    def after(self) -> list[str]:
        """The headings of texts after it."""
        return self._split[1]
