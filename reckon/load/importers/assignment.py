"""Where the hours of a job go: the first rule of its source that fits, the cards that it had, and its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from reckon.language.calendar_days import DAY, FIRST_OF_1970, first_day, last_day
from reckon.language.quantity import ONE, add_up
from reckon.language.text import Refusal, Text
from reckon.model.patterns import Pattern
from reckon.model.records import GpuRule, ImportRule, ImportSource
from reckon.model.records.imports import HOURS, PRIVATE, UNSTATED, UNTYPED, Gpus

from ..run_format import scalar
from .job import Job, Says

Shares = list[tuple[str, Fraction]]
"""Items with the part of a job that each has; or cards with how many of each."""


class Portion(Struct, frozen=True):
    """A part of a job that is one entry: an item (empty where no rule fits) on one kind of card."""

    item: str
    card: str
    gpus: Fraction


class Assignment(Struct, frozen=True):
    """What the rules of a source make of a job.

    `rule` is empty where none fits. Without portions it is not a run of the project: a rule ignores it, it states no
    GPU, or it `encloses` others, which are counted. `filled` are the rules under `gpus:` that were used.
    """

    rule: str = ""
    seed: str = ""
    run: str = ""
    unplanned: bool = False
    ignored: bool = False
    portions: tuple[Portion, ...] = ()
    filled: tuple[str, ...] = ()
    encloses: bool = False

    @property
    def written(self) -> tuple[object, ...]:
        """What an entry says of it: all but the rules for its GPUs, its parts in their order."""
        says = self.rule, self.seed, self.run, self.unplanned
        return *says, self.ignored, self.encloses, tuple(order_portions(self.portions))

    @property
    def gpus(self) -> Fraction:
        """GPUs held, over all its parts."""
        return add_up(part.gpus for part in self.portions)


class Match(NamedTuple):
    """Which rules fit a job: the first of its source (empty for none) with what the groups of its patterns took, and
    the one under `gpus:` for what is not said of its GPUs."""

    rule: str = ""
    taken: Mapping[str, str] = MappingProxyType({})
    gap: str = ""


class Unmatched(Refusal):
    """A job cannot be assigned: what is wrong, and what would be right."""


class Rules(NamedTuple):
    """The rules of a source, ready to be applied to its jobs."""

    source: ImportSource
    name: str
    items: Mapping[str, object]
    seeds: tuple[str, ...]

    def is_ours(self, job: Job) -> bool:
        """Whether a job is one of this project, as `only` says."""
        return match_patterns(self.source.only, job.says) is not None

    def assign(self, job: Job) -> Assignment:
        """What the rules make of a job. Raises Unmatched where a card or an item is not
        known."""
        return self.assigned(self.find_match(job), job.gpus, job.extras.seed)

    def find_match(self, job: Job) -> Match:
        """Which rules fit a job."""
        gap = self._find_gap_rule(job, gap_of(job.gpus))
        for name, rule in self.source.rules.items():
            groups = match_patterns(rule.when, job.says)
            if groups is not None:
                return Match(str(name), groups, gap)
        return Match(gap=gap)

    def assigned(self, match: Match, gpus: Gpus, stated_seed: str = "") -> Assignment:
        """What is made of a job that some rules fit, with these GPUs; `stated_seed` is what its source states. Raises
        Unmatched where a card or an item is not known."""
        name = match.rule
        rule = self.source.rules.get(name)
        if rule and rule.ignore:
            return Assignment(name, ignored=True)
        cards, gap_rules = self._cards_of(gpus, match.gap)
        seed = self._seed_of(match, rule)
        if not cards:
            return Assignment(name)
        if not seed and stated_seed in self.seeds:
            seed = stated_seed
        portions: list[Portion] = []
        for item, share in self._shares(match, rule):
            portions += [Portion(item, card, count * share) for card, count in cards]
        run = _value_of(match, rule, "run")
        return Assignment(name, seed, run, bool(rule and rule.unplanned), False, tuple(portions), gap_rules)

    def _seed_of(self, match: Match, rule: ImportRule | None) -> str:
        """The seed of a job; empty for none."""
        seed = _value_of(match, rule, "seed")
        if not seed or seed in self.seeds:
            return seed
        text = "what it captures" if rule and _is_secret(rule, "seed") else f"`{seed[:40]}`"
        raise Unmatched(
            f"rule `{match.rule}` reads {text} as a seed, which this project does not have",
            f"{list_seeds(self.seeds)}; set `seed:` of the rule, or remove the group `seed`",
        )

    def _shares(self, match: Match, rule: ImportRule | None) -> Shares:
        """The items of a job with the part of it that each has."""
        if rule and rule.split:
            return [(str(item), share) for item, share in rule.split.items()]
        return [(self._item_of(match, rule) if rule else "", ONE)]

    def _item_of(self, match: Match, rule: ImportRule) -> str:
        """The item of all of a job."""
        if rule.item is not None:
            return str(rule.item)
        word = match.taken.get("item", "")
        item = str(rule.items.get(Text(word), "")) if rule.items else word
        secret = _is_secret(rule, "item")
        if item in self.items or (item and rule.unplanned and (rule.items or not secret)):
            return item
        text = "what it captures" if secret else f"`{word[:40]}`"
        key = "TEXT" if secret else scalar(word[:40], True)
        right = f"write `items: {{{key}: ITEM}}` in the rule" if word else "make its group `item` capture a text"
        raise Unmatched(f"rule `{match.rule}` finds no item of the plan for {text}", right)

    def _cards_of(self, gpus: Gpus, gap: str) -> tuple[Shares, tuple[str, ...]]:
        """The cards that a job had, as ids of the catalogue with how many; and the rule that filled a gap, if one
        did."""
        if self.source.counted != HOURS:
            return [("", ONE)], ()
        shares: dict[str, Fraction] = defaultdict(Fraction)
        rule = self.source.gpus.get(gap)
        gap_rules: tuple[str, ...] = ()
        given: Gpus = (("", int(rule.count)),) if rule and rule.count else ()
        for kind, count in gpus or given:
            gap_rule = None if kind else rule
            card, share = self._card_of(kind, gap_rule)
            shares[card] += count * share
            gap_rules = (gap,) if gap_rule else gap_rules
        return list(shares.items()), gap_rules

    def has_none(self, job: Job) -> bool:
        """Whether a rule says that a job which states no GPU had none."""
        rule = self.source.gpus.get(self._find_gap_rule(job, UNSTATED))
        return rule is not None and rule.count == 0

    def _find_gap_rule(self, job: Job, gap: str) -> str:
        """The rule for a gap in what a job states of its GPUs, by its id; empty for none."""
        for name, rule in self.source.gpus.items():
            if rule.gap == gap and match_patterns(rule.when, job.says) is not None and _is_in_force(rule, job):
                return str(name)
        return ""

    def _card_of(self, kind: str, rule: GpuRule | None) -> tuple[str, Fraction]:
        """The card for a type of GPU, and the part of it that a job has."""
        listed = Text(kind or UNTYPED)
        card = str((rule and rule.card) or self.source.cards.get(listed) or "")
        if not card:
            name = (kind or UNTYPED)[:40]
            right = f"add `cards: {{{scalar(name, True)}: CARD}}` to the source"
            raise Unmatched(f"no card for the GPU type `{name}`", right)
        if rule and rule.share:
            return card, rule.share
        return card, self.source.card_shares.get(listed, ONE)


def list_seeds(seeds: Sequence[str]) -> str:
    """What a message tells of the seeds of a project."""
    return f"the seeds are {', '.join(seeds[:12])}" if seeds else "the project has no seeds"


def _value_of(match: Match, rule: ImportRule | None, name: str) -> str:
    """The seed or the run of a job, as its rule says it or a group of this name took it."""
    value = getattr(rule, name) if rule else None
    return str(value) if value is not None else match.taken.get(name, "")


def gap_of(gpus: Gpus) -> str:
    """What is not said of the GPUs of a job: empty where all of them have a type."""
    if not gpus:
        return UNSTATED
    return UNTYPED if any(not kind for kind, _ in gpus) else ""


def _is_secret(rule: ImportRule, group: str) -> bool:
    """Whether a group takes its text from what may not be read in a message, as a comment or the path of a home."""
    return any(name in PRIVATE and group in pattern.engine.groupindex for name, pattern in rule.when.items())


def match_patterns(patterns: Mapping[str, Pattern], says: Says) -> dict[str, str] | None:
    """What the groups of some patterns took, where each fits what a job says; else None. Nothing fits what is unsaid,
    but a pattern that an empty text fits too."""
    groups: dict[str, str] = {}
    for name, pattern in patterns.items():
        match = pattern.matched(says.get(str(name), ""))
        if match is None:
            return None
        groups |= match
    return groups


def find_days(rule: GpuRule) -> range | None:
    """The days since 1970 for which a rule stands; None for all."""
    if not (rule.since or rule.until):
        return None
    first = first_day(rule.since or "0001-01-01")
    last = last_day(rule.until or "9999-12-31")
    return range(first - FIRST_OF_1970, last + 1 - FIRST_OF_1970)


def _is_in_force(rule: GpuRule, job: Job) -> bool:
    """Whether a job began in the time for which a rule stands."""
    days = find_days(rule)
    return days is None or (job.start is not None and job.start // DAY in days)


def order_portions(portions: Iterable[Portion]) -> list[Portion]:
    """The parts of a job, as they are written."""
    return sorted(portions, key=lambda part: (part.item, part.card))
