"""Bills in FOCUS: billed and effective cost by period, rule and service; a later export replaces a period."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from tests.exported import BILL, HAND, export, files, kept, planted, sound, take, told

HEAD = (
    "ProviderName,BillingPeriodStart,BillingPeriodEnd,ChargePeriodEnd,BilledCost,EffectiveCost,BillingCurrency,"
    "ServiceName,SubAccountName,ResourceId,Tags\n"
)


def charge(
    service: str = "GPU", billed: str = "1", through: str = "2025-03-31", month: str = "2025-03", **more: str
) -> str:
    """A charge of March 2025, or of another month, in the order of `HEAD`."""
    year, number = month.split("-")
    after = f"{year}-{int(number) + 1:02}-01T00:00:00Z"
    said = {"provider": "Cloud", "effective": billed, "currency": "USD", "tags": "NULL", **more}
    return (
        f"{said['provider']},{month}-01T00:00:00Z,{after},{through}T00:00:00Z,{billed},{said['effective']},"
        f"{said['currency']},{service},zz,zz-host-1,{said['tags']}"
    )


def bill(*rows: str) -> bytes:
    return (HEAD + "".join(f"{row}\n" for row in rows)).encode()


def sums(text: str, *exports: bytes | str) -> dict[str, tuple[float, float]]:
    """What is billed and effective, by item."""
    found: dict[str, tuple[float, float]] = {}
    for stored in sound(text, *exports).merged.jobs.values():
        item = "+".join(part.item or "-" for part in stored.made.portions) or stored.made.rule
        billed, effective = found.get(item, (0.0, 0.0))
        beside = stored.job.beside
        found[item] = billed + float(beside.billed_usd or 0), effective + float(beside.effective_usd or 0)
    return found


def test_a_real_bill_is_all_there_and_small() -> None:
    taken = sound(BILL, "focus.csv")
    beside = [stored.job.beside for stored in taken.merged.jobs.values()]
    assert taken.rows == 88
    assert round(sum(part.billed_usd or 0 for part in beside), 4) == Fraction("10.3366")
    assert round(sum(part.effective_usd or 0 for part in beside), 4) == Fraction("9.9657")
    assert len(beside) < 40, "charges of one service are one entry a period"
    found = sums(BILL, "focus.csv")
    assert set(found) == {"data", "sft", "store", "-"}
    text = "".join(files(taken).values())
    for private in ("zz-", "9900", "Atlas", "EasyLogic"):
        assert private not in text


def test_charges_are_added_up_by_period_rule_and_service() -> None:
    april = charge(month="2025-04", through="2025-04-02")
    rows = [charge(), charge(billed="2.5"), charge("Disk"), april, charge(provider="B")]
    taken = sound("bill:\n  format: focus\n  rules:\n    gpu: {when: {service: GPU}, item: data}\n", bill(*rows))
    assert {stored.key.id: stored.job.beside.billed_usd for stored in taken.merged.jobs.values()} == {
        "Cloud/2025-03-01/gpu/data/GPU": Fraction(7, 2),
        "Cloud/2025-03-01/unassigned/Disk": 1,
        "Cloud/2025-04-01/gpu/data/GPU": 1,
        "B/2025-03-01/gpu/data/GPU": 1,
    }


EARLY = bill(charge(through="2025-03-10", billed="4"), charge("Disk", through="2025-03-09"))
LATE = bill(charge(through="2025-03-20", billed="3"), charge(month="2025-04", through="2025-04-02", billed="7"))
LAST = bill(charge(through="2025-03-31", billed="9"), charge("Credit", billed="-2", through="2025-03-31"))
ANY = "bill:\n  format: focus\n  rules:\n    all: {when: {name: '.*'}, item: data}\n"


@pytest.mark.parametrize("order", [*permutations((EARLY, LATE, LAST))])
def test_the_latest_export_of_a_period_stands_in_every_order(order: tuple[bytes, ...]) -> None:
    taken = sound(ANY, *order)
    found = {stored.key.id: stored.job.beside.billed_usd for stored in taken.merged.jobs.values()}
    assert found == {
        "Cloud/2025-03-01/all/data/GPU": 9,
        "Cloud/2025-03-01/all/data/Credit": -2,
        "Cloud/2025-04-01/all/data/GPU": 7,
    }
    assert taken.merged.texts("x") == sound(ANY, LAST, LATE, EARLY).merged.texts("x")


CHARGES = st.lists(
    st.tuples(st.sampled_from(["GPU", "Disk"]), st.integers(-9, 9), st.integers(10, 31)), min_size=1, max_size=4
)


@given(st.lists(CHARGES, min_size=1, max_size=3), st.data())
def test_order_of_exports_and_of_rows_changes_nothing(
    exports: list[list[tuple[str, int, int]]], data: st.DataObject
) -> None:
    def written(found: list[tuple[str, int, int]]) -> bytes:
        return bill(*(charge(service, str(cost), f"2025-03-{day}") for service, cost, day in found))

    whole = sound(ANY, *map(written, exports))
    shuffled = [written(data.draw(st.permutations(found))) for found in data.draw(st.permutations(exports))]
    assert sound(ANY, *shuffled).merged.texts("x") == whole.merged.texts("x")


def test_a_bill_that_was_left_as_it_is_is_told() -> None:
    taken = sound(ANY, bill(charge(billed="160")), bill(charge(billed="150")))
    assert sums(ANY, bill(charge(billed="160")), bill(charge(billed="150"))) == {"data": (160.0, 160.0)}
    (note,) = taken.notes
    assert note.startswith("Cloud, 2025-03-01: left at $160.00. This export has $150.00")
    assert sound(ANY, bill(charge(billed="160")), bill(charge(billed="160"))).notes == []


def test_two_accounts_have_a_bill_each() -> None:
    head = HEAD.replace("\n", ",BillingAccountId\n")
    one, other = (f"{head}{charge()},{account}\n".encode() for account in ("111122223333", "444455556666"))
    both = sound(ANY, one, other)
    assert len(both.merged.jobs) == 2, "neither replaces the other"
    assert sound(ANY, one, other, one).merged.jobs == both.merged.jobs
    assert not any(account in line for line in files(both).values() for account in ("1111", "4444"))


def test_entries_of_bills_are_read_back() -> None:
    taken = sound(BILL, "focus.csv", LAST)
    assert {stored.key: stored.lines("bill", taken.merged.zone) for stored in kept(taken)} == {
        key: stored.lines("bill", taken.merged.zone) for key, stored in taken.merged.jobs.items()
    }


OLD = (
    "Provider,BillingPeriodStart,BillingPeriodEnd,ChargePeriodEnd,BilledCost,AmortizedCost,BilledCurrency,ServiceName\n"
    "A,2023-06-01T00:00:00Z,2023-07-01T00:00:00Z,2023-06-01T01:00:00Z,3,2.5,USD,GPU\n"
)


def test_older_versions_call_columns_otherwise() -> None:
    assert sums(ANY, OLD.encode()) == {"data": (3.0, 2.5)}
    newer = OLD.replace("Provider,", "ServiceProviderName,").replace("Amortized", "Effective")
    newer = newer.replace("BilledCurr", "BillingCurr")
    assert sums(ANY, newer.encode()) == {"data": (3.0, 2.5)}


DOLLARS = "money is in US dollars here: export it in USD, or convert it first"


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (charge(currency="AUD"), f"this charge is in AUD; {DOLLARS}"),
        (charge(currency="zz person"), f"this charge is in another currency; {DOLLARS}"),
        (charge(billed="much"), "a cost is not a number; look for a row that was cut off, or leave it out by `skip:`"),
        (
            charge(billed=""),
            "this charge has no cost, provider or billing period; "
            "look for a row that was cut off, or leave it out by `skip:`",
        ),
        (charge(through="soon"), "the period is not a time; write it as 2025-09-12T14:06:12"),
        (
            "A,B",
            "this row has 2 cells, the first line 11; look for a comma too many or too few, or leave it out by `skip:`",
        ),
    ],
)
def test_a_charge_that_cannot_be_counted_is_told_with_its_line(row: str, wrong: str) -> None:
    assert told(take(ANY, bill(row))) == [f"dump.txt:2:1: {wrong}"]


def test_what_is_no_bill_says_what_it_lacks() -> None:
    raw = HEAD.replace("BilledCost", "Cost").replace("BillingCurrency", "Money")
    wrong = "dump.txt:1:1: this is not a bill in FOCUS: no column is called `BilledCost` and `BillingCurrency`"
    assert told(take(ANY, raw.encode())) == [f"{wrong}; export it in FOCUS 1.0 or later"]


# Two jobs of 2 GPU-hours on an A100 at $3 an hour, in March and in April; a bill has March.
PRICES = "list:\n  title: List\n  as_of: 2025-01-01\n  usd_per_gpu_hour: {a100-40gb: 3}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rules = "  rules:\n    all: {when: {name: '.*'}, item: data}\n"
    billed = BILL.replace("rules:\n", "rules:\n    gpu: {when: {name: GPU}, item: data}\n")
    found = planted(tmp_path / "tree", HAND + rules + billed)
    (found / "ledger/catalog/prices.yaml").write_text(PRICES, "utf-8")
    project = found / "ledger/demo/project.yaml"
    project.write_text(project.read_text("utf-8") + "prices: [list]\n", "utf-8")
    day = "2025-04-01T"
    april = {"JobIDRaw": "8", "Submit": f"{day}09:00:00", "Start": f"{day}10:00:00", "End": f"{day}11:00:00"}
    dump = found / "jobs.txt"
    dump.write_bytes(export({}, april))
    assert main(["--root", str(found), "import", str(dump), "--with", "hand"]) == 0
    return found


def figure(root: Path, address: str) -> float:
    book, problems = calculate(load(root)[0])
    assert problems == []
    use = book[f"demo.{address}"].use
    assert use is not None
    return float(use)


def test_a_bill_of_an_item_replaces_hours_times_price_in_its_month(root: Path) -> None:
    assert figure(root, "money.actual") == 2 * 2 * 3
    dump = root / "bill.csv"
    dump.write_bytes(bill(charge(billed="5", effective="4"), charge("Other", billed="0.5")))
    assert main(["--root", str(root), "import", str(dump), "--with", "bill"]) == 0
    assert figure(root, "plan.data.money.actual") == 5 + 2 * 3, "March as it was billed, April by its hours"
    assert figure(root, "money.unassigned.actual") == 0.5
    assert figure(root, "money.actual") == 5 + 2 * 3 + 0.5
    assert figure(root, "money.by_gpu.a100-40gb.billed.hours") == 2
    assert figure(root, "actual.total") == 4
    imports = root / "ledger/demo/imports.yaml"
    imports.write_text(imports.read_text("utf-8").replace("format: focus", "format: focus\n  cost: effective"), "utf-8")
    assert figure(root, "plan.data.money.actual") == 4 + 2 * 3


def test_a_bill_where_the_price_changes(root: Path) -> None:
    prices = root / "ledger/catalog/prices.yaml"
    prices.write_text(PRICES + "  since:\n    2025-03-15: {usd_per_gpu_hour: {a100-40gb: 5}}\n", "utf-8")
    assert figure(root, "money.actual") == 2 * 3 + 2 * 5
    dump = root / "bill.csv"
    dump.write_bytes(bill(charge(billed="50")))
    assert main(["--root", str(root), "import", str(dump), "--with", "bill"]) == 0
    assert figure(root, "money.actual") == 50 + 2 * 5


def test_the_preview_and_the_checks_of_a_bill(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = root / "bill.csv"
    dump.write_bytes(bill(charge(billed="5", effective="4"), charge("Other", billed="0.5"), charge("Key")))
    capsys.readouterr()
    assert main(["--root", str(root), "import", str(dump), "--with", "bill", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert "  Data                                                1      5.00000      4.00000" in out
    assert "No rule fits 1 entry; by name, with a rule for each:" in out
    assert "RULE: {when: {name: 'Other'}, item: ITEM}" in out
    assert "Ignored by `store`: 1 entry with 1.00000 billed USD: paid by the department" in out
    assert "Money:          $12.00 before, $11.50 now" in out
    for words in (["--check"], [str(dump), "--with", "bill"], ["--check"], ["--undo", "bill"]):
        assert main(["--root", str(root), "import", *words]) == 0
    capsys.readouterr()
    assert main(["--root", str(root), "import", "--reapply", "--with", "bill"]) == 2
    assert "rule `prod`, `net` asks for what no entry keeps; import the exports again" in capsys.readouterr().err
