"""`fit --suggest`: the levers under which a configuration fits each card, with what they change, or what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from reckon.compute.fitting.configured import Overrides
from reckon.compute.fitting.needs import untold
from reckon.compute.fitting.search import Suggestion, Tried
from reckon.compute.fitting.seen import ASKED, Seen
from reckon.compute.fitting.weighing import MOST_TRIED

from ..render import escape
from ..render.numbers import figure_text, in_time, planned_text
from .lines import block, missing_text

GREEDY = (
    f"There are more than {MOST_TRIED} levers: they were tried one after the other, what frees most first. "
    "A cheaper set may exist."
)


def suggested(seen: Seen, form: str, names: Mapping[str, str]) -> Iterator[str]:
    """The lines on levers; none where they were not looked for. `names` are those of the options that say fields."""
    groups: dict[tuple[str, ...], list[Suggestion]] = {}
    for one in seen.suggestions:
        key = (*one.found.levers, "fits") if one.found else ("", one.card)
        groups.setdefault(key, []).append(one)
    for group in groups.values():
        yield ""
        yield from _group(seen, group, form, names)
    if seen.smallest:
        yield ""
        yield from block([*_last(seen), _smallest(seen, *seen.smallest)], form)


def _group(seen: Seen, group: list[Suggestion], form: str, names: Mapping[str, str]) -> Iterator[str]:
    """The cards on which the same levers are the cheapest."""
    first = group[0]
    cards = ", ".join(one.card for one in group)
    if first.found and not first.found.levers:
        yield from block([f"{cards}: fits as it is."], form)
    elif first.found:
        lines = [f"{cards}: fits with {_levers(first.found)}. {_headroom(group)}", *_time(first)]
        yield from block([*lines, *_unsure(seen, group)], form)
        yield from _yaml(seen, first.found.overrides, form)
    elif first.lacking_gib and first.nearest:
        levers = f" with {_levers(first.nearest)}" if first.nearest.levers else ""
        lacking = figure_text(first.lacking_gib)
        said = f"{cards}: no levers make it fit. {lacking} still missing{levers}: {_why(seen, first.nearest)}."
        yield from block([said], form)
    else:
        said = missing_text(first.missing, names) if first.missing else "only bounds of its need are known"
        yield from block([f"{cards}: that cannot be said; {said}."], form)


def _unsure(seen: Seen, group: list[Suggestion]) -> Iterator[str]:
    """What is still missing to be sure that it fits: sizes of what a pool, made smaller, has to hold."""
    for pool, parts in untold(seen.figures, seen.configured):
        name, inside = seen.called(pool), " and ".join(seen.called(part) for part in parts)
        sizes = [f"{planned_text(size)} on {one.card}" for one in group
                 if one.found and (size := one.found.figures.get(f"{pool}_gib"))]  # fmt: skip
        yield f"Still missing to be sure: the size of {inside}, for which {name} then has {', '.join(sizes)}."


def _why(seen: Seen, tried: Tried) -> str:
    """What there is, and what it is needed for."""
    verdict = tried.fitted.verdict
    if tried.fitted.short:
        return f"{', '.join(tried.fitted.short)} is too small for what is within it"
    kept = f" and {figure_text(seen.reserve)} to stay free" if seen.reserve and seen.reserve.use else ""
    return f"{planned_text(verdict.need)} needed{kept}, of {planned_text(verdict.usable)}" if verdict else ""


def _levers(tried: Tried) -> str:
    return ", ".join(tried.levers)


def _headroom(group: list[Suggestion]) -> str:
    left = [f"{planned_text(figure)} on {one.card}" if len(group) > 1 else planned_text(figure)
            for one in group if one.found and (figure := one.found.figures.get("headroom_gib"))]  # fmt: skip
    return f"Headroom: {', '.join(left)}."


def _time(suggestion: Suggestion) -> Iterator[str]:
    """How long it takes with the levers."""
    if suggestion.found and suggestion.found.hours:
        bound = ", judged by the upper bound: the share of the time in each part is not known"
        judged = bound if suggestion.bounded else ""
        yield f"Time: {figure_text(in_time(suggestion.found.hours))}{judged}."
    if suggestion.unstated:
        yield f"By how much it is slower with {', '.join(suggestion.unstated)} is not stated, and not counted."


def _yaml(seen: Seen, overrides: Overrides, form: str) -> Iterator[str]:
    count = len(overrides.changes)
    head = f"{count} setting{'s'[: count != 1]} to change in {seen.name}:" if count else "No setting changes."
    yield from ([""] if form == "markdown" else [])
    yield from block([head], form)
    if count:
        lines = [escape.terminal(line) for line in overrides.yaml.splitlines()]
        fence = "`" * 3
        yield from ["", f"{fence}yaml", *lines, fence] if form == "markdown" else [f"  {line}" for line in lines]


def _last(seen: Seen) -> Iterator[str]:
    """What was not tried, and how it was looked for."""
    for one in seen.suggestions[:1]:
        if one.greedy:
            yield GREEDY
        for name, why in one.candidates.left_out.items():
            yield f"Not tried: {name}; {why}."
        if not one.candidates.effects:
            none = ": levers.yaml has none for it that frees memory by a stated amount" * (seen.project.id != ASKED)
            yield f"There are no levers to try{none}."


def _smallest(seen: Seen, plain: str, levers: str) -> str:
    if plain and levers == plain:
        return f"The smallest card on which it fits is {plain}, as it is."
    if plain:
        return f"The smallest card on which it fits is {plain} as it is, and {levers} with levers."
    if not levers and any(one.verdict is None for one in seen.fitted):
        return "On which cards it fits cannot be said."
    return f"It fits on no card as it is; the smallest with levers is {levers}." if levers else "It fits on no card."
