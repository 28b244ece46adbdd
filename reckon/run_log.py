"""A run that writes its own entry: an open one when it has begun, which is closed when it has ended.

What begins a training imports this module, so it needs nothing but the standard library. A process of its own keeps the
entry (`main`): it samples `nvidia-smi` and has `add runs` write one row, which lies in a file, the spool, until the
ledger has it. Nothing that goes wrong there reaches the training.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import secrets
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime

TYPE_CHECKING = False  # `typing` takes longer to import than all that happens here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Row = dict[str, str]
    """The entry of a run: its fields as columns of a table of runs."""

GROUP_SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
ENDING = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
"""Signals after which a run has not done what it was to do, whatever its exit code."""
PATIENCE = 60
"""Seconds for which the ledger is asked to take a row, before the row stays in its spool."""
TRIES, PAUSE = 3, 2
"""How often it is asked at the end of a run, and the seconds between."""
NEAR_LIMIT = 90
"""Seconds around the time limit of a job in which what ends it is that limit."""
QUERY = ("--query-gpu=index,uuid,name,utilization.gpu,power.draw", "--format=csv,noheader,nounits")
BOOT = "import sys; sys.path.insert(0, {!r}); from reckon.{} import main; sys.exit(main())"
"""What Python runs in place of a script, so that no module of the current folder is taken for one of its own."""
JOB, CARD, DEVICE = "[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", "[A-Za-z0-9][A-Za-z0-9 ()/_.+-]{0,63}", "[A-Za-z0-9-]{1,64}"
MOST_RUNS = 64 << 20
"""Bytes of a file of runs that is looked through for the id of a job."""


def engine(module: str) -> list[str]:
    """The command that runs the `main` of a module of this program."""
    above = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [sys.executable, "-P", "-c", BOOT.format(above, module)]


def complain(text: str) -> None:
    """Says something on standard error, in one line that acts on no terminal."""
    try:
        sys.stderr.write(f"budget log: {''.join(sign if sign.isprintable() else ' ' for sign in text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):  # nobody listens
        return


def begins_run() -> bool:
    """Whether this process is the first of those that a launcher (torchrun, srun) begins at once for one run."""
    return all(os.environ.get(name, "0") in ("", "0") for name in ("RANK", "SLURM_PROCID"))


def outcome(code: int, seen: Iterable[int], now: float) -> str:
    """The status of a run by its exit code (negative or above 128: a signal) and the signals that came meanwhile."""
    signals = ENDING.intersection(seen)
    if code == 0 and not signals:
        return "completed"
    signals |= ENDING.intersection([-code, code - 128])
    if signal.SIGTERM in signals and "SLURM_JOB_ID" in os.environ:
        limit = number("SLURM_JOB_END_TIME")
        return "timeout" if limit and abs(limit - now) < NEAR_LIMIT else "preempted"
    return "cancelled" if signals else "failed"


def number(name: str) -> int:
    """A whole number that a variable of the environment has; 0 where it has none."""
    text = os.environ.get(name, "")
    return int(text) if re.fullmatch("[0-9]{1,12}", text) else 0


class LoggedRun:
    """A run and the process that keeps its entry; as a context manager, what runs in its block. Raises nothing.

    `fields` are those of the entry, as texts.
    """

    def __init__(self, project: str, item: str, root: str, fields: Mapping[str, str], **more: object) -> None:
        self._asked = {"project": project, "root": root, "fields": {"item": item, **fields}, **more}
        self._keeper: subprocess.Popen[bytes] | None = None
        self._process = os.getpid()

    def begin(self) -> None:
        """Has an open entry written, from now on."""
        try:
            asked = {**self._asked, "root": os.path.abspath(str(self._asked["root"])), "start": int(time.time())}
            self._keeper = subprocess.Popen(
                [*engine("run_log"), json.dumps(asked)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError, TypeError) as error:
            complain(f"the run will not be recorded ({error}); add it with `budget add run`")

    def end(self, status: str) -> None:
        """Has the entry closed, and waits for that."""
        if self._keeper is None:
            return
        try:
            self._keeper.communicate(f"{status}\n".encode(), timeout=3 * PATIENCE)
            if self._keeper.returncode:
                complain("the end of the run may not be recorded; see `budget check`, or `budget add run`")
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            complain(f"the end of the run is not recorded yet ({error})")

    def __enter__(self) -> LoggedRun:
        if begins_run():
            self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if os.getpid() != self._process:  # a process that the training forked
            return
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self.end("cancelled")
        elif isinstance(error, SystemExit):
            self.end("failed" if error.code else "completed")
        else:
            self.end("failed" if kind else "completed")


class Gpu:
    """A GPU as `nvidia-smi` tells it: its index, id and name, utilisation in percent and watts (None: not told)."""

    def __init__(self, cells: Sequence[str]) -> None:
        self.index, self.uuid, self.name = (cell.strip() for cell in cells[:3])
        self.busy, self.watts = (read_amount(cell) for cell in cells[3:])


def read_amount(cell: str) -> float | None:
    """The amount of a cell of `nvidia-smi`; None for `[N/A]` and whatever else is not a plain number."""
    return float(cell) if re.fullmatch(r" *[0-9]{1,6}(\.[0-9]{1,6})? *", cell) else None


def ask_smi() -> list[Gpu]:
    """The GPUs of this machine; none where there is no `nvidia-smi`, or it does not answer."""
    smi = shutil.which("nvidia-smi")
    if not smi:
        return []
    try:
        done = subprocess.run([smi, *QUERY], stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = csv.reader(done.stdout.decode("utf-8", "replace").splitlines())
    return [Gpu(cells) for cells in rows if len(cells) == 5] if not done.returncode else []


class Meter:
    """The mean utilisation and the energy of some GPUs, of samples with the seconds since the run began.

    Between two samples power goes from one to the other in a straight line (the trapezoid rule); before the first and
    behind the last it is theirs.
    """

    def __init__(self) -> None:
        self._busy = self._joules = 0.0
        self._shares = 0
        self._last: tuple[float, float] | None = None

    def add(self, at: float, gpus: Sequence[Gpu]) -> None:
        """Adds a sample of all GPUs. What one of them does not tell is left out."""
        busy = [gpu.busy for gpu in gpus if gpu.busy is not None]
        if busy and len(busy) == len(gpus):
            self._busy += sum(busy) / len(busy)
            self._shares += 1
        watts = [gpu.watts for gpu in gpus if gpu.watts is not None]
        if watts and len(watts) == len(gpus):
            since, before = self._last or (0.0, sum(watts))
            self._joules += (at - since) * (before + sum(watts)) / 2
            self._last = at, sum(watts)

    def fields(self, end: float) -> Row:
        """What the entry of a run says that ended so many seconds after it began."""
        found = {}
        if self._shares:
            found["utilisation"] = f"{self._busy / self._shares:.1f}%"
        if self._last:
            joules = self._joules + (end - self._last[0]) * self._last[1]
            found["energy_kwh"] = f"{joules / 3.6e6:.6f}"
        return found


def visible() -> list[str] | None:
    """The ids of the GPUs that CUDA shows to programs here; None where nothing says it. An id that is none hides all
    behind it."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES", os.environ.get("SLURM_JOB_GPUS"))
    if listed is None:
        return None
    found = []
    for name in map(str.strip, listed.split(",")):
        if not re.fullmatch(DEVICE, name) or name.startswith("-") or name == "NoDevFiles":
            break
        found.append(name)
    return found


