"""The rows of an export of Slurm as a query of DuckDB: which are jobs of the project, in which shape, and which it
leaves to the plain reader.

What it takes stands in the form in which Slurm writes it: whole seconds, times as 2025-09-12T14:06:12, states that are
known, plain signs. `what` says what a row is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo

from reckon.model.records import ImportSource

from .. import clock
from ..job import PENDING, RUNNING, STATES, status_of
from ..sacct import COLUMNS, SAYS
from . import asking
from .duck import listed, looked_up, quoted
from .matching import Compiled
from .spells import by_clock

ODD, STEP, WAITS, OTHER, THEIRS, JOB = range(6)
"""What a row is: for the plain reader, a step, a job that waits, one of another cluster or project, or one to count."""
TABLE = {
    "file": "INTEGER",
    "line": "BIGINT",
    "what": "UTINYINT",
    "raw": "VARCHAR[]",
    "asks": "BOOLEAN",
    "seen": "BIGINT",
    "cluster": "VARCHAR",
    "id": "VARCHAR",
    "submit": "BIGINT",
    "began": "BIGINT",
    "ended": "BIGINT",
    "elapsed": "BIGINT",
    "rest": "BIGINT",
    "status": "VARCHAR",
    "state": "VARCHAR",
    "also": "VARCHAR",
    "nodes": "INTEGER",
    "gpus": "VARCHAR",
    "name": "VARCHAR",
    "account": "VARCHAR",
    "partition": "VARCHAR",
    "qos": "VARCHAR",
    "rule": "INTEGER",
    "unstated": "INTEGER",
    "untyped": "INTEGER",
    "item": "VARCHAR",
    "seed": "VARCHAR",
    "run": "VARCHAR",
    "made": "INTEGER",
    "held": "INTEGER",
    "none": "BOOLEAN",
}
"""The columns of what was read. Moments are seconds since 1970; `rest` is the part of a second in `PARTS`; `made` and
`held` are numbers of what rules made and of GPUs, where these were found without the engine, and `none` whether a rule
says that such a job had no GPU."""
BY_HAND = ("made", "held", "none")
PARTS = 10**12
_MOMENTS = ("submit", "start", "end")
_OFTEN = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "RUNNING", "PENDING", "OUT_OF_MEMORY")
"""States that most rows have, which are asked for first."""
_STEM = r"[0-9]{1,20}(?:_(?:[0-9]+|\[[^\]]*\]))?(?:\+[0-9]+)?"
_ID, _STEP = quoted(_STEM), quoted(_STEM + r"\.[^. ]{1,80}")
_ISO = quoted(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")
_NEVER = listed(("", "Unknown", "None", "N/A"))
_GPU = r"gres/gpu(?::[A-Za-z0-9_.:-]+)?=[0-9]{1,9}"
_GPUS = quoted(rf"{_GPU}(?:,{_GPU})*")
_CLOCKED = r"(?:([0-9]{1,6})-)?([0-9]{1,7}):([0-9]{1,6}):([0-9]{2})"


def query(
    cells: str,
    columns: Mapping[str, str],
    source: ImportSource,
    name: str,
    zone: tzinfo | None,
    rules: Compiled,
    file: int,
) -> str:
    """The rows of a file in the columns of `TABLE` but the last two, from a query of its cells."""
    own = source.cluster
    others = f"of_cluster <> '' AND of_cluster <> {quoted(str(own))}" if own else "false"
    ours = asking.fits(rules.only[0]) if rules.only else "true"
    texts = f"SELECT line, raw, fits, {_texts(columns, rules)} FROM ({cells})"
    # Each step has a name for what the next one asks for more than once, which is found once then.
    found = f"SELECT *, {_FOUND} FROM ({texts})"
    derived = f"SELECT *, {_derived(source)}, {_shown(zone)} FROM ({found})"
    timed = f"SELECT *, {_timed(zone)} FROM ({derived})"
    spans = f"SELECT *, {_SPAN} FROM ({timed})"
    sorted_ = (
        f"SELECT *, CASE WHEN NOT fits THEN {ODD} WHEN steps THEN {STEP} WHEN NOT sure THEN {ODD} "
        f"WHEN status = {quoted(PENDING)} THEN {WAITS} WHEN NOT spanned THEN {ODD} WHEN {others} THEN {OTHER} "
        f"WHEN NOT {ours} THEN {THEIRS} ELSE {JOB} END AS kind FROM ({spans})"
    )
    matched = f"SELECT *, {asking.matched(rules, JOB)} FROM ({sorted_})"
    taken = f"SELECT *, {asking.taken(rules)} FROM ({matched})"
    last = f"SELECT *, CASE WHEN kind = {JOB} AND unsure THEN {ODD} ELSE kind END AS what FROM ({taken})"
    return f"SELECT {_kept(str(own or name), file)} FROM ({last})"


def _texts(columns: Mapping[str, str], rules: Compiled) -> str:
    """What is read of a row, as text: never nothing."""
    found = {
        f"of_{name}": [columns[column] for column in named if column in columns] for name, named in COLUMNS.items()
    }
    asked = {"name", "account", "partition", "qos", *rules.fields}
    found |= {f"of_{name}": [columns[SAYS[name]]] if SAYS.get(name) in columns else [] for name in asked}
    said = {
        name: "".join([*(f"nullif({each}, ''), " for each in texts[:-1]), *(f"{each}, " for each in texts[-1:])])
        for name, texts in found.items()
    }
    return ", ".join(f"coalesce({texts}'') AS {name}" for name, texts in said.items())


_AT = "strpos(of_tres, 'gres/gpu')"
_FOUND = (
    "CASE WHEN contains(of_state, ' ') THEN substr(of_state, 1, strpos(of_state, ' ') - 1) ELSE of_state END AS word, "
    f"CASE WHEN contains(of_tres, 'gres/gpu') AND ({_AT} = 1 OR substr(of_tres, {_AT} - 1, 1) = ',') "
    f"THEN substr(of_tres, {_AT}) END AS parts, strpos(parts, ',mem=') AS after, "
    "CASE WHEN after = 0 THEN parts ELSE substr(parts, 1, after - 1) END AS key"
)


def _derived(source: ImportSource) -> str:
    """The state, status, GPUs and elapsed seconds of a row; nothing for what an engine cannot say."""
    words = dict.fromkeys([*_OFTEN, *STATES, *(word.upper() for word in source.statuses)])
    cases = "".join(f" WHEN {quoted(word)} THEN {quoted(status_of(source, word) or '')}" for word in words)
    every = "array_to_string(regexp_extract_all(of_tres, '(?:^|,)(gres/gpu[^,]*)', 1), ',')"
    return (
        f"fits AND contains(of_id, '.') AND regexp_full_match(of_id, {_STEP}) AS steps, "
        f"CASE word{cases} END AS status, "
        "CASE WHEN NOT contains(of_tres, 'gres/gpu') THEN '' "
        f"WHEN regexp_full_match(key, {_GPUS}) "
        "AND (after = 0 OR NOT contains(substr(parts, after), 'gres/gpu')) THEN key "
        f"WHEN NOT contains(of_tres, ' ') AND regexp_full_match({every}, {_GPUS}) THEN {every} END AS gpus, "
        f"CASE WHEN regexp_full_match(of_elapsed, '[0-9]{{1,12}}') THEN of_elapsed::BIGINT "
        f"WHEN regexp_full_match(of_elapsed, {quoted(_CLOCKED)}) THEN {_clocked()} END AS elapsed"
    )


def _clocked() -> str:
    """Seconds of a duration as 1-02:03:04."""
    parts = zip((1, 2, 3, 4), (86_400, 3600, 60, 1), strict=True)
    part = "coalesce(try_cast(regexp_extract(of_elapsed, {}, {}) AS BIGINT), 0) * {}"
    return " + ".join(part.format(quoted(rf"\A{_CLOCKED}\z"), number, seconds) for number, seconds in parts)


def _shown(zone: tzinfo | None) -> str:
    """What the clock shows at each moment of a row, as seconds of a clock of UTC."""
    found = []
    for name in _MOMENTS:
        text = f"of_{name}"
        shown = f"CASE WHEN regexp_full_match({text}, {_ISO}) THEN epoch(try_cast({text} AS TIMESTAMP))::BIGINT END"
        found.append(f"{shown if zone is not None else 'NULL::BIGINT'} AS {name}_shown")
    return ", ".join(found)


def _timed(zone: tzinfo | None) -> str:
    """The moments of a row: `*_at` is null where it has none, or an engine cannot say it; `*_none`: it has none."""
    found = []
    for name in _MOMENTS:
        text, shown = f"of_{name}", f"{name}_shown"
        ahead = looked_up(shown, by_clock(zone)) if zone is not None else "NULL"
        # Seconds since 1970 are those of one day at least: `0` is what Slurm writes for none.
        since = f"CASE WHEN regexp_full_match({text}, '[1-9][0-9]{{5,9}}') THEN {text}::BIGINT END"
        found.append(
            f"CASE WHEN {shown} IS NOT NULL THEN {shown} - ({ahead}) ELSE {since} END AS {name}_at, "
            f"{shown} IS NULL AND {text} IN {_NEVER} AS {name}_none"
        )
    return ", ".join(found)


_SPAN = (
    f"fits AND regexp_full_match(of_id, {_ID}) AND status IS NOT NULL AND gpus IS NOT NULL "
    "AND (submit_at IS NOT NULL OR submit_none) AS sure, "
    f"coalesce(elapsed <= {clock.MOST_OF_A_JOB}, false) "
    "AND (start_at IS NOT NULL OR start_none) AND (end_at IS NOT NULL OR end_none) "
    "AND NOT coalesce(elapsed > 0 AND end_at < start_at, false) AS spanned, "
    "start_at AS began, "
    "CASE WHEN start_at IS NOT NULL AND end_at < start_at THEN start_at ELSE end_at END AS end_read, "
    "regexp_matches(gpus, '=0*[1-9]') OR contains(of_asked, 'gres/gpu') AS asks"
)


def _kept(cluster: str, file: int) -> str:
    """What is kept of a row, by what it is."""
    job, known = f"what = {JOB}", f"what >= {WAITS}"
    named = f"replace(CASE WHEN of_cluster = '' THEN {quoted(cluster)} ELSE of_cluster END, '/', '-')"
    also = (
        f"CASE WHEN of_array <> of_id AND (regexp_full_match(of_array, {_ID}) "
        f"OR regexp_full_match(of_array, {_STEP})) THEN of_array ELSE '' END"
    )
    seen = f"CASE WHEN what = {WAITS} THEN submit_at ELSE greatest(submit_at, coalesce(end_read, began + elapsed)) END"
    known_nodes = "regexp_full_match(of_nodes, '[0-9]{1,6}') THEN of_nodes::INTEGER"
    nodes = f"CASE WHEN of_nodes = '1' THEN 1 WHEN {known_nodes} ELSE 1 END"
    ended = f"CASE WHEN status <> {quoted(RUNNING)} THEN coalesce(end_read, began + elapsed) END"
    found = {
        "cluster": named,
        "id": "of_id",
        "submit": "submit_at",
        "began": "began",
        "ended": ended,
        "elapsed": "elapsed",
        "rest": "0",
        "status": "status",
        "state": "word",
        "also": also,
        "nodes": nodes,
        "gpus": "gpus",
        "name": "of_name",
        "account": "of_account",
        "partition": "of_partition",
        "qos": "of_qos",
        "rule": "rule",
        "unstated": "unstated",
        "untyped": "untyped",
        "item": "item",
        "seed": "seed",
        "run": "run",
    }
    of_known = {"asks": "asks", "seen": seen, "partition": "of_partition"}
    first = {"file": str(file), "line": "line", "what": "what", "raw": f"CASE WHEN what = {ODD} THEN raw END"}
    whole = {
        **first,
        **{name: f"CASE WHEN {job} THEN {text} END" for name, text in found.items()},
        **{name: f"CASE WHEN {known} THEN {text} END" for name, text in of_known.items()},
    }
    return ", ".join(f"{whole[name]} AS {name}" for name in TABLE if name in whole)
