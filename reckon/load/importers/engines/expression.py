"""Accounting of Slurm counted by an engine, as one expression: rows in, a few groups of jobs that are alike out.

What a row is, its moments, the rules that fit it, and which state of a job stands are found by the engine, step by
step as the plain reader does (`sacct`, `Reading.job`, `taking`). What all of that means is said in Python, of groups.
Steps are queries inside of queries, so that none repeats what another has found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any, NamedTuple

from reckon.language.calendar_days import DAY, FIRST_OF_1970, iso
from reckon.model.day_split import MOST_DAYS
from reckon.model.patterns import GROUPS
from reckon.model.records import ImportSource
from reckon.model.records.imports import UNSTATED, UNTYPED

from ..job import PENDING, RUNNING, states_by_status
from ..reading import LONGEST
from .alike import Alike
from .conditions import is_one_of, strip
from .matching import Choice, Compiled
from .moments import day_of, stretch_of, timed
from .offsets import Offsets, offsets_of
from .states import SAID, last

ID = r"^[0-9]{1,20}(_([0-9]+|\[[^]]*\]))?([+][0-9]+)?$"
STEP = r"^[0-9]{1,20}(_([0-9]+|\[[^]]*\]))?([+][0-9]+)?[.][^. ]{1,80}$"
# A word that is no state may be a name of a person, unless it stands in capitals as those of Slurm: see `reading`.
STATE = "^[A-Z_]{1,30}[+]?( |$)"
ELAPSED, NODES = "^[0-9]{1,9}$", "^[0-9]{1,6}$"
# In AllocTRES: what is no GPU, by the first letter of its part or of its resource; and a count that is not zero.
_OTHER = "(^|,)([a-fh-z][^,]*|gres/([a-fh-z][^,]*|gpu[a-z_][^,]*))"
# Nearly all rows have their GPUs side by side between other parts: there they are taken as they stand.
_SIDE_BY_SIDE = "gres/gpu[:=][^,]*(?:,gres/gpu[:=][^,]*)*"
_USUAL = f"^(?:[a-fh-z][^,]*(?:,|$))*(?:{_SIDE_BY_SIDE})?(?:,[a-fh-z][^,]*)*$"
_ANY_GPU = "(^|,) *gres/gpu(:[^=,]*)?=0*[1-9]"
# Signs that act on a terminal or hide (`reading.plain`), as texts of all engines may have them.
_HIDDEN = (
    r"[\x{0}-\x{1f}\x{7f}-\x{a0}\x{1680}\x{2000}-\x{200f}\x{2028}-\x{202f}\x{205f}-\x{206f}\x{3000}\x{feff}"
    r"\x{fff0}-\x{fffb}]"
)
_MOMENTS = ("submit", "start", "end")


class Asked(NamedTuple):
    """What is asked of an engine: the source with its rules and their patterns, by list, name and field; the edges,
    which are days of the calendar; and the columns of its table by what they hold.

    `fields` are texts of a job that are kept beside those that rules ask for, `beside` columns that are kept as they
    are.
    """

    name: str
    source: ImportSource
    rules: Compiled
    patterns: Mapping[tuple[str, str], Mapping[str, Alike]]
    zone: tzinfo | None
    edges: Sequence[int]
    columns: Mapping[str, str]
    fields: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ()

    @property
    def inner(self) -> list[int]:
        """The edges that are no beginning of a month, as days since 1970."""
        return [day - FIRST_OF_1970 for day in self.edges if not iso(day).endswith("-01")]

    @property
    def offsets(self) -> Offsets | None:
        """The clock of the source."""
        return offsets_of(self.zone) if self.zone else None


def counted(table: Any, asked: Asked) -> Any:
    """The groups of jobs of a table, with how many rows and jobs there are in each, and their seconds."""
    return _grouped(last(within(classified(table, asked), asked)))


def classified(table: Any, asked: Asked) -> Any:
    """The rows of a table, each with what it is: why it is not a job (`why`, null where it is one), its moments, its
    state, its GPUs as a text, the rules that fit it, and what their groups took."""
    found = _texts(table, asked)
    found = timed(found, {name: f"of_{name}" for name in _MOMENTS}, asked.offsets)
    found = _spanned(_derived(found, asked))
    return _captured(_matched(_sorted(found, asked), asked), asked)


def _texts(table: Any, asked: Asked) -> Any:
    """The columns that are read, as texts, but for moments and numbers that have a type."""
    import ibis

    fields = {"id", "cluster", "state", "elapsed", "tres", "asked", "nodes", *_MOMENTS, "partition", "name"}
    found: dict[str, Any] = {}
    for name in sorted(fields | asked.rules.fields | asked.fields):
        column = table[asked.columns[name]] if name in asked.columns else ibis.literal("")
        typed = name in _MOMENTS and not column.type().is_string()
        text = column if typed else column.cast("string").fill_null("")
        found[f"of_{name}"] = strip(text) if name in ("state", "elapsed") else text
    texts = table.select(*asked.beside, **found).view()
    said = sorted(f"of_{name}" for name in {"name", "partition", "cluster"} | asked.rules.fields | asked.fields)
    # Nearly all rows are plain: it is asked once of all their texts together.
    every = texts[said[0]].concat(*(texts[name] for name in said[1:]))
    odd = every.re_search(_HIDDEN) | (every.length() > LONGEST)
    return texts.mutate(**{name: ibis.ifelse(odd, _plain(texts[name]), texts[name]) for name in said}).view()


def _plain(text: Any) -> Any:
    """A text as `reading.plain` has it."""
    import ibis

    shown = text.re_replace(_HIDDEN, "\ufffd")
    cut = shown.substr(0, LONGEST - 1).concat("…")
    return ibis.ifelse(text.length() > LONGEST, cut, shown)


def _derived(table: Any, asked: Asked) -> Any:
    """What single columns say: the state and what it means, how long it took, its GPUs as text, its cluster."""
    import ibis

    word = ibis.ifelse(table.of_state.contains(" "), table.of_state.re_extract("^([^ ]*)", 1), table.of_state)
    word = word.fill_null("").upper()
    word = ibis.ifelse(word.endswith("+"), word.re_replace("[+]+$", ""), word)
    own = str(asked.source.cluster or asked.name)
    long = table.of_elapsed.re_search(ELAPSED)
    nodes = table.of_nodes.re_search(NODES)
    found = table.mutate(
        word=word,
        took=ibis.ifelse(long, table.of_elapsed, "-1").cast("int64"),
        tres=ibis.ifelse(
            table.of_tres.re_search(_USUAL),
            table.of_tres.re_extract(_SIDE_BY_SIDE, 0).fill_null(""),
            table.of_tres.re_replace(_OTHER, "").re_replace("^,", ""),
        ),
        node_count=ibis.ifelse(nodes, table.of_nodes, "1").cast("int64"),
        cluster=ibis.ifelse(table.of_cluster == "", own, table.of_cluster).replace("/", "-"),
    )
    of_status = states_by_status(asked.source)
    pending = of_status.pop(PENDING, [])
    running = of_status.pop(RUNNING, [])
    ended = [word for some in of_status.values() for word in some]
    return found.mutate(
        status=ibis.cases(
            (is_one_of(found.word, ended), 2),
            (is_one_of(found.word, pending), 0),
            (is_one_of(found.word, running), 1),
            else_=-1,
        ),
        held=found.tres.re_search(_ANY_GPU),
        asks=found.of_asked.contains("gres/gpu"),
    )


def _spanned(table: Any) -> Any:
    """Start and end: of times that the clock shows twice, those that agree with the elapsed time."""
    import ibis

    start = table.start
    end = table.end
    took = table.took
    both = start.notnull() & end.notnull()
    pairs = [(table[first], table[last]) for first in ("start", "start_2") for last in ("end", "end_2")]
    fits = [((last - first) == took, first, last) for first, last in pairs]
    began = ibis.cases(*((fit, first) for fit, first, _ in fits), else_=start)
    ended = ibis.cases(*((fit, last) for fit, _, last in fits), else_=ibis.greatest(end, start))
    wrong = both & (took > 0) & (table.end_2 < start) & ((end - start) != took)
    table = table.mutate(
        began=ibis.ifelse(both, began, start), ended=ibis.ifelse(both, ended, end), turned=wrong.fill_null(False)
    )
    last = ibis.ifelse(table.ended.isnull(), table.began + table.took, table.ended)
    return table.mutate(
        seen=ibis.ifelse(
            table.status == 0, table.submit, ibis.coalesce(ibis.greatest(last, table.submit), last, table.submit)
        ),
        ended=ibis.ifelse(table.status == 1, ibis.null("int64"), last),
    )


def _sorted(table: Any, asked: Asked) -> Any:
    """Why a row is not a job of the project; null where it is."""
    import ibis

    own = asked.source.cluster
    unread = {name: ~table[f"read_{name}"] for name in _MOMENTS}
    no = ibis.literal(False)
    asks = {
        "steps": table.of_id.re_search(STEP),
        "id": ~table.of_id.re_search(ID),
        "state": table.status == -1,
        "submit": unread["submit"],
        "pending": table.status == 0,
        "elapsed": table.took < 0,
        "start": unread["start"],
        "end": unread["end"],
        "span": table.turned,
        "cluster": (table.of_cluster != "") & (table.of_cluster != str(own)) if own else no,
        "elsewhere": ~fits(table, asked, asked.rules.only[0], "only") if asked.rules.only else no,
    }
    found = table.mutate(why=ibis.cases(*((said, why) for why, said in asks.items()), else_=ibis.null("string")))
    strange = (found.why == "state") & ~found.of_state.re_search(STATE)
    whole = found.why.isnull() | ~is_one_of(found.why, ["steps", "id"])
    return found.mutate(
        word=ibis.ifelse(strange, "", found.word),
        partition=ibis.ifelse(whole, found.of_partition, ""),
        tres=ibis.ifelse(whole, found.tres, ""),
    )


def fits(table: Any, asked: Asked, choice: Choice, kind: str) -> Any:
    """Whether a rule fits a row."""
    import ibis

    found = ibis.literal(True)
    for field, alike in asked.patterns[kind, choice.name].items():
        found = found & table[f"of_{field}"].re_search(alike.text)
    if choice.since is not None or choice.until is not None:
        first = choice.since or 0
        last = choice.until if choice.until is not None else 1 << 30
        found = found & ((table.began >= first * DAY) & (table.began < (last + 1) * DAY)).fill_null(False)
    return found


def _matched(table: Any, asked: Asked) -> Any:
    """The number of the first rule that fits, and of those for gaps in what is said of GPUs; -1 for none."""
    import ibis

    found = table.mutate(
        rule=first_fitting(table, asked, asked.rules.rules, "rules"),
        unstated=first_fitting(table, asked, asked.rules.gaps[UNSTATED], "gpus"),
        untyped=first_fitting(table, asked, asked.rules.gaps[UNTYPED], "gpus"),
    )
    untyped = found.tres.re_search("(^|,) *gres/gpu=")
    return found.mutate(
        unstated=ibis.ifelse(found.held, -1, found.unstated), untyped=ibis.ifelse(untyped, found.untyped, -1)
    )


def first_fitting(table: Any, asked: Asked, choices: Sequence[Choice], kind: str) -> Any:
    """The number of the first of some rules that fits a row; -1 for none, and for what is not a job."""
    import ibis

    job = table.why.isnull()
    cases = [(job & fits(table, asked, choice, kind), number) for number, choice in enumerate(choices)]
    return ibis.cases(*cases, else_=-1) if cases else ibis.literal(-1)


def _captured(table: Any, asked: Asked) -> Any:
    """What the groups of the rule took, and whether it makes nothing of a row that could be a run."""
    import ibis

    def taken(group: str) -> Any:
        cases = []
        for number, choice in enumerate(asked.rules.rules):
            for field, alike in asked.patterns["rules", choice.name].items():
                if group in choice.wanted and group in alike.groups:
                    text = table[f"of_{field}"].re_extract(alike.text, alike.groups[group]).fill_null("")
                    cases.append((table.rule == number, text))
        return ibis.cases(*cases, else_="") if cases else ibis.literal("")

    ignoring = [number for number, rule in enumerate(asked.source.rules.values()) if rule.ignore]
    giving = [
        number for number, choice in enumerate(asked.rules.gaps[UNSTATED]) if asked.source.gpus[choice.name].count
    ]
    table = table.mutate(
        ignored=is_one_of(table.rule, ignoring),
        bare=~table.held & ~is_one_of(table.unstated, giving),
    )
    job = table.why.isnull()
    # Without a GPU it is kept aside where it took any time, and never where a rule ignores it: see `taking`.
    kept = ibis.ifelse(table.ignored, table.held, ~table.bare | (table.took > 0))
    return table.mutate(
        **{group: taken(group) for group in GROUPS},
        candidate=job & kept,
        aside=job & (table.ignored | table.bare),
        named=ibis.ifelse(job & (table.rule < 0) & ~table.bare, table.of_name, ""),
        nodes=ibis.ifelse(job & table.bare, table.node_count, 1),
        word=ibis.ifelse(job | (table.why == "state"), table.word, ""),
    )


def within(table: Any, asked: Asked) -> Any:
    """The days from the first to the last on which a job ran, the stretch in which it began, and whether it ended in
    that."""
    import ibis

    table = table.mutate(
        begins=ibis.coalesce(table.began, table.ended, table.submit),
        ends=ibis.greatest(table.began, table.ended - 1),
    )
    table = table.mutate(first=day_of(table.begins, asked.offsets), last=day_of(table.ends, asked.offsets))
    table = table.mutate(stretch=stretch_of(table["first"], asked.inner), to=stretch_of(table["last"], asked.inner))
    short = table["last"] - table["first"] < MOST_DAYS - 1
    inside = (table.ended >= table.began) & (table.stretch == table.to) & short
    return table.mutate(within=(table.candidate & inside).fill_null(False))


def _grouped(table: Any) -> Any:
    """The groups, with the number of their rows, of jobs that stand, of their seconds, and of states that are tied."""
    import ibis

    null = ibis.null("int64")
    split = table.stands & ~table.within & ~table.aside
    told = {"start": "began", "end": "ended", "submitted": "submit", "each": "took"}
    keyed = table.mutate(
        **{name: ibis.ifelse(split, table[column], null) for name, column in told.items()},
        empty=table.stands & (table.took == 0),
        stretch=ibis.ifelse(table.stands & ~split, table.stretch, null),
        jobs=table.stands.ifelse(1, 0).cast("int64"),
        seconds=table.stands.ifelse(table.took, 0).cast("int64"),
        tied=table.tied.ifelse(1, 0).cast("int64"),
        gpu=(table.held | table.asks).ifelse(1, 0),
    )
    return keyed.group_by(list(GROUP)).aggregate(
        rows=keyed.count(),
        jobs=keyed.jobs.sum(),
        seconds=keyed.seconds.sum(),
        first=keyed["first"].min(),
        last=keyed["last"].max(),
        latest=keyed.seen.max(),
        tied=keyed.tied.sum(),
        gpu=keyed.gpu.max(),
    )


GROUP = (
    "why",
    *SAID,
    "candidate",
    "stands",
    "closed",
    "repeats",
    "empty",
    "stretch",
    "start",
    "end",
    "submitted",
    "each",
)
"""What rows of one group share: why they are no jobs, what is said of them, whether they are candidates for the state
of an attempt, stand, are closed by a later attempt or say what another one says, and took no time; the stretch in which
they began, or when each ran beyond it."""
