"""Files under docs/: only what differs is written, each whole; what is no longer made goes; what is not ours stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from reckon.publish import files
from reckon.publish.files import Blocked, compare, existing, settle, write

PAGES = {
    "docs/nav.yml": "nav: []\n",
    "docs/index.md": "all\n",
    "docs/one/index.md": "one\n",
    "docs/two/index.md": "two\n",
}

SPEC = '{\n "autosize": {}\n}\n'
OLD = "<!-- Made by `budget render` from a ledger. -->\n\nold\n"


def kinds(differences: list[files.PageDifference]) -> dict[str, str]:
    return {one.path: one.kind for one in differences}


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    assert write(tmp_path, PAGES) == sorted(PAGES)
    before = {path: (tmp_path / path).stat().st_mtime_ns for path in PAGES}
    assert write(tmp_path, PAGES) == []
    assert write(tmp_path, {**PAGES, "docs/one/index.md": "ONE\n"}) == ["docs/one/index.md"]
    assert {path for path in PAGES if (tmp_path / path).stat().st_mtime_ns != before[path]} == {"docs/one/index.md"}
    assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [
        "index.md",
        "index.md",
        "index.md",
        "nav.yml",
    ]


def test_differences_have_a_kind_and_a_diff(tmp_path: Path) -> None:
    write(tmp_path, {**PAGES, "docs/three/old.md": "old\n"})
    (tmp_path / "docs/two/index.md").unlink()
    found = compare(tmp_path, {**PAGES, "docs/one/index.md": "ONE\n"})
    assert kinds(found) == {
        "docs/one/index.md": files.STALE,
        "docs/three/old.md": files.LEFT_OVER,
        "docs/two/index.md": files.MISSING,
    }
    assert found[0].diff().splitlines()[2:] == ["@@ -1 +1 @@", "-one", "+ONE"]
    assert found[1].diff().splitlines()[-1] == "-old"
    assert found[2].diff().splitlines()[-1] == "+two"


def test_bytes_that_are_no_text_are_stale(tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    (tmp_path / "docs/index.md").write_bytes(b"\xff\xfe")
    assert existing(tmp_path)("docs/index.md") is None
    assert kinds(compare(tmp_path, PAGES)) == {"docs/index.md": files.STALE}
    assert write(tmp_path, PAGES) == ["docs/index.md"]
    (tmp_path / "docs/index.md").write_bytes(b"all\r\n")
    assert kinds(compare(tmp_path, PAGES)) == {"docs/index.md": files.STALE}


def test_what_is_no_longer_made_goes_and_its_folder_with_it(tmp_path: Path) -> None:
    old = {"docs/three/deep/a.md": OLD, "docs/three/b.svg": "<!-- picture 1 -->", "docs/three/b.vl.json": SPEC}
    write(tmp_path, {**PAGES, **old, "docs/lost.md": OLD.replace("budget render", "python budget.py render")})
    assert write(tmp_path, PAGES) == ["docs/lost.md", *sorted(old)]
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["index.md", "nav.yml", "one", "two"]


@pytest.mark.parametrize(
    "name", ["notes.md", "one/photo.png", "one/drawn.svg", "two/figures.csv", "deep/er/LICENSE", "a.json", "b.vl.json"]
)
def test_what_somebody_put_among_the_pages_is_never_removed(tmp_path: Path, name: str) -> None:
    """It is told where that belongs, and nothing is written meanwhile: not even the page that is stale."""
    write(tmp_path, PAGES)
    own = tmp_path / "docs" / name
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_bytes(b"\x89 mine, and nowhere else")
    with pytest.raises(Blocked, match=r"a file that `budget` did not render: docs/.*; move your pages to docs/guide/"):
        write(tmp_path, {**PAGES, "docs/index.md": "ALL\n"})
    assert own.read_bytes() == b"\x89 mine, and nowhere else"
    assert existing(tmp_path)("docs/index.md") == "all\n"
    own.unlink()
    assert write(tmp_path, {**PAGES, "docs/index.md": "ALL\n"}) == ["docs/index.md"]


def test_what_is_not_generated_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    kept = ["docs/guide/a.md", "docs/assets/x/b.css", "docs/one/releases/1.0/index.md", "docs/.hidden", "other/c.md"]
    for path in kept:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("mine")
    assert compare(tmp_path, PAGES) == []
    (tmp_path / "docs/one/guide").mkdir()
    (tmp_path / "docs/one/guide/a.md").write_text(f"only the guide at the top is kept\n{OLD}")
    assert write(tmp_path, PAGES) == ["docs/one/guide/a.md"]
    assert all((tmp_path / path).read_text() == "mine" for path in kept)


def test_only_some_projects(tmp_path: Path) -> None:
    write(tmp_path, {**PAGES, "docs/one/old.md": OLD, "docs/two/old.md": OLD, "docs/old.md": OLD})
    changed = {path: text.upper() for path, text in PAGES.items()}
    assert settle(tmp_path, compare(tmp_path, changed, ["one"])) == [
        "docs/index.md",
        "docs/nav.yml",
        "docs/one/index.md",
        "docs/one/old.md",
    ]
    assert existing(tmp_path)("docs/two/index.md") == "two\n"
    assert write(tmp_path, changed) == ["docs/old.md", "docs/two/index.md", "docs/two/old.md"]


@pytest.mark.parametrize(
    "path",
    [
        "elsewhere/x.md",
        "docs/../x.md",
        "docs//x.md",
        "/etc/x",
        "docs",
        "docs/",
        "docs/./x.md",
        "docs\\x.md",
        "docs/a\0b",
        "../docs/x.md",
        "docs/a\\..\\..\\x",
    ],
)
def test_a_path_outside_docs_is_refused_before_anything_is_written(tmp_path: Path, path: str) -> None:
    with pytest.raises(Blocked, match="not below docs/"):
        write(tmp_path, {**PAGES, path: "x"})
    assert list(tmp_path.iterdir()) == []


def links(tmp_path: Path) -> dict[str, Callable[[], None]]:
    away = tmp_path / "away"
    away.mkdir()
    (away / "index.md").write_text("somebody's\n")
    docs = tmp_path / "root" / "docs"

    def folder() -> None:
        (docs / "one/index.md").unlink()
        (docs / "one").rmdir()
        (docs / "one").symlink_to(away)

    def page() -> None:
        (docs / "one/index.md").unlink()
        (docs / "one/index.md").symlink_to(away / "index.md")

    def whole() -> None:
        docs.rename(tmp_path / "root" / "was")
        docs.symlink_to(away)

    return {"folder": folder, "page": page, "whole": whole}


@pytest.mark.parametrize("which", ["folder", "page", "whole"])
def test_links_are_not_followed(tmp_path: Path, which: str) -> None:
    root = tmp_path / "root"
    write(root, PAGES)
    links(tmp_path)[which]()
    with pytest.raises(Blocked, match=r"docs(/one(/index\.md)?)? is a link"):
        write(root, {path: text.upper() for path, text in PAGES.items()})
    assert existing(root)("docs/one/index.md") is None
    assert [path.name for path in (tmp_path / "away").iterdir()] == ["index.md"]
    assert (tmp_path / "away/index.md").read_text() == "somebody's\n"


def test_a_link_that_no_page_needs_is_told_and_stays_with_what_it_leads_to(tmp_path: Path) -> None:
    root, away = tmp_path / "root", tmp_path / "away"
    write(root, PAGES)
    away.mkdir()
    (away / "x.md").write_text("x")
    (root / "docs/old").symlink_to(away)
    (root / "docs/dead").symlink_to(tmp_path / "nowhere")
    with pytest.raises(Blocked, match="2 files that `budget` did not render, such as docs/dead"):
        write(root, PAGES)
    assert (root / "docs/old").is_symlink()
    assert (away / "x.md").read_text() == "x"


def test_a_folder_or_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "docs/index.md").mkdir(parents=True)
    with pytest.raises(Blocked, match=r"docs/index\.md is a folder where a page is needed"):
        write(tmp_path, PAGES)
    (tmp_path / "docs/index.md").rmdir()
    (tmp_path / "docs/one").write_text("a file")
    with pytest.raises(Blocked, match="docs/one is a file where a folder is needed"):
        write(tmp_path, PAGES)


def test_where_nothing_was_rendered_yet_pages_of_others_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("My own site.\n")
    (tmp_path / "docs/notes.md").write_text("My notes.\n")
    with pytest.raises(Blocked, match=r"docs/ holds 2 files that `budget` did not render, such as docs/index\.md"):
        write(tmp_path, PAGES)
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["index.md", "notes.md"]
    assert (tmp_path / "docs/index.md").read_text() == "My own site.\n"


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, PAGES)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, {**PAGES, "docs/one/index.md": "ONE\n"})
    assert (tmp_path / "docs/one/index.md").read_text() == "one\n"
    assert [path.name for path in (tmp_path / "docs/one").iterdir()] == ["index.md"]


def test_what_a_killed_write_left_is_swept_away_later(tmp_path: Path) -> None:
    write(tmp_path, PAGES)
    old, young = (tmp_path / f"docs/one/.index.md.{pid}.tmp" for pid in (1, 2))
    for path in (old, young):
        path.write_text("half")
    os.utime(old, (0, 0))
    assert write(tmp_path, {**PAGES, "docs/one/index.md": "ONE\n"}) == ["docs/one/index.md"]
    assert (old.exists(), young.exists()) == (False, True)


WRITER = """
import itertools, sys
from pathlib import Path
from reckon.publish.files import write
for number in itertools.count():
    letter = "ab"[number % 2]
    write(Path(sys.argv[1]), {f"docs/p/{n}.md": letter * 200_000 for n in range(20)})
    if number == 1:
        print("ready", flush=True)
