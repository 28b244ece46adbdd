"""DuckDB gives what the plain reader gives: the same jobs, sums and messages, of files in any order and of any kind."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckon.load.importers.engines import file_scan
from tests.engined import by_engine, held_against_plain, plain
from tests.exported import DUMPS, FOX, FROMAGE, HABROK, HAND, HEAD, export, sample, told
from tests.trying import examples

BASE = """\
fox:
  format: sacct
  timezone: {zone}
  {more}
  cards: {{a100: a100-40gb, l40s: l40s, untyped: a100-40gb}}
"""
RULES = (
    r"train: {when: {name: 'train-s(?P<seed>\d)'}, item: data}",
    r"halves: {when: {name: 'train|☃', account: 'ac1'}, split: {sft: 1/3, rft: 2/3}}",
    r"other: {when: {name: 'sweep .*'}, ignore: it is another project's}",
    r"named: {when: {name: '(?P<item>data|sft|x)-(?P<run>.*)'}, items: {data: data, sft: sft}}",
    r"home: {when: {directory: '/home/(?P<item>[a-z]+)/.*'}, items: {ann: svd}}",
    r"twice: {when: {name: '(?P<item>data)?.*z', account: '(?P<item>data)?.*'}, items: {data: data}}",
    r"any: {when: {name: '(?i).*É.*'}, item: evaluation, seed: 2, run: r1}",
    r"rest: {when: {qos: 'nor.*|', comment: '.*'}, item: more, unplanned: true}",
)
GPU_RULES = (
    "mig: {when: {partition: mig}, if: untyped, share: 1/7}",
    "cpu: {when: {partition: 'c.*'}, if: unstated, count: 2, card: l40s, since: 2025-03-01, until: 2025-03-30}",
    "none: {when: {partition: '.*'}, if: unstated, count: 0}",
)
USUAL = {
    "JobIDRaw": ("7", "8", "9", "10", "11_3", "12+1", "7.batch", "11_[1-4%2]"),
    "JobID": ("7", "11_3", "11_[3-4]", "", "8.extern"),
    "Cluster": ("", "", "fox", "a/b"),
    "Submit": ("2025-03-01T09:00:00", "2025-03-01T09:00:00", "2025-02-28T23:59:59", "Unknown", "1740900000"),
    "Start": ("2025-03-01T10:00:00", "2025-03-29T22:00:00", "2025-02-19T23:00:00", "2025-03-31T23:30:00", "Unknown"),
    "End": (
        "2025-04-01T11:00:00",
        "2025-04-02T00:00:00",
        "2025-04-02T01:00:00",
        "Unknown",
        "None",
        "2045-01-01T00:00:00",
    ),
    "State": ("COMPLETED", "COMPLETED", "RUNNING", "RUNNING", "FAILED", "CANCELLED by 1001", "PENDING", "REQUEUED"),
    "ElapsedRaw": ("3600", "3600", "7200", "0", "86401"),
    "AllocTRES": (
        "gres/gpu:a100=2,gres/gpu=2",
        "gres/gpu=3",
        "cpu=8,gres/gpu=2,mem=4G,node=1",
        "cpu=1,mem=1G",
        "",
        "billing=3,gres/gpu:l40s=1,gres/gpu=2,node=1",
    ),
    "ReqTRES": ("", "cpu=1", "gres/gpu=1"),
    "NNodes": ("1", "2", "", "x"),
    "JobName": ("train-s1", "train", "sweep one", "data-7", "sft-x", "x", "", "a: b"),
    "Account": ("ac1", "ac2", ""),
    "Partition": ("accel", "mig", "cpu", ""),
    "QOS": ("normal", ""),
    "WorkDir": ("", "/home/ann/x"),
    "Comment": ("", "secret"),
}
ODD = {
    "JobIDRaw": ("8.ö", "x", "", "9" * 21),
    "Cluster": ("öst",),
    "Submit": ("gestern", "2025-03-30T02:30:00", "2025-10-26T02:30:00", "1988-01-01T00:00:00", "1740900000.5"),
    "Start": ("2025-03-30T02:30:00", "2025-10-26T02:30:00", "2025-03-01T10:00:00+05:00", "0", "24:00", "1970-01-02"),
    "End": (
        "2025-02-20T02:00:00",
        "2025-10-26T02:59:59",
        "2025-03-01T24:00:00",
        "2025-03-01T11:00:60",
        "2051-01-01T00:00:00",
        "1740900000",
    ),
    "State": ("CANCELLED+", "timeout", "ann", "ODD_STATE", "", " COMPLETED", "PREEMPTED"),
    "ElapsedRaw": ("1-02:03:04", "00:10:00", "03:04.5", "12.25", "1e3", "", "60:00", "999999999999"),
    "AllocTRES": (
        "billing=3,gres/gpu:l40s=1,gres/gpumem=3,gres/gpu=2,node=1",
        "gres/gpu=0",
        "gres/gpu:h9=1",
        "gres/gpu=x",
        "cpu=1, gres/gpu=1",
        "gres/gpu:a100=1,mem=4,gres/gpu:l40s=1",
        "xgres/gpu=1",
        "gres/gpu",
        "gres/gpu:a b=1",
    ),
    "NNodes": ("1234567", "²"),
    "JobName": ("train-s9", "öl É", "☃", "x-1", "dataz", "é", "a\tb", "train|s1", "n" * 1001, "\u200bz"),
    "Account": ("dataz", "data"),
    "Partition": ("öst",),
    "WorkDir": ("/home/bob/y",),
}
COLUMNS = [*HEAD, "WorkDir", "Comment"]


@st.composite
def sources(draw: Any) -> str:
    zone = draw(st.sampled_from(("Europe/Oslo", "UTC", "America/New_York", "Asia/Kathmandu")))
    more = draw(
        st.sampled_from(
            (
                "title: Fox",
                "cluster: fox",
                "only: {account: 'ac.*', name: '[^☃]*'}",
                "statuses: {odd_state: failed, completed: timeout}",
            )
        )
    )
    rules = draw(st.lists(st.sampled_from(RULES), unique=True, max_size=5))
    gaps = draw(st.lists(st.sampled_from(GPU_RULES), unique=True))
    text = BASE.format(zone=zone, more=more)
    for head, found in (("rules", rules), ("gpus", gaps)):
        text += "".join([f"  {head}:\n" if found else "", *(f"    {rule}\n" for rule in found)])
    return text


@st.composite
def exports(draw: Any) -> list[bytes]:
    """Files of some rows: most of their cells are usual, and few rows of a file are odd."""
    found = []
    odd = draw(st.sampled_from((0, 0, 1, 3)))
    for _ in range(draw(st.integers(1, 3))):
        sign, end = draw(st.sampled_from(("|", "|", ";", "§"))), draw(st.sampled_from(("\n", "\n", "\r\n")))
        rows = draw(st.lists(st.tuples(*(st.sampled_from(USUAL[name]) for name in COLUMNS)).map(list), max_size=24))
        for row in rows:
            for name in draw(st.lists(st.sampled_from(sorted(ODD)), max_size=odd)):
                row[COLUMNS.index(name)] = draw(st.sampled_from(ODD[name]))
        lines = [sign.join(COLUMNS), *(sign.join(row) for row in rows)]
        lines += draw(st.lists(st.sampled_from(("", lines[0], "  ", lines[-1], *["too|few"][:odd])), max_size=2))
        found.append(("\ufeff" * draw(st.integers(0, 1)) + end.join(lines) + end * draw(st.integers(0, 1))).encode())
    return found


@pytest.mark.full
@settings(max_examples=examples(40), deadline=None)
@given(sources(), exports())
def test_the_engine_gives_what_the_plain_reader_gives(source: str, found: list[bytes]) -> None:
    held_against_plain(source, found)


@pytest.mark.full
@settings(max_examples=examples(20), deadline=None)
@given(sources(), exports(), exports())
def test_the_engine_goes_on_from_what_is_in_the_ledger(source: str, first: list[bytes], second: list[bytes]) -> None:
    before = plain(source, *first)
    if not before.problems:
        held_against_plain(source, second, list(before.merged.jobs.values()))


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (FOX, "fox.txt"),
        (FOX, "fox-mig.txt"),
        (HABROK, "habrok.txt"),
        (FOX, "fox-mig-pairs.txt"),
        *((FROMAGE, name) for name in DUMPS),
    ],
)
def test_real_exports(source: str, name: str) -> None:
    held_against_plain(source, [sample(name)])


def test_a_line_without_an_end_is_refused_and_a_long_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sizes are made small here: lines of a part of a file, of several, and one that goes on to its end."""
    monkeypatch.setattr(file_scan, "_AT_ONCE", 1000)
    rows = [{"JobIDRaw": "1"}, {"JobIDRaw": "2", "JobName": "n" * 500}, {"JobIDRaw": "3"}]
    held_against_plain(HAND, [export(*rows)])
    taken = by_engine(HAND, export(*rows, {"JobIDRaw": "4", "JobName": "n" * 3000}, {"JobIDRaw": "5"}))
    assert taken.merged.told is None
    assert told(taken) == ["0.txt:1:1: line 5 is longer than 8 MiB; check whether `sacct --parsable2` wrote this"]
