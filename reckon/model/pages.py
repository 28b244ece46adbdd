"""The pages of a tree: the fixed ones, and what the sections of a page of its own can show.

An address in a section names a record and how it is shown, as `measurements.cpu-requests`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from .kinds import CATALOG, INSIDE, PROJECT
from .ledger import Ledger, ProjectLedger, chain
from .release import HOME


class TemplatePage(Struct, frozen=True):
    """A page that is made from a template: of every project, or of some kinds (`budget`, `comparison`, `measured`).

    `name` is its file below docs/<project>/, without the ending; `order` its place in the navigation, 0 for one that
    stands under a heading of its own there. One that `needs` runs, costs, releases, imports or proposals is there only
    if the project has some. What a `living` one says goes on, so a release has none.
    """

    name: str
    title: str
    template: str
    order: int = 0
    kinds: tuple[str, ...] = ("budget", "comparison", "measured")
    living: bool = False
    needs: str = ""

    @property
    def file(self) -> str:
        """Its file, below the folder of the project."""
        return f"{self.name}.md"


DERIVATIONS = "derivations"
"""The page of the figures of a project; where they are many, there are more of it: `derivations-2` and so on."""
PAGES = (
    TemplatePage("index", "Overview", "overview.md.j2", 1, kinds=("measured",)),
    TemplatePage("index", "Which GPU to rent", "choice.md.j2", 1, kinds=("comparison",)),
    TemplatePage("index", "Budget", "budget.md.j2", 1, kinds=("budget",)),
    TemplatePage("setups", "Details", "setups.md.j2", 2, kinds=("comparison",)),
    TemplatePage("status", "Status", "status.md.j2", 2, kinds=("budget",)),
    TemplatePage("attempts", "Attempts", "attempts.md.j2", 2, kinds=("budget",), needs="runs"),
    TemplatePage("costs", "Costs", "costs.md.j2", 2, kinds=("budget",), needs="costs"),
    TemplatePage("lines", "Details", "lines.md.j2", 2, kinds=("budget",)),
    TemplatePage("imports", "Imports", "imports.md.j2", 2, kinds=("budget",), needs="imports"),
    TemplatePage(DERIVATIONS, "Derivations", "derivations.md.j2", 4),
    TemplatePage("findings", "Findings", "findings.md.j2", 3),
    TemplatePage("history", "History", "history.md.j2", 5, living=True),
    TemplatePage(f"{HOME}/index", "Releases", "releases.md.j2", living=True, needs="releases"),
    TemplatePage("proposals", "Proposals", "proposals.md.j2", 7, living=True, needs="proposals"),
)
"""The pages of a project, in the order in which a release lists them."""
PORTFOLIO = TemplatePage("index", "Portfolio", "portfolio.md.j2")
CATALOGUE = TemplatePage("catalog", "Catalogue", "catalog.md.j2")
STATEMENT = TemplatePage("allocations", "Statements", "statement.md.j2")
"""The page of an allocation with closed periods: `docs/allocations/<id>.md`, beside a csv."""
OWN_PAGE = "page.md.j2"
"""The template of the pages that project.yaml names."""
TAKEN = frozenset(page.name.partition("/")[0] for page in PAGES)
"""Names below docs/<project>/ that no page of project.yaml can have, nor one that begins with `derivations-`."""


def pages_of(kind: str, has: Mapping[str, object]) -> list[TemplatePage]:
    """The fixed pages of a project of a kind, by what of these it has: runs, costs, releases, imports, proposals."""
    return [page for page in PAGES if kind in page.kinds and (not page.needs or has[page.needs])]


MOVED = (("measuring", "measured"),)
"""Folders of templates, each with the name that it had, by which trees may still have templates of their own."""


def template_names(name: str) -> tuple[str, ...]:
    """The names of a template below `templates/`: the one that it has, then the one that it had, if it moved."""
    folder, _, rest = name.partition("/")
    moved = next((names for names in MOVED if rest and folder in names), None)
    return tuple(f"{each}/{rest}" for each in moved) if moved else (name,)


CARDS, MODELS, COSTS, PARTS, RESULTS = "specifications", "models", "costs", "parts", "results"
PICTURE, OF_PICTURE = "picture", ".picture"
"""What shows a picture without the tables that belong to it, and how its address ends."""
ANSWER = "answer"
"""The section whose texts and blocks open a page."""
CONFIGURATIONS, TOGETHER = "configurations", "together"
MEMORY, FIT, TIMES, VERDICTS = "memory", "fit", "times", "verdicts"


class Shown(NamedTuple):
    """A record of a section: how it is shown, and its id; that of a device is its address.

    What shows all records of a kind together has no id. `card` is the card that memory is shown on, where one is named.
    """

    kind: str
    id: str
    card: str = ""


def showable(ledger: Ledger, project: ProjectLedger) -> dict[str, tuple[Shown, ...]]:
    """Everything that a section of a project's page can name, by address."""
    return dict(_showable(ledger, project))


