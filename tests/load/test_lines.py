"""Where characters of a text over several lines stand in its file, for each way that YAML has of writing one."""

from __future__ import annotations

import pytest

from reckon.language.text import place_at
from reckon.load.yaml_nodes import read_tree

SAMPLES = {
    "literal": "a: |\n  one {x}\n    two {y}\n\n  three {z}\nb: 1\n",
    "literal, its indentation stated": "a: |2\n   one {x}\n  two {y}\nb: 1\n",
    "folded": "a: >-\n  one {x}\n  two {y}\nb: 1\n",
    "plain": "a: one {x}\n  two {y}\nb: 1\n",
    "double quotes": 'a: "one {x}\n  two {y} three"\nb: 1\n',
    "single quotes in a flow map": "a: {b: 'one {x}\n   two {y}', c: 2}\n",
    "the same words twice": "a: |\n  {x} {x}\n  {x}\n",
    "one line": "a: one {x}\n",
    "no break at the end": "a: |\n  one {x}",
}


@pytest.mark.parametrize("source", SAMPLES.values(), ids=SAMPLES)
def test_every_character_is_found_in_its_line(source: str) -> None:
    tree = read_tree(source, "f", [])["a"]
    text = tree if isinstance(tree, str) else tree["b"]
    braces = [at for at, char in enumerate(text) if char == "{"]
    wanted = [
        (line, column)
        for line, row in enumerate(source.splitlines(), 1)
        for column in range(1, len(row))
        if row[column - 1] == "{" and row[column] in "xyz"
    ]
    assert [place_at(text, at)[1:] for at in braces] == wanted


def test_a_line_that_reads_otherwise_is_told_from_the_one_before() -> None:
    text = read_tree('a: "one\n  t\\x77o {x}\n  three {y}"\n', "f", [])["a"]
    assert place_at(text, text.index("{x}"))[1] == 1
    assert place_at(text, text.index("{y}"))[1:] == (3, 9)
