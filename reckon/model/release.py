"""A released version: what was written and what it came to, kept as one JSON text that is never changed.

`ledger/<project>/releases/<version>.json` holds a `Snapshot`. Its pages stand under `docs/<project>/releases/`; it
knows the checksum of each, and a checksum over all of itself. A checksum tells what was changed, not who wrote it: when
a snapshot is read again, nothing is taken that no release writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from typing import Annotated, Any, NoReturn

from msgspec import Meta, ValidationError, convert

from reckon.language.lazy import regex
from reckon.language.quantity import Value

from .rules import current_id

FORMAT = 1
HOME = "releases"
LONGEST_REASON = 1000
PAPER = ".pdf"
"""How the name of an edition on paper ends."""
SHARED_PARTS = ("catalog", "allocations.yaml", "tree.yaml")
"""What projects share under ledger/: it is part of every snapshot."""
_VERSION = regex(r"(0|[1-9][0-9]{0,5})(\.(0|[1-9][0-9]{0,5})){0,4}")
Exact = Annotated[str, Meta(pattern=r"^-?[0-9]{1,2000}(/0*[1-9][0-9]{0,1999})?\Z")]
"""A number as an exact text: `n`, or `n/d` if it is not whole."""


@dataclass(frozen=True, slots=True)
class ReleasedFigure:
    """A figure as it was: its ends as exact texts, None where they are open or unknown."""

    title: str
    unit: str
    low: Exact | None
    use: Exact | None
    high: Exact | None
    missing: tuple[str, ...]

    @property
    def value(self) -> Value:
        """Its value, where it had one."""
        return Value(*(None if end is None else Fraction(end) for end in (self.low, self.use, self.high)))


@dataclass(frozen=True, slots=True)
class ReleasedFinding:
    """A finding as it was. One that was accepted is a note."""

    id: str
    severity: str
    title: str
    accepted: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A released version of a project. `files` are the ledger files that it can be read from again, by path under the
    root; `figures` are by address; `pages` are the checksums of its pages and pictures, by path under the root.
    `method` is the number of the method by which it was calculated (`compute/versions/method`), 0 before they had one.
    `as_published`: a document as its authors published it, in which nobody accepts what the audit finds.
    """

    project: str
    version: str
    date: str
    reason: str
    data_through: str
    files: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, ReleasedFigure] = field(default_factory=dict)
    findings: tuple[ReleasedFinding, ...] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    method: int = 0
    as_published: bool = False
    sealed: str = field(default="", compare=False)
    """The checksum that its file says, of one that was read."""

    @property
    def current_findings(self) -> tuple[ReleasedFinding, ...]:
        """Its findings, with their rules called as they are now."""
        return tuple(replace(finding, id=current_id(finding.id)) for finding in self.findings)

    @property
    def folder(self) -> str:
        """Where its pages stand, below the root."""
        return pages_folder(self.project, self.version)

    @property
    def file(self) -> str:
        """Where it stands itself, below the root."""
        return snapshot_file(self.project, self.version)

    @property
    def paper(self) -> str:
        """The name of its edition on paper among its pages; empty where it has none."""
        return next((path.rpartition("/")[2] for path in self.pages if path.endswith(PAPER)), "")

    def text(self) -> str:
        """The text of its file, with its checksum."""
        from dataclasses import asdict

        whole = {"format": FORMAT, **asdict(self)}
        del whole["sealed"]
        if not self.method:  # as it was written before methods were numbered
            del whole["method"]
        if not self.as_published:  # most are not, and older ones do not say
            del whole["as_published"]
        return json.dumps({**whole, "sha256": seal(whole)}, ensure_ascii=False, indent=1) + "\n"


def pages_folder(project: str, version: str) -> str:
    """The folder of the pages of a release, below the root."""
    return f"docs/{project}/{HOME}/{version}"


def snapshot_file(project: str, version: str) -> str:
    """The file of the snapshot of a release, below the root."""
    return f"ledger/{project}/{HOME}/{version}.json"


def paper_file(project: str, version: str) -> str:
    """The path of the edition of a release on paper, below the root."""
    return f"{pages_folder(project, version)}/{project}-{version}{PAPER}"


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
    """The checksum over a snapshot without its own, however its text is laid out."""
    plain = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return checksum(plain.encode())


