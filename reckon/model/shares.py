"""Parts of a whole: one as `1/7`, `50%` or `0.5`, several that make all of it, parts of a GPU or a second; chances."""

from __future__ import annotations

from fractions import Fraction

from pydantic import ValidationInfo

from reckon.language.calendar_days import HOUR
from reckon.language.lazy import regex
from reckon.language.quantity import Quantity, add_up

from .amounts import PART_OF_ONE, each_of, read_number, read_ratio
from .scalars import complain, read_text, scalar

PORTION = regex(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})|([0-9]{1,3}(?:\.[0-9]{1,9})?)%|(0?\.[0-9]{1,9}|1)")
PART_OF_A_SECOND = regex("([0-9]{1,40}/[1-9][0-9]{0,40})( s)?")
PART_OF_A_GPU_SECOND = regex("([0-9]{1,40}/[1-9][0-9]{0,40}) GPU-s")
MOST_CHANCE = Fraction(1, 2)
"""From this chance on a limit is as likely exceeded as not."""


def read_portion(raw: object) -> Fraction:
    """A part of a whole: `1/7`, `50%` or `0.5`; above zero, and at most all of it."""
    text = scalar(raw)
    found = PORTION.fullmatch(text)
    if found is None:
        raise complain(text, f"`{text[:40]}` is not a share", "write it as 1/7 or 50%")
    above, below, percent, number = found.groups()
    if above:
        part = Fraction(int(above), int(below))
    elif percent:
        part = Fraction(percent) / 100
    else:
        part = Fraction(number)
    if not 0 < part <= 1:
        raise complain(text, f"`{text[:40]}` is not a share", "write more than 0 and at most 100%")
    return part


def read_portions(raw: object) -> dict[str, Fraction]:
    """Parts of a whole by name, which make all of it together."""
    found = each_of(raw, lambda _, written: read_portion(written), read_text)
    if (whole := add_up(found.values())) != 1:
        share = float(whole * 100)
        raise complain(raw, f"these parts add up to {share:g}%", "make them add up to 100%")
    return found


def read_held(raw: object, info: ValidationInfo) -> Fraction:
    """How many GPUs something holds: one number, or the part of a GPU that it shares, as `1/7`."""
    found = PART_OF_ONE.fullmatch(raw) if isinstance(raw, str) else None
    return Fraction(found[0]) if found else read_number(raw, info)


def read_lasting(raw: object, info: ValidationInfo) -> Fraction:
    """How long something held its GPUs: one number, or a fraction of seconds, as `3600/7 s` under a key of hours."""
    hours = not (info.field_name or "").endswith("_seconds")
    found = PART_OF_A_SECOND.fullmatch(raw) if isinstance(raw, str) else None
    if found is None or bool(found[2]) != hours:
        return read_number(raw, info)
    return Fraction(found[1]) / (HOUR if hours else 1)


def read_charged(raw: object, info: ValidationInfo) -> Fraction:
    """GPU-hours of a run: one number, or a fraction of GPU-seconds, as `3600/7 GPU-s`."""
    found = PART_OF_A_GPU_SECOND.fullmatch(raw) if isinstance(raw, str) else None
    return Fraction(found[1]) / HOUR if found else read_number(raw, info)


def read_chance(raw: object) -> Quantity:
    """A chance from which on something is a risk: one share above zero, up to one half."""
    found = read_ratio(raw)
    if not isinstance(found, Quantity) or not found.value.exact or found.value.use is None:
        raise complain(raw, "a chance must be one number", "write one share, such as `30%`")
    if found.value.use == 0:
        raise complain(raw, f"above a chance of `{found.text}` everything is at risk", "write a share above zero")
    if found.value.use > MOST_CHANCE:
        right = "write 50% or less; above that, the limit is more likely exceeded than not"
        raise complain(raw, f"`{found.text}` is too late for a warning", right)
    return found
