"""Words about measurements and projections: the bottleneck, the cheapest price list, how a reported figure stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.language.units import label
from reckon.model.figure import Figure
from reckon.model.ledger import Ledger, ProjectLedger

from ..measuring.measured import bottleneck
from ..measuring.projections import STANDINGS, Fields, cheapest, offers_of, pairs, standing
from .word import NONE, Word, titles_of


def words_of_measured(figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger) -> Iterator[tuple[str, Word]]:
    """Address and word of what measurements and projections of a project have words for."""
    for name, measurement in one.measurements.items():
        at = f"{one.id}.measurements.{name}"
        yield at, Word(str(name), str(measurement.title), "title")
        if part := bottleneck(measurement):
            among = {str(key): label(str(key)) for key in measurement.total}
            yield f"{at}.bottleneck", Word(part, among[part], "The bottleneck", among)
    yield from titles_of(f"{one.id}.projections", one.projections)
    for key, _, of in pairs(one):
        yield from _cheapest(figures, ledger, one, key, of)
        yield from _reported(figures, one, key, f"{one.id}.projections.{key}.{of}")


def _cheapest(
    figures: Mapping[str, Figure], ledger: Ledger, one: ProjectLedger, name: str, measurement: str
) -> Iterator[tuple[str, Word]]:
    offers = [offer for offer in offers_of(ledger, one, name, measurement) if offer.hourly]
    if not offers:
        return
    at, among = f"{one.id}.projections.{name}.{measurement}", {offer.id: offer.title for offer in offers}
    found, cost = cheapest(figures, one.id, offers), figures.get(f"{one.id}.projections.{name}.{measurement}.usd")
    missing = cost.missing if cost else ()
    words = among.get(found, "unknown" if missing else NONE)
    yield f"{at}.cheapest", Word(found or NONE, words, "The cheapest price list", {**among, NONE: NONE}, missing)


def _reported(figures: Mapping[str, Figure], one: ProjectLedger, name: str, at: str) -> Iterator[tuple[str, Word]]:
    """How the projected hours stand to what was reported elsewhere."""
    reported = Fields(one, name).value("reported")
    hours, figure = figures.get(f"{at}.hours"), figures.get(f"{one.id}.figures.{reported}")
    if reported is None or hours is None or figure is None:
        return
    found = standing(hours, figure)
    missing = () if found else (*hours.missing, *figure.missing) or (figure.address,)
    words = STANDINGS[found] if found else "unknown"
    yield f"{at}.reported", Word(found or NONE, words, "Against the reported figure", STANDINGS, missing)
