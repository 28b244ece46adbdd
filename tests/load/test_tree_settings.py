"""ledger/tree.yaml: what it says, what it means where it is absent, and the addresses that are made of it."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.load.reader import load


def test_without_the_file_people_render_and_there_is_no_forge(ledger: Any) -> None:
    read, problems = load(ledger().root)
    assert problems == []
    assert (read.settings.pages, read.settings.forge) == ("people", None)
    assert "ledger/tree.yaml" not in read.files


@pytest.mark.parametrize(
    ("forge", "title", "line"),
    [
        (
            "{address: https://github.com/team/budgets/}",
            "GitHub",
            "https://github.com/team/budgets/edit/main/a.yaml#L7",
        ),
        (
            "{address: https://gitlab.example.org/lab/budgets, branch: trunk, folder: money/gpu}",
            "GitLab",
            "https://gitlab.example.org/lab/budgets/-/edit/trunk/money/gpu/a.yaml#L7",
        ),
        (
            "{address: http://localhost:3000/a/b, kind: github}",
            "GitHub",
            "http://localhost:3000/a/b/edit/main/a.yaml#L7",
        ),
    ],
)
def test_a_forge_gives_the_address_of_a_line(forge: str, title: str, line: str, ledger: Any) -> None:
    tree = ledger(**{"ledger/tree.yaml": f"format: 2\npages: ci\nforge: {forge}\n"})
    read, problems = load(tree.root)
    assert problems == []
    assert read.settings.pages == "ci"
    assert read.settings.forge is not None
    assert read.settings.forge.title == title
    assert read.settings.forge.at_line("a.yaml", 7) == line
    assert read.files[1:2] == ("ledger/tree.yaml",)
