# ruff: noqa: E501 (tables read better unbroken)
"""Runs that cannot be: each rule with the smallest ledger that sets it off, and one that just does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.audit import entries
from reckon.compute.audit.entries.capacity import Shared, more_gpus
from reckon.compute.audit.entries.entry import around, entries_of
from reckon.compute.book import Book
from reckon.language.calendar_days import first_day
from reckon.language.quantity import point
from reckon.language.units import key_unit
from reckon.load.reader import with_texts
from reckon.model.figure import Figure, Worked
from reckon.model.finding_groups import by_cause
from reckon.model.ledger import Catalog, Ledger, ProjectLedger
from reckon.model.records import Card, Project
from reckon.model.rules import RULES
from reckon.present.render.numbers import format_sentence
from tests.work import growth

PROJECT = "as_of: 2025-01-01\nseeds: 2\nprices: [list]\n"
PLAN = "one: {title: One, since: 2025-02-01, until: 2025-03-31, items: {a: {title: A, scope: one-time, gpu_hours: 250}, b: {title: B, scope: per-seed, gpu_hours: 45}}}\n"
GPUS = "card: {title: Card, vram_gib: 40}\nother: {title: Other, counts_as: {card: 1}}\n"
PRICES = "list: {title: List, as_of: 2025-01-01, usd_per_gpu_hour: {card: 2}}\n"


def runs(*lines: str, **more: str) -> dict[str, str]:
    """Runs of a project that plans 250 GPU-hours for a, and 45 for each seed of b, in February and March."""
    head = "title: P\nversion: 1.0.0\ngpu: card\n" + PROJECT
    texts = {
        "plan": PLAN,
        "gpus": GPUS,
        "ledger/catalog/prices.yaml": PRICES,
        "project": head + more.pop("project", ""),
    }
    return {**texts, **more, "runs": "".join(f"- {{{line}}}\n" for line in lines)}


def timed(start: str, end: str, fields: str) -> str:
    return f"item: a, start: '2025-02-{start}', end: '2025-02-{end}', {fields}"


SWEEP = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 45, runs: 60}}}\n"


def swept(hours: str, dates: str = "date: 2025-02-03") -> dict[str, str]:
    """A run of a sweep of sixty."""
    return runs(f"item: a, gpus: 1, {dates}, {hours}", plan=SWEEP)


UNITS, WALL, GPU = (
    "warning run-hours-doubtful:p.runs.2025.1#unit",
    "warning run-hours-doubtful:p.runs.2025.1#clock",
    "warning run-hours-doubtful:p.runs.2025.1#gpu-hours",
)
LONG, DATED, SHORT = (
    "warning run-hours-doubtful:p.runs.2025.1#long",
    "note run-hours-doubtful:p.runs.2025.1#long",
    "note run-hours-doubtful:p.runs.2025.1#short",
)
ORDER = "warning attempts-out-of-order:p.runs.2025.2"
STATED, TWICE, OVERLAP = (
    "warning run-hours-doubtful:p.runs.2025.1#twice",
    "warning run-entered-twice:p.runs.2025.yaml:2",
    "warning attempts-out-of-order:p.runs.2025.2#overlap",
)
BEFORE, AFTER, COST, PEAK = (
    "warning run-outside-its-dates:p.runs.2025.1#before",
    "note run-outside-its-dates:p.phases.one",
    "warning cost-far-from-price:p.runs.2025.1",
    "warning peak-above-card:p.runs.2025.1",
)
NOTHING, PARTS = "warning run-implausible:p.runs.2025.1#nothing", "note run-implausible:p.runs.2025.1#part"
ENERGY, WATTS = "warning run-implausible:p.runs.2025.1#energy", GPUS.replace("vram_gib: 40", "vram_gib: 40, watts: 400")
MORE, MONTH = "warning more-than-the-capacity:p.gpus#gpus", "warning more-than-the-capacity:p.gpus#hours"
EIGHT = "gpus: 8\n"

TABLE: list[tuple[str, dict[str, str], list[str]]] = [
    # Hours in another unit: of a sweep of sixty runs of 0.75 GPU-hours each
    ("minutes of a run of sixty", swept("wall_hours: 45"), [UNITS]),
    ("seconds of a run of sixty", swept("wall_hours: 2700"), [UNITS]),
    ("minutes of half as long a run", swept("wall_hours: 22.5"), [UNITS]),
    ("hours that in minutes are far from a run", swept("wall_hours: 22.4"), []),
    ("minutes of twice as long a run", swept("wall_hours: 90"), [UNITS]),
    ("ten runs in a line", swept("wall_hours: 7.5"), []),
    ("a run of sixty", swept("wall_hours: 0.75"), []),
    ("a line that states progress of the whole sweep", swept("wall_hours: 45, progress: {done: 60, total: 60}"), []),
    (
        "a long run of sixty with its times",
        swept("wall_hours: 45", "start: '2025-02-03T00:00', end: '2025-02-04T21:00'"),
        [],
    ),
    # Hours in another unit: between two times
    ("seconds between two times", runs(timed("03T10:00", "03T12:00", "gpus: 1, wall_hours: 7164")), [UNITS]),
    ("minutes between two times", runs(timed("03T10:00", "03T12:00", "gpus: 1, wall_hours: 119.4")), [UNITS]),
    ("seconds of a job of two minutes", runs(timed("03T10:00", "03T10:02", "gpus: 1, wall_hours: 97")), [UNITS]),
    (
        "seconds of a run that paused for less than half of its time",
        runs(timed("03T10:00", "03T12:00", "gpus: 1, wall_hours: 3700")),
        [UNITS],
    ),
    ("hours that are right between two times", runs(timed("03T10:00", "03T12:00", "gpus: 1, wall_hours: 1.99")), []),
    ("forty hours in four are neither", runs(timed("03T10:00", "03T14:00", "gpus: 1, wall_hours: 40")), [LONG]),
    (
        "GPU-hours in seconds between two times",
        runs(timed("03T10:00", "03T12:00", "gpus: 4, gpu_hours: 28656")),
        [UNITS],
    ),
    # … beside its own GPU-hours
    (
        "seconds beside right GPU-hours",
        runs("item: a, gpus: 4, wall_hours: 7164, gpu_hours: 7.96, date: 2025-02-03"),
        [UNITS],
    ),
    (
        "twice the hours beside right GPU-hours",
        runs("item: a, gpus: 4, wall_hours: 4, gpu_hours: 7.96, date: 2025-02-03"),
        [STATED],
    ),
    # … without times: beyond the dates of the project, which name 2025-01-01 first
    ("seconds on a date", runs("item: a, gpus: 1, wall_hours: 2731, date: 2025-02-03"), [UNITS]),
    (
        "seconds of work that is not planned",
        runs("item: x, unplanned: true, gpus: 1, wall_hours: 2731, date: 2025-02-03"),
        [UNITS],
    ),
    ("seconds without a date", runs("item: a, gpus: 1, wall_hours: 7164"), [UNITS]),
    (
        "many hours that neither unit makes fit",
        runs("item: a, gpus: 1, wall_hours: 9000000, date: 2025-02-03"),
        [DATED],
    ),
    (
        "ten times its plan, and a week on one date",
        runs("item: b, seed: 1, gpus: 4, wall_hours: 113, date: 2025-02-28"),
        [UNITS],
    ),
    ("just below ten times its plan", runs("item: b, seed: 1, gpus: 4, wall_hours: 112, date: 2025-02-28"), [DATED]),
    (
        "ten times its plan from a start on",
        runs("item: b, seed: 1, gpus: 4, wall_hours: 113, start: 2025-02-03"),
        [UNITS],
    ),
    (
        "less than two days, and ten times its plan",
        runs("item: b, seed: 1, gpus: 22, wall_hours: 22, start: 2025-02-03"),
        [],
    ),
    ("a long run without a date", runs("item: x, unplanned: true, gpus: 1, wall_hours: 700"), []),
    # GPU-hours in place of wall-clock hours
    ("GPU-hours between two times", runs(timed("03T10:00", "03T20:00", "gpus: 8, wall_hours: 80")), [GPU]),
    ("twice the time on two GPUs is GPU-hours", runs(timed("03T10:00", "03T20:00", "gpus: 2, wall_hours: 20")), [GPU]),
    (
        "half more than the time on two GPUs is not",
        runs(timed("03T10:00", "03T20:00", "gpus: 2, wall_hours: 15")),
        [LONG],
    ),
    ("GPU-hours between two days", runs(timed("03", "12", "gpus: 8, wall_hours: 1760")), [GPU]),
    ("as many GPU-hours as planned", runs("item: a, gpus: 8, wall_hours: 240, date: 2025-03-03"), [GPU]),
    (
        "as many hours as planned between two days that agree",
        runs(timed("03", "13", "gpus: 8, wall_hours: 240")),
        ["warning limit-passed:p.limits.final"],
    ),
    ("a little below half of the plan", runs("item: a, gpus: 8, wall_hours: 124, date: 2025-03-03"), [DATED]),
    ("three times the plan", runs("item: a, gpus: 3, wall_hours: 45, date: 2025-03-03"), []),
    (
        "unplanned work of many days on one date, in a young project",
        runs("item: x, unplanned: true, gpus: 8, wall_hours: 400, date: 2025-02-04", project="began: 2025-02-01\n"),
        [DATED],
    ),
    (
        "a long run that its plan allows, in a project of a day",
        runs("item: a, gpus: 8, wall_hours: 60, date: 2025-02-04", project="began: 2025-02-04\n"),
        ["warning limit-passed:p.limits.final", DATED],
    ),
    # GPU-hours that are wall-clock hours
    ("GPU-hours that are hours", runs("item: a, gpus: 8, wall_hours: 10, gpu_hours: 10, date: 2025-02-03"), [WALL]),
    ("GPU-hours that are the time between", runs(timed("03T10:00", "03T20:00", "gpus: 8, gpu_hours: 10")), [WALL]),
    ("GPU-hours of one GPU", runs("item: a, gpus: 1, wall_hours: 10, gpu_hours: 10, date: 2025-02-03"), []),
    (
        "GPU-hours that are stated twice, rounded",
        runs("item: a, gpus: 8, wall_hours: 10, gpu_hours: 80.08, date: 2025-02-03"),
        [],
    ),
    (
        "GPU-hours that are stated twice",
        runs("item: a, gpus: 8, wall_hours: 10, gpu_hours: 81, date: 2025-02-03"),
        [STATED],
    ),
    # Longer and shorter than its dates
    ("longer than its times", runs(timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2.1")), [LONG]),
    ("as long as its times, rounded", runs(timed("01T10:00", "01 12:00:00", "gpus: 2, wall_hours: 2.03")), []),
    ("longer than between two offsets", runs(timed("01T10:00-01:30", "01T12:00Z", "gpus: 2, wall_hours: 0.6")), [LONG]),
    ("as long as between two offsets", runs(timed("01T10:00+01:30", "01T12:00-01:00", "gpus: 2, wall_hours: 4.5")), []),
    (
        "times of which one has an offset are days",
        runs(timed("01T10:00+01:00", "01T12:00", "gpus: 2, wall_hours: 24")),
        [],
    ),
    ("longer than from a day to a time", runs(timed("01", "01T12:00", "gpus: 2, wall_hours: 12.2")), [LONG]),
    ("as long as from a day to a time", runs(timed("01", "01T12:00", "gpus: 2, wall_hours: 12.1")), []),
    (
        "a hundred hours on one day",
        runs(
            timed("03", "03", "gpus: 8, wall_hours: 10, gpu_hours: 80, kind: reported"),
            timed("04", "04", "gpus: 1, wall_hours: 100"),
        ),
        ["warning run-hours-doubtful:p.runs.2025.2#long"],
    ),
    ("a hundred hours on one date", runs("item: a, gpus: 1, wall_hours: 100, date: 2025-03-03"), [DATED]),
    ("two days on one date", runs("item: a, gpus: 1, wall_hours: 48, date: 2025-03-03"), []),
    ("a month of hours in a month", runs("item: x, unplanned: true, gpus: 1, wall_hours: 690, date: 2025-02"), []),
    ("a hundred hours to an end", runs("item: a, gpus: 1, wall_hours: 100, end: 2025-03-03"), []),
    (
        "118 days and some hours on 118 days",
        runs("item: x, unplanned: true, start: 2025-03-11, end: 2025-07-06, gpus: 1, wall_hours: 118 d 5 h 41 min"),
        [],
    ),
    ("a day between days that are 24 days apart", runs(timed("01", "25", "gpus: 1, wall_hours: 24")), [SHORT]),
    ("two days between days that are 24 days apart", runs(timed("01", "25", "gpus: 1, wall_hours: 48")), []),
    ("an hour of a run that goes on", runs(timed("01", "25", "gpus: 1, wall_hours: 24, status: running")), []),
    ("an hour on one day", runs(timed("01T00:00", "02T23:00", "gpus: 1, wall_hours: 1")), []),
    # Two entries that are one run
    (
        "alike in all",
        runs("item: a, date: 2025-02-01, gpu_hours: 8", "item: a, date: 2025-02-01, gpu_hours: 8"),
        [TWICE],
    ),
    (
        "alike but for the hours",
        runs("item: a, date: 2025-02-01, gpu_hours: 8", "item: a, date: 2025-02-01, gpu_hours: 9"),
        [],
    ),
    (
        "alike but for the jobs",
        runs("item: a, date: 2025-02-01, gpu_hours: 8, job: '1'", "item: a, date: 2025-02-01, gpu_hours: 8, job: '2'"),
        [],
    ),
    (
        "while it ran and when it had ended",
        runs(
            "item: a, start: 2025-02-01, attempt: 2, gpu_hours: 8, status: running",
            "item: a, start: 2025-02-01, end: 2025-02-03, attempt: 2, gpu_hours: 9",
        ),
        [TWICE, ORDER],
    ),
    (
        "the same times with one job",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2, job: '1'"),
            timed("01 10:00:00", "01T12:00", "gpus: 2, wall_hours: 1.9"),
        ),
        [TWICE],
    ),
    (
        "the same times with two jobs",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2, job: '1'"),
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2, job: '2'"),
        ),
        [],
    ),
    (
        "the same times with two names",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2, run: x"),
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2, run: y"),
        ),
        [],
    ),
    (
        "the same days",
        runs(timed("01", "02", "gpus: 2, wall_hours: 2"), timed("01", "02", "gpus: 2, wall_hours: 3")),
        [],
    ),
    (
        "attempts that overlap",
        runs(
            timed("01T10:00", "01T12:00", "attempt: 1, gpus: 2, wall_hours: 2"),
            timed("01T11:30", "01T13:00", "attempt: 2, gpus: 2, wall_hours: 1.5"),
        ),
        [OVERLAP],
    ),
    (
        "attempts that meet",
        runs(
            timed("01T10:00", "01T12:00", "attempt: 1, gpus: 2, wall_hours: 2"),
            timed("01T11:59", "01T13:00", "attempt: 2, gpus: 2, wall_hours: 1"),
        ),
        [],
    ),
    (
        "runs that overlap and name nothing",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 2, wall_hours: 2"),
            timed("01T11:00", "01T13:00", "gpus: 2, wall_hours: 2"),
        ),
        [],
    ),
    # More than there is
    ("more GPUs than there are", runs("item: a, date: 2025-02-03, gpus: 16, wall_hours: 1", project=EIGHT), [MORE]),
    ("all GPUs that there are", runs("item: a, date: 2025-02-03, gpus: 8, wall_hours: 1", project=EIGHT), []),
    (
        "more GPUs at one time",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 5, wall_hours: 2"),
            timed("01T11:00", "01T13:00", "gpus: 4, wall_hours: 2"),
            project=EIGHT,
        ),
        [MORE],
    ),
    (
        "all GPUs at one time",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 4, wall_hours: 2"),
            timed("01T11:00", "01T13:00", "gpus: 4, wall_hours: 2"),
            project=EIGHT,
        ),
        [],
    ),
    (
        "one begins as another ends",
        runs(
            timed("01T10:00", "01T12:00", "gpus: 8, wall_hours: 2"),
            timed("01T11:59", "01T13:00", "gpus: 8, wall_hours: 1"),
            project=EIGHT,
        ),
        [],
    ),
    (
        "a start and hours are a time",
        runs(
            "item: a, start: '2025-02-01T10:00', gpus: 8, wall_hours: 2",
            "item: a, end: '2025-02-01T12:30', gpus: 1, wall_hours: 1",
            project=EIGHT,
        ),
        [MORE],
    ),
    (
        "a capacity that is a range",
        runs("item: a, date: 2025-02-03, gpus: 16, wall_hours: 1", project="gpus: 8-16\n"),
        [],
    ),
    (
        "a capacity that is not known",
        runs("item: a, date: 2025-02-03, gpus: 16, wall_hours: 1", project="gpus: unknown\n"),
        [],
    ),
    (
        "hardware is not a capacity",
        runs(
            "item: a, date: 2025-02-03, gpus: 16, wall_hours: 1",
            project="hardware: {node: {title: N, cards: [card], gpus: 8}}\n",
        ),
        [],
    ),
    (
        "more hours than February has",
        runs("item: x, unplanned: true, date: 2025-02, gpu_hours: 680", project="gpus: 1\n"),
        [MONTH],
    ),
    ("all hours of February", runs("item: x, unplanned: true, date: 2025-02, gpu_hours: 672", project="gpus: 1\n"), []),
    (
        "more hours than a grant has in a month",
        runs(
            "item: x, unplanned: true, date: 2025-02, gpu_hours: 680",
            allocations="g: {title: G, gpu_hours: 9000, gpus: 1, projects: [p]}\n",
        ),
        ["warning more-than-the-capacity:allocations.g.gpus#hours"],
    ),
    (
        "hours on another card than that of the grant",
        runs(
            "item: x, unplanned: true, date: 2025-02, gpu_hours: 680",
            allocations="g: {title: G, gpu: other, gpu_hours: 9000, gpus: 1, projects: [p]}\n",
        ),
        [],
    ),
    (
        "hours before the grant",
        runs(
            "item: x, unplanned: true, date: 2025-02, gpu_hours: 680",
            allocations="g: {title: G, since: 2025-03, gpu_hours: 9000, gpus: 1, projects: [p]}\n",
        ),
        [],
    ),
    # At a time at which it cannot have been
    ("before the project", runs("item: a, date: 2025-02-02, gpu_hours: 8", project="began: 2025-02-03\n"), [BEFORE]),
    (
        "on the first day of the project",
        runs("item: a, date: 2025-02-03, gpu_hours: 8", project="began: 2025-02-03\n"),
        [],
    ),
    (
        "in the first month of the project",
        runs("item: a, date: 2025-02, gpu_hours: 8", project="began: 2025-02-03\n"),
        [],
    ),
    ("after its phase", runs("item: a, date: 2025-04-01, gpu_hours: 8"), [AFTER]),
    ("on the last day of its phase", runs("item: a, date: 2025-03-31, gpu_hours: 8"), []),
    ("begun before the end of its phase", runs("item: a, start: 2025-03-31, end: 2025-04-02, gpu_hours: 8"), []),
    ("unplanned work after a phase", runs("item: x, unplanned: true, date: 2025-04-01, gpu_hours: 8"), []),
    # Cost and memory
    ("cost in cents", runs("item: a, date: 2025-02-03, gpu_hours: 8, cost_usd: 1600"), [COST]),
    ("cost of one hour", runs("item: a, date: 2025-02-03, gpu_hours: 8, cost_usd: 2"), [COST]),
    ("five times the price", runs("item: a, date: 2025-02-03, gpus: 1, wall_hours: 8, cost_usd: 80"), []),
    ("a fifth of the price", runs("item: a, date: 2025-02-03, gpus: 1, wall_hours: 8, cost_usd: 3.2"), []),
    ("an hour billed for a minute", runs("item: a, date: 2025-02-03, gpus: 8, wall_hours: 1 min, cost_usd: 16"), []),
    ("nothing billed", runs("item: a, date: 2025-02-03, gpu_hours: 8, cost_usd: 0"), []),
    (
        "cost on a card without a price",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, cost_usd: 999"),
        [],
    ),
    ("more memory than its card", runs("item: a, date: 2025-02-03, gpu_hours: 8, peak_gib: 40.5"), [PEAK]),
    ("the memory of its card", runs("item: a, date: 2025-02-03, gpu_hours: 8, peak_gib: 40.4"), []),
    (
        "memory of a card of unknown memory",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, peak_gib: 999"),
        [],
    ),
    ("a completed run without GPUs", runs("item: a, date: 2025-02-03, gpus: 0, wall_hours: 8"), [NOTHING]),
    ("a completed run without hours", runs("item: a, date: 2025-02-03, gpus: 8, wall_hours: 0"), [NOTHING]),
    ("a completed run without GPU-hours", runs("item: a, date: 2025-02-03, gpu_hours: 0"), [NOTHING]),
    ("GPU-hours without GPUs", runs("item: a, date: 2025-02-03, gpus: 0, gpu_hours: 130"), [NOTHING]),
    ("a run that failed at once", runs("item: a, date: 2025-02-03, gpus: 8, wall_hours: 0, status: failed"), []),
    ("a GPU and a half", runs("item: a, date: 2025-02-03, gpus: 1.5, wall_hours: 8"), [PARTS]),
    ("a slice of a GPU", runs("item: a, date: 2025-02-03, gpus: 0.5, wall_hours: 8"), []),
    (
        "1,700 W for each card of 400 W, with its machine",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 13.6", gpus=WATTS),
        [],
    ),
    (
        "more than three times its board and 500 W",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 13.61", gpus=WATTS),
        [ENERGY],
    ),
    (
        "twice of that for the data centre",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 27.2, energy_of: facility", gpus=WATTS),
        [],
    ),
    (
        "more than a data centre takes",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 27.21, energy_of: facility", gpus=WATTS),
        [ENERGY],
    ),
    ("a fiftieth of its board", runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 0.064", gpus=WATTS), []),
    (
        "less than a card that idles",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 0.063", gpus=WATTS),
        [ENERGY],
    ),
    ("no energy at all", runs("item: a, date: 2025-02-03, gpu_hours: 8, energy_kwh: 0", gpus=WATTS), [ENERGY]),
    ("three times its board", runs("item: a, date: 2025-02-03, gpu_hours: 8, watts: 1200", gpus=WATTS), []),
    (
        "more than three times its board",
        runs("item: a, date: 2025-02-03, gpu_hours: 8, watts: 1201", gpus=WATTS),
        [ENERGY],
    ),
    ("watts in kW", runs("item: a, date: 2025-02-03, gpu_hours: 8, watts: 0.4", gpus=WATTS), [ENERGY]),
    ("a PUE of 3", runs("item: a, date: 2025-02-03, gpu_hours: 8, pue: 3", gpus=WATTS), []),
    ("a PUE of more", runs("item: a, date: 2025-02-03, gpu_hours: 8, pue: 3.1", gpus=WATTS), [ENERGY]),
    ("used all the time", runs("item: a, date: 2025-02-03, gpu_hours: 8, utilisation: 100%", gpus=WATTS), []),
    ("used more", runs("item: a, date: 2025-02-03, gpu_hours: 8, utilisation: 101%", gpus=WATTS), [ENERGY]),
    (
        "5 W on a card of unknown power",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, energy_kwh: 0.04"),
        [],
    ),
    (
        "fewer on such a card",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, energy_kwh: 0.039"),
        [ENERGY],
    ),
    (
        "9,000 W on a card of unknown power",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, energy_kwh: 72"),
        [],
    ),
    (
        "more on a card of unknown power",
        runs("item: x, unplanned: true, gpu: other, date: 2025-02-03, gpu_hours: 8, energy_kwh: 72.1"),
        [ENERGY],
    ),
]


@pytest.mark.parametrize(("texts", "wanted"), [case[1:] for case in TABLE], ids=[case[0] for case in TABLE])
def test_an_entry_is_told_or_not(ledger: Any, texts: dict[str, str], wanted: list[str]) -> None:
    found = ledger(**texts).findings()
    others = (
        "limit-passed",
        "progress-unknown",
        "progress-against-runs",
        "date-cannot-be-met",
    )  # which most of these set off too
    ours = [line for line in found if line in wanted or not any(rule in line for rule in others)]
    assert ours == wanted


def test_every_rule_about_entries_is_set_off_above() -> None:
    found = {line.split(" ")[1].split(":")[0] for _, _, lines in TABLE for line in lines if "limit-passed" not in line}
    beside = {"run-unlike-its-siblings"}  # tried in test_siblings
    known = {rule for rule, found in RULES.items() if found.judge == "entries.odd_entries"}
    assert found == known - {*beside, "run-in-the-future"}


def arithmetic(ledger: Any, texts: dict[str, str], rule: str) -> str:
    (found,) = (
        finding for finding in ledger(**texts).book().findings["p"] if rule in (finding.rule, finding.judgement)
    )
    return format_sentence(found.arithmetic)


SAID = [
    (
        timed("03T10:00", "03T12:00", "gpus: 1, wall_hours: 7164"),
        "run-hours-doubtful#unit",
        "",
        "its wall-clock time is 7,164 h, from its start to its end are 2 h; read as seconds that is 1.99 h",
    ),
    (
        "item: b, seed: 1, gpus: 1, wall_hours: 2731, date: 2025-05-03",
        "run-hours-doubtful#unit",
        "",
        "its wall-clock time is 2,731 h, which on 1 GPU is 2,731 GPU-h; planned for B are 45 GPU-h; read as minutes that is 45.52 h, as seconds that is 0.7586 h",
    ),
    (
        "item: a, gpus: 8, wall_hours: 240, date: 2025-03-03",
        "run-hours-doubtful#gpu-hours",
        "",
        "its wall-clock time is 240 h, which on 8 GPUs is 1,920 GPU-h; planned for A are 250 GPU-h; read as GPU-hours that is 30 h on 8 GPUs",
    ),
    (
        "item: a, gpus: 8, wall_hours: 10, gpu_hours: 10, date: 2025-02-03",
        "run-hours-doubtful#clock",
        "",
        "8 GPUs × 10 h is 80 GPU-h, stated are 10 GPU-h",
    ),
    (
        timed("04", "04", "gpus: 1, wall_hours: 100"),
        "run-hours-doubtful#long",
        "",
        "its wall-clock time is 100 h, its dates leave 24 h at most",
    ),
    (
        "item: a, gpus: 1, wall_hours: 100, date: 2025-03-03",
        "run-hours-doubtful#long",
        "",
        "its wall-clock time is 100 h, its only date is 2025-03-03",
    ),
    (
        timed("01", "25", "gpus: 1, wall_hours: 24"),
        "run-hours-doubtful#short",
        "",
        "its wall-clock time is 24 h, between its dates are 552 h at least",
    ),
    (
        "item: a, date: 2025-02-03, gpus: 16, wall_hours: 1",
        "more-than-the-capacity#gpus",
        EIGHT,
        "1 run holds 16 GPUs; P has 8 GPUs",
    ),
    (
        "item: x, unplanned: true, date: 2025-02, gpu_hours: 680",
        "more-than-the-capacity#hours",
        "gpus: 1\n",
        "in 2025-02 its runs are charged 680 GPU-h; 1 GPU × 24 h × 28 days are 672 GPU-h",
    ),
    (
        "item: a, date: 2025-02-02, gpu_hours: 8",
        "run-outside-its-dates#before",
        "began: 2025-02-03\n",
        "it is of 2025-02-02, the project began on 2025-02-03",
    ),
    (
        "item: a, date: 2025-04-01, gpu_hours: 8",
        "run-outside-its-dates",
        "",
        "1 run with 8 GPU-h begins after 2025-03-31, on 2025-04-01",
    ),
    (
        "item: a, date: 2025-02-03, gpu_hours: 8, cost_usd: 1600",
        "cost-far-from-price",
        "",
        "stated are $1,600; 8 GPU-h at $2/GPU-h are $16",
    ),
    (
        "item: a, date: 2025-02-03, gpu_hours: 8, peak_gib: 64",
        "peak-above-card",
        "",
        "its peak is 64 GiB, the card has 40 GiB",
    ),
    (
        "item: a, date: 2025-02-03, gpus: 8, wall_hours: 20, energy_kwh: 50000",
        "run-implausible#energy",
        "",
        "its 50,000 kWh over 160 GPU-h are 312,500 W for each GPU, no card draws so much or so little; read as Wh that is 312.5 W",
    ),
    ("item: a, date: 2025-02-03, gpus: 8, wall_hours: 0", "run-implausible#nothing", "", "8 GPUs × 0 h is 0 GPU-h"),
    ("item: a, date: 2025-02-03, gpus: 1.5, wall_hours: 8", "run-implausible#part", "", "its GPUs are 1.5 GPUs"),
    (
        "item: a, date: 2025-02-03, gpus: 8, wall_hours: 2, watts: 3200",
        "run-implausible#energy",
        "",
        "stated are 3,200 W for each GPU, no card draws so much or so little; read as watts of all its GPUs that is 400 W",
    ),
]


@pytest.mark.parametrize(("line", "rule", "project", "said"), SAID, ids=[case[1] for case in SAID])
def test_the_arithmetic_of_an_entry_is_put_in(ledger: Any, line: str, rule: str, project: str, said: str) -> None:
    assert arithmetic(ledger, runs(line, project=project), rule) == said


@pytest.mark.parametrize(("hours", "read"), [("45", "minutes"), ("2700", "seconds")])
def test_a_run_of_many_is_held_against_its_part_of_the_plan(ledger: Any, hours: str, read: str) -> None:
    wall = f"{int(hours):,}"
    beside = f"which on 1 GPU is {wall} GPU-h; A takes 60 runs, of 0.75 GPU-h each"
    assert arithmetic(ledger, swept(f"wall_hours: {hours}"), "run-hours-doubtful#unit") == (
        f"its wall-clock time is {wall} h, {beside}; read as {read} that is 0.75 h"
    )


BOTH = "{formula: seeds * hours * gpus, hours: 33, gpus: 8}"  # the estimate counts the seeds itself
ESTIMATED = [
    ("as estimated", "seed: 1, wall_hours: 27, date: 2025-03-03", "211-264", False),
    ("the most that is estimated", "seed: 1, wall_hours: 33, date: 2025-03-03", "211-264", False),
    ("more than is estimated", "seed: 1, wall_hours: 33.1, date: 2025-03-03", "211-264", False),
    ("hours below half of its estimate", "seed: 1, wall_hours: 39.9, date: 2025-03-03", "60-80", False),
    ("hours of half of its estimate", "seed: 1, wall_hours: 40, date: 2025-03-03", "60-80", True),
    (
        "half of the work as estimated",
        "seed: 1, wall_hours: 27, date: 2025-03-03, progress: {done: 1, total: 2}",
        "422-528",
        False,
    ),
    (
        "a quarter of the work in the hours of all",
        "seed: 1, wall_hours: 27, date: 2025-03-03, progress: {done: 1, total: 4}",
        "100-120",
        True,
    ),
    ("all seeds as estimated", "wall_hours: 47, date: 2025-03-03", "211-264", False),
    ("all seeds above their estimate", "wall_hours: 67, date: 2025-03-03", "211-264", False),
    ("a seed of an estimate for both", "seed: 1, wall_hours: 33, date: 2025-03-03", BOTH, False),
    ("more than a seed of an estimate for both", "seed: 1, wall_hours: 34, date: 2025-03-03", BOTH, False),
    ("an estimate that is not known", "seed: 1, wall_hours: 27, date: 2025-03-03", "unknown", True),
    (
        "its own times say otherwise",
        "seed: 1, start: '2025-02-03T10:00', end: '2025-02-03T13:30', wall_hours: 27",
        "211-264",
        True,
    ),
]


@pytest.mark.parametrize(
    ("fields", "estimate", "accused"), [case[1:] for case in ESTIMATED], ids=[case[0] for case in ESTIMATED]
)
def test_a_run_within_its_estimate_is_not_told_to_divide_by_its_gpus(
    ledger: Any, fields: str, estimate: str, accused: bool
) -> None:
    """On eight GPUs, where 45 GPU-hours are planned for each of two seeds: the plan has the slip, not the run."""
    plan = PLAN.replace("gpu_hours: 45", f"gpu_hours: 45, estimate: {estimate}")
    found = ledger(**runs(f"item: b, gpus: 8, {fields}", plan=plan)).findings()
    assert (GPU in found) is accused


def test_gpus_at_one_time_are_told_with_their_moment_and_runs(ledger: Any) -> None:
    texts = runs(
        timed("01T10:00", "01T12:00", "gpus: 5, wall_hours: 2"),
        timed("01T11:30", "01T13:00", "gpus: 4, wall_hours: 1.5"),
        timed("05T11:30", "05T13:00", "gpus: 4, wall_hours: 1.5"),
        project=EIGHT,
    )
    assert (
        arithmetic(ledger, texts, "more-than-the-capacity#gpus")
        == "at 2025-02-01 11:30 2 runs hold 9 GPUs; P has 8 GPUs"
    )
    (found,) = (one for one in ledger(**texts).book().findings["p"] if one.judgement == "more-than-the-capacity#gpus")
    assert [place.line for place in found.places] == [1, 2]


def test_projects_that_share_a_grant_hold_its_gpus_together(ledger: Any) -> None:
    other = {
        name.replace("/p/", "/q/"): text
        for name, text in {
            "ledger/p/project.yaml": "title: Q\nversion: 1\nas_of: 2025-01-01\ngpu: card\n",
            "ledger/p/runs/2025.yaml": "- {item: x, unplanned: true, start: '2025-02-01T11:00', end: '2025-02-01T13:00', gpus: 4, wall_hours: 2}\n",
        }.items()
    }
    grant = {"allocations": "g: {title: G, gpu_hours: 9000, gpus: 8, projects: [p, q]}\n"}
    tree = ledger(**runs(timed("01T10:00", "01T12:00", "gpus: 5, wall_hours: 2"), **grant), **other)
    wanted = "warning more-than-the-capacity:allocations.g.gpus#gpus"
    assert [tree.findings(project)[:1] for project in "pq"] == [[wanted], [wanted]]


# Many entries of one cause


def imported(seconds: int, minute: int) -> str:
    start = datetime(2025, 2, 3) + timedelta(minutes=minute)
    end = start + timedelta(seconds=seconds)
    return f"item: a, start: {start:%Y-%m-%dT%H:%M:%S}, end: {end:%Y-%m-%dT%H:%M:%S}, gpus: 1, wall_hours: {seconds}, job: 'j{minute}'"


ROWS = re.compile("limit|progress-unknown")
"""What follows from hours that are wrong."""


def test_a_column_that_was_read_wrongly_is_one_finding(ledger: Any) -> None:
    """Six jobs of 600 s and one of 1,200 s: 4,800 GPU-hours as they stand."""
    texts = runs(*(imported(600 + 600 * (number == 6), number) for number in range(7)))
    tree = ledger(**texts)
    assert [line for line in tree.findings() if not ROWS.search(line)] == ["warning run-hours-doubtful:p.runs#unit"]
    said = arithmetic(ledger, texts, "run-hours-doubtful#unit")
    assert said.startswith(
        "7 runs with 4,800 GPU-h as they stand, 1.3 GPU-h if read as seconds. The first: ledger/p/runs/2025.yaml:1: its wall-clock time is 600 h"
    )
    assert said.count("read as seconds that is") == 3
    (found,) = (one for one in tree.book().findings["p"] if one.judgement == "run-hours-doubtful#unit")
    assert [place.line for place in found.places] == [1, 2, 3, 4, 5, 6, 7]


def test_three_of_a_cause_are_told_one_by_one(ledger: Any) -> None:
    found = ledger(**runs(*(imported(600, number) for number in range(3)))).findings()
    assert [line.rpartition(".")[2] for line in found if "unit" in line] == ["1#unit", "2#unit", "3#unit"]


def test_an_accepted_entry_of_many_stays_accepted(ledger: Any) -> None:
    accept = "accept: [{finding: 'run-hours-doubtful:p.runs.2025.2#unit', reason: It is right.}]\n"
    found = ledger(**runs(*(imported(600, number) for number in range(5)), project=accept)).findings()
    ours = [line for line in found if not ROWS.search(line)]
    assert ours == ["warning run-hours-doubtful:p.runs#unit", "note run-hours-doubtful:p.runs.2025.2#unit"]


@pytest.mark.parametrize("moment", ["date", "start", "end"])
def test_rows_of_a_table_follow_the_one_that_is_in_another_unit(ledger: Any, moment: str) -> None:
    """A table of seconds: 2,731 is beyond the dates of the project, 300 and 100 alone would not be, and 12 are likely."""
    lines = [
        f"item: b, seed: 1, {moment}: 2025-02-03, gpus: 1, wall_hours: {amount}" for amount in (2731, 300, 100, 12)
    ]
    other = f"item: b, seed: 1, {moment}: 2025-02-03, gpus: 1, wall_hours: 90, note: By hand."
    found = [
        line
        for line in ledger(**runs(*lines, other)).findings()
        if "limit" not in line and "date-cannot" not in line and line[:4] != "note"
    ]
    assert found == [f"warning run-hours-doubtful:p.runs.2025.{number}#unit" for number in (1, 2, 3)]


def test_all_that_is_odd_about_a_run_is_one_entry(ledger: Any) -> None:
    """In seconds, twice, before its project, at a cost that suits the right hours: the second line has all of it."""
    line = timed("03T10:00", "03T12:00", "gpus: 8, wall_hours: 7164, cost_usd: 32")
    tree = ledger(**runs(line, line, project="gpus: 4\nbegan: 2025-06-01\n"))
    missed = ("limit-passed", "progress-unknown")  # of what the runs come to, and a matter of its own
    groups = [group for group in by_cause(tree.book().findings["p"]) if group.rule not in missed]
    rules = ["run-hours-doubtful#unit", "run-outside-its-dates#before", "cost-far-from-price"]
    assert [sorted(each.judgement for each in group.all) for group in groups] == [
        sorted(["run-entered-twice", *rules]),
        sorted(rules),
    ]


# Ahead of a day


def ahead(ledger: Any, line: str, today: str) -> list[str]:
    book = ledger(**runs(line)).book()
    return [
        format_sentence(finding.arithmetic)
        for finding in entries.ahead_of(book.ledger.projects["p"], book, first_day(today))
    ]


def test_a_run_that_has_not_come_yet(ledger: Any) -> None:
    line = "item: a, date: 2025-02-04, gpu_hours: 8"
    assert ahead(ledger, line, "2025-02-03") == ["its last day is 2025-02-04, today is 2025-02-03"]
    assert ahead(ledger, line, "2025-02-04") == []
    assert not [line for line in ledger(**runs(line)).findings() if "future" in line]


def test_a_run_that_cannot_have_ended_yet(ledger: Any) -> None:
    """100 h are four days and four hours: from the 3rd to the 7th."""
    line = "item: a, start: 2025-02-03, gpus: 1, wall_hours: 100"
    assert ahead(ledger, line, "2025-02-05") == ["its last day is 2025-02-06, today is 2025-02-05"]
    assert ahead(ledger, line, "2025-02-06") == []
    assert ahead(ledger, "item: a, date: 2025-02, gpu_hours: 8", "2025-02-01") == []


# Properties


START = st.datetimes(datetime(2025, 2, 1), datetime(2025, 3, 1))


@given(START, st.integers(60, 20 * 3600), st.integers(1, 64))
def test_right_hours_are_never_told(start: datetime, seconds: int, gpus: int) -> None:
    end = start + timedelta(seconds=seconds)
    fields = f"start: {start:%Y-%m-%dT%H:%M:%S}, end: {end:%Y-%m-%dT%H:%M:%S}, gpus: {gpus}, wall_hours: {seconds} s"
    assert doubted(fields) == []


@given(START, st.integers(600, 20 * 3600), st.integers(1, 20))
def test_seconds_taken_for_hours_are_always_told_as_such(start: datetime, seconds: int, gpus: int) -> None:
    end = start + timedelta(seconds=seconds)
    fields = f"start: {start:%Y-%m-%dT%H:%M:%S}, end: {end:%Y-%m-%dT%H:%M:%S}, gpus: {gpus}, wall_hours: {seconds}"
    assert doubted(fields) == ["run-hours-doubtful#unit"]
    assert doubted(fields.replace(f"wall_hours: {seconds}", f"wall_hours: {seconds / 60:.3f}")) == [
        "run-hours-doubtful#unit"
    ]


def doubted(fields: str) -> list[str]:
    """The causes of doubt about a run of a ledger in memory."""
    book = in_memory([fields])
    project = book.ledger.projects["p"]
    return [doubt.cause.judgement for doubt in entries.doubts_of(around(project, book))]


def in_memory(lines: list[str]) -> Book:
    text = "".join(f"- {{item: x, unplanned: true, {line}}}\n" for line in lines)
    project = Project.model_validate({"title": "P", "version": "1", "as_of": "2025-01-01", "gpu": "card"})
    cards = Catalog(gpus={"card": Card.model_validate({"title": "Card"})})
    empty = Ledger(cards, projects={"p": ProjectLedger("p", project)})
    read, problems = with_texts(empty, "p", {"ledger/p/runs/2025.yaml": text})
    assert not problems
    return Book(read, {})


INTERVALS = st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60), st.integers(1, 8)), min_size=1, max_size=12)


@given(INTERVALS)
def test_the_sweep_finds_the_most_gpus_at_one_time(intervals: list[tuple[int, int, int]]) -> None:
    """Beside looking at each minute. A run counts as ended a minute before it ends."""
    day = datetime(2025, 2, 1)
    book = in_memory(
        [
            f"start: {day + timedelta(minutes=begin):%Y-%m-%dT%H:%M}, end: {day + timedelta(minutes=begin + length):%Y-%m-%dT%H:%M}, gpus: {gpus}, wall_hours: {length} min, job: j{number}"
            for number, (begin, length, gpus) in enumerate(intervals)
        ]
    )
    held = [sum(gpus for begin, length, gpus in intervals if begin <= at < begin + length - 1) for at in range(300)]
    for capacity in (max(held) - 1, max(held)):
        if capacity >= max(gpus for _, _, gpus in intervals):
            own = list(entries_of(book.ledger.projects["p"]))
            shared = Shared("p.gpus", "P", Figure("p.gpus", "GPUs", key_unit("gpus"), point(capacity), Worked("")), own)
            assert bool(list(more_gpus(shared))) == (capacity < max(held))


# Scale


def many(count: int) -> Callable[[], object]:
    """Judging so many entries, some of them odd in each way, several at one time."""
    book = in_memory([timed_at(number) for number in range(count)])
    return lambda: list(entries.odd_entries(book.ledger.projects["p"], book))


def timed_at(number: int) -> str:
    start = datetime(2025, 2, 1) + timedelta(minutes=7 * number)
    hours = (1, 60, 3600, 8, 20)[number % 5]
    end = start + timedelta(hours=1)
    return f"start: {start:%Y-%m-%dT%H:%M}, end: {end:%Y-%m-%dT%H:%M}, gpus: 8, wall_hours: {hours}, run: r{number % 9}"


@pytest.mark.full
def test_the_work_grows_with_the_entries() -> None:
    assert growth(many, 500) < 2.2
