"""The house: which room may import which, where third-party libraries live, and how large things grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "reckon"
ROOMS = ("language", "model", "load", "compute", "present", "publish", "notebook", "door")

# A room imports itself and what is named here; load and compute never meet, and only the door and the notebook see all.
MAY = {
    "language": set(),
    "model": {"language"},
    "load": {"language", "model"},
    "compute": {"language", "model"},
    "present": {"language", "model", "compute"},
    "publish": {"language", "model"},
    "notebook": {"language", "model", "load", "compute", "present", "publish"},
    "door": set(ROOMS) - {"notebook"},
}
# The same inside compute: a part knows the parts named here, and the Book that all of them fill.
PARTS = {
    "sheet": set(),
    "spending": {"sheet"},
    "measuring": {"sheet"},
    "choosing": {"sheet", "measuring"},
    "fitting": {"sheet", "measuring", "choosing"},
    "saying": {"sheet", "spending", "measuring", "choosing", "fitting"},
    "audit": {"sheet", "spending", "measuring", "choosing", "fitting", "saying"},
    "bridge": {"sheet", "spending"},
}
# Third-party libraries and the rooms that may know them.
LIVES_IN = {
    "yaml": {"load", "publish"},
    "pydantic": {"model", "load"},
    "pydantic_core": {"model", "load"},
    "jinja2": {"present"},
    "markupsafe": {"present"},
    "altair": {"present"},
    "vl_convert": {"present"},
    "pandas": {"present", "notebook"},
    "numpy": {"present"},
    "openpyxl": {"present"},
    "pyarrow": {"present"},
    "mkdocs": {"publish"},
    "watchdog": {"publish"},
}
# These cost a tenth of a second or more: never imported at the top of a module.
HEAVY = {"altair", "vl_convert", "pandas", "numpy", "mkdocs", "openpyxl", "pyarrow"}
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_rooms_import_only_what_stands_below_them(path: Path) -> None:
    here = room(path)
    for module, _ in imports(path):
        parts = module.split(".")
        if parts[0] == "reckon" and len(parts) > 1 and parts[1] in ROOMS and here in ROOMS and parts[1] != here:
            assert parts[1] in MAY[here], f"{here} must not know {module}"


@pytest.mark.parametrize("path", sorted((ENGINE / "compute").rglob("*.py")), ids=lambda path: path.stem)
def test_parts_of_the_reckoning_know_only_what_comes_before_them(path: Path) -> None:
    here = path.relative_to(ENGINE / "compute").parts[0]
    for module, _ in imports(path):
        parts = module.split(".")
        if here in PARTS and parts[:2] == ["reckon", "compute"] and len(parts) > 2 and parts[2] in PARTS:
            assert parts[2] in {here, *PARTS[here]}, f"{here} must not know {module}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_libraries_live_in_one_room(path: Path) -> None:
    for module, top in imports(path):
        library = module.split(".")[0]
        if library in LIVES_IN:
            assert room(path) in LIVES_IN[library], f"{library} does not belong into {room(path)}"
        assert not (top and library in HEAVY), f"{library} is imported when the module is, not when it is needed"


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
    assert len(text.splitlines()) <= 250, "split the file: is it still one room with one purpose?"
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
    assert len(kinds) > 15
    assert all(kind.model_config.get("frozen") for kind in kinds)  # type: ignore[attr-defined]
