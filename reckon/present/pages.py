"""`present`: a Book -> every page and picture, by path under the root; `frozen`: those of a project as it is released,
a copy that leads out only to the list of releases. Templates are read, nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, PrefixLoader

from reckon.compute.book import Book
from reckon.compute.budget.closed_periods import Charges
from reckon.model.closing import Closing
from reckon.model.figure import closure
from reckon.model.kinds import SHARED
from reckon.model.pages import CATALOGUE, OWN_PAGE, PAGES, PORTFOLIO, STATEMENT, TemplatePage
from reckon.model.release import SHARED_PARTS, Snapshot

from .budget.add_run_link import adding
from .budget.imports import Imports
from .budget.page import Budget
from .budget.statement import Statement
from .budget.status import Standing
from .catalogue_tables import Catalogue
from .charts import Drawing, Picture, draw, is_current
from .charts.picture import pictures
from .charts.portfolio_chart import across
from .choosing import Choosing
from .derivations import DerivationGroup, groups
from .finding_tables import Findings
from .home import FirstPage
from .measuring import Overview
from .navigation import navigation
from .portfolio import Portfolio
from .render import escape
from .render.printing import Mark, Printer, unmarked
from .sandbox import Within
from .templating import render_page
from .versions.page import VersionStep, crossing_picture
from .versions.proposal_pages import Proposed
from .view import View

KINDS = ("reckoned", "stated")

Existing = Callable[[str], str | None]
Releases = Mapping[str, Sequence[Snapshot]]
NONE: Releases = MappingProxyType({})
VersionSteps = Mapping[str, Sequence[VersionStep]]
NO_STEPS: VersionSteps = MappingProxyType({})
Proposals = Mapping[str, Sequence[Proposed]]
NO_PROPOSALS: Proposals = MappingProxyType({})
DrawAll = Callable[[Sequence[Picture]], AbstractContextManager[Callable[[], Sequence[Drawing]]]]
"""What begins to draw pictures, and gives what waits for them."""


@contextmanager
def draw_each(pictures: Sequence[Picture]) -> Iterator[Callable[[], Sequence[Drawing]]]:
    """Draws pictures one by one, here, once they are asked for."""
    yield lambda: [draw(picture) for picture in pictures]


def present(
    book: Book,
    templates: Sequence[Path],
    existing: Existing,
    mark: Mark = unmarked,
    releases: Releases = NONE,
    version_steps: VersionSteps = NO_STEPS,
    own: Sequence[str] = (),
    proposals: Proposals = NO_PROPOSALS,
    closings: Sequence[Closing] = (),
    draw_all: DrawAll = draw_each,
) -> dict[str, str]:
    """Every file under docs/ that is made from the ledger: path relative to the root -> text.

    `templates` are searched in order. `existing` gives the text of a file that is there now, so that a picture that
    would not change is not drawn again. `mark` sees each piece of text as it is printed. `releases` are those of each
    project, `version_steps` what changed between them, the newest first, and `proposals` what those of each come to.
    `own` are pages written by hand: their paths below docs/. `closings` are the closed periods of allocations.
    Pictures are begun by `draw_all` before the pages are filled.
    """
    views = [View(book, project, tuple(releases.get(project.id, ()))) for project in book.ledger.projects.values()]
    standings = [Standing(view) for view in views]
    seen: dict[str, dict[str, Any]] = {}
    for view, standing in zip(views, standings, strict=True):
        steps, own_proposals = version_steps.get(view.id, ()), proposals.get(view.id, ())
        seen[view.id] = data = project_data(standing)
        data |= {"adding": adding(view, book.ledger.settings.forge), "proposals": own_proposals}
        data |= dict.fromkeys(("version_steps", "leaps"), steps)  # `leaps` of old
        data["pictures"] = {**data["pictures"], **_crossings(view, (*steps, *own_proposals))}
    statements = statements_of(book, closings)
    portfolio = Portfolio.of(book, standings, [each.id for each in statements])
    whole = across(portfolio)
    of_all = {"budgets": whole} if whole else {}
    current, missing = _sorted({**{name: data["pictures"] for name, data in seen.items()}, "": of_all}, existing)
    with draw_all(list(missing.values())) as drawings:
        seen[""] = _of_all(portfolio, of_all)
        pages = _filled(book, loader_of(templates), mark, seen, views, statements)
        current |= zip(missing, drawings(), strict=True)
    for at, drawing in current.items():
        pages |= {f"docs/{at}.svg": drawing.svg, f"docs/{at}.vl.json": drawing.spec}
    pages["docs/nav.yml"] = navigation(views, existing, own, statements)
    return pages


def _filled(
    book: Book,
    loader: BaseLoader,
    mark: Mark,
    seen: Mapping[str, dict[str, Any]],
    views: Sequence[View],
    statements: Sequence[Statement],
) -> dict[str, str]:
    """The texts of all pages by their paths; `seen` is what the pages of each project see, but for its derivations, and
    by an empty name what those of all projects see."""
    shared_files = _shared_files(book)
    found = {view.id: groups(book, [view.id]) for view in views}
    shared = groups(book, SHARED)
    every = [group for some in (*found.values(), shared) for group in some]
    anchors = _anchors_of(every)
    forge = book.ledger.settings.forge
    pages: dict[str, str] = {}
    for view in views:
        data, files = {**seen[view.id], "groups": found[view.id]}, [*view.ledger.files, *shared_files]
        for page, more in project_pages(data["overview"]):
            printer = Printer(f"{view.id}/{page.file}", mark, *anchors, forge=forge)
            pages[f"docs/{view.id}/{page.file}"] = render_page(loader, page.template, printer, files, {**data, **more})
    data = {**seen[""], "book": book, "views": views, "groups": shared}
    for page, files in ((PORTFOLIO, list(book.ledger.files)), (CATALOGUE, shared_files)):
        printer = Printer(page.file, mark, *anchors, forge=forge)
        pages[f"docs/{page.file}"] = render_page(loader, page.template, printer, files, data)
    return pages | dict(_stated(loader, statements, lambda page: Printer(page, mark, *anchors, forge=forge)))


def _crossings(view: View, steps: Sequence[VersionStep]) -> dict[str, Picture]:
    """The bridges of a project as pictures, by their names."""
    found = ((step.picture, crossing_picture(str(view.project.title), step)) for step in steps)
    return {name: picture for name, picture in found if picture}


def _of_all(portfolio: Portfolio, shown: Mapping[str, Picture]) -> dict[str, Any]:
    """What the templates of the pages of the whole ledger see."""
    lists = {name: getattr(portfolio, name) for name in ("standings", "choosings", "overviews")}
    return {
        **lists,
        "portfolio": portfolio,
        "first": FirstPage(portfolio),
        "pictures": shown,
        "catalogue": Catalogue(portfolio.book),
    }


def _anchors_of(shown: Iterable[DerivationGroup]) -> tuple[set[str], ...]:
    """The addresses that the derivations have a row for, by kind."""
    anchors: tuple[set[str], ...] = tuple(set() for _ in KINDS)
    for group in shown:
        for addresses, key in zip(anchors, KINDS, strict=True):
            addresses.update(figure.address for figure in getattr(group, key))
    return anchors


def statements_of(book: Book, closings: Sequence[Closing]) -> list[Statement]:
    """The statements of the allocations that have closed periods, in the order of the ledger."""
    charges = Charges(book.ledger, book.figures)
    statements = []
    for name in map(str, book.ledger.allocations):
        own = [each for each in closings if each.allocation == name]
        if own:
            statements.append(Statement(book, name, own, charges))
    return statements


def _stated(
    loader: BaseLoader, statements: Sequence[Statement], printer: Callable[[str], Printer]
) -> Iterator[tuple[str, str]]:
    """The page and the csv of each statement, by path."""
    for each in statements:
        at = f"{STATEMENT.name}/{each.id}"
        data = {"statement": each}
        yield f"docs/{at}.md", render_page(loader, STATEMENT.template, printer(f"{at}.md"), each.files, data)
        yield f"docs/{at}.csv", each.csv_text()


def loader_of(templates: Sequence[Path]) -> BaseLoader:
    """Templates by name; the last folder's also as `shipped/NAME`, for one of the same name that adds to it."""
    named = Within([str(folder) for folder in templates])
    return ChoiceLoader([named, PrefixLoader({"shipped": Within(str(templates[-1]))})])


