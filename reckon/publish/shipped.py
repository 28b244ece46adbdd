"""What stands beside the package in a checkout, inside it once installed: templates, guide, the site's looks."""

from __future__ import annotations

from pathlib import Path

from reckon.model.links import astray

from .files import Blocked

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("docs", "ledger", "templates")
"""The folders of a tree that pages and site are made of."""


def _first(installed: str, checkout: str) -> Path:
    inside = PACKAGE / installed
    return inside if inside.exists() else PACKAGE.parent / checkout


def in_checkout() -> bool:
    """Whether this program runs from a checkout, be it installed as an editable package or not at all."""
    return not (PACKAGE / "templates").exists()


def pinned() -> Path:
    """The list of all packages that we need, each in one version and with its hashes."""
    return _first("pinned.txt", "requirements.txt")


def templates() -> Path:
    """The folder of the templates that we bring."""
    return _first("templates", "templates")


def settings() -> Path:
    """The mkdocs.yml that we bring."""
    return _first("site/mkdocs.yml", "mkdocs.yml")


def assets() -> Path:
    """The folder of the site's style and scripts."""
    return _first("site/assets", "docs/assets")


def starter() -> Path:
    """The folder of the files that a new tree begins with."""
    return _first("starter", "starter")


def guide() -> Path:
    """The folder of the guide's pages."""
    return _first("guide", "docs/guide")


def template_folders(root: Path) -> list[Path]:
    """Where templates are looked for: those of the tree itself first, ours for the rest."""
    own, ours = root / "templates", templates()
    if own.resolve() != ours.resolve():
        _inside(root, own)
    return [own, ours] if own.is_dir() and own.resolve() != ours.resolve() else [ours]


def _inside(root: Path, own: Path) -> None:
    """A tree may come from a stranger: none of its templates may be a link that leads out of it, or no file at all."""
    for path in [own, *own.rglob("*")]:
        name = path.relative_to(root).as_posix()
        if why := astray(root, path):
            raise Blocked(f"{name} {why}; put the file itself there")
        if path.exists() and not path.is_dir() and not path.is_file():
            raise Blocked(f"{name} is no plain file; move it elsewhere")
