"""How findings are shown: one entry for a cause, with all that have it and all that follow from it.

Every finding keeps its id: what is accepted, compared or released is single findings, and a group is made of them anew
wherever they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from .finding import SEVERITIES, Common, Finding, Sentence
from .rules import CONSEQUENCE


def _is_cause(finding: Finding) -> bool:
    return finding.common is not None and finding.common.key == finding.id


class FindingGroup(Struct, frozen=True):
    """Findings that have one cause, in their order, and those that only follow from them."""

    members: tuple[Finding, ...]
    following: tuple[Finding, ...] = ()

    @property
    def lead(self) -> Finding:
        """The first of the gravest, or the cause of them if it is as grave: it is told where there is room for one."""
        return min(self.members, key=lambda finding: (SEVERITIES.index(finding.severity), not _is_cause(finding)))

    @property
    def severity(self) -> str:
        """The gravest severity of its findings, those that follow too."""
        return min((finding.severity for finding in self.all), key=SEVERITIES.index)

    @property
    def accepted(self) -> str:
        """The reason with which its findings are accepted; empty where they are open."""
        return self.lead.accepted

    @property
    def of_source(self) -> bool:
        """Whether it is about what a source states."""
        return self.lead.of_source

    @property
    def published(self) -> bool:
        """Whether it is about a plan, or about settings, as a document states them."""
        return self.lead.published

    @property
    def remark(self) -> bool:
        """Whether none of it says anything against what is stated."""
        return all(finding.remark for finding in self.members)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """What is stated, and stated again, of a remark; nothing of other groups and of accepted ones."""
        found = tuple(each for each in self.all if each.cells or each.remark)
        return found if self.remark and not self.accepted else ()

    @property
    def rule(self) -> str:
        """The rule that found the first."""
        return self.lead.rule

    @property
    def all(self) -> tuple[Finding, ...]:
        """Its findings, those that follow last."""
        return (*self.members, *self.following)

    @property
    def consequences(self) -> tuple[Finding, ...]:
        """What is not kept, and follows from it."""
        return tuple(found for found in self.following if found.kind == CONSEQUENCE)

    @property
    def common(self) -> Common | None:
        """What several of its findings have in common; None where it is one finding, or they have nothing but their
        cause."""
        common = self.lead.common
        return common if common and common.title and len(self.members) > 1 else None

    @property
    def title(self) -> Sentence:
        """What is wrong, of all of them."""
        return self.common.title if self.common else self.lead.title

    @property
    def arithmetic(self) -> Sentence:
        """The figures of the gravest."""
        return self.lead.arithmetic

    @property
    def by_rows(self) -> bool:
        """Whether its rows say all that its arithmetic would."""
        return len(self.members) > 1


def by_cause(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Findings by cause, in the order of the first of each. What is accepted stands apart, by its reason."""
    members: dict[tuple[str, str, str], list[Finding]] = {}
    homes: dict[str, tuple[str, str, str]] = {}
    following: dict[str, list[Finding]] = {}
    for finding in findings:
        key = finding.common.key if finding.common else finding.id
        if finding.follows and not finding.accepted:
            following.setdefault(key, []).append(finding)
        else:
            whole = (key, finding.accepted, f"{finding.until}\n{finding.by}")
            members.setdefault(whole, []).append(finding)
            homes.setdefault(key, whole)
    for key in [key for key in following if key not in homes]:  # what they follow from is not among these
        homes[key] = (key, "", "")
        members[homes[key]] = following.pop(key)
    return tuple(
        FindingGroup(tuple(some), tuple(following.get(whole[0], ())) if homes[whole[0]] == whole else ())
        for whole, some in members.items()
    )
