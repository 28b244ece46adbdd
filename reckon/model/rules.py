"""The rules of the audit: what each is. How it finds something is a function of `compute/audit`.

Two files make a rule: the function, and its line here. How its findings read stands where they are made; what the guide
says of it, in `tests/rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

LEDGER, PLAN, REPORT, SOURCE = "ledger", "plan", "report", "source"
REFUSED, CAUSE, CONSEQUENCE = KINDS = ("refused", "cause", "consequence")
"""The kinds of rules, in the order in which their findings are told; after these all notes."""


class Rule(NamedTuple):
    """What a rule is.

    `judge` is the function that yields its findings, by module and name below `compute/audit`; one that yields those of
    several rules stands with each. `severity` is that of its findings, `milder` that of those that it is less sure of;
    a finding may still say another, as those of a policy do.

    `kind` says what its findings are: what cannot be calculated with (REFUSED), what is wrong (CAUSE), or what is not
    kept (CONSEQUENCE), which may only follow from a cause.

    `about` is what it looks at: the LEDGER as it is now, its PLAN (where that is a document's own, the document), what
    was set and measured (REPORT; where a ledger keeps a document and nothing else, the document), or what a SOURCE
    states. `needs` are kinds of records: without any of them in any project the rule is not asked, nor its module
    imported.
    """

    judge: str
    severity: str
    milder: str = ""
    kind: str = CAUSE
    about: str = LEDGER
    needs: tuple[str, ...] = ()


CLAIMS = ("claims",)
CONFIGURATIONS = ("configurations",)
MEASURED = ("measurements", "projections")
QUOTED = ("claims", "prices", "throughputs", "projections")
SETTINGS = ("configurations", "levers")
TEXTS = ("texts",)

RULES: Mapping[str, Rule] = {
    "estimate-above-plan": Rule("plans.estimate_above_plan", "error", milder="warning", about=PLAN),
    "wall-clock-as-gpu-hours": Rule("plans.wall_clock_as_gpu_hours", "error", about=PLAN),
    "seeds-counted-twice": Rule("plans.seeds_counted_twice", "error", about=PLAN),
    "rests-on-low-end": Rule("plans.rests_on_low_end", "warning", about=PLAN),
    "margin-on-margin": Rule("plans.margin_on_margin", "warning", about=PLAN),
    "hours-kept-on-another-gpu": Rule("stale_card.hours_kept_on_another_gpu", "warning"),
    "contingency-above-plan": Rule("plans.contingency_above_plan", "warning", about=PLAN),
    "plan-below-estimates": Rule("totals.plan_below_estimates", "error", about=PLAN),
    "repeats-cost-otherwise": Rule("totals.repeats_cost_otherwise", "error", milder="warning", about=PLAN),
    "plan-far-above-estimate": Rule("totals.plan_far_above_estimate", "error", milder="warning", about=PLAN),
    "seeds-under-another-name": Rule("totals.seeds_under_another_name", "error", milder="warning", about=PLAN),
    "margin-unstated": Rule("totals.margin_unstated", "warning", about=PLAN),
    "claim-contradicted": Rule("statements.claim_contradicted", "error", milder="warning", about=SOURCE, needs=CLAIMS),
    "claim-imprecise": Rule("imprecise.claim_imprecise", "note", about=SOURCE, needs=CLAIMS),
    "formula-misses-line": Rule(
        "statements.formula_misses_line", "error", milder="warning", about=SOURCE, needs=CLAIMS
    ),
    "stated-differently": Rule("differently.stated_differently", "warning", milder="note", about=SOURCE, needs=QUOTED),
    "order-contradicted": Rule("orders.order_contradicted", "error", milder="warning", about=SOURCE, needs=CLAIMS),
    "point-misplaced": Rule("pictures.point_misplaced", "warning", about=SOURCE, needs=CLAIMS),
    "rate-above-peak": Rule("peaks.rate_above_peak", "error"),
    "savings-miss-difference": Rule("implied.savings_miss_difference", "warning", about=SOURCE, needs=CONFIGURATIONS),
    "memory-moved-by-nothing": Rule("moved.memory_moved_by_nothing", "warning", needs=CONFIGURATIONS),
    "hardware-cannot-hold": Rule("catalogue.hardware_cannot_hold", "error", milder="warning", about=PLAN),
    "records-far-apart": Rule(
        "measurements.projection_far_from_estimate", "error", milder="warning", about=PLAN, needs=MEASURED
    ),
    "memory-far-apart": Rule("measurements.memory_far_from_need", "warning", about=PLAN, needs=MEASURED),
    "parts-of-a-whole": Rule("measurements.parts_of_a_whole", "warning", needs=MEASURED),
    "hours-in-another-unit": Rule("entries.odd_entries", "warning", milder="note"),
    "gpu-hours-are-wall-hours": Rule("entries.odd_entries", "warning", milder="note"),
    "wall-hours-are-gpu-hours": Rule("entries.odd_entries", "warning", milder="note"),
    "run-longer-than-its-time": Rule("entries.odd_entries", "warning", milder="note"),
    "run-hours-doubtful": Rule("entries.odd_entries", "warning", milder="note"),
    "run-unlike-its-siblings": Rule("entries.odd_entries", "warning"),
    "run-before-the-project": Rule("entries.odd_entries", "warning"),
    "run-outside-its-dates": Rule("entries.odd_entries", "warning"),
    "run-in-the-future": Rule("entries.odd_entries", "warning"),
    "run-after-its-phase": Rule("entries.odd_entries", "note", kind=CONSEQUENCE),
    "run-held-nothing": Rule("entries.odd_entries", "warning"),
    "gpus-not-whole": Rule("entries.odd_entries", "note"),
    "gpu-hours-stated-twice": Rule("entries.odd_entries", "warning"),
    "run-shorter-than-its-time": Rule("entries.odd_entries", "note"),
    "run-entered-twice": Rule("entries.odd_entries", "warning"),
    "attempts-out-of-order": Rule("entries.odd_entries", "warning"),
    "attempts-overlap": Rule("entries.odd_entries", "warning"),
    "cost-far-from-price": Rule("entries.odd_entries", "warning"),
    "peak-above-card": Rule("entries.odd_entries", "warning"),
    "more-gpus-than-there-are": Rule("entries.odd_entries", "warning"),
    "more-hours-than-a-month-has": Rule("entries.odd_entries", "warning"),
    "runs-unassigned": Rule("imports.runs_unassigned", "warning"),
    "jobs-without-gpus": Rule("imports.jobs_without_gpus", "warning"),
    "jobs-in-doubt": Rule("imports.jobs_in_doubt", "warning"),
    "additions-without-job": Rule("added.additions_without_job", "warning"),
    "additions-unassigned": Rule("added.additions_unassigned", "warning"),
    "rules-not-applied": Rule("imports.rules_not_applied", "warning"),
    "counted-across-a-day": Rule("imports.counted_across", "warning"),
    "completed-far-from-plan": Rule("progress.completed_far_from_plan", "warning", kind=CONSEQUENCE),
    "progress-missing": Rule("progress.progress_missing", "warning", milder="note", kind=CONSEQUENCE),
    "progress-against-runs": Rule("progress.progress_against_runs", "warning"),
    "ratio-missing": Rule("inputs.ratio_missing", "error", kind=REFUSED),
    "plan-on-another-gpu": Rule("inputs.plan_on_another_gpu", "note", about=PLAN),
    "input-unknown": Rule("plans.input_unknown", "warning"),
    "limit-passed": Rule("limits.limit_exceeded", "error", milder="warning", kind=CONSEQUENCE),
    "plan-above-ceiling": Rule("limits.plan_above_ceiling", "error", kind=CONSEQUENCE),
    "plan-above-grant": Rule("grants.plan_above_grant", "error", kind=CONSEQUENCE),
    "charged-outside-its-days": Rule("payers.charged_outside", "warning"),
    "refunded-above-charged": Rule("payers.refunded_too_much", "error"),
    "paid-otherwise": Rule("paid_otherwise.paid_otherwise", "note"),
    "payer-not-named": Rule("payers.payer_not_named", "warning"),
    "planned-without-reserve": Rule("reserve.planned_without_reserve", "warning", kind=CONSEQUENCE),
    "payer-unknown": Rule("payers.payer_unknown", "warning", milder="note"),
    "date-cannot-be-met": Rule("dates.date_cannot_be_met", "warning", kind=CONSEQUENCE),
    "policy-breached": Rule("limits.policy_breached", "error", milder="warning", kind=CONSEQUENCE),
    "text-left-out": Rule("silent.text_left_out", "warning", milder="note", kind=CONSEQUENCE, needs=TEXTS),
    "price-old": Rule("catalogue.price_old", "warning"),
    "price-missing": Rule("catalogue.price_missing", "warning"),
    "power-missing": Rule("energy.power_missing", "warning"),
    "energy-cannot-be": Rule("energy.energy_cannot_be", "warning"),
    "input-implausible": Rule("inputs.input_implausible", "warning"),
    "throughput-above-bandwidth": Rule("catalogue.throughput_above_bandwidth", "note", about=REPORT),
    "timeout-below-success": Rule("settings.timeout_below_success", "error", about=REPORT, needs=SETTINGS),
    "cap-exceeded": Rule("settings.cap_exceeded", "warning", about=REPORT, needs=SETTINGS),
    "cap-never-bound": Rule("settings.cap_never_bound", "note", about=REPORT, needs=SETTINGS),
    "sampling-beside-greedy": Rule("settings.sampling_beside_greedy", "warning", about=REPORT, needs=SETTINGS),
    "reduction-increases": Rule("settings.reduction_increases", "error", about=REPORT, needs=SETTINGS),
    "lever-against-configuration": Rule("settings.lever_against_configuration", "error", about=REPORT, needs=SETTINGS),
    "reported-apart": Rule("measurements.reported_apart", "warning", milder="note", about=REPORT, needs=MEASURED),
    "projection-undetermined": Rule("measurements.projection_undetermined", "warning", needs=MEASURED),
    "accept-stale": Rule("", "warning", milder="note"),
}
"""All rules by their ids, in the order in which findings of one kind, severity and size are told.
Those about `accept:` itself have no judge: they follow from the findings."""
RULE_FUNCTIONS: Mapping[str, tuple[str, ...]] = {rule.judge: rule.needs for rule in RULES.values() if rule.judge}
"""The functions that yield findings, each with the kinds of records that it needs."""


class Alias(NamedTuple):
    """What a rule of older versions is called now, and which evidence of that it was; empty where it was all of it."""

    rule: str
    evidence: str = ""


ALIASES: Mapping[str, Alias] = {
    "accept-unmatched": Alias("accept-stale"),
    "efficiency-implied": Alias("claim-contradicted", "efficiency"),
    "marginal-from-afar": Alias("claim-contradicted"),
    "verdicts-exclude": Alias("stated-differently"),
    "quoted-differently": Alias("stated-differently", "lists"),
    "text-no-longer-holds": Alias("text-left-out"),
    "text-undecided": Alias("text-left-out", "undecided"),
}
"""The rules of older versions by their ids. A ledger may accept findings by these, and releases name them."""


def current_id(finding: str) -> str:
    """The id of a finding with its rule as it is called now; any other text as it is.

    Evidence stands at the end of an id (`text-left-out:demo.texts.claim#undecided`), so that no two ids become one, and
    an older one means what it meant.
    """
    older, colon, subject = finding.partition(":")
    alias = ALIASES.get(older)
    if alias is None or not colon:
        return finding
    return f"{alias.rule}:{subject}" + (f"#{alias.evidence}" if alias.evidence else "")


def is_about(rule: str, what: str) -> bool:
    """Whether a rule is about the LEDGER, a PLAN, a REPORT or a SOURCE. Releases may name rules that are gone: those
    were about the ledger."""
    return what == (RULES[rule].about if rule in RULES else LEDGER)
