"""Words of rules that have several kinds of evidence, by the kind that stands behind `#` in the id of a finding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Evidence(NamedTuple):
    """What a rule says where it has evidence of one kind: how severe that is (empty: as its rule is), what is wrong
    with `{title}`, what that means, and what to do; the last three are empty where each finding says its own."""

    severity: str
    title: str
    meaning: str
    remedy: str


EVIDENCE: Mapping[str, Mapping[str, Evidence]] = {
    "plan-unlike-its-estimate": {
        "clock": Evidence(
            "",
            "{title}: the plan looks like wall-clock hours entered as GPU-hours",
            "GPU-hours are wall-clock hours times the GPUs held. The plan seems to leave out that factor.",
            "Multiply by the number of GPUs, or say why the plan is right.",
        ),
        "below": Evidence(
            "",
            "{title}: the estimate does not support the plan",
            "The work as configured takes more than is planned for it.",
            "Raise the plan, or change the configuration that the estimate uses.",
        ),
        "above": Evidence(
            "",
            "{title}: the plan is far above its estimate",
            "A factor seems to be in the plan twice.",
            "Lower the plan, correct the estimate, or say what else is in it.",
        ),
        "whole": Evidence(
            "",
            "The estimates do not support the budget as a whole",
            "No contingency of this size makes up for it: the work as configured takes more than is asked for.",
            "Raise the plan of the lines that are named, or do less.",
        ),
        "repeats": Evidence(
            "",
            "{title}",
            "What the plan pays for a run in one place it does not pay in the other.",
            "Plan the line at what it repeats; or write into `times` what is really done, as 0.5 for runs of half the "
            "length.",
        ),
    },
    "seeds-counted-twice": {
        "count": Evidence(
            "",
            "{title}: the seeds seem to be in it twice",
            "The line is for each seed, so that a count in it of as many may be the seeds again.",
            "Take it out of the formula, let the scope be all-seeds, or write `runs` of the item if a seed takes that "
            "many runs.",
        )
    },
    "margin-on-margin": {
        "above": Evidence(
            "",
            "The contingency is above what it covers",
            "More is kept for the unforeseen than the work is planned to take.",
            "Write the share that is meant, as 15%; or accept the finding with the reason.",
        ),
        "unstated": Evidence(
            "",
            "Contingency is taken on lines that are planned above their estimates",
            "What a plan has above its estimate is a margin; the contingency is a second one for the same risk.",
            "Plan what the estimates give; or write `includes_margin: true` and a `contingency` of 0 for these lines.",
        ),
    },
    "hours-of-another-card": {
        "kept": Evidence(
            "warning",
            "{title}",
            "An hour on one GPU is not an hour on another: budget and money are those of the hours as they stand.",
            "",
        )
    },
    "run-implausible": {
        "energy": Evidence("", "{title}", "Energy and emissions calculated from it are wrong by the same factor.", "")
    },
    "more-than-the-capacity": {
        "gpus": Evidence(
            "",
            "More GPUs are held than there are",
            "GPUs, a time or the capacity is wrong; or a run is there that was elsewhere.",
            "Correct it. GPUs are those of all nodes; where the clock was changed, write times with their offset.",
        ),
        "hours": Evidence(
            "",
            "More hours are charged than a month has",
            "Hours, a date or the capacity is wrong; or runs are there twice.",
            "Correct them, largest first; a run of many days needs its start and its end, else its hours are spread "
            "over at most 31 days before its date.",
        ),
    },
    "progress-unknown": {
        "plan": Evidence(
            "",
            "{title}: it is not known what its completed runs finished",
            "Where nothing is said, a completed run ends its piece of work only if its hours are within half and twice "
            "of the plan. So complete and EAC are not known, and the forecast uses hours alone.",
            "Write `runs:` on the item if a piece takes several, `finishes: piece` if a completed run is all of it, "
            "`finishes: never` if none of it is done by that; or state the `progress` of the run.",
        ),
        "unsaid": Evidence(
            "",
            "{title}",
            "So complete and EAC are not known, and the forecast uses hours alone.",
            "",
        ),
    },
    "input-missing": {
        "ratio": Evidence(
            "error",
            "Runs on {title} cannot be counted",
            "Actual and what is left are unknown until it is there: unknown is never zero.",
            "",
        ),
        "price": Evidence("", "{title}", "Sums of money with it are at least what they say.", ""),
        "power": Evidence(
            "",
            "The power of {title} is not known",
            "Energy and emissions with it are at least what they say.",
            "Write its `watts` in the catalogue, with the source; or state `watts` of the item or run, or "
            "`energy_kwh` of the run.",
        ),
        "projection": Evidence(
            "",
            "{title}: undetermined",
            "Nothing is supposed in their place: what is not known is not guessed.",
            "Write them there, as a range where they are uncertain.",
        ),
    },
    "text-left-out": {
        "undecided": Evidence(
            "note",
            "Text {title} is left out",
            "",
            "Find out what is unknown; the text is then shown, or reported as wrong.",
        )
    },
    # What contradicts a setting: rows measured under it, another setting, what is said of a lever, a configuration.
    "setting-contradicted": {
        "timeout": Evidence(
            "error",
            "{title}: requests that took longer have succeeded",
            "Either the time-out was not in force, or these requests were aborted and did not succeed.",
            "Raise the time-out above the longest request, or find out what was in force.",
        ),
        "exceeded": Evidence(
            "warning",
            "{title}: what was measured is above the cap",
            "The cap was not in force, or the figures are of something else.",
            "Find out what was in force, and correct the configuration or the measurement.",
        ),
        "unreached": Evidence(
            "note",
            "{title}: the cap was never reached",
            "What was measured would have been the same without it.",
            "Do not count it as a saving; lower it if it must bind.",
        ),
        "sampling": Evidence(
            "warning",
            "{title}: greedy, but settings for sampling are given",
            "Greedy decoding takes the likeliest token. So the settings for sampling have no effect, or it was not "
            "greedy.",
            "Remove what was not in force.",
        ),
        "increase": Evidence(
            "warning",
            "{title}: an increase is called a reduction",
            "What is said of the change and its two values cannot both be right.",
            "Correct what is said, or swap the values.",
        ),
        "configuration": Evidence(
            "error",
            "{title}: active, but not in the configuration",
            "A setting has one value: either the lever is not active, or the configuration is another.",
            "Correct one of them, or give the lever another status.",
        ),
    },
}
"""By the ids of rules."""
