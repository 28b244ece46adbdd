"""`guide`: the pages of the guide, for whoever has the installed program alone."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from reckon.language.text import echoed
from reckon.publish import shipped

from .books import FINE, INVALID
from .output import complain, no_such, program, say


def guide(options: Namespace) -> int:
    """Prints a page of the guide in markdown, or lists all of them."""
    from reckon.model.problem import nearest
    from reckon.present.navigation import GUIDE

    pages = {path.removeprefix("guide/").removesuffix(".md"): title for path, title in GUIDE}
    if options.page is None:
        wide = max(map(len, pages))
        say(f"{name:<{wide}}  {title}" for name, title in pages.items())
        say(["", f"`{program()} guide language` prints that page, in markdown."])
        return FINE
    name = options.page.removesuffix(".md")
    if name not in pages:
        complain(f"there is no page `{echoed(name)}`; {nearest(name, pages, short=len(pages))}")
        return INVALID
    print((shipped.guide() / f"{name}.md").read_bytes().decode("utf-8"), end="")
    return FINE


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
