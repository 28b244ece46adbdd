"""What a first visit costs, what is not shipped, and a site that is read from a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import unquote, urlsplit

import pytest

from browser import Browser, Page
from serving import built

pytestmark = pytest.mark.full

MOST = 700_000
"""Bytes of a first visit, not compressed."""


def own_bytes(page: Page, site: Path) -> int:
    """How many bytes a page asked for beside itself and the files of the theme; it has been idle for a while."""
    page.ask("new Promise(done => requestIdleCallback(() => setTimeout(done, 300)))")
    asked = [unquote(urlsplit(url).path).removeprefix("/a/folder/deep/") for url in page.requests]
    theme = ("assets/javascripts/", "assets/stylesheets/")
    files = {site / path for path in asked if path and not path.startswith(theme)}
    return sum(path.stat().st_size for path in files if path.is_file())


def bytes_of(page: Page, site: Path) -> int:
    """How many bytes the files of a site have that a page asked for; the page has been idle for a while."""
    page.ask("new Promise(done => requestIdleCallback(() => setTimeout(done, 1000)))")
    asked = {unquote(urlsplit(url).path) for url in page.requests if url.startswith("http")}
    files = [site / path.removeprefix("/a/folder/deep/") for path in asked]
    return sum((path / "index.html" if path.is_dir() else path).stat().st_size for path in files)


@pytest.mark.parametrize("path", ["", "pixelis/", "bloom-176b/status/"])
def test_a_first_visit_is_light(visit: Callable[..., Page], site: Path, path: str) -> None:
    page = visit(path)
    assert any("searching.js" in url for url in page.requests)
    assert not any("search_index" in url for url in page.requests), "before anybody searches"
    assert not any("/vega" in url for url in page.requests), "before a picture is used"
    assert 100_000 < bytes_of(page, site) < MOST


def test_half_of_the_pages_add_little_to_the_theme(visit: Callable[..., Page], site: Path) -> None:
    """Styles, scripts and pictures that are not the theme's; each tenth page is looked at."""
    pages = sorted(path.parent.relative_to(site).as_posix() for path in site.rglob("index.html"))
    added = [own_bytes(visit(f"{path}/".removeprefix("./")), site) for path in pages[::10]]
    assert len(added) > 12
    assert 40_000 < median(added) <= 60_000


def test_a_click_on_a_figure_reads_no_large_page(site: Path) -> None:
    """The page of derivations that it reads, whole. Releases from before these were several pages stay as they are."""
    pages = [*site.glob("*/derivations*/index.html")]
    assert len(pages) > 12
    assert {page for page in pages if page.stat().st_size > 400_000} == set()


def test_no_source_map_is_shipped_or_asked_for(site: Path) -> None:
    assert list(site.rglob("*.map")) == []
    texts = [path for kind in ("*.js", "*.css") for path in site.rglob(kind)]
    assert texts
    assert [path for path in texts if "sourceMappingURL=" in path.read_text("utf-8")] == []


def test_a_site_for_a_folder_navigates_without_a_server(
    chromium: Browser, example_with_pages: Path, tmp_path: Path
) -> None:
    folder = built(example_with_pages, tmp_path / "site", "--offline")
    assert not (folder / "search").exists()
    page = chromium.open((folder / "index.html").as_uri())
    for words, wanted in (("Birdsong", "birdsong/"), ("Findings", "birdsong/findings.html")):
        link = f"[...document.querySelectorAll('article a')].find(link => link.textContent.includes({words!r})).href"
        page.go(page.ask(link))
        assert page.ask("location.href").startswith((folder / wanted).as_uri().removesuffix("/"))
        assert page.ask("document.querySelectorAll('article h1').length") == 1
    assert page.ask("document.querySelector('[data-md-component=search]')") is None
    assert page.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in page.requests)
    page.close()
