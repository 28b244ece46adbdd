"""Where a figure leads: every link to a derivation has a row to arrive at, however many figures there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reckon.present.pages import present

ROOT = Path(__file__).resolve().parents[2]


def pages_of(book: Any) -> dict[str, str]:
    return present(book, [ROOT / "templates"], lambda path: None)


def dangling(pages: dict[str, str]) -> list[str]:
    rows = {name: set(re.findall(r'<a id="([^"]+)">', text)) for name, text in pages.items()}
    found = []
    for name, text in pages.items():
        folder = name.rpartition("/")[0]
        for target, anchor in re.findall(r"\]\(([^)#]*\.md)?#([^)]+)\)", text):
            page = str((ROOT / folder / target).resolve().relative_to(ROOT)) if target else name
            if anchor not in rows[page]:
                found.append(f"{name} -> {page}#{anchor}")
    return found


def test_many_figures_lead_somewhere(ledger: Any) -> None:
    figures = "".join(f"f{n}: {{title: F{n}, hours: {{formula: a_hours * 2, a_hours: {n}}}}}\n" for n in range(1, 231))
    book = ledger(
        figures=figures, texts="t: {section: Here, rows: [" + ", ".join(f"figures.f{n}" for n in range(1, 231)) + "]}\n"
    ).book()
    assert dangling(pages_of(book)) == []


def test_long_plans_are_cut_in_tables_and_not_in_sums(ledger: Any) -> None:
    items = "".join(f"    i{n}: {{title: Item {n}, scope: one-time, gpu_hours: 1}}\n" for n in range(250))
    pages = pages_of(ledger(plan="one:\n  title: One\n  items:\n" + items).book())
    text = pages["docs/p/index.md"]
    assert dangling(pages) == []
    assert "250](" in text
    assert "50 more items are in" in text.replace("[", "")
    assert max(len(re.findall(r"^\| Item \d", part, re.MULTILINE)) for part in text.split("\n\n")) == 200


def test_a_rate_is_named_only_where_it_covers_everything(ledger: Any) -> None:
    plan = """
one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 100}}}
two: {title: Two, contingency: 30%, items: {b: {title: B, scope: one-time, gpu_hours: 100}}}
"""
    made = pages_of(ledger(project="contingency: 10%\n", plan=plan).book())
    assert re.search(r"^\| Contingency \| \[40\]", made["docs/p/index.md"], re.MULTILINE)
    assert "100 GPU-h" in made["docs/p/lines.md"]
