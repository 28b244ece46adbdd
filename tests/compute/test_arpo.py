# ruff: noqa: E501 (tables read better unbroken)
"""The ledger of ARPO, worked out by hand from its two sources; what they state, held against it."""

from __future__ import annotations

import shutil
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import pytest

from reckon.compute.book import Book
from reckon.compute.calculation import calculate
from reckon.compute.statements.text_blocks import Saying
from reckon.load.reader import load
from reckon.model.figure import Figure
from reckon.model.finding_groups import by_cause
from reckon.present.render.numbers import format_sentence, told_text

ROOT = Path(__file__).resolve().parents[2]
ROWS = "ledger/arpo/measurements.yaml"

# Seconds of the four requests: 2821 + 0.21 + 0.03 and so on.
WHOLE = (F("2821.24"), F("3099.10"), F("3279.11"), F("5294.10"))
MEAN = F("14493.55") / 4  # 3623.3875


def read(root: Path) -> Book:
    ledger, problems = load(root)
    found, more = calculate(ledger)
    assert problems + more == []
    return found


@cache
def book() -> Book:
    return read(ROOT)


def use(address: str, of: Book | None = None) -> F:
    found = (of or book())[f"arpo.{address}"].use
    assert found is not None
    return found


def span(address: str, of: Book | None = None) -> tuple[F | None, F | None]:
    value = (of or book())[f"arpo.{address}"].value
    return value.low, value.high


def near(address: str, number: str, of: Book | None = None) -> None:
    digits = len(number.partition(".")[2])
    assert f"{float(use(address, of)):.{digits}f}" == number


# Sums over four, as 0.21 + 0.07 + 0.08 + 0.08 = 0.44.
@pytest.mark.parametrize(
    ("column", "mean"),
    [
        ("tokenization_seconds", F("0.44") / 4),
        ("input_tokens", 786),
        ("generation_seconds", F(14493, 4)),
        ("output_tokens", F(377, 4)),
        ("decoding_seconds", F("0.11") / 4),
        ("total_seconds", MEAN),
    ],
)
def test_averages(column: str, mean: object) -> None:
    assert use(f"measurements.cpu-requests.{column}.mean") == mean


def test_the_spread_of_four_requests() -> None:
    # Deviations from 3623.3875: -802.1475, -524.2875, -344.2775, 1670.7125. Their squares sum to 3,828,125;
    # over 3 that is 1,276,042, whose root is 1129.62. Half of it is the standard error, 564.81; t(3) is 3.182446.
    near("measurements.cpu-requests.total_seconds.sd", "1129.62")
    near("measurements.cpu-requests.total_seconds.median", "3189.105")
    low, high = span("measurements.cpu-requests.seconds_per_step")
    assert low is not None
    assert high is not None
    assert (round(float(low), 1), round(float(high), 1)) == (1825.9, 5420.9)


def test_shares_are_of_the_whole() -> None:
    assert use("measurements.cpu-requests.generation_seconds.share") == F("14493") / F("14493.55")
    assert use("measurements.cpu-requests.tokenization_seconds.share") == F("0.44") / F("14493.55")
    assert book().words["arpo.measurements.cpu-requests.bottleneck"].id == "generation_seconds"


# 8 tasks x 1 rollout x 10 steps x 5 epochs; 8 side by side are one batch; 128 x 8 / 256 = 4 batches of 10 steps.
@pytest.mark.parametrize(
    ("address", "count"),
    [
        ("small.steps_per_task", 10),
        ("small.steps_per_epoch", 80),
        ("small.steps", 400),
        ("small-parallel.batched_steps_per_epoch", 10),
        ("small-parallel.batched_steps", 50),
        ("paper-serial.steps", 153_600),
        ("paper.batched_steps_per_epoch", 40),
        ("paper.batched_steps", 600),
    ],
)
def test_steps(address: str, count: int) -> None:
    assert use(f"projections.{address}") == count


def test_the_small_run_on_the_cpu_is_reckoned_from_the_unrounded_mean() -> None:
    at = "projections.small.cpu-requests"
    assert use(f"{at}.hours_per_task") == 10 * MEAN / 3600
    assert use(f"{at}.hours_per_epoch") == 80 * MEAN / 3600
    assert use(f"{at}.hours") == 400 * MEAN / 3600  # 402.6 h, where 60 minutes a step give 400
    near(f"{at}.hours", "402.6")


