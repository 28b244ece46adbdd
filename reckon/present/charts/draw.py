"""The drawing of a picture: a specification for hovering on the site, and a static SVG for everyone else."""

import json
from dataclasses import dataclass
from typing import Any

from reckon.present.charts.drawing import bars, burn_up, drawdown, frontier, magnitudes, memory, timeline, waterfall
from reckon.present.charts.drawing.frame import still
from reckon.present.charts.drawing.looks import FONTS
from reckon.present.charts.kinds.bars import Bars
from reckon.present.charts.kinds.burn_up import BurnUp
from reckon.present.charts.kinds.drawdown import Drawdown
from reckon.present.charts.kinds.frontier import Frontier
from reckon.present.charts.kinds.magnitudes import Magnitudes
from reckon.present.charts.kinds.memory import Memory
from reckon.present.charts.kinds.timeline import Timeline
from reckon.present.charts.kinds.waterfall import Waterfall
from reckon.present.charts.picture import FONT, Picture
from reckon.present.charts.stamp import stamped
from reckon.present.charts.svg import finished


@dataclass(frozen=True)
class Drawing:
    """A drawn picture: the text of its SVG file and of its Vega-Lite specification (JSON), both ending in a newline."""

    svg: str
    spec: str


def draw(picture: Picture) -> Drawing:
    """Return `picture` drawn, the same to the byte wherever the same versions of the libraries are installed.

    Takes about a second and reads nothing but the bundled font. Imports Altair and vl-convert.
    """
    import altair
    import vl_convert

    whole = specification(picture)
    spec = _json(whole)
    vl_convert.register_font_directory(str(FONT))
    svg = vl_convert.vegalite_to_svg(
        _json(still(whole)),
        vl_version=".".join(altair.VEGALITE_VERSION.split(".")[:2]),
        allowed_base_urls=[],
        format_locale="en-US",
        time_format_locale="en-US",
    )
    return Drawing(svg=stamped(finished(svg, picture, FONTS), picture, spec), spec=spec)


def specification(picture: Picture) -> dict[str, Any]:
    """Return the Vega-Lite specification of `picture`, as its JSON file has it. Imports Altair."""
    match picture:
        case Waterfall():
            return waterfall.specification(picture)
        case BurnUp():
            return burn_up.specification(picture)
        case Bars():
            return bars.specification(picture)
        case Drawdown():
            return drawdown.specification(picture)
        case Timeline():
            return timeline.specification(picture)
        case Frontier():
            return frontier.specification(picture)
        case Memory():
            return memory.specification(picture)
        case Magnitudes():
            return magnitudes.specification(picture)


def _json(specification: dict[str, Any]) -> str:
    """Return `specification` with sorted keys, in ASCII, with < > & escaped: harmless inside HTML too."""
    text = json.dumps(specification, sort_keys=True, indent=1, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"
