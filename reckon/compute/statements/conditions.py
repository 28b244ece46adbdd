"""Conditions: whether one holds, on the calculated figures; and policies, conditions that a project is to keep, judged
once or over each phase, item, seed or grant. Texts bound to figures use conditions too.

A figure with a range is judged by its value to plan with. A figure without a value leaves a comparison undecided; what
stands around it may still settle the condition (`a or b` holds when a does).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from fractions import Fraction
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.expression import Comparison, Expression, Formula, Logic, Name, Number, names
from reckon.language.quantity import UNKNOWN, point
from reckon.language.text import Refusal, Text
from reckon.language.units import PLAIN, Unit, key_unit, kind_words
from reckon.model import records as r
from reckon.model.figure import SUMMED, Figure, Figures, Stated, Worked, is_known, planned, span_of
from reckon.model.finding import ProblemList, refused
from reckon.model.ledger import Ledger, ProjectLedger

from ..budget.actuals import by_seed
from ..sheet.cells import Addresses
from ..sheet.evaluate import Measure, counted_words, derive, measure
from ..sheet.sheet import Sheet
from .words import Known, Word, choices_of, word_of

COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": operator.eq,
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "is": "is not", "inside": "not inside"}


Meanings = Mapping[str, Figure | Word]
"""What the names in a condition stand for."""


class Compared(Struct, frozen=True):
    """A comparison with the figures or words of its sides; `holds` is None where one of them has no value."""

    left: Figure | Word
    operator: str
    right: Figure | Word
    holds: bool | None

    @property
    def missing(self) -> Addresses:
        """The inputs that are missing, so that it is undecided."""
        return (*self.left.missing, *self.right.missing)


class Judged(Struct, frozen=True):
    """Whether a condition holds (None: undecided), and its comparisons from left to right."""

    holds: bool | None
    parts: tuple[Compared, ...]

    @property
    def missing(self) -> Addresses:
        """The inputs that are missing, so that it is undecided."""
        return tuple(dict.fromkeys(address for part in self.parts for address in part.missing))


def sought(tree: Expression, is_word: Callable[[str], bool]) -> Iterator[Name]:
    """The names in a condition that are addresses: all but ids that a word is compared with (`cheapest is a40-x4`)."""
    match tree:
        case Logic(terms=terms):
            for term in terms:
                yield from sought(term, is_word)
        case Comparison(operator="is", left=Name() as left, right=Name() as right):
            words = [side for side in (left, right) if is_word(side.name)]
            yield from words or (left, right)
        case _:
            yield from names(tree)


def judge(formula: Formula, known: Meanings) -> Judged:
    """Judges a condition; `known` gives the figure or word of each name in it that is `sought`.

    Raises Refusal, with the position.
    """
    parts: list[Compared] = []
    return Judged(_holds(formula.tree, known, parts), tuple(parts))


def _holds(tree: Expression, known: Meanings, parts: list[Compared], negated: bool = False) -> bool | None:
    """Kleene's three values: what is undecided stays so only where the rest does not settle it.

    A `not` is carried down to the comparisons, so that each of them says what its left side is to be.
    """
    match tree:
        case Comparison():
            compared = _compared(tree, known)
            if negated:
                holds = None if compared.holds is None else not compared.holds
                compared = replace(compared, operator=OPPOSITE[compared.operator], holds=holds)
            parts.append(compared)
            return compared.holds
        case Logic(operator="not", terms=(term,)):
            return _holds(term, known, parts, not negated)
        case Logic(operator=operator, terms=terms):
            found = [_holds(term, known, parts, negated) for term in terms]
            settling = (operator == "or") is not negated
            return settling if settling in found else None if None in found else not settling
    raise Refusal("there is a number where a condition is expected", "compare it with another", tree.at)


def _compared(tree: Comparison, meant: Meanings) -> Compared:
    words = [name for name in names(tree) if isinstance(meant.get(name.name), Word)]
    if tree.operator == "is" and any(word in (tree.left, tree.right) for word in words):
        return _same(tree, meant)
    if words:
        raise Refusal(
            f"`{words[0].name[:60]}` is a word, and no figure",
            "compare it with `is`, as in `setups.collection.cheapest is rtx-3090-x4`",
            words[0].at,
        )
    known = {name: figure for name, figure in meant.items() if isinstance(figure, Figure)}
    _alike(tree, known)
    left = _side(tree.left, known)
    right = _side(tree.right, known)
    holds = None
    if is_known(left) and is_known(right) and left.use is not None:
        if tree.operator == "inside":
            span = span_of(right)
            holds = span.low <= planned(left) <= span.high
        elif right.use is not None:
            holds = COMPARE[tree.operator](planned(left), planned(right))
    return Compared(left, tree.operator, right, holds)


def _same(tree: Comparison, meant: Meanings) -> Compared:
    """A word compared with an id, or with another word. Raises Refusal where it can never be that."""
    sides = [(side, meant.get(side.name) if isinstance(side, Name) else None) for side in (tree.left, tree.right)]
    name, word = next((side.name, word) for side, word in sides if isinstance(side, Name) and isinstance(word, Word))
    found = []
    for side, meaning in sides:
        if not isinstance(side, Name) or isinstance(meaning, Figure):
            raise Refusal("a word is compared with a figure", choices_of(word), side.at)
        found.append(meaning or word_of(word, name, side.name, side.at))
    first, second = found
    holds = None if first.missing or second.missing else first.id == second.id
    return Compared(first, tree.operator, second, holds)


def _alike(tree: Comparison, known: Figures) -> None:
    """Refuses sides that measure different things, a share beside a bare number, and `inside` without a range."""
    if tree.operator == "inside" and not list(names(tree.right)):
        raise Refusal(
            "there is no figure with a range after `inside`",
            "name a figure that has one, or write `a >= 10 and a <= 30`",
            tree.at,
        )
    first = _measured(tree.left, known)
    second = _measured(tree.right, known)
    if first.kinds != second.kinds:
        raise Refusal(
            f"{kind_words(first.kinds)} is compared with {kind_words(second.kinds)}",
            "both sides must measure the same; write a unit after a number, as in `20 gpu_hours`",
            tree.at,
        )
    for side, other in ((tree.left, tree.right), (tree.right, tree.left)):
        is_share = isinstance(other, Name) and known[other.name].form == "%"
        if is_share and isinstance(side, Number) and not side.quantity.form and side.quantity.value.use:
            number = side.quantity.value.use
            text = side.quantity.text
            right = f"write `{text if number >= 1 else f'{float(number * 100):g}'}%`"
            raise Refusal(f"a share is compared with a bare {text}", right, side.at)


def _measured(side: Expression, known: Figures) -> Measure:
    units = {name.name: (known[name.name].unit, known[name.name].form) for name in names(side)}
    return measure(side, units, counted_words(units))


def _side(side: Expression, known: Figures) -> Figure:
    """One side as a figure: the one it names, the number that it is, or what it comes to."""
    if isinstance(side, Name):
        return known[side.name]
    if isinstance(side, Number):
        quantity = side.quantity
        use = quantity.value.use
        value = quantity.value if use is None else point(use)
        return Figure("", quantity.text, quantity.unit, value, Stated(quantity.text), quantity.form)
    inputs = {name.name: known[name.name] for name in names(side)}
    kinds = _measured(side, known).kinds
    units = (figure.unit for figure in inputs.values() if figure.unit.kinds == kinds)
    unit = next(units, Unit(kinds=kinds) if kinds else PLAIN)
    return derive(Formula("", side), inputs, unit, checked=False)


Member = tuple[str, str]
"""Title and address of a thing that a policy is about; both of the project itself stand for it, with no title."""


class PolicyResult(Struct, frozen=True):
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


def judge_policies(known: Known, ledger: Ledger, project: ProjectLedger) -> tuple[list[PolicyResult], ProblemList]:
    """Every policy of a project over each thing that it is about, and what is wrong with those that cannot be read."""
    kept: list[PolicyResult] = []
    problems = []
    for name, policy in project.project.policies.items():
        if ledger.unread(f"{project.id}.policies.{name}.for"):
            continue  # nobody knows what it is about
        try:
            if policy.members == "run":
                kept += _judged_runs(known, project, name, policy)
            else:
                kept += _judged(known, project, name, policy, list(_members(ledger, project, policy.members or "")))
        except Refusal as refusal:
            problems.append(refused(refusal, Text(policy.require.formula.text, policy.require.place)))
    return kept, problems


def _judged(
    known: Known, project: ProjectLedger, name: str, policy: r.Policy, members: Sequence[Member]
) -> Iterator[PolicyResult]:
    """A policy over each thing that has the figures which it names, or will have them."""
    formula = policy.require.formula
    # A grant stands outside of the project that shares it.
    every = []
    for about, at in members:
        named = {each.name: known.find_from((at, project.id), each.name) for each in names(formula.tree)}
        every.append((about, at, named))
    words = {key for _, _, found in every for key, (address, _) in found.items() if address in known.words}
    terms = {term.name: term.at for term in sought(formula.tree, words.__contains__)}
    to_come: dict[str, Figure | Word] = {}
    for key, position in terms.items():
        if members and not any(found[key][0] for _, _, found in every):
            figure = known.coming((members[0][1], project.id), key, position)
            if figure is None:
                return
            to_come[key] = figure
    # What some of them have as their own (`contingency.left_share` of a phase) is never taken from further out.
    own = {key for _, at, found in every for key, (address, _) in found.items() if address.startswith(f"{at}.")}
    for about, at, found in every:
        given = dict(to_come)
        for key in terms.keys() - to_come:
            address, end = found[key]
            meaning = known.means(address, end) if key not in own or address.startswith(f"{at}.") else None
            given |= {key: meaning} if meaning else {}
        if len(given) == len(terms):
            yield PolicyResult(name, policy, about, at, judge(formula, given))


OF_RUNS: Mapping[str, tuple[str, Callable[[r.Run], Fraction | None]]] = {
    "gpu_hours": ("GPU-hours", attrgetter("charged_hours")),
    "wall_hours": ("wall-clock time", attrgetter("held_hours")),
    "gpus": ("GPUs", attrgetter("gpus")),
    "utilisation": ("utilisation", lambda run: getattr(run.utilisation, "value", UNKNOWN).use),
    **{field.name: (field.title.lower(), attrgetter(field.name)) for field in SUMMED},
}
"""What a condition for each run can name of it, with its title. Other names are sought from its item outwards."""


def _judged_runs(known: Known, project: ProjectLedger, name: str, policy: r.Policy) -> Iterator[PolicyResult]:
    """A policy over each run that states what it names: those that do not keep it; else that it is kept by all."""
    sheet = copy(known.sheet)  # what a run says has cells for the time of this alone: there may be very many
    sheet.cells, sheet.figures = dict(sheet.cells), dict(sheet.figures)
    members = list(_write_runs(sheet, project))
    found = list(_judged(Known(sheet, known.words), project, name, policy, members))
    broken = [result for result in found if result.holds is False]
    kept = [replace(result, about="", at=project.id, judged=Judged(True, ())) for result in found[:1]]
    yield from broken or kept


def _write_runs(sheet: Sheet, project: ProjectLedger) -> Iterator[Member]:
    """Writes what each run says of itself, below its item; gives back what the run is called, and its address. The
    first stands for all that may come: nothing is known of it."""
    at = f"{project.id}.plan.{next(iter(project.items), '')}.runs.any"
    for key, (title, _) in OF_RUNS.items():
        sheet.add(Figure(f"{at}.{key}", title, key_unit(key), UNKNOWN, Worked("of each run"), missing=(key,)))
    yield "", at
    for file in project.runs:
        stem = file.file.rsplit("/", 1)[-1].removesuffix(".yaml")
        for number, run in enumerate(file.runs, 1):
            at = f"{project.id}.plan.{run.item}.runs.{stem}.{number}"
            item = project.item_of(run)
            for key, (title, read) in OF_RUNS.items():
                if (value := read(run)) is not None:
                    origin = Stated(str(value), run.place)
                    form = "%" if key == "utilisation" else ""
                    sheet.add(Figure(f"{at}.{key}", title, key_unit(key), point(value), origin, form))
            yield f"{item.title if item else run.item}, {run.moment}", at


def _members(ledger: Ledger, project: ProjectLedger, each: str) -> Iterator[Member]:
    """Title and address of each thing of a kind."""
    if not each:
        yield "", project.id
    elif each == "phase":
        yield from ((phase.title, f"{project.id}.phases.{name}") for name, phase in project.plan.items() if phase.items)
    elif each in ("allocation", "payer"):
        grants = ledger.grants_of(project.id).items()
        yield from ((grant.title, f"allocations.{name}") for name, grant in grants)
    for name, item in project.items.items() if each in ("item", "seed") else ():
        at = f"{project.id}.plan.{name}"
        if each == "item":
            yield item.title, at
        else:
            yield from ((f"{item.title}, seed {seed}", f"{at}.seeds.{seed}") for seed in by_seed(project, item))
