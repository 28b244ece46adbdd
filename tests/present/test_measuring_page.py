"""Pages of a project of measurements: a small ledger read by hand, and what blocks say when little is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reckon.compute.calculation import calculate
from reckon.load.reader import load
from reckon.present.pages import present
from tests.present.measured import LEDGER
from tests.reading import files_of, plain, sections
from tests.small import SMALL, plant

ROOT = Path(__file__).resolve().parents[2]


def changed(**texts: str) -> dict[str, str]:
    """The small ledger with some files of its project in other words."""
    return {**LEDGER, **{f"ledger/p/{name}.yaml": text for name, text in texts.items()}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return files_of(plant(tmp_path_factory.mktemp("measured"), LEDGER))


@pytest.fixture(scope="module")
def page(files: dict[str, str]) -> str:
    return files["docs/p/report.md"]


@pytest.fixture(scope="module")
def tables(page: str) -> dict[str, list[list[str]]]:
    return sections(page)


def test_sections_stand_in_the_order_of_the_ledger_and_texts_join_them(page: str) -> None:
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == [
        "Settings",
        "Measured",
        "Breakdown",
        "Time",
        "Costs",
        "Bound",
        "Devices",
        "Sizes",
        "Levers",
        "Again",
        "Citation",
        "Empty",
        "After all",
    ]
    # (3000.21 + 4200.09) / 2 = 3600.15 s = 60.0025 min.
    assert "A request takes 60 min." in plain(page)
    assert page.index("## Measured") < page.index("### One text") < page.index("## Breakdown")
    assert "Nothing is recorded under this heading yet." in page
    assert page.rstrip().index("Brought along.") > page.index("## After all")


def test_rows_stand_side_by_side_with_their_average(tables: dict[str, list[list[str]]]) -> None:
    rows = tables["On the laptop"]
    # (0.21 + 0.09) / 2 = 0.15; (3000 + 4200) / 2 = 3600 s = 60 min; 3000 s = 50 min, 4200 s = 70 min.
    assert ["", "Average", "Request 1", "Request 2"] in rows
    assert ["Tokens", "**100**", "90", "110"] in rows
    assert ["Load, s", "**0.15**", "0.21", "0.09"] in rows
    assert ["Work, s", "**3,600**", "3,000", "4,200"] in rows
    assert ["Work, min", "**60.0**", "50.0", "70.0"] in rows
    assert ["Total, s", "**3,600**", "3,000", "4,200"] in rows
    # Beside few rows only the whole has statistics. With one degree of freedom t is 12.706; the deviation of 3000.21
    # and 4200.09 is 848.4: 3600.15 + 12.706 x 848.4 / sqrt(2) = 11,223. Below zero it ends at the least row.
    assert ["Total, s", "3,600", "3,000–11,223", "3,600", "848", "3,000", "4,200"] in rows
    assert [row[0] for row in rows].count("Tokens") == [row[0] for row in rows].count("Load, s") == 1
    assert ["Configuration", "Test"] in rows
    assert ["Rows", "2, one for each request"] in rows


def test_each_column_has_statistics_where_nothing_is_added_up(tmp_path: Path) -> None:
    apart = LEDGER["ledger/p/measurements.yaml"].replace("  total: [load_seconds, work_seconds]\n", "")
    small = LEDGER["ledger/p/project.yaml"].replace("      Breakdown: [measurements.cpu.parts]\n", "")
    text = LEDGER["ledger/p/texts.yaml"].replace("cpu.total_seconds", "cpu.work_seconds")
    files = files_of(plant(tmp_path, changed(measurements=apart, project=small, texts=text)))
    rows = sections(files["docs/p/report.md"])["On the laptop"]
    # With one degree of freedom t is 12.706: 100 + 12.706 x 14.14 / sqrt(2) = 227. Below zero it ends at the least row.
    assert ["Tokens", "100", "90–227", "100", "14.1", "90", "110"] in rows
    # The standard deviation of 0.21 and 0.09 is 0.12 / sqrt(2) = 0.0849.
    assert [row for row in rows if row[0] == "Load, s"][1][4] == "0.085"


def test_measurements_that_state_a_time_alone_are_rows_of_one_table(tmp_path: Path) -> None:
    more = """\
