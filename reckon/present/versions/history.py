"""The page of the history of a project: what each release came to, and what has moved since."""

from __future__ import annotations

from collections.abc import Sequence

from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence, say
from reckon.model.kinds import EXTENDED, FINAL
from reckon.model.records import Version
from reckon.model.release import Snapshot

from ..table_rows import hours_then
from ..view import OfProject
from .page import ForecastThen, VersionStep

Pair = tuple[Figure | None, Figure | None]
KnownPair = tuple[Figure, Figure]


class History(OfProject):
    """What the page of the history says beside what changed from release to release."""

    @property
    def verdict(self) -> Sentence:
        """What the budget was in the first release, what it is, and whether it moved since the newest."""
        budget = self.view.budget.hours
        newest = self.view.releases[0]
        first = self.view.releases[-1]
        now = self.view.maybe(budget)
        last = hours_then(newest, budget)
        was = hours_then(first, budget)
        if not (is_known(now) and last and was):
            return say("{version} is the newest release, of {date}.", version=newest.version, date=newest.date)
        if now.use == last.use == was.use:
            return say("The budget has been {now} since {version}.", now=now, version=first.version)
        told = say("The budget was {was} in {first} and is {now} now; ", was=was, first=first.version, now=now)
        if now.use == last.use:
            return told + say("it has not changed since {newest}.", newest=newest.version)
        return told + say("in {newest} it was {last}.", newest=newest.version, last=last)

    def order(self, steps: Sequence[VersionStep]) -> Sequence[VersionStep]:
        """The steps, the newest first, but for the latest one that moved the budget: that comes before all."""
        latest = next((step for step in steps if step.bridged), None)
        return sorted(steps, key=lambda step: step is not latest)

    def effect(self, step: VersionStep) -> str:
        """What became of the budget in a step, as the end of a heading; empty where that is not known."""
        if step.old is None:
            return ": first release"
        if step.bridged:
            return ": the budget changed"
        return ": the budget did not change" if step.known and not step.state else ""

    def hours(self, release: Snapshot) -> Pair:
        """The budget of a release, and that with extensions where it is another."""
        final, extended = (hours_then(release, total.hours) for total in (FINAL, EXTENDED))
        return final or extended, extended if final else None

    def spent(self, release: Snapshot) -> KnownPair | None:
        """What was charged by a release, and what is now; None where nothing is."""
        return self._moved(release, "actual.total")

    def forecast(self, release: Snapshot) -> KnownPair | None:
        """What a release forecast at the median, and what is forecast now; None where nothing is."""
        return self._moved(release, "forecast.p50")

    def _moved(self, release: Snapshot, address: str) -> KnownPair | None:
        then = hours_then(release, address)
        now = self.view.maybe(address)
        return (then, now) if self.view.runs and then and is_known(now) else None

    def place(self, said: ForecastThen) -> str:
        """Whether the forecast of today lies in the range of an earlier one."""
        now, low, high = (figure.use for figure in (self.view.fig("forecast.p50"), said.low, said.high))
        if now is None or low is None or high is None:
            return "not known"
        if low <= now <= high:
            return "within that range"
        return "above that range" if now > high else "below that range"

    @property
    def unfrozen(self) -> list[tuple[str, Version]]:
        """The versions that are released by the ledger, and have no frozen pages."""
        frozen = {release.version for release in self.view.releases}
        return [(number, version) for number, version in self.view.versions("released") if number not in frozen]
