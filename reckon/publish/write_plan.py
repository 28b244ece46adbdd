"""What a change of several files may be: the closed lists of what is ever written, and what a journal says of it.

A journal can come with a change of somebody else's. From a journal only that is accepted which is written here: files
of the ledger of its project, a complete release, or, in the journal of a whole tree, the files that `init` keeps for
CI.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from reckon.language.lazy import regex
from reckon.model import bounds, closing
from reckon.model.release import HOME, PAPER, Changed, Snapshot, checksum, read_snapshot
from reckon.model.scalars import ID
from reckon.model.tree import inside

from .files import Blocked

JOURNAL, FORMAT = ".journal.json", 1
PENDING = ".pending.json"  # what an older version left of a release; it is refused
TREE = ""
"""The home of the journal of a whole tree; that of a project is `ledger/PROJECT`."""
RUNS = "runs"
DIGESTS, BESIDE = ".budget/files.json", ".new"
_YAML = regex(r"[^./\\:][^/\\:]*\.yaml")
_SUM = regex(r"[0-9a-f]{64}")
_NAME = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
_OURS = regex(
    rf"requirements\.txt|\.gitattributes|\.gitignore|\.gitlab-ci\.yml|\.pre-commit-config\.yaml"
    rf"|\.budget/{_NAME}|\.(github|gitlab)(/{_NAME})+"
)


class FileChange(NamedTuple):
    """A file, by its path below the root, from one text to another; None where there is no file.

    Bytes that are no UTF-8 are lone surrogates in it (`text_of`): only files for CI and a PDF may hold such.
    """

    path: str
    was: str | None
    text: str | None


class FileStep(NamedTuple):
    """The same as it is carried out: with the checksum of what the file was, and the bytes that it is to hold."""

    path: str
    was: str | None
    data: bytes | None

    @property
    def ends(self) -> tuple[str | None, str | None]:
        """The checksums of the file before and after."""
        return self.was, _sum(self.data)


class Plan(NamedTuple):
    """What is to be done in a home, by the name of the journal that says it; and the release that it makes, if any."""

    home: str
    name: str
    steps: Sequence[FileStep]
    release: Snapshot | None = None

    @property
    def head(self) -> str:
        """The path of project.yaml."""
        return f"{self.home}/project.yaml"

    def text(self) -> bytearray:
        """What its journal holds. Raises Blocked where that is more than is read again."""
        raw = bytearray(f'{{"format": {json.dumps(FORMAT)}, "files": [', "utf-8")
        for number, step in enumerate(self.steps):  # one after the other: together they can be many times a file
            file = {"path": step.path, "was": step.was, "text": text_of(step.data)}
            raw += b", " if number else b""
            raw += json.dumps(file, ensure_ascii=False).encode("utf-8", "surrogatepass")
        raw += b"]}"
        if len(raw) > bounds.WRITE_PLAN:
            where = self.home or "the tree"
            raise Blocked(f"this change is too large to write into {where} at once; nothing written")
        return raw


def ours(path: str) -> bool:
    """Whether a file of a new tree stays ours, so that it is brought up to date; all else belongs to the team."""
    return bool(_OURS.fullmatch(path)) and path != DIGESTS


def takes(home: str, path: str) -> bool:
    """Whether a path is that of a file that can be written in a home. Those of a release are known by its snapshot."""
    from reckon.model.kinds import IMPORTED, LOCK, PROJECT, PROPOSALS

    if home == TREE:
        return path == DIGESTS or ours(path.removesuffix(BESIDE)) or _of_a_ledger(path)
    folder, _, name = path.rpartition("/")
    if folder in (f"{home}/{RUNS}", f"{home}/{RUNS}/{IMPORTED}", f"{home}/{PROPOSALS.id}"):
        return bool(_YAML.fullmatch(name)) and name.isprintable()
    if folder == f"{home}/{closing.HOME}":
        return closing.is_named(name)
    own = {f"{kind}.yaml" for kind in ("project", *PROJECT, LOCK.id) if kind != RUNS}
    return folder == home and name in own


def _of_a_ledger(path: str) -> bool:
    """Whether a path is that of a file of a ledger, of all projects or of one: what another format may change."""
    from reckon.model.kinds import ALLOCATIONS, CATALOG, RESERVED_IDS

    catalog = [f"catalog/{kind}" for kind in CATALOG]
    if path in [f"ledger/{name}.yaml" for name in ("tree", ALLOCATIONS.id, *catalog)]:
        return True
    top, _, within = path.partition("/")
    project = within.partition("/")[0]
    own = top == "ledger" and ID.fullmatch(project) and project not in RESERVED_IDS
    return bool(own) and takes(f"ledger/{project}", path)


def planned(home: str, changes: Sequence[FileChange]) -> Plan:
    """The plan of some changes. Raises Blocked where it is none that would be carried out again."""
    made = [change for change in changes if change.was != change.text]
    try:
        steps = [
            FileStep(change.path, _sum(_data(home, change.path, change.was)), _data(home, change.path, change.text))
            for change in made
        ]
        return Plan(home, journal_of(home), steps, _release(home, steps))
    except (Changed, UnicodeDecodeError) as error:
        wrong = error.wrong if isinstance(error, Changed) else str(error)
        raise Blocked(f"the snapshot of this release could not be read back: {wrong}") from None
    except ValueError as strange:
        project = home.rpartition("/")[2]
        raise Blocked(f"{strange} is not a file of the ledger of {project}; nothing written") from None


def journal_of(home: str) -> str:
    """The path of the journal of a home."""
    return f"{home}/{JOURNAL}".lstrip("/")


def find_journals(root: Path, home: str) -> list[str]:
    """The journals in a home, by their paths. A link that leads nowhere is one that somebody put there."""
    names = [journal_of(home), *([f"{home}/{HOME}/{PENDING}"] if home else [])]
    return [path for path in names if os.path.lexists(root / path)]


def read_plan(root: Path, home: str, path: str) -> Plan:
    """What a journal says is to be done. Raises Blocked where it says what none that was written here does."""
    place = root / path
    own = inside(root, place, home and "ledger") and not place.is_symlink() and place.is_file()
    try:
        plan = json.loads(place.read_bytes()) if own and place.stat().st_size <= bounds.WRITE_PLAN else None
        if isinstance(plan, dict) and plan.keys() == {"format", "files"} and plan["format"] == FORMAT:
            steps = [_step(home, **raw) for raw in plan["files"]]
            if len({step.path for step in steps}) == len(steps) > 1:
                return Plan(home, path, steps, _release(home, steps))
    except (ValueError, TypeError, AttributeError, RecursionError, Changed):
        pass
    raise Blocked(f"{path} was not written by `budget`; remove it")


def _step(home: str, path: str, was: str | None, text: str | None) -> FileStep:
    """A file of a journal. Raises one of the errors that `read_plan` takes for a journal of somebody else's."""
    step = FileStep(path, was, _data(home, path, text))
    known = was is None or _SUM.fullmatch(was)
    kept = home != TREE or path.startswith("ledger/")
    removable = (f"{home}/{RUNS}/", f"{home}/proposals/")  # a run that is folded, a proposal that is adopted
    gone = text is None and kept and not path.startswith(removable)
    gone = gone or (was is not None and path.rpartition("/")[0].endswith(f"/{closing.HOME}"))  # never written over
    if not known or gone or step.ends[0] == step.ends[1]:
        raise ValueError(path)
    return step


