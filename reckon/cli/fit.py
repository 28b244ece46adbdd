"""`fit`: how a configuration of the ledger, or one that the command line describes, stands on cards."""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from functools import partial

from reckon.compute.book import Book
from reckon.compute.fitting import query
from reckon.language.text import echoed
from reckon.language.units import BYTES
from reckon.model.finding import nearest
from reckon.present.terminal.fitting import fitted

from .arguments import Parser, format_option, from_zero, gpu_option, quantity, set_option, wrong_argument
from .books import answer, ask_for_cards, ask_for_projects, changed
from .output import CommandError, no_such, say

EPILOG = """\
CONFIG is in configurations.yaml. Without it, describe the job with --params or --model:
weights, and the KV cache with --context and --batch; with --train also gradients,
optimizer states and activations. The exit code is 0 even if no card fits.

Example: budget fit --params 7B --train adamw --gpus 4"""
# What the command line calls the fields of a configuration and of its model.
FLAGS = {
    "model": "--model",
    "parameters": "--params",
    "layers": "--layers",
    "kv_heads": "--kv-heads",
    "head_size": "--head-size",
    "heads": "--heads",
    "hidden_size": "--hidden-size",
    "tokens": "--context",
    "sequences": "--batch",
    "dtype": "--dtype",
    "optimizer": "--train",
    "sharding": "--sharding",
    "gpus": "--gpus",
    "recompute": "--recompute",
}
WORDS = {
    "dtype": (tuple(BYTES), "number format of weights and cache"),
    "optimizer": (("adam", "adam-8bit", "sgd-momentum", "sgd"), "train with this optimizer"),
    "sharding": (("none", "zero-1", "zero-2", "zero-3"), "ZeRO stage: what the GPUs divide"),
    "recompute": (("none", "selective", "full"), "activations that are recomputed, not stored"),
}
NUMBERS = {
    "parameters": "parameters of the model, such as 7B",
    "layers": "number of layers",
    "kv_heads": "number of key/value heads",
    "head_size": "size of a head",
    "heads": "number of attention heads",
    "hidden_size": "hidden size",
    "tokens": "tokens per sequence",
    "sequences": "sequences processed at once",
    "gpus": "GPUs that share the states",
}


def declare_fit(parser: Parser) -> None:
    """The command line of `fit`."""
    parser.does(fit, _together, EPILOG)
    parser.option("configuration", "CONFIG", "configuration of the ledger", nargs="?")
    parser.option("--project", "PROJECT", "its project (default: the only one with that name)")
    gpu_option(parser)
    parser.option("--model", "ID", "model of the catalogue")
    for field, text in NUMBERS.items():
        parser.option(FLAGS[field], "N", text, dest=field, type=partial(_read_amount, field))
    for field, (words, text) in WORDS.items():
        parser.option(FLAGS[field], "WORD", f"{text}: {', '.join(words)}", dest=field, choices=words)
    parser.option("--reserve", "GIB", "memory to keep free on each card", type=_gib)
    parser.flag("--suggest", "find levers that make it fit")
    format_option(parser, "table", "json", "markdown")
    set_option(parser)


def _together(parser: Parser, options: Namespace) -> None:
    """Refuses options that do not go together."""
    given = [FLAGS[field] for field in FLAGS if getattr(options, field) is not None]
    if options.configuration is not None and given:
        parser.error(f"{given[0]} cannot be used with CONFIG; change the ledger, or try --set")
    if options.configuration is None and options.project is not None:
        parser.error("--project needs CONFIG; name a configuration of it")
    if options.configuration is not None:
        return
    if options.parameters is None and options.model is None:
        parser.error("name a configuration, or describe the job with --params or --model")
    if options.parameters is not None and options.model is not None:
        parser.error("--params and --model exclude each other: the catalogue has the parameters of the model")
    for field in ("sharding", "recompute"):
        if getattr(options, field) is not None and options.optimizer is None:
            parser.error(f"{FLAGS[field]} needs --train")
    if (options.gpus is not None) != (options.sharding not in (None, "none")):
        parser.error("--gpus and --sharding need each other: the GPUs share the states")


def _read_amount(key: str, text: str) -> str:
    """The text of a number, or a range, above zero in the unit of a key of the ledger."""
    found = quantity(text, key)
    if found.value.low is None or found.value.low <= 0 or found.form:
        raise wrong_argument(text, "is not a value above zero; write a number such as 32 or 7B")
    return text


def _gib(text: str) -> Fraction:
    """One amount of memory, in GiB where no unit is written."""
    return from_zero(text, "gib", "reserve; write a number of 0 or more, in GiB")


def fit(options: Namespace) -> None:
    """Prints how a configuration stands on cards; 0 too where it fits on none: that is an answer."""
    book = changed(options)
    ask_for_cards(options.gpu, book)
    words = {field: getattr(options, field) for field in FLAGS if getattr(options, field) is not None}
    whole = _query_described(book, words) if options.configuration is None else _query_named(book, options)
    whole = whole if options.reserve is None else query.with_reserve(whole, options.reserve)
    whole = query.on_cards(whole, options.gpu)
    if options.suggest:
        whole = query.with_levers_sought(whole)
    say(answer(book, options, fitted(whole, options.format, words, FLAGS)))


def _query_described(book: Book, words: dict[str, str]) -> query.FitQuery:
    """The configuration that the command line describes. Raises CommandError."""
    models = book.catalog.models
    if "model" in words and words["model"] not in models:
        raise CommandError(no_such("model", words["model"], models, where=" in the catalogue"))
    return query.query_described(book.catalog, words)


def _query_named(book: Book, options: Namespace) -> query.FitQuery:
    """The configuration that is named, of the only project that has it. Raises CommandError."""
    name = options.configuration
    ask_for_projects([options.project], book)
    every = {key: project.configurations for key, project in book.projects.items() if options.project in (None, key)}
    having = [project_id for project_id, known in every.items() if name in known]
    if not having:
        where = f"`{options.project}` has" if options.project else "there is"
        names = dict.fromkeys(key for known in every.values() for key in known)
        mend = nearest(name, names) if names else "write configurations.yaml (see `budget guide fit`)"
        raise CommandError(f"{where} no configuration `{echoed(name)}`; {mend}".rstrip("; "))
    if len(having) > 1:
        raise CommandError(
            f"several projects have a configuration `{name}`; name one with --project: {', '.join(having)}"
        )
    whole = query.query_configuration(book.figures, book.ledger, book.projects[having[0]], name)
    if not whole.configured.parts:
        raise CommandError(f"`{name}` has no `memory:`; list its parts there (see `budget guide fit`)")
    return whole
