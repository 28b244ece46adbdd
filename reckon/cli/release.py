"""`release`: a version is tried as it would be, then its pages, snapshot and entry are written, all of them or none."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.text import echoed, first_unseen
from reckon.load import reader, versions
from reckon.model.finding import Finding
from reckon.model.kinds import PROPOSALS
from reckon.model.ledger import Ledger
from reckon.model.records import Project, Version
from reckon.model.release import LONGEST_REASON, SHARED_PARTS, checksum, numeric, paper_file
from reckon.model.tree import PEOPLE
from reckon.present.export import snapshot_of
from reckon.present.pages import frozen
from reckon.present.render.numbers import format_sentence
from reckon.publish import files, journal, package_files, releases
from reckon.publish.reference_links import all_as_kept
from reckon.publish.write_plan import FileChange

from . import clock
from .arguments import Parser, names_day
from .books import ReadBook, read, read_texts, settings_of, sound
from .output import DIFFERS, FINDINGS, CommandError, ask_for_libraries, program, progress, say
from .paper import printed, write_draft
from .release_steps import unmatched
from .render import pages_of, write
from .transaction import Draft, no_project, run_transaction

MOST_TOLD = 20
UNCHANGED = "but nothing changed there since the last release; remove it, or correct the address"


class ReleaseDraft(NamedTuple):
    """A release as asked for: what, when and why, `as_published` or as ours, with an edition on paper (`pdf`) or
    without."""

    project_id: str
    version: str
    date: str
    reason: str
    as_published: bool = False
    pdf: bool = False

    @property
    def head(self) -> str:
        """The path of project.yaml."""
        return f"ledger/{self.project_id}/project.yaml"


def declare_release(parser: Parser) -> None:
    """The command line of `release`."""
    parser.does(release, _goes_together)
    parser.option("project", "PROJECT", "the project")
    parser.option("version", "VERSION", "version after the last one, such as 1.1.0")
    parser.add_argument("-m", "--message", required=True, metavar="WHY", help="reason in a sentence")
    parser.flag(
        "--as-published",
        "freeze a document as published, with open findings",
    )
    parser.option("--date", "DATE", "date of the release, such as 2025-09-03 (default: today)")
    parser.flag("--pdf", "add a PDF for funders and reviewers")
    parser.option(
        "--draft",
        "FILE",
        "write only a draft PDF to FILE",
        type=Path,
    )


def _goes_together(parser: Parser, options: Namespace) -> None:
    if options.pdf and options.draft:
        parser.error("--draft and --pdf exclude each other")


def release(options: Namespace) -> None:
    """Releases a version of a project, or says why it cannot be released."""
    draft = read_release_draft(options)
    ask_for_libraries("vl_convert")
    if options.pdf or options.draft:
        ask_for_libraries("typst")
    if options.draft:
        write_draft(options.root, draft.project_id, draft.version, draft.reason, options.draft)
        return
    say(journal.complete(options.root))
    run_transaction(
        options.root, draft.project_id, lambda book: _make_draft(book, options.root, draft), _read_with_site
    )
    if keeps_pages(reader.load(options.root)[0]):
        write(options.root)


def _read_with_site(root: Path) -> ReadBook:
    book, problems = read(root)
    return book, [*problems, *settings_of(root)[1]]


def keeps_pages(ledger: Ledger) -> bool:
    """Whether people keep the pages of a tree up to date beside its ledger.

    Where they do, a release takes pages that somebody could look at: those in docs/ have to be those of the ledger, and
    are brought up to date afterwards. Where a job of CI renders, those in docs/ are always behind: then it is enough
    that the pages can be made, and only the release itself is written.
    """
    return ledger.settings.pages == PEOPLE


def _make_draft(book: Book, root: Path, draft: ReleaseDraft) -> Draft:
    """The release as it would be, with all that it writes. Raises CommandError where it cannot be."""
    known = sound(releases.intact(root), DIFFERS)
    if said := out_of_order(book, known, draft) or releases.blocked(root, draft.project_id, draft.version):
        raise CommandError(said)
    _ask_for_pages(book, root, known, draft.project_id)
    if idle := unmatched(book, known, draft.project_id, draft.version):
        shown = (f"{draft.head}: {key[:80]} has a reason in {draft.version}, {UNCHANGED}" for key in idle[:MOST_TOLD])
        raise CommandError(*shown)
    was = journal.current(root, draft.head) or ""
    text = versions.with_release(was.removeprefix("\ufeff"), draft.version, draft.date, draft.reason)
    own = [name for name in book.ledger.files if name.split("/")[2:3] != [PROPOSALS.id]]  # they are not decided
    texts = {name: (root / name).read_bytes().decode("utf-8-sig") for name in own}
    texts[draft.head] = text
    with progress("Trying the release"):
        made, problems = read_texts(texts)
    if problems:  # of an entry that this way of writing does not take: the file itself has none
        raise CommandError(not_taken(draft))
    verify_project_file(book, made, draft)
    _ask_for_findings(made, draft)
    snapshot = snapshot_of(made, draft.project_id, _enough(made, texts, draft.project_id), draft.date, draft.reason)
    snapshot = replace(snapshot, as_published=draft.as_published, pages=dict.fromkeys(_papers(draft), ""))
    with progress("Rendering"):
        pages = dict(all_as_kept(frozen(made, snapshot, package_files.template_folders(root), texts.get), files.HOME))
    pages |= {path: printed(made, known, root, snapshot, pages) for path in _papers(draft)}
    sums = {path: checksum(text.encode("utf-8", "surrogateescape")) for path, text in pages.items()}
    snapshot = replace(snapshot, pages=sums)
    new = {**pages, snapshot.file: snapshot.text()}
    changes = [*(FileChange(path, None, text) for path, text in new.items()), FileChange(draft.head, was, text)]
    return Draft(changes, [f"Released {draft.project_id} {draft.version}: {snapshot.folder}/"])


def _papers(draft: ReleaseDraft) -> list[str]:
    """The path of the edition on paper that is asked for, if any is."""
    return [paper_file(draft.project_id, draft.version)] if draft.pdf else []


def _ask_for_pages(book: Book, root: Path, known: releases.Releases, project_id: str) -> None:
    """Makes sure that the pages are those of the ledger, or can be made. Raises CommandError."""
    pages = sound(pages_of(book, root, known))
    found = files.compare(root, pages, [project_id])
    if not keeps_pages(book.ledger):
        files.ask_for_room(found)
    elif found:
        shown = (f"{file.kind}: {file.path}" for file in found[:MOST_TOLD])
        raise CommandError(
            *shown,
            f"the pages are out of date; render and read them before the release: {program()} render",
            code=DIFFERS,
        )


def _ask_for_findings(tried: Book, draft: ReleaseDraft) -> None:
    """Makes sure that all errors of the audit are settled, or accepted by somebody. Raises CommandError.

    Of a document as published they stay open, and it may accept nothing: its authors knew nothing of the audit.
    """
    if draft.as_published:
        if tried.projects[draft.project_id].project.accept:
            raise CommandError(
                f"{draft.head} has `accept`, but a document as published keeps its findings open; "
                "what is found in it stays open; take it out",
                code=FINDINGS,
            )
        return
    found = tried.findings[draft.project_id]
    if errors := [finding for finding in found if finding.severity == "error"]:
        several = f"{len(errors)} findings are errors", "them", "each"
        many, them, each = several if len(errors) > 1 else ("1 finding is an error", "it", "it")
        mend = f"settle {them}, or accept {each} under `accept` in {draft.head}, with `reason` and `by`"
        raise _unsettled("error", errors, f"{many}: {mend}")
    if nobodys := [finding for finding in found if finding.accepted and not finding.by]:
        many = f"{len(nobodys)} accepted findings do" if len(nobodys) > 1 else "1 accepted finding does"
        mend = f"add `by` to each under `accept` in {draft.head}"
        raise _unsettled("accepted", nobodys, f"{many} not name who accepted: {mend}")


def _unsettled(what: str, found: Sequence[Finding], said: str) -> CommandError:
    """That findings stand in the way of a release: the first of them, and what is said of all."""
    shown = (f"{what}: {format_sentence(finding.title)} ({finding.id})" for finding in found[:MOST_TOLD])
    return CommandError(*shown, said, code=FINDINGS)


def _enough(tried: Book, texts: Mapping[str, str], project_id: str) -> Mapping[str, str]:
    """The files that the project can be read from again, so that it comes to the same: its own and the shared ones,
    with those of the projects that grants name; with those of all projects where that is not enough."""
    granted = {name for grant in tried.allocations.values() for name in grant.projects}
    for projects_ in ({project_id}, {project_id, *granted}):
        some = {name: text for name, text in texts.items() if name.split("/")[1] in {*projects_, *SHARED_PARTS}}
        if len(some) == len(texts):
            break
        with progress("Trying the snapshot"):
            again, problems = read_texts(some)
        if not problems and _outcome(again, project_id) == _outcome(tried, project_id):
            return some
    return texts


def _outcome(book: Book, project_id: str) -> Iterable[object]:
    """What a book says of a project: its figures and findings."""
    snapshot = snapshot_of(book, project_id, {}, "", "")
    return snapshot.figures, snapshot.findings


def read_release_draft(options: Namespace) -> ReleaseDraft:
    """What is asked for. Raises CommandError where it cannot be meant."""
    today, reason = clock.current_time(), " ".join(options.message.split())
    wrong = [said] if (said := no_project(options.root, options.project)) else []
    if numeric(options.version) is None:
        wrong.append(f"`{echoed(options.version)}` is not a version; write numbers and dots, such as 1.1.0")
    if not reason or len(reason) > LONGEST_REASON:
        wrong.append(f"say why in up to {LONGEST_REASON:,} characters: -m 'Figures of the first phase go in.'")
    if unseen := first_unseen(reason):
        wrong.append(f"{unseen} is not allowed in a text; remove it from the reason")
    day = options.date or f"{today:%Y-%m-%d}"
    if not names_day(day):
        wrong.append(f"`{echoed(day)}` is not a date; write one such as 2025-09-03")
    elif clock.later(day, today):
        wrong.append(f"`{day}` has not come yet; today is {today:%Y-%m-%d}")
    if wrong:
        raise CommandError(*wrong)
    return ReleaseDraft(options.project, options.version, day, reason, options.as_published, options.pdf)


def out_of_order(book: Book, known: releases.Releases, draft: ReleaseDraft) -> str:
    """Why this version cannot come next; empty where it can."""
    released = {snapshot.version: snapshot.date for snapshot in known.get(draft.project_id, ())}
    if draft.version in released:
        return f"{draft.project_id} {draft.version} is already released and never changes; choose a later version"
    record = book.projects[draft.project_id].project
    # Also those that the history tells of, though there is no release of them here.
    older = {
        str(version): str(entry.date or "")
        for version, entry in record.versions.items()
        if entry.status == "released" and str(version) != draft.version
    }
    every = [(numeric(version) or (), version, day) for version, day in {**older, **released}.items()]
    order, last, day = max(every, default=((), "", ""))
    if (numeric(draft.version) or ()) <= order:
        return f"{draft.version} does not come after {last}, which is released; choose a later version"
    if draft.date < day:
        return f"{draft.date} is before {day}, when {last} was released; choose a later date with --date"
    for named in map(str, record.versions):
        if named != draft.version and numeric(named) == numeric(draft.version):
            return f"`versions` of {draft.head} calls this version {named}; release it by that name"
    return ""


def _entries(project: Project) -> dict[str, tuple[object, ...]]:
    """What a project says of each of its versions."""
    return {version: _entry(entry) for version, entry in project.versions.items()}


def verify_project_file(book: Book, tried: Book, draft: ReleaseDraft) -> None:
    """Makes sure that project.yaml says what it said, and that the version is released: nothing else is written."""
    was, made = (each.ledger.projects[draft.project_id].project for each in (book, tried))
    before, after = _entries(was), _entries(made)
    kept = before.get(draft.version, ({},))[-1]
    wanted = {**before, draft.version: ("released", draft.date, draft.reason, "", kept)}
    same = was.model_fields_set | {"versions"} == made.model_fields_set
    if not same or after != wanted or made.version != draft.version:
        raise CommandError(not_taken(draft))


def not_taken(draft: ReleaseDraft) -> str:
    """What to do where project.yaml is written in a way in which the entry cannot be put."""
    return f"{draft.head} has no place for the entry; write it by hand, with `version: {draft.version}`"


def _entry(entry: Version) -> tuple[object, ...]:
    reasons = {name: str(why) for name, why in entry.reasons.items()}
    return (entry.status, entry.date or "", str(entry.note), str(entry.waits_for or ""), reasons)
