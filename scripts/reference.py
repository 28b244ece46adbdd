"""The reference of the guide: every file of a ledger and every field of its records, out of the records themselves.

What a field takes is told by its type, its unit by its name, its description is that of editors, and its example is the
first that the ledger of the tests has (`DEMO`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic.fields import FieldInfo

from reckon.language.units import key_unit
from reckon.model import kinds
from reckon.model import records as r
from reckon.model.fields import ReadBy
from reckon.model.record import Record
from reckon.model.values import RefersTo

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide"
DEMO = Path(__file__).resolve().parents[1] / "tests" / "demo"
"""A ledger that has every kind of record: examples are taken from it, and samples of findings are changes of it."""
LEDGER = DEMO.parents[1] / "ledger"
COMMON = {
    "title": "name shown on pages",
    "source": "source of the value",
    "notes": "a note",
    "as_of": "day for which it is valid",
    "year": "year of the data",
    "licence": "licence of the publication",
}
"""Fields that mean the same in all records, as an editor and the reference of the guide describe them."""
MOST = 46
"""The longest example, in characters."""
QUANTITY = "quantity"
TAKES: Mapping[str, str] = {
    "read_text": "text",
    "read_separator": "text",
    "read_date": "day, month or year",
    "read_time": "day, or day and time",
    "read_id": "id",
    "read_reference": "id",
    "read_amount": QUANTITY,
    "read_above": f"{QUANTITY} above 0",
    "read_gpu_hours": QUANTITY,
    "read_ceiling_of_hours": f"{QUANTITY} of GPU-hours or money, or a list with one of each",
    "read_ceiling_of_money": f"{QUANTITY} of GPU-hours or money, or a list with one of each",
    "read_number": "number",
    "read_positive": "number above 0",
    "_read_per_gpu_hour": "quantity above 0, or one for each card",
    "read_some_runs": f"{QUANTITY} of whole runs",
    "read_lasting": "number",
    "read_held": "number",
    "read_charged": "number",
    "read_signed": "number",
    "read_ratio": "share or factor",
    "read_share": "share",
    "read_efficiency": "share above 0",
    "read_portion": "share",
    "read_chance": "share up to 50%",
    "read_pue": "number from 1 up",
    "read_named_pue": "number from 1 up, or an id",
    "read_flag": "`true` or `false`",
    "read_pue_of_run": "number from 1 up, or an id",
    "read_notes": "text, or list of texts",
    "read_whole": "whole number",
    "read_count": "whole number",
    "read_whole_quantity": "whole number",
    "read_seeds": "whole number, or list of names",
    "read_settings": "map of settings",
    "read_under": "map to quantities",
    "read_pattern": "pattern (RE2)",
    "scalar": "text, which may be empty",
    "read_rates": "map to quantities",
    "read_free": "map to quantities",
    "read_one": QUANTITY,
    "read_unit": "unit",
    "read_condition": "[condition](language.md#conditions)",
    "read_rows": "list of maps to numbers",
    "read_parts": "list of texts, or map to texts",
    "input_key": "name",
    "read_column_field": "field of a run",
    "read_zone": "time zone",
    "read_portions": "map to shares",
    "_columns": "list of names, or map to what each holds",
    "_patterns": "map to patterns",
    "_format": "whole number",
    "_address": "address",
    "read": "text",
}
"""What a field takes, by the function that reads it."""
ABOUT: Mapping[str, tuple[str, ...]] = {
    "plan": ("Card", "Project", "Phase", "Item", "Price list", "Hardware", "Need"),
    "runs": ("Run", "Progress"),
    "import": ("Import source", "Import rule", "Gpu rule", "Import lock"),
    "forecast": ("Policy", "Drop", "At risk"),
    "team": ("Tree settings", "Forge"),
    "choose": ("Throughputs", "Workload", "Setups", "Search", "Provider", "Market"),
    "fit": ("Configuration", "Memory part", "Lever", "Model"),
    "measure": ("Measurement", "Projection", "Bound", "Device", "Setting spec", "Framework", "Page"),
    "energy": ("Grid", "Facility"),
    "whatif": ("Proposal", "Proposed change"),
    "release": ("Version",),
    "request": ("Charge",),
    "published": ("Claim", "Passage", "Accept", "Citation"),
    "pays": ("Allocation", "Change", "Price change", "Factors", "Exchange rate", "Dated rates"),
    "language": ("Named figure",),
}
"""The pages of the guide, by their names, with the records that each shows in use."""
MEASURED = (QUANTITY, f"{QUANTITY} above 0", "number", "map to quantities")
"""What a unit is told of."""
HEAD = """# Fields

