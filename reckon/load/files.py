"""Which files a ledger consists of, and their text. No link leads out of the root, nothing else is opened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reckon.language.text import Place
from reckon.model.ledger import CATALOG_FILES, LISTS, PROJECT_FILES, RESERVED_IDS
from reckon.model.problem import Problem, nearest
from reckon.model.scalars import ID

MOST_BYTES = 64 * 1024 * 1024
_OTHER_FILES = (".md", ".csv", ".txt", ".json")


def named(root: Path, path: Path) -> str:
    """A path as messages and pages name it: relative to the root, with forward slashes."""
    return path.relative_to(root).as_posix()


def entries(root: Path, folder: Path, problems: list[Problem]) -> list[Path]:
    """What a folder holds, in order of name, without hidden files; links that leave the root are refused."""
    found = []
    for path in sorted(folder.iterdir(), key=lambda one: one.name) if folder.is_dir() else []:
        if path.name.startswith("."):
            continue
        if not path.resolve().is_relative_to(root.resolve()):
            problems.append(
                Problem(Place(named(root, path), 1, 1), "this link leads out of the root", "put the file itself here")
            )
            continue
        found.append(path)
    return found


def projects(root: Path, problems: list[Problem]) -> Iterator[Path]:
    """The folders of projects under ledger/."""
    for path in entries(root, root / "ledger", problems):
        if path.name == "catalog" or path.name == "allocations.yaml":
            continue
        if path.is_dir() and ID.fullmatch(path.name) and path.name not in RESERVED_IDS:
            yield path
        elif path.is_dir():
            said = "is a name of the house" if path.name in RESERVED_IDS else "is no project id"
            problems.append(
                Problem(
                    Place(named(root, path), 1, 1), f"`{path.name}` {said}", "small letters, digits and single dashes"
                )
            )
        else:
            stray(root, path, ("allocations",), problems)


def stray(root: Path, path: Path, known: tuple[str, ...], problems: list[Problem]) -> None:
    """Refuses a file that no record is read from, unless it is plainly something else (a note, a table)."""
    if path.suffix in _OTHER_FILES and path.is_file():
        return
    if path.suffix == ".yml":
        right = f"name it `{path.stem}.yaml`"
    else:
        right = nearest(path.stem, known) or "there are " + ", ".join(f"`{one}.yaml`" for one in known)
    problems.append(Problem(Place(named(root, path), 1, 1), f"nothing is read from `{path.name}` here", right))


def catalog_files(root: Path, problems: list[Problem]) -> Iterator[Path]:
    """The files of the catalogue."""
    for path in entries(root, root / "ledger" / "catalog", problems):
        if path.suffix == ".yaml" and path.stem in CATALOG_FILES:
            yield path
        else:
            stray(root, path, tuple(CATALOG_FILES), problems)


def project_files(root: Path, folder: Path, problems: list[Problem]) -> Iterator[Path]:
    """The files of a project: project.yaml and what stands beside it; runs/*.yaml last, in order of name."""
    known = ("project", *PROJECT_FILES, *(name for name in LISTS if name != "runs"))
    for path in entries(root, folder, problems):
        if path.suffix == ".yaml" and path.stem in known:
            yield path
        elif not (path.is_dir() and path.name in ("runs", "prose", "releases")):
            stray(root, path, (*known, "runs"), problems)
    for path in entries(root, folder / "runs", problems):
        if path.suffix == ".yaml" and path.is_file():
            yield path
        else:
            stray(root, path, ("2025-09",), problems)


def read(root: Path, path: Path, problems: list[Problem]) -> str:
    """The text of a file; empty where it cannot be read, with the problem said."""
    where = Place(named(root, path), 1, 1)
    try:
        if path.stat().st_size > MOST_BYTES:
            problems.append(
                Problem(where, "the file is larger than 64 MiB", "split it: runs can be kept in one file a month")
            )
            return ""
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(Problem(where, f"the file is not UTF-8 (byte {error.start})", "save it as UTF-8"))
    except OSError as error:
        problems.append(Problem(where, f"the file cannot be read: {error.strerror}", "look at its permissions"))
    return ""
