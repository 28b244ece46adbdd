"""What a checkout of the program says of trees: started by `tests.alike`, it answers until its input ends.

    python tests/answering.py FOLDER [pages]

A line in is the path of a tree, a line out the answer as JSON: the problems with their places, what `check` says, and
the pages with what pictures are drawn of. Nothing is drawn. Of ours only that checkout is imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Answer = dict[str, dict[str, str]]
"""What is compared, by its name: texts by their names."""


def undrawn(picture: Any) -> Any:
    """A picture as what it would be drawn of: the same drawing follows from the same specification."""
    from reckon.present.charts.picture import Drawing

    return Drawing("", json.dumps(picture.specification(), indent=1, sort_keys=True))


def answer(root: Path, paged: bool) -> Answer:
    """What the program says of a tree. A mistake of the program is what it says, too."""
    from reckon.cli import books
    from reckon.cli import render as pages
    from reckon.present import terminal
    from reckon.publish import releases

    try:
        book, problems = books.read(root)
        said = {form: "\n".join(terminal.report(book, problems, form, "", not problems)) for form in ("text", "json")}
        made, wrong = {}, []
        if paged and not problems:
            made, wrong = pages.pages_of(book, root, releases.releases(root)[0], redraw=True)
    except Exception as error:
        return {"problems": {"all": f"a mistake of the program: {type(error).__name__}: {error}"}}
    return {"problems": {"all": "\n".join(map(str, (*problems, *wrong)))}, "check": said, "pages": dict(made)}


def main(paged: bool) -> None:
    """Answers for one tree after the other."""
    from reckon.present import pages

    pages.draw = undrawn
    for line in sys.stdin:
        print(json.dumps(answer(Path(line.rstrip("\n")), paged)), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    main("pages" in sys.argv[2:])
