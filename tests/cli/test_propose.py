"""Proposals: drafted from estimates, calculated, shown as not decided, compared, adopted whole or not at all."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.test_release import Done, budget, every
from tests.small import plant

HEAD, PLAN, HOME = "ledger/demo/project.yaml", "ledger/demo/plan.yaml", "ledger/demo/proposals"
GPUS = "card: {title: Card, vram_gib: 80}\n"
PROJECT = """title: Demo
version: 0.1.0
as_of: 2026-01-01
gpu: card
seeds: 2
contingency: 10%
versions:
  0.2.0: {status: pending, note: The next.}  # soon
"""
# 3 epochs x 10-14 h x 4 GPUs are 120-168, 144 in the middle; 2 seeds x 5 h are counted in the estimate already.
ESTIMATED = """one:
  title: One
  items:
    train:
      title: Training
      scope: per-seed
      gpu_hours: 60   # from the paper
      estimate: {formula: epochs * hours * gpus, epochs: 3, hours: 10-14, gpus: 4}
    small: {title: Small, scope: one-time, gpu_hours: 8, estimate: 8.33}
    tests:
      title: Tests
      scope: per-seed
      gpu_hours: 12
      estimate: {formula: gpu_hours_per_seed * seeds, gpu_hours_per_seed: 5}
    enough: {title: Enough, scope: one-time, gpu_hours: 9, estimate: 8}
