"""The drawing itself, with vl-convert, which needs half a second before its first picture and lets nothing else of its
process run. So this file is a program too, which draws beside the process that asks: see `reckon/cli/drawing`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence

VEGA_LITE = "6.4"
"""The version of Vega-Lite that specifications are written for, of those that vl-convert has."""

NOTHING = '{"mark": "point", "data": {"values": []}}'
"""A specification that shows nothing: drawing it starts the engine."""


def svgs(font: str, specifications: Sequence[str]) -> list[str]:
    """Return each of some specifications as SVG, with the font that lies in a folder. Imports vl-convert."""
    import vl_convert

    vl_convert.register_font_directory(font)
    return [
        vl_convert.vegalite_to_svg(
            text, vl_version=VEGA_LITE, allowed_base_urls=[], format_locale="en-US", time_format_locale="en-US"
        )
        for text in specifications
    ]


def main() -> None:
    """Start the engine, read specifications from standard input, a list in JSON, and write what is drawn of them to
    standard output as another. Where none are asked for, nothing is written.

    Arguments: the folder in which vl-convert is installed, and that of the font.
    """
    libraries, font = sys.argv[1:]
    sys.path.append(libraries)
    svgs(font, [NOTHING])
    asked = sys.stdin.buffer.read()
    if asked:
        sys.stdout.write(json.dumps(svgs(font, json.loads(asked))))
        sys.stdout.flush()
    os._exit(0)  # taking the engine of vl-convert down takes time, and leaves nothing behind


if __name__ == "__main__":
    main()
