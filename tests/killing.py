"""A process of its own that is killed at a step which it takes: a test looks at what is left.

Each is forked from a process that has done nothing but imports, as a new one would have begun with: to start Python and
read the program takes longer than most commands.
"""

from __future__ import annotations

import atexit
import json
import signal
import subprocess
import sys
from functools import cache

from tests.reading import ROOT

_FORKING = """
import importlib, json, os, pathlib, signal, sys, tempfile, traceback
import reckon.cli

def runs(imports, does, step, number, when, words):
    names = {"os": os, "pathlib": pathlib, "sys": sys, "words": words}
    exec(imports, names)
    module, _, name = step.rpartition(".")
    owner = pathlib.Path if module == "pathlib.Path" else importlib.import_module(module)
    was, calls = getattr(owner, name), 0
    def dies(*given, **more):
        nonlocal calls
        calls += 1
        if calls == number:
            if when == "after":
                was(*given, **more)
            os.kill(os.getpid(), signal.SIGKILL)
        return was(*given, **more)
    setattr(owner, name, dies)
    exec(does, names)

for asked in sys.stdin:
    exec(json.loads(asked)[0], {})  # what is imported here is there in all that follow
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            try:
                runs(*json.loads(asked))
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        print(json.dumps([code, said.read().decode("utf-8", "replace")]), flush=True)
"""
COMMAND = "from reckon.cli import main", "main(words)"
"""What is imported and done where `words` are those of a command."""


@cache
def _forking() -> subprocess.Popen[str]:
    """The process that others are forked from, until the tests end."""
    command = [sys.executable, "-c", _FORKING]
    process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(process.communicate)
    return process


def killed(imports: str, does: str, step: str, number: int, when: str, *words: object) -> bool:
    """Whether what Python code does was killed, `before` or `after` the nth call of a step such as `os.replace`.

    A step that is called less often kills nobody. The code has the `words`, as texts; what it imports is imported
    before calls count. Whatever fails in another way fails the test.
    """
    process = _forking()
    assert process.stdin
    assert process.stdout
    print(json.dumps([imports, does, step, number, when, [*map(str, words)]]), file=process.stdin, flush=True)
    code, said = json.loads(process.stdout.readline())
    assert code in (0, -signal.SIGKILL), said
    return bool(code)
