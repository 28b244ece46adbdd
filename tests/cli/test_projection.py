"""`projection` as it is used: what it prints in each format, what it refuses, and that it writes nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]
Printed = pytest.CaptureFixture[str]
PROJECT = "title: {}\nversion: 1.0.0\nas_of: 2026-01-02\ngpu: card\n"
TREE = {
    "ledger/catalog/gpus.yaml": "card: {title: Card, vram_gib: 80}\n",
    "ledger/catalog/devices.yaml": "cpu: {title: CPU}\n",
    "ledger/catalog/models.yaml": "small: {title: Small, parameters: 2B}\nlarge: {title: Large, parameters: 8B}\n",
    "ledger/catalog/providers.yaml": "cloud: {title: Cloud}\nmoon: {title: Moon}\n",
    "ledger/catalog/prices.yaml": """\
hourly: {provider: cloud, usd_per_gpu_hour: {card: 2}}
cheap: {title: 'Cheap, spot', provider: cloud, usd_per_gpu_hour: {card: 1-2}}
monthly: {provider: moon, usd_per_month: {card: 50}}
bare: {title: Bare, provider: moon}
""",
    "ledger/p/project.yaml": PROJECT.format("P"),
    "ledger/p/measurements.yaml": """\
laptop: {title: Laptop, kind: measured, date: 2026-01-01, device: cpu, model: small, row: request, total: [a_seconds],
  rows: [{a_seconds: 2821}, {a_seconds: 3099}, {a_seconds: 3279}, {a_seconds: 5294}]}
gpu: {title: One card, kind: estimated, device: card, gpus: 1, model: small, seconds_per_step: 3-5}
""",
    "ledger/p/projections.yaml": """\
small:
  {title: Small run, measurements: [laptop, gpu], tasks: 8, rollouts_per_task: 1, steps_per_rollout: 10, epochs: 5,
   prices: [hourly, cheap, monthly, bare], leaves_out: [the environment, the update.], reported: elsewhere}
paper:
  {title: Paper, base: small, measurements: [gpu], tasks: 128, rollouts_per_task: 8, epochs: 15, gpus: 8, model: large,
   parallel_environments: 256}
""",
    "ledger/p/figures.yaml": "elsewhere: {title: Elsewhere, hours: 0.25-0.5, source: 'the paper, table 2'}\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path, TREE)


def out(capsys: Printed, *words: str, root: Path, code: int = 0) -> str:
    assert main(["projection", "--root", str(root), *words]) == code
    printed = capsys.readouterr()
    assert bool(printed.err) == bool(code)
    return printed.err if code else printed.out


def test_the_table(tree: Path, capsys: Printed) -> None:
    """400 steps of 3,623.25 s are 16.8 days; 3,623.25 / 4 is 906; 400 steps of 3–5 s are 1/3 to 5/9 h at $1 to $2."""
    assert (
        out(capsys, "small", root=tree)
        == """\
Small run (p.projections.small)
8 tasks × 1 rollout × 10 steps × 5 epochs = 400 steps, one after the other.

  Per step   Per task  Per epoch  Total     Speed-up    GPU-hours  Cost
Laptop (measured, 2026-01-01, cpu)
  60.4 min   10.1 h    3.4 d      16.8 d
  30.4–90.3  5.1–15.1  1.7–5      8.5–25.1
One card (estimated, card)
  4 s        40 s      5.3 min    26.7 min  906×        0.4 GPU-h  $0.67
  3–5        30–50     4–6.7      20–33.3   365–1,807×  0.3–0.6    0.33–1.11

