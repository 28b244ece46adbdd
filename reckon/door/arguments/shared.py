"""What all commands share: how a command is made, --root and --set, and whole numbers."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, _SubParsersAction
from pathlib import Path

Commands = _SubParsersAction  # the type that argparse keeps to itself


def root(parser: ArgumentParser, default: object) -> None:
    """Lets a command name the tree that it works in."""
    text = "the tree with ledger/ and docs/ (default: the current folder)"
    parser.add_argument("--root", type=Path, metavar="DIR", default=default, help=text)


def command(commands: Commands[ArgumentParser], name: str, text: str) -> ArgumentParser:
    """A command with its line of help."""
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
    # Named after the command too; without a default, so that it does not undo a --root named before.
    root(parser, SUPPRESS)
    return parser


def changes(parser: ArgumentParser) -> None:
    """Lets a command reckon as if the ledger said something else."""
    text = "reckon as if the ledger said so, as pixelis.seeds=5; can be given again; nothing is written"
    parser.add_argument(
        "--set", dest="changes", action="append", type=_change, default=[], metavar="ADDRESS=VALUE", help=text
    )


def _change(text: str) -> tuple[str, str]:
    address, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not address:
        raise ArgumentTypeError(f"{text[:60]!r} is no change; write ADDRESS=VALUE, as in pixelis.seeds=5")
    return address, value


def between(text: str, least: int, most: int, what: str) -> int:
    """A whole number, or argparse's complaint that it is none."""
    if not text.isdecimal() or not least <= int(text[:12]) <= most:
        raise ArgumentTypeError(f"{text!r} is no {what}; write a whole number from {least} to {most}")
    return int(text)
