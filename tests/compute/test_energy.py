"""Energy and emissions beside hours: which figure counts, how they add up, and published tables that come out."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.model.figure import Figure, Tallied
from reckon.present.terminal.derivation import runs_of
from tests.trying import examples

GPUS = """\
card: {title: Card, watts: 400}
other: {title: Other, watts: 450, counts_as: {card: 0.5}}
dark: {title: Dark, counts_as: {card: 1}}
"""
GRIDS = """\
home: {title: Home, co2e_grams_per_kwh: 250}
away: {title: Away, co2e_grams_per_kwh: 0.1 kg/kWh}
"""
FACILITIES = "hall: {title: Hall, pue: 1.5}\n"
PLAN = """\
one:
  title: One
  items:
    train: {title: Train, scope: one-time, gpu_hours: 1000}
    evaluate: {title: Evaluate, scope: one-time, gpu: other, gpu_hours: 100, watts: 300}
"""
RUNS = """\
- {item: train, gpu_hours: 200, progress: {done: 2, total: 10}}
- {item: train, attempt: 2, gpu_hours: 100, energy_kwh: 30, progress: {done: 3, total: 10}}
- {item: train, attempt: 3, gpu_hours: 50, energy_kwh: 20, energy_of: facility, progress: {done: 7, total: 20}}
- {item: evaluate, gpu_hours: 10, progress: {done: 1, total: 10}}
"""


def tree(ledger: Any, project: str = "grid: home\npue: 1.2\n", runs: str = RUNS, **more: str) -> Any:
    texts = {
        "gpus": GPUS,
        "ledger/catalog/grids.yaml": GRIDS,
        "ledger/catalog/facilities.yaml": FACILITIES,
        "plan": PLAN,
        "project": f"contingency: 10%\n{project}",
        "runs": runs,
    }
    return ledger(**{**texts, **more})


def uses(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


def ends(figure: Figure) -> tuple[object, object, object]:
    return figure.value.low, figure.value.use, figure.value.high


def test_the_plan_by_hand(ledger: Any) -> None:
    """1000 x 0.4 kW x 1.2 = 480 kWh and 100 x 0.3 kW x 1.2 = 36; a tenth of both; and 0.25 kg of each kWh."""
    found = tree(ledger, runs="").book()
    assert uses(found, "plan.train.energy.planned", "plan.evaluate.energy.planned") == [480, 36]
    assert uses(found, "energy.subtotal", "energy.contingency", "energy.final") == [516, F("51.6"), F("567.6")]
    assert uses(found, "carbon.final", "phases.one.carbon.planned") == [F("141.9"), 129]
    assert uses(found, "energy.actual", "carbon.actual", "energy.remaining") == [0, 0, F("567.6")]


@pytest.mark.parametrize("states", ["pue: 1.2\n", "grid: home\n", "grid: home\npue: hall\n"])
def test_a_project_without_a_plan_has_used_no_energy(ledger: Any, states: str) -> None:
    keys = ["energy.actual", *(["carbon.actual"] if "grid" in states else [])]
    assert uses(tree(ledger, states, "", plan="").book(), *keys) == [0] * len(keys)


def test_the_runs_by_hand(ledger: Any) -> None:
    """200 x 0.4 x 1.2 = 96, 30 x 1.2 = 36 as measured, 20 as measured with the PUE in it, and 10 x 0.3 x 1.2 = 3.6."""
    found = tree(ledger).book()
    assert uses(found, "plan.train.energy.actual", "plan.evaluate.energy.actual") == [152, F("3.6")]
    assert uses(found, "energy.actual", "energy.remaining") == [F("155.6"), 412]
    assert uses(found, "carbon.actual", "carbon.remaining") == [F("38.9"), 103]
    assert uses(found, "energy.measured", "energy.measured_share") == [56, F(560, 1556)]
    assert uses(found, "actual.energy") == [50], "what runs state, as before"


def test_what_is_reported_counts_and_was_not_measured(ledger: Any) -> None:
    """Of the 56 kWh that runs state, the 20 are out of a paper: sums stay, and 36 were measured."""
    bare = ledger(runs="- {item: x, unplanned: true, gpu_hours: 9, energy_kwh: 3, kind: reported}\n").book()
    assert "p.energy.actual" not in bare.figures, "that alone asks for no energy"
    reported = RUNS.replace("energy_of: facility", "energy_of: facility, kind: reported")
    found = tree(ledger, runs=reported).book()
    assert uses(found, "energy.actual", "carbon.actual", "actual.energy") == [F("155.6"), F("38.9"), 50]
    assert uses(found, "energy.measured", "energy.reported") == [36, 20]
    assert uses(found, "energy.reported_share") == [F(200, 1556)]
    own = RUNS.replace("energy_of: facility", "energy_of: facility, kind: measured")
    assert uses(tree(ledger, runs=own).book(), "energy.measured") == [56]


def test_what_a_run_states_of_power_pue_and_grid_counts_before_its_project(ledger: Any) -> None:
    """10 h each: at 350 W; at PUE 1.5 of the hall; at PUE 2 on the grid away; an unplanned one on the other card."""
    runs = """\
