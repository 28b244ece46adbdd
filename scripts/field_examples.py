"""Examples of fields for editors, from the ledgers of the tests and of this repository; others stand here. A text has
that of a field of its name in another record where no ledger has one.

A reference needs none: its example is a word of the tree. Neither does a field whose grammar has one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import yaml

from scripts.reference import DEMO, LEDGER, examples

OTHERS = {
    "Allocation.changes": [{"date": "2026-04-02", "granted": 300, "why": "top-up"}],
    "Allocation.charge": {"unit": "node-hours", "gpus_per_unit": 4},
    "Charge.unit": "node-hours",
    "Forge.folder": "research/budgets",
    "Forge.branch": "main",
    "ImportRule.when": {"name": "sweep-.*"},
    "ImportSource.columns": {"JobID": "job", "Elapsed": {"is": "wall_hours", "unit": "s"}},
    "ImportSource.constants": {"state": "completed"},
    "ImportSource.only": {"account": "ac1"},
    "ImportSource.skip": "Total",
    "ImportSource.statuses": {"timeout": "completed"},
    "Market.terms": {"card": "gpu_name={}"},
    "Measurement.rows": [{"generation_seconds": 28.1, "output_tokens": 86}],
    "Passage.parts": ["The first point.", "The second point."],
    "Claim.drawn": {"train": ["100-120"]},
    "Phase.settings": {"learning_rate": "1e-5"},
    "Throughputs.tokens_per_second_per_gpu": {"a100-80gb": 4800},
    "Workload.speed": {"h100-80gb": 2},
    "PriceList.market": {"a100-80gb": "often sold out"},
    "Project.ignore": ["Table 7"],
    "Project.source_sha256": "0" * 64,
    "Run.progress": {"done": 1500, "total": 3000},
    "by": "the team",
    "notes": "measured on one node",
    "partition": "gpu",
    "reason": "an epoch takes nine hours",
    "run": "sweep-3",
    "why": "top-up",
    "Accept.covers": ["waste-of-train"],
    "Citation.authors": ["Author, A."],
    "Citation.journal": "Journal of Examples",
    "Citation.type": "article",
    "Claim.above": "actual.total",
    "Claim.terms": ["plan.train"],
    "Factors.partition": {"gpu": 2},
    "Factors.qos": {"low": 0.5},
    "ImportRule.items": {"sft": "train"},
    "ImportSource.archive": "archive",
    "ImportSource.cluster": "fox",
    "ImportSource.delimiter": ";",
    "ImportSource.ended": {"123": "last-seen"},
    "ImportSource.header": ["JobID", "State"],
    "ImportSource.key": ["service"],
    "ImportSource.path": "data.items",
    "Page.sections": {"Measured performance": ["measurements.cpu-requests"]},
    "Page.summary": "How the work was measured.",
    "Passage.otherwise": "The plan exceeds its ceiling.",
    "Policy.message": "Drop an item, or ask for a higher ceiling.",
    "Project.csv": {"JobID": "job"},
    "Project.summary": "Fine-tuning of a small model.",
    "Projection.leaves_out": "the environment",
    "Proposal.changes": {"plan.train.gpu_hours": {"to": 238, "reason": "An epoch takes nine hours."}},
    "Proposal.summary": "An epoch takes longer than planned.",
    "ProposedChange.to": 238,
    "Run.adds_to": "fox/123",
    "Run.partition": "gpu",
    "Run.qos": "low",
    "Version.reasons": {"budget.final": "two seeds instead of three"},
}


class AsEditorsRead(yaml.SafeLoader):
    """YAML as the servers of editors read it: numbers, true and false are values; dates are text, keys are text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":timestamp", ":merge"))]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def samples() -> Mapping[str, Any]:
    """A value for a field, by the name of its record and its key: `Card.vram_gib`."""
    found: dict[str, Any] = {}
    for (record, key), text in {**examples(LEDGER), **examples(DEMO)}.items():
        with suppress(yaml.YAMLError):  # what cannot stand on one line
            found[f"{record}.{key}"] = _value(text)
            found.setdefault(key, _value(text))
    return {**found, **OTHERS}


def _value(text: str) -> Any:
    """A text as an editor reads it: a list, a map, a number, or text."""
    if text.startswith(("[", "{")):
        return yaml.load(text, AsEditorsRead)
    with suppress(ValueError):
        return json.loads(text)
    return text
