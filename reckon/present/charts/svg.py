"""The finishing of a drawn picture: steady numbers, colours for a dark page, a name and a description."""

import re
from html import escape

from reckon.present.charts import palette
from reckon.present.charts.picture import Picture
from reckon.present.charts.words import tidy

# Text and attribute values arrive with < > and " escaped, so these only ever match markup.
_TAG = re.compile(r"<[a-z][^<>]*>")
_PLACE = re.compile(r' (?:width|height|viewBox|transform|d|x2|y2)="[^"]*"')
_NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_NOISE = re.compile(r' (?:(?:class|role|aria-[a-z]+|pointer-events|font-family)="[^"]*"|(?:fill-)?opacity="1")')
_UNSEEN = re.compile(r'<path d="[^"]*"/>|<path d=""[^<>]*/>')


def finished(svg: str, picture: Picture, fonts: str) -> str:
    """Return `svg` as it is published.

    Coordinates are rounded to hundredths of a pixel (beyond that processors differ), each element has a line of its own
    (for people who compare versions), what says nothing in an image is left out, and the root carries the `fonts`, a
    title, a description and the dark colours.
    """
    steady = _UNSEEN.sub("", _TAG.sub(_plain, svg))
    root, _, rest = steady.partition(">")
    words = f"<title>{escape(tidy(picture.title))}</title><desc>{escape(tidy(picture.alt))}</desc>"
    whole = f'{root} role="img" font-family="{fonts}">{words}<style>{_dark_style()}</style>{rest}'
    return whole.replace("><", ">\n<") + "\n"


def _plain(tag: re.Match[str]) -> str:
    return _PLACE.sub(_rounded, _NOISE.sub("", tag[0]))


def _rounded(attribute: re.Match[str]) -> str:
    return _NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])


def _dark_style() -> str:
    """Return the rules that swap each light ink for its dark one where the page around the picture is dark."""
    rules = (f'[{way}="{ink.light}"]{{{way}:{ink.dark}}}' for ink in palette.INKS for way in ("fill", "stroke"))
    return "@media (prefers-color-scheme:dark){" + "".join(rules) + "}"
