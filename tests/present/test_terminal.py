"""What commands print: derivations, summaries, findings; harmless, and no larger than what they are about."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.model.figure import Figure, Tallied
from reckon.present.export import COLUMNS, exact, export
from reckon.present.render.numbers import decimal
from reckon.present.terminal import derivation, messages, summary
from reckon.present.terminal.derivation import runs_of
from tests.small import SMALL, plant


def book_of(root: Path, **more: str) -> Book:
    """The book of the small ledger with some files of the demo project in other words."""
    plant(root, {**SMALL, **{f"ledger/demo/{name}.yaml": text for name, text in more.items()}})
    ledger, problems = load(root)
    book, found = calculate(ledger)
    assert problems + found == []
    return book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return book_of(tmp_path)


def lines(book: Book, address: str, page: int = 0) -> list[str]:
    figure = derivation.resolve(book, address)
    assert isinstance(figure, Figure), figure
    return list(derivation.explain(book, figure, page))


def test_a_derivation_goes_down_to_ledger_lines(book: Book) -> None:
    assert lines(book, "demo.plan.train.total") == [
        "demo.plan.train.total = 80 GPU-h   Training: planned total",
        "  gpu_hours × seeds = 40 GPU-h × 2 seeds = 80 GPU-h",
        "  ├─ demo.plan.train.gpu_hours = 40 GPU-h   Training: GPU-hours   ledger/demo/plan.yaml:7",
        "  └─ demo.seeds = 2 seeds   Seeds   ledger/demo/project.yaml:5",
    ]


def test_each_figure_is_expanded_once(book: Book) -> None:
    found = lines(book, "demo.budget.final")
    assert found[0] == "demo.budget.final = 99 GPU-h   Final budget"
    heads = [line.split(" = ")[0].lstrip(" │├└─") for line in found if " = " in line]
    assert heads.count("demo.plan.train.gpu_hours") == 1
    again = [line for line in found if line.endswith("(see above)")]
    assert [line.lstrip(" │├└─").split(" ")[0] for line in again] == ["demo.budget.subtotal"]
    assert found.index(again[0]) == len(found) - 2


def test_a_sum_over_runs_shows_its_files_and_with_a_page_its_runs(book: Book) -> None:
    assert lines(book, "demo.actual.total") == [
        "demo.actual.total = 16.5 GPU-h   Actual",
        "  all runs: 4 in 2 files",
        "  ledger/demo/runs/2026-01.yaml: 2 runs, 13 GPU-h",
        "  ledger/demo/runs/2026-02.yaml: 2 runs, 3.5 GPU-h",
    ]
    assert lines(book, "demo.actual.total", 1)[5:] == [
        "ledger/demo/runs/2026-01.yaml:1  2026-01-02  train  seed 1  completed  10 GPU-h = 4 GPUs × 2.5 h",
        "ledger/demo/runs/2026-01.yaml:2  2026-01-03  train  seed 2  failed  3 GPU-h = 1 GPU × 3 h  2 kWh",
        "ledger/demo/runs/2026-02.yaml:1  2026-02-01  test  completed  1.5 GPU-h  $3",
        "ledger/demo/runs/2026-02.yaml:2  2026-02-02  detour  completed  2 GPU-h",
        "4 runs, page 1 of 1",
    ]
    assert lines(book, "demo.actual.total", 7)[-1] == "4 runs, page 1 of 1"
    assert lines(book, "demo.seeds", 1)[-1] == "This figure counts no runs."


def test_the_runs_shown_are_those_that_were_summed(book: Book) -> None:
    sums = [figure for figure in book.figures.values() if isinstance(figure.origin, Tallied)]
    assert len(sums) > 8
    for figure in sums:
        assert isinstance(figure.origin, Tallied)
        assert len(runs_of(book, figure)) == figure.origin.count, figure.address
    assert len(runs_of(book, book["demo.budget.remaining"])) == 4
    assert [run.item for run in runs_of(book, book["demo.phases.first.actual"])] == ["train", "train", "test"]


def test_pages_of_many_runs(tmp_path: Path) -> None:
    many = "".join(f"- {{item: train, gpu_hours: {n}}}\n" for n in range(250))
    book = book_of(tmp_path, **{"runs/2026-03": many})
    found = lines(book, "demo.actual.total", 2)
    assert found[-1] == "254 runs, page 2 of 3; the next: --runs --page 3"
    assert len([line for line in found if "  train  " in line]) == 100
    assert len(lines(book, "demo.actual.total", 3)) < len(found)


def test_long_chains_and_wide_sums_stay_readable(tmp_path: Path) -> None:
    chain = "f0: {title: First, gb: 1}\n" + "".join(
        f"f{n}: {{title: Next, gb: {{formula: figures.f{n - 1} + figures.f{max(n - 2, 0)} }} }}\n"
        for n in range(1, 2001)
    )
    book = book_of(tmp_path, figures=chain)
    found = lines(book, "demo.figures.f2000")
    assert sum(" = " in line and "f0 = 1 GB" in line for line in found) <= 3
    assert len(found) < 10_000
    assert max(len(line) for line in found) < 1400
    assert any(line.endswith("(see below)") for line in found)
    for number in (1, 999, 2000):
        heads = [line.lstrip(" │├└─") for line in found if "(see" not in line]
        assert sum(head.startswith(f"demo.figures.f{number} = ") for head in heads) == 1


def test_the_end_of_a_range_is_a_figure_too(book: Book) -> None:
    assert lines(book, "demo.plan.train.estimate.high")[:2] == [
        "demo.plan.train.estimate.high = 24 GPU-h   Training: estimate (high)",
        "  its high end",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("demo.budget.finl", "there is no figure `demo.budget.finl`; did you mean `demo.budget.final`"),
        ("budget.finall", "did you mean `demo.budget.final`"),
        ("demo.budget", "`demo.budget` is not a figure itself; below it are `demo.budget.one-time`"),
        ("zzzzzz", "`budget explain --list` shows them all"),
        ("x\x1b[2J\n", r"there is no figure `x\x1b[2J\n`"),
    ],
)
def test_a_wrong_address_gets_help(book: Book, text: str, said: str) -> None:
    found = derivation.resolve(book, text)
    assert isinstance(found, str)
    assert said in found


def test_an_address_that_comes_later_says_with_what(tmp_path: Path) -> None:
    unspent = book_of(tmp_path / "a", **{"runs/2026-01": "[]\n", "runs/2026-02": "[]\n"})
    assert derivation.resolve(unspent, "pace.end") == ("`demo.pace.end` has no value yet: it needs a first run")
    assert derivation.resolve(book_of(tmp_path / "b"), "demo.actual.by_month.2031-05") == (
        "`demo.actual.by_month.2031-05` has no value yet: it needs further runs"
    )


JUDGED = """\
policies:
  spent: {require: actual.total <= 10 gpu_hours, message: Stop.}
  later: {require: actual.by_month.2031-05 <= 5 gpu_hours, message: Stop.}
  each: {require: overrun_share <= 0%, each: phase, message: Stop.}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("policies.spent", "a policy, not a figure: it requires `actual.total <= 10 gpu_hours`; breached ("),
        ("policy-breached:demo.policies.spent", "must be at most 10 GPU-h)"),
        ("demo.policies.later", "unknown (no value of demo.actual.by_month.2031-05)"),
        ("demo.policies.each.first", "met for First phase ("),
        ("policy-breached:demo.policies.nothing", "there is no figure"),
    ],
)
def test_a_policy_is_explained_by_what_it_compares(tmp_path: Path, text: str, said: str) -> None:
    found = derivation.resolve(book_of(tmp_path, project=SMALL["ledger/demo/project.yaml"] + JUDGED), text)
    assert isinstance(found, str)
    assert said in found