def project_data(standing: Standing) -> dict[str, Any]:
    """What the templates of a project's pages see, but for the rows of its derivations."""
    view, choosing = standing.view, Choosing(standing.view)
    return {
        "book": view.book,
        "view": view,
        "standing": standing,
        "choosing": choosing,
        "overview": Overview(view),
        "budget": Budget(view, choosing),
        "findings": Findings(view),
        "frozen": None,
        "imports": Imports(view),
        "pictures": pictures(standing, choosing),
    }


def project_pages(overview: Overview) -> Iterator[tuple[TemplatePage, Mapping[str, object]]]:
    """The pages of a project, the fixed ones and its own, each with what its template sees besides."""
    view = overview.view
    for page in view.fixed_pages:
        yield page, {}
    for paper in overview.papers:
        yield TemplatePage(paper.id, str(paper.record.title), OWN_PAGE), {"paper": paper}


def _shared_files(book: Book) -> list[str]:
    return [file for file in book.ledger.files if file.split("/")[1] in SHARED_PARTS]


def _sorted(
    shown: Mapping[str, Mapping[str, Picture]], existing: Existing
) -> tuple[dict[str, Drawing], dict[str, Picture]]:
    """The pictures of projects (those of all under an empty name) by their paths below docs/, without endings: those
    that are there as they would be drawn, and those that are to be drawn."""
    current: dict[str, Drawing] = {}
    missing: dict[str, Picture] = {}
    for project, its in shown.items():
        for name, picture in its.items():
            at = f"{project}/{name}".lstrip("/")
            svg, spec = (existing(f"docs/{at}.{ending}") or "" for ending in ("svg", "vl.json"))
            if is_current(svg, picture, spec):
                current[at] = Drawing(svg, spec)
            else:
                missing[at] = picture
    return current, missing


