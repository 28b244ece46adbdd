"""Figures that come with runs, or once the plan is known. A policy may name one before, and is undecided then."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

from reckon.language.calendar_days import DATE, DAYS
from reckon.language.quantity import UNKNOWN
from reckon.language.units import CURRENCIES, GPU_HOURS, PLAIN, Unit, key_unit
from reckon.model.figure import OUTSIDE, SUMMED, Figure, Worked
from reckon.model.kinds import TOTALS
from reckon.model.ledger import outwards
from reckon.model.records import STATUSES

from .attempts import BASES
from .energy import CO2E, KWH
from .pace import PER_DAY

REACHED = {"days_left": DAYS, "reached": DATE}
PACE = {"first": DATE, "through": DATE, "days": DAYS, "charged": GPU_HOURS, "gpu_hours_per_day": PER_DAY}
SUMS = {each.key: GPU_HOURS for each in OUTSIDE}
SUMS["unpriced"] = GPU_HOURS
SUMS.update((field.key, key_unit(field.name)) for field in SUMMED)
IDLE = {"idle": GPU_HOURS, "measured": GPU_HOURS, "idle_share": PLAIN}
SUMS.update(IDLE, measured_share=PLAIN)
QUANTILES = ("p10", "p50", "p90")
ENDS = {"days_to_end(?:_p10|_p90)?": DAYS, "end(?:_p10|_p90)?": DATE}
_FORECASTS = [f"forecast_{name}" for name in QUANTILES]
MONTH = r"[0-9]{4}-(?:0[1-9]|1[0-2])"
# What stands before the last word of an address, a figure that is there from the beginning if it will come, and the
# units of the last words that it can have. The address and the words are patterns.
COMING: tuple[tuple[str, str, Mapping[str, Unit]], ...] = (
    (r"([^.]+)\.pace", "{}.actual.total", PACE),
    (r"([^.]+)\.pace", "{}.budget.final", ENDS),
    (r"(allocations\.[^.]+)\.pace", "{}.used", PACE),
    (r"(allocations\.[^.]+)", "{}.used", REACHED),
    (
        r"(allocations\.[^.]+)",
        "{}.end",
        {
            "days_to_end": DAYS,
            "days_since_end": DAYS,
            "unused": GPU_HOURS,
            "pace_to_use_up": PER_DAY,
        },
    ),
    *((rf"([^.]+)\.limits\.{total.id}", f"{{}}.{total.hours}", REACHED) for total in TOTALS.values()),
    (r"([^.]+)\.actual", "{}.actual.total", SUMS),
    (r"([^.]+\.plan\.[^.]+)", "{}.actual", IDLE),
    (r"([^.]+)\.forecast", "{}.forecast.p50", {"losses": GPU_HOURS, "lost": GPU_HOURS, "losses_seen": PLAIN}),
    (r"([^.]+)\.forecast\.extended", "{}.forecast.extended.p50", {"losses": GPU_HOURS}),
    (r"([^.]+)\.performance\.basis", "{}.performance.bac", dict.fromkeys(BASES, PLAIN)),
    (r"([^.]+)\.actual(\.by_status|\.waste\.by_cause)", "{}.actual.total", dict.fromkeys(STATUSES, GPU_HOURS)),
    (r"([^.]+)\.actual\.by_month", "{}.actual.total", {MONTH: GPU_HOURS}),
    (rf"([^.]+)\.actual\.by_month\.{MONTH}", "{}.actual.total", {"so_far": GPU_HOURS}),
    (r"([^.]+)\.forecast", "{}.budget.final", dict.fromkeys(QUANTILES, GPU_HOURS)),
    (
        r"([^.]+)\.forecast",
        "{}.budget.final",
        dict.fromkeys(("probability_over_plan", "probability_as_planned"), PLAIN),
    ),
    (
        r"([^.]+)\.forecast",
        "{}.ceiling",
        dict.fromkeys(("probability_over_ceiling", "probability_over_ceiling_as_planned"), PLAIN),
    ),
    (r"([^.]+\.phases\.[^.]+)", "{}.forecast_p50", ENDS),
    *(
        (r"([^.]+)\.money", f"{{}}.money.{currency}_per_gpu_hour", dict.fromkeys(_FORECASTS, key_unit(currency)))
        for currency in CURRENCIES
    ),
    (r"([^.]+)\.energy", "{}.energy.final", dict.fromkeys(_FORECASTS, KWH)),
    (r"([^.]+)\.carbon", "{}.carbon.final", dict.fromkeys(_FORECASTS, CO2E)),
    (
        r"([^.]+)\.energy",
        "{}.energy.actual",
        {
            **dict.fromkeys(("measured", "reported"), KWH),
            **dict.fromkeys(("measured_share", "reported_share", "known_share"), PLAIN),
        },
    ),
    (r"(.+)\.contingency", "{}.contingency.drawn", {"freed": GPU_HOURS}),
    (r"(.+\.plan\..+)", "{}.drawn", {"freed": GPU_HOURS, "drawn_since": DATE}),
)


def later(known: Container[str], at: str, name: str) -> Figure | None:
    """The figure, without a value yet, that a name means from a thing outwards; None where none will come."""
    for scope in (*outwards(at), ""):
        address = f"{scope}.{name}".strip(".")
        above, _, last = address.rpartition(".")
        for pattern, witness, units in COMING:
            unit = next((unit for word, unit in units.items() if re.fullmatch(word, last)), None)
            if unit and (found := re.fullmatch(pattern, above)) and witness.format(found[1]) in known:
                title = name.rpartition(".")[2].replace("_", " ")
                return Figure(address, title, unit, UNKNOWN, Worked("not yet"), "", (address,))
    return None
