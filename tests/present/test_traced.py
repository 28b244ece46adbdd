"""No numeral stands on a page that is not a figure, ledger text or a ledger line: each piece is marked when printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import present
from tests.hardware import CHOSEN
from tests.present.measured import LEDGER as MEASURED
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
OPEN, CLOSE = "\ue000", "\ue001"


def marked(kind: str, text: str) -> str:
    return f"{OPEN}{text}{CLOSE}"


def without_marked(text: str) -> str:
    """What a page holds beside marked pieces; pieces may hold others."""
    kept, depth = [], 0
    for char in text:
        depth += (char == OPEN) - (char == CLOSE)
        if depth == 0 and char != CLOSE:
            kept.append(char)
    assert depth == 0
    return "".join(kept)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    book, problems = calculate(load(ROOT)[0])
    assert problems == []

    def existing(path: str) -> str | None:
        file = ROOT / path
        return file.read_text("utf-8") if file.is_file() else None

    return present(book, [ROOT / "templates"], existing, marked)


def test_every_numeral_is_traced(pages: dict[str, str]) -> None:
    assert stray_lines(pages) == {}


def test_every_numeral_on_setups_is_traced(tmp_path: Path) -> None:
    """A ledger with what the real one has not: setups that are undecided or too small, limits, a search that lacks."""
    book, problems = calculate(load(plant(tmp_path, CHOSEN))[0])
    assert problems == []
    pages = present(book, [ROOT / "templates"], lambda path: None, marked)
    assert {"docs/p/index.md", "docs/index.md", "docs/catalog.md"} <= set(pages)
    assert stray_lines(pages) == {}


def test_every_numeral_on_pages_of_measurements_is_traced(tmp_path: Path) -> None:
    """A ledger with every kind of block: costs, bounds, devices, sizes, levers, citations, and what lacks an input."""
    book, problems = calculate(load(plant(tmp_path, MEASURED))[0])
    assert problems == []
    pages = present(book, [ROOT / "templates"], lambda path: None, marked)
    assert pages["docs/p/report.md"].count(OPEN) > 200
    assert stray_lines(pages) == {}


def stray_lines(pages: dict[str, str]) -> dict[str, list[str]]:
    stray = {}
    for path, text in pages.items():
        if path.endswith(".md"):
            found = [line for line in without_marked(text).splitlines() if re.search(r"\d", line)]
            if found:
                stray[path] = found
    return stray


def test_marks_are_not_empty(pages: dict[str, str]) -> None:
    """The check above would pass on a page without marks only if the page had no numerals at all."""
    assert pages["docs/pixelis/lines.md"].count(OPEN) > 400


def test_a_template_cannot_print_a_number_of_its_own() -> None:
    from jinja2 import DictLoader

    from reckon.present.render.printing import Printer
    from reckon.present.templating import render_page

    for text in ("{{ 49 }}", "{{ 7*7 }}", "{{ 4.5 }}", "{% set n = 3 %}{{ n }}"):
        with pytest.raises(TypeError, match="a number on a page is a figure"):
            render_page(DictLoader({"t": text}), "t", Printer("index.md"), [], {})


def test_what_is_kept_of_a_template_holds_nothing_of_the_page_it_was_made_for() -> None:
    from jinja2 import DictLoader

    from reckon.present.render.printing import Printer, unmarked
    from reckon.present.templating import render_page

    loader = DictLoader({"t": "{{ 'word' | code }}"})
    printed = [render_page(loader, "t", Printer("index.md", mark), [], {}) for mark in (unmarked, marked)]
    assert printed == ["`word`\n", f"{OPEN}`word`{CLOSE}\n"]


def test_a_bare_number_is_refused_by_the_printer() -> None:
    from reckon.present.render.printing import Printer

    with pytest.raises(TypeError, match="a number on a page is a figure"):
        Printer("index.md").put(1335)
