"""What draws a picture once for all tests of a process, and for all commands of a warm one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def remembered(draw: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Draws as `draw` does, each picture once: one that says the same looks the same, and drawing takes 0.3 s."""
    drawn: dict[str, Any] = {}

    def draw_once(picture: Any) -> Any:
        key = repr(picture)
        if key not in drawn:
            drawn[key] = draw(picture)
        return drawn[key]

    return draw_once
