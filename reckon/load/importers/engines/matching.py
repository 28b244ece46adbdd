"""The rules of a source for an engine: what is asked of which field of a job, and what a group of a pattern captures.

An engine says which rules fit a row, and gives what their groups took, as text. What is made of that, `Rules.assigned`
says: once for all rows that are alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reckon.language.calendar_days import FIRST_OF_1970, first_day, last_day
from reckon.model.patterns import GROUPS, Pattern
from reckon.model.records import ImportRule, ImportSource
from reckon.model.records.imports import UNSTATED, UNTYPED

from ..assign import Match
from .alike import Alike

# What stands in a pattern: a text that means itself, an escaped sign, a class, and what opens a group.
_PART = re.compile(
    r"(?s)\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|\(\?P?<(?P<name>\w+)>|\((?!\?)"
)


class Choice(NamedTuple):
    """A rule: it fits where all its conditions do, and the job began on one of the days (since 1970, both included).

    A condition is a pattern of RE2 that a field has to fit (an empty text, where a job does not say it). `wanted` are
    the groups of which it takes the text. Where two conditions have the same group (`twice`), the last of them that
    took part in the match counts, which an engine cannot see.
    """

    name: str
    conditions: Mapping[str, Alike]
    wanted: tuple[str, ...] = ()
    twice: bool = False
    since: int | None = None
    until: int | None = None


class Compiled(NamedTuple):
    """The rules of a source: of each list the first that fits counts. `only` is empty, or one choice."""

    only: tuple[Choice, ...]
    rules: tuple[Choice, ...]
    gaps: Mapping[str, tuple[Choice, ...]]

    @property
    def fields(self) -> set[str]:
        """What of a job is asked for."""
        every = [*self.only, *self.rules, *(choice for found in self.gaps.values() for choice in found)]
        return {field for choice in every for field in choice.conditions}

    def match(self, rule: int, captured: Iterable[str], gap: int, kind: str) -> Match:
        """The rules by their numbers (-1 for none), and the texts of `GROUPS`; `kind` is the gap that is filled."""
        taken = {group: text for group, text in zip(GROUPS, captured, strict=True) if text}
        name = self.rules[rule].name if rule >= 0 else ""
        filled = self.gaps.get(kind, ())
        return Match(name, taken, filled[gap].name if gap >= 0 else "")


def compiled(source: ImportSource) -> Compiled:
    """The rules of a source."""
    only = (_choice("only", source.only),) if source.only else ()
    rules = tuple(_choice(str(name), rule.when, _wanted(rule)) for name, rule in source.rules.items())
    gaps = {
        gap: tuple(
            _choice(str(name), rule.when)._replace(
                since=first_day(str(rule.since)) - FIRST_OF_1970 if rule.since else None,
                until=last_day(str(rule.until)) - FIRST_OF_1970 if rule.until else None,
            )
            for name, rule in source.gpus.items()
            if rule.gap == gap
        )
        for gap in (UNSTATED, UNTYPED)
    }
    return Compiled(only, rules, gaps)


def _wanted(rule: ImportRule) -> tuple[str, ...]:
    """The groups of which a rule takes the text: what it says itself, it takes from no pattern."""
    if rule.ignore:
        return ()
    item = rule.item is not None or bool(rule.split)
    said = {"item": item, "seed": rule.seed is not None, "run": rule.run is not None}
    return tuple(group for group in GROUPS if not said[group])


def _choice(name: str, when: Mapping[str, Pattern], wanted: tuple[str, ...] = ()) -> Choice:
    conditions = {str(field): _condition(pattern, wanted) for field, pattern in when.items()}
    groups = [group for each in conditions.values() for group in each.groups]
    return Choice(name, conditions, wanted, len(groups) != len(set(groups)))


def _condition(pattern: Pattern, wanted: tuple[str, ...]) -> Alike:
    """A pattern that captures what is wanted, by numbers, and nothing else."""
    groups: dict[str, int] = {}

    def written(part: re.Match[str]) -> str:
        name = part["name"]
        if name in wanted:
            groups[name] = len(groups) + 1
            return "("
        return "(?:" if name or part[0] == "(" else part[0]

    return Alike(rf"\A(?:{_PART.sub(written, pattern.text)})\z", groups)
