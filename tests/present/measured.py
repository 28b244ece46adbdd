"""A small ledger of measurements with pages: two requests on a laptop, an estimate for a GPU, and what follows."""

from __future__ import annotations

LEDGER = {
    "ledger/catalog/gpus.yaml": """\
fast: {title: Fast card, architecture: New, released: 2024, vram_gib: 80, dense_tflops: {bf16: 100},
  memory_gb_per_second: 2000, watts: 400, cores: 6000, source: Its data sheet}
""",
    "ledger/catalog/devices.yaml": "laptop: {title: Laptop, dense_tflops: {fp32: 0.1}, memory_gb_per_second: 100}\n",
    "ledger/catalog/models.yaml": """\
two: {title: Two, parameters: 2B, source: Its card}
seven: {title: Seven, parameters: 7B}
""",
    "ledger/catalog/providers.yaml": "here: {title: Here}\n",
    "ledger/catalog/prices.yaml": """\
dear: {title: Dear, provider: here, as_of: 2026-01, usd_per_gpu_hour: {fast: 3}, minimum_hours: 1}
cheap: {title: Cheap, provider: here, as_of: 2026-01, usd_per_gpu_hour: {fast: 2}}
monthly: {title: Monthly, provider: here, as_of: 2026-01, usd_per_month: {fast: 50}}
none: {title: Nothing, provider: here, as_of: 2026-01}
""",
    "ledger/catalog/settings.yaml": """\
tool: {title: Tool, settings: {patience: {title: Time-out, unit: minutes}}}
""",
    "ledger/p/project.yaml": """\
title: P
summary: What a request takes.
version: '1'
as_of: 2026-01-01
gpu: fast
pages:
  report:
    title: Report
    summary: The whole of it.
    source: Both reports
    sections:
      Settings: [configurations.test]
      Measured: [measurements.cpu]
      Breakdown: [measurements.cpu.parts]
      Time: [projections.small, projections.large]
      Costs: [projections.small.costs]
      Bound: [bounds.one]
      Devices: [catalog.gpus.fast, catalog.devices.laptop]
      Sizes: [catalog.models.two, catalog.models.seven]
      Levers: [levers]
      Again: [measurements.cpu, figures.reported]
      Citation: [citations]
      Empty: []
citations:
  paper: {title: 'All of {it} & 100%', authors: ['Ab, C.', 'De, F.'], year: 2025, url: 'https://example.org/a b'}
""",
    "ledger/p/measurements.yaml": """\
cpu:
  title: On the laptop
  kind: measured
  date: 2026-01-02
  device: laptop
  model: two
  dtype: fp32
  configuration: test
  row: request
  rows:
    - {tokens: 90, load_seconds: 0.21, work_seconds: 3000}
    - {tokens: 110, load_seconds: 0.09, work_seconds: 4200}
  total: [load_seconds, work_seconds]
gpu: {title: On the card, kind: estimated, device: fast, gpus: 1, model: two, dtype: bf16, seconds_per_step: 3-5}
""",
    "ledger/p/projections.yaml": """\
small:
  title: Small run
  measurements: [cpu, gpu]
  tasks: 8
  steps_per_rollout: 10
  epochs: 5
  prices: [dear, cheap, monthly, none]
  reported: reported
  leaves_out: [The update.]
large: {title: Large run, base: small, measurements: [gpu], parallel_environments: 4, model: seven}
sized: {title: Sized, measurements: [cpu], steps: 1, model: seven, exponent: 1}
""",
    "ledger/p/bounds.yaml": """\
one: {title: One request, measurements: [cpu, gpu], prefill_tokens: 800, decode_tokens: 100}
""",
    "ledger/p/configurations.yaml": "test: {title: Test, framework: tool, settings: {patience: 30, mode: greedy}}\n",
    "ledger/p/levers.yaml": """\
wait: {title: Wait longer, status: active, configuration: test, was: {patience: 10}, sets: {patience: 30},
  effect: waits, factor: 5x}
card: {title: Use a card, status: tested, measured_without: cpu, measured_with: gpu}
""",
    "ledger/p/figures.yaml": """\
reported: {title: Reported time, hours: 0.2-1, source: The paper}
loose: {title: Loose, gb: 3}
""",
    "ledger/p/texts.yaml": """\
first: {section: Note, text: On the first page.}
joined: {section: MEASURED, page: report, title: One text,
  text: 'A request takes {measurements.cpu.total_seconds.mean.use in min}.'}
brought: {section: After all, page: report, text: Brought along.}
""",
}
