"""The events of a YAML text, its syntax errors as problems, and the mistakes after which a file cannot be read on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from reckon.language.text import Place
from reckon.model.problem import Problem

MOST_CHARACTERS = 100_000_000
_CONFLICT = re.compile(r"^(<<<<<<<|>>>>>>>|\|\|\|\|\|\|\|)( |$)", re.MULTILINE)


class Stop(Exception):
    """Reading a file ends here: a mistake after which nothing can be trusted. Never leaves this module."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def events(text: str, file: str) -> Iterator[Any]:
    """The parser's events, its own errors turned into problems."""
    parser = getattr(yaml, "CLoader", yaml.Loader)(text)
    try:
        while event := parser.get_event():
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        raise Stop(
            Problem(
                where,
                f"this is not YAML: {error.problem or error.context}",
                _yaml_hint(str(error.problem), text, where),
            )
        ) from None
    except yaml.YAMLError as error:
        raise Stop(
            Problem(
                Place(file, 1, 1),
                f"this is not YAML: {str(error).splitlines()[0][:100]}",
                "save it as plain UTF-8 text",
            )
        ) from None


def _yaml_hint(problem: str, text: str, where: Place) -> str:
    line = (text.splitlines() or [""])[min(where.line, text.count("\n") + 1) - 1] if text else ""
    if "\t" in line:
        return "indent with spaces, not tabs"
    if "mapping values" in problem:
        return "put quotes around a text that contains `: `"
    if "found unexpected end" in problem or "did not find expected" in problem:
        return "look for a missing quote, bracket or comma, or for uneven indentation, here or just above"
    return "look at the punctuation here and just above"


def check_whole(text: str, file: str) -> None:
    """Stops at what is wrong with a text as a whole: its size, or the markers of a merge conflict."""
    if len(text) > MOST_CHARACTERS:
        raise Stop(
            Problem(Place(file, 1, 1), "the file is too large", "split it: runs can be kept in one file a month")
        )
    if found := _CONFLICT.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise Stop(
            Problem(
                Place(file, line, 1), "a merge conflict was left here", "keep the right lines and remove the markers"
            )
        )