- {item: train, gpu_hours: 10, watts: 350}
- {item: train, gpu_hours: 10, pue: hall}
- {item: train, gpu_hours: 10, pue: 2, grid: away}
- {item: debug, unplanned: true, gpu: other, gpu_hours: 10}
"""
    found = tree(ledger, runs=runs).book()
    energies = [F("4.2"), 6, 8, F("5.4")]
    assert uses(found, "plan.train.energy.actual", "energy.unplanned.actual") == [sum(energies[:3]), F("5.4")]
    assert uses(found, "energy.actual", "energy.base") == [sum(energies), sum(energies)]
    assert uses(found, "carbon.actual") == [(F("4.2") + 6 + F("5.4")) / 4 + F("0.8")]


def test_an_item_says_the_power_of_its_own_card_alone(ledger: Any) -> None:
    """The item draws 300 W on its card; run on the project's card it draws what that draws."""
    runs = "- {item: evaluate, gpu_hours: 10}\n- {item: evaluate, gpu: card, gpu_hours: 10}\n"
    assert uses(tree(ledger, runs=runs).book(), "plan.evaluate.energy.actual") == [F("3.6") + F("4.8")]


def test_hours_count_on_the_card_that_ran(ledger: Any) -> None:
    """10 h on the other card are 10 x 0.45 kW, however many hours of the project's card they count as."""
    found = tree(ledger, "pue: 1\n", "- {item: train, gpu: other, gpu_hours: 10}\n").book()
    assert uses(found, "energy.actual", "actual.total") == [F("4.5"), 5]


def test_a_share_of_the_power_of_the_board_is_a_range(ledger: Any) -> None:
    """60 to 100% of 400 W; what an item states is not a board's and stays. An input that is in two figures is one."""
    found = tree(ledger, "pue: 1\npower_share: 60-100%\n", "- {item: train, gpu_hours: 100}\n").book()
    assert ends(found["p.plan.train.energy.planned"]) == (240, 320, 400)
    assert ends(found["p.plan.evaluate.energy.planned"]) == (30, 30, 30)
    assert ends(found["p.energy.actual"]) == (24, 32, 40)
    assert ends(found["p.energy.remaining"]) == (273, 353, 433)


def test_a_card_of_no_known_power_makes_sums_at_least(ledger: Any) -> None:
    """8 kWh are known of 40 h in all, of which 20 are on the dark card."""
    runs = "- {item: train, gpu_hours: 20}\n- {item: train, gpu: dark, gpu_hours: 20}\n"
    found = tree(ledger, "pue: 1\n", runs).book()
    assert ends(found["p.energy.actual"]) == (8, None, None)
    assert uses(found, "energy.known_share") == [F(1, 2)]
    known = tree(ledger, "pue: 1\n", runs.replace("gpu: dark,", "gpu: dark, energy_kwh: 5,")).book()
    assert uses(known, "energy.actual") == [13]
    assert "p.energy.known_share" not in known.figures


def test_a_plan_on_a_card_of_no_known_power(ledger: Any) -> None:
    plan = PLAN.replace("gpu: other, gpu_hours: 100, watts: 300", "gpu: dark, gpu_hours: 250")
    found = tree(ledger, "pue: 1\n", "", plan=plan).book()
    assert ends(found["p.energy.subtotal"]) == (400, None, None)
    assert uses(found, "energy.planned_known_share") == [F(1000, 1250)]


def test_without_a_pue_it_is_the_gpus_alone_and_without_a_grid_there_are_no_emissions(ledger: Any) -> None:
    found = tree(ledger, "grid: home\n", "").book()
    assert uses(found, "plan.train.energy.planned", "plan.train.carbon.planned") == [400, 100]
    found = tree(ledger, "pue: hall\n", "").book()
    assert uses(found, "plan.train.energy.planned") == [600]
    assert not [name for name in found.figures if ".carbon" in name]


