"""Figures: values with an address and an origin, so that every number can be traced to lines of the ledger.

Before them stand the sums over runs that a figure can be: the fields that are summed, and which runs a sum takes in.
Nothing here imports a library: the options of `add run` are made from the table of summed fields too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import NamedTuple, TypeGuard

from msgspec import Struct

from reckon.language.calendar_days import LAST, iso
from reckon.language.expression import Formula
from reckon.language.quantity import ZERO, Quantity, Value
from reckon.language.text import NOWHERE, Place
from reckon.language.units import CURRENCIES, OTHERS, PLAIN, Unit


class SummedField(NamedTuple):
    """A field of a run that is summed over the runs that state it. Its unit is read off its name.

    `key` is its address below `PROJECT.actual`, and the noun for it; `title` is that of its figure, `shown` its row on
    the status page, and `asked` what `add run --help` says of it.
    """

    name: str
    key: str
    title: str
    shown: str
    asked: str


def _cost_in(code: str) -> SummedField:
    """What runs cost in a currency."""
    many, name = CURRENCIES[code].many, f"cost_{code}"
    return SummedField(name, name, f"Cost in {many}", f"Cost that runs state, in {many}", f"billed cost in {many}")


SUMMED = (
    SummedField("energy_kwh", "energy", "Energy", "Energy", "measured energy"),
    SummedField("cost_usd", "cost", "Cost", "Cost that runs state", "billed cost in US dollars"),
    *(_cost_in(code) for code in OTHERS),
)
COSTS = tuple(field.name for field in SUMMED if field.name.startswith("cost_"))
"""The fields of what was billed, by currency."""
# Beside these the hours that runs were charged are summed, which each run has: as hours of the project's GPU, or as
# hours of the kind of GPU that the run was on.
HOURS, OWN_HOURS = "gpu_hours", "own_gpu_hours"
USEFUL = ("completed", "running")
RUNNING, QUEUED = "running", "queued"
"""What has not ended, and what has not begun."""


class EnergyBasis(NamedTuple):
    """What a run says of its energy beside how much it was: what each of its GPUs drew, in W; the PUE, as a number or
    the id of a facility; the id of its grid; and whether its energy was measured of the whole `facility`, or
    is `reported`: as somebody else states it, or otherwise not measured."""

    watts: Fraction | None = None
    pue: Fraction | str | None = None
    grid: str = ""
    facility: bool = False
    reported: bool = False

    @property
    def words(self) -> str:
        """In words: ` at 350 W, at PUE 1.2, on sweden-2023, of the facility`; empty where nothing is said."""
        pue = self.pue if isinstance(self.pue, str) or self.pue is None else f"PUE {_plainly(self.pue)}"
        said = [f"at {_plainly(self.watts)} W" if self.watts is not None else "", f"at {pue}" if pue else ""]
        said += [f"on {self.grid}" if self.grid else "", "of the facility" if self.facility else ""]
        said += ["as reported" if self.reported else ""]
        return ", ".join(part for part in said if part)


def _plainly(number: Fraction) -> str:
    return f"{float(number):.12g}"


USUAL = EnergyBasis()
"""Of a run that says nothing of its energy, or only how much it was."""


NO_RUN = ""
"""Stands for the status of an entry without hours, which adds energy or money and is not a run."""
UNASSIGNED = "?"
"""Stands for the item of an imported run that no rule of its source assigns. No item has this id."""


class Outside(NamedTuple):
    """Runs that belong to no item of the plan: the last word of the address of their sum, what selects them, title."""

    key: str
    item: str
    title: str


UNPLANNED = Outside("unplanned", "", "Unplanned")
OUTSIDE = (UNPLANNED, Outside("unassigned", UNASSIGNED, "Unassigned"))
"""What is spent beside the plan, and earns nothing. Only what is unplanned draws on the contingency."""


class Traits(NamedTuple):
    """All of a run that a selection can ask for. Runs with the same traits are in the same sums.

    `item` and `seed` are ids, `item` is empty for a run that is unplanned, `UNASSIGNED` for one that no rule assigns,
    and `seed` is empty where none is named; `gpu` is the kind of GPU that it was on, and `stated` names the fields of
    `SUMMED` that it has. `basis` is what it says of its energy. `price` is the id of the price list that is named
    nearest to it, if one is. The hours of a run of a line of money are not `budgeted`: its money is.
    """

    item: str
    seed: str
    status: str
    gpu: str
    stated: tuple[str, ...]
    basis: EnergyBasis = USUAL
    price: str = ""
    budgeted: bool = True

    @property
    def costs(self) -> tuple[str, ...]:
        """The fields that say what it cost."""
        return tuple(name for name in self.stated if name in COSTS)


class Selection(Struct, frozen=True):
    """Which runs of a project are summed, and which of their fields; what is None is not asked for.

    `item` and `seed` are ids: an empty item asks for unplanned runs, `UNASSIGNED` for those that no rule assigns, an
    empty seed for runs that name none. `failed` asks for runs that neither completed nor still run, or (False) for all
    others. `lacks` are fields of `SUMMED` of which the runs state none. `field` is one of `SUMMED`,
    `HOURS` or `OWN_HOURS`. `days` are the first day and the one after the last between which hours count, of runs that
    go over several; traits know nothing of them. `price` is the price list that is named for the runs; an empty one
    asks for those of which none is named.
    """

    project: str
    field: str = HOURS
    item: str | None = None
    seed: str | None = None
    status: str | None = None
    failed: bool | None = None
    gpu: str | None = None
    lacks: tuple[str, ...] = ()
    days: tuple[int, int] | None = None
    basis: EnergyBasis | None = None
    price: str | None = None

    def means(self, run: Traits) -> bool:
        """Whether a run of the project is selected: it has all that is asked for and states the summed field."""
        return (
            (self.item is None or run.item == self.item)
            and (self.seed is None or run.seed == self.seed)
            and (self.status is None or run.status == self.status)
            and (self.failed is None or (run.status not in USEFUL) == self.failed)
            and (self.gpu is None or run.gpu == self.gpu)
            and (run.status != NO_RUN if self.field in (HOURS, OWN_HOURS) else self.field in run.stated)
            and (run.budgeted or self.field != HOURS)
            and not any(name in run.stated for name in self.lacks)
            and (self.basis is None or self.basis == run.basis)
            and (self.price is None or self.price == run.price)
        )

    @property
    def words(self) -> str:
        """The runs in words: `all runs`, `runs of train, seed 1 that failed`, `runs that state energy`."""
        keys = {field.name: field.key for field in SUMMED}
        outside = next((f"{each.key} " for each in OUTSIDE if self.item == each.item), "")
        words = f"{outside}runs" + (f" of {self.item}" if self.item and not outside else "")
        if self.seed is not None:
            words += f", seed {self.seed}" if self.seed else " without a seed"
        words += "" if self.failed is None else " that failed" if self.failed else " that completed or still run"
        words += f" with status {self.status}" if self.status else ""
        words += f" on {self.gpu}" if self.gpu else ""
        words += f" {self.basis.words}" if self.basis and self.basis.words else ""
        words += f" at the prices of {self.price}" if self.price else ""
        words += " without a price list of their own" if self.price == "" else ""
        words += f" that state {keys[self.field]}" if self.field in keys else ""
        words += f" that state no {keys[self.lacks[0]]}" if self.lacks else ""
        words += f" from {iso(self.days[0])}" if self.days and self.days[0] else ""
        words += f" before {iso(self.days[1])}" if self.days and self.days[1] <= LAST else ""
        return "all runs" if words == "runs" else words


class Stated(Struct, frozen=True):
    """A figure that stands in a ledger, as it was written there."""

    text: str
    place: Place = NOWHERE


class Calculated(Struct, frozen=True):
    """A figure that a formula gives, with its operands by the names in the formula; place if from a ledger."""

    formula: Formula
    operands: Mapping[str, Figure]
    place: Place = NOWHERE


ByFile = tuple[tuple[str, int, Fraction], ...]
"""A sum over runs by file: its name, how many runs, and their sum."""


@dataclass(frozen=True)
class Tallied:
    """A sum over runs: which are selected, how many they are (`known`; None: the files say), and by file their number
    and their sum, which are only added up for who asks for them.

    Single runs have no figures: to list the runs behind a sum, ask its selection.
    """

    selection: Selection
    known: int | None
    by_file: Callable[[], ByFile] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def files(self) -> ByFile:
        """Each file with the number and the sum of its runs, in order."""
        return self.by_file()

    @property
    def count(self) -> int:
        """How many runs they are."""
        return sum(count for _, count, _ in self.files) if self.known is None else self.known


class Worked(Struct, frozen=True):
    """A figure that a named function gives, in words how, with the figures that it rests on; place if from a ledger."""

    how: str
    operands: tuple[Figure, ...] = ()
    place: Place = NOWHERE


Origin = Stated | Calculated | Tallied | Worked


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in a unit, at an address. `missing` names the inputs because of which there is no value.

    `leaves` are the uncertain inputs that it rests on, by address, with the direction in which each moves it: 1 raises
    it, -1 lowers it, 0 does either. `decimals` is how many it is printed with, where not as many as others of its kind.
    """

    address: str
    title: str
    unit: Unit
    value: Value
    origin: Origin
    form: str = ""
    missing: tuple[str, ...] = ()
    leaves: Mapping[str, int] = field(default_factory=dict)
    decimals: int | None = None

    @property
    def use(self) -> Fraction | None:
        """The value to plan with, in the figure's unit."""
        return self.value.use

    @property
    def is_stated(self) -> bool:
        """Whether it stands in a ledger as it is."""
        return isinstance(self.origin, Stated)

    @property
    def place(self) -> Place:
        """Where it is stated, or where its formula is; NOWHERE for what the engine calculates by itself."""
        return NOWHERE if isinstance(self.origin, Tallied) else self.origin.place


