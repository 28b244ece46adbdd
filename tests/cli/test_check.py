"""What `check` prints: at most sixty lines unless all is asked for, what matters first; and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reckon.cli import main
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
CLAIM = {"ledger/demo/claims.yaml": "- {of: budget.final, states: 990, at: there}\n"}
COPIED = {"ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "source: A paper\n"}
POLICY = "policies: {few: {require: actual.total <= 1 gpu_hours, message: Stop.}}\n"
LAST = "shortened. All of them: `check PROJECT`, or `check --all`"


def checked(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = main(["check", "--root", str(root), *words])
    return code, capsys.readouterr().out.splitlines()


def many(names: list[str], files: dict[str, str]) -> dict[str, str]:
    """The small ledger once for each name."""
    own = {path: text for path, text in {**SMALL, **files}.items() if path.startswith("ledger/demo/")}
    shared = {path: text for path, text in SMALL.items() if path not in own}
    return shared | {path.replace("/demo/", f"/{name}/"): text for name in names for path, text in own.items()}


def test_the_shipped_ledgers_are_told_in_sixty_lines_and_end_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = checked(ROOT, capsys)
    assert code == 0
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 100
    assert lines[-1].endswith(LAST)
    states = [line.partition(": ")[0] for line in lines[:-1] if not line.startswith(" ")]
    assert states == sorted(path.parent.name for path in ROOT.glob("ledger/*/project.yaml"))
    assert main(["check", "--root", str(ROOT), "--fail-on", "source"]) == 3


def test_a_project_that_is_named_is_told_whole(capsys: pytest.CaptureFixture[str]) -> None:
    code, everything = checked(ROOT, capsys, "--all")
    assert code == 0
    assert len(everything) > 300
    _, one = checked(ROOT, capsys, "phase2-collection")
    assert len(one) > 60
    assert one[0].startswith("phase2-collection: none of its own; in the source ")
    assert set(one) <= set(everything)


def test_what_a_document_of_others_states_fails_only_if_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same wrong total, in a project that says nothing of a source, and in one that names it."""
    own = plant(tmp_path / "own", {**SMALL, **CLAIM})
    assert checked(own, capsys)[0] == 3
    copied = plant(tmp_path / "copied", {**SMALL, **CLAIM, **COPIED})
    assert [checked(copied, capsys, "--fail-on", grade)[0] for grade in ("error", "warning", "never")] == [0, 0, 0]
    code, lines = checked(copied, capsys, "--fail-on", "source")
    assert code == 3
    assert lines[:3] == [
        "demo: none of its own; in the source 1 error",
        "",
        "error in the source: Final budget: 99 GPU-h, not 990 GPU-h",
    ]
    broken = {path: text + POLICY for path, text in COPIED.items()}
    assert checked(plant(tmp_path / "both", {**SMALL, **CLAIM, **broken}), capsys)[0] == 3, "its own error"


def test_all_formats_mark_what_is_in_the_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = plant(tmp_path, {**SMALL, **CLAIM, **COPIED})
    assert json.loads("\n".join(checked(root, capsys, "--format", "json")[1]))["findings"][0]["in_source"] is True
    assert "title=in the source%3A Final budget%3A" in checked(root, capsys, "--format", "github")[1][0]
    quality = json.loads("\n".join(checked(root, capsys, "--format", "gitlab")[1]))
    assert quality[0]["description"].startswith("in the source: Final budget: ")


def test_where_not_all_has_room_the_own_errors_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 25 projects with a wrong total each, the last breaches a policy of its own too."""
    names = [f"p{number:02}" for number in range(1, 26)]
    files = many(names, CLAIM)
    files["ledger/p25/project.yaml"] += POLICY
    code, lines = checked(plant(tmp_path, files), capsys)
    assert code == 3
    assert len(lines) <= 60
    shown = [line for line in lines if not line.startswith(" ")]
    assert shown[-3].startswith("p25: 1 error; in the source 1 error")
    assert shown[-2] == "… and 5 projects more"
    assert shown[-1] == f"12 of 26 findings, {LAST}"
    at = lines.index(shown[-3])
    assert lines[at + 1 : at + 3] == [
        "  error: A policy is breached: few",
        "      actual is 16.5 GPU-h and must be at most 1 GPU-h",
    ]


def test_of_many_problems_the_first_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = "".join(f"- {{date: 2026-02-01, item: trian, gpus: {number}}}\n" for number in range(1, 101))
    root = plant(tmp_path, {**SMALL, "ledger/demo/runs/2026-02.yaml": runs})
    code, lines = checked(root, capsys)
    assert (code, len(lines)) == (2, 32)
    _, everything = checked(root, capsys, "--all")
    assert lines[:30] == everything[:30]
    assert lines[30] == f"… and {len(everything) - 31} more: `check --all` lists them"
    assert lines[31] == everything[-1]
