"""The fields of a run, as `add run` takes them: as options, or asked for on a terminal, where those leave any out.

A question suggests what the last run of the item says. In a pipe nothing is asked: what is missing is told there.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from reckon.compute.audit.progress import leaves_unsaid
from reckon.compute.book import Book
from reckon.compute.budget.payers import PayerRules
from reckon.compute.calculation import calculate
from reckon.language.calendar_days import last_day
from reckon.language.text import Text, echoed, some_of
from reckon.load.reader import with_texts
from reckon.load.run_format import DONE, EntryFields, progress_parts, written
from reckon.model.figure import COSTS, QUEUED, SUMMED
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import NOBODY, Run
from reckon.present.render.escape import terminal

from .arguments import fields_of, wrong_argument
from .clock import MOMENTS
from .output import CommandError, complain

SCRATCH = "ledger/{}/runs/~.yaml"  # sorts behind every file that there can be
MOST_NAMED = 12
FLAGS = {
    "item": ("ITEM", "item of the plan"),
    "seed": ("SEED", "seed of the project"),
    "date": ("DAY", "day it ended, such as 2025-09-03 (default: today)"),
    "start": ("TIME", "start, such as 2025-09-03T14:30"),
    "end": ("TIME", "end, such as 2025-09-03T20:06"),
    "gpus": ("N", "GPUs held, over all nodes"),
    "wall_hours": ("HOURS", "wall-clock hours: 5.6, or '5 h 36 min'"),
    "gpu_hours": ("N", "GPU-hours charged, if known, instead of GPUs × hours"),
    "gpu": ("CARD", "GPU it ran on (default: the item's)"),
    "allocation": ("ID", "allocation that pays, or none (default: the item's)"),
    "charged": ("N", "what its payer charged, in the payer's unit"),
    "limit_hours": ("HOURS", "time limit of a running or queued job"),
    "qos": ("WORD", "quality of service, if its payer charges by it"),
    "partition": ("WORD", "partition, if its payer charges by it"),
    "price": ("ID", "price list (default: the item's)"),
    "status": ("WORD", "completed (default), failed, timeout, out-of-memory, running …"),
    "progress": (
        "DONE/TOTAL",
        "done and total, such as 3/5 (default: all, if completed near its planned hours)",
    ),
    "run": ("NAME", "a name you choose"),
    "attempt": ("N", "number of the attempt"),
    "job": ("ID", "job id from the scheduler"),
    **{field.name: ("N", field.asked) for field in sorted(SUMMED)},
    "peak_gib": ("GIB", "peak memory on one GPU"),
    "energy_of": ("WORD", "scope of the energy: machine (default) or facility"),
    "watts": ("N", "power of each GPU (default: its board power)"),
    "pue": ("N", "PUE where it ran (default: the project's)"),
    "grid": ("GRID", "electricity grid (default: the project's)"),
    "utilisation": ("SHARE", "measured utilisation, such as 85%%"),
    "kind": ("WORD", "measured, simulated, datasheet, reported or estimated"),
    "unplanned": ("", "the item is not in the plan"),
    "note": ("TEXT", "a note"),
    "source": ("TEXT", "source of the numbers"),
}
"""What each field is called as an option, and what --help says of it."""


def progress_of(text: str) -> Mapping[str, str]:
    """The two parts of progress, or the complaint that it is not two numbers with a slash."""
    parts = progress_parts(text)
    if parts is None:
        raise wrong_argument(text, "is not a progress; write done and total, such as 3/5")
    return parts


def read_given_fields(options: Namespace) -> dict[str, str]:
    """The fields that were given as options, as the ledger names them."""
    found: dict[str, Any] = fields_of(options, FLAGS)
    parts = found.pop("progress", {})
    return {**found, **parts}


def parent_field(name: str) -> str:
    """The field that a text is a part of: `progress.done` is one of `progress`."""
    return name.partition(".")[0]


def asks() -> bool:
    """Whether there is a person to ask: never where input or messages pass through a pipe."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def missing(fields: EntryFields) -> list[str]:
    """What a run cannot be written without, a line each."""
    told = [] if "item" in fields else ["--item is missing: the item of the plan"]
    if fields.get("status") == QUEUED:
        lacking = [f"--{flag.replace('_', '-')}" for flag in ("gpus", "limit_hours") if flag not in fields]
        told += [f"{flag} is missing: what the queued job reserves" for flag in lacking]
    elif "gpu_hours" not in fields and {*COSTS}.isdisjoint(fields):
        lacking = [flag for flag in ("gpus", "wall_hours") if flag not in fields]
        flags = " and ".join(f"--{flag.replace('_', '-')}" for flag in lacking)
        if lacking:
            told.append(f"{flags} {'is' if len(lacking) == 1 else 'are'} missing; or give --gpu-hours")
    return told


