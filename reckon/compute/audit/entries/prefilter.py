"""Which runs the rules have to look at. Most are plain: they say little, and what they say is far from any bound.

What is sought here is less than what is odd: whoever is left out would be found sound by each rule (a test tries it),
and all others are looked at as records. So the rules alone say what is odd.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import compress, count
from math import inf, nan
from operator import gt, truediv
from typing import Any, NamedTuple

from reckon.language.calendar_days import HOUR, first_day, last_day, seconds_between
from reckon.language.quantity import ONE
from reckon.model.figure import UNASSIGNED
from reckon.model.fixed_point import Number

from ...budget.prices import PricedCard, dollar_price
from .bills import FAR
from .durations import BEYOND, HALF, MINUTES, NEAR, OVER, SECONDS, TWICE, TWO_DAYS
from .entry import Around, bounds_of

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
    found |= _beyond_plan(around)
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
    of_card = {used: _price_bounds(around, used, Fraction(each, per)) for used in {*paid_by}}
    low, high = zip(*map(of_card.__getitem__, paid_by), strict=True)
    paid = costs if isinstance(costs, array) and 0 not in costs else [cost or nan for cost in costs]
    held = charged if 0 not in charged else [hours or _LITTLE for hours in charged]
    prices = [*map(truediv, paid, held)]  # what is not a number is neither below nor above any
    least = max(low, default=-inf)
    most = min(high, default=inf)
    far = [number for number, price in enumerate(prices) if not least <= price <= most]  # for some card
    return {
        number for number in far if prices[number] < low[kinds.of[number]] or prices[number] > high[kinds.of[number]]
    }


def _price_bounds(around: Around, used: PricedCard, scale: Fraction) -> tuple[float, float]:
    """What an hour of a run may cost at least and at most, whatever its day: a fifth of the highest price of its card,
    and five times the lowest, drawn in by more than a float is off; where there is none, nothing is too much or too
    little."""
    project = around.project
    book = around.book
    spans = found.spans if (found := dollar_price(book.ledger, project, used)) else ()
    known = [figure for span in spans if (figure := book.get(span.address)) and figure.use is not None]
    if not known:
        return -inf, inf
    lows, highs = zip(*map(bounds_of, known), strict=True)
    return float(max(lows) / FAR * scale) * (1 + _OFF), float(min(highs) * FAR * scale) * (1 - _OFF)


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


class _Slips(NamedTuple):
    """Where runs may be slips beside a plan, in the parts in which columns have hours: GPU-hours above `over`, with
    hours on the clock from `low` to `high`; or GPU-hours in one of the `units`, from their first to their last."""

    over: int
    low: int
    high: int
    units: tuple[tuple[int, int], ...]

    def has(self, hours: Number, charged: Number) -> bool:
        """Whether a run may be one. Fractions of a part are not told apart."""
        if charged > self.over and self.low <= hours <= self.high:
            return True
        return any(low <= charged <= high for low, high in self.units)


def _beyond_plan(around: Around) -> set[int]:
    """The runs whose GPU-hours may be a slip beside the plan of their piece of work: their hours on the clock are near
    it, and those of all GPUs above three times of it (`gpu_hours_as_wall`); or far beyond that of one run of several,
    and near it in another unit (`absurd`)."""
    rows = around.project.rows
    kinds = around.project.kinds
    hours, hour = rows.amounts("wall_hours")
    charged, per = rows.charged
    items = {UNASSIGNED: [*around.project.items]}  # of those only the entry names the item
    asked = [(kind.item, bool(kind.seed), kind.gpu) for kind in kinds.traits]
    slips = {
        (item, seeded, card): [
            _slips(*plan, hour, per) for name in items.get(item, [item]) for plan in _plans(around, name, seeded, card)
        ]
        for item, seeded, card in {*asked}
    }
    if not any(slips.values()):
        return set()
    of_kind = [*map(slips.__getitem__, asked)]
    never = max(charged, default=0)
    most = [min((slip.over for slip in known), default=never) for known in of_kind]
    above = [*compress(count(), map(gt, charged, map(most.__getitem__, kinds.of)))]
    return {
        number
        for number in above
        if any(slip.has(hours[number] or 0, charged[number]) for slip in of_kind[kinds.of[number]])
    }


def _slips(plan: Fraction, several: bool, hour: int, per: int) -> _Slips:
    """The slips beside a plan, of which a run has so many GPU-hours; `hour` and `per` parts are an hour."""
    low = plan * per * HALF
    high = plan * per * TWICE
    least = plan * per * BEYOND // 1
    units = [(max(low * unit // 1, least), -(-high * unit // 1)) for unit in (MINUTES, SECONDS)] if several else ()
    return _Slips(OVER * plan * per // 1, HALF * plan * hour // 1, -(-NEAR * plan * hour // 1), tuple(units))


def _plans(around: Around, name: str, seeded: bool, card: str) -> set[tuple[Fraction, bool]]:
    """What a run of an item may be held against (`Around.plan`), which names a seed or not and was on a card: planned
    GPU-hours, and whether these are those of one run of several. Whether it states the progress of all its piece is not
    asked here."""
    item = around.project.items.get(name)
    if item is None or around.project.card_for(item) != card:
        return set()
    share = (item.runs.value.use if item.runs else None) or ONE
    found = set()
    for many in {share, ONE}:
        planned = around.planned.get((name, seeded or many > 1))
        most = (planned.value.high or planned.use) if planned else None
        if most:
            found.add((most / max(many, ONE), many > 1))
    return found


def to_compare(around: Around) -> list[int]:
    """The runs that may be one with another, or overlap with it.

    Two with a day are one only if they say the same of all that `duplicates` compares; with times of day, whatever they
    say."""
    rows = around.project.rows
    timed = _timed(around)
    few = [rows.column("item"), rows.column("date"), rows.amounts("wall_hours").values]
    numbers = _often(few, range(len(rows)))
    if numbers:
        names = ("seed", "run", "attempt", "start", "end", "gpu", "status", "progress.done", "job", "jobs")
        said = [*few, *map(rows.column, filter(rows.says, names))]
        said += [rows.amounts(name).values for name in ("gpus", "gpu_hours") if rows.says(name)]
        numbers = _often([[column[number] for number in numbers] for column in said], numbers)
    jobs = rows.column("job")
    alone = rows.column("jobs")
    return sorted(timed | {number for number in numbers if jobs[number] is None and alone[number] is None})


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
