"""Settings and levers that cannot be true together with each other, or with what was measured under them.

The rule looks for the roles that the catalogue gives to settings, never for names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from reckon.language.text import Place, place_of
from reckon.language.units import key_unit
from reckon.model import records as r
from reckon.model.figure import Figure, places_of, planned
from reckon.model.finding import Common, Finding, Findings, Sentence, joined, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.values import whole_of

from ..book import Book
from ..fitting.effective_settings import (
    ACTIVE,
    DECODING,
    GREEDY,
    INPUT_CAP,
    OUTPUT_CAP,
    SAMPLING,
    TEMPERATURE,
    TIMEOUT,
    Configured,
    Declared,
    declared,
    same_setting,
    settings_of,
    spec_of,
)
from ..measuring.results import columns_of
from .common import counted, inside, times_as_much

MEASURED = "measured"
LIMITS = (TIMEOUT, OUTPUT_CAP, INPUT_CAP)
TURNED = "The two values seem to be swapped: the first one is in force."


def setting_contradicted(project: ProjectLedger, book: Book) -> Findings:
    """Settings that are contradicted: by what was measured under them, by each other, by what is said of a lever, or by
    a configuration that a lever is active on."""
    for configuration in project.configurations:
        settings = list(settings_of(book.figures, book.ledger, project, configuration))
        for setting in settings:
            yield from _beside_rows(setting, list(_held(project, book, configuration, setting)))
        yield from _beside_greedy(settings)
    for name, lever in project.levers.items():
        for key in lever.sets:
            yield from _beside_lever(project, book, name, key)


class _Held(NamedTuple):
    """A measurement that was made under a limit: its title, how many rows it has, how many of these are above the
    limit, and the greatest."""

    title: str
    rows: Figure
    above: int
    most: Figure


def _held(project: ProjectLedger, book: Book, configuration: str, setting: Declared) -> Iterator[_Held]:
    """The measurements of a configuration with the column that a setting limits: `of`, or the whole for a time-out."""
    limit = setting.figure
    if setting.role not in LIMITS or limit is None or limit.value.high is None:
        return
    most = limit.unit.to_base(limit.value.high)
    for name, measurement in project.measurements.items():
        of = setting.spec.of or (whole_of(measurement.total) if setting.role == TIMEOUT else "")
        is_under = measurement.configuration == configuration and measurement.kind == MEASURED
        for column in columns_of(measurement) if is_under else ():
            if column.name == of and column.unit.kinds == limit.unit.kinds:
                numbers = [column.unit.to_base(number) for number in column.numbers]
                rows = counted(len(numbers), key_unit(f"{measurement.row or 'row'}s"))
                above = sum(number > most for number in numbers)
                yield _Held(measurement.title, rows, above, book[f"{project.id}.measurements.{name}.{of}.max"])


def _beside_rows(setting: Declared, held: Sequence[_Held]) -> Findings:
    """A time-out or a cap that rows measured under it are above; or a cap that none of them reaches."""
    over = [each for each in held if each.above]
    tops = [each.most for each in over or held]
    if over and setting.figure:
        text = "{many} of {rows} of {title}, up to {most}"
        rows = (say(text, many=counted(each.above), rows=each.rows, title=each.title, most=each.most) for each in over)
        told = _is(setting) + say(". Above it: ") + joined(rows)
        told += times_as_much(max(tops, key=planned), setting.figure, " ({ratio} the limit)")
        kind = "timeout" if setting.role == TIMEOUT else "exceeded"
    elif held and setting.role != TIMEOUT and max(map(planned, tops)) < planned(setting.figure):
        text = "the most in {rows} of {title} is {most}"
        told = joined((_is(setting), *(say(text, rows=each.rows, title=each.title, most=each.most) for each in held)))
        kind = "unreached"
    else:
        return
    yield _finding(kind, setting.at, _called(setting), told, (setting.place, *places_of(*tops)))


def _beside_greedy(settings: list[Declared]) -> Findings:
    """Greedy decoding, which does not sample, beside settings of sampling."""
    drawn = [some for some in settings if not some.default and _samples(some)]
    greedy = [some for some in settings if some.role == DECODING and some.text.casefold() == GREEDY]
    for setting in greedy if drawn else ():
        both = (setting, *drawn)
        lines = [each.place for each in both]
        yield _finding("sampling", setting.at, _called(setting), joined(map(_is, both)), lines)


def _samples(setting: Declared) -> bool:
    """Whether a setting makes decoding sample: a temperature above zero, or another that is not left at its default."""
    if setting.role == TEMPERATURE:
        return planned(setting.figure) > 0
    is_default = setting.text.casefold() == (setting.spec.default or "").casefold()
    return setting.role == SAMPLING and not is_default


def _called(setting: Declared) -> str:
    return setting.title[:1].upper() + setting.title[1:]


def _is(setting: Declared) -> Sentence:
    """What a setting is set to, and by what where that is not the configuration."""
    by = say(" ({by}{default})", by=setting.by, default=", default" if setting.default else "") if setting.by else ()
    return say("{name} is {value}", name=inside(setting.title), value=setting.figure or setting.text) + by


def _finding(
    evidence: str, at: str, title: str, told: Sentence, lines: Iterable[Place], meaning: str = "", cause: str = ""
) -> Finding:
    made = make_finding("setting-contradicted", at, title, told, meaning, places=lines, evidence=evidence)
    return replace(made, severity="warning", common=Common(cause), follows=True) if cause else made


def _beside_lever(project: ProjectLedger, book: Book, name: str, key: str) -> Findings:
    """A lever that is said to reduce a setting and puts it higher than it was; or that is active on a configuration, or
    applied by it, where that says something else.

    Where all of these have what the reduction is said to start from, its values were turned: that is one cause.
    """
    lever = project.levers[name]
    at = f"{project.id}.levers.{name}.sets.{key}"
    others = list(_others(project, book, name, key))
    cause = ""
    if key in lever.lowers and key in lever.was:
        spec = spec_of(book.ledger, project, str(lever.configuration), key)
        was, sets = (_of_lever(project, book, name, part, key, spec) for part in ("was", "sets"))
        still = [other for other in others if same_setting(was, other.says)]
        if was.figure and was.figure.use is not None and planned(was.figure) < planned(sets.figure):
            told = say("{key}: {was} before, {sets} after", key=inside(sets.title), was=_value(was), sets=_value(sets))
            said = (place_of(lower) for lower in lever.lowers if lower == key)
            lines = (*said, was.place, sets.place, *(other.says.place for other in still))
            told += _all_say(". ", still)
            found = _finding("increase", at, lever.title, told, lines, TURNED if still else "")
            cause = found.id if len(still) == len(others) else ""
            yield found
    if others:
        first = others[0].sets
        told = say("it sets {key} to {sets}", key=inside(first.title), sets=_value(first)) + _all_say(", ", others)
        lines = tuple(part.place for other in others for part in (other.sets, other.says))
        yield _finding("configuration", at, lever.title, told, lines, cause=cause)


def _all_say(between: str, others: Sequence[_Other]) -> Sentence:
    """What configurations say, each with `between` before it."""
    said = (say(between + "{title} says {says}", title=other.title, says=_value(other.says)) for other in others)
    return joined(said, "")


class _Other(NamedTuple):
    """A configuration that says something else than a lever that is active on it: its title, and what both say."""

    title: str
    sets: Declared
    says: Declared


def _others(project: ProjectLedger, book: Book, name: str, key: str) -> Iterator[_Other]:
    """The configurations that a lever is active on, or that apply it, and that say something else for what it sets."""
    lever = project.levers[name]
    for configuration, record in project.configurations.items():
        is_active = lever.status == ACTIVE and lever.configuration == configuration
        held = Configured(project, configuration).settings.get(key)
        if (is_active or name in record.levers) and held and held.lever != name:
            spec = spec_of(book.ledger, project, configuration, key)
            sets = _of_lever(project, book, name, "sets", key, spec)
            says = declared(book.figures, f"{project.id}.{held.address}", key, held.value, spec)
            if not same_setting(sets, says):
                yield _Other(record.title, sets, says)


def _of_lever(project: ProjectLedger, book: Book, name: str, part: str, key: str, spec: r.SettingSpec) -> Declared:
    """What a lever `sets` a setting to, or says that it `was` before."""
    written = getattr(project.levers[name], part)[key]
    return declared(book.figures, f"{project.id}.levers.{name}.{part}.{key}", key, written, spec)


def _value(setting: Declared) -> Figure | str:
    return setting.figure or setting.text
