"""What git knows of a ledger: its files in a revision, and who wrote a line. Git is only asked, never told to change.

Nothing of a revision but `ledger/` is read, and nothing is run that a repository asks for (filters, hooks, downloads).
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from posixpath import relpath
from typing import NamedTuple

from msgspec import Struct

from reckon.language.text import Place, Unable, echoed

SECONDS, BLAME_SECONDS = 120, 4
MOST_FILES, MOST_BYTES, MOST_BLAMED = 20_000, 256 * 1024 * 1024, 200
LINK, FILES = "120000", ("100644", "100755", "100664")
_OWN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
_ASKED_ONLY = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
# A folder of the tree can look like a repository: no program that this or any other repository names is run.
_OFF = {
    "safe.bareRepository": "explicit",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.askPass": "",
    "credential.helper": "",
    "diff.external": "",
    "log.showSignature": "false",
    "protocol.allow": "never",  # nothing is fetched, by a git that does not know GIT_NO_LAZY_FETCH either
}
_RUNS_NOTHING = tuple(word for name, value in _OFF.items() for word in ("-c", f"{name}={value}"))
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


class NoTree(Unable):
    """What was named cannot be compared; the message says why, and what would be right."""


class Entry(Struct, frozen=True):
    """A file of a revision: its mode, the id of its content, and its path under the root."""

    mode: str
    id: str
    path: str


class Author(NamedTuple):
    """Who wrote a line, and on which day (theirs)."""

    name: str
    date: str


LAST = "HEAD"  # what is compared where nothing is named


def _git(root: Path, *words: str, given: bytes = b"", seconds: float = SECONDS) -> bytes | None:
    """What a command of git says; None where it refuses. Raises NoTree where there is no git, or it takes too long."""
    known = {name: value for name, value in os.environ.items() if name not in _OWN} | _ASKED_ONLY
    command = ["git", *_RUNS_NOTHING, *words]
    _ask_for_no_other(root)
    try:
        done = subprocess.run(command, cwd=root, input=given, capture_output=True, timeout=seconds, env=known)
    except FileNotFoundError:
        raise NoTree("git is not installed; name folders or releases to compare") from None
    except subprocess.TimeoutExpired:
        raise NoTree(f"git did not answer within {seconds:.0f} seconds") from None
    return done.stdout if done.returncode == 0 else None


def _ask_for_no_other(root: Path) -> None:
    """Refuses a root in, or below, a folder that git would take for a bare repository, before it sees the one above.

    Its settings would be those of whoever put it into the tree, and name programs. Git before 2.38 has no switch.
    """
    top = root.resolve()
    for folder in (top, *top.parents):
        if os.path.lexists(folder / ".git"):
            return
        if os.path.lexists(folder / "HEAD"):
            raise NoTree(f"a file `HEAD` makes {echoed(folder.name)}/ look like a git repository; remove it")


def _word(said: bytes | None) -> str:
    return (said or b"").decode("ascii", "replace").strip()


def is_revision(root: Path, name: str) -> bool:
    """Whether a name is that of a revision here."""
    with suppress(NoTree):
        return bool(commit(root, name))
    return False


def commit(root: Path, name: str) -> str:
    """The id of the commit that a revision names. Raises NoTree."""
    shown = _UNPRINTABLE.sub("?", echoed(name))
    if name.startswith("-") or _UNPRINTABLE.search(name):
        raise NoTree(f"`{shown}` is not a revision; it begins with a dash or has control characters")
    if _git(root, "rev-parse", "--git-dir") is None:
        what = "the last commit" if name == LAST else "not a folder with a ledger/ and not a release"
        right = "; name a release such as 1.0.0, or a folder such as ../copy" if name == LAST else ""
        raise NoTree(f"`{shown}` is {what}, and there is no git repository here{right}")
    said = _word(_git(root, "rev-parse", "--verify", "--quiet", name + "^{commit}"))
    if not said and name == LAST:
        raise NoTree(
            f"`{LAST}` is the last commit, but there is no commit; commit first, or name a release or a folder"
        )
    if not re.fullmatch(r"[0-9a-f]{40,64}", said):
        raise NoTree(_unknown(root, name, shown))
    return said


def last_before(root: Path, day: str) -> str:
    """The last commit before a day began, in UTC; the first of all where the repository is younger. Raises NoTree."""
    for words in (("--max-count=1", f"--before={day}T00:00:00Z"), ("--max-parents=0",)):
        if found := _word(_git(root, "rev-list", *words, LAST, "--")):
            return found.split()[-1]
    raise NoTree(f"this repository has no commit before {day}")


def dated(root: Path, revision: str) -> str:
    """A revision as a person reads it: the day of its commit, and the first digits of its id; as it is, where there is
    no such commit."""
    said = _word(_git(root, "show", "--no-patch", "--format=%cs %h", "--abbrev=8", f"{revision}^{{commit}}", "--"))
    day, _, short = said.partition(" ")
    return f"{day} ({short})" if short else revision


def _unknown(root: Path, name: str, shown: str) -> str:
    """Why a name is unknown, as far as that can be told."""
    if re.fullmatch(r"0{40}(0{24})?", name):
        return "the branch is new (its revision is all zeros); there is nothing to compare with"
    wrong = f"`{shown}` is not a release, a folder with a ledger/ or a revision of this repository"
    if _word(_git(root, "rev-parse", "--is-shallow-repository")) == "true":
        return f"{wrong}, which has only its last commits here; run git fetch --unshallow"
    return wrong


def list_files(root: Path, revision: str) -> list[Entry]:
    """The ledger files of a commit, below a root. Raises NoTree where there are none, or far too many."""
    before = _prefix(root)
    said = _git(root, "ls-tree", "-r", "-z", "-l", "--full-tree", revision, "--", f"{before}ledger")
    if said is None:
        raise NoTree("git could not list its files")
    found, size = [], 0
    for line in said.split(b"\0"):
        head, _, path = line.partition(b"\t")
        mode, _, name, length = (*head.decode("ascii", "replace").split(), "", "", "", "")[:4]
        inner = os.fsdecode(path).removeprefix(before)
        if _is_ours(inner) and (mode == LINK or (mode in FILES and inner.endswith((".yaml", ".yml")))):
            found.append(Entry(mode, name, inner))
            size += int(length) if length.isdecimal() else 0
    if not found:
        raise NoTree("it has no ledger/ under this root")
    if len(found) > MOST_FILES or size > MOST_BYTES:
        raise NoTree(f"its ledger/ is too large to compare ({len(found):,} files, {size // 1024**2:,} MiB)")
    return found


def _prefix(root: Path) -> str:
    """How the paths of a root begin in its repository."""
    said = _git(root, "rev-parse", "--show-prefix")
    return os.fsdecode(said or b"").removesuffix("\n")


def _is_ours(path: str) -> bool:
    """Whether a path is one of a ledger: below it, without hidden parts, and not what was released."""
    parts = path.split("/")
    shown = all(part and not part.startswith(".") for part in parts)
    return parts[0] == "ledger" and "releases" not in parts and shown


def changed(root: Path, base: str, kinds: str = "") -> list[str]:
    """The paths, from the root, that HEAD changed since it left a revision; those outside begin with `../`.

    `kinds` are letters of git: DMT leaves out what is new. Raises NoTree where there is no such revision.
    """
    since = commit(root, base)
    fork = _word(_git(root, "merge-base", since, LAST)) or since
    said = _git(root, "diff-tree", "-r", "--name-only", "--no-renames", "-z", f"--diff-filter={kinds}", fork, LAST)
    before = _prefix(root) or "./"
    return [relpath(os.fsdecode(path), before) for path in (said or b"").split(b"\0") if path]


def contents(root: Path, entries: Collection[Entry]) -> Iterator[tuple[Entry, bytes]]:
    """The content of each file, in order. Raises NoTree where one is missing."""
    said = _git(root, "cat-file", "--batch", given="".join(f"{entry.id}\n" for entry in entries).encode("ascii")) or b""
    at = 0
    for entry in entries:
        end = said.find(b"\n", at)
        head = said[at:end].split()
        if end < 0 or len(head) != 3 or head[1] != b"blob":
            raise NoTree(f"{entry.path} is not in this repository (a partial clone?)")
        size = int(head[2])
        yield entry, said[end + 1 : end + 1 + size]
        at = end + 2 + size


def authors(root: Path, revision: str, places: Collection[Place]) -> dict[Place, Author]:
    """Who wrote each of some ledger lines, as far as git can say quickly; nothing where it cannot.

    Without a revision, the lines are those of the files as they are now.
    """
    wanted = sorted({(place.file, place.line) for place in sorted(set(places))[:MOST_BLAMED] if place.line})
    found: dict[tuple[str, int], Author] = {}
    until = time.monotonic() + BLAME_SECONDS
    with suppress(NoTree):
        unfiltered = [] if revision else _without_filters(root)
        for file, lines in groupby(wanted, itemgetter(0)):
            left = until - time.monotonic()
            if left <= 0:
                break
            spans = [word for _, line in lines for word in ("-L", f"{line},{line}")]
            words = ["--porcelain", "--no-textconv", *spans, *([revision] if revision else []), "--", file]
            said = _git(root, *unfiltered, "blame", *words, seconds=left)
            found |= {(file, line): author for line, author in _blamed(said or b"")}
    return {place: found[place.file, place.line] for place in places if (place.file, place.line) in found}


def _without_filters(root: Path) -> list[str]:
    """What switches off the filters that a repository names: git would send files of the working tree through them.

    Raises NoTree where the name of a filter has a sign that the option cannot pass on.
    """
    said = _git(root, "config", "--null", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process|required)$")
    names = os.fsdecode(said or b"").split("\0")[:-1]
    if any("=" in name for name in names):
        raise NoTree("a git filter of this repository cannot be switched off")
    return [word for name in names for word in ("-c", f"{name}=")]


def _blamed(said: bytes) -> Iterator[tuple[int, Author]]:
    """The lines that `git blame --porcelain` tells of; what it says of a commit it says once."""
    known: dict[str, dict[str, str]] = {}
    name, line = "", 0
    for text in said.decode("utf-8", "replace").split("\n"):
        if head := re.match(r"([0-9a-f]{40,64}) \d+ (\d+)", text):
            name = head[1]
            line = int(head[2])
            known.setdefault(name, {})
        elif text.startswith("\t"):
            if name.strip("0") and "author" in known[name]:
                yield line, Author(known[name]["author"], _day(known[name]))
        elif name:
            key, _, value = text.partition(" ")
            known[name].setdefault(key, value)


def _day(commit: dict[str, str]) -> str:
    """The day of a commit where its author was; empty where a commit that was made by hand says none."""
    try:
        there = datetime.strptime(commit.get("author-tz", ""), "%z").tzinfo
        return f"{datetime.fromtimestamp(int(commit.get('author-time', '')), there):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return ""
