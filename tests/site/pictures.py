"""Takes a picture of each kind of page at each width, light and dark: `make pictures`, to be looked at one by one.

A page comes as slices of some screens each; of very long ones it is the beginning. With words after the folder, only
kinds that have one of them in their name are taken: `python tests/site/pictures.py build/pictures status choice`.
"""

from __future__ import annotations

import base64
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from browser import Browser, Page, find_chromium, open_browser
from kinds import KINDS, ROOT, SCHEMES, WIDTHS
from serving import built, served

HIGHEST = 7500
"""Of a page, so many CSS pixels are shown."""

SLICE = 1500
"""How high a picture is at most, in CSS pixels: a taller one is scaled down wherever it is looked at."""


DRAWN = """[...document.querySelectorAll("figure[data-begun=true]")]
  .every(figure => figure.classList.contains("is-live"))"""

STILL = """document.head.insertAdjacentHTML("beforeend",
  "<style>*, ::before, ::after { animation: none !important; transition: none !important }</style>")"""
"""Has nothing fade or turn: what does begins anew with each picture, since the tab grows for it."""


def height_of(page: Page) -> int:
    """How much of a page is shown, in CSS pixels."""
    return min(HIGHEST, int(page.ask("document.documentElement.scrollHeight")))


def take(page: Page, width: int) -> Iterator[bytes]:
    """The page that a tab shows, from above, as PNG."""
    page.ask(STILL)
    page.ask("document.querySelectorAll('article details').forEach(folded => folded.open = true)")
    top = 0
    while top < height_of(page):
        scroll(page, top)
        top += 800
    scroll(page, 0)
    height = height_of(page)
    for top in range(0, height, SLICE):
        clip = {"x": 0, "y": top, "width": width, "height": min(SLICE, height - top), "scale": 1}
        order = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        yield base64.b64decode(page.browser.call("Page.captureScreenshot", order, page.session)["data"])


def scroll(page: Page, top: int) -> None:
    """Scrolls a page, and waits for its pictures: those that come into view are laid out anew on a narrow screen."""
    page.ask(f"new Promise(done => {{ scrollTo(0, {top}); setTimeout(done, 100); }})")
    page.wait(DRAWN)


def called(kind: str) -> str:
    """A kind of page as files of its pictures are called."""
    return re.sub("[^a-z0-9]+", "-", kind)


def resize(page: Page, width: int, height: int = 900) -> None:
    """Gives a tab the size of a screen, in CSS pixels; returns once the page knows."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", size, page.session)
    page.wait(f"innerWidth === {width}")


def of_site(browser: Browser, home: str, kinds: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """The name and the picture of each slice of each page, width and scheme."""
    for kind, path in kinds.items():
        for scheme, width in product(SCHEMES, WIDTHS):
            page = browser.open("about:blank", scheme)
            resize(page, width)
            page.go(home + path)
            for number, picture in enumerate(take(page, width), 1):
                yield f"{called(kind)}-{width}-{scheme}-{number}.png", picture
            page.close()


def main(folder: Path, words: list[str]) -> None:
    """Builds the site, and writes its pictures into a folder."""
    if not find_chromium():
        sys.exit("There is no Chromium on the PATH; BUDGET_CHROMIUM names another.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as aside, open_browser(Path(aside, "profile")) as browser:
        wanted = {kind: path for kind, path in KINDS.items() if not words or any(word in kind for word in words)}
        with served(built(ROOT, Path(aside, "site"))) as address:
            for name, picture in of_site(browser, address, wanted):
                (folder / name).write_bytes(picture)
                print(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/pictures"), sys.argv[2:])
