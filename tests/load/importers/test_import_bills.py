"""Bills in FOCUS: billed and effective cost by period, rule and service; files of one command are parts of a bill, and
a later command replaces a period."""

from __future__ import annotations

import re
import shlex
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.load.importers.taking import tally
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
        extras = stored.job.extras
        found[item] = billed + float(extras.billed_usd or 0), effective + float(extras.effective_usd or 0)
    return found


def test_a_real_bill_is_all_there_and_small() -> None:
    taken = sound(BILL, "focus.csv")
    extras = [stored.job.extras for stored in taken.merged.jobs.values()]
    assert taken.rows == 89  # with the names of the columns
    assert round(sum(part.billed_usd or 0 for part in extras), 4) == Fraction("10.3366")
    assert round(sum(part.effective_usd or 0 for part in extras), 4) == Fraction("9.9657")
    assert len(extras) < 40, "charges of one service are one entry a period"
    found = sums(BILL, "focus.csv")
    assert set(found) == {"data", "sft", "store", "-"}
    text = "".join(files(taken).values())
    for private in ("zz-", "9900", "Atlas", "EasyLogic"):
        assert private not in text


def test_charges_are_added_up_by_period_rule_and_service() -> None:
    april = charge(month="2025-04", through="2025-04-02")
    rows = [charge(), charge(billed="2.5"), charge("Disk"), april, charge(provider="B")]
    taken = sound("bill:\n  format: focus\n  rules:\n    gpu: {when: {service: GPU}, item: data}\n", bill(*rows))
    assert {stored.key.id: stored.job.extras.billed_usd for stored in taken.merged.jobs.values()} == {
        "Cloud/2025-03-01/gpu/data/GPU": Fraction(7, 2),
        "Cloud/2025-03-01/unassigned/Disk": 1,
        "Cloud/2025-04-01/gpu/data/GPU": 1,
        "B/2025-03-01/gpu/data/GPU": 1,
    }


FIRST = bill(charge(billed="4"), charge("Disk"), charge("Disk"))
SECOND = bill(charge("Disk"), charge(billed="3"), charge(month="2025-04", through="2025-04-02", billed="7"))
LAST = bill(charge("Credit", billed="-2"))
ANY = "bill:\n  format: focus\n  rules:\n    all: {when: {name: '.*'}, item: data}\n"


@pytest.mark.parametrize("order", [*permutations((FIRST, SECOND, LAST))])
def test_files_of_one_command_add_up_in_every_order(order: tuple[bytes, ...]) -> None:
    taken = sound(ANY, *order)
    found = {stored.key.id: stored.job.extras.billed_usd for stored in taken.merged.jobs.values()}
    assert found == {
        "Cloud/2025-03-01/all/data/GPU": 4 + 3,
        "Cloud/2025-03-01/all/data/Disk": 1 + 1,  # twice in one file, and once more in another
        "Cloud/2025-03-01/all/data/Credit": -2,
        "Cloud/2025-04-01/all/data/GPU": 7,
    }
    assert tally(taken).rows == {"header": 3, "new": 6, "same": 1}
    assert taken.merged.texts("x") == sound(ANY, LAST, SECOND, FIRST).merged.texts("x")


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


def test_two_accounts_have_a_bill_each() -> None:
    head = HEAD.replace("\n", ",BillingAccountId\n")
    one, other = (f"{head}{charge()},{account}\n".encode() for account in ("111122223333", "444455556666"))
    both = sound(ANY, one, other)
    assert len(both.merged.jobs) == 2
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


DOLLARS = "export it in USD, or convert it first"


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        (charge(currency="AUD"), f"this charge is in AUD; {DOLLARS}"),
        (charge(currency="zz person"), f"this charge is in another currency; {DOLLARS}"),
        (charge(billed="much"), "a cost is not a number; check for a truncated row, or skip it with `skip:`"),
        (
            charge(billed=""),
            "this charge has no cost, provider or billing period; check for a truncated row, or skip it with `skip:`",
        ),
        (charge(through="soon"), "the period is not a time; write it as 2025-09-12T14:06:12"),
        (
            "A,B",
            "this row has 2 cells, the first line 11; check for a missing or extra comma, or skip it with `skip:`",
        ),
    ],
)
def test_a_charge_that_cannot_be_counted_is_told_with_its_line(row: str, wrong: str) -> None:
    assert told(take(ANY, bill(row))) == [f"dump.txt:2:1: {wrong}"]


