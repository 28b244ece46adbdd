"""How the pages print each figure, so that its row of the derivations shows each number that leads there.

A page may print hours as days, or only the value to plan with. A row is printed before all pages are: it has a stand-in
until then.
"""

from __future__ import annotations

from collections import defaultdict

from reckon.language.lazy import regex
from reckon.model.figure import Figure

STAND_IN = "\U0010fffd"
"""Stands on both sides of an address, where the other forms of its figure will be; no ledger text has it."""
_HELD = regex(f"{STAND_IN}([^{STAND_IN}]*){STAND_IN}")
_NUMBER = regex(r"[0-9][0-9,]*(?:\.[0-9]+)?")
Amounts = frozenset[tuple[str, str]]
"""Numbers as they are printed, each with the symbol of its unit."""


class ShownForms:
    """What links print, by the address that they lead to, in the order of the pages; what a row begins with as `""`."""

    def __init__(self) -> None:
        self._shown: dict[str, dict[str, Amounts]] = defaultdict(dict)

    def note(self, figure: Figure, printed: str) -> None:
        """Notes that a link to the row of a figure prints it so."""
        self._shown[figure.address][printed] = list_amounts(figure, printed)

    def hold(self, figure: Figure, begun: str) -> str:
        """The stand-in for what the row of a figure shows beside what it begins with."""
        self._shown[figure.address][""] = list_amounts(figure, begun)
        return f"{STAND_IN}{figure.address}{STAND_IN}"

    def fill(self, page: str) -> str:
        """A page with all forms of its figures."""
        return _HELD.sub(lambda held: _list_others(self._shown[held[1]]), page)


def _list_others(shown: dict[str, Amounts]) -> str:
    """The forms with a number that stands neither at the beginning of a row nor in a form before them."""
    told, others = shown[""], []
    for printed, amounts in shown.items():
        if not amounts <= told:
            others.append(printed)
            told |= amounts
    return f", also {', '.join(others)}" if others else ""


def list_amounts(figure: Figure, text: str) -> Amounts:
    """The numbers of a text that prints a figure, with its unit; a plain number may be printed as times something."""
    unit = figure.unit.symbol or "×" * text.endswith("×")
    return frozenset((number, unit) for number in _NUMBER.findall(text))
