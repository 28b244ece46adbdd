"""Each field of the page of what if refuses what the ledger refuses there: parts of a whole, ranges, too many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser import Browser
from test_what_if_page import compared, model, on_page, served
from tests.small import SMALL, plant

pytestmark = pytest.mark.full

TREE = {path: text for path, text in SMALL.items() if "/runs/" not in path} | {
    "ledger/catalog/providers.yaml": "cloud: {title: Cloud}\n",
    "ledger/catalog/prices.yaml": "here: {provider: cloud, as_of: 2026-01-01, usd_per_gpu_hour: {card: 1.50}}\n",
    "ledger/demo/project.yaml": SMALL["ledger/demo/project.yaml"] + "prices: [here]\nceiling: 400\n",
    "ledger/demo/figures.yaml": "per-run: {title: Hours of a run, gpu_hours: 3}\n",
    "ledger/demo/plan.yaml": """\
work:
  title: Work
  items:
    sweep: {title: Sweep, scope: one-time, runs: 8, gpu_hours: {formula: runs * figures.per-run}}
    train:
      title: Train
      scope: per-seed
      gpu_hours: {formula: gpus * days, gpus: 4, days: 2}
      estimate: 100-150
    test: {title: Test, scope: per-seed, gpu_hours: 20}
""",
}
TYPED = ("3-9", "7.5", "0", "-1", "1000000000", "1,000", "007", "2e1", "5+", "unknown", "30%", "2x", "1001", "4")
REFUSED = {
    "3-9": "3-9 is not a whole number of at least 1; write digits, such as 28",
    "7.5": "7.5 is not a whole number of at least 1; write digits, such as 28",
    "0": "0 is not a whole number of at least 1; write digits, such as 28",
    "1000000000": "1000000000 is too large; write at most six digits",
    "1,000": "1,000 has commas; write 1000",
}


def test_each_field_takes_what_the_command_takes_and_refuses_the_rest(chromium: Browser, tmp_path: Path) -> None:
    root = plant(tmp_path / "tree", TREE)
    with served(chromium, root, "demo", tmp_path / "web") as page:
        data = model(tmp_path / "web/model.js")
        inputs = {each["address"]: each["rule"] for each in data["inputs"]}
        assert set(inputs.values()) == {"seeds", "runs", "ratio", "price", "positive", "any"}
        changes = [(data["card"], [(address, text)]) for address in inputs for text in TYPED]
        assert compared(root, data, page, changes) > len(inputs)
        for text, why in REFUSED.items():
            address = next(each for each, rule in inputs.items() if rule == "runs")
            asked = json.dumps([address, text])
            on_page(page, f"(([address, text]) => it.type(it.fields.get(address).input, text, false))({asked})")
            assert on_page(page, f"it.fields.get({json.dumps(address)}).why.textContent") == why
        # Nine runs of 3 GPU-hours are 27; with 2 x 192 and 2 x 20 they are 451, and a tenth more is 496.1.
        on_page(page, f"(it.type(it.fields.get({json.dumps(address)}).input, '9', false), null)")
        assert (
            on_page(page, "it.results.find(({shown}) => shown.address === 'demo.budget.final').cells[0].textContent")
            == "496 GPU-h"
        )
