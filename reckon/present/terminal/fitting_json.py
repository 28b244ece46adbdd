"""`fit --format json`: an answer for other programs, with exact values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reckon.compute.fitting.derived import written
from reckon.compute.fitting.fits import Fitted
from reckon.compute.fitting.search import Suggestion
from reckon.compute.fitting.seen import Seen
from reckon.model.figure import Figure

from ..export import exact, exact_ends

FORMAT_NUMBER = 1
FIGURES = ("need_gib", "headroom_gib", "expected_hours")


def whole(seen: Seen, words: Mapping[str, str]) -> dict[str, Any]:
    """The whole answer."""
    at = f"{seen.configured.at}"
    return {
        "format": FORMAT_NUMBER,
        "project": None if words else seen.project.id, "configuration": None if words else seen.name,
        "asked": dict(words), "changes": {one.address: one.value for one in seen.ledger.changes},
        "reserve_gib": exact(seen.reserve.use) if seen.reserve else None, "levers": list(seen.configured.levers),
        "expected_hours": _ends(seen.figure(f"{at}.expected_hours")),
        "parts": [_part(seen, part) for part in seen.configured.parts],
        "cards": [_card(seen, one) for one in seen.fitted], "unknown_memory": list(seen.unknown),
        "suggestions": [_suggestion(one) for one in seen.suggestions],
        "smallest": dict(zip(("as_it_is", "with_levers"), (one or None for one in seen.smallest), strict=True))
        if seen.smallest else None,
    }  # fmt: skip


def _ends(figure: Figure | None) -> dict[str, str | None] | None:
    return exact_ends(figure.value) if figure else None


def _part(seen: Seen, part: str) -> dict[str, Any]:
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


def _card(seen: Seen, one: Fitted) -> dict[str, Any]:
    at, parts = one.pair.at, seen.configured.parts
    own = [part for part, (_, record) in parts.items() if record.is_pool or record.reckoned == "rest"]
    return {
        "gpu": one.pair.card, "title": str(seen.ledger.catalog.gpus[one.pair.card].title),
        "verdict": one.verdict.use if one.verdict else None, "words": one.verdict.words if one.verdict else "not known",
        **{key: _ends(seen.figure(f"{at}.{key}")) for key in ("need_gib", "headroom_gib", "share")},
        "usable_gib": _ends(one.verdict.usable) if one.verdict else None,
        "parts": {part: _ends(seen.figure(f"{at}.{part}_gib")) for part in own},
        "short": list(one.short), "missing": list(one.missing),
    }  # fmt: skip


def _suggestion(one: Suggestion) -> dict[str, Any]:
    best = one.best
    verdict = best.fitted.verdict if best else None
    return {
        "gpu": one.card, "fits": one.found is not None, "levers": list(best.levers) if best else [],
        "verdict": verdict.use if verdict else None,
        **{key: _ends(best.figures.get(key)) if best else None for key in FIGURES},
        "overrides": {each.name: written(each.value) for each in best.overrides.changes} if best else {},
        "yaml": best.overrides.yaml if best else "",
        "lacking_gib": exact(one.lacking_gib.use) if one.lacking_gib else None,
        "missing": list(one.missing), "all_sets_tried": not one.greedy, "time_judged_by_upper_bound": one.bounded,
        "slower_by_unknown": list(one.unstated), "not_tried": dict(one.candidates.left_out),
    }  # fmt: skip
