"""All kinds of pictures together, and what names one."""

import hashlib
import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

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

FONT = Path(__file__).parent / "font"
"""The folder of the bundled font."""


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
    shown = {"kind": type(picture).__name__, **asdict(picture)}
    return json.dumps(shown, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _drawing_code() -> list[str | bytes]:
    """Return the contents of every module here (line ends made alike) and of the font, in a fixed order."""
    here = Path(__file__).parent
    modules = sorted(here.rglob("*.py"), key=Path.as_posix)
    code: list[str | bytes] = [path.read_text(encoding="utf-8") for path in (*modules, FONT / "coverage.txt")]
    return [*code, *(path.read_bytes() for path in sorted(FONT.glob("*.ttf")))]
