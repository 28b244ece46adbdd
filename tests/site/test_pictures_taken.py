"""Pictures of the site as `make pictures` takes them: each has a name of its own and is whole, and nothing moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser import Browser
from kinds import KINDS
from pictures import SLICE, called, resize, take
from serving import served
from test_small_screens import homes  # noqa: F401  (a fixture)

pytestmark = pytest.mark.full


def test_no_picture_of_a_kind_is_written_over_that_of_another() -> None:
    assert len({called(kind) for kind in KINDS}) == len(KINDS)


def test_a_page_that_grows_when_it_is_seen_is_taken_whole(chromium: Browser, tmp_path: Path) -> None:
    grows = f"""onscroll = () => document.body.style.height = "{2 * SLICE + 100}px" """
    Path(tmp_path, "index.html").write_text(f"<body style=height:1300px><script>{grows}</script>", "utf-8")
    with served(tmp_path) as address:
        page = chromium.open("about:blank")
        resize(page, 390)
        page.go(address)
        assert len(list(take(page, 390))) == 3
        page.close()


def test_nothing_moves_while_a_page_is_taken(chromium: Browser, homes: dict[str, str]) -> None:  # noqa: F811
    page = chromium.open("about:blank")
    resize(page, 1440)
    page.go(homes["choice"])
    page.ask("window.moved = []; ontransitionrun = event => moved.push(event.target.className)")
    assert list(take(page, 1440))
    assert page.ask("moved") == []
    page.close()
