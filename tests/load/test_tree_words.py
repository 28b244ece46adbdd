"""The schemas of a tree list what its files name, whatever else is wrong with these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reckon.cli import main
from reckon.load.schema import MOST_WORDS, schema_files
from reckon.load.tree_words import tree_words
from tests.small import SMALL, plant

GRANT = {"ledger/allocations.yaml": "spring: {title: Spring grant, gpu_hours: 2000, projects: [demo]}\n"}
SECOND = {
    "ledger/other/project.yaml": "title: O\nversion: 1\nas_of: 2026\ngpu: card\nseeds: [late, 1]\n",
    "ledger/other/plan.yaml": "more: {title: M, items: {true: {title: T, scope: one-time, gpu_hours: lots}}}\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path / "tree", {**SMALL, **GRANT, **SECOND})


def listed(root: Path, kind: str, file: str = "runs") -> list[Any] | None:
    """The words of a kind in the schema of a file; None where any word is taken."""
    found = json.loads(schema_files(root)[f"ledger/.schema/{file}.schema.json"])["$defs"][kind].get("enum")
    return None if found is None else list(found)


def test_they_are_those_of_all_projects(tree: Path) -> None:
    words = tree_words(tree)
    assert words["projects"] == ["demo", "other"]
    assert "more" in words["phases"]
    assert "true" in words["items"]
    assert {"1", "late"} <= {*words["seeds"]}
    assert words["allocations"] == ["none", "spring"]


def test_an_editor_reads_some_of_them_as_numbers_or_true(tree: Path) -> None:
    items, seeds = listed(tree, "items"), listed(tree, "seeds")
    assert items
    assert True in items
    assert "true" in items
    assert seeds
    assert 1 in seeds
    assert "1" in seeds
    assert "late" in seeds


def test_a_new_item_is_known_when_the_schemas_are_written_again(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--root", str(tree)]) == 0
    runs = tree / "ledger/.schema/runs.schema.json"
    before = jsonschema.Draft7Validator(json.loads(runs.read_text("utf-8")))
    entry = [{"item": "probing", "gpu_hours": 1}]
    assert next(error.message for error in before.iter_errors(entry)).startswith("'probing' is not one of")
    assert before.is_valid([{**entry[0], "unplanned": True}])
    plan = tree / "ledger/other/plan.yaml"
    plan.write_text(plan.read_text("utf-8").replace("true:", "probing:"), "utf-8")
    assert main(["schema", "--check", "--root", str(tree)]) == 1
    assert "stale: ledger/.schema/runs.schema.json" in capsys.readouterr().out
    assert main(["schema", "--root", str(tree)]) == 0
    assert jsonschema.Draft7Validator(json.loads(runs.read_text("utf-8"))).is_valid(entry)
    assert schema_files(tree) == schema_files(tree)


@pytest.mark.parametrize("broken", ["a: [", "- a list\n", "a: b: c\n", "\x00"])
def test_a_kind_is_not_listed_where_a_file_that_has_more_cannot_be_read(tree: Path, broken: str) -> None:
    assert listed(tree, "items") is not None
    plant(tree, {"ledger/other/plan.yaml": broken})
    assert listed(tree, "items") is None
    assert listed(tree, "seeds") is not None
    plant(tree, {"ledger/other/plan.yaml": "", "ledger/other/project.yaml": broken})
    assert listed(tree, "items") is not None
    assert listed(tree, "seeds") is None


def test_what_is_no_word_is_left_out(tree: Path) -> None:
    """A ledger may come from a stranger: an id that could be something else is in no schema, and no file is written
    outside."""
    hostile = ['"</script>"', "../../x", "$ref", '"a\\nb"', "a" * 81, '"{{7*7}}"', "fine"]
    items = ", ".join(f"{name}: {{title: T}}" for name in hostile)
    plant(tree, {"ledger/other/plan.yaml": f"p: {{items: {{{items}}}}}\n"})
    found = [name for name in listed(tree, "items") or [] if name not in (listed(plant(tree, SECOND), "items") or [])]
    assert found == ["fine"]
    seeds = "title: O\nversion: 1\nas_of: 2026\ngpu: card\nseeds: [NaN, 007, " + "9" * 60 + "]\n"
    plant(tree, {"ledger/other/project.yaml": seeds})
    values = listed(tree, "seeds") or []
    assert {"NaN", "007", "9" * 60, int("9" * 60)} <= {*values}
    assert 7 not in values


def test_of_very_many_words_none_is_listed(tree: Path) -> None:
    cards = "".join(f"card-{number}: {{title: T}}\n" for number in range(MOST_WORDS + 1))
    plant(tree, {"ledger/catalog/gpus.yaml": cards})
    assert listed(tree, "catalog.gpus") is None


def test_a_tree_without_any_takes_any_word(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    validator = jsonschema.Draft7Validator(json.loads(schema_files(tmp_path)["ledger/.schema/runs.schema.json"]))
    assert validator.is_valid([{"item": "train", "seed": 1, "gpu": "h100", "price": "cloud", "gpu_hours": 1}])
    assert not validator.is_valid([{"item": "train", "gpu": "an H100", "gpu_hours": 1}])
