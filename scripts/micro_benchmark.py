"""Measures a small transformer with random weights, and writes the record that `budget.py add measurement` takes.

    python scripts/micro_benchmark.py --steps 20 --out steps.json
    python scripts/micro_benchmark.py --mode generate --project my-project --id cpu-generation

A row is a training step (data, forward, backward, optimizer) or a request (prefill, decode). Nothing is downloaded, and
warm-up is not counted. Times are wall-clock times in microseconds or coarser. It needs PyTorch, which nothing else here
does: python -m pip install '.[benchmark]'
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

DOOR = Path(__file__).resolve().parent.parent / "budget.py"
MISSING = "PyTorch is not installed; this script alone needs it: python -m pip install '.[benchmark]'"
DTYPES = {"fp32": "float32", "bf16": "bfloat16"}
PARTS = {
    "train": ("data_seconds", "forward_seconds", "backward_seconds", "optimizer_seconds"),
    "generate": ("prefill_seconds", "decode_seconds"),
}
MACHINES = {"x86_64": "x86-64", "AMD64": "x86-64", "aarch64": "Arm, 64 bit", "arm64": "Arm, 64 bit"}
MIB = 2**20
Row = dict[str, float | int]


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, and writes or adds the record; 2 where something is missing."""
    options = _options(argv)
    warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # PyTorch can do without; so does this
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        print(MISSING, file=sys.stderr)
        return 2
    if options.device == "cuda" and not torch.cuda.is_available():
        print("there is no GPU that PyTorch can use here; leave --device out to measure on the CPU", file=sys.stderr)
        return 2
    text = json.dumps(measured(torch, options), indent=2, ensure_ascii=False) + "\n"
    if options.out:
        options.out.write_text(text, "utf-8")
    if options.project:
        return _add(options, text)
    if not options.out:
        sys.stdout.write(text)
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--mode", choices=tuple(PARTS), default="train", help="what a row is: a step, or a request")
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto", help="default: a GPU if there is")
    parser.add_argument("--dtype", choices=tuple(DTYPES), default="fp32")
    sizes = {"layers": 4, "width": 256, "heads": 4, "vocabulary": 8192, "batch": 8, "context": 128, "new-tokens": 32}
    counts = {"steps": 20, "warm-up": 3, "seed": 0, "threads": 0}
    for name, default in {**sizes, **counts}.items():
        parser.add_argument(f"--{name}", type=int, default=default, metavar="N", help=f"default: {default}")
    parser.add_argument("--title", metavar="TEXT", help="default: what was measured, and on what")
    parser.add_argument("--notes", metavar="TEXT", help="what a reader has to know, as that other work ran meanwhile")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="default: standard output")
    parser.add_argument("--project", metavar="PROJECT", help="hand the record to `budget.py add measurement`")
    parser.add_argument("--id", metavar="ID", help="the id of the measurement; with --project")
    parser.add_argument(
        "--root", type=Path, default=Path(), metavar="DIR", help="the tree with ledger/ (default: here)"
    )
    options = parser.parse_args(argv)
    if bool(options.project) != bool(options.id):
        parser.error("--project and --id go together")
    for name in sizes:
        if getattr(options, name.replace("-", "_")) < 1:
            parser.error(f"--{name} is at least 1")
    if options.steps < 1 or options.warm_up < 0 or options.threads < 0:
        parser.error("--steps is at least 1; --warm-up and --threads are not below zero")
    if options.width % options.heads or options.width // options.heads % 2:
        parser.error("--width is an even multiple of --heads")
    return options


def measured(torch: Any, options: argparse.Namespace) -> dict[str, Any]:
    """The record: what was measured on what, and a row for each step or request."""
    cuda = options.device != "cpu" and torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")
    if options.threads:
        torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    model = transformer(torch, options).to(device=device, dtype=getattr(torch, DTYPES[options.dtype]))
    if cuda:
        torch.cuda.reset_peak_memory_stats()
    clock = _clock(torch, cuda)
    row = (
        _steps(torch, options, model, device, clock)
        if options.mode == "train"
        else _requests(torch, options, model, device, clock)
    )
    rows = [row() for _ in range(options.warm_up + options.steps)][options.warm_up :]
    name = torch.cuda.get_device_name() if cuda else _cpu(torch.get_num_threads())
    what = "Training step" if options.mode == "train" else "Generation"
    return {
        "title": options.title or f"{what} of a small transformer, {name}",
        "kind": "measured",
        "date": f"{datetime.now():%Y-%m-%d}",
        "device": name,
        **({"gpus": 1} if cuda else {}),
        "dtype": options.dtype,
        "configuration": _configuration(torch, options, model),
        "row": "step" if options.mode == "train" else "request",
        "rows": rows,
        "total": list(PARTS[options.mode]),
        **_peak(torch, cuda, options.notes or ""),
        "source": "scripts/micro_benchmark.py",
    }


def _cpu(threads: int) -> str:
    """A processor in words that tell nothing of whose machine it is."""
    return f"CPU, {MACHINES.get(platform.machine(), 'other')}, {threads} thread{'s'[: threads != 1]}"


def _configuration(torch: Any, options: argparse.Namespace, model: Any) -> str:
    parameters = sum(one.numel() for one in model.parameters())
    tokens = f"{options.batch} x {options.context} tokens"
    work = "AdamW" if options.mode == "train" else f"{options.new_tokens} new tokens, greedy"
    return (
        f"decoder-only transformer with random weights: {options.layers} layers, width {options.width}, {options.heads}"
        f" heads, vocabulary {options.vocabulary}, {parameters} parameters; batch of {tokens}; {work};"
        f" the first {options.warm_up} not counted; seed {options.seed}; PyTorch {torch.__version__.partition('+')[0]}"
    )


