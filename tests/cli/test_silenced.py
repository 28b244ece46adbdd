# ruff: noqa: E501 (tables read better unbroken)
"""A requirement that is dropped so that a finding goes away: `diff` and `review` tell it, between two trees and since a
release; what goes away because it was put right is not told so."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from tests.variants import VARIANTS, Write

PROJECT = """\
title: «The project»
version: 1.0.0
as_of: 2025-01-01
gpu: «card»
contingency: 10%
ceiling: <90>
memory: {«big»: {title: «Big», need_gib_per_gpu: 50}, «small»: {title: «Low», need_gib_per_gpu: 5}}
hardware: {«node»: {title: «Node», cards: [«card»], runs: [«small», «big»]}}
policies: {«few»: {require: budget.final <= <50> gpu_hours, message: Do less.}}
"""
PLAN = """\
one:
  title: «Phase»
  items:
    «a»:
      title: «The a»
      scope: one-time
      gpu_hours: <100.4>
      includes_margin: true
      estimate: <120>-<150>
    «b»: {title: «The b»,
      repeats: {of: [«a»], times: 3},
      scope: one-time, gpu_hours: <100>}
"""
CLAIMS = "- {of: plan.«a».total, states: <70.3>, at: Page 1}\n- {of: plan.«b».total, states: <100>, at: Page 2}\n"
FILES = {"project.yaml": PROJECT, "plan.yaml": PLAN, "claims.yaml": CLAIMS}

# What is taken out of which file, and the rule whose finding goes with it.
DROPPED: list[tuple[str, str, str, str]] = [
    ("project.yaml", "«small», «big»", "«small»", "hardware-cannot-hold"),
    ("project.yaml", ", runs: [«small», «big»]", "", "hardware-cannot-hold"),
    ("project.yaml", "ceiling: <90>\n", "", "plan-above-limit"),
    (
        "project.yaml",
        "policies: {«few»: {require: budget.final <= <50> gpu_hours, message: Do less.}}\n",
        "",
        "policy-breached",
    ),
    ("plan.yaml", "      includes_margin: true\n", "", "margin-on-margin"),
    ("plan.yaml", "includes_margin: true", "includes_margin: false", "margin-on-margin"),
    ("plan.yaml", "      estimate: <120>-<150>\n", "", "plan-unlike-its-estimate"),
    ("plan.yaml", "      repeats: {of: [«a»], times: 3},\n", "", "plan-unlike-its-estimate"),
    ("claims.yaml", "- {of: plan.«a».total, states: <70.3>, at: Page 1}\n", "", "claim-contradicted"),
]
# What puts the same right, or drops what nothing was found of.
MENDED: list[tuple[str, str, str]] = [
    ("project.yaml", "need_gib_per_gpu: 50", "need_gib_per_gpu: 30"),
    ("project.yaml", "«small», «big»", "«big»"),
    ("project.yaml", "ceiling: <90>", "ceiling: <900>"),
    ("plan.yaml", "<120>-<150>", "<90>-<95>"),
    ("claims.yaml", "states: <70.3>", "states: <100.4>"),
    ("claims.yaml", "- {of: plan.«b».total, states: <100>, at: Page 2}\n", ""),
]


def trees(root: Path, write: Write, file: str, old: str, new: str) -> tuple[str, str]:
    """A tree, and the same with a piece of a file replaced."""
    for side in ("was", "now"):
        home = root / side / "ledger" / write("«p»")
        home.mkdir(parents=True)
        gpus = root / side / "ledger/catalog/gpus.yaml"
        gpus.parent.mkdir()
        gpus.write_text(write("«card»: {title: «Card», vram_gib: 40}\n"), "utf-8")
        for name, text in FILES.items():
            text = text.replace(old, new) if (side, name) == ("now", file) else text
            (home / name).write_text(write(text), "utf-8")
    return str(root / "was"), str(root / "now")


def silenced(capsys: Any, was: str, now: str) -> dict[str, list[str]]:
    """By the address of what was dropped the ids of the findings that went with it."""
    assert main(["diff", was, now, "--format", "json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    return {
        each["address"]: [found["id"] for found in each["findings"]]
        for part in parts
        for each in part["findings"]["silenced"]
    }


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("file", "old", "new", "rule"), DROPPED)
def test_what_was_dropped_is_told_with_its_finding(
    tmp_path: Path, capsys: Any, file: str, old: str, new: str, rule: str, write: Write
) -> None:
    found = silenced(capsys, *trees(tmp_path, write, file, old, new))
    assert len(found) == 1
    assert rule in [each.partition(":")[0] for each in next(iter(found.values()))]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("file", "old", "new"), MENDED)
def test_what_was_put_right_is_not(tmp_path: Path, capsys: Any, file: str, old: str, new: str, write: Write) -> None:
    assert silenced(capsys, *trees(tmp_path, write, file, old, new)) == {}


# 100.4 and 100 hours with 10%: 220.44.
STATED = "- {of: budget.final, states: <220.44>, at: Page 3}\n"
MISSES = "- {of: budget.final, at: Page 4, terms: [«a», contingency]}\n"


@pytest.mark.parametrize("write", VARIANTS)
def test_a_formula_that_was_put_right_is_not_dropped_with_a_number_of_its_figure(
    tmp_path: Path, capsys: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line that the formula left out is named, and what its figure states was right: nothing is hidden."""
    monkeypatch.setitem(FILES, "claims.yaml", STATED + MISSES)
    right = MISSES.replace("«a», ", "«a», «b», ")
    assert silenced(capsys, *trees(tmp_path / "right", write, "claims.yaml", STATED + MISSES, right)) == {}
    gone = silenced(capsys, *trees(tmp_path / "gone", write, "claims.yaml", MISSES, ""))
    assert [[each.partition(":")[0] for each in some] for some in gone.values()] == [["formula-misses-line"]]


