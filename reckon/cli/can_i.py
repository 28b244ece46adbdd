"""`can-i`: whether a run fits the limits of a project, before it is submitted. It is tried as `add run --dry-run` tries
an entry of a running job; nothing is written."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Collection, Sequence

from reckon.compute.book import Book
from reckon.compute.sheet.inputs import ratio_address
from reckon.language.quantity import ONE, decimal_text
from reckon.language.text import Text, plural
from reckon.load.entry_edits import run_of
from reckon.load.run_format import DONE, TOTAL, EntryFields, EntryRow
from reckon.model.figure import is_known, planned, use_at
from reckon.model.finding import SEVERITIES, Finding
from reckon.model.ledger import ProjectLedger
from reckon.present.terminal.gate import (
    Effect,
    describe_dates,
    describe_payer,
    describe_progress,
    describe_promised,
    difference,
    effects,
    format_gate,
    gate_data,
)

from . import clock, prompts
from .add import try_entries
from .arguments import Parser, field_options, fields_of
from .books import load_sound_book
from .check import is_grave
from .output import FINDINGS, FINE, INVALID, CommandError, program, say
from .transaction import known_project

FIELDS = (
    "gpus",
    "wall_hours",
    "gpu_hours",
    "seed",
    "gpu",
    "allocation",
    "price",
    "qos",
    "partition",
    "date",
    "unplanned",
)
"""The fields of a run that are known before it begins."""
PLACES = 4
EPILOG = """\
Run it before `sbatch`; it writes nothing. P50 and P90 are what is left at the end of all
work. Without --progress the run continues at the rate of its task, or as planned.
Exit code: 0 it fits, 3 it breaks a limit or policy of severity error, 2 bad input or
an unknown number.

Example: budget can-i lora-sweep final-run --gpus 8 --wall-hours 12"""
EXIT_CODES = {"yes": FINE, "yes, but": FINE, "no": FINDINGS, "unknown": INVALID}


def declare_can_i(parser: Parser) -> None:
    """The command line of `can-i`."""
    parser.does(can_i, None, EPILOG)
    parser.set_defaults(what="run", file=None)
    parser.option("project", "PROJECT", "the project")
    parser.option("item", "ITEM", "the item of the plan")
    field_options(parser, {name: prompts.FLAGS[name] for name in FIELDS}, {})
    parser.option("--card", "CARD", "same as --gpu", dest="field_gpu")
    words = "done and total of the task after the run, such as 3/5 (default: at its rate so far)"
    parser.option("--progress", "DONE/TOTAL", words, type=prompts.progress_of, default={})
    parser.flag("--anyway", "answer for an implausible run too")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")


def can_i(options: Namespace) -> int:
    """Says what a run would do to each limit of a project, and whether it may be submitted."""
    project_id = known_project(options.root, options.project)
    today = clock.current_time()
    run: dict[str, str] = {"date": f"{today:%Y-%m-%d}", **fields_of(options, dict.fromkeys(FIELDS))}
    run |= {"item": options.item, "status": "running", **options.progress}
    if lacking := prompts.missing(run):
        raise CommandError(*lacking)
    before = load_sound_book(options.root)
    project, task = before.projects[project_id], _address_of_task(before, project_id, run)
    assumed = {} if options.progress else _expected_progress(before, project, task, run)
    run |= assumed
    after = try_entries(options, before, project_id, [EntryRow(0, run)], today, options.anyway)[1]
    was, now = (book.get(f"{task}.complete_share") for book in (before, after))
    spent = f"{project_id}.actual.total"
    hours = difference(after.get(spent), before.get(spent))
    if hours and not hours.use:
        raise CommandError("the run takes 0 GPU-hours; give more GPUs and hours than zero")
    notes = [describe_payer(after, project_id, run), describe_progress(was, now, bool(assumed))]
    notes += [*describe_promised(before, project_id), *describe_dates(before, after, project_id)]
    found = effects(before, after, project_id, options.item)
    quiet = ("accept-stale", *(["attempts-out-of-order"] if assumed else []))
    broken, new, open_ = _sort_findings(before, after, project_id, found, quiet)
    if open_:
        notes.append((f"Open before it: {plural(open_, 'error')}; `{program()} check {project_id}` lists them.",))
    data = gate_data(project_id, run, hours, found, broken, new, notes)
    if options.format == "json":
        say([json.dumps(data, ensure_ascii=False, indent=2)])
    else:
        say(format_gate(data, found))
    return EXIT_CODES[data["verdict"]]


def _address_of_task(book: Book, project_id: str, run: EntryFields) -> str:
    """The address of the item of a run, or of its seed where the item counts by seed; empty where there is neither."""
    item = book.projects[project_id].items.get(run["item"])
    at = f"{project_id}.plan.{run['item']}"
    if item is None or item.scope != "per-seed":
        return at if item else ""
    return f"{at}.seeds.{run['seed']}" if "seed" in run else ""


def _expected_progress(before: Book, project: ProjectLedger, task: str, run: EntryFields) -> dict[str, str]:
    """How much of its task is done after a run, as two fields: at the hours that the task took so far for what is done,
    or else at the hours of its plan; nothing where that is not known."""
    share, spent, lost, plan = before.get_all(task, "complete_share", "actual", "waste", "bac")
    entry, card = run_of(run), project.card_on(run["item"], Text(run["gpu"]) if "gpu" in run else None)
    ratio = ONE if card == project.gpu else use_at(before.figures, ratio_address(card, project.gpu))
    if not (entry and ratio and is_known(share) and is_known(plan)) or share.use is None:
        return {}
    useful = planned(spent) - planned(lost)
    whole = useful / share.use if share.use and useful > 0 else plan.use
    if not whole:
        return {}
    done = min(share.use + entry.charged_hours * ratio / whole, ONE)
    stated = (one.progress for file in project.runs for one in file.runs if one.item == run["item"] and one.progress)
    total = next((progress.total for progress in stated), ONE)
    return {DONE: decimal_text(done * total, PLACES), TOTAL: decimal_text(total, PLACES)}


def _sort_findings(
    before: Book, after: Book, project_id: str, found: Sequence[Effect], quiet: Collection[str]
) -> tuple[list[Finding], list[Finding], int]:
    """The errors that a run makes, or makes larger; all findings that are new, most severe first; and how many errors
    it leaves as they were. Findings of `quiet` rules say nothing of a run."""
    known = {finding.id for finding in before.findings[project_id]}
    every = sorted(after.findings[project_id], key=lambda finding: SEVERITIES.index(finding.severity))
    larger = {f"limit-passed:{effect.limit.subject}" for effect in found if effect.adds}
    errors = [finding for finding in every if is_grave(finding, "error", after.projects[project_id])]
    broken = [finding for finding in errors if finding.id not in known or finding.id in larger]
    new = [finding for finding in every if finding.id not in known and finding.rule not in quiet]
    return broken, new, len(errors) - len(broken)
