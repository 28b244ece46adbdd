"""Every remedy that a message of the importer proposes, run: what it says to write is written, what it says to run is
run, and then the message is gone and the figure comes out.

What a message proposes is taken from its text. Words in capitals stand for what its reader knows: `ITEM`, `CARD`,
`RULE`, `FILE`, `COLUMN`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.exported import HAND, HEAD, JOB, export, planted
from tests.months import ran

KNOWN = {"ITEM": "data", "CARD": "a100-40gb", "RULE": "own", "TEXT": "tra"}
RULES = "  rules:\n    all: {when: {name: '.*'}, item: data}\n"
TABLE = (
    "sheet:\n  format: csv\n  timezone: UTC\n  columns: {Id: job, State: state, Hours: wall_hours}\n"
    "  cards: {untyped: a100-40gb}\n" + RULES
)
TRACKED = "runs:\n  format: wandb\n  cards: {untyped: a100-40gb}\n" + RULES


class Tree:
    """A ledger with sources of runs, and exports below it."""

    def __init__(self, root: Path, sources: str) -> None:
        self.root = planted(root, sources)
        self.imports = self.root / "ledger/demo/imports.yaml"
        self.code = 0

    def file(self, raw: bytes | str, name: str = "dump.txt") -> str:
        path = self.root / name
        path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
        return str(path)

    def run(self, *words: str) -> str:
        """What `budget import` says in both streams; its code is kept."""
        self.code, out, err = ran(self.root, *words)
        assert "Traceback" not in err
        return out + err

    def refused(self, *words: str) -> str:
        said = self.run(*words)
        assert self.code == 2, said
        return said

    def done(self, *words: str) -> str:
        said = self.run(*words)
        assert self.code == 0, said
        return said

    def follow(self, command: str, *files: str) -> str:
        """Runs a command as a message prints it; files are named where it says `FILE`."""
        words = shlex.split(command)
        assert words[:2] == ["budget", "import"]
        named = [name for word in words[2:] if word != "…" for name in (files if word == "FILE" else (word,))]
        return self.done(*named)

    def change(self, old: str, new: str) -> None:
        text = self.imports.read_text("utf-8")
        assert old in text
        self.imports.write_text(text.replace(old, new, 1), "utf-8")

    def write(self, proposal: str) -> None:
        """Writes what a message proposes for the source: into the field of that name, where it has one."""
        proposal = filled(proposal)
        name, value = re.fullmatch(r"(\w+): (.*)", proposal, re.DOTALL).groups()  # type: ignore[union-attr]
        text = self.imports.read_text("utf-8")
        there = re.search(rf"^  {name}:( \{{)?", text, re.MULTILINE)
        inner = value[1:-1]
        if there is None:
            text = text.rstrip("\n") + f"\n  {proposal}\n"
        elif there[1]:
            text = text[: there.end()] + f"{inner}, " + text[there.end() :]
        elif value.startswith("{"):
            text = text[: there.end()] + f"\n    {inner}" + text[there.end() :]
        else:
            text = re.sub(rf"^  {name}: .*", f"  {proposal}", text, flags=re.MULTILINE)
        self.imports.write_text(text, "utf-8")

    def write_in(self, proposal: str, rule: str) -> None:
        """Writes what a message proposes into a rule, which stands in a line."""
        text = self.imports.read_text("utf-8")
        line = re.search(rf"^    {rule}: .*\}}$", text, re.MULTILINE)
        assert line is not None
        self.change(line[0], f"{line[0][:-1]}, {filled(proposal)}}}")

    def figure(self, address: str = "actual.total") -> float:
        book, problems = calculate(load(self.root)[0])
        assert problems == []
        use = book[f"demo.{address}"].use
        return float(use or 0)


def filled(proposal: str) -> str:
    """A proposal with what its reader knows."""
    for word, text in KNOWN.items():
        proposal = re.sub(rf"\b{word}\b", text, proposal)
    return proposal


def proposed(said: str, what: str = "") -> list[str]:
    """What a message proposes, between the signs that it puts around it, if it begins so."""
    return [text for text in re.findall("`([^`]+)`", said) if text.startswith(what)]


def table(*rows: str, head: str = "Id,State,Hours") -> str:
    return "\n".join([head, *rows, ""])


ROW = "a,completed,2"


@pytest.mark.parametrize(
    ("sources", "raw", "message", "key", "hours"),
    [
        (HAND + RULES, export({}, {"JobIDRaw": "8", "State": "WEDGED"}), "unknown job state `WEDGED`", "statuses", 4),
        (TABLE, table(ROW, "b,done,3"), "unknown job state `DONE`", "statuses", 5),
        (
            TABLE.replace("  timezone: UTC\n", "").replace("Hours: wall_hours", "Hours: wall_hours, At: start"),
            table(f"{ROW},2025-03-01T00:00:00", head="Id,State,Hours,At"),
            "the start has no offset from UTC",
            "timezone",
            2,
        ),
        (HAND + RULES, export({"AllocTRES": "gres/gpu:h100=3"}), "no card for the GPU type `h100`", "cards", 3),
        (HAND + RULES, export({"AllocTRES": "gres/gpu:no=3"}), "no card for the GPU type `no`", "cards", 3),
        (
            TABLE.replace("Hours: wall_hours", "Hours: wall_hours, Kind: gpu"),
            table(f"{ROW},A100: 'big', [80]", head="Id;State;Hours;Kind").replace("a,completed,2,", "a;completed;2;"),
            "no card for the GPU type `A100: 'big', [80]`",
            "cards",
            2,
        ),
        (TABLE.replace("  cards: {untyped: a100-40gb}\n", ""), table(ROW), "the GPU type `untyped`", "cards", 2),
        (
            TABLE.replace(", Hours: wall_hours", ""),
            table("a,completed,7200", head="Id,State,Runtime"),
            "there is no column for the duration",
            "columns",
            2,
        ),
        (
            TRACKED,
            table("a,a,finished,7200", head="ID,Name,State,Runtime"),
            "the number of GPUs of this run is missing",
            "gpus",
            2,
        ),
        (
            TRACKED.replace("  cards: {untyped: a100-40gb}\n", ""),
            table("a,a,finished,7200", head="ID,Name,State,Runtime"),
            "the number of GPUs of this run is missing",
            "gpus",
            2,
        ),
    ],
)
def test_what_is_to_be_written_in_the_source(
    tmp_path: Path, sources: str, raw: bytes | str, message: str, key: str, hours: float
) -> None:
    tree = Tree(tmp_path, sources)
    dump = tree.file(raw)
    said = tree.refused(dump)
    assert message in said
    (proposal,) = proposed(said, f"{key}: ")
    tree.write(proposal)
    if "the card of such a job is missing" in (again := tree.run(dump)):
        tree.change("count: 1}", f"count: 1, {filled(*proposed(again, 'card: '))}}}")
        again = tree.run(dump)
    assert (tree.code, message in again) == (0, False), again
    assert tree.figure() == hours


def test_a_state_too_long_to_be_one_is_not_proposed_in_part(tmp_path: Path) -> None:
    tree = Tree(tmp_path, TABLE)
    said = tree.refused(tree.file(table(f"a,{'done' * 10},2")))
    assert "this is not a job state; check which column holds the state" in said
    assert proposed(said, "statuses") == []


@pytest.mark.parametrize("preset", ["name", "column", "progress"])
def test_the_other_ways_to_say_what_a_run_held(tmp_path: Path, preset: str) -> None:
    tree = Tree(tmp_path, TRACKED)
    raw = table("a,a,finished,7200,3,4,10", head="ID,Name,State,Runtime,Held,Epoch,Epochs")
    dump = tree.file(raw)
    said = tree.refused(dump)
    assert "name a column for `gpus`" in said
    if preset == "progress":
        (counts,) = proposed(said, "counts: ")
        tree.write(counts)
        said = tree.refused(dump)
        assert "there is no column for `done` and `total`; name it under `columns:`" in said
        needed = proposed(said.partition("there is no column for")[2])
        assert needed == ["done", "total", "columns:"]
        tree.write(f"{needed[2]} {{Epoch: {needed[0]}, Epochs: {needed[1]}}}")
        tree.done(dump)
        assert tree.figure("plan.data.complete_share") == 0.4
    else:
        tree.write("columns: {Held: gpus}")
        tree.done(dump)
        assert tree.figure() == 6


@pytest.mark.parametrize("names", ["sign", "list"])
def test_an_export_without_a_header(tmp_path: Path, names: str) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    header, _, rows = export({}).partition(b"\n")
    said = tree.refused(tree.file(rows))
    assert f"the file has no header, and the source names no columns ({len(HEAD)} cells a line)" in said
    if names == "sign":
        assert "or export without `--noheader`" in said
        tree.done(tree.file(header + b"\n" + rows))
    else:
        (columns,) = proposed(said, "columns: ")
        tree.write(columns.replace("JobIDRaw, Submit, …", ", ".join(HEAD)))
        tree.done(tree.file(rows))
    assert tree.figure() == 2


@pytest.mark.parametrize("header", [True, False])
def test_columns_that_an_export_lacks(tmp_path: Path, header: bool) -> None:
    few = [name for name in HEAD if name not in ("ElapsedRaw", "AllocTRES")]
    tree = Tree(tmp_path, HAND + RULES + ("" if header else f"  columns: [{', '.join(few)}]\n"))
    raw = export({}, head=few)
    said = tree.refused(tree.file(raw if header else raw.partition(b"\n")[2]))
    assert "there is no column for its elapsed time (ElapsedRaw) and its GPUs (AllocTRES)" in said
    command = shlex.split(said.partition("them: ")[2].splitlines()[0])
    asked = command[command.index("--format") + 1].split(",")
    raw = export({}, head=asked)
    if not header:
        tree.change(f"[{', '.join(few)}]", f"[{', '.join(asked)}]")
    tree.done(tree.file(raw if header else raw.partition(b"\n")[2]))
    assert tree.figure() == 2


def test_a_sign_in_the_name_of_a_job(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    said = tree.refused(tree.file(export({"JobName": "a|b"})))
    assert "export with `--delimiter` and a character that no job name contains" in said
    tree.done(tree.file(export({"JobName": "a|b"}, sign="~")))
    assert tree.figure() == 2


@pytest.mark.parametrize(
    ("raw", "right", "mended"),
    [
        (table(ROW, "b,completed"), "check for a missing or extra comma", table(ROW, "b,completed,3")),
        ("a,completed,2\nb,completed,3\n", "write a line of names above the rows", table(ROW, "b,completed,3")),
        (table(ROW, ",completed,3"), "check the column for `job`", table(ROW, "b,completed,3")),
        (table(ROW, '"b,completed,3'), "check for a missing quote", table(ROW, '"b",completed,3')),
        (table(ROW, "b,completed,3").encode("utf-16-le"), "", table(ROW, "b,completed,3")),
    ],
)
def test_a_table_to_be_mended(tmp_path: Path, raw: bytes | str, right: str, mended: str) -> None:
    tree = Tree(tmp_path, TABLE)
    assert right in tree.refused(tree.file(raw))
    tree.done(tree.file(mended))
    assert tree.figure() == 5


def test_a_duration_in_another_form(tmp_path: Path) -> None:
    tree = Tree(tmp_path, TABLE)
    said = tree.refused(tree.file(table("a,completed,two")))
    (form,) = re.findall(r"the duration is not readable; write it as (\S+), or as a number", said)
    tree.done(tree.file(table(f"a,completed,{form}")))
    days, hours, minutes, seconds = map(int, re.split("[-:]", form))
    assert tree.figure() == pytest.approx(days * 24 + hours + minutes / 60 + seconds / 3600)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    tree = Tree(tmp_path, TABLE)
    dump = tree.file(table(ROW, head="Id,State,Took"))
    said = tree.refused(dump)
    there = re.findall(r"there is no column `Hours`; the columns are (.*) \[column-missing\]", said)[0].split(", ")
    tree.change("Hours: ", f"{there[2]}: ")
    tree.done(dump)
    assert tree.figure() == 2


def test_texts_that_name_no_item(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + "  rules:\n    stage: {when: {name: '(?P<item>.*)-x'}}\n")
    dump = tree.file(export({"JobName": "evl-x"}, {"JobIDRaw": "8", "JobName": "data-x"}))
    while "finds no item of the plan" in (said := tree.run(dump)):
        (proposal,) = proposed(said, "items: ")
        if "items: {" not in tree.imports.read_text("utf-8"):
            tree.write_in(proposal, "stage")
        else:
            tree.change("items: {", f"items: {{{filled(proposal)[8:-1]}, ")
    assert tree.code == 0
    assert tree.figure("plan.data.actual") == 4


def test_a_text_that_may_not_be_read_in_a_message(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + "  rules:\n    stage: {when: {comment: '(?P<item>.*)'}}\n")
    dump = tree.file(export({"Comment": "tra"}, head=[*HEAD, "Comment"]))
    said = tree.refused(dump)
    assert (
        "rule `stage` finds no item of the plan for what it captures; write `items: {TEXT: ITEM}` in the rule" in said
    )
    tree.write_in(*proposed(said, "items: "), "stage")
    tree.done(dump)
    assert tree.figure("plan.data.actual") == 2


def test_a_group_that_captures_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + "  rules:\n    stage: {when: {name: '(?P<item>data)?.*'}}\n")
    dump = tree.file(export({}))
    assert "finds no item of the plan for ``; make its group `item` capture a text" in tree.refused(dump)
    tree.change("(?P<item>data)?.*", "(?P<item>data|train)")
    tree.change("}}", "}, items: {train: data}}")
    tree.done(dump)
    assert tree.figure("plan.data.actual") == 2


@pytest.mark.parametrize("way", ["write", "leave out"])
def test_a_seed_that_is_none_of_the_project(tmp_path: Path, way: str) -> None:
    tree = Tree(tmp_path, HAND + "  rules:\n    third: {when: {name: 'train(?P<seed>.*)'}, item: rft}\n")
    dump = tree.file(export({"JobName": "train9"}))
    said = tree.refused(dump)
    assert "rule `third` reads `9` as a seed, which this project does not have" in said
    seeds = re.findall("the seeds are (.*); set `seed:` of the rule, or remove the group `seed`", said)[0].split(", ")
    if way == "write":
        tree.write_in(f"seed: {seeds[0]}", "third")
    else:
        tree.change("(?P<seed>.*)", ".*")
    tree.done(dump)
    assert tree.figure("plan.rft.actual") == 2


# What is wrong with imports.yaml itself.
@pytest.mark.parametrize(
    ("wrong", "right", "message", "hours"),
    [
        (
            TABLE.replace("{Id: job, State: state, Hours: wall_hours}", "[Id, State, Hours]"),
            {"[Id, State, Hours]": "{Runtime: {is: wall_hours, unit: s}, Id: job}"},
            "the first line of a table names its columns",
            2 / 3600,
        ),
        (
            HAND + "  columns: {JobID: job}\n" + RULES,
            {"  columns: {JobID: job}\n": ""},
            "list the names if the file has no header",
            2,
        ),
        (HAND + "  counts: energy\n" + RULES, {"  counts: energy\n": ""}, "remove `counts`; it counts hours", 2),
        (
            HAND + "  rules:\n    a: {when: {name: 'train'}, item: dat}\n",
            {"item: dat}": "item: data}"},
            "did you mean `data`?",
            2,
        ),
        (
            HAND + "  rules:\n    a: {when: {name: 'train'}, item: other}\n",
            {"item: other}": "item: data}"},
            "there is no item `other` in the plan; there are `data`, ",
            2,
        ),
        (
            HAND + "  rules:\n    a: {when: {name: 'train'}, item: data, ignore: paid}\n",
            {", ignore: paid": ""},
            "this rule has both `item` and `ignore`; keep one",
            2,
        ),
        (
            HAND + "  rules:\n    a: {when: {name: 'train'}, items: {eval: data}}\n",
            {"'train'": "'(?P<item>eval|embed|train)'", "{eval: data}": "{train: data}"},
            "write `(?P<item>eval|embed)` in a pattern of `when`",
            2,
        ),
        (
            HAND + RULES + "  gpus:\n    a: {when: {name: '.*'}, if: unstated}\n",
            {"if: unstated}": "if: unstated, count: 1}"},
            "the number of GPUs of such a job is missing; write `count: 1`",
            1,
        ),
        (
            HAND + RULES + "  gpus:\n    a: {when: {name: '.*'}, if: untyped, count: 1}\n",
            {"if: untyped": "if: unstated"},
            "remove `count`, or write `if: unstated`",
            1,
        ),
        (
            HAND + RULES + "  gpus:\n    a: {when: {name: '.*'}, if: unstated, count: 1.5}\n",
            {"count: 1.5": "count: 1, share: 1/7"},
            "write a whole number, and `share: 1/7` for parts",
            1 / 7,
        ),
    ],
)
def test_what_is_to_be_mended_in_imports(
    tmp_path: Path, wrong: str, right: Mapping[str, str], message: str, hours: float
) -> None:
    tree = Tree(tmp_path, wrong)
    if "format: csv" in wrong:
        dump = tree.file(table("a,completed,2", head="Id,State,Runtime"))
    else:
        dump = tree.file(export({"AllocTRES": ""} if "gpus:" in wrong else {}))
    said = tree.refused(dump)
    assert message in said
    for text in proposed(message):
        literal = text in " ".join(right.values()) or text in (
            "item",
            "ignore",
            "counts",
            "count",
            "data",
            "when",
            "other",
        )
        assert literal or text.startswith("(?P<item>"), "what is written is what was proposed"
    for old, new in right.items():
        tree.change(old, new)
    if "format: csv" in wrong:
        said = tree.refused(dump)
        assert "there is no column for `state`" in said
        tree.write("columns: {State: state}")
    tree.done(dump)
    assert tree.figure() == pytest.approx(hours)


def test_a_table_of_which_nothing_is_said_is_drafted(tmp_path: Path) -> None:
    tree = Tree(tmp_path, TABLE.replace("  columns: {Id: job, State: state, Hours: wall_hours}\n", ""))
    dump = tree.file(table(ROW))
    (command,) = proposed(tree.refused(dump), "budget import")
    tree.imports.write_text(tree.follow(command, dump), "utf-8")
    tree.done(dump)
    assert tree.figure() == 2


def test_no_sources_at_all(tmp_path: Path) -> None:
    tree = Tree(tmp_path, "")
    tree.imports.unlink()
    dump = tree.file(export({"AllocTRES": "gres/gpu:a100=2"}))
    said = tree.refused(dump)
    assert "ledger/demo/imports.yaml is missing" in said
    tree.imports.write_text(tree.follow(*proposed(said, "budget import"), dump), "utf-8")
    tree.done(dump)
    assert tree.figure() == 2


@pytest.mark.parametrize("way", ["counts", "cluster"])
def test_two_sources_that_count_the_hours_of_one_cluster(tmp_path: Path, way: str) -> None:
    other = TABLE.replace("  format", "  cluster: hand\n  format")
    tree = Tree(tmp_path, HAND + RULES + other.replace("wall_hours}", "wall_hours, D: done, T: total}"))
    dump = tree.file(export({}))
    more = tree.file(table("7,completed,3,1,4", head="Id,State,Hours,D,T"), "more.csv")
    said = tree.refused(dump, "--with", "hand")
    assert "`hand` and `sheet` both count the hours of `hand`" in said
    if way == "counts":
        tree.write(*proposed(said, "counts: "))
    else:
        (key,) = proposed(said, "cluster:")
        tree.change("cluster: hand", f"{key} other")
    tree.done(dump, "--with", "hand")
    tree.done(more, "--with", "sheet")
    assert tree.figure() == (2 if way == "counts" else 2 + 3)


def test_the_source_and_the_export_that_are_not_named(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES + TABLE)
    dump = tree.file(export({}))
    (name,) = re.findall("name the source with --with; there are `(.*?)`, ", tree.refused(dump))
    said = tree.refused("--with", name)
    command = re.findall("name the export to read: (.*)", said)[0].replace("SOURCE", name)
    tree.follow(command, dump)
    assert tree.figure() == 2


@pytest.mark.parametrize("name", ["train", "it's (a) +1 [x]", "a: {b}, #c"])
def test_the_rule_that_is_drafted_for_a_name(tmp_path: Path, name: str) -> None:
    tree = Tree(tmp_path, HAND)
    said = tree.done(tree.file(export({"JobName": name}, {"JobIDRaw": "8", "JobName": "other"})))
    lines = [line.strip() for line in said.splitlines()]
    rule = lines[next(at for at, line in enumerate(lines) if line.startswith(name)) + 1]
    tree.write(f"rules: {{{rule}}}")
    assert tree.figure("plan.data.actual") == 0
    said = tree.run("--check")
    assert tree.code == 1
    tree.follow(*proposed(said, "budget import"))
    assert tree.figure("plan.data.actual") == 2
    assert "are unchanged" in tree.done("--check")


def test_jobs_that_state_no_gpu_where_others_do(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    said = tree.done(tree.file(export({}, {"JobIDRaw": "8", "AllocTRES": "cpu=8"})))
    assert "1 job on accel state no GPU, but other jobs there do: 1 node-hours" in said
    tree.write(*proposed(said, "gpus: "))
    assert "`gpus: own` was used for" not in tree.done("--reapply")
    assert tree.figure() == 3


def test_entries_that_were_edited_by_hand(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    dump = tree.file(export({}))
    tree.done(dump)
    runs = tree.root / "ledger/demo/runs/import/hand-2025-03.yaml"
    runs.write_text(runs.read_text("utf-8").replace("gpus: 2", "gpus: 9"), "utf-8")
    tree.follow(*proposed(tree.refused(dump), "budget import"))
    assert tree.figure() == 0
    tree.done(dump)
    assert tree.figure() == 2
    runs.write_text(runs.read_text("utf-8").replace("gpus: 2", "gpus: 9"), "utf-8")
    said = tree.run("--check")
    assert (tree.code, "was edited by hand" in said) == (1, True)
    tree.follow(*proposed(said, "budget import"))
    tree.done(dump)
    assert tree.figure() == 2
    tree.done("--check")


def test_a_lock_that_is_gone(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    dump = tree.file(export({}))
    tree.done(dump)
    (tree.root / "ledger/demo/imports.lock.yaml").unlink()
    said = tree.run("--check")
    assert (tree.code, "import its exports again" in said) == (1, True)
    tree.done(dump)
    assert tree.figure() == 2
    tree.done("--check")


def test_rules_that_ask_for_what_no_entry_keeps(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + "  rules:\n    a: {when: {comment: 'x'}, item: data}\n")
    dump = tree.file(export({"Comment": "x"}, head=[*HEAD, "Comment"]))
    tree.done(dump)
    tree.change("item: data", "item: sft")
    for words in (["--reapply"], ["--check"]):
        assert "rule `a` needs fields that no entry keeps" in tree.run(*words)
        assert tree.code in (1, 2)
    tree.follow(*proposed(tree.refused("--reapply"), "budget import"), dump)
    assert tree.figure("plan.sft.actual") == 2
    tree.done("--check")


def test_a_month_whose_file_of_jobs_is_gone(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    tree = Tree(tmp_path, HAND + "  most_lines: 1\n" + RULES)
    first = tree.file(export({}, {"JobIDRaw": "8"}), "first.txt")
    more = tree.file(export({"JobIDRaw": "9"}), "more.txt")
    tree.done(first)
    for path in (tree.root / "jobs/demo").iterdir():
        path.unlink()
    tree.follow(*proposed(tree.refused(more), "budget import"))
    tree.done(first, more)
    assert tree.figure() == 3 * 2


def test_a_job_that_was_not_imported_is_sought_in_an_export(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    dump = tree.file(export({}))
    assert "no job `7` was imported; name a FILE to search that export" in tree.refused("--explain", "7")
    assert "2 GPU-h" in tree.done(dump, "--explain", "7")


def test_a_charge_in_another_currency(tmp_path: Path) -> None:
    head = (
        "ProviderName,BillingPeriodStart,BillingPeriodEnd,ChargePeriodEnd,BilledCost,EffectiveCost,BillingCurrency,"
        "ServiceName"
    )
    row = "Cloud,2025-03-01T00:00:00Z,2025-04-01T00:00:00Z,2025-03-31T00:00:00Z,5,5,AUD,GPU"
    tree = Tree(tmp_path, "bill:\n  format: focus\n" + RULES)
    said = tree.refused(tree.file(table(row, head=head)))
    (currency,) = re.findall("this charge is in AUD; export it in ([A-Z]+), or convert it first", said)
    said = tree.done(tree.file(table(row.replace("AUD", currency), head=head)))
    assert "Money:          none stated before, $5.00 now" in said


def test_an_end_before_its_start(tmp_path: Path) -> None:
    tree = Tree(tmp_path, HAND + RULES)
    wrong = {"JobIDRaw": "8", "End": "2025-02-01T11:00:00"}
    said = tree.refused(tree.file(export({}, wrong)))
    assert "end is before the start; correct or remove the row in a copy of the export" in said
    tree.done(tree.file(export({}, wrong | {"End": JOB["End"]})))
    assert tree.figure() == 4
