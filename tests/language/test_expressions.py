# ruff: noqa: PT017 (tables read better unbroken)
"""The one expression language: what it parses to, where it refuses, and that printing a tree loses nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.language.expression import Binary, Call, Comparison, Expression, Logic, Name, Negation, Number, names
from reckon.language.parser import COMPARISONS, FUNCTIONS, read_expression
from reckon.language.quantity import read_quantity
from reckon.language.text import Refusal
from reckon.language.units import PLAIN

ONE_TERM = [one for one in FUNCTIONS if one != "power"]


def shown(tree: Expression) -> str:
    """A tree with every parenthesis written out."""
    match tree:
        case Number(quantity=quantity):
            return quantity.text
        case Name(name=name):
            return name
        case Negation(term=term):
            return f"(-{shown(term)})"
        case Binary(operator=operator, left=left, right=right) | Comparison(operator=operator, left=left, right=right):
            return f"({shown(left)} {operator} {shown(right)})"
        case Call(function=function, terms=terms):
            return f"{function}({', '.join(map(shown, terms))})"
        case Logic(operator="not", terms=(term,)):
            return f"(not {shown(term)})"
        case Logic(operator=operator, terms=terms):
            return f"({f' {operator} '.join(map(shown, terms))})"
    raise AssertionError(tree)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b / c", "((a / b) / c)"),
        ("a / b * c", "((a / b) * c)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("-a * b", "((-a) * b)"),
        ("a * -b", "(a * (-b))"),
        ("--a", "(-(-a))"),
        ("a - -b", "(a - (-b))"),
        ("1 + curriculum", "(1 + curriculum)"),
        ("2 - 1", "(2 - 1)"),
        ("2-1", "(2 - 1)"),
        ("per-seed", "per-seed"),
        ("a - b", "(a - b)"),
        ("plan.sft.estimate.hours_per_epoch.low", "plan.sft.estimate.hours_per_epoch.low"),
        ("max(a, b, c) + min(a)", "(max(a, b, c) + min(a))"),
        ("ceil(tasks * rollouts / parallel)", "ceil(((tasks * rollouts) / parallel))"),
        ("a < b", "(a < b)"),
        ("a + b <= c * d", "((a + b) <= (c * d))"),
        ("a < b and c >= d or e is f", "(((a < b) and (c >= d)) or (e is f))"),
        ("not a > b and c", "((not (a > b)) and c)"),
        ("not not a", "(not (not a))"),
        ("a or b or c", "(a or b or c)"),
        ("a and (b or c)", "(a and (b or c))"),
        ("as_of inside window", "(as_of inside window)"),
        ("time.reported is inside and a inside b", "((time.reported is inside) and (a inside b))"),
        ("cost > 20 usd", "(cost > 20 $)"),
        ("used > 1600 gpu_hours", "(used > 1600 GPU-h)"),
        ("time > 7 d", "(time > 7 d)"),
        ("share > 20%", "(share > 20%)"),
        ("a * 1.3x", "(a * 1.3x)"),
        ("a * 24x + 6000%", "((a * 24x) + 6000%)"),
        ("3 * 24 hours", "(3 * 24 h)"),
    ],
)
def test_parses_to(text: str, means: str) -> None:
    assert shown(read_expression(text).tree) == means


@pytest.mark.parametrize(
    ("text", "at", "wrong", "right"),
    [
        (
            "a + 24",
            4,
            "a bare 24 converts units by hand",
            "remove it; units convert automatically (hours and days); if it is a count, make it an input",
        ),
        (
            "a * 60",
            4,
            "a bare 60 converts units by hand",
            "remove it; units convert automatically (minutes and hours); if it is a count, make it an input",
        ),
        (
            "a * 1000",
            4,
            "a bare 1000 converts units by hand",
            "remove it; units convert automatically (prefixes); if it is a count, make it an input",
        ),
        (
            "a / 1024",
            4,
            "a bare 1024 converts units by hand",
            "remove it; units convert automatically (GiB and MiB); if it is a count, make it an input",
        ),
        (
            "a / 3600",
            4,
            "a bare 3600 converts units by hand",
            "remove it; units convert automatically (seconds and hours); if it is a count, make it an input",
        ),
        (
            "a / 1e9",
            4,
            "a bare 1e9 converts units by hand",
            "remove it; units convert automatically (prefixes); if it is a count, make it an input",
        ),
        (
            "a / 1e3",
            4,
            "a bare 1e3 converts units by hand",
            "remove it; units convert automatically (prefixes); if it is a count, make it an input",
        ),
        (
            "a / 60.0",
            4,
            "a bare 60.0 converts units by hand",
            "remove it; units convert automatically (minutes and hours); if it is a count, make it an input",
        ),
        (
            "a / 1k",
            4,
            "a bare 1k converts units by hand",
            "remove it; units convert automatically (prefixes); if it is a count, make it an input",
        ),
        ("a ** b", 3, "`*` is where a name or a number is missing", "write an input, a number or a parenthesis"),
        ("a × b", 2, "`×` is not in the expression language", "write `*`"),
        ("a – b", 2, "`–` is not in the expression language", "write `-` with spaces around it"),
        ("a ^ 2", 2, "`^` is not in the expression language", "write `power(a, 2)`"),
        ("a == b", 2, "`=` is not in the expression language", "write `is`"),
        ("a & b", 2, "`&` is not in the expression language", "write `and`"),
        ("a; b", 1, "`;` is not in the expression language", "use names, numbers, + - * / and parentheses"),
        ("a + .5", 4, "`.` is not in the expression language", "write a zero before the point, a name before the dot"),
        ("a b", 2, "`b` is where the expression should end", "put an operator between two terms"),
        (
            "a < b < c",
            6,
            "`<` is where the expression should end",
            "join two comparisons with `and`",
        ),
        ("(a + b", 0, "a parenthesis is not closed", "write `)` where it ends"),
        ("a + max(b", 7, "a parenthesis is not closed", "write `)` where it ends"),
        ("a)", 1, "`)` is where the expression should end", "put an operator between two terms"),
        ("", 0, "the expression ends where a name or a number is missing", "write an input, a number or a parenthesis"),
        (
            "a +",
            3,
            "the expression ends where a name or a number is missing",
            "write an input, a number or a parenthesis",
        ),
        ("a + * b", 4, "`*` is where a name or a number is missing", "write an input, a number or a parenthesis"),
        ("and", 0, "`and` is where a name or a number is missing", "write an input, a number or a parenthesis"),
        ("sqrt(a)", 0, "`sqrt` is not a function", "there are min, max, ceil, floor, sum, power"),
        ("__import__(a)", 0, "`__import__` is not a function", "there are min, max, ceil, floor, sum, power"),
        ("a + ceil(b, c)", 4, "`ceil` takes one term", "write `ceil(a / b)`"),
        ("a + 15% usd", 4, "`15%` is a ratio", "the key takes money (USD); write a number without `%`"),
        ("a + 010", 4, "`010` begins with a zero", "write `10`"),
        (
            "a + " + "1" * 31,
            4,
            f"`{'1' * 31}` is too long a number",
            "write at most 30 digits and an exponent below 100",
        ),
        ("(" * 21 + "a" + ")" * 21, 20, "the expression is nested too deep", "keep it under 20 levels"),
        ("-" * 21 + "a", 20, "the expression is nested too deep", "keep it under 20 levels"),
        ("not " * 21 + "a", 80, "the expression is nested too deep", "keep it under 20 levels"),
        (
            "a" * 2001,
            0,
            "the expression is too long",
            "keep it under 2000 characters; name parts of it in figures.yaml",
        ),
        ("a+" * 200 + "a", 400, "the expression has too many terms", "name parts of it in figures.yaml"),
    ],
)
def test_refuses_at_the_place(text: str, at: int, wrong: str, right: str) -> None:
    with pytest.raises(Refusal) as caught:
        read_expression(text)
    assert (caught.value.at, caught.value.wrong, caught.value.right) == (at, wrong, right)


def test_every_part_knows_where_it_stands() -> None:
    text = "epochs * hours_per_epoch * (1 + curriculum)"
    assert [(one.name, text.index(one.name)) for one in names(read_expression(text).tree)] == [
        (one.name, one.at) for one in names(read_expression(text).tree)
    ]


@given(st.one_of(st.text(max_size=60), st.text("ab1 2.5%xk+-*/()<>=, andornotis\n", max_size=60)))
def test_any_text_is_an_expression_or_a_refusal(text: str) -> None:
    try:
        tree = read_expression(text).tree
    except Refusal as refusal:
        assert 0 <= refusal.at <= len(text)
        assert refusal.right
    else:
        list(names(tree))


def trees(condition: bool) -> st.SearchStrategy[Expression]:
    number = st.sampled_from(["2", "0.5", "15%", "1.3x", "10k", "4e23"]).map(
        lambda text: Number(read_quantity(text, PLAIN), 0)
    )
    name = st.sampled_from(["a", "hours_per_epoch", "plan.sft-2.total.low", "x1"]).map(lambda text: Name(text, 0))

    def grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.one_of(
            inner.map(lambda term: Negation(term, 0)),
            st.builds(Binary, st.sampled_from("+-*/"), inner, inner, st.just(0)),
            st.builds(lambda name, term: Call(name, (term,), 0), st.sampled_from(ONE_TERM), inner),
            st.builds(
                lambda name, one, two: Call(name, (one, two), 0), st.sampled_from(("max", "power")), inner, inner
            ),
        )

    sums = st.recursive(st.one_of(number, name), grown, max_leaves=12)
    if not condition:
        return sums
    compared = st.builds(Comparison, st.sampled_from(COMPARISONS), sums, sums, st.just(0))
    return st.recursive(
        compared,
        lambda inner: st.one_of(
            inner.map(lambda term: Logic("not", (term,), 0)),
            st.builds(lambda word, one, two: Logic(word, (one, two), 0), st.sampled_from(["and", "or"]), inner, inner),
        ),
        max_leaves=5,
    )


@given(st.booleans().flatmap(trees))
def test_printing_and_parsing_agree(tree: Expression) -> None:
    text = shown(tree)
    try:
        found = read_expression(text)
    except Refusal as refusal:
        assert refusal.wrong in ("the expression is nested too deep", "the expression is too long")
    else:
        assert shown(found.tree) == text
