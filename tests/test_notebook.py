"""`reckon.open`: a ledger as a researcher meets it in Python. Figures are worked by hand from the ledgers."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas
import pytest

import reckon
from reckon.notebook import OpenedLedger
from reckon.present import dataframes
from reckon.present.export_columns import TABLES
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("projects", "runs", "plan", "charges", "figures", "findings")
HOSTILE = "<script>alert(1)</script> =1+1 | **x** \u202e"


@pytest.fixture(scope="module")
def birdsong(example_with_pages: Path) -> OpenedLedger:
    return reckon.open(example_with_pages)


@pytest.fixture
def small(tmp_path: Path) -> OpenedLedger:
    return reckon.open(plant(tmp_path))


def test_the_package_stays_light_until_a_table_is_asked_for() -> None:
    heavy = "{'pandas', 'numpy', 'pydantic', 'yaml', 'jinja2', 'altair'} & set(sys.modules)"
    lines = (
        "import sys, reckon",
        f"assert not {heavy}, {heavy}",
        "from reckon import *",
        "open(sys.executable).close()",
    )
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, cwd=ROOT)


def test_public_names_are_few_and_documented(birdsong: OpenedLedger) -> None:
    public = {name for name in dir(birdsong) if not name.startswith("_")}
    assert public == {*NAMES, "releases", "explain", "with_changes", "root", "changes"}
    described = [getattr(OpenedLedger, name).__doc__ for name in (*NAMES, "releases", "explain", "with_changes")]
    assert all(described)


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_typed_also_where_there_is_nothing(name: str, birdsong: OpenedLedger, tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    empty = getattr(reckon.open(tmp_path), name)
    full = getattr(birdsong, name)
    kinds = {
        column.name + tail: dtype for column in TABLES[name].columns for tail, dtype in dataframes.MAKES[column.kind]
    }
    for table in (empty, full):
        assert {column: str(dtype) for column, dtype in table.dtypes.items()} == kinds
        assert table.index.name == TABLES[name].index
    assert len(empty) == 0


def test_a_run_with_its_hours_on_both_cards(birdsong: OpenedLedger) -> None:
    """Line 5 of March: 4 x 1.72 h on an L40S, of which an hour counts as 0.6."""
    run = birdsong.runs.loc["ledger/birdsong/runs/2025-03.yaml:5:3"]
    assert (run["item"], run["phase"], run["gpu"], run["status"]) == ("labels", "data", "l40s", "completed")
    assert run["date"] == pandas.Timestamp("2025-03-04")
    assert (run["gpu_hours"], run["gpu_hours_exact"]) == (6.88, "6.88")
    assert (run["counted_hours"], run["counted_hours_exact"]) == (4.128, "4.128")
    assert (run["progress_done"], run["progress_total"], run["job"]) == (1, 10, "48135")
    assert pandas.isna(run["seed"])
    assert birdsong.runs.loc["ledger/birdsong/runs/2025-03.yaml:16:3", "seed"] == 1


def test_runs_sum_to_what_the_figures_say(birdsong: OpenedLedger) -> None:
    runs, figures = birdsong.runs, birdsong.figures
    exact = {name: Fraction(text) for name, text in figures["use_exact"].dropna().items() if "-" not in text[1:]}
    counted = runs["counted_hours_exact"].map(Fraction)
    assert sum(counted) == exact["birdsong.actual.total"] == Fraction("1094.362")
    assert sum(counted[~runs["useful"]]) == Fraction("185.12"), "what failed, of which 86.52 are lost"
    assert exact["birdsong.actual.waste"] == Fraction("86.52")
    assert sum(counted[runs["unplanned"]]) == exact["birdsong.actual.unplanned"]
    held = runs.loc[runs["gpu"] == "l40s", "gpu_hours_exact"].map(Fraction)
    assert sum(held) == exact["birdsong.actual.by_gpu.l40s"]


def test_an_item_of_the_plan(birdsong: OpenedLedger) -> None:
    """Pretraining: 3 seeds of 220; 20 epochs of 2.5-2.9 h are 200-232 a seed. Labels: 80 on an L40S are 48."""
    item = birdsong.plan.loc["birdsong.plan.pretrain"]
    assert (item["each_use"], item["planned_use"], item["unit"]) == (220, 660, "GPU-h")
    assert list(item[["estimate_low", "estimate_use", "estimate_high"]]) == [600, 648, 696]
    assert (item["since"], item["until"]) == (pandas.Timestamp("2025-03-31"), pandas.Timestamp("2025-05-30"))
    assert item["remaining_use"] == item["planned_use"] - item["actual"]
    labels = birdsong.plan.loc["birdsong.plan.labels"]
    assert (labels["gpu"], labels["each_use"], labels["planned_use"]) == ("l40s", 80, 48)
    assert birdsong.plan["extension"].sum() == 1
    assert birdsong.plan["planned_use"].sum() == 1400  # 1,200 and the extension of 200


def test_a_figure_and_a_date(birdsong: OpenedLedger) -> None:
    figures = birdsong.figures
    total = figures.loc["birdsong.plan.pretrain.estimate"]
    assert list(total[["low", "use", "high", "unit", "project"]]) == [200, 216, 232, "GPU-h", "birdsong"]
    assert pandas.isna(figures.loc["catalog.gpus.a100-80gb.vram_gib", "project"])
    assert figures.loc["birdsong.actual.waste_share", "use_exact"] == "43260/547181"  # 86.52 of 1,094.362
    ends = figures.loc["birdsong.pace.end"]
    assert (ends["date"], ends["use_exact"]) == (pandas.Timestamp("2025-07-09"), "2025-07-09")
    assert pandas.isna(ends["use"])


def test_a_project(birdsong: OpenedLedger) -> None:
    project = birdsong.projects.loc["birdsong"]
    assert list(project[["final_use", "extended_use", "ceiling_use", "seeds", "runs"]]) == [1380, 1580, 1420, 3, 74]
    assert (project["state"], project["as_of"]) == ("within budget", pandas.Timestamp("2025-03-01"))
    assert (project["actual"], project["actual_exact"]) == (1094.362, "1094.362")


def test_findings_are_sentences_with_their_places(tmp_path: Path) -> None:
    """4 GPUs x 3 epochs x 1-2 h is 12-24 of 40 planned, so only what is accepted or breached stands here."""
    rule = "policies:\n  small: {require: actual.total <= 1 gpu_hours, message: Stop.}\n"
    project = SMALL["ledger/demo/project.yaml"] + rule
    findings = reckon.open(plant(tmp_path, {**SMALL, "ledger/demo/project.yaml": project})).findings
    breach = findings.loc["policy-breached:demo.policies.small"]
    assert (breach["project"], breach["severity"]) == ("demo", "error")
    assert "16.5 GPU-h" in breach["arithmetic"]  # 4 x 2.5 + 3 + 1.5 + 2
    assert breach["places"].startswith("ledger/demo/project.yaml:")
    assert pandas.isna(breach["accepted"])


def test_what_is_unknown_is_missing_and_says_why(ledger: Callable[..., Any]) -> None:
    tree = ledger(
        project="seeds: [one, two]",
        plan="a: {title: A, items: {x: {title: X, scope: one-time, gpu_hours: unknown}}}",
        runs="- {date: 2025, item: x, gpu: other, gpu_hours: 5}\n- {item: x, gpu_hours: 2, seed: one}\n",
    )
    opened = reckon.open(tree.root)
    first, second = (run for _, run in opened.runs.iterrows())
    assert (first["gpu_hours"], first["missing"]) == (5, "catalog.gpus.other.counts_as.card")
    assert pandas.isna(first["counted_hours"])
    assert pandas.isna(first["counted_hours_exact"])
    assert first["date"] == pandas.Timestamp("2025-12-31")
    assert pandas.isna(second["date"])
    assert (second["counted_hours"], second["seed_name"]) == (2, "one")
    assert pandas.isna(second["seed"])
    assert pandas.isna(opened.plan.loc["p.plan.x", "planned_use"])
    assert opened.plan.loc["p.plan.x", "missing"] == "p.plan.x.gpu_hours catalog.gpus.other.counts_as.card"
    assert "p.plan.x.gpu_hours" in opened.projects.loc["p", "missing"]
    assert pandas.isna(opened.figures.loc["p.budget.final", "use"])


def test_moments_with_an_offset_are_in_utc(ledger: Callable[..., Any]) -> None:
    tree = ledger(
        plan="a: {title: A, items: {x: {title: X, scope: one-time, gpu_hours: 1}}}",
        runs="- {start: '2025-03-01T00:30+02:00', end: '2025-03-02', item: x, gpu_hours: 5}\n"
        "- {start: '2025-03-01 10:15:30', end: '2025-03-01 11:15:30', item: x, gpu_hours: 5}\n",
    )
    first, second = (run for _, run in reckon.open(tree.root).runs.iterrows())
    assert first["start"] == pandas.Timestamp("2025-02-28 22:30")
    assert (first["end"], first["date"]) == (pandas.Timestamp("2025-03-02"), pandas.Timestamp("2025-03-02"))
    assert second["end"] - second["start"] == pandas.Timedelta(hours=1)
    assert second["date"] == pandas.Timestamp("2025-03-01")


def test_numbers_beyond_floats_and_days_beyond_pandas(ledger: Callable[..., Any]) -> None:
    huge = "big: {title: Big, value: {formula: a * b * c * d * e, a: 1e90, b: 1e90, c: 1e90, d: 1e90, e: 0-1}}"
    runs = "- {date: 0001-01-01, item: x, gpu_hours: 1}\n- {date: 9999-12-31, item: x, gpu_hours: 1}\n"
    plan = "a: {title: A, items: {x: {title: X, scope: one-time, gpu_hours: 1}}}"
    opened = reckon.open(ledger(figures=huge, runs=runs, plan=plan).root)
    found = opened.figures.loc["p.figures.big"]
    assert (found["low"], found["high"]) == (0, float("inf"))
    assert Fraction(found["high_exact"]) == Fraction(10) ** 360
    assert [date.year for date in opened.runs["date"]] == [1, 9999]


def test_an_opened_ledger_stays_as_it_was_read(tmp_path: Path) -> None:
    root = plant(tmp_path)
    first, again = reckon.open(root), reckon.open(str(root))
    for name in NAMES:
        pandas.testing.assert_frame_equal(getattr(first, name), getattr(again, name))
    runs = first.runs
    runs["item"] = "nothing"
    runs.loc[:, "gpu_hours"] = 0.0
    plan = root / "ledger/demo/plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("gpu_hours: 40", "gpu_hours: 50"), "utf-8")
    assert list(first.runs["item"]) == ["train", "train", "test", "detour"]
    assert first.runs["gpu_hours"].sum() == 16.5
    assert first.plan.loc["demo.plan.train", "planned_use"] == again.plan.loc["demo.plan.train", "planned_use"] == 80
    assert reckon.open(root).plan.loc["demo.plan.train", "planned_use"] == 100


def test_changes_add_up_and_write_nothing(small: OpenedLedger) -> None:
    before = {path: path.read_bytes() for path in small.root.rglob("*") if path.is_file()}
    three = small.with_changes({"demo.seeds": 3})
    both = three.with_changes({"demo.contingency": "20%"})
    again = both.with_changes({"demo.seeds": 2})
    finals = [opened.figures.loc["demo.budget.final", "use"] for opened in (small, three, both, again)]
    assert finals == [99, 143, 156, 108]  # (2 or 3 x 40 + 10) and a tenth or a fifth more
    assert both.changes == {"demo.seeds": "3", "demo.contingency": "20%"}
    assert "with demo.seeds = 3 (ledger: 2)" in repr(both)
    assert {path: path.read_bytes() for path in small.root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("value", ["many", -1, None, float("nan"), "2\n3", HOSTILE, {"a": 1}])
def test_a_change_that_does_not_fit_is_told(value: object, small: OpenedLedger) -> None:
    with pytest.raises(reckon.InvalidLedger) as refused:
        small.with_changes({"demo.seeds": value})
    (problem,) = refused.value.problems
    assert "is not a number of seeds" in problem.wrong
    assert "\u202e" not in str(refused.value)


def test_a_list_of_seeds_is_set_by_its_number(small: OpenedLedger) -> None:
    with pytest.raises(reckon.InvalidLedger, match=r"`\[1, 2, 3\]` is a text, not a list of seeds; write their number"):
        small.with_changes({"demo.seeds": [1, 2, 3]})


def test_all_problems_come_in_one_exception(tmp_path: Path) -> None:
    broken = {
        "ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("gpu_hours: 40", "gpu_hours: forty"),
        "ledger/demo/runs/2026-01.yaml": "- {date: 2026-02-30, item: train, gpu_hours: 1}\n",
        "ledger/demo/figures.yaml": "sum: {title: Sum, value: {formula: 2 gpu + nothing}}\n",
    }
    with pytest.raises(reckon.InvalidLedger) as refused:
        reckon.open(plant(tmp_path, {**SMALL, **broken}))
    lines = str(refused.value).splitlines()
    assert len(lines) == len(refused.value.problems) + 1 >= 4
    assert "ledger/demo/plan.yaml:7:18: `forty` is not a number" in lines[-3]
    assert [line.split(":")[0] for line in lines[:-1]] == sorted(line.split(":")[0] for line in lines[:-1])
    copy = pickle.loads(pickle.dumps(refused.value))
    assert (str(copy), copy.problems) == (str(refused.value), refused.value.problems)


def test_a_path_without_a_ledger_is_told(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / "file"):
        (tmp_path / "file").write_text("x", "utf-8")
        with pytest.raises(reckon.InvalidLedger, match="there is no folder `ledger`"):
            reckon.open(path)


def test_explain_says_what_the_command_says(small: OpenedLedger, capsys: pytest.CaptureFixture[str]) -> None:
    from reckon.cli import main

    main(["explain", "budget.final", "--root", str(small.root), "--set", "demo.seeds=3"])
    said = capsys.readouterr().out
    found = small.with_changes({"demo.seeds": 3}).explain("budget.final")
    assert f"{found}\n" == said
    assert repr(found) == str(found)
    with pytest.raises(LookupError, match=r"there is no figure `budget\.finale`; did you mean `demo\.budget\.final`"):
        small.explain("budget.finale")


def test_releases_by_version() -> None:
    """Pixelis 1.0.0: 3 x 425 + 5 + 55 = 1,335 GPU-hours, and 15% for the unforeseen."""
    versions = reckon.open(ROOT).releases["pixelis"]
    assert list(versions)[-1:] == ["1.0.0"]
    first = versions["1.0.0"]
    final = first.figures.loc["pixelis.budget.final"]
    assert (final["use"], final["use_exact"], final["unit"]) == (1535.25, "1535.25", "GPU-h")
    assert (first.version, first.date) == ("1.0.0", "2025-08-13")
    assert first.reason
    shared = set(first.figures.columns)
    assert shared == set(reckon.open(ROOT).figures.columns) - {"text", "formula", "lines"}


def test_a_release_that_was_changed_is_told(tmp_path: Path) -> None:
    release = {"ledger/demo/releases/1.0.0.json": "{}"}
    opened = reckon.open(plant(tmp_path, {**SMALL, **release}))
    with pytest.raises(reckon.InvalidLedger, match=r"ledger/demo/releases/1\.0\.0\.json:1:1: "):
        _ = opened.releases


def test_nothing_of_a_ledger_acts_in_a_notebook(tmp_path: Path) -> None:
    project = SMALL["ledger/demo/project.yaml"].replace("title: Demo", f'title: "{HOSTILE}"')
    opened = reckon.open(plant(tmp_path / "<b>x", {**SMALL, "ledger/demo/project.yaml": project}))
    shown = opened._repr_html_()
    assert "<script" not in shown
    assert "<b>" not in shown
    assert "\u202e" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert opened.projects.loc["demo", "title"] == HOSTILE


def test_a_folder_whose_name_is_no_text_can_be_shown(tmp_path: Path) -> None:
    opened = reckon.open(plant(tmp_path / "odd\udcff\n<i>"))
    for text in (repr(opened), opened._repr_html_()):
        assert text.encode("utf-8")
        assert "odd" in text.splitlines()[0]
    assert "<i>" not in opened._repr_html_()
    with pytest.raises(reckon.InvalidLedger) as refused:
        opened.with_changes({"demo.title": "Odd \udcff"})
    assert str(refused.value).encode("utf-8")


def test_figures_are_made_once_and_runs_need_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand runs more cost a thousand rows more, and not one figure."""
    asked: list[str] = []
    row = dataframes.figure_row
    monkeypatch.setattr(dataframes, "figure_row", lambda figure: asked.append(figure.address) or row(figure))
    more = "".join(f"- {{date: 2026-03-01, item: test, gpu_hours: {n + 1}}}\n" for n in range(1000))
    opened = reckon.open(plant(tmp_path, {**SMALL, "ledger/demo/runs/2026-03.yaml": more}))
    assert len(opened.runs) == 1004
    assert asked == []
    assert len(opened.figures) == len(opened.figures) == len(asked) == len(set(asked))


def test_a_tree_that_init_begins(tmp_path: Path) -> None:
    """The starter: 16 + 8 x 0.75 x 4 + 2 x 110 + 30 = 290, and 10%; data took 4 x 4.5 GPU-hours."""
    shutil.copytree(ROOT / "starter" / "ledger", tmp_path / "ledger")
    opened = reckon.open(tmp_path)
    assert opened.projects.loc["example", "final_use"] == 319
    assert opened.runs.groupby("item")["counted_hours"].sum()["data"] == 18


def test_a_ledger_stays_the_same_wherever_the_notebook_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opened by a relative path, in a notebook that changes its folder to that of another ledger."""
    here, there = plant(tmp_path / "here"), tmp_path / "there"
    plant(there, {**SMALL, "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"].replace("10%", "50%")})
    monkeypatch.chdir(here)
    ledger = reckon.open(".")
    monkeypatch.chdir(there)
    changed = ledger.with_changes({"demo.seeds": 3})
    assert float(changed.figures.loc["demo.contingency", "use"]) == 0.1
    assert (str(changed.root), changed.releases) == (".", {})
