"""A command as somebody gives it from a folder, in the process of the test: to start Python takes longer than most."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from reckon.cli import main
from tests.reading import ROOT


def given(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What became of `python budget.py WORDS` in a folder: exit code, output and complaints."""
    out, err, command = io.StringIO(), io.StringIO(), [str(ROOT / "budget.py"), *words]
    said = patch.multiple(sys, argv=command, stdin=io.StringIO())
    with chdir(folder), said, redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
    assert "Traceback" not in err.getvalue()
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())
