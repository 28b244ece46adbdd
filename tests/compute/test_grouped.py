# ruff: noqa: E501 (tables read better unbroken)
"""How grave findings about a source are, and which of them are one entry: each with an error that is seeded and a near
miss, also under random names and at other sizes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.present.render.numbers import format_sentence
from tests.variants import VARIANTS, Write, written

Files = dict[str, str]
RULES = (
    "claim-contradicted",
    "limit-passed",
    "savings-miss-difference",
    "setting-contradicted",
    "reported-apart",
)


def claims(*pairs: str, source: str = "«Report»") -> str:
    """What is stated, as `ADDRESS: VALUE`, each in one table."""
    return "".join(
        "- {{of: {}, at: Table 1, states: {}, source: {}}}\n".format(*pair.split(": "), source) for pair in pairs
    )


def set_up(patience: str, project: str = "source: «Report»\n", plan: str = "") -> Files:
    """Requests of 29 and 29.5 seconds that a time-out may be shorter than, and a temperature beside greedy decoding."""
    frame = "{title: «Frame», settings: {«wait»: {role: request-timeout, unit: seconds, of: generation_seconds}, «heat»: {role: temperature}, «mode»: {role: decoding}}}"
    files = {
        "project": project,
        "ledger/catalog/settings.yaml": f"«frame»: {frame}\n",
        "measurements": "«m»: {title: «M», kind: measured, row: request, configuration: «c», rows: [{generation_seconds: <29>}, {generation_seconds: <29.5>}], total: [generation_seconds]}\n",
        "configurations": f"«c»: {{title: «C», framework: «frame», settings: {{«wait»: {patience}, «heat»: 0.7, «mode»: greedy}}}}\n",
    }
    return {**files, **({"plan": plan} if plan else {})}


PLANNED = "one: {title: One, items: {«a»: {title: «A», scope: one-time, gpu_hours: <9>}}}\n"
WAIT, MODE = (
    "setting-contradicted:p.configurations.«c».settings.«wait»#timeout",
    "setting-contradicted:p.configurations.«c».settings.«mode»#sampling",
)


def rented(first: str, second: str) -> Files:
    """25 minutes at two prices, $0.75 and $1.00, or whole hours at $1.80 and $2.40."""
    return {
        "ledger/catalog/providers.yaml": "«cloud»: {title: «Cloud»}\n",
        "ledger/catalog/prices.yaml": "«l»: {provider: «cloud», usd_per_gpu_hour: {card: <1.80>}}\n«k»: {provider: «cloud», usd_per_gpu_hour: {card: <2.40>}}\n",
        "measurements": "«m»: {title: «M», kind: estimated, device: card, gpus: 1, seconds_per_step: 1.5}\n",
        "projections": "«q»: {title: «Q», measurements: [«m»], steps: 1000, prices: [«l», «k»]}\n",
        "claims": claims(f"projections.«q».«m».costs.«l».usd: {first}", f"projections.«q».«m».costs.«k».usd: {second}"),
    }


COST = "claim-contradicted:p.projections.«q».«m».costs"


def shared(trainer: str, *stated: str, more: str = "") -> Files:
    """A server that takes 0.8 of a card of 400, 300 or 240 GiB, and a trainer beside it; a tenth is to stay free."""
    return {
        "project": "reserve_gib: <40>\nsource: «Report»\n",
        "gpus": "card: {title: «Card», vram_gib: <400>}\n«less»: {title: «Less», vram_gib: <300>}\n«least»: {title: «Least», vram_gib: <240>}\n",
        "ledger/catalog/settings.yaml": "«frame»: {title: «Frame», settings: {«share»: {unit: ratio}}}\n",
        "configurations": f"«c»: {{title: «C», framework: «frame», settings: {{«share»: 0.8}}, memory: {{server: {{title: «Server», pool: «share»}}, trainer: {{title: «Trainer», gib: {trainer}}}}}}}\n",
        "claims": claims(*(f"configurations.«c».on.{each}" for each in stated)) + more,
    }


ON = "claim-contradicted:p.configurations.«c».on"


def together(*stated: str, efficiency: str = "90%") -> Files:
    """A card that takes 20.4 hours, at $2 an hour, and two of it at an efficiency."""
    return {
        "project": "prices: [«l»]\nthroughputs: [«t»]\nsource: «Report»\n",
        "gpus": "card: {title: Card, vram_gib: 40}\n«slow»: {title: Slow}\n",
        "ledger/catalog/models.yaml": "«m»: {title: «Model»}\n",
        "ledger/catalog/providers.yaml": "«cloud»: {title: «Cloud»}\n",
        "ledger/catalog/prices.yaml": "«l»: {provider: «cloud», usd_per_gpu_hour: {card: 2, «slow»: 1}}\n",
        "ledger/catalog/throughputs.yaml": "«t»: {model: «m», tokens_per_second_per_gpu: {card: 1000, «slow»: 400}}\n",
        "workloads": f"«w»: {{title: «Work», model: «m», samples: <7344000>, tokens_per_sample: 10, models: 2, efficiency: {efficiency}}}\n",
        "setups": "«s»: {title: «Setups», workload: «w», counts: [1, 2], reference: «slow»-x1}\n",
        "claims": claims(*(f"setups.«s».{each}" for each in stated)),
    }


S = "p.setups.«s»"


def charged(hours: str, project: str = "plan_is: best-case\n") -> Files:
    """A line of 100 GPU-hours, and a run of it."""
    return {
        "project": project,
        "plan": "one: {title: One, items: {«a»: {title: «A», scope: one-time, gpu_hours: <100>}}}\n",
        "runs": f"- {{date: 2025-01-02, item: «a», gpu_hours: {hours}, progress: {{done: 1, total: 1}}}}\n",
    }


def lines(first: str, second: str) -> Files:
    """Two lines of 8.79 and 6.58 GPU-hours, and what a table has for them."""
    items = (
        "«a»: {title: «A», scope: one-time, gpu_hours: <8.79>}, «b»: {title: «B», scope: one-time, gpu_hours: <6.58>}"
    )
    return {
        "plan": f"one: {{title: One, items: {{{items}}}}}\n",
        "claims": claims(f"plan.«a».total: {first}", f"plan.«b».total: {second}"),
    }


A, B = "claim-contradicted:p.plan.«a».total", "claim-contradicted:p.plan.«b».total"

CASES: list[tuple[str, Files, list[str]]] = [
    # What is set and measured is a document's, where the ledger has nothing else.
    (
        "a time-out and decoding that a document reports",
        set_up("<29.4>"),
        [f"error in the source {WAIT}", f"warning in the source {MODE}"],
    ),
    ("a time-out as long as the longest request", set_up("<29.5>"), [f"warning in the source {MODE}"]),
    ("a time-out of who plans", set_up("<29.4>", plan=PLANNED), [f"error {WAIT}", f"warning {MODE}"]),
    ("a time-out without a document", set_up("<29.4>", ""), [f"error {WAIT}", f"warning {MODE}"]),
    # Costs of whole hours.
    (
        "costs of whole hours",
        rented("<1.80>", "<2.40>"),
        [f"error in the source {COST}.«l».usd | {COST}.«k».usd"],
    ),
    (
        "one cost of whole hours, and one of neither",
        rented("<1.80>", "<2.80>"),
        [f"error in the source {COST}.«k».usd", f"error in the source {COST}.«l».usd"],
    ),
    ("costs of the time", rented("<0.75>", "<1.00>"), []),
    # Verdicts: 320 + 60 of 400 GiB is tight, and 320 is stated as 340.
    (
        "too large a part, and what is tight called too large",
        shared("<60>", "card.server_gib: <340>", "card.verdict: does-not-fit"),
        [f"warning in the source {ON}.card.server_gib < warning {ON}.card.verdict"],
    ),
    (
        "a part that agrees, and what is tight called too large",
        shared("<60>", "card.server_gib: <320>", "card.verdict: does-not-fit"),
        [f"note in the source {ON}.card.verdict"],
    ),
    (
        "too large a part in another document",
        shared(
            "<60>",
            "card.verdict: does-not-fit",
            more=claims("configurations.«c».on.card.server_gib: <340>", source="«Other»"),
        ),
        [f"note in the source {ON}.card.verdict", f"warning in the source {ON}.card.server_gib"],
    ),
    (
        "too large a part, and what is tight called fitting",
        shared("<60>", "card.server_gib: <340>", "card.verdict: fits"),
        [f"warning in the source {ON}.card.server_gib", f"warning in the source {ON}.card.verdict"],
    ),
    # 320 + 90 of 400, 240 + 90 of 300 and 192 + 90 of 240 GiB.
    (
        "smaller cards that are said to do",
        shared("<90>", "card.verdict: does-not-fit", "«less».verdict: fits", "«least».verdict: fits"),
        [f"error in the source {ON}.«less».verdict | {ON}.«least».verdict"],
    ),
    (
        "smaller cards that are said to do, and nothing of the larger",
        shared("<90>", "«less».verdict: fits", "«least».verdict: fits"),
        [f"error in the source {ON}.«less».verdict | {ON}.«least».verdict"],
    ),
    (
        "smaller cards that are not said to do",
        shared("<90>", "card.verdict: does-not-fit", "«less».verdict: does-not-fit"),
        [],
    ),
    # 20.4 hours and 10.2: at 100% two cost what one costs, and are faster; at 90% they take 11.3 and cost more.
    (
        "the cheapest if nothing is lost",
        together("card-x1.hours: <20.4>", "card-x2.hours: <10.2>", "cheapest: card-x2"),
        [
            f"warning in the source claim-contradicted:{S}.cheapest",
            f"warning in the source claim-contradicted:{S}.card-x2.hours",
        ],
    ),
    (
        "the cheapest beside times at the efficiency",
        together("card-x1.hours: <20.4>", "card-x2.hours: <11.3>", "cheapest: card-x2"),
        [f"warning in the source claim-contradicted:{S}.cheapest"],
    ),
    (
        "another cheapest",
        together("card-x1.hours: <20.4>", "card-x2.hours: <10.2>", "cheapest: «slow»-x1"),
        [
            f"warning in the source claim-contradicted:{S}.cheapest",
            f"warning in the source claim-contradicted:{S}.card-x2.hours",
        ],
    ),
    # A best case sets no limit.
    ("more than the best case", charged("<101>"), []),
    ("as much as the best case", charged("<100>"), []),
    ("more than a plan", charged("<101>", ""), ["warning limit-passed:p.limits.final"]),
    # 8.79 and 6.58.
    ("digits cut off", lines("<8.7>", "<6.5>"), [f"note in the source {A} | {B}"]),
    (
        "digits cut off once, and another figure",
        lines("<8.7>", "<6.2>"),
        [f"warning in the source {B}", f"note in the source {A}"],
    ),
    ("digits rounded", lines("<8.8>", "<6.6>"), []),
]


@pytest.mark.parametrize(
    ("rounded", "entries"),
    [("{formula: x_hours + y_hours, x_hours: 5.2, y_hours: 5.2}", [["d", "c"]]), ("10.4", [["d"], ["c"]])],
)
def test_what_one_rounded_result_moves_is_one_entry_and_what_an_input_does_is_not(
    ledger: Any, rounded: str, entries: list[list[str]]
) -> None:
    """10.4 hours are stated as 10. Less 8.6 they are 1.8, and 1.4 as stated; less 9 and on four GPUs 5.6, and 4."""
    figures = f"""\
