"""A look through a file before an engine reads it: is it text that all programs cut alike, and what is its checksum."""

from __future__ import annotations

import codecs
import hashlib
from typing import BinaryIO, NamedTuple

from ..reading import NotAnExport, NumberedLines
from ..taking import Far

PARQUET = b"PAR1"
_AT_ONCE = 1 << 23
_PLAIN = bytes(range(32, 127)) + b"\n"
_ODD = {*range(32), 127} - {*b"\n\r\t"}
LONG, MOST = 1 << 20, 1 << 23
"""Bytes of a line that an engine takes, and that anyone reads: one that is longer is none of an export."""


class Scan(NamedTuple):
    """What a file is: its checksum, whether it is a table of Parquet, whether it has nothing but printable ASCII,
    whether all its lines end alike, none of them is long, and no other sign ends one; and the first line that has more
    than `MOST` bytes, 0 for none."""

    checksum: str
    is_parquet: bool = False
    is_ascii: bool = False
    is_regular: bool = False
    endless: int = 0


def scan_file(file: BinaryIO, size: int, far: Far) -> Scan:
    """Looks through a file of so many bytes; `far` is told how far. Raises NotAnExport where it is not UTF-8."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = returns = pairs = done = pending = endless = 0
    clean = regular = True
    parquet, last = False, b""
    while chunk := file.read(_AT_ONCE):
        digest.update(chunk)
        parquet = parquet or (not done and chunk.startswith(PARQUET))
        done += len(chunk)
        far(done, max(size, done))
        if parquet:
            continue
        _check_text(decoder, chunk, lines)
        at, longest, pending = _find_longest(chunk, pending)
        if longest > MOST:
            endless = endless or lines + chunk.count(b"\n", 0, at) + 1
        strange = set(chunk.translate(None, _PLAIN))
        clean = clean and strange <= {13}
        regular = regular and longest <= LONG and strange.isdisjoint(_ODD)
        returns += chunk.count(b"\r")
        if returns:
            pairs += (last + chunk).count(b"\r\n")
        lines += chunk.count(b"\n")
        last = chunk[-1:]
    if not parquet:
        _check_text(decoder, b"", lines)
    regular = regular and (not returns or returns == pairs == lines)
    return Scan(digest.hexdigest(), parquet, clean, regular, endless)


def _find_longest(chunk: bytes, pending: int) -> tuple[int, int, int]:
    """Where the longest line begins in the next part of a file, and its bytes, if these are more than `LONG`; and the
    bytes of the line that goes on after it. `pending` are those of the one that it begins with."""
    at = where = longest = 0
    while at < len(chunk):
        first = chunk.find(b"\n", at)
        after = first if first >= 0 else len(chunk)
        size = pending + after - at
        if size > longest:
            where, longest = at, size
        if first < 0:
            return where, longest, size
        # Lines that end within the next bytes are short enough: of these the last is sought.
        at = max(first, chunk.rfind(b"\n", first, first + LONG)) + 1
        pending = 0
    return where, longest, pending


def _check_text(decoder: codecs.IncrementalDecoder, chunk: bytes, lines: int) -> None:
    """Raises NotAnExport where the next part of a text, after so many lines, is not UTF-8."""
    pending = decoder.getstate()[0]
    if chunk.isascii() and chunk and not pending:
        return
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        before = (pending + chunk).count(b"\n", 0, error.start)
        raise NotAnExport(f"line {lines + before + 1} is not UTF-8", "export with LC_ALL=C.UTF-8") from None


def read_lines(file: BinaryIO) -> NumberedLines:
    """The lines of a text that hold something, with their numbers, as `lines_of` gives them; one at a time."""
    for number, raw in enumerate(file, 1):
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        line = text.removesuffix("\n").rstrip("\r")
        if line.strip():
            yield number, line
