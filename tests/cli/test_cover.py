"""`budget cover`: what only a document or only a ledger has, by hand; the command's text, JSON and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.cli.books import load_sound_book
from reckon.compute.cover.coverage import cover
from reckon.compute.cover.document import read_document
from reckon.compute.cover.holdings import Holding, holdings_of
from tests import commands
from tests.reading import ROOT
from tests.small import plant
from tests.trying import examples
from tests.work import growth

DOCUMENT = """\
# Otter

Hours of an A100 40GB. Contingency: 10%.

## Training

- Epochs: 3, of 8-10 hours on 4 GPUs
- One seed of training: 120 GPU hours
- All 2 seeds: 240 GPU-hours
- Checkpoints take 450 GB.

## Totals

| Part | GPU-hours |
|---|---:|
| Planned work | 240 |
| Budget | ~260 |
"""
LEDGER = {
    "ledger/catalog/gpus.yaml": "a100-40gb: {title: NVIDIA A100 40GB, vram_gib: 40}\n",
    "ledger/otter/project.yaml": """\
title: Otter
version: 1.0.0
as_of: 2026-03-02
gpu: a100-40gb
seeds: 2
contingency: 10%
""",
    "ledger/otter/plan.yaml": """\
work:
  title: Work
  items:
    train:
      title: Training
      scope: per-seed
      gpu_hours: 120
      estimate: {formula: epochs * hours_per_epoch * gpus, epochs: 3, hours_per_epoch: 8-10, gpus: 4}
