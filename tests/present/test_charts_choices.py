"""Pictures of choices: cost against time, and memory needed against memory there is."""

from __future__ import annotations

import json
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from math import ceil, floor, inf, log, log10, nextafter
from types import SimpleNamespace

import pytest

from reckon.present.charts import Drawing, axes, draw
from reckon.present.charts.axes import MOST_TICKS, BarPart, Scale
from reckon.present.charts.burn_up import DrawnLimit
from reckon.present.charts.frontier import HEIGHT, WIDTHS, Dot, Frontier, written
from reckon.present.charts.memory import Memory, Room
from reckon.present.charts.time_plane import OVER, Box, Taken, around

NASTY = "</text><script>alert(1)</script> \"'&amp; \x00\n\u202e\ud800 訓練"

DOTS = (
    Dot("fast", "4× H100", 1.3, 15.9, "1.3 h, $15.90", "best", 1, 12.7, 19.7),
    Dot("even", "4× A100", 2.2, 15.0, "2.2 h, $15", "frontier", 2),
    Dot("cheap", "RTX 3090", 13.5, 5.7, "13.5 h, $5.70", "frontier", 3, 4.7, 6.8),
    Dot("poor", "B200", 3.6, 17.8, "3.6 h, $17.80", "dominated", 4, 13, 23.3),
)
FRONTIER = Frontier("Cost against time", DOTS, "hours", "USD", "The cheapest takes 13.5 h.", "cheap")

PARTS = (BarPart("weights", 14, "14 GB"), BarPart("cache", 2, "2 GB"), BarPart("nothing", 0, "0 GB"))
ROOMS = (
    Room("RTX 3090", "Consumer", 24, "16 of 24 GB", "fits"),
    Room("RTX 2080", "Consumer", 12, "16 of 12 GB", "does not fit"),
    Room("Unheard of", "Other", None, "", "not known", (BarPart("weights", 28, "28 GB"),)),
)
MEMORY = Memory("Memory", "GB", ROOMS, PARTS, "It fits one.", (DrawnLimit("limit of A40", 40, "40 GiB"),))


@pytest.fixture(scope="module")
def frontier() -> Drawing:
    return draw(FRONTIER)


@pytest.fixture(scope="module")
def memory() -> Drawing:
    return draw(MEMORY)


def texts(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg).iter()
    return [each.text or "" for each in found if each.tag.endswith(("}text", "}tspan"))]


def rows_of(drawn: Drawing) -> list[dict[str, object]]:
    return [row for rows in json.loads(drawn.spec)["datasets"].values() for row in rows]


