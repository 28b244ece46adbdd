"""Every kind of record is known wherever it has to be: what is left out is named, with the place that lacks it.

What there has to be is read off the classes of a ledger, so a table that forgets a kind cannot hide it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from msgspec.structs import replace

from reckon.compute.calculation import calculate
from reckon.compute.sheet import inputs
from reckon.compute.sheet.sheet import Sheet
from reckon.compute.versions import ledger_diff as bridge
from reckon.language.quantity import read_quantity
from reckon.language.text import Text
from reckon.language.units import key_unit
from reckon.load import checks, files
from reckon.load.reader import load
from reckon.load.schema import schemas
from reckon.model import kinds
from reckon.model import records as r
from reckon.model.kinds import ALLOCATIONS, CALCULATED, CATALOG, GROUPS, INSIDE, PROJECT, TOTALS, RecordKind
from reckon.model.ledger import Catalog, Ledger, ProjectLedger
from reckon.model.pages import CONFIGURATIONS
from reckon.model.record import Record
from reckon.model.runs import RunFile
from reckon.present.measuring import page
from tests.conftest import Tree
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
BESIDE = ("id", "project", "files", "locks", "proposals", "entries", "additions", "queued")
"""Fields of a project's ledger that are no kinds of their own."""
PLACES = ("table", "files", "schema", "guide", "cells", "bridge", "references", "blocks")


def held() -> Iterator[tuple[str, str]]:
    """Where each kind of record is held, by the classes of a ledger: `catalog`, `project` or `inside`, and its id."""
    yield from (("catalog", name) for name in Catalog.__struct_fields__)
    yield from (("project", name) for name in ProjectLedger.__struct_fields__ if name not in BESIDE)
    for name, field in r.Project.model_fields.items():
        if get_origin(field.annotation) not in (dict, tuple):
            continue  # a record by itself, as `at_risk`, is a part of the project and no kind
        if any(isinstance(part, type) and issubclass(part, Record) for part in get_args(field.annotation)):
            yield "inside", name


def missing() -> list[str]:
    """What is not known where it has to be: `levers: cells`."""
    tables: Mapping[str, Mapping[str, RecordKind]]
    tables = {"catalog": kinds.CATALOG, "project": kinds.PROJECT, "inside": kinds.INSIDE}
    written = frozenset(schemas({}))
    known: Mapping[str, Callable[[str, str], bool]] = {
        "table": lambda home, name: name in tables[home],
        "files": lambda home, name: home == "inside" or name in getattr(files, home.upper()),
        "schema": lambda home, name: home == "inside" or name in written,
        "guide": lambda home, name: home == "inside" or f"/{name}{'/*' if name == 'runs' else ''}.yaml`" in language(),
        "cells": lambda home, name: name in (*LISTED, *WORDS) or bool(cells_with(home, name)),
        "bridge": lambda home, name: bool(bridge.changes(ledger_with(home, name, {}), ledger_with(home, name))),
        "references": lambda home, name: name not in REFERRED or whole(home, name) in known_to_references(),
        "blocks": lambda home, name: all(shown(tables[home].get(name))),
    }
    assert tuple(known) == PLACES
    return [f"{name}: {place}" for home, name in held() for place in PLACES if not known[place](home, name)]


LISTED = ("runs", "claims", "accept", "descope")
"""Lists: their entries have no ids, and so no addresses for cells."""
WORDS = ("texts", "policies", "versions", "pages", "citations", "providers", "settings", "imports")
"""Kinds that hold words alone."""


def language() -> str:
    return (ROOT / "docs" / "guide" / "reference.md").read_text("utf-8")


def record_of(home: str, name: str) -> Any:
    """A record of a kind with a title and a quantity, by the classes of a ledger; a check of ours never sees it."""
    owner: Any = {"catalog": Catalog, "project": ProjectLedger}.get(home)
    if owner:
        found = getattr(r, re.findall(r"r\.(\w+)|RunFile", owner.__annotations__[name])[0] or "Run")
    else:
        found = next(part for part in get_args(r.Project.model_fields[name].annotation) if hasattr(part, "free"))
    needed = {key: None for key, field in found.model_fields.items() if field.is_required()}
    amount = read_quantity(Text("3"), key_unit("hours"), Text("").place)
    at = next(
        key
        for key in ("figures", "contingency", "notes", "note", "otherwise", "source", "why", "by", "message")
        if key in found.model_fields
    )
    given: Any = {at: {"hours": amount} if at == "figures" else amount}
    return found.model_construct(**{**needed, "title": Text("T"), **given})


def ledger_with(home: str, name: str, records: Mapping[str, Any] | None = None) -> Ledger:
    """A ledger with one record of a kind, or with these."""
    project = r.Project.model_construct(title=Text("P"), version=Text("1"), as_of=Text("2026-01-01"), gpu=Text("card"))
    some: Any = {"x": record_of(home, name)} if records is None else records
    listed = {**kinds.PROJECT, **kinds.INSIDE}.get(name)
    if name in LISTED or (listed and listed.listed):
        some = tuple(some.values())
        some = (RunFile("runs/1.yaml", some),) if name == "runs" else some
    catalog = Catalog(**{name: some}) if home == "catalog" else Catalog()
    if home == "inside":
        project = project.model_copy(update={name: some})
    one = ProjectLedger("p", project)
    return Ledger(catalog, projects={"p": replace(one, **{name: some}) if home == "project" else one})


def cells_with(home: str, name: str) -> list[str]:
    """The addresses of the cells of a record."""
    sheet = Sheet()
    inputs.write_inputs(sheet, ledger_with(home, name))
    return [address for address in sheet.cells if ".x" in address]


