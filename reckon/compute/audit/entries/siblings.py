"""What other runs of the same item and card took: witnesses that need neither a plan nor an estimate."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from reckon.model.figure import UNASSIGNED
from reckon.model.fixed_point import Number
from reckon.model.ledger import ProjectLedger

EXACT = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""Logarithms are correctly rounded decimals, the same on every machine: no float decides what is odd."""
LEAST = 5
"""A run and four others: of fewer, none can be called odd."""
SCALE = Decimal("1.4826")
"""The median deviation times this is the standard deviation of what is spread normally."""
LEAST_SPREAD = Decimal("0.139762")
"""ln 1.15: runs of one kind are seldom more alike."""
SPREADS, APART = 6, Decimal("0.916291")
"""A run is odd that is farther from the median than six spreads, and than a factor of 2.5, of which this is the ln."""
NEAR = Decimal("1.5")
"""Spreads within which a slip explains what is odd."""
WIDE = Decimal("0.3")
"""Runs that are spread more widely say little: what is odd among them is a note."""
Key = tuple[str, str, bool]
"""An item, a card, and whether hours are compared for a unit of progress; else they are those of a completed run."""


class Siblings(Struct, frozen=True):
    """What runs of one kind took: the median of their GPU-hours, the spread of the logarithms, how many they are, and
    the GPUs that most of them held."""

    median: Fraction
    spread: Decimal
    many: int
    gpus: Fraction

    def is_odd(self, took: Fraction) -> bool:
        """Whether GPU-hours are too far from the median to be of that kind."""
        return abs(natural_log(took / self.median)) > max(SPREADS * self.spread, APART)

    def suits(self, took: Fraction, factor: Fraction) -> bool:
        """Whether GPU-hours so many times less would be near the median."""
        return abs(natural_log(took / self.median / factor)) <= NEAR * self.spread


class Kinship(NamedTuple):
    """The siblings of each kind of run, and by their numbers what odd runs took, for a unit of progress or for all."""

    groups: Mapping[Key, Siblings]
    odd: Mapping[int, Fraction]


def kinship_of(project: ProjectLedger, gains: Mapping[int, Fraction]) -> Kinship:
    """What the runs of a project are beside each other; `gains` is the progress that each made, by its number."""
    per = project.rows.charged.per
    gpus, each = project.rows.amounts("gpus")
    groups = {}
    odd = {}
    for key, members in _members(project, gains).items():
        if len(members) >= LEAST:
            members.sort()
            ((usual, _),) = Counter(gpus[number] for _, number in members).most_common(1)
            values = [took for took, _ in members]
            siblings = groups[key] = _siblings(values, per, Fraction(usual or 0) / each)
            for ordered in (members, members[::-1]):
                for took, number in ordered:
                    hours = Fraction(took) / per
                    if not siblings.is_odd(hours):
                        break  # behind the first that is not odd there are no more
                    odd[number] = hours
    return Kinship(groups, odd)


def _members(project: ProjectLedger, gains: Mapping[int, Fraction]) -> dict[Key, list[tuple[Number, int]]]:
    """Completed runs of planned items by kind: what each took, in the parts of charged hours, and its number.

    Those of schedulers stay out, and so do attempts that went on with what an earlier one had begun, unless they say
    how far they came.
    """
    charged = project.rows.charged.values
    said = project.rows.columns("progress.done", "imported.source", "attempt")
    found = defaultdict(list)
    for number, (kind, (reported, imported, attempt)) in enumerate(zip(project.kinds.of, said, strict=True)):
        item, _, status, card, *_ = project.kinds.traits[kind]
        if status != "completed" or item in ("", UNASSIGNED) or not charged[number] or imported:
            continue
        if number in gains:
            found[item, card, True].append((charged[number] / gains[number], number))
        elif reported is None and attempt in (None, "1"):
            found[item, card, False].append((charged[number], number))
    return found


def _siblings(values: Sequence[Number], per: int, gpus: Fraction) -> Siblings:
    """The median of what runs took, in order, and the spread of its logarithms. Of an even number the lower of the two
    in the middle counts; the deviations are found from there on both sides, and compared without logarithms."""
    middle = (len(values) - 1) // 2
    median = values[middle]
    low = high = middle
    for _ in range(middle):
        further_up = values[high + 1] * values[low - 1] <= median * median
        high += further_up
        low -= not further_up
    deviation = max(Fraction(values[high]) / median, Fraction(median) / values[low])
    spread = max(rounded_log(SCALE * natural_log(deviation)), LEAST_SPREAD)
    return Siblings(Fraction(median) / per, spread, len(values), gpus)


def natural_log(ratio: Fraction) -> Decimal:
    """The natural logarithm of a ratio above zero, to 28 digits."""
    return EXACT.ln(EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))


def rounded_log(number: Decimal) -> Decimal:
    """A logarithm, or a multiple of one, to a millionth."""
    return EXACT.quantize(number, Decimal("0.000001"))
