"""Stated figures and words compared with those that follow; orders that are stated, of a figure below, above or within
another; and addresses that are quoted, which must exist.

What agrees how, and how far digits reach, is decided in `agreement`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.lazy import regex
from reckon.language.quantity import ONE, Quantity, Value, read_quantity
from reckon.language.text import Refusal, Text, place_of
from reckon.language.units import Unit, kind_words, value_unit
from reckon.model.figure import Figure, Stated, value_in
from reckon.model.finding import Problem, ProblemList, Problems, nearest, refused
from reckon.model.ledger import ByProject, Ledger, ProjectLedger, touches
from reckon.model.records import Claim

from ..choosing.pareto import RANKS, Tradeoff
from ..sheet.cells import base_of, find, quoted
from ..sheet.sheet import Sheet
from .agreement import (
    NARROWER,
    TOLD,
    UNCHECKED,
    WRONG,
    Agreement,
    assumed,
    judge,
    judge_rounding,
    rough_half,
    rounding_of,
    tolerances,
)
from .structure import count_terms
from .words import Known, Word, choices_of, word_of

NOTHING = "-"
AGAIN, CARRIED, SHARED = "again", "carried", "shared"
"""How a stated figure follows from others that are wrong: it says one again; its formula gives it; it is divided among
more GPUs, which no formula of the ledger does."""
WAYS = {
    AGAIN: "stated again",
    CARRIED: "calculated correctly from stated figures that differ from the calculated ones",
    SHARED: "it is what is stated for fewer GPUs, divided by the number of GPUs",
}
"""The same in words."""


def each_claim(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Claims one by one: a table gives one for each of its cells, which stands at the place of the cell."""
    for claim in claims:
        if not claim.rows:
            yield claim
        for row, cells in claim.rows.items():
            for column, cell in zip(claim.columns, cells, strict=False):
                if cell != NOTHING:
                    place = place_of(cell)
                    own = {"of": f"{claim.of}.{row}.{column}", "at": f"{claim.at}, {row}", "states": cell}
                    texts = {key: Text(text, place) for key, text in own.items()}
                    yield claim.model_copy(
                        update={**texts, "rows": {}, "drawn": {}, "columns": (column,), "place": place}
                    )


class Cause(Struct, frozen=True):
    """What would explain a stated figure: its kind, in words, its odds against chance as a power of ten, and whether it
    is told without `perhaps`. `mistake` is what it has in common with that of other figures which one mistake makes
    wrong; where it is that of a column, `rows` are where the rows that have it stand among the checks, those too that
    agree; `used` are the stated figures that it takes."""

    kind: str
    words: str
    odds: Decimal
    is_sure: bool
    mistake: Hashable = None
    rows: tuple[int, ...] = ()
    used: tuple[int, ...] = ()


class Check(Struct, frozen=True):
    """A claim beside its figure: what was stated, how it agrees, and what would explain it if it does not."""

    claim: Claim
    figure: Figure
    stated: Figure
    low: Fraction
    high: Fraction
    """How far the ends of what is stated can have been rounded, in the unit of the figure."""
    agreement: Agreement
    supposed: str = ""
    """The title of what the figure rests on that the ledger alone supposes: that confirms and contradicts nothing."""
    causes: tuple[Cause, ...] = ()
    """What would explain it; of two either does, as likely as the other."""
    given: Figure | None = None
    """What its formula gives over what its document states, where that is a third value."""
    way: str = ""
    """How it follows from other stated figures of its document, as `AGAIN` or `CARRIED`; empty where it does not."""
    after: tuple[int, ...] = ()
    """Where the stated figures that it follows from, and that do not hold either, stand among the checks."""

    @property
    def holds(self) -> bool:
        """Whether nothing is to be told of it: it is confirmed, consistent, or could not be checked."""
        return self.agreement.kind not in TOLD

    @property
    def value(self) -> Value:
        """What is stated, in the unit of the figure."""
        return value_in(self.stated, self.figure.unit)

    @property
    def text(self) -> str:
        """What is stated, as it is written."""
        return str(self.claim.states)

    @property
    def about(self) -> str:
        """`~` where what is stated is called approximate."""
        return "~" if self.text.strip().startswith(("~", "≈")) else ""

    @property
    def slip(self) -> str:
        """Its causes in words, as sure as they are; empty where none is known."""
        if not self.causes:
            return ""
        words = " or ".join(cause.words for cause in self.causes)
        either = f"either {words}" if len(self.causes) > 1 else words
        is_sure = self.causes[0].is_sure or either.startswith("it is exactly")  # which is so, whatever made it
        return either if is_sure else f"perhaps {either}"

    @property
    def kind(self) -> str:
        """Its class, as `agreement` has them."""
        return UNCHECKED if self.supposed else self.agreement.kind

    @property
    def off(self) -> Fraction:
        """By what share of the calculated figure it is off at its worse end."""
        return self.agreement.off


