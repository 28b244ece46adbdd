"""Changes the engine by chance, one place at a time, and asks whether a test fails.

    python scripts/mutants.py [--folder FOLDER] [--number 150] [--seed 1] [--seconds 150] [--tests PATH ...]
                              [--again] [--list]

A mutant is a copy of the engine with one small change in `reckon/compute` or `reckon/language`: a comparison, an
operator, a constant, a number by one, what is returned, or a statement left out. The same seed draws the same mutants
of the same sources. All of it happens in a clone of this checkout's last commit, in FOLDER outside of it:

- `lines.jsonl`: which lines each file of tests executes, and the CPU time that it takes. It is measured once, with
  `coverage`, which stands in no list of packages (`.venv/bin/pip install coverage`).
- `results.jsonl`: a line for each mutant that was tried. A later call goes on where an earlier one stopped.

For each mutant the files of tests that execute its line are run, those first that execute most of its module for their
time; the quick tests of them (`BUDGET_QUICK`), until one fails, at nice 19. A mutant that takes several times as long
counts as killed. --again takes the tests of the last commit into the clone, and tries survivors once more with these;
--list shows them. Whoever reads the list says of each survivor whether it is equivalent, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CHANGED = ("reckon/compute", "reckon/language")
TESTS = ("tests/language", "tests/compute", "tests/charges", "tests/model", "tests/test_guide.py")
TIMES = 3
GRACE = 20
"""A mutant may take `TIMES` the time that its tests take, and so many seconds more."""
WALL = 1800
"""Seconds on the clock after which tests are ended that wait for something."""

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
STATEMENTS = (ast.AugAssign, ast.Raise, ast.Break, ast.Continue)
"""What can be left out, beside a call that stands by itself, and an assignment to an attribute or an entry."""


@dataclass(frozen=True)
class Mutant:
    """A change of one place: the bytes from `begin` to `end` of a file become `text`. `coverage` knows its statement by
    the first line of that."""

    path: str
    line: int
    statement: int
    kind: str
    begin: int
    end: int
    before: str
    text: str

    @property
    def id(self) -> str:
        """What it is known by in the results."""
        return f"{self.path}:{self.line}:{self.begin}-{self.end}:{self.kind}"

    def apply(self, source: bytes) -> bytes:
        """The source of its file with the change."""
        return source[: self.begin] + self.text.encode("utf-8") + source[self.end :]


# What can be changed


def list_mutants(root: Path) -> list[Mutant]:
    """Every mutant of the engine, in the order of files and places."""
    found = []
    for folder in CHANGED:
        for path in sorted((root / folder).rglob("*.py")):
            found += mutants_of(path.relative_to(root).as_posix(), path.read_bytes())
    return found


def mutants_of(path: str, source: bytes) -> Iterator[Mutant]:
    """The mutants of a file."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, statement in walk(ast.parse(source)):
        for kind, text in changes_of(node):
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = source[begin:end].decode("utf-8")
            yield Mutant(path, node.lineno, statement, kind, begin, end, before, text)


def walk(node: ast.AST, statement: int = 0) -> Iterator[tuple[Any, int]]:
    """The nodes below one that run, with the first line of the statement that each is in: without annotations,
    documentation, what only mypy reads, and parts of f-strings, whose places Python 3.11 does not know."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        children = value if isinstance(value, list) else [value]
        for child in children:
            if isinstance(child, ast.AST) and not is_left_out(child):
                line = child.lineno if isinstance(child, ast.stmt) else statement
                yield child, line
                yield from walk(child, line)


def is_left_out(node: ast.AST) -> bool:
    """Whether a node and what is below it stay as they are."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return True
    return isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom))


def changes_of(node: Any) -> Iterator[tuple[str, str]]:
    """The kind of each change of a node, and the text that stands in its place."""
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            changed = [*node.ops]
            changed[place] = COMPARISONS[type(operator)]()
            yield f"comparison-{place}", in_brackets(ast.Compare(node.left, changed, node.comparators))
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield "arithmetic", in_brackets(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right))
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "boolean", in_brackets(ast.BoolOp(other, node.values))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield "boolean" if isinstance(node.op, ast.Not) else "arithmetic", in_brackets(node.operand)
    elif isinstance(node, ast.Constant):
        yield from changes_of_constant(node.value)
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "return", "return None"
    elif isinstance(node, STATEMENTS) or is_call(node) or is_put(node):
        yield "drop-statement", "pass"


