"""What differs between two sides, for programs: exact numbers as text (see `export`), addresses, places.

`format` 1: `old` and `new` name the sides; `order` says in which order inputs are swapped; `parts` are projects (and,
with an empty id, what they share).
"""

from __future__ import annotations

from collections.abc import Mapping

from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Moved, Part
from reckon.compute.versions.ledger_diff import ORDER
from reckon.compute.versions.steps import INPUTS, Bridge, Step
from reckon.language.text import NOWHERE, Place, Text
from reckon.model.figure import Figure
from reckon.model.release import ReleasedFinding

from ..export import JsonObject, exact, exact_ends, write_json
from .sentences import Authors, described, find_reasons_of, headline, step_words, why_of

FORMAT_NUMBER = 1


def data(of: Difference, authors: Authors) -> str:
    """All that differs, as JSON; empty where nothing does."""
    if of.empty:
        return ""
    old, new = ({"name": side.name, "release": side.project or None} for side in (of.old, of.new))
    parts = [_part(of, part, authors) for part in of.parts]
    return write_json({"format": FORMAT_NUMBER, "old": old, "new": new, "order": ORDER, "parts": parts}) + "\n"


def _part(of: Difference, part: Part, authors: Authors) -> JsonObject:
    told = part.told
    said = find_reasons_of(of, part)
    return {
        "id": part.id,
        "title": part.title,
        "state": part.state or "in both",
        "headline": headline(part),
        "total": {"old": _figure(part.was), "new": _figure(part.now)},
        "bridge": _bridge(of, part.bridge, said) if part.bridge else None,
        "inputs": [_change(change, authors, said) for change in told if change.kind != "runs"],
        "runs": [_runs(change) for change in told if change.kind == "runs"],
        "figures": [_moved(figure) for figure in part.moved],
        "method": [
            {"since": change.since, "sentence": change.sentence, "figures": list(change.figures)}
            for change in part.method
        ],
        "figures_new": list(part.came),
        "figures_gone": list(part.went),
        "findings": {
            "gained": list(map(_finding, part.gained)),
            "lost": list(map(_finding, part.lost)),
            "altered": [{"old": _finding(was), "new": _finding(now)} for was, now in part.altered],
            "silenced": [
                {"address": each.change.address, "findings": list(map(_finding, each.findings))}
                for each in part.silenced
            ],
        },
    }


def _figure(figure: Figure | None) -> JsonObject | None:
    if figure is None:
        return None
    return {"address": figure.address, "unit": figure.unit.symbol, **exact_ends(figure.value)}


def _bridge(of: Difference, crossing: Bridge, said: Mapping[str, Text]) -> JsonObject:
    return {
        "address": crossing.address,
        "title": crossing.title,
        "unit": crossing.unit.symbol,
        "old": exact_ends(crossing.was),
        "new": exact_ends(crossing.now),
        "by": exact(crossing.by),
        "inputs_per_step": crossing.together,
        "steps": [_step(of, step, said) for step in crossing.steps],
    }


def _step(of: Difference, step: Step, said: Mapping[str, Text]) -> JsonObject:
    return {
        "cause": "inputs" if step.cause == INPUTS else "reckoning",
        "title": step_words(step, of),
        "reason": why_of(step.changes, said, step.sentences) or None,
        "by": exact(step.by),
        "addresses": [change.address for change in step.changes],
        "old": exact_ends(step.was),
        "new": exact_ends(step.now),
        "places": [place for change in step.changes if (place := _place(change.place))],
    }


def _change(change: Change, authors: Authors, said: Mapping[str, Text]) -> JsonObject:
    name, date = authors.get(change.now_place, (None, None))
    return {
        "kind": change.kind,
        "address": change.address,
        "title": described(change),
        "record": change.of or None,
        "field": change.part or None,
        "reason": why_of((change,), said) or None,
        "old": change.was or None,
        "new": change.now or None,
        "old_place": _place(change.was_place),
        "new_place": _place(change.now_place),
        "author": name or None,
        "date": date or None,
    }


def _place(place: Place) -> JsonObject | None:
    return None if place is NOWHERE else place._asdict()


def _runs(change: Change) -> JsonObject:
    assert change.runs
    before, after = change.runs.counts
    held = change.runs.held
    charged = change.runs.charged
    return {
        "kind": change.runs.kind,
        "item": change.runs.item,
        "month": change.runs.month or None,
        "old": before,
        "new": after,
        "old_gpu_hours": exact(held[0]),
        "new_gpu_hours": exact(held[1]),
        "old_charged_gpu_hours": exact(charged[0]),
        "new_charged_gpu_hours": exact(charged[1]),
        "place": _place(change.place),
    }


def _moved(figure: Moved) -> JsonObject:
    old, new = ({**exact_ends(side.value), "missing": list(side.missing)} for side in (figure.was, figure.now))
    return {
        "address": figure.now.address,
        "title": figure.now.title,
        "unit": figure.now.unit.symbol,
        "old": old,
        "new": new,
        "by": exact(figure.by),
        "share": exact(figure.share),
        "because": list(figure.because),
    }


def _finding(finding: ReleasedFinding) -> JsonObject:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "title": finding.title,
        "accepted": finding.accepted or None,
    }
