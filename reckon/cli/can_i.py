"""`can-i`: whether a run fits the limits of a project, before it is submitted. It is tried as `add run --dry-run` tries
an entry of a running job; nothing is written."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence

from reckon.compute.book import Book
from reckon.compute.sheet.inputs import ratio_address
from reckon.language.quantity import ONE, decimal_text
from reckon.load.entry_edits import run_of
from reckon.load.run_format import DONE, TOTAL, EntryFields, EntryRow
from reckon.model.figure import use_at
from reckon.model.finding import Finding
from reckon.present.export import exact
from reckon.present.terminal.additions import describe_findings
from reckon.present.terminal.gate import HEADINGS, Effect, difference, effects, format_gate, notes, rows_of, verdict_of
from reckon.present.terminal.lines import lay_lines

from . import clock, prompts
from .add import try_entries
from .arguments import Parser, field_options, fields_of, format_option
from .books import load_sound_book
from .check import is_grave
from .output import FINDINGS, FINE, CommandError, say
from .transaction import asked_project

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
work. Without --progress the run gets done what its hours are planned for.
Exit code: 0 it fits, 3 it breaks a limit or policy of severity error, 2 bad input.

Example: budget can-i lora-sweep final-run --gpus 8 --wall-hours 12"""


def declare_can_i(parser: Parser) -> None:
    """The command line of `can-i`."""
    parser.does(can_i, None, EPILOG)
    parser.set_defaults(what="run", file=None)
    parser.option("project", "PROJECT", "the project")
    parser.option("item", "ITEM", "the item of the plan")
    field_options(parser, {name: prompts.FLAGS[name] for name in FIELDS}, {})
    parser.option("--card", "CARD", "same as --gpu", dest="field_gpu")
    words = "done and total of the task after the run, such as 3/5 (default: as planned)"
    parser.option("--progress", "DONE/TOTAL", words, type=prompts.progress_of, default={})
    parser.flag("--anyway", "answer for an implausible run too")
    format_option(parser, "text", "json")


def can_i(options: Namespace) -> int:
    """Says what a run would do to each limit of a project, and whether it may be submitted."""
    project_id = asked_project(options)
    today = clock.current_time()
    run: dict[str, str] = {"date": f"{today:%Y-%m-%d}", **fields_of(options, FIELDS)}
    run |= {"item": options.item, "status": "running"}
    before = load_sound_book(options.root)
    task = f"{project_id}.plan.{options.item}" + (f".seeds.{run['seed']}" if "seed" in run else "")
    run |= options.progress or _expected_progress(before, project_id, task, run)
    after = try_entries(options, before, project_id, [EntryRow(0, run)], today, options.anyway, {})[1]
    hours = difference(*(book.get(f"{project_id}.actual.total") for book in (after, before)))
    if hours and not hours.use:
        raise CommandError("the run takes 0 GPU-hours; give more GPUs and hours than zero")
    found = effects(before, after, project_id)
    verdict = verdict_of(found, _broken(before, after, project_id, found), hours)
    if options.format == "json":
        rows = [dict(zip(HEADINGS, row, strict=True)) for row in rows_of(found, lambda amount: exact(amount.use))]
        data = {"verdict": verdict[0], "reason": verdict[1], "entry": run, "limits": rows}
        say([json.dumps(data, ensure_ascii=False, indent=2)])
    else:
        lines = format_gate(verdict, found, notes(before, after, project_id, task, found))
        say(lay_lines([*lines, *describe_findings(before, after, project_id)]))
    return FINDINGS if verdict[0] == "No" else FINE


def _expected_progress(before: Book, project_id: str, task: str, run: EntryFields) -> EntryFields:
    """How much of its task is done after a run that gets as much done as is planned, as two fields; nothing where that
    is not known. The whole is as other runs of the item state it."""
    project, entry = before.projects[project_id], run_of(run)
    share, plan = (use_at(before.figures, f"{task}.{key}") for key in ("complete_share", "bac"))
    if entry is None or share is None or not plan:
        return {}
    ratio = use_at(before.figures, ratio_address(project.card_of(entry), project.gpu)) or ONE
    done = min(share + entry.charged_hours * ratio / plan, ONE)
    stated = project.rows.columns("item", "progress")
    total = next((progress.total for item, progress in stated if progress and item == entry.item), ONE)
    return {DONE: decimal_text(done * total, PLACES), TOTAL: decimal_text(total, PLACES)}


def _broken(before: Book, after: Book, project_id: str, found: Sequence[Effect]) -> list[Finding]:
    """The errors that a run makes, or makes larger."""
    project, known = after.projects[project_id], {each.id for each in before.findings[project_id]}
    known -= {f"limit-passed:{each.limit.subject}" for each in found if each.adds}
    return [each for each in after.findings[project_id] if each.id not in known and is_grave(each, "error", project)]
