"""A mistake in a ledger, as a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from reckon.language.text import Place, Refusal, place_at

MOST_COMPARED = 200


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong at a place of a ledger and what would be right. Problems sort by place."""

    place: Place
    wrong: str
    right: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"

    @property
    def text(self) -> str:
        """What is wrong, and what would be right where that is known."""
        return f"{self.wrong}; {self.right}" if self.right else self.wrong


class InvalidLedger(ValueError):
    """A ledger that cannot be calculated with, for whoever opens one in Python.

    Its text has a line for each problem, with file, line and column, as `budget check` tells them; `problems` are the
    same as values: `place`, `wrong`, and `right`, which is what would be right.
    """

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(text, problems)
        self.problems = problems

    def __str__(self) -> str:
        return str(self.args[0])


def refused(refusal: Refusal, text: object) -> Problem:
    """The problem that a refusal makes of a text with a place, told where in the text it arose."""
    return Problem(place_at(text, refusal.at), refusal.wrong, refusal.right)


def _alike(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The few hundred names that share most with a name, when there are many: comparing whole texts is slow."""
    if len(names) <= MOST_COMPARED:
        return names
    pairs = {name[at : at + 3] for at in range(len(name) - 2)}
    shared = [(sum(1 for pair in pairs if pair in one), one) for one in names if abs(len(one) - len(name)) <= 6]
    return tuple(one for _, one in sorted(shared, key=lambda found: -found[0])[:MOST_COMPARED])


@lru_cache(maxsize=256)
def _close(name: str, names: tuple[str, ...]) -> list[str]:
    """Kept, because the same slip is often made on every line of a file."""
    return get_close_matches(name, names, n=3, cutoff=0.6)


def nearest(name: str, among: Iterable[str], before: str = "did you mean", short: int = 12) -> str:
    """A hint that names what was perhaps meant; the whole list where it is short; empty where there is nothing."""
    names = tuple(among)
    if close := _close(name[:80], _alike(name[:80], names)):
        return f"{before} " + " or ".join(f"`{one}`" for one in close) + "?"
    return "there are " + ", ".join(f"`{one}`" for one in names) if 0 < len(names) <= short else ""
