"""Runs from Weights & Biases and MLflow: states, seeds, durations, parents; refused where hours are not known."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.importers import mlruns
from reckon.load.importers.reading import NotAnExport
from reckon.load.reader import load
from tests.exported import by, entered, kept, planted, sample, seconds, skipped, sound, source_of, take, told

# As the pages of W&B export a table of runs; the person, the host and the notes are made up.
UI = (
    '"Name","State","Notes","User","Tags","Created","Runtime","Sweep","ID","GPU Count","GPU Type","Group","seed"\n'
    '"sweep-1","finished","-","zzpersonaa","a, b","2025-03-01T10:00:00.000Z","3600.25","","r1","2","A100","g1","1"\n'
    '"sweep-2","crashed","-","zzpersonaa","","2025-03-01T12:00:00.000Z","600","","r2","2","A100","g1","2"\n'
    '"sweep-3","killed","-","zzpersonaa","","2025-03-01T13:00:00.000Z","1h 2m 3s","","r3","1","A100","","77"\n'
    '"eval-1","running","-","zzpersonaa","","2025-03-01T14:00:00.000Z","60","","r4","1","A100","","1"\n'
    '"later","pending","-","zzpersonaa","","2025-03-01T15:00:00.000Z","","","r5","1","A100","",""\n'
)
WANDB = """\
wandb:
  format: wandb
  cards: {A100: a100-40gb, untyped: a100-40gb}
  rules:
    sweep: {when: {name: 'sweep-.*'}, item: rft}
    rest: {when: {name: '.*'}, item: data}
