"""Trees of ledgers that two versions of the program are asked about, and what each is asked (see `scripts/same.py`).

Reading commands print; writing ones (`add`, `update`, `tidy`, `import`, `close`, `release`, `propose`, `migrate`) are
run in order in a tree of their own, whose files are compared afterwards.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parents[1]
FORMATS = ("table", "json", "markdown")
GROWN = {"projects": 3, "figures": 40, "policies": 12, "releases": 3}

ADD = "add run --project birdsong --item pretrain --seed 3"
BIRDSONG_WRITES = f"""\
{ADD} --date 2025-06-20 --gpus 4 --wall-hours 10 --progress 20/20 --job 50000 --note 'a: "note"'
{ADD} --date 2025-06-21 --gpus 4 --wall-hours 36000
{ADD} --date 2025-06-21 --gpus 4 --wall-hours 36000 --anyway
{ADD} --date 2027-01-01 --gpus 4 --wall-hours 1
{ADD} --date 2025-06-22 --wall-hours 3 --status nonsense
{ADD} --start 2025-06-22T10:00 --end 2025-06-22T14:00 --gpus 4 --wall-hours 4 --status failed --dry-run
{ADD} --start 2025-06-22T10:00 --end 2025-06-22T14:00 --gpus 4 --wall-hours 4 --status failed
add run birdsong --item nothing --gpu-hours 3
add run birdsong --item detour --unplanned --gpu l40s --gpu-hours 3 --cost-usd 4.5
add runs runs.csv birdsong
add runs wrong.csv birdsong
update run birdsong --job 50000 --wall-hours 11 --remove note
update run birdsong --job 49360 --status timeout --dry-run
update run birdsong --job 1 --status failed
update run birdsong --at ledger/birdsong/runs/2025-05.yaml:5 --utilisation 40%
tidy --check
tidy
tidy
check --format json
close 2025-Q1 --date 2025-07-01 -m 'First quarter' --dry-run
close 2025-Q1 --date 2025-07-01 -m 'First quarter'
close 2025-Q1 --date 2025-07-01 -m 'First quarter'
add run birdsong --item labels --date 2025-03-20 --gpus 4 --wall-hours 2
update run birdsong --at ledger/birdsong/runs/2025-03.yaml:8 --wall-hours 3
close --adjust --date 2025-07-02 -m 'Learned later'
propose birdsong
propose birdsong --from-estimates --by 'A reader'
propose birdsong
check
propose birdsong --adopt own-estimates
propose birdsong --adopt nothing
render
release birdsong 0.1.0 -m Again --date 2025-07-03
release birdsong 0.3.0 -m 'What June brought' --date 2025-07-03
render --check
migrate --check
status
review
digest
schema
"""
FOX_WRITES = """\
import --suggest fox.txt
import demo fox.txt --with fox --dry-run
import demo fox.txt --with fox
import demo fox.txt --with fox
import --check
import demo --explain 974724
import demo mig.txt --with fox
import demo habrok.txt --with habrok
import demo cedar.json --with cedar
import demo codecarbon.csv --with carbon
import demo focus.csv --with bill
import --check
check
tidy --check
import demo --undo fox --month 2025-09
import demo --undo fox
import --reapply
render
"""
LARGE_WRITES = """\
import demo fox.txt --with fox --engine duckdb
import demo mig.txt --with fox --engine duckdb
import demo fox.txt --with fox --engine duckdb
import --check
check
status
"""
DUMPS_WRITES = """\
import demo fromage-1.json --with fromage
import demo fromage-2.json fromage-3.json --with fromage
import demo fromage-4.json fromage-5.json --with fromage --dry-run
import demo fromage-4.json fromage-5.json --with fromage
import --check
check
tidy
"""
CHANCE = """\
check --format json
check --format text
status
add run demo --item train --seed 1 --date 2026-02-03 --gpus 2 --wall-hours 3
update run demo --item train --seed 1 --date 2026-01-02 --note changed
tidy
import --check
migrate --check
close 2026-01 --date 2026-04-01 -m 'January'
release demo 1.1.0 -m 'By chance' --date 2026-04-02
render
export --format json
"""
OLD_FORMAT = "migrate --dry-run\nmigrate --check\nmigrate\nmigrate\ncheck\nrender\nschema\n"
RUNS_CSV = """\
date,item,seed,gpus,wall_hours,status
2025-06-10,pretrain,1,4,2.5,completed
2025-06-11,pretrain,2,4,1.5,failed
"""


class Tree(NamedTuple):
    """A tree of ledgers that lies ready, and what is asked of it."""

    name: str
    commands: list[list[str]]
    explain: int = 0
    """How many of its figures are explained."""
    writes: bool = False
    """Whether its files are compared afterwards."""
    undrawn: bool = False
    """Whether pictures are compared by what they would be drawn of."""
    small: bool = False
    """Whether all that is said of it stands in one file."""

    def task(self, root: Path) -> dict[str, Any]:
        """The same for `scripts/asking.py`."""
        return {**self._asdict(), "root": str(root / self.name)}


def lines(text: str) -> list[list[str]]:
    """Commands that are written one on each line."""
    return [shlex.split(line) for line in text.splitlines()]


def reading(tree: Path) -> Iterator[list[str]]:
    """What is asked of a shipped tree: everything that prints."""
    projects = sorted(path.parent.name for path in tree.glob("ledger/*/project.yaml"))
    yield from (["check", "--format", kind] for kind in ("text", "json", "github", "gitlab"))
    yield from (["export", "--format", kind] for kind in ("json", "csv"))
    yield from lines("status\nreview\ndigest\ntemplate\ntree\nschema --check\ntidy --check\nguide\nrender")
    yield ["status", *projects]
    yield from (["projection", "--format", kind] for kind in FORMATS)
    for project in projects:
        yield ["explain", "--list", project]
        yield from (["choose", project, "--format", kind] for kind in FORMATS)
        yield ["choose", project, "--deadline", "8", "--budget", "20"]
        yield ["status", project, "--set", f"{project}.seeds=5"]
        yield from configurations(tree, project)
        yield from versions(tree, project)


def configurations(tree: Path, project: str) -> Iterator[list[str]]:
    """Whether each configuration of a project fits, in all forms."""
    path = tree / "ledger" / project / "configurations.yaml"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    names = re.findall(r"^([a-z][\w-]*):", text, re.MULTILINE)
    for name in names:
        yield from (["fit", name, "--project", project, "--format", kind] for kind in FORMATS)
    yield from (["fit", name, "--project", project, "--suggest"] for name in names[:2])


def versions(tree: Path, project: str) -> Iterator[list[str]]:
    """How each released version of a project differs from the next, and the last from what is there now."""
    released = sorted(path.stem for path in tree.glob(f"ledger/{project}/releases/*.json"))
    ends = [f"{project}@{version}" for version in released] + ["."]
    for old, new in pairwise(ends):
        yield from (["diff", old, new, "--project", project, "--format", kind] for kind in ("text", "markdown", "json"))


def shipped(root: Path, explain: int) -> Iterator[Tree]:
    """Our own ledger, read; and what `init` begins with."""
    copy(HERE, root / "own")
    yield Tree("own", list(reading(HERE)), explain=explain, writes=True)
    (root / "begun").mkdir(parents=True)
    begun = "init tree\n" + "\n".join(
        f"--root tree {command}"
        for command in (
            "check",
            "status",
            "render",
            "export --format json",
            "add run --item data --gpu-hours 3 --date 2026-02-01",
            "tidy",
            "check --format json",
            "template index.md.j2",
        )
    )
    yield Tree("begun", lines(begun), writes=True)


def written(root: Path) -> Iterator[Tree]:
    """Trees in which everything that writes is done, in order."""
    from tests import exported
    from tests.example_tree import plant_example
    from tests.small import SMALL, plant

    plant_example(root / "written", pages=True)
    plant(root / "written", {"runs.csv": RUNS_CSV, "wrong.csv": RUNS_CSV.replace("2.5", "much")})
    yield Tree("written", lines(BIRDSONG_WRITES), explain=10, writes=True)
    plan = "first:\n  title: First\n  items:\n" + "".join(
        f"    {item}: {{title: {item}, scope: one-time, gpu_hours: 40}}\n" for item in exported.ITEMS
    )
    cards = "".join(
        f"{card}: {{title: {card}, vram_gib: 24}}\n"
        for card in ("card", "a100-40gb", "a100-80gb", "l40s", "a40", "rtx-3090", "v100")
    )
    sources = {
        "imports": exported.FOX + exported.MIG + exported.HABROK + exported.CEDAR + exported.CARBON + exported.BILL,
        "large": exported.FOX + exported.MIG,
        "dumps": exported.FROMAGE,
    }
    for (name, source), asked in zip(sources.items(), (FOX_WRITES, LARGE_WRITES, DUMPS_WRITES), strict=True):
        files = {"ledger/catalog/gpus.yaml": cards, "ledger/demo/plan.yaml": plan, "ledger/demo/imports.yaml": source}
        plant(root / name, {"ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "seeds: 3\n"} | files)
        project = root / name / "ledger/demo/project.yaml"
        project.write_text(project.read_text(encoding="utf-8").replace("seeds: 2\n", ""), encoding="utf-8")
        for sample in filter(Path.is_file, exported.SAMPLES.iterdir()):
            shutil.copy(sample, root / name / sample.name.replace("fox-mig.txt", "mig.txt"))
        yield Tree(name, lines(asked), writes=True, undrawn=True)
    plant(root / "old-format", {**SMALL, "ledger/tree.yaml": "format: 1\npages: ci\n"})
    yield Tree("old-format", lines(OLD_FORMAT), writes=True, undrawn=True)


def grown(root: Path) -> Iterator[Tree]:
    """Trees as the benchmarks make them, in which one part is larger than usual."""
    sys.path.insert(0, str(HERE / "benchmarks"))
    growth, generate = import_module("growth"), import_module("generate")
    asked = lines("check\nstatus\nrender\nexport --format json")
    (root / "runs").mkdir(parents=True)
    generate.write_ledger(root / "runs", generate.entries(500))
    yield Tree("runs", asked, writes=True, undrawn=True)
    for part, size in GROWN.items():
        (root / part).mkdir()
        growth.GROWN[part](root / part, size)
        yield Tree(part, asked, writes=True, undrawn=True)


def by_chance(root: Path, first: int, many: int) -> Iterator[Tree]:
    """Ledgers of runs that were changed by chance."""
    from tests.mutating import mutated
    from tests.small import plant

    for seed in range(first, first + many):
        plant(root / f"chance-{seed}", mutated(seed))
        yield Tree(f"chance-{seed}", lines(CHANCE), writes=True, undrawn=True, small=True)


def copy(source: Path, target: Path) -> None:
    """Copies what belongs to a tree of ledgers out of a folder that may hold more."""
    for name in ("ledger", "docs", "examples"):
        if (source / name).exists():
            shutil.copytree(source / name, target / name)
    for path in source.glob("*.yml"):
        shutil.copy(path, target / path.name)
