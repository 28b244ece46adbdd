"""Tables of how fast cards are and how long setups take, for work in tokens and for work in runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reckon.compute.choosing.setups import Choice
from reckon.model import records as r
from reckon.model.figure import Figure

from ..table import DASH, As, Bold, CellRows, Column, Table, figures, known, words
from ..view import View

SPEED = "tokens_per_second_per_gpu"


def speeds(view: View, work: r.Workload, choices: Sequence[Choice]) -> Table:
    """Each card once, the fastest first; those whose speed is not known last."""
    in_runs = work.runs is not None
    columns = [
        words("GPU"),
        words("Architecture"),
        figures("Released", nothing=""),
        figures("Tokens/s", shown=not in_runs),
        figures("To plan with", "use", shown=not in_runs),
        figures("Relative speed", "spread", shown=bool(work.baseline)),
    ]
    cards = {choice.card: choice for choice in reversed(choices)}
    key = "relative_speed" if in_runs else SPEED
    found = [(choice, view.book[f"{choice.at}.{key}"]) for choice in reversed(cards.values())]
    rows: CellRows = []
    for choice, speed in sorted(found, key=lambda pair: -(pair[1].use or 0)):
        card = view.catalog.gpus.get(choice.card)
        made = [card.architecture or None, card.released or None] if card else [None, None]
        relative = view.book.get(f"{choice.at}.relative_speed")
        rows.append([view.card(choice.card), *made, speed, speed, relative])
    return Table(columns, rows)


def times(view: View, work: r.Workload, choices: Sequence[Choice], titles: Mapping[str, str]) -> Table:
    """How long setups of as many GPUs take, and what that costs."""
    return (_of_tokens if work.runs is None else _of_runs)(view, work, choices, titles)


def _of_tokens(view: View, work: r.Workload, choices: Sequence[Choice], titles: Mapping[str, str]) -> Table:
    several = choices[0].gpus > 1 and work.efficiency is not None
    columns = [
        words("Setup"),
        *_total_columns("$/M tokens"),
        *(figures(heading, "use") for heading in ("Tokens/s", "Generation, h", "Overhead, h")),
        figures("At 100% efficiency", shown=several),
    ]
    rows: CellRows = []
    for choice in choices:
        parts = _figures(view, choice, SPEED, "generation_hours", "overhead_hours")
        whole = _figures(view, choice, "hours", "usd", "usd_per_hour", "usd_per_1m_tokens")
        hours, ideal_usd, usd = _figures(view, choice, "ideal_hours", "ideal_usd", "usd")
        known_usd = As(ideal_usd or usd, "planned") if usd and not usd.missing else None
        ideal = (known(hours, "use") or DASH, " h, ", known_usd) if known_usd else None
        rows.append([titles[choice.id], *whole, *parts, ideal])
    return Table(columns, rows)


def _of_runs(view: View, _: r.Workload, choices: Sequence[Choice], titles: Mapping[str, str]) -> Table:
    columns = [
        words("Setup"),
        *_total_columns("$/run"),
        figures("One run, h", "spread"),
        figures("GPU-hours", "spread"),
    ]
    keys = ("hours", "usd", "usd_per_hour", "usd_per_run")
    rows: CellRows = []
    for choice in choices:
        run = replace(view.book[f"{choice.at}.all_hours_per_run"], decimals=2)
        rows.append([titles[choice.id], *_figures(view, choice, *keys), run, *_figures(view, choice, "gpu_hours")])
    return Table(columns, rows)


def _total_columns(each: str) -> list[Column]:
    """What a setup comes to, and what an hour and a piece of the work cost: first, since that is looked for."""
    return [
        figures(Bold("Time, h"), "spread"),
        figures(Bold("Cost, $"), "spread"),
        figures("$/h", "use"),
        figures(each, "use"),
    ]


def _figures(view: View, choice: Choice, *keys: str) -> list[Figure | None]:
    return [view.book.get(f"{choice.at}.{key}") for key in keys]
