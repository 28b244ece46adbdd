from __future__ import annotations

from dataclasses import fields, replace

import pytest

from reckon.language.quantity import point
from reckon.language.units import GPU_HOURS
from reckon.model.figure import Figure, Worked
from reckon.model.lazy import LateFigure, LateValues

WHOLE = Figure("demo.forecast.p50", "Forecast", GPU_HOURS, point(3), Worked("half of draws stay below"))


def late(made: list[str]) -> LateFigure:
    def make() -> Figure:
        made.append(WHOLE.address)
        return WHOLE

    return LateFigure.of(make, address=WHOLE.address, title=WHOLE.title, unit=WHOLE.unit)


def test_what_is_known_asks_for_nothing_and_all_else_is_made_once() -> None:
    made: list[str] = []
    figure = late(made)
    assert (figure.address, figure.title, figure.unit, made) == (WHOLE.address, WHOLE.title, WHOLE.unit, [])
    assert (figure.use, figure.missing, figure.leaves, figure.decimals) == (3, (), {}, None)
    assert made == [WHOLE.address]


def test_it_is_equal_to_the_figure_that_it_comes_to_and_gives_others_like_it() -> None:
    assert late([]) == WHOLE
    assert late([]) == WHOLE
    assert late([]) != replace(WHOLE, value=point(4))
    assert late([]) != 3
    assert replace(late([]), value=point(4)) == replace(WHOLE, value=point(4))
    assert isinstance(late([]), Figure)
    for each in fields(Figure):
        assert getattr(late([]), each.name) == getattr(WHOLE, each.name)


def test_it_has_no_other_fields_than_a_figure() -> None:
    made: list[str] = []
    with pytest.raises(AttributeError):
        late(made).colour  # noqa: B018
    assert not made


def test_each_value_is_made_once_when_it_is_looked_at() -> None:
    made: list[str] = []

    def make(name: str) -> int:
        made.append(name)
        return len(name)

    values = LateValues(["otter", "badger"], make)
    assert (list(values), len(values), made) == (["otter", "badger"], 2, [])
    assert (values["badger"], values["badger"], values.get("fox"), made) == (6, 6, None, ["badger"])
    with pytest.raises(KeyError):
        values["fox"]
    assert values == {"otter": 5, "badger": 6}