MOST_METHODS = 1_000_000
_NONE = "this is not a snapshot of a release"
_KINDS = {
    "project": str,
    "version": str,
    "date": str,
    "reason": str,
    "data_through": str,
    "files": dict,
    "figures": dict,
    "findings": list,
    "pages": dict,
}
_DAY = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PAGE = regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\.(md|svg|pdf)")
_SUM = regex(r"[0-9a-f]{64}")


class Changed(Exception):
    """The text of a snapshot is not what was released: what is wrong with it, and what to do where that is special."""

    def __init__(self, wrong: str, right: str = "") -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.right = right


def read_snapshot(text: str, project: str, version: str) -> Snapshot:
    """The snapshot in the text of a file. Raises Changed where it is not what was released."""
    whole, sealed = unsealed(text, _NONE, "the snapshot", range(FORMAT + 1))
    if not whole["format"]:  # format 0 had neither findings nor pages
        whole = {"findings": [], "pages": {}, **whole}
    if (own := (whole.get("project"), whole.get("version"))) != (project, version):
        keeps = "restore the names of file and folder; a release keeps its version and project"
        raise Changed(f"the snapshot is of another release, {own[0]} {own[1]}"[:200], keeps)
    if wrong := next(_wrong(whole), ""):
        raise Changed(f"{_NONE}: {wrong}")
    return convert({**whole, "sealed": sealed}, Snapshot)


def unsealed(text: str, wrong: str, what: str, formats: range) -> tuple[dict[str, Any], str]:
    """What a sealed text of one of these formats says beside its checksum, and that. None has a key twice, or a float.

    Raises Changed, with what is `wrong`, for any other text; and for one that is newer, or not as it was sealed.
    """
    try:
        whole = json.loads(text, object_pairs_hook=_once, parse_float=_refused, parse_constant=_refused)
        said = whole.pop("sha256", None)
        sound = said == seal(whole)
    except (ValueError, RecursionError, AttributeError, TypeError):
        raise Changed(wrong) from None
    number = whole.get("format")
    if type(number) is not int or number < formats.start:
        raise Changed(wrong)
    if number not in formats:
        raise Changed(f"{what} has a newer format than this program knows", "upgrade the program")
    if not sound:
        raise Changed(f"{what} was changed: its checksum differs")
    return whole, said


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _refused("a key twice")


def _refused(what: str) -> NoReturn:
    raise ValueError(what)


def _wrong(whole: Mapping[str, Any]) -> Iterator[str]:
    """What no release writes. Texts may say anything: they are escaped wherever they are printed."""
    for key, kind in _KINDS.items():
        if not isinstance(whole.get(key), kind):
            yield f"`{key}` is missing or invalid"
            return
    if numeric(whole["version"]) is None or not _DAY.fullmatch(whole["date"]) or len(whole["reason"]) > LONGEST_REASON:
        yield "its version, date or reason is invalid"
    if type(whole.get("method", 0)) is not int or not 0 <= whole.get("method", 0) < MOST_METHODS:
        yield "`method` is not the number of a method"
    if type(whole.get("as_published", True)) is not bool or not whole.get("as_published", True):
        yield "`as_published` is invalid"
    for name, text in whole["files"].items():
        if not _is_ledger_file(name) or not isinstance(text, str):
            yield f"`{name[:60]}` is not the path of a ledger file"
    for at, figure in whole["figures"].items():
        if not _is(ReleasedFigure, figure):
            yield f"the figure `{at[:80]}` is invalid"
    for finding in whole["findings"]:
        if not _is(ReleasedFinding, finding):
            yield "a finding is invalid"
    folder = pages_folder(whole["project"], whole["version"])
    for path, checksum in whole["pages"].items():
        home, _, name = path.rpartition("/")
        if home != folder or not _PAGE.fullmatch(name) or not isinstance(checksum, str) or not _SUM.fullmatch(checksum):
            yield f"`{path[:60]}` is not a page of it"


def _is_ledger_file(name: str) -> bool:
    parts = name.split("/")
    strange = any(part in ("", ".", "..") or "\\" in part or not part.isprintable() for part in parts)
    return parts[0] == "ledger" and len(parts) > 1 and name.endswith(".yaml") and not strange


def _is(kind: type, raw: object) -> bool:
    """Whether something is what releases write of a kind."""
    try:
        convert(raw, kind)
    except ValidationError:
        return False
    return True
