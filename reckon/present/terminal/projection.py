"""`projection`: what projections come to from each measurement, as tables, as markdown, or for other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from textwrap import wrap
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.compute.measuring.projections import INSIDE, OUTSIDE, OVERLAPS
from reckon.compute.statements.words import NONE, Word
from reckon.model.figure import Figure, is_known, missing_of

from ..export import JsonObject, exact_ends, write_json
from ..measuring.projection import COUNTS, SCALES, Bill, Cost, Projected
from ..render import escape
from ..render.numbers import figure_text, in_time, planned_text, value_text
from ..table import CellRows, Table, words
from ..view import View
from .lines import Lines, aligned, answer_width, block, changed, columns, wanting

FORMAT_NUMBER = 1
MOST_SHOWN = 200
NO_VALUE = "unknown"
STANDS = {INSIDE: "is inside", OVERLAPS: "overlaps", OUTSIDE: "is outside"}
FACTORS = (*COUNTS, "parallel_environments")
STEPS = ("steps_per_task", "steps_per_epoch", "steps", "batched_steps_per_epoch", "batched_steps")


class Outcome(NamedTuple):
    """What a projection comes to from one measurement: the figures of `Projected.amounts` by key, costs, standing.

    `label` is the title of the measurement with its kind, date and device, `costs` has a price list each, and
    `cheapest` is the one that costs least.
    """

    id: str
    title: str
    label: str
    figures: Mapping[str, Figure | None]
    costs: tuple[Cost, ...]
    cheapest: Word | None
    reported: Word | None


class Answer(Projected):
    """A projection of a project, as its block on a page has it, and measurement by measurement."""

    @property
    def address(self) -> str:
        """Its address, with the project."""
        return f"{self.view.id}.{self.at}"

    @cached_property
    def counts(self) -> dict[str, Figure | None]:
        """The counts that its steps come from, and the steps."""
        known = {key: self.of(key) for key in FACTORS if not self.fields.in_all}
        return {**dict.fromkeys(FACTORS), **known, **{key: self.maybe(f"{self.at}.{key}") for key in STEPS}}

    @cached_property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What it comes to, a measurement each."""
        bills = {bill.measurement: bill for bill in self.bills}
        return tuple(self._outcome(at, name, bills.get(name)) for at, name in enumerate(self.fields.measurements))

    def _outcome(self, at: int, name: str, bill: Bill | None) -> Outcome:
        record = self.measured[at]
        word = self.view.word(f"{self.at}.{name}.reported")
        kind = None if record.kind in record.title.lower() else record.kind
        told = ", ".join(str(said) for said in (kind, record.date, record.device) if said is not None)
        label = f"{record.title} ({told})" if told else record.title
        figures = {row.key: row.figures[at] for row in self.amounts}
        costs, cheapest = (bill.rows, bill.cheapest) if bill else ((), None)
        reported = word if word and word.id != NONE else None
        return Outcome(name, record.title, label, figures, costs, cheapest, reported)

    @cached_property
    def scaling(self) -> dict[str, str]:
        """What makes a step another than the measured one, each as it is printed."""
        figures = {key: self.of(key) for key in SCALES if self.fields.holder(key)}
        found = {key: figure_text(figure) for key, figure in figures.items() if figure}
        if (model := self.field("model")) is not None:
            found["model"] = self.view.model(model)
        return found

    @property
    def leaves_out(self) -> tuple[str, ...]:
        """What it does not count."""
        return tuple(map(str, self.field("leaves_out") or ()))

    @property
    def missing(self) -> tuple[str, ...]:
        """The inputs whose lack leaves a figure without a value, each once."""
        figures = [self.steps, self.batched, self.reported]
        for outcome in self.outcomes:
            figures += [*outcome.figures.values(), *(cost.usd for cost in outcome.costs)]
        return missing_of(figures)

    @property
    def open_lines(self) -> list[str]:
        """A line for each of them: which, and where it is to be written."""
        return [wanting(self.book, address) for address in self.missing]


