"""Which statement speaks for a plan, what is one entry, and how numbers are proposed: each worked by hand."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.present.render.numbers import format_sentence

# 200 samples of 41 minutes on one GPU are 136.7 GPU-hours.
ESTIMATE = "{formula: samples * minutes_per_sample * gpus, samples: 200, minutes_per_sample: 41, gpus: 1}"
PLAN = f"a: {{title: A, items: {{spare: {{title: Spare, scope: one-time, gpu_hours: 300, estimate: {ESTIMATE}}}}}}}\n"


def stated(*claims: str) -> str:
    return "".join(f"- {{{claim}}}\n" for claim in claims)


def entries(ledger: Any, rule: str = "", **files: str) -> list[FindingGroup]:
    found = by_cause(ledger(**files).book().findings["p"])
    return [group for group in found if group.rule.startswith(rule)]


@pytest.mark.parametrize(
    ("claims", "speaks"),
    [
        (["of: plan.spare.total, states: 500, at: Page 1"], True),
        (["of: plan.spare.total, states: 500, at: Page 1", "of: plan.spare.total, states: 500, at: Page 2"], True),
        (["of: plan.spare.total, states: 500, at: Page 1", "of: plan.spare.total, states: 300, at: Page 2"], False),
        (["of: plan.spare.total, states: 500, at: Page 1", "of: plan.spare.total, states: 700, at: Page 2"], False),
    ],
)
def test_a_document_speaks_for_its_plan_if_it_says_one_other_thing(
    claims: list[str], speaks: bool, ledger: Any
) -> None:
    """300 is planned, 2.2 times the estimate: a warning, whatever the document says besides."""
    (group,) = entries(ledger, "plan-unlike-its-estimate", plan=PLAN, claims=stated(*claims))
    assert ("its document states 500" in format_sentence(group.arithmetic)) is speaks
    assert group.lead.severity == "warning"


def test_a_title_counts_the_figures_that_are_listed(ledger: Any) -> None:
    """Stated are 600, 700 and 800; 600 is what the estimate gives, so that it goes with the plan of 6."""
    plan = "a: {title: A, items: {one: {title: One, scope: one-time, gpu_hours: 6, estimate: 600}"
    plan += (
        ", two: {title: Two, scope: one-time, gpu_hours: 7}, three: {title: Three, scope: one-time, gpu_hours: 8}}}\n"
    )
    rows = {"one": 600, "two": 700, "three": 800}
    claims = stated(*(f"of: plan.{name}.total, states: {hours}, at: 'Table 1, {name}'" for name, hours in rows.items()))
    for group in entries(ledger, "claim-contradicted", plan=plan, claims=claims):
        assert f"{len(group.members)} stated figures" in format_sentence(group.title)
        assert len(group.members) == 2


def test_an_input_is_not_called_calculated(ledger: Any) -> None:
    claims = stated("of: plan.spare.total, states: 500, at: Page 1", "of: plan.spare.estimate, states: 50, at: Page 1")
    told = " | ".join(
        format_sentence(found.arithmetic)
        for group in entries(ledger, "claim-contradicted", plan=PLAN, claims=claims)
        for found in group.all
    )
    assert "stated 50 GPU-h (Page 1), calculated 137 GPU-h" in told
    plan = "a: {title: A, items: {spare: {title: Spare, scope: one-time, gpu_hours: 300}}}\n"
    (group,) = entries(ledger, "claim", plan=plan, claims=stated("of: plan.spare.total, states: 500, at: Page 1"))
    assert format_sentence(group.arithmetic) == "stated 500 GPU-h (Page 1), the ledger has 300 GPU-h"
    assert format_sentence(group.title) == "Spare, planned total: 300 GPU-h in the ledger, not 500 GPU-h"


@pytest.mark.parametrize(
    ("order", "is_told"),
    [
        # 500 MB of 24 GB are 2.083%: below 2%, as that is printed; 3% and 2.0% it is not below.
        ("below: 2%", False),
        ("below: 2.0%", True),
        ("above: 3%", True),
        ("above: 2.1%", False),
        # A limit is exact.
        ("within: 2%", True),
    ],
)
def test_a_bound_is_rounded_as_it_is_printed(order: str, is_told: bool, ledger: Any) -> None:
    figures = "used: {title: Used, share: {formula: model_mb / card_gb, model_mb: 500, card_gb: 24}}\n"
    found = entries(ledger, "order", figures=figures, claims=stated(f"of: figures.used, {order}, at: Page 1"))
    assert bool(found) is is_told


def test_a_name_keeps_its_capital(ledger: Any) -> None:
    figures = "a: {title: Aws price, usd_per_hour: 1.21}\nb: {title: Google Cloud price, usd_per_hour: 3.67}\n"
    (group,) = entries(ledger, "order", figures=figures, claims=stated("of: figures.a, above: figures.b, at: Page 1"))
    assert format_sentence(group.title) == "Aws price: $1.21/h is below $3.67/h (Google Cloud price)"


@pytest.mark.parametrize(
    ("figure", "states", "title", "remedy"),
    [
        # 30.4 MB have no digit where 0.6 GB have their last; 0.06 of 0.6 has one.
        ("gb: 0.0304", "~0.6", "0.0304 GB in the ledger, not ~0.6 GB", "Write ~0.0304 GB, or correct its inputs."),
        (
            "gb: {formula: parts * part_mb, parts: 2, part_mb: 15.2}",
            "~0.6",
            "0.03 GB, not ~0.6 GB",
            "Write ~0.03 GB, or correct its inputs.",
        ),
        # 341.7 GPU-hours in 168 hours need 2.03 GPUs, which is three; of 12 in a mean of 4.5 there is no need.
        (
            "gpus: {formula: work_gpu_hours / hours, work_gpu_hours: 341.7, hours: 168}",
            "5",
            "2.03 GPUs, not 5 GPUs",
            "Write 3 GPUs, or correct its inputs.",
        ),
        (
            "gpus: {formula: work_gpu_hours / hours, work_gpu_hours: 756, hours: 168}",
            "12.5",
            "4.5 GPUs, not 12.5 GPUs",
            "Write 4.5 GPUs, or correct its inputs.",
        ),
    ],
)
def test_what_is_proposed_has_digits_and_holds_the_work(
    figure: str, states: str, title: str, remedy: str, ledger: Any
) -> None:
    claims = stated(f"of: figures.f, states: '{states}', at: Page 1")
    (group,) = entries(ledger, "claim", figures=f"f: {{title: F, {figure}}}\n", claims=claims)
    assert format_sentence(group.title) == f"F: {title}"
    assert format_sentence(group.lead.remedy) == remedy


RENT = """\
aws: {title: AWS, usd: 315}
vast: {title: Vast, usd: {formula: hours * usd_per_hour, hours: 260, usd_per_hour: 0.35}}
saved: {title: Saved, usd: {formula: figures.aws - figures.vast}}
"""


def test_what_follows_from_the_other_statement_stands_below_it(ledger: Any) -> None:
    """260 h at $0.35 are $91; $65 is stated as well, and 315 - 65 = $250 saved."""
    claims = stated(
        "of: figures.vast, states: 91, at: Table 1",
        "of: figures.vast, states: 65, at: Option 2",
        "of: figures.saved, states: 250, at: Options",
    )
    (group,) = entries(ledger, "claim", figures=RENT, claims=claims)
    assert "p.figures.saved" in {found.subject for found in group.following}
    assert "with $65 for “Vast”" in format_sentence(group.following[0].cells[3])


CARD = """\
now: {title: Now, gb: {formula: a_gb + b_gb, a_gb: 10.5, b_gb: 3.83}}
left: {title: Left, gb: {formula: card_gb - figures.now, card_gb: 24}}
"""


def test_two_statements_of_what_follows_are_told_with_its_cause(ledger: Any) -> None:
    """14.33 of 24 GB leave 9.67; by 15 to 17, which is wrong, it would be 7 to 9."""
    claims = stated(
        "of: figures.now, states: 15-17, at: Page 1",
        "of: figures.left, states: 9.7, at: Page 2",
        "of: figures.left, states: 7-9, at: Page 1",
    )
    (group,) = entries(ledger, figures=CARD, claims=claims)
    assert {found.rule for found in group.following} == {"claim-contradicted", "stated-differently"}


def test_a_digit_rounded_up_contradicts_no_other_statement(ledger: Any) -> None:
    """3.44064 GB, stated as 3.44 and 3.5: the note about the latter says all."""
    figures = "kv: {title: Cache, gb: {formula: tokens * part_kb, tokens: 7000, part_kb: 491.52}}\n"
    claims = stated("of: figures.kv, states: ~3.44, at: Page 1", "of: figures.kv, states: ~3.5, at: Page 2")
    (group,) = entries(ledger, figures=figures, claims=claims)
    assert (group.rule, group.severity) == ("claim-contradicted", "note")


def test_an_entry_stands_where_its_gravest_row_does(ledger: Any) -> None:
    """20 GB of 18.8 are 6% too many, a warning; the 4 GB that they leave of 24 are a quarter too few, an error."""
    figures = """\
one: {title: One, gb: {formula: 2 * a_gb, a_gb: 25}}
all: {title: All, gb: {formula: 2 * a_gb, a_gb: 9.4}}
left: {title: Left, gb: {formula: card_gb - figures.all, card_gb: 24}}
"""
    claims = stated(
        "of: figures.one, states: 47.0, at: Page 1",
        "of: figures.all, states: 20, at: Page 2",
        "of: figures.left, states: 4, at: Page 2",
    )
    found = entries(ledger, figures=figures, claims=claims)
    assert [(group.lead.subject, group.lead.severity, group.severity) for group in found] == [
        ("p.figures.all", "warning", "error"),
        ("p.figures.one", "warning", "warning"),
    ]