def count_gpus(there: Sequence[Gpu]) -> int:
    """How many GPUs this run holds, over all nodes: by CUDA, else Slurm, else `nvidia-smi`."""
    nodes = number("SLURM_STEP_NUM_NODES") or number("SLURM_JOB_NUM_NODES") or number("SLURM_NNODES") or 1
    asked = re.findall(r"(?:^|[,:])([0-9]{1,6})(?=,|$)", os.environ.get("SLURM_GPUS", ""))
    ids = visible()
    if "CUDA_VISIBLE_DEVICES" in os.environ and ids is not None:
        return len(ids) * nodes
    if asked:
        return sum(map(int, asked))
    if on_node := number("SLURM_GPUS_ON_NODE"):
        return on_node * nodes
    if ids is not None:
        return len(ids) * nodes
    return 0 if "SLURM_JOB_ID" in os.environ else len(there)


def choose_gpus(there: Sequence[Gpu]) -> list[Gpu]:
    """Those GPUs of this machine that the run has."""
    ids = visible()
    if ids is None:
        return list(there)
    found = [
        gpu for gpu in there if gpu.index in ids or any(len(name) > 4 and gpu.uuid.startswith(name) for name in ids)
    ]
    return found or (list(there) if len(there) == len(ids) else [])


def job_of_slurm() -> str:
    """The id of the Slurm job that this runs in, as `sacct` writes it; empty outside of one."""
    array, task = os.environ.get("SLURM_ARRAY_JOB_ID", ""), os.environ.get("SLURM_ARRAY_TASK_ID", "")
    job = f"{array}_{task}" if array and task else os.environ.get("SLURM_JOB_ID", "")
    return job if re.fullmatch(JOB, job) else ""


