"""A figure opens its derivation where it stands, by pointer and by keyboard; the page of derivations folds, and marks
the row that a link leads to."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from browser import Page

pytestmark = pytest.mark.full

Visit = Callable[..., Page]
FINAL = "#pixelis.budget.final"
FOCUSED = "document.activeElement.hash || document.activeElement.id"
BOX = "document.getElementById('figure-derivation')"
OPEN = f"!!{BOX}?.matches(':popover-open')"
MOST_STEPS = 200  # presses of Tab
SHIFT = 8


def reach(page: Page, wanted: str, modifiers: int = 0) -> None:
    """Goes on with Tab, or back with Shift, until the focus is on what a condition asks for."""
    for _ in range(MOST_STEPS):
        page.press("Tab", modifiers)
        if page.ask(wanted):
            return
    raise AssertionError(f"{wanted}: not within {MOST_STEPS} presses of Tab; the focus is on {page.ask(FOCUSED)}")


def figure(address: str) -> str:
    """The first link of a page to the derivation of a figure."""
    return f"document.querySelector('article a[href$={json.dumps('#' + address)}]')"


def test_by_keyboard_alone_to_the_derivation_of_the_final_budget_and_back(visit: Visit) -> None:
    page = visit("")
    first = page.ask("location.href")
    reach(page, f"document.activeElement.hash === '{FINAL}'")
    page.press("Enter")
    page.wait(OPEN)
    assert page.ask("location.href") == first
    assert page.ask(FOCUSED) == "figure-derivation"
    # Pixelis plans 1,335 GPU-h and a contingency of 15% of them, in its ledger.
    told = page.ask(f"{BOX}.innerText")
    assert "budget.subtotal + budget.contingency" in told
    assert "1,335 GPU-h + 200 GPU-h = 1,535 GPU-h" in told
    page.press("Escape")
    assert not page.ask(OPEN)
    assert page.ask(FOCUSED) == FINAL  # back where it began
    page.press("Enter")
    page.wait(OPEN)
    reach(page, "document.activeElement.textContent === 'Open its page'")
    page.press("Enter")
    page.wait(f"location.pathname.endsWith('/pixelis/derivations/') && location.hash === '{FINAL}'")
    page.wait("document.querySelector('tr:has(> td > a:target)') !== null")
    assert "Final budget" in page.ask("document.querySelector('tr:has(> td > a:target)').innerText")
    tabs = "document.activeElement.matches('.md-tabs a')"  # they stand before the page
    reach(page, f"{tabs} && document.activeElement.text.trim() === 'Portfolio'", SHIFT)
    page.press("Enter")
    page.wait(f"location.href === {json.dumps(first)}")


def test_what_went_in_opens_in_the_same_place_and_leads_back(visit: Visit) -> None:
    page = visit("pixelis/")
    page.ask(f"{figure('pixelis.budget.final')}.click()")
    page.wait(OPEN)
    page.ask(f"{BOX}.querySelector('a[href$=\"#pixelis.budget.contingency\"]').click()")
    page.wait(f"{BOX}.innerText.startsWith('Contingency')")
    assert "ledger/pixelis/project.yaml:18 contingency: 15%" in page.ask(f"{BOX}.innerText")
    page.ask(f"[...{BOX}.querySelectorAll('button')].find(button => button.textContent === 'Back').click()")
    page.wait(f"{BOX}.innerText.startsWith('Final budget')")
    assert page.ask("location.hash") == ""


def test_a_wider_derivation_stays_on_a_narrow_screen(visit: Visit) -> None:
    """From the link at the right of a table, each step on may need more room than the one before."""
    page = visit("")
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", phone, page.session)
    page.ask(f"{figure('birdsong.budget.final')}.click()")
    page.wait(OPEN)
    sides = f"(box => [box.left, document.documentElement.clientWidth - box.right])({BOX}.getBoundingClientRect())"
    assert min(page.ask(sides)) >= 0
    for address in ("birdsong.budget.subtotal", "birdsong.budget.per-seed"):
        page.ask(f"{BOX}.querySelector('a[href$={json.dumps('#' + address)}]').click()")
        page.wait(f"{BOX}.querySelector('.derivation-what').innerText.includes({json.dumps(address)})")
        assert min(page.ask(sides)) >= 0


def test_the_address_is_copied(visit: Visit) -> None:
    page = visit("pixelis/")
    page.ask(f"{figure('pixelis.budget.final')}.click()")
    page.wait(OPEN)
    page.ask("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    page.ask(f"[...{BOX}.querySelectorAll('button')].find(button => button.textContent === 'Copy address').click()")
    page.wait("window.copied")
    assert page.ask("window.copied") == "pixelis.budget.final"


def test_a_release_has_derivations_of_its_own(visit: Visit) -> None:
    page = visit("pixelis/releases/1.0.0/")
    page.ask(f"{figure('pixelis.budget.final')}.click()")
    page.wait(OPEN)
    assert "/pixelis/releases/1.0.0/derivations/" in page.ask(f"{BOX}.querySelector('[data-whole]').href")


def test_where_no_row_can_be_read_the_link_leads_to_its_page(visit: Visit) -> None:
    page = visit("pixelis/")
    page.ask("window.fetch = () => Promise.reject(new Error('not here'))")
    page.ask(f"{figure('pixelis.budget.final')}.click()")
    page.wait(f"location.pathname.endsWith('/pixelis/derivations/') && location.hash === '{FINAL}'")


@pytest.mark.parametrize("width", [390, 1440])
def test_a_link_into_a_fold_opens_it_and_its_row_is_marked_below_the_header(width: int, visit: Visit) -> None:
    page = visit("pixelis/derivations/")
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", size, page.session)
    row = "document.getElementById('pixelis.plan.sft.total').closest('tr')"
    assert not page.ask(f"{row}.closest('details').open")
    page.ask("location.hash = 'pixelis.plan.sft.total'")
    page.wait(f"{row}.closest('details').open")
    page.wait(f"{row}.getBoundingClientRect().top < innerHeight")
    header = "document.querySelector('header').getBoundingClientRect().bottom"
    page.wait(f"{row}.getBoundingClientRect().top >= {header}")
    plain = "getComputedStyle(document.querySelector('tr:has(a[id]):not(:has(a:target))')).backgroundColor"
    assert page.ask(f"getComputedStyle({row}).backgroundColor") != page.ask(plain)


def test_the_page_of_derivations_is_short_until_it_is_unfolded(visit: Visit) -> None:
    page = visit("pixelis/derivations/")
    shut = page.ask("document.documentElement.scrollHeight")
    page.ask("document.querySelector('.opens-all button').click()")
    assert page.ask("[...document.querySelectorAll('article > details')].every(fold => fold.open)")
    assert page.ask("document.documentElement.scrollHeight") > 5 * shut


def test_a_sum_leads_to_its_runs_among_all(visit: Visit) -> None:
    """The hours of the final training run of BLOOM are those of its runs: all runs shows no others."""
    page = visit("bloom-176b/status/")
    page.ask(f"{figure('bloom-176b.plan.final-run.actual')}.click()")
    page.wait(OPEN)
    page.ask(f"{BOX}.querySelector('a[href*=\"attempts\"]').click()")
    page.wait("location.pathname.endsWith('/bloom-176b/runs/')")
    page.wait("document.querySelector('.filters output')?.textContent")
    chosen = "[...document.querySelectorAll('.filters select')].map(select => select.value).filter(Boolean)"
    assert page.ask(chosen) == ["Final training run"]


def test_a_figure_of_a_further_page_of_derivations_opens_too(visit: Visit) -> None:
    page = visit("phase2-collection/")
    link = "document.querySelector('article a[href*=\"derivations-2/#\"]')"
    clicked = page.ask(f"{link}.textContent")
    page.ask(f"{link}.click()")
    page.wait(OPEN)
    assert clicked in page.ask(f"{BOX}.innerText")
