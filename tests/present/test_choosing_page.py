"""The page on choosing hardware: a small ledger read by hand, a new GPU in every table, and two thousand setups."""

from __future__ import annotations

import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from reckon.present.render.numbers import number_text
from tests.hardware import CHOSEN, HARDWARE
from tests.reading import files_of, plain, sections
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
FIRST = "P: which GPU to rent"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(plant(tmp_path_factory.mktemp("chosen"), CHOSEN))


@pytest.fixture(scope="module")
def tables(files: dict[str, str]) -> dict[str, list[list[str]]]:
    return sections(files["docs/p/index.md"])


@pytest.fixture(scope="module")
def details(files: dict[str, str]) -> dict[str, list[list[str]]]:
    return sections(files["docs/p/setups.md"])


def test_memory_adds_up_and_names_what_does_not_fit(files: dict[str, str], details: dict[str, list[list[str]]]) -> None:
    assert "### Setups whose memory is too small" in plain(files["docs/p/index.md"])
    rows = details["Memory"]
    assert rows[:5] == [
        ["Memory of one model, GB", ""],
        ["Weights", "16"],
        ["Cache", "2"],
        ["**One model**", "18"],
        ["All 4 models together", "72"],
    ]
    # 18 GB are 16.8 GiB: of 24 GiB that is 69.8%; 72 GB are 67.1 GiB: of 96 GiB 69.8%, of 24 GiB 279%.
    assert ["4× Slow", "fits", "69.8%", "69.8%", "–", "24 GiB", "96 GiB"] in rows
    assert ["Slow", "fits", "69.8%", "279%", "–", "24 GiB", "24 GiB"] in rows
    assert ["Small", "**does not fit**", "210%", "838%", "–", "8 GiB", "8 GiB"] in rows


def test_times_and_costs_are_those_worked_by_hand(details: dict[str, list[list[str]]]) -> None:
    # 3.6 M tokens at 100 a second are 10 h, at $1; there is no overhead. $10 for 3.6 M are $2.78 a million.
    assert ["Slow", "10", "10.00", "1.00", "2.78", "100", "10", "–"] in details["One GPU"]
    quick = ["Quick", "5 (4–6.7)", "15.00 (8.00–33.33)", "3.00", "4.17", "200", "5", "–"]
    assert quick in details["One GPU"]
    # A quarter each is 2.5 h; at 80% of the speed-up 3.125 h, at $4.
    four = ["4× Slow", "3.1", "12.50", "4.00", "3.47", "100", "2.5", "–", "2.5 h, $10.00"]
    assert four in details["4 GPUs side by side"]
    assert ["Fresh", "2.5", "–", "–", "–", "400", "2.5", "–"] in details["One GPU"]


def test_the_frontier_with_what_an_hour_costs(files: dict[str, str]) -> None:
    page = files["docs/p/index.md"]
    # $2.50 for 6.875 h are $0.364 an hour; $6.25 for 1.5625 h are $4.
    assert sections(page)[FIRST][1:] == [
        ["less than $0.36/h", "1 · Slow", "10", "10.00", "–"],
        ["$0.36/h to $4.00/h", "2 · 4× Slow", "3.1", "12.50", "0.36"],
        [
            "more than $4.00/h",
            "3 · **4× Quick**",
            "1.6 (1.2–2.1)",
            "18.75 (10.00–41.67)",
            "4.00",
        ],
    ]
    rest = page.partition("<summary>Setups without advantage</summary>")[2]
    assert sections(rest)[""][1:] == [["4 · Quick", "5", "15.00", "4× Slow", "no"]]


def test_what_is_open_says_what_would_settle_it(tables: dict[str, list[list[str]]]) -> None:
    missing = {row[0]: row[1] for row in tables["Setups with missing inputs"][1:]}
    assert missing["Fresh"] == "`catalog.prices.ours.usd_per_gpu_hour.fresh`"
    assert missing["4× Plain"] == "`catalog.throughputs.measured.tokens_per_second_per_gpu.plain`"
    assert [row[0] for row in tables["Setups whose memory is too small"][1:]] == ["Small", "4× Small"]


def test_sensitivity_and_rankings(tables: dict[str, list[list[str]]], details: dict[str, list[list[str]]]) -> None:
    cases = {row[0]: row[1:] for row in details["Sensitivity"][1:]}
    assert cases["Planned prices"] == ["the same"]
    # Without the efficiency four of a card cost what one costs: $10 for 2.5 h, $15 for 1.25 h.
    assert cases["Planned prices, without the efficiency"] == ["**leaves:** Slow"]
    ranks = {row[0]: row[1:] for row in details["Rankings"][1:]}
    assert ranks["Cheapest"] == ["Slow", "10", "10.00", "10"]
    assert ranks["Fastest within the budget ($13)"] == ["4× Slow", "3.1", "12.50", "12.5"]
    assert "Cheapest before the deadline" not in ranks


