"""Work grows with what is there, and not with what did not change: calls and files are counted, never seconds."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from reckon.compute.book import Book
from reckon.compute.budget import simulation
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present import pages
from reckon.present.charts import picture as pictures
from reckon.present.terminal.messages import report
from reckon.publish.files import existing, write
from tests.booked import TEMPLATES
from tests.reading import ROOT
from tests.small import SMALL, plant

pytestmark = pytest.mark.full

OPENED = """
import os, sys
sys.path.insert(0, {engine!r})
opened = []
sys.addaudithook(lambda event, given: opened.append(os.path.abspath(str(given[0]))) if event == "open" else None)
from reckon.cli import main
main({words!r})
print("\\n".join(opened), file=sys.stderr)
"""
PICTURES = (".svg", ".vl.json")


def with_projects(root: Path, many: int, called: str = "demo") -> Path:
    """So many projects that are alike, on one catalogue."""
    for number in range(many):
        plant(root, {name.replace("demo", f"{called}-{number:02}"): text for name, text in SMALL.items()})
    return root


def booked(root: Path) -> Book:
    ledger, wrong = load(root)
    book, more = calculate(ledger)
    assert [*wrong, *more] == []
    return book


def rendered(root: Path) -> None:
    """Writes the pages that differ."""
    made = pages.present(booked(root), [TEMPLATES], existing(root))
    write(root, made)


def stamped(picture: pictures.Picture) -> pictures.Drawing:
    """A picture that is known again as if it were drawn."""
    spec, body = pictures._json(picture.specification()), "not drawn\n"
    return pictures.Drawing(f"{pictures._stamp(body, picture, spec)}\n{body}", spec)


def calls(work: Callable[[], object]) -> int:
    """How many functions some work calls, those of C and each step of a generator among them."""
    counted = 0

    def count(frame: FrameType, event: str, given: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


def checked(root: Path) -> None:
    """Reads, calculates and audits a tree, and says what was found."""
    assert list(report(booked(root), (), "text"))


@pytest.mark.parametrize(("what", "most"), [(checked, 3), (rendered, 30)])
def test_no_work_is_done_for_each_pair_of_projects(
    what: Callable[[Path], None], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where n projects take a + b n + c n² calls, c is next to nothing: a call for each pair of 500 are 250,000."""
    monkeypatch.setattr(pages, "draw", stamped)
    # How many calls draws take is a matter of chance.
    monkeypatch.setattr(simulation, "losses_to_come", lambda useful, *model: [0.0] * len(useful))
    what(with_projects(tmp_path / "first", 1, "first"))  # what is made once is there then
    taken = []
    for many in (4, 8, 16):
        root = with_projects(tmp_path / str(many), many, f"of-{many:02}")
        taken.append(calls(partial(what, root)))
    small, middle, large = taken
    assert abs(large - middle - 2 * (middle - small)) / (16**2 - 8**2 - 2 * (8**2 - 4**2)) < most, taken


def test_a_change_in_one_of_many_projects_draws_its_pictures_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(pages, "draw", lambda picture: drawn.append(picture.about) or stamped(picture))
    root = with_projects(tmp_path, 12)
    plan = root / "ledger/demo-07/project.yaml"
    plan.write_text(plan.read_text("utf-8").replace("Demo", "The seventh"), "utf-8")
    rendered(root)
    assert len(drawn) > 12 * 3
    drawn.clear()
    rendered(root)
    assert drawn == []
    with open(root / "ledger/demo-07/runs/2026-02.yaml", "a", encoding="utf-8") as file:
        file.write("- {date: 2026-02-03, item: test, gpu_hours: 1}\n")
    rendered(root)
    assert drawn
    assert all("The seventh" in about for about in drawn)


@pytest.mark.parametrize("words", [("check",), ("status",), ("render",)])
def test_a_file_of_a_tree_is_read_once(words: tuple[str, ...], example_tree: Path) -> None:
    """But for the settings, which say how all others are to be read; the newest release, which says what was written
    before it and is then held against its checksum; pictures, which are first asked whether they are current; and
    records, whose lines pages quote."""
    root = example_tree
    told = OPENED.format(engine=str(ROOT), words=["--root", str(root), *words])
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    counted = Counter(Path(line) for line in done.stderr.splitlines() if line.startswith(str(root)))
    newest = max((root / "ledger/birdsong/releases").glob("*.json"))
    twice = {path for path, times in counted.items() if times == 2 and not path.name.endswith(PICTURES)}
    assert max(counted.values()) <= 2
    quoted = set(root.glob("ledger/**/*.yaml")) if words == ("render",) else set()
    assert twice <= {root / "ledger/tree.yaml", newest, *quoted}
    assert len(counted) > 10