One card: cheapest at Cheap, spot (cheap), $0.33–1.11; Moon $50/month; no price at Bare.
Not included: the environment; the update.
Reported: 15–30 min (the paper, table 2). Against it: Laptop is outside, One card overlaps.
"""
    )


def test_environments_that_take_a_step_together(tree: Path, capsys: Printed) -> None:
    sets = ("--set", "p.projections.paper.efficiency=80%", "--set", "p.projections.paper.exponent=0.5-1")
    lines = out(capsys, "paper", *sets, root=tree).splitlines()
    assert lines[:2] == [
        "with p.projections.paper.efficiency = 80% (not in the ledger)",
        "with p.projections.paper.exponent = 0.5-1 (not in the ledger)",
    ]
    assert lines[3:6] == [
        "128 tasks × 8 rollouts × 10 steps × 15 epochs = 153,600 steps.",
        "256 environments take a step together: ceil(128 × 8 / 256) × 10 = 40 calls an epoch, 600 in total.",
        "Projected from the measured step: to Large (exponent 0.5–1), on 8 GPUs (efficiency 80%).",
    ]
    assert lines[7].split() == ["Per", "step", "Per", "epoch", "Total", "GPU-hours", "Cost"]


@pytest.mark.parametrize("name", ["small", "p.small", "projections.small", "p.projections.small"])
def test_a_projection_is_named_in_several_ways(tree: Path, capsys: Printed, name: str) -> None:
    text = out(capsys, name, root=tree)
    assert text.startswith("Small run (p.projections.small)\n")
    assert "Paper" not in text


def test_a_named_one_that_lacks_inputs_is_refused_with_what_would_settle_it(tree: Path, capsys: Printed) -> None:
    assert out(capsys, "paper", root=tree, code=2).splitlines() == [
        "`p.projections.paper` cannot be calculated without what is missing:",
        "  Missing: p.projections.paper.exponent; write `exponent` below `paper` in ledger/p/projections.yaml.",
        "  Missing: p.projections.paper.efficiency; write `efficiency` below `paper` in ledger/p/projections.yaml.",
    ]
    one = ("--set", "p.projections.paper.exponent=1")
    told = out(capsys, "paper", *one, "--format", "json", root=tree, code=2)
    assert told.splitlines()[0] == "with p.projections.paper.exponent = 1 (not in the ledger)"
    assert "paper.efficiency; " in told
    assert "paper.exponent; " not in told


def test_among_all_it_is_shown_with_what_is_missing(tree: Path, capsys: Printed) -> None:
    text = out(capsys, root=tree)
    paper = text[text.index("\nPaper (p.projections.paper)\n") :]
    assert "\n  unknown   unknown" in paper
    assert "\nMissing: p.projections.paper.efficiency; write `efficiency` below `paper` in" in paper
    assert "Small run" in text


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("device: card, gpus: 1", "device: card", "p.measurements.gpu.gpus; write `gpus` below `gpu` in ledger/p/meas"),
        (", seconds_per_step: 3-5", "", "p.measurements.gpu.seconds_per_step; write `seconds_per_step` below `gpu`"),
        ("parameters: 8B", "notes: none", "catalog.models.large.parameters; write `parameters` below `large` in led"),
    ],
)
def test_what_is_missing_elsewhere_has_its_place(tree: Path, capsys: Printed, old: str, new: str, says: str) -> None:
    for name in ("p/measurements", "catalog/models"):
        file = tree / f"ledger/{name}.yaml"
        file.write_text(file.read_text().replace(old, new))
    assert f"  Missing: {says}" in out(capsys, "paper", root=tree, code=2)


def test_what_some_measurements_lack_is_an_answer_with_a_gap(tree: Path, capsys: Printed) -> None:
    file = tree / "ledger/p/measurements.yaml"
    file.write_text(file.read_text().replace("3-5", "unknown"))
    text = out(capsys, "small", root=tree)
    assert "16.8 d" in text
    assert "Missing: p.measurements.gpu.seconds_per_step, which is `unknown`" in text


def test_a_time_that_can_be_zero_is_told_so(tree: Path, capsys: Printed) -> None:
    text = out(capsys, "small", "--set", "p.measurements.gpu.seconds_per_step=0-5", root=tree)
    assert "Undefined where p.projections.small.gpu.seconds_per_step can be zero." in text


def test_without_measurements_there_is_nothing_to_project_from(tree: Path, capsys: Printed) -> None:
    (tree / "ledger/p/projections.yaml").write_text("small: {title: Small, steps: 10}\n")
    assert "names no measurement to project from; write `measurements: […]`" in out(capsys, "small", root=tree, code=2)
    assert out(capsys, root=tree) == "Small (p.projections.small)\n10 steps, one after the other.\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["smal"], "there is no projection `smal`; did you mean `small`?"),
        (["p.papr"], "there is no projection `p.papr`; did you mean `p.paper`?"),
        (["projections.smal"], "there is no projection `projections.smal`; did you mean `projections.small`"),
        (["q.small"], "there is no projection `q.small`; did you mean `p.small`"),
        (["entirely-else"], "there is no projection `entirely-else`; there are `small`, `paper`"),
        (["small", "--project", "q"], "there is no project `q`; "),
        (["small", "--set", "p.projections.small.taks=4"], "--set p.projections.small.taks=4: "),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(tree: Path, capsys: Printed, words: list[str], says: str) -> None:
    assert out(capsys, *words, root=tree, code=2).startswith(says)


def test_a_name_that_several_projects_have_needs_one(tree: Path, capsys: Printed) -> None:
    more = {name.replace("/p/", "/q/"): text for name, text in TREE.items() if "/p/" in name}
    plant(tree, more)
    wrong = "several projects have a projection `small`; name one: p.small, q.small\n"
    assert out(capsys, "small", root=tree, code=2) == wrong
    for words in (["q.small"], ["small", "--project", "q"]):
        assert out(capsys, *words, root=tree).startswith("Small run (q.projections.small)\n")
    assert out(capsys, "--project", "q", root=tree).count("(p.projections") == 0
    assert out(capsys, root=tree).count(".projections.small)") == 2


def test_without_any_projection_it_says_how_to_begin(tmp_path: Path, capsys: Printed) -> None:
    root = plant(tmp_path, SMALL)
    assert out(capsys, root=root).startswith("No project has projections. To project a time from measurements, write")
    assert out(capsys, "--project", "demo", root=root).startswith("`demo` has no projections; ")
    assert out(capsys, "some", root=root, code=2).startswith("there is no projection `some`, nor any other; ")
    assert json.loads(out(capsys, "--format", "json", root=root))["projections"] == []


def test_counts_that_stand_nearer_than_the_steps_of_a_base_are_those_that_are_shown(
    tree: Path, capsys: Printed
) -> None:
    text = """\
