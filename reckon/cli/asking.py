"""What a run still lacks: asked for on a terminal, with what the last run of the item suggests; told in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from reckon.language.phrases import some_of
from reckon.language.text import echoed

from .clock import MOMENTS
from .output import complain

if TYPE_CHECKING:
    from reckon.model.ledger import Ledger, ProjectLedger
    from reckon.model.records import Run

SCRATCH = "ledger/{}/runs/~.yaml"  # sorts behind every file that there can be
MOST_NAMED = 12


class Ended(Exception):
    """The answers came to an end before the questions did."""


def asks() -> bool:
    """Whether there is a person to ask: never where input or messages pass through a pipe."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def missing(fields: Mapping[str, str]) -> list[str]:
    """What a run cannot be written without, a line each."""
    told = [] if "item" in fields else ["--item is missing: the item of the plan that the run belongs to"]
    if "gpu_hours" not in fields:
        lacking = [flag for flag in ("gpus", "wall_hours") if flag not in fields]
        flags = " and ".join(f"--{flag.replace('_', '-')}" for flag in lacking)
        if lacking:
            told.append(f"{flags} {'is' if len(lacking) == 1 else 'are'} missing; or give --gpu-hours")
    return told


def completed(
    ledger: Ledger, project: str | None, fields: Mapping[str, str], now: datetime
) -> tuple[str, dict[str, str]]:
    """The project and the fields with what was answered. Asks nothing where nothing is missing. Raises Ended."""
    if project is None and ledger.projects:
        project = next(iter(ledger.projects)) if len(ledger.projects) == 1 else _project(ledger)
    one = ledger.projects.get(project or "")
    if one is None:  # the caller says so
        return project or "", dict(fields)
    found = dict(fields)
    if not missing(found) and not _seeds(one, found):
        return one.id, found
    return one.id, _Questions(ledger, one, found).all(now)


def _project(ledger: Ledger) -> str:
    names = list(ledger.projects)
    while (name := _line(f"Project ({some_of(names, MOST_NAMED)})")) not in names:
        complain(f"there is no project `{echoed(name)}`")
    return name


class _Questions:
    """The questions about one run; what is given already is not asked."""

    def __init__(self, ledger: Ledger, one: ProjectLedger, fields: dict[str, str]) -> None:
        self.ledger, self.one, self.fields = ledger, one, fields

    def all(self, now: datetime) -> dict[str, str]:
        """Asks for all that is not given, and gives the fields."""
        self.ask("item", f"Item ({some_of(self.one.items, MOST_NAMED)})")
        last = _last(self.one, self.fields["item"])
        if seeds := _seeds(self.one, self.fields):
            self.ask("seed", f"Seed ({some_of(seeds, MOST_NAMED)}; nothing for none)", "", optional=True)
        if not set(MOMENTS) & set(self.fields):
            self.ask("date", "Day", f"{now:%Y-%m-%d}")
        if last and last.gpu:
            self.ask("gpu", "GPU", last.gpu)
        self.hours(last)
        self.ask("status", "Status", "completed")
        self.ask("note", "Note (nothing for none)", "", optional=True)
        return self.fields

    def hours(self, last: Run | None) -> None:
        """Asks for GPUs and hours, or for the GPU-hours where the hours are not known."""
        if "gpu_hours" in self.fields:
            return
        self.ask("gpus", "GPUs held, over all nodes", str(last.gpus) if last and last.gpus is not None else "")
        self.ask("wall_hours", "Hours they were held (nothing to give GPU-hours instead)", "", optional=True)
        if "wall_hours" not in self.fields:
            self.ask("gpu_hours", "GPU-hours that were charged")

    def ask(self, name: str, question: str, default: str = "", optional: bool = False) -> None:
        """Asks for one field until the answer can stand in the ledger."""
        while name not in self.fields:
            answer = _line(question, default) or default
            if not answer and optional:
                return
            if said := self.wrong(name, answer):
                complain(*said)
            else:
                self.fields[name] = answer

    def wrong(self, name: str, answer: str) -> list[str]:
        """What the reader says of an answer."""
        from reckon.load.entry import written
        from reckon.load.reader import with_texts

        if not answer:
            return ["an answer is needed here"]
        known = {key: text for key, text in self.fields.items() if key in ("item", "unplanned")}
        line = written(known | {name: answer})
        _, problems = with_texts(self.ledger, self.one.id, {SCRATCH.format(self.one.id): line + "\n"})
        begin = line.find(f"{name}: ") + 1
        end = len(line) if name != "item" else begin + len(written({name: answer}))
        told = [one for one in problems if begin <= one.place.column <= end and one.place.file.endswith("~.yaml")]
        return [one.text for one in told]


def _seeds(one: ProjectLedger, fields: Mapping[str, str]) -> tuple[str, ...]:
    """The seeds to choose from, where the item counts by seed and none is named."""
    item = one.items.get(fields.get("item", ""))
    wanted = item is not None and item.scope == "per-seed" and "seed" not in fields
    return one.project.seeds.names if wanted and one.project.seeds else ()


def _last(one: ProjectLedger, item: str) -> Run | None:
    """The newest run of an item, by its day."""
    runs = [run for file in one.runs for run in file.runs if run.item == item]
    return max(runs, key=lambda run: str(run.date or run.end or run.start or ""), default=None)


def answer(question: str) -> str:
    """What is answered to a question that needs an answer. Raises Ended."""
    while not (said := _line(question)):
        complain("an answer is needed here")
    return said


def _line(question: str, default: str = "") -> str:
    """The answer to one question, without spaces around it."""
    from reckon.present.render.escape import terminal

    shown = f"{question} [{default}]: " if default else f"{question}: "
    print(terminal(shown), end="", file=sys.stderr, flush=True)
    try:
        answer = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\ufffd"
    if not answer:
        print(file=sys.stderr)
        raise Ended("the input ended; nothing was written")
    return answer.strip()
