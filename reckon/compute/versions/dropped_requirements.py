"""Requirements that were dropped, and the findings that went with them: a claim that is gone, a flag that is unset,
hardware that is no longer said to run something. The finding is gone, but what it said may be as true as before."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from reckon.model.release import ReleasedFinding
from reckon.model.rules import SOURCE, is_about

from .change import Change
from .list_diff import CLAIMS

ESTIMATED = (
    "plan-unlike-its-estimate",
    "seeds-counted-twice",
    "rests-on-low-end",
    "margin-on-margin#unstated",
    "records-far-apart",
)
HELD = ("hardware-cannot-hold",)
MARGINS = ("margin-on-margin",)
SETTINGS = ("setting-contradicted", "rests-on-low-end")
REQUIRED: Mapping[str, tuple[str, ...]] = {
    "runs": HELD,
    "cards": HELD,
    "need_gib_per_gpu": HELD,
    "estimate": ESTIMATED,
    "memory": ("memory-far-apart",),
    "includes_margin": MARGINS,
    "margin": MARGINS,
    "contingency": MARGINS,
    "repeats": ("plan-unlike-its-estimate#repeats",),
    "compare": ("records-far-apart",),
    "reported": ("reported-apart",),
    "ceiling": ("plan-above-limit", "planned-without-reserve", "limit-passed"),
    "until": ("date-cannot-be-met", "run-outside-its-dates"),
    "total": ("setting-contradicted",),
    "lowers": SETTINGS,
    "was": SETTINGS,
    "sets": SETTINGS,
    "settings": SETTINGS,
    "configuration": SETTINGS,
    "efficiency": ("claim-contradicted",),
    "price_days": ("price-old",),
    "drawn": ("point-misplaced",),
}
"""By the field that is gone, or has less in it: the rules that need it."""
WHOLE = ("policy", "projection", "measurement")
"""Records that are requirements themselves: what a finding says of one that is gone is gone with it."""
_NUMBER = re.compile(r"[~≈<]?\s*[0-9]")
OF_ALL = ("margin-on-margin", "plan-unlike-its-estimate#whole", "plan-above-limit", "limit-passed")
"""Rules that speak of the whole project, so that any line of it may be what silenced them."""


class Silenced(Struct, frozen=True):
    """A requirement that was dropped, and the findings that are gone with it."""

    change: Change
    findings: tuple[ReleasedFinding, ...]


def silenced(
    changes: Sequence[Change], lost: Sequence[ReleasedFinding], gained: Iterable[ReleasedFinding] = ()
) -> tuple[Silenced, ...]:
    """The changes that dropped a requirement, each with the findings that are gone and needed it.

    A finding that only stands at another address of its record now is not gone, and a plan that has other hours was
    written anew: its flag was not unset to silence anything.
    """
    came = {_home(finding) for finding in gained}
    gone = [finding for finding in lost if _home(finding) not in came]
    planned = {change.record for change in changes if change.address == f"{change.record}.gpu_hours"}
    dropped = (
        change
        for change in changes
        if gone and _drops(change) and not (change.record in planned and change.address.endswith(".includes_margin"))
    )
    silenced = []
    for change in dropped:
        findings = tuple(finding for finding in gone if _needed(change, finding))
        if findings:
            silenced.append(Silenced(change, findings))
    return tuple(silenced)


def _home(finding: ReleasedFinding) -> tuple[str, str]:
    """The rule of a finding and what its subject stands in."""
    rule, _, subject = finding.id.partition(":")
    return rule, subject.partition("#")[0].rpartition(".")[0]


def _drops(change: Change) -> bool:
    """Whether something is gone: a record, a field, an entry of a list of words; or a flag is no longer set."""
    if change.kind == "removed":
        return change.of == CLAIMS.of or change.of in WHOLE
    fewer = set(change.now.split(", ")) < set(change.was.split(", "))
    return change.kind == "changed" and (not change.now or (change.was, change.now) == ("true", "false") or fewer)


def _needed(change: Change, finding: ReleasedFinding) -> bool:
    """Whether a finding is of a rule that needs what was dropped, and speaks of the same."""
    rule, _, subject = finding.id.partition(":")
    subject, mark, evidence = subject.partition("#")
    names = {rule, rule + mark + evidence}
    if change.of == CLAIMS.of:
        if rule == "formula-misses-line" and _NUMBER.match(change.was):
            return False  # a claim of a figure, beside one of the formula
        stated = change.address.replace(".claims.", ".", 1)
        return is_about(rule, SOURCE) and (_is_within(subject, stated) or _is_within(stated, subject))
    if change.kind == "removed":
        return _is_within(subject, change.address)
    rules = [name for field in change.address.split(".") for name in REQUIRED.get(field, ())]
    return not names.isdisjoint(rules) and (not names.isdisjoint(OF_ALL) or _is_within(subject, change.record))


def _is_within(address: str, outer: str) -> bool:
    """Whether an address is another, or stands below it."""
    return address == outer or address.startswith(f"{outer}.")
