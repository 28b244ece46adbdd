"""Tables that sort, that can be taken along, and all runs, 1,000 of them, with filters that the address remembers."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from browser import Browser, Page
from conftest import ROOT, Quiet
from tests.test_flow import budget

pytestmark = pytest.mark.full

RUNS = 1_000
TABLE = """<article class="md-typeset"><table>
<thead><tr><th>Of</th><th>Value</th><th>More</th></tr></thead><tbody>%s</tbody></table></article>
<script src="../assets/page.js"></script>"""
# Columns as pages print them, each in the order in which it has to stand.
ORDERED = {
    "whole numbers": ["3", "12", "1,335", "2,335", "7B", "1.2T", "4.3 × 10²³"],
    "hours": ["−5 GPU-h", "0 GPU-h", "1.5 GPU-h", "93.4 GPU-h", "1,535 GPU-h"],
    "ranges": ["3–4", "3–5", "8", "8–10", "211–264", "1,440–1,920"],
    "times": ["3 s", "0.5 min", "2 min", "1 h", "30 h", "2 days"],
    "memory": ["800 MB", "2 GB", "2 GiB", "1.5 TB"],
    "money": ["−$2 to $4", "$0.35", "$4.74", "$193", "≥ $1,200"],
    "days": ["2025-12", "2026-01-02", "2026-01-02 to 2026-01-05", "2026-01-11", "2026-02"],
    "small": ["10⁻¹⁰", "4 × 10⁻⁵", "0.02", "10%", "44.1%"],
    "bars": ["░░░░░░░░░░ 0%", "████░░░░░░ 44.1%: 141 of 319", "██████████▶ 164%"],
    "words": ["run 2", "run 10", "Zebra"],
}
VALUES = "[...document.querySelector('table').tBodies[0].rows].map(row => row.cells[1].textContent)"


@pytest.fixture
def table(site: Path, visit: Callable[..., Page]) -> Iterator[Callable[[str], Page]]:
    """Shows a page with one table of some rows; each under an address of its own, as Chromium keeps what it saw."""
    folder = site / "tables-tried"
    folder.mkdir()

    def show(rows: str) -> Page:
        head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>'
        name = f"{zlib.crc32(rows.encode())}.html"
        (folder / name).write_text(head + TABLE % rows, "utf-8")
        return visit(f"tables-tried/{name}")

    yield show
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def press(page: Page, column: int) -> None:
    page.ask(f"document.querySelectorAll('th button')[{column}].click()")


def row(*cells: str) -> str:
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


@pytest.mark.parametrize("name", ORDERED)
def test_a_column_sorts_as_a_reader_means_it(name: str, table: Callable[[str], Page]) -> None:
    right = ORDERED[name]
    mixed = [*right[1::2], "–", "unknown", *right[::2][::-1]]
    page = table("".join(row("x", value, name) for value in mixed))
    press(page, 1)
    assert page.ask(VALUES) == [*right, "–", "unknown"]
    assert page.ask("document.querySelectorAll('th')[1].ariaSort") == "ascending"
    press(page, 1)
    assert page.ask(VALUES) == [*right[::-1], "–", "unknown"]
    press(page, 1)
    assert page.ask(VALUES) == mixed
    assert page.ask("document.querySelectorAll('th[aria-sort]').length") == 0


def test_sums_stay_where_they_are(table: Callable[[str], Page]) -> None:
    rows = [("a", "9"), ("b", "4"), ("Phase", "13"), ("c", "2"), ("d", "1"), ("All", "16")]
    bold = ((f"<strong>{name}</strong>" if len(name) > 1 else name, value, "") for name, value in rows)
    page = table("".join(row(*cells) for cells in bold))
    press(page, 1)
    assert page.ask(VALUES) == ["4", "9", "13", "1", "2", "16"]


def test_a_table_is_taken_along_as_it_is_shown(table: Callable[[str], Page]) -> None:
    odd = 'He said "no",<br>twice'
    page = table(row("=1+1", "2", odd) + row("plain", "1", "-3") + row("@all", "3", "a;b"))
    press(page, 1)
    page.ask("URL.createObjectURL = (blob) => { window.taken = blob.text(); return 'data:,'; }")
    page.ask("HTMLAnchorElement.prototype.click = function () { window.file = this.download; }")
    page.ask("document.querySelector('.takes button').click()")
    page.wait("window.taken !== undefined")
    text = page.ask("window.taken")
    assert list(csv.reader(io.StringIO(text.removeprefix("\ufeff")))) == [
        ["Of", "Value", "More"],
        ["plain", "1", "-3"],
        ["'=1+1", "2", 'He said "no",\ntwice'],
        ["'@all", "3", "a;b"],
    ]
    assert page.ask("window.file").endswith(".csv")


def test_numbers_are_taken_along_unrounded_and_parts_with_their_whole(table: Callable[[str], Page], site: Path) -> None:
    figures = [
        {"address": "p.a", "use": "1379.62"},
        {"address": "p.b", "use": "0.7925"},
        {"address": "p.c", "use": "7"},
    ]
    (site / "tables-tried/figures.json").write_text(json.dumps({"figures": figures}), "utf-8")
    link = '<a href="derivations.html#{}">{}</a>'.format
    page = table(
        row("Whole", link("p.a", "1,380"), link("p.b", "79.3%"))
        + row("↳ seed 1", "−4.5", f"{link('p.a', '1,380')} of 2,000")
        + row("↳ seed 2", link("p.c", "12"), link("p.d", "3"))
    )
    page.ask("URL.createObjectURL = (blob) => { window.taken = blob.text(); return 'data:,'; }")
    page.ask("HTMLAnchorElement.prototype.click = function () {}")
    page.ask("document.querySelector('.takes button').click()")
    page.wait("window.taken !== undefined")
    text = page.ask("window.taken")
    assert list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))[1:] == [
        ["Whole", "1379.62", "79.25%"],
        ["Whole, seed 1", "-4.5", "1,380 of 2,000"],
        ["Whole, seed 2", "12", "3"],  # 7 is not what is shown
    ]


def test_the_script_that_sorts_stays_below_two_kilobytes() -> None:
    script = (ROOT / "docs/assets/sorting.js").read_bytes()
    assert len(zlib.compress(script, 9)) < 2_048  # as it is sent


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The page of all runs of a made-up project, built and served, and the staged tree that it was built like."""
    root = tmp_path_factory.mktemp("thousand")
    command = [sys.executable, str(ROOT / "benchmarks/generate.py"), str(root), "--runs", str(RUNS)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert budget(root, "render").returncode == 0
    assert budget(root, "build").returncode == 0
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root / "site"))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/made-up/runs/", root
        server.shutdown()


