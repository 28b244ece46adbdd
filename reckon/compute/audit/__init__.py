"""The audit: small rules over any ledger, each knowing nothing of the project. The list below is all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reckon.model.finding import SEVERITIES, Finding
from reckon.model.ledger import ProjectLedger

from ..book import Book
from . import (
    agreement,
    catalogue,
    claims,
    contingency,
    estimates,
    hardware,
    levers,
    limits,
    projections,
    runs,
    settings,
    statements,
    texts,
    unknowns,
)
from .accepts import settle

RULES = (
    estimates.estimate_above_plan,
    estimates.wall_clock_as_gpu_hours,
    estimates.seeds_counted_twice,
    estimates.rests_on_low_end,
    contingency.margin_on_margin,
    claims.claim_contradicted,
    claims.formula_misses_line,
    statements.stated_differently,
    hardware.hardware_cannot_hold,
    agreement.projection_far_from_estimate,
    agreement.memory_far_from_need,
    agreement.parts_of_a_whole,
    runs.stated_twice,
    runs.longer_than_its_time,
    runs.entered_twice,
    runs.ratio_missing,
    runs.plan_on_another_gpu,
    unknowns.input_unknown,
    limits.limit_passed,
    limits.plan_above_ceiling,
    limits.policy_breached,
    texts.text_no_longer_holds,
    texts.text_undecided,
    catalogue.price_old,
    catalogue.throughput_above_bandwidth,
    settings.timeout_below_success,
    settings.cap_exceeded,
    settings.cap_never_bound,
    settings.sampling_beside_greedy,
    levers.reduction_increases,
    levers.lever_against_configuration,
    projections.reported_apart,
    projections.projection_undetermined,
)


def audit(book: Book) -> Mapping[str, tuple[Finding, ...]]:
    """The findings of each project, errors first, then in the order of the rules; accepted ones as notes at the end."""
    return {one.id: _of(one, book) for one in book.ledger.projects.values()}


def _of(one: ProjectLedger, book: Book) -> tuple[Finding, ...]:
    found: Iterable[Finding] = [finding for rule in RULES for finding in rule(one, book)]
    settled = settle(one, book, list(found))
    return tuple(sorted(settled, key=lambda finding: (bool(finding.accepted), SEVERITIES.index(finding.severity))))
