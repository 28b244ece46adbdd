# ruff: noqa: E501 (messages stand unbroken)
"""What a newer method makes of a release, told as such: with the sentences of the methods that concern the figure.

`kelp-1.0.0.json` is a release of a made-up project, written by the program before methods were numbered. Its card
`small` costs $0.40 an hour and counts as a quarter of `big` at $2. Scoring took ten hours on it: then $5.00 of $42.50,
today $4.00 of $41.50. One completed run of 0.75 h ended a sweep planned at 45 h, and an attempt at training failed.
"""

from __future__ import annotations

import io
import json
import re
import shutil
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from reckon.cli.diff import compared
from reckon.compute.versions.method import METHOD, METHODS, NEWER, UNTOLD
from reckon.model.release import Changed, read_snapshot, seal
from tests.hub import git
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
RELEASED = (Path(__file__).parent / "kelp-1.0.0.json").read_text("utf-8")
FILES: dict[str, str] = json.loads(RELEASED)["files"]
HEAD, CARDS, PLAN = "ledger/kelp/project.yaml", "ledger/catalog/gpus.yaml", "ledger/kelp/plan.yaml"
(
    MONEY,
    RATIO,
    PROGRESS,
    FAILURES,
    DATES,
    CLOCKS,
    GRANTS,
    WORDLESS,
    STATED,
    HELD,
    BOUND,
    RATES,
    CARDS_ALONE,
    PAYERS,
    LOST,
    EARNED,
    DRAWN,
    PAID,
    BILLED,
    MENDED_SUMS,
) = (method.sentence for method in METHODS)
MENDED = {**FILES, HEAD: FILES[HEAD].replace(", Team: team", ""), CARDS: FILES[CARDS].replace("3x", "4x")}
"""The ledger of the release, without the two lines that a tree of today may not have."""


def snapshot(version: str = "1.0.0", **fields: Any) -> dict[str, str]:
    """The release as a file, without its pages, under another version or with other fields."""
    whole = {**json.loads(RELEASED), "pages": {}, "version": version, **fields}
    del whole["sha256"]
    return {f"ledger/kelp/releases/{version}.json": json.dumps({**whole, "sha256": seal(whole)}, ensure_ascii=False)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path, {**MENDED, "ledger/kelp/releases/1.0.0.json": RELEASED})


