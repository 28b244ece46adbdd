"""The command line of what compares: `diff`."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from fractions import Fraction

from reckon.language.text import echoed

from .shared import Commands, command


def diff(commands: Commands[ArgumentParser]) -> None:
    """`diff`: what differs between two ledgers."""
    parser = command(commands, "diff", "say which inputs changed, which figures moved because of them, and by how much")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = (
        "A tree is a release (1.0.0, or pixelis@1.0.0), a folder with a ledger/, a revision\n"
        "of git (origin/main, a tag, HEAD~3), or `.`, the working tree. Without any, HEAD\n"
        "is compared with the working tree; one is compared with the working tree.\n"
        "What can be a release is one: refs/tags/1.0.0 means the tag, ./1.0.0 the folder.\n"
        "\n"
        "Nothing is printed where nothing moved. The exit code is 0 also where something\n"
        "did, or 1 with --exit-code; 2 where a tree cannot be read."
    )
    parser.add_argument("trees", nargs="*", metavar="TREE", help="the old and the new one")
    parser.add_argument("--project", metavar="PROJECT", help="only this project")
    parser.add_argument(
        "--of", metavar="ADDRESS", help="the figure to be bridged (default: the budget of each project)"
    )
    parser.add_argument(
        "--only-above", type=_threshold, metavar="5%|50h", help="leave out what moved by less: a share, or GPU-hours"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="default: text")
    parser.add_argument("--exit-code", action="store_true", help="exit with 1 where something is printed")


def _threshold(text: str) -> tuple[Fraction | None, Fraction | None]:
    found = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,12})?) *(%|h)", text.strip())
    if not found:
        raise ArgumentTypeError(f"{echoed(text)!r} is no threshold; write a share, as 5%, or GPU-hours, as 50h")
    number = Fraction(found[1])
    return (number / 100, None) if found[2] == "%" else (None, number)
