"""What differs between two sides, for programs: exact numbers as text (see `export`), addresses, places.

`format` 1: `old` and `new` name the sides; `order` says in which order inputs are swapped; `parts` are projects (and,
with an empty id, what they share).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from reckon.compute.versions.change import Change
from reckon.compute.versions.changes import ORDER
from reckon.compute.versions.difference import Difference, Moved, Part
from reckon.compute.versions.reasons import why
from reckon.compute.versions.steps import INPUTS, Bridge, Step
from reckon.language.quantity import Value
from reckon.language.text import NOWHERE, Place, Text
from reckon.model.figure import Figure
from reckon.model.release import ReleasedFinding

from ..export import exact
from .reasons import given, of_step
from .words import Authors, described, headline, step_words

FORMAT_NUMBER = 1


def data(of: Difference, authors: Authors) -> str:
    """All that differs, as JSON; empty where nothing does."""
    if of.empty:
        return ""
    sides = {
        key: {"name": side.name, "release": side.project or None} for key, side in (("old", of.old), ("new", of.new))
    }
    whole = {"format": FORMAT_NUMBER, **sides, "order": ORDER, "parts": [_part(of, one, authors) for one in of.parts]}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _part(of: Difference, part: Part, authors: Authors) -> dict[str, Any]:
    told, said = part.told, given(of, part)
    return {
        "id": part.id,
        "title": part.title,
        "state": part.state or "in both",
        "headline": headline(part),
        "total": {"old": _figure(part.was), "new": _figure(part.now)},
        "bridge": _bridge(of, part.bridge, said) if part.bridge else None,
        "inputs": [_change(one, authors, said) for one in told if one.kind != "runs"],
        "runs": [_runs(one) for one in told if one.kind == "runs"],
        "figures": [_moved(one) for one in part.moved],
        "figures_new": list(part.came),
        "figures_gone": list(part.went),
        "findings": {
            "gained": [_finding(one) for one in part.gained],
            "lost": [_finding(one) for one in part.lost],
            "altered": [{"old": _finding(was), "new": _finding(now)} for was, now in part.altered],
        },
    }


def _value(value: Value) -> dict[str, str | None]:
    return {"low": exact(value.low), "use": exact(value.use), "high": exact(value.high)}


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    return {"address": figure.address, "unit": figure.unit.symbol, **_value(figure.value)}


def _bridge(of: Difference, crossing: Bridge, said: Mapping[str, Text]) -> dict[str, Any]:
    return {
        "address": crossing.address,
        "title": crossing.title,
        "unit": crossing.unit.symbol,
        "old": _value(crossing.was),
        "new": _value(crossing.now),
        "by": exact(crossing.by),
        "inputs_per_step": crossing.together,
        "steps": [_step(of, one, said) for one in crossing.steps],
    }


def _step(of: Difference, one: Step, said: Mapping[str, Text]) -> dict[str, Any]:
    cause = "inputs" if one.cause == INPUTS else "reckoning"
    addresses = [change.address for change in one.changes]
    ends = {"old": _value(one.was), "new": _value(one.now)}
    return {
        "cause": cause,
        "title": step_words(one, of),
        "reason": of_step(one, said) or None,
        "by": exact(one.by),
        "addresses": addresses,
        **ends,
        "places": [place for change in one.changes if (place := _place(change.place))],
    }


def _change(one: Change, authors: Authors, said: Mapping[str, Text]) -> dict[str, Any]:
    name, date = authors.get(one.now_place, (None, None))
    return {
        "kind": one.kind,
        "address": one.address,
        "title": described(one),
        "record": one.of or None,
        "field": one.part or None,
        "reason": " ".join(why((one,), said)) or None,
        "old": one.was or None,
        "new": one.now or None,
        "old_place": _place(one.was_place),
        "new_place": _place(one.now_place),
        "author": name or None,
        "date": date or None,
    }


def _place(place: Place) -> dict[str, Any] | None:
    return None if place is NOWHERE else {"file": place.file, "line": place.line, "column": place.column}


def _runs(one: Change) -> dict[str, Any]:
    assert one.runs
    (before, after), (was, now) = one.runs.counts, one.runs.hours
    return {"item": one.runs.item, "month": one.runs.month or None, "old": before, "new": after,
            "old_gpu_hours": exact(was), "new_gpu_hours": exact(now), "place": _place(one.place)}  # fmt: skip


def _moved(one: Moved) -> dict[str, Any]:
    return {
        "address": one.now.address,
        "title": one.now.title,
        "unit": one.now.unit.symbol,
        "old": {**_value(one.was.value), "missing": list(one.was.missing)},
        "new": {**_value(one.now.value), "missing": list(one.now.missing)},
        "by": exact(one.by),
        "share": exact(one.share),
        "because": list(one.because),
    }


def _finding(one: ReleasedFinding) -> dict[str, Any]:
    return {"id": one.id, "severity": one.severity, "title": one.title, "accepted": one.accepted or None}
