"""Zensical, another builder of the site: a program of its own that builds the staged tree. It runs without MkDocs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from reckon.model.tree import FILE, SiteSettings

from .files import HOME, Blocked
from .staging import Sources

THEME = "material"
BUILT = "site"
"""The folder in which the program builds: it takes none outside the staged tree."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_WARNING = re.compile(
    r"^Warning: (?P<what>.+)\n +╭─\[ (?P<page>.+):\d+:\d+ \]\n"
    r".*\n(?P<line>.+)\n(?P<before>[^─┬\n]*)(?P<mark>[─┬]+)",
    re.MULTILINE,
)
_LAST = re.compile(r"^(?:RuntimeError: |Error: )?(\S.*)", re.MULTILINE)


def adapt(sources: Sources, offline: bool) -> Sources:
    """The sources with settings for Zensical; an `offline` site has no search, and links that name files.

    Their settings have been read: it takes none from the tree as they stand. Raises Blocked for a theme of MkDocs.
    """
    assert sources.settings, "settings that nobody has read are for MkDocs"
    values = {**sources.settings.values, "site_dir": BUILT}
    theme = values.get("theme", THEME)
    if (theme if isinstance(theme, str) else theme.get("name", THEME)) != THEME:
        raise Blocked(f"{FILE}: Zensical builds no theme but `{THEME}`; write that name below `theme:`")
    if offline:
        values |= {"use_directory_urls": False, "plugins": [{"search": {"enabled": False}}]}
    return sources._replace(settings=SiteSettings(values, sources.settings.ordered))


def make(place: Path, site_dir: Path, strict: bool) -> list[str]:
    """Builds a staged tree into an empty folder; gives the warnings. Raises Blocked, with a line for each mistake."""
    options = ["--strict"] if strict else []
    command = [sys.executable, "-P", "-m", "zensical", "build", "--config-file", str(place / FILE), *options]
    done = subprocess.run(command, cwd=place, capture_output=True, encoding="utf-8", errors="replace")
    printed = _COLOUR.sub("", done.stderr).replace(f"{place}/", "")
    warnings = [*map(_describe, _WARNING.finditer(printed))]
    if done.returncode:
        last = f"Aborted with {len(warnings)} warnings in strict mode!" if warnings else _LAST.findall(printed)[-1]
        raise Blocked("\n".join([*warnings, last]))
    shutil.copytree(place / BUILT, site_dir, dirs_exist_ok=True)
    return warnings


def _describe(warning: re.Match[str]) -> str:
    """A warning in one line, with what it is about: that stands above its mark. The number of the line is that of the
    staged page, which nobody sees."""
    about = warning["line"][len(warning["before"]) :][: len(warning["mark"])]
    return f"warning: {HOME}/{warning['page']}: {warning['what']}: {about}"
