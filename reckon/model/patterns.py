"""Patterns of a ledger: regular expressions of a stranger, in the language of RE2, which takes time linear in a text.

Python's own engine would take exponential time for some of them. A pattern has to match the whole of a text, and its
classes are of ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .scalars import complain, read_text

MOST_OF_A_PATTERN, MOST_MEMORY = 1000, 1 << 20
GROUPS = ("item", "seed", "run")
"""What a named group of a pattern can fill."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern as it stands in a ledger."""

    text: str
    engine: Any = field(compare=False, repr=False)

    def matched(self, text: str) -> Mapping[str, str] | None:
        """What its named groups took of a text, where the whole of that fits; else None."""
        found = self.engine.fullmatch(text)
        return None if found is None else {name: part for name, part in found.groupdict().items() if part is not None}

    def __str__(self) -> str:
        return self.text


def literal(text: str) -> str:
    """A pattern that fits a text and no other."""
    return "".join(f"\\{sign}" if sign in r"\.+*?()|[]{}^$" else sign for sign in text)


def read_pattern(raw: object) -> Pattern:
    """A pattern in the syntax of RE2, with named groups of `GROUPS` alone."""
    import re2  # takes as long to load as a small ledger

    text = read_text(raw)
    if len(text) > MOST_OF_A_PATTERN:
        raise complain(
            text, f"the pattern is longer than {MOST_OF_A_PATTERN:,} characters", "split it into several rules"
        )
    options = re2.Options()
    options.log_errors, options.max_mem = False, MOST_MEMORY
    try:
        engine = re2.compile(str(text), options)
    except re2.error as error:
        said = str(error.args[0].decode() if isinstance(error.args[0], bytes) else error)
        right = "write RE2 syntax: no look-around, no back-references"
        raise complain(text, f"`{text[:60]}` is not a pattern: {said[:80]}", right) from None
    if strange := next((name for name in engine.groupindex if name not in GROUPS), ""):
        raise complain(text, f"the group `{strange[:40]}` is not a field of a run", f"there are {', '.join(GROUPS)}")
    if twice := next((name for name in engine.groupindex if len(re.findall(rf"\(\?P?<{name}>", text)) > 1), ""):
        right = "write it once around all alternatives, or split it into several rules"
        raise complain(text, f"the group `{twice}` appears twice, and only the first fills the field", right)
    return Pattern(text, engine)  # with its place, which an engine that cannot run it tells
