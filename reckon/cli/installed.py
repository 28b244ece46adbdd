"""Where CI gets the command from: the same place as this program, or else this program itself, packed as a wheel."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reckon.publish import shipped
from reckon.publish.shipped import NAME

if TYPE_CHECKING:
    from importlib.metadata import Distribution

REQUIREMENTS, KEPT = "requirements.txt", ".budget"
PINNED = f"{KEPT}/pinned.txt"
_HEAD = """\
# What CI installs to have the command `budget`: python -I -m pip install -r requirements.txt
# After an upgrade of the package, `budget init --upgrade` brings this and .budget/ up to date.
# Pages are compared byte for byte, so all that the command needs is pinned too.
"""
_HASHED = "# The SHA-256 of each package is checked before it is installed, so one that you add needs its own.\n"
_UNKNOWN = f"""\
# It is not known where this program came from. Write one line here, with the place that your team has it from, such as
#   {NAME} @ git+https://HOST/TEAM/{NAME}@v0.2.0
"""
_PINS = "# Each package that {} needs, in the version that it was tried with.\n"
# An address that may be written down: nothing secret in it, and nothing that begins another line or option.
_PLAIN = re.compile(r"(https://|ssh://([\w.-]+@)?)[\w.-]+(:[0-9]+)?(/[\w.~+%/-]*)?", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_FOLDER = re.compile(r"[\w./-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Source:
    """The lines of requirements.txt that name this program, and the wheel that they ask for."""

    lines: str
    wheel: tuple[str, bytes] | None = None


def source() -> Source:
    """Where CI is to get this program; without lines where that cannot be told."""
    if shipped.in_checkout():
        return _packed(shipped.checkout(shipped.PACKAGE.parent))
    found = _distribution()
    if not found:
        return Source("")
    told, ours = found.read_text("direct_url.json"), shipped.GENERATOR in (found.read_text("WHEEL") or "").splitlines()
    if told is None and not ours:
        return Source(f"{NAME}=={found.version}\n")
    line = _address(json.loads(told)) if told else ""
    return Source(line) if line else _packed(shipped.installed(found))


def requirements() -> Mapping[str, bytes]:
    """requirements.txt of a tree and the files that it names, by path."""
    where = source()
    if not where.lines:
        return {REQUIREMENTS: (_HEAD + _UNKNOWN).encode()}
    pins = [line for line in shipped.pinned().read_text("utf-8").splitlines() if not line.startswith("#")]
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
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(NAME)
    except PackageNotFoundError:
        return None
    here = shipped.PACKAGE.resolve()
    return found if here == Path(str(found.locate_file(shipped.PACKAGE.name))).resolve() else None


def _packed(program: shipped.Program | None) -> Source:
    if not program:
        return Source("")
    name, data = shipped.pack(program)
    line = f"{NAME}=={program.version} --hash=sha256:{sha256(data).hexdigest()}\n"
    return Source(f"--find-links {KEPT}\n{line}", (name, data))


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
    return f"{NAME} @ {url}" + (f"#subdirectory={within}" if within else "") + "\n"
