"""The page of changes: from release to release, what moved the budget, and what became of the forecasts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from msgspec.structs import replace

from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.ledger_diff import ORDER
from reckon.compute.versions.steps import Bridge
from reckon.language.quantity import Value
from reckon.model.figure import Figure
from reckon.model.release import ReleasedFinding, Snapshot

from ..charts import Bar, Waterfall
from ..charts.words import join_list
from ..table import Bold, CellRows, Code, Table, below, figures, words
from ..table_rows import hours_then
from . import sentences
from .grouping import Alike, group_moves
from .method import by_method
from .sentences import TextPair
from .step_text import BridgeWords, StepWords, read_words

MOST_STEPS, MOST_SHOWN = 60, 20
GONE, NOT_FOUND = "gone", "no longer found, as this ledger no longer states the figure that it rested on"


class ForecastThen(NamedTuple):
    """What a release forecast: the tenth, fiftieth and ninetieth percentile, and what was charged by then."""

    low: Figure
    median: Figure
    high: Figure
    charged: Figure | None


Compared = tuple[Difference | None, Part | None]
"""What differs between two sides, and of that what is of the project."""


def _not_compared() -> Compared:
    return None, None


@dataclass(frozen=True)
class VersionStep:
    """From one release to the next: the first comes from None, and the last leads to None, which is today.

    `compared` works out what differs, once it is asked for; `kept` is what the page says of it, where that is known
    already. What it says is made of plain words, so it is the same either way.
    """

    old: Snapshot | None
    new: Snapshot | None
    compared: Callable[[], Compared] = _not_compared
    kept: StepWords | None = None

    @cached_property
    def _compared(self) -> Compared:
        return self.compared()

    @property
    def difference(self) -> Difference | None:
        """All that differs; None where there is nothing before, or where a snapshot cannot be read again."""
        return self._compared[0]

    @property
    def part(self) -> Part | None:
        """What differs in the project; None where nothing does."""
        return self._compared[1]

    @property
    def bridge(self) -> Bridge | None:
        """The steps from the old total to the new one."""
        return self.part.bridge if self.part else None

    @cached_property
    def words(self) -> StepWords:
        """All that the page says of it."""
        return self.kept or read_words(self._words().text())  # the same types either way

    def _words(self) -> StepWords:
        if not self.difference or not self.part:
            return StepWords(known=self.difference is not None)
        moved = list(group_moves(self.part.moved))
        return StepWords(
            True,
            True,
            self.part.state,
            self.part.method[0].since if self.part.method else "",
            self._crossing(self.difference, self.part),
            tuple(sentences.reasons_without_move(self.difference, self.part)),
            tuple(by_method(self.part)),
            tuple(moved[:MOST_SHOWN]),
            len(moved) > MOST_SHOWN,
            tuple(self._findings()),
        )

    def _crossing(self, difference: Difference, part: Part) -> BridgeWords | None:
        """The bridge in words; None where there is none."""
        if not part.bridge:
            return None
        lines, steps = tuple(sentences.bridge_lines(difference, part)), part.bridge.steps
        totals = _number(part.bridge.was), _number(part.bridge.now)
        ends = tuple((_number(step.was), _number(step.now)) for step in steps)
        return BridgeWords(
            part.bridge.title, part.bridge.unit.symbol, lines, totals, ends, any(step.by for step in steps)
        )

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return f"changes-{self.new.version if self.new else 'today'}"

    @property
    def known(self) -> bool:
        """Whether both sides could be compared."""
        return self.words.known

    @property
    def differs(self) -> bool:
        """Whether anything of the project does."""
        return self.words.differs

    @property
    def state(self) -> str:
        """Whether the whole project was added or removed; else empty."""
        return self.words.state

    @property
    def bridged(self) -> bool:
        """Whether the total is on both sides, and moved."""
        return self.words.bridge is not None

    @property
    def order(self) -> str:
        """In which order inputs are swapped, in words."""
        return ORDER

    @property
    def lines(self) -> list[sentences.BridgeLine]:
        """The rows of the bridge, from the old total to the new one."""
        return list(self.words.bridge.lines) if self.words.bridge else []

    @property
    def crossing(self) -> Table:
        """The same as a table."""
        total = self.words.bridge.title if self.words.bridge else ""
        columns = [words("Step"), figures("By", nothing=""), figures(total, nothing=""), words("Ledger lines")]
        lines = self.lines
        ends: CellRows = [[Bold(line.what), None, line.total, None] for line in (*lines[:1], *lines[-1:])]
        return Table(columns, [*ends[:1], *(line.cells for line in lines[1:-1]), *ends[1:]])

    @property
    def beside(self) -> list[TextPair]:
        """What changed for a reason and left the total as it is, each with the reason."""
        return list(self.words.beside)

    @property
    def by_method(self) -> list[TextPair]:
        """What the method moved, since it changed, each with the sentence of the changelog."""
        return list(self.words.by_method)

    @property
    def since(self) -> str:
        """The release whose method changed since; empty where none did."""
        return self.words.since

    @property
    def moves(self) -> list[Alike]:
        """The figures that moved, those most asked for first, those of one record that moved alike in one row."""
        return list(self.words.moves)

    @property
    def moved(self) -> Table:
        """The same as a table."""
        columns = [words("Figure"), *(figures(heading, nothing="") for heading in ("Was", "Is", "By"))]
        rows = [[below(move.title, Code(move.said())), move.was, move.now, move.by or None] for move in self.moves]
        return Table(columns, rows)

    @property
    def more(self) -> bool:
        """Whether more figures moved than are shown."""
        return self.words.more

    @property
    def findings(self) -> list[TextPair]:
        """The findings that came and went, each with what became of it."""
        return list(self.words.findings)

    def _findings(self) -> list[TextPair]:
        if not self.part:
            return []
        again = {_rule_and_title(finding) for finding in self.part.gained} & {
            _rule_and_title(finding) for finding in self.part.lost
        }
        found = self._came(replace(self.part, gained=tuple(_without(self.part.gained, again))))
        dropped = {finding.id for each in self.part.silenced for finding in each.findings}
        found += [
            (NOT_FOUND if finding.id in dropped else GONE, finding.title) for finding in _without(self.part.lost, again)
        ]
        found += [("the same, by another address", title) for _, title in sorted(again)]
        return [*found, *(("now", sentences.altered(pair)) for pair in self.part.altered)][:MOST_SHOWN]

    def _came(self, part: Part) -> list[TextPair]:
        return [(f"new, {sentences.standing(finding)}", finding.title) for finding in part.gained]

    @property
    def forecast(self) -> ForecastThen | None:
        """What the new release forecast; None where it did not."""
        if not self.new:
            return None
        low, median, high = (hours_then(self.new, f"forecast.{name}") for name in ("p10", "p50", "p90"))
        charged = hours_then(self.new, "actual.total")
        return ForecastThen(low, median, high, charged) if low and median and high else None


def _number(value: Value) -> float:
    return float(value.use or 0)


def _rule_and_title(finding: ReleasedFinding) -> tuple[str, str]:
    """The rule and the title of a finding: one that comes as another goes is the same, of a figure that moved."""
    return finding.id.partition(":")[0], finding.title


def _without(findings: Iterable[ReleasedFinding], told: Collection[tuple[str, str]]) -> Iterator[ReleasedFinding]:
    return (finding for finding in findings if _rule_and_title(finding) not in told)


def crossing_picture(title: str, version: VersionStep) -> Waterfall | None:
    """The bridge as a waterfall; None where nothing moves the total, or too much does."""
    crossing = version.words.bridge
    if not crossing or not crossing.moves or len(crossing.ends) > MOST_STEPS:
        return None
    first, *steps, last = crossing.lines
    bars = [Bar(first.what, 0.0, crossing.totals[0], "subtotal", first.total)]
    names = _short([line.what for line in steps])
    for name, (start, end), line in zip(names, crossing.ends, steps, strict=True):
        role = "raises" if end >= start else "lowers"
        bars.append(Bar(name, start, end, role, line.by, line.total))
    bars.append(Bar(last.what, 0.0, crossing.totals[1], "total", last.total))
    said = join_list([f"{line.what} {line.by}" for line in steps])
    alt = f"{crossing.title} from {first.total} to {last.total} {crossing.unit}: {said}."
    return Waterfall(f"{title}: from {first.what} to {last.what}", "GPU-hours", tuple(bars), alt)


def _short(whats: list[str]) -> list[str]:
    """What steps are about, without what became of it; in full where two would read the same."""
    heads = [what.partition(": ")[0] for what in whats]
    return [head if heads.count(head) == 1 else what for head, what in zip(heads, whats, strict=True)]
