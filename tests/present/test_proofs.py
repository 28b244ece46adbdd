"""A figure leads to its proof: the row that a click opens shows the number that was clicked, in the same unit.

The pages are read as they are kept, every release among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from posixpath import normpath
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.charts import Drawing
from reckon.present.export import snapshot_of
from reckon.present.pages import frozen, present
from reckon.publish.files import existing
from reckon.publish.reference_links import as_made
from tests.present.test_status import files_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\(((?:[^()\s#]*(?:derivations|catalog)[^()\s#]*\.md)?)#([^()\s]+)\)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
BETWEEN = re.compile(r"\([^()]*\)| exactly|[≥≤−–()~]|(?<=\d) to (?=\S)| (?:×) ?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
ROW = re.compile(r'<a id="([^"]+)"></a>')
BARS = re.compile(r"(?<!\\)\|")


class Amount(NamedTuple):
    """The numbers of a text, and what stands beside them."""

    numbers: frozenset[Decimal]
    unit: str


def amount_of(text: str) -> Amount:
    numbers = frozenset(Decimal(number.replace(",", "")) for number in NUMBER.findall(text))
    unit = NUMBER.sub("", BETWEEN.sub(" ", text))
    return Amount(numbers, "".join(unit.split()).removesuffix("s"))


@cache
def rows_of(page: Path) -> dict[str, tuple[str, ...]]:
    """The texts that print each figure of a derivations page, by address; its headings have none."""
    rows = {}
    for line in as_made(page.read_text("utf-8")).splitlines():
        if line.startswith("#"):
            rows["-".join(re.findall(r"\w+", line.lower()))] = ()
        elif found := ROW.search(line):
            first, *others = BARS.split(line)[1:-1]
            value = others[0] if len(others) > 1 else re.split(r"<br>", first)[1]
            rows[found[1]] = tuple(texts_of(plain(value).strip()))
    return rows


def texts_of(value: str) -> Iterator[str]:
    """The texts of a value: `238 GPU-h (211–264) (211.2–264 exactly), also 237.6 GPU-h` has two."""
    begun, _, others = value.partition(", also ")
    yield begun
    yield from others.split(", ") if others else ()


def plain(text: str) -> str:
    """Inline markdown as it is read."""
    return re.sub(r"\\(.)", r"\1", LINK.sub(r"\1", text)).replace("**", "").replace("&#126;", "~")


class Leading(NamedTuple):
    """A link to a row: the page it stands on, its text, the heading of its column, the page and anchor of the row."""

    page: Path
    text: str
    heading: str
    target: Path
    anchor: str


def links_of(page: Path) -> Iterator[Leading]:
    """The links of a page to rows of derivations."""
    headings, before = [], ""
    for line in as_made(page.read_text("utf-8")).splitlines():
        cells = BARS.split(line) if line.startswith("|") else [line]
        if re.fullmatch(r"\|(:?-+:?\|)+", line):
            headings = BARS.split(before)
        elif not line.startswith("|"):
            headings = []
        before = line
        for at, cell in enumerate(cells):
            for text, target, anchor in LINK.findall(cell):
                if target or page.name.startswith(("derivations", "catalog")):
                    row = Path(normpath(page.parent / target)) if target else page
                    heading = headings[at] if len(headings) == len(cells) else ""
                    yield Leading(page, plain(text), plain(heading).strip(), row, unquote(anchor))


def what_is_wrong(link: Leading) -> str:
    """The kind of what is wrong with a link; empty where the row shows what was clicked."""
    texts = rows_of(link.target).get(link.anchor)
    if texts is None:
        return "no row"
    clicked = amount_of(link.text)
    if not texts or link.text in texts:
        return ""
    amounts = [amount_of(text) for text in texts]
    wanted = clicked.unit or amount_of(link.heading.rpartition(", ")[2]).unit
    units = {amount.unit for amount in amounts}
    if clicked.unit and clicked.unit not in units:
        return f"no number in {clicked.unit}"
    same = [amount for amount in amounts if amount.unit == wanted] if wanted in units else amounts
    shown = {number for amount in same for number in amount.numbers}
    return "" if clicked.numbers <= shown else "another number"


SEALED = {"docs/pixelis/releases/1.0.0": 9, "birdsong/releases/0.1.0": 2, "birdsong/releases/0.2.0": 2}
"""Releases from before rows had all forms, each with the links whose row has only the range or another unit: a frozen
page stays as it was published."""


def wrong_of(pages: Iterator[Path]) -> list[str]:
    """What is wrong with the links of some pages, each with its kind."""
    links = [link for page in pages if "guide" not in page.parts for link in links_of(page)]
    assert len(links) > 100
    return [f"{kind}: {link.page} {link.text!r} -> {link.anchor}" for link in links if (kind := what_is_wrong(link))]


def test_the_row_of_every_figure_shows_what_was_clicked() -> None:
    assert wrong_of(page for page in sorted(DOCS.rglob("*.md")) if "releases" not in page.parts) == []


@pytest.mark.parametrize("release", SEALED)
def test_no_release_has_more_wrong_rows_than_when_it_was_sealed(release: str) -> None:
    pages = [page for page in sorted(DOCS.rglob("*.md")) if release in page.as_posix()]
    assert len(wrong_of(iter(pages))) == SEALED[release]


def test_a_new_release_has_no_wrong_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reckon.present.pages.draw", lambda picture: Drawing("<svg/>", "{}"))
    book, _ = calculate(load(ROOT)[0])
    for project in ("pixelis", "birdsong", "phase2-collection"):
        snapshot = snapshot_of(book, project, {}, "2026-01-01", "Why")
        made = frozen(book, snapshot, [ROOT / "templates"], existing(ROOT))
        texts = {path: text for path, text in made.items() if path.endswith(".md")}
        for path, text in texts.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        assert wrong_of(tmp_path / path for path in texts) == []


def test_every_release_is_looked_at() -> None:
    found = {page.parent.as_posix() for page in DOCS.rglob("releases/*/index.md")}
    assert {next(name for name in SEALED if folder.endswith(name)) for folder in found} == set(SEALED)
    assert len(found) == len(SEALED)


def test_a_range_has_its_value_to_plan_with_and_other_forms_stand_behind_it(ledger: Any) -> None:
    """Two steps of 2 to 4 hours are 6 h to plan with; a claim in minutes has the figure beside it in minutes."""
    figures = "a: {title: A, hours: {formula: each_hours * 2, each_hours: 2-4}}\n"
    claims = "- {of: figures.a, states: 480 min, at: Page 2}\n"
    page = files_of(ledger(figures=figures, claims=claims).book())["docs/p/derivations.md"]
    assert "</a>A<br>**6 h (4–8)**, also 240–480 min<br>`p.figures.a`" in page


def test_a_row_ends_at_the_ledger(ledger: Any) -> None:
    """A sum leads to its runs, with what the filters of all runs are to ask; a draw names what it is based on; and a
    ledger line has its text, cut short, of which nothing acts."""
    item = "{title: Long work, scope: per-seed, gpu_hours: 80, notes: '" + "<b>`|" * 30 + "'}"
    tree = ledger(
        project="seeds: [1, 2]\nceiling: 200 # of the centre\n",
        plan=f"one:\n  title: One\n  items:\n    work: {item}\n",
        runs="- {date: 2025-01-02, item: work, seed: 1, gpu_hours: 3, progress: {done: 1, total: 10}}\n"
        "- {date: 2025-01-03, item: other, unplanned: true, gpu_hours: 2}\n",
    )
    pages = present(tree.book(), [ROOT / "templates"], existing(tree.root))
    rows = {found: line for line in pages["docs/p/derivations.md"].splitlines() for found in ROW.findall(line)}
    named = r"\[1 run\]\(attempts\.md\?seed=1&status=&item=Long\+work\)<br>1 of the runs in `[\w./-]+` at line `1` \|"
    assert re.search(named, rows["p.plan.work.seeds.1.actual"])
    assert "[1 run](attempts.md?seed=&status=&phase=Unplanned)<br>" in rows["p.actual.unplanned"]
    assert "Based on: " in rows["p.forecast.probability_over_ceiling"]
    assert "Spread of that ratio [" in rows["p.forecast.probability_over_ceiling"]
    assert "`ceiling: 200 # of the centre`" in rows["p.ceiling"]
    assert "`work: {title: Long work, scope: per-seed, gpu_hours: 80," in rows["p.plan.work.gpu_hours"]
    assert "…" in rows["p.plan.work.gpu_hours"]


def test_the_first_lines_of_many_runs_are_named(ledger: Any) -> None:
    run = "- {date: 2025-01-02, item: work, gpu_hours: 3}\n"
    plan = "one: {title: One, items: {work: {title: Work, scope: one-time, gpu_hours: 80}}}\n"
    tree = ledger(plan=plan, runs=run * 12)
    page = present(tree.book(), [ROOT / "templates"], existing(tree.root))["docs/p/derivations.md"]
    (row,) = [line for line in page.splitlines() if ROW.findall(line)[:1] == ["p.plan.work.actual"]]
    assert " at line `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9`, `10`<br>" in row
    assert row.endswith("<br>and [2 more runs](attempts.md?seed=&status=&item=Work) |")


def test_planned_hours_have_what_contradicts_them() -> None:
    lines = [line for page in DOCS.glob("pixelis/derivations*.md") for line in page.read_text("utf-8").splitlines()]
    rows = {found: line for line in lines for found in ROW.findall(line)}
    needs = "<br>Its own settings need [1,440–1,920 GPU-h][plan.rft.estimate]<br>[Finding](findings.md): "
    assert needs in rows["pixelis.plan.rft.gpu_hours"]
    assert "settings need" not in rows["pixelis.plan.domain-adaptation.gpu_hours"], "its settings need as much"


def test_no_row_of_a_sum_lacks_its_runs() -> None:
    """The ends of all trails: what is summed over runs has a link to them, what is drawn has what it is based on."""
    for page in DOCS.rglob("derivations*.md"):
        if "releases" not in page.parts:
            for line in page.read_text("utf-8").splitlines():
                if "| `sum over " in line:
                    assert "](attempts.md?" in line or "no runs yet" in line
                if " draws " in line and ", as planned<br>" not in line:  # those rest on the whole plan and its ranges
                    assert "Based on: " in line


def test_a_kind_of_miss_is_told() -> None:
    """The check above finds a row without the number, one in another unit, and one that is missing."""
    page = ROOT / "docs/pixelis/index.md"
    row = ROOT / "docs/pixelis/derivations.md"
    links = [
        Leading(page, text, heading, row, anchor)
        for text, heading, anchor in (
            ("1,535", "Planned", "pixelis.budget.final"),
            ("1,536", "Planned", "pixelis.budget.final"),
            ("1,535 d", "Planned", "pixelis.budget.final"),
            ("1,535", "Planned", "pixelis.budget.finally"),
        )
    ]
    assert list(map(what_is_wrong, links)) == ["", "another number", "no number in d", "no row"]
