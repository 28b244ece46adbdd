"""What a picture shows, said without the libraries that draw it."""

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal, get_args

Role = Literal["one-time", "per-seed", "single-seed", "all-seeds", "contingency", "extension", "subtotal", "total"]
"""What a bar is in the budget formula; decides its colour."""

MOST_BARS = 2000
"""The most bars that a picture holds; a caller with more merges the smallest first."""

FONT = Path(__file__).parent / "font"
"""The folder of the bundled font."""


@dataclass(frozen=True)
class Bar:
    """One row of a waterfall: it floats from `start` to `end`, both in the picture's unit.

    `value` is the amount as printed (the picture never formats it); `running` is the total so far as printed,
    shown on hover where given. Subtotals and totals start at zero. Raises ValueError for a number that is not finite
    or an unknown role.
    """

    label: str
    start: float
    end: float
    role: Role
    value: str
    running: str = ""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start) and math.isfinite(self.end)):
            raise ValueError(f"bar {self.label!r} runs from {self.start} to {self.end}: both must be finite")
        if self.role not in get_args(Role):
            raise ValueError(f"bar {self.label!r} has the role {self.role!r}, which is none of {get_args(Role)}")


@dataclass(frozen=True)
class Picture:
    """The whole description of a picture: nothing else decides how it looks but the drawing code and its libraries.

    `unit` is what the axis counts (such as "GPU-hours"), `alt` the sentence read instead of the picture, with its
    numbers. Raises ValueError when there is no bar, or more than 2000.
    """

    kind: Literal["waterfall"]
    title: str
    unit: str
    bars: tuple[Bar, ...]
    alt: str

    def __post_init__(self) -> None:
        if self.kind != "waterfall":
            raise ValueError(f"no picture is called {self.kind!r}: the kinds are 'waterfall'")
        if not self.bars:
            raise ValueError(f"the picture {self.title!r} has no bars")
        if len(self.bars) > MOST_BARS:
            raise ValueError(
                f"the picture {self.title!r} has {len(self.bars)} bars, and at most {MOST_BARS} can be shown: "
                "merge the smallest into one before drawing"
            )


def fingerprint(picture: Picture) -> str:
    """Return a SHA-256 (64 hexadecimal digits) of all that decides how `picture` is drawn.

    That is the picture, the text of the drawing code, the bundled font, and the versions of Altair and vl-convert
    (which are looked up, not imported). Raises PackageNotFoundError when one of the two is not installed.
    """
    sha = hashlib.sha256()
    for part in (_canonical(picture), *_drawing_code(), version("altair"), version("vl-convert-python")):
        sha.update(hashlib.sha256(part if isinstance(part, bytes) else part.encode()).digest())
    return sha.hexdigest()


def _canonical(picture: Picture) -> str:
    return json.dumps(asdict(picture), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _drawing_code() -> list[str | bytes]:
    """Return the contents of every module here (line ends made alike) and of the font, in a fixed order."""
    here = Path(__file__).parent
    code = [path.read_text(encoding="utf-8") for path in (*sorted(here.glob("*.py")), FONT / "coverage.txt")]
    return [*code, *(path.read_bytes() for path in sorted(FONT.glob("*.ttf")))]
