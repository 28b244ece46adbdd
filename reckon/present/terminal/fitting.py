"""`fit`: the parts of a configuration, how it stands on each card, and the levers under which it fits each, with what
they change, or what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from reckon.compute.fitting.effective_settings import Overrides, written
from reckon.compute.fitting.lever_sets import MOST_TRIED
from reckon.compute.fitting.memory_needs import untold
from reckon.compute.fitting.query import ASKED, FitQuery, not_counted
from reckon.compute.fitting.search import Suggestion, Tried
from reckon.compute.fitting.verdict import Fitted
from reckon.language.groups import group_by
from reckon.language.text import plural
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure

from ..export import JsonObject, exact, exact_ends, write_json
from ..render import escape
from ..render.formulas import formula_text
from ..render.numbers import figure_text, in_time, planned_text, value_text
from ..table import CellRow, CellRows, Column, Columns, Table
from .lines import Lines, block, changed, columns, missing_text

FORMAT_NUMBER = 1
FIGURES = ("need_gib", "headroom_gib", "expected_hours")
GREEDY = (
    f"There are more than {MOST_TRIED} levers: they were tried one after the other, what frees most first. "
    "A cheaper set may exist."
)
Names = Mapping[str, str]


def fitted(seen: FitQuery, form: str, asked: Names, flags: Names) -> Lines:
    """The lines of an answer as a table, as markdown or as JSON.

    `asked` are the fields that the command line gave, `flags` what it calls them; without them, a configuration of the
    ledger is meant.
    """
    if form == "json":
        yield write_json(_answer_data(seen, asked))
        return
    names = flags if asked else {}
    yield from block(_head(seen, asked, flags), form)
    yield ""
    heads: Columns = ["Part", Column("Memory, GiB", "spread"), "From"]
    yield from columns(Table(heads, [*_part_rows(seen, names)]), form)
    if seen.fitted:
        yield ""
        yield from columns(_cards(seen), form, ["; ".join(_reasons(seen, fits, names)) for fits in seen.fitted])
    if notes := list(_notes(seen, asked)):
        yield ""
        yield from block(notes, form)
    yield from _suggested(seen, form, names)


def _head(seen: FitQuery, asked: Names, flags: Names) -> Lines:
    if asked:
        yield "Asked: " + " ".join(f"{flags[field]} {text}" for field, text in asked.items())
    else:
        yield f"{seen.configured.title} ({seen.project.id}.configurations.{seen.name})"
    applied = seen.configured.levers
    hours = seen.figure(f"{seen.configured.at}.expected_hours")
    yield " ".join(
        [
            f"Reserve: {f'{figure_text(seen.reserve)} of each card' if seen.reserve else 'none'}.",
            *([f"Levers applied: {', '.join(applied)}."] if applied else []),
            *([f"Time: {figure_text(in_time(hours))}."] if hours else []),
        ]
    )


def _part_rows(seen: FitQuery, names: Names) -> Iterator[CellRow]:
    """Each part, what it takes, and where that comes from."""
    configured = seen.configured
    for part, (_, record) in configured.parts.items():
        title = record.title or part
        pool = record.pool
        if record.is_pool:
            share = seen.figure(configured.share_of(part))
            size = "unknown" if share is None else f"{value_text(replace(share, form='%'))} of the card"
            yield [title, size, f"a pool, as {pool} says" if pool else "a pool"]
        elif record.reckoned == "rest":
            yield [title, "the rest", f"what is left of {record.within}"]
        else:
            figure = seen.figure(f"{configured.at}.memory.{part}.need_gib")
            within = f"; within {record.within}" if record.within else ""
            yield [title, figure, _from(record, figure, names) + within]


def _from(record: r.MemoryPart, figure: Figure | None, names: Names) -> str:
    """Where the size of a part comes from: its formula with the numbers put in, or what that lacks."""
    if figure is None or figure.missing:
        return missing_text(figure.missing, names) if figure else ""
    if not isinstance(figure.origin, Calculated):
        return "stated"
    numbers = {name: figure_text(operand) for name, operand in figure.origin.operands.items()}
    return ("" if record.reckoned else "stated: ") + formula_text(figure.origin.formula.tree, numbers)


def _on_card(seen: FitQuery) -> dict[str, str]:
    """The parts whose size depends on the card."""
    return {
        part: record.title or part
        for part, (_, record) in seen.configured.parts.items()
        if record.is_pool or record.reckoned == "rest"
    }


def _cards(seen: FitQuery) -> Table:
    """What is needed of each card and what there is, with the verdict."""
    own = _on_card(seen)
    sizes = [Column(f"{title}, GiB", "spread") for title in (*own.values(), "Need")]
    left: Columns = [Column("Usable, GiB", "use"), Column("Headroom, GiB", "spread"), "Verdict"]
    rows: CellRows = []
    for fits in seen.fitted:
        keys = (*(f"{part}_gib" for part in own), "need_gib", "headroom_gib")
        *figures, headroom = (seen.figure(f"{fits.pair.at}.{key}") for key in keys)
        usable, verdict = (fits.verdict.usable, fits.verdict.words) if fits.verdict else (None, "not known")
        rows.append([fits.pair.card, *figures, usable, headroom, verdict])
    return Table(["Card", *sizes, *left], rows)


def _reasons(seen: FitQuery, fits: Fitted, names: Names) -> Iterator[str]:
    for pool in fits.short:
        inside = ", ".join(part for part in seen.configured.inside(pool) if part not in _on_card(seen))
        if size := seen.figure(f"{fits.pair.at}.{pool}_gib"):
            yield f"{pool} has {planned_text(size)}, too little for what is within it: {inside}"
    if fits.missing:
        yield missing_text(fits.missing, names)


def _notes(seen: FitQuery, asked: Names) -> Lines:
    if seen.unknown:
        titles = [f"{seen.ledger.catalog.gpus[card].title} ({card})" for card in seen.unknown]
        yield f"The catalogue does not state the memory of {', '.join(titles)}."
    for pool, parts in untold(seen.figures, seen.configured):
        inside = ", ".join(map(seen.called, parts))
        yield f"Whether {seen.called(pool)} holds what is within it is not known: no size of {inside} is."
    if asked and (part := not_counted(asked)):
        yield f"Not counted: {'the KV cache' if part == 'kv-cache' else part}: it needs --context and --batch."


def _suggested(seen: FitQuery, form: str, names: Names) -> Lines:
    """The lines on levers; none where they were not looked for."""
    for group in group_by(seen.suggestions, _fitting_levers).values():
        yield ""
        yield from _group(seen, group, form, names)
    if seen.smallest:
        yield ""
        yield from block([*_last(seen), _smallest(seen, *seen.smallest)], form)


def _fitting_levers(suggestion: Suggestion) -> tuple[str, ...]:
    """The levers under which a card is told together with others: of one that it does not fit it is the card itself."""
    return (*suggestion.found.levers, "fits") if suggestion.found else ("", suggestion.card)


def _group(seen: FitQuery, group: list[Suggestion], form: str, names: Names) -> Lines:
    """The cards on which the same levers are the cheapest."""
    first = group[0]
    cards = ", ".join(suggestion.card for suggestion in group)
    if first.found and not first.found.levers:
        yield from block([f"{cards}: fits as it is."], form)
    elif first.found:
        headroom = ", ".join(_on(group, "headroom_gib"))
        headroom = headroom if len(group) > 1 else headroom.removesuffix(f" on {first.card}")
        fits = f"{cards}: fits with {', '.join(first.found.levers)}. Headroom: {headroom}."
        yield from block([fits, *_time(first), *_unsure(seen, group)], form)
        yield from _yaml(seen, first.found.overrides, form)
    elif first.lacking_gib and first.nearest:
        levers = f" with {', '.join(first.nearest.levers)}" if first.nearest.levers else ""
        said = f"{figure_text(first.lacking_gib)} still missing{levers}: {_describe_need(seen, first.nearest)}."
        yield from block([f"{cards}: no levers make it fit. {said}"], form)
    else:
        said = missing_text(first.missing, names) if first.missing else "only bounds of its need are known"
        yield from block([f"{cards}: that cannot be said; {said}."], form)


def _on(group: list[Suggestion], key: str) -> list[str]:
    """A size with the levers, for each card on which it is known: `3 GiB on a100-80`."""
    return [
        f"{planned_text(size)} on {suggestion.card}"
        for suggestion in group
        if suggestion.found and (size := suggestion.found.figures.get(key))
    ]


def _unsure(seen: FitQuery, group: list[Suggestion]) -> Lines:
    """What is still missing to be sure that it fits: sizes of what a pool, made smaller, has to hold."""
    for pool, parts in untold(seen.figures, seen.configured):
        inside = " and ".join(map(seen.called, parts))
        sizes = ", ".join(_on(group, f"{pool}_gib"))
        yield f"Still missing to be sure: the size of {inside}, for which {seen.called(pool)} then has {sizes}."


def _describe_need(seen: FitQuery, tried: Tried) -> str:
    """What there is, and what it is needed for."""
    verdict = tried.fitted.verdict
    if tried.fitted.short:
        return f"{', '.join(tried.fitted.short)} is too small for what is within it"
    kept = f" and {figure_text(seen.reserve)} to stay free" if seen.reserve and seen.reserve.use else ""
    return f"{planned_text(verdict.need)} needed{kept}, of {planned_text(verdict.usable)}" if verdict else ""


def _time(suggestion: Suggestion) -> Lines:
    """How long it takes with the levers."""
    if suggestion.found and suggestion.found.hours:
        bound = ", judged by the upper bound: the share of the time in each part is unknown" * suggestion.bounded
        yield f"Time: {figure_text(in_time(suggestion.found.hours))}{bound}."
    if suggestion.unstated:
        yield f"By how much it is slower with {', '.join(suggestion.unstated)} is not stated, and not counted."


def _yaml(seen: FitQuery, overrides: Overrides, form: str) -> Lines:
    count = len(overrides.changes)
    head = f"{plural(count, 'setting')} to change in {seen.name}:" if count else "No setting changes."
    if form == "markdown":
        yield ""
    yield from block([head], form)
    if count:
        lines = [escape.terminal(line) for line in overrides.yaml.splitlines()]
        fence = "`" * 3
        yield from ["", f"{fence}yaml", *lines, fence] if form == "markdown" else [f"  {line}" for line in lines]


def _last(seen: FitQuery) -> Lines:
    """What was not tried, and how it was looked for."""
    for suggestion in seen.suggestions[:1]:
        if suggestion.greedy:
            yield GREEDY
        for name, why in suggestion.candidates.left_out.items():
            yield f"Not tried: {name}; {why}."
        if not suggestion.candidates.effects:
            none = ": levers.yaml has none for it that frees memory by a stated amount" * (seen.project.id != ASKED)
            yield f"There are no levers to try{none}."


def _smallest(seen: FitQuery, plain: str, levers: str) -> str:
    if plain and levers == plain:
        return f"The smallest card on which it fits is {plain}, as it is."
    if plain:
        return f"The smallest card on which it fits is {plain} as it is, and {levers} with levers."
    if not levers and any(fits.verdict is None for fits in seen.fitted):
        return "On which cards it fits cannot be said."
    return f"It fits on no card as it is; the smallest with levers is {levers}." if levers else "It fits on no card."


def _answer_data(seen: FitQuery, asked: Names) -> JsonObject:
    """The whole answer for other programs, with exact values."""
    return {
        "format": FORMAT_NUMBER,
        "project": None if asked else seen.project.id,
        "configuration": None if asked else seen.name,
        "asked": dict(asked),
        "changes": changed(seen.ledger),
        "reserve_gib": exact(seen.reserve.use) if seen.reserve else None,
        "levers": list(seen.configured.levers),
        "expected_hours": _ends(seen.figure(f"{seen.configured.at}.expected_hours")),
        "parts": [_whole_part(seen, part) for part in seen.configured.parts],
        "cards": [_card(seen, fits) for fits in seen.fitted],
        "unknown_memory": list(seen.unknown),
        "suggestions": [_suggestion(found) for found in seen.suggestions],
        "smallest": dict(zip(("as_it_is", "with_levers"), (card or None for card in seen.smallest), strict=True))
        if seen.smallest
        else None,
    }


def _ends(figure: Figure | None) -> dict[str, str | None] | None:
    return exact_ends(figure.value) if figure else None


def _whole_part(seen: FitQuery, part: str) -> JsonObject:
    _, record = seen.configured.parts[part]
    found: JsonObject = {
        "part": part,
        "title": record.title or part,
        "within": record.within,
    }
    if record.is_pool:
        share = seen.figure(seen.configured.share_of(part))
        return {**found, "pool": record.pool, "share": _ends(share)}
    figure = seen.figure(f"{seen.configured.at}.memory.{part}.need_gib")
    missing = list(figure.missing) if figure else []
    return {**found, "reckoned": record.reckoned, "need_gib": _ends(figure), "missing": missing}


def _card(seen: FitQuery, fits: Fitted) -> JsonObject:
    at = fits.pair.at
    verdict = fits.verdict
    return {
        "gpu": fits.pair.card,
        "title": seen.ledger.catalog.gpus[fits.pair.card].title,
        "verdict": verdict.use if verdict else None,
        "words": verdict.words if verdict else "not known",
        **{key: _ends(seen.figure(f"{at}.{key}")) for key in ("need_gib", "headroom_gib", "share")},
        "usable_gib": _ends(verdict.usable) if verdict else None,
        "parts": {part: _ends(seen.figure(f"{at}.{part}_gib")) for part in _on_card(seen)},
        "short": list(fits.short),
        "missing": list(fits.missing),
    }


def _suggestion(found: Suggestion) -> JsonObject:
    best = found.best
    verdict = best.fitted.verdict if best else None
    return {
        "gpu": found.card,
        "fits": found.found is not None,
        "levers": list(best.levers) if best else [],
        "verdict": verdict.use if verdict else None,
        **{key: _ends(best.figures.get(key)) if best else None for key in FIGURES},
        "overrides": {name: written(value) for name, value in best.overrides.changes.items()} if best else {},
        "yaml": best.overrides.yaml if best else "",
        "lacking_gib": exact(found.lacking_gib.use) if found.lacking_gib else None,
        "missing": list(found.missing),
        "all_sets_tried": not found.greedy,
        "time_judged_by_upper_bound": found.bounded,
        "slower_by_unknown": list(found.unstated),
        "not_tried": dict(found.candidates.left_out),
    }
