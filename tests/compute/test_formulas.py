# ruff: noqa: E501 (tables read better unbroken)
"""What formulas in a ledger come to: names, units, ranges, circles, and what is unknown."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from reckon.compute.sheet.evaluate import derive
from reckon.language.parser import read_expression
from reckon.language.quantity import Value
from reckon.language.text import Refusal
from reckon.language.units import key_unit
from reckon.model.figure import Figure, Stated
from tests.trying import examples
from tests.work import counted, growth


def reckoned(ledger: Any, line: str, **texts: str) -> Any:
    """The figure of one line of figures.yaml."""
    return ledger(figures=f"x: {{title: X, {line}}}\n" + texts.pop("figures", ""), **texts).book()["p.figures.x"]


def ends(figure: Any) -> tuple[object, object, object]:
    return figure.value.low, figure.value.use, figure.value.high


def refusals(ledger: Any, line: str) -> list[str]:
    return [one.split(": ", 1)[1].split("; ")[0] for one in ledger(figures=f"x: {{title: X, {line}}}\n").problems()]


@pytest.mark.parametrize(
    ("line", "use"),
    [
        ("hours: {formula: 3 * minutes, minutes: 90}", F("4.5")),
        ("hours: {formula: seconds_per_step * steps, seconds_per_step: 0.423, steps: 10k}", F("1.175")),
        (
            "gpu_hours: {formula: hours_per_1000_steps * steps * gpus, hours_per_1000_steps: 35, steps: 5k, gpus: 8}",
            1400,
        ),
        ("gb: {formula: parameters * bytes_per_parameter, parameters: 7B, bytes_per_parameter: 2}", 14),
        ("gib: {formula: gb * 2, gb: 1}", F(2 * 10**9, 1024**3)),
        ("usd: {formula: gpu_hours * usd_per_gpu_hour, gpu_hours: 100, usd_per_gpu_hour: 0.60}", 60),
        ("kwh: {formula: watts * hours, watts: 400, hours: 5}", 2),
        ("gpu_hours: {formula: flop / tflops_per_gpu, flop: 3.6e18, tflops_per_gpu: 1}", 1000),
        ("hours: {formula: hours * (1 + overhead), hours: 10, overhead: 25%}", F("12.5")),
        ("hours: {formula: hours * (1 + overhead), hours: 10, overhead: {formula: a / b, a: 1, b: 4}}", F("12.5")),
        ("hours: {formula: 'max(a_hours, b_hours) - min(a_hours, b_hours)', a_hours: 5, b_hours: 30 min}", F("4.5")),
        (
            "batches: {formula: ceil(tasks * rollouts / parallel) * steps, tasks: 10, rollouts: 3, parallel: 8, steps: 2}",
            8,
        ),
        ("hours: {formula: ceil(minutes / 1 hour) * 1 hour, minutes: 61}", 2),
        ("gpus: {formula: floor(gpus / 3), gpus: 8}", 2),
        ("hours: {formula: 'sum(a_hours, b_hours, 2 hours)', a_hours: 1, b_hours: 3}", 6),
        ("hours: {formula: -hours + 10 hours, hours: 4}", 6),
        ("hours_per_task: {formula: hours / tasks, hours: 9, tasks: 3}", 3),
        ("share: {formula: a_gb / b_tb, a_gb: 500, b_tb: 1}", F(1, 2)),
    ],
)
def test_comes_to(ledger: Any, line: str, use: object) -> None:
    assert reckoned(ledger, line).use == use


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("gpu_hours: {formula: hours * 8, hours: 3}", "this gives time, its key asks for GPU × time"),
        ("hours: {formula: gpu_hours / 8, gpu_hours: 3}", "this gives GPU × time, its key asks for time"),
        ("hours: {formula: hours + 2, hours: 3}", "time and a plain number are put together"),
        ("hours: {formula: 'max(hours, gb)', hours: 3, gb: 2}", "time and data are put together"),
        ("usd: {formula: a_usd + b_eur, a_usd: 3, b_eur: 2}", "money (USD) and money (EUR) are put together"),
        ("hours: {formula: weeks + months, weeks: 3, months: 2}", "time and month are put together"),
        ("node_hours: {formula: gpu_hours * 1, gpu_hours: 3}", "this gives GPU × time, its key asks for node × time"),
        ("hours: {formula: hours_per_epcoh * epochs, hours_per_epcoh: 3, epochs: 2}", "`per epcoh` is left over"),
        ("hours: {formula: minutes_per_model * 3, minutes_per_model: 3}", "`per model` is left over"),
        ("hours: {formula: hours_per_step / steps, hours_per_step: 3, steps: 2}", "`per step` is left over"),
        ("hours_per_task: {formula: hours / runs, hours: 3, runs: 2}", "its key says per task, the formula does not"),
        ("hours: {formula: hours * (1 + overhead), hours: 3, overhead: 10}", "`overhead` is added to a bare number"),
        (
            "hours: {formula: hours * (1 + 1 + overhead), hours: 3, overhead: 10}",
            "`overhead` is added to a bare number",
        ),
        ("hours: {formula: hours * (2 - overhead), hours: 3, overhead: 0.1}", "`overhead` is added to a bare number"),
        (
            "hours: {formula: 'hours * sum(1, overhead)', hours: 3, overhead: 10}",
            "`overhead` is added to a bare number",
        ),
        ("hours: {formula: hours * (1 + o), hours: 3, o: {formula: q, q: 10}}", "`o` is added to a bare number"),
        ("hours: {formula: hours / (a - b), hours: 3, a: 2, b: 2}", "this divides by zero"),
        ("hours: {formula: hours / a, hours: 3, a: -1-1}", "this divides by a range that holds zero"),
        ("hours: {formula: hours / a, hours: 3, a: <2}", "this divides by a range that holds zero"),
        ("hours: {formula: hours / (a - b), hours: 3, a: 1-3, b: 2}", "this divides by a range that holds zero"),
        ("hours: {formula: hours * (hours > 2 hours), hours: 3}", "a number is expected here, not a condition"),
        ("hours: {formula: floor(hours), hours: 3.5}", "`floor` of time depends on the unit"),
    ],
)
def test_is_refused(ledger: Any, line: str, wrong: str) -> None:
    assert refusals(ledger, line) == [wrong]


@pytest.mark.parametrize(
    ("line", "right"),
    [
        (
            "runs: {formula: first + second, first: 3, second: 2}",
            "both sides must measure the same; a name is read as a unit: `second`",
        ),
        (
            "samples: {formula: per_gpu * gpus, per_gpu: 2, gpus: 8}",
            "look for a factor that is missing or too many, or name the rate in the key, as `usd_per_month`; "
            "a name is read as a unit: `per_gpu`",
        ),
        ("usd: {formula: usd_per_hour + 2, usd_per_hour: 3}", "both sides must measure the same"),
        (
            "usd_per_hour: {formula: rent_usd_per_month, rent_usd_per_month: 140}",
            "a month has no fixed hours: divide by hours that you state, such as `hours_per_month: 730`",
        ),
    ],
)
def test_a_refusal_says_what_to_look_at(ledger: Any, line: str, right: str) -> None:
    (problem,) = ledger(figures=f"x: {{title: X, {line}}}\n").problems()
    assert problem.partition("; ")[2] == right


def test_rent_by_the_month_is_divided_by_stated_hours(ledger: Any) -> None:
    line = "usd_per_hour: {formula: usd_per_month / hours_per_month, usd_per_month: 146, hours_per_month: 730}"
    assert reckoned(ledger, line).use == F(1, 5)


def test_a_formula_that_is_right_at_one_key_is_refused_at_another(ledger: Any) -> None:
    """The same text: over the same inputs for another unit, and for the same unit over other inputs."""
    figures = """\
