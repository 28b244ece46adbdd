"""Pictures and folds on a telephone: names and keys are whole, and nothing has a ground that its neighbours lack."""

from __future__ import annotations

import pytest

from browser import Page
from test_small_screens import homes, phone, shown  # noqa: F401  (fixtures)

pytestmark = pytest.mark.full

LIVE = "(figure => figure && figure.querySelector('.chart-live svg'))(document.querySelector('figure[data-spec]'))"
# How far the words of a picture reach beyond its right edge, in pixels.
BEYOND = """(svg => Math.max(...[...svg.querySelectorAll("text")].map(word => word.getBoundingClientRect().right))
  - svg.getBoundingClientRect().right)"""


@pytest.mark.parametrize("kind", ["budget", "plan and use", "status"])
def test_names_and_keys_of_a_picture_are_whole(phone: Page, homes: dict[str, str], kind: str) -> None:  # noqa: F811
    page = shown(phone, homes[kind])
    page.ask("document.querySelector('figure[data-spec]').scrollIntoView()")
    page.wait(f"{LIVE} !== null")
    words = page.ask(f"[...{LIVE}.querySelectorAll('text')].map(word => word.textContent)")
    assert len(words) > 10
    assert not [word for word in words if "…" in word]
    assert page.ask(f"{BEYOND}({LIVE})") <= 0


def test_a_picture_that_came_alive_is_printed_once(phone: Page, homes: dict[str, str]) -> None:  # noqa: F811
    page = shown(phone, homes["budget"])
    page.wait(f"{LIVE} !== null")
    drawn = "[...document.querySelectorAll('figure :is(img, svg)')].filter(each => each.getClientRects().length).length"
    figures = page.ask("document.querySelectorAll('figure').length")
    page.browser.call("Emulation.setEmulatedMedia", {"media": "print"}, page.session)
    page.wait("matchMedia('print').matches")
    printed = page.ask(drawn)
    page.browser.call("Emulation.setEmulatedMedia", {"media": ""}, page.session)
    assert printed == figures


def test_a_first_column_in_a_fold_has_the_ground_of_its_row(phone: Page, homes: dict[str, str]) -> None:  # noqa: F811
    page = shown(phone, homes["derivations"])
    row = "document.querySelector('article details tbody tr:nth-child({}) > td:first-child')"
    assert page.ask(f"getComputedStyle({row.format(1)}).backgroundImage") == "none"
    assert "gradient" in page.ask(f"getComputedStyle({row.format(2)}).backgroundImage")


def test_units_of_what_if_do_not_break_inside_a_word(phone: Page, homes: dict[str, str]) -> None:  # noqa: F811
    page = shown(phone, homes["what if"])
    page.wait("document.querySelector('.what-if-unit') !== null")
    page.ask("document.querySelectorAll('article details').forEach(folded => folded.open = true)")
    broken = """[...document.querySelectorAll(".what-if-unit")].flatMap(unit => {
      const range = document.createRange(), walk = document.createTreeWalker(unit, NodeFilter.SHOW_TEXT), found = [];
      while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/[\\w-]+/g)) {
        range.setStart(walk.currentNode, word.index);
        range.setEnd(walk.currentNode, word.index + word[0].length);
        if (range.getClientRects().length > 1) found.push(unit.textContent);
      }
      return found;
    })"""
    assert page.ask("document.querySelectorAll('.what-if-unit').length") > 10
    assert page.ask(broken) == []
