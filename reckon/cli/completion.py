"""`completion`: the scripts by which shells complete what is typed. Nothing heavy is imported: shells run it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from reckon.completion import HERE

from .arguments import Parser

EPILOG = """\
Add a line to the file that your shell reads when it starts:
  ~/.bashrc                   eval "$(budget completion bash)"
  ~/.zshrc                    eval "$(budget completion zsh)", behind compinit
  ~/.config/fish/config.fish  source (budget completion fish | psub)"""


def declare_completion(parser: Parser) -> None:
    """The command line of `completion`."""
    parser.does(completion, epilog=EPILOG)
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="your shell")


def completion(options: Namespace) -> None:
    """Prints the script of a shell."""
    script = Path(HERE, f"budget.{options.shell}")
    print(script.read_text("ascii"), end="")
