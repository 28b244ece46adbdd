"""What a change does to each budget that it touches, as a review begins: before, after, bridge, new findings.

Whoever merges a run reads no more than this. Projects that a change leaves as they were are not in it, and nothing of a
ledger can act: it is escaped, and the review lets no `@name` call anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from reckon.compute.audit.limits import compared
from reckon.compute.book import Book
from reckon.compute.versions.change import Change
from reckon.compute.versions.difference import Difference, Part
from reckon.language.quantity import ZERO
from reckon.language.text import list_first, plural
from reckon.model.figure import Figure, is_known
from reckon.model.finding import Sentence
from reckon.model.kinds import CEILING, EXTENDED, FINAL, MONEY_CEILING, TOTALS, called

from ..budget.limits import NO_LIMIT, NOT_KNOWN, Reach, reach, reach_grant
from ..budget.state import ProjectState, dangers, extensions_begun, state_of
from ..render.escape import code, inline
from ..render.numbers import figure_text, format_sentence, use_text
from ..render.printing import Printer
from ..table import CellRows, Table, figures
from ..terminal.lines import Lines
from ..view import View
from . import sentences
from .change_headline import Found, Row, found_new, headline
from .markdown import bridge

MOST_FINDINGS, MOST_GLANCED, MOST_STEPS, MOST_GRANTS = 10, 10, 10, 4
SPENT, BELOW, COMPLETE = "Spent", "Left below the ceiling", "Done"
MONEY, ENERGY, CARBON = "Money spent", "Energy", "Emissions"
UNDECISIVE = (SPENT, BELOW, COMPLETE, MONEY, ENERGY, CARBON)
"""What moves with every run, and is among the details of a review: none of it decides whether a change is merged."""
CLOSE = Fraction(1, 10)
"""How near a policy is to its limit, as a share of it, for a reviewer to be told."""
ROWS = (
    (FINAL.title, FINAL.hours),
    (EXTENDED.title, EXTENDED.hours),
    (CEILING.title, CEILING.hours),
    (SPENT, "actual.total"),
    (f"Left of the {FINAL.words}", FINAL.remaining),
    (BELOW, CEILING.remaining),
    ("Left of the ceiling in money", MONEY_CEILING.remaining),
    ("Contingency left", "contingency.left"),
    (COMPLETE, FINAL.complete),
    ("Forecast", f"{FINAL.forecast}.p50"),
    ("Forecast with extensions", f"{EXTENDED.forecast}.p50"),
    ("Done by", "pace.end"),
    (f"Risk to the {FINAL.words}", FINAL.chance),
    (f"Risk to the {EXTENDED.words}", EXTENDED.chance),
    ("Risk to the ceiling", CEILING.chance),
    ("Risk to the ceiling in money", MONEY_CEILING.chance),
    (f"Cost of the {FINAL.words}", "money.final"),
    (MONEY, "money.actual"),
    (ENERGY, "energy.actual"),
    (CARBON, "carbon.actual"),
)
STATE, BREACHED = "State", "policy-breached"
UNTOLD, EXCEEDED = "not known", "exceeded"
WHY_UNTOLD = f"{UNTOLD}: the ledger does not say how much is done"
ONCE_BEGUN = f"{EXTENDED.forecast}.p50", EXTENDED.chance
"""What is told of extensions only once something is charged to one."""


def glance(of: Difference) -> Lines:
    """The lines for what projects share and for each project that differs, without one at either end."""
    lines = list(_shared([change for part in of.parts if not part.id for change in part.told]))
    parts = [part for part in of.parts if part.id]
    for part in parts[:MOST_GLANCED]:
        lines += ["", *_project(of, part)]
    if len(parts) > MOST_GLANCED:
        lines += ["", f"… and {len(parts) - MOST_GLANCED:,} more projects, listed below."]
    yield from lines[1:] if lines[:1] == [""] else lines


def _shared(changes: Sequence[Change]) -> Lines:
    """What changed of what projects share, each with its ledger lines."""
    found = [(inline(sentences.described(change)), sentences.format_places(change)) for change in changes]
    lines = [f"{words} ({code(at)})" if at else words for words, at in found]
    if len(lines) == 1:
        yield f"**Shared**: {lines[0]}"
    elif lines:
        yield from [*_list_entries("**Shared**:", lines)][1:]


def _project(of: Difference, part: Part) -> Lines:
    """What became of a project: its title, the figures of the whole that moved, why, and the findings."""
    if part.state:
        yield f"**{inline(sentences.headline(part))}**"
        added = found_new(of, part)
        state = state_in(of.new.book, part.id)
        if state and state.grave:
            yield from _describe_state(state.word.capitalize(), whys_in(of.new.book, part.id), added)
        yield from _list_findings(added)
        return
    moved = moved_figures(of, part)
    was, now = (state_in(book, part.id) for book in of.books)
    standing = f"; {now.word}" if moved and now and was and now.word == was.word else ""
    yield f"**{inline(part.title)}**: {inline(headline(of, part, moved) + standing)}"
    yield from _list_entries("Close to a limit:", [inline(format_sentence(each)) for each in _close(of.new.book, part)])
    rows: CellRows = [[*row] for row in moved if row[0] not in UNDECISIVE or row[2] == WHY_UNTOLD]
    if rows:
        yield from ("", str(Printer("").table(Table(["", figures("Before"), figures("Now")], rows))))
    found = found_new(of, part)
    if now and now.grave and (was is None or was.word != now.word):
        yield from _describe_state(f"Now {now.word}", whys_in(of.new.book, part.id), found)
    if part.bridge:
        yield from ("", *bridge(of, part, part.bridge, MOST_STEPS))
    yield from _list_findings(found)
    dropped = [f"{inline(what)} (no longer found: {inline(gone)})" for what, gone in sentences.dropped(part)]
    yield from _list_entries("Dropped, and a finding with it:", dropped)


def _close(book: Book, part: Part) -> Iterator[Sentence]:
    """The policies that hold, and that came nearer to what they require, to less than a tenth of it."""
    before = {figure.now.address: figure.was for figure in part.moved}
    for result in book.policies.get(part.id, ()):
        for each in result.judged.parts if result.holds else ():
            left = each.left
            right = each.right
            if not (isinstance(left, Figure) and isinstance(right, Figure)):
                continue
            was = _margin(before.get(left.address, left), before.get(right.address, right))
            now = _margin(left, right)
            if now < was and now <= CLOSE:
                yield (f"{result.policy.title or result.name}: ", *compared(each))


def _margin(value: Figure, limit: Figure) -> Fraction:
    """How far a figure is from its limit, as a share of the limit."""
    most = limit.unit.to_base(limit.use or ZERO)
    return abs(value.unit.to_base(value.use or ZERO) - most) / abs(most) if most else CLOSE


def _list_findings(found: Sequence[Found]) -> Lines:
    """The findings that are new, each cause once."""
    many = sum(each.more + 1 for each in found)
    head = f"New findings, {many:,} of {plural(len(found), 'cause')}:" if many > len(found) else "New findings:"
    yield from _list_entries(head, [_finding(each) for each in found])


def _describe_state(word: str, whys: Sequence[Sentence], found: Sequence[Found]) -> Lines:
    """A state, with the limits that decide it, and with the policies unless these stand among the findings."""
    why = [format_sentence(each) for each in whys]
    if any(each.id.startswith(f"{BREACHED}:") for each in found):
        why = [each for each in why if not each.startswith("policy ")]
    if why[1:]:
        yield from _list_entries(f"**{word}**:", [inline(each) for each in why])
    else:
        yield from ("", f"**{word}**{''.join(f': {inline(each)}' for each in why)}.")


def _finding(found: Found) -> str:
    until = f", until now a {found.was}" if found.was else ""
    more = f", and {found.more:,} more of this cause" if found.more else ""
    return f"**{found.severity}**{until}: {inline(found.text)} ({code(found.id)}){more}"


def state_in(book: Book, project_id: str) -> ProjectState | None:
    """The state of a project (`budget/state` alone decides it); None where it is not there or not a budget."""
    project = book.projects.get(project_id)
    view = View(book, project) if project else None
    return state_of(view) if view and view.kind == "budget" else None


def whys_in(book: Book, project_id: str) -> list[Sentence]:
    """Why a budget is in its state: every limit and policy that is not kept (`budget/state`)."""
    return dangers(View(book, book.projects[project_id]))


def _list_entries(head: str, entries: Sequence[str]) -> Lines:
    """The first of some entries under a line, and how many more there are; nothing where there are none."""
    if entries:
        yield from ("", head, "")
        yield from (f"- {entry}" for entry in list_first(entries, MOST_FINDINGS, "and {} more"))


def moved_figures(of: Difference, part: Part) -> list[Row]:
    """Title, before and now of the state, of each figure of the whole, and of what is left of each grant and the
    chance of exceeding it, where they are not as they were; of what projects share nothing."""
    if not part.id:
        return []
    old = of.old.book
    new = of.new.book
    then, today = (state_in(book, part.id) for book in (old, new))
    moved = [(STATE, then.word, today.word)] if then and today and then.word != today.word else []
    was, now = (dict(_figures(book, new, part.id)) for book in (old, new))
    for title, said in now.items():
        if was[title] != said:
            moved.append((title, was[title], WHY_UNTOLD if said == UNTOLD else said))
    return moved


def _figures(book: Book, new: Book, project_id: str) -> Iterator[sentences.TextPair]:
    """The figures of the whole as they are printed, each with its title; titles and grants are those of the new side.

    The chances are those by which the state is judged (`budget/limits`): with the extensions once these have begun."""
    project = new.projects[project_id]
    begun = extensions_begun(View(new, project))
    limits = {total.chance: total for total in TOTALS.values()}
    for title, address in ROWS:
        if address in ONCE_BEGUN and not begun:
            continue
        words = called(project.project, title)
        total = limits.get(address)
        if total is None:
            yield words, _figure(book, f"{project_id}.{address}")
            continue
        near = (reach(book, project_id, total) if project_id in book.projects else None) or NO_LIMIT
        if total is EXTENDED:
            near = near._replace(chance=near.extended or near.chance)
        yield from _chances(words, near, begun and total is CEILING)
    grants = [(name, grant) for name, grant in new.allocations.items() if project_id in grant.projects]
    for name, grant in grants[:MOST_GRANTS]:
        title = f"“{sentences.cut(str(grant.title))}”"
        shared = (reach_grant(book, name) if name in book.allocations else None) or NO_LIMIT
        left = book.get(f"allocations.{name}.left")
        why = f"{NOT_KNOWN}: {format_sentence(shared.unknown)}" if shared.unknown else ""
        yield f"Left of {title}", why if why and left and left.missing else _printed(left)
        yield from _chances(f"Risk to {title}", shared, begun)


def _chances(title: str, near: Reach, begun: bool) -> Iterator[sentences.TextPair]:
    """How likely a limit is exceeded, or that it is; with the extensions too, once these have begun."""
    why = f"{NOT_KNOWN}: {format_sentence(near.unknown)}" if near.unknown else ""
    yield title, EXCEEDED if near.passed else why or _printed(near.chance)
    if begun:
        yield f"{title} with extensions", EXCEEDED if near.passed else _printed(near.extended)


def _figure(book: Book, address: str) -> str:
    """A figure as it is printed, the forecast with its range."""
    figure = book.get(address)
    if is_known(figure) and address.endswith(".p50"):
        low, high = book.get_all(address.removesuffix(".p50"), "p10", "p90")
        if low and high and not low.missing and not high.missing and use_text(low) != use_text(high):
            return f"{figure_text(figure)} ({use_text(low)}–{use_text(high)})"
    return UNTOLD if figure and figure.missing and address.endswith(f".{FINAL.complete}") else _printed(figure)


def _printed(figure: Figure | None) -> str:
    """A figure as it is printed; `–` where there is none."""
    return "–" if figure is None or figure.missing else figure_text(figure)
