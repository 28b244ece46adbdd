"""From one format of a ledger to the next, a step each.

A step takes the text of one file and gives it as the next format has it; a text that is in that already it gives as it
is. Every file of a ledger is read through the steps between its format and that of today, be it of a tree, a release or
a revision of git; `migrate` writes what they make, with the number of the format. What only a newer format refuses
(`Problem.since`) is not a problem of a release or revision of an older one: nobody can mend those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import yaml

from reckon.language.text import Place
from reckon.model.finding import ProblemList
from reckon.model.version import FORMAT, FORMER, READ_SINCE

from .yaml_nodes import Map, Stop, read_tree

FILE = "ledger/tree.yaml"
NEW = f"""\
# How this tree is kept. `budget guide reference` has all keys.
format: {FORMAT}  # read by budget-ledger {READ_SINCE[FORMAT]} and later
"""
Step: TypeAlias = Callable[[str, str], str]
"""From the path and text of a file to its text in the next format; the same where nothing of it changes."""


def _same_words(_path: str, text: str) -> str:
    """A format that says all that the one before said in the same words, and more; what it adds is left to people."""
    return text


# Format 3 counts granted hours as money only where their grant names `prices`; `migrate` writes these, and a ledger of
# an older format is calculated as if they stood there (`compute/budget/prices`).
STEPS: Mapping[int, Step] = MappingProxyType({1: _same_words, 2: _same_words})
"""The step from each format to the next."""


def stepped(path: str, text: str, number: int) -> str:
    """The text of a file of a ledger in a format as that of today has it, but for the number."""
    for at in range(number, FORMAT):
        text = STEPS[at](path, text)
    return text


def format_of(text: str | None) -> int:
    """The format of a tree by the text of its tree.yaml. Where that cannot be told, today's: reading it says why."""
    if text is None:
        return FORMER
    problems: ProblemList = []
    try:
        tree = read_tree(text, FILE, problems)
    except Stop:
        return FORMAT
    said = {str(key): value for key, value in tree.items()}.get("format", str(FORMER)) if isinstance(tree, Map) else ""
    return int(said) if isinstance(said, str) and said in map(str, READ_SINCE) else FORMAT


def numbered(text: str | None) -> str:
    """The text of a tree.yaml without problems, with the format of today; a new one where there is none.

    Comments, order and all other lines stay. One that is written in a way in which that cannot be done stays whole.
    """
    if text is None:
        return NEW
    head, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    try:
        whole = yaml.compose(body, Loader=yaml.SafeLoader)
    except yaml.YAMLError:  # this reader is stricter than that of ledgers, for instance about tabs
        return text
    if not isinstance(whole, yaml.MappingNode) or not whole.value:
        return text
    for key, value in whole.value:
        if key.value == "format":
            rest = body[value.end_mark.index :]
            was, now = (f"budget-ledger {READ_SINCE[at]} and later" for at in (int(value.value), FORMAT))
            line, end, more = rest.partition("\n")
            return f"{head}{body[: value.start_mark.index]}{FORMAT}{line.replace(was, now)}{end}{more}"
    first = whole.value[0][0].start_mark
    apart = ", " if whole.flow_style else ("\r\n" if "\r\n" in body else "\n") + " " * first.column
    return f"{head}{body[: first.index]}format: {FORMAT}{apart}{body[first.index :]}"


def lines_changed(path: str, was: str | None, now: str) -> list[str]:
    """What becomes of the lines of a file that changes, each with its place: `ledger/tree.yaml:3: was → now`."""
    if was is None:
        return [f"{path}: new: {' '.join(line for line in now.splitlines() if not line.startswith('#'))}"]
    from difflib import SequenceMatcher

    old, new = was.splitlines(), now.splitlines()
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            before = " ".join(line.strip() for line in old[a:b])
            after = " ".join(line.strip() for line in new[c:d])
            sides = (before, after)
            found.append(f"{Place(path, c + 1, 1).short}: {' → '.join(side for side in sides if side)}")
    return found