def in_brackets(node: ast.expr) -> str:
    """The text of an expression that stays together wherever it is put."""
    return f"({ast.unparse(node)})"


def changes_of_constant(value: object) -> Iterator[tuple[str, str]]:
    """The changes of a constant: of a text only where it is one word, since sentences are read by people."""
    if isinstance(value, bool):
        yield "constant", repr(not value)
    elif isinstance(value, (int, float)):
        yield "constant", "1" if value == 0 else "0"
        yield "off-by-one", f"({value + 1!r})"
    elif isinstance(value, str) and value and " " not in value:
        yield "constant", '""'


def is_none(node: ast.expr) -> bool:
    """Whether an expression is `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def is_call(node: ast.AST) -> bool:
    """Whether a statement is a call that stands by itself."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def is_put(node: ast.AST) -> bool:
    """Whether a statement puts something into an attribute or an entry."""
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Attribute, ast.Subscript))


def draw(mutants: Sequence[Mutant], number: int, seed: int) -> list[Mutant]:
    """So many of the mutants, in the order in which they are tried."""
    return random.Random(seed).sample(mutants, min(number, len(mutants)))


# Running tests


@dataclass(frozen=True)
class Run:
    """How tests came out: the exit code of pytest, the CPU time that they took, and the end of what was printed."""

    code: int
    seconds: float
    last: str


