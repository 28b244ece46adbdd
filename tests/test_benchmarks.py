"""The made-up ledgers of benchmarks/ are valid, and both ways of writing the same entries come to the same totals."""

from __future__ import annotations

import importlib.util
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load

ROOT = Path(__file__).parent.parent
RUNS = 200


def script(name: str) -> ModuleType:
    if str(ROOT / "benchmarks") not in sys.path:
        sys.path.append(str(ROOT / "benchmarks"))  # the scripts use one another
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
    lines = (folder / "all.journal").read_text("utf-8").splitlines()
    for name in (line.removeprefix("include ") for line in lines if line.startswith("include ")):
        for line in (folder / name).read_text("utf-8").splitlines():
            if line.endswith(" GPUH"):
                account, amount, _ = line.split()
                found[account] += Fraction(amount)
    return found


def test_the_ledger_has_no_problems_and_every_run(tree: Path) -> None:
    ledger, problems = load(tree)
    book, more = calculate(ledger)
    assert problems == more == []
    assert book.figures["made-up.actual.total"].origin.count == RUNS


def test_the_journal_comes_to_the_same_totals(tree: Path) -> None:
    book, _ = calculate(load(tree)[0])
    accounts = postings(tree / "journal")
    assert book["made-up.actual.total"].use == sum(accounts.values())
    for account, hours in accounts.items():
        _, _, item, *seed = account.split(":")
        below = f".seeds.{seed[0].removeprefix('seed-')}" if seed else ""
        assert book[f"made-up.plan.{item}{below}.actual"].use == hours


def test_the_journal_has_the_plan_as_budgets_of_months_and_the_cost_of_each_run(tree: Path) -> None:
    generate = script("generate")
    book, _ = calculate(load(tree)[0])
    budgets = [
        line.split()
        for line in (tree / "journal" / "all.journal").read_text("utf-8").splitlines()
        if line.endswith(" GPUH")
    ]
    assert sum(int(hours) for _, hours, _ in budgets) * generate.MONTHS == book["made-up.budget.subtotal"].use
    months = [path.read_text("utf-8") for path in (tree / "journal").glob("20*.journal")]
    costs = [Fraction(line.split()[-1]) for text in months for line in text.splitlines() if "; cost:" in line]
    assert len(costs) == RUNS
    assert book["made-up.actual.cost"].use == sum(costs)


def test_the_same_seed_gives_the_same_runs() -> None:
    generate = script("generate")
    assert generate.entries(RUNS, 7) == generate.entries(RUNS, 7) != generate.entries(RUNS, 8)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tree with one file of runs and one page."""
    for path, text in (("ledger/made-up/runs/2024-12.yaml", "- {}\n"), ("docs/index.md", "# A page\n")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, "utf-8")
    return tmp_path


def python(code: str) -> tuple[str, ...]:
    return sys.executable, "-c", code


def test_a_command_is_measured_in_a_process_of_its_own(small: Path) -> None:
    run = script("run")
    taken = run.measure(run.Case("fails", python("raise SystemExit(2)"), "cold"), small)
    assert taken.code == 2
    assert taken.seconds > 0
    assert taken.cpu_seconds > 0
    assert [path.name for path in small.iterdir()] == ["ledger"]


def test_what_a_measured_command_adds_is_taken_away_again(small: Path) -> None:
    """A command that has a run more to read, and writes one of its own, leaves the ledger as it was."""
    run, runs = script("run"), small / "ledger" / "made-up" / "runs"
    begun = f"import pathlib; p = pathlib.Path({str(runs)!r})"
    kept = (
        f"{begun}; text = (p / '2024-12.yaml').read_text(); "
        "(p / 'new.yaml').write_text(text); (p.parents[2] / 'seen.yaml').write_text(text)"
    )
    taken = run.measure(run.Case("adds", python(kept), "added", undone=True), small)
    assert taken.code == 0
    assert (small / "seen.yaml").read_text("utf-8") == "- {}\n" + run.ADDED
    assert {path.name: path.read_text("utf-8") for path in runs.iterdir()} == {"2024-12.yaml": "- {}\n"}


def test_a_report_without_the_sum_is_not_timed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = script("run")
    monkeypatch.setitem(run.REPORTS, "echo", {"balance": ("balance",)})
    with pytest.raises(SystemExit, match="echo balance: exit code 0; its output lacks the sum"):
        run.checked(tree, ["echo"])


@pytest.mark.full
def test_a_tree_in_which_jobs_grow_has_what_its_dump_comes_to(tmp_path: Path) -> None:
    script("growth").GROWN["jobs"](tmp_path, 400)
    (project,) = load(tmp_path)[0].projects.values()
    found: dict[str, Fraction] = defaultdict(Fraction)
    for item, hours in zip(project.rows.column("item"), project.rows.charged.exact(), strict=True):
        found["" if item == "unassigned" else item] += (hours or 0) * 3600
    assert found == script("dumps").dump(tmp_path / "again.txt", 400).seconds


@pytest.mark.full
@pytest.mark.parametrize(
    ("part", "size"), [("projects", 2), ("figures", 3), ("policies", 2), ("releases", 1), ("runs", 50)]
)
def test_a_tree_in_which_one_part_grows_is_sound(part: str, size: int, tmp_path: Path) -> None:
    script("growth").GROWN[part](tmp_path, size)
    ledger, problems = load(tmp_path)
    _, more = calculate(ledger)
    assert problems == more == []
    projects = list(ledger.projects.values())
    first = projects[0]
    found = {
        "projects": len(projects),
        "figures": len(first.figures),
        "policies": len(first.project.policies),
        "releases": len(list((tmp_path / "ledger" / "made-up" / "releases").glob("*"))),
        "runs": len(first.rows),
    }
    assert found[part] == size