def completed(ledger: Ledger, project_id: str | None, fields: EntryFields, now: datetime) -> tuple[str, dict[str, str]]:
    """The id of the project, and the fields with what was answered. Asks only where something is missing.

    Raises CommandError where the answers end before the questions do.
    """
    if project_id is None and ledger.projects:
        project_id = next(iter(ledger.projects)) if len(ledger.projects) == 1 else _project_id(ledger)
    project, found = ledger.projects.get(project_id or ""), dict(fields)
    if project is None:  # the caller says so
        return project_id or "", found
    if not missing(found) and not _seeds(project, found) and not _payers(ledger, project, found):
        return project.id, found
    return project.id, _Questions(ledger, project, found).all(now)


def with_progress(book: Book, project_id: str | None, fields: dict[str, str]) -> dict[str, str]:
    """The fields, with how much is done where the run would not tell it, which is asked. Raises CommandError."""
    project = book.projects.get(project_id or "")
    item = project.items.get(fields.get("item", "")) if project else None
    if not (project and item) or missing(fields) or DONE in fields or "unplanned" in fields:
        return fields
    ledger, problems = with_texts(book.ledger, project.id, {SCRATCH.format(project.id): written(fields) + "\n"})
    after, more = calculate(ledger)
    seed = f".seeds.{fields['seed']}" if "seed" in fields and item.scope == "per-seed" else ""
    share = after.get(f"{project.id}.plan.{fields['item']}{seed}.complete_share")
    status = fields.get("status", "completed")
    if problems or more or share is None or not leaves_unsaid(share, status):
        return fields
    whole = f"run {fields['run']}" if "run" in fields else "the task"
    question = f"Done of {whole}, such as 3/5 (1/1 if finished; Enter if unknown)"
    if status == "running":
        question = f"Done so far of {whole}, such as 3/5 (Enter if unknown)"
    while said := _line(question):
        if parts := progress_parts(said):
            return fields | parts
        complain(f"`{echoed(said)}` is not a progress; write done and total, such as 3/5")
    return fields


def _project_id(ledger: Ledger) -> str:
    names = list(ledger.projects)
    while (name := _line(f"Project ({some_of(names, MOST_NAMED)})")) not in names:
        complain(f"there is no project `{echoed(name)}`")
    return name


