"""Every kind of picture: what it refuses, what it shows, and that its surroundings do not show."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import fields, replace
from pathlib import Path

import pytest

from reckon.present.charts import Bar, Drawing, Picture, Waterfall, draw, fingerprint, is_current
from reckon.present.charts import picture as picture_module
from reckon.present.charts.axes import BarPart, lanes
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.burn_up import INKS, BurnUp, DrawnLimit, Fan
from reckon.present.charts.drawdown import Drawdown, DrawdownStep
from reckon.present.charts.frontier import Dot, Frontier
from reckon.present.charts.memory import Memory, Room
from reckon.present.charts.timeline import Lane, Span, Timeline

ROOT = Path(__file__).resolve().parents[2]
NASTY = "</text><script>alert(1)</script> \"'&amp; \x00\n\u202e\ud800 訓練"

BURN_UP = BurnUp(
    "Used over time",
    "GPU-hours",
    (("2025-01-30", 0.0), ("2025-02-03T23:30:00-05:00", 40.0), ("2025-03-01", 90.0)),
    "90 GPU-hours are used.",
    plan=(("2025-01-30", 0.0), ("2025-06-30", 400.0)),
    fan=Fan("2025-03-01", 90, "2025-06-15", 300, 380, 520, "300–520 GPU-h"),
    limits=(DrawnLimit("Final budget", 400, "400 GPU-h"), DrawnLimit("Ceiling", 410, "410 GPU-h")),
    days=(("2025-06-30", "grant ends"),),
)
ROWS = (
    BarRow(
        "planned", "Training", (BarPart("seed 0", 50, "50", "planned"), BarPart("seed 1", 50, "50", "planned")), "100"
    ),
    BarRow(
        "spent",
        "Training",
        (BarPart("seed 0", 60, "60", "spent"), BarPart("crash", 20, "20", "lost")),
        "80",
    ),
    BarRow("to come", "Evaluation", (BarPart("seed 1", 0.01, "0.01", "to come"),), "0.01"),
)
BARS = Bars("By phase and seed", "GPU-hours", ROWS, "100 are planned.")
DRAWDOWN = Drawdown(
    "Contingency",
    "GPU-hours",
    "2025-01-01",
    100,
    (
        DrawdownStep("2025-02-01", 70, 1, "70", "power cut"),
        DrawdownStep("2025-03-05", 65, 2, "65"),
        DrawdownStep("2025-03-06", 64, 3, "64"),
        DrawdownStep("2025-05-01", -20, 4, "−20", "bug"),
    ),
    "2025-06-30",
    "It is overdrawn by 20.",
)
TIMELINE = Timeline(
    "Runs",
    (Lane("seed 0", "Training"), Lane("seed 1", "Training"), Lane("all", "Evaluation")),
    (
        Span(0, "2019-01-01T00:00", "2019-01-01T00:05", "failed", "short"),
        Span(0, "2019-02-01", "2021-02-01", "completed", "long"),
        Span(0, "2020-02-01", "2021-03-01", "completed", "beside it"),
        Span(2, "2025-01-01", "2025-02-01", "running", "last"),
    ),
    "Four runs.",
)
FRONTIER = Frontier(
    "Cost against time",
    (Dot("a", "Four", 1.5, 80, "1.5 h", "best", 1, 70, 90), Dot("b", "One", 40, 30, "40 h", "best", 2)),
    "hours",
    "USD",
    "Four are faster.",
)
MEMORY = Memory(
    "Memory", "GB", (Room("a", "", 24, "20 of 24 GB", "fits"),), (BarPart("weights", 20, "20 GB"),), "It fits."
)
PICTURES: dict[str, Picture] = {
    "burn_up": BURN_UP,
    "bars": BARS,
    "drawdown": DRAWDOWN,
    "timeline": TIMELINE,
    "frontier": FRONTIER,
    "memory": MEMORY,
}


@pytest.fixture(scope="module")
def drawings() -> dict[str, Drawing]:
    return {name: draw(picture) for name, picture in PICTURES.items()}


def texts(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg).iter()
    return [each.text or "" for each in found if each.tag.endswith(("}text", "}tspan"))]


def widths(svg: str, colour: str) -> list[float]:
    """The widths of the bars with a line of `colour`, in pixels, from top to bottom as drawn."""
    bars = re.findall(rf'<path d="M[^"]*?h(-?[\d.]+)v[^"]*"[^>]*stroke="{colour}"', svg)
    return [float(width) for width in bars]


@pytest.mark.parametrize("name", PICTURES)
def test_each_kind_is_drawn_and_known_again(name: str, drawings: dict[str, Drawing]) -> None:
    picture, drawn = PICTURES[name], drawings[name]
    assert is_current(drawn.svg, picture, drawn.spec)
    assert not is_current(drawn.svg, replace(picture, title="Another"), drawn.spec)
    assert draw(picture) == drawn
    assert picture.title in texts(drawn.svg)
    assert "NaN" not in drawn.svg
    assert "null" not in drawn.svg
    assert "://" not in drawn.spec
    assert json.loads(drawn.spec)["usermeta"]["dark"]["#58606e"] == "#a7afbc"


def test_another_kind_with_the_same_words_has_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    class Doubled(Drawdown):
        pass

    monkeypatch.setattr(picture_module, "DRAWING", {**picture_module.DRAWING, Doubled: 1})
    same = {field.name: getattr(DRAWDOWN, field.name) for field in fields(DRAWDOWN)}
    assert fingerprint(Drawdown(**same)) == fingerprint(DRAWDOWN) != fingerprint(Doubled(**same))


@pytest.mark.full
def test_no_time_zone_language_or_hash_shows(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    program = """
import sys
sys.path.insert(0, "tests/present")
from test_charts_kinds import PICTURES
from reckon.present.charts import draw
for picture in PICTURES.values():
    drawn = draw(picture)
    sys.stdout.buffer.write((drawn.svg + drawn.spec).encode())
