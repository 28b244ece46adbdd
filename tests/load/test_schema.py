"""The schemas that editors use take what the ledger takes and refuse unknown keys; the committed ones are current."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from reckon.load.schema import schema_files, schemas

ROOT = Path(__file__).resolve().parents[2]
LEDGERS = sorted((ROOT / "ledger").rglob("*.yaml"))


made = cache(schemas)
"""The schemas, which take a tenth of a second to make."""


def told(kind: str) -> Any:
    return json.loads(made()[kind])


class AsEditorsRead(yaml.SafeLoader):
    """YAML as the servers of editors read it: numbers, true and false are values, dates are text, keys are text."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith((":timestamp", ":merge"))]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def complaints(kind: str, text: str) -> list[str]:
    tree = json.loads(json.dumps(yaml.load(text, AsEditorsRead)))
    return [error.message for error in jsonschema.Draft7Validator(told(kind)).iter_errors(tree)]


def schema_of(path: Path) -> str:
    return {"runs": "runs", "proposals": "proposals"}.get(path.parent.name, path.stem)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for part in schema.values():
            yield from parts(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from parts(part)


@pytest.mark.parametrize("kind", sorted(made()))
def test_each_is_a_schema_that_can_be_followed(kind: str) -> None:
    schema = told(kind)
    jsonschema.Draft7Validator.check_schema(schema)
    references = {part["$ref"] for part in parts(schema) if isinstance(part.get("$ref"), str)}
    assert {reference.removeprefix("#/$defs/") for reference in references} <= schema["$defs"].keys()
    for part in parts(schema):
        if part.get("type") == "object" and "properties" in part:
            assert "additionalProperties" in part


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_ledger_file_passes_and_names_its_schema(path: Path) -> None:
    text = path.read_text("utf-8")
    assert complaints(schema_of(path), text) == []
    marker, _, named = text.partition("\n")[0].partition("$schema=")
    assert marker == "# yaml-language-server: "
    assert (path.parent / named).resolve() == ROOT / "ledger/.schema" / f"{schema_of(path)}.schema.json"


def test_the_committed_schemas_are_those_of_the_records() -> None:
    assert {path: (ROOT / path).read_text("utf-8") for path in schema_files()} == schema_files()


PROJECT = "title: T\nversion: 1\nas_of: 2026\ngpu: card\n"
ITEM = "a: {title: T, items: {b: {title: T, scope: one-time, %s}}}"
TAKEN = [
    ("project", "title: 7\nversion: 1.10\nas_of: 2026\ngpu: card\nseeds: [0, one]\ncontingency: 15%\n"),
    ("project", "title: true\nversion: 1\nas_of: 2026-01\ngpu: card\nceiling: {low: 1, high: 2.5, use: unknown}\n"),
    ("plan", ITEM % "gpu_hours: 5+, notes: [1, two]"),
    ("plan", ITEM % "gpu_hours: {formula: a * b, a: 2, b: {formula: c, c: 1e-5}}"),
    ("plan", ITEM % "gpu_hours: 8-10, settings: {x: 1e-5, on: true, y: word, z: [1, b], w: {low: 1}}"),
    ("runs", "- {item: a, seed: 1, gpus: 8, wall_hours: 45 min, date: 2026-01-01, unplanned: true}"),
    ("runs", ""),
    ("gpus", "card: {title: C, vram_gib: 24, dense_tflops: {bf16: 1-2}}"),
    ("measurements", "a: {title: T, kind: measured, seconds_per_step: 0.4, parts: {b: 5%}}"),
    ("figures", "a: {title: T, gb: {formula: x, x: 1}}"),
    ("texts", "a: {section: S, parts: {Risk: 1, Mitigation: b}}"),
    ("claims", "- {of: a.b, states: 12, at: x}"),
]
REFUSED = [
    ("project", PROJECT + "seedz: 3\n", "'seedz' was unexpected"),
    ("project", "title: T\nversion: 1\ngpu: c\n", "'as_of' is a required property"),
    ("project", "title:\nversion: 1\nas_of: 2026\ngpu: c\n", "None is not of type"),
    ("project", PROJECT + "memory: {a: {title: T, need_gib_per_gpu: 1, neet: 2}}\n", "'neet' was unexpected"),
    ("plan", "Phase_1: {title: T}", "does not match"),
    ("plan", "formula: {title: T}", "should not be valid under"),
    ("plan", "a: {title: T, extension: 'yes'}", "is not of type 'boolean'"),
    ("plan", "a: {title: T, items: {b: {title: T, scope: per-sead, gpu_hours: 1}}}", "'per-sead' is not one of"),
    ("plan", ITEM % "gpu_hours: {lo: 1}", "not valid under any"),
    ("runs", "- {item: a, gpu_hours: 1, gpushours: 2}", "'gpushours' was unexpected"),
    ("runs", "{item: a}", "is not of type"),
    ("measurements", "a: {title: T, kind: measured, parts: {B_1: 5%}}", "does not match"),
]


@pytest.mark.parametrize(("kind", "text"), TAKEN)
def test_they_take_what_the_ledger_takes(kind: str, text: str) -> None:
    assert complaints(kind, text) == []


@pytest.mark.parametrize(("kind", "text", "said"), REFUSED)
def test_they_refuse_what_the_ledger_refuses(kind: str, text: str, said: str) -> None:
    found = complaints(kind, text)
    assert len(found) == 1
    assert said in found[0]


def test_they_describe_what_one_types() -> None:
    schema = told("plan")
    item = schema["$defs"]["Item"]
    assert "GPU" in item["properties"]["gpu"]["description"]
    assert "low, high, use" in schema["$defs"]["amount"]["description"]
    assert "title" not in item["properties"]["gpu"]
