"""What a reader asks a picture: a stretch of time, runs of a phase, a file; with the pointer and with the keyboard."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser import Browser, Page
from reckon.present.charts import Picture, draw
from reckon.present.charts.axes import BarPart
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.burn_up import BurnUp
from reckon.present.charts.timeline import Lane, Span, Timeline
from serving import served
from test_for_everyone import axe, barriers  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full

FIELDS = "[...document.querySelectorAll('{figure} .chart-span input')]"
TOLD = "document.querySelector('{figure} .chart-span output').textContent"
# What the axis of time says, from left to right.
TICKS = """[...document.querySelectorAll('{figure} .chart-live .role-axis-label text')].map(each => each.textContent)"""
PLANE = "document.querySelector('{figure} .role-frame.root .background').getBoundingClientRect().toJSON()"
# Three runs of January, one of February; the second stands for four.
RUNS = Timeline(
    "Runs",
    (Lane("Pretraining", "Phase 1 & 2"), Lane("Unplanned")),
    (
        Span(0, "2025-01-02", "2025-01-05", "completed", "a"),
        Span(0, "2025-01-10", "2025-01-12", "completed", "b", 4),
        Span(0, "2025-01-20", "2025-01-21", "failed", "c"),
        Span(1, "2025-02-10", "2025-02-20", "running", "d"),
    ),
    "Seven runs.",
)
HOURS = Bars(
    "Hours",
    "h",
    (
        BarRow("planned", "Phase 1 & 2", (BarPart("seed 0", 4, "4 h", "planned"),)),
        BarRow("spent", "Phase 1 & 2", (BarPart("seed 0", 3, "3 h", "spent"),)),
        BarRow("planned", "Not begun", (BarPart("seed 0", 4, "4 h", "planned"),)),
    ),
    "Alt.",
)


def of(figure: str, script: str) -> str:
    return script.replace("{figure}", figure)


def use(page: Page, figure: str) -> None:
    """A pointer comes to a picture, which is drawn."""
    page.ask(f"document.querySelector('{figure}').scrollIntoView({{ block: 'center' }})")
    page.ask(f"document.querySelector('{figure}').dispatchEvent(new Event('pointerenter'))")
    page.wait(f"document.querySelector('{figure} .chart-tools') !== null")


def mouse(page: Page, kind: str, x: float, y: float, held: int = 1) -> None:
    order = {"type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1}
    page.browser.call("Input.dispatchMouseEvent", order, page.session)


def drag(page: Page, figure: str, start: float, end: float) -> None:
    """Drags over a picture, from one part of its width to another."""
    plane = page.ask(of(figure, PLANE))
    at = [plane["x"] + plane["width"] * part for part in (start, (start + end) / 2, end)]
    down = plane["y"] + 0.9 * plane["height"]
    mouse(page, "mousePressed", at[0], down)
    for x in at[1:]:
        mouse(page, "mouseMoved", x, down)
    mouse(page, "mouseReleased", at[-1], down, 0)


def typed(page: Page, figure: str, *days: str) -> str:
    """What is told once the two days stand in the fields."""
    for place, day in enumerate(days):
        page.ask(
            f"(field => {{ field.value = '{day}'; field.dispatchEvent(new Event('change')) }})"
            f"({of(figure, FIELDS)}[{place}])"
        )
    told: str = page.ask(of(figure, TOLD))
    return told


@pytest.fixture
def status(chromium: Browser, address: str) -> Iterator[Page]:
    """The status page of the example."""
    page = chromium.open(address + "birdsong/status/")
    yield page
    assert page.complaints == []
    page.close()


@pytest.fixture
def drawn(tmp_path: Path, chromium: Browser, site: Path) -> Iterator[Callable[[Picture], Page]]:
    """Shows a picture on a page of its own, with or without a link to a page of all runs, which says its address."""
    pages: list[Page] = []
    with served(tmp_path) as home:
        (tmp_path / "assets").symlink_to(site / "assets")

        def show(picture: Picture, link: bool = True) -> Page:
            drawing, name = draw(picture), f"picture-{len(pages)}"  # a browser may show what it read from an address
            (tmp_path / f"{name}.svg").write_text(drawing.svg, "utf-8")
            (tmp_path / f"{name}.vl.json").write_text(drawing.spec, "utf-8")
            (tmp_path / "runs.html").write_text('<!doctype html><link rel="icon" href="data:,">Runs', "utf-8")
            to_runs = '<span class="to-all-runs"><a href="runs.html">All runs</a></span>' if link else ""
            (tmp_path / f"{name}.html").write_text(
                f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>{to_runs}'
                f'<figure class="chart" data-spec="{name}.vl.json"><img src="{name}.svg" alt="Alt."></figure>'
                '<script src="assets/page.js"></script></body>',
                "utf-8",
            )
            pages.append(chromium.open(f"{home}{name}.html"))
            use(pages[-1], "figure")
            return pages[-1]

        yield show
    for page in pages:
        assert page.complaints == []
        page.close()


BURN_UP = "figure[data-spec^=burn-up]"


@pytest.mark.parametrize(
    ("first", "last", "charged"),
    [
        ("2025-03-03", "2025-03-31", "175"),
        ("2025-04-01", "2025-04-30", "545"),
        ("2025-05-01", "2025-05-31", "295"),
        ("2025-06-01", "2025-06-10", "79.5"),
    ],
)
def test_two_days_say_what_was_charged_between_them(status: Page, first: str, last: str, charged: str) -> None:
    """The same as the page's table of hours by month."""
    use(status, BURN_UP)
    assert typed(status, BURN_UP, first, last) == f"From {first} to {last}: {charged} GPU-hours charged"


