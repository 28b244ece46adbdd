"""Which configurations belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reckon.compute.fitting.effective_settings import Configured
from reckon.model.ledger import ProjectLedger


def families(project: ProjectLedger, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Configurations that belong together: of one chain of bases, or of one framework. In the order of the ledger."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(family_of(project, name), []).append(name)
    return map(tuple, found.values())


def family_of(project: ProjectLedger, name: str) -> str:
    """The framework of a configuration, or else the last of its bases."""
    configured = Configured(project, name)
    framework = configured.value("framework")
    return f"framework {framework}" if framework else configured.chain[-1]
