"""A process of its own that is killed at a step which it takes: a test looks at what is left."""

from __future__ import annotations

import signal
import subprocess
import sys

from tests.reading import ROOT

_SCRIPT = """
import importlib, os, pathlib, signal, sys
step, number, after, words = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "after", sys.argv[4:]
{imports}
module, _, name = step.rpartition(".")
owner = pathlib.Path if module == "pathlib.Path" else importlib.import_module(module)
was, calls = getattr(owner, name), 0
def dies(*given, **more):
    global calls
    calls += 1
    if calls == number:
        if after:
            was(*given, **more)
        os.kill(os.getpid(), signal.SIGKILL)
    return was(*given, **more)
setattr(owner, name, dies)
{does}
"""
COMMAND = "from reckon.cli import main", "main(words)"
"""What is imported and done where `words` are those of a command."""


def killed(imports: str, does: str, step: str, number: int, when: str, *words: object) -> bool:
    """Whether what Python code does was killed, `before` or `after` the nth call of a step such as `os.replace`.

    A step that is called less often kills nobody. The code has the `words`, as texts; what it imports is imported
    before calls count. Whatever fails in another way fails the test.
    """
    script = _SCRIPT.format(imports=imports, does=does)
    command = [sys.executable, "-c", script, step, str(number), when, *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, timeout=120, capture_output=True, text=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0
