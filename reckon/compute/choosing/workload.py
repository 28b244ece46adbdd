"""What is to be said of a piece of work beside its setups: what it is, in words; and where more GPUs save no time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil

from reckon.language.quantity import ONE
from reckon.language.units import HOURS, key_unit
from reckon.model import records as r
from reckon.model.figure import Figures, operands
from reckon.model.finding import Sentence, say
from reckon.model.ledger import Ledger

from .runs import AT_ONCE, RELATIVE
from .setups import Choice, title_of

OF_WORKLOAD, OF_CATALOG = "of the workload", "of counts_as in the catalogue"
"""What the relative speed of a card can come from."""


def told_runs(figures: Figures, ledger: Ledger, at: str, work: r.Workload) -> Sentence:
    """Work in runs in words: `60 runs of 0.75 h on NVIDIA RTX 4090 and 10 min each`; the workload is at `at`."""
    gpus = figures[f"{at}.gpus_per_run"].use or ONE
    card = title_of(ledger, Choice("", str(work.baseline), int(gpus), at))
    hours, fixed = figures.get(f"{at}.hours_per_run"), figures.get(f"{at}.overhead_minutes_per_run")
    runs = figures[f"{at}.runs"]
    told = say("runs, how many is not known,") if runs.missing else say("{runs}", runs=runs)
    told += say(" of {hours} on {card}", hours=replace(hours, unit=HOURS), card=card) if hours else ()
    return told + (say(" and {fixed} each", fixed=replace(fixed, unit=key_unit("minutes"))) if fixed else ())


def speeds_of(figures: Figures, choices: Iterable[Choice]) -> dict[str, str]:
    """Where the relative speed of each card is stated, by card; cards without one and the baseline are left out."""
    known = ((choice.card, figures.get(f"{choice.at}.{RELATIVE}")) for choice in choices)
    return {card: source.address for card, figure in known if figure for source in operands(figure)}


def speed_sources(speeds: Mapping[str, str]) -> list[str]:
    """The kinds of places in which relative speeds are stated, each once: the workload, ratios of the catalogue."""
    found = (OF_CATALOG if address.startswith("catalog.") else OF_WORKLOAD for address in speeds.values())
    return sorted(set(found), reverse=True)


def caveats(figures: Figures, at: str, work: r.Workload, choices: Iterable[Choice]) -> Iterator[Sentence]:
    """Where GPUs of some setups save no time, and why; and that idle ones are paid. The workload is at `at`."""
    some = list(choices)
    most = max((choice.gpus for choice in some), default=0)
    if work.runs is None:
        models = figures[f"{at}.models"].use
        if models is not None and ceil(models) < most:
            yield _unshared(ceil(models))
        return
    runs, each = figures[f"{at}.runs"].use, figures[f"{at}.gpus_per_run"].use
    if runs is None or each is None:
        return
    enough = ceil(runs) * each
    if enough < most:
        why = "there is only one run, and runs are not split" if runs <= 1 else "they have room for all runs at a time"
        yield say(f"More than {_gpus(enough)} no time: {why}.")
    if any(_idle(figures, choice, runs, each) for choice in some):
        yield say("All GPUs of a setup are paid for all of its time, also those that are without a run for part of it.")


def _unshared(models: int) -> Sentence:
    right = "Say it with `models`, or state the work in `runs`."
    if models == 1:
        return say(f"More than one GPU saves no time: the ledger does not say that the work can be shared out. {right}")
    return say(f"More than {_gpus(Fraction(models))} no time: the work is shared out among {models:,} `models`.")


def _gpus(count: Fraction) -> str:
    return "one GPU saves" if count == 1 else f"{int(count):,} GPUs save"


def _idle(figures: Figures, choice: Choice, runs: Fraction, each: Fraction) -> bool:
    """Whether a setup has GPUs without a run at some time, as planned."""
    at_once = figures[f"{choice.at}.{AT_ONCE}"].use
    return at_once is not None and at_once > 0 and (choice.gpus % each != 0 or ceil(runs) % at_once != 0)
