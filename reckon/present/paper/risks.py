"""The risks of a project on paper: its state, what its texts tell, and what the audit finds open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reckon.language.text import capitalise
from reckon.model.finding_groups import FindingGroup

from ..budget.accepted_findings import accepted_breaches
from ..budget.grants import unknown_of_grants
from ..budget.status import Standing
from ..render.numbers import figure_text, format_sentence
from ..view import View
from .blocks import Blocks, Row, expand_quotes, flat

FINDINGS = "the page of findings"
SEVERE = ("error", "warning")
"""What counts as a risk, the gravest first."""


def add_risks(view: View, blocks: Blocks) -> None:
    """The risks that the ledger's texts tell, and what the audit finds open."""
    texts = [text for text in view.said if "risk" in text.section.lower()]
    told_of = view.runs or accepted_breaches(view)
    every = {name: [*view.severity(name), *view.sourced(name)] for name in SEVERE}
    found = {name: some for name, some in every.items() if some}
    if not (texts or told_of or found):
        return
    blocks.heading("Risks")
    state = Standing(view).state if told_of else None
    if state:
        blocks.paragraph(f"**{capitalise(state.word)}**: {format_sentence(state.why)}.")
    said = [format_sentence(group.arithmetic) for some in found.values() for group in some]
    for reason in map(format_sentence, unknown_of_grants(view)):
        if not any(reason in each for each in said):
            blocks.paragraph(f"**Not known of allocations**: {reason}.")
    parts = [(str(text.title or text.name), text.parts) for text in texts if isinstance(text.parts, Mapping)]
    heads = list(dict.fromkeys(label for _, named in parts for label in named))[:3]
    rows = []
    for name, named in parts:
        if named:
            rows.append(Row([name, *(flat(expand_quotes(named.get(label, ""))) for label in heads)]))
    blocks.table(["What", *heads], rows, "<" * (len(heads) + 1), wide=True, what="risks")
    for text in texts:
        blocks.prose(expand_quotes(text.text), 2)
        if not isinstance(text.parts, Mapping):
            blocks.bullets(map(expand_quotes, text.parts), "risks")
    if found:
        _audit(view, blocks, found, format_sentence(state.why) if state else "")


def _audit(view: View, blocks: Blocks, found: Mapping[str, Sequence[FindingGroup]], said: str) -> None:
    """How much the audit has open, and each of it but what is said already: the errors, then the warnings."""
    numbers = [figure_text(view.many(some, name)) for name, some in found.items()]
    more = {name: told_of for name, some in found.items() if (told_of := [*_untold(some, said)])}
    known = sum(map(len, more.values())) < sum(map(len, found.values()))
    above = ("; the one above is among them" if more else ", reported above") if known else ""
    apart = len(found) > 1
    blocks.paragraph(f"The audit has {' and '.join(numbers)} open{above}{':' if more and not apart else '.'}")
    for name, sentences in more.items():
        if apart:
            blocks.paragraph(f"{capitalise(name)}{'s' if len(sentences) > 1 else ''}:")
        blocks.bullets(sentences, "findings", FINDINGS)


def _untold(found: Iterable[FindingGroup], said: str) -> Iterator[str]:
    """What each finding is, and in a sentence of its own the figures that show it; nothing of those told already."""
    for group in found:
        why = format_sentence(group.arithmetic)
        if not why or why not in said:
            yield f"**{format_sentence(group.title)}.**" + (f" {capitalise(why)}." if why else "")
