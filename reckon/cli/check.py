"""`check`: problems and findings of the ledger, and what a change did to releases since it left a revision."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from shlex import quote

from msgspec.structs import replace

from reckon.compute.audit import entries
from reckon.compute.book import Book
from reckon.language.lazy import regex
from reckon.language.text import Place, echoed
from reckon.model.finding import Finding, Problem
from reckon.model.ledger import ProjectLedger
from reckon.present.terminal.messages import report
from reckon.publish import journal, releases

from . import adjustments, proposal_books
from .arguments import Parser, day
from .books import keep_words, read, settings_of
from .output import DIFFERS, FINDINGS, FINE, INVALID, say
from .transaction import known_project

GRAVE = {"error": ("error",), "warning": ("error", "warning"), "source": ("error",), "never": ()}
MOST_LINES = 60  # of text, unless a project is named or all is asked for
OLD = "DMT"  # what git calls files that were there before: removed, modified, of another type
_RELEASED = regex(r"ledger/[^/]+/(?:releases|closings)/[^/]+\.json|docs/[^/]+/releases/[^/]+/.+")


def declare_check(parser: Parser) -> None:
    """The command line of `check`."""
    parser.does(check)
    parser.option(
        "projects",
        "PROJECT",
        "list all findings of these projects, such as pixelis (default: the most severe of all projects)",
        nargs="*",
    )
    parser.flag("--all", f"print everything (default: at most {MOST_LINES} lines)")
    parser.add_argument(
        "--format",
        choices=("text", "json", "github", "gitlab"),
        default="text",
        help="output format; github and gitlab annotate lines in CI",
    )
    parser.option(
        "--against",
        "REVISION",
        "list releases changed or removed since this revision",
        default="",
    )
    parser.option(
        "--today",
        "DAY",
        "list runs dated after this day, such as 2025-09-10",
        type=day,
        default=0,
    )
    parser.add_argument(
        "--fail-on",
        choices=tuple(GRAVE),
        default="error",
        help="severity for exit code 3; source: also document errors (default: error)",
    )


def check(options: Namespace) -> int:
    """Tells problems and findings in the format asked for."""
    root = options.root
    book, problems = read(root)
    if not problems:
        keep_words(options, book)
    named = [known_project(root, name) for name in options.projects]
    book = replace(book, findings={name: book.findings.get(name, ()) for name in named or book.findings})
    problems = [*problems, *settings_of(root)[1]]
    problems += proposal_books.wrong(root, book) if not problems else []
    book = _ahead(book, options.today) if options.today and not problems else book
    wrong = [*journal.cut_off(root, tree=True), *releases.intact(root)[1]]
    wrong += adjustments.problems(root, None if problems else book)
    wrong += undone(root, options.against)
    most = 0 if named or options.all else MOST_LINES
    told = report(book, [*problems, *wrong], options.format, _base(root), judged=not problems, most=most)
    say(told, commands=options.format == "github", graded=options.format == "text")
    if problems or wrong:
        return INVALID if problems else DIFFERS
    found = book.findings
    grave = any(is_grave(each, options.fail_on, book.projects[name]) for name, some in found.items() for each in some)
    return FINDINGS if grave else FINE


def is_grave(finding: Finding, fail_on: str, project: ProjectLedger) -> bool:
    """Whether a finding sets the exit code. What is wrong in the source of a project that names one, as a document of
    others, does so only if that is asked for."""
    copied = finding.of_source and bool(project.project.source)
    return finding.severity in GRAVE[fail_on] and (fail_on == "source" or not copied)


def _ahead(book: Book, today: int) -> Book:
    """The book with the findings about runs that have not come yet on a day. They are not there to be accepted."""
    projects = [project for project in book.projects.values() if project.id in book.findings]
    later = {project.id: tuple(entries.ahead_of(project, book, today)) for project in projects}
    return replace(book, findings={name: (*found, *later.get(name, ())) for name, found in book.findings.items()})


def _base(root: Path) -> str:
    """What leads from the current folder to the root, for annotations: a forge counts paths from its checkout."""
    here, there = Path.cwd(), root.resolve()
    return f"{there.relative_to(here).as_posix()}/" if there != here and there.is_relative_to(here) else ""


def touched(root: Path, base: str, kinds: str = "") -> list[str]:
    """The paths that a change touched, those of some kinds alone if that is asked for; none without a revision."""
    if not base:
        return []
    from reckon.load import git

    try:
        return git.changed(root, base, kinds)
    except git.NoTree:
        return []


def altered(root: Path, base: str) -> list[str]:
    """The files of releases and closed periods that a change alters or removes, also where the rest holds together."""
    return [path for path in touched(root, base, OLD) if _RELEASED.fullmatch(path)]


def undone(root: Path, base: str) -> list[Problem]:
    """A problem for each of these: what was released stays as it was."""
    problems = []
    for path in altered(root, base):
        said = f"this change alters or removes what was {'closed' if '/closings/' in path else 'released'}"
        mend = f"restore it: git checkout {quote(echoed(base))} -- {quote(path)}"
        problems.append(Problem(Place(path), said, mend))
    return problems
