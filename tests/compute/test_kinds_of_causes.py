"""Each kind of cause with a stated figure that it explains, and with one beside it that it does not; odds by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from reckon.compute.statements.claims import Check
from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence

# 300 GPU-hours in three lines, 10% on top: 330. One line is 2.5 h × 4 GPUs × 3 seeds × 5 = 150.
PLAN = """\
one:
  title: One
  items:
    oak: {title: Oak, scope: per-seed, gpu_hours: {formula: hours * gpus * runs, hours: 2.5, gpus: 4, runs: 5}}
    elm: {title: Elm, scope: one-time, gpu_hours: 87.5}
    ash: {title: Ash, scope: one-time, gpu_hours: 62.5}
"""
PROJECT = "seeds: 3\ncontingency: 10%\n"
FIGURES = """\
size: {title: Size, gb: {formula: parts * part_gb, parts: 50, part_gb: 10.0}}
small: {title: Small, gb: {formula: parts * part_gb, parts: 4, part_gb: 10.5}}
mean: {title: Mean, minutes: {formula: total_minutes / count, total_minutes: 5165.2, count: 100}}
run: {title: Run, hours: {formula: rounds * round_hours, rounds: 280, round_hours: 0.500}}
cost: {title: Cost, usd: {formula: rent_hours * usd_per_hour, rent_hours: 2.25, usd_per_hour: 12.00}}
layer: {title: Layer, bytes: {formula: cells * cell_bytes, cells: 28000000, cell_bytes: 2}}
power: {title: Less power, share: {formula: 1 - new_watts / old_watts, new_watts: 240, old_watts: 400}}
ready: {title: Ready, hours: {formula: upload_hours + code_hours + copy_hours, upload_hours: 8, code_hours: 2,
  copy_hours: 4.5}}
