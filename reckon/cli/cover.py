"""`cover`: whether a document and the ledger of a project hold the same."""

from __future__ import annotations

from argparse import Namespace
from hashlib import sha256
from pathlib import Path

from reckon.compute.cover.coverage import cover as compare
from reckon.compute.cover.document import read_document
from reckon.compute.cover.holdings import INPUT, holdings_of
from reckon.model.bounds import PAGE, read_bounded
from reckon.present.terminal.coverage import ReadDocument, coverage_json, format_coverage

from .arguments import Parser
from .books import load_sound_book
from .output import FINDINGS, FINE, say
from .transaction import known_project

MOST_LINES = 60  # below the first, unless all is asked for
FAIL_ON = ("never", INPUT)
EPILOG = """\
Reads markdown; writes nothing. `<!-- cover: ignore -->` on a line, or above a block or
heading of the document, dismisses what stands there; so does `ignore` in project.yaml.

Example: budget cover budget.md --project demo --fail-on input"""


def declare_cover(parser: Parser) -> None:
    """The command line of `cover`."""
    parser.does(cover, None, EPILOG)
    parser.option("documents", "DOC.md", "the document in markdown; several where it has several files", nargs="+")
    parser.option("--project", "PROJECT", "the project (default: the only one)")
    parser.flag("--all", f"print everything (default: at most {MOST_LINES} lines), numbers without a unit too")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument(
        "--fail-on",
        choices=FAIL_ON,
        default="never",
        help="input: exit code 3 if the document lacks an input of the ledger (default: never)",
    )


def cover(options: Namespace) -> int:
    """Tells which figures of the document have no place in the ledger, and which inputs are not in the document."""
    raw = {name: read_bounded(Path(name), PAGE) for name in options.documents}
    project_id = known_project(options.root, options.project)
    book = load_sound_book(options.root)
    project = book.projects[project_id]
    digests = [str(digest).strip().lower() for digest in project.project.source_sha256]
    documents = [read_document(text.decode("utf-8-sig", "replace"), name) for name, text in raw.items()]
    found = compare(documents, holdings_of(project, book), [str(text) for text in project.project.ignore])
    named = [_describe(name, text, digests) for name, text in raw.items()]
    if options.format == "json":
        say([coverage_json(found, named, project_id)])
    else:
        say(format_coverage(found, named, project_id, 0 if options.all else MOST_LINES))
    lacks = any(entry.kind == INPUT for entry in found.unstated)
    return FINDINGS if lacks and options.fail_on == INPUT else FINE


def _describe(name: str, text: bytes, digests: list[str]) -> ReadDocument:
    digest = sha256(text).hexdigest()
    return ReadDocument(name, digest, bool(digests) and digest not in digests)
