"""`sacct --json`: an object with `jobs`, read job by job. Words, lists and numbers with `set` are taken as versions of
Slurm write them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from reckon.language.lean import regex

from .job import Job
from .reading import NotAnExport, Reading, ReadRow
from .tres import counted

_SPACE = regex(r"[ \t\r\n]*")
_SAYS = {"name": "name", "account": "account", "partition": "partition", "qos": "qos", "directory": "working_directory"}


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of an export. Raises NotAnExport."""
    for line, job in _listed(text):
        reading.rows += 1
        try:
            row = _row(line, job)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            reading.wrong(line, "this is not a job as `sacct --json` writes it", "it has job_id, state, time and tres")
            continue
        if found := reading.job(row):
            yield found


def _listed(text: str) -> Iterator[tuple[int, Any]]:
    """Each of the jobs with its line: they are decoded one by one, so that a long file takes little memory."""
    decoder, at, line, seen = json.JSONDecoder(), _skip(text, 0), 1, 0
    if text[at : at + 1] != "{":
        raise NotAnExport("this is not an object with `jobs`", "export it with `sacct --json`")
    try:
        while True:
            key, at = decoder.raw_decode(text, _skip(text, at + 1))
            at = _skip(text, _skip(text, at) + 1)
            if key == "jobs":
                break
            at = _skip(text, decoder.raw_decode(text, at)[1])
            if text[at : at + 1] != ",":
                raise NotAnExport("there are no `jobs` in this object", "export it with `sacct --json`")
        at = _skip(text, at + 1)
        while text[at : at + 1] not in ("]", ""):
            line, seen = line + text.count("\n", seen, at), at
            job, at = decoder.raw_decode(text, at)
            yield line, job
            at = _skip(text, at)
            at = _skip(text, at + 1) if text[at : at + 1] == "," else at
    except (ValueError, RecursionError):
        where = text.count("\n", 0, min(at, len(text))) + 1
        raise NotAnExport(f"this is not JSON any more in line {where}", "export it again, to its end") from None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _row(line: int, job: Mapping[str, Any]) -> ReadRow:
    time, raw = job["time"], str(_number(job["job_id"]))
    state = job["state"]["current"]
    words = [state] if isinstance(state, str) else list(state)
    task = _number(job.get("array", {}).get("task_id"), unset=None)
    parent = _number(job.get("array", {}).get("job_id"), unset=0)
    also = f"{parent}_{task}" if parent and task is not None else ""
    says = {name: str(job[key]) for name, key in _SAYS.items() if job.get(key)}
    says |= {name: text for name, text in _more(job) if text}
    gpus = counted((_type(part), _count(part)) for part in job["tres"]["allocated"] if _is_gpu(part))
    elapsed = _number(time["elapsed"], unset=None)
    if int(raw) < 0:
        raise ValueError
    return ReadRow(line, raw, str(words[0]), str(elapsed), str(_number(time.get("submission"))),
                   str(_number(time.get("start"))), str(_number(time.get("end"))), gpus,
                   _number(job.get("allocation_nodes"), unset=1) or 1, str(job.get("cluster") or ""), also, says,
                   any(_is_gpu(part) for part in job["tres"].get("requested") or ()))  # fmt: skip


def _more(job: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    wckey, comment = job.get("wckey"), job.get("comment")
    yield "wckey", str((wckey.get("wckey") if isinstance(wckey, Mapping) else wckey) or "")
    yield "comment", str((comment.get("job") if isinstance(comment, Mapping) else comment) or "")


def _number(raw: Any, unset: Any = 0) -> Any:
    """A number, or an object that says whether it is set."""
    if isinstance(raw, Mapping):
        return int(raw["number"]) if raw.get("set") else unset
    return unset if raw is None else int(raw)


def _is_gpu(part: Mapping[str, Any]) -> bool:
    return part["type"] == "gres" and str(part["name"]).partition(":")[0] == "gpu"


def _count(part: Mapping[str, Any]) -> int:
    count = int(part["count"])
    if not 0 <= count < 10**9:
        raise ValueError
    return count


def _type(part: Mapping[str, Any]) -> str:
    return str(part["name"]).partition(":")[2]