new: {title: On the new card, kind: estimated, device: fast, gpus: 1, model: seven, seconds_per_step: 1-2, source: A}
own: {title: By hand, kind: estimated, seconds_per_step: 9, source: A, notes: With a stopwatch.}
"""
    shown = SHORT.replace(
        "projections.small.result, projections.large.result, projections.small.costs",
        "measurements.new, measurements.own, measurements.gpu",
    )
    ledger = changed(measurements=LEDGER["ledger/p/measurements.yaml"] + more, project=shown)
    page = files_of(plant(tmp_path, ledger))["docs/p/report.md"]
    assert sections(page)["Time"] == [
        ["", "Device", "Model", "Time of a step", "Source"],
        ["On the new card", "1 GPU × Fast card", "Seven", "1–2 s", "A"],
        ["By hand", "", "", "9 s", "A"],
        ["On the card", "1 GPU × Fast card", "Two, bf16", "3–5 s", ""],
    ]
    assert "All are estimated." in page
    assert "- By hand: With a stopwatch." in page
    two = {**ledger, "ledger/p/project.yaml": shown.replace(", measurements.gpu", "")}
    page = files_of(plant(tmp_path / "two", two))["docs/p/report.md"]
    assert sections(page)["Time"][0] == ["", "Device", "Model", "Time of a step"]
    assert "All are estimated. Source: A.\n" in page


def test_levers_that_say_the_same_say_it_once(tmp_path: Path) -> None:
    levers = """\
wait: {title: Wait longer, status: active, configuration: test, sets: {patience: 30}, effect: waits, measured_with: cpu}
card: {title: Use a card, status: active, measured_with: gpu}
"""
    page = files_of(plant(tmp_path, changed(levers=levers)))["docs/p/report.md"]
    assert sections(page)["Levers"] == [
        ["Lever", "Settings", "Said effect"],
        ["Wait longer", "Time-out: 30 minutes", "waits"],
        ["Use a card", "", ""],
    ]
    assert "All are active. No effect was measured: each lever needs a measurement without it." in page


def test_a_lever_that_does_the_opposite_leads_to_its_finding(tmp_path: Path) -> None:
    levers = """\
