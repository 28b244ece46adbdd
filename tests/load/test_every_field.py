"""Each field and each line of three ledgers is changed, one at a time: whatever comes of it, no command breaks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from reckon.present import pages
from scripts.asking import undrawn
from tests.booked import booked, paged
from tests.commands import given
from tests.example_tree import plant_example
from tests.reading import ROOT
from tests.small import SMALL
from tests.trying import LONG, QUICK

ODD = ("a b", ".x", "?", "1 - 1", "a\nb")
"""What is put where something is named: no name, and partly a formula."""
COMMANDS = (
    ("check",),
    ("status",),
    ("render", "--check"),
    ("export", "--format", "json"),
    ("check", "--format", "json"),
)
EVERY = 1 if LONG else 199 if QUICK else 29
"""Of how many changes one is tried: all of them take about an hour."""


def changes(text: str) -> Iterator[str]:
    """A file with each of its names and values replaced by each odd text, then without each of its lines."""
    for event in yaml.parse(text):
        if isinstance(event, yaml.ScalarEvent):
            start, end = event.start_mark.index, event.end_mark.index
            yield from (text[:start] + json.dumps(odd) + text[end:] for odd in ODD)
    lines = text.splitlines(keepends=True)
    yield from ("".join(lines[:number] + lines[number + 1 :]) for number in range(len(lines)))


def plant_starter(root: Path) -> None:
    """Writes what `init` begins with."""
    shutil.copytree(ROOT / "starter/ledger", root / "ledger")


def plant_demo(root: Path) -> None:
    """Writes a ledger that has a record of every kind."""
    shutil.copytree(ROOT / "tests/demo/ledger", root / "ledger")


@pytest.mark.long
@pytest.mark.parametrize(
    "plant", [plant_starter, plant_example, plant_demo], ids=["starter", "birdsong", "every kind of record"]
)
def test_no_command_fails_by_itself(
    plant: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "draw", undrawn)
    plant(tmp_path)
    tried = number = 0
    for path in sorted((tmp_path / "ledger").rglob("*.yaml")):
        before = path.read_text("utf-8")
        for text in changes(before):
            number += 1
            if number % EVERY == 0:
                command = COMMANDS[tried % len(COMMANDS)]
                path.write_text(text, "utf-8")
                done = given(tmp_path, *command)
                where = f"{command}, change {number}, in {path.name}: {done.stderr[-300:]}"
                assert done.returncode in (0, 1, 2, 3), where
                assert "the template does not work" not in done.stdout + done.stderr, where
                tried += 1
        path.write_text(before, "utf-8")
    assert tried == number // EVERY > 3


def test_the_catalogue_has_grants_that_no_project_uses(tmp_path: Path) -> None:
    files = {name.removeprefix("ledger/"): text for name, text in SMALL.items()}
    files["allocations.yaml"] = "spare: {title: Spare hours, gpu_hours: 500}\n"
    catalogue = paged(booked(tmp_path, files))["docs/catalog.md"]
    assert "| Spare hours | – | – | – | 500 | none | – |  |" in catalogue
