"""What a team would write into mkdocs.yml is taken as it means it, and the builder knows every setting that we take."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from markdown import Markdown

from reckon.load.site import order, settings, shapes
from reckon.publish import package_files

_SETTINGS = shapes()["settings"]
_EXTENSIONS = _SETTINGS["markdown_extensions"]["named extension"]
_PLUGINS = _SETTINGS["plugins"]["named plugin"]

RICH = """\
site_name: "Team: budgets"
site_url: https://example.org/budgets/
site_author: Ann
repo_url: https://example.org/team/budgets
repo_name: team/budgets
edit_uri: edit/main/docs/
copyright: |
  &copy; Ann
  and others
site_dir: public
use_directory_urls: false
strict: true
exclude_docs: |
  /nav.yml
  *.tmp
validation: {nav: {omitted_files: info}, absolute_links: ignore}
theme:
  name: material
  variant: modern
  language: pt-BR
  direction: ltr
  logo: assets/logo.svg
  font: {text: Fira Sans, code: Fira Mono}
  icon: {repo: fontawesome/brands/git-alt, admonition: {note: octicons/tag-16}}
  features: [navigation.tabs, content.code.copy]
  palette: {scheme: slate, primary: deep purple}
plugins:
  - search: {lang: [en, de], separator: '[\\s\\-]+'}
  - tags
extra:
  social: [{icon: fontawesome/brands/github, link: https://example.org, name: We}]
extra_css: [assets/own.css]
extra_javascript: [assets/own.js, {path: assets/more.mjs, type: module, async: true}]
markdown_extensions:
  - toc: {permalink: "#", toc_depth: 2-3}
  - footnotes
  - pymdownx.tabbed: {alternate_style: true}
  - pymdownx.highlight:
      anchor_linenums: true
nav:
  - index.md
  - Guide: [guide/a.md, {More: [{"B: b": guide/who: to ask.md}]}]
  - Elsewhere: https://example.org/?a=b#c
"""


def test_what_a_team_would_write_means_what_it_means_to_the_builder(tmp_path: Path) -> None:
    text = RICH.replace("guide/who: to ask.md", "'guide/who: to ask.md'")
    (tmp_path / "mkdocs.yml").write_text(text, "utf-8")
    found, problems = settings(tmp_path, "")
    assert [str(one) for one in problems] == []
    assert found.values == yaml.safe_load(text)
    assert not found.ordered


@pytest.mark.parametrize(("setting", "most"), [("site_name", 1000), ("repo_name", 1000), ("copyright", 20_000)])
def test_a_text_is_bounded(setting: str, most: int, tmp_path: Path) -> None:
    for length, fits in ((most, True), (most + 1, False)):
        texts = {"site_name": "S", setting: "x" * length}
        (tmp_path / "mkdocs.yml").write_text("".join(f"{name}: {text}\n" for name, text in texts.items()), "utf-8")
        assert (settings(tmp_path, "site_name: S")[1] == []) == fits


def test_a_builder_takes_it(tmp_path: Path) -> None:
    from mkdocs.config import load_config

    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(RICH.replace("guide/who: to ask.md", "'guide/who: to ask.md'"), "utf-8")
    load_config(str(tmp_path / "mkdocs.yml"))


def test_a_tree_without_settings_has_ours(tmp_path: Path) -> None:
    text = package_files.part("settings").read_text("utf-8")
    found, problems = settings(tmp_path, text)
    assert problems == []
    assert {**found.values, "INHERIT": "docs/nav.yml"} == yaml.safe_load(text)
    assert found.ordered


@pytest.mark.parametrize("name", _EXTENSIONS)
def test_an_extension_is_there_and_has_the_options_that_we_take(name: str) -> None:
    extension = Markdown().build_extension(name, {})
    assert set(_EXTENSIONS[name]) - set(extension.config) == set()
    given = {key: value for key, value in extension.getConfigs().items() if key in _EXTENSIONS[name]}
    assert not [key for key, value in given.items() if callable(value)], "code is not taken from a ledger"


def test_plugins_have_the_options_that_we_take() -> None:
    from material.plugins.search.plugin import SearchPlugin
    from material.plugins.tags.plugin import TagsPlugin

    for name, plugin in (("search", SearchPlugin), ("tags", TagsPlugin)):
        assert set(_PLUGINS[name]) - {key for key, _ in plugin.config_scheme} == set()


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "/etc/passwd",
        "//x",
        "..",
        "a/../../b.md",
        "../b.md",
        "a\\b",
        "vbscript:x",
        "JAVASCRIPT:x",
        "c:/x",
    ],
)
def test_an_entry_leads_below_docs_or_to_the_web(link: str) -> None:
    problems = order(yaml.safe_dump({"nav": [link]}))[1]
    assert len(problems) == 1
    assert "does not fit here; write a path below docs/, or an address" in str(problems[0])
    assert order(yaml.safe_dump({"nav": [{"A": link}]}))[1] != []
