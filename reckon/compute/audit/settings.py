"""Settings that cannot hold together with each other, or with what was measured under them.

The rules look for the roles that the catalogue gives to settings, never for names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from reckon.language.quantity import point
from reckon.language.text import Place
from reckon.language.units import PLAIN, key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, Worked, planned
from reckon.model.finding import Finding, Sentence, joined, say
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..book import Book
from ..fitting.settings import (
    DECODING,
    GREEDY,
    INPUT_CAP,
    OUTPUT_CAP,
    SAMPLING,
    TEMPERATURE,
    TIMEOUT,
    Declared,
    settings_of,
)
from ..measuring.measured import Column, columns_of
from .common import places, times_as_much

MEASURED = "measured"
CAPS = (OUTPUT_CAP, INPUT_CAP)


@dataclass(frozen=True, slots=True)
class _Held:
    """The rows of a measurement held against the limit that a setting is."""

    measurement: r.Measurement
    at: str
    column: Column
    limit: Fraction

    @property
    def above(self) -> int:
        """How many rows are above the limit."""
        return sum(1 for number in self.column.numbers if self.column.unit.to_base(number) > self.limit)

    @property
    def reached(self) -> bool:
        """Whether a row is at the limit or above it."""
        return any(self.column.unit.to_base(number) >= self.limit for number in self.column.numbers)

    def most(self, book: Book) -> Figure:
        """The greatest of the rows."""
        return book[f"{self.at}.{self.column.name}.max"]

    def over(self, book: Book) -> Sentence:
        """How many of the rows are above the limit, and how far up they go."""
        return say("{many} of {rows} of {title}, up to {most}", many=_count(self.above), rows=self.rows,
                   title=str(self.measurement.title), most=self.most(book))  # fmt: skip

    def under(self, book: Book) -> Sentence:
        """How far up the rows go."""
        return say("the most in {rows} of {title} is {most}", rows=self.rows,
                   title=str(self.measurement.title), most=self.most(book))  # fmt: skip

    @property
    def rows(self) -> Figure:
        """How many rows there are."""
        return _count(len(self.column.numbers), f"{self.measurement.row or 'row'}s")


def _count(number: int, of: str = "") -> Figure:
    return Figure("", "rows", key_unit(of) if of else PLAIN, point(number), Worked("rows of the measurement"))


def _settings(one: ProjectLedger, book: Book) -> Iterator[tuple[str, tuple[Declared, ...]]]:
    """The settings of each configuration, with what active levers and defaults add."""
    for name in one.configurations:
        yield str(name), tuple(settings_of(book.figures, book.ledger, one, str(name)))


def _limits(
    one: ProjectLedger, book: Book, roles: tuple[str, ...]
) -> Iterator[tuple[Declared, Figure, tuple[_Held, ...]]]:
    """Each setting of these roles that is a number, with what was measured under it."""
    for configuration, settings in _settings(one, book):
        for setting in settings:
            if setting.role in roles and setting.figure and setting.figure.value.high is not None:
                held = tuple(_held(one, configuration, setting, setting.figure))
                if held:
                    yield setting, setting.figure, held


def _held(one: ProjectLedger, configuration: str, setting: Declared, limit: Figure) -> Iterator[_Held]:
    """The measurements of a configuration with the column that a setting limits: `of`, or the whole for a time-out."""
    assert limit.value.high is not None
    for name, measurement in one.measurements.items():
        if measurement.configuration != configuration or measurement.kind != MEASURED:
            continue
        of = str(setting.spec.of or (whole_of(measurement.total) if setting.role == TIMEOUT else ""))
        column = next((column for column in columns_of(measurement) if column.name == of), None)
        if column and column.unit.kinds == limit.unit.kinds:
            yield _Held(measurement, f"{one.id}.measurements.{name}", column, limit.unit.to_base(limit.value.high))


def timeout_below_success(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A time-out shorter than requests that succeeded under it."""
    for setting, limit, held in _limits(one, book, (TIMEOUT,)):
        over = [some for some in held if some.above]
        if over:
            longest = max((some.most(book) for some in over), key=planned)
            told = times_as_much(longest, limit, " ({ratio} as long)")
            yield Finding(
                "timeout-below-success", "error", setting.at,
                say("{title}: requests that took longer have succeeded", title=_called(setting)),
                _is(setting) + say("; above it: ") + joined([some.over(book) for some in over]) + told,
                say("Either the time-out was not in force, or these requests were given up and did not succeed."),
                say("Raise the time-out above the longest request, or find out what was in force."),
                _places(setting, *(some.most(book) for some in over)),
            )  # fmt: skip


def cap_never_bound(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A cap that nothing measured under it has reached."""
    for setting, _, held in _limits(one, book, CAPS):
        if not any(some.reached for some in held):
            yield Finding(
                "cap-never-bound", "note", setting.at,
                say("{title}: the cap was never reached", title=_called(setting)),
                _is(setting) + say("; ") + joined([some.under(book) for some in held]),
                say("What was measured would have been the same without it."),
                say("Do not count it as a saving; lower it if it is to bind."),
                _places(setting, *(some.most(book) for some in held)),
            )  # fmt: skip


def cap_exceeded(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """A cap that something measured under it is above."""
    for setting, _, held in _limits(one, book, CAPS):
        over = [some for some in held if some.above]
        if over:
            yield Finding(
                "cap-exceeded", "warning", setting.at,
                say("{title}: what was measured is above the cap", title=_called(setting)),
                _is(setting) + say("; above it: ") + joined([some.over(book) for some in over]),
                say("The cap was not in force, or the figures are of something else."),
                say("Find out what was in force, and correct the configuration or the measurement."),
                _places(setting, *(some.most(book) for some in over)),
            )  # fmt: skip


def sampling_beside_greedy(one: ProjectLedger, book: Book) -> Iterator[Finding]:
    """Settings of sampling beside greedy decoding, which does not sample."""
    for _, settings in _settings(one, book):
        decoding = [some for some in settings if some.role == DECODING and some.text.casefold() == GREEDY]
        drawn = [some for some in settings if not some.default and _samples(some)]
        for greedy in decoding:
            if drawn:
                yield Finding(
                    "sampling-beside-greedy", "warning", greedy.at,
                    say("{title}: greedy, beside settings of sampling", title=_called(greedy)),
                    joined([_is(setting) for setting in (greedy, *drawn)]),
                    say("Greedy decoding takes the likeliest token: what is set for sampling has no effect, "
                        "or decoding was not greedy."),
                    say("Take out what was not in force."),
                    tuple(setting.place for setting in (greedy, *drawn)),
                )  # fmt: skip


def _samples(setting: Declared) -> bool:
    """Whether a setting makes decoding sample: a temperature above zero, or another that is not left at its default."""
    if setting.role == TEMPERATURE:
        return setting.figure is not None and setting.figure.use is not None and setting.figure.use > 0
    return setting.role == SAMPLING and setting.text.casefold() != str(setting.spec.default or "").casefold()


def _called(setting: Declared) -> str:
    title = setting.title
    return title[:1].upper() + title[1:]


def _is(setting: Declared) -> Sentence:
    """What a setting is set to, and by what where that is not the configuration."""
    by = say(" ({by}{default})", by=setting.by, default=", default" if setting.default else "") if setting.by else ()
    return say("{name} is {value}", name=setting.name, value=setting.figure or setting.text) + by


def _places(setting: Declared, *figures: Figure) -> tuple[Place, ...]:
    return tuple(dict.fromkeys((setting.place, *places(*figures))))
