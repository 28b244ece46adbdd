"""The site is built strictly and moved into place whole; a tree without our style gets it; serving follows changes."""

from __future__ import annotations

import http.client
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.publish import package_files, site
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def tree(rendered: Path) -> Path:
    return rendered


def build(root: Path, *words: str) -> int:
    return main(["build", "--root", str(root), *words])


def test_another_tree_gets_the_style_and_a_failing_build_leaves_the_old_site(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tree) == 0
    site = tree / "site"
    for asset in ("budget.css", "tables.css", "access.css", "page.js", "charts.js", "tables.js", "favicon.svg"):
        assert (site / "assets" / asset).read_bytes() == (package_files.part("assets") / asset).read_bytes()
    assert "Training" in (site / "demo/index.html").read_text("utf-8")
    assert (site / "search/search_index.json").is_file()
    assert not (site / "nav.yml").exists()
    assert not list(tree.glob(".site*"))
    assert site.stat().st_mode & 0o777 == (tree / "docs").stat().st_mode & 0o777

    plant(tree, {"docs/guide/start.md": "# Start\n\n[there](nowhere.md)\n"})
    (site / "mark").write_text("the old site")
    capsys.readouterr()
    assert build(tree) == 2
    told = capsys.readouterr().err
    assert "warning: " in told
    assert "'guide/start.md' contains a link 'nowhere.md'" in told
    assert "/budget-" not in told  # the folder in which it was built
    assert "strict mode" in told
    assert "Traceback" not in told
    assert (site / "mark").read_text() == "the old site"
    assert not list(tree.glob(".site*"))


def test_only_a_site_or_an_empty_folder_is_replaced(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = plant(tree.parent / "photos", {"photo.jpg": "…"})
    before = sorted(tree.parent.rglob("*"))
    for folder in (other, other / "photo.jpg", tree, tree.parent, tree / "docs", tree / "docs/x", tree / "ledger/demo"):
        assert build(tree, "--site-dir", str(folder)) == 2
        assert "name another folder with --site-dir" in capsys.readouterr().err
    assert sorted(tree.parent.rglob("*")) == before


def test_settings_that_do_not_hold_are_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, {"mkdocs.yml": "site_name: [\n"})
    assert build(tree) == 2
    plant(tree, {"mkdocs.yml": "INHERIT: docs/nav.yml\nsite_name: Mine\ntheme: {name: gone}\n"})
    assert build(tree) == 2
    told = capsys.readouterr().err
    assert "Traceback" not in told
    assert "gone" in told


def test_pages_need_not_be_rendered_before_and_are_not_written(tree: Path) -> None:
    """A site is made of the ledger as it is, not of the pages as they were."""
    shutil.rmtree(tree / "docs")
    plan = SMALL["ledger/demo/plan.yaml"]
    plant(tree, {"ledger/demo/plan.yaml": plan.replace("title: Training", "title: Exercise")})
    assert build(tree) == 0
    assert "Exercise" in (tree / "site/demo/index.html").read_text("utf-8")
    assert sorted(path.name for path in tree.iterdir()) == ["ledger", "site"]


def test_problems_and_a_release_that_was_changed_leave_the_old_site(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["release", "demo", "1.1", "-m", "Why", "--date", "2026-03-01", "--root", str(tree)]) == 0
    assert build(tree) == 0
    (tree / "site/mark").write_text("the old site")
    page = tree / "docs/demo/releases/1.1/index.md"
    page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
    capsys.readouterr()
    assert build(tree) == 1
    assert "docs/demo/releases/1.1/index.md:1:1: this page of release 1.1 was changed" in capsys.readouterr().err
    plant(tree, {"ledger/demo/plan.yaml": "first: 3\n"})
    assert build(tree) == 2
    assert "ledger/demo/plan.yaml:1:8: " in capsys.readouterr().err
    assert (tree / "site/mark").read_text() == "the old site"


def test_a_page_that_asks_for_what_no_theme_has_is_told(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tree, {"docs/guide/x.md": "---\ntemplate: ../../../secret.html\n---\n# X\n", "docs/secret.html": ""})
    (tree / "docs/secret.html").unlink()
    assert build(tree) == 2
    told = capsys.readouterr().err
    assert "Error building page 'guide/x.md'" in told
    assert "Traceback" not in told


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def wait_for(address: str, wanted: str, unwanted: str = "\0") -> str:
    """The page once it holds what is wanted."""
    page = ""
    for _ in range(150):
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                page = answer.read().decode("utf-8")
        except OSError:
            page = ""
        if wanted in page and unwanted not in page:
            return page
        time.sleep(0.1)
    raise AssertionError(f"{wanted!r} is not on {address}")


