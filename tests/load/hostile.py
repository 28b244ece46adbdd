# ruff: noqa: E501 (tables read better unbroken)
"""Trees that no one writes by mistake: what is in them, and all that is said of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

FIGURES = "ledger/p/figures.yaml"
START = f"{FIGURES}:1:1"


def figures(content: bytes) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        (root / FIGURES).write_bytes(content)

    return make


def _link_out(root: Path) -> None:
    (root / FIGURES).symlink_to("/etc/hostname")
    (root / "ledger/q").symlink_to("/usr")
    (root / "ledger/p/claims.yaml").symlink_to("../p/claims.yaml")


def _linked_folders(root: Path) -> None:
    (root / "away").mkdir()
    for name in ("allocations.yaml", "p/runs", "q", "catalog/models.yaml"):
        (root / "ledger" / name).symlink_to(os.path.relpath("/proc/self", root / "ledger" / name))


def _hidden(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/config").write_text("token: canary\n")
    (root / FIGURES).symlink_to("../../.git/config")
    (root / "mkdocs.yml").symlink_to(".git/config")


def _linked_ledger(root: Path) -> None:
    (root / "ledger").rename(root.with_name(root.name + "-away"))
    (root / "ledger").symlink_to(root.with_name(root.name + "-away"))


def _linked_settings(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "mkdocs.yml").write_text("{INHERIT: docs/nav.yml, site_name: S}")
    (root / "docs/nav.yml").symlink_to("/proc/self/environ")


def _large_settings(root: Path) -> None:
    with (root / "mkdocs.yml").open("wb") as file:
        file.truncate(5 * 1024 * 1024)


def _folders(root: Path) -> None:
    for name in ("Guide", "guide", "catalog2", "a.b", "x" * 81):
        (root / "ledger" / name).mkdir()
    os.mkdir(os.path.join(os.fsencode(root), b"ledger", b"\xff\n"))


def _folder_for_a_file(root: Path) -> None:
    (root / FIGURES).mkdir()
    (root / "ledger/allocations.yaml").mkdir()
    os.mkfifo(root / "ledger/p/claims.yaml")
    (root / "ledger/p/plan.yaml").symlink_to("nowhere.yaml")


def _large(root: Path) -> None:
    with (root / FIGURES).open("wb") as file:
        file.truncate(65 * 1024 * 1024)


def _no_ledger(root: Path) -> None:
    (root / "ledger").rename(root / "elsewhere")


def _bomb() -> bytes:
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    return "\n".join(["a0: &a0 [lol]", *lines]).encode()


WRITE = "write `title: …` and the other fields of a project"
FLAT = "the nesting is deeper than 20; check for an unclosed bracket; a ledger is flat"
IDS = "use lower-case letters, digits and single dashes, starting with a letter"
HEAD = "this project has no project.yaml; add it with title, version, as_of and gpu"
UTF8 = "remove it, or save the file as plain UTF-8"
NO_FILE = "this is not a file; replace it by a file, or remove it"
MAP = "a map of names and values is expected here; write `name: value` lines below the key, indented"

# name: what to do to a small tree, and what is then said of it
HOSTILE: dict[str, tuple[Callable[[Path], None], list[str]]] = {
    "20,000 opening brackets": (figures(b"[" * 20_000), [f"{FIGURES}:1:21: {FLAT}"]),
    "20,000 opening braces": (figures(b"{a: " * 20_000), [f"{FIGURES}:1:81: {FLAT}"]),
    "20,000 nested entries": (figures(b"- " * 20_000), [f"{FIGURES}:1:41: {FLAT}"]),
    "20,000 question marks": (
        figures(b"? " * 20_000),
        [f"{FIGURES}:1:3: a key must be a plain text; write `key: value`"],
    ),
    "NUL": (figures(b"a: {title: A,\n hours: \0}"), [f"{FIGURES}:2:9: U+0000 is not allowed in a text; {UTF8}"]),
    "escape": (figures(b"a: \x1b[31m"), [f"{FIGURES}:1:4: U+001B is not allowed in a text; {UTF8}"]),
    "latin-1": (
        figures("a: {title: Größe, hours: 1}".encode("latin-1")),
        [f"{START}: the file is not UTF-8 (byte 14); save it as UTF-8"],
    ),
    "UTF-16": (
        figures("a: {title: A, hours: 1}".encode("utf-16")),
        [f"{START}: the file is not UTF-8 (byte 1); save it as UTF-8"],
    ),
    "byte order mark": (
        figures(b"\xef\xbb\xbfa: {title: A, hours: many}"),
        [
            f"{FIGURES}:1:22: `many` is not a number; write a number such as `45`, `8-10`, `5+`, `15%`, `10k` or `unknown`"
        ],
    ),
    "carriage returns": (
        figures(b"a:\r\n  title: A\r\n  hours: 010\r\n"),
        [f"{FIGURES}:3:10: `010` begins with a zero; write `10`"],
    ),
    "only carriage returns": (
        figures(b"a:\r  title: A\r  hours: 010\r"),
        [f"{FIGURES}:3:10: `010` begins with a zero; write `10`"],
    ),
    "empty": (figures(b""), []),
    "only comments": (figures(b"# nothing\n\n# yet\n"), []),
    "only a document start": (figures(b"---\n"), []),
    "only a byte order mark": (figures(b"\xef\xbb\xbf"), []),
    "a scalar": (figures(b"text"), [f"{START}: a map is expected here; write `id:` and the fields of a record below"]),
    "python object": (
        figures(b"a: !!python/object/apply:os.system [echo]"),
        [
            f"{FIGURES}:1:4: `tag:yaml.org,2002:python/object/apply:os` is a tag; remove it; the key defines how a value is read",
            f"{FIGURES}:1:4: {MAP}",
        ],
    ),
    "null": (figures(b"a: null"), [f"{FIGURES}:1:4: {MAP}"]),
    "keys that are maps": (
        figures(b"{a: 1}: {title: A, hours: 1}"),
        [f"{START}: a key must be a plain text; write `key: value`"],
    ),
    "an empty key": (
        figures(b"'': {title: A, hours: 1}"),
        [f"{FIGURES}:1:2: `` is not an id; start with a lower-case letter, then use letters, digits and dashes"],
    ),
    "10 MB in one text": (
        figures(b"a: {title: A, hours: 1, notes: '" + b"x" * 10_000_000 + b"'}"),
        [f"{FIGURES}:1:32: the text is too long; keep it under 100,000 characters"],
    ),
    "10 MB in one key": (
        figures(b"? " + b"x" * 10_000_000 + b"\n: 1\n"),
        [f"{FIGURES}:1:3: the text is too long; keep it under 100,000 characters", f"{FIGURES}:2:3: {MAP}"],
    ),
    "a long line": (
        figures(b"a: {title: A, hours: " + b"1" * 5000 + b"}"),
        [f"{FIGURES}:1:22: the value is too long for a quantity; write one number or one range"],
    ),
    "links out of the root and in a circle": (
        _link_out,
        [
            "ledger/p/claims.yaml:1:1: this link leads out of the root; replace it by the file itself",
            f"{START}: this link leads out of the root; replace it by the file itself",
            "ledger/q:1:1: this link leads out of the root; replace it by the file itself",
        ],
    ),
    "links to what is no part of the tree": (
        _linked_folders,
        [
            f"ledger/{name}:1:1: this link leads out of the root; replace it by the file itself"
            for name in ("allocations.yaml", "catalog/models.yaml", "p/runs", "q")
        ],
    ),
    "links to what is hidden": (
        _hidden,
        [
            f"{name}:1:1: this link leads to a hidden file; replace it by the file itself"
            for name in (FIGURES, "mkdocs.yml")
        ],
    ),
    "a ledger elsewhere": (
        _linked_ledger,
        ["ledger:1:1: this link leads out of the root; replace it by the file itself"],
    ),
    "an order of pages elsewhere": (
        _linked_settings,
        ["docs/nav.yml:1:1: this link leads out of the root; replace it by the file itself"],
    ),
    "5 MiB of settings": (_large_settings, ["mkdocs.yml:1:1: the file is larger than 4 MiB; shorten it"]),
    "names of folders": (
        _folders,
        [
            f"ledger/??:1:1: `??` is not a project id; {IDS}",
            f"ledger/Guide:1:1: `Guide` is not a project id; {IDS}",
            f"ledger/a.b:1:1: `a.b` is not a project id; {IDS}",
            f"ledger/catalog2/project.yaml:1:1: {HEAD}",
            "ledger/guide:1:1: `guide` is a reserved name; choose another name for the project",
            f"ledger/{'x' * 81}:1:1: `{'x' * 60}` is not a project id; {IDS}",
        ],
    ),
    "folders, pipes and dead links for files": (
        _folder_for_a_file,
        [
            f"ledger/allocations.yaml:1:1: {NO_FILE}",
            f"ledger/p/claims.yaml:1:1: {NO_FILE}",
            f"{START}: {NO_FILE}",
            f"ledger/p/plan.yaml:1:1: {NO_FILE}",
        ],
    ),
    "65 MiB": (_large, [f"{START}: the file is larger than 64 MiB; split it; runs can be in one file a month"]),
    "no ledger": (
        _no_ledger,
        ["ledger:1:1: there is no folder `ledger` under the root; run `budget init DIR`, or name one with --root"],
    ),
    "an alias bomb": (figures(_bomb()), []),
}
