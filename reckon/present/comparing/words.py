"""The words of a comparison: headlines, steps, changes and moves in short. Nothing here is escaped yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from reckon.compute.book import Book
from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Moved, Part
from reckon.compute.versions.essence import singular
from reckon.compute.versions.lists import ACCEPTED, CLAIMS
from reckon.compute.versions.steps import BRIDGED, ENGINE_OLD, INPUTS, Bridge, Step
from reckon.language.days import DATE
from reckon.language.text import NOWHERE, Place, plural
from reckon.model.release import ReleasedFinding

from ..numbers import decimal, figure_text, number_text, use_text
from ..terminal.messages import told

Authors: TypeAlias = Mapping[Place, tuple[str, str]]
"""Who wrote a ledger line, and on which day, as far as it is known."""

MOST_DECIMALS = 2
MOST_NAMED = 3
LONGEST = 60
ARROW = " → "


def found_in(book: Book) -> dict[str, tuple[ReleasedFinding, ...]]:
    """The findings of a book by project, each with its title as it is printed."""
    return {
        name: tuple(ReleasedFinding(one.id, one.severity, told(one.title), one.accepted) for one in some)
        for name, some in book.findings.items()
    }


def cut(words: str, longest: int = LONGEST) -> str:
    """Words in one line, cut where they are long."""
    words = " ".join(words.split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def signed(number: Fraction, places: int | None = None) -> str:
    """A number with its sign; rounded to some decimals, or by its size."""
    text = number_text(number, False) if places is None else decimal(number, places)
    return text if text.startswith("−") or not number else f"+{text}"


def percent(share: Fraction | None) -> str:
    """A share as a signed percentage; empty where there is none."""
    return "" if share is None else f"{signed(share * 100)}%"


def headline(part: Part) -> str:
    """What became of a project in a line: `Pixelis: 2,335 → 2,512 GPU-h (+177, +7.6%)`."""
    if part.state:
        total = part.now or part.was
        return f"{part.title}: {part.state}" + (f", {figure_text(total)}" if total else "")
    if part.bridge and part.was and part.now:
        one, both = part.bridge, (use_text(part.was), use_text(part.now))
        budget = one.address.removeprefix(f"{part.id}.") in BRIDGED
        title = part.title if budget else f"{part.title}, {one.title}"
        if not one.by:
            return f"{title}: {both[1]} {one.unit.symbol}, with another range"
        share = one.by / abs(one.was.use) if one.was.use else None
        by = ", ".join(word for word in (signed(one.by), percent(share)) if word)
        return f"{title}: {both[0]}{ARROW}{both[1]} {one.unit.symbol} ({by})".replace("  ", " ")
    same = f"{figure_text(part.now)} as before; " if part.id and part.was and part.now else ""
    return f"{part.title}: {same}{counted(part)}"


def counted(part: Part) -> str:
    """How much of each kind differs in a part."""
    listed = [sum(one.of == kind.of for one in part.told) for kind in (CLAIMS, ACCEPTED)]
    names = (
        (len(part.told) - sum(listed), "input", "changed"),
        (listed[0], "claim", "changed"),
        (listed[1], ACCEPTED.of, "changed"),
        (len(part.moved), "figure", "moved"),
        (len(part.gained), "finding", "gained"),
        (len(part.lost), "finding", "lost"),
        (len(part.altered), "finding", "judged otherwise"),
    )
    found = [f"{plural(many, word)} {what}" for many, word, what in names if many]
    return ", ".join(found) or "nothing moved"


def described(one: Change) -> str:
    """A change in a line, without its place."""
    match one.kind:
        case "added" | "removed":
            value = one.now or one.was
            return f"{one.kind} {kind_of(one)} {cut(one.title)}" + (f" ({cut(value)})" if value else "")
        case "renamed":
            if one.title in (one.was, one.now):
                return f"renamed {kind_of(one)} {cut(one.was)}{ARROW}{cut(one.now)}"
            return f"renamed {kind_of(one)} {cut(one.title)}: id {cut(one.was)}{ARROW}{cut(one.now)}"
        case "moved":
            return f"moved {kind_of(one)} {cut(one.title)}: {cut(one.was)}{ARROW}{cut(one.now)}"
        case "runs" if one.runs:
            counts, hours = one.runs.counts, one.runs.hours
            spent = f"{number_text(hours[0], False)}{ARROW}{number_text(hours[1], False)} GPU-h"
            month = one.runs.month or "without a date"
            return f"runs of {one.runs.item}, {month}: {counts[0]:,}{ARROW}{counts[1]:,}, {spent}"
    title = f"{kind_of(one)} {cut(one.title)}: {one.part}" if one.part else cut(one.title or one.address)
    return f"{title}: {cut(one.was) or 'nothing'}{ARROW}{cut(one.now) or 'nothing'}"


def kind_of(one: Change) -> str:
    """What kind of record a change is about, in the singular."""
    return singular(one.of)


def step_words(one: Step, of: Difference) -> str:
    """What a step of a bridge is: the change it makes, or the first of several that go together."""
    if one.cause != INPUTS:
        return f"the reckoning changed since {(of.old if one.cause == ENGINE_OLD else of.new).name}"
    return several([described(change) for change in one.changes]) or "other changes"


def several(named: Sequence[str]) -> str:
    """The first of some changes, and how many more there are."""
    more = len(named) - MOST_NAMED
    return "; ".join(named[:MOST_NAMED]) + (f"; and {more:,} more" if more > 0 else "")


def step_lines(one: Step) -> str:
    """The ledger lines of a step on both sides, of the first of several changes."""
    found = [line for change in one.changes[:MOST_NAMED] if (line := where(change))]
    return "; ".join(dict.fromkeys(found))


def where(one: Change) -> str:
    """The ledger lines of a change on both sides: `ledger/p/plan.yaml:11 → 12`."""
    was, now = one.was_place, one.now_place
    if NOWHERE in (was, now):
        return f"{was.short} (before)" if now is NOWHERE and was is not NOWHERE else now.short
    if was.file == now.file:
        return now.short if was.line == now.line else f"{was.short}{ARROW}{now.line}"
    return f"{was.short}{ARROW}{now.short}"


def by_whom(one: Change, authors: Authors) -> str:
    """Who wrote the line of a change, and when; empty where it is not known."""
    return ", ".join(word for word in authors.get(one.now_place, ()) if word)


def places_of(crossing: Bridge) -> int:
    """The decimals with which the numbers of a bridge are printed, so that they add up as they stand where they can."""
    numbers = [end for end in (crossing.was.use, crossing.now.use, *(one.by for one in crossing.steps)) if end]
    return min(max((len(decimal(one).partition(".")[2]) for one in numbers), default=0), MOST_DECIMALS)


def values(one: Moved) -> tuple[str, str]:
    """A figure on both sides: with its ranges, or alone where these hide that it moved."""
    was, now = figure_text(one.was), figure_text(one.now)
    return (was, now) if was != now else (use_text(one.was), use_text(one.now))


def moved_by(one: Moved) -> str:
    """By how much a figure moved: `+177, +7.6%`; in points for shares, in days for dates."""
    by = one.by
    if by is None:
        return ""
    if not by:
        return "another range"
    if one.now.unit is DATE:
        return f"{signed(by)} d"
    if one.now.form == "%":
        return f"{signed(by * 100)} {'point' if abs(by * 100) == 1 else 'points'}"
    return ", ".join(word for word in (signed(by), percent(one.share)) if word)


def standing(one: ReleasedFinding) -> str:
    """What a finding is: its severity; one that is accepted is just that, whatever it would be."""
    return "accepted" if one.accepted else one.severity


def altered(pair: tuple[ReleasedFinding, ReleasedFinding]) -> str:
    """A finding that both sides have, judged otherwise."""
    was, now = pair
    accepted = f" (accepted: {cut(now.accepted)})" if now.accepted and not was.accepted else ""
    no_longer = " (no longer accepted)" if was.accepted and not now.accepted else ""
    return f"{was.severity}{ARROW}{now.severity}: {now.title}{accepted}{no_longer}"


def shared_steps(crossing: Bridge) -> str:
    """That inputs share steps, where they do; else empty."""
    many = crossing.together
    return f"Very many inputs changed, so up to {many:,} neighbours share a step." if many > 1 else ""
