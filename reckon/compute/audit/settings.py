"""Settings and levers that cannot be true together with each other, or with what was measured under them.

The rules look for the roles that the catalogue gives to settings, never for names.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from msgspec import Struct

from reckon.language.text import Place, place_of
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, planned
from reckon.model.finding import Common, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import Ids, ProjectLedger
from reckon.model.values import whole_of

from ..book import Book
from ..fitting import effective_settings
from ..fitting.effective_settings import Declared, declared, same_setting, spec_of
from ..measuring.results import MeasuredColumn, columns_of
from .common import counted, places, times_as_much

MEASURED = "measured"
CAPS = (effective_settings.OUTPUT_CAP, effective_settings.INPUT_CAP)


class _Held(Struct, frozen=True):
    """The rows of a measurement held against the limit that a setting is."""

    measurement: r.Measurement
    at: str
    column: MeasuredColumn
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
        return say(
            "{many} of {rows} of {title}, up to {most}",
            many=counted(self.above),
            rows=self.rows,
            title=self.measurement.title,
            most=self.most(book),
        )

    def under(self, book: Book) -> Sentence:
        """How far up the rows go."""
        return say(
            "the most in {rows} of {title} is {most}",
            rows=self.rows,
            title=self.measurement.title,
            most=self.most(book),
        )

    @property
    def rows(self) -> Figure:
        """How many rows there are."""
        return counted(len(self.column.numbers), key_unit(f"{self.measurement.row or 'row'}s"))


def _settings(project: ProjectLedger, book: Book) -> Iterator[tuple[str, tuple[Declared, ...]]]:
    """The settings of each configuration, with what active levers and defaults add."""
    for name in project.configurations:
        yield name, tuple(effective_settings.settings_of(book.figures, book.ledger, project, name))


def _limits(
    project: ProjectLedger, book: Book, roles: tuple[str, ...]
) -> Iterator[tuple[Declared, Figure, tuple[_Held, ...]]]:
    """Each setting of these roles that is a number, with what was measured under it."""
    for configuration, settings in _settings(project, book):
        for setting in settings:
            if setting.role in roles and setting.figure and setting.figure.value.high is not None:
                held = tuple(_held(project, configuration, setting, setting.figure))
                if held:
                    yield setting, setting.figure, held


def _held(project: ProjectLedger, configuration: str, setting: Declared, limit: Figure) -> Iterator[_Held]:
    """The measurements of a configuration with the column that a setting limits: `of`, or the whole for a time-out."""
    assert limit.value.high is not None
    for name, measurement in project.measurements.items():
        if measurement.configuration != configuration or measurement.kind != MEASURED:
            continue
        of = setting.spec.of or (whole_of(measurement.total) if setting.role == effective_settings.TIMEOUT else "")
        column = next((column for column in columns_of(measurement) if column.name == of), None)
        if column and column.unit.kinds == limit.unit.kinds:
            yield _Held(measurement, f"{project.id}.measurements.{name}", column, limit.unit.to_base(limit.value.high))


def timeout_below_success(project: ProjectLedger, book: Book) -> Findings:
    """A time-out shorter than requests that succeeded under it."""
    for setting, limit, held in _limits(project, book, (effective_settings.TIMEOUT,)):
        over = [measured for measured in held if measured.above]
        if over:
            longest = max((measured.most(book) for measured in over), key=planned)
            told = times_as_much(longest, limit, " ({ratio} as long)")
            yield make_finding(
                "timeout-below-success",
                setting.at,
                say("{title}: requests that took longer have succeeded", title=_called(setting)),
                _is(setting) + say("; above it: ") + joined([measured.over(book) for measured in over]) + told,
                "Either the time-out was not in force, or these requests were given up and did not succeed.",
                "Raise the time-out above the longest request, or find out what was in force.",
                _places(setting, *(measured.most(book) for measured in over)),
            )


def cap_never_bound(project: ProjectLedger, book: Book) -> Findings:
    """A cap that nothing measured under it has reached."""
    for setting, _, held in _limits(project, book, CAPS):
        if not any(measured.reached for measured in held):
            yield make_finding(
                "cap-never-bound",
                setting.at,
                say("{title}: the cap was never reached", title=_called(setting)),
                _is(setting) + say("; ") + joined([measured.under(book) for measured in held]),
                "What was measured would have been the same without it.",
                "Do not count it as a saving; lower it if it is to bind.",
                _places(setting, *(measured.most(book) for measured in held)),
            )


def cap_exceeded(project: ProjectLedger, book: Book) -> Findings:
    """A cap that something measured under it is above."""
    for setting, _, held in _limits(project, book, CAPS):
        over = [measured for measured in held if measured.above]
        if over:
            yield make_finding(
                "cap-exceeded",
                setting.at,
                say("{title}: what was measured is above the cap", title=_called(setting)),
                _is(setting) + say("; above it: ") + joined([measured.over(book) for measured in over]),
                "The cap was not in force, or the figures are of something else.",
                "Find out what was in force, and correct the configuration or the measurement.",
                _places(setting, *(measured.most(book) for measured in over)),
            )


def sampling_beside_greedy(project: ProjectLedger, book: Book) -> Findings:
    """Settings of sampling beside greedy decoding, which does not sample."""
    for _, settings in _settings(project, book):
        decoding = [
            some
            for some in settings
            if some.role == effective_settings.DECODING and some.text.casefold() == effective_settings.GREEDY
        ]
        drawn = [some for some in settings if not some.default and _samples(some)]
        for greedy in decoding:
            if drawn:
                yield make_finding(
                    "sampling-beside-greedy",
                    greedy.at,
                    say("{title}: greedy, beside settings of sampling", title=_called(greedy)),
                    joined([_is(setting) for setting in (greedy, *drawn)]),
                    (
                        "Greedy decoding takes the likeliest token: what is set for sampling has no effect, "
                        "or decoding was not greedy."
                    ),
                    "Take out what was not in force.",
                    (setting.place for setting in (greedy, *drawn)),
                )


def _samples(setting: Declared) -> bool:
    """Whether a setting makes decoding sample: a temperature above zero, or another that is not left at its default."""
    if setting.role == effective_settings.TEMPERATURE:
        return setting.figure is not None and setting.figure.use is not None and setting.figure.use > 0
    return (
        setting.role == effective_settings.SAMPLING
        and setting.text.casefold() != (setting.spec.default or "").casefold()
    )


def _called(setting: Declared) -> str:
    return setting.title[:1].upper() + setting.title[1:]


def _inside(title: str) -> str:
    """A title inside a sentence: without its capital, unless more of its first word is in capitals."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def _is(setting: Declared) -> Sentence:
    """What a setting is set to, and by what where that is not the configuration."""
    by = say(" ({by}{default})", by=setting.by, default=", default" if setting.default else "") if setting.by else ()
    return say("{name} is {value}", name=_inside(setting.title), value=setting.figure or setting.text) + by


