"""How the pages print each figure, so that its row of the derivations shows each number that leads there.

A page may print hours as days, or only the value to plan with. A row is printed before all pages are: it has a stand-in
until then.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal

from reckon.language.lazy import regex
from reckon.model.figure import Figure

from . import escape
from .numbers import with_unit

STAND_IN = "\U0010fffd"
"""Stands on both sides of an address, where the other forms of its figure will be; no ledger text has it."""
_HELD = regex(f"{STAND_IN}([^{STAND_IN}]*){STAND_IN}")
_NUMBER = regex(r"[0-9][0-9,]*(?:\.[0-9]+)?")
Amounts = frozenset[tuple[Decimal, str]]
"""Numbers with the symbol of their unit."""


class ShownForms:
    """The texts of figures by address, each with its amounts, in the order in which the pages print them."""

    def __init__(self) -> None:
        self._linked: dict[str, dict[str, Amounts]] = defaultdict(dict)
        self._in_rows: dict[str, Amounts] = {}

    def note(self, figure: Figure, text: str) -> None:
        """Notes that a page prints a figure as a text that leads to its row."""
        self._linked[figure.address].setdefault(with_unit(figure, text), list_amounts(figure, text))

    def hold(self, figure: Figure, text: str) -> str:
        """The stand-in for what the row of a figure has to show beside the text that it begins with."""
        self._in_rows[figure.address] = list_amounts(figure, text)
        return f"{STAND_IN}{figure.address}{STAND_IN}"

    def fill(self, page: str, mark: Callable[[str, str], str]) -> str:
        """A page with all forms of its figures, each piece marked as a figure."""

        def others(held: re.Match[str]) -> str:
            texts = [mark("figure", escape.inline(text)) for text in self._list_others(held[1])]
            return f", also {', '.join(texts)}" if texts else ""

        return _HELD.sub(others, page)

    def _list_others(self, address: str) -> list[str]:
        """The texts that have an amount which neither the beginning of the row nor a text before them has."""
        shown, others = self._in_rows[address], []
        for text, amounts in self._linked[address].items():
            if not amounts <= shown:
                others.append(text)
                shown |= amounts
        return others


def list_amounts(figure: Figure, text: str) -> Amounts:
    """The numbers of a text of a figure, each with the symbol of its unit."""
    unit = figure.form if figure.form == "%" else figure.unit.symbol
    return frozenset((Decimal(number.replace(",", "")), unit) for number in _NUMBER.findall(text))
