"""Figures and words quoted in ledger text, as they come out of the printer: escaped around, linked, never acting."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

import pytest
from test_escape import SITE

from reckon.compute.statements.text_blocks import Saying
from reckon.compute.statements.words import Word
from reckon.language.expression import Formula, Name
from reckon.language.quantity import point
from reckon.language.units import key_unit
from reckon.model.figure import Calculated, Figure, Stated
from reckon.present.render.escape import FIRST_STAND_IN
from reckon.present.render.printing import Printer

STATED = Figure("p.seeds", "Seeds", key_unit("seeds"), point(3), Stated("3"))
BARE = replace(STATED, unit=replace(STATED.unit, symbol=""))
TOTAL = Figure("p.total", "Total", key_unit("hours"), point(5), Calculated(Formula("x", Name("x", 0)), {}))
PRINTER = Printer("p/index.md", rows={"p.total": "p/derivations.md"})
LINKED = "[5 h](derivations.md#p.total)"


def line(*parts: str | Figure | Word) -> str:
    return str(PRINTER.put(Saying(parts)))


def prose(*parts: str | Figure | Word) -> str:
    return str(PRINTER.prose(Saying(parts)))


@pytest.mark.parametrize("printed", [line, prose])
def test_a_figure_is_linked_and_a_word_is_printed(printed: object) -> None:
    assert printed("It takes ", TOTAL, " on ", Word("a", "4× A*B*"), ".") == f"It takes {LINKED} on 4× A\\*B\\*."  # type: ignore[operator]
    assert printed(STATED) == "3 seeds"  # type: ignore[operator]


def test_markdown_goes_on_around_what_is_quoted() -> None:
    assert prose("- **", TOTAL, "** and *", Word("a", "A"), "*") == f"- **{LINKED}** and *A*"


def test_code_and_links_take_plain_text() -> None:
    assert prose("`", TOTAL, "` and [see ", TOTAL, "](other.md)") == "`5 h` and [see 5 h](other.md)"
    assert prose("```\n", TOTAL, " `x`\n```") == "```\n5 h `x`\n```"
    assert prose("[x](https://e.org/", STATED, ")") == "x", "an address with a space in it is none"


@pytest.mark.parametrize(
    "parts",
    [
        ("Takes ", BARE, ". Then"),
        (BARE, ". Then"),
        (BARE, ") Then"),
        (Word("a", "- A"), " first"),
        (Word("a", "# A"), " first"),
        (Word("a", "<b>x</b>"), "&", Word("b", "lt"), ";"),
        ("10^", BARE, " and 2^", BARE),
        ("a_", BARE, "_b ~", BARE, "~"),
        ("[", BARE, "]: ", BARE),
        ("{{ 7*7 }} ", BARE, "{: .x}"),
    ],
)
def test_what_is_quoted_opens_nothing(parts: tuple[str | Figure | Word, ...]) -> None:
    plain = "".join(
        "3" if isinstance(part, Figure) else part.title if isinstance(part, Word) else part for part in parts
    )
    for text in (prose(*parts), line(*parts)) if not isinstance(parts[0], (Word, Figure)) else (prose(*parts),):
        SITE.reset()
        html = SITE.convert(text)
        assert html.startswith("<p>"), html
        assert html.count("<") == 2, html
        assert unescape(html[3:-4]) == plain


def test_a_figure_that_ends_a_sentence_at_the_start_of_a_line_is_no_item_of_a_list() -> None:
    """`5 h.` opens no list, whatever is before it; a bare `3.` would."""
    assert prose("It takes\n", TOTAL, ". Then it ends.") == f"It takes\n{LINKED}. Then it ends."
    assert prose("It takes\n", STATED, ".") == "It takes\n3 seeds."
    assert prose("There are\n", BARE, ". Then it ends.") == "There are\n3\\. Then it ends."


def test_stand_ins_in_ledger_text_stand_for_nothing() -> None:
    assert line(chr(FIRST_STAND_IN), TOTAL) == f"\ufffd{LINKED}"
    assert prose(chr(FIRST_STAND_IN), TOTAL) == f"\ufffd{LINKED}"


def test_more_quotations_than_letters_keep_their_order() -> None:
    assert line(*[replace(STATED, value=point(number), unit=BARE.unit) for number in range(2000)]) == "".join(
        f"{n:,}" for n in range(2000)
    )
