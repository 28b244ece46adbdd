"""What tables set beside cells: a part as a share of the card, what a lever frees, how much longer it makes a time.

Each is a formula over cells, so that pages can print how it comes about. None has an address.
"""

from __future__ import annotations

from collections.abc import Mapping

from reckon.language.units import PLAIN
from reckon.model.figure import Figure
from reckon.model.ledger import ProjectLedger

from ..choosing.memory import usable_at
from ..sheet.cells import read_formula
from ..sheet.evaluate import derive
from .configured import Configured
from .needs import GIB

Figures = Mapping[str, Figure]


def share_of(part: Figure, whole: Figure) -> Figure | None:
    """A part as a share of the whole; None where the whole is not above zero."""
    if whole.value.low is None or whole.value.low <= 0:
        return None
    return derive(read_formula("part / whole"), {"part": part, "whole": whole}, PLAIN, title="share", form="%")


def subject_of(one: ProjectLedger, lever: str) -> str:
    """The configuration that a lever is weighed on: the one it names, else the first that it changes; empty if none."""
    record = one.levers[lever]
    if record.configuration is not None:
        return str(record.configuration)
    for name in one.configurations:
        configured = Configured(one, str(name))
        if lever not in configured.levers and str(record.part or "") in configured.parts:
            return str(name)
    return ""


def saving_of(figures: Figures, one: ProjectLedger, lever: str, card: str) -> Figure | None:
    """What a lever by itself takes off its part, in GiB on a card; None where nothing is stated, or it is in force."""
    name, part = subject_of(one, lever), str(one.levers[lever].part or "")
    if not name or lever in (configured := Configured(one, name)).levers or part not in configured.parts:
        return None
    if configured.parts[part][1].is_pool:
        return _off_pool(figures, configured, lever, part, card)
    return _off_part(figures, configured, lever, part)


def _off_pool(figures: Figures, configured: Configured, lever: str, part: str, card: str) -> Figure | None:
    """A pool is as large as its setting says: what is saved is the difference of the two shares of the card."""
    key = str(configured.parts[part][1].pool)
    if key not in configured.settings or key not in configured.one.levers[lever].sets:
        return None
    project = configured.one.id
    given = {
        "before": figures.get(f"{project}.{configured.settings[key].address}"),
        "after": figures.get(f"{project}.levers.{lever}.sets.{key}"),
        "usable": figures.get(usable_at(figures, card)),
    }
    known = {name: figure for name, figure in given.items() if figure}
    return _saving("(before - after) * usable", known) if len(known) == len(given) else None


def _off_part(figures: Figures, configured: Configured, lever: str, part: str) -> Figure | None:
    """A share of the part, or an amount of which no more can be saved than there is."""
    at, need = f"{configured.one.id}.levers.{lever}", f"{configured.one.id}.{configured.at}.memory.{part}.need_gib"
    addresses = {"part": need, "saves": f"{at}.saves", "saves_gb": f"{at}.saves_gb"}
    given = {name: figures[address] for name, address in addresses.items() if address in figures}
    if "part" not in given or len(given) == 1:
        return None
    terms = [text for key, text in (("saves", "saves * part"), ("saves_gb", "saves_gb")) if key in given]
    return _saving(f"min({' + '.join(terms)}, part)" if "saves_gb" in given else terms[0], given)


def _saving(formula: str, given: Figures) -> Figure:
    return derive(read_formula(formula), given, GIB, title="saved")


def slowdown_of(figures: Figures, one: ProjectLedger, lever: str) -> Figure | None:
    """How many times longer a lever makes its part of the time; None where nothing is stated of it."""
    at = f"{one.id}.levers.{lever}"
    given = {key: figures[f"{at}.{key}"] for key in ("slower", "throughput_lower") if f"{at}.{key}" in figures}
    if not given or _stops(given.get("throughput_lower")):
        return None
    terms = {"slower": "(100% + slower)", "throughput_lower": "1 / (100% - throughput_lower)"}
    formula = " * ".join(text for key, text in terms.items() if key in given)
    return derive(read_formula(formula), given, PLAIN, title="slow-down", form="x")


def _stops(lower: Figure | None) -> bool:
    """Whether so much less is done in a time that nothing is."""
    return lower is not None and lower.value.high is not None and lower.value.high >= 1
