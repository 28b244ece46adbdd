"""`present`: a Book -> every page and picture, by path under the root. Templates are read, nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, TemplateError, TemplateSyntaxError

from reckon.compute.book import Book
from reckon.language.text import Place
from reckon.model.ledger import ProjectLedger
from reckon.model.problem import Problem

from .charts import draw, is_current
from .derivations import groups
from .navigation import navigation
from .pictures import waterfall
from .printing import SHARED, Mark, unmarked
from .templating import render_page
from .view import View

# The pages of a project: file name under docs/<project>/ and its template.
PROJECT_PAGES: Mapping[str, str] = {
    "index.md": "budget.md.j2",
    "derivations.md": "derivations.md.j2",
    "findings.md": "findings.md.j2",
    "history.md": "history.md.j2",
}

Existing = Callable[[str], str | None]


def present(book: Book, templates: Sequence[Path], existing: Existing, mark: Mark = unmarked) -> dict[str, str]:
    """Every file under docs/ that is made from the ledger: path relative to the root -> text.

    `templates` are searched in order. `existing` gives the text of a file that is there now, so that a picture that
    would not change is not drawn again. `mark` sees each piece of text as it is printed.
    """
    loader = FileSystemLoader([str(one) for one in templates])
    views = [View(book, one) for one in book.ledger.projects.values()]
    pages: dict[str, str] = {}
    for view in views:
        pages.update(_project(loader, view, existing, mark))
    everything, shared = book.ledger.files, _shared_files(book)
    data: dict[str, Any] = {"book": book, "views": views, "groups": groups(book, SHARED)}
    pages["docs/index.md"] = render_page(loader, "portfolio.md.j2", "index.md", everything, mark, data)
    pages["docs/catalog.md"] = render_page(loader, "catalog.md.j2", "catalog.md", shared, mark, data)
    pages["docs/nav.yml"] = navigation(book, existing)
    return pages


def _shared_files(book: Book) -> list[str]:
    return [file for file in book.ledger.files if file.split("/")[1] in ("catalog", "allocations.yaml")]


def _project(loader: FileSystemLoader, view: View, existing: Existing, mark: Mark) -> Iterator[tuple[str, str]]:
    folder = f"docs/{view.id}"
    picture = waterfall(view.book, view.one)
    if picture:
        paths = [f"{folder}/budget-waterfall.{ending}" for ending in ("svg", "vl.json")]
        svg, spec = (existing(path) or "" for path in paths)
        if not is_current(svg, picture, spec):
            drawing = draw(picture)
            svg, spec = drawing.svg, drawing.spec
        yield from zip(paths, (svg, spec), strict=True)
    data = {"book": view.book, "view": view, "picture": picture, "groups": groups(view.book, [view.id])}
    for page, template in PROJECT_PAGES.items():
        files = _files(view.book, view.one)
        yield f"{folder}/{page}", render_page(loader, template, f"{view.id}/{page}", files, mark, data)


def _files(book: Book, one: ProjectLedger) -> list[str]:
    return [*one.files, *_shared_files(book)]


def problems_of(error: Exception) -> list[Problem]:
    """A template that does not work, as a problem for whoever edits it; any other error is raised again."""
    if isinstance(error, TemplateSyntaxError):
        return [
            Problem(Place(f"templates/{error.name}", error.lineno, 1), f"the template does not parse: {error.message}")
        ]
    if isinstance(error, TemplateError):
        return [Problem(Place("templates", 1, 1), f"a template does not work: {error}")]
    raise error
