"""A repository can name programs in its settings: none of them is run, whatever is asked of git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from reckon.language.text import Place
from reckon.load import git

DAY = "2025-06-01T10:00:00Z"
PROGRAMS = (
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.evil.command",
    "diff.evil.textconv",
    "diff.external",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.late.process",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "pager.blame",
    "pager.show",
    "remote.origin.uploadpack",
    "sequence.editor",
    "submodule.one.update",
)
HOOKS = ("fsmonitor-watchman", "post-index-change", "reference-transaction")


def ask(root: Path, *words: str, given: str = "") -> str:
    """What git answers, without the settings of whoever runs this."""
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_PAGER": "cat"}
    who = {f"GIT_{part}_{key}": value for part in ("AUTHOR", "COMMITTER") for key, value in WHO.items()}
    done = subprocess.run(
        ["git", *words],
        cwd=root,
        input=given,
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, **own, **who},
    )
    return done.stdout.strip()


WHO = {"NAME": "A", "EMAIL": "a@example.org", "DATE": DAY}


def leave_mark(place: Path, ran: Path) -> str:
    """Writes a program that leaves a file behind when it is run; its path."""
    place.parent.mkdir(exist_ok=True)
    last = "exit 1" if place.name.startswith("remote.") else "cat"  # one that git talks with must not wait for more
    place.write_text(f"#!/bin/sh\ntouch '{ran / place.name}'\n{last}\n")
    place.chmod(0o755)
    return str(place)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository of two commits, the last one signed, that names a program wherever git knows a setting for it."""
    root, ran, programs = tmp_path / "tree", tmp_path / "ran", tmp_path / "programs"
    (root / "ledger/one").mkdir(parents=True)
    ran.mkdir()
    ask(root, "init", "--quiet")
    plan = root / "ledger/one/plan.yaml"
    plan.write_text("first: 1\n")
    (root / ".gitattributes").write_text("*.yaml filter=evil diff=evil\nledger/one/new.yaml filter=late\n")
    ask(root, "add", "--all")
    ask(root, "commit", "--quiet", "--message", "First")
    plan.write_text("first: 1\nsecond: 2\n")
    (root / "ledger/one/new.yaml").write_text("new: 1\n")
    ask(root, "add", "--all")
    ask(root, "commit", "--quiet", "--message", "Second")
    head, _, text = ask(root, "cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n abc\n -----END PGP SIGNATURE-----"
    signed = ask(root, "hash-object", "-t", "commit", "-w", "--stdin", given=f"{head}\n{signature}\n\n{text}\n")
    ask(root, "update-ref", "HEAD", signed)
    for name in PROGRAMS:
        ask(root, "config", name, leave_mark(programs / name, ran))
    for name in HOOKS:
        leave_mark(tmp_path / "hooks" / name, ran)
    ask(root, "config", "core.hooksPath", str(tmp_path / "hooks"))
    ask(root, "config", "core.fsmonitor", leave_mark(programs / "fsmonitor", ran))
    ask(root, "config", "log.showSignature", "true")
    # What lacks an object is a partial clone, for which git would fetch it.
    ask(root, "config", "remote.origin.url", str(root))
    ask(root, "config", "remote.origin.promisor", "true")
    ask(root, "config", "extensions.partialClone", "origin")
    ask(root, "config", "core.repositoryFormatVersion", "1")
    plan.write_text("first: 1\nsecond: 2\nthird: 3\n")
    (root / "ledger/one/new.yaml").write_text("new: 1\nnewer: 2\n")
    return root


def test_the_settings_would_run_programs(hostile: Path) -> None:
    ask(hostile, "show", "--no-patch", "HEAD")
    ask(hostile, "status")
    ask(hostile, "blame", "--", "ledger/one/plan.yaml")
    ran = {path.name for path in (hostile.parent / "ran").iterdir()}
    assert {"gpg.program", "filter.evil.clean", "fsmonitor"} <= ran


def test_no_program_of_a_repository_is_run(hostile: Path) -> None:
    last, first = git.commit(hostile, "HEAD"), git.commit(hostile, "HEAD~1")
    assert git.dated(hostile, last) == f"2025-06-01 ({last[:8]})"
    assert git.last_before(hostile, "2026-01-01") == last
    assert git.is_revision(hostile, "HEAD~1")
    assert git.changed(hostile, first) == ["ledger/one/new.yaml", "ledger/one/plan.yaml"]
    files = git.list_files(hostile, last)
    assert [text for _, text in git.contents(hostile, files)] == [b"new: 1\n", b"first: 1\nsecond: 2\n"]
    places = [Place("ledger/one/plan.yaml", line, 1) for line in (1, 2, 3)] + [Place("ledger/one/new.yaml", 1, 1)]
    committed = {place for place in places if place.line != 3}
    assert set(git.authors(hostile, "", places)) == committed
    assert set(git.authors(hostile, last, committed)) == committed
    assert list((hostile.parent / "ran").iterdir()) == []


def test_no_program_is_run_for_an_object_that_is_not_there(hostile: Path) -> None:
    with pytest.raises(git.NoTree):
        list(git.contents(hostile, [git.Entry("100644", "1" * 40, "ledger/one/plan.yaml")]))
    with pytest.raises(git.NoTree):
        git.commit(hostile, "2" * 40)
    assert list((hostile.parent / "ran").iterdir()) == []


def test_without_our_settings_an_object_would_be_fetched(hostile: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        ask(hostile, "cat-file", "-p", "1" * 40)
    assert [path.name for path in (hostile.parent / "ran").iterdir()] == ["remote.origin.uploadpack"]


def test_a_filter_that_cannot_be_switched_off_is_not_run(hostile: Path) -> None:
    mark = leave_mark(hostile.parent / "programs/odd", hostile.parent / "ran")
    ask(hostile, "config", "filter.a=b.clean", mark)
    (hostile / ".gitattributes").write_text("*.yaml filter=a=b\n")
    place = Place("ledger/one/plan.yaml", 1, 1)
    assert git.authors(hostile, "", [place]) == {}
    assert set(git.authors(hostile, "HEAD", [place])) == {place}
    assert list((hostile.parent / "ran").iterdir()) == []
