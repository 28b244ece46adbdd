"""What changed since a revision and what is at risk, as a short text that a scheduled job can send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from reckon.compute.versions.difference import Difference, Part
from reckon.language.text import list_first, plural
from reckon.model.finding import Sentence

from ..budget.state import ProjectState
from ..render.escape import code, inline, terminal
from ..render.numbers import format_sentence
from ..terminal.lines import Lines
from . import sentences
from .change_headline import found_new, graver, headline, inputs
from .review_summary import BREACHED, STATE, moved_figures, state_in, whys_in

MOST_PROJECTS, MOST_FINDINGS, MOST_LINES, MOST_REASONS = 20, 5, 30, 5
RiskLines = list[tuple[ProjectState, str, list[str]]]
"""States of projects, each in a line, with the reasons for it."""
SAID_AS_RISK = (f"{BREACHED}:", "limit-passed:")
"""Findings that stand among the reasons why a project is at risk."""


class _Form(NamedTuple):
    """How words of a ledger are written so that they act nowhere, and what makes a title and an entry of a list."""

    words: Callable[[str], str]
    code: Callable[[str], str]
    title: str
    gap: tuple[str, ...]


FORMS = {"text": _Form(terminal, terminal, "{}", ()), "markdown": _Form(inline, code, "**{}**", ("",))}


def digest(of: Difference, form: str, since: str, ending: Sequence[Sentence] = ()) -> Lines:
    """The lines: which projects of the new side are at risk, then which are to be looked at for another reason, then
    what changed in each since the old one, which is told as it was asked for; and before that, what is `ending`."""
    how = FORMS[form]
    parts = news(of)
    states = _risks(of)
    also = "" if any(state.dangerous for state, *_ in states) else "nothing is at risk"
    if not parts:
        yield f"No figure changed since {how.code(since)}{also and f', and {also}'}."
    else:
        changed = sum(bool(part.id) for part in parts)
        known = len({*of.old.book.projects, *of.new.book.projects})
        yield f"Since {how.code(since)}: {plural(changed, 'project')} changed, of {known:,}{also and f'; {also}'}."
    for title, dangerous in (("At risk", True), ("To be looked at", False)):
        if found := [(line, why) for state, line, why in states if state.dangerous == dangerous]:
            yield from ("", how.title.format(title), *how.gap)
            for line, why in found[:MOST_PROJECTS]:
                yield f"- {how.words(': '.join([line, *why]) if len(why) == 1 else line)}"
                yield from (f"  {each}" for each in _list_first(why[1:] and why, how, MOST_REASONS))
            if len(found) > MOST_PROJECTS:
                yield f"- and {len(found) - MOST_PROJECTS:,} more"
    if ending:
        lines = [*map(format_sentence, ending)]
        yield from ("", how.title.format("Ending soon"), *how.gap, *_list_first(lines, how, MOST_PROJECTS))
    for part in parts[:MOST_PROJECTS]:
        yield from ("", how.title.format(how.words(_title(of, part))))
        if lines := list(_describe_project(of, part)):
            yield from (*how.gap, *_list_first(lines, how, MOST_LINES))
    if len(parts) > MOST_PROJECTS:
        yield from ("", f"… and {len(parts) - MOST_PROJECTS:,} more: `budget diff` has them.")


def news(of: Difference) -> list[Part]:
    """What changed: the projects that differ, and what they share, where that does. A finding that is
    judged otherwise, but not as graver, is left out."""
    return [
        part
        for part in of.parts
        if part.told
        or (part.id and (part.state or part.moved or part.bridge or part.gained or part.lost or graver(part)))
    ]


def is_quiet(of: Difference) -> bool:
    """Whether nothing changed, nothing is at risk, and nothing else is to be looked at."""
    return not (news(of) or _risks(of))


def _title(of: Difference, part: Part) -> str:
    """What a project is called, with what became of it in a few words."""
    if part.state:
        return sentences.headline(part)
    return f"{part.title}: {headline(of, part, moved_figures(of, part))}" if part.id else part.title


def _describe_project(of: Difference, part: Part) -> Lines:
    """What became of a project, a line each: figures of the whole, inputs, and findings. Nothing is escaped yet."""
    state = state_in(of.new.book, part.id)
    grave = bool(state and state.grave)
    if not part.state:
        yield from _moved(of, part, grave)
    found = [each for each in found_new(of, part) if not (grave and each.id.startswith(SAID_AS_RISK))]
    lines = []
    for each in found:
        kind = f"{each.severity}, until now a {each.was}" if each.was else f"new {each.severity}"
        lines.append(f"{kind}: {each.text}" + (f" (and {each.more:,} more of this cause)" if each.more else ""))
    yield from list_first(lines, MOST_FINDINGS, "and {} more findings")


def _moved(of: Difference, part: Part, grave: bool) -> Lines:
    """The figures of the whole that moved, and the inputs; neither what the title says nor, of a project that is to be
    looked at, its state, which stands above."""
    rows = moved_figures(of, part)
    head = headline(of, part, rows) if part.id else ""
    for title, was, now in rows:
        if not (title == STATE and grave) and f"; {title} ".lower() not in f"; {head}".lower():
            yield f"{title}: {was} → {now}"
    shown = tuple(f"{title}: " for title, _, _ in rows)
    said = sentences.several([each for each in inputs(part) if not each.startswith(shown)] if shown else inputs(part))
    if said and said != head:
        yield said


def _risks(of: Difference) -> RiskLines:
    """The states that somebody should look at, with their projects, what each was if that is new, and each reason; new
    ones first. Where a project ends decides, not how much of a limit is used. Nothing is escaped yet."""
    new = RiskLines()
    found = RiskLines()
    titles = Counter(project.project.title for project in of.new.book.projects.values())
    for name, project in of.new.book.projects.items():
        now = state_in(of.new.book, name)
        was = state_in(of.old.book, name)
        if now and now.grave:
            title = project.project.title
            called = f"{title} ({name})" if titles[title] > 1 else title
            until = f" (until now {was.word})" if was and was.word != now.word else ""
            whys = list(map(format_sentence, whys_in(of.new.book, name)))
            (new if until else found).append((now, f"{called}: {now.word}{until}", whys))
    return [*new, *found]


def _list_first(lines: Sequence[str], how: _Form, most: int) -> Iterable[str]:
    """The first of some lines as a list, and how many more there are."""
    return list_first([f"- {how.words(line)}" for line in lines], most, "- and {} more")