@pytest.mark.parametrize(
    ("address", "low", "high"),
    [
        # steps x seconds / 3600
        ("projections.small.a40-expected.hours", F(400 * 2, 3600), F(400 * 5, 3600)),
        ("projections.small.a100-estimated.hours", F(400 * 3, 3600), F(400 * 5, 3600)),
        ("projections.small-parallel.a100-batch-estimated.hours", F(50 * 5, 3600), F(50 * 10, 3600)),
        ("projections.paper.a100-x8-7b-estimated.hours", F(600 * 5, 3600), F(600 * 10, 3600)),
        # what the report expects of 7B: 400 x 5-10 s
        ("projections.small-7b-expected.a40-7b-expected.hours", F(400 * 5, 3600), F(400 * 10, 3600)),
        # 7B for 2B, in proportion: 3-5 s become 10.5-17.5 s
        ("projections.paper-serial.a100-estimated.hours", F(153_600 * 21, 7200), F(153_600 * 35, 7200)),
        ("projections.small-7b.a40-expected.seconds_per_step", 7, F(35, 2)),
        # hours x 8 GPUs x dollars
        ("projections.paper.a100-x8-7b-estimated.costs.vast-arpo-2026-01.usd", 10, 20),
        ("projections.paper.a100-x8-7b-estimated.usd", 10, F(600 * 10 * 8, 3600) * F("1.99")),
        ("projections.small.a100-estimated.costs.runpod-2026-01.usd", F("0.63"), F("1.05")),
        ("projections.small.a100-estimated.usd", F("0.50"), F(2000, 3600) * F("1.99")),
        # one ratio, from the mean alone
        ("figures.speedup-a100", MEAN / 5, MEAN / 3),
        ("figures.speedup-a40", MEAN / 5, MEAN / 2),
        ("figures.a100-parts", 2, F("5.2")),
        ("figures.cores", F(6912, 10), F(6912, 8)),
        ("figures.compute-sustained", 1000, 2000),
    ],
)
def test_ranges(address: str, low: object, high: object) -> None:
    assert span(address) == (low, high)


def test_bounds() -> None:
    # Two operations x 2B parameters x (786 + 94.25) tokens are 3.521 TFLOP; at 0.1 TFLOP/s 35.21 s. Weights of 8 GB for
    # each of 94.25 tokens at 100 GB/s are 7.54 s, more than the 3.77 s of their arithmetic: 31.44 + 7.54 = 38.98 s.
    at = "bounds.request.cpu-requests"
    assert use(f"{at}.tflop") == F("3.521")
    assert use(f"{at}.compute_seconds") == F("35.21")
    assert use(f"{at}.decode_bandwidth_seconds") == F("7.54")
    assert use(f"{at}.seconds") == F("38.98")
    assert use(f"{at}.effective_gflops") == 3521 / MEAN  # 0.97, not 100
    near(f"{at}.times_bound", "93.0")
    # On an A100: 3.144 / 312 s, and 94.25 x 4 GB / 2,039 GB/s. The CPU's 38.98 s over that:
    a100 = F("3.144") / 312 + F("94.25") * 4 / 2039
    assert use("bounds.request.a100-estimated.seconds") == a100
    assert use("bounds.request.a100-estimated.speedup") == F("38.98") / a100


def test_the_arithmetic_of_the_report() -> None:
    assert use("figures.report-operations") == 256
    assert use("figures.report-least-time") == F("2.56")


def test_named_figures() -> None:
    assert use("figures.compute-fp32") == 195
    assert use("figures.compute-bf16") == 3120
    assert use("figures.bandwidth") == F("20.39")
    assert use("figures.cpu-tokens-per-second") == F(377, 14493)
    assert use("figures.parameters") == F(7, 2)
    # Money is held against all listed offers: 15 h x 8 x $1.50 to $1.99; 50 h x $1.50 to 100 h x $1.99.
    assert span("projections.small.a100-estimated.usd_per_gpu_hour") == (F("1.50"), F("1.99"))
    assert span("figures.cost-of-stated-hours-x8") == (180, F("238.8"))
    assert span("figures.cost-of-stated-hours-x1") == (75, 199)
    assert span("figures.cost-of-reported-hours") == (60, F("238.8"))


def test_by_its_own_ten_seconds_the_stated_run_of_the_paper_takes_longer() -> None:
    # 400 x 10 s x 15 are 60,000 s; 1-2 h at $1.50 to $1.99.
    assert use("figures.hours-of-stated-steps") == F(60_000, 3600)
    assert span("figures.cost-with-overhead") == (F("1.50"), F("3.98"))


