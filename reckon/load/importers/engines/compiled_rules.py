"""The rules of a source for an engine: what is asked of which field of a job, and what a group of a pattern captures.

An engine says which rules fit a row, and gives what their groups took, as text. What is made of that, `Rules.assigned`
says: once for all rows that are alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from reckon.language.text import place_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.patterns import GROUPS, Pattern
from reckon.model.records import ImportRule, ImportSource
from reckon.model.records.imports import UNSTATED, UNTYPED, Gpus

from ..assignment import Assignment, Match, find_days, gap_of
from .portable_pattern import NotPortable, NumberedPattern, port_pattern

ONLY, RULE = "only", "rule"
"""Lists of choices, beside those for gaps in what is said of GPUs (`UNSTATED`, `UNTYPED`)."""
# What stands in a pattern: a text that means itself, an escaped sign, a class, and what opens a group.
_PART = re.compile(
    r"(?s)\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\^?[a-z]+:\]|[^\]\\])*\]|\(\?P?<(?P<name>\w+)>|\((?!\?)"
)
GroupNames = tuple[str, ...]
"""Groups of patterns of which a rule takes the text."""
Conditions = dict[str, NumberedPattern]
"""Patterns by the field that they have to fit: an empty text, where a job does not say it."""
Convert = Callable[[Mapping[str, Pattern], GroupNames], Conditions]
"""Gives the patterns of a rule as an engine takes them, and the groups of which the rule takes the text."""


class Choice(NamedTuple):
    """A rule: it fits where all its conditions do, and the job began on one of the days since 1970, where it has any.

    `wanted` are the groups of which it takes the text. Where two conditions have the same group, the last of them that
    took part in the match counts, which an engine cannot see (`is_ambiguous`).
    """

    name: str
    conditions: Conditions
    wanted: GroupNames
    days: range | None = None

    @property
    def is_ambiguous(self) -> bool:
        """Whether two conditions have the same group."""
        groups = _groups_of(self.conditions)
        return len(groups) > len(set(groups))


class CompiledRules(NamedTuple):
    """The rules of a source, by list: of each the first that fits counts. `ONLY` is empty, or one choice."""

    lists: Mapping[str, list[Choice]]

    @property
    def choices(self) -> list[Choice]:
        """Those of all lists."""
        return [choice for choices in self.lists.values() for choice in choices]

    @property
    def fields(self) -> set[str]:
        """What of a job is asked for."""
        return {field for choice in self.choices for field in choice.conditions}

    def match(self, group: Mapping[str, Any], gpus: Gpus) -> Match:
        """Which rules fit jobs of a group with these GPUs: it has their numbers by list (-1 for none), and the texts of
        those of `GROUPS` that matter to it."""
        captured = {name: group[name] for name in GROUPS if group.get(name)}
        gap = gap_of(gpus)
        return Match(self._name(RULE, group), captured, self._name(gap, group) if gap else "")

    def _name(self, kind: str, group: Mapping[str, Any]) -> str:
        number = group[kind]
        return self.lists[kind][number].name if number >= 0 else ""


def compile_rules(source: ImportSource, convert: Convert) -> CompiledRules:
    """The rules of a source, with patterns as something gives them."""
    lists: dict[str, list[Choice]] = {ONLY: [], RULE: [], UNSTATED: [], UNTYPED: []}
    if source.only:
        lists[ONLY].append(Choice(ONLY, convert(source.only, ()), ()))
    for name, rule in source.rules.items():
        wanted = _wanted_groups(rule)
        lists[RULE].append(Choice(str(name), convert(rule.when, wanted), wanted))
    for name, filling in source.gpus.items():
        choice = Choice(str(name), convert(filling.when, ()), (), find_days(filling))
        lists[filling.gap].append(choice)
    return CompiledRules(lists)


def port_rules(source: ImportSource) -> tuple[CompiledRules, ProblemList]:
    """The rules of a source for any engine, and a problem for each pattern that not every engine runs alike."""
    problems: ProblemList = []
    return compile_rules(source, partial(_port_patterns, problems)), problems


def has_none(source: ImportSource, match: Match, made: Assignment) -> bool:
    """Whether a rule says that jobs which state no GPU had none."""
    filling = source.gpus.get(match.gap)
    return not made.portions and not made.ignored and filling is not None and filling.count == 0


def _wanted_groups(rule: ImportRule) -> GroupNames:
    """The groups of which a rule takes the text: what it says itself, it takes from no pattern."""
    if rule.ignore:
        return ()
    own = {"item": rule.item or rule.split or None, "seed": rule.seed, "run": rule.run}
    return tuple(group for group in GROUPS if own[group] is None)


def _groups_of(conditions: Conditions) -> list[str]:
    return [group for pattern in conditions.values() for group in pattern.groups]


def _port_patterns(problems: ProblemList, when: Mapping[str, Pattern], wanted: GroupNames) -> Conditions:
    """The patterns of a rule in the form that all engines take."""
    ported: Conditions = {}
    for field, pattern in when.items():
        try:
            ported[str(field)] = port_pattern(pattern.text)
        except NotPortable as refusal:
            wrong = f"engines differ on `{pattern.text[:60]}`: {refusal.wrong}"
            problems.append(Problem(place_of(pattern.text), wrong, refusal.right))
    groups = _groups_of(ported)
    if repeated := next((group for group in groups if groups.count(group) > 1), ""):
        *_, last = when.values()
        wrong = f"two patterns of a rule have the group `{repeated}`, and engines do not report which one matched"
        problems.append(Problem(place_of(last.text), wrong, "remove one of them"))
    return ported


def number_groups(when: Mapping[str, Pattern], wanted: GroupNames) -> Conditions:
    """The patterns of a rule for an engine that has those of RE2: each captures what is wanted, and nothing else."""
    return {str(field): _number_groups(pattern, wanted) for field, pattern in when.items()}


def _number_groups(pattern: Pattern, wanted: GroupNames) -> NumberedPattern:
    groups: dict[str, int] = {}

    def write(part: re.Match[str]) -> str:
        name = part["name"]
        if name in wanted:
            groups[name] = len(groups) + 1
            return "("
        return "(?:" if name or part[0] == "(" else part[0]

    return NumberedPattern(rf"\A(?:{_PART.sub(write, pattern.text)})\z", groups)
