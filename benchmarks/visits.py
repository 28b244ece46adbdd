"""Counts what a first visit to a page of the site asks for: requests, and bytes before compression, to the first idle.

    python benchmarks/visits.py [--against FOLDER] [--pages PATH ...]

Builds the site of this checkout (and of an earlier one, with the same Python), serves it on this machine, and opens
each page in Chromium with nothing kept. What is asked for within a second after the first idle counts too. Needs
Chromium on the PATH, or named in BUDGET_CHROMIUM.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

OURS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(OURS / "tests/site"))

from browser import Browser, find_chromium, open_browser  # noqa: E402
from serving import served  # noqa: E402

PAGES = ("", "pixelis/", "pixelis/derivations/")
IDLE = "new Promise(done => requestIdleCallback(() => setTimeout(done, 1000)))"
KINDS = {
    ".html": "page",
    ".js": "scripts",
    ".css": "styles",
    ".woff2": "fonts",
    ".svg": "pictures",
    ".png": "pictures",
    ".json": "data",
}
SHOWN = ("page", "scripts", "styles", "fonts", "pictures", "data", "other")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="an earlier checkout, told first")
    parser.add_argument("--pages", nargs="+", default=PAGES, metavar="PATH", help="paths of pages below the site")
    options = parser.parse_args()
    if not find_chromium():
        sys.exit("There is no Chromium on the PATH (Debian's package is chromium; BUDGET_CHROMIUM names another).")
    print(f"{'':36} {'requests':>8} {'kB':>8}  " + " ".join(f"{kind:>8}" for kind in SHOWN))
    for checkout in filter(None, (options.against, OURS)):
        with tempfile.TemporaryDirectory() as folder:
            site, named = Path(folder, "site"), "before" if checkout != OURS else "now"
            command = [sys.executable, "budget.py", "build", "--site-dir", str(site)]
            subprocess.run(command, cwd=checkout, check=True, stdout=subprocess.DEVNULL)
            for number, path in enumerate(options.pages):
                # A browser of its own for each page, which has kept nothing.
                with served(site) as home, open_browser(Path(folder, f"profile-{number}")) as browser:
                    many, sizes = visited(browser, home, path, site)
                parts = " ".join(f"{sizes[kind] / 1000:8.0f}" for kind in SHOWN)
                print(f"{named + ': ' + (path or 'first page'):36} {many:8} {sizes.total() / 1000:8.0f}  {parts}")


def visited(browser: Browser, home: str, path: str, site: Path) -> tuple[int, Counter[str]]:
    """How many files a first visit asks for, and the bytes of each kind, as they lie in the site."""
    page = browser.open(home + path)
    page.ask(IDLE)
    asked = [unquote(urlsplit(url).path).removeprefix("/") for url in page.requests if url.startswith("http")]
    sizes: Counter[str] = Counter()
    for name in asked:
        file = site / name / "index.html" if (site / name).is_dir() else site / name
        sizes[KINDS.get(file.suffix, "other")] += file.stat().st_size if file.is_file() else 0
    page.close()
    return len(asked), sizes


if __name__ == "__main__":
    main()
