from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Mapping
from copy import copy
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from typing import Any, NamedTuple

import pytest

from reckon.language import lean
from reckon.language.text import Place
from tests.reading import ROOT

FROZEN: dict[str, Any] = {"frozen": True, "slots": True}


def made(decorator: Any) -> Any:
    @decorator(**FROZEN)
    class Point:
        across: int
        up: int = 2
        notes: Mapping[str, str] = field(default_factory=dict, repr=False)
        place: str = field(default="", compare=False)
        sum: int = field(init=False, compare=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "sum", self.across + self.up)

    return Point


def test_a_class_is_what_the_standard_library_makes_of_it() -> None:
    lazy, real = made(lean._dataclass), made(dataclass)
    for kind in (lazy, real):
        point = kind(1, place="there")
        assert (point.across, point.up, point.notes, point.place, point.sum) == (1, 2, {}, "there", 3)
        assert point == kind(1, 2, {}, "elsewhere")
        assert point != kind(1, 3)
        assert point != (1, 2, {})
        assert replace(point, up=5).sum == 6
        assert [each.name for each in fields(kind)] == ["across", "up", "notes", "place", "sum"]
        assert kind(1).notes is not kind(1).notes
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'up'"):
            point.up = 3
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'up'"):
            del point.up
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'across'"):
            kind()
        with pytest.raises(TypeError, match="unhashable"):
            hash(point)
    assert repr(lazy(1)) == repr(real(1))


def test_what_a_class_says_itself_stays_and_fields_are_inherited() -> None:
    @lean._dataclass(frozen=True)
    class Base:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __hash__(self) -> int:
            return 7

    @lean._dataclass(frozen=True, kw_only=True)
    class Longer(Base):
        size: int = 1

    assert (repr(Base("a")), hash(Base("a"))) == ("<a>", 7)
    assert Longer(name="a", size=2) == Longer(name="a", size=2) != Base("a")
    assert hash(Longer(name="a")) == hash(Longer(name="a")) != hash(Longer(name="b"))
    assert [each.name for each in fields(Longer)] == ["name", "size"]


def test_its_methods_are_made_when_a_class_is_first_used() -> None:
    point = made(lean._dataclass)
    first = vars(point)["__init__"]
    point(1)
    then = vars(point)["__init__"]
    assert then is not first
    point(2)
    assert vars(point)["__init__"] is then


def test_fields_are_given_by_place_and_by_name_and_nothing_else() -> None:
    point = made(lean._dataclass)
    assert point(1, up=5) == point(across=1, up=5) == point(1, 5)
    with pytest.raises(TypeError, match="'wide'"):
        point(1, wide=2)
    with pytest.raises(TypeError, match="takes 4 arguments, 5 were given"):
        point(1, 2, {}, "here", 5)
    with pytest.raises(ValueError, match="sum"):
        lean.replace(point(1), sum=3)
    assert lean.replace(point(1, place="there"), up=5).place == "there"
    assert [each.name for each in lean.fields(point)] == [each.name for each in fields(point)]
    assert copy(point(1)) == point(1) == pickled(point(1))
    match point(3, 4):
        case point(across, up):
            assert (across, up) == (3, 4)


def pickled(thing: Any) -> Any:
    state = thing.__reduce_ex__(2)[2]
    found = object.__new__(type(thing))
    found.__setstate__(state)
    return found


def test_objects_that_change_have_no_hash_and_a_field_can_be_left_out_of_one() -> None:
    @lean._dataclass(slots=True)
    class Counted:
        names: list[str] = lean.LeanField(default_factory=list)

    counted = Counted()
    counted.names = [*counted.names, "a"]
    assert (counted, Counted().names) == (Counted(["a"]), [])
    with pytest.raises(TypeError, match="unhashable"):
        hash(counted)
    with pytest.raises(AttributeError):
        counted.other = 1

    @lean._dataclass(frozen=True)
    class Unit:
        symbol: str
        scale: int = lean.LeanField(default=1, hash=False)

    assert hash(Unit("h", 1)) == hash(Unit("h", 3600))
    assert Unit("h", 1) != Unit("h", 3600)


