"""Tries the program with a Python, and compares what several Pythons made, byte for byte.

    PYTHON scripts/pythons.py FOLDER
    python scripts/pythons.py --compare FOLDER

The first makes an environment of the Python that runs it below FOLDER, in a folder of its version. It installs the
pinned libraries from wheels alone: first those of `requirements-light.txt`, then those of `requirements.txt`. It runs
`check`, `add`, `render` and `render --check` on the starter, and `render` and `render --check` on the ledgers of this
checkout, and writes down what came of it. The second prints a table of all that was tried so; its exit code is 1 where
a step failed or bytes differ.

It needs nothing but Python 3.11 or later, so that it runs in a container or a chroot too. `make pythons` does both.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
STEPS = ("light", "check", "add", "full", "render", "bytes")
BY_HAND = ("guide", "assets", "releases")
RUN = ["--date", "2026-01-26", "--item", "train", "--seed", "2", "--gpus", "4", "--wall-hours", "11"]
MIB = 1024 * 1024


class Failed(Exception):
    """A step failed: its name, and the last line that it said."""


def run(step: str, *words: str | Path) -> None:
    """Run a command without what the environment would add to it. Raises Failed."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**kept, "CI": "true", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(list(map(str, words)), cwd=HERE, capture_output=True, text=True, env=environment)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines() or [""]
        raise Failed(step, lines[-1])


def size_of(folder: Path) -> int:
    """The MiB of all files below a folder of packages, without pip and bytecode."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    sizes = [path.stat().st_size for path in files if not path.relative_to(folder).parts[0].startswith("pip")]
    return round(sum(sizes) / MIB)


def install(step: str, environment: Path, file: str) -> str:
    """Install a list from wheels alone; how long that took, and how large the packages are then. Raises Failed."""
    begun = time.monotonic()
    pip = [environment / "bin/python", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    run(step, *pip, "--only-binary", ":all:", "--require-hashes", "-r", HERE / file)
    seconds = round(time.monotonic() - begun)
    (packages,) = environment.glob("lib/python*/site-packages")
    return f"{size_of(packages)} MiB, {seconds} s"


def copy_example(tree: Path) -> None:
    """Copy the ledgers of this checkout, and what nothing makes again."""
    shutil.copytree(HERE / "ledger", tree / "ledger")
    for folder in (HERE / "docs").rglob("*"):
        if folder.is_dir() and folder.name in BY_HAND:
            shutil.copytree(folder, tree / folder.relative_to(HERE), dirs_exist_ok=True)


def attempt(folder: Path) -> dict[str, str]:
    """Try all steps; what came of each until one failed."""
    shutil.rmtree(folder, ignore_errors=True)
    environment, starter, example = folder / "env", folder / "starter", folder / "example"
    found = {"python": platform.python_version()}
    try:
        run("light", sys.executable, "-I", "-m", "venv", environment)
        budget = [environment / "bin/python", HERE / "budget.py", "--root"]
        found["light"] = install("light", environment, "requirements-light.txt")
        shutil.copytree(HERE / "starter", starter)
        run("check", *budget, starter, "check")
        found["check"] = "yes"
        run("add", *budget, starter, "add", "run", "example", *RUN)
        run("add", *budget, starter, "tidy")  # the name of the new file is a chance
        found["add"] = "yes"
        found["full"] = install("full", environment, "requirements.txt")
        copy_example(example)
        for tree in (starter, example):
            run("render", *budget, tree, "render")
            run("render", *budget, tree, "render", "--check")
        found["render"] = "yes"
    except Failed as why:
        step, said = why.args
        found[step] = f"no: {said}"
    return found


def digest(folder: Path) -> dict[str, str]:
    """The digest of each file that was made, by its path."""
    files = [path for tree in ("starter", "example") for path in sorted((folder / tree).rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


def compare(folder: Path) -> int:
    """Print a table of what came of each Python; 1 where a step failed, or files differ from those of the first."""
    results = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/result.json"))]
    first = results[0]["files"]
    good = True
    print(f"| Python | {' | '.join(STEPS)} |")
    print("|---" * (len(STEPS) + 1) + "|")
    for result in results:
        found, files = result["found"], result["files"]
        differing = sorted(path for path in {*first, *files} if first.get(path) != files.get(path))
        if "render" in found:
            found["bytes"] = (
                f"{len(differing):,} differ: {differing[0]}" if differing else f"{len(files):,} files alike"
            )
        good = good and not differing and found.get("render") == "yes"
        print(f"| {found['python']} | {' | '.join(found.get(step, '') for step in STEPS)} |")
    return 0 if good else 1


def main() -> int:
    """Try the Python that runs this, or compare all that were tried."""
    if sys.argv[1] == "--compare":
        return compare(Path(sys.argv[2]))
    folder = Path(sys.argv[1]).resolve() / platform.python_version()
    found = attempt(folder)
    (folder / "result.json").write_text(json.dumps({"found": found, "files": digest(folder)}), "utf-8")
    print(*(f"{step}: {said}" for step, said in found.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
