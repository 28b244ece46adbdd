"""Zensical, another builder of the site: a program of its own that builds the staged tree. It runs without MkDocs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

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
_LEFT_OUT = 'warning: The following pages exist in the docs directory, but are not included in the "nav" configuration:'
_NOT_FOUND = (
    "warning: A reference to '{}' is included in the 'nav' configuration, "
    "which is not found in the documentation files."
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


def make(place: Path, site_dir: Path, sources: Sources, strict: bool) -> list[str]:
    """Builds a staged tree into an empty folder; gives the warnings. Raises Blocked, with a line for each mistake."""
    options = ["--strict"] if strict else []
    command = [sys.executable, "-P", "-m", "zensical", "build", "--config-file", str(place / FILE), *options]
    done = subprocess.run(command, cwd=place, capture_output=True, encoding="utf-8", errors="replace")
    printed = _COLOUR.sub("", done.stderr).replace(f"{place}/", "")
    found = [*map(_describe, _WARNING.finditer(printed))]
    if done.returncode and not found:
        raise Blocked(_LAST.findall(printed)[-1])
    warnings = [*check_order(place, sources), *found]
    if done.returncode or (strict and warnings):
        raise Blocked("\n".join([*warnings, f"Aborted with {len(warnings)} warnings in strict mode!"]))
    shutil.copytree(place / BUILT, site_dir, dirs_exist_ok=True)
    return warnings


def check_order(place: Path, sources: Sources) -> list[str]:
    """What MkDocs says of pages that the order of a staged tree leaves out, or that it names and there are not, where
    the settings ask for it. Zensical looks at neither."""
    assert sources.settings
    values, docs = sources.settings.values, place / HOME
    order = sources.order if sources.settings.ordered else values.get("nav")
    if not order:
        return []
    named, pages = {*_list_pages(order)}, {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    asked = values.get("validation") or {}
    levels = {**asked, **(asked.get("nav") or {})}
    left_out = [page for page in sorted(pages - named) if not _may_be_left_out(page, values)]
    missing = [_NOT_FOUND.format(page) for page in sorted(named - pages)]
    warnings = missing if levels.get("not_found", "warn") == "warn" else []
    if left_out and levels.get("omitted_files") == "warn":
        return ["\n  - ".join([_LEFT_OUT, *left_out]), *warnings]
    return warnings


def _list_pages(entry: Any) -> Iterator[str]:
    """The pages that an entry of an order names, and all below it."""
    if not isinstance(entry, str):
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from _list_pages(inner)
    elif entry.endswith(".md") and "://" not in entry:
        yield entry


def _may_be_left_out(page: str, values: Mapping[str, Any]) -> bool:
    """Whether a pattern of the settings fits a page, or a folder that it is in."""
    path = PurePosixPath("/", page)
    patterns = "\n".join(str(values.get(key, "")) for key in ("not_in_nav", "exclude_docs")).split()
    return any(each.match(pattern) for each in (path, *path.parents) for pattern in patterns)


def _describe(warning: re.Match[str]) -> str:
    """A warning in one line, with what it is about: that stands above its mark. The number of the line is that of the
    staged page, which nobody sees."""
    about = warning["line"][len(warning["before"]) :][: len(warning["mark"])]
    return f"warning: {HOME}/{warning['page']}: {warning['what']}: {about}"
