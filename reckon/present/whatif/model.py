"""The figures of a project as a page can calculate them again, where a reader changes some of what is stated.

The page has the formulas as trees and every number as a fraction, and follows `compute.sheet.evaluate`: what is
printed there is to the digit what `budget export --set …` prints. What is drawn or judged (forecasts, probabilities,
the choice of a card) has no formula, and is not calculated again.

    nodes    in the order in which they can be calculated; each is
             {v: [low, use, high], l: {leaf: direction}, m, a, d}   stated, counted or drawn: its ends in its own unit,
                 the uncertain inputs that move it; whether it is missing; of an input its address, as a leaf; and of
                 what is worked out without a formula the nodes that move it: then only the program can say it anew
             {f: tree, o, p, l}                                  a formula over other nodes; `o` of the program's own;
                 `p` of one with a power: its ends as planned, as a page cannot calculate roots in fractions
             {f: tree, w: [tree, addresses], a}                  hours turned into those on another GPU, and the formula
                 that is left of it once one of these addresses is changed
             {e: [index, end]}                                   one end of another node
         each with `u`, its unit
    units    how many base units each is, as a fraction

A tree is a fraction in base units (text), the index of an operand (number) or a list of an operator and trees.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeAlias

from reckon.compute.sheet.cells import ENDS
from reckon.language.calendar_days import DATE
from reckon.language.expression import Binary, Call, Expression, Name, Negation, Number, terms_of
from reckon.language.quantity import Value
from reckon.language.text import NOWHERE
from reckon.model.figure import Calculated, Figure, Stated, operands

from ..render.numbers import CONVERSION, figure_text, value_text
from .shares import added_to_bare

NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})
MOST_NODES = 5_000
Node: TypeAlias = dict[str, Any]
"""A node, or what is told of one, as the page reads it."""


class TooLarge(Exception):
    """A project has more figures than a page can calculate while a reader waits."""


def fraction(number: Fraction | None) -> str | None:
    """A number as a page reads it: `3`, `1/3`; None for an open end."""
    return None if number is None else str(number)


def _ends(value: Value) -> list[str | None]:
    return [fraction(end) for end in (value.low, value.use, value.high)]


class Model:
    """The nodes that some figures rest on, and which of them can be changed: those whose address has a `rule`.

    A rule is `seeds` or `runs` (a whole number of them), `ratio` (a share, with its sign), `price` and `positive` (zero
    or more) or `any`; empty for what stays as it is. Of addresses of `turned` hours only those in `stated` can be
    changed.
    """

    def __init__(
        self, rule: Callable[[str], str], turned: Mapping[str, tuple[str, ...]] = NONE, stated: Collection[str] = ()
    ) -> None:
        self.nodes: list[Node] = []
        self.inputs: dict[str, Node] = {}
        self._rule, self._turned, self._numbers = rule, turned, stated
        self._at: dict[int, int] = {}
        self._kept: list[Figure] = []
        self._units: dict[Fraction, int] = {}
        self._moved: set[int] = set()

    def take(self, figure: Figure) -> int:
        """The index of the node of a figure, which is made with all that it rests on. Raises TooLarge."""
        stack = [(figure, False)]
        while stack:
            part, ready = stack.pop()
            if id(part) in self._at:
                continue
            below = list(operands(part))
            if ready or not below:
                self._add(part)
            else:
                stack.append((part, True))
                stack.extend((operand, False) for operand in reversed(below))
        return self._at[id(figure)]

    def moved(self, figure: Figure) -> bool:
        """Whether a figure follows what can be changed, by formulas alone."""
        return self.take(figure) in self._moved

    def below(self, nodes: Iterable[int]) -> set[int]:
        """Some nodes, and all that they rest on."""
        found = set(nodes)
        for figure in self._kept[::-1]:  # what a node rests on stands before it
            at = self._at[id(figure)]
            if at in found:
                found.update(self._at[id(operand)] for operand in operands(figure))
        return found

    def _add(self, figure: Figure) -> None:
        if len(self.nodes) >= MOST_NODES:
            raise TooLarge
        index = self._at[id(figure)] = len(self.nodes)
        self._kept.append(figure)  # its id stays its own as long as it is there
        origin = figure.origin
        if not isinstance(origin, Calculated):
            self.nodes.append({"v": _ends(figure.value), "u": self._unit(figure), **self._leaves(figure)})
            if figure.missing:
                self.nodes[-1]["m"] = True
            if moving := sorted(self._moved.intersection(self._at[id(operand)] for operand in operands(figure))):
                self.nodes[-1]["d"] = moving
                self._moved.add(index)
            if isinstance(origin, Stated) and figure.unit is not DATE and (rule := self._rule(figure.address)):
                self._changeable(index, figure, rule)
            return
        below = [self._at[id(operand)] for operand in origin.operands.values()]
        if self._moved.intersection(below):
            self._moved.add(index)
        end = _picked(figure)
        if end:
            self.nodes.append({"e": [below[0], end], "u": self._unit(figure)})
            return
        for name, address in added_to_bare(origin):
            if address in self.inputs:
                self.inputs[address].setdefault("added", name)
        node: Node = {
            "f": _tree(origin.formula.tree, dict(zip(origin.operands, below, strict=True))),
            "u": self._unit(figure),
        }
        if origin.place is NOWHERE:
            node["o"] = True  # a formula of the program: what divides by nothing has no value, and is not refused
        if _has_power(origin.formula.tree):
            node |= {"p": _ends(figure.value), **self._leaves(figure)}
        self.nodes.append(node)
        if figure.address in self._turned:
            node["w"] = [node["f"][1], self._turned[figure.address]]  # of hours times a ratio
            self._moved.add(index)
        if figure.address in self._numbers:
            self._changeable(index, figure, "positive")

    def _changeable(self, index: int, figure: Figure, rule: str) -> None:
        self._moved.add(index)
        self.nodes[index]["a"] = figure.address
        self.inputs[figure.address] = self._input(index, figure, rule)

    def _leaves(self, figure: Figure) -> Node:
        return {"l": dict(figure.leaves)} if figure.leaves else {}

    def _unit(self, figure: Figure) -> int:
        return self._units.setdefault(figure.unit.scale, len(self._units))

    def _input(self, index: int, figure: Figure, rule: str) -> Node:
        stated = figure.origin.text if isinstance(figure.origin, Stated) else value_text(figure)
        return {
            "node": index,
            "address": figure.address,
            "title": figure.title,
            "stated": stated,
            "text": figure_text(figure),
            "form": figure.form,
            "unit": figure.unit.symbol,
            "rule": rule,
            "kinds": figure.unit.kinds,
            "per": fraction(figure.unit.scale / figure.unit.lot),
        }

    def shown(self, figure: Figure) -> Node:
        """What the page needs to print a figure, with what is printed of it today."""
        found = {
            "node": self.take(figure),
            "address": figure.address,
            "title": figure.title,
            "text": figure_text(figure),
            "unit": figure.unit.symbol,
            "form": figure.form,
        }
        if figure.is_stated:
            found["stated"] = True
        if figure.decimals is not None:
            found["decimals"] = figure.decimals
        if CONVERSION in figure.address:
            found["converted"] = True
        return found

    def data(self) -> Node:
        """The nodes and units, as the page reads them."""
        return {"units": [str(scale) for scale in self._units], "nodes": self.nodes}


def _picked(figure: Figure) -> str:
    """The end of another figure that a figure is, or nothing."""
    assert isinstance(figure.origin, Calculated)
    operands = list(figure.origin.operands.values())
    if len(operands) != 1:
        return ""
    return next((end for end in ENDS if figure.origin.formula.text == f"{end} of {operands[0].address}"), "")


def _has_power(tree: Expression) -> bool:
    return (isinstance(tree, Call) and tree.function == "power") or any(map(_has_power, terms_of(tree)))


def _tree(tree: Expression, index: Mapping[str, int]) -> Any:
    match tree:
        case Number(quantity=quantity):
            use = quantity.value.use
            return None if use is None else str(use * quantity.unit.scale)
        case Name(name=name):
            return index[name]
        case Negation(term=term):
            return ["neg", _tree(term, index)]
        case Binary(operator=operator, left=left, right=right):
            return [operator, _tree(left, index), _tree(right, index)]
        case Call(function=function, terms=terms):
            return [function, *(_tree(term, index) for term in terms)]
    raise TypeError(f"no formula of a figure has a {type(tree).__name__}")
