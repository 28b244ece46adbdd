"""What a page of what if leaves to the program: a root, and all that follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import Browser, Page
from test_what_if_page import CELLS, ELSEWHERE, on_page, served
from tests.small import SMALL, plant

pytestmark = pytest.mark.full

ROOTS = {path: text for path, text in SMALL.items() if "/runs/" not in path} | {
    "ledger/demo/plan.yaml": """\
work:
  title: Work
  items:
    train: {title: Train, scope: per-seed, gpu_hours: 30}
    sweep:
      title: Sweep
      scope: one-time
      gpu_hours: {formula: 'base_gpu_hours * power(runs / 2, exponent)', runs: 8, base_gpu_hours: 10, exponent: 0.5}
    square:
      title: Square
      scope: one-time
      gpu_hours: {formula: 'base_gpu_hours * power(2, exponent)', base_gpu_hours: 4, exponent: 2}
""",
}
LEFT = "run the command below"


@pytest.fixture
def roots(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """A plan of two seeds of 30 GPU-hours, 10 times the root of 4, and 4 times the square of 2; a tenth on top."""
    with served(chromium, plant(tmp_path / "tree", ROOTS), "demo", tmp_path / "web") as page:
        yield page


def change(page: Page, address: str, text: str) -> dict[str, str]:
    """What stands in the cells once a value is typed."""
    on_page(page, f"(it.type(it.fields.get('demo.{address}').input, '{text}', false), null)")
    cells: dict[str, str] = on_page(page, CELLS)
    return cells


def test_a_plan_with_a_root_is_shown_and_what_does_not_move_it_is_calculated(roots: Page) -> None:
    """2 x 30 + 20 + 16 are 96, and 105.6 with a tenth; of three seeds 126 and 138.6."""
    planned = on_page(roots, CELLS)
    assert [planned[f"demo.budget.{name}"] for name in ("subtotal", "final")] == ["96 GPU-h", "106 GPU-h"]
    three = change(roots, "seeds", "3")
    assert [three[f"demo.budget.{name}"] for name in ("subtotal", "final")] == ["126 GPU-h", "139 GPU-h"]


def test_what_follows_from_a_root_that_moves_is_left_to_the_command(roots: Page) -> None:
    """Six runs more and the root is that of 7; what seeds take does not follow from it."""
    cells = change(roots, "plan.sweep.gpu_hours.runs", "14")
    assert (cells["demo.budget.per-seed"], cells["demo.budget.final"]) == ("60 GPU-h", LEFT)
    assert on_page(roots, "it.told.textContent") == f"Final budget: {LEFT}."
    command = "budget status demo --set demo.plan.sweep.gpu_hours.runs=14"
    assert on_page(roots, "[it.commandLine.hidden, it.command.textContent.trim()]") == [False, command]
    assert ELSEWHERE not in on_page(roots, "it.place.textContent")


def test_an_exponent_typed_as_a_half_is_left_to_the_command_which_is_shown(roots: Page) -> None:
    assert change(roots, "plan.square.gpu_hours.exponent", "3")["demo.budget.subtotal"] == "112 GPU-h"  # 32 for 16
    assert change(roots, "plan.square.gpu_hours.exponent", "0.5")["demo.budget.final"] == LEFT
    assert on_page(roots, "it.commandLine.hidden") is False
