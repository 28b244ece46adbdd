"""Why a setup is worth having or no choice, and what was asked, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from reckon.compute.choosing.choosing import Chosen, Near, Reason, Request
from reckon.model.ledger import Catalog

from ..render.numbers import figure_text, number_text

ORDERS = {"total": "cost with the hours waited", "cost": "cost", "time": "time"}
UNLESS = {"low": "not at the low end", "ideal": "not without the efficiency"}
PLAIN = {
    "best": "least cost with the hours waited", "cheapest": "cheapest", "fastest": "fastest",
    "at-no-value": "best at no value of an hour",
    "card": "not a card that was asked for",
}  # fmt: skip
AGAINST = {
    "dominated": "{} is no slower and no dearer", "always-dominated": "{} is no slower, and no dearer at any price",
    "equal": "as fast and as dear as {}", "missing": "{} is missing",
}  # fmt: skip


def usd(number: Fraction) -> str:
    """Reckoned dollars."""
    return f"${number_text(number, exact=False, money=True)}"


def hours(number: Fraction) -> str:
    """Reckoned hours."""
    return f"{number_text(number, exact=False)} h"


def limit_text(kind: str, number: Fraction) -> str:
    """A limit as it was asked for, with all its digits."""
    money = kind != "deadline"
    text = number_text(number, exact=True, money=money)
    return f"${text}" if money else f"{text} h"


def words(chosen: Chosen, name: str, reason: Reason) -> str:
    """One reason of a setup."""
    amount = reason.amount or Fraction(0)
    if reason.kind in PLAIN:
        return PLAIN[reason.kind]
    if reason.kind in AGAINST:
        return AGAINST[reason.kind].format(reason.other)
    if reason.kind == "at-value":
        return _at_value(reason)
    if reason.kind == "saves":
        return f"each hour less than with {reason.other} costs {usd(amount)}"
    if reason.kind == "gpus":
        return f"{number_text(amount, exact=True)} GPUs, of at most {number_text(reason.limit or amount, exact=True)}"
    return _memory(chosen, name, reason) if reason.kind == "memory" else _over(reason)


def why(chosen: Chosen, name: str, reasons: Iterable[Reason]) -> str:
    """All reasons of a setup in one line."""
    return "; ".join(words(chosen, name, reason) for reason in reasons)


def _at_value(reason: Reason) -> str:
    """Where a setup is the best."""
    low, high = reason.amount, reason.limit
    if low is None:
        return "best at any value of an hour" if high is None else f"best where an hour is worth up to {usd(high)}"
    span = f"{usd(low)} or more" if high is None else f"{usd(low)}–{usd(high).removeprefix('$')}"
    return f"best where an hour is worth {span}"


def _memory(chosen: Chosen, name: str, reason: Reason) -> str:
    verdict = chosen.tradeoff.verdicts[name]
    if reason.other:
        return f"its memory {_verb(reason.other)} at the high end of the need"
    turned = "; it fits at the low end" if reason.unless else ""
    need, have = figure_text(verdict.need), figure_text(verdict.usable)
    return f"does not fit: {need} needed, {have} on each GPU{turned}"


def _verb(verdict: str) -> str:
    return verdict if verdict == "does not fit" else f"is {verdict}"


def _over(reason: Reason) -> str:
    """How far a setup passes a deadline or a budget, and what would turn that."""
    words_ = "past the deadline" if reason.kind == "deadline" else "over the budget"
    if reason.amount is None:
        return f"may be {words_}: its {'time' if reason.kind == 'deadline' else 'cost'} is open upwards"
    size = hours(reason.amount) if reason.kind == "deadline" else usd(reason.amount)
    if reason.unless == ("high",):
        return f"{size} {words_} at the high end"
    turned = f" ({', '.join(UNLESS[one] for one in reason.unless)})" if reason.unless else ""
    return f"{size} {words_}{turned}"


def asked(request: Request, catalog: Catalog) -> str:
    """What was asked for, and what comes first: `within 8 h; at most $20; least cost first`."""
    limits: Mapping[str, Fraction | None] = {
        "deadline": request.deadline, "budget": request.budget, "hour_value": request.hour_value,
    }  # fmt: skip
    forms = {"deadline": "within {}", "budget": "at most {}", "hour_value": "an hour of waiting worth {}"}
    parts = [
        forms[kind].format(limit_text(kind, limit)) + (" (of the ledger)" if kind in request.stated else "")
        for kind, limit in limits.items() if limit is not None
    ]  # fmt: skip
    if request.most_gpus is not None:
        parts.append(f"at most {request.most_gpus} GPU{'s'[: request.most_gpus != 1]}")
    if request.cards:
        parts.append("on " + " or ".join(str(catalog.gpus[card].title) for card in request.cards))
    return "; ".join([*(parts or ["without limits"]), f"least {ORDERS[request.order]} first"])


def near(one: Near) -> str:
    """What would let a setup in that does not qualify. Rounded up: what is printed is enough."""
    parts = [
        f"a {kind} of {limit_text(kind, Fraction(-(-need * 100 // 1), 100))}"
        for kind, need in (("deadline", one.deadline), ("budget", one.budget))
        if need is not None
    ]
    return f"{' and '.join(parts)} would let it in"
