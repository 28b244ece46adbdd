"""The words of a comparison: headlines, steps, changes and moves in short, what changed alike told together, and why
inputs changed as the authors say it. Nothing here is escaped yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from reckon.compute.versions.canonical import singular
from reckon.compute.versions.change import Change, RunGroup, RunSum, find_reasons, reasons
from reckon.compute.versions.difference import Difference, Part
from reckon.compute.versions.list_diff import ACCEPTED, CLAIMS
from reckon.compute.versions.steps import BRIDGED, ENGINE_OLD, INPUTS, Bridge, Step
from reckon.language.groups import group_by
from reckon.language.quantity import ZERO
from reckon.language.text import NOWHERE, Place, Text, plural
from reckon.language.units import spoken
from reckon.model.figure import Figure
from reckon.model.kinds import EXTENDED
from reckon.model.release import ReleasedFinding

from ..budget.budget_table import SCOPE_WORDS
from ..render.numbers import decimal, figure_text, number_text, use_text
from ..table import CellRow, Code, Italic, below

Authors: TypeAlias = Mapping[Place, tuple[str, str]]
"""Who wrote a ledger line, and on which day, as far as it is known."""

TextPair: TypeAlias = tuple[str, str]
"""What is told, and beside it why, or what became of it."""

MOST_DECIMALS = 2
MOST_NAMED = 3
LONGEST, LONGEST_ENTRY = 60, 160
NAMES = ", ", " and"
HAVE_HOURS = "item", "allocation"
RUN_WORDS = {"runs": "runs", "additions": "entries without hours", "queued": "queued jobs"}
"""What is told by its hours where it comes or goes, as the ledger writes them."""
ARROW, SCOPE, PRICES = " → ", ".scope", "usd_per_gpu_hour"


def cut(words: str, longest: int = LONGEST) -> str:
    """Words in one line, cut where they are long."""
    words = " ".join(words.split())
    return words if len(words) <= longest else words[: longest - 1].rstrip() + "…"


def signed(number: Fraction, places: int | None = None) -> str:
    """A number with its sign; rounded to some decimals, or by its size."""
    text = number_text(number) if places is None else decimal(number, places)
    return text if text.startswith("−") or not number else f"+{text}"


def with_share(by: Fraction, share: Fraction | None) -> str:
    """A move with its share of what there was, where there is one: `+177, +7.6%`."""
    return signed(by) + (f", {signed(share * 100)}%" if share is not None else "")


def headline(part: Part) -> str:
    """What became of a project in a line: `Pixelis: 2,335 → 2,512 GPU-h (+177, +7.6%)`."""
    if part.state:
        total = part.now or part.was
        return f"{part.title}: {part.state}" + (f", {_name_total(total)}{figure_text(total)}" if total else "")
    if part.bridge and part.was and part.now:
        bridge = part.bridge
        was = use_text(part.was)
        now = use_text(part.now)
        budget = bridge.address.removeprefix(f"{part.id}.") in BRIDGED
        title = f"{part.title}: {_name_total(part.now)}" if budget else f"{part.title}, {bridge.title}: "
        if not bridge.by:
            return f"{title}{now} {bridge.unit.symbol}, with another range"
        share = bridge.by / abs(bridge.was.use) if bridge.was.use else None
        return f"{title}{was}{ARROW}{now} {bridge.unit.symbol} ({with_share(bridge.by, share)})".replace("  ", " ")
    same = f"{_name_total(part.now)}{figure_text(part.now)} as before; " if part.id and part.was and part.now else ""
    return f"{part.title}: {same}{count_kinds(part)}"


def _name_total(total: Figure) -> str:
    """The extended budget by its name, since elsewhere the final one stands first; of another total nothing."""
    return f"{EXTENDED.words} " if total.address.endswith(f".{EXTENDED.hours}") else ""


def count_kinds(part: Part) -> str:
    """How much of each kind differs in a part."""
    claims = sum(change.of == CLAIMS.of for change in part.told)
    accepted = sum(change.of == ACCEPTED.of for change in part.told)
    names = (
        (len(part.told) - claims - accepted, "input", "changed"),
        (claims, "claim", "changed"),
        (accepted, ACCEPTED.of, "changed"),
        (len(part.moved), "figure", "moved"),
        (len(part.gained), "finding", "gained"),
        (len(part.lost), "finding", "lost"),
        (len(part.altered), "finding", f"judged otherwise ({several([_judged(pair) for pair in part.altered])})"),
    )
    return ", ".join([f"{plural(many, word)} {what}" for many, word, what in names if many]) or "nothing moved"


def _judged(pair: tuple[ReleasedFinding, ReleasedFinding]) -> str:
    """A finding that is judged otherwise in short: what its severity was and is, and its title."""
    was, now = pair
    return f"{standing(was)}{ARROW}{standing(now)}: {cut(now.title)}"


def described(change: Change) -> str:
    """A change in a line, without its place."""
    kind = singular(change.of)
    sides = f"{cut(change.was)}{ARROW}{cut(change.now)}"
    record = f"{kind} {cut(change.title)}"
    match change.kind:
        case "added" | "removed":
            value = change.now or change.was
            value += " GPU-h" if kind in HAVE_HOURS and value[-1:].isdigit() else ""
            return f"{change.kind} {record}" + (f" ({cut(value)})" if value else "")
        case "renamed":
            by_title = change.title in (change.was, change.now)
            return f"renamed {kind} {sides}" if by_title else f"renamed {record}: id {sides}"
        case "moved":
            return f"moved {record}: {sides}"
        case "runs" if change.runs:
            return _runs(change.runs)
    if priced := _priced(change):
        return priced
    # An input of an item's hours is named by the item: "Benchmarks: suites".
    named = change.title.replace(": GPU-hours: ", ": ") or change.address
    title = f"{record}: {change.part}" if change.part else cut(named)
    scopes = SCOPE_WORDS if change.address.endswith(SCOPE) else {}
    was, now = (scopes.get(side, side) for side in (change.was, change.now))
    return f"{title}: {cut(was) or 'nothing'}{ARROW}{cut(now) or 'nothing'}"


def _runs(group: RunGroup) -> str:
    """Runs of an item in a month: how many and their hours; where these are as they were, what else is not."""
    head = f"{RUN_WORDS[group.kind]} of {group.item}, {group.month or 'without a date'}"
    was, now = group.sums
    costs = [_cost(currency, was, now) for currency, _ in now.costs or was.costs]
    if group.kind != "runs" and (group.counts[0] != group.counts[1] or was.costs != now.costs):
        return f"{head}: {', '.join([f'{was.many:,}{ARROW}{now.many:,}', *costs])}"
    if any(was != now for was, now in (group.counts, group.held, group.charged)):
        return f"{head}: {_numbers(was, now)}"
    if group.statuses:
        return f"{head}: {', '.join(f'{name} {_numbers(was, now)}' for name, was, now in group.statuses)}"
    return f"{head}: {', '.join(map(spoken, group.fields)) or 'entries'} changed"


def _cost(currency: str, was: RunSum, now: RunSum) -> str:
    """What runs state that they cost in a currency."""
    before, after = (dict(side.costs).get(currency, ZERO) for side in (was, now))
    return f"{_sides(before, after)} {currency.upper()}"


def _numbers(was: RunSum, now: RunSum) -> str:
    """How many runs, and what they were charged in hours of the project's GPU; beside it the hours held, where a card
    counts otherwise, or these alone, where a ratio is missing."""
    many = f"{was.many:,}{ARROW}{now.many:,}"
    held = (was.held, now.held)
    if was.charged is None or now.charged is None:
        return f"{many}, {_sides(*held)} GPU-h held"
    if (was.charged, now.charged) == held:
        return f"{many}, {_sides(*held)} GPU-h"
    beside = _sides(*held) if was.held != now.held else number_text(now.held)
    return f"{many}, {_sides(was.charged, now.charged)} GPU-h ({beside} hours held)"


def _sides(was: Fraction, now: Fraction) -> str:
    return f"{number_text(was)}{ARROW}{number_text(now)}"


def _priced(change: Change) -> str:
    """A price with what it is of and its unit, which the keys of a ledger do not say; empty of all else."""
    words = change.address.split(".")
    if words[:2] != ["catalog", "prices"] or words[3:4] != [PRICES] or change.kind != "changed" or len(words) < 5:
        return ""
    was, now = (f"${side}" if side else "nothing" for side in (change.was, change.now))
    return f"price of {words[4]}, {cut(change.title.partition(': ')[0])}: {was}{ARROW}{now} per GPU-hour"


def dropped(part: Part) -> list[TextPair]:
    """The requirements that were dropped, each with the titles of the findings that are gone with it."""
    found = []
    for each in part.silenced:
        is_claim = each.change.of == CLAIMS.of
        what = f"{entry(each.change)}: {each.change.kind}" if is_claim else described(each.change)
        found.append((what, several([cut(finding.title) for finding in each.findings])))
    return found


def step_words(step: Step, of: Difference) -> str:
    """What a step of a bridge is: the change it makes, or the first of several that go together."""
    if step.cause != INPUTS:
        if step.cause == ENGINE_OLD:
            return f"the method changed since {of.old.name}"
        return f"back to the method of {of.new.name}"
    return several(list(map(described, step.changes))) or "other changes"


def several(named: Sequence[str], apart: str = "; ", behind: str = "; and") -> str:
    """The first of some changes or names, and how many more there are."""
    more = len(named) - MOST_NAMED
    return apart.join(named[:MOST_NAMED]) + (f"{behind} {more:,} more" if more > 0 else "")


class BridgeLine(NamedTuple):
    """A line of a bridge: what it is and why, its ledger lines, by how much it moves the total, and the total then."""

    what: str
    why: str
    lines: str
    by: str
    total: str

    @property
    def cells(self) -> CellRow:
        """It as the row of a table."""
        what = below(self.what, Italic(self.why) if self.why else None)
        return [what, self.by, self.total, Code(self.lines) if self.lines else None]


def bridge_lines(of: Difference, part: Part) -> list[BridgeLine]:
    """The bridge of a part from the old total to the new one, both of which are among the lines; without one, none."""
    if not part.bridge:
        return []
    places = places_of(part.bridge)
    said = find_reasons_of(of, part)
    was, now = (decimal(end.use or ZERO, places) for end in (part.bridge.was, part.bridge.now))
    lines = [BridgeLine(of.old.name, "", "", "", was)]
    for step in part.bridge.steps:
        found = dict.fromkeys(line for change in step.changes[:MOST_NAMED] if (line := format_places(change)))
        by = signed(step.by, places) if step.by else "range"
        what = step_words(step, of)
        why = why_of(step.changes, said, step.sentences)
        lines.append(BridgeLine(what, why, "; ".join(found), by, decimal(step.now.use or ZERO, places)))
    return [*lines, BridgeLine(of.new.name, "", "", "", now)]


def format_places(change: Change) -> str:
    """The ledger lines of a change on both sides: `ledger/p/plan.yaml:11 → 12`."""
    was = change.was_place
    now = change.now_place
    if NOWHERE in (was, now):
        return f"{was.short} (before)" if now is NOWHERE and was is not NOWHERE else now.short
    if was.file == now.file:
        return now.short if was.line == now.line else f"{was.short}{ARROW}{now.line}"
    return f"{was.short}{ARROW}{now.short}"


def by_whom(change: Change, authors: Authors) -> str:
    """Who wrote the line of a change, and when; empty where it is not known."""
    return ", ".join(word for word in authors.get(change.now_place, ()) if word)


def places_of(crossing: Bridge) -> int:
    """The decimals with which the numbers of a bridge are printed, so that they add up as they stand where they can."""
    steps = [step.by for step in crossing.steps]
    numbers = [number for number in (crossing.was.use, crossing.now.use, *steps) if number]
    return min(max((len(decimal(number).partition(".")[2]) for number in numbers), default=0), MOST_DECIMALS)


def standing(finding: ReleasedFinding) -> str:
    """What a finding is: its severity; one that is accepted is just that, whatever it would be."""
    return "accepted" if finding.accepted else finding.severity


def altered(pair: tuple[ReleasedFinding, ReleasedFinding]) -> str:
    """A finding that both sides have, judged otherwise."""
    was, now = pair
    accepted = f" (accepted: {cut(now.accepted)})" if now.accepted and not was.accepted else ""
    no_longer = " (no longer accepted)" if was.accepted and not now.accepted else ""
    return f"{was.severity}{ARROW}{now.severity}: {now.title}{accepted}{no_longer}"


def shared_steps(crossing: Bridge) -> str:
    """That inputs share steps, where they do; else empty."""
    many = crossing.together
    return f"Very many inputs changed, so up to {many:,} neighbours share a step." if many > 1 else ""


def find_reasons_of(of: Difference, part: Part) -> Mapping[str, Text]:
    """The reasons that the new side gives for what changed in a part, by address."""
    return reasons(of.old.book.ledger, of.new.book.ledger, part.id) if part.id else {}


def why_of(changes: Iterable[Change], said: Mapping[str, Text], sentences: Iterable[str] = ()) -> str:
    """The reasons for some changes, among those that are given, or sentences; empty where there are none."""
    return " ".join(find_reasons(changes, said) or sentences)


def reasons_without_move(of: Difference, part: Part) -> list[TextPair]:
    """What changed for a reason and moved no total, in words, each with the reason; those of one reason together."""
    said = find_reasons_of(of, part)
    steps = {id(change) for step in (part.bridge.steps if part.bridge else ()) for change in step.changes}
    found: dict[str, list[Change]] = {}
    for change in part.told:
        for reason in find_reasons((change,), said) if id(change) not in steps else ():
            found.setdefault(reason, []).append(change)
    return [(several(list(map(described, changes))), cause) for cause, changes in found.items()]


_SAID = {
    (ACCEPTED.of, "added"): "newly accepted",
    (ACCEPTED.of, "removed"): "no longer accepted",
    (CLAIMS.of, "added"): "added",
    (CLAIMS.of, "removed"): "removed",
}


def inputs(part: Part) -> list[Change]:
    """The changed inputs that are no entries of a list."""
    return [change for change in part.told if change.of not in (ACCEPTED.of, CLAIMS.of)]


def grouped(part: Part, of: str) -> dict[str, list[Change]]:
    """The entries of a list (ACCEPTED or CLAIMS) that came, went or changed, by what became of them, in words."""
    changed = [change for change in part.told if change.of == of]
    changed.sort(key=lambda change: ("added", "removed", "changed").index(change.kind))
    return group_by(changed, _became)


def _became(change: Change) -> str:
    if change.kind == "changed":
        was, now = (cut(said, LONGEST_ENTRY) or "nothing" for said in (change.was, change.now))
        return f"{change.part}: {was}{ARROW}{now}"
    said = cut(change.now or change.was, LONGEST_ENTRY) if change.of == ACCEPTED.of else ""
    return _SAID[change.of, change.kind] + (f" ({said})" if said else "")


def entry(change: Change) -> str:
    """An entry of a list by what names it; a claim that came or went with what it states."""
    said = cut(change.now or change.was) if change.of == CLAIMS.of and change.kind != "changed" else ""
    return change.title + (f": {said}" if said else "")


def gist(groups: Mapping[str, Sequence[Change]]) -> str:
    """What became of the entries of a list, in a line: `6 no longer accepted; 18 until: 1.1.0 → 1.2.0`."""
    counts: Counter[str] = Counter()
    for became, entries in groups.items():
        alike = cut(became) if len(entries) > 1 else "changed"
        counts[_SAID.get((entries[0].of, entries[0].kind), alike)] += len(entries)
    return "; ".join(f"{many:,} {what}" for what, many in counts.items())
