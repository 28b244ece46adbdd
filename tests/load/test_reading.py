# ruff: noqa: E501 (messages are kept whole)
"""From files to records: what is read, where it stands, and that one mistake hides no other."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

from reckon.language.text import Place, place_of
from reckon.load.reader import load


def test_a_file_with_eight_mistakes_gets_eight_messages(ledger: Any) -> None:
    tree = ledger(
        plan="""\
offline:
  title: Offline
  contingency: 15
  items:
    sft:
      title: SFT
      scope: per-seeds
      gpu_hours: 1_000
      gpu_houres: 5
      estimate: {formula: hours * gpus +, hours: 8–10, gpus: 8}
      notes: &note text
    rft: {title: RFT, scope: one-time, gpu_hours: 5, gpu_hours: 6}
"""
    )
    assert tree.problems() == [
        "ledger/p/plan.yaml:3:16: `15` lacks its percent sign; write `15%`, or `x` after it if it is a factor",
        "ledger/p/plan.yaml:7:14: `per-seeds` is not allowed here; did you mean `per-seed` or `all-seeds` or `single-seed`?",
        "ledger/p/plan.yaml:8:18: `1_000` has underscores; write `1000`",
        "ledger/p/plan.yaml:9:7: unknown key `gpu_houres`; did you mean `gpu_hours`?",
        "ledger/p/plan.yaml:10:41: the expression ends where a name or a number is missing; write an input, a number or a parenthesis",
        "ledger/p/plan.yaml:10:50: `8–10` has a typographic dash; write `8-10`",
        "ledger/p/plan.yaml:11:14: `&note` is an anchor; remove it; a ledger has no anchors and aliases",
        "ledger/p/plan.yaml:12:54: `gpu_hours` appears twice; keep one; the first is in line 12",
    ]


def test_mistakes_of_all_files_are_told_in_one_run_by_place(ledger: Any) -> None:
    tree = ledger(
        gpus="card: {title: Card, vram_gib: 4O}\n",
        project="seeds: 0\n",
        figures="b: {title: B, hours: x}\na: {title: A, hours: y}\n",
        runs="- {item: sft}\n",
        texts="a: {rows: [b\n",
    )
    places = [line.split(": ")[0] for line in tree.problems()]
    assert places == [
        "ledger/catalog/gpus.yaml:1:31",
        "ledger/p/figures.yaml:1:22",
        "ledger/p/figures.yaml:2:22",
        "ledger/p/project.yaml:5:8",
        "ledger/p/runs/2025.yaml:1:3",
        "ledger/p/runs/2025.yaml:1:10",
        "ledger/p/texts.yaml:2:1",
    ]


def test_scalars_are_text_until_their_field_reads_them(ledger: Any) -> None:
    tree = ledger(
        project="title: no\nversion: 1.10\nas_of: 2025-01\ngpu: card\nstatus: null\n",
        plan="one: {title: 12, items: {on: {title: yes, scope: one-time, gpu_hours: 5, settings: {lr: 1e-5, warm: off, sizes: [1, 2]}}}}\n",
    )
    read, problems = load(tree.root)
    assert problems == []
    project = read.projects["p"].project
    assert (project.title, project.version, project.as_of, project.status) == ("no", "1.10", "2025-01", "null")
    item = read.projects["p"].items["on"]
    assert item.title == "yes"
    assert item.settings["lr"].value.use == F(1, 10**5)  # type: ignore[union-attr]
    assert item.settings["warm"] == "off"
    assert item.settings["sizes"] == ("1", "2")


def test_every_text_knows_its_place(ledger: Any) -> None:
    tree = ledger(figures="# first\n\na:\n  title: 'A'\n  hours: 8-10\n")
    figure = load(tree.root)[0].projects["p"].figures["a"]
    assert place_of(figure.title) == Place("ledger/p/figures.yaml", 4, 11)
    assert figure.figures["hours"].place == Place("ledger/p/figures.yaml", 5, 10)
    assert figure.place == Place("ledger/p/figures.yaml", 4, 3)


def test_what_is_no_record_may_lie_beside(ledger: Any) -> None:
    tree = ledger(
        **{
            "ledger/p/prose/why.md": "text",
            "ledger/p/releases/1.0.0/index.md": "text",
            "ledger/p/notes.md": "text",
            "ledger/p/.plan.yaml.swp": "x",
            "ledger/.schema/plan.schema.json": "{}",
            "ledger/p/runs/table.csv": "a,b",
        }
    )
    assert tree.problems() == []


def test_runs_are_read_in_order_of_file_and_entry(ledger: Any) -> None:
    tree = ledger(
        plan="one: {title: One, items: {sft: {title: SFT, scope: one-time, gpu_hours: 5}}}\n",
        **{
            "ledger/p/runs/b.yaml": "- {item: sft, gpu_hours: 3}\n",
            "ledger/p/runs/a.yaml": "- {item: sft, gpu_hours: 2}\n- {item: sft, gpus: 2, wall_hours: 30 min}\n",
        },
    )
    files = load(tree.root)[0].projects["p"].runs
    assert [(file.file, len(file.runs)) for file in files] == [("ledger/p/runs/a.yaml", 2), ("ledger/p/runs/b.yaml", 1)]
    assert files[0].runs[1].wall_hours == F(1, 2)


def test_a_broken_record_breaks_only_itself(ledger: Any) -> None:
    tree = ledger(
        figures="a: {title: A, hours: x}\nb: {title: B, hours: 2}\nc: {title: C, hours: {formula: figures.a * 2}}\n"
    )
    read, problems = load(tree.root)
    assert len(problems) == 1
    assert list(read.projects["p"].figures) == ["b", "c"]
    assert read.unread("p.figures.a")
    assert not read.unread("p.figures.b")
    assert len(tree.problems()) == 1, "nothing is said of what rests on it"


def test_one_broken_field_leaves_the_rest_of_its_record_checked(ledger: Any) -> None:
    tree = ledger(
        plan="""\
