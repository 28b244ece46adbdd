"""The site on this machine while one works on it: rendered and built again whenever what it is made of changes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from . import shipped
from .files import Blocked
from .site import NotBuilt, build

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

WATCHED = ("ledger", "templates", "docs/guide", "docs/assets", "mkdocs.yml")

Tell = Callable[[str], None]


def serve(root: Path, host: str, port: int, render: Callable[[], bool], tell: Tell) -> int:
    """Shows the site until it is interrupted, and gives the exit code.

    `render` brings the pages up to date and says whether it could; where it could not, the last good site stays.
    Raises NotBuilt where there is nothing to show at all, and Blocked where the port is taken.
    """
    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        site_dir = Path(folder, "site")

        def make() -> None:
            for warning in build(root, site_dir, strict=False):
                tell(warning)

        def again() -> None:
            try:
                if render():
                    make()
            except (NotBuilt, Blocked, OSError) as error:
                tell(str(error))

        if not render():
            return 2
        make()
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
        """Says in plain words whether it could take its port."""

        def server_bind(self) -> None:
            try:
                super().server_bind()
            except OSError as error:
                raise Blocked(f"port {port}: {error.strerror}; name another with --port") from None

        def server_activate(self) -> None:
            super().server_activate()
            tell(f"Serving {self.url} (end it with Ctrl-C)")

    return Server(builder=again, host=host, port=port, root=str(site_dir))
