"""The time of some work, projected from the time of a measured step, what it costs, and how it stands to a report.

Steps are tasks x rollouts per task x steps per rollout x epochs. Where several environments take a step together, in
a single model call, calls are ceil(tasks x rollouts / environments) x steps per rollout x epochs: a call is supposed to
take as long as the measured step.

The time of a step is the measured time, times the multiplier; times (parameters / measured parameters) to the power of
an exponent where the model is another; times measured GPUs / (GPUs x efficiency) where the GPUs are more. Where they
are fewer, the efficiency is that of the GPUs measured on, and multiplies. Both the exponent and the efficiency are
inputs: without them there is no figure.

The cost at a price list is billed hours x GPUs x price. A list that bills a least time is charged at no less. A
subscription is a price of a month, and is left as such: what a run costs of it depends on what else the month is used
for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from reckon.language.quantity import Quantity, Value
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Figures, missing_of, span_of, use_at
from reckon.model.ledger import Based, Ids, Ledger, ProjectLedger

from ..sheet.cells import Result, Term, chain_of, formula_of, result
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .results import STEP, lacking_model

# What the steps of a projection come from.
COUNTS = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs", "parallel_environments")
ONE = "one, as none is stated"
DEFAULTS = ("rollouts_per_task", "epochs")
PRICE = "usd_per_gpu_hour"
CHEAPEST = (("low", min), ("use", min), ("high", max))
"""What the span of costs takes of all: the least low end, the cheapest plan, the greatest high end."""

INSIDE, OVERLAPS, OUTSIDE = "inside", "overlaps", "outside"
STANDINGS = {standing: standing for standing in (INSIDE, OVERLAPS, OUTSIDE)}


class Fields(Based, frozen=True, dict=True):
    """What a projection says, by itself or through its bases; addresses are those inside the project."""

    kind = "projections"

    @property
    def title(self) -> str:
        """What it is called."""
        return self.project.projections[self.name].title or self.name

    @property
    def in_all(self) -> bool:
        """Whether steps are stated in all, and not nearer by than that what they come from."""
        steps = self.holder("steps")
        return bool(steps) and self.holder(*COUNTS, "steps") == steps

    @property
    def measurements(self) -> Ids:
        """The measurements that it projects; speed-ups are against the first."""
        named = self.value("measurements") or ()
        return tuple(str(name) for name in named if name in self.project.measurements)

    def scaled(self, measurement: str) -> bool:
        """Whether the time of a measurement is scaled to another model than the one it was taken with."""
        model = self.value("model")
        return model is not None and model != self.project.measurements[measurement].model

    def kind_of(self, measurement: str) -> str:
        """The kind of what comes of a measurement: that of the measurement, or `scaled` where its model is another."""
        return "scaled" if self.scaled(measurement) else self.project.measurements[measurement].kind


def write_projections(sheet: Sheet, ledger: Ledger, project: ProjectLedger) -> None:
    """Writes counts and times of each projection, for each of its measurements."""
    for name in project.projections:
        fields = Fields(project, name)
        write_counts(sheet, fields)
        for measurement in fields.measurements:
            on = f"measurements.{measurement}.gpus" if project.measurements[measurement].gpus is not None else ""
            gpus = fields.address("gpus") or on  # those it is projected for, or else those measured on
            _Projected(sheet, fields, measurement).write(gpus)
            write_costs(sheet, ledger, fields, measurement, gpus)


def pairs(project: ProjectLedger) -> Iterator[tuple[str, r.Projection, str]]:
    """Each projection by id with each of its measurements."""
    for name, record in project.projections.items():
        yield from ((name, record, measurement) for measurement in Fields(project, name).measurements)


def write_counts(sheet: Sheet, fields: Fields) -> None:
    """Writes the steps of a projection: in all, and of each task and epoch where they come from those."""
    at, own = f"{fields.project.id}.{fields.at}", fields.project.projections[fields.name]
    writer = FigureWriter(sheet, at, fields.title)
    if fields.in_all:
        if own.steps is None:
            writer.formula("steps", "steps", formula_of("{}", fields.address("steps")))
        return
    tasks, steps = fields.address("tasks"), fields.address("steps_per_rollout")
    if not tasks or not steps:
        alone = not tasks and not steps and not fields.holder("steps")
        if alone:
            wanted = "steps"
        elif not tasks:
            wanted = "tasks"
        else:
            wanted = "steps_per_rollout"
        writer.lack("steps", [f"{at}.{wanted}"])
        return
    for field in DEFAULTS:
        if not fields.holder(field):
            writer.by_default(field, field, ONE)
    rollouts, epochs = (fields.address(field) or f"{fields.at}.{field}" for field in DEFAULTS)
    counts = {
        "steps_per_task": formula_of("{} * {}", rollouts, steps),
        "steps_per_epoch": formula_of("{} * {}.steps_per_task", tasks, fields.at),
        "steps": formula_of("{}.steps_per_epoch * {}", fields.at, epochs),
    }
    if parallel := fields.address("parallel_environments"):
        batches = formula_of("ceil({} * {} / {}) * {}", tasks, rollouts, parallel, steps)
        counts["batched_steps_per_epoch"] = batches
        counts["batched_steps"] = formula_of("{}.batched_steps_per_epoch * {}", fields.at, epochs)
    for key, formula in counts.items():
        writer.formula(key, key.replace("_", " "), formula, unit=key_unit(key.removesuffix("_per_epoch")))


class _Projected:
    """Writes what a projection comes to from one measurement."""

    def __init__(self, sheet: Sheet, fields: Fields, measurement: str) -> None:
        self.sheet, self.fields = sheet, fields
        self.record, self.project_id = fields.project.measurements[measurement], fields.project.id
        self.at, self.measured = f"{fields.at}.{measurement}", f"measurements.{measurement}"
        title = f"{fields.title}, {self.record.title}"
        self.writer = FigureWriter(sheet, f"{self.project_id}.{self.at}", title)
        self.gpus, there = _single(fields.value("gpus")), _single(self.record.gpus)
        # Whether the model is another than the measured one, and whether the GPUs are others than those measured on.
        self.scaled = fields.scaled(measurement)
        self.shared = fields.value("gpus") is not None and (self.gpus is None or self.gpus != there)
        self.fewer = self.gpus is not None and there is not None and self.gpus < there

    def write(self, gpus: str) -> None:
        """Writes time of a step, of a task, of an epoch and in all; speed-up and GPU-hours."""
        if missing := [*self._lacking()]:
            self.writer.lack(STEP, missing)
        else:
            self.writer.formula(STEP, "time of a step", chain_of(" * ", [*self._factors()]))
        at, first = self.fields.at, self.fields.measurements[0]
        batched = "batched_" if f"{self.project_id}.{at}.batched_steps" in self.sheet.cells else ""
        if not batched:
            self._time("hours_per_task", "time per task", f"{at}.steps_per_task")
        self._time("hours_per_epoch", "time per epoch", f"{at}.{batched}steps_per_epoch")
        self._time("hours", "wall-clock time", f"{at}.{batched}steps")
        if self.at != f"{at}.{first}":
            own = f"{self.at}.{STEP}"
            self.writer.formula("speedup", "speed-up", formula_of("{} / {}", f"{at}.{first}.{STEP}", own), "x", own)
        if gpus:
            self.writer.formula("gpu_hours", "GPU-hours", formula_of("{}.hours * {}", self.at, gpus))

    def _lacking(self) -> Iterator[str]:
        """The addresses of what the time of a step cannot be told without."""
        fields, project_id = self.fields, self.project_id
        if f"{project_id}.{self.measured}.{STEP}" not in self.sheet.cells:
            yield f"{project_id}.{self.measured}.{STEP}"
        if self.scaled:
            if not fields.holder("exponent"):
                yield f"{project_id}.{fields.at}.exponent"
            for model, at in ((fields.value("model"), fields.at), (self.record.model, self.measured)):
                yield from lacking_model(self.sheet, model, f"{project_id}.{at}")
        if self.shared:
            if self.record.gpus is None:
                yield f"{project_id}.{self.measured}.gpus"
            if not fields.holder("efficiency"):
                yield f"{project_id}.{fields.at}.efficiency"

    def _factors(self) -> Iterator[Term]:
        fields, measured = self.fields, self.measured
        yield f"{measured}.{STEP}"
        if multiplier := fields.address("multiplier"):
            yield multiplier
        if self.scaled:
            models = (f"catalog.models.{model}.parameters" for model in (fields.value("model"), self.record.model))
            yield formula_of("power({} / {}, {})", *models, fields.address("exponent"))
        if self.shared:
            here, by = fields.address("gpus"), fields.address("efficiency")
            yield formula_of("{}.gpus * {} / {}" if self.fewer else "{0}.gpus / ({2} * {1})", measured, by, here)

    def _time(self, key: str, words: str, steps: str) -> None:
        if f"{self.project_id}.{steps}" in self.sheet.cells:
            unit = key_unit("hours" if key != "hours_per_task" else key)
            self.writer.formula(key, words, formula_of("{}.{} * {}", self.at, STEP, steps), unit=unit)


def _single(field: object) -> Fraction | None:
    """The number of a field that holds a single number."""
    return field.value.use if isinstance(field, Quantity) and field.value.exact else None


class ListedPrice(Struct, frozen=True):
    """A price list that a projection is held against: its id and title, where the costs stand, and the price's address.

    `monthly` is the address of the price of a subscription, `hourly` that of an hour; both are empty where the list has
    no price for the card. `card` is the card of the price: a subscription may be of another.
    """

    id: str
    title: str
    at: str
    card: str
    hourly: str
    monthly: str


def offers_of(ledger: Ledger, project: ProjectLedger, name: str, measurement: str) -> Iterator[ListedPrice]:
    """The price lists of a projection, in its order; none where the device is not a card."""
    card = project.measurements[measurement].device or ""
    for key in Fields(project, name).value("prices") or ():
        if card in ledger.catalog.gpus and key in ledger.catalog.prices:
            record, listed = ledger.catalog.prices[key], f"catalog.prices.{key}"
            provider = ledger.catalog.providers.get(str(record.provider))
            title, at = record.title or (provider.title if provider else key), f"projections.{name}.{measurement}.costs"
            hourly = f"{listed}.{record.last_price(card)}" if card in record.cards else ""
            cards = [] if hourly else list(record.usd_per_month)
            of = card if card in cards or not cards else cards[0]
            monthly = f"{listed}.usd_per_month.{of}" if cards else ""
            yield ListedPrice(str(key), str(title), f"{at}.{key}", of, hourly, monthly)


def write_costs(sheet: Sheet, ledger: Ledger, fields: Fields, measurement: str, gpus: str) -> None:
    """Writes cost and billed time at each price list, and the spans of costs and of prices of an hour."""
    project_id, priced, hourly = fields.project.id, [], []
    for offer in offers_of(ledger, fields.project, fields.name, measurement):
        hourly += [offer.hourly] if offer.hourly else []
        writer = FigureWriter(sheet, f"{project_id}.{offer.at}", f"{fields.title}, {offer.title}")
        if offer.monthly:
            writer.formula("usd_per_month", "a month", formula_of("{}", offer.monthly))
        elif offer.hourly and not gpus:
            writer.lack("usd", [f"{project_id}.measurements.{measurement}.gpus"])
            priced.append(f"{writer.at}.usd")
        elif offer.hourly:
            hours, least = f"projections.{fields.name}.{measurement}.hours", f"catalog.prices.{offer.id}.minimum_hours"
            billed = formula_of("max({}, {})" if least in sheet.cells else "{}", hours, least)
            writer.formula("billed_hours", "billed time", billed)
            writer.formula("usd", "cost", formula_of("billed_hours * {} * {}", gpus, offer.hourly))
            priced.append(f"{writer.at}.usd")
    if priced:
        writer = FigureWriter(sheet, f"{project_id}.projections.{fields.name}.{measurement}", fields.title)
        _span(writer, "usd", "cost", priced)
        _span(writer, PRICE, "listed prices", hourly)


def _span(writer: FigureWriter, key: str, words: str, of: Sequence[str]) -> None:
    """The span over price lists: from the least low end to the greatest high end, planned with the cheapest."""

    def span(figures: Figures) -> Result:
        found = [figures[each] for each in of]
        missing = missing_of(found)
        ends = (([getattr(part.value, end) for part in found], pick) for end, pick in CHEAPEST)
        value = Value(*(None if None in values else pick(values) for values, pick in ends))
        # Which price is paid is uncertain by itself, so that what is calculated with it has both ends.
        leaves = {f"{writer.at}.{key}": 1} if key == PRICE and not (missing or value.exact) else {}
        return result(value, "the span over the price lists", found, missing, leaves)

    writer.compute(key, words, key_unit(key), of, span)


def cheapest(figures: Figures, project_id: str, offers: list[ListedPrice]) -> str:
    """The price list with the least cost at planned values, the first of equals; empty where one is not known."""
    costs = {offer.id: use_at(figures, f"{project_id}.{offer.at}.usd") for offer in offers if offer.hourly}
    known = {name: cost for name, cost in costs.items() if cost is not None}
    return min(known, key=lambda name: known[name]) if known and len(known) == len(costs) else ""


def standing(projected: Figure, reported: Figure) -> str:
    """inside: the projection lies in the reported range, or a single reported value in the projection; overlaps: they
    share a part; outside: they share nothing. Empty where either is unknown or they measure different things.
    """
    unknown = any(figure.missing or figure.value.unknown for figure in (projected, reported))
    if unknown or projected.unit.kinds != reported.unit.kinds:
        return ""
    own, other = span_of(projected), span_of(reported)
    if not own.meets(other):
        return OUTSIDE
    is_around = reported.value.exact and own.low <= other.low and other.high <= own.high
    return INSIDE if is_around or (other.low <= own.low and own.high <= other.high) else OVERLAPS
