"""`init`: a small tree of one's own, which checks, renders and builds as it is; later, its files for CI made anew."""

from __future__ import annotations

import shlex
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from reckon import __version__
from reckon.present.render.escape import terminal
from reckon.publish import files, planned, starting
from reckon.publish.files import Blocked

from .commands import FINE, pages_of, read
from .installed import PINNED, requirements
from .output import complain, program, progress, say

SITE_NAME = "Our budgets"


def init(options: Namespace) -> int:
    """Writes the tree with its pages into a new or empty folder, whole or not at all."""
    if options.upgrade:
        return _upgrade(options.folder)
    new = _new()
    with starting.begun(options.folder) as root:
        _write(root, new)
    here = options.folder.resolve() == Path.cwd()
    say(
        [
            "Wrote a ledger with the project `example`, its pages, and files for CI. All its numbers are made up.",
            "Next:",
        ]
    )
    say([] if here else [f"  cd {terminal(shlex.quote(str(options.folder)))}"])
    say([f"  {program()} {one}" for one in ("serve", "add run example", "check")])
    say(["README.md says how to make it yours."])
    _tell_of_source(new)
    if top := starting.repository_above(options.folder):
        complain(f"CI reads its files at the top of a repository only, and that is {top}: see `{program()} guide own`.")
    return FINE


def _upgrade(folder: Path) -> int:
    """Brings the files that `init` wrote for CI up to date, all or none, and tells what became of each."""
    new = _new()
    said = starting.upgrade(folder, _ours(new), __version__)
    say([terminal(one) for one in said] or ["Everything is up to date."])
    _tell_of_source(new)
    return FINE


def _new() -> Mapping[str, bytes]:
    """All files that a new tree begins with, but for what is made from its ledger."""
    with progress("Packing"):
        return {**starting.starter(SITE_NAME), **requirements()}


def _ours(new: Mapping[str, bytes]) -> Mapping[str, bytes]:
    return {path: data for path, data in new.items() if planned.ours(path)}


def _tell_of_source(new: Mapping[str, bytes]) -> None:
    if PINNED not in new:
        complain("requirements.txt does not yet say where CI gets the command `budget`: write the place there.")


def _write(root: Path, new: Mapping[str, bytes]) -> None:
    """The starter with its digests, its pages and the schemas for editors."""
    from reckon.load.schema import HOME, schema_files

    with progress("Writing"):
        for path, data in new.items():
            files.write_whole(root / path, data)
        files.write_whole(root / planned.DIGESTS, starting.digests(_ours(new), __version__))
        files.write(root, schema_files(), home=HOME)
    book, problems = read(root)
    pages, more = pages_of(book, root)
    if problems or more:
        raise Blocked("\n".join(["what this version writes does not check here:", *map(str, (*problems, *more))]))
    files.write(root, pages)
