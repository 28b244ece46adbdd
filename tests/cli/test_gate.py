"""What a merge gate prints: stale files by name before how they differ, and annotations that a forge does show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.cli import main
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]


def checked(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    capsys.readouterr()
    code = main(["render", "--check", "--root", str(root), *words])
    return code, capsys.readouterr().out.splitlines()


def test_stale_files_are_named_before_their_diffs_and_the_mending_is_the_last_line(
    rendered: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(rendered, capsys, "--diff") == (0, ["Everything is up to date."])
    plan = SMALL["ledger/demo/plan.yaml"]
    plant(rendered, {"ledger/demo/plan.yaml": plan.replace("gpu_hours: 40", "gpu_hours: 45")})
    code, names = checked(rendered, capsys)
    assert code == 1
    both, whole = checked(rendered, capsys, "--diff")
    assert both == 1
    assert whole[: len(names) - 1] == names[:-1]
    assert whole[-1] == names[-1]
    assert re.fullmatch(r"\d+ files are out of date\. Fix: run python budget\.py render", names[-1])
    assert whole[len(names) - 1] == ""
    assert "+++ docs/demo/index.md (rendered)" in whole
    assert any(line.startswith("-") and "80" in line for line in whole)


def test_what_a_gate_prints_is_bounded(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(rendered, {"docs/demo/index.md": "\n".join(f"line {n}" for n in range(10_000)) + "x" * 100_000})
    _, lines = checked(rendered, capsys, "--diff")
    assert len(lines) < 80
    assert re.search(r"^… and [0-9,]+ more lines$", "\n".join(lines), re.MULTILINE)
    assert max(map(len, lines)) <= 501
    plant(rendered, {f"docs/demo/old-{n:04}.md": "\n".join(map(str, range(50))) for n in range(1500)})
    code, lines = checked(rendered, capsys, "--diff")
    assert code == 1
    assert lines.index("… and 1,401 more files") == 100
    assert "The other files are not shown; render, and see git diff." in lines
    assert len(lines) < 650
    assert lines[-1].startswith("1,501 files are out of date.")


def annotations(tree: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    capsys.readouterr()
    code = main(["check", "--root", str(tree), "--format", "github"])
    return code, capsys.readouterr().out.splitlines()


def test_the_worst_ten_are_marked_at_their_lines_and_the_rest_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "".join(f"- {{item: nowhere-{n}, gpu_hours: 1}}\n" for n in range(14))
    plant(tmp_path, {**SMALL, "ledger/demo/runs/2026-03.yaml": bad})
    code, lines = annotations(tmp_path, capsys)
    assert code == 2
    assert len(lines) == 11
    assert all(line.startswith("::error file=ledger/demo/runs/2026-03.yaml,line=") for line in lines[:10])
    assert lines[10] == "::notice title=And 4 problems more::`check --all` lists all."


def test_findings_left_out_are_counted_by_how_grave_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = annotations(ROOT, capsys)
    assert code == 0
    assert len(lines) == 11
    assert all(line.startswith("::error ") for line in lines[:10])
    assert re.fullmatch(r"::notice title=And [\d,]+ errors?%2C [^:]*\bwarnings?\b[^:]* more::.*", lines[10])


def test_errors_are_marked_before_warnings_whatever_their_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first project has a warning; what the second states wrong goes before it."""
    mild = SMALL["ledger/demo/plan.yaml"].replace("hours_per_epoch: 1-2", "hours_per_epoch: 3-4")
    twin = {name.replace("/demo/", "/twin/"): text for name, text in SMALL.items() if "/demo/" in name}
    plant(tmp_path, {**SMALL, "ledger/demo/plan.yaml": mild, **twin})
    code, lines = annotations(tmp_path, capsys)
    assert (code, [line.split()[0] for line in lines]) == (0, ["::warning"])
    plant(tmp_path, {"ledger/twin/claims.yaml": "- {of: budget.final, states: 990, at: page 1}\n"})
    code, lines = annotations(tmp_path, capsys)
    assert (code, [line.split()[0] for line in lines]) == (3, ["::error", "::warning"])
    assert lines[0].startswith("::error file=ledger/twin/claims.yaml,line=1,")
