"""What all command lines share: how a command is declared, options of many commands, and readers of arguments."""

from __future__ import annotations

import argparse
import re
from argparse import SUPPRESS, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from reckon.language.calendar_days import is_day, last_day
from reckon.language.text import Refusal, echoed
from reckon.language.units import key_unit

from .output import no_such, sanitise_line

if TYPE_CHECKING:
    from fractions import Fraction

    from reckon.language.quantity import Quantity

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # argparse keeps the type to itself
Run = Callable[[Namespace], int | None]
"""Does what a command is for, and gives the exit code, if that is not 0."""
Together = Callable[["Parser", Namespace], None]
"""Refuses options that do not go together, and settles those that can be given in two ways."""

DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
LONGEST = 800  # characters of what argparse says: it echoes arguments whole


class Parser(argparse.ArgumentParser):
    """A command line whose complaints are bounded, and act on no terminal and in no log.

    What a command takes is declared once that command is used, so that no command waits for what others import.
    """

    later: Callable[[Parser], None] | None = None

    def error(self, message: str) -> NoReturn:
        """Ends the program with code 2 and a message, of which the beginning and the end are kept."""
        half = LONGEST // 2
        super().error(sanitise_line(message if len(message) <= LONGEST else f"{message[:half]} … {message[-half:]}"))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Declares what the command takes, and reads it. Ends the program where there is no such option."""
        if self.later:
            self.later(self)
            self.later = None
        options, beside = super().parse_known_args(args, namespace)
        for word in beside:
            if word.startswith("--"):
                known = sorted(set(re.findall(r"--[a-z][a-z-]*", self.format_help())))
                self.error(no_such("option", word.partition("=")[0], known, "--help lists them"))
        return options, beside

    def does(self, run: Run, together: Together | None = None, epilog: str = "") -> None:
        """Says what the command does. An epilog of several lines is printed as it stands."""
        self.epilog = epilog
        if "\n" in epilog:
            self.formatter_class = argparse.RawDescriptionHelpFormatter
        self.set_defaults(run=run, together=together)

    def option(self, name: str, metavar: str, text: str, **more: Any) -> None:
        """Takes a value: its name, what --help calls the value, and what it says of it."""
        self.add_argument(name, metavar=metavar, help=text, **more)

    def flag(self, name: str, text: str) -> None:
        """Takes a word that is said or not."""
        self.add_argument(name, action="store_true", help=text)


def command(commands: Commands, name: str, text: str, later: Callable[[Parser], None], is_listed: bool = False) -> None:
    """A command with its line of help (in the help of all of them too, unless it is listed there), and what declares
    the rest once it is used."""
    shown: dict[str, Any] = {} if is_listed else {"help": text}
    parser = commands.add_parser(name, description=text[0].upper() + text[1:], allow_abbrev=False, **shown)
    # Named after the command too; without a default, so that it does not undo a --root named before.
    common_options(parser, SUPPRESS, SUPPRESS)
    parser.later = later


def common_options(parser: Parser, root: object, traceback: object) -> None:
    """The options of every command, with their defaults: its tree, and how mistakes of the program are told."""
    parser.option("--root", "DIR", "repository to work on (default: the current folder)", type=Path, default=root)
    parser.add_argument(
        "--no-cache",
        action="store_true",
        default=traceback,
        help="recalculate without the cache",
    )
    parser.add_argument(
        "--traceback",
        action="store_true",
        default=traceback,
        help="show the full trace on an internal error",
    )


def set_option(parser: Parser) -> None:
    """Lets a command calculate as if the ledger said something else."""
    parser.option(
        "--set",
        "ADDRESS=VALUE",
        "calculate with another value, such as pixelis.seeds=5 (repeatable, writes nothing)",
        dest="changes",
        action="append",
        type=_change,
        default=[],
    )
    parser.flag(
        "--convert",
        "with --set PROJECT.gpu=CARD or PROJECT.plan.ITEM.gpu=CARD: convert hours by `counts_as`",
    )


def format_option(parser: Parser, *forms: str) -> None:
    """Lets a command print its answer in one of some formats, the first by default."""
    parser.add_argument("--format", choices=forms, default=forms[0], help="default: %(default)s")


def gpu_option(parser: Parser) -> None:
    """Lets a command look at some cards of the catalogue alone."""
    parser.option("--gpu", "CARD", "only these cards", nargs="+", action="extend", default=[])


def project_option(parser: Parser) -> None:
    """Lets `add` name the project in two ways."""
    parser.option("name", "PROJECT", "the project (default: the only one)", nargs="?")
    parser.option("--project", "PROJECT", "same as the argument PROJECT")


def dry_run_option(parser: Parser) -> None:
    """Lets a command tell what it would do to the ledger."""
    parser.flag("--dry-run", "write nothing; show the change and its effect")


def one_project(parser: Parser, options: Namespace) -> None:
    """Settles on one project, however it was named; an error where two were."""
    if options.project and options.name and options.project != options.name:
        parser.error(f"two projects are given: {echoed(options.name)} and {echoed(options.project)}")
    options.project = options.project or options.name


def field_options(parser: Parser, fields: Mapping[str, tuple[str, str]], kinds: Mapping[str, Any]) -> None:
    """An option for each field of an entry: what it takes (nothing where the field can only be true), and its help."""
    for name, (metavar, text) in fields.items():
        more: dict[str, Any] = {"metavar": metavar} if metavar else {"action": "store_const", "const": "true"}
        more |= {"type": kinds[name]} if name in kinds else {}
        parser.add_argument(f"--{name.replace('_', '-')}", dest=f"field_{name}", help=text, **more)


def fields_of(options: Namespace, names: Iterable[str]) -> dict[str, str]:
    """The fields that were given as such options."""
    found = {name: getattr(options, f"field_{name}") for name in names}
    return {name: text for name, text in found.items() if text is not None}


def map_option(parser: Parser, what: str, metavar: str) -> None:
    """Lets `add` say what the columns of a table are."""
    parser.option(
        "--map",
        metavar,
        f"{what}; `COLUMN=` skips it",
        nargs="+",
        action="extend",
        type=_pair,
        default=[],
    )


def _pair(text: str) -> tuple[str, str]:
    column, _, name = text.rpartition("=")
    if not column:
        raise wrong_argument(text, "is not a mapping; write COLUMN=FIELD, such as JobID=job")
    return column.strip(), name.strip()


def _change(text: str) -> tuple[str, str]:
    address, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not address:
        raise wrong_argument(text, "is not a change; write ADDRESS=VALUE, such as pixelis.seeds=5")
    return address, value


def wrong_argument(text: str, why: str) -> ArgumentTypeError:
    """The complaint about an argument: what it is not, and what would be right."""
    return ArgumentTypeError(f"{echoed(text)!r} {why}")


def day(text: str) -> int:
    """A day as 2025-09-10, or argparse's complaint that it is not one."""
    if not names_day(text):
        raise wrong_argument(text, "is not a date; write one such as 2025-09-10")
    return last_day(text)


def names_day(text: str) -> bool:
    """Whether a text is a day of the calendar, as 2025-09-10."""
    return DAY.fullmatch(text) is not None and is_day(text)


def between(least: int, most: int, what: str) -> Callable[[str], int]:
    """What reads a whole number between two others, or raises argparse's complaint that it is none."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text[:12]) <= most:
            raise wrong_argument(text, f"is not a {what}; write a whole number from {least} to {most}")
        return int(text)

    return read


def from_zero(text: str, key: str, what: str) -> Fraction:
    """One number from zero up in the unit of a key of the ledger, or argparse's complaint that it is none."""
    value = quantity(text, key).value
    if not value.exact or value.use is None or value.use < 0:
        raise wrong_argument(text, f"is not a {what}")
    return value.use


def quantity(text: str, key: str) -> Quantity:
    """An argument as a quantity in the unit of a key of the ledger. Raises ArgumentTypeError."""
    from reckon.language.quantity import read_quantity  # `--help` needs no library

    try:
        return read_quantity(text, key_unit(key))
    except Refusal as refusal:
        raise ArgumentTypeError(str(refusal)) from None
