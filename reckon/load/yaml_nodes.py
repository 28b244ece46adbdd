"""YAML events -> maps, lists and texts with places. Never objects: nothing is constructed, no tag or alias is followed.

The subset of YAML that a ledger may use is decided here: no anchors, aliases, tags or merge keys, no second document,
no duplicate keys, nesting up to 20. Depth is a counter, not recursion, so no input can exhaust the stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import yaml

from reckon.language.lazy import regex
from reckon.language.text import Place, Text
from reckon.model.finding import Problem, ProblemList
from reckon.model.scalars import Unread

_CONFLICT = regex(r"^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |\r?$)", re.MULTILINE)
PARSER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
UNPRINTABLE = regex("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Stop(Exception):
    """Reading a file ends here: after this mistake nothing in it can be trusted. Never leaves this room."""

    def __init__(self, place: Place, wrong: str, right: str) -> None:
        super().__init__(wrong)
        self.problem = Problem(place, wrong, right)


def events(text: str, file: str) -> Iterator[Any]:
    """The parser's events. Stops at its own errors, and at what is wrong with the text as a whole."""
    _check(text, file)
    parser = PARSER(text)
    try:
        while event := parser.get_event():
            yield event
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        where = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        said = getattr(error, "problem", None) or getattr(error, "context", None) or str(error).splitlines()[0][:100]
        raise Stop(where, f"this is not YAML: {said}", _yaml_hint(said, text, where)) from None


def _yaml_hint(problem: str, text: str, where: Place) -> str:
    line = "".join(text.splitlines()[where.line - 1 : where.line])
    if "???" in line:
        return "replace `???` by the value; `import --suggest` cannot know it"
    if "\t" in line:
        return "indent with spaces, not tabs"
    if "mapping values" in problem:
        return "put quotes around a text that contains `: `"
    if "found unexpected end" in problem or "did not find expected" in problem:
        return "check for a missing quote, bracket or comma, or uneven indentation, here or just above"
    return "check the punctuation here and just above"


def _check(text: str, file: str) -> None:
    """Stops at the markers of a merge conflict, and at characters that no text has."""
    if found := _CONFLICT.search(text):
        where = Place(file, text.count("\n", 0, found.start()) + 1, 1)
        raise Stop(where, "a merge conflict was left here", "keep the right lines and remove the markers")
    if not text.replace("\n", "").isprintable() and (found := UNPRINTABLE.search(text)):
        begin = text.rfind("\n", 0, found.start()) + 1
        where = Place(file, text.count("\n", 0, begin) + 1, found.start() - begin + 1)
        raise Stop(
            where, f"U+{ord(found[0]):04X} is not allowed in a text", "remove it, or save the file as plain UTF-8"
        )


Starts = tuple[tuple[int, Place], ...]


def line_starts(source: Sequence[str], event: Any, place: Place) -> Starts:
    """For each line of a scalar event: where in its value it begins, and where in the file.

    A line that reads otherwise there (escapes in quotes) is left out; problems in it are located from the line before.
    """
    found: list[tuple[int, Place]] = []
    at = 0
    for line, column, text in _scalar_lines(source, event):
        if text and (begins := event.value.find(text, at)) >= 0:
            found.append((begins, Place(place.file, line + 1, column + 1)))
            at = begins + len(text)
    return tuple(found)


def _scalar_lines(source: Sequence[str], event: Any) -> Iterator[tuple[int, int, str]]:
    """Line, column (from 0) and text of what a scalar has in each line, without quotes and the header of a block."""
    start = event.start_mark
    end = event.end_mark
    quoted = event.style in ("'", '"')
    for line in range(start.line + (event.style in ("|", ">")), min(end.line + 1, len(source))):
        first = start.column + quoted if line == start.line else 0
        text = source[line][first : end.column - quoted if line == end.line else None]
        yield line, first + len(text) - len(text.lstrip()), text.strip()


# A number that is written with commas: its beginning, and the digits behind one of these, perhaps with a unit.
_GROUPS, _GROUP = regex(r"-?[0-9]+(,[0-9]+)*"), regex(r"[0-9]+(\.[0-9]+)?( ?[A-Za-z%][A-Za-z_/ -]*)?")
_THOUSANDS = regex(r"[0-9]{3}(?![0-9])")
MOST_NESTING = 20
LONGEST_SCALAR = 100_000


class Map(dict[Text, Any]):
    """A mapping with the place where it begins."""

    __slots__ = ("keys_by_text", "place")
    place: Place
    keys_by_text: dict[str, Text]

    def first(self, key: str) -> Text:
        """The key as it was first written."""
        if not hasattr(self, "keys_by_text"):
            self.keys_by_text = {}
        for name in reversed(self):  # keys are only ever added: those since the last look are at the end
            if name in self.keys_by_text:
                break
            self.keys_by_text[name] = name
        return self.keys_by_text[key]


def as_map(part: object) -> Map:
    """A part of a tree that is a map; an empty one in place of any other."""
    return part if isinstance(part, Map) else Map()


class Seq(list[Any]):
    """A sequence with the place where it begins."""

    __slots__ = ("place",)
    place: Place


def read_tree(text: str, file: str, problems: ProblemList) -> Any:
    """The tree of one file; None for an empty one. Mistakes are appended to the problems; raises Stop at fatal ones."""
    return Builder(file, problems).build(text)


