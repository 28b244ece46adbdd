"""Closed periods on disk: reading them, and telling what of them is not as it was closed. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from reckon.language.groups import group_by
from reckon.language.text import Place
from reckon.model.closing import HOME, Closing, is_named, read_closing
from reckon.model.finding import Problem
from reckon.model.release import Changed

from .releases import Problems, back, homes, read_each, read_sealed

NEVER = "a closing"


def closings(root: Path) -> tuple[tuple[Closing, ...], Problems]:
    """All closings and adjustments of a tree, by allocation, day and project, and what of them is not as it was."""
    problems: Problems = []
    found = sorted(
        read_each(root, homes(root, "ledger", HOME, problems), partial(_closing, root), problems),
        key=lambda each: (
            each.allocation,
            each.days.first,
            each.period,
            each.number > 0,
            each.date,
            each.project,
            each.number,
            each.file,
        ),
    )
    if not problems:  # else one that could not be read would be told as missing too
        problems += [*_missing(root, found), *_meeting(found)]
    return tuple(found), sorted(set(problems))


def _closing(root: Path, path: Path) -> Closing:
    """The closing in a file. Raises Changed."""
    if not is_named(path.name):
        raise Changed("this file is not part of a closed period", "remove it")
    return read_closing(read_sealed(root, path, "this closing", NEVER), path.relative_to(root).as_posix())


def _missing(root: Path, found: Iterable[Closing]) -> Iterator[Problem]:
    """A problem for each project that was closed with another one and whose file is gone; and for each adjustment of
    what no project has closed."""
    closed = [each for each in found if not each.number]
    files, periods = {each.file for each in closed}, {(each.allocation, each.period) for each in closed}
    lost = [each for each in found if each.number and (each.allocation, each.period) not in periods]
    for each in (*closed, *lost):
        for project in each.projects or (each.project,):
            file = f"ledger/{project}/{HOME}/{each.allocation}.{each.period}.json"
            if file not in files:
                wrong = f"the closing of {each.period} of {each.allocation} is missing here"
                yield Problem(Place(file), wrong, back(root, root / file))


def _meeting(found: Iterable[Closing]) -> Iterator[Problem]:
    """A problem for each closing that has a day in common with another one of its allocation."""
    periods = group_by((each for each in found if not each.number), lambda each: (each.allocation, each.period))
    for allocation, closed in groupby((first for first, *_ in periods.values()), key=lambda each: each.allocation):
        widest, *later = closed
        for each in later:  # in order of their first days
            if widest.days.meets(each.days):
                wrong = f"{each.period} of {allocation} meets {widest.period}, which is closed too"
                yield Problem(Place(each.file), wrong, "remove the later one, in all projects")
            widest = max(widest, each, key=lambda some: some.days.last)
