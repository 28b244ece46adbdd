"""What documents on paper say: columns that add up, money, all risks or how many are left out, and pictures one can
read; for budgets, for plans that are spent, and for documents without a budget."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reckon.present.charts.waterfall import Waterfall
from reckon.present.paper import edition as editions
from reckon.present.paper.blocks import COLUMN, SMALLEST, WORDS, Blocks, Look, Paper, PaperHead, Row, brief
from reckon.present.paper.typeset import Filled, fitted
from tests.commands import given
from tests.reading import ROOT
from tests.small import plant

pytest.importorskip("typst")
pypdf = pytest.importorskip("pypdf")


def draft(root: Path, project: str, out: Path) -> tuple[str, Any]:
    """The texts of a draft, and its pages."""
    done = given(root, "release", project, "9.9.9", "-m", "Why.", "--draft", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    reader = pypdf.PdfReader(out)
    return " ".join(" ".join(page.extract_text() for page in reader.pages).split()), reader


@pytest.fixture(scope="module")
def birdsong(tmp_path_factory: pytest.TempPathFactory) -> str:
    return draft(ROOT, "birdsong", tmp_path_factory.mktemp("b") / "b.pdf")[0]


def test_columns_of_the_budget_add_up(birdsong: str) -> None:
    """144 + 768–888 + 216 + 169–187 are 1,297–1,435; -4 + 33.2 + 107 - 31 + 180 are 285.2, as rounded, of 286."""
    for row in (
        "Phase 1: data and pilot 144 144 as planned 148 −4",
        "Phase 2: training 840 768–888 807 33.2",
        "Phase 3: evaluation 216 216 as planned 109 107",
        "Unplanned 31 −31",
        "Contingency 180 169–187 180",
        "Final budget 1,380 1,297–1,435 1,094 286",
    ):
        assert row in birdsong
    # 258.40 + 1,596 + 410.40 + 339.72 are 2,604.52; 267.25 + 1,532.92 + 196.28 + 59.00 are 2,055.45.
    for row in (
        "148 −4 $258 $267",
        "807 33.2 $1,596 $1,533",
        "109 107 $410 $196",
        "31 −31 $59.00",
        "180 $340",
        "1,094 286 $2,605 $2,055",
        "0 200 $380 $0",
        "1,094 486 $2,985 $2,055",
    ):
        assert row in birdsong
    assert "have drawn 108 GPU-h of it, 71.6 GPU-h are left." in birdsong


def test_a_funder_reads_what_it_costs(birdsong: str) -> None:
    assert "GPU-hours 1,380 1,094 1,331 1,311 to 1,361 286" in birdsong
    assert "Cost $2,605 $2,055 $2,505 $2,467 to $2,562 $549" in birdsong
    assert "The forecast is 1,311 GPU-h to 1,361 GPU-h in 8 of 10 simulations" in birdsong


def test_a_breach_that_is_accepted_is_a_risk_with_its_reason(birdsong: str) -> None:
    said = "accepted: Phase 2: training did not end by 2025-05-30: Preemption and a node failure "
    said += "delayed seed 3; fine-tuning of seed 2 waits at 7 of 10."
    assert said in birdsong
    assert "does not wait for them (by Mira)" in birdsong
    assert "and the paper is due in August (by Mira)." in birdsong


def test_projections_have_a_table_a_picture_and_numbers(tmp_path: Path) -> None:
    text, _ = draft(ROOT, "arpo", tmp_path / "a.pdf")
    assert "ARPO: measurements and projections" in text
    assert "Rent one A100 for the small run: 20–33.3 min of inference." in text
    assert "Run of the paper, batched on eight GPUs" in text
    assert "The audit has 8 errors and 3 warnings open. Errors: •" in text
    assert text.index("Errors: •") < text.index("Warnings: •") < text.index("Decoding: greedy, but settings")
    assert "batched steps per epoch: 40 steps, not ~400 steps" in text
    assert b"/Figure" in (tmp_path / "a.pdf").read_bytes()


def test_setups_have_a_title_of_their_own_and_a_table(tmp_path: Path) -> None:
    text, _ = draft(ROOT, "phase2-collection", tmp_path / "a.pdf")
    assert "Phase 2 collection: comparison of hardware" in text
    assert "4× NVIDIA B200 3.6 (3.3–4) 71.28 (53.26–" in text
    assert "5.80 fits on the frontier" in text


def test_what_was_spent_without_a_plan_stands_by_item(tmp_path: Path) -> None:
    text, _ = draft(ROOT, "llama", tmp_path / "a.pdf")
    assert "LLaMA: compute used" in text
    assert "LLaMA-7B 82,432 LLaMA-13B 135,168 LLaMA-33B 530,432 LLaMA-65B 1,022,362 Total charged 1,770,394" in text


def many(root: Path, phases: int, risks: int) -> Path:
    """A plan of four items a phase, 10 h each, and risks."""
    plan = "".join(
        f"p{n}:\n  title: Phase {n}\n  items:\n"
        + "".join(f"    i{n}-{k}: {{title: Item {n}.{k}, scope: one-time, gpu_hours: 10}}\n" for k in range(4))
        for n in range(1, phases + 1)
    )
    texts = "".join(
        f"risk-{n}:\n  title: Danger {n}\n  section: Risks\n  parts: {{Risk: It breaks., Help: Mend it.}}\n"
        for n in range(1, risks + 1)
    )
    return plant(
        root,
        {
            "ledger/catalog/gpus.yaml": "card: {title: Card}\n",
            "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n",
            "ledger/demo/plan.yaml": plan,
            "ledger/demo/texts.yaml": texts,
        },
    )


def test_all_risks_and_phases_stand_where_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """24 phases of 40 h. Their 96 items are too many for a picture: it is by phase, 16 of them, the other 8 together
    320 h."""
    drawn: list[Waterfall] = []

    def kept(name: str, picture: Waterfall) -> str:
        drawn.append(picture)
        return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'

    monkeypatch.setattr(editions, "drawn_anew", kept)
    text, reader = draft(many(tmp_path, 24, 10), "demo", tmp_path / "a.pdf")
    assert [f"Danger {n} It breaks." in text for n in range(1, 11)] == [True] * 10
    assert "Phase 24 40 Final budget 960" in text
    assert len(reader.pages) <= 4
    assert " more " not in text
    (picture,) = drawn
    assert [(bar.label, bar.value) for bar in picture.bars[-3:]] == [
        ("Phase 16", "40"),
        ("8 more phases", "320"),
        ("Final budget", "960"),
    ]


def test_a_plan_without_runs_has_a_picture_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its line ends at 40 h, the limit with 10 % of contingency is 44 h: the key says what the line is."""
    root = many(tmp_path, 1, 0)
    files = {
        "ledger/demo/plan.yaml": "\n  since: 2026-01\n  until: 2026-06\n  items:",
        "ledger/demo/project.yaml": "\ncontingency: 10%\n",
    }
    for name, text in files.items():
        old = (root / name).read_text("utf-8")
        plant(root, {name: old.replace("\n  items:", text) if "items" in text else old.rstrip() + text})
    title = "National computing centre of the north"
    grant = f"a: {{title: {title}, gpu_hours: unknown, since: 2026, until: 2026-10, projects: [demo]}}\n"
    plant(root, {"ledger/allocations.yaml": grant})
    drawn: list[Any] = []

    def kept(name: str, picture: Any) -> str:
        drawn.append(picture)
        return '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'

    monkeypatch.setattr(editions, "drawn_anew", kept)
    draft(root, "demo", tmp_path / "a.pdf")
    picture = drawn[-1]
    told = str(picture.specification())
    assert (picture.title, picture.about) == ("Planned by 2026-06-30: 44 GPU-h", "Demo: planned hours over time")
    assert f"End of {title}" in told
    assert "without contingency" in told


