"""What a page calculates is to the digit what `budget export --set` says: values, their ends, printed texts, refusals."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from browser import Browser, Page
from conftest import ROOT, Quiet
from reckon.compute.reckoning import reckon
from reckon.load.reader import load
from reckon.present.render.numbers import figure_text
from reckon.present.whatif.page import WhatIf
from reckon.present.view import View
from tests.small import SMALL, plant
from tests.trying import examples

WORKSHOP = SMALL | {
    "ledger/demo/plan.yaml": """\
work:
  title: Work
  items:
    train:
      title: Train
      scope: per-seed
      gpu_hours: {formula: 'ceil(samples / samples_per_batch) * hours_per_batch * min(gpus, most_gpus)', samples: 1000,
                  samples_per_batch: 64, hours_per_batch: 0.5-0.75, gpus: 8, most_gpus: 4}
    sweep:
      title: Sweep
      scope: single-seed
      gpu_hours: {formula: 'runs * hours_per_run - max(saved_hours, 1 hour) / share', hours_per_run: 2-3, runs: 12,
                  saved_hours: 2, share: 50%}
    evaluate:
      title: Evaluate
      scope: one-time
      gpu_hours: 17.5
""",
}
TREES = {"birdsong": ("birdsong", "examples/birdsong"), "pixelis": ("pixelis", "."), "workshop": ("demo", "")}
NUMBERS = ("0", "1", "2", "3", "5", "7.5", "0.3", "12", "64.000001", "1000000", "2-4", "0.5-0.9", "1-30", "3-2", "-1",
           "x", "", "1e3", "007", "1001")  # fmt: skip
PAGE = """<!doctype html><title>What if</title><div class="what-if" data-model="model.json"></div>
<script type="module" src="what-if/page.js"></script>"""
ASK = """(changes => changes.map(([address, text]) => {
  const page = document.querySelector(".what-if").whatIf, own = page.fields.get(address);
  page.change(new Map());
  page.type(own.input, text, false);
  const told = page.told.textContent;
  if (told.startsWith("Not calculated")) return null;
  return page.results.map(({shown, cells}) => [shown.address, cells[0].textContent,
    page.after.values[shown.node].map(end => end === null ? null : `${end}`)]);
}))"""


def tree(name: str, at: Path) -> Path:
    """A tree with one of the projects and all that it rests on."""
    project, folder = TREES[name]
    if not folder:
        return plant(at, WORKSHOP)
    for part in (project, "catalog"):
        copytree(ROOT / folder / "ledger" / part, at / "ledger" / part)
    return at


@pytest.fixture(scope="module", params=sorted(TREES))
def opened(
    request: pytest.FixtureRequest, chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, WhatIf, Page]]:
    """A tree, what its page shows, and the page."""
    root, web = tree(request.param, tmp_path_factory.mktemp("tree")), tmp_path_factory.mktemp("web")
    ledger, wrong = load(root)
    book, more = reckon(ledger, audited=False)
    assert [*wrong, *more] == []
    what_if = WhatIf(View(book, ledger.projects[TREES[request.param][0]]))
    copytree(ROOT / "docs/assets/what-if", web / "what-if")
    (web / "model.json").write_text(what_if.data(), "utf-8")
    (web / "index.html").write_text(PAGE, "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(web))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.open(f"http://127.0.0.1:{server.server_port}/")
        page.wait("Boolean(document.querySelector('.what-if').whatIf)")
        yield root, what_if, page
        page.close()
        server.shutdown()


def exported(root: Path, address: str, value: str, shown: list[str]) -> list[Any] | None:
    """What the program says of the shown figures where one input is changed; None where it refuses that."""
    ledger, wrong = load(root, [(address, value)])
    if wrong:
        return None
    book, more = reckon(ledger, audited=False)
    if more:
        return None
    figures = [book.figures[each] for each in shown]
    return [[each.address, figure_text(each), [None if end is None else str(end) for end in
            (each.value.low, each.value.use, each.value.high)]] for each in figures]  # fmt: skip


def test_every_printed_result_is_that_of_export(opened: tuple[Path, WhatIf, Page]) -> None:
    root, what_if, page = opened
    data, draw = json.loads(what_if.data()), random.Random(19)
    shown, inputs = [each["address"] for each in data["shown"]], data["inputs"]
    changes = [(inputs[at % len(inputs)], draw.choice(NUMBERS)) for at in range(examples(67))]
    found = page.ask(f"{ASK}({json.dumps([[each['address'], text] for each, text in changes])})")
    refused = 0
    for (each, text), told in zip(changes, found, strict=True):
        value = "-".join(end + each["form"] for end in text.split("-")) if text and text[0] != "-" else text
        said = exported(root, each["address"], value, shown)
        assert told == said, (each["address"], value)
        refused += told is None
    assert 0 < refused < len(changes)
