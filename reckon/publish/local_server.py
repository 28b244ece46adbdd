"""The site on this machine, for who works on it: served by the standard library, and built again when files change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, NoReturn
from urllib.parse import unquote

from .files import Blocked

NAMES = ("127.0.0.1", "localhost", "[::1]")
PAUSE = 0.5
"""The seconds between two looks at what is watched."""


def refuse(named: str, path: str, host: str, port: int) -> tuple[int, str]:
    """The status with which a request is refused, and why; 0 for one that is answered.

    A page of another name that was made to lead here does not name this machine. No file has a zero byte in its name,
    and a server would fail to open it.
    """
    own = [f"{name}:{port}" for name in NAMES]
    if named.lower() not in (own if port != 80 else (*own, *NAMES)):
        return 403, f"This server answers only http://{host}:{port}/ and http://localhost:{port}/."
    return (404, "There is no such page.") if "\0" in unquote(path) else (0, "")


def refuse_port(port: int, error: OSError) -> Blocked:
    """What is raised where the port cannot be had."""
    return Blocked(f"port {port}: {error.strerror}; name another with --port")


def serve_folder(
    again: Callable[[], None], host: str, port: int, folder: Path, watched: Sequence[Path], tell: Callable[..., None]
) -> None:
    """Serves a folder until it is interrupted, and calls `again` when files that are `watched`, or lie in such folders,
    change. Raises Blocked where the port is taken."""

    class Handler(SimpleHTTPRequestHandler):
        """Serves the files of a folder, and keeps silent about it."""

        def send_head(self) -> Any:
            status, why = refuse(",".join(self.headers.get_all("Host", [])), self.path, host, port)
            return self.send_error(status, explain=why) if status else super().send_head()

        def log_message(self, format: str, *values: object) -> None:
            pass

    try:
        server = ThreadingHTTPServer((host, port), partial(Handler, directory=str(folder)))
    except OSError as error:
        raise refuse_port(port, error) from None
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        tell(f"Serving http://{host}:{port}/ (Ctrl-C stops it; reload a page to see your edits)")
        try:
            _follow(again, watched)
        except KeyboardInterrupt:
            server.shutdown()


def _follow(again: Callable[[], None], watched: Sequence[Path]) -> NoReturn:
    """Calls a function whenever files change."""
    seen = _look(watched)
    while True:
        sleep(PAUSE)
        now = _look(watched)
        if now != seen:
            seen = now
            again()


def _look(watched: Sequence[Path]) -> set[tuple[Path, int]]:
    """The files that are watched, each with when it was changed last."""
    found = set()
    for path in (path for top in watched for path in (top, *top.rglob("*"))):
        with suppress(OSError):  # it has gone meanwhile
            found.add((path, path.stat().st_mtime_ns))
    return found
