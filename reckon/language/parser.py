"""Text -> tokens -> expression tree; and texts that quote figures, as `{budget.final}`.

Precedence, loosest first: or, and, not, comparison, + -, * /, minus sign, term.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reckon.language.lazy import regex

from .calendar_days import DATE, first_day, is_day
from .expression import Binary, Call, Comparison, Expression, Formula, Logic, Name, Negation, Number
from .quantity import Quantity, point, read_quantity
from .text import Refusal
from .units import PLAIN, value_unit

MOST_CHARACTERS = 2000
MOST_TOKENS = 400


class Token(NamedTuple):
    """A piece of an expression: its kind (date, number, name, operator, end), its text, where it begins."""

    kind: str
    text: str
    at: int


NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*(?:\.[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)*"
NAMED = regex(NAME)
_TOKEN = regex(
    r"\s*(?:(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9]))"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?:%|x(?![A-Za-z0-9_])|[kMBT](?![A-Za-z0-9_]))?)"
    rf"|(?P<name>{NAME})"
    r"|(?P<operator><=|>=|[-+*/(),<>]))"
)
_FOREIGN = {
    **dict.fromkeys("×·", "write `*`"),
    "÷": "write `/`",
    **dict.fromkeys("–—−", "write `-` with spaces around it"),
    "^": "write `power(a, 2)`",
    "=": "write `is`",
    "!": "write `not`",
    "&": "write `and`",
    "|": "write `or`",
    "%": "put the percent sign after its number: `15%`",
    ".": "write a zero before the point, a name before the dot",
}


def tokens(text: str) -> list[Token]:
    """The tokens of an expression, closed by an end token. Raises Refusal at what cannot begin a token."""
    if len(text) > MOST_CHARACTERS:
        raise Refusal(
            "the expression is too long",
            f"keep it under {MOST_CHARACTERS} characters; name parts of it in figures.yaml",
        )
    found, at = [], 0
    while left := text[at:].lstrip():
        match = _TOKEN.match(text, at)
        if not match or not match.lastgroup:
            start = len(text) - len(left)
            hint = _FOREIGN.get(text[start], "use names, numbers, + - * / and parentheses")
            raise Refusal(f"`{text[start]}` is not in the expression language", hint, start)
        found.append(Token(match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)))
        if len(found) > MOST_TOKENS:
            raise Refusal("the expression has too many terms", "name parts of it in figures.yaml", found[-1].at)
        at = match.end()
    return [*found, Token("end", "", len(text))]


MOST_NESTING = 20
FUNCTIONS = ("min", "max", "ceil", "floor", "sum", "power")
COMPARISONS = ("<=", ">=", "<", ">", "is", "inside")
KEYWORDS = ("and", "or", "not", "is", "inside")
# Units convert themselves; a bare one of these is a conversion done by hand, the commonest source of slips.
CONVERSIONS = {
    24: "hours and days",
    60: "minutes and hours",
    3600: "seconds and hours",
    1024: "GiB and MiB",
    1000: "prefixes",
    10**6: "prefixes",
    10**9: "prefixes",
}


def read_expression(text: str) -> Formula:
    """The tree of a formula, condition or policy. Raises Refusal, with the position, where the text is none."""
    parser = _Parser(tokens(text))
    tree = parser.disjunction()
    parser.close()
    return Formula(text, tree)


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.index = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.index]

    def take(self, *texts: str) -> Token | None:
        """The next token if it is one of these; it is consumed then."""
        token = self.next
        if token.kind not in ("number", "date") and token.text in texts:
            self.index += 1
            return token
        return None

    def close(self) -> None:
        token = self.next
        if token.kind != "end":
            wrong = f"`{token.text}` is where the expression should end"
            chained, otherwise = "join two comparisons with `and`", "put an operator between two terms"
            raise Refusal(wrong, chained if token.text in COMPARISONS else otherwise, token.at)

    def disjunction(self) -> Expression:
        return self.joined("or", lambda: self.joined("and", self.negation))

    def joined(self, word: str, part: Callable[[], Expression]) -> Expression:
        first = part()
        terms = [first]
        at = self.next.at
        while self.take(word):
            terms.append(part())
        return Logic(word, tuple(terms), at) if len(terms) > 1 else first

    def negation(self) -> Expression:
        if token := self.take("not"):
            return Logic("not", (self.below(token, self.negation),), token.at)
        return self.comparison()

    def comparison(self) -> Expression:
        left = self.arithmetic()
        if token := self.take(*COMPARISONS):
            # A reported figure can be `inside`, which is a word of the language too.
            word = self.take("inside") if token.text == "is" else None
            right = Name(word.text, word.at) if word else self.arithmetic()
            return Comparison(token.text, left, right, token.at)
        return left

    def arithmetic(self) -> Expression:
        return self.binary(lambda: self.binary(self.factor, "*", "/"), "+", "-")

    def binary(self, part: Callable[[], Expression], *operators: str) -> Expression:
        left = part()
        while token := self.take(*operators):
            left = Binary(token.text, left, part(), token.at)
        return left

    def factor(self) -> Expression:
        if token := self.take("-"):
            return Negation(self.below(token, self.factor), token.at)
        return self.term()

    def term(self) -> Expression:
        token = self.next
        self.index += 1
        if token.kind == "number":
            return self.literal(token)
        if token.kind == "date":
            return self.date(token)
        if token.kind == "name" and token.text not in KEYWORDS:
            return self.call(token) if self.next.text == "(" else Name(token.text, token.at)
        if token.text == "(":
            return self.listed(token)[0]
        what = f"`{token.text}` is where" if token.text else "the expression ends where"
        raise Refusal(f"{what} a name or a number is missing", "write an input, a number or a parenthesis", token.at)

    def literal(self, token: Token) -> Number:
        """A number, with a unit word after it where one stands (`20 usd`)."""
        unit = value_unit(self.next.text) if self.next.kind == "name" else None
        if unit is not None:
            self.index += 1
        try:
            quantity = read_quantity(token.text, unit or PLAIN)
        except Refusal as refusal:
            raise Refusal(refusal.wrong, refusal.right, token.at) from None
        if unit is None and not quantity.form and quantity.value.use in CONVERSIONS:
            about = CONVERSIONS[int(quantity.value.use)]
            raise Refusal(
                f"a bare {token.text} converts units by hand",
                f"remove it; units convert automatically ({about}); if it is a count, make it an input",
                token.at,
            )
        text = f"{token.text} {unit.symbol}" if unit else token.text
        return Number(Quantity(quantity.value, quantity.unit, text, form=quantity.form), token.at)

    def date(self, token: Token) -> Number:
        """A day of the calendar: `2025-09-03`."""
        if not is_day(token.text):
            raise Refusal(f"{token.text} is not in the calendar", "check the date", token.at)
        return Number(Quantity(point(first_day(token.text)), DATE, token.text), token.at)

    def call(self, name: Token) -> Call:
        if name.text not in FUNCTIONS:
            raise Refusal(f"`{name.text}` is not a function", f"there are {', '.join(FUNCTIONS)}", name.at)
        opening = self.next
        self.index += 1
        terms = self.listed(opening, ",")
        if name.text in ("ceil", "floor") and len(terms) > 1:
            raise Refusal(f"`{name.text}` takes one term", f"write `{name.text}(a / b)`", name.at)
        if name.text == "power" and len(terms) != 2:
            raise Refusal("`power` takes two terms", "write `power(a / b, exponent)`", name.at)
        return Call(name.text, terms, name.at)

    def listed(self, opening: Token, *between: str) -> tuple[Expression, ...]:
        """The terms in parentheses, of which the first is open already."""
        terms = [self.below(opening, self.disjunction)]
        while self.take(*between):
            terms.append(self.below(opening, self.disjunction))
        if not self.take(")"):
            raise Refusal("a parenthesis is not closed", "write `)` where it ends", opening.at)
        return tuple(terms)

    def below(self, token: Token, part: Callable[[], Expression]) -> Expression:
        """A part that stands a level deeper."""
        self.depth += 1
        if self.depth > MOST_NESTING:
            raise Refusal("the expression is nested too deep", f"keep it under {MOST_NESTING} levels", token.at)
        found = part()
        self.depth -= 1
        return found


class Quote(NamedTuple):
    """An address quoted in a text, the unit asked for (or nothing), and where its brace stands in the text."""

    address: str
    unit: str
    at: int


_BRACES = regex(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTE = regex(rf"\s*({NAME})(?:\s+in\s+([A-Za-z][\w /-]*?))?\s*")


def pieces(text: str) -> list[str | Quote]:
    """A text split at its quotes, with doubled braces made single. Raises Refusal at a brace that quotes nothing."""
    found: list[str | Quote] = []
    words, end = "", 0
    for brace in _BRACES.finditer(text):
        words += text[end : brace.start()]
        end = brace.end()
        if brace[0] in ("{{", "}}"):
            words += brace[0][0]
            continue
        if not (quote := _QUOTE.fullmatch(brace[1] or "")):
            raise Refusal(
                f"`{brace[0][:40]}` does not quote a figure",
                "write `{budget.final}`, or `{budget.final in gpu-days}`; `{{` and `}}` print a brace",
                brace.start(),
            )
        found += [words, Quote(quote[1], quote[2] or "", brace.start(1) + quote.start(1))]
        words = ""
    return [piece for piece in (*found, words + text[end:]) if piece != ""]
