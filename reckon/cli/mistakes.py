"""Mistakes in templates: they are input too, and what is wrong with one is told at its line."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

from reckon.language.text import Place
from reckon.model.finding import Problem


def template_problem(error: Exception, folders: Sequence[Path]) -> Problem | None:
    """The innermost line of a template that an error passed through, as a problem; None where there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        for folder in folders:
            if file.is_relative_to(folder):
                place = Place(f"templates/{file.relative_to(folder).as_posix()}", frame.lineno or 1, 1)
                said = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
                return Problem(place, f"the template does not work: {said}", "correct this line")
    return None
