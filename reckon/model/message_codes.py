"""The code of each problem, which is printed behind it and which `budget why` explains.

`message_codes.json` has the codes with their words; `python -m scripts.guide` makes it of the catalogue of messages,
`scripts/messages.yaml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from .finding import Problem

CATALOGUE = Path(__file__).with_suffix(".json")
_QUOTED = re.compile(r"`[^`]*`")


def hide_values(text: str) -> str:
    """A message without the values in backticks that it is about: each is one sign."""
    return _QUOTED.sub("`", text)


@cache
def list_codes() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each code with the words of a message, in order; between them stands what differs. A code may have several."""
    return tuple((code, tuple(words)) for code, words in json.loads(CATALOGUE.read_text("utf-8")))


def code_of(problem: Problem) -> str:
    """The code of the message that says most of what a problem says; empty if the catalogue has none."""
    return _find_code(hide_values(problem.wrong))


def with_code(problem: Problem, text: str) -> str:
    """A text about a problem, with its code behind it."""
    code = code_of(problem)
    return f"{text} [{code}]" if code else text


@lru_cache(maxsize=1000)
def _find_code(text: str) -> str:
    fitting = [(len("".join(words)), code) for code, words in list_codes() if _begins_with(text, words)]
    return max(fitting, default=(0, ""))[1]


def _begins_with(text: str, words: Sequence[str]) -> bool:
    """Whether a text begins with the first words, and has the others behind them in order."""
    if not text.startswith(words[0]):
        return False
    at = 0
    for part in words:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