"""

    def run(**environment: str) -> bytes:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT")}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, cwd=ROOT, env=kept | environment, check=True, capture_output=True).stdout

    here = run(PYTHONHASHSEED="1", TZ="America/Los_Angeles", LC_ALL="C", PYTHONPATH=str(ROOT))
    there = run(
        PYTHONHASHSEED="2",
        TZ="Pacific/Kiritimati",
        LC_ALL="de_DE.UTF-8",
        PYTHONPATH=str(ROOT),
        FONTCONFIG_FILE=str(tmp_path / "fonts.conf"),
        HOME=str(tmp_path),
    )
    assert here == there
    assert here.count(b"<svg") == len(PICTURES)


@pytest.mark.parametrize(
    "picture",
    [
        BurnUp(
            NASTY,
            NASTY,
            (("2025-01-01", 1.0),),
            NASTY,
            fan=Fan("2025-01-01", 1, "2025-01-02", 1, 2, 3, NASTY),
            limits=(DrawnLimit(NASTY, 3, NASTY),),
            days=(("2025-01-02", NASTY),),
        ),
        Bars(NASTY, NASTY, (BarRow(NASTY, NASTY, (BarPart(NASTY, 9, NASTY, "planned"),), NASTY),), NASTY),
        Drawdown(NASTY, NASTY, "2025", 5, (DrawdownStep("2025-02", 4, 1, NASTY, NASTY),), "2025-03", NASTY),
        Timeline(NASTY, (Lane(NASTY, NASTY),), (Span(0, "2025", "2026", "completed", NASTY),), NASTY),
    ],
    ids=lambda picture: type(picture).__name__,
)
def test_a_strangers_words_are_harmless(picture: Picture) -> None:
    drawn = draw(picture)
    names = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(drawn.svg).iter()}
    assert names <= {"svg", "title", "desc", "style", "defs", "pattern", "g", "path", "line", "rect", "text", "tspan"}
    assert drawn.svg.replace("\n", "").isprintable()
    assert not set("<>&\x00") & set(drawn.spec)
    assert not any("訓" in text for text in texts(drawn.svg))


@pytest.mark.parametrize(
    "picture",
    [
        BurnUp("One run", "h", (("2025-01-01", 0.0),), "a"),
        BurnUp("Nothing yet", "h", (), "a", plan=(("2025-01-01", 0.0), ("2025-01-01", 0.0))),
        BurnUp("Corrected", "h", (("2025-01-01", 3.0), ("2026-01-01", -2.0)), "a"),
        BurnUp("Ages", "h", (("0001", 1e-9), ("9999-12-31", 1e15)), "a", days=(("0001", "a"), ("9999", "b"))),
        Bars("Nothing", "h", (BarRow("nothing", "", ()), BarRow("nothing", "", (BarPart("a", 0, "0", "spent"),))), "a"),
        Drawdown("Untouched", "h", "2025", 0, (), "2025", "a"),
        Timeline("At once", (Lane("a"),), (Span(0, "2025-01-01", "2025-01-01", "running", "a"),), "a"),
    ],
    ids=lambda picture: picture.title,
)
def test_the_smallest_and_oddest_can_be_drawn(picture: Picture) -> None:
    drawn = draw(picture)
    assert "NaN" not in drawn.svg
    assert "undefined" not in drawn.svg
    assert "Infinity" not in drawn.svg


def test_a_burn_up_names_its_lines_limits_and_days(drawings: dict[str, Drawing]) -> None:
    shown = texts(drawings["burn_up"].svg)
    for words in (
        "spent",
        "plan",
        "forecast",
        "380 GPU-h",
        "Final budget",
        "400 GPU-h",
        "Ceiling",
        "grant ends",
    ):
        assert words in shown
    assert "GPU-hours" in shown
    months = ["Feb", "2025", "Mar", "Apr", "May", "Jun"]
    assert [text for text in shown if text in months] == months


def test_what_answers_to_the_pointer_is_in_the_specification_only(drawings: dict[str, Drawing]) -> None:
    for name in ("burn_up", "drawdown"):
        drawn = drawings[name]
        assert [layer for layer in json.loads(drawn.spec)["layer"] if layer.get("name") == "hover"]
        assert drawn.svg.count('opacity="0"') == 0
    assert "300–520 GPU-h" in json.loads(drawings["burn_up"].spec)["datasets"].__repr__()


def test_labels_of_near_limits_are_apart() -> None:
    limits = tuple(DrawnLimit(f"L{n}", 1000 + n / 10, f"{n}") for n in range(8))
    svg = draw(replace(BURN_UP, limits=limits)).svg
    heights = [float(y) for y in re.findall(r'translate\([\d.]+,(-?[\d.]+)\)"[^>]*>L\d<', svg)]
    assert len(heights) == 8
    gaps = [abs(one - other) for one, other in zip(sorted(heights), sorted(heights)[1:], strict=False)]
    assert min(gaps) >= 30


def test_bars_are_headed_named_and_numbered(drawings: dict[str, Drawing]) -> None:
    shown = texts(drawings["bars"].svg)
    keys = ("planned", "spent", "to come", "lost")
    for words in ("Training", "Evaluation", "to come", "100", "80", *keys):
        assert words in shown
    assert shown.count("Training") == 1
    assert shown.count("seed 1") == 1  # the other one is too small to be named


def test_wasted_and_forecast_hours_are_outlines(drawings: dict[str, Drawing]) -> None:
    svg = drawings["bars"].svg
    assert widths(svg, "#655cd2")
    assert 'fill="rgba(214,69,69,' in svg
    assert 'fill="#d64545"' not in svg
    assert 'fill="#655cd1"' in svg


def test_the_smallest_amount_stays_visible(drawings: dict[str, Drawing]) -> None:
    assert all(abs(width) > 0.5 for width in widths(drawings["bars"].svg, "#655cd1"))
    svg = drawings["timeline"].svg
    assert re.search(r'<path d="M[^"]*"[^>]*stroke="#d64545" stroke-width="1"', svg)


def test_a_drawdown_numbers_its_steps_and_shows_what_is_overdrawn(drawings: dict[str, Drawing]) -> None:
    shown = texts(drawings["drawdown"].svg)
    assert [text for text in shown if re.fullmatch(r"[1-4](, [1-4])?", text)] == ["1", "2, 3", "4"]
    overdrawn = 'fill="#d64545"'
    assert overdrawn in drawings["drawdown"].svg
    within = replace(DRAWDOWN, steps=DRAWDOWN.steps[:-1])
    assert overdrawn not in draw(within).svg


def test_changes_of_one_moment_do_not_add_up() -> None:
    steps = (
        DrawdownStep("2025-01-01", 90, 1, "90"),
        DrawdownStep("2025-02-01", 60, 2, "60"),
        DrawdownStep("2025-02-01", 50, 3, "50"),
    )
    svg = draw(replace(DRAWDOWN, steps=steps)).svg
    edge = re.search(r'<path d="([^"]*)"[^>]*stroke="#0ea5a4"', svg)
    assert edge
    heights = [float(height) for height in re.findall(r",(-?[\d.]+)", edge[1])]
    assert 0 < min(heights) < max(heights) < 300


def test_runs_at_once_lie_side_by_side(drawings: dict[str, Drawing]) -> None:
    bars = {row["run"]: row for row in rows_of(drawings["timeline"]) if "run" in row}
    assert bars["short"]["height"] > bars["long"]["height"] == bars["beside it"]["height"]
    gap = abs(bars["long"]["aside"] - bars["beside it"]["aside"])
    assert gap > bars["long"]["height"]
    assert {"Training", "Evaluation", "seed 0", "seed 1", "all"} <= set(texts(drawings["timeline"].svg))


def rows_of(drawn: Drawing) -> list[dict[str, object]]:
    return [row for rows in json.loads(drawn.spec)["datasets"].values() for row in rows]


def test_an_offset_moves_the_moment(drawings: dict[str, Drawing]) -> None:
    at = {row["level"]: row["at"] for row in rows_of(drawings["burn_up"]) if row.get("series") == "spent"}
    assert at[40.0] == 1738643400000  # 2025-02-04 04:30 UTC


def test_each_line_has_its_name_at_its_end_and_no_key(drawings: dict[str, Drawing]) -> None:
    spec = json.loads(drawings["burn_up"].spec)
    assert not any(channel.get("legend") for layer in spec["layer"] for channel in layer["encoding"].values())
    ends = {
        row["label"]: (row["level"], row["value"])
        for row in rows_of(drawings["burn_up"])
        if "series" in row and "label" in row
    }
    assert ends == {"spent": (90, "90 GPU-h"), "forecast": (380, "380 GPU-h"), "plan": (400, "400 GPU-h")}


def test_a_name_has_the_colour_of_its_line(drawings: dict[str, Drawing]) -> None:
    for words, series in (("spent", "spent"), ("plan", "plan"), ("forecast", "forecast"), ("380 GPU-h", "forecast")):
        assert re.search(rf'<text[^>]* fill="{INKS[series]}"[^>]*>{words}</text>', drawings["burn_up"].svg), words


def test_the_plan_is_marked_on_the_bars_below_it() -> None:
    rows = (*ROWS[:1], replace(ROWS[1], planned=100.0))
    drawn = draw(replace(BARS, rows=rows))
    ticks = [each for each in json.loads(drawn.spec)["layer"] if each["mark"]["type"] == "tick"]
    assert len(ticks) == 1
    assert [row["planned"] for row in rows_of(drawn) if "planned" in row] == [100]
    assert not [each for each in BARS.specification()["layer"] if each["mark"]["type"] == "tick"]


def test_no_part_of_a_bar_looks_longer_than_it_is() -> None:
    sizes = (400, 5, 4, 3, 2, 1)
    parts = tuple(BarPart(f"{size}", size, f"{size}", "spent") for size in sizes)
    svg = draw(Bars("Bars", "GPU-hours", (BarRow("spent", "", parts),), "Alt.")).svg
    drawn = re.findall(r'<path d="M[^"]*?h([\d.]+)v[^"]*"[^>]*stroke-width="([\d.]+)"', svg)
    looks = [float(width) + float(line) for width, line in drawn]
    assert len(looks) == len(sizes)
    scale = (looks[0] + 1) / 400  # a long one ends a pixel early, where the gap is
    assert all(look <= size * scale + 0.05 for look, size in zip(looks, sizes, strict=True))
    assert looks == sorted(looks, reverse=True)


def across(svg: str, words: str) -> list[float]:
    """How far from the left of the plane some words are, in pixels."""
    return [float(x) for x in re.findall(rf'translate\(([\d.]+),[\d.]+\)"[^>]*>{re.escape(words)}</text>', svg)]


def test_a_name_stands_beside_a_plan_that_is_marked_across_it() -> None:
    part = BarPart("to come", 100, "100", "to come")
    free, marked = (
        draw(Bars("Bars", "GPU-hours", (BarRow("forecast", "One", (part,), "100", plan),), "Alt.")).svg
        for plan in (None, 80.0)
    )
    (middle,), (left,) = across(free, "to come"), across(marked, "to come")
    assert left == pytest.approx(0.8 * middle, abs=0.1)


def test_the_range_of_a_forecast_is_a_line_below_its_end() -> None:
    row = BarRow("forecast", "One", (BarPart("to come", 100, "100", "to come"),), "100", 80.0, (90.0, 110.0))
    spec = Bars("Bars", "GPU-hours", (row,), "Alt.").specification()
    (rule,) = (each for each in spec["layer"] if each["mark"].get("yOffset"))
    assert [{"key": "0001forecast", "low": 90.0, "high": 110.0}] in spec["datasets"].values()
    assert rule["mark"]["type"] == "rule"


def test_a_value_stands_behind_a_limit_that_would_run_through_it() -> None:
    bars = tuple(Bar(f"bar {end}", 0, end, "subtotal", f"{end}") for end in (50, 95, 120))
    limit = DrawnLimit("Ceiling", 100.0, "100")
    free, limited = (draw(Waterfall("Sum", "GPU-hours", bars, "Alt.", limits=limits)).svg for limits in ((), (limit,)))
    moved = [across(limited, f"{end}")[-1] - across(free, f"{end}")[-1] for end in (50, 95, 120)]
    assert moved[1] > 20
    assert max(abs(moved[0]), abs(moved[2])) < 2


def test_failed_runs_lie_at_the_foot_of_their_lane(drawings: dict[str, Drawing]) -> None:
    bars = {row["run"]: row for row in rows_of(drawings["timeline"]) if "run" in row}
    foot = bars["short"]["aside"] - bars["short"]["height"] / 2
    assert all(bars[run]["aside"] + bars[run]["height"] / 2 < foot for run in ("long", "beside it", "last"))


def test_what_has_no_group_is_a_line_away_from_the_group_before_it() -> None:
    found = lanes((Lane("seed 0", "Training"), Lane("Unplanned"), Lane("Unassigned")))
    assert found.lines == ["0000", "0001seed 0", "0002", "0003Unplanned", "0004Unassigned"]


def test_failed_runs_are_counted_beside_their_lanes(drawings: dict[str, Drawing]) -> None:
    assert [words for words in texts(drawings["timeline"].svg) if words.endswith(" failed")] == ["1 failed"]
    several = tuple(replace(span, outcome="failed", runs=600) for span in TIMELINE.spans)
    shown = texts(draw(replace(TIMELINE, spans=several)).svg)
    assert [words for words in shown if words.endswith(" failed")] == ["1,800 failed", "600 failed"]


def test_what_is_left_stands_at_the_end_of_a_drawdown(drawings: dict[str, Drawing]) -> None:
    assert "−20" in texts(drawings["drawdown"].svg)


def test_a_long_title_stands_in_lines_that_fit_wide_and_narrow() -> None:
    finding = "4× NVIDIA GeForce RTX 5090 takes 6.6 h for $21.19; nothing cheaper is faster, and nothing faster cheaper"
    spec = json.loads(draw(replace(FRONTIER, title=finding, about="Which to rent")).spec)
    narrow = spec["usermeta"]["narrow"]
    assert " ".join(spec["title"]["text"]) == " ".join(narrow["title"]["text"]) == finding
    assert max(map(len, spec["title"]["text"])) <= 78
    assert max(map(len, narrow["title"]["text"])) <= 38
    assert spec["title"]["subtitle"][0].startswith("Which to rent · Lines through points")
    assert [each["value"] for each in (spec["params"][0], narrow["params"][0])] == [False, True]
    assert narrow["width"] * 2 == spec["width"]


def test_a_key_has_as_many_columns_as_there_is_room_for() -> None:
    beaten = replace(FRONTIER, points=(FRONTIER.points[0], replace(FRONTIER.points[1], standing="dominated")))
    columns = []
    for picture in (BARS, beaten):
        spec = picture.specification()
        columns.append([each["config"]["legend"]["columns"] for each in (spec, spec["usermeta"]["narrow"])])
    assert columns == [[4, 2], [2, 1]]
