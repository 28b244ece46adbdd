"""Exports of schedulers for tests: samples of real clusters, rows made up by hand, and what a source makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from reckon.load.importers import merging, sacct, taking
from reckon.load.importers.assignment import Rules
from reckon.load.importers.job_records import StoredJob, jobs_of
from reckon.load.importers.lockfile import digests_of, lock_lines
from reckon.load.importers.taking import Taken
from reckon.load.importers.tally import HEADER, RUNS
from reckon.load.validate import validate
from reckon.load.yaml_nodes import read_tree
from reckon.model import release
from reckon.model.finding import Problem
from reckon.model.ledger import ProjectLedger
from reckon.model.records import ImportLock, ImportSource, Project, Run
from reckon.model.runs import RunFile
from tests.small import plant

SAMPLES = Path(__file__).parent / "load" / "importers" / "samples"
ITEMS = ("data", "rft", "sft", "evaluation", "svd")
SEEDS = ("1", "2", "3")
DUMPS = tuple(f"fromage-{number}.json" for number in range(1, 6))
CARDS = "{a100: a100-40gb, a100_80: a100-80gb, l40s: l40s, a40: a40, rtx30: rtx-3090, v100: v100, untyped: a100-40gb}"
FOX_COLUMNS = (
    "[JobIDRaw, JobID, User, Account, State, Start, End, AveCPU, AveDiskRead, AveDiskWrite, AveRSS, AveVMSize, "
    "ElapsedRaw, ExitCode, Layout, MaxRSS, MaxVMSize, MinCPU, ReqCPUS, ReqMem, ReqNodes, Reservation, Submit, "
    "Suspended, SystemCPU, TimelimitRaw, UserCPU, NodeList, Partition, AllocTRES, Priority, JobName]"
)
HABROK_COLUMNS = (
    "[JobID, JobName, User, Partition, NodeList, NNodes, NCPUS, NTasks, State, Submit, Start, End, Timelimit, Elapsed, "
    f"{', '.join(f'C{number}' for number in range(14, 21))}, ReqTRES, AllocTRES, "
    f"{', '.join(f'C{number}' for number in range(23, 38))}]"
)
RULES = r"""
  rules:
    transcription: {when: {account: ac10009, name: '(?P<run>nsk|uio|vms)-transcription-job'}, item: data}
    llama:         {when: {name: '[a-z]+_lla(?P<seed>\d+)'}, item: rft}
    preprocess:    {when: {name: preprocess}, split: {sft: 50%, rft: 50%}}
    stages:        {when: {name: '(?P<item>eval|generate|embed|finetune)'}, items: {eval: evaluation, generate: rft, embed: svd, finetune: sft}}
    notebooks:     {when: {name: 'OOD .*|interactive|tunnel'}, item: interactive, unplanned: true}
    elsewhere:     {when: {account: 'ac2.*'}, ignore: charged to another grant}
"""  # noqa: E501
MORE_RULES = r"""    normal:        {when: {account: ac10010, name: humit-normvariasjon}, item: data}
    stage:         {when: {account: ac10001, name: 'benchmark_up_to_stage(\d+)'}, item: evaluation}
"""
FOX = f"""\
fox:
  title: Fox
  format: sacct
  timezone: Europe/Oslo
  columns: {FOX_COLUMNS}
  cards: {CARDS}
{RULES}{MORE_RULES}"""
MIG = "  gpus:\n    mig: {when: {partition: mig}, if: untyped, share: 1/7, card: a100-40gb}\n"
HABROK = f"""\
habrok:
  format: sacct
  timezone: Europe/Amsterdam
  columns: {HABROK_COLUMNS}
  cards: {CARDS}
"""
CEDAR = f"cedar:\n  format: sacct-json\n  cards: {CARDS}\n{RULES}"
FROMAGE = f"fromage:\n  format: sacct-json\n  cards: {CARDS}\n{RULES}"
CARBON = """\
carbon:
  format: codecarbon
  timezone: Europe/Paris
  rules:
    all: {when: {name: 'code.*'}, item: data}
"""
BILL = """\
bill:
  format: focus
  rules:
    prod: {when: {service: 'Amazon Elastic Compute Cloud', tags: '(.*,)?environment=prod(,.*)?'}, item: data}
    net: {when: {account: 'Atlas .*', name: 'Amazon Virtual Private Cloud'}, item: sft}
    store: {when: {name: '.*(Storage|Key).*'}, ignore: paid by the department}
