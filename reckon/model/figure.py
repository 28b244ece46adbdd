"""Figures: values with an address and an origin, so that every number can be walked back to ledger lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def lines(figure: Figure) -> list[Place]:
    """The ledger lines that a figure rests on, in order of file and line, each once."""
    found, seen, stack = set(), set(), [figure]
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one.place is not NOWHERE:
            found.add(one.place)
        stack.extend(operands(one))
    return sorted(found)
