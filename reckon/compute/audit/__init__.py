"""The audit: small rules over any ledger, each knowing nothing of the project. The list below is all of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.days import iso
from reckon.language.text import place_of
from reckon.model.charged import days_of
from reckon.model.finding import OF_PLAN, OF_REPORT, SEVERITIES, Finding, nearest, say
from reckon.model.kinds import FINAL
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Accept

from ..book import Book
from ..budget.budget import budget_lines
from . import (
    added,
    catalogue,
    dates,
    energy,
    entries,
    grants,
    imports,
    kept,
    limits,
    payers,
    peaks,
    plans,
    progress,
    runs,
    totals,
)
from .clock import with_its_consequences
from .grouping import together


class LateRule(Struct, frozen=True):
    """A rule, by its module and name, about what claims state or records hold that few ledgers have. It is not asked,
    and not imported, where no project has records of these kinds."""

    named: tuple[str, str]
    needs: tuple[str, ...]

    def __call__(self, project: ProjectLedger, book: Book) -> Iterable[Finding]:
        """The findings of the rule, as of one that is imported already."""
        module, name = self.named
        found: Iterable[Finding] = getattr(import_module(f"{__package__}.{module}"), name)(project, book)
        return found


RULES: tuple[Callable[[ProjectLedger, Book], Iterable[Finding]], ...] = (
    plans.estimate_above_plan,
    plans.wall_clock_as_gpu_hours,
    plans.seeds_counted_twice,
    plans.rests_on_low_end,
    plans.margin_on_margin,
    kept.hours_kept_on_another_gpu,
    plans.contingency_above_plan,
    totals.plan_below_estimates,
    totals.repeats_cost_otherwise,
    totals.plan_far_above_estimate,
    totals.seeds_under_another_name,
    totals.margin_unstated,
    LateRule(("statements", "claim_contradicted"), ("claims",)),
    LateRule(("statements", "formula_misses_line"), ("claims",)),
    LateRule(("differently", "stated_differently"), ("claims",)),
    LateRule(("orders", "order_contradicted"), ("claims",)),
    LateRule(("pictures", "point_misplaced"), ("claims",)),
    LateRule(("documents", "verdicts_exclude"), ("claims",)),
    LateRule(("documents", "quoted_differently"), ("prices", "throughputs", "projections")),
    LateRule(("implied", "efficiency_implied"), ("claims", "setups", "projections", "configurations")),
    peaks.rate_above_peak,
    LateRule(("implied", "marginal_from_afar"), ("claims", "setups", "projections", "configurations")),
    LateRule(("implied", "savings_miss_difference"), ("claims", "setups", "projections", "configurations")),
    LateRule(("moved", "memory_moved_by_nothing"), ("configurations",)),
    catalogue.hardware_cannot_hold,
    LateRule(("measurements", "projection_far_from_estimate"), ("measurements", "projections")),
    LateRule(("measurements", "memory_far_from_need"), ("measurements", "projections")),
    LateRule(("measurements", "parts_of_a_whole"), ("measurements", "projections")),
    entries.odd_entries,
    imports.runs_unassigned,
    imports.jobs_without_gpus,
    imports.attempts_left_out,
    added.additions_without_job,
    added.additions_unassigned,
    imports.rules_not_applied,
    imports.counted_across,
    progress.completed_far_from_plan,
    progress.progress_missing,
    progress.progress_against_runs,
    runs.ratio_missing,
    runs.plan_on_another_gpu,
    plans.input_unknown,
    limits.limit_exceeded,
    limits.plan_above_ceiling,
    grants.plan_above_grant,
    payers.payer_unknown,
    dates.date_cannot_be_met,
    limits.policy_breached,
    LateRule(("silent", "text_no_longer_holds"), ("texts",)),
    LateRule(("silent", "text_undecided"), ("texts",)),
    catalogue.price_old,
    catalogue.price_missing,
    energy.power_missing,
    energy.energy_cannot_be,
    catalogue.throughput_above_bandwidth,
    LateRule(("settings", "timeout_below_success"), ("configurations", "levers")),
    LateRule(("settings", "cap_exceeded"), ("configurations", "levers")),
    LateRule(("settings", "cap_never_bound"), ("configurations", "levers")),
    LateRule(("settings", "sampling_beside_greedy"), ("configurations", "levers")),
    LateRule(("settings", "reduction_increases"), ("configurations", "levers")),
    LateRule(("settings", "lever_against_configuration"), ("configurations", "levers")),
    LateRule(("measurements", "reported_apart"), ("measurements", "projections")),
    LateRule(("measurements", "projection_undetermined"), ("measurements", "projections")),
)


MOST_COVERED = 20
"""How many findings are named that a pattern fits."""
FOLLOWS = "First correct the runs whose hours look wrong: this may follow from them alone."


def audit(book: Book) -> Mapping[str, tuple[Finding, ...]]:
    """The findings of each project, errors first, then in the order of the rules; what only follows from others with
    the notes, accepted ones as notes at the end."""
    rules = list(_concerned(book))
    return {project.id: _of(project, book, rules) for project in book.ledger.projects.values()}


def _concerned(book: Book) -> Iterator[Callable[[ProjectLedger, Book], Iterable[Finding]]]:
    """The rules that may find anything in any project: asked once, not once for each of them."""
    kinds = {kind for rule in RULES if isinstance(rule, LateRule) for kind in rule.needs}
    parts = [part for each in book.ledger.projects.values() for part in (each, each.project)]
    there = {kind for kind in kinds if any(getattr(part, kind, None) for part in parts)}
    for rule in RULES:
        if not isinstance(rule, LateRule) or not there.isdisjoint(rule.needs):
            yield rule


def _of(
    project: ProjectLedger, book: Book, rules: Iterable[Callable[[ProjectLedger, Book], Iterable[Finding]]]
) -> tuple[Finding, ...]:
    found = [finding for rule in rules for finding in rule(project, book)]
    caused = with_its_consequences(project, book, settle(project, list(_by_cause(project, found))))
    if states_its_plan(project, book):  # what is found in such a plan is found in the document
        caused = [replace(finding, published=finding.rule in OF_PLAN) for finding in caused]
    if _keeps_a_report(project):
        caused = [replace(found, published=found.published or found.rule in OF_REPORT) for found in caused]
    settled = together(book.ledger, caused)
    return tuple(sorted(settled, key=_rank))


def _rank(finding: Finding) -> tuple[bool, int]:
    return bool(finding.accepted), SEVERITIES.index("note" if finding.follows else finding.severity)


def states_its_plan(project: ProjectLedger, book: Book) -> bool:
    """Whether a document states the final budget and every line of it, and the ledger plans what it states."""
    stated = {check.figure.address for check in book.checks.get(project.id, ()) if check.holds}
    lines = [f"plan.{line.item}.total" for line in budget_lines(project) if not line.extension]
    return bool(lines) and all(f"{project.id}.{name}" in stated for name in (FINAL.hours, *lines))


def _keeps_a_report(project: ProjectLedger) -> bool:
    """Whether the ledger tells what a document reports, and neither plans nor charges anything of its own."""
    return bool(project.project.source) and not project.plan and not any(file.runs for file in project.runs)


def _by_cause(project: ProjectLedger, found: list[Finding]) -> Iterator[Finding]:
    """The findings without those that only follow: that hours do not suit a plan says nothing where they are wrong.
    What hours that look wrong may have passed says so."""
    wrong = [finding for finding in found if finding.rule in entries.FACTORS and finding.severity != "note"]
    lines = {place for finding in wrong for place in finding.places}
    many = any(finding.subject == f"{project.id}.runs" for finding in wrong)
    for finding in found:
        if wrong and finding.rule == "limit-passed":
            yield replace(finding, remedy=say(FOLLOWS))
        elif finding.rule != "completed-far-from-plan" or not (many or lines.intersection(finding.places)):
            yield finding


def settle(project: ProjectLedger, findings: list[Finding]) -> list[Finding]:
    """The findings, accepted ones as notes; and findings about accepts that match none, or are past."""
    accepted: dict[str, Accept] = {}
    extra: list[Finding] = []
    ids = [finding.id for finding in findings]
    for accept in project.project.accept:
        if not accept.ids:
            title, hint = "A pattern accepts nothing", _covered(accept, ids)
            extra.append(_about(project, accept, str(accept.finding), "accept-unmatched", title, hint))
        for found in accept.ids:
            if found not in ids:
                hint, title = nearest(found, ids, short=3) or "remove it", "An accepted finding does not exist"
                extra.append(_about(project, accept, found, "accept-unmatched", title, hint))
            elif accept.until and _past(project, str(accept.until)):
                hint = f"it was until {accept.until}: settle the finding, or accept it anew"
                extra.append(_about(project, accept, found, "accept-stale", "An acceptance has run out", hint))
            else:
                accepted[found] = accept
    return [_accepted(finding, accepted.get(finding.id)) for finding in findings] + extra


def _covered(accept: Accept, ids: list[str]) -> str:
    """What to write so that a pattern accepts what it matches now."""
    before, _, behind = accept.finding.partition("*")
    end = -len(behind) or None
    found = [name[len(before) : end] for name in ids if name.startswith(before) and name.endswith(behind)]
    if not found:
        return "remove it: nothing fits it"
    return f"list what `*` stands for: `covers: [{', '.join(found[:MOST_COVERED])}]`"


def _accepted(finding: Finding, accept: Accept | None) -> Finding:
    if accept is None:
        return finding
    return finding.accept(accept.reason, str(accept.until or ""), str(accept.by or ""))


def _past(project: ProjectLedger, until: str) -> bool:
    """Whether a version or date is reached: versions by the project's version, dates by its newest date. No clock."""
    if re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", until):
        return data_through(project)[: len(until)] > until
    wanted, now = _version(until), _version(str(project.project.version))
    # A word that is neither date nor version ("camera-ready") is for people: nothing here can tell when it is reached.
    return bool(wanted) and bool(now) and now >= wanted


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def data_through(project: ProjectLedger) -> str:
    """The newest date of a run or measurement; the date of the plan where there is none."""
    rows = project.rows
    moments = {*zip(*map(rows.column, ("imported.source", "start", "end", "date")), strict=True)}
    dates = [
        str(end or date or start or "")[:10] for source, start, end, date in moments if not source or not start or end
    ]
    # An imported job that still runs was seen for its hours.
    if len(dates) < len(moments):
        dates += [
            iso(days_of(run)[-1])
            for file in project.runs
            for run in file.runs
            if run.imported and run.start and not run.end
        ]
    dates += [str(measurement.date or "") for measurement in project.measurements.values()]
    return max([date for date in dates if date], default=str(project.project.as_of))


def _about(project: ProjectLedger, accept: Accept, found: str, rule: str, title: str, hint: str) -> Finding:
    return Finding(
        rule,
        "warning",
        f"{project.id}.accept.{found}",
        say(title),
        say("`accept` names {finding}", finding=found),
        say("What it was written for has changed."),
        say("{hint}", hint=hint),
        (place_of(accept.finding),),
    )