def named(base: Any) -> Any:
    class Spot(base):  # type: ignore[misc]
        """A spot."""

        across: int
        up: int = 2

        @property
        def sum(self) -> int:
            return self.across + self.up

    return Spot


def test_a_named_tuple_is_what_the_standard_library_makes_of_it() -> None:
    lazy, real = named(lean.NamedTuple), named(NamedTuple)
    for kind in (lazy, real):
        assert kind._fields == kind.__match_args__ == ("across", "up")
        assert kind._field_defaults == {"up": 2}
        spot = kind(1)
        assert (spot.across, spot.up, spot.sum, spot.__doc__, kind.__name__) == (1, 2, 3, "A spot.", "Spot")
        assert spot == kind(across=1, up=2) == kind._make([1, 2]) == (1, 2)
        assert hash(spot) == hash((1, 2))
        assert spot < kind(2)
        assert spot._replace(up=5) == (1, 5)
        assert type(spot._replace(up=5)) is kind
        assert spot._asdict() == {"across": 1, "up": 2}
        assert copy(spot) == spot
        assert not hasattr(spot, "__dict__")
        with pytest.raises(AttributeError):
            spot.up = 3
        for wrong in (lambda kind=kind: kind(), lambda kind=kind: kind(1, 2, 3), lambda kind=kind: kind._make([1])):
            with pytest.raises(TypeError):
                wrong()
        with pytest.raises(ValueError, match="Got unexpected field names"):
            spot._replace(down=1)

        class Further(kind):  # type: ignore[misc, valid-type]
            __slots__ = ()

        assert type(Further(1)._replace(up=3)) is Further
        match spot:
            case kind(across, up):
                assert (across, up) == (1, 2)
    assert repr(lazy(1)) == repr(real(1)) == "Spot(across=1, up=2)"
    assert pickle.loads(pickle.dumps(Place("a", 1, 2))) == Place("a", 1, 2)
    with pytest.raises(TypeError, match="without a default"):
        type(lean.NamedTuple)("Odd", (), {"__annotations__": {"first": "int", "last": "int"}, "first": 1})


def test_what_makes_a_named_tuple_is_compiled_when_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = lean.namedtuple
    monkeypatch.setattr(lean, "namedtuple", lambda name, *rest, **more: made.append(name) or real(name, *rest, **more))
    kind = named(lean.NamedTuple)
    assert made == []
    assert kind(1) == kind(1, 2)
    assert made == ["Spot"]


def test_no_module_makes_named_tuples_that_are_compiled_on_import() -> None:
    for path in (ROOT / "reckon").rglob("*.py"):
        if path.name != "lean.py":
            text = path.read_text("utf-8")
            assert not re.search(r"^from (typing|collections) import .*\bnamedtuple\b", text, re.M | re.I), path


def test_expressions_of_a_library_are_compiled_once_they_are_used() -> None:
    with lean.unhurried():
        late = re.compile("a+", re.IGNORECASE)
    assert isinstance(late, lean.Regex)
    assert late.fullmatch("AA")
    assert isinstance(re.compile("a+"), re.Pattern)
    with pytest.raises(OSError, match="no such library"), lean.unhurried():
        raise OSError("no such library")
    assert isinstance(re.compile("b+"), re.Pattern)


def test_a_regular_expression_is_compiled_once_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    real = re.compile
    monkeypatch.setattr(lean.re, "compile", lambda *words: compiled.append(words) or real(*words))
    found = lean.Regex("a(b+)", re.IGNORECASE)
    assert not compiled
    assert found.fullmatch("ABB").group(1) == "BB"  # type: ignore[union-attr]
    assert found.fullmatch("b") is None
    assert len(compiled) == 1
    assert (found.pattern, found.sub("-", "xabx")) == ("a(b+)", "x-x")


def test_what_is_imported_already_is_not_imported_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = lean.import_module
    monkeypatch.setattr(lean, "import_module", lambda name: asked.append(name) or real(name))
    square = lean.late("math", "isqrt")
    assert [square(number) for number in (9, 16)] == [3, 4]
    assert asked == []
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    assert [lean.late("colorsys").rgb_to_hsv(0, 0, 0)[0] for _ in range(2)] == [0.0, 0.0]
    assert asked == ["colorsys"]
