"""All kinds of pictures together, what names one (the fingerprint, and the stamp in its file), and how it is drawn: a
specification for hovering on the site, and a static SVG for everyone else."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from html import escape
from typing import Any

from reckon.extras import folder_of

from ..budget.status import Standing
from ..choosing import Choosing
from . import palette
from .bars import Bars, planned_and_actual, waste
from .burn_up import BurnUp, burn_up
from .drawdown import Drawdown, contingency
from .drawer import svgs
from .frontier import Frontier, frontier
from .layout import FONTS, Spec, still
from .memory import Memory, configured, of_cards
from .range_dots import Magnitudes, of_measurements
from .timeline import Timeline, timeline
from .waterfall import Waterfall, waterfall
from .words import FONT, tidy

Picture = Waterfall | BurnUp | Bars | Drawdown | Timeline | Frontier | Memory | Magnitudes
"""The whole description of a picture: nothing else decides how it looks but the drawing code and its library."""

Pictures = Mapping[str, Picture]
"""Pictures by the names of their files, without endings."""

DRAWING: Mapping[type[Picture], int] = {
    Waterfall: 14,
    BurnUp: 18,
    Bars: 19,
    Drawdown: 15,
    Timeline: 15,
    Frontier: 16,
    Memory: 17,
    Magnitudes: 13,
}
"""The number of the drawing of each kind, raised with whatever changes the files of a picture of that kind.

It stands for the drawing code, so that a change there that shows nowhere leaves pictures as they are. Nobody has to
remember it: a test has every kind drawn, and wants another number for other files.
"""

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


Waiting = Callable[[], Sequence[Drawing]]
"""What waits for pictures, and gives them in the order in which they were asked for."""


def pictures(standing: Standing, choosing: Choosing) -> Pictures:
    """The pictures that there is something to show in."""
    view, setups = standing.view, choosing.main
    found = {
        "budget-waterfall": waterfall(view),
        "planned-and-actual": planned_and_actual(view),
        "burn-up": burn_up(view),
        "contingency": contingency(standing) if view.planned else None,
        "waste": waste(standing),
        "timeline": timeline(view),
        "frontier": frontier(setups) if setups else None,
        "memory": of_cards(setups) if setups else None,
        **of_measurements(view),
        **configured(view),
    }
    return {name: picture for name, picture in found.items() if picture}


def fingerprint(picture: Picture) -> str:
    """Return a SHA-256 (64 hexadecimal digits) of all that decides how `picture` is drawn.

    That is the picture and the number of its drawing, from which its specification follows; the bundled font; and the
    version of vl-convert (which is looked up, not imported). Raises ModuleNotFoundError when that is not installed.
    """
    parts = [hashlib.sha256(part.encode()).digest() for part in (_canonical(picture), f"{DRAWING[type(picture)]}")]
    return hashlib.sha256(b"".join([*parts, *drawn_with()])).hexdigest()


@cache
def drawn_with() -> tuple[bytes, ...]:
    """Return the SHA-256 of each thing that pictures are drawn with: the font, and the version of vl-convert."""
    glyphs = (FONT / "coverage.txt").read_text(encoding="utf-8").encode()  # line ends are made alike
    font = (path.read_bytes() for path in sorted(FONT.glob("*.ttf")))
    return tuple(hashlib.sha256(part).digest() for part in (glyphs, *font, _version().encode()))


def _version() -> str:
    """Return the version of vl-convert, by the name of a folder: `importlib.metadata` takes longer to import."""
    (found,) = folder_of("vl_convert").glob("vl_convert_python-*.dist-info")
    return found.name.removeprefix("vl_convert_python-").removesuffix(".dist-info")


def _canonical(picture: Picture) -> str:
    shown = {"kind": type(picture).__name__, **_stated_fields(picture)}
    return json.dumps(shown, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_bare)


def _bare(part: Any) -> object:
    # In hexadecimal, since Python turns no more than some thousands of digits into decimals.
    return f"{part.numerator:x}/{part.denominator:x}" if isinstance(part, Fraction) else _stated_fields(part)


def _stated_fields(part: Any) -> dict[str, object]:
    """Return what a record says that is not so by default: with a new field, pictures that do without stay current."""
    found = {field.name: (getattr(part, field.name), field.default) for field in fields(part)}
    return {field: said for field, (said, default) in found.items() if said != default}


def is_current(svg_text: str, picture: Picture, spec_text: str) -> bool:
    """Tell whether both files hold what drawing `picture` would write, without drawing it.

    True when the first line of `svg_text` has the fingerprint of `picture`, and neither the rest of it nor `spec_text`
    was altered since. Line ends do not count.
    """
    stamp, _, body = svg_text.replace("\r\n", "\n").partition("\n")
    return stamp == _stamp(body, picture, spec_text.replace("\r\n", "\n"))


def _stamp(body: str, picture: Picture, spec: str) -> str:
    """Return the first line of an SVG file, by which it is known whether the picture would be drawn the same again."""
    hover, drawing = (hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest() for text in (spec, body))
    return f"<!-- picture {fingerprint(picture)} hover {hover} drawing {drawing} -->"


def draw(picture: Picture) -> Drawing:
    """Return `picture` drawn, the same to the byte wherever the same version of vl-convert is installed.

    Takes some tenths of a second and reads nothing but the bundled font. Imports vl-convert.
    """
    spec, unmoved = specified(picture)
    return finished(svgs(str(FONT), [unmoved])[0], picture, spec)


def specified(picture: Picture) -> tuple[str, str]:
    """Return the specification of `picture` as JSON, and what is drawn of it: without what answers to the pointer."""
    whole = picture.specification()
    return _json(whole), _json(still(whole))


def finished(svg: str, picture: Picture, spec: str) -> Drawing:
    """Return `picture` as it is published, of what was drawn as `svg` by its specification.

    Coordinates are rounded to hundredths of a pixel (beyond that processors differ), each element has a line of its own
    (for people who compare versions), what says nothing in an image is left out, and the root carries the fonts, a
    title, a description, and the rules that swap each light ink for its dark one where the page around it is dark.
    """
    steady = _UNSEEN.sub("", _TAG.sub(lambda tag: _PLACE.sub(_rounded, _NOISE.sub("", tag[0])), svg))
    root, _, rest = steady.partition(">")
    words = f"<title>{escape(tidy(picture.title))}</title><desc>{escape(tidy(picture.alt))}</desc>"
    rules = (f'[{way}="{ink}"]{{{way}:{dark}}}' for ink, dark in palette.DARK.items() for way in ("fill", "stroke"))
    style = "@media (prefers-color-scheme:dark){" + "".join(rules) + "}"
    whole = f'{root} role="img" font-family="{FONTS}">{words}{palette.STYLE}<style>{style}</style>{rest}'
    body = whole.replace("><", ">\n<") + "\n"
    return Drawing(svg=f"{_stamp(body, picture, spec)}\n{body}", spec=spec)


def _json(specification: Spec) -> str:
    """Return `specification` with sorted keys, in ASCII, with < > & escaped: harmless inside HTML too."""
    text = json.dumps(specification, sort_keys=True, indent=1, allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text + "\n"


def _rounded(attribute: re.Match[str]) -> str:
    return _NUMBER.sub(lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), attribute[0])