def test_words() -> None:
    words = book().words
    assert words["arpo.projections.small.a100-estimated.cheapest"].id == "vast-arpo-2026-01"
    assert words["arpo.projections.paper.a100-x8-7b-estimated.reported"].id == "outside"


# Contradictions found by hand in the sources, before the ledger was written, and the finding that tells each.
BY_HAND = {
    "256 billion operations at 100 GFLOPS take 2,500 s": "claim-contradicted:arpo.figures.report-least-time",
    "batching, an optimisation, up to 85 min beside 35": "order-contradicted:arpo.projections.small-parallel.a100-batch-estimated.hours",
    "the A100 sustains 100-200 TFLOPS": "claim-contradicted:arpo.bounds.request.a100-estimated.effective_gflops",
    "the CPU sustains 100 GFLOPS": "claim-contradicted:arpo.bounds.request.cpu-requests.effective_gflops.use",
    "a time-out of 30 minutes": "setting-contradicted:arpo.levers.client-timeout.sets.client_timeout#timeout",
    "a cap that limits the output": "setting-contradicted:arpo.configurations.cpu-test.settings.max_output_tokens#unreached",
    "a history reduced from 5 to 15": "setting-contradicted:arpo.levers.history.sets.history_images#increase",
    "a history of 5, and of 15": "setting-contradicted:arpo.levers.history.sets.history_images#configuration",
    "temperature beside greedy decoding": "setting-contradicted:arpo.levers.greedy.sets.decoding#sampling",
    "60 min to 2-5 s is 100-200x": "claim-contradicted:arpo.figures.speedup-a40",
    "100-200x and 1,000x": "stated-differently:arpo.figures.speedup-a40",
    "720-1,200x, 700-1,200x": "stated-differently:arpo.figures.speedup-a100",
    "a task gains 720x": "claim-contradicted:arpo.figures.speedup-a100",
    "100-200x the compute": "claim-contradicted:arpo.figures.compute-bf16",
    "15-35 minutes from rounded epochs": "claim-contradicted:arpo.projections.small.a40-expected.hours",
    "15-35 minutes and 5-10 hours": "stated-differently:arpo.projections.small.a40-expected.hours",
    "20-35 minutes from rounded epochs": "claim-contradicted:arpo.projections.small.a100-estimated.hours",
    "600 minutes a task": "claim-contradicted:arpo.projections.small.cpu-requests.hours_per_task.use",
    "80 hours an epoch": "claim-contradicted:arpo.projections.small.cpu-requests.hours_per_epoch.use",
    "400 hours": "claim-contradicted:arpo.projections.small.cpu-requests.hours.use",
    "3,600 s measured": "claim-contradicted:arpo.measurements.cpu-requests.generation_seconds.mean.use",
    "7B takes 5-10 s": "claim-contradicted:arpo.projections.small-7b.a40-expected.seconds_per_step",
    "50-100 steps an epoch": "claim-contradicted:arpo.projections.small-parallel.batched_steps_per_epoch",
    "20-85 minutes in parallel": "claim-contradicted:arpo.projections.small-parallel.a100-batch-estimated.hours",
    "128 x 8 x 10 / 256 = 400": "claim-contradicted:arpo.projections.paper.batched_steps_per_epoch",
    "4,000 s an epoch": "claim-contradicted:arpo.projections.paper.a100-x8-7b-estimated.hours_per_epoch",
    "15 hours": "claim-contradicted:arpo.projections.paper.a100-x8-7b-estimated.hours",
    "400 x 10 s x 15 are 16.7 hours, not 15": "claim-contradicted:arpo.figures.hours-of-stated-steps",
    "20-35 minutes are recommended, 1-2 h realistic": "order-contradicted:arpo.figures.parallel-overhead",
    "the paper's 5-15 hours match": "reported-apart:arpo.projections.paper.a100-x8-7b-estimated.reported",
    "$120-160 for 15 hours on eight": "claim-contradicted:arpo.figures.cost-of-stated-hours-x8",
    "$120-160, and $150-200": "stated-differently:arpo.figures.cost-of-stated-hours-x8",
    "RunPod is the cheapest": "claim-contradicted:arpo.projections.small.a100-estimated.cheapest",
}


