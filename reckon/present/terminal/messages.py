"""Problems and findings in words for a terminal, as JSON for programs, and as annotations for a forge's checks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from reckon.compute.book import Book
from reckon.language.text import Place, plural
from reckon.model.figure import Figure
from reckon.model.finding import Finding, Problem, Sentence

from ..escape import terminal
from ..numbers import figure_text
from .summary import counts

NO_PROJECTS = "There are no projects yet: a project is a folder under ledger/ with a project.yaml."
_GRADES = {"error": "critical", "warning": "major", "note": "info"}  # what a code quality report calls them
_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}  # the gravest first
MOST_MARKED = 10  # a forge shows ten annotations of a step, and drops the rest without a word


def told(sentence: Sentence) -> str:
    """A sentence with its figures printed."""
    return "".join(figure_text(part) if isinstance(part, Figure) else part for part in sentence)


def problems(found: Iterable[Problem]) -> Iterator[str]:
    """Each problem in a line, by place, and a last line that counts them; what is in no file has no line."""
    ordered = sorted(set(found))
    yield from (terminal(str(one)) for one in ordered)
    files = len({one.place.file for one in ordered if one.place.line})
    within = f" in {plural(files, 'file')}" if files else ""
    yield f"{plural(len(ordered), 'problem')}{within}"


def report(
    book: Book, found: Iterable[Problem], form: str, base: str = "", judged: bool | None = None
) -> Iterator[str]:
    """Problems and findings as text, json, or for github or gitlab; `base` goes before the paths of annotations.

    `judged` says whether the findings are those of a ledger without problems: those of releases do not touch them.
    """
    ordered = sorted(set(found))
    if form == "json":
        found_by = [{"project": name, **_entry(one)} for name, some in book.findings.items() for one in some]
        whole = {"format": 1, "problems": [_problem(one) for one in ordered], "findings": found_by}
        yield json.dumps(whole, ensure_ascii=False, indent=2)
    elif form == "github":
        yield from workflow(book, ordered, base)
    elif form == "gitlab":
        yield json.dumps(list(_quality(book, ordered, base)), ensure_ascii=False, indent=2)
    else:
        if ordered:
            yield from problems(ordered)
        if not (judged if judged is not None else not ordered):
            return
        if ordered:
            yield ""
        for name, some in book.findings.items():
            for one in some:
                yield from _paragraph(one)
            yield terminal(f"{name}: {counts(book, name)}" if some else f"{name}: no findings")
        if not book.ledger.projects:
            yield NO_PROJECTS


def _paragraph(finding: Finding) -> Iterator[str]:
    """A finding in a few lines: what, the arithmetic, what it means, what to do, and where."""
    reason = finding.accepted.rstrip(".")
    accepted = f" (accepted: {reason}; otherwise {finding.was})" if reason else ""
    yield terminal(f"{finding.severity}: {told(finding.title)}{accepted}")
    yield terminal(f"    {finding.id}")
    for part in (finding.arithmetic, finding.meaning, finding.remedy):
        yield terminal(f"    {told(part)}")
    if finding.places:
        yield terminal("    " + _where(finding.places))
    yield ""


def _where(places: Iterable[Place]) -> str:
    """Ledger lines in short: `ledger/pixelis/plan.yaml:11, 14, 15; ledger/pixelis/project.yaml:17`."""
    files: dict[str, dict[int, None]] = {}
    for place in places:
        files.setdefault(place.file, {})[place.line] = None
    return "; ".join(f"{file}:{', '.join(map(str, lines))}" for file, lines in files.items())


def _problem(one: Problem) -> dict[str, Any]:
    return {**_place(one.place), "wrong": one.wrong, "right": one.right}


def _place(place: Place) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "column": place.column}


def _entry(one: Finding) -> dict[str, Any]:
    sentences = {name: told(getattr(one, name)) for name in ("title", "arithmetic", "meaning", "remedy")}
    head = {"id": one.id, "rule": one.rule, "severity": one.severity, "subject": one.subject}
    tail = {"accepted": one.accepted, "was": one.was, "places": [_place(place) for place in one.places]}
    return {**head, **sentences, **tail}


def workflow(book: Book, found: Iterable[Problem], base: str = "") -> Iterator[str]:
    """Workflow commands of GitHub, which other forges read too: the worst, and one that counts what is left out."""
    problems = list(found)
    graded = [one for grade in _LEVELS for some in book.findings.values() for one in some if one.severity == grade]
    for one in problems[:MOST_MARKED]:
        yield _command("error", one.place, "Problem", [one.text], base)
    room = max(0, MOST_MARKED - len(problems))
    for finding in graded[:room]:
        lines = [told(part) for part in (finding.arithmetic, finding.meaning, finding.remedy)]
        place = finding.places[0] if finding.places else Place("", 0, 0)
        yield _command(_LEVELS[finding.severity], place, f"{told(finding.title)} [{finding.id}]", lines, base)
    left = Counter(["problem"] * len(problems[MOST_MARKED:]) + [one.severity for one in graded[room:]])
    if left:
        counted = ", ".join(plural(count, name) for name, count in left.items())
        yield _command("notice", Place("", 0, 0), f"And {counted} more", ["`check` without --format tells all."], base)


def _quality(book: Book, found: Iterable[Problem], base: str) -> Iterator[dict[str, Any]]:
    """The entries of a code quality report, which GitLab shows at their lines in a merge request."""
    for one in found:
        yield _marked("problem", "blocker", one.text, one.place, base)
    for some in book.findings.values():
        for finding in some:
            text = f"{told(finding.title)}: {told(finding.arithmetic)} [{finding.id}]"
            for place in finding.places[:1]:
                yield _marked(finding.rule, _GRADES[finding.severity], text, place, base)


def _marked(rule: str, grade: str, text: str, place: Place, base: str) -> dict[str, Any]:
    """An entry; its fingerprint tells whether it is the same as in another version, whatever its line."""
    fingerprint = sha256(f"{place.file}\0{rule}\0{text}".encode()).hexdigest()
    at = {"path": base + place.file, "lines": {"begin": max(1, place.line)}}
    return {"description": terminal(text), "check_name": rule, "fingerprint": fingerprint, "severity": grade,
            "location": at}  # fmt: skip


def _command(level: str, place: Place, title: str, lines: list[str], base: str) -> str:
    at = {"file": base + place.file, "line": str(place.line), "col": str(place.column)} if place.file else {}
    properties = ",".join(f"{name}={_property(text)}" for name, text in {**at, "title": title}.items())
    return f"::{level} {properties}::{_message(chr(10).join(terminal(line) for line in lines))}"


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(terminal(text)).replace(":", "%3A").replace(",", "%2C")
