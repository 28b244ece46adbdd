"""Once extensions have begun, every page gives the budget one chance of being exceeded, and hours that are its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.present.test_first_page import files_of, project
from tests.present.test_status_extended import BASE, MORE, PLAN

HEAD = "contingency: 20%\nceiling: 135\n"


def pages(root: Path, runs: str) -> dict[str, str]:
    """The pages of a tree of one project, without where their links lead."""
    own = project("sea", "", runs, HEAD) | {"sea/plan.yaml": PLAN}
    files = files_of(root, own)
    return {name: re.sub(r"\[([^][]*)\](\([^)]*\)|\[[^]]*\])", r"\1", text) for name, text in files.items()}


def chances(found: dict[str, str]) -> list[str]:
    """The chance of exceeding the budget, as the limits of the status page and both sentences have it."""
    row = r"^\| Final budget \| ([^|]+?)<br>([^|]+ before any run) \|"
    ((chance, planned),) = re.findall(row, found["docs/sea/status.md"], re.MULTILINE)
    said = []
    page = found["docs/sea/index.md"]
    said += re.findall(r"the risk of going over budget is (\S+?% \(\S+ before any run\))\.", page)
    said += [
        f"{risk} {planned}"
        for risk, planned in re.findall(r"a (\S+?%) risk of going over budget (\(\S+ before any run\))", page)
    ]
    return [f"{chance} ({planned})", *said]


@pytest.mark.parametrize("runs", [BASE, BASE + MORE], ids=["not begun", "begun"])
def test_the_budget_has_one_chance_of_being_exceeded(tmp_path: Path, runs: str) -> None:
    found = chances(pages(tmp_path, runs))
    assert len(found) == 2, "status, and the page of the budget"
    assert len(set(found)) == 1, found


def test_what_extensions_have_taken_is_said_where_it_counts(tmp_path: Path) -> None:
    words = "with what extensions have taken"
    assert words not in pages(tmp_path / "a", BASE)["docs/sea/index.md"]
    found = pages(tmp_path / "b", BASE + MORE)
    assert words in found["docs/sea/index.md"]


def test_hours_beside_a_budget_are_what_is_charged_to_it(tmp_path: Path) -> None:
    """Of 57 hours 5 are of the extension: 68 of 120 are left."""
    (row,) = re.findall(r"^\| \*\*Sea\*\* .*$", pages(tmp_path, BASE + MORE)["docs/index.md"], re.MULTILINE)
    assert row.split(" | ")[2] == "68 of 120"