def test_a_finding_is_no_figure(tmp_path: Path) -> None:
    book = book_of(tmp_path, project=SMALL["ledger/demo/project.yaml"] + "ceiling: 1\n")
    for rule in ("plan-above-limit", "plan-above-ceiling"):  # an older id of it
        found = f"{rule}:demo.budget.final"
        assert f"`{found}` is a finding" in str(derivation.resolve(book, found))


def test_a_project_can_be_left_out_where_that_is_clear(tmp_path: Path) -> None:
    book = book_of(tmp_path)
    assert derivation.resolve(book, "budget.final") is book["demo.budget.final"]
    assert derivation.resolve(book, "gpus.card.vram_gib") is book["catalog.gpus.card.vram_gib"]
    plant(tmp_path, {name.replace("demo", "twin"): text for name, text in SMALL.items()})
    two, _ = calculate(load(tmp_path)[0])
    assert derivation.resolve(two, "budget.final") == (
        "`budget.final` is in several projects; name one: `demo.budget.final`, `twin.budget.final`"
    )


def test_the_list_of_figures(book: Book) -> None:
    found = list(derivation.listing(book))
    assert len(found) == len(book.figures)
    assert found[0] == "catalog.gpus.card.vram_gib = 24 GiB   Card: VRAM"
    assert list(derivation.listing(book, "actual.by_status")) == [
        "demo.actual.by_status.completed = 13.5 GPU-h   Actual, completed",
        "demo.actual.by_status.failed = 3 GPU-h   Actual, failed",
    ]


