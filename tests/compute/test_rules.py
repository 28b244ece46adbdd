"""The list of rules: whatever finds something stands in it, and what it finds is told in the guide."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from reckon.model.rules import RULES
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


def judges_in(folder: Path) -> set[str]:
    """The functions of a package that take a project and the book, in this order, and say that they give findings."""
    modules_of = ((path.relative_to(folder), parsed(path.read_text("utf-8"))) for path in sorted(folder.rglob("*.py")))
    return {
        f"{at.parts[0].removesuffix('.py')}.{node.name}"
        for at, module in modules_of
        for node in module.body
        if isinstance(node, ast.FunctionDef) and gives_findings(node)
    }


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


def wanting(folder: Path, listed: Mapping[str, str], guide: str = GUIDE) -> list[str]:
    """What a rule lacks: its line in RULES (by its id, its function), its function, or its section in the guide."""
    made = ids_in(folder)
    told = set(re.findall(r"^### ([a-z-]+)$", guide, re.MULTILINE))
    judges = dict.fromkeys(judge for judge in listed.values() if judge)
    return [
        *(f"{name}: add it to RULES" for name in sorted(made - set(listed))),
        *(f"{judge}: no function of this name yields findings" for judge in judges if judge not in judges_in(folder)),
        *(f"{name}: write tests/rules/{name}.md" for name in sorted(made - told)),
    ]


def listed() -> dict[str, str]:
    return {name: rule.judge for name, rule in RULES.items()}


def test_every_rule_is_listed_and_told() -> None:
    assert len(ids_in(AUDIT)) > 25
    assert wanting(AUDIT, listed()) == []


@pytest.mark.full
@pytest.mark.parametrize(("takes", "gives", "makes"), WRITTEN)
def test_the_recipe_of_a_new_rule_names_the_step_that_is_left_out(
    takes: str, gives: str, makes: str, tmp_path: Path
) -> None:
    """Its function and its line in RULES, beside its section in the guide: two files of the engine at most."""
    folder = shutil.copytree(AUDIT, tmp_path / "audit")
    judge = "rounded.hours_are_round"
    with_it = {**listed(), "hours-are-round": judge}
    assert wanting(folder, with_it) == [f"{judge}: no function of this name yields findings"]
    (folder / "rounded.py").write_text(RULE.format(takes, gives, makes), "utf-8")
    assert wanting(folder, listed(), GUIDE + SECTION) == ["hours-are-round: add it to RULES"]
    assert wanting(folder, with_it) == ["hours-are-round: write tests/rules/hours-are-round.md"]
    assert wanting(folder, with_it, GUIDE + SECTION) == []
