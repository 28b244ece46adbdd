"""Closed periods beside changes of an allocation: a later top-up touches nothing, a refund counts on its day."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reckon.cli import main
from tests.charges.shorthand import merged
from tests.charges.trees import write_tree

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "period", "day", "left"),
    [("p38-grant-raised", "2025-Q1", "2025-05-01", "100.00"), ("09-changes", "2026-Q1", "2026-06-01", "110.00")],
)
def test_what_was_left_then_stays(name: str, period: str, day: str, left: str, tmp_path: Path) -> None:
    write_tree(tmp_path, merged(CASES, name), number=2)
    root = ["--root", str(tmp_path)]
    assert main(["close", period, "--allocation", "g", "-m", "the quarter", "--date", day, *root]) == 0
    assert main(["render", *root]) == 0
    statement = (tmp_path / "docs" / "allocations" / "g.md").read_text("utf-8")
    (row,) = (line for line in statement.splitlines() if line.startswith(f"| {period} |"))
    assert row.endswith(f"| {left} |")
    assert main(["check", "--fail-on", "never", *root]) == 0
