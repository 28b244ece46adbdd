"""`sacct --json`: an object with `jobs`, read job by job. Words, lists and numbers with `set` are taken as versions of
Slurm write them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from .job import Job
from .reading import BadRow, NotAnExport, Reading, ReadRow
from .tres import group_gpus

_SPACE = re.compile(r"[ \t\r\n]*")
_SAYS = {"name": "name", "account": "account", "partition": "partition", "qos": "qos", "directory": "working_directory"}


JsonObject = Mapping[str, Any]


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of an export. Raises NotAnExport."""
    return jobs_of(iter((text,)), reading)


def jobs_of(pieces: Iterator[str], reading: Reading, most: int = sys.maxsize) -> Iterator[Job]:
    """The jobs of an export that comes in pieces, none of which has more than so many signs. Raises NotAnExport."""
    return reading.jobs(_listed(_Pieces(pieces, most)), partial(_read_row, reading))


class _Pieces:
    """A text that comes in pieces: what has been read of it is let go, so that a long file takes little memory.

    `line` is that of the next sign.
    """

    def __init__(self, pieces: Iterator[str], most: int) -> None:
        self._pieces = pieces
        self._most = most
        self._text = ""
        self._at = 0
        self.line = 1
        self._decoder = json.JSONDecoder()

    def _more(self) -> bool:
        """Takes the next piece; whether there is one."""
        piece = next(self._pieces, "")
        if piece and len(self._text) - self._at > self._most:
            wrong = f"the job that begins in line {self.line} has more than {self._most >> 20} MiB"
            raise NotAnExport(wrong, "check whether `sacct --json` wrote this")
        if piece:
            self._text = self._text[self._at :] + piece
            self._at = 0
        return bool(piece)

    def _to(self, at: int) -> None:
        self.line += self._text.count("\n", self._at, at)
        self._at = at

    def peek(self) -> str:
        """The next sign but spaces, empty at the end."""
        while True:
            if spaces := _SPACE.match(self._text, self._at):
                self._to(spaces.end())
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def take(self) -> str:
        """The next sign but spaces, which has been read then."""
        sign = self.peek()
        self._at += len(sign)
        return sign

    def value(self) -> Any:
        """The next value. Raises ValueError where there is none."""
        self.peek()
        while True:
            try:
                value, at = self._decoder.raw_decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
                continue
            # What ends with a piece may go on in the next one, as a number does.
            if at < len(self._text) or not self._more():
                self._to(at)
                return value


def _listed(text: _Pieces) -> Iterator[tuple[int, Any]]:
    """Each of the jobs with its line: they are decoded one by one."""
    if text.take() != "{":
        raise NotAnExport("this is not an object with `jobs`", "export it with `sacct --json`")
    try:
        while True:
            key = text.value()
            text.take()
            if key == "jobs":
                break
            text.value()
            if text.take() != ",":
                raise NotAnExport("there are no `jobs` in this object", "export it with `sacct --json`")
        text.take()
        while text.peek() not in ("]", ""):
            line = text.line
            yield line, text.value()
            if text.peek() == ",":
                text.take()
    except (ValueError, RecursionError):
        raise NotAnExport(f"the JSON breaks off in line {text.line}", "export the whole file again") from None


def _read_row(reading: Reading, line: int, job: JsonObject) -> ReadRow:
    """What a job states. Raises BadRow."""
    reading.rows += 1
    try:
        return _stated(line, job)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        right = "it has job_id, state, time and tres"
        raise BadRow("this is not a job as `sacct --json` writes it", right) from None


def _stated(line: int, job: JsonObject) -> ReadRow:
    id = _number(job["job_id"])
    if id < 0:
        raise ValueError
    time = job["time"]
    elapsed = str(_number(time["elapsed"], unset=None))
    submit, start, end = (str(_number(time.get(name))) for name in ("submission", "start", "end"))
    state = job["state"]["current"]
    words = [state] if isinstance(state, str) else list(state)
    resources = job["tres"]
    gpus = group_gpus(_gpus_in(part) for part in resources["allocated"] if _is_gpu(part))
    asks = any(map(_is_gpu, resources.get("requested") or ()))
    nodes = _number(job.get("allocation_nodes"), unset=1) or 1
    cluster = str(job.get("cluster") or "")
    also = _also(job)
    says = _says(job)
    return ReadRow(line, str(id), str(words[0]), elapsed, submit, start, end, gpus, nodes, cluster, also, says, asks)


def _also(job: JsonObject) -> str:
    """The id of a job as one of an array; empty where it is none."""
    array = job.get("array", {})
    task = _number(array.get("task_id"), unset=None)
    parent = _number(array.get("job_id"))
    return f"{parent}_{task}" if parent and task is not None else ""


def _says(job: JsonObject) -> dict[str, str]:
    """What patterns can be matched against."""
    says = {name: str(job[key]) for name, key in _SAYS.items() if job.get(key)}
    for name, key in (("wckey", "wckey"), ("comment", "job")):
        value = job.get(name)
        if isinstance(value, Mapping):
            value = value.get(key)
        if value:
            says[name] = str(value)
    return says


def _number(raw: Any, unset: Any = 0) -> Any:
    """A number, or an object that says whether it is set."""
    if isinstance(raw, Mapping):
        return int(raw["number"]) if raw.get("set") else unset
    return unset if raw is None else int(raw)


def _is_gpu(part: JsonObject) -> bool:
    return part["type"] == "gres" and str(part["name"]).partition(":")[0] == "gpu"


def _gpus_in(part: JsonObject) -> tuple[str, int]:
    """The type of some GPUs, and how many they are."""
    count = int(part["count"])
    if not 0 <= count < 10**9:
        raise ValueError
    return str(part["name"]).partition(":")[2], count
