"""A stretch of time of a picture: it says how far the data go, refuses in words of ours, and is said to be there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser import Page
from reckon.present.charts import Picture
from reckon.present.charts.burn_up import BurnUp, Fan
from reckon.present.charts.timeline import Lane, Span, Timeline
from test_pictures_answer import BURN_UP, FIELDS, TOLD, drawn, of, status, typed, use  # noqa: F401  (fixtures)

pytestmark = pytest.mark.full

# The plan begins before what was charged, on 3 January, and the forecast ends after it; 1 h has no date.
AHEAD = BurnUp(
    "Used",
    "h",
    (("2025-01-02", 1.0), ("2025-01-03", 5.5), ("2025-01-05", 12.0)),
    "Alt.",
    (("2024-12-28", 0.0), ("2025-01-20", 20.0)),
    Fan("2025-01-05", 12.0, "2025-01-30", 18.0, 20.0, 25.0),
)
PLANNED = BurnUp("Planned", "h", (), "Alt.", (("2025-01-01", 0.0), ("2025-01-20", 20.0)))
APART = Timeline(
    "Runs",
    (Lane("a"),),
    (
        Span(0, "2025-01-02", "2025-01-05", "completed", "a"),
        Span(0, "2025-01-20", "2025-01-22", "failed", "b"),
    ),
    "Alt.",
)


@pytest.mark.parametrize(
    ("picture", "first", "last", "told"),
    [
        (AHEAD, "2025-01-04", "2025-01-05", "6.5 h charged"),
        (AHEAD, "2025-01-04", "2025-01-04", "0 h charged"),  # among the data, nothing is nothing
        (AHEAD, "2025-01-04", "2025-01-06", "6.5 h charged; the data go through 2025-01-05"),
        (AHEAD, "2025-01-06", "2025-01-30", "no data; the data go through 2025-01-05"),
        (AHEAD, "2024-12-28", "2025-01-02", "no data; the data begin on 2025-01-03"),
        (AHEAD, "2024-12-28", "2025-01-03", "4.5 h charged"),
        (PLANNED, "2025-01-02", "2025-01-03", "no data"),
        (APART, "2025-01-05", "2025-01-19", "no run"),
        (APART, "2025-01-21", "2025-01-21", "runs of the bars shown: 1 failed"),
    ],
)
def test_a_stretch_says_how_far_the_data_go(
    drawn: Callable[[Picture], Page],  # noqa: F811
    picture: Picture,
    first: str,
    last: str,
    told: str,
) -> None:
    page = drawn(picture)
    said = typed(page, "figure", first, last)
    assert said.partition(": ")[2] == told


def test_the_day_that_the_data_go_through_is_that_of_the_page(status: Page) -> None:  # noqa: F811
    use(status, BURN_UP)
    through = status.ask("document.querySelector('article a[href$=\"pace.through\"]').textContent")
    assert typed(status, BURN_UP, "2025-07-01", "2025-07-02") == (
        f"From 2025-07-01 to 2025-07-02: no data; the data go through {through}"
    )


def test_days_that_make_no_stretch_are_refused_in_words_of_ours(status: Page) -> None:  # noqa: F811
    """Not in those of the browser, which are in its own language and stand in a bubble."""
    use(status, BURN_UP)
    first, last = status.ask(f"{of(BURN_UP, FIELDS)}.map(field => field.value)")
    right = f"days from {first} to {last} can be shown."
    odd = f"{of(BURN_UP, FIELDS)}.map(field => field.getAttribute('aria-invalid'))"
    assert typed(status, BURN_UP, "2025-05-02", "2025-05-01") == "2025-05-02 is after 2025-05-01."
    assert status.ask(odd) == ["true", "true"]
    assert typed(status, BURN_UP, "2024-05-02") == f"2024-05-02 is before the picture: {right}"
    assert status.ask(odd) == ["true", None]
    assert typed(status, BURN_UP, "2025-05-01", "2031-01-01") == f"2031-01-01 is after the picture: {right}"
    assert typed(status, BURN_UP, "2025-05-01", "") == f"A day is missing or does not exist: {right}"
    assert status.ask(f"document.querySelector('{BURN_UP} .chart-span output').className") == "refused"
    assert status.ask(f"document.querySelector('{BURN_UP} form.chart-span').noValidate"), "a bubble would say it again"
    assert typed(status, BURN_UP, "2025-05-01", "2025-05-01").startswith("On 2025-05-01: ")
    assert status.ask(f"document.querySelector('{BURN_UP} .chart-span output').className") == ""
    assert status.ask(odd) == [None, None]


def test_a_reader_is_told_that_a_picture_can_be_dragged_over(status: Page) -> None:  # noqa: F811
    seen = "[...document.querySelectorAll('figcaption .chart-hint')].filter(hint => hint.checkVisibility())"
    hints = f"{seen}.map(hint => hint.closest('figure').dataset.spec)"
    assert status.ask(hints) == ["burn-up.vl.json"], "before it is used"
    button = f"document.querySelector('{BURN_UP} .chart-begin').textContent"
    assert status.ask(button) == "Use this picture, or a stretch of its time"
    use(status, BURN_UP)
    assert status.ask(hints) == [], "then it stands beside the fields"
    described = f"document.getElementById({of(BURN_UP, FIELDS)}[0].getAttribute('aria-describedby')).textContent"
    assert "Drag over the picture" in status.ask(described)
