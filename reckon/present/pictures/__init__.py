"""The pictures of a project, described without drawing them: by the name that their files have."""

from __future__ import annotations

from collections.abc import Mapping

from ..charts import Picture
from ..standing import Standing
from .waterfall import waterfall


def pictures(standing: Standing) -> Mapping[str, Picture]:
    """The pictures that there is something to show in."""
    view = standing.view
    found = {"budget-waterfall": waterfall(view.book, view.one)}
    return {name: picture for name, picture in found.items() if picture}
