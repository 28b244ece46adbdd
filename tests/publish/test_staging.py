"""What a builder is given is a complete tree of plain files; the tree that they come from stays as it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path, PurePosixPath

import pytest
import yaml

from reckon.cli import main
from reckon.publish import package_files
from reckon.publish.files import Blocked
from reckon.publish.reference_links import FRONT, as_made
from reckon.publish.site_markup import laid_out, sized
from reckon.publish.staging import files_below
from tests.small import SMALL, plant


def out(root: Path, place: Path) -> int:
    return main(["render", "--root", str(root), "--out", str(place)])


def every(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All files of a folder, with when each was written."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def staged(root: Path, page: str) -> str:
    """What is staged of a page of a tree."""
    docs = root / "docs"
    living = (path for path in docs.glob("*/*.svg") if path.parent.name != "assets")
    pictures = {f"{path.relative_to(docs)}": path.read_text("utf-8") for path in living}
    return sized(laid_out(as_made((docs / page).read_text("utf-8")), page), PurePosixPath(page).parent, pictures)


def plain(raw: bytes) -> bytes:
    """A file of a site without what `build` alone changes: the first script, names of source maps, and how the search
    tells words apart."""
    first = re.sub(rb'<script src="[^"]*assets/searching.js"></script>\n', b"", raw).replace(b'o.id+","}', b"o.id}")
    return re.sub(rb"(?m)^(//# sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ ?\*/)\n?", b"", first)


def test_pictures_have_their_size_and_what_is_not_there_has_none() -> None:
    page = "# A\n\n![What it shows](a.svg)\n\n![Another](b.svg)\n"
    found = sized(
        page, PurePosixPath("docs/p"), {"docs/p/a.svg": '<svg version="1.1" width="688" height="267.4" viewBox'}
    )
    size = '{ width="688" height="267" style="--height: 267px" }'
    assert found == page.replace("(a.svg)", f"(a.svg){size}")


def test_any_builder_can_take_what_is_staged(rendered: Path, tmp_path: Path) -> None:
    """Here MkDocs alone, in a process and a place that know nothing of us: it makes the site that `build` makes."""
    guide = {"docs/guide/start.md": "# Start\n\n![](../assets/x.png)\n", "docs/assets/x.png": "png"}
    plant(rendered, {**guide, "docs/assets/.hidden": "mine", "docs/demo/.hidden": "mine"})
    place = tmp_path / "new" / "staged"
    assert out(rendered, place) == 0
    assert not any(path.is_symlink() or path.name.startswith(".") for path in place.rglob("*"))
    made, kept = (place / "docs/demo/index.md").read_text("utf-8"), staged(rendered, "demo/index.md")
    assert made.startswith('---\ntitle: "Demo: budget"\n')
    assert FRONT.sub("", made, count=1) == FRONT.sub("", kept, count=1)
    assert (place / "docs/assets/budget.css").read_bytes() == (package_files.part("assets") / "budget.css").read_bytes()
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", str(place / "mkdocs.yml")]
    plain_words = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path, env=plain_words)
    assert (done.returncode, done.stderr) == (0, "")
    assert main(["build", "--root", str(rendered)]) == 0
    ours, theirs = (
        {name: raw for name, (raw, _) in every(one).items() if not name.startswith(("sitemap.xml", "search/"))}
        for one in (rendered / "site", place / "site")
    )
    assert {name: plain(raw) for name, raw in ours.items()} == {
        name: plain(raw) for name, raw in theirs.items() if not name.endswith(".map")
    }
    assert out(rendered, place) == 0  # again, with what the builder put beside it
    assert (place / "site/index.html").is_file()


def test_the_tree_is_left_alone_and_old_pages_go(rendered: Path, tmp_path: Path) -> None:
    plant(rendered, {"ledger/demo/plan.yaml": SMALL["ledger/demo/plan.yaml"].replace("gpu_hours: 10", "gpu_hours: 11")})
    before, place = every(rendered), tmp_path / "staged"
    place.mkdir()
    assert out(rendered, place) == 0
    plant(place, {"docs/old.md": "from before"})
    assert out(rendered, place) == 0
    assert not (place / "docs/old.md").exists()
    assert sorted(one.name for one in place.iterdir()) == ["docs", "mkdocs.yml"]
    assert main(["build", "--root", str(rendered), "--site-dir", str(tmp_path / "site")]) == 0
    assert every(rendered) == before


def test_only_a_new_an_empty_or_its_own_folder_is_filled(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    staged, link = tmp_path / "staged", tmp_path / "link"
    assert out(rendered, staged) == 0
    link.symlink_to(staged)
    plant(tmp_path / "other", {"mkdocs.yml": "site_name: Mine\n", "docs/index.md": "# Mine\n"})
    plant(tmp_path / "swapped", {"mkdocs.yml": (staged / "mkdocs.yml").read_text("utf-8")})
    (tmp_path / "swapped/docs").symlink_to(tmp_path / "other/docs")
    shutil.copy(staged / "mkdocs.yml", rendered)  # even a tree that says that it was staged is not written over
    before = every(tmp_path)
    inside = (rendered / one for one in ("", "docs", "docs/new", "ledger/new", "templates"))
    for place in (tmp_path, link, tmp_path / "other", tmp_path / "other/mkdocs.yml", tmp_path / "swapped", *inside):
        assert out(rendered, place) == 2, place
        assert "Nothing written" in capsys.readouterr().err
    assert every(tmp_path) == before


def test_what_somebody_put_among_the_pages_is_refused(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(rendered, {"docs/demo/notes.md": "mine"})
    for words in (["render", "--out", str(tmp_path / "staged")], ["build"]):
        assert main([*words, "--root", str(rendered)]) == 2
        assert "a file that `budget` did not render: docs/demo/notes.md" in capsys.readouterr().err
    assert not (tmp_path / "staged").exists()
    assert not (rendered / "site").exists()


def test_problems_and_releases_are_told_as_a_check_tells_them(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["--root", str(rendered)]
    assert main(["release", "demo", "1.1", "-m", "Why", "--date", "2026-03-01", *at]) == 0
    assert out(rendered, tmp_path / "staged") == 0
    page = "docs/demo/releases/1.1/index.md"
    assert (tmp_path / "staged" / page).read_text("utf-8") == staged(rendered, page.removeprefix("docs/"))
    (rendered / page).unlink()
    pending = rendered / "ledger/demo/releases/.pending.json"
    for cut_off, wanted in (
        (False, "this page of release 1.1 is missing"),
        (True, "`budget` did not write this file"),
    ):
        if cut_off:
            pending.write_text("{}")
        before = every(rendered)
        capsys.readouterr()
        assert out(rendered, tmp_path / "new") == 1
        assert wanted in capsys.readouterr().err
        assert every(rendered) == before
    pending.unlink()
    plant(rendered, {"ledger/demo/plan.yaml": "first: 3\n"})
    assert out(rendered, tmp_path / "new") == 2
    assert not (tmp_path / "new").exists()


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    for words in (["--check"], ["demo"]):
        with pytest.raises(SystemExit) as end:
            main(["render", "--out", str(tmp_path / "new"), *words])
        assert end.value.code == 2


def test_old_releases_say_so_below_their_front_matter(rendered: Path, tmp_path: Path) -> None:
    at = ["--root", str(rendered)]
    for version in ("1.1", "1.2"):
        assert main(["render", *at]) == 0
        assert main(["release", "demo", version, "-m", "Why", "--date", "2026-03-01", *at]) == 0
    assert out(rendered, tmp_path / "staged") == 0
    old, new = ((tmp_path / f"staged/docs/demo/releases/{one}/index.md").read_text("utf-8") for one in ("1.1", "1.2"))
    assert old.startswith('---\ntitle: "Demo: budget, version 1.1"\nsearch:\n  exclude: true\n---\n# Demo')
    assert "A newer version exists: [1.2](../1.2/index.md)" in old
    assert "A newer version exists" not in new


def test_settings_are_written_as_they_were_read(rendered: Path, tmp_path: Path) -> None:
    own = package_files.part("settings").read_text("utf-8").replace("font: false", "font: {text: Inter}")
    plant(rendered, {"mkdocs.yml": own.replace("site_name: Budget ledger", "site_name: 'yes: \U0001f389 # no'")})
    plant(rendered, {"ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"].replace("Demo", "De\U0001f389mo")})
    assert out(rendered, tmp_path / "staged") == 0
    found, was = (yaml.safe_load((one / "mkdocs.yml").read_text("utf-8")) for one in (tmp_path / "staged", rendered))
    order = found.pop("nav")
    assert found == {name: value for name, value in was.items() if name != "INHERIT"}
    assert list(order[1]["Projects"][0]) == ["De\U0001f389mo"]
    plant(rendered, {"mkdocs.yml": "{site_name: S, nav: [index.md, {Demo: [demo/index.md]}], theme: mkdocs}"})
    assert out(rendered, tmp_path / "staged") == 0
    found = yaml.safe_load((tmp_path / "staged/mkdocs.yml").read_text("utf-8"))
    assert found == {"site_name": "S", "nav": ["index.md", {"Demo": ["demo/index.md"]}], "theme": "mkdocs"}


def test_a_link_inside_the_tree_stands_for_what_it_leads_to(rendered: Path, tmp_path: Path) -> None:
    plant(rendered, {"docs/assets/shared/x.txt": "shared", "notes/y.txt": "noted"})
    (rendered / "docs/assets/again").symlink_to("shared")
    (rendered / "docs/assets/y.txt").symlink_to("../../notes/y.txt")
    os.link(rendered / "notes/y.txt", rendered / "docs/assets/hard.txt")
    assert out(rendered, tmp_path / "staged") == 0
    assets = tmp_path / "staged/docs/assets"
    assert (assets / "again/x.txt").read_text() == "shared"
    assert (assets / "y.txt").read_text() == (assets / "hard.txt").read_text() == "noted"
    assert {path.stat().st_nlink for path in assets.rglob("*") if path.is_file()} == {1}
    assert not any(path.is_symlink() for path in assets.rglob("*"))


def test_links_to_folders_of_links_come_to_an_end(tmp_path: Path) -> None:
    """Each folder holds two links to the next: sixty links, and a billion paths."""
    for number in range(30):
        plant(tmp_path, {f"docs/assets/{number}/x": ""})
        for name in "ab":
            (tmp_path / f"docs/assets/{number}/{name}").symlink_to(f"../{number + 1}")
    (tmp_path / "docs/assets/30").mkdir()
    with pytest.raises(Blocked, match="docs/assets has more than 500 files"):
        list(files_below(tmp_path, "docs/assets", most=500))


def test_a_name_that_no_page_can_hold_is_refused(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rendered / "docs/guide").mkdir()
    with open(os.path.join(os.fsencode(rendered), b"docs/guide/\xff.md"), "w") as file:
        file.write("# X\n")
    assert main(["render", "--root", str(rendered)]) == 2
    assert "is not a name that a page can show; rename the file" in capsys.readouterr().err


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_circle(path: Path) -> None:
    path.symlink_to(".")


def nowhere(path: Path) -> None:
    path.symlink_to("nothing")


def test_a_template_that_is_a_pipe_is_not_waited_for(rendered: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rendered / "templates").mkdir()
    a_pipe(rendered / "templates/history.md.j2")
    assert main(["render", "--root", str(rendered)]) == 2
    assert capsys.readouterr().err == "templates/history.md.j2 is not a regular file; move it elsewhere\n"


@pytest.mark.parametrize(
    ("make", "why"), [(a_pipe, "is not a regular file"), (a_circle, "leads into itself"), (nowhere, "leads nowhere")]
)
@pytest.mark.parametrize("where", ["docs/guide/odd.md", "docs/assets/odd"])
def test_what_is_no_plain_file_is_refused(
    rendered: Path, where: str, make: Callable[[Path], None], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(rendered, {"docs/guide/start.md": "# Start\n"})
    (rendered / where).parent.mkdir(exist_ok=True)
    make(rendered / where)
    assert main(["build", "--root", str(rendered)]) == 2
    assert capsys.readouterr().err.startswith(f"{where} {why}; ")


def forged(root: Path) -> Path:
    """A picture whose body says something else, with all checksums of its stamp made right again."""
    path = root / "docs/demo/budget-waterfall.svg"
    stamp, body = path.read_text("utf-8").split("\n", 1)
    false = body.replace("</svg>", "<text>0 GPU-h</text></svg>")
    right = re.sub(r"drawing [0-9a-f]+", f"drawing {sha256(false.encode()).hexdigest()}", stamp)
    path.write_text(f"{right}\n{false}", "utf-8")
    return path


def test_a_forged_picture_is_drawn_anew_where_that_is_asked_for(
    rendered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = forged(rendered)
    assert main(["render", "--check", "--root", str(rendered)]) == 0, "its stamp is right, so it is taken for ours"
    assert main(["render", "--check", "--redraw", "--root", str(rendered)]) == 1
    assert "stale: docs/demo/budget-waterfall.svg\n" in capsys.readouterr().out
    out = tmp_path / "out"
    assert main(["render", "--redraw", "--out", str(out), "--root", str(rendered)]) == 0
    assert "0 GPU-h</text>" not in (out / "docs/demo/budget-waterfall.svg").read_text("utf-8")
    assert "0 GPU-h</text>" in path.read_text("utf-8"), "--out leaves the tree alone"
    assert main(["render", "--redraw", "--root", str(rendered)]) == 0
    assert "0 GPU-h</text>" not in path.read_text("utf-8")


def test_a_release_takes_no_picture_from_the_tree(rendered: Path) -> None:
    forged(rendered)
    assert main(["release", "demo", "1.0", "-m", "As planned.", "--root", str(rendered)]) == 0
    assert "0 GPU-h</text>" not in (rendered / "docs/demo/releases/1.0/budget-waterfall.svg").read_text("utf-8")
