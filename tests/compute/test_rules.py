"""The list of rules: whatever finds something stands in it, and what it finds is told in the guide."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from reckon.compute.audit import RULES
from tests.reading import ROOT

AUDIT = ROOT / "reckon" / "compute" / "audit"
GUIDE = (ROOT / "docs" / "guide" / "messages.md").read_text("utf-8")
SECTION = "\n### hours-are-round\n"
RULE = '''"""A rule."""


def hours_are_round(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Hours that were guessed."""
    yield Finding("hours-are-round", "note", project.id, (), (), (), ())
'''


def modules(folder: Path) -> Iterator[ast.Module]:
    return (ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py")))


def rules_in(folder: Path) -> set[str]:
    """The names of the public functions of a package that yield the findings of a project."""
    functions = (node for module in modules(folder) for node in module.body if isinstance(node, ast.FunctionDef))
    shapes = {
        node.name: (*(arg.arg for arg in node.args.args), node.returns and ast.unparse(node.returns))
        for node in functions
    }
    rule = ("project", "book", "Iterator[Finding]")
    return {name for name, shape in shapes.items() if shape == rule and not name.startswith("_")}


def ids_in(folder: Path) -> set[str]:
    """The ids of the rules whose findings are made in a package."""
    calls = (node for module in modules(folder) for node in ast.walk(module) if isinstance(node, ast.Call))
    made = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id in ("Finding", "Cause"))
    first = (call.args[0] for call in made if call.args)
    return {str(word.value) for word in first if isinstance(word, ast.Constant)}


def wanting(folder: Path, listed: Iterable[str], guide: str = GUIDE) -> list[str]:
    """What a rule lacks: its line in RULES, its function, or its section in the guide."""
    there, known = rules_in(folder), set(listed)
    told = set(re.findall(r"^### ([a-z-]+)$", guide, re.MULTILINE))
    return [
        *(f"{name}: add it to RULES" for name in sorted(there - known)),
        *(f"{name}: no function of this name yields findings" for name in sorted(known - there)),
        *(f"{name}: give it a section in docs/guide/messages.md" for name in sorted(ids_in(folder) - told)),
    ]


def listed() -> list[str]:
    return [rule.__name__ for rule in RULES]


def test_every_rule_is_listed_and_told() -> None:
    assert len(ids_in(AUDIT)) > 25
    assert wanting(AUDIT, listed()) == []


def test_the_recipe_of_a_new_rule_names_the_step_that_is_left_out(tmp_path: Path) -> None:
    """Its function and its line in RULES, beside its section in the guide: two files of the engine at most."""
    folder = shutil.copytree(AUDIT, tmp_path / "audit")
    with_it = [*listed(), "hours_are_round"]
    assert wanting(folder, with_it) == ["hours_are_round: no function of this name yields findings"]
    (folder / "rounded.py").write_text(RULE, "utf-8")
    assert wanting(folder, listed(), GUIDE + SECTION) == ["hours_are_round: add it to RULES"]
    assert wanting(folder, with_it) == ["hours-are-round: give it a section in docs/guide/messages.md"]
    assert wanting(folder, with_it, GUIDE + SECTION) == []