a: {{title: Alder, hours: {rounded}}}
c: {{title: Cedar, hours: {{formula: figures.a - 8.6 h}}}}
d: {{title: Dogwood, gpu_hours: {{formula: (figures.a - 9 h) * gpus, gpus: 4}}}}
"""
    stated = (("a", "10 h"), ("c", "1.40 h"), ("d", "4.00"))
    claims = "".join(f"- {{of: figures.{name}, states: {text}, at: Text}}\n" for name, text in stated)
    found = by_cause(ledger(figures=figures, claims=claims).book().findings["p"])
    assert [[each.address.rpartition(".")[2] for each in group.members] for group in found] == entries


def plain(text: str) -> str:
    """A text with its numbers as a ledger has them."""
    return re.sub("(?<=[0-9]),(?=[0-9])", "", text)


def said(group: FindingGroup) -> str:
    """An entry: how grave, of the source or not, its findings, and what follows from them."""
    where = " in the source" if group.of_source else ""
    after = "".join(f" < {found.severity} {found.id}" for found in group.following)
    return f"{group.severity}{where} {' | '.join(found.id for found in group.members)}{after}"


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(("files", "wanted"), [pytest.param(*rest, id=name) for name, *rest in CASES])
def test_entries_of_what_is_stated(ledger: Any, files: Files, wanted: list[str], write: Write) -> None:
    found = ledger(**written(write, files)).book().findings["p"]
    assert sorted(said(group) for group in by_cause(found) if group.rule in RULES) == sorted(map(write, wanted))


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(
    ("within", "ends"),
    [
        (", within: server", ". Do not add «Fewer»: these <30> GiB are inside «Server», which is counted as a whole"),
        ("", "«Fewer» <30> GiB"),
    ],
)
def test_savings_within_a_pool_are_named(ledger: Any, within: str, ends: str, write: Write) -> None:
    """320 + 60 and 200 + 60 GiB: 120 lie between them, and 120 + 30 are said to be saved."""
    files = shared("<60>", "card.need_gib: <380>", more=claims("configurations.«d».on.card.need_gib: <260>"))
    files["configurations"] = (
        files["configurations"].replace("gib: <60>}", f"gib: <60>}}, cache: {{title: «Cache», gib: unknown{within}}}")
        + "«d»: {title: «D», base: «c», levers: [«l», «k»]}\n"
    )
    files["levers"] = (
        "«l»: {title: «Smaller», part: server, sets: {«share»: 0.5}, lowers: [«share»], saves_gib: <120>}\n"
        "«k»: {title: «Fewer», part: cache, saves_gib: <30>}\n"
    )
    found = ledger(**written(write, files)).book().findings["p"]
    (arithmetic,) = (format_sentence(each.arithmetic) for each in found if each.rule == "savings-miss-difference")
    assert plain(arithmetic).endswith(write(ends))


SHARE, ONE = f"claim-contradicted:{S}.card-x2.hours", f"claim-contradicted:{S}.card-x1.hours"
ACCEPT = "accept: [{{finding: '{}', reason: Typing.}}]\n"


@pytest.mark.parametrize("write", VARIANTS)
@pytest.mark.parametrize(
    ("one", "two", "efficiency", "accept", "wanted"),
    [
        # 20.4 hours on one card, and 11.3 on two; half of what is stated of one is stated of two.
        ("<30.2>", "<15.1>", "90%", "", [f"error in the source {ONE} < error {SHARE}"]),
        # Nobody has accepted the share.
        ("<30.2>", "<15.1>", "90%", ACCEPT.format(ONE), [f"error in the source {SHARE}", f"note in the source {ONE}"]),
        # 8% above 20.4 hours, and 19% below 13.6: the entry is as grave as its gravest row.
        ("<22.2>", "<11.1>", "75%", "", [f"error in the source {ONE} < error {SHARE}"]),
    ],
)
def test_a_share_of_wrong_hours_is_as_grave_as_it_is(
    ledger: Any, one: str, two: str, efficiency: str, accept: str, wanted: list[str], write: Write
) -> None:
    files = together(f"card-x1.hours: {one}", f"card-x2.hours: {two}", efficiency=efficiency)
    files["project"] += accept
    found = ledger(**written(write, files)).book().findings["p"]
    entries = [said(group) for group in by_cause(found) if group.rule == "claim-contradicted"]
    assert sorted(entries) == sorted(map(write, wanted))
