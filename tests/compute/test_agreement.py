"""How stated values agree with calculated ones: each class at its borders, and how grave what is wrong is."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from reckon.compute.statements.agreement import (
    COARSE,
    CONFIRMED,
    CONTRADICTED,
    IN_RANGE,
    LOOSER,
    NARROWER,
    NEAR,
    ONE_END,
    ROUNDED,
    UNCHECKED,
    Agreement,
    judge,
    judge_rounding,
    tolerances,
)
from reckon.compute.statements.claims import Check
from reckon.language.quantity import Value, read_quantity
from reckon.language.units import PLAIN, key_unit
from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence


def value(text: str) -> Value:
    """`10`, `10-20`, `10-12-20` with what is planned in the middle, `10+` or `10-?-20`, of which no plan is known."""
    if text.count("-") == 2:
        low, use, high = text.split("-")
        return Value(F(low), None if use == "?" else F(use), F(high))
    return read_quantity(text, PLAIN).value


def agreement(stated: str, figure: str, moved: str = "0", terms: int = 1) -> Agreement:
    bare = stated.lstrip("~")
    low, high = tolerances(stated, read_quantity(bare, PLAIN))
    return judge(value(bare), value(figure), low, high, F(moved), terms)


@pytest.mark.parametrize(
    ("stated", "figure", "moved", "kind"),
    [
        # Half of the last digit of 100 is 0.5, of 100.0 it is 0.05.
        ("100", "100.5", "0", CONFIRMED),
        ("100", "100.51", "0", CONTRADICTED),
        ("100.0", "100.05", "0", CONFIRMED),
        ("100.0", "100.06", "0", CONTRADICTED),
        # Inputs that were rounded can have moved it by 0.2 more.
        ("101", "100.3", "0.2", ROUNDED),
        ("101", "100.29", "0.2", CONTRADICTED),
        # What was cut off was not rounded: 100 of 100.7. Of one digit it cannot be told.
        ("100", "100.7", "0.5", CONTRADICTED),
        ("6", "6.7", "0.5", ROUNDED),
        ("0.23", "0.237", "0.005", CONTRADICTED),
        ("-100", "-100.7", "0.5", CONTRADICTED),
        # Beside a range: 100 planned of 80 to 130.
        ("100", "80-100.4-130", "0", CONFIRMED),
        ("102", "80-100-130", "0", NEAR),
        ("102.1", "80-100-130", "0", IN_RANGE),
        ("98", "80-100-130", "0", NEAR),
        ("97", "80-100-130", "0", IN_RANGE),
        ("80", "80-100-130", "0", IN_RANGE),
        ("130.4", "80-100-130", "0", CONTRADICTED),
        ("130", "80-100-129.6", "0", IN_RANGE),
        ("130", "80-100-129.4", "0", CONTRADICTED),
        ("79", "80-100-130", "0", CONTRADICTED),
        # 1 of 1 to 2 is its low end: 1.5 is rounded to 2, 1.4 to 1.
        ("1", "1-1.5-2", "0", IN_RANGE),
        ("2", "1-1.5-2", "0", CONFIRMED),
        ("1", "1-1.4-2", "0", CONFIRMED),
        # What was rounded excuses an exact figure alone.
        ("131", "80-100-130", "5", CONTRADICTED),
        # Nothing is known to plan with.
        ("100", "80-?-130", "0", IN_RANGE),
        ("140", "80-?-130", "0", CONTRADICTED),
        ("100", "80+", "0", LOOSER),
        ("70", "80+", "0", CONTRADICTED),
        # `~` reaches half of the last digit that is not zero, but no further than 5%: 100 of 2,000 to either side.
        ("~2000", "1901", "0", CONFIRMED),
        ("~2000", "1899", "0", CONTRADICTED),
        ("~2000", "1535", "0", CONTRADICTED),
        ("~210", "214.9", "0", CONFIRMED),
        ("~210", "215.1", "0", CONTRADICTED),
        ("~7", "7.4", "0", CONFIRMED),
        ("~7", "7.6", "0", CONTRADICTED),
    ],
)
def test_a_single_number(stated: str, figure: str, moved: str, kind: str) -> None:
    assert agreement(stated, figure, moved).kind == kind


@pytest.mark.parametrize(
    ("stated", "figure", "terms", "kind"),
    [
        ("80-130", "80.5-130.5", 1, CONFIRMED),
        # Two terms were rounded before they were added: a whole digit at either end, but no more than 1%.
        ("80-130", "80.7-131", 2, ROUNDED),
        ("80-130", "80.7-131", 1, CONTRADICTED),
        ("79-130", "80-131", 2, CONTRADICTED),
        ("800-1300", "803-1303", 7, ROUNDED),
        ("800-1300", "804-1303", 7, CONTRADICTED),
        ("90-120", "80-130", 1, NARROWER),
        ("70-140", "80-130", 1, LOOSER),
        ("70+", "80-130", 1, LOOSER),
        ("130+", "80-130", 1, LOOSER),
        ("131+", "80-130", 1, CONTRADICTED),
        ("80+", "80+", 1, CONFIRMED),
        # Who has one end right has calculated: the other is beyond, or more than a tenth short.
        ("80-131", "80-130", 1, ONE_END),
        ("79-130", "80-130", 1, ONE_END),
        ("80-117", "80-130", 1, NARROWER),
        ("80-116", "80-130", 1, NARROWER),
        ("88-130", "80-130", 1, NARROWER),
        ("89-130", "80-130", 1, NARROWER),
        ("80-200", "80+", 1, NARROWER),
        ("20-24", "16-24", 1, NARROWER),
        ("120-350", "168-337", 1, LOOSER),
        # One end beyond, and the other not right; or nothing in common.
        ("70-120", "80-130", 1, CONTRADICTED),
        ("90-140", "80-130", 1, CONTRADICTED),
        ("10-20", "80-130", 1, CONTRADICTED),
        ("140-150", "80-130", 1, CONTRADICTED),
        # What is exact lies in a range, or does not.
        ("80-130", "100", 1, LOOSER),
        ("80-130", "80", 1, LOOSER),
        ("80-130", "130.5", 1, LOOSER),
        ("80-130", "130.6", 1, CONTRADICTED),
    ],
)
def test_a_range(stated: str, figure: str, terms: int, kind: str) -> None:
    assert agreement(stated, figure, terms=terms).kind == kind


@pytest.mark.parametrize(("wrong", "follows"), [("b.total, states: 500", True), ("b.gpu_hours, states: 500", False)])
def test_what_is_more_precise_stands_below_what_is_wrong_of_its_kind(ledger: Any, wrong: str, follows: bool) -> None:
    """Totals of one document: planned are 80 to 120 hours each."""
    items = ", ".join(f"{name}: {{title: {name.upper()}, scope: one-time, gpu_hours: 80-120}}" for name in "ab")
    plan = f"one: {{title: One, items: {{{items}}}}}\n"
    claims = f"- {{of: plan.a.total, states: 93, at: Text}}\n- {{of: plan.{wrong}, at: Text}}\n"
    found = {each.rule: each for each in ledger(plan=plan, claims=claims).book().findings["p"]}
    assert "claim-contradicted" in found
    assert found["claim-imprecise"].follows is follows


@pytest.mark.parametrize(
    ("stated", "figure", "severity"),
    [
        # Less than one of the last digit is a note, less than a tenth (after half a digit) a warning.
        ("100", "100.9", "note"),
        ("100", "101", "warning"),
        ("100", "110.5", "warning"),
        ("100", "112", "error"),
        ("100", "90", "error"),
        ("2", "1.3-1.4-1.45", "note"),
        ("15-35", "13.3-33.3", "warning"),
        ("5-10", "0.2-0.6", "error"),
        # Beside a range it goes by the nearer end, whatever is planned.
        ("0.50", "0.53-0.66-0.80", "warning"),
        ("0.95", "0.53-0.66-0.80", "error"),
        # A range that does not hold an exact figure is as wrong as its farther end.
        ("2-4", "1.1", "error"),
    ],
)
def test_how_grave_it_is_goes_by_its_size(stated: str, figure: str, severity: str) -> None:
    assert agreement(stated, figure).severity == severity


CLAIM = "- {{of: figures.x, states: '{states}', at: 'Table 1'}}\n"


def checked(ledger: Any, states: str, figure: str, **more: str) -> Check:
    (check,) = (
        ledger(figures=f"x: {{title: X, {figure}}}\n", claims=CLAIM.format(states=states), **more).book().checks["p"]
    )
    return check


@pytest.mark.parametrize(
    ("amount", "states", "kind"),
    [
        # 8B are 7.5 to 8.5 billion: of 2 bytes each 15 to 17 GB.
        ("8B", "15.2 GB", ROUNDED),
        ("8B", "14.9 GB", CONTRADICTED),
        ("8.0B", "15.2 GB", CONTRADICTED),
        ("8.0B", "15.91 GB", ROUNDED),
        # Written in full it is a count, and not rounded.
        ("8000000000", "15.2 GB", CONTRADICTED),
    ],
)
def test_what_is_written_with_a_prefix_is_a_rounded_input(amount: str, states: str, kind: str, ledger: Any) -> None:
    figure = f"gb: {{formula: parameters * bytes_per_parameter, parameters: {amount}, bytes_per_parameter: 2}}"
    assert checked(ledger, states, figure).kind == kind


def test_what_is_not_known_could_not_be_checked(ledger: Any) -> None:
    check = checked(ledger, "5", "hours: {formula: 2 * a_hours, a_hours: unknown}")
    assert (check.kind, check.holds) == (UNCHECKED, True)


@pytest.mark.parametrize(("states", "kind"), [("~1.10", "confirmed"), ("1.10", "contradicted")])
def test_a_zero_behind_the_point_of_what_is_approximate_is_no_digit(ledger: Any, states: str, kind: str) -> None:
    """Half of the last digit that is not zero, and at most 5% of the number."""
    figures = "a: {title: A, ratio: {formula: figures.b / 100 h}}\nb: {title: B, hours: 106-107}\n"
    (check,) = ledger(figures=figures, claims=f"- {{of: figures.a, states: {states}, at: Text}}\n").book().checks["p"]
    assert check.kind == kind


def test_what_says_more_than_its_inputs_is_one_note_of_a_document(ledger: Any) -> None:
    """1 to 3 hours times 100 and 200 are 100–300 and 200–600 h, planned are 200 and 400."""
    figures = "".join(
        f"{name}: {{title: '{name.title()}', hours: {{formula: {number} * each_hours, each_hours: 1-3}}}}\n"
        for name, number in (("oak", 100), ("elm", 200), ("ash", 400))
    )
    claims = "- {of: figures.oak, states: 250, at: 'Text'}\n- {of: figures.oak, states: 120-280, at: 'Summary'}\n"
    claims += "- {of: figures.elm, states: 204 - 404, at: 'Text'}\n- {of: figures.ash, states: 800, at: 'Text'}\n"
    groups = by_cause(ledger(figures=figures, claims=claims).book().findings["p"])
    found = [(group.rule, group.severity, [each.subject for each in group.members]) for group in groups]
    assert found == [
        ("claim-imprecise", "note", ["p.figures.oak", "p.figures.oak#2", "p.figures.elm"]),
    ]
    assert format_sentence(groups[0].title) == "3 stated figures are more precise than their inputs"
    titles = [format_sentence(each.title) for group in groups for each in group.members]
    assert titles[:2] == [
        "Oak: 100–300 h, stated more precisely as 250 h",
        "Oak: 100–300 h, stated more precisely as 120–280 h",
    ]


@pytest.mark.parametrize(
    ("stated", "figure", "severity"),
    [
        # To fives: half of that is 2.5, and 2% of 476.
        ("475", "476.47", "note"),
        ("475", "478", "warning"),
        ("474", "476.47", "warning"),
        ("55", "57", "warning"),  # 3.5% off
        # Both ends of a range: to fives, to hundreds; by 5% at most.
        ("20-35", "20-33.3", "note"),
        ("20-34", "20-32.5", "warning"),
        ("700-1200", "725-1208", "note"),
        ("700-1210", "725-1218", "warning"),
        ("15-35", "13.3-33.3", "warning"),
        ("95-200", "75-199", "error"),
        # Each end by itself: 120 is right, and 144 rounded to a fifty is 150; 134 is not.
        ("120-150", "120-144", "note"),
        ("121-150", "121-144", "note"),
        ("120-150", "120-134", "warning"),
        ("121-149", "121-144", "warning"),
        # A zero behind the point is written where it is known: 8.20 is no 8.2.
        ("8.20", "8.25", "warning"),
        ("8.2", "8.25", "note"),
        ("8.15", "8.17", "note"),
    ],
)
def test_what_is_rounded_to_a_five_or_a_zero_is_a_note(stated: str, figure: str, severity: str) -> None:
    assert judge_rounding(agreement(stated, figure), stated, PLAIN).severity == severity


@pytest.mark.parametrize(
    ("stated", "figure", "is_rounded"),
    [
        # One and a half whole dollars: 83 cents rounded up to one, and to two.
        ("1-2", "0.50-0.83", True),
        ("1-3", "0.50-0.83", False),
        ("1.0-2.0", "0.50-0.83", False),
        ("12", "12.9", True),
        ("12", "13", False),
        ("12", "11", False),
    ],
)
def test_an_estimate_in_whole_dollars_is_rounded(stated: str, figure: str, is_rounded: bool) -> None:
    kinds = [judge_rounding(agreement(stated, figure), stated, key_unit(key)).kind for key in ("usd", "usd_per_hour")]
    assert [kind == COARSE for kind in kinds] == [is_rounded, False]


COST = "usd: {{formula: hours * usd_per_hour + storage_usd, hours: 10, usd_per_hour: {}, storage_usd: 0.05}}"


@pytest.mark.parametrize(
    ("states", "price", "kind", "severity"),
    [
        # Ten hours at $0.82 are 8.20, with the storage 8.25: what is left out is no rounding, however 8.20 is written.
        ("8.20", "0.8200", CONTRADICTED, "warning"),
        ("8.2", "0.8200", CONTRADICTED, "warning"),
        # Half a cent of the storage is all that rounding moves; of a price of whole cents it is one cent for two hours.
        ("8.25", "0.8205", CONFIRMED, "note"),
        ("8.26", "0.8205", CONFIRMED, "note"),
        ("8.20", "0.82", ROUNDED, "note"),
        ("8.24", "0.8200", ROUNDED, "note"),
        ("8.23", "0.8200", CONTRADICTED, "warning"),
        # The nearest ten cents to 8.33 are 8.30, and so they are to 8.27; 8.20 and 8.4 are something else.
        ("8.30", "0.8280", CONTRADICTED, "note"),
        ("8.3", "0.8220", CONTRADICTED, "note"),
        ("8.20", "0.8280", CONTRADICTED, "warning"),
        ("8.4", "0.8280", CONTRADICTED, "warning"),
        # Whole dollars have no cents, and what is approximate has none either.
        ("8", "0.82", CONFIRMED, "note"),
        ("~8.2", "0.82", CONFIRMED, "note"),
        ("0.0082k", "0.8200", CONFIRMED, "note"),
        ("8.2e0", "0.8200", CONFIRMED, "note"),
    ],
)
def test_money_with_a_point_has_cents(ledger: Any, states: str, price: str, kind: str, severity: str) -> None:
    check = checked(ledger, states, COST.format(price))
    assert (check.kind, check.agreement.severity if not check.holds else "note") == (kind, severity)


def test_a_price_of_a_list_is_not_rounded(ledger: Any) -> None:
    """Ten hours at $0.82 are $8.20, whatever half a cent of each of them would be; a price that a figure states may be
    one of a node, divided by its GPUs."""
    prices = "modal: {title: Modal, as_of: 2025-01, usd_per_gpu_hour: {card: 0.82}}\n"
    listed = "usd: {formula: hours * gpus * catalog.prices.modal.usd_per_gpu_hour.card, hours: 10, gpus: 1}"
    own = "usd: {formula: hours * usd_per_hour, hours: 10, usd_per_hour: 0.82}"
    for figure, kind in ((listed, CONTRADICTED), (own, ROUNDED)):
        assert (
            checked(ledger, "8.17", figure, **{"ledger/catalog/prices.yaml": prices}, project="prices: [modal]\n").kind
            == kind
        )


@pytest.mark.parametrize(
    ("states", "parts", "kind"),
    [
        # 20,000 less 0.2 and 0.4 are 19,999.4: who prints a tenth has no half hour to spare.
        ("19999.8", ("20000", "-0.2", "-0.4"), CONTRADICTED),
        ("19999.8", ("20000.0", "-0.2", "-0.4"), CONTRADICTED),
        ("19999.5", ("20000.0", "-0.2", "-0.4"), ROUNDED),
        # 3 + 4 are 7, and 8 if both are a half more.
        ("8", ("3", "4"), ROUNDED),
        ("7.6", ("3", "4"), CONTRADICTED),
        # Beside 0.1 the whole ones were measured: 2 + 1 + 3 + 10 + 0.1 are 16.1.
        ("15", ("0.1", "2", "1", "3", "10"), CONTRADICTED),
        ("16", ("0.1", "2", "1", "3", "10"), CONFIRMED),
        # 16.48 may be 16.54, of which 17 is the rounding.
        ("17", ("3.33", "4.75", "8.4"), ROUNDED),
        # 0.5 + 0.33 + 7.75 are 8.58, and may be 8.52, 8.50 at the least: of that 8 is rounded by one digit.
        ("8", ("0.5", "0.33", "7.75"), CONTRADICTED),
        ("8", ("0.5", "0.33", "7.72"), ROUNDED),
    ],
)
def test_a_whole_number_is_rounded_where_nothing_beside_it_is_printed_more_finely(
    ledger: Any, states: str, parts: tuple[str, ...], kind: str
) -> None:
    names = [f"n{number}_hours" for number in range(len(parts))]
    formula = (
        " + ".join(names).replace("+ n1", "- n1").replace("+ n2", "- n2") if parts[1][0] == "-" else " + ".join(names)
    )
    inputs = ", ".join(f"{name}: {part.lstrip('-')}" for name, part in zip(names, parts, strict=True))
    assert checked(ledger, states, f"hours: {{formula: {formula}, {inputs}}}").kind == kind


@pytest.mark.parametrize(
    ("states", "kind", "severity"),
    [
        # 5% of 110 to either side are 104.5 to 115.5: 102 is not among them, and 8 whole dollars are no rounding.
        ("~110", CONTRADICTED, "warning"),
        ("~107", CONTRADICTED, "warning"),
        ("~100", CONFIRMED, "note"),
        ("~102", CONFIRMED, "note"),
        ("101.5", ROUNDED, "note"),  # 8.46 hours
        ("101.3", CONTRADICTED, "warning"),
    ],
)
def test_an_approximate_number_is_no_further_off_than_5_per_cent(
    ledger: Any, states: str, kind: str, severity: str
) -> None:
    check = checked(ledger, states, "usd: {formula: hours * usd_per_hour, hours: 8.5, usd_per_hour: 12}")
    assert (check.kind, check.agreement.severity if not check.holds else "note") == (kind, severity)


def test_a_range_of_rounded_rows_says_no_more_than_they_do(ledger: Any) -> None:
    """3.25–5.2 and 27.875–102.208 h are printed as 3.3–5.2 and 27.9–102.2: 31.2–107.4, where the whole is
    31.125–107.408. 33.2 is narrower than that."""
    figures = "a: {title: A, hours: {formula: trials * seconds, trials: 2340, seconds: 5-8}}\n"
    figures += "b: {title: B, hours: {formula: trials * seconds, trials: 3345, seconds: 30-110}}\n"
    figures += "both: {title: Both, hours: {formula: figures.a + figures.b}}\n"
    rows = "- {of: figures.a, states: 3.3-5.2, at: Table 1}\n- {of: figures.b, states: 27.9-102.2, at: Table 1}\n"
    for states, kind in (("31.2-107.4", ROUNDED), ("33.2-107.4", NARROWER)):
        claims = f"{rows}- {{of: figures.both, states: {states}, at: Table 1}}\n"
        assert ledger(figures=figures, claims=claims).book().checks["p"][-1].kind == kind


SUM = "hours: {formula: a_hours + b_hours + c_hours, a_hours: 40-55, b_hours: 55-70, c_hours: 55-65}"


@pytest.mark.parametrize(("usd", "kinds"), [("262-332", [ROUNDED]), ("262-334", [CONTRADICTED])])
def test_a_multiple_of_a_sum_may_have_rounded_parts_too(ledger: Any, usd: str, kinds: list[str]) -> None:
    """At $1.743 the parts are 70-96, 96-122 and 96-113: together 262-331, where the whole is 261.45-331.17."""
    figures = f"whole: {{title: Whole, {SUM}}}\n"
    figures += "cost: {title: Cost, usd: {formula: figures.whole * usd_per_hour, usd_per_hour: 1.743}}\n"
    book = ledger(figures=figures, claims=f"- {{of: figures.cost, states: {usd}, at: Table 1}}\n").book()
    assert [check.kind for check in book.checks["p"]] == kinds
    assert len(book.findings["p"]) == (kinds == [CONTRADICTED])


def test_the_low_end_of_a_range_is_no_value_of_it(ledger: Any) -> None:
    """1 h where 1 to 2 h are calculated."""
    claims = CLAIM.format(states="1 h")
    (found,) = ledger(figures="x: {title: X, hours: 1-2}\n", claims=claims).book().findings["p"]
    assert (found.severity, format_sentence(found.title)) == (
        "note",
        "X: 1–2 h in the ledger, stated more precisely as 1 h",
    )
    assert format_sentence(found.arithmetic).endswith("it is the low end of the range")


@pytest.mark.parametrize(
    ("states", "figure", "kind"),
    [
        # 0.02 less 0.01 may be anything from nothing to 0.02: that proves no number, and 10 days for 200,000 are wrong.
        (
            "10",
            "days: {formula: capex_usd * 1 day / (api_usd - own_usd), capex_usd: 2000, api_usd: 0.02, own_usd: 0.01}",
            CONTRADICTED,
        ),
        (
            "3350",
            "days: {formula: capex_usd * 1 day / (api_usd - own_usd), capex_usd: 2000, api_usd: 0.9, own_usd: 0.3}",
            ROUNDED,
        ),
        # A million is no number between half a million and a million and a half; 42k may be 41,500.
        (
            "0.80",
            "usd: {formula: tokens * price_usd / million, tokens: 40k, price_usd: 15.00, million: 1M}",
            CONTRADICTED,
        ),
        ("0.62", "usd: {formula: tokens * price_usd / million, tokens: 42k, price_usd: 15.00, million: 1M}", ROUNDED),
    ],
)
def test_rounding_excuses_no_factor(ledger: Any, states: str, figure: str, kind: str) -> None:
    assert checked(ledger, states, figure).kind == kind
