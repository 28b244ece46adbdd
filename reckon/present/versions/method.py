"""What the method moved, where it changed between two sides."""

from __future__ import annotations

from reckon.compute.versions.difference import Part
from reckon.model.kinds import group_of

from .grouping import owners
from .sentences import TextPair


def by_method(part: Part) -> list[TextPair]:
    """What the method moved, in words, each with the sentence: figures of the whole before those of one record."""
    return [(owners(sorted(change.figures, key=_of_record), part.id), change.sentence) for change in part.method]


def _of_record(address: str) -> bool:
    return group_of(address.split(".")[1]).by_record
