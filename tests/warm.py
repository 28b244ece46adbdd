"""`budget`, kept warm: a process that has imported what commands need, and runs each command in a fork of itself.

`python warm.py SOCKET` waits there. With more words it hands them over, with its folder, environment and streams, and
ends as the command did. So a shell script of many commands takes a second and not a minute.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress


def serve(place: str) -> None:
    """Runs commands until it is killed, or whoever started it is gone."""
    _import()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        listening.settimeout(2)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        started_by = os.getppid()
        while os.getppid() == started_by:
            with suppress(TimeoutError):
                asked, _ = listening.accept()
                if not os.fork():
                    _run(asked)
                asked.close()


def _import() -> None:
    import altair
    import material
    import mkdocs.commands.build
    import vl_convert

    import reckon.door
    import reckon.load.reader
    import reckon.present.pages
    import reckon.present.review
    import reckon.present.terminal

    _ = altair, material, mkdocs, vl_convert, reckon


def _run(asked: socket.socket) -> None:
    """One command, as the child that is made for it."""
    from reckon.door import main

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    asked.settimeout(None)
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    told = json.loads(b"".join(iter(lambda: asked.recv(65536), b"")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["env"])
    sys.argv = ["budget", *told["words"]]
    code: object = 70
    try:
        code = main(told["words"])
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        asked.sendall(str(code or 0).encode())
        os._exit(0)


def ask(place: str, words: list[str]) -> int:
    """Has a command run, and gives its exit code."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(place)
        socket.send_fds(asked, [b"."], [0, 1, 2])
        told = {"words": words, "folder": os.getcwd(), "env": dict(os.environ)}
        asked.sendall(json.dumps(told).encode())
        asked.shutdown(socket.SHUT_WR)
        return int(asked.recv(16) or 70)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    else:
        sys.exit(ask(sys.argv[1], sys.argv[2:]))
