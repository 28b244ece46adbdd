"""`fit`: the parts of a configuration, how it stands on each card, and the levers under which it fits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from reckon.compute.fitting.configured import written
from reckon.compute.fitting.fits import Fitted
from reckon.compute.fitting.needs import untold
from reckon.compute.fitting.search import Suggestion
from reckon.compute.fitting.seen import Seen, not_counted
from reckon.model import records as r
from reckon.model.figure import Calculated, Figure

from ..export import exact, exact_ends
from ..render.numbers import figure_text, in_time, planned_text, value_text
from ..render.workings import formula_text
from ..table import Cell, Column, Table, words
from .lines import block, columns, missing_text
from .suggesting import suggested

FORMAT_NUMBER = 1
FIGURES = ("need_gib", "headroom_gib", "expected_hours")
Names = Mapping[str, str]


def fitted(seen: Seen, form: str, asked: Names, flags: Names) -> Iterator[str]:
    """The lines of an answer as a table, as markdown or as JSON.

    `asked` are the fields that the command line gave, `flags` what it calls them; without them, a configuration of the
    ledger is meant.
    """
    if form == "json":
        yield json.dumps(_whole(seen, asked), ensure_ascii=False, indent=1)
        return
    names = flags if asked else {}
    yield from block(_head(seen, asked, flags), form)
    yield ""
    heads = [words("Part"), Column("Memory, GiB", "spread"), words("From")]
    yield from columns(Table(heads, [*_parts(seen, names)]), form)
    if seen.fitted:
        yield ""
        yield from columns(_cards(seen), form, ["; ".join(_reasons(seen, fits, names)) for fits in seen.fitted])
    if notes := list(_notes(seen, asked)):
        yield ""
        yield from block(notes, form)
    yield from suggested(seen, form, names)


def _head(seen: Seen, asked: Names, flags: Names) -> Iterator[str]:
    if asked:
        yield "Asked: " + " ".join(f"{flags[field]} {text}" for field, text in asked.items())
    else:
        yield f"{seen.configured.title} ({seen.project.id}.configurations.{seen.name})"
    reserve = f"{figure_text(seen.reserve)} of each card" if seen.reserve else "none"
    lines = [f"Reserve: {reserve}."]
    if applied := seen.configured.levers:
        lines.append(f"Levers applied: {', '.join(applied)}.")
    if hours := seen.figure(f"{seen.configured.at}.expected_hours"):
        lines.append(f"Time: {figure_text(in_time(hours))}.")
    yield " ".join(lines)


def _parts(seen: Seen, names: Names) -> Iterator[list[Cell]]:
    """Each part, what it takes, and where that comes from."""
    configured = seen.configured
    for part, (holder, record) in configured.parts.items():
        title = str(record.title or part)
        within = [f"within {record.within}"] if record.within is not None else []
        if record.is_pool:
            setting = configured.settings.get(str(record.pool)) if record.pool is not None else None
            share = seen.figure(setting.address if setting else f"configurations.{holder}.memory.{part}.share")
            size = "unknown" if share is None else f"{_percent(share)} of the card"
            yield [title, size, f"a pool, as {record.pool} says" if record.pool is not None else "a pool"]
        elif record.reckoned == "rest":
            yield [title, "the rest", f"what is left of {record.within}"]
        else:
            figure = seen.figure(f"{configured.at}.memory.{part}.need_gib")
            yield [title, figure, "; ".join([_from(record, figure, names), *within])]


def _percent(share: Figure) -> str:
    """A share as a percentage, whichever way the ledger writes it."""
    return value_text(replace(share, form="%"))


def _from(record: r.MemoryPart, figure: Figure | None, names: Names) -> str:
    """Where the size of a part comes from: its formula with the numbers put in, or what that lacks."""
    if figure is None:
        return ""
    if figure.missing:
        return missing_text(figure.missing, names)
    if isinstance(figure.origin, Calculated):
        numbers = {name: figure_text(operand) for name, operand in figure.origin.operands.items()}
        shown = formula_text(figure.origin.formula.tree, numbers)
        return shown if record.reckoned is not None else f"stated: {shown}"
    return "stated"


def _on_card(seen: Seen) -> dict[str, str]:
    """The parts whose size depends on the card."""
    return {part: str(record.title or part) for part, (_, record) in seen.configured.parts.items()
            if record.is_pool or record.reckoned == "rest"}  # fmt: skip


def _cards(seen: Seen) -> Table:
    """What is needed of each card and what there is, with the verdict."""
    own = _on_card(seen)
    sizes = [Column(f"{title}, GiB", "spread") for title in (*own.values(), "Need")]
    left = [Column("Usable, GiB", "use"), Column("Headroom, GiB", "spread"), words("Verdict")]
    rows: list[list[Cell]] = []
    for fits in seen.fitted:
        keys = (*(f"{part}_gib" for part in own), "need_gib", "headroom_gib")
        *figures, headroom = (seen.figure(f"{fits.pair.at}.{key}") for key in keys)
        usable, verdict = (fits.verdict.usable, fits.verdict.words) if fits.verdict else (None, "not known")
        rows.append([fits.pair.card, *figures, usable, headroom, verdict])
    return Table([words("Card"), *sizes, *left], rows)


def _reasons(seen: Seen, fits: Fitted, names: Names) -> Iterator[str]:
    for pool in fits.short:
        inside = [part for part in seen.configured.inside(pool) if part not in _on_card(seen)]
        size = seen.figure(f"{fits.pair.at}.{pool}_gib")
        if size:
            yield f"{pool} has {planned_text(size)}, too little for what is within it: {', '.join(inside)}"
    if fits.missing:
        yield missing_text(fits.missing, names)


def _notes(seen: Seen, asked: Names) -> Iterator[str]:
    if seen.unknown:
        titles = [f"{seen.ledger.catalog.gpus[card].title} ({card})" for card in seen.unknown]
        yield f"The catalogue does not state the memory of {', '.join(titles)}."
    for pool, parts in untold(seen.figures, seen.configured):
        titles = [seen.called(part) for part in parts]
        yield f"Whether {seen.called(pool)} holds what is within it is not known: no size of {', '.join(titles)} is."
    if asked and (part := not_counted(asked)):
        yield f"Not counted: {'the KV cache' if part == 'kv-cache' else part}, for want of --context and --batch."


def _whole(seen: Seen, asked: Names) -> dict[str, Any]:
    """The whole answer for other programs, with exact values."""
    return {
        "format": FORMAT_NUMBER,
        "project": None if asked else seen.project.id, "configuration": None if asked else seen.name,
        "asked": dict(asked), "changes": {change.address: change.value for change in seen.ledger.changes},
        "reserve_gib": exact(seen.reserve.use) if seen.reserve else None, "levers": list(seen.configured.levers),
        "expected_hours": _ends(seen.figure(f"{seen.configured.at}.expected_hours")),
        "parts": [_whole_part(seen, part) for part in seen.configured.parts],
        "cards": [_card(seen, fits) for fits in seen.fitted], "unknown_memory": list(seen.unknown),
        "suggestions": [_suggestion(found) for found in seen.suggestions],
        "smallest": dict(zip(("as_it_is", "with_levers"), (card or None for card in seen.smallest), strict=True))
        if seen.smallest else None,
    }  # fmt: skip


def _ends(figure: Figure | None) -> dict[str, str | None] | None:
    return exact_ends(figure.value) if figure else None


def _whole_part(seen: Seen, part: str) -> dict[str, Any]:
    _, record = seen.configured.parts[part]
    found: dict[str, Any] = {"part": part, "title": str(record.title or part),
                             "within": str(record.within) if record.within is not None else None}  # fmt: skip
    if record.is_pool:
        share = seen.figure(seen.configured.share_of(part))
        return {**found, "pool": str(record.pool) if record.pool is not None else None, "share": _ends(share)}
    figure = seen.figure(f"{seen.configured.at}.memory.{part}.need_gib")
    reckoned = str(record.reckoned) if record.reckoned is not None else None
    missing = list(figure.missing) if figure else []
    return {**found, "reckoned": reckoned, "need_gib": _ends(figure), "missing": missing}


def _card(seen: Seen, fits: Fitted) -> dict[str, Any]:
    at, verdict = fits.pair.at, fits.verdict
    return {
        "gpu": fits.pair.card, "title": str(seen.ledger.catalog.gpus[fits.pair.card].title),
        "verdict": verdict.use if verdict else None, "words": verdict.words if verdict else "not known",
        **{key: _ends(seen.figure(f"{at}.{key}")) for key in ("need_gib", "headroom_gib", "share")},
        "usable_gib": _ends(verdict.usable) if verdict else None,
        "parts": {part: _ends(seen.figure(f"{at}.{part}_gib")) for part in _on_card(seen)},
        "short": list(fits.short), "missing": list(fits.missing),
    }  # fmt: skip


def _suggestion(found: Suggestion) -> dict[str, Any]:
    best = found.best
    verdict = best.fitted.verdict if best else None
    return {
        "gpu": found.card, "fits": found.found is not None, "levers": list(best.levers) if best else [],
        "verdict": verdict.use if verdict else None,
        **{key: _ends(best.figures.get(key)) if best else None for key in FIGURES},
        "overrides": {name: written(value) for name, value in best.overrides.changes.items()} if best else {},
        "yaml": best.overrides.yaml if best else "",
        "lacking_gib": exact(found.lacking_gib.use) if found.lacking_gib else None,
        "missing": list(found.missing), "all_sets_tried": not found.greedy, "time_judged_by_upper_bound": found.bounded,
        "slower_by_unknown": list(found.unstated), "not_tried": dict(found.candidates.left_out),
    }  # fmt: skip
