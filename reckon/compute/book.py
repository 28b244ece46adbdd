"""What the calculation gives: `Written`, all cells of a ledger, and from them the `Book`.

Each part of `compute` defines what it finds, and none of them knows the book, which only gathers that. So it stands
above them, and below `audit` and `bridge`, which read it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from reckon.language.text import Place
from reckon.model.figure import Figure, Figures
from reckon.model.finding import Finding
from reckon.model.lazy import LateMapping
from reckon.model.ledger import ByProject, Catalog, Ledger, ProjectLedger

from .sheet.cells import quoted

if TYPE_CHECKING:
    from reckon.model.records import Allocation

    from .budget.drawdown import History
    from .budget.shared_grants import SharedGrants
    from .choosing.market_search import Command
    from .choosing.memory import Verdict
    from .choosing.pareto import Tradeoff
    from .choosing.setups import Choice
    from .fitting.verdict import Fitted
    from .sheet.sheet import Sheet
    from .statements.claims import Check, Worded
    from .statements.conditions import PolicyResult
    from .statements.text_blocks import Said
    from .statements.words import Word


class Written(NamedTuple):
    """All cells of a ledger, and what goes beside them: what each project was charged when, its setups, and grants that
    share hours."""

    sheet: Sheet
    histories: Mapping[str, History]
    setups: Mapping[str, Mapping[str, tuple[Choice, ...]]]
    shared_grants: Mapping[str, SharedGrants]


# with a dict: the figures of each home are gathered once, when they are first asked for
class Book(Struct, frozen=True, dict=True):
    """Every figure of a ledger by its address, what the audit found, and the ledger that it rests on.

    Figures in the order of the ledger, words by their address; and what is known of each project beside them: claims
    held against figures and words, memory verdicts, setups weighed against each other, configurations on cards,
    searches, texts as they stand, policies, what was charged when, and findings. Of grants, those that share hours.
    """

    ledger: Ledger
    figures: Figures
    words: Mapping[str, Word] = {}
    checks: ByProject[Check] = {}
    worded: ByProject[Worded] = {}
    verdicts: ByProject[Verdict] = {}
    tradeoffs: ByProject[Tradeoff] = {}
    fits: ByProject[Fitted] = {}
    searches: ByProject[Command] = {}
    texts: ByProject[Said] = {}
    policies: ByProject[PolicyResult] = {}
    histories: Mapping[str, History] = {}
    shared_grants: Mapping[str, SharedGrants] = {}
    findings: ByProject[Finding] = {}

    @classmethod
    def late(cls, ledger: Ledger, make: Callable[[], Book]) -> Book:
        """The book of a ledger, made when something of it is asked for."""
        names = [name for name in cls.__struct_fields__ if name != "ledger"]
        return cls(ledger, **{name: LateMapping(partial(_part, make, name)) for name in names})

    @property
    def catalog(self) -> Catalog:
        """The catalogue of its ledger."""
        return self.ledger.catalog

    @property
    def projects(self) -> Mapping[str, ProjectLedger]:
        """The projects of its ledger."""
        return self.ledger.projects

    @property
    def allocations(self) -> Mapping[str, Allocation]:
        """The grants of its ledger."""
        return self.ledger.allocations

    def __getitem__(self, address: str) -> Figure:
        return self.figures[address]

    def get(self, address: str) -> Figure | None:
        """The figure at an address, or None."""
        return self.figures.get(address)

    def find(self, project: ProjectLedger, address: str) -> Figure | None:
        """The figure at an address inside a project, or None."""
        return self.get(f"{project.id}.{address}")

    def get_all(self, at: str, *keys: str) -> list[Figure | None]:
        """The figures below an address, or None for each that there is not."""
        return [self.figures.get(f"{at}.{key}") for key in keys]

    def own(self, home: str) -> Figures:
        """The figures of a project, or of the catalogue, by their addresses, in the order of the ledger."""
        return self._homes.get(home, {})

    @cached_property
    def _homes(self) -> Mapping[str, Figures]:
        found: dict[str, dict[str, Figure]] = {}
        for address, figure in self.figures.items():
            found.setdefault(address.partition(".")[0], {})[address] = figure
        return found

    def quoted(self, project_id: str, address: str) -> Figure | None:
        """The figure that an address quoted in a project means (`budget.final`, `plan.sft.estimate.low`), or None."""
        return quoted(self.figures, project_id, address)

    def place(self, address: str) -> Place:
        """The ledger line of a figure."""
        return self.figures[address].place


def _part(make: Callable[[], Book], name: str) -> Mapping[str, Any]:
    return getattr(make(), name)  # type: ignore[no-any-return]
