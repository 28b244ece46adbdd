"""The parts of pictures: moments, ticks, thinned lines, and labels that keep apart."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from reckon.present.charts.axes import DAY, MOST_POINTS, MOST_TICKS, BarPart, Point, ends, moment, thinned, time_x
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.time_plane import RULE_LENGTH, RULE_LINE, Plane, levels, marked_days, merged, ruled, spread


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1970-01-01", 0),
        ("1970", 0),
        ("1970-02", 31 * DAY),
        ("1970-01-01T00:00:01Z", 1000),
        ("1970-01-01 02:00+02:00", 0),
        ("1969-12-31T22:30:00-01:30", 0),
        ("2024-02-29", 1709164800000),
        ("0001-01-01", -62135596800000),
    ],
)
def test_moments_are_read_in_utc(text: str, milliseconds: int) -> None:
    assert moment(text) == milliseconds


@pytest.mark.parametrize(
    ("low", "high", "first"),
    [
        ("2025-03-01T10:20", "2025-03-01T15:10", "2025-03-01T11:00"),
        ("2025-03-01", "2025-03-06", "2025-03-01"),
        ("2025-03-01", "2025-04-01", "2025-03-03"),  # weeks begin on Monday
        ("2025-01-15", "2025-06-15", "2025-02"),
        ("1969-06-15", "1971-06-15", "1969-07"),
        ("2019-03-05", "2024-03-05", "2020"),
        ("0001", "9999", "2000"),
    ],
)
def test_ticks_are_round_and_few(low: str, high: str, first: str) -> None:
    ticks = time_x("at", moment(low), moment(high))["axis"]["values"]
    assert 2 <= len(ticks) <= MOST_TICKS
    assert ticks[0] == moment(first)
    assert all(moment(low) <= tick <= moment(high) for tick in ticks)


def test_a_single_moment_has_time_around_it() -> None:
    assert ends(["2025-01-01"]) == (moment("2024-12-31T12:00"), moment("2025-01-01T12:00"))
    assert ends(["2025-02", "2025-01"]) == (moment("2025-01"), moment("2025-02"))


def step_line(chance: random.Random, points: int, falls: bool) -> list[Point]:
    at, level, line = 0, 0.0, []
    for _ in range(points):
        at += chance.choice([0, 1, 5, 4000])
        level += chance.uniform(-2 if falls else 0, 3)
        line.append((at, level))
    return line


@pytest.mark.parametrize("falls", [False, True])
def test_a_long_line_is_thinned_without_changing_its_look(falls: bool) -> None:
    line = step_line(random.Random(7), 20_000, falls)
    short = thinned(line)
    assert len(short) <= MOST_POINTS
    assert (short[0], short[-1]) == (line[0], line[-1])
    assert set(short) <= set(line)
    assert short == sorted(short, key=lambda point: point[0])
    # In each strip of the picture that is 3 pixels wide (of 600), the line reaches as high and as low as before.
    strip = (line[-1][0] + 1) / 200
    for number in range(200):
        before, after = ([p[1] for p in some if number <= p[0] / strip < number + 1] for some in (line, short))
        reach = max(line, key=lambda p: p[1])[1] / 50
        assert not before or (after and abs(max(before) - max(after)) < reach and abs(min(before) - min(after)) < reach)


def test_a_spike_survives_thinning() -> None:
    line = [(at, 5.0) for at in range(20_000)]
    line[7_777], line[7_778] = (7_777, 90.0), (7_778, -40.0)
    assert {(7_777, 90.0), (7_778, -40.0)} <= set(thinned(line))


def test_a_short_line_is_left_alone() -> None:
    line = step_line(random.Random(1), MOST_POINTS, falls=True)
    assert thinned(line) == line


@pytest.mark.parametrize("seed", range(20))
def test_labels_are_spread(seed: int) -> None:
    chance = random.Random(seed)
    places = [chance.uniform(0, 300) for _ in range(chance.randint(1, 8))]
    found = spread(places, 31, 300)
    assert all(other - one >= 31 - 1e-9 for one, other in pairwise(sorted(found)))
    assert min(found) >= 0
    assert max(found) <= 300 + 1e-9
    order = sorted(range(len(places)), key=places.__getitem__)
    assert order == sorted(range(len(places)), key=found.__getitem__)


def test_labels_with_room_stay_where_they_are() -> None:
    assert spread([200, 10, 100], 31, 300) == [200, 10, 100]
    assert spread([100, 100], 30, 300) == [85, 115]
    assert spread([], 30, 300) == []


def test_labels_that_would_touch_get_levels() -> None:
    assert levels([(0, 10), (5, 15), (12, 20), (30, 40)]) == [0, 1, 0, 0]


def test_what_has_no_level_of_its_own_lies_on_the_one_that_ends_the_soonest() -> None:
    assert levels([(0, 30), (1, 20), (2, 10), (3, 15), (12, 40)], most=2) == [0, 1, 1, 1, 1]
    assert levels([(0, 30), (1, 20), (2, 60), (25, 40), (31, 40)], most=2) == [0, 1, 1, 0, 0]


def test_numbers_that_would_touch_are_merged() -> None:
    assert merged([0, 5, 9, 30], lambda first, last: 10) == [(0, 2), (3, 3)]
    assert merged([0, 12, 25], lambda first, last: 10) == [(0, 0), (1, 1), (2, 2)]


def test_a_long_label_of_a_day_stands_in_lines_and_has_one_rule() -> None:
    """It is whole, and stands above the label that it would meet on a small screen."""
    plane = Plane.around(["2025-01-01", "2025-12-31"], [1.0])
    rows = marked_days((("2025-12-31", "End of Spring grant on the cluster"), ("2025-01-01", "Start")), plane)
    assert [(row["label"], row["line"]) for row in rows] == [
        ("the cluster", 2),
        ("End of Spring grant on", 3),
        ("Start", 0),
    ]
    (rules, words), height = ruled(rows, plane.x)
    assert [row["line"] for row in rules["data"]["values"]] == [3, 0]
    assert words["mark"]["dx"]["expr"] == "datum.align === 'left' ? 3 : datum.align === 'right' ? -3 : 0"
    assert len(words["data"]["values"]) == 3
    assert height == 4 * RULE_LINE


def test_a_rule_does_not_cross_the_lines_of_a_label_in_its_middle() -> None:
    plane = Plane.around(["2025-01-01", "2025-12-31"], [1.0])
    (rules, _), _ = ruled(marked_days((("2025-07-01", "End of Spring grant on the cluster"),), plane), plane.x)
    assert [row["line"] for row in rules["data"]["values"]] == [0]


def test_a_bar_does_not_say_again_what_stands_beside_it() -> None:
    parts = (("failed", 3), ("other", 2))
    segments = tuple(BarPart(part, Fraction(hours), f"{hours} GPU-h", "lost") for part, hours in parts)
    picture = Bars("A", "GPU-hours", (BarRow("failed", "", segments, "5"),), "B")
    rows = [row for rows in picture.specification()["datasets"].values() for row in rows if "inside" in row]
    assert {row["inside"] for row in rows} == {"", "other"}


def test_a_label_of_a_day_has_three_lines_at_most() -> None:
    plane = Plane.around(["2025-01-01", "2025-12-31"], [1.0])
    (*_, first) = rows = marked_days((("2025-12-31", "End of " + "many words " * 20),), plane)
    assert [row["line"] for row in rows] == [0, 1, 2]
    assert first["label"] == "End of many words many"
    assert rows[0]["label"].endswith("…")
    assert all(len(row["label"]) <= RULE_LENGTH for row in rows)
