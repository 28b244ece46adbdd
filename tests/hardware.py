"""A ledger of a few setups whose times and costs come out by hand.

3.6 M tokens of four models; four GPUs reach 80% of their speed-up. As planned:

    slow-x1   10 h      $10        quick-x1  5 h       $15     (slow-x4 dominates it)
    slow-x4   3.125 h   $12.50     quick-x4  1.5625 h  $18.75
    small     cheaper still, and too small; fresh has no price, plain no throughput
"""

from __future__ import annotations

HARDWARE = {
    "ledger/catalog/gpus.yaml": """\
slow: {title: Slow, vram_gib: 24}
quick: {title: Quick, vram_gib: 24}
small: {title: Small, vram_gib: 8}
fresh: {title: Fresh, vram_gib: 24}
plain: {title: Plain, vram_gib: 24}
unused: {title: Unused}
""",
    "ledger/catalog/models.yaml": "m: {title: M}\n",
    "ledger/catalog/providers.yaml": "here: {title: Here}\nthere: {title: There}\nnobody: {title: Nobody}\n",
    "ledger/catalog/prices.yaml": """\
ours:
  provider: here
  as_of: 2026-01-02
  usd_per_gpu_hour: {slow: 1, quick: {low: 2, use: 3, high: 5}, small: 0.5, plain: 1}
old: {provider: there, as_of: 2025-01-02, usd_per_gpu_hour: {quick: 2, slow: 9}}
new: {provider: there, as_of: 2026-01-02, usd_per_gpu_hour: {quick: 1}}
""",
    "ledger/catalog/throughputs.yaml": """\
measured:
  model: m
  tokens_per_second_per_gpu: {slow: 100, quick: {low: 150, use: 200, high: 250}, small: 100, fresh: 400}
""",
    "ledger/p/project.yaml": """\
title: P
version: 1.0.0
as_of: 2026-01-03
gpu: slow
prices: [ours]
throughputs: [measured]
""",
    "ledger/p/workloads.yaml": """\
work:
  title: Work
  models: 4
  samples: 3600
  tokens_per_sample: 1000
  efficiency: 80%
  memory_gb: {weights: 16, cache: 2}
""",
    "ledger/p/setups.yaml": "some: {title: Some setups, workload: work, counts: [1, 4]}\n",
}

# The same with a market, searches and texts, for pages.
CHOSEN = {
    **HARDWARE,
    "ledger/catalog/providers.yaml": """\
here:
  title: Here
  search:
    command: find
    terms: {card: 'name = {}', count: 'gpus = {}', usd_per_hour: 'price <= {}'}
    names: {slow: SLOW}
there: {title: There}
nobody: {title: Nobody}
""",
    "ledger/p/setups.yaml": """\
some:
  title: Some setups
  workload: work
  counts: [1, 4]
  reference: slow-x4
  budget_usd: 13
  market: {slow-x4: Rare}
  searches:
    known: {choice: slow-x4, provider: here, usd_per_hour: 5}
    unknown: {choice: cheapest, provider: there}
""",
    "ledger/p/texts.yaml": """\
best-slow-x1: {title: One, section: Best for, text: Patience.}
best-quick-x1: {title: Quick, section: Best for, text: Nobody.}
note: {title: A note, section: Memory, text: Mind the memory.}
free: {title: Words, section: Own heading, text: Before.}
look: {title: Look, section: Where to look, text: There.}
one: {title: First, section: Matrix, parts: {Setup: '{setups.some.cheapest}', When: Always}}
two: {title: Second, section: Matrix, parts: {Setup: '{setups.some.fastest}', When: Never}}
""",
}
