"""What changed since a revision and what is at risk, as a short text that a scheduled job can send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from reckon.compute.versions.difference import Difference, Part
from reckon.language.lean import dataclass
from reckon.language.text import plural

from ..render.escape import code, inline, terminal
from ..render.numbers import told
from . import wording
from .became import found_new, graver, headline, inputs
from .glance import moved_figures, state_in, why_in

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
    """The lines: which projects of the new side are at risk, then which are to be looked at for another reason, then
    what changed in each since the old one, which is told as it was asked for."""
    how = FORMS[form]
    parts = news(of)
    risks, others = list(_risks(of, True)), list(_risks(of, False))
    also = "" if risks else "nothing is at risk"
    if not parts:
        yield f"Nothing changed since {how.code(since)}{also and f', and {also}'}."
    else:
        changed = sum(bool(part.id) for part in parts)
        known = len({*of.old.book.ledger.projects, *of.new.book.ledger.projects})
        counted = f"Since {how.code(since)}: {plural(changed, 'project')} changed, of {known:,}"
        yield f"{counted}{also and f'; {also}'}."
    for title, lines in (("At risk", risks), ("To be looked at", others)):
        if lines:
            yield from ("", how.title.format(title))
            yield from _listed(lines, how, MOST_PROJECTS)
    for part in parts[:MOST_PROJECTS]:
        yield from ("", how.title.format(how.words(_title(of, part))))
        yield from _listed(list(_told(of, part)), how, MOST_LINES)
    if len(parts) > MOST_PROJECTS:
        yield from ("", f"… and {len(parts) - MOST_PROJECTS:,} more: `budget diff` has them.")


def news(of: Difference) -> list[Part]:
    """What changed: the projects that differ, and what they share, where that does. A finding that is
    judged otherwise, but not as graver, is left out."""
    return [part for part in of.parts if part.told or (part.id and (
        part.state or part.moved or part.bridge or part.gained or part.lost or graver(part)))]  # fmt: skip


def is_quiet(of: Difference) -> bool:
    """Whether nothing changed, nothing is at risk, and nothing else is to be looked at."""
    return not news(of) and not any(_risks(of, True)) and not any(_risks(of, False))


def _title(of: Difference, part: Part) -> str:
    """What a project is called, with what became of it in a few words."""
    if part.state:
        return wording.headline(part)
    rows = list(moved_figures(of.old.book, of.new.book, part.id)) if part.id else []
    return f"{part.title}: {headline(of, part, rows)}" if part.id else part.title


def _told(of: Difference, part: Part) -> Iterator[str]:
    """What became of a project, a line each: figures of the whole, inputs, and findings. Nothing is escaped yet."""
    if part.id and not part.state:
        for title, was, now in moved_figures(of.old.book, of.new.book, part.id):
            yield f"{title}: {was} → {now}"
    said = wording.several(inputs(part))
    if said and not part.state and not (part.id and said == headline(of, part)):
        yield said
    found = found_new(of, part)
    for each in found[:MOST_FINDINGS]:
        kind = f"{each.severity}, until now a {each.was}" if each.was else f"new {each.severity}"
        yield f"{kind}: {each.text}" + (f" (and {each.more:,} more of this cause)" if each.more else "")
    if len(found) > MOST_FINDINGS:
        yield f"and {len(found) - MOST_FINDINGS:,} more findings"


def _risks(of: Difference, dangerous: bool) -> Iterator[str]:
    """The projects whose state somebody should look at, each with the figures that decide it, and with what it was if
    that is new; those first. Where a project ends decides, not how much of a limit is used. `dangerous`: those whose
    limits and policies are not kept, or likely will not be; else the others. Nothing is escaped yet."""
    found: list[tuple[bool, str]] = []
    titles = Counter(str(project.project.title) for project in of.new.book.ledger.projects.values())
    for name, project in of.new.book.ledger.projects.items():
        now, was = state_in(of.new.book, name), state_in(of.old.book, name)
        if now and now.grave and now.dangerous == dangerous:
            title = str(project.project.title)
            called = f"{title} ({name})" if titles[title] > 1 else title
            until = f" (until now {was.word})" if was and was.word != now.word else ""
            found.append((not until, f"{called}: {now.word}{until}: {told(why_in(of.new.book, name))}"))
    yield from (line for _, line in sorted(found, key=lambda pair: pair[0]))


def _listed(lines: Sequence[str], how: _Form, most: int) -> Iterator[str]:
    """The first of some lines as a list, and how many more there are."""
    if lines:
        yield from how.gap
    yield from (f"- {how.words(line)}" for line in lines[:most])
    if len(lines) > most:
        yield f"- and {len(lines) - most:,} more"
