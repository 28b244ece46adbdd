"""The search of the site: what comes first for words that people look for, and what is left out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from browser import Page

pytestmark = pytest.mark.full

FIRST = [
    ("phases", "birdsong/status/", "phases"),
    ("contingency", "pixelis/status/", "contingency"),
    ("P10", "guide/forecast/", "p10-p50-and-p90"),
    ("pixelis.budget.final", "pixelis/derivations/", "budget"),
    ("rtx-5090-x4", "phase2-collection/derivations-2/", "one-gpu-or-four-rtx-5090-x4"),
    ("pixelis.plan.domain-adaptation.total", "pixelis/derivations-2/", "domain-adaptation-test"),
    ("ttrl", "pixelis/lines/", "ttrl-with-verl"),
]
"""Words that are typed, and the page and the anchor that come first."""
SEARCHES = [
    ("add a run", "guide/runs/"),
    ("how much is left", "status/$"),
    ("what if 5 seeds", "^[^/]+/what-if/$"),
    ("over budget", "status/$"),
    ("out of memory", "guide/fit/|grpo-gsm8k/"),
    ("OOM", "guide/fit/|grpo-gsm8k/"),
    ("deadline", "guide/forecast/|guide/choose/|phase2-collection/$"),
    ("how is the forecast calculated", "guide/forecast/"),
    ("RFT 250", "pixelis/$"),
    ("which GPU should I rent", "phase2-collection/$"),
    ("carbon", "guide/energy/|costs/"),
    ("P10", "guide/forecast/"),
    ("remaining", "status/$"),
    ("import slurm", "guide/import/"),
    ("quota", "catalog/$|guide/pays/"),
    ("release a version", "guide/release/"),
    ("who pays", "guide/pays/"),
    ("A40", "grpo-gsm8k/"),
    ("price of an A100", "catalog/$"),
    ("contingency", "pixelis/$|birdsong/$|status/$"),
    ("glossary", "guide/commands/"),
    ("undo an import", "guide/import/"),
    ("proposal", "proposals/"),
    ("failed runs", "attempts/|guide/runs/"),
    ("kv cache", "vllm-llama-3-8b/|guide/fit/|grpo-gsm8k/"),
    ("exit code", "guide/messages/"),
    ("history", "history/"),
]
"""Words that people type, and a pattern of the pages of which one must be among the first three."""
FIRST_PAGES = [
    ("wrong learning rate", "birdsong/runs/"),
    ("RTX 5090", "phase2-collection/"),
    ("burn-up", "birdsong/status/"),
    ("frozen pages", "guide/release/"),
    ("pull request", "guide/team/"),
    ("larger model", "arpo/larger-model/"),
    ("tokens per second", "guide/choose/"),
    ("there is no item", "guide/messages/"),
    ("seed 3", "pixelis/"),
    ("pixelis.plan.sft.total", "pixelis/derivations/"),
]
"""Words of a note, of a message, or of what a page is about, and the page that comes first."""
RESULTS = """[...document.querySelectorAll(".md-search-result__item a")].map(link => link.href)"""


def found(page: Page, words: str) -> list[str]:
    """The addresses of what is found, in order, below the site."""
    page.ask("document.querySelector('[data-md-component=search-query]').focus()")
    page.type(words)
    page.wait(f"{RESULTS}.length > 0")
    page.ask("new Promise(done => setTimeout(done, 400))")
    addresses: list[str] = page.ask(RESULTS)
    return [re.sub(r"^.*/a/folder/deep/|\?h=[^#]*", "", each) for each in addresses]


@pytest.mark.parametrize(("words", "path", "anchor"), FIRST)
def test_what_people_look_for_comes_first(visit: Callable[..., Page], words: str, path: str, anchor: str) -> None:
    addresses = found(visit("pixelis/"), words)
    assert addresses[0] == path
    inside = [each.partition("#")[2] for each in addresses if each.startswith(f"{addresses[0]}#")]
    assert inside[:1] == [anchor]


@pytest.mark.parametrize(("words", "pages"), SEARCHES)
def test_what_people_type_is_among_the_first_three(visit: Callable[..., Page], words: str, pages: str) -> None:
    first = list(dict.fromkeys(each.partition("#")[0] for each in found(visit("pixelis/"), words)))[:3]
    assert any(re.search(pages, each) for each in first), first


@pytest.mark.parametrize(("words", "path"), FIRST_PAGES)
def test_what_a_page_is_about_comes_before_what_mentions_it(visit: Callable[..., Page], words: str, path: str) -> None:
    assert found(visit("pixelis/"), words)[0] == path


def test_how_much_is_left_shows_the_first_lines_of_the_status(visit: Callable[..., Page]) -> None:
    page = visit("pixelis/")
    assert found(page, "how much is left")[0] == "birdsong/status/"
    shown = page.ask("document.querySelector('.md-search-result__item').innerText")
    assert "286 GPU-h left of 1,380" in shown
    assert "Contingency" not in shown


def test_a_note_of_a_run_leads_to_its_row(visit: Callable[..., Page]) -> None:
    page = visit("pixelis/")
    address = next(each for each in found(page, "wrong learning rate") if "#note-" in each)
    note = visit(address).ask("document.querySelector(location.hash).textContent")
    assert note == "Wrong learning rate in the configuration."


@pytest.mark.parametrize("words", ["4", "12", "40", "seed 3"])
def test_numbers_are_found(visit: Callable[..., Page], words: str) -> None:
    """Lunr found nothing for some, depending on what other numbers there are."""
    assert found(visit("pixelis/"), words)


def test_a_word_that_scripts_know_is_a_word(visit: Callable[..., Page]) -> None:
    """`constructor` is a property of every object."""
    assert found(visit("pixelis/"), "constructor contingency")


def test_the_worker_keeps_words_with_digits_apart(site: Path) -> None:
    """The program changes a part of lunr as the theme carries it; a newer theme may have other names there."""
    (worker,) = (site / "assets/javascripts/workers").glob("search.*.min.js")
    assert 'e=e+s+o.id+","}' in worker.read_text("utf-8")


def test_of_a_finding_the_index_has_why_and_its_effect(site: Path) -> None:
    """Where it is, what to change and the lines of the ledger are left out by their marks, whatever they say."""
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    texts = [each["text"] for each in index if "/findings/#" in each["location"]]
    labels = {label for text in texts for label in re.findall(r"<li>(\w+)", text)}
    assert labels == {"Why", "Effect"}
    assert not any("ledger/" in text for text in texts)
    page = (site / "pixelis/findings/index.html").read_text("utf-8")
    assert len(re.findall(r"<li><strong>(?:Where|Change)</strong> ", page)) > 10
    assert "data-search" not in page


def test_addresses_are_in_the_index_and_labels_and_arithmetic_are_not(site: Path) -> None:
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    texts = {each["location"]: each["text"] for each in index}
    assert (site / "search/search_index.json").stat().st_size <= 600_000
    budget = texts["pixelis/derivations/#budget"]
    assert "Final budget" not in budget
    assert "pixelis.budget.final" in budget
    assert not re.search(r"\d,\d{3}|GPU-h", budget)
    glued = [at for at, text in texts.items() if at.startswith("pixelis/") and re.search(r"P[159]0\d", text)]
    assert glued == []
    assert not any("/releases/" in at and "derivations" in at for at in texts)
