"""The time of some work, projected from the time of a measured step.

Steps are tasks x rollouts per task x steps per rollout x epochs. Where several environments take a step together, in
one model call, calls are ceil(tasks x rollouts / environments) x steps per rollout x epochs: a call is supposed to take
as long as the measured step.

The time of a step is the measured one, times the multiplier; times (parameters / measured parameters) to the power of
an exponent where the model is another; times measured GPUs / (GPUs x efficiency) where the GPUs are more. Where they
are fewer, the efficiency is that of the GPUs measured on, and multiplies. Both the exponent and the efficiency are
inputs: without them there is no figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from reckon.language.quantity import point
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.sheet import Sheet
from .costs import write_costs
from .fields import Fields, below, same
from .measured import STEP
from .writing import Writer, lack

ONE = Worked("one, as none is stated")
DEFAULTS = ("rollouts_per_task", "epochs")


def write_projections(sheet: Sheet, ledger: Ledger, one: ProjectLedger) -> None:
    """Writes counts and times of each projection, for each of its measurements."""
    for name in one.projections:
        fields = Fields(one, str(name))
        write_counts(sheet, fields)
        for measurement in fields.measurements:
            _Projected(sheet, ledger, fields, measurement).write()


def pairs(one: ProjectLedger) -> Iterator[tuple[str, r.Projection, str]]:
    """Each projection by id with each of its measurements."""
    for name, record in one.projections.items():
        yield from ((str(name), record, measurement) for measurement in Fields(one, str(name)).measurements)


def write_counts(sheet: Sheet, fields: Fields) -> None:
    """Writes the steps of a projection: in all, and of each task and epoch where they come from those."""
    at, own = f"{fields.one.id}.{fields.at}", fields.one.projections[fields.name]
    if fields.in_all:
        if own.steps is None:
            sheet.formula(f"{at}.steps", f"{fields.title}: steps", key_unit("steps"), fields.address("steps"))
        return
    tasks, steps = fields.address("tasks"), fields.address("steps_per_rollout")
    if not tasks or not steps:
        alone = not tasks and not steps and not fields.holder("steps")
        wanted = "steps" if alone else "tasks" if not tasks else "steps_per_rollout"
        lack(sheet, f"{at}.steps", fields.title, (f"{at}.{wanted}",))
        return
    for field in DEFAULTS:
        if not fields.holder(field):
            sheet.counted(Figure(f"{at}.{field}", f"{fields.title}: {field}", key_unit(field), point(1), ONE))
    rollouts, epochs = (fields.address(field) or f"{fields.at}.{field}" for field in DEFAULTS)
    _count(sheet, fields, "steps_per_task", f"{rollouts} * {steps}")
    _count(sheet, fields, "steps_per_epoch", f"{tasks} * {fields.at}.steps_per_task")
    _count(sheet, fields, "steps", f"{fields.at}.steps_per_epoch * {epochs}")
    if parallel := fields.address("parallel_environments"):
        _count(sheet, fields, "batched_steps_per_epoch", f"ceil({tasks} * {rollouts} / {parallel}) * {steps}")
        _count(sheet, fields, "batched_steps", f"{fields.at}.batched_steps_per_epoch * {epochs}")


def _count(sheet: Sheet, fields: Fields, key: str, formula: str) -> None:
    title = f"{fields.title}: {key.replace('_', ' ')}"
    sheet.formula(f"{fields.one.id}.{fields.at}.{key}", title, key_unit(key.removesuffix("_per_epoch")), formula)


class _Projected:
    """Writes what a projection comes to from one measurement."""

    def __init__(self, sheet: Sheet, ledger: Ledger, fields: Fields, measurement: str) -> None:
        self.sheet, self.ledger, self.fields, self.measurement = sheet, ledger, fields, measurement
        self.record = fields.one.measurements[measurement]
        self.at = f"{fields.at}.{measurement}"
        self.title = f"{fields.title}, {self.record.title}"
        self.formula = Writer(sheet, f"{fields.one.id}.{self.at}", self.title).formula

    def write(self) -> None:
        """Writes time of a step, of a task, of an epoch and in all; speed-up, GPU-hours and costs."""
        self._step()
        project, fields = self.fields.one.id, self.fields
        batched = "batched_" if f"{project}.{fields.at}.batched_steps" in self.sheet.cells else ""
        for per, steps in (("_per_task", "steps"), ("_per_epoch", f"{batched}steps")):
            counted = f"{fields.at}.{steps}{per}"
            if f"{project}.{counted}" in self.sheet.cells and not (batched and per == "_per_task"):
                self._time(f"hours{per}", f"time{per.replace('_', ' ')}", counted)
        self._time("hours", "wall-clock time", f"{fields.at}.{batched}steps")
        first = fields.measurements[0]
        if self.measurement != first:
            own = f"{self.at}.{STEP}"
            self.formula("speedup", "speed-up", f"{fields.at}.{first}.{STEP} / {own}", "x", own)
        if gpus := self.gpus:
            self.formula("gpu_hours", "GPU-hours", f"{self.at}.hours * {gpus}")
        write_costs(self.sheet, self.ledger, fields, self.measurement, gpus)

    @property
    def gpus(self) -> str:
        """The GPUs that it is projected for: stated, or else those measured on."""
        measured = f"measurements.{self.measurement}.gpus"
        return self.fields.address("gpus") or (measured if self.record.gpus is not None else "")

    def _step(self) -> None:
        missing = tuple(dict.fromkeys(self._lacking()))
        address = f"{self.fields.one.id}.{self.at}.{STEP}"
        if missing:
            lack(self.sheet, address, self.title, missing)
        else:
            self.formula(STEP, "time of a step", " * ".join(self._factors()))

    def _lacking(self) -> Iterator[str]:
        """The addresses of what the time of a step cannot be told without."""
        project, fields = self.fields.one.id, self.fields
        if f"{project}.measurements.{self.measurement}.{STEP}" not in self.sheet.cells:
            yield f"{project}.measurements.{self.measurement}.{STEP}"
        if self._scaled:
            if not fields.holder("exponent"):
                yield f"{project}.{fields.at}.exponent"
            for model, holder in (
                (fields.value("model"), fields.at),
                (self.record.model, f"measurements.{self.measurement}"),
            ):
                if model is None:
                    yield f"{project}.{holder}.model"
                elif f"catalog.models.{model}.parameters" not in self.sheet.cells:
                    yield f"catalog.models.{model}.parameters"
        if self._shared:
            if self.record.gpus is None:
                yield f"{project}.measurements.{self.measurement}.gpus"
            if not fields.holder("efficiency"):
                yield f"{project}.{fields.at}.efficiency"

    @property
    def _scaled(self) -> bool:
        """Whether the model is another than the measured one."""
        model = self.fields.value("model")
        return model is not None and model != self.record.model

    @property
    def _shared(self) -> bool:
        """Whether the GPUs are others than those measured on."""
        gpus = self.fields.value("gpus")
        return gpus is not None and not same(gpus, self.record.gpus)

    def _factors(self) -> Iterator[str]:
        fields, measured = self.fields, f"measurements.{self.measurement}"
        yield f"{measured}.{STEP}"
        if multiplier := fields.address("multiplier"):
            yield multiplier
        if self._scaled:
            models = (f"catalog.models.{model}.parameters" for model in (fields.value("model"), self.record.model))
            yield f"power({' / '.join(models)}, {fields.address('exponent')})"
        if self._shared:
            here, efficiency = fields.address("gpus"), fields.address("efficiency")
            fewer = below(fields.value("gpus"), self.record.gpus)
            yield f"{measured}.gpus * {efficiency} / {here}" if fewer else f"{measured}.gpus / ({here} * {efficiency})"

    def _time(self, key: str, words: str, steps: str) -> None:
        if f"{self.fields.one.id}.{steps}" in self.sheet.cells:
            unit = key_unit("hours" if key != "hours_per_task" else key)
            formula = f"{self.at}.{STEP} * {steps}"
            self.sheet.formula(f"{self.fields.one.id}.{self.at}.{key}", f"{self.title}: {words}", unit, formula)
