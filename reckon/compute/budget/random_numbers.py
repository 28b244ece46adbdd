"""Numbers as if by chance, the same for the same seed: a counter put through splitmix64.

G. L. Steele et al., *Fast splittable pseudorandom number generators*, OOPSLA 2014.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist

DRAWS = 4000
"""How many draws a forecast makes."""
NORMAL = NormalDist()
_MASK = 2**64 - 1


@lru_cache(maxsize=64)
def uniforms(seed: int, stream: str) -> tuple[float, ...]:
    """Numbers between 0 and 1, as many as there are draws; each seed and stream has its own."""
    state = seed & _MASK
    for byte in stream.encode():
        state = _mixed(state ^ byte)
    return tuple([(_mixed(state + count) >> 12) / 2**52 + 2**-53 for count in range(DRAWS)])


@lru_cache(maxsize=64)
def normals(seed: int, stream: str) -> tuple[float, ...]:
    """Standard normal numbers, made of the uniform ones of the same seed and stream."""
    return tuple(map(NORMAL.inv_cdf, uniforms(seed, stream)))


def _mixed(number: int) -> int:
    """The finaliser of splitmix64 on its counter."""
    mixed = (number + 1) * 0x9E3779B97F4A7C15 & _MASK
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _MASK
    return mixed ^ mixed >> 31
