"""Ledger text in every place it can be put, read back from what Python-Markdown and GitHub's parser make of it."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import markdown
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reckon.present.render import escape
from reckon.present.render.escape import Markup, anchor, attribute, block, cell, code, idle, inline, link, terminal
from tests.patterns import stepped
from tests.trying import examples
from tests.work import growth

EXTENSIONS = [
    *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"),
    *("pymdownx.details", "pymdownx.highlight", "pymdownx.quotes", "pymdownx.superfences"),
    *("pymdownx.caret", "pymdownx.mark", "pymdownx.tilde", "pymdownx.tasklist"),
]
CONFIGS = {"pymdownx.quotes": {"callouts": True}, "toc": {"permalink": True}}
SITE = markdown.Markdown(extensions=EXTENSIONS, extension_configs=CONFIGS)
TABLE = "| a | b | c |\n| --- | --- | --- |\n| `x` | {} | `y` |\n"
LINES = {
    "paragraph": "before\n\n{}\n\nafter",
    "in a sentence": "before {} after",
    "list item": "- {}\n- next",
    "numbered item": "1. {}\n2. next",
    "heading": "# {}\n\nafter",
    "callout": "> [!NOTE]\n> {}",
    "quote": "> {}",
    "strong label": "- **label:** {}",
    "link": "see [{}](page.md).",
    "link at the start": "> [{}](page.md)",
    "after a heading": "## Title\n{}",
}
CELLS = {
    "cell": TABLE,
    "header cell": "| a | {} | c |\n| --- | --- | --- |\n| x | y | z |\n",
    "last cell": "| a | b |\n| --- | ---: |\n| x | {} |\n| y | z |\n",
}
ONE_WORD = r"""
{{ 7*7 }} {%x%} <script>alert(1)</script> <!--x--> <?x?> <b </summary> </td></table> a<b>c <0.1 <5@x.y> <http://e>
x{:.y} ]( ](x {#id} {++x++} |a|b| a|b ` `a` ``b``a`|`b`` \`a` `| \ \\ x\ \*a\* \<b> &lt; &#60;b&#62; &copy
&amp;lt; & AT&T; [x](javascript:alert(1)) ![x](http://e/x.png) [x] [x][y] [x]:http://e ]: [^1] [^1]:
*[HTML]:x [TOC] [[_TOC_]] [!NOTE] a_b_c _a_ __a__ *a* **a** ~~x~~ ~x~ ~5 (~5) ==x== ^x^
^^x^^ 2^10 a^b^c $x$ $$x$$ $5/5$ :smile: :+1: 10:30:15 ²_x_² 1.
1) - -- --- :- -: * + # x# C# #x = === > ! x! : ::: ~~~ ``` ???
"""
ONE_LINE = r"""
<img src=x onerror=alert(1)>
<details markdown='1'>
x {: onclick=alert(1) }
x {.y}
a < b > c
&#65 x
&copy 2020
[x]: http://e
[^1]: x
[ ] x
[x] y
a * b * c
a == b
1. x
1) x
- x
- - -
* x
+ x
# x
x #
> x
!!! note
??? note "x"
=== "x"
: x
/// x
--8<-- 'x'
(~5) (~6)
$5 and $6
"""
HOSTILE = [
    *ONE_WORD.split(),
    *ONE_LINE.strip().splitlines(),
    *("", " ", "    x", "\tx", "a\nb", "a\n\n# b", "a  \nb", "a\r\nb\tc", "\x02wzxhzdk:0\x03", "\x02klzzwxh:0000\x03"),
    *("a\u2028b", "\u202ea", "\u00a0x\u00a0", "\ud800", "\x1b]0;t\x07"),
]
SPECIAL = st.text("ab1 \\`*_{}[]()<>#+-.!|~^=$:&;\"'/?@%x\n\t", max_size=24)
WORDS = st.lists(st.sampled_from([*(text for text in HOSTILE if len(text) < 40), " ", "\n", "a"]), max_size=5).map(
    "".join
)
TEXT = st.one_of(SPECIAL, WORDS, st.text(max_size=20))


class Page(HTMLParser):
    """The elements of a page, with every attribute that is no id of a heading, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of_heading = {"id"} if re.fullmatch("h[1-6]", tag) else {"href"} if ("class", "headerlink") in attrs else set()
        self.elements.append((tag, tuple((key, value) for key, value in attrs if key not in of_heading)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.elements.append((f"<!--{data}", ()))

    handle_decl = handle_pi = unknown_decl = handle_comment


def site(text: str) -> Page:
    """The page as MkDocs would make it."""
    SITE.reset()
    return Page(SITE.convert(text))


def forge(text: str) -> Page:
    """The page as GitHub's parser makes it, raw HTML let through."""
    import cmarkgfm as gfm

    extensions = ["table", "strikethrough", "tasklist"]
    html = gfm.markdown_to_html_with_extensions(
        text, gfm.Options.CMARK_OPT_UNSAFE | gfm.Options.CMARK_OPT_FOOTNOTES, extensions
    )
    return Page(html)


READERS = [site, *([forge] if find_spec("cmarkgfm") else [])]  # GitHub's parser is asked where it is installed


def cleaned(text: str) -> str:
    """What is left of a text where nothing may act, said in another way than the code does."""
    text = " ".join(re.split("[ \t\n\v\f\r\x85\u2028\u2029]+", text))
    hidden = {"\xad", "\u061c", "\u180e", "\ufeff", *map(chr, [*range(0x200B, 0x2010), *range(0x202A, 0x202F)])}
    hidden |= set(map(chr, [*range(0x2060, 0x2070), *range(0xFFF9, 0xFFFC), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF]))
    unseen = {char for char in text if char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff"}
    tags = {char for char in text if 0xE0000 <= ord(char) <= 0xE007F}
    return "".join("\ufffd" if char in hidden | unseen | tags else char for char in text).strip()


@cache
def plainly(read, place: str) -> Page:
    """The place around a plain word."""
    return read(place.format("plainword"))


def check(read, place: str, shown: str, text: str) -> None:
    """The place holds the text and the same elements as it does around a plain word."""
    page, plain = read(place.format(shown)), plainly(read, place)
    assert page.elements == plain.elements, (shown, page.elements)
    assert page.text == plain.text.replace("plainword", text), shown


def everywhere(read, text: str) -> None:
    """The text in all places."""
    expected = cleaned(text)
    if not expected:
        assert inline(text) == cell(text) == code(text) == attribute(text) == ""
        return
    for place in [*LINES.values(), *CELLS.values()]:
        check(read, place, inline(text), expected)
    for place in CELLS.values():
        check(read, place, cell(text), expected)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("read", READERS)
def test_hostile_text_prints_itself_in_every_place(read, text: str) -> None:
    everywhere(read, text)


@settings(max_examples=examples(150), deadline=None)
@given(TEXT)
def test_any_text_prints_itself_on_the_site(text: str) -> None:
    everywhere(site, text)


@pytest.mark.skipif(forge not in READERS, reason="cmarkgfm is not installed")
@settings(max_examples=examples(400), deadline=None)
@given(TEXT)
def test_any_text_prints_itself_on_a_forge(text: str) -> None:
    everywhere(forge, text)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", ["x" * 10_000, "*_`[<&|" * 1_500])
def test_ten_thousand_characters_print_themselves(read, text: str) -> None:
    check(read, "{}", inline(text), text)
    check(read, TABLE, cell(text), text)


def test_a_title_cannot_leave_its_tag(tmp_path: Path) -> None:
    """Material prints titles of pages and navigation unescaped, and one found in a heading after undoing its entities:
    front matter and navigation therefore need `attribute`."""
    text = 'C:\\d "a|b" </title><script>alert(1)</script>'
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# x\n")
    (docs / "page.md").write_text(f'---\ntitle: "{attribute(text)}"\n---\n\n# {inline(text)}\n')
    nav = f'nav: [index.md, {{"{attribute(text)}": page.md}}]\n'
    (tmp_path / "mkdocs.yml").write_text(f"site_name: x\ntheme: {{name: material, font: false}}\n{nav}")
    subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q"], cwd=tmp_path, check=True, capture_output=True)
    pages = [path.read_text() for path in tmp_path.glob("site/**/*.html")]
    assert len(pages) >= 2
    assert not any("<script>alert" in page for page in pages)
    assert any("&lt;script&gt;alert(1)" in page for page in pages)


@settings(max_examples=examples(100), deadline=None)
@given(TEXT.filter(cleaned), TEXT.filter(cleaned))
def test_two_texts_do_nothing_together(one: str, other: str) -> None:
    for place in (
        "a {} — {} b",
        "({}) ({})",
        "{}: {}",
        "{} `c` {}",
        "- {}\n- {}",
        "{} [l](u) {}",
        "| {} | {} |\n|-|-|",
    ):
        for read in READERS:
            plain = read(place.format("plainword", "plainword"))
            assert read(place.format(inline(one), inline(other))).elements == plain.elements


def in_code(read, text: str) -> None:
    """The text as code in a sentence, at the start of a line and in a cell between other code."""
    expected = cleaned(text)
    for place in ("x {} y", "{}", "- {}", TABLE, "# {}"):
        if expected:
            plain = plainly(read, place.replace("{}", "`{}`"))
            page = read(place.format(code(text)))
            assert page.elements == plain.elements, code(text)
            assert page.text == plain.text.replace("plainword", expected), code(text)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_code_is_literal(read, text: str) -> None:
    in_code(read, text)


@settings(max_examples=examples(150), deadline=None)
@given(TEXT)
def test_any_code_is_literal(text: str) -> None:
    for read in READERS:
        in_code(read, text)


def in_attribute(read, text: str) -> None:
    """The text in an attribute and between raw tags, as a whole block and inside a paragraph."""
    for place in (
        '<div aria-label="{0}">x</div>',
        'x <span aria-label="{0}">y</span> z',
        '<details markdown="1">\n<summary>{0}</summary>\n\nx\n\n</details>',
        '| a | b |\n| - | - |\n| <span aria-label="{0}">{0}</span> | x |\n',
    ):
        page, plain = read(place.format(attribute(text))), plainly(read, place)
        expected = [
            (tag, tuple((key, (value or "").replace("plainword", cleaned(text))) for key, value in attrs))
            for tag, attrs in plain.elements
        ]
        shown = [(tag, tuple((key, value or "") for key, value in attrs)) for tag, attrs in page.elements]
        assert shown == expected, attribute(text)
        assert page.text == plain.text.replace("plainword", cleaned(text)), attribute(text)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_attributes_and_raw_elements_hold_the_text(read, text: str) -> None:
    in_attribute(read, text)


@settings(max_examples=examples(150), deadline=None)
@given(TEXT.filter(cleaned))
def test_any_attribute_holds_the_text(text: str) -> None:
    for read in READERS:
        in_attribute(read, text)


@pytest.mark.parametrize(
    "text",
    [
        "SFT: 3 epochs × 8–10 h × 8 GPUs × 1.10 = 211–264 GPU-h (about 15%), see v1.0.",
        "qwen2-5 in scripts/run_micro_benchmark.sh needs < 24 GiB; R&D says >= 5 and <0.1!?",
        "-5 % at ~5 h, takes (~6 h), 2 * 3, a == b",
        "$4–6/h, US$3 or $1.10 (10^21 FLOP, 10:30:15)",
        "C:\\data - #3, issue #12, 'quoted' and \"double\", user@host, https://example.org/a_b?c=d&e=f",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    expected = text if text.count("~") < 2 else text.replace("(~", "(&#126;")
    assert inline(text) == cell(text) == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1. x", r"1\. x"),
        ("- x", r"\- x"),
        ("# x", r"\# x"),
        ("> x", r"\> x"),
        ("*a* _b_", r"\*a\* \_b\_"),
        ("a|b", "a&#124;b"),
        ("`a`", "&#96;a&#96;"),
        ("{{ 7*7 }}", r"\{\{ 7\*7 }}"),
        ("<b>", "&lt;b>"),
        ("[x](y)", r"\[x\](y)"),
        ("$x$", "$x&#36;"),
        (":smile: at 10:30:15", "&#58;smile: at 10:30:15"),
        ("  a \n b ", "a b"),
        ("\u202ea\x1bb", "\ufffda\ufffdb"),
    ],
)
def test_what_could_act_is_escaped(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_markup_is_escaped_once_and_text_made_from_it_again() -> None:
    assert inline(inline("*a*")) == cell(inline("*a*")) == r"\*a\*"
    assert type(Markup("a") + "b") is str


def test_a_text_is_not_taken_for_markup_that_equals_it() -> None:
    for safe in (inline, cell):
        for text, escaped in (("*one*", r"\*one\*"), ("*two*", r"\*two\*")) * 2:
            assert safe(Markup(text)) == text
            assert safe(text) == escaped


@pytest.mark.parametrize(
    "target", ["http://e/x", "https://e:80/a_b?c=d&e=f#g", "mailto:a@b.c", "a.md", "../x/b.md#c.d", "#a"]
)
@pytest.mark.parametrize("read", READERS)
def test_links_lead_where_they_say(read, target: str) -> None:
    page = read(f"| a | b |\n| - | - |\n| {link('t*', target, 'p/index.md')} | x |")
    assert page.text.split() == ["a", "b", "t*", "x"]
    assert [dict(attrs)["href"] for tag, attrs in page.elements if tag == "a"] == [target]
    assert link("", target, "p/index.md").startswith("[")


@pytest.mark.parametrize(
    "target",
    [
        *(
            "",
            "javascript:alert(1)",
            "JavaScript:x",
            "java\tscript:x",
            "\x01javascript:x",
            "data:text/html,x",
            "vbscript:x",
        ),
        *(
            "file:///x",
            "//host/x",
            "/x",
            "\\\\host",
            "../x",
            "a/../../x",
            "%2e%2e/x",
            "a/%2E%2E/%2e%2e/x",
            "..",
            "%2f%2fx",
        ),
        *("http:x", "http:///x", "ftp://x", "a b", "a\nb", "x:y", " javascript:x", "\ud800", "https://", "%5c..%5cx"),
    ],
)
def test_other_links_are_printed_without_a_link(target: str) -> None:
    assert link("a*b", target) == r"a\*b"


@settings(max_examples=examples(150), deadline=None)
@given(TEXT, TEXT)
def test_any_link_is_safe(text: str, target: str) -> None:
    for read in READERS:
        page = read(f"x {link(text, target)} y")
        assert {tag for tag, _ in page.elements} <= {"p", "a"}
        assert cleaned(text) in page.text
        for _, attrs in page.elements:
            assert {key for key, _ in attrs} <= {"href"}
            assert all(unquote(value or "") == unquote(target) for _, value in attrs)


PROSE = {"p", "ul", "ol", "li", "em", "strong", "code", "a", "blockquote", "br", "pre", "div", "span"}


def harmless(read, text: str) -> None:
    """Prose holds only what prose may hold."""
    page = read(f"before\n\n{block(text)}\n\nafter")
    assert {tag for tag, _ in page.elements} <= PROSE, block(text)
    for tag, attrs in page.elements:
        assert {key for key, _ in attrs} <= {"href", "start", "class"}, block(text)
        if tag == "a":
            target = dict(attrs).get("href") or ""
            assert re.match(r"https?://|mailto:", target) or ":" not in target.split("/")[0], target
        if "class" in dict(attrs):
            assert tag in {"div", "span", "code"}
            assert re.fullmatch(r"highlight|language-\w+|\w{1,3}", dict(attrs)["class"] or ""), attrs


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_prose_is_harmless(read, text: str) -> None:
    for place in (
        "{}",
        "a\n{}",
        "- {}",
        "- a\n\n    {}",
        "> {}",
        "```\n{}",
        "~~~ {}",
        "*{}*",
        "`{}`",
        "[{}](x.md)",
        "[x]({})",
    ):
        harmless(read, place.replace("{}", text))


LINE = st.sampled_from(
    ["- ", "> ", "1. ", "    ", "```", "~~~", "\n", "\n\n", "# ", "| a | b |", "|---|---|", "---", "***", ": "]
)


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(st.one_of(LINE, TEXT), max_size=8).map("".join))
@example("```\n<script>\n~~~\n```\n<b>")
def test_any_prose_is_harmless(text: str) -> None:
    for read in READERS:
        harmless(read, text)


@pytest.mark.parametrize("read", READERS)
def test_prose_keeps_its_markdown(read) -> None:
    prose = "Some *emph*, **strong**, `a|<b>` and [x](http://e/a_b).\n\n- one\n- two\n\nor\n\n1. three\n\n> four\n\n"
    page = read(block(prose + "```python\nif a < b: `x`\n```"))
    tags = [tag for tag, _ in page.elements]
    for tag in ("em", "strong", "code", "a", "ul", "ol", "li", "blockquote", "pre"):
        assert tag in tags
    assert "a|<b>" in page.text
    assert "if a < b: `x`\n" in page.text


def test_prose_in_raw_form() -> None:
    assert block("# T\nx {: .y} <b> ![i](http://e/i.png) [j](javascript:x)") == (
        "\\# T\nx \\{: .y} &lt;b> \\![i](http://e/i.png) j"
    )
    assert block("Plain *words*, `code` and a_b.\n- 5 % of $3\n") == "Plain *words*, `code` and a_b.\n- 5 % of $3"
    assert block("```mermaid\na `` ``` b\n") == "````\na `` ``` b\n\n````"


@given(st.text())
def test_nothing_acts_in_a_terminal(text: str) -> None:
    assert not re.search("[\0-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]", terminal(text))


def test_a_terminal_shows_what_was_unseen() -> None:
    assert terminal("a\x1b]0;t\x07\n\u202e é 8–10") == r"a\x1b]0;t\x07\n\u202e é 8–10"


def test_anchors_stay_readable() -> None:
    assert anchor("pixelis.plan.sft.estimate.hours_per_epoch") == "pixelis.plan.sft.estimate.hours_per_epoch"
    assert anchor("catalog.models.qwen2-5-vl-7b") == "catalog.models.qwen2-5-vl-7b"
    assert anchor("a/b _x") == "a:2f.b:20.:5f.x"


@settings(max_examples=examples(300))
@given(TEXT, TEXT)
def test_anchors_are_safe_and_one_for_one(one: str, other: str) -> None:
    assert (anchor(one) == anchor(other)) == (one == other)
    assert re.fullmatch(r"[A-Za-z0-9._:-]*", anchor(one))
    if one:
        SITE.reset()
        assert f'<h1 id="{anchor(one)}">' in SITE.convert(f"# {inline('Title#')} {{#{anchor(one)}}}")


@pytest.mark.full
@pytest.mark.parametrize(
    "unit",
    [
        "*",
        "_",
        "`",
        "[",
        "](",
        "<",
        "&",
        "&a",
        "~",
        "$",
        "=",
        "^",
        ":a",
        " ",
        "#",
        "!",
        "\\",
        "> ",
        "- ",
        "```\n",
        "``a",
        "a\n",
        "[a](",
        "<http://",
    ],
)
def test_twice_the_text_is_twice_the_work(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for keeping in (escape._inline, escape._cell, escape.code, escape.anchor):
        keeping.cache_clear()
    for name, value in stepped(escape).items():
        monkeypatch.setattr(escape, name, value)
    for safe in (inline, cell, attribute, code, block, terminal, idle, anchor):
        assert growth(lambda size, safe=safe: lambda: safe(unit * (size // len(unit))), 64) < 2.2, safe.__name__
