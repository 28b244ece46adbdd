"""What a reader of the published site finds: pages in light and dark, a search that answers, no stranger asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from browser import Page

pytestmark = pytest.mark.full

Visit = Callable[..., Page]
PAGES = ("", "pixelis/", "pixelis/derivations/", "pixelis/findings/", "pixelis/history/")
# Perceived brightness of the page's background, 0 to 255.
BRIGHTNESS = """(() => {
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b;
})()"""
LOADING = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


class Loads(HTMLParser):
    """Collects the addresses from which a page loads something of its own accord."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = LOADING.get(tag)
        self.found += [value for name, value in attrs if name == wanted and value]


def test_every_page_loads_only_from_the_site(site: Path) -> None:
    for page in sorted(site.rglob("*.html")):
        loads = Loads()
        loads.feed(page.read_text("utf-8"))
        outside = [url for url in loads.found if re.match(r"(https?:)?//", url)]
        assert outside == [], page.relative_to(site)


def test_no_stylesheet_loads_from_elsewhere(site: Path) -> None:
    for sheet in sorted(site.rglob("*.css")):
        assert re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//[^'\")]*", sheet.read_text("utf-8")) == []


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_follows_the_readers_colours(visit: Visit, path: str, scheme: str) -> None:
    page = visit(path, scheme)
    assert page.ask("document.querySelectorAll('article h1').length") == 1
    assert page.ask("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
    assert (page.ask(BRIGHTNESS) < 128) == (scheme == "dark")
    broken = "[...document.images].filter(image => !image.complete || !image.naturalWidth).map(image => image.src)"
    page.wait("[...document.images].every(image => image.complete)")
    assert page.ask(broken) == []
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"


def test_the_reader_can_switch_colours(visit: Visit) -> None:
    page = visit("", "light")
    seen = set()
    for _ in range(3):
        page.ask("document.querySelector('[data-md-component=palette] label:not([hidden])').click()")
        page.browser.listen(0.1)
        seen.add(page.ask("document.body.dataset.mdColorScheme"))
    assert seen == {"default", "slate"}


def test_search_answers(visit: Visit) -> None:
    page = visit("pixelis/")
    page.ask("document.querySelector('[data-md-component=search-query]').focus()")
    page.wait("document.querySelector('#__search').checked")
    page.type("pixelis")
    page.wait("document.querySelector('.md-search-result__item a') !== null")
    found = page.ask("[...document.querySelectorAll('.md-search-result__item a')].map(link => link.href)")
    assert any("/pixelis/" in url for url in found)


def test_search_owns_up_to_an_unknown_word(visit: Visit) -> None:
    page = visit("")
    page.ask("document.querySelector('[data-md-component=search-query]').focus()")
    page.type("zzyzzxq")
    page.wait("document.querySelector('.md-search-result__meta').textContent.includes('No matching')")
    assert page.ask("document.querySelectorAll('.md-search-result__item').length") == 0


def test_a_chart_comes_alive_under_the_pointer(visit: Visit) -> None:
    page = visit("pixelis/")
    page.ask("document.querySelector('figure.chart img').dispatchEvent(new Event('pointerenter'))")
    page.wait("document.querySelector('figure.chart .chart-live svg') !== null")
    assert page.ask("document.querySelector('figure.chart .chart-live').ariaLabel.length") > 0


def test_figures_stand_right_in_their_columns(visit: Visit) -> None:
    page = visit("pixelis/")
    style = "getComputedStyle(document.querySelector('article td[style*=right]'))"
    assert page.ask(f"{style}.textAlign") == "right"
    assert "tabular-nums" in page.ask(f"{style}.fontVariantNumeric")


ANSWER = """[...document.querySelectorAll('article table')].filter(table => /^(Limit|Who pays)/.test(table.innerText))
  .map(table => table.rows[1].cells[1].getBoundingClientRect().right)"""
HINT = """[...document.querySelectorAll('.md-typeset__scrollwrap')]
  .filter(wrap => wrap.scrollWidth > wrap.clientWidth + 1)
  .map(wrap => getComputedStyle(wrap).backgroundAttachment)"""


def test_a_narrow_screen_shows_the_answer_and_that_there_is_more(visit: Visit) -> None:
    """On a telephone of 390 pixels the chances of the limits stand on the screen, and what scrolls has shadows."""
    page = visit("bloom-176b/status/")
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", size, page.session)
    page.wait("innerWidth === 390")
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"
    answers = page.ask(ANSWER)
    assert len(answers) == 1
    assert max(answers) <= 390
    hints = page.ask(HINT)
    assert hints
    assert set(hints) == {"local, local, scroll, scroll"}
