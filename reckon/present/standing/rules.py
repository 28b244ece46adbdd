"""What the project holds itself to: its policies with their verdicts, and what it would give up first."""

from __future__ import annotations

from dataclasses import replace

from reckon.compute.audit.limits import compared
from reckon.compute.statements.conditions import Compared
from reckon.compute.statements.policies import PolicyResult
from reckon.model import records as r
from reckon.model.figure import Figure

from ..printing import counted
from ..table import MOST_ROWS, Bold, Cell, Code, Table, below, figures, joined, words
from ..view import MOST_WANTED, View

WORST_FIRST = ((False, "breached"), (None, "undecided"), (True, "kept"))


def rules_table(view: View) -> Table:
    """The policies of a project over each thing, with what they require and their verdicts; what is breached first."""
    found = view.book.policies.get(view.id, ())
    ordered = [(kept, verdict) for holds, verdict in WORST_FIRST for kept in found if kept.holds is holds]
    rows = [[str(kept.policy.title or kept.name), kept.about or "the project", _verdict(view, kept, verdict),
             Code(kept.policy.require.formula.text)] for kept, verdict in ordered[:MOST_ROWS]]  # fmt: skip
    return Table([words("Policy"), words("Of"), words("Verdict"), words("Requires")], rows)


def verdicts(view: View) -> list[tuple[Figure, str]]:
    """How many policies are breached, undecided and kept; what none is, is left out."""
    found = [kept.holds for kept in view.book.policies.get(view.id, ())]
    return [(counted(number, word), word) for holds, word in WORST_FIRST if (number := found.count(holds))]


def _verdict(view: View, kept: PolicyResult, verdict: str) -> Cell:
    """The verdict in a word and in figures, or what is missing for it; and the message of one that is breached."""
    said: list[Cell] = [Bold(verdict) if kept.holds is False else verdict]
    found = [part for part in kept.judged.parts if not part.missing]
    said += [(": " if number == 0 else "; ", *compared(_short(part, kept.about or str(view.project.title))))
             for number, part in enumerate(found)]  # fmt: skip
    if kept.holds is None and kept.judged.missing:
        missing = [one.removeprefix(f"{view.id}.") for one in kept.judged.missing[:MOST_WANTED]]
        said += [", for want of ", joined(map(Code, missing))]
    return below(tuple(said), kept.policy.message if kept.holds is False else None)


def _short(part: Compared, about: str) -> Compared:
    """A comparison whose figures do not say again what the row is about."""
    left, right = (replace(side, title=side.title.removeprefix(f"{about}: ")) for side in (part.left, part.right))
    return replace(part, left=left, right=right)


def dropped_table(view: View) -> Table:
    """What is given up, why, and where the project ends without it and all that stand above it; the first rows."""
    names = ("p50", "p90", "probability_over_plan", "probability_over_ceiling")
    ends = ("saves", "forecast_p50", "forecast_p90", *names[2:])
    rows = [[below(_what(view, drop), drop.why), *(view.maybe(f"descope.{number}.{name}") for name in ends)]
            for number, drop in enumerate(view.project.descope[:MOST_ROWS], 1)]  # fmt: skip
    nothing = ["Nothing", "", *(view.maybe(f"forecast.{name}") for name in names)]
    columns = [words(""), *map(figures, ("Saves", "Median", "Ninetieth percentile", "Passing the budget"))]
    columns += [figures("Passing the ceiling", shown=view.maybe("ceiling") is not None)]
    return Table(columns, [nothing, *rows] if rows else [])


def _what(view: View, drop: r.Drop) -> str:
    parts = []
    if drop.item is not None:
        parts.append(str(view.one.items[drop.item].title))
    if drop.phase is not None:
        parts.append(str(view.one.plan[drop.phase].title))
    if drop.seed is not None:
        parts.append(f"seed {drop.seed}")
    return ", ".join(parts)
