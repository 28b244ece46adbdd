"""Whatever a file holds, it is told as problems, at once, and with little work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hostile import FIGURES, HOSTILE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.load.yaml_nodes import Stop, read_tree
from reckon.model import bounds
from reckon.model.scalars import Unread
from tests.trying import examples
from tests.work import counted, growth

FEW = 500_000
"""Lines of Python: fewer than it takes to go through what a hostile file holds, piece by piece."""


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "an alias bomb"])
def test_is_told(name: str, ledger: Any) -> None:
    make, wanted = HOSTILE[name]
    tree = ledger()
    make(tree.root)
    lines, said = counted(tree.problems)
    assert said == wanted
    assert lines < FEW


def test_an_alias_bomb_is_never_followed(ledger: Any) -> None:
    tree = ledger()
    HOSTILE["an alias bomb"][0](tree.root)
    lines, said = counted(tree.problems)
    assert lines < FEW
    assert sum("is an alias" in one for one in said) == 29 * 9
    assert sum("is an anchor" in one for one in said) == 30
    assert len(said) < 400
    lists = read_tree((tree.root / FIGURES).read_text("utf-8"), FIGURES, [])
    assert {type(part) for name, parts in lists.items() if name != "a0" for part in parts} == {Unread}


def listed(line: str, size: int) -> str:
    """A line so many times. The names in it are of this size alone, so that hints kept from another do not help."""
    return "".join(line.replace("NAME", f"x{size}of{number}") for number in range(size))


# What could grow with the square of a file: how so many mistakes of a kind are written, and how many are told of each.
MANY: dict[str, tuple[Callable[[int], dict[str, str]], int]] = {
    "doubled keys": (lambda size: {"figures": listed("NAME: {title: K, hours: 1}\n", size) * 2}, 1),
    "unknown keys": (lambda size: {"plan": f"a: {{title: A{listed(', NAME: 1', size)}}}\n"}, 1),
    "broken entries": (lambda size: {"runs": listed("- {itm: sft, gpu_hours: x}\n", size)}, 3),
    "unknown items": (lambda size: {"runs": listed("- {item: NAME, gpu_hours: 1}\n", size)}, 1),
}


@pytest.mark.full
@pytest.mark.parametrize("kind", MANY)
def test_twice_the_mistakes_are_twice_the_work(kind: str, ledger: Any) -> None:
    many, told = MANY[kind]
    assert len(ledger(**many(3000)).problems()) == 3000 * told
    assert growth(lambda size: ledger(**many(size)).problems, 400) < 2.3


def test_keys_that_are_there_twice_are_told_each(ledger: Any) -> None:
    """One after the other in one map, also where a key comes between them."""
    tree = ledger(
        figures="a: {title: A, hours: 1}\na: {title: A, hours: 1}\nb: {title: B, hours: 1}\nc: {title: C, hours: 1}\n"
        "b: {title: B, hours: 1}\na: {title: A, hours: 1}\nc: {title: C, hours: 1, hours: 2, title: D, hours: 3}\n"
    )
    twice = [one.split(";")[0] + one[-2:] for one in tree.problems()]
    assert twice == [
        "ledger/p/figures.yaml:2:1: `a` appears twice 1",
        "ledger/p/figures.yaml:5:1: `b` appears twice 3",
        "ledger/p/figures.yaml:6:1: `a` appears twice 1",
        "ledger/p/figures.yaml:7:1: `c` appears twice 4",
        "ledger/p/figures.yaml:7:25: `hours` appears twice 7",
        "ledger/p/figures.yaml:7:35: `title` appears twice 7",
        "ledger/p/figures.yaml:7:45: `hours` appears twice 7",
    ]


def test_the_file_system_may_refuse(ledger: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    tree = ledger()
    with monkeypatch.context() as patched:
        patched.setattr(bounds, "read_start", refuse)
        assert (
            "ledger/catalog/gpus.yaml:1:1: the file cannot be read: Permission denied; check its permissions"
            in tree.problems()
        )
    monkeypatch.setattr(Path, "iterdir", refuse)
    assert "ledger:1:1: the folder cannot be read: Permission denied; check its permissions" in tree.problems()


def test_reading_needs_no_ledger(tmp_path: Path) -> None:
    read, problems = load(tmp_path)
    assert read.projects == {}
    assert len(problems) == 1
    assert calculate(read)[1] == []


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


FIELDS = (
    "title",
    "version",
    "as_of",
    "gpu",
    "seeds",
    "contingency",
    "memory",
    "accept",
    "items",
    "scope",
    "gpu_hours",
    "estimate",
    "settings",
    "of",
    "states",
    "terms",
    "parts",
    "rows",
    "hours",
    "kind",
    "steps",
    "item",
    "gpus",
    "wall_hours",
    "formula",
    "low",
    "progress",
    "hardware",
    "cards",
    "runs",
    "versions",
    "status",
    "note",
    "figures",
    "place",
    "notes",
)
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


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(NAMES), st.dictionaries(st.sampled_from(["a", "b-c", *FIELDS]), VALUES, max_size=6), st.booleans()
)
def test_any_records_are_read_or_told(ledger: Any, name: str, fields: dict[str, str], listed: bool) -> None:
    lines = "".join(f"{key}: {value}\n" for key, value in fields.items())
    text = "- {" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}\n" if listed else lines
    tree = ledger(**{name: ("title: P\n" if name == "project" and not listed else "") + text})
    for problem in tree.problems():
        assert problem.startswith("ledger/")
