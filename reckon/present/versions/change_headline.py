"""What became of a project, in a line: its runs, a release, its budget; and what was found. Nothing is escaped yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from reckon.compute.versions.change import Change, RunGroup
from reckon.compute.versions.difference import Difference, Part
from reckon.language.quantity import ZERO, add_up
from reckon.language.text import plural
from reckon.model.finding import SEVERITIES
from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.model.kinds import CEILING, EXTENDED, FINAL, called
from reckon.model.release import ReleasedFinding

from ..render.numbers import format_sentence, use_text
from ..table_rows import use_of
from . import sentences

Row: TypeAlias = tuple[str, str, str]
"""Title, before and now of a figure."""
RELEASED = "released"


def headline(of: Difference, part: Part, rows: Sequence[Row] = ()) -> str:
    """The first thing to say of a project, without its title: runs and their hours, a release, the budget that moved;
    else which inputs changed, the first of the figures of the whole (`rows`) that moved, or how many others did."""
    found = [*_runs(part), *_released(of, part), *_budget(of, part)]
    first = [f"{title[:1].lower()}{title[1:]} {was} → {now}" for title, was, now in rows[:1]]
    return "; ".join(found) or sentences.several(inputs(part) or first) or _rest(part)


def inputs(part: Part) -> list[str]:
    """The inputs that changed, but runs."""
    return [sentences.described(change) for change in part.told if not _holds_hours(change)]


def _holds_hours(change: Change) -> bool:
    """Whether a change is one of runs, not of the entries beside these."""
    return change.runs is not None and change.runs.kind == "runs"


def _rest(part: Part) -> str:
    """How many figures moved, and findings came and went. A finding judged otherwise is not told."""
    names = ((part.moved, "figure", "moved"), (part.gained, "finding", "gained"), (part.lost, "finding", "lost"))
    return ", ".join(f"{plural(len(some), word)} {what}" for some, word, what in names if some) or "no figure moved"


def _runs(part: Part) -> Iterator[str]:
    """How many runs there are more or fewer, what they are charged of the budget, and the hours held where these are
    others."""
    moved = [change.runs for change in part.told if change.runs and _holds_hours(change)]
    if not moved:
        return
    many = sum(swap.counts[1] - swap.counts[0] for swap in moved)
    held = add_up(swap.held[1] - swap.held[0] for swap in moved)
    spent = _charged_difference(moved)
    what = f"{plural(abs(many), 'run')} {'more' if many > 0 else 'fewer'}" if many else "runs changed"
    if spent is None or spent == held:
        hours = f"{sentences.signed(held)} GPU-h" + (" held" if spent is None else "") if held or many else ""
    else:
        beside = f"{sentences.signed(held)} hours held" if held else "hours held as before"
        hours = f"{sentences.signed(spent)} GPU-h ({beside})"
    if not hours and len(moved) == 1 and moved[0].fields:
        yield next(sentences.described(change) for change in part.told if _holds_hours(change))
    else:
        yield f"{what}, {hours or 'hours as before'}"


def _charged_difference(moved: Sequence[RunGroup]) -> Fraction | None:
    """How many hours of the budget runs are charged more or less; None where a ratio of their GPUs is missing."""
    total = ZERO
    for was, now in (group.charged for group in moved):
        if was is None or now is None:
            return None
        total += now - was
    return total


def _released(of: Difference, part: Part) -> Iterator[str]:
    was, now = (book.projects.get(part.id) for book in of.books)
    if not was or not now:
        return
    before = {number for number, version in was.project.versions.items() if version.status == RELEASED}
    for number, version in now.project.versions.items():
        if version.status == RELEASED and number not in before:
            yield f"released {number}"


def _budget(of: Difference, part: Part) -> Iterator[str]:
    """The final budget before and now; the extended one, or the ceiling, where that alone moved."""
    project = of.new.book.projects.get(part.id)
    for total in (FINAL, EXTENDED, CEILING) if project else ():
        was, now = (book.get(f"{part.id}.{total.hours}") for book in of.books)
        before = use_of(was)
        after = use_of(now)
        if project and was and now and before is not None and after is not None and before != after:
            by = sentences.signed(after - before)
            name = called(project.project, total.words)
            yield f"{name} {use_text(was)} → {use_text(now)} {now.unit.symbol} ({by})"
            return


class Found(NamedTuple):
    """Findings of one cause that came: the gravest, and how many more have that cause. `was`: the severity that one
    that was there had until now."""

    id: str
    severity: str
    title: str
    why: str
    more: int = 0
    was: str = ""

    @property
    def text(self) -> str:
        """What is found, with its figures."""
        return f"{self.title}: {self.why}" if self.why else self.title


def found_new(of: Difference, part: Part) -> list[Found]:
    """The findings that came and that nobody accepts, each cause once, and those that are graver than they were. With a
    project that was added, all of its own came."""
    gained = of.new.findings.get(part.id, ()) if part.state == "added" else part.gained
    came = {each.id: each for each in gained if not each.accepted}
    found: list[Found] = []
    for group in by_cause(of.new.book.findings.get(part.id, ())):
        if own := [each for each in group.all if each.id in came]:
            found.append(_new_findings(group, [came.pop(each.id) for each in own]))
    found += [Found(each.id, each.severity, each.title, "") for each in came.values()]
    found += [Found(now.id, now.severity, now.title, "", was=was.severity) for was, now in graver(part)]
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))


def _new_findings(group: FindingGroup, own: list[ReleasedFinding]) -> Found:
    """What came of a group: all of it under its own title, or the first of what is new."""
    first = next((each for each in group.all if each.id == own[0].id), group.lead)
    whole = len(own) == len(group.all)
    lead = group.lead if whole else first
    title, why = (group.title, group.arithmetic) if whole else (first.title, first.arithmetic)
    severity = group.severity if whole else lead.severity  # that of what follows too
    return Found(lead.id, severity, format_sentence(title), format_sentence(why), len(own) - 1)


def graver(part: Part) -> list[tuple[ReleasedFinding, ReleasedFinding]]:
    """The findings that are graver than they were and that nobody accepts, as they were and as they are."""
    return [
        (was, now)
        for was, now in part.altered
        if not now.accepted and SEVERITIES.index(now.severity) < SEVERITIES.index(was.severity)
    ]
