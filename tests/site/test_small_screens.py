"""Tables on a telephone and on a desk: what matters most is on the screen, and nothing is a tower of words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser, Page
from kinds import OF_THE_EXAMPLE, OF_THIS_TREE
from pictures import resize
from serving import served

# A kind of page, the heading of a table's first column, and the column that a reader looks for first.
OF_THE_EXAMPLE_MATTERS = [
    ("team", "Project", "Budget spent"),
    ("team", "Allocation", "Share used"),
    ("plan and use", "GPU-hours", "Planned"),
    ("plan and use", "Allocation", "Left"),
    ("status", "GPU-hours", "Remaining"),
    ("status", "Phase", "Earliest end"),
    ("status", "Limit", "Chance to exceed"),
    ("status", "Allocation", "Left"),
    ("status", "Work", "Actual"),
    ("status", "Policy", "Verdict"),
    ("status", "GPU", "Cost"),
    ("all runs", "When", "GPU-hours"),
    ("changes", "Figure", "Is"),
    ("changes", "Step", "By"),
]
OF_THIS_TREE_MATTERS = [
    ("first", "Project", "Budget spent"),
    ("status, all done", "GPU-hours", "Remaining"),
    ("status, all done", "Limit", "Chance to exceed"),
    ("lines", "Projection", "Wall-clock time"),
    ("lines", "For", "Verdict"),
    ("choice", "At a glance", "Cost, $"),
    ("choice", "Setup", "Time, h"),
    ("choice", "Setup", "Cost, $"),
    ("proposals", "Step", "By"),
]
# For each table with that first heading and the column: where the column ends, in pixels from the left of the screen.
ENDS = """((first, wanted) => [...document.querySelectorAll("article table")]
  .map(table => [...table.rows[0].cells].map(cell => [cell.innerText.trim().replace("\\n", " "), cell]))
  .filter(cells => cells[0][0] === first && cells.some(([name]) => name === wanted))
  .map(cells => Math.round(cells.find(([name]) => name === wanted)[1].getBoundingClientRect().right)))"""
TALL = """[...document.querySelectorAll("article table:not([class]) tr")]
  .filter(row => row.getBoundingClientRect().height > 160).map(row => row.innerText.slice(0, 60))"""
# Words of addresses that stand in two lines: a part of an address between its marks has one box.
BROKEN = """[...document.querySelectorAll("article td code")].flatMap(code => {
  const range = document.createRange(), walk = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), found = [];
  while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
    range.setStart(walk.currentNode, word.index);
    range.setEnd(walk.currentNode, word.index + word[0].length);
    if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(code.innerText);
  }
  return found;
})"""
OPENED = "document.querySelectorAll('article details').forEach(folded => folded.open = true)"


@pytest.fixture(scope="module")
def homes(site: Path, example: Path) -> Iterator[dict[str, str]]:
    """The address of each kind of page, of both sites."""
    with served(site) as ours, served(example) as theirs:
        pages = {kind: ours + path for kind, path in OF_THIS_TREE.items()}
        yield pages | {kind: theirs + path for kind, path in OF_THE_EXAMPLE.items()}


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    """A tab of 390 pixels."""
    page = chromium.open("about:blank")
    resize(page, 390)
    yield page
    page.close()


def shown(page: Page, address: str) -> Page:
    """A page that is opened, with everything unfolded, once its tables are laid out."""
    page.go(address)
    page.ask(OPENED)
    bare = "document.querySelector('article table:not([class])')"
    page.wait(f"!{bare} || {bare}.closest('.md-typeset__table') !== null")
    return page


@pytest.mark.parametrize("kind", sorted({kind for kind, _, _ in OF_THE_EXAMPLE_MATTERS + OF_THIS_TREE_MATTERS}))
def test_on_a_phone_what_matters_most_is_on_the_screen(phone: Page, homes: dict[str, str], kind: str) -> None:
    page = shown(phone, homes[kind])
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    for each, first, wanted in OF_THE_EXAMPLE_MATTERS + OF_THIS_TREE_MATTERS:
        if each == kind:
            ends = page.ask(f"{ENDS}({first!r}, {wanted!r})")
            assert ends, f"no table of {first} has {wanted}"
            assert max(ends) <= 390, (first, wanted)


def test_on_a_phone_the_first_column_stays_and_the_keyboard_scrolls(phone: Page, homes: dict[str, str]) -> None:
    page = shown(phone, homes["status"])
    page.wait("document.querySelector('.md-typeset__scrollwrap[tabindex]') !== null")
    wraps = "[...document.querySelectorAll('.md-typeset__scrollwrap')]"
    wrong = "(each.scrollWidth > each.clientWidth + 1) !== (each.tabIndex === 0)"
    assert not page.ask(f"{wraps}.some(each => {wrong})"), "what scrolls takes focus, and nothing else"
    page.ask("window.wide = document.querySelector('.md-typeset__scrollwrap[tabindex]'); wide.focus()")
    assert page.ask("wide.ariaLabel") == "Table: Planned and actual"
    place = "[...wide.querySelectorAll('tr > :is(th, td):first-child')].map(cell => cell.getBoundingClientRect().left)"
    assert set(page.ask(place)) == {16}
    page.ask("wide.scrollLeft = 200")
    page.wait("wide.classList.contains('is-scrolled')")
    assert page.ask("wide.scrollLeft") == 200
    assert set(page.ask(place)) == {0}, "at the edge of what scrolls"


@pytest.mark.parametrize("kind", [*OF_THIS_TREE, *OF_THE_EXAMPLE])
def test_on_a_desk_no_row_is_a_tower(chromium: Browser, homes: dict[str, str], kind: str) -> None:
    page = chromium.open("about:blank")
    resize(page, 1440)
    shown(page, homes[kind])
    assert page.ask(TALL) == []
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    page.close()


def test_long_notes_do_not_push_runs_beyond_a_small_desk(chromium: Browser, homes: dict[str, str]) -> None:
    page = chromium.open("about:blank")
    resize(page, 1280)
    shown(page, homes["all runs"])
    ends = "[...document.querySelectorAll('article table tr:first-child > *')].at(-1).getBoundingClientRect().right"
    assert page.ask(ends) <= 1280
    page.close()


@pytest.mark.parametrize("kind", ["choice", "proposals"])
def test_on_a_phone_commands_are_read_whole(phone: Page, homes: dict[str, str], kind: str) -> None:
    page = shown(phone, homes[kind])
    cut = "[...document.querySelectorAll('article pre > code')].filter(each => each.scrollWidth > each.clientWidth + 1)"
    assert page.ask(f"{cut}.length") == 0


@pytest.mark.parametrize("kind", ["changes", "lines", "findings", "derivations", "status", "plan and use"])
def test_addresses_never_break_inside_a_word(phone: Page, homes: dict[str, str], kind: str) -> None:
    assert shown(phone, homes[kind]).ask(BROKEN) == []
