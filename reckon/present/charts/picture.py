"""All kinds of pictures together, and what names one."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType

from reckon.present.charts.kinds.bars import Bars
from reckon.present.charts.kinds.burn_up import BurnUp
from reckon.present.charts.kinds.drawdown import Drawdown
from reckon.present.charts.kinds.frontier import Frontier
from reckon.present.charts.kinds.magnitudes import Magnitudes
from reckon.present.charts.kinds.memory import Memory
from reckon.present.charts.kinds.timeline import Timeline
from reckon.present.charts.kinds.waterfall import Waterfall

Picture = Waterfall | BurnUp | Bars | Drawdown | Timeline | Frontier | Memory | Magnitudes
"""The whole description of a picture: nothing else decides how it looks but the drawing code and its libraries."""

DRAWING: Mapping[type[Picture], int] = MappingProxyType(
    {Waterfall: 1, BurnUp: 1, Bars: 1, Drawdown: 1, Timeline: 1, Frontier: 1, Memory: 1, Magnitudes: 1}
)
"""The number of the drawing of each kind, raised with whatever changes the files of a picture of that kind.

It stands for the drawing code and the version of Altair, so that a change there that shows nowhere leaves pictures
as they are. Nobody has to remember it: a test has every kind drawn, and wants another number for other files.
"""

FONT = Path(__file__).parent / "font"
"""The folder of the bundled font."""


def fingerprint(picture: Picture) -> str:
    """Return a SHA-256 (64 hexadecimal digits) of all that decides how `picture` is drawn.

    That is the picture and the number of its drawing, from which its specification follows; the bundled font; and the
    version of vl-convert (which is looked up, not imported). Raises PackageNotFoundError when that is not installed.
    """
    sha = hashlib.sha256()
    number = f"{DRAWING[type(picture)]}"
    for part in (_canonical(picture).encode(), number.encode(), *_font(), version("vl-convert-python").encode()):
        sha.update(hashlib.sha256(part).digest())
    return sha.hexdigest()


def _canonical(picture: Picture) -> str:
    shown = {"kind": type(picture).__name__, **_told(picture)}
    return json.dumps(shown, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain)


def _plain(part: object) -> object:
    # In hexadecimal, since Python turns no more than some thousands of digits into decimals.
    return f"{part.numerator:x}/{part.denominator:x}" if isinstance(part, Fraction) else _told(part)


def _told(part: object) -> dict[str, object]:
    """Return what a record says that is not so by default: with a new field, pictures that do without stay current."""
    if not is_dataclass(part):
        raise TypeError(f"{part!r} cannot be part of a picture")
    found = {field.name: (getattr(part, field.name), field.default) for field in fields(part)}
    return {name: said for name, (said, default) in found.items() if said != default}


def _font() -> Iterator[bytes]:
    """Yield the list of the font's characters (line ends made alike) and its files, in a fixed order."""
    yield (FONT / "coverage.txt").read_text(encoding="utf-8").encode()
    yield from (path.read_bytes() for path in sorted(FONT.glob("*.ttf")))
