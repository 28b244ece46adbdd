"""`application`: hours in the unit of a centre, as lines and as a PDF."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import given
from tests.small import plant

FILES = {
    "ledger/catalog/gpus.yaml": "card: {title: Card}\n",
    "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: card\ncontingency: 15%\n",
    "ledger/demo/plan.yaml": """\
first: {title: First, items: {train: {title: Training, scope: one-time, gpu_hours: 4600}}}
second: {title: Second, items: {test: {title: Testing, scope: one-time, gpu_hours: 1524}}}
""",
    "ledger/allocations.yaml": """\
centre:
  title: Centre
  gpu_hours: unknown
  since: 2026
  until: 2026
  projects: [demo]
  charge: {unit: standard hours, units_per_gpu_hour: 6}
""",
    "ledger/tree.yaml": "format: 2\npages: ci\nforge: {address: https://github.com/team/budgets}\n",
}
"""6,124 h with 15 % of contingency are 7,042.6."""


TWO_CARDS = {
    "ledger/catalog/gpus.yaml": "a100: {title: A100}\nh100: {title: H100, counts_as: {a100: 2x}}\n",
    "ledger/demo/project.yaml": "title: Demo\nversion: 1.0\nas_of: 2026-01-01\ngpu: a100\n",
    "ledger/demo/plan.yaml": """\
work:
  title: Work
  items:
    small: {title: Small, scope: one-time, gpu_hours: 400}
    big: {title: Big, scope: one-time, gpu: h100, gpu_hours: 1000}
    probe: {title: Probe, scope: one-time, gpu_hours: {formula: plan.big.gpu_hours / 10}}
""",
    "ledger/allocations.yaml": """\
centre: {title: Centre, gpu: a100, gpu_hours: unknown, since: 2026, until: 2026, projects: [demo]}
""",
}
"""Work on the card of a centre, and on another one."""


def test_hours_on_another_card_are_not_asked_for(tmp_path: Path) -> None:
    """Nor are they turned into hours of the centre's card, as the whole was: 400 + 2 x 1,000."""
    done = given(plant(tmp_path, TWO_CARDS), "application", "demo")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "allocations.centre is on A100, and demo.budget.final has 500 GPU-h on A100 and 1,000 GPU-h on H100 of "
        "work to do; name hours on that card with --of, such as demo.plan.small.remaining\n"
    )
    assert given(tmp_path, "application", "demo", "--of", "plan.small.remaining").returncode == 0
    probe = given(tmp_path, "application", "demo", "--of", "plan.probe.remaining")
    assert (probe.returncode, probe.stderr) == (0, ""), "its hours rest on those of another item, and are on the card"


def test_work_on_the_other_card_that_is_done_is_not_in_the_way(tmp_path: Path) -> None:
    """What remains is on the card of the centre; work that is done there leaves nothing to ask for."""
    run = "- {{date: 2026-01-10, item: {}, gpu: {}, gpu_hours: {}, progress: {{done: 1, total: 1}}}}\n"
    root = plant(tmp_path, {**TWO_CARDS, "ledger/demo/runs/2026.yaml": run.format("big", "h100", 1000)})
    assert given(root, "application", "demo").stdout.startswith("Demo: 500 GPU-h of “Centre”")
    plant(root, {"ledger/demo/runs/2026.yaml": run.format("small", "a100", 400) + run.format("probe", "a100", 100)})
    done = given(root, "application", "demo")
    assert (done.returncode, done.stderr.split("; ")[1]) == (2, "no hours are left on that card\n")


def test_work_on_one_other_card_is_converted(tmp_path: Path) -> None:
    """All of it is on H100, where an hour is two of the centre's."""
    plan = "work: {title: Work, items: {big: {title: Big, scope: one-time, gpu: h100, gpu_hours: 1000}}}\n"
    done = given(plant(tmp_path, {**TWO_CARDS, "ledger/demo/plan.yaml": plan}), "application", "demo")
    assert done.stdout.startswith("Demo: 2,000 GPU-h of “Centre”")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return plant(tmp_path, FILES)


