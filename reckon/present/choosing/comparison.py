"""The setups of one record as the templates see them: at most two hundred, those of the frontier before all others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from reckon.compute.choosing.memory import FITS, NOT, TIGHT
from reckon.compute.choosing.pareto import RANKS, Tradeoff
from reckon.compute.choosing.setups import Choice
from reckon.compute.choosing.workload import caveats, told_runs
from reckon.language.groups import group_by
from reckon.model import records as r
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence, say

from ..render.printing import counted, further
from ..table import (
    DASH,
    MOST_ROWS,
    As,
    Bold,
    Cell,
    CellRows,
    Code,
    Column,
    Columns,
    Table,
    below,
    figures,
    joined,
    known,
    words,
)
from ..view import MOST_WANTED, OfProject

MOST_NAMED = 12
SPEED = "tokens_per_second_per_gpu"
BEST = "fewest-dollar-hours"
LIMITS = {
    "fastest-within-budget": "budget_usd",
    "cheapest-before-deadline": "deadline_hours",
    "best-at-hour-value": "usd_per_hour_waited",
}
POINT = (figures("Time, h", "spread"), figures("Cost, $", "spread"))
PLANNED = (figures("Time, h", "use"), figures("Cost, $", "use"))
"""Where a setup stands: time and cost, with their ranges or without."""


class Rank(NamedTuple):
    """The winner of a ranking, and the limit that it keeps to, if any."""

    key: str
    title: str
    limit: Figure | None
    winner: str


@dataclass(frozen=True)
class SetupComparison(OfProject):
    """The setups of one record: figures by setup, and the tables of them. They have no rows where nothing is to say."""

    found: Tradeoff

    @property
    def record(self) -> r.Setups:
        """The record in setups.yaml."""
        return self.found.record

    def fig(self, choice: Choice, key: str) -> Figure | None:
        """A figure of a setup, or None where it has none."""
        return self.book.get(f"{choice.at}.{key}")

    def work(self, key: str) -> Figure | None:
        """A figure of the workload."""
        return self.maybe(f"workloads.{self.record.workload}.{key}")

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
        every = self.found.choices
        kept = set(list(dict.fromkeys([*self.front, *every]))[:MOST_ROWS])
        return [choice for name, choice in every.items() if name in kept]

    @property
    def workload(self) -> r.Workload:
        """The work that the setups are for."""
        return self.ledger.workloads[self.record.workload]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of setups in tables and in the picture: the frontier's first, then those beside it."""
        beside = [choice.id for choice in self.shown if choice.id in self.found.dominated]
        return {name: number for number, name in enumerate([*self.front, *beside], 1)}

    @property
    def unshown(self) -> Figure | None:
        """How many setups are not shown; None if all are."""
        return further(self.hidden, "setups")

    @property
    def hidden(self) -> int:
        """The same as a number."""
        return len(self.found.choices) - len(self.shown)

    def verdict(self, choice: Choice) -> str:
        """Whether the work fits the memory of a setup."""
        verdict = self.found.verdicts.get(choice.id)
        return verdict.words if verdict else "not known"

    def _figures(self, choice: Choice, *keys: str) -> list[Figure | None]:
        return self.book.get_all(choice.at, *keys)

    def _card(self, choice: Choice) -> list[Figure | None]:
        """The memory of each GPU, nominal and usable."""
        return self.book.get_all(f"catalog.gpus.{choice.card}", "vram_gib", "usable_vram_gib")

    def _numbered(self, choice: Choice) -> Cell:
        """A setup with its number in the picture; the one of least cost × time stands out."""
        number, title = self.numbers[choice.id], self.title(choice.id)
        shown = Bold(title) if choice.id == self.found.ranks.get(BEST) else title
        return (As(counted(number, "number in tables and pictures"), "bare"), " · ", shown)

    @cached_property
    def memory(self) -> Table:
        """The memory of each setup, where the workload states a need: of each GPU and together, and what is used."""
        of_all, unlike = not self.workload.runs, {self.verdict(choice) for choice in self.shown} != {FITS}
        columns: Columns = [
            "Setup",
            words("Verdict", shown=unlike),
            figures(f"One {self.workload.piece} uses", "full"),
            figures("All models use", "full", shown=of_all),
            figures("Usable", "full"),
            figures("VRAM", "full"),
            figures("Together", "full", shown=of_all),
        ]
        rows: CellRows = []
        for choice in self.shown if self.work("need_gb") else ():
            (each, usable), verdict = self._card(choice), self.verdict(choice)
            together, *shares = self._figures(choice, "together_gib", "memory_share", "share_of_all")
            said = Bold(verdict) if verdict in (NOT, TIGHT) else verdict
            rows.append([self.title(choice.id), said, *shares, usable, each, together])
        return Table(columns, rows, self.hidden, "setups")

    @property
    def speeds(self) -> Table:
        """Each card once, the fastest first; those whose speed is not known last."""
        work, in_runs = self.workload, self.workload.runs
        columns: Columns = [
            "GPU",
            "Architecture",
            figures("Released", nothing=""),
            figures("Tokens/s", shown=not in_runs),
            figures("Planning value", "use", shown=not in_runs),
            figures("Relative speed", "spread", shown=bool(work.baseline)),
        ]
        cards = {choice.card: choice for choice in reversed(self.shown)}
        key = "relative_speed" if in_runs else SPEED
        found = [(choice, self.book[f"{choice.at}.{key}"]) for choice in reversed(cards.values())]
        rows: CellRows = []
        for choice, speed in sorted(found, key=lambda pair: -(pair[1].use or 0)):
            card = self.view.catalog.gpus.get(choice.card)
            made = [card.architecture or None, card.released or None] if card else [None, None]
            rows.append([self.view.card(choice.card), *made, speed, speed, self.fig(choice, "relative_speed")])
        return Table(columns, rows)

    @property
    def counts(self) -> list[tuple[Figure, list[Choice]]]:
        """The setups by how many GPUs they have, each number with its figure."""
        found = group_by(self.shown, lambda choice: choice.gpus)
        return [(self.book[f"{some[0].at}.gpus"], some) for _, some in sorted(found.items())]

    def times(self, choices: list[Choice]) -> Table:
        """How long setups of as many GPUs take, and what that costs."""
        return self._times_of_runs(choices) if self.workload.runs else self._times_of_tokens(choices)

    def _times_of_tokens(self, choices: list[Choice]) -> Table:
        several = choices[0].gpus > 1 and bool(self.workload.efficiency)
        rows: CellRows = []
        for choice in choices:
            parts = self._figures(choice, SPEED, "generation_hours", "overhead_hours")
            whole = self._figures(choice, "hours", "usd", "usd_per_hour", "usd_per_1m_tokens")
            hours, ideal_usd, usd = self._figures(choice, "ideal_hours", "ideal_usd", "usd")
            known_usd = As(ideal_usd or usd, "planned") if is_known(usd) else None
            ideal = (known(hours, "use") or DASH, " h, ", known_usd) if known_usd else None
            rows.append([self.title(choice.id), *whole, *parts, ideal])
        return Table(
            [
                "Setup",
                *_total_columns("$/M tokens"),
                *(figures(heading, "use") for heading in ("Tokens/s", "Generation, h", "Overhead, h")),
                figures("At 100% efficiency", shown=several),
            ],
            rows,
        )

    def _times_of_runs(self, choices: list[Choice]) -> Table:
        rows: CellRows = []
        for choice in choices:
            *whole, gpu_hours = self._figures(choice, "hours", "usd", "usd_per_hour", "usd_per_run", "gpu_hours")
            run = replace(self.book[f"{choice.at}.all_hours_per_run"], decimals=2)
            rows.append([self.title(choice.id), *whole, run, gpu_hours])
        return Table(
            [
                "Setup",
                *_total_columns("$/run"),
                figures("One run, h", "spread"),
                figures("GPU-hours", "spread"),
            ],
            rows,
        )

    @cached_property
    def caveats(self) -> list[Sentence]:
        """Where more GPUs save no time, and that idle ones are paid."""
        at = f"{self.view.id}.workloads.{self.record.workload}"
        return list(caveats(self.book.figures, at, self.workload, self.found.choices.values()))

    @property
    def in_all(self) -> Sentence:
        """The work in words: `36,000,000 tokens in total`, `60 runs of 0.75 h on RTX 4090`."""
        at, tokens = f"{self.view.id}.workloads.{self.record.workload}", self.work("tokens")
        if self.workload.runs:
            return told_runs(self.book.figures, self.book.ledger, at, self.workload)
        return say("{tokens} in total", tokens=tokens) if tokens else ()

    @cached_property
    def frontier(self) -> Table:
        """The setups of the frontier, the cheapest first: at which value of an hour each is the best, and what an hour
        saved costs."""
        rows: CellRows = []
        for choice in map(self.found.choices.__getitem__, self.front):
            is_best = choice.id in self.found.hull
            saved = "worth_usd_per_hour" if is_best else "marginal_usd_per_hour_saved"
            amounts = self._figures(choice, "hours", "usd", saved)
            rows.append([self._worth(choice.id), self._numbered(choice), *amounts])
        return Table(["If an hour saved is worth", "Rent", *POINT, figures("Each hour saved costs, $")], rows)

    def _worth(self, name: str) -> Sentence:
        """At which value of an hour a setup is the best of all."""
        if name not in (corners := self.found.hull):
            return say("only for a deadline or a budget")
        at = corners.index(name)
        worths = [self.fig(self.found.choices[corner], "worth_usd_per_hour") for corner in corners[at : at + 2]]
        low, high = worths[0] if at else None, worths[1] if len(worths) > 1 else None
        text = "less than {high}" if high else "any price"
        if low:
            text = "{low} to {high}" if high else "more than {low}"
        return say(text, low=low or "", high=high or "")

    @cached_property
    def dominated(self) -> Table:
        """The setups beside the frontier, what is no slower and no dearer, and whether surely so."""
        points, rows = self.found.points, CellRows()
        for choice in (choice for choice in self.shown if choice.id in self.found.dominated):
            by, surest = self.found.dominated[choice.id], self.found.always.get(choice.id)
            equal = points[by][1:] == points[choice.id][1:] and not surest
            rows.append(
                [
                    self._numbered(choice),
                    *self._figures(choice, "hours", "usd"),
                    (self.title(surest or by), ", just as fast and as expensive" if equal else ""),
                    "yes" if surest else "no",
                ]
            )
        return Table(
            ["Setup", *PLANNED, "No advantage over", "Even at its lowest price and the other's highest?"], rows
        )

    @cached_property
    def undecided(self) -> Table:
        """The setups of which time or cost is not known, and the inputs that they lack."""
        rows: CellRows = []
        for choice in self.shown:
            if missing := self.found.undecided.get(choice.id):
                more = further(len(missing) - MOST_WANTED, "more")
                wanted = (joined(map(Code, missing[:MOST_WANTED])), (" and ", more) if more else "")
                rows.append([self.title(choice.id), wanted])
        return Table(["Setup", "What is missing"], rows)

    @cached_property
    def unfit(self) -> Table:
        """The setups whose memory does not hold the work."""
        rows = [
            [self.title(choice.id), self.work("need_gb"), *reversed(self._card(choice)), self.verdict(choice)]
            for choice in self.shown
            if choice.id in self.found.unfit
        ]
        return Table(
            [
                "Setup",
                figures(f"Need of one {self.workload.piece}", "full", nothing=""),
                figures("Usable of each GPU", "full"),
                figures("VRAM of each GPU", "full"),
                "Verdict",
            ],
            rows,
        )

    @cached_property
    def short(self) -> Table:
        """The setups with fewer GPUs than a run takes."""
        rows = [
            [self.title(choice.id), self.fig(choice, "gpus"), self.work("gpus_per_run")]
            for choice in self.shown
            if choice.id in self.found.short
        ]
        return Table(["Setup", figures("GPUs"), figures("GPUs of each run")], rows)

    @property
    def overview(self) -> Table:
        """Every setup in a line."""
        each, key = "$ per million tokens", "usd_per_1m_tokens"
        if self.workload.runs:
            each, key = "$ per run", "usd_per_run"
        rows = [
            [
                self.title(choice.id),
                *self._figures(choice, "hours", "usd", key),
                self.verdict(choice),
                self.standing(choice),
            ]
            for choice in self.shown
        ]
        return Table(["Setup", *POINT, figures(each, "use"), "Memory", "Standing"], rows, self.hidden, "setups")

    def standing(self, choice: Choice) -> str:
        """How a setup stands, in words."""
        found = self.found
        if choice.id in found.front:
            return "on the frontier"
        if choice.id in found.dominated:
            return f"no advantage over {self.title(found.dominated[choice.id])}"
        if choice.id in found.short:
            return "too few GPUs for a run"
        return "unknown" if choice.id in found.undecided else "memory is too small"

    @property
    def scenarios(self) -> Table:
        """The frontier at other prices, and without the parallel efficiency."""
        return Table(
            ["Case", "Frontier"],
            [
                [case.title.capitalize(), "the same" if case.same else self._moved(case.front)]
                for case in self.found.scenarios
            ],
        )

    def _moved(self, front: Iterable[str]) -> Cell:
        """Which setups join the frontier in another case, and which leave it."""
        now, usual = tuple(front), self.found.front
        joins = [name for name in now if name not in usual]
        leaves = [name for name in usual if name not in now]
        said = ((word, some) for word, some in (("joins", joins), ("leaves", leaves)) if some)
        return below(*((Bold(f"{word}:"), " ", self._names(some)) for word, some in said))

    def _names(self, names: Iterable[str]) -> str:
        """Setups in words, the first few of many."""
        every = [self.title(name) for name in names]
        return "; ".join(every[:MOST_NAMED]) + ("; …" if len(every) > MOST_NAMED else "")

    @property
    def ranks(self) -> list[Rank]:
        """The rankings that have a winner."""
        at = f"setups.{self.found.name}"
        return [
            Rank(
                f"{at}.{rank}",
                title,
                self.maybe(f"{at}.{LIMITS[rank]}") if rank in LIMITS else None,
                self.title(self.found.ranks[rank]),
            )
            for rank, title in RANKS.items()
            if rank in self.found.ranks
        ]

    @property
    def rankings(self) -> Table:
        """The rankings that have a winner, with its time, cost and GPU-hours."""
        return self._ranked((*POINT, figures("GPU-hours", "spread")), "hours", "usd", "gpu_hours")

    @property
    def winners(self) -> Table:
        """The same with time and cost to plan with."""
        return self._ranked(PLANNED, "hours", "usd")

    def _ranked(self, columns: Iterable[Column], *keys: str) -> Table:
        rows: CellRows = []
        for rank in self.ranks:
            limit = (" (", rank.limit, ")") if rank.limit else ""
            amounts = [self.view.fig(f"{rank.key}.{key}") for key in keys]
            rows.append([(rank.title, limit), rank.winner, *amounts])
        return Table(["Ranking", "Setup", *columns], rows)


def _total_columns(each: str) -> list[Column]:
    """What a setup comes to, and what an hour and a piece of the work cost: first, since that is looked for."""
    return [
        figures(Bold("Time, h"), "spread"),
        figures(Bold("Cost, $"), "spread"),
        figures("$/h", "use"),
        figures(each, "use"),
    ]
