"""What `cover` reads out of a document: numbers with their units, ranges and bounds, and what names them."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reckon.compute.cover.coverage import list_numbers
from reckon.compute.cover.document import read_document
from reckon.compute.cover.printed import Number
from reckon.language.units import CURRENCIES

TIME, GPU_TIME, DATA = (("time", 1),), (("gpu", 1), ("time", 1)), (("data", 1),)
RATE = (("money:usd", 1), ("time", -1))
MONTHLY = (("money:usd", 1), ("month", -1))
EURO = (("money:eur", 1),)


def read(text: str) -> list[Number]:
    return list(list_numbers([read_document(text, "doc.md")]))


class Seen(NamedTuple):
    shown: str
    kinds: tuple[tuple[str, int], ...]
    ends: tuple[float, ...]


def see(text: str) -> list[Seen]:
    return [Seen(each.shown, each.readings[0][0], tuple(map(float, each.readings[0][1]))) for each in read(text)]


@pytest.mark.parametrize(
    ("text", "shown", "kinds", "ends"),
    [
        ("45 GPU hours of it", "45 GPU hours", GPU_TIME, (45,)),
        ("45 recorded GPU-hours", "45 GPU-hours", GPU_TIME, (45,)),
        ("52.97 device-days", "52.97 GPU-days", GPU_TIME, (52.97 * 24,)),
        ("1 - 2 GB of logs", "1-2 GB", DATA, (1e9, 2e9)),
        ("a reserve of 20 percent", "20 percent", (), (0.2,)),
        ("USD 10 in all", "USD 10", (("money:usd", 1),), (10,)),
        ("3,200 Gbps", "3,200 Gbps", (("data", 1), ("time", -1)), (3200e9 / 8 * 3600,)),
        ("1,050 GB-month", "1,050 GB-month", (("data", 1), ("month", 1)), (1050e9,)),
        ("$0.02/GB-month", "$0.02/GB-month", (("data", -1), ("money:usd", 1), ("month", -1)), (0.02 / 1e9,)),
        ("1,335 GPU-h", "1,335 GPU-h", GPU_TIME, (1335,)),
        ("some ~8-10 hours", "~8-10 hours", TIME, (8, 10)),
        ("8–10 hrs", "8-10 hrs", TIME, (8, 10)),
        ("from 3 to 5 hours", "3 to 5 hours", TIME, (3, 5)),
        ("90 min", "90 min", TIME, (1.5,)),
        ("2 s", "2 s", TIME, (2 / 3600,)),
        ("$4-6/hr", "$4-6/hr", RATE, (4, 6)),
        ("$1.89/hour", "$1.89/hour", RATE, (1.89,)),
        ("$18", "$18", (("money:usd", 1),), (18,)),
        ("1.46M hours", "1.46M hours", TIME, (1_460_000,)),
        ("2 million GPU-hours", "2 million GPU-hours", GPU_TIME, (2_000_000,)),
        ("30-40GB each", "30-40GB", DATA, (30e9, 40e9)),
        (">5GB/s", ">5GB/s", (("data", 1), ("time", -1)), (5e9 * 3600,)),
        ("433,196 kWh", "433,196 kWh", (("energy", 1),), (433_196_000,)),
        ("24.69 t CO2e", "24.69 t", (("mass", 1),), (24_690_000,)),
        ("a 24-hour run", "24-hour", TIME, (24,)),
        ("100 A100 hours", "100 GPU-hours", GPU_TIME, (100,)),
        ("35.0% of it", "35.0%", (), (0.35,)),
        ("8x A100", "8x", (), (8,)),
        ("a rate of 1e-5", "1e-5", (), (1e-5,)),
        ("10k samples", "10k", (), (10_000,)),
        ("4096 tokens", "4096", (), (4096,)),
        ("4841 tokens/sec", "4841 tokens/sec", (("time", -1),), (4841 * 3600,)),
        ("200€ in all", "200€", EURO, (200,)),
        ("200 € in all", "200 €", EURO, (200,)),
        ("at 0.36€/h", "0.36€/h", (("money:eur", 1), ("time", -1)), (0.36,)),
        ("3€-4€", "3€-4€", EURO, (3, 4)),
        ("5k€", "5k€", EURO, (5000,)),
        ("12 USD/GPU-hour", "12 USD/GPU-hour", RATE, (12,)),
        ("CHF 30", "CHF 30", (("money:chf", 1),), (30,)),
        ("5$ more", "5$", (("money:usd", 1),), (5,)),
        ("$140/mo", "$140/mo", MONTHLY, (140,)),
        ("$2.99 hourly", "$2.99 hourly", RATE, (2.99,)),
        ("$31.92/hr GPU", "$31.92/hr", RATE, (31.92,)),
        ("10⁹ neurons", "1e9", (), (1e9,)),
        ("~2×10⁹", "~2e9", (), (2e9,)),
        ("10^-4 of it", "1e-4", (), (1e-4,)),
        ("76² of it", "76", (), (76,)),
        ("2.7× g5", "2.7×", (), (2.7,)),
        ("8×H100", "8×", (), (8,)),
        ("1,49,760 rupees", "1,49,760", (), (149_760,)),
        ("$11,61,600", "$11,61,600", (("money:usd", 1),), (1_161_600,)),
        ("1.89 Lakh", "1.89 Lakh", (), (189_000,)),
        ("5 Million Tokens", "5 Million", (), (5e6,)),
        ("Total GPU hours < 5,000", "< 5,000 GPU hours", GPU_TIME, (5000,)),
        ("disk in GB ≥ 40", "≥ 40 GB", DATA, (40e9,)),
        ("20,000 core-h", "20,000 core-h", TIME, (20_000,)),
        ("30 core hours", "30 core-hours", TIME, (30,)),
        ("~4.3 M GPP core-h", "~4.3 M core-h", TIME, (4_300_000,)),
        ("20,000 ACC GPU-h", "20,000 GPU-h", GPU_TIME, (20_000,)),
        ("$2 per allocated GPU-hour", "$2 per GPU-hour", RATE, (2,)),
        ("4 seeds with GPU-hours", "4", (), (4,)),
        ("4 total seeds GPU-hours", "4", (), (4,)),
        ("About 565 gg node-hours", "About 565 node-hours", (("node", 1), ("time", 1)), (565,)),
        ("5 / 8 s", "5-8 s", TIME, (5 / 3600, 8 / 3600)),
        ("3.3 / 5.2 h", "3.3-5.2 h", TIME, (3.3, 5.2)),
        ("3,200 tok/s", "3,200 tok/s", (("time", -1),), (3200 * 3600,)),
        ("US$12", "$12", (("money:usd", 1),), (12,)),
        ("CA$4-6/hr", "CAD 4-6/hr", (("money:cad", 1), ("time", -1)), (4, 6)),
        ("C$30", "CAD 30", (("money:cad", 1),), (30,)),
        ("A$30 or so", "AUD 30", (("money:aud", 1),), (30,)),
        ("AU$1,200/month", "AUD 1,200/month", (("money:aud", 1), ("month", -1)), (1200,)),
        ("30 CAD", "30 CAD", (("money:cad", 1),), (30,)),
        ("₹1,20,000 of it", "₹1,20,000", (("money:inr", 1),), (120_000,)),
        ("₹10-15L", "₹10-15 lakh", (("money:inr", 1),), (1_000_000, 1_500_000)),
        ("₹2 Cr", "₹2 crore", (("money:inr", 1),), (2e7,)),
        ("Rs. 500 of it", "₹500", (("money:inr", 1),), (500,)),
        ("₹35/hr", "₹35/hr", (("money:inr", 1), ("time", -1)), (35,)),
        ("$100/yr", "$100", (("money:usd", 1),), (100,)),
        ("$5$ of them", "5", (), (5,)),
        ("where $N = 512$ of them", "512", (), (512,)),
    ],
)
def test_a_number_is_read_with_its_unit(
    text: str, shown: str, kinds: tuple[tuple[str, int], ...], ends: tuple[float, ...]
) -> None:
    (number,) = see(text)
    assert (number.shown, number.kinds) == (shown, kinds)
    assert number.ends == pytest.approx(ends)


@pytest.mark.parametrize(
    "text",
    ["on 2025-08-13", "January 17, 2026", "ZeRO-2", "version v1.0.0", "an A100", "Qwen2.5", "`gsm8k`", "at 10:30", ""],
)
def test_a_name_or_date_is_no_number(text: str) -> None:
    assert see(text) == []


def test_a_wall_clock_time_stands_behind_its_nodes() -> None:
    for text, hours in (("1 x 01:30", 1.5), ("6 × 03:30", 3.5), ("2 x 12:00", 12)):
        nodes, time = see(text)
        assert (nodes.kinds, time.kinds, time.ends) == ((), TIME, (hours,))


def test_a_quotient_is_no_range() -> None:
    assert [each.ends for each in see("Cost per hour: $55 / 7.75 hrs = $7")] == [(55,), (7.75,), (7,)]
    assert [each.ends for each in see("480 / 8 h = 60")] == [(480,), (8,), (60,)]


def test_a_label_names_each_price_behind_it() -> None:
    for number in read("Cost per GPU-hour: $6.30 (spot) or $13.70 (on-demand)"):
        assert [kinds for kinds, _, _ in number.readings] == [(("money:usd", 1),), RATE]


def test_a_share_by_the_hour_is_also_a_share() -> None:
    (number,) = read("~5% chance per hour")
    assert ((), (Fraction(1, 20),)) in [(kinds, ends) for kinds, ends, _ in number.readings]


def test_every_sign_of_a_currency_is_read() -> None:
    for code, currency in CURRENCIES.items():
        for text in (f"{currency.symbol} 30", f"30 {currency.symbol}", f"{code.upper()} 30", f"30 {code.upper()}"):
            if len(currency.symbol) == 1:
                text = text.replace(f"{currency.symbol} ", currency.symbol)
            assert [each.kinds for each in see(text)] == [((f"money:{code}", 1),)], text


@pytest.mark.parametrize(
    "text", ["`data/3d-ice`", "All-7", "YOLOv5n-5000-27, T4", "RTX5000-28", 'GPUS="4 5 6 7"', "the batch-5000-27."]
)
def test_a_part_of_a_name_or_list_is_no_number(text: str) -> None:
    assert see(text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("100×100×40", ["100", "100", "40"]),
        ("20 min-30 min", ["20 min-30 min"]),
        ("30 GPU hours-40", ["30 GPU hours"]),
        ("A100-80GB", ["80GB"]),
        ("tokens/1k", ["1k"]),
        ("$5 $3", ["$5", "$3"]),
    ],
)
def test_what_looks_like_a_name_or_price_is_none(text: str, shown: list[str]) -> None:
    assert [each.shown for each in see(text)] == shown


def test_core_hours_are_hours_or_a_number_of_them() -> None:
    """To the ledger `core_hours` are a time, and `corehours` things that are counted."""
    (number,) = read("2,240 core-h")
    assert [(kinds, ends) for kinds, ends, _ in number.readings] == [(TIME, (2240,)), ((), (2240,))]
    (number,) = read("80,000 GPU-core-h")
    assert [kinds for kinds, _, _ in number.readings] == [()]


def test_a_number_of_bytes_can_be_decimal_or_binary() -> None:
    (number,) = read("24 GB")
    assert [ends for _, ends, _ in number.readings] == [(24 * 10**9,), (24 * 2**30,)]


@pytest.mark.parametrize(
    ("text", "reach"), [("14.79 h", "0.005"), ("1,500 h", "0.5"), ("~1,500 h", "50"), ("2M h", "500000")]
)
def test_printed_digits_reach_half_a_unit_of_the_last(text: str, reach: str) -> None:
    (number,) = read(text)
    assert number.readings[0][2] == Fraction(reach)


def test_the_head_of_a_column_or_row_gives_the_unit() -> None:
    table = "| Run | Time (h) | Cost, $/hr |\n|---|---:|---:|\n| first | 12 | $3.20 |\n| Length (min) | 30 | |\n"
    first, price, last = read(table)
    assert (first.readings[0][0], first.passage.head, first.passage.line) == (TIME, "first, Time (h)", 3)
    assert [kinds for kinds, _, _ in price.readings] == [(("money:usd", 1),), RATE]
    assert float(last.readings[0][1][0]) == 30


@pytest.mark.parametrize(
    ("head", "cell", "kinds"),
    [
        ("Measured 128,000-step seconds", "43.29", TIME),
        ("FP16 TFLOPS/$", "80.47", (("flop", 1), ("money:usd", -1), ("time", -1))),
        ("RTX 4090 GB", "24", ()),
        ("ACC GPU-hours requested", "20,000", GPU_TIME),
        ("GPP core-hours requested", "20,000", TIME),
        ("Price per allocated GPU-hour", "20", (("time", -1),)),
    ],
)
def test_a_head_may_name_something_before_the_unit(head: str, cell: str, kinds: object) -> None:
    for table in (
        f"| Run | {head} |\n|---|---|\n| first | {cell} |\n",
        f"| Run | Value |\n|---|---|\n| {head} | {cell} |\n",
    ):
        assert read(table)[-1].readings[0][0] == kinds


def test_a_head_prints_numbers_too() -> None:
    conditions, price, hours, cost = read("| Total (~1,400 conditions) | At $65/hr |\n|---|---|\n| 8 h | $520 |\n")
    assert (conditions.shown, conditions.has_unit, conditions.begins) == ("~1,400", False, False)
    assert (price.shown, price.readings[0][0], price.passage.line) == ("$65/hr", RATE, 1)
    assert (hours.shown, cost.shown) == ("8 h", "$520")


def test_a_sign_and_the_head_give_the_price_of_an_hour() -> None:
    (number,) = read("| Card | Price/hr |\n|---|---|\n| H200 | $15.00 |\n")
    assert [kinds for kinds, _, _ in number.readings] == [(("money:usd", 1),), RATE]
    assert [kinds for kinds, _, _ in read("| Carte | Prix/h |\n|---|---|\n| A10 | 0.76€ |\n")[0].readings][1:] == [
        (("money:eur", 1), ("time", -1))
    ]


@pytest.mark.parametrize(
    ("head", "kinds"),
    [("Hourly", RATE), ("Rent, monthly", MONTHLY), ("Monthly cost", MONTHLY), ("Cost", None)],
)
def test_a_column_of_prices_by_the_hour_or_month(head: str, kinds: object) -> None:
    (number,) = read(f"| Card | {head} |\n|---|---|\n| H100 | $2.99 |\n")
    assert [each for each, _, _ in number.readings] == [(("money:usd", 1),), *([kinds] if kinds else [])]


def test_a_column_of_units_gives_the_unit() -> None:
    hours, watts = read("| Metric | Value | Unit |\n|---|---|---|\n| Time | 12 | h |\n| Power | 300 | W |\n")
    assert (hours.readings[0][:2], watts.readings[0][1]) == ((TIME, (12,)), (300,))


@pytest.mark.parametrize("text", ["203.4, 217.6, and 381.0 seconds", "203.4, 217.6, 381.0, 1.5 seconds"])
def test_the_last_of_a_list_has_the_unit_of_all(text: str) -> None:
    assert {each.readings[0][0] for each in read(text)} == {TIME}


def test_two_numbers_with_a_comma_are_no_list() -> None:
    assert [each.has_unit for each in read("In Table 7, 30 hours")] == [False, True]


def test_what_names_a_number_are_its_line_heads_and_headings() -> None:
    text = "# Otter\n\n## Training\n\nFine-tuning runs:\n- Seeds: **3 GPU-hours**\n"
    (number,) = read(text)
    assert number.passage.section == "Training"
    assert {"train", "tun", "run", "seed"} <= number.passage.words


def test_a_sentence_goes_on_in_the_next_line() -> None:
    (number,) = read("It took 1,082,990 A100\nGPU-hours in all.\n") or [None]
    assert number is not None
    (number,) = read("It took 118\ndays.")
    assert number.readings[0][0] == TIME


def test_what_stands_in_code_is_read_and_comments_are_not() -> None:
    numbers = read("```\n# hours: 5 h\n```\n<!-- 7 h -->\n")
    assert [(each.shown, each.passage.is_code) for each in numbers] == [("5 h", True)]


@pytest.mark.parametrize(
    "text",
    [
        "1e999 h",
        "0/0",
        "9" * 100_000 + " h",
        "1," * 50_000,
        "| " + "x" * 1_000_000 + " | 5 h |\n|---|---|\n| 1 | 2 |",
        "- " * 10_000 + "5 h",
        "\n".join(" " * depth + "- 5 h" for depth in range(500)),
        "|" * 200_000 + "\n|-|\n",
        "[" * 50_000 + "](" * 50_000,
        "<" * 100_000,
        "5 " + "h/" * 100_000,
        "#" * 100_000 + " x",
        "<!--" * 250_000,
        "](a" * 300_000,
        "5–" * 50_000,
        "5 " * 50_000,
        "a1-1" * 50_000,
        "a" + "-1" * 50_000 + "x",
        "a/1" + "b" * 100_000,
        "core " * 50_000 + "GPU h",
        "1 to " * 50_000,
        "1 / " * 50_000,
        "x" * 300_000 + " x $5",
        "₹1-" * 50_000,
        "$a_" * 50_000,
        "a: $5, " * 50_000,
        "\0\ud800\u202e 5 h",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_nothing_stops_the_reader(text: str) -> None:
    assert all(number.shown for number in read(text))


WORDS = ["|---|\n", "-", "#", "1,000", "1e9", "hours", "GPU", "GB", "```", "<!--", "-->", "0/0", "1e999"]
PIECES = st.sampled_from([*WORDS, "- ", "<!-- cover: ignore -->"])
MARKS = st.sampled_from("5.-–~$%x/|#()M\n \t≥é")
RANDOM = st.binary(max_size=200).map(lambda raw: raw.decode("utf-8", "replace"))


@given(st.lists(PIECES | MARKS, max_size=40).map("".join) | st.text(max_size=200) | RANDOM)
@example("5%-6%-7% GB/GPU/s")
@example("-5--6")
def test_any_text_is_read(text: str) -> None:
    for number in read(text):
        assert number.passage.text
        assert all(isinstance(end, Fraction) for _, ends, _ in number.readings for end in ends)
