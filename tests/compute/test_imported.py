# ruff: noqa: E501 (tables read better unbroken)
"""Imported runs among the figures: what is unassigned, what a job says of the work, when its hours were spent."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli.import_summary import describe_across
from reckon.compute.book import Book
from reckon.language.calendar_days import iso
from reckon.language.text import Text
from reckon.model.day_split import by_day, days_of, spread
from reckon.model.records import ImportedFrom, Run
from reckon.present.render.numbers import format_sentence
from tests.work import growth

PROJECT = "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\nseeds: 2\ncontingency: 10%\nprices: [list]\n"
PLAN = """\
one:
  title: One
  items:
    a: {title: A, scope: one-time, gpu_hours: 100}
    b: {title: B, scope: per-seed, gpu_hours: 50}
    many: {title: Many, scope: one-time, gpu_hours: 0, runs: 10}
"""
PRICES = "list: {title: List, as_of: 2025-01-01, usd_per_gpu_hour: {card: 2}}\n"
IMPORTS = (
    "fox: {title: Fox, format: sacct, timezone: UTC, cards: {x: card}, rules: {all: {when: {name: a}, item: a}}}\n"
)
LOCK = "fox: {exports: {abc: '2025-02-20T12:00:00Z'}, rules: '0'}\n"
JOB = "start: '2025-02-03T10:00:00Z', end: '2025-02-03T12:00:00Z', gpu: card, wall_hours: 2"


def job(number: int, fields: str, name: str = "a", rule: str = "all") -> str:
    """An entry as the importer writes it."""
    ruled = f"rule: {rule}, " if rule else ""
    return f"- {{{fields}, job: 'fox/{number}@2025-02-01T00:00:00Z', imported: {{source: fox, {ruled}state: COMPLETED, name: {name}}}}}\n"


def tree(ledger: Any, imported: str = "", typed: str = "", **more: str) -> Any:
    files = {
        "project": PROJECT,
        "plan": PLAN,
        "ledger/catalog/prices.yaml": PRICES,
        "ledger/p/imports.yaml": IMPORTS,
        "ledger/p/imports.lock.yaml": LOCK,
        **more,
    }
    if imported:
        files["ledger/p/runs/import/fox-2025-02.yaml"] = imported
    return ledger(**files, **({"runs": typed} if typed else {}))


def use(found: Book, *addresses: str) -> list[Any]:
    return [found[f"p.{address}"].use for address in addresses]


LOOSE = job(1, f"item: unassigned, unassigned: true, gpus: 15, {JOB}", "odd", "")
TYPED = "- {date: 2025-02-04, item: debug, unplanned: true, gpu_hours: 7}\n"


def test_what_no_rule_assigns_is_spent_and_draws_no_contingency(ledger: Any) -> None:
    """The plan is 100 + 2 × 50, with 10% 220. 15 GPUs × 2 h are unassigned, 7 h unplanned, 10 × 2 h are of A."""
    found = tree(ledger, LOOSE + job(2, f"item: a, gpus: 10, {JOB}"), TYPED).book()
    assert use(found, "actual.unassigned", "actual.unplanned", "plan.a.actual", "actual.total") == [30, 7, 20, 57]
    assert use(found, "actual.base", "budget.final", "budget.remaining") == [57, 220, 163]
    assert use(found, "contingency.drawn", "contingency.left") == [7, 13], "the unplanned hours alone draw"
    assert use(found, "money.actual") == [114], "all at one price"


def test_money_of_unassigned_runs_is_that_of_their_card(ledger: Any) -> None:
    """30 h at $3 on another card are 90, 20 h at $2 are 40, 7 h are 14. Each hour there counts as one here."""
    gpus = "card: {title: Card}\nother: {title: Other, counts_as: {card: 1}}\n"
    prices = PRICES.replace("{card: 2}", "{card: 2, other: 3}")
    entries = LOOSE.replace("gpu: card", "gpu: other") + job(2, f"item: a, gpus: 10, {JOB}")
    found = tree(ledger, entries, TYPED, gpus=gpus, **{"ledger/catalog/prices.yaml": prices}).book()
    assert use(found, "money.unassigned.actual", "money.unplanned.actual", "money.actual", "money.base") == [
        90,
        14,
        144,
        144,
    ]


def test_unassigned_hours_are_in_the_forecast_and_in_the_estimate(ledger: Any) -> None:
    """30 hours more are 30 more at each percentile and at completion: nothing that is to come depends on them."""
    without = tree(ledger, typed=TYPED).book()
    found = tree(ledger, LOOSE, TYPED).book()
    for name in ("forecast.p10", "forecast.p50", "forecast.p90", "performance.eac"):
        before, now = use(without, name) + use(found, name)
        assert float(now - before) == pytest.approx(30), name


def test_energy_of_unassigned_runs_is_in_the_whole(ledger: Any) -> None:
    """30 h at 500 W are 15 kWh, and 20 h of A are 10."""
    gpus = "card: {title: Card, watts: 500}\nother: {title: Other}\n"
    found = tree(ledger, LOOSE + job(2, f"item: a, gpus: 10, {JOB}"), project=f"{PROJECT}pue: 1\n", gpus=gpus).book()
    assert use(found, "energy.unassigned.actual", "energy.actual") == [15, 25]
    assert "p.energy.unplanned.actual" not in found.figures


def test_an_item_of_that_name_is_not_meant(ledger: Any) -> None:
    plan = PLAN + "    unassigned: {title: Its own, scope: one-time, gpu_hours: 1}\n"
    found = tree(ledger, LOOSE, plan=plan).book()
    assert use(found, "plan.unassigned.actual", "actual.unassigned") == [0, 30]


def test_without_imports_there_is_no_such_figure(ledger: Any) -> None:
    found = ledger(project=PROJECT, plan=PLAN, runs=TYPED, **{"ledger/catalog/prices.yaml": PRICES}).book()
    assert not [address for address in found.figures if "unassigned" in address]


HALF = "- {date: 2025-02-02, item: a, gpu_hours: 30, progress: {done: 1, total: 4}}\n- {date: 2025-02-02, item: b, seed: 1, gpu_hours: 50}\n"


@pytest.mark.parametrize(
    "fields", ["status: completed", "status: running", "run: group, status: completed", "status: failed"]
)
@pytest.mark.parametrize("item", ["item: a", "item: b, seed: 1", "item: b", "item: many"])
def test_imported_jobs_leave_the_share_of_work_done_as_it_is(ledger: Any, item: str, fields: str) -> None:
    """A quarter of A is done, and one seed of B: 25 + 50 of the 200 planned hours."""
    names = ("plan.a.complete_share", "plan.b.complete_share", "performance.complete_share")
    before = use(tree(ledger, typed=HALF).book(), *names)
    found = tree(
        ledger, job(1, f"{item}, gpus: 10, {JOB}, {fields}") + job(2, f"{item}, gpus: 10, {JOB}, {fields}"), HALF
    ).book()
    assert before == use(found, *names) == [F(1, 4), F(1, 2), F(75, 200)]
    assert use(found, "actual.total") == [120]


@pytest.mark.parametrize(
    ("finishes", "share"),
    [("never", 0), ("run", F(3, 10)), ("piece", F(3, 10))],
)
def test_each_job_is_a_run_whatever_its_group_is_called(ledger: Any, finishes: str, share: F) -> None:
    """Three jobs of one group, the last of them in two parts: three of the ten runs that the item takes."""
    entries = "".join(job(number, f"item: many, run: group, gpus: 1, {JOB}") for number in (1, 2, 3))
    entries += job(3, f"item: many, run: group, gpus: 2, {JOB}")
    imports = IMPORTS.replace("timezone: UTC", f"timezone: UTC, finishes: {finishes}")
    assert use(tree(ledger, entries, **{"ledger/p/imports.yaml": imports}).book(), "plan.many.complete_share") == [
        share
    ]


def test_the_word_of_the_item_is_that_of_runs_that_people_wrote(ledger: Any) -> None:
    plan = PLAN.replace("gpu_hours: 100}", "gpu_hours: 100, finishes: piece}")
    found = tree(ledger, job(1, f"item: a, gpus: 50, {JOB}"), plan=plan).book()
    share = found["p.plan.a.complete_share"]
    assert share.use is None
    assert "`finishes` of their source" in share.origin.how
    assert "progress-unknown#plan" not in {one.judgement for one in found.findings["p"]}
    typed = tree(
        ledger, job(1, f"item: a, gpus: 50, {JOB}"), "- {date: 2025-02-02, item: a, gpu_hours: 3}\n", plan=plan
    ).book()
    assert use(typed, "plan.a.complete_share") == [1]


def parts(fields: str, hours: F) -> dict[str, F]:
    """Hours of a run by day."""
    moments = {
        name: Text(value) for name, value in (pair.split("=") for pair in fields.split() if not pair.startswith("wall"))
    }
    wall = next((F(pair[5:]) for pair in fields.split() if pair.startswith("wall=")), None)
    run = Run.model_construct(item=Text("a"), gpu_hours=hours, wall_hours=wall, **{"imported": None, **moments})
    found: dict[str, F] = {}
    for days, part in spread(run, hours):
        for day, share in by_day({days: part}).items():
            found[iso(day)] = found.get(iso(day), F(0)) + share
    assert sorted(found) == [iso(day) for day in days_of(run)], "the days of a run are those that have hours"
    return found


@pytest.mark.parametrize(
    ("fields", "hours", "days"),
    [
        ("start=2025-02-03T23:00 end=2025-02-04T02:00", 3, {"02-03": 1, "02-04": 2}),
        ("start=2025-02-03T23:00 wall=3", 3, {"02-03": 1, "02-04": 2}),
        ("start=2025-02-03T12:00 end=2025-02-06T12:00", 36, {"02-03": 6, "02-04": 12, "02-05": 12, "02-06": 6}),
        ("start=2025-02-03T12:00 end=2025-02-04T00:00", 6, {"02-03": 6}),
        ("start=2025-02-03T00:00 end=2025-02-05T00:00", 6, {"02-03": 3, "02-04": 3}),
        ("start=2025-02-03T12:00 end=2025-02-03T12:00", 0, {"02-03": 0}),
        # The clock of Amsterdam, set from +01:00 to +02:00 at 2 o'clock on 30 March: from 22:00 to 4:00 are five hours.
        ("start=2025-03-29T22:00+01:00 end=2025-03-30T04:00+02:00", 5, {"03-29": 2, "03-30": 3}),
        # Begun at 1 o'clock of that day, 22 of its hours are in it.
        ("start=2025-03-30T01:00+01:00 end=2025-03-31T01:00+02:00", 23, {"03-30": 22, "03-31": 1}),
        # And back at 3 o'clock on 26 October: seven hours by the clock are eight.
        ("start=2025-10-25T22:00+02:00 end=2025-10-26T05:00+01:00", 8, {"10-25": 2, "10-26": 6}),
        # A time of day on one side alone, or an offset, says less: evenly.
        ("start=2025-02-03T23:00 end=2025-02-04", 3, {"02-03": F(3, 2), "02-04": F(3, 2)}),
        ("start=2025-02-03T23:00+01:00 end=2025-02-04T02:00", 3, {"02-03": F(3, 2), "02-04": F(3, 2)}),
    ],
)
def test_hours_are_spread_in_real_time(fields: str, hours: int, days: dict[str, Any]) -> None:
    assert parts(fields, F(hours)) == {f"2025-{day}": F(part) for day, part in days.items()}


def test_a_job_that_was_suspended_keeps_the_sum_of_its_hours() -> None:
    """1 h of GPUs in 3 h 0 min 7 s: the first day has 3,600 s of 10,807, which in whole seconds are 1,199 of 3,600."""
    assert parts("start=2025-02-03T23:00:00 end=2025-02-04T02:00:07", F(1)) == {
        "2025-02-03": F(1199, 3600),
        "2025-02-04": F(2401, 3600),
    }


@given(
    st.integers(0, 86399), st.integers(1, 40 * 86400), st.fractions(min_value=0, max_value=10**6, max_denominator=10**6)
)
def test_the_parts_of_a_run_are_its_hours(second: int, length: int, hours: F) -> None:
    end = divmod(second + length, 86400)
    moments = f"start=2025-02-03T{second // 3600:02}:{second % 3600 // 60:02}:{second % 60:02} end={iso(739285 + end[0])}T{end[1] // 3600:02}:{end[1] % 3600 // 60:02}:{end[1] % 60:02}"
    found = parts(moments, hours)
    assert sum(found.values()) == hours
    assert min(found.values()) >= 0


def test_spreading_is_linear_and_keeps_small_denominators() -> None:
    """Thousands of odd times would have no common divisor: a sum over them is a fraction of 3,600 times the days."""

    def added(number: int) -> None:
        spans: dict[range, F] = {}
        for each in range(number):
            start, end = f"2025-02-03T23:{each % 60:02}:00", f"2025-02-04T02:{each * 7 % 60:02}:{each % 60:02}"
            run = Run.model_construct(item=Text("a"), gpu_hours=F(1), start=Text(start), end=Text(end))
            for days, part in spread(run, F(1)):
                spans[days] = spans.get(days, F(0)) + part
        assert all(3600 % whole.denominator == 0 for whole in spans.values())

    assert growth(lambda size: lambda: added(size), 1000) < 2.2


def test_a_job_that_still_runs_counts_from_its_start(ledger: Any) -> None:
    """40 days on 1 GPU from noon of 3 February: 12 h on that day, 25 × 24 in the rest of the month."""
    entry = job(1, "item: a, start: '2025-02-03T12:00:00Z', gpu: card, gpus: 1, wall_hours: 960, status: running")
    found = tree(ledger, entry).book()
    assert use(found, "actual.by_month.2025-02", "actual.by_month.2025-03") == [612, 348]
    assert found.findings["p"][-1].rule != "run-hours-doubtful#unit"


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(
            "".join(job(number, f"item: a, run: array, gpus: 1, {JOB}") for number in range(1, 9)),
            id="an array of equal jobs",
        ),
        pytest.param(job(1, f"item: a, gpus: 1, {JOB}") + job(1, f"item: b, gpus: 1, {JOB}"), id="a job on two items"),
        pytest.param(
            job(1, f"item: a, gpus: 1, {JOB}") + job(1, f"item: a, gpus: 1, {JOB}".replace("gpu: card", "gpu: other")),
            id="a job on two cards",
        ),
        pytest.param(
            job(1, f"item: a, gpus: 64, {JOB}".replace("T12:00", "T10:00").replace("hours: 2", "hours: 0")),
            id="no time",
        ),
        pytest.param(
            job(1, "item: a, start: '2025-02-03T10:00:00Z', gpu: card, gpus: 4, wall_hours: 900, status: running"),
            id="running",
        ),
        pytest.param(
            job(1, "item: a, date: 2025-02-03, gpu: card, gpus: 1, wall_hours: 90"), id="known by its submit alone"
        ),
        pytest.param(
            job(
                1,
                "item: a, start: '2025-02-03T10:00:00Z', end: '2025-02-13T10:00:00Z', gpu: card, gpus: 1, wall_hours: 2",
            ),
            id="suspended",
        ),
    ],
)
def test_no_rule_about_entries_finds_an_imported_job_odd(ledger: Any, entries: str) -> None:
    gpus = "card: {title: Card, vram_gib: 40}\nother: {title: Other, counts_as: {card: 1}}\n"
    project = f"{PROJECT}gpus: 64\n"
    plan = PLAN.replace("gpu_hours: 100}", "gpu_hours: 1}").replace("gpu_hours: 50}", "gpu_hours: 1}")
    found = tree(ledger, entries, project=project, plan=plan, gpus=gpus).findings()
    assert [one for one in found if ".runs" in one or one.endswith("p.gpus")] == []


def test_an_imported_job_that_a_person_wrote_too_is_told(ledger: Any) -> None:
    typed = "- {start: '2025-02-03T10:00:00Z', end: '2025-02-03T12:00:00Z', item: a, gpus: 1, wall_hours: 2}\n"
    found = tree(ledger, job(1, f"item: a, gpus: 1, {JOB}"), typed).findings()
    assert any("run-entered-twice" in one for one in found)


def test_a_job_longer_than_its_times_is_corrected_at_its_source(ledger: Any) -> None:
    found = tree(ledger, job(1, f"item: a, gpus: 1, {JOB}".replace("hours: 2", "hours: 7"))).book()
    longer = next(one for one in found.findings["p"] if one.judgement == "run-hours-doubtful#long")
    assert "imports.yaml" in format_sentence(longer.remedy)


def test_runs_that_no_rule_assigns_are_a_finding_with_the_names_that_took_most(ledger: Any) -> None:
    entries = "".join(
        job(number, f"item: unassigned, unassigned: true, gpus: {number}, {JOB}", f"n{number}", "")
        for number in range(1, 8)
    )
    (found,) = (one for one in tree(ledger, entries).book().findings["p"] if one.rule == "unassigned")
    assert found.severity == "warning"
    assert (
        format_sentence(found.arithmetic)
        == "7 jobs with 56 GPU-h: `n7` 14 GPU-h, `n6` 12 GPU-h, `n5` 10 GPU-h, `n4` 8 GPU-h, `n3` 6 GPU-h and 2 more"
    )
    assert "--with fox" in format_sentence(found.remedy)


ASIDE = """\
fox:
  exports: {abc: '2025-02-20T12:00:00Z'}
  rules: '0'
  partitions: [gpu]
  aside:
    - {job: fox/1, why: no-gpus, wall_seconds: 7200, nodes: 2, state: COMPLETED, partition: gpu}
    - {job: fox/2, why: no-gpus, wall_seconds: 1800, state: COMPLETED, partition: mig}
    - {job: fox/3, why: no-gpus, wall_seconds: 3600, state: COMPLETED, partition: cpu}
    - {job: fox/4, why: ignored, rule: all, wall_seconds: 3600, state: COMPLETED, partition: gpu, gpus: a100=2}
