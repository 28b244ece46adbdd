"""Figures stay in one line with their units, by hand-written lines; what is no text stays as it is."""

from __future__ import annotations

import re

import pytest

from reckon.publish.no_break import LONGEST, undivided
from reckon.publish.site_markup import laid_out


def kept(markdown: str) -> list[str]:
    """What is kept in one line of a text; without the elements around it, the text is what it was."""
    staged = undivided(markdown)
    assert re.sub(r'<wbr>|<bdi class="unit">|</bdi>', "", staged) == markdown
    return re.findall(r'<bdi class="unit">(.*?)</bdi>', staged)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Of [1,535 GPU-h][budget.final], 16.7 h and **44 GiB** are left.", ["1,535 GPU-h", "16.7 h", "44 GiB"]),
        ("8.2 GPU-h/d, $1.80/GPU-h, 104 GiB/GPU, 3 s", ["8.2 GPU-h/d", "$1.80/GPU-h", "104 GiB/GPU", "3 s"]),
        ("−5 GPU-h, ≥ 5 GPU-h, 1–2 h/epoch", ["−5 GPU-h", "≥ 5 GPU-h", "1–2 h/epoch"]),
        ("Through 2025-06-10: 99–100%, 1.9–2.5×, 2–3", ["99–100%", "1.9–2.5×", "2–3"]),
        ("a-2025-06-10, 2025-06-10-abc, 1–2–3, v1–2", []),
        ("1.145 × 10⁻⁴ s, 4.3 × 10²³, 5 × 10 GPUs", ["1.145 × 10⁻⁴ s", "4.3 × 10²³", "10 GPUs"]),
        ("Laptop CPU (x86-64), x86-641, ax86-64", ["x86-64"]),
        ("1 d 12 h on 4 GPUs", ["1 d", "12 h", "4 GPUs"]),
        ("| GPU-hours | Hours booked as GPU-h |", ["GPU-hours", "GPU-h"]),
        ("> ### Hours booked as GPU-hours", ["GPU-hours"]),
        ("5 hours in 2025 days, 3 seeds, 5 GPU-houses, xGPU-h, v1.5 h", ["3 seeds"]),
    ],
)
def test_a_figure_and_its_unit_are_kept_together(text: str, wanted: list[str]) -> None:
    assert kept(text) == wanted


def test_a_long_range_may_break_behind_its_dash() -> None:
    assert kept("381,632–483,392 GPU-h") == ["381,632–483,392 GPU-h"]
    longer = "1,381,632–1,483,392 GPU-h"
    assert len(longer) > LONGEST
    assert kept(longer) == ["1,483,392 GPU-h"]


@pytest.mark.parametrize(
    ("figure", "wanted"),
    [
        ("1,260–1,398 GPU-h", '<bdi class="range">1,260–1,398</bdi> <bdi class="unit">GPU-h</bdi>'),
        ("27.9–37.3 GiB", '<bdi class="unit">27.9–37.3 GiB</bdi>'),
        ("9 (8–10)", '9 (<bdi class="range">8–10</bdi>)'),
        ("GPU-h", '<bdi class="unit">GPU-h</bdi>'),
        ("16.7 h", '<bdi class="unit">16.7 h</bdi>'),
    ],
)
def test_in_a_column_of_figures_a_number_may_stand_above_gpu_hours(figure: str, wanted: str) -> None:
    """Only so do the columns that matter have room on a telephone."""
    text = f"| Figure | Note | Is |\n|---|---|---:|\n| Final | of 5–9 GPU-h | {figure} |\n"
    row = laid_out(text, "own.md").splitlines()[-1]
    assert row == f'| Final | of <bdi class="unit">5–9 GPU-h</bdi> | {wanted} |'


@pytest.mark.parametrize(
    "text",
    [
        "# Takes 5 GPU-h",  # the heading that is the title of its page
        "`5 GPU-h` and ``a ` 5 GPU-h``",
        "`a code\nof 5 GPU-h in two lines`",
        "```\n5 GPU-h\n```",
        "    5 GPU-h",
        "![1,094 GPU-h are charged](burn-up.svg)",
        '[a](b.md "5 GPU-h")',
        '[budget.final]: derivations.md "5 GPU-h"',
        '<img alt="5 GPU-h">',
        "<!-- 5 GPU-h -->",
        '<script type="application/json">{"text": "5 GPU-h < 6 GPU-h"}</script>',
    ],
)
def test_what_is_no_text_stays(text: str) -> None:
    assert undivided(text) == text


def test_front_matter_stays_and_the_rest_is_laid_out() -> None:
    text = "---\ntitle: 5 GPU-h\n---\n\nOf 5 GPU-h.\n"
    assert laid_out(text, "own.md") == '---\ntitle: 5 GPU-h\n---\n\nOf <bdi class="unit">5 GPU-h</bdi>.\n'
    assert '<bdi class="unit">5 GPU-h</bdi>' in laid_out(text, "guide/own.md")
