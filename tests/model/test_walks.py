"""What figures rest on, and what records are based on: each once, in an order that can be relied on."""

from __future__ import annotations

from dataclasses import dataclass

from reckon.language.quantity import UNKNOWN
from reckon.language.units import PLAIN
from reckon.model.figure import Figure, Worked, closure, walk_operands
from reckon.model.ledger import chain


def figure(address: str, *operands: Figure) -> Figure:
    return Figure(address, address, PLAIN, UNKNOWN, Worked("made", operands))


LEAF = figure("leaf")
LEFT, RIGHT = figure("left", LEAF, figure("far")), figure("right", LEAF)
TOP = figure("top", LEFT, RIGHT)


def test_a_closure_has_each_figure_once_and_the_nearest_first() -> None:
    assert [found.address for found in closure(TOP, RIGHT)] == ["top", "right", "left", "leaf", "far"]


def test_what_stands_only_below_a_figure_that_is_not_gone_through_is_left_out() -> None:
    found = closure(TOP, through=lambda figure: figure is not LEFT)
    assert [figure.address for figure in found] == ["top", "left", "right", "leaf"]


def test_a_closure_goes_no_further_than_asked() -> None:
    assert [found.address for found in closure(TOP, most=2)] == ["top", "left"]
    assert [found.address for found in closure(TOP, most=4)] == ["top", "left", "right"]


def test_what_is_below_a_figure_is_without_it() -> None:
    assert [found.address for found in walk_operands(TOP)] == ["left", "right", "leaf", "far"]


@dataclass(frozen=True)
class Made:
    base: str | None = None


def test_a_chain_ends_at_a_circle_and_at_a_base_that_is_not_there() -> None:
    records = {"a": Made("b"), "b": Made("c"), "c": Made("a"), "lost": Made("nowhere"), "alone": Made()}
    assert chain(records, "a") == ("a", "b", "c")
    assert chain(records, "lost") == ("lost",)
    assert chain(records, "nowhere") == ()