"""
MIG = "fox: {title: Fox, format: sacct, timezone: UTC, cards: {x: card}, gpus: {mig: {when: {partition: mig}, if: untyped, share: 1/7, card: card}%s}}\n"


def test_jobs_without_gpus_where_others_have_some_are_a_finding(ledger: Any) -> None:
    """2 nodes × 2 h on a partition on which another job has a GPU, half an hour on one that a rule names; the CPU job is none."""
    files = {"ledger/p/imports.lock.yaml": ASIDE, "ledger/p/imports.yaml": MIG % ""}
    (found,) = (one for one in tree(ledger, **files).book().findings["p"] if one.rule == "jobs-without-gpus")
    assert (
        format_sentence(found.arithmetic)
        == "2 jobs with 4.5 node-hours are not counted: `gpu` 4 node-hours, `mig` 0.5 node-hours"
    )


def test_a_rule_says_that_such_jobs_had_none(ledger: Any) -> None:
    rule = ", none: {when: {partition: gpu|mig}, if: unstated, count: 0, card: card}"
    files = {"ledger/p/imports.lock.yaml": ASIDE, "ledger/p/imports.yaml": MIG % rule}
    assert "jobs-without-gpus" not in {one.rule for one in tree(ledger, **files).book().findings["p"]}


def test_what_an_entry_keeps_of_its_job_has_no_user() -> None:
    assert "user" not in ImportedFrom.model_fields


# What other sources add to the jobs of a cluster: entries without hours, joined by cluster and id.
ADDING = IMPORTS + (
    "meter: {format: csv, counts: energy, cluster: fox, columns: {Id: job, Used: energy_kwh}}\n"
    "other: {format: csv, counts: energy, cluster: fox, columns: {Id: job, Used: energy_kwh}}\n"
    "runs: {format: csv, counts: progress, cluster: fox, columns: {Id: job, D: done, T: total}}\n"
)


def added(number: int, source: str, what: str, to: str = "fox/1", item: str = "a", fields: str = "") -> str:
    """An entry without hours, as the importer writes it."""
    adds = {"meter": "energy", "other": "energy", "runs": "progress"}[source]
    to = f"adds_to: '{to}', " if to else ""
    return (
        f"- {{end: '2025-02-0{number}T12:00:00Z', item: {item}, {fields}adds: {adds}, {to}job: {source}/{number}, "
        f"imported: {{source: {source}, state: COMPLETED, {what}}}}}\n"
    )


def with_added(ledger: Any, imported: str, extra: str) -> Book:
    more = {"ledger/p/imports.yaml": ADDING, "ledger/p/runs/import/more-2025-02.yaml": extra}
    found: Book = tree(ledger, imported, **more).book()
    return found


def test_progress_of_a_tracker_is_that_of_the_job_and_alone_it_counts_too(ledger: Any) -> None:
    """2 GPU-h of A, of which the latest entry says 40%; of B, seed 2, one without a job says 3 of 4."""
    own = job(1, f"item: a, gpus: 1, {JOB}")
    extra = added(2, "runs", "done: 1, total: 10") + added(3, "runs", "done: 4, total: 10")
    found = with_added(ledger, own, extra + added(4, "runs", "done: 3, total: 4", "", "b", "seed: 2, "))
    assert use(found, "plan.a.complete_share", "plan.b.seeds.2.complete_share") == [F(2, 5), F(3, 4)]
    assert use(found, "plan.b.seeds.1.complete_share", "actual.total", "plan.b.actual") == [0, 2, 0]
    assert found["p.actual.total"].origin.count == 1  # type: ignore[union-attr]
    assert "p.actual.by_status.failed" not in found.figures


def test_an_entry_without_hours_is_no_attempt_and_loses_nothing(ledger: Any) -> None:
    """A failed job of 2 h is one loss; what a tracker says of it makes none, and 40% of 100 h is no waste of 2 h."""
    own = job(1, f"item: a, gpus: 1, status: failed, {JOB}")
    alone = with_added(ledger, own, added(2, "runs", "done: 4, total: 10", "fox/9"))
    assert use(alone, "forecast.losses_seen", "actual.waste", "plan.a.complete_share") == [1, 2, F(2, 5)]
    joined = with_added(ledger, own, added(2, "runs", "done: 4, total: 10"))
    assert use(joined, "forecast.lost", "plan.a.complete_share") == [0, F(2, 5)]


def test_energy_of_several_entries_is_added_up_and_of_several_sources_the_first_counts(ledger: Any) -> None:
    """Job 1 in two halves: 3 + 1 kWh of the first source, shared 1 to 3 by hours; 9 kWh of the second are the same."""
    own = job(1, f"item: a, gpus: 1, {JOB}") + job(1, f"item: b, seed: 1, gpus: 3, {JOB}")
    extra = added(1, "meter", "energy_kwh: 3") + added(2, "meter", "energy_kwh: 1") + added(3, "other", "energy_kwh: 9")
    found = with_added(ledger, own, extra + added(4, "meter", "energy_kwh: 0.5", ""))
    assert use(found, "actual.energy") == [F(9, 2)]
    energy = {str(run.item): run.energy_kwh for file in found.ledger.projects["p"].runs for run in file.runs}
    assert energy == {"a": 1, "b": 3}
    assert [str(run.job) for file in found.ledger.projects["p"].additions for run in file.runs] == ["meter/4"]


def test_energy_of_a_facility_is_not_added_to_that_of_machines(ledger: Any) -> None:
    own = job(1, f"item: a, gpus: 1, {JOB}")
    extra = added(1, "meter", "energy_kwh: 3") + added(2, "meter", "energy_kwh: 2, facility: true")
    found = with_added(ledger, own, extra)
    (run,) = (run for file in found.ledger.projects["p"].runs for run in file.runs)
    assert (run.energy_kwh, run.energy_of) == (3, None)
    assert use(found, "actual.energy") == [5]


def test_a_job_is_named_exactly(ledger: Any) -> None:
    """Another cluster, another time of submission, or an id that only begins alike is another job."""
    own = job(1, f"item: a, gpus: 1, {JOB}") + job(11, f"item: a, gpus: 1, {JOB}")
    names = ("sif/1", "fox/1@2025-02-02T00:00:00Z", "fox/111", "fox/1@2025-02-01T00:00:00Z", "fox/11")
    extra = "".join(added(number, "meter", "energy_kwh: 1", name) for number, name in enumerate(names, 1))
    found = with_added(ledger, own, extra)
    alone = [str(run.adds_to) for file in found.ledger.projects["p"].additions for run in file.runs]
    assert alone == list(names[:3])
    assert [finding.rule for finding in found.findings["p"] if finding.rule == "additions-without-job"]


@pytest.mark.parametrize(
    ("project", "source", "told"),
    [
        (
            "began: 2025-02-10\n",
            "fox",
            [
                "12 jobs with 10 GPU-h were counted together before and after 2025-02-10, on which the project begins: their hours are spread evenly over the days. Recount them: `budget import p --reapply --with fox`."
            ],
        ),
        ("began: 2025-02-10\n", "owl", []),
        ("began: 2025-02-08\n", "fox", []),  # the first of these days
        ("", "fox", []),
    ],
)
def test_an_import_tells_what_is_counted_together_over_a_day(
    ledger: Any, project: str, source: str, told: list[str]
) -> None:
    entry = (
        "- {start: 2025-02-08, end: 2025-02-12, item: a, gpu: card, gpu_hours: 36000 GPU-s, status: completed, "
        "jobs: 12, imported: {source: fox, rule: all, state: COMPLETED}}\n"
    )
    book = tree(ledger, entry, project=PROJECT + project).book()
    assert list(describe_across(book.ledger, book.projects["p"], source)) == told