def projected(book: Book, chosen: Sequence[tuple[str, str]], form: str = "table") -> Lines:
    """The lines of some projections, each by its project and id, as a `table`, `json` or `markdown`."""
    every = [_answer(book, *named) for named in chosen]
    if form == "json":
        found = list(map(_json, every))
        yield write_json({"format": FORMAT_NUMBER, "changes": changed(book.ledger), "projections": found})
        return
    for number, answer in enumerate(every[:MOST_SHOWN]):
        if number:
            yield ""
        yield from _projection(answer, form)
    if len(every) > MOST_SHOWN:
        yield ""
        yield f"… `--format json` has all of them, here are the first {MOST_SHOWN}."


def _answer(book: Book, project: str, name: str) -> Answer:
    return Answer(View(book, book.projects[project]), name)


def list_missing(book: Book, project: str, name: str) -> list[str]:
    """Why a projection has no time at all, a line each, with what would settle it; nothing where it has one."""
    answer = _answer(book, project, name)
    if any(_is_known(outcome.figures.get("hours")) for outcome in answer.outcomes):
        return []
    if not answer.outcomes:
        return [
            f"`{answer.address}` names no measurement to project from; "
            f"write `measurements: […]` below `{name}` in ledger/{project}/projections.yaml"
        ]
    return [
        f"`{answer.address}` cannot be calculated without what is missing:",
        *(f"  {line}" for line in answer.open_lines),
    ]


def _is_known(figure: Figure | None) -> bool:
    return is_known(figure) and not figure.value.unknown


def _projection(answer: Answer, form: str) -> Lines:
    yield from block((f"{answer.title} ({answer.address})", *_steps(answer)), form)
    if answer.outcomes:
        yield ""
        yield from (_markdown if form == "markdown" else _table)(answer)
    if notes := list(_notes(answer)):
        yield ""
        yield from block(notes, form)


def _steps(answer: Answer) -> Lines:
    """The counts that the steps come from, whether environments take them together, and what scales a step."""
    steps = answer.steps
    batched = answer.batched
    factors = [_count(answer.counts[key]) for key in FACTORS[:4]]
    if not is_known(steps):
        return
    came = f"{' × '.join(factors)} = " if all(factors) else ""
    serial = "" if batched else ", one after the other"
    yield f"{came}{_number(steps)} steps{serial}."
    calls = answer.counts["batched_steps_per_epoch"]
    if batched and calls and not batched.missing:
        tasks, rollouts, per, _, together = (_number(answer.counts[key]) for key in FACTORS)
        yield (
            f"{together} environments take a step together: ceil({tasks} × {rollouts} / {together}) × {per} = "
            f"{_number(calls)} calls an epoch, {_number(batched)} in total."
        )
    if answer.scaling and (answer.scaled or not answer.known):
        yield f"Projected from the measured step: {', '.join(_scales(answer.scaling))}."


def _number(figure: Figure | None) -> str:
    return value_text(figure) if figure else NO_VALUE


def _count(figure: Figure | None) -> str:
    """`8 tasks`, `1 rollout/task`; nothing where there is no such count."""
    return figure_text(figure).partition("/")[0] if figure else ""


def _scales(scales: Mapping[str, str]) -> Iterator[str]:
    """What makes a step another than the measured one, in words."""
    if "multiplier" in scales:
        yield f"times {scales['multiplier'].removesuffix('×')}"
    for key, by, how in (("model", "exponent", "to {}"), ("gpus", "efficiency", "on {}")):
        if key in scales:
            yield how.format(scales[key]) + (f" ({by} {scales[by]})" if by in scales else "")


def _table(answer: Answer) -> Lines:
    """Two lines below the name of each measurement: the values to plan with, and the ranges that they lie in."""
    both = []
    for outcome in answer.outcomes:
        cells = list(_cells(outcome))
        both += [[planned for planned, _ in cells], [spread for _, spread in cells]]
    titles = [row.title for row in answer.amounts]
    head, *lines = (f"  {line}".rstrip() for line in aligned([titles, *both]))
    yield escape.terminal(head)
    for outcome, planned, ranges in zip(answer.outcomes, lines[::2], lines[1::2], strict=True):
        yield from wrap(escape.terminal(outcome.label), answer_width())
        yield escape.terminal(planned)
        if ranges:
            yield escape.terminal(ranges)


