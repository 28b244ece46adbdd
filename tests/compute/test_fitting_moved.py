# ruff: noqa: E501 (tables read better unbroken)
"""What takes no memory moves none, and the same settings take the same whichever way they were come by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.fitting import FITTING
from tests.small import plant
from tests.trying import examples

reused = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
LEVERS = {
    "half": "{title: Half, sets: {server.share: 0.5}, part: server, saves_gib: 14}",
    "batch": "{title: Batch, sets: {batch: 4}, part: trainer, saves: 30%, saves_gib: 2}",
    "shorter": "{title: Shorter, sets: {length: 256}, part: cache, saves_gb: 1}",
    "slow": "{title: Slow, sets: {patience: 5}, slows: training, slower: 20%}",
}
SETS = {
    "half": {"server.share": "0.5"},
    "batch": {"batch": "4"},
    "shorter": {"length": "256"},
    "slow": {"patience": "5"},
}
BASE = "base: {title: Base, framework: frame, hours: 1, settings: {epochs: 2, batch: 8, server.share: 0.8, length: 512}, memory: {server: {pool: server.share}, trainer: {gib: 8}, cache: {gib: 3, within: server}}, time: {training: 60%, serving: 40%}}\n"


def needs(root: Path, configurations: str) -> dict[str, list[Any]]:
    """What each configuration takes of every card, as text of the values."""
    files = {
        **FITTING,
        "ledger/p/configurations.yaml": BASE + configurations,
        "ledger/p/levers.yaml": "".join(f"{name}: {text}\n" for name, text in LEVERS.items()),
    }
    ledger, problems = load(plant(root, files))
    book, more = calculate(ledger)
    assert [str(problem) for problem in problems + more] == []
    return {
        name: [book[f"p.configurations.{name}.on.{card}.need_gib"].value for card in ("small", "middle", "large")]
        for name in ledger.projects["p"].configurations
    }


idle = st.dictionaries(
    st.sampled_from(["epochs", "timeout_seconds", "name", "retries", "notes_kept"]), st.integers(1, 9), max_size=4
)
applied = st.lists(st.sampled_from(sorted(LEVERS)), unique=True, max_size=4)


def record(name: str, base: str, sets: dict[str, Any], levers: list[str], more: str = "") -> str:
    told = ", ".join(f"{key}: {value}" for key, value in sets.items())
    return (
        f"{name}: {{title: {name.title()}, base: {base}, levers: [{', '.join(levers)}], settings: {{{told}}}{more}}}\n"
    )


@reused
@given(idle, applied, st.integers(1, 9))
def test_a_setting_that_takes_no_memory_moves_none(
    tmp_path: Path, sets: dict[str, int], levers: list[str], hours: int
) -> None:
    found = needs(
        tmp_path,
        record("first", "base", {}, levers)
        + record("second", "first", sets, [], f", hours: {hours}")
        + record("third", "base", sets, levers, f", hours: {hours}"),
    )
    assert found["first"] == found["second"] == found["third"]


@reused
@given(idle, applied, st.integers(1, 9))
def test_the_same_settings_take_the_same_whether_levers_set_them_or_not(
    tmp_path: Path, sets: dict[str, int], levers: list[str], trainer: int
) -> None:
    """Each states its trainer: with the levers in force, as their settings are."""
    parts = f", memory: {{trainer: {{gib: {trainer}}}, cache: {{gib: 2, within: server}}}}"
    plain = {key: value for lever in levers for key, value in SETS[lever].items()}
    found = needs(
        tmp_path, record("by-levers", "base", sets, levers, parts) + record("plain", "base", plain, [], parts)
    )
    assert found["by-levers"] == found["plain"]


def test_a_part_stated_with_its_levers_is_made_smaller_by_those_of_a_derived_configuration(tmp_path: Path) -> None:
    """6 GiB with the batch; the derived one takes a share of 0.5 of each card in place of 0.8. Of 8 GiB, 8 x 0.7 - 2 are left."""
    stated = record("stated", "base", {}, ["batch"], ", memory: {trainer: {gib: 6}}")
    found = needs(
        tmp_path, stated + record("further", "stated", {}, ["half"]) + record("derived", "base", {}, ["batch"])
    )
    middle = {name: float(values[1].use) for name, values in found.items()}
    assert middle == pytest.approx({"base": 35.2 + 8, "stated": 35.2 + 6, "further": 22 + 6, "derived": 35.2 + 3.6})
