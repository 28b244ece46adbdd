"""Which files a ledger consists of, and their text. No link leads out of the root, nothing else is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reckon.language.lazy import regex
from reckon.language.text import Place
from reckon.model import bounds
from reckon.model.closing import HOME as CLOSINGS
from reckon.model.finding import Problem, ProblemList, nearest
from reckon.model.kinds import CATALOG, IMPORTED, LOCK, PROJECT, PROPOSALS, RESERVED_IDS
from reckon.model.release import SHARED_PARTS
from reckon.model.scalars import ID
from reckon.model.tree import astray

from .formats import RUN_FORMATS
from .run_format import first_line
from .table import MEASURED_FORMATS

LONGEST_ID = 80
MOST_ABOVE = 8
ITSELF = "replace it by the file itself"
_OTHER_FILES = (".md", ".txt", *MEASURED_FORMATS, *(known.ending for known in RUN_FORMATS))
"""Notes, and tables that commands read: they may lie beside what is read as a ledger."""
_ENTRY = regex(r" *- *(\{ *)?(date|start|end|item|seed|gpus|run):")


def name_path(root: Path, path: Path) -> str:
    """A path as messages and pages name it: relative to the root, with forward slashes, printable."""
    text = path.relative_to(root).as_posix().encode("utf-8", "replace").decode()
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def about(root: Path, path: Path, wrong: str, right: str) -> Problem:
    """A problem with a file as a whole."""
    return Problem(Place(name_path(root, path)), wrong, right)


def no_ledger(root: Path) -> Problem:
    """The problem of a root without a ledger; it names the tree that the root lies in, or how to begin one."""
    above = (root.joinpath(*[".."] * up) for up in range(1, MOST_ABOVE + 1))
    tree = next((folder.as_posix() for folder in above if any(folder.glob("ledger/*/project.yaml"))), "")
    right = f"name the repository of this folder: --root {tree}" if tree else ""
    right = right or "run `budget init DIR`, or name one with --root"
    return Problem(Place("ledger"), "there is no folder `ledger` under the root", right)


def entries(root: Path, folder: Path, problems: ProblemList) -> Iterator[Path]:
    """What a folder holds, in order of name, without hidden files; links that leave the root are refused, and so are
    those to what is hidden there. A folder that is such a link itself is not listed: the problem is reported where the
    link lies."""
    here = [folder] if folder.parent == root else []
    for path in (
        here if astray(root, folder) else sorted(_list_files(root, folder, problems), key=lambda path: path.name)
    ):
        if path.name.startswith("."):
            continue
        if why := astray(root, path):
            problems.append(about(root, path, f"this link {why}", ITSELF))
        else:
            yield path


def _list_files(root: Path, folder: Path, problems: ProblemList) -> list[Path]:
    try:
        return list(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        problems.append(about(root, folder, f"the folder cannot be read: {error.strerror}", "check its permissions"))
        return []


def projects(root: Path, problems: ProblemList) -> Iterator[Path]:
    """The folders of projects under ledger/."""
    for path in entries(root, root / "ledger", problems):
        name = path.name
        if name in SHARED_PARTS:
            continue
        if not path.is_dir():
            stray(root, path, ("allocations", "tree"), problems)
        elif name in RESERVED_IDS:
            problems.append(about(root, path, f"`{name}` is a reserved name", "choose another name for the project"))
        elif not ID.fullmatch(name) or len(name) > LONGEST_ID:
            problems.append(
                about(
                    root,
                    path,
                    f"`{Path(name_path(root, path)).name[:60]}` is not a project id",
                    "use lower-case letters, digits and single dashes, starting with a letter",
                )
            )
        else:
            yield path


def stray(root: Path, path: Path, known: tuple[str, ...], problems: ProblemList) -> None:
    """Refuses a file that no record is read from, unless it is plainly something else (a note, a table)."""
    if path.suffix in _OTHER_FILES and path.is_file():
        return
    if path.suffix == ".yml" or (not known and not path.suffix and path.is_file()):
        right = f"name it `{path.stem}.yaml`"
    elif not known:
        right = "name files of runs like `2025-09.yaml`"
    else:
        right = nearest(path.stem, known) or "there are " + ", ".join(f"`{name}.yaml`" for name in known)
    shown = Path(name_path(root, path)).name
    problems.append(about(root, path, f"`budget` does not read `{shown}` here", right))


def catalog_files(root: Path, problems: ProblemList) -> Iterator[Path]:
    """The files of the catalogue."""
    for path in entries(root, root / "ledger" / "catalog", problems):
        if path.suffix == ".yaml" and path.stem in CATALOG:
            yield path
        else:
            stray(root, path, tuple(CATALOG), problems)


def project_files(root: Path, folder: Path, problems: ProblemList) -> Iterator[Path]:
    """The files of a project: project.yaml and what stands beside it; then those of proposals, and those below runs/
    last, in order of name."""
    known = ("project", *(name for name in PROJECT if name != "runs"), LOCK.id)
    for path in entries(root, folder, problems):
        if path.suffix == ".yaml" and path.stem in known:
            yield path
        elif not (path.is_dir() and path.name in ("runs", "prose", "releases", PROPOSALS.id, CLOSINGS)):
            stray(root, path, (*known, "runs"), problems)
    for path in entries(root, folder / PROPOSALS.id, problems):
        if path.suffix == ".yaml" and path.is_file():
            yield path
        else:
            stray(root, path, ("a-name-of-your-own",), problems)
    there = [folder / "runs", folder / "runs" / IMPORTED]
    for path in sorted((path for place in there for path in entries(root, place, problems)), key=Path.as_posix):
        if path.suffix == ".yaml" and path.is_file():
            yield path
        elif not (path.name == IMPORTED and path.is_dir()) and not _holds_an_entry(root, path, problems):
            stray(root, path, (), problems)


def _holds_an_entry(root: Path, path: Path, problems: ProblemList) -> bool:
    """Whether a run was saved as a note or a table, which nothing would read; such a file is refused."""
    if path.suffix not in _OTHER_FILES or not path.is_file():
        return False
    with open(path, "rb") as file:
        head = file.read(4096).decode("utf-8", "replace")
    if not _ENTRY.match(first_line(head) or ""):
        return False
    name = Path(name_path(root, path)).name
    problems.append(
        about(
            root,
            path,
            f"this looks like a run, but `budget` does not read `{name}` here",
            f"name it `{Path(name).stem}.yaml`",
        )
    )
    return True


def read(root: Path, path: Path, problems: ProblemList, most: int = bounds.LEDGER) -> str | None:
    """The text of a file; None, with a problem, if it cannot be read or has too many bytes."""
    try:
        if why := astray(root, path):
            said = f"this link {why}", ITSELF
        elif not path.is_file():
            said = "this is not a file", "replace it by a file, or remove it"
        elif path.stat().st_size > most:
            right = "split it; runs can be in one file a month" if most == bounds.LEDGER else "shorten it"
            said = f"the file is larger than {most // 1024**2} MiB", right
        else:
            return bounds.read_start(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = f"the file is not UTF-8 (byte {error.start + 1})", "save it as UTF-8"
    except OSError as error:
        said = f"the file cannot be read: {error.strerror}", "check its permissions"
    problems.append(about(root, path, *said))
    return None
