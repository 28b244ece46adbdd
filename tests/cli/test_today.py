"""`check --today`: runs that have not come yet on a day that is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.cli import main
from tests.small import plant


def checked(root: Path, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["check", "--root", str(root), *words])
    return code, capsys.readouterr().out


def test_only_a_day_that_is_told_tells_what_has_not_come(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last run of the small ledger is of 2 February, the one before of the 1st."""
    plant(tmp_path)
    assert "run-in-the-future" not in checked(tmp_path, capsys)[1]
    assert "run-in-the-future" not in checked(tmp_path, capsys, "--today", "2026-02-02")[1]
    code, told = checked(tmp_path, capsys, "--today", "2026-02-01", "--fail-on", "warning")
    assert code == 3
    assert told.count("run-in-the-future") == 1
    assert "its last day is 2026-02-02, today is 2026-02-01" in told


def test_what_is_not_a_day_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("2026-02-30", "tomorrow", "2026-02"):
        with pytest.raises(SystemExit) as stopped:
            main(["check", "--root", str(tmp_path), "--today", text])
        assert stopped.value.code == 2
        assert f"'{text}' is not a date; write one such as 2025-09-10" in capsys.readouterr().err
