"""Tables on a telephone and on a desk: what matters most is on the screen, and nothing is a tower of words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser, Page
from kinds import KINDS
from pictures import resize
from serving import served

pytestmark = pytest.mark.full

# Of each kind of page: the heading of a table's first column, and the columns that a reader looks for first.
MATTERS: dict[str, dict[str, tuple[str, ...]]] = {
    "first": {
        "Project": ("Verdict", "Left, GPU-h", "Risk of overrun", "Done by", "Findings"),
        "Document": ("Answer", "Errors, warnings"),
    },
    "budget": {"Work, GPU-h": ("Version 1.0.0", "By its settings")},
    "budget by phase": {"Work, GPU-h": ("Planned", "Spent", "Left")},
    "status, all done": {
        "GPU-hours": ("Spent", "Left"),
        "Limit": ("Risk", "Left"),
        "Payer": ("Charged", "Share used"),
    },
    "all runs": {"When": ("Item", "GPU-hours", "Status")},
    "all runs, with notes": {"When": ("Item", "GPU-hours", "Status")},
    "lines": {
        "Hardware": ("GPUs",),
        "Work": ("Need",),
        "For": ("Verdict",),
        "Projection": ("Wall-clock time",),
        "": ("Figure",),
    },
    "proposals": {"Change": ("GPU-h",)},
    "findings": {"Finding": ("Arithmetic",)},
    "derivations": {"Stated": ("Value",)},
    "setups": {
        "Setup": ("One model uses", "All models use", "One GPU, $/h", "Time, h", "Cost, $"),
        "Ranking": ("Setup", "Time, h"),
        "GPU": ("Tokens/s",),
    },
    "choice": {"If an hour saved is worth": ("Rent", "Time, h", "Cost, $"), "Setup": ("Time, h", "Cost, $")},
    "stated figures": {
        "Figure": ("Stated", "Calculated"),
    },
    "measurements": {"Run": ("Total",), "Provider": ("Cost",)},
    "details of measurements": {"": ("Average", "Mean", "Laptop CPU (measured)"), "Lever": ("Settings", "Said effect")},
    "details of configurations": {"Setting": ("Standard, one hour",), "Lever": ("Settings", "Said effect")},
    "catalogue": {
        "GPU": ("VRAM, GiB",),
        "Dense peak, TFLOP/s": ("bf16",),
        "Model": ("Parameters", "KV heads"),
        "Provider": ("Address",),
        "Grid": ("g CO₂e/kWh",),
        "Data centre": ("PUE",),
        "Allocation": ("Share used", "Left"),
        "Stated": ("Value",),
    },
    "plan and use": {
        "Work, GPU-h": ("Each", "Planned"),
    },
    "status": {
        "GPU-hours (NVIDIA A100 80GB)": ("Spent", "Left", "Drawn"),
        "Phase": ("Done by, at the present pace",),
        "Limit": ("Risk", "Left"),
        "Payer": ("Charged", "Share used"),
        "Work": ("Drawn",),
        "": ("Saves", "Risk to the budget"),
    },
    "runs": {"Cause": ("GPU-hours",), "When": ("Item", "GPU-hours"), "Month": ("Charged",)},
    "costs": {"GPU": ("Cost",)},
    "history": {"Change": ("GPU-h",)},
    "release": {"Item": ("Planned in all", "Planned"), "Allocation": ("Left",), "Version": ("Status", "Date")},
    "derivations of a release": {"Stated": ("Value",)},
}
# Of each table the headings, each with where its column ends, in pixels from the left of the screen.
ENDS = """[...document.querySelectorAll("article table:not([class])")]
  .map(table => [...table.rows[0].cells]
    .map(cell => [cell.innerText.trim().replace(/\\s+/g, " "), Math.round(cell.getBoundingClientRect().right)]))"""
TALL = """[...document.querySelectorAll("article table:not([class]) tr")]
  .filter(row => row.getBoundingClientRect().height > 160).map(row => row.innerText.slice(0, 60))"""
# Text of cells that cannot be read where it stands: beside its cell, or where one would have to scroll for it.
UNREAD = """[...document.querySelectorAll("article table:not([class])")].flatMap(table => {
  const seen = (table.closest(".md-typeset__scrollwrap") ?? table).getBoundingClientRect();
  return [...table.rows].flatMap(row => [...row.cells]).filter(cell => {
    const range = document.createRange(), box = cell.getBoundingClientRect();
    range.selectNodeContents(cell);
    const words = range.getBoundingClientRect();
    return words.width && (words.right > Math.min(box.right, seen.right) + 1 || words.left < box.left - 1
      || words.bottom > box.bottom + 1 || words.right > innerWidth);
  }).map(cell => cell.innerText.slice(0, 60));
})"""
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
def homes(site: Path) -> Iterator[dict[str, str]]:
    """The address of each kind of page."""
    with served(site) as home:
        yield {kind: home + path for kind, path in KINDS.items()}


@pytest.fixture
def phone(chromium: Browser) -> Iterator[Page]:
    """A tab of 390 pixels."""
    page = chromium.open("about:blank")
    chromium.call("Emulation.setScrollbarsHidden", {"hidden": True}, page.session)  # a phone has them above its page
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


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_phone_what_matters_most_is_on_the_screen(phone: Page, homes: dict[str, str], kind: str) -> None:
    page = shown(phone, homes[kind])
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    met = set()
    for (first, _), *others in page.ask(ENDS):
        named = [(name, end) for name, end in others if name in MATTERS.get(kind, {}).get(first, ())]
        met |= {(first, name) for name, _ in named}
        assert all(end <= 390 for _, end in (named or others)), (first, others)
    assert met >= {(first, name) for first, names in MATTERS.get(kind, {}).items() for name in names}, "tables are gone"


@pytest.mark.parametrize("kind", ["first", "choice", "status", "plan and use", "budget"])
def test_on_a_tablet_the_first_tables_are_seen_whole(phone: Page, homes: dict[str, str], kind: str) -> None:
    resize(phone, 768)
    page = shown(phone, homes[kind])
    assert page.ask(ENDS)[0][-1][1] <= 768


def test_on_a_phone_a_number_of_seeds_stays_with_its_word(phone: Page, homes: dict[str, str]) -> None:
    page = shown(phone, homes["budget"])
    seeds = "[...document.querySelectorAll('article td .unit')].filter(each => each.innerText.endsWith(' seeds'))"
    assert page.ask(f"{seeds}.length") > 3
    assert page.ask(f"{seeds}.every(each => each.getClientRects().length === 1)")


def test_on_a_phone_the_first_column_stays_and_the_keyboard_scrolls(phone: Page, homes: dict[str, str]) -> None:
    page = shown(phone, homes["status"])
    page.wait("document.querySelector('.md-typeset__scrollwrap[tabindex]') !== null")
    wraps = "[...document.querySelectorAll('.md-typeset__scrollwrap')]"
    wrong = "(each.scrollWidth > each.clientWidth + 1) !== (each.tabIndex === 0)"
    assert not page.ask(f"{wraps}.some(each => {wrong})"), "what scrolls takes focus, and nothing else"
    page.ask("window.wide = document.querySelector('.md-typeset__scrollwrap[tabindex]'); wide.focus()")
    assert page.ask("wide.ariaLabel") == "Table: Phases"
    cells = "[...wide.querySelectorAll('tr > :is(th, td):first-child')].filter(cell => cell.offsetParent)"
    place = f"{cells}.map(cell => cell.getBoundingClientRect().left)"
    assert set(page.ask(place)) == {16}
    page.ask("wide.scrollLeft = 100")
    page.wait("wide.classList.contains('is-scrolled')")
    assert page.ask("wide.scrollLeft") == 100
    assert set(page.ask(place)) == {0}, "at the edge of what scrolls"


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_desk_no_row_is_a_tower_and_all_of_it_is_read(chromium: Browser, homes: dict[str, str], kind: str) -> None:
    page = chromium.open("about:blank")
    resize(page, 1440)
    shown(page, homes[kind])
    assert page.ask(TALL) == []
    assert page.ask(UNREAD) == []
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the screen"
    page.close()


def test_long_notes_do_not_push_runs_beyond_a_small_desk(chromium: Browser, homes: dict[str, str]) -> None:
    page = chromium.open("about:blank")
    resize(page, 1280)
    shown(page, homes["all runs, with notes"])
    ends = "[...document.querySelectorAll('article table tr:first-child > *')].at(-1).getBoundingClientRect().right"
    assert page.ask(ends) <= 1280
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_shadow_of_what_scrolls_is_darker_than_the_page(
    chromium: Browser, homes: dict[str, str], scheme: str
) -> None:
    page = chromium.open("about:blank", scheme)
    resize(page, 390)
    shown(page, homes["status"])
    look = "getComputedStyle(document.querySelector('.md-typeset__scrollwrap'))"
    light = "colour => colour.match(/[\\d.]+/g).slice(0, 3).reduce((all, part) => all + Number(part), 0)"
    inks = page.ask(f"[...{look}.backgroundImage.matchAll(/rgba?\\([^)]*\\)/g)].map(found => found[0])")
    ground = page.ask("getComputedStyle(document.body).backgroundColor")
    seen = [page.ask(f"({light})('{ink}') - ({light})('{ground}')") for ink in inks if not ink.endswith(", 0)")]
    assert min(seen) < 0 == max(seen), (inks, ground)
    page.close()


@pytest.mark.parametrize("kind", ["setups", "proposals"])
@pytest.mark.parametrize("width", [390, 768])
def test_on_a_phone_and_a_tablet_commands_are_read_whole(
    phone: Page, homes: dict[str, str], kind: str, width: int
) -> None:
    resize(phone, width)
    page = shown(phone, homes[kind])
    cut = "[...document.querySelectorAll('article pre > code')].filter(each => each.scrollWidth > each.clientWidth + 1)"
    assert page.ask(f"{cut}.length") == 0


@pytest.mark.parametrize("path", ["guide/plan/", "guide/start/"])
def test_on_a_phone_files_and_what_is_printed_keep_their_lines(phone: Page, homes: dict[str, str], path: str) -> None:
    page = shown(phone, f"{homes['first']}{path}")
    files = "[...document.querySelectorAll('article pre > code:has(.nt, .go)')]"
    assert page.ask(f"new Set({files}.map(each => getComputedStyle(each).whiteSpace)).values().toArray()") == ["pre"]


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_options_never_break(chromium: Browser, homes: dict[str, str], width: int) -> None:
    page = chromium.open("about:blank")
    resize(page, width)
    shown(page, homes["commands"])
    options = "[...document.querySelectorAll('article code .option')]"
    assert page.ask(f"{options}.length") > 20
    assert page.ask(f"{options}.filter(each => each.getClientRects().length > 1).map(each => each.innerText)") == []
    page.close()


def test_on_a_phone_a_picture_of_a_release_can_be_read(phone: Page, homes: dict[str, str]) -> None:
    page = shown(phone, homes["release"])
    frame = "document.querySelector('article figure.chart:not([data-spec]) > p')"
    page.wait(f"{frame}.tabIndex === 0")
    assert page.ask(f"{frame}.querySelector('img').getBoundingClientRect().width") >= 600


@pytest.mark.parametrize("kind", ["history", "lines", "findings", "derivations", "status", "plan and use"])
def test_addresses_never_break_inside_a_word(phone: Page, homes: dict[str, str], kind: str) -> None:
    assert shown(phone, homes[kind]).ask(BROKEN) == []
