"""The table of pages: each has its template and its place in the navigation, and no page of a ledger takes its name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model import pages
from reckon.model.pages import CATALOGUE, OWN_PAGE, PAGES, PORTFOLIO, TemplatePage
from reckon.present.pages import present
from tests.conftest import Tree
from tests.reading import ROOT, files_of
from tests.small import plant

KINDS = {"budget", "comparison", "measured"}
RECIPE = TemplatePage("people", "People", "people.md.j2", 7)


def wanting(fixed: Iterable[TemplatePage], templates: Path) -> list[str]:
    """What is not as it has to be in a table of pages and a folder of templates, each with what to do."""
    every = [*fixed, PORTFOLIO, CATALOGUE]
    named = {page.template for page in every} | {OWN_PAGE}
    there = {path.name for path in templates.glob("*.md.j2")}
    texts = [path.read_text("utf-8") for path in (*templates.rglob("*.j2"), *(ROOT / "reckon").rglob("*.py"))]
    used = {name for text in texts for name in re.findall(r'"(?:shipped/)?([a-z-]+\.md\.j2)"', text)}
    return [
        *(f"{page.name}: write templates/{page.template}" for page in every if page.template not in there),
        *(f"templates/{name}: give it a line in PAGES" for name in sorted(there - named - used)),
        *(f"{page.name}: no such kind of project" for page in every if not set(page.kinds) <= KINDS),
    ]


def test_every_page_has_its_template_and_every_template_its_page() -> None:
    assert wanting(PAGES, ROOT / "templates") == []


def test_the_recipe_of_a_new_page_names_the_step_that_is_left_out(tmp_path: Path) -> None:
    """Its template and its line in PAGES: two files, and nothing else is touched."""
    templates = shutil.copytree(ROOT / "templates", tmp_path / "templates")
    assert wanting((*PAGES, RECIPE), templates) == ["people: write templates/people.md.j2"]
    (templates / "people.md.j2").write_text("# Who works on {{ view.project.title }}\n", "utf-8")
    assert wanting(PAGES, templates) == ["templates/people.md.j2: give it a line in PAGES"]
    assert wanting((*PAGES, RECIPE), templates) == []


def test_a_new_page_is_rendered_and_stands_in_the_navigation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "PAGES", (*PAGES, RECIPE))
    own = plant(tmp_path / "own", {"people.md.j2": "# Who works on {{ view.project.title }}\n"})
    book = calculate(load(plant(tmp_path / "tree"))[0])[0]
    made = present(book, [own, ROOT / "templates"], lambda _: None)
    assert made["docs/demo/people.md"].endswith("# Who works on Demo\n")
    listed = re.findall(r"- (?:(\w+): )?demo/(\w+)\.md", made["docs/nav.yml"])
    assert listed == [
        ("Budget", "index"),
        ("Status", "status"),
        ("Attempts", "attempts"),
        ("Details", "lines"),
        ("Findings", "findings"),
        ("Derivations", "derivations"),
        ("History", "history"),
        ("People", "people"),
    ]


@pytest.mark.parametrize("name", ["derivations-2", *sorted({page.name.partition("/")[0] for page in PAGES})])
def test_no_page_of_a_ledger_takes_the_name_of_a_fixed_one(name: str, ledger: Callable[..., Tree]) -> None:
    said = ledger(project=f"pages:\n  {name}: {{title: Mine}}\n").problems()
    assert [one.partition(": ")[2] for one in said] == [
        f"`{name}` is the name of a page that every project has; rename it"
    ]


def test_every_page_of_the_shipped_trees_is_of_the_table_or_of_its_ledger() -> None:
    """So a page that is made past the table, whose name would be free, is named here."""
    made = files_of(ROOT, known=True)
    own: Mapping[str, object] = {
        f"{one.id}/{name}.md": page
        for one in load(ROOT)[0].projects.values()
        for name, page in one.project.pages.items()
    }
    found = {path.removeprefix("docs/") for path in made if path.endswith(".md") and path.count("/") > 1}
    fixed = {page.file for page in PAGES}
    others = {path for path in found if path not in own and path.partition("/")[2] not in fixed}
    assert {path for path in others if not re.fullmatch(r"[a-z0-9-]+/derivations-[2-9]\.md", path)} == set()
    for path in others:
        assert path in made["docs/nav.yml"], "further pages of derivations are in the navigation"
