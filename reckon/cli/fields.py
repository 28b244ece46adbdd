"""The fields of a run or a measurement as options of `add`: what each is called and what --help says of it."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping

from reckon.language.text import echoed
from reckon.model.figure import SUMMED

FLAGS: Mapping[str, tuple[str, str]] = {
    "item": ("ITEM", "the item of the plan that it belongs to"),
    "seed": ("SEED", "a seed of the project"),
    "date": ("DAY", "when it ended, as 2025-09-03 (default: today, where neither start nor end is given)"),
    "start": ("TIME", "as 2025-09-03T14:30"),
    "end": ("TIME", "as 2025-09-03T20:06"),
    "gpus": ("N", "GPUs held, over all nodes"),
    "wall_hours": ("HOURS", "hours they were held: 5.6, or '5 h 36 min'"),
    "gpu_hours": ("N", "what was charged, where that is known; it counts before GPUs times hours"),
    "gpu": ("CARD", "the GPU it ran on, if not the item's"),
    "status": ("WORD", "completed (if nothing is said), failed, timeout, out-of-memory, running …"),
    "progress": (
        "DONE/TOTAL",
        "work done of the work there is, as 3/5; a completed run that says nothing has done all of it",
    ),
    "run": ("NAME", "a name of your own"),
    "attempt": ("N", "which attempt of the run this is"),
    "job": ("ID", "the id that the scheduler gave it; the same one twice is refused"),
    **{field.name: ("N", field.asked) for field in sorted(SUMMED)},
    "utilisation": ("SHARE", "what was measured, as 85%%"),
    "kind": ("WORD", "measured, simulated, datasheet, reported or estimated"),
    "unplanned": ("", "the plan has no such item"),
    "note": ("TEXT", "a remark"),
    "source": ("TEXT", "where this comes from"),
}

MEASURED: Mapping[str, tuple[str, str]] = {
    "title": ("TEXT", "what was measured"),
    "kind": ("WORD", "measured, simulated, datasheet, reported or estimated"),
    "date": ("DAY", "when it was measured, as 2026-01-17"),
    "device": ("DEVICE", "a card or device of the catalogue, or one in words"),
    "gpus": ("N", "GPUs that it ran on"),
    "model": ("MODEL", "a model of the catalogue"),
    "dtype": ("FORMAT", "number format, as bf16"),
    "configuration": ("TEXT", "a configuration of the project, or one in words"),
    "row": ("WORD", "what one row is: request, step"),
    "notes": ("TEXT", "a remark"),
    "source": ("TEXT", "where this comes from"),
}


def progress(text: str) -> str:
    """Progress as two numbers with a slash, or the complaint that it is not."""
    from reckon.load.entry import progress_parts

    if progress_parts(text) is None:
        raise ArgumentTypeError(f"{echoed(text)!r} is no progress; write what is done and the whole, as 3/5")
    return text


def given(options: Namespace) -> dict[str, str]:
    """The fields that were given as options, as the ledger names them."""
    from reckon.load.entry import progress_parts

    found = {name: getattr(options, f"field_{name}") for name in FLAGS}
    stated = {name: text for name, text in found.items() if text is not None}
    done = stated.pop("progress", None)
    return {**stated, **(progress_parts(done) or {} if done else {})}
