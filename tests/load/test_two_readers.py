"""Records have two readers: one for what is right, and pydantic for all that is wrong. They agree on what is which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from reckon.load import reader, refusing, validate
from reckon.model.finding import Problem
from reckon.model.records import Forge, Measurement, Projection, Run
from reckon.model.scalars import Wrong

ROOT = Path(__file__).parents[2]
RUN = {"date": "2026-01-02", "item": "a", "gpus": "2", "wall_hours": "3"}
REFUSED = [
    (Run, {**RUN, "date": "soon"}),
    (Run, {name: text for name, text in RUN.items() if name != "item"}),
    (Run, {**RUN, "progress": "half"}),
    (Run, {**RUN, "progress": {"done": "one", "total": "2"}}),
    (Run, "a run"),
    (Measurement, {"title": "T", "kind": "measured", "rows": [{"a_seconds": "1"}], "total": ["b_seconds"]}),
    (Measurement, {"title": "T", "kind": "measured", "parts": {"Not an id": "3%"}}),
    (Projection, {"steps": "5", "tasks": "3"}),
    (Projection, {"measurements": []}),
    (Forge, {"address": "https://git.example.org/team/tree"}),
]  # fmt: skip


@pytest.mark.parametrize("root", [ROOT, ROOT / "examples" / "birdsong"])
def test_pydantic_finds_nothing_where_a_record_was_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def both(kind: Any, tree: Any, problems: list[Problem], cut: Any) -> Any:
        said: list[Problem] = []
        assert not refusing.refusals(kind, tree, said)
        assert not said
        asked.append(kind)
        return validate.validate(kind, tree, problems, cut)

    monkeypatch.setattr(reader, "validate", both)
    _, problems = reader.load(root)
    assert not problems
    assert len(asked) > 10


@pytest.mark.parametrize(("kind", "tree"), REFUSED)
def test_what_a_record_refuses_pydantic_explains(kind: Any, tree: Any) -> None:
    with pytest.raises(Wrong):
        kind.model_validate(tree)
    assert refusing.refusals(kind, tree, [])


def test_an_unknown_key_is_told_once_and_the_record_is_read() -> None:
    found: list[Problem] = []
    record = validate.validate(Run, {**RUN, "gpuss": "2"}, found, lambda path: None)
    assert [problem.wrong for problem in found] == ["unknown key `gpuss`"]
    assert isinstance(record, Run)
    found = []
    validate.validate(Run, {**RUN, "gpuss": "2", "date": "soon"}, found, lambda path: None)
    assert sorted(problem.wrong.split("`")[0] for problem in found) == ["", "unknown key "]
