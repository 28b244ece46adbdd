"""The pages of a project as they are frozen: a copy that leads out only to the list of releases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from reckon.compute.book import Book
from reckon.model.figure import closure
from reckon.model.pages import PAGES
from reckon.model.release import Snapshot

from .budget.status import Standing
from .pages import KINDS, drawn, loader_of, project_data, project_pages
from .render import escape
from .render.printing import Printer, unmarked
from .templating import render_page
from .tracing import FigureGroup, groups
from .view import View

INDEX = "../index.md"
LIVING = frozenset(page.file for page in PAGES if page.living)
"""Pages of a project that a release does not have: links to them lead to the list of releases."""
_LINK = re.compile(
    r"(?P<code>^```.*?^```$|`+[^`]+`+)|(?P<mark>!?)\[(?P<text>(?:[^\[\]\\]|\\.)*)\]\((?P<target>[^()\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


class FrozenPrinter(Printer):
    """Prints onto a page of a release, where all derivations stand on one page."""

    def derivation(self, address: str) -> str:
        """The link to the row of an address."""
        page = "" if self.page.endswith("/derivations.md") else "derivations.md"
        return f"{page}#{escape.anchor(address)}"


def frozen(book: Book, release: Snapshot, templates: Sequence[Path]) -> dict[str, str]:
    """The pages and pictures of a release by path under the root: those of the project, as they stand in a book.

    Pictures are drawn anew, whatever lies in the tree: a release is for good.
    """
    loader = loader_of(templates)
    view = View(book, book.ledger.projects[release.project])
    rows = _rows(book, view.id)
    anchors = [{figure.address for group in rows for figure in getattr(group, key)} for key in KINDS]
    data = {**project_data(Standing(view)), "groups": rows, "frozen": release, "header": _header(release)}
    head = render_page(loader, "frozen.md.j2", Printer(""), (), data)
    texts: dict[str, str] = {}
    for page, more in project_pages(data["overview"]):
        if not page.living:
            printer = FrozenPrinter(f"{view.id}/{page.file}", unmarked, *anchors)
            texts[page.file] = render_page(loader, page.template, printer, (), {**data, **more})
    svg = {name: text for name, text in drawn(view.id, data["pictures"], lambda _: None) if name.endswith(".svg")}
    inside = {*texts, *svg}
    pages = {name: _contained(_headed(text, release, head), inside) for name, text in texts.items()}
    return {f"{release.folder}/{name}": text for name, text in {**pages, **svg}.items()}


def _header(release: Snapshot) -> escape.Markup:
    """The comment at the top of a page; its words are our own, and numbers with dots."""
    said = f"Released as {release.version} by `budget release`. Never changed: edit the ledger"
    return escape.Markup(f"<!-- {said} and release again. -->")


def _rows(book: Book, project: str) -> list[FigureGroup]:
    """The rows of the derivations: the figures of the project, then those elsewhere that they rest on."""
    own = groups(book, [project])
    figures = (figure for at, figure in book.figures.items() if at.startswith(f"{project}."))
    used = dict.fromkeys(sorted({figure.address for figure in closure(*figures)}))
    found = list(own)
    for prefix in dict.fromkeys(address.split(".")[0] for address in used):
        if prefix == project or not prefix:
            continue
        other = book.ledger.projects.get(prefix)
        for group in groups(book, [prefix]):
            reckoned, stated = ([figure for figure in getattr(group, key) if figure.address in used] for key in KINDS)
            if reckoned or stated:
                title = f"{other.project.title}: {group.title}" if other else group.title
                found.append(FigureGroup(title, reckoned, stated))
    return found


def _headed(text: str, release: Snapshot, head: str) -> str:
    """A page headed as a released version, kept out of the search of a site."""
    text = re.sub(r"^tags: .*\n", "", text, count=1, flags=re.MULTILINE)
    text = re.sub(r'^(title: ".*)"$', rf'\1 ({release.version})"', text, count=1, flags=re.MULTILINE)
    text = re.sub(r"\A---\n", "---\nsearch:\n  exclude: true\n", text)
    first = re.search(r"^# .+$", text, re.MULTILINE)
    at = first.end() if first else 0
    return f"{text[:at]}, version {release.version}\n\n{head.rstrip()}{text[at:]}"


def _contained(text: str, inside: set[str]) -> str:
    """A page whose links stay among the files of its release: what would lead elsewhere below docs/ is text."""
    text = re.sub(r' data-spec="[^"]*"', "", text)

    def replace(found: re.Match[str]) -> str:
        if found["code"]:
            return found[0]
        target, _, anchor = found["target"].partition("#")
        if not target or target in inside or target == INDEX or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
            return found[0]
        if target in LIVING:
            return f"{found['mark']}[{found['text']}]({INDEX})"
        if target == "../catalog.md" and not anchor:
            return f"[{found['text']}](derivations.md)"
        return found["text"]

    return _LINK.sub(replace, text)
