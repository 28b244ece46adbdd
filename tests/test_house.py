"""The house: what may be imported where, what may not be called, and how large things grow."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import pytest
from grimp import ImportGraph, build_graph
from importlinter import Contract, configuration
from importlinter.application.use_cases import read_user_options
from importlinter.contracts.acyclic_siblings import AcyclicSiblingsContract
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from pydantic import ValidationError

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "reckon"
configuration.configure()
# These cost a tenth of a second or more: never imported at the top of a module.
HEAVY = {"vl_convert", "typst", "pandas", "numpy", "mkdocs", "openpyxl", "pyarrow"}
SETTINGS = read_user_options(str(ROOT / "pyproject.toml"))
CONTRACTS = SETTINGS.contracts_options
KINDS: dict[str, type[Contract]] = {
    "layers": LayersContract,
    "forbidden": ForbiddenContract,
    "protected": ProtectedContract,
    "acyclic_siblings": AcyclicSiblingsContract,
}
FILES = sorted(path for path in ENGINE.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def room(path: Path) -> str:
    part = path.relative_to(ENGINE).parts[0]
    return part.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every absolute module that a file imports, and whether at its top level."""
    tree = parsed(path)
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


@pytest.fixture(scope="module")
def graph() -> ImportGraph:
    """All imports of the engine, those inside functions and for types alone too."""
    return build_graph("reckon", include_external_packages=True, cache_dir=None)


def is_kept(contract: dict[str, Any], graph: ImportGraph) -> bool:
    """Whether import-linter finds a contract of pyproject.toml kept by some imports."""
    checker = KINDS[contract["type"]](contract["name"], SETTINGS.session_options, contract)
    return checker.check(deepcopy(graph), verbose=False).kept


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: str(contract["id"]))
def test_every_import_keeps_to_the_contracts(contract: dict[str, Any], graph: ImportGraph) -> None:
    """Rooms, parts, libraries and circles of packages: `tool.importlinter` in pyproject.toml says what may be."""
    assert is_kept(contract, graph), f"`lint-imports --contract {contract['id']}` names the import"


# For each contract an import that breaks it, from a module that may not have it.
PLANTED = {
    "rooms": ("reckon.model.planted", "reckon.load.reader"),
    "files": ("reckon.present.planted", "reckon.load.reader"),
    "compute": ("reckon.compute.choosing.planted", "reckon.compute.book"),
    "choosing": ("reckon.compute.fitting.planted", "reckon.compute.budget.actuals"),
    "versions": ("reckon.compute.versions.planted", "reckon.compute.choosing.memory"),
    "present": ("reckon.present.view", "reckon.present.pages"),
    "charts": ("reckon.present.charts.layout", "reckon.model.figure"),
    "circles": ("reckon.present.choosing.planted", "reckon.present.charts.frontier"),
    "yaml": ("reckon.model.planted", "yaml"),
    "values": ("reckon.publish.planted", "msgspec"),
    "pydantic": ("reckon.load.reader", "pydantic"),
    "patterns": ("reckon.load.planted", "re2"),
    "pages": ("reckon.cli.planted", "jinja2"),
    "frames": ("reckon.cli.planted", "pandas"),
    "typst": ("reckon.present.paper.planted", "typst"),
    "duckdb": ("reckon.load.importers.planted", "duckdb"),
    "engines": ("reckon.cli.planted", "ibis"),
    "site": ("reckon.cli.planted", "mkdocs"),
}


def test_every_contract_is_tried() -> None:
    assert [contract["id"] for contract in CONTRACTS] == list(PLANTED)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: str(contract["id"]))
def test_a_planted_import_breaks_its_contract(contract: dict[str, Any], graph: ImportGraph) -> None:
    importer, imported = PLANTED[contract["id"]]
    assert imported in graph.modules, f"{imported} is not there any more: plant another import"
    planted = deepcopy(graph)
    planted.add_import(importer=importer, imported=imported)
    assert not is_kept(contract, planted)


def test_imports_in_functions_and_for_types_alone_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = "def late() -> None:\n    import json\n"
    types = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from . import late\n"
    package = tmp_path / "planted_package"
    package.mkdir()
    for name, text in {"__init__.py": "", "late.py": late, "types.py": types}.items():
        (package / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    seen = build_graph("planted_package", include_external_packages=True, cache_dir=None)
    assert seen.find_modules_directly_imported_by("planted_package.late") == {"json"}
    assert seen.find_modules_directly_imported_by("planted_package.types") == {"planted_package.late", "typing"}
    assert SETTINGS.session_options["include_external_packages"] == "True"
    assert SETTINGS.session_options["exclude_type_checking_imports"] == "False"


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


def test_heavy_libraries_are_imported_where_they_are_needed() -> None:
    for path in FILES:
        for module, top in imports(path):
            assert not (top and module.split(".")[0] in HEAVY), f"{module} is imported when {path.name} is"


def test_the_reckoning_touches_nothing_outside() -> None:
    """compute reads no file, clock, environment or chance; nothing that renders knows the time.

    `language/calendar_days.py` counts days with the calendar of `datetime`, and calls none of what reads the clock.
    """
    forbidden = {"os", "pathlib", "time", "datetime", "random", "locale", "subprocess", "socket", "io", "tempfile"}
    for path in FILES:
        if room(path) in ("language", "compute"):
            found = {module.split(".")[0] for module, _ in imports(path)} & forbidden
            if path.name == "calendar_days.py":
                names = {node.attr for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
                found = found - {"datetime"} | names & {"today", "now", "utcnow", "fromtimestamp"}
            assert not found, f"{path.relative_to(ROOT)} imports {found}"
        if room(path) == "present":
            found = {module.split(".")[0] for module, _ in imports(path)} & (forbidden - {"pathlib", "os", "io"})
            assert not found, f"{path.relative_to(ROOT)} imports {found}"


def test_nothing_is_executed() -> None:
    for path in FILES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "compile", "__import__"), path


LATER = ("compute/audit/", "load/importers/")
"""Rooms that are going to be written anew: some of their functions grew when the formatter took them."""


def test_files_and_functions_stay_small() -> None:
    large = []
    for path in FILES:
        lines = len(path.read_text("utf-8").splitlines())
        if lines > 500:
            large.append(f"{path.relative_to(ROOT)} has {lines} lines: is it still one room with one purpose?")
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                most = 55 if path.relative_to(ENGINE).as_posix().startswith(LATER) else 45
                if size > most:
                    large.append(f"{path.relative_to(ROOT)}: {node.name} has {size} lines")
    assert large == []


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
