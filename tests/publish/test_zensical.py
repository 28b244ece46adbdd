"""A site that Zensical builds: as strictly, whole or not at all, and from the same pages as with MkDocs."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.publish import package_files
from tests.small import plant

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("zensical")]
OURS = package_files.part("settings").read_text("utf-8")


def build(root: Path, *words: str) -> int:
    return main(["build", "--builder", "zensical", "--root", str(root), *words])


def test_a_failing_build_leaves_the_old_site(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build(rendered) == 0
    assert capsys.readouterr().out == f"Built {rendered / 'site'}\n"
    site = rendered / "site"
    for asset in ("budget.css", "tables.css", "charts.js", "searching.js", "favicon.svg"):
        assert (site / "assets" / asset).read_bytes() == (package_files.part("assets") / asset).read_bytes()
    page = (site / "demo/index.html").read_text("utf-8")
    assert "Training" in page
    assert "stylesheets/classic/" in page  # the look of Material
    assert page.index("assets/searching.js") < page.index("assets/javascripts/bundle.")
    assert not (site / "nav.yml").exists()
    assert not list(rendered.glob(".site*"))
    assert site.stat().st_mode & 0o777 == (rendered / "docs").stat().st_mode & 0o777

    plant(rendered, {"docs/guide/start.md": "# Start\n\nÄ [there](nowhere.md), [here](#gone)\n"})
    (site / "mark").write_text("the old site")
    assert build(rendered) == 2
    assert capsys.readouterr().err.splitlines() == [
        "warning: docs/guide/start.md: page does not exist: nowhere.md",
        "warning: docs/guide/start.md: anchor does not exist: gone",
        "Aborted with 2 warnings in strict mode!",
    ]
    assert (site / "mark").read_text() == "the old site"
    assert not list(rendered.glob(".site*"))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"mkdocs.yml": "{site_name: Mine, theme: {name: mkdocs}}"}, "mkdocs.yml: Zensical builds no theme but `mater"),
        ({"mkdocs.yml": "{site_name: Mine, theme: readthedocs}"}, "mkdocs.yml: Zensical builds no theme but `mater"),
        ({"docs/guide/x.md": "---\ntemplate: ../../secret.html\n---\n# X\n"}, "template not found: "),
        ({"mkdocs.yml": "{site_name: Mine, theme: {variant: old}}"}, "mkdocs.yml:1:36: `old` does not fit here"),
    ],
)
def test_what_it_cannot_build_is_told(
    rendered: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str], said: str
) -> None:
    plant(rendered, files)
    assert build(rendered) == 2
    told = capsys.readouterr().err
    assert told.startswith(said)
    assert "Traceback" not in told
    assert "/budget-" not in told  # the folder in which it was built
    assert not (rendered / "site").exists()


NAV = "nav: [index.md, demo/index.md, {More: [demo/status.md, 'https://example.org/x.md']}]\n"
WARN = "site_name: S\nvalidation: {nav: {omitted_files: warn}}\n"


@pytest.mark.parametrize(
    ("settings", "left_out"),
    [
        (WARN + NAV, 7),
        (WARN + NAV + "not_in_nav: |\n  /demo/\n  *s.md\n", 1),
        (WARN + NAV + "exclude_docs: |\n  guide\n", 6),
        (WARN + NAV.replace("status.md", "statis.md"), 8),
        ("site_name: S\nvalidation: {omitted_files: warn}\n" + NAV, 7),
        ("site_name: S\nvalidation: {not_found: ignore}\n" + NAV.replace("status.md", "statis.md"), 0),
        ("site_name: S\n" + NAV, 0),
        (OURS, 0),
    ],
)
def test_an_order_is_checked_as_mkdocs_checks_it(
    rendered: Path, capsys: pytest.CaptureFixture[str], settings: str, left_out: int
) -> None:
    plant(rendered, {"mkdocs.yml": settings, "docs/guide/notes.md": "# Notes\n"})
    told = []
    for words in ([], ["--builder", "zensical"]):
        code = main(["build", "--root", str(rendered), *words])
        told.append((code, capsys.readouterr().err))
    assert told[0] == told[1]
    assert told[0][1].count("\n  - ") == left_out


def test_the_folder_of_the_settings_is_not_used_and_the_tree_not_written(rendered: Path) -> None:
    plant(rendered, {"mkdocs.yml": OURS.replace("site_dir: site", "site_dir: public")})
    before = sorted(rendered.rglob("*"))
    assert build(rendered, "--site-dir", str(rendered.parent / "web")) == 0
    assert sorted(rendered.rglob("*")) == before
    assert (rendered.parent / "web/demo/index.html").is_file()


def test_a_site_for_a_folder_has_links_to_files_and_no_search(rendered: Path) -> None:
    assert build(rendered, "--offline") == 0
    text = (rendered / "site/demo/index.html").read_text("utf-8")
    assert "status.html" in text
    assert 'data-md-component="search"' not in text


def test_settings_that_run_code_are_for_the_other_builder(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        build(rendered, "--trust")
    assert end.value.code == 2
    assert "--trust needs --builder material" in capsys.readouterr().err


def test_the_search_has_no_more_than_it_has_with_material(rendered: Path) -> None:
    assert build(rendered) == 0
    items = json.loads((rendered / "site/search.json").read_bytes())["items"]
    assert main(["build", "--root", str(rendered)]) == 0
    docs = json.loads((rendered / "site/search/search_index.json").read_bytes())["docs"]
    assert {each["location"] for each in items} == {each["location"] for each in docs}
    sizes = [sum(len(each["text"]) for each in sections) for sections in (items, docs)]
    assert sizes[0] < 1.1 * sizes[1]


def test_the_variant_of_the_look_changes_nothing_of_material(rendered: Path) -> None:
    pages = []
    for settings in (OURS, OURS.replace("  variant: classic", "  #")):
        plant(rendered, {"mkdocs.yml": settings})
        assert main(["build", "--root", str(rendered)]) == 0
        pages.append({path.name: path.read_bytes() for path in (rendered / "site/demo").rglob("*.html")})
    assert pages[0] == pages[1]


def test_a_port_that_is_taken_is_said(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        assert main(["serve", "--builder", "zensical", "--root", str(rendered), "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"port {port}: Address already in use; name another with --port\n"
