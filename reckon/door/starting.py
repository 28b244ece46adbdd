"""`init`: a small tree of one's own, which checks, renders and builds as it is."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from reckon.present.escape import terminal
from reckon.publish import files, starting
from reckon.publish.files import Blocked

from .commands import FINE, pages_of, read
from .installed import requirement
from .output import complain, program, progress, say

SITE_NAME = "Our budgets"
REQUIREMENTS = """\
# What CI installs to have the command `budget`: one line, with the place that your team has it from. For example
#   budget-ledger @ git+https://HOST/TEAM/budget-ledger@v0.1.0
#   ./budget_ledger-0.1.0-py3-none-any.whl
"""


def init(options: Namespace) -> int:
    """Writes the tree with its pages into a new or empty folder, whole or not at all."""
    with starting.begun(options.folder) as root:
        _write(root)
    here = options.folder.resolve() == Path.cwd()
    say(
        [
            "Wrote a ledger with the project `example`, its pages, and files for CI. All its numbers are made up.",
            "Next:",
        ]
    )
    say([] if here else [f"  cd {terminal(shlex.quote(str(options.folder)))}"])
    say([f"  {program()} {one}" for one in ("serve", "add run example", "render")])
    say(["README.md says how to make it yours."])
    if not requirement():
        complain("requirements.txt does not yet say where CI gets the command `budget`: write the place there.")
    if top := starting.repository_above(options.folder):
        complain(f"CI reads its files at the top of a repository only, and that is {top}: see `{program()} guide own`.")
    return FINE


def _write(root: Path) -> None:
    """The starter, its pages and the schemas for editors."""
    from reckon.load.schema import HOME, schema_files

    texts = {**starting.starter(SITE_NAME), "requirements.txt": REQUIREMENTS + requirement()}
    with progress("Writing"):
        for path, text in texts.items():
            files.write_whole(root / path, text)
        files.write(root, schema_files(), home=HOME)
    book, problems = read(root)
    pages, more = pages_of(book, root)
    if problems or more:
        raise Blocked("\n".join(["what this version writes does not check here:", *map(str, (*problems, *more))]))
    files.write(root, pages)