"""


def explained(ledger: Any, *stated: tuple[str, str], figures: str = FIGURES) -> Check:
    """The last of some claims, all of one page."""
    claims = "".join(f"- {{of: {of}, states: {states}, at: Page 1}}\n" for of, states in stated)
    check: Check = ledger(project=PROJECT, plan=PLAN, figures=figures, claims=claims).book().checks["p"][-1]
    return check


@pytest.mark.parametrize(
    ("of", "states", "says"),
    [
        # A part left out, counted twice, or alone: 300 - 87.5, 300 + 87.5, 87.5.
        ("budget.subtotal", "212.5", "Elm is left out"),
        ("budget.subtotal", "387.5", "Elm is counted twice"),
        ("budget.subtotal", "62.5", "it is Ash alone: Elm, Oak are not in it"),
        ("budget.subtotal", "213.5", ""),
        # 150 / 4, 150 × 3 and 150 / 5.
        ("plan.oak.total", "37.50", "the factor GPUs is left out"),
        ("plan.oak.total", "450.0", "the factor seeds is counted twice"),
        ("plan.oak.total", "30.00", "the factor runs is left out"),
        ("plan.oak.total", "46.00", ""),
        # 51.652 minutes.
        ("figures.mean", "51.6", "its further digits were cut off, not rounded"),
        ("figures.mean", "51.66", "it was rounded up, not to the nearest"),
        ("figures.mean", "51.5", ""),
        # 330 × 1.1, and 330 / 1.1 is the subtotal that stands in its place.
        ("budget.final", "363.0", "10% (contingency) is added twice"),
        ("budget.contingency", "33.00", "Final budget is used in place of Subtotal"),
        ("budget.final", "365.0", ""),
        ("budget.contingency", "61.000", ""),
        # 10% of 300 and 330.
        ("budget.contingency", "63.000", "10% (contingency) is taken of Subtotal and Final budget"),
        # 500 GB are 465.66 GiB; 42 GB are 45.1 GB of 1,000³ bytes, if they are GiB.
        ("figures.size", "466", "it is the same amount in GiB, printed as GB"),
        ("figures.small", "45", "perhaps it is the same amount in GB, printed as GiB"),
        *(("figures.size", states, "") for states in ("460", "463", "470", "475", "530", "540")),
        # 56,000,000 bytes are 53.4 MiB; 50.0 fits neither. 1 - 240 / 400 are 40%, and 60% are what is left.
        ("figures.layer", "53.4 MB", "it is the same amount in MiB, printed as MB"),
        ("figures.layer", "50.0 MB", ""),
        ("figures.power", "60%", "perhaps it is what the share leaves of 100%"),
        ("figures.power", "65%", ""),
        # 8 + 2 + 4.5 are 14.5 hours.
        ("figures.ready", "8", "perhaps it is upload alone: code, copy are not in it"),
        ("figures.ready", "9.7", ""),
        # 140 hours.
        ("figures.run", "1400", "it is exactly ten times too high"),
        ("figures.run", "14.00", "it is exactly ten times too low"),
        ("figures.run", "104", "perhaps two of its digits are swapped"),
        ("figures.run", "8400", "it is off by a factor of 60 (minutes and hours, or seconds and minutes)"),
        ("figures.run", "140000", "it is off by a factor of 1,000 (a unit prefix)"),
        ("figures.run", "171", ""),
        # 2.25 h at $12 are $27; 3 begun hours are $36, 2 are $24.
        ("figures.cost", "36.00", "begun hours are billed as whole ones: 3 h"),
        ("figures.cost", "36.50", ""),
    ],
)
def test_a_cause_is_told_where_it_gives_the_digits(of: str, states: str, says: str, ledger: Any) -> None:
    check = explained(ledger, (of, states))
    assert not check.holds
    assert says in check.slip
    assert bool(check.slip) is bool(says)


@pytest.mark.parametrize(
    ("of", "states", "kind", "odds"),
    [
        # log10 0.1 (the kind) + log10 1/2 (of two guesses) = -1.30; the digits 465.5 to 466.5 are 0.000932 decades, and
        # the curve is 1.061 / (1 + (0.0306 / 0.3)²) = 1.050 high there: -log10 0.000979 = 3.01.
        ("figures.size", "466", "gib", "1.71"),
        # 44.5 to 45.5 are 0.00965 decades, 1.051 high: 1.99 - 1.30.
        ("figures.small", "45", "gib", "0.69"),
        # log10 (0.1 × 0.35 × 0.7) = -1.61; 1399.5 to 1400.5 are 0.000310 decades, and the curve is 1.061 / (1 + 11.1) =
        # 0.0876 high there: 4.57.
        ("figures.run", "1400", "digits", "2.95"),
        # However many digits agree, they count for a million to one: 6 - 1.61.
        ("figures.run", "1400.00000", "digits", "4.39"),
        # 140 × 3,600: log10 (0.1 × 0.07 × 0.7) = -2.31, and six digits that chance makes once in 10^8.2.
        ("figures.run", "504000", "units", "3.69"),
    ],
)
def test_odds_are_those_of_the_digits_against_chance(of: str, states: str, kind: str, odds: str, ledger: Any) -> None:
    (cause, *_) = explained(ledger, (of, states)).causes
    assert (cause.kind, cause.odds) == (kind, Decimal(odds))


@pytest.mark.parametrize(
    ("hours", "states", "says"),
    [("999.25", "12000.00", "begun hours are billed as whole ones: 1000 h"), ("1000.25", "12012.00", "")],
)
def test_begun_hours_are_looked_for_up_to_a_thousand(hours: str, states: str, says: str, ledger: Any) -> None:
    """1,000 and 1,001 hours at $12."""
    check = explained(ledger, ("figures.cost", states), figures=FIGURES.replace("2.25", hours))
    assert (check.slip if "begun hours" in check.slip else "") == says


@pytest.mark.parametrize(
    ("amount", "ratio", "belongs"),
    [
        # Eight bits are a byte, of a size and of a rate; eight GPUs are a node, of hours and of money.
        ("gb", 8, "bits and bytes"),
        ("gb_per_second", 8, "bits and bytes"),
        ("hours", 8, "the GPUs of a node"),
        ("usd", 8, "the GPUs of a node"),
        ("trees", 8, ""),
        # Times are taken for other times: a size is not off by seconds.
        ("hours", 60, "minutes and hours, or seconds and minutes"),
        ("usd_per_hour", 3600, "seconds and hours"),
        ("kwh", 3600, "seconds and hours"),
        ("gb", 60, ""),
        ("trees", 3600, ""),
        # Nobody takes seconds for days.
        ("days", 24, "hours and days"),
        ("gpu_hours", 24, "hours and days"),
        ("seconds", 24, ""),
        ("gb", 24, ""),
        ("mib", 1024, "a binary prefix"),
        # 0.6 t are 600 kg.
        ("kg", 1000, "a unit prefix"),
        ("trees", 1000, "a unit prefix"),
    ],
)
def test_a_unit_is_mistaken_for_one_of_its_kind(amount: str, ratio: int, belongs: str, ledger: Any) -> None:
    """7.037 times three are 21.111, and so many times that is printed to five digits that chance does not make."""
    figures = f"x: {{title: X, {amount}: {{formula: 3 * each_{amount}, each_{amount}: 7.037}}}}\n"
    check = explained(ledger, ("figures.x", f"{21.111 * ratio:.3f}"), figures=figures)
    assert check.slip == (f"it is off by a factor of {ratio:,} ({belongs})" if belongs else "")


LEAVES = "a: {title: A, hours: {formula: 2 * a_hours, a_hours: 26.7}}\nb: {title: B, hours: {formula: figures.a * 3}}\n"


@pytest.mark.parametrize(
    ("first", "states", "way", "says"),
    [
        # 53.4 is stated as 54.3, of which three times are 162.9.
        ("54.3", "162.9", "carried", "it follows from other stated figures: 54.3 h"),
        ("54.3", "163.3", "", ""),
        # 53 is 53.4 rounded, and three times that is 159: where nothing else is wrong, it follows from nothing.
        ("53", "159.0", "", "it follows from other stated figures: 53 h"),
    ],
)
def test_the_formula_of_the_ledger_beats_all_others(first: str, states: str, way: str, says: str, ledger: Any) -> None:
    check = explained(ledger, ("figures.a", first), ("figures.b", states), figures=LEAVES)
    assert (check.way, check.slip) == (way, says)
    rounded = says.startswith("it follows") and not way
    assert check.agreement.severity == ("note" if rounded else "warning"), "only what was rounded before"


def test_two_causes_that_are_as_likely_are_both_told(ledger: Any) -> None:
    """10% of 330 are 33, which is also 30 with 10% added twice."""
    slip = explained(ledger, ("budget.contingency", "33.00")).slip
    assert slip.startswith("either ")
    assert " or " in slip


def test_a_column_is_one_witness(ledger: Any) -> None:
    """24, 36 and 48 GB as GiB are 22.4, 33.5 and 44.7: two digits prove nothing, three rows of them do."""
    figures = "".join(
        f"card-{name}: {{title: {name.title()}, gb: {{formula: parts * part_gb, parts: {parts}, part_gb: 12.0}}}}\n"
        for name, parts in (("a", 2), ("b", 3), ("c", 4))
    )
    cards = "".join(f"{name}: {{title: {name.title()}, vram_gib: 90}}\n" for name in ("card", "two"))
    stated = "".join(
        f"- {{of: configurations.{name}.on.card.need_gib, states: {states}, at: 'Table 1, {name}'}}\n"
        for name, states in (("a", "22 GB"), ("b", "34 GB"), ("c", "45 GB"))
    )
    configured = "".join(
        f"{name}: {{title: {name.upper()}, memory: {{all: {{title: All, gb: {gb}}}}}}}\n"
        for name, gb in (("a", "24"), ("b", "36"), ("c", "48"))
    )
    book = ledger(gpus=cards, configurations=configured, claims=stated, figures=figures).book()
    checks = book.checks["p"]
    assert [check.slip for check in checks] == ["it is the same amount in GiB, printed as GB"] * 3
    assert {check.causes[0].rows for check in checks} == {(0, 1, 2)}
    alone = ledger(gpus=cards, configurations=configured, claims=stated.splitlines()[0] + "\n").book().checks["p"]
    assert not alone[0].causes or not alone[0].causes[0].is_sure


def test_one_value_stated_of_two_lines_is_two_entries(ledger: Any) -> None:
    """Both lines are 7 of 10 hours short of what is stated, in two tables: they share a number, and no record."""
    items = "a: {title: A, scope: one-time, gpu_hours: 10}, b: {title: B, scope: one-time, gpu_hours: 20}"
    plan = f"p: {{title: P, items: {{{items}}}}}\n"
    claims = "- {of: plan.a.total, states: 37, at: First}\n- {of: plan.b.total, states: 37, at: 'Last, there'}\n"
    book = ledger(plan=plan, claims=claims).book()
    found = [group for group in by_cause(book.findings["p"]) if group.rule == "claim-contradicted"]
    assert [len(group.members) for group in found] == [1, 1]


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [("~14 GB", "13.04 GB", True), ("~14 GB", "13.9 GB", False), ("15.03 GiB", "13.99 GiB", False)],
)
def test_gib_printed_as_gb_is_named(first: str, second: str, told: bool, ledger: Any) -> None:
    """13.04 GiB are 14.0 GB; what is said to be GiB is what it says."""
    figures = "w: {title: Weights, gb: {formula: size_gb * 1, size_gb: 14}}\n"
    claims = f"- {{of: figures.w, states: {first}, at: One}}\n- {{of: figures.w, states: {second}, at: Two}}\n"
    book = ledger(figures=figures, claims=claims).book()
    remedies = [format_sentence(each.remedy) for each in book.findings["p"] if each.rule == "stated-differently"]
    assert [("Write GiB" in remedy) for remedy in remedies] == ([told] if remedies else [])
    assert bool(remedies) or not told
