"""Whether what the runs say of the work done can be read, and whether it agrees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reckon.language.quantity import ONE
from reckon.language.units import PLAIN
from reckon.model.figure import USEFUL, Figure, Worked, operands
from reckon.model.finding import Finding, Findings, Sentence, make_finding, say
from reckon.model.ledger import ProjectLedger
from reckon.model.records import Item, Run

from ..book import Book
from ..budget.attempts import RUNNING, SEEDLESS, UNCOUNTED
from .common import counted, hours_of, ratio

MOST_APART = 2
MOST_PLACES = 20


def progress_unknown(project: ProjectLedger, book: Book) -> Findings:
    """Items of which it is not known how much is done: since the hours of completed runs that say nothing do not suit
    the plan of their piece; or since progress, the number of runs, or a seed is left unsaid."""
    rows = project.rows
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        shares = _shares(book, at, project)
        if unsuited := [share for share in shares if undecided(share)]:
            plan, hours = operands(unsuited[0])
            text = "the longest completed run took {hours}, its piece of work is planned at {plan}"
            told = say(text, hours=hours, plan=plan) + _further(len(unsuited) - 1)
            lines = (unsuited[0].place, item.place)
            yield make_finding("progress-unknown", at, item.title, told, places=lines, evidence="plan")
        said = {_why(share) for share in (*shares, book.get(f"{at}.complete_share")) if share}
        why = next((why for why in UNSAID if why in said), None)
        if why:
            columns = enumerate(zip(rows.column("item"), rows.column("status"), strict=True))
            runs = [rows.run(number) for number, (own, status) in columns if own == name and status in USEFUL]
            silent = [run for run in runs if _is_silent(run, why)]
            yield _unsaid(at, item, why, silent, ", ".join(project.seeds))


def _is_silent(run: Run, why: str) -> bool:
    """Whether a run that is completed or running leaves unsaid how much is done, for such a reason."""
    if why == SEEDLESS:
        return run.seed is None
    return run.progress is None and run.status == ("running" if why == RUNNING else "completed")


class Unsaid(NamedTuple):
    """What is left unsaid: the title of an item, what one run and what several do, and what to write."""

    title: str
    one: str
    many: str
    remedy: str


UNKNOWN = "{title}: it is not known how much is done"
UNSAID = {
    SEEDLESS: Unsaid(
        "{title}: runs name no seed, so it is not known how much is done",
        "{many} run with {hours} names no seed",
        "{many} runs with {hours} name no seed",
        "Write the `seed` of the run ({seeds}). What serves all seeds belongs under an item of its own, of "
        "`scope: one-time`.",
    ),
    UNCOUNTED: Unsaid(
        UNKNOWN,
        "{many} run with {hours} is completed and finishes a run; of how many is not said",
        "{many} runs with {hours} are completed and finish a run each; of how many is not said",
        "Write `runs:` on the item, `finishes: piece` if a completed run is all of a piece of work, or the `progress` "
        "of the run.",
    ),
    RUNNING: Unsaid(
        UNKNOWN,
        "{many} run with {hours} is running and states no progress",
        "{many} runs with {hours} are running and state no progress",
        "Write what is done of the whole: `--progress 3/5` of `update run`, `progress: {done: 3, total: 5}` in the "
        "entry. It is known anyway once the run has ended with hours near its plan.",
    ),
}


def _unsaid(at: str, item: Item, why: str, runs: Sequence[Run], seeds: str) -> Finding:
    """The finding for an item of which these runs do not tell how much is done."""
    unsaid = UNSAID[why]
    many = sum(run.many for run in runs)
    told = unsaid.one if many == 1 else unsaid.many
    return make_finding(
        "progress-unknown",
        at,
        say(unsaid.title, title=item.title),
        say(told, many=counted(many), hours=hours_of(runs)),
        remedy=unsaid.remedy.replace("{seeds}", seeds),
        places=(*(run.place for run in runs[:MOST_PLACES]), item.place),
        evidence="unsaid",
        is_mild=why == RUNNING,
    )


def progress_against_runs(project: ProjectLedger, book: Book) -> Findings:
    """Items whose stated progress and whose completed runs tell different shares."""
    for name, item in project.items.items():
        at = f"{project.id}.plan.{name}"
        apart = [each for share in _shares(book, at, project) for each in _apart(book, share)] if item.runs else []
        if apart:
            yield make_finding(
                "progress-against-runs",
                at,
                item.title,
                say("stated is {share}, and {done} of {runs} are {counted}", runs=book[f"{at}.runs"], **apart[0])
                + _further(len(apart) - 1),
                places=(apart[0]["share"].place, item.place),
            )


def _shares(book: Book, at: str, project: ProjectLedger) -> list[Figure]:
    """The shares of an item's pieces of work that are done."""
    inner = [f"{at}.seeds.{seed}" for seed in project.seeds]
    found = [book.get(f"{part}.complete_share") for part in inner]
    pieces = [share for share in found if share]
    whole = book.get(f"{at}.complete_share")
    return pieces or ([whole] if whole else [])


def _why(share: Figure) -> str:
    """Why a share is not known, as it was worked out; empty where it is known."""
    return share.origin.how if share.use is None and isinstance(share.origin, Worked) else ""


def undecided(share: Figure) -> bool:
    """Whether a share is not known because completed runs do not suit the plan: then it rests on both."""
    return share.use is None and isinstance(share.origin, Worked) and len(share.origin.operands) > 1


def leaves_unsaid(share: Figure, status: str) -> bool:
    """Whether a run with such a status leaves it unsaid so that the share of its piece of work is not known."""
    if status == "completed" and undecided(share):
        return True
    return (status, _why(share)) in (("running", RUNNING), ("completed", UNCOUNTED))


def _apart(book: Book, share: Figure) -> Iterator[dict[str, Figure]]:
    """Stated progress, what completed runs come to, and these, where the first two are far apart."""
    at = share.address.removesuffix(".complete_share")
    done = book.get(f"{at}.runs_done")
    runs = book.quoted(at, "runs")
    counted = ratio(done, runs, PLAIN, "%") if done and done.use and runs else None
    if done and counted and counted.use is not None and share.use is not None and isinstance(share.origin, Worked):
        low, high = sorted((share.use, min(counted.use, ONE)))
        if high > MOST_APART * low or low < high == 1:
            yield {"share": share, "counted": counted, "done": done}


def _further(more: int) -> Sentence:
    """That so many seeds more are the same; nothing if none is."""
    return say("; the same of {many} more", many=counted(more)) if more > 0 else ()