@pytest.fixture
def look(chromium: Browser, runs: tuple[str, Path]) -> Iterator[Callable[[str], Page]]:
    """Opens the page of all runs with something behind #."""
    pages: list[Page] = []

    def go(state: str = "") -> Page:
        pages.append(chromium.open(runs[0] + state))
        pages[-1].wait("document.querySelector('.filters output').textContent")
        return pages[-1]

    yield go
    for page in pages:
        page.close()
    assert [complaint for page in pages for complaint in page.complaints] == []


SHOWN = "[...document.querySelectorAll('.all-runs tbody tr:not(.group)')].filter(row => row.checkVisibility())"
TOLD = "document.querySelector('.filters output').textContent"


def choose(page: Page, filter_: str, value: str) -> None:
    labels = "[...document.querySelectorAll('.filters label')]"
    select = f"{labels}.find(label => label.firstChild.data === '{filter_}').lastChild"
    page.ask(f"{select}.value = {json.dumps(value)}; {select}.dispatchEvent(new Event('change'))")


def test_runs_are_filtered_sorted_and_folded_and_the_address_remembers_it(look: Callable[[str], Page]) -> None:
    page = look("")
    assert page.ask(TOLD) == "1,000 of 1,000 runs"
    assert page.ask(f"{SHOWN}.length") == RUNS
    choose(page, "Status", "failed")
    choose(page, "Month", "2023-03")
    heads = page.ask("[...document.querySelectorAll('.all-runs thead th')].map(head => head.textContent)")
    when, status, hours = map(heads.index, ("When", "Status", "GPU-hours"))
    cells = page.ask(f"{SHOWN}.map(row => [row.cells[{when}].textContent, row.cells[{status}].textContent])")
    assert cells
    assert {(day[:7], word) for day, word in cells} == {("2023-03", "failed")}
    assert page.ask(TOLD) == f"{len(cells)} of 1,000 runs"
    page.ask(f"document.querySelectorAll('.all-runs thead th')[{hours}].querySelector('button').click()")
    page.ask("[...document.querySelectorAll('tr.group button')].find(button => button.checkVisibility()).click()")
    folded = page.ask(f"{SHOWN}.length")
    assert folded < len(cells)
    state = page.ask("location.hash")
    assert "status=failed" in state
    assert "month=2023-03" in state
    again = look(state)
    assert again.ask(f"{SHOWN}.map(row => row.innerText)") == page.ask(f"{SHOWN}.map(row => row.innerText)")
    assert again.ask(TOLD) == page.ask(TOLD)
    assert again.ask(f"document.querySelectorAll('.all-runs thead th')[{hours}].ariaSort") == "ascending"
    again.ask("[...document.querySelectorAll('.filters button')].at(-1).click()")
    assert again.ask(f"{SHOWN}.length") == RUNS


def test_what_a_link_asks_for_and_is_not_there_shows_all(look: Callable[[str], Page]) -> None:
    page = look("#status=nonsense&item=%3Cb%3E&sort=Nowhere+ascending&folded=Nothing")
    assert page.ask(f"{SHOWN}.length") == RUNS


def test_without_scripts_all_runs_are_a_plain_table(runs: tuple[str, Path]) -> None:
    page = (runs[1] / "site/made-up/runs/index.html").read_text("utf-8")
    assert page.count("<tr>") == RUNS + 1
    assert "<select" not in page
