"""How an expression is written on a page."""

from __future__ import annotations

from reckon.language.expression import Binary, Call, Comparison, Expression, Logic, Name, Negation, Number
from reckon.language.units import single

_SIGNS = {"*": "×", "/": "/", "+": "+", "-": "−"}
_TIGHT = {"+": 1, "-": 1, "*": 2, "/": 2}


def formula_text(tree: Expression, name: dict[str, str]) -> str:
    """An expression as people write it, each name replaced: by itself, or by its figure."""
    return _format_tree(tree, name, 0)


def _format_tree(tree: Expression, name: dict[str, str], tight: int) -> str:
    match tree:
        case Number(quantity=quantity):
            number, _, symbol = quantity.text.partition(" ")
            return f"1 {single(symbol)}" if number == "1" and symbol else quantity.text
        case Name(name=called):
            return name[called]
        case Negation(term=term):
            return "−" + _format_tree(term, name, 3)
        case Binary(operator=operator, left=left, right=right):
            mine = _TIGHT[operator]
            # The right side of - and / is set off even from its equals: a - (b - c).
            right_bound = mine + 1 if operator in "-/" else mine
            inner = f"{_format_tree(left, name, mine)} {_SIGNS[operator]} {_format_tree(right, name, right_bound)}"
            return f"({inner})" if mine < tight else inner
        case Call(function="sum", terms=terms):
            inner = " + ".join(_format_tree(term, name, 1) for term in terms)
            return f"({inner})" if tight > 1 else inner
        case Call(function=function, terms=terms):
            return f"{function}({', '.join(_format_tree(term, name, 0) for term in terms)})"
        case Comparison(operator=operator, left=left, right=right):
            return f"{_format_tree(left, name, 1)} {operator} {_format_tree(right, name, 1)}"
        case Logic(operator="not", terms=terms):
            return f"not {_format_tree(terms[0], name, 3)}"
        case Logic(operator=operator, terms=terms):
            return f" {operator} ".join(_format_tree(term, name, 1) for term in terms)
