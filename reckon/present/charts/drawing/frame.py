"""What stands around every picture: its title, its margins, and what the site needs to know of it."""

from typing import TYPE_CHECKING, Any

from reckon.present.charts import palette
from reckon.present.charts.drawing.looks import looks
from reckon.present.charts.picture import Picture
from reckon.present.charts.words import bundled_glyphs, drawable, tidy

if TYPE_CHECKING:
    import altair as alt

WIDTH = 688
"""Of the whole picture, in pixels: the width of the text on the site."""

LABEL_LENGTH, VALUE_LENGTH, TITLE_LENGTH = 36, 28, 90
"""The most characters of a bar's name, of its printed value and of the title; more are cut with an ellipsis."""

HOVER = "hover"
"""The name of the layer that only answers to the pointer; a static picture goes without it."""


def framed(
    layers: "alt.LayerChart | alt.FacetChart",
    picture: Picture,
    height: "int | alt.Step",
    padding: dict[str, int],
    unit: str = "",
) -> dict[str, Any]:
    """Return the Vega-Lite specification of `layers`, their data inside, with nothing to be fetched.

    `height` is that of the plot in pixels, `unit` stands below the title where no axis says it.
    """
    import altair as alt

    glyphs = bundled_glyphs()
    title = alt.TitleParams(drawable(picture.title, glyphs, TITLE_LENGTH))
    if unit:
        title.subtitle = drawable(unit, glyphs, TITLE_LENGTH)
    chart = layers.properties(
        width=WIDTH,
        height=height,
        autosize=alt.AutoSizeParams(type="fit-x", contains="padding"),
        padding=padding,
        title=title,
        description=tidy(picture.alt),
        usermeta={"dark": {ink.light: ink.dark for ink in palette.INKS}},
    )
    specification: dict[str, Any] = chart.configure(**looks()).to_dict()
    # The schema's address serves editors only, and nothing published should name another server.
    del specification["$schema"]
    return specification


def room(left: int, right: int) -> dict[str, int]:
    """Return margins in pixels, with room for a reader's font that is an eighth wider than the bundled one.

    `left` and `right` are how many characters are written there.
    """
    return {"left": 4 + round(0.8 * left), "top": 10, "bottom": 8, "right": 8 + right}


def still(specification: dict[str, Any]) -> dict[str, Any]:
    """Return `specification` without what only answers to the pointer."""
    layers = [layer for layer in specification["layer"] if layer.get("name") != HOVER]
    return {**{key: value for key, value in specification.items() if key != "params"}, "layer": layers}