def along(path: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", path)]


def test_the_frontier_is_named_and_the_dominated_numbered(frontier: Drawing) -> None:
    shown = texts(frontier.svg)
    for words in (
        "4× H100",
        "(recommended)",
        "RTX 3090",
        "(reference)",
        "4",
        "time (hours)",
        "cost (USD)",
        "another is faster and cheaper",
    ):
        assert words in shown
    assert "B200" not in shown
    assert [row["amount"] for row in rows_of(frontier) if row.get("item") == "4 B200"] == ["3.6 h, $17.80"]


def test_the_line_goes_down_in_steps_and_not_through_the_dominated(frontier: Drawing) -> None:
    line = re.search(r'<path d="([^"]*)"[^>]*stroke="#58606e"[^>]*stroke-width="2"', frontier.svg)
    assert line
    points = along(line[1].replace("L", " ").replace("M", ""))
    assert len(points) >= 5
    assert all(x == to_x or y == to_y for (x, y), (to_x, to_y) in pairwise(points))
    assert points == sorted(points)  # to the right, and down


def test_ranges_of_cost_are_lines_that_are_explained(frontier: Drawing) -> None:
    assert [row for row in rows_of(frontier) if row.get("low") == 12.7 and row.get("high") == 19.7]
    assert any("ranges of their cost" in text for text in texts(frontier.svg))
    exact = tuple(replace(dot, low=None, high=None) for dot in DOTS)
    assert not any("ranges of their cost" in text for text in texts(draw(replace(FRONTIER, points=exact)).svg))


def test_amounts_that_are_far_apart_have_a_logarithmic_axis_that_says_so() -> None:
    far = (*DOTS, Dot("slow", "CPU", 26.1, 5.0, "26 h", "best", 5))
    shown = texts(draw(replace(FRONTIER, points=far)).svg)
    assert "time (hours, logarithmic)" in shown
    assert "cost (USD)" in shown


def dots(count: int, merit: Callable[[int], str], seed: int = 1, name: str = "4× NVIDIA A{}") -> tuple[Dot, ...]:
    chance = random.Random(seed)
    times = [10 ** chance.uniform(0, 1) for _ in range(count)]
    return tuple(
        Dot(f"{n}", name.format(n), time, (cost := 8 / time * chance.uniform(1, 2)), "v", merit(n), n, cost * 0.9)
        for n, time in enumerate(times)
    )


def boxes(rows: list[dict[str, float | str]], picture: Frontier, wide: float) -> list[Box]:
    """The least boxes of words as they are drawn: narrower than reckoned, by half a letter."""
    found = []
    for row in rows:
        x, y = picture.pixel(float(row["time"]), float(row["cost"]), wide)
        lines = str(row["words"]).split("\n")
        width = (6.4 if row["bold"] else 5.5) * max(map(len, lines))
        left = x + float(row["dx"])
        top = y + float(row["dy"])
        found.append(Box(left, top, left + width, top + 13 * len(lines)))
    return found


@pytest.mark.parametrize("count", [1, 4, 12, 40, 300])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("width", WIDTHS)
def test_words_lie_neither_on_each_other_nor_on_points_or_ranges(count: int, seed: int, width: float) -> None:
    points = dots(count, lambda n: "frontier" if n % 4 == 0 else "dominated", seed)
    picture = replace(FRONTIER, points=points, reference="")
    rows = written(picture, width)
    assert rows
    found = boxes(rows, picture, width)
    assert not [pair for pair in combinations(found, 2) if pair[0].meets(pair[1])]
    places = [around(*picture.pixel(dot.time, dot.cost, width), 1, 1) for dot in points]
    for dot in points:
        (x, low), (_, high) = (picture.pixel(dot.time, end, width) for end in dot.ends)
        places.append(Box(x, high, x, low))
    assert not [box for box in found if any(box.meets(place) for place in places)]
    assert all(box.left >= -OVER and box.top >= 0 and box.right <= width and box.bottom <= HEIGHT for box in found)


def test_choices_without_room_for_their_names_are_numbered() -> None:
    near = tuple(
        Dot(f"{n}", f"A long name of choice {n}", 1 + n / 100, 9 - n / 100, "v", "frontier", n) for n in range(60)
    )
    far = Dot("far", "Far away", 30, 1, "30 h", "dominated", 60)
    shown = texts(draw(replace(FRONTIER, points=(*near, far), reference="3")).svg)
    assert len([text for text in shown if text.startswith("A long")]) < 30
    assert len({text for text in shown if re.fullmatch(r"\d\d?", text)} & {f"{n}" for n in range(60)}) > 10
    assert "(reference)" in shown


def test_only_the_first_two_hundred_dominated_and_the_reference_have_numbers() -> None:
    points = dots(1500, lambda n: "dominated")
    apart = [row["words"] for row in written(replace(FRONTIER, points=points, reference=""), WIDTHS[0])]
    assert apart
    assert all(int(number) < 200 for number in apart)
    lone = Dot("lone", "Lone", 9.9, 30.0, "v", "dominated", 1500)
    rows = written(replace(FRONTIER, points=(*points, lone), reference="lone"), WIDTHS[0])
    assert "1500" in [row["words"] for row in rows]


def test_what_has_its_number_alone_is_named_below() -> None:
    points = dots(14, lambda n: "best" if n == 3 else "dominated")
    drawn = draw(replace(FRONTIER, points=points, reference="5"))
    numbers = {int(words) for words in texts(drawn.svg) if words.isdigit() and int(words) < 14}
    named = [words for words in texts(drawn.svg) if ": 4× NVIDIA A" in words]
    assert named == [f"{n}: 4× NVIDIA A{n}{' (reference)' * (n == 5)}" for n in sorted(numbers - {3})]
    narrow = [row["words"] for row in rows_of(drawn) if row.get("down") and row["narrow"]]
    assert len(narrow) == len({row["down"] for row in rows_of(drawn) if row.get("down") and row["narrow"]})
    many = draw(replace(FRONTIER, points=dots(40, lambda n: "dominated"), reference=""))
    assert not [words for words in texts(many.svg) if ": 4× NVIDIA A" in words]


@pytest.mark.full
@pytest.mark.parametrize("merit", ["best", "frontier", "dominated"])
def test_two_thousand_of_a_kind_can_be_drawn(merit: str) -> None:
    svg = draw(replace(FRONTIER, points=dots(2000, lambda n: merit), reference="")).svg
    assert "NaN" not in svg
    assert svg.count("<path") >= 2000


@pytest.mark.parametrize(
    "dot",
    [
        Dot("a", "", 0, 0, "", "best", 1),
        Dot("a", "a", 1e-9, 1e15, "", "frontier", 1),
        Dot("a", "a", 5, 5, "", "dominated", 1, 0, 1e6),
    ],
)
def test_a_single_point_can_be_drawn(dot: Dot) -> None:
    for points in ((dot,), (dot, replace(dot, id="b")), (dot, DOTS[0])):
        svg = draw(replace(FRONTIER, points=points, reference="")).svg
        assert not any(word in svg for word in ("NaN", "Infinity", "undefined"))


def test_a_lone_point_has_its_mark() -> None:
    alone = draw(replace(FRONTIER, points=DOTS[:1], reference="")).svg
    assert re.search(r'<path transform="[^"]*" d="M-[\d.]+,0L0,-[^"]*Z" fill="#d67a0c"', alone)


@pytest.mark.parametrize(
    ("amounts", "far", "first"),
    [
        ([1, 20], False, None),
        ([1, 20.5], True, 1),
        ([0, 1000], False, None),
        ([1e-6, 1e9], True, 1e-6),
        ([3, 70], True, 3),
    ],
)
def test_scales_hold_their_amounts(amounts: list[float], far: bool, first: float | None) -> None:
    scale = Scale.around(amounts)
    assert scale.far == far
    assert all(0 <= scale.along(amount) <= 1 for amount in amounts)
    if first is not None:
        ticks = scale.ticks()
        assert 2 <= len(ticks) <= MOST_TICKS
        assert all(scale.low <= tick <= scale.high for tick in ticks)
        assert ticks[0] == first or first == 3


def test_words_on_a_logarithmic_axis_hang_on_no_library_of_mathematics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some words stand midway between two tenths of a pixel; logarithms differ in the last digit between machines."""
    chance = random.Random(7)
    for count in range(3, 15):
        many = [10 ** chance.uniform(0, 3) for _ in range(2 * count)]
        names = ["x" * chance.randint(7, 20) for _ in range(count)]
        dots = [
            replace(DOTS[1], id=f"setup-{n}", number=n, label=name, time=time, cost=cost)
            for n, (name, time, cost) in enumerate(zip(names, many[:count], many[count:], strict=True), 1)
        ]
        picture = replace(FRONTIER, points=dots, reference="")
        exact = picture.specification()
        for way in (-inf, inf):

            def nearly(number: float, way: float = way) -> float:
                return nextafter(log(number), way)

            mathematics = SimpleNamespace(log=nearly, log10=log10, floor=floor, ceil=ceil)
            with monkeypatch.context() as patch:
                patch.setattr(axes, "math", mathematics)
                assert replace(picture).specification() == exact


def test_near_amounts_fill_their_axis_and_others_begin_at_zero() -> None:
    assert Scale.around([100, 105]).low > 90
    assert Scale.around([1, 3]).low == 0
    assert Scale.around([0.1, 0.1]).low > 0


def test_words_are_led_to_their_point_from_further_away() -> None:
    plane = Taken(200, 200)
    near = plane.place(100, 100, (40, 10), (8, 20))
    assert near
    assert near.lead is None
    plane.take([around(100, 100, 10, 10)])
    away = plane.place(100, 100, (40, 10), (8, 40))
    assert away
    assert away.lead is not None
    assert not away.box.meets(near.box)
    assert plane.place(100, 100, (400, 10), (8, 40)) is None


def test_memory_says_what_fits_in_words(memory: Drawing) -> None:
    shown = texts(memory.svg)
    for words in ("16 of 24 GB – fits", "16 of 12 GB – does not fit", "not known", "Consumer", "RTX 2080", "weights"):
        assert words in shown
    assert shown.count("Consumer") == 1
    framed = "Grey frames are the memory that can be used."
    assert framed in shown
    assert framed not in texts(draw(replace(MEMORY, rows=ROOMS[2:])).svg), "there is none"


def test_the_limit_that_tells_yes_from_no_is_a_firm_line_with_its_name(memory: Drawing) -> None:
    rules = [(row["label"], row["low"], row["firm"]) for row in rows_of(memory) if "firm" in row]
    assert rules == [("limit of A40 40 GiB", 40, True)]
    assert "limit of A40 40 GiB" in texts(memory.svg)
    assert 'stroke-dasharray="1,0"' in memory.svg


def test_needs_are_stacked_and_a_row_may_have_its_own(memory: Drawing) -> None:
    parts = [row for row in rows_of(memory) if "part" in row]
    assert [(row["low"], row["high"]) for row in parts] == [(0, 14), (14, 16), (0, 14), (14, 16), (0, 28)]
    bars = [row for row in rows_of(memory) if row.get("verdict")]
    assert [row["high"] for row in bars] == [24, 12]  # what is not known has no bar


@pytest.mark.parametrize(
    "picture",
    [
        Memory("Nothing", "GB", (Room("a", "", None, "", ""),), (), "a"),
        Memory("Empty", "GB", (Room("a", "", 0, "", "tight"),) * 2, (BarPart("p", 0, "0"),), "a"),
        Memory(
            "Spans",
            "GB",
            (Room("a", "", 1e-9, "", "fits"),),
            (BarPart("p", 1e15, "x"),),
            "a",
            (DrawnLimit("l", 0, ""),),
        ),
    ],
    ids=lambda picture: picture.title,
)
def test_the_smallest_and_oddest_memory_can_be_drawn(picture: Memory) -> None:
    svg = draw(picture).svg
    assert not any(word in svg for word in ("NaN", "Infinity", "undefined"))


@pytest.mark.parametrize(
    "picture",
    [
        Frontier(NASTY, (Dot(NASTY, NASTY, 1, 2, NASTY, "best", 1),), NASTY, NASTY, NASTY, NASTY),
        Memory(
            NASTY,
            NASTY,
            (Room(NASTY, NASTY, 2, NASTY, "fits"),),
            (BarPart(NASTY, 1, NASTY),),
            NASTY,
            (DrawnLimit(NASTY, 1, NASTY),),
        ),
    ],
    ids=lambda picture: type(picture).__name__,
)
def test_a_strangers_words_are_harmless(picture: Frontier | Memory) -> None:
    drawn = draw(picture)
    names = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(drawn.svg).iter()}
    assert names <= {"svg", "title", "desc", "style", "defs", "pattern", "g", "path", "line", "rect", "text", "tspan"}
    assert drawn.svg.replace("\n", "").isprintable()
    assert not set("<>&\x00") & set(drawn.spec)
    assert not any("訓" in text for text in texts(drawn.svg))
