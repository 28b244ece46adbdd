"""`fit`: the parts of a configuration, how it stands on each card, and the levers under which it fits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from reckon.compute.fitting.fits import Fitted
from reckon.compute.fitting.needs import untold
from reckon.compute.fitting.seen import Seen, not_counted
from reckon.model import records as r
from reckon.model.figure import Figure, Reckoned

from ..render.numbers import figure_text, in_time, planned_text, use_text, value_text
from ..render.workings import formula_text
from .fitting_json import whole
from .lines import block, columns, missing_text
from .suggesting import suggested

Names = Mapping[str, str]
CARD_HEADS = ("Need, GiB", "Usable, GiB", "Headroom, GiB", "Verdict")


def fitted(seen: Seen, form: str, words: Names, flags: Names) -> Iterator[str]:
    """The lines of an answer as a table, as markdown or as JSON.

    `words` are the fields that the command line gave, `flags` what it calls them; without words, a configuration of the
    ledger is meant.
    """
    if form == "json":
        yield json.dumps(whole(seen, words), ensure_ascii=False, indent=1)
        return
    names = flags if words else {}
    yield from block(_head(seen, words, flags), form)
    yield ""
    yield from columns(("Part", "Memory, GiB", "From"), [(one, "") for one in _parts(seen, names)], form)
    if seen.fitted:
        heads = ("Card", *(f"{title}, GiB" for title in _on_card(seen).values()), *CARD_HEADS)
        yield ""
        yield from columns(heads, [_row(seen, one, names) for one in seen.fitted], form)
    if notes := list(_notes(seen, words)):
        yield ""
        yield from block(notes, form)
    yield from suggested(seen, form, names)


def _head(seen: Seen, words: Names, flags: Names) -> Iterator[str]:
    if words:
        yield "Asked: " + " ".join(f"{flags[field]} {text}" for field, text in words.items())
    else:
        yield f"{seen.configured.title} ({seen.project.id}.configurations.{seen.name})"
    reserve = f"{figure_text(seen.reserve)} of each card" if seen.reserve else "none"
    lines = [f"Reserve: {reserve}."]
    if applied := seen.configured.levers:
        lines.append(f"Levers applied: {', '.join(applied)}.")
    if hours := seen.figure(f"{seen.configured.at}.expected_hours"):
        lines.append(f"Time: {figure_text(in_time(hours))}.")
    yield " ".join(lines)


def _parts(seen: Seen, names: Names) -> Iterator[tuple[str, ...]]:
    """Each part, what it takes, and where that comes from."""
    configured = seen.configured
    for part, (holder, record) in configured.parts.items():
        title = str(record.title or part)
        within = [f"within {record.within}"] if record.within is not None else []
        if record.is_pool:
            setting = configured.settings.get(str(record.pool)) if record.pool is not None else None
            share = seen.figure(setting.address if setting else f"configurations.{holder}.memory.{part}.share")
            size = "unknown" if share is None else f"{_percent(share)} of the card"
            yield title, size, f"a pool, as {record.pool} says" if record.pool is not None else "a pool"
        elif record.reckoned == "rest":
            yield title, "the rest", f"what is left of {record.within}"
        else:
            figure = seen.figure(f"{configured.at}.memory.{part}.need_gib")
            yield title, ranged(figure), "; ".join([_from(record, figure, names), *within])


def _percent(share: Figure) -> str:
    """A share as a percentage, whichever way the ledger writes it."""
    return value_text(replace(share, form="%"))


def _from(record: r.MemoryPart, figure: Figure | None, names: Names) -> str:
    """Where the size of a part comes from: its formula with the numbers put in, or what that lacks."""
    if figure is None:
        return ""
    if figure.missing:
        return missing_text(figure.missing, names)
    if isinstance(figure.origin, Reckoned):
        numbers = {name: figure_text(one) for name, one in figure.origin.operands.items()}
        shown = formula_text(figure.origin.formula.tree, numbers)
        return shown if record.reckoned is not None else f"stated: {shown}"
    return "stated"


def _on_card(seen: Seen) -> dict[str, str]:
    """The parts whose size depends on the card."""
    return {part: str(record.title or part) for part, (_, record) in seen.configured.parts.items()
            if record.is_pool or record.reckoned == "rest"}  # fmt: skip


def _row(seen: Seen, one: Fitted, names: Names) -> tuple[tuple[str, ...], str]:
    """The cells of a card, and what is to be said of them."""
    at = one.pair.at
    figures = [seen.figure(f"{at}.{key}") for key in (*(f"{part}_gib" for part in _on_card(seen)), "need_gib")]
    usable = use_text(one.verdict.usable) if one.verdict else ""
    cells = [*map(ranged, figures), usable, ranged(seen.figure(f"{at}.headroom_gib"))]
    verdict = one.verdict.words if one.verdict else "not known"
    return (one.pair.card, *cells, verdict), "; ".join(_reasons(seen, one, names))


def _reasons(seen: Seen, one: Fitted, names: Names) -> Iterator[str]:
    for pool in one.short:
        inside = [part for part in seen.configured.inside(pool) if part not in _on_card(seen)]
        size = seen.figure(f"{one.pair.at}.{pool}_gib")
        if size:
            yield f"{pool} has {planned_text(size)}, too little for what is within it: {', '.join(inside)}"
    if one.missing:
        yield missing_text(one.missing, names)


def ranged(figure: Figure | None) -> str:
    """The value to plan with, and its range behind it."""
    if figure is None:
        return ""
    full, planned = value_text(figure), use_text(figure)
    return planned if full == planned else f"{planned} ({full})"


def _notes(seen: Seen, words: Names) -> Iterator[str]:
    if seen.unknown:
        titles = [f"{seen.ledger.catalog.gpus[card].title} ({card})" for card in seen.unknown]
        yield f"The catalogue does not state the memory of {', '.join(titles)}."
    for pool, parts in untold(seen.figures, seen.configured):
        titles = [seen.called(part) for part in parts]
        yield f"Whether {seen.called(pool)} holds what is within it is not known: no size of {', '.join(titles)} is."
    if words and (part := not_counted(words)):
        yield f"Not counted: {'the KV cache' if part == 'kv-cache' else part}, for want of --context and --batch."
