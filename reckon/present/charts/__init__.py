"""Pictures of the book: described here without any drawing library, drawn with vl-convert only when asked.

There is a module for each kind: the record that says what a picture shows, how it is filled from the book, and the
specification that is made of it, a plain dictionary in Vega-Lite. `layout`, `axes`, `time_plane` and `palette` have
what kinds share. `picture` has all kinds: there `fingerprint` names a picture, `is_current` tells whether a file on
disk is what would be drawn, and `draw` draws it. `drawer`, which alone imports vl-convert, is a program too:
`cli/drawing` has many pictures drawn by such processes while pages are filled, and keeps what they drew in the cache of
the user.

A fingerprint stands in the SVG and tells what is current: of the record, the number of the drawing of its kind
(`DRAWING`), the font and the version of vl-convert. These decide the specification, whose checksum the stamp has too,
so with nothing changed not even a specification is made. The number stands for the drawing code: a change that shows
has to raise it, one that does not leaves pictures alone. `tests/present/drawn.json` has fingerprints and files of
samples of all kinds; the same fingerprint with other files fails the tests. Amounts are added up as fractions and
rounded once; floats are summed by `fsum` only, since `sum` differs between versions of Python. Time is drawn as
milliseconds from 1970 in UTC with ticks of our own, so that no time zone can show. A layer named `hover` is in the
specification only, never in the SVG.
"""

from __future__ import annotations

from .picture import Drawing, Picture, draw, fingerprint, is_current
from .waterfall import Bar, Waterfall

__all__ = ["Bar", "Drawing", "Picture", "Waterfall", "draw", "fingerprint", "is_current"]
