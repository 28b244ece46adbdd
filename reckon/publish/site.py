"""The published site: built beside its place and then moved there, so that a failed build leaves the old one."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from . import shipped
from .files import Blocked
from .newer import with_note

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


class NotBuilt(Exception):
    """The site could not be built; each line says what is wrong."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def build(root: Path, site_dir: Path, strict: bool = True) -> list[str]:
    """Builds the site of a tree and gives the warnings; a strict build takes none. Raises NotBuilt and Blocked."""
    site_dir = site_dir.resolve()
    _ask_for_room(root.resolve(), site_dir)
    site_dir.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{site_dir.name}-", dir=site_dir.parent) as rough:
        new, old = Path(rough, "new"), Path(rough, "old")
        new.mkdir()
        warnings = _make(root, new, strict)
        if site_dir.exists():
            site_dir.rename(old)
        new.rename(site_dir)
    return warnings


def _ask_for_room(root: Path, site_dir: Path) -> None:
    """Refuses to replace anything that is not a site."""
    sources = [root / one for one in ("docs", "ledger", "templates")]
    if root.is_relative_to(site_dir) or any(site_dir.is_relative_to(one) for one in sources):
        raise Blocked(f"{site_dir} holds what the site is made of; name another folder with --site-dir")
    site = site_dir.is_dir() and ((site_dir / "sitemap.xml").is_file() or not any(site_dir.iterdir()))
    if site_dir.exists() and not site:
        raise Blocked(f"{site_dir} is there and is no site; name another folder with --site-dir")


def _make(root: Path, site_dir: Path, strict: bool) -> list[str]:
    """Builds into an empty folder; gives the warnings. Raises NotBuilt."""
    from click import ClickException
    from mkdocs.commands.build import build as build_site

    with _listening() as said, _settings(root) as file:
        try:
            config = _config(root, file, site_dir, strict)
            build_site(config)
        except (ClickException, SystemExit) as error:
            last = error.format_message() if isinstance(error, ClickException) else str(error)
            raise NotBuilt([*said, last]) from None
    return said


def _config(root: Path, file: Path, site_dir: Path, strict: bool) -> MkDocsConfig:
    """The settings of the site, with our assets added where the tree lacks them."""
    from mkdocs.config import load_config
    from mkdocs.plugins import BasePlugin
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

    class Assets(BasePlugin):  # type: ignore[no-untyped-call,type-arg]
        """Adds the style and scripts that docs/assets lacks, and to the pages of old releases that there are newer."""

        def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
            folder = shipped.assets()
            for path in sorted(one for one in folder.rglob("*") if one.is_file()):
                uri = f"assets/{path.relative_to(folder).as_posix()}"
                if files.get_file_from_path(uri) is None:
                    files.append(File.generated(config, uri, abs_src_path=str(path)))
            return files

        def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
            return with_note(markdown, page.file.src_uri, {one.src_uri for one in files})

    docs = None if file.parent == root else str(root.resolve() / "docs")
    config = load_config(str(file), docs_dir=docs, site_dir=str(site_dir), strict=strict)
    config.plugins["reckon/assets"] = Assets()
    return config


@contextmanager
def _settings(root: Path) -> Iterator[Path]:
    """The tree's own mkdocs.yml; for a tree without one a copy of ours beside a copy of the order of its pages."""
    own, order = root / "mkdocs.yml", root / "docs" / "nav.yml"
    if not order.is_file():
        raise NotBuilt(["there is no docs/nav.yml yet; render the pages first: budget render"])
    if own.is_file():
        yield own
        return
    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        file = Path(folder, "mkdocs.yml")
        shutil.copyfile(shipped.settings(), file)
        (file.parent / "docs").mkdir()
        shutil.copyfile(order, file.parent / "docs" / "nav.yml")
        yield file


class _Lines(logging.Handler):
    """Keeps what is logged from warnings up, one line each."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname.lower()}: {record.getMessage()}")


@contextmanager
def _listening() -> Iterator[list[str]]:
    """The warnings and errors that are logged while the site is built. The level of the logger stays as it is: strict
    builds count what passes through it."""
    lines: list[str] = []
    handler, logger = _Lines(lines), logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
