"""A small ledger of configurations with a page: a server's pool beside a trainer, one reckoned part by part, levers."""

from __future__ import annotations

LEDGER = {
    "ledger/catalog/gpus.yaml": """\
little: {title: Maker Little, vram_gib: 10}
middle: {title: Maker Middle, vram_gib: 20, usable_vram_gib: 20}
much: {title: Maker Much, vram_gib: 40}
dark: {title: Maker Dark}
""",
    "ledger/catalog/models.yaml": "four: {title: Four, parameters: 4.294967296B}\n",
    "ledger/catalog/settings.yaml": """\
frame:
  title: Frame
  settings:
    batch: {title: Batch, group: Training}
    epochs: {title: Epochs, group: Training, role: epochs}
    share: {title: Share of the server, group: Serving}
    patience: {title: Patience, group: Serving, unit: seconds, default: 60}
    unused: {title: Unused, group: Serving, default: 1}
""",
    "ledger/p/project.yaml": """\
title: P
summary: Does it fit?
version: '1'
as_of: 2026-01-01
gpu: middle
reserve_gib: 2
pages:
  fit:
    title: Will it fit?
    sections:
      Side by side: [configurations]
      By itself: [configurations.thrifty]
      Memory: [memory, configurations.plain.on.much]
      Cards: [fit]
      Levers: [levers]
      Time: [times]
""",
    "ledger/p/configurations.yaml": """\
plain:
  title: Plain
  file: plain.yaml
  framework: frame
  hours: 4
  settings: {epochs: 2, batch: 8, share: 0.5, name: first}
  memory:
    server: {title: Server, pool: share}
    cache: {title: Cache, gib: 3, within: server}
    trainer: {title: Trainer, gib: 9}
  time: {training: unknown, serving: 40%, other: unknown}
longer: {title: Longer, base: plain, hours: 6, settings: {epochs: 3}}
thrifty:
  title: Thrifty
  file: thrifty.yaml
  base: longer
  levers: [half, quarter, fewer]
  settings: {patience: 90, name: 'a: b'}
apart:
  title: Apart
  model: four
  dtype: bf16
  memory: {weights: {title: Weights, reckoned: weights}, gradients: {title: Gradients, reckoned: gradients}}
sharded: {title: Sharded, base: apart, sharding: zero-2, gpus: 4}
""",
    "ledger/p/levers.yaml": """\
half: {title: Half, configuration: longer, sets: {batch: 4}, part: trainer, saves: 50%, slows: training, slower: 50%}
quarter:
  {title: Quarter, configuration: longer, sets: {share: 0.25}, part: server, slows: serving, throughput_lower: 50%}
fewer: {title: Fewer, configuration: longer, sets: {rollouts: 2}, part: cache, saves_gb: 1, slows: serving}
""",
}
