"""Claims told to the digit where they differ; rows that rounding explains, rows that are missed, digits cut off."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.compute.statements.claims import Check
from reckon.present.render.numbers import format_sentence

# Four rows, each stated with two decimals, as in a published table: 31.22 + 62.44 + 153.90 + 291.42 = 538.98.
ROWS = {"a": "31.22", "b": "62.44", "c": "153.90", "d": "291.42"}
PLAN = "one:\n  title: One\n  items:\n" + "".join(
    f"    {name}: {{title: Row {name.upper()}, scope: one-time, gpu_hours: {hours}}}\n" for name, hours in ROWS.items()
)
RUNS = "- {date: 2026-01-01, item: a, gpu_hours: 10.25}\n- {date: 2026-01-02, item: a, gpu_hours: 3.5}\n"


def checked(ledger: Any, of: str, states: str, **more: str) -> tuple[Check, str]:
    book = ledger(plan=PLAN, claims=f"- {{of: {of}, states: {states}, at: Table}}\n", **more).book()
    (check,) = book.checks["p"]
    (text,) = [
        format_sentence(found.arithmetic) for found in book.findings["p"] if found.rule == "claim-contradicted"
    ] or [""]
    return check, text


@pytest.mark.parametrize(
    ("states", "holds"),
    [
        ("539", True),
        ("539.0", True),
        ("539.00", True),  # 538.98 ± 0.02 reaches 538.995
        ("538.96", True),
        ("538.95", False),
        ("539.01", False),
        ("538", False),
    ],
)
def test_rounded_rows_explain_a_total(states: str, holds: bool, ledger: Any) -> None:
    check, _ = checked(ledger, "budget.final", states)
    assert check.holds is holds


@pytest.mark.parametrize(
    ("states", "says"),
    [
        ("539.02", "stated 539.02 GPU-h (Table), calculated 538.98 GPU-h"),
        ("538.90", "stated 538.90 GPU-h (Table), calculated 538.98 GPU-h"),
        ("538", "stated 538 GPU-h (Table), calculated 538.98 GPU-h; its further digits were cut off, not rounded"),
        ("500", "stated 500 GPU-h (Table), calculated 539 GPU-h"),
        # 538.98 - 153.90 and 538.98 - 62.44
        ("385.08", "stated 385.08 GPU-h (Table), calculated 538.98 GPU-h; Row C is left out"),
        ("477", "stated 477 GPU-h (Table), calculated 539 GPU-h; perhaps Row B is left out"),
        ("476", "stated 476 GPU-h (Table), calculated 539 GPU-h"),
    ],
)
def test_both_numbers_stand_to_the_digit_where_they_differ(states: str, says: str, ledger: Any) -> None:
    assert checked(ledger, "budget.final", states)[1].removesuffix(" (planned)") == says


def test_a_total_that_misses_a_run_names_it(ledger: Any) -> None:
    _, text = checked(ledger, "plan.a.actual", "3.5", runs=RUNS)
    assert text.endswith("; perhaps the run at ledger/p/runs/2025.yaml:1 is left out")


def test_a_count_is_not_rounded(ledger: Any) -> None:
    """Three seeds are three, and a factor of 100 hours is 100: the total moves with what has decimals."""
    for hours, states, holds in (("100.5", "301.7", True), ("100.5", "301.8", False), ("100", "301", False)):
        plan = f"one: {{title: One, items: {{a: {{title: A, scope: per-seed, gpu_hours: {hours}}}}}}}\n"
        claims = f"- {{of: budget.final, states: {states}, at: T}}\n"
        (check,) = ledger(project="seeds: 3\n", plan=plan, claims=claims).book().checks["p"]
        assert check.holds is holds


def test_an_amount_that_stands_twice_moves_once(ledger: Any) -> None:
    """0.8 of a card less 0.5 of it: half a GiB more of memory is 0.15 more, not 0.65."""
    figures = "saved: {title: F, gib: {formula: 0.8 * card_gib - 0.5 * card_gib, card_gib: 44.0}}\n"
    for states, holds in (("13.21", True), ("13.22", True), ("13.23", False), ("13.3", False)):
        claims = f"- {{of: figures.saved, states: {states}, at: T}}\n"
        (check,) = ledger(figures=figures, claims=claims).book().checks["p"]
        assert check.holds is holds


def test_whole_blocks_move_with_what_they_are_cut_from(ledger: Any) -> None:
    """11.12 GiB in blocks of 2 MiB are 5,693.44; half a hundredth of a GiB is 2.56 blocks."""
    figures = "blocks: {title: F, blocks: {formula: floor(rest_gib / block_mib), rest_gib: 11.12, block_mib: 2}}\n"
    for states, holds in (("5693", True), ("5691", True), ("5690", True), ("5689", False), ("5697", False)):
        claims = f"- {{of: figures.blocks, states: {states}, at: T}}\n"
        (check,) = ledger(figures=figures, claims=claims).book().checks["p"]
        assert check.holds is holds, states


def test_digits_that_were_cut_off_were_not_rounded(ledger: Any) -> None:
    """51.652 minutes are stated as 51.6, which they may be if 3,099 seconds are 3,098.6: they were cut off all the
    same, and who rounds up elsewhere changes nothing."""
    figures = (
        "first: {title: First, seconds: {formula: run_seconds + start_seconds, run_seconds: 3099, start_seconds: 0.1}}"
    )
    claims = "- {of: figures.first, states: 51.6 min, at: T}\n- {of: figures.first, states: 51.65 min, at: T}\n"
    cut, rounded = ledger(figures=f"{figures}\n", claims=claims).book().checks["p"]
    assert (cut.kind, cut.agreement.severity) == ("contradicted", "note")
    assert cut.slip.endswith("its further digits were cut off, not rounded")
    assert rounded.kind == "confirmed"


@pytest.mark.parametrize(
    ("part", "states", "says"),
    [
        ("0.9999617", "99.99%", "its further digits were cut off, not rounded"),  # rounded, it would be 100.00
        ("0.9999617", "99.996%", ""),
        ("0.9999617", "99.98%", "calculated"),
        ("0.8999617", "89.99%", "its further digits were cut off, not rounded"),  # rounded, it is 90.00
    ],
)
def test_a_share_that_is_not_the_whole_is_a_note_where_it_was_cut_off(
    part: str, states: str, says: str, ledger: Any
) -> None:
    figures = f"s: {{title: S, share: {{formula: part * one_share, part: {part}, one_share: 100%}}}}\n"
    claims = f"- {{of: figures.s, states: {states}, at: T}}\n"
    book = ledger(figures=figures, claims=claims).book()
    (check,) = book.checks["p"]
    assert check.holds is not bool(says)
    assert [says in format_sentence(found.arithmetic) for found in book.findings["p"]] == [True] * bool(says)


@pytest.mark.parametrize(
    ("hours", "states", "kind"),
    [("62.4476", "62.44", "rounded"), ("62.4476", "62.43", "contradicted"), ("6.2476", "6.24", "contradicted")],
)
def test_an_amount_next_to_its_last_digit_is_rounded_somehow(hours: str, states: str, kind: str, ledger: Any) -> None:
    """62.44 h for 62.4476 change nothing for anybody; 6.24 h for 6.2476 are off by 0.12%."""
    figures = f"s: {{title: S, hours: {{formula: a_hours * one_share, a_hours: {hours}, one_share: 100%}}}}\n"
    claims = f"- {{of: figures.s, states: {states}, at: T}}\n"
    (check,) = ledger(figures=figures, claims=claims).book().checks["p"]
    assert check.kind == kind


def entries(*hours: str) -> str:
    return "".join(f"- {{date: 2026-01-01, item: a, status: failed, {fields}}}\n" for fields in hours)


@pytest.mark.parametrize(
    ("runs", "states", "holds"),
    [
        # 10.25 ± 0.005 and 3.5 ± 0.05 are 13.75 ± 0.055
        (RUNS, "13.70", True),
        (RUNS, "13.68", False),
        (RUNS, "13.9", False),
        # sixty times 0.75 ± 0.005 are 45 ± 0.3, where 45.3 is one of 45.25 to 45.35
        (entries(*["gpus: 1, wall_hours: 0.75"] * 60), "45.3", True),
        (entries(*["gpus: 1, wall_hours: 0.75"] * 60), "45.4", False),
        # 0.75 ± 0.005 on two GPUs, which are two: 1.5 ± 0.01
        (entries("gpus: 2, wall_hours: 0.75"), "1.510", True),
        (entries("gpus: 2, wall_hours: 0.75"), "1.512", False),
        # whole hours are rounded to an hour: 51 ± 1
        (entries("gpu_hours: 31", "gpu_hours: 20"), "52.0", True),
        (entries("gpu_hours: 31", "gpu_hours: 20"), "52.1", False),
        # of more than 300 runs the rounding is not asked for: 301 times 0.5 are 150.5
        (entries(*["gpu_hours: 0.5"] * 301), "150.6", False),
        (entries(*["gpu_hours: 0.5"] * 300), "150.1", True),
        # on another card, an hour of which counts as half: its rounding is left out, 10.25 ± 0.005 + 2
        (entries("gpu_hours: 10.25", "gpu: other, gpu_hours: 4"), "12.26", True),
        (entries("gpu_hours: 10.25", "gpu: other, gpu_hours: 4"), "12.27", False),
    ],
)
def test_rounded_hours_of_runs_explain_their_sum(runs: str, states: str, holds: bool, ledger: Any) -> None:
    gpus = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
    for of in ("plan.a.actual", "actual.total"):
        assert checked(ledger, of, states, runs=runs, gpus=gpus)[0].holds is holds


@pytest.mark.parametrize(
    ("states", "holds"),
    [("52", True), ("53", False), ("50", True), ("49", False), ("51.0", True), ("51.4", False), ("52.0", False)],
)
def test_planned_hours_that_are_whole_are_rounded_to_an_hour(states: str, holds: bool, ledger: Any) -> None:
    """31 ± 0.5 and 20 ± 0.5 are 51 ± 1. Who prints a tenth of an hour planned whole ones: runs were rounded, plans
    are as they are written."""
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 31}, "
    plan += "b: {title: B, scope: one-time, gpu_hours: 20}}}\n"
    claims = f"- {{of: budget.final, states: {states}, at: T}}\n"
    (check,) = ledger(plan=plan, claims=claims).book().checks["p"]
    assert check.holds is holds
