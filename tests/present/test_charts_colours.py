"""The colours of pictures: seen on light and dark pages, and any two that meet are told apart by every sight."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from itertools import combinations
from pathlib import Path

import material
import pytest

from reckon.present.charts import draw, palette
from reckon.present.charts.axes import BarPart
from reckon.present.charts.bars import BarRow, Bars
from reckon.present.charts.burn_up import DASHES, INKS, PLAN, SPENT
from reckon.present.charts.frontier import RANGE_OPACITY, SHAPES
from reckon.present.charts.palette import Fill, Look
from tests.present.samples import SAMPLES

SHEET = Path(__file__).parents[2] / "docs" / "assets" / "budget.css"


def dark_ground() -> str:
    """The ground of the site's dark pages: Material's, of the hue that the style of the site gives it."""
    hue = re.search(r'"slate"\] \{\s*--md-hue: (\d+);', SHEET.read_text("utf-8"))
    (sheet,) = (Path(material.__file__).parent / "templates/assets/stylesheets").glob("palette.*.min.css")
    rule = r"--md-default-bg-color:hsla\(var\(--md-hue\), (\d+)%, (\d+)%, 1\)"
    shares = re.search(rule, sheet.read_text("utf-8"))
    assert hue
    assert shares
    saturation, lightness = (int(share) / 100 for share in shares.groups())
    parts = hls_to_rgb(int(hue[1]) / 360, lightness, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


LIGHT, DARK = "#ffffff", dark_ground()
APART = 20
"""The least distance (CIEDE2000) of two colours that nothing else tells apart."""

# Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# IEEE TVCG 15 (6), table of severity 1.0, on linear RGB.
SIGHTS = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}

Lab = tuple[float, float, float]


def dot(weights: Sequence[float], parts: Sequence[float]) -> float:
    return sum(weight * part for weight, part in zip(weights, parts, strict=True))


def linear(colour: str) -> list[float]:
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(ink: str, page: str) -> float:
    """The contrast of WCAG 2."""
    dim, bright = sorted(dot((0.2126, 0.7152, 0.0722), linear(colour)) for colour in (ink, page))
    return (bright + 0.05) / (dim + 0.05)


def lab(rgb: list[float]) -> Lab:
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    x, y, z = (dot(row, rgb) / white for row, white in zip(rows, (0.95047, 1, 1.08883), strict=True))
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(colour: str, sight: str) -> Lab:
    return lab([min(1, max(0, dot(row, linear(colour)))) for row in SIGHTS[sight]])


def ciede2000(here: Lab, there: Lab) -> float:
    """The distance of two colours after Sharma, Wu and Dalal (2005), "The CIEDE2000 Color-Difference Formula".

    Color Research and Application 30 (1); all three weights are 1.
    """
    grey = math.fsum(math.hypot(a, b) for _, a, b in (here, there)) / 2
    stretch = 1.5 - 0.5 * math.sqrt(grey**7 / (grey**7 + 25**7))
    (light, a, b), (other_light, other_a, other_b) = ((each[0], each[1] * stretch, each[2]) for each in (here, there))
    chroma, other = math.hypot(a, b), math.hypot(other_a, other_b)
    hue, other_hue = (math.degrees(math.atan2(*each)) % 360 for each in ((b, a), (other_b, other_a)))
    turn = (other_hue - hue + 180) % 360 - 180 if chroma * other else 0.0
    across = 2 * math.sqrt(chroma * other) * math.sin(math.radians(turn / 2))
    mean = (hue + turn / 2) % 360 if chroma * other else hue + other_hue
    deep, full = (light + other_light) / 2, (chroma + other) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    wave = 1 + math.fsum(size * math.cos(math.radians(times * mean + shift)) for size, times, shift in waves)
    by_light = 1 + 0.015 * (deep - 50) ** 2 / math.sqrt(20 + (deep - 50) ** 2)
    lightness = (other_light - light) / by_light
    colour, tone = (other - chroma) / (1 + 0.045 * full), across / (1 + 0.015 * full * wave)
    bend = math.radians(60 * math.exp(-(((mean - 275) / 25) ** 2)))
    rotation = -math.sin(bend) * 2 * math.sqrt(full**7 / (full**7 + 25**7))
    return math.sqrt(lightness**2 + colour**2 + tone**2 + rotation * colour * tone)


def distance(ink: str, other: str) -> float:
    """The least distance of two colours for any sight."""
    return min(ciede2000(seen(ink, sight), seen(other, sight)) for sight in SIGHTS)


@pytest.mark.parametrize(
    ("here", "there", "far"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_distance_is_that_of_the_published_pairs(here: Lab, there: Lab, far: float) -> None:
    assert ciede2000(here, there) == pytest.approx(far, abs=0.00005)
    assert ciede2000(there, here) == pytest.approx(far, abs=0.00005)


def filled(fills: Mapping[str, Fill]) -> dict[str, tuple[str, str]]:
    return {name: (fill.ink, "surface" if fill.solid else "outline") for name, fill in fills.items()}


def summed(fills: Mapping[str, Fill]) -> dict[str, tuple[str, str]]:
    """Bars of a waterfall: those of sums have bold names."""
    found = filled({fill.name: fill for fill in fills.values()})
    return {**found, palette.SUM.name: (palette.SUM.ink, "bold")}


def looking(looks: Mapping[str, Look]) -> dict[str, tuple[str, str]]:
    """The deep shade of each look. The pale one lies beside it, with a gap between, and has a name of its own."""
    return {name: (look.deep, "surface" if look.solid else "outline") for name, look in looks.items()}


PHASED = {name: look for name, look in palette.USES.items() if name != "spent"}
"""Bars by phase say what was useful, and bars of spending alone what was charged, in one colour."""

# The things that a kind of picture tells apart: each with its colour, and what tells it apart whatever the colour.
KINDS: dict[str, dict[str, tuple[str, str]]] = {
    "waterfall": summed(palette.PARTS),
    "bridge": summed({**palette.STEPS, "total": palette.PARTS["total"]}),
    "memory": filled({f"part {number}": fill for number, fill in enumerate(palette.NEEDS)}),
    "bars": looking(PHASED),
    "spending": looking({name: look for name, look in palette.USES.items() if name != "useful"}),
    "timeline": looking(palette.OUTCOMES),
    "burn-up": {name: (ink, f"line {DASHES[name]}") for name, ink in INKS.items()},
    "frontier": {name: (ink, SHAPES[name]) for name, ink in palette.MERITS.items()},
    "drawdown": {"left": (palette.LEFT, "surface"), "overdrawn": (palette.OVERDRAWN, "surface")},
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_meets_in_a_picture_is_told_apart_by_every_sight(kind: str) -> None:
    for (name, (ink, means)), (other, (other_ink, other_means)) in combinations(KINDS[kind].items(), 2):
        assert means != other_means or distance(ink, other_ink) >= APART, (name, other)
        dark, other_dark = (palette.DARK.get(each, each) for each in (ink, other_ink))
        assert means != other_means or distance(dark, other_dark) >= APART, (name, other)


def test_shades_of_one_use_are_never_taken_for_another_use() -> None:
    solid = [look for look in PHASED.values() if look.solid]
    for look, other in combinations(solid, 2):
        assert min(distance(ink, each) for ink in look[:2] for each in other[:2]) >= APART


def test_two_shades_of_one_colour_lie_a_gap_apart_and_are_named() -> None:
    bars = SAMPLES["Some bars"].specification()["layer"]
    (segments,) = (each for each in bars if each["mark"]["type"] == "bar")
    ends = (segments["mark"][end]["expr"] for end in ("xOffset", "x2Offset"))
    assert [end.removeprefix("-").partition(",")[0] for end in ends] == ["min(1", "min(1"]
    assert any(each["mark"]["type"] == "text" and "inside" in repr(each["encoding"]) for each in bars)


def test_bars_of_one_segment_each_have_one_shade() -> None:
    causes = ("a bug", "an error", "a test")
    use = "lost"
    rows = tuple(BarRow(cause, "", (BarPart(cause, n, f"{n}", use),)) for n, cause in enumerate(causes, 1))
    drawn = Bars("Waste", "GPU-hours", rows, "Alt.").specification()
    assert {row["shade"] for rows in drawn["datasets"].values() for row in rows if "shade" in row} == {use}


def test_an_outline_is_a_tint_inside_a_line_of_the_full_colour() -> None:
    fill = SAMPLES["Budget"].specification()["layer"][2]["encoding"]
    names = fill["fill"]["scale"]["domain"]
    looks = set(zip(names, fill["fill"]["scale"]["range"], fill["stroke"]["scale"]["range"], strict=True))
    assert ("extension", "rgba(121,105,93,0.22)", palette.PLAN_LINE) in looks
    assert ("sum", palette.GREY, palette.GREY) in looks


def test_a_meaning_has_one_colour_in_every_picture() -> None:
    uses, outcomes = palette.USES, palette.OUTCOMES
    assert palette.WORK.ink in uses["planned"][:2]
    assert distance(INKS[PLAN], uses["planned"].deep) < 1
    assert distance(INKS[SPENT], uses["spent"].deep) < 1
    assert uses["spent"].deep == outcomes["completed"].deep
    assert uses["to come"] == outcomes["running"]
    assert distance(uses["to come"].deep, uses["spent"].deep) < 1
    assert not uses["to come"].solid
    assert uses["lost"] == outcomes["failed"]
    assert uses["lost"].deep == palette.OVERDRAWN
    assert palette.PARTS["contingency"].ink == palette.LEFT


def test_lines_are_told_apart_by_their_dashes_too() -> None:
    assert len({tuple(dashes) for dashes in DASHES.values()}) == len(DASHES) == len(INKS)


def every_ink() -> set[str]:
    inks = {ink for kind in KINDS.values() for ink, _ in kind.values()}
    return inks | {ink for look in palette.USES.values() for ink in look[:2]}


def test_every_colour_stands_out_from_light_and_dark_pages() -> None:
    for ink in every_ink():
        assert min(contrast(ink, LIGHT), contrast(palette.DARK.get(ink, ink), DARK)) >= 3, ink


def test_thin_lines_stand_out_more_than_surfaces() -> None:
    for ink in INKS.values():
        assert min(contrast(ink, LIGHT), contrast(palette.DARK[ink], DARK)) >= 4.5, ink


def test_no_colour_of_hours_stands_for_anything_else() -> None:
    hours = {ink for look in palette.USES.values() for ink in look[:2]} | {palette.LEFT}
    others = {*palette.MERITS.values(), *(need.ink for need in palette.NEEDS)}
    assert not hours & others
    assert palette.MERITS["best"] not in {*hours, *(need.ink for need in palette.NEEDS)}


def test_what_is_lost_is_hatched() -> None:
    rule = re.search(r'\[fill\^="([^"]*)"\]\{fill:url\(#lost\)\}', palette.STYLE)
    assert rule
    assert all(fill.startswith(rule[1]) for fill in palette.USES["lost"].fills)
    others = [fill for look in palette.USES.values() if look.deep != palette.RED for fill in look.fills]
    assert not [fill for fill in others if fill.startswith(rule[1])]


@pytest.mark.parametrize("name", ["Burn-up", "12 choices", "Reserve"])
def test_words_interrupt_the_lines_behind_them(name: str) -> None:
    drawn = draw(SAMPLES[name]).svg
    named = re.findall(r'<text[^>]*font-weight="600"[^>]*>', drawn)
    assert named
    assert len([each for each in named if f'stroke="{palette.PAGE}"' in each]) >= len(named) - 2, "all but the title"
    assert "text{paint-order:stroke}" in drawn


def blended(ink: str, page: str, opacity: float) -> str:
    parts = zip(bytes.fromhex(ink[1:]), bytes.fromhex(page[1:]), strict=True)
    return "#" + "".join(f"{round(opacity * above + (1 - opacity) * below):02x}" for above, below in parts)


def test_ranges_of_choices_are_seen_on_light_and_dark_pages() -> None:
    for page, ink in ((LIGHT, palette.TEXT), (DARK, palette.DARK[palette.TEXT])):
        assert contrast(blended(ink, page, RANGE_OPACITY), page) >= 3


def test_words_on_colours_can_be_read() -> None:
    for look in palette.USES.values():
        if look.solid:
            assert contrast(palette.ON_DEEP, look.deep) >= 4.5
            assert contrast(palette.ON_PALE, look.pale) >= 4.5
        for tint in palette.TINTS if not look.solid else ():
            for page, ink in ((LIGHT, palette.TEXT), (DARK, palette.DARK[palette.TEXT])):
                assert contrast(ink, blended(look.deep, page, tint)) >= 4.5, look


def test_words_on_parts_of_a_need_can_be_read() -> None:
    for ink, dark in palette.PART_INKS.items():
        assert contrast(palette.ON_PART, ink) >= 4.5
        assert contrast(palette.DARK[palette.ON_PART], dark) >= 4.5


def test_no_ink_that_changes_is_used_for_anything_else() -> None:
    """A line and an outline are one thing; surfaces keep their colours."""
    fixed = {ink for look in palette.USES.values() if look.solid for ink in look[:2]} | {
        palette.ON_DEEP,
        palette.ON_PALE,
    }
    fixed |= {part.ink for part in palette.BARS.values() if part.solid} | {
        palette.LEFT,
        palette.OVERDRAWN,
        palette.AMBER,
    }
    assert not fixed & palette.DARK.keys()


def test_outlines_of_hours_stand_out_from_a_dark_page_as_lines_do() -> None:
    outlines = [part.ink for part in palette.BARS.values() if not part.solid] + [palette.USES["to come"].deep]
    for ink in outlines:
        assert contrast(palette.DARK.get(ink, ink), DARK) >= 4.5, ink


def test_a_known_part_of_a_need_looks_alike_in_every_picture_and_no_other_part_does() -> None:
    whole = palette.looks_of_needs(["Weights", "KV cache", "Activations", "CUDA"])
    some = palette.looks_of_needs(["Server", "CUDA", "Trainer", "Weights"])
    assert (some["Weights"], some["CUDA"]) == (whole["Weights"], whole["CUDA"])
    assert not {some["Server"], some["Trainer"]} & {*whole.values()}
    assert len({*palette.looks_of_needs([f"part {n}" for n in range(8)]).values()}) == 8
