"""The walks in ARCHITECTURE.md are what the program does."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.reading import ROOT

pytestmark = pytest.mark.full

SCRIPT = ROOT / "scripts" / "walks.py"


def test_the_walks_are_what_happens() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, timeout=120, check=True)
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert done.stdout.strip() in page, "run `python scripts/walks.py --write`"
    named = re.findall(r"^- `(reckon/.*?)`", done.stdout, re.MULTILINE)
    assert len(named) > 40
    assert all((ROOT / name).is_file() for name in named)
