# ruff: noqa: E501 (messages and files stand unbroken)
"""`migrate`: an older format becomes that of today, all of it or nothing; and every reader goes through the same steps."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from reckon.load import migration
from reckon.model.version import FORMAT, FORMER, READ_SINCE
from reckon.publish import journal
from tests.hub import git
from tests.small import SMALL, plant
from tests.test_flow import Done, budget

ROOT = Path(__file__).resolve().parents[2]
KEPT, PLAN, PROJECT = "ledger/tree.yaml", "ledger/demo/plan.yaml", "ledger/demo/project.yaml"
ALREADY = Done(0, "The ledger is already in format 3.\n", "")


def tree(root: Path, kept: str | None = None, **more: str) -> Path:
    plant(root, {**SMALL, **({} if kept is None else {KEPT: kept})})
    return root


def every(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def renamed(path: str, text: str) -> str:
    """A step of a next format, made up: `contingency` was called `margin` before it."""
    return text.replace("\nmargin:", "\ncontingency:") if path.endswith("/project.yaml") else text


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration, "STEPS", MappingProxyType({1: renamed, 2: renamed}))


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "# Ours.\nformat: 1  # of the file\npages: none # kept nowhere\n",
            "# Ours.\nformat: 3  # of the file\npages: none # kept nowhere\n",
        ),
        ("pages: none\n# last\nformat: '1'", "pages: none\n# last\nformat: 3"),
        ("# Ours.\n\n  pages: none # kept nowhere\n", "# Ours.\n\n  format: 3\n  pages: none # kept nowhere\n"),
        ("{pages: none, format: 1}\n", "{pages: none, format: 3}\n"),
        ("{pages: none} # x\n", "{format: 3, pages: none} # x\n"),
        ("pages: none\r\nformat: 1\r\n", "pages: none\r\nformat: 3\r\n"),
        ("pages: none\r\n", "format: 3\r\npages: none\r\n"),
        ("\ufeffpages: none\n", "\ufeffformat: 3\npages: none\n"),
    ],
)
def test_the_number_alone_changes_and_a_second_run_does_nothing(was: str, now: str, tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / KEPT).write_bytes(was.encode())
    before = every(root)
    done = budget(root, "migrate")
    assert (done.returncode, done.stderr) == (0, "")
    assert every(root) == {**before, KEPT: now.encode()}
    assert (
        budget(root, "migrate") == budget(root, "migrate", "--check") == budget(root, "migrate", "--dry-run") == ALREADY
    )
    assert budget(root, "tree") == Done(0, "pages: none\nformat: 3\n", "")


def test_lines_of_the_ledger_act_on_no_terminal(tmp_path: Path) -> None:
    root = tree(tmp_path, "pages: ci\nformat: 2 # \u202eback\u202c\n")
    said = budget(root, "migrate", "--dry-run").stdout
    assert r"\u202eback" in said
    assert "\u202e" not in said


def test_a_tree_without_the_file_gets_one_and_keeps_its_pages(rendered: Path) -> None:
    assert budget(rendered, "tree", "format") == Done(0, "1\n", "")
    assert budget(rendered, "tree").stdout.endswith("format: 1\n`python budget.py migrate` updates it to format 3.\n")
    before = every(rendered)
    done = budget(rendered, "migrate")
    assert done.stdout.splitlines() == [
        "From format 1 to 3:",
        "  ledger/tree.yaml: new: format: 3  # read by budget-ledger 0.3.0 and later",
        "All figures stay the same: both formats use the current method.",
        "Versions of budget-ledger before 0.3.0 cannot read this ledger.",
        "`python budget.py init --upgrade` updates what CI installs.",
    ]
    after = every(rendered)
    assert {path for path in after if after[path] != before.get(path)} == {KEPT}
    assert budget(rendered, "render", "--check").returncode == 0, "no page changes by it"


def test_a_trial_writes_nothing_and_a_check_fails_where_there_is_something_to_do(tmp_path: Path) -> None:
    root = tree(tmp_path, "pages: ci\nformat: 1\n")
    before = every(root)
    for option, code in (("--dry-run", 0), ("--check", 1)):
        done = budget(root, "migrate", option)
        assert done.returncode == code
        assert "  ledger/tree.yaml:2: format: 1 → format: 3\n" in done.stdout
        assert done.stdout.endswith("Dry run: nothing written. Next: python budget.py migrate\n")
    assert every(root) == before
    with pytest.raises(SystemExit):
        budget(root, "migrate", "--dry-run", "--check")


def test_what_format_1_left_open_is_named_with_its_line(tmp_path: Path) -> None:
    root = tree(tmp_path)
    run = "- {date: 2026-01-04, item: train, seed: 2, gpus: 1, wall_hours: 0.5, status: completed}\n"
    plant(root, {"ledger/demo/runs/2026-01.yaml": run})
    lines = budget(root, "migrate").stdout.splitlines()
    at = lines.index("Format 1 does not state what a completed run ends. Add `runs:` or `finishes:` here:")
    assert lines[at + 1] == f"  {PLAN}:5: Training: it is not known what its completed runs finished"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({PLAN: "first: {title: [}\n"}, "ledger/demo/plan.yaml:1:"),
        (
            {KEPT: "format: 4\n"},
            "ledger/tree.yaml:1:9: `4` is a newer format than this program reads; this is budget-ledger ",
        ),
        ({KEPT: "format: 0\n"}, "ledger/tree.yaml:1:9: `0` is not a format that this program knows; write `format: 3`"),
        ({KEPT: "\n"}, "ledger/tree.yaml:1:1: the file is empty; write `format: 3` and `pages: ci`"),
        ({"ledger/demo/.journal.json": "{}"}, "ledger/demo/.journal.json"),
    ],
)
def test_a_tree_with_problems_is_refused_whole(files: dict[str, str], said: str, tmp_path: Path) -> None:
    root = plant(tree(tmp_path), files)
    before = every(root)
    for options in ((), ("--check",), ("--dry-run",)):
        done = budget(root, "migrate", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(said)
    assert every(root) == before


def test_the_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree")
    plant(root, {"ledger/kept.txt": "format: 1\n"})
    (root / KEPT).symlink_to("kept.txt")
    done = budget(root, "migrate")
    assert done.returncode == 2
    assert "is a link, which `budget` does not follow" in done.stderr
    assert ((root / KEPT).is_symlink(), (root / KEPT).read_text()) == (True, "format: 1\n")


def test_a_step_is_written_by_migrate_and_read_everywhere(step: None, tmp_path: Path) -> None:
    root = tree(tmp_path)
    old = SMALL[PROJECT].replace("contingency", "margin")
    plant(root, {PROJECT: old})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "In format 1.")
    assert budget(root, "explain", "demo.budget.contingency").stdout.startswith("demo.budget.contingency = 9 GPU-h")
    done = budget(root, "migrate")
    assert "  ledger/demo/project.yaml:6: margin: 10% → contingency: 10%\n" in done.stdout, done.stderr
    assert (root / PROJECT).read_text() == SMALL[PROJECT]
    assert budget(root, "diff", "HEAD") == Done(0, "", ""), "the revision is read through the step"
    assert not [path for path in every(root) if Path(path).name.startswith(".") and not path.startswith(".git/")]


def test_two_files_are_written_together_or_not_at_all(
    step: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree(tmp_path)
    plant(root, {PROJECT: SMALL[PROJECT].replace("contingency", "margin")})
    real: Callable[..., None] = os.replace
    written: list[str] = []

    def cut(source: str, target: str) -> None:
        if Path(target).name in ("tree.yaml", "project.yaml"):
            if written:
                raise OSError(28, "No space left on device")
            written.append(str(target))
        real(source, target)

    monkeypatch.setattr(journal.os, "replace", cut)
    done = budget(root, "migrate")
    assert done.returncode == 2
    assert "`init --upgrade` completes it" in done.stderr
    monkeypatch.undo()
    monkeypatch.setattr(migration, "STEPS", MappingProxyType({1: renamed, 2: renamed}))
    assert journal.cut_off(root, tree=True)
    assert budget(root, "migrate").returncode == 0
    assert (root / PROJECT).read_text() == SMALL[PROJECT]
    assert (root / KEPT).is_file()
    assert not (root / ".journal.json").exists()


def test_a_step_that_changes_what_a_ledger_says_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reckon.cli import migrate

    root = tree(tmp_path)
    before = every(root)
    monkeypatch.setattr(migrate, "_summarise_ledger", lambda book: id(book))
    done = budget(root, "migrate")
    assert (done.returncode, done.stderr) == (2, "migrating would change what the ledger says; nothing written\n")
    assert every(root) == before


GRANTS = "ledger/allocations.yaml"
PRICED = {
    KEPT: "format: 2\n",
    "ledger/catalog/prices.yaml": "cloud: {usd_per_gpu_hour: {card: 2}}\nother: {usd_per_gpu_hour: {card: 3}}\n",
    PROJECT: SMALL[PROJECT] + "prices: [cloud]\n",
    GRANTS: "grant:\n  title: Grant\n  gpu_hours: 50  # for a year\n  projects: [demo]\n",
}


def test_what_granted_hours_were_worth_is_written_at_their_grant(tmp_path: Path) -> None:
    root = plant(tree(tmp_path), PRICED)
    before = budget(root, "explain", "demo.money.actual").stdout
    done = budget(root, "migrate")
    assert f"  {GRANTS}:5: prices: [cloud]\n" in done.stdout, done.stderr
    assert "Granted hours have a value in money only if the grant names `prices`; these" in done.stdout
    assert (root / GRANTS).read_text() == f"{PRICED[GRANTS]}  prices: [cloud]\n"
    assert budget(root, "explain", "demo.money.actual").stdout == before
    in_kind, paid = (budget(root, "explain", f"demo.money.{name}").stdout for name in ("in_kind", "paid"))
    assert in_kind.startswith("demo.money.in_kind = $")
    assert paid.startswith("demo.money.paid = $0")


def test_without_prices_at_the_grant_its_hours_cost_no_money(tmp_path: Path) -> None:
    root = plant(tree(tmp_path), {**PRICED, KEPT: "format: 3\n"})
    # What a run states that it cost counts, whoever pays.
    assert budget(root, "explain", "demo.money.actual").stdout.startswith("demo.money.actual = $3")


def test_a_grant_of_projects_with_different_prices_is_left_to_people(tmp_path: Path) -> None:
    other = {path.replace("/demo/", "/next/"): text for path, text in SMALL.items() if "/demo/" in path}
    other["ledger/next/project.yaml"] += "prices: [other]\n"
    grants = PRICED[GRANTS].replace("[demo]", "[demo, next]")
    root = plant(tree(tmp_path), {**PRICED, **other, GRANTS: grants})
    before = every(root)
    done = budget(root, "migrate")
    assert done.returncode == 2
    assert "write `prices` of these grants by hand; nothing written" in done.stderr
    assert every(root) == before


def test_an_upgrade_of_the_files_for_ci_says_that_the_ledger_is_older(tmp_path: Path) -> None:
    hint = "The ledger is in format 1. Update it to format 3: python budget.py migrate"
    made = tmp_path / "made"
    assert budget(Path(), "init", str(made)).returncode == 0
    assert budget(Path(), "init", "--upgrade", str(made)).stdout == "Everything is up to date.\n"
    plant(made, {KEPT: "format: 1\npages: ci\n"})
    assert budget(Path(), "init", "--upgrade", str(made)).stdout.splitlines()[-1] == hint
    (made / KEPT).unlink()
    assert budget(Path(), "init", "--upgrade", str(made)).stdout.splitlines()[-1] == hint


def test_each_format_has_its_step_and_the_first_version_that_reads_it() -> None:
    assert list(READ_SINCE) == list(range(FORMER, FORMAT + 1))
    assert set(migration.STEPS) == set(range(FORMER, FORMAT))
    line = f"format: {FORMAT}  # read by budget-ledger {READ_SINCE[FORMAT]} and later\n"
    for home in (".", "starter"):
        assert line in (ROOT / home / KEPT).read_text("utf-8")
    assert line in migration.NEW
