"""What stands beside the package in a checkout, inside it once installed: templates, guide, the site's looks.

And the program itself, packed as a wheel from the files that run: the same bytes from a checkout or an installation. It
is not compressed, since machines compress differently; git and servers do it for themselves.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reckon.extras import EXTRAS
from reckon.language.lazy import regex
from reckon.model.tree import astray

from .files import Blocked

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = ("docs", "ledger", "templates")
"""The folders of a tree that pages and site are made of."""


PARTS = {
    "pinned": ("pinned.txt", "requirements.txt"),  # all packages that are needed, in one version with its hashes
    "templates": ("templates", "templates"),
    "settings": ("site/mkdocs.yml", "mkdocs.yml"),
    "assets": ("site/assets", "docs/assets"),  # the site's style and scripts
    "starter": ("starter", "starter"),  # what a new tree begins with
    "guide": ("guide", "docs/guide"),
}
"""Where each part lies in an installed package, and in a checkout."""


def part(name: str) -> Path:
    """A file or folder that is shipped beside the package."""
    installed, checkout = PARTS[name]
    return PACKAGE / installed if (PACKAGE / installed).exists() else PACKAGE.parent / checkout


def in_checkout() -> bool:
    """Whether this program runs from a checkout, whether or not that is installed as an editable package."""
    return not (PACKAGE / "templates").exists()


def template_folders(root: Path) -> list[Path]:
    """Where templates are looked for: those of the tree itself first, ours for the rest."""
    own, ours = root / "templates", part("templates")
    if own.resolve() == ours.resolve():
        return [ours]
    _inside(root, own)
    return [own, ours] if own.is_dir() else [ours]


def _inside(root: Path, own: Path) -> None:
    """A tree may come from a stranger: none of its templates may be a link that leads out of it, or no file at all."""
    for path in [own, *own.rglob("*")]:
        name = path.relative_to(root).as_posix()
        ask_for_inside(root, name)
        if path.exists() and not path.is_dir() and not path.is_file():
            raise Blocked(f"{name} is not a regular file; move it elsewhere")


def ask_for_inside(root: Path, name: str, what: str = "file") -> None:
    """Refuses a file of a tree that a link leads out of it, or to what is hidden there. Raises Blocked."""
    if why := astray(root, root / name):
        raise Blocked(f"{name} {why}; replace it by the {what} itself")


NAME, PROGRAM = "budget-ledger", "reckon"
LICENCES = "MIT AND 0BSD AND Apache-2.0 AND BSD-3-Clause AND ISC AND OFL-1.1 AND Unlicense"
"""Ours, and those of the scripts and the font of others that the wheel carries; their texts lie beside these."""
_DEVELOPERS = ("extra == 'dev'", "extra == 'benchmark'")
# By this line a package that came from such a wheel is known, however it was installed.
GENERATOR = "Generator: budget-ledger"
_WHEEL = f"Wheel-Version: 1.0\n{GENERATOR}\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_LEAVINGS = regex(r".*(\.py[cod]|\.tmp|\.sw[a-p]|\.orig|\.rej|~)|\.DS_Store|\.add\.lock|\.journal\.json")
_NAME = regex(r"[A-Za-z0-9._-]+(\[[^]]*\])?")


class Program(NamedTuple):
    """What a wheel is packed from: what is told of the program, and its files by their paths in the wheel."""

    version: str
    summary: str
    python: str
    requires: Sequence[str]
    licence: bytes
    files: Mapping[str, bytes]


def installed(found: Distribution) -> Program | None:
    """The program as a package manager put it there; None where that keeps no list of the files."""
    listed = {path: Path(str(path.locate())) for path in found.files or ()}
    ours = [path for path in listed if path.parts[0] == PROGRAM and _is_packaged(path.parts)]
    if not ours:
        return None
    licence = b"".join(listed[path].read_bytes() for path in listed if path.parts[-2:] == ("licenses", "LICENSE"))
    told = found.version, found.metadata["Summary"], found.metadata["Requires-Python"], found.requires or ()
    return Program(*told, licence, {path.as_posix(): listed[path].read_bytes() for path in ours})


def checkout(top: Path) -> Program | None:
    """The program of a checkout, with all that its pyproject.toml puts into the package; None without that file."""
    import tomllib

    try:
        settings = tomllib.loads((top / "pyproject.toml").read_text("utf-8"))
        project = settings["project"]
        if project["name"] != NAME:
            return None
        beside = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    except (OSError, KeyError, tomllib.TOMLDecodeError):
        return None
    files = {}
    for source, target in {PROGRAM: PROGRAM, **beside}.items():
        for path in _walk_files(top / source):
            within = path.relative_to(top / source).as_posix()
            files[target if within == "." else f"{target}/{within}"] = path.read_bytes()
    needs = list(project["dependencies"])
    for extra, more in project["optional-dependencies"].items():
        needs += [f"{requirement}; extra == '{extra}'" for requirement in more]
    told = project["version"], project["description"], project["requires-python"], needs
    return Program(*told, (top / "LICENSE").read_bytes(), files)


def pack(program: Program) -> tuple[str, bytes]:
    """The name of the wheel and its bytes."""
    from zipfile import ZIP_STORED, ZipFile, ZipInfo

    stem = f"{NAME.replace('-', '_')}-{program.version}"
    info = f"{stem}.dist-info"
    members = {
        **dict(sorted(program.files.items())),
        f"{info}/METADATA": _metadata(program).encode(),
        f"{info}/WHEEL": _WHEEL.encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\nbudget = reckon.entry:main\n",
        f"{info}/licenses/LICENSE": program.licence,
    }
    record = ""
    for path, data in members.items():
        digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
        record += f"{path},sha256={digest},{len(data)}\n"
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    whole = BytesIO()
    with ZipFile(whole, "w", ZIP_STORED) as archive:
        for path, data in members.items():
            member = ZipInfo(path)  # its time is the earliest possible, 1980
            member.create_system, member.external_attr = 3, 0o100644 << 16
            archive.writestr(member, data)
    return f"{stem}-py3-none-any.whl", whole.getvalue()


def _metadata(program: Program) -> str:
    needs = sorted(_in_order(requirement) for requirement in program.requires if not requirement.endswith(_DEVELOPERS))
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {NAME}",
        f"Version: {program.version}",
        f"Summary: {program.summary}",
        f"License: {LICENCES}",
        f"Requires-Python: {','.join(sorted(program.python.split(',')))}",
        *(f"Provides-Extra: {extra}" for extra in sorted({"all", *EXTRAS.values()})),
        *(f"Requires-Dist: {requirement}" for requirement in needs),
    ]
    return "\n".join(lines) + "\n"


def _in_order(requirement: str) -> str:
    """A requirement with its conditions in order, as `a<4,>=3`: build tools write them in one of their own."""
    what, mark, when = requirement.partition(";")
    name = _NAME.match(what)
    assert name
    conditions = sorted(condition.strip() for condition in what[name.end() :].strip(" ()").split(","))
    return f"{name[0]}{','.join(conditions)}" + (f"; {when.strip()}" if mark else "")


def _walk_files(source: Path) -> Iterable[Path]:
    """The files of a folder, or the file itself; none that an editor or a run left there, and no links."""
    found = [source] if source.is_file() else sorted(source.rglob("*"))
    return [path for path in found if path.is_file() and not path.is_symlink() and _is_packaged(path.parts)]


def _is_packaged(parts: tuple[str, ...]) -> bool:
    return "__pycache__" not in parts and not _LEAVINGS.fullmatch(parts[-1])
