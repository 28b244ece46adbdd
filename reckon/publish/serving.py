"""The site on this machine while one works on it: rendered and built again whenever what it is made of changes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import shipped
from .files import Blocked
from .site import NotBuilt, build
from .staging import Sources

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

WATCHED = ("ledger", "templates", "docs/guide", "docs/assets", "mkdocs.yml")

NAMES = ("127.0.0.1", "localhost", "[::1]")

Tell = Callable[[str], None]


def serve(root: Path, host: str, port: int, sources: Callable[[], Sources | int], tell: Tell) -> int:
    """Shows the site until it is interrupted, and gives the exit code. The tree is read and never written.

    `sources` gives what the site is made of, or the exit code where it cannot, which it has told: the last good site
    stays then. Raises NotBuilt where there is nothing to show at all, and Blocked where the port is taken.
    """
    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        site_dir = Path(folder, "site")

        def make() -> int:
            found = sources()
            if isinstance(found, int):
                return found
            for warning in build(root, found, site_dir, strict=False):
                tell(warning)
            return 0

        def again() -> None:
            try:
                make()
            except (NotBuilt, Blocked, OSError) as error:
                tell(str(error))

        if code := make():
            return code
        server = _server(again, host, port, site_dir, tell)
        for path in dict.fromkeys([*(root / one for one in WATCHED), shipped.templates()]):
            if path.exists():
                server.watch(str(path))
        try:
            server.serve()  # type: ignore[no-untyped-call]
        except KeyboardInterrupt:
            pass
        finally:
            server.shutdown()
    return 0


def _server(again: Callable[[], None], host: str, port: int, site_dir: Path, tell: Tell) -> LiveReloadServer:
    """The server of MkDocs, which also reloads what a browser shows; it says where it is once it listens."""
    from mkdocs.livereload import LiveReloadServer

    class Server(LiveReloadServer):
        """Says in plain words whether it could take its port, and answers to the names of this machine alone."""

        def server_bind(self) -> None:
            try:
                super().server_bind()
            except OSError as error:
                raise Blocked(f"port {port}: {error.strerror}; name another with --port") from None

        def serve_request(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            if environ.get("HTTP_HOST", "").lower() in _names(self.server_port):
                return super().serve_request(environ, start_response)
            start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
            return [f"This answers to http://{host}:{port}/ and http://localhost:{port}/ alone.\n".encode()]

        def server_activate(self) -> None:
            super().server_activate()
            tell(f"Serving {self.url} (end it with Ctrl-C)")

    return Server(builder=again, host=host, port=port, root=str(site_dir))


def _names(port: int) -> set[str]:
    """How a browser on this machine names the server. A page whose own name was made to lead here does not."""
    return {f"{host}{end}" for host in NAMES for end in ((f":{port}", "") if port == 80 else (f":{port}",))}
