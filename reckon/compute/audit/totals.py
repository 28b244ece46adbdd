"""Plans as a whole, and too high: against what their estimates add up to, against what a line repeats, and what was
multiplied in or added on without being said."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from reckon.language.expression import names
from reckon.language.quantity import Quantity
from reckon.language.units import GPU_HOURS, key_unit, singular
from reckon.model.amounts import AmountValue, Derived
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Findings, make_finding, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Item

from ..book import Book
from ..budget.budget import BudgetLine, budget_lines, covers_seeds, repeated_cost
from ..sheet.evaluate import derive
from .common import places, times_as_much
from .plans import gpus_of, pairs_of, sum_over

FAR = 2
"""A plan of this many times the high end of its estimate is told whatever may explain it."""
CLEARLY = Fraction(3, 2)
"""A plan of less than this many times the high end of its estimate may just be generous."""
WIDE = Fraction(3, 2)
"""A range whose ends are further apart than this has some multiple near any plan: that tells nothing."""
SLACK = Fraction(1, 20)
"""A factor explains a plan that it misses by at most this share: plans are rounded."""
APART = Fraction(1, 10)
"""A line may miss what it repeats by this share: plans are rounded."""
SLIGHT = Fraction(1, 20)
"""Margins of less than this share of all that the contingency covers are not worth a word."""
REPEATS = ("run", "repeat", "repetition")
SEED = "seed"


def plan_below_estimates(project: ProjectLedger, book: Book) -> Findings:
    """The budget with its contingency is below the low end of what its lines come to by their estimates without one.

    Told where two lines or more are short: what a single one misses is told of that line. What is told has the
    contingency on both sides, where there is one.
    """
    final = book.find(project, FINAL.hours)
    estimated = book.find(project, "estimates.subtotal")
    if final is None or estimated is None or final.use is None or estimated.value.low is None:
        return
    short = list(short_lines(project, book).values())
    if final.use < estimated.value.low and len(short) > 1:
        whole = book.find(project, "estimates.final")
        both = whole if whole and whole.value.low is not None and whole.value != estimated.value else None
        estimated = both or estimated
        yield make_finding(
            "plan-below-estimates",
            final.address,
            "The estimates do not support the budget as a whole",
            say(
                "by their estimates the lines come to {estimated}{too}; the final budget is {final}",
                estimated=estimated,
                too=", contingency included" if both else "",
                final=final,
            )
            + times_as_much(estimated, final, ": {ratio} as much")
            + say("; short are {lines}", lines=", ".join(short)),
            "No contingency of this size makes up for it: the work as configured takes more than is asked for.",
            "Raise the plan of the lines that are named, or do less.",
            places(estimated),
        )


def short_lines(project: ProjectLedger, book: Book) -> dict[str, str]:
    """The lines of the base budget that are planned below their estimates: their ids and titles."""
    base = {line.item for line in budget_lines(project) if not line.extension}
    pairs = ((name, title) for name, title, _, _ in pairs_of(project, book) if name in base)
    return {name: title for name, title in pairs if _is_short(project, book, name)}


def _is_short(project: ProjectLedger, book: Book, name: str) -> bool:
    """Whether a line is planned below the low end of its estimate, both for all seeds."""
    planned = book[f"{project.id}.plan.{name}.total"].use
    low = book[f"{project.id}.plan.{name}.estimate_total"].value.low
    return planned is not None and low is not None and planned < low


def repeats_cost_otherwise(project: ProjectLedger, book: Book) -> Findings:
    """A line that says what it repeats, and how often, and is planned at less than that costs, or at twice as much."""
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        planned = book[f"{at}.total"]
        cost = book.get(f"{at}.repeated")
        if item.repeats is None or cost is None or planned.use is None or cost.value.low is None:
            continue
        below = planned.use < cost.value.low * (1 - APART)
        if not below and not (cost.value.high is not None and planned.use > FAR * cost.value.high):
            continue
        told = say(
            "{times} of {lines} are {cost} as planned",
            times=book[f"{at}.repeats.times"],
            cost=cost,
            lines=" + ".join(project.items[part].title for part in item.repeats.of),
        )
        estimated = _repeated_estimate(project, book, name, item)
        told += say(", {estimated} as estimated", estimated=estimated) if estimated else ()
        told += say("; for the line {planned} are planned", planned=planned)
        yield make_finding(
            "repeats-cost-otherwise",
            at,
            say(
                "{title}: planned at {much} than what it repeats",
                title=item.title,
                much="less" if below else "more",
            ),
            told + times_as_much(*((cost, planned) if below else (planned, cost)), ": {ratio} as much"),
            "What the plan pays for a run in one place it does not pay in the other."
            if below
            else "The same runs are planned at two prices.",
            (
                "Plan the line at what it repeats; or write into `times` what is really done, as 0.5 for runs of half "
                "the length."
            ),
            places(planned, cost),
            is_mild=not below,
        )


def _repeated_estimate(project: ProjectLedger, book: Book, name: str, item: Item) -> Figure | None:
    """What a line repeats comes to by the estimates of those lines, where they have any; in GPU-hours."""
    parts = item.repeats.of if item.repeats else ()
    if not any(project.items[part].estimate is not None for part in parts):
        return None
    text = repeated_cost(project, book.figures, name, item, estimated=True)
    inputs = {
        each.name: book[f"{project.id}.{each.name}"] if book.find(project, each.name) else book[each.name]
        for each in names(text.tree)
    }
    return derive(text, inputs, GPU_HOURS, title="what it repeats, by the estimates")


def plan_far_above_estimate(project: ProjectLedger, book: Book) -> Findings:
    """A plan that is its estimate multiplied by the GPUs or the seeds once more, or is far above it."""
    seeds = book.find(project, "seeds")
    for name, title, plan, estimate in pairs_of(project, book):
        high = estimate.value.high
        low = estimate.value.low
        if high is None or low is None or plan.use is None or _twice(project, book, name):
            continue
        if not 0 < high * CLEARLY <= plan.use:
            continue
        scope = project.items[name].scope
        factors = [(seeds, scope)] if scope in ("per-seed", "all-seeds") else []
        counts = [(count, why) for count, why in (*factors, (gpus_of(estimate), "gpus")) if count and count.use]
        why = next(((count, why) for count, why in counts if _is_times(plan.use, low, high, count.use)), None)
        if why or plan.use >= high * FAR:
            yield _far_above(project, name, title, plan, estimate, why)


def _is_times(plan: Fraction, low: Fraction, high: Fraction, count: Fraction | None) -> bool:
    """Whether a plan is its estimate times a count of two or more, its rounding allowed; of a wide range any is."""
    near = count is not None and low * count * (1 - SLACK) <= plan <= high * count * (1 + SLACK)
    return near and count is not None and count > 1 and high <= low * WIDE


MEANT = {
    "per-seed": (
        "it is the estimate times the {count}, and the line is multiplied by them again",
        "Plan one seed: the scope per-seed does the multiplying.",
    ),
    "all-seeds": (
        "it is the estimate times the {count}: the estimate counts one of them",
        "Write the seeds into the estimate, or let the line be per-seed and plan one of them.",
    ),
    "gpus": (
        "it is the estimate times the {count}, which the estimate counts already",
        "Plan the GPU-hours that the estimate gives: they are GPUs times hours.",
    ),
}


def _far_above(
    project: ProjectLedger, name: str, title: str, plan: Figure, estimate: Figure, why: tuple[Figure, str] | None
) -> Finding:
    cause, remedy = MEANT[why[1]] if why else ("", "Lower the plan, correct the estimate, or say what else is in it.")
    told = say("plan {plan}, estimate {estimate}", plan=plan, estimate=estimate)
    told += times_as_much(plan, estimate, ": {ratio} as much")
    told += say("; ") + say(cause, count=why[0]) if why else ()
    certain = why is not None and why[1] != "all-seeds"
    return make_finding(
        "plan-far-above-estimate",
        f"{project.id}.plan.{name}",
        say("{title}: the plan is far above its estimate", title=title),
        told,
        "A factor seems to be in the plan twice." if certain else "What is planned is not what the estimate gives.",
        remedy,
        places(plan, estimate),
        is_mild=not certain,
    )


def seeds_under_another_name(project: ProjectLedger, book: Book) -> Findings:
    """A per-seed line whose hours are multiplied by a number of seeds or runs of their own that is the number of seeds.

    Where the item says how many `runs` a piece of it takes, the runs of its formula are those.
    """
    seeds = book.find(project, "seeds")
    for name, item in project.items.items():
        if item.scope != "per-seed" or seeds is None or seeds.use is None or seeds.use < 2:
            continue
        at = f"{project.id}.plan.{name}"
        for below, amount in (("gpu_hours", item.gpu_hours), ("estimate", item.estimate)):
            own = [key for key in _multiplied_counts(amount) if book[f"{at}.{below}.{key}"].use == seeds.use]
            for key in [key for key in own if _word(key) == SEED or item.runs is None][:1]:
                count = book[f"{at}.{below}.{key}"]
                line = book[f"{at}.{below}"]
                yield make_finding(
                    "seeds-under-another-name",
                    f"{at}.{below}",
                    say("{title}: the seeds seem to be in it twice", title=item.title),
                    say(
                        "{what} counts {count}, and the line is multiplied by {seeds}: {total} in all",
                        what="the plan" if below == "gpu_hours" else "the estimate",
                        count=count,
                        seeds=seeds,
                        total=book[f"{at}.total"],
                    ),
                    "The line is for each seed, so that a count in it of as many may be the seeds again.",
                    (
                        "Take it out of the formula, let the scope be all-seeds, or write `runs` of the item if a seed "
                        "takes that many runs."
                    ),
                    places(count, line),
                    is_mild=_word(key) != SEED,
                )


def _multiplied_counts(amount: AmountValue | None) -> list[str]:
    """The inputs of a formula of its own that count seeds or runs, and stand nowhere below a division, in order."""
    if not isinstance(amount, Derived) or "/" in amount.formula.text:
        return []
    used = {name.name for name in names(amount.formula.tree)}
    counted = (key for key, value in amount.inputs.items() if key in used and isinstance(value, Quantity))
    return [key for key in counted if not key_unit(key).kinds and _word(key) in (SEED, *REPEATS)]


def _word(key: str) -> str:
    """The last word of the name of a count, in the singular: `own_seeds` counts a seed."""
    return singular(key.rpartition("_")[2]) if "_per_" not in key else ""


def margin_unstated(project: ProjectLedger, book: Book) -> Findings:
    """Lines that are planned above the high end of their estimate without `includes_margin`, under a contingency."""
    lines = [line for line in budget_lines(project) if line.rate]
    above = {
        name: title
        for name, title, plan, estimate in pairs_of(project, book)
        if _generous(plan, estimate) and not _twice(project, book, name)
    }
    for rate in dict.fromkeys(line.rate for line in lines):
        yield from _unstated(project, book, rate, [line for line in lines if line.rate == rate], above)


def _generous(plan: Figure, estimate: Figure) -> bool:
    """Whether a plan is above its estimate, and not so far that something else is wrong."""
    high = estimate.value.high
    return high is not None and plan.use is not None and high < plan.use < high * CLEARLY


def _twice(project: ProjectLedger, book: Book, name: str) -> bool:
    """Whether a line multiplies by the seeds an estimate that counts them: it is not its margin that is wrong."""
    return project.items[name].scope == "per-seed" and covers_seeds(book[f"{project.id}.plan.{name}.estimate_total"])


def _unstated(
    project: ProjectLedger, book: Book, rate: str, lines: list[BudgetLine], above: Mapping[str, str]
) -> Findings:
    share = book[f"{project.id}.{rate}"]
    found = [line.item for line in lines if line.item in above and not project.items[line.item].includes_margin]
    if not found or not share.use:
        return
    whole = sum_over(project, book, [line.item for line in lines], "total", "what the contingency covers")
    planned = sum_over(project, book, found, "total", "these lines, as planned")
    estimated = sum_over(project, book, found, "estimate_total", "these lines, as estimated")
    if whole.use is None or planned.use is None or estimated.value.high is None:
        return
    if planned.use - estimated.value.high < SLIGHT * whole.use:
        return
    yield make_finding(
        "margin-unstated",
        f"{project.id}.{rate}",
        "Contingency is taken on lines that are planned above their estimates",
        say(
            "{lines}: {planned} planned, {estimated} estimated; {share} come on top",
            lines=", ".join(above[item] for item in found),
            planned=planned,
            estimated=estimated,
            share=share,
        ),
        "What stands above an estimate is a margin, and the contingency is a second one for the same.",
        "Plan what the estimates give; or write `includes_margin: true` and a `contingency` of 0 for these lines.",
        places(planned, share),
    )
