"""`budget can-i`: what a run would do to each limit, by hand, and as `add run` finds it; exit codes; hostile values."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from reckon.cli.books import load_sound_book
from reckon.compute import audit
from tests.commands import given
from tests.reading import ROOT
from tests.small import plant

TREE = {
    "ledger/catalog/gpus.yaml": """\
a100: {title: A100, vram_gib: 80}
l40s: {title: L40S, vram_gib: 48, counts_as: {a100: 0.5}}
t4: {title: T4, vram_gib: 16}
""",
    "ledger/catalog/prices.yaml": "cloud: {title: Cloud, usd_per_gpu_hour: {a100: 2, l40s: 1}}\n",
    "ledger/allocations.yaml": """\
spring: {title: Spring, gpu: a100, gpu_hours: 300, since: 2025-01, until: 2025-06, projects: [otter]}
nodes: {title: Nodes, gpu: l40s, units: 50, charge: {unit: node-hours, gpus_per_unit: 4}, projects: [otter]}
""",
    "ledger/otter/project.yaml": """\
title: Otter
version: 1.0.0
as_of: 2025-01-01
gpu: a100
seeds: 2
contingency: 10%
ceiling: [400, 100 usd]
prices: [cloud]
policies:
  half: {title: Half of the ceiling is left, require: actual.below_ceiling >= 0.45 * ceiling, severity: error}
""",
    "ledger/otter/plan.yaml": """\
work:
  title: Work
  items:
    train: {title: Training, scope: per-seed, gpu_hours: 120}
    eval: {title: Evaluation, scope: one-time, gpu: l40s, gpu_hours: 60}
""",
    "ledger/otter/runs/2025-02.yaml": """\
- {date: 2025-02-02, item: train, seed: 1, gpus: 8, wall_hours: 15, progress: {done: 4, total: 4}}
- {date: 2025-02-10, item: train, seed: 2, gpus: 8, wall_hours: 5, progress: {done: 1, total: 4}}
- date: 2025-02-11
  item: eval
  gpus: 4
  wall_hours: 5
  limit_hours: 45
  status: running
  progress: {done: 1, total: 4}
""",
}
DAY = ("--date", "2025-02-12")
SEED = ("train", "--seed", "2")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Two cards, two payers and two seeds: 300 GPU-h of A100, of which 160 are charged; 50 node-hours of L40S, of which
    5 are. 170 of the ceiling of 400 are charged, and none of the $100 that may be paid."""
    return plant(tmp_path / "tree", TREE)


def asked(tree: Path, *words: str) -> dict[str, Any]:
    """What `can-i` answers, with its exit code, and its limits by name."""
    done = given(tree, "can-i", "otter", *words, "--format", "json")
    assert done.stderr == ""
    said: dict[str, Any] = json.loads(done.stdout)
    return {**said, "code": done.returncode, "limits": {row["Limit"]: row for row in said["limits"]}}


def test_a_run_that_fits_by_hand(tree: Path) -> None:
    """8 x 5 = 40 of the 140 that are left of spring. The plan of the seed is 120 hours, so 40 are a third of it:
    1/4 + 1/3 = 7/12. Nothing else but budget and ceiling is touched. The budget is 270 + 10%."""
    said = asked(tree, *SEED, "--gpus", "8", "--wall-hours", "5", *DAY)
    amounts = {name: [row[key] for key in ("Left", "Promised", "Run", "After")] for name, row in said["limits"].items()}
    assert amounts == {
        "Final budget": ["127", "", "40", "87"],
        "Ceiling": ["230", "", "40", "190"],
        "Ceiling in money": ["100", "", "0", "100"],
        "Spring": ["140", "", "40", "100"],
        "Nodes": ["45", "40", "0", "45"],
    }
    assert (said["code"], said["verdict"]) == (0, "Yes")
    assert said["reason"] == "40 GPU-h break no limit"
    assert (said["entry"]["progress.done"], said["entry"]["progress.total"]) == ("2.3333", "4.0000")


