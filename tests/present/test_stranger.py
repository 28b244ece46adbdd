"""A ledger from a stranger: whatever its titles and notes hold is printed, and nothing of it acts on the site."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import present
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]

NASTY = {
    "jinja": "{{ 7*7 }} {% raw %}",
    "script": "<script>alert(1)</script>",
    "attributes": "x {: onclick=alert(1) } {#id .class}",
    "pipes": "a | b || c",
    "backticks": "`a` ``b`` ```c",
    "link": "[x](javascript:alert(1)) ![y](https://example.org/y.png)",
    "title-end": "</title><script>alert(2)</script>",
    "comment": "--> <!-- x",
    "quote": "' onmouseover='alert(3)' \\\" \"",
    "entity": "&lt;b&gt; &#60;i&#62;",
}


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def ledger_of(text: str) -> dict[str, str]:
    """A small ledger with a text in every place that takes words."""
    t = quoted(text)
    quoting = quoted(text.replace("{", "{{").replace("}", "}}"))  # where braces quote figures, doubled ones are braces
    return {
        "catalog/gpus.yaml": f"card: {{title: {t}, vram_gib: 24, architecture: {t}, source: {t}, notes: {t}}}\n",
        "catalog/models.yaml": f"model: {{title: {t}, parameters: 7B, source: {t}}}\n",
        "catalog/devices.yaml": f"cpu: {{title: {t}, cores: 8, dense_tflops: {{fp32: 1}}, source: {t}, notes: {t}}}\n",
        "catalog/providers.yaml": f"who: {{title: {t}, url: {t}, source: {t}}}\n",
        "catalog/prices.yaml": f"""
paid: {{title: {t}, provider: who, tier: {t}, usd_per_gpu_hour: {{card: 2}}, source: {t}}}
monthly: {{title: {t}, usd_per_month: {{card: 9}}, source: {t}}}
""",
        "catalog/settings.yaml": f"tool: {{title: {t}, settings: {{k: {{title: {t}, unit: minutes}}}}}}\n",
        "allocations.yaml": f"grant: {{title: {t}, gpu: card, gpu_hours: 500, projects: [demo]}}\n",
        "demo/project.yaml": f"""
title: {t}
summary: {t}
version: {t}
status: {t}
as_of: 2026-01-01
gpu: card
models: [model]
seeds: [a, b]
contingency: 10%
source: {t}
notes: {t}
memory: {{work: {{title: {t}, need_gib_per_gpu: 30, notes: {t}}}}}
hardware: {{box: {{title: {t}, cards: [card], gpus: 2, runs: [work], details: {{{t}: {t}}}, notes: {t}}}}}
versions: {{{t}: {{status: released, note: {t}, waits_for: {t}}}}}
accept: [{{finding: {t}, reason: {t}, by: {t}}}]
pages:
  paper:
    title: {t}
    summary: {t}
    source: {t}
    sections: {{{t}: [measurements.m, measurements.rows, measurements.rows.parts, projections.p, projections.p.costs,
      bounds.b, configurations.c, levers, catalog.gpus.card, catalog.devices.cpu, catalog.models.model, figures.f,
      citations]}}
citations: {{c: {{type: {t}, title: {t}, authors: [{t}, {t}], journal: {t}, url: {t}, notes: {t}}}}}
""",
        "demo/plan.yaml": f"""
phase:
  title: {t}
  notes: [{t}, {t}]
  items:
    item:
      title: {t}
      scope: per-seed
      gpu_hours: 10
      estimate: {{formula: hours * gpus, hours: 10-20, gpus: 4}}
      settings: {{a: {t}, b: [{t}, {t}], c: 3}}
      notes: {t}
""",
        "demo/runs/one.yaml": f"- {{item: item, seed: a, gpus: 2, wall_hours: 3, note: {t}, job: {t}}}\n",
        "demo/measurements.yaml": f"""
m: {{title: {t}, kind: measured, device: {t}, seconds_per_step: 2, notes: {t}, source: {t}}}
rows:
  title: {t}
  kind: measured
  device: card
  gpus: 1
  model: model
  dtype: {t}
  configuration: {t}
  row: {t}
  rows: [{{one_seconds: 1, two_seconds: 2}}, {{one_seconds: 2, two_seconds: 3}}]
  total: [one_seconds, two_seconds]
  notes: {t}
  source: {t}
