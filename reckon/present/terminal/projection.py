"""`projection`: what projections come to, as tables or as markdown; `projected` has it for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from reckon.compute.book import Book
from reckon.compute.measuring.projections import INSIDE, OUTSIDE, OVERLAPS
from reckon.model.figure import Figure

from ..render import escape
from ..render.numbers import figure_text, in_time, planned_text, value_text
from ..view import View
from .lines import ANSWER_WIDTH, block, wanting
from .projected import COLUMNS, FACTORS, KEYS, Column, Projected, whole

MOST_SHOWN = 200
NO_VALUE = "unknown"
STANDS = {INSIDE: "is inside", OVERLAPS: "overlaps", OUTSIDE: "is outside"}


def projected(book: Book, chosen: Sequence[tuple[str, str]], form: str = "table") -> Iterator[str]:
    """The lines of some projections, each by its project and id, as a `table`, `json` or `markdown`."""
    every = [_shown(book, *one) for one in chosen]
    if form == "json":
        yield json.dumps(whole(book, every), ensure_ascii=False, indent=1)
        return
    for number, one in enumerate(every[:MOST_SHOWN]):
        yield from [""] if number else []
        yield from _projection(one, form)
    if len(every) > MOST_SHOWN:
        yield ""
        yield f"… `--format json` has all of them, here are the first {MOST_SHOWN}."


def _shown(book: Book, project: str, name: str) -> Projected:
    return Projected(View(book, book.ledger.projects[project]), name)


def refused(book: Book, project: str, name: str) -> list[str]:
    """Why a projection has no time at all, a line each, with what would settle it; nothing where it has one."""
    one = _shown(book, project, name)
    if any(_known(column.figures["hours"]) for column in one.columns):
        return []
    if not one.columns:
        where = f"ledger/{project}/projections.yaml"
        right = f"write `measurements: […]` below `{name}` in {where}"
        return [f"`{one.address}` names no measurement to project from; {right}"]
    return [f"`{one.address}` cannot be reckoned without what is missing:", *(f"  {line}" for line in _open(one))]


def _known(figure: Figure | None) -> bool:
    return figure is not None and not figure.missing and not figure.value.unknown


def _projection(one: Projected, form: str) -> Iterator[str]:
    yield from block((f"{one.title} ({one.address})", *_steps(one)), form)
    columns = [key for key in KEYS if any(column.figures[key] for column in one.columns)]
    if one.columns:
        yield ""
        yield from (_markdown if form == "markdown" else _table)(one.columns, columns)
    if notes := list(_notes(one)):
        yield ""
        yield from block(notes, form)


def _steps(one: Projected) -> Iterator[str]:
    """The counts that the steps come from, whether environments take them together, and what scales a step."""
    steps, batched = one.steps, one.batched
    factors = [_count(one.counts[key]) for key in FACTORS[:4]]
    if steps is None or steps.missing:
        return
    came = f"{' × '.join(factors)} = " if all(factors) else ""
    serial = "" if batched else ", one after the other"
    yield f"{came}{_number(steps)} steps{serial}."
    calls = one.counts["batched_steps_per_epoch"]
    if batched and calls and not batched.missing:
        tasks, rollouts, per, _, together = (_number(one.counts[key]) for key in FACTORS)
        yield (
            f"{together} environments take a step together: ceil({tasks} × {rollouts} / {together}) × {per} = "
            f"{_number(calls)} calls an epoch, {_number(batched)} in all."
        )
    if one.scaling and (one.scaled or not one.known):
        yield f"Projected from the measured step: {', '.join(_scales(one.scaling))}."


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


def _table(rows: Sequence[Column], keys: Sequence[str]) -> Iterator[str]:
    """Two lines below the name of each measurement: the values to plan with, and the ranges that they lie in."""
    lines = [(_planned(row, keys), _ranges(row, keys)) for row in rows]
    heads = [COLUMNS[key] for key in keys]
    every = [heads, *(cells for pair in lines for cells in pair)]
    wide = [max(len(cells[at]) for cells in every) for at in range(len(keys))]
    yield escape.terminal(_line(heads, wide))
    for row, (planned, ranges) in zip(rows, lines, strict=True):
        yield from wrap(escape.terminal(row.title), ANSWER_WIDTH)
        yield escape.terminal(_line(planned, wide))
        if any(ranges):
            yield escape.terminal(_line(ranges, wide))


def _line(cells: Sequence[str], wide: Sequence[int]) -> str:
    return ("  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, wide, strict=True))).rstrip()


def _planned(row: Column, keys: Sequence[str]) -> list[str]:
    return [planned_text(in_time(figure)) if (figure := row.figures[key]) else "" for key in keys]


def _ranges(row: Column, keys: Sequence[str]) -> list[str]:
    """The range of each figure that has one, in the unit of the value above it."""
    figures = [row.figures[key] for key in keys]
    return ["" if one is None or one.value.exact or not _known(one) else value_text(in_time(one)) for one in figures]


def _markdown(rows: Sequence[Column], keys: Sequence[str]) -> Iterator[str]:
    yield "| Measurement | " + " | ".join(COLUMNS[key] for key in keys) + " |"
    yield "|---|" + "---|" * len(keys)
    for row in rows:
        pairs = zip(_planned(row, keys), _ranges(row, keys), strict=True)
        cells = [f"{planned} ({spread})" if spread else planned for planned, spread in pairs]
        yield "| " + " | ".join(escape.cell(cell) for cell in (row.title, *cells)) + " |"


def _notes(one: Projected) -> Iterator[str]:
    """Where it is cheapest, what it leaves out, how it stands to what was reported, and what is missing."""
    for column in one.columns:
        if said := _costs(column):
            yield f"{column.measurement}: {said}."
    if one.leaves_out:
        yield f"Left out: {'; '.join(text.rstrip('.') for text in one.leaves_out)}."
    if one.reported:
        source = f" ({one.reported_by})" if one.reported_by else ""
        stands = [f"{column.measurement} {STANDS[column.reported.id]}" for column in one.columns if column.reported]
        yield f"Reported: {figure_text(in_time(one.reported))}{source}. Against it: {', '.join(stands) or NO_VALUE}."
    yield from _open(one)


def _costs(column: Column) -> str:
    found = {cost.offer.id: cost for cost in column.costs}
    parts = []
    if column.cheapest and column.cheapest.id in found and (usd := found[column.cheapest.id].usd):
        parts.append(f"cheapest at {column.cheapest.title} ({column.cheapest.id}), {figure_text(usd)}")
    parts += [f"{cost.offer.title} {figure_text(cost.monthly)}" for cost in column.costs if cost.monthly]
    if without := [cost.offer.title for cost in column.costs if not cost.monthly and not cost.usd]:
        parts.append(f"no price at {', '.join(without)}")
    return "; ".join(parts)


def _open(one: Projected) -> Iterator[str]:
    """A line for each input that is missing: which, and where it is to be written."""
    for address in one.missing:
        yield wanting(one.book, address)
