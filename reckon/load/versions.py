"""The text of project.yaml with one version released: its entry under `versions`, and `version`. All else stays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import yaml

from reckon.language.text import flow_map
from reckon.model.release import numeric

from .run_format import scalar
from .value_edits import Edit, edited, span_of

Pair = tuple[yaml.Node, yaml.Node]
KEPT = ("reasons",)
"""What an entry says that a release leaves as it is."""


def with_release(text: str, version: str, date: str, note: str) -> str:
    """The text with this version released on a date.

    The text is that of a project.yaml without problems. An entry that is there gets the status, date and note and
    waits for nothing more; a new one goes where its number belongs. Comments, order and all other lines stay.
    """
    try:
        whole = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:  # this reader is stricter than that of ledgers, for instance about tabs
        return text
    top = _pairs_by_key(whole)
    if whole is None or "version" not in top:
        return text
    end = "\r\n" if "\r\n" in text else "\n"
    values = {"status": "released", "date": date, "note": scalar(" ".join(note.split()), True)}
    edits = [(*span_of(text, top["version"][1]), scalar(version))]
    if "versions" in top:
        edits += _edits(text, top["versions"][1], version, values, end)
    else:
        edits.append(_first(text, whole, f"{version}: {flow_map(values)}", end))
    return edited(text, edits)


def _first(text: str, whole: yaml.Node, entry: str, end: str) -> Edit:
    """The key `versions` with its first entry: at the end of the file, or of the map in braces that it is."""
    if whole.flow_style:  # type: ignore[attr-defined]
        at = span_of(text, whole.value[-1][1])[1]
        return at, at, f", versions: {{{entry}}}"
    closed = re.search(r"^\.\.\.", text[whole.end_mark.index :], re.MULTILINE)
    at = whole.end_mark.index + closed.start() if closed else len(text)
    indent = " " * whole.value[0][0].start_mark.column
    before = "" if text[:at].endswith("\n") else end
    return at, at, f"{before}{end}{indent}versions:{end}{indent}  {entry}{end}"


def _pairs_by_key(node: yaml.Node | None) -> dict[str, Pair]:
    """The pairs of a map by their keys; none where a node is not a map."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return {str(key.value): (key, value) for key, value in pairs}


def _edits(text: str, versions: yaml.Node, version: str, values: Mapping[str, str], end: str) -> Iterator[Edit]:
    """The edits after which the entry of the version has these values."""
    entries = _pairs_by_key(versions)
    if version not in entries:
        yield _added(text, versions, entries, version, f"{version}: {flow_map(values)}", end)
        return
    entry = entries[version][1]
    fields = _pairs_by_key(entry)
    if getattr(entry, "flow_style", True):
        stays = {key: text[slice(*span_of(text, fields[key][1]))] for key in KEPT if key in fields}
        yield (*span_of(text, entry), flow_map({**values, **stays}))
        return
    kept = [pair for key, pair in fields.items() if key != "waits_for"]
    new = [f"{key}: {value}" for key, value in values.items() if key not in fields]
    for key, value in values.items():
        if key in fields:
            yield (*span_of(text, fields[key][1]), value)
    if not kept:  # it says only what it waits for: the rest takes the place of that
        key_node, value_node = fields["waits_for"]
        between = end + " " * key_node.start_mark.column
        yield key_node.start_mark.index, span_of(text, value_node)[1], between.join(new)
        return
    first = kept[0][0].start_mark
    if new:
        yield first.index, first.index, "".join(f"{line}{end}{' ' * first.column}" for line in new)
    if "waits_for" in fields:
        key_node, value_node = fields["waits_for"]
        begin = text.rfind("\n", 0, key_node.start_mark.index) + 1
        yield begin, text.find("\n", span_of(text, value_node)[1]) + 1 or len(text), ""


def _added(text: str, versions: yaml.Node, entries: Mapping[str, Pair], version: str, entry: str, end: str) -> Edit:
    """The entry of a version that has none yet: before the first that is greater, else after the last."""
    begin, stop = span_of(text, versions)
    if not entries:
        return begin, stop, f"{{{entry}}}" if text[begin:stop] else f" {{{entry}}}"
    own = numeric(version) or ()
    greater = next((key for name, (key, _) in entries.items() if (numeric(name) or ()) > own), None)
    if versions.flow_style:  # type: ignore[attr-defined]
        at = greater.start_mark.index if greater else span_of(text, list(entries.values())[-1][1])[1]
        return at, at, f"{entry}, " if greater else f", {entry}"
    indent = " " * next(iter(entries.values()))[0].start_mark.column
    if greater:
        return greater.start_mark.index, greater.start_mark.index, f"{entry}{end}{indent}"
    at = text.find("\n", stop) + 1 or len(text)
    before = "" if text[:at].endswith("\n") else end
    return at, at, f"{before}{indent}{entry}{end}"
