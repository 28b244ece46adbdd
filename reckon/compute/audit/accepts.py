"""Findings that the authors accept become listed notes; an accept that matches nothing, or is past, is a finding."""

from __future__ import annotations

import re

from reckon.language.text import place_of
from reckon.model.finding import Finding, nearest, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Accept

from ..book import Book


def settle(one: ProjectLedger, book: Book, findings: list[Finding]) -> list[Finding]:
    """The findings with accepts applied, and findings about the accepts themselves."""
    accepted: dict[str, Accept] = {}
    extra: list[Finding] = []
    ids = [finding.id for finding in findings]
    for accept in one.project.accept:
        if str(accept.finding) not in ids:
            hint = nearest(accept.finding, ids, short=3) or "remove it"
            extra.append(_about(one, accept, "accept-unmatched", "An accepted finding does not exist", hint))
        elif accept.until and _past(one, str(accept.until)):
            extra.append(
                _about(
                    one,
                    accept,
                    "accept-stale",
                    "An acceptance has run out",
                    f"it was until {accept.until}: settle the finding, or accept it anew",
                )
            )
        else:
            accepted[str(accept.finding)] = accept
    kept = [_accepted(finding, accepted.get(finding.id)) for finding in findings]
    return kept + extra


def _reason(accept: Accept) -> str:
    return accept.reason + (f" ({accept.by})" if accept.by else "")


def _past(one: ProjectLedger, until: str) -> bool:
    """Whether a version or date is reached: versions by the project's version, dates by its newest date. No clock."""
    if re.fullmatch(r"\d{4}(-\d\d(-\d\d)?)?", until):
        return data_through(one)[: len(until)] > until
    wanted, now = _version(until), _version(str(one.project.version))
    # A word that is neither date nor version ("camera-ready") is for people: nothing here can tell when it is reached.
    return bool(wanted) and bool(now) and now >= wanted


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text))


def data_through(one: ProjectLedger) -> str:
    """The newest date of a run or measurement; the date of the plan where there is none."""
    dates = [str(run.end or run.date or run.start or "")[:10] for file in one.runs for run in file.runs]
    dates += [str(measurement.date or "") for measurement in one.measurements.values()]
    return max([date for date in dates if date], default=str(one.project.as_of))


def _about(one: ProjectLedger, accept: Accept, rule: str, title: str, hint: str) -> Finding:
    return Finding(
        rule,
        "warning",
        f"{one.id}.accept.{accept.finding}",
        say(title),
        say("`accept` names {finding}", finding=str(accept.finding)),
        say("What it was written for has changed."),
        say("{hint}", hint=hint),
        (place_of(accept.finding),),
    )


def _accepted(finding: Finding, accept: Accept | None) -> Finding:
    return finding.accept(_reason(accept), str(accept.until or "")) if accept else finding
