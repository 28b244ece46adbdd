"""Ten ledgers of cases.yaml through what people read: status page, budget page, terminal, statement and review."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.audit import data_through
from reckon.compute.calculation import calculate
from reckon.language.quantity import point
from reckon.load.reader import load
from reckon.model.figure import Figure
from reckon.present.render.numbers import use_text
from tests.charges.shorthand import merged
from tests.charges.test_engine import ALLOCATION, CASES, address_of
from tests.charges.trees import write_tree
from tests.test_flow import budget

TEN = (
    "01-two-payers",
    "02-two-grants-one-card",
    "04-whole-nodes",
    "05-credits",
    "06-dollar-award",
    "07-euros",
    "09-changes",
    "10-quarters",
    "p12-refund",
    "mock",
)
SHOWN = ("charged", "left", "granted", "to_do")


def as_printed(figure: Figure, wanted: Any) -> str:
    """What is right, in the form in which a figure is printed."""
    exact = replace(figure, value=point(Fraction(str(wanted))))
    in_money = any(kind.startswith("money") for kind, _ in figure.unit.kinds)
    return (figure.unit.symbol if in_money else "") + use_text(exact)


def payers_of(name: str) -> dict[str, dict[str, Any]]:
    """What is right of each payer of a case, by the first word of its key."""
    found: dict[str, dict[str, Any]] = {}
    for key, wanted in CASES[name]["expect"].items():
        word, _, payer = key.partition(".")
        if payer in merged(CASES, name).get("allocations", {}) and word in SHOWN:
            found.setdefault(payer, {})[word] = wanted
    return found


@pytest.mark.parametrize("name", TEN)
def test_a_case_reads_right_wherever_it_is_read(name: str, tmp_path: Path) -> None:
    write_tree(tmp_path, merged(CASES, name))
    figures = calculate(load(tmp_path)[0])[0].figures
    assert budget(tmp_path, "render").returncode == 0
    status = (tmp_path / "docs/p/status.md").read_text("utf-8")
    first = (tmp_path / "docs/p/index.md").read_text("utf-8")
    terminal = budget(tmp_path, "status", "--items").stdout
    seen = 0
    for payer, right in payers_of(name).items():
        title = payer.capitalize()
        # Its row among the limits, and its own lines below these.
        told = re.findall(rf"^{title}[ ,].*|^  {title}[:,][^\n]*(?:\n    .*)*", terminal, re.MULTILINE)
        row = [part.strip(";,") for part in " ".join(told).split()]
        for word, wanted in right.items():
            address = address_of(f"{word}.{payer}")
            text = as_printed(figures[address], wanted)
            if f"[{address}]" in status:
                assert f"[{text}][{address}]" in status, (payer, word)
                seen += 1
            if f"[{address}]" in first:
                assert f"[{text}][{address}]" in first or f"[{text} GPU-h][{address}]" in first, (payer, word)
            plain = text.lstrip("$€").replace("−", "-")
            assert plain in [part.lstrip("$€").replace("−", "-") for part in row], (payer, word, row)
    if (spent := CASES[name]["expect"].get("money.spent")) is not None:
        text = as_printed(figures["p.money.actual"], spent)
        assert f"[{text}][p.money.actual]" in status.replace("][money.", "][p.money.")
        seen += 1
    assert seen


PERIODS = {"09-changes": ("2026-Q1", "2026-04-30"), "p20-node-hour-award": ("2025-04", "2025-05-30")}
"""What is closed of a ledger, and on which day; of others the month of the first run, a month later."""


@pytest.mark.parametrize("name", [*(name for name in TEN if name != "p12-refund"), "p20-node-hour-award"])
def test_a_statement_has_what_was_charged_in_all(name: str, tmp_path: Path) -> None:
    ledger = merged(CASES, name)
    first = str(ledger["runs"][0].get("date") or ledger["runs"][0]["start"])[:10]
    later = (date.fromisoformat(first) + timedelta(days=31)).isoformat()
    period, day = PERIODS.get(name, (first[:7], later))
    write_tree(tmp_path, {**ledger, "project": {**ledger["project"], "as_of": day}})
    figures = calculate(load(tmp_path)[0])[0].figures
    closed = []
    for payer, right in payers_of(name).items():
        if "charged" in right and right["charged"] != "0":
            done = budget(tmp_path, "close", period, "--allocation", payer, "--date", day)
            closed += [payer] if done.returncode == 0 else []
            assert done.returncode == 0 or "there is nothing to close" in done.stderr, done.stderr
    assert budget(tmp_path, "render").returncode == 0
    assert closed
    for payer in closed:
        page = (tmp_path / f"docs/allocations/{payer}.md").read_text("utf-8")
        text = as_printed(figures[f"allocations.{payer}.used"], payers_of(name)[payer]["charged"])
        assert re.search(rf"\[{re.escape(text)}( [^\]]*)?\]\[{payer}\.used\]", page), (payer, text)


@pytest.mark.parametrize("name", TEN)
def test_a_review_says_what_the_last_run_changed_by_payer(name: str, tmp_path: Path) -> None:
    ledger = merged(CASES, name)
    before, now = tmp_path / "before", tmp_path / "now"
    write_tree(before, {**ledger, "runs": ledger["runs"][:-1]})
    write_tree(now, ledger)
    was, book = (calculate(load(root)[0])[0].figures for root in (before, now))
    text = budget(now, "review", str(before)).stdout
    for payer, right in payers_of(name).items():
        address = f"allocations.{payer}.left"
        if "left" in right and was[address].use != book[address].use:
            shown = as_printed(book[address], right["left"])
            row = next(line for line in text.splitlines() if line.startswith(f"| Left of “{payer.capitalize()}”"))
            assert shown in row.split("|")[3].replace("GPU-h", "").split(), row


def test_data_go_to_the_last_cost_and_to_the_end_of_a_run_of_which_the_start_is_known(tmp_path: Path) -> None:
    ledger = merged(CASES, "06-dollar-award")
    write_tree(tmp_path / "costs", ledger)
    assert data_through(load(tmp_path / "costs")[0].projects["p"]) == "2026-08-31"
    late = {"start": "2026-09-03T20:00", "item": "fit", "gpu": "h100", "gpus": 1, "wall_hours": 30}
    write_tree(tmp_path / "late", {**ledger, "runs": [*ledger["runs"], late]})
    assert data_through(load(tmp_path / "late")[0].projects["p"]) == "2026-09-05"


@pytest.mark.parametrize(
    ("name", "payer", "asked"),
    [
        ("09-changes", "g", "200 GPU-h of “G”"),  # 450 to do, 250 left
        ("10-quarters", "q2", "220 GPU-h of “Q2”"),  # 280 to do, 60 left
        ("p12-refund", "g", "600 GPU-h of “G”"),  # 1,000 to do with 10 %, 500 left
        ("01-two-payers", "uni", "what is left of it covers the work to do"),
        ("04-whole-nodes", "booster", "what is left of it covers the work to do"),  # 1,624 of 4,046.5 node-hours
        ("mock", "uni", "what is left of it covers the work to do"),
    ],
)
def test_an_application_asks_for_what_a_grant_lacks(name: str, payer: str, asked: str, tmp_path: Path) -> None:
    write_tree(tmp_path, merged(CASES, name))
    done = budget(tmp_path, "application", "p", "--grant", payer)
    assert asked in done.stdout + done.stderr


def review_of(tmp_path: Path, name: str, before: dict[str, Any], now: dict[str, Any]) -> str:
    """What `review` says first of a ledger of which some files are others."""
    ledger = merged(CASES, name)
    write_tree(tmp_path / "before", {**ledger, **before})
    write_tree(tmp_path / "now", {**ledger, **now})
    text: str = budget(tmp_path / "now", "review", str(tmp_path / "before")).stdout
    return text.partition("<details")[0]


def test_a_review_names_an_entry_of_money(tmp_path: Path) -> None:
    runs = merged(CASES, "06-dollar-award")["runs"]
    costs = [run for run in runs if run.get("item") == "api"]
    assert len(costs) == 1
    text = review_of(tmp_path, "06-dollar-award", {"runs": [run for run in runs if run not in costs]}, {})
    assert "entries without hours of api, 2026-08: 0 → 1, 0 → 75 USD" in text


def test_a_review_names_a_job_that_is_queued(tmp_path: Path) -> None:
    runs = merged(CASES, "11-promised")["runs"]
    text = review_of(tmp_path, "11-promised", {"runs": [run for run in runs if run.get("status") != "queued"]}, {})
    assert "queued jobs of train, 2026-02: 0 → 1" in text


def test_a_review_says_what_became_of_a_refund(tmp_path: Path) -> None:
    grant = merged(CASES, "p12-refund")["allocations"]["g"]
    change = grant["changes"][0]
    smaller = {"g": {**grant, "changes": [{**change, "refunded": 100}]}}
    text = review_of(tmp_path, "p12-refund", {"allocations": smaller}, {})
    assert "changes: refunded 100 → refunded 160" in text
    one_less = {"g": {key: value for key, value in grant.items() if key != "changes"}}
    text = review_of(tmp_path / "none", "p12-refund", {"allocations": one_less}, {})
    assert f"changes: nothing → date {change['date']}, refunded 160" in text


def test_the_words_of_payers_are_all_read() -> None:
    assert set(SHOWN) <= set(ALLOCATION)
    assert len(TEN) == 10 == len({*TEN} & set(CASES))
