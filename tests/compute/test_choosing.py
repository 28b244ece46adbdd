"""Which setups qualify and why, on a catalogue whose figures come out by hand (see tests/hardware.py)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate, priced_by
from reckon.compute.choosing.choosing import Chosen, Request, choose
from reckon.compute.choosing.setups import lists_of
from reckon.load.reader import load
from tests.hardware import HARDWARE
from tests.small import plant

PRICES, CARDS = HARDWARE["ledger/catalog/prices.yaml"], HARDWARE["ledger/catalog/gpus.yaml"]


def book_of(root: Path, **changed: str) -> Book:
    files = {name: changed.get(Path(name).stem, text) for name, text in HARDWARE.items()}
    ledger, problems = load(plant(root, files))
    book, more = calculate(ledger)
    assert [str(one) for one in problems + more] == []
    return book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return book_of(tmp_path)


def asked(book: Book, **limits: Any) -> Chosen:
    exact = {
        key: Fraction(str(value)) if key in ("deadline", "budget", "hour_value") else value
        for key, value in limits.items()
    }
    return choose(book.figures, book.tradeoffs["p"][0], Request(**exact))


def order(answer: Chosen) -> list[str]:
    return [one.choice.id for one in answer.ranked]


def said(answer: Chosen, name: str) -> dict[str, tuple[Any, ...]]:
    """The reasons of a setup by kind, with what of them is not empty."""
    every = [*answer.ranked, *answer.rejected]
    reasons = next(one.reasons for one in every if one.choice.id == name)
    return {
        one.kind: tuple(float(part) if isinstance(part, Fraction) else part for part in one[1:] if part)
        for one in reasons
    }


def test_the_figures_are_those_of_the_hand(book: Book) -> None:
    found = {name: (float(one.time), float(one.cost)) for name, one in book.tradeoffs["p"][0].points.items()}
    assert found == {"slow-x1": (10, 10), "slow-x4": (3.125, 12.5), "quick-x1": (5, 15), "quick-x4": (1.5625, 18.75)}


@pytest.mark.parametrize(
    ("limits", "ranked"),
    [
        ({}, ["slow-x1", "slow-x4", "quick-x4", "quick-x1"]),
        ({"deadline": 8}, ["slow-x4", "quick-x4", "quick-x1"]),
        ({"deadline": 3.125}, ["slow-x4", "quick-x4"]),
        ({"budget": 18}, ["slow-x4", "slow-x1", "quick-x1"]),
        ({"budget": 18, "deadline": 12}, ["slow-x1", "slow-x4", "quick-x1"]),
        ({"hour_value": 1}, ["slow-x4", "slow-x1", "quick-x4", "quick-x1"]),
        ({"hour_value": 5}, ["quick-x4", "slow-x4", "slow-x1", "quick-x1"]),
        ({"hour_value": 0.2, "deadline": 4}, ["slow-x4", "quick-x4"]),
        ({"most_gpus": 1}, ["slow-x1", "quick-x1"]),
        ({"cards": ("quick",)}, ["quick-x1", "quick-x4"]),
    ],
)
def test_they_are_ranked_by_what_is_asked_and_the_frontier_comes_first(
    book: Book, limits: dict[str, Any], ranked: list[str]
) -> None:
    assert order(asked(book, **limits)) == ranked


def test_each_that_qualifies_says_why(book: Book) -> None:
    answer = asked(book, hour_value=1)
    turn, saved = 2.5 / 6.875, 2.5 / 6.875  # dollars more, hours less
    assert said(answer, "slow-x1") == {"cheapest": (), "at-value": (turn,)}
    assert said(answer, "slow-x4") == {"best": (), "at-value": (turn, 4.0), "saves": (saved, "slow-x1")}
    assert said(answer, "quick-x4") == {"fastest": (), "at-value": (4.0,), "saves": (4.0, "slow-x4")}
    assert said(answer, "quick-x1") == {"dominated": ("slow-x4",)}
    assert [one.front for one in answer.ranked] == [True, True, True, False]


def test_one_of_the_frontier_that_is_best_at_no_value_of_an_hour_says_so(tmp_path: Path) -> None:
    """At $2.40 an hour quick-x1 costs $12 for 5 h: each hour less than with slow-x1 $0.40, and the next $0.27."""
    answer = asked(book_of(tmp_path, prices=PRICES.replace("use: 3", "use: 2.4")))
    assert order(answer) == ["slow-x1", "quick-x1", "slow-x4", "quick-x4"]
    assert said(answer, "quick-x1") == {"at-no-value": (), "saves": (0.4, "slow-x1")}


def test_domination_is_among_those_that_are_asked_for(book: Book) -> None:
    answer = asked(book, most_gpus=1)
    assert said(answer, "quick-x1") == {"fastest": (), "at-value": (1.0,), "saves": (1.0, "slow-x1")}
    assert said(answer, "slow-x4") == {"gpus": (4.0, 1.0)}


def test_what_no_price_can_mend_and_what_is_alike_are_told_apart(tmp_path: Path) -> None:
    """At $4 or more, five hours cost $20 at least, above slow-x4 at every price; fresh is made what slow is."""
    prices = PRICES.replace("{low: 2, use: 3, high: 5}", "4-5").replace("plain", "fresh")
    speeds = HARDWARE["ledger/catalog/throughputs.yaml"].replace("fresh: 400", "fresh: 100")
    answer = asked(book_of(tmp_path, prices=prices, throughputs=speeds))
    assert said(answer, "quick-x1") == {"always-dominated": ("fresh-x4",)}
    assert said(answer, "slow-x1") == {"equal": ("fresh-x1",)}


def test_each_that_does_not_qualify_says_every_reason(book: Book) -> None:
    answer = asked(book, deadline=3, budget=18, cards=("slow", "small"), most_gpus=1)
    assert order(answer) == []
    assert said(answer, "slow-x1") == {"deadline": (7.0, 3.0)}
    assert said(answer, "slow-x4") == {"gpus": (4.0, 1.0), "deadline": (0.125, 3.0, ("ideal",))}
    assert said(answer, "quick-x4") == {
        "card": ("quick",),
        "gpus": (4.0, 1.0),
        "budget": (0.75, 18.0, ("low", "ideal")),
    }
    assert said(answer, "small-x1") == {"memory": (), "deadline": (7.0, 3.0)}
    assert said(answer, "fresh-x1") == {
        "card": ("fresh",),
        "missing": ("catalog.prices.ours.usd_per_gpu_hour.fresh",),
    }


def test_what_is_missing_leaves_a_setup_undecided_never_at_zero(book: Book) -> None:
    answer = asked(book, budget=0)
    assert order(answer) == []
    assert said(answer, "fresh-x4") == {"missing": ("catalog.prices.ours.usd_per_gpu_hour.fresh",)}
    assert said(answer, "plain-x1") == {"missing": ("catalog.throughputs.measured.tokens_per_second_per_gpu.plain",)}


def test_the_high_end_of_time_cost_and_memory_is_told(tmp_path: Path) -> None:
    """quick at its slowest: 6.667 h, and at its dearest $33.33; its memory of 16 GiB holds 17 GB, not 20."""
    need = HARDWARE["ledger/p/workloads.yaml"].replace("weights: 16, cache: 2", "all: {low: 10, use: 17, high: 20}")
    cards = CARDS.replace("quick: {title: Quick, vram_gib: 24}", "quick: {title: Quick, vram_gib: 16}")
    answer = asked(book_of(tmp_path, workloads=need, gpus=cards), deadline=6, budget=18)
    found = said(answer, "quick-x1")
    assert found["deadline"] == (pytest.approx(2 / 3), 6.0, ("high",))
    assert found["budget"] == (pytest.approx(46 / 3), 18.0, ("high",))
    assert found["memory"] == ("does not fit", ("high",))
    assert "deadline" not in said(answer, "slow-x4")


def test_a_time_that_is_open_upwards_is_told_not_taken_for_kept(tmp_path: Path) -> None:
    work = HARDWARE["ledger/p/workloads.yaml"].replace("samples: 3600", "samples: {low: 3600, use: 3600}")
    answer = asked(book_of(tmp_path, workloads=work), deadline=8)
    assert said(answer, "slow-x4")["deadline"] == (8.0, ("high",))


@pytest.mark.parametrize(
    ("limits", "near"),
    [
        ({"deadline": 1}, [("quick-x4", 1.5625, None)]),
        ({"budget": 5}, [("slow-x1", None, 10)]),
        ({"deadline": 4, "budget": 11}, [("slow-x4", None, 12.5), ("slow-x1", 10, None)]),
        ({"deadline": 1, "budget": 5}, [("quick-x4", 1.5625, 18.75), ("slow-x1", 10, 10)]),
        ({"deadline": 4, "budget": 11, "most_gpus": 1}, [("quick-x1", 5, 15), ("slow-x1", 10, None)]),
        ({"cards": ("small",)}, []),
        ({"deadline": 8}, []),
    ],
)
def test_where_none_qualifies_the_nearest_say_what_would_let_them_in(
    book: Book, limits: dict[str, Any], near: list[Any]
) -> None:
    answer = asked(book, **limits)
    assert [(one.choice.id, one.deadline, one.budget) for one in answer.nearest] == near
    for one in answer.nearest:
        wider = limits | {"deadline": one.deadline or limits.get("deadline", 99)}
        wider |= {"budget": one.budget or limits.get("budget", 99)}
        assert one.choice.id in order(asked(book, **wider))


def test_what_comes_first_at_other_prices_is_told_where_it_is_another(book: Book) -> None:
    assert asked(book, cards=("slow",)).turns == ()
    assert asked(book, cards=("slow",), deadline=3.125, budget=12.5).turns == ()
    assert asked(book).turns == (("low", "quick-x1"),)  # $10 in half the time
    assert asked(book, deadline=3, budget=20).turns == (("high", ""),)  # $31.25
    assert asked(book, hour_value=3.5).turns == (("low", "quick-x4"),)  # $12.50, as much as slow-x4


def test_a_card_without_any_setup_is_told(book: Book) -> None:
    assert asked(book, cards=("slow", "unused")).absent == ("unused",)


def test_a_provider_has_the_lists_that_the_project_names_or_all_its_lists_the_newest_first(book: Book) -> None:
    assert lists_of(book.ledger, "p", "here") == ("ours",)
    assert lists_of(book.ledger, "p", "there") == ("new", "old")
    assert lists_of(book.ledger, "p", "nobody") == ()
    there = priced_by(book, "p", ("new", "old"))
    answer = asked(there)
    assert order(answer) == ["quick-x1", "quick-x4", "slow-x1", "slow-x4"]
    assert "cheapest" in said(answer, "quick-x1")
    assert {one.id: float(one.cost) for one in there.tradeoffs["p"][0].points.values()} == {
        "quick-x1": 5,
        "quick-x4": 6.25,
        "slow-x1": 90,
        "slow-x4": 112.5,
    }
    assert book["p.setups.some.quick-x1.usd"].use == 15
