"""A projection as its block shows it: its counts in words, and the times from each of its measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from reckon.compute.measuring.measured import STEP
from reckon.compute.measuring.projections import Fields
from reckon.compute.statements.words import Word
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure

from ..rows import FigureLine, Open, open_inputs
from ..view import View

MOST_BESIDE = 4
"""The most measurements that stand side by side as columns; more are the rows of the table."""
TIMES = (
    (STEP, "Per step", ""), ("hours_per_task", "Per task", "steps_per_task"),
    ("hours_per_epoch", "Per epoch", "steps_per_epoch"), ("hours", "In all", "steps"),
)  # fmt: skip
COUNTS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs")
SCALES = ("multiplier", "gpus", "efficiency", "exponent")


class Reported(NamedTuple):
    """How a projected time stands to one that was reported elsewhere."""

    title: str
    hours: Figure
    standing: Word


@dataclass(frozen=True)
class Projected:
    """A projection of a project."""

    view: View
    id: str

    @property
    def at(self) -> str:
        """Its address inside the project."""
        return f"projections.{self.id}"

    @property
    def record(self) -> r.Projection:
        """The record in projections.yaml."""
        return self.view.one.projections[self.id]

    @cached_property
    def fields(self) -> Fields:
        """What it says by itself or through its bases."""
        return Fields(self.view.one, self.id)

    @property
    def title(self) -> str:
        """What it is called."""
        return self.fields.title

    def field(self, name: str) -> Any:
        """A field, taken over from its bases where it has none of its own; None where nothing says it."""
        return self.fields.value(name)

    def of(self, field: str) -> Figure | None:
        """The figure of a field, or of what stands in for it."""
        return self.view.maybe(self.fields.address(field) or f"{self.at}.{field}")

    @cached_property
    def measured(self) -> list[r.Measurement]:
        """What it is projected from."""
        return [self.view.one.measurements[name] for name in self.fields.measurements]

    @property
    def beside(self) -> bool:
        """Whether the measurements stand side by side."""
        return len(self.measured) <= MOST_BESIDE

    @property
    def factors(self) -> list[Figure]:
        """What the steps come from, or nothing where they are stated."""
        return [] if self.fields.in_all else [one for name in COUNTS if (one := self.of(name))]

    @property
    def steps(self) -> Figure | None:
        """The steps in all."""
        return self.view.maybe(f"{self.at}.steps")

    @property
    def batched(self) -> Figure | None:
        """The steps that environments take together, where they do."""
        return self.view.maybe(f"{self.at}.batched_steps")

    @property
    def scales(self) -> list[Figure]:
        """What scales the time of a step."""
        return [one for name in SCALES if self.fields.holder(name) and (one := self.of(name))]

    @property
    def scaled(self) -> list[tuple[str, Figure]]:
        """The measurements whose step is scaled, by title, with the time that comes of it."""
        found = [(str(one.title), figure) for one, figure in zip(self.measured, self.row(STEP), strict=True) if figure]
        return [(title, figure) for title, figure in found if self._changed(figure)]

    @staticmethod
    def _changed(figure: Figure) -> bool:
        operands = getattr(figure.origin, "operands", ())
        return len(operands) > 1 and not figure.missing

    def row(self, key: str) -> list[Figure | None]:
        """A figure of each measurement."""
        return [self.view.maybe(f"{self.at}.{name}.{key}") for name in self.fields.measurements]

    @cached_property
    def speedup(self) -> Figure | None:
        """The one speed-up, where there are two measurements: it holds for every time alike."""
        found = self.row("speedup")
        return found[1] if len(found) == 2 else None

    @cached_property
    def times(self) -> list[FigureLine]:
        """The times, from a step to all."""
        batched = "batched_" if self.batched else ""
        lines = (FigureLine(title, self.row(key), "spent", self._count(of, batched)) for key, title, of in TIMES)
        return [line for line in lines if line.known]

    def _count(self, key: str, batched: str) -> Figure | None:
        figure = self.view.maybe(f"{self.at}.{batched}{key}") if key != "steps" or batched else self.steps
        return replace(figure, unit=key_unit("calls" if batched else "steps")) if figure else None

    @cached_property
    def others(self) -> list[FigureLine]:
        """Speed-up, where more than two stand side by side, GPU-hours and cost."""
        lines = [FigureLine("GPU-hours", self.row("gpu_hours")), FigureLine("Cost", self.row("usd"))]
        if self.speedup is None:
            lines.insert(0, FigureLine("Speed-up", self.row("speedup")))
        return [line for line in lines if line.known]

    @property
    def plan(self) -> Figure | None:
        """The estimate of the plan that answers the same question."""
        return self.view.maybe(f"plan.{self.record.compare}.estimate") if self.record.compare else None

    @property
    def reported(self) -> Figure | None:
        """What was reported elsewhere for the same."""
        name = self.field("reported")
        return self.view.maybe(f"figures.{name}") if name else None

    @property
    def reported_by(self) -> str:
        """The source of that."""
        named = self.view.one.figures.get(str(self.field("reported")))
        return str(named.source or "") if named else ""

    @property
    def standings(self) -> Iterator[Reported]:
        """How each projected time stands to it."""
        for name, one, hours in zip(self.fields.measurements, self.measured, self.row("hours"), strict=True):
            word = self.view.word(f"{self.at}.{name}.reported")
            if word and hours and not hours.missing and not word.missing:
                yield Reported(str(one.title), hours, word)

    @property
    def known(self) -> bool:
        """Whether anything of it has a value."""
        return any(cell and not cell.missing for line in self.times for cell in line.cells)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        lines = [*self.times, *self.others]
        return open_inputs(self.view.book, [self.steps, *(cell for line in lines for cell in line.cells)])
