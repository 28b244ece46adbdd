"""Setups of a ledger with mistakes: each is told, at its line, and nothing breaks; a new card may beat all others."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load

ROOT = Path(__file__).parents[2]
GOOD = {
    "gpus": "card: {title: Card, vram_gib: 40}\nother: {title: Other}\n",
    "models": "m: {title: M}\n",
    "providers": "cloud: {title: Cloud}\n",
    "prices": "list: {provider: cloud, usd_per_gpu_hour: {card: 2, other: 1}}\n",
    "throughputs": "table: {model: m, tokens_per_second_per_gpu: {card: 10, other: 4}}\n",
    "project": "prices: [list]\nthroughputs: [table]\n",
    "workloads": "w: {title: W, model: m, samples: 3600, tokens_per_sample: 10}\n",
    "setups": "s: {title: S, workload: w, counts: [1, 2], searches: {a: {provider: cloud, choice: card-x1}}}\n",
}


def files(**changed: str) -> dict[str, str]:
    texts = {**GOOD, **changed}
    return {
        f"ledger/catalog/{name}.yaml" if name in ("models", "providers", "prices", "throughputs") else name: text
        for name, text in texts.items()
    }


def test_without_a_mistake_all_is_weighed(ledger: Any) -> None:
    (found,) = ledger(**files()).book().tradeoffs["p"]
    assert sorted(found.points) == ["card-x1", "card-x2", "other-x1", "other-x2"]


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        (
            "project",
            "[table]",
            "[tabel]",
            "there is no `tabel` in ledger/catalog/throughputs.yaml; did you mean `table`?",
        ),
        ("project", "[list]", "[lits]", "there is no `lits` in ledger/catalog/prices.yaml; did you mean `list`?"),
        ("models", "m:", "n:", "there is no `m` in ledger/catalog/models.yaml; there are `n`"),
        ("setups", "provider: cloud", "provider: clod", "there is no `clod` in ledger/catalog/providers.yaml"),
        ("providers", GOOD["providers"], "", "there is no `cloud` in ledger/catalog/providers.yaml"),
    ],
)
def test_what_is_not_there_is_told(ledger: Any, name: str, old: str, new: str, told: str) -> None:
    problems = ledger(**files(**{name: GOOD[name].replace(old, new)})).problems()
    assert problems
    assert all(told in one for one in problems), problems


def test_a_card_that_beats_all_leaves_texts_out_and_breaks_none(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "ledger", tmp_path / "ledger")
    for name, after, line in (
        ("gpus", "", "zippy: {title: Zippy, vram_gib: 100}\n"),
        ("throughputs", "    rtx-3090: 70\n", "    zippy: 100000\n"),
        ("prices", "    rtx-3090: {low: 0.35, high: 0.50, use: 0.35}\n", "    zippy: 0.01\n"),
    ):
        path = tmp_path / f"ledger/catalog/{name}.yaml"
        text = path.read_text("utf-8")
        assert after in text
        path.write_text(text.replace(after, after + line, 1) if after else text + line, "utf-8")
    read, problems = load(tmp_path)
    book, more = calculate(read)
    assert [str(one) for one in problems + more] == []
    assert book.tradeoffs["phase2-collection"][0].front == ("zippy-x1", "zippy-x4")
    ids = [one.id for one in book.findings["phase2-collection"]]
    assert "text-left-out:phase2-collection.texts.best-b200-x4" in ids
    answer = next(text for text in book.texts["phase2-collection"] if text.name == "answer")
    assert answer.stands
    assert answer.judged
    assert not answer.judged.holds, "it says what holds instead"
