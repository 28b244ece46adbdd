"""The audit knows no shipped ledger: under random words, and in another unit of hours, it finds the same in each."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.figure import Figure
from reckon.model.finding_groups import by_cause
from tests.example_tree import plant_example, plant_others
from tests.renamed import Words, shift, tens
from tests.telling import ids_of, tell_again

SHIPPED: dict[str, Callable[[Path], Path]] = {"ledger": plant_others, "birdsong": plant_example}
"""The shipped ledger in two trees, each with what writes it."""
PHYSICAL = {
    "run-implausible": "a card draws 5 to 3,000 W, and a kWh emits 1 to 2,000 g, in whatever unit hours are told",
}
"""Rules about limits of nature: with hours in another unit they may find more."""
ELSEWHERE = (
    "forecast",
    ".to_come_p",
    "probability",
    "unused",
    "saves",
    ".pace.",
    ".schedule.",
    "days_left",
    ".sets.",
    "days_to_end",
    ".settings.",
    ".was.",
)
"""Figures that are drawn, where the draws of a line are its own by its address; that rest on dates, which stay; and
settings, whose names need not carry their unit."""

Entry = tuple[str, bool, tuple[tuple[str, str, bool, str], ...]]


def book_of(root: Path) -> Book:
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert [str(problem) for problem in [*problems, *more]] == []
    return book


def renamed(address: str, words: Words) -> str:
    """An address that begins with a project, under the new names."""
    first, _, rest = address.partition(".")
    if first not in words.ids:
        return words.address(address)
    return ".".join([words(first), *([words.address(rest)] if rest else [])])


BILLED = re.compile(r".+\.projections\.[^.]+\.[^.]+(\.costs\.[^.]+)?\.usd")
"""Costs of hours that may be billed as whole ones: an hour is the same hour, whatever a project takes."""


def entries(book: Book, project: str, words: Words | None = None, scale: str = "") -> list[Entry]:
    """What is found of a project, by cause: how grave, of the source or not, and rule, severity and address of each. Of
    notes it is not compared which of them repeat others: zeros at the end of a number tell how far it was rounded, and
    another unit moves them."""
    return [
        (
            group.severity,
            group.of_source,
            in_order(
                group.severity,
                [
                    (
                        one.rule,
                        one.severity,
                        one.follows and group.severity != "note",
                        renamed(one.subject, words) if words else one.subject,
                    )
                    for one in group.all
                ],
            ),
        )
        for group in by_cause(book.findings[project])
        if group.rule not in PHYSICAL
        if scale != "time" or not any(BILLED.fullmatch(one.subject) for one in group.all)
    ]


def in_order(severity: str, rows: list[tuple[str, str, bool, str]]) -> tuple[tuple[str, str, bool, str], ...]:
    """Rows in their order; those of notes by address."""
    return tuple(sorted(rows) if severity == "note" else rows)


class Pair:
    """A shipped tree without its acceptances, and the same told again."""

    def __init__(self, tree: str, scale: str, seed: int, folder: Path) -> None:
        self.words = Words(seed)
        self.root = SHIPPED[tree](folder / "shipped")
        tell_again(self.root, folder / "plain", book_of(self.root), Words(0, plain=True))
        self.plain = book_of(folder / "plain")
        tell_again(folder / "plain", folder / "again", self.plain, self.words, scale)
        self.again = book_of(folder / "again")


ONLY = pytest.mark.long(only=True)
# The runs of the example have dates, and what is told by date is not told in a tenth of the time.
CASES = [
    pytest.param("ledger", "time", 1, id="ledger, a tenth of the time"),
    pytest.param("birdsong", "gpus", 1, id="birdsong, ten times the GPUs"),
    pytest.param("ledger", "", 2, id="ledger, other words", marks=ONLY),
    pytest.param("ledger", "time", 3, id="ledger, a tenth of the time, third words", marks=ONLY),
    pytest.param("birdsong", "gpus", 3, id="birdsong, ten times the GPUs, third words", marks=ONLY),
]


@pytest.mark.full
@pytest.mark.long
@pytest.mark.parametrize(("tree", "scale", "seed"), CASES)
def test_the_same_is_found_of_a_shipped_ledger_told_again(tree: str, scale: str, seed: int, tmp_path: Path) -> None:
    pair = Pair(tree, scale, seed, tmp_path)
    for project in pair.plain.findings:
        wanted = entries(pair.plain, project, pair.words, scale)
        assert entries(pair.again, pair.words(project), None, scale) == wanted, project
    assert sum(len(found) for found in pair.plain.findings.values()) > (200 if tree == "ledger" else 1)
    assert_the_same_figures(pair, scale)
    assert_nothing_is_left(pair.root, tmp_path / "again", pair.words)


def assert_the_same_figures(pair: Pair, scale: str) -> None:
    """Each figure is the same under its new address, but for the power of ten of its unit: else less would be tried.

    A few addresses end in a word of the engine that is an id elsewhere too; those are not looked for.
    """
    apart = [
        (before, pair.again.figures.get(renamed(address, pair.words)))
        for address, before in pair.plain.figures.items()
        if not any(word in address for word in ELSEWHERE)
    ]
    met = [(before, now) for before, now in apart if now is not None]
    assert len(pair.again.figures) == len(pair.plain.figures)
    assert len(met) > 0.95 * len(apart)
    assert [before.address for before, now in met if now.use != times_ten(before, scale)] == []


def times_ten(figure: Figure, scale: str) -> Fraction | None:
    return None if figure.use is None else figure.use * Fraction(10) ** tens(figure.unit, scale)


def assert_nothing_is_left(root: Path, again: Path, words: Words) -> None:
    """No id and no title of the ledger stands in the one told again."""
    text = "\n".join(path.read_text("utf-8") for path in again.rglob("*.yaml"))
    long = [name for name in ids_of(root) if "-" in name and any(letter.isdigit() for letter in name)]
    assert [name for name in long if name in text.replace("\n", " ").split(" ")] == []
    assert len(words.known) > 50


@pytest.mark.parametrize(
    ("digits", "power", "rounded", "wanted"),
    [
        ("45", -1, False, "4.5"),
        ("600", -1, False, "60.0"),
        ("600", -1, True, "60"),
        ("0.03", -1, False, "0.003"),
        ("10", -2, True, "0.1"),
        ("2.50", 1, False, "25.0"),
        ("45", 1, False, "450"),
        ("0.21", 2, False, "21"),
    ],
)
def test_a_number_keeps_the_digits_that_count(digits: str, power: int, rounded: bool, wanted: str) -> None:
    assert shift(digits, power, rounded) == wanted
