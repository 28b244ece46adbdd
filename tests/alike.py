"""Whether an earlier version of the program says the same, to the byte, of the same trees.

    python -m tests.alike --against FOLDER [--mutated 2000] [--first 0] [--without-pages] [--of FOLDER]

The first folder is a checkout of the earlier version; the other side is this one, or another. The trees are all
that are shipped, some made by `benchmarks/`, and ledgers of runs changed by chance (`tests/mutating.py`). Of each
the problems with their places, what `check` says, and all pages with what their pictures are drawn of are compared.
The first differences are told, and at the end how many there are of each kind: lines are of one kind where only
numbers and what is quoted differ. Each side is one process.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from difflib import unified_diff
from functools import partial
from importlib import import_module
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.answering import Answer
from tests.mutating import mutated
from tests.reading import ROOT
from tests.small import plant

SHIPPED = ("", "examples/birdsong")
GROWN = {"projects": 3, "figures": 40, "policies": 12, "releases": 3}
MOST_LINES, MOST_TOLD, MOST_KINDS = 12, 20, 60


class Tree(NamedTuple):
    """A tree to compare: what it is called, and what gives its folder, of an empty one that it may be made in."""

    name: str
    made: Callable[[Path], Path]


class Side:
    """A checkout that is asked about one tree after the other."""

    def __init__(self, checkout: Path, paged: bool) -> None:
        command = [sys.executable, str(ROOT / "tests/answering.py"), str(checkout), *(["pages"] if paged else [])]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, root: Path) -> None:
        """Begins with a tree."""
        assert self._process.stdin
        self._process.stdin.write(f"{root}\n")
        self._process.stdin.flush()

    def answer(self) -> Answer:
        """What it says of the tree. Raises SystemExit where it ended instead."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("one of the two sides failed; its error stands above")
        return dict(json.loads(line))

    def end(self) -> None:
        """Has it end by itself."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def shipped() -> Iterator[Tree]:
    """The ledgers of this checkout, each in a tree without templates, so that each side has its own."""

    def copied(root: Path, name: str) -> Path:
        copytree(ROOT / name / "ledger", root / "ledger")
        return root

    for name in SHIPPED:
        yield Tree(name or "our own ledger", partial(copied, name=name))


def generated() -> Iterator[Tree]:
    """Trees as the benchmarks make them, in which one part is larger than usual."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    growth, generate = import_module("growth"), import_module("generate")

    def of_runs(root: Path) -> Path:
        generate.write_ledger(root, generate.entries(500))
        return root

    def grown(root: Path, part: str, size: int) -> Path:
        growth.GROWN[part](root, size)
        return root

    yield Tree("500 runs", of_runs)
    for part, size in GROWN.items():
        yield Tree(f"{size} {part}", partial(grown, part=part, size=size))


def by_chance(first: int, many: int) -> Iterator[Tree]:
    """Ledgers of runs that were changed by chance."""
    for seed in range(first, first + many):
        yield Tree(f"changed by chance, seed {seed}", lambda root, seed=seed: plant(root, mutated(seed)))  # type: ignore[misc]


def differences(before: Answer, now: Answer) -> Iterator[tuple[str, list[str]]]:
    """What differs between two answers: its name, and the lines that are gone or new."""
    for part in sorted({*before, *now}):
        was, is_now = before.get(part, {}), now.get(part, {})
        for name in sorted({*was, *is_now}):
            texts = [some.get(name, "").splitlines() for some in (was, is_now)]
            if texts[0] != texts[1]:
                lines = unified_diff(*texts, lineterm="", n=0)
                changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
                yield f"{part}, {name}", changed


def kind(line: str) -> str:
    """A line without its numbers, and without what it quotes."""
    return re.sub(r"[0-9][0-9.,]*", "0", re.sub(r"`[^`]*`|\"[^\"]*\"|“[^”]*”", "`…`", line))[:160]


class Found:
    """What was compared, and what differs."""

    def __init__(self) -> None:
        self.trees, self.sound, self.pages, self.different = 0, 0, 0, 0
        self.names: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()

    def add(self, tree: str, before: Answer, now: Answer) -> None:
        """Adds what two sides say of a tree, and tells the first differences."""
        self.trees += 1
        self.sound += not now["problems"]["all"]
        self.pages += len(now.get("pages", ()))
        apart = list(differences(before, now))
        self.different += bool(apart)
        for name, lines in apart:
            self.names[name] += 1
            if sum(self.names.values()) <= MOST_TOLD:
                more = [f"… {len(lines) - MOST_LINES} lines more"] if len(lines) > MOST_LINES else []
                print("\n  ".join([f"{tree}: {name}", *(line[:200] for line in lines[:MOST_LINES]), *more]), flush=True)
            if not name.endswith("json"):
                self.kinds.update({f"{name}: {kind(line)}" for line in lines})

    def told(self, what: str) -> Iterator[str]:
        """What was compared, in lines."""
        yield (f"{what}: {self.trees:,} trees, {self.sound:,} of them sound, {self.pages:,} pages; "
               f"{self.different:,} trees differ")  # fmt: skip
        for found in (self.names, self.kinds):
            yield from (f"  {many:>6,} {name}" for name, many in found.most_common(MOST_KINDS))


def compare(trees: Iterator[Tree], before: Side, now: Side) -> Found:
    """Compares tree by tree, and tells what differs."""
    found = Found()
    with suppress(KeyboardInterrupt):  # who stops it is told what was found so far
        for tree in trees:
            with TemporaryDirectory(prefix="budget-alike-") as folder:
                root = tree.made(Path(folder))
                for side in (before, now):
                    side.ask(root)
                found.add(tree.name, before.answer(), now.answer())
            if found.trees % 100 == 0:
                print(f"… {found.trees:,} trees, {found.different:,} differ", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Compares all trees; 1 where anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, required=True, metavar="FOLDER", help="a checkout of another version")
    parser.add_argument("--mutated", type=int, default=2_000, help="how many ledgers changed by chance (2000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them (0)")
    parser.add_argument("--of", type=Path, default=ROOT, metavar="FOLDER", help="the other side (this checkout)")
    parser.add_argument("--without-pages", action="store_true", help="compare problems and findings alone")
    asked = parser.parse_args()
    before, now = (Side(folder.resolve(), not asked.without_pages) for folder in (asked.against, asked.of))
    every = {"shipped": shipped(), "made": generated(), "by chance": by_chance(asked.first, asked.mutated)}
    different = 0
    for what, trees in every.items():
        found = compare(trees, before, now)
        print(*found.told(what), sep="\n", flush=True)
        different += found.different
    for side in (before, now):
        side.end()
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
