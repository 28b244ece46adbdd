"""Citations as BibTeX: nothing in a field of one is markup of TeX, and no brace of it closes the field."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reckon.model import records as r

_TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_"},
    }
)
_ADDRESS = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})


def bibtex(name: str, citation: r.Citation) -> tuple[str, ...]:
    """The lines of an entry, under the id of its record."""
    kind = re.sub(r"[^A-Za-z]", "", citation.type).lower() or "misc"
    said = {
        "title": _escape_tex(citation.title),
        "author": " and ".join(map(_escape_tex, citation.authors or ())),
        "year": _escape_tex(citation.year),
        "journal": _escape_tex(citation.journal),
        "url": _escape_tex(citation.url, _ADDRESS),
        "note": _escape_tex(citation.notes),
    }
    fields = [f"  {key} = {{{value}}}" for key, value in said.items() if value or key == "title"]
    return (f"@{kind}{{{name},", *(f"{field}," for field in fields[:-1]), fields[-1], "}")


def _escape_tex(text: object, signs: Mapping[int, str] = _TEX) -> str:
    """What is said in a line, with what would be markup in it written in another way; empty where nothing is said."""
    return " ".join(str(text or "").split()).translate(signs)
