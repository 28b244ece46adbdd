"""Pictures: the same bytes everywhere, redrawn when what decides them changes, harmless whoever wrote them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from reckon.present.charts import Bar, Drawing, Picture, Waterfall, draw, fingerprint, is_current
from reckon.present.charts.picture import drawn_with
from reckon.present.charts.words import UNKNOWN_GLYPH, bundled_glyphs, drawable, tidy
from tests.present.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]

BARS = (
    Bar("Distillation", 0, 5, "one-time", "5"),
    Bar("Fine-tuning", 5, 140, "per-seed", "135"),
    Bar("Subtotal", 0, 140, "subtotal", "140"),
    Bar("Contingency", 140, 161, "contingency", "21"),
    Bar("Total", 0, 161, "total", "161"),
)
BUDGET = Waterfall("Budget by item", "GPU-hours", BARS, "The total is 161 GPU-hours.")

NASTY = "<script>alert(1)</script> ]]> --> \"'&amp; \x00\x1b\n\u202e\ud800\ufffe <img src=x onerror=alert(1)>"

DRAW_IN_A_PROCESS_OF_ITS_OWN = """
import sys
from reckon.present.charts import Bar, Waterfall, draw
bars = (Bar("Entraînement – δ", 0, 0.1, "one-time", "0,1"), Bar("R" * 60, 0.1, 12345.678, "per-seed", "12 345,68"))
drawing = draw(Waterfall("Title", "GPU-hours", bars, "Alt."))
sys.stdout.buffer.write((drawing.svg + drawing.spec).encode())
"""


@pytest.fixture(scope="module")
def drawing() -> Drawing:
    return draw(BUDGET)


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def run(program: str, **environment: str) -> bytes:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT")}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, env=kept | environment, check=True, capture_output=True).stdout


def test_an_untouched_picture_is_current(drawing: Drawing) -> None:
    assert is_current(drawing.svg, BUDGET, drawing.spec)
    assert is_current(drawing.svg.replace("\n", "\r\n"), BUDGET, drawing.spec.replace("\n", "\r\n"))


def test_an_altered_file_is_not_current(drawing: Drawing) -> None:
    assert not is_current(drawing.svg.replace("Subtotal", "Subtotal!"), BUDGET, drawing.spec)
    assert not is_current(drawing.svg, BUDGET, drawing.spec.replace("Subtotal", "Subtotal!"))
    assert not is_current(drawing.svg[:-1], BUDGET, drawing.spec)
    assert not is_current("", BUDGET, "")


@pytest.mark.parametrize(
    "other",
    [
        replace(BUDGET, title="Budget"),
        replace(BUDGET, unit="hours"),
        replace(BUDGET, alt="Another sentence."),
        replace(BUDGET, bars=BARS[:-1]),
        replace(BUDGET, bars=(replace(BARS[0], role="all-seeds"), *BARS[1:])),
        replace(BUDGET, bars=(replace(BARS[0], value="5.0"), *BARS[1:])),
    ],
)
def test_another_picture_has_another_fingerprint(drawing: Drawing, other: Picture) -> None:
    assert fingerprint(other) != fingerprint(BUDGET)
    assert not is_current(drawing.svg, other, drawing.spec)


def test_another_version_of_a_library_has_another_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(BUDGET)
    monkeypatch.setattr("reckon.present.charts.picture._version", lambda: "0")
    drawn_with.cache_clear()
    assert fingerprint(BUDGET) != before
    drawn_with.cache_clear()


def test_describing_and_checking_import_no_drawing_library() -> None:
    program = """
