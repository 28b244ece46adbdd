"""One fingerprint, one drawing: who changes how pictures are drawn raises the number of their drawing.

drawn.json has the fingerprint and the checksum of the files of each sample. `python -m tests.present.test_charts_drawn`
writes it anew; it does not where files have changed and their fingerprint has not, since `render` would then take
every picture of that kind, in everybody's tree, for one that is as it would be drawn.
"""

from __future__ import annotations

import builtins
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, make_dataclass
from pathlib import Path
from typing import Any, get_args

import altair
import pytest
from jsonschema import ValidationError

from reckon.cli import main
from reckon.present import pages
from reckon.present.charts import Picture, draw, fingerprint, is_current
from reckon.present.charts import picture as picture_module
from reckon.present.charts.drawdown import Drawdown
from reckon.present.charts.drawer import VEGA_LITE
from reckon.present.charts.picture import DRAWING
from tests.present.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("drawn.json")

Drawn = dict[str, str]
"""The fingerprint of a picture and the checksum of its files."""


def drawn(picture: Picture) -> Drawn:
    drawing = draw(picture)
    files = drawing.svg.partition("\n")[2] + drawing.spec
    return {"fingerprint": fingerprint(picture), "files": hashlib.sha256(files.encode()).hexdigest()}


def raised(before: Drawn | None, now: Drawn) -> bool:
    """Whether files that are not as before have another fingerprint."""
    return before is None or before["files"] == now["files"] or before["fingerprint"] != now["fingerprint"]


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sums of floats fail where the engine makes them: Python 3.12 adds them up in another way than 3.11."""
    plain = builtins.sum

    def strict(some: Iterable[Any], /, start: Any = 0) -> Any:
        parts, caller = list(some), sys._getframe(1).f_globals["__name__"]
        if caller.startswith("reckon.") and any(isinstance(part, float) for part in (start, *parts)):
            raise AssertionError(f"{caller} adds up floats")
        return plain(parts, start)

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "sum", strict)
        yield


@pytest.mark.usefixtures("exact")
@pytest.mark.parametrize("name", SAMPLES)
def test_whatever_changes_the_files_of_pictures_changes_their_fingerprint(name: str) -> None:
    before, now = json.loads(RECORD.read_text("utf-8")).get(name), drawn(SAMPLES[name])
    kind = type(SAMPLES[name]).__name__
    assert raised(before, now), f"{kind} is drawn differently: raise its number in charts/picture.py:DRAWING"
    assert now == before, "python -m tests.present.test_charts_drawn"


@pytest.mark.parametrize("name", SAMPLES)
def test_specifications_are_vega_lite(name: str) -> None:
    """Altair has the schema of a version of Vega-Lite."""
    assert altair.VEGALITE_VERSION.startswith(f"{VEGA_LITE}.")
    altair.LayerChart.from_dict(SAMPLES[name].specification())


def test_a_word_that_vega_lite_does_not_know_is_seen() -> None:
    specification = SAMPLES["Near"].specification()
    specification["layer"][0]["mark"]["colour"] = "blue"
    with pytest.raises(ValidationError):
        altair.LayerChart.from_dict(specification)


def test_every_kind_has_a_number_and_a_sample() -> None:
    assert set(DRAWING) == set(get_args(Picture)) == set(map(type, SAMPLES.values()))


@pytest.mark.full
@pytest.mark.usefixtures("exact")
def test_shipped_pictures_that_are_current_would_be_drawn_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    current: list[tuple[Picture, str]] = []

    def asked(svg: str, picture: Picture, spec: str) -> bool:
        if is_current(svg, picture, spec):
            current.append((picture, spec))
        return True

    monkeypatch.setattr(pages, "is_current", asked)
    main(["render", "--check", "--root", str(ROOT)])
    assert current
    for picture, spec in current:
        assert picture.specification() == json.loads(spec), picture.title


def test_a_raised_number_makes_the_pictures_of_its_kind_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = SAMPLES["One step"], SAMPLES["Near"]
    stays, drawing = fingerprint(other), draw(one)
    assert is_current(drawing.svg, one, drawing.spec)
    monkeypatch.setattr(picture_module, "DRAWING", {**DRAWING, Drawdown: DRAWING[Drawdown] + 1})
    assert not is_current(drawing.svg, one, drawing.spec)
    assert fingerprint(other) == stays


def test_a_field_that_is_new_leaves_pictures_without_it_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    grown: Any = make_dataclass("Drawdown", [("shade", str, "")], bases=(Drawdown,), frozen=True)
    monkeypatch.setattr(picture_module, "DRAWING", {**DRAWING, grown: DRAWING[Drawdown]})
    old = SAMPLES["One step"]
    said = {field.name: getattr(old, field.name) for field in fields(Drawdown)}
    assert fingerprint(grown(**said)) == fingerprint(old) != fingerprint(grown(**said, shade="dark"))


def test_tenths_end_where_they_should() -> None:
    """As floats, 0.1 + 0.2 + 0.3 and 0.1 + 0.2 + 0.3 + 0.4 come to something else."""
    bars, memory = (json.dumps(SAMPLES[name].specification()) for name in ("Some bars", "Memory"))
    assert '"high": 0.6' in bars
    assert '"high": 0.6' in memory
    assert "00000000" not in bars + memory


def rewrite() -> None:
    """Writes the record anew, unless that would hide that a number has to be raised."""
    before = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    now = {name: drawn(picture) for name, picture in SAMPLES.items()}
    if low := [name for name in now if not raised(before.get(name), now[name])]:
        kinds = sorted({type(SAMPLES[name]).__name__ for name in low})
        sys.exit(f"Drawn differently: raise the numbers in charts/picture.py:DRAWING of {', '.join(kinds)}.")
    RECORD.write_text(json.dumps(now, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    rewrite()
