"""Energy and emissions on pages and in the terminal: what is planned, what was taken, what is left and to come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from reckon.language.quantity import point
from reckon.language.text import Place
from reckon.language.units import PLAIN, Unit, key_unit
from reckon.model import records as r
from reckon.model.figure import OUTSIDE, Figure, Stated, is_known
from reckon.model.kinds import EXTENDED, FINAL, called

from ..render.numbers import in_unit
from ..table import MOST_ROWS, Bold, Cell, CellRow, CellRows, Columns, Table, figures, joined
from ..view import View
from .imports import line_of

KWH, MWH = key_unit("kwh"), key_unit("mwh")
KG, TONNES = key_unit("kg").named("kg CO₂e"), key_unit("tonnes").named("t CO₂e")
BESIDE = (
    ("embodied_co2e_tonnes", "Making the hardware, not in the sums"),
    ("market_based_co2e_tonnes", "Market-based emissions; the sums are location-based"),
)
LARGE = Fraction(10_000)
"""From so many kWh or kg on a project is told in MWh and t."""
GROUPS = {"energy": ("Energy", KWH, MWH), "carbon": ("Emissions", KG, TONNES)}
"""What each is called, and its units: the small one and the large one."""


def unit_of(view: View, group: str) -> Unit:
    """The unit in which a project tells its energy or its emissions, by the largest of its sums."""
    _, small, large = GROUPS[group]
    found = view.maybe_all(group, "actual", FINAL.id, EXTENDED.id)
    ends = (figure.value.high or figure.value.low for figure in found if figure)
    return large if any(end is not None and abs(end) >= LARGE for end in ends) else small


def amount(view: View, group: str, address: str) -> Figure | None:
    """An amount of energy or emissions in the unit of the project; None where there is none."""
    figure = view.maybe(address)
    return in_unit(figure, unit_of(view, group)) if figure else None


def groups_of(view: View) -> tuple[str, ...]:
    """What is known of a project: energy, and emissions where a grid is named."""
    return tuple(group for group in GROUPS if view.maybe(f"{group}.actual"))


def energy_items(view: View) -> Table:
    """What each GPU draws, and planned and actual energy and emissions, by phase and item and in all."""
    groups, planned = groups_of(view), view.planned
    columns: Columns = ["Energy and emissions"]
    for word, shown in (("Actual", view.runs), ("Planned", planned)):
        columns += [figures(f"{word}, {unit_of(view, group).symbol}", shown=shown) for group in groups]
    columns.append(figures("Power of a GPU, W"))
    return Table.of(columns, _item_rows(view, groups), _whole_rows(view, groups))


def _item_rows(view: View, groups: Sequence[str]) -> Iterator[CellRow]:
    for phase_id, phase in view.ledger.plan.items():
        if phase.items:
            yield [Bold(phase.title), *_pairs(view, groups, *_ends(f"phases.{phase_id}")), ""]
        for name, item in phase.items.items():
            card = item.gpu or view.project.gpu
            power = view.maybe(f"plan.{name}.energy.watts_per_gpu") or view.maybe(f"energy.watts_per_gpu.{card}")
            yield [item.title, *_pairs(view, groups, *_ends(f"plan.{name}")), power]
    for each in OUTSIDE:
        if view.maybe(f"energy.{each.key}.actual"):
            yield [each.title, *_pairs(view, groups, "", f"{{}}.{each.key}.actual"), ""]


def _whole_rows(view: View, groups: Sequence[str]) -> Iterator[CellRow]:
    found = [total for total in (FINAL, EXTENDED) if view.planned and view.maybe(f"energy.{total.id}")]
    for total in found:
        actual = "{}.base" if total is FINAL else "{}.actual"
        yield [Bold(called(view.project, total.title)), *_pairs(view, groups, f"{{}}.{total.id}", actual), ""]
    if not found:
        yield [Bold("Actual"), *_pairs(view, groups, "", "{}.actual"), ""]


def _ends(at: str) -> tuple[str, str]:
    return f"{at}.{{}}.planned", f"{at}.{{}}.actual"


def _pairs(view: View, groups: Sequence[str], planned: str, actual: str) -> Iterator[Cell]:
    """The cells of a row: actual, then planned amounts of each group, whose name goes into the addresses."""
    for at in (actual, planned):
        yield from (amount(view, group, at.format(group)) if at else "" for group in groups)


def energy_totals(view: View) -> Table:
    """Budgets, what was taken, what is left and where it ends, in energy and emissions."""
    groups = groups_of(view)
    named: list[tuple[str, Cell]] = [("actual", Bold("Total taken"))]
    if view.planned:
        named = [
            (FINAL.id, Bold(called(view.project, FINAL.title))),
            (EXTENDED.id, Bold(EXTENDED.title)),
            *named,
            ("remaining", called(view.project, f"Left of the {FINAL.words}")),
            ("forecast_p50", "Forecast at the end, at the median"),
        ]
    rows: CellRows = []
    for name, title in named:
        amounts = [amount(view, group, f"{group}.{name}") for group in groups]
        if any(amounts):
            rows.append([title, *amounts])
    return Table(["", *(figures(GROUPS[group][0], "full") for group in groups)], rows)


def energy_basis(view: View) -> Table:
    """What energy and emissions rest on: PUE and grid with their sources; and what a source states beside them."""
    catalog, project = view.catalog, view.project
    rows: CellRows = [*_facility_rows(view, "PUE: ", project.pue)]
    if project.pue and not rows:
        rows.append(["PUE of the data centre", view.fig("pue"), _line(view.fig("pue").place)])
    rows += _pues_of_runs(view)
    of_runs = {str(grid) for grid in view.ledger.rows.column("grid") if grid}
    for name in dict.fromkeys(filter(None, (project.grid, *sorted(of_runs)))):
        if grid := catalog.grids.get(name):
            emitted = view.book.get(f"catalog.grids.{name}.co2e_grams_per_kwh")
            rows.append([("Grid: ", grid.title), emitted, _source(grid)])
    if project.power_share:
        share = view.fig("power_share")
        rows.append(["What a GPU draws of the power of its board", share, _line(share.place)])
    for key, title in BESIDE:
        if getattr(project, key) is not None:
            rows.append([title, view.fig(key), "as the source states it"])
    return Table(["Based on", figures("Figure", "full"), "Source"], rows)


def _line(place: Place) -> Cell:
    """The ledger line of what is stated there, whose source only its author knows."""
    return line_of(place) if place.line else None


def _pues_of_runs(view: View) -> Iterator[CellRow]:
    """What runs state of the PUE where they ran, each number once, with the first run that states it."""
    seen = set[object]()
    rows = view.ledger.rows
    stating = (number for number, pue in enumerate(rows.column("pue")) if pue is not None)
    for run in map(rows.run, stating):
        if run.pue in seen or len(seen) >= MOST_ROWS:
            continue
        seen.add(run.pue)
        if isinstance(run.pue, Fraction):
            figure = Figure("", "PUE of a run", PLAIN, point(run.pue), Stated(str(run.pue), run.place))
            yield ["PUE that runs state", figure, _line(run.place)]
        elif run.pue != view.project.pue:
            yield from _facility_rows(view, "PUE of runs: ", run.pue)


def _facility_rows(view: View, words: str, name: object) -> Iterator[CellRow]:
    """The row of a facility whose PUE is taken; none where no facility has that name."""
    if facility := view.catalog.facilities.get(str(name)):
        yield [(words, facility.title), view.book.get(f"catalog.facilities.{name}.pue"), _source(facility)]


def _source(record: r.Facility | r.Grid) -> Cell:
    return joined((part for part in (record.source, record.licence) if part), "; ")


class SpentEnergy(NamedTuple):
    """Energy or emissions in the unit of the project: what was taken, the budget, and the forecast at the median."""

    label: str
    actual: Figure
    budget: Figure | None
    forecast: Figure | None


def spent_energy(view: View) -> list[SpentEnergy]:
    """Energy and emissions, as far as it is known what was taken."""
    found: list[SpentEnergy] = []
    for group, (label, *_) in GROUPS.items():
        actual = amount(view, group, f"{group}.actual")
        if is_known(actual):
            budget = amount(view, group, f"{group}.{FINAL.id}")
            found.append(SpentEnergy(label, actual, budget, amount(view, group, f"{group}.forecast_p50")))
    return found


def uses_board_power(view: View) -> bool:
    """Whether the power of a board stands behind any of it."""
    return any(f"{view.id}.energy.watts_per_gpu.{card}" in view.book.figures for card in view.catalog.gpus)
