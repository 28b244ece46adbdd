"""Texts on the page: they quote figures, and one whose condition does not hold leaves no heading behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reckon.present.pages import present

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
TEXTS = """\
cost:
  section: Money
  text: |
    All of it is **{budget.final}**, which is {budget.final in gpu-days}.
  parts: {Item: '{plan.a} takes {plan.a.total}'}
gone: {title: Gone, section: Left out, when: budget.final > 99 gpu_hours, text: Much., rows: [figures.f]}
other: {section: Small, when: budget.final > 99 gpu_hours, text: Much., otherwise: 'Only {budget.final}.'}
"""


def page(ledger: Any) -> str:
    plan = "one: {title: One, items: {a: {title: Item *A*, scope: one-time, gpu_hours: 36}}}\n"
    tree = ledger(plan=plan, texts=TEXTS, figures="f: {title: Figure F, gb: 7}\n")
    made = present(tree.book(), [TEMPLATES], lambda _: None)
    return str(made["docs/p/index.md"] + made["docs/p/lines.md"])


def test_texts_as_they_stand(ledger: Any) -> None:
    text = page(ledger)
    final = "(derivations.md#p.budget.final)"
    assert f"All of it is **[36 GPU-h]{final}**, which is [1.5 GPU-d]{final}." in text
    assert "- **Item:** Item \\*A\\* takes [36 GPU-h](derivations.md#p.plan.a.total)" in text
    assert f"Only [36 GPU-h]{final}." in text
    assert "Left out" not in text
    assert "Much." not in text
    assert "Figure F" in text, "a figure whose text is left out stands with the others"
