"""How a stated value agrees with a calculated one: confirmed, only consistent with it, contradicted, or unchecked.

A stated number is printed with digits, and stands for all that is rounded to them: half of its last digit either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from msgspec import Struct, structs

from reckon.language.lazy import regex
from reckon.language.quantity import ZERO, Quantity, Value, add_up, point, read_quantity
from reckon.language.text import Refusal
from reckon.language.units import Unit, kind_words
from reckon.model.figure import HOURS, OWN_HOURS, Figure, Stated, Tallied, closure, planned
from reckon.model.ledger import ProjectLedger

from .structure import COUNTS, recalculate

CONFIRMED = "confirmed"
UNCHECKED = "unchecked"
ROUNDED, NEAR, LOOSER = "rounded inputs", "near", "looser"
COARSE = "rounded"
CARRIED_ON = "carried on from a rounded figure"
IN_RANGE = "one number for a range"
NARROWER = "narrower"
ONE_END = "one end"
CONTRADICTED = "contradicted"
CONSISTENT = (ROUNDED, NEAR, LOOSER, COARSE, CARRIED_ON, IN_RANGE, NARROWER)
"""What is not excluded, and not confirmed either."""
IMPRECISE = {IN_RANGE: IN_RANGE, NARROWER: "narrower than its inputs"}
"""What says more than its inputs give, in words."""
WRONG = (ONE_END, CONTRADICTED)
TOLD = (*WRONG, CARRIED_ON)
"""What is told one by one: what is wrong, and notes of what was calculated with figures that were rounded before."""
NEAR_SHARE = Fraction(2, 100)
"""How far a number may be from the calculated one, and is near it, within a range; or is that rounded, if it ends in
zeros."""
CUT_SHARE = Fraction(5, 10_000)
"""An amount whose further digits were cut off is rounded, where these are less than this share."""
ROUNDED_SHARE = Fraction(1, 100)
"""How far each end of a range may be off that is a sum of rounded ends."""
SLIGHT = Fraction(1, 10)
"""What is off by less than this share gets a warning, no error."""
ROUGH_SHARE = Fraction(5, 100)
"""`~` stands for no more than this share of a number to either side."""
ASSUMED = regex(r"\.projections\.[^.]+\.exponent$|\.configurations\.[^.]+\.time\.[^.]+$")
"""Where a ledger states what no source does: how time grows with the model, how it divides. It contradicts nobody."""
STEPS = (1, 5, 10, 50, 100, 500, 1000)
"""What whole numbers are rounded to multiples of."""
MOST_MONEY = Fraction(3, 2)
"""An end of a range in whole units of money may be off by less than so many: by half of one, and by one more."""
TEN_CENTS = regex(r"[^.-]*\.[0-9]0?\D*")
"""A single amount of money in whole tens of cents, as `$13.70` or `13.7`."""
MOST_BELOW = 300
"""So many of the figures below one are looked through for what the ledger supposes."""
MOST_PLACES = 12
PRICES = "catalog.prices."
"""In the addresses of prices of a list, which are what is charged, to their last digit."""
_ROUGH, _POWER = regex(r"~|[0-9]\s*[kMBT]\b"), regex(r"10*\s*[kMBT]\b")
"""What is written so is rounded, however whole it is: 8B are 7.5 to 8.5. But 1M is a million, and 10k are 10,000."""


class Agreement(Struct, frozen=True):
    """The class of a stated value: one of the kinds above. `off` is the share of the calculated value by which it is
    off at its worse end, `digits` how many units of its last digit that is."""

    kind: str
    off: Fraction = ZERO
    digits: Fraction = ZERO
    apart: Fraction = ZERO
    """The same share as it is printed: nothing of it is excused by rounding."""
    at: int = 0
    """Of a range of which one end is wrong, which of the two that is."""

    @property
    def severity(self) -> str:
        """How grave it would be to be wrong by so much: by its size, whatever explains it. Who has one end of a range
        right has a warning, and what was carried on from rounded figures is a note."""
        if self.digits < 1 or self.kind == CARRIED_ON:
            return "note"
        return "warning" if self.kind == ONE_END or self.off < SLIGHT else "error"


def judge(
    stated: Value,
    figure: Value,
    low: Fraction,
    high: Fraction,
    moved: Fraction = ZERO,
    terms: int = 1,
    rough: Fraction = ZERO,
) -> Agreement:
    """How what is stated agrees with a figure, all in the unit of the figure, which has a value or bounds.

    `low` and `high` are half of the last digit of the ends of what is stated; `moved` is how far the half digits of
    its stated inputs move an exact figure, `terms` of how many terms it is the sum. `rough` is half of the last digit
    of a whole number that is not zero, where others follow it.
    """
    if stated.exact and stated.use is not None:
        return _judge_number(stated.use, figure, low, moved, rough)
    return _judge_range(stated, figure, low, high, terms)


def _judge_number(number: Fraction, figure: Value, half: Fraction, moved: Fraction, rough: Fraction) -> Agreement:
    """A single number, beside an exact figure or a range. One that is rounded to an end of a range, and is not near
    that, is a note."""
    aim = next(end for end in (figure.use, figure.low, figure.high) if end is not None)
    gap = abs(number - aim)
    # 1 of 1 to 2 is the low end: 1.5 is rounded to 2.
    is_low_end = gap == half > 0 and number == figure.low
    if gap <= half and figure.use is not None and not is_low_end:
        return Agreement(CONFIRMED)
    found = _sized(gap, half, aim)
    if figure.exact:
        # A share says how near it is to the whole; of an amount so little is nothing.
        is_trifle = abs(aim) > 1 and is_cut(number, aim, half) and gap < CUT_SHARE * abs(aim)
        if is_trifle or gap <= min(rough, NEAR_SHARE * abs(aim)):
            return structs.replace(found, kind=COARSE)
        # Where rounding would excuse everything, as of a difference near zero, it excuses no more than a factor of two.
        is_within = gap <= half + moved and 2 * gap <= max(abs(number), abs(aim), 4 * half)
        is_excused = is_within and not is_cut(number, aim, half)
        return structs.replace(found, kind=ROUNDED) if is_excused else found
    beyond = max(_beyond(figure.low, number), _beyond(number, figure.high))
    if beyond <= half and figure.use is not None and gap <= NEAR_SHARE * abs(aim):
        return structs.replace(found, kind=NEAR)
    if beyond > min(half, NEAR_SHARE * abs(number)):
        # How far it misses a range is measured from the end that is nearer to it.
        return _sized(beyond, half, aim)
    return structs.replace(found, kind=LOOSER if None in (figure.low, figure.high) else IN_RANGE)


def _beyond(one: Fraction | None, other: Fraction | None) -> Fraction:
    """By how much a number is above another; an open end is above nothing, and below nothing."""
    return ZERO if one is None or other is None else max(one - other, ZERO)


def is_cut(number: Fraction, exact: Fraction, half: Fraction) -> bool:
    """Whether a stated number of at least two digits is what is left of an exact one behind its last digit: that is no
    rounding."""
    if not 20 * half <= abs(number) < abs(exact):
        return False
    return abs(exact) - abs(number) < 2 * half and (number < 0) == (exact < 0)


def _judge_range(stated: Value, figure: Value, low: Fraction, high: Fraction, terms: int) -> Agreement:
    """A range, end by end; what is exact has to lie within it."""
    ends = [_compare_ends(stated.low, figure.low, low), _compare_ends(stated.high, figure.high, high)]
    found = max(ends, key=lambda each: each.off)
    wrong = [end for end in ends if 2 * end.digits > 1]
    if not wrong:
        return Agreement(CONFIRMED)
    # Each term of a sum may have been rounded first.
    if terms > 1 and all(2 * end.digits <= terms and end.apart <= ROUNDED_SHARE for end in ends):
        return structs.replace(found, kind=ROUNDED)
    if _beyond(figure.low, stated.high) > high or _beyond(stated.low, figure.high) > low:
        return found
    beyond = [_beyond(figure.low, stated.low) > low, _beyond(stated.high, figure.high) > high]
    if figure.exact or all(beyond) or stated.high is None or stated.low is None:
        return structs.replace(found, kind=LOOSER)
    if not any(beyond):
        return structs.replace(found, kind=NARROWER)
    return structs.replace(found, kind=ONE_END, at=ends.index(wrong[0])) if len(wrong) == 1 else found


def _compare_ends(one: Fraction | None, other: Fraction | None, half: Fraction) -> Agreement:
    """How far a stated end is off the calculated one; two open ones are alike."""
    if one is None or other is None:
        return Agreement(CONTRADICTED, digits=Fraction(one != other), apart=Fraction(one != other))
    return _sized(abs(one - other), half, other)


def _sized(gap: Fraction, half: Fraction, aim: Fraction) -> Agreement:
    """What is contradicted, with how far it is off: what half of the last digit is excused by."""
    over = max(gap - half, ZERO)
    off = over / abs(aim) if aim else Fraction(1 if over else 0)
    digits = gap / (2 * half) if half else Fraction(bool(gap))
    return Agreement(CONTRADICTED, off, digits, gap / abs(aim) if aim else off)


def tolerances(text: str, quantity: Quantity) -> tuple[Fraction, Fraction]:
    """Half of the last written digit of the first and of the last number in a text, in the quantity's unit. Money with
    a point has cents: 8.2 is $8.20."""
    if is_money(quantity.unit) and not _ROUGH.search(text):
        text = re.sub(r"(\.[0-9])(?![0-9eE])", r"\g<1>0", text)
    written = re.findall(r"([0-9]+(?:\.[0-9]+)?)(?:[eE][+-]?[0-9]+)?", text)
    value = quantity.value
    if value.exact and len(written) > 1:
        # A sum of units, as in `118 d 5 h 41 min`: its last digit is that of its last part.
        last = read_quantity(f"{written[-1]}{text.rpartition(written[-1])[2]}", quantity.unit)
        half = _half_digit(written[-1], last.value.use, "~" in text)
        return half, half
    return _half_digit(written[0], value.low, "~" in text), _half_digit(written[-1], value.high, "~" in text)


def rough_half(text: str, half: Fraction) -> Fraction:
    """Half of the last digit that is not zero, of a whole number of two digits, or with two zeros at its end, where
    half of its last digit is `half`; 0 of all others, which say how far they are rounded."""
    written = re.findall(r"[0-9.]+", text)[-1]
    zeros = 0 if "." in written else len(written) - len(written.rstrip("0"))
    return half * 10**zeros if zeros > 1 or (zeros and len(written) == 2) else ZERO


def judge_rounding(found: Agreement, text: str, unit: Unit) -> Agreement:
    """What is wrong; a note where a text has the calculated numbers, rounded to fives or zeros. An estimate in whole
    units of money is rounded, if it is less than one off; each end of a range may be rounded up and again."""
    written = re.findall("[0-9]+", text.replace(".", ""))
    most = ROUGH_SHARE if len(written) > 1 or ("~" in text and found.apart <= ROUGH_SHARE) else NEAR_SHARE
    if found.kind == ONE_END:
        written = [written[found.at]]
    # Cents, and a zero behind a decimal, are written because they are known. But $13.70 may stand for $13.68, whose
    # nearest ten cents it is, as $8.20 may not for $8.25.
    if not _ROUGH.search(text) and re.search(r"\.[0-9]+(?![0-9eE])" if is_money(unit) else r"\.[0-9]+0\b", text):
        is_nearest = is_money(unit) and TEN_CENTS.fullmatch(text) and found.digits < 5 and found.apart < ROUNDED_SHARE
        return structs.replace(found, digits=ZERO) if is_nearest else found
    if is_money(unit) and len(unit.kinds) == 1 and found.digits < (MOST_MONEY if "-" in text else 1):
        return structs.replace(found, kind=COARSE)
    # In the last printed digit, so that 475 MWh and 0.475 GWh are judged alike.
    step = next(step for step in reversed(STEPS) if not any(int(number) % step for number in written))
    return structs.replace(found, digits=ZERO) if 2 * found.digits <= step and found.off <= most else found


def is_money(unit: Unit) -> bool:
    """Whether a unit is one of money, or of money for something."""
    return kind_words(unit.kinds).startswith("money (")


def decimals_of(text: str) -> int:
    """The digits behind the point of the last number in a text."""
    written = re.findall(r"[0-9]+(?:\.([0-9]+))?", text)
    return len(written[-1]) if written else 0


def _half_digit(digits: str, end: Fraction | None, is_rough: bool) -> Fraction:
    """Half of the last digit of a number that comes to `end`. Of a rough one half of the last that is not zero, but no
    more than its share of the number, unless its last digit itself is more."""
    if end is None or Fraction(digits) == 0:
        return ZERO
    power = -len(digits.partition(".")[2])
    half = Fraction(f"1e{power}") / 2 * abs(end) / Fraction(digits)
    if not is_rough:
        return half
    zeros = len(digits) - len(digits.rstrip("0"))
    return max(half, min(half * Fraction(f"1e{zeros}"), abs(end) * ROUGH_SHARE))


def assumed(*figures: Figure) -> str:
    """The title of what figures rest on that the ledger alone supposes; empty where there is nothing of the kind."""
    below = (part for figure in figures for part in closure(figure, most=MOST_BELOW))
    return next((part.title for part in below if ASSUMED.search(part.address)), "")


def rounding_of(figure: Figure, project: ProjectLedger, is_whole: bool = True) -> Fraction:
    """How far a figure can move while each amount that is stated below it moves by half of its last written digit.

    The hours of runs are such amounts; `project` has them. Counts and ratios are taken as they stand, eight GPUs are
    eight and 15% or 0.8 is what was decided, unless they have two decimals: 1.37x was measured. So is a price of a
    list, and a whole number that multiplies, or is stated and added to what is not whole; `is_whole` says whether what
    is stated is. In the figure's unit; 0 for a figure that is stated itself, and where too much is below it.
    """
    below = list(closure(figure, most=MOST_BELOW))
    if figure.is_stated or len(below) > MOST_BELOW or not figure.value.exact:
        return ZERO
    moves = [_moved(figure, part, project) for part in below]
    are_whole = is_whole and all(whole is not False for by, whole in moves if by)
    return figure.unit.from_base(add_up(by for by, whole in moves if are_whole or not whole))


def _moved(figure: Figure, part: Figure, project: ProjectLedger) -> tuple[Fraction, bool | None]:
    """How far a figure moves with one of those below it, in base units, and whether that is whole, if it is stated
    and added. What is whole moves what it is added to, and nothing that it multiplies, unless it was cut to whole
    numbers itself."""
    half, is_whole = half_digit_of(part, project)
    if not half or part is figure:
        return part.unit.to_base(half), None
    found = recalculate(figure, {part.address: replace(part, value=point((part.use or ZERO) + half))})
    by = abs(planned(found[0]) - planned(figure)) if found else ZERO
    if by == part.unit.to_base(half):
        return by, is_whole if isinstance(part.origin, Stated) else None
    return ZERO if is_whole else by, None


def half_digit_of(part: Figure, project: ProjectLedger) -> tuple[Fraction, bool]:
    """Half of the last printed digit of an amount in its unit, and whether it is whole; 0 for what is not an amount."""
    if isinstance(part.origin, Tallied):
        halves = list(_halves_of_runs(part.origin, project))
        return add_up(half for half, _ in halves), all(is_whole for _, is_whole in halves)
    if not isinstance(part.origin, Stated) or part.address.startswith(PRICES):
        return ZERO, True
    text = part.origin.text.lstrip("~ ")
    is_rough = bool(_ROUGH.search(part.origin.text)) and not _POWER.match(part.origin.text)
    is_whole = "." not in text and not is_rough
    # What is no figure of the ledger is a bound: 2% as it was said.
    is_count = part.form or all(kind in COUNTS for kind, _ in part.unit.kinds)
    is_decided = is_count and part.address and not is_rough and decimals_of(text) < 2
    if is_decided or not part.value.exact:
        return ZERO, True
    try:
        return tolerances(text, read_quantity(text, part.unit))[0], is_whole
    except (Refusal, IndexError):
        return ZERO, True


def _halves_of_runs(origin: Tallied, project: ProjectLedger) -> Iterator[tuple[Fraction, bool]]:
    """The same of the hours of each run of a sum; of none where they are many, or are divided over days. Hours on
    another GPU than that of the project are left out where they count as hours of that one."""
    asked = origin.selection
    if origin.count > MOST_BELOW or asked.days or asked.field not in (HOURS, OWN_HOURS):
        return
    for _, run, traits in project.each_run():
        if asked.means(traits) and (asked.field == OWN_HOURS or traits.gpu == project.gpu):
            hours, gpus = (run.wall_hours, run.gpus) if run.gpu_hours is None else (run.gpu_hours, Fraction(1))
            yield _half_of(hours or ZERO) * (gpus or 0), run.charged_hours.denominator == 1


def _half_of(number: Fraction) -> Fraction:
    """Half of the last digit of a number as it is kept, without zeros at its end; 0 where the digits have no end."""
    for places in range(MOST_PLACES):
        if (number * 10**places).denominator == 1:
            return Fraction(1, 2 * 10**places)
    return ZERO
