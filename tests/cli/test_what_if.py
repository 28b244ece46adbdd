# ruff: noqa: E501 (messages stand unbroken)
"""`--set`: the same reckoning on a changed ledger. What comes out, what is refused, and that nothing is written."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from tests.released import files
from tests.small import plant

Say = Callable[..., tuple[int, str, str]]


def state(root: Path) -> dict[str, tuple[bytes, int]]:
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of a real ledger, Pixelis as first released, in which nothing may change."""
    plant(tmp_path, {path: text for path, text in files().items() if path.split("/")[1] in ("catalog", "pixelis")})
    before = state(tmp_path)
    yield tmp_path
    assert state(tmp_path) == before


@pytest.fixture
def say(tree: Path, capsys: pytest.CaptureFixture[str]) -> Say:
    """Runs a command on the tree: exit code, output, complaints."""

    def run(command: str, *words: str) -> tuple[int, str, str]:
        options = [word for one in words for word in (("--set", one) if "=" in one else (one,))]
        code = main(["--root", str(tree), command, *options])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def figures(say: Say, *changes: str) -> dict[str, Any]:
    code, out, err = say("export", *changes)
    assert (code, err) == (0, "")
    return {one["address"]: one["use"] for one in json.loads(out)["figures"]}


def test_five_seeds_and_a_fifth_for_the_unforeseen(say: Say) -> None:
    """Per seed 45 + 250 + 30 + 60 + 40 = 425; once 5, single 30 + 25 = 55; extensions 800."""
    found = figures(say, "pixelis.seeds=5", "pixelis.contingency=20%")
    assert found["pixelis.budget.per-seed"] == "2125"  # 5 x 425
    assert found["pixelis.budget.subtotal"] == "2185"
    assert found["pixelis.budget.contingency"] == "437"  # 20% of 2,185
    assert found["pixelis.budget.final"] == "2622"
    assert found["pixelis.budget.extended"] == "3422"
    assert found["pixelis.plan.sft.seeds.5.actual"] == "0"
    assert "pixelis.plan.sft.seeds.4.actual" not in figures(say)


def test_the_input_of_a_formula(say: Say) -> None:
    """4 epochs x 9 h x 8 GPUs x 1.1 = 316.8 GPU-h; with 3 epochs 237.6."""
    assert figures(say)["pixelis.plan.sft.estimate"] == "237.6"
    assert figures(say, "pixelis.plan.sft.estimate.epochs=4")["pixelis.plan.sft.estimate"] == "316.8"


@pytest.mark.parametrize(
    ("change", "address", "use"),
    [
        ("plan.sft.gpu_hours=60-80", "plan.sft.total", "210"),  # 3 x 70
        ("plan.sft.scope=one-time", "plan.sft.total", "45"),
        ("plan.svd.contingency=0", "budget.contingency", "199.5"),  # 15% of 1,330
        ("phases.evaluation.contingency=0", "budget.contingency", "174"),  # 15% of 1,335 - 175
        ("ceiling=2k", "budget.below_ceiling", "464.75"),  # 2,000 - 1,535.25; there was no ceiling
        ("figures.wal=1 TB", "figures.storage-total", "1450"),  # 100 + 1,000 + 300 + 50 GB
        ("figures.checkpoints.gb_per_checkpoint=10", "figures.storage-total", "300"),
        ("hardware.node.minimum_ram_gb=64", "hardware.node.minimum_ram_gb", "64"),
        ("projections.rft-5k-steps-8-gpus.gpus=4", "projections.rft-5k-steps-8-gpus.gpus", "4"),
        ("memory.training.need_gib_per_gpu=50", "plan.sft.need_gib_per_gpu", "50"),
        ("plan.rft.settings.generation_overhead=10x", "projections.rft-5k-steps.multiplier", "10"),
    ],
)
def test_whatever_has_an_address_can_be_set(say: Say, change: str, address: str, use: str) -> None:
    for changed in (change, f"pixelis.{change}"):  # with one project its id can be left out
        assert figures(say, changed)[f"pixelis.{address}"] == use


def test_a_ratio_and_a_price_of_the_catalogue(say: Say) -> None:
    """SVD stands on another card: 5 GPU-h there count as 5 x 1.3, once a ratio is given. A price makes money of hours."""
    ratio = "catalog.gpus.a100-80gb.counts_as.a100-40gb=1.3"
    assert figures(say)["pixelis.budget.one-time"] == "5"
    assert figures(say, ratio)["pixelis.budget.one-time"] == "6.5"
    price = "catalog.prices.deepseek-v3-report.usd_per_gpu_hour.h800=0.45"
    assert figures(say, price)["catalog.prices.deepseek-v3-report.usd_per_gpu_hour.h800"] == "0.45"
    code, _, err = say("export", "catalog.gpus.a100-80gb.counts_as.a100-40g=1.3")
    assert code == 2
    assert "did you mean `catalog.gpus.a100-80gb.counts_as.a100-40gb`" in err


