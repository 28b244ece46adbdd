"""Each problem is printed with a code, and `budget why CODE` says what the code means."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from reckon.language.text import Place
from reckon.model.finding import Problem
from reckon.model.message_codes import CATALOGUE, code_of, list_codes
from reckon.model.rules import RULES
from scripts.messages import SOURCE, codes, said, samples
from tests.commands import given
from tests.load.messages import patterns
from tests.reading import ROOT

RUN = "ledger/demo/runs/2025-09.yaml"


def problem(wrong: str) -> Problem:
    return Problem(Place(RUN, 1, 1), wrong)


def rows() -> list[tuple[str, str]]:
    """The code and each message of all rows of the catalogue that have a code."""
    sections = yaml.safe_load(SOURCE.read_text("utf-8"))["problems"]
    coded = [row for section in sections for part in section["parts"] for row in part.get("rows", ()) if "code" in row]
    return [(row["code"], text) for row in coded for text in said(row["says"])]


def test_the_codes_are_those_of_the_catalogue() -> None:
    assert CATALOGUE.read_text("utf-8") == codes()
    assert not {code for code, _ in list_codes()} & set(RULES), "a code would mean two things"


def test_each_problem_of_a_sample_has_a_code() -> None:
    assert sorted({told for told, _ in samples() if not code_of(problem(told))}) == []


# Messages whose words are put together elsewhere: each wording has a row of its own, and a sample.
PUT_TOGETHER = {
    "": "of another problem",
    "`other-9`: other-9": "units of allocations",
    "`other-9` other-9": "commas in brackets",
    "`ended` other-9": "moments of sources",
    "the value other-9": "quantities",
    "this has both other-9": "changes of allocations",
    "this link other-9": "links that lead out",
}


def test_each_message_of_the_engine_has_a_code_whatever_it_is_about() -> None:
    """The catalogue shows messages with values; a code goes by the words between them."""
    said = {re.sub(r"\\(.)", r"\1", text.replace(".*", "other-9")) for text in patterns()}
    assert len(said) > 300
    assert {text for text in said if not code_of(problem(text))} == set(PUT_TOGETHER)


def test_a_message_of_the_catalogue_has_the_code_of_its_row() -> None:
    told = {text: code for code, text in rows() if not text.startswith("`…") and " " in text}
    assert len(told) > 300
    shown = {text: text[1:-1] if text.count("`") == 2 and text[0] == text[-1] == "`" else text for text in told}
    assert {text: code for text, code in told.items() if code_of(problem(shown[text])) != code} == {}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("there is no item `final-rum` in the plan", "no-such-item"),
        ("there is no `is not a number` in ledger/catalog/gpus.yaml", "no-such-record"),
        ("unknown key `appears twice`", "unknown-key"),
        ("`in the plan` appears twice", "key-twice"),
        ("words that no message has", ""),
    ],
)
def test_a_value_of_a_ledger_does_not_change_the_code(wrong: str, code: str) -> None:
    assert code_of(problem(wrong)) == code


@pytest.fixture
def mistaken(tmp_path: Path) -> Path:
    """A tree whose only run names an item that the plan does not have."""
    assert given(tmp_path, "init", "lab").returncode == 0
    runs = tmp_path / "lab" / "ledger" / "example" / "runs"
    runs.mkdir(exist_ok=True)
    (runs / "2026-01.yaml").write_text("- {date: 2026-01-05, item: nothing, gpus: 1, wall_hours: 1}\n", "utf-8")
    return tmp_path / "lab"


def test_all_forms_of_check_tell_the_code(mistaken: Path) -> None:
    assert "[no-such-item]\n" in given(mistaken, "check").stdout
    told = json.loads(given(mistaken, "check", "--format", "json").stdout)
    assert [one["code"] for one in told["problems"]] == ["no-such-item"]
    assert "title=Problem [no-such-item]::" in given(mistaken, "check", "--format", "github").stdout
    quality = json.loads(given(mistaken, "check", "--format", "gitlab").stdout)
    assert quality[0]["check_name"] == "no-such-item"


def test_why_explains_each_code() -> None:
    for code in ("no-such-item", "comma", "[unknown-key]"):
        told = given(ROOT, "why", code)
        assert (told.returncode, told.stderr) == (0, "")
        assert "It says: " in told.stdout
        assert "What to do: " in told.stdout


def test_why_explains_a_finding_by_its_rule_its_id_and_an_older_id() -> None:
    by_rule = given(ROOT, "why", "claim-imprecise").stdout
    assert "**Do:**" in by_rule
    assert given(ROOT, "why", "claim-imprecise:demo.claims.a").stdout == by_rule


def test_why_names_what_was_perhaps_meant() -> None:
    told = given(ROOT, "why", "no-such-itm")
    assert told.returncode == 2
    assert "did you mean `no-such-item`" in told.stderr
