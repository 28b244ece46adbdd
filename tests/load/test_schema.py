"""The schemas that editors use take what the ledger takes, and tell most of what it refuses; all are current."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from reckon.load.schema import SHAPES, schema_files, schemas
from reckon.load.tree_words import tree_words
from reckon.model.kinds import CATALOG, INSIDE, PROJECT
from scripts.editor_schemas import editor_schemas
from scripts.field_examples import AsEditorsRead

ROOT = Path(__file__).resolve().parents[2]
LEDGERS = sorted((ROOT / "ledger").rglob("*.yaml"))
WORDS = {
    **{f"catalog.{kind}": ["example"] for kind in CATALOG},
    **{kind: ["example"] for kind in (*PROJECT, *INSIDE)},
    "items": ["sweep", "train"],
    "phases": ["main"],
    "seeds": ["1", "2", "late"],
    "projects": ["demo"],
    "allocations": ["grant", "none"],
    "catalog.gpus": ["a100-80gb", "h100-80gb"],
    "catalog.prices": ["cloud"],
    "catalog.grids": ["norway"],
}
"""The words of a small tree."""


@cache
def made(words: bool = False) -> Mapping[str, str]:
    return schemas(WORDS if words else {})


@cache
def shipped() -> Mapping[str, str]:
    return {Path(path).name.removesuffix(".schema.json"): text for path, text in schema_files(ROOT).items()}


def told(kind: str) -> Any:
    return json.loads(made()[kind])


def complaints(schema: str, text: str) -> list[str]:
    tree = json.loads(json.dumps(yaml.load(text, AsEditorsRead)))
    return [error.message for error in jsonschema.Draft7Validator(json.loads(schema)).iter_errors(tree)]


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


def test_what_the_program_has_is_made_from_the_records() -> None:
    assert SHAPES.read_text("utf-8") == editor_schemas()


@pytest.mark.parametrize("path", LEDGERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_ledger_file_passes_and_names_its_schema(path: Path) -> None:
    text = path.read_text("utf-8")
    assert complaints(shipped()[schema_of(path)], text) == []
    marker, _, named = text.partition("\n")[0].partition("$schema=")
    assert marker == "# yaml-language-server: "
    assert (path.parent / named).resolve() == ROOT / "ledger/.schema" / f"{schema_of(path)}.schema.json"
    assert (path.parent / named).is_file()


@pytest.mark.parametrize("tree", ["tests/demo", "starter"])
def test_no_file_of_another_shipped_ledger_is_refused(tree: str) -> None:
    own = schemas(tree_words(ROOT / tree))
    files = sorted((ROOT / tree / "ledger").rglob("*.yaml"))
    assert len(files) > 5
    for path in files:
        assert complaints(own[schema_of(path)], path.read_text("utf-8")) == [], path


def test_the_committed_schemas_are_those_of_the_ledger() -> None:
    assert {path: (ROOT / path).read_text("utf-8") for path in schema_files(ROOT)} == schema_files(ROOT)


PROJECT = "title: T\nversion: 1\nas_of: 2026\ngpu: a100-80gb\n"
ITEM = "a: {title: T, items: {b: {title: T, scope: one-time, %s}}}"
RUN = "- {item: train, %s}"
TAKEN = [
    ("project", "title: 7\nversion: 1.10\nas_of: 2026\ngpu: a100-80gb\nseeds: [0, one]\ncontingency: 15%\n"),
    ("project", PROJECT + "ceiling: {low: 1, high: 2.5, use: unknown}\npue: 1.2\ncontingency: {low: 10%, high: 20%}\n"),
    ("project", PROJECT + "ceiling: [2000, 2400 usd]\nallocation: none\nseeds: '3'\npace_days: '28'\n"),
    ("plan", ITEM % "gpu_hours: 5+, notes: [1, two]"),
    ("plan", ITEM % "usd: 300"),
    ("plan", ITEM % "gpu_hours: {formula: a * b, a: 2, b: {formula: c, c: 1e-5}}"),
    ("plan", ITEM % "gpu_hours: 8-10, settings: {x: 1e-5, on: true, y: word, z: [1, b], w: {low: 1}}"),
    ("runs", RUN % "seed: 1, gpus: 8, wall_hours: 45 min, date: 2026-01-01"),
    ("runs", RUN % "seed: late, gpus: 1/7, wall_hours: 2 h 30 min, start: 2026-01-01 09:30+01:00, utilisation: 85%"),
    ("runs", RUN % "gpu_hours: 3600/7 GPU-s, wall_hours: 3600/7 s, energy_kwh: 2 MWh, pue: 1.1"),
    ("runs", "- {item: debugging, unplanned: true, gpu_hours: 2 GPU-days}"),
    ("runs", ""),
    ("gpus", "card: {title: C, vram_gib: 24 GB, dense_tflops: {bf16: 1-2}, counts_as: {other: 1/7, next: 2x}}"),
    ("measurements", "a: {title: T, kind: measured, seconds_per_step: 0.4, parts: {b: 5%}}"),
    ("figures", "a: {title: T, gb: {formula: x, x: 1}}"),
    ("texts", "a: {section: S, parts: {Risk: 1, Mitigation: b}}"),
    ("claims", "- {of: a.b, states: 12, at: x}"),
    (
        "prices",
        "a: {usd_per_gpu_hour: {a100-80gb: 2 usd/gpu_hour}, since: {2026-01: {usd_per_gpu_hour: {h100-80gb: 3}}}}",
    ),
]
REFUSED = [
    ("project", PROJECT + "seedz: 3\n", "'seedz' was unexpected"),
    ("project", "title: T\nversion: 1\ngpu: a100-80gb\n", "'as_of' is a required property"),
    ("project", "title:\nversion: 1\nas_of: 2026\ngpu: a100-80gb\n", "None is not of type"),
    ("project", PROJECT + "memory: {a: {title: T, need_gib_per_gpu: 1, neet: 2}}\n", "'neet' was unexpected"),
    ("plan", "Phase_1: {title: T}", "does not match"),
    ("plan", "formula: {title: T}", "should not be valid under"),
    ("plan", "a: {title: T, extension: 'yes'}", "'yes' does not match"),
    ("plan", "a: {title: T, items: {b: {title: T, scope: per-sead, gpu_hours: 1}}}", "'per-sead' is not one of"),
    ("plan", ITEM % "gpu_hours: {lo: 1}", "'lo' was unexpected"),
    ("plan", ITEM % "notes: x", "is not valid under any of the given schemas"),
    ("runs", "- {item: train, gpu_hours: 1, gpushours: 2}", "'gpushours' was unexpected"),
    ("runs", "{item: a}", "is not of type"),
    ("measurements", "a: {title: T, kind: measured, parts: {B_1: 5%}}", "does not match"),
]
WRONG = [
    *[
        ("runs", RUN % value, value.partition(":")[0])
        for value in (
            "date: 2026-13-45",
            "date: 12.01.2026",
            "date: 2025-02-29",
            "date: 2026/01/05",
            "start: 2026-01-05T25:00",
            "start: 2026-01-05T09:30+2",
            "end: yesterday",
            "gpus: four",
            "gpus: -4",
            "gpus: 4 nodes",
            "wall_hours: '4,5'",
            "wall_hours: 5 hours 40",
            "wall_hours: 30 GPU-h",
            "wall_hours: '2:30:00'",
            "wall_hours: 5-6",
            "wall_hours: 5%",
            "wall_hours: unknown",
            "limit_hours: two days",
            "gpu_hours: 30 h",
            "energy_kwh: 12 h",
            "cost_usd: 12 eur",
            "cost_usd: $12",
            "peak_gib: 40 GPU",
            "utilisation: 85",
            "utilisation: high",
            "status: done",
            "unplanned: 1",
            "progress: 50%",
            "progress: {done: half, total: 4}",
            "pue: 0.9",
            "seed: 99",
            "gpu: a100",
            "allocation: nobody",
            "price: cheap",
            "grid: mars",
            "jobs: 1.5",
            "kind: guess",
        )
    ],
    ("runs", "- {item: swep, gpu_hours: 1}", "item"),
    *[
        ("project", PROJECT + value, value.partition(":")[0])
        for value in (
            "seeds: 0",
            "seeds: three",
            "seeds: [1, 1]",
            "contingency: 15",
            "contingency: 150 %%",
            "ceiling: 4,000",
            "ceiling: 2400 dollars",
            "ceiling: [1, 2, 3]",
            "at_risk: {budget: 60%}",
            "power_share: 120%",
            "pace_days: 0",
            "currency: USD",
            "prices: [nowhere]",
            "policies: {a: {require: budget.final}}",
            "descope: [{seed: 9}]",
        )
    ],
    *[
        ("plan", ITEM % value, "items")
        for value in (
            "gpu_hours: lots",
            "gpu_hours: 10-",
            "gpu_hours: 45 min",
            "gpu_hours: {low: a}",
            "gpu_hours: {formula: a × b, a: 1}",
            "gpu_hours: {formula: a, a: four}",
            "gpu_hours: 1, contingency: 5",
            "gpu_hours: 1, repeats: {of: [nope], times: 1}",
            "gpu_hours: 1, line: 0",
            "usd: 5 eur",
        )
    ],
    ("prices", "c: {usd_per_gpu_hour: {b200: 2}}", "usd_per_gpu_hour"),
    ("prices", "c: {usd_per_gpu_hour: {a100-80gb: two}}", "usd_per_gpu_hour"),
    ("prices", "c: {since: {2026-3-15: {usd_per_gpu_hour: {a100-80gb: 1}}}}", "since"),
    ("gpus", "g: {title: T, counts_as: {a100-80gb: twice}}", "counts_as"),
    ("gpus", "g: {title: T, vram_gib: 80 h}", "vram_gib"),
    ("allocations", "g: {title: T, gpu_hours: 500, until: next year}", "until"),
    ("allocations", "g: {title: T, gpu_hours: 500, projects: [nope]}", "projects"),
    ("allocations", "g: {title: T, gpu_hours: 5, changes: [{date: 2026-4-2, granted: 3, why: w}]}", "changes"),
    ("imports", "s: {format: csv, timezone: Oslo time}", "timezone"),
    ("imports", "s: {format: csv, rules: {a: {when: {name: x}, split: {train: 150%}}}}", "rules"),
]
"""Values that are wrong by themselves, and the field that each stands in."""


@pytest.mark.parametrize(("kind", "text"), TAKEN)
def test_they_take_what_the_ledger_takes(kind: str, text: str) -> None:
    assert complaints(made(True)[kind], text) == []


@pytest.mark.parametrize(("kind", "text", "said"), REFUSED)
def test_they_refuse_what_the_ledger_refuses(kind: str, text: str, said: str) -> None:
    found = complaints(made(True)[kind], text)
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize(("kind", "text", "field"), WRONG)
def test_they_tell_a_wrong_value_where_it_stands(kind: str, text: str, field: str) -> None:
    tree = json.loads(json.dumps(yaml.load(text, AsEditorsRead)))
    found = list(jsonschema.Draft7Validator(json.loads(made(True)[kind])).iter_errors(tree))
    assert [error for error in found if field in error.absolute_path] == found != []


def test_a_value_without_mistakes_is_told_nowhere() -> None:
    """The frames in which the wrong values stand are right."""
    for kind, text in (
        ("runs", RUN % "date: 2026-01-05"),
        ("project", PROJECT),
        ("plan", ITEM % "gpu_hours: 1"),
        ("gpus", "g: {title: T}"),
        ("allocations", "g: {title: T, gpu_hours: 500}"),
        ("imports", "s: {format: csv}"),
    ):
        assert complaints(made(True)[kind], text) == []


def test_dates_pass_as_the_usual_loader_reads_them() -> None:
    """It makes dates of them, which no type of JSON is; and it reads no file that holds a day outside the calendar."""
    validator = jsonschema.Draft7Validator(json.loads(made(True)["runs"]))
    text = "- {item: train, date: 2026-01-05, start: 2026-01-04 10:00:00, end: 2026-01-05T09:30, gpu_hours: 1}"
    assert list(validator.iter_errors(yaml.safe_load(text))) == []
    with pytest.raises(ValueError, match="month must be in"):
        yaml.safe_load(RUN % "date: 2026-13-45")


def test_they_describe_what_one_types() -> None:
    schema = told("plan")
    item = schema["$defs"]["Item"]
    hours = schema["$defs"][item["properties"]["gpu_hours"]["$ref"].removeprefix("#/$defs/")]
    assert "GPU" in item["properties"]["gpu"]["description"]
    assert "low, high, use" in hours["description"]
    assert hours["errorMessage"] == "write a number or range in GPU × time, such as 8-10"
    assert "title" not in item["properties"]["gpu"]
    assert item["properties"]["includes_margin"]["default"] is False
    assert told("runs")["$defs"]["Run"]["properties"]["status"]["default"] == "completed"


LOCKS = ("ImportedFrom", "JobAside", "AsideSum", "CountedMonth", "StatusSum", "imports.lock", "ImportLock")
"""What only the importer writes."""


def test_every_field_that_people_write_has_an_example_that_is_right() -> None:
    without = set()
    for name, text in made(True).items():
        schema = json.loads(text)
        records = {key: part for key, part in schema["$defs"].items() if "properties" in part and key not in LOCKS}
        for record, part in {**records, name: schema}.items():
            for key, field in part.get("properties", {}).items():
                if not field.get("examples") and not _shown_below(field):
                    without.add(f"{record}.{key}")
                own = {"$defs": schema["$defs"], "allOf": [field]}
                for example in field.get("examples", []):
                    assert jsonschema.Draft7Validator(own).is_valid(example), (record, key, example)
    assert without == set()


def _shown_below(field: dict[str, Any]) -> bool:
    """Whether the fields of a record, or the words of the tree, are below this one."""
    named = [part["$ref"].removeprefix("#/$defs/") for part in parts(field) if isinstance(part.get("$ref"), str)]
    return any(name[0].isupper() or name in WORDS for name in named)
