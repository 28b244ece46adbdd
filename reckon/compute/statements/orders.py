"""Orders that are stated: one figure said to be below, above or within another. Two values can be known of each: that
which the same document states, and else the calculated one."""

from __future__ import annotations

from typing import NamedTuple

from reckon.language.lazy import regex
from reckon.language.quantity import read_quantity
from reckon.language.text import Refusal, Text, place_of
from reckon.language.units import Unit, kind_words
from reckon.model.figure import Figure, Stated
from reckon.model.finding import Problem, Problems, refused
from reckon.model.records import Claim

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
    elif other is not None and other.unit.kinds != figure.unit.kinds:
        yield Problem(
            place_of(order.other),
            f"{kind_words(figure.unit.kinds)} is compared with {kind_words(other.unit.kinds)}",
            "both sides must measure the same",
        )
