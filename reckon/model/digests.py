"""A digest of the rules of a source: by it is seen that they are not those by which its entries were made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .patterns import Pattern
from .record import Record
from .records import ImportSource

UNSAID = (
    "counts",
    "decimal",
    "dates",
    "constants",
    "skip",
    "rows",
    "key",
    "ended",
    "meter",
    "header",
    "path",
    "card_shares",
)
"""What makes no entry another one while it is not said."""
HOW_KEPT = ("most_lines", "archive")
"""What a source says of how its jobs are kept, which makes no entry another one."""


def digest_of(source: ImportSource) -> str:
    """A digest of all that a source says of how its jobs become entries."""
    plain = json.dumps(_bare(source.stated), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]


def _bare(part: Any) -> Any:
    if isinstance(part, Record):
        silent = {name for name in UNSAID if not getattr(part, name, None)}
        silent |= {"place", "title", "notes", "cost", "encoding", "from_preset", *HOW_KEPT}
        names = [name for name in type(part).model_fields if name not in silent]
        return {name: _bare(getattr(part, name)) for name in names}
    if isinstance(part, Mapping):
        # The first rule that fits is taken, so their order means something.
        return [[str(name), _bare(value)] for name, value in part.items()]
    if isinstance(part, list | tuple):
        return [_bare(value) for value in part]
    if part is None or isinstance(part, bool):
        return part
    if isinstance(part, Pattern):
        return part.text
    return str(part)
