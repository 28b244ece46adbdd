"""What a command imports: no library that only other commands need, and no room of another command."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from reckon.compute import audit
from reckon.compute.calculation import calculate
from reckon.language.lazy import late
from reckon.load import files, reader
from reckon.model.rules import RULE_FUNCTIONS
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[1]
PROBE = """
import sys
sys.argv = ["budget.py", *sys.argv[1:]]
from reckon.entry import main
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""
LIBRARIES = {"subprocess", "jinja2", "pandas", "numpy", "mkdocs", "vl_convert", "openpyxl", "typst", "duckdb", "re2"}
"""What only pages, exports, sites, git and imports need."""
ROOMS = (
    "reckon.compute.versions",
    "reckon.load.trees",
    "reckon.load.git",
    "reckon.present.export",
    "reckon.present.view",
)
"""Of the program, what nothing in a plan with runs asks for."""
RUN = ("--date", "2026-01-11", "--item", "train", "--seed", "2", "--gpus", "1", "--wall-hours", "3")
CLAIM = {"ledger/demo/claims.yaml": "- {of: budget.final, states: 101, at: there}\n"}


def imported(root: Path, *words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "--root", str(root), *words], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    found = {*done.stderr.split()}
    assert "reckon.cli" in found, done.stdout + done.stderr
    return found


def within(found: set[str], *rooms: str) -> set[str]:
    return {name for name in found for room in rooms if name == room or name.startswith(f"{room}.")}


def load_judge(judge: str) -> Any:
    module, _, name = judge.partition(".")
    return getattr(import_module(f"reckon.compute.audit.{module}"), name)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree")


def test_check_imports_what_a_plan_with_runs_needs(tree: Path) -> None:
    found = imported(tree, "check", "--no-cache")
    assert within(found, *LIBRARIES, *ROOMS) == set()
    assert "reckon.compute.audit.totals" in found
    assert len(within(found, "reckon")) <= 218


def test_status_and_help_import_no_more_than_they_say(tree: Path) -> None:
    found = imported(tree, "status", "--no-cache")
    assert within(found, "subprocess", "reckon.compute.versions.difference", "reckon.load.trees") == set()
    helped = imported(tree, "--help")
    rooms = ("reckon.compute", "reckon.load", "reckon.present.terminal")
    assert within(helped, *LIBRARIES, "yaml", "pydantic", *rooms) == set()
    assert len(within(helped, "reckon")) <= 24


def test_adding_a_run_imports_no_room_that_it_does_not_touch(tree: Path) -> None:
    found = imported(tree, "add", "run", *RUN)
    assert within(found, "subprocess", "reckon.compute.versions.difference", "reckon.load.trees") == set()


def test_a_claim_brings_its_room(tmp_path: Path) -> None:
    found = imported(plant(tmp_path, {**SMALL, **CLAIM}), "check", "--no-cache")
    assert {"reckon.compute.statements.claims", "reckon.compute.audit.statements"} <= found
    assert within(found, "reckon.compute.audit.settings") == set()


def test_rules_that_are_not_asked_would_find_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule is asked about each project by itself, whatever records there are: the audit finds the same."""
    ledger, problems = reader.load(ROOT)
    book, _ = calculate(ledger)
    assert not problems
    was = audit.audit(book)

    monkeypatch.setattr(audit, "RULE_FUNCTIONS", dict.fromkeys(RULE_FUNCTIONS, ()))
    assert audit.audit(book) == was


def test_no_rule_that_needs_other_records_finds_anything_in_a_plan_with_runs_alone(tree: Path) -> None:
    book, _ = calculate(reader.load(tree)[0])
    rules = [judge for judge, needs in RULE_FUNCTIONS.items() if needs]
    assert len(rules) >= 12
    for judge in rules:
        assert [*load_judge(judge)(book.ledger.projects["demo"], book)] == [], judge


def test_each_file_is_read_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted: dict[str, int] = {}
    real = files.read

    def read(root: Path, path: Path, *more: object) -> str | None:
        counted[path.relative_to(root).as_posix()] = counted.get(path.relative_to(root).as_posix(), 0) + 1
        return real(root, path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "read", read)
    assert main(["--root", str(tree), "check"]) == 0
    assert {name for name, many in counted.items() if name.startswith("ledger/") and many > 1} == set()
    assert "ledger/demo/plan.yaml" in counted
    counted.clear()
    assert main(["--root", str(tree), "add", "run", *RUN]) == 0
    assert {name for name, many in counted.items() if name.startswith("ledger/") and many > 1} == set()


def test_what_is_late_is_imported_when_it_is_called_or_asked() -> None:
    quote, join = late("shlex", "quote", "join")
    assert (quote("a b"), join(["a", "b c"])) == ("'a b'", "a 'b c'")
    assert late("json").dumps([1]) == "[1]"
    with pytest.raises(AttributeError):
        late("json").__wrapped__  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        late("there_is_no_such_module", "x")()
