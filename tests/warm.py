"""`budget`, kept warm: a process that runs one command after the other, with all that they need imported already.

`python -m tests.warm SOCKET` waits there. With more words, this file hands them over, with its folder, environment and
streams, and ends as the command did. A picture that was drawn once is not drawn again. So a shell script of many
commands takes seconds and not minutes.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import traceback
from contextlib import suppress


def serve(place: str) -> None:
    """Runs commands until it is killed, or whoever started it is gone."""
    _remember_pictures()
    streams = [os.dup(number) for number in range(3)]
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen()
        listening.settimeout(2)
        started_by = os.getppid()
        while os.getppid() == started_by:
            with suppress(TimeoutError):
                asked, _ = listening.accept()
                with asked:
                    _run(asked)
                for number, stream in enumerate(streams):
                    os.dup2(stream, number)


def _remember_pictures() -> None:
    import mkdocs.commands.build
    import vl_convert

    from reckon.present import pages
    from tests.remembering import remembered

    pages.draw = remembered(pages.draw)
    vl_convert.vegalite_to_svg({"mark": "point"})  # what it keeps of our streams is to be these
    _ = mkdocs


def _run(asked: socket.socket) -> None:
    """One command, with the folder, environment and streams of whoever asked."""
    from reckon.cli import main

    asked.settimeout(None)
    _, streams, _, _ = socket.recv_fds(asked, 1, 3)
    told = json.loads(b"".join(iter(lambda: asked.recv(65536), b"")))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
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
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os.chdir("/")
    asked.sendall(str(code or 0).encode())


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