def _release(home: str, steps: Sequence[FileStep]) -> Snapshot | None:
    """The release that some steps make; None where each is a file of its own that may be written.

    Raises ValueError or Changed where they are neither: of a release there is all, and nothing else.
    """
    strange = [step for step in steps if not takes(home, step.path)]
    if not strange:
        return None
    own = next((step for step in strange if step.path.startswith(f"{home}/{HOME}/")), None)
    if own is None or own.data is None:
        raise ValueError(strange[0].path)
    if len(own.data) > bounds.SNAPSHOT:
        raise Blocked("the snapshot of this release would be larger than 64 MiB, the limit for reading it")
    project = home.rpartition("/")[2]
    snapshot = read_snapshot(own.data.decode(), project, Path(own.path).stem)
    head = f"{home}/project.yaml"
    text = _data(home, head, snapshot.files.get(head))
    wanted = {**snapshot.pages, snapshot.file: checksum(own.data), head: _sum(text)}
    made = {head: wanted[head], **{step.path: step.ends[1] for step in steps}}  # it may say so already
    over = [step.path for step in steps if step.was is not None and step.path != head]
    if over or made != wanted or wanted[head] is None or not snapshot.pages:
        raise ValueError((over or [own.path])[0])
    return snapshot


def text_of(data: bytes | None) -> str | None:
    """The bytes of a file as the text of a change."""
    return None if data is None else data.decode("utf-8", "surrogateescape")


def _data(home: str, path: str, text: str | None) -> bytes | None:
    raw = home == TREE or path.endswith(PAPER)
    return None if text is None else text.encode("utf-8", "surrogateescape" if raw else "strict")


def _sum(data: bytes | None) -> str | None:
    return None if data is None else checksum(data)
