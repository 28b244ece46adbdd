"""`choose` as it is used: what it prints in each format, what it refuses, and that it writes nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from reckon.compute.calculation import calculate
from reckon.compute.choosing import choosing, pareto
from reckon.compute.choosing.choosing import Request
from reckon.load.reader import load
from tests.hardware import HARDWARE
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path, HARDWARE)


def out(capsys: Printed, *words: str, root: Path = ROOT, code: int = 0) -> str:
    assert main(["choose", "--root", str(root), *words]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def test_the_table(tree: Path, capsys: Printed) -> None:
    assert (
        out(capsys, "--deadline", "8h", "--budget", "18 usd", root=tree)
        == """\
Some setups (p.setups.some)
Criteria: within 8 h; at most $18; least cost first. Based on: work 3,600,000 tokens; efficiency
  80%; prices of ours (2026-01-02); throughputs of measured.

2 of 10 setups qualify.
#  Setup     Time, h    Cost, $             $/h               Memory
1  slow-x4   3.1        12.50               4.00              fits
      cheapest; fastest; best at any value of an hour
2  quick-x1  5 (4–6.7)  15.00 (8.00–33.33)  3.00 (2.00–5.00)  fits
      no advantage over slow-x4; $15.33 over the budget at the high end

These do not:
#  Setup     Time, h        Cost, $              $/h                 Memory
   slow-x1   10             10.00                1.00                fits
      2 h past the deadline
   quick-x4  1.6 (1.2–2.1)  18.75 (10.00–41.67)  12.00 (8.00–20.00)  fits
      $0.75 over the budget (not at the low end, not without the efficiency)
   small-x1  10             5.00                 0.50                does not fit
      does not fit: 18 GB needed, 8 GiB on each GPU; 2 h past the deadline
   small-x4  3.1            6.25                 2.00                does not fit
      does not fit: 18 GB needed, 8 GiB on each GPU

Undecided:
#  Setup     Time, h  Cost, $  $/h      Memory
   fresh-x1  2.5      unknown  unknown  fits
      catalog.prices.ours.usd_per_gpu_hour.fresh is missing
   fresh-x4  0.8      unknown  unknown  fits
      catalog.prices.ours.usd_per_gpu_hour.fresh is missing
   plain-x1  unknown  unknown  1.00     fits
      catalog.throughputs.measured.tokens_per_second_per_gpu.plain is missing
   plain-x4  unknown  unknown  4.00     fits
      catalog.throughputs.measured.tokens_per_second_per_gpu.plain is missing

