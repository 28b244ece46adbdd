# ruff: noqa: E501 (tables read better unbroken)
"""Words that follow from figures, texts that quote figures and rest on conditions, policies on words."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.figure import Figure

# 720,000 tokens: one slow card takes 2 h and $2, two take 1 h and $2, one quick card takes 1 h and $3, two 0.5 h and $3;
# the odd one has no price, the small one has not the memory.
FILES = {
    "gpus": "slow: {title: Slow, vram_gib: 24}\nquick: {title: Quick, vram_gib: 48}\nodd: {title: Odd, vram_gib: 24}\nsmall: {title: Small, vram_gib: 8}\ncard: {title: Card, vram_gib: 40}\n",
    "models": "m: {title: Model, parameters: 7B, dtype: fp16}\n",
    "ledger/catalog/prices.yaml": "list: {title: List, as_of: 2025-01, usd_per_gpu_hour: {slow: 1, quick: 3, small: 1}}\n",
    "ledger/catalog/throughputs.yaml": "table: {title: Table, model: m, dtype: fp16, tokens_per_second_per_gpu: {slow: 100, quick: 200, odd: 100, small: 100}}\n",
    "ledger/catalog/providers.yaml": "market: {title: Market}\n",
    "project": "prices: [list]\nthroughputs: [table]\n",
    "ledger/p/workloads.yaml": "w: {title: Work, model: m, models: 2, samples: 720, tokens_per_sample: 1000, memory_gb: {weights: 14}}\n",
    "ledger/p/setups.yaml": "s: {title: Setups, workload: w, counts: [1, 2], deadline_hours: 1, market: {slow-x1: Common}}\n",
    "plan": "one: {title: One, items: {a: {title: Item A, scope: one-time, gpu_hours: 36}}}\n",
}


def texts(*lines: str, **more: str) -> dict[str, str]:
    """The ledger above with texts t1, t2, ...; a line is the fields of one."""
    own = "".join(f"t{number}: {{section: Words, {line}}}\n" for number, line in enumerate(lines, 1))
    return {**FILES, "texts": own, **more}


def shown(saying: Any) -> str:
    """A text with its figures in brackets and its words in angles."""

    def one(part: Any) -> str:
        if isinstance(part, Figure):
            return "[unknown]" if part.use is None else f"[{float(part.use):g} {part.unit.symbol}]"
        return part if isinstance(part, str) else f"<{part.title}>"

    return "".join(map(one, saying))


def said(ledger: Any, *lines: str, **more: str) -> list[str]:
    return [shown(one.text) for one in ledger(**texts(*lines, **more)).book().texts["p"]]


@pytest.mark.parametrize(
    ("address", "id", "title"),
    [
        ("s.cheapest", "slow-x2", "2× Slow"),
        ("s.fastest", "quick-x2", "2× Quick"),
        ("s.fewest-dollar-hours", "quick-x2", "2× Quick"),
        ("s.cheapest-single", "slow-x1", "Slow"),
        ("s.fastest-single", "quick-x1", "Quick"),
        ("s.cheapest-before-deadline", "slow-x2", "2× Slow"),
        ("s.reference", "slow-x2", "2× Slow"),
        ("s.quick-x2", "quick-x2", "2× Quick"),
        ("s.quick-x2.standing", "frontier", "on the frontier"),
        ("s.slow-x1.standing", "dominated", "dominated"),
        ("s.odd-x1.standing", "undecided", "undecided"),
        ("s.small-x2.standing", "unfit", "without enough memory"),
        ("s.small-x2.memory", "does-not-fit", "does not fit"),
        ("s.slow-x2.memory", "fits", "fits"),
    ],
)
def test_words_of_setups(ledger: Any, address: str, id: str, title: str) -> None:
    word = ledger(**FILES).book().words[f"p.setups.{address}"]
    assert (word.id, word.title) == (id, title)
    assert word.missing == ()


def test_titles_are_words(ledger: Any) -> None:
    words = ledger(**FILES, allocations="g: {title: Grant, gpu_hours: 9, projects: [p]}\n").book().words
    names = ("p.plan.a", "p.phases.one", "allocations.g", "catalog.gpus.slow", "catalog.models.m", "p.setups.s")
    assert [words[name].title for name in names] == ["Item A", "One", "Grant", "Slow", "Model", "Setups"]


def test_a_ranking_without_a_limit_is_no_word_and_one_that_none_meets_says_none(ledger: Any) -> None:
    early = FILES["ledger/p/setups.yaml"].replace("deadline_hours: 1", "deadline_hours: 0.1")
    words = ledger(**{**FILES, "ledger/p/setups.yaml": early}).book().words
    assert "p.setups.s.fastest-within-budget" not in words
    assert words["p.setups.s.cheapest-before-deadline"].id == "none"
    assert words["p.setups.s.cheapest-before-deadline"].missing == ()


def test_where_the_limit_or_every_price_is_unknown_the_word_is_too(ledger: Any) -> None:
    open_ = FILES["ledger/p/setups.yaml"].replace("deadline_hours: 1", "deadline_hours: unknown")
    words = ledger(**{**FILES, "ledger/p/setups.yaml": open_}).book().words
    assert words["p.setups.s.cheapest-before-deadline"].missing == ("p.setups.s.deadline_hours",)
    nothing = {**FILES, "ledger/catalog/prices.yaml": "list: {as_of: 2025-01, usd_per_gpu_hour: {slow: unknown}}\n"}
    cheapest = ledger(**nothing).book().words["p.setups.s.cheapest"]
    assert (cheapest.title, "catalog.prices.list.usd_per_gpu_hour.slow" in cheapest.missing) == ("unknown", True)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Take {plan.a.total}.", "Take [36 GPU-h]."),
        ("{plan.a.total in gpu-days}", "[1.5 GPU-d]"),
        ("{setups.s.slow-x1.hours in min}", "[120 min]"),
        ("{catalog.gpus.slow.vram_gib in gb}", "[25.7698 GB]"),
        ("{setups.s.cheapest} for {setups.s.cheapest.usd}", "<2× Slow> for [2 $]"),
        ("{setups.s.quick-x1}, {plan.a}, {phases.one}", "<Quick>, <Item A>, <One>"),
        ("{setups.s.odd-x1.usd}", "[unknown]"),
        (
            "{setups.s.slow-x1.marginal_usd_per_hour_saved} {setups.s.quick-x2.marginal_usd_per_hour_saved}",
            "[unknown] [2 $/h]",
        ),
        ("{{setups}} and {{}}", "{setups} and {}"),
    ],
)
def test_texts_quote_figures_and_words(ledger: Any, text: str, wanted: str) -> None:
    assert said(ledger, f"text: '{text}'") == [wanted]


def test_a_quoted_end_leads_to_its_figure(ledger: Any) -> None:
    plan = FILES["plan"].replace("gpu_hours: 36", "gpu_hours: 24-48")
    (text,) = (
        ledger(**texts("text: '{plan.a.gpu_hours.low in gpu-days}–{plan.a.gpu_hours.high}'", plan=plan))
        .book()
        .texts["p"]
    )
    assert shown(text.text) == "[1 GPU-d]–[48 GPU-h]"
    assert {part.address for part in text.text if isinstance(part, Figure)} == {"p.plan.a.gpu_hours"}


def test_a_range_keeps_its_ends_in_another_unit(ledger: Any) -> None:
    plan = FILES["plan"].replace("gpu_hours: 36", "gpu_hours: 24-48")
    (text,) = ledger(**texts("text: '{plan.a.total in gpu-days}'", plan=plan)).book().texts["p"]
    (figure,) = text.text
    assert (figure.value.low, figure.value.use, figure.value.high) == (1, 1.5, 2)


def test_parts_quote_too_and_labels_stay(ledger: Any) -> None:
    listed, named = ledger(**texts("parts: ['{plan.a.total}']", "parts: {Cost: 'of {plan.a}'}")).book().texts["p"]
    assert [shown(part) for part in listed.parts] == ["[36 GPU-h]"]
    assert {str(label): shown(part) for label, part in named.parts.items()} == {"Cost": "of <Item A>"}


def test_a_text_on_a_ranking_that_none_wins_can_still_be_read(ledger: Any) -> None:
    """A text that is bound to a ranking must not be refused on the day that nothing wins it."""
    early = FILES["ledger/p/setups.yaml"].replace("deadline_hours: 1", "deadline_hours: 0.1")
    line = "when: not setups.s.cheapest-before-deadline is none, text: 'For {setups.s.cheapest-before-deadline.usd}', otherwise: None."
    assert said(ledger, line) == ["For [2 $]"]
    assert said(ledger, line, **{"ledger/p/setups.yaml": early}) == ["None."]


@pytest.mark.parametrize(
    ("when", "stands"),
    [
        ("setups.s.cheapest is slow-x2", True),
        ("slow-x2 is setups.s.cheapest", True),
        ("setups.s.cheapest is quick-x2", False),
        ("not setups.s.cheapest is quick-x2", True),
        ("setups.s.cheapest is setups.s.cheapest-before-deadline", True),
        ("setups.s.cheapest is setups.s.fastest", False),
        ("setups.s.cheapest-before-deadline is none", False),
        ("setups.s.slow-x1.standing is dominated", True),
        ("setups.s.odd-x1.standing is undecided", True),
        ("setups.s.small-x1.memory is does-not-fit and setups.s.cheapest.usd < 3 usd", True),
        ("setups.s.fastest is slow-x1 or plan.a.total inside plan.a.gpu_hours", True),
        ("plan.a.total > 36 gpu_hours", False),
        ("setups.s.odd-x1.usd < 3 usd", None),
        ("setups.s.odd-x1.usd < 3 usd or setups.s.cheapest is slow-x2", True),
    ],
)
def test_a_text_stands_where_its_condition_holds(ledger: Any, when: str, stands: bool | None) -> None:
    book = ledger(**texts(f"when: {when}, text: Here.")).book()
    (text,) = book.texts["p"]
    assert (text.stands, shown(text.text)) == (bool(stands), "Here." if stands else "")
    assert text.judged.holds is stands
    found = [one.id for one in book.findings["p"] if one.address == "p.texts.t1"]
    left_out = "text-left-out:p.texts.t1"
    assert found == {True: [], False: [left_out], None: [f"{left_out}#undecided"]}[stands]


def test_otherwise_stands_alone_where_the_condition_does_not_hold(ledger: Any) -> None:
    book = ledger(
        **texts(
            "when: setups.s.cheapest is quick-x1, text: Quick., parts: [One], rows: [plan.a.total], otherwise: 'Now {setups.s.cheapest}.'"
        )
    ).book()
    (text,) = book.texts["p"]
    assert (shown(text.text), text.parts, text.rows) == ("Now <2× Slow>.", (), ())
    assert not [one for one in book.findings["p"] if "text" in one.rule]


def test_otherwise_does_not_stand_where_nothing_is_known(ledger: Any) -> None:
    (text,) = ledger(**texts("when: setups.s.odd-x1.usd < 3 usd, text: Cheap., otherwise: Dear.")).book().texts["p"]
    assert (text.stands, shown(text.text)) == (False, "")


def words(sentence: Any) -> str:
    return "".join(part if isinstance(part, str) else f"[{float(part.use):g} {part.unit.symbol}]" for part in sentence)


def test_the_finding_says_what_is_the_case(ledger: Any) -> None:
    book = ledger(
        **texts("title: Advice, when: setups.s.cheapest is quick-x1 and setups.s.cheapest.usd <= 1 usd, text: Quick.")
    ).book()
    (found,) = [one for one in book.findings["p"] if one.rule == "text-left-out"]
    assert words(found.title) == "Text Advice is left out"
    assert words(found.arithmetic) == "cheapest is 2× Slow, Cheapest: 2× Slow: cost is [2 $]"
    assert (
        words(found.meaning)
        == "It is shown only where setups.s.cheapest is quick-x1 and setups.s.cheapest.usd <= 1 usd."
    )
    assert found.places == (book.ledger.projects["p"].texts["t1"].when.place,)


def test_an_undecided_text_names_what_it_wants(ledger: Any) -> None:
    book = ledger(**texts("when: setups.s.odd-x1.usd < 3 usd, text: Cheap.")).book()
    (found,) = [one for one in book.findings["p"] if one.rule == "text-left-out"]
    assert words(found.arithmetic) == "it cannot be decided without catalog.prices.list.usd_per_gpu_hour.odd"


def test_policies_compare_words(ledger: Any) -> None:
    policies = "policies:\n  kept: {require: setups.s.cheapest is slow-x2, message: m}\n  broken: {require: setups.s.slow-x1.standing is frontier, message: m}\n"
    book = ledger(**{**FILES, "project": FILES["project"] + policies}).book()
    assert {one.name: one.holds for one in book.policies["p"]} == {"kept": True, "broken": False}
    (found,) = [one for one in book.findings["p"] if one.rule == "policy-breached"]
    assert words(found.arithmetic) == "standing of Slow is dominated and must be on the frontier"


def test_what_rests_on_a_broken_part_is_not_missed(ledger: Any) -> None:
    tree = ledger(
        **texts(
            "when: setups.s.cheapest is slow-x2, text: '{setups.s.cheapest} {plan.a.total}'",
            **{"ledger/catalog/prices.yaml": "list: {usd_per_gpu_hour: {slow: $9}}\n"},
        )
    )
    assert len(tree.problems()) == 1


def test_an_address_in_a_block_is_told_at_its_line(ledger: Any) -> None:
    block = "t:\n  section: Words\n  text: |\n    First line.\n\n    Then {plan.b.total}.\n"
    (problem,) = ledger(**FILES, texts=block).problems()
    assert problem.startswith(
        "ledger/p/texts.yaml:6:11: there is no figure `plan.b.total`; did you mean `plan.a.total`"
    )
