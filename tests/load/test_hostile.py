# ruff: noqa: E501 (tables read better unbroken)
"""Whatever a file holds, it is told as problems, at once, and with little work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile import HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.reckoning import reckon
from reckon.load.events import Stop
from reckon.load.reader import load
from reckon.load.tree import read_tree
from tests.work import growth, work

FEW = 500_000
"""Lines of Python: far fewer than it would take to go through what a hostile file holds, piece by piece."""


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "an alias bomb"])
def test_is_told(name: str, ledger: Any) -> None:
    make, wanted = HOSTILE[name]
    tree = ledger()
    make(tree.root)
    said: list[str] = []
    assert work(lambda: said.extend(tree.problems())) < FEW
    assert said == wanted


def test_an_alias_bomb_is_never_followed(ledger: Any) -> None:
    tree = ledger()
    HOSTILE["an alias bomb"][0](tree.root)
    said: list[str] = []
    assert work(lambda: said.extend(tree.problems())) < FEW
    assert sum("is an alias" in one for one in said) == 29 * 9
    assert sum("is an anchor" in one for one in said) == 30
    assert len(said) < 400


def test_twice_the_mistakes_are_twice_the_work(ledger: Any) -> None:
    """What could grow with the square of the file: doubled keys, unknown keys, broken entries, unknown items."""

    def tree(size: int) -> Any:
        keys = "".join(f"k{n}: {{title: K, hours: 1}}\n" for n in range(size))
        odd = ", ".join(f"odd{n}: 1" for n in range(size))
        items = "".join(f"- {{item: i{n}, gpu_hours: 1}}\n" for n in range(size))
        return ledger(
            figures=keys + keys,
            plan=f"one: {{title: One, {odd}}}\n",
            runs="- {itm: sft, gpu_hours: x}\n" * size + items,
        )

    assert len(tree(3000).problems()) == 3000 + 3000 + 3 * 3000 + 3000
    assert growth(lambda size: tree(size).problems, 400) < 2.5


def test_keys_that_are_there_twice_are_told_each(ledger: Any) -> None:
    """One after the other in one map, also where a key comes between them."""
    tree = ledger(figures="a: {title: A, hours: 1}\na: {title: A, hours: 1}\nb: {title: B, hours: 1}\nc: {title: C, hours: 1}\n"
                          "b: {title: B, hours: 1}\na: {title: A, hours: 1}\nc: {title: C, hours: 1, hours: 2, title: D, hours: 3}\n")  # fmt: skip
    twice = [one.split(";")[0] + one[-2:] for one in tree.problems()]
    assert twice == [
        "ledger/p/figures.yaml:2:1: `a` is there twice 1",
        "ledger/p/figures.yaml:5:1: `b` is there twice 3",
        "ledger/p/figures.yaml:6:1: `a` is there twice 1",
        "ledger/p/figures.yaml:7:1: `c` is there twice 4",
        "ledger/p/figures.yaml:7:25: `hours` is there twice 7",
        "ledger/p/figures.yaml:7:35: `title` is there twice 7",
        "ledger/p/figures.yaml:7:45: `hours` is there twice 7",
    ]


def test_the_file_system_may_refuse(ledger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    tree = ledger()
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", refuse)
        assert (
            "ledger/catalog/gpus.yaml:1:1: the file cannot be read: Permission denied; look at its permissions"
            in tree.problems()
        )
    monkeypatch.setattr(Path, "iterdir", refuse)
    assert "ledger:1:1: the folder cannot be read: Permission denied; look at its permissions" in tree.problems()


def test_reading_needs_no_ledger(tmp_path: Path) -> None:
    read, problems = load(tmp_path)
    assert read.projects == {}
    assert len(problems) == 1
    assert reckon(read)[1] == []


YAML = st.one_of(st.text(max_size=40), st.text("ab:- \n[]{}'\"&*!|>%@`#,?\t~<", max_size=40))


@given(YAML)
def test_any_text_is_a_tree_or_problems(text: str) -> None:
    problems: list[Any] = []
    try:
        read_tree(text, "file", problems)
    except Stop as stop:
        problems.append(stop.problem)
    for problem in problems:
        assert 1 <= problem.place.line <= len(text.splitlines()) + 1
        assert problem.right


FIELDS = ("title", "version", "as_of", "gpu", "seeds", "contingency", "memory", "accept", "items", "scope", "gpu_hours", "estimate",
          "settings", "of", "states", "terms", "parts", "rows", "hours", "kind", "steps", "item", "gpus", "wall_hours", "formula", "low",
          "progress", "hardware", "cards", "runs", "versions", "status", "note", "figures", "place", "notes")  # fmt: skip
VALUES = st.recursive(
    st.sampled_from(
        [
            "3",
            "8-10",
            "x",
            "''",
            "15%",
            "per-seed",
            "card",
            "2025-01-01",
            "a + b",
            "unknown",
            "true",
            "1.0",
            "~",
            "null",
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
        st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5).map(
            lambda parts: "{" + ", ".join(f"{key}: {value}" for key, value in parts.items()) + "}"
        ),
    ),
    max_leaves=12,
)
NAMES = (
    "project",
    "plan",
    "runs",
    "claims",
    "figures",
    "measurements",
    "projections",
    "configurations",
    "texts",
    "allocations",
    "gpus",
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(NAMES), st.dictionaries(st.sampled_from(["a", "b-c", *FIELDS]), VALUES, max_size=6), st.booleans()
)
def test_any_records_are_read_or_told(ledger: Any, name: str, fields: dict[str, str], listed: bool) -> None:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    text = "- {" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}\n" if listed else lines
    tree = ledger(**{name: ("title: P\n" if name == "project" and not listed else "") + text})
    for problem in tree.problems():
        assert problem.startswith("ledger/")
