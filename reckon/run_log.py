"""A run that writes its own entry: an open one when it has begun, which is closed when it has ended.

What begins a training imports this module, so it needs nothing but the standard library. A process of its own keeps the
entry (`main`): it samples `nvidia-smi` and has `add runs` write one row, which lies in a file, the spool, until the
ledger has it. Nothing that goes wrong there reaches the training.
"""

from __future__ import annotations

import csv
import json
import os
import re
import secrets
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from math import fsum, isfinite
from os import PathLike
from pathlib import Path
from statistics import fmean

Row = dict[str, str]
"""The entry of a run: its fields as columns of a table of runs."""
Gpu = tuple[str, str, str]
"""A GPU as `nvidia-smi` tells it: its name, utilisation in percent and power in watts (empty where not told)."""

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
"""What a run may be sent."""
ENDING = frozenset(SIGNALS[:4])
"""Signals after which a run has not done what it was to do, whatever its exit code."""
PATIENCE = 60
"""Seconds for which the ledger is waited for."""
NEAR_LIMIT = 300
"""Seconds around the time limit of a job in which what ends it is that limit."""
NVIDIA_SMI = ("nvidia-smi", "--query-gpu=name,utilization.gpu,power.draw", "--format=csv,noheader,nounits")
GPU_LINE = r"^([A-Za-z0-9][\w ()/.+-]{0,79}), ((?:\d{1,6}(?:\.\d{1,6})?)?)[^,\n]*, ((?:\d{1,6}(?:\.\d{1,6})?)?)[^,\n]*$"
"""A line of what it answers; an amount that it does not tell (`[N/A]`) is empty."""
GPU_ID = r"(?<![\w-])(?:[0-9]{1,4}|(?:GPU|MIG)-[\w/-]{1,80})(?![\w-])"


def complain(text: str) -> None:
    """Says something on standard error."""
    with suppress(OSError, ValueError):  # nobody listens
        print(f"budget log: {text}", file=sys.stderr, flush=True)


def answer(command: Sequence[str], seconds: float) -> str:
    """What a command says. Raises OSError, ValueError or SubprocessError where it fails or takes longer."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=True, encoding="utf-8"
    ).stdout


def number(name: str) -> int:
    """A whole number that a variable of the environment has; 0 where it has none."""
    text = os.environ.get(name, "")
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else 0


def outcome(code: int, seen: Iterable[int]) -> str:
    """The status of a run by its exit code (negative or above 128: a signal) and the signals that came meanwhile."""
    signals = ENDING.intersection((*seen, -code, code - 128))
    if not signals:
        return "failed" if code else "completed"
    if signal.SIGTERM not in signals or "SLURM_JOB_ID" not in os.environ:
        return "cancelled"
    return "timeout" if abs(number("SLURM_JOB_END_TIME") - time.time()) < NEAR_LIMIT else "preempted"


def engine(module: str, *words: str) -> list[str]:
    """The command that runs the `main` of a module of this program. No module of the current folder gets into it."""
    above = str(Path(__file__).resolve().parents[1])
    code = f"import sys; sys.path.insert(0, {above!r}); from reckon.{module} import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", code, *words]


class LoggedRun:
    """A run and the process that keeps its entry; as a context manager, what runs in its block. Raises nothing.

    The root is a folder with `ledger/` in it; fields are those of a run, such as `seed=1` or `gpus=8`. `every` are
    seconds between two samples, `program` is what messages call the command, `silent` the status of a run that dies
    without a word (empty: its entry stays open). Of the processes that torchrun or srun begin at once, the first one
    has the entry.
    """

    def __init__(
        self,
        project: str,
        item: str,
        root: str | PathLike[str] = ".",
        every: int = 10,
        program: str = "budget",
        silent: str = "failed",
        **fields: object,
    ) -> None:
        self._asked = project, str(root), program
        self._row = {"item": item, **{name: str(value) for name, value in fields.items()}}
        self._how = every, silent
        self._keeper: subprocess.Popen[bytes] | None = None

    def begin(self) -> LoggedRun:
        """Has an open entry written, from now on."""
        self._began = time.monotonic()
        if number("RANK") or number("SLURM_PROCID"):
            return self
        try:
            words = engine("run_log", json.dumps([*self._asked, self._row, int(time.time()), *self._how]))
            self._keeper = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
            )
        except (OSError, ValueError, TypeError) as error:
            complain(f"the run will not be recorded ({error}); add it with `budget add run`")
        return self

    __enter__ = begin

    def end(self, status: str) -> None:
        """Has the entry closed, and waits for that."""
        if self._keeper is None:
            return
        lasted = time.monotonic() - self._began
        with suppress(OSError, ValueError, subprocess.TimeoutExpired):
            self._keeper.communicate(f"{status} {lasted}".encode(), timeout=3 * PATIENCE)
        if self._keeper.returncode != 0:
            complain("the end of the run is not recorded; see `budget check`, or use `budget add run`")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        is_done = not getattr(error, "code", error)  # SystemExit has one
        self.end("completed" if is_done else "cancelled" if isinstance(error, KeyboardInterrupt) else "failed")

    def finish(self, code: int) -> None:
        """Records the Slurm job that ends here, with its exit code, as the run."""
        start, now = number("SLURM_JOB_START_TIME"), int(time.time())
        if not job_of_slurm() or not start:
            complain("not recorded: SLURM_JOB_ID and SLURM_JOB_START_TIME are not set")
            return
        entry = Entry(*self._asked, begun_row(start, self._row, ()))
        entry.close({"job": job_of_slurm(), **ended_row(start, now, outcome(code, ()))})


def visible() -> list[str] | None:
    """The ids of the GPUs that CUDA shows to programs here; None where nothing says it."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    return None if listed is None else re.findall(GPU_ID, listed)