def test_a_grid_of_one_run_alone_makes_emissions_at_least(ledger: Any) -> None:
    runs = "- {item: train, gpu_hours: 10, grid: away}\n- {item: train, gpu_hours: 10}\n"
    found = tree(ledger, "pue: 1\n", runs).book()
    assert ends(found["p.carbon.actual"]) == (F("0.4"), None, None)


def near(found: Any, name: str, right: Any) -> bool:
    """Whether a figure that is read off draws is what was expected, but for the digits that draws can give."""
    return abs(found[f"p.{name}"].use - right) <= abs(right) / 100


def test_what_is_to_come_takes_what_it_takes_on_its_card(ledger: Any) -> None:
    """To come are 1000 - 350 hours of training at 0.4 kW and, at half an hour each, 90 of evaluation at 0.3 kW; both
    times 1.2. So 45 counted hours of evaluation take 0.72 kWh each. 155.6 kWh were
    spent, and a kWh emits a quarter of a kg."""
    found = tree(ledger).book()
    hours, spent = found["p.forecast.p50"].use, found["p.actual.base"].use
    average = (650 * F("0.48") + 45 * F("0.72")) / 695
    assert near(found, "energy.forecast_p50", F("155.6") + (hours - spent) * average)
    assert near(found, "carbon.forecast_p50", (F("155.6") + (hours - spent) * average) / 4)


def test_only_the_card_of_the_work_to_come_counts(ledger: Any) -> None:
    """Training is done, for 400 kWh x 1.2. Of evaluation 90 hours on the other card are to come, at 0.36 kWh each; once
    they are done too, the forecast is what was taken."""
    runs = "- {item: train, gpu_hours: 1000, progress: {done: 1, total: 1}}\n"
    half = "- {item: evaluate, gpu_hours: 10, progress: {done: 1, total: 10}}\n"
    found = tree(ledger, runs=runs + half).book()
    coming = 2 * (found["p.forecast.p50"].use - found["p.actual.base"].use)
    assert near(found, "energy.to_come_p50", coming * F("0.36"))
    assert uses(found, "energy.forecast_p50") == [480 + F("3.6") + found["p.energy.to_come_p50"].use]
    found = tree(ledger, runs=runs + half.replace("done: 1, total: 10", "done: 1, total: 1")).book()
    forecasts = uses(found, *(f"energy.forecast_p{percent}" for percent in (10, 50, 90)))
    assert forecasts == [F("483.6")] * 3


def test_items_of_one_card_differ_in_power_alone(ledger: Any) -> None:
    """Energy to come takes the power of each item; where none differs, all takes that of the card."""
    plan = PLAN.replace("gpu: other, ", "")
    found = tree(ledger, plan=plan).book()
    hours, spent = found["p.forecast.p50"].use, found["p.actual.base"].use
    average = (650 * F("0.48") + 90 * F("0.36")) / 740
    assert near(found, "energy.forecast_p50", found["p.energy.base"].use + (hours - spent) * average)
    hours_alone = uses(tree(ledger, "", plan=plan.replace(", watts: 300", "")).book(), "forecast.p10", "forecast.p90")
    assert uses(found, "forecast.p10", "forecast.p90") == hours_alone, "hours are drawn without regard to power"
    found = tree(ledger, plan=plan.replace(", watts: 300", "")).book()
    hours, spent = found["p.forecast.p50"].use, found["p.actual.base"].use
    taken = found["p.energy.base"].use
    assert near(found, "energy.forecast_p50", taken + (hours - spent) * F("0.48"))


def test_work_to_come_on_a_card_of_no_known_power_is_at_least(ledger: Any) -> None:
    plan = PLAN.replace("gpu: other, gpu_hours: 100, watts: 300", "gpu: dark, gpu_hours: 250")
    runs = "- {item: train, gpu_hours: 1000, progress: {done: 1, total: 1}}\n"
    found = tree(ledger, "pue: 1\n", runs, plan=plan).book()
    assert ends(found["p.energy.forecast_p50"]) == (400, None, None)


@pytest.mark.parametrize("runs", ["", "- {item: train, gpu_hours: 4, energy_kwh: 2}\n"])
def test_who_names_no_grid_and_no_pue_has_nothing_new(ledger: Any, runs: str) -> None:
    """Nor does a project whose runs only state how much energy they took."""
    plan = PLAN.replace(", watts: 300", "")
    found = tree(ledger, "", runs, plan=plan).book()
    assert not [name for name in found.figures if name.startswith(("p.energy", "p.carbon")) or ".energy." in name]


