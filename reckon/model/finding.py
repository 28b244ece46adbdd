"""What is reported of a ledger, as values: a problem is a mistake in it, a finding is a result of the audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reckon.language.text import Place, Refusal, place_at

from .evidence import EVIDENCE
from .figure import Figure, places_of
from .rules import CAUSE, REFUSED, RULES, SOURCE, is_about

MOST_COMPARED = 200


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """What is wrong at a place of a ledger and what would be right. Problems sort by place.

    `since` is the format of a ledger that first refused it: a release or revision of an older one is still read.
    """

    place: Place
    wrong: str
    right: str = ""
    since: int = field(default=1, compare=False)

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"

    @property
    def text(self) -> str:
        """What is wrong, and what would be right where that is known."""
        return f"{self.wrong}; {self.right}" if self.right else self.wrong


Problems = Iterator[Problem]
ProblemList = list[Problem]
"""Problems that are added up as a ledger is read."""


class InvalidLedger(ValueError):
    """A ledger that cannot be calculated with, for whoever opens one in Python.

    Its text has a line for each problem, with file, line and column, as `budget check` tells them; `problems` are the
    same as values: `place`, `wrong`, and `right`, which is what would be right.
    """

    def __init__(self, text: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(text, problems)
        self.problems = problems

    def __str__(self) -> str:
        return str(self.args[0])


def refused(refusal: Refusal, text: object) -> Problem:
    """A refusal as a problem, at the place in the text where it arose."""
    return Problem(place_at(text, refusal.at), refusal.wrong, refusal.right)


def _similar_names(name: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The few hundred names that share most with a name, when there are many: comparing whole texts is slow."""
    if len(names) <= MOST_COMPARED:
        return names
    parts = {name[at : at + 3] for at in range(len(name) - 2)}
    near = [known for known in names if abs(len(known) - len(name)) <= 6]
    return tuple(sorted(near, key=lambda known: -sum(part in known for part in parts))[:MOST_COMPARED])


@lru_cache(maxsize=256)
def _close(name: str, names: tuple[str, ...]) -> list[str]:
    """Cached, because the same slip is often made on every line of a file."""
    return get_close_matches(name, names, n=3, cutoff=0.6)


def nearest(name: str, among: Iterable[str], short: int = 12) -> str:
    """A hint that names what was perhaps meant, or the whole list if it is short (up to `short` names); else empty."""
    names = tuple(among)
    longer = [known for known in names if known.startswith(f"{name}_")]  # `cost` of `cost_usd` and `cost_eur`
    if close := longer[:6] or _close(name[:80], _similar_names(name[:80], names)):
        return "did you mean " + " or ".join(f"`{known}`" for known in close) + "?"
    return "there are " + ", ".join(f"`{known}`" for known in names) if 0 < len(names) <= short else ""


SEVERITIES = ("error", "warning", "note")

Sentence = tuple[str | Figure, ...]
"""Words and figures in order; rounding and escaping are left to whoever prints it."""


class Common(Struct, frozen=True):
    """What findings of one cause have in common: the id of the first, and how they are told together.

    Without a title they are told as the first is.
    """

    key: str
    title: Sentence = ()


Fields = tuple[tuple[str, object], ...]
"""Fields of an entry by their names, with what they are once it is corrected."""


class Correction(NamedTuple):
    """A record by its place: a run, with the GPU-hours that it is charged and those that it would be charged once
    corrected; or, where it is not its hours that are corrected, its `fields` that are, with what they would be."""

    place: Place
    charged: Fraction
    right: Fraction
    fields: Fields = ()


def correct_fields(place: Place, **fields: object) -> tuple[Correction, ...]:
    """The correction of a record of which no hours are charged."""
    return (Correction(place, Fraction(0), Fraction(0), tuple(fields.items())),)


