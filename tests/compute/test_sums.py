"""Sums over runs: what a sum's selection lists is what was summed, and a new summed field is two lines."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from reckon.compute.book import Book
from reckon.model.figure import HOURS, OWN_HOURS, SUMMED, USEFUL, Selection, Tallied, Traits
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Run
from reckon.model.values import Exactly
from reckon.present.terminal.derivation import runs_of
from tests.small import SMALL, plant
from tests.trying import examples

ROOT = Path(__file__).resolve().parents[2]
GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 2}}\nthird: {title: Third}\n"
PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 45}
    svd: {title: SVD, scope: one-time, gpu_hours: 5, gpu: other}
two:
  title: Two
  extension: true
  items:
    rft: {title: RFT, scope: per-seed, gpu_hours: 250}
"""
MADE = st.fixed_dictionaries(
    {"item": st.sampled_from(["sft", "svd", "rft", "debug"]), "gpu_hours": st.integers(0, 40)},
    optional={
        "seed": st.sampled_from(["1", "2", "x"]),
        "gpu": st.sampled_from(["card", "other", "third"]),
        "date": st.sampled_from(["2025-01-05", "2025-02", "2025"]),
        "status": st.sampled_from(["completed", "running", "failed", "out-of-memory", "held-idle"]),
        "energy_kwh": st.integers(0, 9),
        "cost_usd": st.integers(0, 9),
    },
)
Made = dict[str, Any]


def failed(run: Made) -> bool:
    return run.get("status", "completed") not in ("completed", "running")


# What some sums are to take in, said of the runs as a test makes them, beside what the engine says of its own.
TAKEN: dict[str, Callable[[Made], bool]] = {
    "actual.total": lambda run: True,
    "actual.unplanned.waste": lambda run: run["item"] == "debug" and failed(run),
    "actual.by_status.failed": lambda run: run.get("status") == "failed",
    "actual.unplanned": lambda run: run["item"] == "debug",
    "actual.energy": lambda run: "energy_kwh" in run,
    "actual.cost": lambda run: "cost_usd" in run,
    "actual.unpriced": lambda run: "cost_usd" not in run,
    "actual.by_gpu.other": lambda run: run.get("gpu", "other" if run["item"] == "svd" else "card") == "other",
    "plan.sft.actual": lambda run: run["item"] == "sft",
    "plan.sft.seeds.x.actual": lambda run: run["item"] == "sft" and run.get("seed") == "x",
    "plan.sft.no_seed.actual": lambda run: run["item"] == "sft" and "seed" not in run,
    "plan.rft.seeds.1.actual": lambda run: run["item"] == "rft" and run.get("seed") == "1",
}


def line(run: Made) -> str:
    fields = {**run, **({"unplanned": "true"} if run["item"] == "debug" else {})}
    return "- {" + ", ".join(f"{name}: {value}" for name, value in fields.items()) + "}\n"


def summed(project: ProjectLedger, run: Run, field: str) -> F | None:
    """What a run adds to a sum: its field, or its hours, as hours of the project's GPU or of its own."""
    if field not in (HOURS, OWN_HOURS):
        return F(getattr(run, field))
    item = project.items.get(str(run.item))
    gpu = str(run.gpu or (item and item.gpu) or project.project.gpu)
    factor = {"card": F(1), "other": F(2), "third": None}[gpu] if field == HOURS else F(1)
    return None if factor is None else run.charged_hours * factor


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(MADE, max_size=12), st.integers(0, 12))
def test_the_runs_of_a_selection_add_up_to_its_sum(ledger: Any, made: list[Made], cut: int) -> None:
    files = {"runs": "".join(map(line, made[:cut])), "ledger/p/runs/2026.yaml": "".join(map(line, made[cut:]))}
    book = ledger(project="seeds: [1, 2, x]\nceiling: 2000\n", plan=PLAN, gpus=GPUS, **files).book()
    project = book.ledger.projects["p"]
    sums = [figure for figure in book.figures.values() if isinstance(figure.origin, Tallied)]
    assert len(sums) > 10
    for figure in sums:
        runs, origin = runs_of(book, figure), figure.origin
        amounts = [summed(project, run, origin.selection.field) for run in runs]
        assert (None in amounts) == bool(figure.missing), figure.address
        assert figure.missing or figure.use == sum(amounts, F(0)), figure.address
        assert len(runs) == origin.count == sum(count for _, count, _ in origin.files), figure.address
        assert figure.missing or figure.use == sum((amount for *_, amount in origin.files), F(0)), figure.address
    lost = book["p.actual.waste"]
    hours = [
        summed(project, run, HOURS)
        for run in (run for _, run, _ in project.each_run())
        if str(run.status) not in USEFUL
    ]
    assert (None in hours) == bool(lost.missing)
    assert lost.missing or lost.use == sum(hours, F(0)), "without progress all that failed is lost"
    for address, taken in TAKEN.items():
        if found := book.get(f"p.{address}"):
            assert found.origin.count == sum(map(taken, made)), address
        else:
            assert address == "actual.unpriced" or not any(map(taken, made)), address


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection("p"), "all runs"),
        (Selection("p", item=""), "unplanned runs"),
        (Selection("p", item="sft", seed="1", failed=True), "runs of sft, seed 1 that failed"),
        (Selection("p", item="sft", seed="", failed=False), "runs of sft without a seed that completed or still run"),
        (Selection("p", status="failed"), "runs with status failed"),
        (Selection("p", OWN_HOURS, gpu="card"), "runs on card"),
        (Selection("p", "energy_kwh"), "runs that state energy"),
        (Selection("p", lacks=("cost_usd",)), "runs that state no cost"),
    ],
)
def test_a_selection_says_in_words_what_it_takes_in(selection: Selection, words: str) -> None:
    assert selection.words == words


