# ruff: noqa: E501 (tables read better unbroken)
"""Each rule of the audit with the smallest ledger that sets it off, and one that just does not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import test_documents
import test_implied
import test_orders
import test_points
from measured_cases import CASES, FRAME, lever, ran, reported, stated

from reckon.model.rules import ALIASES, RULES, current_id
from reckon.present.render.numbers import format_sentence


def item(fields: str, **more: str) -> dict[str, str]:
    return {"plan": f"one: {{title: One, items: {{a: {{title: A, finishes: piece, {fields}}}}}}}\n", **more}


SMALL = "one: {{title: One, items: {{a: {{title: A, scope: one-time, gpu_hours: 990}}, b: {{title: B, scope: one-time, gpu: other, gpu_hours: {hours}}}}}}}\n"


def until(day: str) -> dict[str, str]:
    """Five days of work on eight GPUs, from the first of January."""
    work = "items: {a: {title: A, scope: one-time, gpu_hours: 960}}"
    return {"project": "gpus: 8\n", "plan": f"one: {{title: One, since: 2025-01-01, until: {day}, {work}}}\n"}


IMPRECISE = "note claim-imprecise:p.plan.a.total"


def claim(text: str, gpu_hours: str = "100") -> dict[str, str]:
    return item(
        f"scope: one-time, gpu_hours: {gpu_hours}", claims=f"- {{of: plan.a.total, at: Page 1, states: {text}}}\n"
    )


def estimate(gpu_hours: str, formula: str, scope: str = "one-time", **more: str) -> dict[str, str]:
    return item(f"scope: {scope}, gpu_hours: {gpu_hours}, estimate: {{formula: {formula}}}", **more)


NEED = "memory: {{work: {{title: Work, need_gib_per_gpu: {need}}}}}\nhardware: {{node: {{title: Node, cards: [card], runs: [work]}}}}\n"
MEASURED = "m: {{title: M, kind: measured, date: 2025-01-01, seconds_per_step: 36, gpus: 1{more}}}\n"
PROJECTED = "q: {measurements: [m], steps: 1000, gpus: 1, compare: a}\n"


def far(gpu_hours: str, estimated: str = "") -> dict[str, str]:
    """A projection of 10 GPU-hours beside a plan, or an estimate."""
    extra = f", estimate: {estimated}" if estimated else ""
    return item(
        f"scope: one-time, gpu_hours: {gpu_hours}{extra}", measurements=MEASURED.format(more=""), projections=PROJECTED
    )


def memory(gib: str) -> dict[str, str]:
    return {
        "project": NEED.format(need="20-30"),
        "measurements": MEASURED.format(more=f", peak_gib: {gib}, memory: {{peak_gib: work}}"),
    }


def parts(text: str) -> dict[str, str]:
    return {"measurements": MEASURED.format(more=f", parts: {{{text}}}")}


def spent(gpu_hours: str, project: str = "") -> dict[str, str]:
    """100 hours planned, so many charged."""
    return item("scope: one-time, gpu_hours: 100", project=project, runs=f"- {{item: a, gpu_hours: {gpu_hours}}}\n")


def done(gpu_hours: int, project: str = "") -> dict[str, str]:
    """100 hours planned, so many charged for a quarter of the work."""
    run = f"- {{item: a, gpu_hours: {gpu_hours}, status: running, progress: {{done: 1, total: 4}}}}\n"
    return item("scope: one-time, gpu_hours: 100", project=project, runs=run)


def finished(hours: str, fields: str = "", after: str = "") -> dict[str, str]:
    """100 hours planned, and a completed run."""
    plan = f"one: {{title: One, items: {{a: {{title: A, {fields}scope: one-time, gpu_hours: 100}}}}}}\n"
    return {"plan": plan, "runs": f"- {{item: a, gpu_hours: {hours}{after}}}\n"}


def timed(start: str, end: str, hours: str) -> dict[str, str]:
    run = f"{{item: a, gpus: 2, wall_hours: {hours}, start: {start!r}, end: {end!r}}}"
    return item("scope: one-time, gpu_hours: 1000", runs=f"- {run}\n")


def policy(require: str) -> str:
    return f"policies: {{k: {{message: Stop., require: {require}}}}}\n"


def text(when: str) -> dict[str, str]:
    """A text beside a plan of 100 GPU-hours, of which none are spent."""
    return {**spent("0, status: failed"), "texts": f"t: {{section: S, text: Here., when: {when}}}\n"}


UNPRICED = "- {item: a, gpu_hours: 20}\n- {item: a, gpu: other, gpu_hours: 1, status: failed}\n"


POWERS = "card: {title: Card, vram_gib: 40, watts: 400}\nother: {title: Other, counts_as: {card: 2}}\n"


def priced(day: str) -> dict[str, str]:
    """A list whose prices changed on a day."""
    change = f"since: {{{day}: {{usd_per_gpu_hour: {{card: 1}}}}}}"
    return {
        "gpus": "card: {title: Card, vram_gib: 40}\nother: {title: Other, counts_as: {card: 2}}\n",
        "ledger/catalog/prices.yaml": f"list: {{title: List, as_of: 2024-01-01, usd_per_gpu_hour: {{card: 2}}, {change}}}\n",
    }


def prices(as_of: str, project: str = "") -> dict[str, str]:
    """A price list that a plan of 2025-01-01 uses."""
    day = f", as_of: {as_of}" if as_of else ""
    return {
        "project": f"prices: [list]\n{project}",
        "ledger/catalog/prices.yaml": f"list: {{title: List, usd_per_gpu_hour: {{card: 1}}{day}}}\n",
    }


def throughput(rate: str, dtype: str = "fp16") -> dict[str, str]:
    """Weights of 14 GB in fp16, which a card reads 100 times a second."""
    return {
        "project": "throughputs: [table]\n",
        "models": "m: {title: Model, parameters: 7B}\n",
        "gpus": "card: {title: Card, vram_gib: 40, memory_gb_per_second: 1400}\nother: {title: Other}\n",
        "ledger/catalog/throughputs.yaml": f"table: {{title: T, model: m, dtype: {dtype}, tokens_per_second_per_gpu: {{card: {rate}, other: 999}}}}\n",
    }


RATES = "contingency: 15%\n"
MARGIN = "scope: one-time, gpu_hours: 100, includes_margin: true"

TABLE: list[tuple[str, dict[str, str], list[str]]] = [
    *CASES,
    (
        "estimate just above the low end of its plan",
        estimate("99", "2 * gpu_hours, gpu_hours: 50-60"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "plan between low end and planned value",
        estimate("100", "2 * gpu_hours, gpu_hours: 50-60"),
        ["warning plan-unlike-its-estimate:p.plan.a#below"],
    ),
    ("plan that covers the planned value", estimate("110", "2 * gpu_hours, gpu_hours: 50-60"), []),
    ("plan that is the exact estimate", estimate("100", "2 * gpu_hours, gpu_hours: 50"), []),
    ("plan that is its estimate in whole hours", estimate("500", "2 * gpu_hours, gpu_hours: 250.2"), []),
    ("plan of rounded hours on eight GPUs", estimate("10629", "8 * gpu_hours, gpu_hours: 1329"), []),
    (
        "plan that is more than half an hour below its estimate",
        estimate("500", "2 * gpu_hours, gpu_hours: 250.3"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "plan that is more than a hundredth below its estimate",
        estimate("20", "2 * gpu_hours, gpu_hours: 10.2"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "plan near the wall-clock time",
        estimate("30", "hours * gpus, hours: 24-30, gpus: 8"),
        ["error plan-unlike-its-estimate:p.plan.a#clock"],
    ),
    (
        "plan nearer to the GPU-hours",
        estimate("80", "hours * gpus, hours: 24-30, gpus: 8"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "plan within twice the wall-clock time, but nearer to the GPU-hours",
        estimate("40", "hours * gpus, hours: 24-30, gpus: 2"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "plan for one GPU",
        estimate("20", "hours * gpus, hours: 24-30, gpus: 1"),
        ["error plan-unlike-its-estimate:p.plan.a#below"],
    ),
    (
        "estimate of all seeds in a per-seed line",
        estimate("40", "gpu_hours * seeds, gpu_hours: 10", "per-seed", project="seeds: 3\n"),
        ["error seeds-counted-twice:p.plan.a"],
    ),
    (
        "estimate of all seeds through another figure",
        estimate(
            "40",
            "figures.f / 2",
            "per-seed",
            project="seeds: 3\n",
            figures="f: {title: F, gpu_hours: {formula: gpu_hours * seeds, gpu_hours: 10}}\n",
        ),
        ["error seeds-counted-twice:p.plan.a"],
    ),
    (
        "estimate of all seeds in a line for all seeds",
        estimate("40", "gpu_hours * seeds, gpu_hours: 10", "all-seeds", project="seeds: 3\n"),
        [],
    ),
    (
        "seeds of its own",
        estimate("40", "gpu_hours * seeds, gpu_hours: 10, seeds: 3", "per-seed", project="seeds: 3\n"),
        ["error seeds-counted-twice:p.plan.a.estimate#count"],
    ),
    (
        "estimate on the low end of a setting",
        item(
            "scope: one-time, gpu_hours: 9, estimate: {formula: epochs * gpu_hours_per_epoch, epochs: 3, gpu_hours_per_epoch: 3}, settings: {epochs: 3-5}"
        ),
        ["warning rests-on-low-end:p.plan.a.estimate.epochs"],
    ),
    (
        "estimate on the whole setting",
        item(
            "scope: one-time, gpu_hours: 15, estimate: {formula: epochs * gpu_hours_per_epoch, epochs: 3-5, gpu_hours_per_epoch: 3}, settings: {epochs: 3-5}"
        ),
        [],
    ),
    ("contingency on a margin", item(MARGIN, project=RATES), ["warning margin-on-margin:p.plan.a"]),
    (
        "contingency of the phase on a margin",
        {"plan": f"one: {{title: One, contingency: 5%, items: {{a: {{title: A, {MARGIN}}}}}}}\n"},
        ["warning margin-on-margin:p.phases.one.contingency"],
    ),
    ("margin without contingency on it", item(MARGIN + ", contingency: 0", project=RATES), []),
    ("margin without contingency", item(MARGIN), []),
    ("contingency without margin", item("scope: one-time, gpu_hours: 100", project=RATES), []),
    ("claim off by more than a tenth", claim("89"), ["error claim-contradicted:p.plan.a.total"]),
    ("claim off by less than a tenth", claim("90"), ["warning claim-contradicted:p.plan.a.total"]),
    ("claim within its last digit", claim("100", "100.5"), []),
    ("claim just beyond its last digit", claim("103", "103.51"), ["note claim-contradicted:p.plan.a.total"]),
    ("claim that ends in zeros, within 2%", claim("5000", "4992"), []),
    ("claim that ends in zeros, beyond 2%", claim("5000", "4890"), ["warning claim-contradicted:p.plan.a.total"]),
    ("claim with fewer digits", claim("~100", "105"), []),
    ("claim with fewer digits, beyond 5%", claim("~100", "112"), ["warning claim-contradicted:p.plan.a.total"]),
    ("claim near the planned one of a range", claim("99", "80-120"), []),
    ("claim of one number for a range", claim("93", "80-120"), ["note claim-imprecise:p.plan.a.total"]),
    ("claim of a range", claim("80-120", "80-120"), []),
    ("claim of another range", claim("80-130", "80-120"), ["warning claim-contradicted:p.plan.a.total"]),
    ("claim of a range around the figure", claim("90-110"), []),
    ("claim of an open range", claim("90+"), []),
    ("claim of an open range, not reached", claim("101+", "50"), ["error claim-contradicted:p.plan.a.total"]),
    (
        "claim of a number where the figure is open",
        claim("93", "80+"),
        ["warning input-missing:p.plan.a.gpu_hours"],
    ),
    (
        "claim below an open figure",
        claim("70", "80+"),
        ["error claim-contradicted:p.plan.a.total", "warning input-missing:p.plan.a.gpu_hours"],
    ),
    (
        "claim of a time in several units",
        {
            "figures": "f: {title: F, hours: 118 d 5 h 41.4 min}\n",
            "claims": "- {of: figures.f, at: P, states: 118 d 5 h 41 min}\n",
        },
        [],
    ),
    (
        "claim of a time in several units, off by a minute",
        {
            "figures": "f: {title: F, hours: 118 d 5 h 42 min}\n",
            "claims": "- {of: figures.f, at: P, states: 118 d 5 h 41 min}\n",
        },
        ["warning claim-contradicted:p.figures.f"],
    ),
    (
        "claim in powers of ten",
        {"figures": "f: {title: F, flop: 4.304e23}\n", "claims": "- {of: figures.f, at: P, states: 4.30e23}\n"},
        [],
    ),
    (
        "claim in powers of ten, off",
        {"figures": "f: {title: F, flop: 4.31e23}\n", "claims": "- {of: figures.f, at: P, states: 4.30e23}\n"},
        ["warning claim-contradicted:p.figures.f"],
    ),
    (
        "claim of a small power of ten",
        {"figures": "f: {title: F, learning_rate: 1.4e-5}\n", "claims": "- {of: figures.f, at: P, states: 1e-5}\n"},
        [],
    ),
    (
        "two claims of one figure",
        item(
            "scope: one-time, gpu_hours: 100",
            claims="- {of: plan.a.total, at: P, states: 50}\n- {of: plan.a.total, at: Q, states: 60}\n",
        ),
        [
            "error claim-contradicted:p.plan.a.total",
            "error claim-contradicted:p.plan.a.total#2",
            "warning stated-differently:p.plan.a.total",
        ],
    ),
    (
        "formula that misses a line",
        item(
            "scope: one-time, gpu_hours: 5}, b: {title: B, scope: one-time, gpu_hours: 6",
            claims="- {of: budget.final, at: P, terms: [a]}\n",
        ),
        ["error formula-misses-line:p.budget.final"],
    ),
    (
        "formula that misses a tenth of the budget",
        item(
            "scope: one-time, gpu_hours: 90}, b: {title: B, scope: one-time, gpu_hours: 10",
            claims="- {of: budget.final, at: P, terms: [a]}\n",
        ),
        ["error formula-misses-line:p.budget.final"],
    ),
    (
        "formula that misses less than a tenth",
        item(
            "scope: one-time, gpu_hours: 91}, b: {title: B, scope: one-time, gpu_hours: 9",
            claims="- {of: budget.final, at: P, terms: [a]}\n",
        ),
        ["warning formula-misses-line:p.budget.final"],
    ),
    (
        "formula that misses the contingency",
        item("scope: one-time, gpu_hours: 5", project=RATES, claims="- {of: budget.final, at: P, terms: [a]}\n"),
        ["error formula-misses-line:p.budget.final"],
    ),
    (
        "two formulas that miss a line",
        item(
            "scope: one-time, gpu_hours: 5",
            project=RATES,
            claims="- {of: budget.final, at: P, terms: [a]}\n- {of: budget.final, at: Q, terms: [a]}\n",
        ),
        ["error formula-misses-line:p.budget.final", "error formula-misses-line:p.budget.final#2"],
    ),
    (
        "formula with every line",
        item(
            "scope: one-time, gpu_hours: 5",
            project=RATES,
            claims="- {of: budget.final, at: P, terms: [a, contingency]}\n",
        ),
        [],
    ),
    (
        "formula without the extensions",
        {
            "plan": "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 5}}}\nx: {title: X, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 5}}}\n",
            "claims": "- {of: budget.final, at: P, terms: [a]}\n",
        },
        [],
    ),
    ("card that holds the job to the byte", {"project": NEED.format(need="40")}, []),
    (
        "card that cannot hold the high end",
        {"project": NEED.format(need="30-41")},
        ["warning hardware-cannot-hold:p.hardware.node.card"],
    ),
    (
        "card that cannot hold the planned value",
        {"project": NEED.format(need="30-51")},
        ["error hardware-cannot-hold:p.hardware.node.card"],
    ),
    (
        "card that cannot hold the job at all",
        {"project": NEED.format(need="41")},
        ["error hardware-cannot-hold:p.hardware.node.card"],
    ),
    (
        "card with less usable memory",
        {"project": NEED.format(need="40"), "gpus": "card: {title: Card, vram_gib: 40, usable_vram_gib: 39.5}\n"},
        ["error hardware-cannot-hold:p.hardware.node.card"],
    ),
    ("card of unknown memory", {"project": NEED.format(need="40"), "gpus": "card: {title: Card}\n"}, []),
    (
        "item on a card that is too small",
        item("scope: one-time, gpu_hours: 5, need_gib_per_gpu: 50"),
        ["error hardware-cannot-hold:p.plan.a.card"],
    ),
    ("projection twice as large as its plan", far("5"), []),
    ("projection more than twice as large", far("4.9"), ["warning records-far-apart:p.projections.q.m.gpu_hours"]),
    ("projection a tenth of its plan", far("100"), ["error records-far-apart:p.projections.q.m.gpu_hours"]),
    ("projection beside an estimate", far("30", "15-19"), []),
    (
        "projection beside an estimate far off",
        far("30", "21-22"),
        ["warning records-far-apart:p.projections.q.m.gpu_hours"],
    ),
    ("memory measured far below the need", memory("13"), ["warning memory-far-apart:p.measurements.m.peak_gib"]),
    ("memory measured near the need", memory("14"), []),
    ("shares that make a whole", parts("a: 5%, b: 35%, c: 45%, d: 15%"), []),
    ("shares rounded", parts("a: 33%, b: 33%, c: 33%"), []),
    (
        "shares that do not make a whole",
        parts("a: 33%, b: 33%, c: 32%"),
        ["warning parts-of-a-whole:p.measurements.m.parts"],
    ),
    (
        "line without an upper end",
        item("scope: one-time, gpu_hours: 80+"),
        ["warning input-missing:p.plan.a.gpu_hours"],
    ),
    (
        "line without an upper end, with a value to plan with",
        item("scope: one-time, gpu_hours: {low: 80, use: 90, high: unknown}"),
        [],
    ),
    ("line that is unknown", item("scope: one-time, gpu_hours: unknown"), ["warning input-missing:p.plan.a.gpu_hours"]),
    (
        "line of which only the planned value is unknown",
        item("scope: one-time, gpu_hours: {low: 1, high: 5, use: unknown}"),
        [],
    ),
    (
        "run without ratio",
        item("scope: one-time, gpu_hours: 99", runs="- {item: a, gpu: other, gpu_hours: 8}\n"),
        ["error input-missing:catalog.gpus.other.counts_as.card#ratio"],
    ),
    (
        "item on another card without ratio",
        item("scope: one-time, gpu: other, gpu_hours: 99"),
        ["note hours-of-another-card:p.plan.a"],
    ),
    ("item on another card of less than a hundredth of the plan", {"plan": SMALL.format(hours="9.9")}, []),
    (
        "item on another card of a hundredth of the plan",
        {"plan": SMALL.format(hours="10")},
        ["note hours-of-another-card:p.plan.b"],
    ),
    (
        "item on another card with ratio",
        item(
            "scope: one-time, gpu: other, gpu_hours: 99",
            gpus="card: {title: C}\nother: {title: O, counts_as: {card: 2}}\n",
        ),
        [],
    ),
    ("budget spent to the hour", spent("100"), []),
    ("a best case and more", spent("101", "plan_is: best-case\n"), []),
    (
        "a best case and its ceiling",
        spent("151", "ceiling: 150\nplan_is: best-case\n"),
        ["error limit-passed:p.limits.ceiling"],
    ),
    ("budget spent and more", spent("101"), ["warning limit-passed:p.limits.final"]),
    (
        "ceiling passed",
        spent("151", "ceiling: 150\n"),
        ["error limit-passed:p.limits.ceiling", "warning limit-passed:p.limits.final"],
    ),
    ("plan above the ceiling", spent("1", "ceiling: 99\n"), ["error plan-above-limit:p.budget.final"]),
    (
        "grant overdrawn",
        {**spent("90"), "allocations": "g: {title: G, gpu_hours: 80, projects: [p]}\n"},
        ["error limit-passed:allocations.g"],
    ),
    (
        "plan as much as the grant",  # the plan itself is as likely above it as not
        item("scope: one-time, gpu_hours: 100", allocations="g: {title: G, gpu_hours: 100, projects: [p]}\n"),
        ["warning planned-without-reserve:allocations.g"],
    ),
    (
        "plan below the grant",
        item("scope: one-time, gpu_hours: 100", allocations="g: {title: G, gpu_hours: 130, projects: [p]}\n"),
        [],
    ),
    (
        "more to do than is left of the ceiling",  # three quarters of 100 hours, and 70 of 150
        done(80, "ceiling: 150\n"),
        ["error plan-above-limit:p.ceiling"],
    ),
    (
        "more to do than is left of the grant",
        {**done(80), "allocations": "g: {title: G, gpu_hours: 150, projects: [p]}\n"},
        ["error plan-above-limit:allocations.g"],
    ),
    ("as much to do as is left of the ceiling", done(75, "ceiling: 150\n"), []),
    (
        "plan above the grant",
        item("scope: one-time, gpu_hours: 101", allocations="g: {title: G, gpu_hours: 100, projects: [p]}\n"),
        ["error plan-above-limit:allocations.g"],
    ),
    ("contingency of the whole", item("scope: one-time, gpu_hours: 100", project="contingency: 100%\n"), []),
    (
        "contingency above the whole",
        item("scope: one-time, gpu_hours: 100", project="contingency: 101%\n"),
        ["warning margin-on-margin:p.contingency#above"],
    ),
    ("dates that can be met", until("2025-01-05"), []),
    ("dates that cannot be met", until("2025-01-04"), ["warning date-cannot-be-met:p.phases.one"]),
    ("policy kept", spent("90", policy("actual.total <= 90 gpu_hours")), []),
    ("policy breached", spent("91", policy("actual.total <= 90 gpu_hours")), ["error policy-breached:p.policies.k"]),
    (
        "policy breached by a phase",
        spent("101", policy("overrun_share <= 0%, each: phase, severity: note")),
        ["warning limit-passed:p.limits.final", "note policy-breached:p.policies.k.one"],
    ),
    ("text that holds", text("budget.final <= 100 gpu_hours"), []),
    ("text that no longer holds", text("budget.final < 100 gpu_hours"), ["warning text-left-out:p.texts.t"]),
    ("text that does not hold and says what does", text("budget.final < 100 gpu_hours, otherwise: More."), []),
    ("text that cannot be decided yet", text("actual.waste_share <= 90%"), ["note text-left-out:p.texts.t#undecided"]),
    ("prices as old as may be", prices("2024-07-05"), []),
    ("prices that are older by a day", prices("2024-07-04"), ["warning price-old:catalog.prices.list"]),
    ("prices of the last day of a month", prices("2024-07"), []),
    (
        "prices older than the project allows",
        prices("2024-12-21", "price_days: 10\n"),
        ["warning price-old:catalog.prices.list"],
    ),
    ("prices without a date", prices(""), []),
    ("old prices with a later change", {**prices("2024-01-01"), **priced("2024-07-05")}, []),
    (
        "old prices with an old change",
        {**prices("2024-01-01"), **priced("2024-07-04")},
        ["warning price-old:catalog.prices.list"],
    ),
    (
        "run on a card without a price",
        {**spent("50", "prices: [list]\n"), **priced("2025-01-01"), "runs": UNPRICED},
        ["warning input-missing:p.money.unpriced.other#price"],
    ),
    (
        "run that states its cost on a card without a price",
        {
            **spent("50", "prices: [list]\n"),
            **priced("2025-01-01"),
            "runs": UNPRICED.replace("}", ", cost_usd: 20}", 1).replace("failed}", "failed, cost_usd: 3}"),
        },
        [],
    ),
    (
        "run on a card without a power",
        {**spent("50", "pue: 1.2\n"), "gpus": POWERS, "runs": UNPRICED},
        ["warning input-missing:p.energy.unpowered.other#power"],
    ),
    (
        "run that states its power on a card without one",
        {**spent("50", "pue: 1.2\n"), "gpus": POWERS, "runs": UNPRICED.replace("}", ", watts: 300}")},
        [],
    ),
    ("run on a card without a power, of which nothing is asked", {**spent("50"), "gpus": POWERS, "runs": UNPRICED}, []),
    ("a PUE that cannot be", {**spent("50", "pue: 12\n"), "gpus": POWERS}, ["warning run-implausible:p.pue#energy"]),
    ("a high PUE", {**spent("50", "pue: 3\n"), "gpus": POWERS}, []),
    (
        "a power in kW",
        {**spent("50", "pue: 1.2\n"), "gpus": POWERS.replace("400", "0.4")},
        ["warning run-implausible:catalog.gpus.card.watts#energy"],
    ),
    (
        "a grid in kg",
        {
            **spent("50", "grid: here\n"),
            "gpus": POWERS,
            "ledger/catalog/grids.yaml": "here: {title: Here, co2e_grams_per_kwh: 0.385}\n",
        },
        ["warning run-implausible:catalog.grids.here.co2e_grams_per_kwh#energy"],
    ),
    (
        "a grid in kg that says so",
        {
            **spent("50", "grid: here\n"),
            "gpus": POWERS,
            "ledger/catalog/grids.yaml": "here: {title: Here, co2e_grams_per_kwh: 0.385 kg/kWh}\n",
        },
        [],
    ),
    ("throughput that one stream can have", throughput("100"), []),
    ("throughput that takes a batch", throughput("101"), ["note throughput-above-bandwidth:catalog.throughputs.table"]),
    ("throughput of which only the planned value counts", throughput("{low: 90, high: 110, use: 100}"), []),
    ("throughput in a format of half the size", throughput("200", "fp8"), []),
    ("throughput in a format of unknown size", throughput("900", "mixed"), []),
    ("a completed run of half its plan", finished("50"), []),
    ("a completed run of less", finished("49.9"), ["warning progress-unknown:p.plan.a#plan"]),
    ("a completed run of twice its plan", finished("200"), ["warning limit-passed:p.limits.final"]),
    (
        "a completed run of more",
        finished("200.1"),
        ["warning progress-unknown:p.plan.a#plan", "warning limit-passed:p.limits.final"],
    ),
    (
        "a run that goes on and states no progress",
        finished("50", after=", status: running"),
        ["note progress-unknown:p.plan.a#unsaid"],
    ),
    ("a run that failed without a word", finished("50", after=", status: failed"), []),
    ("a short run that ends its piece", finished("1", "finishes: piece, "), []),
    ("a short run that says nothing of the work", finished("1", "finishes: never, "), []),
    ("a short run of several", finished("1", "runs: 100, "), []),
    ("a short run that states its progress", finished("1", after=", progress: {done: 1, total: 100}"), []),
    (
        "a short run, of which another one tells",
        finished("1", after=", run: a}\n- {item: a, run: b, gpu_hours: 99"),
        [],
    ),
    ("progress of twice the completed runs", finished("1", "runs: 5, ", ", progress: {done: 2, total: 5}"), []),
    (
        "progress of more",
        finished("1", "runs: 5, ", ", progress: {done: 41, total: 100}"),
        ["warning progress-against-runs:p.plan.a"],
    ),
    (
        "progress of less than half",
        finished("1", "runs: 5, ", ", progress: {done: 9, total: 100}"),
        ["warning progress-against-runs:p.plan.a"],
    ),
    (
        "all done, but for the completed runs",
        finished("1", "runs: 2, ", "}\n- {item: a, gpu_hours: 1, progress: {done: 9, total: 10}"),
        ["warning progress-against-runs:p.plan.a"],
    ),
    ("policy that cannot be decided yet", spent("0, status: failed", policy("actual.waste_share <= 90%")), []),
]


@pytest.mark.parametrize(("texts", "wanted"), [one[1:] for one in TABLE], ids=[one[0] for one in TABLE])
def test_finds(ledger: Any, texts: dict[str, str], wanted: list[str]) -> None:
    assert ledger(**texts).findings() == wanted


def test_every_rule_is_set_off_above() -> None:
    """Every rule of the catalogue has a row of TABLE, or is named with the file that has its test."""
    found = {line.split(" ")[1].split(":")[0] for _, _, lines in TABLE for line in lines}
    found |= {
        "hours-of-another-card",
    }  # test_ratios
    found |= {*test_implied.RULES, *test_documents.RULES, *test_orders.RULES}
    found |= {*test_points.RULES}
    found |= {"input-implausible"}  # test_inputs.py
    found |= {
        "charged-outside-its-days",
        "refunded-above-charged",
        "paid-otherwise",
        "payer-not-named",
        "payer-unknown",
    }  # test_payers.py
    # Those about entries are in test_entries.py, about imports in test_imported.py, test_import_attempts.py and
    # test_import_doubts.py.
    elsewhere = {
        rule for rule in RULES if rule.startswith(("accept-", "additions-", "attempts-", "run-", "unassigned"))
    } - found
    elsewhere |= {
        "cost-far-from-price",
        "jobs-in-doubt",
        "jobs-without-gpus",
        "more-than-the-capacity",
        "peak-above-card",
        "rules-not-applied",
    }
    assert set(RULES) - found == elsewhere, "a rule has a row in TABLE, or is named here with its test"
    assert found <= set(RULES)


# What a finding says


def words(finding: Any) -> str:
    def shown(part: Any) -> str:
        return part if isinstance(part, str) else f"[{float(part.use):g}]"

    return "".join(map(shown, (*finding.arithmetic,)))


def only(ledger: Any, texts: dict[str, str], rule: str) -> Any:
    (found,) = (one for one in ledger(**texts).book().findings["p"] if rule in (one.rule, one.judgement))
    return found


def test_a_slip_never_turns_a_time_into_a_plain_number(ledger: Any) -> None:
    """An hour over 5 s is 720, but nobody who states a speed-up has left the other time out."""
    formula = (
        "f: {title: Speed-up, ratio: {formula: slow_seconds / quick_seconds, slow_seconds: 3623, quick_seconds: 5}}"
    )
    found = only(
        ledger, {"figures": formula, "claims": "- {of: figures.f, at: Page 1, states: 720}\n"}, "claim-contradicted"
    )
    assert "left out" not in words(found)


def test_a_claim_is_told_in_its_own_unit_and_with_its_document(ledger: Any) -> None:
    claims = "- {of: figures.f, at: Page 1, source: Report, states: 30 min}\n"
    found = only(ledger, {"figures": "f: {title: F, hours: 0.75}", "claims": claims}, "claim-contradicted")
    assert words(found) == "stated [30] (Report, Page 1), the ledger has [45]"


@pytest.mark.parametrize(
    ("states", "slip"),
    [
        ("10", "the factor GPUs is left out"),
        ("1", ""),
        ("4800", "it is off by a factor of 60 (minutes and hours, or seconds and minutes)"),
        ("1920", "it is off by a factor of 24 (hours and days)"),
        ("80k", "it is off by a factor of 1,000 (a unit prefix)"),
        ("640", "the factor GPUs is counted twice"),
        # Three digits prove as much as this, and nothing where they are not quite those.
        ("288", "perhaps it is off by a factor of 3.6 (seconds divided by 1,000 instead of 3,600)"),
        ("280", ""),
        ("500", "it is the GPU-hours instead"),
    ],
)
def test_the_slip_that_explains_a_claim_is_named(ledger: Any, states: str, slip: str) -> None:
    texts = estimate(
        "500", "hours * gpus, hours: 10, gpus: 8", claims=f"- {{of: plan.a.estimate, at: Page 1, states: {states}}}\n"
    )
    said = words(only(ledger, texts, "claim-contradicted"))
    assert (said.partition("; ")[2]) == slip


def two(claims: str) -> dict[str, str]:
    """An item of 80 GPU-hours, and a figure of twice that."""
    texts = estimate("80", "hours * gpus, hours: 10, gpus: 8", claims=claims)
    return {**texts, "figures": "b: {title: Twice a, gpu_hours: {formula: plan.a.estimate * times, times: 2x}}\n"}


def test_each_cell_of_a_stated_table_is_a_claim(ledger: Any) -> None:
    claims = "- {of: plan, at: Table 1, columns: [gpu_hours, estimate], rows: {a: [80, 288]}}\n"
    finding = only(ledger, two(claims), "claim-contradicted")
    assert finding.id == "claim-contradicted:p.plan.a.estimate"
    assert words(finding).startswith("stated [288] (Table 1, a), calculated [80]; perhaps it is off by a factor of 3.6")
    assert finding.places[0].column == claims.index("288") + 1


def test_a_dash_in_a_stated_table_claims_nothing(ledger: Any) -> None:
    claims = "- {of: plan, at: Table 1, columns: [gpu_hours, estimate], rows: {a: [-, 80]}}\n"
    checks = ledger(**two(claims)).book().checks["p"]
    assert [(check.figure.address, check.holds) for check in checks] == [("p.plan.a.estimate", True)]


def test_a_claim_that_rests_on_a_wrong_one_is_held_against_that(ledger: Any) -> None:
    """Twice the stated 288 are 576: stated so it only follows, stated as 600 it is a mistake of its own."""
    for states, severity, end in (
        ("576", "error", "; calculated correctly from stated figures that differ from the calculated ones"),
        ("600", "error", ""),
    ):
        claims = (
            f"- {{of: plan.a.estimate, at: Page 1, states: 288}}\n- {{of: figures.b, at: Page 1, states: {states}}}\n"
        )
        found = {one.subject: one for one in ledger(**two(claims)).book().findings["p"]}
        assert found["p.plan.a.estimate"].severity == "error"
        assert found["p.figures.b"].severity == severity
        assert words(found["p.figures.b"]).endswith(f"calculated [160]{end}")


def test_of_two_slips_that_are_near_the_nearer_is_named(ledger: Any) -> None:
    """80 GB × 1,024 are 81,920. Of hours it is the thousand that is near: a binary prefix is one of sizes alone."""
    claims = "- {of: figures.b, at: Page 1, states: 81920}\n"
    for amount, slip in (
        ("gb: {formula: 2 * part_gb, part_gb: 40}", "a factor of 1,024 (a binary prefix)"),
        ("hours: {formula: 2 * part_hours, part_hours: 40}", "a factor of 1,000 (a unit prefix)"),
    ):
        said = words(only(ledger, {"figures": f"b: {{title: B, {amount}}}\n", "claims": claims}, "claim-contradicted"))
        assert said.endswith(slip)


def numbers(finding: Any) -> list[float]:
    return [float(part.use) for part in finding.arithmetic if not isinstance(part, str)]


def test_the_arithmetic_is_put_in(ledger: Any) -> None:
    texts = estimate("30", "hours * gpus, hours: 24-30, gpus: 8")
    assert numbers(only(ledger, texts, "plan-unlike-its-estimate#clock")) == [30, 27, 8, 216]
    texts = estimate("80", "hours * gpus, hours: 24-30, gpus: 8")
    assert numbers(only(ledger, texts, "plan-unlike-its-estimate#below")) == [216, 80, 2.7]
    assert numbers(only(ledger, item(MARGIN, project=RATES), "margin-on-margin")) == [100, 0.15, 15]
    assert numbers(only(ledger, far("4"), "records-far-apart")) == [10, 4, 2.5]
    assert numbers(only(ledger, claim("50"), "claim-contradicted")) == [50, 100]
    assert numbers(only(ledger, prices("2024-07-04"), "price-old")) == [181, 180]
    assert numbers(only(ledger, throughput("250"), "throughput-above-bandwidth")) == [250, 100]


def test_the_arithmetic_of_settings_is_put_in(ledger: Any) -> None:
    """Of the rows 29.5 s and 29 s one is above 29.2 s; 30 s in all are 1.2 times 25 s."""
    assert numbers(only(ledger, ran("patience: 29.2"), "setting-contradicted"))[:4] == [29.2, 1, 2, 29.5]
    found = only(ledger, ran("wait_minutes: 25 s"), "setting-contradicted")
    assert numbers(found)[1:] == [2, 2, 30, 1.2]
    assert round(numbers(found)[0] * 60) == 25
    assert words(found).startswith("wait is [")
    assert words(found).endswith(". Above it: [2] of [2] of M, up to [30] ([1.2] the limit)")
    assert numbers(only(ledger, ran("longest: 128"), "setting-contradicted")) == [128, 2, 100]
    assert numbers(only(ledger, ran("longest: 95"), "setting-contradicted"))[:4] == [95, 1, 2, 100]
    greedy = only(ledger, ran("mode: greedy, heat: 0.7, nucleus: 0.9"), "setting-contradicted")
    assert words(greedy) == "mode is greedy; heat is [0.7]; nucleus is [0.9]"


def test_what_is_stated_differently_is_told_once_with_all_its_places(ledger: Any) -> None:
    found = only(ledger, stated("5-15", "~30", "5-15"), "stated-differently")
    assert words(found) == "stated as [10] (Page 1; Page 3), ~[30] (Page 2)"
    assert [place.line for place in found.places] == [1, 2, 3]


def test_the_arithmetic_of_projections_is_put_in(ledger: Any) -> None:
    far = only(ledger, reported("hours: 40, source: Table 2"), "reported-apart")
    assert words(far) == "projected from M [15]; Reported: [40] (Table 2); [2.66667] apart"
    other = reported("hours: 10", more=", gpus: 2, model: two, exponent: 1")
    lacking = only(ledger, {**other, "models": "two: {title: Two, parameters: 2B}\n"}, "input-missing")
    assert words(lacking) == (
        "it has no value without p.measurements.m.model (ledger/p/measurements.yaml), "
        "p.projections.q.efficiency (ledger/p/projections.yaml)"
    )


def test_a_setting_by_a_lever_or_by_default_is_told_as_such(ledger: Any) -> None:
    by_default = ran("", FRAME.replace("of: generation_seconds", "of: generation_seconds, default: 10"))
    assert words(only(ledger, by_default, "setting-contradicted")).startswith("patience is [10] (Frame, default). ")
    by_lever = ran("", levers=lever("sets: {patience: 10}"))
    assert words(only(ledger, by_lever, "setting-contradicted")).startswith("patience is [10] (L). ")


def test_a_finding_points_at_its_ledger_lines(ledger: Any) -> None:
    found = only(ledger, claim("50"), "claim-contradicted")
    assert [str(place) for place in found.places] == ["ledger/p/claims.yaml:1:3", "ledger/p/plan.yaml:1:86"]


# Accepting


FOUND = "plan-unlike-its-estimate:p.plan.a#below"


def accepted(entry: str, **project: str) -> dict[str, str]:
    head = "title: P\nversion: {version}\nas_of: {as_of}\ngpu: card\n".format(
        **{"version": "1.1.0", "as_of": "2025-01-01", **project}
    )
    return {**estimate("99", "2 * gpu_hours, gpu_hours: 50-60"), "project": head + f"accept: [{{{entry}}}]\n"}


def test_an_accepted_finding_is_a_note_with_its_reason(ledger: Any) -> None:
    (found,) = ledger(**accepted(f"finding: '{FOUND}', reason: agreed, by: Ada")).book().findings["p"]
    assert (found.severity, found.was, found.accepted, found.by, found.id) == ("note", "error", "agreed", "Ada", FOUND)


@pytest.mark.parametrize(
    ("entry", "project", "wanted"),
    [
        (f"finding: '{FOUND}', reason: r, until: 1.2.0", {}, [f"note {FOUND}"]),
        (
            f"finding: '{FOUND}', reason: r, until: 1.1.0",
            {},
            [f"error {FOUND}", f"warning accept-stale:p.accept.{FOUND}"],
        ),
        (f"finding: '{FOUND}', reason: r, until: 1.10.0", {"version": "1.9.0"}, [f"note {FOUND}"]),
        (f"finding: '{FOUND}', reason: r, until: 2025-01-01", {}, [f"note {FOUND}"]),
        (
            f"finding: '{FOUND}', reason: r, until: 2024-12-31",
            {},
            [f"error {FOUND}", f"warning accept-stale:p.accept.{FOUND}"],
        ),
        (f"finding: '{FOUND}', reason: r, until: 2025-01", {"as_of": "2025-01-31"}, [f"note {FOUND}"]),
        (
            "finding: plan-unlike-its-estimate:p.plan.b#below, reason: r",
            {},
            [f"error {FOUND}", "warning accept-stale:p.accept.plan-unlike-its-estimate:p.plan.b#below"],
        ),
    ],
)
def test_accepts_that_match_nothing_or_are_past_are_findings(
    ledger: Any, entry: str, project: dict[str, str], wanted: list[str]
) -> None:
    assert ledger(**accepted(entry, **project)).findings() == wanted


def accepting(finding: str, when: str) -> dict[str, str]:
    """A text with a condition, and a project that accepts a finding."""
    written = text(when)
    return {**written, "project": f"{written['project']}accept:\n  - {{finding: '{finding}', reason: r}}\n"}


OPEN, FALSE = "actual.waste_share <= 90%", "budget.final < 100 gpu_hours"


@pytest.mark.parametrize(
    ("older", "when", "wanted"),
    [
        ("text-undecided:p.texts.t", OPEN, ["note text-left-out:p.texts.t#undecided"]),
        ("text-no-longer-holds:p.texts.t", FALSE, ["note text-left-out:p.texts.t"]),
        (
            "text-undecided:p.texts.t",
            FALSE,
            ["warning accept-stale:p.accept.text-left-out:p.texts.t#undecided", "warning text-left-out:p.texts.t"],
        ),
        (
            "text-no-longer-holds:p.texts.t",
            OPEN,
            ["warning accept-stale:p.accept.text-left-out:p.texts.t", "note text-left-out:p.texts.t#undecided"],
        ),
    ],
)
def test_an_older_id_accepts_what_it_meant_and_a_note_names_the_newer(
    ledger: Any, older: str, when: str, wanted: list[str]
) -> None:
    told = f"note accept-stale:p.accept.{older}"
    files = ledger(**accepting(older, when))
    assert sorted(files.findings()) == sorted([*wanted, told])
    (note,) = [found for found in files.book().findings["p"] if found.id == told.partition(" ")[2]]
    assert "".join(map(str, note.remedy)) == f"write `{current_id(older)}`"


def test_a_pattern_with_an_older_id_accepts_what_it_covers(ledger: Any) -> None:
    pattern = "text-undecided:p.texts.*"
    files = accepting(f"{pattern}', covers: [t], by: 'Ada", OPEN)
    kept = ledger(**files).book().findings["p"]
    assert {found.id: bool(found.accepted) for found in kept} == {
        "text-left-out:p.texts.t#undecided": True,
        f"accept-stale:p.accept.{pattern}": False,
    }
    bare = ledger(**accepting(pattern, OPEN)).book().findings["p"]
    hints = {"".join(map(str, found.remedy)) for found in bare if found.rule == "accept-stale"}
    assert hints == {"write `text-left-out:p.texts.*#undecided`", "list what `*` stands for: `covers: [t]`"}


def test_older_ids_become_ids_of_rules_and_no_two_the_same() -> None:
    """Two that have no evidence of their own, as those of a plan above limits, were about other subjects."""
    kinds = [current_id(f"{older}:p.x") for older, now in ALIASES.items() if "#" in now]
    assert len({*kinds}) == len(kinds)
    assert {now.partition("#")[0] for now in ALIASES.values()} <= set(RULES)
    assert not set(ALIASES) & set(RULES)
    assert current_id("text-undecided") == "text-undecided"


def test_a_run_may_outdate_an_accept(ledger: Any) -> None:
    texts = accepted(f"finding: '{FOUND}', reason: r, until: 2025-02")
    assert ledger(**texts, runs="- {item: a, gpu_hours: 1, date: 2025-02-20}\n").findings() == [f"note {FOUND}"]
    assert ledger(**texts, runs="- {item: a, gpu_hours: 1, date: 2025-03-01}\n").findings()[0] == f"error {FOUND}"


def test_errors_come_first_and_accepted_last(ledger: Any) -> None:
    texts = accepted(f"finding: '{FOUND}', reason: r")
    texts["claims"] = "- {of: plan.a.total, at: P, states: 95}\n- {of: plan.a.total, at: P, states: 50}\n"
    assert [line.split(" ")[0] for line in ledger(**texts).findings()] == ["error", "warning", "warning", "note"]


def test_an_open_need_is_not_known_to_fit() -> None:
    from reckon.compute.choosing.memory import verdict
    from reckon.language.quantity import Value, point
    from reckon.language.units import key_unit
    from reckon.model.figure import Figure, Stated

    def figure(value: Value) -> Figure:
        return Figure("", "", key_unit("gib"), value, Stated(""))

    def words(need: Value, usable: int) -> str:
        found = verdict("", "", figure(need), figure(point(usable)))
        assert found
        return found.words

    open_need = Value(Fraction(30), None, None)
    assert words(open_need, 40) == "not known (fits at the low end)"
    assert words(open_need, 24) == "does not fit"
    assert words(Value(Fraction(30), Fraction(35), Fraction(40)), 39) == "fits (does not fit at the high end)"


PLAN_WITH = "one:\n  title: One\n  items:\n    a: {title: A, scope: per-seed, gpu_hours: %s, estimate: %s, settings: {epochs: 3-5}}\n"


@pytest.mark.parametrize(
    ("planned", "estimate"),
    [
        ("0", "10-20"),
        ("0-10", "20"),
        ("45", "{formula: epochs * gpu_hours_per_epoch, epochs: 0-3, gpu_hours_per_epoch: 5}"),
    ],
)
def test_zero_in_a_plan_or_estimate_is_no_crash(ledger: Any, planned: str, estimate: str) -> None:
    book = ledger(project="seeds: 2\n", plan=PLAN_WITH % (planned, estimate)).book()
    assert "p" in book.findings


@pytest.mark.parametrize(
    ("formula", "twice", "total"),
    [
        ("gpu_hours_per_seed * seeds, gpu_hours_per_seed: 10", True, 20),
        ("all_gpu_hours / seeds, all_gpu_hours: 40", False, 40),
    ],
)
def test_seeds_are_counted_once_in_an_estimate(ledger: Any, formula: str, twice: bool, total: int) -> None:
    book = ledger(project="seeds: 2\n", plan=PLAN_WITH % ("30", f"{{formula: {formula}}}")).book()
    assert book["p.plan.a.estimate_total"].use == total
    assert ("seeds-counted-twice" in [one.rule for one in book.findings["p"]]) == twice


def test_the_terms_of_a_stated_part(ledger: Any) -> None:
    plan = PLAN_WITH % ("30", "20")
    claims = "- {of: budget.subtotal, at: here, terms: [a]}\n"
    book = ledger(project="seeds: 2\ncontingency: 10%\n", plan=plan, claims=claims).book()
    assert "formula-misses-line" not in [one.rule for one in book.findings["p"]]


def test_a_card_that_holds_nothing_of_a_job_is_told_without_a_condition(ledger: Any) -> None:
    """30 to 50 GiB of 40 are too much at the high end; 50 are too much."""
    for need, meaning in (
        ("50", "By the stated need, the job runs out"),
        ("30-50", "By the stated need, at the high end the job runs out"),
    ):
        item = f"a: {{title: A, scope: one-time, gpu_hours: 100, need_gib_per_gpu: {need}}}"
        found = ledger(plan=f"one: {{title: One, items: {{{item}}}}}\n").book().findings["p"]
        (meant,) = [format_sentence(each.meaning) for each in found if each.rule == "hardware-cannot-hold"]
        assert meant.startswith(meaning)