class Finding(Struct, frozen=True):
    """A finding with a stable id (`rule:address`).

    `accepted` holds the reason where somebody has accepted it, `by` who that is (empty where it is not said), `until`
    the version or date up to which it is accepted, and `was` the severity that it has otherwise. `common` is what it
    has in common with others that it is told with (`model/finding_groups`); `follows`, that it only follows from those.
    `cells` are its numbers as a row among others: of a stated figure what it is, what is stated,
    what is calculated, and what would explain it. A `remark` says nothing against a
    source: what is calculated rests on what the ledger alone supposes. `corrections` say what entries that look wrong
    would be instead, where that is known.
    """

    rule: str
    severity: str
    subject: str
    title: Sentence
    arithmetic: Sentence
    meaning: Sentence
    remedy: Sentence
    places: tuple[Place, ...] = ()
    accepted: str = ""
    was: str = ""
    until: str = ""
    by: str = ""
    common: Common | None = None
    follows: bool = False
    cells: tuple[Sentence, ...] = ()
    published: bool = False
    """Whether it is about a plan, or about settings, that a document states, and that nobody has changed since."""
    remark: bool = False
    corrections: tuple[Correction, ...] = ()
    effect: Sentence = ()
    """What correcting it makes of the final budget, where that is known."""

    @property
    def hours(self) -> Fraction:
        """The GPU-hours by which its entries are charged too much; 0 where that is not known."""
        return sum((each.charged - each.right for each in self.corrections), Fraction(0))

    @property
    def kind(self) -> str:
        """The kind of its rule; what can still be calculated with is a cause. Releases may name rules that are gone:
        those found causes."""
        kind = RULES[self.rule].kind if self.rule in RULES else CAUSE
        return CAUSE if kind == REFUSED and self.severity != "error" else kind

    @property
    def of_source(self) -> bool:
        """Whether it is about what a source states, not about the ledger as it is now."""
        return self.published or is_about(self.rule, SOURCE)

    @property
    def id(self) -> str:
        """What `accept:` names: the rule and its subject. Evidence of a rule that has several, and the number of one of
        several findings, stand behind `#` in the subject."""
        return f"{self.rule}:{self.subject}"

    @property
    def judgement(self) -> str:
        """The rule, with the evidence where it has several: `run-hours-doubtful#unit`."""
        return self.rule + self.subject.removeprefix(self.address)

    @property
    def address(self) -> str:
        """The address that it speaks of."""
        return self.subject.partition("#")[0]

    def accept(self, reason: str, until: str = "", by: str = "") -> Finding:
        """The finding as a listed note with the reason, and with who accepts it."""
        return replace(self, accepted=reason, severity="note", was=self.severity, until=until, by=by)


Findings = Iterator[Finding]
"""What a rule of the audit yields."""


def make_finding(
    rule: str,
    subject: str,
    title: Sentence | str,
    arithmetic: Sentence | str,
    meaning: Sentence | str = "",
    remedy: Sentence | str = "",
    places: Iterable[Place] | None = None,
    *,
    evidence: str = "",
    severity: str = "",
    is_mild: bool = False,
    cells: tuple[Sentence, ...] = (),
    remark: bool = False,
    corrections: tuple[Correction, ...] = (),
) -> Finding:
    """A finding of a rule, as severe as `model/rules` says, and in its words, unless it says its own. What has no
    figures in it is a text, which may be somebody's own: braces in it are braces. Its places are named once; where none
    are given, they are the lines that the figures of its arithmetic rest on. `evidence` is its kind, where a rule has
    several.

    Raises KeyError for a rule that is not listed there, or evidence that it has not.
    """
    own = RULES[rule]
    known = EVIDENCE[rule][evidence] if evidence else own
    told = _sentence(arithmetic)
    if places is None:
        places = places_of(*figures_in(told))
    return Finding(
        rule,
        severity or (own.milder if is_mild else known.severity or own.severity),
        f"{subject}#{evidence}" if evidence else subject,
        say(known.title, title=title) if isinstance(title, str) else title,
        told,
        _sentence(meaning or known.meaning),
        _sentence(remedy or known.remedy),
        tuple(dict.fromkeys(places)),
        cells=cells,
        remark=remark,
        corrections=corrections,
    )


def figures_in(sentence: Sentence) -> list[Figure]:
    """The figures of a sentence, in order."""
    return [part for part in sentence if isinstance(part, Figure)]


def _sentence(part: Sentence | str) -> Sentence:
    return part if isinstance(part, tuple) else (part,) if part else ()


def say(text: str, **parts: Figure | str | None) -> Sentence:
    """A sentence out of a text with `{name}` placeholders for figures and ledger text."""
    pieces = enumerate(text.replace("{", "}").split("}"))
    found = (parts[piece] if index % 2 else piece for index, piece in pieces)
    told = (part if isinstance(part, Figure) else str(part) for part in found)
    return tuple(part for part in told if part != "")


def joined(parts: Iterable[Sentence], between: str = "; ") -> Sentence:
    """Sentences joined into one, with `between` between every two."""
    told: Sentence = ()
    for part in parts:
        told += ((between,) if told else ()) + part
    return told
