"""JSON Schemas of the ledger's files, from the models of records, so that editors complete and check while one types.

Editors tell numbers from text, the ledger does not: where text is read, numbers and true or false are taken too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

from reckon.model import records as r
from reckon.model.kinds import ALLOCATIONS, CATALOG, LOCK, PROJECT, PROPOSALS
from reckon.model.record import Record
from reckon.model.scalars import ID, RESERVED
from reckon.model.values import AMOUNT, NUMBER_OR_TEXT

Schema = dict[str, Any]
"""A JSON Schema, or a part of one."""
HOME = "ledger/.schema"
DIALECT = "http://json-schema.org/draft-07/schema#"  # the newest that the YAML servers of editors take throughout

_TEXT: Schema = {"type": ["string", "number", "boolean"]}
_ENDS = {"properties": dict.fromkeys(("low", "use", "high"), NUMBER_OR_TEXT), "additionalProperties": False}
_FORMULA = {"properties": {"formula": NUMBER_OR_TEXT}, "required": ["formula"]}
_AMOUNT: Schema = {
    "description": AMOUNT["description"],
    "anyOf": [
        NUMBER_OR_TEXT,
        {"type": "object", **_ENDS, "minProperties": 1},
        {"type": "object", **_FORMULA, "additionalProperties": {"$ref": "#/$defs/amount"}},
    ],
}
_SETTING: Schema = {
    "description": "a quantity, a word, or a list of words",
    "anyOf": [{"$ref": "#/$defs/amount"}, {"type": "boolean"}, {"type": "array", "items": {"$ref": "#/$defs/text"}}],
}
COMMON = {
    "title": "name shown on pages",
    "source": "source of the value",
    "notes": "a note",
    "as_of": "day for which it is valid",
    "year": "year of the data",
    "licence": "licence of the publication",
}
"""Fields that mean the same in all records, as an editor and the reference of the guide describe them."""
_IDS: Schema = {"pattern": f"^{ID.pattern}$", "maxLength": 80, "not": {"enum": list(RESERVED)}}

_DAYS: Schema = {"pattern": "^[0-9]{4}(-[0-9]{2}){0,2}$"}


def schemas() -> dict[str, str]:
    """The schema of each kind of file, by name, as text."""
    found = {"project": _file(r.Project), "tree": _file(r.TreeSettings), PROPOSALS.id: _file(r.Proposal)}
    for kind in (*CATALOG.values(), ALLOCATIONS, *PROJECT.values(), LOCK):
        found[kind.id] = _file(kind.record, "list" if kind.listed else "map", _DAYS if kind.dated else _IDS)
    return {name: json.dumps(found[name], indent=2, ensure_ascii=False) + "\n" for name in sorted(found)}


def schema_files() -> dict[str, str]:
    """The same by path under the root, as ledger files name them in their first line."""
    return {f"{HOME}/{name}.schema.json": text for name, text in schemas().items()}


def _file(kind: type[Record], holds: str = "", keys: Schema = _IDS) -> Schema:
    """The schema of a file that is one record, or a list of them, or a map of them with such keys."""
    parts = _definitions(kind)
    record = {"$ref": f"#/$defs/{kind.__name__}"}
    if holds == "map":
        body: Schema = {"type": ["object", "null"], "propertyNames": keys, "additionalProperties": record}
    elif holds == "list":
        body = {"type": ["array", "null"], "items": record}
    else:
        body = parts.pop(kind.__name__)
    return {"$schema": DIALECT, **body, "$defs": parts}


class _WithoutDefaults(GenerateJsonSchema):
    """Makes schemas without the defaults of fields: the description of a field names one where it matters."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def _definitions(kind: type[Record]) -> Schema:
    """The record and the records in it, tidied; and what a quantity can be."""
    whole = kind.model_json_schema(schema_generator=_WithoutDefaults)
    records = {name: record for name, record in vars(r).items() if isinstance(record, type)} | {kind.__name__: kind}
    parts = {kind.__name__: whole, **whole.get("$defs", {})}
    tidied = {name: _record(records[name], parts[name]) for name in sorted(parts)}
    return {"text": _TEXT, "amount": _AMOUNT, **tidied}


def _record(kind: type[Record], schema: Schema) -> Schema:
    """The schema of a record: unknown keys are refused, or are inputs where the record has free ones."""
    known: Mapping[str, Any] = schema.get("properties", {})
    fields = {name: _tidy(field) for name, field in known.items() if name not in ("place", kind.free, *kind.derived)}
    own = {field.alias or name: field for name, field in kind.model_fields.items()}
    for name, field in fields.items():
        if name in COMMON and not own[name].description:
            field["description"] = COMMON[name]
        if own[name].annotation == r.Phase.model_fields["settings"].annotation:
            field["additionalProperties"] = _SETTING
    spare: Any = {"$ref": "#/$defs/amount"} if kind.free else False
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {**_described(schema), "type": "object", "properties": fields, **required, "additionalProperties": spare}


def _tidy(schema: Any) -> Any:
    """One schema without what only its maker needs (titles, null), with text widened and quantities named."""
    if not isinstance(schema, dict):
        return schema
    found = {key: value for key, value in schema.items() if key != "title"}
    if found.get("anyOf") == AMOUNT["anyOf"]:
        own = _described(found) if found.get("description") != AMOUNT["description"] else {}
        return {**own, "$ref": "#/$defs/amount"}
    if "anyOf" in found:
        return _choice(found)
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = _tidy(found[key])
    if pattern := found.pop("patternProperties", None):
        found.pop("propertyNames", None)
        found.update(propertyNames=_IDS, additionalProperties=_tidy(next(iter(pattern.values()))))
    elif "pattern" not in found.get("propertyNames", {}):
        found.pop("propertyNames", None)
    return _widened(found)


def _described(schema: Schema) -> Schema:
    return {"description": schema["description"]} if "description" in schema else {}


def _choice(schema: Schema) -> Schema:
    """A choice without null: an empty value does not count in a ledger. A choice of one is that one."""
    parts = [_tidy(part) for part in schema["anyOf"] if part != {"type": "null"}]
    return {**parts[0], **_described(schema)} if len(parts) == 1 else {**schema, "anyOf": parts}


def _widened(schema: Schema) -> Schema:
    """Text takes numbers and true or false, which editors do not count as text."""
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds in (["string"], ["string", "number"]) and "enum" not in schema:
        return {**_described(schema), "$ref": "#/$defs/text"}
    if kinds == ["string", "array"]:
        return {**_described(schema), "anyOf": [{"$ref": "#/$defs/text"}, {"type": "array", "items": schema["items"]}]}
    return schema
