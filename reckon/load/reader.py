"""`load`: all files under ledger/ -> a Ledger and every problem in it."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reckon.language.text import Place, Text
from reckon.model import records as r
from reckon.model.ledger import CATALOG_FILES, LISTS, PROJECT_FILES, Catalog, Ledger, ProjectLedger, RunFile
from reckon.model.problem import Problem
from reckon.model.record import Record
from reckon.model.scalars import ID, read_id

from . import files
from .references import check_references
from .tree import Map, Seq, read_entries, read_tree
from .validate import validate


def load(root: Path) -> tuple[Ledger, list[Problem]]:
    """Reads the ledger under a root folder. The ledger holds what could be read; the problems are sorted by place."""
    with _collector_paused():
        ledger, problems = _Reader(root).ledger()
    return ledger, sorted(set(problems + check_references(ledger)))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Reading makes very many small objects and no cycles; the garbage collector would only count them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Reader:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[Problem] = []
        self.broken: set[str] = set()
        self.files: list[str] = []

    def ledger(self) -> tuple[Ledger, list[Problem]]:
        if not (self.root / "ledger").is_dir():
            where = Place("ledger", 1, 1)
            return Ledger(), [
                Problem(
                    where, "there is no folder `ledger` under the root", "make it, or name another root with --root"
                )
            ]
        catalog = {path.stem: self.collection(path, CATALOG_FILES[path.stem], f"catalog.{path.stem}")
                   for path in files.catalog_files(self.root, self.problems)}  # fmt: skip
        shared = self.root / "ledger" / "allocations.yaml"
        allocations = self.collection(shared, r.Allocation, "allocations") if shared.is_file() else {}
        projects = {path.name: self.project(path) for path in files.projects(self.root, self.problems)}
        return Ledger(
            Catalog(**catalog), allocations, {name: one for name, one in projects.items() if one},  # type: ignore[arg-type]
            tuple(self.files), frozenset(self.broken),
        ), self.problems  # fmt: skip

    def text(self, path: Path) -> tuple[str, str]:
        name = files.named(self.root, path)
        self.files.append(name)
        return files.read(self.root, path, self.problems), name

    def tree(self, path: Path) -> Any:
        text, name = self.text(path)
        return read_tree(text, name, self.problems)

    def collection(self, path: Path, kind: type[Record], address: str) -> dict[str, Any]:
        """The records of a file that maps ids to records; broken ones are left out."""
        tree = self.tree(path)
        if not isinstance(tree, Map):
            if tree:
                self.problems.append(
                    Problem(tree.place, "a map of ids and records is expected here", "write `id:` and its fields below")
                )
            return {}
        found = {}
        for key, branch in tree.items():
            name = self.id(key)
            record = validate(kind, branch, self.problems, lambda path, key=key: self.cut(address, (key, *path)))  # type: ignore[misc]
            if record is None:
                self.cut(address, (key,))
            elif name:
                found[name] = record
        return found

    def id(self, key: Text) -> Text | None:
        if ID.fullmatch(key):
            return key
        try:
            return read_id(key)
        except Exception as error:
            self.problems += error.context["problems"]  # type: ignore[attr-defined]
            return None

    def cut(self, address: str, path: tuple[Any, ...]) -> None:
        """Notes the address of a part that could not be read; phases are not part of an item's address."""
        if address.endswith(".plan"):
            path = path[2:] if len(path) > 2 and path[1] == "items" else path
        self.broken.add(".".join([address, *(str(step) for step in path)]))

    def entries(self, path: Path, kind: type[Record], address: str) -> tuple[Any, ...]:
        """The records of a file that lists them; broken ones are left out."""
        found: list[Record] = []

        def take(branch: Any) -> None:
            if not isinstance(branch, Map):
                place = getattr(branch, "place", Place(name, 1, 1))
                self.problems.append(
                    Problem(place, "an entry is a map of names and values", "write `- {name: value, …}`")
                )
            elif record := validate(kind, branch, self.problems, lambda path: self.cut(address, path)):
                found.append(record)

        text, name = self.text(path)
        read_entries(text, name, self.problems, take)
        return tuple(found)

    def project(self, folder: Path) -> ProjectLedger | None:
        before = len(self.files)
        parts: dict[str, Any] = {}
        runs: list[RunFile] = []
        head: r.Project | None = None
        for path in files.project_files(self.root, folder, self.problems):
            if path.parent.name == "runs" and path.parent.parent == folder:
                runs.append(RunFile(files.named(self.root, path), self.entries(path, r.Run, f"{folder.name}.runs")))
            elif path.stem == "project":
                head = self.head(path, folder.name)
            elif path.stem in LISTS:
                parts[path.stem] = self.entries(path, LISTS[path.stem], f"{folder.name}.{path.stem}")
            else:
                parts[path.stem] = self.collection(path, PROJECT_FILES[path.stem], f"{folder.name}.{path.stem}")
        if not (folder / "project.yaml").is_file():
            where = Place(files.named(self.root, folder / "project.yaml"), 1, 1)
            self.problems.append(
                Problem(where, "this project has no project.yaml", "write title, version, as_of and gpu there")
            )
        self.doubled(parts.get("plan", {}))
        return (
            ProjectLedger(folder.name, head, **parts, runs=tuple(runs), files=tuple(self.files[before:]))
            if head
            else None
        )

    def head(self, path: Path, name: str) -> r.Project | None:
        tree = self.tree(path)
        if not isinstance(tree, Map):
            where = getattr(tree, "place", Place(files.named(self.root, path), 1, 1))
            self.problems.append(Problem(where, "the project is empty" if not isinstance(tree, Seq) else "a map is expected here",
                                         "write title, version, as_of and gpu"))  # fmt: skip
            return None
        record = validate(r.Project, tree, self.problems, lambda path: self.cut(name, path))
        return record if isinstance(record, r.Project) else None

    def doubled(self, plan: Mapping[str, r.Phase]) -> None:
        """An item's address does not name its phase, so its id is unique in the project."""
        seen: dict[str, str] = {}
        for phase, record in plan.items():
            for item in record.items:
                if item in seen:
                    self.problems.append(
                        Problem(
                            item.place, f"item `{item}` is also in phase `{seen[item]}`", "give one of them another id"
                        )
                    )
                seen.setdefault(item, phase)
