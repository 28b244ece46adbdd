"""The memory of configurations on a card, part by part, beside the memory of other cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import groupby

from reckon.compute.choosing.memory import usable_at
from reckon.language.units import key_unit
from reckon.model.figure import Figure
from reckon.model.pages import MEMORY, showable

from ..charts import Limit, Memory, Part, Room
from ..charts.kinds.amounts import total
from ..charts.kinds.burn_up import MOST_LIMITS
from ..charts.kinds.memory import MOST_PARTS, MOST_ROOMS
from ..fitting import memory as shown
from ..numbers import figure_text, planned_text, ranged_text, use_text
from ..view import View
from .said import listed

GIB = key_unit("gib")
MOST_PICTURES = 12
BEYOND = 2
"""How many times the largest need a card may have for its memory to stand in the picture."""


def configured(view: View) -> Mapping[str, Memory]:
    """A picture for each card on which a page of the project shows the memory of its configurations."""
    known = showable(view.book.ledger, view.one) if view.project.pages else {}
    asked = (one for page in view.project.pages.values() for some in page.sections.values()
             for address in some for one in known.get(address, ()))  # fmt: skip
    cards = dict.fromkeys(one.card or str(view.project.gpu) for one in asked if one.kind == MEMORY and not one.id)
    found = ((shown.picture_name(card), _memory(view, card)) for card in list(cards)[:MOST_PICTURES])
    return {name: picture for name, picture in found if picture}


def _memory(view: View, card: str) -> Memory | None:
    every = [shown.Memory(view, name, card) for name in shown.filled(view)]
    known = [one for one in every if one.usable and one.need and one.need.use is not None and not one.need.missing]
    rows = [(one, _room(one)) for one in known[:MOST_ROOMS]]
    if not rows or len({part.name for _, room in rows for part in room.parts or ()}) > MOST_PARTS:
        return None
    title = view.card(card)
    rules = list(_limits(view, card, max(_needed(room) for _, room in rows)))
    usable = known[0].usable
    said = listed([_told(one, room) for one, room in rows])
    alt = f"Memory on {title}{f', of which {figure_text(usable)} can be used' if usable else ''}: {said}."
    if rules:
        others = listed([f"{one.label} {one.value} GiB" for one in rules])
        alt += f" Dashed rules stand for the memory of other cards: {others}."
    return Memory(f"Memory of configurations on {title}", "GiB", tuple(room for _, room in rows), (), alt, tuple(rules))


def _room(one: shown.Memory) -> Room:
    parts = tuple(Part(part.title, _gib(part.need), figure_text(part.need)) for part in _stacked(one) if part.need)
    have = float(_gib(one.usable)) if one.usable else None
    verdict = one.fitted.verdict.use if one.fitted and one.fitted.verdict else "not known"
    return Room(one.own.title, "", have, planned_text(one.need), verdict, parts)  # type: ignore[arg-type]


def _stacked(one: shown.Memory) -> Iterator[shown.Part]:
    """The parts that come to the whole: a pool, or what stands within it where that fills it to the brim."""
    brimful = {part.within for part in one.parts if part.how == shown.REST and _positive(part)}
    whole = {name for name in brimful if all(_positive(part) for part in one.parts if part.within == name)}
    for part in one.parts:
        if part.within in whole if part.within else part.title not in whole:
            yield part


def _positive(part: shown.Part) -> bool:
    return part.planned and part.need is not None and (part.need.use or 0) >= 0


def _told(one: shown.Memory, room: Room) -> str:
    parts = ", ".join(f"{part.name} {part.value}" for part in room.parts or ())
    return f"{room.label} needs {ranged_text(one.need)} ({parts}) and {_says(room.verdict)}" if one.need else room.label


def _says(verdict: str) -> str:
    return {"tight": "is tight", "not known": "is not judged"}.get(verdict, verdict)


def _limits(view: View, card: str, most: Fraction) -> Iterator[Limit]:
    """The memory of other cards, one for each size that vendors print, up to twice the largest need."""
    found = []
    figures = view.book.figures
    for name, record in view.book.ledger.catalog.gpus.items():
        usable, printed = figures.get(usable_at(figures, str(name))), figures.get(f"catalog.gpus.{name}.vram_gib")
        if usable and usable.use is not None and _gib(usable) <= BEYOND * most:
            found.append((_gib(printed or usable), str(name), _gib(usable), str(record.title), usable))
    maker = _maker([str(record.title) for record in view.book.ledger.catalog.gpus.values()])
    own = next((size for size, name, *_ in found if name == card), None)
    sizes = [list(some) for size, some in groupby(sorted(found), key=lambda one: one[0]) if size != own]
    for some in sizes[-MOST_LIMITS:]:
        _, _, level, title, usable = min(some, key=lambda one: one[2])
        yield Limit(title.removeprefix(maker), float(level), use_text(usable))


def _maker(titles: list[str]) -> str:
    """The first word of the titles of all cards, which need not stand beside every rule."""
    firsts = {title.partition(" ")[0] for title in titles}
    return f"{firsts.pop()} " if len(firsts) == 1 and len(titles) > 1 else ""


def _needed(room: Room) -> Fraction:
    return total(part.amount for part in room.parts or ())


def _gib(figure: Figure | None) -> Fraction:
    """The value to plan with in GiB."""
    return GIB.from_base(figure.unit.to_base(figure.use)) if figure and figure.use is not None else Fraction(0)