import sys
from reckon.present.charts import Bar, Waterfall, fingerprint, is_current
import reckon.present.charts.picture
assert not is_current("", Waterfall("t", "u", (Bar("a", 0, 1, "one-time", "1"),), "alt"), "")
print(sorted({"altair", "vl_convert", "numpy", "pandas", "narwhals"} & set(sys.modules)))
"""
    assert run(program).strip() == b"[]"


@pytest.mark.full
def test_surroundings_do_not_show(tmp_path: Path) -> None:
    """The time zone, language, hash seed, home, and installed fonts differ; the bytes do not."""
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    fonts = {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    here = run(DRAW_IN_A_PROCESS_OF_ITS_OWN, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C")
    there = run(DRAW_IN_A_PROCESS_OF_ITS_OWN, PYTHONHASHSEED="2", TZ="Asia/Kathmandu", LC_ALL="de_DE.UTF-8", **fonts)
    assert here == there
    assert str(ROOT).encode() not in here


def test_a_strangers_words_are_harmless() -> None:
    bars = (Bar(NASTY, 0, 1, "one-time", NASTY), Bar("#58606e", 1, 2, "per-seed", "1"))
    nasty = Waterfall(NASTY, NASTY, bars, NASTY)
    drawn = draw(nasty)
    assert is_current(drawn.svg, nasty, drawn.spec)
    root = ElementTree.fromstring(drawn.svg)
    names = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert names <= {"svg", "title", "desc", "style", "defs", "pattern", "g", "path", "line", "rect", "text"}
    assert not [name for each in root.iter() for name in each.attrib if name.startswith("on") or "href" in name]
    assert drawn.svg.replace("\n", "").isprintable()
    assert drawn.spec.isascii()
    assert not set("<>&\x00\x1b") & set(drawn.spec)
    assert any(text.startswith("<script>alert(1)</script> ]]>") for text in texts(drawn.svg))


def test_glyphs_that_the_font_lacks_are_replaced() -> None:
    glyphs = bundled_glyphs()
    assert ord(UNKNOWN_GLYPH) in glyphs
    assert ord("…") in glyphs
    assert drawable("日本 80–90 × ½ é", 40) == "□□ 80–90 × ½ é"
    drawn = draw(replace(BUDGET, title="日本 é 🚀", bars=(Bar("訓練", 0, 1, "one-time", "1"),)))
    assert all(ord(character) in glyphs for text in texts(drawn.svg) for character in text)
    items = [row["item"] for rows in json.loads(drawn.spec)["datasets"].values() for row in rows if "item" in row]
    assert items == ["訓練"]  # on hover, where the reader's fonts are at work


def test_long_words_are_cut_by_a_fixed_rule() -> None:
    assert drawable("a" * 36, 36) == "a" * 36
    assert drawable("a" * 37, 36) == "a" * 35 + "…"
    assert drawable("ab cd ef", 7) == "ab cd…"


def test_words_are_put_on_one_line() -> None:
    assert tidy(" a\r\n\tb\u00a0c\u200b\u202e d\u2028e ") == "a b c d e"


def test_bars_of_the_same_name_stay_apart() -> None:
    bars = (Bar("Evaluation", 0, 1, "one-time", "1"), Bar("Evaluation", 1, 3, "per-seed", "2"))
    assert texts(draw(replace(BUDGET, bars=bars)).svg).count("Evaluation") == 2


def test_two_hundred_bars_are_all_named_and_numbered() -> None:
    bars = tuple(Bar(f"Item {i}", i, i + 1, "per-seed", f"v{i}") for i in range(200))
    drawn = draw(replace(BUDGET, bars=bars))
    shown = set(texts(drawn.svg))
    assert {f"Item {i}" for i in range(200)} | {f"v{i}" for i in range(200)} <= shown
    assert float(ElementTree.fromstring(drawn.svg).attrib["height"]) > 200 * 18


@pytest.mark.parametrize("bars", [(Bar("Nothing", 0, 0, "one-time", "0"),), (Bar("Less", 0, -3, "one-time", "−3"),)])
def test_nothing_and_less_can_be_drawn(bars: tuple[Bar, ...]) -> None:
    assert "NaN" not in draw(replace(BUDGET, bars=bars)).svg


def test_nothing_names_another_server(drawing: Drawing) -> None:
    assert "://" not in drawing.spec
    assert drawing.svg.count("://") == drawing.svg.count("http://www.w3.org/")


def test_a_ceiling_is_a_firm_rule_and_what_the_title_names_is_bold() -> None:
    drawn = draw(SAMPLES["Budget"]).svg
    assert "Ceiling 180 GPU-h" in drawn
    bold = {words for weight, words in re.findall(r'font-weight="(\d+)"[^>]*>([^<]+)</text>', drawn) if weight == "600"}
    assert {"Distillation", "Subtotal", "Total"} <= bold
    assert "Further" not in bold
