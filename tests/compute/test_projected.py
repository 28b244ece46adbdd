"""Projections: counts, scaling, speed-ups and costs by hand, and what they are refused without."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence
from tests.small import plant
from tests.trying import examples

CATALOG = {
    "gpus": "card: {title: Card, vram_gib: 80}\nother: {title: Other}\n",
    "models": "small: {title: Small, parameters: 2B}\nlarge: {title: Large, parameters: 8B}\nvague: {title: Vague}\n",
    "ledger/catalog/devices.yaml": "cpu: {title: CPU}\n",
    "ledger/catalog/providers.yaml": "cloud: {title: Cloud}\n",
    "ledger/catalog/prices.yaml": """\
hourly: {provider: cloud, usd_per_gpu_hour: {card: 2}}
whole: {provider: cloud, usd_per_gpu_hour: {card: 1-2}, minimum_hours: 1}
monthly: {provider: cloud, usd_per_month: {card: 50}}
elsewhere: {provider: cloud, usd_per_gpu_hour: {other: 1}}
""",
    "measurements": """\
cpu: {title: CPU, kind: measured, device: cpu, model: small, seconds_per_step: 3600}
gpu: {title: GPU, kind: estimated, device: card, gpus: 1, model: small, seconds_per_step: 3-5}
pair: {title: Pair, kind: measured, device: card, gpus: 2, seconds_per_step: 2}
bare: {title: Bare, kind: measured, seconds_per_step: 2}
rows:
  {title: Rows, kind: measured, rows: [{a_seconds: 10}, {a_seconds: 13}, {a_seconds: 14}], total: [a_seconds]}