Figures = Mapping[str, Figure]
"""Figures by their addresses, or by the names that an expression has for them."""


def operands(figure: Figure) -> Iterator[Figure]:
    """The figures that a figure is directly calculated from."""
    if isinstance(figure.origin, Calculated):
        yield from figure.origin.operands.values()
    elif isinstance(figure.origin, Worked):
        yield from figure.origin.operands


def missing_of(figures: Iterable[Figure | None]) -> tuple[str, ...]:
    """The unknown inputs because of which some figures have no value, each once."""
    return tuple(dict.fromkeys(name for figure in figures if figure for name in figure.missing))


def is_known(figure: Figure | None) -> TypeGuard[Figure]:
    """Whether there is such a figure, and it has a value or bounds."""
    return figure is not None and not figure.missing


def use_at(figures: Figures, address: str) -> Fraction | None:
    """The value to plan with of the figure at an address; None where there is none."""
    figure = figures.get(address)
    return figure.use if figure else None


def planned(figure: Figure | None) -> Fraction:
    """The value to plan with in base units; zero where there is no figure or no such value."""
    return figure.unit.to_base(figure.use) if figure and figure.use is not None else ZERO


def value_in(amount: Figure | Quantity, unit: Unit = PLAIN) -> Value:
    """The value of a figure or a quantity in a unit that measures the same; without one in base units."""
    return amount.value.scaled(amount.unit.scale / unit.scale)


