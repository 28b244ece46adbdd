"""Room in tables and what tells that there is more of one, or of code, than is seen: on telephones and on tablets."""

from __future__ import annotations

import pytest

from browser import Page
from pictures import resize
from test_small_screens import homes, phone, shown  # noqa: F401  (fixtures)

pytestmark = pytest.mark.full

# The table that has a column, and how wide a column of it is, in pixels.
TABLE = "[...document.querySelectorAll('article table')].findLast(each => each.rows[0].innerText.includes({!r}))"
WIDTH = f"Math.round({TABLE}.rows[0].cells[{{}}].getBoundingClientRect().width)"


@pytest.mark.parametrize("width", [390, 1440])
def test_code_that_scrolls_has_a_shadow_where_more_of_it_is(
    phone: Page,  # noqa: F811
    homes: dict[str, str],  # noqa: F811
    width: int,
) -> None:
    resize(phone, width)
    page = shown(phone, homes["guide"])
    page.ask(
        "window.cut = [...document.querySelectorAll('article pre > code')].filter(each => "
        "each.scrollWidth > each.clientWidth + 1)"
    )
    assert page.ask("cut.length")
    page.wait("cut.every(each => each.matches('.is-cut:not(.is-scrolled)'))")
    assert page.ask("cut.every(each => getComputedStyle(each).boxShadow.includes(' -14px '))")
    page.ask("cut[0].scrollLeft = 9999")
    page.wait("cut[0].matches('.is-scrolled:not(.is-cut)')")
    assert page.ask("getComputedStyle(cut[0]).boxShadow.includes(' 14px ')")


def test_a_table_of_which_little_is_cut_has_its_shadow_as_high_as_it_is(
    phone: Page,  # noqa: F811
    homes: dict[str, str],  # noqa: F811
) -> None:
    page = shown(phone, homes["catalogue"])
    page.ask(f"window.peaks = {TABLE.format('fp8')}; window.wrap = peaks.closest('.md-typeset__scrollwrap')")
    page.wait("wrap.matches('.is-cut')")
    cover = "getComputedStyle(wrap).backgroundImage.match(/rgba?\\([^)]*\\)/g)[2]"
    assert page.ask(cover) == "rgba(0, 0, 0, 0)"
    assert page.ask("wrap.clientHeight - peaks.getBoundingClientRect().height") < 1
    page.ask("wrap.scrollLeft = 9999")
    page.wait("!wrap.matches('.is-cut')")
    assert page.ask(cover) == page.ask("getComputedStyle(document.body).backgroundColor")


def test_on_a_phone_a_heading_of_many_words_has_two_of_them_in_a_line(
    phone: Page,  # noqa: F811
    homes: dict[str, str],  # noqa: F811
) -> None:
    page = shown(phone, homes["feasibility"])
    heading = f"{TABLE.format('A40, three hours')}.querySelector('th .many')"
    line = f"parseFloat(getComputedStyle({heading}).lineHeight)"
    assert page.ask(f"{heading}.getBoundingClientRect().height / {line}") <= 4


@pytest.mark.parametrize(
    ("kind", "heading", "column", "least"),
    [
        ("choice", "If an hour saved is worth", 1, 150),  # the names of setups
        ("findings", "Ledger line", 2, 160),  # a file below its folder
    ],
)
def test_on_a_tablet_names_and_files_are_no_towers(
    phone: Page,  # noqa: F811
    homes: dict[str, str],  # noqa: F811
    kind: str,
    heading: str,
    column: int,
    least: int,
) -> None:
    resize(phone, 768)
    page = shown(phone, homes[kind])
    assert page.ask(WIDTH.format(heading, column)) >= least


def test_code_stands_below_the_words_of_its_cell(phone: Page, homes: dict[str, str]) -> None:  # noqa: F811
    resize(phone, 1440)
    page = shown(phone, homes["findings"])
    inside = "[...document.querySelectorAll('article table:not([class]) code')]"
    assert page.ask(f"[...new Set({inside}.map(each => getComputedStyle(each).paddingLeft))]") == ["0px"]


@pytest.mark.parametrize("touched", [False, True])
def test_links_below_each_other_are_apart_for_a_finger_alone(
    phone: Page,  # noqa: F811
    homes: dict[str, str],  # noqa: F811
    touched: bool,
) -> None:
    phone.browser.call("Emulation.setTouchEmulationEnabled", {"enabled": touched}, phone.session)
    page = shown(phone, homes["first"])
    page.ask("document.querySelector('article td').innerHTML = '<a>a</a><br><a>b</a>'")
    high = page.ask("parseFloat(getComputedStyle(document.querySelector('article td')).lineHeight)")
    assert high >= 25 if touched else high < 20
