"""The first line of a picture's file, by which it is known whether it would be drawn the same again."""

import hashlib

from reckon.present.charts.picture import Picture, fingerprint


def stamped(body: str, picture: Picture, spec: str) -> str:
    """Return `body` after a comment with the fingerprint of `picture` and the checksums of `spec` and `body`."""
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
