"""Counts how large the engine is, and compares it with the number that it may not exceed.

    python scripts/house.py [--rooms] [--write] [--root FOLDER]

Prints the size of the house, the parts that it is the sum of, and what else says how code reads; with --rooms also the
size of each room, largest first; with --write the lines of each room are written into ARCHITECTURE.md. FOLDER is
another checkout that is counted instead of this one. The exit code is 1 where the size exceeds `MOST` of
scripts/house_limit.py, which may only fall; raising it is a commit of its own that says why.

The size is the sum of four counts of what the wheel ships:

- nodes of the syntax trees of all Python, without strings that stand as a statement (documentation). Layout, comments
  and docstrings therefore cost nothing.
- nodes of the Jinja of all templates; the text between them costs nothing.
- tokens of our JavaScript, without comments and space; libraries of others (`vendor`) are left out.
- scalars of catalogues: YAML below `reckon/` and `templates/`. A key is a scalar as its value is.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from jinja2 import Environment, nodes
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment, Text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.house_limit import MOST

HERE = Path(__file__).resolve().parents[1]
SHIPPED = ("reckon", "starter", "templates", "docs/assets")
CATALOGUES = ("reckon", "templates")
SKIP = re.compile(r"# fmt: (?:skip|off)")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SIMPLE_STATEMENTS = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Return,
    ast.Expr,
    ast.Raise,
    ast.Assert,
    ast.Delete,
)
ROOM_LINE = re.compile(r"^(?P<before>\| `(?P<room>[a-z/]+)` \|.*\| )(?P<lines>[\d,]+) \|$", re.MULTILINE)
"""A row of the table of rooms in ARCHITECTURE.md."""
LONG_STATEMENT = 40
"""Nodes above which a simple statement is called long."""
FEWEST_WORDS = 3
"""A string of fewer words is not counted as text."""


@dataclass
class PythonSize:
    """What was counted of some Python files; `statement_sizes` has the nodes of each simple statement."""

    files: int = 0
    nodes: int = 0
    words: int = 0
    skips: int = 0
    nested: int = 0
    statement_sizes: list[int] = field(default_factory=list)

    def add_source(self, source: str) -> None:
        """Counts one file more. Raises SyntaxError where its text is not Python."""
        tree = ast.parse(source)
        documentation = find_documentation(tree)
        self.files += 1
        self.skips += len(SKIP.findall(source))
        for node in ast.walk(tree):
            if id(node) not in documentation:
                self._add_node(node)

    def add(self, other: PythonSize) -> None:
        """Adds what was counted of other files."""
        self.files += other.files
        self.nodes += other.nodes
        self.words += other.words
        self.skips += other.skips
        self.nested += other.nested
        self.statement_sizes += other.statement_sizes

    def percentile(self, share: float) -> int:
        """The nodes that a share of simple statements does not exceed; 0 where there are none."""
        if not self.statement_sizes:
            return 0
        ordered = sorted(self.statement_sizes)
        return ordered[int(share * len(ordered))]

    @property
    def long_share(self) -> float:
        """The share of simple statements with more than 40 nodes."""
        long = [size for size in self.statement_sizes if size > LONG_STATEMENT]
        return len(long) / max(1, len(self.statement_sizes))

    def _add_node(self, node: ast.AST) -> None:
        self.nodes += 1
        if isinstance(node, SIMPLE_STATEMENTS):
            self.statement_sizes.append(sum(1 for _ in ast.walk(node)))
        if isinstance(node, COMPREHENSIONS) and is_nested(node):
            self.nested += 1
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = len(node.value.split())
            if words >= FEWEST_WORDS:
                self.words += words


def find_documentation(tree: ast.Module) -> set[int]:
    """The `id` of each node that belongs to a string which stands as a statement."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= {id(node), id(node.value)}
    return found


def is_nested(comprehension: ast.AST) -> bool:
    """Whether a comprehension holds another one, or has more than two `for`."""
    if len(getattr(comprehension, "generators", ())) > 2:
        return True
    inner = [node for node in ast.walk(comprehension) if isinstance(node, COMPREHENSIONS)]
    return len(inner) > 1


def files_below(root: Path, folders: Sequence[str], ending: str) -> Iterator[Path]:
    """Files of an ending below some folders of a checkout, in order; libraries of others are left out."""
    for folder in folders:
        for path in sorted((root / folder).rglob(f"*{ending}")):
            if "vendor" not in path.parts:
                yield path


def room_of(path: Path) -> str:
    """The room that a file of `reckon/` belongs to, as `compute/audit`; `.` for those at the top of the package."""
    folders = path.parts[1:-1]
    return "/".join(folders[:2]) or "."


