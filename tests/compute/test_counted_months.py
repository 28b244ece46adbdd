"""Jobs counted together give each figure, each finding and each page that the same jobs give as a line each."""

from __future__ import annotations

import random
import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import Phase, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from reckon.compute.audit.entries import doubts_of
from reckon.compute.audit.entries.dates import BEFORE
from reckon.compute.audit.entries.entry import around
from reckon.compute.book import Book
from reckon.load import canonical_runs
from reckon.load.reader import load
from reckon.model.figure import Figure
from reckon.model.finding import Finding
from reckon.model.runs import ColumnRuns
from tests.booked import paged
from tests.months import LINES, PROJECT, ROWS, booked, counted, dump, jobs, planted, tree
from tests.trying import LONG

MANY = 400 if LONG else 8
PAGED = 10
"""Of how many ledgers the pages of one are made: they take most of the time."""
ZONES = ("Europe/Oslo", "UTC", "America/New_York")
BY_DAY = (".pace.", "days_left", "days_to_end", ".reached", ".drawn_since", ".end", ".unused")
"""Figures that rest on which hours were charged on which day: of jobs counted together that is not known."""
DATED = {"date-cannot-be-met", "limit-passed"}
"""Rules whose arithmetic is of such a figure."""
OF_ENTRIES = {"run-outside-its-dates#before", "more-than-the-capacity#gpus"}
"""Rules that ask at which moment each job ran, or tell entries one by one where these are few."""


def both(seed: int, root: Path, began: str = "") -> tuple[Book, Book]:
    """A ledger with random jobs of a scheduler as a line each, and with the same jobs counted together; of a project
    that began on a day, if one is named."""
    draw = random.Random(seed)
    zone = draw.choice(ZONES)
    files, text = tree(draw), dump(jobs(draw, zone))
    if began:
        kept = [line for line in files[PROJECT].splitlines() if not line.startswith("began: ")]
        files[PROJECT] = "\n".join([*kept, f"began: {began}", ""])
    return (
        booked(counted(planted(root / "lines", files, zone, LINES), text)),
        booked(counted(planted(root / "rows", files, zone, ROWS), text)),
    )


def figures(book: Book) -> dict[str, object]:
    """All figures but those that rest on days."""
    found = book.figures.items()
    return {at: (figure.value, figure.missing) for at, figure in found if not any(word in at for word in BY_DAY)}


def told(book: Book) -> list[tuple[str, ...]]:
    """The findings, each with its sentences but for what is of a day."""
    return sorted(
        (found.id, found.severity, said(found.title), "" if found.rule in DATED else arithmetic(found))
        for found in book.findings["demo"]
        if found.rule not in (*OF_ENTRIES, "jobs-in-doubt")
    )


def before_the_project(book: Book) -> tuple[int, Fraction]:
    """The runs that began before their project, and their GPU-hours, with those that they were charged since."""
    project = book.ledger.projects["demo"]
    doubts = doubts_of(around(project, book))
    found = [doubt.entry.run for doubt in doubts if doubt.cause.rule == BEFORE.rule]
    return sum(run.many for run in found), sum((run.charged_hours for run in found), Fraction(0))


def arithmetic(finding: Finding) -> str:
    text = said(finding.arithmetic)
    # The last of jobs counted together began at a day that is not known.
    return (
        text.split(", the last of them on")[0].split(", on ")[0]
        if finding.judgement == "run-outside-its-dates"
        else text
    )


def said(sentence: tuple[str | Figure, ...]) -> str:
    return "".join(part if isinstance(part, str) else str(part.use) for part in sentence)


@pytest.mark.full
@examples(max_examples=MANY, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 2**32))
def test_each_figure_and_finding_is_that_of_the_jobs(seed: int) -> None:
    with tempfile.TemporaryDirectory() as root:
        as_lines, as_rows = both(seed, Path(root))
    assert figures(as_rows) == figures(as_lines)
    assert told(as_rows) == told(as_lines)
    assert before_the_project(as_rows) == before_the_project(as_lines)
    if seed % PAGED == 0:
        assert paged(as_rows).keys() == paged(as_lines).keys()


@pytest.mark.parametrize("seed", range(60 if LONG else 6))
def test_jobs_before_their_project_are_told_with_all_their_hours(seed: int, tmp_path: Path) -> None:
    """Those that they held before it began and since: in April the jobs of February and March are all before it."""
    for number, began in enumerate(("2025-03-10", "2025-04-01")):
        as_lines, as_rows = both(seed, tmp_path / str(number), began)
        many, charged = before_the_project(as_lines)
        assert before_the_project(as_rows) == (many, charged)
        assert many or not number
        found = [said(each.arithmetic) for each in as_rows.findings["demo"] if each.rule == BEFORE.rule]
        assert len(found) > 1 or not many or found[0].startswith(f"{many} run")


def test_of_random_jobs_some_are_counted_together_and_their_figures_are_compared(tmp_path: Path) -> None:
    """Else the test above would compare nothing."""
    rows = []
    for seed in range(6):
        as_lines, as_rows = both(seed, tmp_path / str(seed))
        assert set(as_lines.ledger.projects["demo"].rows.column("jobs")) == {None}
        rows += [run for file in as_rows.ledger.projects["demo"].runs for run in file.runs if run.jobs is not None]
        assert len(figures(as_rows)) > 50
    assert sum(run.many > 1 for run in rows) > 10
    assert sum(run.many == 0 for run in rows) > 10, "what was held in a later month, or after a day that matters"
    assert any(run.imported and run.imported.again for run in rows)
    assert {str(run.gpu_hours).count("/") for run in rows} == {0, 1}, "shares of GPUs too"


@pytest.mark.parametrize("seed", range(100 if LONG else 6))
def test_rows_are_the_same_to_both_readers(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    zone = draw.choice(ZONES)
    root = counted(planted(tmp_path, tree(draw), zone, ROWS), dump(jobs(draw, zone)))
    found = []
    for least in (0, 10**9):
        monkeypatch.setattr(canonical_runs, "LEAST", least)
        ledger, problems = load(root)
        assert problems == []
        project = ledger.projects["demo"]
        files = [file for file in project.runs if "/import/" in file.file]
        assert all(isinstance(file.runs, ColumnRuns) is (least == 0) for file in files), "the lines are canonical"
        assert list(project.rows.many) == [run.many for file in project.runs for run in file.runs]
        found.append([(file.file, list(file.runs), [run.place for run in file.runs]) for file in files])
    assert found[0] == found[1]
