"""The pictures of a project, described without drawing them: by the name that their files have."""

from __future__ import annotations

from collections.abc import Mapping

from .charts import Picture
from .charts.bars import planned_and_actual, waste
from .charts.burn_up import burn_up
from .charts.drawdown import contingency
from .charts.frontier import frontier
from .charts.magnitudes import breakdowns, compared
from .charts.memory import configured, of_cards
from .charts.timeline import timeline
from .charts.waterfall import waterfall
from .choosing import Choosing
from .standing import Standing


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
        "memory": of_cards(setups) if setups else None,
    }
    found = {**found, **breakdowns(view), **compared(view), **configured(view)}
    return {name: picture for name, picture in found.items() if picture}
