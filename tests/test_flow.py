"""The main job as a user does it: change a number, render, and see every figure that hangs on it move."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from reckon.cli import main
from tests.released import tree as released

ROOT = Path(__file__).resolve().parents[1]


class Done(NamedTuple):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


def budget(root: Path, *words: str) -> Done:
    """A command in this process, which has the libraries that draw already."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--root", str(root), *words])
    return Done(code, out.getvalue(), err.getvalue())


def alone(root: Path, *words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, as it is used."""
    command = [sys.executable, str(ROOT / "budget.py"), "--root", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the ledgers and of the pages that belong to them."""
    root = tmp_path / "tree"
    shutil.copytree(ROOT / "ledger", root / "ledger")
    shutil.copytree(ROOT / "docs", root / "docs")
    return root


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pixelis as it was first released, with its pages; figures of a release may be held by hand."""
    root = released(tmp_path_factory.mktemp("first") / "tree")
    assert budget(root, "render").returncode == 0
    return root


@pytest.fixture
def first(drawn: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    return Path(shutil.copytree(drawn, tmp_path / "first"))


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / "ledger" / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    path.write_text(text.replace(old, new), "utf-8")


def page(root: Path, name: str = "pixelis/index.md") -> str:
    """A page without its links, as a reader sees it."""
    return re.sub(r"\](?:\([^)]*\)|\[[^]]*\])", "", (root / "docs" / name).read_text("utf-8")).replace("[", "")


@pytest.mark.full
def test_the_committed_pages_are_those_of_the_ledgers(tree: Path) -> None:
    done = alone(tree, "render", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def rows(text: str) -> dict[str, str]:
    """What is planned in each row of the table of a budget, by the title of the row."""
    table = text.partition("| Work, GPU-h |")[2].partition("\n\n")[0]
    cells = (re.split(r" *\| *", line.strip("|\n")) for line in table.splitlines() if line.count("|") > 4)
    return {row[0].strip(" *"): row[3] for row in cells if len(row) > 3}


ITEMS = {
    "Supervised fine-tuning": "135",
    "SVD analysis for the LoRA ranks": "5",
    "Reinforcement fine-tuning": "750",
    "Domain adaptation test": "90",
    "Continual learning test": "180",
    "Benchmark evaluation": "120",
    "Ablation studies": "30",
    "Performance profiling": "25",
}


def test_the_document_adds_up(drawn: Path) -> None:
    # 135 + 5 + 750 + 90 + 180 + 120 + 30 + 25 = 1,335; 15% are 200.25, booked as 200; 800 of extensions.
    sums = {"Planned work": "1,335", "Contingency 15%": "200", "Budget": "1,535", "With extensions": "2,335"}
    assert (ITEMS | sums).items() <= rows(page(drawn)).items()
    assert "Contingency: 1,335 GPU-h × 15% = 200 GPU-h (200.25 exactly)" in page(drawn, "pixelis/lines.md")
    assert "3 epochs × 8–10 h/epoch × 8 GPUs × (1 + 10%) = 211–264 GPU-h" in page(drawn, "pixelis/lines.md")
    # 0.423 s x 10,000 are 1.175 h, x 30,000 3.525 h; on eight GPUs at 85% 0.518 h; x 5,000 x 5-8 2.9-4.7, 0.43-0.69 h.
    for time in ("1.2 h", "3.5 h", "0.52 h", "2.9–4.7 h", "0.43–0.69 h"):
        assert f"| {time} |" in page(drawn, "pixelis/lines.md")


def test_the_released_document_adds_up() -> None:
    text = page(ROOT, "pixelis/releases/1.0.0/index.md")
    assert "5 + 135 + 750 + 90 + 180 + 120 + 30 + 25 = **1,335 GPU-hours**" in text
    assert "Contingency: 1,335 GPU-h × 15% = 200 GPU-h (200.25 exactly)" in text
    assert "Final budget: 1,335 GPU-h + 200 GPU-h = 1,535 GPU-h" in text
    assert "Extensions: 450 + 100 + 50 + 200 = 800 GPU-h" in text
    assert "Extended budget: 1,535 GPU-h + 800 GPU-h = 2,335 GPU-h" in text
    assert "3 epochs × 8–10 h/epoch × 8 GPUs × (1 + 10%) = 211–264 GPU-h" in text


def test_explain_reaches_the_ledger_line_of_each_item() -> None:
    done = alone(ROOT, "explain", "pixelis.budget.final")
    plan = (ROOT / "ledger/pixelis/plan.yaml").read_text("utf-8").splitlines()
    base = plan[: next(number for number, line in enumerate(plan) if line.startswith("extended:"))]
    wanted = [number for number, line in enumerate(base, 1) if line.startswith("      gpu_hours:")]
    assert len(wanted) == 8
    assert [number for number in wanted if f"ledger/pixelis/plan.yaml:{number}\n" not in done.stdout + "\n"] == []


CHANGES = [
    # file, what stands there, what it becomes, and what the budget page, findings and portfolio then say
    (
        "pixelis/project.yaml",
        "seeds: 3",
        "seeds: 5",
        {
            "Supervised fine-tuning": "225",
            "Benchmark evaluation": "200",
            "Planned work": "2,185",
            "Contingency 15%": "328",
        },
        "2,513",
    ),
    ("pixelis/project.yaml", "contingency: 15%", "contingency: 20%", {"Contingency 20%": "267"}, "1,602"),
    ("pixelis/plan.yaml", "gpu_hours: 250", "gpu_hours: 1680", {"Reinforcement fine-tuning": "5,040"}, "6,469"),
]


@pytest.mark.parametrize(("file", "old", "new", "planned", "final"), CHANGES, ids=lambda one: str(one)[:24])
def test_a_change_moves_all_that_hangs_on_it(
    first: Path, file: str, old: str, new: str, planned: dict[str, str], final: str
) -> None:
    edit(first, file, old, new)
    before = {path: path.read_bytes() for path in (first / "docs").rglob("*") if path.is_file()}
    stale = budget(first, "render", "--check")
    assert stale.returncode == 1
    assert "budget.py render" in stale.stdout + stale.stderr
    assert {path: path.read_bytes() for path in before} == before
    assert budget(first, "render").returncode == 0
    assert (planned | {"Budget": final}).items() <= rows(page(first)).items()
    for name in ("index.md", "pixelis/index.md", "pixelis/derivations.md"):
        assert final in page(first, name), name
    svg = (first / "docs/pixelis/budget-waterfall.svg").read_text("utf-8")
    assert f">{final}<" in svg
    assert budget(first, "render", "--check").returncode == 0


def test_a_run_shows_in_its_phase_and_seed(first: Path) -> None:
    runs = first / "ledger/pixelis/runs"
    runs.mkdir()
    entry = "- {date: 2025-09-03, item: sft, seed: 2, gpus: 8, wall_hours: 5.6, status: failed}\n"
    (runs / "2025-09.yaml").write_text(entry, "utf-8")
    assert budget(first, "render").returncode == 0
    text = page(first)
    assert "| **Phase 1: offline training** | | | 890 | 4,957–6,556 | 44.8 | 845 |" in text
    assert "| Supervised fine-tuning | 45 | 3 seeds | 135 | 634–792 | 44.8 | 90.2 |" in text
    standing = page(first, "pixelis/status.md")
    assert "| ↳ seed 1 | 45 | 0 | 45 |" in standing
    assert "| ↳ seed 2 | 45 | 44.8 | 0.2 |" in standing
    assert "| other failure | 44.8 |" in page(first, "pixelis/attempts.md")
    assert "| Data through | 2025-09-03 |" in page(first, "pixelis/lines.md")
    assert 'Data to <time datetime="2025-09-03">2025-09-03</time>' in standing
    for one in (text, standing):
        assert "No runs are recorded" not in one


@pytest.mark.full
def test_the_same_bytes_on_any_machine(tree: Path, tmp_path: Path) -> None:
    """Everything is drawn anew, in another place, under another clock, language, hash order and set of fonts."""
    fonts = tmp_path / "fonts.conf"
    fonts.write_text('<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig></fontconfig>', "utf-8")
    committed = {path.relative_to(ROOT): path.read_bytes() for path in (ROOT / "docs").rglob("*") if path.is_file()}
    released = {path for path in committed if re.match(r"docs/[^/]+/releases/\d", path.as_posix())}
    assert released
    for path in sorted((tree / "docs").iterdir()):
        if path.name not in ("guide", "assets"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    strange = {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "4711",
        "FONTCONFIG_FILE": str(fonts),
        "HOME": str(tmp_path),
    }
    done = alone(tree, "render", env=strange)
    assert done.returncode == 0, done.stderr
    drawn = {path.relative_to(tree): path.read_bytes() for path in (tree / "docs").rglob("*") if path.is_file()}
    assert sorted(drawn) == sorted({*committed} - released)  # which nothing makes again
    assert [str(path) for path in drawn if drawn[path] != committed[path]] == []


@pytest.mark.full
def test_unchanged_work_is_not_done_again(tree: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in (tree / "docs").rglob("*") if path.is_file()}
    code = (
        "import sys; from reckon.cli import main; code = main(sys.argv[1:]);"
        "heavy = {'altair', 'vl_convert', 'pandas', 'numpy', 'mkdocs'} & set(sys.modules);"
        "print('loaded', sorted(heavy)); sys.exit(code)"
    )
    command = [sys.executable, "-c", code, "--root", str(tree), "render"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "loaded []" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_a_template_that_leads_out_of_the_root_is_refused(tree: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("not for the site", "utf-8")
    (tree / "templates").mkdir()
    (tree / "templates/history.md.j2").symlink_to(secret)
    done = budget(tree, "render")
    assert done.returncode == 2
    assert "templates/history.md.j2 leads out of the root" in done.stderr
    assert "not for the site" not in (tree / "docs/pixelis/history.md").read_text("utf-8")
