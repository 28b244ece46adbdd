"""`present`: a Book -> every page and picture, by path under the root; `frozen`: those of a project as it is released,
a copy that leads out only to the list of releases. Templates are read, nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, PrefixLoader
from msgspec.structs import replace

from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges
from reckon.extras import is_installed
from reckon.language.groups import group_by
from reckon.model.closing import Closing
from reckon.model.figure import closure
from reckon.model.kinds import SHARED
from reckon.model.pages import (
    CATALOGUE,
    DERIVATIONS,
    OWN_PAGE,
    PAGES,
    PORTFOLIO,
    STATEMENT,
    TemplatePage,
)
from reckon.model.release import SHARED_PARTS, Snapshot

from .budget.add_run_link import adding
from .budget.imports import Imports
from .budget.page import Budget
from .budget.statement import Statement
from .budget.status import Standing
from .catalogue_tables import Catalogue
from .charts import Drawing, Picture, draw, is_current
from .charts.picture import Pictures, Waiting, pictures
from .choosing import Choosing
from .derivations import DerivationGroup, groups, split
from .finding_tables import Findings
from .measuring import Overview
from .navigation import Existing, navigation
from .portfolio import Portfolio
from .render import escape
from .render.printing import Mark, Printer, unmarked
from .render.shown_forms import ShownForms
from .sandbox import Within
from .templating import render_page
from .versions.history import History
from .versions.page import VersionStep, crossing_picture
from .versions.proposal_pages import Proposed
from .view import View

Releases = Mapping[str, Sequence[Snapshot]]
VersionSteps = Mapping[str, Sequence[VersionStep]]
Proposals = Mapping[str, Sequence[Proposed]]
NONE: Mapping[str, Any] = {}
"""Of no project anything."""
Parts = Mapping[str, Sequence[DerivationGroup]]
"""The rows of pages of derivations, by page."""
TemplateData = dict[str, Any]
"""What templates see, by name."""
Far = Callable[[int, int], None]
"""What is told how far something is: so much is done, of so much."""
DrawAll = Callable[[Sequence[Picture]], AbstractContextManager[Waiting]]
"""What begins to draw pictures, and gives what waits for them."""


@contextmanager
def draw_each(pictures: Sequence[Picture]) -> Iterator[Waiting]:
    """Draws pictures one by one, here, once they are asked for."""
    yield lambda: [draw(picture) for picture in pictures]


def present(
    book: Book,
    templates: Sequence[Path],
    existing: Existing,
    mark: Mark = unmarked,
    releases: Releases = NONE,
    version_steps: VersionSteps = NONE,
    own: Sequence[str] = (),
    proposals: Proposals = NONE,
    closings: Sequence[Closing] = (),
    draw_all: DrawAll = draw_each,
    far: Far | None = None,
) -> dict[str, str]:
    """Every file under docs/ that is made from the ledger: path relative to the root -> text.

    `templates` are searched in order. `existing` gives the text of a file that is there now, so that a picture that
    would not change is not drawn again. `mark` sees each piece of text as it is printed. `releases` are those of each
    project, `version_steps` what changed between them, the newest first, and `proposals` what those of each come to.
    `own` are pages written by hand: their paths below docs/. `closings` are the closed periods of allocations.
    Pictures are begun by `draw_all` before the pages are filled. Where vl-convert is not installed, there are none.
    `far` is told how many pages are filled, of how many.
    """
    projects = book.projects.values()
    views = [View(book, project, tuple(releases.get(project.id, ()))) for project in projects]
    standings = [Standing(view) for view in views]
    seen = {
        view.id: _collect_living_data(standing, version_steps.get(view.id, ()), proposals.get(view.id, ()))
        for view, standing in zip(views, standings, strict=True)
    }
    statements = statements_of(book, closings)
    portfolio = Portfolio(book, standings, [statement.id for statement in statements])
    shown = {name: data["pictures"] for name, data in seen.items()}
    if not is_installed("vl_convert"):
        shown = {}
    current, missing = _sort_pictures(shown, existing)
    with draw_all(list(missing.values())) as drawings:
        seen[""] = {**_collect_shared_data(portfolio), "pictures": {}}
        pages = _fill_pages(book, loader_of(templates), mark, seen, views, statements, existing, far)
        current |= zip(missing, drawings(), strict=True)
    for at, drawing in current.items():
        pages |= {f"docs/{at}.svg": drawing.svg, f"docs/{at}.vl.json": drawing.spec}
    pages["docs/nav.yml"] = navigation(views, existing, own, statements, pages)
    return pages


def _collect_living_data(
    standing: Standing, steps: Sequence[VersionStep], proposals: Sequence[Proposed]
) -> TemplateData:
    """What the templates of a project's pages see beside its derivations, with what no release has."""
    data = project_data(standing, proposals[0].book if len(proposals) == 1 else None)
    data["adding"] = adding(standing.view, standing.view.book.ledger.settings.forge)
    data["proposals"] = proposals
    data["history"] = History(standing.view)
    data["version_steps"] = data["leaps"] = steps  # `leaps` of old
    title = standing.view.project.title
    bridges = {step.picture: crossing_picture(title, step) for step in steps}
    for each in proposals:
        bridges[each.picture] = crossing_picture(title, each, f"the proposal “{each.record.title}”")
    data["pictures"] = {**data["pictures"], **{name: bridge for name, bridge in bridges.items() if bridge}}
    return data


