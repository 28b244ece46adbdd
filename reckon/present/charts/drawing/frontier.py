"""x"""
from typing import Any
from reckon.present.charts.kinds.frontier import Frontier
def specification(picture: Frontier) -> dict[str, Any]:
    """x"""
    return {}
