"""A forge for tests: keeps the comments of one change request, as GitHub and GitLab take and give them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BOT = {"login": "github-actions[bot]", "type": "Bot"}


@dataclass
class Forge:
    """The comments that are there, and what was asked for: method, path, and the header that opens the door."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""

    def written(self, number: str, body: str) -> dict[str, Any]:
        if not number.isdigit():
            self.comments.append({"id": 100 + len(self.comments), "body": body, "user": BOT})
            return self.comments[-1]
        (one,) = [one for one in self.comments if one["id"] == int(number)]
        one["body"] = body
        return one


@contextmanager
def forge() -> Iterator[Forge]:
    """A forge that listens until the block ends."""
    kept = Forge()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            head = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
            path = urlsplit(self.path).path
            kept.asked.append((self.command, path, head))
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8")
            if self.command == "GET":
                said: Any = kept.comments
            else:
                form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
                body = parse_qs(text)["body"][0] if form else json.loads(text)["body"]
                said = kept.written(path.rsplit("/", 1)[-1], body)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(said).encode("utf-8"))

        do_GET = do_POST = do_PUT = do_PATCH = answer

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
