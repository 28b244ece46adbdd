"""What does the program make of input that is changed by chance? Nothing may fail by itself, take long, or much memory.

    python scripts/fuzz.py SECONDS [TARGET ...] [--first 0]
    python scripts/fuzz.py --again TARGET NUMBER

A target is what is read: trees, expressions, quantities, tables, exports. Each number is a seed, and gives one input,
made of what tests and samples have. An exception that is not how the program refuses input, more than 10 seconds of a
processor, or more than 1 GiB of memory is told with its target and number; the exit code is 1 then. `--again` tries one
input again, and shows all of the exception. What is found becomes a test.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))

from reckon.cli import main as budget  # noqa: E402 (the path stands above)
from reckon.language.parser import pieces, read_expression  # noqa: E402
from reckon.language.quantity import read_quantity  # noqa: E402
from reckon.language.text import Refusal  # noqa: E402
from reckon.language.units import key_unit  # noqa: E402
from reckon.load.requests import read_measured  # noqa: E402
from reckon.load.run_format import read_table  # noqa: E402
from reckon.load.yaml_nodes import Stop  # noqa: E402
from reckon.present import pages  # noqa: E402
from scripts.asking import undrawn  # noqa: E402
from tests.exported import BILL, CARBON, CEDAR, FOX, FROMAGE, HABROK, SAMPLES, planted  # noqa: E402
from tests.mutating import mutated  # noqa: E402
from tests.small import plant  # noqa: E402

SECONDS, MEMORY = 10, 1 << 30
WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
ODD = (
    *("", " ", "\n", "\t", "\r", "\0", "\x1b", "\x85", "\u2028", "\ufeff", "\U0010ffff", "é", "½", "٣", "🙂"),
    *("'", '"', "\\", ",", ";", ":", ": ", "#", "|", "{", "}", "[", "]", "(", ")", "&a", "*a", "!x", "<<", "%", "@"),
    *("0", "-0", "1/0", "1 - 1", "-1", "1e9", "1e999", "9" * 40, "0.1", "1/3", "inf", "nan", "unknown", "true", "null"),
    *("8-10", "5+", "<0.1", "15%", "1.3x", "2 h 30 min", "20 usd", "10k", "3 gpu-days", "2026-02-30", "9999-12-31"),
    *("a b", ".x", "?", "..", "../..", "a.b.c", "and", "not", "is", "min(", "power(2, 99)", "x" * 300, "(" * 30),
)
EXPRESSIONS = (
    "forecast.p90 <= ceiling and waste_share <= 25%",
    "runs * hours_per_run * gpus",
    "max(a - b, 0) / power(c, 0.5) + ceil(d / 3) * 20 usd",
    "not (status is inside or start < 2025-09-03)",
    "The budget is {budget.final in gpu-days} of {ceiling}; {{x}}",
)
QUANTITIES = (
    "45",
    "8-10",
    "5+",
    "<0.1",
    "15%",
    "10k",
    "1.3x",
    "1,000",
    "2 h 30 min",
    "4.5-5.5",
    "unknown",
    "20 GiB",
    "1/7",
)
KEYS = ("gpu_hours", "hours", "usd", "vram_gib", "watts", "tokens_per_second", "co2e_grams_per_kwh", "runs", "share")
TABLES = (
    "date,item,seed,gpus,wall_hours,status\n2026-01-02,train,1,4,2.5,completed\n2026-01-03,train,2,1,3 h,failed\n",
    'start;end;item;gpus;note\n2026-01-02T10:00;2026-01-02T12:00:00Z;test;2;"a; b"\n',
    '{"rows": [{"latency_ms": 12.5, "output_tokens": 86}, {"latency_ms": 13, "output_tokens": 90}], "gpus": 2}',
    "latency_ms,output_tokens\n12.5,86\n13,90\n",
)
SOURCES = {
    "fox.txt": FOX,
    "habrok.txt": HABROK,
    "cedar.json": CEDAR,
    "fromage-1.json": FROMAGE,
    "codecarbon.csv": CARBON,
    "focus.csv": BILL,
}
STARTER, DEMO = (
    {path.relative_to(top).as_posix(): path.read_text("utf-8") for path in sorted((top / "ledger").rglob("*.yaml"))}
    for top in (HERE / "starter", HERE / "tests/demo")
)
COMMANDS = (
    ("check",),
    ("check", "--format", "json"),
    ("status",),
    ("status", "--items"),
    ("render", "--check"),
    ("export", "--format", "json"),
)


def change(text: str, draw: random.Random, most: int = 4) -> str:
    """A text in which up to so many words or signs are others, are gone, are doubled, or have changed places."""
    parts = WORDS.findall(text) or [""]
    for _ in range(draw.randint(1, most)):
        first, second = draw.randrange(len(parts)), draw.randrange(len(parts))
        kind = draw.randrange(6)
        if kind == 0:
            parts[first] = draw.choice(ODD)
        elif kind == 1:
            parts[first] += draw.choice(ODD)
        elif kind == 2:
            parts[first] = ""
        elif kind == 3:
            parts[first], parts[second] = parts[second], parts[first]
        elif kind == 4:
            parts[first] = parts[second]
        else:
            low, high = sorted((first, min(second, first + 40)))
            parts[low:high] = parts[low:high] * draw.choice((0, 2, 3))
            parts = parts or [""]
    return "".join(parts)


def command(root: Path, *words: str) -> None:
    """Runs a command in this process. Raises AssertionError with what it says where it fails by itself."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = budget(["--root", str(root), *words, "--traceback"])
    assert code in (0, 1, 2, 3), f"{words}: exit code {code}\n{said.getvalue()[-3000:]}"
    assert "the template does not work" not in said.getvalue(), f"{words}\n{said.getvalue()[-3000:]}"


