"""Texts that quote figures: what is cut out of them, and which braces are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.language.parser import Quote, pieces
from reckon.language.text import Place, Refusal, Text, place_at


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("no braces", ["no braces"]),
        ("", []),
        ("{budget.final}", [Quote("budget.final", "", 1)]),
        ("at {a.b-c.low} or", ["at ", Quote("a.b-c.low", "", 4), " or"]),
        ("{ plan.sft.total  in gpu-days }", [Quote("plan.sft.total", "gpu-days", 2)]),
        ("{x in\n  tokens_per_hour}", [Quote("x", "tokens_per_hour", 1)]),
        ("{{x}}", ["{x}"]),
        ("{{{x}}}", ["{", Quote("x", "", 3), "}"]),
        ("{a}{b}", [Quote("a", "", 1), Quote("b", "", 4)]),
    ],
)
def test_a_text_is_cut_at_what_it_quotes(text: str, cut: list[str | Quote]) -> None:
    assert pieces(text) == cut


@pytest.mark.parametrize(
    ("text", "at"), [("a {", 2), ("a }", 2), ("{}", 0), ("x {1 + 2}", 2), ("{a + b}", 0), ("{a in}", 0), ("{a b}", 0)]
)
def test_a_brace_that_quotes_nothing_is_refused(text: str, at: int) -> None:
    with pytest.raises(Refusal, match="does not quote a figure") as refusal:
        pieces(text)
    assert refusal.value.at == at
    assert "`{{` and `}}` print a brace" in refusal.value.right


@given(st.text(alphabet="{}ab. \n", max_size=40))
def test_doubled_braces_print_any_text(text: str) -> None:
    assert "".join(str(one) for one in pieces(text.replace("{", "{{").replace("}", "}}"))) == text


def test_a_place_inside_a_text_is_in_its_own_line() -> None:
    text = Text("one\ntwo\n", Place("f", 3, 5))
    assert place_at(text, 4) == Place("f", 3, 5), "its lines are not known"
    text.lines = ((0, Place("f", 4, 3)), (4, Place("f", 5, 7)))
    assert [place_at(text, at)[1:] for at in (0, 2, 4, 6)] == [(4, 3), (4, 5), (5, 7), (5, 9)]
    assert place_at(Text("one", Place("f", 3, 5)), 2) == Place("f", 3, 7)
