"""Policies: conditions that a project is to keep, judged once or over each phase, item, seed or grant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from reckon.language.expression import Name, names
from reckon.language.text import Refusal, Text
from reckon.model import records as r
from reckon.model.figure import Figure
from reckon.model.finding import Problem, refused
from reckon.model.ledger import Ledger, ProjectLedger

from ..budget.later import later
from ..budget.tally import by_seed
from ..sheet.inputs import scopes
from .conditions import Judged, judge, sought
from .words import Known

Member = tuple[str, str]
"""Title and address of a thing that a policy is about; both of the project itself stand for it, with no title."""


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """A policy as judged over one thing: its id, what it is about (empty: the project), and the verdict."""

    name: str
    policy: r.Policy
    about: str
    at: str
    judged: Judged

    @property
    def holds(self) -> bool | None:
        """Whether it is kept; None where that cannot be said yet."""
        return self.judged.holds


def judge_policies(known: Known, ledger: Ledger, project: ProjectLedger) -> tuple[list[PolicyResult], list[Problem]]:
    """Every policy of a project over each thing that it is about, and what is wrong with those that cannot be read."""
    kept: list[PolicyResult] = []
    problems: list[Problem] = []
    for name, policy in project.project.policies.items():
        if ledger.unread(f"{project.id}.policies.{name}.each"):
            continue  # nobody knows what it is about
        try:
            kept += _judged(known, project, str(name), policy, list(_members(ledger, project, str(policy.each or ""))))
        except Refusal as refusal:
            problems.append(refused(refusal, Text(policy.require.formula.text, policy.require.place)))
    return kept, problems


def _judged(
    known: Known, project: ProjectLedger, name: str, policy: r.Policy, members: Sequence[Member]
) -> Iterator[PolicyResult]:
    """A policy over each thing that has the figures which it names, or will have them."""
    formula, place = policy.require.formula, policy.require.place
    wordy = {each.name for _, at in members for each in names(formula.tree)
             if _found(known, project, at, each.name)[0] in known.words}  # fmt: skip
    terms = list(sought(formula.tree, lambda name: name in wordy))
    found = {at: {term.name: _found(known, project, at, term.name) for term in terms} for _, at in members}
    to_come: dict[str, Figure] = {}
    for term in terms:
        if members and not any(meant[term.name][0] for meant in found.values()):
            cells = known.sheet.cells
            figure = later(cells, members[0][1], term.name) or later(cells, project.id, term.name)
            if figure is None:
                _refuse(known, project, term, found)
                return
            to_come[term.name] = figure
    # What some of them have as their own (`contingency.left_share` of a phase) is never taken from further out.
    own = {term for at, meant in found.items() for term, (address, _) in meant.items() if address.startswith(f"{at}.")}
    for about, at in members:
        meant = {term: meaning for term, meaning in found[at].items() if term not in to_come}
        values = {term: known.means(address, end) for term, (address, end) in meant.items()
                  if term not in own or address.startswith(f"{at}.")}  # fmt: skip
        given = {term: value for term, value in values.items() if value is not None}
        if len(given) == len(meant):
            yield PolicyResult(name, policy, about, at, judge(formula, {**given, **to_come}, place))


def _found(known: Known, project: ProjectLedger, at: str, name: str) -> tuple[str, str]:
    """The address that a name means from a thing outwards; a grant stands outside of the project that shares it."""
    found = known.find(at, name)
    return found if found[0] else known.find(project.id, name)


def _refuse(known: Known, project: ProjectLedger, term: Name, found: Collection[str]) -> None:
    """A name that leads nowhere, unless it may mean what could not be read."""
    if not any(known.could_be(at, term.name) for at in (project.id, *found)):
        hints = (known.near(at, term.name) for at in (*list(found)[:1], project.id))
        right = next(filter(None, hints), "`budget explain --list` shows all figures")
        raise Refusal(f"there is no figure `{term.name[:60]}`", right, term.at)


def _members(ledger: Ledger, project: ProjectLedger, each: str) -> Iterator[Member]:
    """Title and address of each thing of a kind."""
    if not each:
        yield "", project.id
    elif each == "phase":
        yield from (
            (str(phase.title), f"{project.id}.phases.{name}") for name, phase in project.plan.items() if phase.items
        )
    elif each == "allocation":
        grants = ledger.allocations.items()
        yield from ((str(grant.title), f"allocations.{name}") for name, grant in grants if project.id in grant.projects)
    else:
        for _, _, name, item in scopes(project):
            if each == "item":
                yield str(item.title), f"{project.id}.plan.{name}"
            else:
                for seed in by_seed(project, item):
                    yield f"{item.title}, seed {seed}", f"{project.id}.plan.{name}.seeds.{seed}"
