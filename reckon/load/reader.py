"""`load`: all files under ledger/ -> a Ledger and every problem in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from reckon.language.text import Text, place_of
from reckon.model import records as r
from reckon.model.finding import Problem, ProblemList
from reckon.model.kinds import ALLOCATIONS, CATALOG, LOCK, PROJECT, PROPOSALS, RecordKind
from reckon.model.ledger import CardFamily, Catalog, Ledger, ProjectLedger
from reckon.model.record import Record
from reckon.model.records.tree import unsaid
from reckon.model.runs import RunFile
from reckon.model.scalars import Unread, attempt, read_date, read_id
from reckon.model.version import FORMAT

from . import files, migration
from .canonical_runs import read_lines
from .checks import check_records
from .entry_merge import joined, put_aside
from .git_versions import last_release
from .overrides import AskedChanges, Changes, Spots
from .validate import validate
from .yaml_nodes import Map, Stop, read_entries, read_tree

ReadLedger = tuple[Ledger, ProblemList]
"""A ledger, and all that is wrong with it."""


@cache
def read_cards() -> Mapping[str, CardFamily]:
    """What is known of cards: `cards.json`, each figure with where it was seen."""
    text = Path(__file__).with_name("cards.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, CardFamily])


def load(root: Path, changes: AskedChanges = ()) -> ReadLedger:
    """Reads the ledger under a root folder. The ledger holds what could be read; the problems are sorted by place.

    Changes are addresses and values: the ledger is then as if these stood in its files. One whose address has no place
    is noted in `Ledger.unplaced`; only the calculation, which knows what is calculated, can tell what is wrong with it.
    """
    ledger, problems = _LedgerReader(root).ledger(changes)
    return _checked(ledger, problems)


def with_texts(ledger: Ledger, project: str, texts: Mapping[str, str | None]) -> ReadLedger:
    """The ledger, which has no problems, as it would be with these texts in a project's runs and measurements.

    The texts are keyed by file, as messages name it; None removes the file. Problems are those that there would be
    after they were written.
    """
    reader = _LedgerReader(Path())
    own = ledger.projects[project]
    runs = {file.file: file for file in own.written}
    measurements = own.measurements
    locks = own.locks
    for name, given in texts.items():
        text = given and migration.stepped(name, given, ledger.settings.format)
        if name.endswith("/measurements.yaml") and name.count("/") == 2:
            measurements = reader.collected(text, name, r.Measurement, f"{project}.measurements")
        elif name.endswith(f"/{LOCK.id}.yaml"):
            locks = reader.collected(text, name, r.ImportLock, f"{project}.{LOCK.id}")
        else:
            runs[name] = RunFile(name, reader.listed(text, name, r.Run, f"{project}.runs"))
    left = tuple(runs[name] for name in sorted(runs) if texts.get(name, "") is not None)
    there = dict.fromkeys([*own.files, *texts])
    named = tuple(name for name in there if texts.get(name, "") is not None)
    known = replace(own, runs=left, measurements=measurements, locks=locks, files=named, additions=(), entries=())
    whole = replace(ledger, projects={**ledger.projects, project: known}, broken=frozenset(reader.broken))
    return _checked(whole, reader.problems)


def proposed(root: Path, ledger: Ledger, project_id: str, name: str) -> tuple[Ledger, ProblemList, Spots]:
    """The ledger of a root, which has no problems, as it would be with a proposal of a project; what is wrong with
    that; and where its changes stand, by whole address: the file, and the keys that lead to the value.

    The files of the project are read again but for its runs, and no others: a proposal changes nothing else.
    """
    own = ledger.projects[project_id]
    record = own.proposals[name]
    reader = _LedgerReader(root)
    reader.format = ledger.settings.format
    reader.changes = Changes(
        [
            (Text(_full_address(address, project_id), place_of(address)), change.to)
            for address, change in record.changes.items()
        ],
        [project_id],
    )
    reader.changes.cards = tuple(ledger.catalog.gpus)
    found = reader.project(root / "ledger" / project_id, own)
    unplaced = reader.changes.unplaced()
    reasons = {_full_address(address, project_id): change.reason for address, change in record.changes.items()}
    whole = replace(
        ledger,
        projects={**ledger.projects, project_id: found or own},
        broken=frozenset(reader.broken),
        changes=reader.changes.all_made(),
        unplaced=unplaced,
        reasons=reasons,
    )
    made, problems = _checked(whole, [*reader.problems, *reader.changes.problems])
    return made, problems, reader.changes.spots


def with_proposal(ledger: Ledger, project_id: str, file: str, text: str) -> ReadLedger:
    """The ledger with the text of a new proposal of a project, as in a file of this name; and what is wrong with it."""
    reader = _LedgerReader(Path())
    own = ledger.projects[project_id]
    tree = reader.tree(text, file, r.Proposal, project_id, "write title and changes")
    record = tree and validate(r.Proposal, tree, reader.problems, lambda path: None)
    known = {**own.proposals, Path(file).stem: record} if isinstance(record, r.Proposal) else own.proposals
    return _checked(
        replace(ledger, projects={**ledger.projects, project_id: replace(own, proposals=known)}), reader.problems
    )


def _full_address(address: str, project_id: str) -> str:
    return address if address.startswith(f"{project_id}.") else f"{project_id}.{address}"


def _checked(ledger: Ledger, problems: ProblemList) -> ReadLedger:
    problems = [*problems, *check_records(ledger)]
    projects = {name: joined(put_aside(project)) for name, project in ledger.projects.items()}
    return replace(ledger, projects=projects, sound=not problems), sorted(set(problems))


class _LedgerReader:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: ProblemList = []
        self.broken: set[str] = set()
        self.files: list[str] = []
        self.changes = Changes((), ())
        self.format = FORMAT

    def ledger(self, changes: AskedChanges) -> ReadLedger:
        top = self.root / "ledger"
        if not top.is_dir():
            return Ledger(), [files.no_ledger(self.root)]
        kept = self.root / migration.FILE
        right = f"`format: {FORMAT}` and `pages: ci`"
        self.format = migration.format_of(files.read(self.root, kept, []) or "" if kept.exists() else None)
        folders = list(files.projects(self.root, self.problems))
        self.changes = Changes(changes, [path.name for path in folders])
        catalog = {
            path.stem: self.read(path, CATALOG[path.stem], f"catalog.{path.stem}")
            for path in files.catalog_files(self.root, self.problems)
        }
        shared = top / "allocations.yaml"
        allocations = self.read(shared, ALLOCATIONS, "allocations") if shared.exists() else {}
        settings = self.only(kept, r.TreeSettings, "tree", "the file is empty", right) if kept.exists() else None
        projects = {path.name: self.project(path) for path in folders}
        whole = {name: project for name, project in projects.items() if project}
        unplaced = self.changes.unplaced()
        released = {name: last for name, project in whole.items() if (last := last_release(self.root, project))}
        ledger = Ledger(
            Catalog(**catalog),
            allocations,
            whole,
            settings or unsaid(),
            tuple(self.files),
            frozenset(self.broken),
            self.changes.all_made(),
            unplaced,
            released=released,
            cards=read_cards(),
        )
        return ledger, self.problems + self.changes.problems

    def text(self, path: Path, address: str) -> tuple[str | None, str]:
        """The text of a file and how messages name it."""
        name = files.name_path(self.root, path)
        self.files.append(name)
        text = files.read(self.root, path, self.problems)
        if text is None:
            self.cut(address, ())
            return None, name
        return migration.stepped(name, text, self.format), name

    def read(self, path: Path, kind: RecordKind, address: str) -> Any:
        """The records of a file of a kind: by id, or listed."""
        text, name = self.text(path, address)
        if kind.listed:
            return self.listed(text, name, kind.record, address)
        return self.collected(text, name, kind.record, address, read_date if kind.dated else read_id)

    def tree(self, text: str | None, name: str, kind: type[Record], address: str, right: str) -> Map | None:
        """The map that the text of a file holds, changed where it is to be.

        None if there is none, with a problem unless the file is empty.
        """
        try:
            tree = None if text is None else read_tree(text, name, self.problems)
            if tree and not isinstance(tree, Map):
                raise Stop(tree.place, "a map is expected here", right)
        except Stop as stop:
            self.problems.append(stop.problem)
            self.cut(address, ())
            return None
        if tree and self.changes.asked:
            self.changes.make(tree, kind, address)
        return tree or None

    def collected(
        self,
        text: str | None,
        name: str,
        kind: type[Record],
        address: str,
        read_key: Callable[[object], Text] = read_id,
    ) -> dict[str, Any]:
        """The records of a text that maps ids, or days, to records, as in a file of this name; broken ones are left
        out."""
        found: dict[str, Any] = {}
        right = "write `id:` and the fields of a record below"
        for key, branch in (self.tree(text, name, kind, address, right) or {}).items():
            own = attempt(self.problems, read_key, key)
            record = validate(kind, branch, self.problems, lambda path, key=key: self.cut(address, (key, *path)))  # type: ignore[misc]
            if own and record:
                found[own] = record
            else:
                self.cut(address, (key,))
        return found

    def cut(self, address: str, path: tuple[Any, ...]) -> None:
        """Notes the address of a part that could not be read; phases are not part of an item's address."""
        if address.endswith(".plan") and path:
            if path[1:2] != ("items",):
                # A phase without its items leaves open which items there are; its other fields stand under phases.
                address, path = (address, ()) if len(path) == 1 else (address.removesuffix("plan") + "phases", path)
            else:
                path = path[2:]
        self.broken.add(".".join([address, *(str(step) for step in path)]))

    def listed(self, text: str | None, name: str, kind: type[Record], address: str) -> Sequence[Any]:
        """The records of a text that lists them, as in a file of this name; broken ones are left out.

        The address of an entry ends in its place.
        """
        if kind is r.Run and text and (runs := read_lines(text, name)) is not None:
            return runs
        found: list[Record] = []

        def take(branch: Any) -> None:
            where = branch.place
            if not isinstance(branch, Map):
                self.cut(address, (where,))
                if not isinstance(branch, Unread):
                    self.problems.append(
                        Problem(where, "an entry must be a map of names and values", "write `- {name: value, …}`")
                    )
            elif record := validate(kind, branch, self.problems, lambda path: self.cut(address, (where, *path))):
                found.append(record)
            else:
                self.cut(address, (where,))

        try:
            read_entries(text or "", name, self.problems, take)
        except Stop as stop:
            self.problems.append(stop.problem)
            self.cut(address, (name,))
        return tuple(found)

    def project(self, folder: Path, was: ProjectLedger | None = None) -> ProjectLedger | None:
        """The project in a folder. What it `was` gives its runs and all else that no proposal changes."""
        before = len(self.files)
        parts: dict[str, Any] = {}
        runs: list[RunFile] = []
        head: r.Project | None = None
        for path in files.project_files(self.root, folder, self.problems):
            if was and (path.parent != folder or path.stem == LOCK.id):
                continue
            if path.parent == folder / PROPOSALS.id:
                self.proposal(path, parts)
            elif path.parent != folder:
                records = self.read(path, PROJECT["runs"], f"{folder.name}.runs")
                runs.append(RunFile(files.name_path(self.root, path), records))
            elif path.stem == LOCK.id:
                parts["locks"] = self.read(path, LOCK, f"{folder.name}.{LOCK.id}")
            elif path.stem == "project":
                head = self.only(path, r.Project, folder.name, "the project is empty", "title, version, as_of and gpu")
            else:
                parts[path.stem] = self.read(path, PROJECT[path.stem], f"{folder.name}.{path.stem}")
        if not (own := folder / "project.yaml").exists():
            self.problems.append(
                files.about(
                    self.root, own, "this project has no project.yaml", "add it with title, version, as_of and gpu"
                )
            )
        if head is None:
            self.cut(folder.name, ())
            return None
        parts["plan"] = self.singled(parts.get("plan", {}))
        if was:
            kept = {"runs": was.runs, "locks": was.locks, "proposals": was.proposals, "files": was.files}
            return ProjectLedger(folder.name, head, **{**parts, **kept})
        return ProjectLedger(folder.name, head, **parts, runs=tuple(runs), files=tuple(self.files[before:]))

    def proposal(self, path: Path, parts: dict[str, Any]) -> None:
        """A file of a proposal: the record in it stands under its name."""
        name = attempt(self.problems, read_id, Text(path.stem, files.about(self.root, path, "", "").place))
        at = f"{path.parent.parent.name}.{PROPOSALS.id}.{path.stem}"
        found = self.only(path, r.Proposal, at, "this proposal is empty", "title and changes")
        if name and found:
            parts.setdefault(PROPOSALS.id, {})[name] = found

    def only(self, path: Path, kind: type[Record], address: str, empty: str, right: str) -> Any:
        """The record of a file that holds one; None, with a problem, if there is none."""
        text, name = self.text(path, address)
        tree = self.tree(text, name, kind, address, f"write {right}")
        if tree is None:
            if address not in self.broken:
                self.problems.append(files.about(self.root, path, empty, f"write {right}"))
            return None
        return validate(kind, tree, self.problems, lambda path: self.cut(address, path))

    def singled(self, plan: Mapping[str, r.Phase]) -> dict[str, r.Phase]:
        """The plan with each item once: its address does not name its phase, so its id is unique in the project."""
        seen: dict[str, str] = {}
        found = {}
        for phase, record in plan.items():
            for item in filter(seen.get, record.items):
                self.problems.append(
                    Problem(
                        place_of(item), f"item `{item}` is also in phase `{seen[item]}`", "give one of them another id"
                    )
                )
            own = {name: item for name, item in record.items.items() if name not in seen}
            seen |= dict.fromkeys(own, phase)
            found[phase] = record if len(own) == len(record.items) else record.model_copy(update={"items": own})
        return found
