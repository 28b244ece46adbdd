"""Plans: against the estimates behind them, margins that are taken twice, and inputs that are unknown."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from reckon.language.expression import names
from reckon.language.quantity import Quantity
from reckon.language.text import Refusal
from reckon.language.units import GPU_HOURS, HOURS
from reckon.model.amounts import Derived
from reckon.model.figure import Calculated, Figure, closure, is_known, operands
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.kinds import TOTALS
from reckon.model.ledger import ProjectLedger

from ..book import Book
from ..budget.budget import BudgetLine, budget_lines, covers_seeds
from ..sheet.cells import picked, read_formula, total_of
from ..sheet.evaluate import derive
from .common import known_figures, places, product, ratio, times_as_much

SUMS = tuple(f"{group}.{total.id}" for group in ("budget", "estimates") for total in TOTALS.values() if total.planned)
"""The totals that have no value where an input is unknown, in the order in which they are told."""
HALF, MOST_ROUNDED = Fraction(1, 2), Fraction(1, 100)
"""What rounding to whole hours leaves out at most, and as a share of the plan."""
MARGINS = frozenset(("margin", "buffer", "contingency", "safety"))
"""Words of the name of an input that is a margin."""


def pairs_of(project: ProjectLedger, book: Book) -> Iterator[tuple[str, str, Figure, Figure]]:
    """Item id, title, plan and estimate of the items that have both with bounds."""
    for name, item in project.items.items():
        plan = book.find(project, f"plan.{name}.gpu_hours")
        estimate = book.find(project, f"plan.{name}.estimate")
        if plan and estimate and plan.use is not None and estimate.value.low is not None:
            yield name, item.title, plan, estimate


def _is_rounded(plan: Fraction, estimate: Fraction) -> bool:
    """Whether a plan of whole hours is what an estimate comes to, rounded, and so off by no more than a hundredth."""
    return plan.denominator == 1 and abs(estimate - plan) <= min(HALF, plan * MOST_ROUNDED)


def estimate_above_plan(project: ProjectLedger, book: Book) -> Findings:
    """The estimate does not support its plan: error below its low end, warning below its planned value. A plan that is
    the estimate in whole hours is supported."""
    for name, title, plan, estimate in pairs_of(project, book):
        assert plan.use is not None
        assert estimate.value.low is not None
        below = plan.use < estimate.value.low
        if not below and not (estimate.use is not None and plan.use < estimate.use):
            continue
        if estimate.use is not None and _is_rounded(plan.use, estimate.use):
            continue
        yield make_finding(
            "estimate-above-plan",
            f"{project.id}.plan.{name}",
            say("{title}: the estimate does not support the plan", title=title),
            say("estimate {estimate}, plan {plan}", estimate=estimate, plan=plan)
            + times_as_much(estimate, plan, ": {ratio} as much")
            + (say("; it is ten times too small: a digit?") if _lacks_a_digit(plan, estimate) else ()),
            "The work as configured takes more than is planned for it."
            if below
            else "The plan covers only the low part of the estimate.",
            "Raise the plan, or change the configuration that the estimate rests on.",
            places(plan, estimate),
            is_mild=not below,
        )


def _lacks_a_digit(plan: Figure, estimate: Figure) -> bool:
    """Whether ten times a plan is within its estimate."""
    low = estimate.value.low or 0
    return 0 < low <= 10 * (plan.use or 0) <= (estimate.value.high or low)


def gpus_of(estimate: Figure) -> Figure | None:
    """The number of GPUs that an estimate multiplies by, where it is more than one."""
    for operand in operands(estimate):
        if operand.unit.kinds == (("gpu", 1),) and operand.value.exact and operand.use is not None and operand.use > 1:
            return operand
    return None


def wall_clock_as_gpu_hours(project: ProjectLedger, book: Book) -> Findings:
    """A plan that is too small for its estimate, but would suit it if wall-clock hours were GPU-hours."""
    for name, title, plan, estimate in pairs_of(project, book):
        gpus = gpus_of(estimate)
        low = estimate.value.low
        high = estimate.value.high
        if gpus is None or gpus.use is None or plan.use is None or low is None or high is None or plan.use >= low:
            continue
        wall_low = low / gpus.use
        wall_high = high / gpus.use
        wall = ratio(estimate, gpus, HOURS, "")
        # Near the wall-clock time, a usual margin included, and nearer to it than to the GPU-hours.
        if wall and wall_low / 2 <= plan.use <= wall_high * 2 and plan.use**2 <= wall_high * low:
            yield make_finding(
                "wall-clock-as-gpu-hours",
                f"{project.id}.plan.{name}",
                say("{title}: the plan looks like wall-clock hours booked as GPU-hours", title=title),
                say(
                    "{estimate} on {gpus} is {wall} of wall-clock time; the plan is {plan}",
                    estimate=estimate,
                    gpus=gpus,
                    wall=wall,
                    plan=plan,
                ),
                "GPU-hours are wall-clock hours times the GPUs held; the plan seems to leave out that factor.",
                "Multiply by the number of GPUs, or say why the plan is right.",
                places(plan, estimate),
            )


def seeds_counted_twice(project: ProjectLedger, book: Book) -> Findings:
    """A per-seed line whose estimate already counts the seeds."""
    seeds = book.find(project, "seeds")
    for name, title, plan, estimate in pairs_of(project, book):
        estimated = book[f"{project.id}.plan.{name}.estimate_total"]
        if project.items[name].scope != "per-seed" or seeds is None or not covers_seeds(estimated):
            continue
        total = book[f"{project.id}.plan.{name}.total"]
        yield make_finding(
            "seeds-counted-twice",
            f"{project.id}.plan.{name}",
            say("{title}: the seeds are counted twice", title=title),
            say(
                "the estimate {estimate} is for all {seeds}, the plan of {plan} is multiplied by them again: {total}",
                estimate=estimate,
                seeds=seeds,
                plan=plan,
                total=total,
            ),
            "The line is in the budget once for each seed, though it covers every seed already.",
            "Set its scope to all-seeds, or estimate one seed.",
            places(plan, estimate),
        )


def rests_on_low_end(project: ProjectLedger, book: Book) -> Findings:
    """An estimate that takes one value where the item's settings give a range that goes further."""
    for name, item in project.items.items():
        estimate = item.estimate
        for key, written in estimate.inputs.items() if isinstance(estimate, Derived) else ():
            setting = item.settings.get(key)
            if not isinstance(setting, Quantity) or not isinstance(written, Quantity):
                continue
            given_high = setting.value.high
            taken_high = written.value.high
            if not given_high or not taken_high or given_high <= taken_high:
                continue
            at = f"{project.id}.plan.{name}"
            taken = book[f"{at}.estimate.{key}"]
            given = book[f"{at}.settings.{key}"]
            yield _low_end(at, item.title, key, taken, given, book[f"{at}.estimate"])


