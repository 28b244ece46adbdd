"""Regular expressions that run in Python, step by step: so what they look at is work that can be counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any

from reckon.language.lazy import LazyPattern

Groups = Mapping[int, str]
Found = Iterator[tuple[int, Groups]]
CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_NOT_WORD: r"\W",
}
SINGLE = (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN)


class Stepped:
    """A pattern as `re` compiles it. What it finds is what `re` finds, or the test fails; how is walked through."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.real, self.flags = pattern, pattern.flags
        self.tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
        self.text = ""

    def sub(self, put: Any, text: str) -> str:
        spans, at = [], 0
        self.text = text
        while at <= len(text):
            end = self.end(at)
            spans += [(at, end)] if end is not None else []
            at = max(end or 0, at + 1)
        assert spans == [found.span() for found in self.real.finditer(text)]
        return self.real.sub(put, text)

    def match(self, text: str) -> re.Match[str] | None:
        self.text = text
        found = self.real.match(text)
        assert self.end(0) == (found.end() if found else None)
        return found

    def search(self, text: str) -> re.Match[str] | None:
        self.text = text
        found = self.real.search(text)
        first = next((at for at in range(len(text) + 1) if self.end(at) is not None), None)
        assert first == (found.start() if found else None)
        return found

    def fullmatch(self, text: str) -> re.Match[str] | None:
        self.text = text
        found = self.real.fullmatch(text)
        assert any(end == len(text) for end, _ in self.all(self.tree, 0, {})) == bool(found)
        return found

    def end(self, at: int) -> int | None:
        """Where the text that is found at a place ends; None where nothing is."""
        return next((end for end, _ in self.all(self.tree, at, {})), None)

    def all(self, nodes: Sequence[Any], at: int, groups: Groups) -> Found:
        """Every way in which nodes, one after the other, are found."""
        if not nodes:
            yield at, groups
            return
        for end, known in self.each(*nodes[0], at, groups):
            yield from self.all(nodes[1:], end, known)

    def each(self, kind: Any, of: Any, at: int, groups: Groups) -> Found:
        """Every way in which one node is found."""
        if kind in SINGLE:
            if self.fits(kind, of, at):
                yield at + 1, groups
        elif kind is op.BRANCH:
            for nodes in of[1]:
                yield from self.all(nodes, at, groups)
        elif kind is op.SUBPATTERN:
            for end, known in self.all(of[3], at, groups):
                yield end, known if of[0] is None else {**known, of[0]: self.text[at:end]}
        elif kind is op.GROUPREF:
            if self.text.startswith(groups[of], at):
                yield at + len(groups[of]), groups
        elif kind is op.AT:
            if self.stands(of, at):
                yield at, groups
        elif kind in (op.ASSERT, op.ASSERT_NOT):
            start = at - of[1].getwidth()[0] if of[0] < 0 else at
            there = start >= 0 and next(self.all(of[1], start, groups), None) is not None
            if there == (kind is op.ASSERT):
                yield at, groups
        else:
            yield from self.repeated(kind, *of, at, groups)

    def repeated(self, kind: Any, least: int, most: Any, body: Sequence[Any], at: int, groups: Groups) -> Found:
        """As often as possible first, or as seldom; a possessive one in a single way."""
        ends = [(at, groups)]
        if kind is op.MIN_REPEAT:
            assert len(body) == 1
            assert body[0][0] in SINGLE
            while len(ends) <= most:
                if len(ends) > least:
                    yield ends[-1]
                if not self.fits(*body[0], ends[-1][0]):
                    return
                ends.append((ends[-1][0] + 1, groups))
            return
        # Greedy ones give back whole turns; no pattern here has turns that could be shorter.
        while len(ends) <= most and (more := next(self.all(body, *ends[-1]), None)) and more[0] > ends[-1][0]:
            ends.append(more)
        yield from reversed(ends[least:][-1:] if kind is op.POSSESSIVE_REPEAT else ends[least:])

    def fits(self, kind: Any, of: Any, at: int) -> bool:
        """Whether the character at a place is one that a node means."""
        if at >= len(self.text):
            return False
        char = self.text[at]
        if kind is op.ANY:
            return char != "\n"
        if kind is not op.IN:
            same = char == chr(of) or (bool(self.flags & re.IGNORECASE) and char.lower() == chr(of).lower())
            return same == (kind is op.LITERAL)
        there = any(within(part, value, char) for part, value in of if part is not op.NEGATE)
        return there != (of[0][0] is op.NEGATE)

    def stands(self, where: Any, at: int) -> bool:
        """Whether a place is the beginning or the end of the text, or of a line."""
        lines = bool(self.flags & re.MULTILINE)
        if where in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return at == 0 or (lines and self.text[at - 1] == "\n")
        left = len(self.text) - at
        return left == 0 or (self.text[at] == "\n" and (left == 1 or lines))


def within(kind: Any, value: Any, char: str) -> bool:
    """Whether a character is one of a part of a set."""
    if kind is op.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    return re.match(CATEGORIES[value], char) is not None if kind is op.CATEGORY else char == chr(value)


@cache
def compiled(pattern: str, flags: int = 0) -> Stepped:
    return Stepped(re.compile(pattern, flags))


def stepped(module: Any) -> dict[str, Any]:
    """What to put into a module so that its patterns run in Python: those that it has, and those that it asks for."""
    known = {name: value for name, value in vars(module).items() if isinstance(value, re.Pattern | LazyPattern)}
    own = {name: Stepped(re.compile(value.pattern, value.flags)) for name, value in known.items()}
    asked = {
        "sub": lambda pattern, put, text: compiled(pattern).sub(put, text),
        "match": lambda pattern, text, flags=0: compiled(pattern, flags).match(text),
        "search": lambda pattern, text: compiled(pattern).search(text),
        "fullmatch": lambda pattern, text: compiled(pattern).fullmatch(text),
    }
    return {**own, "re": SimpleNamespace(**{**vars(re), "compile": compiled, **asked})}
