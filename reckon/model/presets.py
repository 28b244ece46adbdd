"""Presets: what columns, states and times of a known table mean, as `load/importers/presets/NAME.yaml` states it.

A preset has the keys of a source in imports.yaml. Three more say where it comes from and how it is recognized: `title`,
`seen_in` (public samples) and `detect` (names of columns that the table has; a list among them is of alternatives). One
with `instead` describes a table that holds no runs, and says what to export in its place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parents[1] / "load" / "importers" / "presets"
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))
"""The names of all presets."""
MERGED = ("columns", "statuses", "constants")
"""Settings of which a source replaces single keys."""


class Preset(NamedTuple):
    """A table that is known: what it is, its column names, and the settings of a source as they are written."""

    title: str
    detect: Sequence[str | Sequence[str]]
    instead: str
    settings: Mapping[str, Any]

    def lacking(self, names: Collection[str]) -> list[str]:
        """What it is recognized by that is not among the names of columns: of alternatives, one has to be."""
        wanted = [[name] if isinstance(name, str) else name for name in self.detect]
        return [" or ".join(some) for some in wanted if set(some).isdisjoint(names)]

    def fits(self, names: Collection[str]) -> bool:
        """Whether a table with columns of these names is one."""
        return bool(self.detect) and not self.lacking(names)


def read_text(name: str) -> str:
    """The text of a preset, as it is shipped."""
    return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


@cache
def read_preset(name: str) -> Preset:
    """A preset by its name. Raises KeyError where there is none."""
    import yaml  # few commands read exports

    if name not in NAMES:
        raise KeyError(name)
    # The values of a ledger are read from texts, and so are these.
    settings = yaml.load(read_text(name), Loader=yaml.BaseLoader)
    title = settings.pop("title")
    del settings["seen_in"]
    return Preset(title, settings.pop("detect"), settings.pop("instead", ""), settings)


def find_preset(names: Collection[str]) -> str:
    """The preset that fits the names of columns, that with most of them first; empty for none."""
    fitting = [name for name in NAMES if read_preset(name).fits(names)]
    return max(fitting, key=lambda name: len(read_preset(name).detect), default="")


def nearest_preset(names: Collection[str]) -> tuple[str, list[str]]:
    """The preset of which most columns are among these names (empty for none), and those that it lacks."""
    lacking = {name: read_preset(name).lacking(names) for name in NAMES}
    there = {name: len(read_preset(name).detect) - len(lacks) for name, lacks in lacking.items()}
    best = max(NAMES, key=lambda name: there[name])
    return (best, lacking[best]) if there[best] else ("", [])


def fill_settings(stated: dict[str, Any], preset: Preset) -> frozenset[str]:
    """Adds to the settings of a source those of its preset that it does not state.

    Columns and words for states are added one by one: a column of the preset is left out where the source states
    another that holds the same. Returns the names of what was added, as `timezone` or `columns.Runtime`.
    """
    added = set()
    constants = stated.get("constants") or {}
    for name, value in preset.settings.items():
        own = stated.get(name)
        if own is None:
            stated[name] = value
            added.add(name)
        elif name in MERGED and isinstance(own, Mapping):
            held = {*map(_held, own.values()), *constants} if name == "columns" else ()
            more = {key: word for key, word in value.items() if key not in own and _held(word) not in held}
            stated[name] = {**more, **own}
            added |= {f"{name}.{key}" for key in more}
    return frozenset(added)


def _held(column: Any) -> str:
    """What a column holds, as it is written."""
    return str(column.get("is", "") if isinstance(column, Mapping) else column)
