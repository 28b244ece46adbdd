"""Words for what was weighed and measured: which setup a ranking picks, whether something fits, what is cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reckon.language.units import label
from reckon.model.figure import Figures
from reckon.model.ledger import Ledger, ProjectLedger

from ..choosing.memory import FITS, NOT, TIGHT, Verdict
from ..choosing.pareto import RANKS, Tradeoff
from ..fitting.verdict import Fitted, smallest
from ..measuring.projections import STANDINGS, Fields, cheapest, offers_of, pairs, standing
from ..measuring.results import bottleneck
from ..sheet.cells import Addresses
from .words import NONE, NamedWords, Word

VERDICTS = {verdict.replace(" ", "-"): verdict for verdict in (FITS, TIGHT, NOT)}
FRONTIER, DOMINATED, UNDECIDED, UNFIT, SHORT = "frontier", "dominated", "undecided", "unfit", "too-few-gpus"
SETUP_STANDINGS = {
    FRONTIER: "on the frontier",
    DOMINATED: "dominated",
    UNDECIDED: "undecided",
    UNFIT: "without enough memory",
    SHORT: "with too few GPUs",
}
# Rankings that there are only with a limit or a value, and the field that states it.
STATED = {
    "fastest-within-budget": "budget_usd",
    "cheapest-before-deadline": "deadline_hours",
    "best-at-hour-value": "usd_per_hour_waited",
}


def words_of_setups(figures: Figures, project: ProjectLedger, weighed: tuple[Tradeoff, ...]) -> NamedWords:
    """Address and word of what the setups of a project come to."""
    for found in weighed:
        yield from _rankings(figures, project, found)
        for choice in found.choices:
            yield from _choice(project, found, choice)


def _rankings(figures: Figures, project: ProjectLedger, found: Tradeoff) -> NamedWords:
    """The winner of each ranking, `none` where no setup meets its limit, and the reference."""
    at = f"{project.id}.setups.{found.name}"
    among = {**found.titles, NONE: NONE}
    open_ = tuple(dict.fromkeys(each for missing in found.undecided.values() for each in missing))
    for rank, about in RANKS.items():
        limit = figures.get(f"{at}.{STATED[rank]}") if rank in STATED else None
        if rank not in STATED or limit:
            missing = open_ if not found.points else (limit.address,) if limit and limit.use is None else ()
            yield f"{at}.{rank}", _pick(among, found.ranks.get(rank, ""), about, missing)
    yield f"{at}.reference", _pick(among, found.reference, "The reference", open_)


def _pick(among: Mapping[str, str], choice: str, about: str, missing: Addresses) -> Word:
    if choice:
        return Word(choice, among[choice], about, among)
    return Word(NONE, "unknown" if missing else NONE, about, among, missing)


def _choice(project: ProjectLedger, found: Tradeoff, choice: str) -> NamedWords:
    """What a setup is called, whether it is worth having, and whether its memory holds the work."""
    at = found.choices[choice].at
    title = found.titles[choice]
    yield at, Word(choice, title, "title")
    beside = FRONTIER if choice in found.front else DOMINATED
    no_choice = {**dict.fromkeys(found.unfit, UNFIT), **dict.fromkeys(found.short, SHORT)}
    standing = UNDECIDED if choice in found.undecided else no_choice.get(choice, beside)
    yield f"{at}.standing", Word(standing, SETUP_STANDINGS[standing], f"Standing of {title}", SETUP_STANDINGS)
    if project.workloads[found.record.workload].memory_gb:
        yield f"{at}.memory", _verdict(found.verdicts.get(choice), f"Memory of {title}", (f"{at}.memory_share",))


def _verdict(verdict: Verdict | None, about: str, missing: Addresses) -> Word:
    """A verdict on memory as a word; where it cannot be told, what is missing for it."""
    if verdict is None or verdict.use not in VERDICTS.values():
        return Word("unknown", "unknown", about, VERDICTS, missing)
    return Word(verdict.use.replace(" ", "-"), verdict.use, about, VERDICTS)


def words_of_measured(figures: Figures, ledger: Ledger, project: ProjectLedger) -> NamedWords:
    """Address and word of what measurements and projections of a project have words for."""
    for name, measurement in project.measurements.items():
        at = f"{project.id}.measurements.{name}"
        if part := bottleneck(measurement):
            among = {str(key): label(key) for key in measurement.total}
            yield f"{at}.bottleneck", Word(part, among[part], "The bottleneck", among)
    for key, _, of in pairs(project):
        yield from _cheapest(figures, ledger, project, key, of)
        yield from _reported(figures, project, key, f"{project.id}.projections.{key}.{of}")


def _cheapest(figures: Figures, ledger: Ledger, project: ProjectLedger, name: str, measurement: str) -> NamedWords:
    offers = [offer for offer in offers_of(ledger, project, name, measurement) if offer.hourly]
    if not offers:
        return
    at = f"{project.id}.projections.{name}.{measurement}"
    among = {offer.id: offer.title for offer in offers}
    found = cheapest(figures, project.id, offers)
    cost = figures.get(f"{at}.usd")
    missing = cost.missing if cost else ()
    words = among.get(found, "unknown" if missing else NONE)
    yield f"{at}.cheapest", Word(found or NONE, words, "Cheapest offer", {**among, NONE: NONE}, missing)


def _reported(figures: Figures, project: ProjectLedger, name: str, at: str) -> NamedWords:
    """How the projected hours stand to what was reported elsewhere."""
    reported = Fields(project, name).value("reported")
    hours = figures.get(f"{at}.hours")
    figure = figures.get(f"{project.id}.figures.{reported}")
    if reported is None or hours is None or figure is None:
        return
    found = standing(hours, figure)
    missing = () if found else (*hours.missing, *figure.missing) or (figure.address,)
    words = STANDINGS[found] if found else "unknown"
    yield f"{at}.reported", Word(found or NONE, words, "Against the reported figure", STANDINGS, missing)


def words_of_fits(ledger: Ledger, project: ProjectLedger, fitted: Sequence[Fitted]) -> NamedWords:
    """Address and word of what the configurations of a project come to."""
    cards = {card: record.title for card, record in ledger.catalog.gpus.items()}
    for fit in fitted:
        at = f"{project.id}.{fit.pair.at}"
        about = f"{project.configurations[fit.pair.configuration].title} on {cards[fit.pair.card]}"
        yield f"{at}.verdict", _verdict(fit.verdict, about, fit.missing or (f"{at}.need_gib",))
    among = {**cards, NONE: NONE}
    for name in dict.fromkeys(fit.pair.configuration for fit in fitted):
        own = [fit for fit in fitted if fit.pair.configuration == name]
        card = smallest(own, name) or NONE
        missing = tuple(dict.fromkeys(at for fit in own for at in fit.missing))
        about = f"Smallest card for {project.configurations[name].title}"
        yield f"{project.id}.configurations.{name}.smallest-card", Word(card, among[card], about, among, missing)