all: {title: All, measurements: [gpu], steps: 400, gpus: 1}
own: {title: Own, base: all, tasks: 3, steps_per_rollout: 4}
again: {title: Again, base: own, steps: 7}
"""
    (tree / "ledger/p/projections.yaml").write_text(text)
    assert out(capsys, "all", root=tree).splitlines()[1] == "400 steps, one after the other."
    own = "3 tasks × 1 rollout × 4 steps × 1 epoch = 12 steps, one after the other."
    assert out(capsys, "own", root=tree).splitlines()[1] == own
    assert out(capsys, "again", root=tree).splitlines()[1] == "7 steps, one after the other."


def test_json_has_exact_values(tree: Path, capsys: Printed) -> None:
    whole: dict[str, Any] = json.loads(out(capsys, "--format", "json", root=tree))
    small, paper = whole["projections"]
    assert (whole["format"], small["address"], small["batched"], paper["batched"]) == (
        1,
        "p.projections.small",
        False,
        True,
    )
    laptop, gpu = small["measurements"]
    assert laptop["figures"]["hours"]["use"] == exact(Fraction("3623.25") * 400 / 3600)
    assert gpu["figures"]["speedup"]["use"] == exact(Fraction("3623.25") / 4)
    assert gpu["figures"]["hours"] == {
        "low": "1/3",
        "use": "4/9",
        "high": "5/9",
        "unit": "h",
        "text": "20–33.3 min",
        "missing": [],
    }
    assert {one["prices"]: one["usd"] and one["usd"]["use"] for one in gpu["costs"]} == {
        "hourly": "8/9",
        "cheap": "2/3",
        "monthly": None,
        "bare": None,
    }
    assert (gpu["cheapest"], gpu["reported"], small["reported_by"]) == ("cheap", "overlaps", "the paper, table 2")
    assert paper["missing"] == ["p.projections.paper.exponent", "p.projections.paper.efficiency"]
    assert paper["counts"]["batched_steps"]["use"] == "600"


def exact(number: Fraction) -> str:
    return str(float(number)) if (number * 10**6).denominator == 1 else f"{number.numerator}/{number.denominator}"


def test_markdown_has_a_row_for_each_measurement(tree: Path, capsys: Printed) -> None:
    text = out(capsys, "small", "--format", "markdown", root=tree)
    assert "\n| One card (estimated, card) | 4 s (3–5) | 40 s (30–50) | 5.3 min (4–6.7) | 26.7 min (20–33.3) | " in text
    assert "with " not in out(capsys, "small", "--format", "markdown", "--set", "p.version=2", root=tree)


def test_nothing_of_a_ledger_acts_on_the_terminal_or_in_markdown(tree: Path, capsys: Printed) -> None:
    file = tree / "ledger/p/projections.yaml"
    file.write_text(file.read_text().replace("title: Small run", 'title: "S\\e[31m | `x` <b>"'))
    for form in ("table", "markdown"):
        assert "\x1b" not in out(capsys, "small", "--format", form, root=tree)
    assert "<b>" not in out(capsys, "small", "--format", "markdown", root=tree)


def test_lines_fit_a_terminal_whatever_the_titles(tree: Path, capsys: Printed) -> None:
    for name in ("measurements", "projections"):
        file = tree / f"ledger/p/{name}.yaml"
        file.write_text(file.read_text().replace("title: ", "title: " + "very long " * 20))
    assert max(map(len, out(capsys, root=tree).splitlines())) <= 100


def test_nothing_is_written(tree: Path, capsys: Printed) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    out(capsys, root=tree)
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


def test_the_projections_of_this_repository_are_printed(capsys: Printed) -> None:
    text = out(capsys, root=ROOT)
    assert "400 steps, one after the other." in text
    assert "40 calls an epoch" in text