REFERRED = {
    mark.split(".")[-1]
    for path in (ROOT / "reckon" / "model" / "records").glob("*.py")
    for mark in re.findall(r'RefersTo\("([a-z.]+)"\)', path.read_text("utf-8"))
}


def whole(home: str, name: str) -> str:
    return f"catalog.{name}" if home == "catalog" else name


def known_to_references() -> set[str]:
    ledger = ledger_with("project", "levers")
    return {*checks._known_records(ledger, ledger.projects["p"])}


def shown(kind: RecordKind | None) -> Iterator[bool]:
    """Whether what shows a kind in sections is there: its template, and what that is given."""
    for name in (kind.block, kind.part) if kind else ():
        if name and name != CONFIGURATIONS:  # these stand beside each other, or alone
            yield name in page.TABLES or name in page.SINGLE
            yield (ROOT / "templates" / "measuring" / f"{name}.md.j2").is_file()


def test_every_kind_is_known_wherever_it_has_to_be() -> None:
    assert len(list(held())) > 25
    assert missing() == []


@pytest.mark.full
@pytest.mark.parametrize(("home", "name"), list(held()))
def test_a_kind_that_the_table_leaves_out_is_named(home: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"catalog": "CATALOG", "project": "PROJECT", "inside": "INSIDE"}[home]
    left = {key: kind for key, kind in getattr(kinds, table).items() if key != name}
    for module in (kinds, files, inputs, checks, bridge):
        if hasattr(module, table):
            monkeypatch.setattr(module, table, left)
    found = missing()
    assert {one.partition(":")[0] for one in found} == {name}
    assert f"{name}: table" in found
    if home != "inside":
        assert {f"{name}: files", f"{name}: bridge"} <= set(found)
        assert (f"{name}: cells" in found) == (name not in (*LISTED, *WORDS, "plan", "figures"))


def test_a_place_that_leaves_a_kind_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "APART", (*inputs.APART, "levers"))
    monkeypatch.setattr(bridge, "in_bridge", lambda: [kind for kind in kinds.in_bridge() if kind.id != "bounds"])
    monkeypatch.setattr(page, "TABLES", {})
    assert missing() == [
        "gpus: blocks",
        "devices: blocks",
        "models: blocks",
        "bounds: bridge",
        "levers: cells",
        "levers: blocks",
        "figures: blocks",
    ]


def test_each_record_class_is_that_of_its_field() -> None:
    tables = {"catalog": CATALOG, "project": PROJECT, "inside": INSIDE}
    assert {name: type(record_of(home, name)) for home, name in held()} == {
        name: tables[home][name].record for home, name in held()
    }


def test_conditions_can_name_the_records_that_are_called() -> None:
    words = calculate(load(ROOT)[0])[0].words
    shared = (*(f"catalog.{name}" for name in CATALOG), ALLOCATIONS.id)
    named = {at.rpartition(".")[0] if at.startswith(shared) else at.split(".")[1] for at in words}
    called = {kind.id for kind in PROJECT.values() if kind.called} | {ALLOCATIONS.id}
    assert named == {*called, *(f"catalog.{name}" for name, kind in CATALOG.items() if kind.called), "plan", "phases"}


def test_no_two_groups_share_a_word_and_each_rests_on_what_there_is() -> None:
    assert len(GROUPS) == sum(map(len, (CATALOG, [ALLOCATIONS], PROJECT, INSIDE, CALCULATED)))
    there = {*GROUPS, *r.Project.model_fields, "catalog", *(f"catalog.{name}" for name in CATALOG)}
    assert {word for group in GROUPS.values() for word in group.rests_on} <= there


@pytest.fixture(scope="module")
def trees() -> Mapping[str, Any]:
    """The figures of the shipped tree, by address."""
    return calculate(load(ROOT)[0])[0].figures


def test_every_figure_of_a_shipped_tree_belongs_to_a_group(trees: Mapping[str, Any]) -> None:
    words = {at.split(".")[1]: at for at in trees if at.count(".") > 1 and not at.startswith("allocations.")}
    assert {word: at for word, at in words.items() if word not in (*GROUPS, *r.Project.model_fields)} == {}
    assert set(words) >= set(CALCULATED)


EXTENDED_PLAN = """\
later: {title: Later, extension: true, items: {more: {title: More, scope: one-time, gpu_hours: 5}}}
"""


def test_each_total_has_all_its_figures(tmp_path: Path) -> None:
    """In a project with a base, an extension, a ceiling, a price, and runs of all of it."""
    tree = Tree(plant(tmp_path))
    plan, project = (tmp_path / "ledger" / "demo" / f"{name}.yaml" for name in ("plan", "project"))
    plan.write_text(plan.read_text("utf-8") + EXTENDED_PLAN, "utf-8")
    project.write_text(project.read_text("utf-8") + "ceiling: [200, 900 usd]\nprices: [here]\n", "utf-8")
    tree.write("ledger/catalog/prices.yaml", "here: {usd_per_gpu_hour: {card: 2}}\n")
    tree.write("ledger/demo/runs/2026-03.yaml", "- {date: 2026-03-01, item: more, gpu_hours: 1}\n")
    figures = tree.book().figures
    for total in TOTALS.values():
        ends = [total.eac, total.complete, f"{total.forecast}.p50"] if total.planned else []
        every = [
            total.hours,
            total.actual,
            total.remaining,
            total.chance,
            f"limits.{total.id}.reached",
            f"money.{total.id}",
            *ends,
        ]
        assert [at for at in every if f"demo.{at}" not in figures] == [], total.id
        assert figures[f"demo.{total.hours}"].title.lower() in (total.words, "demo: ceiling")