"""


@pytest.fixture
def planned(tmp_path: Path) -> Path:
    return plant(tmp_path, {"ledger/catalog/gpus.yaml": GPUS, HEAD: PROJECT, PLAN: ESTIMATED})


def drafted(root: Path) -> Done:
    return budget(root, "propose", "--from-estimates", "--by", "Ann: *A*", "--id", "more")


def proposal(*changes: str, title: str = "More") -> dict[str, str]:
    lines = "".join(f"  {change}\n" for change in changes)
    return {f"{HOME}/more.yaml": f"title: {title}\nchanges:\n{lines}"}


def test_a_draft_is_what_the_estimates_support(planned: Path) -> None:
    """(60 x 2 + 8 + 12 x 2 + 9) x 1.1 = 177.1; then (144 x 2 + 8.4 + 12 + 9) x 1.1 = 349.14."""
    done = drafted(planned)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("ledger/demo/proposals/more.yaml: 177 GPU-h → 349 GPU-h (+172, +97.1%)\nNot approved.")
    text = (planned / HOME / "more.yaml").read_text("utf-8")
    assert "by: 'Ann: *A*'" in text
    changes = text.partition("changes:\n")[2].splitlines()
    assert [line.strip() for line in changes if "reason" not in line] == [
        "plan.train.gpu_hours:",
        "to: 144",
        "plan.small.gpu_hours:",
        "to: 8.4",
        "plan.tests.scope:",
        "to: all-seeds",
    ]
    assert budget(planned, "propose").out == (
        "more: What its own estimates support\n  not approved: 177 GPU-h → 349 GPU-h (+172, +97.1%)\n"
    )
    again = drafted(planned)
    assert again.code == 2
    assert "already exists" in again.err


def test_nothing_is_drafted_where_the_plan_suffices(planned: Path) -> None:
    plant(planned, {PLAN: "one: {title: O, items: {a: {title: A, scope: one-time, gpu_hours: 5, estimate: 4-6}}}\n"})
    before = every(planned)
    done = drafted(planned)
    assert (done.code, every(planned)) == (2, before)
    assert done.err == "no line of the plan of demo is below its estimate; there is nothing to propose\n"


def test_its_page_says_that_nothing_is_decided_and_nothing_else_counts_it(planned: Path) -> None:
    assert budget(planned, "render").code == 0
    pages = {path.name: path.read_text("utf-8") for path in (planned / "docs/demo").glob("*.md")}
    drafted(planned)
    assert budget(planned, "render").code == 0
    page = (planned / "docs/demo/proposals.md").read_text("utf-8")
    assert "> Proposal (not approved); proposed by Ann: \\*A\\*, " in page
    assert "The final budget would go from 177 GPU-h to 349 GPU-h." in page
    rows = [line.split(" | ")[1:3] for line in page.splitlines() if line.startswith("| ") and "GPU-hours" in line]
    assert [by for by, _ in rows] == ["+184.80", "+0.44"]  # 84 x 2 x 1.1; 0.4 x 1.1
    (gone,) = re.findall(r"^- gone: (.*)$", page, re.M)
    assert gone.startswith(
        "4 findings of 4 causes (The estimates do not support the budget as a whole; Training: the plan "
    )
    assert "budget propose demo --adopt more" in page
    index = (planned / "docs/demo/index.md").read_text("utf-8")
    assert re.search(r"\nThe proposal “\[.+\]\(proposals\.md\)” \(not approved\) plans 349 GPU-h\.\n", index)
    (now,), (before,) = (re.findall(r"^\| \*\*Budget\*\* .*", text, re.M) for text in (index, pages["index.md"]))
    assert now == f"{before} 349 |", "a column of its own, which leads nowhere"
    assert body((planned / "docs/demo/status.md").read_text("utf-8")) == body(pages["status.md"])
    assert "demo/proposals.md" in (planned / "docs/nav.yml").read_text("utf-8")


def body(page: str) -> str:
    """A page without the line that names its files, and without empty lines."""
    return "\n".join(line for line in page.splitlines() if line and not line.startswith("<!-- Made by"))


def test_adopting_writes_values_and_reasons_and_nothing_else(planned: Path) -> None:
    drafted(planned)
    done = budget(planned, "propose", "--adopt", "more")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Adopted more for 0.2.0: {PLAN}, {HEAD}; removed {HOME}/more.yaml\n")
    wanted = ESTIMATED.replace("gpu_hours: 60 ", "gpu_hours: 144 ").replace("gpu_hours: 8,", "gpu_hours: 8.4,")
    tests = wanted.index("    tests:")
    wanted = wanted[:tests] + wanted[tests:].replace("scope: per-seed", "scope: all-seeds", 1)
    assert (planned / PLAN).read_text("utf-8") == wanted
    head = (planned / HEAD).read_text("utf-8")
    assert head.startswith(PROJECT.partition("}")[0] + ", reasons: {plan.train.gpu_hours: 'The estimate")
    assert head.endswith("}}  # soon\n")
    assert not (planned / HOME / "more.yaml").exists()
    figures = json.loads(budget(planned, "export", "--format", "json").out)["figures"]
    final = (
        figures["demo.budget.final"]
        if isinstance(figures, dict)
        else next(each for each in figures if each["address"] == "demo.budget.final")
    )
    assert float(final["use"]) == pytest.approx(349.14)
    assert budget(planned, "propose").out == "demo has no proposals\n"


def test_a_new_version_is_written_for_its_reasons(planned: Path) -> None:
    more = proposal("contingency: {to: 20%, reason: 'Wear: much.'}")
    plant(planned, {HEAD: PROJECT.partition("versions:")[0], **more})
    done = budget(planned, "propose", "--adopt", "more")
    assert (done.code, done.err) == (
        2,
        "all `versions` are released; name a new one, such as --for 1.1.0\n",
    )
    assert budget(planned, "propose", "--adopt", "more", "--for", "0.3.0").code == 0
    written = "  0.3.0:\n    status: pending\n    note: More\n    reasons:\n      contingency: 'Wear: much.'\n"
    assert (planned / HEAD).read_text("utf-8").endswith(f"contingency: 20%\nversions:\n{written}")


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ("plan.train.gpu_hours: {to: '1:30', reason: r}", "`1:30` looks like a clock time"),
        ("plan.trian.gpu_hours: {to: 5, reason: r}", "there is no `demo.plan.trian.gpu_hours` that could be set"),
        ("budget.final: {to: 5, reason: r}", "`demo.budget.final` is calculated"),
        ("runs.x: {to: 5, reason: r}", "runs and claims cannot be set"),
        ("plan.tests.scope: {to: all, reason: r}", "`all` is not allowed here"),
        ("plan.train.gpu_hours: {to: 'seeds * __import__', reason: r}", "`seeds * __import__` is not a number"),
    ],
)
def test_what_cannot_be_is_told_at_its_line_and_nothing_is_written(planned: Path, change: str, wrong: str) -> None:
    plant(planned, proposal(change))
    before = every(planned)
    for words in (("check",), ("render",), ("propose",), ("propose", "--adopt", "more"), ("diff", ".", "demo@more")):
        done = budget(planned, *words)
        assert done.code == 2, words
        assert wrong in done.out + done.err, words
        assert f"{HOME}/more.yaml:3:" in done.out + done.err, words
    assert every(planned) == before


def test_a_value_that_the_file_does_not_take_is_left_to_the_person(planned: Path) -> None:
    """An anchor's value stands in several places: to edit it would change the others too."""
    plant(planned, proposal("plan.train.estimate: {to: 70, reason: r}"))
    before = every(planned)
    done = budget(planned, "propose", "--adopt", "more")
    assert (done.code, every(planned)) == (2, before)
    assert done.err == (
        f"{PLAN} has no place for `one.items.train.estimate`: `one.items.train.estimate` is not a single "
        "value; write it by hand\n"
    )