def test_the_output_says_what_it_was_reckoned_with(say: Say) -> None:
    changes = ("seeds=5", "pixelis.ceiling=3000", "plan.svd.estimate=unknown")
    heads = [
        "with pixelis.seeds = 5 (ledger: 3)",
        "with pixelis.ceiling = 3000 (not in the ledger)",
        "with pixelis.plan.svd.estimate = unknown (ledger: (full_finetuning_hours + analysis_hours) * gpus)",
    ]
    for command, words in (("status", ()), ("explain", ("budget.final",)), ("explain", ("--list",))):
        code, out, _ = say(command, *words, *changes)
        assert (code, out.splitlines()[:3]) == (0, heads)
        assert "with " not in say(command, *words)[1].splitlines()[0]
    assert "pixelis.seeds = 5 seeds   Seeds   --set seeds=5\n" in say("explain", "seeds", "seeds=5")[1]


def test_an_export_names_its_changes(say: Say) -> None:
    plain, changed = (json.loads(say("export", *words)[1]) for words in ((), ("seeds=5", "ceiling=3k")))
    assert list(plain) == ["format", "figures"]
    assert changed["changes"] == {
        "pixelis.seeds": {"value": "5", "ledger": "3"},
        "pixelis.ceiling": {"value": "3k", "ledger": None},
    }
    seeds = next(one for one in changed["figures"] if one["address"] == "pixelis.seeds")
    assert seeds["lines"] == ["--set seeds=5"]
    table = list(csv.DictReader(io.StringIO(say("export", "--format", "csv", "seeds=5")[1])))
    assert [one["address"] for one in table] == [
        one["address"] for one in json.loads(say("export", "seeds=5")[1])["figures"]
    ]


@pytest.mark.parametrize("change", ["seeds=3", "plan.sft.estimate.hours_per_epoch=8-10", "contingency=15%"])
def test_what_stands_there_changes_nothing(say: Say, change: str) -> None:
    assert figures(say, change) == figures(say)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (["pixelis.seds=5"], "there is no `pixelis.seds` that could be set; did you mean `pixelis.seeds`"),
        (["pixelis.plan.sft.estimate.epoch=5"], "did you mean `pixelis.plan.sft.estimate.epochs`"),
        (["pixelis.phases.offline.items.sft.gpu_hours=5"], "there is no `pixelis.phases.offline.items.sft.gpu_hours`"),
        (["pixelis.accept.0.reason=x"], "there is no `pixelis.accept.0.reason`"),
        (
            ["pixelis.plan.sft=5"],
            "`pixelis.plan.sft` is not a figure itself; below it are `pixelis.plan.sft.gpu_hours`",
        ),
        (["seeds=0"], "--set seeds=0: `0` is not a number of seeds; write a whole number from 1 to 1000"),
        (["contingency=20"], "--set contingency=20: `20` lacks its percent sign; write `20%`"),
        (["plan.sft.gpu_hours=12 h"], "multiply wall-clock hours by the number of GPUs"),
        (["plan.sft.scope=per-sed"], "`per-sed` is not allowed here; did you mean `per-seed`?"),
        (["gpu=a100-40g"], "--set gpu=a100-40g: there is no `a100-40g` in ledger/catalog/gpus.yaml"),
        (["prices=spot"], "a list is expected here"),
        (
            ["pixelis.budget.final=9"],
            "`pixelis.budget.final` is calculated; set one of its inputs: `pixelis.contingency`, `pixelis.plan.svd.gpu_hours`",
        ),
        (
            ["plan.sft.total=9"],
            "`plan.sft.total` is calculated; set one of its inputs: `pixelis.plan.sft.gpu_hours`, `pixelis.seeds`",
        ),
        (["pixelis.runs.2025-09.gpus=8"], "runs and claims cannot be set"),
        (["seeds=4", "pixelis.seeds=5"], "--set pixelis.seeds=5: `pixelis.seeds` is set twice; keep one"),
        (["plan.svd.estimate=4", "plan.svd.estimate.gpus=2"], "this is part of `plan.svd.estimate`, which is also set"),
        (["plan.svd.estimate.gpus=2", "plan.svd.estimate=4"], "this is part of `plan.svd.estimate`, which is also set"),
        (["plan.sft.estimate=200"], "there is no `plan.sft.estimate.gpus` here"),  # another formula needs it
    ],
)
def test_what_cannot_be_set_is_refused(say: Say, changes: list[str], says: str) -> None:
    for command in ("status", "export"):
        code, out, err = say(command, *changes)
        assert (code, out) == (2, "")
        assert says in err


