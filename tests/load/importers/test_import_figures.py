"""The exports of real clusters give exactly the GPU-seconds that a count by hand gives; what is none is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from reckon.compute.budget.unassigned_jobs import unassigned, without_gpus
from reckon.load.importers import sacct, taking
from tests.exported import (
    CARDS,
    CEDAR,
    DUMPS,
    FOX,
    FROMAGE,
    HABROK,
    MIG,
    begun,
    by,
    entered,
    files,
    sample,
    seconds,
    skipped,
    sound,
    take,
    told,
    written,
)


def test_habrok_states_gpus_of_nine_runs_and_has_seven_more_on_partitions_with_gpus() -> None:
    taken = sound(HABROK, "habrok.txt")
    assert seconds(taken) == 793_454  # 220.404 h
    assert entered(taken) == 9
    assert taken.rows == 242
    assert skipped(taken) == {"steps": 142, "without a GPU": 84, "pending": 7}
    silent = without_gpus(written(taken), "habrok")
    assert {name: heap.jobs for name, heap in silent.items()} == {"gpulong": 2, "gpumedium": 3, "gpushort": 2}
    assert round(sum(heap.hours for heap in silent.values()), 3) == Fraction("66.731")


def test_what_the_seven_had_can_be_said_and_is_told() -> None:
    rule = "{when: {partition: 'gpu.*'}, if: unstated, count: 1, card: v100, until: 2023-11-30}"
    stated = f"{HABROK}  gpus:\n    before-gres: {rule}\n"
    taken = sound(stated, "habrok.txt")
    silent = without_gpus(written(taken), "habrok").values()
    assert sum(taken.filled.values()) + sum(heap.jobs for heap in silent) == 7
    assert taken.filled["before-gres"] >= 1
    rest = sum(heap.hours for heap in silent) * 3600
    # One GPU on one node: a node-second becomes a GPU-second.
    assert seconds(taken) == 793_454 + (240_230 - rest)


def test_fox_by_status_and_what_no_rule_fits() -> None:
    taken = sound(FOX, "fox.txt")
    assert seconds(taken) == 3_360_033  # 933.34 h
    assert entered(taken) == 65
    assert taken.rows == 301
    assert skipped(taken) == {"steps": 179, "pending": 31, "without a GPU": 26}
    hours = {status: round(found / 3600, 3) for status, found in by(taken, "status").items()}
    assert {status: str(float(found)) for status, found in hours.items()} == {
        "running": "902.686",
        "timeout": "25.015",
        "failed": "3.94",
        "completed": "1.702",
    }
    loose = unassigned(written(taken), "fox")
    assert sum(run.charged_hours for run in loose) * 3600 == 1_354_820  # 376.339 h
    assert by(taken, "item")[""] == 1_354_820


def test_the_same_rows_as_text_and_as_pairs_give_the_same_entries() -> None:
    text, pairs = sound(FOX, "fox-mig.txt"), sound(FOX, "fox-mig-pairs.txt")
    assert seconds(text) == seconds(pairs) == 3007  # 0.835 h
    assert text.merged.texts("demo") == pairs.merged.texts("demo")
    assert entered(text) == 16


def test_a_seventh_of_a_card_where_the_partition_is_shared() -> None:
    taken = sound(FOX + MIG, "fox-mig.txt")
    whole = sound(FOX, "fox-mig.txt")
    shared = 3007 - seconds(taken)
    assert round(seconds(taken) / 3600, 3) == Fraction("0.532")
    assert shared * 7 % 6 == 0, "six sevenths of what stood on the partition are gone, exactly"
    assert seconds(whole) == 3007
    assert "gpus: 1/7," in "".join(taken.merged.texts("demo").values())
    assert taken.filled == {
        "mig": sum("1/7" in line for line in "".join(taken.merged.texts("x").values()).splitlines())
    }


def test_cedar_counts_what_was_elapsed() -> None:
    taken = sound(CEDAR, "cedar.json")
    assert by(taken, "name") == {"test-job-1": 20_615, "test-job-2": 86_307}  # 5.726 h, and 23.974 h that were requeued
    assert by(taken, "status") == {"node-failure": 20_615, "preempted": 86_307}
    requeued = next(found.job for found in taken.merged.jobs.values() if found.job.elapsed == 86_307)
    assert requeued.start is not None
    assert requeued.end is not None
    assert requeued.end - requeued.start == 86_307 + 1682  # End − Start would give 0.467 h more


def test_fromage_and_a_job_in_two_halves() -> None:
    taken = sound(FROMAGE, DUMPS[4])
    assert seconds(taken) == 62_321  # 17.311 h
    assert entered(taken) == 8
    assert by(taken, "name")["preprocess"] == 1469  # 0.408 h
    (parts,) = [job.made.portions for job in taken.merged.jobs.values() if job.made.rule == "preprocess"]
    assert [(part.item, part.gpus) for part in parts] == [("sft", Fraction(1, 2)), ("rft", Fraction(1, 2))]
    assert [round(part.gpus * 1469 / 3600, 3) for part in parts] == [Fraction("0.204")] * 2


def test_five_dumps_of_one_cluster_replace_what_was_running() -> None:
    totals = [98_253, 373_911, 5_549_791, 10_826_693, 423_841]  # 27.292, 103.864, 1,541.609, 3,007.415, 117.734 h
    changes = [(5, 0, 0), (3, 1, 0), (2, 3, 0), (8, 1, 0), (5, 3, 0)]
    taken = begun(FROMAGE)
    for dump, total, change in zip(DUMPS, totals, changes, strict=True):
        after = begun(FROMAGE, before=taken.merged.jobs.values())
        taking.take(after, sample(dump), dump)
        assert told(after) == []
        counted = after.merged.count_outcomes()
        assert (seconds(after), (counted["new"], counted["replaced"], counted["same"])) == (total, change)
        taken = after


def test_the_same_dump_twice_changes_nothing() -> None:
    first = sound(FOX, "fox.txt")
    again = begun(FOX, before=first.merged.jobs.values())
    taking.take(again, sample("fox.txt"), "fox.txt")
    assert again.merged.count_outcomes() == {"same": 65}
    assert files(again) == files(first)


# What is no export that a budget can be made of says what it lacks. Rows are made up, headers as they are published.
ACME = "id,job_num,cpu_job_num,gpu_job_num,avg_run_time_gpu,avg_que_time_gpu,avg_gpu_num\nSeren,9,4,5,14.3,45.9,5.6\n"
APEL = "1000|cream_1|zz-person|grp|2013-03-27T17:13:24|2013-03-27T17:13:26|00:00:02|2|prod|1|1|zz-host|||COMPLETED\n"
APEL_COLUMNS = (
    "[JobID, JobName, User, Account, Start, End, Elapsed, CPUTimeRAW, Partition, NCPUS, NNodes, NodeList, MaxRSS, "
    "MaxVMSize, State]"
)
SEFF = "|1|07:42:18|45352405|45352405||1|4G|CANCELLED by 9900001|23:00:00|07:40:23\n"
SEFF_COLUMNS = "[AdminComment, AllocCPUS, Elapsed, JobID, JobIDRaw, MaxRSS, NNodes, ReqMem, State, Timelimit, TotalCPU]"
WANDB = "run_name,state,lr,epochs,test_accuracy\nsweep-1,finished,0.1,5,52.32\nsweep-2,finished,0.1,5,52.53\n"
SACCT = "x:\n  format: sacct\n  timezone: UTC\n"
CSV = "x:\n  format: csv\n  timezone: UTC\n"


@pytest.mark.parametrize(
    ("source", "raw", "says"),
    [
        pytest.param(
            CSV + "  columns: {id: job, avg_run_time_gpu: {is: wall_hours, unit: s}}\n",
            ACME,
            "dump.txt:1:1: there is no column for `state`; name it under `columns:`, or map rows without a state: "
            "`statuses: {'': completed}`",
            id="AcmeTrace, sums of a cluster",
        ),
        pytest.param(
            SACCT,
            ACME,
            "dump.txt:1:1: the file has no header, and the source names no columns (7 cells a line); "
            "add `columns: [JobIDRaw, Submit, …]` to the source, or export without `--noheader`",
            id="AcmeTrace, as if of Slurm",
        ),
        pytest.param(
            SACCT + f"  columns: {APEL_COLUMNS}\n",
            APEL,
            "dump.txt:1:1: there is no column for its GPUs (AllocTRES); "
            f"name them under `columns:`, or export with them: {sacct.EXPORT}",
            id="APEL",
        ),
        pytest.param(
            SACCT + f"  columns: {SEFF_COLUMNS}\n",
            SEFF,
            "dump.txt:1:1: there is no column for its GPUs (AllocTRES); "
            f"name them under `columns:`, or export with them: {sacct.EXPORT}",
            id="reportseff",
        ),
        pytest.param(
            CSV + "  columns: {run_name: job, state: state}\n",
            WANDB,
            "dump.txt:1:1: there is no column for the duration; name the one that does: "
            "`columns: {Runtime: {is: wall_hours, unit: s}}`",
            id="W&B without a duration",
        ),
    ],
)
def test_what_lacks_hours_or_gpus_is_refused_with_what_is_missing(source: str, raw: str, says: str) -> None:
    taken = take(source + f"  cards: {CARDS}\n", raw.encode())
    assert told(taken) == [says]
    assert taken.merged.jobs == {}
