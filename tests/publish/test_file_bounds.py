"""Files of a tree that are larger than anybody writes are told, and not read into memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.model import bounds
from tests.commands import given
from tests.reading import ROOT

TOO_LARGE = {
    "docs/demo/status.md": bounds.PAGE,
    "docs/demo/burn-up.svg": bounds.PAGE,
    "docs/demo/burn-up.vl.json": bounds.PAGE,
    "docs/demo/left-over.md": bounds.PAGE,
    "docs/guide/ours.md": bounds.PAGE,
    "docs/demo/releases/1.0/index.md": bounds.PAGE,
    "templates/status.md.j2": bounds.TEMPLATE,
    "templates/macros.md.j2": bounds.TEMPLATE,
    "mkdocs.yml": bounds.SETTINGS,
    "docs/nav.yml": bounds.PAGE,
    "ledger/demo/plan.yaml": bounds.LEDGER,
    "ledger/demo/runs/2026-01.yaml": bounds.LEDGER,
    "ledger/demo/releases/1.0.json": bounds.SNAPSHOT,
}


@pytest.fixture
def released(rendered: Path) -> Path:
    """A small tree with its pages, and with a release."""
    assert given(rendered, "release", "demo", "1.0", "-m", "As planned.").returncode == 0
    assert given(rendered, "render").returncode == 0
    (rendered / "docs/guide").mkdir(exist_ok=True)
    return rendered


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_file_that_is_too_large_is_told(name: str, released: Path) -> None:
    path = released / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(TOO_LARGE[name] + 1)
    done = given(released, "build", "--site-dir", "site")
    assert done.returncode in (1, 2), done.stdout + done.stderr
    assert re.search(r"larger than \d+ MiB|was changed", done.stdout + done.stderr), done.stdout + done.stderr


def test_no_more_is_read_than_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "x.svg"
    with path.open("wb") as file:
        file.truncate(8 * 1024 * bounds.MIB)
    assert len(bounds.read_start(path, 1000)) == 1001
    with pytest.raises(OSError, match="larger than 1 MiB"):
        bounds.read_bounded(path, bounds.MIB)
    path.write_bytes(b"x" * 10)
    assert bounds.read_bounded(path, 10) == b"x" * 10


def test_what_is_read_of_a_tree_is_read_within_a_bound() -> None:
    """In the rooms that read trees nothing reads a file to its end by itself, but what belongs to the program, what was
    written a moment ago, and ledger files that were read within their bound."""
    own = {
        "load/trees.py": 1,  # what was just written into a temporary folder
        "load/reader.py": 1,  # cards.json
        "load/site.py": 1,  # site_settings.yaml
        "publish/journal.py": 2,  # what a change of this program wrote
        "load/schema.py": 1,  # what comes with the program
        "publish/package_files.py": 5,
        "publish/site.py": 3,  # the site that was just built
        "publish/staging.py": 1,
        "publish/starter.py": 3,
        "publish/releases.py": 1,  # below a look at its size
        "publish/write_plan.py": 1,
        "present/charts/drawer.py": 1,  # standard input
        "present/charts/picture.py": 2,
        "present/charts/words.py": 1,
    }
    found = {}
    for room in ("load", "present", "publish"):
        for path in (ROOT / "reckon" / room).rglob("*.py"):
            count = len(
                re.findall(r"\.read_bytes\(|\.read_text\(\"|\.read_text\(enc|\.read\(\)", path.read_text("utf-8"))
            )
            if count:
                found[path.relative_to(ROOT / "reckon").as_posix()] = count
    assert found == own
