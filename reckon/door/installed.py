"""Where this program was installed from, as a line for requirements.txt: CI is to get the same."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution

NAME = "budget-ledger"


def requirement() -> str:
    """The line; empty where it runs from a checkout, or came from a place on this machine alone."""
    try:
        found = distribution(NAME)
    except PackageNotFoundError:
        return ""
    told = found.read_text("direct_url.json")
    return f"{NAME}=={found.version}\n" if told is None else _direct(json.loads(told))


def _direct(told: dict[str, object]) -> str:
    """The line for a package that was installed from an address (the file is described in PEP 610)."""
    url, vcs, within = str(told.get("url", "")), told.get("vcs_info"), told.get("subdirectory")
    if not url.startswith(("https://", "ssh://")):
        return ""
    if isinstance(vcs, dict):
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"{NAME} @ {url}" + (f"#subdirectory={within}" if within else "") + "\n"
