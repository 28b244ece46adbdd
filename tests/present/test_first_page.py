"""The first page of a tree: what it is, who needs attention and why, one picture of all budgets, what is apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from reckon.present.budget.budget_shares import ending
from reckon.present.budget.status import Standing
from reckon.present.charts import Drawing, Picture
from reckon.present.charts.portfolio_chart import MOST_BUDGETS, across
from reckon.present.home import MOST_NAMED, MOST_TOLD, STALE_DAYS
from reckon.present.pages import present
from reckon.present.portfolio import Portfolio, _link_project
from reckon.present.view import View
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


def test_what_needs_attention_comes_first_with_its_figures(tmp_path: Path) -> None:
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
    assert "\nThe compute budgets of 7 projects: what each plans, has spent and is forecast to take. Click" in page
    told = re.findall(r"^- (.*)$", page.partition("## What needs attention\n")[2].partition("<figure")[0], re.MULTILINE)
    assert [line.partition(":**")[0] for line in told] == ["**Over, over budget", "**Risky, at risk", "**Old, old data"]
    assert told[0].startswith(
        "**Over, over budget:** 130 GPU-h are charged, the final budget is 100 GPU-h; it is forecast to end"
    )
    assert re.search(
        r"^\*\*Risky, at risk:\*\* the chance of exceeding the final budget is [\d.–]+% \(\d+% as planned\); "
        r"it is forecast to end at \d+ GPU-h, against a budget of 100 GPU-h\.$",
        told[1],
    )
    assert told[2].endswith(f" is of 2026-02-19, {STALE_DAYS + 1} days before the newest of another project.")
    assert page.index("What needs attention") < page.index("<figure") < page.index("## Budgets")


ACCEPTED = """\
policies: {few: {require: actual.total <= 9 gpu_hours, message: Stop.}}
accept: [{finding: policy-breached:%s.policies.few, reason: It was agreed., by: Mira}]
"""
SAID = "the policy “few” is breached: It was agreed (by Mira)."


def test_what_is_accepted_is_said_of_who_needs_attention_and_of_who_does_not(tmp_path: Path) -> None:
    page = front(
        tmp_path, project("well", run=WELL, more=ACCEPTED % "well"), project("over", run=OVER, more=ACCEPTED % "over")
    )
    over, well = re.findall(r"^- (.*)$", page.partition("## What needs attention\n")[2].partition("<figure")[0], re.M)
    assert over.startswith("**Over, over budget:** 130 GPU-h are charged")
    assert f"; accepted: {SAID[:-1]}; " in over
    assert well == f"**Well, accepted:** {SAID}"


def test_where_nothing_needs_attention_what_is_accepted_is_said(tmp_path: Path) -> None:
    page = front(tmp_path, project("well", run=WELL, more=ACCEPTED % "well"))
    assert "\nNothing needs attention: " in page
    assert f"\n- **Well, accepted:** {SAID}\n" in page
    assert "1 accepted |" in page


def test_where_extensions_have_begun_the_end_is_told_with_them(tmp_path: Path) -> None:
    more = "more: {title: More, extension: true, items: {rest: {title: Rest, scope: one-time, gpu_hours: 50}}}\n"
    extended = project("wide", run=WELL + RUN.replace("work", "rest") % ("2026-03-20", 40, 3))
    extended["wide/plan.yaml"] += more
    page = front(tmp_path, extended, project("risky", run=RISKY))
    assert re.search(
        r"^- \*\*Wide, at risk:\*\* .*; with the extensions it is forecast to end at \d{3} GPU-h, "
        r"against an extended budget of 150 GPU-h\.$",
        page,
        re.MULTILINE,
    )


def test_where_nothing_needs_attention_it_says_so(tmp_path: Path) -> None:
    page = front(tmp_path, project("well", run=WELL), project("fresh", run=OLD))
    said = "Nothing needs attention: no limit of a budget is exceeded or likely to be, and no finding is grave."
    assert f"\n{said}\n" in page
    assert "## What needs attention" not in page


def test_before_the_first_run_it_says_so(tmp_path: Path) -> None:
    page = front(tmp_path, project("a"), project("b"))
    assert "\nNo runs are recorded yet, so that there is nothing to compare with the plans.\n" in page
    assert "Nothing needs attention" not in page


def test_of_a_single_budget_its_own_first_sentence_stands_and_no_picture(tmp_path: Path) -> None:
    files = files_of(tmp_path, project("only", run=WELL))
    page = files["docs/index.md"]
    assert "\nThe compute budget of one project: what it plans, what is spent, and where it is forecast to end." in page
    assert re.search(
        r"^\*\*Only:\*\* \[100 GPU-h\]\S+ are planned, and \[40 GPU-h\]\S+ are spent\. The forecast is ", page, re.M
    )
    assert "none of its limits is exceeded" in page
    assert "docs/budgets.svg" not in files
    assert "<figure" not in page


def test_without_a_project_it_says_how_to_begin(tmp_path: Path) -> None:
    page = front(tmp_path)
    assert "There are no projects yet. A project is a folder under `ledger/` with a `project.yaml`." in page
    assert "## " not in page


def test_documents_and_examples_stand_apart_and_need_no_attention(tmp_path: Path) -> None:
    page = front(
        tmp_path,
        project("theirs", run=OVER, more="origin: document\n"),
        project("ours", run=WELL),
        project("shown", run=OVER, more="origin: example\n"),
    )
    assert "to end, with 1 audited document of others and 1 example." in page
    assert "## What needs attention" not in page
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [
        "The team's own",
        "Documents of others",
        "Examples",
        "What each is about",
    ]
    names = re.findall(r"^\| (Ours|Theirs|Shown) 1\.0\.0 ", page, re.MULTILINE)
    assert names == ["Ours", "Theirs", "Shown"]
    assert "\nNo error was found in them.\n" in page


def test_documents_in_which_figures_do_not_follow_are_named(tmp_path: Path) -> None:
    claims = {"theirs/claims.yaml": "- {of: plan.work.total, states: 30, at: Summary}\n"}
    page = front(tmp_path, project("theirs", more="origin: document\n") | claims)
    assert "\n1 published document, recalculated and audited." in page
    assert re.search(r"^- \*\*Theirs:\*\* 1 error, the first of them: \S.*\.$", page, re.MULTILINE)


def test_examples_alone_are_judged_and_say_where_a_project_of_ones_own_goes(tmp_path: Path) -> None:
    page = front(tmp_path, project("shown", run=OVER, more="origin: example\n"))
    assert "\nAn example of a compute budget: what it plans, " in page
    assert "\nA project of your own is a folder under `ledger/` with a `project.yaml`; it stands here before " in page
    assert "- **Shown, over budget:** 130 GPU-h are charged" in page


@pytest.mark.full
def test_of_many_the_first_are_named_and_the_others_counted(tmp_path: Path) -> None:
    many = [project(f"p{number}", run=RUN % ("2026-03-10", 130 + number, 9)) for number in range(60)]
    page = front(tmp_path, *many)
    told = re.findall(r"^- \*\*(P\d+), over budget", page, re.MULTILINE)
    assert len(told) == MOST_NAMED
    assert told[0] == "P59", "the one that takes most comes first"
    assert (
        "\nBeside these 50 projects more need attention: the table of budgets has the state of each, and how far "
        "its data go.\n"
    ) in page
    assert "What each is about" not in page
    assert "20 more are not shown." in page
    assert (MOST_BUDGETS, MOST_TOLD) == (40, 20)


def test_the_picture_has_shares_of_each_budget(tmp_path: Path) -> None:
    long = "title: Speech recognition of many languages, second attempt"
    renamed = project("d", run=RUN % ("2026-03-01", 50, 10))
    renamed["d/project.yaml"] = renamed["d/project.yaml"].replace("title: D", long)
    book = booked(
        tmp_path,
        {
            **CARDS,
            **project("a", "200", RUN % ("2026-03-01", 50, 5)),
            **project("b"),
            **renamed,
            **project("c", "unknown", RUN % ("2026-03-01", 50, 5)),
            **project("e", "30", RUN % ("2026-03-01", 45, 10), "plan_is: best-case\n"),
        },
    )
    views = [View(book, each) for each in book.ledger.projects.values()]
    shares = {view.id: ending(view) for view in views}
    assert shares["a"] is not None
    assert shares["a"].spent == pytest.approx(0.25)
    assert shares["a"].forecast is not None
    assert shares["a"].forecast[1] == book["a.forecast.p50"].use / 200  # type: ignore[operator]
    assert shares["b"] == (0, None)
    assert shares["c"] is None, "no budget is known"
    assert shares["d"] == (0.5, None), "all is done: nothing is forecast"
    picture = across(Portfolio(book, [Standing(view) for view in views]))
    assert picture is not None
    assert [(row.label, row.value) for row in picture.rows if row.label != "A"] == [
        ("E, best case", "150%"),
        ("Speech recognition … second attempt", "50%"),
        ("B", "0%"),
    ]
    assert picture.alt.startswith("Per cent of each budget: E, best case 150% spent, ")
    assert " A 25% spent and " in picture.alt


def test_no_numeral_of_it_is_untraced(tmp_path: Path) -> None:
    files = [project("risky", run=RISKY), project("old", run=OLDER), project("theirs", more="origin: document\n")]
    book = booked(tmp_path, {key: text for some in (CARDS, *files) for key, text in some.items()})
    page = present(book, [TEMPLATES], lambda path: None, marked, draw_all=undrawn)["docs/index.md"]  # type: ignore[arg-type]
    assert not [line for line in without_marked(page).splitlines() if re.search(r"\d", line)]


def test_a_pending_version_is_told_as_what_it_comes_after(tmp_path: Path) -> None:
    """A version that is released is told as it is; a later one of the ledger is not released yet."""
    book = booked(tmp_path, {**CARDS, **project("a", run=WELL)})
    ledger = book.ledger.projects["a"]
    told = []
    for released in ((), ("1.0.0",), ("0.9.0",)):
        view = View(book, ledger, tuple(SimpleNamespace(version=version) for version in released))  # type: ignore[arg-type]
        told.append(_link_project(view, "status")[-1])
    assert told == ["1.0.0", "1.0.0", "after 0.9.0"]
