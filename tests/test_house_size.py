"""The budget of the house: one number, which may only fall (`scripts/house_limit.py`)."""

from __future__ import annotations

from pathlib import Path

from scripts.house import (
    ROOM_LINE,
    PythonSize,
    count_javascript,
    count_jinja,
    count_lines,
    count_scalars,
    measure_house,
)
from scripts.house_limit import MOST

ROOT = Path(__file__).resolve().parents[1]
SLACK = 500
"""How far the number may lie above the size: a change that takes away more lowers it too."""


def test_the_engine_is_not_larger_than_its_limit() -> None:
    size = measure_house(ROOT).size
    assert size <= MOST, f"the engine has {size:,}, and may have {MOST:,}: `python scripts/house.py` says of what"
    assert size >= MOST - SLACK, f"well done: write MOST = {size:_} into scripts/house_limit.py"


def test_architecture_tells_how_large_each_room_is() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    told = {row["room"]: int(row["lines"].replace(",", "")) for row in ROOM_LINE.finditer(page)}
    rooms = {path.parent.relative_to(ROOT / "reckon").as_posix() for path in (ROOT / "reckon").rglob("*/__init__.py")}
    assert set(told) == rooms - {"."}
    for room, lines in told.items():
        actual = count_lines(ROOT, room)
        assert abs(lines - actual) <= max(200, actual // 5), f"`python scripts/house.py --write`: {room}"


def test_documentation_and_layout_are_not_counted() -> None:
    short, long = PythonSize(), PythonSize()
    short.add_source("def f(a):\n    return a\n")
    long.add_source(
        '"""What it is."""\n\n\ndef f(a):\n    """What it does."""\n    # why\n    return (\n        a\n    )\n'
    )
    # By hand: module, function, its arguments, the argument, return, the name and that it is read.
    assert short.nodes == long.nodes == 7


def test_statements_words_skips_and_nested_comprehensions_are_counted() -> None:
    size = PythonSize()
    size.add_source("a = 'one two three'  # fmt: skip\nb = 'one two'\nc = [[d for d in e] for e in f]\n")
    assert (size.files, size.words, size.skips, size.nested) == (1, 3, 1, 1)
    # A name has two nodes, since it says whether it is read or written; so `a = '…'` has four. The last line has six
    # names, an assignment, two lists and two `for`.
    assert sorted(size.statement_sizes) == [4, 4, 6 * 2 + 5]
    assert size.percentile(0.5) == 4
    assert size.long_share == 0


def test_templates_scripts_and_catalogues_are_counted(tmp_path: Path) -> None:
    files = {
        "templates/page.md.j2": "# Words\n{{ title }}\n",
        "docs/assets/own.js": "// why\nlet a = 1;\n",
        "docs/assets/vendor/theirs.js": "let b = 2;\n",
        "reckon/rules.yaml": "id: a\nneeds: [b, c]\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert count_jinja(tmp_path) == 3  # an output, its text and the name
    assert count_javascript(tmp_path) == 5  # let, a, =, 1 and ;
    assert count_scalars(tmp_path) == 5