"""
AT = "@2025-03-01T10:00:00Z"
API = "id,name,state,created_at,_runtime,group,epoch,max_epochs\nr1,sweep-1,finished,2025-03-01T10:00:00,3600,g1,3,10\n"


def test_a_table_of_the_pages_of_wandb() -> None:
    taken = sound(WANDB, UI.encode())
    assert by(taken, "status") == {"completed": 7200.5, "failed": 1200, "cancelled": 3723, "running": 60}
    assert {stored.key.id: stored.made.seed for stored in taken.merged.jobs.values()} == {
        "r1": "1",
        "r2": "2",
        "r3": "",
        "r4": "1",
    }, "a seed that is none of the project is left out"
    assert skipped(taken) == {"pending": 1}
    text = "".join(taken.merged.texts("x").values())
    assert "start: 2025-03-01T10:00:00Z, end: 2025-03-01T11:00:00Z" in text
    assert "zzperson" not in text


def test_what_the_api_calls_the_same_with_gpus_by_a_rule() -> None:
    rule = "  gpus:\n    each: {when: {name: '.*'}, if: unstated, count: 4}\n"
    assert seconds(sound(WANDB + rule, API.encode())) == 4 * 3600
    wrong = "dump.txt:2:1: the number of GPUs of this run is missing"
    right = (
        "write `gpus: {each: {when: {name: '.*'}, if: unstated, count: 1}}`, name a column for `gpus`, or "
        "write `counts: progress`"
    )
    assert told(take(WANDB, API.encode())) == [f"{wrong}; {right}"]


def test_a_table_without_a_duration_is_refused_with_the_number_of_its_runs() -> None:
    right = "name the one that does: `columns: {Runtime: {is: wall_hours, unit: s}}`, or write `counts: progress`"
    wrong = "wandb-no-duration.csv:1:1: there is no column for the duration (31 runs)"
    assert told(take(WANDB, "wandb-no-duration.csv")) == [f"{wrong}; {right}"]
    assert sample("wandb-no-duration.csv").count(b"\n") == 32


PROGRESS = WANDB + "  counts: progress\n  columns: {epoch: done, max_epochs: total}\n"


def test_progress_of_a_tracker_is_progress_of_the_work(tmp_path: Path) -> None:
    root = planted(tmp_path, PROGRESS.replace("item: rft", "item: sft"))
    dump = root / "runs.csv"
    dump.write_text(API, "utf-8")
    assert main(["--root", str(root), "import", str(dump)]) == 0
    (project,) = load(root)[0].projects.values()
    assert [len(file.runs) for file in project.runs] == [0], "it is no run"
    book, _ = calculate(load(root)[0])
    share = book["demo.plan.sft.complete_share"].use
    assert share is not None
    assert float(share) == pytest.approx(0.3)
    assert book["demo.actual.total"].use == 0


@pytest.mark.parametrize(
    ("cells", "wrong"),
    [
        (
            "r1,a,finished,,1,g,x,10",
            "`done` is not a number; check the column for `done`, or skip it with `skip:`",
        ),
        ("r1,a,finished,,1,g,-1,10", "`done` is negative; check the column for `done`"),
        (
            "r1,a,finished,,1,g,11,10",
            "`done` is more than `total`; check the columns for `done` and `total`",
        ),
        (
            "r1,a,dead,,1,g,1,10",
            "unknown job state `DEAD`; map it: `statuses: {DEAD: failed}`",
        ),
        (
            ",a,finished,,1,g,1,10",
            "this row has no job; check the column for `job`, or skip it with `skip:`",
        ),
    ],
)
def test_rows_of_a_tracker_that_cannot_be_read(cells: str, wrong: str) -> None:
    head = API.partition("\n")[0]
    assert told(take(PROGRESS, f"{head}\n{cells}\n".encode())) == [f"dump.txt:2:1: {wrong}"]


def test_a_table_that_does_not_hold_what_it_adds() -> None:
    wrong = "dump.txt:1:1: there is no column for `done` and `total`; name it under `columns:`"
    assert told(take(WANDB + "  counts: progress\n", b"Name,State\na,finished\n")) == [wrong]
    wrong = "dump.txt:1:1: there is no column for `cost_usd` or `effective_usd`; name it under `columns:`"
    assert told(take(WANDB + "  counts: money\n", b"ID,State\na,finished\n")) == [wrong]


def test_the_job_that_has_the_hours_is_an_id() -> None:
    text = PROGRESS.replace("max_epochs: total", "max_epochs: total, job: scheduler_job") + "  cluster: fox\n"
    head = "id,name,state,epoch,max_epochs,job\n"
    found = sound(text, f"{head}r1,a,finished,1,2,123.0\n".encode())
    assert "adds_to: fox/123," in "".join(found.merged.texts("x").values())
    wrong, right = "the job with its hours has no valid id", "check the column for `scheduler_job`"
    assert told(take(text, f"{head}r1,a,finished,1,2,one of mine\n".encode())) == [f"dump.txt:2:1: {wrong}; {right}"]


# As `mlflow experiments csv` writes it: a run with two inside, which are not counted beside it.
MLFLOW = """\
mlflow:
  format: mlflow
  cards: {untyped: a100-40gb}
  rules:
    all: {when: {name: '.*'}, item: data}
  gpus:
    each: {when: {name: '.*'}, if: unstated, count: 2}
