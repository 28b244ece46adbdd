"""Ledgers with runs as commands and importers write them, and each of their files changed by chance: a character, a
line, a field, a number, a day. What is read of them by columns has to be what the YAML reader makes of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from tests.small import SMALL

RUNS = "ledger/demo/runs"
DEMO: Mapping[str, str] = {
    "ledger/catalog/gpus.yaml": """\
card: {title: Card, vram_gib: 24, watts: 300}
other: {title: Other, vram_gib: 80, watts: 700, counts_as: {card: 2x}}
strange: {title: Strange, vram_gib: 16}
""",
    "ledger/catalog/prices.yaml": """\
cloud: {title: Cloud, as_of: 2026-01-01, source: made up, usd_per_gpu_hour: {card: 2, other: 3}}
""",
    "ledger/catalog/grids.yaml": "north: {title: North, co2e_grams_per_kwh: 30, year: 2025, source: made up}\n",
    "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "ceiling: 400\nprices: [cloud]\n",
    "ledger/demo/plan.yaml": """\
first:
  title: First phase
  until: 2026-03-01
  items:
    train: {title: Training, scope: per-seed, gpu_hours: 40}
    many: {title: Many runs, scope: one-time, gpu_hours: 60, runs: 12}
second:
  title: Second phase
  items:
    test: {title: Testing, scope: one-time, gpu_hours: 10, finishes: run}
    other: {title: On another card, scope: one-time, gpu_hours: 30, gpu: other}
""",
    "ledger/demo/imports.yaml": """\
