"""Which runs the rules have to look at. Most are plain: they say little, and what they say is far from any bound.

What is sought here is less than what is odd: whoever is left out would be found sound by each rule (a test tries it),
and all others are looked at as records. So the rules alone say what is odd.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from reckon.language.days import HOUR, first_day, last_day, seconds_between
from reckon.language.text import Text

from ...budget.prices import price_of
from .bills import FAR
from .entry import Around
from .held import OVER, TWO_DAYS

RARE = ("gpu_hours", "peak_gib", "energy_kwh", "watts", "pue", "utilisation")
"""A run that says any of these is looked at: it has more that can be odd."""


def to_judge(around: Around) -> list[int]:
    """The runs that a rule about an entry alone may find odd.

    A plain one has a date alone, which leaves two days, and nothing of what is rare. It held whole GPUs, for some time
    of two days at most, for at most three times the GPU-hours of its plan where it has one, and not before the project.
    What it cost is near the price of its hours.
    """
    rows, bounds = around.project.rows, _bounds(around)
    told, early = _says_more(around), _early(around)
    (gpus, each), (hours, hour), (charged, per) = rows.amounts("gpus"), rows.amounts("wall_hours"), rows.charged
    most = {kind: None if bound is None else int(bound * per) for kind, bound in bounds.items()}
    longest, found = TWO_DAYS * hour, set[int]()
    columns = zip(gpus, hours, charged, *map(rows.column, ("item", "date")), strict=True)
    for number, (many, took, whole, item, date) in enumerate(columns):
        bound = most[item]
        if (date in early or not many or many % each or not took or took > longest
                or (bound is not None and whole > bound)):  # fmt: skip
            found.add(number)
    return sorted((found | told) - _sound_jobs(around, told) | _far_from_price(around))


def _says_more(around: Around) -> set[int]:
    """The runs that say something rare, or a start or an end."""
    rows = around.project.rows
    return {number for name in (*RARE, "start", "end") if rows.says(name)
            for number, said in enumerate(rows.column(name)) if said is not None}  # fmt: skip


def _far_from_price(around: Around) -> set[int]:
    """The runs whose cost is not near their hours at each price that their card has had."""
    rows = around.project.rows
    if not rows.says("cost_usd"):
        return set()
    (costs, each), (charged, per) = rows.amounts("cost_usd"), rows.charged
    kinds = [*zip(*map(rows.column, ("item", "gpu", "unassigned")), strict=True)]
    scale = Fraction(each, per)
    bounds = {(item, card, apart): _price_bounds(around, item, card, apart, scale) for item, card, apart in {*kinds}}
    found = set[int]()
    for number, (cost, held, kind) in enumerate(zip(costs, charged, kinds, strict=True)):
        if cost and (bound := bounds[kind]):
            low, high = bound
            near = held * low.numerator <= cost * low.denominator and cost * high.denominator <= held * high.numerator
            found |= set() if near else {number}
    return found


def _price_bounds(
    around: Around, item: Text, card: Text | None, unassigned: bool, scale: Fraction
) -> tuple[Fraction, Fraction] | None:
    """What an hour of a run may cost at least and at most, whatever its day: a fifth of the highest price of its card,
    and five times the lowest; None where there is none, and nothing is too much or too little."""
    project, book = around.project, around.book
    on = str(project.card_on(item, card, unassigned))
    spans = found.spans if (found := price_of(book.ledger, project, on)) else ()
    known = [figure for span in spans if (figure := book.get(span.address)) and figure.use is not None]
    if not known:
        return None
    low = max(figure.value.low or figure.use or Fraction(0) for figure in known)
    high = min(figure.value.high or figure.use or Fraction(0) for figure in known)
    return low / FAR * scale, high * FAR * scale


def _early(around: Around) -> set[object]:
    """The dates of runs that are before their project, and no date."""
    return {date for date in {*around.project.rows.column("date")} if date is None or last_day(date) < around.began}


def _sound_jobs(around: Around, numbers: Iterable[int]) -> set[int]:
    """Imported runs that began after their project did, and took no longer than from their start to their end."""
    rows = around.project.rows
    if not rows.says("imported.source"):
        return set()
    sources, starts, ends, stated = map(rows.column, ("imported.source", "start", "end", "gpu_hours"))
    hours, hour = rows.amounts("wall_hours")
    found = set()
    for number in numbers:
        start, end = starts[number], ends[number]
        if sources[number] is not None and stated[number] is None and start and end and last_day(start) >= around.began:
            apart = seconds_between(start, end)[1]
            found |= {number} if (hours[number] or 0) * HOUR <= apart * hour else set()
    return found


def _bounds(around: Around) -> dict[str, Fraction | None]:
    """GPU-hours that a run may have, by its item; None where there is no plan for it.

    Where a piece takes several runs, that is what the plan says of one of them.
    """
    found: dict[str, Fraction | None] = {}
    for item in {*around.project.rows.column("item")}:
        record = around.project.items.get(item)
        share = (record.runs.value.use if record and record.runs else None) or Fraction(1)
        figures = [around.planned.get((str(item), named)) for named in (True, False)]
        known = [least for figure in figures if figure and (least := figure.value.high or figure.use)]
        found[item] = OVER * min(known) / max(share, Fraction(1)) if known else None
    return found


def to_compare(around: Around) -> list[int]:
    """The runs that may be one with another, or overlap with it.

    Two with a day are one only if they say the same of all that `twins` compares; with times of day, whatever they say.
    """
    rows = around.project.rows
    jobs, timed = rows.column("job"), _timed(around)
    names = ("seed", "run", "attempt", "date", "start", "end", "gpu", "status", "progress.done")
    said = [rows.column("item"), *map(rows.column, filter(rows.says, names))]
    said += [rows.amounts(name).values for name in ("gpus", "wall_hours", "gpu_hours") if rows.says(name)]
    keys = [*map(hash, zip(*said, strict=True))]  # two of one hash are compared by the rule
    often = {key for key, following in pairwise(sorted(keys)) if key == following}
    alone = rows.column("jobs")
    alike = {number for number, key in enumerate(keys) if key in often and jobs[number] is None}
    return sorted(timed | {number for number in alike if alone[number] is None})


def _timed(around: Around) -> set[int]:
    """The runs with a start and an end, or with a start and the number of an attempt. The ids of imported jobs tell
    these apart, so that they matter only where another run with such times has no id."""
    rows = around.project.rows
    columns = zip(*map(rows.column, ("start", "end", "attempt", "jobs")), strict=True)
    found = {number for number, (start, end, attempt, counted) in enumerate(columns)
             if start is not None and counted is None and (end is not None or attempt is not None)}  # fmt: skip
    jobs, sources = rows.column("job"), rows.column("imported.source")
    known = all(jobs[number] is not None for number in found)
    return {number for number in found if sources[number] is None} if known else found


def late(around: Around) -> list[int]:
    """The runs that begin after the last day of their phase."""
    phases = {name: last_day(str(phase.until or "")) for name, phase in around.project.plan.items()}
    until = {item: phases[name] for item, name in around.phases.items() if phases[name]}
    fields = ("item", "imported.began", "start", "date", "end")
    said = zip(*map(around.project.rows.column, fields), strict=True) if until else ()
    return [number for number, (item, began, start, date, end) in enumerate(said)
            if item in until and first_day(str(began or start or date or end or "")) > until[item]]  # fmt: skip