none: {title: None, kind: measured, gpus: 1}
""",
}


def book(ledger: Any, *fields: str, **more: str) -> Any:
    text = "".join(f"{name}: {{{one}}}\n" for name, one in zip("qrst", fields, strict=False))
    return ledger(**{**CATALOG, **more}, projections=text).book()


def use(found: Any, address: str) -> Fraction | None:
    value: Fraction | None = found[f"p.projections.{address}"].use
    return value


# --- counts


def test_steps_come_from_tasks_rollouts_steps_and_epochs(ledger: Any) -> None:
    found = book(ledger, "measurements: [cpu], tasks: 8, rollouts_per_task: 2, steps_per_rollout: 10, epochs: 5")
    assert [use(found, f"q.{key}") for key in ("steps_per_task", "steps_per_epoch", "steps")] == [20, 160, 800]
    assert [use(found, f"q.cpu.hours{per}") for per in ("_per_task", "_per_epoch", "")] == [20, 160, 800]
    assert found.get("p.projections.q.batched_steps") is None


def test_without_rollouts_and_epochs_there_is_one_of_each(ledger: Any) -> None:
    found = book(ledger, "measurements: [cpu], tasks: 8, steps_per_rollout: 10")
    assert use(found, "q.steps") == 80
    assert use(found, "q.epochs") == use(found, "q.rollouts_per_task") == 1
    assert found["p.projections.q.epochs"].origin.how == "one, as none is stated"


@pytest.mark.parametrize(
    ("environments", "calls"), [(256, 40), (1024, 10), (1000, 20), (2000, 10), (1, 10240), (3, 3420)]
)
def test_environments_take_a_step_together(ledger: Any, environments: int, calls: int) -> None:
    """128 tasks x 8 rollouts in batches, the last of which may be smaller, x 10 steps."""
    found = book(
        ledger,
        "measurements: [cpu, gpu], tasks: 128, rollouts_per_task: 8, steps_per_rollout: 10, "
        f"epochs: 15, parallel_environments: {environments}",
    )
    assert use(found, "q.batched_steps_per_epoch") == calls
    assert use(found, "q.batched_steps") == 15 * calls
    assert use(found, "q.steps") == 153_600
    assert use(found, "q.gpu.hours_per_epoch") == Fraction(4 * calls, 3600)
    assert use(found, "q.gpu.hours") == Fraction(4 * 15 * calls, 3600)
    assert found.get("p.projections.q.gpu.hours_per_task") is None


def test_a_range_of_counts_is_a_range_of_times(ledger: Any) -> None:
    value = book(ledger, "measurements: [cpu], tasks: 8-10, steps_per_rollout: 10-15")[
        "p.projections.q.cpu.hours"
    ].value
    assert (value.low, value.high) == (80, 150)


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ("tasks: 8", "steps_per_rollout"),
        ("steps_per_rollout: 10", "tasks"),
        ("epochs: 5", "steps"),
    ],
)
def test_a_missing_count_is_named(ledger: Any, fields: str, missing: str) -> None:
    found = book(ledger, f"measurements: [cpu], {fields}")
    assert found["p.projections.q.cpu.hours"].missing == (f"p.projections.q.{missing}",)


# --- bases


def test_a_base_gives_what_the_projection_does_not(ledger: Any) -> None:
    found = book(
        ledger,
        "title: Small, measurements: [cpu, gpu], tasks: 8, steps_per_rollout: 10, epochs: 5, multiplier: 2x",
        "base: q, tasks: 16",
        "base: r, measurements: [gpu], epochs: 1, multiplier: 3x",
    )
    assert [use(found, f"{one}.steps") for one in "qrs"] == [400, 800, 160]
    assert [use(found, f"{one}.gpu.seconds_per_step") for one in "qrs"] == [8, 8, 12]
    assert found.get("p.projections.s.cpu.hours") is None


def test_the_nearest_counts_go_first(ledger: Any) -> None:
    """Counts that stand nearer than the steps of a base are not passed over for those."""
    fields = ("base: q, tasks: 3, steps_per_rollout: 4", "base: r, steps: 7", "base: q, epochs: 2")
    found = book(ledger, "measurements: [cpu], steps: 400", *fields)
    assert [use(found, f"{one}.cpu.hours") for one in "qrs"] == [400, 12, 7]
    assert found["p.projections.t.cpu.hours"].missing == ("p.projections.t.tasks",)


# --- several GPUs, other models


def test_several_gpus_share_the_time_at_an_efficiency(ledger: Any) -> None:
    """4 s on one GPU are 4 / (8 x 0.8) on eight; GPU-hours rise by 1 / 0.8."""
    found = book(ledger, "measurements: [gpu], steps: 3600, gpus: 8, efficiency: 80%")
    assert use(found, "q.gpu.seconds_per_step") == Fraction(5, 8)
    assert use(found, "q.gpu.hours") == Fraction(5, 8)
    assert use(found, "q.gpu.gpu_hours") == 5


def test_fewer_gpus_do_not_lose_the_efficiency_of_many(ledger: Any) -> None:
    """2 s on two GPUs that reach 80% of twice the speed are 2 x 2 x 0.8 = 3.2 s on one, not 5."""
    found = book(ledger, "measurements: [pair], steps: 3600, gpus: 1, efficiency: 80%")
    assert use(found, "q.pair.seconds_per_step") == Fraction(16, 5)
    assert use(found, "q.pair.gpu_hours") == Fraction(16, 5)


def test_without_an_efficiency_it_is_refused_by_name(ledger: Any) -> None:
    found = book(ledger, "measurements: [gpu], steps: 3600, gpus: 8, prices: [hourly]")
    for key in ("seconds_per_step", "hours", "gpu_hours", "costs.hourly.usd", "usd"):
        assert found[f"p.projections.q.gpu.{key}"].missing == ("p.projections.q.efficiency",), key


def test_the_gpus_it_was_measured_on_need_none(ledger: Any) -> None:
    found = book(ledger, "measurements: [pair], steps: 3600, gpus: 2", "measurements: [pair], steps: 3600")
    assert use(found, "q.pair.hours") == use(found, "r.pair.hours") == 2
    assert use(found, "q.pair.gpu_hours") == use(found, "r.pair.gpu_hours") == 4


def test_gpus_without_those_measured_on_are_named(ledger: Any) -> None:
    found = book(ledger, "measurements: [bare], steps: 10, gpus: 8, efficiency: 90%")
    assert found["p.projections.q.bare.hours"].missing == ("p.measurements.bare.gpus",)


def test_a_larger_model_takes_longer_by_its_exponent(ledger: Any) -> None:
    """Four times the parameters: twice the time at an exponent of 0.5, four times at 1."""
    value = book(ledger, "measurements: [gpu], steps: 1, model: large, exponent: 0.5-1")[
        "p.projections.q.gpu.seconds_per_step"
    ].value
    assert (value.low, value.high) == (6, 20)
    assert round(float(value.use), 9) == round(4 * 4**0.75, 9)


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        ("measurements: [gpu], model: large", ("p.projections.q.exponent",)),
        ("measurements: [gpu], model: vague, exponent: 1", ("catalog.models.vague.parameters",)),
        ("measurements: [bare], model: large, exponent: 1", ("p.measurements.bare.model",)),
        ("measurements: [gpu], model: large, gpus: 2", ("p.projections.q.exponent", "p.projections.q.efficiency")),
        ("measurements: [none]", ("p.measurements.none.seconds_per_step",)),
        ("measurements: [gpu], multiplier: unknown", ("p.projections.q.multiplier",)),
    ],
)
def test_every_input_that_is_missing_is_named(ledger: Any, fields: str, missing: tuple[str, ...]) -> None:
    assert (
        book(ledger, f"{fields}, steps: 10")["p.projections.q.{}.hours".format(fields[15:].split("]")[0])].missing
        == missing
    )


def test_the_measured_model_needs_no_exponent(ledger: Any) -> None:
    assert use(book(ledger, "measurements: [gpu], steps: 900, model: small"), "q.gpu.hours") == 1


# --- speed-up and spread


def test_a_speed_up_is_one_ratio_of_unrounded_means(ledger: Any) -> None:
    """37 / 3 s over 4 s; the total times have the same ratio."""
    found = book(ledger, "measurements: [rows, gpu], steps: 7")
    assert use(found, "q.rows.seconds_per_step") == Fraction(37, 3)
    assert use(found, "q.gpu.speedup") == Fraction(37, 12)
    assert use(found, "q.rows.hours") == use(found, "q.gpu.hours") * Fraction(37, 12)
    assert found.get("p.projections.q.rows.speedup") is None


def test_the_spread_of_the_rows_goes_on_into_the_projection(ledger: Any) -> None:
    """Deviation 2.0817, standard error 1.2019, times t(2) = 4.302653: 5.1711 on each side of 12.3333."""
    found = book(ledger, "measurements: [rows, gpu], steps: 3600")
    value = found["p.projections.q.rows.hours"].value
    assert [round(float(end), 3) for end in (value.low, value.use, value.high)] == [7.162, 12.333, 17.504]
    ratio = found["p.projections.q.gpu.speedup"].value
    assert (ratio.low, ratio.high) == (value.low / 5, value.high / 3)


def test_what_scales_both_times_does_not_widen_their_ratio(ledger: Any) -> None:
    """The exponent is one input: it moves both times together."""
    found = book(ledger, "measurements: [cpu, gpu], steps: 1, model: large, exponent: 0.5-1")
    value = found["p.projections.q.gpu.speedup"].value
    assert [round(float(end), 9) for end in (value.low, value.use, value.high)] == [720, 900, 1200]


def test_a_time_that_may_be_zero_has_no_speed_up(ledger: Any) -> None:
    rows = "m: {title: M, kind: measured, rows: [{a_seconds: 0}, {a_seconds: 10}], total: [a_seconds]}\n"
    found = book(ledger, "measurements: [cpu, m], steps: 10", measurements=CATALOG["measurements"] + rows)
    assert found["p.projections.q.m.speedup"].missing == ("p.projections.q.m.seconds_per_step",)
    assert use(found, "q.m.hours") == Fraction(50, 3600)


# --- costs


def test_a_cost_is_hours_times_gpus_times_price(ledger: Any) -> None:
    found = book(ledger, "measurements: [gpu], steps: 3600, gpus: 2, efficiency: 100%, prices: [hourly]")
    assert use(found, "q.gpu.hours") == 2
    assert use(found, "q.gpu.costs.hourly.usd") == 8


@pytest.mark.parametrize(("steps", "billed", "usd"), [(90, 1, "1.5"), (3600, 4, "6")])
def test_the_least_that_is_billed_counts(ledger: Any, steps: int, billed: int, usd: str) -> None:
    found = book(ledger, f"measurements: [gpu], steps: {steps}, prices: [whole]")
    assert use(found, "q.gpu.costs.whole.billed_hours") == billed
    assert use(found, "q.gpu.costs.whole.usd") == Fraction(usd)


def test_a_subscription_stays_a_price_of_a_month(ledger: Any) -> None:
    found = book(ledger, "measurements: [gpu], steps: 3600, prices: [monthly, hourly]")
    assert use(found, "q.gpu.costs.monthly.usd_per_month") == 50
    assert found.get("p.projections.q.gpu.costs.monthly.usd") is None
    assert use(found, "q.gpu.usd") == 8


def test_a_list_without_the_card_has_no_cost_and_the_others_have(ledger: Any) -> None:
    found = book(ledger, "measurements: [gpu], steps: 3600, prices: [hourly, elsewhere]")
    assert found.get("p.projections.q.gpu.costs.elsewhere.usd") is None
    assert use(found, "q.gpu.usd") == 8
    assert found.words["p.projections.q.gpu.cheapest"].id == "hourly"


def test_a_stated_price_list_that_is_not_the_cheapest_is_told_with_the_costs_of_both(ledger: Any) -> None:
    """3–5 h at $2 are $6–10, at $1–2 they are $3–10."""
    claims = "- {of: projections.q.gpu.cheapest, states: hourly, at: Page 1}\n"
    prices = CATALOG["ledger/catalog/prices.yaml"].replace("hourly: {", "hourly: {title: Hourly, ")
    more = {"claims": claims, "ledger/catalog/prices.yaml": prices.replace("whole: {", "whole: {title: Whole, ")}
    found = book(ledger, "measurements: [gpu], steps: 3600, prices: [hourly, whole]", **more)
    (finding,) = found.findings["p"]
    told = format_sentence(finding.arithmetic)
    assert (
        told == "stated Hourly (Page 1), calculated Whole: the run costs $6.00–10.00 at Hourly; the run costs "
        "$3.00–10.00 at Whole"
    )


def test_what_is_wrong_of_one_projection_is_told_under_its_name(ledger: Any) -> None:
    """Ten steps take 10 h on the CPU, and less than a minute on the GPU."""
    rows = (("cpu", "25"), ("gpu", "31"))
    claims = "".join(f"- {{of: projections.q.{name}.hours, states: {hours}, at: Table 1}}\n" for name, hours in rows)
    found = book(ledger, "measurements: [cpu, gpu], steps: 10, title: Query", claims=claims)
    (group,) = by_cause(found.findings["p"])
    told = "Query, wall-clock time: 2 stated figures in “Table 1” are up to 2,800 times too high"
    assert format_sentence(group.title) == told


def test_the_span_goes_from_the_least_to_the_most(ledger: Any) -> None:
    """3–5 h at $2 are $6–10, at $1–2 they are $3–10; the cheapest plans with 4 h at $1.50."""
    value = book(ledger, "measurements: [gpu], steps: 3600, prices: [hourly, whole]")["p.projections.q.gpu.usd"].value
    assert (value.low, value.use, value.high) == (3, 6, 10)


def test_listed_prices_are_a_range_that_can_be_calculated_with(ledger: Any) -> None:
    """$2, and $1–2 with $1.50 to plan with, are $1–2: ten hours cost $10–20, and $15 by the cheapest list."""
    figures = "ten: {title: Ten hours, usd: {formula: ten_hours * count_gpus * price, ten_hours: 10, count_gpus: 1}}\n"
    figures = figures.replace("price", "projections.q.gpu.usd_per_gpu_hour")
    found = book(ledger, "measurements: [gpu], steps: 3600, prices: [hourly, whole, monthly]", figures=figures)
    value = found["p.projections.q.gpu.usd_per_gpu_hour"].value
    assert (value.low, value.use, value.high) == (1, Fraction("1.5"), 2)
    value = found["p.figures.ten"].value
    assert (value.low, value.use, value.high) == (10, 15, 20)


def test_what_is_no_card_has_no_cost(ledger: Any) -> None:
    assert not [
        one for one in book(ledger, "measurements: [cpu], steps: 10, prices: [hourly]").figures if ".costs." in one
    ]


# --- properties

counts = st.integers(min_value=1, max_value=50)
FEW = settings(max_examples=examples(25))


def reckoned(fields: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        files = {
            "ledger/catalog/gpus.yaml": CATALOG["gpus"],
            "ledger/catalog/models.yaml": CATALOG["models"],
            "ledger/catalog/devices.yaml": CATALOG["ledger/catalog/devices.yaml"],
            "ledger/p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n",
            "ledger/p/measurements.yaml": CATALOG["measurements"],
            "ledger/p/projections.yaml": f"q: {{measurements: [rows, gpu], {fields}}}\n",
        }
        read, problems = load(plant(Path(folder), files))
    found, more = calculate(read)
    assert not problems + more
    return found


@FEW
@given(counts, counts, counts, counts, st.integers(min_value=0, max_value=3), counts)
def test_the_total_grows_with_each_count_alone(t: int, r: int, s: int, e: int, which: int, factor: int) -> None:
    names = ("tasks", "rollouts_per_task", "steps_per_rollout", "epochs")
    some = [t, r, s, e]
    more = [one * factor if at == which else one for at, one in enumerate(some)]
    one, other = (
        reckoned(", ".join(f"{name}: {many}" for name, many in zip(names, many_, strict=True)))
        for many_ in (some, more)
    )
    for address in ("rows.hours", "gpu.hours", "gpu.gpu_hours", "steps"):
        before, after = (book[f"p.projections.q.{address}"].value for book in (one, other))
        assert (after.low, after.use, after.high) == (before.low * factor, before.use * factor, before.high * factor)
    assert one["p.projections.q.gpu.speedup"].value == other["p.projections.q.gpu.speedup"].value


@FEW
@given(counts, counts, st.integers(min_value=1, max_value=500))
def test_batches_are_never_more_than_steps_nor_fewer_than_their_share(tasks: int, rollouts: int, many: int) -> None:
    found = reckoned(
        f"tasks: {tasks}, rollouts_per_task: {rollouts}, steps_per_rollout: 10, parallel_environments: {many}"
    )
    steps, calls = use(found, "q.steps"), use(found, "q.batched_steps")
    assert steps is not None
    assert calls is not None
    assert steps / many <= calls <= steps
    assert calls < steps / many + 10


@FEW
@given(counts, st.fractions(min_value=Fraction(1, 10), max_value=10, max_denominator=10))
def test_speed_up_times_time_is_the_time_of_the_first(tasks: int, multiplier: Fraction) -> None:
    found = reckoned(f"tasks: {tasks}, steps_per_rollout: 3, multiplier: {float(multiplier)}x")
    first, second, ratio = (use(found, f"q.{one}") for one in ("rows.hours", "gpu.hours", "gpu.speedup"))
    assert second is not None
    assert ratio is not None
    assert first == second * ratio