def column_of(check: Check) -> Hashable:
    """The column of a stated figure: its document and table, the kind of record that it is of, and what it is of it."""
    names = base_of(check.figure.address).split(".")
    return check.claim.document, check.claim.at.rpartition(",")[0], names[1], names[-1]


def table_of(check: Check) -> str:
    """The place of a claim without its last part, such as the row."""
    return check.claim.at.rpartition(",")[0] or check.claim.at


def statement_of(check: Check) -> Hashable:
    """What is stated, and where: by one statement a document may be held against several figures."""
    claim = check.claim
    return claim.document, claim.at, check.text.strip(" ~≈"), check.stated.unit.kinds, tuple(claim.columns)


Checks = Sequence[Check]
"""The claims of a project beside their figures, in their order."""


def read_claim(claim: Claim, unit: Unit) -> Quantity:
    """The stated quantity of a claim in the unit of its figure, the `~` taken off. Raises Refusal."""
    quantity = read_quantity((claim.states or "").strip().lstrip("~≈ "), unit, place_of(claim.states))
    if quantity.value.unknown:
        raise Refusal("a claim of what is unknown claims nothing", "write what is stated there, or remove the claim")
    return quantity


def check(claim: Claim, figure: Figure, project: ProjectLedger) -> Check:
    """Compares a claim with its figure; `project` has the runs that it may sum. What its inputs were rounded by is
    looked for only where that can excuse it."""
    text = str(claim.states)
    quantity = read_claim(claim, figure.unit)
    low, high = tolerances(text, quantity)
    found = Agreement(UNCHECKED)
    if not figure.missing:
        rough = rough_half(text, low)
        found = judge(quantity.value, figure.value, low, high, rough=rough)
        if found.kind in (*WRONG, NARROWER):
            moved = rounding_of(figure, project, "." not in text)
            terms = count_terms(figure)
            found = judge(quantity.value, figure.value, low, high, moved, terms, rough)
        if low > tolerances(quantity.text, quantity)[0]:
            # `~` lets a number be off by more, and no more than that is a trifle.
            found = replace(found, digits=max(found.digits, ONE))
        if found.kind in WRONG:
            found = judge_rounding(found, text, figure.unit)
    return Check(claim, figure, as_stated(claim, figure, quantity), low, high, found, assumed(figure))


def as_stated(claim: Claim, figure: Figure, quantity: Quantity) -> Figure:
    """What a claim states of a figure, as a figure."""
    # The unit written after the number, so that it is told as it stands there; else that of the figure.
    written = re.search(r"[0-9+]\s*([A-Za-z][A-Za-z_/ -]*)$", quantity.text)
    named = value_unit(written[1]) if written else None
    unit = named if named and named.kinds == quantity.unit.kinds else quantity.unit
    origin = Stated(str(claim.states), quantity.place)
    return Figure("", f"{figure.title}, as stated", unit, value_in(quantity, unit), origin, quantity.form)


class Worded(Struct, frozen=True):
    """A claim beside the word at an address; `holds` is None while an input is missing that the word rests on."""

    claim: Claim
    address: str
    word: Word
    stated: Word

    @property
    def holds(self) -> bool | None:
        """Whether the word is the one that was stated."""
        return None if self.word.missing else self.word.id == self.stated.id


