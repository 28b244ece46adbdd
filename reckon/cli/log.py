"""`log`: runs a command and keeps its entry in the ledger. Signals, terminal and exit code are those of the command."""

from __future__ import annotations

import signal
import subprocess
from argparse import Namespace
from collections.abc import Iterable
from contextlib import suppress

from reckon.run_log import SIGNALS, LoggedRun, outcome

from .arguments import Parser, between, field_options, fields_of
from .output import complain, program

EPILOG = """\
The command is not stored. Whatever is wrong with the ledger is a warning; the command
runs on, and a file keeps the run for `budget add runs`.

Example: budget log my-project train --seed 1 -- python train.py --epochs 5"""
FIELDS = {
    "seed": ("SEED", "seed of the project"),
    "run": ("NAME", "a name you choose"),
    "attempt": ("N", "number of the attempt"),
    "gpus": ("N", "GPUs held, over all nodes (default: by CUDA, Slurm or nvidia-smi)"),
    "gpu": ("CARD", "GPU it runs on (default: by nvidia-smi, else the item's)"),
    "allocation": ("ID", "allocation that pays, or none (default: the item's)"),
    "unplanned": ("", "the item is not in the plan"),
}
CANARY = ["/bin/sh", "-c", "exec cat"]  # ends with this process, which holds the other end of its standard input
MOMENT = 0.1
"""Seconds within which a signal to a process group reaches all of it."""


def declare_log(parser: Parser) -> None:
    """The command line of `log`; the command stands behind `--`."""
    parser.does(log, _together, EPILOG)
    parser.usage = "%(prog)s PROJECT ITEM [options] -- COMMAND …"
    parser.option("project", "PROJECT", "the project")
    parser.option("item", "ITEM", "item of the plan")
    field_options(parser, FIELDS, {})
    parser.option(
        "--ended",
        "EXIT_CODE",
        "without a command: record the Slurm job that ends here with this code",
        type=between(0, 255, "exit code"),
    )


def _together(parser: Parser, options: Namespace) -> None:
    options.fields = fields_of(options, FIELDS)
    if (options.ended is None) != bool(options.behind):
        parser.error("write the command to run behind --, such as: -- python train.py; or give --ended")


def log(options: Namespace) -> int | None:
    """Runs the command and gives its exit code; or records the Slurm job that ends here, which never fails."""
    run = LoggedRun(options.project, options.item, options.root, program=program(), silent="", **options.fields)
    if options.behind:
        return _supervise(options.behind, run)
    run.finish(options.ended)
    return None


def _supervise(command: list[str], run: LoggedRun) -> int:
    """Runs a command in the group of this process, and gives its exit code as a shell would.

    A signal to the group reaches the command by itself, one to this process alone is passed on. Which of both it was,
    another child tells, the canary, which does nothing but die of it.
    """
    heard = {number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN} | {signal.SIGCHLD}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    try:
        child = _start(command, mask, None)
    except OSError as error:
        complain(f"{command[0]}: {error.strerror}")
        return 127 if isinstance(error, FileNotFoundError) else 126  # as a shell has them
    canary = _start(CANARY, mask, subprocess.PIPE)
    run.begin()
    seen = []
    while (code := child.poll()) is None:
        number = signal.sigwait(heard)
        if number == signal.SIGCHLD:
            continue
        seen.append(number)
        with suppress(subprocess.TimeoutExpired):
            canary.wait(MOMENT)
        if canary.returncode != -number:
            child.send_signal(number)
        if canary.returncode is not None:
            canary = _start(CANARY, mask, subprocess.PIPE)
    run.end(outcome(code, seen))
    return 128 - code if code < 0 else code


def _start(command: list[str], mask: Iterable[int], stdin: int | None) -> subprocess.Popen[bytes]:
    """Starts a command with all that this process inherited: files that are open, and the mask of signals."""
    return subprocess.Popen(
        command, stdin=stdin, close_fds=False, preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    )
