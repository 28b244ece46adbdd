"""The picture of a bridge: bars that meet, with the numbers of its steps."""

from __future__ import annotations

from pathlib import Path

from reckon.compute.bridge.difference import Difference, Side, compare
from reckon.compute.reckoning import reckon, write_sheet
from reckon.load.reader import load
from reckon.model.release import Kept
from reckon.present.charts.draw import draw
from reckon.present.charts.kinds.waterfall import Waterfall
from reckon.present.pictures.bridge import crossed
from tests.small import SMALL, plant

PLAN, PROJECT = "ledger/demo/plan.yaml", "ledger/demo/project.yaml"


def difference(folder: Path) -> Difference:
    new = {**SMALL, PROJECT: SMALL[PROJECT].replace("seeds: 2", "seeds: 3")}
    new[PLAN] = SMALL[PLAN].replace("gpu_hours: 10", "gpu_hours: 5")
    books = [reckon(load(plant(folder / name, files))[0])[0] for name, files in (("a", SMALL), ("b", new))]
    kept = {"demo.budget.final": Kept("Final budget", "GPU-h", "98", "98", "98")}
    return compare(Side("1.0.0", books[0], "demo", kept), Side("the working tree", books[1]), write_sheet)


def picture(folder: Path) -> Waterfall:
    found = difference(folder)
    (crossing,) = [part.bridge for part in found.parts if part.bridge]
    drawn = crossed(found, crossing, "Demo: what changed")
    assert drawn
    return drawn


def test_bars_begin_where_the_last_one_ended(tmp_path: Path) -> None:
    drawn = picture(tmp_path)
    assert [(bar.role, bar.start, bar.end, bar.value) for bar in drawn.bars] == [
        ("total", 0, 98, "98.0"),
        ("reckoning", 98, 99, "+1.0"),
        ("raises", 99, 143, "+44.0"),
        ("lowers", 143, 137.5, "−5.5"),
        ("total", 0, 137.5, "137.5"),
    ]
    assert drawn.alt == (
        "From 98.0 to 137.5 GPU-h: the reckoning changed since 1.0.0 +1.0; Seeds: 2 → 3 +44.0;"
        " Testing: GPU hours: 10 → 5 −5.5."
    )


def test_it_can_be_drawn(tmp_path: Path) -> None:
    drawn = draw(picture(tmp_path))
    for words in ("raises it", "lowers it", "the reckoning changed", "137.5"):
        assert words in drawn.svg