def test_what_has_no_room_is_counted(tmp_path: Path) -> None:
    """320 risks: as many as four pages hold, and the number of the others, which together are all."""
    text, reader = draft(many(tmp_path, 3, 320), "demo", tmp_path / "a.pdf")
    assert len(reader.pages) == 4
    shown = len(re.findall(r"Danger \d+ It breaks\.", text))
    (more,) = re.findall(r"(\d+) more risks: see the pages of the project\.", text)
    assert shown + int(more) == 320
    assert shown > 180


def texted(rows: int) -> Paper:
    parts = Blocks()
    parts.heading("First")
    parts.table(["A"], [*(Row([f"{n}"]) for n in range(rows)), Row(["sum"], bold=True, fixed=True)], "<", what="phases")
    parts.heading("Second")
    parts.paragraph("Words.")
    return Paper("T", "budget", "Draft.", "T", PaperHead("1.0", "2026-01-01", draft=True), parts)


def test_a_list_is_cut_to_the_longest_that_fits_and_keeps_its_sums() -> None:
    """Room is up to row 7, as if each row took a page of eight."""
    text = fitted(texted(30), lambda text: Filled(4 if text.count('"cells"') <= 8 else 5))
    assert text.count('"cells"') == 8
    assert '"sum"' in text
    assert '"23 more phases: see the pages of the project."' in text
    assert "Words." in text


