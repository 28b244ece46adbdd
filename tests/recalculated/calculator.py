"""The figures of a ledger, calculated a second time: by the words of the guide, from its files alone, in fractions.

`Calculation(root).figures()` gives plan, actuals, allocations and money by their addresses: a `Range`, or None for one
that is unknown. In a `Range` that is only known from below, `use` and `high` are None. What is drawn by chance, or
rests on the pace, is left out. No code of the program is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tests.recalculated.files import (
    NOTHING,
    ONE,
    ZERO,
    Files,
    Range,
    Record,
    amount,
    days_in,
    exactly,
    hours_on_the_clock,
    money_in,
    number,
    parts_by_day,
)
from tests.recalculated.payers import Payers

FAILED = ("failed", "cancelled", "timeout", "out-of-memory", "node-failure", "preempted", "held-idle")
AT_LEAST_NOTHING = Range(ZERO, None, None)
"""The cost of hours without a price."""
Value = Range | None


def total(values: Iterable[Value]) -> Value:
    """The sum; unknown if one of them is."""
    found = NOTHING
    for value in values:
        if value is None:
            return None
        found = found.plus(value)
    return found


def minus(value: Value, other: Value) -> Value:
    return None if value is None or other is None else value.minus(other)


def share_of(part: Fraction | None, whole: Fraction | None) -> Value:
    """A quotient; unknown if nothing is divided by."""
    return None if part is None or not whole else exactly(part / whole)


def use(value: Value) -> Fraction | None:
    return None if value is None else value.use


def above_zero(value: Value) -> Value:
    return None if value is None else value.above_zero()


class Task(NamedTuple):
    """An item, or a seed of one, with its runs in order."""

    item: str
    seed: str
    plan: Range
    runs: list[Record]


class Part(NamedTuple):
    """What a run is on one of its days. `cost` is in the currency of the project, `booked` in the unit of its payer."""

    run: Record
    day: date
    payers: tuple[str, ...]
    held: Fraction
    counted: Fraction
    cost: Fraction | None
    booked: Fraction | None


class Calculation:
    """The figures of the one project of a ledger."""

    def __init__(self, root: Path) -> None:
        self.files = Files(root)
        self.payers = Payers(self.files)
        self.items = self.payers.items
        self.runs = [run for run in self.files.runs if run.get("status") != "queued"]
        self.parts = [part for run in self.runs for part in self.parts_of(run)]

    def figures(self) -> dict[str, Value]:
        """All of them, by address."""
        found: dict[str, Value] = {}
        for name, values in (
            ("p.", self.of_items()),
            ("p.", self.of_phases()),
            ("p.", self.of_budget()),
            ("p.", self.of_estimates()),
            ("p.", self.of_actuals()),
            ("p.", self.of_earned()),
            ("p.", self.of_money()),
            ("", self.of_allocations()),
        ):
            found |= {name + address: None if value == (None, None, None) else value for address, value in values}
        return found

    # Runs

    def parts_of(self, run: Record) -> Iterator[Part]:
        rules = self.payers
        card, held = rules.card_of(run), rules.held(run) or ZERO
        counted = held * rules.counts_as(card, rules.card)
        for day, share in parts_by_day(run):
            names = rules.of_run(run, day)
            payer = names[0] if len(names) == 1 else None
            cost = rules.cost_of_several(run, names) if len(names) > 1 else rules.cost(run, payer, day)
            own = None if cost is None else rules.convert(cost[1], cost[0], rules.currency, day) * share
            booked = rules.booked(run, payer, day) if payer else None
            yield Part(run, day, names, held * share, counted * share, own, booked and booked * share)

    def counted(self, runs: Iterable[Record]) -> Fraction:
        """The hours of some runs on the project's card."""
        wanted = [id(run) for run in runs]
        return sum((part.counted for part in self.parts if id(part.run) in wanted), ZERO)

    def of(self, item: str) -> list[Record]:
        return [run for run in self.runs if run["item"] == item]

    def is_seeded(self, item: str) -> bool:
        return item in self.items and self.items[item]["scope"] == "per-seed"

    # The plan

    def hours(self, item: str, key: str = "gpu_hours") -> Range:
        """What is planned of one task of an item, on the project's card."""
        record = self.items[item]
        if key not in record:
            return NOTHING
        card = str(record.get("gpu", self.payers.card))
        return amount(record[key]).times(self.payers.counts_as(card, self.payers.card))

    def many(self, item: str) -> Fraction:
        """How often an item counts."""
        return Fraction(len(self.files.seeds)) if self.is_seeded(item) else ONE

    def planned(self, item: str) -> Range:
        return self.hours(item).times(self.many(item))

    def estimated(self, item: str) -> Range:
        """What the plan of an item is compared with: its estimate, or the plan where it has none."""
        if "estimate" not in self.items[item]:
            return self.planned(item)
        return self.hours(item, "estimate").times(self.many(item))

    def contingency(self, item: str) -> Fraction:
        return number(self.reserved(item) or 0)

    def reserved(self, item: str) -> str:
        """The contingency that is said of an item: its own, its phase's, or the project's if it is no extension."""
        near = [self.items[item], self.payers.phase_of[item]]
        if not self.is_extension(item):
            near.append(self.files.project)
        return next((str(record["contingency"]) for record in near if "contingency" in record), "")

    def is_extension(self, item: str) -> bool:
        return self.payers.phase_of[item].get("extension") == "true"

    @cached_property
    def base(self) -> list[str]:
        """The items of the budget; those of extensions are outside of it."""
        return [item for item in self.items if not self.is_extension(item)]

    @cached_property
    def extensions(self) -> list[str]:
        return [item for item in self.items if self.is_extension(item)]

    # How far the work is

    def tasks(self, item: str) -> list[Task]:
        """The tasks of an item; the runs of a seeded one that name no seed are in none."""
        if not self.is_seeded(item):
            return [Task(item, "", self.hours(item), self.in_order(self.of(item)))]
        return [self.task_of(item, seed) for seed in self.files.seeds]

    def task_of(self, item: str, seed: str) -> Task:
        runs = [run for run in self.of(item) if str(run.get("seed", "")) == seed]
        return Task(item, seed, self.hours(item), self.in_order(runs))

    def in_order(self, runs: list[Record]) -> list[Record]:
        return sorted(runs, key=lambda run: parts_by_day(run)[-1][0])

    def progress(self, run: Record) -> Fraction | None:
        if "progress" not in run:
            return None
        return number(run["progress"]["done"]) / number(run["progress"]["total"])

    def done(self, task: Task) -> Fraction | None:
        """The share of a task that is done; None where no run says how much is.

        The progress of the latest attempt that states one; the completed runs of those that it takes; else all, once a
        run completed later than any progress, if its hours suit the plan or it is said to end its task.
        """
        item, stated = self.items[task.item], None
        completed, others, running = [], ZERO, False
        for run in task.runs:
            status = run.get("status", "completed")
            running = running or status == "running"
            if "progress" in run:
                stated, completed = self.progress(run), []
            if "progress" not in run and status == "completed":
                completed.append(run)
            elif status != "held-idle" or "progress" in run:
                others += self.counted([run])
        if "runs" in item:
            many = sum(run.get("status", "completed") == "completed" for run in task.runs)
            return min(ONE, many / number(item["runs"])) if stated is None else stated
        if completed and not running and self.ends(task, completed, others):
            return ONE
        if stated is not None or (not completed and not running):
            return stated or ZERO
        return ZERO if item.get("finishes") == "never" and not running else None

    def ends(self, task: Task, completed: list[Record], others: Fraction) -> bool:
        """Whether one of the completed runs ends its task: it took at most twice the plan, and at least half of it with
        the attempts that did not end it."""
        if "finishes" in self.items[task.item]:
            return self.items[task.item]["finishes"] == "piece"
        plan = task.plan.use
        return any(plan / 2 - others <= self.counted([run]) <= 2 * plan for run in completed)

    def lost(self, task: Task) -> Fraction:
        """Hours of attempts that failed, less what the plan gives for the progress that was kept; and what it gives for
        progress of others that went back."""
        hours = [self.counted([run]) for run in task.runs]
        shares = [self.progress(run) for run in task.runs]
        found, rates, parts = ZERO, [], []
        before = ZERO
        for place, share in enumerate(shares):
            gained = kept = ZERO
            if share is not None:
                later = [each for each in shares[place + 1 :] if each is not None]
                gained = max(share - before, ZERO)
                kept = max(min([share, *later]) - before, ZERO)
                before = share
            parts.append((gained, kept))
            if gained and hours[place]:
                rates.append(hours[place] / gained)
        whole = task.plan.use
        if len(rates) > 1 and whole:
            whole = max(min(rates), whole)  # all were slower than planned, and slow is not lost
        for run, held, (gained, kept) in zip(task.runs, hours, parts, strict=True):
            if run.get("status") in FAILED:
                found += max(held - kept * whole, ZERO)
            else:
                found += min((gained - kept) * whole, held)
        return found

    def without_seed(self, item: str) -> Task:
        return self.task_of(item, "")._replace(plan=NOTHING)

    def is_unassigned(self, item: str) -> bool:
        """Whether it is not known which seeds some runs advanced; one that failed advanced none."""
        runs = self.without_seed(item).runs if self.is_seeded(item) else []
        return any(run.get("status") not in FAILED for run in runs)

    def waste(self, item: str) -> Fraction:
        found = sum((self.lost(task) for task in self.tasks(item)), ZERO)
        return found + self.lost(self.without_seed(item)) if self.is_seeded(item) else found

    def spent_of_money(self, item: str) -> Fraction:
        """What was spent of a line of money, in its currency."""
        (currency, _), rules = money_in(self.items[item]) or ("", ZERO), self.payers
        parts = [part for part in self.parts if part.run["item"] == item]
        return sum((rules.convert(part.cost or ZERO, rules.currency, currency, part.day) for part in parts), ZERO)

    def done_of_item(self, item: str) -> Fraction | None:
        """The share of an item that is done, by hours; of a line of money by what was spent."""
        if self.payers.is_money(item):
            (_, planned) = money_in(self.items[item]) or ("", ZERO)
            return min(ONE, self.spent_of_money(item) / (planned * self.many(item)))
        earned = self.earned(item)
        return None if earned is None else earned / self.planned(item).use

    def earned(self, item: str) -> Fraction | None:
        if self.payers.is_money(item):
            return ZERO
        if self.is_unassigned(item):
            return None
        found = ZERO
        for task in self.tasks(item):
            share = self.done(task)
            if share is None:
                return None
            found += share * task.plan.use
        return found

    def to_do(self, task: Task) -> Fraction:
        """The share of a task that is not done; where no run says how much is, by hours alone."""
        share = self.done(task)
        if share is None:
            share = min(ONE, (self.counted(task.runs) - self.lost(task)) / task.plan.use)
        return 1 - share

    def tasks_to_do(self, item: str) -> Fraction:
        """How many tasks of an item are not done; by hours alone where it is not known whose work some runs did."""
        if self.is_unassigned(item):
            useful = self.counted(self.of(item)) - self.waste(item)
            return self.many(item) * (1 - min(ONE, useful / self.planned(item).use))
        return sum((self.to_do(task) for task in self.tasks(item)), ZERO)

    def hours_to_do(self, item: str) -> Fraction:
        """The planned hours of the work that is not done; a line of money has none."""
        return ZERO if self.payers.is_money(item) else self.tasks_to_do(item) * self.hours(item).use

    # Figures of items and phases

    def of_items(self) -> Iterator[tuple[str, Value]]:
        for item in self.items:
            at, planned = f"plan.{item}", self.planned(item)
            actual, waste = self.counted(self.of(item)), self.waste(item)
            yield f"{at}.total", planned
            yield f"{at}.actual", exactly(actual)
            yield f"{at}.remaining", planned.minus(exactly(actual))
            yield f"{at}.waste", exactly(waste)
            yield f"{at}.useful", exactly(actual - waste)
            yield f"{at}.to_do", exactly(self.hours_to_do(item))
            if "estimate" in self.items[item]:
                yield f"{at}.estimate_total", self.estimated(item)
            for name, value in self.of_performance(planned.use, actual, self.earned(item), self.eac(item)):
                yield f"{at}.{name}", value
            yield f"{at}.complete_share", None if (share := self.done_of_item(item)) is None else exactly(share)
            yield f"{at}.drawn", exactly(self.drawn(item))
            if self.is_seeded(item) and not self.payers.is_money(item):
                yield from self.of_seeds(item)

    def of_seeds(self, item: str) -> Iterator[tuple[str, Value]]:
        for task in self.tasks(item):
            at, actual, waste = f"plan.{item}.seeds.{task.seed}", self.counted(task.runs), self.lost(task)
            share = self.done(task)
            earned = None if share is None else share * task.plan.use
            yield f"{at}.actual", exactly(actual)
            yield f"{at}.remaining", task.plan.minus(exactly(actual))
            yield f"{at}.waste", exactly(waste)
            yield f"{at}.useful", exactly(actual - waste)
            yield f"{at}.drawn", exactly(max(actual - task.plan.use, ZERO))
            yield f"{at}.complete_share", None if share is None else exactly(share)
            for name, value in self.of_performance(task.plan.use, actual, earned, self.eac_of(task)):
                yield f"{at}.{name}", value
        rest = self.without_seed(item)
        if rest.runs:
            actual, waste = self.counted(rest.runs), self.lost(rest)
            yield f"plan.{item}.no_seed.actual", exactly(actual)
            yield f"plan.{item}.no_seed.waste", exactly(waste)
            yield f"plan.{item}.no_seed.useful", exactly(actual - waste)
            yield f"plan.{item}.no_seed.drawn", exactly(self.drawn_without_seed(item))

    def of_performance(
        self, plan: Fraction, actual: Fraction, earned: Fraction | None, eac: Fraction | None
    ) -> Iterator[tuple[str, Value]]:
        """Earned value: planned, earned, where it will end, and what that says."""
        yield "bac", exactly(plan)
        yield "earned", None if earned is None else exactly(earned)
        yield "eac", None if eac is None else exactly(eac)
        yield "etc", None if eac is None else exactly(eac - actual)
        yield "vac", None if eac is None else exactly(plan - eac)
        yield "cpi", share_of(earned, actual)
        yield "used_share", share_of(actual, plan)

    def eac_of(self, task: Task) -> Fraction | None:
        """Spent / share done; before anything is done, the plan beyond what was spent."""
        share, actual = self.done(task), self.counted(task.runs)
        if share is None:
            return None
        return actual / share if share else actual + task.plan.use

    def eac(self, item: str) -> Fraction | None:
        """The same of an item: of its tasks together."""
        if self.payers.is_money(item):
            return ZERO
        if self.earned(item) is None:
            return None
        found = sum((self.eac_of(task) or ZERO for task in self.tasks(item)), ZERO)
        return found + self.counted(self.without_seed(item).runs) if self.is_seeded(item) else found

    def drawn(self, item: str) -> Fraction:
        """What an item draws from the contingency: tasks above their plan, and runs without a seed."""
        tasks = self.tasks(item)
        found = sum((max(self.counted(task.runs) - task.plan.use, ZERO) for task in tasks), ZERO)
        return found + self.drawn_without_seed(item) if self.is_seeded(item) else found

    def drawn_without_seed(self, item: str) -> Fraction:
        """What runs without a seed take beyond what the seeds leave of their plans; what they lost in any case."""
        rest = self.without_seed(item)
        actual = self.counted(rest.runs)
        room = sum((max(task.plan.use - self.counted(task.runs), ZERO) for task in self.tasks(item)), ZERO)
        return actual - min(room, actual - self.lost(rest))

    def of_phases(self) -> Iterator[tuple[str, Value]]:
        for phase, record in self.files.plan.items():
            at, items = f"phases.{phase}", list(record["items"])
            planned = total(self.planned(item) for item in items) or NOTHING
            actual = sum((self.counted(self.of(item)) for item in items), ZERO)
            waste = sum((self.waste(item) for item in items), ZERO)
            earned, eac = self.sum_of(self.earned, items), self.sum_of(self.eac, items)
            yield f"{at}.planned", planned
            if any("estimate" in self.items[item] for item in items):
                yield f"{at}.estimated", total(self.estimated(item) for item in items)
            yield f"{at}.actual", exactly(actual)
            yield f"{at}.remaining", planned.minus(exactly(actual))
            yield f"{at}.waste", exactly(waste)
            yield f"{at}.useful", exactly(actual - waste)
            yield f"{at}.waste_share", share_of(waste, actual)
            yield f"{at}.complete_share", share_of(earned, planned.use)
            yield f"{at}.overrun_share", share_of(max(actual - planned.use, ZERO), planned.use)
            for name, value in self.of_performance(planned.use, actual, earned, eac):
                yield f"{at}.{name}", value
            drawn = sum((self.drawn(item) for item in items), ZERO)
            yield f"{at}.contingency.drawn", exactly(drawn)
            if self.has_contingency(items):
                reserve = self.reserve(items, self.planned)
                yield f"{at}.contingency.planned", reserve
                yield f"{at}.contingency.left", reserve.minus(exactly(drawn))
                yield f"{at}.contingency.left_share", self.left_share(reserve, drawn)
            for kind, limit in self.limits(record).items():
                if kind == "hours":
                    yield f"{at}.below_ceiling", exactly(limit - actual)

    def left_share(self, reserve: Range, drawn: Fraction) -> Value:
        if not reserve.low:
            return None
        return Range(1 - drawn / reserve.low, 1 - drawn / reserve.use, 1 - drawn / reserve.high)

    def has_contingency(self, items: Iterable[str]) -> bool:
        return any(self.reserved(item) for item in items)

    def reserve(self, items: Iterable[str], of: Callable[[str], Range]) -> Range:
        return total(of(item).times(self.contingency(item)) for item in items) or NOTHING

    def sum_of(self, of: Callable[[str], Fraction | None], items: Iterable[str]) -> Fraction | None:
        found = ZERO
        for item in items:
            value = of(item)
            if value is None:
                return None
            found += value
        return found

    def limits(self, record: Record) -> dict[str, Fraction]:
        """The ceilings of a project or phase: hours, and money in the currency of the project at the last rate."""
        stated = record.get("ceiling", [])
        found = {}
        for each in stated if isinstance(stated, list) else [stated]:
            size, _, currency = each.partition(" ")
            if currency:
                found["money"] = self.payers.convert(number(size), currency, self.payers.currency, None)
            else:
                found["hours"] = number(size)
        return found

    # Figures of the project, in hours

    def of_sums(self, at: str, of: Callable[[str], Range]) -> Iterator[tuple[str, Value]]:
        """The plan by scope, with contingency and extensions; `of` gives the hours of an item."""
        for scope in ("one-time", "per-seed", "single-seed", "all-seeds"):
            items = [item for item in self.base if self.items[item]["scope"] == scope]
            if items:
                yield f"{at}.{scope}", total(of(item) for item in items)
        subtotal, more = total(of(item) for item in self.base), total(of(item) for item in self.extensions)
        final, extended = self.final(of), self.extended(of)
        if self.base:
            yield f"{at}.subtotal", subtotal
            yield f"{at}.final", final
            if self.has_contingency(self.base):
                yield f"{at}.contingency", self.reserve(self.base, of)
        if self.extensions:
            yield f"{at}.extensions", more
            yield f"{at}.extended", extended
            if self.has_contingency(self.extensions):
                yield f"{at}.extensions_contingency", self.reserve(self.extensions, of)

    def final(self, of: Callable[[str], Range]) -> Range:
        return total(of(item).times(1 + self.contingency(item)) for item in self.base) or NOTHING

    def extended(self, of: Callable[[str], Range]) -> Range:
        return total(of(item).times(1 + self.contingency(item)) for item in self.items) or NOTHING

    @property
    def unplanned(self) -> list[Record]:
        return [run for run in self.runs if run["item"] not in self.items]

    @property
    def spent(self) -> Fraction:
        return self.counted(self.runs)

    @property
    def spent_of_base(self) -> Fraction:
        """Hours of the budget: all but those of extensions."""
        return self.counted(run for run in self.runs if run["item"] not in self.extensions)

    def of_budget(self) -> Iterator[tuple[str, Value]]:
        yield from self.of_sums("budget", self.planned)
        final, extended = self.final(self.planned), self.extended(self.planned)
        if self.base:
            yield "budget.remaining", final.minus(exactly(self.spent_of_base))
            yield "budget.used_share", share_of(self.spent_of_base, final.use)
            yield "actual.base", exactly(self.spent_of_base)
        if self.extensions:
            yield "budget.extended_remaining", extended.minus(exactly(self.spent))
            yield "budget.extended_used_share", share_of(self.spent, extended.use)
        limit = self.limits(self.files.project).get("hours")
        if limit is not None:
            yield "budget.below_ceiling", exactly(limit).minus(final if self.base else extended)
            yield "actual.below_ceiling", exactly(limit - self.spent)
        yield "work_to_do", exactly(sum((self.hours_to_do(item) for item in self.base or self.extensions), ZERO))
        if self.has_contingency(self.base):
            drawn = sum((self.drawn(item) for item in self.base), self.counted(self.unplanned))
            reserve = self.reserve(self.base, self.planned)
            yield "contingency.drawn", exactly(drawn)
            yield "contingency.left", reserve.minus(exactly(drawn))
            yield "contingency.left_share", self.left_share(reserve, drawn)

    def of_estimates(self) -> Iterator[tuple[str, Value]]:
        if any("estimate" in item for item in self.items.values()):
            yield from self.of_sums("estimates", self.estimated)

    def of_earned(self) -> Iterator[tuple[str, Value]]:
        """Earned value of the budget, and of the extended one where there are both."""
        sets = [("performance", self.base or self.extensions, self.spent_of_base if self.base else self.spent)]
        if self.base and self.extensions:
            sets.append(("performance.extended", list(self.items), self.spent))
        for at, items, spent in sets:
            bac = sum((self.planned(item).use for item in items), ZERO)
            earned, eac = self.sum_of(self.earned, items), self.sum_of(self.eac, items)
            eac = None if eac is None else eac + self.counted(self.unplanned)
            for name, value in self.of_performance(bac, spent, earned, eac):
                yield f"{at}.{name}", value
            yield f"{at}.complete_share", share_of(earned, bac)
            if at == "performance" and self.base:
                yield "budget.left_at_end", None if eac is None else exactly(self.final(self.planned).use - eac)
            if self.extensions and (at == "performance.extended" or not self.base):
                left = None if eac is None else exactly(self.extended(self.planned).use - eac)
                yield "budget.extended_left_at_end", left

    def of_actuals(self) -> Iterator[tuple[str, Value]]:
        waste = sum((self.waste(item) for item in self.items), ZERO)
        failed = [run for run in self.unplanned if run.get("status") in FAILED]
        waste += self.counted(failed)
        yield "actual.total", exactly(self.spent)
        yield "actual.waste", exactly(waste)
        yield "actual.useful", exactly(self.spent - waste)
        yield "actual.waste_share", share_of(waste, self.spent)
        if self.unplanned:
            yield "actual.unplanned", exactly(self.counted(self.unplanned))
        if failed:
            yield "actual.unplanned.waste", exactly(self.counted(failed))
        held = [run for run in self.runs if self.payers.held(run) is not None]
        for status in {run.get("status", "completed") for run in held}:
            runs = [run for run in held if run.get("status", "completed") == status]
            yield f"actual.by_status.{status}", exactly(self.counted(runs))
        for card in {self.payers.card_of(run) for run in held}:
            on_card = sum((part.held for part in self.parts if self.payers.card_of(part.run) == card), ZERO)
            yield f"actual.by_gpu.{card}", exactly(on_card)
        so_far = ZERO
        for month in sorted({part.day.isoformat()[:7] for part in self.parts if part.held}):
            hours = sum((part.counted for part in self.parts if part.day.isoformat()[:7] == month), ZERO)
            so_far += hours
            yield f"actual.by_month.{month}", exactly(hours)
            yield f"actual.by_month.{month}.so_far", exactly(so_far)
        for currency, name in (("usd", "cost"), ("eur", "cost_eur")):
            stated = [number(run[f"cost_{currency}"]) for run in self.runs if f"cost_{currency}" in run]
            if stated:
                yield f"actual.{name}", exactly(sum(stated, ZERO))

    # Money

    def cost_of_plan(self, item: str, hours: Range | None = None) -> Value:
        """What one task of an item costs at the last price and rate, in the currency of the project."""
        rules = self.payers
        stated = money_in(self.items[item])
        if stated:
            return exactly(rules.convert(stated[1], stated[0], rules.currency, None))
        names = rules.of_work(item)
        if len(names) > 1:
            free = all(rules.lists("", name) is None for name in names)
            return NOTHING if free else AT_LEAST_NOTHING
        payer = names[0] if names else None
        lists = rules.lists(rules.said("price", item), payer)
        if lists is None:
            return NOTHING
        card = str(self.items[item].get("gpu", rules.card))
        found = rules.price(lists, card, None)
        if found is None:
            return AT_LEAST_NOTHING
        of_grant = payer is not None and not rules.currency_of(payer)
        billing = rules.charge(payer) if of_grant else self.files.prices[found[0]]
        planned = amount(self.items[item]["gpu_hours"])
        price = rules.convert(found[2], found[1], rules.currency, None)
        return Range(*(rules.billed_plan(item, each, billing) * price for each in planned))

    def money_planned(self, item: str) -> Value:
        cost = self.cost_of_plan(item)
        return None if cost is None else cost.times(self.many(item))

    def money_to_do(self, item: str) -> Value:
        """The cost of the work that is not done."""
        cost = self.cost_of_plan(item)
        if cost is None:
            return None
        if self.payers.is_money(item):
            return exactly(cost.use * self.many(item) * (1 - (self.done_of_item(item) or ZERO)))
        many = self.tasks_to_do(item)
        if cost.use is None:
            return cost if many else NOTHING
        return exactly(cost.use * many)

    def cost(self, parts: Iterable[Part]) -> Value:
        """What parts of runs cost; at least so much, where the price of one is not known."""
        found, known = ZERO, True
        for part in parts:
            found += part.cost or ZERO
            known = known and part.cost is not None
        return exactly(found) if known else Range(found, None, None)

    def cost_of(self, items: Iterable[str]) -> Value:
        wanted = list(items)
        return self.cost(part for part in self.parts if part.run["item"] in wanted)

    def of_money(self) -> Iterator[tuple[str, Value]]:
        for item in self.items:
            planned = self.money_planned(item)
            yield f"plan.{item}.money.planned", planned
            yield f"plan.{item}.money.to_do", self.money_to_do(item)
            yield f"plan.{item}.money.actual", self.cost_of([item])
            if self.payers.is_money(item):
                currency = (money_in(self.items[item]) or ("", ZERO))[0]
                if currency != self.payers.currency:
                    yield f"plan.{item}.money.actual_{currency}", exactly(self.spent_of_money(item))
        for phase, record in self.files.plan.items():
            at, items = f"phases.{phase}.money", list(record["items"])
            actual = self.cost_of(items)
            yield f"{at}.planned", total(self.money_planned(item) for item in items)
            yield f"{at}.actual", actual
            limit = self.limits(record).get("money")
            if limit is not None:
                yield f"{at}.ceiling", exactly(limit)
                yield f"{at}.below_ceiling", minus(exactly(limit), actual)
        yield from self.of_money_in_all()

    def money_with_contingency(self, items: Iterable[str]) -> Value:
        costs = [(self.money_planned(item), 1 + self.contingency(item)) for item in items]
        return total(None if cost is None else cost.times(times) for cost, times in costs)

    def money_reserve(self, items: Iterable[str]) -> Value:
        costs = [(self.money_planned(item), self.contingency(item)) for item in items if self.reserved(item)]
        return total(None if cost is None else cost.times(share) for cost, share in costs)

    def of_money_in_all(self) -> Iterator[tuple[str, Value]]:
        outside = [run["item"] for run in self.unplanned]
        actual, base = self.cost_of([*self.items, *outside]), self.cost_of([*self.base, *outside])
        to_do = total(self.money_to_do(item) for item in self.base or self.extensions)
        yield "money.actual", actual
        yield "money.to_do", to_do
        if outside:
            yield "money.unplanned.actual", self.cost_of(outside)
        if self.base:
            final = self.money_with_contingency(self.base)
            yield "money.subtotal", total(self.money_planned(item) for item in self.base)
            yield "money.final", final
            yield "money.base", base
            yield "money.remaining", minus(final, base)
            if self.has_contingency(self.base):
                yield "money.contingency", self.money_reserve(self.base)
        if self.extensions:
            yield "money.extensions", total(self.money_planned(item) for item in self.extensions)
            yield "money.extended", self.money_with_contingency(self.items)
            if self.has_contingency(self.extensions):
                yield "money.extensions_contingency", self.money_reserve(self.extensions)
        in_kind = [part for part in self.parts if self.is_in_kind(part) and part.cost is not None]
        paid = minus(actual, self.cost(in_kind))
        if in_kind:
            yield "money.in_kind", self.cost(in_kind)
        yield "money.paid", paid
        limit = self.limits(self.files.project).get("money")
        if limit is not None:
            left = minus(exactly(limit), paid)
            items = [item for item in self.base or self.extensions if not self.is_granted(self.payers.of_work(item))]
            paid_to_do = total(self.money_to_do(item) for item in items)
            yield "money.ceiling", exactly(limit)
            yield "money.below_ceiling", left
            yield "money.paid_to_do", paid_to_do
            short = above_zero(minus(paid_to_do, above_zero(left)))
            yield "money.short_by", Range(short.low, None, None) if short and short.use is None else short

    def is_granted(self, names: tuple[str, ...]) -> bool:
        """Whether hours that were granted pay, whoever of several that is."""
        return bool(names) and not any(self.payers.currency_of(name) for name in names)

    def is_in_kind(self, part: Part) -> bool:
        """Whether what a part of a run costs is what granted hours are worth."""
        return len(part.payers) == 1 and self.is_granted(part.payers)

    # Allocations

    def of_allocations(self) -> Iterator[tuple[str, Value]]:
        for name, payer in self.files.allocations.items():
            at, rules = f"allocations.{name}", self.payers
            granted = self.granted(name)
            parts = [part for part in self.parts if part.payers == (name,)]
            shared = [part for part in self.parts if len(part.payers) > 1 and name in part.payers]
            changed = self.booked_without_run(name)
            used = sum((part.booked or ZERO for part in parts), ZERO) + changed
            known, rest = not shared and all(part.booked is not None for part in parts), granted - used
            if self.has_ended(name):
                rest = min(rest, ZERO)  # what it has left can be spent no more
            yield f"{at}.granted", exactly(granted)
            yield f"{at}.used", exactly(used) if known else None
            yield f"{at}.left", exactly(rest) if known else None
            yield f"{at}.used_share", share_of(used if known else None, granted)
            if shared:
                yield f"{at}.used_at_least", exactly(used)
                yield f"{at}.left_at_most", exactly(rest)
            to_do = self.units_to_do(name, known)
            with_contingency = self.units_to_do(name, known, contingency=True)
            left = exactly(max(rest, ZERO)) if known else None
            yield f"{at}.to_do", to_do
            yield f"{at}.to_do_with_contingency", with_contingency
            yield f"{at}.short_by", above_zero(minus(to_do, left))
            yield f"{at}.asked", above_zero(minus(with_contingency, left))
            yield f"p.payers.{name}.to_do", to_do
            yield f"p.payers.{name}.charged", exactly(used - changed) if known else None
            own = str(payer.get("gpu", rules.card))
            held = sum((part.held * rules.counts_as(rules.card_of(part.run), own) for part in parts), ZERO)
            yield f"p.payers.{name}.held", exactly(held) if known else None
            running = sum((part.booked or ZERO for part in parts if part.run.get("status") == "running"), ZERO)
            promised = self.promised(name)
            yield f"{at}.in_flight", exactly(running)
            yield f"{at}.committed", promised
            yield f"{at}.free", minus(exactly(rest), promised) if known else None
            if not rules.currency_of(name):
                yield f"{at}.held", exactly(held) if known else None

    def has_ended(self, name: str) -> bool:
        """Whether the last day of an allocation is before that of its data: of runs, and of what it booked without."""
        payer = self.files.allocations[name]
        days = [part.day for part in self.parts if part.held] + self.payers.booking_days(name)
        return bool(days) and "until" in payer and days_in(payer["until"])[-1] < max(days)

    def granted(self, name: str) -> Fraction:
        """The grant, with the changes up to the last day of data."""
        payer = self.files.allocations[name]
        stated = money_in(payer)
        found = stated[1] if stated else number(payer.get("gpu_hours", payer.get("units")))
        for other, record in self.files.allocations.items():
            for change in record.get("changes", ()):
                if self.payers.last is not None and days_in(change["date"])[0] > self.payers.last:
                    continue
                if other == name:
                    found += number(change.get("granted", 0)) - number(change.get("moved", 0))
                if change.get("to") == name:
                    found += number(change["moved"])
        return found

    def booked_without_run(self, name: str) -> Fraction:
        changes = self.files.allocations[name].get("changes", ())
        return sum((number(change.get("charged", 0)) - number(change.get("refunded", 0)) for change in changes), ZERO)

    def units_to_do(self, name: str, known: bool, contingency: bool = False) -> Value:
        """What an allocation would book for the work that is not done and that it pays for; not known while another one
        could be charged for some of it. `known` says whether it is known what it was charged."""
        found: list[Value] = []
        for item in self.base or self.extensions:
            several = len(self.payers.of_work(item)) > 1 and name in self.payers.of_work(item)
            if several and not self.payers.is_money(item) and (self.tasks_to_do(item) or not known):
                return None
            if self.payers.of_work(item) == (name,):
                times = 1 + self.contingency(item) if contingency else ONE
                booked = self.units_of(item, name)
                found.append(None if booked is None else booked.times(times))
        return total(found)

    def units_of(self, item: str, name: str) -> Value:
        """The same of an item: in units of a grant, or in the currency that pays."""
        rules, currency = self.payers, self.payers.currency_of(name)
        if currency:
            cost = self.money_to_do(item)
            if cost is None or cost.use is None:
                return None
            return cost.times(rules.convert(ONE, rules.currency, currency, None))
        charge = rules.charge(name)
        card = str(self.items[item].get("gpu", rules.card))
        hours = amount(self.items[item]["gpu_hours"]).use
        billed = rules.billed_plan(item, hours, charge) * self.tasks_to_do(item)
        return exactly(billed * rules.units(name, card))

    def promised(self, name: str) -> Range:
        """What queued runs, and running ones beyond what they took, would book up to their time limit; at least that
        much, where a running one has none."""
        found, rules, is_open = ZERO, self.payers, False
        for run in self.files.runs:
            if run.get("status") not in ("queued", "running"):
                continue
            if rules.of_run(run, parts_by_day(run)[-1][0]) != (name,):
                continue
            if "limit_hours" not in run:
                is_open = True
                continue
            limit = self.up_to(run, name, hours_on_the_clock(run["limit_hours"]))
            so_far = ZERO
            if run["status"] == "running":
                took = hours_on_the_clock(run["wall_hours"])
                so_far = number(run["charged"]) if "charged" in run else self.up_to(run, name, took)
            found += max(limit - so_far, ZERO)
        return Range(found, found, None if is_open else found)

    def up_to(self, run: Record, name: str, time: Fraction) -> Fraction:
        """What a payer would book for a run that takes so long, at the last price and rate."""
        rules, whole = self.payers, {**run, "wall_hours": str(time)}
        currency = rules.currency_of(name)
        if not currency:
            return rules.booked_units(whole, name)
        cost = rules.priced(whole, name, None)
        return rules.convert(cost[1], cost[0], currency, None) if cost else ZERO