""",
    "ledger/otter/figures.yaml": "disk: {title: Disk for checkpoints, gb: 450}\n",
}


def told(tmp_path: Path, document: str = DOCUMENT, options: str = "", **changed: str) -> dict[str, Any]:
    """What the command tells as JSON, of the ledger with other files."""
    files = {**LEDGER, **{f"ledger/otter/{name}.yaml": text for name, text in changed.items()}, "otter.md": document}
    done = commands.given(plant(tmp_path, files), "cover", "otter.md", "--format", "json", *options.split())
    assert done.stderr == ""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def plan(old: str, new: str) -> str:
    text = LEDGER["ledger/otter/plan.yaml"]
    assert old in text
    return text.replace(old, new)


def unstated(found: Mapping[str, Any]) -> list[str]:
    return [row["address"].removeprefix("otter.") for row in found["unstated"]]


def absent(found: Mapping[str, Any]) -> list[tuple[int, str]]:
    return [(row["line"], row["number"]) for row in found["absent"]]


def test_a_ledger_and_its_document_hold_the_same(tmp_path: Path) -> None:
    found = told(tmp_path)
    assert (found["figures"], absent(found), unstated(found)) == (8, [], [])
    assert found["project"] == "otter"


@pytest.mark.parametrize(
    ("old", "new", "address"),
    [
        ("gpu_hours: 120", "gpu_hours: 121", "plan.train.gpu_hours"),
        ("gpu_hours: 120", "gpu_hours: 120.4", "plan.train.gpu_hours"),
        ("gpu_hours: 120", "gpu_hours: 110-120", "plan.train.gpu_hours"),
        ("epochs: 3", "epochs: 5", "plan.train.estimate.epochs"),
        ("8-10", "8-11", "plan.train.estimate.hours_per_epoch"),
        ("8-10", "9", "plan.train.estimate.hours_per_epoch"),
        ("gpus: 4", "gpus: 6", "plan.train.estimate.gpus"),
    ],
)
def test_a_changed_input_is_told(tmp_path: Path, old: str, new: str, address: str) -> None:
    assert unstated(told(tmp_path, plan=plan(old, new))) == [address]


def test_an_input_needs_its_unit(tmp_path: Path) -> None:
    """The document has 450 GB, and no 450 GPU-hours or hours; a number with a unit is none without."""
    assert unstated(told(tmp_path, figures="disk: {title: Disk for checkpoints, gpu_hours: 450}\n")) == ["figures.disk"]
    assert unstated(told(tmp_path, figures="disk: {title: Disk for checkpoints, samples: 450}\n")) == ["figures.disk"]


def test_an_input_in_another_unit_of_its_kind_is_the_same(tmp_path: Path) -> None:
    assert unstated(told(tmp_path, figures="disk: {title: Disk for checkpoints, tb: 0.45}\n")) == []


@pytest.mark.parametrize(
    ("gib", "printed"),
    [("0.5", "512 MB"), ("450", "450 GB"), ("512", "0.5 TB"), ("524288", "0.5 PB"), ("450", "450 GiB")],
)
def test_a_size_may_be_meant_in_binary_units(tmp_path: Path, gib: str, printed: str) -> None:
    """512 MiB are half a GiB, half a TiB is 512 of them, and half a PiB 524,288."""
    text = DOCUMENT.replace("450 GB", printed)
    assert unstated(told(tmp_path, text, figures=f"disk: {{title: Disk for checkpoints, gib: {gib}}}\n")) == []
    assert unstated(told(tmp_path, text, figures=f"disk: {{title: Disk for checkpoints, gib: 1{gib}}}\n"))


@pytest.mark.parametrize(("printed", "there"), [("12", True), ("12x", False), ("12%", False)])
def test_a_factor_or_a_share_has_no_unit_of_its_column(tmp_path: Path, printed: str, there: bool) -> None:
    """The column of the last table is in GPU-hours."""
    figures = LEDGER["ledger/otter/figures.yaml"] + "warm: {title: Overhead, gpu_hours: 12}\n"
    found = told(tmp_path, f"{DOCUMENT}| Overhead | {printed} |\n", figures=figures)
    assert unstated(found) == ([] if there else ["figures.warm"])


def test_a_short_number_needs_a_word(tmp_path: Path) -> None:
    figures = "disk: {title: Disk for checkpoints, gb: 450}\nlag: {title: Waiting, hours: 7}\n"
    text = DOCUMENT.replace("## Totals", "- Setup takes 7 h.\n\n## Totals")
    assert unstated(told(tmp_path, text, figures=figures)) == ["figures.lag"]
    assert unstated(told(tmp_path, text.replace("Setup", "Wait after setup"), figures=figures)) == []


def test_a_single_one_is_not_asked_for(tmp_path: Path) -> None:
    assert unstated(told(tmp_path, plan=plan("epochs: 3", "epochs: 1"))) == []
    figures = "pay: {title: Payment, usd_per_month: {formula: pay_usd / months, pay_usd: 45, months: 1}}\n"
    document = DOCUMENT + "\nThe payment is $45.\n"
    assert unstated(told(tmp_path, document, figures=figures)) == []
    assert unstated(told(tmp_path, document, figures=figures.replace("months: 1", "months: 2"))) == [
        "figures.pay.months"
    ]
    assert unstated(told(tmp_path, figures="lag: {title: Waiting, months: 1}\n")) == ["figures.lag"]


def test_a_figure_that_the_ledger_lacks_is_told_with_its_line(tmp_path: Path) -> None:
    found = told(tmp_path, DOCUMENT.replace("450 GB", "450 GB, logs 12 GB"))
    assert absent(found) == [(10, "12 GB")]
    (row,) = found["absent"]
    assert (row["document"], row["section"]) == ("otter.md", "Training")


def test_a_calculated_figure_is_held_within_its_printed_digits(tmp_path: Path) -> None:
    """The budget is 264: `~260` and 264 stand for it, 260 and 265 do not."""
    for text, there in (("~260", True), ("264", True), ("264.0", True), ("260", False), ("265", False)):
        found = told(tmp_path, DOCUMENT.replace("~260", text))
        assert (absent(found) == []) is there, text


def test_an_input_is_not_held_by_a_rounded_number(tmp_path: Path) -> None:
    found = told(tmp_path, DOCUMENT.replace("450 GB", "~400 GB"))
    assert (absent(found), unstated(found)) == ([(10, "~400 GB")], ["figures.disk"])


def test_claims_texts_and_the_catalogue_hold_figures(tmp_path: Path) -> None:
    text = DOCUMENT + "\nTraining was billed 300 GPU-hours, plus 9 kWh for lamps. A card has 40 GB of VRAM.\n"
    assert absent(told(tmp_path, text)) == [(19, "300 GPU-hours"), (19, "9 kWh")]
    claims = "- {of: plan.train.total, states: 300, at: Bill}\n"
    texts = "lamps: {section: answer, text: The lamps take 9 kWh.}\n"
    found = told(tmp_path, text, claims=claims, texts=texts)
    assert (absent(found), unstated(found)) == ([], [])


def test_a_claim_that_the_document_does_not_make_is_told(tmp_path: Path) -> None:
    found = told(tmp_path, claims="- {of: plan.train.total, states: 999, at: Bill}\n")
    assert [(row["kind"], row["value"], row["file"], row["line"]) for row in found["unstated"]] == [
        ("claim", "999 GPU-h", "ledger/otter/claims.yaml", 1)
    ]


@pytest.mark.parametrize(("line", "place"), [(8, "there"), (6, "moved"), (11, "moved"), (4, "away"), (30, "away")])
def test_a_line_is_where_a_number_is_looked_for(tmp_path: Path, line: int, place: str) -> None:
    """120 GPU hours stand in line 8."""
    found = told(tmp_path, plan=plan("gpu_hours: 120", f"line: {line}\n      gpu_hours: 120"))
    assert (unstated(found) == ["plan.train.gpu_hours"]) is (place == "away")
    assert [row["now"] for row in found["moved"]] == ([8] if place == "moved" else [])


@pytest.mark.parametrize(("line", "there"), [("line: 10, ", True), ("", False)])
def test_a_number_in_the_line_of_its_record_needs_no_word(tmp_path: Path, line: str, there: bool) -> None:
    figures = f"lag: {{title: Waiting, {line}gb: 450}}\n"
    assert (unstated(told(tmp_path, figures=figures)) == []) is there


TABLE = """
| Model | Layers | Steps |
|---|---:|---:|
| small | 12 | 5,568 |
| large | 24 | 348 |
| 2 more | none | 348 to go |
"""
MODELS = """small: {title: Small model, line: 21, layers: 12}
small-steps: {title: Steps of the small model, line: 21, steps: 5568}
large: {title: Large model, line: 22, layers: 24}
disk: {title: Disk for checkpoints, gb: 450}
"""


def test_numbers_of_a_table_that_the_ledger_holds_are_figures(tmp_path: Path) -> None:
    """Without a unit they are none, until a record names a line of their table."""
    found = told(tmp_path, DOCUMENT + TABLE, figures=MODELS)
    assert absent(found) == [(22, "348"), (23, "2"), (23, "348")]
    assert found["figures"] == 8 + 6
    assert absent(told(tmp_path, DOCUMENT + TABLE)) == []


def test_a_record_that_was_left_out_leaves_a_gap_in_its_line(tmp_path: Path) -> None:
    """A record of another line holds nothing there, even if it has the number and the words."""
    figures = MODELS.replace("large: {title: Large model, line: 22", "large: {title: Large model, line: 21")
    assert (22, "24") in absent(told(tmp_path, DOCUMENT + TABLE, figures=figures))


def test_hours_are_those_of_its_gpus_in_the_line_of_a_record(tmp_path: Path) -> None:
    """Elsewhere `12h` may be hours of the clock, and a line tells only its own record."""
    text = DOCUMENT + "\n- Train: 12h on A100\n- Wait: 12h\n"
    line = text.splitlines().index("- Train: 12h on A100") + 1
    for named, there in ((f"line: {line}, ", True), (f"line: {line - 1}, ", False), ("", False)):
        figures = f"train: {{title: Train on A100, {named}gpu_hours: 12}}\n"
        assert (unstated(told(tmp_path, text, figures=figures)) == []) is there, named
    assert unstated(told(tmp_path, text, figures=f"train: {{title: Train, line: {line}, gpu_hours: 13}}\n"))


def test_a_text_holds_figures_with_a_word_of_their_line_or_cell(tmp_path: Path) -> None:
    """A title shares only the heading with a table: it holds nothing there."""
    figures = MODELS + "time: {title: 'Model 24 of training, batch of 36 GB', line: 9, hours: 3}\n"
    table = TABLE.replace("large | 24", "large | 36 GB").replace("\n| Model", "\n### Training time\n\n| Model")
    line = (DOCUMENT + table).splitlines().index("| large | 36 GB | 348 |") + 1
    assert (line, "36 GB") in absent(told(tmp_path, DOCUMENT + table, figures=figures))
    found = told(tmp_path, DOCUMENT + table.replace("large |", "large batch |"), figures=figures)
    assert (line, "36 GB") not in absent(found)


def test_a_list_of_a_command_prints_no_input(tmp_path: Path) -> None:
    figures = "rows: {title: Rows of the ablation, rows: 7}\n"
    text = DOCUMENT + '\n```bash\nmake ablation GPUS="4 5 6 7"   # rows\n```\n'
    assert unstated(told(tmp_path, text, figures=figures)) == ["figures.rows"]
    assert unstated(told(tmp_path, text + "\nThe ablation has 7 rows.\n", figures=figures)) == []


def test_a_formula_has_its_numbers_anywhere(tmp_path: Path) -> None:
    """The item stands in line 8, the inputs of its estimate in line 7."""
    found = told(tmp_path, plan=plan("gpu_hours: 120", "line: 8\n      gpu_hours: 120"))
    assert (absent(found), unstated(found), found["moved"]) == ([], [], [])


def test_nothing_is_no_figure(tmp_path: Path) -> None:
    assert absent(told(tmp_path, DOCUMENT + "\nTravel: $0.00, power: 0 kWh\n")) == []


def test_figures_and_claims_name_lines_too(tmp_path: Path) -> None:
    claims = "- {of: plan.train.total, states: 240, at: Training, line: 20}\n"
    found = told(tmp_path, figures="disk: {title: Disk for checkpoints, gb: 450, line: 2}\n", claims=claims)
    assert unstated(found) == ["figures.disk", "plan.train.total"]
    assert [row["now"] for row in found["moved"]] == []


IGNORE = "<!-- cover: ignore -->"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Lamps: 9 kWh {IGNORE}\nFans: 8 kWh\n", ["8 kWh"]),
        (f"{IGNORE}\nLamps: 9 kWh\nFans: 8 kWh\n\nHeat: 7 kWh\n", ["7 kWh"]),
        (f"{IGNORE}\n| Lamps | kWh |\n|---|---|\n| old | 9 |\n\nHeat: 7 kWh\n", ["7 kWh"]),
        (f"{IGNORE}\n## Office\n\nLamps: 9 kWh\n\n### Roof\n\nHeat: 7 kWh\n\n## Rest\n\nFans: 8 kWh\n", ["8 kWh"]),
    ],
)
def test_a_comment_dismisses_its_line_block_or_section(tmp_path: Path, text: str, left: list[str]) -> None:
    found = told(tmp_path, f"{DOCUMENT}\n{text}")
    assert [number for _, number in absent(found)] == left
    assert found["idle"] == []


def test_the_project_dismisses_figures_and_sections(tmp_path: Path) -> None:
    text = DOCUMENT + "\nLamps: 9 kWh\n\n## Office\n\nFans: 8 kWh\n"
    project = LEDGER["ledger/otter/project.yaml"] + "ignore: [9 kWh, Office]\n"
    assert absent(told(tmp_path, text, project=project)) == []


def test_a_dismissed_number_still_stands_in_the_document(tmp_path: Path) -> None:
    assert unstated(told(tmp_path, DOCUMENT.replace("450 GB.", f"450 GB. {IGNORE}"))) == []


@pytest.mark.parametrize("address", ["figures.disk", "otter.figures.disk"])
def test_the_project_dismisses_an_entry_by_its_address(tmp_path: Path, address: str) -> None:
    figures = "disk: {title: Disk for checkpoints, gb: 470}\n"
    assert unstated(told(tmp_path, figures=figures)) == ["figures.disk"]
    project = LEDGER["ledger/otter/project.yaml"] + f"ignore: [{address}]\n"
    found = told(tmp_path, figures=figures, project=project)
    assert (unstated(found), found["idle"]) == ([], [])


def test_what_dismisses_nothing_is_told(tmp_path: Path) -> None:
    project = LEDGER["ledger/otter/project.yaml"] + "ignore: [11 kWh]\n"
    found = told(tmp_path, f"{DOCUMENT}\n{IGNORE}\nNo number here.\n", project=project)
    assert found["idle"] == ["11 kWh", "otter.md:19"]


def test_a_changed_document_is_told(tmp_path: Path) -> None:
    digest = sha256(DOCUMENT.encode()).hexdigest()
    project = LEDGER["ledger/otter/project.yaml"] + f"source_sha256: {digest}\n"
    assert told(tmp_path, project=project)["changed"] == []
    found = told(tmp_path, DOCUMENT + "\n", project=project)
    assert found["changed"] == ["otter.md"]
    assert found["sha256"]["otter.md"] != digest


def test_several_files_are_one_document(tmp_path: Path) -> None:
    first, second = DOCUMENT.split("## Totals")
    files = {**LEDGER, "a.md": first, "b.md": f"## Totals{second}"}
    done = commands.given(plant(tmp_path, files), "cover", "a.md", "b.md", "--project", "otter")
    assert done.stdout.splitlines()[0] == "8 of 8 figures have a place in the ledger."


def test_the_text_has_both_counts_and_both_lists(tmp_path: Path) -> None:
    files = {**LEDGER, "otter.md": DOCUMENT.replace("450", "460")}
    done = commands.given(plant(tmp_path, files), "cover", "otter.md")
    assert done.returncode == 0
    assert done.stdout == (
        "7 of 8 figures have a place in the ledger.\n"
        "The document lacks 1 input and 0 claims of the ledger.\n"
        "\n"
        "In the ledger, not in the document:\n"
        "  ledger/otter/figures.yaml:1: input 450 GB, otter.figures.disk\n"
        "\n"
        "In the document, not in the ledger:\n"
        "  Training\n"
        "    otter.md:10: 460 GB, in “- Checkpoints take 460 GB.”\n"
    )


def test_a_long_text_is_cut_unless_all_is_asked_for(tmp_path: Path) -> None:
    text = DOCUMENT + "".join(f"\nLamp {n}: {n}.5 kWh\n" for n in range(100))
    root = plant(tmp_path, {**LEDGER, "otter.md": text})
    done = commands.given(root, "cover", "otter.md")
    assert len(done.stdout.splitlines()) == 63
    assert done.stdout.splitlines()[-1] == "… and 43 more lines: `--all` prints them"
    assert len(commands.given(root, "cover", "otter.md", "--all").stdout.splitlines()) == 105


def test_exit_codes(tmp_path: Path) -> None:
    root = plant(tmp_path, {**LEDGER, "otter.md": DOCUMENT, "other.md": DOCUMENT.replace("450", "460")})
    claims = plant(
        tmp_path / "claims", {**LEDGER, "ledger/otter/claims.yaml": "- {of: budget.final, states: 9, at: X}\n"}
    )
    (claims / "otter.md").write_text(DOCUMENT, "utf-8")
    assert commands.given(root, "cover", "otter.md", "--fail-on", "input").returncode == 0
    assert commands.given(root, "cover", "other.md").returncode == 0
    assert commands.given(root, "cover", "other.md", "--fail-on", "input").returncode == 3
    assert commands.given(claims, "cover", "otter.md", "--fail-on", "input").returncode == 0
    assert commands.given(root, "cover", "missing.md").returncode == 2
    assert commands.given(root, "cover", "otter.md", "--project", "whale").returncode == 2
    (root / "ledger/otter/plan.yaml").write_text("work: [", "utf-8")
    assert commands.given(root, "cover", "otter.md").returncode == 2


def test_a_document_that_is_too_large_is_refused(tmp_path: Path) -> None:
    root = plant(tmp_path, {**LEDGER, "otter.md": "5 h\n" * 300_000})
    done = commands.given(root, "cover", "otter.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert "larger than 1 MiB" in done.stderr


def test_the_command_is_a_process_of_its_own(tmp_path: Path) -> None:
    """It reads bytes of any kind, writes nothing, and a document acts on no terminal."""
    root = plant(tmp_path, LEDGER)
    (root / "otter.md").write_bytes(DOCUMENT.encode() + b"\n\x1b[31m\xff 7 kWh\n")
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, str(ROOT / "budget.py"), "cover", "otter.md", "--fail-on", "input"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "otter.md:19: 7 kWh" in done.stdout
    assert "\x1b" not in done.stdout
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture(scope="module")
def holdings(tmp_path_factory: pytest.TempPathFactory) -> list[Holding]:
    book = load_sound_book(plant(tmp_path_factory.mktemp("tree"), LEDGER))
    return holdings_of(book.projects["otter"], book)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(20_000))
@given(
    st.lists(
        st.tuples(st.integers(0, len(DOCUMENT)), st.text(max_size=9) | st.sampled_from(["|", "\n", "9", "-", "~"]))
    )
)
def test_a_changed_document_stops_nothing(holdings: list[Holding], changes: list[tuple[int, str]]) -> None:
    text = DOCUMENT
    for at, what in changes:
        text = text[:at] + what + text[at + 1 :]
    found = cover([read_document(text, "otter.md")], holdings)
    assert len(found.absent) <= len(found.figures)
    assert len(found.entries) == 7


def test_a_long_document_takes_no_more_than_twice_a_short_one(holdings: list[Holding]) -> None:
    """Numbers are looked up, not compared with each other: what is looked at grows with the document alone."""
    assert growth(lambda many: lambda: cover([read_document(DOCUMENT * many)], holdings), 20) < 2.3


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("Rental: 8.5 hours × $32.77", "usd_per_hour: 32.77"),
        ("Rental per GPU-hour: $6.30", "usd_per_gpu_hour: 6.3"),
        ("Rental in hours 1.5-4: setup", "hours: 1.5-4"),
        ("Rental, GPU hours: 1,000 hours", "gpu_hours: 1000"),
        ("Rental of 1.9×10²¹ FLOPs", "tflop: 1900000000"),
        ("Rental of 1.9 x 10^21 FLOPs", "tflop: 1900000000"),
        ("| Rental | H100-hours |\n|---|---|\n| all | 48 |", "gpu_hours: 48"),
        ("Rental: 4096", "samples: 4096"),
        ("Rental: 200€", "eur: 200"),
        ("Rental: 0.36 €/h", "eur_per_hour: 0.36"),
        ("| Rental | Prix/h |\n|---|---|\n| all | 0.70€ |", "eur_per_hour: 0.70"),
        ("Rental: $140/mo", "usd_per_month: 140"),
        ("Rental: $31.92/hr GPU", "usd_per_hour: 31.92"),
        ("Rental: $31.92/hr GPU", "usd_per_gpu_hour: 31.92"),
        ("| Rental | Hourly |\n|---|---|\n| all | $2.99 |", "usd_per_hour: 2.99"),
        ("| Rental | At $65/hr |\n|---|---|\n| all | $520 |", "usd_per_hour: 65"),
        ("Rental of ~10⁹", "neurons: 1e9"),
        ("| Rental | Total (~1,400 conditions) |\n|---|---|\n| all | 8 TB |", "conditions: 1400"),
        ("Rental: ₹1,49,760", "rupees: 149760"),
        ("Rental of 5 Million Tokens", "tokens: 5M"),
        ("Rental: GPU hours < 5,000", "gpu_hours: 5000"),
        ("Rental: 2,240 core-h", "core_hours: 2240"),
        ("Rental: 2,240 core-h", "corehours: 2240"),
        ("Rental: 20,000 ACC GPU-h", "gpu_hours: 20000"),
        ("| Rental | Value |\n|---|---|\n| ACC GPU-hours requested | 20,000 |", "gpu_hours: 20000"),
        ("Rental: 5 / 8 s", "seconds: 5-8"),
        ("Rental: 3,200 tok/s", "tokens_per_second: 3200"),
        ("Rental per GPU-hour: $6.30 (spot) or $13.70", "usd_per_gpu_hour: 13.70"),
        ("Rental lost: ~5% chance per hour", "share: 5%"),
        ("Rental: ₹1,20,000", "inr: 120000"),
        ("Rental: C$35/hr", "cad_per_hour: 35"),
        ("Rental: A$35/month", "aud_per_month: 35"),
        ("Rental: $100/yr", "usd_per_year: 100"),
    ],
)
def test_other_ways_to_print_a_figure(tmp_path: Path, text: str, figure: str) -> None:
    figures = f"rental: {{title: Rental, {figure}}}\n"
    document = f"# Rental\n\n{text}\n"
    assert "figures.rental" not in unstated(told(tmp_path, document, figures=figures))
    other = figures.replace(figure, f"{figure}3" if "-" in figure else figure.replace(": ", ": 2", 1))
    assert "figures.rental" in unstated(told(tmp_path, document, figures=other))


def test_a_number_behind_a_label_is_a_figure_where_a_record_names_a_line_of_its_section(tmp_path: Path) -> None:
    text = f"{DOCUMENT}\n## Training\n\n- Context: 4096\n- Batch: 32\n- Scale: 3 × 45\n\n## Rest\n\n- Context: 2048\n"
    line = text.splitlines().index("- Context: 4096") + 1
    figures = f"context: {{title: Context, line: {line}, tokens: 4096}}\n"
    assert absent(told(tmp_path, text, figures=figures))[1:] == [(line + 1, "32")]


def test_inputs_of_a_formula_may_stand_in_other_lines(tmp_path: Path) -> None:
    figures = "pay: {title: Payment, line: 30, gpu_hours: {formula: runs * gpu_hours, runs: 1, gpu_hours: 120}}\n"
    found = told(tmp_path, DOCUMENT.replace("GPU hours", "GPU hours of payment"), figures=figures)
    assert "figures.pay.gpu_hours" not in unstated(found)
    assert not any("figures.pay" in str(row) for row in found["moved"])


def test_a_range_has_its_place_in_one_record(tmp_path: Path) -> None:
    """Each end alone is in a record; that both stand in the document as a range is in none."""
    text = DOCUMENT.replace("450 GB.", "450 GB. Logs on disk take 12-450 GB.")
    figures = "disk: {title: Disk for checkpoints, gb: 450}\nlogs: {title: Logs on disk, gb: 12}\n"
    assert absent(told(tmp_path, text, figures=figures)) == [(10, "12-450 GB")]


def test_two_figures_with_a_stroke_may_be_of_two_records(tmp_path: Path) -> None:
    text = f"{DOCUMENT}\nTraining takes 5 / 8 s.\n"
    line = text.count("\n")
    figures = f"quick: {{title: Quick, line: {line}, seconds: 5}}\nslow: {{title: Slow, line: {line}, seconds: 8}}\n"
    found = told(tmp_path, text, figures=figures)
    assert [row for row in absent(found) if row[0] == line] == []
    assert not {"figures.quick", "figures.slow"} & {*unstated(found)}
    found = told(tmp_path, text, figures=figures.replace("seconds: 8", "seconds: 9"))
    assert (line, "5-8 s") in absent(found)
    assert "figures.slow" in unstated(found)


@pytest.mark.parametrize("text", ["| Cost |\n|---|\n| 2.05 |", '```json\n"compute_cost": 2.05,\n```'])
def test_a_number_without_a_unit_has_that_of_the_record_of_its_line(tmp_path: Path, text: str) -> None:
    """In a cell or behind a label, on the line that the record names alone."""
    document = f"{DOCUMENT}\n{text}\n"
    line = next(number for number, row in enumerate(document.splitlines(), 1) if "2.05" in row)
    figures = f"pay: {{title: Payment, line: {line}, usd: 2.05}}\n"
    found = told(tmp_path, document, figures=figures)
    assert "figures.pay" not in unstated(found)
    assert [row for row in absent(found) if row[0] == line] == []
    found = told(tmp_path, document, figures=figures.replace("2.05", "2.15"))
    assert "figures.pay" in unstated(found)
    assert (line, "2.05") in absent(found)
    assert "figures.pay" in unstated(told(tmp_path, document, figures=figures.replace(f"line: {line}", "line: 1")))


def test_a_limit_of_a_claim_covers_its_line(tmp_path: Path) -> None:
    text = f"{DOCUMENT}\nA node uses well under 60 GB.\n"
    line = text.count("\n")
    claims = f"- {{of: figures.disk, below: 60 gb, at: Node, line: {line}}}\n"
    found = told(tmp_path, text, claims=claims)
    assert (line, "60 GB") not in absent(found)
    assert "figures.disk" not in unstated(found)
    found = told(tmp_path, text, claims=claims.replace("60 gb", "70 gb"))
    assert (line, "60 GB") in absent(found)
    assert [row["value"] for row in found["unstated"] if row["kind"] == "claim"] == ["70 gb"]


def test_a_single_one_of_a_formula_covers_other_lines(tmp_path: Path) -> None:
    text = f"{DOCUMENT}\nChecks take 1 hour.\n"
    figures = "check: {title: Checks, line: 2, gpu_hours: {formula: hours * gpus, hours: 1, gpus: 2}}\n"
    assert absent(told(tmp_path, text, figures=figures))[-1:] != [(text.count("\n"), "1 hour")]
    assert absent(told(tmp_path, text, figures=figures.replace("hours: 1,", "hours: 2,")))[-1] == (
        text.count("\n"),
        "1 hour",
    )


def test_node_hours_are_gpu_hours_on_the_line_of_a_record(tmp_path: Path) -> None:
    """Where nodes are what is counted, the card of the ledger is a node."""
    text = f"{DOCUMENT}\nSmoke takes 32 node-hours.\n"
    figures = f"smoke: {{title: Smoke, line: {text.count(chr(10))}, gpu_hours: 32}}\n"
    found = told(tmp_path, text, figures=figures)
    assert "figures.smoke" not in unstated(found)
    assert absent(found)[-1:] != [(text.count("\n"), "32 node-hours")]
    assert "figures.smoke" in unstated(told(tmp_path, text, figures=figures.replace("32", "64")))


def test_a_line_is_of_the_document_that_its_record_names(tmp_path: Path) -> None:
    claims = "- {of: figures.disk, states: 450, at: Disk, line: 3, source: b.md}\n"
    files = {
        **LEDGER,
        "ledger/otter/claims.yaml": claims,
        "b.md": "# B\n\nDisk: 450 GB\n",
        "a.md": "# A\n\nDisk: 45 GB\n",
    }
    root = plant(tmp_path, files)

    def lacks(*documents: str) -> bool:
        done = commands.given(root, "cover", *documents, "--format", "json")
        return any(row["kind"] == "claim" for row in json.loads(done.stdout)["unstated"])

    assert not lacks("a.md", "b.md")
    (root / "a.md").write_text("# A\n\nDisk: 450 GB\n", encoding="utf-8")
    (root / "b.md").write_text("# B\n\nDisk: 45 GB\n", encoding="utf-8")
    assert lacks("a.md", "b.md")