def test_what_is_no_bill_says_what_it_lacks() -> None:
    raw = HEAD.replace("BilledCost", "Cost").replace("BillingCurrency", "Money")
    wrong = "dump.txt:1:1: this is not a FOCUS bill: it has no column `BilledCost` and `BillingCurrency`"
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
    assert "  Data                                                1         5.00         4.00" in out
    assert "No rule fits 1 entry; names, each with a draft rule:" in out
    assert "RULE: {when: {name: 'Other'}, item: ITEM}" in out
    assert "Ignored by `store`: 1 entry with 1.00 billed USD: paid by the department" in out
    assert "Money:          $12.00 before, $11.50 now" in out
    for words in (["--check"], [str(dump), "--with", "bill"], ["--check"], ["--undo", "bill"]):
        assert main(["--root", str(root), "import", *words]) == 0
    capsys.readouterr()
    assert main(["--root", str(root), "import", "--reapply", "--with", "bill"]) == 2
    assert "rule `prod`, `net` needs fields that no entry keeps; import the exports again" in capsys.readouterr().err


def billed(root: Path) -> float:
    return figure(root, "plan.data.money.actual") - 2 * 3  # the hours of April, which has no bill


class Bill:
    """A ledger with a source of bills, and the command that reads them."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys

    def run(self, *words: str, code: int = 0) -> str:
        """What an import says, in both streams."""
        self.capsys.readouterr()
        found = main(["--root", str(self.root), "import", *words])
        streams = self.capsys.readouterr()
        assert found == code, streams
        return streams.out + streams.err

    def take(self, *files: bytes, more: tuple[str, ...] = (), code: int = 0) -> str:
        """Imports files, each under a name of its own."""
        paths = [self.root / f"bill {number}.csv" for number in range(len(files))]
        for path, raw in zip(paths, files, strict=True):
            path.write_bytes(raw)
        return self.run(*map(str, paths), "--with", "bill", *more, code=code)

    def texts(self) -> dict[str, bytes]:
        """All that is in the ledger of the project."""
        return {str(path): path.read_bytes() for path in sorted((self.root / "ledger/demo").rglob("*.yaml"))}


@pytest.fixture
def cloud(root: Path, capsys: pytest.CaptureFixture[str]) -> Bill:
    return Bill(root, capsys)


def test_a_later_command_replaces_a_period_and_prints_both_sums(cloud: Bill) -> None:
    assert "+ 2 new  ~ 0 replaced  = 0 same\n" in cloud.take(
        bill(charge(billed="4"), charge(billed="6", effective="5"))
    )
    assert billed(cloud.root) == 10
    out = cloud.take(bill(charge(billed="4")), bill(charge(billed="6.5"), charge(billed="2"), charge(billed="4")))
    assert "6 lines read (2 header)\n+ 0 new  ~ 3 replaced  = 1 same\n" in out
    assert "Cloud, 2025-03-01: 2 rows with $10 billed, $9 effective before, 3 rows with $12.5 now\n" in out
    assert billed(cloud.root) == 12.5
    cloud.run("--check")


def test_the_same_command_again_writes_nothing(cloud: Bill) -> None:
    parts = bill(charge(billed="4"), charge("Disk")), bill(charge("Disk"), charge("Disk"), charge("Key"))
    cloud.take(*parts)
    before = cloud.texts()
    out = cloud.take(*parts)
    # Of the five rows one is in both files, and that of the service Key is ignored by a rule.
    assert "7 lines read (2 header)\n+ 0 new  ~ 0 replaced  = 4 same  – 1 skipped (ignored by a rule 1)\n" in out
    assert "now" not in out.partition("Money:")[0]
    assert "Nothing written: everything is already imported." in out
    assert cloud.texts() == before


def test_a_period_whose_sum_would_shrink_is_kept_until_that_is_said(cloud: Bill) -> None:
    april = charge(month="2025-04", through="2025-04-02", billed="7")
    cloud.take(bill(charge(billed="160"), april))
    before = cloud.texts()
    out = cloud.take(bill(charge(billed="150"), charge("Disk", billed="5"), april), code=2)
    path = cloud.root / "bill 0.csv"
    assert out == (
        "Cloud, 2025-03-01: 1 row with $160 before, 2 rows with $155 now\n"
        "The sum would be smaller than before. If this is a credit, run "
        f"`budget import demo '{path}' --with bill --replace`; if the files are a further part, "
        f"`budget import demo '{path}' --with bill --add-part`.\n"
        "Nothing written.\n"
    )
    assert cloud.texts() == before
    replaces, adds = ([*shlex.split(command)[2:]] for command in re.findall("`([^`]*)`", out))
    assert "Cloud, 2025-03-01: 1 row with $160 before, 2 rows with $155 now\n" in cloud.run(*adds[:-1], "--replace")
    assert replaces == [*adds[:-1], "--replace"]
    assert figure(cloud.root, "money.actual") == 150 + 5 + 7 + 2 * 3 - 2 * 3
    assert "Nothing written: everything is already imported." in cloud.run(*replaces)


def test_a_smaller_effective_cost_is_asked_about_too(cloud: Bill) -> None:
    cloud.take(bill(charge(billed="5", effective="4")))
    out = cloud.take(bill(charge(billed="5", effective="3")), code=2)
    assert "1 row with $5 billed, $4 effective before, 1 row with $5 billed, $3 effective now" in out


def test_parts_that_come_one_by_one_are_added_once(cloud: Bill) -> None:
    cloud.take(bill(charge(billed="4"), charge("Disk", billed="0.5")))
    part = bill(charge(billed="3"), charge(billed="-1"))
    out = cloud.take(part, more=("--add-part",))
    assert "3 lines read (1 header)\n+ 2 new  ~ 0 replaced  = 0 same\n" in out
    assert "Cloud, 2025-03-01: 2 rows with $4.5 before, 4 rows with $6.5 now\n" in out
    assert billed(cloud.root) == 4 + 3 - 1
    before = cloud.texts()
    out = cloud.take(part, more=("--add-part",))
    assert "– 2 skipped (of files read before 2)" in out
    assert (
        f"{cloud.root}/bill 0.csv: it was imported before and is not added again; if its charges are missing, " in out
    )
    assert "import all files of their periods with one command, without --add-part\n" in out
    assert cloud.texts() == before
    whole = cloud.texts()
    cloud.take(bill(charge(billed="4"), charge("Disk", billed="0.5")), part)
    assert cloud.texts().keys() == whole.keys()
    assert billed(cloud.root) == 6
    cloud.run("--check")


def test_a_part_may_be_of_a_period_that_is_not_there(cloud: Bill) -> None:
    assert "+ 1 new" in cloud.take(bill(charge(billed="4")), more=("--add-part",))
    assert billed(cloud.root) == 4


def test_parts_are_not_added_to_what_other_rules_made(cloud: Bill) -> None:
    parts = bill(charge(billed="4")), bill(charge(billed="3"))
    cloud.take(parts[0])
    imports = cloud.root / "ledger/demo/imports.yaml"
    imports.write_text(imports.read_text("utf-8").replace("name: GPU}, item: data", "name: GPU}, item: sft"), "utf-8")
    before = cloud.texts()
    out = cloud.take(parts[1], more=("--add-part",), code=2)
    assert (
        "rule `prod`, `net` needs fields that no entry keeps; import the exports again with `budget import FILE … "
        in out
    )
    assert cloud.texts() == before
    out = cloud.take(*parts)
    assert "Cloud, 2025-03-01: 1 row with $4 before, 2 rows with $7 now\n" in out
    assert figure(cloud.root, "plan.sft.money.actual") == 7
    imports.write_text(re.sub("    (prod|net): .*\n", "", imports.read_text("utf-8")), "utf-8")
    cloud.run("--reapply", "--with", "bill")
    imports.write_text(imports.read_text("utf-8").replace("name: GPU}, item: sft", "name: GPU}, item: data"), "utf-8")
    assert "3 rows with $9 now" in cloud.take(bill(charge(billed="2")), more=("--add-part",))
    assert billed(cloud.root) == 9
    cloud.run("--check")
    cloud.run("--undo", "bill", "--month", "2025-03")
    assert billed(cloud.root) == 2 * 3


@pytest.mark.parametrize("option", ["--add-part", "--replace"])
def test_what_is_said_of_bills_alone(cloud: Bill, option: str) -> None:
    dump = str(cloud.root / "jobs.txt")
    wrong = "--add-part and --replace are for bills (`format: focus`), and hand is not a bill; remove them"
    assert wrong in cloud.run(dump, "--with", "hand", option, code=2)
    assert "name the export to read" in cloud.run("--with", "bill", option, code=2)