def measure_rooms(root: Path) -> dict[str, PythonSize]:
    """What was counted of the Python that is shipped, by room."""
    rooms: dict[str, PythonSize] = defaultdict(PythonSize)
    for path in files_below(root, SHIPPED, ".py"):
        rooms[room_of(path.relative_to(root))].add_source(path.read_text("utf-8"))
    return dict(rooms)


def count_jinja(root: Path) -> int:
    """Nodes of the syntax trees of all templates."""
    environment = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
    total = 0
    for path in files_below(root, ["templates"], ".j2"):
        tree = environment.parse(path.read_text("utf-8"))
        total += sum(1 for _ in tree.find_all(nodes.Node))
    return total


def count_javascript(root: Path) -> int:
    """Tokens of the scripts of the site, without comments and space."""
    total = 0
    for path in files_below(root, ["docs/assets"], ".js"):
        for kind, text in JavascriptLexer().get_tokens(path.read_text("utf-8")):
            if kind not in Comment and kind not in Text and text.strip():
                total += 1
    return total


def count_scalars(root: Path) -> int:
    """Scalars of the YAML files that belong to the engine, keys included."""
    total = 0
    for ending in (".yaml", ".yml"):
        for path in files_below(root, CATALOGUES, ending):
            for event in yaml.parse(path.read_text("utf-8"), Loader=yaml.SafeLoader):
                if isinstance(event, yaml.ScalarEvent):
                    total += 1
    return total


@dataclass(frozen=True)
class House:
    """What was counted of a checkout: its Python by room, and the nodes, tokens and scalars of the rest."""

    rooms: dict[str, PythonSize]
    jinja: int
    javascript: int
    scalars: int

    @property
    def python(self) -> PythonSize:
        """What was counted of all its Python."""
        total = PythonSize()
        for size in self.rooms.values():
            total.add(size)
        return total

    @property
    def size(self) -> int:
        """The one number that may only fall."""
        return self.python.nodes + self.jinja + self.javascript + self.scalars


def measure_house(root: Path) -> House:
    """Counts a checkout. Raises SyntaxError, TemplateSyntaxError or YAMLError where a file of it cannot be read."""
    return House(measure_rooms(root), count_jinja(root), count_javascript(root), count_scalars(root))


def report(house: House) -> Iterator[str]:
    """The lines that say how large a house is, and how its code reads."""
    python = house.python
    yield f"size {house.size:,} of at most {MOST:,}"
    yield f"  Python      {python.nodes:9,} nodes"
    yield f"  Jinja       {house.jinja:9,} nodes"
    yield f"  JavaScript  {house.javascript:9,} tokens"
    yield f"  catalogues  {house.scalars:9,} scalars"
    yield f"files {python.files:,}, words in strings {python.words:,}, formatter skips {python.skips:,}"
    yield f"simple statements: median {python.percentile(0.5)} nodes, p90 {python.percentile(0.9)}"
    yield f"  above {LONG_STATEMENT} nodes: {python.long_share:.1%}"
    yield f"nested comprehensions {python.nested:,}"


def report_rooms(house: House) -> Iterator[str]:
    """A line for each room, largest first."""
    by_size = sorted(house.rooms.items(), key=lambda pair: -pair[1].nodes)
    for name, size in by_size:
        yield f"{name:28} nodes {size.nodes:7,}  files {size.files:3}  words {size.words:6,}"


def count_lines(root: Path, room: str) -> int:
    """The lines of all Python that lies directly in a room (`load/importers`), as ARCHITECTURE.md tells them: in
    hundreds."""
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in (root / "reckon" / room).glob("*.py"))
    return round(lines, -2)


def write_lines(root: Path, page: str) -> str:
    """The text of ARCHITECTURE.md with the lines of each room as they are."""
    return ROOM_LINE.sub(lambda row: f"{row['before']}{count_lines(root, row['room']):,} |", page)


def main() -> int:
    """Prints what was counted; 1 where the house is too large."""
    parser = argparse.ArgumentParser(description="Count how large the engine is.")
    parser.add_argument("--rooms", action="store_true", help="list the rooms too, largest first")
    parser.add_argument("--write", action="store_true", help="write the lines of each room into ARCHITECTURE.md")
    parser.add_argument("--root", type=Path, default=HERE, help="the checkout to count (this one)")
    options = parser.parse_args()
    house = measure_house(options.root)
    for line in report(house):
        print(line)
    if options.write:
        page = options.root / "ARCHITECTURE.md"
        page.write_text(write_lines(options.root, page.read_text(encoding="utf-8")), encoding="utf-8")
    if options.rooms:
        for line in report_rooms(house):
            print(line)
    return int(house.size > MOST)


if __name__ == "__main__":
    sys.exit(main())
