"""Figures: values with an address and an origin, so that every number can be walked back to ledger lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from reckon.language.expression import Formula
from reckon.language.quantity import Value
from reckon.language.text import NOWHERE, Place
from reckon.language.units import Unit

from .sums import Selection


@dataclass(frozen=True, slots=True)
class Stated:
    """A figure that stands in a ledger, as it was written there."""

    text: str
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A figure that a formula gives, with its operands by the names in the formula; place if from a ledger."""

    formula: Formula
    operands: Mapping[str, Figure]
    place: Place = NOWHERE


@dataclass(frozen=True, slots=True)
class Tallied:
    """A sum over runs: which are meant, how many they are, and by file how many and how much.

    Runs themselves get no figures. Whoever lists the runs behind a sum asks its selection.
    """

    selection: Selection
    count: int
    files: tuple[tuple[str, int, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class Worked:
    """A figure that a named function gives, in words how, with the figures that it rests on; place if from a ledger."""

    how: str
    operands: tuple[Figure, ...] = ()
    place: Place = NOWHERE


Origin = Stated | Reckoned | Tallied | Worked


@dataclass(frozen=True, slots=True)
class Figure:
    """A value in a unit, at an address. `missing` names the unknown inputs for want of which there is no value.

    `leaves` are the uncertain inputs that it rests on, by address, with the direction in which each moves it: 1 raises
    it, -1 lowers it, 0 does either.
    """

    address: str
    title: str
    unit: Unit
    value: Value
    origin: Origin
    form: str = ""
    missing: tuple[str, ...] = ()
    leaves: Mapping[str, int] = field(default_factory=dict)

    @property
    def use(self) -> Fraction | None:
        """The value to plan with, in the figure's unit."""
        return self.value.use

    @property
    def place(self) -> Place:
        """Where it is stated, or where its formula is; NOWHERE for what the engine reckons by itself."""
        return NOWHERE if isinstance(self.origin, Tallied) else self.origin.place


def operands(figure: Figure) -> Iterator[Figure]:
    """The figures that a figure is directly reckoned from."""
    if isinstance(figure.origin, Reckoned):
        yield from figure.origin.operands.values()
    elif isinstance(figure.origin, Worked):
        yield from figure.origin.operands


def missing_of(figures: Iterable[Figure | None]) -> tuple[str, ...]:
    """The unknown inputs because of which some figures have no value, each once."""
    return tuple(dict.fromkeys(name for figure in figures if figure for name in figure.missing))


def planned(figure: Figure | None) -> Fraction:
    """The value to plan with in base units; zero where there is no figure or no such value."""
    return figure.unit.to_base(figure.use) if figure and figure.use is not None else Fraction(0)


def closure(
    *figures: Figure, through: Callable[[Figure], bool] | None = None, most: int | None = None
) -> Iterator[Figure]:
    """Some figures and all that they rest on, each once, the nearest first.

    What stands only below figures that are not to be gone `through` is left out. Once more than `most` have been met,
    those below them are.
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


def below(figure: Figure) -> Iterator[Figure]:
    """All that a figure rests on, each once: its operands, then what the last of them rests on, and so backwards.

    Where several could explain a difference, the first in this order is the one that is named.
    """
    waiting, met = [figure], set()
    while waiting:
        for operand in operands(waiting.pop()):
            if id(operand) not in met:
                met.add(id(operand))
                waiting.append(operand)
                yield operand


def lines(figure: Figure) -> list[Place]:
    """The ledger lines that a figure rests on, in order of file and line, each once."""
    return sorted({below.place for below in closure(figure) if below.place is not NOWHERE})