def test_problems_elsewhere_come_with_the_change_that_made_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plant(tmp_path)
    assert main(["--root", str(tmp_path), "status", "--set", "seeds=1"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "with demo.seeds = 1 (ledger: 2)",
        "ledger/demo/runs/2026-01.yaml:2:41: `2` is not a seed of this project; the seeds are 1 [no-such-seed]",
        "1 problem in 1 file",
    ]
    assert main(["--root", str(tmp_path), "status", "--set", "seeds=0"]) == 2
    assert capsys.readouterr().err.endswith("\n1 problem\n")


def test_among_several_projects_the_address_has_to_be_clear(
    tree: Path, say: Say, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that only one project has is clear; one that is new in a project needs its name."""
    root = plant(tmp_path_factory.mktemp("two"))
    shutil.copytree(tree / "ledger", root / "ledger", dirs_exist_ok=True)
    with (root / "ledger/catalog/gpus.yaml").open("a", encoding="utf-8") as file:
        file.write("\ncard: {title: Card}\n")

    def told(change: str) -> str:
        main(["--root", str(root), "explain", "--list", "--set", change])
        said = capsys.readouterr()
        return (said.out + said.err).splitlines()[0]

    assert told("plan.sft.gpu_hours=5") == "with pixelis.plan.sft.gpu_hours = 5 (ledger: 45)"
    assert told("gpus.card.vram_gib=5") == "with catalog.gpus.card.vram_gib = 5 (not in the ledger)"
    assert told("demo.ceiling=5k") == "with demo.ceiling = 5k (not in the ledger)"
    assert (
        told("ceiling=5k")
        == "--set ceiling=5k: no project has `ceiling` yet; name the project, such as `demo.ceiling` [set-unknown]"
    )
    several = "`seeds` is in several projects; name one: `demo.seeds`, `pixelis.seeds`"
    assert told("seeds=5") == f"--set seeds=5: {several} [several-projects]"


HOSTILE = {
    "an escape sequence": "title=\x1b[31mred",
    "an escape sequence in the address": "\x1b[31m=5",
    "a half character": "title=\ud800",
    "a megabyte": "title=" + "x" * 2**20,
    "a megabyte of digits": "plan.sft.gpu_hours=" + "9" * 2**20,
    "an endless number": "plan.sft.gpu_hours=1e999999999",
    "a long address": "a." * 40_000 + "=1",
    "only dots": "...=1",
    "lines": "plan.sft.gpu_hours=5\nseeds: 9",
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_changes_are_refused_in_few_words(say: Say, change: str) -> None:
    code, out, err = say("status", change)
    assert (code, out) == (2, "")
    assert len(err) < 1000
    assert err.replace("\n", "").isprintable()


def test_a_value_may_hold_what_an_address_cannot(say: Say) -> None:
    code, out, _ = say("status", "title=a=b: [c, *d] 'e' \u202e")
    assert code == 0
    assert out.splitlines()[0] == r"with pixelis.title = a=b: [c, *d] 'e' \u202e (ledger: Pixelis)"
    assert out.splitlines()[1].startswith("a=b: [c, *d] 'e' ")


@pytest.mark.parametrize("word", ["seeds", "=5", " =5", ""])
def test_what_is_no_change_is_refused_at_once(tree: Path, capsys: pytest.CaptureFixture[str], word: str) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--root", str(tree), "status", "--set", word])
    assert end.value.code == 2
    assert "is not a change; write ADDRESS=VALUE, such as pixelis.seeds=5" in capsys.readouterr().err


def test_thousands_of_changes(tree: Path, say: Say, capsys: pytest.CaptureFixture[str]) -> None:
    assert say("status", *(f"x{number}=1" for number in range(1000)))[2].endswith("\n1,000 problems\n")
    with pytest.raises(SystemExit) as end:
        say("status", *(f"x{number}=1" for number in range(1001)))
    assert end.value.code == 2
    assert "more than 1,000 changes" in capsys.readouterr().err


def test_a_plan_is_converted_to_another_card_only_where_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """10 hours for testing are 20 on the other card; without `--convert` they stay 10, and the answer says so."""
    plant(tmp_path)
    gpus = "card: {title: Card, counts_as: {other: 2x}}\nother: {title: Other}\n"
    (tmp_path / "ledger/catalog/gpus.yaml").write_text(gpus, "utf-8")
    for more, hours in (((), "10"), (("--convert",), "20")):
        asked = ["--root", str(tmp_path), "explain", "demo.plan.test.gpu_hours", "--set", "demo.gpu=other", *more]
        assert main(asked) == 0
        out = capsys.readouterr().out
        assert f"demo.plan.test.gpu_hours = {hours} GPU-h" in out
        told = "with the planned hours of demo converted to hours on that GPU; runs stay on theirs" in out
        assert (told, "Add `--convert` to the command: it turns" in out) == (bool(more), not more)
    assert main(["--root", str(tmp_path), "export", "--set", "demo.gpu=other", "--convert"]) == 0
    assert json.loads(capsys.readouterr().out)["converted"] == ["demo"]
    assert main(["--root", str(tmp_path), "status", "--set", "demo.seeds=3", "--convert"]) == 2
    assert "add `--set PROJECT.gpu=CARD`" in capsys.readouterr().err
