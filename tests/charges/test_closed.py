"""Closed periods beside changes of an allocation: what moves a printed column is told, a later top-up moves none."""

from __future__ import annotations

import csv
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from reckon.cli import main
from reckon.model.closing import KEPT_FIRST, read_closing
from tests.charges.shorthand import merged
from tests.charges.trees import write_tree

CASES = yaml.safe_load((Path(__file__).parent / "cases.yaml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("name", "period", "day", "left"),
    [("p38-grant-raised", "2025-Q1", "2025-05-01", "100.00"), ("09-changes", "2026-Q1", "2026-06-01", "110.00")],
)
def test_what_was_left_then_stays(name: str, period: str, day: str, left: str, tmp_path: Path) -> None:
    write_tree(tmp_path, merged(CASES, name), number=2)
    root = ["--root", str(tmp_path)]
    assert main(["close", period, "--allocation", "g", "-m", "the quarter", "--date", day, *root]) == 0
    assert main(["render", *root]) == 0
    statement = (tmp_path / "docs" / "allocations" / "g.md").read_text("utf-8")
    (row,) = (line for line in statement.splitlines() if line.startswith(f"| {period} |"))
    assert row.endswith(f"| {left} |")
    assert main(["check", "--fail-on", "never", *root]) == 0


GRANT: dict[str, Any] = {
    "allocations": {"g": {"gpu_hours": 500, "since": "2025-01", "until": "2025-12", "projects": ["p"]}},
    "project": {"gpu": "a100"},
    "plan": {"w": {"items": {"train": {"gpu_hours": 1000}}}},
    "runs": [
        {"date": date(2025, 2, 10), "item": "train", "gpu_hours": 400, "progress": "4/10"},
        {"date": date(2025, 4, 10), "item": "train", "gpu_hours": 10, "progress": "5/10"},
    ],
}
FILE = "ledger/p/closings/g.2025-Q1.json"


class ClosedTree:
    """A tree whose first quarter is closed; `check` and the pages are those of what is edited since."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str], ledger: dict[str, Any]) -> None:
        self.root, self.capsys, self.ledger = root, capsys, deepcopy(ledger)
        write_tree(root, self.ledger)
        self.run("close", "2025-Q1", "--allocation", "g", "--date", "2025-05-01")

    def run(self, *words: str) -> str:
        """What a command says that succeeds."""
        assert main([*words, "--root", str(self.root)]) == 0
        return self.capsys.readouterr().out

    def told(self) -> list[str]:
        """What `check` says of closed periods once the ledger is written as it is now."""
        write_tree(self.root, self.ledger)
        self.capsys.readouterr()
        main(["check", "--fail-on", "never", "--root", str(self.root)])
        lines = self.capsys.readouterr().out.splitlines()
        return [line.partition("; ")[0].removeprefix(f"{FILE}:1:1: ") for line in lines if "is closed" in line]

    def period(self, name: str = "2025-Q1") -> list[str]:
        """The row of a period on the statement."""
        self.run("render")
        page = (self.root / "docs/allocations/g.md").read_text("utf-8")
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {name} |"))
        return [cell.strip() for cell in row.strip("|").split("|")]

    def adjust(self) -> str:
        """The first line that an adjustment says."""
        return self.run("close", "--adjust", "--date", "2025-05-02").splitlines()[0]

    @property
    def grant(self) -> dict[str, Any]:
        """The allocation."""
        found: dict[str, Any] = self.ledger["allocations"]["g"]
        return found


@pytest.fixture
def closed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> ClosedTree:
    """A grant of 500 of which 400 were used in the first quarter."""
    return ClosedTree(tmp_path, capsys, GRANT)


def test_a_grant_that_is_raised_after_its_quarter_was_closed_is_told(closed: ClosedTree) -> None:
    assert closed.period()[-2:] == ["500.00", "100.00"]
    closed.grant["gpu_hours"] = 800
    assert closed.told() == ["2025-Q1 of g is closed, and was changed by +300 GPU-h granted, +300 GPU-h left"]
    assert closed.period()[-2:] == ["500.00", "100.00"], "the page says what the file says"
    assert closed.period("since 2025-04-01")[-2:] == ["800.00", "390.00"]
    assert closed.adjust() == "2025-Q1 of G is closed: adjusted by +300 GPU-h granted, +300 GPU-h left"
    assert closed.told() == []
    assert closed.period()[-2:] == ["800.00", "400.00"]


def test_a_later_top_up_touches_nothing(closed: ClosedTree) -> None:
    closed.grant["changes"] = [{"date": date(2025, 4, 5), "granted": 300, "why": "raised"}]
    assert closed.told() == []
    assert closed.period()[-2:] == ["500.00", "100.00"]
    assert closed.period("since 2025-04-01")[-2:] == ["800.00", "390.00"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"granted": 300},
            "+300 GPU-h granted, +300 GPU-h left, +300 GPU-h granted in it",
        ),
        (
            {"refunded": 160},
            "−160 GPU-h (train on a100 −160) in p, +160 GPU-h left, +160 GPU-h refunded in it",
        ),
        (
            {"charged": 20},
            "+20 GPU-h (train on a100 +20) in p, −20 GPU-h left, +20 GPU-h charged in it",
        ),
        (
            {"moved": 50, "to": "h"},
            "−50 GPU-h granted, −50 GPU-h left, −50 GPU-h moved in it",
        ),
    ],
)
def test_a_change_that_is_dated_into_a_closed_quarter_is_told(
    closed: ClosedTree, change: dict[str, Any], told: str
) -> None:
    closed.ledger["allocations"]["h"] = {"gpu_hours": 1, "since": "2026-01", "projects": ["p"]}
    assert closed.told() == []
    closed.grant["changes"] = [{"date": date(2025, 3, 31), "item": "train", "why": "late news", **change}]
    assert closed.told() == [f"2025-Q1 of g is closed, and was changed by {told}"]
    closed.adjust()
    assert closed.told() == []


def test_a_run_of_the_first_of_two_closed_quarters_is_told_once(closed: ClosedTree) -> None:
    """What was left at the end of the second quarter moves, too: an adjustment takes it in."""
    closed.ledger["runs"].append({"date": date(2025, 7, 10), "item": "train", "gpu_hours": 1})
    assert closed.told() == []
    closed.run("close", "2025-Q2", "--allocation", "g", "--date", "2025-07-12")
    closed.ledger["runs"].append({"date": date(2025, 1, 10), "item": "train", "gpu_hours": 5})
    assert closed.told() == [
        "2025-Q1 of g is closed, and was changed by +5 GPU-h (train on a100 +5) in p, −5 GPU-h left"
    ]
    said = closed.run("close", "--adjust", "--date", "2025-07-13").splitlines()[:2]
    assert said == [
        "2025-Q1 of G is closed: adjusted by +5 GPU-h (train on a100 +5) in p, −5 GPU-h left",
        "2025-Q2 of G is closed: adjusted by −5 GPU-h left",
    ]
    assert closed.told() == []
    assert (closed.period()[-1], closed.period("2025-Q2")[-1]) == ("95.00", "85.00")
    closed.grant["changes"] = [{"date": date(2024, 12, 31), "charged": 1, "why": "before both"}]
    assert closed.told() == ["2025-Q1 of g is closed, and was changed by −1 GPU-h left"]


def test_the_balance_is_of_the_allocation_and_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two projects share a grant: the file of each has its balance, one adjustment moves it."""
    grant = {**GRANT["allocations"]["g"], "projects": ["p", "q"]}
    closed = ClosedTree(tmp_path, capsys, {**GRANT, "allocations": {"g": grant}})
    files = [tmp_path / FILE, tmp_path / FILE.replace("/p/", "/q/")]
    assert [' "balance": {"granted": "500", "left": "100"},' in file.read_text("utf-8") for file in files] == [True] * 2
    assert closed.period()[-2:] == ["500.00", "100.00"]
    closed.grant["gpu_hours"] = 800
    assert closed.told() == ["2025-Q1 of g is closed, and was changed by +300 GPU-h granted, +300 GPU-h left"]
    closed.adjust()
    assert len([*tmp_path.glob("ledger/*/closings/*adjusted*")]) == 1
    assert (closed.told(), closed.period()[-2:]) == ([], ["800.00", "400.00"])
    closed.grant["gpu_hours"] = 500
    assert closed.told() == ["2025-Q1 of g is closed, and was changed by −300 GPU-h granted, −300 GPU-h left"]


def euros(price: dict[str, Any]) -> dict[str, Any]:
    """The same work, paid by a contract of 1,000 € at a price."""
    contract = {"eur": 1000, "since": "2025-01", "until": "2025-12", "projects": ["p"], "prices": ["rent"]}
    rates = {"2025-01-01": {"usd_per_eur": "1.25"}}
    return {**GRANT, "allocations": {"g": contract}, "prices": {"rent": price}, "rates": rates}


def test_a_contract_in_euros_at_prices_in_euros_knows_no_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """400 h at 2 €: 200 € of 1,000 are left, whatever a euro is."""
    closed = ClosedTree(tmp_path, capsys, euros({"eur_per_gpu_hour": {"a100": 2}}))
    assert closed.period()[2:] == ["800.00", "0.00", "800.00", "800.00", "0.00", "1,000.00", "200.00"]
    closed.ledger["rates"] = {"2025-01-01": {"usd_per_eur": "1.6"}}
    assert closed.told() == []


def test_a_new_rate_is_told_where_it_moves_what_was_booked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """400 h at $2 are 640 € at 1.25, and 500 € at 1.6; a rate of later days moves nothing."""
    closed = ClosedTree(tmp_path, capsys, euros({"usd_per_gpu_hour": {"a100": 2}}))
    assert closed.period()[2:] == ["640.00", "0.00", "640.00", "640.00", "0.00", "1,000.00", "360.00"]
    closed.ledger["rates"]["2025-04-01"] = {"usd_per_eur": "1.6"}
    assert closed.told() == []
    closed.ledger["rates"]["2025-01-01"] = {"usd_per_eur": "1.6"}
    assert closed.told() == [
        "2025-Q1 of g is closed, and was changed by −140 EUR (train on a100 −140) in p, +140 EUR left"
    ]
    closed.adjust()
    assert closed.period()[2:] == ["640.00", "−140.00", "500.00", "500.00", "0.00", "1,000.00", "500.00"]
    with (tmp_path / "docs/allocations/g.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["state"], row["used_eur"], row["held_gpu_hours"], row["left_eur"]) for row in rows] == [
        ("closed", "0", "", "360"),
        ("closed", "640", "400", ""),
        ("adjusted", "0", "", "140"),
        ("adjusted", "-140", "", ""),
        ("open", "12.5", "10", ""),
    ]


def test_node_hours_are_headed_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """400 GPU-h are 100 node-hours of four GPUs, and of two GPUs 200: a changed unit is told, too."""
    grant = {"units": 150, "charge": {"unit": "node-hours", "gpus_per_unit": 4}, "projects": ["p"]}
    closed = ClosedTree(tmp_path, capsys, {**GRANT, "allocations": {"g": grant}})
    closed.run("render")
    text = (tmp_path / "docs/allocations/g.csv").read_text("utf-8").splitlines()
    words = [*("used", "useful", "wasted"), *("granted", "left", "granted_in_it", "refunded_in_it"), "charged_in_it"]
    by_unit = [f"{word}_node_hours" for word in (*words, "moved_in_it")]
    first = ["allocation", "period", "state", "day", "project", "item", "card"]
    assert text[0].split(",") == [*first, *by_unit[:3], "held_gpu_hours", *by_unit[3:], "why"]
    assert text[2].split(",")[3:11] == ["2025-05-01", "p", "train", "a100", "100", "100", "0", "400"]
    closed.grant["charge"] = {"unit": "credits", "gpus_per_unit": 4}
    assert closed.told() == ["2025-Q1 of `g` is closed in node-hours, and now counted in credits"]
    closed.grant["charge"] = {"unit": "node-hours", "gpus_per_unit": 2}
    assert closed.told() == [
        "2025-Q1 of g is closed, and was changed by +100 node-hours (train on a100 +100) in p, −100 node-hours left"
    ]


def as_first(root: Path) -> None:
    """Writes what was closed as files of format 1 say it."""
    closing = read_closing((root / FILE).read_text("utf-8"), FILE)
    kept = (
        cell for cell in closing.sums if cell.column in KEPT_FIRST and (cell.gpu, cell.column) != ("none", "cost_usd")
    )
    sums = {cell: closing.sums[cell] for cell in kept}
    (root / FILE).write_text(replace(closing, sums=sums, unit="", format=1).text(), "utf-8")


def test_a_closing_of_format_1_keeps_what_it_kept(closed: ClosedTree) -> None:
    as_first(closed.root)
    closed.grant["gpu_hours"] = 800
    assert closed.told() == [], "it knows nothing of what was granted"
    assert closed.period()[2:] == ["400.00", "0.00", "400.00", "400.00", "0.00", "not kept then", "not kept then"]
    closed.ledger["runs"][0]["gpu_hours"] = 390
    assert closed.told() == ["2025-Q1 of g is closed, and was changed by −10 GPU-h (train on a100 −10) in p"]
    closed.adjust()
    assert closed.told() == []
    (file,) = (closed.root / FILE).parent.glob("*adjusted*")
    assert file.read_text("utf-8").splitlines()[1] == ' "format": 1,'


def test_of_format_1_only_columns_that_others_have_are_not_kept_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Costs in euros, and of what is on no card, were not kept; later periods have both."""
    ledger = {**GRANT, "allocations": {"g": {"usd": 1000, "projects": ["p"], "prices": ["rent"]}}}
    ledger["prices"] = {"rent": {"usd_per_gpu_hour": {"a100": 1}}}
    ledger["rates"] = {"2025-01-01": {"usd_per_eur": "1.25"}}
    ledger["plan"] = {"w": {"items": {"train": {"gpu_hours": 1000}, "api": {"usd": 100}}}}
    ledger["runs"] = [*GRANT["runs"], {"date": date(2025, 2, 11), "item": "api", "cost_usd": 20}]
    closed = ClosedTree(tmp_path, capsys, ledger)
    assert closed.period()[2:] == ["420.00", "0.00", "420.00", "420.00", "0.00", "1,000.00", "580.00", "20.00"]
    as_first(tmp_path)
    kept = ["420.00", "0.00", "420.00", "420.00", "0.00", "not kept then", "not kept then"]
    assert (closed.told(), closed.period()[2:]) == ([], kept)
    closed.ledger["runs"].append({"date": date(2025, 4, 11), "item": "api", "cost_eur": 8})
    assert closed.told() == []
    assert closed.period()[2:] == [*kept, "not kept then"]
    closed.grant["changes"] = [{"date": date(2025, 4, 10), "granted": 5, "why": "raised"}]
    assert closed.told() == []
    assert closed.period("since 2025-04-01")[2:] == [
        "",
        "",
        "20.00",
        "20.00",
        "0.00",
        "5.00",
        "1,005.00",
        "565.00",
        "8.00",
    ]
    assert closed.period()[7:] == ["not kept then"] * 4


def test_what_cannot_be_known_by_the_end_of_a_quarter_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was left then rests on what was charged before, too."""
    before = {"date": date(2024, 12, 1), "item": "train", "gpu": "h100", "gpu_hours": 10}
    grant = {"gpu_hours": 500, "since": "2024-10", "until": "2025-12", "projects": ["p"]}
    cards = {"a100": {}, "h100": {"counts_as": {"a100": "2x"}}}
    runs = [before, *GRANT["runs"]]
    closed = ClosedTree(tmp_path, capsys, {**GRANT, "gpus": cards, "allocations": {"g": grant}, "runs": runs})
    assert (closed.told(), closed.period()[-1]) == ([], "80.00")
    del closed.ledger["gpus"]["h100"]["counts_as"]
    write_tree(tmp_path, closed.ledger)
    assert main(["check", "--root", str(tmp_path)]) != 0
    said = "what g was charged by the end of 2025-Q1 is unknown: catalog.gpus.h100."
    assert said in capsys.readouterr().out


def test_an_ended_grant_says_what_expired(closed: ClosedTree) -> None:
    """410 of 500 were used when it ended in June."""
    closed.grant["until"] = "2025-06"
    closed.ledger["runs"].append({"date": date(2025, 7, 10), "item": "train", "gpu_hours": 1})
    assert closed.told() == []
    assert (closed.period()[-1], closed.period("since 2025-04-01")[-1]) == ("100.00", "0.00")
    page = (closed.root / "docs/allocations/g.md").read_text("utf-8")
    assert "[0 GPU-h][g.left] are left: 90 GPU-h expired unused on 2025-06-30." in page
