"""The setups of one record as the templates see them: at most two hundred, those of the frontier before all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.choosing.setups import Choice
from reckon.compute.choosing.tradeoff import RANKS, Tradeoff
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Sentence, say

from ..render.printing import counted, further
from ..table import MOST_ROWS
from ..view import MOST_WANTED, View
from .rows import Dominated, Front, Memory, Moved, Rank, Speed, Undecided

MOST_NAMED = 12
BEST_FOR = "best for"
LIMITS = {"fastest-within-budget": "budget_usd", "cheapest-before-deadline": "deadline_hours",
          "best-at-hour-value": "usd_per_hour_waited"}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """The setups of one record: figures by setup, and the rows of each table."""

    view: View
    found: Tradeoff

    @property
    def record(self) -> r.Setups:
        """The record in setups.yaml."""
        return self.found.record

    def fig(self, choice: Choice, key: str) -> Figure | None:
        """A figure of a setup, or None where it has none."""
        return self.view.book.get(f"{choice.at}.{key}")

    def work(self, key: str) -> Figure | None:
        """A figure of the workload."""
        return self.view.maybe(f"workloads.{self.record.workload}.{key}")

    def title(self, choice: str) -> str:
        """A setup in words."""
        return self.found.titles[choice]

    @property
    def front(self) -> tuple[str, ...]:
        """The setups of the frontier that are shown, the cheapest first."""
        return self.found.front[:MOST_ROWS]

    @cached_property
    def shown(self) -> list[Choice]:
        """The setups that tables show, in their order: two hundred, and the frontier is always among them."""
        every, kept = self.found.choices, set(self.front)
        others = [name for name in every if name not in kept]
        kept.update(others[: MOST_ROWS - len(self.front)])
        return [choice for name, choice in every.items() if name in kept]

    @property
    def workload(self) -> r.Workload:
        """The work that the setups are for."""
        return self.view.one.workloads[self.record.workload]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of setups in tables and in the picture: the frontier's first, then those beside it."""
        beside = [choice.id for choice in self.shown if choice.id in self.found.dominated]
        return {name: number for number, name in enumerate([*self.front, *beside], 1)}

    def number(self, choice: Choice) -> Figure:
        """The number of a setup."""
        return counted(self.numbers[choice.id], "number in tables and pictures")

    @property
    def on_frontier(self) -> Figure:
        """How many setups are on the frontier."""
        return counted(len(self.found.front), "setups on the frontier")

    @property
    def many(self) -> Figure:
        """How many setups there are."""
        return counted(len(self.found.choices), "setups")

    @property
    def unshown(self) -> Figure | None:
        """How many setups are not shown; None if all are."""
        return further(len(self.found.choices) - len(self.shown), "setups")

    @property
    def memory(self) -> list[Memory]:
        """The memory of each setup, where the workload states a need."""
        return [self._memory(choice) for choice in self.shown] if self.work("need_gb") else []

    def _memory(self, choice: Choice) -> Memory:
        at, title = f"catalog.gpus.{choice.card}", self.title(choice.id)
        each, usable = (self.view.book.get(f"{at}.{key}") for key in ("vram_gib", "usable_vram_gib"))
        verdict = self.found.verdicts.get(choice.id)
        together, share, of_all = (self.fig(choice, key) for key in ("together_gib", "memory_share", "share_of_all"))
        return Memory(title, each, together, usable, share, of_all, verdict.words if verdict else "not known")

    @property
    def speeds(self) -> list[Speed]:
        """Each card once, the fastest first; those whose speed is not known last."""
        cards = {choice.card: choice for choice in reversed(self.shown)}
        gpus, book = self.view.book.ledger.catalog.gpus, self.view.book
        found = [Speed(self.view.card(card), gpus.get(card), book[f"{choice.at}.tokens_per_second_per_gpu"],
                       self.fig(choice, "relative_speed")) for card, choice in reversed(cards.items())]  # fmt: skip
        return sorted(found, key=lambda row: -(row.speed.use or 0))

    @property
    def counts(self) -> list[tuple[Figure, list[Choice]]]:
        """The setups by how many GPUs they have, each number with its figure."""
        found: dict[int, list[Choice]] = {}
        for choice in self.shown:
            found.setdefault(choice.gpus, []).append(choice)
        return [(self.view.book[f"{some[0].at}.gpus"], some) for _, some in sorted(found.items())]

    @cached_property
    def frontier(self) -> list[Front]:
        """The setups of the frontier, the cheapest first."""
        found = self.found
        best = [text for text in self.view.said if text.section.lower() == BEST_FOR]
        return [
            Front(found.choices[name], self.title(name), name == found.reference,
                  self.fig(found.choices[name], "usd_per_hour_saved"),
                  self.fig(found.choices[name], "marginal_usd_per_hour_saved"), self._worth(name),
                  tuple(text for text in best if text.name.endswith(f"-{name}")))
            for name in self.front
        ]  # fmt: skip

    def _worth(self, name: str) -> Sentence:
        """At which value of an hour a setup is the best of all."""
        corners = self.found.hull
        if name not in corners:
            return say("no value of an hour")
        at = corners.index(name)
        low = self._from(name) if at else None
        high = self._from(corners[at + 1]) if at + 1 < len(corners) else None
        if low and high:
            return say("an hour worth {low} to {high}", low=low, high=high)
        if low:
            return say("an hour worth more than {low}", low=low)
        return say("an hour worth up to {high}", high=high) if high else say("any value of an hour")

    def _from(self, name: str) -> Figure | None:
        """The worth of an hour from which a setup is the best."""
        return self.fig(self.found.choices[name], "worth_usd_per_hour")

    @property
    def dominated(self) -> list[Dominated]:
        """The setups beside the frontier."""
        return [row for choice in self.shown if (row := self._dominated(choice))]

    def _dominated(self, choice: Choice) -> Dominated | None:
        by, points = self.found.dominated.get(choice.id), self.found.points
        if by is None:
            return None
        surest = self.found.always.get(choice.id)
        equal = points[by][1:] == points[choice.id][1:]
        return Dominated(choice, self.title(choice.id), self.title(surest or by), equal and not surest, bool(surest))

    @property
    def undecided(self) -> list[Undecided]:
        """The setups of which time or cost is not known."""
        return [row for choice in self.shown if (row := self._undecided(choice))]

    def _undecided(self, choice: Choice) -> Undecided | None:
        missing = self.found.undecided.get(choice.id, ())
        rest = further(len(missing) - MOST_WANTED, "more")
        return Undecided(self.title(choice.id), missing[:MOST_WANTED], rest) if missing else None

    @property
    def unfit(self) -> list[Memory]:
        """The setups whose memory does not hold the work."""
        return [self._memory(choice) for choice in self.shown if choice.id in self.found.unfit]

    def standing(self, choice: Choice) -> str:
        """How a setup stands, in words."""
        found = self.found
        if choice.id in found.front:
            return "on the frontier"
        if choice.id in found.dominated:
            return f"dominated by {self.title(found.dominated[choice.id])}"
        return "not decided" if choice.id in found.undecided else "memory is too small"

    @property
    def scenarios(self) -> list[Moved]:
        """The frontier at other prices, and without the parallel efficiency."""
        usual = self.found.front
        return [
            Moved(one.title, self._names(one.front), one.same,
                  self._names(name for name in one.front if name not in set(usual)),
                  self._names(name for name in usual if name not in set(one.front)))
            for one in self.found.scenarios
        ]  # fmt: skip

    def _names(self, names: Iterable[str]) -> str:
        """Setups in words, the first few of many."""
        every = [self.title(name) for name in names]
        return "; ".join(every[:MOST_NAMED]) + ("; …" if len(every) > MOST_NAMED else "")

    @property
    def ranks(self) -> list[Rank]:
        """The rankings that have a winner."""
        at = f"setups.{self.found.name}"
        return [
            Rank(f"{at}.{rank}", title, self.view.maybe(f"{at}.{LIMITS[rank]}") if rank in LIMITS else None,
                 self.title(self.found.ranks[rank]))
            for rank, title in RANKS.items() if rank in self.found.ranks
        ]  # fmt: skip
