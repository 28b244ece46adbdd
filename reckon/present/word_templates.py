"""Sentences and rows of pages that stand in `templates/words`, filled in without being printed.

Those templates are the program's own: a tree cannot replace them, and page templates never see them. They run in the
sandbox like any other, but print nothing. What a macro there puts out, words and figures in order, is handed back as it
is, so that figures stay figures, and whoever prints them escapes the text of the ledger among them, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from jinja2.environment import TemplateModule
from jinja2.nativetypes import NativeCodeGenerator

from reckon.model.figure import Figure

from .render.printing import several
from .sandbox import COMPILED, Sandbox
from .table import Cell, Link, given

_PACKAGE = Path(__file__).resolve().parents[1]
_FOLDERS = (_PACKAGE / "templates" / "words", _PACKAGE.parent / "templates" / "words")
"""Where the templates lie in an installed package, and in a checkout."""


def bare(figure: Figure | None) -> Cell:
    """A figure without its unit; None where there is none."""
    return given(figure, "bare")


CALLED: Mapping[str, Callable[..., object]] = {
    "bare": bare,
    "link": Link,
    "several": several,
}
"""What these templates may call."""


def gather(pieces: Iterable[object]) -> tuple[Any, ...]:
    """What a template put out, in order: pieces within pieces too, and nothing that is empty.

    Raises UndefinedError for a name that means nothing.
    """
    found: list[object] = []
    for piece in pieces:
        if isinstance(piece, jinja2.Undefined):
            str(piece)  # a strict one says its name
        if type(piece) is tuple:
            found.extend(piece)
        elif piece is not None and piece != "":
            found.append(piece)
    return tuple(found)


class WordEnvironment(Sandbox):
    """The environment of `templates/words`: its templates put out values, not text."""

    code_generator_class = NativeCodeGenerator
    concat = staticmethod(gather)  # type: ignore[assignment]

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call something: also the pieces of cells, which are classes."""
        return any(obj is ours for ours in CALLED.values()) or super().is_safe_callable(obj)


@cache
def load_words(name: str) -> TemplateModule:
    """The macros of `templates/words/NAME.j2`. Raises TemplateNotFound where there is no such file."""
    environment = WordEnvironment(
        loader=jinja2.FileSystemLoader(_FOLDERS),
        # Nothing is made into text here: who prints a sentence escapes it.
        autoescape=False,
        bytecode_cache=COMPILED,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.clear()
    environment.globals.update(CALLED)
    return environment.get_template(f"{name}.j2").module


def compose(name: str, macro: str, *values: object) -> tuple[Any, ...]:
    """What a macro of `templates/words/NAME.j2` says of some values: the pieces of a sentence or of a cell, in order.

    Raises UndefinedError where a template asks for what is not there.
    """
    return tuple(getattr(load_words(name), macro)(*values))
