"""The risks of a project on paper: its state, what its texts tell, and what the audit finds open."""

from __future__ import annotations

from collections.abc import Mapping

from reckon.model.groups import FindingGroup

from ..budget.status import Standing
from ..render.numbers import figure_text, told
from ..view import View
from .blocks import Blocks, Row, flat, worded

FINDINGS = "the page of findings"


def add_risks(view: View, blocks: Blocks) -> None:
    """The risks that the ledger's texts tell, and what the audit finds open."""
    texts = [text for text in view.said if "risk" in str(text.section).lower()]
    found = [*_open(view, "error"), *_open(view, "warning")]
    if not texts and not found and not view.runs:
        return
    blocks.heading("Risks")
    state = Standing(view).state if view.runs else None
    if state:
        blocks.paragraph(f"**{state.word[:1].upper()}{state.word[1:]}**: {told(state.why)}.")
    parts = [(str(text.title or text.name), text.parts) for text in texts if isinstance(text.parts, Mapping)]
    heads = list(dict.fromkeys(label for _, named in parts for label in named))[:3]
    rows = [Row([name, *(flat(worded(named.get(label, ""))) for label in heads)]) for name, named in parts if named]
    blocks.table(["What", *heads], rows, "<" * (len(heads) + 1), wide=True, what="risks")
    for text in texts:
        blocks.prose(worded(text.text), 2)
        if not isinstance(text.parts, Mapping):
            blocks.bullets(map(worded, text.parts), "risks")
    _audit(view, blocks, found, told(state.why) if state else "")


def _audit(view: View, blocks: Blocks, found: list[FindingGroup], said: str) -> None:
    """How much the audit has open, and each of it but what is said already."""
    if not found:
        return
    numbers = [figure_text(view.many(some, name, f"{name}s"))
               for name in ("error", "warning") if (some := _open(view, name))]  # fmt: skip
    whole = [(f"{told(group.title)}: {told(group.arithmetic)}", told(group.arithmetic)) for group in found]
    more = [sentence for sentence, arithmetic in whole if not arithmetic or arithmetic not in said]
    known = len(more) < len(found)
    above = ("; the one above is among them" if more else ", told above") if known else ""
    blocks.paragraph(f"The audit has {' and '.join(numbers)} open{above}{':' if more else '.'}")
    blocks.bullets((f"{sentence}." for sentence in more), "findings", FINDINGS)


def _open(view: View, severity: str) -> list[FindingGroup]:
    return [*view.severity(severity), *view.sourced(severity)]