LEDGER = BurnUp("Used", "h", (("2025-01-01", 1.0), ("2025-01-02", 5.5), ("2025-01-05", 12.0)), "Alt.")


@pytest.mark.parametrize(
    ("days", "told"),
    [
        (("2025-01-01", "2025-01-02"), "From 2025-01-01 to 2025-01-02: 4.5 h charged"),  # 1 h has no date
        (("2025-01-03", "2025-01-05"), "From 2025-01-03 to 2025-01-05: 6.5 h charged"),  # the last day counts whole
        (("2025-01-05", "2025-01-05"), "On 2025-01-05: 6.5 h charged"),
        (("2025-01-01", "2025-01-05"), ""),  # the whole
    ],
)
def test_both_days_of_a_stretch_count_whole(drawn: Callable[[Picture], Page], days: tuple[str, str], told: str) -> None:
    page = drawn(LEDGER)
    typed(page, "figure", days[0])
    assert typed(page, "figure", *days) == told


def test_a_drag_to_the_end_has_the_last_day(drawn: Callable[[Picture], Page]) -> None:
    page = drawn(LEDGER)
    drag(page, "figure", 0.6, 1.0)
    assert page.wait(of("figure", TOLD)) == "From 2025-01-03 to 2025-01-05: 6.5 h charged"


def test_a_stretch_is_dragged_and_given_back(status: Page) -> None:
    use(status, BURN_UP)
    whole = status.ask(of(BURN_UP, TICKS))
    drag(status, BURN_UP, 0.2, 0.4)
    days = status.wait(f"(days => days[0] > '2025-03-28' && days)({of(BURN_UP, FIELDS)}.map(field => field.value))")
    # A fifth of the 151 days from 2 March on is 30.2 days, two fifths are 60.4.
    assert days == ["2025-04-01", "2025-05-01"]
    status.wait(f"{of(BURN_UP, TICKS)}.some(text => text.includes('21 Apr'))")
    clipped = f"document.querySelectorAll('{BURN_UP} .chart-live [clip-path]').length"
    assert status.ask(clipped), "lines end where the stretch ends"
    assert not status.ask(f"document.querySelector('{BURN_UP} .chart-live svg').textContent.includes('End of')")
    status.press("Escape")
    status.wait(f"JSON.stringify({of(BURN_UP, TICKS)}) === `{str(whole).replace(chr(39), chr(34)).replace(', ', ',')}`")
    assert status.ask(of(BURN_UP, TOLD)) == ""


