"""The libraries that only some commands need: which extra brings each, and the command that adds it here."""

from __future__ import annotations

import importlib.util
import shlex
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
EXTRAS = {
    "mkdocs": "site",
    "zensical": "zensical",
    "vl_convert": "pictures",
    "pandas": "notebook",
    "openpyxl": "xlsx",
    "pyarrow": "parquet",
    "typst": "pdf",
    "duckdb": "scale",
    "ibis": "warehouse",
}
"""The extra of this package that brings a library. The other libraries come with the package itself."""


def is_installed(library: str) -> bool:
    """Whether a library can be imported. Imports nothing."""
    return importlib.util.find_spec(library) is not None


def folder_of(library: str) -> Path:
    """The folder in which a library is installed. Raises ModuleNotFoundError."""
    found = importlib.util.find_spec(library)
    if found is None or found.origin is None:
        raise ModuleNotFoundError(name=library)
    return Path(found.origin).parents[1]


def install(library: str) -> str:
    """The command that adds a library to this installation: by pipx, uv or pip, whichever manages it."""
    extra = EXTRAS.get(library, "all")
    package = [f"budget-ledger[{extra}]"]
    home = Path(sys.prefix)
    if not (PACKAGE / "templates").exists():
        if sys.prefix == sys.base_prefix:
            return "make site"  # it sets up an environment of this checkout
        package = ["-e", f"{PACKAGE.parent}[{extra}]"]
    if (home / "pipx_metadata.json").is_file():
        manager = ["pipx", "runpip", home.name, "install"]
    elif is_installed("pip"):
        manager = [sys.executable, "-m", "pip", "install"]
    else:
        manager = ["uv", "pip", "install", "--python", sys.executable]
    return shlex.join([*manager, *package])
