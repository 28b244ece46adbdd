"""`choose`: the setups that qualify and those that do not, as a table, as markdown or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from reckon.compute.book import Book
from reckon.compute.choosing.choosing import Chosen, Near, Reason, Request
from reckon.compute.choosing.setups import Choice
from reckon.language.text import plural
from reckon.model.figure import operands
from reckon.model.ledger import Catalog

from ..export import exact, exact_ends
from ..render import escape
from ..render.numbers import figure_text, number_text
from ..table import Cell, Code, Column, Table, figures, words
from .lines import block, columns, wrapped

FORMAT_NUMBER = 1
LONGEST_ID = 28
MOST_ROWS = 200
FIGURES = {"hours": "Time, h", "usd": "Cost, $", "usd_per_hour": "$/h"}
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
Row = tuple[list[Cell], str]
"""The cells of a setup, and why it is worth having or not."""


def chosen(book: Book, project: str, answer: Chosen, form: str = "table") -> Iterator[str]:
    """The lines of an answer as a `table`, `json` or `markdown`."""
    if form == "json":
        yield json.dumps(_whole(book, project, answer), ensure_ascii=False, indent=1)
        return
    safe = escape.cell if form == "markdown" else escape.terminal
    yield from block((_head(project, answer), _rests_on(book, project, answer)), form, hyphens=True)
    for title, rows in _sections(book, answer):
        yield ""
        yield from (safe(line) for line in ([title] if form == "markdown" else wrapped(title, hyphens=True)))
        if rows:
            yield from [""] if form == "markdown" else []
            table = Table(_heads(answer), [cells for cells, _ in rows])
            said = [reasons for _, reasons in rows]
            yield from columns(table, form, said, "Why", LONGEST_ID)
        if len(rows) == MOST_ROWS:
            yield f"… `--format json` has all of them, here are the first {MOST_ROWS}."
    if notes := list(_notes(book, project, answer)):
        yield ""
        yield from block(notes, form, hyphens=True)


def _head(project: str, answer: Chosen) -> str:
    return f"{answer.tradeoff.record.title} ({project}.setups.{answer.tradeoff.name})"


def _rests_on(book: Book, project: str, answer: Chosen) -> str:
    """What was asked, and the work, the lists and the efficiency that the answer rests on."""
    work = f"{project}.workloads.{answer.tradeoff.record.workload}"
    parts = [f"{words_} {figure_text(figure)}" for key, words_ in (("tokens", "work"), ("efficiency", "efficiency"))
             if (figure := book.get(f"{work}.{key}")) and not figure.missing]  # fmt: skip
    for kind, names in _lists(book, answer).items():
        dated = [f"{name} ({day})" if day else name for name, day in names.items()]
        parts += [f"{kind} of {', '.join(dated)}"] if dated else []
    return f"Asked: {_asked(answer.request, book.ledger.catalog)}. Rests on: {'; '.join(parts) or 'nothing yet'}."


def _lists(book: Book, answer: Chosen) -> dict[str, dict[str, str | None]]:
    """The lists of the catalogue that the figures of the setups come from, with their dates."""
    catalog = book.ledger.catalog
    days = {"prices": {name: one.as_of for name, one in catalog.prices.items()},
            "throughputs": {name: one.as_of for name, one in catalog.throughputs.items()}}  # fmt: skip
    found: dict[str, dict[str, str | None]] = {kind: {} for kind in days}
    for choice in answer.tradeoff.choices.values():
        for key in ("usd_per_gpu_hour", "tokens_per_second_per_gpu"):
            for one in operands(book[f"{choice.at}.{key}"]):
                _, kind, name, *_ = one.address.split(".")
                found[kind][name] = str(days[kind][name]) if days[kind][name] else None
    return found


def _sections(book: Book, answer: Chosen) -> Iterator[tuple[str, list[Row]]]:
    """Setups that qualify, those that do not, and those of which that cannot be said."""
    every, many = len(answer.tradeoff.choices), len(answer.ranked)
    ranked = [_row(book, answer, one.choice, one.reasons, str(number))
              for number, one in enumerate(answer.ranked[:MOST_ROWS], 1)]  # fmt: skip
    if not every:
        yield "There are no setups: no card has a price or a throughput in the lists of the project.", []
        return
    count = "None" if not many else "All" if many == every else f"{many:,}"
    yield f"{count} of {plural(every, 'setup')} qualif{'ies' if many < 2 else 'y'}.", ranked
    if answer.nearest:
        lines = [f"{one.choice.id} ({_point(answer, one.choice)}): {_near(one)}" for one in answer.nearest]
        yield "Nearest: " + "; ".join(lines) + ".", []
    for title, open_ in (("These do not:", False), ("Undecided:", True)):
        rest = [one for one in answer.rejected if _undecided(one.reasons) == open_][:MOST_ROWS]
        if rest:
            yield title, [_row(book, answer, one.choice, one.reasons, "") for one in rest]


def _undecided(reasons: Iterable[Reason]) -> bool:
    """Whether nothing is known against a setup but that inputs are missing."""
    return all(one.kind == "missing" for one in reasons)


def _point(answer: Chosen, choice: Choice) -> str:
    _, time, cost = answer.tradeoff.points[choice.id]
    return f"{_hours(time)}, {_usd(cost)}"


def _row(book: Book, answer: Chosen, choice: Choice, reasons: Sequence[Reason], rank: str) -> Row:
    verdict, point = answer.tradeoff.verdicts.get(choice.id), answer.tradeoff.points.get(choice.id)
    total = number_text(answer.request.total(point), exact=False, money=True) if point else ""
    points = (book[f"{choice.at}.{key}"] for key in FIGURES)
    cells: list[Cell] = [rank, Code(choice.id), *points, total, verdict.use if verdict else "not known"]
    return cells, "; ".join(_reason_text(answer, choice.id, reason) for reason in reasons)


def _heads(answer: Chosen) -> list[Column]:
    total = words("With hours, $", shown=answer.request.hour_value is not None)
    points = (Column(title, "spread") for title in FIGURES.values())
    return [figures(escape.Markup("#")), words("Setup"), *points, total, words("Memory")]


def _notes(book: Book, project: str, answer: Chosen) -> Iterator[str]:
    """What would come first at other prices, cards that have no setup, and further setups of the project."""
    for end, first in answer.turns:
        yield f"At the {end} end of all prices {f'{first} comes first' if first else 'none of them qualifies'}."
    for card in answer.absent:
        title = book.ledger.catalog.gpus[card].title
        yield f"There is no setup of {title} ({card}): the project's lists have neither price nor throughput of it."
    others = [one.name for one in book.tradeoffs[project] if one.name != answer.tradeoff.name]
    if others:
        yield "Other setups of this project: " + ", ".join(f"--setups {name}" for name in others) + "."


def _whole(book: Book, project: str, answer: Chosen) -> dict[str, Any]:
    """The answer for other programs: exact values, every reason with its words."""
    request = answer.request
    limits = {name: exact(getattr(request, name)) for name in ("deadline", "budget", "hour_value")}
    return {
        "format": FORMAT_NUMBER, "project": project, "setups": answer.tradeoff.name,
        "workload": str(answer.tradeoff.record.workload),
        "request": {**limits, "of_the_ledger": list(request.stated), "gpus": list(request.cards),
                    "max_gpus": request.most_gpus, "order": request.order},
        "rests_on": _lists(book, answer), "changes": {one.address: one.value for one in book.ledger.changes},
        "ranked": [{"rank": rank, "on_frontier": one.front, **_setup(book, answer, one.choice, one.reasons)}
                   for rank, one in enumerate(answer.ranked, 1)],
        "rejected": [{"undecided": _undecided(one.reasons), **_setup(book, answer, one.choice, one.reasons)}
                     for one in answer.rejected],
        "nearest": [{"setup": one.choice.id, "deadline": exact(one.deadline), "budget": exact(one.budget)}
                    for one in answer.nearest],
        "first_at_other_prices": dict(answer.turns), "without_setup": list(answer.absent),
    }  # fmt: skip


def _setup(book: Book, answer: Chosen, choice: Choice, reasons: Sequence[Reason]) -> dict[str, Any]:
    values = {key: exact_ends(book[f"{choice.at}.{key}"].value) for key in FIGURES}
    verdict, point = answer.tradeoff.verdicts.get(choice.id), answer.tradeoff.points.get(choice.id)
    total = exact(answer.request.total(point)) if point and answer.request.hour_value is not None else None
    return {
        "setup": choice.id, "title": answer.tradeoff.titles[choice.id], "gpu": choice.card, "gpus": choice.gpus,
        "address": choice.at, **values, "with_hours": total, "memory": verdict.words if verdict else None,
        "reasons": [_reason(answer, choice, one) for one in reasons],
    }  # fmt: skip


def _reason(answer: Chosen, choice: Choice, reason: Reason) -> dict[str, Any]:
    return {"kind": reason.kind, "text": _reason_text(answer, choice.id, reason), "amount": exact(reason.amount),
            "limit": exact(reason.limit), "other": reason.other, "unless": list(reason.unless)}  # fmt: skip


def _usd(number: Fraction) -> str:
    """Calculated dollars."""
    return f"${number_text(number, exact=False, money=True)}"


def _hours(number: Fraction) -> str:
    """Calculated hours."""
    return f"{number_text(number, exact=False)} h"


def _limit_text(kind: str, number: Fraction) -> str:
    """A limit as it was asked for, with all its digits."""
    money = kind != "deadline"
    text = number_text(number, exact=True, money=money)
    return f"${text}" if money else f"{text} h"


def _reason_text(chosen: Chosen, name: str, reason: Reason) -> str:
    """One reason of a setup."""
    amount = reason.amount or Fraction(0)
    if reason.kind in PLAIN:
        return PLAIN[reason.kind]
    if reason.kind in AGAINST:
        return AGAINST[reason.kind].format(reason.other)
    if reason.kind == "at-value":
        return _at_value(reason)
    if reason.kind == "saves":
        return f"each hour less than with {reason.other} costs {_usd(amount)}"
    if reason.kind == "gpus":
        return f"{number_text(amount, exact=True)} GPUs, of at most {number_text(reason.limit or amount, exact=True)}"
    return _memory(chosen, name, reason) if reason.kind == "memory" else _over(reason)


def _at_value(reason: Reason) -> str:
    """Where a setup is the best."""
    low, high = reason.amount, reason.limit
    if low is None:
        return "best at any value of an hour" if high is None else f"best where an hour is worth up to {_usd(high)}"
    span = f"{_usd(low)} or more" if high is None else f"{_usd(low)}–{_usd(high).removeprefix('$')}"
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
    size = _hours(reason.amount) if reason.kind == "deadline" else _usd(reason.amount)
    if reason.unless == ("high",):
        return f"{size} {words_} at the high end"
    turned = f" ({', '.join(UNLESS[end] for end in reason.unless)})" if reason.unless else ""
    return f"{size} {words_}{turned}"


def _asked(request: Request, catalog: Catalog) -> str:
    """What was asked for, and what comes first: `within 8 h; at most $20; least cost first`."""
    limits: Mapping[str, Fraction | None] = {
        "deadline": request.deadline, "budget": request.budget, "hour_value": request.hour_value,
    }  # fmt: skip
    forms = {"deadline": "within {}", "budget": "at most {}", "hour_value": "an hour of waiting worth {}"}
    parts = [
        forms[kind].format(_limit_text(kind, limit)) + (" (of the ledger)" if kind in request.stated else "")
        for kind, limit in limits.items() if limit is not None
    ]  # fmt: skip
    if request.most_gpus is not None:
        parts.append(f"at most {request.most_gpus} GPU{'s'[: request.most_gpus != 1]}")
    if request.cards:
        parts.append("on " + " or ".join(str(catalog.gpus[card].title) for card in request.cards))
    return "; ".join([*(parts or ["without limits"]), f"least {ORDERS[request.order]} first"])


def _near(missed: Near) -> str:
    """What would let a setup in that does not qualify. Rounded up: what is printed is enough."""
    parts = [
        f"a {kind} of {_limit_text(kind, Fraction(-(-need * 100 // 1), 100))}"
        for kind, need in (("deadline", missed.deadline), ("budget", missed.budget))
        if need is not None
    ]
    return f"{' and '.join(parts)} would let it in"