def ask_smi() -> list[Gpu]:
    """The GPUs of this machine that the run may use; none where there is no `nvidia-smi`, or it does not answer."""
    ids = visible()
    asked = NVIDIA_SMI if ids is None else (*NVIDIA_SMI, "-i", ",".join(ids))
    try:
        return re.findall(GPU_LINE, answer(asked, 10), re.MULTILINE)
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def count_gpus(there: Sequence[Gpu]) -> int:
    """How many GPUs this run holds, over all nodes: by CUDA, else Slurm, else `nvidia-smi`."""
    nodes = number("SLURM_NNODES") or 1
    ids = visible()
    if ids is not None:
        return len(ids) * nodes
    if asked := re.findall(r"(?:^|[,:])([0-9]{1,6})(?=,|$)", os.environ.get("SLURM_GPUS", "")):
        return sum(map(int, asked))
    on_node = number("SLURM_GPUS_ON_NODE") or len(re.findall(GPU_ID, os.environ.get("SLURM_JOB_GPUS", "")))
    return len(there) if "SLURM_JOB_ID" not in os.environ else on_node * nodes


def measured(shares: Iterable[float], powers: Iterable[float], lasted: float) -> Row:
    """The mean utilisation (percent) and the energy of a run of so many seconds: the mean power (watts) of its GPUs
    together, times the time. Both are of samples at equal intervals; one that does not tell them (NaN) is left out."""
    found = {}
    if known := [share for share in shares if isfinite(share)]:
        found["utilisation"] = f"{fmean(known):.1f}%"
    if known := [power for power in powers if isfinite(power)]:
        found["energy_kwh"] = f"{fmean(known) * lasted / 3.6e6:.6f}"
    return found


def job_of_slurm() -> str:
    """The id of the Slurm job that this runs in, as `sacct` writes it; empty outside of one."""
    array, job = number("SLURM_ARRAY_JOB_ID"), number("SLURM_JOB_ID")
    return f"{array}_{number('SLURM_ARRAY_TASK_ID')}" if array else str(job or "")


