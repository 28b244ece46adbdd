"""How an expression is written on a page."""

from __future__ import annotations

from reckon.language.expression import Binary, Call, Comparison, Expression, Logic, Name, Negation, Number
from reckon.language.units import single

_SIGNS = {"*": "×", "/": "/", "+": "+", "-": "−"}
_TIGHT = {"+": 1, "-": 1, "*": 2, "/": 2}


def formula_text(tree: Expression, name: dict[str, str]) -> str:
    """An expression as people write it, each name replaced: by itself, or by its figure."""

    def text(tree: Expression, tight: int) -> str:
        """A part of it, in brackets where its own sign binds less tight than what stands beside it."""
        match tree:
            case Number(quantity=quantity):
                number, _, symbol = quantity.text.partition(" ")
                return f"1 {single(symbol)}" if number == "1" and symbol else quantity.text
            case Name(name=called):
                return name[called]
            case Negation(term=term):
                return "−" + text(term, 3)
            case Binary(operator=operator, left=left, right=right):
                mine = _TIGHT[operator]
                # The right side of - and / is set off even from its equals: a - (b - c).
                right_bound = mine + (operator in "-/")
                inner = f"{text(left, mine)} {_SIGNS[operator]} {text(right, right_bound)}"
                return f"({inner})" if mine < tight else inner
            case Call(function="sum", terms=terms):
                inner = " + ".join(text(term, 1) for term in terms)
                return f"({inner})" if tight > 1 else inner
            case Call(function=function, terms=terms):
                return f"{function}({', '.join(text(term, 0) for term in terms)})"
            case Comparison(operator=operator, left=left, right=right):
                return f"{text(left, 1)} {operator} {text(right, 1)}"
            case Logic(operator="not", terms=terms):
                return f"not {text(terms[0], 3)}"
            case Logic(operator=operator, terms=terms):
                return f" {operator} ".join(text(term, 1) for term in terms)

    return text(tree, 0)
