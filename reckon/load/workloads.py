"""What the fields of a workload say together: its work is stated in tokens or in runs, and runs have what they need."""

from __future__ import annotations

from collections.abc import Iterable

from reckon.language.quantity import Quantity
from reckon.language.text import Place, place_of
from reckon.model.finding import Problem, Problems, nearest
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import OF_RUNS, OF_TOKENS, Workload

NEEDED = {
    "hours_per_run": "add the time of a run on the baseline, such as `hours_per_run: 0.75`",
    "baseline": "add the card these hours are for, such as `baseline: rtx-4090`",
}


def check_workloads(ledger: Ledger, project: ProjectLedger) -> Problems:
    """A problem for each workload that states its work twice or not at all; none for what could not be read."""
    for name, work in project.workloads.items():
        if not ledger.unread(f"{project.id}.workloads.{name}"):
            yield from _in_tokens(work) if work.runs is None else _in_runs(work)
        for card in work.speed:
            if card not in ledger.catalog.gpus and not ledger.unread(f"catalog.gpus.{card}"):
                right = nearest(card, ledger.catalog.gpus) or "add it there"
                yield Problem(place_of(card), f"there is no `{card[:60]}` in ledger/catalog/gpus.yaml", right)


def _in_tokens(work: Workload) -> Problems:
    stray = _stated(work, OF_RUNS)
    if stray:
        names = _join_names(stray)
        right = "add `runs: 60`, or remove it" if len(stray) == 1 else "add `runs: 60`, or remove them"
        yield Problem(next(iter(stray.values())), f"{names} without `runs`", right)
    elif work.tokens_per_sample is None:
        yield Problem(
            work.place, "`tokens_per_sample` is missing", "add it with `samples`, or state the work in `runs`"
        )


def _in_runs(work: Workload) -> Problems:
    both = _stated(work, OF_TOKENS)
    if list(both) == ["efficiency"]:
        yield Problem(
            both["efficiency"],
            f"{_join_names(both, 'runs')} are given together",
            "remove it; runs share no work, and `hours_per_run` is the whole time of a run",
        )
    elif both:
        yield Problem(
            next(iter(both.values())),
            f"{_join_names(both, 'runs')} are given together",
            "keep `runs`, or the work in tokens",
        )
    for field, right in NEEDED.items():
        if getattr(work, field) is None:
            yield Problem(work.place, f"`runs` is given, and `{field}` is missing", right)
    for card, speed in work.speed.items():
        if card == work.baseline and not (isinstance(speed, Quantity) and speed.value.exact and speed.value.use == 1):
            yield Problem(
                place_of(card), f"`{card}` is the baseline, whose speed is 1", "remove it, or correct `baseline`"
            )


def _stated(work: Workload, fields: tuple[str, ...]) -> dict[str, Place]:
    """Which of some fields a workload states, and where."""
    values = ((field, getattr(work, field)) for field in fields)
    return {field: _place(value, work.place) for field, value in values if value is not None and value != {}}


def _place(value: object, otherwise: Place) -> Place:
    return place_of(next(iter(value))) if isinstance(value, dict) else getattr(value, "place", otherwise)


def _join_names(fields: Iterable[str], *more: str) -> str:
    *some, last = (f"`{field}`" for field in (*fields, *more))
    return f"{', '.join(some)} and {last}" if some else last
