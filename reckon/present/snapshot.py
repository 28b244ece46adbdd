"""What a book came to, as the snapshot of a release keeps it; and the figures of a snapshot, to be printed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from reckon.compute.audit import data_through
from reckon.compute.book import Book
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked
from reckon.model.finding import Finding, Sentence
from reckon.model.kinds import ALLOCATIONS
from reckon.model.release import ReleasedFigure, ReleasedFinding, Snapshot

from .numbers import figure_text
from .printing import counted


def snapshot_of(book: Book, project: str, files: Mapping[str, str], date: str, reason: str) -> Snapshot:
    """The snapshot of a project as it stands in a book, without pages; `files` are what the book was read from."""
    one = book.ledger.projects[project]
    figures = {at: kept(figure) for at, figure in book.figures.items() if at.split(".")[0] in (project, ALLOCATIONS.id)}
    findings = tuple(map(_found, book.findings.get(project, ())))
    return Snapshot(project, str(one.project.version), date, reason, data_through(one), files, figures, findings)


def kept(figure: Figure) -> ReleasedFigure:
    """A figure as a snapshot keeps it: exactly."""
    value = figure.value
    ends = _exact(value.low), _exact(value.use), _exact(value.high)
    return ReleasedFigure(figure.title, figure.unit.symbol, *ends, figure.missing)


def _exact(end: Fraction | None) -> str | None:
    return None if end is None else str(end)


def _found(finding: Finding) -> ReleasedFinding:
    return ReleasedFinding(finding.id, finding.severity, _told(finding.title), finding.accepted)


def _told(sentence: Sentence) -> str:
    return "".join(figure_text(part) if isinstance(part, Figure) else str(part) for part in sentence)


def hours_then(release: Snapshot, address: str) -> Figure | None:
    """GPU-hours of a release, by their address in the project; None where it has none or they were not known."""
    one = release.figures.get(f"{release.project}.{address}")
    if one is None or one.missing or one.use is None:
        return None
    return Figure("", one.title, GPU_HOURS, one.value, Worked("as it was released"))


def findings_then(release: Snapshot) -> Iterator[tuple[Figure, str]]:
    """How many findings of each kind a release has, with the word for them; those that were accepted at the end."""
    for severity in ("error", "warning", "note"):
        if many := sum(1 for one in release.findings if one.severity == severity and not one.accepted):
            yield counted(many, "findings"), severity if many == 1 else f"{severity}s"
    if many := sum(1 for one in release.findings if one.accepted):
        yield counted(many, "findings"), "accepted"
