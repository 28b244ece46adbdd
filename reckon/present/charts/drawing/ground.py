"""The plane of time and cost, on which choices are points."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reckon.present.charts.drawing.scales import Scale
from reckon.present.charts.kinds.frontier import Frontier

if TYPE_CHECKING:
    import altair as alt

WIDE, HEIGHT = 605, 340
"""The size of the plane in a still picture, in pixels (its width is about that)."""


@dataclass(frozen=True)
class Ground:
    """The scales of a picture, and what they count."""

    time: Scale
    cost: Scale
    time_unit: str
    cost_unit: str

    @classmethod
    def under(cls, picture: Frontier) -> "Ground":
        """Return the plane that holds all points of `picture`, with the ranges of their cost."""
        time = Scale.around([one.time for one in picture.points])
        cost = Scale.around([end for one in picture.points for end in one.ends])
        return cls(time, cost, picture.time_unit, picture.cost_unit)

    def x(self, field: str) -> "alt.X":
        """Return the horizontal place of the times in `field`."""
        import altair as alt

        return alt.X(f"{field}:Q", **self.time.shown("time", self.time_unit))

    def y(self, field: str) -> "alt.Y":
        """Return the vertical place of the costs in `field`."""
        import altair as alt

        return alt.Y(f"{field}:Q", **self.cost.shown("cost", self.cost_unit))

    def pixel(self, time: float, cost: float) -> tuple[float, float]:
        """Return where a time and a cost are, in pixels from the top left."""
        return self.time.along(time) * WIDE, (1 - self.cost.along(cost)) * HEIGHT