def _low_end(at: str, title: str, key: str, taken: Figure, given: Figure, estimate: Figure) -> Finding:
    more = ratio(picked(given, "high"), taken)
    origin = estimate.origin
    linear = isinstance(origin, Calculated) and sum(1 for name in names(origin.formula.tree) if name.name == key) == 1
    shown = product(estimate, more, "estimate at the high end") if more and linear and not estimate.missing else None
    arithmetic = say("the estimate takes {taken}, the settings say {given}", taken=taken, given=given)
    if shown:
        arithmetic += say("; at the high end it would be {shown} instead of {estimate}", shown=shown, estimate=estimate)
    return make_finding(
        "rests-on-low-end",
        f"{at}.estimate.{key}",
        say("{title}: the estimate rests on the low end of a setting", title=title),
        arithmetic,
        "The configuration allows more work than the estimate counts.",
        "Give the estimate the same range, or narrow the setting.",
        places(taken, given),
    )


def _has_margin(project: ProjectLedger, book: Book, line: BudgetLine) -> bool:
    """Whether a line says that it includes a margin, or its hours are calculated with one: the rate that covers it, or
    an input of its own that is called one."""
    item = project.items[line.item]
    amounts = [amount for amount in (item.gpu_hours, item.estimate) if isinstance(amount, Derived)]
    called = (key for amount in amounts for key in amount.inputs if MARGINS.intersection(key.split("_")))
    figures = book.get_all(f"{project.id}.plan.{line.item}", "gpu_hours", "estimate")
    rests = (part.address for figure in figures if figure for part in closure(figure))
    margin = book.find(project, f"plan.{line.item}.margin")
    if is_known(margin) and margin.value.high is not None and margin.value.high <= 0:
        return False  # it is planned below what the margin is for
    return item.includes_margin or any(called) or f"{project.id}.{line.rate}" in rests


def _margin(project: ProjectLedger, book: Book, members: list[str]) -> Figure | None:
    """The margin that lines include, for all seeds, in GPU-hours; None unless all of them say how much it is."""
    addresses = [f"plan.{name}.{key}" for name in members for key in ("margin", "total", "gpu_hours")]
    known = known_figures(book, {address: f"{project.id}.{address}" for address in addresses})
    if known is None:
        return None
    parts = (f"max(plan.{name}.margin, 0 gpu_hours) * plan.{name}.total / plan.{name}.gpu_hours" for name in members)
    try:
        return derive(read_formula(" + ".join(parts)), known, GPU_HOURS, title="margin of these lines")
    except Refusal:
        return None


