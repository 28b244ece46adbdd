"""`present`: a Book -> every page and picture, by path under the root. Nothing is read but templates, nothing written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reckon.compute.book import Book
from reckon.model.ledger import ProjectLedger
from reckon.model.problem import Problem

from . import escape
from .charts import draw, is_current
from .derivations import groups, rests_on
from .navigation import navigation
from .numbers import with_names
from .pictures import waterfall
from .printing import SHARED, Mark, Printer, counted, unmarked
from .view import View, words

# template of each page of a project: file name under docs/<project>/ and its template.
PROJECT_PAGES: Mapping[str, str] = {
    "index.md": "budget.md.j2", "derivations.md": "derivations.md.j2", "findings.md": "findings.md.j2", "history.md": "history.md.j2",
}  # fmt: skip

# Filters of Jinja that mark text as safe after escaping it for HTML alone, which is not enough in markdown.
UNSAFE_FILTERS = ("join", "urlize", "xmlattr", "tojson", "format")

Existing = Callable[[str], str | None]


def present(book: Book, templates: Sequence[Path], existing: Existing, mark: Mark = unmarked) -> dict[str, str]:
    """Every file under docs/ that is made from the ledger: path relative to the root -> text.

    `templates` are searched in order; `existing` gives the text of a file that is there now, so that a picture that would
    not change is not drawn again.
    """
    loader = FileSystemLoader([str(one) for one in templates])
    pages: dict[str, str] = {}
    views = {name: View(book, one) for name, one in book.ledger.projects.items()}
    for name, view in views.items():
        pages.update(_project(loader, book, view, existing, mark))
    shared: dict[str, Any] = {"views": list(views.values())}
    pages["docs/index.md"] = _page(loader, book, "portfolio.md.j2", "index.md", book.ledger.files, mark, shared)
    pages["docs/catalog.md"] = _page(loader, book, "catalog.md.j2", "catalog.md", _shared_files(book), mark, {**shared, "groups": groups(book, SHARED)})
    pages["docs/nav.yml"] = navigation(book, existing)
    return pages


def _shared_files(book: Book) -> list[str]:
    return [file for file in book.ledger.files if file.split("/")[1] in ("catalog", "allocations.yaml")]


def _project(loader: FileSystemLoader, book: Book, view: View, existing: Existing, mark: Mark) -> Iterator[tuple[str, str]]:
    folder = f"docs/{view.id}"
    picture = waterfall(book, view.one)
    if picture:
        paths = [f"{folder}/budget-waterfall.{ending}" for ending in ("svg", "vl.json")]
        svg, spec = (existing(path) or "" for path in paths)
        if not is_current(svg, picture, spec):
            drawing = draw(picture)
            svg, spec = drawing.svg, drawing.spec
        yield from zip(paths, (svg, spec), strict=True)
    data = {"view": view, "picture": picture, "groups": groups(book, [view.id])}
    for page, template in PROJECT_PAGES.items():
        yield f"{folder}/{page}", _page(loader, book, template, f"{view.id}/{page}", _files(book, view.one), mark, data)


def _files(book: Book, one: ProjectLedger) -> list[str]:
    return [*one.files, *_shared_files(book)]


def _page(loader: FileSystemLoader, book: Book, template: str, page: str, files: Sequence[str], mark: Mark, data: Mapping[str, Any]) -> str:
    printer = Printer(page, mark)
    environment = Environment(
        loader=loader, finalize=printer.put, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.globals.update(book=book, words=words, counted=counted, rests_on=rests_on, header=_header(files, mark))
    environment.filters.update(
        bare=printer.bare, use=printer.use, exactly=printer.exactly, prose=printer.prose, code=printer.code, numbers=printer.numbers,
        workings=printer.workings, plain=printer.plain, say=printer.say, named=lambda figure: printer.code(with_names(figure)), id=lambda address: _anchor(address, mark),
        attribute=lambda text: printer.put(escape.Markup(mark("text", escape.attribute(text)))),
        front=lambda text: printer.put(escape.Markup(mark("text", front(text)))),
    )  # fmt: skip
    for name in UNSAFE_FILTERS:
        environment.filters.pop(name, None)
    text = environment.get_template(template).render(**data)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def _anchor(address: str, mark: Mark) -> escape.Markup:
    return escape.Markup(f'<a id="{mark("place", escape.anchor(address))}"></a>')


def front(text: str) -> str:
    """Text as a quoted value in YAML: a title in front matter or in the navigation. Entities, because themes print titles raw."""
    return json.dumps(str(escape.attribute(text)), ensure_ascii=True)


def _header(files: Sequence[str], mark: Mark) -> escape.Markup:
    """The comment that names the ledger files of a page; paths cannot close it."""
    names = ", ".join(files[:12]) + (f" and {len(files) - 12} more" if len(files) > 12 else "")
    safe = re.sub(r"[^A-Za-z0-9_./, -]|--+", "?", names)
    return escape.Markup(f"<!-- Made by `python budget.py render` from {mark('text', safe)}. Do not edit: edit the ledger. -->")


def problems_of(error: Exception) -> list[Problem]:
    """A template that does not work, as a problem for whoever edits it."""
    from jinja2 import TemplateError, TemplateSyntaxError

    from reckon.language.text import Place

    if isinstance(error, TemplateSyntaxError):
        return [Problem(Place(f"templates/{error.name}", error.lineno, 1), f"the template does not parse: {error.message}")]
    if isinstance(error, TemplateError | TypeError):
        return [Problem(Place("templates", 1, 1), f"a template does not work: {error}")]
    raise error