JANUARY = SMALL["ledger/demo/runs/2026-01.yaml"]
RUNNING = "- {date: 2026-01-03, item: train, seed: 2, gpu_hours: 1, status: running}\n"
GOES_ON = JANUARY.replace("wall_hours: 3,", "wall_hours: 2,") + RUNNING


def test_the_summary_fits_a_terminal(tmp_path: Path) -> None:
    project = SMALL["ledger/demo/project.yaml"].replace("Demo", "D" * 99)
    found = list(summary.status(book_of(tmp_path, project=project, **{"runs/2026-01": GOES_ON})))
    assert found[0].endswith("…  data to 2026-02-02")
    assert max(len(line) for line in found) <= 80
    assert found[1:] == [
        "WITHIN PLAN.",
        "Done by 2026-05-21 (2026-02-27 to 2027-03-21 in 8 of 10 simulations); forecast",
        "30 GPU-h (19.6 to 68 in 8 of 10 simulations).",
        "Limit         Risk  Left  Size  Runs out",
        "Final budget    5%  82.5    99  the work ends first",
        "GPU-hours     Planned    Spent  Left  Forecast     Done  Ends (planned)",
        "First phase        90     14.5  75.5        28  unknown  2026-05-21",
        "Unplanned           –        2     –         –        –",
        "Contingency         9  2 drawn     7",
        "Final budget       99     16.5  82.5        30  unknown",
        "Final budget: complete unknown without progress of Training, seed 2",
        "Nothing says how much of 1 piece of work is done: its forecast is based on hours",
        "  alone.",
        "5 runs, 12.1% of their hours lost · findings: 1 note",
    ]


def test_the_summary_says_where_it_leads(tmp_path: Path) -> None:
    runs = "- {item: train, seed: 1, gpu_hours: 44}\n- {item: train, seed: 2, gpu_hours: 11, status: running, "
    book = book_of(tmp_path, **{"runs/2026-01": runs + "progress: {done: 1, total: 4}}\n", "runs/2026-02": ""})
    found = list(summary.status(book))
    assert found[1:] == [
        "WITHIN PLAN.",
        "Forecast 98 GPU-h (90 to 109 in 8 of 10 simulations).",
        "Limit         Risk  Left  Size  Runs out",
        "Final budget   47%    44    99  the work ends first",
        "GPU-hours     Planned    Spent  Left  Forecast   Done",
        "First phase        90       55    35        98  55.6%",
        "Contingency         9  4 drawn     5",
        "Final budget       99       55    44        98  55.6%",
        "2 runs · findings: none",
    ]
    assert max(len(line) for line in found) <= 80


def test_a_project_without_runs_says_so(tmp_path: Path) -> None:
    book = book_of(tmp_path, **{"runs/2026-01": "", "runs/2026-02": ""})
    assert "NOT BEGUN: no runs are recorded yet." in summary.status(book)


CLAIM = "- {of: budget.final, states: 990, at: 'Here, 100%: there'}\n"


