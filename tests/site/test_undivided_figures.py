"""A figure and its unit stand in one line on every kind of page and in what opens there; copied, it is as written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser import Browser, Page
from kinds import KINDS
from pictures import resize
from test_small_screens import homes, shown  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full

# Figures below an element whose number, space, hyphen and unit do not stand in one line. Code may break; and beside
# addresses columns of figures are so narrow on a telephone that a number may stand above GPU-h.
SPLIT = r"""(above => {
  const found = [], range = document.createRange(), walk = document.createTreeWalker(above, NodeFilter.SHOW_TEXT);
  const figures = new RegExp([/(?:\d[\d,.]*\s)?(?:\$\/)?GPU-h(?:ours)?\b/, /\d{4}-\d\d-\d\d/,
    /\d[\d,.]*\s(?:h|min|s|d|GiB|GB|kWh|GPUs)(?![\w-])/].map(each => each.source).join("|"), "g");
  while (walk.nextNode()) {
    const text = walk.currentNode;
    if (text.parentElement.closest("pre, code, script, style, svg, h1")) continue;
    const column = text.parentElement.closest("td[style*=right]")?.closest("table");
    const narrow = innerWidth < 768 && column?.querySelector("td:first-child code");
    for (const figure of text.data.matchAll(narrow ? /GPU-h/g : figures)) {
      range.setStart(text, figure.index);
      range.setEnd(text, figure.index + figure[0].length);
      if (new Set([...range.getClientRects()].filter(box => box.width).map(box => Math.round(box.top))).size > 1)
        found.push(text.data.slice(figure.index - 20, figure.index + figure[0].length));
    }
  }
  return found;
})"""
WIDTHS = (390, 768, 1440)


@pytest.fixture(scope="module")
def tab(chromium: Browser) -> Iterator[Page]:
    """A tab for all kinds of pages, one after the other."""
    page = chromium.open("about:blank")
    yield page
    page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_no_figure_is_split_from_its_unit(tab: Page, homes: dict[str, str], kind: str) -> None:  # noqa: F811
    shown(tab, homes[kind])
    for width in WIDTHS:
        resize(tab, width)
        assert tab.ask(f"{SPLIT}(document.querySelector('article'))") == [], width
        tab.wait("document.documentElement.scrollWidth <= innerWidth")  # never wider, once it is laid out


def test_a_figure_that_is_split_would_be_seen(tab: Page, homes: dict[str, str]) -> None:  # noqa: F811
    tab.go(homes["status"])
    resize(tab, 390)
    tab.ask("document.querySelector('article h1').insertAdjacentHTML('afterend', `<p>${'5 GPU-h '.repeat(99)}</p>`)")
    assert tab.ask(f"{SPLIT}(document.querySelector('article p'))")


def test_in_a_derivation_too(tab: Page, homes: dict[str, str]) -> None:  # noqa: F811
    resize(tab, 390)
    tab.go(homes["budget"])
    tab.ask("document.querySelector('article a[href$=\"budget.final\"]').click()")
    tab.wait("document.querySelector('#figure-derivation:popover-open') !== null")
    derivation = "document.querySelector('#figure-derivation')"
    assert tab.ask(f"{derivation}.textContent.includes('GPU-h')")
    assert tab.ask(f"{SPLIT}({derivation})") == []
    assert tab.ask(f"{derivation}.scrollWidth <= {derivation}.clientWidth"), "nothing is cut"


def test_what_is_copied_is_what_is_written(tab: Page, homes: dict[str, str]) -> None:  # noqa: F811
    tab.go(homes["status"])
    tab.ask("getSelection().selectAllChildren(document.querySelector('article'))")
    text = tab.ask("getSelection().toString()")
    assert "1,331 GPU-h" in text
    assert not {sign for sign in "\u2011\u2060\u00ad" if sign in text}