"""
HAND = "hand:\n  format: sacct\n  timezone: UTC\n  cards: {a100: a100-40gb, l40s: l40s, untyped: a100-40gb}\n"
"""A source for rows that are made up by hand, with the columns of `HEAD`."""
HEAD = sacct.EXPORT.rpartition(" ")[2].split(",")
JOB = {
    "JobIDRaw": "7",
    "Submit": "2025-03-01T09:00:00",
    "Start": "2025-03-01T10:00:00",
    "End": "2025-03-01T11:00:00",
    "State": "COMPLETED",
    "ElapsedRaw": "3600",
    "AllocTRES": "cpu=8,gres/gpu:a100=2,gres/gpu=2,node=1",
    "JobName": "train",
    "Partition": "accel",
}


def sample(name: str) -> bytes:
    """The bytes of a sample."""
    return (SAMPLES / name).read_bytes()


def export(*rows: dict[str, str], sign: str = "|", head: Iterable[str] = HEAD) -> bytes:
    """An export with a header, a line for each row: what it does not say is as in `JOB`."""
    names = list(head)
    lines = [sign.join(names)]
    for row in rows:
        cells = {"JobID": row.get("JobIDRaw", JOB["JobIDRaw"]), **JOB, **row}
        lines.append(sign.join(cells.get(name, "") for name in names))
    return ("\n".join(lines) + "\n").encode()


def source_of(text: str) -> tuple[str, ImportSource]:
    """The source that a file of sources states, with its name."""
    problems: list[Problem] = []
    tree = read_tree(text, "imports.yaml", problems)
    (name,) = tree
    found = validate(ImportSource, tree[name], problems, problems.append)
    assert found is not None, [str(problem) for problem in problems]
    assert problems == []
    return str(name), found


def begun(text: str, before: Iterable[StoredJob] = ()) -> Taken:
    """A source of which nothing was imported but what is named."""
    name, source = source_of(text)
    return Taken(merging.Merged.of(name, source, before), Rules(source, name, dict.fromkeys(ITEMS), SEEDS))


def take(text: str, *exports: bytes | str) -> Taken:
    """What a source makes of exports, the names of samples or their bytes; with what was wrong."""
    taken = begun(text)
    for each in exports:
        name, raw = (each, sample(each)) if isinstance(each, str) else ("dump.txt", each)
        taking.take(taken, raw, name)
    return taken


def sound(text: str, *exports: bytes | str) -> Taken:
    """What a source makes of exports in which nothing is wrong."""
    taken = take(text, *exports)
    assert told(taken) == []
    return taken


def told(taken: Taken) -> list[str]:
    """The problems of an import, as they are printed."""
    return [str(problem) for problem in taken.problems]


def skipped(taken: Taken) -> Counter[str]:
    """How many rows are that of no run, for each reason; without those that name the columns."""
    fates = taking.tally(taken).rows.items()
    return Counter({word: many for word, many in fates if word not in (*RUNS, HEADER)})


def seconds(taken: Taken) -> Fraction:
    """The GPU-seconds of all entries."""
    return sum((job.gpu_seconds for job in taken.merged.jobs.values()), Fraction(0))


def by(taken: Taken, what: str) -> dict[str, Fraction]:
    """GPU-seconds by `status`, `item`, `card` or `name`."""
    found: dict[str, Fraction] = {}
    for job in taken.merged.jobs.values():
        for part in job.made.portions:
            name = job.job.says.get("name", "")
            key = {"status": job.status, "item": part.item, "card": part.card, "name": name}[what]
            found[key] = found.get(key, Fraction(0)) + part.gpus * job.job.elapsed
    return found


def files(taken: Taken) -> dict[str, str]:
    """The files and the lock, as they would be written."""
    texts = taken.merged.texts("demo")
    sums = {path[-12:-5]: release.checksum(text.encode()) for path, text in texts.items()}
    lock = lock_lines(taken, digests_of(taken.rules.source), sums)
    return {**texts, "lock": "\n".join(lock)}


def kept(taken: Taken) -> list[StoredJob]:
    """The jobs of an import, read back from what it would write."""
    project, source = written(taken), taken.rules.source
    runs, asides = (run for file in project.runs for run in file.runs), project.locks[taken.rules.name].aside
    return list(jobs_of(runs, asides, source))


def entered(taken: Taken) -> int:
    """How many jobs have entries."""
    return sum(job.ran for job in taken.merged.jobs.values())


def written(taken: Taken) -> ProjectLedger:
    """A project of which nothing is known but what an import would write."""
    texts = files(taken)
    problems: list[Problem] = []
    lock = validate(
        ImportLock, read_tree(texts.pop("lock"), "lock", problems)[taken.rules.name], problems, problems.append
    )
    runs = []
    for file, text in texts.items():
        found = [validate(Run, tree, problems, problems.append) for tree in read_tree(text, file, problems)]
        runs.append(RunFile(file, tuple(run for run in found if run)))
    assert problems == []
    assert lock is not None
    name, project = taken.rules.name, Project.model_construct(title="Demo", gpu="a100-40gb")
    return ProjectLedger("demo", project, runs=tuple(runs), imports={name: taken.rules.source}, locks={name: lock})


LEDGER = {
    "ledger/catalog/gpus.yaml": "".join(
        f"{card}: {{title: {card.upper()}, counts_as: {{a100-40gb: 1}}}}\n"
        for card in ("a100-40gb", "a100-80gb", "l40s", "a40", "rtx-3090", "v100")
    ).replace(", counts_as: {a100-40gb: 1}", "", 1),
    "ledger/demo/project.yaml": (
        "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: a100-40gb\nseeds: 3\ncontingency: 10%\n"
    ),
    "ledger/demo/plan.yaml": "first:\n  title: First phase\n  items:\n"
    + "".join(f"    {item}: {{title: {item.title()}, scope: one-time, gpu_hours: 200}}\n" for item in ITEMS).replace(
        "Rft, scope: one-time", "Rft, scope: per-seed"
    ),
}


def planted(root: Path, source: str) -> Path:
    """A small ledger with a source of runs, below a root; gives the root back."""
    return plant(root, {**LEDGER, "ledger/demo/imports.yaml": source})
