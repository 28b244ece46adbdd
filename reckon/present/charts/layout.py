"""What all pictures share of a specification: its words, the frame around its layers, and the common look.

A specification is a plain dictionary in the language Vega-Lite.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from textwrap import wrap
from typing import Any

from . import palette
from .words import drawable, joined, tidy

Spec = dict[str, Any]
"""A specification, or a part of one."""

Rows = list[Spec]
"""Data of a layer: a mark for each row."""

Layers = list[Spec]
"""The layers of a picture, the lowest first."""

WIDTH, NARROW = 688, 344
"""Of the whole picture, in pixels: the width of the text on the site, and that on a telephone."""

LABEL_LENGTH, VALUE_LENGTH = 36, 28
"""The most characters of a bar's name and of its printed value; more are cut with an ellipsis."""

AIR, MOST_TITLE = 10, 160
"""The pixels that lines of the title leave free, and the most characters of the title, and of what stands below it."""

NAME_LENGTH, NAMES_WIDE, MOST_COLUMNS = 19, 140, 4
"""The most characters in a line of the name of a row where the picture is narrow; how many pixels names take, about;
and the most columns of a key."""

AT_WIDTH = {"transform": [{"filter": "datum.narrow == narrow"}]}
"""What a layer has whose rows are each for one width alone; their field `narrow` says for which."""

HOVER = "hover"
"""The name of the layer that only answers to the pointer; a static picture goes without it."""

FONTS = "Reckon Sans, Inter, system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
"""Measured with the first (bundled); a reader's browser takes the next it has."""

NUMBERS = ",.12~g"
"""The format of the numbers along an axis."""


def layer(mark: str, look: Spec, rows: Rows | None = None, /, **channels: Any) -> Spec:
    """Return a layer: a `mark` with a `look` for each of `rows` (None: the rows of the picture), and its channels."""
    shown = {"mark": {"type": mark, **look}, "encoding": channels}
    return shown if rows is None else {"data": {"values": rows}, **shown}


def amount(field: str, **more: Any) -> Spec:
    """Return a channel of numbers."""
    return {"field": field, "type": "quantitative", **more}


def word(field: str, **more: Any) -> Spec:
    """Return a channel of words."""
    return {"field": field, "type": "nominal", **more}


def tooltip_channel(*fields: str) -> Layers:
    """Return the channel of what the pointer is told: some fields with their words."""
    return [word(field) for field in fields]


def bold(**more: Any) -> Spec:
    """Return the look of words that stand to the right of their place."""
    return {"align": "left", "fontSize": 12, "fontWeight": 600, "color": palette.TEXT, **more}


def shade(kind: str, odd: bool) -> str:
    """Return the value by which a mark of a `kind` has the first or (where `odd`) the second shade of its colour."""
    return f"{kind}\N{NO-BREAK SPACE}" if odd else kind


def coloured(looks: Mapping[Any, palette.Look], used: Collection[str]) -> Spec:
    """Return the channels of a mark for its field `shade`, with a key where more than one of `looks` is used: each look
    once, by the last of its names."""
    shown = {kind: look for kind, look in looks.items() if kind in used}
    key = [*{look: kind for kind, look in shown.items()}.values()]
    names = [shade(kind, odd) for kind in shown for odd in (False, True)]
    strokes = [stroke for look in shown.values() for stroke in (look.deep, look.pale)]
    fills = [fill for look in shown.values() for fill in look.fills]
    return keyed("shade", names, {"values": key} if len(key) > 1 else None, fill=fills, stroke=strokes)


def keyed(field: str, names: list[str], key: Spec | None, **looks: list[Any]) -> Spec:
    """Return the channels of a mark by which its `field` tells some names apart: by each of `looks`, in their order."""
    return {
        channel: word(field, title=None, scale={"domain": names, "range": look}, legend=key)
        for channel, look in looks.items()
    }


def framed(
    picture: Any,
    layers: Layers,
    height: int | Spec,
    margin: Spec,
    unit: str = "",
    rows: Rows | None = None,
    asked: Spec | None = None,
) -> Spec:
    """Return the Vega-Lite specification of `layers`, their data inside, with nothing to be fetched.

    A `picture` has what it found as its `title`, what it is `about`, and as `alt` the sentence read instead of it.
    `height` is that of the plot in pixels, or a step for each row.
    `unit` stands below the title where no axis says it. `rows` are the data of layers without any.
    `asked` is what a reader of the site may ask the picture (docs/assets/pictures), beside what the pointer is told.
    """
    about = joined(picture.about, unit)
    near = {"type": "point", "nearest": True, "on": "pointerover", "clear": "pointerout"}
    hovered = (each for each in layers if each.get("name") == HOVER)
    pointer = [{"name": "near", "select": near, "views": [HOVER]} for _ in hovered]
    wide, narrow = (_frame(picture.title, about, layers, pointer, width) for width in (WIDTH, NARROW))
    steps = {"step": 1.25 * height["step"]} if isinstance(height, dict) else height
    datasets: dict[str, Rows] = {}
    return {
        **wide,
        **({} if rows is None else {"data": _refer_to_data(rows, datasets)}),
        "layer": [
            {**each, "data": _refer_to_data(each["data"]["values"], datasets)} if "data" in each else each
            for each in layers
        ],
        "datasets": datasets,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": margin,
        "description": tidy(picture.alt),
        "usermeta": {
            "dark": palette.DARK,
            "style": palette.STYLE,
            "narrow": {**narrow, "height": steps, "padding": room(0, 0)},
            **(asked or {}),
        },
    }


