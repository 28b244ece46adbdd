"""The pictures of a project, described without drawing them: by the name that their files have."""

from __future__ import annotations

from collections.abc import Mapping

from ..charts import Picture
from ..choosing import Choosing
from ..standing import Standing
from .bars import planned_and_actual, waste
from .burn_up import burn_up
from .choosing import frontier, memory
from .fitting import configured
from .measured import breakdowns, compared
from .reserve import contingency
from .timeline import timeline
from .waterfall import waterfall


def pictures(standing: Standing, choosing: Choosing) -> Mapping[str, Picture]:
    """The pictures that there is something to show in."""
    view, setups = standing.view, choosing.main
    found: Mapping[str, Picture | None] = {
        "budget-waterfall": waterfall(view.book, view.one),
        "planned-and-actual": planned_and_actual(view),
        "burn-up": burn_up(view),
        "contingency": contingency(standing) if view.planned else None,
        "waste": waste(standing),
        "timeline": timeline(view),
        "frontier": frontier(setups) if setups else None,
        "memory": memory(setups) if setups else None,
    }
    found = {**found, **breakdowns(view), **compared(view), **configured(view)}
    return {name: picture for name, picture in found.items() if picture}