At the low end of all prices quick-x1 comes first.
"""
    )


def test_an_hour_that_is_worth_something_is_put_beside_the_cost(tree: Path, capsys: Printed) -> None:
    """slow-x4: $12.50 and 3.125 h at $4."""
    lines = out(capsys, "--hour-value", "4", root=tree).splitlines()
    assert "With hours, $" in lines[5]
    assert lines[6].split() == [
        "1",
        "quick-x4",
        "1.6",
        "(1.2–2.1)",
        "18.75",
        "(10.00–41.67)",
        "12.00",
        "(8.00–20.00)",
        "25.00",
        "fits",
    ]
    assert "least cost with the hours waited; fastest; best where an hour is worth $4.00 or more" in lines[7]


def test_markdown_and_json_say_the_same(tree: Path, capsys: Printed) -> None:
    words = ("--deadline", "8", "--budget", "18")
    whole = json.loads(out(capsys, *words, "--format", "json", root=tree))
    assert (whole["format"], whole["project"], whole["setups"]) == (1, "p", "some")
    assert [(one["rank"], one["setup"], one["on_frontier"]) for one in whole["ranked"]] == [
        (1, "slow-x4", True),
        (2, "quick-x1", False),
    ]
    assert whole["rests_on"] == {"prices": {"ours": "2026-01-02"}, "throughputs": {"measured": None}}
    assert whole["ranked"][1]["hours"] == {"low": "4", "use": "5", "high": "20/3"}
    over = whole["ranked"][1]["reasons"][-1]
    assert over == {
        "kind": "budget",
        "text": "$15.33 over the budget at the high end",
        "amount": "46/3",
        "limit": "18",
        "other": "",
        "unless": ["high"],
    }
    undecided = {one["setup"] for one in whole["rejected"] if one["undecided"]}
    assert undecided == {"fresh-x1", "fresh-x4", "plain-x1", "plain-x4"}

    page = out(capsys, *words, "--format", "markdown", root=tree)
    assert "| # | Setup | Time, h | Cost, $ | $/h | Memory | Why |\n|---:|---|---|---|---|---|---|\n" in page
    assert "\n| 1 | `slow-x4` | 3.1 | 12.50 | 4.00 | fits | cheapest; fastest; best at any value of an hour |\n" in page
    for one in whole["ranked"] + whole["rejected"]:
        assert f"| `{one['setup']}` |" in page


def test_where_none_qualifies_it_says_what_would_do(tree: Path, capsys: Printed) -> None:
    """Rounded up: who asks again with the figure that is printed gets the setup."""
    text = out(capsys, "--deadline", "1", root=tree)
    assert "\nNone of 10 setups qualifies.\n" in text
    assert "\nNearest: quick-x4 (1.6 h, $18.75): a deadline of 1.57 h would let it in.\n" in text
    assert "\n1  quick-x4 " in out(capsys, "--deadline", "1.57", root=tree)


def test_what_the_ledger_states_holds_until_something_else_is_asked(tree: Path, capsys: Printed) -> None:
    file = tree / "ledger/p/setups.yaml"
    file.write_text(file.read_text().replace("[1, 4]", "[1, 4], deadline_hours: 8, usd_per_hour_waited: 1"))
    assert "Criteria: within 8 h (of the ledger); an hour of waiting worth $1 (of the ledger)" in out(capsys, root=tree)
    assert "Criteria: within 2 h; least cost" in out(capsys, "--deadline", "2", "--hour-value", "none", root=tree)


def test_a_provider_answers_with_its_own_prices_and_nothing_is_written(tree: Path, capsys: Printed) -> None:
    before = {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}
    text = out(capsys, "--provider", "there", root=tree)
    assert "prices of old (2025-01-02), new (2026-01-02)" in " ".join(text.split())
    assert "\n1  quick-x1  5 (4–6.7)      5.00 (4.00–6.67) " in text
    assert {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["q"], "there is no project `q`; "),
        (["--setups", "sone"], "`p` has no setups `sone`; did you mean `some`?"),
        (["--gpu", "slov"], "there is no GPU `slov` in the catalogue; did you mean `slow`?"),
        (["--provider", "ther"], "there is no provider `ther` in the catalogue; did you mean `there`"),
        (["--provider", "nobody"], "no price list of `nobody` in the catalogue; add one"),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(tree: Path, capsys: Printed, words: list[str], says: str) -> None:
    assert out(capsys, *words, root=tree, code=2).startswith(says)


def test_a_card_of_the_catalogue_that_no_list_knows_is_told(tree: Path, capsys: Printed) -> None:
    text = out(capsys, "--gpu", "unused", "slow", root=tree)
    assert "There is no setup of Unused (unused)" in text
    assert "2 of 10 setups qualify." in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--deadline", "8-10"], "'8-10' is not a limit; write a number"),
        (["--deadline", "unknown"], "'unknown' is not a limit"),
        (["--deadline=-1"], "'-1' is not a limit"),
        (["--deadline", "8:30"], "write hours as a decimal, or `8 h 30 min`"),
        (["--budget", "$20"], "remove the sign, the key has the currency: write `20`"),
        (["--budget", "20 h"], "`h` measures time, the key money (USD)"),
        (["--max-gpus", "0"], "'0' is not a number of GPUs"),
    ],
)
def test_what_is_no_limit_is_refused(tree: Path, capsys: Printed, words: list[str], says: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(["choose", "--root", str(tree), *words])
    assert end.value.code == 2
    assert says in capsys.readouterr().err


def test_projects_without_setups_and_several_with_some(tree: Path, capsys: Printed) -> None:
    other = HARDWARE["ledger/p/project.yaml"]
    plant(tree, {"ledger/q/project.yaml": other})
    assert "`q` has no setups; write its workloads.yaml and setups.yaml" in out(capsys, "q", root=tree, code=2)
    out(capsys, root=tree)
    plant(tree, {f"ledger/q/{name}.yaml": HARDWARE[f"ledger/p/{name}.yaml"] for name in ("workloads", "setups")})
    assert out(capsys, root=tree, code=2) == "several projects have setups; name one: p, q\n"
    for name in ("p", "q"):
        assert f"({name}.setups.some)" in out(capsys, name, root=tree)
        (tree / f"ledger/{name}/setups.yaml").unlink()
    assert out(capsys, root=tree, code=2).startswith("no project has setups; to choose hardware for one, write its")


def test_setups_without_any_card_say_so(tree: Path, capsys: Printed) -> None:
    file = tree / "ledger/p/project.yaml"
    file.write_text(file.read_text().replace("prices: [ours]\nthroughputs: [measured]\n", ""))
    assert "There are no setups: no card has a price or a throughput" in out(capsys, root=tree)


def test_lines_fit_and_nothing_in_the_ledger_acts(tree: Path, capsys: Printed) -> None:
    file = tree / "ledger/p/setups.yaml"
    file.write_text(file.read_text().replace("Some setups", '"\\e[31mred | <b> ' + "long " * 60 + '"'))
    for limits in ([], ["--hour-value", "123456789.25"], ["--deadline", "0"]):
        text = out(capsys, *limits, root=tree)
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 100
        assert "<b>" not in out(capsys, *limits, "--format", "markdown", root=tree)


def test_the_collection_of_phase_2_within_fifteen_hours_and_65_dollars(capsys: Printed) -> None:
    whole = json.loads(out(capsys, "phase2-collection", "--deadline", "15", "--budget", "65", "--format", "json"))
    assert [one["setup"] for one in whole["ranked"][:3]] == ["rtx-3090-x4", "rtx-5090-x4", "h100-80gb-x4"]
    late = next(one for one in whole["rejected"] if one["setup"] == "rtx-3090-x1")
    # 12,288,000 tokens x 1.1 / 70 a second and 8 minutes: 53.771 h
    assert late["hours"]["use"] == "1882/35"
    assert late["reasons"][0]["text"] == "38.8 h past the deadline"


def test_the_collection_of_phase_2_where_an_hour_is_worth_seven_dollars(capsys: Printed) -> None:
    first = json.loads(out(capsys, "phase2-collection", "--hour-value", "7", "--format", "json"))["ranked"][0]
    assert first["setup"] == "rtx-5090-x4"
    # 298/45 h at $3.20, and the same hours at $7
    assert Fraction(first["with_hours"]) == Fraction(298, 45) * (Fraction("3.2") + 7)


@pytest.mark.full
def test_two_thousand_setups_are_chosen_from_without_weighing_all_pairs(
    tree: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them on the frontier. What is counted is how often two setups are held against each other."""
    cards = range(200)
    plant(
        tree,
        {
            "ledger/catalog/gpus.yaml": "".join(f"c{one}: {{title: C {one}}}\n" for one in cards)
            + "slow: {title: S}\n",
            "ledger/catalog/prices.yaml": "ours:\n  usd_per_gpu_hour:\n"
            + "".join(f"    c{one}: {1 + one}-{2 + 2 * one}\n" for one in cards),
            "ledger/catalog/throughputs.yaml": "measured:\n  model: m\n  tokens_per_second_per_gpu:\n"
            + "".join(f"    c{one}: {100 + one % 170}\n" for one in cards),
            "ledger/p/setups.yaml": "some: {title: Some, workload: work, counts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}\n",
        },
    )
    ledger, problems = load(tree)
    book, more = calculate(ledger)
    assert problems + more == []
    found, counted = book.tradeoffs["p"][0], [0]

    def dominates(*pair: Any) -> bool:
        counted[0] += 1
        return real(*pair)

    real = pareto.dominates
    monkeypatch.setattr(pareto, "dominates", dominates)
    answer = choosing.choose(book.figures, found, Request(hour_value=Fraction(5), deadline=Fraction(8)))
    assert len(answer.ranked) + len(answer.rejected) == len(found.choices) == 2000
    assert counted[0] <= 2 * 2000
