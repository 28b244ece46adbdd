"""What a reviewer is told of a change before it is merged: one text in markdown, for a summary or a comment.

What stops a change comes first, where there is any; then what it does to the budgets that it touches. All else is
folded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from reckon.compute.book import Book
from reckon.language.text import list_first, plural
from reckon.model.closing import HOME
from reckon.model.finding import Problem
from reckon.model.tree import CI, PEOPLE

from ..budget.expiry import expiring
from ..render.escape import CALLS, attribute, code, inline
from ..render.numbers import format_sentence
from ..terminal.lines import counts
from .proposal_pages import Proposed

MARK = "<!-- budget-ledger: review -->"  # the first line: a comment that begins with it is written anew
MOST_BYTES = 60_000  # a forge takes 65,536 characters in a comment
MOST_NAMED = 10


class Touched(NamedTuple):
    """What a change does beside the ledger, as paths: pages that it leaves stale, where people render; pages that it
    carries, where they do not; what CI runs or installs, that it alters; what was released or closed, that it alters;
    files among the pages that are nobody's. `closed` says in words which periods it closes or adjusts, and `pictures`
    whether these were compared too."""

    stale: Sequence[str] = ()
    carried: Sequence[str] = ()
    machinery: Sequence[str] = ()
    released: Sequence[str] = ()
    own: Sequence[str] = ()
    closed: Sequence[str] = ()
    pictures: bool = True


class Compared(NamedTuple):
    """What a change was held against, as it is written, and what came of that, in markdown: what is read first, and the
    details. `touched` are the projects that differ; None where nobody knows, so that all count."""

    against: str = ""
    first: str = ""
    details: str = ""
    touched: Collection[str] | None = None


def review(book: Book, problems: Collection[Problem], touched: Touched, compared: Compared, mend: str) -> str:
    """The text: what stops the change, what it does to budgets, then what else is touched, and folded what moves.

    `mend` is the command that brings the pages up to date. Nothing of a ledger acts in it (`calm`).
    """
    way = book.ledger.settings.pages
    pages = _say("up_to_date") if way == PEOPLE else _say("rendered_later", way == CI)
    if touched.stale:
        pages = _pages("stale", touched.stale, attribute(mend))
    if touched.carried:
        pages = _pages("carried", touched.carried, way == CI)
    closed = [path for path in touched.released if f"/{HOME}/" in path]
    parts = [
        MARK,
        "## Budget ledger",
        _paths(_say("machinery"), touched.machinery),
        _paths(_say("altered_released"), [path for path in touched.released if path not in closed]),
        _paths(_say("altered_closed"), closed),
        _wrong(problems),
        _paths(_say("foreign", plural(len(touched.own), "file")), touched.own),
        compared.first.strip("\n"),
        _list_first(_say("closed"), [inline(said) for said in touched.closed]),
        "" if problems else _list_first(_say("ending"), _ending(book, compared.touched)),
        "" if problems else _findings(book, compared.touched),
        pages if touched.carried or not problems else "",
        "" if touched.pictures else _say("without_pictures"),
        _folded(_say("differs", attribute(compared.against)), compared.details) if compared.details else "",
    ]
    return _cut(calm("\n\n".join(filter(None, parts))).rstrip("\n")) + "\n"


def calm(text: str) -> str:
    """Markdown in which `@` calls nobody and `#1` is no link, and no line begins with a slash, which GitLab takes for
    a command."""
    return re.sub(r"^( *(?:- )?)/", r"\1\/", CALLS.sub("\\g<0>\u2060", text), flags=re.MULTILINE)


def proposals(steps: Sequence[tuple[str, Proposed]]) -> str:
    """What proposals come to, each with its project, in markdown; empty where there are none."""
    told = [f"{code(f'{project_id}@{step.id}')} {inline(step.record.title)}: {step.said}" for project_id, step in steps]
    return _list_first(_say("proposals"), told)


def _wrong(problems: Collection[Problem]) -> str:
    told = [
        f"{code(str(problem.place))}: {inline(f'{problem.wrong}; {problem.right}')}"
        for problem in sorted(set(problems))
    ]
    return _list_first(_say("problems", plural(len(told), "problem")), told)


def _ending(book: Book, touched: Collection[str] | None) -> list[str]:
    """The allocations that end soon, of the projects that are touched."""
    found = list[str]()
    for grant, told in expiring(book):
        if touched is None or {*grant.projects} & {*touched}:
            found.append(inline(format_sentence(told)))
    return found


def _findings(book: Book, touched: Collection[str] | None) -> str:
    """How many findings there are, of the projects that are touched; empty where none of them has any."""
    every = {name: some for name, some in book.findings.items() if touched is None or name in touched}
    found = [f"{code(name)} {counts(book, name).removeprefix('none; ')}" for name, some in every.items() if some]
    return _say("findings", "; ".join(found), touched is not None)


def untold(base: str, why: Sequence[str]) -> str:
    """That what moves since a revision cannot be told, and why, in markdown."""
    said = _say("not_compared", code(base))
    reasons = [inline(reason) for reason in why]
    return f"{said} {reasons[0]}" if len(reasons) == 1 else _list_first(said, reasons)


def _pages(macro: str, paths: Sequence[str], value: object) -> str:
    """What a macro says of some pages, with a value, and the pages below it."""
    said = _say(macro, f"{len(paths):,}", len(paths) == 1, value)
    return _folded(said, _entries([code(path) for path in paths]))


def _say(macro: str, *values: object) -> str:
    """What a macro of `templates/words/review.j2` says, as text."""
    from ..word_templates import compose  # `digest` takes `calm` from this module, and does without Jinja

    return "".join(compose("review", macro, *values))


def _paths(said: str, paths: Sequence[str]) -> str:
    return _list_first(said, [code(path) for path in paths])


def _list_first(said: str, entries: Sequence[str]) -> str:
    """What is said, and below it the first of what it is said of, with how many more there are; empty of nothing."""
    return f"{said}\n\n{_entries(entries)}" if entries else ""


def _entries(entries: Sequence[str]) -> str:
    return "\n".join(f"- {entry}" for entry in list_first(entries, MOST_NAMED, "and {} more"))


def _folded(said: str, text: str) -> str:
    """Markdown that is shown once somebody opens it, under a line of HTML."""
    return "\n".join(['<details markdown="1">', f"<summary>{said}</summary>", "", text.strip("\n"), "", "</details>"])


def _cut(text: str) -> str:
    """The text as far as a forge takes it, to the end of a line, with what is open there closed."""
    whole = text.encode()
    if len(whole) <= MOST_BYTES:
        return text
    kept = whole[:MOST_BYTES].decode("utf-8", "ignore").rpartition("\n")[0]
    return "\n".join([kept, *_open_ends(kept.splitlines()), "", _say("cut_off")])


def _open_ends(lines: Sequence[str]) -> Iterator[str]:
    if sum(line.startswith("```") for line in lines) % 2:
        yield "```"
    yield from ["</details>"] * sum(line.count("<details") - line.count("</details>") for line in lines)