def test_findings_as_text_json_and_annotations(tmp_path: Path) -> None:
    book = book_of(tmp_path, claims=CLAIM)
    text = list(messages.report(book, [], "text"))
    assert text[:2] == ["demo: none of its own; in the source 1 error", ""]
    assert text[2] == "error in the source: Final budget: 99 GPU-h, not 990 GPU-h"
    assert text[3] == "    claim-contradicted:demo.budget.final"
    assert text[-1] == "    ledger/demo/claims.yaml:1; ledger/demo/plan.yaml:7, 12; ledger/demo/project.yaml:5, 6"
    whole = json.loads("\n".join(messages.report(book, [], "json")))
    assert (whole["format"], whole["problems"]) == (2, [])
    assert [(row["id"], row["follows"]) for row in whole["findings"][0]["rows"]] == [
        ("claim-contradicted:demo.budget.final", False),
    ]
    assert [(one["id"], one["severity"], one["project"]) for one in whole["findings"]] == [
        ("claim-contradicted:demo.budget.final", "error", "demo"),
    ]
    assert whole["findings"][0]["places"][0] == {"file": "ledger/demo/claims.yaml", "line": 1, "column": 3}
    (line,) = messages.report(book, [], "github", "sub/")
    assert line.startswith(
        "::error file=sub/ledger/demo/claims.yaml,line=1,col=3,"
        "title=in the source%3A Final budget%3A 99 GPU-h%2C not 990 GPU-h "
        "[claim-contradicted%3Ademo.budget.final]::"
        "stated 990 GPU-h (Here, 100%25: there), calculated 99 GPU-h"
    )
    assert "%0A" in line
    assert "\n" not in line


def test_what_follows_from_a_stated_figure_is_named(tmp_path: Path) -> None:
    """90 hours are stated as 900, and with a tenth on top that is 990."""
    claims = f"- {{of: budget.subtotal, states: 900, at: Table}}\n{CLAIM}"
    text = list(messages.report(book_of(tmp_path, claims=claims), [], "text"))
    assert text[-1] == "    follows: Final budget: 99 GPU-h, not 990 GPU-h"


def test_nothing_in_a_ledger_acts_on_a_terminal_or_as_an_annotation(tmp_path: Path) -> None:
    nasty = '"Train\\x1b[31m\\n::error::x\\r\\u202e"'
    book = book_of(
        tmp_path, plan=SMALL["ledger/demo/plan.yaml"].replace("title: Training", f"title: {nasty}"), claims=CLAIM
    )
    told = [*derivation.listing(book), *lines(book, "budget.final"), *summary.status(book)]
    for form in ("text", "github"):
        told += messages.report(book, [], form)
    assert not any(set(line) & set("\x1b\n\r\u202e") for line in told)
    assert not any(line.startswith("::error::x") for line in told)


@pytest.mark.parametrize("title", ["Train", "Training and evaluation of the multilingual baseline models"])
def test_a_status_without_days_has_room_for_any_title(tmp_path: Path, title: str) -> None:
    """Few days of data give no dates, and the column of dates is left out."""
    plan = f"train: {{title: {title}, items: {{run: {{title: Run, scope: one-time, gpu_hours: 100}}}}}}\n"
    book = book_of(
        tmp_path,
        plan=plan,
        **{"runs/2026-01": "- {date: 2026-01-06, item: run, gpu_hours: 6}\n", "runs/2026-02": "[]\n"},
    )
    told = list(summary.status(book, ["demo"]))
    assert any(line.startswith(title[:20]) for line in told)
    assert not any("Ends (planned)" in line for line in told)


def test_problems_are_told_by_place_and_counted(tmp_path: Path) -> None:
    plant(tmp_path, {**SMALL, "ledger/demo/project.yaml": "title: D\nversion: 1\nas_of: never\ngpu: cart\nseedz: 3\n"})
    _, problems = load(tmp_path)
    found = list(messages.list_problems(reversed(problems)))
    assert [line.split(": ")[0] for line in found[:-1]] == sorted(str(one.place) for one in problems)
    assert len(problems) > 1
    assert found[-1] == f"{len(problems)} problems in {len({one.place.file for one in problems})} files"
    whole = json.loads("\n".join(messages.report(Book(load(tmp_path)[0], {}), problems, "json")))
    assert whole["problems"][0].keys() == {"file", "line", "column", "code", "wrong", "right"}


