"""The text of an expression, cut into tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import Refusal

MOST_CHARACTERS = 2000
MOST_TOKENS = 400


class Token(NamedTuple):
    """A piece of an expression: its kind (date, number, name, operator, end), its text, where it begins."""

    kind: str
    text: str
    at: int


NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*(?:\.[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)*"
_TOKEN = re.compile(
    r"\s*(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9]))"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:%|x(?![A-Za-z0-9_])|[kMBT](?![A-Za-z0-9_]))?)"
    rf"|(?P<name>{NAME})"
    r"|(?P<operator><=|>=|[-+*/(),<>]))"
)
_FOREIGN = {
    **dict.fromkeys("×·", "write `*`"), "÷": "write `/`", **dict.fromkeys("–—−", "write `-` between spaces"),
    "^": "write `power(a, 2)`", "=": "write `is`", "!": "write `not`", "&": "write `and`", "|": "write `or`",
    "%": "a percent sign follows its number: `15%`", ".": "write a zero before the point, a name before the dot",
}  # fmt: skip


def tokens(text: str) -> list[Token]:
    """The tokens of an expression, closed by an end token. Raises Refusal at the first character that fits none."""
    if len(text) > MOST_CHARACTERS:
        raise Refusal(
            "the expression is too long",
            f"keep it under {MOST_CHARACTERS} characters: name parts of it in figures.yaml",
        )
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if not match or not match.lastgroup:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            hint = _FOREIGN.get(text[start], "use names, numbers, + - * / and parentheses")
            raise Refusal(f"`{text[start]}` is not in the expression language", hint, start)
        found.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        if len(found) > MOST_TOKENS:
            raise Refusal("the expression has too many terms", "name parts of it in figures.yaml", found[-1].at)
        at = match.end()
    return [*found, Token("end", "", len(text))]
