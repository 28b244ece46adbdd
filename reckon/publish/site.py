"""The published site: built beside its place and then moved there, so that a failed build leaves the old one.

The builder sees a staged tree of plain files and nothing of ours beside it.
"""

from __future__ import annotations

import io
import json
import logging
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.model.site import FILE, ORDER

from . import plain, shipped
from .files import Blocked
from .staging import Sources, stage

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_INHERITS = re.compile(rf"^(INHERIT:[ \t]*)(['\"]?){re.escape(ORDER)}\2(?=\s|$)", re.MULTILINE)


class NotBuilt(Exception):
    """The site could not be built; each line says what is wrong."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def build(root: Path, sources: Sources, site_dir: Path, strict: bool = True) -> list[str]:
    """Builds the site of a tree and gives the warnings; a strict build takes none. Raises NotBuilt and Blocked."""
    site_dir = site_dir.resolve()
    ask_for_room(root.resolve(), site_dir)
    site_dir.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{site_dir.name}-", dir=site_dir.parent) as rough:
        new, old = Path(rough, "new"), Path(rough, "old")
        new.mkdir()
        with tempfile.TemporaryDirectory(prefix="budget-") as folder:
            stage(root, sources, Path(folder))
            warnings = _make(root, sources, Path(folder).resolve(), new, strict)
        if site_dir.exists():
            site_dir.rename(old)
        new.rename(site_dir)
    return warnings


def ask_for_room(root: Path, site_dir: Path) -> None:
    """Refuses to replace anything that is not a site."""
    if root.is_relative_to(site_dir) or any(site_dir.is_relative_to(root / one) for one in shipped.SOURCES):
        raise Blocked(f"{site_dir} holds what the site is made of; name another folder with --site-dir")
    site = site_dir.is_dir() and ((site_dir / "sitemap.xml").is_file() or not any(site_dir.iterdir()))
    if site_dir.exists() and not site:
        raise Blocked(f"{site_dir} is there and is no site; name another folder with --site-dir")


def _make(root: Path, sources: Sources, place: Path, site_dir: Path, strict: bool) -> list[str]:
    """Builds a staged tree into an empty folder; gives the warnings. Raises NotBuilt."""
    from click import ClickException
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    with _listening(place) as said:
        try:
            file = str(place / FILE) if sources.settings else _as_it_stands(root, place)
            config: MkDocsConfig = load_config(
                file, docs_dir=str(place / "docs"), site_dir=str(site_dir), strict=strict
            )
            build_site(config)
        except (ClickException, SystemExit) as error:
            last = error.format_message() if isinstance(error, ClickException) else str(error)
            raise NotBuilt([*said, _named(last, place)]) from None
        except Exception:
            if any(line.startswith("error: ") for line in said):  # of a page: as a template that it asks for in vain
                raise NotBuilt(list(said)) from None
            raise
    return said


def _as_it_stands(root: Path, place: Path) -> io.BytesIO:
    """The settings of a trusted tree, for the builder to read; they take over the order that was rendered."""

    class Named(io.BytesIO):
        name = str(root.resolve() / FILE)

    text = plain.text(root, FILE)
    return Named(_INHERITS.sub(lambda found: found[1] + json.dumps(str(place / ORDER)), text).encode("utf-8"))


def _named(line: str, place: Path) -> str:
    """A line of the builder, with paths as people know them."""
    return line.replace(f"{place}/", "")


class _Lines(logging.Handler):
    """Keeps what is logged from warnings up, one line each."""

    def __init__(self, lines: list[str], place: Path) -> None:
        super().__init__(logging.WARNING)
        self.lines, self.place = lines, place

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname.lower()}: {_named(record.getMessage(), self.place)}")


@contextmanager
def _listening(place: Path) -> Iterator[list[str]]:
    """The warnings and errors that are logged while the site is built. The level of the logger stays as it is: strict
    builds count what passes through it."""
    lines: list[str] = []
    handler, logger = _Lines(lines, place), logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
