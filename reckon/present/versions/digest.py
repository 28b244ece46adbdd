"""What changed since a revision and what is at risk, as a short text that a scheduled job can send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reckon.compute.versions.difference import Difference, Part
from reckon.language.lean import dataclass
from reckon.language.text import plural

from ..render.escape import code, inline, terminal
from ..render.numbers import told
from . import wording
from .glance import counted_runs, graver, moved_figures, state_in

MOST_PROJECTS, MOST_FINDINGS, MOST_LINES = 20, 5, 30


@dataclass(frozen=True, slots=True)
class _Form:
    """How words of a ledger are written so that they act nowhere, and what makes a title and an entry of a list."""

    words: Callable[[str], str]
    code: Callable[[str], str]
    title: str
    gap: tuple[str, ...]


FORMS = {"text": _Form(terminal, terminal, "{}", ()), "markdown": _Form(inline, code, "**{}**", ("",))}


def digest(of: Difference, form: str, since: str) -> Iterator[str]:
    """The lines: which projects of the new side are at risk, then what changed in each since the old one, which is told
    as it was asked for."""
    how = FORMS[form]
    parts = news(of)
    risks = list(_risks(of))
    if not parts:
        also = "" if risks else ", and nothing is at risk"
        yield f"Nothing changed since {how.code(since)}{also}."
    else:
        changed = sum(bool(part.id) for part in parts)
        yield f"Since {how.code(since)}: {plural(changed, 'project')} changed, of {len(of.new.book.ledger.projects):,}."
    if risks:
        yield from ("", how.title.format("At risk"))
        yield from _listed(risks, how, MOST_PROJECTS)
    for part in parts[:MOST_PROJECTS]:
        yield from ("", how.title.format(how.words(_title(part))))
        yield from _listed(list(_told(of, part)), how, MOST_LINES)
    if len(parts) > MOST_PROJECTS:
        yield from ("", f"… and {len(parts) - MOST_PROJECTS:,} more: `budget diff` has them.")


def news(of: Difference) -> list[Part]:
    """What changed: the projects that differ, and what they share, where that does."""
    return [part for part in of.parts if part.id or part.told]


def is_quiet(of: Difference) -> bool:
    """Whether nothing changed and nothing is at risk."""
    return not news(of) and not any(_risks(of))


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


def _risks(of: Difference) -> Iterator[str]:
    """The projects whose state somebody should look at, each with the figures that decide it, and with what it was if
    that is new; those first. Where a project ends decides, not how much of a limit is used. Nothing is escaped yet."""
    found: list[tuple[bool, str]] = []
    for name, project in of.new.book.ledger.projects.items():
        now, was = state_in(of.new.book, name), state_in(of.old.book, name)
        if now and now.grave:
            until = f" (until now {was.word})" if was and was.word != now.word else ""
            found.append((not until, f"{project.project.title}: {now.word}{until}: {told(now.why)}"))
    yield from (line for _, line in sorted(found, key=lambda pair: pair[0]))


def _listed(lines: Sequence[str], how: _Form, most: int) -> Iterator[str]:
    """The first of some lines as a list, and how many more there are."""
    if lines:
        yield from how.gap
    yield from (f"- {how.words(line)}" for line in lines[:most])
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"
