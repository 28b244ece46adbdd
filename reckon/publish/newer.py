"""The note on pages of an old release that there is a newer one. The site has it, the released file has not."""

from __future__ import annotations

import re
from collections.abc import Collection

from reckon.model.release import HOME, numeric

_RELEASED = re.compile(rf"(?P<home>[^/]+/{HOME})/(?P<version>[0-9.]+)/(?P<page>.+\.md)")


def with_note(markdown: str, path: str, pages: Collection[str]) -> str:
    """The text of a page of the site, with the note below its heading if it is one of a release that is not the newest.

    `path` and `pages` are relative to docs/.
    """
    here = _RELEASED.fullmatch(path)
    others = [
        found for page in pages if (found := _RELEASED.fullmatch(page)) and here and found["home"] == here["home"]
    ]
    if not here or not others:
        return markdown
    newest = max((found["version"] for found in others), key=lambda version: numeric(version) or ())
    if (numeric(newest) or ()) <= (numeric(here["version"]) or ()):
        return markdown
    page = here["page"] if f"{here['home']}/{newest}/{here['page']}" in pages else "index.md"
    up = "../" * (here["page"].count("/") + 1)
    lead = f"There is a newer version: [{newest}]({up}{newest}/{page})."
    note = f"> [!WARNING]\n> {lead} The [pages of today]({up}../index.md) go on from it.\n"
    first = re.search(r"^# .+\n", markdown, re.MULTILINE)
    at = first.end() if first else 0
    return f"{markdown[:at]}\n{note}\n{markdown[at:].lstrip()}"
