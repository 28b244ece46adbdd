"""What findings of the shipped documents say: how severe a kind is, what to write, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from reckon.compute.audit.stated import title_of
from reckon.model.finding import Finding
from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.present.render.numbers import format_sentence
from tests.reading import ROOT, shipped

PHASE_2 = "phase2-collection.setups.collection"


def finding(project: str, of: str) -> Finding:
    (found,) = (each for each in shipped().findings[project] if each.id == of)
    return found


def group_with(project: str, of: str) -> FindingGroup:
    (group,) = (each for each in by_cause(shipped().findings[project]) if of in {found.id for found in each.all})
    return group


def test_a_ratio_that_nothing_is_calculated_from_is_a_warning() -> None:
    """180 to 200 tokens a second over 70 are 2.6 to 2.9 times, not 3.1: a fact of the table alone. The 100-200 times of
    725 to 1,812 are as far off as a decision."""
    assert (
        finding("phase2-collection", f"claim-contradicted:{PHASE_2}.h100-80gb-x1.relative_speed").severity == "warning"
    )
    assert finding("arpo", "claim-contradicted:arpo.figures.speedup-a40").severity == "error"


def test_a_statement_that_holds_of_another_ratio_is_asked_which_it_means() -> None:
    found = finding("arpo", "claim-contradicted:arpo.figures.compute-bf16")
    said = "Compute of an A100 over the CPU's, in bf16: 3,120×, not ~100–200× (in fp32: 195×)"
    assert (found.severity, format_sentence(found.title)) == ("note", said)
    assert format_sentence(found.remedy) == "Name the format: “in fp32”."


def test_a_word_is_told_with_the_figures_of_its_document() -> None:
    found = finding("phase2-collection", f"claim-contradicted:{PHASE_2}.a100-40gb-x4.standing")
    assert format_sentence(found.remedy) == "Move them to the dominated setups."
    assert "stated 7.25 h for $38; 4× NVIDIA GeForce RTX 5090: 6.6 h for $21.19, stated 5.5" in format_sentence(
        found.arithmetic
    )


@pytest.mark.parametrize(
    ("project", "subject", "is_joined"),
    [
        ("arpo", "arpo.measurements.cpu-requests.generation_seconds.mean.use", True),
        ("llama", "llama.figures.bloom-energy", True),  # 475 of 476.47
        ("phase2-collection", f"{PHASE_2}.b200-x1.overhead_hours", False),  # 2 h of 1.4
    ],
)
def test_only_rounding_is_joined_as_rounding(project: str, subject: str, is_joined: bool) -> None:
    title = format_sentence(group_with(project, f"claim-contradicted:{subject}").title)
    assert ("stated figures differ a little" in title) is is_joined


def test_what_a_wrong_figure_explains_follows_from_it() -> None:
    """34 h lie in 34.3 to 39.7 with their rounding, and are 30 h that should be 34, and 4."""
    group = group_with("phase2-collection", f"claim-contradicted:{PHASE_2}.rtx-4090-x1.generation_hours")
    assert {f"claim-contradicted:{PHASE_2}.rtx-4090-x1.{key}" for key in ("hours", "usd")} < {
        found.id for found in group.following
    }


@pytest.mark.parametrize(
    ("project", "said"),
    [
        ("arpo", "- **Where** ARPO CPU performance report, optimizations applied · `ledger/arpo/levers.yaml`"),
        ("arpo", "- **Why** 3,623 s/step / 2–5 s/step = 725–1,812×."),
        ("arpo", "One request, Laptop CPU (measured), achieved arithmetic per second: 1 GFLOP/s, not"),
        ("arpo", "8 stated figures differ a little, by at most 13%"),  # ~15 min are stated for 13.3
        (
            "llama",
            "2 stated figures differ a little, by at most 0.31%",
        ),  # 475 MWh of 476.47: no rounding
        ("llama", "| 475 MWh | [476 MWh][figures.bloom-energy] | no cause found |"),
        ("phase2-collection", "Most are the single-GPU total / 4."),
        ("grpo-gsm8k", "#### Shorter responses, saving: 2–4 GiB is above 1.1 GiB (Whole memory of one of 32"),
        ("grpo-gsm8k", "- **Change** Recommend the settings for the A40 on this card, which fit it."),
        ("phase2-collection", "4 more figures differ in the same way.\n\n| Figure | Stated | Calculated |\n"),
        ("phase2-collection", "× 1 GPU = 1.3–1.5 h. No cause found."),
        ("phase2-collection", "(its own inputs: $0.55/h)"),
        ("arpo", "= 10 steps. 10 steps of 5–10 s each are 50–100 s. Perhaps these seconds are written as steps."),
        ("grpo-gsm8k", "it is short by 0.1 GiB, less than its inputs are rounded by."),
        ("pixelis", "#### Supervised fine-tuning, Reinforcement fine-tuning and 2 more: the estimate uses the low end"),
        ("pixelis", "#### Weights of Qwen2.5-VL 7B in bf16: 13.04 GB is in GiB"),
        ("pixelis", "#### Micro-benchmark of training (simulated): its figures are far from the estimates"),
        ("pixelis", "- **Change** Count it once (40 GPU-h, not × 3 seeds), or plan one seed."),
        ("birdsong", "1 run with 34 GPU-h begins after 2025-05-30, on 2025-06-10."),
    ],
)
def test_the_page_says_it(project: str, said: str) -> None:
    assert said in (ROOT / f"docs/{project}/findings.md").read_text("utf-8")


def test_braces_in_notes_of_a_claim_are_braces(ledger: Any) -> None:
    """A finding prints the notes of its claim as they stand."""
    claims = "- {of: figures.a, states: 9 h, at: Page 1, notes: 'Set in {main}, not here.'}\n"
    (found,) = ledger(figures="a: {title: A, hours: 5}\n", claims=claims).book().findings["p"]
    assert format_sentence(found.meaning) == "Set in {main}, not here."


def test_what_moves_a_hundredth_of_the_cost_is_not_told() -> None:
    """21.8 GPU-h on another card cost $4.14 less, of some $2,000."""
    assert not [each for each in shipped().findings["birdsong"] if each.rule == "paid-otherwise"]


def test_a_claim_states_its_own_remedy(ledger: Any) -> None:
    """Of a figure, of a word and of an order: what the ledger's authors propose stands in place of `Write …`."""
    figures = "a: {title: A, hours: 10}\nb: {title: B, hours: 5}\n"
    claims = "- {of: figures.a, states: 20, at: Text, remedy: Ask the author.}\n"
    claims += "- {of: figures.a, below: figures.b, at: Text, remedy: Say which runs first.}\n"
    found = ledger(figures=figures, claims=claims).book().findings["p"]
    said = {each.rule: format_sentence(each.remedy) for each in found}
    assert said["claim-contradicted"] == "Ask the author."
    assert said["order-contradicted"] == "Say which runs first."


