"""The audit: small rules over any ledger, each knowing nothing of the project. `model/rules` has the list of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from importlib import import_module

from msgspec.structs import replace

from reckon.language.calendar_days import iso
from reckon.language.text import place_of
from reckon.model.day_split import days_of
from reckon.model.finding import Finding, make_finding, nearest, say
from reckon.model.kinds import FINAL
from reckon.model.lazy import LateValues
from reckon.model.ledger import ByProject, Ledger, ProjectLedger
from reckon.model.records import Accept
from reckon.model.rules import PLAN, REPORT, RULE_FUNCTIONS, RULES, current_id, is_about

from ..book import Book
from ..budget.budget import budget_lines
from .clock import with_its_consequences
from .consequences import ASKED, Calculate, Judge, attach_consequences, attach_effects
from .grouping import CLAIMED, in_order, join_not_kept, together

MOST_COVERED = 20
"""How many findings are named that a pattern fits."""


def audit(book: Book, calculate: Calculate | None = None) -> ByProject[Finding]:
    """The findings of each project, as `in_order` orders them: made when they are looked at. What follows from others
    is only known if it is said how to calculate another ledger."""
    judges = find_judges(book.ledger)
    return LateValues(book.projects, lambda name: _of(book.projects[name], book, judges, calculate))


def find_judges(ledger: Ledger) -> dict[str, Judge]:
    """The functions that may find anything in any project, by name: each is asked once, not once for each project."""
    found = {}
    for judge, needs in RULE_FUNCTIONS.items():
        if not needs or any(getattr(project, kind) for project in ledger.projects.values() for kind in needs):
            module, _, name = judge.partition(".")
            found[judge] = getattr(import_module(f"{__package__}.{module}"), name)
    return found


def _of(
    project: ProjectLedger, book: Book, judges: Mapping[str, Judge], calculate: Calculate | None
) -> tuple[Finding, ...]:
    found = [finding for judge in judges.values() for finding in judge(project, book)]
    caused = with_its_consequences(project, book, settle(project, found))
    # What is found in a plan that a document states is found in the document, and so is what a report is about where
    # the ledger neither plans nor charges anything of its own.
    is_report = bool(project.project.source) and not project.plan and not project.rows
    published = [PLAN] * states_its_plan(project, book) + [REPORT] * is_report
    caused = [replace(each, published=any(is_about(each.rule, what) for what in published)) for each in caused]
    settled = together(book.ledger, caused)
    if calculate:
        names = dict.fromkeys(rule.judge for rule in ASKED.values() if rule.judge in judges)
        settled = attach_consequences(project, book.ledger, settled, [judges[name] for name in names], calculate)
        settled = attach_effects(project, book, settled, judges.get(RULES[CLAIMED].judge), calculate)
    return in_order(join_not_kept(settled))


def states_its_plan(project: ProjectLedger, book: Book) -> bool:
    """Whether a document states the final budget and every line of it, and the ledger plans what it states."""
    stated = {check.figure.address for check in book.checks[project.id] if check.holds}
    lines = [f"plan.{line.item}.total" for line in budget_lines(project) if not line.extension]
    return bool(lines) and all(f"{project.id}.{name}" in stated for name in (FINAL.hours, *lines))


def settle(project: ProjectLedger, findings: list[Finding]) -> list[Finding]:
    """The findings, accepted ones as notes; and findings about accepts that match none, or are past."""
    told = {finding.id: finding for finding in findings}
    ids = list(told)
    extra = []
    for accept in project.project.accept:
        doubt = partial(_about, project, accept)
        now = current_id(accept.finding)
        if now != accept.finding:
            extra.append(doubt(accept.finding, "An accepted finding has an older id", f"write `{now}`", is_mild=True))
        if not accept.ids:
            extra.append(doubt(now, "A pattern accepts nothing", _covered(now, ids)))
        for name in accept.ids:
            if name not in told:
                hint = nearest(name, ids, short=3) or "remove it"
                extra.append(doubt(name, "An accepted finding does not exist", hint))
            elif accept.until and _past(project, accept.until):
                hint = f"it was until {accept.until}: settle the finding, or accept it again"
                extra.append(doubt(name, "An acceptance has run out", hint))
            else:
                told[name] = told[name].accept(accept.reason, accept.until or "", accept.by or "")
    return [*told.values(), *extra]


def _covered(pattern: str, ids: list[str]) -> str:
    """What to write so that a pattern accepts what it matches now."""
    before, _, behind = pattern.partition("*")
    fitting = [name for name in ids if name.startswith(before) and name.endswith(behind)]
    found = [name.removeprefix(before).removesuffix(behind) for name in fitting]
    if not found:
        return "remove it: nothing fits it"
    return f"list what `*` stands for: `covers: [{', '.join(found[:MOST_COVERED])}]`"


def _past(project: ProjectLedger, until: str) -> bool:
    """Whether a version or date is reached: versions by the project's version, dates by its newest date. No clock."""
    if re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", until):
        return data_through(project)[: len(until)] > until
    wanted = _version(until)
    # A word that is neither date nor version ("camera-ready") is for people: nothing here can tell when it is reached.
    return bool(wanted) and _version(project.project.version) >= wanted


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def data_through(project: ProjectLedger) -> str:
    """The newest date of a run, of an entry by hand that states a cost alone, or of a measurement; the date of the plan
    where there is none."""
    moments = {*project.rows.columns("start", "end", "date")}
    dates = [str(end or date or "")[:10] for start, end, date in moments if not start or end]
    # A run of which only the start is known took its hours from there on.
    loose = [run for file in project.additions for run in file.runs if not run.imported]
    if len(dates) < len(moments):
        loose += [run for run in project.rows if run.start and not run.end]
    dates += [iso(day) for run in loose if (day := days_of(run)[-1])]
    dates += [measurement.date or "" for measurement in project.measurements.values()]
    return max(filter(None, dates), default=project.project.as_of)


def _about(project: ProjectLedger, accept: Accept, found: str, title: str, hint: str, is_mild: bool = False) -> Finding:
    """A finding about an acceptance; the milder one, where only the name of the rule is another."""
    return make_finding(
        "accept-stale",
        f"{project.id}.accept.{found}",
        title,
        say("`accept` names {finding}", finding=found),
        "It accepts what it did before." if is_mild else "What it was written for has changed.",
        hint,
        (place_of(accept.finding),),
        is_mild=is_mild,
    )
