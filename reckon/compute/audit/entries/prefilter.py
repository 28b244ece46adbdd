"""Which runs the rules have to look at. Most are plain: they say little, and what they say is far from any bound.

What is sought here is less than what is odd: whoever is left out would be found sound by each rule (a test tries it),
and all others are looked at as records. So the rules alone say what is odd.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import compress, count
from math import inf, nan
from operator import gt, truediv
from typing import Any

from reckon.language.calendar_days import HOUR, first_day, last_day, seconds_between
from reckon.language.quantity import ONE
from reckon.model.figure import UNASSIGNED, Traits

from ...budget.prices import PricedCard, dollar_price
from .bills import FAR, ROUGH, too_small
from .duplicates import job_of
from .entry import BEYOND, OVER, TWO_DAYS, Around, bounds_of
from .siblings import Key, Siblings

RARE = ("gpu_hours", "peak_gib", "energy_kwh", "watts", "pue", "utilisation")
"""A run that says any of these is looked at: it has more that can be odd."""
_OFF, _LITTLE = 1e-9, 1e-300


def to_judge(around: Around) -> list[int]:
    """The runs that a rule about an entry alone may find odd.

    A plain one has a date alone, which leaves two days, and nothing of what is rare. It held whole GPUs, for some time
    of two days at most, and not before the project; its GPU-hours are no slip of a plan that it has (`_beyond_plan`).
    What it cost is near the price of its hours.
    """
    rows = around.project.rows
    told = _says_more(around)
    gpus, each = rows.amounts("gpus")
    hours, hour = rows.amounts("wall_hours")
    found = _among(gpus, lambda many: not many or many % each)
    if not (hours and isinstance(hours, array)) or min(hours) <= 0 or max(hours) > TWO_DAYS * hour:
        found |= _among(hours, lambda took: not took or took > TWO_DAYS * hour)
    if any(date is None or last_day(date) < around.began for date in rows.values("date")):
        found |= _among(rows.column("date"), lambda date: date is None or last_day(date) < around.began)
    found |= _beyond_plan(around) | _on_fewer_gpus(around) | _on_small_cards(around)
    found |= {*around.history.odd, *around.kinship.odd}
    began = _among(rows.column("imported.began"), lambda since: since and last_day(str(since)) < around.began)
    return sorted((found | told) - _sound_jobs(around, told) | began | _far_from_price(around))


def _among(values: Sequence[Any], odd: Callable[[Any], object]) -> set[int]:
    """The numbers of the runs whose value in a column is odd. Each value is asked about once."""
    strange = {value for value in {*values} if odd(value)}
    return {number for number, value in enumerate(values) if value in strange} if strange else set()


def _says_more(around: Around) -> set[int]:
    """The runs that say something rare, or a start or an end."""
    rows = around.project.rows
    return {
        number
        for name in (*RARE, "start", "end")
        if rows.says(name)
        for number, said in enumerate(rows.column(name))
        if said is not None
    }


def _far_from_price(around: Around) -> set[int]:
    """The runs whose cost is not near their hours at each price that their card has had."""
    rows = around.project.rows
    if not rows.says("cost_usd"):
        return set()
    costs, each = rows.amounts("cost_usd")
    charged, per = rows.charged
    kinds = around.project.kinds
    paid_by = [PricedCard(kind.price, kind.gpu) for kind in kinds.traits]
    of_card = {used: _list_prices(around, used, Fraction(each, per)) for used in {*paid_by}}
    bounds = [*map(of_card.__getitem__, paid_by)]
    paid = costs if isinstance(costs, array) and 0 not in costs else [cost or nan for cost in costs]
    held = charged if 0 not in charged else [hours or _LITTLE for hours in charged]
    prices = [*map(truediv, paid, held)]  # what is not a number is neither below nor above any
    off = [
        number
        for number, (price, kind) in enumerate(zip(prices, kinds.of, strict=True))
        if price < bounds[kind][0] or price > bounds[kind][1]
    ]
    gpus, each = rows.amounts("gpus")
    return {number for number in off if _is_far(prices[number], bounds[kinds.of[number]], (gpus[number] or 0) / each)}


def _is_far(price: float, bounds: tuple[float, float], gpus: float) -> bool:
    """Whether a price is far from a list, or that of all GPUs for each, or of one for all."""
    low, high = bounds
    times = [price * gpus, price / gpus] if gpus > 1 else []
    return (
        price > low * FAR * (1 - _OFF) or price < high / FAR * (1 + _OFF) or any(low <= each <= high for each in times)
    )


def _list_prices(around: Around, used: PricedCard, scale: Fraction) -> tuple[float, float]:
    """What an hour of a run costs at least and at most by its lists, whatever its day, and a little less and more;
    where there is no price, nothing is too much or too little."""
    project = around.project
    book = around.book
    spans = found.spans if (found := dollar_price(book.ledger, project, used)) else ()
    known = [figure for span in spans if (figure := book.get(span.address)) and figure.use is not None]
    if not known:
        return -inf, inf
    lows, highs = zip(*map(bounds_of, known), strict=True)
    return float(min(lows) * scale) * (1 - ROUGH), float(max(highs) * scale) * (1 + ROUGH)


def _sound_jobs(around: Around, numbers: Iterable[int]) -> set[int]:
    """Imported runs that began after their project did, and took no longer than from their start to their end."""
    rows = around.project.rows
    if not rows.says("imported.source"):
        return set()
    sources, starts, ends, stated = map(rows.column, ("imported.source", "start", "end", "gpu_hours"))
    hours, hour = rows.amounts("wall_hours")
    found = set()
    for number in numbers:
        start = starts[number]
        end = ends[number]
        if sources[number] is not None and stated[number] is None and start and end and last_day(start) >= around.began:
            apart = seconds_between(start, end)[1]
            found |= {number} if (hours[number] or 0) * HOUR <= apart * hour else set()
    return found


def _beyond_plan(around: Around) -> set[int]:
    """The runs whose GPU-hours are above three times what their piece of work, or one of its runs, is expected to take,
    or ten times where there are others of their kind: slips beside a plan (`by_its_plan`) are farther from it. Progress
    makes that less (`Around.part`)."""
    rows = around.project.rows
    kinds = around.project.kinds
    charged, per = rows.charged
    totals = rows.column("progress.total")
    never = max(charged, default=0)
    least = [min(_expected(around, kind), default=never) * per for kind in kinds.traits]
    groups = around.kinship.groups
    most = [hours * _times(groups, kind, False) // 1 for hours, kind in zip(least, kinds.traits, strict=True)]
    found = {*compress(count(), map(gt, charged, map(most.__getitem__, kinds.of)))}
    for number, gain in around.history.gains.items():
        kind = kinds.of[number]
        limit = least[kind] * _times(groups, kinds.traits[kind], True)
        found |= {number} if charged[number] * totals[number] > limit * gain else set()
    return found


def _on_fewer_gpus(around: Around) -> set[int]:
    """The runs on fewer GPUs than the estimate of their item counts (`by_its_estimate`)."""
    gpus, each = around.project.rows.amounts("gpus")
    kinds = around.project.kinds
    counted = {name: found.gpus for (name, _), found in around.expected.items()}
    most = [(found.use or 0) * each if (found := counted.get(kind.item)) else 0 for kind in kinds.traits]
    if not any(most):
        return set()
    return {number for number, kind in enumerate(kinds.of) if 0 < (gpus[number] or 0) < most[kind]}


def _on_small_cards(around: Around) -> set[int]:
    """The runs on a card that cannot hold the work of their item (`need_above_card`)."""
    kinds = around.project.kinds
    small = {number for number, kind in enumerate(kinds.traits) if too_small(around, kind.item, kind.gpu)}
    return {number for number, kind in enumerate(kinds.of) if kind in small} if small else set()


def _times(groups: Mapping[Key, Siblings], kind: Traits, by_progress: bool) -> int:
    """How many times what is expected hours have to be to be looked at."""
    return BEYOND if (kind.item, kind.gpu, by_progress) in groups else OVER


def _expected(around: Around, kind: Traits) -> set[Fraction]:
    """What a run of a kind may be expected to take (`Around.plan`), in GPU-hours, whatever its progress is."""
    found = set()
    # Of a run that no rule assigned only the entry names the item.
    for name in around.project.items if kind.item == UNASSIGNED else [kind.item]:
        item = around.project.items.get(name)
        if item is not None and around.project.card_for(item) == kind.gpu:
            share = (item.runs.value.use if item.runs else None) or ONE
            known = {many: around.expected.get((name, bool(kind.seed) or many > 1)) for many in {share, ONE}}
            found |= {hours.most / max(many, ONE) for many, hours in known.items() if hours and hours.most}
    return found


def to_compare(around: Around) -> list[int]:
    """The runs that may be one with another, or overlap with it.

    Two with a day are one only if they say the same of all that `duplicates` compares; with times of day, whatever they
    say."""
    rows = around.project.rows
    timed = _timed(around)
    names = ("item", "date", "start", "end")
    said = [rows.column(name) for name in names] + [rows.amounts(name).values for name in ("wall_hours", "gpu_hours")]
    numbers = _often(said, range(len(rows)))
    jobs = rows.column("job")
    alone = rows.column("jobs")
    if all(jobs[number] is not None for number in numbers):
        numbers = []
    return sorted(timed | _steps(jobs) | {number for number in numbers if alone[number] is None})


def _steps(jobs: Sequence[str | None]) -> set[int]:
    """The runs with the id of a step of a job, and those with the id of that job."""
    known = {job: job_of(job) for job in {*jobs} if job is not None}
    parents = {parent for job, parent in known.items() if parent != job}
    return (
        {number for number, job in enumerate(jobs) if job is not None and known[job] in parents} if parents else set()
    )


def _often(columns: Sequence[Sequence[Any]], numbers: Sequence[int]) -> Sequence[int]:
    """Those of some runs that say in some columns what another says too. Two of one hash are compared by the rule."""
    keys = [*map(hash, zip(*columns, strict=True))]
    once = set[int]()
    often = {key for key in keys if key in once or once.add(key)}  # type: ignore[func-returns-value]
    return [*compress(numbers, map(often.__contains__, keys))] if often else ()


def _timed(around: Around) -> set[int]:
    """The runs with a start and an end, or with a start and the number of an attempt. The ids of imported jobs tell
    these apart, so that they matter only where another run with such times has no id."""
    rows = around.project.rows
    if not rows.says("start"):
        return set()
    columns = zip(*map(rows.column, ("start", "end", "attempt", "jobs")), strict=True)
    found = {
        number
        for number, (start, end, attempt, counted) in enumerate(columns)
        if start is not None and counted is None and (end is not None or attempt is not None)
    }
    jobs = rows.column("job")
    sources = rows.column("imported.source")
    known = all(jobs[number] is not None for number in found)
    return {number for number in found if sources[number] is None} if known else found


def late(around: Around) -> list[int]:
    """The runs that begin after the last day of their phase."""
    phases = {name: last_day(phase.until or "") for name, phase in around.project.plan.items()}
    until = {item: phases[name] for item, name in around.phases.items() if phases[name]}
    fields = ("item", "imported.began", "start", "date", "end")
    said = zip(*map(around.project.rows.column, fields), strict=True) if until else ()
    return [
        number
        for number, (item, began, start, date, end) in enumerate(said)
        if item in until and first_day(str(began or start or date or end or "")) > until[item]
    ]
