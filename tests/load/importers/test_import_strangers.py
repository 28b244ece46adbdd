"""What a stranger puts into the exports of trackers, meters and bills is a problem with its line, or data."""

from __future__ import annotations

from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load.reader import load
from tests.exported import BILL, CARBON, files, kept, planted, sample, sound, take, told

COLUMNS = "{epoch: done, epochs: total, job: scheduler_job}"
WANDB = f"w:\n  format: wandb\n  counts: progress\n  columns: {COLUMNS}\n  cluster: x\n"
MLFLOW = "m:\n  format: mlflow\n  cards: {untyped: card}\n"
TABLES = {
    WANDB: ("id,name,state,created_at,_runtime,epoch,epochs,job,parent", "r1,a,finished,2025-03-01T10:00:00,60,1,2,7,"),
    CARBON: ("timestamp,project_name,run_id,duration,energy_consumed,pue", "2025-03-01T11:00:00,code,a,60,1,1"),
    BILL: (
        "ProviderName,BillingPeriodStart,BillingPeriodEnd,ChargePeriodEnd,BilledCost,EffectiveCost,BillingCurrency,"
        "ServiceName,SubAccountName,Tags",
        "Cloud,2025-03-01,2025-04-01,2025-03-09,1,1,USD,GPU,zz,NULL",
    ),
}
NASTY = ("x" * 10_000_000, "9" * 200_000, "\x1b[31mred", "=HYPERLINK(1)", "a\x00b", "²", "1e999", "../../etc", "{a: b}")


@pytest.mark.parametrize("text", [WANDB, MLFLOW, CARBON, BILL])
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n\n",
        b"\x00" * 1000,
        b"\xff\xfe\x00a",
        b"," * 100_000,
        b"{",
        b'"' * 10_001,
        b"a,b\n1,2\n",
    ],
)
def test_what_is_no_export_is_refused_in_a_sentence(text: str, raw: bytes) -> None:
    taken = take(text, raw)
    assert taken.merged.jobs == {}
    assert len(told(taken)) == 1
    assert told(taken)[0].startswith("dump.txt:1:1: ")
    assert len(told(taken)[0]) < 500


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("cell", NASTY)
def test_any_cell_is_told_or_kept_as_a_text_and_nothing_else(text: str, cell: str) -> None:
    """Each cell of a row in turn; where a row is taken, what is written of it is read back as it was."""
    head, row = TABLES[text]
    cells = row.split(",")
    for number in range(len(cells)):
        changed = [*cells[:number], cell, *cells[number + 1 :]]
        taken = take(text, f"{head}\n{','.join(changed)}\n".encode())
        for line in told(taken):
            assert len(line) < 300
            assert "\x1b" not in line
        if not told(taken):
            assert {job.key for job in kept(taken)} == set(taken.merged.jobs)
            assert max(map(len, "".join(files(taken).values()).splitlines())) < 5000


@pytest.mark.parametrize("text", TABLES)
def test_a_table_of_many_columns_is_read(text: str) -> None:
    head, row = TABLES[text]
    more = ",x" * 20_000
    assert sound(text, f"{head}{more}\n{row}{more}\n".encode()).rows == 2  # with the names of the columns


def test_rules_applied_again_make_what_an_import_by_them_makes(tmp_path: Path) -> None:
    first = BILL.partition("  rules:")[0] + "  rules:\n    a: {when: {name: '.*Compute.*'}, item: data}\n"
    then = first + "    b: {when: {service: '.*'}, split: {data: 1/3, sft: 2/3}}\n"
    for name, sources, export in (
        ("bill", (first, then), "focus.csv"),
        ("carbon", (CARBON, CARBON.replace("item: data", "split: {data: 1/3, sft: 2/3}")), "codecarbon.csv"),
    ):
        found = []
        for number, order in enumerate(((0, 1), (1,))):
            root = planted(tmp_path / f"{name}{number}", sources[order[0]])
            (root / "x.csv").write_bytes(sample(export))
            assert main(["--root", str(root), "import", str(root / "x.csv")]) == 0
            if len(order) > 1:
                (root / "ledger/demo/imports.yaml").write_text(sources[1], "utf-8")
                assert main(["--root", str(root), "import", "--check"]) == 1
                assert main(["--root", str(root), "import", "--reapply"]) == 0
            assert main(["--root", str(root), "import", "--check"]) == 0
            found.append({path.name: path.read_text("utf-8") for path in (root / "ledger/demo").rglob("*.yaml")})
            assert load(root)[1] == []
        assert found[0] == found[1], name
