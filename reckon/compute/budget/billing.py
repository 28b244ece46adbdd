"""What a payer bills of each run: its time in steps, at least a minimum, on whole nodes, times a factor.

Billed GPU-hours = whole(GPUs) x max(minimum, step(time)) x factor of its quality of service x that of its partition. Of
a run of which time or GPUs are not known one by one (hours alone, or jobs that are counted together) what it held is
billed, times the factors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeVar

from reckon.language.quantity import ONE, ZERO
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.fixed_point import Amounts
from reckon.model.runs import AllRuns

Number = TypeVar("Number", int, Fraction)


def billed_hours(rows: AllRuns, charge: r.Billing) -> Amounts:
    """The GPU-hours that are billed of each run."""
    held = rows.charged
    if charge.minimum_hours is charge.step_hours is charge.whole_gpus is None:
        return _times_factors(rows, charge, held)
    minimum, step = charge.minimum_hours or ZERO, charge.step_hours or ZERO
    whole = charge.whole_gpus or ZERO
    gpus = rows.amounts("gpus")
    of_time = lcm(rows.held.per, minimum.denominator, step.denominator)
    of_gpus = lcm(gpus.per, whole.denominator)
    per = lcm(of_time * of_gpus, held.per)
    least, times = int(minimum * of_time), per // (of_time * of_gpus)
    time_step, gpu_step = int(step * of_time), int(whole * of_gpus)
    found = []
    columns = (rows.held.scaled(of_time), gpus.scaled(of_gpus), held.scaled(per), rows.many)
    for time, many, hours, jobs in zip(*columns, strict=True):
        if not time or many is None or jobs != 1:
            found.append(hours)
        else:
            found.append(_round_up(max(time, least), time_step) * _round_up(many, gpu_step) * times)
    return _times_factors(rows, charge, Amounts(found, per))


def _round_up(number: Number, step: Number | None) -> Number:
    """A number as the next multiple of a step; as it is where there is no step."""
    return -(-number // step) * step if step else number


def _times_factors(rows: AllRuns, charge: r.Billing, billed: Amounts) -> Amounts:
    """What is billed, times what the factors say of each run."""
    if charge.factors is None:
        return billed
    by_qos, by_partition = charge.factors.qos, charge.factors.partition
    said = zip(_words(rows, "qos"), _words(rows, "partition"), strict=True)
    factors = [_factor(by_qos, qos) * _factor(by_partition, partition) for qos, partition in said]
    per = lcm(*(factor.denominator for factor in {*factors}))
    whole = [int(factor * per) for factor in factors]
    return Amounts([hours * factor for hours, factor in zip(billed.values, whole, strict=True)], billed.per * per)


def _factor(factors: Mapping[Text, Fraction], word: str) -> Fraction:
    """The factor of a word; 1 where none is stated."""
    return next((factor for name, factor in factors.items() if name == word), ONE)


def _words(rows: AllRuns, name: str) -> Sequence[str]:
    """What each run says of itself, or what it was imported with."""
    pairs = zip(rows.column(name), rows.column(f"imported.{name}"), strict=True)
    return [own or imported or "" for own, imported in pairs]


def billed_of_run(run: r.Run, hours: Fraction, charge: r.Billing | None) -> Fraction:
    """The GPU-hours that are billed of a run that holds its GPUs for some hours by the clock."""
    gpus = run.gpus or ZERO
    if charge is None or not hours:
        return gpus * hours
    time = _round_up(max(hours, charge.minimum_hours or ZERO), charge.step_hours)
    billed = time * _round_up(gpus, charge.whole_gpus)
    if charge.factors is None:
        return billed
    imported = run.imported
    qos = run.qos or (imported and imported.qos) or ""
    partition = run.partition or (imported and imported.partition) or ""
    factors = charge.factors
    return billed * _factor(factors.qos, qos) * _factor(factors.partition, partition)


def billed_of_plan(hours: Fraction, charge: r.Billing | None, runs: Fraction | None, gpus: Fraction | None) -> Fraction:
    """The GPU-hours that are billed of planned hours, as so many runs on so many GPUs.

    Whole nodes are planned for where `gpus` are said; steps and the minimum where `runs` are, too. No factor is.
    """
    if charge is None or not hours or gpus is None:
        return hours
    whole = _round_up(gpus, charge.whole_gpus)
    if not runs:
        return hours / gpus * whole
    time = _round_up(max(hours / gpus / runs, charge.minimum_hours or ZERO), charge.step_hours)
    return time * whole * runs