# What the second reading of the findings took away, and why it was no finding.
GONE = {
    "claim-contradicted:arpo.bounds.": "our count of operations against the report's own",
    "input-missing:": "50-100 h on one A100 rest on nothing that is stated",
    "claim-contradicted:arpo.measurements.a100-batch-estimated.": "30-60 s are of eight whole tasks as well as of a call",
    "claim-contradicted:arpo.figures.lowest-price": "$0.50 is of no card in particular",
    "claim-contradicted:arpo.projections.paper.a100-x8-7b-estimated.usd": "the cost rests on the stated hours, not on ours",
    "text-left-out:": "the page says what is so",
    "claim-contradicted:arpo.figures.slower-7b": "3 times lies above the bound of 150+ min, over 60",
    "claim-contradicted:arpo.projections.small.a100-estimated.usd": "$1-2 of $0.50-1.11 is in whole dollars",
}


@pytest.mark.parametrize("start", GONE)
def test_what_is_no_finding_is_not_found(start: str) -> None:
    rate = "effective_gflops"  # 1 GFLOP/s on the CPU, 0.7 to 1.2 TFLOP/s on the A100, by any count
    assert not [found.id for found in book().findings["arpo"] if found.id.startswith(start) and rate not in found.id]


def test_money_disagrees_with_all_listed_offers() -> None:
    held = {
        str(check.claim.at): check.kind for check in book().checks["arpo"] if "cost-of-stated" in check.figure.address
    }
    assert set(held.values()) == {
        "contradicted",
        "narrower",
    }  # eight A100 for 15 h take $180 at least, one A100 for 50 h takes $75 to $100
    assert len(held) == 5


def test_each_cause_is_one_entry() -> None:
    groups = [group for group in by_cause(book().findings["arpo"]) if not group.remark]
    ids = [group.lead.id for group in groups]
    assert len(ids) == len(set(ids)) == 17
    batched = next(group for group in groups if "small-parallel.batched_steps_per_epoch" in group.lead.id)
    assert [found.subject.rpartition(".")[2] for found in batched.members] == ["batched_steps_per_epoch"]
    assert "claim-contradicted:arpo.projections.small-parallel.a100-batch-estimated.hours" in [
        found.id for found in batched.following
    ]  # five epochs of the 4-17 min that 50-100 steps give
    assert "order-contradicted:arpo.projections.small-parallel.a100-batch-estimated.hours" in [
        found.id for found in batched.following
    ]  # with 10 steps an epoch, batching takes less, as it is said to
    paper = next(group for group in groups if "paper.batched_steps_per_epoch" in group.lead.id)
    assert {
        "claim-contradicted:arpo.projections.paper.a100-x8-7b-estimated.hours",
        "reported-apart:arpo.projections.paper.a100-x8-7b-estimated.reported",
    } < {found.id for found in paper.following}, "~15 h are 15 epochs of the hour that 400 steps take"
    small = next(group for group in groups if "small.a40-expected.hours" in group.lead.id)
    assert (
        format_sentence(small.title)
        == "Small run, A40 or RTX A6000 (expected), wall-clock time: 0.2–0.6 h, not ~5–10 h"
    )
    rates = [group for group in groups if "effective_gflops" in group.lead.id]
    assert [group.severity for group in rates] == ["note", "note"], "rates of the hardware, of the CPU and of the A100"
    assert [format_sentence(group.lead.remedy) for group in rates] == [
        f"Say that it is the rate of the {what}, not that of a request. Do not predict the time of a request from it."
        for what in ("CPU", "card")
    ]
    history = next(group for group in groups if group.lead.id.endswith("#increase"))
    assert [found.id for found in history.following] == [history.lead.id.replace("#increase", "#configuration")]


def test_what_its_documents_say_is_counted_in_the_source() -> None:
    ours = {found.id for found in book().findings["arpo"] if not found.of_source and not found.remark}
    assert ours == set()


def test_a_range_without_a_stated_middle_stands_alone() -> None:
    at = "arpo.projections.small.a100-estimated"
    assert told_text(book()["arpo.figures.paper-hours"]) == "5–15 h"
    assert told_text(book()[f"{at}.usd"]) == "$0.50–1.11"
    assert told_text(book()[f"{at}.speedup"]) == "906× (365–1,807×)", "the CPU was measured, and has a mean"


def test_only_what_rests_on_our_assumption_is_a_remark() -> None:
    remarks = {found.id: found.severity for found in book().findings["arpo"] if found.remark}
    assert remarks == {
        "claim-contradicted:arpo.projections.small-7b.a40-expected.seconds_per_step": "note"
    }  # our exponent


