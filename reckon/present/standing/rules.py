"""What the project holds itself to: its policies with their verdicts, and what it would give up first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from reckon.compute.audit.limits import compared
from reckon.compute.saying.conditions import Compared
from reckon.compute.saying.policies import Kept
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Sentence

from ..view import View

WORST_FIRST = ((False, "breached"), (None, "undecided"), (True, "kept"))


class Rule(NamedTuple):
    """A row: a policy over one thing, what it requires, the verdict in a word and in figures, and what is missing."""

    title: str
    about: str
    requires: str
    verdict: str
    figures: Sentence
    missing: tuple[str, ...]
    message: str


class Dropped(NamedTuple):
    """A row: what is given up, why, and where the project ends without it and all that stand above it."""

    what: str
    why: str
    saves: Figure | None
    p50: Figure | None
    p90: Figure | None
    over_plan: Figure | None
    over_ceiling: Figure | None


def rule_rows(view: View) -> Iterator[Rule]:
    """The policies of a project, what is breached first."""
    for holds, verdict in WORST_FIRST:
        for kept in view.book.policies.get(view.id, ()):
            if kept.holds is holds:
                yield _rule(view, kept, verdict)


def _rule(view: View, kept: Kept, verdict: str) -> Rule:
    figures: Sentence = ()
    for part in kept.judged.parts:
        if not part.missing:
            figures += ("; ",) * bool(figures) + compared(_short(part, kept.about or str(view.project.title)))
    missing = tuple(one.removeprefix(f"{view.id}.") for one in kept.judged.missing) if kept.holds is None else ()
    message = str(kept.policy.message) if kept.holds is False else ""
    return Rule(str(kept.policy.title or kept.name), kept.about, kept.policy.require.formula.text,
                verdict, figures, missing, message)  # fmt: skip


def _short(part: Compared, about: str) -> Compared:
    """A comparison whose figures do not say again what the row is about."""
    left, right = (replace(side, title=side.title.removeprefix(f"{about}: ")) for side in (part.left, part.right))
    return replace(part, left=left, right=right)


def dropped_rows(view: View) -> Iterator[Dropped]:
    """The de-scoping list of a project, in its order."""
    for number, drop in enumerate(view.project.descope, 1):
        at = f"descope.{number}"
        names = ("saves", "forecast_p50", "forecast_p90", "probability_over_plan", "probability_over_ceiling")
        yield Dropped(_what(view, drop), str(drop.why or ""), *(view.maybe(f"{at}.{name}") for name in names))


def _what(view: View, drop: r.Drop) -> str:
    parts = []
    if drop.item is not None:
        parts.append(str(view.one.items[drop.item].title))
    if drop.phase is not None:
        parts.append(str(view.one.plan[drop.phase].title))
    if drop.seed is not None:
        parts.append(f"seed {drop.seed}")
    return ", ".join(parts)
