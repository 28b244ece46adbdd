"""Each kind of picture under the pointer: drawn by the site's script in the page's colours, it tells what it shows."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser import Page
from reckon.present.charts import Picture, draw
from reckon.present.charts.axes import BarPart
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.burn_up import BurnUp
from reckon.present.charts.drawdown import Drawdown, DrawdownStep
from reckon.present.charts.frontier import Dot, Frontier
from reckon.present.charts.memory import Memory, Room
from reckon.present.charts.timeline import Lane, Span, Timeline
from reckon.present.charts.waterfall import Bar, Waterfall

pytestmark = pytest.mark.full

# A picture, the marks that the pointer goes to, and what it is told there. Lines and surfaces answer everywhere.
ALIVE: dict[str, tuple[Picture, str, str]] = {
    "burn-up": (
        BurnUp("Used", "h", (("2025-01-01", 5.0), ("2025-02-01", 1234.4)), "Alt."),
        ".mark-symbol path:last-child",
        "spent 1 Feb 2025 1,234 h",
    ),
    "drawdown": (
        Drawdown(
            "Left", "h", "2025-01-01", 9, (DrawdownStep("2025-02-01", 4, 1, "4.00", "<b>"),), "2025-03-01", "Alt."
        ),
        ".mark-area",
        "1 <b> 1 Feb 2025 4.00",
    ),
    "waterfall": (
        Waterfall(
            "Sum",
            "GPU-hours",
            (Bar("From", 0, 5, "subtotal", "5"), Bar("Work", 5, 9, "raises", "+4")),
            "Alt.",
        ),
        ".mark-rect path:last-child",
        "Work +4 GPU-h raises it",
    ),
    "bars": (
        Bars("Hours", "h", (BarRow("spent", "Phase", (BarPart("seed 0", 4, "4 h", "spent"),)),), "Alt."),
        ".mark-rect path",
        "Phase · spent · seed 0 4 h spent",
    ),
    "timeline": (
        Timeline("Runs", (Lane("a"),), (Span(0, "2025-01-01", "2025-01-02", "failed", "job 7"),), "Alt."),
        ".mark-rect path",
        "job 7 2025-01-01 2025-01-02 failed",
    ),
    "frontier": (
        Frontier("Cost", (Dot("a", "4× A100", 2, 9, "2 h, $9.00", "best", 3),), "hours", "USD", "Alt.", "a"),
        ".mark-symbol path",
        "3 4× A100 (recommended, reference) 2 h, $9.00 least cost × time",
    ),
    "memory": (
        Memory("Memory", "GB", (Room("L4", "Cards", 24, "9 of 24", "fits"),), (BarPart("weights", 9, "9 GB"),), "Alt."),
        ".layer_1_marks path",
        "Cards · L4 weights 9 GB",
    ),
}


@pytest.fixture
def shelf(site: Path) -> Iterator[Path]:
    """A folder of the site that is gone afterwards."""
    folder = site / "pictures-tried"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ALIVE)
def test_a_picture_tells_what_the_pointer_is_on(name: str, shelf: Path, visit: Callable[..., Page]) -> None:
    picture, marks, told = ALIVE[name]
    drawn = draw(picture)
    # Each picture has an address of its own: a browser may show what it read from one before.
    (shelf / f"{name}.svg").write_text(drawn.svg, "utf-8")
    (shelf / f"{name}.vl.json").write_text(drawn.spec, "utf-8")
    (shelf / f"{name}.html").write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body data-md-color-scheme="slate">'
        f'<figure class="chart" data-spec="{name}.vl.json"><img src="{name}.svg" alt="Alt."></figure>'
        '<script src="../assets/page.js"></script></body>',
        "utf-8",
    )
    page = visit(f"pictures-tried/{name}.html")
    assert not any("vega" in url for url in page.requests), "nothing is loaded before a picture is used"
    page.ask("document.querySelector('figure').dispatchEvent(new Event('pointerenter'))")
    page.wait("document.querySelector('.chart-live svg') !== null")
    assert page.ask("document.querySelector('.chart-live svg').outerHTML.includes('#a7afbc')")
    assert not page.ask("document.querySelector('.chart-live svg').outerHTML.includes('#58606e')")
    box = page.ask(f"document.querySelector('.chart-live {marks}').getBoundingClientRect().toJSON()")
    for aside in (0, 1):  # a pointer that moves
        place = {"x": box["x"] + box["width"] / 2 + aside, "y": box["y"] + box["height"] / 2}
        page.browser.call("Input.dispatchMouseEvent", {"type": "mouseMoved", **place}, page.session)
    page.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
    values = "[...document.querySelectorAll('#vg-tooltip-element td.value')].map(cell => cell.textContent).join(' ')"
    assert page.ask(values) == told
