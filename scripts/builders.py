"""Do two builders make the same site? What Material for MkDocs and Zensical make of the staged tree, compared.

    python scripts/builders.py [--root DIR] [--zensical PROGRAM] [--keep DIR]

The tree is staged once (`budget render --out`), and each builder gets a copy of it. Compared are, by what a reader has:
which pages there are and at which addresses; of each page its title, the words of its text, where its links and
pictures lead, the places that links can lead to, the styles and scripts of ours that it loads, and the pages that its
navigation leads to; the files of ours, byte by byte; and which pages the search finds, and with which weight. What a
theme has of its own (icons, footers, its scripts) is not looked at. Each difference is a line. Those that are expected
stand in EXPECTED; the exit code is 1 where there is any other.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, normpath
from time import perf_counter

HERE = Path(__file__).resolve().parents[1]
ZENSICAL = HERE / ".venv-zensical/bin/zensical"
EXPECTED = {
    "weight": "Zensical 0.0.73 takes no weights of pages into its search; pages that are left out are left out",
}
"""Kinds of differences that do not fail a comparison, and why."""
MOST = 5  # of one kind, that are told of a page
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
LEFT_OUT = {"headerlink", "md-source-file", "md-content__button", "md-tags"}


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """Something that one site has and the other has not, or has otherwise."""

    page: str
    kind: str
    told: str

    def __str__(self) -> str:
        return f"{self.page}: {self.kind}: {self.told}"


@dataclass
class Page:
    """What a reader has of a page; addresses are relative to the top of the site."""

    title: str = ""
    words: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    leads: set[str] = field(default_factory=set)
    tags: list[str] = field(default_factory=list)


_LOADED = re.compile(r'createElement\("script"\), \{src: "([^"]+)"')


class Reader(HTMLParser):
    """Reads the page at an address."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.page, self._at, self._open = Page(), address, list[tuple[str, set[str]]]()
        self._text = list[str]()

    def to(self, target: str) -> str:
        """Where a target on the page leads; those of other hosts as they stand."""
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return target
        path, sign, anchor = target.partition("#")
        whole = normpath(f"{dirname(self._at)}/{path}") if path else normpath(self._at)
        whole = "" if whole == "." else whole.removesuffix("index.html").rstrip("/")
        return f"{whole.lstrip('/')}{sign}{anchor}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element, and where it leads."""
        values = {name: value or "" for name, value in attrs}
        classes = set(values.get("class", "").split())
        if tag not in VOID:
            self._open.append((tag, classes))
        inside = self._within("article")
        if tag in ("script", "link") and (target := values.get("src") or values.get("href")):
            self.page.loads.append(self.to(target))
        if inside and not self._left_out():
            if values.get("id") and not values["id"].startswith("__"):  # the theme's own begin so
                self.page.places.append(values["id"])
            if tag == "a" and "href" in values:
                self.page.links.append(self.to(values["href"]))
            if tag == "img":
                self.page.pictures.append(f"{self.to(values.get('src', ''))} ({values.get('alt', '')})")
        if tag == "a" and self._in_class("md-nav--primary") and values.get("href"):
            self.page.leads.add(self.to(values["href"]).partition("#")[0])

    def handle_endtag(self, tag: str) -> None:
        """Closes an element, with those in it that were left open."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == tag:
                del self._open[at:]
                break

    def handle_data(self, data: str) -> None:
        """Notes words of the title, of the tags and of the text, and what a script of the page loads."""
        if self._open and self._open[-1][0] == "script":
            self.page.loads += map(self.to, _LOADED.findall(data))
        if self._open and self._open[-1][0] == "title" and not self._within("svg"):
            self.page.title += data.strip()
        if self._within("article"):
            if self._in_class("md-tag"):
                self.page.tags += data.split()
            elif not self._left_out() and not self._within("script"):
                self._text.append(data)

    def close(self) -> None:
        """Ends the reading: the words are known now."""
        super().close()
        self.page.words = "".join(self._text).split()

    def _within(self, tag: str) -> bool:
        return any(name == tag for name, _ in self._open)

    def _in_class(self, name: str) -> bool:
        return any(name in classes for _, classes in self._open)

    def _left_out(self) -> bool:
        return any(LEFT_OUT & classes for _, classes in self._open)


def pages_of(site: Path) -> dict[str, Page]:
    """The pages of a site by address."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        address = path.relative_to(site).as_posix()
        if address != "404.html":
            reader = Reader(address)
            reader.feed(path.read_text("utf-8"))
            reader.close()
            found[address] = reader.page
    return found


def differences(material: Path, zensical: Path, staged: Path) -> list[Difference]:
    """All that differs between two sites that were made of a staged tree."""
    ours, theirs = pages_of(material), pages_of(zensical)
    assets = {path.relative_to(staged).as_posix() for path in staged.rglob("*") if path.is_file()}
    found = [*_either(ours, theirs, "site", "page")]
    for address in ours.keys() & theirs.keys():
        found += _of_page(address, ours[address], theirs[address], assets)
    found += _of_files(material, zensical, {name for name in assets if not name.endswith((".md", "nav.yml"))})
    return sorted([*found, *_of_search(staged, material, zensical)])


