"""Do two versions of the program make the same bytes? What they print, write and render, of many trees.

    python scripts/same.py BASE [NEW] [--explain 40] [--chance 200] [--first 0] [--only WORD ...] [--keep DIR]

BASE is a revision; NEW is another, or the working tree if it is left out. Both run with the libraries of the Python
that runs this, on the same trees, which are those of the working tree (`scripts/trees.py`): what is shipped, all that
writes, ledgers that are large, and ledgers that are changed by chance. What is printed, exit codes, and the files of
each tree afterwards are compared; the exit code is 1 where anything differs. Specifications of pictures (*.vl.json)
and what hashes them are told apart from the rest: a drawing may be specified in another way and still be the same.
With BASE `.` the working tree is held against itself, with other hashes, another clock and another locale: the same
ledger has to make the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from itertools import chain
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE))
STAMP = re.compile(rb"(<!-- budget-ledger:[^>]*-->|drawn by [0-9a-f]+|\?v=[0-9a-f]+)")
HOME = {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"}
ELSEWHERE = {"PYTHONHASHSEED": "4", "TZ": "Asia/Kolkata", "LC_ALL": "POSIX", "PYTHONUTF8": "1"}
MOST_LINES = 12


def prepare(scratch: Path, options: argparse.Namespace) -> list[dict[str, object]]:
    """Makes all trees that are wanted, and gives what is asked of each."""
    from scripts import trees

    every = chain(
        trees.shipped(scratch, options.explain),
        trees.written(scratch),
        trees.grown(scratch),
        trees.by_chance(scratch, options.first, options.chance),
    )
    return [tree.task(scratch) for tree in every if not options.only or tree.name.startswith(tuple(options.only))]


def ask(checkout: Path, tasks: Sequence[dict[str, object]], ready: Path, out: Path, home: dict[str, str]) -> None:
    """Has the program of a checkout answer all tasks, each in a copy of its tree."""
    with tempfile.TemporaryDirectory(prefix="budget-same-") as folder:
        copies = Path(folder).resolve() / "trees"
        shutil.copytree(ready, copies)
        own = [{**task, "root": str(copies / str(task["name"]))} for task in tasks]
        listed = Path(folder) / "tasks.json"
        listed.write_text(json.dumps(own), encoding="utf-8")
        words = [sys.executable, str(HERE / "scripts/asking.py"), str(checkout), str(listed), str(out)]
        more = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(checkout), "XDG_CACHE_HOME": folder + "/cache"}
        subprocess.run(words, check=True, env={**os.environ, **more, **home})


def compare(old: Path, new: Path) -> int:
    """Tells what differs between two folders, and how much of it is more than specifications and stamps."""
    names = sorted({path.relative_to(top) for top in (old, new) for path in top.rglob("*") if path.is_file()})
    worse = lesser = 0
    for name in names:
        texts = [(top / name).read_bytes() if (top / name).is_file() else b"" for top in (old, new)]
        if texts[0] == texts[1]:
            continue
        bare = [STAMP.sub(b"", text) for text in texts]
        small = name.name.endswith(".vl.json") or bare[0] == bare[1]
        lesser, worse = lesser + small, worse + (not small)
        print(("specification or stamp: " if small else "DIFFERS: ") + name.as_posix())
        if not small:
            print(*first_differences(*bare), sep="\n")
    print(f"{len(names)} files compared: {worse} differ, {lesser} in specifications or stamps only")
    return int(worse > 0)


def first_differences(old: bytes, new: bytes) -> Iterator[str]:
    """The first lines in which two texts differ."""
    texts = (text.decode("utf-8", "backslashreplace").splitlines() for text in (old, new))
    changed = [line for line in unified_diff(*texts, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))]
    yield from (f"  {line[:200]}" for line in changed[:MOST_LINES])
    if len(changed) > MOST_LINES:
        yield f"  … {len(changed) - MOST_LINES} lines more"


@contextlib.contextmanager
def checked_out(revision: str | None, folder: Path) -> Iterator[Path]:
    """The checkout of a revision: the working tree for none."""
    if revision in (None, "."):
        yield HERE
        return
    subprocess.run(["git", "worktree", "add", "-q", "--detach", str(folder), str(revision)], check=True, cwd=HERE)
    try:
        yield folder
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", str(folder)], check=True, cwd=HERE)


def main() -> int:
    """Makes the trees, asks both sides, compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--explain", type=int, default=40, help="how many figures of each shipped tree are explained")
    parser.add_argument("--chance", type=int, default=200, help="how many ledgers changed by chance")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first of them")
    parser.add_argument("--only", nargs="*", default=[], help="only trees whose names begin so, such as: own written")
    parser.add_argument("--keep", type=Path, help="where to keep what both sides gave")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="budget-same-") as folder:
        scratch = Path(folder).resolve()
        top = (options.keep or scratch / "out").resolve()
        tasks = prepare(scratch / "trees", options)
        sides = {"old": (options.base, HOME), "new": (options.new, ELSEWHERE if options.base == "." else HOME)}
        for name in sides:
            shutil.rmtree(top / name, ignore_errors=True)
            (top / name).mkdir(parents=True)
        with contextlib.ExitStack() as checkouts, ThreadPoolExecutor() as pool:
            asked = []
            for name, (revision, home) in sides.items():
                checkout = checkouts.enter_context(checked_out(revision, scratch / name))
                asked.append(pool.submit(ask, checkout, tasks, scratch / "trees", top / name, home))
            for side in asked:
                side.result()
        return compare(top / "old", top / "new")


if __name__ == "__main__":
    sys.exit(main())
