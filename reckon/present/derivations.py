"""Where figures can be checked: the derivations pages (every figure, how it comes about, the ledger lines that it rests
on)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reckon.compute.book import Book
from reckon.language.expression import Name
from reckon.language.text import Place
from reckon.model.figure import Calculated, Figure, Stated, Tallied, operands
from reckon.model.kinds import ALLOCATIONS, group_of

from .render.numbers import figure_text
from .render.printing import counted
from .table import (
    MOST_ROWS,
    Anchor,
    As,
    Bold,
    Cell,
    Code,
    LedgerLines,
    Table,
    below,
    figures,
    words,
)

MOST_SETUPS = 60
MOST_FILES = 6
OF_ITS_OWN = ("on", "memory", "slower")

_OF_RUNS = ("useful", "waste", "used_share", "cpi", "etc", "vac")


@dataclass()
class DerivationGroup:
    """Figures that belong together: those that are calculated, and those that are stated."""

    title: str
    reckoned: list[Figure] = field(default_factory=list)
    stated: list[Figure] = field(default_factory=list)
    more: int = 0

    @property
    def workings(self) -> Table:
        """The calculated ones, each with its formula in names and in numbers, and what it rests on."""
        return Table(
            [words("Figure"), words("How it is calculated")],
            [
                [
                    below(
                        (Anchor(figure.address), figure.title),
                        (Bold(As(figure, "plain")), " ", As(figure, "exactly")),
                        Code(figure.address),
                    ),
                    below(As(figure, "named"), _numbered(figure), *_basis(figure)),
                ]
                for figure in self.reckoned
            ],
        )

    @property
    def values(self) -> Table:
        """The stated ones, each with its ledger line."""
        return Table(
            [words("Stated"), figures("Value", "full"), words("Ledger line")],
            [
                [
                    below((Anchor(figure.address), figure.title), Code(figure.address)),
                    As(figure),
                    figure.place if figure.place.line else None,
                ]
                for figure in self.stated
            ],
        )


def _numbered(figure: Figure) -> Cell:
    """How a figure comes about with the numbers put in, and what that is; nothing where that would be the figure again.
    One that is another figure by another name leads there, unless its ledger line stands below."""
    if not isinstance(figure.origin, Calculated):
        return None
    same = all(figure_text(each) == figure_text(figure) for each in operands(figure))
    if not (same and isinstance(figure.origin.formula.tree, Name)):
        return As(figure, "workings"), " = ", As(figure, "plain")
    return None if stated_below(figure) else As(figure, "workings")


def _basis(figure: Figure) -> Iterator[Cell]:
    """The files of the runs that a figure adds up, or the ledger lines of what it is calculated from."""
    if isinstance(figure.origin, Tallied):
        for file, count, _ in figure.origin.files[:MOST_FILES]:
            yield (counted(count, "runs"), " of the runs in ", Code(file))
        if not figure.origin.files:
            yield "no runs yet"
    elif places := stated_below(figure):
        yield LedgerLines(places)


def groups(book: Book, prefixes: Iterable[str]) -> list[DerivationGroup]:
    """The figures below some addresses, grouped by what they belong to, in the order of the ledger."""
    found: dict[str, DerivationGroup] = {}
    for address, figure in (pair for prefix in dict.fromkeys(prefixes) for pair in book.own(prefix).items()):
        if _idle(book, address):
            continue
        group = found.setdefault(*_key(book, address, found))
        rows = group.stated if isinstance(figure.origin, Stated) else group.reckoned
        if len(rows) < MOST_ROWS:
            rows.append(figure)
        else:
            group.more += 1
    return [found[key] for key in sorted(found, key=lambda key: group_of(key).place)]


def _idle(book: Book, address: str) -> bool:
    """Whether a figure follows from there being no runs of a seed, and no other row leads to it."""
    at, _, last = address.rpartition(".")
    if ".seeds." not in at or last not in _OF_RUNS:
        return False
    actual = book.get(f"{at}.actual")
    return actual is not None and isinstance(actual.origin, Tallied) and not actual.origin.count


def _key(book: Book, address: str, found: Mapping[str, DerivationGroup]) -> tuple[str, DerivationGroup]:
    parts = address.split(".")
    if parts[1] == "setups" and len(parts) > 4:
        setup = ".".join(parts[1:4])
        if setup in found or sum(key.startswith("setups.") for key in found) < MOST_SETUPS:
            return setup, DerivationGroup(f"{book.ledger.projects[parts[0]].setups[parts[2]].title}: {parts[3]}")
    if parts[1] == "configurations" and len(parts) > 4 and parts[3] in OF_ITS_OWN:
        # With every card of the catalogue, one configuration has as many figures as a page of others.
        name = f"configurations.{parts[2]}"
        if name in found or sum(key.startswith("configurations.") for key in found) < MOST_SETUPS:
            return name, DerivationGroup(str(book.ledger.projects[parts[0]].configurations[parts[2]].title))
    if parts[1] == "plan":
        return f"plan.{parts[2]}", DerivationGroup(str(book.ledger.projects[parts[0]].items[parts[2]].title))
    if parts[0] == ALLOCATIONS.id:
        return parts[0], DerivationGroup(ALLOCATIONS.heading)
    if len(parts) == 2:
        return "project", DerivationGroup("Project")
    return parts[1], DerivationGroup(group_of(parts[1]).heading)


def stated_below(figure: Figure) -> list[Place]:
    """The ledger lines of a figure: its own, and those of the stated figures that it is directly calculated from."""
    own = [figure.place] if figure.place.line else []
    stated = (operand.place for operand in operands(figure) if isinstance(operand.origin, Stated))
    return own + [place for place in stated if place.line]