def _collect_shared_data(portfolio: Portfolio) -> TemplateData:
    """What the templates of pages of all projects see, but for their pictures."""
    return {
        "portfolio": portfolio,
        "catalogue": Catalogue(portfolio.book),
    }


def _fill_pages(
    book: Book,
    loader: BaseLoader,
    mark: Mark,
    seen: Mapping[str, TemplateData],
    views: Sequence[View],
    statements: Sequence[Statement],
    existing: Existing,
    far: Far | None,
) -> dict[str, str]:
    """The texts of all pages by their paths; `seen` is what the pages of each project see, but for its derivations, and
    by an empty name what those of all projects see."""
    shared_files = [file for file in book.ledger.files if file.split("/")[1] in SHARED_PARTS]
    parts = {view.id: split(groups(book, [view.id])) for view in views}
    shared = groups(book, SHARED)
    placed = {f"{view.id}/{name}.md": part for view in views for name, part in parts[view.id].items()}
    rows = _place_rows({**placed, CATALOGUE.file: shared})
    forms, lines_of = ShownForms(), _make_line_reader(existing)

    own = [(view, *page) for view in views for page in project_pages(seen[view.id]["overview"], parts[view.id])]
    numbers, whole = count(1), len(own) + 2 + len(statements)

    def make_printer(page: str) -> Printer:
        if far:
            far(next(numbers), whole)
        return Printer(page, mark, rows, book.ledger.settings.forge, lines_of, forms)

    pages = {}
    for view, page, more in own:
        files = [*view.ledger.files, *shared_files]
        at = f"{view.id}/{page.file}"
        pages[f"docs/{at}"] = render_page(loader, page.template, make_printer(at), files, {**seen[view.id], **more})
    data = {**seen[""], "book": book, "views": views, "groups": shared}
    for page, files in ((PORTFOLIO, list(book.ledger.files)), (CATALOGUE, shared_files)):
        pages[f"docs/{page.file}"] = render_page(loader, page.template, make_printer(page.file), files, data)
    pages |= dict(_render_statements(loader, statements, make_printer))
    return {path: forms.fill(text) for path, text in pages.items()}


def _make_line_reader(existing: Existing) -> Callable[[str], list[str]]:
    """What gives the lines of a file of the ledger, none where it is not there; each file is read once."""
    return cache(lambda file: (existing(file) or "").splitlines())


def _place_rows(parts: Parts) -> dict[str, str]:
    """The page of the row of each figure, by address."""
    groups = [(page, group) for page, part in parts.items() for group in part]
    return {figure.address: page for page, group in groups for figure in (*group.reckoned, *group.stated)}


def statements_of(book: Book, closings: Sequence[Closing]) -> list[Statement]:
    """The statements of the allocations that have closed periods, in the order of the ledger."""
    charges, own = Charges(book.ledger, book.figures), group_by(closings, lambda closing: closing.allocation)
    return [Statement(book, name, own[name], charges) for name in map(str, book.allocations) if name in own]


def _render_statements(
    loader: BaseLoader, statements: Sequence[Statement], make_printer: Callable[[str], Printer]
) -> Iterator[tuple[str, str]]:
    """The page and the csv of each statement, by path."""
    for statement in statements:
        at = f"{STATEMENT.name}/{statement.id}"
        printer, data = make_printer(f"{at}.md"), {"statement": statement}
        yield f"docs/{at}.md", render_page(loader, STATEMENT.template, printer, statement.files, data)
        yield f"docs/{at}.csv", statement.csv_text()


def loader_of(templates: Sequence[Path]) -> BaseLoader:
    """Templates by name; the last folder's also as `shipped/NAME`, for one of the same name that adds to it."""
    return ChoiceLoader([Within(templates), PrefixLoader({"shipped": Within(templates[-1])})])


def project_data(standing: Standing, proposed: Book | None = None) -> TemplateData:
    """What the templates of a project's pages see, but for the rows of its derivations. `proposed` is the book as its
    one proposal would have it."""
    view, choosing = standing.view, Choosing(standing.view)
    return {
        "book": view.book,
        "view": view,
        "standing": standing,
        "choosing": choosing,
        "overview": Overview(view),
        "budget": Budget(view, choosing, proposed),
        "findings": Findings(view),
        "frozen": None,
        "imports": Imports(view),
        "pictures": pictures(standing, choosing),
    }


def project_pages(overview: Overview, parts: Parts) -> Iterator[tuple[TemplatePage, Mapping[str, object]]]:
    """The pages of a project, the fixed ones and its own, each with what its template sees besides. `parts` are the
    rows of each page of derivations."""
    for page in overview.view.fixed_pages:
        if page.name == DERIVATIONS:
            for name, part in parts.items():
                yield replace(page, name=name), {"groups": part, "name": name, "parts": [*parts]}
        else:
            yield page, {}
    for paper in overview.papers:
        yield TemplatePage(paper.id, paper.record.title, OWN_PAGE), {"paper": paper}