def test_escape_ends_a_drag_that_has_begun(status: Page) -> None:
    use(status, BURN_UP)
    plane = status.ask(of(BURN_UP, PLANE))
    mouse(status, "mousePressed", plane["x"] + 50, plane["y"] + 50)
    mouse(status, "mouseMoved", plane["x"] + 150, plane["y"] + 50)
    assert status.ask("document.querySelector('.chart-band:not([hidden])') !== null")
    status.press("Escape")
    assert status.ask("document.querySelector('.chart-band') === null")
    mouse(status, "mouseReleased", plane["x"] + 150, plane["y"] + 50, 0)
    assert status.ask(of(BURN_UP, TOLD)) == ""


def test_runs_of_a_stretch_are_counted(drawn: Callable[[Picture], Page]) -> None:
    page = drawn(RUNS)
    assert typed(page, "figure", "2025-01-02", "2025-01-15").endswith("runs of the bars shown: 5 completed")
    assert typed(page, "figure", "2025-01-05", "2025-02-10").endswith("4 completed, 1 failed, 1 running")
    assert typed(page, "figure", "2025-01-25", "2025-01-27") == "From 2025-01-25 to 2025-01-27: no run"


@pytest.mark.parametrize(("picture", "phase"), [(RUNS, "Unplanned"), (HOURS, "Phase 1 & 2")], ids=("timeline", "bars"))
def test_a_click_on_a_phase_leads_to_its_runs(drawn: Callable[[Picture], Page], picture: Picture, phase: str) -> None:
    """The first bar of a timeline is its longest run."""
    page = drawn(picture)
    box = page.ask("document.querySelector('.chart-live .mark-rect path').getBoundingClientRect().toJSON()")
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse(page, "mousePressed", *place)
    mouse(page, "mouseReleased", *place, 0)
    page.wait("location.pathname.endsWith('runs.html')")
    assert page.ask("new URLSearchParams(location.hash.slice(1)).get('phase')") == phase


def test_a_drag_over_a_bar_is_no_click(drawn: Callable[[Picture], Page]) -> None:
    page = drawn(RUNS)
    box = page.ask("document.querySelector('.chart-live .mark-rect path').getBoundingClientRect().toJSON()")
    plane = page.ask(of("figure", PLANE))
    mouse(page, "mousePressed", plane["x"] + plane["width"] - 3, box["y"] + 3)
    for x in (plane["x"] + 200, box["x"] + 3):
        mouse(page, "mouseMoved", x, box["y"] + 3)
    mouse(page, "mouseReleased", box["x"] + 3, box["y"] + 3, 0)
    page.wait(f"{of('figure', TOLD)}.startsWith('From ')")
    assert page.ask("location.pathname") == "/picture-0.html"


def test_phases_without_runs_and_pages_without_all_runs_lead_nowhere(drawn: Callable[..., Page]) -> None:
    links = "[...document.querySelectorAll('.chart-rows a')].map(link => link.textContent)"
    assert drawn(HOURS).ask(links) == ["Phase 1 & 2"]
    assert drawn(RUNS).ask(links) == ["Phase 1 & 2", "Unplanned"]
    assert drawn(RUNS, link=False).ask(links) == []


def test_the_page_of_all_runs_shows_the_phase(status: Page) -> None:
    figure = "figure[data-spec^=planned-and-actual]"
    use(status, figure)
    status.ask(f"[...document.querySelectorAll('{figure} .chart-rows a')][1].click()")
    status.wait("location.pathname.endsWith('/runs/') && document.querySelector('.filters') !== null")
    shown = "[...document.querySelectorAll('.all-runs tr.group:not([hidden])')].filter(row => row.offsetParent)"
    assert status.ask(f"{shown}.map(row => row.querySelector('button').textContent)") == ["Phase 2: training"]