"""


def test_whoever_kills_a_write_finds_each_page_old_or_new(tmp_path: Path) -> None:
    for wait in (0.0, 0.013, 0.029):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        pages = [path.read_text() for path in (tmp_path / "docs/p").glob("*.md")]
        assert len(pages) == 20
        assert {(len(text), len(set(text))) for text in pages} == {(200_000, 1)}
    # What a killed write leaves beside the pages is hidden, and no page to anybody.
    assert kinds(compare(tmp_path, {f"docs/p/{n}.md": "" for n in range(20)})).keys() == {
        f"docs/p/{n}.md" for n in range(20)
    }


def test_whatever_is_rendered_says_so() -> None:
    """Else it would not be removed once no page is made for it any more."""
    root = Path(__file__).resolve().parents[2]
    made = [path for path in (root / "docs").rglob("*") if path.is_file() and path.name != "nav.yml"]
    made = [path for path in made if path.relative_to(root / "docs").parts[0] not in ("guide", "assets")]
    made = [path for path in made if not any(above.name == "releases" for above in path.parent.parents)]
    assert {path.suffix for path in made} == {".md", ".svg", ".json"}
    for path in made:
        assert files._made_here(files.PageDifference(str(path), files.LEFT_OVER, path.read_text("utf-8"), "")), path
