"""Where figures can be checked: the derivations pages (every figure, how it comes about, the ledger lines that it rests
on)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from reckon.compute.book import Book
from reckon.language.expression import Name
from reckon.language.text import Place
from reckon.model.figure import OUTSIDE, Calculated, Figure, Selection, Tallied, Worked, is_known, operands, span_of
from reckon.model.kinds import ALLOCATIONS, group_of
from reckon.model.pages import DERIVATIONS

from .render.numbers import figure_text
from .render.printing import counted, several
from .table import (
    MOST_ROWS,
    Anchor,
    As,
    Bold,
    Cell,
    Code,
    LedgerLine,
    Link,
    Table,
    below,
    figures,
    joined,
)
from .table_rows import BY_SETTINGS, estimate_called

MOST_SETUPS = 60
MOST_TOGETHER = 255
"""About how many figures a page of derivations has, so that a browser reads it within a blink."""
MOST_FILES, MOST_LINES = 6, 10
OF_ITS_OWN = ("on", "memory", "slower")

_OF_RUNS = ("useful", "waste", "used_share", "cpi", "etc", "vac")


@dataclass
class DerivationGroup:
    """Figures that belong together: those that are calculated, and those that are stated. Sums lead to the runs that
    they add up if there is a `book`: figures of another project than that of the page have none."""

    book: Book | None
    title: str
    reckoned: list[Figure] = field(default_factory=list)
    stated: list[Figure] = field(default_factory=list)
    more: int = 0

    @property
    def workings(self) -> Table:
        """The calculated ones, each with its formula in names and in numbers, and what it rests on."""
        rows = []
        for figure in self.reckoned:
            title = (Anchor(figure.address), figure.title)
            sources = (*_list_sources(self.book, figure), *_list_doubts(self.book, figure))
            formula = below(As(figure, "named"), _put_numbers_in(figure), *sources)
            value = (Bold(As(figure, "proof")), As(figure, "others"))
            rows.append([below(title, value, Code(figure.address)), formula])
        return Table(["Figure", "How it is calculated"], rows)

    @property
    def values(self) -> Table:
        """The stated ones, each with its ledger line."""
        rows = []
        for figure in self.stated:
            title = below((Anchor(figure.address), figure.title), Code(figure.address))
            value = (As(figure, "proof"), As(figure, "others"))
            place = figure.place if figure.place.line else None
            rows.append([title, value, below(place, *_list_doubts(self.book, figure))])
        return Table(["Stated", figures("Value"), "Ledger line"], rows)


def _put_numbers_in(figure: Figure) -> Cell:
    """How a figure comes about with the numbers put in, and what that is; nothing where that would be the figure again.
    One that is another figure by another name leads there, unless its ledger line stands below."""
    if not isinstance(figure.origin, Calculated):
        return None
    text = figure_text(figure)
    same = all(figure_text(operand) == text for operand in operands(figure))
    if not (same and isinstance(figure.origin.formula.tree, Name)):
        return As(figure, "workings"), " = ", As(figure, "plain")
    return None if stated_below(figure) else As(figure, "workings")


def _list_sources(book: Book | None, figure: Figure) -> Iterator[Cell]:
    """The files of the runs that a figure adds up, and where these are listed; or what it is worked out from, and the
    ledger lines of what it is calculated from."""
    origin = figure.origin
    if isinstance(origin, Tallied):
        if not origin.count:
            yield "no runs yet"
        yield from _list_runs(book, origin)
        return
    if isinstance(origin, Worked):
        named = [operand for operand in origin.operands if operand.address and not operand.is_stated]
        if named:
            yield ("Based on: ", joined((operand.title, " ", operand) for operand in named[:MOST_FILES]))
    yield from {(place.file, place.line): place for place in stated_below(figure)}.values()


def _list_runs(book: Book | None, origin: Tallied) -> Iterator[Cell]:
    """Where the runs of a sum are listed, and their files, with the lines of the first runs if these are known."""
    places, more, target = list[Place](), 0, ""
    if book and origin.count:
        target = f"attempts.md?{_ask_for(book, origin.selection)}"
        yield Link(several(origin.count, "run"), target)
        if origin.known:
            kinds = book.projects[origin.selection.project].kinds
            first = kinds.first(origin.selection, MOST_LINES)
            places = list(map(kinds.rows.place, first))
            more = origin.count - sum(kinds.rows.many[number] for number in first)
    for file, count, _ in origin.files[:MOST_FILES]:
        lines = joined(LedgerLine(str(place.line), place) for place in places if place.file == file)
        yield (counted(count, "runs"), " of the runs in ", Code(file), (" at line ", lines) if lines else "")
    if places and more:
        yield ("and ", Link(several(more, "more run"), target))


def _ask_for(book: Book, selection: Selection) -> str:
    """What is selected of the runs of a project, for the filters of the page of all runs."""
    asked = {"seed": selection.seed, "status": selection.status}
    if item := book.projects[selection.project].items.get(selection.item or ""):
        asked["item"] = item.title
    elif selection.item is not None:
        asked["phase"] = next((each.title for each in OUTSIDE if each.item == selection.item), "")
    if selection.gpu:
        asked["card"] = book.ledger.catalog.gpus[selection.gpu].title
    return urlencode({key: text or "" for key, text in asked.items()})


def _list_doubts(book: Book | None, figure: Figure) -> Iterator[Cell]:
    """Of the planned hours of an item: its estimate, where they are outside of it, and what is found about them."""
    item = figure.address.removesuffix(".gpu_hours")
    if book is None or item == figure.address or ".plan." not in item:
        return
    project, estimate = item.partition(".")[0], book.get(f"{item}.estimate")
    if is_known(estimate) and not span_of(estimate).meets(span_of(figure)):
        own = estimate_called(book, project) == BY_SETTINGS
        yield ("Its own settings need " if own else "Its estimate is ", estimate)
    for finding in book.findings.get(project, ()):
        if finding.address == item and not finding.accepted:
            yield (Link("Finding", "findings.md"), ": ", *finding.title)


def groups(book: Book, prefixes: Iterable[str]) -> list[DerivationGroup]:
    """The figures below some addresses, grouped by what they belong to, in the order of the ledger."""
    by_key: dict[str, DerivationGroup] = {}
    for prefix in dict.fromkeys(prefixes):
        for address, figure in book.own(prefix).items():
            if _is_idle(book, address):
                continue
            key, title = _choose_group(book, address, by_key)
            group = by_key.setdefault(key, DerivationGroup(book, title))
            rows = group.stated if figure.is_stated else group.reckoned
            if len(rows) < MOST_ROWS:
                rows.append(figure)
            else:
                group.more += 1
    return [by_key[key] for key in sorted(by_key, key=lambda key: group_of(key).place)]


def split(groups: Iterable[DerivationGroup]) -> dict[str, list[DerivationGroup]]:
    """The groups of each page of derivations by its name, in order; a page begins with the group before which the
    figures of one more page are full."""
    parts: dict[str, list[DerivationGroup]] = {DERIVATIONS: []}
    before = 0
    for group in groups:
        number = before // MOST_TOGETHER + 1
        parts.setdefault(f"{DERIVATIONS}-{number}" if number > 1 else DERIVATIONS, []).append(group)
        before += len(group.reckoned) + len(group.stated)
    return parts


def _is_idle(book: Book, address: str) -> bool:
    """Whether a figure follows from there being no runs of a seed, and no other row leads to it."""
    at, _, last = address.rpartition(".")
    if ".seeds." not in at or last not in _OF_RUNS:
        return False
    actual = book.get(f"{at}.actual")
    return actual is not None and isinstance(actual.origin, Tallied) and not actual.origin.count


def _choose_group(book: Book, address: str, groups: Mapping[str, DerivationGroup]) -> tuple[str, str]:
    """The key and the title of the group that an address belongs to; `groups` are those there are.

    Setups and configurations have groups of their own only up to a number of them.
    """
    owner, kind, *names = address.split(".")
    project = book.projects.get(owner)
    key, title = "", ""
    if project and kind == "plan":
        return f"plan.{names[0]}", project.items[names[0]].title
    if project and kind == "setups" and len(names) > 2:
        key, title = f"setups.{names[0]}.{names[1]}", f"{project.setups[names[0]].title}: {names[1]}"
    if project and kind == "configurations" and len(names) > 2 and names[1] in OF_ITS_OWN:
        # With every card of the catalogue, one configuration has as many figures as a page of others.
        key, title = f"configurations.{names[0]}", project.configurations[names[0]].title
    # The first records of a kind have groups of their own.
    if key and (key in groups or sum(other.startswith(f"{kind}.") for other in groups) < MOST_SETUPS):
        return key, title
    if owner == ALLOCATIONS.id:
        return owner, ALLOCATIONS.heading
    if not names:
        return "project", "Project"
    return kind, group_of(kind).heading


def stated_below(figure: Figure) -> list[Place]:
    """The ledger lines of a figure: its own, and those of the stated figures that it is directly calculated from."""
    places = [figure.place]
    places += [operand.place for operand in operands(figure) if operand.is_stated]
    return [place for place in places if place.line]