fine: {title: Fine, gpu_hours: {formula: one_hours * some_gpus, one_hours: 2, some_gpus: 4}}
key: {title: Key, hours: {formula: one_hours * some_gpus, one_hours: 2, some_gpus: 4}}
plain: {title: Plain, rate: {formula: 1 + share, share: 10%}}
bare: {title: Bare, rate: {formula: 1 + share, share: 10}}
"""
    told = [one.split(": ", 1)[1].split("; ")[0] for one in ledger(figures=figures).problems()]
    assert told == [
        "this gives GPU × time, its key asks for time",
        "`share` is added to a bare number",
    ]


def test_counts_may_be_left_above(ledger: Any) -> None:
    assert reckoned(ledger, "hours: {formula: hours * models, hours: 3, models: 2}").use == 6


def test_a_named_figure_counts_by_its_key(ledger: Any) -> None:
    line = "hours: {formula: seconds_per_step * figures.warm-up, seconds_per_step: 3}"
    assert reckoned(ledger, line, figures="warm-up: {title: W, steps: 1200}\n").use == 1


def test_a_range_times_a_number_below_zero_turns_round(ledger: Any) -> None:
    """5 hours and 1 to 2, less two times the same, on either side of the sign: 5 less 1 to 2. Other 1 to 2 hours less
    two times these reach from 1 - 4 to 2 - 2."""
    for taken in ("(1 - 3) * extra_hours", "extra_hours * (1 - 3)"):
        same = f"hours: {{formula: 5 hours + extra_hours + {taken}, extra_hours: 1-2}}"
        assert ends(reckoned(ledger, same)) == (3, F(7, 2), 4)
        other = f"hours: {{formula: 5 hours + own_hours + {taken}, own_hours: 1-2, extra_hours: 1-2}}"
        assert ends(reckoned(ledger, other)) == (2, F(7, 2), 5)


def test_an_end_of_a_count_still_counts(ledger: Any) -> None:
    line = "hours: {formula: hours_per_epoch * epochs.high, hours_per_epoch: 2, epochs: 3-5}"
    assert ends(reckoned(ledger, line)) == (10, 10, 10)


# Names


def test_names_are_looked_up_outwards(ledger: Any) -> None:
    tree = ledger(
        project="seeds: 3\nceiling: 7\n",
        plan="""\
