"""Each preset reads a table of its format: a sample, with what it gives by hand."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from reckon.cli import main
from reckon.model import presets
from tests.exported import SAMPLES, seconds, skipped, sound
from tests.small import plant

FOLDER = SAMPLES / "presets"
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "expected.yaml").read_text("utf-8"))
PERSONS = re.compile(r"zz-(ida|bo|eve|kim|mo|li)\b|zz[a-z]*@")
RUNS = sorted(name for name, expected in EXPECTED.items() if "instead" not in expected)
SOURCE = """\
s:
  format: {format}
  timezone: UTC
  cards: {{{cards}}}
  rules: {{all: {{when: {{name: '.*'}}, item: data}}}}
"""


def source_text(name: str) -> str:
    expected = EXPECTED[name]
    raw = (FOLDER / expected["file"]).read_bytes().decode()
    kinds = {"untyped", *re.findall(r"NVIDIA [A-Za-z0-9 ._-]+|A100[A-Za-z0-9 _-]*|H100[A-Za-z0-9 _-]*", raw)}
    source = SOURCE.format(
        format=expected.get("preset", name), cards=", ".join(f"'{kind.strip()}': a100-40gb" for kind in sorted(kinds))
    )
    stated = dict(expected.get("source", {}))
    if "timezone" in stated:
        source = source.replace("timezone: UTC", f"timezone: {stated.pop('timezone')}")
    return source + "".join(
        f"  {key}: {yaml.safe_dump(value, default_flow_style=True).strip()}\n" for key, value in stated.items()
    )


@pytest.mark.parametrize("name", RUNS)
def test_a_sample_gives_what_was_worked_out_by_hand(name: str) -> None:
    expected = EXPECTED[name]
    taken = sound(source_text(name), (FOLDER / expected["file"]).read_bytes())
    jobs = [job for job in taken.merged.jobs.values() if job.ran]
    if "usd" in expected:
        money = sum((job.job.extras.billed_usd or Fraction() for job in jobs), Fraction())
        assert float(money) == pytest.approx(expected["usd"], abs=1e-8)
    else:
        assert float(seconds(taken) / 3600) == pytest.approx(expected["gpu_hours"], abs=1e-8)
    assert len(jobs) == expected["runs"]
    assert sum(skipped(taken).values()) + len(jobs) <= taken.rows
    assert not PERSONS.search("".join(line for job in jobs for line in job.lines("s", taken.merged.zone)))


@pytest.mark.parametrize("name", RUNS)
def test_a_source_that_names_a_preset_has_no_problems(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = source_text(name).replace("a100-40gb", "card").replace("item: data", "item: test")
    plant(plant(tmp_path), {"ledger/demo/imports.yaml": source})
    file = str(FOLDER / EXPECTED[name]["file"])
    assert main(["--root", str(tmp_path), "import", file, "--with", "s", "--dry-run"]) == 0
    out = "".join(capsys.readouterr())
    assert f"+ {EXPECTED[name]['runs']} new" in out
    assert not PERSONS.search(out)


def test_every_preset_has_a_sample_and_two_public_ones() -> None:
    tried = {expected.get("preset", name) for name, expected in EXPECTED.items()}
    assert tried == set(presets.NAMES)
    for name in presets.NAMES:
        seen_in = yaml.safe_load(presets.read_text(name))["seen_in"]
        assert len(seen_in) >= 2, name
        assert all(re.fullmatch(r"https://\S+|github:[\w.-]+/[\w.-]+@[0-9a-f]{40}:\S+", place) for place in seen_in), (
            name
        )


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_draft_names_the_preset(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path)
    assert main(["--root", str(tmp_path), "import", "--suggest", str(FOLDER / EXPECTED[name]["file"])]) == 0
    out = capsys.readouterr().out
    if "instead" in EXPECTED[name]:
        assert presets.read_preset(name).instead in out
    else:
        assert f"  format: {EXPECTED[name].get('draft', EXPECTED[name].get('preset', name))}\n" in out
    assert not PERSONS.search(out)
