"""The accounting log of PBS (`/var/spool/pbs/server_priv/accounting/YYYYMMDD`): a line for each event of a job,
`TIME;KIND;JOB;KEY=VALUE …`, as the chapter on accounting of the PBS Professional Reference Guide has it.

A job is read where it ends (`E`) or is put back into the queue (`R`): there the log states its start, its end, and the
time that it used. Times are seconds since 1970. What a user is called is read for patterns of `person` alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from .job import Job
from .job_records import whole
from .reading import BadRow, NotAnExport, Reading, ReadRow, job_row, lines_of
from .tables import read_count

_LINE = re.compile(r"[0-9/]{8,10} [0-9:]{8};([A-Za-z]{1,2});([^;\s]*);(.*)")
_FIELD = re.compile(r'([\w.]+)=("[^"]*"|\S*)')
_SAYS = {"name": "jobname", "account": "account", "partition": "queue", "group": "group", "person": "user"}
ENDED, REQUEUED = "E", "R"
Fields = defaultdict[str, str]
_STATES = {"0": "COMPLETED", "271": "CANCELLED"}
"""By the exit status: 271 is that of a job that was ended from outside, by `qdel` or at its limit of time."""


def is_log(line: str) -> bool:
    """Whether a line is one of an accounting log."""
    return _LINE.fullmatch(line) is not None


def read(text: str, reading: Reading) -> Iterator[Job]:
    """The jobs of a log. Raises NotAnExport."""
    if not any(is_log(line) for _, line in lines_of(text)):
        raise NotAnExport("this is not an accounting log of PBS", "its lines begin with `04/16/2025 10:19:48;E;JOB;`")
    return reading.jobs(_ends(text, reading), lambda line, fields: _read_row(line, fields, reading))


def _ends(text: str, reading: Reading) -> Iterator[tuple[int, Fields]]:
    """The fields of each line at which a job has ended; other lines are counted as read."""
    for number, line in lines_of(text):
        match = _LINE.fullmatch(line)
        if match is None:
            reading.rows += 1
            reading.wrong(number, "this is not a line of an accounting log", "check for a line that is cut off")
        elif reading.skips(number, [line]):
            continue
        elif match[1] not in (ENDED, REQUEUED):
            reading.skip_line(number, "other events")
        else:
            reading.rows += 1
            fields = {name: value.strip('"') for name, value in _FIELD.findall(match[3])}
            yield number, defaultdict(str, fields, id=match[2], event=match[1])


def _read_row(line: int, fields: Fields, reading: Reading) -> ReadRow:
    """What a line states of its job. Raises BadRow."""
    id = fields["id"].partition(".")[0]
    count = read_count(fields["Resource_List.ngpus"], None)
    used = fields["resources_used.walltime"]
    start, end = (reading.moment(name, fields[name]) for name in ("start", "end"))
    if not used and (start is None or end is None):
        raise BadRow("this job has no duration", "check for a line that is cut off")
    says = {name: fields[key] for name, key in _SAYS.items() if fields[key]}
    gpus = ((fields["Resource_List.gpu_type"], whole(count)),) if count else ()
    elapsed = used or str((end or 0) - (start or 0))
    cells = {"start": fields["start"], "end": fields["end"], "submit": fields["qtime"], "state": _state(fields)}
    return job_row(line, id, elapsed, cells, gpus=gpus, says=says)


def _state(fields: Fields) -> str:
    """The word for how a job ended."""
    if fields["event"] == REQUEUED:
        return "REQUEUED"
    return _STATES.get(fields.get("Exit_status", "0"), "FAILED")
