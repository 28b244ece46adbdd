"""Tells a shipped ledger again, file by file and field by field, as the classes of its records have it."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic.fields import FieldInfo

from reckon.compute.book import Book
from reckon.language.units import GPU_HOURS, Unit, key_unit, value_unit
from reckon.model.fields import ReadBy
from reckon.model.kinds import ALLOCATIONS, CATALOG, PROJECT
from reckon.model.record import Record
from reckon.model.records import Claim, Configuration, Page, Passage, Project, Run
from reckon.model.values import RefersTo
from tests.renamed import ADDRESSED, AS_THEY_ARE, KEPT_FIELDS, SECTIONS, Words, shift, tens

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_TERM = re.compile(
    r"(?P<path>[A-Za-z][A-Za-z0-9_*-]*(?:\.[A-Za-z0-9_*#-]+)*)"
    r"|[0-9]+(?:\.[0-9]+)?(?:\s*-\s*[0-9]+(?:\.[0-9]+)?)?\+?"
    r"(?:\s*(?P<unit>(?!(?:and|or|in|is|not)\b)[A-Za-z][A-Za-z_/]*))?"
)
_NUMBER = re.compile(r"(?<![A-Za-z_.0-9])(?<![0-9][eE][-+])[0-9]+(?:\.[0-9]+)?(?=[eE][+-]?[0-9]|(?![0-9.]))")


@dataclass
class Telling:
    """A ledger told again under other words and in another unit of hours."""

    book: Book
    words: Words
    scale: str = ""
    project: str = ""

    @property
    def settings(self) -> dict[str, Unit]:
        """The units of settings, as the catalogue has them."""
        return {
            str(name): spec.measure(str(name))
            for framework in self.book.ledger.catalog.settings.values()
            for name, spec in framework.settings.items()
        }

    def told(self, text: str, unit: Unit) -> str:
        """A quantity in words: each of its numbers by the unit that stands behind it, else by that of its key."""
        if text == "unknown":
            return text
        behind = re.search(r"[0-9.]\s*\+?\s*([A-Za-z][A-Za-z_/ -]*)$", text)
        own = value_unit(behind[1]) if behind and behind[1] not in ("k", "M", "B", "T", "x") else None
        power = tens(own or unit, self.scale)
        return _NUMBER.sub(lambda found: shift(found[0], power, "~" in text), text) if power else text

    def spoken(self, text: str, bare: bool = False) -> str:
        """An expression: its addresses under the new names, its quantities with a unit in the new one.

        A `bare` name is one of an input, or of the engine, and stays.
        """
        if self.words.plain and not self.scale:
            return text

        def told(found: re.Match[str]) -> str:
            unit = value_unit(found["unit"]) if found["unit"] else None
            if found["path"]:
                return found[0] if bare and not re.search("[.-]", found[0]) else self.words.address(found[0])
            return self.told(found[0], unit) if unit else found[0]

        return _TERM.sub(told, text)

    def amount(self, key: str, raw: Any, unit: Unit | None = None) -> Any:
        """What a key states: a quantity, or a formula with its inputs."""
        unit = unit or key_unit(key)
        if isinstance(raw, Mapping):
            if "formula" in raw:
                return {
                    name: self.spoken(one, bare=True) if name == "formula" else self.amount(name, one)
                    for name, one in raw.items()
                }
            return {self.words.id(name): self.amount(name, one, unit) for name, one in raw.items()}
        return self.told(raw, unit) if isinstance(raw, str) else raw

    def prose(self, text: str) -> str:
        """A text of its author: a random word, and what it quotes."""
        quoted = " ".join("{" + self.spoken(inner, bare=True) + "}" for inner in _PLACEHOLDER.findall(text))
        return f"{self.words(text)} {quoted}".strip()

    def record(self, kind: type[Record], raw: Any) -> Any:
        """A record told again, key by key, as its class has them."""
        if not isinstance(raw, Mapping):
            return raw
        fields = {one.alias or name: one for name, one in kind.model_fields.items()}
        told = {}
        for key, value in raw.items():
            known = fields.get(key)
            told[key] = (
                self.amount(key, value) if known is None or key == kind.free else self.value(kind, key, known, value)
            )
        return told

    def value(self, kind: type[Record], key: str, known: FieldInfo, raw: Any) -> Any:
        """The value of a field, by what its class says that it is."""
        about = _readers(known)
        inner = _record_in(known.annotation)
        if kind is Claim and key in ("states", "rows", "drawn"):
            return raw
        if inner is not None:
            keyed = _keyed(known.annotation)
            if not isinstance(raw, Mapping):
                return [self.record(inner, one) for one in raw] if isinstance(raw, list) else raw
            if not keyed:
                return self.record(inner, raw)
            return {self.words.id(name): self.record(inner, one) for name, one in raw.items()}
        if key in KEPT_FIELDS or about & AS_THEY_ARE:
            return raw
        if kind is Passage and key == "section" and (raw in SECTIONS or raw in self.words.ids):
            return raw if raw in SECTIONS else self.words(raw)
        if kind is Page and key == "sections":
            return {
                name
                if name in SECTIONS
                else self.words.id(name)
                if name in self.words.ids
                else self.words(name): _each(one, self.spoken)
                for name, one in raw.items()
            }
        if "read_rows" in about:
            return [{name: self.amount(name, one) for name, one in row.items()} for row in raw]
        if (kind is Run and key == "item") or key in ADDRESSED or about & {"refers", "read_condition", "read_id"}:
            if "read_condition" in about:
                return self.spoken(raw, bare=True)
            return _each(raw, self.spoken)
        if about & {"read_text", "read_notes", "read_parts"}:
            if isinstance(raw, Mapping):
                return {self.words.id(name): self.prose(one) for name, one in raw.items()}
            if key == "at":  # a table and, after its last comma, what it says it of
                return ", ".join(self.words(part) for part in raw.split(", "))
            return _each(raw, self.prose)
        if key in ("settings", "was", "sets"):
            return {
                name: one if _wordy(one) else self.amount(name, one, self.settings.get(name))
                for name, one in raw.items()
            }
        if (kind is Configuration and key == "time") or key == "parts":
            return {self.words.id(name): one for name, one in raw.items()}
        hours = about & {"read_gpu_hours", "read_ceiling_of_hours", "read_ceiling_of_money"}
        return self.amount(key, raw, GPU_HOURS if hours else None)

    def claim(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """A claim: what it states is in the unit of the figure that it speaks of."""
        told = self.record(Claim, raw)
        if "states" in raw:
            told["states"] = self.stated(raw["of"], raw["states"])
        if "columns" in raw:
            told["columns"] = [
                ".".join(map(self.words.step, one.split("."))) if "." in one else one for one in raw["columns"]
            ]
        for key in ("rows", "drawn"):
            if key in raw:
                told[key] = {
                    self.spoken(name): [
                        self.stated(f"{raw['of']}.{name}.{column}", one)
                        for column, one in zip(raw["columns"], row, strict=True)
                    ]
                    for name, row in raw[key].items()
                }
        return told

    def stated(self, of: str, text: str) -> str:
        """A figure as stated, `~` before it or not; else the id of a word.

        A whole number that gets a zero at its end is as sharp as before with `~` before it: 7 is 6.5 to 7.5, ~70 is 65
        to 75, and 70 would be ten times as sharp.
        """
        base = re.sub(r"\.(low|use|high)$", "", of)
        found = self.book.figures.get(f"{self.project}.{base}") or self.book.figures.get(base)
        if not re.match(r"~?\s*<?\s*[0-9]", text):
            return self.words.step(text)
        told = self.told(text, found.unit if found else key_unit("ratio"))
        grown = re.fullmatch(r"[0-9]*[1-9]", text) and told == text + "0"
        return f"~{told}" if grown else told


def _each(raw: Any, tell: Callable[[str], str]) -> Any:
    if isinstance(raw, Mapping):
        return {tell(str(name)): _each(one, tell) for name, one in raw.items()}
    return [_each(one, tell) for one in raw] if isinstance(raw, list) else tell(str(raw))


def _wordy(raw: Any) -> bool:
    return isinstance(raw, str) and not re.match(r"[0-9]", raw)


def _record_in(annotation: Any) -> type[Record] | None:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return annotation
    return next((found for part in typing.get_args(annotation) if (found := _record_in(part))), None)


def _readers(known: FieldInfo) -> set[str]:
    """The functions that read a field, by name; `refers` where it holds the id of another record."""
    found: set[str] = set()
    waiting: list[Any] = [known.annotation, *known.metadata]
    while waiting:
        part = waiting.pop()
        if isinstance(part, RefersTo):
            found.add("refers")
        if isinstance(part, ReadBy):
            function: Any = part.func
            found.add(getattr(function, "func", function).__name__)
        waiting += [*typing.get_args(part), *getattr(part, "__metadata__", ())]
    return found


def _keyed(annotation: Any) -> bool:
    return typing.get_origin(annotation) is dict or any(_keyed(part) for part in typing.get_args(annotation))


def read(path: Path) -> Any:
    """A file of a ledger as plain texts, maps and lists."""
    return yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)


def ids_of(root: Path) -> set[str]:
    """All that a ledger calls by an id: its records, and what stands in them under ids."""
    found = set()
    for path in root.glob("ledger/catalog/*.yaml"):
        found |= set(read(path))
    if (grants := root / "ledger/allocations.yaml").exists():
        found |= set(read(grants))
    for home in projects(root):
        found.add(home.name)
        for path in home.glob("*.yaml"):
            raw = read(path)
            if path.stem in PROJECT and isinstance(raw, dict):
                found |= set(raw) | {name for one in raw.values() for name in _inside(PROJECT[path.stem].record, one)}
            elif path.stem == "project":
                found |= set(_inside(Project, raw))
    return found


def _inside(kind: type[Record], raw: Mapping[str, Any]) -> list[str]:
    """The ids within a record: of records in it, and of its parts."""
    found = []
    for name, one in kind.model_fields.items():
        if not isinstance(raw.get(name), dict) or not _keyed(one.annotation) or name in ("versions", "market", "csv"):
            continue
        inner = _record_in(one.annotation)
        if inner is not None or (name in ("time", "parts") and "read_parts" not in _readers(one)):
            found += list(raw[name])
        if inner is not None:
            found += [deep for record in raw[name].values() for deep in _inside(inner, record)]
    return found


def projects(root: Path) -> list[Path]:
    """The folders of the projects of a tree."""
    return sorted(path.parent for path in root.glob("ledger/*/project.yaml"))


def tell_again(root: Path, out: Path, book: Book, words: Words, scale: str = "") -> None:
    """Writes the ledger of a tree again, under other words and in another unit of hours. Releases are left out."""
    words.ids |= ids_of(root) if not words.plain else set()
    telling = Telling(book, words, scale)
    for path in sorted(root.glob("ledger/catalog/*.yaml")):
        kind = CATALOG[path.stem].record
        _write(
            out / f"ledger/catalog/{path.name}",
            {words.id(name): telling.record(kind, one) for name, one in read(path).items()},
        )
    if (grants := root / "ledger/allocations.yaml").exists():
        _write(
            out / "ledger/allocations.yaml",
            {words.id(name): telling.record(ALLOCATIONS.record, one) for name, one in read(grants).items()},
        )
    (out / "ledger/tree.yaml").write_text((root / "ledger/tree.yaml").read_text("utf-8"), "utf-8")
    for home in projects(root):
        telling.project = home.name
        to = out / "ledger" / words.id(home.name)
        _write(to / "project.yaml", telling.record(Project, _open(read(home / "project.yaml"))))
        for path in [*sorted(home.glob("*.yaml")), *sorted(home.glob("runs/*.yaml"))]:
            if path.stem in PROJECT:
                kind, raw = PROJECT[path.stem], read(path)
                _write(
                    to / path.name,
                    [telling.claim(one) for one in raw]
                    if kind.listed
                    else {words.id(name): telling.record(kind.record, one) for name, one in raw.items()},
                )
            elif path.parent.name == "runs":
                _write(to / "runs" / path.name, [telling.record(Run, one) for one in read(path)])


def _open(project: dict[str, Any]) -> dict[str, Any]:
    """A project without what it accepts: what is found is compared, not what was done about it."""
    return {key: one for key, one in project.items() if key != "accept"}


def _write(path: Path, tree: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(tree, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=10_000), "utf-8")