def test_the_verdict_comes_first(tree: Path) -> None:
    done = given(tree, "can-i", "otter", *SEED, "--gpus", "8", "--wall-hours", "5", *DAY)
    first, head, *_, last = done.stdout.splitlines()
    assert first == "Yes: 40 GPU-h break no limit."
    assert head.split() == ["Limit", "Left", "Promised", "Run", "After", "P50", "P90", "Verdict"]
    assert "Paid by “Spring”.\n" in done.stdout
    assert "Its task is 25% done before it, 58.3% after it.\n" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert last.startswith("Work is done by ")


def test_what_is_left_at_the_end_is_the_limit_less_the_forecast(tree: Path) -> None:
    """Of the ledger with the run in it: P50 and P90 of what is left are the budget less P50 and P90 of the forecast."""
    words = ("--gpus", "8", "--wall-hours", "5")
    said = asked(tree, *SEED, *words, *DAY)
    assert written(tree, said["entry"]).returncode == 0
    book = load_sound_book(tree)
    for percent in ("50", "90"):
        for name, size, at in (
            ("Final budget", 297, "otter.forecast.p"),
            ("Ceiling", 400, "otter.forecast.p"),
            ("Spring", 300, "allocations.spring.forecast_p"),
            ("Nodes", 50, "allocations.nodes.forecast_p"),
        ):
            forecast = book[f"{at}{percent}"].use
            assert forecast is not None
            assert Fraction(said["limits"][name][f"P{percent}"]) == size - forecast, (name, percent)


def written(tree: Path, entry: dict[str, str], *more: str) -> subprocess.CompletedProcess[str]:
    """What `add run` does with the entry that `can-i` tried."""
    fields = dict(entry)
    words = (
        ["--progress", f"{fields.pop('progress.done')}/{fields.pop('progress.total')}"]
        if "progress.done" in fields
        else []
    )
    for name, text in fields.items():
        words += [f"--{name.replace('_', '-')}", *([] if name == "unplanned" else [text])]
    return given(tree, "add", "run", "otter", *words, "--anyway", *more)


