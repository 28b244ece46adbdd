"""How long a configuration runs: stated, or from its base by epochs, and longer by what its levers slow down.

'x% slower' multiplies the time of a part by (1 + x), 'throughput x% lower' divides it by (1 - x). The share of the time
that each part takes is an input: without it the whole lies between the least and the most slowed part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from itertools import chain

from reckon.language.quantity import ONE, ZERO, Value, add_up
from reckon.language.units import HOURS
from reckon.model.figure import Figures, missing_of
from reckon.model.ledger import Ledger, ProjectLedger

from ..sheet.cells import Result, Term, chain_of, formula_of, result
from ..sheet.sheet import Sheet
from ..sheet.writer import FigureWriter
from .effective_settings import EPOCHS, Configured

SLOWER = {"slower": "(100% + {})", "throughput_lower": "1 / (100% - {})"}
"""How many times longer a lever makes a part of the time, by the field that says so."""


def write_times(sheet: Sheet, ledger: Ledger, project: ProjectLedger, names: Collection[str] | None = None) -> None:
    """Writes hours per epoch, the slow-down of each part, and the time in all of each configuration with a time.

    Of those named only, where some are.
    """
    for name in project.configurations if names is None else names:
        configured = Configured(project, name)
        if configured.address("hours"):
            _write(sheet, ledger, configured)


def _write(sheet: Sheet, ledger: Ledger, configured: Configured) -> None:
    project, at = configured.project.id, configured.at
    writer = FigureWriter(sheet, f"{project}.{at}", configured.title)
    stated, holder = configured.address("hours"), Configured(configured.project, configured.holder("hours"))
    time = formula_of("{}", stated)
    base, own = _epochs(ledger, holder), _epochs(ledger, configured)
    if base and f"{project}.{base}" in sheet.cells:
        writer.formula("hours_per_epoch", "time of an epoch", formula_of("{} / {}", stated, base), unit=HOURS)
        if own != base:
            time = formula_of("{}.hours_per_epoch * {}", at, own)
    factors = _factors(writer, configured, holder.levers)
    if not factors:
        writer.formula("expected_hours", "time", time, unit=HOURS)
        return
    writer.formula("hours_before", "time before its levers", time, unit=HOURS)
    if all(configured.share_is_known(part) for part in factors):
        shares = configured.address("time")
        slower = "{0}.{1} * {2} - {0}.{1}"
        terms = [formula_of(slower, shares, part, factor) for part, factor in factors.items()]
        writer.formula("slowdown", "slow-down", chain_of(" + ", terms, "100% + {}"), "x")
        writer.formula("expected_hours", "time", "hours_before * slowdown", unit=HOURS)
    else:
        _between(writer, configured, factors)


def _epochs(ledger: Ledger, configured: Configured) -> str:
    """Where the epochs of a configuration stand: the setting whose role they are."""
    framework = configured.framework(ledger.catalog)
    names = (name for name, spec in framework.settings.items() if spec.role == EPOCHS) if framework else ()
    return next((configured.settings[name].address for name in names if name in configured.settings), "")


def _factors(writer: FigureWriter, configured: Configured, held: Collection[str]) -> Mapping[str, str]:
    """By part of the time: the address of how many times longer the levers make it.

    A time that is stated with levers in force has them in it already: those `held` slow nothing down once more.
    """
    formulas: dict[str, list[Term]] = {}
    for name in configured.levers:
        lever = configured.project.levers[name]
        if lever.slows is None or name in held:
            continue
        for key, text in SLOWER.items():
            if getattr(lever, key) is not None:
                formulas.setdefault(lever.slows, []).append(formula_of(text, f"levers.{name}.{key}"))
    found = {}
    for part, terms in formulas.items():
        writer.formula(f"slower.{part}", f"{part.replace('-', ' ')}, slow-down", chain_of(" * ", terms), "x")
        found[part] = f"{configured.at}.slower.{part}"
    return found


def _between(writer: FigureWriter, configured: Configured, factors: Mapping[str, str]) -> None:
    """The bounds of a time of which some shares are not known: what is left of it may be all in the part that is slowed
    least, or most."""
    project, holder = configured.project.id, configured.address("time")
    known = [part for part in factors if configured.share_is_known(part)]
    needs = (
        f"{writer.at}.hours_before",
        *(f"{project}.{factor}" for factor in factors.values()),
        *(f"{project}.{holder}.{part}" for part in known),
    )
    # What no lever slows may be all that is left of the time.
    parts = {str(part) for part in configured.value("time") or ()}
    free = parts != set(factors)

    def time(figures: Figures) -> Result:
        before, *others = operands = [figures[address] for address in needs]
        missing = missing_of(operands)
        slower = dict(zip(factors, (factor.value for factor in others), strict=False))
        shares = dict(zip(known, (share.value for share in others[len(factors) :]), strict=True))
        ends = (ONE, None) if missing else longer(slower, shares, free)
        low, high = (
            None if end is None or factor is None else end * factor
            for end, factor in zip((before.value.low, before.value.high), ends, strict=True)
        )
        how = "Time × the least and the greatest slowdown"
        return result(Value(low, None, high), how, operands, missing)

    writer.compute("expected_hours", "time", HOURS, needs, time)


def longer(
    slower: Mapping[str, Value], shares: Mapping[str, Value], free: bool
) -> tuple[Fraction | None, Fraction | None]:
    """How many times longer the whole takes, at least and at most, where the shares of some slowed parts are known.

    `free` is whether some of the rest may be slowed by nothing.
    """
    rest = [value for part, value in slower.items() if part not in shares]
    known = [(share, slower[part]) for part, share in shares.items()]
    lows, least_added = _ends(rest, known, "low")
    highs, most_added = _ends(rest, known, "high")
    low = high = None
    if least_added is not None:
        least = ONE if free else min(lows, default=ONE)
        left = max(1 - sum(ONE if share.high is None else share.high for share, _ in known), ZERO)
        low = 1 + left * (least - 1) + least_added
    if most_added is not None:
        left = 1 - sum(share.low or ZERO for share, _ in known)
        high = 1 + left * (max(highs, default=ONE) - 1) + most_added
        high = min(high, max(value.high or ONE for value in slower.values()))
    return low, high


def _ends(
    rest: Iterable[Value], known: Iterable[tuple[Value, Value]], end: str
) -> tuple[list[Fraction], Fraction | None]:
    """One end of how many times longer the rest takes, and by how much parts of known shares make the whole longer at
    that end; None where any of it is open."""
    ends = [getattr(value, end) for value in rest]
    pairs = [(getattr(share, end), getattr(factor, end)) for share, factor in known]
    if None in chain(ends, *pairs):
        return [], None
    return ends, add_up(share * (factor - 1) for share, factor in pairs)
