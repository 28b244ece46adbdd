"""What a page is given while it is staged, by hand-written tables."""

from __future__ import annotations

import pytest

from reckon.publish.site_markup import laid_out

TABLE = "# A\n\n| Name | Words | Hours |\n|---|---|---:|\n{row}\n"
BAR = '<span class="bar"><span aria-hidden="true">{}</span> {}</span>'
MARK = "{ data-search-exclude=true }"
"""What the search leaves out has this behind it."""
WORDS = "These words are so many that their column would become a tower"


def row(written: str, path: str = "guidance.md") -> str:
    """A row of a table as it is staged on a page."""
    return laid_out(TABLE.format(row=written), path).splitlines()[-1]


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("| a | b | 1 |", "| a | b | 1 |"),
        ("| a | `plan.a_b` | 1 |", '| a | <code class="whole">plan.<wbr>a&#95;<wbr>b</code> | 1 |'),
        ("| a | `seeds` | 1 |", "| a | `seeds` | 1 |"),
        ("| a | `a:b.c` | 1 |", '| a | <code class="whole">a&#58;<wbr>b.<wbr>c</code> | 1 |'),
        ("| a | `runs/x.yaml:4` | 1 |", '| a | <code class="whole">runs&#47;<wbr>x.yaml<wbr>&#58;4</code> | 1 |'),
        ("| a | `x.<b>*` | 1 |", '| a | <code class="whole">x.<wbr>&#60;b&#62;&#42;</code> | 1 |'),
        ("| a<br>b | c | 1 |", "| a <br>b | c | 1 |"),
        ("| a | some words, not many | 1 |", '| a | <span class="some">some words, not many</span> | 1 |'),
        (f"| a | {WORDS} | 1 |", f'| a | <span class="long">{WORDS}</span> | 1 |'),
        (f"| a | {WORDS * 3} | 1 |", f'| a | <span class="long longer">{WORDS * 3}</span> | 1 |'),
        ("| a | b | 1,000–2,000 GPU |", '| a | b | <bdi class="unit">1,000–2,000 GPU</bdi> |'),  # of a width of its own
        (f"| a | b | {WORDS} |", f'| a | b | <span class="words">{WORDS}</span> |'),  # words among them may break
        ("| a | b | the work ends `a` first |", "| a | b | the work ends `a` first |"),
        (
            "| a | [b](../a/very/long/address/that/nobody/sees/on/the/page.md) | 1 |",
            "| a | [b](../a/very/long/address/that/nobody/sees/on/the/page.md) | 1 |",
        ),
        (r"| a \| b | c | 1 |", r"| a \| b | c | 1 |"),
        ("| a | b |", "| a | b |"),  # of another number of cells
    ],
)
def test_a_row_has_room_and_its_addresses_may_break(written: str, wanted: str) -> None:
    assert row(written) == wanted


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("| a | ████░░░░░░ 44% | 1 |", f"| a | {BAR.format('████░░░░░░', '44%')} | 1 |"),
        ("| a | ██████████▶ 164% | 1 |", f"| a | {BAR.format('██████████▶', '164%')} | 1 |"),
        ("| a | ██████████▶ [164%](b.md): | 1 |", f"| a | {BAR.format('██████████▶', '[164%](b.md)')}: | 1 |"),
        ("| a<br>█░░░░░░░░░ 2% | b | 1 |", f"| a <br>{BAR.format('█░░░░░░░░░', '2%')} | b | 1 |"),
        ("| a | `████░░░░░░` | 1 |", "| a | `████░░░░░░` | 1 |"),
        ("| a | ███ | 1 |", "| a | ███ | 1 |"),  # no bar of ours
    ],
)
def test_bars_of_blocks_are_hidden_from_screen_readers(written: str, wanted: str) -> None:
    assert row(written) == wanted


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (20 * "a/", ' class="whole"'),
        (20 * "a/" + "b", ""),
        ("used_share <= 95%", ""),
    ],
)
def test_short_addresses_stay_whole_on_paper_and_conditions_do_not(code: str, kind: str) -> None:
    assert f"<code{kind}>" in row(f"| a | `{code}` | 1 |")


def test_the_number_of_a_line_stays_with_its_file() -> None:
    address = "<code>ledger&#47;<wbr>demo&#47;<wbr>plan.yaml</code>"
    shown = f'<span class="whole">{address} 57</span>'
    assert row("| a | `ledger/demo/plan.yaml` 57 | 1 |") == f"| a | {shown} {MARK} | 1 |"  # and no search looks at it
    assert row("| a | `seeds` 57 | 1 |") == "| a | `seeds` 57 | 1 |"


def test_a_row_with_much_code_may_break_everywhere() -> None:
    assert row("| `a.b` | `a.c` | `d` |").count('class="whole"') == 2
    assert row("| `a.b` | `a.c` | `a.d` |").count("class=") == 0


