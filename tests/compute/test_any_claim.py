"""Whatever figure a document states, and however wrong: it is compared, and its causes are looked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.full


def _drop_refused(root: Path) -> None:
    """Takes out the claims that are of another unit than their figure, or that no line can state."""
    ledger, problems = load(root)
    refused = {(problem.place.file, problem.place.line) for problem in [*problems, *calculate(ledger)[1]]}
    for file in {file for file, _ in refused}:
        lines = (root / file).read_text("utf-8").splitlines(keepends=True)
        kept = [line for number, line in enumerate(lines, 1) if (file, number) not in refused]
        (root / file).write_text("".join(kept), "utf-8")


@pytest.mark.parametrize("name", ["arpo", "birdsong"])
def test_every_figure_can_be_stated_wrongly(name: str, tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    for part in ("catalog", "allocations.yaml", name):
        copy = shutil.copytree if (ROOT / "ledger" / part).is_dir() else shutil.copy
        copy(ROOT / "ledger" / part, tmp_path / "ledger" / part)
    book = calculate(load(tmp_path)[0])[0]
    lines = []
    for number, address in enumerate(book.figures):
        owner, _, own = address.partition(".")
        if owner == name and ("." not in own or number % 3 == 0):  # of all it takes minutes
            lines += [f"- {{of: {own}, states: {states}, at: Table}}\n" for states in ("12345", "37%")]
    (tmp_path / "ledger" / name / "claims.yaml").write_text("".join(lines), "utf-8")
    _drop_refused(tmp_path)
    ledger, problems = load(tmp_path)
    book, more = calculate(ledger)
    assert problems + more == []
    assert len(book.checks[name]) > len(lines) / 4