def _frame(title: str, about: str, layers: Layers, pointer: Layers, width: int) -> Spec:
    """Return what of a specification hangs on how wide the picture is: its title, its look and how its words break.

    Expressions know by the parameter `narrow` that it is laid out for a telephone.
    """
    bold = 9 if width == WIDTH else 9.6  # few letters in a line may all be wide ones
    text, below = (
        wrap(drawable(words, MOST_TITLE), int((width - AIR) / wide)) for words, wide in ((title, bold), (about, 6.8))
    )
    return {
        "params": [{"name": "narrow", "value": width < WIDTH}, *pointer],
        "width": width,
        "title": {"text": text, "subtitle": below},
        "config": _looks(width, _columns(layers, width)),
    }


def _columns(layers: Layers, width: int) -> int:
    """Return how many columns of a key there is room for, beside the names of the rows."""
    looks = (layer["encoding"].get("fill") or layer["encoding"].get("color", {}) for layer in layers)
    keys = [look for look in looks if look.get("legend")]
    longest = max(
        (len(name) for key in keys for name in key["legend"].get("values", key["scale"]["domain"])), default=0
    )
    return max(1, min(MOST_COLUMNS, int((width - NAMES_WIDE) / (38 + 6.6 * longest))))


def names_axis(before: int, **more: Any) -> Spec:
    """Return the axis of rows by their keys, of which so many signs stand `before` the name; a long name stands in two
    lines where the picture is narrow."""
    name, long = f"slice(datum.value, {before})", f"narrow && length(datum.value) > {before + NAME_LENGTH}"
    broken = f"split(replace({name}, regexp('^(.{{1,{NAME_LENGTH}}}) '), '$1\\n'), '\\n')"
    offset = {"condition": {"test": long, "value": -6}, "value": 0}
    return {"labelExpr": f"{long} ? {broken} : {name}", "labelOffset": offset, "labelLineHeight": 13, **more}


def _refer_to_data(rows: Rows, datasets: dict[str, Rows]) -> Spec:
    """Return a reference to `rows`, which are kept once among `datasets` however many layers show them."""
    # The names that Altair gave, so that specifications drawn with it are still current.
    called = "data-" + hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:32]
    datasets[called] = rows
    return {"name": called}


def room(left: int, right: int) -> Spec:
    """Return margins in pixels, with room for a reader's font that is an eighth wider than the bundled one.

    `left` and `right` are how many characters are written there.
    """
    return {"left": 4 + round(0.8 * left), "top": 10, "bottom": 8, "right": 8 + right}


def still(specification: Spec) -> Spec:
    """Return `specification` without what only answers to the pointer."""
    layers = [each for each in specification["layer"] if each.get("name") != HOVER]
    return {**specification, "layer": layers, "params": specification["params"][:1]}


def _looks(width: int, columns: int) -> Spec:
    """Return the look that all pictures share: quiet lines, no background, no theme."""
    text, line = palette.TEXT, palette.LINE
    words = {"labelColor": text, "labelFontSize": 12, "titleColor": text, "titleFontSize": 12, "titleFontWeight": 400}
    axis = {**words, "domain": False, "gridColor": line, "ticks": False}
    across = {"format": NUMBERS, "labelFlush": False, "labelPadding": 6, "labelSeparation": 8}
    key = {"columnPadding": 18, "columns": columns, "labelLimit": 260, "offset": 10, "orient": "top", "rowPadding": 6}
    title = {"anchor": "start", "frame": "bounds", "limit": width, "offset": 12, "color": text, "fontSize": 15}
    return {
        "aria": False,  # the page gives every picture a sentence and a table instead
        "axisX": {**axis, **across, "tickCount": 6 * width // WIDTH, "titlePadding": 8},
        "axisY": {**axis, "tickCount": 5, "labelLimit": min(250, int(0.42 * width)), "labelPadding": 10},
        "background": "transparent",
        "font": FONTS,
        "legend": {**words, **key, "symbolSize": 110, "symbolType": "square"},
        "text": {"stroke": palette.PAGE, "strokeWidth": 3, "strokeJoin": "round"},
        "title": {**title, "fontWeight": 600, "subtitleColor": text, "subtitleFontSize": 12, "subtitlePadding": 5},
        "view": {"continuousHeight": 300, "continuousWidth": 300, "stroke": None},
    }
