"""The method by which figures are calculated, as it changed: what a newer program makes of an old ledger, and why.

A release says by the number of which method it was calculated (`Snapshot.method`); one from before they were numbered
says 0. A figure of it that is calculated otherwise today, from the same ledger, is moved by the method: by those newer
than the release that concern it, or a figure below it that is calculated otherwise too. So no cause is named of which
nothing is to be seen in the figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from msgspec import Struct

from reckon.language.quantity import UNKNOWN
from reckon.model.figure import Figure, Figures, closure
from reckon.model.kinds import ALLOCATIONS
from reckon.model.release import ReleasedFigure

MOST_WALKED = 20_000
"""How many figures below one are looked at for those that are calculated otherwise."""


class Method(Struct, frozen=True):
    """A change of how figures are calculated: its number, and the sentence that releases and pages of changes quote.

    `figures` matches the addresses (without the project, but whole where they are of a grant) of those that it
    calculates otherwise at first hand; in their place, `lacked` the inputs without which a figure had no value before,
    `lacks` those without which it has none any more.
    """

    number: int
    sentence: str
    figures: str = ""
    lacked: str = ""
    lacks: str = ""

    def concerns(self, address: str, lacked: Iterable[str], lacks: Iterable[str]) -> bool:
        """Whether it calculates the figure at an address otherwise, which lacked these inputs when it was released, and
        lacks those today."""
        if self.lacked or self.lacks:
            pattern, missing = (self.lacked, lacked) if self.lacked else (self.lacks, lacks)
            return any(re.search(pattern, name) for name in missing)
        scope, _, within = address.partition(".")
        return bool(re.fullmatch(self.figures, address if scope == ALLOCATIONS.id else within))


_PACE = r"pace\.(first|through|days|charged|gpu_hours_per_day)"
_BY_DAY = (
    rf"{_PACE}|actual\.by_month\..*|limits\.[^.]+\.reached"
    rf"|allocations\.[^.]+\.({_PACE}|used|reached)"
)
"""What follows from the days on which hours were held. Prices by date do too; money is left to its own method, which
changed what all of it costs."""
METHODS = (
    Method(
        1,
        "A run costs what it states, or its own hours at the price of the card that it ran on, on its day; until now "
        "its hours were turned into those of the project's GPU first (10 h on an RTX 4090 at $0.40 were $10.58). "
        "Plan lines cost by their own card.",
        r"(.*\.)?money\..*|actual\.(cost|unpriced)",
    ),
    Method(2, "A ratio between two GPUs (`counts_as`) counts both ways.", lacked=r"\.counts_as\."),
    Method(
        3,
        "A completed run no longer ends its piece of work whatever it took: without a word it does so only where its "
        "hours are within half and twice of the plan of the piece.",
        r"plan\.[^.]+\.(complete_share|drawn|freed)|forecast\.finished",
    ),
    Method(
        4,
        "A failed run is no longer taken for a slow one: the forecast draws useful hours and losses apart.",
        r"forecast\..*|(phases|plan)\.[^.]+\.forecast_.*|descope\.[^.]+\.(forecast_.*|probability_.*)",
    ),
    Method(
        5,
        "A run dated with a month or a year counts over all of its days, no longer on the last; one with a single "
        "moment that held its GPUs for longer than a day counts over the days from its `start` or up to its `end` or "
        "`date`, at most 31.",
        _BY_DAY,
    ),
    Method(
        6,
        "Hours of a run that names its times of day are spread over its days in real time, no longer evenly: from "
        "23:00 to 2:00 a third is of the first day.",
        _BY_DAY,
    ),
    Method(
        7,
        "Of a grant whose last day is before the last data of its projects nothing is `left` any more, what was not "
        "used is `unused`, and no chance to exceed it is shown; `plan-above-grant` counts it so.",
        r"allocations\.[^.]+\.(left|unused|reached|(extended\.)?(forecast_.*|probability_.*))",
    ),
    Method(
        8,
        "A run that failed, was cancelled or ran out of time or memory and states no progress adds nothing to what is "
        "done, and hides nothing: its piece stays as far as it was, 0% where no other run tells, so complete and EAC "
        "are known (forecasts stay: such hours were losses already).",
        lacked=r"\.plan\..+\.progress",
    ),
    Method(
        9,
        "What a configuration states of a part of its memory has the levers in it that it applies, as its hours have; "
        "until now they made that part smaller once more. Levers of a configuration derived from it still do.",
        r"configurations\.[^.]+\.memory\.[^.]+\.need_gib",
    ),
    Method(
        10,
        "A range of `counts_as` is not counted once more in what is still to be done in hours held: of a plan of 100 "
        "hours on another card, 60 are to do when 40 are done, whatever the ratio.",
        r"phases\.[^.]+\.to_do",
    ),
    Method(
        11,
        "What a grant on another GPU than its projects count in leaves unused takes no more than all their work to "
        "come at its median, where the present pace came to more.",
        r"allocations\.[^.]+\.unused",
    ),
    Method(
        12,
        "What is to come in a forecast costs what it costs on the cards that it is planned on, and takes their energy; "
        "until now each hour took the average of the whole plan, work that is done included.",
        r"(money|energy|carbon)\.forecast_.*",
    ),
    Method(
        13,
        "A grant on a card is forecast from the work that is planned on that card, no longer from all work of its "
        "projects.",
        r"allocations\.[^.]+\.((extended\.)?(forecast_.*|probability_.*)|unused)",
    ),
    Method(
        14,
        "Hours for which more than one grant of a project could be charged are no longer charged to each of them: what "
        "these have used is not known, and neither is what a grant will be charged while others could be charged for "
        "the work to come, or while it names no card and that work is on several.",
        lacks=r"allocations\.[^.]+\.(shared|payer|gpu)$",
    ),
    Method(
        15,
        "Lost (`waste`) are the hours of failed attempts and of GPUs held idle, less what the progress that is kept "
        "was planned to take, and useful is all else; until now all hours of failed attempts were counted there. "
        "Progress that goes back loses the difference. Where several attempts made progress and all were slower than "
        "planned, the fastest of them is the measure. The forecast uses the same hours.",
        r"actual\.(useful|waste.*)|(plan|phases)\..*\.(useful|waste|waste_share|lost|losses|covered)"
        r"|forecast\.(extended\.)?(lost|losses|losses_seen)",
    ),
    Method(
        16,
        "Earned value of a project leaves contingency out: BAC is the planned work, and earned the planned hours of "
        "the work done. What EAC leaves of the final budget is `budget.left_at_end`.",
        r"performance\.(extended\.)?(bac|earned|cpi|used_share|vac)",
    ),
    Method(
        17,
        "Money, energy and emissions to come are read off the draws of the forecast, hours on each card at their own "
        "price and power; until now all hours to come took their average.",
        r"(money|energy|carbon)\.forecast_.*",
    ),
    Method(
        18,
        "An allocation is charged for the runs that it pays for, as its centre bills them; its forecast, pace and "
        "dates are those of the work that it pays for. Hours to come are drawn for each payer, card and price list "
        "apart. The pace begins on the day on which a project began, where that is said.",
        r"allocations\.[^.]+\.(extended\.)?(forecast_.*|probability_.*|pace\..*|reached|days_left|unused"
        r"|pace_to_use_up)|pace\.(days|charged|gpu_hours_per_day)",
    ),
    Method(
        19,
        "Hours cost money by who pays for them, and as their price list bills them (`minimum_hours`, `step_hours`, "
        "`whole_gpus`). A ceiling in money is one that is stated, no longer a ceiling of hours times a price.",
        r"(.*\.)?money\.by_.*\.hours",
    ),
    Method(
        20,
        "Failed attempts no longer lower the work to do of an item of which a run names no seed. A run of a month ends "
        "on its last day. A line of money is spent at the rates of the days, a planned range stays one where more is "
        "billed, and costs that are stated of granted hours are in kind in every currency.",
        r"(.*\.)?(to_do|to_do_with_contingency|billed_hours|actual_[a-z]{3})|money\.(paid_to_do|in_kind)",
    ),
)
"""All changes of the method, the newest last. A change gets the next number; its sentence never changes afterwards."""
METHOD = METHODS[-1].number
"""The number of the method of today, which a release is made with."""
UNTOLD = "What changed here has no sentence of its own: the changelog may say more."
NEWER = "It was released by a newer version of this program."


def as_released(figure: Figure, kept: ReleasedFigure | None) -> Figure:
    """The figure as it was released: its value and what it lacked; as it is where it is unknown to the release."""
    if kept is None or kept.unit != figure.unit.symbol:
        return figure
    return replace(figure, value=UNKNOWN if kept.missing else kept.value, missing=tuple(kept.missing))


class Remade(Struct, frozen=True):
    """A release calculated again from its own ledger: its name, the number of its method, and the figures of both."""

    name: str
    number: int
    figures: Figures
    released: Mapping[str, ReleasedFigure] = {}

    def differs(self, address: str) -> bool:
        """Whether a figure has another value today. One that is new to the release does not differ."""
        figure = self.figures.get(address)
        return figure is not None and as_released(figure, self.released.get(address)).value != figure.value

    def reasons(self, figure: Figure, until: int | None = None) -> tuple[str, ...]:
        """The sentences of the methods, up to a number, newer than the release that concern a figure that differs, or
        one below it that does; where there are none, what is known instead."""
        around = closure(figure, through=self._leads_on, most=MOST_WALKED)
        moved = [each.address for each in around if self.differs(each.address)]
        newer = [method for method in METHODS if self.number < method.number <= (until or METHOD)]
        found = tuple(method.sentence for method in newer if self._is_concerned(method, moved))
        return found or (NEWER if self.number > METHOD else UNTOLD,)

    def _is_concerned(self, method: Method, addresses: Iterable[str]) -> bool:
        """Whether a method calculates any of these figures otherwise."""
        return any(method.concerns(at, self.released[at].missing, self.figures[at].missing) for at in addresses)

    def moved(self, addresses: Iterable[str], until: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each sentence with those, of some figures, that differ because of it; in the order of the first of them."""
        found: dict[str, list[str]] = {}
        for address in addresses:
            for sentence in self.reasons(self.figures[address], until) if self.differs(address) else ():
                found.setdefault(sentence, []).append(address)
        return ((sentence, tuple(some)) for sentence, some in found.items())

    def _leads_on(self, figure: Figure) -> bool:
        """Whether what is below a figure may have moved it: not where it stands as it was released."""
        return figure.address not in self.released or self.differs(figure.address)