def told(root: Path, *words: str, code: int = 0) -> str:
    """All that a command says, which ends with a code."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        done = main(["--root", str(root), *words])
    assert done == code, err.getvalue()
    return out.getvalue() + err.getvalue()


def part(root: Path, *words: str) -> Any:
    found = json.loads(told(root, "diff", *words, "--format", "json"))["parts"]
    return next(each for each in found if each["id"] == "kelp")


def steps(found: Any) -> list[tuple[str, str, Fraction]]:
    return [(step["title"], step["reason"], Fraction(step["by"])) for step in found["bridge"]["steps"]]


def test_each_sentence_is_word_for_word_as_it_was_when_its_number_was_given() -> None:
    """Releases and pages quote them: `methods.txt` has one a line, and only grows."""
    sentences = (Path(__file__).parent / "methods.txt").read_text("utf-8").splitlines()
    assert [method.sentence for method in METHODS] == sentences
    assert [method.number for method in METHODS] == list(range(1, METHOD + 1))


def test_money_moves_by_the_method_of_money_alone(tree: Path) -> None:
    found = part(tree, "1.0.0", "--of", "money.actual")
    assert steps(found) == [("the method changed since kelp@1.0.0", MONEY, -1)]
    assert (Fraction(found["bridge"]["old"]["use"]), Fraction(found["bridge"]["new"]["use"])) == (42.5, 41.5)


def test_a_forecast_names_what_concerns_it_and_no_more(tree: Path) -> None:
    found = part(tree, "1.0.0", "--of", "forecast.p50")
    assert steps(found) == [("the method changed since kelp@1.0.0", f"{PROGRESS} {FAILURES}", 19)]
    (spent,) = [step for step in steps(part(tree, "1.0.0", "--of", "money.forecast_p50")) if step[2]]
    assert spent[1] == f"{MONEY} {PROGRESS} {FAILURES} {RATES} {DRAWN}", "a forecast of money rests on all"


def test_figures_that_moved_without_a_bridge_have_their_sentence_too(tree: Path) -> None:
    found = part(tree, "1.0.0")
    assert found["bridge"] is None, "no method concerns the hours of a budget: there is no step"
    by = {each["sentence"]: each["figures"] for each in found["method"]}
    assert list(by) == [PROGRESS, FAILURES, MONEY, RATES, DRAWN, EARNED], "neither ratios nor dates moved anything here"
    assert {each["since"] for each in found["method"]} == {"kelp@1.0.0"}
    assert [sentence for sentence, some in by.items() if "kelp.performance.eac" in some] == [PROGRESS]
    assert set(by[MONEY]) == {
        "kelp.money.actual",
        "kelp.money.remaining",
        "kelp.money.forecast_p10",
        "kelp.money.forecast_p50",
        "kelp.money.forecast_p90",
        "kelp.phases.evaluation.money.actual",
    }
    moved = {figure["address"] for figure in found["figures"]}
    assert all(set(some) <= moved for some in by.values())
    few = {each["sentence"]: each["figures"] for each in part(tree, "1.0.0", "--only-above", "50h")["method"]}
    assert few[FAILURES] == ["kelp.forecast.p10", "kelp.forecast.p90"], "P50 moved by 19 h, and is left out"


def test_what_the_inputs_moved_is_not_put_down_to_the_method(tree: Path) -> None:
    runs = MENDED["ledger/kelp/runs/2026-01.yaml"] + "- {date: 2026-01-20, item: train, gpus: 1, wall_hours: 3}\n"
    plant(tree, {"ledger/kelp/runs/2026-01.yaml": runs})
    found = part(tree, "1.0.0", "--of", "money.actual")
    assert [(title, by) for title, _, by in steps(found)] == [
        ("the method changed since kelp@1.0.0", -1),
        ("runs of train, 2026-01: 2 → 3, 18 → 21 GPU-h", 6),
    ]
    by = [address for each in found["method"] for address in each["figures"]]
    assert "kelp.money.actual" in by
    assert "kelp.actual.total" not in by


@pytest.mark.parametrize(("number", "reason"), [(3, FAILURES), (METHOD, UNTOLD), (METHOD + 1, NEWER)])
def test_only_methods_newer_than_the_release_are_named(number: int, reason: str, tree: Path) -> None:
    plant(tree, snapshot(method=number))
    assert [why for _, why, _ in steps(part(tree, "1.0.0", "--of", "forecast.p50"))] == [reason]


def test_between_two_releases_of_one_method_it_is_a_way_there_and_back(tree: Path) -> None:
    more = {**FILES, PLAN: FILES[PLAN].replace("gpu_hours: 50", "gpu_hours: 60")}
    plant(tree, snapshot("1.1.0", files=more))
    found = part(tree, "1.0.0", "1.1.0", "--of", "money.actual")
    assert steps(found) == [
        ("the method changed since kelp@1.0.0", MONEY, -1),
        ("back to the method of kelp@1.1.0", None, 1),
    ], "a sentence is said once"
    assert not found["method"], "both were calculated by the same one"


def test_today_made_by_the_method_of_today_has_no_step(tree: Path) -> None:
    plant(tree, snapshot())
    told(tree, "render")
    told(tree, "release", "kelp", "1.1.0", "-m", "As it is calculated today.", "--date", "2026-02-01")
    text = (tree / "ledger/kelp/releases/1.1.0.json").read_text("utf-8")
    assert read_snapshot(text, "kelp", "1.1.0").method == METHOD
    found = json.loads(told(tree, "diff", "1.1.0", "--format", "json") or "{}")
    assert found == {}
    both = part(tree, "1.0.0", "1.1.0")
    assert [each["sentence"] for each in both["method"]] == [PROGRESS, FAILURES, MONEY, RATES, DRAWN, EARNED]
    back = part(tree, "1.1.0", "1.0.0", "--of", "money.actual")
    assert steps(back) == [("back to the method of kelp@1.0.0", MONEY, 1)]
    assert {each["since"] for each in back["method"]} == {"kelp@1.0.0"}


def test_terminal_review_and_page_say_it(tree: Path) -> None:
    shown = " ".join(told(tree, "diff", "1.0.0", "--of", "money.actual").split())
    assert f"the method changed since kelp@1.0.0 −1.0 {MONEY}" in shown
    assert (
        f"moved by the method, which changed since kelp@1.0.0 money, performance, forecast and 5 more {PROGRESS}"
        in shown
    )
    marked = told(tree, "diff", "1.0.0", "--of", "money.actual", "--format", "markdown").replace("@<!-- -->", "@")
    assert "Moved by the method, which changed since kelp@1.0.0:" in marked
    assert re.search(r"\| the method changed since kelp@1\.0\.0<br>\*A run costs what it states", marked)
    told(tree, "render")
    page = (tree / "docs/kelp/history.md").read_text("utf-8")
    assert "<summary>Figures that a changed method moved</summary>" in page
    assert f"- money, performance, forecast and 5 more. {PROGRESS}\n" in page


def test_a_release_without_a_number_keeps_its_bytes() -> None:
    """As those were written before methods were numbered."""
    text = (ROOT / "ledger/pixelis/releases/1.0.0.json").read_text("utf-8")
    older = replace(read_snapshot(text, "pixelis", "1.0.0"), method=0, as_published=False).text()
    assert '"method"' not in older
    assert '"as_published"' not in older
    read = read_snapshot(older, "pixelis", "1.0.0")
    assert (read.method, read.as_published, read.text()) == (0, False, older)


# A night of three hours on two GPUs across the end of a month, a grant that ended before it, and an attempt that failed.
NIGHT = {
    "ledger/allocations.yaml": "spring: {title: Spring, gpu_hours: 100, until: 2026-01-20, projects: [kelp]}\n",
    HEAD: "title: Kelp (made-up example)\nversion: 1.0.0\nas_of: 2026-01-05\ngpu: big\ncontingency: 20%\n"
    "accept: [{finding: 'plan-above-limit:allocations.spring', reason: Made up., by: Mira}]\n",
    PLAN: "training:\n  title: Training\n  items:\n"
    "    score: {title: Scoring, scope: one-time, gpu_hours: 10}\n"
    "    train: {title: Training, scope: one-time, gpu_hours: 50}\n",
    "ledger/kelp/runs/2026-01.yaml": "- {start: '2026-01-31T23:00', end: '2026-02-01T02:00', item: score, gpus: 2, wall_hours: 3}\n"
    "- {date: 2026-01-14, item: train, gpus: 1, wall_hours: 4, status: failed}\n",
}
# What the method of number 5 made of it: by hand, the night halved, 96 of 100 GPU-h left, and nothing known of `train`.
BEFORE: dict[str, dict[str, Any]] = {
    "kelp.actual.by_month.2026-01": {"use": "7", "low": "7", "high": "7"},
    "allocations.spring.left": {"use": "96", "low": "96", "high": "96"},
    "kelp.plan.train.complete_share": {"use": None, "low": None, "high": None, "missing": ["kelp.plan.train.progress"]},
}


def test_times_of_day_ended_grants_and_failures_without_a_word_have_a_sentence_each(tree: Path) -> None:
    shutil.rmtree(tree / "ledger/kelp")
    plant(tree, NIGHT)
    told(tree, "render")
    told(tree, "release", "kelp", "1.0.0", "-m", "As it was calculated then.", "--date", "2026-02-02")
    home = tree / "ledger/kelp/releases/1.0.0.json"
    whole = json.loads(home.read_text("utf-8"))
    now = {address: Fraction(whole["figures"][address]["use"]) for address in BEFORE}
    assert list(now.values()) == [4 + 2, 0, 0], "one of three hours on two GPUs is of January; all that ended is unused"
    for address, was in BEFORE.items():
        whole["figures"][address] |= was
    del whole["sha256"]
    for number in (5, 6, 7, 8):
        whole["method"] = number
        home.write_text(json.dumps({**whole, "sha256": seal(whole)}), "utf-8")
        by = {at: each["sentence"] for each in part(tree, "1.0.0")["method"] for at in each["figures"]}
        wanted = [
            sentence if number < 6 + index else UNTOLD for index, sentence in enumerate((CLOCKS, GRANTS, WORDLESS))
        ]
        assert [by.get(address) for address in BEFORE] == [wanted[0], None, wanted[2]], (
            "a grant is not the project's own"
        )
        release = compared(tree, ("1.0.0", "."), "json")[1].old.remade
        assert release is not None
        assert [release.reasons(release.figures[address]) for address in BEFORE] == [(sentence,) for sentence in wanted]


def test_grants_that_could_be_charged_for_the_same_hours_have_a_sentence(tree: Path) -> None:
    """Each of them was charged 10 hours; what is used of either is not known today."""
    shutil.rmtree(tree / "ledger/kelp")
    both = "a: {title: A, gpu_hours: 60, projects: [kelp]}\nb: {title: B, gpu_hours: 60, projects: [kelp]}\n"
    plant(tree, {**NIGHT, "ledger/allocations.yaml": both, HEAD: NIGHT[HEAD].partition("accept")[0]})
    told(tree, "render")
    told(tree, "release", "kelp", "1.0.0", "-m", "As it was calculated then.", "--date", "2026-02-02")
    home = tree / "ledger/kelp/releases/1.0.0.json"
    whole = json.loads(home.read_text("utf-8"))
    assert whole["figures"]["allocations.a.used"]["missing"] == ["allocations.a.shared"]
    whole["figures"]["allocations.a.used"] = {
        **whole["figures"]["allocations.a.used"],
        "use": "10",
        "low": "10",
        "high": "10",
        "missing": [],
    }
    del whole["sha256"]
    for number, wanted in ((13, PAYERS), (14, UNTOLD)):
        whole["method"] = number
        home.write_text(json.dumps({**whole, "sha256": seal(whole)}), "utf-8")
        release = compared(tree, ("1.0.0", "."), "json")[1].old.remade
        assert release is not None
        assert release.reasons(release.figures["allocations.a.used"]) == (wanted,)


@pytest.mark.parametrize("number", [True, None, -1, 1_000_000, "5", [5]])
def test_a_number_that_no_release_writes_is_refused(number: object) -> None:
    (text,) = snapshot(method=number).values()
    with pytest.raises(Changed, match="`method` is not the number of a method"):
        read_snapshot(text, "kelp", "1.0.0")


def test_what_only_a_newer_format_refuses_is_no_problem_of_a_release_or_revision(tree: Path) -> None:
    """The release has a column of no field, and two ratios that are not each other's inverse."""
    assert part(tree, "1.0.0")["state"] == "in both"
    plant(tree, FILES)
    wrong = told(tree, "check", code=2)
    assert "small counts as 0.25x of big" in wrong
    assert "`team` is not a field of a run" in wrong
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "As it was.")
    plant(tree, MENDED)
    assert "Big card: counts as: small: 3x → 4x" in told(tree, "diff", "HEAD")
    plant(tree, {**FILES, "ledger/tree.yaml": "format: 2\n"})
    git(tree, "add", ".")
    git(tree, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "In format 2.")
    plant(tree, MENDED)
    assert "HEAD: ledger/kelp/project.yaml:8:25: `team` is not a field of a run" in told(tree, "diff", "HEAD", code=2)
