"""The command line of `fit`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter

from reckon.language.dtypes import BYTES

from ..fit import FLAGS, amount, gib
from .shared import Commands, changes, command

WORDS = {
    "dtype": (tuple(BYTES), "number format of weights and cache"),
    "optimizer": (("adam", "adam-8bit", "sgd-momentum", "sgd"), "train it, with this optimizer"),
    "sharding": (("none", "zero-1", "zero-2", "zero-3"), "stage of ZeRO: what the GPUs share out among them"),
    "recompute": (("none", "selective", "full"), "which activations are reckoned again, not kept"),
}
NUMBERS = {
    "parameters": ("N", "parameters of the model: 7B"), "layers": ("N", "its layers"),
    "kv_heads": ("N", "its key/value heads"), "head_size": ("N", "the size of a head"),
    "heads": ("N", "its attention heads"), "hidden_size": ("N", "its hidden size"),
    "tokens": ("N", "tokens of each sequence"), "sequences": ("N", "sequences at the same time"),
    "gpus": ("N", "GPUs that the states are shared out over"),
}  # fmt: skip


def fit(commands: Commands[ArgumentParser]) -> None:
    """`fit`: whether a configuration fits on cards."""
    parser = command(commands, "fit", "say whether a configuration fits into the memory of each card")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = (
        "CONFIG is one of a configurations.yaml. Without it, --params or --model says what is\n"
        "to fit: weights, and the KV cache with --context and --batch; with --train also\n"
        "gradients, optimizer states and activations. The exit code is 0 also where nothing\n"
        "fits: that is an answer."
    )
    parser.add_argument("configuration", nargs="?", metavar="CONFIG", help="a configuration of the ledger")
    parser.add_argument("--project", metavar="PROJECT", help="whose; needed where several have one of that name")
    parser.add_argument("--gpu", nargs="+", action="extend", default=[], metavar="CARD", help="only these cards")
    parser.add_argument("--model", metavar="ID", help="a model of the catalogue")
    for field, (metavar, text) in NUMBERS.items():
        parser.add_argument(FLAGS[field], dest=field, type=amount(field), metavar=metavar, help=text)
    for field, (words, text) in WORDS.items():
        parser.add_argument(FLAGS[field], dest=field, choices=words, metavar="WORD", help=f"{text}: {', '.join(words)}")
    parser.add_argument("--reserve", type=gib, metavar="GIB", help="memory of each card that is to stay free")
    parser.add_argument("--suggest", action="store_true", help="look for the levers under which it fits")
    parser.add_argument("--format", choices=("table", "json", "markdown"), default="table", help="default: table")
    changes(parser)


def together(parser: ArgumentParser, options: Namespace) -> None:
    """Refuses options that do not go together."""
    given = [FLAGS[field] for field in FLAGS if getattr(options, field) is not None]
    if options.configuration is not None and given:
        parser.error(f"{given[0]} goes without CONFIG: change the ledger, or reckon with --set as if it were changed")
    if options.configuration is None and options.project is not None:
        parser.error("--project goes with CONFIG: name a configuration of it")
    if options.configuration is not None:
        return
    if options.parameters is None and options.model is None:
        parser.error("name a configuration, or say what is to fit with --params or --model")
    if options.parameters is not None and options.model is not None:
        parser.error("--params and --model do not go together: the catalogue has the parameters of the model")
    for field in ("sharding", "recompute"):
        if getattr(options, field) is not None and options.optimizer is None:
            parser.error(f"{FLAGS[field]} goes with --train")
    if (options.gpus is not None) != (options.sharding not in (None, "none")):
        parser.error("--gpus and --sharding go together: the states are shared out over so many GPUs")
