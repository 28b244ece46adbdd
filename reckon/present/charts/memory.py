"""What jobs need of memory, part by part, beside what there is.

A framed bar stands for the memory of a row, and over it lie the parts of the need. Rows are cards, or configurations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reckon.compute.choosing.memory import NOT, usable_at
from reckon.language.units import key_unit
from reckon.model.figure import Figure, planned
from reckon.model.pages import MEMORY, PICTURE, showable

from ..choosing import SetupComparison
from ..fitting import memory as fitting
from ..render.numbers import figure_text, number_text, planned_text, ranged_text
from ..table_rows import list_addresses, words
from ..view import View
from . import palette
from .axes import GAP, MANY, BarPart, bars_x, lanes, names_inside, stacked, total, zero_line
from .burn_up import DrawnLimit, bound, level_of
from .layout import LABEL_LENGTH, VALUE_LENGTH, Layers, Spec, framed, keyed, layer, room, tooltip_channel
from .time_plane import ruled
from .words import drawable, join_list, joined, tidy

GIB = key_unit("gib")
MOST_PARTS, MOST_ROOMS, MOST_PICTURES = 8, 200, 12
"""The most names of parts (each has a colour of its own) and rows of a picture, and the most pictures of a project."""

FRAMES = "Grey frames are the memory that can be used."

HAVE, NEED = 22, 15
"""The heights of the bars of what there is and of what is needed, in pixels."""


@dataclass(frozen=True)
class Room:
    """A row: a card, or a configuration of a job.

    `have` is the memory there is (None: not known, or not of one card), `value` is printed at the end of the row and
    the verdict after it. `parts` are what is needed here; None stands for the parts of the picture.
    """

    label: str
    group: str
    have: float | None
    value: str
    verdict: str
    parts: Sequence[BarPart] | None = None


@dataclass(frozen=True)
class Memory:
    """Rows from top to bottom: a framed bar for what there is, over it the parts of what is needed, end to end.

    There is at least one row. `parts` are needed in every row that has none of its own. `limits` are rules through all
    rows, one at most: it tells yes from no.
    """

    title: str
    unit: str
    rows: Sequence[Room]
    parts: Sequence[BarPart]
    alt: str
    limits: tuple[DrawnLimit, ...] = ()
    about: str = ""

    def needed(self, row: Room) -> Sequence[BarPart]:
        """Return the parts of what is needed in `row`."""
        return self.parts if row.parts is None else row.parts

    @property
    def most(self) -> float:
        """The end of the axis."""
        needs = [float(total(self.needed(row))) for row in self.rows]
        limits = [1.02 * limit.level for limit in self.limits]
        return max([*needs, *limits, *(row.have or 0.0 for row in self.rows)]) or 1.0

    def specification(self) -> Spec:
        """Return the Vega-Lite specification."""
        lines = lanes(self.rows)
        places = bars_x(0, self.most, self.unit, above=len(self.rows) > MANY and not self.limits)
        rules, above = ruled(bound(self.limits, "left"), places["x"])
        said = [joined(drawable(row.value, VALUE_LENGTH), row.verdict, by=" – ") for row in self.rows]
        ends = [{"key": key, "end": end} for (key, _), end in zip(lines.rows, said, strict=True)]
        layers = [
            _have(lines.rows, **places, y=lines.y),
            *rules,
            *_need(self, lines.rows, 10 + above, **places, y=lines.y),
            zero_line(),
            lines.headed(),
            lines.beside(ends, "end"),
        ]
        margins = room(lines.longest, max(map(len, said)))
        step = {"step": 28 if len(lines.lines) <= 80 else 22}
        framing = FRAMES if any(row.have is not None for row in self.rows) else ""
        return framed(self, layers, step, margins, unit=framing)


def of_cards(comparison: SetupComparison) -> Memory | None:
    """Each card's memory, the largest first, over what one model or run needs; None where little is known."""
    view, at = comparison.view, f"workloads.{comparison.record.workload}"
    needed = [(part, view.fig(f"{at}.memory_gb.{part}")) for part in comparison.workload.memory_gb]
    need = comparison.work("need_gb")
    if need is None or len(needed) > MOST_PARTS or any(figure.use is None for _, figure in needed):
        return None
    # Few rows have room for names, so that the key has the amounts.
    parts = [
        BarPart(f"{words(part)}: {_gib_text(_gib(figure))}", _gib(figure), figure_text(figure))
        for part, figure in needed
    ]
    rows = sorted(_cards(comparison), key=lambda row: -(row.have or 0))
    if not rows:
        return None
    said = join_list([f"{row.label} {row.value} ({row.verdict})" for row in rows])
    piece, size = comparison.workload.piece, _gib_text(_gib(need))
    alt = f"One {piece} needs {figure_text(need)} ({size}) on {'its GPU' if piece == 'model' else 'each GPU'}. "
    alt += f"Memory of each: {said}."
    small = [row.label for row in rows if row.verdict == NOT]
    holds = f"too much for {join_list(small)}" if small else "no GPU here is too small"
    title = f"One {piece} needs {size}: {holds}"
    about = f"{comparison.record.title}: memory of one {piece} and of each GPU"
    whole = DrawnLimit("needed", float(_gib(need)), size)
    return Memory(title, "GiB", rows, parts, alt, (whole,), about)


def _cards(comparison: SetupComparison) -> Iterator[Room]:
    """A row for each card whose memory is known."""
    for choice in {choice.card: choice for choice in comparison.shown}.values():
        if verdict := comparison.found.verdicts.get(choice.id):
            label, have = comparison.view.card(choice.card), float(_gib(verdict.usable))
            yield Room(label, "", have, figure_text(verdict.usable), verdict.use)


