"""Spark on this machine, where Java and pyspark are: a test that asks for it says loudly where they are not."""

from __future__ import annotations

import tempfile
import warnings
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import pytest

SAID = "NOT TRIED: Spark, which needs Java (Debian: default-jre-headless) and `pip install pyspark`"


class Spark:
    """A session of Spark, as Ibis asks it."""

    def __init__(self) -> None:
        import ibis
        from pyspark.sql import SparkSession

        session = SparkSession.builder.master("local[2]")
        for name, text in (
            ("spark.ui.enabled", "false"),
            ("spark.sql.shuffle.partitions", "2"),
            ("spark.ui.showConsoleProgress", "false"),
            ("spark.log.level", "ERROR"),
        ):
            session = session.config(name, text)
        self.engine = ibis.pyspark.connect(session.getOrCreate())
        self.folder = tempfile.mkdtemp(prefix="budget-spark-")

    def read(self, table: Any) -> Any:
        """A table, as Spark reads it from a Parquet file."""
        from pyarrow import parquet

        path = Path(self.folder, "table.parquet")
        parquet.write_table(table, path)
        return self.engine.read_parquet(str(path), table_name="jobs")


@lru_cache(maxsize=1)
def _session() -> Spark:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of versions of pandas
        return Spark()


def spark() -> Spark:
    """The one session of all tests."""
    if not which("java") or find_spec("pyspark") is None:
        pytest.skip(SAID)
    return _session()
