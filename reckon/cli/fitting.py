"""`fit`: finds the configuration, or makes one of what the command line says, and prints how it stands on cards."""

from __future__ import annotations

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from reckon.language.text import echoed

from .choosing import cards_known, quantity
from .commands import FINE, INVALID, changed, known
from .output import complain, no_such, say

if TYPE_CHECKING:
    from reckon.compute.book import Book
    from reckon.compute.fitting.seen import Seen

# What the command line calls the fields of a configuration and of its model.
FLAGS = {
    "model": "--model", "parameters": "--params", "layers": "--layers", "kv_heads": "--kv-heads",
    "head_size": "--head-size", "heads": "--heads", "hidden_size": "--hidden-size", "tokens": "--context",
    "sequences": "--batch", "dtype": "--dtype", "optimizer": "--train", "sharding": "--sharding", "gpus": "--gpus",
    "recompute": "--recompute",
}  # fmt: skip


def amount(key: str) -> Callable[[str], str]:
    """What reads a number, or a range, above zero in the unit of a key of the ledger; gives the text back."""

    def read(text: str) -> str:
        found = quantity(text, key)
        if found.value.low is None or found.value.low <= 0 or found.form:
            right = "write a number above zero, as 32 or 7B"
            raise ArgumentTypeError(f"{echoed(text)!r} is nothing to reckon with; {right}")
        return text

    return read


def gib(text: str) -> Fraction:
    """One amount of memory, in GiB where no unit is written."""
    value = quantity(text, "gib").value
    if not value.exact or value.use is None or value.use < 0:
        raise ArgumentTypeError(f"{echoed(text)!r} is no reserve; write one number from zero up, in GiB")
    return value.use


def fit(options: Namespace) -> int:
    """Prints how a configuration stands on cards; 0 too where it fits on none: that is an answer."""
    from reckon.compute.fitting.seen import on_cards, with_levers_sought, with_reserve
    from reckon.present import terminal

    book = changed(options)
    if book is None or not cards_known(book, options.gpu):
        return INVALID
    words = {field: getattr(options, field) for field in FLAGS if getattr(options, field) is not None}
    whole = _asked(book, words) if options.configuration is None else _named(book, options)
    if whole is None:
        return INVALID
    whole = whole if options.reserve is None else with_reserve(whole, options.reserve)
    whole = on_cards(whole, options.gpu)
    if options.suggest:
        whole = with_levers_sought(whole)
    say(terminal.changes(book.ledger) if options.format == "table" else [])
    say(terminal.fitted(whole, options.format, words, FLAGS))
    return FINE


def _asked(book: Book, words: dict[str, str]) -> Seen | None:
    from reckon.compute.fitting.seen import asked

    models = book.ledger.catalog.models
    if "model" in words and words["model"] not in models:
        no_such("model", words["model"], models, where=" in the catalogue")
        return None
    return asked(book.ledger.catalog, words)


def _named(book: Book, options: Namespace) -> Seen | None:
    """The configuration that is named, of the only project that has it; None, and said why, where there is none."""
    from reckon.compute.fitting.seen import seen
    from reckon.model.problem import nearest

    name = options.configuration
    if options.project is not None and not known([options.project], book):
        return None
    every = dict(_configurations(book, options.project))
    having = [project for project, names in every.items() if name in names]
    if not having:
        where = f"`{options.project}` has" if options.project else "there is"
        names = dict.fromkeys(one for names in every.values() for one in names)
        mend = nearest(name, names) if names else "write configurations.yaml (see `budget guide fitting`)"
        complain(f"{where} no configuration `{echoed(name)}`; {mend}".rstrip("; "))
        return None
    if len(having) > 1:
        complain(f"several projects have a configuration `{name}`; name one with --project: {', '.join(having)}")
        return None
    whole = seen(book.figures, book.ledger, book.ledger.projects[having[0]], name)
    if not whole.configured.parts:
        complain(f"`{name}` says nothing of memory; write its parts below `memory:` (see `budget guide fitting`)")
        return None
    return whole


def _configurations(book: Book, project: str | None) -> Iterator[tuple[str, list[str]]]:
    for name, one in book.ledger.projects.items():
        if one.configurations and project in (None, name):
            yield name, [str(each) for each in one.configurations]
