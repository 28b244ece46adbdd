# ruff: noqa: E501 (lines of a ledger and of pages stand unbroken)
"""The page of runs of a project with imports: what it adds up, how much it shows, and that others have none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from reckon.present.pages import present
from tests.booked import standing
from tests.compute.test_imported import ASIDE, IMPORTS, JOB, LOOSE, PROJECT, TYPED, job, tree

ROOT = Path(__file__).resolve().parents[2]


def pages(made: Any) -> dict[str, str]:
    return present(made.book(), [ROOT / "templates"], lambda _: None)


def text(made: Any, page: str = "imports") -> str:
    """A page without its links, or the status page with those that go with it."""
    found = pages(made)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", standing(found) if page == "status" else found[f"docs/p/{page}.md"])


def test_a_project_without_imports_has_no_such_page(ledger: Any) -> None:
    made = pages(
        ledger(
            project=PROJECT.replace("prices: [list]\n", ""),
            runs="- {date: 2025-02-04, item: x, unplanned: true, gpu_hours: 7}\n",
        )
    )
    assert "docs/p/imports.md" not in made
    assert "imports.md" not in made["docs/nav.yml"] + standing(made)


def test_a_source_from_which_nothing_came_yet(ledger: Any) -> None:
    found = text(
        ledger(
            project=PROJECT.replace("prices: [list]\n", ""),
            runs="- {date: 2025-02-04, item: x, unplanned: true, gpu_hours: 7}\n",
            plan="one: {title: One, items: {a: {title: A, scope: one-time, gpu_hours: 1}}}\n",
            **{"ledger/p/imports.yaml": IMPORTS},
        )
    )
    assert "| Fox | `fox` | never | 0 | 0 | 0 | 0 |" in found
    assert "## Still open" not in found


def test_what_is_open_unassigned_ignored_and_without_a_gpu(ledger: Any) -> None:
    """15 GPUs × 2 h unassigned, 4 GPUs × 5 h still running; ignored 2 GPUs × 1 h; 2 nodes × 2 h without a GPU."""
    running = job(2, "item: a, start: '2025-02-05T10:00:00Z', gpu: card, gpus: 4, wall_hours: 5, status: running")
    imports = IMPORTS.replace("item: a}", "ignore: charged to another grant}")
    made = tree(
        ledger, LOOSE + running, TYPED, **{"ledger/p/imports.lock.yaml": ASIDE, "ledger/p/imports.yaml": imports}
    )
    found = text(made)
    assert "| Fox | `fox` | 2025-02-20 | 1 | 2 | 50 | 1 |" in found
    assert "| `fox/2@2025-02-01T00:00:00Z` | A | 2025-02-05 10:00 | 20 |" in found
    assert "| odd |  | 1 | 30 |" in found or "| odd | | 1 | 30 |" in found
    assert "| fox | all | charged to another grant | 1 | 2 |" in found
    assert "| fox | gpu | 1 | 4 |" in found
    assert (
        "Imported through 2025-02-20 from Fox; 1 still open; 30 GPU-h unassigned; 2 GPU-h ignored: see the imports."
        in text(made, "status")
    )
    assert "| Unassigned | – | 30 |" in text(made, "status") or "Unassigned" in text(made, "status")


def test_the_newest_fifty_stand_one_by_one_and_all_others_by_month(ledger: Any) -> None:
    """53 jobs of 2 h: three of them, on one GPU each, are 6 GPU-h of January."""
    old = "".join(job(number, f"item: a, gpus: 1, {JOB}".replace("2025-02-03", "2025-01-03")) for number in range(3))
    new = "".join(job(number, f"item: a, gpus: 1, {JOB}") for number in range(3, 53))
    found = text(tree(ledger, old + new))
    assert found.count("| 2025-02-03 12:00 |") == 50
    assert "| 2025-01 | A | Card | completed | 3 | 6 |" in found
    assert "budget export --table runs --format csv" in found


def test_an_imported_run_is_corrected_at_its_rule(ledger: Any) -> None:
    found = text(tree(ledger, job(1, f"item: a, gpus: 1, {JOB}"), TYPED))
    assert re.search(r"\| A \|.* \| `imports\.yaml:1` \|", found)
    assert re.search(r"\| debug \|.* \| `runs/2025\.yaml:1` \|", found)


def test_where_all_is_imported_the_source_settles_how_much_is_done(ledger: Any) -> None:
    found = text(tree(ledger, job(1, f"item: a, gpus: 1, {JOB}")), "status")
    assert "`imports.fox.finishes`" in found


METERS = """\
meter: {title: Meter, format: csv, counts: energy, cluster: fox, columns: {Id: job, Used: energy_kwh, Job: scheduler_job}}
bill: {title: Cloud, format: focus}
"""
ADDED = """\
- {start: '2025-02-03T10:00:00Z', item: a, adds: energy, adds_to: fox/1, job: meter/m1, imported: {source: meter, state: COMPLETED, energy_kwh: 3}}
- {start: '2025-02-03T10:00:00Z', item: a, adds: energy, job: meter/m2, imported: {source: meter, state: COMPLETED, energy_kwh: 0.5}}
"""
BILLED = """\
- {start: '2025-02-01T00:00:00Z', end: '2025-03-01T00:00:00Z', item: unassigned, unassigned: true, adds: money, job: bill/B/2025-02-01/unassigned/Disk, imported: {source: bill, state: COMPLETED, billed_usd: 12.5, effective_usd: 10, name: Disk}}
"""


def test_energy_and_money_of_entries_without_hours(ledger: Any) -> None:
    """3 kWh of job 1 and 0.5 kWh of none; $12.50 that no rule assigns. One run is counted, of 2 GPU-h."""
    files = {
        "ledger/p/imports.yaml": IMPORTS + METERS,
        "ledger/p/runs/import/meter-2025-02.yaml": ADDED,
        "ledger/p/runs/import/bill-2025-02.yaml": BILLED,
    }
    made = tree(ledger, job(1, f"item: a, gpus: 1, {JOB}"), "", **files)
    assert "ledger/p/runs/import/meter-2025-02.yaml" in str(made.book().ledger.files)
    found, status = text(made), text(made, "status")
    assert "| Meter | `meter` | never | 0 | 0 | 0 | 0 | 2 | 3.5 kWh | – | – |" in found
    assert "| Cloud | `bill` | never | 0 | 0 | 0 | 0 | 1 | – | $12.50 | $10.00 |" in found
    assert "## Unassigned energy and money" in found
    assert "| Cloud | Disk | 1 | $12.50 | $10.00 |" in found
    assert "| Unassigned | | $12.50 |" in status
    assert "stated by 1 entry without hours" in status
    assert found.count("| 2025-02-03 12:00 |") == 1
