"""The site is built strictly and moved into place whole; a tree without our style gets it; serving follows changes."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from reckon.door import main
from reckon.publish import shipped
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
    for asset in ("budget.css", "charts.js", "adding.js", "favicon.svg"):
        assert (site / "assets" / asset).read_bytes() == (shipped.assets() / asset).read_bytes()
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
    assert "'nowhere.md'" in told
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
    (tree / "docs/nav.yml").unlink()
    assert build(tree) == 2
    assert capsys.readouterr().err == "there is no docs/nav.yml yet; render the pages first: budget render\n"


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


def test_serving_follows_the_ledger_and_keeps_the_last_good_site(tree: Path) -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}/demo/"
    command = [sys.executable, str(ROOT / "budget.py"), "serve", "--root", str(tree), "--port", str(port)]
    # What started the tests may ignore interrupts (as a shell does for what it runs aside); the server is not to.
    heeds = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, **heeds) as process:
        assert process.stderr is not None
        try:
            assert process.stderr.readline() == f"Serving http://127.0.0.1:{port}/ (end it with Ctrl-C)\n"
            wait_for(address, "Training")
            plan = SMALL["ledger/demo/plan.yaml"]
            plant(tree, {"ledger/demo/plan.yaml": plan.replace("title: Training", "title: Exercise")})
            wait_for(address, "Exercise", "Training")
            plant(tree, {"ledger/demo/plan.yaml": plan.replace("gpu_hours: 10", "gpu_hours: ten")})
            assert process.stderr.readline().startswith("ledger/demo/plan.yaml:12:18: `ten` is no number")
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
        "  - Guide:", '      - "guide/more/deep.md"', '      - "guide/who: to ask.md"',
    ]  # fmt: skip
    assert build(tree) == 0
    assert "Whom to ask" in (tree / "site/index.html").read_text("utf-8")
