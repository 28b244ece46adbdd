"""The page of changes: from release to release, what moved the budget, and what became of the forecasts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from reckon.compute.versions.changes import ORDER
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.steps import Bridge
from reckon.language.lean import dataclass, replace
from reckon.model.figure import Figure
from reckon.model.release import ReleasedFinding, Snapshot

from ..charts import Bar, Waterfall
from ..charts.palette import Role
from ..charts.words import listed
from ..rows import hours_then
from ..table import Bold, Cell, Code, Table, below, figures, words
from . import wording
from .alike import Alike, alike
from .method import by_method

MOST_STEPS, MOST_SHOWN = 60, 20
GONE, NOT_FOUND = "gone", "no longer found, as this ledger no longer states the figure that it rested on"


class ForecastThen(NamedTuple):
    """What a release forecast: the tenth, fiftieth and ninetieth percentile, and what was charged by then."""

    low: Figure
    median: Figure
    high: Figure
    charged: Figure | None


@dataclass(frozen=True)
class VersionStep:
    """From one release to the next: the first comes from None, and the last leads to None, which is today.

    `difference` is None where there is nothing before, or where a snapshot cannot be read again.
    """

    old: Snapshot | None
    new: Snapshot | None
    difference: Difference | None = None
    part: Part | None = None

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return f"changes-{self.new.version if self.new else 'today'}"

    @property
    def bridge(self) -> Bridge | None:
        """The steps from the old total to the new one."""
        return self.part.bridge if self.part else None

    @property
    def order(self) -> str:
        """In which order inputs are swapped, in words."""
        return ORDER

    @property
    def lines(self) -> list[wording.BridgeLine]:
        """The rows of the bridge, from the old total to the new one."""
        return wording.bridge_lines(self.difference, self.part) if self.difference and self.part else []

    @property
    def crossing(self) -> Table:
        """The same as a table."""
        columns = [words("Step"), words("Ledger lines"), figures("By", nothing=""),
                   figures(self.bridge.title if self.bridge else "", nothing="")]  # fmt: skip
        lines = self.lines
        ends: list[list[Cell]] = [[Bold(line.what), None, None, line.total] for line in (*lines[:1], *lines[-1:])]
        return Table(columns, [*ends[:1], *(line.cells for line in lines[1:-1]), *ends[1:]])

    @property
    def beside(self) -> list[tuple[str, str]]:
        """What changed for a reason and left the total as it is, each with the reason."""
        return wording.beside(self.difference, self.part) if self.difference and self.part else []

    @property
    def by_method(self) -> list[tuple[str, str]]:
        """What the method moved, since it changed, each with the sentence of the changelog."""
        return by_method(self.part) if self.part else []

    @property
    def moves(self) -> list[Alike]:
        """The figures that moved, those most asked for first, those of one record that moved alike in one row."""
        return self._moved[:MOST_SHOWN]

    @property
    def moved(self) -> Table:
        """The same as a table."""
        columns = [words("Figure"), *(figures(heading, nothing="") for heading in ("Was", "Is", "By"))]
        rows = [[below(move.title, Code(move.said())), move.was, move.now, move.by or None] for move in self.moves]
        return Table(columns, rows)

    @property
    def more(self) -> bool:
        """Whether more figures moved than are shown."""
        return len(self._moved) > MOST_SHOWN

    @cached_property
    def _moved(self) -> list[Alike]:
        return list(alike(self.part.moved)) if self.part else []

    @property
    def findings(self) -> list[tuple[str, str]]:
        """The findings that came and went, each with what became of it."""
        if not self.part:
            return []
        again = {_told(finding) for finding in self.part.gained} & {_told(finding) for finding in self.part.lost}
        found = self._came(replace(self.part, gained=tuple(_without(self.part.gained, again))))
        dropped = {finding.id for each in self.part.silenced for finding in each.findings}
        found += [(NOT_FOUND if finding.id in dropped else GONE, finding.title)
                  for finding in _without(self.part.lost, again)]  # fmt: skip
        found += [("the same, by another address", title) for _, title in sorted(again)]
        return [*found, *(("now", wording.altered(pair)) for pair in self.part.altered)][:MOST_SHOWN]

    def _came(self, part: Part) -> list[tuple[str, str]]:
        return [(f"new, {wording.standing(finding)}", finding.title) for finding in part.gained]

    @property
    def forecast(self) -> ForecastThen | None:
        """What the new release forecast; None where it did not."""
        if not self.new:
            return None
        low, median, high = (hours_then(self.new, f"forecast.{name}") for name in ("p10", "p50", "p90"))
        charged = hours_then(self.new, "actual.total")
        return ForecastThen(low, median, high, charged) if low and median and high else None


def _told(finding: ReleasedFinding) -> tuple[str, str]:
    """The rule and the title of a finding: one that comes as another goes is the same, of a figure that moved."""
    return finding.id.partition(":")[0], finding.title


def _without(findings: Iterable[ReleasedFinding], told: Collection[tuple[str, str]]) -> Iterator[ReleasedFinding]:
    return (finding for finding in findings if _told(finding) not in told)


def crossing_picture(title: str, version: VersionStep) -> Waterfall | None:
    """The bridge as a waterfall; None where nothing moves the total, or too much does."""
    crossing, lines = version.bridge, version.lines
    if not crossing or not any(step.by for step in crossing.steps) or len(crossing.steps) > MOST_STEPS:
        return None
    first, *steps, last = lines
    bars = [Bar(first.what, 0.0, float(crossing.was.use or 0), "subtotal", first.total)]
    names = _short([line.what for line in steps])
    for name, step, line in zip(names, crossing.steps, steps, strict=True):
        start, end = (float(value.use or 0) for value in (step.was, step.now))
        role: Role = "raises" if end >= start else "lowers"
        bars.append(Bar(name, start, end, role, line.by, line.total))
    bars.append(Bar(last.what, 0.0, float(crossing.now.use or 0), "total", last.total))
    said = listed([f"{line.what} {line.by}" for line in steps])
    alt = f"{crossing.title} from {first.total} to {last.total} {crossing.unit.symbol}: {said}."
    return Waterfall(f"{title}: from {first.what} to {last.what}", "GPU-hours", tuple(bars), alt)


def _short(whats: list[str]) -> list[str]:
    """What steps are about, without what became of it; in full where two would read the same."""
    heads = [what.partition(": ")[0] for what in whats]
    return [head if heads.count(head) == 1 else what for head, what in zip(heads, whats, strict=True)]
