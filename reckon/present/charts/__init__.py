"""Pictures of the book: described here without any drawing library, drawn with Altair only when asked.

`Picture` says what a picture shows, `fingerprint` names it, `is_current` tells whether a file on disk is
what would be drawn, and `draw` draws it. Only `draw` imports Altair and vl-convert.
"""

from reckon.present.charts.draw import Drawing, draw
from reckon.present.charts.picture import Bar, Picture, Role, fingerprint
from reckon.present.charts.stamp import is_current

__all__ = ["Bar", "Drawing", "Picture", "Role", "draw", "fingerprint", "is_current"]
