"""Named formulas for parts of the memory that a model takes on each GPU, as text of the ledger's own language.

- weights: parameters x bytes of the number format.
- gradients: the same once more, in the same format.
- optimizer: bytes for each parameter. Adam keeps momentum and variance in 32 bits, and beside 16-bit weights a 32-bit
  copy of them: 8, or 12 (Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models,
  section 3.1: K = 12; with weights and gradients 16 bytes for each parameter). In 8 bits the two take 2
  (Dettmers et al., 8-bit Optimizers via Block-wise Quantization). SGD with momentum keeps 4 and the copy, SGD the copy.
- sharding: stage 1 divides optimizer states by the GPUs, stage 2 gradients too, stage 3 weights too (the ZeRO paper,
  section 5, and figure 1: 120, 31.4, 16.6 and 1.9 GB for 7.5B parameters on 64 GPUs). What DeepSpeed documents for its
  own estimates counts gradients in 32 bits beside the optimizer states: 4 + 16 / GPUs bytes for each parameter in stage
  2, 18 / GPUs and the largest layer in stage 3 (DeepSpeed, Memory Requirements). That is not what is reckoned here.
- kv-cache: 2 x layers x KV heads x head size x bytes x tokens x sequences (a key and a value; Kwon et al., Efficient
  Memory Management for Large Language Model Serving with PagedAttention, section 3).
- activations: in 16 bits, for each layer, tokens x sequences x hidden size x (34 + 5 x heads x tokens / hidden size)
  bytes, without tensor parallelism (Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models,
  section 4.1, equation 1). With selective recomputation the second term is gone (section 5); with full recomputation 2
  bytes are left, the input of each layer (table 2). A kernel that never keeps the scores takes what selective
  recomputation does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reckon.language.units import BYTES

SHORT = ("bf16", "fp16", "fp8", "int8", "fp4", "int4")
# Bytes of optimizer states for each parameter; and of the 32-bit copy beside weights in a shorter format.
STATES: Mapping[str, tuple[int, int]] = {"adam": (8, 4), "adam-8bit": (2, 0), "sgd-momentum": (4, 4), "sgd": (0, 4)}
# From which stage of ZeRO on a part is divided by the GPUs.
DIVIDED: Mapping[str, tuple[str, ...]] = {
    "optimizer": ("zero-1", "zero-2", "zero-3"), "gradients": ("zero-2", "zero-3"), "weights": ("zero-3",),
}  # fmt: skip
ZERO = "Rajbhandari et al., ZeRO"
SOURCES: Mapping[str, str] = {
    "weights": f"parameters × bytes of the number format ({ZERO})",
    "gradients": f"parameters × bytes of the number format ({ZERO})",
    "optimizer": f"parameters × bytes that the optimizer keeps of each ({ZERO})",
    "kv-cache": "a key and a value for each layer, KV head and token (Kwon et al., PagedAttention)",
    "activations": "what each layer keeps (Korthikanti et al., Reducing Activation Recomputation)",
}  # fmt: skip
"""The formulas in words, and the papers that they are from."""
MODEL = ("layers", "kv_heads", "head_size", "heads", "hidden_size")


class Inputs(NamedTuple):
    """What the formulas take: words of the configuration, and addresses of figures by name (empty where missing)."""

    dtype: str
    optimizer: str
    sharding: str
    recompute: str
    at: Mapping[str, str]


class Wanted(NamedTuple):
    """A formula, or what it lacks: names of figures or fields."""

    formula: str
    lacks: tuple[str, ...]


def formula_for(part: str, given: Inputs) -> Wanted:
    """The formula of a part in the expression language, or the names of the inputs that it lacks."""
    if part == "kv-cache":
        return _kv_cache(given)
    if part == "activations":
        return _activations(given)
    lacks = [] if given.at.get("parameters") else ["parameters"]
    lacks += [] if given.dtype in BYTES else ["dtype"]
    lacks += ["optimizer"] if part == "optimizer" and given.optimizer not in STATES else []
    shared = given.sharding in DIVIDED[part]
    lacks += ["gpus"] if shared and not given.at.get("gpus") else []
    if lacks:
        return Wanted("", tuple(lacks))
    number = _states(given) if part == "optimizer" else BYTES[given.dtype]
    divided = f" / ({given.at['gpus']} / 1 gpu)" if shared else ""
    return Wanted(f"{given.at['parameters']} * {number} bytes{divided}", ())


def _states(given: Inputs) -> str:
    states, copy = STATES[given.optimizer]
    return str(states + (copy if given.dtype in SHORT else 0))


def _kv_cache(given: Inputs) -> Wanted:
    names = ("layers", "kv_heads", "head_size", "tokens", "sequences")
    lacks = [name for name in names if not given.at.get(name)] + ([] if given.dtype in BYTES else ["dtype"])
    if lacks:
        return Wanted("", tuple(lacks))
    layers, heads, size, tokens, sequences = (given.at[name] for name in names)
    return Wanted(f"2 * {layers} * {heads} * {size} * {BYTES[given.dtype]} bytes * {tokens} * {sequences}", ())


def _activations(given: Inputs) -> Wanted:
    scores = given.recompute in ("", "none")
    names = ("layers", "hidden_size", "tokens", "sequences", *(("heads",) if scores else ()))
    if lacks := tuple(name for name in names if not given.at.get(name)):
        return Wanted("", lacks)
    layers, hidden, tokens, sequences = (given.at[name] for name in names[:4])
    linear = f"{layers} * {tokens} * {sequences} * {hidden} * {2 if given.recompute == 'full' else 34} bytes"
    if not scores:
        return Wanted(linear, ())
    return Wanted(f"{linear} + 5 * {layers} * {given.at['heads']} * {tokens} * {tokens} * {sequences} * 1 bytes", ())
