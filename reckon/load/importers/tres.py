"""GPUs in what Slurm calls trackable resources: `billing=32,cpu=32,gres/gpu:a100=1,gres/gpu=1,mem=128G,node=1`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from reckon.model.records.imports import Gpus

GPU_NAMES = ("gpu", "7696487")
"""What Slurm calls GPUs among generic resources: by a number where the node that answers does not know them."""


_KIND = r"[A-Za-z][A-Za-z0-9 ._/-]{0,58}[A-Za-z0-9]"
_TIMES = re.compile(
    rf"(?P<count>[0-9]{{1,6}}) ?[x×*] ?(?P<first>{_KIND})|(?P<last>{_KIND}) ?[x×*] ?(?P<times>[0-9]{{1,6}})"
)
"""How many GPUs of a type, as people write it."""


class Unreadable(Exception):
    """A count of GPUs is not a whole number."""


@lru_cache(maxsize=4096)
def gpus_of(text: str) -> Gpus:
    """The GPUs that a text of trackable resources allocates, by type. Raises Unreadable."""
    parts = []
    for part in text.split(","):
        name, _, count = part.strip().partition("=")
        if name == "gres/gpu" or name.startswith("gres/gpu:"):
            if not count.isdecimal() or len(count) > 9:
                raise Unreadable
            parts.append((name[9:], int(count)))
    return group_gpus(parts)


def gpus_of_words(text: str) -> Gpus:
    """The GPUs that a text in a table states with their type: `8x H100`, `H100 x 8`, `gres/gpu:a100=4`, `gpu:a100:4`;
    empty for another text."""
    if match := _TIMES.fullmatch(text):
        return ((match["first"] or match["last"], int(match["count"] or match["times"])),)
    try:
        return gpus_of(text) or gpus_of_nodes(text, "1")
    except Unreadable:
        return ()


@lru_cache(maxsize=4096)
def gpus_of_nodes(text: str, nodes: str) -> Gpus:
    """The GPUs on some nodes, of each of which a text of generic resources states them, as `gpu:v100:2`, by type.
    Raises Unreadable."""
    parts = []
    for part in text.split(","):
        name, *kind = part.partition("(")[0].strip().split(":")
        if name in GPU_NAMES:
            count = kind.pop() if kind else ""
            if not count.isdecimal() or not nodes.isdecimal() or len(count + nodes) > 12:
                raise Unreadable
            parts.append((":".join(kind), int(count) * int(nodes)))
    return group_gpus(parts)


def group_gpus(parts: Iterable[tuple[str, int]]) -> Gpus:
    """GPUs by type, from counts by type and, under an empty one, of all of them: what is in no type is untyped."""
    typed = Counter[str]()
    total = 0
    for kind, count in parts:
        if kind and count:
            typed[kind] += count
        else:
            total += count
    untyped = total - typed.total()
    if untyped > 0:
        typed[""] = untyped
    return tuple(sorted(typed.items()))
