"""The look that all pictures share, as Vega-Lite's configuration: quiet lines, no background, no theme."""

from typing import Any

from reckon.present.charts import palette

FONTS = "Reckon Sans, Inter, system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
"""Measured with the first (bundled); a reader's browser takes the next it has."""

NUMBERS = ",.12~g"
"""The format of the numbers along an axis."""


def looks() -> dict[str, Any]:
    """Return Vega-Lite's configuration."""
    return {
        "aria": False,  # the page gives every picture a sentence and a table instead
        "axisX": _axis_x(),
        "axisY": _axis_y(),
        "background": "transparent",
        "font": FONTS,
        "legend": _legend(),
        "title": _title(),
        "view": {"stroke": None},
    }


def _words() -> dict[str, Any]:
    text = palette.TEXT.light
    return {"labelColor": text, "labelFontSize": 12, "titleColor": text, "titleFontSize": 12, "titleFontWeight": 400}


def _axis_x() -> dict[str, Any]:
    ticks = {"format": NUMBERS, "gridColor": palette.LINE.light, "tickCount": 6, "ticks": False}
    return {**_words(), **ticks, "domain": False, "labelFlush": False, "labelPadding": 6, "titlePadding": 8}


def _axis_y() -> dict[str, Any]:
    lines = {"domain": False, "gridColor": palette.LINE.light, "ticks": False}
    return {**_words(), **lines, "labelLimit": 250, "labelPadding": 10}


def _legend() -> dict[str, Any]:
    places = {"columnPadding": 18, "columns": 4, "labelLimit": 260, "offset": 10, "orient": "top", "rowPadding": 6}
    return {**_words(), **places, "symbolSize": 110, "symbolType": "square"}


def _title() -> dict[str, Any]:
    place = {"anchor": "start", "frame": "bounds", "limit": 620, "offset": 12}
    return {**place, "color": palette.TEXT.light, "fontSize": 15, "fontWeight": 600, **_subtitle()}


def _subtitle() -> dict[str, Any]:
    return {"subtitleColor": palette.TEXT.light, "subtitleFontSize": 12, "subtitlePadding": 5}
