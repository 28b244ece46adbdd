"""Where a path of a tree leads, on every version of Python that we run on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from reckon.model.tree import astray, inside


def as_from_3_13(path: Path, strict: bool = False) -> Path:
    """From 3.13 on, a circle is no error of `resolve`: what it gives is still a link."""
    return Path(os.path.realpath(path, strict=strict))


@pytest.mark.parametrize("resolve", [Path.resolve, as_from_3_13])
def test_a_link_in_a_circle_leads_nowhere(resolve: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "resolve", resolve)
    for name, target in {"a": "b", "b": "a", "good": "there", "gone": "nowhere"}.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "there").mkdir()
    assert [inside(tmp_path, tmp_path / one) for one in ("a", "good", "gone", "there")] == [False, True, True, True]
    assert astray(tmp_path, tmp_path / "a") == "leads out of the root"


def test_inside_a_folder_of_the_root_is_not_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger/x.yaml").symlink_to("../ledger-of-others.yaml")
    (tmp_path / "ledger/y.yaml").symlink_to("z.yaml")
    assert [inside(tmp_path, tmp_path / "ledger" / one, "ledger") for one in ("x.yaml", "y.yaml")] == [False, True]
    assert inside(tmp_path, tmp_path / "ledger/x.yaml")
