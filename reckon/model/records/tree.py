"""ledger/tree.yaml: how a tree is kept: its format, who renders its pages, and on which forge it lies."""

from __future__ import annotations

from typing import Annotated, Self
from urllib.parse import quote

from pydantic import Field, model_validator

from reckon.language.lazy import regex
from reckon.language.text import Text
from reckon.model.fields import ReadBy
from reckon.model.record import Record
from reckon.model.scalars import complain, scalar
from reckon.model.tree import PEOPLE
from reckon.model.version import FORMAT, FORMER, READ_SINCE, VERSION

from .shared import ForgeKind, Rendering

_ADDRESS = regex(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)+")
_BRANCH = regex(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
_KNOWN = {"github": "GitHub", "gitlab": "GitLab"}


def _format(raw: object) -> int:
    """The number of the format: one that this program reads."""
    text = scalar(raw)
    if text in map(str, READ_SINCE):
        return int(text)
    if text.isdecimal() and len(text) < 7 and int(text) > FORMAT:
        wrong = f"`{text}` is a newer format than this program reads"
        known = " and ".join(map(str, READ_SINCE))
        raise complain(text, wrong, f"this is budget-ledger {VERSION}, which reads {known}: upgrade it")
    raise complain(text, f"`{text[:40]}` is not a format that this program knows", f"write `format: {FORMAT}`")


def _address(raw: object) -> Text:
    """The address of a repository on its forge, as one opens it in a browser."""
    text = scalar(raw)
    address = text.rstrip("/")
    if not _ADDRESS.fullmatch(address) or len(address) > 300 or ".." in address:
        right = "write it as in the browser: `https://github.com/TEAM/REPOSITORY`"
        raise complain(text, f"`{text[:60]}` is not the address of a repository", right)
    return Text(address, text.place)


def _path(what: str, example: str) -> ReadBy:
    """A path or name made of plain characters: it goes into addresses and file names."""

    def read(raw: object) -> Text:
        text = scalar(raw)
        if not _BRANCH.fullmatch(text) or ".." in text or len(text) > 200:
            right = f"use letters, digits, `.`, `_`, `-` and `/`, such as `{example}`"
            raise complain(text, f"`{text[:60]}` is not a {what}", right)
        return text

    return ReadBy(read, {"type": "string"})


class Forge(Record):
    """The address of the repository, for links that add or correct an entry."""

    address: Annotated[Text, ReadBy(_address, {"type": "string"})] = Field(
        description="address of the repository, such as https://github.com/TEAM/REPOSITORY"
    )
    kind: ForgeKind | None = Field(None, description="kind of forge, if the address does not show it")
    branch: Annotated[Text, _path("branch", "main")] = Field(
        Text("main"), description="branch that changes are merged into (default: main)"
    )
    folder: Annotated[Text, _path("folder", "research/budgets")] | None = Field(
        None, description="folder of the tree in the repository (default: the top)"
    )

    @model_validator(mode="after")
    def check_address(self) -> Self:
        """Refuses an address that leaves open which kind of forge it is."""
        if not self.kind and not self.host_kind:
            right = f"add `kind:` with {' or '.join(f'`{kind}`' for kind in _KNOWN)}"
            raise complain(self.address, "the address does not show which forge this is", right)
        return self

    @property
    def host_kind(self) -> str:
        """The kind of forge that the name of the host tells; empty where it does not."""
        parts = self.address.split("/")[2].lower().split(".")
        return next((kind for kind in _KNOWN if kind in parts), "")

    @property
    def forge_kind(self) -> str:
        """`github` or `gitlab`."""
        return str(self.kind or self.host_kind)

    @property
    def title(self) -> str:
        """What the forge is called."""
        return _KNOWN[self.forge_kind]

    def within(self, path: str) -> str:
        """A path under the root of the tree as one of the repository."""
        return f"{self.folder}/{path}" if self.folder else path

    def at_line(self, path: str, line: int) -> str:
        """The address at which the line of a file is corrected."""
        return f"{self._page('edit', path)}#L{line}"

    def at_file(self, path: str) -> str:
        """The address at which a file is read."""
        return self._page("blob", path)

    def new_file(self, folder: str, text: str) -> str:
        """The address at which a file is begun in a folder, with a text in it where the forge takes one from there."""
        key = "value" if self.forge_kind == "github" else "content"
        return f"{self._page('new', folder)}?{key}={quote(text, safe='')}"

    def _page(self, page: str, path: str) -> str:
        """The address of a page of the forge on a path under the root of the tree."""
        before = "" if self.forge_kind == "github" else "-/"
        return f"{self.address}/{before}{page}/{self.branch}/{quote(self.within(path))}"


class TreeSettings(Record):
    """How this repository is set up. Without it, people render the pages, and pages have no links to a forge."""

    format: Annotated[int, ReadBy(_format, {"type": "integer", "enum": list(READ_SINCE)})] = Field(
        FORMER, description=f"the format of the ledger: {FORMAT}; {FORMER} if not stated"
    )
    pages: Rendering = Field(
        Text(PEOPLE),
        description="who renders the pages: ci (after each merge), people (with each change), none (published only)",
    )
    forge: Forge | None = Field(None, description="address of the repository, for links")


def unsaid() -> TreeSettings:
    """The settings of a tree that has none."""
    return TreeSettings.model_construct(format=FORMER, pages=Text(PEOPLE), forge=None)
