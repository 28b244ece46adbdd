"""Colours with a key: solid ones in two shades, outlines around two tints."""

from collections.abc import Mapping
from typing import Any, TypeVar

from reckon.present.charts import palette

Kind = TypeVar("Kind", bound=str)


def shade(name: str, odd: bool) -> str:
    """Return the value by which a mark of the kind called `name` has the first or (where `odd`) the second shade."""
    return f"{name}\N{NO-BREAK SPACE}" if odd else name


def coloured(called: Mapping[Kind, str], looks: Mapping[Kind, palette.Look]) -> dict[str, Any]:
    """Return the channels of a mark for its field `shade`, with a key where there is more than one kind.

    `called` says what each kind is called, in the order of the key.
    """
    import altair as alt

    shades = [(shade(name, odd), looks[kind], odd) for kind, name in called.items() for odd in (False, True)]
    names = [name for name, _, _ in shades]
    key = alt.Legend(values=list(called.values())) if len(called) > 1 else None
    fills, strokes = (
        alt.Scale(domain=names, range=[ink(look, odd) for _, look, odd in shades]) for ink in (_fill, _stroke)
    )
    return {
        "fill": alt.Fill("shade:N", title=None, scale=fills, legend=key),
        "stroke": alt.Stroke("shade:N", title=None, scale=strokes, legend=key),
    }


def _stroke(look: palette.Look, odd: bool) -> str:
    return look.pale if odd else look.deep


def _fill(look: palette.Look, odd: bool) -> str:
    # The tint is part of the colour, since a key would show the opacity of a mark as full.
    red, green, blue = bytes.fromhex(look.deep[1:])
    return _stroke(look, odd) if look.solid else f"rgba({red},{green},{blue},{palette.TINTS[odd]})"