def test_exact_numbers() -> None:
    cases = {
        "1335": 1335,
        "200.25": Fraction(801, 4),
        "-0.5": Fraction(-1, 2),
        "1/3": Fraction(1, 3),
        "0": 0,
        "0.00001": Fraction(1, 10**5),
        "-47/3": Fraction(-47, 3),
        "0.0009765625": Fraction(1, 1024),
    }
    assert {exact(Fraction(number)): number for number in cases.values()} == cases
    assert all(Fraction(text) == number for text, number in cases.items())
    assert exact(None) is None


@pytest.mark.parametrize(
    ("number", "said"),
    [
        ("68/3", "22.67"),
        ("2/3", "0.6667"),
        ("17/3", "5.667"),
        ("10001/3", "3,333.67"),
        ("5/1000000", "0.000005"),
        ("103079215104/10000000000", "10.3079215104"),
        ("45", "45"),
    ],
)
def test_stated_numbers_have_all_their_digits_or_four_where_they_never_end(number: str, said: str) -> None:
    assert decimal(Fraction(number)) == said


PASSED = """\
- {date: 2026-01-05, item: train, seed: 1, gpu_hours: 60, progress: {done: 1, total: 2}}
- {date: 2026-01-20, item: train, seed: 2, gpu_hours: 50, progress: {done: 1, total: 2}}
"""


def test_what_is_passed_is_told_as_passed(tmp_path: Path) -> None:
    """110 of 90 and 9 and of a ceiling of 105; 50 of a grant of 40, and 60 of another that ended after one run."""
    old = GRANT.replace("g:", "h:").replace("Grant", "Old").replace("40", "148").replace("2026-03-02", "2026-01-06")
    new = GRANT.replace("2026-01-03", "2026-01-07")
    plant(tmp_path, {"ledger/allocations.yaml": new + old})
    project = SMALL["ledger/demo/project.yaml"] + "ceiling: 105\n"
    book = book_of(tmp_path, project=project, **{"runs/2026-01": PASSED, "runs/2026-02": "[]\n"})
    found = list(summary.status(book))
    assert found[1:] == [
        "OVER CEILING: 110 GPU-h are charged, the ceiling is 105 GPU-h.",
        "Done by 2026-02-05 (2026-02-02 to 2026-02-08 in 8 of 10 simulations); forecast",
        "214 GPU-h (199 to 234 in 8 of 10 simulations).",
        "Limit           Risk  Left  Size  Runs out",
        "Final budget  passed   −11    99  passed on 2026-01-20",
        "Ceiling       passed    −5   105  passed on 2026-01-20",
        "Grant         passed   −10    40  overdrawn since 2026-01-20; last day",
        "                                  2026-03-02",
        "Old                –     0   148  ended; last day 2026-01-06, 88 unused",
        "GPU-hours     Planned     Spent  Left  Forecast   Done  Ends (planned)",
        "First phase        90       110   −20       214  44.4%  2026-02-05",
        "Contingency         9  30 drawn   −21",
        "Final budget       99       110   −11       214  44.4%",
        "2 runs · findings: 1 error",
    ]
    assert max(map(len, found)) <= 80


def test_exports_hold_every_figure(book: Book) -> None:
    import io

    import pandas

    rows = json.loads(export(book, "json"))["figures"]
    assert [row["address"] for row in rows] == list(book.figures)
    assert all(tuple(row) == COLUMNS for row in rows)
    by = {row["address"]: row for row in rows}
    assert by["demo.plan.train.estimate"] | {"title": ""} == {
        "address": "demo.plan.train.estimate",
        "title": "",
        "low": "12",
        "use": "18",
        "high": "24",
        "unit": "GPU-h",
        "text": "12–24 GPU-h",
        "formula": "epochs × hours_per_epoch × gpus",
        "lines": ["ledger/demo/plan.yaml:8"],
        "missing": [],
    }
    assert by["demo.actual.total"]["lines"] == ["ledger/demo/runs/2026-01.yaml", "ledger/demo/runs/2026-02.yaml"]
    table = pandas.read_csv(io.StringIO(export(book, "csv")), dtype=str, keep_default_na=False)
    assert list(table.columns) == list(COLUMNS)
    assert table["use"].tolist() == [row["use"] or "" for row in rows]


