"""What a browser prints: A4, whole tables with their headings, header and footer, nothing that scrolls or pops up."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from unicodedata import normalize

import pytest
from pypdf import PageObject, PdfReader

from browser import Browser, Page
from kinds import KINDS
from test_small_screens import homes  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full

A4 = (595, 842)  # points
FOOT = 60  # points from below: nothing but the footer stands there
WIDTH = 673  # CSS pixels between the margins
SCROLLS = """[...document.querySelectorAll("article, article *")].filter(each => each.getClientRects().length
  && ["auto", "scroll"].some(kind => getComputedStyle(each).overflow.split(" ").includes(kind))
  && !each.matches("select, textarea")).map(each => each.outerHTML.slice(0, 80))"""
TOO_WIDE = f"""[...document.querySelectorAll("article table")]
  .filter(each => each.getBoundingClientRect().right > {WIDTH + 1}).map(each => each.innerText.slice(0, 80))"""
BROKEN = """[...document.querySelectorAll("article :is(.day, table .whole)")]
  .filter(each => new Set([...each.getClientRects()].map(line => line.top)).size > 1).map(each => each.outerHTML)"""
SHOWN = "getComputedStyle(document.querySelector({!r})).display"


def printed(page: Page) -> list[PageObject]:
    """The pages that Chromium makes of what a tab shows, as a reader of PDF sees them."""
    order = {"preferCSSPageSize": True, "printBackground": False}
    made = page.browser.call("Page.printToPDF", order, page.session)["data"]
    return [*PdfReader(io.BytesIO(base64.b64decode(made))).pages]


def on_paper(page: Page) -> None:
    """Shows a tab as paper does, as wide as the text of a page."""
    size = {"width": WIDTH, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", size, page.session)
    page.browser.call("Emulation.setEmulatedMedia", {"media": "print"}, page.session)
    page.wait("matchMedia('print').matches")


def lowest(page: PageObject) -> float:
    """How far from below, in points, the lowest text of a page stands, those of pictures too, but for its footer."""
    found: list[float] = []

    def text(said: str, place: list[float], at: list[float], *_: object) -> None:
        height = at[4] * place[1] + at[5] * place[3] + place[5]
        if said.strip() and height > FOOT:
            found.append(height)

    page.extract_text(visitor_text=text)
    return min(found)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_each_kind_fits_a4_and_leaves_no_first_page_half_empty(
    chromium: Browser,
    homes: dict[str, str],  # noqa: F811
    kind: str,
) -> None:
    page = chromium.open(homes[kind])
    page.wait("document.readyState === 'complete'")
    title = page.ask("document.querySelector('article h1').firstChild.textContent.trim()")
    pages = printed(page)
    assert {tuple(round(float(end)) for end in each.mediabox[2:]) for each in pages} == {A4}
    for number, each in enumerate(pages, 1):
        text = " ".join(normalize("NFKC", each.extract_text()).split())  # some fonts have `fi` as one letter
        assert f"{number} of {len(pages)}" in text
        assert title[:30] in text, "each page says what it is of"
        assert "127.0.0.1" in text, "and where it was read"
    assert len(pages) == 1 or lowest(pages[0]) < A4[1] / 2
    on_paper(page)
    assert page.ask(SCROLLS) == []
    assert page.ask(TOO_WIDE) == []
    assert page.ask(BROKEN) == []
    page.close()


@pytest.mark.parametrize(
    ("kind", "day"), [("status", "2025-06-10"), ("plan and use", "2025-06-10"), ("budget", "2025-08-13")]
)
def test_each_page_says_of_which_day_its_data_are(
    chromium: Browser,
    homes: dict[str, str],  # noqa: F811
    kind: str,
    day: str,
) -> None:
    page = chromium.open(homes[kind])
    page.wait("document.readyState === 'complete'")
    assert all(f"as of {day}" in each.extract_text() for each in printed(page))
    page.close()


def test_the_heading_of_a_long_table_is_on_each_of_its_pages(chromium: Browser, homes: dict[str, str]) -> None:  # noqa: F811
    page = chromium.open(homes["all runs, with notes"])
    page.wait("document.querySelector('th button') !== null")
    pages = printed(page)
    assert len(pages) > 1
    assert [each.extract_text().count("Ledger line") for each in pages] == [1] * len(pages)
    page.close()


def test_what_is_for_a_screen_alone_is_left_out(visit: Callable[..., Page]) -> None:
    page = visit("pixelis/", "dark")
    page.ask("document.querySelector('article a[href$=\"#pixelis.budget.final\"]').click()")
    page.wait("document.getElementById('figure-derivation')?.matches(':popover-open')")
    on_paper(page)
    for selector in ("#figure-derivation", ".takes", ".headerlink"):
        assert page.ask(SHOWN.format(selector)) == "none"
    ink = page.ask("getComputedStyle(document.querySelector('article p')).color")
    assert page.ask("getComputedStyle(document.querySelector('article .admonition p')).fontSize") == page.ask(
        "getComputedStyle(document.querySelector('article > p')).fontSize"
    ), "a callout is as large as the text"
    on_light = visit("pixelis/")
    on_paper(on_light)
    assert ink == on_light.ask("getComputedStyle(document.querySelector('article p')).color"), "dark ink on any screen"


def test_a_day_and_a_ledger_line_stand_in_one_line(chromium: Browser, homes: dict[str, str]) -> None:  # noqa: F811
    page = chromium.open(homes["runs"])
    text = "\n".join(each.extract_text() for each in printed(page))
    assert "2025-05-27" in text
    assert "runs/2025-05.yaml:21" in text
    page.close()


def test_callouts_have_no_icon_whose_edge_would_be_a_bar(chromium: Browser, homes: dict[str, str]) -> None:  # noqa: F811
    page = chromium.open(homes["status"])
    on_paper(page)
    titles = "[...document.querySelectorAll('article :is(.admonition-title, summary)')]"
    shown = page.ask(f"{titles}.map(each => getComputedStyle(each, '::before').display)")
    assert {*shown} == {"none"}
    page.close()


def test_what_is_folded_is_printed(visit: Callable[..., Page]) -> None:
    page = visit("pixelis/derivations/")
    assert not page.ask("document.getElementById('pixelis.plan.sft.total').closest('details').open")
    whole = " ".join(" ".join(each.extract_text().split()) for each in printed(page))
    assert "pixelis.plan.sft.total" in whole


def test_a_title_is_a_text_of_the_header_and_nothing_else(visit: Callable[..., Page]) -> None:
    """Whatever stands in a heading: what it says is printed, and it ends no text and begins no rule."""
    page = visit("pixelis/")
    hostile = 'A "; } } body { display: none } /* \\ </style><b>'
    page.ask(f"document.querySelector('article h1').firstChild.textContent = {hostile!r}")
    text = " ".join(printed(page)[1].extract_text().split())
    assert hostile.strip() in text
    assert page.ask("document.querySelector('#printed-head').sheet.cssRules.length") == 1