def moment(seconds: int) -> str:
    """A moment as imports write it: by the clock here, with its offset."""
    return datetime.fromtimestamp(seconds).astimezone().isoformat().replace("+00:00", "Z")


class Entry:
    """The row of a run and the file that holds it until the ledger has it. `file` is the name of its file of runs."""

    def __init__(self, asked: Mapping[str, Any], row: Row) -> None:
        self.project, self.root, self.program = asked["project"], asked["root"], asked["program"]
        self.row = row
        self.spool = ""
        parts = [row["start"][:10], row["item"][:40], *([f"s{row['seed'][:8]}"] if "seed" in row else [])]
        name = re.sub("[^A-Za-z0-9]+", "-", "-".join(parts)).strip("-")
        self.file = f"{name}-{secrets.token_hex(3)}"
        self._folders = (self.root, os.getcwd(), tempfile.gettempdir())

    def keep(self, job: str) -> None:
        """Writes the row to its spool, under the id of the job or one made of it that no other run has.

        It lies in the repository, else in the current folder, else in that for temporary files; nowhere, where all of
        these refuse it.
        """
        made = f"{job}-{secrets.token_hex(3)}" if job else f"log-{secrets.token_hex(4)}"
        for folder in self._folders:
            for name in (job, made):
                if name and self._reserve(folder, name):
                    return

    def _reserve(self, folder: str, job: str) -> bool:
        """Whether a spool could be made there. While it lies there, and once the ledger has it, the id is taken."""
        self.row["job"] = job
        spool = self._spool_in(folder)
        try:
            part = self._write(folder)
            try:
                os.link(part, spool)
            finally:
                os.unlink(part)
            if self._is_known(job):
                os.unlink(spool)
                return False
        except OSError:
            return False
        self.spool = spool
        return True

    def change(self, fields: Row) -> None:
        """Gives the row these fields too, and writes it to its spool: all of it, or the spool is as it was."""
        self.row |= fields
        for folder in self._folders:
            try:
                os.replace(self._write(folder), self._spool_in(folder))
            except OSError:
                continue
            self.spool = self._spool_in(folder)
            return

    def _spool_in(self, folder: str) -> str:
        return os.path.join(folder, f"budget-log-{self.row['job']}.csv")

    def _is_known(self, job: str) -> bool:
        """Whether an entry of the project has this job."""
        runs = os.path.join(self.root, "ledger", self.project, "runs")
        states = re.compile(rb"\bjob: *['\"]?" + re.escape(job.encode()) + rb"['\"]?[ \t]*[,}\r\n]")
        for name in os.listdir(runs) if os.path.isdir(runs) else ():
            path = os.path.join(runs, name)
            if name.endswith(".yaml") and os.path.isfile(path):
                with open(path, "rb") as file:
                    if states.search(file.read(MOST_RUNS)):
                        return True
        return False

    def _write(self, folder: str) -> str:
        """Writes the row to a new file in a folder, and gives its path."""
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([list(self.row), list(self.row.values())])
        handle, part = tempfile.mkstemp(".part", ".budget-log-", folder)
        try:
            with open(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text.getvalue())
        except OSError:
            os.unlink(part)
            raise
        return part

    def record(self, tries: int, told: str) -> bool:
        """Has the ledger take the row, and says with `told` why it does not."""
        end = time.monotonic() + PATIENCE
        why = ""
        for number_of_try in range(tries):
            time.sleep(PAUSE if number_of_try else 0)
            why = self._add(end - time.monotonic())
            if not why:
                return True
        complain(f"{told}: {why}")
        return False

    def _add(self, seconds: float) -> str:
        """Why `add runs` does not take the row; empty where it does."""
        if not self.spool:
            return "there is no folder to write in"
        command = [*engine("entry"), "--root", self.root, "add", "runs", self.spool, self.project]
        command += ["--anyway", "--file", self.file]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=max(seconds, 1))
        except subprocess.TimeoutExpired:
            return "it is busy; somebody else may hold its lock"
        except OSError as error:
            return str(error)
        told = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        return " | ".join(told.splitlines()[:3])[:600] if done.returncode else ""

    def forget(self) -> None:
        """Removes the spool, of which the ledger has all."""
        try:
            os.unlink(self.spool)
        except OSError:
            return

    def command(self) -> str:
        """The command line that takes the row later."""
        if self.spool:
            words = [self.program, "add", "runs", self.spool, self.project, "--root", self.root]
            return " ".join(words[:1] + [shlex.quote(word) for word in words[1:]])
        flags = [f"--{name.replace('_', '-')} {shlex.quote(text)}" for name, text in self.row.items()]
        return f"{self.program} add run {shlex.quote(self.project)} --root {shlex.quote(self.root)} {' '.join(flags)}"


