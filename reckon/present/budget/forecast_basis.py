"""What complete, earned value and the forecast rest on, in words: how many pieces of work on what their runs say; and
how many runs a sum rests on."""

from __future__ import annotations

from typing import NamedTuple

from reckon.compute.audit.payers import why_unknown
from reckon.compute.budget.attempts import BASES, COMPLETED, COUNTED, NOTHING, STATED, SUITED
from reckon.model.figure import Figure, Tallied
from reckon.model.finding import Sentence, joined, say
from reckon.model.kinds import ALLOCATIONS

from ..render.numbers import format_sentence
from ..render.printing import counted
from ..view import View

_WORDS = {
    STATED: "stated progress",
    COUNTED: "counted runs",
    COMPLETED: "completed runs",
    SUITED: "completed runs judged by their hours",
}
"""What a piece of work rests on, in the few columns of the terminal."""


def rests_on(view: View) -> Sentence:
    """What the share of the work that is done rests on, with the number of pieces of work; empty before the first."""
    return joined((say(f"{_WORDS[basis]} ({{many}})", many=figure) for basis, figure in known_from(view)), ", ")


def known_from(view: View) -> list[tuple[str, Figure]]:
    """What tells how far pieces of work are (one of BASES), and of how many; empty before the first."""
    return [(basis, figure) for basis in BASES if basis in _WORDS and (figure := _pieces_by_basis(view, basis))]


def untold(view: View) -> Figure | None:
    """How many pieces of work have begun of which nothing says how much is done; None where there are none."""
    return _pieces_by_basis(view, NOTHING)


def describe_missing(view: View, address: str) -> str:
    """A missing input in words that say what can be written: how far work is and of which seed runs are, or which grant
    is charged."""
    kind, _, grant = address.partition(".")
    grant, _, field = grant.partition(".")
    if kind == ALLOCATIONS.id and field in ("shared", "payer", "gpu"):
        return format_sentence(why_unknown(view.book, grant) or why_unknown(view.book, grant, extended=True))
    inside = address.removeprefix(f"{view.id}.")
    for name, item in view.ledger.items.items():
        rest = inside.removeprefix(f"plan.{name}.") if inside.startswith(f"plan.{name}.") else ""
        if rest == "no_seed.seed":
            return f"seed of runs of {item.title}"
        if rest == "progress":
            return f"progress of {item.title}"
        if rest.startswith("seeds.") and rest.endswith(".progress"):
            return f"progress of {item.title}, seed {rest.removeprefix('seeds.').removesuffix('.progress')}"
    return inside


def expected_losses(view: View) -> Figure | None:
    """What of the forecast at the median goes to failures, so far and to come; None where none has failed."""
    seen, losses = view.maybe("forecast.losses_seen"), view.maybe("forecast.losses")
    return losses if seen and seen.use and losses and losses.use else None


class Stating(NamedTuple):
    """How many runs state something, of how many; and how many entries without hours state it. None where none does."""

    stating: Figure | None
    runs: Figure
    alone: Figure | None


def stating_runs(view: View, figure: Figure) -> Stating | None:
    """On how many runs a sum of what runs state rests; None where all of them state it, and nothing else does."""
    runs = sum(view.ledger.rows.many)
    if not isinstance(figure.origin, Tallied):
        return None
    field = figure.origin.selection.field
    alone = sum(getattr(run, field, None) is not None for file in view.ledger.additions for run in file.runs)
    stating = figure.origin.count - alone
    if stating == runs and not alone:
        return None
    return Stating(
        counted(stating, "runs") if stating or not alone else None,
        counted(runs, "runs"),
        counted(alone, "entries") if alone else None,
    )


def _pieces_by_basis(view: View, basis: str) -> Figure | None:
    figure = view.maybe(f"performance.basis.{basis}")
    return figure if figure and figure.use else None
