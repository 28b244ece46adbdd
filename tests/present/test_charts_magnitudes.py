"""Amounts that are orders of magnitude apart: all can be seen, on a logarithmic axis that says so."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.charts import Drawing, draw
from reckon.present.charts.range_dots import Magnitude, Magnitudes, of_measurements, scale_of
from reckon.present.view import View
from tests.present.measured import LEDGER
from tests.small import plant

NASTY = "</text><script>alert(1)</script> \"'&amp; \x00\n\u202e 訓練"
ROWS = (
    Magnitude("Generation", "", 3600, "99.996% – 60 min", 1800, 5400),
    Magnitude("Tokenization", "", 0.11, "0.003% – 0.11 s", 0.07, 0.3),
    Magnitude("Decoding", "", 0.03, "0.0008% – 0.03 s"),
)
PICTURE = Magnitudes("Parts of a request", "mean", "s", ROWS, "Generation takes 60 min.")


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return draw(PICTURE)


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter() if each.tag.endswith(("}text", "}tspan"))]


def rows_of(drawn: Drawing) -> list[dict[str, object]]:
    return [row for rows in json.loads(drawn.spec)["datasets"].values() for row in rows]


def test_all_are_named_with_their_values_and_the_axis_says_that_it_is_logarithmic(drawing: Drawing) -> None:
    shown = texts(drawing.svg)
    for words in ("Generation", "Tokenization", "Decoding", "99.996% – 60 min", "mean (s, logarithmic)"):
        assert words in shown
    assert "Lines through points are their ranges." in shown


def test_lines_of_measurements_are_intervals_of_the_mean_and_of_projections_ranges(tmp_path: Path) -> None:
    book, _ = calculate(load(plant(tmp_path, LEDGER))[0])
    pictures = of_measurements(View(book, book.ledger.projects["p"]))
    found = {name.partition("-")[0]: picture.parts for name, picture in pictures.items()}
    assert found == {"breakdown": True, "projection": False}
    assert "Lines through points are 95% intervals of the mean." in texts(draw(replace(PICTURE, parts=True)).svg)


def test_points_are_apart_by_their_ratio() -> None:
    scale = scale_of(ROWS)
    # From 0.03 to 5400 are 5.3 powers of ten; 3600 is 5.1 of them from 0.03.
    whole, part = math.log10(5400 / 0.03), math.log10(3600 / 0.03)
    at = [scale.along(amount) for amount in (0.03, 3600, 5400)]
    assert (at[1] - at[0]) / (at[2] - at[0]) == pytest.approx(part / whole)


def test_amounts_near_each_other_have_a_plain_axis() -> None:
    rows = (Magnitude("a", "", 10, "10"), Magnitude("b", "", 20, "20"))
    assert not scale_of(rows).far
    assert "mean (s)" in texts(draw(Magnitudes("Near", "mean", "s", rows, "Near.")).svg)


def test_zero_stands_at_the_beginning_of_a_logarithmic_axis() -> None:
    rows = (*ROWS, Magnitude("Nothing", "", 0, "0 s"), Magnitude("From zero", "", 1, "1 s", 0, 2))
    picture = Magnitudes("With zero", "mean", "s", rows, "Zero.")
    drawn = draw(picture)
    low = scale_of(rows).low
    assert low > 0
    found = {row["item"]: row for row in rows_of(drawn) if "item" in row}
    assert found["Nothing"]["at"] == low
    assert found["From zero"]["low"] == low
    assert "0 s" in texts(drawn.svg)


def test_one_row_and_nothing_but_zeros_can_be_drawn() -> None:
    for rows in ((ROWS[0],), (Magnitude("a", "", 0, "0"), Magnitude("b", "", 0, "0"))):
        assert draw(Magnitudes("Few", "mean", "s", rows, "Few.")).svg


def test_a_strangers_words_are_harmless() -> None:
    drawn = draw(Magnitudes(NASTY, NASTY, NASTY, (Magnitude(NASTY, NASTY, 1, NASTY, 0.5, 2),), NASTY))
    assert not [one for one in ElementTree.fromstring(drawn.svg).iter() if one.tag.endswith("script")]
    assert "<script" not in drawn.spec


def test_parts_of_a_whole_stand_on_an_axis_from_zero_that_is_never_logarithmic() -> None:
    drawn = draw(replace(PICTURE, parts=True))
    assert "mean (s)" in texts(drawn.svg)
    assert scale_of(ROWS, parts=True).low == 0
    near = (Magnitude("a", "", 10, "10"), Magnitude("b", "", 11, "11"))
    assert scale_of(near).low > 0
    assert scale_of(near, parts=True).low == 0