def test_market_searches_and_texts(
    files: dict[str, str], tables: dict[str, list[list[str]]], details: dict[str, list[list[str]]]
) -> None:
    page = files["docs/p/index.md"]
    assert ["4× Slow", "1.00", "4.00", "Rare"] in details["Prices"]
    assert "Prices are from ours." in files["docs/p/setups.md"]
    assert '```sh\nfind "name = SLOW gpus = 4 price <= 5"\n```' in files["docs/p/setups.md"]
    assert "There is no command for it: how to search at There is not in the catalogue." in files["docs/p/setups.md"]
    assert tables["Matrix"] == [
        ["", "Setup", "When"],
        ["**First**", "Slow", "Always"],
        ["**Second**", "4× Quick", "Never"],
    ]
    order = [
        "If an hour saved is worth",
        "## Own heading",
        "## Matrix",
        "## Best for",
        "Setups without advantage",
        "## Not compared",
    ]
    assert sorted(order, key=page.index) == order
    order = ["## Where to rent", "There.", "### Prices", "## Memory", "Mind the memory.", "### One GPU"]
    assert sorted(order, key=files["docs/p/setups.md"].index) == order
    assert page.count("Patience.") == 1
    assert "- Quick: Nobody." in page


def test_a_comparison_alone_has_no_budget_and_no_status(files: dict[str, str]) -> None:
    page = files["docs/p/index.md"]
    for words in (
        "The budget",
        "Planned and actual",
        "No runs are recorded",
        "Hours are counted on",
        "Plan of",
        "status.md",
    ):
        assert words not in page, words
    assert "docs/p/status.md" not in files
    assert "p/status.md" not in files["docs/nav.yml"] + files["docs/index.md"]
    row = next(line for line in plain(files["docs/index.md"]).splitlines() if line.startswith("| **P** "))
    answer = "4× Quick: 1.6 h, $18.75"
    assert row.split(" | ")[1] == answer, "least cost × time: $29, after $39 and $100"


def test_a_project_with_a_plan_keeps_its_budget_and_its_status(tmp_path: Path) -> None:
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 5}}}\n"
    files = files_of(plant(tmp_path, {**CHOSEN, "ledger/p/plan.yaml": plan}))
    assert "docs/p/status.md" in files
    assert "\n## Best trade-offs\n" in files["docs/p/lines.md"]
    assert "\n| Work, GPU-h |" in files["docs/p/index.md"]


def test_a_workload_without_setups_is_shown(tmp_path: Path) -> None:
    kept = {name: text for name, text in CHOSEN.items() if not name.endswith(("setups.yaml", "texts.yaml"))}
    files = files_of(plant(tmp_path, kept))
    assert "| **One model** |" in files["docs/p/setups.md"]
    assert "\n## Workload\n" in files["docs/p/setups.md"]
    assert "If an hour saved is worth" not in files["docs/p/index.md"]


def test_another_reading_is_quoted_and_has_no_tables(tmp_path: Path) -> None:
    setups = CHOSEN["ledger/p/setups.yaml"]
    named = next(line.rstrip(":") for line in setups.splitlines() if re.fullmatch(r"[a-z-]+:", line))
    again = f"again: {{title: Read in another way, workload: work, counts: [1], reading_of: {named}}}\n"
    files = files_of(plant(tmp_path, {**CHOSEN, "ledger/p/setups.yaml": setups + again}))
    assert "Read in another way" not in files["docs/p/index.md"] + files["docs/p/setups.md"]
    assert "p.setups.again.slow-x1.hours" in files["docs/p/derivations.md"]


def test_setups_of_which_nothing_is_known_are_all_open(tmp_path: Path) -> None:
    prices = "ours: {provider: here, as_of: 2026-01-02, usd_per_gpu_hour: {slow: unknown}}\n"
    changed = {**HARDWARE, "ledger/catalog/prices.yaml": prices}
    page = files_of(plant(tmp_path, changed))["docs/p/index.md"]
    assert "No setup has a known time and cost" in page
    assert "## Rankings" not in page


