"""How many words a reader meets on a page of markdown: a hand-written document and a page made from it, counted alike.

    python scripts/words.py document.md=docs/project/index.md …

A word stands between spaces and has a letter or a digit. Counted is the article as the site renders it, with tables,
their captions and closed details; not links to headings, drawings, and what stands below or in place of a picture.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import markdown
import yaml

ROOT = Path(__file__).resolve().parents[1]
_HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_WORD = re.compile(r"[^\W_]")
_UNSEEN = ("script", "style", "svg", "template", "head", "figcaption")


class _Article(HTMLParser):
    """The words of an article that are shown, or shown when details are opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._within: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("br", "hr", "img", "input", "wbr", "source"):
            self.texts.append(" ")
            return
        known = dict(attrs)
        unseen = tag in _UNSEEN or "popover" in known or "headerlink" in (known.get("class") or "").split()
        self._within.append(unseen)
        self.texts.append("" if tag in _INLINE else " ")

    def handle_endtag(self, tag: str) -> None:
        if self._within:
            self._within.pop()
        self.texts.append("" if tag in _INLINE else " ")

    def handle_data(self, data: str) -> None:
        if not any(self._within):
            self.texts.append(data)


_INLINE = (
    "a",
    "abbr",
    "b",
    "code",
    "del",
    "em",
    "i",
    "ins",
    "kbd",
    "mark",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
)


def words(text: str) -> int:
    """The words of a page of markdown, without its front matter."""
    settings = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader=yaml.BaseLoader)
    listed = [part if isinstance(part, dict) else {part: {}} for part in settings["markdown_extensions"]]
    named = {name: options or {} for part in listed for name, options in part.items()}
    plain = {name: {} for name in named}
    html = markdown.markdown(_HEAD.sub("", text), extensions=list(plain), extension_configs=plain)
    article = _Article()
    article.feed(html)
    return sum(bool(_WORD.search(word)) for word in "".join(article.texts).split())


def counted(pairs: Iterator[str]) -> Iterator[str]:
    """A line for each `source=page`, or for a page alone."""
    yield f"{'source':>8}{'page':>8}{'times':>8}  page"
    for pair in pairs:
        source, _, page = pair.rpartition("=")
        there = words(Path(page).read_text("utf-8"))
        was = words(Path(source).read_text("utf-8")) if source else 0
        yield f"{was or '':>8}{there:>8}{f'{there / was:.2f}' if was else '':>8}  {page}"


if __name__ == "__main__":
    print("\n".join(counted(iter(sys.argv[1:]))))