one:
  title: One
  items:
    a: {title: A, scope: one-time, gpu_hours: {formula: gpu_hours_per_seed * seeds, gpu_hours_per_seed: 2}}
    b:
      title: B
      scope: one-time
      gpu_hours: {formula: estimate + ceiling + plan.a.gpu_hours}
      estimate: {formula: seeds * gpu_hours_per_seed, seeds: 5, gpu_hours_per_seed: 1}
    c: {title: C, scope: one-time, gpu_hours: {formula: catalog.gpus.card.vram_gib / 1 GiB * p.ceiling}}
""",
    )
    book = tree.book()
    assert book["p.plan.a.gpu_hours"].use == 6
    assert book["p.plan.b.estimate"].use == 5, "an input next to the formula comes before the project"
    assert book["p.plan.b.gpu_hours"].use == 5 + 7 + 6
    assert book["p.plan.c.gpu_hours"].use == 280


def test_another_project_is_reached_by_its_address(ledger: Any) -> None:
    tree = ledger(
        figures="x: {title: X, hours: 3}\n",
        **{
            "ledger/q/project.yaml": "title: Q\nversion: 1\nas_of: 2025\ngpu: card\n",
            "ledger/q/figures.yaml": "y: {title: Y, hours: {formula: p.figures.x * 2}}\n",
        },
    )
    assert tree.book()["q.figures.y"].use == 6


def test_ends_of_a_figure(ledger: Any) -> None:
    figures = "r: {title: R, hours: {low: 250, high: 300, use: 280}}\n"
    for end, hours in (("low", 250), ("use", 280), ("high", 300)):
        figure = reckoned(ledger, f"hours: {{formula: figures.r.{end} * 1}}", figures=figures)
        assert ends(figure) == (hours, hours, hours)
    assert ends(reckoned(ledger, "hours: {formula: figures.r * 2}", figures=figures)) == (500, 560, 600)


# Ranges


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("hours: {formula: a_hours + b_hours, a_hours: 1-3, b_hours: 10-20}", (11, 17, 23)),
        ("hours: {formula: a_hours - b_hours, a_hours: 10-20, b_hours: 1-3}", (7, 13, 19)),
        ("hours: {formula: hours / speed, hours: 12, speed: 2-4}", (3, 4, 6)),
        ("hours: {formula: -hours, hours: 2-4}", (-4, -3, -2)),
        ("hours: {formula: hours * a, hours: 2-4, a: -3--1}", (-12, -6, -2)),
        # an input that is used twice enters once
        ("hours: {formula: hours - hours, hours: 2-4}", (0, 0, 0)),
        ("hours: {formula: hours + hours, hours: 2-4}", (4, 6, 8)),
        ("hours: {formula: hours * (1 + s) - hours * s, hours: 10, s: 10-50%}", (10, 10, 10)),
        ("hours: {formula: hours * a / (a + b), hours: 6, a: 1-2, b: 1}", (3, F(18, 5), 4)),
        # in between, an input that raises and lowers may go further than at its ends
        ("hours: {formula: hours * s * (1 - s), hours: 8, s: 0-100%}", (0, 2, 2)),
        # open ends
        ("hours: {formula: hours * 2, hours: 5+}", (10, None, None)),
        ("hours: {formula: 20 hours - hours, hours: 5+}", (None, None, 15)),
        ("hours: {formula: hours * 2, hours: <3}", (0, None, 6)),
        ("hours: {formula: hours / speed, hours: 12, speed: 2+}", (None, None, 6)),
        ("hours: {formula: hours * 2, hours: {low: 1, high: 3, use: unknown}}", (2, None, 6)),
        ("hours: {formula: 'max(a_hours, b_hours)', a_hours: 1-5, b_hours: 2-3}", (2, 3, 5)),
    ],
)
def test_ranges(ledger: Any, line: str, wanted: object) -> None:
    assert ends(reckoned(ledger, line)) == wanted


def test_an_input_enters_once_through_several_figures(ledger: Any) -> None:
    figures = "r: {title: R, hours: 10-20}\nd: {title: D, hours: {formula: figures.r * 2}}\ne: {title: E, hours: {formula: figures.r * 3}}\n"
    assert ends(reckoned(ledger, "hours: {formula: figures.e - figures.d}", figures=figures)) == (10, 15, 20)
    assert ends(reckoned(ledger, "share: {formula: figures.e / figures.d}", figures=figures)) == (
        F(3, 2),
        F(3, 2),
        F(3, 2),
    )


def test_twelve_inputs_that_go_both_ways_are_tried_thirteen_are_refused(ledger: Any) -> None:
    def line(count: int) -> str:
        terms = " + ".join(f"a{n} / (a{n} + b)" for n in range(count))
        return f"count: {{formula: {terms}, b: 2, {', '.join(f'a{n}: 1-2' for n in range(count))}}}"

    assert ends(reckoned(ledger, line(3))) == (1, F(9, 7), F(3, 2))
    assert refusals(ledger, line(13)) == ["13 ranges both raise and lower the result"]


def test_a_figure_whose_inputs_are_not_at_its_own_ends_is_walked_to_them(ledger: Any) -> None:
    """a - b + 2b: where b is high the difference is neither at its low nor at its high end."""
    figures = "a: {title: A, hours: 10-20}\nb: {title: B, hours: 1-3}\nd: {title: D, hours: {formula: figures.a - figures.b}}\n"
    assert ends(reckoned(ledger, "hours: {formula: figures.d + 2 * figures.b}", figures=figures)) == (11, 17, 23)


# The unknown


def test_what_rests_on_the_unknown_names_it(ledger: Any) -> None:
    figure = reckoned(
        ledger,
        "hours: {formula: a_hours + b_hours + figures.y, a_hours: unknown, b_hours: 3}",
        figures="y: {title: Y, hours: unknown}\n",
    )
    assert figure.value.unknown
    assert figure.missing == ("p.figures.x.a_hours", "p.figures.y")


def test_an_unknown_share_is_no_bare_number(ledger: Any) -> None:
    """What nobody knows yet has no percent sign to be written; once it is known, it needs one."""
    line = "hours: {formula: hours * (1 + share), hours: 3, share: unknown}"
    assert ends(ledger(figures=f"x: {{title: X, {line}}}\n").book()["p.figures.x"]) == (None, None, None)
    assert refusals(ledger, line.replace("unknown", "1")) == ["`share` is added to a bare number"]


def test_the_unknown_times_zero_is_unknown(ledger: Any) -> None:
    assert reckoned(ledger, "hours: {formula: 0 * hours, hours: unknown}").value.unknown


def test_the_use_of_an_open_range_is_missing(ledger: Any) -> None:
    figure = reckoned(ledger, "hours: {formula: hours.use * 2, hours: 5+}")
    assert figure.missing == ("p.figures.x.hours",)


# Long and round


def chain(line: str, count: int) -> str:
    links = "".join(
        f"l{n}: {{title: L, hours: {{formula: {line.format(n - 1)}, r: 1-2}}}}\n" for n in range(count, 0, -1)
    )
    return links + "l0: {title: L, hours: 1-2}\n"


@pytest.mark.full
@pytest.mark.parametrize(
    ("line", "count"),
    [("figures.l{} * 1", 3000), ("figures.l{0} + figures.l{0}", 3000), ("figures.l{} * r / 2", 1200)],
)
def test_thousands_of_formulas_in_a_row(ledger: Any, line: str, count: int) -> None:
    """Written last first, so that each waits for all that follow."""
    _, said = counted(ledger(figures=chain(line, count)).problems)
    assert said == []


@pytest.mark.full
@pytest.mark.parametrize(
    # The last has a range of its own in each link, so that each rests on all before: that is a square in itself.
    ("line", "most"),
    [("figures.l{} * 1", 2.2), ("figures.l{0} + figures.l{0}", 2.2), ("figures.l{} * r / 2", 3.5)],
)
def test_the_work_on_formulas_in_a_row_grows_with_what_they_rest_on(ledger: Any, line: str, most: float) -> None:
    assert growth(lambda count: ledger(figures=chain(line, count)).problems, 200) < most


def test_growth_is_bounded(ledger: Any) -> None:
    links = "".join(
        f"l{n}: {{title: L, count: {{formula: figures.l{n - 1} * figures.l{n - 1}}}}}\n" for n in range(1, 60)
    )
    (said,) = ledger(figures="l0: {title: L, count: 3}\n" + links).problems()
    assert "the number grows beyond all measure" in said


def test_a_circle_is_told_once_at_a_formula_of_it(ledger: Any) -> None:
    figures = "a: {title: A, hours: {formula: figures.b}}\nb: {title: B, hours: {formula: figures.c * 2}}\n"
    figures += "c: {title: C, hours: {formula: figures.a * 3}}\nd: {title: D, hours: {formula: figures.a}}\n"
    said = ledger(figures=figures).problems()
    assert said == [
        "ledger/p/figures.yaml:1:32: the formulas go in a circle: p.figures.a -> p.figures.b -> p.figures.c -> p.figures.a; "
        "let one of them be a number"
    ]


def test_a_circle_through_the_budget_is_told(ledger: Any) -> None:
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: {formula: budget.final / 2}}}}\n"
    (said,) = ledger(plan=plan).problems()
    assert said.startswith("ledger/p/plan.yaml:1:79: the formulas go in a circle: ")


# Every point inside the ranges of the inputs comes to a value inside the range of the formula.

NAMES = ("a", "b", "c")


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({' '.join(parts)})")
    calls = st.tuples(st.sampled_from(["min", "max", "sum"]), inner, inner).map(lambda p: f"{p[0]}({p[1]}, {p[2]})")
    return st.one_of(pairs, calls, inner.map(lambda term: f"(-{term})"), inner.map(lambda term: f"ceil({term})"))


FORMULAS = st.recursive(st.sampled_from([*NAMES, "2", "3"]), grown, max_leaves=7)
RANGES = st.tuples(*(st.tuples(st.integers(-5, 9), st.integers(0, 6)) for _ in NAMES))
POINTS = st.lists(st.tuples(*(st.fractions(0, 1, max_denominator=8) for _ in NAMES)), min_size=3, max_size=3)


def over(formula: str, values: dict[str, Value]) -> Figure:
    unit = key_unit("count")
    inputs = {
        name: Figure(name, name, unit, value, Stated(""), "x", (), {} if value.exact else {name: 1})
        for name, value in values.items()
        if name in formula.replace("max", "").replace("ceil", "")
    }
    return derive(read_expression(formula), inputs, unit)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(FORMULAS, RANGES)
def test_the_ends_of_the_result_are_reached_at_ends_of_the_inputs(formula: str, ranges: Any) -> None:
    values = {
        name: Value(F(low), F(2 * low + width, 2), F(low + width))
        for name, (low, width) in zip(NAMES, ranges, strict=True)
    }
    try:
        whole = over(formula, values)
    except Refusal:
        assume(False)
    assume(0 not in whole.leaves.values())
    numbers = []
    for corner in product(*((value.low, value.high) for value in values.values())):
        numbers.append(over(formula, {name: Value(*[end] * 3) for name, end in zip(NAMES, corner, strict=True)}).use)
    assert (whole.value.low, whole.value.high) == (min(numbers), max(numbers))  # type: ignore[type-var]


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(FORMULAS, RANGES, POINTS)
def test_no_point_inside_the_inputs_lies_outside_the_result(formula: str, ranges: Any, points: Any) -> None:
    values = {
        name: Value(F(low), F(2 * low + width, 2), F(low + width))
        for name, (low, width) in zip(NAMES, ranges, strict=True)
    }
    try:
        whole = over(formula, values)
    except Refusal:
        assume(False)
    assume(0 not in whole.leaves.values())  # an input that raises and lowers is tried at its ends alone
    assert whole.value.low is not None
    assert whole.value.high is not None
    for point in [*points, (F(0), F(1), F(0)), (F(1), F(0), F(1))]:
        inside = {
            name: values[name].low + (values[name].high - values[name].low) * share
            for name, share in zip(NAMES, point, strict=True)
        }  # type: ignore[operator]
        found = over(formula, {name: Value(number, number, number) for name, number in inside.items()}).use
        assert found is not None
        assert whole.value.low <= found <= whole.value.high
