"""Words that readers stumble over: `scripts/wording.yaml` lists them. Nothing new that people read has them.

What has them today is counted by file in `scripts/wording_counts.yaml`; a count may only fall
(`python scripts/wording.py --update` lets it).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.prose import Line, read_markdown, read_prose, read_script, read_strings, read_yaml
from scripts.wording import count_banned, find_excess, find_hits, read_counts, read_rules, sentences
from tests.reading import ROOT

FEWEST_WORDS = {
    "templates": 4_000,
    "engine": 30_000,
    "site scripts": 500,
    "front pages": 1_500,
    "guide": 15_000,
    "guide, generated": 20_000,
    "ledgers": 7_000,
    "workflows": 300,
    "pages": 20_000,
}
"""So many words at least are read of each source: a reader that finds nothing would find no word that is banned."""


def broken(text: str, name: str = "page.md") -> list[str]:
    """The rules that a text breaks."""
    line = Line("guide", Path(name), 1, text)
    return [hit.rule.name for hit in find_hits([line], read_rules())]


def test_no_file_has_more_of_what_is_banned_than_it_had() -> None:
    counts = count_banned(find_hits(read_prose(ROOT), read_rules()), ROOT)
    assert find_excess(counts, read_counts()) == [], "`scripts/wording.yaml` says what to write"
    fewer = {path: count for path, count in read_counts().items() if counts.get(path, 0) < count}
    assert not fewer, "these have fewer now: run `python scripts/wording.py --update`"


def test_every_source_is_read() -> None:
    words = dict.fromkeys(FEWEST_WORDS, 0)
    for line in read_prose(ROOT):
        words[line.source] += len(line.text.split())
    assert not {source: count for source, count in words.items() if count < FEWEST_WORDS[source]}


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("`x` is no number", ["is-no"]),
        ("there is no folder", []),
        ("a page that is no longer made", []),
        ("the note stands beside the table", ["stands", "beside"]),
        ("the code stands for itself", []),
        ("it rests on a measurement", ["rests-on"]),
        ("the limit is to be at most 20", ["is-to"]),
        ("The value to plan with", ["plan-with"]),
        ("## What it holds", ["heading-what"]),
        ("## What if", []),
        ("it cannot be left out", ["leave-out"]),
        ("All policies are kept", ["kept-policy"]),
        ("this is reckoned from runs", ["reckon"]),
        ("see reckon/load/reader.py", []),
        ("calculated anew", ["anew"]),
        ("undefined, for want of a price", ["for-want-of"]),
        ("passing the ceiling", ["passing-a-limit"]),
        ("it holds figures of the plan", ["holds-figures"]),
    ],
)
def test_what_is_avoided(text: str, rules: list[str]) -> None:
    assert sorted(broken(text)) == sorted(rules)


def test_headings_are_sought_in_pages_alone() -> None:
    assert broken("# What it holds", "module.py") == []


def test_every_rule_says_what_to_write() -> None:
    for rule in read_rules():
        assert rule.write, rule.name
        assert not rule.pattern.search(""), rule.name


def test_paragraphs_of_a_page_are_read_whole_and_code_is_not() -> None:
    page = (
        "---\ntitle: x\n---\n# Head\nOne line\ngoes `on` here.\n\n- item\n- more\n\n```yaml\nkept: no\n```\n| a | b |\n"
    )
    assert [*read_markdown(page)] == [
        (4, "# Head"),
        (5, "One line goes ⟨c⟩ here."),
        (8, "- item"),
        (9, "- more"),
        (14, "| a | b |"),
    ]


def test_templates_are_read_without_their_statements() -> None:
    text = "{% if x %}Left: {{ view.left }} of\n{# no #}[all](runs.md).{% endif %}\n"
    assert [*read_markdown(text)] == [(1, "Left: ⟨x⟩ of [all].")]


def test_strings_of_modules_are_read_without_documentation() -> None:
    module = '"""Words here."""\nX = f"there are {many} runs"\nY = "one two"\nZ = "word"\nQ = "SELECT a FROM b"\n'
    assert [*read_strings(module)] == [(2, "there are ⟨x⟩ runs"), (3, "one two")]


def test_scripts_and_ledgers_are_read() -> None:
    assert [*read_script("let a = 1;\nshow('No rows match');\n")] == [(2, "No rows match")]
    assert [*read_yaml("a: {title: My plan, gpu: the card}\nb: [{note: Two words}]\n")] == [
        (1, "My plan"),
        (2, "Two words"),
    ]


def test_sentences_are_counted_without_tables_and_headings() -> None:
    assert sentences("This is one sentence. This is a second one.") == [4, 5]
    assert sentences("| a b c d e | f |") == []
    assert sentences("# A heading of five words") == []
