"""Sites built by `budget.py` and served on this machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from kinds import ROOT


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and keeps silent about it."""

    def log_message(self, format: str, *args: object) -> None:
        pass


def built(root: Path, folder: Path, *options: str) -> Path:
    """A folder with the site of a tree, built strictly by `budget.py`."""
    command = [sys.executable, "budget.py", "build", "--root", str(root), "--site-dir", str(folder), *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@contextmanager
def served(top: Path) -> Iterator[str]:
    """The address of a folder that is served, with a slash at its end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(top))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