def test_a_keyboard_alone_uses_a_picture(status: Page) -> None:
    status.go(status.ask("new URL('../attempts/', location).href"))
    figure = "figure[data-spec^=timeline]"
    button = f"document.querySelector('{figure} .chart-begin')"
    status.ask(f"{button}.previousElementSibling; document.querySelector('#runs .headerlink').focus()")
    status.press("Tab")
    assert status.ask(f"document.activeElement === {button}")
    assert status.ask(f"{button}.getBoundingClientRect().width > 50"), "it is seen while it has the focus"
    assert not any("vega" in url for url in status.requests), "to tab through a page is no use of its pictures"
    status.press("Enter")
    status.wait(f"document.activeElement === {of(figure, FIELDS)}[0]")
    typed(status, figure, "2025-04-01", "2025-04-30")
    assert status.ask(of(figure, TOLD)).startswith("From 2025-04-01 to 2025-04-30: runs of the bars shown: ")
    status.press("Escape")
    assert status.ask(of(figure, TOLD)) == ""
    names = "document.querySelector('{figure}').querySelectorAll('.chart-tools :is(input, button:enabled, a)')"
    found = status.ask(of(figure, f"[...{names}].map(each => each.textContent || each.parentElement.textContent)"))
    assert found[:2] == ["From", "to"]
    assert found[-1] == "Save as SVG"
    assert "Phase 2: training" in found


# Keeps what would be saved, in place of a download.
SAVED = """URL.createObjectURL = blob => { window.saved = blob; return "#"; };
HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; 0"""


def test_a_picture_is_saved_as_a_file_that_stands_alone(chromium: Browser, address: str) -> None:
    page = chromium.open(address + "birdsong/status/", "dark")
    use(page, BURN_UP)
    typed(page, BURN_UP, "2025-04-01", "2025-04-30")
    page.ask(SAVED)
    page.ask(f"document.querySelector('{BURN_UP} .chart-save').click()")
    page.wait("window.savedAs !== undefined")
    assert page.ask("window.savedAs") == "burn-up-2025-04-01-2025-04-30.svg"
    text = page.ask("window.saved.text()")
    assert page.complaints == []
    page.close()
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == "The forecast ends 49 GPU-h below the final budget on 2025-07-09"
    told = root.findtext(f"{space}desc") or ""
    assert "1,094 GPU-h are charged" in told
    assert told.endswith(" Shown from 2025-04-01 to 2025-04-30.")
    words = {each.text for each in root.iter(f"{space}text")}
    assert {"21 Apr", "Ceiling", "1,420 GPU-h"} <= words
    assert all("sans-serif" in each.get("font-family", "") for each in root.iter(f"{space}text"))
    assert "#58606e" in text, "the inks of a light page"
    assert "#a7afbc" not in text
    assert 'fill="#ffffff"' in text, "and its ground"
    assert not [name for each in root.iter() for name in each.attrib if name.endswith("href")]
    assert "url(http" not in text


def test_captions_lead_to_the_tables(status: Page) -> None:
    captions = status.ask(
        "[...document.querySelectorAll('figure.chart')].map(each => each.querySelector("
        "'figcaption')?.textContent.trim())"
    )
    assert len(captions) == 3
    assert all("figures" in caption.lower() or "table" in caption for caption in captions)
    status.ask("document.querySelector('figcaption a[href$=hours-by-month]').click()")
    status.wait("location.pathname.endsWith('/attempts/') && document.querySelector('#hours-by-month') !== null")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_is_serious_once_pictures_are_used(
    chromium: Browser,
    address: str,
    axe: str,  # noqa: F811
    scheme: str,
) -> None:
    page = chromium.open(address + "birdsong/status/", scheme)
    for name in ("planned-and-actual", "burn-up"):
        use(page, f"figure[data-spec^={name}]")
    typed(page, BURN_UP, "2025-04-01", "2025-04-30")
    assert barriers(page, axe) == []
    page.close()
