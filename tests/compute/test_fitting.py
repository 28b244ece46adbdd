"""Memory of configurations, worked by hand: named formulas against their sources, pools, levers, verdicts, times."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.compute.choosing.memory import FITS, NOT, TIGHT
from reckon.compute.fitting.query import FitQuery, query_described, with_reserve
from reckon.language.text import Text
from reckon.model import records as r
from reckon.model.ledger import Catalog
from tests.conftest import Tree

Ledger = Callable[..., Tree]
GB, GIB = 10**9, 2**30
CARDS = {
    Text(name): r.Card.model_validate({"title": name, "vram_gib": str(size)})
    for name, size in {"c16": 16, "c40": 40, "c80": 80, "c192": 192}.items()
}
SEVEN = {"parameters": "7B", "dtype": "bf16"}
TRAINED = {"parameters": "7.5B", "dtype": "bf16", "optimizer": "adam"}
LLAMA = {"parameters": "8B", "layers": "32", "kv_heads": "8", "head_size": "128", "dtype": "bf16"}
WIDE = {"layers": "32", "hidden_size": "4096", "heads": "32"}


def of(words: dict[str, str]) -> FitQuery:
    return query_described(Catalog(gpus=CARDS), words)


def size(words: dict[str, str], part: str = "") -> Fraction:
    """Bytes of a part, or of all parts."""
    seen = of(words)
    names = [part] if part else list(seen.configured.parts)
    found = [seen.figures[f"asked.configurations.asked.memory.{name}.need_gib"].use for name in names]
    assert None not in found
    return sum((one for one in found if one is not None), Fraction(0)) * GIB


def test_seven_billion_parameters_with_adam_take_sixteen_bytes_each() -> None:
    # 7B x (2 + 2 + 4 + 4 + 4) = 112 GB
    assert size({**SEVEN, "optimizer": "adam"}) == 112 * GB == 16 * 7 * GB
    assert size(SEVEN) == 14 * GB


@pytest.mark.parametrize(
    ("stage", "printed"), [("none", "120"), ("zero-1", "31.4"), ("zero-2", "16.6"), ("zero-3", "1.9")]
)
def test_the_stages_of_zero_as_its_paper_prints_them(stage: str, printed: str) -> None:
    """Figure 1 of the paper: 7.5B parameters on 64 GPUs, K = 12."""
    shared = {} if stage == "none" else {"sharding": stage, "gpus": "64"}
    found = size({**TRAINED, **shared}) / GB
    assert round(found, len(printed.partition(".")[2])) == Fraction(printed)


@pytest.mark.parametrize(
    ("optimizer", "dtype", "each"),
    [
        ("adam", "bf16", 12),
        ("adam", "fp32", 8),
        ("adam-8bit", "bf16", 2),
        ("sgd-momentum", "bf16", 8),
        ("sgd-momentum", "fp32", 4),
        ("sgd", "fp16", 4),
        ("sgd", "fp32", 0),
    ],
)
def test_optimizers_by_their_bytes(optimizer: str, dtype: str, each: int) -> None:
    assert size({"parameters": "1B", "dtype": dtype, "optimizer": optimizer}, "optimizer") == each * GB


def test_a_token_of_llama_3_8b_takes_128_kib() -> None:
    # 2 x 32 x 8 x 128 x 2 bytes
    assert size({**LLAMA, "tokens": "1", "sequences": "1"}, "kv-cache") == 131_072


def test_activations_by_recomputation() -> None:
    shape = {"parameters": "7B", "dtype": "bf16", "optimizer": "adam", **WIDE, "tokens": "2048", "sequences": "3"}
    sbh = 2048 * 3 * 4096
    # s b h (34 + 5 a s / h) = s b h (34 + 80), for each of 32 layers
    assert size(shape, "activations") == 32 * sbh * (34 + 80)
    assert size({**shape, "recompute": "selective"}, "activations") == 32 * sbh * 34
    assert size({**shape, "recompute": "full"}, "activations") == 32 * sbh * 2


VLLM = """\
served:
  title: Served
  settings: {gpu_memory_utilization: 0.9}
  model: llama
  dtype: bf16
  tokens: 16
  sequences: 1
  memory:
    engine: {pool: gpu_memory_utilization}
    weights: {gib: 14.96, within: engine}
    other: {gib: 0.10, within: engine}
    peak: {gib: 9.37, within: engine}
    kv: {reckoned: rest, within: engine}
