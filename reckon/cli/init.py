"""`init`: a small tree of one's own, which checks, renders and builds as it is; later, its files for CI made anew."""

from __future__ import annotations

import json
import re
import shlex
from argparse import Namespace
from collections.abc import Mapping
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from reckon import __version__
from reckon.load import files as ledger_files
from reckon.load import migration, schema
from reckon.model.version import FORMAT
from reckon.present.render.escape import terminal
from reckon.publish import files, package_files, starter, write_plan
from reckon.publish.package_files import NAME

from .arguments import Parser
from .books import read
from .output import CommandError, ask_for_libraries, complain, program, progress, say
from .render import pages_of

FileBytes = Mapping[str, bytes]
"""Files by their paths."""
SITE_NAME = "Our budgets"
REQUIREMENTS, KEPT = "requirements.txt", ".budget"
PINNED = f"{KEPT}/pinned.txt"
WHOLE = f"{NAME}[site,pictures,notebook]"
"""The package with all that pinned.txt lists."""
_HEAD = """\
# What CI installs to have the command `budget`: python -I -m pip install -r requirements.txt
# After an upgrade of the package, `budget init --upgrade` brings this and .budget/ up to date.
# Pages are compared byte for byte, so all that the command needs is pinned too.
"""
_HASHED = "# The SHA-256 of each package is checked before it is installed, so one that you add needs its own.\n"
_UNKNOWN = f"""\
# The source of this program is unknown. Write one line here with the place your team installs it from, such as
#   {WHOLE} @ git+https://HOST/TEAM/{NAME}@v0.3.0
"""
_PINS = "# Each package that {} needs, in the version that it was tried with.\n"
# An address that may be written down: nothing secret in it, and nothing that begins another line or option.
_PLAIN = re.compile(r"(https://|ssh://([\w.-]+@)?)[\w.-]+(:[0-9]+)?(/[\w.~+%/-]*)?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FOLDER = re.compile(r"[\w./-]+", re.ASCII)


def declare_init(parser: Parser) -> None:
    """The command line of `init`."""
    parser.does(init, _with_folder)
    parser.option("folder", "DIR", "folder to write into (`.`: the current one)", type=Path, nargs="?")
    parser.flag("--upgrade", "update the CI files of a repository")


def _with_folder(parser: Parser, options: Namespace) -> None:
    if options.root != Path():
        parser.error("init takes its folder as DIR, not as --root")
    if not options.folder:
        if not options.upgrade:
            parser.error("init needs DIR, a folder to write into")
        options.folder = Path()


def init(options: Namespace) -> None:
    """Writes the tree with its pages into a folder, whole or not at all, and overwrites nothing; or brings its files
    for CI up to date, all or none, and tells what became of each."""
    if not options.upgrade:
        ask_for_libraries("vl_convert")
    new = _new()
    if options.upgrade:
        say(map(terminal, starter.upgrade(options.folder, _ours(new), __version__) or ["Everything is up to date."]))
        say(_older(options.folder))
        _tell_of_source(new)
        return
    with starter.prepare_folder(options.folder) as root:
        _write(root, new)
    here = options.folder.resolve() == Path.cwd()
    say(["Wrote the project `example` with made-up numbers, its pages, and CI files."])
    say(["Next:"])
    if not here:
        say([f"  cd {terminal(shlex.quote(str(options.folder)))}"])
    say([f"  {program()} {words}" for words in ("serve", "add run example", "check")])
    say(["README.md explains how to enter your own plan."])
    _tell_of_source(new)
    if top := starter.repository_above(options.folder):
        complain(f"CI reads its files only at the top of a repository, which is {top}; see `{program()} guide team`.")


def _older(root: Path) -> list[str]:
    """That the ledger of a tree is of an older format, where it is."""
    kept = root / migration.FILE
    if not (root / "ledger").is_dir():
        return []
    number = migration.format_of(ledger_files.read(root, kept, []) or "" if kept.exists() else None)
    return (
        [f"The ledger is in format {number}. Update it to format {FORMAT}: {program()} migrate"]
        if number < FORMAT
        else []
    )


def _new() -> FileBytes:
    """All files that a new tree begins with, but for what is made from its ledger."""
    with progress("Packing"):
        return {**starter.starter(SITE_NAME), **requirements()}


def _ours(new: FileBytes) -> FileBytes:
    return {path: data for path, data in new.items() if write_plan.ours(path)}


def _tell_of_source(new: FileBytes) -> None:
    if PINNED not in new:
        complain("requirements.txt does not name where CI gets `budget`; add the place there.")


def _write(root: Path, new: FileBytes) -> None:
    """The starter with its digests, its pages and the schemas for editors."""
    with progress("Writing"):
        for path, data in new.items():
            files.write_whole(root / path, data)
        files.write_whole(root / write_plan.DIGESTS, starter.digests(_ours(new), __version__))
        files.write(root, schema.schema_files(root), home=schema.HOME)
    starter.plan_moves(root)  # what is in the way is told before pages are made
    book, problems = read(root)
    pages, more = pages_of(book, root)
    if problems or more:
        raise CommandError("the files of this version fail the check here:", *map(str, (*problems, *more)))
    files.write(root, pages)


class ProgramSource(NamedTuple):
    """The lines of requirements.txt that name this program, and the wheel that they ask for."""

    lines: str
    wheel: tuple[str, bytes] | None = None


def source() -> ProgramSource:
    """Where CI is to get this program; without lines where that cannot be told."""
    if package_files.in_checkout():
        return _packed(package_files.checkout(package_files.PACKAGE.parent))
    found = _distribution()
    if not found:
        return ProgramSource("")
    told, ours = (
        found.read_text("direct_url.json"),
        package_files.GENERATOR in (found.read_text("WHEEL") or "").splitlines(),
    )
    if told is None and not ours:
        return ProgramSource(f"{WHOLE}=={found.version}\n")
    line = _address(json.loads(told)) if told else ""
    return ProgramSource(line) if line else _packed(package_files.installed(found))


def requirements() -> FileBytes:
    """requirements.txt of a tree and the files that it names, by path."""
    where = source()
    if not where.lines:
        return {REQUIREMENTS: (_HEAD + _UNKNOWN).encode()}
    pins = [line for line in package_files.part("pinned").read_text("utf-8").splitlines() if not line.startswith("#")]
    if where.wheel:
        name, data = where.wheel
        text, packed = f"{_HEAD}{_HASHED}{where.lines}-r {PINNED}\n", {f"{KEPT}/{name}": data}
    else:
        # A commit has no hash that pip could check, and with one for some it asks for one for all.
        pins = [line.removesuffix("\\").rstrip() for line in pins if not line.startswith(" ")]
        text, packed = f"{_HEAD}{where.lines}-c {PINNED}\n", {}
    listed = _PINS.format(NAME) + "\n".join(pins) + "\n"
    return {REQUIREMENTS: text.encode(), PINNED: listed.encode(), **packed}


def _distribution() -> Distribution | None:
    """What the package manager knows of this program: of the one that runs, not of another one of its name."""
    try:
        found = distribution(NAME)
    except PackageNotFoundError:
        return None
    here = package_files.PACKAGE.resolve()
    return found if here == Path(str(found.locate_file(package_files.PACKAGE.name))).resolve() else None


def _packed(program: package_files.Program | None) -> ProgramSource:
    if not program:
        return ProgramSource("")
    name, data = package_files.pack(program)
    return ProgramSource(
        f"--find-links {KEPT}\n{NAME}=={program.version} --hash=sha256:{sha256(data).hexdigest()}\n", (name, data)
    )


def _address(told: dict[str, object]) -> str:
    """The line for a package from an address (PEP 610); empty where CI may not have that, or it might hold a secret."""
    url, vcs, within = str(told.get("url", "")), told.get("vcs_info"), str(told.get("subdirectory", ""))
    if not _PLAIN.fullmatch(url) or (within and not _FOLDER.fullmatch(within)):
        return ""
    if isinstance(vcs, dict):
        commit = str(vcs.get("commit_id", ""))
        if vcs.get("vcs") != "git" or not _COMMIT.fullmatch(commit):
            return ""
        url = f"git+{url}@{commit}"
    elif not url.startswith("https://"):
        return ""
    return f"{WHOLE} @ {url}" + (f"#subdirectory={within}" if within else "") + "\n"
