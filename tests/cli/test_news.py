"""The first line of what became of a project, in the digest and in the review of a change; and what each leaves out."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_release import budget
from tests.small import plant

PLAN, HEAD, RUNS = "ledger/demo/plan.yaml", "ledger/demo/project.yaml", "ledger/demo/runs/2026-02.yaml"
WHO = "-c", "user.name=A", "-c", "user.email=a@example.org"
HALF = "card: {title: Card, vram_gib: 24}\nslow: {title: Slow, vram_gib: 24, counts_as: {card: 0.6x}}\n"
PRICES = """\
cloud: {title: Cloud, provider: cloud, tier: on demand, as_of: 2026-01-01, source: s, usd_per_gpu_hour: {card: 1.90}}
"""


def commit(root: Path, name: str = "more") -> None:
    for words in (["add", "."], [*WHO, "commit", "-qm", name]):
        subprocess.run(["git", *words], cwd=root, check=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The small tree, committed: 40 a seed for two seeds and 10, and a tenth of contingency: 99."""
    root = plant(tmp_path / "tree")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    commit(root)
    return root


def edit(root: Path, path: str, was: str, now: str) -> None:
    text = (root / path).read_text("utf-8")
    assert was in text
    (root / path).write_text(text.replace(was, now), "utf-8")


def both(root: Path, base: str = "HEAD") -> tuple[list[str], list[str]]:
    """The lines of the digest, and of the review above what is folded."""
    digest, review = budget(root, "digest", "--since", base), budget(root, "review", base)
    assert (digest.code, review.code) == (0, 0), digest.err + review.err
    return digest.out.splitlines(), review.out.partition("\n\n<details")[0].splitlines()


def says(root: Path, line: str, base: str = "HEAD") -> None:
    """Asserts that digest and review begin what they say of the project with a line."""
    digest, review = both(root, base)
    assert f"Demo: {line}" in digest, digest
    begun = f"**Demo**: {line}"
    assert any(each == begun or each.startswith(f"{begun}; ") for each in review), review


def test_hours_are_those_of_the_budget_and_hours_held_stand_beside(root: Path) -> None:
    """4 cards for 5 hours are 20 hours held, of which one counts as 0.6 of the budget: 12, as `Spent` has it."""
    plant(root, {"ledger/catalog/gpus.yaml": HALF})
    commit(root)
    new = "- {date: 2026-02-03, item: train, seed: 2, gpu: slow, gpus: 4, wall_hours: 5}\n"
    plant(root, {"ledger/demo/runs/new.yaml": new})
    says(root, "1 run more, +12 GPU-h (+20 hours held)")
    assert "- Spent: 16.5 GPU-h → 28.5 GPU-h" in both(root)[0]


def test_a_plan_that_changes_says_what_the_budget_becomes(root: Path) -> None:
    """20 for 10 in a plan of 90: 110 for 99 with a tenth of contingency."""
    edit(root, PLAN, "gpu_hours: 10\n", "gpu_hours: 20\n")
    says(root, "final budget 99 → 110 GPU-h (+11)")


def test_one_input_is_named(root: Path) -> None:
    edit(root, HEAD, "as_of:", "status: draft\nas_of:")
    commit(root)
    edit(root, HEAD, "status: draft", "status: final")
    says(root, "Status: draft → final")
    assert sum("draft" in line for line in both(root)[0]) == 1, "told once"


def test_a_release_is_called_one(root: Path) -> None:
    entry = "{status: released, date: 2026-02-03, note: First}"
    edit(root, HEAD, "version: 1.0\n", f"version: 0.3.0\nversions: {{0.3.0: {entry}}}\n")
    digest, review = both(root)
    assert "Demo: released 0.3.0" in digest
    assert "**Demo**: released 0.3.0" in review


def test_the_note_of_a_run_is_no_news_and_its_status_is(root: Path) -> None:
    edit(root, RUNS, "item: test, gpu_hours: 1.5", "item: test, note: Ran twice., gpu_hours: 1.5")
    digest, review = both(root)
    assert digest[0] == "No figure changed since HEAD, and nothing is at risk."
    assert "No figure changes." in review
    edit(root, RUNS, "note: Ran twice.", "note: Ran twice., job: 17")
    says(root, "runs of test, 2026-02: job, note changed")


def test_a_price_has_its_unit_and_its_line(root: Path) -> None:
    plant(root, {"ledger/catalog/prices.yaml": PRICES})
    edit(root, HEAD, "seeds: 2", "seeds: 2\nprices: [cloud]")
    provider = "cloud: {title: Cloud, source: s}\n"
    plant(root, {"ledger/catalog/providers.yaml": provider})
    commit(root)
    edit(root, "ledger/catalog/prices.yaml", "1.90", "2.40")
    digest, review = both(root)
    said = "price of card, Cloud: $1.90 → $2.40 per GPU-hour"
    assert f"- {said}" in digest
    assert f"**Shared**: {said} (`ledger/catalog/prices.yaml:1`)" in review
    assert "**Demo**: cost of the final budget $188 → $238; within plan" in review, "99 hours at each price"


