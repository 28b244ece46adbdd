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
ME = 12  # the user whose token GitLab is asked with


@dataclass
class Forge:
    """The comments that are there, and what was asked for: method, path, and the header that opens the door."""

    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    address: str = ""
    pages: dict[str, Any] | None = None  # what is known of published pages; None where they are off

    def written(self, number: str, body: str) -> dict[str, Any]:
        if not number.isdigit():
            self.comments.append({"id": 1000 + len(self.comments), "body": body, "user": BOT, "author": {"id": ME}})
            return self.comments[-1]
        (one,) = [one for one in self.comments if one["id"] == int(number)]
        one["body"] = body
        return one

    def shown(self, path: str, query: dict[str, list[str]]) -> Any:
        """What is given for an address; comments a page at a time."""
        if path == "/user":
            return {"id": ME}
        if path.endswith("/pages"):
            return self.pages
        size, page = (int(query.get(name, [default])[0]) for name, default in (("per_page", "20"), ("page", "1")))
        return self.comments[size * (page - 1) : size * page]


@contextmanager
def forge() -> Iterator[Forge]:
    """A forge that listens until the block ends."""
    kept = Forge()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            head = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
            parts = urlsplit(self.path)
            kept.asked.append((self.command, parts.path, head))
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8")
            if self.command == "GET":
                said = kept.shown(parts.path, parse_qs(parts.query))
            else:
                form = self.headers.get("Content-Type") == "application/x-www-form-urlencoded"
                body = parse_qs(text)["body"][0] if form else json.loads(text)["body"]
                said = kept.written(parts.path.rsplit("/", 1)[-1], body)
            self.send_response(404 if said is None else 200)
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
