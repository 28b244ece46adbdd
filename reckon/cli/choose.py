"""`choose`: setups within limits, ranked, of the project that has setups."""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from functools import partial

from reckon.compute.book import Book
from reckon.compute.calculation import priced_by
from reckon.compute.choosing import choosing, setups
from reckon.compute.choosing.pareto import Tradeoff
from reckon.language.text import echoed
from reckon.model.finding import nearest
from reckon.present.terminal.choosing import chosen

from .arguments import Parser, between, format_option, from_zero, gpu_option, set_option
from .books import answer, ask_for_cards, ask_for_projects, changed
from .output import CommandError, no_such, say

EPILOG = """\
Best trade-offs come first: by cost plus the value of the hours with --hour-value,
by time with --budget alone, else by cost. Limits default to setups.yaml; `none`
lifts one. The exit code is 0 even if no setup qualifies.

Example: budget choose --deadline 8"""
NONE = "none"
STATED = {"deadline": "deadline_hours", "budget": "budget_usd", "hour_value": "usd_per_hour_waited"}


def declare_choose(parser: Parser) -> None:
    """The command line of `choose`."""
    parser.does(choose, epilog=EPILOG)
    parser.option("project", "PROJECT", "the project (default: the only one with setups)", nargs="?")
    parser.option("--setups", "NAME", "comparison to show (default: the first in setups.yaml)")
    parser.option("--deadline", "H", "longest time allowed: 8, '2 d'", type=partial(_read_limit, "hours"))
    parser.option("--budget", "USD", "highest cost allowed: 20", type=partial(_read_limit, "usd"))
    gpu_option(parser)
    parser.option("--max-gpus", "N", "most GPUs in a setup", type=between(1, 10**6, "number of GPUs"))
    parser.option("--hour-value", "USD", "what an hour of waiting costs you", type=partial(_read_limit, "usd_per_hour"))
    parser.option(
        "--provider",
        "ID",
        "use only prices of this provider (the project's lists, else all)",
    )
    format_option(parser, "table", "json", "markdown")
    set_option(parser)


def _read_limit(key: str, text: str) -> Fraction | str:
    """A limit in the unit of a key of the ledger: one number, or `none` for no limit at all."""
    what = f"limit; write a number of 0 or more, or {NONE}"
    return NONE if text == NONE else from_zero(text, key, what)


def choose(options: Namespace) -> None:
    """Prints which setups qualify and why each other one does not; 0 too where none does: that is an answer."""
    book = changed(options)
    project_id = _project_id(book, options.project)
    ask_for_cards(options.gpu, book)
    priced = _priced(book, project_id, options.provider) if options.provider else book
    found = _setups(priced, project_id, options.setups)
    choice = choosing.choose(priced.figures, found, _request(priced, project_id, found.name, options))
    say(answer(book, options, chosen(priced, project_id, choice, options.format)))


def _project_id(book: Book, named: str | None) -> str:
    """The project asked for, or the only one that has setups. Raises CommandError."""
    having = [name for name, project in book.projects.items() if project.setups]
    mend = "write its workloads.yaml and setups.yaml (see `budget guide choose`)"
    ask_for_projects([named], book)
    if named in having:
        return str(named)
    if named is not None:
        another = f", or name another: {', '.join(having)}" if having else ""
        raise CommandError(f"`{named}` has no setups; {mend}{another}")
    if not having:
        raise CommandError(f"no project has setups; to choose hardware for one, {mend}")
    if len(having) > 1:
        raise CommandError(f"several projects have setups; name one: {', '.join(having)}")
    return having[0]


def _priced(book: Book, project_id: str, provider: str) -> Book:
    """The book at the prices of a provider. Raises CommandError where that has none."""
    lists = setups.lists_of(book.ledger, project_id, provider)
    if lists:
        return priced_by(book, project_id, lists)
    if provider in book.catalog.providers:
        raise CommandError(f"no price list of `{provider}` in the catalogue; add one to ledger/catalog/prices.yaml")
    raise CommandError(no_such("provider", provider, book.catalog.providers, where=" in the catalogue"))


def _setups(book: Book, project_id: str, named: str | None) -> Tradeoff:
    """The setups named, or the first of the project. Raises CommandError."""
    found = {tradeoff.name: tradeoff for tradeoff in book.tradeoffs[project_id]}
    if named is None and found:
        return next(iter(found.values()))
    if named in found:
        return found[named]
    records = book.projects[project_id].setups
    if named is None or named in records:
        raise CommandError(f"the setups of `{project_id}` cannot be calculated at these prices")
    raise CommandError(f"`{project_id}` has no setups `{echoed(named)}`; {nearest(named, records)}".rstrip("; "))


def _request(book: Book, project_id: str, name: str, options: Namespace) -> choosing.Request:
    """What the command line asks; what it leaves open is taken from the ledger, where that states it."""
    limits: dict[str, Fraction | None] = {}
    stated = []
    for kind, key in STATED.items():
        given, figure = getattr(options, kind), book.get(f"{project_id}.setups.{name}.{key}")
        limits[kind] = None if given == NONE else given
        if given is None and figure and figure.use is not None:
            limits[kind] = figure.use
            stated.append(kind)
    cards = tuple(dict.fromkeys(options.gpu))
    return choosing.Request(**limits, cards=cards, most_gpus=options.max_gpus, stated=tuple(stated))
