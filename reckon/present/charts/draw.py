"""The drawing of a picture: a specification for hovering on the site, and a static SVG for everyone else."""

import json
from dataclasses import dataclass
from typing import Any

from reckon.present.charts.looks import FONTS
from reckon.present.charts.picture import FONT, Picture
from reckon.present.charts.stamp import stamped
from reckon.present.charts.svg import finished
from reckon.present.charts.waterfall import waterfall


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

    spec = _json(waterfall(picture))
    vl_convert.register_font_directory(str(FONT))
    svg = vl_convert.vegalite_to_svg(
        spec,
        vl_version=".".join(altair.VEGALITE_VERSION.split(".")[:2]),
        allowed_base_urls=[],
        format_locale="en-US",
        time_format_locale="en-US",
    )
    return Drawing(svg=stamped(finished(svg, picture, FONTS), picture, spec), spec=spec)


def _json(specification: dict[str, Any]) -> str:
    """Return `specification` with sorted keys, in ASCII, with < > & escaped: harmless inside HTML too."""
    text = json.dumps(specification, sort_keys=True, indent=1, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"