def test_half_years_of_standard_hours(root: Path) -> None:
    """20,954.15 and 21,301.45 for 181 and 184 days. Phases: 4,600 × 6 and 1,524 × 6, and 918.6 × 6."""
    done = given(root, "application", "demo")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert lines == [
        "Demo: 42,255.6 standard hours of “Centre”, 2026 to 2026",
        "7,042.6 GPU-h (Final budget); 6 standard hours for each GPU-h",
        "",
        "2026 H1, 2026-01-01 to 2026-06-30 3,492.4 GPU-h 20,954.1 standard hours",
        "2026 H2, 2026-07-01 to 2026-12-31 3,550.2 GPU-h 21,301.5 standard hours",
        "Total 7,042.6 GPU-h 42,255.6 standard hours",
        "",
        "First 4,600.0 GPU-h 27,600.0 standard hours",
        "Second 1,524.0 GPU-h 9,144.0 standard hours",
        "Contingency 918.6 GPU-h 5,511.6 standard hours",
        "Total 7,042.6 GPU-h 42,255.6 standard hours",
        "",
        "Hours are spread evenly over the days of the grant.",
    ]
    assert not (root / "docs").exists()


def test_node_hours_by_quarter(root: Path) -> None:
    text = FILES["ledger/allocations.yaml"].replace("units_per_gpu_hour: 6", "gpus_per_unit: 4")
    plant(root, {"ledger/allocations.yaml": text.replace("standard", "node")})
    done = given(root, "application", "demo", "--by", "quarters", "--of", "demo.plan.train.total")
    assert "Demo: 1,150 node hours of “Centre”" in done.stdout
    assert "0.25 node hours for each GPU-h, 4 GPUs a unit" in done.stdout
    periods = [line.split() for line in done.stdout.splitlines() if line.startswith("  2026 Q")]
    numbers = [int(words[-3]) for words in periods]
    assert numbers == [283, 287, 290, 290]  # of 283.56, 286.71, 289.86, 289.86; three are left over
    assert sum(numbers) == 1150