def test_all_that_a_selection_asks_for_has_to_be_so() -> None:
    run = Traits("sft", "1", "failed", "card", ("energy_kwh",))
    asked = Selection("p", "energy_kwh", "sft", "1", "failed", True, "card", ("cost_usd",))
    assert asked.means(run)
    others = {"item": "svd", "seed": "", "status": "timeout", "gpu": "other", "stated": ("energy_kwh", "cost_usd")}
    assert not any(asked.means(run._replace(**{name: value})) for name, value in others.items())
    assert not asked.means(run._replace(stated=()))
    assert not structs.replace(asked, failed=False).means(run)


def test_every_amount_of_a_run_is_summed_or_makes_its_hours() -> None:
    amounts = {name for name, field in Run.model_fields.items() if Exactly in get_args(field.annotation)}
    assert amounts - {"gpus", "wall_hours", "gpu_hours", "peak_gib", "watts", "charged"} == {
        field.name for field in SUMMED
    }


RECORD = ("reckon/model/records/run.py", "    energy_kwh: Exactly", "    carbon_kg: Exactly | None = None\n")
TABLE = (
    "reckon/model/figure.py",
    '    SummedField("cost_usd"',
    '    SummedField("carbon_kg", "carbon", "Carbon", "Carbon that runs state", "as estimated"),\n',
)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the program and its tests of sums need."""
    root = tmp_path_factory.mktemp("copied")
    for name in ("reckon", "templates", "docs/guide", "docs/assets", "tests/compute", "ledger/.schema"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    beside = (f"tests/{name}.py" for name in ("conftest", "example_tree", "remembering", "small", "trying"))
    for name in ("budget.py", "mkdocs.yml", "pyproject.toml", *beside):
        shutil.copy(ROOT / name, root / name)
    return root


def with_lines(copied: Path, to: Path, *lines: tuple[str, str, str]) -> Path:
    """The copy with lines put in, each before one that begins in some way."""
    root = shutil.copytree(copied, to)
    for name, before, new in lines:
        text = (root / name).read_text("utf-8")
        assert text.count(before) == 1
        (root / name).write_text(text.replace(before, new + before), "utf-8")
    return root


def run(root: Path, *words: str, code: int = 0) -> str:
    done = subprocess.run([sys.executable, *words], cwd=root, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_a_new_summed_field_is_a_line_of_the_record_and_a_line_of_the_table(copied: Path, tmp_path: Path) -> None:
    root = with_lines(copied, tmp_path / "new", RECORD, TABLE)
    runs = "- {item: train, gpu_hours: 0.5}\n" * 70
    runs += "- {item: train, gpu_hours: 1, carbon_kg: 1.5}\n- {item: test, gpu_hours: 1, carbon_kg: 2.5 kg}\n"
    plant(root, {**SMALL, "ledger/demo/runs/2026-03.yaml": runs})
    told = run(root, "budget.py", "explain", "demo.actual.carbon", "--runs").splitlines()
    assert told[:2] == ["demo.actual.carbon = 4 kg   Carbon", "  runs that state carbon: 2 in 1 file"]
    assert [words.rpartition("  ")[2] for words in told[-3:]] == ["1.5 kg", "2.5 kg", "2 runs, page 1 of 1"]
    rows = csv.DictReader(io.StringIO(run(root, "budget.py", "export", "--format", "csv")))
    assert [(row["use"], row["unit"]) for row in rows if row["address"] == "demo.actual.carbon"] == [("4", "kg")]
    assert "--carbon-kg N" in run(root, "budget.py", "add", "run", "--help")
    run(root, "budget.py", "render")
    page = (root / "docs/demo/attempts.md").read_text("utf-8")
    assert "| Carbon that runs state | [4 kg][actual.carbon], stated by 2 of 76 runs |" in page


@pytest.mark.full
@pytest.mark.parametrize("left_out", [RECORD, TABLE], ids=["record", "table"])
def test_either_line_left_out_is_named(copied: Path, tmp_path: Path, left_out: tuple[str, str, str]) -> None:
    root = with_lines(copied, tmp_path / "new", *(line for line in (RECORD, TABLE) if line != left_out))
    name = "tests/compute/test_sums.py::test_every_amount_of_a_run_is_summed_or_makes_its_hours"
    assert "carbon_kg" in run(root, "-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", name, code=1)


def test_schemas_that_were_not_made_again_are_named(copied: Path, tmp_path: Path) -> None:
    root = plant(with_lines(copied, tmp_path / "new", RECORD, TABLE))
    assert "ledger/.schema/runs.schema.json" in run(root, "budget.py", "schema", "--check", code=1)


def test_no_figure_is_asked_for_its_address(ledger: Any) -> None:
    """The runs behind a sum are those of its selection, wherever the sum stands."""
    book: Book = ledger(
        project="seeds: 2\n", plan=PLAN, runs="- {item: sft, gpu_hours: 4}\n- {item: rft, gpu_hours: 5}\n"
    ).book()
    moved = replace(book["p.plan.rft.actual"], address="p.somewhere.else")
    assert [str(run.item) for run in runs_of(book, moved)] == ["rft"]
