"""A tree becomes a record, or all that is wrong with it, at once."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from reckon.load.validate import validate
from reckon.model.finding import Problem
from reckon.model.records import Forge, Measurement, Projection, Run

RUN = {"date": "2026-01-02", "item": "a", "gpus": "2", "wall_hours": "3"}
REFUSED = [
    (Run, {**RUN, "date": "soon"}, ["`soon` is not a date"]),
    (Run, {name: text for name, text in RUN.items() if name != "item"}, ["`item` is missing"]),
    (Run, {**RUN, "progress": "half"}, ["a map of names and values is expected here"]),
    (Run, {**RUN, "progress": {"done": "one", "total": "2"}}, ["`one` is not a number"]),
    (Run, {**RUN, "date": "soon", "gpus": "-2"}, ["`soon` is not a date", "`-2` is negative"]),
    (Run, "a run", ["a map of names and values is expected here"]),
    (
        Measurement,
        {"title": "T", "kind": "measured", "rows": [{"a_seconds": "1"}], "total": ["b_seconds"]},
        ["the rows have no column `b_seconds` to sum"],
    ),
    (Measurement, {"title": "T", "kind": "measured", "parts": {"Not an id": "3%"}}, ["`Not an id` is not an id"]),
    (Projection, {"steps": "5", "tasks": "3"}, ["`tasks` and `steps` are both given"]),
    (Projection, {"measurements": []}, ["the list is empty"]),
    (Forge, {"address": "https://git.example.org/team/tree"}, ["the address does not show which forge this is"]),
]


@pytest.mark.parametrize(("kind", "tree", "wrong"), REFUSED)
def test_all_that_is_wrong_is_told(kind: Any, tree: Any, wrong: list[str]) -> None:
    with pytest.raises(ValidationError):
        kind.model_validate(tree)
    found: list[Problem] = []
    validate(kind, tree, found, lambda path: None)
    assert [problem.wrong for problem in found] == wrong


def test_an_unknown_key_is_told_once_and_the_record_is_read() -> None:
    found: list[Problem] = []
    record = validate(Run, {**RUN, "gpuss": "2"}, found, lambda path: None)
    assert [problem.wrong for problem in found] == ["unknown key `gpuss`"]
    assert isinstance(record, Run)
    found = []
    validate(Run, {**RUN, "gpuss": "2", "date": "soon"}, found, lambda path: None)
    assert sorted(problem.wrong.split("`")[0] for problem in found) == ["", "unknown key "]


def test_a_place_is_not_written() -> None:
    found: list[Problem] = []
    validate(Run, {**RUN, "place": "here"}, found, lambda path: None)
    assert [problem.wrong for problem in found] == ["unknown key `place`"]
