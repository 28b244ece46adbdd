"""`guide`: the pages of the guide, for whoever has the installed program alone."""

from __future__ import annotations

from argparse import Namespace

from reckon.language.text import echoed
from reckon.publish import shipped

from .commands import FINE, INVALID
from .output import complain, program, say


def guide(options: Namespace) -> int:
    """Prints a page of the guide in markdown, or lists all of them."""
    from reckon.model.finding import nearest
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
