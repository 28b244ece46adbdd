"""nav.yml: the order of the pages. It is generated because text order sorts version 1.10 before 1.2."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from . import escape
from .view import View

GUIDE = (
    ("guide/index.md", "The guide"),
    ("guide/start.md", "Ten-minute start"),
    ("guide/choosing.md", "Choosing hardware"),
    ("guide/measuring.md", "Measuring and projecting"),
    ("guide/language.md", "The ledger language"),
    ("guide/messages.md", "Problems and findings"),
)
PAGES = (
    ("index.md", "Budget"),
    ("status.md", "Status"),
    ("findings.md", "Findings"),
    ("derivations.md", "Derivations"),
    ("history.md", "Versions"),
)


def navigation(views: Sequence[View], existing: Callable[[str], str | None]) -> str:
    """The navigation as YAML: the portfolio, each project, the catalogue, and the guide where it is there."""
    lines = ["# Made by `python budget.py render`. Do not edit.", "nav:", "  - Portfolio: index.md"]
    for view in views:
        lines.append(f"  - {json.dumps(str(escape.attribute(view.project.title)))}:")
        shown = [(page, title) for page, title in PAGES if not (view.compares and title == "Status")]
        lines += [f"      - {title}: {view.id}/{page}" for page, title in shown]
    lines.append("  - Catalogue: catalog.md")
    guide = [(page, title) for page, title in GUIDE if existing(f"docs/{page}") is not None]
    if guide:
        lines.append("  - Guide:")
        lines += [f"      - {title}: {page}" for page, title in guide]
    return "\n".join(lines) + "\n"
