"""The recipes of CONTRIBUTING: what is added in as many files as it says, in a copy of the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.small import plant

ROOT = Path(__file__).resolve().parents[1]


class Copy:
    """A copy of the program, and a small ledger; it notes which files of the program are changed."""

    def __init__(self, folder: Path) -> None:
        self.program, self.tree = folder / "program", folder / "tree"
        self.touched: set[str] = set()
        for name in ("reckon", "templates"):
            shutil.copytree(ROOT / name, self.program / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("budget.py", "mkdocs.yml"):
            shutil.copy(ROOT / name, self.program)
        plant(self.tree)

    def write(self, name: str, text: str) -> None:
        """Adds a file to the program."""
        self.touched.add(name)
        (self.program / name).write_text(text, "utf-8")

    def insert(self, name: str, after: str, text: str) -> None:
        """Adds text to a file of the program, behind what stands there exactly once."""
        path = self.program / name
        before = path.read_text("utf-8")
        assert before.count(after) == 1, (name, after)
        self.write(name, before.replace(after, after + text))

    def run(self, *words: str) -> str:
        """Runs a command of the copy in the ledger; what it printed."""
        command = [sys.executable, str(self.program / "budget.py"), "--root", str(self.tree), *words]
        own = {**os.environ, "PYTHONPATH": str(self.program), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 3), done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def test_a_page_is_a_template_and_a_line(copy: Copy) -> None:
    copy.insert("reckon/model/pages.py", "PAGES = (\n", '    TemplatePage("seeds", "Seeds", "seeds.md.j2", 8),\n')
    copy.write("templates/seeds.md.j2", "# Seeds of {{ view.project.title }}\n\n{{ view.fig('seeds') }}\n")
    copy.run("render")
    assert "# Seeds of Demo" in (copy.tree / "docs/demo/seeds.md").read_text("utf-8")
    assert len(copy.touched) <= 2


RULE = '''\
"""Items that nobody planned a single hour for."""

from __future__ import annotations

from collections.abc import Iterator

from reckon.model.finding import Finding, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book


def item_without_notes(project: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Items without notes."""
    for name, item in project.items.items():
        subject = f"{project.id}.plan.{name}"
        text = say("nothing is noted on it"), say("Nobody can say why."), say("Write `notes`.")
        yield make_finding("item-without-notes", subject, say("An item has no notes"), *text, (item.place,))
'''


def test_a_rule_is_a_function_and_a_line(copy: Copy) -> None:
    copy.write("reckon/compute/audit/notes_missing.py", RULE)
    listed = '    "item-without-notes": Rule("notes_missing.item_without_notes", "note"),\n'
    copy.insert("reckon/model/rules.py", "RULES: Mapping[str, Rule] = {\n", listed)
    assert "An item has no notes" in copy.run("check", "--format", "json")
    assert len(copy.touched) <= 2


def test_how_grave_a_finding_is_stands_in_one_place(copy: Copy) -> None:
    plan = copy.tree / "ledger/demo/plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("gpu_hours: 40", "gpu_hours: 90"), "utf-8")
    assert "warning: Training: the plan is far above its estimate" in copy.run("check", "--no-cache")
    path = copy.program / "reckon/model/rules.py"
    line = '"plan-unlike-its-estimate": Rule("totals.plan_unlike_its_estimate", "error", milder="warning"'
    before = path.read_text("utf-8")
    assert before.count(line) == 1
    copy.write("reckon/model/rules.py", before.replace(line, line.replace('"warning"', '"error"')))
    assert "error: Training: the plan is far above its estimate" in copy.run("check", "--no-cache")
    assert len(copy.touched) == 1


def test_a_summed_field_is_a_line_of_the_record_and_one_of_the_sums(copy: Copy) -> None:
    energy = '    energy_kwh: Exactly | None = Field(None, description="measured energy")\n'
    heat = energy.replace("energy_kwh", "heat_kwh").replace("measured energy", "heat that was used again")
    copy.insert("reckon/model/records/run.py", energy, heat)
    summed = '    SummedField("heat_kwh", "heat", "Heat", "Heat", "was used again"),\n'
    copy.insert("reckon/model/figure.py", "SUMMED = (\n", summed)
    run = ("--item", "test", "--gpu-hours", "1", "--date", "2026-02-03")
    copy.run("add", "run", "demo", *run, "--heat-kwh", "3")
    assert "3 kWh" in copy.run("explain", "demo.actual.heat")
    copy.run("render")
    assert "| Heat | " in (copy.tree / "docs/demo/attempts.md").read_text("utf-8")
    assert len(copy.touched) <= 3


PRESET = """\
title: the list of jobs of Chalk
seen_in: [https://example.org/chalk, https://example.com/chalk]
detect: [chalk id, chalk minutes]
timezone: UTC
columns:
  chalk id: job
  chalk minutes: {is: wall_hours, unit: min}
  chalk devices: gpus
  chalk words: state
statuses: {ENDED: completed}
"""


def test_a_format_of_a_table_is_a_preset(copy: Copy) -> None:
    """The sample of the recipe is the table here."""
    copy.write("reckon/load/importers/presets/chalk.yaml", PRESET)
    table = copy.tree / "chalk.csv"
    table.write_text("chalk id,chalk minutes,chalk devices,chalk words\na1,90,2,ENDED\n", "utf-8")
    draft = copy.run("import", "--suggest", str(table))
    assert "  format: chalk\n" in draft
    (copy.tree / "ledger/demo/imports.yaml").write_text(draft, "utf-8")
    assert "3 GPU-h as read: 3 new" in copy.run("import", str(table))
    assert len(copy.touched) == 1