def _peak(torch: Any, cuda: bool, notes: str) -> dict[str, Any]:
    """The peak of memory, and notes that say what it is the peak of; without it where the system does not tell."""
    if cuda:
        of, mib = "Peak memory is what PyTorch allocated on the GPU.", torch.cuda.max_memory_allocated() / MIB
    else:
        try:
            import resource
        except ModuleNotFoundError:
            return {"notes": notes} if notes else {}
        unit = 1 if sys.platform == "darwin" else 1024
        of, mib = "Peak memory is that of the process, PyTorch included.", unit / MIB
        mib *= resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"peak_memory_mib": round(mib, 1), "notes": f"{of} {notes}".strip()}


def _clock(torch: Any, cuda: bool) -> Callable[[], float]:
    """The time, once all that was asked of the device is done."""

    def now() -> float:
        if cuda:
            torch.cuda.synchronize()
        return time.perf_counter()

    return now


def _between(moments: Sequence[float]) -> list[float]:
    return [round(end - begin, 6) for begin, end in pairwise(moments)]


def _steps(
    torch: Any, options: argparse.Namespace, model: Any, device: Any, clock: Callable[[], float]
) -> Callable[[], Row]:
    """A function that takes one training step on new random tokens and gives its row."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step() -> Row:
        moments = [clock()]
        tokens = torch.randint(options.vocabulary, (options.batch, options.context + 1)).to(device)
        moments.append(clock())
        scores, _ = model(tokens[:, :-1])
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1).float(), tokens[:, 1:].flatten())
        moments.append(clock())
        loss.backward()
        moments.append(clock())
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        moments.append(clock())
        return {**dict(zip(PARTS["train"], _between(moments), strict=True)), "tokens": options.batch * options.context}

    return step


def _requests(
    torch: Any, options: argparse.Namespace, model: Any, device: Any, clock: Callable[[], float]
) -> Callable[[], Row]:
    """A function that answers one batch of prompts, greedily and with a cache, and gives its row."""
    model.eval()

    @torch.inference_mode()
    def request() -> Row:
        prompt = torch.randint(options.vocabulary, (options.batch, options.context)).to(device)
        moments = [clock()]
        scores, cache = model(prompt)
        last = scores[:, -1:].argmax(-1)
        moments.append(clock())
        for _ in range(options.new_tokens - 1):
            scores, cache = model(last, cache)
            last = scores[:, -1:].argmax(-1)
        moments.append(clock())
        counts = {"input_tokens": options.batch * options.context, "output_tokens": options.batch * options.new_tokens}
        return {**dict(zip(PARTS["generate"], _between(moments), strict=True)), **counts}

    return request


def transformer(torch: Any, options: argparse.Namespace) -> Any:
    """A decoder-only transformer: rotary positions, causal attention with a cache, output weights of its own."""
    nn, functional = torch.nn, torch.nn.functional
    width, heads, size = options.width, options.heads, options.width // options.heads

    def turned(vectors: Any, begin: int) -> Any:
        """Rotary positions (Su et al., RoFormer)."""
        half, device = size // 2, vectors.device
        speeds = 10000 ** (-torch.arange(half, device=device) / half)
        angles = torch.arange(begin, begin + vectors.shape[2], device=device)[:, None] * speeds
        cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
        left, right = vectors[..., :half], vectors[..., half:]
        return torch.cat((left * cos - right * sin, right * cos + left * sin), -1)

    class Layer(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        """Attention and a feed-forward part, each on what was normalised."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.project, self.merge = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any, past: Any) -> tuple[Any, Any]:
            """What comes out, and keys and values for the tokens to come."""
            parts = self.project(self.first(x)).unflatten(-1, (3, heads, size)).permute(2, 0, 3, 1, 4)
            begin = past[0].shape[2] if past else 0
            query, key, value = turned(parts[0], begin), turned(parts[1], begin), parts[2]
            if past:
                key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
            seen = functional.scaled_dot_product_attention(query, key, value, is_causal=not past)
            x = x + self.merge(seen.transpose(1, 2).flatten(2))
            return x + self.feed(self.second(x)), (key, value)

    class Model(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        """Tokens to scores."""

        def __init__(self) -> None:
            super().__init__()
            self.tokens, self.layers = nn.Embedding(options.vocabulary, width), nn.ModuleList()
            self.layers.extend(Layer() for _ in range(options.layers))
            self.last, self.scores = nn.LayerNorm(width), nn.Linear(width, options.vocabulary, bias=False)

        def forward(self, tokens: Any, cache: Any = None) -> tuple[Any, list[Any]]:
            """The scores of each token, and the cache with them in it."""
            x, kept = self.tokens(tokens), []
            for layer, past in zip(self.layers, cache or [None] * len(self.layers), strict=True):
                x, pair = layer(x, past)
                kept.append(pair)
            return self.scores(self.last(x)), kept

    return Model()


def _add(options: argparse.Namespace, text: str) -> int:
    """Hands the record to the ledger. What was measured is kept where it is refused."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json", delete=False) as file:
        file.write(text)
    command = [sys.executable, str(DOOR), "--root", str(options.root), "add", "measurement", file.name, options.project]
    code = subprocess.run([*command, "--id", options.id], check=False).returncode
    if code:
        print(f"The record was not added. It is in {file.name}", file=sys.stderr)
    else:
        Path(file.name).unlink()
    return code


if __name__ == "__main__":
    sys.exit(main())
