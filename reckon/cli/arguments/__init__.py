"""The command line: commands, their options, and what --help says of them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path

from reckon import __version__

from . import adding, asking, comparing, fitting, making
from .shared import Parser, root, traceback

DESCRIPTION = """\
Reckons research budgets in GPU-hours from the ledgers under ledger/ and keeps the pages under docs/.
`init DIR` begins a tree with an example, and `guide` tells how all this is used."""
EXIT_CODES = """\
exit codes:
  0  all is well
  1  files under docs/ are not what the ledger makes; something differs (diff --exit-code) or is to do (tidy --check)
  2  invalid input or usage
  3  findings
  4  a mistake of this program"""

MOST_CHANGES = 1000
COMMANDS = (
    making.init, making.guide, adding.add, adding.tidy, making.check, making.render, making.serve, making.build,
    asking.status, asking.explain, asking.choose, fitting.fit, asking.projection, comparing.diff, making.release,
    making.review, asking.export, making.tree, making.template, making.schema,
)  # fmt: skip


def parse(argv: Sequence[str] | None = None) -> Namespace:
    """The options of a command line. Ends the program with code 2 and a message where they are wrong."""
    shape = RawDescriptionHelpFormatter
    parser: ArgumentParser = Parser(
        description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=shape, allow_abbrev=False
    )
    root(parser, Path())
    traceback(parser, False)
    parser.add_argument("--version", action="version", version=f"budget-ledger {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    options = parser.parse_args(argv)
    if options.command == "add":
        adding.one_project(parser, options)
    if options.command == "init" and options.root != Path():
        parser.error("init takes its folder as DIR, and no --root")
    if options.command == "init" and not options.folder:
        if not options.upgrade:
            parser.error("init needs DIR, a new or empty folder")
        options.folder = Path()
    if options.command == "export":
        asking.exportable(parser, options)
    if options.command == "fit":
        fitting.together(parser, options)
    if options.command == "render" and options.diff and not options.check:
        parser.error("--diff goes with --check")
    if options.command == "render" and options.out and (options.check or options.projects):
        parser.error("--out takes all pages: it goes without --check, and without projects")
    if options.command == "diff" and len(options.trees) > 2:
        parser.error("diff compares two trees")
    if len(getattr(options, "changes", ())) > MOST_CHANGES:
        parser.error(f"more than {MOST_CHANGES:,} changes; make them in a copy of the ledger, and name it with --root")
    if options.command == "explain" and not options.address and not options.list:
        parser.error("explain needs an ADDRESS, or --list")
    return options
