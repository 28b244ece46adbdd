"""The list of commands and options that shells complete, out of what commands declare: `completion/commands.txt`."""

from __future__ import annotations

import json
import re
from argparse import Action
from argparse import _SubParsersAction as SubCommands
from collections.abc import Iterator
from pathlib import Path

from reckon.cli import declare
from reckon.cli.arguments import Parser
from reckon.completion import HERE, KINDS
from reckon.model.records import STATUSES
from reckon.model.rules import RULES
from reckon.present.navigation import GUIDE
from scripts.messages import codes

SHELL_WORDS = Path(HERE, "commands.txt")
ANY = "|"
"""The kind of what is not completed."""
NAMED = {
    "--allocation": "ALLOCATION",
    "--grant": "ALLOCATION",
    "--seed": "SEED",
    "--status": "STATUS",
    "--table": ANY,
}
"""What the value of an option is, where its name in --help says less."""
FIXED = {
    "PAGE": "|".join(path.removeprefix("guide/").removesuffix(".md") for path in GUIDE),
    "STATUS": "|".join(STATUSES),
    "CODE": "|".join(sorted({*RULES, *(code for code, _ in json.loads(codes()))})),
}
"""The words of which there are as many in any ledger."""


def shell_words() -> str:
    """The list: a line for each command: the kinds of its words, and its options with the kinds of their values."""
    return "".join(f"{line}\n" for line in _list_command(declare(), ""))


def _list_command(parser: Parser, command: str) -> Iterator[str]:
    """The lines of a command and of those below it."""
    if parser.later:
        parser.later(parser)
        parser.later = None
    slots: list[str] = []
    options: list[str] = []
    for action in parser._actions:
        for option in action.option_strings:
            options.append(option if action.nargs == 0 else f"{option}={_kinds(action, option)[0]}")
        if not action.option_strings:
            slots += _kinds(action)
    yield f"{command}:{' '.join(slots or [ANY])}:{' '.join(options)}"
    for action in parser._actions:
        if isinstance(action, SubCommands):
            for name, below in action.choices.items():
                yield from _list_command(below, f"{command} {name}".strip())


def _kinds(action: Action, option: str = "") -> list[str]:
    """What a word or the value of an option is: some words themselves, or kinds such as PROJECT."""
    if action.choices:
        return ["|".join(action.choices)]
    metavar = NAMED.get(option) or str(action.metavar)
    if metavar in FIXED:
        return [FIXED[metavar]]
    names = re.findall("[A-Z]+", metavar.partition("=")[0])[:2]
    return [name if name in KINDS else ANY for name in names or [metavar]]
