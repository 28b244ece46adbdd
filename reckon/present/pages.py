"""`present`: a Book -> every page and picture, by path under the root. Templates are read, nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, PrefixLoader

from reckon.compute.book import Book
from reckon.model.kinds import SHARED
from reckon.model.pages import CATALOGUE, OWN_PAGE, PORTFOLIO, TemplatePage, pages_of
from reckon.model.release import SHARED_PARTS, Snapshot

from .budget.adding import adding
from .budget.page import Budget
from .budget.status import Standing
from .charts import Picture, draw, is_current
from .charts.picture import pictures
from .choosing import Choosing
from .measured import Overview
from .navigation import navigation
from .render.printing import Mark, Printer, unmarked
from .shared import Catalogue, Portfolio
from .templating import Within, render_page
from .tracing import Findings, groups
from .versions.page import VersionStep, crossing_picture
from .view import View

KINDS = ("reckoned", "stated")

Existing = Callable[[str], str | None]
Releases = Mapping[str, Sequence[Snapshot]]
NONE: Releases = MappingProxyType({})
Leaps = Mapping[str, Sequence[VersionStep]]
NO_LEAPS: Leaps = MappingProxyType({})


def present(
    book: Book,
    templates: Sequence[Path],
    existing: Existing,
    mark: Mark = unmarked,
    releases: Releases = NONE,
    leaps: Leaps = NO_LEAPS,
    own: Sequence[str] = (),
) -> dict[str, str]:
    """Every file under docs/ that is made from the ledger: path relative to the root -> text.

    `templates` are searched in order. `existing` gives the text of a file that is there now, so that a picture that
    would not change is not drawn again. `mark` sees each piece of text as it is printed. `releases` are those of each
    project, and `leaps` what changed between them, the newest first. `own` are pages
    written by hand, for the navigation: their paths below docs/.
    """
    loader = loader_of(templates)
    views = [View(book, project, tuple(releases.get(project.id, ()))) for project in book.ledger.projects.values()]
    found = {view.id: groups(book, [view.id]) for view in views}
    shared = groups(book, SHARED)
    every = [group for some in (*found.values(), shared) for group in some]
    anchors = tuple({figure.address for group in every for figure in getattr(group, key)} for key in KINDS)
    forge = book.ledger.settings.forge
    pages: dict[str, str] = {}
    standings = [Standing(view) for view in views]
    for view, standing in zip(views, standings, strict=True):
        data = {**project_data(standing), "groups": found[view.id], "leaps": leaps.get(view.id, ())}
        data["adding"] = adding(view, forge)
        data["pictures"] = {**data["pictures"], **dict(_crossings(view, data["leaps"]))}
        pages.update((f"docs/{view.id}/{name}", text) for name, text in drawn(view.id, data["pictures"], existing))
        files = [*view.ledger.files, *_shared_files(book)]
        for page, more in project_pages(data["overview"]):
            printer = Printer(f"{view.id}/{page.file}", mark, *anchors, forge=forge)
            pages[f"docs/{view.id}/{page.file}"] = render_page(loader, page.template, printer, files, {**data, **more})
    kinds = _by_kind(standings)
    data = {"book": book, "views": views, "groups": shared, **kinds, "portfolio": Portfolio(book, **kinds),
            "catalogue": Catalogue(book)}  # fmt: skip
    for page, files in ((PORTFOLIO, list(book.ledger.files)), (CATALOGUE, _shared_files(book))):
        printer = Printer(page.file, mark, *anchors, forge=forge)
        pages[f"docs/{page.file}"] = render_page(loader, page.template, printer, files, data)
    pages["docs/nav.yml"] = navigation(views, existing, own)
    return pages


def loader_of(templates: Sequence[Path]) -> BaseLoader:
    """Templates by name; the last folder's also as `shipped/NAME`, for one of the same name that adds to it."""
    named = Within([str(folder) for folder in templates])
    return ChoiceLoader([named, PrefixLoader({"shipped": Within(str(templates[-1]))})])


def project_data(standing: Standing) -> dict[str, Any]:
    """What the templates of a project's pages see, but for the rows of its derivations."""
    view, choosing = standing.view, Choosing(standing.view)
    return {"book": view.book, "view": view, "standing": standing, "choosing": choosing, "overview": Overview(view),
            "budget": Budget(view, choosing), "findings": Findings(view),
            "pictures": pictures(standing, choosing)}  # fmt: skip


def project_pages(overview: Overview) -> Iterator[tuple[TemplatePage, Mapping[str, object]]]:
    """The pages of a project, the fixed ones and its own, each with what its template sees besides."""
    for page in pages_of(overview.view.kind, bool(overview.view.releases)):
        yield page, {}
    for paper in overview.papers:
        yield TemplatePage(paper.id, str(paper.record.title), OWN_PAGE), {"paper": paper}


def _crossings(view: View, leaps: Sequence[VersionStep]) -> Iterator[tuple[str, Picture]]:
    """The pictures of what changed between releases."""
    for leap in leaps:
        if picture := crossing_picture(str(view.project.title), leap):
            yield leap.picture, picture


def _by_kind(standings: Sequence[Standing]) -> dict[str, Any]:
    """The projects as the portfolio lists them: budgets, comparisons of hardware, and what was measured."""
    views = [standing.view for standing in standings]
    return {
        "standings": [standing for standing in standings if standing.view.kind == "budget"],
        "choosings": [Choosing(view) for view in views if view.kind == "comparison"],
        "overviews": [Overview(view) for view in views if view.kind == "measured"],
    }


def _shared_files(book: Book) -> list[str]:
    return [file for file in book.ledger.files if file.split("/")[1] in SHARED_PARTS]


def drawn(project: str, shown: Mapping[str, Picture], existing: Existing) -> Iterator[tuple[str, str]]:
    """The files of the pictures of a project by name; one that is there as it would be drawn is not drawn again."""
    for name, picture in shown.items():
        names = [f"{name}.{ending}" for ending in ("svg", "vl.json")]
        svg, spec = (existing(f"docs/{project}/{file}") or "" for file in names)
        if not is_current(svg, picture, spec):
            drawing = draw(picture)
            svg, spec = drawing.svg, drawing.spec
        yield from zip(names, (svg, spec), strict=True)