def configured(view: View) -> Mapping[str, Memory]:
    """A picture for each card on which a page of the project shows the memory of its configurations."""
    known = showable(view.book.ledger, view.ledger) if view.project.pages else {}
    asked = (block for address in list_addresses(view.ledger) for block in known.get(address, ()))
    shown = (block for block in asked if (block.kind == MEMORY and not block.id) or block.kind == PICTURE)
    cards = {block.card or view.project.gpu: None for block in shown if block.card or block.kind == MEMORY}
    found = ((fitting.picture_name(card), _of_configurations(view, card)) for card in list(cards)[:MOST_PICTURES])
    return {called: picture for called, picture in found if picture}


def _of_configurations(view: View, card: str) -> Memory | None:
    usable = view.book.get(usable_at(view.book.figures, card))
    every = [fitting.MemoryBlock(view, configuration, card) for configuration in fitting.filled(view)]
    known = [(own, own.need) for own in every if own.need and own.need.use is not None and not own.need.missing]
    rows = [_configuration(own, need, float(_gib(usable))) for own, need in known[:MOST_ROOMS]]
    if not usable or not rows or len({part.name for row, _ in rows for part in row.parts or ()}) > MOST_PARTS:
        return None
    name = view.card(card)
    said = join_list([words for _, words in rows])
    alt = f"Memory on {name}, of which {figure_text(usable)} can be used: {said}."
    free = _gib(view.maybe("reserve_gib"))
    limit = _gib(usable) - free
    drawn = DrawnLimit("limit" if free else "usable", float(limit), _gib_text(limit))
    title = _say_finding([own for own, _ in known[:MOST_ROOMS]], name, _gib(usable), limit)
    about = f"Memory of configurations on {name}"
    return Memory(title, "GiB", [row for row, _ in rows], (), alt, (drawn,), about)


def _say_finding(every: Sequence[fitting.MemoryBlock], card: str, usable: Fraction, limit: Fraction) -> str:
    """What the configurations that need most leave of a card, and whether they pass its limit; amounts in GiB."""
    most = max(_gib(own.need) for own in every)
    said, left = f"{_gib_text(most)} on {card}", f"{_gib_text(usable - most)} free"
    if most > usable:
        return f"{said} is {_gib_text(most - usable)} too large"
    if most > limit:
        return f"{said} is tight: {left} of the {_gib_text(usable - limit)} reserve"
    return f"{said} fits: {left}"


def _gib_text(size: Fraction) -> str:
    return f"{number_text(size)} GiB"


def _configuration(own: fitting.MemoryBlock, need: Figure, have: float) -> tuple[Room, str]:
    """A configuration as a row, and in words."""
    needs = ((part.title, part.need) for part in _stacked_parts(own) if part.need)
    parts = [BarPart(title, _gib(part), figure_text(part)) for title, part in needs]
    verdict = own.fitted.verdict.use if own.fitted and own.fitted.verdict else "not known"
    judged = {"tight": "is tight", "not known": "is not judged"}.get(verdict, verdict)
    listing = ", ".join(f"{part.name} {part.value}" for part in parts)
    said = f"{own.own.title} needs {ranged_text(need)} ({listing}) and {judged}"
    return Room(own.own.title, "", have, planned_text(need), verdict, parts), said


def _stacked_parts(own: fitting.MemoryBlock) -> Iterator[fitting.MemoryRow]:
    """The parts that come to the whole: a pool, or what stands within it where that fills it to the brim."""
    brimful = {part.within for part in own.parts if part.how == fitting.REST and _positive(part)}
    whole = brimful - {part.within for part in own.parts if not _positive(part)}
    for part in own.parts:
        if part.within in whole if part.within else part.title not in whole:
            yield part


def _positive(part: fitting.MemoryRow) -> bool:
    return part.planned and planned(part.need) >= 0


def _gib(figure: Figure | None) -> Fraction:
    """The value to plan with in GiB; zero where there is none."""
    return GIB.from_base(planned(figure))


def _have(rows: Iterable[tuple[str, Room]], **places: Spec) -> Spec:
    """Return the layer of what there is; a row whose memory is not known has no bar."""
    bars = []
    for key, row in rows:
        if row.have is not None:
            said = {"item": joined(row.group, row.label), "amount": tidy(row.value), "verdict": row.verdict}
            bars.append({"key": key, "low": 0, "high": row.have, **said})
    look = {"height": HAVE, "color": palette.LINE, "stroke": palette.THREAD, "strokeWidth": 1}
    return layer("bar", look, bars, **places, tooltip=tooltip_channel("item", "amount", "verdict"))


def _need(picture: Memory, rows: Iterable[tuple[str, Room]], above: int, **places: Spec) -> Layers:
    """Return the layers of the parts of each need, end to end, and of their names; what is nothing is left out."""
    bars = []
    called = {part.name: drawable(part.name, LABEL_LENGTH) for row in picture.rows for part in picture.needed(row)}
    names = list(dict.fromkeys(called.values()))
    looks = palette.looks_of_needs(names)
    line = level_of(picture.limits)
    for key, row in rows:
        for part, ends in stacked(picture.needed(row)):
            name = called[part.name]
            said = {"item": joined(row.group, row.label), "part": name, "amount": tidy(part.value)}
            on = "part" if looks[name].solid else "page"
            bars.append({"key": key, **ends, **said, "inside": name, "line": line, "on": on})
    fills, inks = [*map(palette.surface, looks.values())], [look.ink for look in looks.values()]
    channels = keyed("part", names, {"offset": above} if names else None, fill=fills, stroke=inks)
    hover = tooltip_channel("item", "part", "amount")
    return [
        layer("bar", {"height": NEED, **GAP}, bars, **places, tooltip=hover, **channels),
        names_inside(bars, {"part": palette.ON_PART}, y=places["y"], tooltip=hover),
    ]