def _showable(ledger: Ledger, project: ProjectLedger) -> Iterator[tuple[str, tuple[Shown, ...]]]:
    own = [(kind, getattr(project, kind.id)) for kind in PROJECT.values() if kind.block]
    own += [(kind, getattr(project.project, kind.id)) for kind in INSIDE.values() if kind.block]
    for kind, records in own:
        for name in records:
            yield f"{kind.id}.{name}", (Shown(kind.block, str(name)),)
            if kind.part:
                yield f"{kind.id}.{name}.{kind.part}", (Shown(kind.part, str(name)),)
    for name in project.projections:
        yield f"projections.{name}.result", (Shown(RESULTS, str(name)),)
        yield f"projections.{name}{OF_PICTURE}", (Shown(PICTURE, f"projection-{name}"),)
    for name in project.measurements:
        yield f"measurements.{name}{OF_PICTURE}", (Shown(PICTURE, f"breakdown-{name}"),)
    yield from _configured(ledger, project)
    for kind, records in own:
        if kind.together and records:
            yield kind.id, tuple(Shown(kind.block, str(name)) for name in records)
    for kind in CATALOG.values():
        for name in getattr(ledger.catalog, kind.id) if kind.block else ():
            at = f"catalog.{kind.id}.{name}"
            yield at, (Shown(kind.block, at if kind.block == CARDS else str(name)),)


def _configured(ledger: Ledger, project: ProjectLedger) -> Iterator[tuple[str, tuple[Shown, ...]]]:
    """Configurations side by side, the memory of each or of all, on which cards they fit, and their times."""
    if project.configurations:
        yield CONFIGURATIONS, (Shown(TOGETHER, ""),)
    cards = tuple(ledger.catalog.gpus)
    filled = [str(name) for name in project.configurations if _holds(project, name, "memory")]
    for name in filled:
        yield f"{CONFIGURATIONS}.{name}.{MEMORY}", (Shown(MEMORY, name),)
        yield from ((f"{CONFIGURATIONS}.{name}.on.{card}", (Shown(MEMORY, name, str(card)),)) for card in cards)
    if filled:
        yield MEMORY, (Shown(MEMORY, ""),)
        card = project.gpu
        yield f"{MEMORY}{OF_PICTURE}", (Shown(PICTURE, f"configurations-on-{card}", card),)
        yield from ((f"{MEMORY}.{card}", (Shown(MEMORY, "", str(card)),)) for card in cards)
        yield FIT, (Shown(FIT, ""),)
        yield f"{FIT}.result", (Shown(VERDICTS, ""),)
    if any(_holds(project, name, "hours") for name in project.configurations):
        yield TIMES, (Shown(TIMES, ""),)


def _holds(project: ProjectLedger, name: str, field: str) -> bool:
    """Whether a configuration has something in a field, by itself or through its bases."""
    return any(getattr(project.configurations[each], field) for each in chain(project.configurations, name))
