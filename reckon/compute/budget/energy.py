"""What plan, runs and forecast take of energy, and what that emits.

Energy is hours on a card x what a GPU draws x PUE; emissions are energy x those of a kWh from the grid. A GPU draws
what its run or item states, else the power of its board (the most that it may take, so an upper estimate), or the share
of it that the project states. A run that states its energy counts with that, times PUE unless it was measured of the
whole facility; it was measured unless the `kind` of the run says otherwise. A run can name another PUE and grid than
its project. A card of no known power makes sums "at least". Without a PUE the energy is that of the GPUs alone. What is
to come takes, in each draw of the forecast, the power of the card that it is planned on, or that its item states.

The method is that of the LLaMA paper (arXiv 2302.13971, table 15) and of the Llama model cards.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.groups import group_by
from reckon.language.lazy import regex
from reckon.language.quantity import ZERO, Quantity, Value, point
from reckon.language.text import Text
from reckon.language.units import PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import NO_RUN, OUTSIDE, OWN_HOURS, EnergyBasis, Selection
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Addresses, Term, chain_of, formula_of, product_of, sum_of, total_of
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .actuals import Tally
from .amounts import Amounts
from .amounts_to_come import ToCome, write_amount_forecast
from .forecast_inputs import Outlook
from .payers import Lane

KWH, CO2E = key_unit("kwh"), key_unit("kg").named("kg CO₂e")
PER_KWH = "co2e_grams_per_kwh"
POWER, INTENSITY = key_unit("watts_per_gpu"), key_unit(PER_KWH)
MEASURED, AS_STATED = "energy_kwh", "as its runs state it"
AT_LEAST_NOTHING = Value(ZERO, None, None)


class _EnergyGroup(NamedTuple):
    """Runs whose energy comes about in one way: by what they state, or on one card; by what they say of it beside."""

    card: str
    """Empty for runs that state their energy."""
    basis: EnergyBasis


class Usage(NamedTuple):
    """The addresses of the energy of a group of runs, of the emissions of a kWh of it, and of the hours if they count.

    `known` says whether the power is known, `reported` whether the energy is stated and was not measured."""

    energy: str
    grid: str
    hours: str
    known: bool
    reported: bool


def uses_energy(project: ProjectLedger, tally: Tally) -> bool:
    """Whether a project says more of energy than what its runs took: a grid, a PUE, or power of its own."""
    record = project.project
    own = (record.grid, record.pue, record.power_share)
    stated = any(value is not None for value in own) or any(item.watts is not None for item in project.items.values())
    return stated or any(traits.basis._replace(reported=False) != EnergyBasis() for traits in tally.groups)


def write_energy(sheet: Sheet, ledger: Ledger, project: ProjectLedger, tally: Tally, outlook: Outlook) -> None:
    """Writes energy and emissions of a project; nothing where it says no more of energy than what its runs took."""
    if uses_energy(project, tally):
        _Energy(sheet, ledger, project, tally).write(outlook)


class _Energy:
    """The energy of a project as it is written, and what it rests on."""

    def __init__(self, sheet: Sheet, ledger: Ledger, project: ProjectLedger, tally: Tally) -> None:
        self.writer, self.id = FigureWriter(sheet, project.id), project.id
        self.sheet, self.ledger, self.project, self.tally = sheet, ledger, project, tally
        self.grid, pue = self._catalogued("grids", project.project.grid or "", PER_KWH), project.project.pue
        self.pue = "" if pue is None else "pue"
        """The address of the PUE of the project; empty where it names none."""
        if isinstance(pue, Text):
            self.pue = self._catalogued("facilities", pue, "pue")
        self.groups: dict[str, dict[_EnergyGroup, None]] = defaultdict(dict)
        for traits in tally.groups:
            if MEASURED not in traits.stated and (traits.status == NO_RUN or traits.gpu not in ledger.catalog.gpus):
                continue  # it has neither energy nor hours, or names no card, which is refused
            card = "" if MEASURED in traits.stated else traits.gpu
            self.groups[traits.item][_EnergyGroup(card, traits.basis)] = None
        self.emits = bool(self.grid) or any(traits.basis.grid for traits in tally.groups)
        self.energy = Amounts(self.writer, project, "energy", "energy", KWH)
        self.carbon = Amounts(self.writer, project, "carbon", "emissions", CO2E)
        self.used: list[Usage] = []
        self.rates: dict[str, Addresses] = {}
        """The addresses of what an hour of each item on its own card is multiplied by."""

    def write(self, outlook: Outlook) -> None:
        """Writes all of it."""
        unpowered = [name for name, item in self.project.items.items() if not self._planned(name, item)]
        for name, item in self.project.items.items():
            self._spent(name, item.title, f"plan.{name}.{{}}", item)
        there = [each for each in OUTSIDE if each.item in self.groups]
        for each in there:
            self._spent(each.item, each.title, f"{{}}.{each.key}")
        by_power = _by_power(outlook, self.project)
        for amounts in (self.energy, self.carbon) if self.emits else (self.energy,):
            amounts.sum_plan()
            amounts.sum_runs(there)
            emitted = (self._emitted(self.grid),) if amounts is self.carbon else ()
            rates = {name: (*rate, *emitted) for name, rate in self.rates.items()}
            write_amount_forecast(amounts, ToCome(amounts, by_power, rates))
        self._shares(unpowered)

    def _planned(self, name: str, item: r.Item) -> bool:
        """Writes what an item is planned to take; says whether its power is known."""
        card = self.project.card_for(item)
        if item.watts is not None:
            words = f"{item.title}: power of each GPU"
            self.writer.formula(f"plan.{name}.energy.watts_per_gpu", words, "watts / 1 gpu", unit=POWER)
        seeds = ["seeds"] if item.scope == "per-seed" and self.energy.has("seeds") else []
        power, known = self._power(name, item, card)
        title = f"{item.title}: planned"
        self.rates[name] = (power, self.pue) if self.pue else (power,)
        planned = chain_of(" * ", ["gpu_hours", *seeds, *self.rates[name]])
        self.energy.write(f"plan.{name}.energy.planned", title, planned)
        if self.emits:
            formula = formula_of("plan.{}.energy.planned * {}", name, self._emitted(self.grid))
            self.carbon.write(f"plan.{name}.carbon.planned", title, formula)
        return known

    def _spent(self, name: str, title: str, at: str, item: r.Item | None = None) -> None:
        """Writes what the runs of an item took (without one, those of no item), group by group: `{}` in the address
        stands for energy or emissions."""
        energy, carbon = at.format("energy"), at.format("carbon")
        groups = sorted(self.groups.get(name, ()), key=lambda group: (group.card, group.basis.words))
        found = [self._group(name, title, energy, item, group) for group in groups]
        self.used += found
        whole: Term = total_of([usage.energy for usage in found]) if found else "0 kwh"
        self.energy.write(f"{energy}.actual", f"{title}: actual", whole)
        if self.emits:
            parts = []
            for grid, some in group_by(found, lambda usage: usage.grid).items():
                parts.append(product_of(total_of([usage.energy for usage in some]), grid))
            self.carbon.write(f"{carbon}.actual", f"{title}: actual", sum_of(parts) if parts else "0 kg")

    def _group(self, name: str, title: str, at: str, item: r.Item | None, group: _EnergyGroup) -> Usage:
        """Writes what a group of runs took."""
        card, basis = group
        slug = "".join(f".{part}" for part in _slug(basis))
        stated_as = "reported" if basis.reported else "measured"
        at = f"{at}.by_gpu.{card}{slug}" if card else f"{at}.{stated_as}{slug}"
        words = f"{title}, on {self._card(card)}" if card else f"{title}, as {stated_as}"
        said = basis._replace(reported=False).words
        words += f", {said}" if said else ""
        pue, known = [*filter(None, [self._own_pue(at, words, basis)])], True
        if card:
            hours = Selection(self.id, OWN_HOURS, name, gpu=card, lacks=(MEASURED,), basis=basis)
            self.tally.write(hours, f"{self.id}.{at}.hours", f"{words}: hours")
            if basis.watts is None:
                power, known = self._power(name, item, card)
            else:
                drawn = f"{words}: power of each GPU"
                power = self.writer.count_once(f"{at}.watts_per_gpu", drawn, POWER, point(basis.watts), AS_STATED)
            self.energy.write(f"{at}.used", words, chain_of(" * ", [f"{at}.hours", power, *pue]))
        else:
            stated = Selection(self.id, MEASURED, name, basis=basis)
            self.tally.write(stated, f"{self.id}.{at}.stated", f"{words}: as runs state")
            self.energy.write(f"{at}.used", words, chain_of(" * ", [f"{at}.stated", *([] if basis.facility else pue)]))
        grid = self._catalogued("grids", basis.grid, PER_KWH) or self.grid
        emitted, hours_at = self._emitted(grid) if self.emits else "", f"{at}.hours" if card else ""
        return Usage(f"{at}.used", emitted, hours_at, known, basis.reported)

    def _shares(self, unpowered: list[str]) -> None:
        """What was measured of the energy, and of which share of the hours it is known, where not of all."""
        for name, words in (("measured", "measured"), ("reported", "reported, not measured")):
            stated = [usage.energy for usage in self.used if not usage.hours and usage.reported == (name == "reported")]
            if stated:
                self.energy.write(f"energy.{name}", words.capitalize(), total_of(stated))
                self._share(f"{name}_share", f"Share of the energy that was {words}", name, "actual")
        if unknown := [usage.hours for usage in self.used if not usage.known]:
            self.tally.write(Selection(self.id, OWN_HOURS), f"{self.id}.energy.hours", "Hours on all cards")
            self.writer.hours("energy.unpowered_hours", "Hours on cards of no known power", total_of(unknown))
            title = "Share of the hours whose energy is known"
            self._share("known_share", title, "hours - energy.unpowered_hours", "hours")
        if unpowered:
            planned = [f"plan.{name}.total" for name in self.project.items]
            lacking = [f"plan.{name}.total" for name in unpowered]
            self.writer.hours("energy.planned_hours", "Hours of all items", total_of(planned))
            self.writer.hours("energy.planned_unpowered", "Hours of items of no known power", total_of(lacking))
            title = "Share of the planned hours whose energy is known"
            self._share("planned_known_share", title, "planned_hours - energy.planned_unpowered", "planned_hours")

    def _share(self, name: str, title: str, part: str, whole: str) -> None:
        """Writes the share that a part is of a whole, both in the group of energy."""
        part, whole = f"(energy.{part})" if "-" in part else f"energy.{part}", f"energy.{whole}"
        self.writer.formula(f"energy.{name}", title, formula_of(part + " / {}", whole), "%", whole)

    def _power(self, name: str, item: r.Item | None, card: str) -> tuple[str, bool]:
        """The address of what a GPU of a card draws for an item, and whether it is known."""
        if item and item.watts is not None and card == self.project.card_for(item):
            return f"plan.{name}.energy.watts_per_gpu", True
        board = f"catalog.gpus.{card}.watts"
        if board not in self.sheet.cells and not self.ledger.unread(board):
            title = f"Power of a GPU, {self._card(card)}"
            address, how = f"energy.unpowered.{card}", "the catalogue has no power of it"
            return self.writer.count_once(address, title, POWER, AT_LEAST_NOTHING, how), False
        address = f"energy.watts_per_gpu.{card}"
        if not self.energy.has(address):
            pattern = "{} / 1 gpu * power_share" if self.project.project.power_share is not None else "{} / 1 gpu"
            words = f"Power of a GPU, {self._card(card)}"
            self.writer.formula(address, words, formula_of(pattern, board), unit=POWER)
        return address, True

    def _card(self, card: str) -> str:
        """The title of a card."""
        known = self.ledger.catalog.gpus.get(card)
        return known.title if known else card

    def _emitted(self, grid: str) -> str:
        """The address of the emissions of a kWh; where no grid is named, of an amount that is nothing or more."""
        how = "no grid is named"
        return grid or self.writer.count_once("carbon.no_grid", "Emissions of a kWh", INTENSITY, AT_LEAST_NOTHING, how)

    def _catalogued(self, kind: str, name: str, field: str) -> str:
        """The address of what a grid or a facility states; empty for one that is not there, which is told there."""
        at, catalog = f"catalog.{kind}.{name}", self.ledger.catalog
        known = name and (name in getattr(catalog, kind) or self.ledger.unread(at))
        return f"{at}.{field}" if known else ""

    def _own_pue(self, at: str, words: str, basis: EnergyBasis) -> str:
        """The address of the PUE of a group of runs: its own, else that of the project."""
        if isinstance(basis.pue, Fraction):
            return self.writer.count_once(f"{at}.pue", f"{words}: PUE", PLAIN, point(basis.pue), AS_STATED)
        return self._catalogued("facilities", basis.pue, "pue") if basis.pue else self.pue


def _by_power(outlook: Outlook, project: ProjectLedger) -> Outlook:
    """The outlook with work apart that draws otherwise on the same card."""
    powers = {name: _stated_power(name, item) for name, item in project.items.items()}
    drawn = {piece: powers[outlook.item_of(piece)] for piece in outlook.lanes}
    kinds: dict[Lane, set[str]] = defaultdict(set)
    for piece, lane in outlook.lanes.items():
        kinds[lane].add(drawn[piece])
    lanes = {}
    for piece, lane in outlook.lanes.items():
        lanes[piece] = lane._replace(power=drawn[piece]) if len(kinds[lane]) > 1 else lane
    return replace(outlook, lanes=lanes)


def _stated_power(name: str, item: r.Item) -> str:
    """What tells the power that an item states from that of others; empty where it states none."""
    if item.watts is None:
        return ""
    return item.watts.text if isinstance(item.watts, Quantity) else name


_NO_NAME = regex("[^A-Za-z0-9_-]")


def _slug(basis: EnergyBasis) -> list[str]:
    """What runs say of their energy as words of an address: `350-w`, `pue-1-2`, `sweden-2023`, `facility`."""
    words = [f"{float(basis.watts):.12g}-w"] if basis.watts is not None else []
    if basis.pue is not None:
        words.append(basis.pue if isinstance(basis.pue, str) else f"pue-{float(basis.pue):.12g}")
    words += [word for word, there in ((basis.grid, basis.grid), ("facility", basis.facility)) if there]
    return [_NO_NAME.sub("-", word).strip("-") or "nothing" for word in words]