class _Questions(NamedTuple):
    """The questions about one run; what is given already is not asked."""

    ledger: Ledger
    project: ProjectLedger
    fields: dict[str, str]

    def all(self, now: datetime) -> dict[str, str]:
        """Asks for all that is not given, and gives the fields."""
        self.ask("item", f"Item ({some_of(self.project.items, MOST_NAMED)})")
        last = _last(self.project, self.fields["item"])
        if seeds := _seeds(self.project, self.fields):
            self.ask("seed", f"Seed ({some_of(seeds, MOST_NAMED)}; Enter for none)", "", optional=True)
        if set(MOMENTS).isdisjoint(self.fields):
            self.ask("date", "Day", f"{now:%Y-%m-%d}")
        if len(cards := _cards(self.project)) > 1:
            own = last.gpu if last and last.gpu else self.project.card_on(self.fields["item"], None)
            self.ask("gpu", f"GPU ({some_of(cards, MOST_NAMED)})", own)
        if payers := _payers(self.ledger, self.project, self.fields):
            self.ask("allocation", f"Who pays ({some_of([*payers, NOBODY], MOST_NAMED)})")
        self.hours(last)
        self.ask("status", "Status", "completed")
        self.ask("note", "Note (Enter for none)", "", optional=True)
        return self.fields

    def hours(self, last: Run | None) -> None:
        """Asks for GPUs and hours, or for the GPU-hours where the hours are not known."""
        if "gpu_hours" in self.fields:
            return
        self.ask("gpus", "GPUs held, over all nodes", str(last.gpus) if last and last.gpus is not None else "")
        self.ask("wall_hours", "Wall-clock hours (Enter to give GPU-hours instead)", "", optional=True)
        if "wall_hours" not in self.fields:
            self.ask("gpu_hours", "GPU-hours charged")

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
        if not answer:
            return ["enter a value"]
        known = {key: text for key, text in self.fields.items() if key in ("item", "unplanned")}
        line = written(known | {name: answer})
        _, problems = with_texts(self.ledger, self.project.id, {SCRATCH.format(self.project.id): line + "\n"})
        begin = line.find(f"{name}: ") + 1
        end = len(line) if name != "item" else begin + len(written({name: answer}))
        ours = [problem for problem in problems if problem.place.file.endswith("~.yaml")]
        return [problem.text for problem in ours if begin <= problem.place.column <= end]


def _seeds(project: ProjectLedger, fields: EntryFields) -> tuple[str, ...]:
    """The seeds to choose from, where the item counts by seed and none is named."""
    item = project.items.get(fields.get("item", ""))
    wanted = item is not None and item.scope == "per-seed" and "seed" not in fields
    return project.seeds if wanted else ()


def _cards(project: ProjectLedger) -> list[str]:
    """The cards that the project plans on or has run on, its own first."""
    planned = (item.gpu for item in project.items.values() if item.gpu)
    ran = sorted(str(card) for card in project.rows.values("gpu") if card)
    return list(dict.fromkeys([project.project.gpu, *planned, *ran]))


def _payers(ledger: Ledger, project: ProjectLedger, fields: Mapping[str, str]) -> tuple[str, ...]:
    """Who could pay for a run of which nothing says who does; none where that is known, or its item or card is not."""
    item, card = fields.get("item", ""), fields.get("gpu")
    if "allocation" in fields or project.named("allocation", item) or item not in project.items:
        return ()
    try:
        day = next((last_day(fields[moment][:10]) for moment in reversed(MOMENTS) if moment in fields), 0)
    except ValueError:  # what is no date is refused where the run is read
        day = 0
    used = project.card_on(item, Text(card) if card else None)
    budgeted = not project.items[item].currency
    payers = PayerRules(ledger, project).payers("", used, day, budgeted)
    return payers if len(payers) > 1 else ()


def _last(project: ProjectLedger, item: str) -> Run | None:
    """The newest run of an item, by its day."""
    runs = [run for run in project.rows if run.item == item]
    return max(runs, key=lambda run: str(run.date or run.end or run.start or ""), default=None)


def answer(question: str) -> str:
    """What is answered to a question that needs an answer. Raises CommandError."""
    while not (said := _line(question)):
        complain("enter a value")
    return said


def agreed() -> bool:
    """Whether what is doubtful is to be written; no is what is suggested. Raises CommandError."""
    return _line("Write it anyway? yes or no", "no").lower() in ("y", "yes")


def _line(question: str, default: str = "") -> str:
    """The answer to one question, without spaces around it."""
    shown = f"{question} (Enter for {default}): " if default else f"{question}: "
    print(terminal(shown), end="", file=sys.stderr, flush=True)
    try:
        answer = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\ufffd"
    if not answer:
        print(file=sys.stderr)
        raise CommandError("the input ended; nothing written")
    return answer.strip()