CASES = (
    (*SEED, "--gpus", "8", "--wall-hours", "5"),
    (*SEED, "--gpus", "8", "--wall-hours", "8"),
    (*SEED, "--gpus", "16", "--wall-hours", "5", "--progress", "4/4"),
    (*SEED, "--gpus", "8", "--wall-hours", "30"),
    (*SEED, "--gpus", "1", "--wall-hours", "30 min"),
    (*SEED, "--gpus", "1/7", "--wall-hours", "7"),
    (*SEED, "--gpu-hours", "41.5"),
    (*SEED, "--gpus", "4", "--wall-hours", "5", "--card", "l40s"),
    (*SEED, "--gpus", "4", "--wall-hours", "5", "--card", "l40s", "--allocation", "nodes"),
    (*SEED, "--gpus", "4", "--wall-hours", "5", "--allocation", "none"),
    (*SEED, "--gpus", "8", "--wall-hours", "8", "--allocation", "none"),
    ("train", "--seed", "1", "--gpus", "2", "--wall-hours", "5"),
    ("train", "--gpus", "2", "--wall-hours", "5"),
    ("eval", "--gpus", "4", "--wall-hours", "8"),
    ("eval", "--gpus", "4", "--wall-hours", "60"),
    ("eval", "--gpus", "4", "--wall-hours", "8", "--gpu", "a100"),
    ("eval", "--gpus", "4", "--wall-hours", "8", "--allocation", "spring", "--progress", "2/4"),
    ("misc", "--gpus", "8", "--wall-hours", "2", "--unplanned"),
    ("misc", "--gpus", "8", "--wall-hours", "13", "--unplanned"),
    (*SEED, "--gpus", "8", "--wall-hours", "5", "--date", "2025-07-12"),
)


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_it_agrees_with_adding_the_run(words: tuple[str, ...], tree: Path) -> None:
    """`add run --dry-run` of the same run prints the same left and forecast, and tells an error where `can-i` says no;
    once it is written, the ledger has what `can-i` said is left of each limit."""
    said = asked(tree, *words, *(() if "--date" in words else DAY), "--anyway")
    assert said["code"] == (3 if said["verdict"] == "No" else 0)
    tried = written(tree, said["entry"], "--dry-run")
    assert tried.returncode == 0
    assert ("\n  error: " in tried.stdout) == (said["verdict"] == "No")
    row = re.search(r"^  Final budget +([\d.,]+) +([\d.,]+) +([\d.,]+) +([−\d.,]+)$", tried.stdout, re.MULTILINE)
    assert row
    limits = said["limits"]
    assert float(row[4].replace("−", "-")) == pytest.approx(float(Fraction(limits["Final budget"]["After"])), abs=0.5)
    spread = re.search(r"forecast: +([\d,.]+)–([\d,.]+) GPU-h \(P10–P90\), P50 ([\d,.]+)", tried.stdout)
    assert spread
    for middle, name in ((spread[3], "P50"), (spread[2], "P90")):
        assert 297 - float(middle) == pytest.approx(float(Fraction(limits["Final budget"][name])), abs=0.5)
    assert written(tree, said["entry"]).returncode == 0
    left = {"Spring": "spring", "Nodes": "nodes"}
    book = load_sound_book(tree)
    for name in left.keys() & limits.keys():
        figure = book[f"allocations.{left[name]}.left"]
        assert figure.use == Fraction(limits[name]["After"]), name
    for name, at in (("Ceiling", "otter.actual.below_ceiling"), ("Ceiling in money", "otter.money.below_ceiling")):
        assert book[at].use == Fraction(limits[name]["After"]), name


@pytest.mark.parametrize(
    ("words", "verdict", "reason"),
    [
        # 230 - 8 x 7 = 174 of 400 are 43.5%, the policy asks for 45%; 8 x 6 leave 182.
        ((*SEED, "--gpus", "8", "--wall-hours", "7"), "No", "A policy is breached: Half of the ceiling is left: "),
        ((*SEED, "--gpus", "8", "--wall-hours", "6"), "Yes", "48 GPU-h break no limit"),
        ((*SEED, "--gpus", "8", "--wall-hours", "4", "--allocation", "none"), "Yes", "32 GPU-h break no limit"),
        # 45 node-hours are left, 40 of them promised to the job that runs: 6 are too many for both.
        (("eval", "--gpus", "4", "--wall-hours", "6"), "Yes, but", "Nodes: short by 1 unit"),
        (("eval", "--gpus", "4", "--wall-hours", "5"), "Yes", "10 GPU-h break no limit"),
        ((*SEED, "--gpus", "1", "--wall-hours", "1", "--card", "t4"), "No", "Runs on T4 cannot be counted: "),
    ],
)
def test_why(words: tuple[str, ...], verdict: str, reason: str, tree: Path) -> None:
    said = asked(tree, *words, *DAY, "--anyway")
    assert (said["verdict"], said["reason"][: len(reason)]) == (verdict, reason)


def test_a_limit_that_is_passed_already_is_told_as_such(tree: Path) -> None:
    """310 of 300 are charged to spring; 8 more."""
    runs = "- {date: 2025-02-11, item: train, seed: 2, gpu_hours: 150, progress: {done: 3, total: 4}}\n"
    plant(tree, {"ledger/otter/runs/2025-03.yaml": runs})
    said = asked(tree, *SEED, "--gpus", "8", "--wall-hours", "1", *DAY, "--anyway")
    assert said["code"] == 3
    assert said["limits"]["Spring"]["Verdict"] == "already passed; this run adds 8 GPU-h"
    assert said["reason"] == "A grant is overdrawn: 318 GPU-h are charged, 300 GPU-h allowed, passed on 2025-02-11"
    other = asked(tree, "eval", "--gpus", "4", "--wall-hours", "1", *DAY, "--anyway")
    assert (other["code"], other["limits"]["Spring"]["Run"]) == (0, "0"), "it is not this run that passes it"