@pytest.mark.parametrize(
    ("address", "severity"),
    [
        ("projections.small.cpu-requests.hours_per_task.use", "note"),  # 600 min are 10 steps of 60 min, of 60.4
        (
            "projections.small.a40-expected.hours",
            "note",
        ),  # 15-35 min are five epochs of 3-7 min, which are rounded
        ("projections.small.a100-estimated.hours", "note"),  # 20-35 min, of 20-33.3: five epochs of 4-7 min
        ("figures.compute-bf16", "note"),  # 100-200x of 3,120x, in one line with another figure that is 100-200x
        (
            "measurements.cpu-requests.generation_seconds.mean.use",
            "note",
        ),  # 3600 of 3623 s, where 60 min is stated beside it
        ("figures.speedup-a100#4", "note"),  # 700-1200x of 725-1208x: rounded to hundreds
    ],
)
def test_no_figure_excuses_another_but_by_its_formula(address: str, severity: str) -> None:
    (found,) = (one for one in book().findings["arpo"] if one.id == f"claim-contradicted:arpo.{address}")
    assert (found.severity, found.remark, found.follows) == (severity, False, False)


def test_the_page_has_all_values_of_one_figure_with_their_places() -> None:
    page = (ROOT / "docs/arpo/findings.md").read_text("utf-8")
    assert (
        "Stated in ARPO CPU performance report as &#126;15–35 min (Time estimates, GPU), &#126;5–10 h (Recomm" in page
    )


def test_prices_of_which_one_names_no_provider_are_not_told_apart() -> None:
    """$1.50 here, at Vast.ai; the $1.80 that phase 2 rests on is in a table of its source that names no provider."""
    prices = [
        str(book()[f"catalog.prices.{name}.usd_per_gpu_hour.a100-80gb"].use)
        for name in ("vast-arpo-2026-01", "phase2-table-2026-01")
    ]
    assert prices == ["3/2", "9/5"]
    assert [
        one.id
        for some in book().findings.values()
        for one in some
        if "catalog.prices" in one.subject and one.rule == "stated-differently"
    ] == []


@pytest.mark.parametrize("finding", BY_HAND.values(), ids=BY_HAND.keys())
def test_what_was_found_by_hand_is_found(finding: str) -> None:
    assert finding in [one.id for one in book().findings["arpo"]]


def test_nothing_is_found_that_was_not_found_by_hand() -> None:
    """Later statements of the same figure are numbered; they are no further contradictions, nor are costs that follow."""
    known = {one.partition(":")[2].partition("#")[0] for one in BY_HAND.values()}
    following = {
        "arpo.figures.speedup-generation",  # 3,600 s once more
        "arpo.figures.a100-parts",  # 3-5 s, of 2 to 5.2
        "arpo.figures.cost-of-stated-hours-x1",  # $95-200, of $75 to $199
        "arpo.measurements.cpu-requests.generation_seconds.share",  # 99.99% is 99.996% cut off
        "arpo.measurements.cpu-requests.rows.2.total_seconds",  # 51.6 min of 51.652
        "arpo.measurements.cpu-requests.rows.3.total_seconds",  # 54.6 min of 54.652
        "arpo.projections.small-parallel.a100-batch-estimated.hours_per_epoch",
        *(
            f"arpo.projections.small.a100-estimated.costs.{one}.usd"
            for one in ("runpod-2026-01", "lambda-labs-2026-01", "vast-arpo-2026-01")
        ),
    }
    found = {one.id.partition(":")[2].partition("#")[0] for one in book().findings["arpo"]}
    assert found - known - following == set()


def test_slips_are_named_only_where_they_explain() -> None:
    slips = {one.figure.address.removeprefix("arpo."): one.slip for one in book().checks["arpo"] if one.slip}
    assert slips.pop("projections.paper.batched_steps_per_epoch") == "it is exactly ten times too high"
    assert slips.pop("figures.report-least-time") == "it is off by a factor of 1,000 (a unit prefix)"
    mean = slips.pop("measurements.cpu-requests.generation_seconds.mean.use")
    assert mean == "it is 60 min in another unit"
    assert not [slip for slip in slips.values() if "left out" in slip]


def quoted(page: str) -> set[str]:
    """Addresses of the figures that the texts of a page quote."""
    found: set[str] = set()
    for said in book().texts["arpo"]:
        parts = said.parts.values() if isinstance(said.parts, dict) else said.parts
        if str(said.passage.page) == page:
            sayings: list[Saying] = [said.text, *parts]
            found |= {one.address for saying in sayings for one in saying if isinstance(one, Figure)}
    return found