def _places(setting: Declared, *figures: Figure) -> tuple[Place, ...]:
    return setting.place, *places(*figures)


def reduction_increases(project: ProjectLedger, book: Book) -> Findings:
    """A change that is said to reduce a setting, and puts it higher than it was."""
    for name, lever in project.levers.items():
        for key in (key for key in lever.lowers if key in lever.was and key in lever.sets):
            spec = spec_of(book.ledger, project, str(lever.configuration), key)
            was, sets = (_of_lever(project, book, name, part, key, spec) for part in ("was", "sets"))
            if _raised(was, sets):
                still = [each for each in _others(project, book, name, key) if same_setting(was, each[1])]
                told = (say("; {title} says {says}", title=title, says=_value(says)) for title, says in still)
                yield make_finding(
                    "reduction-increases",
                    sets.at,
                    say("{title}: said to reduce, and increases", title=lever.title),
                    say("{key}: from {was} to {sets}", key=_inside(sets.title), was=_value(was), sets=_value(sets))
                    + joined(told, ""),
                    "The two values seem to stand the wrong way round: what it was before is in force."
                    if still
                    else "What is said of the change and its two values cannot both be right.",
                    "Correct what is said, or swap the values.",
                    (place_of(key), was.place, sets.place, *(says.place for _, says in still)),
                )


