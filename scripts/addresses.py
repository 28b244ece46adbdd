"""The page of the guide with the addresses of calculated figures, out of three ledgers of one project each.

Ids and titles of their records become words in capitals: `plan.ITEM.actual`, *ITEM: actual*. Of addresses that are
alike then the first is shown.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from scripts.reference import DEMO
from tests.example_tree import plant_example

KINDS: Mapping[str, str] = {
    "measurements": "MEASUREMENT",
    "projections": "PROJECTION",
    "bounds": "BOUND",
    "configurations": "CONFIGURATION",
    "workloads": "WORKLOAD",
    "setups": "SETUPS",
    "levers": "LEVER",
    "figures": "FIGURE",
}
"""The kinds of records of a project whose figures have addresses, with the word for an id of each."""
CATALOGUE: Mapping[str, str] = {"gpus": "CARD", "models": "MODEL", "prices": "LIST", "devices": "DEVICE"}
HEAD = """# Addresses

<!-- Made by `python -m scripts.guide` from tests/demo, tests/addresses and ledger/birdsong. Do not edit. -->

Formulas, policies, texts and [`explain`](language.md#addresses) name calculated figures by these addresses. Words in
capitals are ids of your records. `budget explain --list` prints the addresses of your ledger with their values. A
ledger has only those for which it has inputs: forecasts come with runs, money with prices.
"""


def addresses() -> str:
    """The page as markdown."""
    sections: dict[str, dict[str, str]] = {}
    for book in _books():
        for address, title in _shown(book):
            sections.setdefault(address.partition(".")[0], {}).setdefault(address, title)
    parts = [HEAD]
    for name, rows in sorted(sections.items()):
        parts.append(f"\n## {name}\n\n| Address | Is |\n|---|---|")
        parts += [f"| `{address}` | {title} |" for address, title in rows.items()]
    return "\n".join(parts) + "\n"


def _books() -> Iterator[Book]:
    """The books whose figures are listed, each of one project. Raises ValueError where a ledger has problems."""
    with tempfile.TemporaryDirectory() as folder:
        for root in (DEMO, plant_example(Path(folder, "birdsong")), DEMO.parent / "addresses"):
            ledger, problems = load(root)
            book, more = calculate(ledger)
            if problems or more:
                raise ValueError(f"the ledger in {root.name} has problems")
            yield book


def _shown(book: Book) -> Iterator[tuple[str, str]]:
    """The addresses of calculated figures with their titles, both in words for ids."""
    names, titles = _words(book)
    (project,) = book.ledger.projects
    for figure in book.figures.values():
        address = figure.address.removeprefix(f"{project}.")
        if figure.is_stated or address.startswith("catalog."):
            continue
        yield _address(address, names), _title(figure.title, titles)


PLACES: tuple[tuple[str, str], ...] = (
    (r"\bphases\.[a-z0-9-]+", "phases.PHASE"),
    (r"\bseeds\.\d+", "seeds.SEED"),
    (r"\bdescope\.\d+", "descope.N"),
    (r"\brows\.\d+\.\w+", "rows.N.COLUMN"),
    (r"\bMEASUREMENT\.\w+\.(?=\w+$)(?!N)", "MEASUREMENT.COLUMN."),
    (r"\bsetups\.\w+\.[a-z0-9-]+-x\d+\b", "setups.SETUPS.SETUP"),
    (r"\bsetups\.[A-Z]+\.[a-z-]+(?=\.)", "setups.SETUPS.RANKING"),
    (r"\b\d{4}-\d{2}\b", "MONTH"),
)
"""Parts of addresses that are alike, as patterns, with what is shown in their place."""


def _address(address: str, names: Mapping[str, str]) -> str:
    """An address with words for the ids in it."""
    address = ".".join(names.get(part, part) for part in address.split("."))
    for pattern, word in PLACES:
        if pattern.startswith("\\bMEASUREMENT") and not address.startswith("measurements."):
            continue
        address = re.sub(pattern, word, address)
    return address


def _title(title: str, titles: Mapping[str, str]) -> str:
    """A title with words for those of records, the longest first."""
    for own in sorted(titles, key=len, reverse=True):
        title = title.replace(own, titles[own])
    title = re.sub(r"\bseed \d+\b", "SEED", title)
    title = re.sub(r"\b\d{4}-\d{2}\b", "MONTH", title)
    title = re.sub(r"dropping \d+", "dropping the first N", title)
    title = re.sub(r"^(?:\d+× )?CARD(?=: )", "SETUP", title)
    title = re.sub(r"^[A-Z][^:]*: (?:\d+× )?CARD(?=: )", "RANKING", title)
    return title.replace("|", "/")


def _words(book: Book) -> tuple[dict[str, str], dict[str, str]]:
    """The word for each id of the ledger, and for each title."""
    names: dict[str, str] = {}
    titles: dict[str, str] = {}
    (project,) = book.ledger.projects.values()
    tables = [(word, getattr(project, kind)) for kind, word in KINDS.items()]
    tables += [(word, getattr(book.ledger.catalog, kind)) for kind, word in CATALOGUE.items()]
    tables.append(("ALLOCATION", book.ledger.allocations))
    tables += [("ITEM", phase.items) for phase in project.plan.values()]
    for word, records in tables:
        for name, record in records.items():
            names.setdefault(str(name), word)
            titles.setdefault(str(record.title), word)
            if word in ("CARD", "LIST"):
                titles.setdefault(str(name), word)
    titles.update({str(phase.title): "PHASE" for phase in project.plan.values()})
    return names, titles
