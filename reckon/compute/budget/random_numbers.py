"""Numbers as if by chance, the same for the same seed: a counter put through splitmix64.

G. L. Steele et al., *Fast splittable pseudorandom number generators*, OOPSLA 2014.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from struct import unpack

DRAWS = 4000
"""How many draws a forecast makes."""
NORMAL = NormalDist()
_MASK, _52 = 2**64 - 1, 2**52 - 1


_LANE = 128  # bits of a lane: a product of two numbers of 64 bits fits


def _lanes(number: int) -> int:
    """The same number in a lane of its own for each draw: one multiplication then is that of all lanes."""
    return int.from_bytes(number.to_bytes(_LANE // 8, "little") * DRAWS, "little")


_LOW, _ONES = _lanes(_MASK), _lanes(1)
_COUNT = int.from_bytes(b"".join(number.to_bytes(_LANE // 8, "little") for number in range(DRAWS)), "little")


@lru_cache(maxsize=64)
def uniforms(seed: int, stream: str) -> tuple[float, ...]:
    """Numbers between 0 and 1, as many as there are draws; each seed and stream has its own."""
    state = seed & _MASK
    for byte in stream.encode():
        state = _mixed(state ^ byte)
    mixed = _mixed_lanes(_ONES * state + _COUNT) >> 12
    numbers = unpack(f"<{2 * DRAWS}Q", mixed.to_bytes(DRAWS * _LANE // 8, "little"))[::2]
    return tuple([(number & _52) / 2**52 + 2**-53 for number in numbers])


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


def _mixed_lanes(numbers: int) -> int:
    """The same of the number in each lane. What a shift brings over from the next lane is masked away."""
    mixed = (numbers + _ONES & _LOW) * 0x9E3779B97F4A7C15 & _LOW
    mixed = ((mixed ^ mixed >> 30) & _LOW) * 0xBF58476D1CE4E5B9 & _LOW
    mixed = ((mixed ^ mixed >> 27) & _LOW) * 0x94D049BB133111EB & _LOW
    return (mixed ^ mixed >> 31) & _LOW
