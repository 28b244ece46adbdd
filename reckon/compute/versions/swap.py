"""Changes applied to a ledger, one by one: what comes out is a ledger between the two, reckoned like any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reckon.model.ledger import Ledger
from reckon.model.values import Record

from .change import GONE, Change, Order, RunsOf, Swap
from .runs import with_runs_of


def applied(ledger: Ledger, change: Change) -> Ledger:
    """The ledger with a change made in it."""
    for one in change.swaps:
        ledger = _put(ledger, one.path, one)
    return ledger


def _put(tree: Any, path: tuple[str, ...], swap: Swap) -> Any:
    """A tree (dataclass, record or map) with something else at a path; itself where the path leads nowhere."""
    if not path:
        return _value(tree, swap.value)
    step, rest = path[0], path[1:]
    if isinstance(tree, Mapping):
        return _in_map(tree, step, rest, swap)
    if isinstance(tree, Record):
        return tree.model_copy(update={step: _put(getattr(tree, step), rest, swap)})
    return replace(tree, **{step: _put(getattr(tree, step), rest, swap)})


def _value(was: Any, value: object) -> Any:
    match value:
        case Order(keys):
            ranks = {key: rank for rank, key in enumerate(keys)}
            return {key: was[key] for key in sorted(was, key=lambda one: ranks.get(str(one), len(ranks)))}
        case RunsOf(files, keys):
            return with_runs_of(was, files, keys)
    return value


def _in_map(tree: Mapping[str, Any], step: str, rest: tuple[str, ...], swap: Swap) -> dict[str, Any]:
    if rest:
        return {**tree, step: _put(tree[step], rest, swap)} if step in tree else dict(tree)
    if swap.value is GONE:
        return {key: inner for key, inner in tree.items() if key != step}
    if step in tree:
        return {**tree, step: swap.value}
    entries = list(tree.items())
    places = {str(key): place for place, (key, _) in enumerate(entries)}
    at = 0 if swap.after is None else places.get(swap.after, len(entries) - 1) + 1
    return dict([*entries[:at], (step, swap.value), *entries[at:]])
