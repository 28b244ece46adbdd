"""Accounting of Slurm counted by an engine, as one expression: rows in, a few groups of jobs that are alike out.

What a row is, its moments, the rules that fit it, and which state of a job stands are found by the engine, step by
step as the plain reader does (`sacct`, `Reading.job`, `taking`). What all of that means is said in Python, of groups.
Steps are queries inside of queries, so that none repeats what another has found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from reckon.language.calendar_days import DAY, FIRST_OF_1970, iso
from reckon.model.day_split import MOST_DAYS
from reckon.model.patterns import GROUPS
from reckon.model.records import ImportSource
from reckon.model.records.imports import MOMENTS, UNSTATED, UNTYPED

from ..clock import Zone
from ..job import PENDING, RUNNING, states_by_status
from ..reading import LONGEST
from .compiled_rules import ONLY, RULE, Choice, CompiledRules
from .conditions import ibis, is_one_of
from .moments import day_of, read_moments, stretch_of
from .offsets import Offsets, offsets_of
from .states import FACTS, find_standing

ID = r"^[0-9]{1,20}(_([0-9]+|\[[^]]*\]))?([+][0-9]+)?$"
STEP = r"^[0-9]{1,20}(_([0-9]+|\[[^]]*\]))?([+][0-9]+)?[.][^. ]{1,80}$"
# A word that is no state may be a name of a person, unless it stands in capitals as those of Slurm: see `reading`.
STATE = "^[A-Z_]{1,30}[+]?( |$)"
ELAPSED, NODES = "^[0-9]{1,9}$", "^[0-9]{1,6}$"
# In AllocTRES: what is no GPU, by the first letter of its part or of its resource; and a count that is not zero.
_OTHER = "(^|,)([a-fh-z][^,]*|gres/([a-fh-z][^,]*|gpu[a-z_][^,]*))"
_ANY_GPU = "(^|,) *gres/gpu(:[^=,]*)?=0*[1-9]"
# Signs that act on a terminal or hide (`reading.plain`), as texts of all engines may have them.
_HIDDEN = (
    r"[\x{0}-\x{1f}\x{7f}-\x{a0}\x{1680}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{205f}-\x{206f}\x{3000}\x{feff}"
    r"\x{fff0}-\x{fffb}]"
)


class Query(NamedTuple):
    """What is asked of an engine: the source with its rules, the edges, which are days of the calendar, and the columns
    of its table by what they hold.

    `fields` are texts of a job that are kept beside those that rules ask for, `extras` columns that are kept as they
    are.
    """

    name: str
    source: ImportSource
    rules: CompiledRules
    zone: Zone
    edges: Sequence[int]
    columns: Mapping[str, str]
    fields: Collection[str] = ()
    extras: tuple[str, ...] = ()

    @property
    def inner(self) -> list[int]:
        """The edges that are no beginning of a month, as days since 1970."""
        return [day - FIRST_OF_1970 for day in self.edges if not iso(day).endswith("-01")]

    @property
    def offsets(self) -> Offsets | None:
        """The clock of the source."""
        return offsets_of(self.zone) if self.zone else None

    @property
    def unstated_counts(self) -> list[Fraction | None]:
        """The GPUs that each rule for jobs which state none gives them."""
        return [self.source.gpus[choice.name].count for choice in self.rules.lists[UNSTATED]]


def count_groups(table: Any, query: Query) -> Any:
    """The groups of jobs of a table, with how many rows there are in each, and their seconds."""
    rows = add_stretches(classify_rows(table, query), query)
    return _group(find_standing(rows))


def classify_rows(table: Any, query: Query) -> Any:
    """The rows of a table, each with what it is: why it is not a job (`why`, null where it is one), its moments, its
    state, its GPUs as a text, the rules that fit it, and what their groups took."""
    rows = read_moments(_select_texts(table, query), query.offsets)
    rows = _add_span(_derive(rows, query))
    return _capture(_match_rules(_add_reason(rows, query), query), query)


def _select_texts(table: Any, query: Query) -> Any:
    """The columns that are read, as texts, but for moments and numbers that have a type."""
    free_texts = {"name", "partition", "cluster"} | query.rules.fields.union(query.fields)
    texts = {}
    for name in sorted({"id", "state", "elapsed", "tres", "asked", "nodes", *MOMENTS} | free_texts):
        texts[f"of_{name}"] = _text_of(table, query, name)
    rows = table.select(*query.extras, **texts).view()
    return rows.mutate({f"of_{name}": _sanitise(rows[f"of_{name}"]) for name in sorted(free_texts)}).view()


def _text_of(table: Any, query: Query, name: str) -> Any:
    if name not in query.columns:
        return ibis.literal("")
    column = table[query.columns[name]]
    if name in MOMENTS and not column.type().is_string():
        return column
    text = column.cast("string").fill_null("")
    return text.strip() if name in ("state", "elapsed") else text


def _sanitise(text: Any) -> Any:
    """A text as `reading.plain` has it."""
    shown = text.re_replace(_HIDDEN, "\ufffd")
    short = shown.substr(0, LONGEST - 1).concat("…")
    return (text.length() > LONGEST).ifelse(short, shown)


def _derive(table: Any, query: Query) -> Any:
    """What single columns say: the state and what it means, how long it took, its GPUs as text, its cluster."""
    own = str(query.source.cluster or query.name)
    took = table.of_elapsed.re_search(ELAPSED).ifelse(table.of_elapsed, "-1")
    nodes = table.of_nodes.re_search(NODES).ifelse(table.of_nodes, "1")
    cluster = (table.of_cluster == "").ifelse(own, table.of_cluster).replace("/", "-")
    # The word of a state as `job.state_word` has it, and the GPUs among trackable resources.
    word = table.of_state.re_extract("^([^ ]*)", 1).fill_null("").upper().re_replace("[+]+$", "")
    tres = table.of_tres.re_replace(_OTHER, "").re_replace("^,", "")
    rows = table.mutate(word=word, took=took.cast("int64"), tres=tres, node_count=nodes.cast("int64"), cluster=cluster)
    status = _status_of(rows.word, query.source)
    return rows.mutate(
        status=status, has_gpus=rows.tres.re_search(_ANY_GPU), asks_gpus=rows.of_asked.contains("gres/gpu")
    )


def _status_of(word: Any, source: ImportSource) -> Any:
    """The status of a run for the word of a state; empty where it is not known."""
    statuses = states_by_status(source).items()
    return ibis.cases(*((is_one_of(word, states), status) for status, states in statuses), else_="")


def _add_span(table: Any) -> Any:
    """Start and end: of times that the clock shows twice, those that agree with the elapsed time."""
    start = table.moment_start
    end = table.moment_end
    spans = [(first, last) for first in (start, table.other_start) for last in (end, table.other_end)]
    fits = [(last - first) == table.took for first, last in spans]
    starts, ends = zip(*spans, strict=True)
    began = ibis.cases(*zip(fits, starts, strict=True), else_=start)
    ended = ibis.cases(*zip(fits, ends, strict=True), else_=(end < start).ifelse(start, end))
    turned = (table.took > 0) & (table.other_end < start) & ((end - start) != table.took)
    rows = table.mutate(began=began, ended=ended, turned=turned.fill_null(False), submit="moment_submit")
    last = rows.ended.coalesce(rows.began + rows.took)
    latest = ibis.coalesce(ibis.greatest(last, rows.submit), last, rows.submit)
    return rows.mutate(
        seen=(rows.status == PENDING).ifelse(rows.submit, latest),
        ended=(rows.status == RUNNING).ifelse(None, last),
    )


def _add_reason(table: Any, query: Query) -> Any:
    """Why a row is not a job of the project; null where it is."""
    reasons = {
        "steps": table.of_id.re_search(STEP),
        "id": ~table.of_id.re_search(ID),
        "state": table.status == "",
        "submit": table.unread_submit,
    }
    reasons |= {"pending": table.status == PENDING, "elapsed": table.took < 0}
    reasons |= {"start": table.unread_start, "end": table.unread_end, "span": table.turned}
    if own := query.source.cluster:
        reasons["cluster"] = ~is_one_of(table.of_cluster, ["", str(own)])
    for only in query.rules.lists[ONLY]:
        reasons["elsewhere"] = ~_fits(table, only)
    rows = table.mutate(why=ibis.cases(*((reason, why) for why, reason in reasons.items())))
    strange = (rows.why == "state") & ~rows.of_state.re_search(STATE)
    whole = rows.why.isnull() | ~is_one_of(rows.why, ["steps", "id"])
    return rows.mutate(
        word=strange.ifelse("", rows.word),
        partition=whole.ifelse(rows.of_partition, ""),
        tres=whole.ifelse(rows.tres, ""),
    )


def _fits(table: Any, choice: Choice) -> Any:
    """Whether a rule fits a row."""
    conditions = [table[f"of_{field}"].re_search(pattern.text) for field, pattern in choice.conditions.items()]
    if choice.days is not None:
        first = choice.days.start * DAY
        after = choice.days.stop * DAY
        conditions.append(table.began.between(first, after - 1).fill_null(False))
    return ibis.and_(*conditions)


def _match_rules(table: Any, query: Query) -> Any:
    """The number of the first rule that fits a job, and of those for gaps in what is said of GPUs; -1 for none, and for
    what is not a job."""
    job = table.why.isnull()
    lacks_type = job & table.tres.re_search("(^|,) *gres/gpu=")
    kinds = {RULE: job, UNSTATED: job & ~table.has_gpus, UNTYPED: lacks_type}
    return table.mutate({kind: find_first(table, query, kind, where) for kind, where in kinds.items()})


def find_first(table: Any, query: Query, kind: str, where: Any) -> Any:
    """The number of the first rule of a list that fits a row for which a condition holds; -1 for none."""
    choices = query.rules.lists[kind]
    cases = [(_fits(table, choice), number) for number, choice in enumerate(choices)]
    return where.ifelse(_choose(cases, -1), -1)


def _choose(cases: Sequence[tuple[Any, Any]], otherwise: Any) -> Any:
    """The value of the first condition that holds; there may be none."""
    return ibis.cases(*cases, else_=otherwise) if cases else ibis.literal(otherwise)


def _capture(table: Any, query: Query) -> Any:
    """What the groups of the rule took, and whether it makes nothing of a row that could be a run."""
    ignoring = [number for number, rule in enumerate(query.source.rules.values()) if rule.ignore]
    giving = [number for number, count in enumerate(query.unstated_counts) if count]
    rows = table.mutate(
        ignored=is_one_of(table.rule, ignoring), bare=~table.has_gpus & ~is_one_of(table.unstated, giving)
    )
    job = rows.why.isnull()
    # Without a GPU it is kept aside where it took any time, and never where a rule ignores it: see `taking`.
    kept = rows.ignored.ifelse(rows.has_gpus, ~rows.bare | (rows.took > 0))
    unruled = job & (rows.rule < 0) & ~rows.bare
    columns = {group: _captured_by(rows, query, group) for group in GROUPS}
    columns["candidate"] = job & kept
    columns["aside"] = job & (rows.ignored | rows.bare)
    columns["job_name"] = unruled.ifelse(rows.of_name, "")
    columns["nodes"] = (job & rows.bare).ifelse(rows.node_count, 1)
    columns["word"] = (job | (rows.why == "state")).ifelse(rows.word, "")
    return rows.mutate(columns)


def _captured_by(table: Any, query: Query, group: str) -> Any:
    """What a group took of a row, by the patterns of the rule that fits it."""
    cases = []
    for number, choice in enumerate(query.rules.lists[RULE]):
        for field, pattern in choice.conditions.items() if group in choice.wanted else ():
            if group in pattern.groups:
                text = table[f"of_{field}"].re_extract(pattern.text, pattern.groups[group])
                cases.append((table.rule == number, text.fill_null("")))
    return _choose(cases, "")


def add_stretches(table: Any, query: Query) -> Any:
    """The days from the first to the last on which a job ran, the stretch in which it began, and whether it ended in
    that."""
    begins = table.began.coalesce(table.ended, table.submit)
    rows = table.mutate(begins=begins, ends=ibis.greatest(table.began, table.ended - 1))
    rows = rows.mutate(first_day=day_of(rows.begins, query.offsets), last_day=day_of(rows.ends, query.offsets))
    rows = rows.mutate(
        stretch=stretch_of(rows.first_day, query.inner), last_stretch=stretch_of(rows.last_day, query.inner)
    )
    short = rows.last_day - rows.first_day < MOST_DAYS - 1
    within = rows.candidate & (rows.ended >= rows.began) & (rows.stretch == rows.last_stretch) & short
    return rows.mutate(within=within.fill_null(False))


def _group(table: Any) -> Any:
    """The groups, with the number of their rows, their seconds, and how many of their states are tied."""
    split = table.stands & ~table.within & ~table.aside
    columns = {name: split.ifelse(table[column], None) for name, column in SINGLE.items()}
    columns["empty"] = table.stands & (table.took == 0)
    columns["stretch"] = (table.stands & ~split).ifelse(table.stretch, None)
    columns["on_gpus"] = table.has_gpus | table.asks_gpus
    rows = table.mutate(columns)
    return rows.group_by(list(GROUP)).aggregate(
        rows=rows.count(),
        seconds=rows.took.sum(),
        first_day=rows.first_day.min(),
        last_day=rows.last_day.max(),
        latest=rows.seen.max(),
        tied=rows.tied.sum(),
        on_gpus=rows.on_gpus.any(),
    )


SINGLE = {"start": "began", "end": "ended", "submitted": "submit", "each": "took"}
"""What groups have of jobs that are told one by one, and the columns that it stands in."""
GROUP = ("why", *FACTS, "candidate", "stands", "closed", "repeats", "empty", "stretch", *SINGLE)
"""What rows of one group share: why they are no jobs, what is said of them, whether they are candidates for the state
of an attempt, stand, are closed by a later attempt or say what another one says, and took no time; the stretch in which
they began, or when each ran beyond it."""