"""
RUNS = (
    "p,1,FINISHED,zz,2025-03-01 10:00:00+00:00,2025-03-01 13:00:00+00:00,search,,zzpersonaa",
    "c1,1,FINISHED,zz,2025-03-01 10:10:00+00:00,2025-03-01 11:10:00+00:00,trial-1,p,zzpersonaa",
    "c2,1,FAILED,zz,2025-03-01 11:20:00.5+00:00,2025-03-01 12:20:00.5+00:00,trial-2,p,zzpersonaa",
)
TABLE = (
    "run_id,experiment_id,status,artifact_uri,start_time,end_time,tags.mlflow.runName,tags.mlflow.parentRunId,"
    "tags.mlflow.user\n"
)


def table(*rows: str) -> bytes:
    return (TABLE + "".join(f"{row}\n" for row in rows)).encode()


def test_a_run_that_encloses_others_is_not_counted_beside_them() -> None:
    taken = sound(MLFLOW, table(*RUNS))
    assert by(taken, "name") == {"trial-1": 7200, "trial-2": 7200}
    assert seconds(sound(MLFLOW, table(RUNS[0]))) == 2 * 3 * 3600, "alone it counts"


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_parents_and_children_may_come_in_any_order_and_in_any_files(order: tuple[int, ...]) -> None:
    whole = sound(MLFLOW, table(*RUNS))
    apart = sound(MLFLOW, *(table(RUNS[number]) for number in order))
    assert apart.merged.texts("x") == whole.merged.texts("x")
    assert {stored.name: stored.made.encloses for stored in kept(apart)} == {
        "mlflow/p@2025-03-01T10:00:00Z": True,
        "mlflow/c1@2025-03-01T10:10:00Z": False,
        "mlflow/c2@2025-03-01T11:20:00Z": False,
    }


@given(st.permutations(RUNS), st.integers(0, 3))
def test_tables_of_mlflow_may_be_split(rows: list[str], at: int) -> None:
    parts = [table(*part) for part in (rows[:at], rows[at:]) if part]
    assert sound(MLFLOW, *parts).merged.texts("x") == sound(MLFLOW, table(*RUNS)).merged.texts("x")


def test_undoing_the_children_of_a_month_counts_their_parent_again(tmp_path: Path) -> None:
    root = planted(tmp_path, MLFLOW)
    early = RUNS[0].replace("2025-03-01 10", "2025-02-01 10").replace("2025-03-01 13", "2025-02-01 13")
    dump = root / "runs.csv"
    dump.write_bytes(table(early, *RUNS[1:]))
    for words in ([str(dump)], ["--undo", "mlflow", "--month", "2025-03"]):
        assert main(["--root", str(root), "import", *words]) == 0
    (project,) = load(root)[0].projects.values()
    assert [str(run.job) for file in project.runs for run in file.runs] == ["mlflow/p@2025-02-01T10:00:00Z"]


# The store of files: a folder for each experiment, and in it one for each run.
META = """\
artifact_uri: file:///home/zzpersonaa/mlruns/1/{id}/artifacts
end_time: {end}
entry_point_name: ''
experiment_id: '1'
lifecycle_stage: {stage}
run_id: {id}
run_name: {name}
start_time: {start}
status: {status}
user_id: zzpersonaa
"""


def store(root: Path, **runs: dict[str, str]) -> Path:
    plain = {"stage": "active", "start": "1740823200000", "end": "1740826800123", "status": "3"}
    for id, said in runs.items():
        folder = root / "mlruns" / "1" / id
        (folder / "tags").mkdir(parents=True)
        (folder / "metrics").mkdir()
        (folder / "meta.yaml").write_text(META.format(**{**plain, "id": id, "name": id, **said}), "utf-8")
        if parent := said.get("parent"):
            (folder / "tags/mlflow.parentRunId").write_text(parent, "utf-8")
        (folder / "metrics/epoch").write_text("1740823200000 1 0\n1740826800000 4 1\n", "utf-8")
    return root / "mlruns"


def test_the_store_of_files_is_read_as_a_table(tmp_path: Path) -> None:
    folder = store(tmp_path, a={}, b={"status": "5"}, c={"stage": "deleted"}, d={"status": "1", "end": "null"})
    (folder / ".trash").mkdir()
    _, source = source_of(MLFLOW)
    raw = mlruns.as_table(folder, source.columns_held)
    taken = sound(MLFLOW, raw)
    assert by(taken, "status") == {"completed": 7200, "cancelled": 7200}
    assert skipped(taken) == {"without an end": 1}
    assert b"zzperson" not in raw


def test_only_what_columns_ask_for_is_read_and_no_link_is_followed(tmp_path: Path) -> None:
    folder = store(tmp_path, a={}, b={})
    away = tmp_path / "away"
    away.mkdir()
    (away / "epoch").write_text("1 99 1\n", "utf-8")
    (folder / "1/b/metrics/epoch").unlink()
    (folder / "1/b/metrics").rmdir()
    (folder / "1/b/metrics").symlink_to(away)
    (folder / "2").symlink_to(folder / "1")
    raw = mlruns.as_table(folder, {"metrics.epoch", "params.x", "tags.../../meta.yaml"})
    lines = raw.decode().splitlines()
    assert lines[0].endswith(",run_name,metrics.epoch")
    assert [line.rpartition(",")[2] for line in lines[1:]] == ["4", ""]


def test_a_folder_without_runs_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(NotAnExport, match="this folder has no MLflow runs"):
        mlruns.as_table(tmp_path, ())


def test_a_folder_is_imported_and_suggested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = planted(tmp_path, MLFLOW)
    folder = store(tmp_path, a={"name": "trial-1"}, b={"name": "trial-2", "parent": "a"})
    assert main(["--root", str(root), "import", "--suggest", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "format: mlflow" in out
    assert main(["--root", str(root), "import", "demo", "--suggest", str(folder)]) == 0, "the project goes before"
    assert capsys.readouterr().out == out
    assert r"{when: {name: 'trial-\d+'}, item: trial, unplanned: true}        # 2 runs" in out
    assert main(["--root", str(root), "import", str(folder)]) == 0
    assert "+ 1 new" in capsys.readouterr().out
    assert main(["--root", str(root), "import", "--check"]) == 0
    assert main(["--root", str(root), "import", "--explain", "a"]) == 0
    assert "not counted, because jobs in it are" in capsys.readouterr().out


def test_entries_of_trackers_are_read_back(tmp_path: Path) -> None:
    for text, raw in ((WANDB, UI.encode()), (PROGRESS, API.encode()), (MLFLOW, table(*RUNS))):
        taken = sound(text, raw)
        zone, name = taken.merged.zone, taken.rules.name
        assert {stored.key: stored.lines(name, zone) for stored in kept(taken)} == {
            key: stored.lines(name, zone) for key, stored in taken.merged.jobs.items()
        }
        assert entered(taken)


def test_what_a_source_counts_may_change_and_its_runs_are_not_counted_twice(tmp_path: Path) -> None:
    """As hours the run stands by its cluster, as progress by its source: the entry is moved, not doubled."""
    rule = "  gpus:\n    each: {when: {name: '.*'}, if: unstated, count: 4}\n  cluster: fox\n"
    columns = "  columns: {epoch: done, max_epochs: total, group: scheduler_job}\n"
    root, found = planted(tmp_path, WANDB + rule + columns), []
    (root / "runs.csv").write_text(API, "utf-8")
    sources = (WANDB + rule + columns, WANDB + rule + columns + "  counts: progress\n")
    for text in (*sources, *sources):
        (root / "ledger/demo/imports.yaml").write_text(text, "utf-8")
        assert main(["--root", str(root), "import", str(root / "runs.csv")]) == 0
        (project,) = load(root)[0].projects.values()
        found.append([(str(run.job), str(run.adds_to or "")) for file in project.written for run in file.runs])
    assert found == [[(f"fox/r1{AT}", "")], [(f"wandb/r1{AT}", "fox/g1")]] * 2


def test_energy_and_money_beside_hours_are_the_run_s_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """\
sheet:
  format: csv
  timezone: UTC
  columns: {Id: job, State: state, H: wall_hours, N: gpus, Wh: {is: energy_kwh, unit: Wh}, Paid: cost_usd, Seed: seed}
  cards: {untyped: a100-40gb}
  rules:
    all: {when: {name: '.*'}, split: {rft: 25%, data: 75%}}
"""
    root = planted(tmp_path, text)
    (root / "runs.csv").write_text("Id,State,H,N,Wh,Paid,Seed\nj,COMPLETED,2,4,4000,12,2\n", "utf-8")
    assert main(["--root", str(root), "import", str(root / "runs.csv")]) == 0
    assert "  These jobs state 4.00000 kWh and 12.00 billed USD, too." in capsys.readouterr().out
    (project,) = load(root)[0].projects.values()
    found = {str(run.item): (run.energy_kwh, run.cost_usd, str(run.seed)) for file in project.runs for run in file.runs}
    assert found == {"rft": (1, 3, "2"), "data": (3, 9, "2")}
    assert main(["--root", str(root), "import", "--check"]) == 0
