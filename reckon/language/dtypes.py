"""Number formats and the bytes that a number takes in each."""

from __future__ import annotations

from collections.abc import Mapping

# As text, so that a formula of the engine can hold it.
BYTES: Mapping[str, str] = {
    "fp64": "8", "fp32": "4", "tf32": "4", "bf16": "2", "fp16": "2", "fp8": "1", "int8": "1", "fp4": "0.5",
    "int4": "0.5",
}  # fmt: skip
