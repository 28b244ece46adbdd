"""What several projections come to, in one table: a row for each of the measurements that one is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reckon.compute.measuring.results import STEP
from reckon.model.figure import Figure

from ..table import CellRows, Table, figures, known
from ..table_rows import Open, open_inputs
from ..view import OfProject
from .projection import AMOUNTS, SPEEDUP, Projected

# What decides comes first: a narrow page shows no more without scrolling.
ORDER = ("hours", "usd", "gpu_hours", STEP, SPEEDUP)
SHOWN = tuple((key, title, form) for wanted in ORDER for key, title, form, _ in AMOUNTS if key == wanted)


@dataclass(frozen=True)
class Results(OfProject):
    """Some projections of a project, by their ids."""

    ids: Sequence[str]

    @cached_property
    def projections(self) -> list[Projected]:
        """The projections."""
        return [Projected(self.view, name) for name in self.ids]

    @cached_property
    def table(self) -> Table:
        """The table; a column in which nothing is known is left out."""
        found = []
        for projected in self.projections:
            found.append((projected, [projected.row(key) for key, _, _ in SHOWN]))
        there = []
        for number in range(len(SHOWN)):
            column = [figure for _, rows in found for figure in rows[number]]
            there.append(any(figure and not figure.missing for figure in column))
        table: CellRows = []
        for projected, amounts in found:
            for number, measurement in enumerate(projected.measured):
                cells = [known(row[number], form) for row, (_, _, form) in zip(amounts, SHOWN, strict=True)]
                title, steps = ("", "") if number else (projected.title, projected.calls)
                table.append([title, measurement.title, *cells, steps])
        columns = [figures(title, shown=shown) for (_, title, _), shown in zip(SHOWN, there, strict=True)]
        return Table(["Run", "From", *columns, figures("Steps", "full", nothing="")], table)

    @property
    def bracketed(self) -> bool:
        """Whether a range stands in brackets behind one of its figures."""
        return any(projected.bracketed for projected in self.projections)

    @property
    def open(self) -> list[Open]:
        """The inputs that would settle what has no value."""
        every: list[Figure | None] = [each for projected in self.projections for each in projected.row("hours")]
        return open_inputs(self.view.book, every)
