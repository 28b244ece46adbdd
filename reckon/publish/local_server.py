"""The site on this machine, for who works on it: served by the standard library, and built again when files change."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, NoReturn
from urllib.parse import unquote

HOST = "127.0.0.1"
NAMES = (HOST, "localhost", "[::1]")
PAUSE = 0.5
"""The seconds between two looks at what is watched."""
Tell = Callable[..., None]
"""Tells lines."""


def refuse(named: str, path: str, port: int) -> tuple[int, str]:
    """The status with which a request is refused, and why; 0 for one that is answered.

    A page of another name that was made to lead here does not name this machine. No file has a zero byte in its name,
    and a server would fail to open it.
    """
    own = [f"{name}:{port}" for name in NAMES]
    if named.lower() not in (own if port != 80 else (*own, *NAMES)):
        return 403, f"This server answers only http://{HOST}:{port}/ and http://localhost:{port}/."
    return (404, "There is no such page.") if "\0" in unquote(path) else (0, "")


class FolderServer(ThreadingHTTPServer):
    """Serves a folder on this machine, and does something again when files change; it has the methods of the server of
    MkDocs that `serve` uses."""

    def __init__(self, again: Callable[[], None], port: int, folder: Path, tell: Tell) -> None:
        class Handler(SimpleHTTPRequestHandler):
            def send_head(self) -> Any:
                status, why = refuse(",".join(self.headers.get_all("Host", [])), self.path, port)
                return self.send_error(status, explain=why) if status else super().send_head()

            def log_message(self, format: str, *values: object) -> None:
                pass

        super().__init__((HOST, port), partial(Handler, directory=str(folder)))
        self.again, self.watched = again, list[Path]()
        Thread(target=self.serve_forever, daemon=True).start()
        tell(f"Serving http://{HOST}:{port}/ (Ctrl-C stops it; reload a page to see your edits)")

    def watch(self, path: str) -> None:
        """Has an eye on a file, or on the files in a folder."""
        self.watched.append(Path(path))

    def serve(self) -> NoReturn:
        """Looks for changes until it is interrupted; requests are answered meanwhile."""
        seen = self._look()
        while True:
            sleep(PAUSE)
            now = self._look()
            if now != seen:
                seen = now
                self.again()

    def _look(self) -> set[tuple[Path, int]]:
        """The files that are watched, each with when it was changed last."""
        found = set[tuple[Path, int]]()
        for top in self.watched:
            with suppress(OSError):  # one has gone meanwhile: the next look differs
                found |= {(path, path.stat().st_mtime_ns) for path in (top, *top.rglob("*"))}
        return found
