"""What of an allocation expires unused, and the pace that would use it: `digest --today` and `review`, by hand."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import copytree

import pytest

from reckon.compute.book import Book
from reckon.language.calendar_days import last_day
from reckon.present.budget.expiry import expiring
from reckon.present.render.numbers import format_sentence
from tests.booked import booked
from tests.cli.test_release import budget
from tests.commands import given
from tests.small import plant

GPUS = "card: {title: Card, vram_gib: 24}\n"
GRANT = "g: {title: February, gpu_hours: 100, since: 2025-02-01, until: 2025-02, projects: [p]}\n"
PLAN = "w: {title: Work, items: {train: {title: Training, scope: one-time, gpu_hours: 400}}}\n"
HEAD = "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n"


def files(grants: str = GRANT, *projects: str, done: int = 3) -> dict[str, str]:
    """Projects that ran 3 hours on each of the first 4 days of February, and got so many hundredths of 400 done."""
    found = {"catalog/gpus.yaml": GPUS, "allocations.yaml": grants}
    for name in projects or ("p",):
        state = f"status: running, progress: {{done: {done}, total: 100}}"
        days = [f"- {{date: 2025-02-0{day}, item: train, gpu_hours: 3, {state}}}\n" for day in (1, 2, 3, 4)]
        found |= {f"{name}/project.yaml": HEAD, f"{name}/plan.yaml": PLAN, f"{name}/runs/2025-02.yaml": "".join(days)}
    return found


def told(book: Book, today: str = "", since: str = "") -> list[str]:
    return [format_sentence(each) for _, each in expiring(book, last_day(today), last_day(since))]


@pytest.mark.parametrize(
    ("today", "days", "rate"),
    [
        ("2025-01-28", "", ""),  # 31 days
        ("2025-01-29", "30 days", "2.9"),
        ("2025-02-14", "14 days", "6.3"),
        ("2025-02-21", "7 days", "12.6"),
        ("2025-02-27", "1 day", "88"),
        ("2025-02-28", "0 days", "88"),  # what is left of the day itself
        ("2025-03-01", "", ""),
    ],
)
def test_the_days_that_are_left_and_the_pace_that_uses_it(today: str, days: str, rate: str, tmp_path: Path) -> None:
    """12 of 100 hours are charged; 3 a day for the 24 days from the last run are 72 of 88, so 16 expire. 88 in 14 days
    are 6.3 a day."""
    found = told(booked(tmp_path, files()), today)
    end = "to 2025-02-28; 16 GPU-h will expire unused (P10–P90)"
    assert found == ([f"February: {days} left, {end}; {rate} GPU-h/d would use it"] if days else [])


def test_without_a_day_it_is_as_of_the_last_run(tmp_path: Path) -> None:
    """4 February is 24 days before the end."""
    assert told(booked(tmp_path, files()))[0].startswith("February: 24 days left, ")


def test_the_range_is_that_of_the_work_to_come(tmp_path: Path) -> None:
    """12 of 20 hours are done: less is to come than at the present pace, and what is left at P10 is most."""
    plan = PLAN.replace("400", "20")
    book = booked(tmp_path, {**files(done=60), "p/plan.yaml": plan})
    low, high = (100 - float(book[f"allocations.g.forecast_p{percent}"].use or 0) for percent in (90, 10))
    assert 75 < low < high < 88
    assert f"; {low:.1f}–{high:.1f} GPU-h will expire unused (P10–P90); " in told(book, "2025-02-14")[0]


def test_two_projects_draw_on_one(tmp_path: Path) -> None:
    """24 of 300 are charged, and 6 a day for 24 days are 144: 132 of 276 expire. 276 in 14 days are 19.7 a day."""
    grant = "g: {title: Both, gpu_hours: 300, since: 2025-02-01, until: 2025-02, projects: [p, q]}\n"
    found = told(booked(tmp_path, files(grant, "p", "q")), "2025-02-14")
    assert found == [
        "Both: 14 days left, to 2025-02-28; 132 GPU-h will expire unused (P10–P90); 19.7 GPU-h/d would use it"
    ]


def test_of_two_allocations_only_that_which_ends_soon_with_something_left(tmp_path: Path) -> None:
    others = "later: {title: Later, gpu_hours: 100, since: 2025-03, until: 2025-12, projects: [p]}\n"
    others += "past: {title: Past, gpu_hours: 100, until: 2025-01, projects: [p]}\n"
    others += "open: {title: Open, gpu_hours: 100, since: 2026-01, projects: [p]}\n"
    found = told(booked(tmp_path, files(GRANT + others)), "2025-02-14")
    assert [each.partition(":")[0] for each in found] == ["February"]
    used_up = GRANT.replace("gpu_hours: 100", "gpu_hours: 40")
    assert told(booked(tmp_path / "used", files(used_up)), "2025-02-14") == [], "3 a day for 24 days are more than 28"


def test_all_that_is_left_may_expire_where_nothing_ran(tmp_path: Path) -> None:
    tree = files()
    del tree["p/runs/2025-02.yaml"]
    found = told(booked(tmp_path, tree), "2025-02-14")
    assert found == [
        "February: 14 days left, to 2025-02-28; ≤ 100 GPU-h will expire unused (P10–P90); 7.1 GPU-h/d would use it"
    ]


@pytest.mark.parametrize(
    ("since", "news"),
    [
        ("2025-02-13", ", within 14 days since the last digest"),  # then it was 15 days
        ("2025-02-14", ""),
        ("2025-01-20", ", within 14 days since the last digest"),
    ],
)
def test_what_is_new_since_the_last_digest(since: str, news: str, tmp_path: Path) -> None:
    found = told(booked(tmp_path, files()), "2025-02-18", since)
    assert found[0].startswith(f"February: 10 days left, to 2025-02-28{news}; ")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A committed tree, whose work is done 24 days before its allocation ends, so that all that is left expires."""
    finished = {**files(done=100), "p/plan.yaml": PLAN.replace("400", "12")}
    root = plant(tmp_path / "tree", {f"ledger/{name}": text for name, text in finished.items()})
    who = "-c", "user.name=A", "-c", "user.email=a@example.org"
    for words in (["init", "-q", "-b", "main"], ["add", "."], [*who, "commit", "-qm", "one"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


SAID = "Ending soon\n- February: 14 days left, to 2025-02-28; 88 GPU-h will expire unused (P10–P90); 6.3 GPU-h/d would"


def test_a_digest_tells_of_it_only_where_a_day_is_given(tree: Path) -> None:
    assert SAID in budget(tree, "digest", "--since", "HEAD", "--today", "2025-02-14", "--if-any").out
    for words in ((), ("--today", "2025-01-01")):
        assert "Ending soon" not in budget(tree, "digest", "--since", "HEAD", *words).out
        assert budget(tree, "digest", "--since", "HEAD", "--if-any", *words).out == ""
    marked = budget(tree, "digest", "--since", "HEAD", "--today", "2025-02-14", "--format", "markdown").out
    assert "**Ending soon**\n\n- February: 14 days left" in marked


def test_a_digest_since_a_folder_tells_the_same(tree: Path, tmp_path: Path) -> None:
    before = copytree(tree, tmp_path / "before")
    assert SAID in budget(tree, "digest", "--since", str(before), "--today", "2025-02-14").out


def test_a_title_acts_on_no_reader(tree: Path) -> None:
    path = tree / "ledger/allocations.yaml"
    path.write_text(GRANT.replace("February", "'@all <b>#1</b>'"), "utf-8")
    said = budget(tree, "digest", "--since", "HEAD", "--today", "2025-02-14", "--format", "markdown").out
    assert "<b>" not in said.partition("Ending soon")[2]


def test_what_is_no_day_is_refused(tree: Path) -> None:
    done = given(tree, "digest", "--since", "HEAD", "--today", "tomorrow")
    assert done.returncode == 2
    assert "'tomorrow' is not a date; write one such as 2025-09-10" in done.stderr


def test_a_review_tells_of_it_as_of_the_last_run(tree: Path) -> None:
    """A run more on 20 February, of 3 hours: 8 days are left, and 85 hours."""
    more = "- {date: 2025-02-20, item: train, gpu_hours: 3, status: running, progress: {done: 100, total: 100}}\n"
    plant(tree, {"ledger/p/runs/2025-02-20.yaml": more})
    said = budget(tree, "review", "HEAD").out
    assert "**Ending soon**, as of the last run:\n\n- February: 8 days left, to 2025-02-28; 85 GPU-h" in said


def test_a_review_tells_of_the_projects_that_are_touched_alone(tree: Path) -> None:
    plant(tree, {f"ledger/q/{name}": text for name, text in (("project.yaml", HEAD), ("plan.yaml", PLAN))})
    assert "Ending soon" not in budget(tree, "review", "HEAD").out
