"""What the rules share: ratios as figures, and the lines that a finding rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from reckon.language.calendar_days import first_day
from reckon.language.lazy import regex
from reckon.language.quantity import ONE, Value, add_up, point
from reckon.language.text import Refusal
from reckon.language.units import GPU_HOURS, PLAIN, Unit
from reckon.model.figure import Figure, Worked, is_known, planned, use_at, value_in
from reckon.model.finding import Sentence, joined, say
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Claim, Run

from ..book import Book
from ..budget.shared_grants import SharedGrants
from ..choosing.memory import Verdict
from ..sheet.cells import read_formula, total_of
from ..sheet.evaluate import derive
from ..statements.conditions import Compared
from ..statements.words import Word

NAMED = regex(
    r"(allocations|catalog|[^.]+\.(plan|phases|figures|hardware|measurements|projections|configurations|setups))\."
)
"""Addresses of figures whose titles begin with that of a record."""
POLICY = "A policy is breached: "
"""How the title of a finding about a policy begins."""


def supposed(title: str) -> Sentence:
    """That a figure rests on what the ledger alone supposes, to stand behind its arithmetic."""
    return say("; the ledger supposes {title}, which no source states", title=title) if title else ()


def called(figure: Figure) -> str:
    """The title of a figure; of the value to plan with that of the whole."""
    return figure.title.removesuffix(" (use)")


def name_of(title: str) -> str:
    """The title of a figure within that of a finding, which has one colon: `Small run, wall-clock time`."""
    return title.replace(": ", ", ")


def ratio(above: Figure, below: Figure, unit: Unit = PLAIN, form: str = "x") -> Figure | None:
    """One figure over another: a factor, or a quantity in the unit named; None where the lower one is or spans zero."""
    inputs = {"above": above, "below": below}
    try:
        return derive(read_formula("above / below"), inputs, unit, title="ratio", form=form, checked=False)
    except Refusal:
        return None


ABOUT_ONE = Fraction(1, 20)
"""A factor nearer to 1 tells no more than the two figures."""


def times_as_much(larger: Figure, smaller: Figure, text: str) -> Sentence:
    """The factor between two figures put into a text with `{ratio}`; nothing where there is none, or it prints as 1."""
    factor = ratio(larger, smaller)
    if not factor or (factor.use is not None and abs(factor.use - 1) < ABOUT_ONE):
        return ()
    return say(text, ratio=factor)


def product(left: Figure, right: Figure) -> Figure:
    """One figure times another, in the unit of the first."""
    return derive(read_formula("left * right"), {"left": left, "right": right}, left.unit, checked=False)


def summed(figures: Iterable[Figure], unit: Unit, title: str, form: str = "") -> Figure:
    """The sum of some figures, in a unit."""
    parts = {f"part{number}": figure for number, figure in enumerate(figures)}
    return derive(total_of(list(parts)), parts, unit, title=title, form=form, checked=False)


def counted(number: Fraction | int, unit: Unit = PLAIN) -> Figure:
    """A number that stands in no cell, as a figure that no page derives."""
    return Figure("", "", unit, point(number), Worked("counted"))


def hours_of(runs: Iterable[Run]) -> Figure:
    """What some runs were charged, together."""
    return counted(add_up(run.charged_hours for run in runs), GPU_HOURS)


def known_figures(book: Book, addresses: Mapping[str, str]) -> dict[str, Figure] | None:
    """Figures by what a formula calls them; None unless all of them are known."""
    figures = ((name, book.get(address)) for name, address in addresses.items())
    known = {name: figure for name, figure in figures if is_known(figure)}
    return known if len(known) == len(addresses) else None


def some_said(said: Sequence[Sentence], number: int) -> Sentence:
    """The first of a number of parts, and how many more there are."""
    more = number - len(said)
    return joined(said, ", ") + (say(" and {many} more", many=counted(more)) if more > 0 else ())


def excess(figure: Figure | None, limit: Figure) -> Figure:
    """By how much a figure is above another, in the unit of that."""
    return counted(limit.unit.from_base(planned(figure) - planned(limit)), limit.unit)


def is_above(first: Figure | None, second: Figure | None) -> bool:
    """Whether a figure is known to be above another, by their values to plan with."""
    uses = [figure.use for figure in (first, second) if is_known(figure) and figure.use is not None]
    return len(uses) == 2 and uses[0] > uses[1]


def accepted_in(project: ProjectLedger) -> set[str]:
    """The ids of the findings that a project accepts."""
    return {found for accept in project.project.accept for found in accept.ids}


def day_since_first_run(book: Book, projects: Iterable[str], day: Figure | None) -> Figure | None:
    """A day on which a limit was exceeded; None of one before any run that these projects name.

    Hours of a run without a start lie on days before its end. Where a limit is exceeded on these, they are too many.
    """
    moments = (
        moment
        for project in projects
        for name in ("start", "date", "end")
        for moment in book.projects[project].rows.values(name)
        if moment
    )
    return day if planned(day) >= min(map(first_day, moments), default=0) else None


def is_done(book: Book, project: str) -> bool:
    """Whether all the work of a project is done, extensions included, so that nothing more is spent."""
    items = book.projects[project].items
    in_money = [f"plan.{name}" for name, item in items.items() if item.currency]
    if not all(use_at(book.figures, f"{project}.{line}.complete_share") == 1 for line in in_money):
        return False
    done = book.get(f"{project}.{EXTENDED.complete}") or book.get(f"{project}.{FINAL.complete}")
    return (bool(in_money) and len(in_money) == len(items)) or planned(done) == 1


def shared_grants_of(project: ProjectLedger, book: Book) -> list[SharedGrants]:
    """The groups of grants that share hours on which a project draws, each once."""
    drawn = book.ledger.grants_of(project.id)
    return list({group.names: group for name, group in book.shared_grants.items() if name in drawn}.values())


def in_unit_of(beside: Figure, figure: Figure) -> Figure:
    """A figure in the unit of one that it is held against, or in percent or times as that is, so that both can be read
    side by side."""
    if beside.unit.kinds != figure.unit.kinds:
        return figure
    if beside.form and not figure.form:
        return replace(figure, form=beside.form)
    is_same = beside.unit.scale == figure.unit.scale
    return figure if is_same else replace(figure, unit=beside.unit, value=value_in(figure, beside.unit))


def room_of(verdict: Verdict) -> Sentence:
    """What memory is needed, and what the card has."""
    return say("{need} needed, {usable} usable", need=verdict.need, usable=verdict.usable)


def stated_at(claim: Claim) -> str:
    """Where something is stated: the document, where the claim names one, and the place in it."""
    return f"{claim.source}, {claim.at}" if claim.source else claim.at


def stated_at_all(claims: Iterable[Claim], known: str = "") -> str:
    """Where some claims are stated, each place once; a document is named before its first place, unless it is `known`
    already."""
    places = []
    last = known
    for source, at in dict.fromkeys((claim.document, claim.at) for claim in claims):
        places.append(f"{source}, {at}" if source and source != last else at)
        last = source
    return "; ".join(places)


def numbered(seen: Counter[str], address: str) -> str:
    """The address of a finding: several claims may be about one figure, the later ones are numbered."""
    seen[address] += 1
    return address if seen[address] == 1 else f"{address}#{seen[address]}"


def factor_apart(first: Value, second: Value) -> Fraction:
    """By which factor two ranges miss each other; 1 where they overlap or either is open or zero."""
    ends = [end for value in (first, second) for end in (value.low, value.high) if end and end > 0]
    if len(ends) < 4:
        return ONE
    low, high, other_low, other_high = ends
    return max(low / other_high, other_low / high, ONE)


def side(value: Figure | Word) -> Sentence:
    """A side of a comparison: what it is, and its value."""
    return say("{what} is {value}", what=what_of(value), value=_value(value))


def named(value: Figure | Word) -> Sentence:
    """A value, with what it is where it stands at an address."""
    about = what_of(value) if _at(value) else ""
    return say("{value}", value=_value(value)) + (say(" ({about})", about=about) if about else ())


def stands(part: Compared) -> Sentence:
    """A comparison as it is found: the values of those of its sides that have names."""
    right = part.right
    return side(part.left) + (say(" and ") + side(right) if _at(right) else ())


def _at(value: Figure | Word) -> bool:
    return bool(value.about if isinstance(value, Word) else value.address)


def what_of(value: Figure | Word) -> str:
    """What a side is called: the engine's own words in small letters, names that the ledger gives as they are."""
    if isinstance(value, Word):
        return inside(value.about)
    if NAMED.match(value.address):
        return value.title
    # Of what a project states, such as its ceiling, the project is known.
    return inside(value.title.rpartition(": ")[2] if value.address.count(".") == 1 else value.title)


def inside(title: str) -> str:
    """A title inside a sentence: without its capital, unless more of its first word is in capitals, as in `LoRA`."""
    first = title.partition(" ")[0]
    return title[:1].lower() + title[1:] if first[1:].islower() or title.startswith("A ") else title


def _value(value: Figure | Word) -> Figure | str:
    return value.title if isinstance(value, Word) else value
