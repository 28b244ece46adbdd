"""What is planned against what was granted."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.model.finding import Finding
from reckon.present.render.numbers import format_sentence

GPUS = "card: {title: Card}\nother: {title: Other, counts_as: {card: 0.5}}\n"
PROJECT = "title: P\nversion: 1.0.0\nas_of: 2025-01-01\ngpu: card\n"
LINE = "{{title: T{0}, scope: one-time, gpu_hours: {1}{2}}}"
ALSO = ", gpu: other"


def plan(*items: tuple[float | str, str]) -> str:
    lines = ", ".join(f"i{number}: " + LINE.format(number, hours, more) for number, (hours, more) in enumerate(items))
    return f"one: {{title: One, items: {{{lines}}}}}\n"


def grants(*rows: str, projects: str = "p") -> str:
    return "".join(f"g{number}: {{title: G, projects: [{projects}], {row}}}\n" for number, row in enumerate(rows, 1))


def found(ledger: Any, hours: str, granted: str, runs: str = "", **more: str) -> list[Finding]:
    texts = {"gpus": GPUS, "plan": hours, "allocations": granted, **({"runs": runs} if runs else {}), **more}
    return [finding for finding in ledger(**texts).book().findings["p"] if finding.rule == "plan-above-limit"]


def text(finding: Finding) -> str:
    """Its arithmetic as the terminal tells it."""
    return format_sentence(finding.arithmetic)


BIG = plan((341550, ""))


def test_more_than_the_grant(ledger: Any) -> None:
    [finding] = found(ledger, BIG, grants("gpu_hours: 300000"))
    assert (finding.severity, finding.id) == ("error", "plan-above-limit:allocations.g1")
    assert text(finding) == (
        "341,550 GPU-h of the work that it pays for are still to be done, 300,000 GPU-h are left of it: "
        "short by 41,550 GPU-h"
    )


def test_work_to_do_beyond_a_ceiling_is_the_figure_of_the_ledger(ledger: Any) -> None:
    """Of 100 planned hours all are to do once 70 failed; the ceiling of 150 has 80 left."""
    failed = "- {item: i0, date: 2025-01-02, gpu_hours: 70, status: failed}\n"
    [finding] = found(ledger, plan((100, "")), "{}\n", failed, project=f"{PROJECT}ceiling: 150\n")
    figures = [part.address for part in finding.arithmetic if not isinstance(part, str)]
    assert figures == ["p.work_to_do", "p.actual.below_ceiling", ""]
    assert text(finding).endswith(": short by 20 GPU-h")


@pytest.mark.parametrize(
    ("failed", "severity", "says"),
    [
        # 0.4 hours failed: 0.004% of 10,000 are missing, and both numbers print alike.
        ("0.4", "warning", ": short by 0.4 GPU-h (0.004% of the limit); failed or idle GPUs lost 0.4 GPU-h"),
        ("9.9", "warning", ": short by 9.9 GPU-h (0.099% of the limit); failed or idle GPUs lost 9.9 GPU-h"),
        ("10", "error", ": short by 10 GPU-h"),
    ],
)
def test_less_than_a_thousandth_of_a_limit_is_a_warning(ledger: Any, failed: str, severity: str, says: str) -> None:
    """All 10,000 hours are to do, and a run failed. It is told of the ceiling and of the grant."""
    runs = f"- {{item: i0, date: 2025-01-02, gpu_hours: {failed}, status: failed}}\n"
    project = f"{PROJECT}ceiling: 10000\n"
    both = found(ledger, plan((10000, "")), grants("gpu_hours: 10000"), runs, project=project)
    assert [finding.id for finding in both] == ["plan-above-limit:p.ceiling", "plan-above-limit:allocations.g1"]
    for finding in both:
        assert finding.severity == severity
        assert text(finding).endswith(says)


def test_lines_on_a_card_that_no_grant_is_for_do_not_count(ledger: Any) -> None:
    """Forty lines with ranges stand beside the one that the grant pays for."""
    lines = [(600, ""), *((f"{size}-{size + 2}", ALSO) for size in range(10, 50))]
    [finding] = found(ledger, plan(*lines), grants("gpu_hours: 500, gpu: card"))
    assert text(finding).endswith("500 GPU-h are left of it: short by 100 GPU-h")


@pytest.mark.parametrize(
    ("why", "hours", "granted", "runs", "fires"),
    [
        ("as much as was granted", plan((300, "")), grants("gpu_hours: 300"), "", False),
        ("a contingency is no work", plan((290, ", contingency: 10%")), grants("gpu_hours: 300"), "", False),
        ("two grants together", plan((500, "")), grants("gpu_hours: 300", "gpu_hours: 200, gpu: card"), "", False),
        ("two grants together, and not enough", plan((501, "")), grants("gpu_hours: 300", "gpu_hours: 200"), "", True),
        (
            "a grant of another project",
            plan((301, "")),
            grants("gpu_hours: 300") + grants("gpu_hours: 9000", projects="").replace("g1", "h"),
            "",
            True,
        ),
        (
            "a grant on a card that nothing is planned on is no help",
            plan((301, "")),
            grants("gpu_hours: 300", "gpu_hours: 900, gpu: other"),
            "",
            True,
        ),
        (
            "on another card alone: nothing is planned there",
            plan((301, "")),
            grants("gpu_hours: 5, gpu: other"),
            "",
            False,
        ),
        (
            "on another card, in its own hours",
            plan((9, ""), (300, ALSO)),
            grants("gpu_hours: 300, gpu: other"),
            "",
            False,
        ),
        ("on another card, too much", plan((9, ""), (301, ALSO)), grants("gpu_hours: 300, gpu: other"), "", True),
        (
            "lines on a card that no grant is for do not count: 100 and 50 of 200 there",
            plan((100, ""), (200, ALSO)),
            grants("gpu_hours: 100, gpu: card"),
            "",
            False,
        ),
        (
            "each card has its grant",
            plan((100, ""), (100, ALSO)),
            grants("gpu_hours: 100, gpu: card", "gpu_hours: 100, gpu: other"),
            "",
            False,
        ),
        (
            "it began later: 100 of 400 were spent before",
            plan((400, "")),
            grants("gpu_hours: 300, since: 2025-02-01"),
            "- {item: i0, date: 2025-01-05, gpu_hours: 100, progress: {done: 1, total: 4}}\n",
            False,
        ),
        (
            "the same from the beginning",
            plan((400, "")),
            grants("gpu_hours: 300"),
            "- {item: i0, date: 2025-01-05, gpu_hours: 100, progress: {done: 1, total: 4}}\n",
            True,
        ),
        (
            "a grant that follows is enough with the first",
            plan((500, "")),
            grants("gpu_hours: 300, until: 2025-03", "gpu_hours: 200, since: 2025-04"),
            "",
            False,
        ),
        (
            "it is not",
            plan((501, "")),
            grants("gpu_hours: 300, until: 2025-03", "gpu_hours: 200, since: 2025-04"),
            "",
            True,
        ),
        (
            "what is done needs no more",
            plan((400, "")),
            grants("gpu_hours: 300"),
            "- {item: i0, date: 2025-01-05, gpu_hours: 290}\n",
            False,
        ),
    ],
)
def test_when_it_is_found(ledger: Any, why: str, hours: str, granted: str, runs: str, fires: bool) -> None:
    assert bool(found(ledger, hours, granted, runs)) is fires, why


def test_projects_that_share_a_grant_are_taken_together(ledger: Any) -> None:
    """200 and 150 on 300 are too much, though each fits by itself; with 50 more for one of them they may fit."""
    second = {"ledger/q/project.yaml": PROJECT, "ledger/q/plan.yaml": plan((150, ""))}
    shared = grants("gpu_hours: 300", projects="p, q")
    [finding] = found(ledger, plan((200, "")), shared, **second)
    assert text(finding).startswith("350 GPU-h of the work that it pays for are still to be done, 300 GPU-h are left")
    assert not found(ledger, plan((200, "")), shared + "h: {title: H, gpu_hours: 50, projects: [q]}\n", **second)


def test_what_was_used_is_told(ledger: Any) -> None:
    """Another project has used 100 of the 300."""
    more = {
        "ledger/q/project.yaml": PROJECT,
        "ledger/q/runs/2025.yaml": "- {item: x, unplanned: true, date: 2025-01-01, gpu_hours: 100}\n",
    }
    [finding] = found(ledger, plan((250, "")), grants("gpu_hours: 300", projects="p, q"), **more)
    assert text(finding).endswith("200 GPU-h are left of it: short by 50 GPU-h")


def test_work_that_is_left_when_the_last_grant_has_ended(ledger: Any) -> None:
    runs = "- {item: i0, date: 2025-04-05, gpu_hours: 100, progress: {done: 1, total: 4}}\n"
    [finding] = found(ledger, plan((400, "")), grants("gpu_hours: 500, until: 2025-03"), runs)
    assert text(finding) == "300 GPU-h are still to be done, and the last grant ended on 2025-03-31"


@pytest.mark.parametrize(("rate", "fires"), [("15%", False), ("100%", False), ("101%", True), ("15x", True)])
def test_a_contingency_above_the_whole(ledger: Any, rate: str, fires: bool) -> None:
    findings = ledger(project=f"contingency: {rate}\n", plan=plan((10, ""))).findings()
    assert findings == (["warning margin-on-margin:p.contingency#above"] if fires else [])