def read_entries(text: str, file: str, problems: ProblemList, take: Callable[[Any], None]) -> None:
    """Hands the entries of a file that holds a list to `take` one by one: long lists are never kept as a tree.

    Mistakes are appended to the problems; raises Stop at fatal ones.
    """
    root = Builder(file, problems, take).build(text)
    if root and not isinstance(root, Seq):
        raise Stop(root.place, "a list is expected here", "begin each entry with `- `")


class Builder:
    """Builds the tree on a stack of open containers; `take`, where given, receives the entries of the root list."""

    def __init__(self, file: str, problems: ProblemList, take: Callable[[Any], None] | None = None) -> None:
        self.file = file
        self.problems = problems
        self.take = take
        self.stack: list[Map | Seq] = []
        self.keys: list[Text | None] = []
        self.root: Any = None
        self.text = ""

    def build(self, text: str) -> Any:
        """The tree of a text."""
        documents = 0
        self.text = text
        for event in events(text, self.file):
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent:
                self._open(Map(), event)
            elif kind is yaml.SequenceStartEvent:
                self._open(Seq(), event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self.close()
            elif kind is yaml.AliasEvent:
                self._complain(
                    event,
                    f"`*{event.anchor[:40]}` is an alias",
                    "write the value out; a ledger has no anchors and aliases",
                )
                self.put(Unread("", self._where(event)))
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise Stop(
                        self._where(event), "a second document begins here", "remove `---`; a file has one document"
                    )
        return self.root

    @cached_property
    def source(self) -> list[str]:
        """The lines of the file."""
        return self.text.splitlines()

    def _where(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1)

    def _complain(self, event: Any, wrong: str, right: str) -> None:
        self.problems.append(Problem(self._where(event), wrong, right))

    def _common(self, event: Any) -> None:
        if event.anchor:
            self._complain(
                event, f"`&{event.anchor[:40]}` is an anchor", "remove it; a ledger has no anchors and aliases"
            )
        if event.tag:
            self._complain(event, f"`{event.tag[:40]}` is a tag", "remove it; the key defines how a value is read")

    def _scalar(self, event: Any) -> None:
        if event.anchor or event.tag:
            self._common(event)
        mark = event.start_mark
        value = event.value
        # Columns inside quoted text count from the first character after the quote.
        column = mark.column + (2 if event.style in ("'", '"') else 1)
        if len(value) > LONGEST_SCALAR:
            self._complain(event, "the text is too long", f"keep it under {LONGEST_SCALAR:,} characters")
            self.put(Unread("", self._where(event)))
            return
        text = str.__new__(Text, value)  # as Text(value, place) does, in half the time: most of a ledger is read here
        text.place = Place(self.file, mark.line + 1, column)
        if event.end_mark.line > mark.line:
            text.lines = line_starts(self.source, event, text.place)
        self.put(text)

    def _open(self, container: Map | Seq, event: Any) -> None:
        self._common(event)
        container.place = self._where(event)
        if len(self.stack) >= MOST_NESTING:
            raise Stop(
                container.place,
                f"the nesting is deeper than {MOST_NESTING}",
                "check for an unclosed bracket; a ledger is flat",
            )
        if self.stack and isinstance(self.stack[-1], Map) and self.keys[-1] is None:
            raise Stop(container.place, "a key must be a plain text", "write `key: value`")
        self.stack.append(container)
        self.keys.append(None)

    def close(self) -> None:
        """Ends the container that was opened last."""
        container = self.stack.pop()
        self.keys.pop()
        self.put(container)

    def put(self, value: Any) -> None:
        """Puts a value into the container that is open, as a key or as what a key or the list holds."""
        if not self.stack:
            self.root = value
            return
        parent = self.stack[-1]
        if isinstance(parent, Seq):
            if self.take and len(self.stack) == 1:
                self.take(value)
            else:
                parent.append(value)
        elif (key := self.keys[-1]) is None:
            self.key(parent, value)
        else:
            if key != "<<" and (value or not self._grouped(parent, key)):
                parent.setdefault(key, value)
            self.keys[-1] = None

    def _grouped(self, parent: Map, key: Text) -> bool:
        """Tells of 6,000 in brackets, where YAML takes what stands behind the comma for a key; whether that is so."""
        last = next(reversed(parent), None)
        before = parent[last] if last is not None else None
        if not (_GROUP.fullmatch(key) and isinstance(before, Text) and _GROUPS.fullmatch(before)):
            return False
        if isinstance(before, Unread):
            self.problems.pop()  # said of its first digits
        whole = f"{before},{key}"
        wrong, sign = ("has commas", "") if _THOUSANDS.match(key) else ("has a comma", ".")
        self.problems.append(
            Problem(before.place, f"`{whole[:40]}` {wrong}", f"write `{whole.replace(',', sign)[:40]}`")
        )
        parent[last] = Unread(whole, before.place)  # type: ignore[index]
        return True

    def key(self, parent: Map, key: Text) -> None:
        """Takes a key, and tells what is wrong with it."""
        self.keys[-1] = key
        if key == "<<":
            self.problems.append(
                Problem(key.place, "`<<` is a merge key", "write the fields out, or use `base:` if the record has it")
            )
        elif key in parent:
            self.problems.append(
                Problem(
                    key.place,
                    f"`{key[:60]}` appears twice",
                    f"keep one; the first is in line {parent.first(key).place.line}",
                )
            )
