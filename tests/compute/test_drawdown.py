# ruff: noqa: E501 (tables read better unbroken)
"""Contingency: what draws on it, what finished work frees, and what holds however runs come in."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reckon.language.calendar_days import iso
from tests.trying import examples

PLAN = """\
one:
  title: One
  items:
    sft: {title: SFT, scope: per-seed, gpu_hours: 40}
    svd: {title: SVD, scope: one-time, gpu_hours: 20, contingency: 50%}
two:
  title: Two
  contingency: 20%
  items:
    test: {title: Test, scope: all-seeds, gpu_hours: 30}
more:
  title: More
  extension: true
  items:
    big: {title: Big, scope: one-time, gpu_hours: 10}
"""
PROJECT = "seeds: 2\ncontingency: 10%\n"
QUICK = settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def book(ledger: Any, runs: str, plan: str = PLAN, project: str = PROJECT) -> Any:
    return ledger(project=project, plan=plan, runs=runs).book()


def use(found: Any, *names: str) -> list[object]:
    return [found[f"p.{name}"].use for name in names]


RUNS = """\
- {date: 2025-01-01, item: sft, seed: 1, gpu_hours: 30, status: failed}
- {date: 2025-01-02, item: sft, seed: 1, gpu_hours: 25}
- {date: 2025-01-03, item: sft, seed: 2, gpu_hours: 32}
- {date: 2025-01-04, item: svd, gpu_hours: 20}
- {date: 2025-01-05, item: test, gpu_hours: 33, status: running, progress: {done: 1, total: 2}}
- {date: 2025-01-06, item: debug, unplanned: true, gpu_hours: 2}
- {date: 2025-01-07, item: big, gpu_hours: 17}
"""


def test_what_draws_and_what_is_freed(ledger: Any) -> None:
    """8 of phase one are 10% of 80 and 10 half of SVD, 6 of phase two a fifth of 30: 24 in all.

    Seed 1 took 55 of 40, the test 33 of 30, debugging 2: 20 are drawn and 4 left. Seed 2 left 8, which change nothing.
    """
    found = book(ledger, RUNS)
    assert use(found, "budget.contingency", "contingency.drawn", "contingency.left", "contingency.freed") == [
        24,
        20,
        4,
        8,
    ]
    assert use(found, "contingency.left_share") == [F(1, 6)]
    columns = ("planned", "drawn", "left", "left_share", "freed")
    assert use(found, *(f"phases.one.contingency.{name}" for name in columns)) == [18, 15, 3, F(1, 6), 8]
    assert use(found, *(f"phases.two.contingency.{name}" for name in columns[:4])) == [6, 3, 3, F(1, 2)]
    assert use(found, *(f"plan.sft.seeds.{seed}.drawn" for seed in "12"), "plan.sft.drawn", "plan.svd.drawn") == [
        15,
        0,
        15,
        0,
    ]
    assert use(found, "plan.sft.seeds.2.freed", "plan.sft.freed", "plan.svd.freed") == [8, 8, 0]
    assert "p.plan.test.freed" not in found.figures, "it has not ended"


def test_an_extension_draws_on_nothing_of_the_base_budget(ledger: Any) -> None:
    found = book(ledger, RUNS)
    assert use(found, "plan.big.drawn", "phases.more.contingency.drawn") == [7, 7]
    assert "p.phases.more.contingency.left" not in found.figures, "it has no contingency"
    assert use(found, "contingency.drawn") == [20]


def test_the_day_since_which_it_is_drawn(ledger: Any) -> None:
    """Seed 1 passed its 40 with the second attempt; what is unplanned draws from its first run."""
    found = book(ledger, RUNS)
    since = {name: found[f"p.{name}.drawn_since"] for name in ("plan.sft.seeds.1", "plan.test", "actual.unplanned")}
    days = [iso(int(figure.use)) for figure in since.values()]
    assert days == ["2025-01-02", "2025-01-05", "2025-01-06"]
    assert found["p.plan.svd.drawn_since"].missing == ("p.plan.svd.drawn",), "20 of 20 is not above"


def test_it_can_be_overdrawn(ledger: Any) -> None:
    found = book(ledger, RUNS + "- {item: svd, gpu_hours: 10, status: failed}\n")
    assert use(found, "contingency.left", "contingency.left_share") == [-6, F(-1, 4)]


def test_hours_that_name_no_seed(ledger: Any) -> None:
    """Wasted ones draw in full; useful ones beyond what the seeds leave of their plans: 8 of the 32 and 8 hours."""
    wasted = "- {item: sft, seed: 1, gpu_hours: 50}\n- {item: sft, seed: 2, gpu_hours: 32}\n- {item: sft, gpu_hours: 3, status: held-idle}\n"
    assert use(book(ledger, wasted), "plan.sft.drawn", "plan.sft.no_seed.drawn") == [13, 3]
    found = book(ledger, wasted + "- {item: sft, gpu_hours: 5}\n")
    assert use(found, "plan.sft.drawn", "plan.sft.no_seed.covered", "plan.sft.no_seed.drawn") == [13, 5, 3]
    found = book(ledger, wasted + "- {item: sft, gpu_hours: 12}\n")
    assert use(found, "plan.sft.drawn", "plan.sft.no_seed.covered", "plan.sft.no_seed.drawn") == [17, 8, 7]
    assert "p.plan.sft.freed" not in found.figures, "which seed it was is not known"


def test_without_a_contingency_there_is_none_left(ledger: Any) -> None:
    found = book(ledger, "- {item: test, gpu_hours: 31}\n", PLAN.replace("    contingency: 20%\n", ""), "seeds: 2\n")
    assert use(found, "plan.test.drawn") == [1]
    plan = "one:\n  title: One\n  items:\n    svd: {title: SVD, scope: one-time, gpu_hours: 20}\n"
    found = book(ledger, "- {item: svd, gpu_hours: 31, status: failed}\n", plan, "")
    assert [name for name in found.figures if "contingency" in name] == ["p.phases.one.contingency.drawn"]


def test_any_number_of_ranges_is_drawn_upon(ledger: Any) -> None:
    """30 items of 8 to 10 are planned with 9: 27 are the contingency, and an item that took 18 draws 9 of them."""
    items = "".join(f"    i{n}: {{title: I, scope: one-time, gpu_hours: 8-10}}\n" for n in range(30))
    found = book(ledger, "- {item: i1, gpu_hours: 18}\n", f"one:\n  title: One\n  items:\n{items}")
    left, share = found["p.contingency.left"], found["p.contingency.left_share"]
    assert (left.value.low, left.use, left.value.high) == (15, 18, 21)
    assert (share.value.low, share.use, share.value.high) == (F(15, 24), F(2, 3), F(7, 10))


def test_a_plan_without_a_number_leaves_what_is_drawn_open(ledger: Any) -> None:
    plan = PLAN.replace("gpu_hours: 30", "gpu_hours: 30+")
    found = book(ledger, "- {item: test, gpu_hours: 33}\n", plan)
    assert found["p.contingency.left"].missing == ("p.plan.test.total",)
    assert use(found, "plan.sft.drawn") == [0]


RUN = st.fixed_dictionaries(
    {
        "item": st.sampled_from(["sft", "svd", "test", "big", "debug"]),
        "seed": st.sampled_from(["1", "2", ""]),
        "hours": st.integers(0, 60),
        "status": st.sampled_from(["completed", "failed", "held-idle", "running"]),
        "day": st.sampled_from(["", "2025-01-31", "2025-02-01", "2025-03"]),
        "to": st.sampled_from(["", "2025-04-10"]),
        "done": st.sampled_from([None, 1, 4]),
    }
)


def line(run: Any) -> str:
    more = f", seed: {run['seed']}" * bool(run["seed"])
    spread = run["to"] and len(run["day"]) == 10
    more += f", start: {run['day']}, end: {run['to']}" if spread else f", date: {run['day']}" * bool(run["day"])
    more += "" if run["done"] is None else f", progress: {{done: {run['done']}, total: 4}}"
    more += ", unplanned: true" if run["item"] == "debug" else ""
    return f"- {{item: {run['item']}, gpu_hours: {run['hours']}, status: {run['status']}{more}}}\n"


@QUICK
@given(st.lists(RUN, max_size=8), st.randoms(use_true_random=False))
def test_what_holds_however_runs_come_in(ledger: Any, runs: list[Any], random: Any) -> None:
    found = book(ledger, "".join(map(line, runs)))

    def of(name: str, inside: Any = found) -> F:
        figure = inside.get(f"p.{name}")
        return figure.use if figure else F(0)

    for name in ("drawn", "actual", "waste", "useful"):
        seeds = sum((of(f"plan.sft.seeds.{seed}.{name}") for seed in "12"), of(f"plan.sft.no_seed.{name}"))
        assert seeds == of(f"plan.sft.{name}"), name
    for phase, items in (("one", ("sft", "svd")), ("two", ("test",)), ("more", ("big",))):
        drawn = of(f"phases.{phase}.contingency.drawn")
        assert drawn == sum((of(f"plan.{item}.drawn") for item in items), F(0))
        assert drawn >= of(f"phases.{phase}.actual") - of(f"phases.{phase}.bac")
    phases = of("phases.one.contingency.drawn") + of("phases.two.contingency.drawn")
    assert of("contingency.drawn") == phases + of("actual.unplanned") == 24 - of("contingency.left")
    dated = sum((F(run["hours"]) for run in runs if run["day"]), F(0))
    months = {name: figure.use for name, figure in found.figures.items() if name.startswith("p.actual.by_month.")}
    assert sum((hours for name, hours in months.items() if not name.endswith(".so_far")), F(0)) == dated
    if dated:
        assert max(hours for name, hours in months.items() if name.endswith(".so_far")) == of("actual.total")
    drawn_by_source(found)
    for at, spent in (("forecast", "actual.base"), ("forecast.extended", "actual.total")):
        assert of(spent) <= of(f"{at}.p10") <= of(f"{at}.p50") <= of(f"{at}.p90")
    if runs:
        less = book(ledger, "".join(map(line, runs[:-1])))
        falls = [
            name
            for name in ("actual.total", "actual.base", "plan.sft.actual", "contingency.drawn")
            if of(name, less) > of(name)
        ]
        assert falls == []
        assert of("contingency.left", less) >= of("contingency.left"), "nothing gives contingency back"
    mixed = list(runs)
    random.shuffle(mixed)
    again = book(ledger, "".join(map(line, mixed)))
    assert {name: (figure.value, figure.missing) for name, figure in again.figures.items()} == {
        name: (figure.value, figure.missing) for name, figure in found.figures.items()
    }


def drawn_by_source(found: Any) -> None:
    """The series behind the pictures end where the figures do."""
    history = found.histories["p"]
    assert history.whole.total == found["p.actual.total"].use
    assert history.base.total == found["p.actual.base"].use
    for source in history.sources:
        plan = found[source.plan].use if source.plan else F(0)
        drawn = "p.actual.unplanned" if source.at == "p.actual.unplanned" else f"{source.at}.drawn"
        assert max(source.spent.total - plan, 0) == found[drawn].use, source.at
