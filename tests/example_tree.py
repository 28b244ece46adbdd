"""The example, `ledger/birdsong`, in a tree of its own: for tests that change it, or need a tree of one project."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path

from reckon.cli import main

ROOT = Path(__file__).resolve().parents[1]
MADE_UP: Mapping[str, tuple[str, ...]] = {
    "ledger/catalog/gpus.yaml": ("l40s",),
    "ledger/catalog/prices.yaml": ("example-cloud",),
    "ledger/catalog/providers.yaml": ("example-cloud",),
    "ledger/allocations.yaml": ("spring-grant", "workstations"),
}
"""The entries beside its own files that were made up for the example, by file; no other project has them."""
SHARED: Mapping[str, tuple[str, ...]] = {"ledger/catalog/gpus.yaml": ("a100-80gb",)}
"""The entries that it has in common with other projects."""


def plant_example(root: Path, *, pages: bool = False) -> Path:
    """Writes the example below `root`, with the entries that it names and, if asked for, its pages; returns `root`."""
    shutil.copytree(ROOT / "ledger/birdsong", root / "ledger/birdsong")
    shutil.copy(ROOT / "ledger/tree.yaml", root / "ledger/tree.yaml")
    for path, own in MADE_UP.items():
        names = SHARED.get(path, ()) + own
        paragraphs = paragraphs_of(path)
        schema = paragraphs[0].partition("\n")[0]
        entries = [next(each for each in paragraphs if has_entry(each, name)) for name in names]
        write(root / path, [schema, *entries])
    if pages:
        shutil.copytree(ROOT / "docs/birdsong", root / "docs/birdsong")
        shutil.copy(ROOT / "docs/nav.yml", root / "docs")  # without it, `render` takes pages for hand-written ones
        with redirect_stdout(io.StringIO()):
            assert main(["render", "--root", str(root)]) == 0
    return root


def plant_others(root: Path) -> Path:
    """Writes the ledger of this repository without the example below `root`; returns `root`."""
    shutil.copytree(ROOT / "ledger", root / "ledger", ignore=shutil.ignore_patterns("birdsong", ".schema"))
    for path, own in MADE_UP.items():
        others = [each for each in paragraphs_of(path) if not any(has_entry(each, name) for name in own)]
        write(root / path, others)
    return root


def paragraphs_of(path: str) -> list[str]:
    """The paragraphs of a file of this repository: its head, and its entries with the comments above them."""
    return (ROOT / path).read_text("utf-8").strip("\n").split("\n\n")


def has_entry(paragraph: str, name: str) -> bool:
    """Whether a paragraph is the entry of this name."""
    return re.search(rf"^{re.escape(name)}:", paragraph, re.MULTILINE) is not None


def write(path: Path, paragraphs: list[str]) -> None:
    """Writes a file of paragraphs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(paragraphs) + "\n", "utf-8")
