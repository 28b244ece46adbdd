"""Pictures of the book: described here without any drawing library, drawn with Altair only when asked.

`Waterfall`, `BurnUp`, `Bars`, `Drawdown`, `Timeline`, `Frontier`, `Memory` and `Magnitudes` say what a picture shows,
`fingerprint` names it, `is_current` tells whether a file on disk is what would be drawn, and `draw` draws it. Only
`draw` imports Altair and vl-convert.
"""

from reckon.present.charts.draw import Drawing, draw
from reckon.present.charts.kinds.bars import Bars, Row, Segment, Use
from reckon.present.charts.kinds.burn_up import BurnUp, Fan, Limit
from reckon.present.charts.kinds.drawdown import Drawdown, Step
from reckon.present.charts.kinds.frontier import Dot, Frontier, Merit
from reckon.present.charts.kinds.magnitudes import Magnitude, Magnitudes
from reckon.present.charts.kinds.memory import Fit, Memory, Part, Room
from reckon.present.charts.kinds.timeline import Lane, Outcome, Span, Timeline
from reckon.present.charts.kinds.waterfall import Bar, Role, Waterfall
from reckon.present.charts.picture import Picture, fingerprint
from reckon.present.charts.stamp import is_current

__all__ = [
    "Bar",
    "Bars",
    "BurnUp",
    "Dot",
    "Drawdown",
    "Drawing",
    "Fan",
    "Fit",
    "Frontier",
    "Lane",
    "Limit",
    "Magnitude",
    "Magnitudes",
    "Memory",
    "Merit",
    "Outcome",
    "Part",
    "Picture",
    "Role",
    "Room",
    "Row",
    "Segment",
    "Span",
    "Step",
    "Timeline",
    "Use",
    "Waterfall",
    "draw",
    "fingerprint",
    "is_current",
]
