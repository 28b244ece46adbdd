"""The guide comes with the program: its pages are listed and printed where nothing but the package is installed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from reckon import __version__
from reckon.cli import main
from tests.test_flow import ROOT, budget

GUIDE = {path.stem: path for path in (ROOT / "docs/guide").glob("*.md")}


def test_all_pages_are_listed_and_one_is_printed(tmp_path: Path) -> None:
    listed = budget(tmp_path, "guide").stdout.splitlines()
    assert {line.split()[0] for line in listed[: listed.index("")]} == GUIDE.keys()
    for name in ("plan", "language", "language.md"):
        done = budget(tmp_path, "guide", name)
        assert (done.returncode, done.stdout) == (0, GUIDE[name.removesuffix(".md")].read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("langage", "there is no page `langage`; did you mean `language`?\n"),
        (
            "../README",
            "there is no page `../README`; there are `index`, `start`, `plan`, `cover`, `runs`, `job`, `import`, "
            "`read`, `forecast`, `team`, `pays`, `choose`, `fit`, `measure`, `energy`, `whatif`, `release`, "
            "`request`, `published`, `python`, `security`, `language`, `reference`, "
            "`addresses`, `columns`, `commands`, `messages`\n",
        ),
    ],
)
def test_a_wrong_name_gets_help(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guide", name]) == 2
    assert capsys.readouterr().err == said


def test_the_package_carries_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]["docs/guide"] == "reckon/guide"
    assert settings["project"]["version"] == __version__


def test_messages_name_pages_that_are_there() -> None:
    """`budget guide NAME`, wherever engine, starter or guide say it."""
    places = [*ROOT.glob("reckon/**/*.py"), *ROOT.glob("starter/**/*.md"), *GUIDE.values()]
    named = {name for path in places for name in re.findall(r"budget guide ([a-z]+)", path.read_text("utf-8"))}
    assert {"start", "team", "reference", "choose", "fit", "measure"} <= named <= GUIDE.keys()


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"budget-ledger {__version__}\n"
