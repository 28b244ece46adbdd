"""Samples of every kind of picture that go, together, through nearly all of the drawing code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from reckon.language.calendar_days import iso, last_day
from reckon.present.charts import Bar, Picture, Waterfall
from reckon.present.charts.axes import BarPart
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.burn_up import BurnUp, DrawnLimit, Fan
from reckon.present.charts.drawdown import Drawdown, DrawdownStep
from reckon.present.charts.frontier import Dot, Frontier
from reckon.present.charts.memory import Memory, Room
from reckon.present.charts.palette import OUTCOMES, USES
from reckon.present.charts.range_dots import Magnitude, Magnitudes
from reckon.present.charts.timeline import Lane, Span, Timeline

START = last_day("2025-01-30")
LONG = "A\tname\u200b that is a good deal longer than there is room for in any picture – 訓練"
USE_NAMES, OUTCOME_NAMES = tuple(USES), tuple(OUTCOMES)


def day(number: int) -> str:
    return iso(START + number)


def tenths(number: int) -> Fraction:
    """What no float is, so that sums of floats would show."""
    return Fraction(number, 10)


def bar(label: str, start: float, end: float, role: str) -> Bar:
    return Bar(label, start, end, role, f"{end - start:g}")


def few_bars() -> Bars:
    rows = [
        BarRow(
            "planned", "Training", tuple(BarPart(f"seed {n}", tenths(n), f"{n}", "planned") for n in (1, 2, 3)), "0.6"
        ),
        BarRow(
            "spent",
            "Training",
            (BarPart("seed 1", tenths(1), "", "spent"), BarPart("x", tenths(2), "", "lost")),
        ),
        BarRow("forecast", "Evaluation", (BarPart(LONG, Fraction(1, 3), "⅓", "to come"),), "⅓", 0.3),
        BarRow("nothing", "", (BarPart("none", 0, "0", "spent"),)),
    ]
    return Bars("Some bars", "GPU-hours", tuple(rows), "Alt.")


def many_bars() -> Bars:
    parts = tuple(BarPart(f"part {n}", tenths(7 * n + 1), f"{n}", USE_NAMES[n % 4]) for n in range(10))
    rows = tuple(BarRow(f"row {n}", f"Group {n // 9}", parts[n % 10 :][:2], f"{n} h") for n in range(80))
    return Bars("Many bars", "hours", rows, "Alt.")


def whole_burn_up() -> BurnUp:
    used, plan = [((day(n), 0.5 * n), (day(2 * n), 2.0 * n)) for n in range(90)], ((day(0), 0.0), (day(150), 400.0))
    limits = [DrawnLimit(f"Limit {n}", 400 + 10 * n, f"{n} h") for n in range(5)] + [DrawnLimit(LONG, 20, LONG)]
    days = ((day(10), LONG), (day(90), "in the middle"), (day(100), "beside it"), (day(170), "end of the grant"))
    fan = Fan(day(90), 45, day(170), 300, 380, 520, "300–520 GPU-h")
    return BurnUp("Burn-up", "GPU-h", tuple(one for one, _ in used), "Alt.", plan, fan, tuple(limits), days)


def hourly_burn_up() -> BurnUp:
    used = tuple((f"2025-01-{1 + n // 1440:02}T{n // 60 % 24:02}:{n % 60:02}", 0.1 * n) for n in range(1500))
    return BurnUp("By the minute", "h", used, "Alt.")


def deep_drawdown() -> Drawdown:
    steps = tuple(
        DrawdownStep(day(n // 9), 100 - 0.07 * n - n % 3, n % 7, f"{n}", "bug" * (n % 2)) for n in range(1200)
    )
    return Drawdown("Reserve", "GPU-hours", day(-20), 100, steps, day(400), "Alt.")


def timeline(title: str, *stays: tuple[int, str, str]) -> Timeline:
    lanes = (Lane("seed 0", "Training"), Lane("seed 1", "Training"), Lane(LONG, "Evaluation"))
    spans = tuple(
        Span(lane, start, end, OUTCOME_NAMES[n % 3], f"run {n}") for n, (lane, start, end) in enumerate(stays)
    )
    return Timeline(title, lanes, spans, "Alt.")


def frontier(points: int, step: float, ranged: bool) -> Frontier:
    """Points of which every third lies on the frontier."""
    dots = []
    for n in range(points):
        time, cost, merit = 1 + step * n, 900 / (1 + step * n), ("best", "frontier", "dominated")[n % 3]
        cost *= 1.5 if n % 3 == 2 else 1
        ends = (0.9 * cost, 1.2 * cost) if ranged and n % 2 else (None, None)
        name = LONG if n == 3 else f"{n}× card"
        dots.append(Dot(f"{n}", name, time, cost, f"{n} h, ${n}", merit, n, *ends))  # type: ignore[arg-type]
    return Frontier(f"{points} choices", tuple(dots), "hours", "USD", "Alt.", "3" if points > 3 else "")


def some_memory() -> Memory:
    parts = tuple(BarPart(name, tenths(n), f"{n}") for n, name in enumerate(("weights", "cache", LONG, "nothing"), 1))
    rows = (
        Room("fits", "Small", 2, "1 of 2 GiB", "fits"),
        Room("full", "Small", 0.5, "1 of 0.5 GiB", "does not fit"),
        Room(
            LONG,
            "Large",
            None,
            "",
            "not known",
            (BarPart("weights", Fraction(4, 3), "1⅓"), BarPart("none", 0, "0")),
        ),
        Room("tight", "", 1, "1 of 1 GiB", "tight"),
    )
    return Memory("Memory", "GiB", rows, parts, "Alt.", (DrawnLimit("limit", 0.9, "0.9 GiB"),))


def _samples() -> Iterator[Picture]:
    sums = (bar("Subtotal", 0, 140, "subtotal"), bar("Contingency", 140, 161, "contingency"))
    more = (bar("Total", 0, 161, "total"), bar("Further", 161, 170, "extension"))
    parts = (bar("Distillation", 0, 5, "one-time"), bar(LONG, 5, 140, "per-seed"))
    ceiling = DrawnLimit("Ceiling", 180, "180 GPU-h")
    yield Waterfall("Budget", "GPU-hours", (*parts, *sums, *more), "Alt.", "About", (ceiling,), "Distillation")
    moves = (bar("was", 0, 9, "total"), bar("more", 9, 12, "raises"), bar("less", 12, -2, "lowers"))
    yield Waterfall("Bridge", "GPU-hours", (*moves, bar("new", -2, 3, "raises"), bar("is", 0, 3, "total")), "Alt.")
    yield Waterfall("Many", LONG, tuple(bar(f"Item {n}", n, n + 1, "per-seed") for n in range(60)), "Alt.")
    yield from (few_bars(), many_bars(), whole_burn_up(), hourly_burn_up(), deep_drawdown())
    yield Drawdown("One step", "h", day(0), 9, (DrawdownStep(day(9), 4, 1, "4"),), day(30), "Alt.")
    hour = "2025-03-01T{:02}:30".format
    yield timeline("Hours", *((0, hour(n), hour(n + 9)) for n in range(6)), (2, hour(0), hour(20)))
    yield timeline("Days", (0, day(0), day(1)), (1, day(1), day(8)), (1, day(8), day(9)))
    yield timeline("Weeks", (0, day(0), day(9)), (1, day(20), day(70)))
    yield timeline("Months", (0, "2024-11-01T00:00:00+02:00", "2025-01-01"), (2, day(0), day(90)))
    yield timeline("Years", (0, "1969-06-01", "2025-01-01"), (2, day(0), day(90)))
    yield from (frontier(2, 1, False), frontier(12, 0.7, True), frontier(40, 0.9, True), frontier(210, 0.01, True))
    yield some_memory()
    rows = tuple(Room(f"card {n}", f"Maker {n // 30}", 8 * n, f"{n}", "") for n in range(84))
    yield Memory("Many cards", "GiB", rows, (BarPart("weights", 24, "24"),), "Alt.")
    far = (Magnitude("long", "a", 3600, "1 h", 1800, 5400), Magnitude("short", "a", 0.03, "0.03 s"))
    yield Magnitudes("Far apart", "mean", "s", (*far, Magnitude(LONG, "b", 1, "1 s", 0, 2)), "Alt.")
    near = (Magnitude("a", "", 10, "10"), Magnitude("b", "", 19, "19"))
    yield Magnitudes("Near", "mean", "s", near, "Alt.")


SAMPLES: Mapping[str, Picture] = MappingProxyType({one.title: one for one in _samples()})
"""By title."""
