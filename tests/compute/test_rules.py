"""The list of rules: whatever finds something stands in it, and what it finds is told in the guide."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from reckon.model.rules import RULE_FUNCTIONS, RULES
from tests.reading import ROOT

AUDIT = ROOT / "reckon" / "compute" / "audit"
GUIDE = (ROOT / "docs" / "guide" / "messages.md").read_text("utf-8")
SECTION = "\n### hours-are-round\n"
RULE = '''"""A rule."""


def hours_are_round({}) -> {}:
    """Hours that were guessed."""
    return [{}"hours-are-round", **all_else)]
'''
# The rule as it may be written: what it takes, what it gives, and how a finding is made.
WRITTEN = (
    ("project: ProjectLedger, book: Book", "Iterator[Finding]", "make_finding("),
    ("project: ProjectLedger, book: Book", "list[Finding]", "make_finding(rule="),
    ("ledger: ProjectLedger, book: Book", "Sequence[finding.Finding]", "finding.make_finding("),
    ("project: ProjectLedger, _: Book", "tuple[Finding, ...]", "make_finding("),
    ("project: ProjectLedger, /, book: 'Book'", "'Finding | None'", "make_finding("),
)


def modules(folder: Path) -> Iterator[ast.Module]:
    return (parsed(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py")))


parsed = cache(ast.parse)
"""The trees of files, of which copies have the same text; nobody changes them."""


def rules_in(folder: Path) -> set[str]:
    """The names of the public functions of a package that give findings of a project, whatever they call or return."""
    functions = (node for module in modules(folder) for node in module.body if isinstance(node, ast.FunctionDef))
    return {node.name for node in functions if gives_findings(node) and not node.name.startswith("_")}


def gives_findings(function: ast.FunctionDef) -> bool:
    """Whether a function takes a project and the book, and says that it returns findings: mypy asks for both."""
    taken = [*function.args.posonlyargs, *function.args.args]
    types = [ast.unparse(each.annotation).strip("'") if each.annotation else "" for each in taken]
    given = ast.unparse(function.returns) if function.returns else ""
    return types == ["ProjectLedger", "Book"] and bool(re.search(r"\bFindings?\b", given))


def ids_in(folder: Path) -> set[str]:
    """The ids of the rules whose findings are made in a package."""
    calls = (node for module in modules(folder) for node in ast.walk(module) if isinstance(node, ast.Call))
    made = (call for call in calls if ast.unparse(call.func).rpartition(".")[2] in ("make_finding", "Cause"))
    named = [[*call.args[:1], *(word.value for word in call.keywords if word.arg == "rule")] for call in made]
    return {str(word.value).partition("#")[0] for words in named for word in words if isinstance(word, ast.Constant)}


def wanting(folder: Path, listed: Iterable[str], guide: str = GUIDE) -> list[str]:
    """What a rule lacks: its line in RULES, its function, or its section in the guide."""
    there, known = rules_in(folder), set(listed)
    told = set(re.findall(r"^### ([a-z-]+)$", guide, re.MULTILINE))
    return [
        *(f"{name}: add it to RULES" for name in sorted(there - known)),
        *(f"{name}: no function of this name yields findings" for name in sorted(known - there)),
        *(f"{name}: write tests/rules/{name}.md" for name in sorted(ids_in(folder) - told)),
    ]


def listed() -> list[str]:
    return [judge.rpartition(".")[2] for judge in RULE_FUNCTIONS]


def test_every_rule_is_listed_and_told() -> None:
    assert ids_in(AUDIT) <= set(RULES)
    assert len(ids_in(AUDIT)) > 25
    assert wanting(AUDIT, listed()) == []


@pytest.mark.full
@pytest.mark.parametrize(("takes", "gives", "makes"), WRITTEN)
def test_the_recipe_of_a_new_rule_names_the_step_that_is_left_out(
    takes: str, gives: str, makes: str, tmp_path: Path
) -> None:
    """Its function and its line in RULES, beside its section in the guide: two files of the engine at most."""
    folder = shutil.copytree(AUDIT, tmp_path / "audit")
    with_it = [*listed(), "hours_are_round"]
    assert wanting(folder, with_it) == ["hours_are_round: no function of this name yields findings"]
    (folder / "rounded.py").write_text(RULE.format(takes, gives, makes), "utf-8")
    assert wanting(folder, listed(), GUIDE + SECTION) == ["hours_are_round: add it to RULES"]
    assert wanting(folder, with_it) == ["hours-are-round: write tests/rules/hours-are-round.md"]
    assert wanting(folder, with_it, GUIDE + SECTION) == []