# 100 steps of an hour on one GPU; on two at 80% they take 62.5 hours.
PROJECTED = {
    "measurements.yaml": "«m»: {title: «M», kind: measured, device: «card», gpus: 1, seconds_per_step: 3600}\n",
    "projections.yaml": "«q»: {title: «Q», measurements: [«m»], steps: 100, gpus: 2, efficiency: 80%}\n",
    "claims.yaml": "- {of: projections.«q».«m».hours, states: 50 h, at: Page 1}\n",
}


@pytest.mark.parametrize("write", VARIANTS)
def test_an_efficiency_that_is_dropped_takes_what_is_stated_of_its_projection_along(
    tmp_path: Path, capsys: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in PROJECTED.items():
        monkeypatch.setitem(FILES, name, text)
    found = silenced(capsys, *trees(tmp_path, write, "projections.yaml", ", efficiency: 80%", ""))
    assert found == {
        write("«p».projections.«q».efficiency"): [write("claim-contradicted:«p».projections.«q».«m».hours")]
    }


ESTIMATED = """\
one:
  title: «Phase»
  items:
    «a»:
      title: «The a»
      scope: one-time
      gpu_hours: <100.4>
      includes_margin: true
      estimate: {formula: epochs * hours_per_epoch * gpus, epochs: 3, hours_per_epoch: <10>, gpus: 4}
      settings: {epochs: 3-6}
    «b»: {title: «The b», scope: one-time, gpu_hours: <100>}
"""


@pytest.mark.parametrize("write", VARIANTS)
def test_settings_that_are_dropped_take_the_low_end_that_was_taken_of_them_along(
    tmp_path: Path, capsys: Any, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FILES, "plan.yaml", ESTIMATED)
    found = silenced(capsys, *trees(tmp_path, write, "plan.yaml", "      settings: {epochs: 3-6}\n", ""))
    assert list(found.values()) == [[write("rests-on-low-end:«p».plan.«a».estimate.epochs")]]


def test_it_is_told_in_words(tmp_path: Path, capsys: Any) -> None:
    plain: Callable[[str], str] = VARIANTS[0].values[0]  # type: ignore[assignment]
    sides = trees(tmp_path, plain, *DROPPED[0][:3])
    for form, wanted in (
        ("text", "  dropped, and a finding with it\n    Hardware Node: runs: small, big → small\n"),
        (
            "markdown",
            "Dropped, and a finding with it:\n\n- Hardware Node: runs: small, big → small. *No longer found: Node: Card cannot hold big (50 GiB/GPU of 40 GiB)*",
        ),
    ):
        assert main(["diff", *sides, "--format", form]) == 0
        assert wanted in capsys.readouterr().out


def test_review_tells_what_a_change_to_the_example_drops(example_tree: Path, capsys: Any) -> None:
    """The policy on waste is made stricter, and breached; the change takes it out."""
    root = example_tree
    project = root / "ledger/birdsong/project.yaml"
    text = project.read_text("utf-8").replace("actual.waste_share <= 25%", "actual.waste_share <= 5%")
    project.write_text(text, "utf-8")
    for words in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "one"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True)
    start, end = text.index("  waste:\n"), text.index("  grants:\n")
    project.write_text(text[:start] + text[end:], "utf-8")
    assert main(["review", "main", "--root", str(root)]) in (0, 3)
    out = capsys.readouterr().out
    assert "Dropped, and a finding with it:" in out
    assert "(no longer found: A policy is breached: At most a quarter of the hours" in out
