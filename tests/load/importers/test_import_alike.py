"""Patterns of rules that an engine runs: as RE2 does with the pattern as it stands, or refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.load.importers.engines.compiled_rules import port_rules
from reckon.load.importers.engines.portable_pattern import MOST_OPEN, NotPortable, port_pattern
from reckon.model.patterns import read_pattern
from tests.exported import HAND, source_of
from tests.sparked import spark
from tests.trying import examples


@pytest.mark.parametrize(
    ("pattern", "text", "groups"),
    [
        ("sweep-.*", "^(sweep-.*)$", {}),
        (r"(?P<item>[a-z]+)-s(?P<seed>\d+)(?:_x)?", "^(([a-z]+)-s([0-9]+)(_x)?)$", {"item": 2, "seed": 3}),
        (r"a\.b|\[c\]", "^(a[.]b|[[]c[]])$", {}),
        (r"(x|(?<run>\w{2,3}))", "^((x|([A-Za-z0-9_]{2,3})))$", {"run": 3}),
        (r"[^-\]a-c\d]", r"^([^\-\]a-c0-9])$", {}),
        (r"[+-\-\.-]\D", r"^([+-\-.\-][^0-9])$", {}),
        ("(?:(a?b)?c{2,})?]}", "^(((a?b)?c{2,})?[]][}])$", {}),
        ("", "^()$", {}),
    ],
)
def test_a_pattern_is_written_with_signs_that_all_engines_know(pattern: str, text: str, groups: dict[str, int]) -> None:
    assert port_pattern(pattern) == (text, groups)


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(?i)train", "a flag at character 2; spell it out, as `[Aa]`"),
        ("a*?b", "a second repetition sign at character 3; write one, as `+`"),
        ("(a+)+", "a group that is repeated at character 5; write it out for each repetition, as `(…)?(…)?`"),
        ("(a?){2}", "a group that is repeated at character 6; write it out for each repetition, as `(…)?(…)?`"),
        ("(a|)b", "an empty alternative at character 4; write `(…)?`"),
        ("|a", "an empty alternative at character 1; write `(…)?`"),
        ("a|", "an empty alternative at character 2; write `(…)?`"),
        ("(?P<seed>)", "an empty alternative at character 10; write `(…)?`"),
        (r"\bfoo", r"`\b` at character 2; use \d, \w, \s or signs such as `\.`"),
        (r"\pL", r"`\p` at character 2; use \d, \w, \s or signs such as `\.`"),
        ("[[:alpha:]]", r"`[` in a class at character 2; write `\[`"),
        (r"[a\S]", r"`\S` in a class at character 4; use \d, \w, \s or signs such as `\]`"),
        ("[à-ö]", "an invalid range at character 4; write it as `a-z`"),
        (r"[a-\x7a]", "an invalid range at character 5; write it as `a-z`"),
        ("^a$", "`^` at character 1; remove it; a pattern always fits the whole text"),
        ("a{2", r"`{` at character 2; write `\{` for the sign, or `{2,4}`"),
        ("a{02}", r"`{` at character 2; write `\{` for the sign, or `{2,4}`"),
        ("a{1,256}", r"`{` at character 2; write `\{` for the sign, or `{2,4}`"),
        (".*" * (MOST_OPEN + 1), "7 repetitions without an end; write at most 6"),
    ],
)
def test_what_engines_do_not_run_alike_is_refused_by_name(pattern: str, told: str) -> None:
    with pytest.raises(NotPortable) as refused:
        port_pattern(pattern)
    assert f"{refused.value.wrong}; {refused.value.right}" == told


def test_a_rule_is_told_at_its_place() -> None:
    _, source = source_of(
        HAND + "  rules:\n    a: {when: {name: '(?i)a'}, item: data}\n"
        "    b: {when: {name: '(?P<seed>.)', account: '(?P<seed>.)'}, item: data}\n"
    )
    assert [str(problem) for problem in port_rules(source)[1]] == [
        "imports.yaml:6:23: engines differ on `(?i)a`: a flag at character 2; spell it out, as `[Aa]`",
        "imports.yaml:7:47: two patterns of a rule have the group `seed`, and engines do not report which one "
        "matched; remove one of them",
    ]


ATOMS = st.sampled_from(
    (
        "a",
        "b",
        "-",
        "ö",
        ".",
        r"\d",
        r"\w",
        r"\s",
        r"\S",
        r"\.",
        r"\-",
        r"\+",
        "[ab]",
        "[^a-c]",
        r"[\d_-]",
        r"[^\]^]",
        "[.+*]",
        "[ -.]",
        "]",
        "}",
        r"\\",
        r"\^",
        r"\[",
        "#",
        " ",
        "&",
    )
)


def _joined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    forms = ("({})", "(?:{})", "({})?", "(?P<item>{})", "(?P<run>{})?", "{}", "{}", "({})+")
    one = st.builds(str.format, st.sampled_from(forms), parts)
    return st.one_of(st.builds("".join, st.lists(one, min_size=1, max_size=4)), st.builds("{}|{}".format, one, one))


OFTEN = st.sampled_from(("", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"))
PATTERNS = st.recursive(st.builds("{}{}".format, ATOMS, OFTEN), _joined, max_leaves=8)
TEXTS = st.lists(st.text(st.sampled_from("ab1-_.ö ]^[\\+&#☃"), max_size=8), min_size=1, max_size=30)


def _plain(pattern: str, texts: list[str]) -> list[dict[str, str] | None]:
    """What RE2 makes of texts here; a group that took no part is as one that took nothing."""
    read = read_pattern(pattern)
    names = read.engine.groupindex
    found = [read.matched(text) for text in texts]
    return [None if each is None else {name: each.get(name, "") for name in names} for each in found]


def _asked(table: Any, pattern: str) -> list[dict[str, str] | None]:
    """What an engine makes of them."""
    made = port_pattern(pattern)
    taken = {name: table.text.re_extract(made.text, number).fill_null("") for name, number in made.groups.items()}
    rows = table.select("place", fits=table.text.re_search(made.text), **taken).order_by("place").to_pyarrow()
    return [{name: row[name] for name in made.groups} if row["fits"] else None for row in rows.to_pylist()]


def _table(texts: list[str]) -> Any:
    import pyarrow

    return pyarrow.table({"place": list(range(len(texts))), "text": texts})


def test_a_good_part_of_the_patterns_tried_is_taken() -> None:
    taken = []

    @settings(database=None, derandomize=True, max_examples=100)
    @given(pattern=PATTERNS)
    def try_pattern(pattern: str) -> None:
        try:
            taken.append(bool(port_pattern(pattern)))
        except NotPortable:
            taken.append(False)

    try_pattern()
    assert sum(taken) > len(taken) / 2


@settings(deadline=None, max_examples=examples(240))
@given(pattern=PATTERNS, texts=TEXTS)
def test_duckdb_finds_what_re2_finds(pattern: str, texts: list[str]) -> None:
    ibis = pytest.importorskip("ibis")
    try:
        port_pattern(pattern)
        wanted = _plain(pattern, texts)
    except (NotPortable, ValueError):  # as for a group that stands twice
        return
    engine = ibis.duckdb.connect()
    engine.con.register("texts", _table(texts))
    assert _asked(engine.table("texts"), pattern) == wanted
    engine.disconnect()


@pytest.mark.long(only=True)
@pytest.mark.filterwarnings("ignore")  # pyspark warns of versions of pandas
@settings(deadline=None, max_examples=40)
@given(pattern=PATTERNS, texts=TEXTS)
def test_spark_finds_what_re2_finds(pattern: str, texts: list[str]) -> None:
    engine = spark()
    try:
        port_pattern(pattern)
        wanted = _plain(pattern, texts)
    except (NotPortable, ValueError):
        return
    assert _asked(engine.read(_table(texts)), pattern) == wanted
