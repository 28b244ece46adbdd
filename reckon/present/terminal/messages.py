"""Problems and findings in words for a terminal, as JSON for programs, and as annotations for a forge's checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from textwrap import wrap
from typing import Any

from reckon.compute.audit.limits import compared
from reckon.compute.book import Book
from reckon.compute.statements.conditions import PolicyResult
from reckon.encoding import terminal_width
from reckon.language.text import Place, lines_by_file, list_first, plural
from reckon.model.finding import SEVERITIES, Finding, Problem
from reckon.model.finding_groups import FindingGroup, by_cause
from reckon.model.message_codes import code_of, with_code
from reckon.model.rules import current_id

from ..render.escape import terminal
from ..render.numbers import format_sentence
from .lines import Lines, answer_width, counts, cut

NO_PROJECTS = "There are no projects yet: a project is a folder under ledger/ with a project.yaml."
_GRADES = {"error": "critical", "warning": "major", "note": "info"}  # what a code quality report calls them
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}  # the gravest first
IN_SOURCE = " in the source"
MOST_PROBLEMS, MOST_PROJECTS = 30, 20  # where not all have room
MOST_ROWS = 20  # of the findings of one cause, in a terminal
MOST_MARKED = 10  # a forge shows ten annotations of a step, and drops the rest without a word


def list_problems(found: Iterable[Problem]) -> Lines:
    """Each problem in a line, by place, and a last line that counts them; what is in no file has no line."""
    ordered = sorted(set(found))
    yield from (terminal(with_code(problem, str(problem))) for problem in ordered)
    files = len({problem.place.file for problem in ordered if problem.place.line})
    within = f" in {plural(files, 'file')}" if files else ""
    yield f"{plural(len(ordered), 'problem')}{within}"


def report(
    book: Book, found: Iterable[Problem], form: str, base: str = "", judged: bool = True, most: int = 0
) -> Lines:
    """Problems and findings as text, json, or for github or gitlab; `base` goes before the paths of annotations.

    `judged` says whether the findings are those of a ledger without problems: those of releases do not touch them.
    Text that takes more than `most` lines is shortened to so many; 0 shortens nothing.
    """
    ordered = sorted(set(found))
    if form == "json":
        told_of = [
            {**problem.place._asdict(), "code": code_of(problem), "wrong": problem.wrong, "right": problem.right}
            for problem in ordered
        ]
        found_by = [{"project": name, **_entry(group)} for name, group in _groups(book)]
        yield json.dumps({"format": 2, "problems": told_of, "findings": found_by}, ensure_ascii=False, indent=2)
    elif form == "github":
        yield from _workflow(book, ordered, base)
    elif form == "gitlab":
        yield json.dumps(list(_quality(book, ordered, base)), ensure_ascii=False, indent=2)
    else:
        everything = list(_everything(book, ordered, judged))
        yield from everything if len(everything) <= (most or len(everything)) else _shorten(book, ordered, judged, most)


def _everything(book: Book, problems: list[Problem], judged: bool) -> Lines:
    """All problems, then each project with all its findings, with an empty line between every two of these."""
    blocks = [list(list_problems(problems))] if problems else []
    meanings: set[str] = set()
    for name, some in book.findings.items() if judged else ():
        blocks.append(list(_lay([_format_counts(book, name)])))
        blocks += [list(_lay(_paragraph(group, meanings))) for group in by_cause(some)]
    for number, block in enumerate(blocks or [[NO_PROJECTS]]):
        yield from ["", *block] if number else block


def _lay(lines: Iterable[str]) -> Lines:
    """Lines as they are, or wrapped on a terminal."""
    width = terminal_width(0)
    for line in lines:
        yield from wrap(line, width, subsequent_indent="    ", break_on_hyphens=False) if width else [line]


def _shorten(book: Book, problems: list[Problem], judged: bool, most: int) -> Lines:
    """The same in at most so many lines: the first problems, each project with its most severe findings, and where to
    see the others. The first finding of each project comes before the second of any."""
    lines = list(list_problems(problems)) if problems else []
    lines = [*list_first(lines[:-1], MOST_PROBLEMS, "… and {} more: `check --all` lists them"), *lines[-1:]]
    yield from lines
    if not judged:
        return
    entries = [(*numbered, name) for name, some in book.findings.items() for numbered in enumerate(by_cause(some))]
    entries.sort(key=lambda entry: (_order_of(entry[1]), entry[0]))
    names = list(dict.fromkeys([*(name for *_, name in entries), *book.findings]))
    chosen: dict[str, list[str]] = {name: [] for name in names[:MOST_PROJECTS]}
    room = most - len(lines) - len(chosen) - 2
    shown = 0
    for _, group, name in entries:
        told = _summarise(group)
        room -= len(told)
        if room < 0 or name not in chosen:
            break
        shown += 1
        chosen[name] += told
    for name in filter(chosen.__contains__, book.findings):
        yield from (cut(_format_counts(book, name), answer_width()), *chosen[name])
    if left_out := names[MOST_PROJECTS:]:
        yield f"… and {plural(len(left_out), 'project')} more"
    yield f"{shown:,} of {plural(len(entries), 'finding')}, shortened. All of them: `check PROJECT`, or `check --all`"


def _order_of(group: FindingGroup) -> tuple[int, ...]:
    """What comes first where there is no room for all: errors and warnings, the ledger's own before those of a
    document."""
    return bool(group.accepted), group.severity == "note", group.of_source, SEVERITIES.index(group.severity)


def _format_counts(book: Book, name: str) -> str:
    """How many findings a project has."""
    return terminal(f"{name}: {counts(book, name)}" if book.findings[name] else f"{name}: no findings")


def _summarise(group: FindingGroup) -> list[str]:
    """A cause in three lines: what, the arithmetic, where and what to do."""
    first = _first_line(group)
    where = f"{first.short}: " if first else ""
    texts = format_sentence(group.lead.arithmetic), where + format_sentence(group.lead.remedy)
    lines = [_heading(group), *(f"    {text}" for text in texts if text)]
    return [cut(terminal(f"  {line}"), answer_width()) for line in lines]


def _groups(book: Book) -> Iterator[tuple[str, FindingGroup]]:
    """The findings of all projects by cause, each with its project."""
    for name, some in book.findings.items():
        yield from ((name, group) for group in by_cause(some))


def _heading(group: FindingGroup) -> str:
    """How severe a cause is, and what it is; who accepted it, and why."""
    reason = group.accepted.rstrip(".")
    by = f" by {group.lead.by}" if group.lead.by else ""
    accepted = f" (accepted{by}: {reason}; otherwise {group.lead.was})" if reason else ""
    severity = "remark" if group.remark and not group.accepted else group.severity
    return f"{severity}{IN_SOURCE * group.of_source}: {format_sentence(group.title)}{accepted}"


def _paragraph(group: FindingGroup, meanings: set[str]) -> Lines:
    """A cause in a few lines: what, the arithmetic, what it means unless that is in `meanings` and so was printed
    already, what to do, where, and all that have it."""
    finding = group.lead
    meaning = format_sentence(finding.meaning)
    parts = [format_sentence(finding.arithmetic), *([meaning] if meaning not in meanings else [])]
    meanings.add(meaning)
    yield terminal(_heading(group))
    yield terminal(f"    {finding.id}")
    for part in (*parts, format_sentence(finding.remedy), format_sentence(finding.effect)):
        if part:
            yield terminal(f"    {part}")
    if finding.places:
        where = "; ".join(f"{file}:{lines}" for file, lines in lines_by_file(finding.places).items())
        yield terminal(f"    {where}")
    others = [found for found in group.members if found is not finding]
    also = [terminal(f"    also {found.id}: {format_sentence(found.arithmetic)}") for found in others]
    yield from list_first(also, MOST_ROWS, "    and {} more like it")
    how = "differs in the same way" if group.severity == "note" else "follows"
    named = _by_figure(group.members)
    stated = _by_figure(found for found in group.following if found not in group.consequences)
    below = [f"follows {each.id}: {format_sentence(each.arithmetic)}" for each in group.consequences]
    below += [f"{how}: {format_sentence(stated[key].title)}" for key in stated if key not in named]
    yield from list_first([terminal(f"    {each}") for each in below], MOST_ROWS, "    and {} more")


def _by_figure(some: Iterable[Finding]) -> dict[tuple[str, ...], Finding]:
    """Findings as a reader counts them: a figure that is stated alike in several places is one."""
    return {tuple(map(format_sentence, found.cells[:2])) or (found.id,): found for found in some}


def _entry(group: FindingGroup) -> dict[str, Any]:
    """A cause for programs: what is told of all, and a row for each finding, those that only follow marked so."""
    lead = group.lead
    rows = [
        {
            "id": found.id,
            "severity": found.severity,
            "follows": found.follows,
            "title": format_sentence(found.title),
            "arithmetic": format_sentence(found.arithmetic),
            "places": [place._asdict() for place in found.places],
        }
        for found in group.all
    ]
    return {
        "id": lead.id,
        "rule": lead.rule,
        "severity": group.severity,
        "in_source": group.of_source,
        "remark": group.remark,
        "subject": lead.subject,
        "title": format_sentence(group.title),
        "arithmetic": format_sentence(group.arithmetic),
        "meaning": format_sentence(lead.meaning),
        "remedy": format_sentence(lead.remedy),
        "effect": format_sentence(lead.effect),
        "accepted": lead.accepted,
        "by": lead.by,
        "was": lead.was,
        "places": [place._asdict() for place in lead.places],
        "rows": rows,
    }


def _workflow(book: Book, problems: list[Problem], base: str) -> Lines:
    """Workflow commands of GitHub, which other forges read too: the worst, and one that counts what is left out."""
    every = [group for _, group in _groups(book)]
    graded = sorted(every, key=lambda group: (list(_LEVELS).index(group.severity), group.of_source))
    for problem in problems[:MOST_MARKED]:
        yield _command("error", problem.place, with_code(problem, "Problem"), [problem.text], base)
    room = max(0, MOST_MARKED - len(problems))
    for group in graded[:room]:
        lead = group.lead
        told = (group.arithmetic, lead.meaning, lead.remedy, lead.effect)
        lines = [format_sentence(part) for part in told if part]
        place = _first_line(group) or Place("", 0, 0)
        title = f"{format_sentence(group.title)} [{group.lead.id}]"
        yield _command(_LEVELS[group.severity], place, _mark_source(group, title), lines, base)
    left = Counter(["problem"] * len(problems[MOST_MARKED:]) + [group.severity for group in graded[room:]])
    if left:
        counted = ", ".join(plural(count, name) for name, count in left.items())
        yield _command("notice", Place("", 0, 0), f"And {counted} more", ["`check --all` lists all."], base)


def _first_line(group: FindingGroup) -> Place | None:
    """The line at which a cause is marked: the first of its gravest finding."""
    return next((found.places[0] for found in (group.lead, *group.members) if found.places), None)


def _quality(book: Book, problems: list[Problem], base: str) -> Iterator[dict[str, Any]]:
    """The entries of a code quality report, which GitLab shows at their lines in a merge request.

    A fingerprint tells whether an entry is the same as in another version, whatever its line.
    """
    entries = [
        (code_of(problem) or "problem", "blocker", problem.text, problem.text, problem.place) for problem in problems
    ]
    for _, group in _groups(book):
        if place := _first_line(group):
            text = f"{format_sentence(group.title)}: {format_sentence(group.arithmetic)} [{group.lead.id}]"
            entries.append((group.rule, _GRADES[group.severity], text, _mark_source(group, text), place))
    for rule, grade, text, marked, place in entries:
        fingerprint = sha256(f"{place.file}\0{rule}\0{text}".encode()).hexdigest()
        at = {"path": base + place.file, "lines": {"begin": max(1, place.line)}}
        yield {
            "description": terminal(marked),
            "check_name": rule,
            "fingerprint": fingerprint,
            "severity": grade,
            "location": at,
        }


def _mark_source(group: FindingGroup, text: str) -> str:
    """A text with a mark where it is about what a source states."""
    return f"{IN_SOURCE.strip()}: {text}" if group.of_source else text


def _command(level: str, place: Place, title: str, lines: list[str], base: str) -> str:
    at = {"file": base + place.file, "line": str(place.line), "col": str(place.column)} if place.file else {}
    properties = ",".join(f"{name}={_property(text)}" for name, text in {**at, "title": title}.items())
    return f"::{level} {properties}::{_message(chr(10).join(terminal(line) for line in lines))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(terminal(text)).replace(":", "%3A").replace(",", "%2C")


HOLDS = {True: "met", False: "breached", None: "unknown"}
BREACHED = "policy-breached:"


def judged(book: Book, text: str) -> str:
    """What a policy (`policies.NAME`, or the id of its finding) requires and how it stands; that a finding is one."""
    named = text.removeprefix(BREACHED)
    for project, some in book.policies.items():
        # Whether the text names a policy, its project left out or not, or the policy over one thing.
        of = [
            result
            for result in some
            if f"{named}.".startswith((f"{project}.policies.{result.name}.", f"policies.{result.name}."))
        ]
        if of:
            head = f"`{of[0].name}` is a policy, not a figure: it requires `{of[0].policy.require.formula.text}`"
            return terminal("; ".join([head, *map(_verdict, of)]))
    if any(found.id == current_id(text) for some in book.findings.values() for found in some):
        return terminal(f"`{text}` is a finding, not a figure; `budget check` reports it")
    return ""


def _verdict(result: PolicyResult) -> str:
    """Whether a policy holds over a thing, with the comparisons that say so, or what is missing."""
    judged = result.judged
    parts = [format_sentence(compared(part)) for part in judged.parts if not part.missing]
    parts = [f"no value of {name}" for name in judged.missing] if result.holds is None else parts
    about = f" for {result.about}" if result.about else ""
    return f"{HOLDS[result.holds]}{about} ({', '.join(parts)})"