fewer: {title: Fewer, status: active, was: {pictures: 5}, sets: {pictures: 15}, lowers: [pictures], effect: smaller}
other: {title: Other, status: active, was: {pictures: 15}, sets: {pictures: 5}, lowers: [pictures], effect: smaller}
"""
    page = files_of(plant(tmp_path, changed(levers=levers)))["docs/p/report.md"]
    said = {row[0]: row[2] for row in sections(page)["Levers"][1:]}
    assert said == {"Fewer": "smaller<br>contradicted", "Other": "smaller"}
    assert "[contradicted](findings.md)" in page


def test_the_bottleneck_is_named_and_no_share_hides_a_part(page: str, tables: dict[str, list[list[str]]]) -> None:
    # 7200 of 7200.3 s are 99.9958%; 0.3 are 0.0042%.
    assert "**The bottleneck is work**, with 99.996% of the total." in plain(page)
    assert tables["On the laptop: its parts"][1:] == [["Work", "60 min", "99.996%"], ["Load", "0.15 s", "0.0042%"]]
    assert page.count("(breakdown-cpu.svg)") == 1
    assert "A point is a mean, a line through it its confidence interval." in page
    alt = re.search(r"!\[([^]]*)\]\(breakdown-cpu.svg\)", page)
    assert alt
    assert "on one axis: work 60 min, 99.996% and load 0.15 s, 0.0042%" in alt[1]


def test_the_picture_of_a_projection_begins_with_what_takes_longest(tmp_path: Path) -> None:
    projections = LEDGER["ledger/p/projections.yaml"].replace("[cpu, gpu]", "[gpu, cpu]")
    pages = files_of(plant(tmp_path, changed(projections=projections)))
    alt = re.search(r"!\[([^]]*)\]\(projection-small.svg\)", pages["docs/p/report.md"])
    assert alt
    assert re.findall(r"\d+\.\d (?:d|min)", alt[1].partition(": ")[2])[:2] == ["16.7 d", "26.7 min"]


def test_a_projection_has_one_speedup_in_every_row(page: str, tables: dict[str, list[list[str]]]) -> None:
    assert "8 tasks × 1 rollout/task × 10 steps/rollout × 5 epochs = 400 steps. Steps are taken one after" in plain(
        page
    )
    rows = {row[0]: row[1:] for row in tables["Small run"]}
    # 4 s x 10 = 40 s; x 80 = 320 s; x 400 = 1600 s = 26.7 min, from 20 to 33.3. On the laptop 3600 s x 400 = 16.7 days.
    assert rows["Per task (10 steps)"][1] == "30–50 s"
    assert rows["Per epoch (80 steps)"][1] == "4–6.7 min"
    assert rows["Total (400 steps)"][1] == "20–33.3 min"
    assert rows["Total (400 steps)"][0].startswith("16.7 d (13.9–")
    ratios = {cells[2] for name, cells in rows.items() if name.startswith(("Per ", "Total"))}
    assert len(ratios) == 1
    assert ratios.pop().startswith("900×")
    assert rows["Kind"][:2] == ["measured", "estimated"]
    assert "- The update." in page


def test_more_than_four_measurements_are_the_rows_of_a_projection(tmp_path: Path) -> None:
    more = "".join(
        f"m{at}: {{title: M{at}, kind: simulated, device: fast, seconds_per_step: {at}}}\n" for at in range(1, 6)
    )
    small = LEDGER["ledger/p/projections.yaml"].replace("[cpu, gpu]", "[m1, m2, m3, m4, m5]")
    texts = changed(measurements=LEDGER["ledger/p/measurements.yaml"] + more, projections=small)
    rows = sections(files_of(plant(tmp_path, texts))["docs/p/report.md"])["Small run"]
    # 5 s x 400 = 2000 s = 33.3 min; m1 is five times as fast as m5.
    assert rows[0] == [
        "",
        "Per step",
        "Per task (10 steps)",
        "Per epoch (80 steps)",
        "Total (400 steps)",
        "Speed-up",
        "Cost",
    ]
    assert [row[0] for row in rows[1:]] == ["M1", "M2", "M3", "M4", "M5"]
    assert rows[5][1:6] == ["5 s", "50 s", "6.7 min", "33.3 min", "0.2×"]


@pytest.mark.parametrize(("measured", "brackets"), [("[cpu, gpu]", True), ("[gpu]", False)])
def test_brackets_are_explained_where_there_are_any(measured: str, brackets: bool, tmp_path: Path) -> None:
    """60 min (x–y) of two requests has a mean; 3–5 s is a range that stands alone."""
    small = LEDGER["ledger/p/projections.yaml"].replace("[cpu, gpu]", measured)
    one = "small:" + small.partition("small:")[2].partition("large:")[0]
    page = files_of(
        plant(
            tmp_path,
            changed(
                projections=one,
                project=LEDGER["ledger/p/project.yaml"].replace(
                    "[projections.small, projections.large]", "[projections.small]"
                ),
            ),
        )
    )["docs/p/report.md"]
    assert ("In brackets:" in page) is brackets
    assert "20–33.3 min" in plain(page)


def test_a_reported_time_is_compared_with_its_source(page: str) -> None:
    # 20 to 33.3 min lie between 0.2 h = 12 min and 1 h.
    assert "Reported elsewhere: 12–60 min (The paper)." in plain(page)
    assert "On the card gives 20–33.3 min: **inside** the reported range." in plain(page)


def test_a_projection_without_its_exponent_says_so_and_where_it_belongs(page: str) -> None:
    assert "`p.projections.large.exponent`, which belongs to `ledger/p/projections.yaml:10`" in page
    large = page[page.index("### Large run") : page.index("## Costs")]
    # ceil(8 / 4) x 10 x 5 = 100 calls.
    assert "4 environments take a step together, in one model call: 100 calls in their place" in plain(large)
    assert "The result is unknown." in large


def test_costs_name_the_cheapest_and_say_what_has_no_price(page: str, tables: dict[str, list[list[str]]]) -> None:
    rows = {row[0]: row[1:4] for row in tables["Costs of Small run, On the card"]}
    # 26.7 min are billed as an hour by Dear: $3; Cheap: 1600 s at $2 an hour are $0.89, from $0.67 to $1.11.
    assert rows["Dear"] == ["$3.00", "$3/GPU-h", "60 min"]
    assert rows["Cheap"] == ["$0.67–1.11", "$2/GPU-h", "20–33.3 min"]
    assert rows["Monthly"] == ["$50/month, as a subscription", "–", "–"]
    assert rows["Nothing"] == ["–", "no price for this card", "–"]
    assert "Over the providers: $0.67–3.00 on Fast card. The cheapest is **Cheap**." in plain(page)


def test_a_bound_says_which_limit_binds(page: str, tables: dict[str, list[list[str]]]) -> None:
    rows = {row[0]: row[1:] for row in tables["One request"]}
    # 2 x 2B x 800 = 3.2 TFLOP, 0.4 for 100 tokens; 8 GB x 100 / 100 GB/s = 8 s, 4 GB x 100 / 2000 GB/s = 0.2 s.
    assert rows["Total arithmetic"] == ["3.6 TFLOP", "3.6 TFLOP"]
    assert rows["Weights"] == ["8 GB", "4 GB"]
    assert rows["Decoding, bound by memory bandwidth"] == ["8 s", "0.2 s"]
    # 32 s of prefill and 8 s; 0.032 s and 0.2 s: 40 / 0.232 = 172.
    assert rows["Least time"] == ["40 s", "0.2 s"]
    assert rows["Speed-up, by least times"] == ["–", "172×"]
    # 3600.15 / 40 = 90; 4 / 0.232 = 17.2, from 12.9 to 21.6.
    assert rows["Times the least time"][1] == "12.9–21.6×"
    assert "On all of them decoding is bound by **memory bandwidth**." in plain(page)
    assert "- On the laptop: decoding" not in page


def test_limits_that_differ_are_told_of_each_device(tmp_path: Path) -> None:
    """A card ten times as fast at reading: 4 GB x 100 / 20,000 GB/s = 0.02 s; of arithmetic 0.4 TFLOP / 10 TFLOP/s."""
    gpus = LEDGER["ledger/catalog/gpus.yaml"]
    changes = (("memory_gb_per_second: 2000", "memory_gb_per_second: 20000"), ("bf16: 100", "bf16: 10"))
    for was, now in changes:
        assert was in gpus
        gpus = gpus.replace(was, now)
    page = plain(files_of(plant(tmp_path, {**LEDGER, "ledger/catalog/gpus.yaml": gpus}))["docs/p/report.md"])
    said = "- On the laptop: decoding is bound by **memory bandwidth** (8 s, where its arithmetic would take 4 s)."
    assert said in page
    said = "- On the card: decoding is bound by **arithmetic** (0.04 s, where reading the weights would take 0.02 s)."
    assert said in page


def test_devices_stand_side_by_side_and_lead_to_the_catalogue(page: str, tables: dict[str, list[list[str]]]) -> None:
    assert tables["Devices"][0] == ["", "Fast card", "Laptop"]
    rows = {row[0]: row[1:] for row in tables["Devices"]}
    assert rows["Cores"] == ["6,000", "–"]
    assert rows["Dense peak, bf16, TFLOP/s"] == ["100", "–"]
    assert rows["Dense peak, fp32, TFLOP/s"] == ["–", "0.1"]
    assert "- Source for Fast card: Its data sheet\n- Source for Laptop: not stated" in page
    assert " |\n\nPeaks are without sparsity. A dash stands for what the catalogue does not state.\n\n" in page
    assert "[6,000](../catalog.md#catalog.gpus.fast.cores)" in page


def test_models_by_size_with_the_time_of_a_step(tables: dict[str, list[list[str]]]) -> None:
    rows = {row[0]: row[1:4] for row in tables["Sizes"]}
    assert rows["Two"][0] == "2B"
    assert rows["Two"][1].startswith("60 min")
    # 3600.15 s x 7 / 2 = 210 min = 3.5 h.
    assert rows["Seven"][1].startswith("3.5 h")
    assert rows["Seven"][2] == "–"


def test_levers_say_what_was_measured(tables: dict[str, list[list[str]]]) -> None:
    rows = {row[0]: row[1:] for row in tables["Levers"][1:]}
    lacking = "not measured: it needs measurements without it and with it"
    assert rows["Wait longer"] == ["active", "Time-out: 10 → 30 minutes", "waits (5×)", lacking]
    assert re.fullmatch(r"60 min \(.*\) without it, 3–5 s with it", rows["Use a card"][3])


def test_settings_have_the_words_of_their_framework(tables: dict[str, list[list[str]]]) -> None:
    assert tables["Test"][1:] == [["Time-out", "30 minutes"], ["Mode", "greedy"]]


def test_a_record_stands_once_on_a_page(page: str) -> None:
    assert page.count("### On the laptop\n") == 1
    assert "**On the laptop** is above, under *Measured*." in page
    assert "| Reported time |" in page


def test_citations_are_bibtex_that_nothing_can_leave(page: str) -> None:
    assert (
        """```bibtex
@article{paper,
  title = {All of \\{it\\} \\& 100\\%},
  author = {Ab, C. and De, F.},
  year = {2025},
  url = {https://example.org/a%20b}
}
```"""
        in page
    )


def test_the_first_page_is_short_and_links_to_the_others(files: dict[str, str]) -> None:
    first = files["docs/p/index.md"]
    assert "docs/p/status.md" not in files
    assert "- [Report](report.md): Settings; Measured" in first
    assert "On the first page." in first
    assert "Brought along." not in first
    assert "| Loose |" in first
    assert "| Reported time |" not in first
    for heading in ("## The budget", "## Actual", "## Forecast"):
        assert heading not in first
    glance = {tuple(row[:2]): row[2:] for row in sections(first)["P: measurements and projections"][1:]}
    assert glance["Small run", "On the card"] == ["estimated", "3–5 s", "20–33.3 min", "$0.67–3.00"]
    assert glance["Large run", "On the card"] == ["scaled", "–", "–", "–"], "another model than that of the card"
    assert glance["Small run", "On the laptop"][0] == "measured"
    assert ("Sized", "On the laptop") not in glance, "no page shows it"


def test_what_no_page_shows_stands_on_the_first(files: dict[str, str]) -> None:
    first = files["docs/p/index.md"]
    assert "### On the card" in first
    assert "### On the laptop" not in first
    assert sections(first)["Projections"][1][0] == "Sized"


SHORT = """\
title: P
version: '1'
as_of: 2026-01-02
gpu: fast
pages:
  report:
    title: Report
    summary: The whole of it.
    sections:
      Time: [projections.small.result, projections.large.result, projections.small.costs]
  details:
    title: 'Report: details'
    under: report
    sections:
      Time: [projections.small, projections.large]
