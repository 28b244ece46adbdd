"""A look through a file before an engine reads it: is it text that all programs cut alike, and what is its checksum."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from ..reading import NotAnExport, NumberedLines

PARQUET = b"PAR1"
_AT_ONCE = 1 << 23
_PLAIN, _SPACES = bytes(range(32, 127)) + b"\n", b"\r\t"
LONG, MOST = 1 << 20, 1 << 23
"""Bytes of a line that an engine takes, and that anyone reads: one that is longer is none of an export."""
Far = Callable[[int, int], None]


class Seen(NamedTuple):
    """What a file is: its checksum, whether it is a table of Parquet, whether it has nothing but printable ASCII,
    whether all its lines end alike, none of them is long, and no other sign ends one; and the first line that has more
    than `MOST` bytes, 0 for none."""

    checksum: str
    parquet: bool = False
    ascii: bool = False
    regular: bool = False
    endless: int = 0


def seen(file: BinaryIO, size: int, far: Far) -> Seen:
    """Looks through a file of so many bytes; `far` is told how far. Raises NotAnExport where it is not UTF-8."""
    digest, decoder = hashlib.sha256(), codecs.getincrementaldecoder("utf-8")()
    lines = returns = pairs = done = begun = endless = 0
    clean = regular = True
    parquet, last = False, b""
    while chunk := file.read(_AT_ONCE):
        digest.update(chunk)
        parquet = parquet or (not done and chunk.startswith(PARQUET))
        done += len(chunk)
        far(done, max(size, done))
        if parquet:
            continue
        _decodes(decoder, chunk, lines)
        at, longest, begun = _longest(chunk, begun)
        regular = regular and longest <= LONG
        if longest > MOST:
            endless = endless or lines + chunk.count(b"\n", 0, at) + 1
        strange = set(chunk.translate(None, _PLAIN))
        clean = clean and strange <= {13}
        regular = regular and not any((sign < 32 and sign not in _SPACES) or sign == 127 for sign in strange)
        returns += chunk.count(b"\r") if 13 in strange else 0
        pairs += (last + chunk).count(b"\r\n") if 13 in strange or last == b"\r" else 0
        lines += chunk.count(b"\n")
        last = chunk[-1:]
    if not parquet:
        _decodes(decoder, b"", lines)
    return Seen(digest.hexdigest(), parquet, clean, regular and (not returns or returns == pairs == lines), endless)


def _longest(chunk: bytes, begun: int) -> tuple[int, int, int]:
    """Where the longest line begins in the next part of a file, and its bytes, if these are more than `LONG`; and the
    bytes of the line that goes on after it. `begun` are those of the one that it begins with."""
    at = where = longest = 0
    while at < len(chunk):
        first = chunk.find(b"\n", at)
        size = begun + (first if first >= 0 else len(chunk)) - at
        where, longest = (at, size) if size > longest else (where, longest)
        if first < 0:
            return where, longest, size
        # Lines that end within the next bytes are short enough: of these the last is sought.
        at = max(first, chunk.rfind(b"\n", first, first + LONG)) + 1
        begun = 0
    return where, longest, begun


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, lines: int) -> None:
    """Raises NotAnExport where the next part of a text, after so many lines, is not UTF-8."""
    begun = decoder.getstate()[0]
    if chunk.isascii() and chunk and not begun:
        return
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        line = lines + (begun + chunk).count(b"\n", 0, error.start) + 1
        raise NotAnExport(f"line {line} is not UTF-8", "export with LC_ALL=C.UTF-8") from None


def lines_in(file: BinaryIO) -> NumberedLines:
    """The lines of a text that hold something, with their numbers, as `lines_of` gives them; one at a time."""
    for number, raw in enumerate(file, 1):
        line = raw.decode("utf-8-sig" if number == 1 else "utf-8").removesuffix("\n").rstrip("\r")
        if line.strip():
            yield number, line