def drawn(project: str, shown: Mapping[str, Picture], existing: Existing) -> Iterator[tuple[str, str]]:
    """The files of the pictures of a project by name; one that is there as it would be drawn is not drawn again."""
    current, missing = _sorted({project: shown}, existing)
    drawings = {**current, **{at: draw(picture) for at, picture in missing.items()}}
    for name in shown:
        drawing = drawings[f"{project}/{name}"]
        yield from ((f"{name}.svg", drawing.svg), (f"{name}.vl.json", drawing.spec))


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
    rows = _derivation_rows(book, view.id)
    anchors = _anchors_of(rows)
    said = f"Released as {release.version} by `budget release`. Never changed: edit the ledger and release again."
    data = {
        **project_data(Standing(view)),
        "groups": rows,
        "frozen": release,
        "header": escape.Markup(f"<!-- {said} -->"),
    }
    head = render_page(loader, "frozen.md.j2", Printer(""), (), data)
    texts: dict[str, str] = {}
    for page, more in project_pages(data["overview"]):
        if not page.living:
            printer = FrozenPrinter(f"{view.id}/{page.file}", unmarked, *anchors)
            texts[page.file] = render_page(loader, page.template, printer, (), {**data, **more})
    svg = {name: text for name, text in drawn(view.id, data["pictures"], lambda _: None) if name.endswith(".svg")}
    inside = {*texts, *svg, release.paper}
    pages = {name: _contained(_headed(text, release, head), inside) for name, text in texts.items()}
    return {f"{release.folder}/{name}": text for name, text in {**pages, **svg}.items()}


def _derivation_rows(book: Book, project: str) -> list[DerivationGroup]:
    """The rows of the derivations: the figures of the project, then those elsewhere that they rest on."""
    own = groups(book, [project])
    used = dict.fromkeys(sorted({figure.address for figure in closure(*book.own(project).values())}))
    found = list(own)
    for prefix in dict.fromkeys(address.split(".")[0] for address in used if address):
        other = book.ledger.projects.get(prefix)
        for group in groups(book, [prefix]) if prefix != project else ():
            calculated = [figure for figure in group.reckoned if figure.address in used]
            stated = [figure for figure in group.stated if figure.address in used]
            if calculated or stated:
                title = f"{other.project.title}: {group.title}" if other else group.title
                found.append(DerivationGroup(title, calculated, stated))
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
