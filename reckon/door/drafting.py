"""A release as it is asked for: what can be meant, whether it comes next, and what project.yaml is to say then."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.language.text import echoed
from reckon.model.release import LONGEST_REASON, numeric
from reckon.publish import append
from reckon.publish.files import Blocked

from .adding import now
from .clock import later
from .named import projects
from .output import complain

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.model.records import Version
    from reckon.publish.releases import Releases

NOTHING: tuple[dict[str, str]] = ({},)


@dataclass(frozen=True, slots=True)
class Draft:
    """A release as asked for: what, when and why; and project.yaml as it is and as it is to be."""

    project: str
    version: str
    date: str
    reason: str
    was: str = ""
    text: str = ""

    @property
    def head(self) -> str:
        """The path of project.yaml."""
        return f"ledger/{self.project}/project.yaml"


def asked(options: Namespace) -> Draft | None:
    """What is asked for; None where it cannot be meant, with that said."""
    from reckon.model.problem import nearest

    today, reason, wrong = now(), " ".join(options.message.split()), []
    if options.project not in (known := projects(options.root)):
        hint = nearest(options.project, known) or "a project is a folder under ledger/"
        wrong.append(f"there is no project `{echoed(options.project)}`; {hint}")
    if numeric(options.version) is None:
        wrong.append(f"`{echoed(options.version)}` is no version; write numbers with dots between, as 1.1.0")
    if not reason or len(reason) > LONGEST_REASON:
        wrong.append(f"say why in up to {LONGEST_REASON:,} characters: -m 'Figures of the first phase go in.'")
    if odd := next((one for one in reason if not one.isprintable()), ""):
        wrong.append(f"U+{ord(odd):04X} is no character of a text; say why without it")
    day = options.date or f"{today:%Y-%m-%d}"
    if not _is_day(day):
        wrong.append(f"`{echoed(day)}` is no day; write one as 2025-09-03")
    elif later(day, today):
        wrong.append(f"`{day}` has not come yet; today is {today:%Y-%m-%d}")
    complain(*wrong)
    return None if wrong else Draft(options.project, options.version, day, reason)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def out_of_order(book: Book, known: Releases, draft: Draft) -> str:
    """Why this version cannot come next; empty where it can."""
    released = {one.version: one.date for one in known.get(draft.project, ())}
    if draft.version in released:
        return f"{draft.project} {draft.version} is released already; a release never changes: choose a greater version"
    one = book.ledger.projects[draft.project].project
    # Also those that the history tells of, though there is no release of them here.
    older = {str(version): str(entry.date or "") for version, entry in one.versions.items()
             if entry.status == "released" and str(version) != draft.version}  # fmt: skip
    every = [(numeric(version) or (), version, day) for version, day in {**older, **released}.items()]
    order, last, day = max(every, default=((), "", ""))
    if (numeric(draft.version) or ()) <= order:
        return f"{draft.version} does not come after {last}, which is released; choose a greater version"
    if draft.date < day:
        return f"{draft.date} is before {day}, when {last} was released; choose a later date with --date"
    for named in map(str, one.versions):
        if named != draft.version and numeric(named) == numeric(draft.version):
            return f"`versions` of {draft.head} calls this version {named}; release it by that name"
    return ""


def drafted(root: Path, draft: Draft) -> Draft:
    """The release with the text that project.yaml is to have."""
    from reckon.load.versions import with_release

    was = append.current(root / draft.head) or ""
    text = with_release(was.removeprefix("\ufeff"), draft.version, draft.date, draft.reason)
    return replace(draft, was=was, text=text)


def sound(book: Book, tried: Book, draft: Draft) -> None:
    """Makes sure that project.yaml says what it said, and that the version is released: nothing else is written."""
    was, made = (one.ledger.projects[draft.project].project for one in (book, tried))
    entries = [{str(version): _entry(entry) for version, entry in one.versions.items()} for one in (was, made)]
    kept = entries[0].get(draft.version, NOTHING)[-1]
    wanted = {**entries[0], draft.version: ("released", draft.date, draft.reason, "", kept)}
    same = was.model_fields_set | {"versions"} == made.model_fields_set
    if not same or entries[1] != wanted or str(made.version) != draft.version:
        raise Blocked(not_taken(draft))


def not_taken(draft: Draft) -> str:
    """What to do where project.yaml is written in a way in which the entry cannot be put."""
    return f"{draft.head} does not take the entry; write it by hand, with `version: {draft.version}`"


def _entry(entry: Version) -> tuple[object, ...]:
    reasons = {str(name): str(why) for name, why in entry.reasons.items()}
    return (str(entry.status), str(entry.date or ""), str(entry.note), str(entry.waits_for or ""), reasons)
