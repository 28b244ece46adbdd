"""The schemas that the program has for editors, `reckon/load/schemas.json`, from the models of records.

Editors tell numbers from text, the ledger does not: where text is read, numbers and true or false are taken too. What a
value can be `grammar` spells out; the words of a tree `reckon/load/schema.py` puts in. `python -m scripts.guide` writes
the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import WithDefaultSchema

from reckon.language.units import CURRENCIES
from reckon.model import records as r
from reckon.model.kinds import ALLOCATIONS, CATALOG, LOCK, PROJECT, PROPOSALS
from reckon.model.record import Record, defaults
from reckon.model.version import FORMER
from scripts.field_examples import samples
from scripts.grammar import FIXED, MEASURED, Schema, definition
from scripts.reference import COMMON

DIALECT = "http://json-schema.org/draft-07/schema#"  # the newest that the YAML servers of editors take throughout


def editor_schemas() -> str:
    """The schema of each kind of file, by name, as the text of schemas.json."""
    writer = _SchemaWriter()
    found = {"project": writer.file(r.Project), "tree": writer.file(r.TreeSettings)}
    found[PROPOSALS.id] = writer.file(r.Proposal)
    for kind in (*CATALOG.values(), ALLOCATIONS, *PROJECT.values(), LOCK):
        found[kind.id] = writer.file(kind.record, "list" if kind.listed else "map", "date" if kind.dated else "id")
    lines = [f"{json.dumps(name)}: {json.dumps(found[name], ensure_ascii=False)}" for name in sorted(found)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


class _WithoutDefaults(GenerateJsonSchema):
    """Makes schemas without the defaults of fields, which are those of the model and not what one writes."""

    def default_schema(self, schema: WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


class _SchemaWriter:
    """Writes the schemas of files; `parts` are the definitions of the one that is being written."""

    def __init__(self) -> None:
        self.parts: Schema = {}
        self.of_tree: set[str] = set()
        self.samples = samples()

    def file(self, kind: type[Record], holds: str = "", keys: str = "id") -> Schema:
        """The schema of a file that is one record, or a list of them, or a map of them with such keys."""
        self.parts = {}
        whole = kind.model_json_schema(schema_generator=_WithoutDefaults)
        inner: Schema = whole.get("$defs", {})
        records = {name: self.record(getattr(r, name), inner[name]) for name in sorted(inner)}
        own = self.record(kind, whole)
        reference = {"$ref": f"#/$defs/{kind.__name__}"}
        if holds == "map":
            names = self.reference(keys, "")
            body: Schema = {"type": ["object", "null"], "propertyNames": names, "additionalProperties": reference}
        elif holds == "list":
            body = {"type": ["array", "null"], "items": reference}
        else:
            body = own
        if holds:
            records[kind.__name__] = own
        return {"$schema": DIALECT, **body, "$defs": {**dict(sorted(self.parts.items())), **records}}

    def record(self, kind: type[Record], schema: Schema) -> Schema:
        """The schema of a record: unknown keys are refused, or are inputs where the record has free ones."""
        known: Mapping[str, Any] = schema.get("properties", {})
        fields = {}
        for name, field in kind.model_fields.items():
            key = field.alias or name
            if name in ("place", kind.free, *kind.derived):
                continue
            fields[key] = self.tidy(known[key], key)
            if key in COMMON and not field.description:
                fields[key]["description"] = COMMON[key]
            if found := self.example(kind, key, fields[key]):
                fields[key]["examples"] = found
        for key, value in defaults(kind).items():
            if key in fields and isinstance(value, str | int) and value not in ("", FORMER):
                fields[key]["default"] = value
        body: Schema = {**_described(schema), "type": "object", "properties": fields}
        if {"item", "unplanned"} <= fields.keys():
            planned = {"properties": {"item": self.reference("items", "item")}}
            body |= {"if": {"anyOf": [{"required": [key]} for key in ("unplanned", "unassigned")]}, "else": planned}
        required = {"required": schema["required"]} if schema.get("required") else {}
        if kind is r.Item:  # a line of money plans no hours
            required = {
                "required": [key for key in schema["required"] if key != "gpu_hours"],
                "anyOf": [{"required": [key]} for key in ("gpu_hours", *CURRENCIES)],
            }
        spare = self.reference("quantity", "") if kind.free else False
        return {**body, **required, "additionalProperties": spare}

    def example(self, kind: type[Record], key: str, field: Schema) -> list[Any]:
        """An example of a field: what a ledger writes, else a word of its list, else that of its grammar.

        Of a reference the tree has one.
        """
        part = field["anyOf"][0] if "anyOf" in field else field
        part = self.parts.get(str(part.get("$ref")).removeprefix("#/$defs/"), part)
        if any(f'"#/$defs/{name}"' in json.dumps([field, part]) for name in self.of_tree):
            return part.get("examples", [])
        sample = self.samples.get(f"{kind.__name__}.{key}")
        if sample is None and part is self.parts.get("text"):
            sample = self.samples.get(key)
        return [sample] if sample is not None else part.get("examples", part.get("enum", [])[:1])

    def reference(self, grammar: str, key: str) -> Schema:
        """A reference to the definition of what a field with this key takes, which is added to those of the file."""
        if grammar in FIXED or grammar in MEASURED:
            name, schema = definition(grammar, key)
        else:
            self.of_tree.add(grammar)
            shape = FIXED["seed" if grammar == "seeds" else "reference"]
            name, schema = grammar, {**shape, "description": f"one of `{grammar}` of the ledger"}
        if name not in self.parts:
            self.parts[name] = schema
            if "then" in schema:  # a formula has inputs
                self.reference("formula", "")
                self.reference("quantity", "")
        return {"$ref": f"#/$defs/{name}"}

    def tidy(self, schema: Any, key: str) -> Any:
        """One schema without what only its maker needs (titles, null), with what it takes spelled out."""
        if not isinstance(schema, dict):
            return schema
        if "grammar" in schema:
            return {**_described(schema), **self.reference(schema["grammar"], key)}
        found = {name: value for name, value in schema.items() if name != "title"}
        if "anyOf" in found:
            return self.choice(found, key)
        for part in ("items", "additionalProperties", "propertyNames"):
            if part in found:
                found[part] = self.tidy(found[part], key)
        if "properties" in found:
            found["properties"] = {name: self.tidy(part, key) for name, part in found["properties"].items()}
        return found

    def choice(self, schema: Schema, key: str) -> Schema:
        """A choice without null: an empty value does not count in a ledger. A choice of one is that one."""
        parts = [self.tidy(part, key) for part in schema["anyOf"] if part != {"type": "null"}]
        return {**parts[0], **_described(schema)} if len(parts) == 1 else {**_described(schema), "anyOf": parts}


def _described(schema: Schema) -> Schema:
    return {"description": schema["description"]} if "description" in schema else {}
