"""`fit` as it is used: what it prints in each format, what it refuses, and that it writes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from reckon.cli import main
from tests.fitting import FITTING
from tests.small import plant

ROOT = Path(__file__).resolve().parents[2]
Printed = pytest.CaptureFixture[str]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return plant(tmp_path, FITTING)


def out(capsys: Printed, *words: str, root: Path, code: int = 0) -> str:
    try:
        found = main(["fit", "--root", str(root), *words])
    except SystemExit as stop:  # what argparse refuses
        found = int(stop.code or 0)
    printed = capsys.readouterr()
    assert found == code, printed.err
    return printed.err if code else printed.out


def answer(capsys: Printed, *words: str, root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(out(capsys, *words, "--format", "json", root=root))
    return found


def test_the_table_as_a_program_prints_it(tree: Path) -> None:
    command = [sys.executable, str(ROOT / "budget.py"), "fit", "short", "--root", str(tree), "--suggest"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
Short (p.configurations.short)
Reserve: 2 GiB of each card. Time: 60 min.

Part     Memory, GiB      From
server   80% of the card  a pool, as server.share says
trainer  8                stated: 8 GiB

Card    server, GiB  Need, GiB  Usable, GiB  Headroom, GiB  Verdict
small   12.8         20.8       16           −4.8           does not fit
middle  35.2         43.2       44           0.8            tight
large   64           72         80           8              fits

The catalogue does not state the memory of Dark (dark).

small: fits with checkpointing, half. Headroom: 2 GiB.
Time: 84 min.
2 settings to change in short:
  server.share: 0.5
  checkpoint: true

middle: fits with half. Headroom: 14 GiB.
Time: 66 min.
1 setting to change in short:
  server.share: 0.5

large: fits as it is.

Not tried: vague; what it saves is not stated.
The smallest card on which it fits is large as it is, and small with levers.
"""
    )


def test_markdown_holds_the_overrides_as_yaml(tree: Path, capsys: Printed) -> None:
    told = out(capsys, "short", "--gpu", "middle", "--suggest", "--format", "markdown", root=tree)
    assert "| middle | 35.2 | 43.2 | 44 | 0.8 | tight |\n" in told
    assert "```yaml\nserver.share: 0.5\n```\n" in told


def test_json_is_exact(tree: Path, capsys: Printed) -> None:
    found = answer(capsys, "short", "--gpu", "middle", "small", "--suggest", root=tree)
    small, middle = found["cards"]
    assert (small["gpu"], middle["gpu"], middle["verdict"]) == ("small", "middle", "tight")
    assert middle["need_gib"]["use"] == "43.2"
    one = found["suggestions"][0]
    assert one["levers"] == ["checkpointing", "half"]
    # 1 + 60% x 50% + 40% x (1 / 0.8 - 1)
    assert Fraction(one["expected_hours"]["use"]) == Fraction("1.4")
    assert one["overrides"] == {"server.share": "0.5", "checkpoint": "true"}
    assert found["smallest"] == {"as_it_is": "large", "with_levers": "small"}


def test_a_larger_reserve_leaves_something_missing(tree: Path, capsys: Printed) -> None:
    told = out(capsys, "short", "--gpu", "small", "--suggest", "--reserve", "5", root=tree)
    # 8 + 6 GiB less 1 GB, and 5 of 16 to stay free
    assert "small: no levers make it fit. 2.1 GiB still missing with checkpointing, half, batch" in told
    assert "13.1 GiB needed and 5 GiB to stay free, of 16 GiB." in " ".join(told.split())
    found = answer(capsys, "short", "--gpu", "small", "--suggest", "--reserve", "5", root=tree)["suggestions"][0]
    assert Fraction(found["lacking_gib"]) == 19 - Fraction(10**9, 2**30) - 16


def test_nothing_fits(tree: Path, capsys: Printed) -> None:
    told = out(capsys, "--params", "900B", "--dtype", "bf16", "--suggest", root=tree)
    assert told.count("does not fit") == 3
    assert told.endswith("There are no levers to try.\nIt fits on no card.\n")


def test_seven_billion_parameters_from_options_alone(tree: Path, capsys: Printed) -> None:
    found = answer(capsys, "--params", "7B", "--dtype", "bf16", "--train", "adam", root=tree)
    sizes = {part["part"]: Fraction(part["need_gib"]["use"]) * 2**30 / 10**9 for part in found["parts"]}
    assert sizes == {"weights": 14, "gradients": 14, "optimizer": 84}
    assert [card["verdict"] for card in found["cards"]] == ["does not fit"] * 3
    shared = ("--sharding", "zero-3", "--gpus", "8")
    found = answer(capsys, "--params", "7B", "--dtype", "bf16", "--train", "adam", *shared, root=tree)
    # 112 / 8 = 14 GB: 13.04 GiB
    assert [card["verdict"] for card in found["cards"]] == ["fits"] * 3


def test_serving_a_model_of_the_catalogue(tree: Path, capsys: Printed) -> None:
    words = ("--model", "seven", "--dtype", "fp16", "--context", "8k", "--batch", "8")
    found = answer(capsys, *words, "--gpu", "middle", root=tree)
    cache = next(part for part in found["parts"] if part["part"] == "kv-cache")
    assert Fraction(cache["need_gib"]["use"]) * 2**30 == 131_072 * 8_000 * 8
    assert found["cards"][0]["verdict"] == "fits"


