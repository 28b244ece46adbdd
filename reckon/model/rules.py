"""The rules of the audit: what each is. How it finds something is a function of `compute/audit`.

Two files make a rule: the function, and its line here, with the words that are the same for all that it finds. What a
judge says of one case, such as the numbers, stands there; what the guide says of a rule, in `tests/rules`.
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

    `title`, `meaning` and `remedy` are its words, where these are the same for all that it finds; a title may have
    `{title}` in it, which is what the finding is about. Kinds of evidence that are told otherwise are in `evidence`.

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
    title: str = "{title}"
    meaning: str = ""
    remedy: str = ""


CLAIMS = ("claims",)
CONFIGURATIONS = ("configurations",)
MEASURED = ("measurements", "projections")
SETTINGS = ("configurations", "levers")
TEXTS = ("texts",)

FIND_OUT = "Find out what the two count differently, and correct or drop one."

RULES: Mapping[str, Rule] = {
    "plan-unlike-its-estimate": Rule("totals.plan_unlike_its_estimate", "error", milder="warning", about=PLAN),
    "seeds-counted-twice": Rule("plans.seeds_counted_twice", "error", milder="warning", about=PLAN),
    "rests-on-low-end": Rule(
        "plans.rests_on_low_end",
        "warning",
        about=PLAN,
        title="{title}: the estimate uses the low end of a setting",
        meaning="The settings allow more than the estimate counts. More GPUs cost more hours for the same duration.",
        remedy="Give the estimate the same range, or narrow the setting.",
    ),
    "margin-on-margin": Rule(
        "totals.margin_on_margin",
        "warning",
        about=PLAN,
        title="Contingency is taken on lines that include a margin already",
        meaning="The same uncertainty is paid for twice.",
        remedy="First correct hours that their estimates call too low. Then plan these lines without a margin, or "
        "leave them out of the contingency.",
    ),
    "hours-of-another-card": Rule(
        "stale_card.hours_of_another_card",
        "note",
        about=PLAN,
        title="{title}: planned on a GPU that the budget does not count in",
        meaning="No ratio between the two is known: the plan takes an hour of one for an hour of the other, and runs "
        "there are not counted.",
        remedy="State the ratio under `counts_as` of that card.",
    ),
    "claim-contradicted": Rule("statements.claim_contradicted", "error", milder="warning", about=SOURCE, needs=CLAIMS),
    "claim-imprecise": Rule("statements.claim_contradicted", "note", about=SOURCE, needs=CLAIMS),
    "formula-misses-line": Rule(
        "statements.formula_misses_line",
        "error",
        milder="warning",
        about=SOURCE,
        needs=CLAIMS,
        title="The stated formula leaves out {title}",
        meaning="The formula gives less than the budget that it is printed with.",
        remedy="Add the line to the formula, or take it out of the budget.",
    ),
    "stated-differently": Rule(
        "differently.stated_differently",
        "warning",
        milder="note",
        about=SOURCE,
        needs=CLAIMS,
        remedy="State it once, or the same everywhere.",
    ),
    "order-contradicted": Rule("orders.order_contradicted", "error", milder="warning", about=SOURCE, needs=CLAIMS),
    "point-misplaced": Rule(
        "pictures.point_misplaced",
        "note",
        about=SOURCE,
        needs=CLAIMS,
        meaning="The picture misleads; its numbers are those of the tables.",
        remedy="Draw each point at its figures.",
    ),
    "rate-above-peak": Rule(
        "catalogue.rate_above_peak",
        "error",
        title="{title}: more than the card can do",
        meaning="A utilisation above 100% cannot be: one of its inputs is wrong, or of another card.",
        remedy="Correct the rate or what gives it; half of the peak is a good rate in training.",
    ),
    "savings-miss-difference": Rule(
        "implied.savings_miss_difference",
        "warning",
        about=SOURCE,
        needs=CONFIGURATIONS,
        remedy="Count each saving once. Leave out those inside a part that is counted as a whole.",
    ),
    "hardware-cannot-hold": Rule(
        "catalogue.hardware_cannot_hold",
        "error",
        milder="warning",
        about=PLAN,
        remedy="Name a card with more memory, or a configuration that needs less.",
    ),
    "records-far-apart": Rule(
        "measurements.projection_far_from_estimate",
        "error",
        milder="warning",
        about=PLAN,
        needs=MEASURED,
        remedy=FIND_OUT,
    ),
    "memory-far-apart": Rule(
        "measurements.memory_far_from_need", "warning", about=PLAN, needs=MEASURED, remedy=FIND_OUT
    ),
    "parts-of-a-whole": Rule(
        "measurements.parts_of_a_whole",
        "warning",
        needs=MEASURED,
        title="{title}: the shares do not make a whole",
        meaning="A part is missing, or counted twice.",
        remedy="Name the missing part, or correct the shares.",
    ),
    "run-hours-doubtful": Rule("entries.odd_entries", "warning", milder="note"),
    "run-unlike-its-siblings": Rule("entries.odd_entries", "warning"),
    "run-outside-its-dates": Rule(
        "entries.odd_entries",
        "warning",
        milder="note",
        meaning="The phase took longer than planned, or a run has a wrong date or item.",
        remedy="Move `until`, or correct the runs.",
    ),
    "run-in-the-future": Rule("entries.odd_entries", "warning"),
    "run-implausible": Rule("entries.odd_entries", "warning", milder="note"),
    "run-entered-twice": Rule("entries.odd_entries", "warning"),
    "attempts-out-of-order": Rule("entries.odd_entries", "warning"),
    "cost-far-from-price": Rule("entries.odd_entries", "warning"),
    "peak-above-card": Rule("entries.odd_entries", "warning"),
    "more-than-the-capacity": Rule("entries.odd_entries", "warning"),
    "unassigned": Rule("imports.unassigned", "warning"),
    "jobs-without-gpus": Rule(
        "imports.jobs_without_gpus",
        "warning",
        title="{title}: jobs on partitions with GPUs state none",
        meaning="Other jobs on these partitions state a GPU. Older records often leave it out; then what was spent is "
        "too low.",
    ),
    "jobs-in-doubt": Rule(
        "imports.jobs_in_doubt",
        "warning",
        title="The hours of a job are in doubt",
        meaning="Accounting may have lost its end, or a program has restarted its clock.",
    ),
    "additions-without-job": Rule(
        "imports.additions_without_job",
        "warning",
        title="{title}: it is not clear to which jobs entries add",
        meaning="They count by themselves: their energy or money adds to that of the job's hours, and may count twice.",
        remedy="Import the jobs of that time from the source that counts their hours. Where an id was used several "
        "times, the column that holds `scheduler_job` has to say the time of submission too: "
        "`123@2025-03-01T09:00:00Z`.",
    ),
    "rules-not-applied": Rule(
        "imports.rules_not_applied",
        "warning",
        meaning="What the rules of today make of these jobs is in no figure yet.",
    ),
    "progress-unknown": Rule("progress.progress_unknown", "warning", milder="note", kind=CONSEQUENCE),
    "progress-against-runs": Rule(
        "progress.progress_against_runs",
        "warning",
        title="{title}: stated progress and completed runs are far apart",
        meaning="The stated progress counts.",
        remedy="Correct `runs:` or the progress. What a single run has done is in an entry with a name, `run:`.",
    ),
    "input-missing": Rule("missing.input_missing", "warning", kind=REFUSED),
    "limit-passed": Rule(
        "limits.limit_exceeded",
        "error",
        milder="warning",
        kind=CONSEQUENCE,
        meaning="What is spent beyond a limit is not covered by it.",
        remedy="Stop, find more hours, or correct the runs if they are wrong.",
    ),
    "plan-above-limit": Rule(
        "limits.plan_above_limit",
        "error",
        "warning",
        kind=CONSEQUENCE,
        meaning="Carried out as planned, the work needs more than there is.",
        remedy="Plan less, or have the limit raised; of grants, ask for more or enter the one that is missing.",
    ),
    "charged-outside-its-days": Rule(
        "payers.charged_outside",
        "warning",
        title="{title}: it is charged outside its days",
        meaning="It is charged because runs name it; its owner may not accept that.",
        remedy="Name another payer of these runs, or correct the days of the allocation.",
    ),
    "refunded-above-charged": Rule(
        "payers.refunded_too_much",
        "error",
        title="{title}: more was refunded than it was charged",
        meaning="What is left of it is more than was granted, so work appears to be paid for that is not.",
        remedy="Correct the amount of the refund, or enter the runs that it is for.",
    ),
    "paid-otherwise": Rule(
        "payers.paid_otherwise",
        "note",
        title="{title}: runs were paid otherwise than planned",
        meaning="The plan's money is wrong for these runs.",
        remedy="Nothing, if it was meant; else name the card, price list or payer of the item, or correct the runs.",
    ),
    "payer-not-named": Rule(
        "payers.payer_not_named",
        "warning",
        title="It is not said which grant pays",
        meaning="What each of them was charged, and what is left of it, cannot be said before that is known.",
    ),
    "planned-without-reserve": Rule(
        "plans.planned_without_reserve",
        "warning",
        kind=CONSEQUENCE,
        title="The plan leaves no reserve below {title}",
        meaning="Half of such plans exceed the limit although nothing goes wrong that the plan does not allow for.",
        remedy="Plan less, have more granted, or accept the finding with the reason.",
    ),
    "payer-unknown": Rule(
        "payers.payer_unknown",
        "warning",
        milder="note",
        title="The ledger does not say which grant will pay",
        meaning="What each of them will be charged, and what will be left of it, cannot be said before that is known.",
    ),
    "date-cannot-be-met": Rule(
        "dates.date_cannot_be_met",
        "warning",
        kind=CONSEQUENCE,
        meaning="The planned hours and dates do not fit together.",
        remedy="Move the date, plan less, or hold more GPUs; or say what is done already.",
    ),
    "policy-breached": Rule("limits.policy_breached", "error", milder="warning", kind=CONSEQUENCE),
    "text-left-out": Rule(
        "limits.text_left_out",
        "warning",
        kind=CONSEQUENCE,
        needs=TEXTS,
        title="Text {title} is left out",
        remedy="Write what is true now, say it with `otherwise`, or take the text out.",
    ),
    "price-old": Rule(
        "catalogue.price_old",
        "warning",
        title="Prices of {title} are old",
        meaning="What is calculated from them may not be what it costs today.",
        remedy="Look them up again, or state `price_days` where they are known to hold.",
    ),
    "input-implausible": Rule("inputs.input_implausible", "warning"),
    "throughput-above-bandwidth": Rule(
        "catalogue.throughput_above_bandwidth",
        "note",
        about=REPORT,
        title="{title}: more tokens per second than one stream can have",
        remedy="State the batch, or correct the figures.",
    ),
    "setting-contradicted": Rule("settings.setting_contradicted", "error", about=REPORT, needs=SETTINGS),
    "reported-apart": Rule(
        "measurements.reported_apart",
        "warning",
        milder="note",
        about=REPORT,
        needs=MEASURED,
        remedy="Look for what the two count differently, and say so; or correct the inputs of the projection.",
    ),
    "accept-stale": Rule("", "warning", milder="note"),
}
"""All rules by their ids, in the order in which findings of one kind, severity and size are told.
Those about `accept:` itself have no judge: they follow from the findings."""
RULE_FUNCTIONS: Mapping[str, tuple[str, ...]] = {rule.judge: rule.needs for rule in RULES.values() if rule.judge}
"""The functions that yield findings, each with the kinds of records that it needs."""


ALIASES: Mapping[str, str] = {
    "accept-unmatched": "accept-stale",
    "additions-unassigned": "unassigned",
    "attempts-overlap": "attempts-out-of-order#overlap",
    "cap-exceeded": "setting-contradicted#exceeded",
    "cap-never-bound": "setting-contradicted#unreached",
    "completed-far-from-plan": "progress-unknown#plan",
    "contingency-above-plan": "margin-on-margin#above",
    "efficiency-implied": "claim-contradicted#efficiency",
    "energy-cannot-be": "run-implausible#energy",
    "estimate-above-plan": "plan-unlike-its-estimate#below",
    "gpu-hours-are-wall-hours": "run-hours-doubtful#clock",
    "gpu-hours-stated-twice": "run-hours-doubtful#twice",
    "gpus-not-whole": "run-implausible#part",
    "hours-in-another-unit": "run-hours-doubtful#unit",
    "hours-kept-on-another-gpu": "hours-of-another-card#kept",
    "input-unknown": "input-missing",
    "lever-against-configuration": "setting-contradicted#configuration",
    "margin-unstated": "margin-on-margin#unstated",
    "marginal-from-afar": "claim-contradicted",
    "more-gpus-than-there-are": "more-than-the-capacity#gpus",
    "more-hours-than-a-month-has": "more-than-the-capacity#hours",
    "plan-above-ceiling": "plan-above-limit",
    "plan-above-grant": "plan-above-limit",
    "plan-below-estimates": "plan-unlike-its-estimate#whole",
    "plan-far-above-estimate": "plan-unlike-its-estimate#above",
    "plan-on-another-gpu": "hours-of-another-card",
    "power-missing": "input-missing#power",
    "price-missing": "input-missing#price",
    "progress-missing": "progress-unknown#unsaid",
    "projection-undetermined": "input-missing#projection",
    "ratio-missing": "input-missing#ratio",
    "reduction-increases": "setting-contradicted#increase",
    "repeats-cost-otherwise": "plan-unlike-its-estimate#repeats",
    "run-after-its-phase": "run-outside-its-dates",
    "run-before-the-project": "run-outside-its-dates#before",
    "run-held-nothing": "run-implausible#nothing",
    "run-longer-than-its-time": "run-hours-doubtful#long",
    "run-shorter-than-its-time": "run-hours-doubtful#short",
    "runs-unassigned": "unassigned",
    "sampling-beside-greedy": "setting-contradicted#sampling",
    "seeds-under-another-name": "seeds-counted-twice#count",
    "text-no-longer-holds": "text-left-out",
    "text-undecided": "text-left-out#undecided",
    "timeout-below-success": "setting-contradicted#timeout",
    "verdicts-exclude": "stated-differently",
    "wall-clock-as-gpu-hours": "plan-unlike-its-estimate#clock",
    "wall-hours-are-gpu-hours": "run-hours-doubtful#gpu-hours",
}
"""What the rules of older versions are called now, by their ids, and behind `#` which evidence of that they were. A
ledger may accept findings by the older ids, and releases name them."""


def current_id(finding: str) -> str:
    """The id of a finding with its rule as it is called now; any other text as it is.

    Evidence stands at the end of an id (`text-left-out:demo.texts.claim#undecided`), so that no two ids become one, and
    an older one means what it meant.
    """
    older, colon, subject = finding.partition(":")
    if older not in ALIASES or not colon:
        return finding
    rule, mark, evidence = ALIASES[older].partition("#")
    return f"{rule}:{subject}{mark}{evidence}"


def is_about(rule: str, what: str) -> bool:
    """Whether a rule is about the LEDGER, a PLAN, a REPORT or a SOURCE. Releases may name rules that are gone: those
    were about the ledger."""
    return what == (RULES[rule].about if rule in RULES else LEDGER)
