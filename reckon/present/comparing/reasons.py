"""Why inputs changed, as the authors say it, beside what changed."""

from __future__ import annotations

from collections.abc import Mapping

from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.reasons import reasons, why
from reckon.compute.versions.steps import Step
from reckon.language.text import Text

from .words import described, several


def given(of: Difference, part: Part) -> Mapping[str, Text]:
    """The reasons that the new side gives for what changed in a part, by address."""
    return reasons(of.old.book.ledger, of.new.book.ledger, part.id) if part.id else {}


def of_step(one: Step, said: Mapping[str, Text]) -> str:
    """The reasons for a step of a bridge; empty where none is given."""
    return " ".join(why(one.changes, said))


def beside(part: Part, said: Mapping[str, Text]) -> list[tuple[str, str]]:
    """What changed for a reason and moved no total, in words, each with the reason; those of one reason together."""
    steps = {id(change) for one in (part.bridge.steps if part.bridge else ()) for change in one.changes}
    found: dict[str, list[Change]] = {}
    for one in part.told:
        for reason in why((one,), said) if id(one) not in steps else ():
            found.setdefault(reason, []).append(one)
    return [(several([described(one) for one in some]), reason) for reason, some in found.items()]