GRANT = "g: {title: Grant, gpu: card, gpu_hours: 40, since: 2026-01-03, until: 2026-03-02, projects: [demo]}\n"
PRICES = "cloud: {title: Cloud, usd_per_gpu_hour: {card: 2}}\n"
POLICIES = """\
prices: [cloud]
policies:
  total: {require: actual.total <= 20 gpu_hours, message: Stop.}
  kept: {require: contingency.left_share >= 90%, message: Ask for more., severity: warning}
  late: {require: performance.cpi >= 90%, message: Look at the plan.}
"""


def test_the_summary_tells_limits_money_policies_and_grants(tmp_path: Path) -> None:
    plant(tmp_path, {"ledger/allocations.yaml": GRANT, "ledger/catalog/prices.yaml": PRICES})
    book = book_of(tmp_path, project=SMALL["ledger/demo/project.yaml"] + POLICIES, **{"runs/2026-01": GOES_ON})
    found = list(summary.status(book, ["demo"], items=True))
    # 3 dollars are stated for 1.5 hours; the other 15 cost 30. The grant began after the first run: 3 + 1.5 + 2 of 40
    # hours.
    assert found[1:] == [
        "POLICY BREACHED: “kept”: contingency left, share is 77.8% and must be at least",
        "90%.",
        "Done by 2026-05-21 (2026-02-27 to 2027-03-21 in 8 of 10 simulations); forecast",
        "30 GPU-h (19.6 to 68 in 8 of 10 simulations).",
        "  First phase: done by 2026-05-21 (2026-02-27 to 2027-03-21 in 8 of 10",
        "    simulations)",
        "Limit         Risk  Left  Size  Runs out",
        "Final budget    5%  82.5    99  the work ends first",
        "    risk 40% before any run",
        "Grant          19%  33.5    40  last day 2026-03-02",
        "  Grant: charged 6.5; share used 16.2%; promised ≥ 0; work to do 39; short by",
        "    5.5 GPU-h, P50 0, P90 18; at the end, p50 (p10–p90) 20 (9.6–58); pace that",
        "    uses it up 1.2",
        "GPU-hours     Planned    Spent  Left  Forecast     Done  Ends (planned)",
        "First phase        90     14.5  75.5        28  unknown  2026-05-21",
        "  Training         80       13    67         –  unknown",
        "  ↳ seed 1         40       10    30         –     100%",
        "  ↳ seed 2         40        3    37         –  unknown",
        "  Testing          10      1.5   8.5         –     100%",
        "Unplanned           –        2     –         –        –",
        "Contingency         9  2 drawn     7",
        "Final budget       99     16.5  82.5        30  unknown",
        "Final budget: complete unknown without progress of Training, seed 2",
        "Nothing says how much of 1 piece of work is done: its forecast is based on hours",
        "  alone.",
        "5 runs, 12.1% of their hours lost · $33.00 spent of $198; forecast $60.00",
        "  ($39.00 to $133) · 1 policy met; 1 breached: kept; 1 unknown: late · findings:",
        "  1 error, 1 warning, 1 note",
        "The forecast includes 2 GPU-h lost to failed runs.",
        "Pace: 0.1 GPU-h/d",
        "What is done is known from stated progress (2).",
    ]
    assert max(map(len, found)) <= 80


def test_the_unit_of_an_allocation_is_not_cut(tmp_path: Path) -> None:
    grant = f"{{title: {'Grant ' * 9}, units: 40, charge: {{unit: node-hours, gpus_per_unit: 4}}, projects: [demo]}}"
    book = book_of(tmp_path, **{"../allocations": f"g: {grant}\n"})
    found = list(summary.status(book))
    assert next(line for line in found if "Grant" in line).startswith("Grant Grant Grant Grant G…, in node-hours ")
    assert max(map(len, found)) <= 80
