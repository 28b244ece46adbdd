"""No name or number of a person, home, comment or host of an export is printed or stored, whatever is done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from reckon.cli import main
from tests.exported import BILL, CARBON, CEDAR, DUMPS, FOX, FROMAGE, HABROK, SAMPLES, planted, sample

PRIVATE = re.compile(r"zzperson[a-z]+|zz-host-[0-9]+|zz-remark|/home/|/scratch/|\b9900[0-9]{4}\b", re.IGNORECASE)
SOURCES = {
    "fox.txt": FOX,
    "fox-mig.txt": FOX,
    "fox-mig-pairs.txt": FOX,
    "habrok.txt": HABROK,
    "cedar.json": CEDAR,
    **dict.fromkeys(DUMPS, FROMAGE),
    "codecarbon.csv": CARBON,
    "focus.csv": BILL,
}
PUBLIC = {"wandb-no-duration.csv"}
"""Samples in which nothing is private."""


def seen(root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """All that can be read after a command: what it printed, and every file below the ledger."""
    printed = capsys.readouterr()
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    texts = (f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}" for path in files)
    return printed.out + printed.err + "".join(texts)


READERS = (
    ["check", "--fail-on", "never"],
    ["check", "--format", "github"],
    ["status"],
    ["export", "--format", "json"],
    ["explain", "--runs", "demo.actual.total"],
)


def all_modes(root: Path, dump: Path, capsys: pytest.CaptureFixture[str], then: Sequence[list[str]] = ()) -> str:
    """What is seen through all that can be done with an export, and by what reads the ledger then."""
    text = dump.read_bytes()[:20_000].decode("utf-8", "replace")
    ids = re.findall(r'(?m)^([0-9_]{5,12})[|☃]|JobID=([0-9]+),|job_id": ([0-9]+)', text)
    ids = ["".join(found) for found in ids] or ["7"]
    commands = [
        ["--suggest", str(dump)],
        [str(dump), "--dry-run"],
        [str(dump)],
        [str(dump)],
        ["--check"],
        ["--reapply"],
    ]
    commands += [
        words for job in dict.fromkeys(ids[:2]) for words in (["--explain", job, str(dump)], ["--explain", job])
    ]
    commands = [["import", *words] for words in commands] + [*then]
    commands += [["import", "--undo", next(iter((root / "ledger/demo/imports.yaml").read_text("utf-8").split(":")))]]
    text = ""
    for words in commands:
        main(["--root", str(root), *words])
        text += seen(root, capsys)
    return text


def test_the_samples_have_what_is_looked_for() -> None:
    for name in SOURCES:
        assert PRIVATE.search(sample(name).decode()), name
    assert {path.name for path in SAMPLES.iterdir() if path.is_file()} - {"README.md"} - PUBLIC == set(SOURCES), (
        "every sample is tried"
    )


@pytest.mark.parametrize("name", SOURCES)
def test_nothing_private_is_seen_of_a_sample(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = [["render"]] if name in ("fox.txt", "cedar.json") else []  # drawing pictures takes long
    text = all_modes(planted(tmp_path / "tree", SOURCES[name]), SAMPLES / name, capsys, [*READERS, *pages])
    assert PRIVATE.findall(text) == []
    assert " new  ~ 0 replaced" in text, "it was imported"
    assert ("docs/demo/imports.md" in text) == bool(pages)


# What goes wrong with exports, at a row that has a name, and what is private beside it.
FAULTS = {
    "an unknown state": (r"COMPLETED|NODE_FAIL", "BUSTED"),
    "a name for a state": (r"COMPLETED|NODE_FAIL", "zzpersonzz"),
    "an unknown card": (r"gpu:[a-z0-9_]+|gres/gpu=", "gpu:h900=1,gres/gpu="),
    "no count": (r"gres/gpu(:[a-z0-9_]+)?=1|\"count\": 1\b", "gres/gpu=zzpersonzz"),
    "a cell too many": (r"(\||☃)(?=ac|gpu)", r"\1zzpersonzz\1"),
    "no duration": (r"\b[0-9]{3,7}\|0:0|ElapsedRaw=|[0-9]{2}:[0-9]{2}:[0-9]{2}☃☃|\"elapsed\": ", "zzpersonzz"),
    "no time": (r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T|\"start\": ", '"zzpersonzz'),
    "no id": (r"(?m)^[0-9_]+|JobIDRaw=|\"job_id\": ", "zzpersonzz"),
    "an end in the middle": (r"(?s)(?<=.{9000}).*|(?<=.{2000}).*", ""),
    "a row turned by a cell": (r"(?m)^([0-9_]+)(\||☃)(.*)$", r"\3\2\1"),
    "a state in other words": (r"COMPLETED|TIMEOUT", "zzperson zzpersonb"),
    "no header": (r"\A[^\n]*\n", ""),
    "another encoding": (r"zzpersona[a-z]", "zzperson\udcff"),
}


@pytest.mark.full
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", ["fox.txt", "fox-mig-pairs.txt", "habrok.txt", "cedar.json", DUMPS[4]])
def test_nothing_private_is_told_of_what_is_wrong(
    name: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = re.sub(*FAULTS[fault], sample(name).decode(), count=3)
    dump = tmp_path / name
    dump.write_bytes(broken.encode("utf-8", "surrogateescape"))
    text = all_modes(planted(tmp_path / "tree", SOURCES[name]), dump, capsys)
    assert PRIVATE.findall(text) == []
    assert "Traceback" not in text


SWAPPED = ["State", "JobIDRaw", "ElapsedRaw", "Submit", "Start", "End", "AllocTRES", "ReqNodes"]


@pytest.mark.parametrize("column", SWAPPED)
def test_nothing_private_is_told_where_columns_are_mixed_up(
    column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = FOX.replace(f"{column},", "Hold,", 1).replace("User,", f"{column},", 1).replace("Hold,", "User,", 1)
    text = all_modes(planted(tmp_path / "tree", source), SAMPLES / "fox.txt", capsys)
    assert PRIVATE.findall(text) == []


@pytest.mark.parametrize(
    "row",
    [
        "zzpersonaa,train,COMPLETED,7,60\nzzpersonab,train,COMPLETED,8,60\n",
        "|1|07:42:18|45352405|zzpersonaa|/home/zzpersonaa|CANCELLED by 99000001|23:00:00\n",
        "/home/zzpersonaa/run,zz-host-01,1.5\n",
        '"zzpersonaa" "x,1\n',
        "zzpersonaa,train,finished\nzzpersonab,train,finished\n",
    ],
)
def test_nothing_private_is_told_of_a_table_without_names_of_columns(
    row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = (
        "table:\n  format: csv\n  columns: {ID: job, State: state, Runtime: wall_hours}\n  cards: {untyped: v100}\n"
    )
    dump = tmp_path / "table.csv"
    dump.write_text(row, "utf-8")
    assert PRIVATE.findall(all_modes(planted(tmp_path / "tree", source), dump, capsys)) == []


def test_a_rule_may_ask_for_a_directory_or_comment_and_stores_and_prints_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = r"""  rules:
    home: {when: {directory: '/home/(?P<item>[a-z]+)/.*'}%s}
"""
    for more in ("", ", unplanned: true", ", items: {other: data}"):
        root = planted(tmp_path / f"tree{len(more)}", FROMAGE.partition("  rules:")[0].rstrip() + "\n" + rules % more)
        text = all_modes(root, SAMPLES / DUMPS[4], capsys)
        told = text.replace("/home/(?P<item>", "")
        assert PRIVATE.findall(told) == []
        assert "rule `home` finds no item of the plan for what it captures" in told
    named = rules.replace("item", "run") % ", item: data"
    root = planted(tmp_path / "named", FROMAGE.partition("  rules:")[0].rstrip() + "\n" + named)
    assert main(["--root", str(root), "check"]) == 2
    assert "the group `run` would store what a directory says" in capsys.readouterr().out
