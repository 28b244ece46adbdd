"""`choose`: the setups that qualify and those that do not, as a table, as markdown or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.compute.book import Book
from reckon.compute.choosing.choosing import Chosen, Considered, Near, Reason, Request
from reckon.compute.choosing.memory import NOT
from reckon.compute.choosing.workload import caveats, speed_sources, speeds_of, told_runs
from reckon.language.quantity import ZERO
from reckon.language.text import plural
from reckon.model.figure import operands
from reckon.model.ledger import Catalog
from reckon.model.records import Workload

from ..export import JsonObject, exact, exact_ends, write_json
from ..render import escape
from ..render.numbers import figure_text, format_sentence, number_text
from ..table import CellRow, Code, Column, Columns, Table, figures, words
from .lines import Lines, block, changed, columns

FORMAT_NUMBER = 1
LONGEST_ID = 28
MOST_ROWS = 200
FIGURES = {"hours": "Time, h", "usd": "Cost, $", "usd_per_hour": "$/h"}
ORDERS = {"total": "cost with the hours waited", "cost": "cost", "time": "time"}
ASKED = {"deadline": "within {}", "budget": "at most {}", "hour_value": "an hour of waiting worth {}"}
UNLESS = {"low": "not at the low end", "ideal": "not without the efficiency"}
REASONS = {
    "best": "least cost with the hours waited",
    "cheapest": "cheapest",
    "fastest": "fastest",
    "at-no-value": "never the best trade-off",
    "saves": "each hour saved over {other} costs {usd}",
    "dominated": "no advantage over {other}",
    "equal": "as fast and as expensive as {other}",
    "always-dominated": "no advantage over {other} at any price",
    "missing": "{other} is missing",
    "short": "each run takes {limit} GPUs",
    "card": "not a card that was asked for",
    "gpus": "{amount} GPUs, of at most {limit}",
}
Row = tuple[CellRow, str]
"""The cells of a setup, and why it is worth having or not."""
DatedLists = dict[str, str | None]
"""Lists of the catalogue with their dates, as far as they have any."""


def chosen(book: Book, project_id: str, answer: Chosen, form: str) -> Lines:
    """The lines of an answer as a `table`, `json` or `markdown`."""
    if form == "json":
        yield write_json(_answer_data(book, project_id, answer))
        return
    title = f"{answer.tradeoff.record.title} ({project_id}.setups.{answer.tradeoff.name})"
    head = (title, _rests_on(book, project_id, answer), *_caveats(book, project_id, answer))
    yield from block(head, form, hyphens=True)
    for title, rows in _sections(book, answer):
        yield ""
        yield from block([title], form, hyphens=True)
        if rows:
            if form == "markdown":
                yield ""
            table = Table(_heads(answer), [cells for cells, _ in rows])
            said = [reasons for _, reasons in rows]
            yield from columns(table, form, said, "Why", LONGEST_ID)
        if len(rows) == MOST_ROWS:
            yield f"… `--format json` has all of them, here are the first {MOST_ROWS}."
    if notes := list(_notes(book, project_id, answer)):
        yield ""
        yield from block(notes, form, hyphens=True)


def _rests_on(book: Book, project_id: str, answer: Chosen) -> str:
    """What was asked, and the work, the lists and the efficiency that the answer rests on."""
    work, at = _work(book, project_id, answer)
    parts = [
        f"{word} {figure_text(figure)}"
        for key, word in (("tokens", "work"), ("efficiency", "efficiency"))
        if (figure := book.get(f"{at}.{key}")) and not figure.missing
    ]
    if work.runs:
        sources = speed_sources(speeds_of(book.figures, answer.tradeoff.choices.values()))
        speeds = [f"speeds {' and '.join(sources)}"] if sources else []
        parts = [format_sentence(told_runs(book.figures, book.ledger, at, work)), *speeds]
    for kind, names in _lists(book, answer).items():
        dated = [f"{name} ({day})" if day else name for name, day in names.items()]
        parts += [f"{kind} of {', '.join(dated)}"] if dated else []
    asked = _describe_request(answer.request, book.catalog)
    return f"Criteria: {asked}. Based on: {'; '.join(parts) or 'nothing yet'}."


def _work(book: Book, project_id: str, answer: Chosen) -> tuple[Workload, str]:
    """The work that the setups are for, and its address."""
    name = answer.tradeoff.record.workload
    return book.projects[project_id].workloads[name], f"{project_id}.workloads.{name}"


def _caveats(book: Book, project_id: str, answer: Chosen) -> list[str]:
    """Where more GPUs save no time, and why."""
    work, at = _work(book, project_id, answer)
    return [format_sentence(each) for each in caveats(book.figures, at, work, answer.tradeoff.choices.values())]


def _lists(book: Book, answer: Chosen) -> dict[str, DatedLists]:
    """The lists of the catalogue that the figures of the setups come from, with their dates."""
    found: dict[str, DatedLists] = {"prices": {}, "throughputs": {}}
    for choice in answer.tradeoff.choices.values():
        for key in ("usd_per_gpu_hour", "tokens_per_second_per_gpu"):
            figure = book.get(f"{choice.at}.{key}")
            for listed in operands(figure) if figure else ():
                _, kind, name, *_ = listed.address.split(".")
                day = getattr(book.catalog, kind)[name].as_of
                found[kind][name] = str(day) if day else None
    return found


def _sections(book: Book, answer: Chosen) -> Iterator[tuple[str, list[Row]]]:
    """Setups that qualify, those that do not, and those of which that cannot be said."""
    every = len(answer.tradeoff.choices)
    many = len(answer.ranked)
    if not every:
        yield "There are no setups: no card has a price or a throughput in the lists of the project.", []
        return
    count = {0: "None", every: "All"}.get(many, f"{many:,}")
    yield (
        f"{count} of {plural(every, 'setup')} qualif{'ies' if many < 2 else 'y'}.",
        [_setup_row(book, answer, ranked, str(number)) for number, ranked in enumerate(answer.ranked[:MOST_ROWS], 1)],
    )
    if answer.nearest:
        yield "Nearest: " + "; ".join(_nearest(answer, near) for near in answer.nearest) + ".", []
    for title, undecided in (("These do not:", False), ("Undecided:", True)):
        rest = [rejected for rejected in answer.rejected if _undecided(rejected) == undecided][:MOST_ROWS]
        if rest:
            yield title, [_setup_row(book, answer, rejected, None) for rejected in rest]


def _undecided(rejected: Considered) -> bool:
    """Whether nothing is known against a setup but that inputs are missing."""
    return all(reason.kind == "missing" for reason in rejected.reasons)


def _setup_row(book: Book, answer: Chosen, setup: Considered, rank: str | None) -> Row:
    choice = setup.choice
    point = answer.tradeoff.points.get(setup.choice.id)
    verdict = answer.tradeoff.verdicts.get(choice.id)
    total = number_text(answer.request.total(point), money=True) if point else ""
    points = (book[f"{choice.at}.{key}"] for key in FIGURES)
    cells: CellRow = [rank, Code(choice.id), *points, total, verdict.use if verdict else "not known"]
    return cells, "; ".join(_reason_text(answer, choice.id, reason) for reason in setup.reasons)


def _heads(answer: Chosen) -> Columns:
    total = words("With hours, $", shown=answer.request.hour_value is not None)
    points = (Column(title, "spread") for title in FIGURES.values())
    return [figures(escape.Markup("#"), nothing=""), "Setup", *points, total, "Memory"]


def _notes(book: Book, project_id: str, answer: Chosen) -> Lines:
    """What would come first at other prices, cards that have no setup, and further setups of the project."""
    for end, first in answer.turns:
        yield f"At the {end} end of all prices {f'{first} comes first' if first else 'none of them qualifies'}."
    for card in answer.absent:
        title = book.catalog.gpus[card].title
        known = "neither price nor speed" if _work(book, project_id, answer)[0].runs else "neither price nor throughput"
        yield f"There is no setup of {title} ({card}): the project's lists have {known} of it."
    others = [tradeoff.name for tradeoff in book.tradeoffs[project_id] if tradeoff.name != answer.tradeoff.name]
    if others:
        yield "Other setups of this project: " + ", ".join(f"--setups {name}" for name in others) + "."


def _answer_data(book: Book, project_id: str, answer: Chosen) -> JsonObject:
    """The answer for other programs: exact values, every reason with its words."""
    request = answer.request
    work, at = _work(book, project_id, answer)
    runs: JsonObject = {}
    if work.runs:
        runs["runs"] = format_sentence(told_runs(book.figures, book.ledger, at, work))
        runs["speeds"] = speeds_of(book.figures, answer.tradeoff.choices.values())
    limits = {name: exact(getattr(request, name)) for name in ("deadline", "budget", "hour_value")}
    return {
        "format": FORMAT_NUMBER,
        "project": project_id,
        "setups": answer.tradeoff.name,
        "workload": answer.tradeoff.record.workload,
        "request": {
            **limits,
            "of_the_ledger": list(request.stated),
            "gpus": list(request.cards),
            "max_gpus": request.most_gpus,
            "order": request.order,
        },
        "rests_on": {**_lists(book, answer), **runs},
        "caveats": _caveats(book, project_id, answer),
        "changes": changed(book.ledger),
        "ranked": [
            {"rank": rank, "on_frontier": ranked.front, **_setup(book, answer, ranked)}
            for rank, ranked in enumerate(answer.ranked, 1)
        ],
        "rejected": [
            {"undecided": _undecided(rejected), **_setup(book, answer, rejected)} for rejected in answer.rejected
        ],
        "nearest": [
            {"setup": near.choice.id, "deadline": exact(near.deadline), "budget": exact(near.budget)}
            for near in answer.nearest
        ],
        "first_at_other_prices": dict(answer.turns),
        "without_setup": list(answer.absent),
    }


def _setup(book: Book, answer: Chosen, setup: Considered) -> JsonObject:
    choice = setup.choice
    point = answer.tradeoff.points.get(setup.choice.id)
    verdict = answer.tradeoff.verdicts.get(choice.id)
    values = {key: exact_ends(book[f"{choice.at}.{key}"].value) for key in FIGURES}
    total = exact(answer.request.total(point)) if point and answer.request.hour_value is not None else None
    reasons = [
        {
            "kind": reason.kind,
            "text": _reason_text(answer, choice.id, reason),
            "amount": exact(reason.amount),
            "limit": exact(reason.limit),
            "other": reason.other,
            "unless": list(reason.unless),
        }
        for reason in setup.reasons
    ]
    return {
        "setup": choice.id,
        "title": answer.tradeoff.titles[choice.id],
        "gpu": choice.card,
        "gpus": choice.gpus,
        "address": choice.at,
        **values,
        "with_hours": total,
        "memory": verdict.words if verdict else None,
        "reasons": reasons,
    }


def _usd(number: Fraction) -> str:
    """Calculated dollars."""
    return f"${number_text(number, money=True)}"


def _hours(number: Fraction) -> str:
    """Calculated hours."""
    return f"{number_text(number)} h"


def _limit_text(kind: str, number: Fraction) -> str:
    """A limit as it was asked for, with all its digits."""
    text = number_text(number, exact=True, money=kind != "deadline")
    return f"{text} h" if kind == "deadline" else f"${text}"


def _reason_text(answer: Chosen, setup_id: str, reason: Reason) -> str:
    """One reason of a setup."""
    if words_of := REASONS.get(reason.kind):
        usd = _usd(reason.amount or ZERO)
        counts = {name: number_text(getattr(reason, name) or ZERO, exact=True) for name in ("amount", "limit")}
        return words_of.format(other=reason.other, usd=usd, **counts)
    if reason.kind == "at-value":
        return _at_value(reason)
    return _memory(answer, setup_id, reason) if reason.kind == "memory" else _over(reason)


def _at_value(reason: Reason) -> str:
    """Where a setup is the best."""
    low = reason.amount
    high = reason.limit
    if low is None:
        return "best at any value of an hour" if high is None else f"best where an hour is worth up to {_usd(high)}"
    span = f"{_usd(low)} or more" if high is None else f"{_usd(low)}–{_usd(high).removeprefix('$')}"
    return f"best where an hour is worth {span}"


def _memory(answer: Chosen, setup_id: str, reason: Reason) -> str:
    if reason.other:
        return f"its memory {'' if reason.other == NOT else 'is '}{reason.other} at the high end of the need"
    verdict, turned = answer.tradeoff.verdicts[setup_id], "; it fits at the low end" if reason.unless else ""
    return f"{NOT}: {figure_text(verdict.need)} needed, {figure_text(verdict.usable)} on each GPU{turned}"


def _over(reason: Reason) -> str:
    """How far a setup is above a deadline or a budget, and what would turn that."""
    late = reason.kind == "deadline"
    above = "past the deadline" if late else "over the budget"
    if reason.amount is None:
        return f"may be {above}: its {'time' if late else 'cost'} is open upwards"
    size = _hours(reason.amount) if late else _usd(reason.amount)
    if reason.unless == ("high",):
        return f"{size} {above} at the high end"
    turned = f" ({', '.join(UNLESS[end] for end in reason.unless)})" if reason.unless else ""
    return f"{size} {above}{turned}"


def _describe_request(request: Request, catalog: Catalog) -> str:
    """What was asked for, and what comes first: `within 8 h; at most $20; least cost first`."""
    parts = [
        form.format(_limit_text(kind, limit)) + (" (of the ledger)" if kind in request.stated else "")
        for kind, form in ASKED.items()
        if (limit := getattr(request, kind)) is not None
    ]
    if request.most_gpus is not None:
        parts.append(f"at most {request.most_gpus} GPU{'s'[: request.most_gpus != 1]}")
    if request.cards:
        parts.append("on " + " or ".join(catalog.gpus[card].title for card in request.cards))
    return "; ".join([*(parts or ["without limits"]), f"least {ORDERS[request.order]} first"])


def _nearest(answer: Chosen, near: Near) -> str:
    """What would let a setup in that does not qualify. Rounded up: what is printed is enough."""
    _, time, cost = answer.tradeoff.points[near.choice.id]
    needs = " and ".join(
        f"a {kind} of {_limit_text(kind, Fraction(-(-need * 100 // 1), 100))}"
        for kind, need in (("deadline", near.deadline), ("budget", near.budget))
        if need is not None
    )
    return f"{near.choice.id} ({_hours(time)}, {_usd(cost)}): {needs} would let it in"
