"""The notebook of the example is executed in a kernel of its own, and says what the ledger says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[1]
NAME = "examples/budget.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run in a copy of the tree; the tree is as before."""
    tree = tmp_path_factory.mktemp("notebook")
    shutil.copytree(ROOT / "ledger", tree / "ledger")
    shutil.copytree(ROOT / "examples", tree / "examples")
    before = {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}
    notebook = nbformat.read(tree / NAME, as_version=4)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(ROOT))
        patched.setenv("PYTHONDONTWRITEBYTECODE", "1")
        patched.setenv("JUPYTER_PLATFORM_DIRS", "1")
        for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
            patched.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tree / "examples")}}).execute()
    assert {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()} == before
    return notebook


def results(notebook: Any) -> list[dict[str, str]]:
    """What the last line of each cell of code shows, by type."""
    return [dict(out["data"]) for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]


def test_each_cell_shows_what_the_ledger_says(executed: Any) -> None:
    opened, plan, wasted, agrees, months, more, why = results(executed)
    assert "<td>Birdsong (made-up example)</td>" in opened["text/html"]
    assert "<td>1,380 GPU-h</td>" in opened["text/html"]
    assert "660.0" in plan["text/plain"], "3 seeds x 220 GPU-hours of pretraining"
    assert wasted["text/plain"].splitlines()[1].split() == ["preempted", "50.80"]
    assert agrees["text/plain"] == "True"
    assert [line.split()[0] for line in months["text/plain"].splitlines()[1:5]] == [
        "2025-03",
        "2025-04",
        "2025-05",
        "2025-06",
    ]
    assert more["text/plain"] == "np.float64(345.0)", "a seed is 220 + 60 + 20 GPU-hours, and 15% for the unforeseen"
    assert why["text/plain"].startswith("with birdsong.seeds = 4 (ledger: 3)\nbirdsong.budget.per-seed = 1,200 GPU-h")


def test_the_notebook_is_kept_without_outputs() -> None:
    notebook = nbformat.read(ROOT / NAME, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count is None and not cell.outputs for cell in cells)
    assert str(ROOT) not in (ROOT / NAME).read_text("utf-8")
