"""imports.yaml: which export of a scheduler holds which runs of a project, and what its words mean here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, ValidationInfo

from reckon.language.text import Text
from reckon.language.units import key_unit, value_unit
from reckon.model import presets
from reckon.model.amounts import each_of
from reckon.model.fields import ReadBy
from reckon.model.patterns import Pattern, read_pattern
from reckon.model.record import Record, defaults
from reckon.model.scalars import complain, read_reference, read_text, read_word, read_zone, scalar
from reckon.model.shares import read_portion, read_portions
from reckon.model.values import Date, Days, Exactly, Flag, Id, Reference, RefersTo, Seed, Words, takes

from .shared import CardRef, Finishes, Payer, PriceListRef, Status, word

TABLES = ("csv", *presets.NAMES)
"""Formats that are tables, of which `columns` can say what each column holds."""
SOURCE_FORMATS = ("sacct", "sacct-json", "pbs", *TABLES, "codecarbon", "focus")
COUNTED = HOURS, PROGRESS, ENERGY, MONEY = ("hours", "progress", "energy", "money")
"""What a source can count: the hours of jobs, or what is added to them."""
ADDED = (PROGRESS, ENERGY, MONEY)
_COUNTED_BY = {"sacct": HOURS, "sacct-json": HOURS, "pbs": HOURS, "codecarbon": ENERGY, "focus": MONEY}
"""What exports of a format count, where that is one thing; those of others count hours, or what they say."""
MATCHED = ("name", "account", "partition", "qos", "wckey", "comment", "directory", "group", "tags", "service", "person")
"""What of a job the patterns of a rule can ask for."""
KEPT = ("name", "account", "partition", "qos")
"""Which of these an entry keeps, so that rules apply again without the export."""
PRIVATE = ("comment", "directory", "person")
"""Which of these nobody may read in a ledger or a message: a group of their patterns can only name what is planned."""
MOST_COLUMNS = 200
ROW_KINDS = RECORDS, PARTS, STATES = ("records", "parts", "states")
"""What rows of one id are: records of attempts, parts that add up, or states of which one counts."""
IGNORED, NO_GPUS, PARENT = "ignored", "no-gpus", "parent"
"""Why a job that was read is not a run of the project."""
DATE_ORDERS = {"day-first": "%d/%m/%Y", "month-first": "%m/%d/%Y"}
"""What stands first in a date that does not begin with its year, and how such a date is read."""
LAST_SEEN = Text("last-seen")
"""In place of a moment: a job ended when it was last seen."""
ENDED = "cancelled"
"""The status of a job that `ended` ends. What became of it is not known: *completed* would say that its work is done,
*failed* or *node-failure* why it ended. A job that was cancelled is spent, and nothing more."""
FEWER = "a later export has fewer hours"
"""With this begins why a job is in doubt that has ended in two exports."""
ONE_METER, OWN_METERS = "one", "each"
UNSTATED, UNTYPED = "unstated", "untyped"
"""What an export can leave out of a job: its GPUs, or their type, which a ledger calls by the same word."""
Gpus = tuple[tuple[str, int | Fraction], ...]
"""GPUs by the type that their source names (empty for none), with how many, or the part of one that a table states."""

_COUNT = re.compile("[0-9]{1,9}(?:/[1-9][0-9]{0,12})?")


def gpus_text(gpus: Gpus) -> str:
    """GPUs by type, as `a100=4,untyped=1/4`."""
    return ",".join(f"{kind or UNTYPED}={count}" for kind, count in gpus)


def gpus_in(text: str) -> Gpus:
    """GPUs by type, as `gpus_text` writes them."""
    pairs = (part.rpartition("=") for part in text.split(",") if part)
    counts = (
        (kind, int(text) if text.isdecimal() else Fraction(text)) for kind, _, text in pairs if _COUNT.fullmatch(text)
    )
    return tuple(("" if kind == UNTYPED else kind, count) for kind, count in counts)


HELD = (
    "job",
    "state",
    "submit",
    "start",
    "end",
    "wall_hours",
    "gpu_hours",
    "gpus",
    "gpu",
    "nodes",
    "cluster",
    *MATCHED,
    "seed",
    "done",
    "total",
    "energy_kwh",
    "utilisation",
    "cost_usd",
    "effective_usd",
    "currency",
    "parent",
    "scheduler_job",
)
"""What a column of a table can hold."""
CONSTANT = ("state", "gpus", "gpu", "name")
"""Of this, what can be the same in all rows of a table."""
MOMENTS = ("submit", "start", "end")
"""The moments of a job."""
MEASURED = frozenset(HELD) - {*MATCHED, "state", "nodes", "seed", "parent", "scheduler_job"}
"""Of what a column can hold, what makes the identity of a row and its amounts."""
_LONG = ("wall_hours", "gpu_hours")
KWH = key_unit("kwh")


class HeldColumn(NamedTuple):
    """What a column of a table holds; of a duration the hours, of energy the kWh, of a share the part, that one of its
    unit is."""

    holds: str
    hours: Fraction = Fraction(1)


Columns = tuple[Text, ...] | dict[str, HeldColumn]


def _columns(raw: object) -> Columns:
    """The names of columns in their order; or what each holds, as `wall_hours`, or `{is: wall_hours, unit: s}`."""
    if isinstance(raw, list | tuple):
        if not raw or len(raw) > MOST_COLUMNS:
            raise complain(raw, f"this names {len(raw)} columns", f"name 1 to {MOST_COLUMNS}, in their order")
        return tuple(read_text(name) for name in raw)
    found = each_of(raw, lambda _, written: _read_held(written), read_text)
    return found


def _read_held(raw: object) -> HeldColumn:
    parts = dict(raw) if isinstance(raw, Mapping) else {"is": raw}
    if strange := next((key for key in parts if key not in ("is", "unit")), None):
        raise complain(strange, f"unknown key `{str(strange)[:40]}`", "write `{is: wall_hours, unit: s}`")
    holds = read_word(HELD, parts.get("is", ""))
    if "unit" not in parts:
        return HeldColumn(str(holds))
    text = scalar(parts["unit"])
    unit = value_unit(text)
    if holds == "energy_kwh" and unit is not None and unit.kinds == KWH.kinds:
        return HeldColumn(str(holds), unit.scale / KWH.scale)
    if holds == "utilisation" and text in ("%", "percent"):
        return HeldColumn(str(holds), Fraction(1, 100))
    kinds = (("gpu", 1), ("time", 1)) if holds == "gpu_hours" else (("time", 1),)
    if holds not in _LONG or unit is None or unit.kinds not in (kinds, (("time", 1),)):
        right = "s, min, h or d of `wall_hours` or `gpu_hours`, Wh or kWh of `energy_kwh`, percent of `utilisation`"
        raise complain(text, f"`{text[:40]}` is not a unit of what this column holds", right)
    return HeldColumn(str(holds), unit.scale)


def _patterns(raw: object) -> dict[str, Pattern]:
    """Patterns by what they are matched against."""

    def name(key: str) -> Text:
        text = read_text(key)
        if text not in MATCHED:
            raise complain(
                text, f"`{text[:40]}` is not a property that a rule can match", f"there are {', '.join(MATCHED)}"
            )
        return text

    found = each_of(raw, lambda _, written: read_pattern(written), name)
    for field in PRIVATE:
        if field in found and "run" in found[field].engine.groupindex:
            wrong, right = f"the group `run` would store what a {field} says", "take it from the name of the job"
            raise complain(str(found[field].text), wrong, right)
    if not found:
        raise complain(raw, "there is no pattern here", "write `name: 'sweep-.*'`, or another property")
    return found


_COLUMN: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "enum": list(HELD)},
        {
            "type": "object",
            "properties": {"is": {"enum": list(HELD)}, "unit": {"type": "string"}},
            "additionalProperties": False,
        },
    ]
}
_COLUMNS: dict[str, Any] = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "additionalProperties": _COLUMN},
    ]
}
_PATTERNS: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "propertyNames": {"enum": list(MATCHED)},
}
_PART_OF_CARD: dict[str, Any] = {
    "anyOf": [
        takes("catalog.gpus"),
        {
            "type": "object",
            "properties": {"card": takes("catalog.gpus"), "share": takes("portion")},
            "required": ["card", "share"],
            "additionalProperties": False,
        },
    ]
}
CardOrPart = Annotated[Text, ReadBy(read_reference, _PART_OF_CARD), RefersTo("catalog.gpus")]
Patterns = Annotated[dict[str, Pattern], ReadBy(_patterns, _PATTERNS)]
Portion = Annotated[Any, ReadBy(read_portion, takes("portion"))]
_PORTIONS = {"type": "object", "additionalProperties": takes("portion")}
Portions = Annotated[dict[str, Any], ReadBy(read_portions, _PORTIONS), RefersTo("items")]


def read_separator(raw: object) -> Text:
    """What stands between the cells of a table: a tab, or what a line can show."""
    text = scalar(raw)
    return Text("\t", text.place) if text in ("tab", "\t", "\\t") else read_text(raw)


Separator = Annotated[Text, ReadBy(read_separator, takes("text"))]
Zone = Annotated[Text, ReadBy(read_zone, takes("zone"))]
StateWord = Annotated[Text, ReadBy(scalar, {"type": "string"})]
"""A word for a state, as a source writes it; an empty one stands for a state that is not stated."""
GpuGap = Annotated[Text, word(UNSTATED, UNTYPED)]
ItemRef = Annotated[Reference, RefersTo("items")]


class ImportRule(Record):
    """A rule of a source: which jobs it matches, and where their hours go."""

    when: Patterns = Field(description="patterns (RE2) of the whole of each: `{name: 'sweep-.*', account: ac1}`")
    item: Words | None = Field(None, description="the item that the hours belong to")
    items: dict[Words, ItemRef] = Field(
        default_factory=dict, description="item for each text captured by the group `item`"
    )
    split: Portions = Field(default_factory=dict, description="parts of each job by item: `{sft: 50%, rft: 50%}`")
    seed: Seed | None = Field(None, description="the seed of its runs, instead of the group `seed`")
    run: Words | None = Field(None, description="the run of its jobs, instead of the group `run`")
    unplanned: Flag = Field(False, description="the item is not in the plan")
    allocation: Payer | None = Field(None, description="allocation that pays, or `none`; overrides the source")
    price: PriceListRef | None = Field(None, description="price list of its jobs; overrides the source")
    ignore: Words | None = Field(None, description="why this project was not charged for them")
    notes: Words | None = None


class GpuRule(Record):
    """The GPUs of jobs whose source does not state them, or their type."""

    when: Patterns = Field(description="as in a rule")
    gap: GpuGap = Field(description="unstated (no GPU stated) or untyped (no type stated)", alias="if")
    count: Exactly | None = Field(None, description="GPUs of each job that states none")
    share: Portion | None = Field(None, description="share of each GPU that the job has: `1/7`")
    card: CardRef | None = Field(None, description="the card that its GPUs are")
    since: Date | None = Field(None, description="the first day on which such a job began")
    until: Date | None = Field(None, description="the last day on which a job that it is for began")
    notes: Words | None = None


class ImportSource(Record):
    """A scheduler, tracker or table to import runs from, and the meaning of its words.

    What it does not state its preset does, where its format is one; `from_preset` names what comes from there.
    """

    derived: ClassVar[tuple[str, ...]] = ("from_preset", "card_shares")

    title: Words | None = None
    format: Annotated[Text, word(*SOURCE_FORMATS)] = Field(description="format of the export")
    counts: Annotated[Text, word(*COUNTED)] | None = Field(
        None, description="hours | progress | energy | money: one source per cluster has hours, others add to them"
    )
    cost: Annotated[Text, word("billed", "effective")] = Field(
        Text("billed"), description="which cost of a bill counts: billed, or effective (with discounts spread)"
    )
    cluster: Words | None = Field(None, description="part of a job's identity (default: the id of the source)")
    timezone: Zone | None = Field(None, description="time zone of times without an offset: Europe/Oslo, or UTC")
    delimiter: Separator | None = Field(
        None, description="separator of cells (default: detected); `tab`, or one character"
    )
    decimal: Annotated[Text, word(",", ".")] | None = Field(
        None, description="decimal mark of a table: comma or point; the other separates thousands"
    )
    dates: Annotated[Text, word(*DATE_ORDERS)] | None = Field(
        None, description="which part of dates such as 16/10/2026 is first, in a table"
    )
    skip: Annotated[Pattern, ReadBy(read_pattern, {"type": "string"})] | None = Field(
        None, description="pattern (RE2) of cells in rows that are not jobs, such as `Total`"
    )
    columns: Annotated[Any, ReadBy(_columns, _COLUMNS)] = Field(
        (), description="names of the columns if the file has no header; for a table the field of each"
    )
    constants: dict[Annotated[str, word(*CONSTANT)], StateWord] = Field(
        default_factory=dict,
        description="what is the same in all rows of a table that has no column for it: `{state: completed, gpus: 8}`",
    )
    header: tuple[Words, ...] = Field((), description="names of the columns of a table without a header")
    path: Words | None = Field(
        None, description="JSON: where the rows are, such as `data.items`; `*` is each of a list or an object"
    )
    encoding: Annotated[Text, word("utf-8", "latin-1")] = Field(
        Text("utf-8"), description="encoding of the file; UTF-16 and gzip are recognized"
    )
    rows: Annotated[Text, word(*ROW_KINDS)] | None = Field(
        None,
        description="rows of one id: attempts, separated by time (default) | parts that add up | states, the last "
        "counts",
    )
    key: tuple[Words, ...] = Field(
        (), description="of parts: the columns that tell them apart, instead of id and start"
    )
    allocation: Payer | None = Field(None, description="allocation that pays, or `none`; overrides the plan")
    price: PriceListRef | None = Field(None, description="price list of its jobs; overrides the plan")
    cards: dict[Words, CardOrPart] = Field(
        default_factory=dict,
        description="card for each GPU type of the source, or a part of one: `{card: a100-40gb, share: 1/7}`; "
        "`untyped` for no type",
    )
    card_shares: dict[Words, Portion] = Field(default_factory=dict)
    only: Patterns = Field(default_factory=dict, description="jobs of this project; others are not stored")
    most_lines: Days = Field(
        5000, description="above this number of jobs a month, similar jobs are counted together (5000)"
    )
    archive: Words | None = Field(None, description="folder for the job files of such months (default: here)")
    finishes: Finishes = Field(Text("never"), description="what a completed job ends")
    statuses: dict[StateWord, Status] = Field(
        default_factory=dict,
        description="meaning of a state, if it differs: `timeout: completed`, or for no state `'': completed`",
    )
    ended: dict[Words, Words] = Field(
        default_factory=dict,
        description="end of jobs that exports show as running, by job id: a day and time, or `last-seen`",
    )
    meter: Annotated[Text, word(ONE_METER, OWN_METERS)] | None = Field(
        None, description="whether equal rows of energy are one meter (counted once), or one meter each"
    )
    rules: dict[Id, ImportRule] = Field(default_factory=dict, description="rules; the first that fits a job applies")
    gpus: dict[Id, GpuRule] = Field(default_factory=dict, description="GPUs that the source does not state")
    notes: Words | None = None
    from_preset: frozenset[str] = frozenset()

    @classmethod
    def fill_in(cls, found: dict[str, Any], info: ValidationInfo) -> None:
        """Adds the settings of its preset, and the shares of cards that stand with them."""
        name = str(found.get("format"))
        if name in presets.NAMES:
            found["from_preset"] = presets.fill_settings(found, presets.read_preset(name))
        cards = found.get("cards")
        parts = {}
        if isinstance(cards, Mapping):
            parts = {kind: part for kind, part in cards.items() if isinstance(part, Mapping)}
        for kind, part in parts.items():
            if part.keys() != {"card", "share"}:
                raise complain(kind, "this is not a part of a card", "write `{card: a100-40gb, share: 1/7}`")
        if parts:
            found["cards"] = {**(cards or {}), **{kind: part["card"] for kind, part in parts.items()}}
            found["card_shares"] = {kind: part["share"] for kind, part in parts.items()}

    @property
    def stated(self) -> ImportSource:
        """The source with what it states itself alone."""
        empty = defaults(ImportSource)
        changes: dict[str, Any] = {name: empty[name] for name in self.from_preset if name in empty}
        for name in presets.MERGED:
            if name not in changes and isinstance(values := getattr(self, name), dict):
                changes[name] = {key: value for key, value in values.items() if f"{name}.{key}" not in self.from_preset}
        return self.model_copy(update=changes)

    @property
    def is_table(self) -> bool:
        """Whether its exports are tables whose columns it names."""
        return self.format in TABLES

    @property
    def has_own_states(self) -> bool:
        """Whether its preset lists the words for states, so that no others are known."""
        return "statuses" in self.from_preset or any(name.startswith("statuses.") for name in self.from_preset)

    @property
    def counted(self) -> str:
        """What it counts: as it says, else as its format does."""
        return str(self.counts or _COUNTED_BY.get(str(self.format), HOURS))

    @property
    def counted_at_most(self) -> str:
        """What it can count, where its format leaves no choice; else what it says."""
        return _COUNTED_BY.get(str(self.format), self.counted)

    @property
    def kept(self) -> tuple[str, ...]:
        """What of a job its entries keep; charges of a bill are added up by their service, which is their name."""
        return ("name", "service") if self.format == "focus" else KEPT

    @property
    def zone(self) -> str | None:
        """The time zone of times that name no offset; None where nothing says it."""
        if self.timezone:
            return str(self.timezone)
        return "UTC" if self.format == "focus" else None

    @property
    def columns_held(self) -> Mapping[str, HeldColumn]:
        """What each column of a table holds, by its name."""
        return self.columns if isinstance(self.columns, dict) else {}

    @property
    def columns_named(self) -> tuple[Text, ...]:
        """The names of the columns of a file without a header, in their order."""
        return () if isinstance(self.columns, dict) else tuple(self.columns)

    @property
    def row_kind(self) -> str:
        """What rows of one id are: as it says; CodeCarbon writes a run anew whenever it is flushed."""
        return str(self.rows or (STATES if self.format == "codecarbon" else RECORDS))

    @property
    def by_start(self) -> bool:
        """Whether the start of a row is part of what tells it from others of its id."""
        return self.format != "focus" and self.row_kind != STATES and not self.key

    @property
    def states_submit(self) -> bool:
        """Whether its rows state when a job was submitted."""
        return self.format in ("sacct", "sacct-json", "pbs") or any(
            column.holds == "submit" for column in self.columns_held.values()
        )

    @property
    def reading(self) -> str:
        """A digest of what says which rows are one record, and how much each states: empty of Slurm as it is."""
        if not self.is_table and not self.rows:
            return ""
        columns = self.stated.columns_held
        held = sorted((str(name), column) for name, column in columns.items() if column.holds in MEASURED)
        said = repr((self.row_kind, [str(name) for name in self.key], self.zone, held))
        said += f"{self.dates or ''}{self.stated.constants or ''}"
        said += "".join(f"{part}" for part in (self.header, self.path) if part)
        return hashlib.sha256(said.encode()).hexdigest()[:12]

    @property
    def forgetful(self) -> list[str]:
        """The rules that ask for what no entry keeps, so that they cannot be applied again without the export."""
        asked = [(str(name), rule.when) for name, rule in self.rules.items()]
        asked += [(str(name), filling.when) for name, filling in self.gpus.items()]
        return [name for name, when in (*asked, ("only", self.only)) if set(when) - set(self.kept)]
