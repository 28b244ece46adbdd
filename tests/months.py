"""Ledgers with the jobs of a scheduler for tests: random ones, imported a line a job or as months counted together."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from reckon.cli import main
from reckon.cli.import_check import changes_of
from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.importers import months, taking
from reckon.load.reader import load
from reckon.model.boundary_days import edges_of
from tests.small import plant

LINES, ROWS = 999_999, 1
"""Jobs of a month that stand as lines: so many that all do, or so few that two are counted together."""
PROJECT = "ledger/demo/project.yaml"
IMPORTS = "ledger/demo/imports.yaml"
LOCK = "ledger/demo/imports.lock.yaml"
RUNS = "ledger/demo/runs/import"
HEAD = (
    "JobIDRaw",
    "JobID",
    "Submit",
    "Start",
    "End",
    "State",
    "ElapsedRaw",
    "AllocTRES",
    "NNodes",
    "JobName",
    "Account",
    "Partition",
    "QOS",
)
SOURCE = """\
fox:
  title: Fox
  format: sacct
  timezone: ZONE
  most_lines: MOST
  cards: {untyped: card, a100: card, rtx30: other}
  rules:
    train: {when: {name: 'train-(?P<seed>[12])'}, item: train}
    halves: {when: {name: halves}, split: {once: 1/3, many: 2/3}}
    many: {when: {name: '(?P<run>[ab])-many'}, item: many}
    item: {when: {name: 'of-(?P<item>once|late)'}, item: null}
    detour: {when: {name: detour}, item: detour, unplanned: true}
    others: {when: {name: others}, ignore: charged to others}
  gpus:
    mig: {when: {partition: mig}, if: untyped, share: 1/7}
    none: {when: {partition: accel, name: 'of-once'}, if: unstated, count: 0}
""".replace(", item: null", "")
NAMES = (
    "train-1",
    "train-2",
    "halves",
    "a-many",
    "b-many",
    "of-once",
    "of-late",
    "detour",
    "others",
    "loose",
    "odd: name",
    "another",
)
TRES = (
    "gres/gpu:a100=1,gres/gpu=1",
    "gres/gpu:a100=4,gres/gpu=4",
    "gres/gpu:rtx30=2,gres/gpu=2",
    "gres/gpu=1",
    "gres/gpu:a100=1,gres/gpu:rtx30=1,gres/gpu=2",
    "cpu=8",
    "gres/gpu:a100=2,gres/gpu=3",
)
STATES = ("COMPLETED", "COMPLETED", "COMPLETED", "FAILED", "CANCELLED by 1001", "TIMEOUT", "RUNNING", "NODE_FAIL")
# The clock of Oslo was changed on the last Sundays of March and October.
MONTHS = ("2025-03", "2025-10", "2025-02")
DAYS = ("2025-03-10", "2025-03-15", "2025-03-30", "2025-10-26", "2025-10-09", "2025-04-01", "2025-10")
CATALOG = {
    "ledger/catalog/gpus.yaml": """\
card: {title: Card, vram_gib: 40, watts: 300}
other: {title: Other, vram_gib: 24, watts: 200, counts_as: {card: 0.3}}
""",
    "ledger/catalog/grids.yaml": "north: {title: North, co2e_grams_per_kwh: 30, year: 2025, source: made up}\n",
}


def job(
    draw: random.Random, number: int, zone: str, names: Sequence[str] = NAMES, gpus: Sequence[str] = TRES
) -> dict[str, str]:
    """A row of a dump of sacct: a job that began in one of a few months, by the clock of a zone."""
    here, month = ZoneInfo(zone), draw.choice(MONTHS[: draw.randint(1, 3)])
    day = draw.choice((1, 8, 9, 10, 14, 15, 16, 25, 26, 27, 28))
    start = datetime.fromisoformat(f"{month}-{day:02}T00:00:00").replace(tzinfo=here).astimezone(UTC)
    start += timedelta(seconds=draw.choice((0, 3600, draw.randrange(86_400), draw.randrange(5 * 86_400), 86_399)))
    any_of = [draw.randrange(most) for most in (20_000, 200_000, 3_000_000)]
    elapsed = draw.choice((0, 1, 3600, 86_400, *any_of))
    held = elapsed + draw.choice((0, 0, 0, draw.randrange(90_000)))
    state = draw.choice(STATES)
    ends = "Unknown" if state == "RUNNING" else written(start + timedelta(seconds=held), here)
    return {
        "JobIDRaw": str(number),
        "JobID": str(number),
        "Submit": written(start - timedelta(seconds=60), here),
        "Start": written(start, here),
        "End": ends,
        "State": state,
        "ElapsedRaw": str(elapsed),
        "AllocTRES": draw.choice(gpus),
        "NNodes": str(draw.choice((1, 1, 2))),
        "JobName": draw.choice(names),
        "Account": draw.choice(("ac1", "ac2")),
        "Partition": draw.choice(("accel", "mig", "normal")),
        "QOS": "q",
    }


def written(moment: datetime, zone: ZoneInfo) -> str:
    """A moment as a dump has it: by the clock of its cluster, with the offset, so that no hour is there twice."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def jobs(draw: random.Random, zone: str, most: int = 60) -> list[dict[str, str]]:
    """Some rows, of all sorts or of few."""
    names, gpus = (draw.sample(every, draw.randint(1, len(every))) for every in (NAMES, TRES))
    return [job(draw, number, zone, names, gpus) for number in range(1000, 1000 + draw.randint(2, most))]


