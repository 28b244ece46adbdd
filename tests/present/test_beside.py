"""What a site has beside its pages: figures of a documented shape, and all runs; nothing of it is kept in the tree."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from reckon.cli import main
from reckon.present.budget import work
from reckon.publish import package_files
from tests.small import SMALL, plant

HOSTILE = '=HYPERLINK("x") <script>alert(1)</script> | `a`'
OWN_NAV = "site_name: S\nvalidation: {nav: {omitted_files: warn}}\nnav: [index.md, demo/index.md, demo/status.md]\n"


def staged(root: Path, place: Path) -> Path:
    """The documents of a tree as a site has them."""
    assert main(["render", "--root", str(root), "--out", str(place)]) == 0
    return place / "docs"


def shape() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((package_files.part("assets") / "figures.schema.json").read_text("utf-8"))
    return found


def test_figures_have_the_shape_that_is_documented(rendered: Path, tmp_path: Path) -> None:
    docs = staged(rendered, tmp_path / "staged")
    told = json.loads((docs / "demo/figures.json").read_text("utf-8"))
    jsonschema.Draft7Validator(shape()).validate(told)
    assert (docs / "demo" / told["$schema"]).resolve() == (docs / "assets/figures.schema.json").resolve()
    head = {name: value for name, value in told.items() if name not in ("$schema", "figures")}
    assert head == {"format": 1, "project": "demo", "title": "Demo", "version": "1.0", "data_through": "2026-02-02"}
    figures = {figure["address"]: figure for figure in told["figures"]}
    assert len(figures) == len(told["figures"])
    # 40 GPU-h for each of two seeds and 10 once are 90; with 10% they are 99.
    final = figures["demo.budget.final"]
    assert {name: final[name] for name in final if name != "lines"} == {
        "address": "demo.budget.final",
        "title": "Final budget",
        "low": "99",
        "use": "99",
        "high": "99",
        "unit": "GPU-h",
        "text": "99 GPU-h",
        "formula": "budget.subtotal + budget.contingency",
        "missing": [],
    }
    lines = [line.removeprefix("ledger/demo/") for line in final["lines"]]
    assert sorted(lines) == ["plan.yaml:12", "plan.yaml:7", "project.yaml:5", "project.yaml:6"]


def test_the_shape_is_the_one_that_programs_were_written_for() -> None:
    """A key that goes or changes its meaning breaks them: raise `format`, and say it in the changelog and the guide."""
    found = shape()
    assert found["required"] == ["$schema", "format", "project", "title", "version", "data_through", "figures"]
    assert found["definitions"]["figure"]["required"] == [
        "address",
        "title",
        "low",
        "use",
        "high",
        "unit",
        "text",
        "formula",
        "lines",
        "missing",
    ]
    assert found["properties"]["format"] == {"const": 1, "description": "the number of this shape"}
    with pytest.raises(jsonschema.ValidationError, match="'low' is a required property"):
        jsonschema.validate(
            {"address": "a"}
            | dict.fromkeys(("title", "unit", "text", "formula"), "")
            | dict.fromkeys(("use", "high"))
            | {"lines": [], "missing": []},
            {**found["definitions"]["figure"], "definitions": found["definitions"]},
        )


def test_the_same_figures_are_a_table_that_calculates_nothing(rendered: Path, tmp_path: Path) -> None:
    plant(rendered, {"ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("Training", json.dumps(HOSTILE))})
    docs = staged(rendered, tmp_path / "staged")
    told = json.loads((docs / "demo/figures.json").read_text("utf-8"))["figures"]
    rows = list(csv.DictReader(io.StringIO((docs / "demo/figures.csv").read_text("utf-8"))))
    assert [row["address"] for row in rows] == [figure["address"] for figure in told]
    assert [row["use"] for row in rows] == [figure["use"] or "" for figure in told]
    titles = [row["title"] for row in rows if "HYPERLINK" in row["title"]]
    assert titles
    assert all(title.startswith("'=") for title in titles)
    page = (docs / "demo/runs.md").read_text("utf-8")
    assert "HYPERLINK" in page
    assert "<script" not in page


def test_all_runs_stand_phase_by_phase_the_newest_first(rendered: Path, tmp_path: Path) -> None:
    docs = staged(rendered, tmp_path / "staged")
    text = unescape(re.sub(r"<[^>]+>", "", (docs / "demo/runs.md").read_text("utf-8")))  # addresses and days in spans
    bare = [line for line in text.splitlines() if line.startswith("| 2026")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in bare]
    # When, phase, item, seed, GPU-hours, status, card, GPUs, hours, ledger line.
    assert cells == [
        ["2026-02-01", "First phase", "Testing", "", "1.5", "completed", "Card", "–", "–", "runs/2026-02.yaml:1"],
        ["2026-01-03", "First phase", "Training", "2", "3", "failed", "Card", "1", "3", "runs/2026-01.yaml:2"],
        ["2026-01-02", "First phase", "Training", "1", "10", "completed", "Card", "4", "2.5", "runs/2026-01.yaml:1"],
        [
            "2026-02-02",
            "Unplanned",
            "detour",
            "",
            "2",
            "completed, unplanned",
            "Card",
            "–",
            "–",
            "runs/2026-02.yaml:2",
        ],
    ]
    assert "[All runs](runs.md)" in (docs / "demo/attempts.md").read_text("utf-8")
    assert "[figures.json](figures.json)" in (docs / "demo/derivations.md").read_text("utf-8")
    assert "All runs: demo/runs.md" in (docs / "nav.yml").read_text("utf-8")


def test_of_too_many_runs_the_newest_are_listed(
    rendered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MOST_LISTED", 2)
    text = (staged(rendered, tmp_path / "staged") / "demo/runs.md").read_text("utf-8")
    assert re.findall(r"^\| (?:<[^>]*>)?(2026-[\d-]+)", text, re.MULTILINE) == ["2026-02-01", "2026-02-02"]
    assert "2 more runs are in `budget export`." in text


def test_the_tree_keeps_none_of_it(rendered: Path, tmp_path: Path) -> None:
    staged(rendered, tmp_path / "staged")
    assert main(["build", "--root", str(rendered)]) == 0
    assert (rendered / "site/demo/figures.json").is_file()
    assert (rendered / "site/demo/runs/index.html").is_file()
    assert main(["render", "--root", str(rendered), "--check"]) == 0
    assert not [path.name for path in (rendered / "docs/demo").iterdir() if path.stem in ("figures", "runs")]


def test_a_project_without_runs_has_no_page_of_them(rendered: Path, tmp_path: Path) -> None:
    for path in (rendered / "ledger/demo/runs").iterdir():
        path.unlink()
    docs = staged(rendered, tmp_path / "staged")
    assert not (docs / "demo/runs.md").exists()
    assert "runs.md" not in (docs / "nav.yml").read_text("utf-8")
    assert json.loads((docs / "demo/figures.json").read_text("utf-8"))["data_through"] is None


def test_a_page_of_the_team_keeps_its_name(rendered: Path, tmp_path: Path) -> None:
    page = "pages: {runs: {title: How we run}}\n"
    plant(rendered, {"ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + page})
    docs = staged(rendered, tmp_path / "staged")
    assert "# How we run" in (docs / "demo/runs.md").read_text("utf-8")
    assert "# Demo: all runs" in (docs / "demo/all-runs.md").read_text("utf-8")


def test_an_order_of_pages_of_ones_own_need_not_name_it(rendered: Path, tmp_path: Path) -> None:
    plant(rendered, {"mkdocs.yml": OWN_NAV})
    place = tmp_path / "staged"
    assert (staged(rendered, place) / "demo/runs.md").is_file()
    settings = yaml.safe_load((place / "mkdocs.yml").read_text("utf-8"))
    assert settings["not_in_nav"].split() == ["/demo/runs.md", "/demo/what-if.md"]


def test_the_page_of_what_if_stands_in_the_order_and_beside_one_of_the_team(rendered: Path, tmp_path: Path) -> None:
    page = "pages: {what-if: {title: What if we fail}}\n"
    plant(rendered, {"ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + page})
    docs = staged(rendered, tmp_path / "staged")
    assert "# What if we fail" in (docs / "demo/what-if.md").read_text("utf-8")
    assert "# Demo: what if" in (docs / "demo/all-what-if.md").read_text("utf-8")
    assert (docs / "nav.yml").read_text("utf-8").count("- What if: demo/all-what-if.md\n") == 1
    assert 'src: "../all-what-if.js"' in (docs / "demo/all-what-if.md").read_text("utf-8")
    assert (docs / "demo/all-what-if.js").is_file()


@pytest.mark.parametrize(("settings", "up"), [("", "../"), ("use_directory_urls: false\n", "")])
def test_its_scripts_are_found_from_where_the_builder_puts_it(
    rendered: Path, tmp_path: Path, settings: str, up: str
) -> None:
    """A page is a folder of its own, but where the settings say that it is a file."""
    plant(rendered, {"mkdocs.yml": f"site_name: S\n{settings}"})
    text = (staged(rendered, tmp_path / "staged") / "demo/what-if.md").read_text("utf-8")
    found = re.findall(r'src: "([^"]+)"', text)
    assert found[-2:] == [f"{up}../assets/what-if/page.js", f"{up}what-if.js"]
    assert all((package_files.part("assets") / each.partition("assets/")[2]).is_file() for each in found[:-1])


CARDS = "".join(f"card-{number}: {{title: Card {number}, counts_as: {{card: 2x}}}}\n" for number in range(15))


def test_so_many_gpus_are_offered_and_no_more(rendered: Path, tmp_path: Path) -> None:
    """Those with a ratio to the project's own, the first twelve of the catalogue; one without a ratio is none."""
    more = "lonely: {title: Lonely card, vram_gib: 24}\n"
    plant(rendered, {"ledger/catalog/gpus.yaml": SMALL["ledger/catalog/gpus.yaml"] + more + CARDS})
    docs = staged(rendered, tmp_path / "staged")
    made = sorted(path.name for path in (docs / "demo").glob("what-if-*.js"))
    assert made == sorted(f"what-if-card-{number}.js" for number in range(12))
    assert '"cards":[["card","Card",null],["card-0","Card 0","what-if-card-0.js"]' in (
        docs / "demo/what-if.js"
    ).read_text("utf-8")


def test_all_runs_say_where_the_guide_tells_how_to_add_one(rendered: Path, tmp_path: Path) -> None:
    """A link where the site has the guide, else the command that prints it."""
    page = (staged(rendered, tmp_path / "without") / "demo/runs.md").read_text("utf-8")
    assert "`budget guide runs` says more." in page
    plant(rendered, {"docs/guide/runs.md": "# Record runs\n"})
    page = (staged(rendered, tmp_path / "with") / "demo/runs.md").read_text("utf-8")
    assert "[Record runs](../guide/runs.md)" in page
