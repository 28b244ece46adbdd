"""The blocks of a page on configurations: side by side or alone, their memory, the cards that they fit, their times."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

from reckon.model.pages import CONFIGURATIONS, FIT, MEMORY, TIMES, TOGETHER, Shown

from ..view import View
from .beside import Beside, Single, families
from .matrix import Matrix
from .memory import Memories, Memory, filled
from .times import Times

SHOWN = (CONFIGURATIONS, TOGETHER, MEMORY, FIT, TIMES)
"""The kinds of addresses that are shown here."""
ALONE, MEMORIES = "alone", "memories"
FITTING = (ALONE, TOGETHER, MEMORY, MEMORIES, FIT, TIMES)
"""The kinds of blocks, which are the names of templates under templates/fitting/."""

Made = tuple[str, Any, str]


def alone(shown: Sequence[Shown]) -> Iterator[str]:
    """The configurations of a section that stand by themselves, with their overrides open."""
    for kind, some in groupby(shown, key=lambda one: one.kind):
        names = {one.id for one in some}
        if kind == CONFIGURATIONS and len(names) == 1:
            yield from names


def fitting(view: View, shown: Sequence[Shown], apart: Collection[str]) -> Iterator[Made]:
    """Kind, what is shown, and id of the blocks of addresses of one kind that follow each other in a section.

    `apart` are configurations that have a block of their own somewhere on the page.
    """
    kind = shown[0].kind
    if kind in (FIT, TIMES):
        yield kind, Matrix(view) if kind == FIT else Times(view), kind
    elif kind == TOGETHER:
        every = tuple(str(name) for name in view.one.configurations)
        for family in families(view.one, every):
            yield _beside(view, family, apart)
    elif kind == CONFIGURATIONS:
        yield _beside(view, tuple(dict.fromkeys(one.id for one in shown)), apart)
    else:
        yield from _memory(view, shown)


def _beside(view: View, names: tuple[str, ...], apart: Collection[str]) -> Made:
    """One configuration by itself, or several in a table."""
    if len(names) == 1:
        return ALONE, Single(view, names[0]), names[0]
    return TOGETHER, Beside(view, names, frozenset(apart)), " ".join(names)


def _memory(view: View, shown: Sequence[Shown]) -> Iterator[Made]:
    for name, some in groupby(shown, key=lambda one: one.id):
        for card in dict.fromkeys(one.card or str(view.project.gpu) for one in some):
            if name:
                yield MEMORY, Memory(view, name, card), f"{name} {card}"
            else:
                yield MEMORIES, Memories(view, tuple(filled(view)), card), card
