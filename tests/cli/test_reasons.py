"""Why inputs changed: told with the steps of the bridge, kept by a release, refused where nothing changed."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from reckon.cli import main
from reckon.load.versions import with_release
from tests.small import SMALL, plant

HEAD = "ledger/demo/project.yaml"
PLAN = "ledger/demo/plan.yaml"
ENTRY = """\
versions:
  1.1:
    status: pending
    note: To come
    waits_for: the runs
    reasons:
      plan.train: The first runs took *longer*.
      contingency: Less is unknown now.
      pace_days: Runs come in bursts.
"""


def budget(root: Path, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["--root", str(root), *words])
    return code, out.getvalue(), err.getvalue()


def release(root: Path, version: str) -> tuple[int, str, str]:
    assert budget(root, "render")[0] == 0
    return budget(root, "release", "demo", version, "-m", f"Why {version}.", "--date", "2026-03-01")


@pytest.fixture
def changed(rendered: Path) -> Path:
    """A ledger that was released, with a plan that changed since and says why."""
    assert release(rendered, "1.0")[0] == 0
    head = (rendered / HEAD).read_text("utf-8").partition("\nversions:")[0]
    released = "  1.0: {status: released, date: 2026-03-01, note: Why 1.0.}\n"
    head = head.replace("contingency: 10%", "contingency: 5%\npace_days: 7")
    plan = SMALL[PLAN].replace("gpu_hours: 40", "gpu_hours: 60")
    return plant(rendered, {HEAD: f"{head.rstrip()}\n\n{ENTRY}{released}", PLAN: plan})


def test_the_page_of_changes_says_why_with_each_step(changed: Path) -> None:
    assert budget(changed, "render")[0] == 0
    page = (changed / "docs/demo/history.md").read_text("utf-8")
    why = r"The first runs took \*longer\*."
    assert f"| Training: GPU-hours: 40 → 60 | +42.0 | {why} | `ledger/demo/plan.yaml:7` |\n" in page
    assert "| Contingency: 10% → 5% | −4.5 | Less is unknown now. |" in page
    beside = page.partition("Changed without effect on the budget:\n\n")[2].partition("\n\n")[0]
    assert beside == "- Pace: nothing → 7. *Runs come in bursts.*"


def test_diff_says_why_in_each_format(changed: Path) -> None:
    text = budget(changed, "diff", "1.0")[1]
    assert "ledger/demo/plan.yaml:7\n        The first runs took *longer*.\n" in text
    beside = "  also changed, with reason\n    Pace: nothing → 7\n        Runs come in bursts.\n"
    assert beside in text
    markdown = budget(changed, "diff", "1.0", "--format", "markdown")[1]
    assert r"| Training: GPU-hours: 40 → 60<br>*The first runs took \*longer\*.* |" in markdown
    assert "\n- Pace: nothing → 7. *Runs come in bursts.*\n" in markdown
    (part,) = json.loads(budget(changed, "diff", "1.0", "--format", "json")[1])["parts"]
    steps = {one["addresses"][0]: one["reason"] for one in part["bridge"]["steps"]}
    assert steps == {
        "demo.contingency": "Less is unknown now.",
        "demo.plan.train.gpu_hours": "The first runs took *longer*.",
    }
    inputs = {one["address"]: one["reason"] for one in part["inputs"]}
    assert inputs["demo.pace_days"] == "Runs come in bursts."
    assert not any("reasons" in address for address in inputs)  # they are told with what they are for


def test_a_release_keeps_the_reasons_and_the_next_does_not_tell_them_again(changed: Path) -> None:
    assert release(changed, "1.1")[0] == 0
    text = (changed / HEAD).read_text("utf-8")
    assert "      plan.train: The first runs took *longer*.\n" in text
    assert "waits_for" not in text
    plant(changed, {PLAN: SMALL[PLAN].replace("gpu_hours: 40", "gpu_hours: 70")})
    assert release(changed, "1.2")[0] == 0
    page = (changed / "docs/demo/history.md").read_text("utf-8")
    newest, _, older = page.partition("\n## 1.1 – ")
    assert "| Training: GPU-hours: 60 → 70 |" in newest
    assert "The first runs" not in newest
    assert "| The first runs took" in older


def test_a_reason_for_what_did_not_change_is_refused(changed: Path) -> None:
    path = changed / HEAD
    path.write_text(path.read_text("utf-8").replace("plan.train:", "plan.trian:"), "utf-8")
    code, _, err = release(changed, "1.1")
    assert code == 2
    assert err == (
        f"{HEAD}: plan.trian has a reason in 1.1, but nothing changed there since the last release; "
        "remove it, or correct the address\n"
    )
    assert not (changed / "docs/demo/releases/1.1").exists()


def test_the_first_release_has_nothing_to_give_reasons_for(rendered: Path) -> None:
    path = rendered / HEAD
    path.write_text(path.read_text("utf-8") + ENTRY, "utf-8")
    code, _, err = release(rendered, "1.1")
    assert code == 2
    assert err.count("has a reason in 1.1, but nothing changed there since the last release") == 3


def test_reasons_in_one_line_are_kept_too() -> None:
    reasons = "reasons: {plan.train: 'It: took longer'}"
    text = f"versions: {{1.1: {{status: pending, note: n, waits_for: w, {reasons}}}}}\nversion: 1\n"
    assert with_release(text, "1.1", "2026-03-01", "So") == (
        f"versions: {{1.1: {{status: released, date: 2026-03-01, note: So, {reasons}}}}}\nversion: 1.1\n"
    )