def day(text: str) -> str:
    return f'<span class="day">{text}</span>'


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("| a | 2025-03-02 | 2025-03 |", f"| a | {day('2025-03-02')} | {day('2025-03')} |"),
        (
            "| [2025-03-02](x/2025-03-02.md) | to 2025-04. | 1 |",
            f"| [{day('2025-03-02')}](x/2025-03-02.md) | to {day('2025-04')}. | 1 |",
        ),
        ("| [2025-03-02][plan.2025-03] | b | 1 |", f"| [{day('2025-03-02')}][plan.2025-03] | b | 1 |"),
        (
            '| <a id="r.2025-03-02"></a>b | v2025-03 | 2025-031 |',
            '| <a id="r.2025-03-02"></a>b | v2025-03 | 2025-031 |',
        ),
        (
            "| `2025-03-02` | runs/2025-03 | 1 |",
            '| <code class="whole">2025&#45;<wbr>03&#45;<wbr>02</code> | runs/2025-03 | 1 |',
        ),
    ],
)
def test_days_of_a_table_stay_whole(written: str, wanted: str) -> None:
    assert row(written) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Data through 2025-06-10.", f"Data through {day('2025-06-10')}."),
        ("- Ends 2025-06", f"- Ends {day('2025-06')}"),
        ("> By 2025-06-10", f"> By {day('2025-06-10')}"),
        ("[2025-06-10][pace.through]", f"[{day('2025-06-10')}][pace.through]"),
        *(
            (same, same)
            for same in (
                "[2025-06-10]: x.md",
                "# Since 2025-06-10",
                "![By 2025-06-10](x.svg)",
                '<b title="2025-06-10">',
                "text ![By 2025-06-10][x]",
                "    2025-06-10",
                "`2025-06-10`",
                '!!! note "2025-06-10"',
            )
        ),
    ],
)
def test_days_of_a_text_stay_whole_and_what_is_no_text_stays(line: str, wanted: str) -> None:
    front = "---\ntitle: 2025-06-10\n---\n"
    assert laid_out(f"{front}{line}\n", "own.md") == f"{front}{wanted}\n"
    fenced = f"```\n{line}\n```\n"
    assert laid_out(fenced, "own.md") == fenced


def test_hours_in_a_heading_stay_whole_and_rows_that_say_so_are_left() -> None:
    text = "| When | GPU-hours |\n|---|---:|\n| GPU-hours | 1 |\n"
    hours = '<bdi class="unit">GPU-hours</bdi>'
    wanted = f'| When | <span class="whole">{hours}</span> |\n|---|---:|\n| {hours} | 1 |\n'
    assert laid_out(text, "own.md") == wanted


def test_what_stands_between_fences_stays() -> None:
    text = "```\n| A | B |\n|---|---|\n| `a.b` | c<br>d |\n```\n"
    assert laid_out(text, "own.md") == text


@pytest.mark.parametrize(("how", "more"), [(" defer", ""), (' type="module"', ', type: "module"'), ("", "")])
def test_a_script_of_a_page_is_loaded_as_no_builder_rewrites_it(how: str, more: str) -> None:
    tag = f'<script{how} src="../../assets/what-if/page.js"></script>'
    wanted = '<script>document.head.append(Object.assign(document.createElement("script"), '
    wanted += f'{{src: "../../assets/what-if/page.js", async: false{more}}}))</script>'
    assert laid_out(f"# A\n\n{tag}\n", "demo/own.md") == f"# A\n\n{wanted}\n"
    others = f'```\n{tag}\n```\n<script src="x\');y"></script>\n'
    assert laid_out(others, "demo/own.md") == others


def test_a_note_of_a_run_is_a_heading_to_the_search() -> None:
    head = "| When | Hours | Notes | Ledger line |\n|---|---:|---|---|\n"
    told = laid_out(f"{head}| A | 5 | Lost a node. | `a` |\n| B | 5 |  | `a` |\n", "demo/runs.md").splitlines()[-2:]
    assert told == ['| A | 5 | <h6 id="note-2" role="none">Lost a node.</h6> | `a` |', "| B | 5 |  | `a` |"]
    without = "| When | Hours | Ledger line |\n|---|---:|---|\n| A | 5 | `a` |\n"
    assert "<h6" not in laid_out(without, "demo/runs.md")


def test_the_search_leaves_out_where_a_finding_is_and_what_to_change() -> None:
    where, why, change, more = (
        "- **Where** Section 2",
        "- **Why** 1 is 2. **Change** it.",
        "- **Change** Write 2.",
        "Next: B",
    )
    text = laid_out(f"# A\n\n{where}\n{why}\n{change}\n\n{more}\n", "own/findings.md")
    assert text.endswith(f"{where}\n{MARK}\n{why}\n{change}\n{MARK}\n\n{more}\n{MARK}\n")
    assert MARK not in laid_out("# A\n\n```console\nNext: budget render\n```\n", "own/findings.md")