def _raised(was: Declared, sets: Declared) -> bool:
    """Whether a setting is known to be higher than it was: by values to plan with, in whatever unit."""
    before = was.figure
    after = sets.figure
    if before is None or after is None or before.use is None or after.use is None:
        return False
    return before.unit.kinds == after.unit.kinds and before.unit.to_base(before.use) < after.unit.to_base(after.use)


def lever_against_configuration(project: ProjectLedger, book: Book) -> Findings:
    """A lever that is active on a configuration, or applied by it, where that says something else for what it sets.

    Where that has what a reduction is said to start from, the values of the reduction were turned: that is one cause.
    """
    turned = {finding.subject: finding.id for finding in reduction_increases(project, book)}
    for name, lever in project.levers.items():
        at = f"{project.id}.levers.{name}"
        for key in lever.sets:
            told: Sentence = ()
            lines: list[Place] = []
            cause = turned.get(f"{at}.sets.{key}", "")
            for title, says in _others(project, book, name, key):
                sets = _of_lever(project, book, name, "sets", key, says.spec)
                first = say("it sets {key} to {sets}", key=_inside(sets.title), sets=_value(sets)) if not told else ()
                told += first + say(", {title} says {says}", title=title, says=_value(says))
                lines += [sets.place, says.place]
                was = _of_lever(project, book, name, "was", key, says.spec) if key in lever.was else None
                cause = cause if was and same_setting(was, says) else ""
            if told:
                yield make_finding(
                    "lever-against-configuration",
                    f"{at}.sets.{key}",
                    say("{title}: active, but not in the configuration", title=lever.title),
                    told,
                    "A setting has one value: either the lever is not active, or the configuration is another.",
                    "Correct one of them, or give the lever another status.",
                    lines,
                    common=Common(cause) if cause else None,
                    follows=bool(cause),
                )


def _others(project: ProjectLedger, book: Book, name: str, key: str) -> Iterator[tuple[str, Declared]]:
    """The configurations that a lever is active on and that say something else for what it sets, each with that."""
    lever = project.levers[name]
    for configuration in _on(project, name, lever):
        spec = spec_of(book.ledger, project, configuration, key)
        sets = _of_lever(project, book, name, "sets", key, spec)
        says = _said(book, project, configuration, name, key, spec)
        if says and not same_setting(sets, says):
            yield project.configurations[configuration].title, says


def _of_lever(project: ProjectLedger, book: Book, name: str, part: str, key: str, spec: r.SettingSpec) -> Declared:
    """What a lever `sets` a setting to, or says that it `was` before."""
    written = getattr(project.levers[name], part)[key]
    return declared(book.figures, f"{project.id}.levers.{name}.{part}.{key}", key, written, spec)


def _on(project: ProjectLedger, name: str, lever: r.Lever) -> Ids:
    """The configurations that a lever says it is active on, or that apply it themselves."""
    active = lever.status == effective_settings.ACTIVE and lever.configuration in project.configurations
    applying = (key for key, record in project.configurations.items() if name in record.levers)
    return tuple(dict.fromkeys([*[str(lever.configuration)] * active, *applying]))


def _said(
    book: Book, project: ProjectLedger, configuration: str, lever: str, key: str, spec: r.SettingSpec
) -> Declared | None:
    """What a configuration has for a setting; None where it has nothing, or what the lever itself sets."""
    held = effective_settings.Configured(project, configuration).settings.get(key)
    if held is None or held.lever == lever:
        return None
    return declared(book.figures, f"{project.id}.{held.address}", key, held.value, spec)


def _value(setting: Declared) -> Figure | str:
    return setting.figure or setting.text