def test_a_breach_that_somebody_accepted_is_no_reason_to_say_no(tree: Path) -> None:
    path = tree / "ledger/otter/project.yaml"
    accept = "accept:\n  - {finding: policy-breached:otter.policies.half, reason: agreed}\n"
    words = (*SEED, "--gpus", "8", "--wall-hours", "7", *DAY)
    assert asked(tree, *words)["code"] == 3
    path.write_text(path.read_text("utf-8") + accept, "utf-8")
    assert asked(tree, *words)["code"] == 0


def test_nobody_pays_once_the_allocation_has_ended(tree: Path) -> None:
    done = given(tree, "can-i", "otter", *SEED, "--gpus", "1", "--wall-hours", "5", "--date", "2025-07-12")
    assert "Paid by none of the allocations.\n" in done.stdout
    assert "it has ended before the work" in done.stdout
    named = given(
        tree,
        "can-i",
        "otter",
        *SEED,
        "--gpus",
        "1",
        "--wall-hours",
        "5",
        "--date",
        "2025-07-12",
        "--allocation",
        "spring",
    )
    assert "it is charged outside its days" in named.stdout


def test_money_that_is_paid_counts_against_its_ceiling(tree: Path) -> None:
    """20 hours of an A100 at $2 are $40 of $100."""
    said = asked(tree, *SEED, "--gpus", "4", "--wall-hours", "5", *DAY, "--allocation", "none")
    row = said["limits"]["Ceiling in money"]
    assert (row["Left"], row["Run"], row["After"]) == ("100", "40", "60")


def test_what_granted_hours_are_worth_is_not_held_against_the_ceiling_in_money(tree: Path) -> None:
    """The work to do is paid by spring and nodes, whose hours have a price now: 40 hours at $2 are all that is paid."""
    allocations = TREE["ledger/allocations.yaml"].replace("projects:", "prices: [cloud], projects:")
    plant(tree, {"ledger/allocations.yaml": allocations})
    words = (*SEED, "--gpus", "8", "--wall-hours", "5", *DAY)
    for more, left in (((), "100"), (("--allocation", "none"), "20")):
        row = asked(tree, *words, *more)["limits"]["Ceiling in money"]
        assert (row["Left"], row["After"], row["P50"], row["P90"]) == ("100", left, left, left)


def test_work_that_nobody_granted_is_held_against_the_ceiling_in_money(tree: Path) -> None:
    """P50 and P90 are the ceiling less the forecast of what is paid, once the grant that pays has ended."""
    allocations = TREE["ledger/allocations.yaml"].replace("until: 2025-06", "prices: [cloud], until: 2025-02-11")
    plant(tree, {"ledger/allocations.yaml": allocations})
    said = asked(tree, *SEED, "--gpus", "4", "--wall-hours", "5", *DAY, "--anyway")
    row = said["limits"]["Ceiling in money"]
    assert (row["Run"], row["After"]) == ("40", "60")
    assert written(tree, said["entry"]).returncode == 0
    book = load_sound_book(tree)
    assert book["otter.money.in_kind"].use == 340, "160 hours of spring at $2, and 20 of nodes at $1"
    for percent in ("P50", "P90"):
        paid = book[f"otter.money.paid_forecast_{percent.lower()}"].use
        whole = book[f"otter.money.forecast_{percent.lower()}"].use
        assert paid is not None
        assert whole is not None
        assert Fraction(row[percent]) == 100 - paid
        assert paid < whole - 300, "without what is in kind"


