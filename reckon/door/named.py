"""The projects of a tree by their ids, for whoever names one or leaves it out."""

from __future__ import annotations

from pathlib import Path

from reckon.language.text import echoed

from .output import complain


def only_project(root: Path) -> str:
    """The one project of a tree; empty where there are none or several, with that said."""
    found = projects(root)
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"`{one}`" for one in found)
    complain(f"name the project: there are {names}" if found else "there is no project yet: see `budget guide own`")
    return ""


def projects(root: Path) -> list[str]:
    """The projects of a tree, by id."""
    from reckon.load import files

    return [path.name for path in files.projects(root, [])]


def no_project(root: Path, project: str) -> str:
    """What is said of a project that there is not; empty where there is one."""
    from reckon.model.problem import nearest

    if project in (known := projects(root)):
        return ""
    hint = nearest(project, known) or "a project is a folder under ledger/"
    return f"there is no project `{echoed(project)}`; {hint}"
