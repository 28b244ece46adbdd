"""`cover`: whether a document and the ledger of a project hold the same."""

from __future__ import annotations

import json
from argparse import Namespace
from hashlib import sha256
from pathlib import Path

from reckon.compute.cover.coverage import cover as compare
from reckon.compute.cover.document import read_document
from reckon.compute.cover.holdings import holdings_of
from reckon.model.bounds import DOCUMENT, read_bounded
from reckon.present.terminal.coverage import coverage_data, format_coverage

from .arguments import Parser, format_option
from .books import load_sound_book
from .output import FINDINGS, FINE, say
from .transaction import asked_project

MOST_LINES = 60  # below the first two, unless all is asked for
EPILOG = """\
Reads markdown; writes nothing. `<!-- cover: ignore -->` on a line, or above a block or
heading of the document, dismisses its figures; so does `ignore` in project.yaml.

Example: budget cover budget.md --project demo --fail-on input"""


def declare_cover(parser: Parser) -> None:
    """The command line of `cover`."""
    parser.does(cover, None, EPILOG)
    parser.option("documents", "DOC.md", "the document in markdown, or its files", nargs="+")
    parser.option("--project", "PROJECT", "the project (default: the only one)")
    parser.flag("--all", f"print everything (default: some {MOST_LINES} lines)")
    format_option(parser, "text", "json")
    parser.add_argument(
        "--fail-on",
        choices=("never", "input"),
        default="never",
        help="input: exit code 3 if the document lacks an input of the ledger (default: never)",
    )


def cover(options: Namespace) -> int:
    """Tells which figures of the document have no place in the ledger, and which inputs are not in the document."""
    name = asked_project(options)
    book = load_sound_book(options.root)
    project = book.projects[name]
    known = project.project.source_sha256
    documents, digests, changed = [], {}, []
    for path in options.documents:
        text = read_bounded(Path(path), DOCUMENT)
        documents.append(read_document(text.decode("utf-8-sig", "replace"), path))
        digests[path] = sha256(text).hexdigest()
        if known and digests[path] not in known:
            changed.append(path)
    found = compare(documents, holdings_of(project, book, digests), project.project.ignore)
    data = {"project": name, "sha256": digests, **coverage_data(found, changed)}
    if options.format == "json":
        say([json.dumps(data, ensure_ascii=False, indent=2)])
    else:
        say(format_coverage(data, 0 if options.all else MOST_LINES))
    return FINDINGS if options.fail_on in (row["kind"] for row in data["unstated"]) else FINE
