"""What a page says of the way from release to release: what moved the budget, and what became of the forecasts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct, convert

from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.steps import Bridge
from reckon.language.quantity import Value
from reckon.model.figure import Figure
from reckon.model.release import ReleasedFinding, Snapshot

from ..charts import Bar, Waterfall
from ..charts.words import hours_text, join_list
from ..render.numbers import number_text
from ..table import Bold, CellRows, Code, Columns, Table, figures, words
from ..table_rows import hours_then
from . import sentences
from .grouping import by_method
from .sentences import TextPair

MOST_STEPS, MOST_SHOWN = 60, 20
GONE, NOT_FOUND = "gone", "no longer found, as this ledger no longer states the figure that it was based on"


class ForecastThen(NamedTuple):
    """What a release forecast: the tenth, fiftieth and ninetieth percentile, and what was charged by then."""

    low: Figure
    median: Figure
    high: Figure
    charged: Figure | None


Compared = tuple[Difference | None, Part | None]
"""What differs between two sides, and of that what is of the project."""


class BridgeWords(NamedTuple):
    """A bridge in words: title and unit of its figure, and its rows, the old and the new total among them.

    `by` is how much it moves, as printed. `totals` are the old and the new total as numbers in that unit, `ends` those
    before and after each step between them, and `moves` says whether any step moves the value to plan with. A picture
    is drawn of these.
    """

    title: str
    unit: str
    lines: tuple[sentences.BridgeLine, ...]
    by: str
    totals: tuple[float, float]
    ends: tuple[tuple[float, float], ...]
    moves: bool


class StepWords(Struct, frozen=True, array_like=True):
    """All that a page says of a step, but for what stands in the two snapshots: plain words and numbers.

    `known` says whether both sides could be compared, `state` whether all of the project was added or removed.
    `beside` is what changed for a reason and left the total as it is, with the reasons, `by_method` what the method
    moved, with the sentences of the changelog. `findings` are those that came and went, each with what became of it.
    """

    known: bool = False
    state: str = ""
    steps: BridgeWords | None = None
    beside: tuple[TextPair, ...] = ()
    by_method: tuple[TextPair, ...] = ()
    findings: tuple[TextPair, ...] = ()

    @property
    def bridged(self) -> bool:
        """Whether the total is on both sides, and moved."""
        return self.steps is not None

    @property
    def crossing(self) -> Table:
        """The steps of the bridge, and the totals before and after."""
        columns: Columns = ["Change", figures("GPU-h"), words("Why", optional=True), words("Ledger", optional=True)]
        if not self.steps:
            return Table(columns)
        first, *steps, last = self.steps.lines
        rows: CellRows = [
            [line.what, line.by, line.why or None, Code(line.lines) if line.lines else None] for line in steps
        ]
        total = (self.steps.title, ": ", first.total, " → ", last.total)
        return Table(columns, [*rows, [Bold(total), Bold(self.steps.by), None, None]])


class VersionStep(StepWords, frozen=True):
    """From one release to the next: the first comes from None, and the last leads to None, which is today.

    `compared` gives what differs, for templates of a tree that ask for more than the words.
    """

    old: Snapshot | None = None
    new: Snapshot | None = None
    compared: Callable[[], Compared] = lambda: (None, None)

    @property
    def difference(self) -> Difference | None:
        """All that differs; None where there is nothing before, or where a snapshot cannot be read again."""
        return self.compared()[0]

    @property
    def part(self) -> Part | None:
        """What differs in the project; None where nothing does."""
        return self.compared()[1]

    @property
    def bridge(self) -> Bridge | None:
        """The steps from the old total to the new one."""
        return self.part.bridge if self.part else None

    @property
    def picture(self) -> str:
        """The name of its picture."""
        return f"changes-{self.new.version if self.new else 'today'}"

    @property
    def forecast(self) -> ForecastThen | None:
        """What the new release forecast; None where it did not."""
        if not self.new:
            return None
        low, median, high = (hours_then(self.new, f"forecast.{name}") for name in ("p10", "p50", "p90"))
        if not (low and median and high):
            return None
        return ForecastThen(low, median, high, hours_then(self.new, "actual.total"))


def read_words(text: str) -> StepWords:
    """What is said of a step, from the text that was made of it: its words know no ledger line."""
    return convert(json.loads(text), StepWords)


def _crossing(difference: Difference, part: Part) -> BridgeWords | None:
    """The bridge in words; None where there is none."""
    if not part.bridge:
        return None
    lines = tuple(sentences.bridge_lines(difference, part))
    steps = part.bridge.steps
    totals = _number(part.bridge.was), _number(part.bridge.now)
    ends = tuple((_number(step.was), _number(step.now)) for step in steps)
    by = sentences.signed(part.bridge.by, sentences.places_of(part.bridge))
    moves = any(step.by for step in steps)
    return BridgeWords(part.bridge.title, part.bridge.unit.symbol, lines, by, totals, ends, moves)


def _number(value: Value) -> float:
    return float(value.use or 0)


def describe_new(gained: Iterable[ReleasedFinding]) -> list[TextPair]:
    """Findings that came, each with its severity."""
    return [(f"new, {sentences.standing(finding)}", finding.title) for finding in gained]


def describe_findings(
    part: Part, describe: Callable[[Sequence[ReleasedFinding]], list[TextPair]] = describe_new
) -> list[TextPair]:
    """The findings that came, went and are judged otherwise, each with what became of it.

    One that comes as another of the same rule and title goes is the same, of a figure that moved."""
    again = {_rule_and_title(finding) for finding in part.gained} & {_rule_and_title(finding) for finding in part.lost}
    dropped = {finding.id for each in part.silenced for finding in each.findings}
    found = describe([finding for finding in part.gained if _rule_and_title(finding) not in again])
    lost = [finding for finding in part.lost if _rule_and_title(finding) not in again]
    found += [(NOT_FOUND if finding.id in dropped else GONE, finding.title) for finding in lost]
    found += [("the same, by another address", title) for _, title in sorted(again)]
    return [*found, *(("now", sentences.altered(pair)) for pair in part.altered)][:MOST_SHOWN]


def _rule_and_title(finding: ReleasedFinding) -> tuple[str, str]:
    return finding.id.partition(":")[0], finding.title


def step_text(
    difference: Difference | None, part: Part | None, describe: Callable[[Part], list[TextPair]] = describe_findings
) -> str:
    """What differs between two sides and is of a project (`part`), with what is said of its findings, as a text that
    can be kept. Nothing differs where there is no part; without a difference, the sides could not be compared."""
    if not difference or not part:
        return json.dumps([difference is not None])
    return json.dumps(
        [
            True,
            part.state,
            _crossing(difference, part),
            sentences.reasons_without_move(difference, part),
            by_method(part),
            describe(part),
        ]
    )


def crossing_picture(title: str, step: StepWords, side: str = "") -> Waterfall | None:
    """What each step adds or takes away, from where the one before it ended; None where nothing moves the total, or too
    much does. The old total is the zero: beside it a step would not be seen. `side` names the new one, if it has no
    version."""
    crossing = step.steps
    if not crossing or not crossing.moves or len(crossing.ends) > MOST_STEPS:
        return None
    first, *steps, last = crossing.lines
    old, new = crossing.totals
    bars = []
    names = _short([line.what for line in steps])
    for name, (start, end) in zip(names, crossing.ends, strict=True):
        role = "raises" if end >= start else "lowers"
        bars.append(Bar(name, start - old, end - old, role, _by(end - start)))
    bars.append(Bar("Together", 0.0, new - old, "total", _by(new - old)))
    said = join_list([f"{line.what} {line.by}" for line in steps])
    alt = f"{crossing.title} from {first.total} to {last.total} {crossing.unit}: {said}."
    way = "rises" if new >= old else "falls"
    by = hours_text(Fraction(abs(new - old)))
    finding = f"{crossing.title} {way} by {by} from {first.what} to {side or last.what}"
    return Waterfall(finding, "GPU-hours", tuple(bars), alt, f"{title}: change by change")


def _by(hours: float) -> str:
    """A step as printed beside its bar, rounded as other pictures are: the table has it to the last digit."""
    return f"{'+' if hours >= 0 else ''}{number_text(Fraction(hours))}"


def _short(whats: list[str]) -> list[str]:
    """What steps are about, without what became of it; in full where two would read the same."""
    heads = [what.partition(": ")[0] for what in whats]
    return [head if heads.count(head) == 1 else what for head, what in zip(heads, whats, strict=True)]