one:
  title: One
  items:
    sft: {title: SFT, scope: one-time, gpu_hours: 5, gpu: crad, contingency: 5, settings: {a b: 1}}
    rft: {title: RFT, scope: one-time, gpu_hours: {formula: hours * 2, hours: 3}, includes_margin: perhaps}
"""
    )
    assert [line.split("; ")[0].split(": ", 1)[1] for line in tree.problems()] == [
        "there is no `crad` in ledger/catalog/gpus.yaml",
        "`5` lacks its percent sign",
        "`a b` is not a name for an input",
        "this gives time, its key asks for GPU × time",
        "`perhaps` is not `true` or `false`",
    ]


def test_later_entries_of_a_list_survive_the_broken_ones(ledger: Any) -> None:
    tree = ledger(
        project="""\
accept:
  - {finding: a}
  - {reason: b}
  - {finding: c:p, reason: fine}
  - {fnding: d, reason: e}
"""
    )
    read, _ = load(tree.root)
    assert [str(one.finding) for one in read.projects["p"].project.accept] == ["c:p"]


def test_seeds_that_cannot_be_read_are_not_missed_by_runs(ledger: Any) -> None:
    plan = "one: {title: One, items: {sft: {title: SFT, scope: per-seed, gpu_hours: 5}}}\n"
    tree = ledger(project="seeds: three\n", plan=plan, runs="- {item: sft, seed: 1, gpu_hours: 1}\n")
    assert len(tree.problems()) == 1


def test_a_project_that_cannot_be_read_is_not_missed_by_allocations(ledger: Any) -> None:
    tree = ledger(
        allocations="grant: {title: Grant, gpu_hours: 5, projects: [p]}\n",
        project="title: P\nversion: 1.0.0\ngpu: card\n",
    )
    assert tree.problems() == [
        "ledger/p/project.yaml:1:1: `as_of` is missing; add `as_of:` with the day of the plan, such as 2025-09-03"
    ]


def test_the_committed_ledgers_have_no_problems() -> None:
    from pathlib import Path

    from reckon.compute.calculation import calculate

    read, problems = load(Path(__file__).resolve().parents[2])
    assert problems == []
    assert calculate(read)[1] == []
    assert {"pixelis", "bloom-176b"} <= set(read.projects)


def test_an_empty_key_above_a_list_is_told_of_its_list(ledger: Any) -> None:
    claim = "- {of: plan, at: T, columns: [total], rows: {'': ['1']}}\n"
    told = ledger(claims=claim).problems()
    assert any(line.startswith("ledger/p/claims.yaml:1:47: the text is empty; write it") for line in told)
