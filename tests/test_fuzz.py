"""What `make fuzz` does is tried with a few inputs of each target; what it found once stands here too."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from reckon.present import pages
from scripts import fuzz
from scripts.asking import undrawn
from tests.commands import given
from tests.small import SMALL, plant
from tests.trying import examples

FEW = {"trees": 4, "expressions": 200, "quantities": 200, "tables": 60, "exports": 4}


FOUND = {
    "a grid that cannot be read, of a project that emits": {
        "ledger/catalog/gpus.yaml": "card: {title: Card, vram_gib: 24, watts: 300}\n",
        "ledger/catalog/grids.yaml": "north: {title: North, co2e_grams\n",
        "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "grid: north\npue: 1.2\n",
    },
}
"""Ledgers with problems, with which a command once failed by itself: where they differ from the small one."""


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND)
def test_what_was_found_once_is_told(found: Mapping[str, str], tmp_path: Path) -> None:
    done = given(plant(tmp_path, {**SMALL, **found}), "check")
    assert done.returncode == 2, done.stderr


@pytest.mark.parametrize("target", FEW)
def test_nothing_fails_by_itself(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "draw", undrawn)
    for number in range(examples(FEW[target] * 4)):
        assert fuzz.attempt(target, number) == "", number


def test_a_failure_is_told_and_the_same_number_gives_the_same_input(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def fail(draw: random.Random, root: Path) -> None:
        seen.append(fuzz.change("a b c d e f", draw))
        raise KeyError(seen[-1])

    monkeypatch.setitem(fuzz.TARGETS, "trees", (fail, 1))
    assert all("KeyError" in fuzz.attempt("trees", 7) for _ in range(2))
    assert seen[0] == seen[1]


def test_what_takes_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter((0, 11))
    monkeypatch.setattr(fuzz, "time", SimpleNamespace(process_time=lambda: next(moments)))
    assert fuzz.attempt("quantities", 0) == "took 11.0 s of a processor"
