"""Citations as BibTeX: nothing in a field is markup of TeX, and no brace of it closes the field."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reckon.model import records as r

_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}  # fmt: skip
_ADDRESS = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})


def bibtex(name: str, one: r.Citation) -> tuple[str, ...]:
    """The lines of an entry, under the id of its record."""
    kind = re.sub(r"[^A-Za-z]", "", str(one.type)).lower() or "misc"
    fields = [f"  {key} = {{{value}}}" for key, value in _fields(one)]
    body = [f"{field}," for field in fields[:-1]] + fields[-1:]
    return (f"@{kind}{{{name},", *body, "}")


def _fields(one: r.Citation) -> Iterator[tuple[str, str]]:
    yield "title", _plain(one.title)
    if one.authors:
        yield "author", " and ".join(_plain(author) for author in one.authors)
    for key, value in (("year", one.year), ("journal", one.journal)):
        if value:
            yield key, _plain(value)
    if one.url:
        yield "url", " ".join(str(one.url).split()).translate(_ADDRESS)
    if one.notes:
        yield "note", _plain(one.notes)


def _plain(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in " ".join(str(text).split()))
