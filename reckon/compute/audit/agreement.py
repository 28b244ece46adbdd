"""Records that answer the same question, and parts that should make a whole."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.units import PLAIN
from reckon.model.figure import Figure
from reckon.model.finding import Finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..measuring.projections import pairs
from ..sheet.cells import total_of
from ..sheet.evaluate import derive
from .common import factor_apart, places, times_as_much

FAR, VERY_FAR, MEMORY_FAR = Fraction(2), Fraction(10), Fraction(3, 2)


def projection_far_from_estimate(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A projection and the plan's estimate of the same item that are more than a factor of two apart."""
    for name, projection, measurement in pairs(one):
        projected = book.get(f"{one.id}.projections.{name}.{measurement}.gpu_hours")
        if not projection.compare or projected is None:
            continue
        at = f"{one.id}.plan.{projection.compare}"
        planned = book.get(f"{at}.estimate") or book[f"{at}.gpu_hours"]
        apart = factor_apart(projected.value, planned.value)
        if apart > FAR:
            title = str(one.items[str(projection.compare)].title)
            yield _apart("records-far-apart", "error" if apart >= VERY_FAR else "warning", projected, planned, title)


def _apart(rule: str, severity: str, first: Figure, second: Figure, title: str) -> Finding:
    larger, smaller = (
        (second, first)
        if (first.use or 0) * first.unit.scale < (second.use or 0) * second.unit.scale
        else (first, second)
    )
    return Finding(
        rule,
        severity,
        first.address,
        say("{title}: two records answer the same question far apart", title=title),
        say("{one_title}: {one}; {two_title}: {two}", one_title=first.title, one=first,
            two_title=second.title, two=second) + times_as_much(larger, smaller, "; {ratio} apart"),
        say("At most one of them can be planned with."),
        say("Find out what the two count differently (steps, batch, precision), and correct or drop one."),
        places(first, second),
    )  # fmt: skip


def memory_far_from_need(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Memory that was measured and the need that is stated for the same work, far apart."""
    for name, measurement in one.measurements.items():
        for key, work in measurement.memory.items():
            measured = book.get(f"{one.id}.measurements.{name}.{key}")
            need = book.get(f"{one.id}.memory.{work}.need_gib_per_gpu")
            if measured and need and _bytes_apart(measured, need) > MEMORY_FAR:
                yield _apart("memory-far-apart", "warning", measured, need, str(measurement.title))


def _bytes_apart(one: Figure, two: Figure) -> Fraction:
    return factor_apart(one.value.scaled(one.unit.scale), two.value.scaled(two.unit.scale))


def parts_of_a_whole(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Shares of a measurement that do not add up to 100 %, by more than their rounding."""
    for name, measurement in one.measurements.items():
        at = f"{one.id}.measurements.{name}.parts"
        shares = {f"{at}.{key}": book[f"{at}.{key}"] for key in measurement.parts}
        if not shares or any(share.use is None for share in shares.values()):
            continue
        whole = derive(total_of(list(shares)), shares, PLAIN, title="sum of the parts", form="%")
        if whole.use is not None and abs(whole.use - 1) > Fraction(1, 200) * len(shares):
            yield Finding(
                "parts-of-a-whole", "warning", at,
                say("{title}: the shares do not make a whole", title=str(measurement.title)),
                say("they add up to {whole}", whole=whole),
                say("A part is missing, or counted twice."),
                say("Name the missing part, or correct the shares."), places(whole),
            )  # fmt: skip