def test_two_projects_of_one_title_are_told_apart(root: Path) -> None:
    own = {path.name: path.read_text("utf-8") for path in (root / "ledger/demo").glob("*.yaml")}
    plant(root, {f"ledger/twin/{name}": text for name, text in own.items()})
    commit(root)
    edit(root, "ledger/twin/plan.yaml", "gpu_hours: 10\n", "gpu_hours: 20\n")
    digest, review = both(root)
    assert "Demo (twin): final budget 99 → 110 GPU-h (+11)" in digest
    assert "**Demo (twin)**: final budget 99 → 110 GPU-h (+11); not begun" in review


def test_every_limit_and_policy_that_is_not_kept_is_told(root: Path) -> None:
    """A ceiling of 20, of which the plan of 99 is no news, with 16.5 spent and a seed to come; and
    a policy that hides it from the state in a word."""
    rule = "{title: Little is run, require: actual.total <= 4 gpu_hours, message: Stop.}"
    edit(root, HEAD, "seeds: 2\n", f"seeds: 2\nceiling: 20\npolicies: {{few: {rule}}}\n")
    digest, review = both(root)
    odds = (
        "the final budget is 99 GPU-h, the ceiling 20 GPU-h: short by 79 GPU-h; the chance of exceeding the final "
        "budget is 6% (40% before any run), of exceeding the ceiling 90% (99–100% before any run); 1 error is open"
    )
    why = "“Little is run”: actual is 16.5 GPU-h and must be at most 4 GPU-h"
    at = digest.index("- Demo: policy breached (until now within plan)")
    assert digest[at + 1 : at + 4] == [f"  - {odds}", f"  - policy {why}", ""]
    assert not any("not kept" in line for line in digest)
    assert digest.index("At risk") < digest.index(next(line for line in digest if line.startswith("Demo: ")))
    at = review.index("**Now policy breached**:")
    assert review[at + 2 : at + 4] == [f"- {odds}", f"- policy {why}"]
    (new,) = [line for line in review if line.startswith("- **error**")]
    assert ", and 1 more limit: " in new
    assert new.endswith(", and 1 more of this cause")


def test_a_plan_above_its_ceiling_is_a_risk_however_likely(root: Path) -> None:
    """99 with the contingency; of the plan all but a seed is done, and a ceiling of 98 is far from being reached."""
    edit(root, HEAD, "seeds: 2\n", "seeds: 2\nceiling: 98\n")
    digest, _ = both(root)
    at = digest.index("At risk")
    why = "the final budget is 99 GPU-h, the ceiling 98 GPU-h: short by 1 GPU-h"
    assert digest[at + 1].startswith(f"- Demo: planned above a limit (until now within plan): {why}; the chance of ")


def test_open_errors_are_no_risk_and_stand_apart(root: Path) -> None:
    """An estimate of 300 epochs does not support the plan, which is an error, and no limit is nearer by it."""
    edit(root, PLAN, "epochs: 3", "epochs: 300")
    digest, _ = both(root)
    assert "At risk" not in digest
    assert "nothing is at risk" in digest[0]
    at = digest.index("To be looked at")
    assert digest[at + 1].startswith("- Demo: within plan, with open errors (until now within plan): ")


def test_the_chance_of_exceeding_a_grant_is_told(root: Path) -> None:
    plant(root, {"ledger/allocations.yaml": "grant: {title: Grant, gpu: card, gpu_hours: 100, projects: [demo]}\n"})
    commit(root)
    edit(root, PLAN, "gpu_hours: 10\n", "gpu_hours: 40\n")
    digest, review = both(root)
    (row,) = [line for line in review if line.startswith("| Risk to “Grant” | ")]
    was, now = row.strip("| ").split(" | ")[1:]
    assert f"- Risk to “Grant”: {was} → {now}" in digest
    assert float(was.split("–")[-1].rstrip("%")) < float(now.split("–")[0].rstrip("%"))


def test_work_whose_progress_is_not_known_any_more_says_so(root: Path) -> None:
    new = "- {date: 2026-02-03, item: test, attempt: 2, gpu_hours: 1}\n"
    edit(root, RUNS, ", progress: {done: 1, total: 1}", "")
    plant(root, {"ledger/demo/runs/new.yaml": new})
    digest, review = both(root)
    why = "not known: the ledger does not say how much is done"
    assert any(re.match(rf"- Done: .*% → {why}$", line) for line in digest), digest
    assert any(re.match(rf"\| Done \| .*% \| {why} \|$", line) for line in review), review


def test_what_is_exceeded_has_no_chance_any_more(root: Path) -> None:
    """15.5 hours are charged: a ceiling of 20 becomes one of 15, then one of 14."""
    edit(root, HEAD, "seeds: 2\n", "seeds: 2\nceiling: 20\n")
    commit(root)
    edit(root, HEAD, "ceiling: 20", "ceiling: 15")
    digest, review = both(root)
    assert any(re.match(r"- Risk to the ceiling: .*% → exceeded$", line) for line in digest), digest
    commit(root)
    edit(root, HEAD, "ceiling: 15", "ceiling: 14")
    digest, review = both(root)
    assert not any("Risk to the ceiling" in line for line in (*digest, *review))


