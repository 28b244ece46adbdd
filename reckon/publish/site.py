"""The published site: built beside its place and then moved there, so that a failed build leaves the old one; or served
on this machine while one works on it, and built again whenever what it is made of changes.

The builder sees a staged tree of plain files and nothing of ours beside it.
"""

from __future__ import annotations

import io
import json
import logging
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reckon.model.pages import DERIVATIONS
from reckon.model.tree import FILE, ORDER

from . import package_files, zensical
from .files import Blocked
from .site_markup import CATALOGUE, GUIDE
from .staging import Sources, plain_text, stage

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.livereload import LiveReloadServer
    from mkdocs.structure.files import Files

    from .local_server import Tell

Far = Callable[[int, int], None]
"""What is told how far something is: so much is done, of so much."""

_INHERITS = re.compile(rf"^(INHERIT:[ \t]*)(['\"]?){re.escape(ORDER)}\2(?=\s|$)", re.MULTILINE)


MATERIAL, ZENSICAL = "material", "zensical"
BUILDERS: Mapping[str, str] = {MATERIAL: "mkdocs", ZENSICAL: "zensical"}
"""What can build a site, and the library that each needs."""


def build(
    root: Path,
    sources: Sources,
    site_dir: Path,
    strict: bool = True,
    offline: bool = False,
    builder: str = MATERIAL,
    far: Far | None = None,
) -> list[str]:
    """Builds the site of a tree and gives the warnings; a strict build takes none. Raises Blocked.

    The pages of one that is `offline` can be opened from a folder, without a server. `far` is told how many pages
    MkDocs has built, of how many.
    """
    if builder == ZENSICAL:
        sources = zensical.adapt(sources, offline)
    site_dir = site_dir.resolve()
    ask_for_room(root.resolve(), site_dir)
    site_dir.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{site_dir.name}-", dir=site_dir.parent) as rough:
        new, old = Path(rough, "new"), Path(rough, "old")
        new.mkdir()
        with tempfile.TemporaryDirectory(prefix="budget-") as folder:
            place = Path(folder).resolve()
            stage(root, sources, place)
            if builder == ZENSICAL:
                warnings = zensical.make(place, new, sources, strict)
            else:
                warnings = _make(root, sources, place, new, strict, offline, far)
        _spare(new)
        if site_dir.exists():
            site_dir.rename(old)
        new.rename(site_dir)
    return warnings


def ask_for_room(root: Path, site_dir: Path) -> None:
    """Refuses to replace anything that is not a site."""
    if root.is_relative_to(site_dir) or any(site_dir.is_relative_to(root / folder) for folder in package_files.SOURCES):
        raise Blocked(f"{site_dir} contains sources of the site; name another folder with --site-dir")
    site = site_dir.is_dir() and ((site_dir / "sitemap.xml").is_file() or not any(site_dir.iterdir()))
    if site_dir.exists() and not site:
        raise Blocked(f"{site_dir} exists and is not a site; name another folder with --site-dir")


def _make(
    root: Path, sources: Sources, place: Path, site_dir: Path, strict: bool, offline: bool, far: Far | None
) -> list[str]:
    """Builds a staged tree into an empty folder; gives the warnings. Raises Blocked, with a line for each mistake."""
    from click import ClickException
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    with _listening(place) as said:
        try:
            file = str(place / FILE) if sources.settings else _as_it_stands(root, place)
            config = load_config(file, docs_dir=str(place / "docs"), site_dir=str(site_dir), strict=strict)
            if offline:
                _for_a_folder(config)
            if far:
                _count_pages(config, far)
            build_site(config)
        except (ClickException, SystemExit) as error:
            last = error.format_message() if isinstance(error, ClickException) else str(error)
            raise Blocked("\n".join([*said, last.replace(f"{place}/", "")])) from None
        except Exception:
            if any(line.startswith("error: ") for line in said):  # of a page, such as a template that does not exist
                raise Blocked("\n".join(said)) from None
            raise
    return said


def _for_a_folder(config: MkDocsConfig) -> None:
    """Changes settings so that links name files. A browser lets no page of a folder search: its box goes."""
    config.use_directory_urls = False
    for name in [name for name in config.plugins if name.rpartition("/")[2] == "search"]:
        plugin = config.plugins.pop(name)
        for methods in config.plugins.events.values():
            methods[:] = [method for method in methods if getattr(method, "__self__", None) is not plugin]