""",
        "demo/projections.yaml": f"""
p: {{title: {t}, measurements: [rows, m], steps: 10, compare: item, prices: [paid, monthly], reported: hours,
  leaves_out: [{t}], notes: {t}, source: {t}}}
""",
        "demo/bounds.yaml": f"""
b: {{title: {t}, measurements: [rows, m], prefill_tokens: 5, decode_tokens: 5, notes: {t}, source: {t}}}
""",
        "demo/levers.yaml": f"""
l: {{title: {t}, configuration: c, was: {{k: {t}}}, sets: {{k: {t}, o: [{t}]}}, effect: {t}, notes: {t}, source: {t}}}
""",
        "demo/configurations.yaml": f"""
c: {{title: {t}, framework: tool, notes: {t}, source: {t}, settings: {{k: {t}}}}}
""",
        "demo/figures.yaml": f"""
f: {{title: {t}, gb: 10, notes: {t}}}
hours: {{title: {t}, hours: 1-2, source: {t}}}
""",
        "demo/texts.yaml": f"""
points: {{title: {t}, section: {t}, text: {quoting}, parts: [{quoting}]}}
labels: {{title: {t}, section: hardware, parts: {{{t}: {quoting}}}, rows: [figures.f]}}
paged: {{title: {t}, section: {t}, page: paper, text: {quoting}, parts: [{quoting}]}}
""",
        "demo/claims.yaml": f"- {{of: budget.final, states: 999, at: {t}}}\n",
    }


class Seen(HTMLParser):
    """Elements with their attributes, and the text, of a page's own part."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module", params=sorted(NASTY))
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    root = tmp_path_factory.mktemp(request.param)
    plant(root / "ledger", ledger_of(NASTY[request.param]))
    ledger, problems = load(root)
    book, more = calculate(ledger)
    assert problems + more == []
    for path, text in present(book, [ROOT / "templates"], lambda path: None).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    (root / "mkdocs.yml").write_text((ROOT / "mkdocs.yml").read_text("utf-8"), "utf-8")
    for name in ("budget.css", "tables.css", "access.css", "page.js", "charts.js", "tables.js", "favicon.svg"):
        (root / "docs/assets").mkdir(exist_ok=True)
        (root / "docs/assets" / name).write_text("", "utf-8")
    build(load_config(str(root / "mkdocs.yml"), strict=True))
    pages = {
        path.relative_to(root / "site").as_posix(): path.read_text("utf-8") for path in root.glob("site/**/*.html")
    }
    return NASTY[request.param], pages


def test_nothing_acts(site: tuple[str, dict[str, str]]) -> None:
    _, pages = site
    assert "demo/index.html" in pages
    for name, page in pages.items():
        seen = Seen()
        seen.feed(page)
        for tag, attributes in seen.elements:
            assert not [key for key in attributes if key.startswith("on")], (name, tag, attributes)
            # A field typed markdown may link to https, but nothing is loaded from elsewhere.
            address, loaded = attributes.get("href") or "", attributes.get("src") or ""
            assert not address.lower().startswith(("javascript:", "data:")), (name, address)
            assert not loaded.lower().startswith(("javascript:", "http", "//")), (name, loaded)
        scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
        assert not [one for one in scripts if "alert(" in one], name


def test_the_text_is_printed_as_it_is(site: tuple[str, dict[str, str]]) -> None:
    text, pages = site
    seen = Seen()
    seen.feed(pages["demo/index.html"])
    seen.feed(pages["demo/lines/index.html"])
    shown = re.sub(r"\s+", " ", "".join(seen.text))
    assert shown.count(re.sub(r"\s+", " ", text)) > 20


def test_the_text_is_printed_as_it_is_on_a_page_of_measurements(site: tuple[str, dict[str, str]]) -> None:
    text, pages = site
    seen = Seen()
    seen.feed(pages["demo/paper/index.html"])
    shown = re.sub(r"\s+", " ", "".join(seen.text))
    assert shown.count(re.sub(r"\s+", " ", text)) > 40
