"""How long an engine takes to count a table of jobs (`budget import --engine ibis`): Ibis on DuckDB, and Spark here.

The table is made up: ten months of jobs of 60 accounts, none twice. Times are of the question alone, without the start
of an engine; memory is the highest that was resident. Spark needs Java and pyspark; where one is missing, this says so.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

SOURCE = r"""
fox:
  format: sacct
  timezone: Europe/Oslo
  cards: {untyped: a100-40gb, a100: a100-40gb, l40s: l40s}
  only: {account: 'ac[0-4]?[0-9]'}
  rules:
    sweeps: {when: {name: 'sweep-\d+'}, item: svd}
    sft: {when: {name: 'sft-s(?P<seed>[1-3])-[a-z]'}, item: sft}
    half: {when: {name: train, account: 'ac1.*'}, split: {data: 50%, evaluation: 50%}}
    train: {when: {name: train}, item: data}
    theirs: {when: {name: 'eval_0'}, ignore: another grant}
    eval: {when: {name: 'eval_\d'}, item: evaluation}
  gpus:
    mig: {when: {partition: mig}, if: untyped, share: 1/7}
"""
ROWS = """
select i::varchar JobIDRaw, 'fox' "Cluster", strftime(ts - interval 10 minute, '%Y-%m-%dT%H:%M:%S') Submit,
  strftime(ts, '%Y-%m-%dT%H:%M:%S') "Start", strftime(ts + to_seconds(el), '%Y-%m-%dT%H:%M:%S') "End",
  ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'TIMEOUT', 'CANCELLED by 1001'][1 + h % 6] "State",
  el::varchar ElapsedRaw,
  ['billing=8,cpu=8,gres/gpu:a100=2,gres/gpu=2,mem=64G,node=1', 'cpu=4,gres/gpu:l40s=1,gres/gpu=1,mem=32G,node=1',
   'billing=4,cpu=4,gres/gpu=1,mem=32G,node=1', 'cpu=4,mem=8G,node=1'][1 + h // 7 % 4] AllocTRES, '1' NNodes,
  case h // 11 % 5 when 0 then 'sweep-' || (h % 40) when 1 then 'train'
    when 2 then 'sft-s' || (1 + h % 3) || '-' || chr(97 + (h % 20)::int) when 3 then 'notebook-' || (h % 500)
    else 'eval_' || (h % 9) end JobName,
  'ac' || (h % 60) Account, ['accel', 'mig', 'cpu'][1 + h // 13 % 3] "Partition", 'normal' QOS
from (select i, (hash(i) % 1000003)::bigint h,
        timestamp '2024-04-01 00:00:00' + to_seconds((hash(i * 7) % 26265600)::bigint) ts,
        ((hash(i * 3) % 200) * (hash(i * 5) % 200) * 2)::bigint el
      from range({rows}) t(i))
"""


class Cost(NamedTuple):
    """Seconds, those of processors, MiB, and the GPU-seconds that were found."""

    seconds: float
    cpu: float
    mib: float
    found: str


def table(path: Path, rows: int) -> None:
    """A Parquet file of so many jobs."""
    import duckdb

    duckdb.sql("set preserve_insertion_order = false")
    duckdb.sql(f"copy ({ROWS.format(rows=rows)}) to '{path}' (format parquet)")


def _of(process: int) -> tuple[float, float]:
    """Seconds of processors that a process has used, and the most MiB that it held."""
    words = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    held = next(line for line in Path(f"/proc/{process}/status").read_text("utf-8").splitlines() if "VmHWM" in line)
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK"), int(held.split()[1]) / 1024


def _children() -> Iterator[int]:
    for found in Path("/proc").iterdir():
        if found.name.isdecimal() and found.name != str(os.getpid()):
            try:
                parent = int((found / "stat").read_text("utf-8").rpartition(")")[2].split()[1])
                command = (found / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == os.getpid() and b"java" in command[:300]:
                yield int(found.name)


def by_duckdb(path: Path, memory: str) -> Any:
    """A table of DuckDB."""
    import ibis

    engine = ibis.duckdb.connect(threads=2, memory_limit=memory, temp_directory=str(path.parent / "spill"))
    return engine.read_parquet(path)


def by_spark(path: Path, memory: str) -> Any:
    """A table of Spark in this machine."""
    import ibis
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.driver.memory", memory)
    for name, text in (
        ("spark.ui.enabled", "false"),
        ("spark.sql.shuffle.partitions", "8"),
        ("spark.ui.showConsoleProgress", "false"),
        ("spark.log.level", "ERROR"),
    ):
        session = session.config(name, text)
    return ibis.pyspark.connect(session.getOrCreate()).read_parquet(str(path))


def ask(engine: str, path: Path, memory: str, told: Any) -> None:
    """Counts a table in a process of its own."""
    from tests.warehoused import by_engine

    there = {"duckdb": by_duckdb, "spark": by_spark}[engine](path, memory)
    processes = [os.getpid(), *_children()]
    began, used = time.perf_counter(), sum(_of(each)[0] for each in processes)
    found = by_engine(SOURCE, there)
    seconds = time.perf_counter() - began
    cpu, mib = (sum(parts) for parts in zip(*(_of(each) for each in processes), strict=True))
    assert not found.wrong, found.wrong
    whole = sum(count.seconds for month in found.months.values() for count in month.spent.values())
    told.put(Cost(seconds, cpu - used, mib, str(whole)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--engines", nargs="*", default=["duckdb", "spark"])
    parser.add_argument("--memory", default="1g", help="for DuckDB, or for Java")
    options = parser.parse_args()
    if "spark" in options.engines and not (which("java") and find_spec("pyspark")):
        options.engines.remove("spark")
        print("NOT MEASURED: Spark, which needs Java and pyspark")
    start = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for rows in options.rows:
            path = Path(folder) / f"{rows}.parquet"
            table(path, rows)
            for engine in options.engines:
                told = start.Queue()
                process = start.Process(target=ask, args=(engine, path, options.memory, told))
                process.start()
                process.join()
                if process.exitcode:
                    sys.exit(f"{engine} did not count {rows:,} rows")
                cost = told.get()
                print(
                    f"{engine:8}{rows:>12,} rows {cost.seconds:8.1f} s {cost.cpu:8.1f} s of processors "
                    f"{cost.mib:7,.0f} MiB   {cost.found} GPU-s, load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
