"""The samples under errors/: a small ledger each, with all that is to be said of it below `== problems`.

Or one file of what was measured, as `requests.csv`, with the mappings and units that it is added with.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reckon.load.requests import read_measured

SAMPLES = sorted((Path(__file__).parent / "errors").glob("*.txt"))


def read_sample(path: Path) -> tuple[dict[str, str], str]:
    """The files of a sample by name, and the problems that it is to have."""
    pieces = re.split(r"^== (.*)\n", path.read_text("utf-8"), flags=re.MULTILINE)[1:]
    files = dict(zip(pieces[::2], pieces[1::2], strict=True))
    return files, files.pop("problems", "")


def told(path: Path, ledger: Callable[..., Any]) -> list[str]:
    """What is said of a sample, with the changes in the lines below its `== set`."""
    files, _ = read_sample(path)
    if table := next((name for name in files if name.startswith("requests.")), ""):
        options = [dict(_pairs(files.get(name, ""))) for name in ("map", "unit")]
        return [str(one) for one in read_measured(files[table].encode(), table, *options)[1]]
    changes = _pairs(files.pop("set", ""))
    return list(ledger(**files).problems(changes))


def _pairs(lines: str) -> list[list[str]]:
    return [line.split("=", 1) for line in lines.splitlines()]


# Files that no sample can hold: bytes, sizes.
MEASURED: dict[str, tuple[str, bytes, list[str]]] = {
    "another encoding": (
        "a.csv",
        "latency_ms\n\u00e9 1\xe9".encode("latin-1"),
        ["a.csv:2:1: this is not UTF-8; save the file as UTF-8"],
    ),
    "a large file": (
        "a.csv",
        b"x" * (16 * 1024 * 1024 + 1),
        ["a.csv:1:1: the file is larger than 16 MiB; measure a sample"],
    ),
    "many rows": (
        "a.csv",
        b"a_ms\n" + b"1\n" * 100_001,
        ["a.csv:100002:1: there are more than 100,000 rows; measure a sample of them"],
    ),
    "many columns": (
        "a.csv",
        b",".join(b"a%d_ms" % n for n in range(300)) + b"\n1\n",
        ["a.csv:1:691: there are too many columns; use at most 100 columns"],
    ),
    "many columns of JSON": (
        "a.json",
        b"[{%s}]" % b",".join(b'"a%d_ms": 1' % n for n in range(300)),
        ["a.json:1:1194: there are too many columns; use at most 100 columns"],
    ),
    "nesting without end": (
        "a.json",
        b"[" * 100_000,
        ["a.json:1:1: the nesting is too deep for a measurement; write an object with a list of rows"],
    ),
    "a number without end": (
        "a.json",
        b'[{"a_ms": %s}]' % (b"9" * 5000),
        [f"a.json:1:11: `{'9' * 40}` is too long a number; write at most 30 digits and an exponent below 100"],
    ),
    "a column of texts": (
        "a.csv",
        b"a_ms\n1\n" + b"1 s\n" * 30,
        [
            *(
                f"a.csv:{n}:1: `1 s` has its own unit, in a column of ms; write only numbers; put the unit in the"
                " column's name or in --unit"
                for n in range(3, 23)
            ),
            "a.csv:23:1: `1 s` has its own unit, in a column of ms, and so in 10 cells below; write"
            " only numbers; put the unit in the column's name or in --unit",
        ],
    ),
}
