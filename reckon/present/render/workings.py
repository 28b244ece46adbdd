"""How a figure comes about, in names and with the numbers put in."""

from __future__ import annotations

from reckon.language.expression import Binary, Call, Comparison, Expression, Logic, Name, Negation, Number
from reckon.model.figure import Calculated, Figure, Stated, Tallied, Worked

from .numbers import decimal, figure_text

_SIGNS = {"*": "×", "/": "/", "+": "+", "-": "−"}
_TIGHT = {"+": 1, "-": 1, "*": 2, "/": 2}


def formula_text(tree: Expression, name: dict[str, str]) -> str:
    """An expression as people write it, each name replaced: by itself, or by its figure."""
    return _shown(tree, name, 0)


def _shown(tree: Expression, name: dict[str, str], tight: int) -> str:
    match tree:
        case Number(quantity=quantity):
            return quantity.text
        case Name(name=called):
            return name[called]
        case Negation(term=term):
            return "−" + _shown(term, name, 3)
        case Binary(operator=operator, left=left, right=right):
            mine = _TIGHT[operator]
            # The right side of - and / is set off even from its equals: a - (b - c).
            inner = f"{_shown(left, name, mine)} {_SIGNS[operator]} {_shown(right, name, mine + (operator in '-/'))}"
            return f"({inner})" if mine < tight else inner
        case Call(function="sum", terms=terms):
            inner = " + ".join(_shown(term, name, 1) for term in terms)
            return f"({inner})" if tight > 1 else inner
        case Call(function=function, terms=terms):
            return f"{function}({', '.join(_shown(term, name, 0) for term in terms)})"
        case Comparison(operator=operator, left=left, right=right):
            return f"{_shown(left, name, 1)} {operator} {_shown(right, name, 1)}"
        case Logic(operator="not", terms=terms):
            return f"not {_shown(terms[0], name, 3)}"
        case Logic(operator=operator, terms=terms):
            return f" {operator} ".join(_shown(term, name, 1) for term in terms)


def with_names(figure: Figure) -> str:
    """How a figure comes about, in names: its formula, its selection of runs, or the text that states it."""
    match figure.origin:
        case Calculated(formula=formula, operands=operands):
            return formula_text(formula.tree, {name: name for name in operands})
        case Tallied(selection=selection):
            return f"sum over {selection.words}"
        case Worked(how=how):
            return how
        case Stated(text=text):
            return text


def with_numbers(figure: Figure) -> str:
    """How a figure comes about, with the numbers put in: `3 epochs × 8–10 h/epoch × 8 GPUs = 192–240 GPU-h`."""
    match figure.origin:
        case Calculated(formula=formula, operands=operands):
            numbers = {name: figure_text(operand) for name, operand in operands.items()}
            return f"{formula_text(formula.tree, numbers)} = {figure_text(figure)}"
        case Tallied(count=count, files=files):
            parts = "; ".join(f"{file}: {decimal(amount)} in {rows:,}" for file, rows, amount in files)
            return f"{count:,} runs{' (' + parts + ')' if parts else ''} = {figure_text(figure)}"
        case Worked(how=how):
            return f"{how} = {figure_text(figure)}"
    return figure_text(figure)
