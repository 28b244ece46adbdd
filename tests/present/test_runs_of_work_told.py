"""Work in runs as it is told: by `choose` in each format, on the page, and in the derivation of a figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reckon.cli import main
from tests.hardware import HARDWARE
from tests.reading import files_of, plain, sections
from tests.small import plant
from tests.sweep import SWEEP

Printed = pytest.CaptureFixture[str]
RESTS = "60 runs of 0.75 h on RTX 4090 and 10 min each"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(plant(tmp_path_factory.mktemp("sweep"), SWEEP))


@pytest.fixture(scope="module")
def tables(files: dict[str, str]) -> dict[str, list[list[str]]]:
    return sections(files["docs/p/setups.md"]) | sections(files["docs/p/index.md"])


def out(capsys: Printed, root: Path, *words: str) -> str:
    assert main([*words, "--root", str(root)]) == 0
    return capsys.readouterr().out


def row_of(text: str, setup: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if setup in line.split())


def test_the_table_says_what_the_work_is_and_nothing_of_tokens(tmp_path: Path, capsys: Printed) -> None:
    text = out(capsys, plant(tmp_path, SWEEP), "choose", "--gpu", "rtx-4090", "h100", "--max-gpus", "7")
    sources = "speeds of the workload and of counts_as in the catalogue; prices of ours (2026-01-02)"
    assert f"Based on: {RESTS}; {sources}." in " ".join(text.split())
    assert row_of(text, "rtx-4090-x2") == ["1", "rtx-4090-x2", "27.5", "22.00", "0.80", "fits"]
    assert "token" not in text


def test_markdown_and_json_say_the_same(tmp_path: Path, capsys: Printed) -> None:
    root = plant(tmp_path, SWEEP)
    page = out(capsys, root, "choose", "--format", "markdown")
    whole = json.loads(out(capsys, root, "choose", "--format", "json"))
    assert RESTS in page
    assert whole["rests_on"]["runs"] == RESTS
    assert whole["rests_on"]["speeds"] == {
        "a100": "p.workloads.sixty.speed.a100",
        "h100": "catalog.gpus.h100.counts_as.rtx-4090",
    }
    (caveat,) = whole["caveats"]
    assert caveat in page
    hours = {one["setup"]: one["hours"]["use"] for one in whole["ranked"]}
    assert hours["rtx-4090-x7"] == "8.25"
    assert "token" not in page + json.dumps(whole)


def test_too_few_gpus_are_told(tmp_path: Path, capsys: Printed) -> None:
    root = plant(tmp_path, SWEEP)
    changed = ("--set", "p.workloads.sixty.gpus_per_run=2")
    assert "each run takes" not in out(capsys, root, "choose")
    assert "each run takes 2 GPUs\n" in out(capsys, root, "choose", *changed)


def test_a_speed_can_be_tried(tmp_path: Path, capsys: Printed) -> None:
    """At half the speed of an RTX 4090 an L4 takes 90 + 10 minutes: 100 h for sixty."""
    text = out(capsys, plant(tmp_path, SWEEP), "choose", "--gpu", "l4", "--set", "p.workloads.sixty.speed.l4=0.5")
    assert row_of(text, "l4-x1") == ["3", "l4-x1", "100", "30.00", "0.30", "fits"]


def test_a_figure_is_explained_down_to_the_ledger(tmp_path: Path, capsys: Printed) -> None:
    text = out(capsys, plant(tmp_path, SWEEP), "explain", "p.setups.sweep.h100-x7.hours")
    assert "ceil(60 runs / 7 runs) / 1 GPU = 9 runs/GPU" in text
    assert "0.75 h/run / 2× + 10 min/run = 0.5 h/run" in text
    assert "ledger/catalog/gpus.yaml:1" in text


def test_the_page_has_speeds_times_and_rounds(files: dict[str, str], tables: dict[str, list[list[str]]]) -> None:
    assert [row[0] for row in tables["Speed"][1:]] == ["H100", "RTX 4090", "A100", "L4"]
    assert [row[-1] for row in tables["Speed"][1:]] == ["2×", "1×", "1× (0.9–1.2×)", "–"]
    assert ["Runs", "60 runs"] in tables["Workload"]
    assert ["Baseline", "RTX 4090"] in tables["Workload"]
    seven = tables["7 GPUs side by side"]
    assert seven[0] == ["Setup", "**Time, h**", "**Cost, $**", "$/h", "$/run", "One run, h", "GPU-hours"]
    # 55 min are 0.92 h; nine rounds 8.25 h, which are 57.75 GPU-h at $0.40: $23.10 for sixty.
    assert ["7× RTX 4090", "8.2", "23.10", "2.80", "0.38", "0.92", "57.8"] in seven
    assert ["7× L4", "–", "–", "2.10", "–", "–", "–"] in seven
    page = plain(files["docs/p/setups.md"])
    assert "Runs on each GPU, one after the other: 9." in page
    assert "All GPUs of a setup are paid for all of its time" in page


def test_the_page_says_nothing_of_tokens_or_models(files: dict[str, str]) -> None:
    page = plain(files["docs/p/index.md"] + files["docs/p/setups.md"])
    for words in ("token", "One model", "Models run", "generation"):
        assert words not in page, words
    assert "One run needs 20 GB (18.6 GiB) on each GPU" in page


def test_a_page_has_work_of_both_kinds_and_says_where_more_gpus_save_no_time(tmp_path: Path) -> None:
    tokens = HARDWARE["ledger/p/workloads.yaml"].replace("  models: 4\n", "")
    work = tokens + "few:\n  title: Few\n  runs: 3\n  hours_per_run: 2\n  gpus_per_run: 2\n  baseline: slow\n"
    setups = HARDWARE["ledger/p/setups.yaml"] + "few: {title: Few runs, workload: few, counts: [1, 2]}\n"
    page = files_of(plant(tmp_path, {**HARDWARE, "ledger/p/workloads.yaml": work, "ledger/p/setups.yaml": setups}))
    text = plain(page["docs/p/setups.md"])
    assert "More than one GPU saves no time: the ledger does not say that the work can be shared out." in text
    assert "\n3 runs of 2 h on 2× Slow (Few); else as above.\n" in plain(page["docs/p/setups.md"])
    found = sections(page["docs/p/setups.md"])
    assert ["Slow", "–", "–", "–", "not known", "too few GPUs for a run"] in found["Few runs"]
    assert ["2× Slow", "6", "12.00", "4.00", "not known", "on the frontier"] in found["Few runs"]
    assert ["Runs", "–", "3 runs"] in found["Workload"]


def test_too_few_gpus_have_a_table(tmp_path: Path) -> None:
    work = SWEEP["ledger/p/workloads.yaml"].replace("  baseline", "  gpus_per_run: 2\n  baseline")
    page = files_of(plant(tmp_path, {**SWEEP, "ledger/p/workloads.yaml": work}))["docs/p/index.md"]
    cards = ("RTX 4090", "A100", "H100", "L4")
    assert sections(page)["Setups with too few GPUs"][1:] == [[card, "1", "2"] for card in cards]
