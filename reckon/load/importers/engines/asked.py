"""What is asked of a table: its columns, and the rules of a source in patterns that every engine runs alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reckon.language.text import place_of
from reckon.model.finding import Problem, ProblemList
from reckon.model.patterns import Pattern
from reckon.model.records import ImportSource

from ..sacct import COLUMNS, SAYS, lacking
from .alike import Alike, Unlike, alike
from .matching import Compiled

Kinds = Mapping[tuple[str, str], Mapping[str, Alike]]
"""Patterns of all engines by the list that a rule stands in and its name, and by the field that they have to fit."""


def patterns_of(source: ImportSource) -> tuple[Kinds, ProblemList]:
    """The patterns of a source, and a problem for each that not every engine runs alike."""
    found: dict[tuple[str, str], dict[str, Alike]] = {}
    problems = []
    for kind, name, when in _asked(source):
        made = found.setdefault((kind, name), {})
        for field, pattern in when.items():
            try:
                made[str(field)] = alike(pattern.text)
            except Unlike as unlike:
                problems.append(
                    Problem(
                        place_of(pattern.text),
                        f"engines do not run `{pattern.text[:60]}` alike: {unlike.wrong}",
                        unlike.right,
                    )
                )
        groups = [group for each in made.values() for group in each.groups]
        if twice := next((group for group in groups if groups.count(group) > 1), ""):
            last = list(when.values())[-1]
            problems.append(
                Problem(
                    place_of(last.text),
                    f"two patterns of a rule have the group `{twice}`, and engines do not say which of them took part",
                    "leave one of them out",
                )
            )
    return found, problems


def _asked(source: ImportSource) -> Iterator[tuple[str, str, Mapping[str, Pattern]]]:
    """All patterns, by the list that their rule stands in and its name."""
    if source.only:
        yield "only", "only", source.only
    for name, rule in source.rules.items():
        yield "rules", str(name), rule.when
    for name, filling in source.gpus.items():
        yield "gpus", str(name), filling.when


def patterns_of_re2(rules: Compiled) -> Kinds:
    """The patterns of rules for an engine whose patterns are those of RE2, as everybody's are."""
    gaps = [choice for choices in rules.gaps.values() for choice in choices]
    lists = {"only": rules.only, "rules": rules.rules, "gpus": gaps}
    return {(kind, choice.name): choice.conditions for kind, choices in lists.items() for choice in choices}


def columns_of(names: Iterable[str], source: ImportSource) -> tuple[dict[str, str], list[str]]:
    """The columns of a table by what they hold, whatever the case of their names; and what a run needs and none holds.

    A source may name them (`columns:`) in the order of the table.
    """
    there = list(names)
    named = [str(name) for name in source.columns_named]
    called = dict(zip((name.lower() for name in named), there, strict=True)) if len(named) == len(there) else {}
    known = called or {name.lower(): name for name in there}
    wanted = {
        **{name: columns for name, columns in COLUMNS.items() if name != "array"},
        **{name: (column,) for name, column in SAYS.items()},
        "elapsed": ("ElapsedRaw",),
    }
    found: dict[str, str] = {}
    for name, columns in wanted.items():
        for column in columns:
            if column.lower() in known:
                found.setdefault(name, known[column.lower()])
    return found, lacking(found)
