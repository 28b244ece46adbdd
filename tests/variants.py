"""One ledger in three forms: as it is written, and under random names with its numbers at another power of ten."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.example_tree import plant_example

SCALES = (Fraction(1), Fraction(10), Fraction(1, 100))
NAME, NUMBER = re.compile("«([^»]+)»"), re.compile("<([0-9.]+)>")
Write = Callable[[str], str]


def variant(number: int) -> Write:
    """What writes a text with «names» and <numbers> in one of the three forms; the same name is the same word."""
    chance, known = random.Random(number), dict[str, str]()

    def named(match: re.Match[str]) -> str:
        return known.setdefault(match[1], "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12)) if number else match[1])

    def scaled(match: re.Match[str]) -> str:
        return f"{float(Fraction(match[1]) * SCALES[number]):.12g}"

    return lambda text: NUMBER.sub(scaled, NAME.sub(named, text))


VARIANTS = [pytest.param(variant(number), id=name) for number, name in enumerate(("plain", "larger", "smaller"))]


def written(write: Write, files: Mapping[str, str]) -> dict[str, str]:
    """The files of a ledger in one form."""
    return {name: write(text) for name, text in files.items()}


def seeded(root: Path, edits: Mapping[str, Iterable[tuple[str, str]]]) -> list[str]:
    """The ids of all findings of a copy of the example project in which these pieces of its files are others; a file
    that it has not gets the second."""
    plant_example(root)
    for path, changes in edits.items():
        file = root / "ledger" / path
        for old, new in changes:
            text = file.read_text("utf-8") if file.exists() else ""
            assert text.count(old) == 1 if old else not text, (path, old)
            file.write_text(text.replace(old, new) if old else new, "utf-8")
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert [str(problem) for problem in problems + more] == []
    return [found.id for found in book.findings["birdsong"]]
