"""The published site, built from this checkout, served on this machine and read in Chromium."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from browser import Browser, Page, find_chromium, open_browser
from kinds import ROOT
from serving import Quiet as Quiet
from serving import built, served

PLACE = "a/folder/deep"  # the site must work under any path, so it is served under an odd one


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the site, built strictly by `budget.py`."""
    return built(ROOT, tmp_path_factory.mktemp("web") / PLACE)


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Address of the served site, with a slash at its end."""
    with served(site.parents[PLACE.count("/")]) as top:
        yield f"{top}{PLACE}/"


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A running Chromium; without one the tests that need it are skipped."""
    if not find_chromium():
        loud = "NOT TESTED IN A BROWSER: " if os.environ.get("CI") else ""
        pytest.skip(f"{loud}no Chromium on the PATH (Debian's package is chromium; BUDGET_CHROMIUM names another)")
    with open_browser(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def visit(chromium: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site; at the end none may have asked elsewhere or complained."""
    pages: list[Page] = []

    def go(path: str = "", scheme: str = "light") -> Page:
        pages.append(chromium.open(address + path, scheme))
        return pages[-1]

    yield go
    for page in pages:
        page.close()
    home = address.removesuffix(f"{PLACE}/")
    strangers = [url for page in pages for url in page.requests if not url.startswith((home, "data:", "blob:" + home))]
    assert strangers == []
    assert [complaint for page in pages for complaint in page.complaints] == []