def test_missing_inputs_are_named_as_options(tree: Path, capsys: Printed) -> None:
    told = out(capsys, "--params", "7B", "--gpu", "middle", root=tree)
    assert "--dtype is missing" in told
    assert "Not counted: the KV cache: it needs --context and --batch." in told
    told = out(
        capsys, "--model", "bare", "--dtype", "bf16", "--context", "9", "--gpu", "middle", "--suggest", root=tree
    )
    assert "--layers, --kv-heads, --head-size, --batch are missing" in told
    assert "On which cards it fits cannot be said." in told
    words = ("--layers", "1", "--kv-heads", "1", "--head-size", "1", "--batch", "1")
    told = out(capsys, "--model", "bare", "--dtype", "bf16", "--context", "9", *words, root=tree)
    assert "missing" not in told


def test_activations_where_their_inputs_are_there(tree: Path, capsys: Printed) -> None:
    words = ("--model", "seven", "--dtype", "bf16", "--train", "sgd", "--context", "2048", "--batch", "1")
    found = answer(capsys, *words, "--recompute", "full", root=tree)
    last = found["parts"][-1]
    assert (last["part"], Fraction(last["need_gib"]["use"]) * 2**30) == ("activations", 32 * 2048 * 4096 * 2)


def test_what_if(tree: Path, capsys: Printed) -> None:
    told = out(capsys, "short", "--gpu", "middle", "--set", "p.configurations.short.memory.trainer.gib=6", root=tree)
    assert told.splitlines()[-1].split()[-1] == "fits"


def refused() -> Iterator[tuple[tuple[str, ...], str]]:
    yield ("shrt",), "there is no configuration `shrt`; did you mean `short`?"
    yield ("short", "--gpu", "midle"), "there is no GPU `midle` in the catalogue; did you mean `middle`?"
    yield ("short", "--project", "q"), "there is no project `q`; there are `p`"
    yield ("--model", "sevn"), "there is no model `sevn` in the catalogue; did you mean `seven`?"
    yield (), "name a configuration, or describe the job with --params or --model"
    yield ("short", "--params", "7B"), "--params cannot be used with CONFIG"
    yield ("--project", "p"), "--project needs CONFIG"
    yield ("--params", "7B", "--model", "seven"), "--params and --model exclude each other"
    yield ("--params", "7B", "--sharding", "zero-1", "--gpus", "2"), "--sharding needs --train"
    yield ("--params", "7B", "--train", "adam", "--gpus", "2"), "--gpus and --sharding need each other"
    yield ("--params", "seven"), "`seven` is not a number"
    yield ("--params", "0"), "'0' is not a value above zero"
    yield ("--params", "10%"), "'10%' is not a value above zero"
    yield ("short", "--reserve", "1-2"), "'1-2' is not a reserve"
    yield ("--params", "7B", "--dtype", "bf61"), "invalid choice: 'bf61'"


@pytest.mark.parametrize(("words", "said"), list(refused()))
def test_what_cannot_be_asked_is_refused(tree: Path, capsys: Printed, words: tuple[str, ...], said: str) -> None:
    assert said in out(capsys, *words, root=tree, code=2)


def test_configurations_of_one_name_in_two_projects(tree: Path, capsys: Printed) -> None:
    plant(
        tree,
        {
            "ledger/q/project.yaml": FITTING["ledger/p/project.yaml"],
            "ledger/q/configurations.yaml": "short: {title: Other}\n",
        },
    )
    assert "name one with --project: p, q" in out(capsys, "short", root=tree, code=2)
    assert "Short (p.configurations.short)" in out(capsys, "short", "--project", "p", root=tree)
    assert "`short` has no `memory:`" in out(capsys, "short", "--project", "q", root=tree, code=2)


def test_a_title_cannot_act_on_a_terminal_or_in_markdown(tree: Path, capsys: Printed) -> None:
    text = FITTING["ledger/p/configurations.yaml"].replace("title: Short", "title: 'a | <b>'")
    plant(tree, {"ledger/p/configurations.yaml": text})
    told = out(capsys, "short", "--format", "markdown", root=tree)
    assert "<b>" not in told


def test_nothing_is_written(tree: Path, capsys: Printed) -> None:
    before = {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}
    out(capsys, "short", "--suggest", root=tree)
    assert {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()} == before


def test_what_a_pool_has_to_hold_is_still_missing_on_a_card_of_16_gib(capsys: Printed) -> None:
    """The server has half of 15.61 GiB then, and nobody says what its cache takes."""
    assert (
        main(["fit", "three-hour", "--project", "grpo-gsm8k", "--gpu", "rtx-a4000", "--suggest", "--root", str(ROOT)])
        == 0
    )
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "Still missing to be sure: the size of KV cache, for which SGLang server then has 7.8 GiB on rtx-a4000." in said
    )
    assert "sglang.mem_fraction_static: 0.5" in said


def test_a_larger_reserve_leaves_gib_missing_on_a_card_of_16_gib(capsys: Printed) -> None:
    """Half of 15.61 and the trainer's 8 x 0.65 - 2 GiB, 11.005 GiB, and 6 to stay free: 1.395 too many."""
    command = ["fit", "three-hour", "--project", "grpo-gsm8k", "--gpu", "rtx-a4000", "--suggest", "--reserve", "6"]
    assert main([*command, "--root", str(ROOT)]) == 0
    assert "no levers make it fit. 1.4 GiB still missing" in " ".join(capsys.readouterr().out.split())