fox: {format: sacct, timezone: UTC, cards: {a100: other}, rules: {all: {when: {name: '.*'}, item: train}}}
""",
}
# Beside the runs a change may make a project state what its runs are held against.
BESIDE = ("gpus: 8\n", "began: 2026-01-10\n", "grid: north\npue: 1.2\n", "forecast_seed: 2\n")
DAYS = ("2026-01-02", "2026-01-03", "2026-01", "2026", "2026-02-28", "2025-12-31")
TIMES = ("2026-01-02T10:00", "2026-01-02T11:30:00Z", "2026-01-04T00:00:00Z", "2026-01-02T10:00:30+01:00", "2026-01-02")
PUT = (
    "'",
    '"',
    ",",
    "{",
    "}",
    ":",
    ": ",
    " ",
    "\n",
    "#",
    " #",
    "-",
    "0",
    "x",
    "é",
    "\t",
    "\r",
    "&a ",
    "*a",
    "!",
    "|",
    "\u2028",
    "\ufeff",
    "\x1b",
    ".",
    "%",
    "_",
)
NUMBERS = (
    "1e3",
    "1_000",
    "007",
    "0x1F",
    "0o17",
    ".inf",
    "-.inf",
    ".nan",
    "-1",
    "'4'",
    '"4"',
    "1,000",
    "9" * 20,
    "1e99",
    "1e100",
    "0",
    "0.0",
    "1/7",
    "1:30",
    "90 min",
    "3600 s",
    "1.50",
    "true",
    "null",
    "~",
    "[1]",
    "{a: 1}",
    "8-10",
    "5+",
    "4.25",
    "100",
    "800",
    "7200",
    "1000000000000.123456789",
    "unknown",
    "",
)
ODD_DAYS = (
    "2026-02-30",
    "2026-13-01",
    "20260102",
    "2026-1-2",
    "0000-01-01",
    "2026-01-02T25:00",
    "9999-12-31",
    "today",
    "2026-01-02 10:00",
    "2024-02-29",
    "2025-12",
)


def entry(draw: random.Random) -> str:
    """The line of a run as `add run` writes it."""
    item = draw.choice(("train", "train", "many", "many", "test", "other", "detour"))
    says: dict[str, object] = {"date": draw.choice(DAYS)}
    if draw.random() < 0.3:
        start, end = sorted(draw.sample(TIMES, 2))
        says = {"start": start, **({"end": end} if draw.random() < 0.8 else {})}
    says |= {"item": item, **({"seed": draw.choice((1, 2))} if item == "train" else {})}
    says |= {"unplanned": "true"} if item == "detour" else {}
    says |= {"run": draw.choice(("a", "b")), "attempt": draw.randint(1, 3)} if draw.random() < 0.15 else {}
    says |= {"gpu": draw.choice(("card", "other", "strange"))} if draw.random() < 0.15 else {}
    hours = draw.choice((f"{draw.randint(1, 9999) / 1000}", draw.randint(1, 12), "90 min", "5400 s", "1.5", "60", "0"))
    says |= {"gpus": draw.choice((1, 2, 4, "1/7", 1.5)), "wall_hours": hours} if draw.random() < 0.9 else {}
    says |= {"gpu_hours": draw.choice((6, 2.5, 0, 300))} if "gpus" not in says or draw.random() < 0.1 else {}
    says["status"] = draw.choice(("completed", "completed", "completed", "failed", "running", "held-idle", "timeout"))
    chance = {
        "progress": "{done: 2, total: 5}",
        "cost_usd": draw.choice((12.5, 0, 1, 400, 1250)),
        "energy_kwh": 3,
        "watts": 250,
        "pue": 1.3,
        "grid": "north",
        "peak_gib": 20,
        "utilisation": "40%",
        "job": f"'{draw.randint(100, 999)}'",
        "note": "'a: b'",
    }
    says |= {name: value for name, value in chance.items() if draw.random() < 0.08}
    return "- {" + ", ".join(f"{name}: {value}" for name, value in says.items()) + "}\n"


def imported(draw: random.Random, number: int) -> str:
    """The line of a job as `import` writes it."""
    day, hour, took = draw.randint(1, 27), draw.randint(0, 20), draw.randint(0, 90_000)
    ends = hour * 3600 + draw.choice((took, took, took + 50, took // 2))
    days, second = divmod(ends, 86_400)
    end = f"2026-02-{day + days:02}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"
    status = draw.choice(("completed", "failed", "timeout", "running"))
    assigned = draw.choice(("item: train, seed: 1", "item: many", "item: unassigned, unassigned: true"))
    card, start = draw.choice(("card", "other")), f"2026-02-{day:02}T{hour:02}:00:00Z"
    return (
        f"- {{start: {start}, end: {end}, {assigned}, gpu: {card}, "
        f"gpus: {draw.randint(1, 4)}, status: {status}, wall_hours: {took} s, job: fox/{number}, "
        f"imported: {{source: fox, rule: all, state: COMPLETED, gpus: 'a100=1', name: n{number % 5}}}}}\n"
    )


def tree(draw: random.Random) -> dict[str, str]:
    """The files of a ledger of runs, in which nothing is wrong as a rule."""
    head = draw.choice(("", "# yaml-language-server: $schema=x\n", "# made up\n\n"))
    lines = [entry(draw) for _ in range(draw.randint(1, 30))]
    files = {**DEMO, f"{RUNS}/2026-01.yaml": head + "".join(lines)}
    files[f"{RUNS}/2026-02.yaml"] = "".join(entry(draw) for _ in range(draw.randint(1, 8)))
    if draw.random() < 0.5:
        jobs = "".join(imported(draw, number) for number in range(draw.randint(1, 12)))
        files[f"{RUNS}/import/fox-2026-02.yaml"] = jobs
    if draw.random() < 0.4:
        files["ledger/demo/project.yaml"] += draw.choice(BESIDE)
    return files


def _character(text: str, draw: random.Random) -> str:
    at, gone = draw.randrange(len(text) + 1), draw.choice((0, 0, 1, 1, 2, 7))
    return text[:at] + draw.choice((*PUT, "", text[at : at + 1] * 2)) + text[at + gone :]


def _line(text: str, draw: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    first, second = (draw.randrange(len(lines)) for _ in range(2))
    lines[first], lines[second] = lines[second], lines[first]
    extra = draw.choice(("", lines[first], "\n", "# why\n", "---\n", "...\n", "- {item: train}\n", "- x\n"))
    return "".join([*lines[:second], extra, *lines[second + draw.choice((0, 0, 1)) :]])


def _of(pattern: str, texts: tuple[str, ...]) -> Callable[[str, random.Random], str]:
    def change(text: str, draw: random.Random) -> str:
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        where = draw.choice(found)
        return text[: where.start()] + draw.choice(texts) + text[where.end() :]

    return change


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    _character,
    _character,
    _line,
    _of(r"(?<=: )[0-9][0-9./]*(?: s| min)?(?=[,}])", NUMBERS),
    _of(r"20[0-9]{2}-[0-9T:Z+-]*", ODD_DAYS),
    _of(
        r"(?<=[{ ])[a-z_]+(?=: )",
        (
            "item",
            "seed",
            "gpus",
            "gpu_hours",
            "start",
            "status",
            "gpu",
            "job",
            "odd",
            "Item",
            "<<",
            "unplanned",
            "note",
            "run",
        ),
    ),
    _of(r"(?<=: )[a-z]+(?=[,}])", ("train", "test", "other", "unassigned", "failed", "true", "x y", "''", "~", "card")),
    _of(r", ", (",", ", \n  ", " ,  ", ",\t", ", , ")),
    _of(r"\}\n", ("} \n", "}\r\n", "} # why\n", "}", "},\n", "}\n\n", "\n")),
    _of(r"^|\n", ("\ufeff", "\n ", "\n\n", "\n- {item: &a train}\n", "\n- {item: *a}\n", "\n- {<<: x}\n")),
    _of(
        r"(?<=, )(?=[a-z])",
        (
            "item: test, ",
            "seed: 2, ",
            "date: 2026-01-09, ",
            "gpus: 3, ",
            "adds: energy, ",
            "unassigned: true, ",
            "energy_of: facility, ",
            "kind: measured, ",
        ),
    ),
)
"""Ways to change the text of a file of runs."""


def mutated(seed: int) -> dict[str, str]:
    """A ledger with up to three changes in its runs; every fourth has none."""
    draw = random.Random(seed)
    files = tree(draw)
    for _ in range(draw.choice((0, 1, 1, 3))):
        name = draw.choice([name for name in files if PurePosixPath(name).is_relative_to(RUNS) and files[name]])
        files[name] = draw.choice(CHANGES)(files[name], draw)
    return files
