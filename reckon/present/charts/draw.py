"""The drawing of a picture: a specification for hovering on the site, and a static SVG for everyone else."""

import json
import re
from dataclasses import dataclass
from html import escape

from . import palette
from .frame import FONTS, Spec, still
from .picture import Picture, stamped
from .words import FONT, tidy

VEGA_LITE = "6.4"
"""The version of Vega-Lite that specifications are written for, of those that vl-convert has."""

# Text and attribute values arrive with < > and " escaped, so these only ever match markup.
_TAG = re.compile(r"<[a-z][^<>]*>")
_PLACE = re.compile(r' (?:width|height|viewBox|transform|d|x2|y2)="[^"]*"')
_NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_NOISE = re.compile(r' (?:(?:class|role|aria-[a-z]+|pointer-events|font-family)="[^"]*"|(?:fill-)?opacity="1")')
_UNSEEN = re.compile(r'<path d="[^"]*"/>|<path d=""[^<>]*/>')


@dataclass(frozen=True)
class Drawing:
    """A drawn picture: the text of its SVG file and of its Vega-Lite specification (JSON), both ending in a newline."""

    svg: str
    spec: str


def draw(picture: Picture) -> Drawing:
    """Return `picture` drawn, the same to the byte wherever the same version of vl-convert is installed.

    Takes some tenths of a second and reads nothing but the bundled font. Imports vl-convert.
    """
    import vl_convert

    whole = picture.specification()
    spec = _json(whole)
    vl_convert.register_font_directory(str(FONT))
    svg = vl_convert.vegalite_to_svg(
        _json(still(whole)),
        vl_version=VEGA_LITE,
        allowed_base_urls=[],
        format_locale="en-US",
        time_format_locale="en-US",
    )
    return Drawing(svg=stamped(finished(svg, picture), picture, spec), spec=spec)


def _json(specification: Spec) -> str:
    """Return `specification` with sorted keys, in ASCII, with < > & escaped: harmless inside HTML too."""
    text = json.dumps(specification, sort_keys=True, indent=1, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"


def finished(svg: str, picture: Picture) -> str:
    """Return `svg` as it is published.

    Coordinates are rounded to hundredths of a pixel (beyond that processors differ), each element has a line of its own
    (for people who compare versions), what says nothing in an image is left out, and the root carries the fonts, a
    title, a description and the dark colours.
    """
    steady = _UNSEEN.sub("", _TAG.sub(_plain, svg))
    root, _, rest = steady.partition(">")
    words = f"<title>{escape(tidy(picture.title))}</title><desc>{escape(tidy(picture.alt))}</desc>"
    whole = f'{root} role="img" font-family="{FONTS}">{words}<style>{_dark_style()}</style>{rest}'
    return whole.replace("><", ">\n<") + "\n"


def _plain(tag: re.Match[str]) -> str:
    return _PLACE.sub(_rounded, _NOISE.sub("", tag[0]))


def _rounded(attribute: re.Match[str]) -> str:
    return _NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])


def _dark_style() -> str:
    """Return the rules that swap each light ink for its dark one where the page around the picture is dark."""
    rules = (f'[{way}="{ink.light}"]{{{way}:{ink.dark}}}' for ink in palette.INKS for way in ("fill", "stroke"))
    return "@media (prefers-color-scheme:dark){" + "".join(rules) + "}"
