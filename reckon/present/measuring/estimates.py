"""Measurements that state the time of a step and nothing else, as what is expected of a device: rows of one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reckon.compute.measuring.results import STEP
from reckon.model import records as r

from ..table import As, Cell, CellRow, Columns, Table, figures, known, words
from ..table_rows import only
from ..table_rows import words as worded
from ..view import OfProject


def brief(record: r.Measurement) -> bool:
    """Whether a measurement states the time of a step and nothing else."""
    return not record.rows and not record.parts and [*record.figures] == [STEP]


@dataclass(frozen=True)
class Estimates(OfProject):
    """Some such measurements of a project, by their ids."""

    ids: Sequence[str]

    @property
    def title(self) -> str:
        """What it is called where only its name stands."""
        return "The times of a step"

    @property
    def records(self) -> list[r.Measurement]:
        """The measurements."""
        return [self.view.ledger.measurements[name] for name in self.ids]

    @property
    def kind(self) -> str:
        """The kind of all of them; empty where it is not one."""
        return only(str(record.kind) for record in self.records)

    @property
    def source(self) -> str:
        """The source of all of them; empty where it is not one."""
        return only(str(record.source or "") for record in self.records)

    @property
    def table(self) -> Table:
        """A row for each; what is the same of all stands in no column."""
        columns: Columns = [
            "",
            words("Kind", shown=not self.kind),
            words("Date", optional=True),
            words("Device", optional=True),
            words("Model", optional=True),
            figures("Time of a step"),
            words("Source", optional=True, shown=not self.source),
        ]
        return Table(columns, [self._row(*pair) for pair in zip(self.ids, self.records, strict=True)])

    def _row(self, name: str, record: r.Measurement) -> CellRow:
        at, card = f"measurements.{name}", self.view.card(str(record.device)) if record.device else None
        gpus = As(self.view.fig(f"{at}.gpus")) if record.gpus is not None else None
        model = self.view.model(str(record.model)) if record.model else None
        device: Cell = (gpus, " × ", card) if gpus and card else card
        precision: Cell = (model, ", ", record.dtype) if model and record.dtype else model or record.dtype
        time = known(self.view.maybe(f"{at}.{STEP}"), "spent")
        return [record.title, record.kind, record.date, device, precision, time, record.source]

    @property
    def said(self) -> str:
        """What is the same of all, as a word."""
        return worded(self.kind).lower() if self.kind else ""

    @property
    def notes(self) -> Iterator[r.Measurement]:
        """Those of which something is said beside."""
        return (record for record in self.records if record.notes)
