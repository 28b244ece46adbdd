"""What the page of changes says of a step between two versions, as plain words and numbers: a form that can be kept.

Two releases never change, so what is said of the step between them can be read again in place of being worked out.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from msgspec import convert

from .grouping import Alike
from .sentences import BridgeLine, TextPair


class BridgeWords(NamedTuple):
    """A bridge in words: title and unit of its figure, and its rows, the old and the new total among them.

    `totals` are the old and the new total as numbers in that unit, `ends` those before and after each step between
    them, and `moves` says whether any step moves the value to plan with. A picture is drawn of these.
    """

    title: str
    unit: str
    lines: tuple[BridgeLine, ...]
    totals: tuple[float, float]
    ends: tuple[tuple[float, float], ...]
    moves: bool


class StepWords(NamedTuple):
    """All that the page of changes says of a step, but for what stands in the two snapshots.

    `known` says whether both sides could be compared, `differs` whether anything of the project does; `state` whether
    all of it was added or removed. `since` is the release whose method changed. `more` says that more figures moved
    than are among `moves`.
    """

    known: bool = False
    differs: bool = False
    state: str = ""
    since: str = ""
    bridge: BridgeWords | None = None
    beside: tuple[TextPair, ...] = ()
    by_method: tuple[TextPair, ...] = ()
    moves: tuple[Alike, ...] = ()
    more: bool = False
    findings: tuple[TextPair, ...] = ()

    def text(self) -> str:
        """The words as one text, from which they can be read again."""
        return json.dumps(self)


def read_words(text: str) -> StepWords:
    """The words of a step from the text that was made of them."""
    return convert(json.loads(text), StepWords)