def check_words(
    figures: Container[str], words: Mapping[str, Word], project_id: str, claims: Sequence[Claim]
) -> Iterator[Worded]:
    """The claims of a project that state words, each beside its own."""
    for claim in each_claim(claims):
        if claim.states is not None and (address := worded_at(figures, words, project_id, claim.of)):
            stated = word_of(words[address], claim.of, claim.states.strip())
            yield Worded(claim, address, words[address], stated)


def check_addresses(known: Known, ledger: Ledger, tradeoffs: ByProject[Tradeoff]) -> ProblemList:
    """A problem for each quoted address or setup that leads nowhere, and each claim that states no quantity or word."""
    found = [problem for project in ledger.projects.values() for problem in _project(known, project)]
    if (
        not ledger.broken and not known.sheet.problems
    ):  # setups rest on much of the ledger: some may lack for that reason
        weighed = (tradeoff for project in tradeoffs.values() for tradeoff in project)
        found += [problem for tradeoff in weighed for problem in _setups(ledger, tradeoff)]
    return found


def _project(known: Known, project: ProjectLedger) -> Problems:
    sheet = known.sheet
    for text in project.texts.values():
        for address in text.rows:
            yield from _exists(sheet, project.id, address)
    for claim in project.claims:
        yield from _says_one_thing(sheet, project, claim)
        for row, cells in claim.drawn.items():
            yield from _is_drawn(known, project, claim, row, cells)
    for claim in each_claim(project.claims):
        yield from _claim(known, project, claim)
    for name, measurement in project.measurements.items():
        for key in measurement.memory:
            if f"{project.id}.measurements.{name}.{key}" not in sheet.cells:
                wrong = f"this record has no figure `{key[:60]}`"
                yield Problem(place_of(key), wrong, nearest(key, measurement.figures))


def _says_one_thing(sheet: Sheet, project: ProjectLedger, claim: Claim) -> Problems:
    """Refuses a claim that states nothing or two things, and a row of a table that misses its columns."""
    said = (claim.states, claim.terms, claim.rows, claim.below, claim.above, claim.within)
    if sum(map(bool, said)) != 1 and not touches(sheet.broken, f"{project.id}.claims.{claim.place}"):
        yield Problem(
            claim.place,
            "a claim says one thing",
            "write `states:` for a figure, `rows:` for a table, `terms:` for a formula, or `below:`, `above:` or "
            "`within:` for an order",
        )
    drawn = [(row, cells) for row, cells in claim.drawn.items() if row in claim.rows]
    for row, cells in (*claim.rows.items(), *drawn):
        if len(cells) != len(claim.columns):
            yield Problem(
                place_of(row),
                f"a row of {len(cells)} is in a table of {len(claim.columns)} columns",
                "write one figure for each of `columns:`, `-` where there is none",
            )


def _is_drawn(known: Known, project: ProjectLedger, claim: Claim, row: Text, cells: Sequence[Text]) -> Problems:
    """Refuses a point that is drawn of nothing that is stated, of a word, or at no number."""
    if row not in claim.rows:
        yield Problem(
            place_of(row),
            f"`{row[:60]}` is drawn, but is not a row of this table",
            nearest(row, claim.rows) or "give the row what is stated of the point",
        )
        return
    for column, cell in zip(claim.columns, cells, strict=False):
        at = f"{claim.of}.{row}.{column}"
        if cell == NOTHING:
            continue
        if worded_at(known.sheet.cells, known.words, project.id, at):
            yield Problem(place_of(cell), "a word has no place in a picture", "write `-` for this column")
        elif figure := quoted(known.sheet.figures, project.id, at):
            yield from _states_quantity(claim, figure.unit, cell)


def _states_quantity(claim: Claim, unit: Unit, text: Text) -> Problems:
    try:
        read_claim(claim.model_copy(update={"states": text}), unit)
    except Refusal as refusal:
        yield refused(refusal, text)


