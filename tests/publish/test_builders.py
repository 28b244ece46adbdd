"""What differs between the sites of two builders is told: by hand-made sites, and by Zensical where it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.builders import EXPECTED, ZENSICAL, Difference, differences, told
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
PAGE = """<html><head><title>A - Site</title><link rel="stylesheet" href="../assets/own.css"></head><body>
<nav class="md-nav md-nav--primary"><ul><li><a href="../">Home</a></li><li><a href="./">A</a></li></ul></nav>
<article class="md-content"><a id="__skip"></a><h1 id="a">A<a class="headerlink" href="#a">¶</a></h1>
<nav class="md-tags"><span class="md-tag">budget</span></nav>
<p>Some <a href="../b/#x">36 GPU-h</a> and <img src="p.svg" alt="A bar"></p></article>
<script src="../assets/own.js"></script></body></html>"""
AT = "a/index.html"
STAGED = {"docs/a.md": "---\nsearch:\n  boost: 5\n---\n# A\n", "docs/assets/own.css": "a", "docs/assets/own.js": "b"}


def site(folder: Path, page: str = PAGE, name: str = AT, search: str = "a/", *, index: str, key: str) -> Path:
    """A site of one page; the search has a section of it."""
    made = {name: page, "assets/own.css": "a", "assets/own.js": "b", index: json.dumps({key: [{"location": search}]})}
    plant(folder, made)
    return folder


def compared(folder: Path, page: str = PAGE, **changed: str) -> list[str]:
    """What is told of a site, and of another whose page, address, or entry of the search is another."""
    plant(folder / "staged", STAGED)
    material = site(folder / "material", index="search/search_index.json", key="docs")
    zensical = site(folder / "zensical", page, index="search.json", key="items", **changed)
    return [str(each) for each in differences(material, zensical, folder / "staged/docs")]


WEIGHT = "search: weight: 1 pages ask for one; Zensical takes none"


def test_what_a_theme_has_of_its_own_is_no_difference(tmp_path: Path) -> None:
    other = PAGE.replace('<a id="__skip"></a>', "").replace("../b/#x", "../b/index.html#x").replace(">¶<", ">#<")
    other = other.replace("</body>", '<footer>Made by</footer><script src="../assets/theme.js"></script></body>')
    assert compared(tmp_path, other) == [WEIGHT]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("A - Site", "A", f"{AT}: title: 'A - Site' and 'A'"),
        ("Some ", "Any ", f"{AT}: text: 'Some 36 GPU-h and' and 'Any 36 GPU-h and'"),
        ("../b/#x", "../b/#y", f"{AT}: links: only Material has b#x"),
        ('alt="A bar"', "", f"{AT}: pictures: only Zensical has a/p.svg ()"),
        ('id="a"', 'id="one"', f"{AT}: places: only Zensical has one"),
        ("../assets/own.js", "../../assets/own.js", f"{AT}: styles and scripts: only Material has assets/own.js"),
        ('<a href="./">A</a>', "", f"{AT}: navigation: only Material has a"),
        ('<span class="md-tag">budget</span>', "", f"{AT}: tags: ['budget'] and []"),
    ],
)
def test_each_kind_of_difference_of_a_page_is_told(tmp_path: Path, old: str, new: str, wanted: str) -> None:
    assert old in PAGE
    assert wanted in compared(tmp_path, PAGE.replace(old, new))


def test_a_page_a_file_and_an_entry_of_the_search_that_are_missing_are_told(tmp_path: Path) -> None:
    found = compared(tmp_path / "one", name="c/index.html", search="c/")
    assert "site: page: only Material has a/index.html" in found
    assert "site: page: only Zensical has c/index.html" in found
    assert "search: section: only Material has a/" in found
    (tmp_path / "one/zensical/assets/own.css").unlink()
    (tmp_path / "one/zensical/assets/own.js").write_text("c")
    both = (tmp_path / "one" / name for name in ("material", "zensical", "staged/docs"))
    again = [str(each) for each in differences(*both) if each.kind == "file"]
    assert again == ["site: file: assets/own.js differs", "site: file: only Material has assets/own.css"]


def test_expected_differences_are_told_once_and_do_not_fail() -> None:
    weight = Difference("search", "weight", "told")
    lines, unexpected = told([weight, Difference("search", "weight", "again")])
    assert lines == [f"expected (2): {EXPECTED['weight']}", "No other difference."]
    assert unexpected == 0
    lines, unexpected = told([weight, Difference("a", "text", "b and c")])
    assert lines[1:] == ["a: text: b and c", "1 difference that is not expected"]
    assert unexpected == 1


@pytest.mark.skipif(not ZENSICAL.is_file(), reason="Zensical is not installed: `make builders`")
def test_zensical_makes_the_same_site(example_with_pages: Path) -> None:
    command = [sys.executable, "scripts/builders.py", "--root", str(example_with_pages)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
