"""What all commands share: how a command is made, --root and --set, and whole numbers."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, _SubParsersAction
from pathlib import Path
from typing import NoReturn

from reckon.language.text import echoed

from ..output import plain

Commands = _SubParsersAction  # the type that argparse keeps to itself


LONGEST = 800  # characters of what argparse says: it echoes arguments whole


class Parser(ArgumentParser):
    """A command line whose complaints are bounded, and act on no terminal and in no log."""

    def error(self, message: str) -> NoReturn:
        """Ends the program with code 2 and a message, of which the beginning and the end are kept."""
        half = LONGEST // 2
        super().error(plain(message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"))


def root(parser: ArgumentParser, default: object) -> None:
    """Lets a command name the tree that it works in."""
    text = "the tree with ledger/ and docs/ (default: the current folder)"
    parser.add_argument("--root", type=Path, metavar="DIR", default=default, help=text)


def traceback(parser: ArgumentParser, default: object) -> None:
    """Lets a mistake of the program show where it arose."""
    text = "where this program itself makes a mistake (exit code 4): show all of it"
    parser.add_argument("--traceback", action="store_true", default=default, help=text)


def command(commands: Commands[ArgumentParser], name: str, text: str) -> ArgumentParser:
    """A command with its line of help."""
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False)
    # Named after the command too; without a default, so that it does not undo a --root named before.
    root(parser, SUPPRESS)
    traceback(parser, SUPPRESS)
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
        raise ArgumentTypeError(f"{echoed(text)!r} is no change; write ADDRESS=VALUE, as in pixelis.seeds=5")
    return address, value


def between(text: str, least: int, most: int, what: str) -> int:
    """A whole number, or argparse's complaint that it is none."""
    if not text.isdecimal() or not least <= int(text[:12]) <= most:
        raise ArgumentTypeError(f"{echoed(text)!r} is no {what}; write a whole number from {least} to {most}")
    return int(text)
