"""Whether each configuration fits on each card: the verdict of `memory.judge`, with the reserve and room in pools.

Beside that, what tables need beside cells: a part as a share of the card, what a lever frees, how much longer it makes
a time. Each is a formula over cells, so that pages can print how it comes about; none has an address.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.units import PLAIN
from reckon.model.figure import Figure, Figures, planned
from reckon.model.ledger import Ledger, ProjectLedger

from ..choosing.memory import FITS, NOT, Verdict, usable_at, verdict
from ..sheet.cells import Addresses, chain_of, formula_of, read_formula
from ..sheet.evaluate import derive
from .effective_settings import Configured
from .memory_needs import AMOUNTS, GIB, Pair, pairs_of
from .times import SLOWER


class Fitted(Struct, frozen=True):
    """A configuration on a card: the verdict (None where something is missing), and the pools that are too small.

    `reserve` is the figure of the memory that is to stay free; None where no reserve is stated.
    """

    pair: Pair
    verdict: Verdict | None
    missing: Addresses = ()
    short: tuple[str, ...] = ()
    reserve: Figure | None = None


def fits_of(
    figures: Figures, ledger: Ledger, project: ProjectLedger, names: Iterable[str] | None = None
) -> Iterator[Fitted]:
    """The verdict on every configuration with memory parts (or on those named) on every card, in order."""
    reserve = figures.get(f"{project.id}.reserve_gib")
    for pair in pairs_of(ledger, project, names):
        need, usable = figures.get(f"{project.id}.{pair.at}.need_gib"), figures.get(usable_at(figures, pair.card))
        if need is None or usable is None:
            continue
        missing = need.missing or usable.missing
        found = verdict(pair.at, pair.card, need, usable, planned(reserve))
        short = () if missing else tuple(_short(figures, project, pair))
        if found and short:
            found = replace(found, low=NOT, use=NOT, high=NOT)
        yield Fitted(pair, found, missing, short, reserve)


def _short(figures: Figures, project: ProjectLedger, pair: Pair) -> Iterator[str]:
    """The pools of a configuration that are too small on a card for what stands within them, at planned values."""
    configured = Configured(project, pair.configuration)
    at = f"{project.id}.{configured.at}.memory"
    for part in (part for part, (_, record) in configured.parts.items() if record.is_pool):
        pool = figures.get(f"{project.id}.{pair.at}.{part}_gib")
        taken = sum(planned(figures.get(f"{at}.{name}.need_gib")) for name in configured.inside(part))
        if pool and pool.use is not None and taken > planned(pool):
            yield part


def smallest(fitted: list[Fitted], configuration: str) -> str:
    """The card with the least memory on which a configuration fits at planned values; empty where it fits on none."""
    own = [fit for fit in fitted if fit.pair.configuration == configuration]
    found = {fit.pair.card: planned(fit.verdict.usable) for fit in own if fit.verdict and fit.verdict.use == FITS}
    return min(found, key=lambda card: found[card], default="")


def share_of(part: Figure, whole: Figure) -> Figure | None:
    """A part as a share of the whole; None where the whole is not above zero."""
    if whole.value.low is None or whole.value.low <= 0:
        return None
    return derive(read_formula("part / whole"), {"part": part, "whole": whole}, PLAIN, title="share", form="%")


def subject_of(project: ProjectLedger, lever: str) -> str:
    """The configuration that a lever is weighed on: the one it names, else the first that it changes; empty if none."""
    record = project.levers[lever]
    if record.configuration is not None:
        return record.configuration
    for name in project.configurations:
        configured = Configured(project, name)
        if lever not in configured.levers and (record.part or "") in configured.parts:
            return name
    return ""


def saving_of(figures: Figures, project: ProjectLedger, lever: str, card: str) -> Figure | None:
    """What a lever by itself takes off its part, in GiB on a card; None where nothing is stated, or it is in force."""
    name = subject_of(project, lever)
    return saving_on(figures, Configured(project, name), lever, card) if name else None


def saving_on(figures: Figures, configured: Configured, lever: str, card: str) -> Figure | None:
    """What it takes off its part of a configuration."""
    part = configured.project.levers[lever].part or ""
    if lever in configured.levers or part not in configured.parts:
        return None
    if configured.parts[part][1].is_pool:
        return _off_pool(figures, configured, lever, part, card)
    return _off_part(figures, configured, lever, part)


def _off_pool(figures: Figures, configured: Configured, lever: str, part: str, card: str) -> Figure | None:
    """A pool is as large as its setting says: what is saved is the difference of the two shares of the card."""
    key = str(configured.parts[part][1].pool)
    if key not in configured.settings or key not in configured.project.levers[lever].sets:
        return None
    project = configured.project.id
    addresses = {
        "before": f"{project}.{configured.settings[key].address}",
        "after": f"{project}.levers.{lever}.sets.{key}",
        "usable": usable_at(figures, card),
    }
    given = {name: figures[address] for name, address in addresses.items() if address in figures}
    formula = read_formula("(before - after) * usable")
    return derive(formula, given, GIB, title="saved") if len(given) == len(addresses) else None


def _off_part(figures: Figures, configured: Configured, lever: str, part: str) -> Figure | None:
    """A share of the part, or an amount of which no more can be saved than there is."""
    at = f"{configured.project.id}.levers.{lever}"
    need = f"{configured.project.id}.{configured.at}.memory.{part}.need_gib"
    addresses = {"part": need, **{key: f"{at}.{key}" for key in ("saves", *AMOUNTS)}}
    given = {name: figures[address] for name, address in addresses.items() if address in figures}
    if "part" not in given or len(given) == 1:
        return None
    amounts = [key for key in AMOUNTS if key in given]
    share = [read_formula("saves * part")] if "saves" in given else []
    formula = chain_of(" + ", [*share, *amounts])
    formula = formula_of("min({}, part)", formula) if amounts else formula
    return derive(formula, given, GIB, title="saved")


def slowdown_of(figures: Figures, project: ProjectLedger, lever: str) -> Figure | None:
    """How many times longer a lever makes its part of the time; None where nothing is stated of it."""
    at = f"{project.id}.levers.{lever}"
    given = {key: figures[f"{at}.{key}"] for key in SLOWER if f"{at}.{key}" in figures}
    lower = given.get("throughput_lower")
    if not given or (lower and not lower.missing and (lower.value.high is None or lower.value.high >= 1)):
        return None  # it may be that nothing is done in any time
    formula = chain_of(" * ", [formula_of(SLOWER[key], key) for key in given])
    return derive(formula, given, PLAIN, title="slow-down", form="x")