class Clone:
    """The copy of the checkout in which mutants are made, and what was measured of its tests."""

    def __init__(self, folder: Path, most: float) -> None:
        self.folder = folder
        self.most = most
        """CPU time of the files of tests that are run for one mutant, as they took without it."""
        self.tree = folder / "tree"
        self.lines = folder / "lines.jsonl"
        self.results = folder / "results.jsonl"

    def make(self) -> None:
        """Clones the checkout, where there is no clone yet."""
        if not self.tree.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, self.tree], check=True)

    def take_tests(self) -> None:
        """Takes the tests of the last commit into the clone. The engine stays as it is, so that the draw does."""
        subprocess.run(["git", "fetch", "--quiet", "origin", "HEAD"], cwd=self.tree, check=True)
        subprocess.run(["git", "checkout", "--quiet", "FETCH_HEAD", "--", "tests"], cwd=self.tree, check=True)

    def run(self, tests: Sequence[str], before: Sequence[str] = (), most: float = 0.0) -> Run:
        """Runs files of tests until one fails, behind some words of `coverage`, in at most so much CPU time."""
        command = ["nice", "-n", "19", sys.executable, *before, "-m", "pytest", "-x", "-q", "-n", "0", *tests]
        path = os.pathsep.join([str(self.tree), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "BUDGET_QUICK": "1", "PYTHONPATH": path}
        began = cpu_time()
        process = subprocess.Popen(
            command,
            cwd=self.tree,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=limit_to(most) if most else None,
        )
        try:
            printed, _ = process.communicate(timeout=WALL)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
        lines = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR", "E  "))]
        last = lines[-1] if lines else "".join(printed.splitlines()[-1:])
        return Run(process.returncode, cpu_time() - began, last[:300])

    # Which lines tests execute

    def measure(self, tests: Sequence[str]) -> None:
        """Measures the files of tests that were not measured before."""
        known = {each["tests"] for each in read_lines(self.lines)}
        for name in self._files(tests):
            if name not in known:
                add_line(self.lines, self._measured(name))

    def _files(self, tests: Sequence[str]) -> Iterator[str]:
        for name in tests:
            path = self.tree / name
            files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
            for file in files:
                yield file.relative_to(self.tree).as_posix()

    def _measured(self, name: str) -> dict[str, Any]:
        data = f"--data-file={self.folder / 'coverage'}"
        include = ",".join(f"{folder}/*" for folder in CHANGED)
        run = self.run([name], ["-m", "coverage", "run", data, f"--include={include}"])
        if run.code not in (0, 5):  # a test that counts lines by itself fails while coverage counts them
            run = self.run([name])
            if run.code not in (0, 5):
                print(f"{name} fails without a mutant, and is left out: {run.last}", flush=True)
                return {"tests": name, "seconds": run.seconds, "lines": {}}
        report = self.folder / "executed.json"
        command = [sys.executable, "-m", "coverage", "json", "--quiet", data, "-o", report]
        subprocess.run(command, cwd=self.tree, check=True)
        files = json.loads(report.read_text("utf-8"))["files"]
        lines = {path: each["executed_lines"] for path, each in files.items() if each["executed_lines"]}
        print(f"{name}: {run.seconds:.0f} s", flush=True)
        return {"tests": name, "seconds": run.seconds, "lines": lines}

    def tests_of(self, mutant: Mutant) -> tuple[list[str], float]:
        """The files of tests that execute the line of a mutant, and the time that they take."""
        weighed = []
        for each in read_lines(self.lines):
            executed = each["lines"].get(mutant.path, ())
            if mutant.line in executed or mutant.statement in executed:
                weighed.append((each["seconds"] / len(executed), each["seconds"], each["tests"]))
        chosen, total = [], 0.0
        for _, seconds, name in sorted(weighed):
            if not chosen or total + seconds <= self.most:
                chosen.append(name)
                total += seconds
        return chosen, total

    # Mutants

    def try_mutant(self, mutant: Mutant) -> dict[str, Any]:
        """What became of a mutant: `killed`, `survived`, or `not run` where no test executes its line."""
        tests, seconds = self.tests_of(mutant)
        found = {"id": mutant.id, "before": mutant.before, "after": mutant.text, "files": len(tests)}
        if not tests:
            return {**found, "result": "not run"}
        file = self.tree / mutant.path
        source = file.read_bytes()
        try:
            file.write_bytes(mutant.apply(source))
            run = self.run(tests, most=seconds * TIMES + GRACE)
        finally:
            file.write_bytes(source)
        result = "survived" if run.code == 0 else "killed"
        return {**found, "result": result, "seconds": round(run.seconds), "last": run.last}


def cpu_time() -> float:
    """The seconds of CPU that ended processes of this one took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def limit_to(seconds: float) -> Callable[[], None]:
    """What limits a new process to so much CPU time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))

    return limit


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The records of a file, each a line of JSON."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def add_line(file: Path, record: dict[str, Any]) -> None:
    """Adds a record to a file."""
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def show(result: dict[str, Any]) -> None:
    """Says what became of a mutant."""
    before = " ".join(result["before"].split())
    print(f"{result['result']}: {result['id']}  {before} -> {result['after']}", flush=True)
    if result["result"] == "killed":
        print(f"    {result['last']}", flush=True)


def main() -> int:
    """Tries the mutants that were not tried before, and says how many were killed."""
    parser = argparse.ArgumentParser(description="Change the engine by chance, and ask whether a test fails.")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "budget-mutants")
    parser.add_argument("--number", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=150, help="most CPU time of the tests of a mutant (150)")
    parser.add_argument("--tests", nargs="*", default=TESTS, help="folders and files of tests")
    parser.add_argument("--again", action="store_true", help="try survivors again, with the tests of the last commit")
    parser.add_argument("--list", action="store_true", help="only show what did not get killed")
    options = parser.parse_args()
    clone = Clone(options.folder, options.seconds)
    clone.make()
    if options.again:
        clone.take_tests()
    latest = {result["id"]: result for result in read_lines(clone.results)}
    if not options.list:
        clone.measure(options.tests)
        for mutant in draw(list_mutants(clone.tree), options.number, options.seed):
            known = latest.get(mutant.id)
            is_new = known is None or known["result"] == "not run"
            if is_new or (options.again and known["result"] == "survived"):
                latest[mutant.id] = clone.try_mutant(mutant)
                add_line(clone.results, latest[mutant.id])
                show(latest[mutant.id])
    results = [result["result"] for result in latest.values()]
    for result in latest.values():
        if result["result"] != "killed":
            show(result)
    print(", ".join(f"{results.count(word)} {word}" for word in ("killed", "survived", "not run")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
