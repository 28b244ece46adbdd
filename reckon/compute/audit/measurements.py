"""Measurements and projections: records that answer the same question, parts of a whole, and what is missing."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from reckon.language.units import PLAIN
from reckon.model.figure import Figure, planned, span_of, value_in
from reckon.model.finding import Common, Finding, Findings, make_finding, say
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..measuring.projections import OUTSIDE, OVERLAPS, Fields, pairs
from ..statements.agreement import assumed
from .common import called, factor_apart, summed, supposed, times_as_much
from .statements import claim_contradicted

FAR, VERY_FAR, MEMORY_FAR = Fraction(2), Fraction(10), Fraction(3, 2)


def projection_far_from_estimate(project: ProjectLedger, book: Book) -> Findings:
    """A projection and the plan's estimate of the same item that are more than a factor of two apart."""
    for name, projection, measurement in pairs(project):
        projected = book.find(project, f"projections.{name}.{measurement}.gpu_hours")
        if not projection.compare or projected is None:
            continue
        at = f"{project.id}.plan.{projection.compare}"
        planned = book.get(f"{at}.estimate") or book[f"{at}.gpu_hours"]
        apart = factor_apart(projected.value, planned.value)
        if apart > FAR:
            title = project.items[projection.compare].title
            ours = assumed(projected, planned)
            is_mild = apart < VERY_FAR or bool(ours)
            notes = project.measurements[measurement].notes
            yield _apart("records-far-apart", projected, planned, title, notes, ours, is_mild)


def _apart(
    rule: str, first: Figure, second: Figure, title: str, notes: str | None, ours: str = "", is_mild: bool = False
) -> Finding:
    smaller, larger = sorted((second, first), key=planned)
    told = say("{first} ({first_title}) and ", first_title=first.title, first=first)
    told += say("{second} ({second_title})", second_title=second.title, second=second)
    return make_finding(
        rule,
        first.address,
        say("{title}: {first}, or {second}", title=title, first=first, second=second),
        told + times_as_much(larger, smaller, ", {ratio} apart") + supposed(ours),
        f"If both are of the same work, at most one is right. {notes or ''}".strip(),
        is_mild=is_mild,
    )


def memory_far_from_need(project: ProjectLedger, book: Book) -> Findings:
    """Memory that was measured and the need that is stated for the same work, far apart."""
    for name, measurement in project.measurements.items():
        for key, work in measurement.memory.items():
            measured = book.find(project, f"measurements.{name}.{key}")
            need = book.find(project, f"memory.{work}.need_gib_per_gpu")
            if measured and need and factor_apart(value_in(measured), value_in(need)) > MEMORY_FAR:
                yield _apart("memory-far-apart", measured, need, measurement.title, measurement.notes)


def parts_of_a_whole(project: ProjectLedger, book: Book) -> Findings:
    """Shares of a measurement that do not add up to 100 %, by more than their rounding."""
    for name, measurement in project.measurements.items():
        at = f"{project.id}.measurements.{name}.parts"
        shares = [book[f"{at}.{key}"] for key in measurement.parts]
        if not shares or any(share.use is None for share in shares):
            continue
        whole = summed(shares, PLAIN, "sum of the parts", "%")
        if abs(planned(whole) - 1) > Fraction(1, 200) * len(shares):
            told = say("they add up to {whole}", whole=whole)
            yield make_finding("parts-of-a-whole", at, measurement.title, told)


APART = {
    OUTSIDE: ("outside of what was reported elsewhere", "They share no value: neither confirms the other."),
    OVERLAPS: ("only partly inside what was reported elsewhere", "They agree on a part of their ranges only."),
}


def reported_apart(project: ProjectLedger, book: Book) -> Findings:
    """A projection that lies outside of the range of a figure reported elsewhere, or overlaps it."""
    for name, _, measurement in pairs(project):
        at = f"{project.id}.projections.{name}.{measurement}"
        word = book.words.get(f"{at}.reported")
        if word is None or word.id not in APART:
            continue
        title, meaning = APART[word.id]
        fields = Fields(project, name)
        named = fields.value("reported")
        source = project.figures[named].source
        hours = book[f"{at}.hours"]
        reported = book[f"{project.id}.figures.{named}"]
        smaller, larger = sorted((reported, hours), key=lambda figure: value_in(figure).low or 0)
        is_apart = factor_apart(value_in(hours), value_in(reported)) > 1
        of = project.measurements[measurement].title
        text = "projected from {of} {hours}; {about}: {reported}"
        found = make_finding(
            "reported-apart",
            f"{at}.reported",
            say("{title}: {stands}", title=fields.title, stands=title),
            say(text, of=of, hours=hours, about=reported.title, reported=reported)
            + (say(" ({source})", source=source) if source else ())
            + (times_as_much(larger, smaller, "; {ratio} apart") if is_apart else ()),
            meaning,
            is_mild=word.id == OVERLAPS,
        )
        cause = _fallen_match(project, book, f"{at}.hours", reported)
        if cause:
            common = cause.common or Common(cause.id)
            cells = ((called(hours),), say("called a match of {reported}", reported=reported), (hours,))
            found = replace(found, common=common, follows=True, cells=cells)
        yield found


def _fallen_match(project: ProjectLedger, book: Book, hours: str, reported: Figure) -> Finding | None:
    """The finding of stated hours which lie in what is reported elsewhere and do not agree: the match goes too."""
    stated = [check.stated for check in book.checks[project.id] if check.figure.address == hours]
    span = span_of(reported)
    if not any(each.value.exact and span.low <= planned(each) <= span.high for each in stated):
        return None
    contradicted = (each for each in claim_contradicted(project, book) if not each.remark)
    return next((each for each in contradicted if each.subject == hours), None)