def test_texts_of_a_proposal_act_nowhere(planned: Path) -> None:
    hostile = '"<script>alert(1)</script> [x](javascript:y) | {{ 7 * 7 }} @all"'
    plant(planned, proposal(f"contingency: {{to: 20%, reason: {hostile}}}", title=hostile))
    assert budget(planned, "render").code == 0
    page = (planned / "docs/demo/proposals.md").read_text("utf-8")
    assert "<script" not in page
    assert "[x](javascript" not in page
    assert "49" not in page.partition("{{ 7")[0][-200:]
    said = budget(planned, "review").out
    assert "<script" not in said
    assert "@all" not in said


def test_a_link_out_of_the_tree_is_no_proposal(planned: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.yaml"
    outside.write_text("title: Secret\nchanges: {contingency: {to: 20%, reason: r}}\n", "utf-8")
    (planned / HOME).mkdir()
    (planned / HOME / "more.yaml").symlink_to(outside)
    for words in (("check",), ("diff", ".", "demo@more"), ("propose", "--adopt", "more")):
        done = budget(planned, *words)
        assert done.code == 2, words
        assert "Secret" not in done.out + done.err
    assert outside.exists()


def test_diff_bridges_to_a_proposal_and_review_tells_it(planned: Path) -> None:
    drafted(planned)
    done = budget(planned, "diff", ".", "demo@more", "--format", "json")
    (part,) = json.loads(done.out)["parts"]
    steps = part["bridge"]["steps"]
    assert [step["addresses"] for step in steps] == [
        ["demo.plan.train.gpu_hours"],
        ["demo.plan.small.gpu_hours"],
        ["demo.plan.tests.scope"],
    ]
    assert steps[0]["reason"] == "The estimate is 120–168 GPU-h for a seed and 60 GPU-h are planned."
    said = budget(planned, "review").out
    assert "**Proposed, and not decided.** No figure counts it:\n\n- `demo@\u2060more` What its own" in said
    assert budget(planned, "diff", "demo@more", "demo@more").out == ""


def test_a_released_version_takes_no_reason(planned: Path) -> None:
    drafted(planned)
    plant(planned, {HEAD: PROJECT.replace("pending", "released")})
    done = budget(planned, "propose", "--adopt", "more", "--for", "0.2.0")
    assert (done.code, done.err) == (2, "0.2.0 is released and never changes; name another version with --for\n")