class Span(NamedTuple):
    """From which number to which something is, an open end infinite: what a rounded number can have been."""

    low: Fraction | float
    high: Fraction | float

    def meets(self, other: Span) -> bool:
        """Whether both can be one number."""
        return self.low <= other.high and other.low <= self.high


def span_of(figure: Figure) -> Span:
    """From which end to which a figure goes, in base units."""
    low, _, high = value_in(figure).ends
    return Span(-inf if low is None else low, inf if high is None else high)


def closure(
    *figures: Figure, through: Callable[[Figure], bool] | None = None, most: int | None = None
) -> Iterator[Figure]:
    """Some figures and all that they rest on, each once, the nearest first.

    The walk goes only `through` figures for which that is true. Once more than `most` figures have been met, it ends.
    """
    waiting = list({id(figure): figure for figure in figures}.values())
    met = {id(figure) for figure in waiting}
    for figure in waiting:  # grows as it goes
        yield figure
        if most is not None and len(met) > most:
            return
        for operand in operands(figure) if through is None or through(figure) else ():
            if id(operand) not in met:
                met.add(id(operand))
                waiting.append(operand)


def walk_operands(figure: Figure) -> Iterator[Figure]:
    """All that a figure rests on, each once, depth first: its operands, then those of the last one, and so on
    backwards.

    Where several could explain a difference, the first in this order is named.
    """
    waiting, met = [figure], set()
    while waiting:
        for operand in operands(waiting.pop()):
            if id(operand) not in met:
                met.add(id(operand))
                waiting.append(operand)
                yield operand


def ledger_lines(figure: Figure) -> list[Place]:
    """The ledger lines that a figure rests on, in order of file and line, each once."""
    return sorted({below.place for below in closure(figure) if below.place is not NOWHERE})


def places_of(*figures: Figure | None) -> tuple[Place, ...]:
    """The ledger lines that some figures rest on, in order, at most twenty."""
    found = sorted({place for figure in figures if figure for place in ledger_lines(figure)})
    return tuple(found[:20])
