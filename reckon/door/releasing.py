"""`release`: a version is tried as it would be, then its pages, snapshot and entry are written, all of them or none."""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.model.release import SHARED_PARTS, checksum, pages_folder
from reckon.model.ways import PEOPLE
from reckon.publish import files, journal, releases, releasing, shipped
from reckon.publish.files import Blocked

from .commands import DIFFERS, FINDINGS, FINE, INVALID, pages_of, read, settings_of, tell
from .drafting import Draft, asked, drafted, not_taken, out_of_order, sound
from .history import unmatched
from .output import complain, program, progress, say
from .publishing import write

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.model.ledger import Ledger
    from reckon.model.problem import Problem
    from reckon.publish.releases import Releases

MOST_TOLD = 20
UNCHANGED = "but nothing changed there since the last release; take it out, or correct the address"
ONE = "1 finding is an error"


def release(options: Namespace) -> int:
    """Releases a version of a project, or says why it cannot be released."""
    from reckon.load.reader import load

    draft = asked(options)
    if draft is None:
        return INVALID
    say(f"completed the release of {one}" for one in releasing.complete(options.root))
    with journal.opened(options.root, draft.project) as done:
        say(done)
        code = _released(options.root, draft)
    if code != FINE:
        return code
    say([f"Released {draft.project} {draft.version}: {pages_folder(draft.project, draft.version)}/"])
    return write(options.root) if keeps_pages(load(options.root)[0]) else FINE


def keeps_pages(ledger: Ledger) -> bool:
    """Whether people keep the pages of a tree up to date beside its ledger.

    Where they do, a release takes pages that somebody could look at: those in docs/ have to be those of the ledger, and
    are brought up to date afterwards. Where a job of CI renders, those in docs/ are always behind: then it is enough
    that the pages can be made, and only the release itself is written.
    """
    return ledger.settings.pages == PEOPLE


def _released(root: Path, draft: Draft) -> int:
    """Does all of it but rendering, and gives the exit code. The caller holds the lock."""
    from reckon.present.frozen import frozen
    from reckon.present.snapshot import snapshot_of

    book, problems = read(root)
    if problems := [*problems, *settings_of(root)[1]]:
        return tell(problems)
    known, wrong = releases.intact(root)
    if wrong:
        tell(wrong)
        return DIFFERS
    if said := out_of_order(book, known, draft) or releases.blocked(root, draft.project, draft.version):
        complain(said)
        return INVALID
    if code := _stale(book, root, known, draft.project):
        return code
    if idle := unmatched(book, known, draft.project, draft.version):
        complain(
            *(f"{draft.head}: {one[:80]} has a reason in {draft.version}, {UNCHANGED}" for one in idle[:MOST_TOLD])
        )
        return INVALID
    draft = drafted(root, draft)
    texts = {name: _text(root, name) for name in book.ledger.files} | {draft.head: draft.text}
    with progress("Trying the release"):
        tried, problems = _read_again(texts)
    if problems:  # of an entry that this way of writing does not take: the file itself has none
        raise Blocked(not_taken(draft))
    sound(book, tried, draft)
    if code := _open_findings(tried, draft):
        return code
    snapshot = snapshot_of(tried, draft.project, _enough(tried, texts, draft.project), draft.date, draft.reason)
    with progress("Rendering"):
        pages = frozen(tried, snapshot, shipped.template_folders(root))
    sums = {path: checksum(text.encode("utf-8")) for path, text in pages.items()}
    releasing.put(root, replace(snapshot, pages=sums), pages, draft.was)
    return FINE


def _stale(book: Book, root: Path, known: Releases, project: str) -> int:
    """The exit code where the pages are not those of the ledger, or cannot be made, with that said; else FINE."""
    pages, problems = pages_of(book, root, known)
    if problems:
        return tell(problems)
    found = files.compare(root, pages, [project])
    if not keeps_pages(book.ledger):
        files.ask_for_room(found)
        return FINE
    if found:
        complain(*(f"{one.kind}: {one.path}" for one in found[:MOST_TOLD]))
        complain(f"the pages are not those of the ledger; look at them before they are frozen: {program()} render")
    return DIFFERS if found else FINE


def _text(root: Path, name: str) -> str:
    return (root / name).read_bytes().decode("utf-8-sig")


def _read_again(texts: Mapping[str, str]) -> tuple[Book, list[Problem]]:
    """The book of some files by path, as if they were all there is."""
    from reckon.load.trees import put_aside

    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        put_aside(Path(folder), texts)
        return read(Path(folder))


def _open_findings(tried: Book, draft: Draft) -> int:
    """The exit code where errors of the audit are neither settled nor accepted, with that said; else FINE."""
    from reckon.present.terminal import told

    found = [one for one in tried.findings[draft.project] if one.severity == "error"]
    complain(*(f"error: {told(one.title)} ({one.id})" for one in found[:MOST_TOLD]))
    if found:
        several = len(found) > 1
        many, them, each = (f"{len(found)} findings are errors", "them", "each") if several else (ONE, "it", "it")
        complain(f"{many}: settle {them}, or accept {each} with a reason under `accept` in {draft.head}")
    return FINDINGS if found else FINE


def _enough(tried: Book, texts: Mapping[str, str], project: str) -> Mapping[str, str]:
    """The files that the project can be read from again, so that it comes to the same: its own and the shared ones,
    with those of the projects that grants name; with those of all projects where that is not enough."""
    granted = {str(name) for one in tried.ledger.allocations.values() for name in one.projects}
    for projects_ in ({project}, {project, *granted}):
        some = {name: text for name, text in texts.items() if name.split("/")[1] in {*projects_, *SHARED_PARTS}}
        if len(some) == len(texts):
            break
        with progress("Trying the snapshot"):
            again, problems = _read_again(some)
        if not problems and _outcome(again, project) == _outcome(tried, project):
            return some
    return dict(texts)


def _outcome(book: Book, project: str) -> Iterable[object]:
    """What a book says of a project: its figures and findings."""
    from reckon.present.snapshot import snapshot_of

    one = snapshot_of(book, project, {}, "", "")
    return one.figures, one.findings