def margin_on_margin(project: ProjectLedger, book: Book) -> Findings:
    """Contingency taken on lines whose planned hours include a margin already."""
    covered = [line for line in budget_lines(project) if line.rate and _has_margin(project, book, line)]
    for rate in dict.fromkeys(line.rate for line in covered):
        members = [line.item for line in covered if line.rate == rate]
        whole = sum_over(project, book, members, "total", "lines that include a margin")
        share = book[f"{project.id}.{rate}"]
        if whole.use is None or not share.use:
            continue
        extra = product(whole, share)
        margin = _margin(project, book, members)
        of: Sentence = ()
        twice: Sentence = ()
        if margin:
            of = say(", of which {margin} are a margin", margin=margin)
            inputs = {"margin": margin, "extra": extra}
            both = derive(read_formula("min(margin, extra)"), inputs, GPU_HOURS, title="paid for twice")
            twice = say(", and {twice} of it pay for the same again", twice=both)
        yield make_finding(
            "margin-on-margin",
            f"{project.id}.{rate}",
            "Contingency is taken on lines that include a margin already",
            say(
                "{lines}: {whole} in all",
                lines=", ".join(project.items[item].title for item in members),
                whole=whole,
            )
            + of
            + say("; {share} of {these} is {extra}", share=share, these=whole if margin else "that", extra=extra)
            + twice,
            "The same uncertainty is paid for twice.",
            "Plan these lines without a margin, or set their own contingency to 0.",
            places(share, whole, margin),
        )


def sum_over(project: ProjectLedger, book: Book, items: list[str], key: str, title: str) -> Figure:
    """A sum over items of one of their figures, in GPU-hours."""
    figures = {f"plan.{item}.{key}": book[f"{project.id}.plan.{item}.{key}"] for item in items}
    return derive(total_of(list(figures)), figures, GPU_HOURS, title=title)


def contingency_above_plan(project: ProjectLedger, book: Book) -> Findings:
    """A contingency of more than the whole of what it covers, as 150% in place of 15%."""
    lines = budget_lines(project)
    for rate in dict.fromkeys(line.rate for line in lines if line.rate):
        share = book[f"{project.id}.{rate}"]
        covered = [line.item for line in lines if line.rate == rate]
        whole = sum_over(project, book, covered, "total", "what it covers")
        if share.use is None or share.use <= 1 or whole.use is None:
            continue
        yield make_finding(
            "contingency-above-plan",
            f"{project.id}.{rate}",
            "The contingency is above what it covers",
            say("{share} of {whole} is {extra}", share=share, whole=whole, extra=product(whole, share)),
            "More is kept for the unforeseen than the work is planned to take.",
            "Write the share that is meant, as 15%; or accept the finding with the reason.",
            places(share),
        )


def input_unknown(project: ProjectLedger, book: Book) -> Findings:
    """Unknown inputs that leave a total of the budget without a value: unknown is never zero."""
    wanted: dict[str, str] = {}
    totals = [book.find(project, f"plan.{name}.total") for name in project.items]
    # Where nothing is planned and work was done, the ledger tells what was spent: there is no plan to complete.
    spent_only = any(file.runs for file in project.runs) and all(figure and figure.value.unknown for figure in totals)
    for address in SUMS if not spent_only else ():
        total = book.find(project, address)
        for missing in total.missing if total else ():
            wanted.setdefault(missing, total.title if total else "")
    for missing, total_title in wanted.items():
        figure = book.get(missing)
        yield make_finding(
            "input-unknown",
            missing,
            say("{title} is unknown", title=figure.title if figure else missing),
            say("{total} cannot be calculated without {missing}", total=total_title, missing=missing),
            "Every total that rests on it is unknown too: unknown is never zero.",
            "State a number or a range, however wide; `use` can be left unknown.",
            (figure.place,) if figure else (),
        )
    for name in project.items:
        hours = book.find(project, f"plan.{name}.gpu_hours")
        if is_known(hours) and hours.use is None is hours.value.high and not hours.value.unknown:
            yield _open(hours)


def _open(hours: Figure) -> Finding:
    """Planned hours without an upper end, as `80+`. Where a range has no `use`, somebody decided that."""
    return make_finding(
        "input-unknown",
        hours.address,
        say("{title} has nothing to plan with", title=hours.title),
        say("{hours} has no upper end", hours=hours),
        "A sum keeps the bound; complete, EAC and forecast have no value without one to plan with.",
        say(
            "State a range, however wide, or what to plan with, as `{example}`.",
            example="{low: 80, use: 100, high: unknown}",
        ),
        (hours.place,),
    )
