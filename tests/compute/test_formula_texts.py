"""Formulas of the engine are built of checked terms: no text of a ledger becomes arithmetic by being put into one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from reckon.compute.sheet.cells import chain_of, formula_of, product_of, total_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("reckon/compute", "reckon/present/whatif")
SIGNED = re.compile(r"^[-+*/] | [-+*/] | [-+*/]$|\b(?:min|max|ceil|floor|sum|power)\($")
"""A piece of a text that would make a formula of what is put beside it."""
NO_FORMULAS = {
    "reckon/compute/audit/totals.py": "' + '.join((project.items[part].title for part in item.repeats.of))",
    "reckon/compute/choosing/setups.py": "' + '.join(extra)",
    "reckon/compute/sheet/evaluate.py": "f'divide by a unit first, as in `{function}(time / 1 hour) * 1 hour`'",
    "reckon/compute/sheet/sheet.py": "' - '.join(parts)",
}
"""Titles, patterns and messages, which are never read as a formula with what is put into them."""
BUILDER = "reckon/compute/sheet/cells.py"


@pytest.mark.parametrize(
    "text", ["1/0", "a b", ".x", "x.", "?", "1 - 1", "x - 1", "a\nb", "a\n", " a", "", "a--b", "min(a)"]
)
def test_a_text_that_is_no_name_gets_into_no_formula(text: str) -> None:
    for build in (
        lambda: formula_of("{} * 2", text),
        lambda: formula_of("catalog.gpus.{}.watts", text),
        lambda: chain_of(" + ", ["a", text]),
        lambda: total_of(["a", text]),
        lambda: total_of([text]),
        lambda: product_of(formula_of("{}", "a"), text),
    ):
        with pytest.raises(ValueError, match="is not a name"):
            build()


def test_names_and_formulas_are_put_where_the_pattern_says() -> None:
    left = formula_of("{} - {}", "plan.sft.seeds.3.bac", "catalog.prices.list.since.2026-01-02.usd")
    assert left == formula_of("plan.sft.seeds.3.bac - catalog.prices.list.since.2026-01-02.usd")
    assert formula_of("max({0}, 0 usd) / {1}", left, "pace").text == (
        "max(plan.sft.seeds.3.bac - catalog.prices.list.since.2026-01-02.usd, 0 usd) / pace"
    )
    assert chain_of(" * ", ["a", "b", "c"], "1 - {}") == formula_of("1 - a * b * c")


def test_no_other_text_is_made_a_formula() -> None:
    """A text with a sign is put together of others only where formulas are built, and in what people read."""
    found = [(file, text) for file, text in put_together() if file != BUILDER]
    assert sorted(found) == sorted(NO_FORMULAS.items())


def put_together() -> Iterator[tuple[str, str]]:
    """The files and the texts of f-strings with a sign, and of lists that are joined by one."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if any(SIGNED.search(text) for text in pieces_of(node)):
                    yield path.relative_to(ROOT).as_posix(), ast.unparse(node)


def pieces_of(node: ast.AST) -> Iterator[str]:
    """The pieces of an f-string between what is put into it; what a list is joined by."""
    match node:
        case ast.JoinedStr(values=values):
            yield from (part.value for part in values if isinstance(part, ast.Constant))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(sign)), attr="join")):
            yield sign
