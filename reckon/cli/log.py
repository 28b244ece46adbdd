"""`log`: runs a command and keeps its entry in the ledger. Signals, terminal and exit code are those of the command."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from argparse import Namespace
from collections.abc import Sequence

from reckon import run_log
from reckon.run_log import LoggedRun

from .arguments import Parser, between, field_options, fields_of
from .output import FINE, complain, program

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
    "limit_hours": ("HOURS", "time limit (default: that of the Slurm job)"),
    "unplanned": ("", "the item is not in the plan"),
    "note": ("TEXT", "a note"),
}
NOT_FOUND, NOT_EXECUTABLE = 127, 126  # as a shell has them
MOMENT = 0.1
"""Seconds within which a signal to a process group reaches all of it."""


def declare_log(parser: Parser) -> None:
    """The command line of `log`; the command stands behind `--`."""
    parser.does(log, _together, EPILOG)
    parser.usage = "%(prog)s PROJECT ITEM [options] -- COMMAND …\n       %(prog)s PROJECT ITEM [options] --finished"
    parser.option("project", "PROJECT", "the project")
    parser.option("item", "ITEM", "item of the plan")
    field_options(parser, FIELDS, {})
    every = between(1, 3600, "number of seconds")
    parser.option("--every", "SECONDS", "time between two samples of nvidia-smi (default: 10)", type=every, default=10)
    parser.flag("--finished", "record the Slurm job that ends here, in an epilog; runs no command")
    code = between(0, 255, "exit code")
    parser.option("--exit-code", "N", "with --finished: exit code of the job (default: Slurm's)", type=code)


def _together(parser: Parser, options: Namespace) -> None:
    if options.finished == bool(options.behind):
        parser.error("write the command to run behind --, such as: -- python train.py; or give --finished")


def log(options: Namespace) -> int:
    """Runs the command, or records the Slurm job that ends; gives the exit code of the command."""
    fields = fields_of(options, FIELDS)
    asked = {"project": options.project, "root": str(options.root), "program": program(), "every": options.every}
    if options.finished:
        return _finish(options, {**asked, "fields": {"item": options.item, **fields}})
    if not run_log.begins_run():
        return _execute(options.behind)
    return Supervised(options.behind).run(LoggedRun(item=options.item, fields=fields, **asked))


def _execute(command: list[str]) -> int:
    """Becomes the command."""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        return _not_started(command, error)


def _not_started(command: Sequence[str], error: OSError) -> int:
    complain(f"{command[0]}: {error.strerror}")
    return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE


def _finish(options: Namespace, asked: dict[str, object]) -> int:
    """Records the Slurm job that ends here. Never fails: a node whose epilog fails is taken out of service."""
    run_log.finish(asked, options.exit_code)
    return FINE


class Supervised:
    """A command that runs in the group of this process, as its child.

    A signal to the group reaches the command by itself, one to this process alone is passed on. Which of both it was,
    another child tells, the canary, which does nothing but die of it.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._child: subprocess.Popen[bytes] | None = None
        self._canary: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] = []
        self._is_passing = False
        self.seen: list[int] = []

    def run(self, entry: LoggedRun) -> int:
        """Runs the command, and has its entry kept. Gives the exit code as a shell would."""
        for name in run_log.GROUP_SIGNALS:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:  # what this process ignores, the command does too
                signal.signal(number, self._heard)
        self._canary = _new_canary()
        try:
            child = subprocess.Popen(self._command, close_fds=False)
        except OSError as error:
            return _not_started(self._command, error)
        self._child = child
        for number in self._waiting:  # what came before there was a child
            child.send_signal(number)
            self._canary = _new_canary()
        self._waiting = []
        entry.begin()
        code = child.wait()
        entry.end(run_log.outcome(code, self.seen, time.time()))
        return 128 - code if code < 0 else code

    def _heard(self, number: int, _: object) -> None:
        self.seen.append(number)
        self._waiting.append(number)
        if self._child and not self._is_passing:
            self._pass_on()

    def _pass_on(self) -> None:
        """Passes on the signals that reached this process alone."""
        self._is_passing = True
        while self._waiting:
            number = self._waiting.pop(0)
            if not self._reached_group(number) and self._child:
                self._child.send_signal(number)
        self._is_passing = False

    def _reached_group(self, number: int) -> bool:
        try:
            code = self._canary.wait(MOMENT) if self._canary else 0
        except subprocess.TimeoutExpired:
            return False
        self._canary = _new_canary()
        return code == -number


def _new_canary() -> subprocess.Popen[bytes] | None:
    """A process that ends when this one does; None where it cannot begin."""
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    except OSError:
        return None
