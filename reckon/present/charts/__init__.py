"""Pictures of the book: described here without any drawing library, drawn with vl-convert only when asked.

There is a module for each kind: the record that says what a picture shows, how it is filled from the book, and the
specification that is made of it. `fingerprint` names a picture, `is_current` tells whether a file on disk is what
would be drawn, and `draw` draws it. Only `draw` imports vl-convert.
"""

from .draw import Drawing, draw
from .picture import Picture, fingerprint, is_current
from .waterfall import Bar, Waterfall

__all__ = ["Bar", "Drawing", "Picture", "Waterfall", "draw", "fingerprint", "is_current"]
