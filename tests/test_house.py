"""The house: what may be imported where, what may not be called, and how large things grow."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from grimp import ImportGraph, build_graph
from pydantic import ValidationError

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "reckon"
# These cost a tenth of a second or more: never imported at the top of a module.
HEAVY = {"vl_convert", "typst", "pandas", "numpy", "mkdocs", "openpyxl", "pyarrow"}
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
FILES = sorted(path for path in ENGINE.rglob("*.py"))


def room(path: Path) -> str:
    part = path.relative_to(ENGINE).parts[0]
    return part.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every absolute module that a file imports, and whether at its top level."""
    tree = ast.parse(path.read_text("utf-8"))
    top = set(map(id, tree.body))
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module, id(node) in top
            yield from ((f"{module}.{alias.name}", id(node) in top) for alias in node.names if not node.module)


def linted(folder: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the package in a folder, by all contracts of its pyproject.toml or some."""
    named = [word for contract in contracts for word in ("--contract", contract)]
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()"]
    # Wide, so that no name of a contract is broken over two lines.
    wide = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(
        [*command, "--no-cache", "--no-logo", *named], cwd=folder, env=wide, capture_output=True, text=True, timeout=60
    )


def test_every_import_keeps_to_the_contracts() -> None:
    """Rooms, parts, libraries and circles of packages: `tool.importlinter` in pyproject.toml says what may be."""
    done = linted(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


# For each contract a file that may not be, and an import in it that breaks it: inside a function, or for types alone.
LATE, TYPES = "def late() -> None:\n    {}\n", "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    {}\n"
PLANTED = {
    "rooms": ("model/planted.py", LATE, "from reckon.load.reader import load"),
    "files": ("present/planted.py", TYPES, "from reckon.load.reader import load"),
    "compute": ("compute/choosing/planted.py", TYPES, "from ..book import Book"),
    "choosing": ("compute/fitting/planted.py", LATE, "from ..budget import tally"),
    "versions": ("compute/versions/planted.py", LATE, "from ..choosing.memory import judge"),
    "present": ("present/view.py", LATE, "from . import pages"),
    "charts": ("present/charts/frame.py", TYPES, "from reckon.model.figure import Figure"),
    "circles": ("present/choosing/planted.py", LATE, "from ..charts import frontier"),
    "yaml": ("model/planted.py", LATE, "import yaml"),
    "pydantic": ("load/reader.py", TYPES, "from pydantic import ValidationError"),
    "patterns": ("load/planted.py", LATE, "import re2"),
    "pages": ("cli/planted.py", LATE, "import jinja2"),
    "frames": ("cli/planted.py", LATE, "import pandas as pd"),
    "typst": ("present/paper/planted.py", LATE, "import typst"),
    "duckdb": ("load/importers/planted.py", LATE, "import duckdb"),
    "engines": ("cli/planted.py", LATE, "import ibis"),
    "site": ("cli/planted.py", LATE, "from mkdocs.config import load_config"),
}


def test_every_contract_is_tried() -> None:
    assert [contract["id"] for contract in CONTRACTS] == list(PLANTED)


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_import_breaks_its_contract(contract: str, tmp_path: Path) -> None:
    shutil.copytree(ENGINE, tmp_path / "reckon", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path, where, line = PLANTED[contract]
    with (tmp_path / "reckon" / path).open("a", encoding="utf-8") as file:
        file.write("\n" + where.format(line))
    (name,) = [known["name"] for known in CONTRACTS if known["id"] == contract]
    done = linted(tmp_path, contract)
    assert done.returncode == 1
    assert f"{name} BROKEN" in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    """All imports of the engine, those inside functions and for types alone too."""
    return build_graph("reckon", include_external_packages=True, cache_dir=None)


def circle(graph: ImportGraph, *without: str) -> list[str]:
    """Modules that import each other in a circle, the first also last; nothing where there is none.

    The contract on packages does not see a circle between a package and a module in it.
    """
    above = {name: {*graph.find_modules_directly_imported_by(name)} for name in graph.modules}
    for both in without:
        importer, imported = both.split(" -> ")
        above[importer] -= {imported}
    try:
        TopologicalSorter(above).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle(graph: ImportGraph) -> None:
    """The imports that the contract on circles leaves out are left out here too, if each of them closes one."""
    (allowed,) = [known.get("ignore_imports", []) for known in CONTRACTS if known["id"] == "circles"]
    assert circle(graph, *allowed) == []
    for each in allowed:
        assert circle(graph, *(other for other in allowed if other != each)), f"{each} closes no circle any more"


def test_a_circle_of_a_package_and_its_module_is_seen() -> None:
    planted = ImportGraph()
    planted.add_import(importer="reckon.compute.audit", imported="reckon.compute.audit.common")
    assert circle(planted) == []
    planted.add_import(importer="reckon.compute.audit.common", imported="reckon.compute.audit")
    assert set(circle(planted)) == {"reckon.compute.audit", "reckon.compute.audit.common"}
    assert circle(planted, "reckon.compute.audit.common -> reckon.compute.audit") == []


def test_every_library_has_a_room(graph: ImportGraph) -> None:
    at_home = {name for contract in CONTRACTS for name in contract.get("protected_modules", ())}
    used = {name.split(".")[0] for name in graph.modules} - {"reckon", *sys.stdlib_module_names}
    assert used == at_home


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_libraries_are_imported_where_they_are_needed(path: Path) -> None:
    for module, top in imports(path):
        assert not (top and module.split(".")[0] in HEAVY), f"{module} is imported when {path.name} is"


def test_the_reckoning_touches_nothing_outside() -> None:
    """compute reads no file, clock, environment or chance; nothing that renders knows the time.

    `language/days.py` counts days with the calendar of `datetime`, and calls none of what reads the clock.
    """
    forbidden = {"os", "pathlib", "time", "datetime", "random", "locale", "subprocess", "socket", "io", "tempfile"}
    for path in FILES:
        if room(path) in ("language", "compute"):
            found = {module.split(".")[0] for module, _ in imports(path)} & forbidden
            if path.name == "days.py":
                names = {
                    one.attr for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Attribute)
                }
                found = found - {"datetime"} | names & {"today", "now", "utcnow", "fromtimestamp"}
            assert not found, f"{path.relative_to(ROOT)} imports {found}"
        if room(path) == "present":
            found = {module.split(".")[0] for module, _ in imports(path)} & (forbidden - {"pathlib", "os", "io"})
            assert not found, f"{path.relative_to(ROOT)} imports {found}"


def test_nothing_is_executed() -> None:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 320, "split the file: is it still one room with one purpose?"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            assert size <= 45, f"{node.name} has {size} lines"


def test_records_are_frozen() -> None:
    from reckon.model.record import Record

    def below(kind: type) -> Iterator[type]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    import reckon.model.ledger  # noqa: F401

    kinds = list(below(Record))
    assert len(kinds) > 50
    assert all(kind.model_config["frozen"] for kind in kinds)
    with pytest.raises(ValidationError, match="frozen"):
        Record.model_construct().place = None  # type: ignore[assignment]
