"""What is gathered from the columns of runs is what each run adds by itself; and ordinary runs are not looked at."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction as F
from pathlib import Path

import pytest

from reckon.compute.budget.actuals import Tally, by_seed
from reckon.compute.budget.attempts import Lost
from reckon.compute.budget.progress import PieceOfWork, finishes_of
from reckon.compute.calculation import calculate
from reckon.compute.sheet.inputs import ratio_address, write_inputs
from reckon.compute.sheet.sheet import Sheet
from reckon.load import canonical_runs
from reckon.load.reader import load
from reckon.model.day_split import by_day, spread
from reckon.model.figure import HOURS, OWN_HOURS, UNASSIGNED, USEFUL, Selection, Traits
from reckon.model.ledger import Ledger, ProjectLedger
from reckon.model.records import Run
from reckon.model.runs import AllRuns
from tests.mutating import RUNS, tree
from tests.small import plant

PLANS = (None, F(1, 2), F(5), F(40), F(300))
FINISHES = ("", "", ", finishes: run", ", finishes: piece", ", finishes: never")


def made(seed: int, root: Path) -> tuple[Ledger, ProjectLedger, Tally]:
    """A ledger of runs as commands and importers write them, and its tally; what completed runs finish varies."""
    draw = random.Random(seed)
    files = tree(draw)
    plan, sources = files["ledger/demo/plan.yaml"], files["ledger/demo/imports.yaml"]
    plan = plan.replace("gpu_hours: 40}", f"gpu_hours: 40{draw.choice(FINISHES)}}}")
    said = draw.choice((", finishes: run", ", finishes: piece", ""))
    files |= {"ledger/demo/plan.yaml": plan, "ledger/demo/imports.yaml": sources.replace("UTC", f"UTC{said}")}
    ledger, wrong = load(plant(root, files))
    assert wrong == []
    sheet = Sheet(ledger.broken)
    write_inputs(sheet, ledger)
    return ledger, ledger.projects["demo"], Tally(sheet, ledger.projects["demo"])


def one_by_one(tally: Tally) -> Iterator[tuple[str, Run, Traits, F | None, F]]:
    """Each run with its file, its traits, what an hour of it counts, and its hours."""
    for file, run, traits in tally.project.each_run():
        found = tally.sheet.settle(ratio_address(traits.gpu, "card")) if traits.gpu != "card" else None
        ratio = F(1) if traits.gpu == "card" else found.use if found else None
        yield file, run, traits, ratio, run.charged_hours


def worked(tally: Tally) -> dict[tuple[str, str], PieceOfWork]:
    """The work of each piece where every run is added by itself."""
    project, found = tally.project, dict[tuple[str, str], PieceOfWork]()
    for number, (_, run, traits, ratio, hours) in enumerate(one_by_one(tally)):
        if traits.item in ("", UNASSIGNED):
            continue
        item = project.items[traits.item]
        piece = found.setdefault((traits.item, traits.seed if by_seed(project, item) else ""), PieceOfWork())
        ends = finishes_of(project, str(run.imported.source)) if run.imported else str(item.finishes or "")
        counted = None if ratio is None else hours * ratio
        if run.status == "held-idle" and run.progress is None:
            piece.idle += [(counted, run.many)] if counted else []
        else:
            piece.add(run, counted, ends, number)
    return found


def by_status(lost: Iterable[Lost]) -> dict[str, F]:
    """Lost hours by the status of the attempts that lost them."""
    found: dict[str, F] = defaultdict(F)
    for each in lost:
        found[each.status] += each.hours
    return found


@pytest.mark.parametrize("seed", range(40))
def test_work_is_what_each_run_tells_by_itself(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_runs, "LEAST", random.Random(seed).choice((0, 10**9)))
    _, _, tally = made(seed, tmp_path)
    wanted = worked(tally)
    assert tally.work.keys() == wanted.keys()
    for key, piece in wanted.items():
        own = tally.work[key]
        same = ("begun", "only_imported", "causes", "needs_plan", "unsettled", "completed_runs")
        assert [getattr(own, name) for name in same] == [getattr(piece, name) for name in same], key
        assert [own.told(plan) for plan in PLANS] == [piece.told(plan) for plan in PLANS], key
        assert own.counted(F(3)) == piece.counted(F(3)), key
        for plan in PLANS[1:]:
            lost, by_itself = own.losses(plan or F(0), None), piece.losses(plan or F(0), None)
            assert sum(each.hours for each in lost) == sum(each.hours for each in by_itself), key
            assert sum(each.many for each in lost) == sum(each.many for each in by_itself), key
            assert by_status(lost) == by_status(by_itself), key


@pytest.mark.parametrize("seed", range(40, 60))
def test_sums_and_days_are_those_of_each_run(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_runs, "LEAST", random.Random(seed).choice((0, 10**9)))
    _, project, tally = made(seed, tmp_path)
    days: dict[object, dict[int, F]] = defaultdict(lambda: defaultdict(F))
    files: dict[tuple[str, bool, str], F] = defaultdict(F)
    for file, run, traits, ratio, hours in one_by_one(tally):
        piece = traits.item, "" if traits.item in ("", UNASSIGNED) else traits.seed
        for day, part in by_day(dict(_added(spread(run, hours)))).items():
            days[piece][day] += part * (ratio or 0)
            days[traits.gpu][day] += part
            days["all"][day] += part * (ratio or 0)
        files[file, traits.status in USEFUL, HOURS] += hours * (ratio or 0)
        files[file, traits.status in USEFUL, OWN_HOURS] += hours
        files[file, traits.status in USEFUL, "cost_usd"] += run.cost_usd or 0
    assert {key: dict(found) for key, found in {**tally.days, **tally.held}.items()} == {
        key: found for key, found in days.items() if key != "all"
    }
    assert dict(tally.spent) == days["all"]
    for failed in (True, False):
        for name in (HOURS, OWN_HOURS):
            figure = tally.figure(Selection(project.id, name, failed=failed), "a", "A")
            if not figure.missing:
                found = {file: hours for file, _, hours in figure.origin.files}
                assert found == {
                    file: sums for (file, useful, of), sums in files.items() if useful is not failed and of == name
                }
                assert sum(found.values()) == figure.use
                assert sum(count for _, count, _ in figure.origin.files) == figure.origin.count
        costs = [sums for (_, useful, of), sums in files.items() if useful is not failed and of == "cost_usd"]
        assert tally.figure(Selection(project.id, "cost_usd", failed=failed), "a", "A").use == sum(costs)


def _added(parts: object) -> dict[range, F]:
    found: dict[range, F] = defaultdict(F)
    for days, hours in parts:  # type: ignore[attr-defined]
        found[days] += hours
    return found


def records(root: Path, many: int, said: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many records are made of so many runs, and for how many it is asked where they stand."""
    counted, record, place = [0, 0], canonical_runs.LineColumns.record, AllRuns.place
    files = {name: text for name, text in tree(random.Random(1)).items() if "/import/" not in name}
    runs = (
        f"- {{date: 2026-01-{number % 28 + 1:02}, item: many, gpus: {said.replace('NUMBER', f'{number:04}')}}}\n"
        for number in range(many)
    )
    files |= {f"{RUNS}/2026-01.yaml": "".join(runs), f"{RUNS}/2026-02.yaml": ""}

    def made_of(own: canonical_runs.LineColumns, at: int) -> Run:
        counted[0] += 1
        return record(own, at)

    def stands(own: AllRuns, number: int) -> object:
        counted[1] += 1
        return place(own, number)

    with monkeypatch.context() as changed:
        changed.setattr(canonical_runs, "LEAST", 0)
        changed.setattr(canonical_runs.LineColumns, "record", made_of)
        changed.setattr(AllRuns, "place", stands)
        ledger, wrong = load(plant(root, files))
        book, more = calculate(ledger)
        assert [*wrong, *more] == []
        assert dict(book.findings)
    return counted[0], counted[1]


@pytest.mark.parametrize(
    "said",
    [
        "1, wall_hours: 20.NUMBER, status: completed",  # 20 GPU-hours where 5 are planned: not near it
        "4, wall_hours: 1.NUMBER, status: failed",
        "2, wall_hours: 0.1NUMBER, status: completed, cost_usd: 1.NUMBER",
    ],
)
def test_nothing_is_made_of_a_run_of_which_nothing_is_said(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many records are made, and as many places asked for, with eight hundred such runs as with a hundred."""
    few, many = (records(tmp_path / str(number), number, said, monkeypatch) for number in (100, 800))
    assert few == many
    assert max(many) < 10


def test_a_run_that_is_odd_beside_its_plan_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four GPUs for five hours where five GPU-hours are planned: the hours look like GPU-hours already.

    They failed: completed ones that are alike accuse the plan."""
    made_of, _ = records(tmp_path, 50, "4, wall_hours: 5.NUMBER, status: failed", monkeypatch)
    assert made_of >= 50
