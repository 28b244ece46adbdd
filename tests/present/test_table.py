"""A table as data: what is left out, how cells are printed on a page, and what templates of other trees are told."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from jinja2 import DictLoader, UndefinedError

from reckon.language.quantity import UNKNOWN, point
from reckon.language.text import Place
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked
from reckon.present.render import numbers
from reckon.present.render.printing import Printer, counted
from reckon.present.table import (
    Anchor,
    As,
    Bold,
    Cell,
    Code,
    Italic,
    LedgerLine,
    LedgerLines,
    Link,
    Table,
    below,
    figures,
    joined,
    known,
    words,
)
from reckon.present.templating import render_page

HOURS = Figure("p.hours", "Hours", GPU_HOURS, point(Fraction(1234)), Worked("for the test"))
MISSING = Figure("p.none", "None", GPU_HOURS, UNKNOWN, Worked("for the test"), missing=("p.seeds",))
SHARE = Figure("p.share", "Share", GPU_HOURS, point(Fraction(1, 4)), Worked("for the test"), "%")
PLACE = Place("ledger/p/runs.yaml", 3, 1)


def lines(table: Table) -> list[str]:
    return str(Printer("p/index.md").table(table)).splitlines()


def cell(content: Cell) -> str:
    return lines(Table([words("")], [[content]]))[2].removeprefix("| ").removesuffix(" |")


def test_a_table_is_its_headings_its_alignment_and_its_rows() -> None:
    table = Table([words("Item"), figures("GPU-hours")], [["Training", HOURS], [Bold("All"), HOURS]])
    assert lines(table) == ["| Item | GPU-hours |", "|---|---:|", "| Training | 1,234 |", "| **All** | 1,234 |"]


def test_a_figure_is_told_once_on_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    real = numbers.figure_text
    monkeypatch.setattr(numbers, "figure_text", lambda figure: told.append(figure.address) or real(figure))
    printer = Printer("p/index.md")
    for _ in range(3):
        assert printer.figure(HOURS) == printer.plain(HOURS) == "1,234 GPU-h"
    assert told == ["p.hours"]
    for number in range(2, 500):  # no figure is taken for one that is gone
        assert printer.figure(counted(number, "runs")) == f"{number}"


def test_nothing_is_a_dash_among_figures_and_empty_among_words() -> None:
    columns = [words("Item"), figures("Hours"), figures("Until", nothing="")]
    rows = [[None, None, None], [None, MISSING, ""], [MISSING, HOURS, MISSING]]
    assert lines(Table(columns, rows))[2:] == [
        "|  | – |  |",
        "|  | – | |",
        "| unknown | 1,234 | unknown |",
    ]


def test_without_rows_nothing_is_printed() -> None:
    assert lines(Table([words("Item")])) == []
    assert not Table([words("Item")])


def test_columns_are_left_out() -> None:
    columns = [words("Item"), words("Seed", optional=True), words("Note", optional=True), figures("Hours", shown=False)]
    table = Table(columns, [["a", None, "x", HOURS], ["b", "", None, HOURS]])
    assert lines(table) == ["| Item | Note |", "|---|---|", "| a | x |", "| b |  |"]


def test_of_many_rows_the_first_are_shown_and_all_totals() -> None:
    table = Table.of([words("Item")], ([f"item {number}"] for number in range(203)), [["All"]], "items")
    assert len(table) == 201
    assert lines(table)[-4:] == ["| item 199 |", "| All |", "", "3 more items are in `budget export`."]
    assert not Table.of([words("Item")], [], [["All"]])


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("a | *b*", "a &#124; \\*b\\*"),
        (As(HOURS), "1,234 GPU-h"),
        (As(MISSING), "unknown"),
        (known(MISSING), ""),
        (As(HOURS, "placed", 2), "1,234.00"),
        (("passed on ", HOURS, "; ", Code("a.b")), "passed on 1,234 GPU-h; `a.b`"),
        (Bold(("x ", Italic("y"))), "**x *y***"),
        (Link("Project", "p/status.md"), "[Project](p/status.md)"),
        (LedgerLine("runs.yaml:3", PLACE), "`runs.yaml:3`"),
        (LedgerLines([PLACE, PLACE._replace(line=5)]), "`ledger/p/runs.yaml` 3, 5"),
        (Anchor("p.hours"), '<a id="p.hours"></a>'),
        (below("a", None, "", "b"), "a<br>b"),
        (below(None), ""),
        (joined(["a", "b"]), "a, b"),
        (joined([]), ""),
    ],
)
def test_cells_on_a_page(content: Cell, printed: str) -> None:
    assert cell(content) == printed


def test_a_heading_is_a_cell_and_cannot_leave_it() -> None:
    assert lines(Table([words("a|b"), words("")], [["x", "y"]]))[0] == "| a&#124;b | |"


def rendered(text: str, **data: Any) -> str:
    loader = DictLoader({"t": text, "m": "{% macro cell(x) %}{{ x }}{% endmacro %}"})
    return render_page(loader, "t", Printer("p/index.md"), [], data)


def test_a_template_of_another_tree_that_loops_over_rows_is_told_how_a_table_is_printed() -> None:
    table = Table([words("Item")], [["a"]])
    assert rendered("{{ work | table }}", work=table) == "| Item |\n|---|\n| a |\n"
    for old in ("{% for row in work %}{{ row.title }}{% endfor %}", "{{ work }}", "{{ work[0].title }}"):
        with pytest.raises((TypeError, UndefinedError), match=r"this is a table: print it with `\{\{ … \| table \}\}`"):
            rendered(old, work=table)


def test_a_cell_is_printed_in_prose_too() -> None:
    assert rendered("{{ cell | piece }}", cell=("Batch ", As(HOURS, "bare"), " → ", Bold("x*"))).strip() == (
        "Batch 1,234 → **x\\***"
    )
