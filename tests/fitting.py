"""A small ledger of configurations: two of a pool and a trainer, one reckoned part by part, and levers."""

from __future__ import annotations

FITTING = {
    "ledger/catalog/gpus.yaml": """\
small: {title: Small, vram_gib: 16}
middle: {title: Middle, vram_gib: 44}
large: {title: Large, vram_gib: 80}
dark: {title: Dark}
""",
    "ledger/catalog/models.yaml": """\
seven: {title: Seven, parameters: 7B, layers: 32, kv_heads: 8, head_size: 128, heads: 32, hidden_size: 4096}
bare: {title: Bare, parameters: 7B}
""",
    "ledger/catalog/settings.yaml": """\
frame:
  title: Frame
  settings: {epochs: {role: epochs}, timeout_seconds: {default: 3600}}
""",
    "ledger/p/project.yaml": "title: P\nversion: 1.0.0\nas_of: 2026-01\ngpu: middle\nreserve_gib: 2\n",
    "ledger/p/configurations.yaml": """\
short:
  title: Short
  framework: frame
  hours: 1
  settings: {epochs: 2, batch: 8, server.share: 0.8, name: short run}
  memory: {server: {pool: server.share}, trainer: {gib: 8}}
  time: {training: 60%, serving: 40%}
long:
  title: Long
  base: short
  hours: 3
  settings: {epochs: 3}
""",
    "ledger/p/levers.yaml": """\
checkpointing:
  {title: Checkpointing, sets: {checkpoint: 'true'}, part: trainer, saves: 25%, slows: training, slower: 50%}
half: {title: Half, sets: {server.share: 0.5}, part: server, saves_gb: 14, slows: serving, throughput_lower: 20%}
batch: {title: Smaller batch, sets: {batch: 4}, part: trainer, saves_gb: 1}
bad: {title: Rejected, status: rejected, sets: {batch: 1}, part: trainer, saves: 90%}
other: {title: Of another, configuration: long, sets: {batch: 1}, part: trainer, saves: 90%}
vague: {title: Vague, sets: {tokens: 256}, part: trainer}
""",
}
