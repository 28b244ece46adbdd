"""All kinds of pictures together, and what names one: the fingerprint and the stamp in its file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from importlib.metadata import version
from types import MappingProxyType

from ..budget.status import Standing
from ..choosing import Choosing
from .bars import Bars, planned_and_actual, waste
from .burn_up import BurnUp, burn_up
from .drawdown import Drawdown, contingency
from .frontier import Frontier, frontier
from .magnitudes import Magnitudes, breakdowns, compared
from .memory import Memory, configured, of_cards
from .timeline import Timeline, timeline
from .waterfall import Waterfall, waterfall
from .words import FONT

Picture = Waterfall | BurnUp | Bars | Drawdown | Timeline | Frontier | Memory | Magnitudes
"""The whole description of a picture: nothing else decides how it looks but the drawing code and its library."""

DRAWING: Mapping[type[Picture], int] = MappingProxyType(
    {Waterfall: 1, BurnUp: 1, Bars: 1, Drawdown: 1, Timeline: 1, Frontier: 1, Memory: 1, Magnitudes: 1}
)
"""The number of the drawing of each kind, raised with whatever changes the files of a picture of that kind.

It stands for the drawing code, so that a change there that shows nowhere leaves pictures as they are. Nobody has to
remember it: a test has every kind drawn, and wants another number for other files.
"""


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
    return {field: said for field, (said, default) in found.items() if said != default}


def _font() -> Iterator[bytes]:
    """Yield the list of the font's characters (line ends made alike) and its files, in a fixed order."""
    yield (FONT / "coverage.txt").read_text(encoding="utf-8").encode()
    yield from (path.read_bytes() for path in sorted(FONT.glob("*.ttf")))


def stamped(body: str, picture: Picture, spec: str) -> str:
    """Return `body` after a comment with the fingerprint of `picture` and the checksums of `spec` and `body`.

    By this first line of its file it is known whether a picture would be drawn the same again.
    """
    return f"{_stamp(body, picture, spec)}\n{body}"


def is_current(svg_text: str, picture: Picture, spec_text: str) -> bool:
    """Tell whether both files hold what drawing `picture` would write, without drawing it.

    True when the first line of `svg_text` has the fingerprint of `picture`, and neither the rest of it nor `spec_text`
    was altered since. Line ends do not count.
    """
    stamp, _, body = svg_text.replace("\r\n", "\n").partition("\n")
    return stamp == _stamp(body, picture, spec_text.replace("\r\n", "\n"))


def _stamp(body: str, picture: Picture, spec: str) -> str:
    return f"<!-- picture {fingerprint(picture)} hover {_sha256(spec)} drawing {_sha256(body)} -->"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def pictures(standing: Standing, choosing: Choosing) -> Mapping[str, Picture]:
    """The pictures that there is something to show in."""
    view, setups = standing.view, choosing.main
    found: Mapping[str, Picture | None] = {
        "budget-waterfall": waterfall(view.book, view.ledger),
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
