"""The first page of a tree: a table of the projects, what is to be looked at first, and published documents apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from reckon.present.charts import Drawing, Picture
from reckon.present.pages import present
from reckon.present.portfolio import LITTLE_LEFT, SOON_DAYS, STALE_DAYS
from tests.booked import TEMPLATES, booked
from tests.present.test_traced import marked, without_marked

CARDS = {"catalog/gpus.yaml": "card: {title: Card}\n"}
PLAN = "one: {title: One, items: {work: {title: Work, scope: one-time, gpu_hours: %s}}}\n"
RUN = "- {date: %s, item: work, gpu_hours: %s, progress: {done: %s, total: 10}}\n"
ROOT = TEMPLATES.parent


def project(name: str, hours: str = "100", run: str = "", more: str = "") -> dict[str, str]:
    """The files of a project of one line of a plan, called by its id with a capital."""
    head = f"title: {name.capitalize()}\nversion: 1.0.0\nas_of: 2026-01-01\ngpu: card\nsummary: It is {name}.\n{more}"
    files = {f"{name}/project.yaml": head}
    if hours:
        files[f"{name}/plan.yaml"] = PLAN % hours
    return files | ({f"{name}/runs/all.yaml": run} if run else {})


@contextmanager
def undrawn(pictures: Sequence[Picture]) -> Iterator[object]:
    yield lambda: [Drawing("", "") for _ in pictures]


def files_of(root: Path, *projects: dict[str, str]) -> dict[str, str]:
    book = booked(root, {key: text for some in (CARDS, *projects) for key, text in some.items()})
    return present(book, [TEMPLATES], lambda path: None, draw_all=undrawn)  # type: ignore[arg-type]


def front(root: Path, *projects: dict[str, str]) -> str:
    """The text of the first page, without where its links lead."""
    return re.sub(r"\[([^][]*)\]\([^)]*\)", r"\1", files_of(root, *projects)["docs/index.md"])


OVER = RUN % ("2026-03-10", 130, 8)
RISKY = RUN % ("2026-03-20", 60, 3)
WELL = RUN % ("2026-03-20", 40, 5)
OLD = RUN % ("2026-02-20", 10, 5)
"""28 days before the newest: just not old."""
OLDER = OLD.replace("02-20", "02-19")
DONE = OLDER.replace("done: 5", "done: 10")


def rows_of(page: str, heading: str) -> dict[str, list[str]]:
    """The cells of the first table under a heading, without links, by the name in the first."""
    table = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][1:]
    return {row[0].strip("*"): row[1:] for row in rows}


def test_what_somebody_should_look_at_stands_first_with_its_figures(tmp_path: Path) -> None:
    page = front(
        tmp_path,
        project("well", run=WELL),
        project("risky", run=RISKY),
        project("over", run=OVER),
        project("old", run=OLDER),
        project("fresh", run=OLD),
        project("done", run=DONE),
        project("planned"),
    )
    rows = rows_of(page, "Your projects")
    assert list(rows) == ["Over", "Risky", "Old", "Done", "Fresh", "Planned", "Well"]
    assert rows["Over"][0] == "**Over budget**: 130 GPU-h are charged, the final budget is 100 GPU-h"
    assert re.fullmatch(
        r"\*\*At risk\*\*: the chance of exceeding the final budget is [\d.–]+% \(\d+% before any run\)",
        rows["Risky"][0],
    )
    assert rows["Old"][0].endswith(f" is of 2026-02-19, {STALE_DAYS + 1} days before the newest of another project")
    assert {name: row[1] for name, row in rows.items() if row[1] != "90 of 100"} == {
        "Over": "−30 of 100",
        "Risky": "40 of 100",
        "Planned": "100 of 100",
        "Well": "60 of 100",
    }
    assert rows["Done"][3] == "done"
    assert rows["Planned"][2:] == ["51%", "–", "none"]


ACCEPTED = """\
policies: {few: {require: actual.total <= 9 gpu_hours, message: Stop.}}
accept: [{finding: policy-breached:%s.policies.few, reason: It was agreed., by: Mira}]
"""


def test_what_is_accepted_is_counted(tmp_path: Path) -> None:
    page = front(tmp_path, project("well", run=WELL, more=ACCEPTED % "well"))
    assert rows_of(page, "Your projects")["Well"][-1].endswith("1 accepted")


def test_without_a_limit_or_a_plan_what_is_spent_is_told(tmp_path: Path) -> None:
    page = front(
        tmp_path,
        project("best", "30", RUN % ("2026-03-01", 45, 10), "plan_is: best-case\n"),
        project("spent", "", "- {date: 2026-03-01, gpu_hours: 7, unplanned: true, item: any}\n"),
    )
    rows = rows_of(page, "Your projects")
    assert [rows[name][1:3] for name in ("Best", "Spent")] == [["45 spent", "–"], ["7 spent", "–"]]


def test_without_a_project_it_says_how_to_begin(tmp_path: Path) -> None:
    page = front(tmp_path)
    assert "There are no projects yet. A project is a folder under `ledger/` with a `project.yaml`." in page
    assert "## " not in page


def test_documents_and_examples_stand_apart(tmp_path: Path) -> None:
    page = front(
        tmp_path,
        project("theirs", run=OVER, more="origin: document\n"),
        project("ours", run=WELL),
        project("shown", run=OVER, more="origin: example\n"),
    )
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        "Your projects",
        "Example",
        "Published documents, recalculated",
    ]
    assert [list(rows_of(page, name)) for name in ("Your projects", "Example", "Published")] == [
        ["Ours"],
        ["Shown"],
        [],
    ]
    assert "\nNone of them contains an error.\n" in page
    assert list(rows_of(page, "Published documents, recalculated")) == ["Theirs"]


BOLD = "answer: {section: answer, text: '**It takes {plan.work.total}\n  in all.** The rest is not told.'}\n"


def test_a_document_is_told_by_the_bold_beginning_of_its_answer(tmp_path: Path) -> None:
    claims = {"theirs/claims.yaml": "- {of: plan.work.total, states: 30, at: Summary}\n"}
    said = {"theirs/texts.yaml": BOLD}
    plain = {"plain/texts.yaml": "answer: {section: answer, text: 'Not in **bold** from the start.'}\n"}
    page = front(
        tmp_path,
        project("plain", more="origin: document\n") | plain,
        project("theirs", more="origin: document\n") | claims | said,
        project("bare", "", "", "origin: document\n"),
    )
    assert "\n1 of 3 documents contains errors.\n" in page
    rows = rows_of(page, "Published documents, recalculated")
    assert list(rows) == ["Theirs", "Bare", "Plain"], "most errors first"
    assert rows["Theirs"] == ["It takes 100 GPU-h in all", "1 error"]
    assert rows["Plain"] == ["100 GPU-h are planned", "none"]
    assert rows["Bare"][0] == "It is bare."


def test_examples_alone_say_where_a_project_of_ones_own_goes(tmp_path: Path) -> None:
    page = front(tmp_path, project("shown", run=OVER, more="origin: example\n"))
    assert (
        "\nA project of your own is a folder under `ledger/` with a `project.yaml`; it is listed here before " in page
    )
    assert rows_of(page, "Example")["Shown"][0].startswith("**Over budget**: 130 GPU-h are charged")


GRANT = """\
%s: {title: Grant of %s, gpu_hours: %s, since: 2026-01-01, until: %s, projects: [well]}
"""


def test_an_allocation_is_told_where_little_is_left_or_it_ends_soon(tmp_path: Path) -> None:
    """The newest run is of 20 March, and 40 hours are charged to whichever grant is alone."""
    told = {}
    for name, hours, until in (
        ("little", 49, "2027-01-01"),
        ("enough", 50, "2027-01-01"),
        ("soon", 5000, "2026-05-19"),
        ("later", 5000, "2026-05-20"),
    ):
        grant = {"allocations.yaml": GRANT % (name, name, hours, until)}
        page = front(tmp_path / name, project("well", run=WELL) | grant)
        told[name] = re.findall(r"^Grant of .*$", page, re.MULTILINE)
    assert (Fraction(1, 5), 60) == (LITTLE_LEFT, SOON_DAYS)
    assert [len(lines) for lines in told.values()] == [1, 0, 1, 0]
    assert told["little"][0].startswith(
        "Grant of little (data to 2026-03-20): 9 GPU-h of 49 GPU-h left, ends 2027-01-01"
    )


def test_no_numeral_of_it_is_untraced(tmp_path: Path) -> None:
    files = [project("risky", run=RISKY), project("old", run=OLDER), project("theirs", more="origin: document\n")]
    book = booked(tmp_path, {key: text for some in (CARDS, *files) for key, text in some.items()})
    page = present(book, [TEMPLATES], lambda path: None, marked, draw_all=undrawn)["docs/index.md"]  # type: ignore[arg-type]
    assert not [line for line in without_marked(page).splitlines() if re.search(r"\d", line)]
