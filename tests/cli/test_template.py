"""Templates are listed, printed, and replaced one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.small import plant
from tests.test_flow import ROOT, budget


def test_all_templates_are_listed_and_one_is_printed(rendered: Path) -> None:
    names = budget(rendered, "template").stdout.splitlines()
    assert {"history", "budget/head", "portfolio", "macros"} <= set(names)
    assert len(names) == len(list((ROOT / "templates").rglob("*.md.j2")))
    for name in ("history", "budget/head", "budget/head.md.j2"):
        done = budget(rendered, "template", name)
        assert done.returncode == 0
        assert done.stdout == (ROOT / "templates" / f"{name.removesuffix('.md.j2')}.md.j2").read_text("utf-8")


def test_a_copy_changes_nothing_and_only_the_replaced_page_changes(rendered: Path) -> None:
    for name in ("history", "budget/head"):
        plant(rendered, {f"templates/{name}.md.j2": budget(rendered, "template", name).stdout})
    assert budget(rendered, "render", "--check").returncode == 0
    text = '{% include "shipped/history.md.j2" %}\n\nAsk {{ view.project.title }}.\n'
    plant(rendered, {"templates/history.md.j2": text, "templates/mine.md.j2": "x"})
    before = (rendered / "docs/demo/history.md").read_text("utf-8")
    done = budget(rendered, "render")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote docs/demo/history.md\n", "")
    assert (rendered / "docs/demo/history.md").read_text("utf-8") == f"{before}\nAsk Demo.\n"
    told = budget(rendered, "template").stdout.splitlines()
    assert "history   replaced by templates/history.md.j2" in told
    assert "budget/head   replaced by templates/budget/head.md.j2" in told
    assert "mine   your own: used only where another template names it" in told
    shipped = budget(rendered, "template", "history").stdout
    assert shipped == (ROOT / "templates/history.md.j2").read_text("utf-8"), "always the shipped one"


def test_a_template_that_moved_is_known_by_the_name_that_it_had(rendered: Path) -> None:
    plant(rendered, {"templates/measured/rows.md.j2": "x"})
    told = budget(rendered, "template").stdout.splitlines()
    assert "measuring/rows   replaced by templates/measured/rows.md.j2" in told
    assert not any("your own:" in line for line in told)
    assert budget(rendered, "template", "measured/rows") == budget(rendered, "template", "measuring/rows")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("histroy", "there is no template `histroy`; did you mean `history`?\n"),
        ("../README", "there is no template `../README`; list all: `budget template`\n"),
        ("x\x1b[2J", "there is no template `x\\x1b[2J`; list all: `budget template`\n"),
    ],
)
def test_what_is_no_template_is_said(rendered: Path, name: str, says: str) -> None:
    assert budget(rendered, "template", name) == (2, "", says)


def test_a_bare_number_of_a_template_is_refused(rendered: Path) -> None:
    before = (rendered / "docs/demo/history.md").read_text("utf-8")
    plant(rendered, {"templates/history.md.j2": "{{ 42 }}\n"})
    done = budget(rendered, "render")
    assert done.returncode == 2
    assert done.stderr.startswith("templates/history.md.j2:1:1: the template does not work: ")
    assert (rendered / "docs/demo/history.md").read_text("utf-8") == before
