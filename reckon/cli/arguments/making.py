"""The command lines of what makes files, tells mistakes, and shows the site."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from .shared import Commands, between, command


def render(commands: Commands[ArgumentParser]) -> None:
    """`render`: the pages."""
    parser = command(commands, "render", "write the pages that the ledger makes")
    parser.add_argument(
        "projects", nargs="*", metavar="PROJECT", help="write only their pages, and those that are shared"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say which files are stale (exit code 1)")
    parser.add_argument("--diff", action="store_true", help="with --check: show how they differ")
    where = "write the pages, with all that the site is made of, into a new or empty folder, and leave the tree alone"
    parser.add_argument("--out", type=Path, metavar="DIR", help=where)
    _redraw(parser)


def check(commands: Commands[ArgumentParser]) -> None:
    """`check`: problems and findings."""
    parser = command(commands, "check", "tell all problems and findings of the ledger")
    forms, grades = ("text", "json", "github", "gitlab"), ("error", "warning", "never")
    parser.add_argument("--format", choices=forms, default="text", help="github, gitlab: marks at lines, for CI")
    old = "tell also what was released in this revision and is altered or removed since; for CI"
    parser.add_argument("--against", metavar="REVISION", default="", help=old)
    parser.add_argument("--fail-on", choices=grades, default="error", help="the severity from which the exit code is 3")


def release(commands: Commands[ArgumentParser]) -> None:
    """`release`: a version that stays as it is."""
    parser = command(commands, "release", "freeze a version of a project: its pages, its ledger and its figures")
    parser.add_argument("project", metavar="PROJECT", help="the project")
    parser.add_argument("version", metavar="VERSION", help="greater than the last, as 1.1.0")
    parser.add_argument("-m", "--message", required=True, metavar="WHY", help="why it is released, in a sentence")
    parser.add_argument("--date", metavar="DATE", help="the day of the release, as 2025-09-03 (default: today)")


def review(commands: Commands[ArgumentParser]) -> None:
    """`review`: a change, for whoever reviews it."""
    parser = command(commands, "review", "tell a reviewer in markdown what is wrong, what is stale and what moved")
    parser.add_argument("base", nargs="?", metavar="A", help="what it is held against: a revision, release or folder")


def init(commands: Commands[ArgumentParser]) -> None:
    """`init`: a tree of one's own."""
    parser = command(commands, "init", "write a small tree of your own: ledger, pages, CI files")
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="DIR", help="a new or empty folder; `.` is the current one"
    )
    parser.add_argument("--upgrade", action="store_true", help="bring the files for CI in a tree up to date")


def template(commands: Commands[ArgumentParser]) -> None:
    """`template`: what pages are written with."""
    parser = command(commands, "template", "list the templates of the pages, or print one to begin your own with")
    parser.add_argument("name", nargs="?", metavar="NAME", help="as it is listed, such as budget/summary")


def tree(commands: Commands[ArgumentParser]) -> None:
    """`tree`: how the tree is kept."""
    parser = command(commands, "tree", "say how this tree is kept: who renders its pages, and where it lies")
    text = "pages or forge: print only that, for scripts"
    parser.add_argument("setting", nargs="?", choices=("pages", "forge"), metavar="SETTING", help=text)


def guide(commands: Commands[ArgumentParser]) -> None:
    """`guide`: how all this is used."""
    parser = command(commands, "guide", "list the pages of the guide, or print one")
    parser.add_argument("page", nargs="?", metavar="PAGE", help="as it is listed, such as own or language")


def schema(commands: Commands[ArgumentParser]) -> None:
    """`schema`: the schemas that editors use."""
    parser = command(commands, "schema", "write the JSON Schemas that editors use, to ledger/.schema/")
    parser.add_argument("--check", action="store_true", help="write nothing; say which are stale (exit code 1)")


def build(commands: Commands[ArgumentParser]) -> None:
    """`build`: the site."""
    parser = command(commands, "build", "render the pages aside, and build the site of them")
    parser.add_argument("--site-dir", type=Path, metavar="DIR", help="where to (default: site/ in the tree)")
    _redraw(parser)
    _trust(parser)


def serve(commands: Commands[ArgumentParser]) -> None:
    """`serve`: the site, on this machine."""
    parser = command(commands, "serve", "show the site here, made again when a ledger or template changes")
    parser.add_argument("--port", type=_port, default=8000, metavar="PORT", help="default: 8000")
    _trust(parser)


def _redraw(parser: ArgumentParser) -> None:
    what = "draw all pictures anew: one that somebody put into docs/ can look current and be forged"
    parser.add_argument("--redraw", action="store_true", help=what)


def _trust(parser: ArgumentParser) -> None:
    what = "hand mkdocs.yml to MkDocs as it stands: it may run code; for a tree of your own"
    parser.add_argument("--trust", action="store_true", help=what)


def _port(text: str) -> int:
    return between(text, 1, 65535, "port")