def test_nothing_stands_above_the_heading() -> None:
    assert laid_out("<!-- Made by `budget render`. -->\n\n# A\n", "own.md") == "# A\n"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("demo/status.md", "boost: 4"),
        ("demo/index.md", "boost: 4"),
        ("demo/derivations-2.md", "boost: 0.1"),
        ("guide/messages.md", "boost: 0.2"),
        ("guide/start.md", "boost: 2"),
        ("catalog.md", "boost: 2"),
    ],
)
def test_pages_have_weights_in_the_search(path: str, wanted: str) -> None:
    assert laid_out("# A\n", path) == f"---\nsearch:\n  {wanted}\n---\n# A\n"
    assert laid_out("---\ntitle: A\n---\n# A\n", path) == f"---\ntitle: A\nsearch:\n  {wanted}\n---\n# A\n"
    own = "---\nsearch:\n  boost: 2\n---\n# A\n"
    assert laid_out(own, path) == own


@pytest.mark.parametrize(("name", "above"), [("index", ""), ("status", "hide: [toc]\n"), ("derivations", "")])
def test_pages_of_a_release_get_their_title_and_are_not_searched(name: str, above: str) -> None:
    """The title comes from the heading, and nothing of it can act: a theme prints it as it is."""
    heading = r'# \<b>Q\*A&#96; & "co": budget, version 1.0'
    wanted = '"&#60;b&#62;Q&#42;A&#96; &#38; &#34;co&#34;: budget, version 1.0"'
    lines = f"title: {wanted}\n{above}search:\n  exclude: true\n"
    assert laid_out(f"{heading}\n", f"demo/releases/1.0/{name}.md") == f"---\n{lines}---\n{heading}\n"
    sealed = '---\nsearch:\n  exclude: true\ntitle: "A"\n---\n# A\n'  # as releases were kept before
    assert laid_out(sealed, f"demo/releases/1.0/{name}.md") == sealed


def test_other_pages_have_no_weight() -> None:
    assert laid_out("# A\n", "index.md") == laid_out("# A\n", "demo/own-page.md") == "# A\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            '# A\n\nData to today\n\n**Rent [two][a.b] of `x`:** \\$5 & "more".\n',
            "Rent two of x: &#36;5 &#38; &#34;more&#34;.",
        ),
        ("# A\n\n| a |\n|---|\n\nFirst [here](b.md).\nMore.\n\n**Bold.** x\n", "Bold. x"),
        ("# A\n\n<div>\n\n" + "word " * 50, " ".join(["word"] * 32) + "&#8230;"),
    ],
)
def test_a_page_is_described_by_what_it_says_first(text: str, wanted: str) -> None:
    assert laid_out(text, "own.md") == f'---\ndescription: "{wanted}"\n---\n{text}'


def test_a_page_of_the_guide_stays_as_it_is() -> None:
    text = TABLE.format(row=f"| a | `a.b` {WORDS} | 1 |")
    assert laid_out(text, "guide/own.md").endswith(f"---\n{text}")


def test_headings_of_several_words_have_room_and_their_days_stay_whole() -> None:
    text = "| Figure | Chance to exceed | Of 2025-06-10 | By `a` |\n|---|---:|---|---|\n| a | 1 | 2 | 3 |\n"
    assert laid_out(text, "own.md").splitlines()[0] == (
        '| Figure | <span class="words">Chance to exceed</span> '
        '| <span class="words">Of <span class="day">2025-06-10</span></span> | By `a` |'
    )


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("What is stated beside it gives", '<span class="words many">What is stated beside it gives</span>'),
        ("One hour;<br>Three hours", '<span class="words many">One hour;<br>Three hours</span>'),
        ("Time, h", '<bdi class="unit">Time, h</bdi>'),
        ("Overhead, h", '<span class="words"><bdi class="unit">Overhead, h</bdi></span>'),
        ("Of one hour, $", '<span class="words">Of one <bdi class="unit">hour, $</bdi></span>'),
        (
            "Generation, h",
            '<span class="words">Generation, h</span>',
        ),  # so long a word leaves no room for it on a phone
        ("Planned, t CO₂e", '<span class="words">Planned, <bdi class="unit">t CO₂e</bdi></span>'),
    ],
)
def test_a_heading_is_no_tower_of_words_and_keeps_its_unit(heading: str, shown: str) -> None:
    text = f"| A | {heading} |\n|---|---|\n| a | 1 |\n"
    assert laid_out(text, "own.md").splitlines()[0] == f"| A | {shown} |"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`--fail-on error`, `x`", '<code><span class="option">&#45;&#45;fail&#45;on</span> error</code>, `x`'),
        ("`budget diff --set a.b=5`", '<code>budget diff <span class="option">&#45;&#45;set</span> a.b&#61;5</code>'),
        ("| `close -m WHY` | b |", '| <code>close <span class="option">&#45;m</span> WHY</code> | b |'),
        *((same, same) for same in ("`a-b`", "`--`", "-a `b`", "```sh\nx `--check`\n```\n")),
    ],
)
def test_options_of_the_guide_stay_in_one_line(written: str, shown: str) -> None:
    assert laid_out(written, "guide/own.md").endswith(f"---\n{shown}")
