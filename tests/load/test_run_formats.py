"""Formats of tables of runs: each function that yields rows is in the table, and the guide shows one of each."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.language.text import Place, Text
from reckon.load import formats
from reckon.load.formats import RUN_FORMATS, Row, RunFormat
from tests.reading import ROOT
from tests.small import plant

LOAD = ROOT / "reckon" / "load"
GUIDE = (ROOT / "docs" / "guide" / "runs.md").read_text("utf-8")
SECTION = "\n$ python budget.py add runs jobs.lines demo\n"
FUNCTION = '''"""Lines of words."""


def line_rows(text: str, name: str) -> {}:
    """The rows of a text whose cells are words."""
    for number, line in enumerate(text.splitlines(), 1):
        yield tuple(Text(word, Place(name, number, 1)) for word in line.split())
'''


def line_rows(text: str, file: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        yield tuple(Text(word, Place(file, number, 1)) for word in line.split())


LINES = RunFormat("lines", ".lines", line_rows)


def readers_in(folder: Path) -> set[str]:
    """The public functions of a package that give the rows of a text, which messages call by the name of its file."""
    modules = [ast.parse(path.read_text("utf-8")) for path in sorted(folder.glob("*.py"))]
    functions = [node for module in modules for node in module.body if isinstance(node, ast.FunctionDef)]
    return {node.name for node in functions if gives_rows(node) and not node.name.startswith("_")}


def gives_rows(function: ast.FunctionDef) -> bool:
    """Whether a function takes two texts, and says that it returns rows: mypy asks for both."""
    types = [ast.unparse(each.annotation) if each.annotation else "" for each in function.args.args]
    given = ast.unparse(function.returns) if function.returns else ""
    return types == ["str", "str"] and bool(re.search(r"\bRow\b|tuple\[Text, \.\.\.\]", given))


def wanting(folder: Path, known: Iterable[RunFormat], guide: str = GUIDE) -> list[str]:
    """What a format lacks: its function, its line in RUN_FORMATS, an ending of its own, or its example in the guide."""
    listed, there = {kind.rows.__name__: kind.ending for kind in known}, readers_in(folder)
    endings = [kind.ending for kind in known]
    return [
        *(f"{name}: add it to RUN_FORMATS" for name in sorted(there - set(listed))),
        *(f"{name}: no function of this name in load/ yields rows" for name in sorted(set(listed) - there)),
        *(f"{ending}: another format has this ending" for ending in sorted(set(endings)) if endings.count(ending) > 1),
        *(
            f"{ending}: show `add runs` of one in docs/guide/runs.md"
            for ending in sorted(set(endings))
            if f"add runs jobs{ending}" not in guide
        ),
    ]


def test_every_format_is_listed_and_told() -> None:
    assert wanting(LOAD, RUN_FORMATS) == []


GIVEN = ("Iterator[Row]", "Generator[Row, None, None]", "Iterator[tuple[Text, ...]]", "list[Row]")


@pytest.mark.full
@pytest.mark.parametrize("gives", GIVEN)
def test_the_recipe_of_a_new_format_names_the_step_that_is_left_out(gives: str, tmp_path: Path) -> None:
    """Its function and its line in RUN_FORMATS, beside its example in the guide: two files of the engine at most."""
    folder = shutil.copytree(LOAD, tmp_path / "load")
    with_it = (*RUN_FORMATS, LINES)
    assert wanting(folder, with_it, GUIDE + SECTION) == ["line_rows: no function of this name in load/ yields rows"]
    (folder / "lines.py").write_text(FUNCTION.format(gives), "utf-8")
    assert wanting(folder, RUN_FORMATS) == ["line_rows: add it to RUN_FORMATS"]
    assert wanting(folder, with_it) == [".lines: show `add runs` of one in docs/guide/runs.md"]
    taken = (*RUN_FORMATS, LINES._replace(ending=".csv"))
    assert wanting(folder, taken) == [".csv: another format has this ending"]
    assert wanting(folder, with_it, GUIDE + SECTION) == []


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger, with a format more."""
    monkeypatch.setattr(formats, "RUN_FORMATS", (*RUN_FORMATS, LINES))
    monkeypatch.chdir(tmp_path)
    return plant(tmp_path / "tree")


def test_runs_of_a_new_format_are_added(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("jobs.LINES").write_text("item date gpu_hours\ntest 2026-02-03 2\n", "utf-8")
    assert main(["--root", str(tree), "add", "runs", "jobs.LINES", "--file", "new"]) == 0
    added = (tree / "ledger/demo/runs/new.yaml").read_text("utf-8")
    assert added.endswith("- {date: 2026-02-03, item: test, gpu_hours: 2}\n")
    Path("jobs.lines").write_text("item date gpu_hours\ntest 2026-02-03\n", "utf-8")
    assert main(["--root", str(tree), "add", "runs", "jobs.lines"]) == 2
    assert "jobs.lines:2: this row has 2 cells, the first 3" in capsys.readouterr().err


def test_the_help_names_a_new_format(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["add", "runs", "--help"])
    said = capsys.readouterr().out
    assert "FILE.csv|FILE.lines" in said
    with pytest.raises(SystemExit):
        main(["add", "--help"])
    assert "add the runs of a CSV or lines file" in " ".join(capsys.readouterr().out.split())


def test_what_ends_otherwise_is_read_as_csv(tree: Path) -> None:
    Path("jobs.txt").write_text("item;date;gpu_hours\ntest;2026-02-03;2\n", "utf-8")
    assert main(["--root", str(tree), "add", "runs", "jobs.txt", "--file", "new"]) == 0