def moment(seconds: int) -> str:
    """A moment as imports write it: by the clock here, with its offset."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat().replace("+00:00", "Z")


def ended_row(start: int, end: int, status: str) -> Row:
    """What the entry of a run says once it has ended."""
    return {"end": moment(end), "wall_hours": f"{end - start} s", "status": status}


def begun_row(start: int, fields: Row, there: Sequence[Gpu]) -> Row:
    """What the open entry of a run says that begins at a second of the epoch."""
    row = {"start": moment(start), "wall_hours": "0", "status": "running", **fields}
    row.setdefault("gpus", str(count_gpus(there)))
    if row["gpus"] == "0":
        complain("no GPU found; recorded with 0. State others with --gpus N")
    names = {name for name, _, _ in there}
    if len(names) == 1:
        row.setdefault("gpu", min(names))
    return row


class Entry:
    """The row of a run, and its spool: a file in the repository, else in the current folder or that for temporary
    files."""

    def __init__(self, project: str, root: str, program: str, row: Row) -> None:
        self.project, self.root, self.program = project, os.path.abspath(root), program
        self.row, self.spool, self.short = row, "", secrets.token_hex(4)

    def change(self, fields: Row) -> None:
        """Gives the row these fields too. The spool has all of the row, or is as it was."""
        self.row |= fields
        for folder in (self.root, os.getcwd(), tempfile.gettempdir()):
            spool = Path(folder, f"budget-log-{self.short}.csv")
            part = spool.with_suffix(".part")
            try:
                with part.open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows(zip(*self.row.items(), strict=True))
                part.replace(spool)
            except OSError:
                continue
            self.spool = str(spool)
            return
        complain(f"no folder takes a file with this run: {self.row}")

    def open(self) -> None:
        """Has the ledger take the open entry: under the id of the Slurm job, or one made of it if that is taken."""
        job, told = job_of_slurm(), "the start of the run is not in the ledger; its end will be tried"
        made = f"{job or 'log'}-{self.short}"
        self.change({"job": job or made})
        said = self.add(told)
        if not said.startswith("Added 1"):
            self.change({"job": made})
            if said:
                self.add(told)

    def close(self, fields: Row) -> None:
        """Has the ledger take the row of a run that has ended; what it does not take stays in the spool."""
        self.change(fields)
        if not self.add("the run is not in the ledger"):
            words = "add", "runs", self.spool, self.project, "--root", self.root, "--anyway"
            complain(f"to take it later: {self.program} {shlex.join(words)}")

    def add(self, told: str) -> str:
        """Has `add runs` take the row and gives what that says; empty where it does not, and says so with `told`."""
        words = ["--root", self.root, "add", "runs", self.spool, self.project, "--anyway"]
        try:
            said = answer(engine("entry", *words, "--file", f"{self.row['start'][:10]}-{self.short}"), PATIENCE)
            os.unlink(self.spool)
            return said
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            why = getattr(error, "stderr", "") or "another `budget` command may hold its lock"
            complain(f"{told}: {' | '.join(str(why).splitlines()[:3])}")
        return ""


def main() -> int:
    """Keeps the entry of a run until standard input says how it ended; where it says nothing, the run has died."""
    for name in SIGNALS:  # they are for the run, which says how it ended
        signal.signal(name, signal.SIG_IGN)
    project, root, program, fields, start, every, silent = json.loads(sys.argv[1])
    there = ask_smi()
    row = begun_row(start, fields, there)
    entry = Entry(project, root, program, row)
    entry.open()
    is_measured = row["gpus"] == str(len(there))
    if not is_measured:
        why = "does not show all GPUs of the run. A MIG slice counts as one: --gpus 1/7" if there else "shows no GPU"
        complain(f"not measured: `nvidia-smi` {why}")
    shares, powers = [], []
    while not select.select([sys.stdin], [], [], every if is_measured else None)[0]:
        if gpus := ask_smi():
            shares.append(fmean(float(busy or "nan") for _, busy, _ in gpus))
            powers.append(fsum(float(watts or "nan") for _, _, watts in gpus))
    status, _, lasted = sys.stdin.read().partition(" ")
    seconds = float(lasted or time.time() - start)
    if status or silent:
        entry.close({**ended_row(start, start + round(seconds), status or silent), **measured(shares, powers, seconds)})
    return 0
