"""`template`: what the pages are written with, and which of it a tree has replaced."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from reckon.publish import shipped

from .commands import FINE, INVALID
from .output import no_such, say

ENDING = ".md.j2"


def template(options: Namespace) -> int:
    """Prints the shipped template of a name, or lists all of them and those of the tree."""

    folders = shipped.template_folders(options.root)
    ours = _names(folders[-1])
    own = _names(folders[0]) if len(folders) > 1 else ()
    if options.name is None:
        say(f"{one}{'   replaced by templates/' + one + ENDING if one in own else ''}" for one in ours)
        say(f"{one}   yours alone: only what names it uses it" for one in own if one not in ours)
        return FINE
    name = options.name.removesuffix(ENDING)
    if name not in ours:
        no_such("template", name, ours, "`template` without a name lists them")
        return INVALID
    print((folders[-1] / f"{name}{ENDING}").read_bytes().decode("utf-8"), end="")
    return FINE


def _names(folder: Path) -> list[str]:
    found = (one.relative_to(folder).as_posix() for one in folder.rglob(f"*{ENDING}") if one.is_file())
    return sorted(one.removesuffix(ENDING) for one in found)