def _count_pages(config: MkDocsConfig, far: Far) -> None:
    """Lets the builder tell how far it is: each page is read, and once all are, each is written."""
    events = config.plugins.events

    def begin(_: object, files: Files, **__: object) -> None:
        steps, whole = count(1), len(files.documentation_pages())

        def tell(*_: object, **__: object) -> None:
            far((next(steps) + 1) // 2, whole)

        events["page_content"].append(tell)
        events["post_page"].append(tell)

    events["nav"].append(begin)


_SOURCE = re.compile(r"^(?://# sourceMappingURL=\S+|/\*# sourceMappingURL=[^*\s]+ ?\*/)[ \t]*\n?", re.MULTILINE)


_BUNDLE = re.compile(rb'(<script src="[^"<>]*assets/)javascripts/bundle\.')


def _spare(site_dir: Path) -> None:
    """Spares readers what they do not need: source maps, half the index of the search, and all of it until they search.

    Lunr takes the rest of some words for that of others where both have digits, and finds nothing; a comma keeps them
    apart.
    """
    theme = site_dir / "assets"
    for path in sorted(theme.rglob("*.map")):
        path.unlink()
    for path in (*theme.rglob("*.min.js"), *theme.rglob("*.min.css")):
        text = _SOURCE.sub("", path.read_text("utf-8")).replace("e=e+s+o.id}", 'e=e+s+o.id+","}')
        path.write_text(text, "utf-8", newline="")
    if (theme / "javascripts/workers").is_dir():
        for path in site_dir.rglob("*.html"):
            path.write_bytes(_BUNDLE.sub(rb'\1searching.js"></script>\n\g<0>', path.read_bytes(), count=1))
        for path in (*site_dir.glob("search/search_index.json"), *site_dir.glob("search.json")):
            index = json.loads(path.read_bytes())
            if "docs" in index:  # of Material, where with a larger weight of titles findings would come before the
                index["config"]["fields"]["title"]["boost"] = 60  # pages of what they are about
            for section in index.get("docs") or index["items"]:
                section["text"] = _shorten(**section)
            path.write_bytes(json.dumps(index, ensure_ascii=False, separators=(",", ":")).encode())


_LISTS = re.compile(
    rf"{GUIDE}/(?:addresses|columns|reference)\b|(?!{GUIDE}/)[\w-]+/(?:{DERIVATIONS}|runs)\b|"
    rf"{CATALOGUE}[./][\s\S]*<code>(?:catalog|allocations)\."
)


_SPARED = re.compile(r"</?code>|(?<=\s)\s+|(?<=/p>|li>|ul>|ol>)\s+")
"""Marks of code, and the space of a text that only lays it out."""


def _shorten(location: str, text: str, **_: object) -> str:
    """The text of a section in the index of the search, without marks of code. Of what lists fields or figures only the
    names are left, of addresses the first three parts: `searching.js` knows that."""
    home = re.split("[./]", location)[0]
    if _LISTS.match(f"{location} {text}"):
        first = r"(?:[\w-]+\.)?" if home == GUIDE else rf"(?:{home}|allocations)\."
        return " ".join(dict.fromkeys(re.findall(rf"<code>({first}[\w-]+(?:\.[\w-]+)?)", text)))
    return _SPARED.sub("", re.sub(r"(?<=[^\s>])<code>", "\ufeff", text))  # a space without width begins a word


def _as_it_stands(root: Path, place: Path) -> io.BytesIO:
    """The settings of a trusted tree, for the builder to read; they take over the order that was rendered."""

    class Named(io.BytesIO):
        name = str(root.resolve() / FILE)

    text = plain_text(root, FILE)
    return Named(_INHERITS.sub(lambda found: found[1] + json.dumps(str(place / ORDER)), text).encode())


@contextmanager
def _listening(place: Path) -> Iterator[list[str]]:
    """The warnings and errors that are logged while the site is built, one line each, with paths as people know them.
    The level of the logger stays as it is: strict builds count what passes through it."""
    said = list[str]()

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage().replace(f"{place}/", "")
            said.append(f"{record.levelname.lower()}: {message}")

    handler, logger = Lines(logging.WARNING), logging.getLogger("mkdocs")
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)


WATCHED = ("ledger", "templates", "docs/guide", "docs/assets", "mkdocs.yml")
PLAIN = [("Content-Type", "text/plain; charset=utf-8")]


def serve(root: Path, port: int, sources: Callable[[], Sources], tell: Tell, builder: str = MATERIAL) -> None:
    """Shows the site until it is interrupted. The tree is read and never written.

    `sources` gives what the site is made of, or raises Blocked where it cannot: the last good site stays then. Raises
    Blocked where there is nothing to show at all, or the port is taken.
    """
    from .local_server import FolderServer

    with tempfile.TemporaryDirectory(prefix="budget-") as folder:
        site_dir = Path(folder, "site")

        def make() -> None:
            tell(*build(root, sources(), site_dir, strict=False, builder=builder))

        def again() -> None:
            try:
                make()
            except Blocked as why:
                tell(*why.args)
            except OSError as error:
                tell(str(error))

        make()
        try:
            server = (FolderServer if builder == ZENSICAL else _server)(again, port, site_dir, tell)
            for path in dict.fromkeys([*(root / name for name in WATCHED), package_files.part("templates")]):
                if path.exists():
                    server.watch(str(path))
            try:
                server.serve()
            finally:
                server.shutdown()
        except KeyboardInterrupt:
            pass
        except OSError as error:
            raise Blocked(f"port {port}: {error.strerror}; name another with --port") from None


def _server(again: Callable[[], None], port: int, site_dir: Path, tell: Tell) -> LiveReloadServer:
    """The server of MkDocs, which also reloads what a browser shows; it says where it is once it listens."""
    from mkdocs.livereload import LiveReloadServer

    from .local_server import HOST, refuse

    class Server(LiveReloadServer):
        """Answers to the names of this machine alone."""

        def serve_request(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
            status, why = refuse(environ.get("HTTP_HOST", ""), environ["PATH_INFO"], self.server_port)
            if status:
                start_response(f"{status} {HTTPStatus(status).phrase}", PLAIN)
                return [f"{why}\n".encode()]
            return super().serve_request(environ, start_response)

        def server_activate(self) -> None:
            super().server_activate()
            tell(f"Serving {self.url} (Ctrl-C stops it; pages follow your edits)")

    return Server(builder=again, host=HOST, port=port, root=str(site_dir))
