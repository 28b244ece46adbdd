"""A page of each kind, as tests and pictures of the site take them."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

KINDS = {
    "first": "",
    "budget": "pixelis/",
    "budget by phase": "bloom-176b/",
    "status, all done": "bloom-176b/status/",
    "all runs": "bloom-176b/runs/",
    "lines": "pixelis/lines/",
    "proposals": "pixelis/proposals/",
    "what if": "pixelis/what-if/",
    "findings": "pixelis/findings/",
    "derivations": "micro-benchmark/derivations/",
    "setups": "phase2-collection/setups/",
    "choice": "phase2-collection/",
    "stated figures": "phase2-collection/findings/",
    "measurements": "arpo/gpu-estimates/",
    "details of measurements": "arpo/cpu-details/",
    "feasibility": "grpo-gsm8k/feasibility/",
    "details of configurations": "grpo-gsm8k/details/",
    "catalogue": "catalog/",
    "guide": "guide/plan/",
    "commands": "guide/commands/",
    "plan and use": "birdsong/",
    "status": "birdsong/status/",
    "runs": "birdsong/attempts/",
    "costs": "birdsong/costs/",
    "all runs, with notes": "birdsong/runs/",
    "what if, other GPUs": "birdsong/what-if/",
    "history": "birdsong/history/",
    "releases": "birdsong/releases/",
    "release": "birdsong/releases/0.2.0/",
    "ledger lines": "birdsong/lines/",
    "derivations of a release": "birdsong/releases/0.1.0/derivations/",
}
"""Kinds of pages, each with the path of a page of the site."""

WIDTHS = (390, 768, 1440)
"""Widths of screens, in CSS pixels: a telephone, a tablet held upright, a small desk."""

SCHEMES = ("light", "dark")