def begun_row(asked: Mapping[str, Any], there: Sequence[Gpu]) -> Row:
    """What the open entry of a run says, but for its job."""
    row = {"start": moment(asked["start"]), **asked["fields"]}
    limit = number("SLURM_JOB_END_TIME") - asked["start"]
    if "limit_hours" not in row and 0 < limit < 10**7:
        row["limit_hours"] = f"{limit} s"
    row |= {"wall_hours": "0", "status": "running"}
    if "gpus" not in row:
        row["gpus"] = str(count_gpus(there))
        if row["gpus"] == "0":
            complain("no GPU found; recorded with 0. State others with --gpus N")
        if any(name.startswith("MIG") for name in visible() or ()):
            complain("a part of a GPU (MIG) counts as a whole one; state it with --gpus 1/7")
    names = {gpu.name for gpu in choose_gpus(there)}
    if "gpu" not in row and len(names) == 1 and re.fullmatch(CARD, name := min(names)):
        row["gpu"] = name
    return row


def close_entry(entry: Entry, fields: Row) -> None:
    """Closes an entry in the ledger; what it does not take stays in the spool."""
    entry.change(fields)
    if entry.record(TRIES, "the run is not in the ledger"):
        entry.forget()
    else:
        complain(f"to take it later: {entry.command()}")


def finish(asked: Mapping[str, Any], code: int | None) -> None:
    """Records the Slurm job that ends here, with its exit code if that is known."""
    job, start, now = job_of_slurm(), number("SLURM_JOB_START_TIME"), int(time.time())
    if code is None and (told := re.fullmatch("([0-9]{1,3}):([0-9]{1,3})", os.environ.get("SLURM_JOB_EXIT_CODE2", ""))):
        code = -int(told[2]) or int(told[1])
    if not job or not 0 < start <= now or code is None:
        complain(
            "not recorded: SLURM_JOB_ID, SLURM_JOB_START_TIME and --exit-code (or SLURM_JOB_EXIT_CODE2) are needed"
        )
        return
    try:
        entry = Entry(asked, {**begun_row({**asked, "start": start}, ()), "job": job})
        ended = {"end": moment(now), "wall_hours": f"{now - start} s", "status": outcome(code, (), now)}
        close_entry(entry, ended)
    except OSError as error:
        complain(f"not recorded: {error}")


def main() -> int:
    """Keeps the entry of a run until standard input says how it ended; where it says nothing, the run has died."""
    for name in GROUP_SIGNALS:  # they are for the run, which says how it ended
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    asked = json.loads(sys.argv[1])
    began = time.monotonic() - (time.time() - asked["start"])
    there = ask_smi()
    entry = Entry(asked, begun_row(asked, there))
    entry.keep(job_of_slurm())
    if entry.record(1, "the start of the run is not in the ledger, its end will be tried"):
        entry.forget()
    meter, measured = Meter(), choose_gpus(there)
    is_whole = bool(measured) and entry.row["gpus"] == str(len(measured))
    if not is_whole and entry.row["gpus"] != "0":
        complain("utilisation and energy are not measured: `nvidia-smi` does not show all GPUs of the run")
    while not select.select([sys.stdin], [], [], asked.get("every", 10) if is_whole else None)[0]:
        meter.add(time.monotonic() - began, choose_gpus(ask_smi()))
    said = sys.stdin.readline().strip()
    if said or asked.get("dies"):
        lasted = round(time.monotonic() - began)
        ended = {"end": moment(asked["start"] + lasted), "wall_hours": f"{lasted} s", "status": said or "failed"}
        close_entry(entry, {**ended, **meter.fields(time.monotonic() - began)})
    return 0
