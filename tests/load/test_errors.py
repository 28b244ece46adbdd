# ruff: noqa: E501 (tables read better unbroken)
"""The catalogue of mistakes: each sample under errors/ is told as it stands there, and each message has a sample.

`UPDATE=1 pytest tests/load/test_errors.py` writes what is told now into the samples; read the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hostile import HOSTILE
from messages import patterns
from samples import MEASURED, SAMPLES, read_sample, told

from reckon.load.requests import read_measured


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample(path: Path, ledger: Any) -> None:
    found = told(path, ledger)
    _, wanted = read_sample(path)
    if os.environ.get("UPDATE"):
        head = path.read_text("utf-8").partition("== problems\n")[0]
        path.write_text(head + "== problems\n" + "".join(f"{line}\n" for line in found), "utf-8")
        return
    assert found == wanted.splitlines()
    assert found, "a sample without a problem shows nothing"


@pytest.mark.parametrize("name", MEASURED)
def test_a_file_that_no_sample_can_hold(name: str) -> None:
    file, raw, wanted = MEASURED[name]
    assert [str(one) for one in read_measured(raw, file, {}, {})[1]] == wanted


def test_every_message_has_a_sample() -> None:
    """A message counts as shown where no other pattern that fits the line says more."""
    lines = [line for path in SAMPLES for line in read_sample(path)[1].splitlines()]
    lines += [line for _, wanted in HOSTILE.values() for line in wanted]
    lines += [line for _, _, wanted in MEASURED.values() for line in wanted]
    known = {
        text: re.compile(rf"(--set [^:]*|[^:]*:\d+:\d+): (.* cannot be calculated: )?{text}(; .*)?", re.DOTALL)
        for text in patterns()
    }
    shown = {max((text for text, one in known.items() if one.fullmatch(line)), key=plain, default="") for line in lines}
    missing = {text: where for text, where in patterns().items() if text not in shown and text not in NEVER_ALONE}
    assert missing == {}


def plain(pattern: str) -> int:
    return len(pattern.replace(".*", ""))


# Patterns whose filling is asked for by itself, and what only a broken disk says (test_hostile.py).
NEVER_ALONE = {
    # Stands behind as many problems of a table as are listed (test_import_hostile.py).
    r".*\ wrong\ below",
    # What `ended` of a source says of a job that ran, which only an import knows (test_import_doubts.py).
    r"`ended`\ .*",
    # Rows of a table, and patterns, that an engine cannot take (test_import_table.py, test_import_alike.py).
    ".*\\ of\\ the\\ table:\\ .*",
    ".*\\ of\\ the\\ table\\ without\\ a\\ known\\ day",
    "engines\\ differ\\ on\\ `.*`:\\ .*",
    "an\\ engine\\ cannot\\ count\\ jobs\\ of\\ this\\ source",
    "two\\ patterns\\ of\\ a\\ rule\\ have\\ the\\ group\\ `.*`,\\ and\\ engines\\ do\\ not\\ report\\ which\\ one\\ matched",
    # A month of an import, whose file is not there (test_import_months.py).
    "the\\ jobs\\ of\\ .*\\ are\\ counted\\ together,\\ but\\ needed\\ one\\ by\\ one.*:\\ .*",
    # Lines of jobs beyond all bounds, and rows of one id (test_import_archive.py, test_import_attempts.py).
    r"the\ jobs\ of\ .*\ take\ more\ than\ .*\ as\ lines,\ the\ limit",
    r"this\ row\ and\ .*\ have\ the\ same\ id\ and\ .*,\ and\ it\ is\ unclear\ whether\ both\ count",
    "`.*`\\ .*",
    "the\\ value\\ .*",
    ".*\\ cannot\\ be\\ calculated:\\ .*",
    "the\\ folder\\ cannot\\ be\\ read:\\ .*",
    "the\\ file\\ cannot\\ be\\ read:\\ .*",
    "no\\ ratio\\ between\\ .*\\ and\\ .*\\ is\\ known,\\ which\\ converting\\ hours\\ asks\\ for",  # test_ratios.py
}
