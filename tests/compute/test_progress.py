"""How far work has come: the table of the guide by hand, a sweep of sixty, and what completed runs say."""

from __future__ import annotations

import os
import re
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "language.md"
HEAD = "| Entries | `runs` | `finishes` | Complete | EAC | P50 | Since |"


def rows() -> list[list[str]]:
    lines = GUIDE.read_text("utf-8").split(HEAD, 1)[1].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


def entries(text: str, item: str = "a") -> str:
    """`2 × a: failed 3, 1/2; completed 10` as lines of a ledger."""
    found = ""
    for part in text.split("; ") if text != "none" else []:
        times, name, status, hours, done, total = re.fullmatch(  # type: ignore[union-attr]
            r"(?:(\d+) × )?(?:(\w+): )?(\w+) ([\d.]+)(?:, (\d+)/(\d+))?", part
        ).groups()
        run = f", run: {name}" if name else ""
        progress = f", progress: {{done: {done}, total: {total}}}" if done else ""
        line = f"- {{item: {item}, gpu_hours: {hours}, status: {status}{run}{progress}}}\n"
        found += "".join(line.replace("- {", f"- {{job: j{len(found)}-{number}, ") for number in range(int(times or 1)))
    return found


def plan(more: str = "", hours: str = "100") -> str:
    return f"one: {{title: One, items: {{a: {{title: A, scope: one-time, gpu_hours: {hours}{more}}}}}}}\n"


def fields(runs: str, finishes: str) -> str:
    return "".join(f", {key}: {value}" for key, value in (("runs", runs), ("finishes", finishes)) if value != "–")


@pytest.mark.parametrize("row", rows(), ids=lambda row: " ".join(row[:3]))
def test_the_table_of_the_guide(row: list[str], ledger: Any) -> None:
    told, runs, finishes, complete, eac, half, _ = row
    tree = ledger(plan=plan(fields(runs, finishes)), **({"runs": entries(told)} if told != "none" else {}))
    book = tree.book()
    for name, wanted in (("complete_share", complete), ("eac", eac)):
        figure = book[f"p.performance.{name}"]
        assert figure.use == (None if wanted == "not known" else F(wanted.removesuffix("%")) / (100 if "%" in wanted else 1))
    middle = book["p.forecast.p50"].use
    if os.environ.get("UPDATE"):
        text = GUIDE.read_text("utf-8")
        new = [*row[:5], str(middle if middle.denominator == 1 else float(middle)), row[6]]
        GUIDE.write_text(text.replace(" | ".join(row), " | ".join(new)), "utf-8")
        return
    assert middle == F(half)