def test_seeds_and_extensions(ledger: Any) -> None:
    """3 seeds x 10 h x 0.4 kW; an extension of 5 h stands beside the final budget, as do its runs."""
    plan = """\
one: {title: One, items: {a: {title: A, scope: per-seed, gpu_hours: 10}}}
more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 5}}}
"""
    runs = "- {item: a, seed: 1, gpu_hours: 10}\n- {item: b, gpu_hours: 5}\n"
    found = tree(ledger, "pue: 1\nseeds: 3\n", runs, plan=plan).book()
    assert uses(found, "energy.final", "energy.extended") == [F("13.2"), F("15.2")]
    assert uses(found, "energy.base", "energy.actual", "energy.remaining") == [4, 6, F("9.2")]


def test_a_policy_may_rest_on_it_before_there_are_runs(ledger: Any) -> None:
    def holds(require: str, runs: str) -> object:
        policy = f"policies: {{k: {{require: {require}, message: Stop.}}}}\n"
        (result,) = tree(ledger, f"grid: home\npue: 1.2\n{policy}", runs).book().policies["p"]
        return result.holds

    assert holds("carbon.final <= 142 kg", "") is True
    assert holds("energy.actual < 0.1 MWh", RUNS) is False
    assert holds("energy.measured_share >= 50%", "") is None
    assert holds("energy.measured_share >= 50%", RUNS) is False


# Whatever runs state

MADE = st.fixed_dictionaries(
    {"item": st.sampled_from(["train", "evaluate", "debug"]), "gpu_hours": st.integers(0, 40)},
    optional={
        "gpu": st.sampled_from(["card", "other"]),
        "energy_kwh": st.integers(0, 9),
        "watts": st.sampled_from(["350", "350.5"]),
        "pue": st.sampled_from(["1", "1.3", "hall"]),
        "grid": st.sampled_from(["home", "away"]),
    },
)


def line(run: dict[str, Any], facility: bool) -> str:
    of = {"energy_of": "facility"} if facility and "energy_kwh" in run else {}
    unplanned = {"unplanned": "true"} if run["item"] == "debug" else {}
    return "- {" + ", ".join(f"{name}: {value}" for name, value in {**run, **of, **unplanned}.items()) + "}\n"


def by_hand(run: dict[str, Any], facility: bool) -> tuple[F, F]:
    """What a run took and emitted, in kWh and kg, by the words of the guide."""
    own = "other" if run["item"] == "evaluate" else "card"
    card = run.get("gpu", own)
    watts = F(300) if run["item"] == "evaluate" and card == own else {"card": F(400), "other": F(450)}[card]
    pue = {"hall": F("1.5")}.get(run.get("pue", ""), F(run.get("pue", "1.2").replace("hall", "1.5")))
    machine = F(run["gpu_hours"]) * F(run.get("watts", watts)) / 1000
    measured = F(run["energy_kwh"]) * (1 if facility else pue) if "energy_kwh" in run else machine * pue
    return measured, measured * {"home": F(250), "away": F(100)}[run.get("grid", "home")] / 1000


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(MADE, st.booleans()), max_size=10))
def test_sums_are_those_of_single_runs(ledger: Any, made: list[tuple[dict[str, Any], bool]]) -> None:
    """And the runs that a sum lists are those that were summed."""
    found = tree(ledger, runs="".join(line(*one) for one in made)).book()
    took = [(F(0), F(0)), *(by_hand(*one) for one in made)]
    assert uses(found, "energy.actual", "carbon.actual") == [sum(part) for part in zip(*took, strict=True)]
    for figure in found.figures.values():
        if isinstance(figure.origin, Tallied):
            assert len(runs_of(found, figure)) == figure.origin.count, figure.address


# Published tables


PAPER = "llama: {title: US, co2e_grams_per_kwh: 0.385 kg/kWh}\n"


def rows(ledger: Any, hours: dict[str, str], claims: str, project: str = "grid: llama\npue: 1.1\n", **more: str) -> Any:
    """A ledger of items by their hours (with `watts` behind, where they have their own), and its claims."""
    head = "title: {}, scope: one-time, gpu_hours: {}"
    items = "\n".join(f"    {name}: {{{head.format(name, given)}}}" for name, given in hours.items())
    plan = f"one:\n  title: One\n  items:\n{items}\n"
    texts = {"ledger/catalog/grids.yaml": PAPER, "plan": plan, "claims": claims, **more}
    return tree(ledger, project, "", **texts)


