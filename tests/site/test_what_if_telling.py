"""What the page of what if says in words: which totals move, which limits are short, and why a value is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from browser import Browser, Page
from test_what_if_page import CELLS, on_page, served, tree

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def opened(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    at = tmp_path_factory.mktemp("telling")
    with served(chromium, tree("birdsong", at / "tree"), "birdsong", at / "web") as page:
        yield page


@pytest.fixture
def birdsong(opened: Page) -> Page:
    """1,200 GPU-hours and 15% are 1,380, of a ceiling of 1,420; at $1.90 an hour on an A100 and $0.95 on an L40S."""
    on_page(opened, "(it.change(new Map()), null)")
    assert on_page(opened, "it.told.textContent") == "This is the plan as it stands."
    return opened


def typed(page: Page, address: str, text: str) -> str:
    """The sentence once a value is typed."""
    on_page(page, f"(it.type(it.fields.get('{address}').input, '{text}', false), null)")
    said: str = on_page(page, "it.told.textContent")
    return said


@pytest.mark.parametrize(
    ("contingency", "final", "left"),
    [
        ("18", "1,416 GPU-h", "left 4 GPU-h"),
        ("20", "1,440 GPU-h", "short by 20 GPU-h"),
        ("15-20", "1,380–1,440 GPU-h", "short by up to 20 GPU-h"),
        ("20-25", "1,440–1,500 GPU-h", "short by 20–80 GPU-h"),
        ("15%+", "≥ 1,380 GPU-h", "short by an open amount"),
    ],
)
def test_how_far_a_budget_is_above_its_ceiling(birdsong: Page, contingency: str, final: str, left: str) -> None:
    """A sentence says what is short, and the table also what is left."""
    said = typed(birdsong, "birdsong.contingency", contingency)
    assert said.startswith(f"Final budget: {final}, where 1,380 GPU-h are planned. Final budget, in money: ")
    assert (f"Newly broken: Ceiling, for the whole budget ({left})." in said) is left.startswith("short")
    assert on_page(birdsong, CELLS)["birdsong.budget.below_ceiling"] == left


def test_how_far_above_where_nobody_knows_what_to_plan_with(birdsong: Page) -> None:
    """360 and 3 x 600, and at most 3 x 500 for fine-tuning: 2,160 to 3,660, and 15%."""
    typed(birdsong, "birdsong.plan.pretrain.gpu_hours", "600")
    said = typed(birdsong, "birdsong.plan.finetune.gpu_hours", "<500")
    assert said.startswith("Final budget: 2,484–4,209 GPU-h, where 1,380 GPU-h are planned. ")
    assert said.endswith("\nNewly broken: Ceiling, for the whole budget (short by 1,064–2,789 GPU-h).")


def test_the_ceiling_is_told_once(birdsong: Page) -> None:
    """Two more seeds are 600 GPU-hours, with 15% 690; 40 of the ceiling were left, and 100 by the work to do."""
    said = typed(birdsong, "birdsong.seeds", "5")
    cells = on_page(birdsong, CELLS)
    assert cells["birdsong.ceiling"] == "short by 500 GPU-h"
    assert said.splitlines()[1:] == ["Newly broken: Ceiling, for the whole budget (short by 650 GPU-h)."]


def test_what_a_change_breaks_and_fixes_stands_apart_from_what_was_broken(birdsong: Page) -> None:
    limits = [
        ("Grant", "short by 3 GPU-h", "left 2 GPU-h"),
        ("Credits", "short by $5", "short by $4"),
        ("Ceiling", "left 2 GPU-h", "short by 1 GPU-h"),
        ("Node-hours", "short by 3", "run the command below"),
        ("Workstations", "left 9 GPU-h", "left 8 GPU-h"),
    ]
    rows = [
        {
            "shown": {"address": title, "limit": title, "title": title},
            "was": {"text": was},
            "cells": [{"textContent": now}],
        }
        for title, was, now in limits
    ]
    said = birdsong.ask(f"budgetWhatIf.summary('p', {json.dumps(rows)}, ['', ''])")
    assert said.splitlines()[1:] == [
        "Newly broken: Ceiling (short by 1 GPU-h).",
        "Broken before too: Credits (short by $4).",
        "Fixed: Grant (left 2 GPU-h).",
    ]


def test_a_price_moves_money_and_the_sentence_says_so(birdsong: Page) -> None:
    """48 of the 1,200 hours are 80 on an L40S: 1,152 x 2.40 + 80 x 0.95 are 2,840.80, with 15% they are 3,266.92."""
    said = typed(birdsong, "catalog.prices.example-cloud.usd_per_gpu_hour.a100-80gb", "2.4")
    assert said == ("Final budget: 1,380 GPU-h, as planned. Final budget, in money: $3,267, where $2,605 are planned.")


def test_an_extension_moves_the_extended_budget_and_the_sentence_says_so(birdsong: Page) -> None:
    """1,380 and 300 of the larger model, at $1.90: 2,605 and 570."""
    said = typed(birdsong, "birdsong.plan.larger-model.gpu_hours", "300")
    assert said == (
        "Final budget: 1,380 GPU-h, as planned. "
        "Extended budget: 1,680 GPU-h, where 1,580 GPU-h are planned. "
        "Extended budget, in money: $3,175, where $2,985 are planned."
    )


def test_an_estimate_moves_what_follows_from_estimates(birdsong: Page) -> None:
    estimate = on_page(birdsong, "[...it.fields.keys()].find(each => each.includes('.estimate'))")
    said = typed(birdsong, estimate, "1000")
    assert said.startswith("Final budget: 1,380 GPU-h, as planned. Final budget (from estimates): ")


def test_a_link_with_a_refused_value_shows_the_plan_and_says_why(birdsong: Page) -> None:
    birdsong.ask("location.hash = '#set=seeds=1001'")
    birdsong.ask("(window.before = true, location.reload())")
    birdsong.wait("!window.before && Boolean(document.querySelector('.what-if')?.whatIf?.refused)")
    assert on_page(birdsong, "it.told.textContent") == (
        "Not calculated: 1001 is not a number of seeds; write a whole number from 1 to 1000, or a list [0, 1, 2]. "
        "The figures show the plan."
    )
    assert on_page(birdsong, CELLS)["birdsong.budget.final"] == "1,380 GPU-h"
    changes = on_page(birdsong, "it.results.map(({cells}) => cells[1].textContent)")
    assert set(changes) == {"–"}
    codes = "[...it.told.querySelectorAll('code')].map(each => each.textContent)"
    assert on_page(birdsong, codes) == ["1001", "[0, 1, 2]"]


def test_figures_before_a_refusal_stay_and_are_said_to(birdsong: Page) -> None:
    typed(birdsong, "birdsong.contingency", "20")
    said = typed(birdsong, "birdsong.seeds", "1,000")
    assert said.endswith(" The figures show the last valid values.")
    assert on_page(birdsong, CELLS)["birdsong.budget.final"] == "1,440 GPU-h"


def test_what_an_address_has_that_the_page_has_not_is_said(birdsong: Page) -> None:
    birdsong.ask("location.hash = '#card=tpu&set=nonsense=4&set=contingency=20%25'")
    birdsong.wait("document.querySelector('.what-if').whatIf.set.size === 1")
    said = on_page(birdsong, "it.told.textContent")
    assert said.startswith("Final budget: 1,440 GPU-h, where")
    assert said.endswith("The address of this page also has card=tpu and nonsense, which cannot be changed here.")
    assert "address of this page" not in typed(birdsong, "birdsong.contingency", "25")


def test_what_is_changed_is_marked_and_no_other(birdsong: Page) -> None:
    marked = "[...document.querySelectorAll('.what-if-set label')].map(each => each.textContent)"
    assert birdsong.ask(marked) == []
    typed(birdsong, "birdsong.contingency", "20")
    assert birdsong.ask(marked) == ["Contingency"]
    on_page(birdsong, "it.reset.click()")
    assert birdsong.ask(marked) == []


def test_a_figure_is_not_broken_from_its_unit_nor_at_a_dash(birdsong: Page) -> None:
    typed(birdsong, "birdsong.contingency", "15-20")
    whole = "[...it.told.querySelectorAll('.what-if-whole')].map(each => each.textContent)"
    assert on_page(birdsong, whole) == ["1,380–1,440 GPU-h,", "1,380 GPU-h", "$2,605–2,718,", "20 GPU-h)."]


def test_copy_says_that_it_copied_until_something_else_is_changed(birdsong: Page) -> None:
    typed(birdsong, "birdsong.contingency", "20")
    on_page(birdsong, "it.copy.click()")
    birdsong.wait("document.querySelector('.what-if').whatIf.copy.textContent === 'Copied ✓'")
    typed(birdsong, "birdsong.contingency", "25")
    assert on_page(birdsong, "it.copy.textContent") == "Copy"


def test_the_sentence_and_the_command_stay_while_the_table_scrolls(birdsong: Page) -> None:
    """On a screen of 1440 x 900 only the table scrolls; totals and limits come first in it."""
    chrome = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    birdsong.browser.call("Emulation.setDeviceMetricsOverride", chrome, birdsong.session)
    typed(birdsong, "birdsong.contingency", "20")
    tops = "[it.told, it.undo, it.commandLine].map(each => each.getBoundingClientRect().top)"
    before = on_page(birdsong, tops)
    assert on_page(birdsong, "(it.table.place.scrollTop = 300, it.table.place.scrollTop)") == 300
    assert on_page(birdsong, tops) == before
    scrolls = "it.told.parentElement.scrollHeight - it.told.parentElement.clientHeight"
    assert on_page(birdsong, scrolls) == 0
    groups = "[...it.place.querySelectorAll('.what-if-group')].map(each => each.textContent)"
    assert on_page(birdsong, groups) == [
        "Totals",
        "Limits, less the budget",
        "Limits, less what is spent and planned",
        "Budget",
        "Phases",
        "Money",
        "By the estimates",
    ]