def _sort_pictures(shown: Mapping[str, Pictures], existing: Existing) -> tuple[dict[str, Drawing], dict[str, Picture]]:
    """The pictures of projects (those of all under an empty name) by their paths below docs/, without endings: those
    that are there as they would be drawn, and those that are to be drawn."""
    current = {}
    missing = {}
    for project, by_name in shown.items():
        for name, picture in by_name.items():
            at = f"{project}/{name}".lstrip("/")
            svg, spec = existing(f"docs/{at}.svg") or "", existing(f"docs/{at}.vl.json") or ""
            if is_current(svg, picture, spec):
                current[at] = Drawing(svg, spec)
            else:
                missing[at] = picture
    return current, missing


INDEX = "../index.md"
LIVING = frozenset(page.file for page in PAGES if page.living)
"""Pages of a project that a release does not have: links to them lead to the list of releases."""
_LINK = re.compile(
    r"(?P<code>^```.*?^```$|`+[^`]+`+)|(?P<mark>!?)\[(?P<text>(?:[^\[\]\\]|\\.)*)\]\((?P<target>[^()\s]+)\)",
    re.MULTILINE | re.DOTALL,
)


def frozen(book: Book, release: Snapshot, templates: Sequence[Path], existing: Existing) -> dict[str, str]:
    """The pages and pictures of a release by path under the root: those of the project, as they stand in a book, with
    the texts of its ledger files.

    Pictures are drawn anew, whatever lies in the tree: a release is for good.
    """
    loader = loader_of(templates)
    view = View(book, book.projects[release.project])
    parts = split(_collect_derivations(book, view.id))
    rows = _place_rows({f"{view.id}/{name}.md": part for name, part in parts.items()})
    notice = f"Released as {release.version} by `budget release`. Never changed: edit the ledger and release again."
    header = escape.Markup(f"<!-- {notice} -->")
    data = {**project_data(Standing(view)), "frozen": release, "header": header}
    head = render_page(loader, "frozen.md.j2", Printer(""), (), data)
    texts, forms, lines_of = {}, ShownForms(), _make_line_reader(existing)
    for page, more in project_pages(data["overview"], parts):
        if not page.living:
            printer = Printer(f"{view.id}/{page.file}", unmarked, rows, None, lines_of, forms)
            texts[page.file] = render_page(loader, page.template, printer, (), {**data, **more})
    svgs = {f"{name}.svg": draw(picture).svg for name, picture in data["pictures"].items()}
    inside = {*texts, *svgs, release.paper}
    pages = {
        name: _contain_links(_put_head_in(forms.fill(text), release, head), inside) for name, text in texts.items()
    }
    return {f"{release.folder}/{name}": text for name, text in {**pages, **svgs}.items()}


def _collect_derivations(book: Book, project: str) -> list[DerivationGroup]:
    """The rows of the derivations: the figures of the project, then those elsewhere that they rest on."""
    used = {figure.address for figure in closure(*book.own(project).values())}
    owners = dict.fromkeys(address.split(".")[0] for address in sorted(used) if address)
    derivations = groups(book, [project])
    for owner in owners:
        if owner == project:
            continue
        other = book.projects.get(owner)
        for group in groups(book, [owner]):
            calculated = [figure for figure in group.reckoned if figure.address in used]
            stated = [figure for figure in group.stated if figure.address in used]
            if calculated or stated:
                title = f"{other.project.title}: {group.title}" if other else group.title
                derivations.append(DerivationGroup(None, title, calculated, stated))
    return derivations


def _put_head_in(text: str, release: Snapshot, head: str) -> str:
    """A page headed as a released version, kept out of the search of a site."""
    text = re.sub(r"^tags: .*\n", "", text, count=1, flags=re.MULTILINE)
    text = re.sub(r'^(title: ".*)"$', rf'\1 ({release.version})"', text, count=1, flags=re.MULTILINE)
    text = re.sub(r"\A---\n", "---\nsearch:\n  exclude: true\n", text)
    first = re.search(r"^# .+$", text, re.MULTILINE)
    at = first.end() if first else 0
    return f"{text[:at]}, version {release.version}\n\n{head.rstrip()}{text[at:]}"


def _contain_links(text: str, inside: set[str]) -> str:
    """A page whose links stay among the files of its release: what would lead elsewhere below docs/ is text."""
    text = re.sub(r' data-spec="[^"]*"', "", text)
    allowed = {"", INDEX, *inside}

    def replace(link: re.Match[str]) -> str:
        if link["code"]:
            return link[0]
        target, _, anchor = link["target"].partition("#")
        if target in allowed or re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target):
            return link[0]
        if target in LIVING:
            return f"{link['mark']}[{link['text']}]({INDEX})"
        if target == "../catalog.md" and not anchor:
            return f"[{link['text']}](derivations.md)"
        return link["text"]

    return _LINK.sub(replace, text)
