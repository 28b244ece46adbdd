"""nav.yml: the order of the pages. It is generated because text order sorts version 1.10 before 1.2."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import count

from reckon.model.pages import CATALOGUE, DERIVATIONS, PAGES, PORTFOLIO, STATEMENT
from reckon.model.release import HOME

from .budget.statement import Statement
from .render import escape
from .view import View

GUIDE: Mapping[str, str] = {
    "guide/index.md": "Guide",
    "guide/start.md": "First budget",
    "guide/plan.md": "Your own plan",
    "guide/cover.md": "You already have a budget",
    "guide/runs.md": "Record runs",
    "guide/job.md": "From the job",
    "guide/import.md": "Import runs",
    "guide/read.md": "Read the site",
    "guide/forecast.md": "Progress, forecast, limits",
    "guide/team.md": "Work as a team",
    "guide/pays.md": "Who pays",
    "guide/choose.md": "Choose GPUs",
    "guide/fit.md": "Check memory",
    "guide/measure.md": "Measure and project",
    "guide/energy.md": "Energy and emissions",
    "guide/whatif.md": "What if, proposals",
    "guide/release.md": "Releases and history",
    "guide/request.md": "Requests, PDFs, closed periods",
    "guide/published.md": "Audit a published document",
    "guide/python.md": "Python and spreadsheets",
    "guide/security.md": "Untrusted changes",
    "guide/language.md": "Quantities, formulas, units",
    "guide/reference.md": "Fields",
    "guide/addresses.md": "Addresses",
    "guide/columns.md": "Columns",
    "guide/commands.md": "Commands and words",
    "guide/messages.md": "Problems and findings",
}
"""The pages of the guide in their order, with their titles."""


Existing = Callable[[str], str | None]
"""Gives the text of a file that is there."""


def _quote(text: str) -> str:
    """A text as YAML. Its own letters stay: the escapes of JSON for those beyond 16 bits are none of YAML."""
    return json.dumps(text, ensure_ascii=False)


def _list_pages(view: View, pages: Container[str]) -> Iterator[tuple[str, str]]:
    """The pages of a project with their titles: the first, those that the ledger names, then the rest."""
    first, *others = sorted((page for page in view.fixed_pages if page.order), key=lambda page: page.order)
    yield first.file, first.title
    for name, own_page in view.project.pages.items():
        yield f"{name}.md", _quote(escape.attribute(own_page.title))
    for page in others:
        yield page.file, page.title
        if page.name == DERIVATIONS:
            for number in count(2):
                part = f"{DERIVATIONS}-{number}.md"
                if f"docs/{view.id}/{part}" not in pages:
                    break
                yield part, f"{page.title}, part {number}"


def _list_releases(view: View) -> Iterator[str]:
    """The releases of a project, the newest first, each with its pages in their order."""
    if not view.releases:
        return
    # Of two titles of one page the last counts: a release can be older than what the project is about by now.
    titles = {page.file: page.title for page in sorted(PAGES, key=lambda page: page.order)}
    yield "          - Releases:"
    yield f"              - {view.id}/{HOME}/index.md"
    for release in view.releases:
        yield f"              - {_quote(release.version)}:"
        names = [name.removeprefix(f"{release.folder}/") for name in release.pages if name.endswith(".md")]
        titled = [name for name in titles if name in names]
        others = [name for name in names if name not in titles]
        for name in [*titled, *others]:
            title = f"{titles[name]}: " if name in titles else ""
            yield f"                  - {title}{view.id}/{HOME}/{release.version}/{name}"


def navigation(
    views: Sequence[View],
    existing: Existing,
    own: Sequence[str] = (),
    statements: Sequence[Statement] = (),
    pages: Container[str] = (),
) -> str:
    """The navigation as YAML: the portfolio, the projects, the catalogue, and the guide where it is there.

    The projects stand together under one heading, so that the tabs of the site are few however many there are.
    `own` are further pages of the guide, which say their titles themselves. `statements` are those of allocations with
    closed periods, `pages` the paths of all that are made.
    """
    lines = ["# Made by `budget render`. Do not edit.", "nav:", f"  - {PORTFOLIO.title}: {PORTFOLIO.file}"]
    if views:
        lines.append("  - Projects:")
    for view in views:
        lines.append(f"      - {_quote(escape.attribute(view.project.title))}:")
        lines += [f"          - {title}: {view.id}/{page}" for page, title in _list_pages(view, pages)]
        lines += _list_releases(view)
    lines.append(f"  - {CATALOGUE.title}: {CATALOGUE.file}")
    if statements:
        lines.append(f"  - {STATEMENT.title}:")
    for statement in statements:
        title = _quote(escape.attribute(statement.title))
        lines.append(f"      - {title}: {STATEMENT.name}/{statement.id}.md")
    guide = [page for page in GUIDE if existing(f"docs/{page}") is not None]
    more = [page for page in own if page not in GUIDE]
    if guide or more:
        lines.append("  - Guide:")
        lines += [f"      - {GUIDE[page]}: {page}" for page in guide]
        lines += [f"      - {_quote(page)}" for page in more]
    return "\n".join(lines) + "\n"