def _cells(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The value to plan with of each figure, and the range of one that has one, in the same unit."""
    for figure in outcome.figures.values():
        spread = value_text(in_time(figure)) if figure and not figure.value.exact and _is_known(figure) else ""
        yield planned_text(in_time(figure)) if figure else "", spread


def _markdown(answer: Answer) -> Lines:
    rows: CellRows = []
    for outcome in answer.outcomes:
        cells = [f"{planned} ({spread})" if spread else planned for planned, spread in _cells(outcome)]
        rows.append([outcome.label, *cells])
    return columns(Table(["Measurement", *(words(row.title) for row in answer.amounts)], rows), "markdown")


def _notes(answer: Answer) -> Lines:
    """Where it is cheapest, what it leaves out, how it stands to what was reported, and what is missing."""
    for outcome in answer.outcomes:
        if said := _costs(outcome):
            yield f"{outcome.title}: {said}."
    if answer.leaves_out:
        yield f"Not included: {'; '.join(text.rstrip('.') for text in answer.leaves_out)}."
    if answer.reported:
        source = f" ({answer.reported_by})" if answer.reported_by else ""
        stands = [f"{outcome.title} {STANDS[outcome.reported.id]}" for outcome in answer.outcomes if outcome.reported]
        yield f"Reported: {figure_text(in_time(answer.reported))}{source}. Against it: {', '.join(stands) or NO_VALUE}."
    yield from answer.open_lines


def _costs(outcome: Outcome) -> str:
    found = {cost.offer.id: cost for cost in outcome.costs}
    parts = []
    if outcome.cheapest and outcome.cheapest.id in found and (usd := found[outcome.cheapest.id].usd):
        parts.append(f"cheapest at {outcome.cheapest.title} ({outcome.cheapest.id}), {figure_text(usd)}")
    parts += [f"{cost.offer.title} {figure_text(cost.monthly)}" for cost in outcome.costs if cost.monthly]
    if without := [cost.offer.title for cost in outcome.costs if not cost.monthly and not cost.usd]:
        parts.append(f"no price at {', '.join(without)}")
    return "; ".join(parts)


def _json(answer: Answer) -> JsonObject:
    return {
        "project": answer.view.id,
        "projection": answer.id,
        "address": answer.address,
        "title": answer.title,
        "counts": {key: _figure(figure) for key, figure in answer.counts.items() if figure},
        "batched": answer.batched is not None,
        "scales": answer.scaling,
        "measurements": [_outcome(outcome) for outcome in answer.outcomes],
        "leaves_out": list(answer.leaves_out),
        "reported": _figure(answer.reported),
        "reported_by": answer.reported_by,
        "missing": list(answer.missing),
    }


def _outcome(outcome: Outcome) -> JsonObject:
    costs = [
        {
            "prices": cost.offer.id,
            "title": cost.offer.title,
            "usd": _figure(cost.usd),
            "billed_hours": _figure(cost.billed),
            "usd_per_month": _figure(cost.monthly),
        }
        for cost in outcome.costs
    ]
    return {
        "measurement": outcome.id,
        "title": outcome.title,
        "figures": {key: _figure(figure) for key, figure in outcome.figures.items() if figure},
        "costs": costs,
        "cheapest": outcome.cheapest.id if outcome.cheapest else None,
        "reported": outcome.reported.id if outcome.reported else None,
    }


def _figure(figure: Figure | None) -> JsonObject | None:
    if figure is None:
        return None
    text = figure_text(in_time(figure))
    missing = list(figure.missing)
    return {**exact_ends(figure.value), "unit": figure.unit.symbol, "text": text, "missing": missing}
