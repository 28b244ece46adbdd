"""A released version: what was written and what it came to, kept as one JSON text that is never changed.

`ledger/<project>/releases/<version>.json` holds a `Snapshot`. Its pages stand under `docs/<project>/releases/`; it
knows the checksum of each, and a checksum over all of itself. `sealed` reads it again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import Any

from reckon.language.quantity import Value

FORMAT = 1
HOME = "releases"
LONGEST_REASON = 1000
SHARED_PARTS = ("catalog", "allocations.yaml", "tree.yaml")
"""What projects share under ledger/: it belongs to the snapshot of each."""
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){0,4}")


@dataclass(frozen=True, slots=True)
class Kept:
    """A figure as it was: its ends as exact texts (`n/d` if not whole), None where they are open or unknown."""

    title: str
    unit: str
    low: str | None = None
    use: str | None = None
    high: str | None = None
    missing: tuple[str, ...] = ()

    @property
    def value(self) -> Value:
        """Its value, where it had one."""
        return Value(*(None if end is None else Fraction(end) for end in (self.low, self.use, self.high)))


@dataclass(frozen=True, slots=True)
class Found:
    """A finding as it was. One that was accepted is a note."""

    id: str
    severity: str
    title: str
    accepted: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A released version of a project. `files` are the ledger files that it can be read from again, by path under the
    root; `figures` are by address; `pages` are the checksums of its pages and pictures, by path under the root."""

    project: str
    version: str
    date: str
    reason: str
    data_through: str
    files: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, Kept] = field(default_factory=dict)
    findings: tuple[Found, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict)

    @property
    def folder(self) -> str:
        """Where its pages stand, below the root."""
        return pages_folder(self.project, self.version)

    @property
    def file(self) -> str:
        """Where it stands itself, below the root."""
        return snapshot_file(self.project, self.version)

    def text(self) -> str:
        """The text of its file, with its checksum."""
        whole = {"format": FORMAT, **asdict(self)}
        return json.dumps({**whole, "sha256": seal(whole)}, ensure_ascii=False, indent=1) + "\n"


def pages_folder(project: str, version: str) -> str:
    """The folder of the pages of a release, below the root."""
    return f"docs/{project}/{HOME}/{version}"


def snapshot_file(project: str, version: str) -> str:
    """The file of the snapshot of a release, below the root."""
    return f"ledger/{project}/{HOME}/{version}.json"


def checksum(content: bytes) -> str:
    """The checksum of a page or picture."""
    return sha256(content).hexdigest()


def numeric(version: str) -> tuple[int, ...] | None:
    """A version for comparing, so that 1.10 comes after 1.2 and 1.0 is 1; None where it is not numbers and dots."""
    if not _VERSION.fullmatch(version):
        return None
    parts = [int(part) for part in version.split(".")]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return tuple(parts)


def seal(whole: Mapping[str, Any]) -> str:
    """The checksum over all of a snapshot but itself, however its text is laid out."""
    plain = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return checksum(plain.encode("utf-8"))
