"""A word at an address, beside the figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..choosing import memory

NONE = "none"
VERDICTS: Mapping[str, str] = {one.replace(" ", "-"): one for one in (memory.FITS, memory.TIGHT, memory.NOT)}


@dataclass(frozen=True, slots=True)
class Word:
    """A word at an address: its id, and its title as pages print it.

    `about` says what it is the word for. `among` holds the titles of all that it can be, by id; it is empty where
    a thing is only called so. `missing` names the inputs for want of which it is not known yet.
    """

    id: str
    title: str
    about: str = ""
    among: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