def dump(rows: Iterable[Mapping[str, str]]) -> str:
    """Rows as a dump of sacct."""
    return "\n".join(["|".join(HEAD), *("|".join(row[name] for name in HEAD) for row in rows), ""])


def source(zone: str, most: int) -> str:
    """The source, whose months have so many lines at most."""
    return SOURCE.replace("ZONE", zone).replace("MOST", str(most))


def tree(draw: random.Random) -> dict[str, str]:
    """A ledger in which prices, grants, phases and the project itself begin or end inside of months, or do not."""

    def maybe(text: str, chance: float = 0.5) -> str:
        return text if draw.random() < chance else ""

    def day() -> str:
        return draw.choice(DAYS)

    def dates() -> str:
        since, until = sorted((day(), day()))
        return maybe(f"since: {since}, ") + maybe(f"until: {until}, ")

    changes = "".join(
        f"    {when}: {{usd_per_gpu_hour: {{card: {price}, other: 0.{price}}}}}\n"
        for price, when in enumerate(sorted({day() for _ in range(draw.randint(1, 3))}), 2)
    )
    prices = "own:\n  title: Own\n  as_of: 2025-01-01\n  source: made up\n  usd_per_gpu_hour: {card: 1.5, other: 0.5}\n"
    grants = "".join(
        f"grant-{name}: {{title: Grant {name}, gpu_hours: {draw.choice((10, 5000))}, {maybe(f'gpu: {card}, ')}"
        f"{dates()}{maybe('gpus: 8, ', 0.3)}projects: [demo]}}\n"
        for name, card in (("one", "card"), ("two", "other"))
    )
    project = (
        "title: Demo\nversion: 1.0\nas_of: 2025-02-01\ngpu: card\nseeds: 2\ncontingency: 10%\nceiling: 30000\n"
        + maybe("prices: [own]\n", 0.7)
        + maybe(f"began: {draw.choice(('2025-02-15', '2025-03-09', '2025-01-01'))}\n")
        + maybe("gpus: 16\n", 0.3)
        + maybe("grid: north\npue: 1.2\n")
    )
    first, second = (maybe(f"  {name}: {day()}\n") for name in ("until", "since"))
    plan = f"""\
first:
  title: First
{first}  items:
    train: {{title: Train, scope: per-seed, gpu_hours: 4000{maybe(", finishes: run")}}}
    many: {{title: Many, scope: one-time, gpu_hours: 900, runs: 12}}
    once: {{title: Once, scope: one-time, gpu_hours: 200}}
second:
  title: Second
{second}  items:
    late: {{title: Late, scope: one-time, gpu_hours: 300, gpu: other}}
    never: {{title: Never, scope: one-time, gpu_hours: 30}}
"""
    own = "- {date: 2025-03-12, item: late, gpus: 2, wall_hours: 2.5, status: failed, progress: {done: 1, total: 5}}\n"
    own += "- {date: 2025-03-13, item: once, gpus: 1, wall_hours: 3, cost_usd: 7}\n"
    prices += f"  since:\n{changes}" if draw.random() < 0.7 else ""
    files = {
        **CATALOG,
        PROJECT: project,
        "ledger/demo/plan.yaml": plan,
        "ledger/allocations.yaml": grants,
        "ledger/catalog/prices.yaml": prices,
    }
    return files | ({"ledger/demo/runs/2025-03.yaml": own} if draw.random() < 0.5 else {})


def planted(root: Path, files: Mapping[str, str], zone: str, most: int) -> Path:
    """A ledger with the source; gives its root."""
    return plant(root, {**files, IMPORTS: source(zone, most)})


def ran(root: Path, *words: str) -> tuple[int, str, str]:
    """A command of `budget import`: its code, and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--root", str(root), "import", *words])
    return code, out.getvalue(), err.getvalue()


def imported(root: Path, *texts: str) -> Path:
    """Imports dumps, each by a command of its own; gives the root back."""
    for number, text in enumerate(texts):
        file = root / f"dump-{number}.txt"
        file.write_text(text, "utf-8")
        code, out, err = ran(root, str(file))
        assert code == 0, out + err
        file.unlink()
    return root


def counted(root: Path, text: str) -> Path:
    """Imports a dump without a word about it, which takes a tenth of the time; gives the root back."""
    ledger, wrong = load(root)
    assert [str(problem) for problem in wrong] == []
    project = ledger.projects["demo"]
    taken = months.begin(root, project, "fox")
    taking.take(taken, text.encode(), "dump.txt")
    months.settle_months(taken, project, edges_of(ledger, project))
    assert [str(problem) for problem in taken.problems] == []
    return plant(root, {change.path: change.text for change in changes_of(root, project, taken) if change.text})


def booked(root: Path) -> Book:
    """The book of a ledger in which nothing is wrong."""
    ledger, wrong = load(root)
    book, more = calculate(ledger)
    assert [str(problem) for problem in (*wrong, *more)] == []
    return book


def ledger_of(root: Path) -> dict[str, bytes]:
    """Every file of a ledger, and of its jobs."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and ".schema" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in files}