def test_both_pages_quote_one_figure_for_one_thing() -> None:
    both = [quoted("cpu-report"), quoted("gpu-estimates")]
    for thing in ("projections.small.cpu-requests.hours", "projections.small.a100-estimated.hours"):
        found = [{one.removesuffix(".use") for one in page if one.startswith(f"arpo.{thing}")} for page in both]
        assert f"arpo.{thing}" in found[0] & found[1]
    pages = book().ledger.projects["arpo"].project.pages
    shown = [{address for rows in page.sections.values() for address in rows} for page in pages.values()]
    every = [address for some in shown for address in some]
    assert every.count("measurements.cpu-requests") == every.count("bounds.request") == 1, "details of one page"
    assert {"projections.small", "projections.small.result"} <= set(every)


# ---- A fifth request, of 25 minutes: 16,000 s of generation in all.

FIFTH = "{tokenization_seconds: 0.10, input_tokens: 786, generation_seconds: 1507, output_tokens: 93, decoding_seconds: 0.03}"


@pytest.fixture(scope="module")
def more(tmp_path_factory: pytest.TempPathFactory) -> Book:
    root = tmp_path_factory.mktemp("fifth")
    shutil.copytree(ROOT / "ledger", root / "ledger")
    file = root / ROWS
    text = file.read_text("utf-8")
    last = next(line for line in text.splitlines() if "5294" in line)
    file.write_text(text.replace(last, f"{last}\n    - {FIFTH}"), "utf-8")
    return read(root)


def test_a_fifth_request_changes_averages_and_spread(more: Book) -> None:
    at = "measurements.cpu-requests"
    assert use(f"{at}.generation_seconds.mean", more) == 3200
    assert use(f"{at}.output_tokens.mean", more) == 94
    assert use(f"{at}.total_seconds.mean", more) == F("16000.68") / 5  # 3200.136
    assert use(f"{at}.generation_seconds.median", more) == 3099
    # Deviations: -378.896, -101.036, 78.974, 2093.964, -1693.006; squares sum to 7,410,962, over 4 the root is 1361.15;
    # over the root of 5 that is 608.73; t(4) is 2.776445.
    near(f"{at}.total_seconds.sd", "1361.15", more)
    low, high = span(f"{at}.seconds_per_step", more)
    assert low is not None
    assert high is not None
    assert (round(float(low)), round(float(high))) == (1510, 4890)


def test_a_fifth_request_changes_projections_and_speedups(more: Book) -> None:
    mean = F("16000.68") / 5
    assert use("projections.small.cpu-requests.hours", more) == mean * 400 / 3600  # 355.6 h
    assert span("figures.speedup-a100", more) == (mean / 5, mean / 3)  # 640 to 1,067
    assert use("projections.small.a100-estimated.speedup", more) == mean / 4
    assert use("projections.small-7b.cpu-requests.hours", more) == mean * F(7, 2) * 400 / 3600


def test_a_fifth_request_changes_verdicts(more: Book) -> None:
    # One of five is answered within the time-out of 30 minutes; the mean is no longer what the report states.
    stands = {one.name: one.stands for one in more.texts["arpo"]}
    before = {one.name: one.stands for one in book().texts["arpo"]}
    assert (before["optimisations-timeout"], stands["optimisations-timeout"]) == (True, False)
    assert before["no-training-here"]
    assert stands["no-training-here"]
    held = {str(one.claim.at): one.holds for one in more.checks["arpo"]}
    assert not held["Measured performance, average, generation_seconds"]


def test_another_time_on_the_a100_changes_costs_on_both_pages(tmp_path: Path) -> None:
    """The CPU costs nothing, so costs follow from the requests of the GPU: measured, 4 s take the place of 3-5 s."""
    shutil.copytree(ROOT / "ledger", tmp_path / "ledger")
    file = tmp_path / ROWS
    text = file.read_text("utf-8")
    assert text.count("seconds_per_step: 3-5\n") == 1
    file.write_text(text.replace("seconds_per_step: 3-5\n", "seconds_per_step: 4\n"), "utf-8")
    found = read(tmp_path)
    hours = F(1600, 3600)
    assert span("projections.small.a100-estimated.usd", found) == (hours * F("1.50"), hours * F("1.99"))
    assert span("figures.speedup-a100", found) == (MEAN / 4, MEAN / 4)
