"""What is odd about an entry, and the finding that tells it: one for each of a few entries, one for many of a cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.calendar_days import HOUR
from reckon.language.groups import group_by
from reckon.language.quantity import add_up, point
from reckon.language.text import Place
from reckon.language.units import GPU_HOURS, HOURS, Unit
from reckon.model.figure import Figure, Stated
from reckon.model.finding import Common, Correction, Fields, Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.rules import RULES

from ..common import counted, hours_of
from .entry import RunEntry

FEW, SHOWN, MOST_PLACES = 3, 3, 20


class Cause(Struct, frozen=True):
    """Why entries are odd: the judgement, as a finding has it, and the words of its findings.

    `many` is the title where they are told together, as more than a few are: a column that was read wrongly is one
    mistake. `part` tells apart the causes of a rule.
    """

    judgement: str
    title: str
    many: str
    meaning: str
    remedy: str
    part: str = ""
    is_mild: bool = False

    @property
    def rule(self) -> str:
        """The rule that finds it."""
        return self.judgement.partition("#")[0]

    def of(self, address: str) -> str:
        """The subject of its finding about an address."""
        return address + self.judgement.removeprefix(self.rule)

    @property
    def severity(self) -> str:
        """That of its findings."""
        rule = RULES[self.rule]
        return rule.milder if self.is_mild else rule.severity


class Doubt(Struct, frozen=True):
    """An entry that is odd, for which cause, and the arithmetic. `also` are lines of other entries that it is about.

    `otherwise` are the GPU-hours that it would be charged if its hours are read as something else, by what. With
    `by_line` it is named by its line, as an entry is that stands there twice; with `of_siblings` the arithmetic is
    that of other runs of its kind.
    """

    cause: Cause
    entry: RunEntry
    arithmetic: Sentence
    also: tuple[Place, ...] = ()
    otherwise: tuple[tuple[str, Fraction], ...] = ()
    by_line: bool = False
    of_siblings: bool = False
    fields: Fields = ()
    """What it would state beside others that it contradicts."""

    def subject(self, project_id: str) -> str:
        """What its finding is about."""
        place = self.entry.run.place
        by_line = f"{project_id}.runs.{place.file.rsplit('/', 1)[-1]}:{place.line}"
        return self.cause.of(by_line if self.by_line else self.entry.address(project_id))

    @property
    def corrections(self) -> tuple[Correction, ...]:
        """What the entry would be charged: nothing, where it stands there twice; what it is otherwise read as, or what
        the time from its start to its end leaves; nothing is said where that is not known."""
        run = self.entry.run
        if self.fields:
            return (Correction(run.place, run.charged_hours, run.charged_hours, self.fields),)
        right = max((hours for _, hours in self.otherwise), default=None)
        if self.by_line:
            right = Fraction(0)
        elif right is None and self.cause.judgement == "run-hours-doubtful#long" and self.entry.apart and run.gpus:
            right = run.gpus * Fraction(self.entry.apart[1], HOUR)
        return (Correction(run.place, run.charged_hours, right),) if right is not None else ()

    def finding(self, project_id: str) -> Finding:
        """The finding for this entry alone."""
        cause = self.cause
        places = (*self.also, self.entry.run.place)
        return make_finding(
            cause.rule,
            self.subject(project_id),
            cause.title,
            self.arithmetic,
            cause.meaning,
            cause.remedy,
            places,
            is_mild=cause.is_mild,
            corrections=self.corrections,
        )


Doubts = Iterator[Doubt]
"""What a judge of entries yields."""


def told(project_id: str, doubts: Iterable[Doubt], accepted: Collection[str]) -> Findings:
    """The findings for doubts: those accepted and those of causes with few entries one by one, all others together.

    Those of one entry are one matter, and so are those of the same entries: the first doubt of each is the strongest.
    """
    every = list(doubts)
    findings = []
    for cause, found in group_by(every, lambda doubt: doubt.cause).items():
        # What several jobs are is told of all of them: no entry of theirs is a run.
        is_many = len(found) > FEW or any(doubt.entry.run.jobs not in (None, 1) for doubt in found)
        rest = []
        for doubt in found:
            if is_many and f"{cause.rule}:{doubt.subject(project_id)}" not in accepted:
                rest.append(doubt)
            else:
                findings.append((doubt.finding(project_id), [doubt]))
        if rest:
            findings.append((_together(project_id, cause, rest), rest))
    # The findings of which all entries are told by one that is stronger have it in common with that.
    ids = {id(doubt): finding.id for finding, some in findings for doubt in some}
    strongest = {doubt.entry.row: ids[id(doubt)] for doubt in reversed(every)}
    leads = [{strongest[doubt.entry.row] for doubt in some} for _, some in findings]
    often = Counter(lead for some in leads if len(some) == 1 for lead in some)
    for (finding, _), names in zip(findings, leads, strict=True):
        lead = next(iter(names))
        is_shared = len(names) == 1 and often[lead] > 1
        yield replace(finding, common=Common(lead)) if is_shared else finding


def _together(project_id: str, cause: Cause, doubts: Sequence[Doubt]) -> Finding:
    """One finding for many entries: how many there are, what they were charged, and the first of them."""
    runs = sum(doubt.entry.run.many for doubt in doubts)
    text = "{many} runs with {charged} as they stand"
    title = cause.many
    if runs == 1:
        text = "{many} run with {charged} as it stands"
        title = cause.title
    begin = say(text, many=counted(runs), charged=hours_of(doubt.entry.run for doubt in doubts))
    # What entries would be charged together, if the hours of all of them can be read as the same thing.
    readings = group_by((pair for doubt in doubts for pair in doubt.otherwise), lambda pair: pair[0])
    for name, pairs in readings.items():
        if len(pairs) == len(doubts):
            whole = counted(add_up(charged for _, charged in pairs), GPU_HOURS)
            begin += say(", {charged} if read as {name}", name=name, charged=whole)
    first = joined(say("{at}: ", at=doubt.entry.run.place.short) + doubt.arithmetic for doubt in doubts[:SHOWN])
    return make_finding(
        cause.rule,
        cause.of(".".join(filter(None, (project_id, "runs", cause.part)))),
        title,
        (*begin, ". The first: ", *first),
        cause.meaning,
        cause.remedy,
        [doubt.entry.run.place for doubt in doubts[:MOST_PLACES]],
        is_mild=cause.is_mild,
        corrections=tuple(each for doubt in doubts for each in doubt.corrections),
    )


def stated(amount: Fraction, unit: Unit = HOURS) -> Figure:
    """An amount that an entry states, or that follows from it, as a figure with all its digits."""
    return Figure("", "", unit, point(amount), Stated(str(amount)))
