"""A value put at its keys into the text of a ledger file. All other lines, comments and their order stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import yaml

from .run_format import scalar

Edit = tuple[int, int, str]
"""From where to where in a text, and what stands there instead."""


class NoPlace(Exception):
    """A text in which a value cannot be put at some keys: what stands in the way."""


def put_value(text: str, keys: Sequence[str], value: str, word: bool = False) -> str:
    """The text of a file with a value at some keys: in the place of the scalar that is there, or added behind what is.

    With `word`, a value that looks like a number is quoted. Raises NoPlace where a map, a list or nothing that can be
    added to stands there.
    """
    return _put(text, keys, scalar(value, word))


def put_list(text: str, keys: Sequence[str], values: Sequence[str]) -> str:
    """The text of a file with a list at some keys, added behind what is there. Raises NoPlace as `put_value` does."""
    return _put(text, keys, f"[{', '.join(map(scalar, values))}]")


def _put(text: str, keys: Sequence[str], written: str) -> str:
    """The text of a file with a value at some keys, as it is written in YAML."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:  # this reader is stricter than that of ledgers, for instance about tabs
        raise NoPlace("the file cannot be edited") from None
    for number, key in enumerate(keys):
        if not isinstance(node, yaml.MappingNode) or not node.value:
            raise NoPlace(f"`{'.'.join(keys[:number])}` is not a map with values")
        inner = next((inner for named, inner in node.value if named.value == key), None)
        if inner is None:
            return _added(text, node, keys[number:], written)
        node = inner
    if not isinstance(node, yaml.ScalarNode) or node.start_mark.index == node.end_mark.index:
        raise NoPlace(f"`{'.'.join(keys)}` is not a single value")
    return edited(text, [(*span_of(text, node), written)])


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with something else in some places, which do not meet."""
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def span_of(text: str, node: yaml.Node) -> tuple[int, int]:
    """From where to where a value stands, without lines and comments behind it that YAML counts to a block."""
    last = node
    while isinstance(last, yaml.CollectionNode) and last.value and not last.flow_style:
        last = last.value[-1][1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    begin = node.start_mark.index
    end = last.end_mark.index
    return begin, begin + len(text[begin:end].rstrip())


def _added(text: str, node: yaml.MappingNode, keys: Sequence[str], value: str) -> str:
    """The text with keys that are not there yet, at the end of a map, around a value."""
    _, end = span_of(text, node.value[-1][1])
    if node.flow_style:
        inner = "".join(f"{scalar(key)}: {{" for key in keys[:-1]) + f"{scalar(keys[-1])}: {value}"
        return f"{text[:end]}, {inner}{'}' * (len(keys) - 1)}{text[end:]}"
    line_end = "\r\n" if "\r\n" in text else "\n"
    column = node.value[0][0].start_mark.column
    lines = [f"{' ' * (column + 2 * deep)}{scalar(key)}:" for deep, key in enumerate(keys)]
    lines[-1] += f" {value}"
    at = text.find("\n", end) + 1 or len(text)
    before = "" if text[:at].endswith("\n") else line_end
    return f"{text[:at]}{before}{line_end.join(lines)}{line_end}{text[at:]}"
