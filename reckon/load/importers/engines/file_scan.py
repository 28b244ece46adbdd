"""A look through a file before an engine reads it: is it text that all programs cut alike, and what is its checksum."""

from __future__ import annotations

import codecs
import hashlib
from typing import BinaryIO, NamedTuple

from ..decoding import not_utf_8
from ..reading import NotAnExport, NumberedLines
from ..taking import Far

PARQUET = b"PAR1"
_PLAIN = bytes(range(32, 127)) + b"\n"
_ODD = {*range(32), 127} - {*b"\n\r\t"}
MOST = _AT_ONCE = 1 << 23
"""Bytes of a line, and of what is looked at together: a line that is longer is none of an export."""


class Scan(NamedTuple):
    """What a file is: its checksum, whether it is a table of Parquet, and whether all its lines end alike and no other
    sign ends one."""

    checksum: str
    is_parquet: bool = False
    is_regular: bool = False


def scan_file(file: BinaryIO, size: int, far: Far) -> Scan:
    """Looks through a file of so many bytes; `far` is told how far. Raises NotAnExport where it is not UTF-8."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = returns = pairs = done = 0
    strange: set[int] = set()
    parquet = False
    last = b""
    while chunk := file.read(_AT_ONCE):
        digest.update(chunk)
        parquet = parquet or (not done and chunk.startswith(PARQUET))
        done += len(chunk)
        far(done, max(size, done))
        if parquet:
            continue
        if len(chunk) == _AT_ONCE and b"\n" not in chunk:
            wrong = f"line {lines + 1} is longer than {MOST >> 20} MiB"
            raise NotAnExport(wrong, "check whether `sacct --parsable2` wrote this")
        _check_text(decoder, chunk, lines)
        strange |= _ODD.intersection(chunk.translate(None, _PLAIN))
        returns += chunk.count(b"\r")
        pairs += (last + chunk).count(b"\r\n")
        lines += chunk.count(b"\n")
        last = chunk[-1:]
    if not parquet:
        _check_text(decoder, b"", lines)
    regular = not strange and (not returns or returns == pairs == lines)
    return Scan(digest.hexdigest(), parquet, regular)


def _check_text(decoder: codecs.IncrementalDecoder, chunk: bytes, lines: int) -> None:
    """Raises NotAnExport where the next part of a text, after so many lines, is not UTF-8."""
    pending = decoder.getstate()[0]
    try:
        decoder.decode(chunk, final=not chunk)
    except UnicodeDecodeError as error:
        before = (pending + chunk).count(b"\n", 0, error.start)
        raise not_utf_8(lines + before + 1) from None


def read_lines(file: BinaryIO) -> NumberedLines:
    """The lines of a text that hold something, with their numbers, as `lines_of` gives them; one at a time."""
    for number, raw in enumerate(file, 1):
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        line = text.removesuffix("\n").rstrip("\r")
        if line.strip():
            yield number, line
