"""The rules of a source as expressions of DuckDB, whose patterns are of RE2 as everybody's are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from reckon.language.calendar_days import DAY
from reckon.model.patterns import GROUPS
from reckon.model.records.imports import UNSTATED, UNTYPED

from .duck import quoted
from .matching import Choice, Compiled, Condition

_ITSELF = re.compile(r"[A-Za-z0-9_ -]*")


def fits(choice: Choice) -> str:
    """Whether a rule fits a row; of a field its text stands in the column `of_FIELD`."""
    asked = [_asked(each) for each in choice.conditions]
    if choice.since is not None or choice.until is not None:
        first, last = choice.since or 0, choice.until if choice.until is not None else 1 << 40
        asked.append(f"coalesce(began // {DAY} BETWEEN {first} AND {last}, false)")
    return f"({' AND '.join(asked) or 'true'})"


def _asked(condition: Condition) -> str:
    text = f"of_{condition.field}"
    if _ITSELF.fullmatch(condition.pattern):
        return f"{text} = {quoted(condition.pattern)}"
    return f"regexp_full_match({text}, {quoted(condition.pattern)})"


def first_of(choices: Iterable[Choice]) -> str:
    """The number of the first rule that fits; -1 for none."""
    cases = "".join(f" WHEN {fits(choice)} THEN {number}" for number, choice in enumerate(choices))
    return f"CASE{cases} ELSE -1 END" if cases else "-1"


def captured(rules: Iterable[Choice], group: str) -> str:
    """What a group took of a row, whose rule is `rule`: empty where it took nothing, or stands in no pattern."""
    cases = ""
    for number, choice in enumerate(rules):
        if found := choice.capturing(group):
            condition, place = found
            whole = quoted(f"\\A(?:{condition.pattern})\\z")
            cases += f" WHEN {number} THEN regexp_extract(of_{condition.field}, {whole}, {place})"
    return f"CASE rule{cases} ELSE '' END" if cases else "''"


def matched(rules: Compiled, kind: int) -> str:
    """The columns that say what the rules make of a row: `rule`, and which rule fills which gap; of those of a
    `kind`."""
    job = f"kind = {kind}"
    asked = (
        ("rule", job, rules.rules),
        ("unstated", job, rules.gaps[UNSTATED]),
        ("untyped", f"{job} AND gpus <> ''", rules.gaps[UNTYPED]),
    )
    return ", ".join(f"CASE WHEN {where} THEN {first_of(some)} ELSE -1 END AS {name}" for name, where, some in asked)


def taken(rules: Compiled) -> str:
    """The columns that say what the groups of the rule took, in the order of `GROUPS`; and `unsure`, where an engine
    cannot say that."""
    unsure = [str(number) for number, choice in enumerate(rules.rules) if choice.twice]
    captures = f"rule IN ({', '.join(unsure)})" if unsure else "false"
    return ", ".join([*(f"{captured(rules.rules, group)} AS {group}" for group in GROUPS), f"{captures} AS unsure"])


def asked_of(rules: Compiled) -> Iterator[tuple[str, str]]:
    """Each pattern with the name of its rule, as it is asked."""
    for choice in (*rules.only, *rules.rules, *(choice for found in rules.gaps.values() for choice in found)):
        for each in choice.conditions:
            yield choice.name, f"\\A(?:{each.pattern})\\z"