def test_diff_names_the_extended_budget_since_others_lead_with_the_final_one(root: Path) -> None:
    more = "more: {title: More, extension: true, items: {b: {title: B, scope: one-time, gpu_hours: 50}}}\n"
    (root / PLAN).write_text((root / PLAN).read_text("utf-8") + more, "utf-8")
    commit(root)
    edit(root, PLAN, "gpu_hours: 50", "gpu_hours: 60")
    assert "Demo: extended budget 149 → 159 GPU-h (+10, +6.7%)" in budget(root, "diff").out.splitlines()
    edit(root, PLAN, "gpu_hours: 60", "gpu_hours: 50")
    edit(root, HEAD, "as_of: 2026-01-01", "as_of: 2026-01-02")
    assert "Demo: 99 GPU-h as before; 1 input changed" in budget(root, "diff").out


def test_diff_leads_from_budget_to_budget_where_extensions_stay(root: Path) -> None:
    """The total of the status page; where the extensions move too, the budget with them, in which all steps show."""
    more = "more: {title: More, extension: true, items: {b: {title: B, scope: per-seed, gpu_hours: 25}}}\n"
    (root / PLAN).write_text((root / PLAN).read_text("utf-8") + more, "utf-8")
    commit(root)
    edit(root, PLAN, "gpu_hours: 10\n", "gpu_hours: 20\n")
    assert "Demo: 99 → " in budget(root, "diff").out
    edit(root, HEAD, "seeds: 2", "seeds: 3")
    assert "Demo: extended budget 149 → " in budget(root, "diff").out


@pytest.mark.parametrize("since", ["", "  ", "."])
def test_since_nothing_is_refused(since: str, root: Path) -> None:
    """A shell whose command found no revision gives an empty word, since which nothing would ever have changed."""
    done = budget(root, "digest", "--since", since)
    assert (done.code, done.out) == (2, "")
    assert "`.` is the working tree itself; write a day such as 2026-02-03" in done.err


def test_a_commit_is_named_by_its_day_and_few_digits(root: Path) -> None:
    env = {"GIT_COMMITTER_DATE": "2026-02-03T10:00:00Z"}
    edit(root, PLAN, "gpu_hours: 10\n", "gpu_hours: 20\n")
    subprocess.run(["git", *WHO, "commit", "-qam", "two"], cwd=root, check=True, env=env)
    asked = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, capture_output=True, text=True)
    full = asked.stdout.strip()
    said = budget(root, "digest", "--since", full).out
    assert said == f"No figure changed since 2026-02-03 ({full[:8]}), and nothing is at risk.\n"


def test_a_ledger_with_problems_is_said_in_what_is_sent(root: Path) -> None:
    edit(root, PLAN, "scope: one-time", "scope: sometimes")
    done = budget(root, "digest", "--since", "HEAD", "--if-any")
    assert done.code == 2
    assert done.out.startswith("No digest: the ledger has problems.")
    assert f"{PLAN}:" in done.err


def test_findings_of_one_cause_are_told_once_with_their_figures(root: Path) -> None:
    """What the review lists as new and what it counts in all are the same causes."""
    edit(root, PLAN, "epochs: 3", "epochs: 300")
    digest, review = both(root)
    at = next(number for number, line in enumerate(review) if line.startswith("New findings"))
    entries = [line for line in review[at + 2 :] if line.startswith("- **")]
    assert any(line.startswith("- **error**: ") and "1,200" in line for line in entries), "300 epochs × 1 h × 4 cards"
    assert f"each cause once: `demo` {len(entries)} error." in " ".join(review).replace("errors", "error")
    assert any(line.startswith("- new error: ") and "1,200" in line for line in digest)


def test_a_base_that_cannot_be_read_tells_of_no_other_project(root: Path) -> None:
    """Its problems stand in a list, and findings of a project that the change leaves alone are not told."""
    own = {path.name: path.read_text("utf-8") for path in (root / "ledger/demo").glob("*.yaml")}
    plant(root, {f"ledger/other/{name}": text for name, text in own.items()})
    edit(root, "ledger/other/plan.yaml", "epochs: 3", "epochs: 300")
    edit(root, PLAN, "scope: one-time", "scope: sometimes")
    edit(root, PLAN, "scope: per-seed", "scope: never")
    commit(root, "broken")
    subprocess.run(["git", "tag", "base"], cwd=root, check=True)
    edit(root, PLAN, "scope: sometimes", "scope: one-time")
    edit(root, PLAN, "scope: never", "scope: per-seed")
    commit(root, "mended")
    said = budget(root, "review", "base").out
    assert "This change cannot be compared with `base`:\n\n- base: " in said
    assert said.count("\n- base: ") == 3, "two problems and how many there are"
    assert "`other`" not in said
