"""A column that is the quotient of two others under another name, and verdicts that follow from stated figures: found,
and near misses, also under random names and at other prices."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.present.render.numbers import format_sentence
from tests.variants import VARIANTS, Write, variant, written

# 36,000 tokens: 10 h for $2 on the slow card, and 1 h for $8, 2 h for $6 and 2.5 h for $5 on the others, which save
# hours at (8 − 2) / 9 = $0.67, (6 − 2) / 8 = $0.50 and (5 − 2) / 7.5 = $0.40 each.
CARDS = {"slow": ("1", "<0.2>"), "fast": ("10", "<8>"), "half": ("5", "<3>"), "other": ("4", "<2>")}
PRICES = ", ".join(f"«{card}»: {price}" for card, (_, price) in CARDS.items())
SPEEDS = ", ".join(f"«{card}»: {speed}" for card, (speed, _) in CARDS.items())
LEDGER = {
    "ledger/catalog/models.yaml": "«m»: {title: «The model»}\n",
    "ledger/catalog/providers.yaml": "«cloud»: {title: «The cloud»}\n",
    "ledger/catalog/prices.yaml": f"«list»: {{provider: «cloud», usd_per_gpu_hour: {{{PRICES}}}}}\n",
    "ledger/catalog/throughputs.yaml": f"«table»: {{model: «m», tokens_per_second_per_gpu: {{{SPEEDS}}}}}\n",
    "project": "prices: [«list»]\nthroughputs: [«table»]\n",
    "gpus": "card: {title: Card}\n" + "".join(f"«{card}»: {{title: «{card}»}}\n" for card in CARDS),
    "workloads": "«w»: {title: «The work», model: «m», samples: 3600, tokens_per_sample: 10}\n",
    "setups": "«s»: {title: «The setups», workload: «w», counts: [1], reference: «slow»-x1}\n",
}


MODELS = "and the number of models left out"


def entries(ledger: Any, write: Write, claims: str) -> list[FindingGroup]:
    book = ledger(**written(write, {**LEDGER, "claims": claims})).book()
    return [group for group in by_cause(book.findings["p"]) if group.of_source]


def table(*saved: str) -> str:
    rows = zip(("fast", "half", "other"), (("1", "<8>"), ("2", "<6>"), ("2.5", "<5>")), saved, strict=True)
    lines = "".join(f"    «{card}»-x1: [{hours}, {usd}, {each}]\n" for card, (hours, usd), each in rows)
    return f"- of: setups.«s»\n  at: «Table»\n  columns: [hours, usd, usd_per_hour_saved]\n  rows:\n{lines}"


def _cause_of(group: FindingGroup) -> str:
    """What explains the first figure of an entry; empty where nothing does."""
    return format_sentence(group.lead.arithmetic).partition("; ")[2]


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(
    ("saved", "wanted"),
    [
        # Cost divided by time is the price of the setup: $8, $3 and $2 an hour.
        (("<8>", "<3>", "<2>"), {"it is the price of the setup instead": 3}),
        (("<8.2>", "<3.05>", "<1.96>"), {"cost divided by time is stated instead": 3}),
        (("<8>", "<3>", "<4.9>"), {"it is the price of the setup instead": 2, "alone": 1}),
        (("<8.2>", "<3.05>", "<4.9>"), {"alone": 3}),
        (("<0.667>", "<0.5>", "<0.4>"), {}),
    ],
)
def test_a_column_that_is_the_quotient_of_two_others(
    ledger: Any, saved: tuple[str, ...], wanted: dict[str, int], write: Write
) -> None:
    found = entries(ledger, write, table(*saved))
    assert {_cause_of(group) or "alone": len(group.members) for group in found} == wanted


@pytest.mark.parametrize(
    ("costs", "saved", "given"),
    [
        # As calculated: a third number beside $0.67, $0.50 and $0.40 would be none.
        (("8", "6", "5"), ("8.2", "3.05", "1.96"), ("", "", "")),
        # (8.3 - 2) / 9, (6.2 - 2) / 8 and (4.9 - 2) / 7.5, where cost over time is $8.3, $3.1 and $1.96.
        (("8.3", "6.2", "4.9"), ("8.3", "3.1", "1.96"), ("$0.70/h", "$0.52/h", "$0.39/h")),
    ],
)
def test_what_its_own_inputs_give_is_told_beside_a_quotient_where_it_is_another_number(
    ledger: Any, costs: tuple[str, ...], saved: tuple[str, ...], given: tuple[str, ...]
) -> None:
    claims = table(*(f"<{each}>" for each in saved))
    for old, new in zip(("<8>", "<6>", "<5>"), costs, strict=True):
        claims = claims.replace(f" {old},", f" <{new}>,")
    told = [format_sentence(each.arithmetic) for each in entries(ledger, variant(0), claims)[0].members]
    assert all("; cost divided by time is stated instead" in each for each in told)
    assert [each.partition("its own inputs: ")[2].partition(")")[0] for each in told] == list(given)


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(
    ("claims", "wanted"),
    [
        # The fast card is stated at $1.10, below the $2 of the slow one: that it is the cheapest follows from that.
        (
            ("fast-x1.hours: 1", "fast-x1.usd: <1.1>", "slow-x1.hours: 10", "slow-x1.usd: <2>", "cheapest: «fast»-x1"),
            [(1, 1)],
        ),
        # At the $8 that it costs, it is an error by itself.
        (
            ("fast-x1.hours: 1", "fast-x1.usd: <8>", "slow-x1.hours: 10", "slow-x1.usd: <2>", "cheapest: «fast»-x1"),
            [(1, 0)],
        ),
        # Who states the slow card at $9 may call it dominated by the fast one, of which $8 and 1 h are stated.
        (
            (
                "fast-x1.hours: 1",
                "fast-x1.usd: <8>",
                "slow-x1.hours: 10",
                "slow-x1.usd: <9>",
                "slow-x1.standing: dominated",
            ),
            [(1, 1)],
        ),
        (
            (
                "fast-x1.hours: 1",
                "fast-x1.usd: <8>",
                "slow-x1.hours: 10",
                "slow-x1.usd: <2>",
                "slow-x1.standing: dominated",
            ),
            [(1, 0)],
        ),
    ],
)
def test_a_verdict_that_is_right_by_wrong_figures_follows_from_them(
    ledger: Any, claims: tuple[str, ...], wanted: list[tuple[int, int]], write: Write
) -> None:
    stated = ""
    for claim in claims:
        of, _, states = claim.partition(": ")
        card, _, rest = of.partition("-x1")
        stated += f"- {{of: setups.«s».{f'«{card}»-x1{rest}' if rest else of}, at: Page 1, states: {states}}}\n"
    found = entries(ledger, write, stated)
    assert [(len(group.members), len(group.following)) for group in found] == wanted


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(
    ("hours", "wanted"),
    [
        # Four models take 1, 2 and 2.5 h; 3.6 times too long and of one model only makes 0.9, 1.8 and 2.25 h.
        (
            ("0.900", "1.80", "2.25"),
            [f"it is 10% too low, perhaps by seconds divided by 1,000 instead of 3,600, {MODELS}"],
        ),
        (("0.900", "1.80", "2.50"), [""]),
        (("1.00", "2.00", "2.50"), []),
    ],
)
def test_two_slips_at_once_are_told_of_three_rows(
    ledger: Any, hours: tuple[str, ...], wanted: list[str], write: Write
) -> None:
    rows = zip(("fast", "half", "other"), hours, strict=True)
    stated = "".join(f"    «{card}»-x1: [{each}]\n" for card, each in rows)
    claims = f"- of: setups.«s»\n  at: «Table»\n  columns: [generation_hours]\n  rows:\n{stated}"
    work = "«w»: {title: «The work», model: «m», models: 4, samples_per_model: 900, tokens_per_sample: 10}\n"
    book = ledger(**written(write, {**LEDGER, "workloads": work, "claims": claims})).book()
    found = [group for group in by_cause(book.findings["p"]) if group.of_source]
    assert [_cause_of(group) for group in found] == wanted
