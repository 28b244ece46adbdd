"""Names and addresses: what a name in a formula or a text means, looked up from an address outwards."""

from __future__ import annotations

from collections.abc import Container, Mapping
from fractions import Fraction

from reckon.language.expression import Formula, Name
from reckon.language.quantity import Value, point
from reckon.model.figure import Figure, Reckoned

ENDS = ("low", "use", "high")


def find(known: Container[str], address: str, name: str) -> tuple[str, str]:
    """The address that a name means, sought outwards from another, and the end that a suffix picks; empty if none."""
    if found := _sought(known, address, name):
        return found, ""
    stem, _, end = name.rpartition(".")
    found = _sought(known, address, stem) if stem and end in ENDS else ""
    return found, end if found else ""


def _sought(known: Container[str], address: str, name: str) -> str:
    """The first address outwards from another that ends in a name and is known, itself excepted; empty if none."""
    scope = address
    while scope:
        if (found := f"{scope}.{name}") in known and found != address:
            return found
        scope = scope.rpartition(".")[0]
    return name if name in known and name != address else ""


def quoted(figures: Mapping[str, Figure], project: str, address: str) -> Figure | None:
    """The figure that an address quoted in a project means (`budget.final`, `plan.sft.estimate.low`), or None."""
    found, end = find(figures, project, address)
    figure = figures.get(found)
    return picked(figure, end) if figure and end else figure


def outwards(address: str) -> list[str]:
    """An address and all that stand around it, the nearest first."""
    found = [address]
    while "." in address:
        address = address.rpartition(".")[0]
        found.append(address)
    return found


def picked(figure: Figure, end: str) -> Figure:
    """One end of a figure as a figure of its own: `.low`, `.use` or `.high`."""
    number: Fraction | None = getattr(figure.value, end)
    value = Value(None, None, None) if number is None else point(number)
    missing = figure.missing or ((figure.address,) if number is None else ())
    origin = Reckoned(Formula(f"{end} of {figure.address}", Name(figure.address, 0)), {figure.address: figure})
    return Figure(
        f"{figure.address}.{end}", f"{figure.title} ({end})", figure.unit, value, origin, figure.form, missing
    )
