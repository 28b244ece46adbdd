"""Barriers that axe-core finds: none that is serious or critical, and no heading of a table without words, in light or
dark, on any kind of page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browser import Browser, Page
from kinds import KINDS
from pictures import resize
from test_small_screens import OPENED, homes  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full

VENDOR = Path(__file__).parent / "vendor"
FOUND = """axe.run(document, { preload: false, resultTypes: ["violations"] }).then(found => found.violations
  .filter(each => ["serious", "critical"].includes(each.impact) || each.id === "empty-table-header")
  .flatMap(({ id, nodes }) => nodes.map(each => ({ rule: id, at: String(each.target), why: each.failureSummary }))))"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The program that looks for barriers, as it was published."""
    program = (VENDOR / "axe.min.js").read_bytes()
    assert hashlib.sha256(program).hexdigest() in (VENDOR / "README.txt").read_text("utf-8")
    return program.decode("utf-8")


def barriers(page: Page, axe: str) -> list[dict[str, Any]]:
    """What is found on a page: nothing is left out, of ours or of the theme."""
    page.ask(OPENED)
    page.ask("new Promise(done => setTimeout(done, 300))")  # colours change slowly
    page.ask(f"{axe};0")
    found: list[dict[str, Any]] = page.ask(FOUND)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_no_barrier_is_serious(
    chromium: Browser,
    homes: dict[str, str],  # noqa: F811
    axe: str,
    kind: str,
    scheme: str,
    width: int,
) -> None:
    page = chromium.open("about:blank", scheme)
    resize(page, width, 3000)  # so high that the list of pages beside it hides none of its links halfway
    page.go(homes[kind])
    assert barriers(page, axe) == []
    page.close()


def test_a_picture_that_came_alive_has_no_barrier(visit: Callable[..., Page], axe: str) -> None:
    page = visit("pixelis/", "dark")
    page.ask("document.querySelector('figure.chart img').dispatchEvent(new Event('pointerenter'))")
    page.wait("document.querySelector('figure.chart .chart-live svg') !== null")
    assert barriers(page, axe) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_an_open_derivation_has_no_barrier(visit: Callable[..., Page], axe: str, scheme: str, width: int) -> None:
    """The first page that a reader sees of it, and the next, with its way back."""
    page = visit("pixelis/", scheme)
    resize(page, width, 900)
    page.ask("document.querySelector('article a[href$=\"#pixelis.budget.final\"]').click()")
    page.wait("document.getElementById('figure-derivation')?.matches(':popover-open')")
    assert barriers(page, axe) == []
    page.ask("document.querySelector('#figure-derivation a[href$=\"#pixelis.budget.contingency\"]').click()")
    page.wait("document.getElementById('figure-derivation').innerText.startsWith('Contingency')")
    assert barriers(page, axe) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
@pytest.mark.parametrize(
    ("text", "then"),
    [
        ("5", "location.hash.includes('seeds=5')"),
        ("1001", "[...document.querySelectorAll('.what-if-why')].some(each => each.textContent)"),
    ],
    ids=["changed", "refused"],
)
def test_a_plan_that_is_tried_has_no_barrier(
    visit: Callable[..., Page], axe: str, scheme: str, width: int, text: str, then: str
) -> None:
    page = visit("pixelis/what-if/", scheme)
    resize(page, width, 900)
    page.wait("document.querySelector('.what-if-inputs input') !== null")
    page.ask(f"""(() => {{
        const labels = [...document.querySelectorAll(".what-if-inputs label")];
        const label = labels.find(each => each.textContent === "Seeds");
        const field = document.getElementById(label.htmlFor);
        field.value = {text!r};
        field.dispatchEvent(new Event("change"));
    }})()""")
    page.wait(then)
    assert barriers(page, axe) == []


def test_a_barrier_would_be_found(visit: Callable[..., Page], axe: str) -> None:
    page = visit("pixelis/")
    page.ask("document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=../assets/favicon.svg>')")
    assert [each["rule"] for each in barriers(page, axe)] == ["image-alt"]
