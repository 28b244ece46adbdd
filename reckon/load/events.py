"""The events of a YAML text, its syntax errors as problems, and the mistakes after which a file cannot be read on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from reckon.language.text import Place
from reckon.model.problem import Problem

_CONFLICT = re.compile(r"^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |\r?$)", re.MULTILINE)
UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Stop(Exception):
    """Reading a file ends here: a mistake after which nothing can be trusted. Never leaves this room."""

    def __init__(self, place: Place, wrong: str, right: str) -> None:
        super().__init__(wrong)
        self.problem = Problem(place, wrong, right)


def events(text: str, file: str) -> Iterator[Any]:
    """The parser's events. Stops at its own errors, and at what is wrong with the text as a whole."""
    _check(text, file)
    parser = getattr(yaml, "CLoader", yaml.Loader)(text)
    try:
        while event := parser.get_event():
            yield event
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        where = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        said = getattr(error, "problem", None) or getattr(error, "context", None) or str(error).splitlines()[0][:100]
        raise Stop(where, f"this is not YAML: {said}", _yaml_hint(said, text, where)) from None


def _yaml_hint(problem: str, text: str, where: Place) -> str:
    line = "".join(text.splitlines()[where.line - 1 : where.line])
    if "\t" in line:
        return "indent with spaces, not tabs"
    if "mapping values" in problem:
        return "put quotes around a text that contains `: `"
    if "found unexpected end" in problem or "did not find expected" in problem:
        return "look for a missing quote, bracket or comma, or for uneven indentation, here or just above"
    return "look at the punctuation here and just above"


def _check(text: str, file: str) -> None:
    """Stops at the markers of a merge conflict, and at characters that no text has."""
    if found := _CONFLICT.search(text):
        where = Place(file, text.count("\n", 0, found.start()) + 1, 1)
        raise Stop(where, "a merge conflict was left here", "keep the right lines and remove the markers")
    if found := UNPRINTABLE.search(text):
        begin = text.rfind("\n", 0, found.start()) + 1
        where = Place(file, text.count("\n", 0, begin) + 1, found.start() - begin + 1)
        raise Stop(
            where, f"U+{ord(found[0]):04X} is no character of a text", "remove it, or save the file as plain UTF-8"
        )