def _either(ours: Iterable[str], theirs: Iterable[str], page: str, kind: str) -> Iterator[Difference]:
    """What stands on one side alone."""
    mine, other = set(ours), set(theirs)
    for missing, who in ((sorted(mine - other), "Material"), (sorted(other - mine), "Zensical")):
        more = f", and {len(missing) - MOST} more" if len(missing) > MOST else ""
        if missing:
            yield Difference(page, kind, f"only {who} has {', '.join(missing[:MOST])}{more}")


def _of_page(address: str, mine: Page, other: Page, assets: set[str]) -> Iterator[Difference]:
    if mine.title != other.title:
        yield Difference(address, "title", f"{mine.title!r} and {other.title!r}")
    if mine.words != other.words:
        at = next(
            (at for at, both in enumerate(zip(mine.words, other.words, strict=False)) if both[0] != both[1]),
            min(len(mine.words), len(other.words)),
        )
        said = (" ".join(page.words[at : at + 8]) for page in (mine, other))
        yield Difference(address, "text", " and ".join(map(repr, said)))
    for kind in ("links", "pictures", "places"):
        before, after = getattr(mine, kind), getattr(other, kind)
        if sorted(before) != sorted(after):
            yield from _either(_numbered(before), _numbered(after), address, kind)
    loaded = ([name for name in page.loads if name in assets] for page in (mine, other))
    yield from _either(*loaded, address, "styles and scripts")
    yield from _either(mine.leads, other.leads, address, "navigation")
    if mine.tags != other.tags:
        yield Difference(address, "tags", f"{mine.tags} and {other.tags}")


def _numbered(names: list[str]) -> Iterator[str]:
    """Names that stand several times, each time under another name."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} (again, {seen[name]})"


def _of_files(material: Path, zensical: Path, names: set[str]) -> Iterator[Difference]:
    for name in sorted(names):
        both = [site / name for site in (material, zensical)]
        if not all(path.is_file() for path in both):
            yield from _either(*([name] if path.is_file() else [] for path in both), "site", "file")
        elif both[0].read_bytes() != both[1].read_bytes():
            yield Difference("site", "file", f"{name} differs")


def _of_search(staged: Path, material: Path, zensical: Path) -> Iterator[Difference]:
    """Which sections the search has, and the weights that the pages ask for."""
    first = json.loads((material / "search/search_index.json").read_text("utf-8"))["docs"]
    second = json.loads((zensical / "search.json").read_text("utf-8"))["items"]
    yield from _either(*({entry["location"] for entry in entries} for entries in (first, second)), "search", "section")
    pages = (path.read_text("utf-8") for path in staged.rglob("*.md"))
    weighted = sum(bool(re.match(r"---\n(?:.*\n)*?  boost: ", page)) for page in pages)
    if weighted and not any("boost" in entry for entry in second):
        yield Difference("search", "weight", f"{weighted} pages ask for one; Zensical takes none")


def built(root: Path, zensical: Path, place: Path) -> tuple[Path, Path, Path]:
    """The pages as they are staged, and the sites that both builders make of them; tells how long each took."""
    staged = place / "staged"
    _run([sys.executable, "budget.py", "render", "--root", str(root), "--out", str(staged)], HERE)
    sites = {}
    commands = {
        "Material": [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        "Zensical": [str(zensical), "build", "--strict"],
    }
    for name, command in commands.items():
        own = place / name.lower()
        shutil.copytree(staged, own)
        before = perf_counter()
        _run([*command, "-f", str(own / "mkdocs.yml")], own)
        sites[name] = own / "site"
        print(f"{name}: {len(list(sites[name].rglob('*.html'))):,} pages in {perf_counter() - before:.1f} s")
    return staged / "docs", sites["Material"], sites["Zensical"]


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def told(found: Iterable[Difference], expected: Mapping[str, str] = EXPECTED) -> tuple[list[str], int]:
    """The lines to print, and how many of the differences were not expected. Expected ones are told once a kind."""
    by_kind: dict[str, list[Difference]] = {}
    for each in found:
        by_kind.setdefault(each.kind if each.kind in expected else "", []).append(each)
    other = by_kind.pop("", [])
    lines = [f"expected ({len(by_kind[kind])}): {expected[kind]}" for kind in sorted(by_kind)]
    lines += [str(each) for each in other]
    many = f"{len(other)} differences that are" if len(other) > 1 else "1 difference that is"
    return [*lines, f"{many} not expected" if other else "No other difference."], len(other)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--root", type=Path, default=HERE, help="the tree (default: this one)")
    parser.add_argument("--zensical", type=Path, default=ZENSICAL, help="its program (default: of `make builders`)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what was staged and built in this new folder")
    options = parser.parse_args()
    if not shutil.which(str(options.zensical)):
        parser.error(f"{options.zensical} is not here: `make builders` installs it, from requirements-zensical.txt")
    with tempfile.TemporaryDirectory(prefix="builders-") as folder:
        place = options.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        staged, material, zensical = built(options.root.resolve(), options.zensical.absolute(), place.resolve())
        lines, unexpected = told(differences(material, zensical, staged))
    print("\n".join(lines))
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