def try_tree(draw: random.Random, root: Path) -> None:
    """A ledger with runs, the one that `init` writes, or one with a record of every kind, with changes anywhere; and a
    command that reads it."""
    made = mutated(draw.randrange(1 << 30))
    files = dict(draw.choice((STARTER, DEMO, made)))
    for _ in range(draw.randint(1, 3)):
        name = draw.choice(sorted(files))
        files[name] = change(files[name], draw)
    texts = {name: text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for name, text in files.items()}
    plant(root, texts)
    command(root, *draw.choice(COMMANDS))


def try_expression(draw: random.Random, root: Path) -> None:
    """A formula or a condition, and a text with quotes; a ledger that has it as a formula now and then."""
    text = change(draw.choice(EXPRESSIONS), draw, 8)
    for read in (read_expression, pieces):
        with suppress(Refusal):
            read(text)
    if draw.random() < 0.02:
        figure = (
            f"x: {{title: X, gpu_hours: {{formula: {json.dumps(text)}, a: 1-2, b: unknown, c: 0, d: 5+, runs: 3}}}}\n"
        )
        plant(root, {**STARTER, "ledger/example/figures.yaml": figure})
        command(root, "check")


def try_quantity(draw: random.Random, root: Path) -> None:
    """A quantity, in the unit of a key."""
    text, key = change(draw.choice(QUANTITIES), draw, 3), draw.choice(KEYS)
    with suppress(Refusal):
        read_quantity(text, key_unit(key))


def try_table(draw: random.Random, root: Path) -> None:
    """A table of runs, or of measurements."""
    text = change(draw.choice(TABLES), draw, 8)
    raw = text.encode("utf-8", "surrogatepass")
    ending = draw.choice((".csv", ".json", ".jsonl", ".tsv"))
    read_table(raw, f"x{ending}", {}, {})
    with suppress(Stop):
        read_measured(raw, f"x{ending}", {}, {})


def try_export(draw: random.Random, root: Path) -> None:
    """The first part of a sample of an export, and its source in a ledger."""
    name = draw.choice(sorted(SOURCES))
    text = (SAMPLES / name).read_text("utf-8")
    if not name.endswith(".json"):
        text = "".join(text.splitlines(keepends=True)[: draw.randint(1, 12)])
    source = change(SOURCES[name], draw) if draw.random() < 0.2 else SOURCES[name]
    planted(root, source)
    (root / name).write_bytes(change(text, draw, 6).encode("utf-8", "surrogatepass"))
    command(root, "import", str(root / name), "--dry-run")


TARGETS: dict[str, tuple[Callable[[random.Random, Path], None], int]] = {
    "trees": (try_tree, 20),
    "expressions": (try_expression, 500),
    "quantities": (try_quantity, 500),
    "tables": (try_table, 100),
    "exports": (try_export, 20),
}
"""What is tried of each target, and how many inputs follow one another before the next target."""


def attempt(target: str, number: int) -> str:
    """What is wrong with how an input is taken; empty where nothing is."""
    began = time.process_time()
    with tempfile.TemporaryDirectory(prefix="budget-fuzz-") as folder:
        try:
            TARGETS[target][0](random.Random(f"{target} {number}"), Path(folder).resolve())
        except (Exception, SystemExit):
            return traceback.format_exc()
    took = time.process_time() - began
    return f"took {took:.1f} s of a processor" if took > SECONDS else ""


def bound_memory() -> None:
    """Lets this process have 1 GiB more than it has now: who asks for more gets a MemoryError."""
    pages_now = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages_now * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main() -> int:
    """Tries inputs until the time is over, and tells what failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=60)
    parser.add_argument("targets", nargs="*", help=f"some of {', '.join(TARGETS)} (all)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first input of each target")
    parser.add_argument("--again", nargs=2, metavar=("TARGET", "NUMBER"))
    options = parser.parse_args()
    os.environ["CI"] = "true"  # nothing is kept in the cache of the user
    pages.draw = undrawn
    if options.again:
        said = attempt(options.again[0], int(options.again[1]))
        print(said or "nothing is wrong")
        return int(bool(said))
    bound_memory()
    until, tried, failed = time.monotonic() + options.seconds, dict.fromkeys(options.targets or TARGETS, 0), 0
    causes: set[str] = set()
    while time.monotonic() < until:
        for target in tried:
            for _ in range(TARGETS[target][1]):
                number = options.first + tried[target]
                said = attempt(target, number)
                tried[target] += 1
                if said:
                    failed += 1
                    cause = "\n".join(re.findall(r'File ".*", line \d+', said)[-1:]) or said[:60]
                    if cause not in causes:
                        print(f"scripts/fuzz.py --again {target} {number}:\n{said}", flush=True)
                    causes.add(cause)
                if time.monotonic() >= until:
                    break
    counts = ", ".join(f"{count:,} {target}" for target, count in tried.items())
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(f"tried {counts}; {time.process_time():.0f} s of a processor, at most {used.ru_maxrss // 1024} MiB of memory")
    print(f"{failed} failed, of {len(causes)} causes")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
