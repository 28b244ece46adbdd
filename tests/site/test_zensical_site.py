"""The site as Zensical builds it: the look of Material, no stranger asked, and the searches of people find their pages.

Zensical finds what has all words of a query and knows no weights of pages, so that titles and words decide.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser import Browser, Page
from kinds import ROOT
from serving import served
from test_searching import SEARCHES

pytestmark = pytest.mark.full

PYTHON = ROOT / ".venv-zensical/bin/python"
RESULTS = """[...document.querySelectorAll("body > div")].flatMap(
  (one) => [...(one.shadowRoot?.querySelectorAll("[role=option]") ?? [])].map((link) => link.href)
)"""
OPEN = "[...document.querySelectorAll('body > div')].some(one => one.shadowRoot?.querySelector('dialog[open]'))"
NAMES = [
    ("pixelis.budget.final", "pixelis/derivations/#budget"),
    ("pixelis.plan.domain-adaptation.total", "pixelis/derivations-2/#domain-adaptation-test"),
    ("rtx-5090-x4", "phase2-collection/derivations-2/#one-gpu-or-four-rtx-5090-x4"),
    ("wrong learning rate", "birdsong/runs/#note-13"),
]
"""Addresses, ids and the words of a note, and what comes first."""


@pytest.fixture(scope="module")
def zensical_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of this checkout, built strictly where MkDocs is not installed."""
    if not PYTHON.exists():
        pytest.skip("Zensical is not installed: `make builders`")
    folder = tmp_path_factory.mktemp("zensical") / "site"
    command = [PYTHON, "budget.py", "build", "--builder", "zensical", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def visit(chromium: Browser, zensical_site: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site; at the end none may have asked elsewhere or complained."""
    with served(zensical_site.parent) as top:
        pages: list[Page] = []

        def go(path: str = "", scheme: str = "light") -> Page:
            pages.append(chromium.open(f"{top}site/{path}", scheme))
            return pages[-1]

        yield go
        for page in pages:
            page.close()
        assert [url for page in pages for url in page.requests if not url.startswith((top, "data:", "blob:"))] == []
        assert [complaint for page in pages for complaint in page.complaints] == []


def found(page: Page, words: str) -> list[str]:
    """The addresses of what is found, in order, below the site."""
    page.type("/")
    page.wait(OPEN)
    page.type(words)
    page.wait(f"{RESULTS}.length > 0")
    page.ask("new Promise(done => setTimeout(done, 400))")
    return [each.partition("/site/")[2].partition("?")[0] + re.sub("^[^#]*", "", each) for each in page.ask(RESULTS)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_the_look_of_material_and_its_scripts(visit: Callable[..., Page], scheme: str) -> None:
    page = visit("pixelis/", scheme)
    assert page.ask("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
    assert page.ask("[...document.styleSheets].some(sheet => sheet.href?.includes('/classic/'))")
    assert page.ask("document.documentElement.scrollWidth <= innerWidth"), "the page is wider than the window"
    page.wait("document.querySelector('article table th[aria-sort], article table th button') !== null")


def test_the_index_waits_until_somebody_searches(visit: Callable[..., Page], zensical_site: Path) -> None:
    """Whoever has a mouse goes to the box; others press a key."""
    mouse, keys = visit("pixelis/"), visit("pixelis/")
    assert not any(url.endswith("/search.json") for url in mouse.requests + keys.requests)
    mouse.ask("document.querySelector('.md-search').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))")
    mouse.ask("document.querySelector('.md-search__button').click()")
    mouse.wait(OPEN)
    assert found(keys, "contingency")
    index = zensical_site / "search.json"
    assert index.stat().st_size <= 800_000
    assert {"config", "items"} == json.loads(index.read_bytes()).keys()


@pytest.mark.parametrize(("words", "pages"), SEARCHES)
def test_what_people_type_is_among_the_first_three(visit: Callable[..., Page], words: str, pages: str) -> None:
    first = list(dict.fromkeys(each.partition("#")[0] for each in found(visit("pixelis/"), words)))[:3]
    assert any(re.search(pages, each) for each in first), first


@pytest.mark.parametrize(("words", "place"), NAMES)
def test_a_name_is_found_where_it_stands(visit: Callable[..., Page], words: str, place: str) -> None:
    assert found(visit("pixelis/"), words)[0] == place
