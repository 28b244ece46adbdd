"""What changed since a revision and what is at risk, as a short text that a scheduled job can send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reckon.compute.book import Book
from reckon.compute.versions.difference import Difference, Part
from reckon.language.lean import dataclass
from reckon.language.text import plural

from ..budget.state import state_of
from ..render.escape import code, inline, terminal
from ..render.numbers import told
from ..view import View
from . import wording
from .glance import counted_runs, graver, moved_figures

MOST_PROJECTS, MOST_FINDINGS, MOST_LINES = 20, 5, 30
GRAVE = ("CAUTION", "WARNING")
"""The tones of states that somebody should look at (`budget/state`)."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How words of a ledger are written so that they act nowhere, and what makes a title and an entry of a list."""

    words: Callable[[str], str]
    code: Callable[[str], str]
    title: str
    gap: tuple[str, ...]


FORMS = {"text": _Form(terminal, terminal, "{}", ()), "markdown": _Form(inline, code, "**{}**", ("",))}


def digest(of: Difference, form: str) -> Iterator[str]:
    """The lines: what changed in each project since the old side, then which projects of the new one are at risk."""
    how, since = FORMS[form], of.old.name
    parts = [part for part in of.parts if part.id or part.told]
    risks = list(_risks(of.new.book, how))
    if not parts:
        also = "" if risks else ", and nothing is at risk"
        yield f"Nothing changed since {how.code(since)}{also}."
    else:
        changed = sum(bool(part.id) for part in parts)
        yield f"Since {how.code(since)}: {plural(changed, 'project')} changed, of {len(of.new.book.ledger.projects):,}."
    for part in parts[:MOST_PROJECTS]:
        yield from ("", how.title.format(how.words(_title(part))))
        yield from _listed(list(_told(of, part)), how, MOST_LINES)
    if len(parts) > MOST_PROJECTS:
        yield from ("", f"… and {len(parts) - MOST_PROJECTS:,} more: `budget diff` has them.")
    if risks:
        yield from ("", how.title.format("At risk"))
        yield from _listed(risks, how, MOST_PROJECTS)


def _title(part: Part) -> str:
    """What a project is called, with how many runs it has more, or how much differs."""
    if part.state:
        return wording.headline(part)
    return f"{part.title or part.id}{counted_runs(part)}"


def _told(of: Difference, part: Part) -> Iterator[str]:
    """What became of a project, a line each: figures of the whole, inputs, and findings. Nothing is escaped yet."""
    if part.id and not part.state:
        for title, was, now in moved_figures(of.old.book, of.new.book, part.id):
            yield f"{title}: {was} → {now}"
    inputs = [wording.described(change) for change in part.told if not change.runs]
    if inputs and not part.state:
        yield wording.several(inputs)
    found = [f"new {each.severity}: {each.title}" for each in part.gained if not each.accepted]
    found += [f"{now.severity}, until now a {was.severity}: {now.title}" for was, now in graver(part)]
    yield from found[:MOST_FINDINGS]
    if len(found) > MOST_FINDINGS:
        yield f"and {len(found) - MOST_FINDINGS:,} more findings"


def _risks(book: Book, how: _Form) -> Iterator[str]:
    """The projects whose state somebody should look at, each with the figures that decide it. Where a project ends
    decides, and not how much of a limit is used. Nothing is escaped yet."""
    for project in book.ledger.projects.values():
        view = View(book, project)
        if view.kind == "budget" and (state := state_of(view)).tone in GRAVE:
            yield f"{view.project.title}: {state.word}: {told(state.why)}"


def _listed(lines: Sequence[str], how: _Form, most: int) -> Iterator[str]:
    """The first of some lines as a list, and how many more there are."""
    if lines:
        yield from how.gap
    yield from (f"- {how.words(line)}" for line in lines[:most])
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"