<!-- Made by `python -m scripts.guide` from the records in reckon/model/records. Do not edit. -->

Every file of a ledger, and every field of its records. [Your own plan](plan.md) begins a ledger. `budget schema`
writes the same as JSON schemas, with which editors complete and check what you type.

- **bold**: the field is required.
- *quantity*: a number, a range, `unknown` or a formula ([all forms](language.md#quantities)). The name of
  the field has its unit.
- *id of …*: the id of a record there.
- Any other key is refused, unless the record says that it takes free keys.
"""
FORMS = {"map": "map of ids to records", "list": "list", "one": "one record"}


def reference() -> str:
    """The page of the reference as markdown."""
    parts = [HEAD, *_files()]
    told: set[str] = set()
    for title, owners in _sections():
        parts.append(f"\n## {title}\n")
        for owner in owners:
            parts += [_record(kind) for kind in _with_inner(owner) if kind.__name__ not in told]
            told |= {kind.__name__ for kind in _with_inner(owner)}
    return "\n".join(parts)


def _sections() -> Iterator[tuple[str, list[type[Record]]]]:
    """The headings of the page with the records that are told below each; what these are made of comes after them."""
    catalogue = [kind.record for kind in kinds.CATALOG.values()]
    yield "The tree and the catalogue", [r.TreeSettings, *catalogue, r.Allocation]
    yield "The project", [r.Project]
    for kind in kinds.PROJECT.values():
        yield f"`{kind.id}`", [kind.record]
    yield "`proposals`", [r.Proposal]
    yield "`imports.lock`", [r.ImportLock]


def _files() -> Iterator[str]:
    """The table of files."""
    yield "## Files\n\n| File | Content | Form |\n|---|---|---|"
    yield _file("ledger/tree.yaml", r.TreeSettings, "one")
    for kind in kinds.CATALOG.values():
        yield _file(f"ledger/catalog/{kind.id}.yaml", kind.record, "map")
    yield _file("ledger/allocations.yaml", r.Allocation, "map")
    yield _file("ledger/PROJECT/project.yaml", r.Project, "one")
    for kind in kinds.PROJECT.values():
        name = "runs/*" if kind.id == "runs" else kind.id
        yield _file(f"ledger/PROJECT/{name}.yaml", kind.record, "list" if kind.listed else "map")
    yield _file("ledger/PROJECT/proposals/*.yaml", r.Proposal, "one")
    yield _file("ledger/PROJECT/imports.lock.yaml", r.ImportLock, "map")
    yield "\n`PROJECT` is the id of a project. Only `project.yaml` is required."


def _file(path: str, kind: type[Record], form: str) -> str:
    return f"| `{path}` | {_link(kind)}: {_said(kind).split('. ')[0].rstrip('.')} | {FORMS[form]} |"


def _with_inner(kind: type[Record]) -> list[type[Record]]:
    """A record and those that its fields hold, each after the one that holds it."""
    found = [kind]
    for field in kind.model_fields.values():
        for inner in _records_in(field.annotation):
            found += [each for each in _with_inner(inner) if each not in found]
    return found


def _records_in(annotation: Any) -> Iterator[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
    for part in get_args(annotation):
        yield from _records_in(part)


def _record(kind: type[Record]) -> str:
    """The section of a record: what it is, where it is explained, and its fields."""
    name = _title(kind)
    lines = [f"### {name}\n", _said(kind), ""]
    if page := _explained(name):
        lines += [f"Shown in use: {page}.", ""]
    lines += ["| Field | Takes | What it is | Example |", "|---|---|---|---|"]
    found = examples()
    for key, field in kind.model_fields.items():
        if key not in ("place", kind.free, *kind.derived):
            written = field.alias or key
            shown = f"**`{written}`**" if field.is_required() else f"`{written}`"
            sample = found.get((kind.__name__, written), "")
            about = (field.description or COMMON.get(key, "")).replace(" |", ",")
            row = f"| {shown} | {_taken(written, field)} | {about} | {f'`{sample}`' if sample else ''} |"
            lines += [row] if row not in lines else []
    if kind.free:
        lines.append("| any other key | quantity | a named figure; its name ends in the unit | |")
    return "\n".join(lines) + "\n"


def _title(kind: type[Record]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", kind.__name__).capitalize()


def _link(kind: type[Record]) -> str:
    return f"[{_title(kind)}](#{_title(kind).lower().replace(' ', '-')})"


def _said(kind: type[Record]) -> str:
    """The docstring of a record as one line."""
    return re.sub(r"\s+", " ", kind.__doc__ or "").strip()


def _explained(name: str) -> str:
    """A link to the page of the guide that shows a record in use."""
    for page, names in ABOUT.items():
        if name in names:
            title = (GUIDE / f"{page}.md").read_text("utf-8").splitlines()[0].removeprefix("# ")
            return f"[{title}]({page}.md)"
    return ""


def _taken(key: str, field: FieldInfo) -> str:
    """What a field takes, with its unit, and what counts where it is not there."""
    text = _takes(field.annotation, field.metadata)
    symbol = key_unit(key).symbol
    if text in MEASURED and symbol and key_unit(key).kinds:
        text += f", {symbol}"
    default = field.default
    if not field.is_required() and isinstance(default, str | int) and not isinstance(default, bool) and str(default):
        text += f"; else `{default}`"
    return text


def _takes(annotation: Any, marks: Any = ()) -> str:
    """A type in words."""
    marks = list(marks)
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        marks += more
    told = next((_by_mark(mark) for mark in marks if isinstance(mark, ReadBy)), "")
    if target := next((mark for mark in marks if isinstance(mark, RefersTo)), None):
        return f"{told} of {_place(target)}"
    if told:
        return told
    origin, inner = get_origin(annotation), [part for part in get_args(annotation) if part not in (type(None), ...)]
    if origin in (Union, UnionType, Annotated):
        return " or ".join(_takes(part) for part in inner)
    if origin is tuple:
        return f"list of: {_takes(inner[0])}"
    if origin is dict:
        return f"map of: {_takes(inner[0])} → {_takes(inner[1])}"
    return _link(annotation) if isinstance(annotation, type) and issubclass(annotation, Record) else "text"


def _by_mark(mark: ReadBy) -> str:
    """What the function that reads a field takes, in words."""
    read: Any = mark.func
    if isinstance(read, partial) and read.func.__name__ == "read_word":
        return ", ".join(f"`{word}`" for word in read.args[0])
    name = read.func.__name__ if isinstance(read, partial) else read.__name__
    return TAKES[name]


def _place(target: RefersTo) -> str:
    """The records that a field refers to, as a link."""
    name = target.kind
    word = name.split(".")[-1]
    kind = {**kinds.CATALOG, **kinds.PROJECT, **kinds.INSIDE}.get(word)
    return f"[`{name}`](#{_title(kind.record).lower().replace(' ', '-')})" if kind else f"`{name}`"


def examples(folder: Path = DEMO) -> Mapping[tuple[str, str], str]:
    """What a ledger, that of the tests, writes for a field, by record and key: the first that is short enough."""
    found: dict[tuple[str, str], str] = {}
    table = {**kinds.CATALOG, **kinds.PROJECT, "allocations": kinds.ALLOCATIONS}
    for path in sorted(folder.rglob("*.yaml")):
        if path.parent.name in ("proposals", "import") or path.stem == kinds.LOCK.id:
            continue
        raw = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
        name = path.stem if path.parent.name != "runs" else "runs"
        kind = r.Project if name == "project" else r.TreeSettings if name == "tree" else table[name].record
        single = name in ("project", "tree")
        for entry in [raw] if single else raw if isinstance(raw, list) else raw.values():
            _collect(kind, entry, found)
    return found


def _collect(kind: type[Record], entry: Any, found: dict[tuple[str, str], str]) -> None:
    """The keys of one entry, and of the records in it."""
    for key, field in kind.model_fields.items():
        written = field.alias or key
        if not isinstance(entry, dict) or written not in entry:
            continue
        value = entry[written]
        inner = next(_records_in(field.annotation), None)
        if inner and isinstance(value, dict | list):
            direct = get_origin(field.annotation) in (Union, UnionType)
            for each in [value] if direct else value if isinstance(value, list) else value.values():
                _collect(inner, each, found)
            continue
        text = value if isinstance(value, str) else _flow(value)
        if len(text) <= MOST and "`" not in text and "|" not in text and "\n" not in text:
            found.setdefault((kind.__name__, written), text)


def _flow(value: Any) -> str:
    """A value as it can stand on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return f"'{value}'" if re.search(r"[:#,\[{] |^[\[{*&!'\"]", str(value)) else str(value)
