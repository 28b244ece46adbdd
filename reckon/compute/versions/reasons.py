"""Why inputs changed, as the authors say in the version history: `reasons` of a version, by address."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from reckon.language.text import Text
from reckon.model.kinds import SHARED
from reckon.model.ledger import Ledger

from ..sheet.cells import outwards
from .change import Change


def reasons(old: Ledger, new: Ledger, project_id: str) -> dict[str, Text]:
    """The reasons that the new ledger of a project gives and the old one does not, by whole address."""
    was, now = (dict(_given(ledger, project_id)) for ledger in (old, new))
    return {address: why for address, why in now.items() if was.get(address) != why}


def _given(ledger: Ledger, project_id: str) -> Iterator[tuple[str, Text]]:
    own = ledger.projects.get(project_id)
    for version in own.project.versions.values() if own else ():
        for name, why in version.reasons.items():
            yield whole(name, project_id), why


def whole(name: str, project_id: str) -> str:
    """The address that a project means by a name: one of its own, unless it begins with what all projects share."""
    return name if name.startswith(tuple(f"{scope}." for scope in (*SHARED, project_id))) else f"{project_id}.{name}"


def why(changes: Iterable[Change], given: Mapping[str, Text]) -> tuple[Text, ...]:
    """The reasons for changes: of each the one for the nearest address at or above it. One is told once."""
    found = (next((given[at] for at in outwards(change.address) if at in given), None) for change in changes)
    return tuple(dict.fromkeys(reason for reason in found if reason is not None))


def unmatched(names: Iterable[str], changes: Iterable[Change], project_id: str) -> list[str]:
    """The addresses, as a project writes them, at or below which nothing changed."""
    changed = [f"{change.address}." for change in changes]
    return [name for name in names if not any(at.startswith(f"{whole(name, project_id)}.") for at in changed)]