def status(port: int, *hosts: str, path: str = "/demo/") -> int:
    """The answer to a request with these Host headers; a browser sends the name that it was given."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for host in hosts:
        connection.putheader("Host", host)
    connection.endheaders()
    answer = connection.getresponse()
    if answer.status == 403:
        assert f"http://127.0.0.1:{port}/" in answer.read().decode("utf-8")
    connection.close()
    return answer.status


@pytest.mark.full
@pytest.mark.parametrize("builder", site.BUILDERS)
def test_serving_follows_the_ledger_and_keeps_the_last_good_site(
    tree: Path, builder: str, request: pytest.FixtureRequest
) -> None:
    if builder == site.ZENSICAL:
        request.getfixturevalue("zensical")
    pages = {path: path.read_bytes() for path in (tree / "docs").rglob("*") if path.is_file()}
    port = free_port()
    address = f"http://127.0.0.1:{port}/demo/"
    command = [sys.executable, str(ROOT / "budget.py"), "serve", "--root", str(tree), "--port", str(port)]
    command += ["--builder", builder]
    then = {"material": "pages follow your edits", "zensical": "reload a page to see your edits"}[builder]
    # What started the tests may ignore interrupts (as a shell does for what it runs aside); the server is not to.
    heeds = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, **heeds) as process:
        assert process.stderr is not None
        try:
            assert process.stderr.readline() == f"Serving http://127.0.0.1:{port}/ (Ctrl-C stops it; {then})\n"
            wait_for(address, "Training")
            own = (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"LOCALHOST:{port}")
            assert [status(port, one) for one in own] == [200] * 4
            others = (
                "evil.example",
                f"evil.example:{port}",
                "localhost",
                f"localhost:{port + 1}",
                f"10.0.0.1:{port}",
                f"localhost:{port}.evil.example",
                f"evil.example@localhost:{port}",
                "",
            )
            assert [status(port, one) for one in others] == [403] * len(others)
            assert status(port) == status(port, f"localhost:{port}", "evil.example") == 403
            assert [status(port, own[0], path=path) for path in ("/%00", "/demo/%00/", "/nowhere")] == [404] * 3
            plan = SMALL["ledger/demo/plan.yaml"]
            plant(tree, {"ledger/demo/plan.yaml": plan.replace("title: Training", "title: Exercise")})
            wait_for(address, "Exercise", "Training")
            plant(tree, {"ledger/demo/plan.yaml": plan.replace("gpu_hours: 10", "gpu_hours: ten")})
            told = next(line for line in process.stderr if "code 40" not in line)
            assert told.startswith("ledger/demo/plan.yaml:12:18: `ten` is not a number")
            wait_for(address, "Exercise")
            plant(tree, {"ledger/demo/plan.yaml": plan})
            wait_for(address, "Training", "Exercise")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                out, err = process.communicate(timeout=30)
            finally:
                process.kill()
    assert process.returncode == 0
    assert "Traceback" not in out + err
    assert {path: path.read_bytes() for path in (tree / "docs").rglob("*") if path.is_file()} == pages
    assert sorted(path.name for path in tree.iterdir()) == ["docs", "ledger"]


def test_serving_draws_a_picture_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where docs/ has none: those of the last time are at hand."""
    import reckon.present.pages as pages

    shutil.rmtree(tree / "docs")
    drawn: list[object] = []
    draw = pages.draw
    monkeypatch.setattr(pages, "draw", lambda picture: drawn.append(picture) or draw(picture))
    counts = []

    def look(root: Path, port: int, sources: Callable[[], object], *_: object) -> int:
        for _ in range(2):
            assert not isinstance(sources(), int)
            counts.append(len(drawn))
        return 0

    monkeypatch.setattr(site, "serve", look)
    assert main(["serve", "--root", str(tree)]) == 0
    assert counts[0] == counts[1] > 0
    assert not (tree / "docs").exists()


def test_a_port_that_is_taken_is_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        port = one.getsockname()[1]
        assert main(["serve", "--root", str(tree), "--port", str(port)]) == 2
    assert capsys.readouterr().err == f"port {port}: Address already in use; name another with --port\n"


def test_pages_of_ones_own_come_into_the_navigation(tree: Path) -> None:
    """Any page under docs/guide/: without that, the strict build would refuse what nothing leads to."""
    plant(tree, {"docs/guide/who: to ask.md": "# Whom to ask\n\nAnn.\n", "docs/guide/more/deep.md": "# Deep\n"})
    assert main(["render", "--root", str(tree)]) == 0
    assert (tree / "docs/nav.yml").read_text("utf-8").splitlines()[-3:] == [
        "  - Guide:",
        '      - "guide/more/deep.md"',
        '      - "guide/who: to ask.md"',
    ]
    assert build(tree) == 0
    assert "Whom to ask" in (tree / "site/index.html").read_text("utf-8")