def test_only_the_project_that_is_asked_about_is_audited(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tree, {path.replace("otter", "badger"): text for path, text in TREE.items() if "otter" in path})
    audited = []
    monkeypatch.setattr(audit, "_of", lambda project, *_: audited.append(project.id) or ())
    done = given(tree, "can-i", "otter", *SEED, "--gpus", "8", "--wall-hours", "5", *DAY)
    assert (done.returncode, set(audited)) == (0, {"otter"})


HOSTILE = (
    (("train", "--seed", "2", "--gpus", "0", "--wall-hours", "5"), "the run takes 0 GPU-hours"),
    (("train", "--seed", "2", "--gpus=-1", "--wall-hours", "5"), "`-1` is negative"),
    (("train", "--seed", "2", "--gpus", "1e999", "--wall-hours", "5"), "`1e999` is too long a number"),
    (("train", "--seed", "2", "--gpus", "nan", "--wall-hours", "5"), "`nan` is not a number"),
    (("train", "--seed", "2", "--gpus", "8", "--wall-hours", "inf"), "`inf` is not a number"),
    (("train", "--seed", "2", "--gpus", "8", "--wall-hours", "1:30"), "looks like a clock time"),
    (("train", "--seed", "2", "--gpus", "8"), "add `gpus` and `wall_hours`"),
    (("trian", "--gpus", "8", "--wall-hours", "5"), "did you mean `train`?"),
    (("train", "--seed", "3", "--gpus", "8", "--wall-hours", "5"), "`3` is not a seed of this project"),
    (("train", "--seed", "2", "--gpus", "8", "--wall-hours", "5", "--card", "a10"), "did you mean `a100`?"),
    (("train", "--seed", "2", "--gpus", "8", "--wall-hours", "5", "--allocation", "sprnig"), "did you mean `spring`?"),
    (("train", "--seed", "2", "--gpus", "8", "--wall-hours", "5", "--date", "2999-01-01"), "has not come yet"),
    (("tr\x1b[31main", "--gpus", "8", "--wall-hours", "5"), "U+001B is not allowed"),
)


@pytest.mark.parametrize(("words", "why"), HOSTILE, ids=lambda each: ascii(each)[:50])
def test_what_is_wrong_is_said_and_nothing_written(words: tuple[str, ...], why: str, tree: Path) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    day = () if "--date" in words else DAY
    done = given(tree, "can-i", "otter", *words, *day)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert "\x1b" not in done.stderr
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


def test_an_unknown_project_is_refused_with_what_was_meant(tree: Path) -> None:
    done = given(tree, "can-i", "oter", "train", "--gpus", "8", "--wall-hours", "5")
    assert done.returncode == 2
    assert "did you mean `otter`?" in done.stderr


@pytest.mark.parametrize(("hours", "code"), [("5", 0), ("30", 3), ("x", 2)])
def test_exit_codes_of_a_process_on_a_ledger_that_cannot_be_written(hours: str, code: int, tree: Path) -> None:
    """What a wrapper of a job's submission sees; and no file is made."""
    before = sorted(tree.rglob("*"))
    folders = [tree, *(path for path in before if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        command = [
            sys.executable,
            str(ROOT / "budget.py"),
            "can-i",
            "otter",
            *SEED,
            "--gpus",
            "8",
            "--wall-hours",
            hours,
        ]
        done = subprocess.run([*command, *DAY, "--anyway"], cwd=tree, capture_output=True, text=True, check=False)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert done.returncode == code, done.stderr
    assert sorted(tree.rglob("*")) == before


def test_a_copy_elsewhere_answers_the_same(tree: Path, tmp_path: Path) -> None:
    other = copytree(tree, tmp_path / "other")
    words = ("can-i", "otter", *SEED, "--gpus", "8", "--wall-hours", "5", *DAY)
    assert given(tree, *words).stdout == given(other, *words).stdout