"""


def test_a_page_opens_with_its_answer_and_leads_to_its_details(tmp_path: Path) -> None:
    texts = (
        "said: {page: report, section: answer, text: 'It takes {projections.small.gpu.hours in min}.'}\n"
        "why: {page: report, section: Time, title: Why, text: Because.}\n"
    )
    files = files_of(plant(tmp_path, changed(project=SHORT, texts=texts)))
    page, details = plain(files["docs/p/report.md"]), plain(files["docs/p/details.md"])
    assert "# Report\n\nIt takes 20–33.3 min.\n\n| Project" in page, "the summary says no more than the answer"
    assert "# answer" not in page.lower()
    assert "More: [Report: details](details.md)." in files["docs/p/report.md"]
    assert "More:" not in details
    table = sections(files["docs/p/report.md"])["Time"]
    assert table[0] == ["Run", "From", "Total", "Cost", "GPU-hours", "Per step", "Speed-up", "Steps"]
    assert [(*row[:2], row[-1]) for row in table[1:4]] == [
        ("Small run", "On the laptop", "400 steps"),
        ("", "On the card", ""),
        ("Large run", "On the card", "100 calls"),
    ]
    assert table[2][2:6] == ["20–33.3 min", "$0.67–3.00", "0.3–0.6 GPU-h", "3–5 s"]
    assert table[3][2:7] == ["–"] * 5
    assert page.count("The update.") == details.count("The update.") == 1, "what all of them leave out is said once"
    assert "The result is unknown." in details


def test_what_all_price_lists_share_stands_below_them(tmp_path: Path) -> None:
    sourced = LEDGER["ledger/catalog/prices.yaml"].replace("as_of: 2026-01", "as_of: 2026-01, source: A list")
    ledger = {**changed(project=SHORT), "ledger/catalog/prices.yaml": sourced.replace(", minimum_hours: 1", "")}
    page = files_of(plant(tmp_path, ledger))["docs/p/report.md"]
    table = sections(page)["Costs of Small run, On the card"]
    assert table[0] == ["Provider", "Cost", "An hour"]
    assert plain(page).count("A list, 2026-01") == 1
    assert "for 20–33.3 min on Fast card. The cheapest is **Cheap**. Prices: A list, 2026-01." in plain(page)


def test_navigation_and_portfolio_know_the_pages(files: dict[str, str]) -> None:
    lines = [line.strip() for line in files["docs/nav.yml"].splitlines()]
    here = [line for line in lines if ": p/" in line]
    assert here[:3] == ["- Overview: p/index.md", '- "Report": p/report.md', "- Findings: p/findings.md"]
    assert "| **[P](p/index.md)** |" in files["docs/index.md"]


def test_a_project_with_a_plan_keeps_its_budget_beside_its_pages(tmp_path: Path) -> None:
    plan = "one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 5}}}\n"
    files = files_of(plant(tmp_path, changed(plan=plan)))
    assert "docs/p/status.md" in files
    assert "\n| Work, GPU-h |" in files["docs/p/index.md"]
    assert "- [Report](report.md)" in files["docs/p/index.md"]
    assert [line.strip() for line in files["docs/nav.yml"].splitlines() if ": p/" in line][
        1
    ] == '- "Report": p/report.md'


def test_a_measurement_of_one_row_has_no_interval(tmp_path: Path) -> None:
    one = LEDGER["ledger/p/measurements.yaml"].replace(
        "    - {tokens: 110, load_seconds: 0.09, work_seconds: 4200}\n", ""
    )
    page = files_of(plant(tmp_path, changed(measurements=one)))["docs/p/report.md"]
    assert "One row is all there is: nothing is known of the spread, so no interval is given." in page
    block = page[page.index("### On the laptop") : page.index("## Breakdown")]
    assert "interval |" not in block
    assert "Average" not in block
    assert ["Work, s", "3,000"] in sections(block)["On the laptop"]


@pytest.mark.parametrize("many", [9, 200, 500])
def test_many_rows_run_downwards_and_are_cut_at_two_hundred(tmp_path: Path, many: int) -> None:
    rows = "".join(f"    - {{load_seconds: 0.5, work_seconds: {number}}}\n" for number in range(1, many + 1))
    text = f"cpu:\n  title: On the laptop\n  kind: measured\n  rows:\n{rows}  total: [load_seconds, work_seconds]\n"
    text += LEDGER["ledger/p/measurements.yaml"].splitlines()[-1] + "\n"
    page = files_of(plant(tmp_path, changed(measurements=text)))["docs/p/report.md"]
    table = sections(page)["On the laptop"]
    numbered = [row for row in table if row[0].isdigit()]
    assert len(numbered) == min(many, 200)
    assert numbered[0][:3] == ["1", "0.5", "1"]
    # The average of 1 to n is (n + 1) / 2, of all rows and not of those shown.
    average = next(row for row in table if row[0] == "**Average of all**")
    assert average[1] == "**0.5**"
    assert average[2] == f"**{round((many + 1) / 2):,}**"
    assert ("more rows are in the ledger" in page) is (many > 200)
    if many > 200:
        assert "300 more rows are in the ledger, in `ledger/p/measurements.yaml`" in page


def test_empty_states(tmp_path: Path) -> None:
    project = "title: P\nversion: '1'\nas_of: 2026-01-01\ngpu: fast\npages: {empty: {title: Nothing yet}}\n"
    kept = {name: text for name, text in LEDGER.items() if "/catalog/" in name}
    files = files_of(plant(tmp_path, {**kept, "ledger/p/project.yaml": project}))
    assert "This page has no sections yet." in files["docs/p/empty.md"]
    assert "- [Nothing yet](empty.md)" in files["docs/p/index.md"]
    assert "| Projection | From |" not in files["docs/p/index.md"]


def test_a_measurement_alone_is_a_page(tmp_path: Path) -> None:
    kept = {name: text for name, text in LEDGER.items() if "/catalog/" in name or "measurements" in name}
    project = "title: P\nversion: '1'\nas_of: 2026-01-01\ngpu: fast\n"
    files = files_of(plant(tmp_path, {**kept, "ledger/p/project.yaml": project}))
    assert "### On the laptop" in files["docs/p/index.md"]
    assert "docs/p/status.md" not in files


def test_a_template_of_another_tree_still_stands_where_the_shipped_one_stood(tmp_path: Path) -> None:
    """Its own one replaces the shipped one, which it can include by either name; the name of today goes before."""
    own = tmp_path / "templates"
    (own / "measured").mkdir(parents=True)
    for folder in ("measured", "measuring"):
        text = f'{{% include "shipped/{folder}/models.md.j2" %}}Ours.\n'
        (own / "measured" / "models.md.j2").write_text(text, "utf-8")
        book, _ = calculate(load(plant(tmp_path, LEDGER))[0])
        page = present(book, [own, ROOT / "templates"], lambda path: None)["docs/p/report.md"]
        shipped = files_of(tmp_path)["docs/p/report.md"]
        assert "Ours." in page
        assert page.replace("Ours.", "").split() == shipped.split()
    (own / "measuring").mkdir()
    (own / "measuring" / "models.md.j2").write_text("Newer.\n", "utf-8")
    page = present(book, [own, ROOT / "templates"], lambda path: None)["docs/p/report.md"]
    assert "Newer." in page
    assert "Ours." not in page


def test_the_second_render_makes_the_same_and_draws_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plant(tmp_path, LEDGER)
    first = files_of(root)
    book, _ = calculate(load(root)[0])

    def never(_: object) -> None:
        raise AssertionError("nothing is drawn anew")

    monkeypatch.setattr("reckon.present.pages.draw", never)
    assert present(book, [ROOT / "templates"], first.get) == first


def test_a_fifth_request_changes_what_follows(tmp_path: Path) -> None:
    """Another row moves averages, projections, speed-ups and the page's words, with nothing else written."""
    more = LEDGER["ledger/p/measurements.yaml"].replace(
        "work_seconds: 4200}\n", "work_seconds: 4200}\n    - {tokens: 100, load_seconds: 0.15, work_seconds: 7200}\n"
    )
    page = files_of(plant(tmp_path, changed(measurements=more)))["docs/p/report.md"]
    rows = {row[0]: row[1:] for row in sections(page)["Small run"]}
    # (3000 + 4200 + 7200) / 3 = 4800 s = 80 min, 1200 times 4 s.
    assert rows["Per step"][0].startswith("80 min")
    assert rows["Per step"][2].startswith("1,200×")
    assert "A request takes 80 min." in plain(page)


