"""Texts that quote figures: `{budget.final}`, `{plan.sft.total in gpu-days}`. Doubled braces stand for themselves."""

from __future__ import annotations

import re
from typing import NamedTuple

from .text import Refusal
from .tokens import NAME


class Quote(NamedTuple):
    """An address quoted in a text, the unit asked for (or nothing), and where its brace stands in the text."""

    address: str
    unit: str
    at: int


_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTE = re.compile(rf"\s*({NAME})(?:\s+in\s+([A-Za-z][\w /-]*?))?\s*")


def pieces(text: str) -> list[str | Quote]:
    """A text cut at what it quotes, doubled braces made single. Raises Refusal at a brace that quotes nothing."""
    found: list[str | Quote] = []
    words, end = "", 0
    for brace in _BRACES.finditer(text):
        words += text[end : brace.start()]
        end = brace.end()
        if brace[0] in ("{{", "}}"):
            words += brace[0][0]
            continue
        if not (quote := _QUOTE.fullmatch(brace[1] or "")):
            right = "write `{budget.final}`, or `{budget.final in gpu-days}`; `{{` and `}}` print a brace"
            raise Refusal(f"`{brace[0][:40]}` quotes no figure", right, brace.start())
        found += [words, Quote(quote[1], quote[2] or "", brace.start(1) + quote.start(1))]
        words = ""
    return [one for one in (*found, words + text[end:]) if one != ""]
