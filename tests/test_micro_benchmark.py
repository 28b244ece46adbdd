"""The micro-benchmark: what it says without PyTorch, and that the ledger takes what it writes."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from reckon.cli import main
from reckon.load.reader import load
from tests.small import plant

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "micro_benchmark.py"
SMALL = [
    "--layers",
    "1",
    "--width",
    "16",
    "--heads",
    "2",
    "--vocabulary",
    "50",
    "--batch",
    "2",
    "--context",
    "8",
    "--steps",
    "3",
    "--warm-up",
    "1",
    "--device",
    "cpu",
]


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("micro_benchmark", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_here_needs_it() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        assert not [line for line in (ROOT / name).read_text("utf-8").splitlines() if line.startswith("torch")]


def test_without_pytorch_it_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError('no torch', name='torch')\n")
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "PyTorch is not installed; this script alone needs it: python -m pip install '.[benchmark]'\n"
    )


@pytest.mark.parametrize(
    "words", [["--project", "demo"], ["--steps", "0"], ["--width", "6", "--heads", "4"], ["--mode", "sleep"]]
)
def test_options_that_are_none(words: list[str], script: ModuleType) -> None:
    with pytest.raises(SystemExit) as end:
        script.main(words)
    assert end.value.code == 2


class Tensor:
    """What stands in for everything that PyTorch gives: all that is asked of it gives the same again."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *words: Any, **more: Any) -> Any:
        return self

    def __getitem__(self, key: Any) -> Any:
        return self


class Model(Tensor):
    def __call__(self, *words: Any, **more: Any) -> Any:
        return Tensor(), None

    def to(self, **more: Any) -> Model:
        return self

    def parameters(self) -> list[Any]:
        return [SimpleNamespace(numel=lambda: 1000)]


class Torch(Tensor):
    """As much of PyTorch as the script asks for, without its numbers."""

    __version__ = "2.9.9+cpu"
    cuda = SimpleNamespace(is_available=lambda: False)

    def get_num_threads(self) -> int:
        return 2

    def inference_mode(self) -> Any:
        return lambda function: function


@pytest.mark.parametrize(("mode", "row"), [("train", "step"), ("generate", "request")])
def test_the_ledger_takes_the_record(
    mode: str, row: str, script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", Torch())  # type: ignore[arg-type]
    monkeypatch.setattr(script, "transformer", lambda torch, options: Model())
    monkeypatch.setattr(script.platform, "machine", lambda: "x86_64")
    tree, file = plant(tmp_path / "tree"), tmp_path / "record.json"
    assert script.main([*SMALL, "--mode", mode, "--out", str(file), "--notes", "Others worked too."]) == 0
    record = json.loads(file.read_text("utf-8"))
    assert (record["kind"], record["row"], record["device"]) == ("measured", row, "CPU, x86-64, 2 threads")
    assert len(record["rows"]) == 3
    assert "1000 parameters" in record["configuration"]
    assert record["configuration"].endswith("PyTorch 2.9.9")
    assert record["notes"].endswith("Others worked too.")
    assert main(["--root", str(tree), "add", "measurement", str(file), "--id", "here"]) == 0
    ledger, problems = load(tree)
    assert problems == []
    found = ledger.projects["demo"].measurements["here"]
    assert [{name: one.text for name, one in line.values.items()} for line in found.rows] == [
        {name: json.dumps(number) for name, number in line.items()} for line in record["rows"]
    ]
    assert list(found.total) == record["total"]


def test_it_hands_the_record_on_and_keeps_what_is_refused(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", Torch())  # type: ignore[arg-type]
    monkeypatch.setattr(script, "transformer", lambda torch, options: Model())
    tree = plant(tmp_path / "tree")
    words = [*SMALL, "--root", str(tree), "--project", "demo", "--id"]
    assert script.main([*words, "here"]) == 0
    assert "ledger/demo/measurements.yaml:2: here: Training step" in capfd.readouterr().out
    assert script.main([*words, "here"]) == 2
    err = capfd.readouterr().err
    assert "`here` already exists" in err
    kept = Path(err.rstrip().rpartition(" ")[2])
    assert json.loads(kept.read_text("utf-8"))["kind"] == "measured"
    kept.unlink()


@pytest.mark.parametrize("mode", ["train", "generate"])
def test_with_pytorch_it_measures(mode: str, script: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch", exc_type=ImportError)
    assert script.main([*SMALL, "--mode", mode, "--new-tokens", "4"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["rows"]) == 3
    assert all(row[name] > 0 for row in record["rows"] for name in record["total"][1:])


def test_the_cache_gives_what_the_whole_gives(script: ModuleType) -> None:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    options = script._options(SMALL)
    model, tokens = script.transformer(torch, options), torch.randint(50, (2, 9))
    whole, _ = model(tokens)
    first, cache = model(tokens[:, :6])
    parts = [first]
    for at in range(6, 9):
        scores, cache = model(tokens[:, at : at + 1], cache)
        parts.append(scores)
    assert (whole - torch.cat(parts, 1)).abs().max() < 1e-4
