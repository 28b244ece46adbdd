"""Documents on paper: the edition of a release or its draft, and `application`, a request to a computing centre."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.budget.application import PERIODS, Request, asked_first, hours_by_card, requested
from reckon.model.release import ReleasedFigure, Snapshot, pages_folder
from reckon.present.export import snapshot_of
from reckon.present.paper import application as wording
from reckon.present.paper.blocks import PaperHead
from reckon.present.paper.edition import edition
from reckon.present.paper.typeset import pdf
from reckon.present.render.numbers import number_text
from reckon.present.view import View
from reckon.publish import releases
from reckon.publish.releases import Releases
from reckon.publish.write_plan import text_of

from .arguments import Parser
from .books import ask_for_projects, load_sound_book, settings_of, sound
from .output import DIFFERS, CommandError, ask_for_libraries, no_such, progress, replace_file, say


def printed(book: Book, known: Releases, root: Path, release: Snapshot, pages: Mapping[str, str]) -> str:
    """The edition of a release on paper as the text of a change: its pages have the pictures. Raises CommandError."""
    view = _view(book, known, release.project)
    address = _address(book, root, pages_folder(release.project, release.version))
    head = PaperHead(release.version, release.date, release.reason, address=address, as_published=release.as_published)
    return text_of(pdf(edition(view, head, lambda name, _: pages[f"{release.folder}/{name}.svg"]))) or ""


def write_draft(root: Path, project: str, version: str, reason: str, out: Path) -> None:
    """Writes the edition that a version would have, as a draft. Raises CommandError."""
    book, known = load_sound_book(root), sound(releases.intact(root), DIFFERS)
    view = _view(book, known, project)
    head = PaperHead(version, view.through, reason, True, _address(book, root, f"docs/{project}"))
    with progress("Drawing"):
        replace_file(out, lambda: pdf(edition(view, head)))


def _view(book: Book, known: Releases, project: str) -> View:
    return View(book, book.projects[project], tuple(known.get(project, ())))


def _address(book: Book, root: Path, folder: str) -> str:
    """Where the pages in a folder under docs/ are read: on the site, or else on the forge; empty where neither is
    known."""
    settings, _ = settings_of(root)
    if site := str(settings.values.get("site_url") or ""):
        return f"{site.rstrip('/')}/{folder.removeprefix('docs/')}/"
    forge = book.ledger.settings.forge
    return forge.at_file(f"{folder}/index.md") if forge else ""


def declare_application(parser: Parser) -> None:
    """The command line of `application`."""
    parser.does(application)
    parser.option("project", "PROJECT", "the project that requests hours")
    parser.option("--grant", "ID", "allocation to request, by its id (default: the only one)")
    parser.option(
        "--of",
        "ADDRESS",
        "hours to request, such as PROJECT.budget.extended (default: what is left of the budget)",
    )
    parser.add_argument(
        "--by", choices=tuple(PERIODS), default="half-years", help="length of the periods (default: half-years)"
    )
    parser.option("--out", "FILE", "write a PDF to this file, replacing it", type=Path)


def application(options: Namespace) -> None:
    """Says what a project asks a centre for, in the centre's unit, and writes it as a PDF where a file is named."""
    if options.out:
        ask_for_libraries("typst")
    book = load_sound_book(options.root)
    ask_for_projects([options.project], book)
    known = sound(releases.intact(options.root), DIFFERS)
    view = _view(book, known, options.project)
    asked = _find_request(book, options)
    say(wording.request_lines(view, asked))
    if options.out:
        address = _address(book, options.root, f"docs/{options.project}")
        with progress("Drawing"):
            replace_file(options.out, lambda: pdf(wording.application(view, asked, _head(book, view, address))))


def _find_request(book: Book, options: Namespace) -> Request:
    """The request, of the grant that is meant. Raises CommandError."""
    grant = _grant(book, options.project, options.grant)
    address = options.of or asked_first(book.ledger, book.figures, options.project, grant)
    address = own if (own := f"{options.project}.{address}") in book.figures else address
    if address not in book.figures:
        raise CommandError(no_such("figure", address, book.figures, "list all: `budget explain --list`"))
    if hours := hours_by_card(book.ledger, book.figures, options.project, grant, address):
        raise CommandError(_on_several_cards(book, options.project, grant, address, hours))
    return requested(book.ledger, book.figures, options.project, grant, address, options.by)


def _on_several_cards(book: Book, project: str, grant: str, address: str, hours: Mapping[str, Fraction]) -> str:
    """That a figure has hours on other cards than a grant's, with the hours on each, and what can be asked for."""
    gpus, card = book.catalog.gpus, str(book.allocations[grant].gpu)
    parts = [f"{number_text(amount)} GPU-h on {gpus[name].title}" for name, amount in hours.items()]
    open_hours = f"{' and '.join(parts)} of work to do"
    wrong = f"allocations.{grant} is on {gpus[card].title}, and {address} has {open_hours}"
    own = book.projects[project]
    there = [name for name, item in own.items.items() if (item.gpu or own.project.gpu) == card]
    known = [f"{project}.plan.{name}.remaining" for name in there]
    left = [each for each in known if (figure := book.get(each)) and figure.use and figure.use > 0]
    right = f"name hours on that card with --of, such as {left[0]}" if left else "no hours are left on that card"
    return f"{wrong}; {right}"


def _grant(book: Book, project: str, named: str | None) -> str:
    """The id of the grant that a project applies for. Raises CommandError."""
    every = [name for name, grant in book.allocations.items() if project in grant.projects]
    if named is not None:
        if named not in every:
            raise CommandError(no_such("grant", named, every, f"write `projects: [{project}]` at it", f" of {project}"))
        return named
    charged = [name for name in every if book.allocations[name].charge] or every
    if not charged:
        raise CommandError(
            "no allocation to request; add it to ledger/allocations.yaml with "
            f"`gpu_hours: unknown`, `since`, `until`, `projects: [{project}]` and `charge`"
        )
    if len(charged) > 1:
        raise CommandError(f"{project} draws on {', '.join(charged[:6])}; name one with --grant")
    return charged[0]


def _own_figures(release: Snapshot) -> dict[str, ReleasedFigure]:
    """The figures of the project itself: a grant that is applied for came later, and changes none of them."""
    return {at: figure for at, figure in release.figures.items() if at.startswith(f"{release.project}.")}


def _head(book: Book, view: View, address: str) -> PaperHead:
    """What an application is of: the newest release, where nothing came since, or else a draft."""
    newest = view.releases[0] if view.releases else None
    if newest and _own_figures(snapshot_of(book, view.id, {}, "", "")) == _own_figures(newest):
        return PaperHead(newest.version, newest.date, "", address=address, as_published=newest.as_published)
    return PaperHead(view.project.version, view.through, "", True, address)