def _claim(known: Known, project: ProjectLedger, claim: Claim) -> Problems:
    sheet = known.sheet
    if worded := worded_at(sheet.cells, known.words, project.id, claim.of):
        yield from _states_word(known.words[worded], claim)
        return
    order = order_of(claim)
    other = order.other if order and not order.is_quantity else None
    figure, second = (quoted(sheet.figures, project.id, address or "") for address in (claim.of, other))
    for address in (claim.of, other if figure else None):
        if address and not known.could_be(project.id, address):
            yield from _exists(sheet, project.id, address, known.words)
    if claim.states is not None and figure:
        yield from _states_quantity(claim, figure.unit, claim.states)
    if order and figure:
        yield from check_order(order, figure, second)
    terms = [*project.items, "contingency", "extensions"]
    for term in claim.terms:
        if term not in terms and not touches(sheet.broken, f"{project.id}.plan.{term}"):
            yield Problem(place_of(term), f"there is no item `{term[:60]}` in the plan", nearest(term, terms))


def _states_word(word: Word, claim: Claim) -> Problems:
    """A claim on a word states one that it can be; a formula is never one."""
    if claim.states is not None:
        try:
            word_of(word, claim.of, claim.states.strip())
        except Refusal as refusal:
            yield refused(refusal, claim.states)
    elif claim.terms or order_of(claim):
        yield Problem(place_of(claim.of), f"`{claim.of[:60]}` is a word, and no figure", choices_of(word))


def _setups(ledger: Ledger, found: Tradeoff) -> Problems:
    """What a record says of single setups is of some that there are."""
    record = found.record
    every = {f"{card}-x{count.number}" for card in ledger.catalog.gpus for count in record.counts}
    named = (*filter(None, (record.reference,)), *record.market)
    searched = [search.choice for search in record.searches.values() if search.choice]
    for setups, among in ((named, found.choices), (searched, (*found.choices, *RANKS)), (record.leave_out, every)):
        for setup in setups:
            if setup not in among:
                yield Problem(
                    place_of(setup),
                    f"there is no setup `{setup[:60]}`",
                    nearest(setup, sorted(among)) or "write a card and how many, as rtx-3090-x4",
                )


def worded_at(figures: Container[str], words: Container[str], project_id: str, address: str) -> str:
    """The address of the word that an address quoted in a project means; empty where it means a figure, or nothing."""
    if find(figures, project_id, address)[0]:
        return ""
    found, end = find(words, project_id, address)
    return "" if end else found


def _exists(sheet: Sheet, project_id: str, address: Text, words: Collection[str] = ()) -> Problems:
    if not sheet.find(project_id, address)[0] and not sheet.could_be(project_id, address):
        yield Problem(
            place_of(address),
            f"there is no figure `{address[:80]}`",
            sheet.near(project_id, address, words) or "`budget explain --list` shows them all",
        )


RELATIONS = ("below", "above", "within")
_NUMBER = regex(r"[-~]?\s*[0-9]")


class Order(NamedTuple):
    """What a claim says of its figure: `below`, `above` or `within` what, as an address or a quantity."""

    relation: str
    other: Text

    @property
    def is_quantity(self) -> bool:
        """Whether it names no other figure, but says a number."""
        return bool(_NUMBER.match(self.other.strip()))

    def limit(self, unit: Unit) -> Figure:
        """The number that it says, in the unit of its figure. Raises Refusal."""
        quantity = read_quantity(self.other.strip(), unit, place_of(self.other))
        return Figure(
            "", self.other.strip(), quantity.unit, quantity.value, Stated(self.other, quantity.place), quantity.form
        )


def order_of(claim: Claim) -> Order | None:
    """The order that a claim states; None where it states something else."""
    found = ((relation, getattr(claim, relation)) for relation in RELATIONS)
    return next((Order(relation, other) for relation, other in found if other is not None), None)


def check_order(order: Order, figure: Figure, other: Figure | None) -> Problems:
    """A problem for an order of things that cannot be compared; `other` is the figure that it names, where it does."""
    if order.is_quantity:
        try:
            order.limit(figure.unit)
        except Refusal as refusal:
            yield refused(refusal, order.other)
    elif other and other.unit.kinds != figure.unit.kinds:
        yield Problem(
            place_of(order.other),
            f"{kind_words(figure.unit.kinds)} is compared with {kind_words(other.unit.kinds)}",
            "both sides must measure the same",
        )
