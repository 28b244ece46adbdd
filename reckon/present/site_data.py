"""What a site has beside the pages of the ledger: figures for other programs, and pages of all runs and of what if.

`build`, `serve` and `render --out` make it; it is not kept under docs/, and no release has it. `make_site_data` gives
files by path below the root: new ones, and those pages that lead to them now.

`figures.json` of a project has the shape of `figures.schema.json`, which the site has among its assets. A change of the
shape that a reader has to know of raises `FORMAT_NUMBER` of `export`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import BaseLoader

from reckon.compute.book import Book
from reckon.model.pages import TemplatePage

from .budget.add_run_link import adding
from .budget.work import EveryRun
from .export import FORMAT_NUMBER, JsonObject, figure_row, write_figures_csv, write_json
from .pages import loader_of
from .render.printing import Printer
from .templating import render_page
from .view import View
from .whatif.page import PAGE as WHAT_IF
from .whatif.page import what_if_files

RUNS = TemplatePage("runs", "All runs", "runs.md.j2", living=True)
SCHEMA = "../assets/figures.schema.json"
NAV, STATUS, ATTEMPTS, DERIVATIONS = "docs/nav.yml", "status.md", "attempts.md", "derivations.md"
GUIDE = "guide/runs.md"
"""The page of the guide about runs."""
# Pictures find their way to the page of all runs by the class (docs/assets/pictures/rows.js).
_TO_RUNS = '<span class="to-all-runs">[All runs]({})</span>, to sort and to filter.\n'
_TO_WHAT_IF = "[What if]({}): the plan, calculated with your numbers.\n"
_TO_FIGURES = "The same figures for other programs: [figures.json](figures.json), [figures.csv](figures.csv).\n"


def make_site_data(
    book: Book, templates: Sequence[Path], pages: Mapping[str, str], flat: bool = False
) -> dict[str, str]:
    """The files of a site beside its pages, and the pages that change with them, by path below the root.

    Pages of a `flat` site are files; else each is a folder of its own, and what it loads lies a folder above it.
    """
    files = {}
    nav, loader = pages[NAV], loader_of(templates)
    for project in book.projects.values():
        view, home = View(book, project), f"docs/{project.id}"
        rows = [figure_row(figure) for figure in book.own(project.id).values()]
        files[f"{home}/figures.json"] = _write_json(view, rows)
        files[f"{home}/figures.csv"] = write_figures_csv(rows, spreadsheet=True)
        derivations = pages.get(f"{home}/{DERIVATIONS}")
        if derivations is not None:
            files[f"{home}/{DERIVATIONS}"] = f"{derivations}\n{_TO_FIGURES}"
        if view.kind == "budget" and view.runs:
            name = _choose_free_name(f"{home}/{RUNS.name}", pages)
            files[f"{home}/{name}"] = _render_runs(view, loader, name, GUIDE in nav)
            for page in (f"{home}/{STATUS}", f"{home}/{ATTEMPTS}"):
                files[page] = f"{pages[page]}\n{_TO_RUNS.format(name)}"
            nav = _add_page(nav, f"{project.id}/{ATTEMPTS}", f"{RUNS.title}: {project.id}/{name}")
        name = _choose_free_name(f"{home}/{WHAT_IF.name}", pages)
        if more := what_if_files(view, loader, name.removesuffix(".md"), flat):
            files |= {f"{home}/{file}": text for file, text in more.items()}
            status, before = f"{home}/{STATUS}", "index.md"
            if status in pages:
                before = STATUS
                # One paragraph with what leads to all runs.
                files[status] = files.get(status, f"{pages[status]}\n") + _TO_WHAT_IF.format(name)
            nav = _add_page(nav, f"{project.id}/{before}", f"{WHAT_IF.title}: {project.id}/{name}")
    return {**files, NAV: nav}


def _write_json(view: View, rows: list[JsonObject]) -> str:
    """The rows of all figures of a project, in the shape that `figures.schema.json` has."""
    project = view.project
    head = {
        "$schema": SCHEMA,
        "format": FORMAT_NUMBER,
        "project": view.id,
        "title": project.title,
        "version": project.version,
        "data_through": view.through if view.dated else None,
    }
    return write_json({**head, "figures": rows}) + "\n"


def _choose_free_name(stem: str, pages: Mapping[str, str]) -> str:
    """The name of a page: a project may have a page of its own with this one."""
    home, _, name = stem.rpartition("/")
    while f"{home}/{name}.md" in pages:
        name = f"all-{name}"
    return f"{name}.md"


def _render_runs(view: View, loader: BaseLoader, name: str, guide: bool) -> str:
    """The page of all runs of a project, under a file name; `guide` says whether the site has the guide."""
    forge = view.book.ledger.settings.forge
    printer = Printer(f"{view.id}/{name}", forge=forge)
    files = [file for file in view.ledger.files if "/runs/" in file]
    data = {"view": view, "runs": EveryRun(view), "adding": adding(view, forge), "guide": guide}
    return render_page(loader, RUNS.template, printer, files, data)


def _add_page(nav: str, after: str, page: str) -> str:
    """The order of pages with one more, its title and path, behind another."""
    lines = []
    for line in nav.splitlines(keepends=True):
        lines.append(line)
        title, colon, target = line.rstrip("\n").rpartition(": ")
        if colon and target == after:
            indent = title[: len(title) - len(title.lstrip())]
            lines.append(f"{indent}- {page}\n")
    return "".join(lines)
