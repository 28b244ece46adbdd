"""A small ledger for tests that need one of no particular content, and how to put files into a tree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SMALL = {
    "ledger/catalog/gpus.yaml": "card: {title: Card, vram_gib: 24}\n",
    "ledger/demo/project.yaml": """\
title: Demo
version: 1.0
as_of: 2026-01-01
gpu: card
seeds: 2
contingency: 10%
""",
    "ledger/demo/plan.yaml": """\
first:
  title: First phase
  items:
    train:
      title: Training
      scope: per-seed
      gpu_hours: 40
      estimate: {formula: epochs * hours_per_epoch * gpus, epochs: 3, hours_per_epoch: 1-2, gpus: 4}
    test:
      title: Testing
      scope: one-time
      gpu_hours: 10
""",
    "ledger/demo/runs/2026-01.yaml": """\
- {date: 2026-01-02, item: train, seed: 1, gpus: 4, wall_hours: 2.5, progress: {done: 3, total: 3}}
- {date: 2026-01-03, item: train, seed: 2, gpus: 1, wall_hours: 3, status: failed, energy_kwh: 2}
""",
    "ledger/demo/runs/2026-02.yaml": """\
- {date: 2026-02-01, item: test, gpu_hours: 1.5, cost_usd: 3, progress: {done: 1, total: 1}}
- {date: 2026-02-02, item: detour, unplanned: true, gpu_hours: 2}
""",
}


def plant(root: Path, files: Mapping[str, str] = SMALL) -> Path:
    """Writes files below a root; gives the root back."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root
