"""The made-up ledgers of benchmarks/ are valid, and both ways of writing the same entries come to the same totals."""

from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from reckon.compute.reckoning import reckon
from reckon.load.reader import load

ROOT = Path(__file__).parent.parent
RUNS = 200


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made-up")
    generate = script("generate")
    runs = generate.entries(RUNS)
    generate.write_ledger(root, runs)
    generate.write_journal(root / "journal", runs)
    return root


def postings(folder: Path) -> dict[str, Fraction]:
    """GPU-hours by account, over the journals that all.journal includes."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    for include in (folder / "all.journal").read_text("utf-8").splitlines()[1:]:
        for line in (folder / include.removeprefix("include ")).read_text("utf-8").splitlines():
            if line.endswith(" GPUH"):
                account, amount, _ = line.split()
                found[account] += Fraction(amount)
    return found


def test_the_ledger_has_no_problems_and_every_run(tree: Path) -> None:
    ledger, problems = load(tree)
    book, more = reckon(ledger)
    assert problems == more == []
    assert book.figures["made-up.actual.total"].origin.count == RUNS


def test_the_journal_comes_to_the_same_totals(tree: Path) -> None:
    book, _ = reckon(load(tree)[0])
    accounts = postings(tree / "journal")
    assert book["made-up.actual.total"].use == sum(accounts.values())
    for account, hours in accounts.items():
        _, _, item, *seed = account.split(":")
        below = f".seeds.{seed[0].removeprefix('seed-')}" if seed else ""
        assert book[f"made-up.plan.{item}{below}.actual"].use == hours


def test_the_same_seed_gives_the_same_runs() -> None:
    generate = script("generate")
    assert generate.entries(RUNS, 7) == generate.entries(RUNS, 7) != generate.entries(RUNS, 8)


def test_a_command_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    run = script("run")
    (tmp_path / "ledger").mkdir()
    (tmp_path / "docs").mkdir()
    taken = run.measure(run.Case("fails", (sys.executable, "-c", "raise SystemExit(2)"), cold=True), tmp_path)
    assert taken.code == 2
    assert taken.seconds > 0
    assert taken.peak_mib > 0
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]
    assert run.row(1, "fails", [taken])["failed"] == [2]