"""


def test_the_memory_that_vllm_measured(ledger: Ledger) -> None:
    """0.9 x 39.50 - 14.96 - 0.10 - 9.37 = 11.12 GiB, which is 5,693 blocks of 16 tokens; vLLM counted 5,691."""
    book = ledger(
        gpus="card: {title: A100 40GB, vram_gib: 40, usable_vram_gib: 39.50}\n",
        models="llama: {title: Llama, parameters: 8B, layers: 32, kv_heads: 8, head_size: 128}\n",
        configurations=VLLM,
        figures="block: {title: A block, gib: {formula: 2 * 32 * 8 * 128 * 2 bytes * 16}}\n"
        "counted:\n  title: Tokens in the blocks that vLLM counted\n"
        "  tokens: {formula: blocks * tokens_per_block, blocks: 5691, tokens_per_block: 16}\n",
    ).book()
    left = book["p.configurations.served.on.card.kv_gib"].use
    assert left == Fraction("0.9") * Fraction("39.50") - Fraction("14.96") - Fraction("0.10") - Fraction("9.37")
    assert left == Fraction("11.12")
    block = book["p.figures.block"].use
    assert block == Fraction(16 * 131_072, GIB)
    assert int(left / block) == 5_693
    assert book["p.figures.counted"].use == 91_056
    # The whole takes what the pool takes, whatever is in it.
    assert book["p.configurations.served.on.card.need_gib"].use == Fraction("35.55")


def pooled(inside: str, *levers: str) -> dict[str, str]:
    applied = f", levers: [{', '.join(levers)}]" if levers else ""
    return {
        "configurations": "usual: {title: Usual, settings: {share: 0.5},\n"
        f"  memory: {{pool: {{pool: share}}, held: {{gib: {inside}, within: pool}}, free: {{gib: 4}}}}}}\n"
        f"one: {{title: One, base: usual{applied}}}\n",
        "levers": "less: {title: Less, part: held, saves: 50%}\n"
        "more: {title: More, part: held, saves: 50%}\n"
        "fixed: {title: Fixed, part: free, saves_gb: 1 GiB}\n"
        "whole: {title: All of it, part: free, saves_gb: 99 GiB}\n"
        "twice: {title: Twice, part: free, saves: 50%}\n",
    }


@pytest.mark.parametrize(("inside", "verdict"), [("20", "fits"), ("20.001", "does-not-fit")])
def test_what_stands_within_a_pool_has_to_find_room_there(ledger: Ledger, inside: str, verdict: str) -> None:
    book = ledger(**pooled(inside)).book()
    assert book["p.configurations.one.on.card.need_gib"].use == 24
    assert book.words["p.configurations.one.on.card.verdict"].id == verdict


def test_a_need_that_cannot_be_calculated_has_no_verdict_and_is_told_once(ledger: Ledger) -> None:
    part = "a: {gib: {formula: other * 3 gb}}"
    (said,) = ledger(configurations=f"one: {{title: One, memory: {{{part}}}}}\n").problems()
    assert said.startswith("ledger/p/configurations.yaml:1:47: there is no `other` here or further out")


def test_a_wrong_verdict_has_the_places_of_ten_figures_at_most(ledger: Ledger) -> None:
    """Each of 12 pools of 2 GiB has 3 GiB in it."""
    settings = ", ".join(f"s{number}: 0.05" for number in range(12))
    parts = ", ".join(f"p{each}: {{pool: s{each}}}, h{each}: {{gib: 3, within: p{each}}}" for each in range(12))
    found = ledger(
        configurations=f"one: {{title: One, settings: {{{settings}}}, memory: {{{parts}}}}}\n",
        claims="- {of: configurations.one.on.card.verdict, states: fits, at: Text}\n",
    ).book()
    (finding,) = (each for each in found.findings["p"] if each.rule == "claim-contradicted")
    assert finding.places[0].short == "ledger/p/claims.yaml:1"
    assert len(finding.places) == 1 + 10


def test_a_lever_on_a_part_within_a_pool_frees_nothing_on_the_card(ledger: Ledger) -> None:
    book = ledger(**pooled("24", "less")).book()
    assert book["p.configurations.one.memory.held.need_gib"].use == 12
    assert book["p.configurations.one.on.card.need_gib"].use == 24
    assert book.words["p.configurations.one.on.card.verdict"].id == "fits"


def test_levers_on_one_part_act_one_after_the_other(ledger: Ledger) -> None:
    tree = ledger(**pooled("24", "less", "more", "fixed", "twice"))
    book = tree.book()
    # 24 / 2 / 2, and (4 - 1) / 2
    assert book["p.configurations.one.memory.held.need_gib"].use == 6
    assert book["p.configurations.one.memory.free.need_gib"].use == Fraction(3, 2)
    tree.write("ledger/p/configurations.yaml", pooled("24", "twice", "fixed")["configurations"])
    assert tree.book()["p.configurations.one.memory.free.need_gib"].use == 1


def test_a_lever_saves_no_more_than_there_is(ledger: Ledger) -> None:
    book = ledger(**pooled("1", "whole")).book()
    assert book["p.configurations.one.memory.free.need_gib"].use == 0


@pytest.mark.parametrize(
    ("need", "verdict"), [("38", "fits"), ("38.001", "tight"), ("40", "tight"), ("40.001", "does-not-fit")]
)
def test_the_reserve_at_its_limits(ledger: Ledger, need: str, verdict: str) -> None:
    text = f"one: {{title: One, memory: {{all: {{gib: {need}}}}}}}\n"
    book = ledger(project="reserve_gib: 2\n", configurations=text).book()
    assert book.words["p.configurations.one.on.card.verdict"].id == verdict


def test_an_unknown_part_leaves_the_verdict_open_and_is_named(ledger: Ledger) -> None:
    book = ledger(
        models="bare: {title: Bare, parameters: 7B}\n",
        configurations="one: {title: One, model: bare, tokens: 16, memory: {kv: {reckoned: kv-cache}}}\n"
        "two: {title: Two, memory: {all: {gib: unknown}}}\n",
    ).book()
    assert set(book["p.configurations.one.on.card.need_gib"].missing) == {
        "catalog.models.bare.layers",
        "catalog.models.bare.kv_heads",
        "catalog.models.bare.head_size",
        "p.configurations.one.sequences",
        "p.configurations.one.dtype",
    }
    assert book["p.configurations.two.on.card.need_gib"].missing == ("p.configurations.two.memory.all.gib",)
    assert book.words["p.configurations.two.on.card.verdict"].id == "unknown"


CHAIN = """\
first: {title: First, hours: 2, settings: {epochs: 2, batch: 8}, time: {training: 50%}, memory: {all: {gib: 8}}}
second: {title: Second, base: first, levers: [halved], settings: {rate: 5}}
third: {title: Third, base: second, levers: [slow], settings: {epochs: 3}}
held: {title: Held, base: first, levers: [slow], hours: 4}
after: {title: After, base: held, levers: [slower]}
kept: {title: Kept, base: first, levers: [halved], settings: {batch: 6}}
below: {title: Below, base: kept}
"""
STEPS = """\
halved: {title: Halved, sets: {batch: 4}, part: all, saves: 50%}
slow: {title: Slow, part: all, saves_gb: 1 GiB, slows: training, slower: 20%}
slower: {title: Slower, part: all, saves_gb: 1 GiB, slows: training, slower: 50%}
"""


def test_chains_of_bases(ledger: Ledger) -> None:
    """Fields, parts, levers and settings come down the whole chain, and the nearest that says something counts."""
    from reckon.compute.fitting.effective_settings import Configured

    book = ledger(configurations=CHAIN, levers=STEPS).book()
    third = Configured(book.ledger.projects["p"], "third")
    assert {name: str(one.value.text) for name, one in third.settings.items()} == {  # type: ignore[union-attr]
        "epochs": "3",
        "batch": "4",
        "rate": "5",
    }
    assert third.levers == ("halved", "slow")
    assert book["p.configurations.third.memory.all.need_gib"].use == 3
    # What `kept` says itself counts before its lever, and so it does below it.
    below = Configured(book.ledger.projects["p"], "below")
    assert str(below.settings["batch"].value.text) == "6"  # type: ignore[union-attr]


def test_a_time_that_is_stated_with_levers_in_force_has_them_in_it(ledger: Ledger) -> None:
    book = ledger(configurations=CHAIN, levers=STEPS).book()
    assert book["p.configurations.held.expected_hours"].use == 4
    # 4 h x (50% x 1.5 + 50%): the lever of `held` is in its 4 hours already
    assert book["p.configurations.after.expected_hours"].use == 5


def test_a_circle_of_bases_is_refused(ledger: Ledger) -> None:
    tree = ledger(configurations="one: {title: One, base: two}\ntwo: {title: Two, base: one}\n")
    assert any("in a circle" in one for one in tree.problems())


def slowed(time: str) -> dict[str, str]:
    return {
        "configurations": f"one: {{title: One, hours: 10{time}}}\n"
        "two: {title: Two, base: one, levers: [train, serve]}\n",
        "levers": "train: {title: T, slows: training, slower: 20%}\n"
        "serve: {title: S, slows: serving, throughput_lower: 20%}\n",
    }


def test_times_where_the_shares_are_known(ledger: Ledger) -> None:
    book = ledger(**slowed(", time: {training: 50%, serving: 30%}")).book()
    # 10 h x (50% x 1.2 + 30% / 0.8 + 20%) = 10 x (0.6 + 0.375 + 0.2)
    assert book["p.configurations.two.expected_hours"].use == Fraction("11.75")


@pytest.mark.parametrize(
    ("time", "low", "high"),
    [
        # All of it in one part: 10 x 1.2 or 10 / 0.8; or in none of them, where others are possible.
        (", time: {training: unknown, serving: unknown}", "12", "12.5"),
        (", time: {training: unknown, serving: unknown, waiting: unknown}", "10", "12.5"),
        ("", "10", "12.5"),
        # Half of it is slowed by 1.2, the other half by nothing or by 1 / 0.8.
        (", time: {training: 50%}", "11", "12.25"),
        (", time: {training: 50%, serving: unknown}", "12.25", "12.25"),
    ],
)
def test_times_where_they_are_not(ledger: Ledger, time: str, low: str, high: str) -> None:
    value = ledger(**slowed(time)).book()["p.configurations.two.expected_hours"].value
    assert (value.low, value.use, value.high) == (Fraction(low), None, Fraction(high))


amounts = st.integers(1, 10**4)


@given(amounts, amounts, amounts, amounts, amounts)
def test_need_grows_with_batch_context_parameters_and_bytes(
    batch: int, context: int, parameters: int, more: int, layers: int
) -> None:
    def need(**given: object) -> Fraction:
        words = {"parameters": parameters, "tokens": context, "sequences": batch, "layers": layers, "dtype": "fp8"}
        whole = {**LLAMA, **WIDE, **words, **given}
        return size({key: str(one) for key, one in whole.items()})

    least = need()
    assert need(sequences=batch + more) > least
    assert need(tokens=context + more) > least
    assert need(parameters=parameters + more) > least
    assert need(dtype="bf16") > least
    trained = need(optimizer="adam")
    assert need(optimizer="adam", tokens=context + more) > trained
    assert need(optimizer="adam", sequences=batch + more) > trained
    assert need(optimizer="adam", sharding="zero-1", gpus=more) <= trained


ORDER = (FITS, TIGHT, NOT)


@given(st.integers(1, 120), st.integers(0, 200), st.integers(0, 50))
def test_a_verdict_never_improves_with_a_larger_reserve(billions: int, reserve: int, more: int) -> None:
    seen = of({"parameters": f"{billions}B", "dtype": "bf16"})
    some, larger = (with_reserve(seen, Fraction(one, 4)) for one in (reserve, reserve + more))
    for before, after in zip(some.fitted, larger.fitted, strict=True):
        assert before.verdict
        assert after.verdict
        assert ORDER.index(after.verdict.use) >= ORDER.index(before.verdict.use)