def test_a_page_of_a_budget_without_measurements(tmp_path: Path) -> None:
    text = SMALL["ledger/demo/project.yaml"] + "pages: {notes: {title: Notes}}\n"
    files = files_of(plant(tmp_path, {**SMALL, "ledger/demo/project.yaml": text}))
    assert "# Notes" in files["docs/demo/notes.md"]
    assert "docs/demo/status.md" in files


OWN_ROWS = "{{ one.rows | table }}\nOwn rows of {{ one.record.title }}.\n"
OWN_WHOLE = """\
{% set one = block.shows %}
{% set record = one.record %}
{% include "measuring/rows.md.j2" %}

Own page.
"""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("measuring/rows", OWN_ROWS, "Own rows of On the laptop."),
        ("measuring/share", "{{ one.shares | table }}\nOwn shares.\n", "Own shares."),
        ("measuring/measurements", OWN_WHOLE, "Own page."),
        ("measured/measurements", OWN_WHOLE, "Own page."),
    ],
)
def test_a_trees_own_templates_keep_their_names(tmp_path: Path, page: str, name: str, text: str, told: str) -> None:
    """What templates call `measured` they called `one`."""
    root = plant(tmp_path, {**LEDGER, f"templates/{name}.md.j2": text})
    book, _ = calculate(load(root)[0])
    own = present(book, [root / "templates", ROOT / "templates"], lambda path: None)["docs/p/report.md"]
    assert told in own
    assert told not in page
    assert "| Request 1 |" in own


def test_what_only_our_exponent_contradicts_is_no_plain_no(tmp_path: Path) -> None:
    """Sized: 3,600.15 s of two billion parameters, scaled to seven: 12,600.5 s. 100 tokens are stated as 50."""
    claims = """\
- {of: projections.sized.cpu.seconds_per_step.use, states: 5000, at: Table 1}
- {of: measurements.cpu.tokens.mean.use, states: 50, at: Table 2}
"""
    pages = files_of(plant(tmp_path, changed(claims=claims)))
    told = {row[4]: row[3] for row in sections(pages["docs/p/derivations.md"])["Stated figures"][1:]}
    assert told["Table 1"].startswith("unchecked: the ledger supposes Sized")
    assert told["Table 2"].startswith("**contradicted**")
