"""The text of an export: compressed with gzip or not, in UTF-8 or UTF-16, in another encoding where its source states
it."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib

from reckon.model import bounds

from .reading import NotAnExport

_GZIP = b"\x1f\x8b"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(raw: bytes, encoding: str = "utf-8") -> str:
    """The text of an export. Raises NotAnExport where it has another encoding, or is larger than an export may be."""
    if raw.startswith(_GZIP):
        raw = _decompress(raw)
    if raw.startswith(_UTF_16):
        encoding = "utf-16"
    elif encoding == "utf-8":
        encoding = "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise not_utf_8(line) from None


def not_utf_8(line: int) -> NotAnExport:
    """What is wrong with a file of which this line has another encoding."""
    right = "export with LC_ALL=C.UTF-8, save it as UTF-8, or state `encoding: latin-1`"
    return NotAnExport(f"line {line} is not UTF-8", right)


def _decompress(raw: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            whole = file.read(bounds.EXPORT + 1)
    except (OSError, EOFError, zlib.error):
        raise NotAnExport("the file cannot be decompressed", "compress it with gzip again, or decompress it") from None
    if len(whole) > bounds.EXPORT:
        raise NotAnExport("the decompressed file is larger than 256 MiB", "export fewer days at once")
    return whole
