"""`choose`: the setups that qualify and those that do not, as a table, as markdown or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from reckon.compute.book import Book
from reckon.compute.choosing.choosing import Chosen, Reason
from reckon.compute.choosing.setups import Choice
from reckon.language.text import plural
from reckon.model.figure import Figure, operands

from ..export import exact, exact_ends
from ..render import escape
from ..render.numbers import figure_text, number_text, use_text, value_text
from .lines import ANSWER_WIDTH, block, cut, wrapped
from .reasons import asked, hours, near, usd, why, words

FORMAT_NUMBER = 1
LONGEST_ID = 28
MOST_ROWS = 200
FIGURES = {"hours": "Time, h", "usd": "Cost, $", "usd_per_hour": "$/h"}
TOTAL = "With hours, $"
Row = tuple[tuple[str, ...], str]
"""The cells of a setup, and why it is worth having or not."""


def chosen(book: Book, project: str, answer: Chosen, form: str = "table") -> Iterator[str]:
    """The lines of an answer as a `table`, `json` or `markdown`."""
    if form == "json":
        yield json.dumps(_whole(book, project, answer), ensure_ascii=False, indent=1)
        return
    table, safe = (_markdown, escape.cell) if form == "markdown" else (_table, escape.terminal)
    yield from block((_head(project, answer), _rests_on(book, project, answer)), form, hyphens=True)
    for title, rows in _sections(book, answer):
        yield ""
        yield from (safe(line) for line in ([title] if form == "markdown" else wrapped(title, hyphens=True)))
        if rows:
            yield from table(_heads(answer), rows)
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
    return f"Asked: {asked(answer.request, book.ledger.catalog)}. Rests on: {'; '.join(parts) or 'nothing yet'}."


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
        lines = [f"{one.choice.id} ({_point(answer, one.choice)}): {near(one)}" for one in answer.nearest]
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
    return f"{hours(time)}, {usd(cost)}"


def _row(book: Book, answer: Chosen, choice: Choice, reasons: Sequence[Reason], rank: str) -> Row:
    verdict = answer.tradeoff.verdicts.get(choice.id)
    cells = [_ranged(book[f"{choice.at}.{key}"]) for key in FIGURES]
    if answer.request.hour_value is not None:
        point = answer.tradeoff.points.get(choice.id)
        cells.append(number_text(answer.request.total(point), exact=False, money=True) if point else "")
    return (rank, choice.id, *cells, verdict.use if verdict else "not known"), why(answer, choice.id, reasons)


def _heads(answer: Chosen) -> tuple[str, ...]:
    total = [TOTAL] if answer.request.hour_value is not None else []
    return ("#", "Setup", *FIGURES.values(), *total, "Memory")


def _ranged(figure: Figure) -> str:
    """The value to plan with, and its range behind it."""
    whole, planned = value_text(figure), use_text(figure)
    return planned if whole == planned else f"{planned} ({whole})"


def _table(heads: tuple[str, ...], rows: Sequence[Row]) -> Iterator[str]:
    """Columns as wide as they must be; why stands below each setup, since it is a sentence."""
    cells = [heads, *(tuple(cut(cell, LONGEST_ID) for cell in row) for row, _ in rows)]
    wide = [max(len(row[at]) for row in cells) for at in range(len(heads))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)) for row in cells]
    yield cut(lines[0].rstrip(), ANSWER_WIDTH)
    for line, (_, reasons) in zip(lines[1:], rows, strict=True):
        yield cut(line.rstrip(), ANSWER_WIDTH)
        yield from wrap(reasons, ANSWER_WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _markdown(heads: tuple[str, ...], rows: Sequence[Row]) -> Iterator[str]:
    yield ""
    yield "| " + " | ".join([*heads, "Why"]) + " |"
    yield "|---:|" + "---|" * len(heads)
    for (rank, name, *cells), reasons in rows:
        shown = [rank, escape.code(name), *(escape.cell(cell) for cell in (*cells, reasons))]
        yield "| " + " | ".join(shown) + " |"


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


def _reason(answer: Chosen, choice: Choice, one: Reason) -> dict[str, Any]:
    return {"kind": one.kind, "text": words(answer, choice.id, one), "amount": exact(one.amount),
            "limit": exact(one.limit), "other": one.other, "unless": list(one.unless)}  # fmt: skip