def test_a_word_states_its_own_remedy() -> None:
    found = finding("arpo", "claim-contradicted:arpo.projections.small.a100-estimated.cheapest")
    assert format_sentence(found.remedy) == "Name Vast.ai, or say why RunPod is recommended."


STATED = "- {{of: figures.a, states: {}, at: 'Page 1, below'}}\n"


@pytest.mark.parametrize(
    ("figure", "states", "title", "remedy"),
    [
        # 20,000 less 7,144 are 12,856: six zeros say no more.
        (
            "hours: {formula: a_hours - b_hours, a_hours: 20000, b_hours: 7144}",
            "19327.802776",
            "A: 12,856 h, not 19,327.802776 h",
            "Write 12,856 h, or correct its inputs.",
        ),
        (
            "hours: {formula: a_hours - b_hours, a_hours: 20000, b_hours: 0.715}",
            "19999.802776",
            "A: 19,999.285 h, not 19,999.802776 h",
            "Write 19,999.285 h, or correct its inputs.",
        ),
        (
            "usd: {formula: 2 * each_usd, each_usd: 4.00}",
            "8.75",
            "A: $8.00, not $8.75",
            "Write $8.00, or correct its inputs.",
        ),
        # Both numbers have their unit.
        (
            "factor: {formula: a_hours / b_hours, a_hours: 1.3, b_hours: 0.65}",
            "5.3x",
            "A: 2.0×, not 5.3×",
            "Write 2.0×, or correct its inputs.",
        ),
        # Nobody can write what is less than nothing; who wrote it may.
        (
            "gpu_hours: {formula: a_hours * gpus - b_hours * gpus, a_hours: 14, b_hours: 28, gpus: 1}",
            "10",
            "A: −14 GPU-h, not 10 GPU-h",
            "Correct its inputs: they give less than nothing.",
        ),
        (
            "gpu_hours: {formula: a_hours * gpus - b_hours * gpus, a_hours: 14, b_hours: 28, gpus: 1}",
            "-10",
            "A: −14 GPU-h, not −10 GPU-h",
            "Write −14 GPU-h, or correct its inputs.",
        ),
    ],
)
def test_numbers_are_printed_as_they_are_to_be_written(
    ledger: Any, figure: str, states: str, title: str, remedy: str
) -> None:
    (found,) = ledger(figures=f"a: {{title: A, {figure}}}\n", claims=STATED.format(states)).book().findings["p"]
    assert (format_sentence(found.title), format_sentence(found.remedy)) == (title, remedy)


@pytest.mark.parametrize(
    ("first", "second", "off"),
    [
        # 5.5 of 3.4 is 62% above, 15.4 of 12.7 is 21%; the middle of 4.5 to 5.5 would be 47%.
        ("4.5-5.5", "14.5-15.4", "up to 62% too high"),
        ("2.5-3.0", "10.0-12.0", "up to 26% too low"),
        ("8.0-9.0", "14.5-15.4", "up to 2.6 times too high"),
        # One is above, and one below.
        ("4.5-5.5", "10.0-12.0", "not what their inputs give"),
    ],
)
def test_how_far_off_a_range_is_goes_by_its_worst_end(ledger: Any, first: str, second: str, off: str) -> None:
    figures = "a: {title: 'A: time', seconds: 3.4}\nb: {title: 'B: time', seconds: 12.7}\n"
    claims = f"- {{of: figures.a, at: 'Table 1, a', states: {first}}}\n"
    claims += f"- {{of: figures.b, at: 'Table 1, b', states: {second}}}\n"
    title = format_sentence(title_of(ledger(figures=figures, claims=claims).book().checks["p"]))
    assert title == f"Time: 2 stated figures in “Table 1” are {off}"