def test_a_new_gpu_appears_everywhere_after_one_render(tmp_path: Path) -> None:
    """A copy of the ledger with one more card, price and throughput: the cheapest of all, and slow."""
    shutil.copytree(ROOT / "ledger", tmp_path / "ledger")
    catalog = tmp_path / "ledger/catalog"
    with (catalog / "gpus.yaml").open("a", encoding="utf-8") as file:
        file.write("\nnova: {title: Nova 9, architecture: Novel, released: 2026, vram_gib: 48}\n")
    for name, key, line in (
        ("prices", "usd_per_gpu_hour:\n", "    nova: 0.01\n"),
        ("throughputs", "tokens_per_second_per_gpu:\n", "    nova: 40\n"),
    ):
        path = catalog / f"{name}.yaml"
        text = path.read_text("utf-8")
        assert key in text
        path.write_text(text.replace(key, key + line, 1), "utf-8")
    files = files_of(tmp_path, known=True)
    pages = (files[f"docs/phase2-collection/{name}.md"] for name in ("setups", "index"))
    tables = {heading: rows for page in pages for heading, rows in sections(page).items()}
    named = {heading for heading, rows in tables.items() if any("Nova 9" in " ".join(row) for row in rows)}
    assert named >= {
        "Rankings",
        "Memory",
        "Speed",
        "One GPU",
        "4 GPUs side by side",
        "Phase 2 collection: which GPU to rent",
        "Sensitivity",
        "Prices",
    }
    front = tables["Phase 2 collection: which GPU to rent"]
    assert [row[1] for row in front[1:3]] == ["1 · Nova 9", "2 · **4× Nova 9**"]
    assert dict(row[:2] for row in tables["Rankings"])["Cheapest"] == "Nova 9"
    for picture in ("frontier", "memory"):
        for ending in ("svg", "vl.json"):
            assert "Nova 9" in files[f"docs/phase2-collection/{picture}.{ending}"], picture
    catalogue = sections(files["docs/catalog.md"])
    assert any(row[0] == "Nova 9" and row[1] == "Novel" for row in catalogue["The GPUs"])
    row = next(line for line in plain(files["docs/index.md"]).splitlines() if line.startswith("| Phase 2"))
    assert "| 4× Nova 9 has the least cost × time: " in row


@pytest.mark.full
def test_two_thousand_setups_stay_within_two_hundred_rows(tmp_path: Path) -> None:
    cards = [f"c{number:03}" for number in range(500)]
    catalog = {
        "gpus": "".join(f"{card}: {{title: Card {card}, vram_gib: 24}}\n" for card in cards),
        "prices": "ours:\n  provider: here\n  as_of: 2026-01-02\n  usd_per_gpu_hour:\n"
        + "".join(f"    {card}: {1 + number / 100}\n" for number, card in enumerate(cards)),
        "throughputs": "measured:\n  model: m\n  tokens_per_second_per_gpu:\n"
        + "".join(f"    {card}: {100 + number * number % 977}\n" for number, card in enumerate(cards)),
    }
    files = dict(HARDWARE)
    files.update({f"ledger/catalog/{name}.yaml": text for name, text in catalog.items()})
    files["ledger/p/project.yaml"] = files["ledger/p/project.yaml"].replace("gpu: slow", "gpu: c000")
    files["ledger/p/setups.yaml"] = "some: {title: Some, workload: work, counts: [1, 2, 4, 8]}\n"
    pages = files_of(plant(tmp_path, files))
    page = pages["docs/p/index.md"]
    assert "1,800 more setups are in" in pages["docs/p/setups.md"]
    derivations = [text for name, text in pages.items() if name.startswith("docs/p/derivations")]
    assert len(derivations) > 2
    for text in (page, pages["docs/p/setups.md"], pages["docs/catalog.md"], "\n\n".join(derivations)):
        sizes = [len(re.findall(r"^\|", block, re.MULTILINE)) for block in text.split("\n\n")]
        assert 100 < max(sizes) <= 202
    assert (
        max(text.count("<a id=") for text in derivations) <= 255 + 400
    )  # a group may begin where a page is nearly full
    assert len(page) < 1_000_000
    front = sections(page.partition("<summary>")[0])[FIRST][1:]
    shown = {row[0] for row in sections(pages["docs/p/setups.md"])["Memory"]}
    assert len(front) > 1
    assert all(row[1].split("· ")[1].strip("*") in shown for row in front)


@pytest.mark.parametrize(
    ("number", "exact", "text"),
    [
        ("4.739", False, "4.74"),
        ("15", False, "15.00"),
        ("0.0312", False, "0.031"),
        ("99.999", False, "100.00"),
        ("120.4", False, "120"),
        ("0", False, "0"),
        ("-2.5", False, "−2.50"),
        ("4", True, "4"),
        ("1.9", True, "1.90"),
        ("0.355", True, "0.355"),
        ("120.5", True, "120.5"),
    ],
)
def test_money_has_its_cents(number: str, exact: bool, text: str) -> None:
    assert number_text(Fraction(number), exact, money=True) == text


def test_titles_of_pictures_are_what_they_found(files: dict[str, str]) -> None:
    shown = {name: re.search("<title>(.*)</title>", text) for name, text in files.items() if name.endswith(".svg")}
    assert {name.rpartition("/")[2]: title and title[1] for name, title in shown.items()} == {
        "frontier.svg": "4× Quick takes 1.6 h for $18.75; nothing cheaper is faster",
        "memory.svg": "One model needs 16.8 GiB: too much for Small",
    }