def test_llama_2_comes_out_and_rows_that_are_cut_off_are_consistent(ledger: Any) -> None:
    hours = {"a": "184320", "b": "368640", "c": "1038336, watts: 350", "d": "1720320"}
    claims = """\
- {of: plan, at: Table, columns: [carbon.planned], rows: {a: [31.22 t], b: [62.44 t], c: [153.90 t], d: [291.42 t]}}
- {of: carbon.subtotal, at: Total, states: 539.00 t}
- {of: budget.subtotal, at: Total, states: 3311616}
"""
    tried = rows(ledger, hours, claims)
    assert uses(tried.book(), "carbon.subtotal") == [F("539000.9856")]
    assert tried.findings() == [], "what is 0.01% off in its last digit is consistent"


def test_llama_comes_out_but_for_two_energies(ledger: Any) -> None:
    """65B gives 449.84 MWh, BLOOM 476.47; all tonnages follow."""
    hours = {"opt": "809472", "bloom": "1082880", "a": "82432", "b": "135168", "c": "530432", "d": "1022362"}
    table = {"opt": (356, 137), "bloom": (475, 183), "a": (36, 14), "b": (59, 23), "c": (233, 90), "d": (449, 173)}
    cells = ", ".join(f"{name}: [{energy} MWh, {mass} t]" for name, (energy, mass) in table.items())
    claims = f"- {{of: plan, at: Table, columns: [energy.planned, carbon.planned], rows: {{{cells}}}}}\n"
    tried = rows(ledger, hours, claims)
    assert tried.findings() == [  # the second was cut off, not rounded
        "note claim-contradicted:p.plan.bloom.energy.planned",
        "note claim-contradicted:p.plan.d.energy.planned",
    ]
    energies = uses(tried.book(), "plan.bloom.energy.planned", "plan.d.energy.planned")
    assert energies == [F("476467.2"), F("449839.28")]


@pytest.mark.parametrize(
    ("intensity", "off"),
    [
        ("413.4", {}),
        ("413.9", {}),
        # What is off by less than one of its last digit, of 10 t, is a note.
        ("413.3", {"c": "note"}),
        ("414.0", {"c": "note"}),
        ("412.0", {"b": "note", "c": "note"}),
    ],
)
def test_one_intensity_fits_all_of_llama_3_1(ledger: Any, intensity: str, off: dict[str, str]) -> None:
    """Its hours lie within half of their last digit, its tonnages of their last one that is not zero. 700 W."""
    hours = {"a": "1.455M-1.465M, watts: 700", "b": "6.95M-7.05M, watts: 700", "c": "30.835M-30.845M, watts: 700"}
    claims = "- {of: plan, at: Table, columns: [carbon.planned], rows: {a: [~420 t], b: [~2040 t], c: [~8930 t]}}\n"
    grids = {"ledger/catalog/grids.yaml": f"llama: {{title: Card, co2e_grams_per_kwh: {intensity}}}\n"}
    tried = rows(ledger, hours, claims, "grid: llama\n", **grids)
    wanted = [f"{severity} claim-contradicted:p.plan.{name}.carbon.planned" for name, severity in off.items()]
    assert sorted(finding for finding in tried.findings() if "claim" in finding) == sorted(wanted)


def test_bloom_measured_with_and_without_its_data_centre(ledger: Any) -> None:
    """433,196 kWh x 57 g/kWh = 24.69 t; with PUE 1.2 29.63 t."""
    grids = {"ledger/catalog/grids.yaml": "home: {title: France, co2e_grams_per_kwh: 57}\n"}
    runs = "- {item: train, gpu_hours: 1082990, energy_kwh: 433196}\n"
    for project, tonnes in (("grid: home\n", "24.692172"), ("grid: home\npue: 1.2\n", "29.6306064")):
        assert uses(tree(ledger, project, runs, **grids).book(), "carbon.actual") == [F(tonnes) * 1000]


def test_two_powers_of_one_card_are_drawn_apart(ledger: Any) -> None:
    """What is done drew 100 W, and what is to come draws 800."""
    items = "a: {title: A, scope: one-time, gpu_hours: 1000, watts: 100}, "
    items += "b: {title: B, scope: one-time, gpu_hours: 100, watts: 800}"
    runs = "- {item: a, gpu_hours: 1000, progress: {done: 1, total: 1}}\n"
    found = tree(ledger, "", runs, plan=f"one: {{title: One, items: {{{items}}}}}\n").book()
    hours = found["p.forecast.p90"].use - 1000
    assert hours > 50
    assert found["p.energy.to_come_p90"].use == pytest.approx(float(hours) * 0.8, rel=0.05)
