"""A ledger of cases.yaml as a tree of files, in the language of DESIGN.

What the shorthand leaves out and files ask for is filled with plain words: titles, a source, a day
of the plan. Periods that are `closed` are no files: a test closes them with `budget close`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from tests.charges.shorthand import progress_of

FORMAT = 3
PROJECT = "p"
DAY = date(2025, 1, 1)
"""The day of a plan without runs."""
Record = dict[str, Any]
Files = dict[str, Any]


def write_tree(folder: Path, ledger: Mapping[str, Any], number: int = FORMAT) -> None:
    """Writes the files of a ledger below a folder, in a format of that number."""
    for name, content in files_of(ledger, number).items():
        path = folder / "ledger" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = yaml.safe_dump(plain(content), sort_keys=False, allow_unicode=True, width=1000)
        path.write_text(text, "utf-8")


def files_of(ledger: Mapping[str, Any], number: int = FORMAT) -> Files:
    """What stands in each file of a ledger, by its path below `ledger/`."""
    found: Files = {
        "tree.yaml": {"format": number},
        "catalog/gpus.yaml": _cards(ledger),
        "catalog/prices.yaml": _titled(ledger.get("prices", {})),
        "catalog/rates.yaml": _rates(ledger),
        "allocations.yaml": _titled(ledger.get("allocations", {})),
        f"{PROJECT}/project.yaml": _project(ledger, PROJECT),
        f"{PROJECT}/plan.yaml": _plan(ledger["plan"]),
        f"{PROJECT}/imports.yaml": ledger.get("imports", {}),
    }
    for run in _runs(ledger.get("runs", ())):
        found.setdefault(f"{PROJECT}/runs/{_file_of(run)}.yaml", []).append(run)
    for name in _others(ledger):
        items = {f"of-{name}": {"gpu_hours": 1}}
        found[f"{name}/project.yaml"] = _project(ledger, name)
        found[f"{name}/plan.yaml"] = _plan({"rest": {"items": items}})
    return {name: content for name, content in found.items() if content}


def plain(value: Any) -> Any:
    """The same in what YAML writes: fractions as decimals, times of a day as texts."""
    if isinstance(value, Mapping):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return decimal(value) if isinstance(value, Fraction) else value


def decimal(value: Fraction) -> int | float | str:
    """A fraction as a decimal; as it is where it has none."""
    if value.denominator == 1:
        return int(value)
    short = float(value)
    return short if Fraction(str(short)) == value else f"{value.numerator}/{value.denominator}"


def _words(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _titled(records: Mapping[str, Any]) -> Record:
    return {name: {"title": _words(name), **record} for name, record in records.items()}


def _cards(ledger: Mapping[str, Any]) -> Record:
    """The cards that are described, and those that are only named."""
    known = ledger.get("gpus", {})
    items = [item for phase in ledger["plan"].values() for item in phase["items"].values()]
    users = [ledger["project"], *items, *ledger.get("runs", ())]
    users += [*ledger.get("allocations", {}).values()]
    named = [str(user["gpu"]) for user in users if "gpu" in user]
    for record in ledger.get("prices", {}).values():
        tables = [record, *record.get("since", {}).values()]
        keys = [key for table in tables for key in table if key.endswith("_per_gpu_hour")]
        named += [str(card) for table in tables for key in keys for card in table.get(key, {})]
    return _titled({name: known.get(name, {}) for name in dict.fromkeys([*known, *named])})


def _rates(ledger: Mapping[str, Any]) -> Record:
    source = {"source": "made up"}
    return {day: {**record, **source} for day, record in ledger.get("rates", {}).items()}


def _project(ledger: Mapping[str, Any], name: str) -> Record:
    runs = ledger.get("runs", ())
    days = [str(run.get("start") or run.get("date") or run.get("end") or DAY)[:10] for run in runs]
    day = min(days, default=DAY.isoformat())
    head = {"title": _words(f"project-{name}"), "version": "1.0", "as_of": day}
    own = ledger["project"] if name == PROJECT else {"gpu": next(iter(_cards(ledger)))}
    return head | own


def _others(ledger: Mapping[str, Any]) -> list[str]:
    """The projects beside the one of the ledger that payers name."""
    payers = ledger.get("allocations", {}).values()
    named = dict.fromkeys(name for payer in payers for name in payer.get("projects", ()))
    return [name for name in named if name != PROJECT]


def _plan(phases: Mapping[str, Any]) -> Record:
    found = {}
    for name, phase in phases.items():
        items = {item: {"scope": "one-time", **record} for item, record in phase["items"].items()}
        found[name] = {"title": _words(f"phase-{name}"), **phase, "items": _titled(items)}
    return found


def _runs(runs: Any) -> Iterator[Record]:
    for place, run in enumerate(runs, 1):
        found = dict(run)
        if "progress" in found:
            done, total = progress_of(found["progress"])
            found["progress"] = {"done": decimal(done), "total": decimal(total)}
        if "wall_hours" in found:
            found["wall_hours"] = _wall_hours(found["wall_hours"])
        if "imported" in found:
            imported = {"state": "COMPLETED", **found["imported"]}
            found = {**found, "job": f"{imported['source']}/{place}", "imported": imported}
        yield found


def _file_of(run: Mapping[str, Any]) -> str:
    """The file of a run below `runs/`: an imported one stands in that of its source and month."""
    if "imported" not in run:
        return "all"
    return f"import/{run['imported']['source']}-{str(run.get('end') or run['date'])[:7]}"


def _wall_hours(value: Any) -> Any:
    """Hours as a decimal; a fraction that has none in seconds."""
    if not isinstance(value, Fraction) and "/" not in str(value):
        return value
    hours = Fraction(value)
    found = decimal(hours)
    return f"{hours * 3600} s" if isinstance(found, str) else found
