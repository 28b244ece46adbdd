"""A ledger of sixty runs whose times and costs come out by hand, and a question on a few cards.

A run takes 45 min on an RTX 4090, and 10 min on any card: 55 min. An A100 is 0.9 to 1.2 times as fast, to plan with 1:
60 to 47.5 min, to plan with 55. An hour on an RTX 4090 counts as half an hour on an H100, which is twice as fast so:
32.5 min. Nothing says how fast an L4 is: what an A100 counts as there does not chain.
"""

from __future__ import annotations

SWEEP = {
    "ledger/catalog/gpus.yaml": """\
rtx-4090: {title: RTX 4090, vram_gib: 24, counts_as: {h100: 0.5x}}
a100: {title: A100, vram_gib: 40, counts_as: {l4: 3x, rtx-4090: 9x}}
h100: {title: H100, vram_gib: 80}
l4: {title: L4, vram_gib: 24}
""",
    "ledger/catalog/providers.yaml": "here: {title: Here}\n",
    "ledger/catalog/prices.yaml": """\
ours:
  provider: here
  as_of: 2026-01-02
  usd_per_gpu_hour: {rtx-4090: 0.4, a100: {low: 1, use: 1.2, high: 1.5}, h100: 2, l4: 0.3}
""",
    "ledger/p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2026-01-03\ngpu: rtx-4090\nprices: [ours]\n",
    "ledger/p/workloads.yaml": """\
sixty:
  title: Sixty runs
  runs: 60
  hours_per_run: 0.75
  overhead_minutes_per_run: 10
  baseline: rtx-4090
  speed: {a100: {low: 0.9, use: 1, high: 1.2}}
  memory_gb: {model: 20}
""",
    "ledger/p/setups.yaml": "sweep: {title: A sweep, workload: sixty, counts: [1, 2, 7]}\n",
}