@pytest.mark.parametrize(
    ("grants", "words", "said"),
    [
        ("", (), "no allocation to request; add it to ledger/allocations.yaml"),
        (None, ("--grant", "center"), "there is no grant `center` of demo; did you mean `centre`?"),
        (
            None,
            ("--of", "demo.budget.finel"),
            "there is no figure `demo.budget.finel`; did you mean `demo.budget.final`",
        ),
        (
            "a: {title: A, gpu_hours: 1, projects: [demo]}\nb: {title: B, gpu_hours: 1, projects: [demo]}\n",
            (),
            "demo draws on a, b; name one with --grant",
        ),
        ("a: {title: A, gpu_hours: 1, projects: [demo]}\n", (), "allocations.a has no `since` and `until`"),
    ],
)
def test_what_is_not_said_is_asked_for(root: Path, grants: str | None, words: tuple[str, ...], said: str) -> None:
    if grants is not None:
        plant(root, {"ledger/allocations.yaml": grants})
    done = given(root, "application", "demo", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_without_typst_lines_are_told_and_a_file_is_not_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reckon.cli.output.is_installed", lambda library: library != "typst")
    assert given(root, "application", "demo").returncode == 0
    done = given(root, "application", "demo", "--out", "a.pdf")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("the package typst is needed and not installed; to get it: ")
    assert not (root / "a.pdf").exists()


def test_the_pdf_has_it_and_says_whether_it_is_a_draft(root: Path) -> None:
    pytest.importorskip("typst")
    pypdf = pytest.importorskip("pypdf")
    assert given(root, "application", "demo", "--out", "draft.pdf").returncode == 0
    pages = pypdf.PdfReader(root / "draft.pdf").pages
    text = " ".join(" ".join(page.extract_text() for page in pages).split())
    assert "Draft: from the ledger with data through 2026-01-01, which is not released." in text
    for said in (
        "Demo: application for computing time",
        "42,255.6 standard hours of “Centre”",
        "Total 7,042.6 42,255.6",
        "2026 H1, 2026-01-01 to 2026-06-30 3,492.4 20,954.1",
        "Contingency 918.6 5,511.6",
        "https://github.com/team/budgets/blob/main/docs/demo/index.md",
    ):
        assert said in text
    assert given(root, "release", "demo", "1.0", "-m", "Why.", "--date", "2026-01-02").returncode == 0
    assert given(root, "application", "demo", "--out", "final.pdf").returncode == 0
    text = " ".join(pypdf.PdfReader(root / "final.pdf").pages[0].extract_text().split())
    assert "From version 1.0, released 2026-01-02." in text
    assert "Draft" not in text
    refused = given(root, "application", "demo", "--out", "ledger")
    assert refused.returncode == 2
    assert "ledger is not a file that can be replaced" in refused.stderr


RUN = "- {date: 2026-03-31, item: train, gpus: 4, wall_hours: 250, status: completed}\n"
"""1,000 of 4,600 h by the end of March; 6,042.6 are left."""


def lines_of(stdout: str) -> list[str]:
    return [" ".join(line.split()) for line in stdout.splitlines()]


def test_once_there_are_runs_what_is_left_is_asked_for_after_them(root: Path) -> None:
    """6,042.6 h over the 275 days from April: 91, 92 and 92 of them in each quarter, 1,999.55, 2,021.52 twice."""
    plant(root, {"ledger/demo/runs/2026-03.yaml": RUN})
    done = given(root, "application", "demo", "--by", "quarters")
    assert done.returncode == 0, done.stderr
    lines = lines_of(done.stdout)
    assert lines[1] == "6,042.6 GPU-h (Left of the final budget); 6 standard hours for each GPU-h"
    assert lines[2] == "1,000 GPU-h were charged to the project before, as of 2026-03-31."
    hours = [line.split(" GPU-h")[0] for line in lines[4:]]
    assert hours[:4] == [
        "2026 Q2, 2026-04-01 to 2026-06-30 1,999.6",
        "2026 Q3, 2026-07-01 to 2026-09-30 2,021.5",
        "2026 Q4, 2026-10-01 to 2026-12-31 2,021.5",
        "Total 6,042.6",
    ]
    assert hours[5:9] == ["First 3,600.0", "Second 1,524.0", "Contingency 918.6", "Total 6,042.6"]
    said = "Hours are spread evenly over the days after 2026-03-31, the last day with runs."
    assert " ".join(lines[-2:]) == said


def test_of_a_whole_budget_only_what_is_charged_to_it_is_told(root: Path) -> None:
    """1,000 h of the base and 10 of an extension of 50."""
    extension = "more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 50}}}\n"
    plan = (root / "ledger/demo/plan.yaml").read_text("utf-8") + extension
    begun = "- {date: 2026-03-31, item: b, gpu_hours: 10, progress: {done: 1, total: 5}}\n"
    plant(root, {"ledger/demo/plan.yaml": plan, "ledger/demo/runs/2026-03.yaml": RUN + begun})
    for of, hours in (("final", "1,000"), ("extended", "1,010")):
        lines = lines_of(given(root, "application", "demo", "--of", f"demo.budget.{of}").stdout)
        assert lines[2] == f"Of the whole budget {hours} GPU-h are charged already, as of 2026-03-31."


def test_the_whole_budget_is_asked_for_when_it_is_named(root: Path) -> None:
    plant(root, {"ledger/demo/runs/2026-03.yaml": RUN})
    lines = lines_of(given(root, "application", "demo", "--of", "demo.budget.final").stdout)
    assert lines[0].startswith("Demo: 42,255.6 standard hours")
    assert lines[2] == "Of the whole budget 1,000 GPU-h are charged already, as of 2026-03-31."
    assert lines[4].startswith("2026 H1, 2026-01-01 to 2026-06-30 3,492.4")


def test_days_that_are_past_are_not_asked_for(root: Path) -> None:
    plant(root, {"ledger/demo/runs/2026-12.yaml": RUN.replace("2026-03-31", "2026-12-31")})
    done = given(root, "application", "demo", "--out", "a.pdf")
    assert (done.returncode, done.stdout) == (2, "")
    assert "allocations.centre ends on 2026-12-31, and runs go through 2026-12-31: no day of it is left" in done.stderr
    assert not (root / "a.pdf").exists()


def test_nothing_left_is_nothing_to_ask_for(root: Path) -> None:
    plant(root, {"ledger/demo/runs/2026-03.yaml": RUN.replace("250", "2500")})
    done = given(root, "application", "demo")
    assert done.returncode == 2
    told = "nothing is left to ask for: demo.budget.remaining is not above 0; name another figure with --of"
    assert told in done.stderr
    whole = given(root, "application", "demo", "--of", "budget.final")
    assert whole.returncode == 0, "an address is one of the project that requests hours"


def test_the_pdf_says_one_number_for_one_thing_and_what_it_costs(root: Path) -> None:
    """7,042.6 h at $2 are $14,085 as printed; the sentence about the project has 7,042.6 and not 7,043."""
    pytest.importorskip("typst")
    pypdf = pytest.importorskip("pypdf")
    prices = "list: {title: List, as_of: 2026-01-01, usd_per_gpu_hour: {card: 2}}\n"
    head = FILES["ledger/demo/project.yaml"] + "prices: [list]\n"
    plant(root, {"ledger/catalog/prices.yaml": prices, "ledger/demo/project.yaml": head})
    assert given(root, "application", "demo", "--out", "a.pdf").returncode == 0
    text = " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(root / "a.pdf").pages).split())
    assert "At the prices of the plan that is $14,085." in text
    assert "The project 7,042.6 GPU-h are planned" in text
    assert "Cost $14,085" in text
    assert "Verdict" not in text
