"""Do two commits make the same bytes? Pages, pictures, messages and exports of every tree that is shipped.

    python scripts/same.py BASE [NEW] [--explain 40] [--only WORD ...] [--keep DIR]

BASE is a revision; NEW is another, or the working tree if it is left out. Each side runs its own program on its own
trees (this one, examples/birdsong, and what `init` writes), with the libraries of the Python that runs this. What is
printed and what is rendered is compared file by file; the exit code is 1 where anything differs. Specifications of
pictures (*.vl.json) and what hashes them are told apart from the rest: a drawing may be specified in another way and
still be the same drawing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
STAMP = re.compile(rb"(<!-- budget-ledger:[^>]*-->|drawn by [0-9a-f]+|\?v=[0-9a-f]+)")
NAMES = re.compile(r"[^a-z0-9.=-]+")


def commands(tree: Path, addresses: Sequence[str]) -> Iterator[list[str]]:
    """What is asked of a tree: everything that prints and writes nothing into it."""
    projects = sorted(path.parent.name for path in tree.glob("ledger/*/project.yaml"))
    yield from (["check", "--format", kind] for kind in ("text", "json", "github", "gitlab"))
    yield from (["export", "--format", kind] for kind in ("json", "csv"))
    yield from (
        ["status"],
        ["status", *projects],
        ["review"],
        ["template"],
        ["tree"],
        ["schema", "--check"],
        ["tidy", "--check"],
    )
    yield from (["projection", "--format", kind] for kind in ("table", "json", "markdown"))
    yield from (["explain", "--list", project] for project in projects)
    for project in projects:
        yield from (["choose", project, "--format", kind] for kind in ("table", "json", "markdown"))
        yield from (
            ["choose", project, "--deadline", "8", "--budget", "20"],
            ["status", project, "--set", f"{project}.seeds=5"],
        )
        for path in sorted(tree.glob(f"ledger/{project}/configurations.yaml")):
            names = re.findall(r"^([a-z][\w-]*):", path.read_text(encoding="utf-8"), re.MULTILINE)
            for name in names:
                yield from (
                    ["fit", name, "--project", project, "--format", kind] for kind in ("table", "json", "markdown")
                )
            yield from (["fit", name, "--project", project, "--suggest"] for name in names[:2])
        versions = sorted(path.stem for path in tree.glob(f"ledger/{project}/releases/*.json"))
        for old, new in zip(versions, [*versions[1:], "."], strict=False):
            ends = [f"{project}@{old}", new if new == "." else f"{project}@{new}"]
            yield from (
                ["diff", *ends, "--project", project, "--format", kind] for kind in ("text", "markdown", "json")
            )
    for address in addresses:
        yield ["explain", address]
        yield ["explain", address, "--runs"]


def ask(checkout: Path, tree: Path, out: Path, most: int, only: Sequence[str]) -> None:
    """Runs the program of a checkout on a tree and writes what it prints and renders below `out`."""
    sys.path.insert(0, str(checkout))
    sys.argv[0] = "budget.py"
    main = import_module("reckon.cli").main
    os.chdir(tree)

    def run(words: Sequence[str]) -> str:
        stdout, stderr = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            try:
                code = main(list(words))
            except SystemExit as end:
                code = end.code
        return f"exit {code}\n--- out\n{stdout.getvalue()}--- err\n{stderr.getvalue()}"

    exported = run(["export", "--format", "json"]).partition("--- out\n")[2].partition("--- err")[0]
    addresses = found(json.loads(exported))
    chosen = addresses[:: max(1, len(addresses) // most)] if most else []
    out.mkdir(parents=True)
    for number, words in enumerate(commands(tree, chosen)):
        if not only or words[0] in only:
            name = NAMES.sub("_", " ".join(words))[:120]
            (out / f"{number:04}-{name}.txt").write_text(run(words), encoding="utf-8")
    if not only or "render" in only:
        said = run(["render", "--out", str(out / "docs")])
        (out / "render.txt").write_text(said.replace(str(out), "OUT"), encoding="utf-8")


def found(exported: object) -> list[str]:
    """The addresses of an export."""
    if isinstance(exported, dict):
        here = [exported["address"]] if isinstance(exported.get("address"), str) else []
        return here + [address for value in exported.values() for address in found(value)]
    return [address for value in exported for address in found(value)] if isinstance(exported, list) else []


def side(checkout: Path, out: Path, most: int, only: Sequence[str]) -> None:
    """Asks the program of a checkout about every tree."""
    begun = out / "of-init"
    environment = {**os.environ, "PYTHONHASHSEED": "0", "COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": str(checkout)}
    subprocess.run([sys.executable, str(checkout / "budget.py"), "init", str(begun)], check=True, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    for name, tree in {"this": checkout, "birdsong": checkout / "examples/birdsong", "begun": begun}.items():
        words = ["--ask", str(checkout), str(tree), str(out / name), "--explain", str(most), "--only", *only]
        subprocess.run([sys.executable, __file__, *words], check=True, env=environment)
    shutil.rmtree(begun)


def compare(old: Path, new: Path) -> int:
    """Tells what differs between two folders, and how much of it is more than specifications and stamps."""
    names = sorted({path.relative_to(top) for top in (old, new) for path in top.rglob("*") if path.is_file()})
    worse = lesser = 0
    for name in names:
        texts = [(top / name).read_bytes() if (top / name).is_file() else None for top in (old, new)]
        if texts[0] == texts[1]:
            continue
        bare = [text and STAMP.sub(b"", text) for text in texts]
        small = name.name.endswith(".vl.json") or (bare[0] == bare[1] and None not in texts)
        lesser, worse = lesser + small, worse + (not small)
        print(("specification or stamp: " if small else "DIFFERS: ") + name.as_posix())
    print(f"{len(names)} files compared: {worse} differ, {lesser} in specifications or stamps only")
    return int(worse > 0)


def main() -> int:
    """Checks both sides out, asks each, compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--explain", type=int, default=40, help="how many figures of each tree are explained")
    parser.add_argument("--only", nargs="*", default=[], help="only these commands, such as: render export")
    parser.add_argument(
        "--keep", type=Path, help="where to keep what both sides gave; what BASE gave is used again"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, contextlib.ExitStack() as stack:
        top = (options.keep or Path(scratch) / "out").resolve()
        for name, revision in (("old", options.base), ("new", options.new)):
            checkout = HERE
            if name == "old" and (top / name).exists():
                continue
            if revision:
                checkout = Path(scratch) / name
                subprocess.run(
                    ["git", "worktree", "add", "-q", "--detach", str(checkout), revision], check=True, cwd=HERE
                )
                stack.callback(subprocess.run, ["git", "worktree", "remove", "--force", str(checkout)], cwd=HERE)
            shutil.rmtree(top / name, ignore_errors=True)
            (top / name).mkdir(parents=True)
            side(checkout, top / name, options.explain, options.only)
        return compare(top / "old", top / "new")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--ask"]:
        where = [Path(word) for word in sys.argv[2:5]]
        ask(*where, int(sys.argv[6]), sys.argv[8:])
    else:
        sys.exit(main())
