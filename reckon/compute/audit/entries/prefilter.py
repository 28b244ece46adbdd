"""Which runs the rules have to look at. Most are plain: they say little, and what they say is far from any bound.

What is sought here is less than what is odd: whoever is left out would be found sound by each rule (a test tries it),
and all others are looked at as records. So the rules alone say what is odd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from reckon.language.calendar_days import HOUR, last_day, seconds_between
from reckon.language.quantity import ONE
from reckon.model.figure import UNASSIGNED, Traits

from ...budget.prices import PricedCard, dollar_price
from .bills import FAR, ROUGH, too_small
from .duplicates import job_of
from .entry import BEYOND, OVER, TWO_DAYS, Around, bounds_of

RARE = ("gpu_hours", "peak_gib", "energy_kwh", "watts", "pue", "utilisation", "start", "end", "progress.done")
"""A run that says any of these is looked at: it has more that can be odd."""


class Usual(NamedTuple):
    """What a plain run of a kind takes: at most so many GPU-hours, on so many GPUs at least; and what its card costs
    for an hour, from a little less to a little more, whatever the day; any price where that is not known."""

    hours: float
    gpus: float
    low: float
    high: float

    def is_paid(self, price: float, gpus: float) -> bool:
        """Whether so much for a GPU-hour is near the list, and neither that of one GPU for all nor of all for each."""
        is_slip = gpus > 1 and any(self.low <= each <= self.high for each in (price * gpus, price / gpus))
        return self.high / FAR < price < self.low * FAR and not is_slip


def to_judge(around: Around) -> list[int]:
    """The runs that a rule about an entry alone may find odd.

    A plain one has a date alone, which leaves two days, and nothing of what is rare. It held whole GPUs, for some time
    of two days at most, and not before the project; its GPU-hours, its GPUs and its cost are usual for its kind.
    """
    rows = around.project.rows
    kinds = around.project.kinds
    usual = [_usual(around, kind) for kind in kinds.traits]
    first = max(around.began, 1)
    charged, part = rows.charged
    amounts = [rows.amounts(name) for name in ("gpus", "wall_hours", "cost_usd")]
    gpu, hour, dollar = (each.per for each in amounts)
    days = zip(rows.column("imported.began"), rows.column("date"), strict=True)
    columns = zip(kinds.of, days, charged, *(each.values for each in amounts), strict=True)
    found = {*around.history.odd, *around.kinship.odd}
    for name in RARE:
        if rows.says(name):
            found.update(number for number, said in enumerate(rows.column(name)) if said is not None)
    for number, (kind, (began, date), held, gpus, took, cost) in enumerate(columns):
        bounds = usual[kind]
        is_whole = gpus and not gpus % gpu and gpus / gpu >= bounds.gpus
        is_short = took and 0 < took <= TWO_DAYS * hour and 0 < held <= bounds.hours * part
        is_plain = is_whole and is_short and last_day(began or date) >= first
        if not is_plain or (cost and not bounds.is_paid(cost / dollar / held * part, gpus / gpu)):
            found.add(number)
    return sorted(found.difference(_sound_jobs(around)))


def _usual(around: Around, kind: Traits) -> Usual:
    """What is usual for runs of a kind. Slips beside a plan are farther from it (`by_its_plan`), and runs on fewer GPUs
    than are estimated are looked at (`by_its_estimate`); as are all on a card that cannot hold the work."""
    project = around.project
    # Of a run that no rule assigned only the entry names the item.
    expected = [(name, each) for (name, _), each in around.expected.items() if kind.item in (name, UNASSIGNED)]
    hours = [each.most / (project.items[name].runs_a_piece or ONE) for name, each in expected]
    times = BEYOND if (kind.item, kind.gpu, False) in around.kinship.groups else OVER
    most = 0 if too_small(around, kind.item, kind.gpu) else min(hours, default=inf) * times
    gpus = max((each.gpus.use or 0 for _, each in expected if each.gpus), default=0)
    price = dollar_price(around.book.ledger, project, PricedCard(kind.price, kind.gpu))
    listed = [around.book.get(span.address) for span in price.spans] if price else []
    bounds = [bounds_of(figure) for figure in listed if figure and figure.use is not None]
    low = min((low for low, _ in bounds), default=inf) * (1 - ROUGH)
    high = max((high for _, high in bounds), default=-inf) * (1 + ROUGH)
    return Usual(float(most), float(gpus), float(low), float(high))


def _sound_jobs(around: Around) -> Iterator[int]:
    """Imported runs that began after their project did, and took no longer than from their start to their end."""
    rows = around.project.rows
    if not rows.says("imported.source"):
        return
    hours, hour = rows.amounts("wall_hours")
    said = rows.columns("imported.source", "imported.began", "start", "end", "gpu_hours")
    for number, (source, began, start, end, stated) in enumerate(said):
        if source and start and end and stated is None and last_day(began or start) >= around.began:
            _, most = seconds_between(start, end)
            if (hours[number] or 0) * HOUR <= most * hour:
                yield number


def to_compare(around: Around) -> list[int]:
    """The runs that may be one with another, or overlap with it: with times of day, or with the same day and hours as
    another one. The ids of jobs tell these apart, so that imported ones matter only beside a run that has none."""
    rows = around.project.rows
    jobs = rows.column("job")
    sources = rows.column("imported.source")
    amounts = (rows.amounts(name).values for name in ("wall_hours", "gpu_hours"))
    said = [*zip(*map(rows.column, ("item", "date", "start", "end")), *amounts, strict=True)]
    often = Counter(said)
    single = [number for number, many in enumerate(rows.column("jobs")) if many is None]
    attempts = rows.column("attempt")
    timed = [number for number in single if said[number][2] and (said[number][3] or attempts[number])]
    stepped = {job_of(job) for job in jobs if job and job_of(job) != job}
    found = {number for number, job in enumerate(jobs) if job and job_of(job) in stepped}
    for some in (timed, [number for number in single if often[said[number]] > 1]):
        is_told_apart = all(jobs[number] for number in some)
        found.update(number for number in some if not (is_told_apart and sources[number]))
    return sorted(found)
