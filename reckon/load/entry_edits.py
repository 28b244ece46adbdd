"""One entry of a file of runs rewritten in place: comments, quoting and neighbours stay, byte for byte.

Where a field stands is read off the nodes of the parser. An entry is cut out of its file and rewritten as a document of
its own, one field at a time; then the whole is read again, and has to hold the old entries with the new fields, and
nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import yaml
from msgspec import Struct

from reckon.language.text import NOWHERE
from reckon.model.records import Run

from .run_format import DONE, ORDER, TOTAL, WORDS, EntryFields, entries_of, fields_of, scalar, written
from .validate import validate
from .value_edits import Edit, edited, span_of
from .yaml_nodes import PARSER, Map

FieldValue = str | tuple[str, str]
"""The text of a field; of progress what is done, and the whole."""
_BLOCK = re.compile(r"[|>][-+0-9]*")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_ENDING = re.compile(r"\r?\n\Z|\r?\n")
_PROGRESS = ("done", "total")


class StandingEntry(Struct, frozen=True):
    """An entry where it stands in the text of a file: its number among the entries, the line and column where it begins
    and the line where it ends (from 1), the same as characters of the text, and its fields as texts."""

    number: int
    line: int
    column: int
    last: int
    begin: int
    end: int
    fields: EntryFields


class _Pair(NamedTuple):
    """A field: where its key begins, where its value begins and ends, the quotes of both, and the node of its value."""

    name: str
    key: int
    value: int
    end: int
    quotes: tuple[str, str]
    node: yaml.Node


class _NodeLoader(PARSER):  # type: ignore[misc, valid-type]
    """Tells where nodes stand, and not what their texts would be to others: to find that takes most of the time."""

    def resolve(self, *_: object) -> str:
        return ""


def standing(text: str) -> list[StandingEntry] | None:
    """The entries of a file, each where it stands; None where the file cannot be read."""
    trees = entries_of(text)
    if trees is None:
        return None
    body = text.removeprefix("\ufeff")
    root = yaml.compose(body, _NodeLoader)
    before = len(text) - len(body)
    found = []
    for number, (tree, node) in enumerate(zip(trees, root.value if root else (), strict=True)):
        begin, end = span_of(body, node)
        end = end if node.flow_style else _line_end(body, end)
        last = tree.place.line + len(body[begin:end].splitlines()) - 1
        at = tree.place
        found.append(StandingEntry(number, at.line, at.column, last, before + begin, before + end, fields_of(tree)))
    return found


def run_of(fields: EntryFields) -> Run | None:
    """The run that some fields make, without those that mean nothing; None where nothing is left."""
    tree = (entries_of(written(fields)) or [Map()])[0]
    tree.place = NOWHERE
    return validate(Run, tree, [], lambda _: None)


def rewritten(text: str, entry: StandingEntry, fields: EntryFields, without: Collection[str] = ()) -> str | None:
    """The text with these fields in one of its entries, and without others; None where that cannot be done in place."""
    wanted = entries_of(text)
    if wanted is None:
        return None
    part = text[entry.begin : entry.end]
    margin = " " * (entry.column - 1)  # the fields of a block stand below each other
    ending = "\r\n" if "\r\n" in text else "\n"
    wishes: list[tuple[str, FieldValue | None]] = [(name, None) for name in without]
    wishes += sorted(_values(fields).items(), key=lambda field: ORDER.index(field[0]))
    try:
        for name, value in wishes:
            part = _changed(margin, part, ending, name, value)
    except yaml.YAMLError:  # what is left when a field is gone can be no entry
        return None
    whole = text[: entry.begin] + part + text[entry.end :]
    _expect(wanted[entry.number], fields, without)
    return whole if entries_of(whole) == wanted else None


def _values(fields: EntryFields) -> dict[str, FieldValue]:
    """The fields by name: a text, or what is done and the whole."""
    found: dict[str, FieldValue] = {name: text for name, text in fields.items() if name in ORDER}
    if DONE in fields and TOTAL in fields:
        found["progress"] = fields[DONE], fields[TOTAL]
    return found


def _expect(tree: Map, fields: EntryFields, without: Collection[str]) -> None:
    """Makes the tree of an entry what it has to be read as afterwards."""
    for name in without:
        tree.pop(name, None)  # type: ignore[call-overload]
    for name, value in _values(fields).items():
        old = tree.get(name)  # type: ignore[call-overload]
        new = value if isinstance(value, str) else {"done": value[0], "total": value[1]}
        tree[name] = {**old, **new} if isinstance(old, Map) and isinstance(new, dict) else new  # type: ignore[index]


def _changed(margin: str, part: str, ending: str, name: str, value: FieldValue | None) -> str:
    """An entry with another value of one field, or without it where the value is None."""
    document = margin + part
    node = yaml.compose(document, _NodeLoader)
    pairs = _pairs(document, node)
    flow = getattr(node, "flow_style", False)
    pair = next((pair for pair in pairs if pair.name == name), None)
    if value is None:
        edits = [_removal(document, pairs, pairs.index(pair), flow)] if pair else []
    elif not pairs:
        return part
    elif pair is not None:
        edits = list(_replacement(document, pair, value))
    else:
        edits = [_insertion(document, pairs, flow, ending, name, value)]
    return edited(document, edits)[len(margin) :]


def _replacement(document: str, pair: _Pair, value: FieldValue) -> Iterator[Edit]:
    """Puts a value in the place of the old one; what is done and the whole each in its own, where both have one."""
    inner = {part.name: part for part in _pairs(document, pair.node)}
    if isinstance(value, tuple) and inner.keys() >= set(_PROGRESS):
        for name, text in zip(_PROGRESS, value, strict=True):
            yield from _replacement(document, inner[name], text)
        return
    text = _written(pair.name, value, pair.quotes[1])
    if not pair.quotes[1] and (header := _BLOCK.match(document, pair.value)) and header.end() < pair.end:
        # A text over several lines below `|` or `>`: a comment behind that sign stays.
        body = _line_end(document, header.end())
        yield pair.value, header.end(), text
        yield body, max(body, pair.end), ""
    else:
        gap = "" if pair.value < pair.end or document[pair.value - 1 : pair.value] in ("", " ") else " "
        yield pair.value, pair.end, gap + text


def _insertion(document: str, pairs: Sequence[_Pair], flow: bool, ending: str, name: str, value: FieldValue) -> Edit:
    """Puts a new field behind the one that `add run` would write before it, in the way that one is written."""
    order = {known: number for number, known in enumerate(ORDER)}
    before = [pair for pair in pairs if order.get(pair.name, len(order)) < order[name]]
    beside = max(before, key=lambda pair: order[pair.name]) if before else pairs[0]
    quote = beside.quotes[0]
    text = f"{quote}{name}{quote}: {_written(name, value, '' if _NUMBER.fullmatch(str(value)) else quote)}"
    indent = " " * (beside.key - _line_begin(document, beside.key))
    alone = document[: beside.key].endswith(f"\n{indent}")  # the first of its line
    if flow and not (alone and re.compile(r",?[ \t]*\r?\n").match(document, beside.end)):
        return (beside.end, beside.end, f", {text}") if before else (beside.key, beside.key, f"{text}, ")
    comma = "," if flow else ""
    if before:
        at = beside.end if flow else _line_end(document, beside.end)
        return at, at, f"{comma}{ending}{indent}{text}"
    return beside.key, beside.key, f"{text}{comma}{ending}{indent}"


def _removal(document: str, pairs: Sequence[_Pair], number: int, flow: bool) -> Edit:
    """Takes a field out, with its comma and its lines; comments stay."""
    pair = pairs[number]
    begin = pair.key
    end = pair.end
    if flow:
        if comma := re.compile(r"\s*,[ \t]*").match(document, end):
            end = comma.end()
        elif comma := re.search(r",\s*\Z", document[:begin]):
            return comma.start(), end, ""
    line = _line_begin(document, begin)
    after = _line_end(document, end)
    if document[end:after].strip():  # a comment, or the next field in brackets
        return begin, end + len(document[end:after]) - len(document[end:after].lstrip(" ")), ""
    if number == 0 and not flow:  # it stands behind `- `
        next_key = pairs[1].key if len(pairs) > 1 else len(document)
        return begin, end if document[end:next_key].strip() else next_key, ""
    if document[line:begin].strip():
        return begin, end, ""
    if after == len(document):
        return line - len(_ENDING.search(document[:line])[0]), after, ""  # type: ignore[index]
    return line, after + len(_ENDING.match(document, after)[0]), ""  # type: ignore[index]


def _written(name: str, value: FieldValue, quote: str) -> str:
    """A value as it is written into an entry, in quotes that stood there where it needs none of its own."""
    if isinstance(value, tuple):
        return "{" + ", ".join(f"{key}: {scalar(text)}" for key, text in zip(_PROGRESS, value, strict=True)) + "}"
    text = scalar(value, name in WORDS)
    return f"{quote}{text}{quote}" if text == value else text


def _line_begin(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    """Where the line ends in which a character stands, before what ends it."""
    end = re.compile(r"\r?\n|\Z").search(text, at)
    return end.start() if end else len(text)


def _pairs(document: str, node: yaml.Node | None) -> list[_Pair]:
    """The fields of a map in their order; none of what is not a map."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return [
        _Pair(key.value, key.start_mark.index, *span_of(document, value), (_quote(key), _quote(value)), value)
        for key, value in pairs
    ]


def _quote(node: yaml.Node) -> str:
    """The quotes that a text stands in; empty for any other node."""
    style = getattr(node, "style", "")
    return str(style) if style in ("'", '"') else ""