def test_sections_that_are_left_out_are_named() -> None:
    text = fitted(texted(30), lambda text: Filled(5 if "Words." in text else 4))
    assert "There is more than four pages have room for (“Second”): the pages of the project have all of it." in text


def test_findings_of_one_severity_have_no_list_apart(tmp_path: Path) -> None:
    """What is found comes first and ends with a full stop; the figures that show it are a sentence of their own."""
    root = many(tmp_path, 1, 0)
    plan = (root / "ledger/demo/plan.yaml").read_text("utf-8")
    plant(root, {"ledger/demo/plan.yaml": plan.replace("gpu_hours: 10}", "gpu_hours: 10, estimate: 90 gpu_hours}", 1)})
    text, _ = draft(root, "demo", tmp_path / "a.pdf")
    assert "The audit has 1 error open: • Item 1.0: the estimate does not support the plan. Estimate 90 GPU-h" in text
    assert "Errors:" not in text


def test_words_of_a_picture_that_is_set_small_stay_readable() -> None:
    """At 68 of 100 words are 5.9 points high, and four fifths of that would be 4.7: it is as wide as 5.5 ask for."""
    blocks, look = Blocks(), Look(tight=True, small=True)
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="666" height="300"><rect width="9" height="9"/></svg>'
    assert blocks.picture("waterfall", svg, "Bars.", 68)
    (shown,) = json.loads(Paper("T", "k", "s", "f", PaperHead("", ""), blocks).text(look))["blocks"]
    assert (shown["width"], shown["least"]) == (68, 64)
    assert WORDS * COLUMN * shown["least"] / 100 / 666 >= SMALLEST


def test_one_finding_is_not_told_twice(tmp_path: Path) -> None:
    """A breached rule is the state of the project, and the one error of its audit."""
    root = many(tmp_path, 1, 0)
    head = (root / "ledger/demo/project.yaml").read_text("utf-8")
    rule = "policies: {few: {title: Few hours, require: actual.total <= 5 gpu_hours, message: Stop.}}\n"
    run = "- {date: 2026-02-01, item: i1-1, gpus: 1, wall_hours: 6, progress: {done: 1, total: 2}}\n"
    plant(root, {"ledger/demo/project.yaml": head + rule, "ledger/demo/runs/2026-02.yaml": run})
    text, _ = draft(root, "demo", tmp_path / "a.pdf")
    assert text.count("Few hours") == 1
    assert "The audit has 1 error open, reported above." in text
    assert "0 warnings" not in text


def test_the_forecast_of_a_plan_that_is_all_extension_is_there(tmp_path: Path) -> None:
    root = many(tmp_path, 1, 0)
    plan = (root / "ledger/demo/plan.yaml").read_text("utf-8").replace("  items:", "  extension: true\n  items:")
    run = "- {date: 2026-02-01, item: i1-1, gpus: 1, wall_hours: 6, progress: {done: 1, total: 2}}\n"
    plant(root, {"ledger/demo/plan.yaml": plan, "ledger/demo/runs/2026-02.yaml": run})
    text, _ = draft(root, "demo", tmp_path / "a.pdf")
    (row,) = re.findall(r"GPU-hours 40 6 (\S+) (\S+) to (\S+) 34 ", text)
    low, high = float(row[1]), float(row[2])
    assert low <= float(row[0]) <= high


def test_without_anything_to_print_it_is_said_what_to_write(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            "ledger/catalog/gpus.yaml": "card: {title: Card}\n",
            "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\n",
        },
    )
    done = given(root, "release", "demo", "1.0", "-m", "Why.", "--draft", "a.pdf")
    assert done.returncode == 2
    assert "demo has nothing yet to print: write a plan, runs, setups of hardware" in done.stderr
    assert not (root / "a.pdf").exists()


def test_a_title_is_cut_behind_a_word() -> None:
    assert brief("A study of birds that a foundation pays", 26) == "A study of birds that a…"
    assert brief("Short", 26) == "Short"
    assert brief("x" * 40, 10) == "xxxxxxxxx…"
